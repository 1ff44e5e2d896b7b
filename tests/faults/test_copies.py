"""What no file can rebuild stays: through a rebuild, damage, a restore and a migration; and what was forgotten stays out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py import Engine
from hookclaw_py.capture.reports import Report
from hookclaw_py.cli.commands import main
from hookclaw_py.config import CaptureConfig, home
from hookclaw_py.errors import StoreError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.types import Prompt
from hookclaw_py.store.database import Store
from hookclaw_py.store.dialects.sqlite import copies, salvage, schema
from hookclaw_py.store.dialects.sqlite.migrations import MIGRATIONS
from tests.conftest import NOW
from tests.faults.test_recovery import CONFIG, QUESTION, asked, notes, opened  # noqa: F401

SECRET = "Quillwort"
GARDEN = "where are the tulips planted?"
LAUNDRY, WHERE_LAUNDRY = (
    "The laundry of the lighthouse is done in Skagen.",
    "where is the laundry of the lighthouse done?",
)


def agent() -> Path:
    return home() / "agents/main"


def run(*arguments: object) -> str:
    done = CliRunner().invoke(main, [str(one) for one in arguments], env={"HOOKCLAW_ENABLE_VECTOR": "false"})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def lived(notes: Path) -> dict[str, str]:  # noqa: F811
    """Let an agent learn: one memory is pinned, one blocked, one forgotten; return their ids by a word of theirs."""
    (notes / "memory/2026-02-03.md").write_text("## Ferry\n\nThe ferry pilot of the harbour is called Oduya.\n")
    with Engine.open(CONFIG) as engine:
        engine.index(notes)
        injection = engine.recall(Prompt(QUESTION, NOW, "main", "s", run_id="r", audience=Audience.OWNER))
        assert SECRET in injection.text
        engine.agent_end("s", "The codeword is Quillwort.", run="r")
        ids = {
            word: chunk.id
            for word in (SECRET, "Oduya", "tulips")
            for chunk in engine.store.all_chunks()
            if word in chunk.text
        }
    run("feedback", "pin", ids["Oduya"])
    run("feedback", "block", ids["tulips"])
    run("feedback", "forget", "--yes", ids[SECRET])
    return ids


def said() -> tuple[object, ...]:
    """Return all that a person said and that was recorded."""
    with Store.open(agent()) as store, store._reading() as connection:
        history = connection.execute("SELECT id, prompt, story FROM decisions ORDER BY id").fetchall()
        events = [(event.number, event.kind, event.data) for event in store.events()]
        return store.marks(), events, history, store.all_uses(), connection.execute("SELECT * FROM counts").fetchall()


def assert_nothing_comes_back(lived: dict[str, str]) -> None:
    with Engine.open(CONFIG) as engine:
        engine.index()
        assert SECRET not in asked(engine).text
        assert "tulips" not in asked(engine, GARDEN).text
        assert engine.store.marks() == {lived["Oduya"]: "pin", lived["tulips"]: "block"}
    for file in agent().rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def test_every_table_is_either_kept_or_made_anew():
    with Store.open(None) as store, store._reading() as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert tables == {*salvage.TRUTH, *salvage.REMEMBERED, *salvage.DERIVED}


def test_a_rebuild_keeps_what_a_person_said_and_what_happened(lived):
    before = said()
    run("index", "--rebuild")
    assert said() == before
    assert_nothing_comes_back(lived)


def said_in_a_session(notes: Path, *, keep_raw_days: int) -> None:  # noqa: F811
    """Let two turns of a day be captured by the main agent, of which the raw words are kept for so long."""
    config = CONFIG.model_copy(update={"capture": CaptureConfig(keep_raw_days=keep_raw_days)})
    with Engine.open(config) as engine:
        engine.index(notes)
        for minute, text in enumerate(("Marisol draws the logo of the ferry.", LAUNDRY)):
            at = NOW + timedelta(minutes=minute)
            common = {"host": "claude-code", "session": "s", "run": str(minute), "audience": Audience.OWNER}
            said = [Report(HappeningKind.PROMPT, at, payload={"text": text}, **common)]
            said.append(Report(HappeningKind.ANSWER, at, payload={"text": "Noted."}, **common))
            engine.capturing.record(said, at=at)
            engine.capturing.work_off()
        assert LAUNDRY in asked(engine, WHERE_LAUNDRY).text


def test_a_rebuild_keeps_what_was_said_in_sessions(notes):  # noqa: F811
    said_in_a_session(notes, keep_raw_days=0)
    run("index", "--rebuild")
    run("index")
    with Engine.open(CONFIG) as engine:
        assert LAUNDRY in asked(engine, WHERE_LAUNDRY).text


def test_a_rebuild_writes_down_again_what_was_said_and_is_lost_and_nothing_twice(notes):  # noqa: F811
    said_in_a_session(notes, keep_raw_days=3650)
    with Store.open(agent()) as store:
        before = [chunk.text for chunk in store.all_chunks() if chunk.kind is SESSION]
        for path in [path for path, file in store.files().items() if file.kind is SESSION]:
            store.forget_file(path)
    for _ in range(2):
        run("index", "--rebuild")
        with Engine.open(CONFIG) as engine:
            assert LAUNDRY in asked(engine, WHERE_LAUNDRY).text
            assert [chunk.text for chunk in engine.store.all_chunks() if chunk.kind is SESSION] == before


def test_a_day_whose_first_words_were_let_go_is_not_written_down_twice(notes):  # noqa: F811
    said_in_a_session(notes, keep_raw_days=3650)
    with Store.open(agent()) as store:
        with store._writing() as connection:
            connection.execute("UPDATE happenings SET payload = NULL WHERE run = '0'")
        before = [chunk.text for chunk in store.all_chunks() if chunk.kind is SESSION]
    run("index", "--rebuild")
    with Store.open(agent()) as store:
        assert [chunk.text for chunk in store.all_chunks() if chunk.kind is SESSION] == before


def test_a_rebuild_reaches_a_running_engine_and_what_it_records_then_is_not_lost(lived, notes):  # noqa: F811
    with Engine.open(CONFIG) as engine:
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text
        run("index", "--rebuild")
        (notes / "memory/2026-02-04.md").write_text("## Lighthouse\n\nThe lighthouse keeper is called Brandt.\n")
        run("index")
        injection = asked(engine, "who is the lighthouse keeper?")
        assert "Brandt" in injection.text
    with Store.open(agent()) as store:
        assert injection.id in [event.injection for event in store.events()]


@pytest.mark.parametrize("damage", ["a page", "the header", "no page left"])
def test_a_damaged_store_is_salvaged_and_says_what_was_lost(lived, notes, damage):  # noqa: F811
    with Store.open(agent()) as store, store._writing() as connection:
        for _ in range(400):  # so that the tables have many pages
            connection.execute(
                "INSERT INTO events (at, kind, session, injection, data) VALUES (?, 'unshown', '', '', '{}')",
                (NOW.isoformat(),),
            )
    file = agent() / "memory.db"
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = raw.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks_by_date'").fetchone()
    raw.close()
    data = bytearray(file.read_bytes())
    pages = {
        "a page": range(page - 1, page),
        "the header": range(1),
        "no page left": range(1, len(data) // schema.PAGE_SIZE),
    }
    for number in pages[damage]:
        data[schema.PAGE_SIZE * number : schema.PAGE_SIZE * (number + 1)] = b"\xa5" * schema.PAGE_SIZE
    with Engine.open(CONFIG) as engine:  # it runs meanwhile
        file.write_bytes(data)
        for command in ("status", "index"):
            assert CliRunner().invoke(main, [command], env={"HOOKCLAW_ENABLE_VECTOR": "false"}).exit_code != 0
        done = CliRunner().invoke(main, ["index", "--rebuild", str(notes)], env={"HOOKCLAW_ENABLE_VECTOR": "false"})
        assert done.exit_code == 0, done.output
        assert "memory.db.corrupt-1" in done.stderr
        assert ("lost of events" in done.stderr) == (damage != "a page")
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text
        assert SECRET not in asked(engine).text
    assert copies.damage(file) == ""
    if damage == "a page":
        assert_nothing_comes_back(lived)
        with Store.open(agent()) as store:
            assert sum(event.kind == "unshown" for event in store.events()) == 400


def test_events_around_a_damaged_page_are_saved(lived):
    with Store.open(agent()) as store, store._writing() as connection:
        for n in range(2_000):
            data = f'{{"memory": "{n:016x}", "mark": ""}}'
            connection.execute(
                "INSERT INTO events (at, kind, session, injection, data) VALUES (?, 'mark', '', '', ?)",
                (NOW.isoformat(), data),
            )
    file = agent() / "memory.db"
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    data = file.read_bytes()
    hit = [
        n
        for n in range(1, len(data) // schema.PAGE_SIZE)
        if data[schema.PAGE_SIZE * n] == 13 and b'"mark": ""' in data[schema.PAGE_SIZE * n : schema.PAGE_SIZE * (n + 1)]
    ]
    victims = hit[5], hit[12], hit[13]
    broken = bytearray(data)
    for number in victims:
        broken[schema.PAGE_SIZE * number : schema.PAGE_SIZE * number + 64] = b"\xa5" * 64
    file.write_bytes(broken)
    before = data.count(b'"mark": ""')
    lost = sum(
        data[schema.PAGE_SIZE * number : schema.PAGE_SIZE * (number + 1)].count(b'"mark": ""') for number in victims
    )
    rebuilt = copies.rebuild(agent(), at=NOW)
    assert rebuilt is not None
    assert set(rebuilt.lost) == {"events"}
    with Store.open(agent()) as store:
        saved = sum(event.kind == "mark" and event.data["mark"] == "" for event in store.events())
        assert saved >= before - lost
        assert store.marks() == {lived["Oduya"]: "pin", lived["tulips"]: "block"}


def test_what_was_forgotten_stays_out_even_when_the_database_is_deleted(lived, notes):  # noqa: F811
    (agent() / "memory.db").unlink()
    with Engine.open(CONFIG) as engine:
        engine.index(notes)
        assert SECRET not in asked(engine).text
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text


@pytest.mark.parametrize("beside", [None, '{"digests": [], "ids": []}'])
def test_what_was_forgotten_elsewhere_outlives_the_database(lived, notes, beside):  # noqa: F811
    """By an earlier version, or while the memory was on a server: of the file beside it, it knows as of before."""
    (agent() / "forgotten").unlink()
    if beside:
        (agent() / "forgotten").write_text(beside)
    Store.open(agent()).close()
    (agent() / "memory.db").unlink()
    with Engine.open(CONFIG) as engine:
        engine.index(notes)
        assert SECRET not in asked(engine).text


def test_forgetting_reaches_the_copies_set_aside(lived, notes, tmp_path):  # noqa: F811
    run("backup", tmp_path / "backup.db")
    run("restore", tmp_path / "backup.db")
    file = agent() / "memory.db"
    (agent() / "memory.db.corrupt-1").write_bytes(file.read_bytes()[:8192] + b"Oduya" * 1000)
    (agent() / "memory.db.corrupt-2-wal").write_bytes(b"Oduya" * 1000)
    (agent() / "memory.db.draft-4711").write_bytes(file.read_bytes())  # of a restore that was killed
    told = run("feedback", "forget", "--yes", lived["Oduya"])
    assert "memory.db.before-restore-1" in told
    assert "deleted" in told
    for path in agent().rglob("*"):
        assert not path.is_file() or b"Oduya" not in path.read_bytes(), path


def test_what_cannot_be_remembered_as_forgotten_is_not_forgotten_and_it_says_so(lived):
    """It outlives the database in a file beside it; where that cannot be written nothing is half forgotten."""
    (agent() / "forgotten").unlink(missing_ok=True)
    (agent() / "forgotten").mkdir()
    done = CliRunner().invoke(main, ["feedback", "forget", "--yes", lived["Oduya"]])
    assert done.exit_code == 2
    assert "cannot write what was forgotten to" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in agent().glob("forgotten*")] == ["forgotten"]
    with Engine.open(CONFIG) as engine:
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text


def test_who_runs_while_a_backup_comes_back_knows_its_names(notes, tmp_path):  # noqa: F811
    """A file had as many passages as before: the names of what was there until then went on being known instead."""
    note = notes / "memory/2026-02-03.md"
    with Engine.open(CONFIG) as engine:
        for boat in ("Undine", "Karla"):
            note.write_text(f"## {boat}\n\n{boat} lies in the harbour since May.\n")
            engine.index(notes)
            if boat == "Undine":
                run("backup", tmp_path / "backup.db")
        assert {"undine", "karla"} & engine.store.names() == {"karla"}
        run("restore", tmp_path / "backup.db")
        assert {"undine", "karla"} & engine.store.names() == {"undine"}


def test_what_was_switched_off_since_a_backup_stays_off_when_it_comes_back(lived, tmp_path):
    run("backup", tmp_path / "backup.db")
    run("--agent", "main", "capture", "off")
    run("--agent", "main", "pause")
    run("restore", tmp_path / "backup.db")
    with Engine.open(CONFIG) as engine:
        assert engine.switches.not_captured()
        assert engine.switches.paused(NOW.now(NOW.tzinfo))


def test_a_backup_comes_back_without_what_was_forgotten_since_and_running_engines_go_on(lived, notes, tmp_path):  # noqa: F811
    run("backup", tmp_path / "backup.db")
    assert (tmp_path / "backup.db").stat().st_mode & 0o077 == 0
    run("feedback", "unpin", lived["Oduya"])
    run("feedback", "forget", "--yes", lived["tulips"])
    with Engine.open(CONFIG) as engine:
        asked(engine)
        assert "before-restore-1" in run("restore", tmp_path / "backup.db")
        asked(engine, "who is the ferry pilot of the harbour?")
        assert engine.store.marks() == {lived["Oduya"]: "pin"}
        engine.index()
        assert "tulips" not in asked(engine, GARDEN).text
    assert b"planted along the fence" not in (agent() / "memory.db").read_bytes()
    with Engine.open(CONFIG) as engine:
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text


def with_pages_of(file: Path, size: int) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA page_size = {size}")
        connection.execute("VACUUM")
        assert connection.execute("PRAGMA page_size").fetchone() == (size,)


@pytest.mark.parametrize("which", ["the store is", "the backup is"])
def test_what_an_earlier_version_wrote_in_larger_pages_is_restored_like_any_other(lived, tmp_path, which):
    run("backup", tmp_path / "backup.db")
    with_pages_of(agent() / "memory.db" if which == "the store is" else tmp_path / "backup.db", 4096)
    run("feedback", "unpin", lived["Oduya"])
    with Engine.open(CONFIG) as engine:
        asked(engine)
        run("restore", tmp_path / "backup.db")
        assert lived["Oduya"] in engine.store.marks(), "a running engine goes on with it"
        assert engine.store.check() == ""
    with Engine.open(CONFIG) as engine:
        assert "Oduya" in asked(engine, "who is the ferry pilot of the harbour?").text


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_what_is_no_sound_backup_is_refused_and_the_store_stays(lived, tmp_path, content):
    (tmp_path / "bad.db").write_bytes(content)
    before = said()
    done = CliRunner().invoke(main, ["restore", str(tmp_path / "bad.db")])
    assert done.exit_code == 2
    assert "bad.db is damaged" in done.stderr
    assert said() == before
    done = CliRunner().invoke(main, ["backup", str(tmp_path / "bad.db")])
    assert "there already" in done.stderr


def test_before_a_migration_the_database_is_copied(lived):
    def add_extra(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE extra (a)")

    Store.open(agent(), migrations=[*MIGRATIONS, add_extra]).close()
    (copy,) = agent().glob("memory.db.before-schema-*")
    assert copy.stat().st_mode & 0o077 == 0
    with sqlite3.connect(copy) as kept:
        assert kept.execute("PRAGMA user_version").fetchone()[0] == schema.newest()
        assert kept.execute("SELECT count(*) FROM events").fetchone()[0]
    kept.close()


def test_everything_in_the_private_folder_is_for_its_owner_only(lived, tmp_path):
    for path in (agent() / "memory.db", agent() / "lexical/meta.json", agent() / "index.lock"):
        path.chmod(0o644)
    run("recall", QUESTION)
    assert [path for path in agent().rglob("*") if path.stat().st_mode & 0o077] == []


def test_the_store_of_a_newer_version_is_not_rebuilt(lived):
    with sqlite3.connect(agent() / "memory.db") as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(StoreError, match="newer"):
        copies.rebuild(agent(), at=NOW)
