"""What is said and done in sessions becomes memory by itself: recalled in the next one, corrected, and taken back."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hookclaw_py import Engine
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.consolidate.topics import WORDED
from hookclaw_py.insight.learned import learned, learned_text
from hookclaw_py.insight.printing import counted, documents
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import DECISION, FACT, OBSERVATION, PLAN, SESSION, SKILL, WORKING
from hookclaw_py.model.record import RecordAction, RecordStatus
from tests.conftest import NOW
from tests.unit.agent import Agent
from tests.unit.agent import engine as tool_engine

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Host:
    """A host that tells an engine what happens, as the plugin does."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.run = engine, 0

    def turn(self, session: str, asked: str, answered: str, *, at: datetime, tools: list[dict] | None = None) -> None:
        self.run += 1
        common = {"host": "openclaw", "session": session, "run": f"run-{self.run}", "audience": Audience.OWNER}
        reports = [Report(HappeningKind.PROMPT, at, payload={"text": asked}, **common)]
        for number, payload in enumerate(tools or []):
            moment = at + timedelta(seconds=number + 1)
            reports.append(Report(HappeningKind.TOOL_CALL, moment, call=f"call-{number}", payload=payload, **common))
        ended = at + timedelta(minutes=1)
        reports.append(Report(HappeningKind.ANSWER, ended, payload={"text": answered}, **common))
        self.engine.capturing.record(reports, at=ended)
        self.engine.capturing.work_off()


@pytest.fixture(scope="module")
def empty(tmp_path_factory, database):
    """The folder of a memory in which nothing is yet: to copy it takes a third of the time that making one takes."""
    folder = tmp_path_factory.mktemp("empty")
    if not database:  # a server's is no folder
        Engine.open(Config(), folder=folder / "store").close()
    return folder


@pytest.fixture
def engine(tmp_path, empty):
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    with Engine.open(
        Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650)), folder=tmp_path / "store", strict=True
    ) as engine:
        yield engine


@pytest.fixture
def host(engine):
    return Host(engine)


def asked(engine: Engine, prompt: str, *, days: int = 30) -> str:
    return engine.recall(prompt, at=MONDAY + timedelta(days=days)).text


def test_what_was_said_in_one_session_answers_in_the_next(engine, host):
    host.turn(
        "agent:main:main",
        "the plumber for the shower is Filipa Picao, she takes 45 euros for the visit",
        "Noted: Filipa Picao, 45 euros for the visit.",
        at=MONDAY,
    )
    block = asked(engine, "who is our plumber and what does she take for a visit?")
    assert "Filipa Picao" in block
    assert "2026-03-02" in block


def test_a_turn_is_remembered_once_however_often_it_is_told(engine, host):
    for _ in range(2):
        host.run = 0
        host.turn("agent:main:main", "the key of the cellar hangs behind the boiler", "Noted.", at=MONDAY)
    assert [chunk.kind for chunk in engine.store.all_chunks() if chunk.kind.searched] == [SESSION]


def test_an_answer_that_only_repeats_a_memory_is_no_memory(engine, host):
    host.turn("agent:main:main", "the wifi password of the cabin is sild-og-potet", "Noted.", at=MONDAY)
    before = engine.store.count()
    question = "what is the wifi password of the cabin?"
    later = MONDAY + timedelta(days=3)
    assert engine.recall(question, at=later, session="agent:main:main").text
    engine.history.flush()
    host.turn("agent:main:main", question, "The wifi password of the cabin is sild-og-potet.", at=later)
    assert engine.store.count() == before


def test_the_status_counts_notes_and_conversations_apart(engine, host, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "cellar.md").write_text("# Cellar\n\nThe sourdough starter is called Bertold.\n", encoding="utf-8")
    engine.index(notes)
    before = engine.status()
    host.turn("agent:main:one", "The lantern of the lodger hangs in the attic.", "Noted.", at=MONDAY)
    after = engine.status()
    assert (before.files, before.conversations) == (1, 0)
    assert (after.files, after.conversations, after.chunks) == (1, 1, before.chunks + 1)
    assert documents(after) == "1 file and 1 conversation"


def test_what_agents_save_is_no_file(tmp_path):
    """It was counted as files: 32 of a folder with 29."""
    with tool_engine(tmp_path) as engine:
        before = engine.status()
        for number in range(2):
            Agent(engine).call(
                "memory_set", content=f"The staging database number {number} listens on port 654{number}."
            )
        after = engine.status()
        assert (after.files, after.saved, after.chunks) == (before.files, 2, before.chunks + 2)
        assert documents(after) == f"{counted(before.files, 'file')} and 2 saved memories"
        assert learned_text(learned(engine.store, since=NOW - timedelta(days=1))) == "2 saved"


@pytest.mark.parametrize(
    ("told", "answered", "absent"),
    [
        ("Our landlord is called Berit and she lives above the bakery.", "who is our landlord?", "what is Berit's phone number?"),
        ("I parked the car on level three of the Westgate garage.", "where did I park the car?", "how much is the Westgate garage per hour?"),
    ],
)  # fmt: skip
def test_what_was_said_about_a_thing_is_no_answer_to_everything_about_it(engine, host, told, answered, absent):
    """The best turn is read beside the prompt."""
    host.turn("agent:main:one", told, "Noted.", at=MONDAY)
    host.turn("agent:main:two", "My sister Ines moved to Porto in May.", "Good to know.", at=MONDAY)
    engine.catch_up()
    later = MONDAY + timedelta(days=20)
    assert told in engine.recall(answered, at=later, session="agent:main:three").text
    assert engine.recall(absent, at=later, session="agent:main:four").text == ""


def test_a_corrected_fact_stands_alone_and_tells_its_story(engine, host):
    host.turn("agent:main:main", "Mondo Gate has 1,100 customers.", "Noted.", at=MONDAY)
    host.turn("agent:main:other", "Mondo Gate now has 2,000 customers.", "Noted.", at=MONDAY + timedelta(days=60))
    (fact,) = engine.store.records(kinds=[FACT], standing=True)
    assert "2,000" in fact.body
    history = engine.store.record_history(fact.id)
    assert [entry.action for entry in history] == [RecordAction.BEGUN, RecordAction.SUPERSEDED]
    assert "1,100" in history[0].body


def test_what_was_decided_and_done_is_on_record(engine, host):
    failed = {
        "tool": "exec",
        "input": {"command": "pytest -q"},
        "ok": False,
        "output": "E   KeyError: 'zone'",
        "error": "exit 1",
    }
    edit = {"tool": "edit", "input": {"path": "a.py", "old": "x = 1", "new": "x = 2"}, "ok": True, "output": ""}
    passed = {"tool": "exec", "input": {"command": "pytest -q"}, "ok": True, "output": "4 passed"}
    host.turn(
        "agent:main:main",
        "We decided to keep raw data for 45 days. fix the test please",
        "Done, the tests pass.",
        at=MONDAY,
        tools=[failed, edit, passed],
    )
    (decision,) = engine.store.records(kinds=[DECISION])
    assert "45 days" in decision.body
    assert any("Fixed: pytest -q passes" in record.title for record in engine.store.records(kinds=[OBSERVATION]))


def test_indexing_notes_takes_nothing_away_that_no_file_holds(engine, host, tmp_path):
    host.turn("agent:main:main", "We decided to paint the fence green, the pot stands in the shed", "Noted.", at=MONDAY)
    said = {chunk.id for chunk in engine.store.all_chunks()}
    records = {record.id for record in engine.store.records()}
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# Garden\n\nThe apple tree was planted in 2019.\n", encoding="utf-8")
    engine.index(notes)
    engine.index(notes)
    assert said <= {chunk.id for chunk in engine.store.all_chunks()}
    assert records == {record.id for record in engine.store.records()}


def test_what_is_forgotten_does_not_come_back_with_the_next_turn(engine, host):
    host.turn("agent:main:main", "We decided to hire Ronja Brandt as our gardener", "Noted.", at=MONDAY)
    (decision,) = engine.store.records(kinds=[DECISION])
    said = [chunk.memory for chunk in engine.store.all_chunks()]
    engine.store.forget([decision.id, *said], at=MONDAY)
    host.turn("agent:main:main", "the hose is too short for the beds", "Noted.", at=MONDAY + timedelta(minutes=5))
    assert all("Ronja" not in chunk.text for chunk in engine.store.all_chunks())
    assert all("Ronja" not in record.body for record in engine.store.records())


def test_what_is_said_after_the_words_of_the_morning_were_let_go_is_kept_as_well(tmp_path):
    with Engine.open(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=0)), folder=tmp_path) as engine:
        host = Host(engine)
        host.turn("agent:main:main", "the key of the cellar hangs behind the boiler", "Noted.", at=MONDAY)
        host.turn(
            "agent:main:main",
            "the ladder stands in the shed of the neighbours",
            "Noted.",
            at=MONDAY + timedelta(hours=1),
        )
        assert {chunk.text.split("\n")[0] for chunk in engine.store.all_chunks() if chunk.kind is SESSION} == {
            "User: the key of the cellar hangs behind the boiler",
            "User: the ladder stands in the shed of the neighbours",
        }


def test_an_answer_that_comes_after_its_prompt_was_worked_off_is_kept_with_it_when_words_are_let_go_at_once(tmp_path):
    with Engine.open(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=0)), folder=tmp_path) as engine:
        at = datetime.now(UTC) - timedelta(hours=2)
        common = {"host": "openclaw", "session": "agent:main:main", "run": "r", "audience": Audience.OWNER}
        said = ("how long is the ladder in the shed?", "It is four metres and ten long, of ash wood.")
        for kind, text in zip((HappeningKind.PROMPT, HappeningKind.ANSWER), said, strict=True):
            engine.capturing.record([Report(kind, at, payload={"text": text}, **common)], at=at)
            engine.capturing.work_off()
        (chunk,) = engine.store.all_chunks()
        assert chunk.text == f"User: {said[0]}\nAssistant: {said[1]}"
        assert [dict(one.payload) for one in engine.store.happenings()] == [{}, {}]


def test_what_a_person_says_otherwise_later_outdates_the_record_however_it_is_worded(engine, host):
    host.turn("agent:main:main", "note that we drop raw data after 30 days", "Noted.", at=MONDAY)
    host.turn("agent:main:b", "note: the visitor log is kept 90 days", "Noted.", at=MONDAY + timedelta(days=1))
    later = MONDAY + timedelta(days=20)
    host.turn("agent:main:c", "note: legal wants raw data kept 45 days now, not 30", "Noted.", at=later)
    told = [one for one in engine.store.records() if one.kind in (FACT, DECISION)]
    standing = " ".join(one.body for one in told if one.status.stands)
    assert "45 days" in standing
    assert "90 days" in standing
    [gone] = [one for one in told if not one.status.stands]
    assert "30 days" in gone.body
    assert engine.store.record_history(gone.id)[-1].why == "names what was"
    block = asked(engine, "after how many days do we drop raw data")
    assert "45 days now" in block
    assert "after 30 days" not in block


def test_a_day_that_is_called_wrong_is_no_longer_told(engine, host):
    host.turn("agent:main:first", "the boiler is serviced by firma Zwackl", "Noted.", at=MONDAY)
    host.turn("agent:main:first", "dentist for Mia is on thursday the 12th at 15:30", "Ok.", at=MONDAY)
    later = MONDAY + timedelta(days=1)
    host.turn(
        "agent:main:later", "no wait, Mia's dentist is the 14th, not the 12th. and it's at 16:00", "Ok.", at=later
    )
    (old,) = [record for record in engine.store.records() if "15:30" in record.body]
    assert old.status is RecordStatus.SUPERSEDED
    block = asked(engine, "when is Mia's dentist?")
    assert "the 14th" in block
    assert "thursday the 12th" not in block


@pytest.mark.parametrize(
    "since",
    [
        "backups should be kept 90 days, not 30",
        "also run backups every night, and for 90 days, not 30",
        "die backups sollen every night 90 days bleiben, nicht 30",
    ],
)
def test_a_decision_whose_value_is_called_wrong_is_no_longer_told(engine, host, since):
    decided = "we decided that backups run every night and are kept 30 days"
    host.turn("agent:main:a", decided, "Noted.", at=MONDAY)
    host.turn("agent:main:a", "we decided that the boiler stays at 30 degrees", "Noted.", at=MONDAY)
    host.turn("agent:main:b", since, "Ok.", at=MONDAY + timedelta(days=1))
    standing = [one.body for one in engine.store.records(kinds=[DECISION], standing=True)]
    assert decided not in standing
    assert len(standing) == 2
    assert since in standing


def test_what_a_value_was_once_ends_no_decision(engine, host):
    decided = "we decided that backups are kept 30 days"
    host.turn("agent:main:a", decided, "Noted.", at=MONDAY)
    host.turn("agent:main:b", "hm odd, those kept backups were 30 yesterday", "Ok.", at=MONDAY + timedelta(days=1))
    assert [one.body for one in engine.store.records(kinds=[DECISION], standing=True)] == [decided]


def test_a_fact_whose_value_is_set_right_in_the_next_breath_holds_the_right_one(engine, host):
    host.turn("agent:main:a", "Port is 8085 on the server, gunicorn with 3 workers", "Ok.", at=MONDAY)
    host.turn("agent:main:a", "no, 8095", "Ok.", at=MONDAY + timedelta(minutes=5))
    host.turn("agent:main:a", "thanks", "Sure.", at=MONDAY + timedelta(minutes=9))
    assert [one.body for one in engine.store.records(kinds=[FACT], standing=True)] == [
        "Port is 8095 on the server, gunicorn with 3 workers"
    ]


def test_what_the_assistant_says_later_outdates_nothing_that_a_person_said(engine, host):
    host.turn("agent:main:main", "note that we drop raw data after 30 days", "Noted.", at=MONDAY)
    read = [{"tool": "read", "args": {"path": "law.txt"}, "output": "45", "ok": True}]
    later = MONDAY + timedelta(days=20)
    host.turn("agent:main:c", "look at the law", "Raw data is dropped after 45 days now, not 30.", at=later, tools=read)
    assert any("30 days" in one.body for one in engine.store.records(kinds=[DECISION], standing=True))
    assert "after 30 days" in asked(engine, "after how many days do we drop raw data")


def test_what_was_decided_holds_when_it_was_done_once(engine, host):
    host.turn("agent:main:main", "decided: a restore test of the backup every month", "Noted.", at=MONDAY)
    later = MONDAY + timedelta(days=20)
    host.turn("agent:main:c", "note: the restore test of the backup was done yesterday", "Good.", at=later)
    assert [one.body for one in engine.store.records(kinds=[DECISION], standing=True)]


def test_a_turn_comes_with_what_was_said_next(engine, host):
    session, later = "agent:main:main", MONDAY + timedelta(minutes=4)
    checks = "".join(f"{n}. Look at the {part} of the boiler and write down what it shows.\n" for n, part in enumerate(
        ("gauge", "burner", "pump", "filter", "chimney", "thermostat", "valve", "meter", "timer", "drain"), start=1
    ))  # fmt: skip
    host.turn(session, "the heating shows E-47 again", f"Go through these:\n{checks}", at=MONDAY)
    host.turn(session, "0.6 bar. topped it up to 1.8 and it runs", "Good.", at=later)
    prompt = "the heating shows E-47, what was that?"
    assert "topped it up to 1.8" in asked(engine, prompt)
    said = [chunk for chunk in engine.store.all_chunks() if "topped it up" in chunk.text]
    assert not any("E-47" in chunk.text for chunk in said)
    engine.store.forget([chunk.memory for chunk in said], at=later)
    assert "E-47" in asked(engine, prompt)
    assert "topped it up to 1.8" not in asked(engine, prompt)


def test_who_meets_an_error_of_a_log_again_gets_the_turn_in_which_it_was_read(engine, host):
    """Of a trace in the output of a command that went well its first line was kept, which is the same of every error."""
    error = "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position"
    log = f'Traceback (most recent call last):\n  File "/app/report.py", line 57, in <module>\n{error} 1204'
    read = {"tool": "exec", "input": {"command": "kubectl logs job/report"}, "ok": True, "output": log}
    mended = "A venue has an accent in its name; the report is read as UTF-8 now."
    host.turn("agent:main:a", "why did the nightly report not come", mended, at=MONDAY, tools=[read])
    host.turn("agent:main:b", "the plumber for the shower is Filipa Picao", "Noted.", at=MONDAY)
    assert "read as UTF-8" in asked(engine, f"{error} 88")


def test_who_meets_an_error_again_gets_the_turn_in_which_it_was_mended(engine, host):
    error = "psycopg.errors.InvalidTextRepresentation: invalid input syntax for type integer"
    failed = {"tool": "exec", "input": {"command": "make import"}, "ok": False, "output": error, "error": "exit 1"}
    mended = "The exporter of the shop begins its file with a byte order mark; the reader skips it now."
    host.turn("agent:main:a", "the nightly run stops halfway, have a look", mended, at=MONDAY, tools=[failed])
    host.turn("agent:main:b", "the plumber for the shower is Filipa Picao", "Noted.", at=MONDAY)
    host.turn("agent:main:c", "what type of integer has the column of prices?", "It is a bigint.", at=MONDAY)
    block = asked(engine, f"again: {error}")
    assert "byte order mark" in block
    (turn,) = [chunk for chunk in engine.store.all_chunks() if chunk.kind is SESSION and "byte order" in chunk.text]
    assert "InvalidTextRepresentation" not in turn.text


def ran(command: str, *, ok: bool = True) -> dict[str, object]:
    outcome = {"result": "done", "ok": True} if ok else {"error": "exit 2: no rule to make target", "ok": False}
    return {"tool": "exec", "args": {"command": command}, "ms": 40, **outcome}


def test_what_is_done_again_and_again_becomes_a_skill_and_says_how_well_it_goes(engine, host):
    """M34 to M37, M39, M40: skills and plans from tool runs, counted in place, the choice among them told by explain."""
    for day in range(4):
        steps = [ran("make deploy", ok=day != 2), ran("make check"), ran("make notify")]
        host.turn(f"s{day}", "deploy the shop to staging", "Deployed.", at=MONDAY + timedelta(days=day), tools=steps)
    [skill] = engine.store.records(kinds=[SKILL])
    assert (skill.about, skill.counted("wins"), skill.counted("calls")) == ("skill:exec", 11, 12)
    [plan] = engine.store.records(kinds=[PLAN])
    assert (plan.counted("executions"), plan.counted("wins")) == (4, 3)
    told = [entry.action for entry in engine.store.record_history(skill.id)]
    assert told == [RecordAction.BEGUN, RecordAction.EDITED]  # it began, and failed in a new way
    found = engine.recall("how do we deploy the shop to staging?", at=MONDAY + timedelta(days=5), kinds=["plan"])
    assert "Step 3: invoke exec" in found.text
    [step] = [step for step in found.candidates[0].history if step.stage == "selection"]
    assert step.note.startswith("went well 3 of 4 times")


def test_a_skill_that_was_forgotten_is_not_learned_again(engine, host):
    """D18: however often it is done afterwards."""
    for day in range(5):
        at = MONDAY + timedelta(days=day)
        host.turn(f"s{day}", "deploy the shop", "Deployed.", at=at, tools=[ran("make deploy"), ran("make check")])
        if day == 3:
            [skill] = engine.store.records(kinds=[SKILL])
            engine.store.forget([skill.id], at=at)
    assert engine.store.records(kinds=[SKILL]) == []


TAKEN_BACK = [
    (
        "let's use Mailpit for local mail testing",
        "no wait, scrap Mailpit, use the console backend",
        "Mailpit for local",
    ),
    ("let's use Postgres for the database", "no, let's use SQLite instead of Postgres", "Postgres for the database"),
    ("wir nehmen Postgres für die Datenbank", "nein, vergiss Postgres, nimm SQLite", "für die Datenbank"),
    (
        "for the guest room we take the grey Billy shelves",
        "actually we're not taking the Billy shelves, Lotte wants String shelves in white",
        "guest room",
    ),
    (
        "ok, let's drop weasyprint and use reportlab instead",
        "wir nehmen doch lieber weasyprint, auf dem server geht es ja",
        "reportlab",
    ),
    ("note: the slot length is 45 minutes", "make the slot length 60 minutes after all", "45"),
]


@pytest.mark.parametrize(("before", "since", "gone"), TAKEN_BACK)
@pytest.mark.parametrize("sessions", [("agent:main:a", "agent:main:a"), ("agent:main:a", "agent:main:b")])
def test_a_session_is_told_what_was_chosen_last_and_not_what_was_taken_back(
    engine, host, before, since, gone, sessions
):
    host.turn(sessions[0], before, "Noted.", at=MONDAY)
    host.turn(sessions[1], since, "Noted.", at=MONDAY + timedelta(minutes=10))
    told = engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text
    assert since in told
    assert gone not in told


def test_a_choice_that_is_put_in_three_words_says_of_what_it_is(engine, host):
    host.turn("agent:main:a", "we decided to paint the fence green", "Ok.", at=MONDAY)
    host.turn("agent:main:a", "blue, not green", "Ok.", at=MONDAY + timedelta(minutes=10))
    told = engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text
    assert told.count("fence") == 1
    assert "paint the fence green. blue, not green" in told


@pytest.mark.parametrize(
    ("before", "since", "gone"),
    [
        ("the spring regatta of the sailing club is on 10 May at Kinsale", "the regatta moved! 17 may instead of the 10th because of the wind", "10 May at"),
        ("Mara is vegan, so no cheese on the boat", "Mara says she is vegetarian now, not vegan", "no cheese"),
        ("the ferry is at 9:45", "the ferry is back to 9:30 from today", "9:45"),
        ("the market starts at 9:45", "the market is back to 9:30 from today", "9:45"),
        ("die Chorprobe beginnt um 19:45", "die Chorprobe ist ab heute wieder um 19:30", "19:45"),
    ],
)  # fmt: skip
def test_what_moved_is_told_with_its_new_day_or_time_alone(engine, host, before, since, gone):
    host.turn("agent:main:a", before, "Noted.", at=MONDAY)
    assert [one for one in engine.store.records(kinds=[FACT], standing=True) if gone in one.body]
    host.turn("agent:main:b", f"{since}. nothing else", "Ok.", at=MONDAY + timedelta(days=2))
    standing = [one.body for one in engine.store.records(kinds=WORDED, standing=True)]
    assert any(since in body for body in standing)
    assert not any(gone in body for body in standing)


@pytest.mark.parametrize(
    "said",
    [
        ("the market closes at 17:45",),
        ("the market starts at 9:45", "the market opens at 8:15"),
        ("the market is at 9:45", "the market opens at 8:15"),
        ("the market starts at 9:45 in Kinsale",),
    ],
)
def test_what_moved_to_another_time_leaves_what_may_be_the_time_of_something_else(engine, host, said):
    for hours, one in enumerate(said):
        host.turn("agent:main:a", one, "Noted.", at=MONDAY + timedelta(hours=hours))
    host.turn("agent:main:b", "the market is back to 9:30 from today", "Ok.", at=MONDAY + timedelta(days=2))
    assert said[-1] in [one.body for one in engine.store.records(kinds=WORDED, standing=True)]


@pytest.mark.parametrize(
    ("before", "since", "gone"),
    [
        ("als Quartier nehmen wir das Haus Alpenrose, 44 Euro pro Nacht", "kleinwalsertal: we are 10 now, and we switched to the hostel Brenn, 31 a night, Alpenrose was full", "Haus Alpenrose"),
        ("we go with the caterer Lumen for the wedding", "we changed to the caterer Brunel, Lumen was booked out", "with the caterer Lumen"),
    ],
)  # fmt: skip
def test_what_was_taken_for_another_that_was_full_is_told_alone(engine, host, before, since, gone):
    host.turn("agent:main:a", before, "Noted.", at=MONDAY)
    assert gone in engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text
    host.turn("agent:main:b", since, "Ok.", at=MONDAY + timedelta(days=9))
    told = engine.brief("agent:main:c", at=MONDAY + timedelta(days=10)).text
    assert since in told
    assert gone not in told


def test_what_takes_the_place_of_a_sure_fact_is_as_sure(engine, host):
    host.turn("agent:main:a", "note: the visitor log is kept 30 days", "Noted.", at=MONDAY)
    host.turn("agent:main:b", "the visitor log is kept 30 days", "Ok.", at=MONDAY + timedelta(days=1))
    assert "30 days" in engine.brief("agent:main:c", at=MONDAY + timedelta(days=2)).text
    later = MONDAY + timedelta(days=3)
    host.turn("agent:main:d", "legal wants the visitor log kept 45 days, not 30", "Noted.", at=later)
    told = engine.brief("agent:main:e", at=MONDAY + timedelta(days=4)).text
    assert "45 days" in told
    assert "kept 30 days" not in told


def test_a_step_is_told_for_two_weeks_unless_it_is_done(engine, host):
    step = "remind me to renew the domain before the 20th"
    host.turn("agent:main:a", step, "Ok.", at=MONDAY)
    host.turn("agent:main:a", "run the tests", "All green.", at=MONDAY + timedelta(minutes=5))

    def told_after(days: int) -> bool:
        told = engine.brief("agent:main:b", at=MONDAY + timedelta(days=days)).text.split("\n")
        return any("Still to do" in line and step in line for line in told)

    assert told_after(13)
    assert not told_after(15)
    host.turn("agent:main:b", "i renewed the domain, done", "Good.", at=MONDAY + timedelta(days=5))
    assert step not in engine.brief("agent:main:c", at=MONDAY + timedelta(days=6)).text


@pytest.mark.parametrize(
    ("step", "days"),
    [
        ("don't forget the parents' evening tomorrow", 1),
        ("denk an den Elternabend am Donnerstag", 3),
        ("don't forget to pay the tax on friday", 13),
        ("remind me to renew the licence of the boat in june", 120),
        ("ich muss im April den Notar anrufen", 59),
        ("I have to fix the pump that broke in january", 13),
    ],
)
def test_what_is_not_to_be_forgotten_is_told_until_its_day_is_over_and_what_is_to_be_done_longer(
    engine, host, step, days
):
    host.turn("agent:main:a", step, "Ok.", at=MONDAY)
    host.turn("agent:main:a", "run the tests", "All green.", at=MONDAY + timedelta(minutes=5))

    def waits_after(days: int) -> bool:
        told = engine.brief("agent:main:b", at=MONDAY + timedelta(days=days)).text.split("\n")
        return any("Still to do" in line and step in line for line in told)

    assert waits_after(days)
    assert not waits_after(days + 2)


def test_a_decision_on_which_day_something_is_is_told_until_that_day_is_over(engine, host):
    host.turn("agent:main:a", "the regatta is on 10 march at Kinsale", "Noted.", at=MONDAY)
    moved = "the regatta moved! 14 march instead of the 10th because of the wind"
    holds = "we decided that the fee is 45 euro from 12 march"
    host.turn("agent:main:b", moved, "Ok.", at=MONDAY + timedelta(hours=2))
    host.turn("agent:main:b", holds, "Ok.", at=MONDAY + timedelta(hours=3))
    told, later = (engine.brief("agent:main:c", at=MONDAY + timedelta(days=days)).text for days in (12, 13))
    assert moved in told
    assert "regatta" not in later
    assert holds in told
    assert holds in later


@pytest.mark.parametrize(
    ("step", "done"),
    [
        ("remind me to call the notary", "I called the notary, done"),
        ("erinnere mich, den Notar anzurufen", "Notar angerufen, erledigt"),
        (
            "Ich muss noch die Winterreifen bestellen, 205/55 R16",
            "ich habe die Winterreifen bestellt, kommen am 19.",
        ),
        ("next steps: Brid Kearns or Tom for the roof, not decided yet", "I've decided: Brid Kearns it is"),
        ("next week: harbour tour with 40 guests", "the harbour tour is done: 38 came"),
        ("erinnere mich an die Hafenrundfahrt mit 40 Gästen", "die Hafenrundfahrt ist erledigt, 38 kamen"),
    ],
)
def test_a_step_that_is_done_or_decided_is_no_longer_to_be_done(engine, host, step, done):
    host.turn("agent:main:a", step, "Ok.", at=MONDAY)
    told = step.removeprefix("next steps: ")
    assert told in engine.brief("agent:main:b", at=MONDAY + timedelta(hours=1)).text
    host.turn("agent:main:b", done, "Good.", at=MONDAY + timedelta(hours=2))
    assert told not in engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text


@pytest.mark.parametrize(
    ("steps", "done", "gone", "left"),
    [
        ("open: write the readme, add the dunning letters, ask Frau Brandt about the archive", "the readme is written", "write the readme", ("dunning", "archive")),
        ("for today: call the dentist, order toner, sign the contract with Moulin, book the train", "signed the contract, toner is ordered. the dentist is still open", "sign the contract", ("dentist", "train")),
        ("to do: sign the lease of the shop, order toner, book the train", "did the toner, ordered 2; signed the lease", "sign the lease", ("train",)),
        ("to do: call the dentist, order toner, book the train", "toner ordered, the dentist is off", "call the dentist", ("train",)),
        ("da fare: comprare le calze nere, chiamare Luca, pagare la mensa", "mensa pagata, Luca chiamato", "chiamare Luca", ("calze",)),
        ("à faire : relancer Ann, payer le loyer, envoyer le glossaire à Tom", "glossaire envoyé à Tom, c'est fait. loyer payé aussi", "payer le loyer", ("relancer",)),
        ("todo: call the notary; order toner; book the train", "toner ordered", "order toner", ("notary", "train")),
        ("next week: sea trial, write the report", "report: skip it, Lund's office writes it", "write the report", ("sea trial",)),
        ("ok and todo for us: book the ferry, write to the harbour, order 2 buoys", "ferry booked", "book the ferry", ("harbour", "buoys")),
        ("ok and todo for us: book the bus, call the harbour for the spring trip", "the bus is booked, Lund's, 16 seats, pick up at the quay at 7:15", "book the bus", ("spring trip",)),
        ("todo: book the bus for the spring trip, order toner", "bus booked, for the autumn regatta with 16 people", "", ("book the bus for the spring trip", "order toner")),
        ("I need to fix B12 and B13 tomorrow", "fixed B12", "", ("B12 and B13",)),
        ("remind me to book the dentist and the hairdresser", "dentist booked", "", ("the dentist and the hairdresser",)),
        ("remind me to ask Samir if the sync may run at night, because of the backup window", "asked samir about the sync", "ask Samir", ()),
        ("todo: letter client for pingen; archive\nI have to email the pingen people about the quota", "wrote the pingen mail", "email the pingen", ("letter client", "archive")),
        ("we'll take the kowa. I have to call Anke about it", "called Anke, she is in", "call Anke", ()),
    ],
)  # fmt: skip
def test_of_a_list_only_what_is_done_is_no_longer_to_be_done(engine, host, steps, done, gone, left):
    host.turn("agent:main:a", steps, "Noted.", at=MONDAY)
    host.turn("agent:main:b", done, "Good.", at=MONDAY + timedelta(hours=2))
    told = engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text.split("\n")
    waits = " ".join(line for line in told if "Still to do" in line)
    assert all(words in waits for words in left)
    assert not gone or gone not in waits


def test_a_step_that_is_still_to_be_done_is_one_however_often_it_is_named(engine, host):
    first = "todo: write to the harbour master (Mr Lund), order toner and paper"
    for days, said in enumerate((first, "still have to write to Lund ugh", "still have to order toner")):
        host.turn(f"agent:main:{days}", said, "Ok.", at=MONDAY + timedelta(days=days))
    told = engine.brief("agent:main:c", at=MONDAY + timedelta(days=3)).text
    assert "still have to write to Lund" in told
    assert "harbour master" not in told
    assert "order toner and paper" in told, "the paper is to be ordered, too"
    host.turn("agent:main:d", "wrote to Lund finally. he says yes", "Good.", at=MONDAY + timedelta(days=4))
    assert "Lund" not in engine.brief("agent:main:e", at=MONDAY + timedelta(days=5)).text


def test_what_the_assistant_says_takes_nothing_back_and_closes_nothing(engine, host):
    read = [{"tool": "read", "args": {"path": "a.md"}, "output": "", "ok": True}]
    host.turn("agent:main:a", "let's use Postgres for the database", "Ok.", at=MONDAY)
    host.turn("agent:main:a", "remind me to call the notary", "Ok.", at=MONDAY + timedelta(minutes=5))
    answer = "I used SQLite instead of Postgres. I called the notary, done."
    host.turn("agent:main:a", "go on", answer, at=MONDAY + timedelta(minutes=9), tools=read)
    told = engine.brief("agent:main:b", at=MONDAY + timedelta(hours=1)).text
    assert "use Postgres" in told
    assert "Still to do" in told


@pytest.mark.parametrize(
    ("answer", "open_steps"),
    [
        ("The orders job runs at 07:00 now.", []),
        ("The orders job runs in the cluster, I'll look at it later.", ["the orders job needs to go at 7"]),
    ],
)
def test_what_needs_to_be_and_the_agent_did_at_once_is_no_open_step(engine, host, answer, open_steps):
    edit = {"tool": "edit", "input": {"path": "a.py", "old": "x = 1", "new": "x = 2"}, "ok": True, "output": ""}
    host.turn("agent:main:a", "the orders job needs to go at 7", answer, at=MONDAY, tools=[edit])
    assert [one.body for one in engine.store.records(kinds=[WORKING], standing=True)] == open_steps


@pytest.mark.parametrize(
    ("said", "since", "gone", "stands"),
    [
        ("from now on use pnpm instead of npm", "scratch that, back to npm", "pnpm", ""),
        ("from now on use pnpm instead of npm", "scratch that.", "pnpm", ""),
        ("from now on use pnpm instead of npm", "pls forget i said that", "pnpm", ""),
        ("the parents' evening is on dec 8 at 19:00", "ignore that, the parents' evening is on dec 9", "dec 8", "the parents' evening is on dec 9"),
        ("ab jetzt immer pnpm statt npm", "vergiss das, doch lieber npm statt pnpm", "ab jetzt", ""),
    ],
)  # fmt: skip
def test_who_takes_back_what_they_just_said_is_told_it_no_more(engine, host, said, since, gone, stands):
    host.turn("agent:main:a", said, "Noted.", at=MONDAY)
    assert [one for one in engine.store.records(kinds=WORDED, standing=True) if gone in one.body]
    host.turn("agent:main:a", since, "Ok.", at=MONDAY + timedelta(minutes=2))
    bodies = [one.body for one in engine.store.records(kinds=WORDED, standing=True)]
    assert not [body for body in bodies if gone in body]
    assert not stands or stands in bodies
    assert said not in engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text
    host.turn("agent:main:b", said, "Ok.", at=MONDAY + timedelta(days=1))
    assert [one for one in engine.store.records(kinds=WORDED, standing=True) if one.body == said]


def test_of_several_that_are_told_in_one_sentence_the_one_changes_and_the_others_stay(engine, host):
    swims, plays = "Frida's swim course is thursdays 16:15 at the pool", "Emil has football on fridays 17:00"
    host.turn("agent:main:a", f"{swims}, {plays}", "Noted.", at=MONDAY)
    assert {one.body for one in engine.store.records(kinds=[FACT])} == {swims, plays}
    since = "Frida's swim course at the pool moved to wednesdays 15:45"
    host.turn("agent:main:b", since, "Ok.", at=MONDAY + timedelta(days=2))
    told = [one.body for one in engine.store.records(kinds=[FACT], standing=True)]
    assert plays in told
    assert swims not in told


@pytest.mark.parametrize(
    ("known", "since"),
    [
        ("Emil is in class 3b since he turned 8", "Emil's class trip is from 8 to 12 march to the Wasserkuppe"),
        (
            "electrician is Jovan Petrov, 0151 7740 3321, he comes on friday the 20th at 8 to look at the fuse box",
            "Jovan was here: the fuse box needs a new switch. He comes on january 15th",
        ),
    ],
)  # fmt: skip
def test_how_long_something_lasts_or_another_day_ends_nothing_else(engine, host, known, since):
    host.turn("agent:main:a", known, "Noted.", at=MONDAY)
    host.turn("agent:main:b", since, "Noted.", at=MONDAY + timedelta(days=2))
    assert known in [one.body for one in engine.store.records(kinds=[FACT], standing=True)]


@pytest.mark.parametrize(
    ("known", "since"),
    [
        ("the late fee is 5 eur from the second reminder on", "the late fee: 5 eur was wrong, legal says 2,50 at most"),
        ("the parents' evening of 3b is on dec 8", "the parents' evening of 3b: dec 8 is wrong, it's dec 9"),
        ("der Zahnarzt ist am Dienstag um 9 Uhr", "der Termin beim Zahnarzt: Dienstag ist falsch, es ist Mittwoch"),
    ],
)  # fmt: skip
def test_what_a_person_calls_wrong_ends(engine, host, known, since):
    host.turn("agent:main:a", known, "Noted.", at=MONDAY)
    host.turn(
        "agent:main:b", since, "The late fee is 2.50 eur from the second reminder on.", at=MONDAY + timedelta(days=2)
    )
    assert known not in [one.body for one in engine.store.records(kinds=[FACT], standing=True)]


def test_a_step_of_a_list_ends_alone_and_is_told_without_saying_twice_that_it_is_to_be_done(engine, host):
    host.turn(
        "agent:main:a", "still to do for the house: pdf template, call the notary, order toner", "Noted.", at=MONDAY
    )
    host.turn("agent:main:b", "next steps: write the memo", "Noted.", at=MONDAY + timedelta(minutes=5))
    host.turn("agent:main:c", "pdf template is done by Ines", "Noted.", at=MONDAY + timedelta(hours=1))
    told = engine.brief("agent:main:d", at=MONDAY + timedelta(hours=2)).text
    assert 'Still to do: "for the house: call the notary"' in told
    assert 'Still to do: "write the memo"' in told
    assert "house: pdf template" not in told


@pytest.mark.parametrize(
    ("known", "since"),
    [
        ("We decided: three reminders, at 7, 14 and 30 days after the due date", "the new schedule is decided, reminders at 10, 20 and 40 days instead of 7/14/30"),
        ("we decided that the tablets are taken at 8, 12 and 16", "we decided to change the tablets from 8, 12 and 16 to 9, 13 and 17"),
    ],
)  # fmt: skip
def test_a_list_of_values_that_a_person_calls_former_ends(engine, host, known, since):
    host.turn("agent:main:a", known, "Noted.", at=MONDAY)
    host.turn("agent:main:b", since, "Noted.", at=MONDAY + timedelta(days=2))
    bodies = [one.body for one in engine.store.records(kinds=[FACT, DECISION], standing=True)]
    assert any(since in body for body in bodies)
    assert not [body for body in bodies if known in body]


@pytest.mark.parametrize("session", ["agent:main:a", "agent:main:z"])
@pytest.mark.parametrize(
    ("known", "said", "since"),
    [
        ("note: standup is at 9:30", "note: standup is at 10:00", "scratch that"),
        ("we decided to use reportlab", "let's drop reportlab and use weasyprint instead", "scratch that"),
        ("remind me to call the notary", "I called the notary, done", "scratch that, I called the wrong one"),
        ("the parents' evening is on dec 8", "the parents' evening is on dec 9 instead", "ignore that, I mixed it up with the other parents' evening"),
    ],
)  # fmt: skip
def test_what_was_scratched_gives_back_what_it_had_taken_the_place_of(engine, host, session, known, said, since):
    host.turn(session, known, "Noted.", at=MONDAY - timedelta(hours=3))
    host.turn("agent:main:a", said, "Noted.", at=MONDAY)
    assert known not in [one.body for one in engine.store.records(kinds=WORDED, standing=True)]
    host.turn("agent:main:a", since, "Ok.", at=MONDAY + timedelta(minutes=2))
    assert [one.body for one in engine.store.records(kinds=WORDED, standing=True)] == [known]
    turns = [chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION]
    assert any(known in turn for turn in turns)
    assert not any(said in turn for turn in turns)


def test_what_was_scratched_at_once_goes_from_the_turns_as_well(engine, host):
    host.turn("agent:main:a", "from now on use pnpm instead of npm", "Noted.", at=MONDAY)
    host.turn("agent:main:a", "scratch that, back to npm", "Ok.", at=MONDAY + timedelta(minutes=2))
    assert not [chunk for chunk in engine.store.all_chunks() if "pnpm" in chunk.text and chunk.kind is SESSION]


@pytest.mark.parametrize("since", ["ignore that, go on", "ignore that error", "scratch that itch", "vergiss das nicht"])
def test_who_takes_back_nothing_of_what_they_said_keeps_it(engine, host, since):
    host.turn("agent:main:a", "from now on use pnpm instead of npm", "The linter fails.", at=MONDAY)
    host.turn("agent:main:a", since, "Ok.", at=MONDAY + timedelta(minutes=2))
    assert "pnpm" in engine.brief("agent:main:c", at=MONDAY + timedelta(hours=3)).text


def test_scrapping_what_nobody_chose_is_no_memory(engine, host):
    host.turn("agent:main:a", "scrap the header", "Ok.", at=MONDAY)
    host.turn("agent:main:a", "I closed the window, done", "Ok.", at=MONDAY + timedelta(minutes=5))
    assert not engine.store.records(kinds=[DECISION, FACT])
    assert not engine.brief("agent:main:b", at=MONDAY + timedelta(hours=1)).text


PRESENT = "Noor's present is a red kayak, the secret one. The shop in Galway closes at six on saturdays."


@pytest.mark.parametrize(
    ("said", "order"),
    [
        (PRESENT, "forget what I said about Noor's present"),
        (PRESENT, "ok, please forget everything I told you about Noor's present."),
        ("Noors Geschenk ist ein rotes Kajak. Der Laden in Galway schließt samstags um sechs.", "vergiss, was ich über Noors Geschenk gesagt habe"),
        ("Le cadeau de Noor est un kayak rouge. Le magasin de Galway ferme à six heures.", "oublie ce que j'ai dit sur le cadeau de Noor"),
    ],
)  # fmt: skip
def test_what_a_person_asks_to_be_forgotten_is_told_no_more_nor_that_they_asked(engine, host, said, order):
    host.turn("agent:main:a", said, "Noted.", at=MONDAY)
    host.turn("agent:main:b", order, "Forgotten.", at=MONDAY + timedelta(hours=1))
    host.turn("agent:main:a", "the ferry to Inis Mor leaves at ten", "Ok.", at=MONDAY + timedelta(hours=2))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    assert "Noor" not in turns
    assert "Galway" in turns
    assert "Inis Mor" in turns
    assert not [one for one in engine.store.records(standing=True) if "Noor" in f"{one.title}{one.body}"]


GUESTS = (
    "we have the Bergmanns over on saturday, 4 adults 4 kids, Tom doesn't eat pork and Lina is vegetarian. menu idea?"
)


@pytest.mark.parametrize("said", [GUESTS, "remember: Tom doesn't eat pork, but Lina is vegetarian, and she hates eggs"])
@pytest.mark.parametrize("order", ["forget that Lina is vegetarian", "forget the thing about Lina being vegetarian", "forget everything I said about Lina"])  # fmt: skip
@pytest.mark.parametrize("session", ["agent:main:a", "agent:main:b"])
def test_what_was_said_of_others_in_the_same_sentence_is_not_forgotten(engine, host, said, order, session):
    host.turn("agent:main:a", said, "Noted: Lina is vegetarian and Tom doesn't eat pork.", at=MONDAY)
    host.turn(session, order, "Forgotten.", at=MONDAY + timedelta(hours=1))
    host.turn("agent:main:a", "the ferry to Inis Mor leaves at ten", "Ok.", at=MONDAY + timedelta(hours=2))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    records = " ".join(f"{one.title} {one.body}" for one in engine.store.records(standing=True))
    for word in ("Lina", "vegetarian", "eggs"):
        assert word not in f"{turns} {records}"
    assert turns.count("Tom doesn't eat pork") == 2
    assert "pork" in asked(engine, "what does Tom not eat?")


@pytest.mark.parametrize(
    ("said", "answer", "prompt", "word"),
    [
        (
            "水管工叫王师傅，他的电话是13800001111。",
            "好的，我记住了。",
            "水管工王师傅的电话号码是多少？",
            "13800001111",
        ),
        (
            "配管工は田中さんで、電話は13800001111です。",
            "わかりました。",
            "配管工の田中さんの電話番号は？",
            "13800001111",
        ),
    ],
)
def test_a_short_session_without_blanks_is_remembered(engine, host, said, answer, prompt, word):
    host.turn("agent:main:a", said, answer, at=MONDAY)
    host.turn("agent:main:b", "你好", "你好！", at=MONDAY + timedelta(hours=2))
    assert word in asked(engine, prompt)
    assert len([chunk for chunk in engine.store.all_chunks() if chunk.kind is SESSION]) == 1


def test_of_what_is_said_without_blanks_only_what_was_asked_for_is_forgotten(engine, host):
    said = "王师傅是水管工。 王师傅的电话是13800001111。 暖气每年十月检查一次。"
    host.turn("agent:main:a", said, "记住了，暖气在十月检查。", at=MONDAY)
    host.turn("agent:main:b", "忘掉我说的关于王师傅的事情。", "好的。", at=MONDAY + timedelta(hours=1))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    assert "王师傅" not in turns
    assert "暖气每年十月检查一次" in turns


@pytest.mark.parametrize(
    ("since", "kept"),
    [
        ("不用红色了，改用蓝色。", "我们决定用红色的瓷砖铺浴室。不用红色了，改用蓝色。"),
        ("浴室的瓷砖不用红色了，改用蓝色的瓷砖。", "浴室的瓷砖不用红色了，改用蓝色的瓷砖。"),
    ],
)
def test_a_choice_without_blanks_stands_by_itself_where_it_says_of_what_it_is(engine, host, since, kept):
    host.turn("agent:main:a", "我们决定用红色的瓷砖铺浴室。", "好的。", at=MONDAY)
    host.turn("agent:main:a", since, "好的。", at=MONDAY + timedelta(minutes=5))
    assert [one.body for one in engine.store.records(standing=True) if one.kind == DECISION] == [kept]


@pytest.mark.parametrize(
    ("said", "word", "prompt"),
    [
        ("off the record: I am looking for a new job at Velora", "Velora", "am I looking for a new job?"),
        ("please don't remember this: Lotte ist schwanger", "Lotte", "ist Lotte schwanger?"),
        ("merk dir das bitte nicht: Lotte ist schwanger", "Lotte", "ist Lotte schwanger?"),
    ],
)
def test_what_is_said_off_the_record_is_told_no_more(engine, host, said, word, prompt):
    host.turn("agent:main:a", said, f"I keep {word} to myself.", at=MONDAY)
    host.turn("agent:main:a", "the ferry to Inis Mor leaves at ten", "Ok.", at=MONDAY + timedelta(hours=1))
    assert word not in asked(engine, prompt)
    assert not [chunk for chunk in engine.store.all_chunks() if word in chunk.text]
    assert "ten" in asked(engine, "when does the ferry to Inis Mor leave?")


def test_what_is_said_again_after_it_was_to_be_forgotten_is_kept(engine, host):
    host.turn("agent:main:a", PRESENT, "Noted.", at=MONDAY)
    host.turn("agent:main:a", "forget what I said about Noor's present", "Ok.", at=MONDAY + timedelta(hours=1))
    host.turn("agent:main:a", "Noor's present is a blue tent", "Ok.", at=MONDAY + timedelta(hours=2))
    block = asked(engine, "what is Noor's present?")
    assert "blue tent" in block
    assert "kayak" not in block


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("Lina is our best translator. She told me she has a slipped disc, so no more than four hours a day.", "forget what i said about lina's slipped disc"),
        ("Lina is our best translator.\nand she has a slipped disc, poor thing. the ferry to Cork leaves at two", "please forget what I said about the slipped disc of Lina"),
        ("Lina übersetzt für uns. Sie hat einen Bandscheibenvorfall am Rücken, also nur vier Stunden.", "vergiss was ich über Linas Bandscheibenvorfall am Rücken gesagt habe"),
        ("Lina traduit pour nous. Elle a une hernie discale, donc quatre heures par jour.", "oublie ce que j'ai dit sur la hernie discale de Lina"),
        ("Lina traduce para nosotros. Tiene una hernia discal, así que cuatro horas al día.", "olvida lo que he dicho sobre la hernia discal de Lina"),
        ("Lina traduit pour nous. Elle a eu une opération du dos, donc quatre heures.", "oublie ce que j'ai dit sur l'opération de Lina"),
        ("Lina traduce per noi. Lei ha un'ernia del disco, quindi quattro ore.", "dimentica quello che ho detto sull'ernia di Lina"),
        ("Lina traduce per noi. Ha la sciatica cronica, quindi quattro ore al giorno.", "dimentica quello che ho detto sulla sciatica cronica di Lina"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turns", [1, 2])
def test_what_was_said_of_somebody_by_she_or_he_is_forgotten_with_the_name(engine, host, said, order, turns):
    told = said.split(". ", 1) if turns > 1 and ". " in said else [said]
    for number, one in enumerate(told):
        host.turn("agent:main:a", one, "Noted.", at=MONDAY + timedelta(minutes=5 * number))
    host.turn(
        "agent:main:a", "Tom says he has a big red disc for the frisbee club.", "Ok.", at=MONDAY + timedelta(minutes=20)
    )
    host.turn("agent:main:b", order, "Forgotten.", at=MONDAY + timedelta(hours=3))
    host.turn("agent:main:a", "the ferry to Inis Mor leaves at ten", "Ok.", at=MONDAY + timedelta(hours=4))
    told_turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    records = " ".join(f"{one.title} {one.body}" for one in engine.store.records(standing=True))
    for word in ("slipped", "Bandscheibe", "hernie", "hernia", "sciatica", "opération", "ernia"):
        assert word not in f"{told_turns} {records}"
    assert "Lina" in told_turns
    assert "frisbee" in told_turns


@pytest.mark.parametrize("said", ["forget what I said", "don't forget what I said about Noor's present", "forget what I said about it"])  # fmt: skip
def test_who_does_not_say_of_what_has_nothing_forgotten(engine, host, said):
    host.turn("agent:main:a", PRESENT, "Noted.", at=MONDAY)
    host.turn("agent:main:a", said, "Ok.", at=MONDAY + timedelta(hours=1))
    assert "red kayak" in asked(engine, "what is Noor's present?")


@pytest.mark.parametrize("prompt", ["what's on today?", "am I free today?", "was steht heute an?"])
def test_what_was_said_today_is_no_plan_for_today(engine, host, prompt):
    for number, said in enumerate(("who is the contact at acme?", "mend the parser of the invoices")):
        host.turn(f"agent:main:{number}", said, "Petra Lindqvist, I think.", at=MONDAY + timedelta(minutes=number))
    later = MONDAY + timedelta(hours=5)
    assert engine.recall(prompt, at=later).text == ""
    host.turn("agent:main:3", "The dentist is on 2026-03-02 at four.", "Noted.", at=MONDAY - timedelta(days=4))
    block = engine.recall(prompt, at=later).text
    assert "dentist" in block
    assert "acme" not in block


def test_what_was_talked_about_today_is_what_was_said_today(engine, host):
    host.turn("agent:main:0", "who is the contact at acme?", "Petra Lindqvist, I think.", at=MONDAY)
    later = MONDAY + timedelta(hours=5)
    assert "acme" in engine.recall("what did we talk about today?", at=later).text


def test_a_note_of_today_answers_what_is_on_today(engine, host, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/2026-03-02.md").write_text("# Monday\n\nRehearsal of the choir at seven.\n", encoding="utf-8")
    engine.index(tmp_path / "notes")
    host.turn("agent:main:0", "who is the contact at acme?", "Petra Lindqvist, I think.", at=MONDAY)
    block = engine.recall("what's on today?", at=MONDAY + timedelta(hours=5)).text
    assert "choir" in block
    assert "acme" not in block


@pytest.mark.parametrize("session", ["agent:main:a", "agent:main:b"])
@pytest.mark.parametrize(
    ("own", "others"),
    [
        ("We decided to use Postgres for the shop.", "My brother switched from Postgres to Oracle at his company's shop."),
        ("I need to call the notary about the garage deed.", "the notary's office called and wants the garage deed by friday"),
        ("Ich muss noch den Steuerberater anrufen.", "Der Steuerberater hat angerufen, er ist krank."),
        ("I need to pay the invoice of Kolbe by monday", "Kolbe sent another invoice, I paid the old invoice of Kolbe in may already"),
    ],
)  # fmt: skip
def test_what_others_do_ends_nothing_of_the_persons_own(engine, host, session, own, others):
    host.turn("agent:main:a", own, "Ok.", at=MONDAY)
    host.turn(session, others, "Ok.", at=MONDAY + timedelta(hours=1))
    assert own in [record.body for record in engine.store.records(kinds=[DECISION, WORKING], standing=True)]


@pytest.mark.parametrize("session", ["agent:main:a", "agent:main:b"])
@pytest.mark.parametrize(
    ("said", "order", "word"),
    [
        ("My sister is allergic to hazelnuts.", "forget what I said about hazelnuts", "hazelnut"),
        ("Die Schrift in den Briefen ist immer Garamond.", "vergiss was ich über die Schrift gesagt habe", "Schrift"),
        ("Das Gartenhaus streichen wir im Mai grün.", "vergiss bitte, was ich über das Gartenhaus gesagt habe", "Gartenhaus"),
        ("We bought the new house in Cork for 310,000.", "please forget everything about the new house", "house"),
        ("The roof was leaking above the kitchen.", "Can you forget that I told you about the roof?", "roof"),
        ("The rent is 890 euros from now on.", "Please forget that thing about the rent.", "rent"),
        ("Der Zahnarzt ist am Montag um neun.", "vergiss das mit dem Zahnarzt", "Zahnarzt"),
        ("Der Earl Grey schmeckt mir nicht.", "vergiss das mit dem Earl Grey, das stimmt gar nicht", "Earl"),
        ("Opa Ernst wohnt jetzt in Plön.", "vergiss bitte alles über Opa Ernst, danke", "Ernst"),
        ("The parcel locker has the code 4711.", "delete what I told you about the parcel locker", "locker"),
        ("Lund's new number is 0421 33 90 18.", "forget Lund's number", "0421"),
        ("Brid's mobile is 087 555 0142, she works at the harbour.", "forget Brid's number", "0142"),
        ("Brid Kearns, phone 087 555 0142.", "please forget Brid's mobile", "0142"),
        ("Brids Handy ist 0171 234 56 78.", "vergiss Brids Nummer", "0171"),
        ("The landlord is Mr Krause.", "forget what I said about the landlord, he moved", "landlord"),
        ("I hate earl grey.", "forget that I hate earl grey", "grey"),
        ("The tent is green.", "please forget the tent thing", "tent"),
        ("Always use spaces for the indentation.", "Take back what I said about spaces.", "spaces"),
    ],
)  # fmt: skip
def test_one_word_is_enough_where_little_was_said_with_it(engine, host, session, said, order, word):
    host.turn("agent:main:a", f"{said} The bike stands in the cellar.", "Noted.", at=MONDAY)
    host.turn(session, order, "Forgotten.", at=MONDAY + timedelta(hours=1))
    host.turn("agent:main:a", "the ferry to Inis Mor leaves at ten", "Ok.", at=MONDAY + timedelta(hours=2))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks())
    assert word not in turns
    assert "cellar" in turns
    assert not [one for one in engine.store.records(standing=True) if word in f"{one.title}{one.body}"]


def test_a_phone_number_that_was_told_among_other_things_is_found_and_a_newer_one_first(engine, host):
    fillers = ("The bike stands in the cellar.", "The ferry to Cork leaves at ten.", "Ella likes the blue tent.")
    for number, said in enumerate(fillers):
        host.turn(f"agent:main:f{number}", said, "Noted.", at=MONDAY + timedelta(hours=number))
    told = "lina is our best german translator, she lives in lyon, phone 06 51 22 80 14, she has a little son, anton"
    host.turn("agent:main:a", told, "Noted.", at=MONDAY + timedelta(days=1))
    host.turn(
        "agent:main:a",
        "tom mends the roof on friday, he charges 45 an hour",
        "Noted.",
        at=MONDAY + timedelta(days=1, minutes=2),
    )
    assert "06 51 22 80 14" in asked(engine, "what's lina's phone number?")
    later = MONDAY + timedelta(days=9)
    host.turn("agent:main:b", "lina called, she moves to bremen in may because of a job", "Ok.", at=later)
    host.turn("agent:main:b", "her new number from then: 0421 33 90 18", "Noted.", at=later + timedelta(minutes=1))
    host.turn(
        "agent:main:c",
        "lina has arrived in bremen, Am Dobben 41, 28203 Bremen now",
        "Ok.",
        at=later + timedelta(days=20),
    )
    block = asked(engine, "what's lina's phone number?", days=60)
    assert block.index("0421 33 90 18") < block.index("06 51 22 80 14")
    assert "superseded" in block.split("0421 33 90 18")[1].split("06 51 22 80 14")[0]
    assert asked(engine, "what's tom's phone number?") == ""


@pytest.mark.parametrize(
    ("said", "answer", "order"),
    [
        ("Lina has a slipped disc, the operation is on may 3. The ferry to Cork leaves at two.", "Sorry about the slipped disc. The ferry to Cork is noted.", "forget what I said about Lina's slipped disc"),
        ("Lina hat einen Bandscheibenvorfall am Rücken, die Operation ist am 3. Mai. Die Fähre nach Cork geht um zwei.", "Das mit dem Bandscheibenvorfall am Rücken tut mir leid. Die Fähre nach Cork ist notiert.", "vergiss was ich über Linas Bandscheibenvorfall am Rücken gesagt habe"),
        ("Lina a une hernie discale, l'opération est le 3 mai. Le ferry pour Cork part à deux heures.", "Désolé pour la hernie discale. Le ferry pour Cork est noté.", "oublie ce que j'ai dit sur la hernie discale de Lina"),
    ],
)  # fmt: skip
def test_what_the_same_sentence_and_the_answer_say_of_it_is_forgotten_as_well(engine, host, said, answer, order):
    host.turn("agent:main:a", said, answer, at=MONDAY)
    host.turn("agent:main:b", order, "Forgotten.", at=MONDAY + timedelta(hours=1))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    records = " ".join(f"{one.title} {one.body}" for one in engine.store.records(standing=True))
    for word in ("slipped", "operation", "Operation", "opération", "Bandscheibe", "hernie"):
        assert word not in f"{turns} {records}"
    assert turns.count("Cork") == 2


def test_where_nothing_holds_what_is_to_be_forgotten_the_record_of_it_says_so(engine, host):
    host.turn("agent:main:a", "She'd like 2,050 euros from september, said Yasmine.", "Noted.", at=MONDAY)
    host.turn("agent:main:b", "vergiss was ich über Yasmines Gehalt gesagt habe", "Ok.", at=MONDAY + timedelta(hours=1))
    asked_for = next(one for one in engine.store.records() if one.status is RecordStatus.RETRACTED)
    assert "nothing that they said holds all of these words" in engine.store.record_history(asked_for.id)[-1].why


@pytest.mark.parametrize("prompt", ["what happened today", "was war heute", "was hab ich heute gemacht"])
def test_what_one_only_asked_that_day_was_not_done_that_day(engine, host, prompt):
    host.turn("agent:main:a", "what's the door code of the shed", "4711.", at=MONDAY)
    host.turn("agent:main:a", "und am Tag danach", "Nichts.", at=MONDAY + timedelta(minutes=5))
    later = MONDAY + timedelta(hours=3)
    assert engine.recall(prompt, at=later).text == ""
    host.turn("agent:main:b", "I painted the fence in the garden green.", "Nice.", at=MONDAY + timedelta(hours=1))
    host.turn("agent:main:c", "can you fix the gate in the yard", "It is fixed.", at=MONDAY + timedelta(hours=2))
    told = engine.recall(prompt, at=later).text
    assert "painted the fence" in told
    assert "fix the gate" in told
    assert "door code" not in told
    assert "door code" in engine.recall("what did I ask today", at=later).text


def test_of_one_word_in_much_that_was_said_nothing_is_forgotten_and_its_record_says_so(engine, host):
    told = ["I left the car in the garage.", "The car is a red Skoda.", "My car needs two new tyres.", "Mara drives the car to Kiel."]  # fmt: skip
    for hours, said in enumerate(told):
        host.turn("agent:main:a", said, "Ok.", at=MONDAY + timedelta(hours=hours))
    host.turn("agent:main:b", "forget what I said about the car", "Forgotten.", at=MONDAY + timedelta(hours=9))
    turns = " ".join(chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION)
    assert all(said in turns for said in told)
    assert "forget" not in turns
    (asking,) = engine.store.records(statuses=[RecordStatus.RETRACTED])
    assert "nothing was forgotten, 4 statements" in engine.store.record_history(asking.id)[-1].why


def test_a_session_counts_the_days_of_who_is_told(tmp_path):
    """Said in the early hours of Tokyo "tomorrow" was the day after yesterday: it is still yesterday in UTC."""
    tokyo = ZoneInfo("Asia/Tokyo")
    with Engine.open(Config(timezone="Asia/Tokyo"), folder=tmp_path / "store", strict=True) as engine:
        said_at = datetime(2026, 11, 28, 8, tzinfo=tokyo)
        Host(engine).turn("agent:main:a", "Don't forget the parents' evening tomorrow.", "Noted.", at=said_at)
        assert "parents' evening" in engine.brief("agent:main:b", at=datetime(2026, 11, 29, 19, tzinfo=tokyo)).text
        assert engine.brief("agent:main:b", at=datetime(2026, 11, 30, 1, tzinfo=tokyo)).text == ""
