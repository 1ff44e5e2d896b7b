"""The main job with the real model: notes in, prompt in, the right block out, or silence with a reason."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.build import STAGES
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.errors import IndexingError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Prompt
from hookclaw_py.trace import Trace
from tests.calls import calls
from tests.conftest import write_notes
from tests.waiting import delete

AT = datetime.fromisoformat("2026-02-20T10:00:00+01:00")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with Engine.open(Config(timezone="Europe/Berlin"), folder=tmp_path_factory.mktemp("store"), strict=True) as engine:
        engine.index(SOURCE)
        yield engine


def paths(injection):
    return [c.chunk.place.path for c in injection.candidates]


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("What did we decide about the logging format?", "one JSON object a line"),
        ("The build fails with NETSDK1005 again, what was the fix?", "project.assets.json"),
        ("Reset tokens: how did we decide to store them?", "SHA-256"),
        ("客户门户什么时候发布?", "三月二日"),
        ("Wohin gehen die Rechnungen von Frau Brandt ab März?", "Lübeck"),
        ("When can I get an appointment at my dentist?", "Dr. Okafor"),
        ("how long do we keep the logs in Gdynia now?", "14 days"),
        ("Which ferry cabin did I book to Karlskrona?", "4112"),
        ("Hi there, thanks! And what does the team plan cost per seat?", "12 euros"),
    ],
)
def test_a_prompt_gets_the_note_that_answers_it(engine, prompt, answer):
    injection = engine.recall(prompt, at=AT)
    assert injection.outcome is Outcome.INJECTED
    assert answer in injection.text


def test_a_prompt_is_unwrapped_once(engine):
    asked = Prompt("what did we decide about the retries of the limiter?", AT, agent_id="main")
    with calls() as counted:
        engine.pipeline.recall(asked, Trace(timeout_ms=60_000, strict=True))
    assert counted["unwrap"] == 1


def test_what_another_host_wraps_around_a_prompt_goes_wherever_one_comes_in(engine, monkeypatch):
    def unwrap(said):
        return said.removeprefix("~~ ana ~~ ")

    def automatic(said, trigger, *, unwrapped=None):
        return Why(Reason.CRON) if (unwrapped or said).startswith("tick") else None

    asked = "When can I get an appointment at my dentist?"
    monkeypatch.setattr(engine.pipeline, "stages", replace(STAGES, envelope=unwrap, automatic=automatic))
    wrapped = Prompt(f"~~ ana ~~ {asked}", AT, agent_id="main", audience=Audience.OWNER)
    assert engine.recall(wrapped).query.text == asked
    assert engine.rank(wrapped, pool_size=20)[0].chunk == engine.recall(asked, at=AT).candidates[0].chunk
    assert engine.recall("~~ ana ~~ tick: the dentist's reminder").why == Why(Reason.CRON)
    assert engine.recall("[cron:4 backup] tell me about the dentist").why != Why(Reason.CRON), "is not this host's"


def test_an_exact_identifier_is_found_although_no_embedding_knows_it(engine):
    """Mend 2: keyword hits could only boost vector hits, never add a chunk."""
    injection = engine.recall("anything known of fix/limiter-retries?", at=AT)
    assert paths(injection)[0] == "memory/2026-02-18.md"
    assert "bm25" in {step.stage for step in injection.candidates[0].history}


def test_the_rank_that_each_retriever_gave_follows_its_scores(engine):
    injection = engine.recall("What did we decide about the logging format?", at=AT)
    everyone = [*injection.candidates, *injection.rejected]
    for stage in ("bm25", "vector", "late"):
        votes = [(step, c.chunk.id) for c in everyone for step in c.history if step.stage == stage]
        votes.sort(key=lambda vote: vote[0].rank)
        assert len(votes) > 2
        assert [(-step.value, i) for step, i in votes] == sorted((-step.value, i) for step, i in votes)


def test_what_only_keywords_found_is_compared_by_meaning_all_the_same(tmp_path):
    keywords_first = Config(timezone="Europe/Berlin", convexWeights={"bm25": 1.0, "vector": 0.1, "late": 0.1})
    with Engine.open(keywords_first, folder=tmp_path, strict=True) as engine:
        engine.index(SOURCE)
        prompt = Prompt("how long do we keep the logs in Gdynia now?", AT, agent_id="main", audience=Audience.OWNER)
        votes = {step.stage: step.rank for step in engine.rank(prompt, pool_size=1)[0].history}
    assert (votes["bm25"], votes["vector"]) == (1, 2)


def test_a_period_brings_the_notes_of_that_day(engine):
    """Mend 3: enrichment was computed and thrown away."""
    injection = engine.recall("What did I leave unfinished on Wednesday?", at=AT)
    assert paths(injection) == ["memory/2026-02-18.md"]
    assert any("from that time" in step.note for step in injection.candidates[0].history)


def test_asking_for_a_day_and_nothing_else_gives_that_day(engine):
    """Mend 3, mend 4: a period is a reason of its own."""
    injection = engine.recall("what did we do on February 10th?", at=AT)
    assert set(paths(injection)) == {"memory/2026-02-10.md"}


@pytest.mark.parametrize(
    "prompt",
    [
        "What happened on February 10th?",
        "what was done on feb 10?",
        "What did we discuss on Tuesday, 10 February?",
        "Show me my notes from 2026-02-10",
        "Was haben wir am 10. Februar gemacht?",
    ],
)
def test_the_words_with_which_one_asks_need_not_be_covered(engine, prompt):
    """Mend 3: a prompt about a day is answered by that day however it asks."""
    assert set(paths(engine.recall(prompt, at=AT))) == {"memory/2026-02-10.md"}


def test_a_period_brings_in_what_neither_retriever_finds(tmp_path):
    """Mend 3: the notes of that day are in the pool although hundreds fit the words better."""
    (tmp_path / "memory").mkdir()
    for n in range(120):
        (tmp_path / f"memory/2025-{n % 12 + 1:02}-{n % 28 + 1:02}-{n}.md").write_text(
            f"We did discuss things of project {n} that day.\n"
        )
    (tmp_path / "memory/2026-02-10.md").write_text("Kormoran repaired.\n")
    with Engine.in_memory(Config(poolSize=5)) as engine:
        engine.index(tmp_path)
        assert "Kormoran" in engine.recall("what did we discuss on February 10th?", at=AT).text


def test_a_date_written_in_a_note_is_found_by_that_date(tmp_path):
    (tmp_path / "MEMORY.md").write_text(
        "- On 12 April we fly to Lisbon with TAP 565.\n\n## Office\n\nMayfair office closes in May.\n"
    )
    with Engine.in_memory(Config()) as engine:
        engine.index(tmp_path)
        assert "TAP 565" in engine.recall("What are we doing on 12 April?", at=AT).text
        query = engine.recall("What happened in May in Mayfair office?", at=AT).query
        assert query is not None
        assert "mayfair" in query.topic
        assert "may" not in query.topic


@pytest.mark.parametrize(
    "prompt",
    [
        "What is the capital of Mongolia?",
        "Which hotel did we book in Lisbon for the conference?",
        "Explain how photosynthesis works to a ten year old.",
        "How do I center a div with flexbox, in general?",
        "What is the best way to learn the guitar at my age?",
    ],
)
def test_a_prompt_that_no_note_answers_gets_silence_and_a_reason(engine, prompt):
    injection = engine.recall(prompt, at=AT)
    assert (injection.outcome, injection.text) == (Outcome.SILENT, "")
    assert "below 0.5" in injection.reason
    assert injection.rejected, "explain must show what was considered"


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("ok", "prompt too short (2 chars)"),
        ("Write a poem about the sea", "matches skip pattern"),
        ("[cron:42 nightly] Summarise the day", "cron"),
    ],
)
def test_a_prompt_that_needs_no_memory_is_skipped_without_a_search(engine, prompt, reason):
    injection = engine.recall(prompt, at=AT)
    assert injection.outcome is Outcome.SKIPPED
    assert reason in injection.reason
    assert "bm25" not in dict(injection.timings)


def test_an_envelope_changes_nothing(engine):
    """Mend 16: channel envelopes polluted gates and embeddings."""
    plain = engine.recall("What did we decide about the logging format?", at=AT)
    wrapped = (
        'Conversation info (untrusted metadata):\n```json\n{"message_id": "77", "sender": "Ada"}\n```\n\n'
        "[Telegram Ada id:123 +2m 2026-02-20 10:00 UTC] What did we decide about the logging format?\n[message_id: 77]"
    )
    assert engine.recall(wrapped, at=AT).text == plain.text
    assert engine.recall(f"{plain.text}\n\nWhat did we decide about the logging format?", at=AT).text == plain.text


def test_the_block_is_the_same_bytes_every_time_and_the_id_is_not(engine):
    first = engine.recall("how are reset tokens stored, please?", at=AT, session="one")
    second = engine.recall("how are reset tokens stored, please?", at=AT, session="two")
    assert (first.text, first.cached) == (second.text, second.cached)
    assert first.id != second.id


def test_the_budget_and_the_number_of_results_hold(tmp_path):
    with Engine.open(Config(maxContextChars=500, maxResults=1), folder=tmp_path) as engine:
        engine.index(SOURCE)
        injection = engine.recall("What did we decide about the logging format?", at=AT)
        assert 0 < len(injection.text) <= 500
        assert len(injection.candidates) == 1


def test_every_candidate_carries_its_history_injected_or_rejected(engine):
    injection = engine.recall("What did we decide about the logging format?", at=AT, session="history")
    for candidate in (*injection.candidates, *injection.rejected):
        stages = {step.stage for step in candidate.history}
        assert {"fusion", "relevance", "rank"} <= stages
        assert stages & {"bm25", "vector"}
    assert all(c.history[-1].stage in {"abstain", "duplicates", "limit", "render"} for c in injection.rejected)


def test_dates_after_the_moment_of_asking_stay_out_when_asked_as_of(engine):
    then = datetime.fromisoformat("2026-02-10T10:00:00+01:00")
    injection = engine.recall("how long do we keep the logs in Gdynia now?", at=then, as_of=True)
    assert all(
        c.chunk.created_at is None or c.chunk.created_at.day <= 10 for c in (*injection.candidates, *injection.rejected)
    )


def test_what_is_dated_by_days_to_come_is_known_before_them_when_asked_as_of(tmp_path):
    now = datetime.now(UTC)
    for name, days in {"Congress": 200, "Diary": -2}.items():
        day = now + timedelta(days=days)
        (tmp_path / f"{name}.md").write_text(f"# {name} {day:%Y-%m-%d}\n\nThe {name} costs {abs(days)} francs.\n")
    with Engine.in_memory() as engine:
        engine.index(tmp_path)
        then = now - timedelta(days=9)
        assert "200 francs" in engine.recall("what does the congress cost?", at=then, as_of=True).text
        assert "francs" not in engine.recall("what does the diary cost?", at=then, as_of=True).text


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "notes/memory").mkdir(parents=True)
    (tmp_path / "notes/memory/2026-02-09.md").write_text("## Keys\n\nThe staging key of the portal is ALPHA-7.\n")
    return tmp_path / "notes"


QUESTION = "what is the staging key of the portal?"


def test_an_edit_is_seen_by_the_next_prompt_although_the_old_answer_was_cached(workspace):
    """Mend 7: the cache survived a changed memory file."""
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        assert "ALPHA-7" in engine.recall(QUESTION).text
        assert engine.recall(QUESTION).cached == "exact"
        (workspace / "memory/2026-02-09.md").write_text("## Keys\n\nThe staging key of the portal is BRAVO-9.\n")
        report = engine.index()
        assert (report.changed, report.added, report.removed) == (1, 1, 1)
        injection = engine.recall(QUESTION)
        assert "BRAVO-9" in injection.text
        assert "ALPHA-7" not in injection.text
        assert injection.cached == ""


def test_sessions_do_not_share_answers(workspace):
    """Mend 7: the cache was shared by all agents, sessions and configurations."""
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        engine.recall(QUESTION, session="one")
        assert engine.recall(QUESTION, session="two").cached == ""
        assert engine.recall(QUESTION, session="one").cached == "exact"
        assert engine.recall("please, " + QUESTION, session="one").cached == "fuzzy"


def test_who_asks_on_purpose_and_a_prompt_do_not_share_answers(workspace):
    """Mend 7: one is told three at most, the other up to twenty."""
    asked = Prompt(QUESTION, AT, agent_id="main", audience=Audience.OWNER)
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        assert engine.recall(asked).text
        assert engine.consulting.recall(asked).cached == ""
        assert engine.recall(asked).cached == "exact"


def test_two_agents_never_see_each_others_notes(workspace, tmp_path):
    """Mend 7; DESIGN: isolation fails closed."""
    with Engine.open(Config(), agent="ada", strict=True) as ada, Engine.open(Config(), agent="bob", strict=True) as bob:
        ada.index(workspace)
        assert "ALPHA-7" in ada.recall(QUESTION).text
        assert bob.recall(QUESTION).text == ""


def test_a_restart_answers_the_same_without_embedding_anything_again(workspace):
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        before = engine.recall(QUESTION).text
    with Engine.open(Config(), strict=True) as engine:
        assert engine.recall(QUESTION).text == before
        assert engine.index().unchanged == 1


@pytest.mark.parametrize("lost", ["lexical", "everything derived"])
def test_derived_files_can_be_deleted_and_come_back(workspace, tmp_path, lost):
    """DESIGN: SQLite is the truth, indexes are derived."""
    folder = tmp_path / "store"
    with Engine.open(Config(), folder=folder, strict=True) as engine:
        engine.index(workspace)
    delete(folder / "lexical")
    if lost == "everything derived":
        delete(Path(os.environ["HOOKCLAW_HOME"]) / "cache")
    with Engine.open(Config(), folder=folder, strict=True) as engine:
        assert "ALPHA-7" in engine.recall(QUESTION).text
        steps = {step.stage for step in engine.recall(QUESTION, session="s").candidates[0].history}
        assert {"bm25", "vector"} <= steps


def test_another_process_that_indexes_is_noticed(workspace):
    with Engine.open(Config(), strict=True) as reader, Engine.open(Config(), strict=True) as writer:
        assert reader.recall(QUESTION).text == ""
        writer.index(workspace)
        assert "ALPHA-7" in reader.recall(QUESTION).text


def test_keywords_answer_while_embeddings_are_still_being_made(workspace):
    with Engine.open(Config(), strict=True) as engine:
        answers = []

        def look(what, done, total):
            if what == "embedding":
                answers.append(engine.recall("anything about ALPHA-7 here?").text)

        engine.index(workspace, progress=look)
        assert "ALPHA-7" in answers[0]


def test_without_vectors_or_without_keywords_it_still_answers(workspace, tmp_path):
    for number, switches in enumerate(
        [{"enableVector": False}, {"enableBm25": False}, {"lexicalBackend": "rank-bm25"}, {"enableRrf": True}]
    ):
        with Engine.open(Config(**switches), folder=tmp_path / str(number), strict=True) as engine:
            engine.index(workspace)
            assert "ALPHA-7" in engine.recall(QUESTION).text, switches


def test_an_engine_in_memory_leaves_no_files(workspace):
    with Engine.in_memory(Config()) as engine:
        engine.index(workspace)
        assert "ALPHA-7" in engine.recall(QUESTION).text
        assert engine.status().folder == ""


def test_a_store_belongs_to_one_workspace(workspace, tmp_path):
    with Engine.open(Config(), strict=True) as engine:
        with pytest.raises(IndexingError, match="hookclaw index FOLDER"):
            engine.index()
        engine.index(workspace)
        with pytest.raises(IndexingError, match="keep the new ones in another agent's store"):
            engine.index(tmp_path)
        assert engine.status().problems == ()


def test_what_was_used_is_remembered_and_raises_the_chunk(workspace):
    """Mend 11: nothing recorded an injection, and utility never reached the ranking."""
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        for _ in range(3):
            shown = engine.recall(QUESTION, session="s").candidates[0].chunk.id
            assert engine.agent_end("s", "Use ALPHA-7, as noted.") == {shown: "used"}
        assert engine.agent_end("s", "Use ALPHA-7, as noted.") == {}
        candidate = engine.recall(QUESTION, session="other").candidates[0]
        assert [s.note for s in candidate.history if s.stage == "utility"] == ["used 3 of 3 times"]


def test_a_failed_turn_or_a_session_without_injection_teaches_nothing(workspace):
    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        engine.recall(QUESTION, session="s")
        assert engine.agent_end("s", "ALPHA-7", success=False) == {}
        assert engine.agent_end("s", "ALPHA-7") == {}, "a failed turn is not blamed on the next one"
        assert engine.agent_end("nobody", "ALPHA-7") == {}


def test_an_older_note_that_answers_equally_well_comes_second(tmp_path):
    """keep: decay, wired into the ranking."""
    (tmp_path / "memory").mkdir()
    for day in ("2025-06-01", "2026-02-19"):
        (tmp_path / f"memory/{day}.md").write_text(f"The boat insurance number is {day[:4]}-77.\n")
    with Engine.in_memory(Config(enableVector=False, enableMmr=False, duplicateThreshold=1.0)) as engine:
        engine.index(tmp_path)
        first, second = engine.recall("what is the boat insurance number?", at=AT).candidates
        assert (first.chunk.place.path, second.chunk.place.path) == ("memory/2026-02-19.md", "memory/2025-06-01.md")
        assert 0.85 < second.score / first.score < 1
        assert any(step.stage == "decay" for step in second.history)


def test_yesterday_asked_again_after_midnight_is_another_day(engine):
    """Mend 7: the day is part of what must be equal."""
    prompt = "what did we do yesterday, please tell me?"
    for day, path in ((19, "memory/2026-02-18.md"), (17, "memory/2026-02-16.md")):
        at = datetime(2026, 2, day, 9, tzinfo=AT.tzinfo)
        injection = engine.recall(prompt, at=at, session="midnight")
        assert set(paths(injection)) == {path}
        assert injection.cached == ""


def test_the_null_sample_follows_a_store_that_grows_note_by_note(tmp_path):
    (tmp_path / "memory").mkdir()
    lines = [
        "Photosynthesis turns light into sugar.",
        "The capital of Mongolia is Ulaanbaatar.",
        "Octopuses have three hearts.",
    ]
    with Engine.in_memory(Config()) as grown:
        for n in range(30):
            (tmp_path / f"memory/{n}.md").write_text(f"{lines[n % 3]} Remark {n}.\n")
            grown.index(tmp_path)
        with Engine.in_memory(Config()) as fresh:
            fresh.index(tmp_path)
            assert fresh.status().null_sample.mean == pytest.approx(grown.status().null_sample.mean, abs=0.01)


def test_what_the_conversation_holds_already_is_not_sent_again(workspace):
    """DESIGN: never repeating a chunk that is already in the conversation."""
    from hookclaw_py import Prompt

    with Engine.open(Config(), strict=True) as engine:
        engine.index(workspace)
        first = engine.recall(QUESTION)
        ids = frozenset(c.chunk.id for c in first.candidates)
        for again in (
            Prompt(QUESTION, AT, "main", shown=ids, audience=Audience.OWNER),
            Prompt(QUESTION, AT, "main", conversation=[f"user said\n{first.text}\nand then"], audience=Audience.OWNER),
        ):
            injection = engine.recall(again)
            assert (injection.text, injection.reason) == ("", "everything relevant is in the conversation already")
        assert engine.recall(QUESTION).text == first.text


def test_prompts_are_recorded_only_when_asked_for_and_without_secrets(workspace, tmp_path):
    from hookclaw_py.observe.recording import PromptLog

    for on, folder in ((False, tmp_path / "off"), (True, tmp_path / "on")):
        with Engine.open(Config(recordPrompts=on), folder=folder, strict=True) as engine:
            engine.index(workspace)
            shown = engine.recall(QUESTION + " my password=hunter2hunter2", session="s").candidates[0].chunk.id
            engine.recall("ok")
        assert (folder / "prompts.db").exists() == on
    recorded = list(PromptLog(tmp_path / "on").all())
    assert [r.outcome for r in recorded] == ["injected", "skipped"]
    assert recorded[0].chunk_ids == (shown,)
    assert "hunter2" not in recorded[0].prompt.text


def test_decisions_are_logged_in_the_original_shapes(workspace, caplog):
    """keep: log lines."""
    import logging

    with (
        Engine.open(Config(debugLogging=True), strict=True) as engine,
        caplog.at_level(logging.INFO, logger="hookclaw"),
    ):
        engine.index(workspace)
        engine.recall(QUESTION)
        engine.recall("ok")
        for _ in range(98):
            engine.recall("ok")
    assert caplog.messages[0].startswith("hookclaw: #1 injecting 1 memories (")
    assert "memory/2026-02-09.md:3-3" in caplog.messages[1]
    assert "hookclaw: #2 skip — prompt too short (2 chars)" in caplog.messages
    assert caplog.messages[-1].startswith("hookclaw metrics: 100 calls | 1% inject | 0% cache | p50=")


FIRST_NOTES = {
    "We decided to log in JSON, one object a line.": "what did we decide about logging?",
    "Dentist: Dr. Okafor, Mill Lane 4, next visit 3 December.": "who is my dentist?",
    "Anna's birthday is on 14 May.": "when is Anna's birthday?",
    "Priya owns billing, Leo owns search.": "who owns billing?",
    "The staging database runs PostgreSQL 16 on db-2, port 5433.": "which port does the staging database use?",
    "I am allergic to peanuts and shellfish.": "what am I allergic to?",
    "Rent is 1,240 euros, due on the third of each month.": "how much is the rent?",
    "We picked Hetzner over AWS because of price.": "why did we not go with AWS?",
    "Book club: next meeting 8 June at Ilse's, we read Middlemarch.": "which book are we reading for the book club?",
    "The API key lives in the vault under team/payments/stripe.": "where is the Stripe API key stored?",
}
ELSEWHERE = [
    "how do I center a div in CSS?",
    "what did we decide about the office lease?",
    "When does my flight to Lisbon leave?",
    "Write a poem about the sea.",
]


@pytest.mark.parametrize("note", FIRST_NOTES)
def test_the_first_note_of_a_newcomer_answers_at_once(tmp_path, note):
    (tmp_path / "MEMORY.md").write_text(note)
    with Engine.open(folder=tmp_path / "store", strict=True) as engine:
        engine.index(tmp_path)
        assert note in engine.recall(FIRST_NOTES[note]).text
        assert not any(engine.recall(prompt).text for prompt in ELSEWHERE)


@pytest.mark.parametrize(
    ("prompt", "terms"),
    [
        ("was hat Henning gestern am Boot gemacht", {"boot"}),
        ("qu'a annoncé Amélie la semaine dernière", {"annonc"}),
        ("qué quería Pablo la semana pasada", {"pablo"}),
        ("妈妈昨天说她怎么了", {"妈妈"}),
        ("上周二孩子们的红包是多少钱", {"红包"}),
        ("先週の火曜日にピアノ", {"ピア"}),
        ("what did the garage find in mid june last year", {"garag"}),
    ],
)
def test_the_words_that_say_when_are_not_searched_for(engine, prompt, terms):
    query = engine.recall(prompt, at=AT).query
    assert query.period
    assert terms <= set(query.terms)
    when = [
        "gest",
        "gestern",
        "semain",
        "dernier",
        "seman",
        "semana",
        "pas",
        "pasada",
        "昨天",
        "妈昨",
        "天说",
        "上周",
        "周二",
        "二孩",
        "先週",
        "火曜",
        "曜日",
        "mid",
        "june",
        "last",
        "year",
    ]
    assert not set(when) & set(query.terms)


def test_what_is_near_the_answer_keeps_it_company_and_is_nothing_by_itself(tmp_path):
    gate, bench = "Treadgold quoted 1,140 for the gate, lead time seven weeks.", "Oak for it: Treadgold, 48 each."
    write_notes(tmp_path, {"Gate.md": gate, "Bench.md": bench, "Bees.md": "Two hives."})
    asked = Prompt("how much is treadgold", AT, "", audience=Audience.OWNER)
    with Engine.in_memory(Config(min_score=0.1)) as engine:
        engine.index(tmp_path)
        both = engine.recall(replace(asked, agent_id=engine.agent)).candidates
    near, best = sorted(both, key=lambda c: c.relevance)
    with Engine.in_memory(Config(min_score=(best.relevance + near.relevance) / 2)) as engine:
        engine.index(tmp_path)
        asked = replace(asked, agent_id=engine.agent)
        assert {c.chunk.text for c in engine.recall(asked).candidates} == {gate, bench}
        said = engine.recall(replace(asked, conversation=(best.chunk.text,)))
    assert (said.text, said.why.kind) == ("", Reason.IN_CONVERSATION)
