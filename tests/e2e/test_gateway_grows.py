"""Memory grows from the work itself in a real OpenClaw: three sessions, then what they said answers prompts of others.

Twice: undisturbed, and with the memory process killed at random moments and the transcripts deleted. Slow: a real gateway.
"""

from __future__ import annotations

import os
import random
import shlex
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import DECISION, FACT, OBSERVATION, PREFERENCE, SESSION, WORKING
from hookclaw_py.store import database, upkeep
from hookclaw_py.store.ports import AgentStore
from tests.e2e.gateway.host import Host
from tests.e2e.gateway.installation import installation
from tests.e2e.gateway.model_server import ModelServer
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

CALM, KILLED = "main", "sailor"
"""Two agents of one gateway, each with a memory of its own."""
KILLS, SEED = 10, 20260302
CHECK = "sh check.sh"
MEND = "echo TIDE_ZONE=Europe/Oslo >> lantern.conf && sh check.sh"
COMPACTION = ""


class Turn(NamedTuple):
    """What is said, what is answered, and the command that is run in between."""

    asked: str
    answer: str
    command: str = ""


SESSIONS = {
    "first": [
        Turn("The tide tables of Lantern are in PostgreSQL 16 on the host heron-2.", "Noted: heron-2."),
        Turn("We decided to release Lantern every second Thursday, never on a Friday.", "Every second Thursday then."),
        Turn("I prefer tabs in the Makefile of Lantern, please keep them.", "Tabs it stays."),
        Turn("Run the checks of Lantern.", "The checks fail: TIDE_ZONE is not set in lantern.conf.", CHECK),
        Turn("Set TIDE_ZONE to Europe/Oslo in lantern.conf, then check.", "Both done, the checks pass now.", MEND),
        Turn("Once more the checks, to be sure.", "They pass.", CHECK),
    ],
    "second": [
        Turn("The invoices of the Lantern customers go out through the Pelikan gateway at 06:15.", "Good to know."),
        Turn("Ingrid Solheim maintains the tide parser, ask her before you change it.", "I will ask Ingrid first."),
        Turn("Our staging server is called puffin and listens on port 8447.", "Understood."),
        Turn(COMPACTION, ""),
        Turn(
            "What shall we do about the flaky upload test?",
            "Let it retry three times with a pause of two seconds, and log each try.",
        ),
    ],
    "third": [
        Turn(
            "Correction: the tide tables of Lantern are in PostgreSQL 17 on the host osprey-4 now.", "Noted: osprey-4."
        ),
        Turn("The budget of Lantern for 2027 is 48,000 euros.", "Noted."),
        Turn("The board meets in Bergen in June, at the Solstrand hotel.", "A fine place."),
        Turn("The backup of the tide tables runs at 02:40 and takes eleven minutes.", "Good."),
    ],
}
TURNS = [turn for turns in SESSIONS.values() for turn in turns if turn.asked]
ANSWERED = {
    "On which host are the tide tables of Lantern?": "osprey-4",
    "On which weekday do we release Lantern?": "Thursday",
    "Tabs or spaces in the Makefile of Lantern?": "tabs",
    "Why did the checks of Lantern fail?": "TIDE_ZONE is not set",
    "What is TIDE_ZONE set to in lantern.conf?": "Europe/Oslo",
    "Through which gateway do the invoices go out?": "Pelikan",
    "Who maintains the tide parser?": "Ingrid Solheim",
    "Which port does the staging server puffin listen on?": "8447",
    "What did we want to do about the flaky upload test?": "three times",
    "What is the budget of Lantern for 2027?": "48,000",
    "In which hotel does the board meet in June?": "Solstrand",
    "When does the backup of the tide tables run?": "02:40",
}
SILENT = ["Which visa do I need for Brazil?", "What is the capital of Mongolia?", "How do I descale a coffee machine?"]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.answers[""] = "I don't know."
        yield server


@pytest.fixture(scope="module")
def host(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(installation(), tmp_path_factory.mktemp("gateway") / "one", model, agents=(CALM, KILLED))
    for workspace in host.workspaces.values():
        (workspace / "lantern.conf").write_text("PORT=8447\n")
        (workspace / "check.sh").write_text(
            "grep -q TIDE_ZONE lantern.conf || { echo 'error: TIDE_ZONE is not set in lantern.conf' >&2; exit 1; }\n"
            "echo '12 checks passed'\n"
        )
    done = host.hookclaw("openclaw", "install")
    assert done.returncode == 0, done.stderr
    with host:
        yield host


def session(name: str, agent: str) -> str:
    return f"agent:{agent}:openai-user:{name}"


def work(host: Host, model: ModelServer, agent: str) -> None:
    """Let the three sessions happen."""
    for name, turns in SESSIONS.items():
        for turn in turns:
            if turn.asked == COMPACTION:
                compacted = host.call("sessions.compact", key=session(name, agent))
                assert compacted.get("ok", True), compacted
                if agent == CALM:
                    wait_until(lambda: bool(working(host, agent)), "the state of the work is kept", 60)
                continue
            model.answers = {turn.asked: turn.answer, "": "I don't know."}
            model.calls.clear()
            if turn.command:
                command = f"cd {shlex.quote(str(host.workspaces[agent]))} && {turn.command}"
                model.calls[turn.asked] = ("exec", {"command": command})
            assert host.turn(turn.asked, agent=agent, user=name) == turn.answer
    model.answers = {"": "I don't know."}
    model.calls.clear()


def memory(host: Host, agent: str) -> AgentStore:
    return database.opened(host.memories / "agents" / agent)


def working(host: Host, agent: str) -> str:
    """Return what is on record of the state of the work."""
    with memory(host, agent) as store:
        return "\n".join(record.body for record in store.records(kinds=[WORKING]))


def wait_until_learned(host: Host, agent: str) -> None:
    """Wait until every turn is captured and nothing waits to be worked on."""

    def learned() -> bool:
        if not upkeep.is_there(host.memories / "agents" / agent):
            return False
        with memory(host, agent) as store:
            kept = [one.run for one in store.happenings(kinds=[HappeningKind.ANSWER])]
            waiting = store.waiting(now=datetime.now(UTC), stuck=timedelta(minutes=5))
        return len(kept) >= len(TURNS) and not waiting.pending + waiting.processing + waiting.failed

    wait_until(learned, f"the sessions of {agent} are learned", 150)


def memories(host: Host, model: ModelServer, agent: str, question: str, user: str) -> str:
    """Ask in a session of its own; return the memories that the model was sent with it."""
    host.turn(question, agent=agent, user=user)
    prompt = next(r.users[-1] for r in reversed(model.requests) if r.is_turn and question in r.users[-1])
    return prompt.partition("<relevant_memories>")[2].partition("</relevant_memories>")[0]


def assert_it_was_remembered(host: Host, model: ModelServer, agent: str) -> None:
    """Ask what was said, and what was not; look at what is on record."""
    wait_until(
        lambda: bool(memories(host, model, agent, "Which port does the staging server puffin listen on?", "warm")),
        "it is open",
        120,
    )
    found = {question: memories(host, model, agent, question, f"asks-{n}") for n, question in enumerate(ANSWERED)}
    missing = {question: block for question, block in found.items() if ANSWERED[question] not in block}
    assert not missing
    told = {question: memories(host, model, agent, question, f"silent-{n}") for n, question in enumerate(SILENT)}
    assert told == dict.fromkeys(SILENT, "")
    assert "heron-2" not in found["On which host are the tide tables of Lantern?"]
    with memory(host, agent) as store:
        said = "\n".join(chunk.text for chunk in store.all_chunks() if chunk.kind is SESSION)
        assert {turn.asked: said.count(f"User: {turn.asked}") for turn in TURNS} == {turn.asked: 1 for turn in TURNS}
        standing = {kind: list(store.records(kinds=[kind], standing=True)) for kind in KINDS}
    facts = "\n".join(one.body for one in standing[FACT])
    assert "osprey-4" in facts
    assert "heron-2" not in facts
    assert ["every second Thursday" in one.body for one in standing[DECISION]] == [True]
    assert ["tabs in the Makefile" in one.body for one in standing[PREFERENCE]] == [True]
    titles = [one.title for one in standing[OBSERVATION]]
    assert any("failed" in title for title in titles), titles
    assert any("staging server is called puffin" in one.body for one in standing[WORKING]), "before the compaction"


KINDS = (FACT, DECISION, PREFERENCE, OBSERVATION, WORKING)


def test_three_sessions_answer_the_prompts_of_others_in_their_newest_form(host, model):
    """C1, C2, C3, M9, M15."""
    work(host, model, CALM)
    after = next(r.users[-1] for r in reversed(model.requests) if "flaky upload" in r.users[-1])
    assert "staging server is called puffin" in after.partition("</session_memory>")[0].partition("<session_memory>")[2]
    wait_until_learned(host, CALM)
    assert_it_was_remembered(host, model, CALM)
    backfilled = host.hookclaw("--agent", CALM, "capture", "backfill")
    assert "0 turns of 0 sessions taken in" in backfilled.stdout, "each turn of the transcripts is known: " + str(
        backfilled
    )


def _parent(pid: int) -> int:
    """Return whose child a process is, 0 if it is there no more."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


class Killer:
    """Kills the memory process at random moments until it has done so ``KILLS`` times, or is told to stop."""

    def __init__(self, host: Host) -> None:
        self._host, self._stop, self.killed = host, threading.Event(), 0
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        chance = random.Random(SEED)
        while self.killed < KILLS and not self._stop.wait(chance.uniform(0.2, 4)):
            pid = self._host.record.get("memoryPid", 0)
            if _parent(pid) == self._host.pid:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed += 1

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


def test_the_same_though_the_memory_process_is_killed_at_random_and_the_transcripts_are_deleted(host, model):
    """C9, C18, C19: nothing is lost, nothing is there twice."""
    with Killer(host) as killer:
        work(host, model, KILLED)
    assert killer.killed, "a slow machine is killed less often: there are no more processes to kill than turns"
    wait_until_learned(host, KILLED)
    transcripts: Path = host.state / "agents" / KILLED / "agent" / "openclaw-agent.sqlite"
    with closing(sqlite3.connect(transcripts, timeout=30, isolation_level=None)) as database:
        assert database.execute("DELETE FROM transcript_events").rowcount > 0
    assert_it_was_remembered(host, model, KILLED)
