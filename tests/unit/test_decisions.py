"""The decision log: what is kept of every prompt, what is not, and that no prompt waits for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zstandard

from hookclaw_py.errors import StoreError
from hookclaw_py.insight import what_if
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Effect, Entity, Fault, Injection, Outcome, Period, Prompt, Query, Step
from hookclaw_py.observe.decision_log import DecisionLog
from hookclaw_py.store import sql
from hookclaw_py.store.database import Store
from hookclaw_py.store.decisions import MAX_PROMPT_CHARS, REJECTED, find, with_texts
from tests.conftest import candidate, chunk

AT = datetime(2026, 2, 9, 12, tzinfo=UTC)
KEY = "sk-live-abcdefgh12345678"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "main") as opened:
        yield opened


@pytest.fixture
def log(store: Store) -> Iterator[DecisionLog]:
    opened = DecisionLog(store)
    yield opened
    opened.close()


def prompt(text: str = "when is the launch?", **fields) -> Prompt:
    return Prompt(text, fields.pop("at", AT), agent_id="main", **fields, audience=Audience.OWNER)


def injection(name: str = "a" * 16, **fields) -> Injection:
    why = Why(Reason.OTHER, fields.pop("reason", "nothing found"))
    return Injection(name, fields.pop("outcome", Outcome.SILENT), fields.pop("why", why), **fields)


def add(log: DecisionLog, asked: Prompt, given: Injection, *, ms: float = 5.0, as_of: bool = False) -> None:
    log.add(asked, given, ms=ms, as_of=as_of, fingerprint="f" * 16)


def whole_story() -> Injection:
    steps = (Step("bm25", 3.25, "rank 1", Effect.RANKED, rank=1), Step("relevance", 0.8, "covers 60% of the prompt"))
    shown = candidate("the launch is in May", 0.7, 0.8, lines=(3, 4), heading="Plans", created_at=AT)
    near = candidate("the lunch is at noon", 0.3, 0.4)
    return injection(
        outcome=Outcome.INJECTED,
        why=Why(Reason.RELEVANT, "0.800", remarks=("only what is shared was searched",)),
        text="<relevant_memories>\nthe launch is in May\n</relevant_memories>\n",
        candidates=(shown.noted(*steps),),
        rejected=(near.noted(Step("duplicates", 0.4, "near-duplicate of a.md", Effect.DUPLICATE, "b" * 16)),),
        query=Query(
            "when is the launch?",
            AT,
            terms=("launch",),
            entities=(Entity("quoted", "launch"),),
            period=Period(AT, AT + timedelta(days=1), "today"),
        ),
        faults=(Fault("vector", "no answer before the deadline"),),
        timings=(("gate", 0.1), ("bm25", 1.25)),
        cached="fuzzy",
    )


def told(one: Injection) -> list:
    """Return what a person is told of the candidates."""
    pool = [*one.candidates, *one.rejected]
    return [
        (c.chunk.id, c.chunk.place, c.chunk.heading, c.chunk.created_at, c.relevance, c.score, c.history) for c in pool
    ]


def test_the_whole_story_of_a_decision_is_there_afterwards(log: DecisionLog, store: Store):
    then = whole_story()
    add(log, prompt(session_id="s", run_id="r", trigger="cron"), then, ms=7.5, as_of=True)
    log.flush()
    found = find(store, then.id)
    assert told(found.injection) == told(then)
    for name in ("id", "outcome", "why", "reason", "text", "query", "faults", "timings", "cached"):
        assert getattr(found.injection, name) == getattr(then, name), name
    glance = found.glance
    assert (glance.session, glance.run, glance.ms, glance.relevance) == ("s", "r", 7.5, 0.8)
    assert glance.shown == (then.candidates[0].chunk.id,)
    assert (found.trigger, found.as_of, found.fingerprint, found.beyond) == ("cron", True, "f" * 16, 0)
    assert store.decisions() == [glance]


def test_a_decision_takes_no_more_room_than_what_people_are_shown_of_it_needs(log: DecisionLog, store: Store):
    """All digits of what each step came to would be a fifth of it, and 2,000 decisions are more than 1,000 passages."""
    given = [candidate(f"note {n}", 1 / (n + 3), 1 / (n + 7)).noted(Step("late", 1 / (n + 11))) for n in range(20)]
    then = injection(rejected=tuple(given))
    add(log, prompt(), then)
    log.flush()
    kept = find(store, then.id).injection.rejected
    assert [one.history[0].value for one in kept[:3]] == [0.090909, 0.083333, 0.076923]
    assert [(one.score, one.relevance) for one in kept] == [(one.score, one.relevance) for one in given]


def test_a_story_from_before_there_were_kinds_and_effects_is_told_in_its_words(log: DecisionLog, store: Store):
    then = whole_story()
    add(log, prompt(), then)
    log.flush()
    with sqlite3.connect(store.file or "") as connection:
        (packed,) = connection.execute("SELECT story FROM decisions").fetchone()
        story = json.loads(zstandard.decompress(packed))
        del story["why"]
        for one in (*story["candidates"], *story["rejected"]):
            one["history"] = [step[:3] for step in one["history"]]
        connection.execute("UPDATE decisions SET story = ?", (zstandard.compress(json.dumps(story).encode()),))
    found = find(store, then.id).injection
    assert (found.reason, found.why.kind) == (then.reason, Reason.OTHER)
    assert [step.note for step in found.candidates[0].history] == ["rank 1", "covers 60% of the prompt"]


def test_what_the_conversation_held_then_counts_as_shown_when_it_is_asked_again(log: DecisionLog, store: Store):
    said = candidate("the launch is in May").noted(Step("conversation", 0.4, "put otherwise", Effect.IN_SYSTEM_PROMPT))
    weak = candidate("the lunch is at noon").noted(Step("abstain", 0.4, "said already", Effect.IRRELEVANT))
    add(log, prompt(), injection(rejected=(said, weak)))
    log.flush()
    assert what_if._prompt(find(store, "a"), "main").shown == {said.chunk.id}


def test_texts_come_back_from_the_store_as_long_as_they_are_there(log: DecisionLog, store: Store):
    known = chunk("the launch is in May")
    store.replace_file(known.place.path, chunks=[known])
    add(log, prompt(), whole_story())
    log.flush()
    texts = [c.chunk.text for c in with_texts(find(store, "a").injection, store).candidates]
    assert texts == ["the launch is in May"]
    store.forget_file(known.place.path)
    assert with_texts(find(store, "a").injection, store).candidates[0].chunk.text == ""


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_is_kept(log: DecisionLog, store: Store, outcome: Outcome):
    add(log, prompt("hi"), injection(outcome=outcome, reason="why"))
    log.flush()
    assert [(g.outcome, g.reason, g.prompt) for g in store.decisions()] == [(outcome, "why", "hi")]


def test_of_many_candidates_the_best_are_kept_and_the_rest_are_counted(log: DecisionLog, store: Store):
    many = tuple(candidate(f"note {n}", 1 - n / 100) for n in range(REJECTED + 7))
    add(log, prompt(), injection(rejected=many))
    log.flush()
    found = find(store, "a")
    assert [c.chunk.id for c in found.injection.rejected] == [c.chunk.id for c in many[:REJECTED]]
    assert found.beyond == 7


def everything(store: Store) -> str:
    with sqlite3.connect(store.file or "") as connection:
        rows = connection.execute("SELECT * FROM decisions").fetchall()
    return repr([[zstandard.decompress(v) if isinstance(v, bytes) else v for v in row] for row in rows])


def test_no_secret_of_a_prompt_is_written_anywhere(log: DecisionLog, store: Store):
    asked = f"why does {KEY} fail, and what was password=hunter2222?"
    query = Query(asked, AT, terms=("hunter2222", "fail"), entities=(Entity("identifier", KEY), Entity("word", "fail")))
    found = candidate("a note").noted(Step("entity", 1.0, f"names {KEY}"), Step("terms", 1.0, "has hunter2222"))
    add(
        log,
        prompt(asked),
        injection(query=query, rejected=(found,), reason=f"no {KEY}", faults=(Fault("vector", f"401 for {KEY}"),)),
    )
    log.flush()
    written = everything(store)
    assert KEY not in written
    assert "hunter2222" not in written
    kept = find(store, "a").injection.query
    assert kept is not None
    assert kept.text == "why does [redacted] fail, and what was password=[redacted]"
    assert (kept.terms, kept.entities) == (("fail",), (Entity("word", "fail"),))


def test_what_a_follow_up_took_from_the_turn_before_is_kept_without_its_secrets(log: DecisionLog, store: Store):
    query = Query("and until when?", AT, ("key", KEY), context=f"what is the key {KEY} for", carried=("key", KEY))
    add(log, prompt("and until when?"), injection("a" * 16, query=query))
    log.flush()
    kept = find(store, "a").injection.query
    assert kept is not None
    assert (kept.context, kept.terms) == ("what is the key [redacted] for", ("key",))
    assert KEY not in everything(store)


def test_of_a_huge_prompt_the_beginning_is_kept_and_half_a_character_does_no_harm(log: DecisionLog, store: Store):
    add(log, prompt("日" * 100_000), injection("a" * 16))
    add(log, prompt("half a \ud83d pair", session_id="\ud83d"), injection("b" * 16, query=Query("half \ud83d", AT)))
    log.flush()
    half, huge = store.decisions()
    assert huge.prompt == "日" * MAX_PROMPT_CHARS
    assert half.prompt == "half a ? pair"
    assert log.lost == 0


def test_the_newest_stay(store: Store):
    log = DecisionLog(store, kept=3)
    for n in range(8):
        add(log, prompt(f"prompt {n}"), injection(f"{n:016x}"))
        if n % 3 == 0:
            log.flush()
    log.flush()
    assert [g.prompt for g in store.decisions()] == ["prompt 7", "prompt 6", "prompt 5"]
    log.close()


def test_they_are_listed_newest_first_by_session_outcome_and_time(log: DecisionLog, store: Store):
    for n, (session, outcome) in enumerate([("s", Outcome.SILENT), ("t", Outcome.SILENT), ("s", Outcome.INJECTED)]):
        add(
            log,
            prompt(f"p{n}", session_id=session, at=AT + timedelta(hours=n)),
            injection(f"{n:016x}", outcome=outcome),
        )
    log.flush()

    def listed(**which) -> list[str]:
        return [g.prompt for g in store.decisions(**which)]

    assert listed() == ["p2", "p1", "p0"]
    assert listed(limit=1) == ["p2"]
    assert listed(session="s") == ["p2", "p0"]
    assert listed(outcome="silent") == ["p1", "p0"]
    assert listed(since=AT + timedelta(hours=1)) == ["p2", "p1"]


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(log: DecisionLog, store: Store):
    for name in ("abc1" + "0" * 12, "abc2" + "0" * 12):
        add(log, prompt(name), injection(name))
    log.flush()
    assert find(store, "ABC1").glance.prompt.startswith("abc1")
    for wrong, message in (("abc", "give more"), ("f", "no decision 'f'"), ("", "no decision"), ("%", "no decision")):
        with pytest.raises(StoreError, match=message):
            find(store, wrong)


@pytest.mark.timeout(60)  # whoever waits for the other writer 20 times needs 100 seconds
def test_a_prompt_does_not_wait_for_the_log_while_another_process_writes(log: DecisionLog, store: Store):
    other = sqlite3.connect(store.file or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for n in range(20):
        add(log, prompt(), injection(f"{n:016x}"))
    log.flush(timeout=0.05)
    assert store.decisions() == []
    other.execute("ROLLBACK")
    other.close()
    log.flush()
    assert len(store.decisions()) == 20


def test_what_cannot_be_written_is_counted_and_told_and_breaks_nothing(store: Store, caplog: pytest.LogCaptureFixture):
    log = DecisionLog(store, waiting=2)
    with store._writing() as connection:
        connection.execute("DROP TABLE decisions")
    for n in range(5):
        add(log, prompt(), injection(f"{n:016x}"))
    log.flush()
    assert log.lost == 3
    log.close()
    assert log.lost == 5
    assert "stage history failed" in caplog.text


def test_what_cannot_be_written_now_is_written_with_the_next_decision(log: DecisionLog, store: Store):
    with store._writing() as connection:
        connection.execute("ALTER TABLE decisions RENAME TO elsewhere")
    for n in range(3):
        add(log, prompt(), injection(f"{n:016x}"))
    log.flush()
    with store._writing() as connection:
        connection.execute("ALTER TABLE elsewhere RENAME TO decisions")
    add(log, prompt(), injection("f" * 16))
    log.flush()
    assert ([g.id[-1] for g in store.decisions()], log.lost) == (["f", "2", "1", "0"], 0)


def test_a_prompt_asked_while_the_interpreter_ends_is_answered(log: DecisionLog):
    log._worker.close(0)
    add(log, prompt(), injection())
    assert log.lost == 1
    log.close()


def test_one_story_that_cannot_be_told_does_not_take_the_others_with_it(log: DecisionLog, store: Store):
    odd = injection("b" * 16, timings=(("gate", "long"),))  # type: ignore[arg-type]
    for one in (injection("a" * 16), odd, injection("c" * 16)):
        add(log, prompt(), one)
    log.flush()
    assert [g.id[0] for g in store.decisions()] == ["c", "a"]
    assert log.lost == 1


def test_a_log_that_is_closed_has_written_everything_and_adds_nothing(store: Store):
    log = DecisionLog(store)
    add(log, prompt(), injection())
    log.close()
    assert len(store.decisions()) == 1
    add(log, prompt(), injection("b" * 16))
    log.flush()
    assert (len(store.decisions()), log.lost) == (1, 1)


def test_a_decision_that_is_told_again_is_there_once(log: DecisionLog, store: Store):
    add(log, prompt(), injection(reason="first"))
    log.flush()
    add(log, prompt(), injection(reason="second"))
    log.flush()
    assert [g.reason for g in store.decisions()] == ["second"]


def test_forgetting_a_chunk_takes_it_out_of_every_story(log: DecisionLog, store: Store):
    secret, other = chunk("the safe opens with 4711"), chunk("the cat is called Minka")
    store.replace_file(secret.place.path, chunks=[secret, other])
    shown, beside = candidate(secret.text, 0.9, 0.9), candidate(other.text, 0.8, 0.8)
    both = injection(
        "a" * 16, outcome=Outcome.INJECTED, text=f"{secret.text}\n{other.text}", candidates=(shown, beside)
    )
    add(log, prompt("how does the safe open?"), replace(both, query=Query("how does the safe open?", AT)))
    add(log, prompt("what was near?"), injection("b" * 16, rejected=(shown, beside)))
    add(log, prompt("the cat?"), injection("c" * 16, outcome=Outcome.INJECTED, text=other.text, candidates=(beside,)))
    log.flush()
    assert list(store.forget([secret.id], at=AT)) == [secret.id]
    written = everything(store)
    assert secret.id not in written
    assert "4711" not in written
    assert "how does the safe open" not in written
    cat, near, called = store.decisions()
    assert called.shown == (other.id,)
    assert near.prompt == "what was near?"
    assert find(store, "c").injection.text == other.text
    assert [c.chunk.place.path for c in find(store, "b").injection.rejected] == ["(forgotten)", other.place.path]
    assert cat.shown == (other.id,)


def test_a_story_that_was_not_written_yet_is_forgotten_too(log: DecisionLog, store: Store):
    secret = chunk("the safe opens with 4711")
    store.replace_file(secret.place.path, chunks=[secret])
    shown = candidate(secret.text, 0.9, 0.9)
    store.forget([secret.id], at=AT)
    add(log, prompt("how does it open?"), injection(outcome=Outcome.INJECTED, text=secret.text, candidates=(shown,)))
    log.flush()
    assert store.decisions()[0].shown == ()
    assert "4711" not in everything(store)
    assert secret.id not in everything(store)


def test_forgetting_leaves_the_stories_of_others_byte_for_byte(log: DecisionLog, store: Store):
    add(log, prompt(), whole_story())
    log.flush()
    before = everything(store)
    with store._writing() as connection:
        assert sql.decisions.purge(connection, ["0" * 16]) == 0
    assert everything(store) == before
