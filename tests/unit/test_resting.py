"""Engines that nobody asked for a while are closed, and nobody notices: on real stores and keywords alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py.capture.reports import Report
from hookclaw_py.config import Config, EmbedderConfig, home
from hookclaw_py.doors import residents
from hookclaw_py.doors.keeping import Keeping
from hookclaw_py.doors.residents import NotReady, Resident, Staff
from hookclaw_py.doors.resting import LARGEST, MOST_OPEN, OnCall, Roster
from hookclaw_py.engine import Engine
from hookclaw_py.errors import StoreError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.turns import InTurn
from hookclaw_py.workers import Worker
from tests.unit.test_doors_service import ASKED, CONFIG, ERROR_NOTE, PORT_NOTE, Host, workspace
from tests.waiting import delete, wait_until

KEYWORDS = Config(enable_vector=False)
AGENTS = [f"agent{n}" for n in range(MOST_OPEN + 3)]
LAST = AGENTS[-MOST_OPEN:]
needs_proc = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="what a process has open is in /proc")


def states(host: Host) -> dict[str, str]:
    return {agent["agentId"]: agent["state"] for agent in host.ask("health")["agents"]}


def rest_all_but_the_last(host: Host) -> None:
    """Wait until those that were asked last are open and no other: that one may be, for a moment, to read its notes."""
    wait_until(lambda: [name for name, state in states(host).items() if state != "resting"] == LAST, "the others rest")


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Host]:
    """A host with more agents than stay open; all of them were asked."""
    host = Host(config=CONFIG, watching=True)
    for agent in AGENTS:
        folder = workspace(tmp_path / agent, ERROR_NOTE, f"The desk of {agent} is green.")
        host.ask("session_start", agentId=agent, workspaceDir=str(folder))
        assert host.event("indexed")["agentId"] == agent
        assert host.prompt(agentId=agent)["outcome"] == "injected"
    rest_all_but_the_last(host)
    yield host
    assert host.service.close(10)


def test_of_many_agents_those_asked_last_stay_open_and_one_that_rests_is_not_called_broken(many):
    health = many.ask("health")
    assert {(agent["chunks"], agent["problem"], agent["recalls"]) for agent in health["agents"]} == {(12, "", 1)}


def test_a_resting_agent_answers_within_its_hosts_time_as_it_did_before(many):
    for agent in AGENTS * 2:
        found = many.prompt(agentId=agent, timeoutMs=10_000)
        assert "delete the obj folder" in found["prependContext"]
        own = many.prompt(f"Which colour has the desk of {agent}?", agentId=agent, sessionKey="another")
        assert f"{agent} is green" in own["prependContext"]


def test_what_was_counted_and_decided_outlives_the_rests(many):
    given = [many.prompt(agentId=agent)["injectionId"] for _ in range(3) for agent in AGENTS]
    rest_all_but_the_last(many)
    counted = many.ask("metrics")["agents"]
    assert {name: (one["prompts"], one["thisProcess"]["calls"]) for name, one in counted.items()} == dict.fromkeys(
        AGENTS, (4, 4)
    )
    told = many.ask("explain", agentId=AGENTS[0], audience="owner", injectionId=given[0])
    assert told["outcome"] == "injected"


def test_a_changed_note_of_a_resting_agent_is_found_and_the_agent_goes_on_resting(many, tmp_path):
    first = AGENTS[0]
    (tmp_path / first / "memory" / "2026-02-11.md").write_text("The samovar stands behind the third door.\n")
    assert many.event("indexed")["agentId"] == first
    rest_all_but_the_last(many)
    assert (
        "third door"
        in many.prompt("Where does the samovar stand?", agentId=first, sessionKey="another")["prependContext"]
    )


@contextmanager
def resident(
    notes: Path | None, *, watching: bool = False, opening: Callable[[], Engine] = lambda: Engine.open(KEYWORDS)
) -> Iterator[tuple[Resident, threading.Event]]:
    """Yield an agent whose engine rests whenever nobody uses it, and what is set when its notes were read."""
    read = threading.Event()
    staff = Staff(watching=watching, roster=Roster(idle=0))
    one = Resident("main", opening, staff=staff, emit=lambda event, _: read.set() if event == "indexed" else None)
    try:
        if notes is not None:
            one.read(str(notes), timeout=60)
        yield one, read
    finally:
        staff.close()
        assert one.close(60)


@contextmanager
def on_call(
    opening: Callable[[], Engine], *, largest: int = LARGEST, changed: Callable[[], None] = lambda: None
) -> Iterator[OnCall]:
    """Yield an engine that rests when it is told to."""
    roster = Roster(idle=60, largest=largest)
    one = OnCall("main", opening, opener=Worker("open"), roster=roster, told=lambda _: None, changed=changed)
    try:
        yield one
    finally:
        roster.close()
        assert one.close(60)


def rests(one: Resident) -> bool:
    """Say whether it is closed, and nobody is still at it."""
    at_it = any(thread.name == "hookclaw-rest" for thread in threading.enumerate())
    return bool(one.health()["state"] == "resting") and not at_it


def recalled(one: Resident, prompt: str = ASKED) -> str:
    with one.using("", timeout=60) as engine:
        return engine.recall(prompt).text


@needs_proc
def test_a_resting_agent_holds_no_file_of_its_memory_open(tmp_path):
    with resident(workspace(tmp_path / "ws", ERROR_NOTE)) as (one, _):
        folder = str(agent_folder(home(), "main"))
        with one.using("", timeout=60):
            assert folder in Path("/proc/self/maps").read_text()
        wait_until(lambda: folder not in Path("/proc/self/maps").read_text(), "the folder is given back")
        open_files = (path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink())
        assert not [path for path in open_files if str(path).startswith(folder)]
        assert "obj folder" in recalled(one)


def test_an_engine_that_rests_is_not_opened_to_see_that_no_note_has_changed():
    """A watch has it looked at every second."""
    opened, looked = [], threading.Event()

    @contextmanager
    def using() -> Iterator[Engine]:
        opened.append(True)
        raise NotReady("it is enough that it was tried")
        yield

    turns = InTurn("keep", width=1, patience=60)
    keeping = Keeping("main", using, turns=turns, watches=None, told=print, complain=lambda _: None, rests=lambda: True)
    for ask, tried in ((keeping.look, False), (keeping.refresh, True)):
        looked.clear()
        ask()
        turns.put(looked.set)
        assert looked.wait(60)
        assert bool(opened) == tried
    keeping.stop()
    turns.close()


def test_what_is_captured_is_remembered_although_the_agent_rests_before_it_is_worked_off(tmp_path):
    with resident(workspace(tmp_path / "ws", ERROR_NOTE)) as (one, _):
        wait_until(lambda: rests(one), "it rests")
        common = {"host": "openclaw", "session": "s", "run": "r", "audience": Audience.OWNER}
        reports = [
            Report(kind, datetime.now(UTC), payload={"text": text}, **common)
            for kind, text in (
                (HappeningKind.PROMPT, "We decided to hire Ronja Brandt as our gardener."),
                (HappeningKind.ANSWER, "Noted."),
            )
        ]
        with one.using("", timeout=60) as engine:
            engine.capturing.record(reports)
        wait_until(lambda: rests(one), "it rests again")
        one.work_off_soon(0)

        with Engine.open(KEYWORDS) as other:
            wait_until(
                lambda: "Ronja" in other.recall("which gardener did we hire?", kinds=["decision"]).text,
                "it is worked off",
            )
        wait_until(lambda: rests(one), "it rests again")


def test_an_engine_in_use_is_not_closed_whoever_else_is_asked(tmp_path):
    with resident(workspace(tmp_path / "ws", ERROR_NOTE)) as (one, _):
        with one.using("", timeout=60) as engine:
            for _ in range(3):
                assert "obj folder" in recalled(one)
                assert one.health()["state"] == "ready"
            assert "obj folder" in engine.recall(ASKED).text
        wait_until(lambda: rests(one), "it rests once nobody uses it")


@pytest.mark.parametrize("when", ["first", "again", "in use"])
def test_an_engine_that_is_opened_or_used_while_its_agent_is_closed_for_good_is_closed_behind_that(when):
    """As when the configuration changes; what stayed open held its memory and its files until the process ended."""
    engines, go = list[Engine](), threading.Event()

    def opening() -> Engine:
        if len(engines) == {"first": 0, "again": 1}.get(when):
            assert go.wait(60)
        engines.append(Engine.open(KEYWORDS))
        return engines[-1]

    opener, roster = Worker("open"), Roster(idle=0 if when == "again" else 300)
    one = OnCall("main", opening, opener=opener, roster=roster, told=lambda _: None, changed=lambda: None)
    if when == "first":
        assert one.close(0)
    elif when == "again":
        with one.using(timeout=60, asked=True):
            pass
        wait_until(lambda: one.rests, "it rests")
        one.opened()
        assert not one.close(0)
    else:
        with one.using(timeout=60, asked=True):
            assert not one.close(0)
    go.set()
    wait_until(lambda: bool(engines) and is_closed(engines[-1]), "it is closed", 10)
    roster.close()
    opener.close(10)


def is_closed(engine: Engine) -> bool:
    try:
        engine.store.get_meta("word")
    except StoreError as error:
        return "was closed" in str(error)
    return False


def test_prompts_that_come_while_an_engine_is_opened_again_are_all_answered_by_it(tmp_path):
    opened = []

    def opening() -> Engine:
        opened.append(Engine.open(KEYWORDS))
        return opened[-1]

    with resident(workspace(tmp_path / "ws", ERROR_NOTE), opening=opening) as (one, _):
        with ThreadPoolExecutor(4) as pool:
            for _ in range(5):
                wait_until(lambda: rests(one), "it rests")
                assert all("obj folder" in found for found in pool.map(lambda _: recalled(one), range(4)))
        wait_until(lambda: rests(one), "it rests")
        assert one.health()["problem"] == ""


def test_a_memory_that_cannot_be_opened_again_says_why_until_it_can(tmp_path):
    with resident(workspace(tmp_path / "ws", ERROR_NOTE)) as (one, _):
        wait_until(lambda: rests(one), "it rests")
        file = agent_folder(home(), "main") / "memory.db"
        whole = file.read_bytes()
        file.write_bytes(b"not a database at all, " * 200)
        for _ in range(2):
            with pytest.raises(NotReady, match="not a database"):
                recalled(one)
        assert "not a database" in one.health()["problem"]
        file.write_bytes(whole)
        assert "obj folder" in recalled(one)
        assert one.health()["problem"] == ""


def test_who_cannot_wait_until_it_is_open_again_is_told_so_and_the_next_one_is_answered(tmp_path):
    may_open = threading.Event()
    may_open.set()

    def opening() -> Engine:
        assert may_open.wait(60)
        return Engine.open(KEYWORDS)

    with resident(workspace(tmp_path / "ws", ERROR_NOTE), opening=opening) as (one, _):
        wait_until(lambda: rests(one), "it rests")
        may_open.clear()
        with pytest.raises(NotReady, match="still being opened"), one.using("", timeout=0.01):
            pass
        assert (one.health()["state"], one.health()["chunks"]) == ("resting", 11)
        may_open.set()
        assert "obj folder" in recalled(one)


def test_notes_are_read_again_when_the_memory_was_deleted_while_it_rested(tmp_path):
    with resident(workspace(tmp_path / "ws", ERROR_NOTE, PORT_NOTE)) as (one, read):
        wait_until(lambda: rests(one), "it rests")
        delete(agent_folder(home(), "main"))
        read.clear()
        recalled(one)
        assert read.wait(60), "they are read again"
        assert "obj folder" in recalled(one)


def test_what_is_dear_to_make_is_not_made_again_for_a_store_that_is_as_it_was(tmp_path):
    """The null sample: most of what it takes to open an engine."""
    with Engine.open() as engine:
        engine.index(workspace(tmp_path / "ws", ERROR_NOTE, PORT_NOTE))
    with on_call(Engine.open) as one:
        with one.using(timeout=60, asked=True) as engine:
            first, answer = engine.indexing.known().own.null, engine.recall(ASKED)
        assert one.rest()
        with one.using(timeout=60, asked=True) as engine:
            assert engine.indexing.known().own.null is first
            again = engine.recall(ASKED)
            assert (again.text, again.why) == (answer.text, answer.why)
            engine.remember("The samovar stands behind the third door.")
        assert one.rest()
        with Engine.open() as other:
            other.remember("The kettle stands behind the fourth door.")
        with one.using(timeout=60, asked=True) as engine:
            assert engine.indexing.known().own.null is not first


@pytest.mark.parametrize("why", ["too large", "much is shared", "nowhere else", "not settled", "as any"])
def test_what_could_not_be_opened_again_in_time_and_as_it_was_is_not_closed(tmp_path, why):
    nobody = EmbedderConfig(backend="openai", url="http://127.0.0.1:9/v1", model="none")
    openings = {
        "nowhere else": lambda: Engine.in_memory(KEYWORDS),
        "much is shared": lambda: Engine.open(Config(enable_vector=False, shared=["memory/"])),
        "not settled": lambda: Engine.open(Config(embedder=nobody)),
    }
    most = {"too large": 10, "much is shared": 100}
    opening = openings.get(why, lambda: Engine.open(KEYWORDS))
    with on_call(opening, largest=most.get(why, LARGEST)) as one:
        with one.using(timeout=60, asked=True) as engine:
            engine.index(workspace(tmp_path / "ws", ERROR_NOTE))
        assert one.rest() == (why == "as any")
        with one.using(timeout=60, asked=True) as engine:
            assert "obj folder" in engine.recall(ASKED).text


def test_notes_are_read_again_when_the_memory_was_deleted_before_it_rested(tmp_path):
    heard = threading.Event()
    with on_call(lambda: Engine.open(KEYWORDS), changed=heard.set) as one:
        with one.using(timeout=60, asked=True) as engine:
            engine.index(workspace(tmp_path / "ws", ERROR_NOTE))
        delete(agent_folder(home(), "main"))
        assert one.rest()
        with one.using(timeout=60, asked=True):
            assert heard.wait(60)


def test_freed_memory_is_given_back_now_and_then_and_not_with_each_answer():
    given = list[int]()
    staff = Staff(watching=False, give_back=lambda: given.append(1))
    for _ in range(residents._GIVING_BACK - 1):
        staff.answered()
    staff.queue.submit(lambda: None).result(10)
    assert not given
    staff.answered()
    staff.queue.submit(lambda: None).result(10)
    assert given == [1]
    staff.close()
