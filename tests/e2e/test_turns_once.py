"""A turn is remembered once: captured as it happened, or read later from the host's transcript, in whatever order."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from hookclaw_py import Engine
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import DECISION, SESSION
from tests.unit.openclaw_state import START, State, said

KEY = "agent:main:main"
TURNS = [
    ("The plumber for the shower is Filipa Picao, 45 euros a visit.", "Noted, Filipa Picao for the shower."),
    ("We decided to paint the fence moss green in April.", "The fence gets moss green paint in April."),
    ("The cellar key hangs behind the boiler on a red ribbon.", "A red ribbon behind the boiler, good."),
    ("Our ferry to Karlskrona leaves the pier at nine sharp.", "Nine sharp at the pier, I have it."),
]
HOURS = 3
"""Between two turns: each is a passage of its own."""


@pytest.fixture
def state(tmp_path):
    state = State(tmp_path / "state")
    state.register({KEY: {"sessionId": "s1"}})
    return state


@pytest.fixture
def open_engine(tmp_path, state):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# Garden\n\nThe apple tree was planted in 2019.\n", encoding="utf-8")

    def opened(*sources: str, keep: int = 3650) -> Engine:
        config = Config(
            timezone="UTC",
            enable_vector=False,
            openclaw_state=str(state.folder),
            sources=("memory", *sources),
            capture=CaptureConfig(keep_raw_days=keep),
        )
        engine = Engine.open(config, folder=tmp_path / "store", strict=True)
        engine.index(notes)
        return engine

    return opened


def recorded(*turns: tuple[str, str], run: str = "") -> list:
    """Return the transcript of these turns; where ``run`` is given the host notes by what name it reports each."""
    events = said(*turns, minutes=60 * HOURS)
    for number, event in enumerate(one for one in events if one.get("message", {}).get("role") == "assistant"):
        if run:
            event["message"]["__openclaw"] = {"runId": f"{run}-{number}"}
    return events


def capture(engine: Engine, *numbers: int, answers: bool = True, prompt: str = "{}") -> None:
    """Report turns as they happen, seconds after the transcript's own moment."""
    for number in numbers:
        at = START + timedelta(hours=HOURS * number, seconds=4)
        common = {"host": "openclaw", "session": KEY, "run": f"run-{number}", "audience": Audience.OWNER}
        asked, answer = TURNS[number]
        reports = [Report(HappeningKind.PROMPT, at, payload={"text": prompt.format(asked)}, **common)]
        if answers:
            ended = at + timedelta(minutes=1)
            reports.append(Report(HappeningKind.ANSWER, ended, payload={"text": answer}, **common))
        engine.capturing.record(reports, at=at)
        engine.capturing.work_off()


def remembered(engine: Engine) -> Counter[str]:
    """Return how often each prompt and answer stands in what is remembered."""
    texts = [chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION]
    return Counter(line for turn in TURNS for line in turn for text in texts for _ in range(text.count(line)))


def once(*numbers: int) -> Counter[str]:
    return Counter(line for number in numbers for line in TURNS[number])


ALL = range(len(TURNS))


def test_what_was_captured_is_not_read_from_the_transcript_once_more(state, open_engine):
    with open_engine("sessions") as engine:
        capture(engine, *ALL)
        state.file("s1", recorded(*TURNS))
        engine.index()
        assert remembered(engine) == once(*ALL)


def test_what_was_read_from_the_transcript_first_is_remembered_once_when_it_is_captured(state, open_engine):
    state.file("s1", recorded(*TURNS))
    with open_engine("sessions") as engine:
        assert remembered(engine) == once(*ALL)
        capture(engine, *ALL)
        assert remembered(engine) >= once(*ALL)
        engine.index()
        assert remembered(engine) == once(*ALL)


def test_what_was_said_before_capture_began_comes_from_the_transcript(state, open_engine):
    state.file("s1", recorded(*TURNS))
    with open_engine("sessions") as engine:
        capture(engine, 2, 3)
        engine.index()
        assert remembered(engine) == once(*ALL)
        assert {chunk.place.path.endswith(".jsonl") for chunk in engine.store.all_chunks()} == {True, False}


@pytest.mark.parametrize("kept_first", [True, False])
def test_a_turn_or_an_answer_that_capture_lost_comes_from_the_transcript(state, open_engine, kept_first):
    with open_engine("sessions") as engine:
        if not kept_first:
            state.file("s1", recorded(*TURNS))
            engine.index()
        capture(engine, 0, 3)
        capture(engine, 2, answers=False)
        state.file("s1", recorded(*TURNS))
        engine.index()
        assert remembered(engine) == once(*ALL)


def test_what_was_captured_outlives_its_transcript_compacted_or_deleted(state, open_engine):
    with open_engine("sessions") as engine:
        capture(engine, *ALL)
        file = state.file("s1", recorded(*TURNS))
        engine.index()
        state.file("s1", recorded(*TURNS[2:]))
        engine.index()
        assert remembered(engine) == once(*ALL)
        file.unlink()
        engine.index()
        assert remembered(engine) == once(*ALL)


def test_a_turn_is_known_again_when_its_captured_words_are_gone(state, open_engine):
    with open_engine("sessions", keep=0) as engine:
        capture(engine, *ALL)
        engine.capturing.work_off()
        state.file("s1", recorded(*TURNS))
        engine.index()
        assert remembered(engine) == once(*ALL)


def test_a_private_prompt_is_not_read_from_the_transcript_either(state, open_engine):
    with open_engine("sessions") as engine:
        capture(engine, 0, prompt="<private>{}</private>")
        state.file("s1", recorded(*TURNS))
        engine.index()
        assert remembered(engine) == once(1, 2, 3)


def test_the_same_words_said_twice_and_lost_once_are_both_remembered(state, open_engine):
    again = [("Go on with the roof please.", f"The {part} of the roof is done now.") for part in ("left", "right")]
    with open_engine("sessions") as engine:
        at = START + timedelta(hours=HOURS, seconds=4)
        common = {"host": "openclaw", "session": KEY, "run": "r", "audience": Audience.OWNER}
        told = [
            Report(HappeningKind.PROMPT, at, payload={"text": again[1][0]}, **common),
            Report(HappeningKind.ANSWER, at, payload={"text": again[1][1]}, **common),
        ]
        engine.capturing.record(told, at=at)
        engine.capturing.work_off()
        state.file("s1", recorded(*again))
        engine.index()
        texts = "\n".join(chunk.text for chunk in engine.store.all_chunks())
        assert (texts.count("left of the roof"), texts.count("right of the roof")) == (1, 1)


# Backfill


@pytest.mark.parametrize("run", ["", "run"])
@pytest.mark.parametrize("live", [(), (2, 3), (0, 3), tuple(ALL)])
def test_backfill_takes_in_what_was_not_captured_under_the_same_ids_and_makes_the_same_of_it(
    state, open_engine, run, live
):
    state.file("s1", recorded(*TURNS, run=run))
    with open_engine() as engine:
        capture(engine, *live)
        for taken in (len(TURNS) - len(live), 0):
            assert engine.backfill().turns == taken
            engine.capturing.work_off()
            assert remembered(engine) == once(*ALL)
        assert [record.kind for record in engine.store.records(kinds=[DECISION])] == [DECISION]
        if run:
            before = {one.id for one in engine.store.happenings()}
            capture(engine, *ALL)
            assert {one.id for one in engine.store.happenings()} == before
            assert remembered(engine) == once(*ALL)
    with open_engine("sessions") as engine:
        assert remembered(engine) == once(*ALL), "what is taken in is not read as a transcript once more"


def test_backfill_gives_a_captured_prompt_the_answer_that_was_lost(state, open_engine):
    state.file("s1", recorded(*TURNS))
    with open_engine() as engine:
        capture(engine, 1, answers=False)
        engine.backfill()
        engine.capturing.work_off()
        assert remembered(engine) == once(*ALL)


def test_backfill_leaves_a_turn_that_goes_on_to_be_captured_and_other_peoples_sessions_out(state, open_engine):
    state.file("s1", recorded(*TURNS[:2])[:-1])
    state.file("s2", recorded(TURNS[2]))
    state.register({KEY: {"sessionId": "s1"}, "agent:main:telegram:group:7": {"sessionId": "s2"}})
    with open_engine() as engine:
        assert engine.backfill().turns == 1
        engine.capturing.work_off()
        assert remembered(engine) == once(0)
