"""What the store remembers of injections and of the turns after them, and how long a turn waits for that."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.model.types import Chunk, Occasion, Uses
from hookclaw_py.stages.utility import MOST_OCCASIONS, about
from hookclaw_py.store import tallies
from hookclaw_py.store.database import Store
from hookclaw_py.store.events import MAX_PROMPT_CHARS, EventKind, Showing
from hookclaw_py.store.sql import events
from hookclaw_py.text import terms
from tests.conftest import chunk as made

AT = datetime(2026, 2, 9, 12, tzinfo=UTC)
NOTE = "memory/a.md"


def chunk(body: str, path: str = NOTE) -> Chunk:
    return made(body, path=path)


FERRY, BIKE = chunk("ferry to Karlskrona on 14 March, cabin 4112"), chunk("the bike needs a new hub")
A, B = FERRY.id, BIKE.id


@pytest.fixture(params=["on disk", "in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "main" if request.param == "on disk" else None) as opened:
        opened.replace_file(NOTE, chunks=[FERRY, BIKE])
        yield opened
        assert tallies.replay(opened.events()) == opened.all_uses(), (
            "the tallies are what the log says, after every test"
        )


def inject(store: Store, injection_id: str, *, session: str = "s", prompt: str = "when?", run: str = "") -> None:
    shown = [Showing(A, relevance=0.8), Showing(B)]
    store.record_injection(at=AT, session_id=session, injection_id=injection_id, prompt=prompt, shown=shown, run_id=run)


def settle(store: Store, injection_id: str, *, at: datetime = AT, success: bool = True, **kinds: str) -> bool:
    by_id = {{"a": A, "b": B}[name]: kind for name, kind in kinds.items()}
    return store.settle(at=at, session_id="s", injection_id=injection_id, kinds=by_id, success=success)


def of(store: Store, chunk_id: str) -> Uses:
    return store.uses([chunk_id]).get(chunk_id, Uses())


def waiting(store: Store, **which: str) -> str:
    shown = store.unsettled("s", **which)
    return shown.injection_id if shown else ""


# Turns


def test_an_injection_waits_for_its_turn_and_is_tallied_once(store: Store):
    assert store.unsettled("s") is None
    inject(store, "i1")
    assert store.unsettled("s") == ("i1", "when?", (A, B))
    assert store.unsettled("other") is None
    assert settle(store, "i1", a="used", b="ignored")
    assert store.unsettled("s") is None
    assert not settle(store, "i1", a="used", b="ignored"), "doubled: counted once"
    assert of(store, A)[:5] == (1, 1, 0, 0, 0)
    assert of(store, B)[:5] == (1, 0, 0, 0, 1)


def test_a_failed_turn_ends_the_injection_and_teaches_nothing(store: Store):
    inject(store, "i1")
    assert settle(store, "i1", success=False, a="used")
    assert store.unsettled("s") is None
    assert store.unsettled("s", "i1") is None
    assert store.all_uses() == {}


def test_a_turn_without_a_name_belongs_to_the_sessions_last_injection(store: Store):
    inject(store, "i1")
    inject(store, "i2")
    assert waiting(store) == "i2"
    settle(store, "i2", a="used")
    assert waiting(store) == "", "an end that never came is neither a hit nor a miss"
    assert waiting(store, injection_id="i1") == "i1"
    assert waiting(store, injection_id="i2") == ""
    assert waiting(store, injection_id="unknown") == ""
    assert store.unsettled("other", "i1") is None


def test_a_late_turn_finds_its_injection_by_run(store: Store):
    inject(store, "i1", run="r1")
    inject(store, "i2", run="r2")
    assert waiting(store, run_id="r1") == "i1"
    settle(store, "i1", a="used")
    assert waiting(store, run_id="r1") == ""
    assert waiting(store, run_id="r2") == "i2"
    assert waiting(store, run_id="r3") == "", "a run that was given nothing"
    inject(store, "i3")
    assert waiting(store, run_id="r4") == "i3", "a host that names its turns only at their end"


def test_a_run_that_was_answered_twice_is_settled_once(store: Store):
    inject(store, "i1", run="r1")
    inject(store, "i2", run="r1")
    assert waiting(store, run_id="r1") == "i2"
    settle(store, "i2", a="used")
    assert waiting(store, run_id="r1") == ""


def test_what_the_host_gave_up_on_was_never_shown(store: Store):
    inject(store, "i1", run="r1")
    store.record_unshown("i1", at=AT)
    store.record_unshown("i1", at=AT)
    store.record_unshown("unknown", at=AT)
    assert waiting(store, run_id="r1") == ""
    assert not settle(store, "i1", a="used")
    assert [event.kind for event in store.events()] == ["injection", "unshown"]


def test_of_each_chunk_the_last_turns_are_remembered_with_what_was_asked(store: Store):
    for n in range(MOST_OCCASIONS + 3):
        inject(store, f"i{n}", prompt=f"Is it ferry number{n}?")
        assert settle(store, f"i{n}", at=AT + timedelta(hours=n), a="used", b="ignored")
    assert of(store, A).used == MOST_OCCASIONS + 3
    times = [AT + timedelta(hours=n) for n in range(3, MOST_OCCASIONS + 3)]
    asked = [about(terms(f"Is it ferry number{n}?")) for n in range(3, MOST_OCCASIONS + 3)]
    assert [(o.at, o.about) for o in of(store, A).occasions] == [
        (at.timestamp(), prompt) for at, prompt in zip(times, asked, strict=True)
    ]
    assert {o.kind for o in of(store, A).occasions} == {"used"}
    assert {o.kind for o in of(store, B).occasions} == {"ignored"}


def test_a_chunk_that_is_gone_by_the_end_of_the_turn_is_not_counted(store: Store):
    inject(store, "i1")
    store.replace_file(NOTE, chunks=[FERRY])
    assert settle(store, "i1", a="used", b="used")
    assert set(store.all_uses()) == {A}


def test_an_event_says_all_that_a_replay_needs(store: Store):
    inject(store, "i1", run="r1", prompt="and when does the ferry dock?")
    store.settle(
        at=AT, session_id="s", injection_id="i1", run_id="r1", kinds={A: "used"}, success=True, duration_ms=582.7
    )
    injection, turn = store.events()
    assert (injection.kind, injection.at, injection.session, injection.run, injection.injection) == (
        EventKind.INJECTION,
        AT,
        "s",
        "r1",
        "i1",
    )
    assert injection.data["memories"][0] == {
        "id": A,
        "source": "memory",
        "relevance": 0.8,
        "score": 0,
    }
    assert turn.data == {"success": True, "error": "", "ms": 583, "kinds": {A: "used"}, "about": ["dock", "ferri"]}
    assert [event.kind for event in store.events(EventKind.TURN)] == ["turn"]
    assert list(store.events(after=turn.number)) == []


def test_a_long_log_is_read_in_pages(store: Store):
    for n in range(25):
        inject(store, f"i{n}")
    assert len(events.read(store._reader.connection, most=10)) == 10
    assert [event.injection for event in store.events()] == [f"i{n}" for n in range(25)]


def test_of_a_huge_prompt_the_beginning_is_stored_and_no_secret(store: Store):
    inject(store, "i1", prompt="日" * 100_000)
    assert store.unsettled("s").prompt == "日" * MAX_PROMPT_CHARS  # type: ignore[union-attr]
    inject(store, "i2", prompt="half a \ud83d pair")
    assert store.unsettled("s").prompt == "half a ? pair"  # type: ignore[union-attr]
    inject(store, "i3", prompt="x" * (MAX_PROMPT_CHARS - 20) + " use sk-live-0123456789abcdefghij for it")
    assert "0123" not in store.unsettled("s").prompt  # type: ignore[union-attr]
    store.settle(
        at=AT, session_id="s", injection_id="i3", kinds={}, success=False, error="401 for sk-live-0123456789abcdefghij"
    )
    assert [event.data["error"] for event in store.events(EventKind.TURN)] == ["401 for [redacted]"]


# The next message


def test_the_next_message_can_turn_what_was_used_into_contradicted_once(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="ignored")
    for n in range(2):
        news = store.object_to("s", at=AT + timedelta(minutes=n + 1), judge=lambda turn: [A])
        assert news == ([A] if n == 0 else [])
    assert of(store, A)[:5] == (1, 0, 0, 1, 0)
    assert of(store, A).occasions == (Occasion(AT.timestamp(), "contradicted"),)
    inject(store, "i2")
    assert store.object_to("s", at=AT, judge=lambda turn: [A]) == [], "a turn that has not ended was not objected to"
    assert store.object_to("other", at=AT, judge=lambda turn: [A]) == []


def test_an_objection_to_a_note_that_was_away_in_between_counts_too(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="ignored")
    store.replace_file(NOTE, chunks=[BIKE])
    store.replace_file(NOTE, chunks=[FERRY, BIKE])
    assert store.object_to("s", at=AT, judge=lambda turn: [A, B]) == [A, B]
    assert [of(store, memory)[:5] for memory in (A, B)] == [(1, 0, 0, 1, 0)] * 2


# A person's word


def test_a_verdict_counts_once_more_than_a_turn_and_can_be_changed(store: Store):
    inject(store, "i1")
    assert store.add_verdict(True, at=AT, injection_id="i1") == [A, B]
    assert store.add_verdict(True, at=AT, injection_id="i1", ids=[A]) == []
    assert (of(store, A).good, of(store, A).hits) == (1, 3)
    assert store.add_verdict(False, at=AT + timedelta(days=3), injection_id="i1", ids=[A]) == [A]
    assert (of(store, A).good, of(store, A).bad) == (0, 1)
    assert (of(store, A).hits, of(store, A).misses) == (pytest.approx(0, abs=1e-9), 3)
    assert (of(store, B).good, of(store, B).hits) == (1, 3)


def test_answers_given_before_a_verdict_are_void(store: Store):
    inject(store, "i1")
    before = store.generation()
    store.add_verdict(False, at=AT, injection_id="i1")
    after = store.generation()
    assert after > before
    store.add_verdict(False, at=AT, injection_id="i1")
    assert store.generation() == after, "said twice it is no news"


def test_a_verdict_on_a_chunk_is_apart_from_those_on_its_showings_and_from_the_agents(store: Store):
    inject(store, "i1")
    assert store.add_verdict(True, at=AT, injection_id="i1", ids=[A]) == [A]
    assert store.add_verdict(True, at=AT, ids=[A]) == [A]
    assert [store.add_verdict(True, at=AT, ids=[A], by="agent") for _ in range(3)] == [[A], [], []]
    assert (of(store, A).good, of(store, A).hits) == (3, 3 + 3 + 1)


def test_a_verdict_on_what_is_not_there_says_so(store: Store):
    inject(store, "i1")
    other = chunk("never shown", "memory/b.md")
    store.replace_file("memory/b.md", chunks=[other])
    with pytest.raises(StoreError, match=r"no injection 'nope'.*history"):
        store.add_verdict(True, at=AT, injection_id="nope")
    with pytest.raises(StoreError, match=rf"no memory '{other.id}' in injection i1"):
        store.add_verdict(True, at=AT, injection_id="i1", ids=[other.id])
    with pytest.raises(StoreError, match="no memory 'zz' in the store"):
        store.add_verdict(True, at=AT, ids=["zz"])


def test_a_mark_is_set_changed_and_taken_away_and_answers_given_before_are_void(store: Store):
    before = store.generation()
    assert store.mark(A, "pin", at=AT)
    assert not store.mark(A, "pin", at=AT)
    assert store.generation() > before
    assert store.mark(B, "block", at=AT)
    assert store.marks() == {A: "pin", B: "block"}
    assert store.mark(A, "block", at=AT)
    assert store.mark(B, "", at=AT)
    assert store.marks() == {A: "block"}
    assert set(store.all_uses()) == {A}
    with pytest.raises(StoreError, match="'hide' is no mark"):
        store.mark(A, "hide", at=AT)
    with pytest.raises(StoreError, match="no memory 'ffff'"):
        store.mark("ffff", "pin", at=AT)


# Edits


def test_a_slight_edit_carries_over_what_is_known(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="ignored")
    store.mark(B, "pin", at=AT)
    before = store.all_uses()
    edited = chunk("ferry to Karlskrona on 15 March, cabin 4112")
    hub = chunk("the old bike needs a new hub")
    store.replace_file(NOTE, chunks=[hub, edited])
    assert store.all_uses() == before
    assert {chunk.id: chunk.memory for chunk in store.all_chunks()} == {hub.id: B, edited.id: A}


def test_another_text_starts_from_nothing_and_what_went_is_known_when_it_comes_back(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="used")
    vet = chunk("the cat was at the vet today")
    store.replace_file(NOTE, chunks=[FERRY, vet])
    assert of(store, vet.id) == Uses()
    store.forget_file(NOTE)
    assert store.heads([A, B]) == {}
    store.replace_file(NOTE, chunks=[FERRY])
    assert list(store.heads([A, B])) == [A]
    assert of(store, A).used == 1
    assert [event.kind for event in store.events()] == ["injection", "turn"]


def test_a_record_has_one_heir(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="used")
    twins = [chunk("ferry to Karlskrona on 14 March, cabin 4113"), chunk("ferry to Karlskrona on 14 March, cabin 4114")]
    store.replace_file(NOTE, chunks=[*twins, BIKE])
    assert sorted(uses.used for uses in store.all_uses().values()) == [1, 1]


def test_a_block_outlives_a_file_that_is_gone_for_a_while(store: Store):
    store.mark(A, "block", at=AT)
    store.forget_file(NOTE)
    store.replace_file(NOTE, chunks=[FERRY])
    assert of(store, A) == Uses(mark="block")


# Forgetting


def test_what_is_forgotten_leaves_no_trace_and_does_not_come_back(store: Store, tmp_path: Path):
    model, vector = "hash-1", b"\0\0\x80?"
    copy = chunk(FERRY.text, "memory/copy.md")
    other = f"{int(copy.id, 16) ^ 1:016x}"
    copy = replace(copy, id=other, memory=other)
    store.replace_file("memory/copy.md", chunks=[copy])
    store.add_embeddings(model, [(A, vector), (B, vector)])
    inject(store, "i1", prompt="when does the ferry leave?")
    settle(store, "i1", a="used", b="used")
    store.add_verdict(True, at=AT, injection_id="i1")
    store.mark(A, "pin", at=AT)
    before = store.generation()

    assert store.forget([A], at=AT) == {i: [i] for i in sorted([A, copy.id])}

    assert store.generation() > before
    assert [c.id for c in store.all_chunks()] == [B]
    assert store.changes_since(before).complete, "an index that only deletes a chunk keeps its words"
    assert store.embedded_count(model) == 1
    assert store.vectors_since(model, -1).ids == [B]
    assert set(store.all_uses()) == {B}
    assert store.marks() == {}
    told = "".join(str(event) for event in store.events())
    assert A not in told
    assert "ferr" not in told
    assert of(store, B).occasions == (Occasion(AT.timestamp(), "used"),), "what was asked may tell what is forgotten"
    assert store.replace_file(NOTE, chunks=[FERRY, BIKE]).added == 0
    if store.file:
        raw = b"".join(path.read_bytes() for path in store.file.parent.iterdir() if path.is_file())
        assert b"Karlskrona" not in raw
    changed = chunk("ferry to Karlskrona on 16 April, cabin 4112")
    assert store.replace_file(NOTE, chunks=[changed, BIKE]).added == 1


def test_what_was_asked_is_forgotten_with_a_chunk_that_was_gone_by_the_end_of_the_turn(store: Store):
    inject(store, "i1", prompt="when does the ferry leave?")
    store.replace_file(NOTE, chunks=[BIKE])
    settle(store, "i1", a="used", b="used")
    inject(store, "i2", prompt="what about the hub?")
    settle(store, "i2", b="used")
    store.forget([A], at=AT)
    assert "ferr" not in "".join(str(event) for event in store.events())
    assert sorted(len(o.about) for o in of(store, B).occasions) == [0, 0]


def test_what_an_edit_was_made_from_is_forgotten_with_it(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="used")
    edited = chunk("ferry to Karlskrona on 15 March, cabin 4112")
    store.replace_file(NOTE, chunks=[edited, BIKE])
    assert store.forget([A], at=AT) == {A: [A, edited.id]}
    assert set(store.all_uses()) == {B}
    assert A not in "".join(str(event) for event in store.events())


def test_an_objection_to_what_is_forgotten_is_forgotten_and_the_rest_of_it_stays(store: Store):
    inject(store, "i1")
    settle(store, "i1", a="used", b="used")
    assert store.object_to("s", at=AT, judge=lambda turn: [A, B]) == [A, B]
    store.forget([A], at=AT)
    assert (of(store, B).contradicted, of(store, B).used) == (1, 0)
    store.forget([B], at=AT)
    assert [event.kind for event in store.events()] == ["injection", "turn"]


def test_of_notes_that_repeat_a_text_on_other_days_one_can_be_forgotten(store: Store):
    first, second = (replace(made("paid the rent", id=str(n)), heading=f"2026-02-1{n}") for n in (1, 2))
    store.replace_file("memory/rent.md", chunks=[first, second])
    store.add_embeddings("hash-1", [(first.id, b"\0\0\x80?")])
    assert store.forget([first.id], at=AT) == {first.id: [first.id]}
    assert store.vectors_since("hash-1", -1).ids == [second.id], "they share a vector, for a bare date is not embedded"
    assert store.replace_file("memory/rent.md", chunks=[first, second]).kept == 1


def test_forgetting_what_is_not_there_does_no_harm(store: Store):
    inject(store, "i1")
    assert store.forget(["nonsense"], at=AT) == {}
    assert store.forget([], at=AT) == {}
    assert waiting(store) == "i1"
    assert [c.id for c in store.all_chunks()] == [A, B]


# The cache of tallies


def test_tallies_of_another_formula_are_made_anew(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        inject(store, "i1")
        settle(store, "i1", a="used", b="ignored")
        right = store.all_uses()
        with store._writing() as connection:
            connection.execute("UPDATE uses SET hits = 99")
        store.set_meta("uses", 0)
    with Store.open(tmp_path) as store:
        assert store.all_uses() == right


def test_a_recall_does_not_wait_until_the_tallies_are_made_anew(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        inject(store, "i1")
        settle(store, "i1", a="used")
        store.set_meta("uses", 0)
    with Store.open(tmp_path) as store:
        assert store.get_meta("uses") == tallies.VERSION, "that was done when the store opened"
        store.set_meta("uses", 0)
        assert of(store, A).used == 1
        assert store.get_meta("uses") == 0, "and asking for a few chunks reads no log"


def test_a_store_opens_when_the_tallies_cannot_be_made_anew_now_and_says_so(tmp_path: Path, caplog):
    with Store.open(tmp_path) as store:
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        inject(store, "i1")
        settle(store, "i1", a="used")
        store.set_meta("uses", 0)
    other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(tmp_path) as store:
        assert "as an earlier version left it" in caplog.text
        assert of(store, A).used == 1
        other.execute("ROLLBACK")
        other.close()
        assert store.all_uses() == {A: of(store, A)}
        assert store.get_meta("uses") == tallies.VERSION


# Haste


@pytest.mark.timeout(60)
def test_a_turn_does_not_wait_for_another_process_as_other_writers_do(tmp_path: Path):
    with Store.open(tmp_path, busy_seconds=600) as store:
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        inject(store, "i1")
        other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process holds it"):
            inject(store, "i2")
        with pytest.raises(StoreError, match="another process holds it"):
            store.settle(at=AT, session_id="s", injection_id="i1", kinds={A: "used"}, busy_seconds=0.05)
        other.execute("ROLLBACK")
        other.close()
        assert waiting(store) == "i1"
        settle(store, "i1", a="used")
        assert of(store, A).used == 1


def test_an_event_waits_for_a_thread_and_a_process_together_no_longer_than_for_one(tmp_path: Path):
    """What it waited for the thread is taken off what SQLite may wait for the process."""
    with Store.open(tmp_path) as store, ThreadPoolExecutor(1) as pool:
        with store._noting.lock:
            event = pool.submit(
                store.record_injection,
                at=AT,
                session_id="s",
                injection_id="i",
                prompt="",
                shown=[],
                busy_seconds=600.0,
            )
            with pytest.raises(TimeoutError):
                event.result(timeout=0.1)
        event.result(timeout=60)
        ((left,),) = store._noting.connection.execute("PRAGMA busy_timeout")
        assert 0 < left <= 599_900


def test_a_turn_does_not_wait_long_for_another_thread_that_writes(tmp_path: Path):
    with Store.open(tmp_path) as store, store._writing():
        failures: list[StoreError] = []

        def turns() -> None:
            try:
                inject(store, "i1")
            except StoreError as error:
                failures.append(error)

        threads = [threading.Thread(target=turns) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=4)
            assert not thread.is_alive()
        assert len(failures) == 3


def test_two_threads_that_settle_the_same_turn_count_it_once(tmp_path: Path):
    with Store.open(tmp_path) as store:
        store.replace_file(NOTE, chunks=[FERRY, BIKE])
        inject(store, "i1")
        done: list[bool] = []
        threads = [threading.Thread(target=lambda: done.append(settle(store, "i1", a="used"))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=10)
        assert sorted(done) == [False] * 5 + [True]
        assert of(store, A).used == 1
