"""What is asked for by kind, and what may be heard at all: decided before the search, through the one recall."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py import Engine, Outcome
from hookclaw_py.capture.reports import Report
from hookclaw_py.cli.commands import main
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.consolidate.writing import write
from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import DECISION, RECORDS, SESSION
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import RecordAction, RecordChange
from hookclaw_py.model.salience import Salience
from hookclaw_py.model.types import Injection, Prompt
from tests.conftest import FILLERS
from tests.e2e.test_growing_memory import MONDAY, Host
from tests.unit.records import record

CONFIG = Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650))
LATER = MONDAY + timedelta(days=9)
WORDS = "We decided to rent the barn from Okafor."
ASKED = "what did we decide about the fence in the garden?"


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOOKCLAW_TIMEZONE", "UTC")
    with Engine.open(CONFIG, strict=True) as engine:
        host = Host(engine)
        host.turn("s1", "We decided to paint the fence in the garden green.", "Green it is.", at=MONDAY)
        for number, word in enumerate(FILLERS[:4]):
            at = MONDAY + timedelta(hours=number + 1)
            host.turn(f"f{number}", f"The {word} stands in room {number}.", "Noted.", at=at)
        yield engine


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(arguments), env={"COLUMNS": "120"})
    assert done.exit_code == code, done.output
    return done.stdout if not code else done.output


def kinds_in(injection: Injection) -> set[str]:
    return {c.chunk.kind.name for c in (*injection.candidates, *injection.rejected)}


def test_prompts_are_answered_from_what_was_said_and_who_asks_for_a_kind_gets_that_alone(engine: Engine):
    """M38: by text with kinds; what was distilled takes no place where nobody asks for it."""
    assert kinds_in(engine.recall(ASKED, at=LATER)) == {SESSION.name}
    decided = engine.recall(ASKED, at=LATER, kinds=[DECISION.name])
    assert kinds_in(decided) == {DECISION.name}
    assert "fence in the garden green" in decided.text
    assert kinds_in(engine.recall(ASKED, at=LATER, kinds=["decision", "sessions"])) == {"decision", "sessions"}
    assert engine.recall(ASKED, at=LATER, kinds=["plan"]).outcome is Outcome.SILENT


def test_a_kind_that_there_is_not_is_said_and_is_no_silence(engine: Engine):
    """M38, defect 16: who misspells a kind is not told that nothing is known."""
    asked = engine.recall(ASKED, at=LATER, kinds=["decisions"])
    assert asked.outcome is Outcome.FAILED
    assert "no kind of memory is called decisions; ask for memory, sessions" in asked.reason


def test_a_list_that_was_forgotten_around_a_kind_is_said_and_a_search_for_no_kind_is_none(engine: Engine):
    assert engine.recall(ASKED, at=LATER, kinds="fact").reason == "kinds is a list of names: give ['fact'], not 'fact'"
    for wrong, said in ("decisions", "no kind of memory is called decisions"), ("fact", "kinds is a list of names"):
        with pytest.raises(RetrievalError, match=said):
            engine.search(ASKED, kinds=wrong)
    with pytest.raises(RetrievalError, match="no kind of memory is called decisions; ask for memory"):
        engine.search(ASKED, kinds=["decisions"])


def test_the_commands_that_search_take_a_kind_and_name_those_that_there_are(engine: Engine):
    """M38, C13: through the one ranking, without a gate."""
    assert "Decision of 2026-03-02" in run("recall", ASKED, "--kind", "decision")
    told = json.loads(run("explain", ASKED, "--kind", "decision", "--kind", "fact", "--json"))
    pool = [*told["candidates"], *told["rejected"]]
    assert {one["chunk"]["kind"] for one in pool} <= {"decision", "fact"}
    found = json.loads(run("search", "fence", "--kind", "decision", "--json"))
    assert len(found) == 1
    assert "choose of memory" in run("recall", ASKED, "--kind", "rumour", code=2)


def test_what_stands_no_more_is_in_no_kind(engine: Engine):
    """M25, defect 18: status decides, not salience."""
    (decision,) = (one for one in engine.store.records(kinds=[DECISION], standing=True) if "fence" in one.body)
    assert "fence" in engine.recall(ASKED, at=LATER, kinds=["decision"]).text
    run("records", "retract", decision.id, "--why", "no fence any more")
    assert "fence" not in engine.recall(ASKED, at=LATER, kinds=["decision"]).text


def test_what_is_too_sensitive_takes_no_place_in_any_search_and_is_listed_all_the_same(engine: Engine):
    """M27, M29: level and scope are asked before the search; what is above the ceiling is not in the pool."""
    kept = record("decision", "The fence safe opens with 4711", id=f"{7:016x}", about="safe", level=Level.CRITICAL)
    seen = replace(kept, id=f"{8:016x}", body="The fence gate opens with 4712", about="gate", level=Level.HIGH)
    for one in (kept, seen):
        write(engine.store, [RecordChange(one, RecordAction.BEGUN, "new")], zone=UTC, at=MONDAY, actor="test")
    engine.capturing.work_off()
    engine.catch_up()
    heard = engine.recall("what opens the fence safe and the fence gate?", at=LATER, kinds=["decision"])
    texts = [c.chunk.text for c in (*heard.candidates, *heard.rejected)]
    assert "4712" in "".join(texts)
    assert "4711" not in "".join(texts)
    assert kept.id in run("records", "list", "--kind", "decision", "--json")


@pytest.mark.parametrize("audience", [one for one in Audience if one is not Audience.OWNER])
def test_others_than_the_owner_hear_nothing_that_was_distilled_whatever_they_ask_for(
    engine: Engine, tmp_path: Path, audience: Audience
):
    """M14, M27: the host's word decides; asking for a kind opens nothing."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "gate.md").write_text("---\nshared: true\n---\n# Gate\n\nThe garden gate beside the fence is blue.\n")
    engine.index(notes)
    prompt = Prompt(ASKED, LATER, agent_id="main", session_id="s1", audience=audience)
    for kinds in ((), ("decision",), ("memory",), ("memory", "sessions", *(kind.name for kind in RECORDS))):
        heard = engine.recall(prompt, kinds=kinds)
        assert kinds_in(heard) <= {"memory"}, kinds
        assert "green" not in heard.text


def test_salience_is_a_bounded_prior_of_what_was_distilled(engine: Engine):
    """M17: of two that are as near the one that is more present comes first; one that has faded is found all the same."""
    made = MONDAY - timedelta(days=400)
    for number, (gate, present) in enumerate((("north", 1.0), ("south", 0.1))):
        one = record("fact", f"The lock of the {gate} gate is a padlock", id=f"{70 + number:016x}", about=gate)
        one = replace(one, salience=Salience(present, made), first_at=made, at=made)
        write(engine.store, [RecordChange(one, RecordAction.BEGUN, "new")], zone=UTC, at=made, actor="test")
    engine.capturing.work_off()
    engine.indexing.bring_up()
    told = engine.rank(
        Prompt("what lock do the gates have?", made, agent_id="main", audience=Audience.OWNER),
        pool_size=9,
        kinds=["fact"],
    )
    steps = {c.chunk.text: step for c in told for step in c.history if step.stage == "decay"}
    assert steps["The lock of the north gate is a padlock"].note == "salience 1.00"
    assert steps["The lock of the south gate is a padlock"].note == "salience 0.10"
    texts = [c.chunk.text for c in told]
    assert texts.index("The lock of the north gate is a padlock") < texts.index(
        "The lock of the south gate is a padlock"
    )
    faded = engine.recall("what lock does the south gate have?", at=datetime(2026, 6, 1, tzinfo=UTC), kinds=["fact"])
    assert "south gate is a padlock" in faded.text


def test_a_view_of_a_kind_hears_of_what_is_learned_after_it_was_made(engine: Engine):
    """One store: what is new is there with the next prompt."""
    assert "hose" not in engine.recall("what about the hose?", at=LATER, kinds=["decision"]).text
    Host(engine).turn("s9", "We decided to buy a longer hose for the beds.", "Noted.", at=MONDAY + timedelta(days=1))
    assert "longer hose" in engine.recall("what about the longer hose?", at=LATER, kinds=["decision"]).text


def test_what_a_person_takes_back_or_puts_right_is_told_to_no_prompt_as_it_was_said(engine: Engine):
    """M22, M25: prompts are answered from what was said, so it is put right there as well, and stays so."""
    host = Host(engine)
    host.turn("s7", f"{WORDS} The key is under the mat.", "Noted.", at=MONDAY)
    host.turn("s8", "Mondo Gate has 1,100 customers.", "Noted.", at=MONDAY)
    barn = "from whom do we rent the barn, and where is its key?"
    assert "Okafor" in engine.recall(barn, at=LATER).text
    (decision,) = (one for one in engine.store.records(kinds=[DECISION], standing=True) if "Okafor" in one.body)
    assert "1 passage" in run("records", "retract", decision.id, "--why", "he sold it")
    (fact,) = (one for one in engine.store.records(standing=True) if "1,100" in one.body and one.kind.name == "fact")
    run("records", "supersede", fact.id, "Mondo Gate has 3,000 customers", "--why", "counted again")
    host.turn("s7", "The barn door squeaks in the wind.", "I see.", at=MONDAY + timedelta(hours=2))
    block = engine.recall(barn, at=LATER).text
    assert "under the mat" in block
    assert "Okafor" not in block
    gate = engine.recall("how many customers does Mondo Gate have?", at=LATER).text
    assert "3,000" in gate
    assert "1,100" not in gate
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    said = Report(
        HappeningKind.PROMPT, tomorrow, "openclaw", "s9", "r", audience=Audience.OWNER, payload={"text": WORDS}
    )
    engine.capturing.record([said])
    engine.capturing.work_off()
    anew = engine.recall("from whom do we rent the barn?", at=tomorrow + timedelta(days=1))
    assert "Okafor" in anew.text, "said anew"
