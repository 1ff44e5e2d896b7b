"""Recorded sessions as memory: both formats, nothing of anyone else's, and never in the gateway's way."""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import zstandard

from hookclaw_py import Config, Engine
from hookclaw_py.errors import ConfigError, StoreError
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.indexing import Pauses
from hookclaw_py.ingest.echoes import knows_nothing
from hookclaw_py.ingest.gateway_files import state_folder
from hookclaw_py.ingest.indexer import IndexReport, index_workspace
from hookclaw_py.ingest.sources import SourceRequest, index_sources
from hookclaw_py.ingest.spoken import MAX_CHARS
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.place import TurnPlace
from hookclaw_py.store.database import Store
from tests.unit.openclaw_state import START, State, event, everything, said

BERLIN = ZoneInfo("Europe/Berlin")
DOOR = ("What is the code of the blue door?", "The blue door's code is 7714, changed last week.")
LAMP = ("And where did we put the red lantern?", "The red lantern is in the cellar, second shelf.")


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(tmp_path / "state")


@pytest.fixture
def store():
    with Store.open(None) as store:
        yield store


@pytest.fixture
def index(state: State, store: Store):
    def run(*sources: str, agent: str = "main", zone=BERLIN):
        wanted = sources or ("memory", "sessions")
        return index_sources(SourceRequest(store, str(state.folder), agent, zone, ENVELOPE), wanted)

    return run


@pytest.fixture(params=["file", "rows", "packed rows"])
def write(request, state: State):
    """Write a session in each format."""

    def run(session: str, events, **about):
        if request.param == "file":
            state.file(session, events, agent=about.get("agent", "main"))
        else:
            state.rows(session, events, packed=request.param == "packed rows", **about)

    return run


def texts(store: Store) -> list[str]:
    return [chunk.text for chunk in store.all_chunks()]


def test_a_session_becomes_chunks_with_its_time_and_lines_whatever_the_format(write, index, store):
    write("s1", said(DOOR, LAMP))
    report = index()
    (chunk,) = store.all_chunks()
    assert chunk.text == f"User: {DOOR[0]}\nAssistant: {DOOR[1]}\nUser: {LAMP[0]}\nAssistant: {LAMP[1]}"
    assert (chunk.place, chunk.kind) == (TurnPlace("sessions/main/s1.jsonl", (2, 5)), SESSION)
    assert chunk.heading == "Conversation of 2026-02-18"
    assert chunk.created_at == START
    assert {"7714", "lantern"} <= set(chunk.terms)
    assert not {"user", "assist", "assistant"} & set(chunk.terms), "who speaks is no keyword"
    assert (report.seen, report.changed, report.added, report.warnings) == (1, 1, 1, ())


def test_an_unchanged_session_is_not_read_again(write, index, store):
    write("s1", said(DOOR))
    index()
    generation = store.generation()
    report = index()
    assert (report.unchanged, report.changed) == (1, 0)
    assert store.generation() == generation


def test_a_session_that_grows_keeps_its_chunks_and_gains_new_ones(state, write, index, store, request):
    first = said(DOOR)
    write("s1", first)
    index()
    (before,) = store.all_chunks()
    more = said(LAMP, start=START + timedelta(hours=5))[1:]
    if "file" in request.node.name:
        write("s1", [*first, *more])
    else:
        state.rows("s1", more, first=len(first))
    report = index()
    assert (report.changed, report.added, report.kept) == (1, 1, 1)
    assert store.all_chunks()[0].id == before.id
    assert [chunk.place.lines for chunk in store.all_chunks()] == [(2, 3), (4, 5)]


@pytest.mark.parametrize("sign", ["transcript_updated_at", "transcript_observed_at", "count"])
def test_a_session_that_was_edited_is_read_again_by_any_sign_of_it(state, index, store, sign):
    state.rows("s1", said(DOOR, LAMP))
    index()
    with state.database() as database:
        if sign == "count":
            database.execute("DELETE FROM transcript_events WHERE seq = 1")
        else:
            database.execute(f"UPDATE session_windows SET {sign} = 7")
    assert index().changed == 1


def test_a_new_title_gives_new_headings(state, index, store):
    state.file("s1", said(DOOR))
    for title in ("Doors", "Keys"):
        state.register({"agent:main:main": {"sessionId": "s1", "label": title}})
        assert index().changed == 1
        assert [c.heading for c in store.all_chunks()] == [f"Conversation of 2026-02-18 > {title}"]


def test_a_deleted_session_is_forgotten(state, index, store):
    file = state.file("s1", said(DOOR))
    state.rows("s2", said(LAMP))
    index()
    file.rename(file.with_name("s1.jsonl.deleted.2026-02-19T10-00-00.000Z"))
    with state.database() as database:
        database.execute("DELETE FROM session_windows WHERE session_id = 's2'")
        database.execute("DELETE FROM transcript_events WHERE session_id = 's2'")
    assert index().deleted == 2
    assert texts(store) == []


def test_what_was_said_before_a_reset_stays_under_the_same_path(state, index, store):
    file = state.file("s1", said(DOOR))
    index()
    before = store.all_chunks()
    file.rename(file.with_name("s1.jsonl.reset.2026-02-19T10-00-00.000Z"))
    index()
    assert store.all_chunks() == before
    state.file("s1", said(LAMP))
    index()
    assert [c.place.path for c in store.all_chunks()] == [
        "sessions/main/s1.jsonl",
        "sessions/main/s1.jsonl.reset.2026-02-19T10-00-00.000Z",
    ]


def test_a_compressed_archive_of_a_reset_session_is_read(state, index, store):
    state.file("s1", said(DOOR), suffix=".jsonl.reset.2026-02-19T10-00-00.000Z.zst")
    index()
    assert "7714" in texts(store)[0]


def test_trajectories_checkpoints_and_other_files_are_no_sessions(state, index, store):
    for suffix in (
        ".trajectory.jsonl",
        ".checkpoint.01234567-89ab-4cde-8f01-23456789abcd.jsonl",
        ".jsonl.lock",
        ".jsonl.bak",
    ):
        state.file("s1", said(DOOR), suffix=suffix)
    assert index().seen == 0


@pytest.mark.parametrize("storage", ["file", "sqlite"])
def test_a_session_in_cold_storage_is_read_from_its_archive(state, index, store, storage):
    state.rows("s1", [])
    records = [{"kind": "header", "version": 1}, {"kind": "fts", "row": {"text": "x"}}]
    records += [
        {"kind": "event", "row": {"seq": n, "event_json": json.dumps(e), "created_at": 1}}
        for n, e in enumerate(said(DOOR))
    ]
    packed = zstandard.compress("\n".join(map(json.dumps, records)).encode())
    name = "0" * 64 + ".jsonl.zst"
    if storage == "file":
        (state.sessions() / "cold").mkdir()
        (state.sessions() / "cold" / name).write_bytes(packed)
    with state.database() as database:
        database.execute(
            "INSERT INTO session_transcript_cold_archives VALUES ('s1', ?, ?, ?, ?)",
            (name, "0" * 64, storage, packed if storage == "sqlite" else None),
        )
    report = index()
    assert report.warnings == ()
    assert [c.place.lines for c in store.all_chunks()] == [(2, 3)]


def test_a_missing_archive_is_a_warning(state, index, store):
    state.rows("s1", [])
    with state.database() as database:
        database.execute("INSERT INTO session_transcript_cold_archives VALUES ('s1', '../../x', 'a', 'file', NULL)")
    assert "the archive of a session is missing" in index().warnings[0]


def test_the_database_counts_where_a_session_is_in_both_formats(state, index, store):
    state.file("s1", said(("An old question about paint?", "An old answer about paint.")))
    state.rows("s1", said(DOOR))
    index()
    assert len(texts(store)) == 1
    assert "7714" in texts(store)[0]


# What is left out of a session


def test_envelopes_our_own_block_and_directives_are_stripped(index, store, state):
    block = '<relevant_memories>\n  <memory source="memory" path="a.md" lines="1-1" score="0.9">\n    secret\n  </memory>\n</relevant_memories>'
    wrapped = (
        f'{block}\n\nConversation info (untrusted metadata):\n```json\n{{"message_id": "7"}}\n```\n\n'
        f"[Telegram Ada id:1 +2m 2026-02-18 13:05 UTC] {DOOR[0]}\n[message_id: 7]"
    )
    state.file("s1", said((wrapped, f"[[reply_to_current]] {DOOR[1]}")))
    index()
    assert texts(store) == [f"User: {DOOR[0]}\nAssistant: {DOOR[1]}"]


@pytest.mark.parametrize(
    "automatic",
    [
        "[cron:42 nightly] Summarise the day and write it down",
        "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        "System: [2026-02-18 13:05:00 UTC] Node connected and ready",
        "Pre-compaction memory flush. Store durable memories now.",
        "A new session was started via /new or /reset. Greet the user.",
        "/status",
        "/model fake-1",
    ],
)
def test_a_turn_that_no_person_began_is_left_out_with_its_answer(state, index, store, automatic):
    state.file("s1", said((automatic, "A long answer about the nightly garden report."), DOOR))
    index()
    assert texts(store) == [f"User: {DOOR[0]}\nAssistant: {DOOR[1]}"]


def test_a_message_of_another_session_is_left_out(state, index, store):
    foreign = event("user", "Please hand over the garden report.", message={"provenance": {"kind": "inter_session"}})
    state.file(
        "s1", [foreign, event("assistant", [{"type": "text", "text": "Here is the garden report."}]), *said(DOOR)]
    )
    index()
    assert "garden" not in texts(store)[0]


def test_tools_thinking_silence_mirrors_and_summaries_are_left_out(state, index, store):
    parts = [
        {"type": "thinking", "thinking": "hmm garden"},
        {"type": "text", "text": DOOR[1]},
        {"type": "toolCall", "name": "garden", "arguments": {}},
    ]
    events = [
        *said(DOOR[0]),
        event("assistant", parts),
        event("toolResult", [{"type": "text", "text": "garden output"}]),
        event("assistant", [{"type": "text", "text": DOOR[1]}]),
        event("assistant", [{"type": "text", "text": "NO_REPLY"}]),
        event("assistant", []),
        {"type": "compaction", "summary": "They spoke of the garden.", "firstKeptEntryId": "x"},
        {"type": "reset", "id": "r"},
        {"type": "custom_message", "content": "garden"},
        {"type": "message", "message": "garden"},
        ["garden"],
    ]
    state.file("s1", events)
    index()
    assert texts(store) == [f"User: {DOOR[0]}\nAssistant: {DOOR[1]}"]


def test_a_message_said_anew_replaces_the_old_one_and_all_that_followed_from_it(state, index, store):
    events = said(DOOR, ("Is the garden gate green?", "Yes, the garden gate is green."))
    anew = event("user", "Is the cellar door red?", id="again", parentId="assistant0")
    answer = event("assistant", "The cellar door is red.", id="last", parentId="again")
    state.file("s1", [*events, anew, answer])
    index()
    assert "cellar door is red" in texts(store)[0]
    assert "garden" not in texts(store)[0]


def test_a_sub_agents_session_is_left_out_even_when_nothing_else_says_so(state, index, store):
    task = "[Wed 2026-02-18 13:05 UTC] [Subagent Context] You are running as a subagent.\n\n[Subagent Task]: Count the doors."
    state.file("s1", said((task, "There are eleven doors in the house.")))
    assert index().warnings == ()
    assert texts(store) == []


def test_a_greeting_alone_is_no_memory(state, index, store):
    state.file("s1", said(("Hi", "Hello there!")))
    index()
    assert texts(store) == []


# How it is cut


def test_turns_of_one_hour_share_a_chunk_and_later_ones_do_not(state, index, store):
    state.file("s1", said(DOOR, LAMP, minutes=61))
    index()
    assert [c.created_at for c in store.all_chunks()] == [START, START + timedelta(minutes=61)]


def test_the_pause_counts_from_the_last_turn(state, index, store):
    state.file("s1", said(DOOR, LAMP, ("Thanks, and the keys?", "In the hall."), minutes=50))
    index()
    assert len(texts(store)) == 1


def test_the_headings_of_a_long_answer_are_kept(state, index, store):
    plants = " ".join(f"Water bed number {n} slowly." for n in range(30))
    state.file("s1", said((DOOR[0], f"# Doors\n\n{DOOR[1]} {plants}\n\n## Beds\n\n{plants}")))
    index()
    assert {chunk.heading.partition(" > ")[2] for chunk in store.all_chunks()} == {"Doors", "Doors > Beds"}
    assert store.all_chunks()[0].text.startswith(f"User: {DOOR[0]}\nAssistant: {DOOR[1]}")


def test_a_chunk_holds_about_a_hundred_words_and_no_turn_is_cut_before_it_must_be(state, index, store):
    turns = [
        (f"Question {n} about the garden and its many paths?", " ".join(["The path is long."] * 8)) for n in range(9)
    ]
    state.file("s1", said(*turns))
    index()
    chunks = texts(store)
    assert 1 < len(chunks) < 9
    for text in chunks:
        assert len(text.split()) <= 200
        assert text.startswith("User: Question")
        assert text.count("User:") == text.count("Assistant:")


def test_a_long_answer_is_cut_between_sentences_and_the_question_stays_with_its_begin(state, index, store):
    answer = " ".join(f"Step {n} is to water the plants of bed number {n} slowly." for n in range(60))
    state.file("s1", said((DOOR[0], answer)))
    index()
    chunks = store.all_chunks()
    assert len(chunks) >= 3
    assert chunks[0].text.startswith(f"User: {DOOR[0]}\nAssistant: Step 0 ")
    assert all(chunk.text.startswith("Assistant: Step") for chunk in chunks[1:])
    assert all(chunk.text.endswith("slowly.") for chunk in chunks)
    assert {chunk.place.lines for chunk in chunks} == {(2, 3)}
    assert {chunk.created_at for chunk in chunks} == {START}
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_pasted_log_is_cut_off(state, index, store):
    state.file("s1", said(("x" * 50 + " word" * 40_000, "That is a long log indeed, my friend.")))
    index()
    assert MAX_CHARS * 0.9 < sum(len(text) for text in texts(store)) < MAX_CHARS * 1.1


def test_the_title_is_in_the_heading_and_the_day_is_the_users(state, index, store):
    late = datetime(2026, 2, 18, 23, 30, tzinfo=UTC)
    state.rows("s1", said(DOOR, start=late), entry={"label": "House keys"}, display_name="telegram:4711")
    index()
    (chunk,) = store.all_chunks()
    assert chunk.heading == "Conversation of 2026-02-19 > House keys"
    assert chunk.created_at == late


def test_a_turn_at_midnight_is_a_moment_and_not_a_day(state, index, store):
    state.file("s1", said(DOOR, start=datetime(2026, 2, 18, tzinfo=UTC)))
    index()
    (chunk,) = store.all_chunks()
    assert chunk.created_at == datetime(2026, 2, 18, 0, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stamp", "outer", "expected"),
    [
        (int(START.timestamp()), None, START),
        (None, "2026-02-18T14:05:00+01:00", START),
        (None, "2026-02-18T13:05:00", START),
        (1e30, "nonsense", None),
        (-5, None, None),
    ],
)
def test_a_time_is_taken_where_there_is_one(state, index, store, stamp, outer, expected):
    one = event("user", "The blue door leads to the old cellar.", timestamp=outer)
    one["message"]["timestamp"] = stamp
    state.file("s1", [one])
    index()
    (chunk,) = store.all_chunks()
    assert chunk.created_at == expected
    assert chunk.heading == ("Conversation of 2026-02-18" if expected else "Conversation")


def test_the_assistant_may_speak_first_and_a_picture_has_no_words(state, index, store):
    picture = event("user", [{"type": "image", "data": "…"}])
    seen = event("assistant", "I see a blue door with a brass handle.")
    state.file("s1", [event("assistant", "Good morning, your train leaves at nine."), picture, seen])
    index()
    assert texts(store) == [
        "Assistant: Good morning, your train leaves at nine.\nAssistant: I see a blue door with a brass handle."
    ]


# Whose memory it is


@pytest.mark.parametrize(
    ("key", "window", "entry"),
    [
        ("agent:main:cron:job:run:1", {}, {}),
        ("agent:main:subagent:7", {}, {}),
        ("agent:main:telegram:direct:1:subagent:7", {}, {}),
        ("agent:main:acp:7", {}, {}),
        ("agent:main:hook:gmail", {}, {}),
        ("agent:main:main:heartbeat", {}, {}),
        ("agent:main:dreaming-narrative-1", {}, {}),
        ("agent:main:dashboard:incognito-1", {}, {}),
        ("agent:main:telegram:group:-100", {}, {}),
        ("agent:main:slack:channel:C1", {}, {}),
        ("agent:other:main", {}, {}),
        ("", {"chat_type": "group"}, {}),
        ("", {"spawned_by": "agent:main:main"}, {}),
        ("", {"plugin_owner_id": "p"}, {}),
        ("", {"acp_owned": 1}, {}),
        ("", {"hook_external_content_source": "gmail"}, {}),
        ("", {}, {"spawnedBy": "agent:main:main"}),
        ("", {}, {"chatType": "channel"}),
        ("", {}, {"heartbeatIsolatedBaseSessionKey": "agent:main:main"}),
        ("", {}, {"private": True}),
    ],
)
def test_a_session_of_others_machines_or_in_private_is_no_memory(state, index, store, key, window, entry):
    state.file("s1", said(DOOR))
    assert index().added == 1
    state.rows("s1", said(DOOR), key=key, entry=entry, **window)
    assert index().deleted == 1, "also when that turns out later, and its old file is still there"
    if not window:
        state.file("s2", said(LAMP))
        state.register({key or "agent:main:s2": {"sessionId": "s2", **entry}})
        assert index().seen == 0


@pytest.mark.parametrize(
    "key", ["agent:main:main", "agent:main:telegram:direct:1", "agent:main:openai-user:u1", "global"]
)
def test_a_persons_own_sessions_are_memory(state, index, store, key):
    state.rows("s1", said(DOOR), key=key, chat_type="direct")
    state.file("s2-topic-9", said(LAMP))
    state.register({key: {"sessionId": "s2", "label": "Lamps"}})
    index()
    assert {chunk.heading for chunk in store.all_chunks()} == {
        "Conversation of 2026-02-18",
        "Conversation of 2026-02-18 > Lamps",
    }


def test_one_agent_never_sees_another_ones_sessions(state, index, store):
    state.file("s1", said(DOOR), agent="other")
    state.rows("s2", said(LAMP), agent="other")
    mine = state.sessions("main")
    os.symlink(state.sessions("other") / "s1.jsonl", mine / "s1.jsonl")
    state.database_file("main").parent.mkdir()
    os.symlink(state.database_file("other"), state.database_file("main"))
    assert index().seen == 0
    assert index(agent="other").seen == 2
    with pytest.raises(StoreError, match="no agent id"):
        index(agent="../main")


def test_a_folder_of_sessions_that_is_a_link_is_not_followed(state, index):
    state.file("s1", said(DOOR), agent="other")
    (state.folder / "agents" / "main").mkdir()
    os.symlink(state.sessions("other"), state.folder / "agents" / "main" / "sessions")
    assert index().seen == 0


# In the way of a gateway


@pytest.mark.parametrize("wal", [True, False])
def test_reading_leaves_no_trace_in_the_gateways_folder(state, index, store, wal):
    state.database(wal=wal).close()
    state.rows("s1", said(DOOR))
    state.file("s2", said(LAMP))
    state.register({"agent:main:s2": {"sessionId": "s2"}})
    before = everything(state.folder)
    assert index().added == 2
    assert everything(state.folder) == before


def test_a_gateway_in_the_middle_of_writing_is_neither_disturbed_nor_waited_for(state, index, store):
    state.rows("s1", said(DOOR))
    gateway = state.database()
    gateway.execute("BEGIN IMMEDIATE")
    gateway.execute("DELETE FROM transcript_events")
    before = everything(state.folder)
    assert index().added == 1, "what is committed is seen"
    after = everything(state.folder)
    assert after.keys() == before.keys()
    assert all(after[name] == before[name] for name in before if not name.endswith("-shm"))
    gateway.execute("COMMIT")
    gateway.close()


def test_a_locked_database_costs_a_warning_and_no_memory(state, index, store):
    state.rows("s1", said(DOOR))
    state.file("s2", said(LAMP))
    index()
    gateway = sqlite3.connect(state.database_file(), isolation_level=None)
    gateway.execute("PRAGMA journal_mode = DELETE")
    gateway.execute("BEGIN EXCLUSIVE")
    report = index()
    gateway.close()
    assert "database is locked; it is read the next time" in report.warnings[0]
    assert (report.deleted, len(texts(store))) == (0, 2)


@pytest.mark.parametrize("damage", [b"", b"no database at all, but long enough to look like one", None])
def test_a_damaged_database_costs_a_warning_and_no_memory(state, index, store, damage):
    state.rows("s1", said(*[DOOR] * 50))
    index()
    before = texts(store)
    file = state.database_file()
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096) if damage is None else damage)
    report = index()
    if damage == b"":  # SQLite takes an empty file for an empty database, and so do we
        assert report.deleted == 1
    else:
        assert "openclaw doctor" in report.warnings[0]
        assert texts(store) == before


def test_a_log_without_its_index_is_left_alone(state, index, store):
    state.rows("s1", said(DOOR))
    Path(f"{state.database_file()}-wal").write_bytes(b"something")
    before = everything(state.folder)
    assert "write-ahead log" in index().warnings[0]
    assert everything(state.folder) == before


def test_a_register_that_cannot_be_read_stops_everything_for_this_time(state, index, store):
    """Without it a private session looks like any other."""
    state.file("s1", said(DOOR))
    (state.sessions() / "sessions.json").write_text('{"agent:main:s1": {"sess')
    report = index()
    assert "sessions.json" in report.warnings[0]
    assert texts(store) == []


def test_a_missing_state_folder_is_a_warning_and_forgets_nothing(state, index, store):
    state.file("s1", said(DOOR))
    index()
    state.folder.rename(state.folder.with_name("unmounted"))
    assert "set openclawState" in index().warnings[0]
    assert len(texts(store)) == 1


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(state, index, store):
    file = state.file("s1", said(DOOR, LAMP))
    whole = file.read_bytes()
    for end in range(len(whole) - 40, len(whole)):
        file.write_bytes(whole[:end])
        report = index()
        assert report.warnings == ()
    file.write_bytes(whole)
    index()
    assert "second shelf" in texts(store)[0]


def test_broken_events_are_counted_and_the_rest_is_read(state, index, store):
    file = state.file("s1", said(DOOR))
    file.write_bytes(b'{"type": "message", "mess\n\n' + b"[" * 5000 + b"\n" + b'{"a": "\xff"}\n' + file.read_bytes())
    state.rows("s2", said(LAMP), packed=True)
    with state.database() as database:
        insert = "INSERT INTO transcript_events (session_id, seq, created_at, event_json, event_zstd) VALUES ('s2', ?, 1, ?, ?)"
        database.execute(insert, (90, None, b"no frame"))
        database.execute(insert, (91, None, zstandard.compress(json.dumps(said(DOOR)[1]).encode() + b" " * 5_000_000)))
        database.execute(insert, (92, "{", None))
    for _ in range(2):  # as with notes, a warning stays until its cause is gone
        assert sorted(index().warnings) == [
            "sessions/main/s1.jsonl: 3 events cannot be read and are left out, the first is 1",
            "sessions/main/s2.jsonl: 3 events cannot be read and are left out, the first is 91",
        ]
    assert len(texts(store)) == 2


def test_half_a_character_does_not_stop_anything(state, index, store):
    """JavaScript cuts strings between the halves of an emoji; SQLite would refuse them."""
    state.file("s1", said((DOOR[0] + " \ud83d", DOOR[1])))
    index()
    assert "door? \ufffd" in texts(store)[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_session_is_a_warning(state, index):
    state.file("s1", said(DOOR)).chmod(0)
    assert "check its owner and mode" in index().warnings[0]


def test_a_session_that_vanishes_while_it_is_read_is_a_warning(state, store):
    from hookclaw_py.ingest.echoes import Known
    from hookclaw_py.ingest.gateway_files import agent_files
    from hookclaw_py.ingest.transcripts import list_sessions

    file = state.file("s1", said(DOOR))
    files = agent_files(state.folder, "main")
    (document,) = list_sessions(
        files, zone=BERLIN, known=Known(), envelope=ENVELOPE, counts={}, captured=lambda _: []
    ).documents
    file.unlink()
    with pytest.raises(Exception, match="No such file"):
        document.read()


# Beside the notes


def notes(root: Path) -> Path:
    (root / "memory").mkdir(parents=True)
    (root / "memory" / "2026-02-10.md").write_text("# Garden\n\nThe roses were cut back to the third bud.\n")
    return root


def index_notes(store: Store, root: Path, *globs: str):
    return index_workspace(store, root, globs=globs, exclude=(), evergreen=())


def test_notes_and_sessions_do_not_forget_each_other(tmp_path, state, index, store):
    root = notes(tmp_path / "notes")
    state.file("s1", said(DOOR))
    for _ in range(2):
        report = index_notes(store, root) + index()
        assert report.deleted == 0
    assert (report.seen, report.unchanged) == (2, 2)
    assert len(texts(store)) == 2


def test_a_source_that_is_switched_off_is_forgotten(state, index, store):
    state.file("s1", said(DOOR))
    index()
    assert index("memory").removed == 1
    assert texts(store) == []
    assert index("memory").seen == 0


def test_a_note_at_the_path_of_a_session_stays_a_note(tmp_path, state, index, store):
    root = notes(tmp_path / "notes")
    (root / "sessions" / "main").mkdir(parents=True)
    (root / "sessions" / "main" / "s1.jsonl").write_text("A note about the cellar stairs.\n")
    state.file("s1", said(DOOR))
    for _ in range(2):
        index_notes(store, root, "sessions/**")
        index()
    assert "7714" not in "".join(texts(store))


def test_the_configuration_knows_its_sources():
    assert Config().sources == ("memory",)
    assert Config(sources=["memory", "sessions"], openclawState="/x").openclaw_state == "/x"
    with pytest.raises(ConfigError, match="begin with memory"):
        Config(sources=["sessions"])
    with pytest.raises(ConfigError, match="sources"):
        Config(sources=["memory", "everything"])


def test_the_state_folder_is_where_openclaw_looks(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENCLAW_STATE_DIR", raising=False)
    monkeypatch.delenv("OPENCLAW_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder("") == tmp_path / ".openclaw"
    monkeypatch.setenv("OPENCLAW_HOME", "/oc")
    assert state_folder("") == Path("/oc/.openclaw")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", "~/state")
    assert state_folder("") == tmp_path / "state"
    assert state_folder("/given") == Path("/given")


def test_what_was_said_in_a_session_is_recalled_with_its_date(tmp_path, state):
    """The whole way with the real model; off by default."""
    root = notes(tmp_path / "notes")
    state.rows("s1", said(("My new dentist is Dr. Okafor in Kastanienallee.", "Noted: Dr. Okafor."), DOOR, minutes=90))
    state.file("s2", said(("The whole-house boiler was serviced by Jansen today.", "Good to know!")), agent="other")
    prompt, at = "What was the code of the blue door again?", datetime(2026, 2, 25, 9, 0, tzinfo=UTC)
    folder = tmp_path / "store"
    with Engine.open(Config(openclawState=str(state.folder), timezone="Europe/Berlin"), folder=folder) as engine:
        engine.index(root)
        assert "7714" not in engine.recall(prompt, at=at).text
    config = Config(openclawState=str(state.folder), timezone="Europe/Berlin", sources=["memory", "sessions"])
    with Engine.open(config, folder=folder, strict=True) as engine:
        report = engine.index()
        assert (report.seen, report.warnings) == (2, ())
        found = engine.recall(prompt, at=at)
        assert "7714" in found.text
        assert "Conversation of 2026-02-18" in found.text
        assert 'source="sessions" path="sessions/main/s1.jsonl"' in found.text
        assert found.candidates[0].chunk.created_at == START + timedelta(minutes=90)
        assert "Okafor" in engine.recall("Who is my dentist now?", at=at, session="two").text
        asked = engine.recall("What did we do last Wednesday?", at=at, session="three")
        considered = (*asked.candidates, *asked.rejected)
        then = {c.chunk.kind.name for c in considered if "from that time" in str(c.history)}
        assert then == {"sessions"}, "a period finds what was said in it"
        assert "Jansen" not in engine.recall("Who serviced the boiler?", at=at, session="four").text
        assert (engine.status().files, engine.status().conversations) == (1, 1)


@pytest.mark.parametrize("how", ["file", "rows"])
def test_a_running_engine_hears_of_a_new_conversation(tmp_path, state, how):
    write = state.file if how == "file" else state.rows
    config = Config(openclawState=str(state.folder), enable_vector=False, min_score=0.2, sources=["memory", "sessions"])
    reports: queue.Queue[IndexReport] = queue.Queue()
    stop = threading.Event()
    with Engine.open(config, folder=tmp_path / "store") as engine:
        engine.indexing.pauses = Pauses(poll=0.5)
        engine.index(notes(tmp_path / "notes"))
        watching = threading.Thread(target=engine.watch, args=(reports.put,), kwargs={"stop": stop})
        watching.start()
        try:
            reports.get(timeout=60)
            write("s1", said(DOOR))
            while not reports.get(timeout=60).added:
                pass
            assert "7714" in engine.recall("What was the code of the blue door again?").text
        finally:
            stop.set()
            watching.join(60)


# What only repeats a memory


AGAIN = timedelta(days=1)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the code of the blue door?",
        "hi! what is the code of the blue door",
        "Tell me the code of the blue door, please.",
        "Wie lautet der Code? Weißt du ihn noch?",
        "I need the code of the blue door, what is it?",
        "I forgot the code, and my brother too, do you have it?",
        "Could you sum up what we decided about the door, and our open points?",
        "Ich brauche den Code der blauen Tür, wie lautet er?",
    ],
)
def test_a_question_alone_is_no_memory_nor_is_one_that_nobody_could_answer(write, index, store, asked):
    write("s1", said(asked, LAMP, (asked, "I don't have any record of that."), asked))
    index()
    assert texts(store) == [f"User: {LAMP[0]}\nAssistant: {LAMP[1]}"]


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        ("when does the harbour museum open?", ["no idea, sorry", "not sure", "Unfortunately I can't say.", "dunno"]),
        ("Wann öffnet das Hafenmuseum?", ["Das weiß ich leider nicht", "Keine Ahnung, tut mir leid.", "weiß nicht"]),
        ("Wann öffnet das Hafenmuseum?", ["Ich habe keine Ahnung.", "Da bin ich mir nicht sicher."]),
        ("Quand ouvre le musée du port ?", ["Aucune idée, désolé.", "Je ne sais pas."]),
        ("¿Cuándo abre el museo del puerto?", ["Ni idea, lo siento.", "no lo sé"]),
    ],
)
def test_no_idea_is_no_answer_in_other_words_and_a_guess_is_one(write, index, store, asked, answers):
    write("s1", said(LAMP, *((asked, answer) for answer in answers)))
    index()
    assert texts(store) == [f"User: {LAMP[0]}\nAssistant: {LAMP[1]}"]
    write("s2", said((asked, f"{answers[0]}; Mara: 11:45.")))
    index()
    assert "11:45" in "".join(texts(store))


@pytest.mark.parametrize(
    ("asked", "answers"),
    [
        (
            "c'est quoi le numéro du notaire ?",
            [
                "Je n'ai rien trouvé sur le notaire dans tes notes.",
                "Je ne trouve pas le numéro du notaire, désolé.",
                "Je n'ai aucune information à ce sujet.",
                "Tes notes ne disent rien du notaire.",
            ],
        ),
        (
            "cuál es el teléfono del notario",
            [
                "No he encontrado el teléfono del notario en tus notas.",
                "No encuentro nada sobre el notario.",
                "No tengo esa información.",
                "Tus notas no dicen nada del notario.",
            ],
        ),
        (
            "wie lautet die Nummer des Notars?",
            [
                "Dazu habe ich nichts gefunden.",
                "Die Nummer des Notars habe ich nicht gefunden.",
                "Ich konnte keine Nummer finden.",
                "In deinen Notizen steht nichts über den Notar.",
            ],
        ),
        (
            "what is the notary's number?",
            ["Your notes don't mention the notary.", "I couldn't find the notary's number in your notes."],
        ),
    ],
)
def test_that_nothing_was_found_is_no_answer(write, index, store, asked, answers):
    write("s1", said(LAMP, *((asked, answer) for answer in answers)))
    index()
    assert texts(store) == [f"User: {LAMP[0]}\nAssistant: {LAMP[1]}"]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("what is the rent in the contract?", "I couldn't find the contract, but the rent is 940."),
        ("c'est quoi le loyer", "Je n'ai pas trouvé le contrat, mais le loyer est de 940 euros."),
        ("cuánto es el alquiler", "No he encontrado el contrato, pero el alquiler es 940."),
        ("wie hoch ist die Miete?", "Den Vertrag habe ich nicht gefunden, aber die Miete ist 940."),
    ],
)
def test_what_an_answer_tells_beside_that_it_found_nothing_is_a_memory(write, index, store, asked, answer):
    write("s1", said((asked, answer)))
    index()
    assert "940" in "".join(texts(store))


@pytest.mark.parametrize(
    "asked",
    [
        "c'est quoi le tel de solène",
        "c'est qui le notaire",
        "quel devis on a pris",
        "combien coûte la cantine",
        "comment va mamie",
        "cuánto cuesta la guardería",
        "cuándo abre la piscina",
        "was kostet die Kita",
        "wie viel kostet die Kita",
        "rappelle moi le code du portail",
        "à quelle heure part le train",
        "le tel de solène c'est quoi",
        "elle habite où",
        "on part quand",
        "ça coûte combien",
        "il se passe quoi le 8 décembre",
    ],
)
def test_a_question_without_its_mark_is_no_memory_while_nobody_answered(write, index, store, asked):
    write("s1", said(asked, LAMP))
    index()
    assert texts(store) == [f"User: {LAMP[0]}\nAssistant: {LAMP[1]}"]


@pytest.mark.parametrize(
    "told",
    [
        "Rappelle-moi d'appeler Tom pour la voiture.",
        "Rappelle-moi le 5 d'appeler Tom.",
        "Quand je vais à Paris, je dors chez Léa.",
        "Quelle belle journée, Léa a eu son permis !",
        "C'est quand même Solène qui garde les clés.",
        "Je ne sais pas quoi offrir à Léa.",
        "Où dormir à Lyon : hôtel des Artistes.",
        "Recuérdame llamar a Tom el viernes.",
        "Qué pena, Ana no viene.",
        "Was at the dentist today.",
        "Wie besprochen kommt Tom um acht.",
        "Erinnere mich daran, Tom anzurufen.",
    ],
)
def test_what_only_begins_like_a_question_is_a_memory(write, index, store, told):
    write("s1", said(told))
    index()
    assert texts(store) == [f"User: {told}"]


@pytest.mark.parametrize(
    ("answer", "is_none"), [("不知道", True), ("抱歉，我不清楚。", True), ("不知道，可能是十一点", False)]
)
def test_no_idea_is_no_answer_in_chinese(answer, is_none):
    assert knows_nothing("港口博物馆几点开门？", answer) is is_none


@pytest.mark.parametrize(
    "told",
    [
        "I have a new dentist, Dr. Okafor.",
        "When we met Anna was ill.",
        "Remind me to call Tom on Friday.",
        "What I like best is green tea.",
    ],
)
def test_what_a_person_tells_beside_a_question_is_a_memory_and_the_question_is_none(write, index, store, told):
    write("s1", said((f"{told} What was the name of our street again?", "I don't know.")))
    index()
    assert texts(store) == [f"User: {told}"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "I'm visiting my sister Emily in Denver soon, and I was wondering if you know a park there?",
            "I'm visiting my sister Emily in Denver soon.",
        ),
        (
            "By the way, I've been using my Fitbit for 6 months now - do you have any tips for lazy days?",
            "I've been using my Fitbit for 6 months now.",
        ),
        ("our standup is at 9:30 now, is that in the calendar?", "our standup is at 9:30 now."),
        ("Meine Schwester wohnt jetzt in Jena, wie lange fahre ich dahin?", "Meine Schwester wohnt jetzt in Jena."),
    ],
)
def test_what_a_person_tells_in_a_question_that_nobody_could_answer_is_a_memory(write, index, store, asked, told):
    write("s1", said((asked, "I don't know.")))
    index()
    assert texts(store) == [f"User: {told}"]


def test_an_answer_is_kept_with_its_question_once_and_again_when_it_has_changed(write, index, store):
    where = "Where is the car parked?"
    write(
        "s1",
        said(
            (where, "In the garage."), (where, "In the garage."), (where, "In Main Street."), (where, "In the garage.")
        ),
    )
    index()
    (text,) = texts(store)
    answers = [line for line in text.splitlines() if line.startswith("Assistant")]
    assert answers == ["Assistant: In the garage.", "Assistant: In Main Street.", "Assistant: In the garage."]
    assert text.count(where) == 3


def test_an_answer_to_another_question_of_the_same_words_is_kept(write, index, store):
    write(
        "s1",
        said(
            ("Where is the spare key of the red house?", "Under the mat."),
            ("Where is the spare key of the blue house?", "Under the mat."),
            ("Is the cellar door red?", "Yes."),
            ("Is the cellar door open?", "Yes."),
        ),
    )
    index()
    assert "".join(texts(store)).count("Assistant:") == 4


def test_an_answer_that_only_quotes_a_note_is_no_memory_and_one_that_adds_or_denies_is(tmp_path, write, index, store):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Doors\n\nThe code of the blue door is 7714, and its lock was made by Abus.\n")
    index_notes(store, root)
    quote = ("What is the code of the blue door?", "According to your notes, the blue door's code is 7714.")
    write("s1", said(quote, ("I am at the blue door now.", "The code of the blue door is 7714."), quote, quote))
    index()
    assert [text for text in texts(store) if "User" in text] == ["User: I am at the blue door now."]
    adds = (quote[0], "The code of the blue door is 7714, changed by Tom.")
    denies = (quote[0], "The code of the blue door is no longer 7714.")
    write("s2", said(adds, denies, start=START + AGAIN))
    index()
    assert [text.count("Assistant") for text in texts(store) if "Tom" in text] == [2]


def test_an_answer_that_only_says_what_an_earlier_session_says_is_no_memory(write, index, store):
    write("s2", said(("Hello again, my old friend.", "Welcome."), ("The code of the blue door is 7714.", "Noted.")))
    index()
    write(
        "s1", said(("What was the code of the blue door again?", "The blue door's code is 7714."), start=START + AGAIN)
    )
    for _ in range(2):
        index()
        (text,) = texts(store)
        assert "The code of the blue door is 7714." in text
    write("s3", said(("What was the code of the blue door again?", "It is 9911 now."), start=START + 2 * AGAIN))
    index()
    assert len(texts(store)) == 2


def test_an_answer_from_the_block_that_its_turn_was_given_is_no_memory(write, index, store):
    block = (
        '<relevant_memories>\n  <memory source="memory" path="a.md" lines="1-1" score="0.9">\n'
        "    Blue door: 7714 &amp; a push\n  </memory>\n</relevant_memories>"
    )
    asked = f"{block}\n\n{DOOR[0]}"
    write("s1", said((asked, "The code of the blue door is 7714, and then a push."), (asked, "It is 8825 now.")))
    index()
    assert texts(store) == [f"User: {DOOR[0]}\nAssistant: It is 8825 now."]


def test_who_asks_again_gets_the_fact_and_not_the_earlier_questions(tmp_path, state):
    """The whole way: the note is injected, the model quotes it, the session is read, and the question is asked again."""
    root = tmp_path / "notes"
    root.mkdir()
    (root / "MEMORY.md").write_text(
        "# House\n\nBlue door: code 7714, then a push.\n\n# Garden\n\nThe roses are cut in March.\n"
    )
    config = Config(openclawState=str(state.folder), sources=["memory", "sessions"])
    with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
        engine.index(root)
        for n in range(4):
            at = START + n * AGAIN
            found = engine.recall(DOOR[0], at=at, session=f"s{n}")
            assert [(c.chunk.kind.name, "7714" in c.chunk.text) for c in found.candidates] == [("memory", True)]
            answer = "The code of the blue door is 7714, and then a push." if n % 2 else "I have no record of that."
            state.file(f"s{n}", said((DOOR[0], answer), start=at))
            engine.history.flush()
            engine.index()


def test_what_was_private_or_secret_in_a_session_is_not_read_nor_what_the_answer_repeats_of_it(write, index, store):
    asked = (
        "<private>the safe says quokka-77-zz</private> Where is the blue door's key, and is DB_PASS=larch4411 right?"
    )
    answer = "The key of the blue door hangs in the hall; quokka-77-zz opens the safe, as <private>I noted</private> you said."
    write("s1", said((asked, answer)))
    index()
    (text,) = texts(store)
    assert "hangs in the hall; [private] opens" in text
    assert not [word for word in ("quokka", "larch4411", "I noted", "private>") if word in text]
    assert not {"quokka", "larch4411"} & set(store.all_chunks()[0].terms)


@pytest.mark.parametrize("asked", ["off the record: I want to quit", "<private>I want to quit</private>"])
def test_a_turn_of_a_session_that_is_not_to_be_kept_is_not_read(write, index, store, asked):
    write("s1", said((asked, "I keep it to myself."), ("Where is the key?", "In the hall.")))
    index()
    (text,) = texts(store)
    assert "In the hall" in text
    assert "quit" not in text
    assert "to myself" not in text
