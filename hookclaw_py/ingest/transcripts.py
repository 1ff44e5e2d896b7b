"""An agent's recorded sessions as memory: both of OpenClaw's formats, read only, and only those between two.

Up to 2026.7 a session is a file of JSON lines, ``sessions/<id>.jsonl``; since 2026.8 it is rows of ``transcript_events``
in the agent's database, long ones compressed. Left out are sessions that no person began (cron jobs, sub-agents,
heartbeats, hooks, plugins), those in groups and channels, where others speak and listen, and incognito ones. A reset
opens a new window on the same conversation: what was said before stays memory until the session is deleted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.errors import IndexingError
from hookclaw_py.ingest.conversation import CONVERSATION_VERSION, chunk_turns, without_echoes
from hookclaw_py.ingest.corrected import without_withdrawn
from hookclaw_py.ingest.echoes import Known
from hookclaw_py.ingest.gateway_files import AgentFiles, belongs, columns, reading, some_columns
from hookclaw_py.ingest.overlap import not_captured
from hookclaw_py.ingest.sources import Contents, Indexable, Listing
from hookclaw_py.ingest.spoken import TranscriptEvent, is_subagent, turns
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import SESSION
from hookclaw_py.regex import regex
from hookclaw_py.text import TOKENIZER_VERSION

MAX_EVENT_BYTES = 4_194_304  # OpenClaw's own limit of one compressed event
MAX_ARCHIVE_BYTES = 500_000_000

_FILE = regex(r"(?P<id>.+?)\.jsonl(?P<reset>\.reset\.[0-9TZ.-]{10,40}(?:\.[0-9a-f]{32})?(?:\.zst)?)?")
_NO_SESSION = regex(r".+\.(?:trajectory|checkpoint\.[0-9a-f-]{36})\.jsonl(?:\..*)?")
_NOT_BEGUN_BY_A_PERSON = regex(
    r"(?:cron|subagent|acp|hook|heartbeat|internal-session-effects)(?::|\Z)|dreaming-|(?:.*:)?(?:subagent|heartbeat)(?::|\Z)"
)
_NOT_BETWEEN_TWO = regex(r"(?:.*:)?(?:group|channel|room):")
_WINDOW = (
    *("session_id", "session_key", "transcript_updated_at", "transcript_observed_at", "updated_at", "acp_owned"),
    *("plugin_owner_id", "hook_external_content_source", "chat_type", "spawned_by", "display_name"),
)
_NODE = ("session_key", "entry_json", "created_via", "spawned_by", "label", "display_name")


class _Session(NamedTuple):
    """What is known of a session beside its transcript; ``unwanted`` says why it is no memory ("" = it is)."""

    title: str = ""
    unwanted: str = ""
    key: str = ""


class Recorded(NamedTuple):
    """A session between two: the ``names`` under which its host reports it, and how its events are read.

    ``events`` puts the lines that cannot be read into the list that it is given; it may raise ``IndexingError``.
    """

    path: str
    names: tuple[str, ...]
    title: str
    mark: str
    events: Callable[[list[int]], list[TranscriptEvent]]
    size: int = 0
    mtime_ns: int = 0


class _Way(NamedTuple):
    """How sessions are read; see ``list_sessions``."""

    zone: tzinfo
    known: Known
    envelope: Envelope
    captured: Callable[[str], Sequence[Happening]]


def sessions(files: AgentFiles) -> list[Recorded]:
    """Return the sessions of one agent, the latest last.

    Raises:
        IndexingError: if the agent's database or the sessions' register cannot be read at the moment.
    """
    recorded, settled = _in_database(files)
    return sorted([*recorded, *_in_files(files, settled)], key=lambda one: (one.mtime_ns, one.path))


def list_sessions(
    files: AgentFiles,
    *,
    zone: tzinfo,
    known: Known,
    envelope: Envelope,
    counts: Mapping[str, int],
    captured: Callable[[str], Sequence[Happening]],
) -> Listing:
    """List the sessions of one agent, the latest last; the day of a turn is told in ``zone``.

    What repeats only what is ``known`` is left out when they are read, and so is the host's ``envelope``, and what was
    ``captured`` of a session; ``counts`` say of which sessions how much was.

    Raises:
        IndexingError: if the agent's database or the sessions' register cannot be read at the moment.
    """
    way = _Way(zone, known, envelope, captured)

    def document(one: Recorded) -> Indexable:
        there = sum(counts.get(name, 0) for name in one.names)
        return Indexable(
            path=one.path,
            mark=f"{one.mark} captured {there}" if there else one.mark,
            recipe=_recipe(one.title, zone),
            read=partial(_contents, one, way),
            size=one.size,
            mtime_ns=one.mtime_ns,
        )

    return Listing([document(one) for one in sessions(files)])


def _recipe(title: str, zone: tzinfo) -> str:
    return (
        f"{SESSION.name} {CONVERSATION_VERSION}, tokenizer {TOKENIZER_VERSION}, zone {zone}, title {json.dumps(title)}"
    )


def why_unwanted(key: str, about: Mapping[str, Any], agent: str) -> str:
    """Say why a session is no memory of ``agent``, "" if it is. ``about`` is its entry, keys in camel or snake case."""
    owner, rest = agent, key
    if key.startswith("agent:") and key.count(":") >= 2:
        _, owner, rest = key.split(":", 2)

    def says(*names: str) -> Any:
        return next((about[name] for name in names if about.get(name)), "")

    if owner.lower() != agent.lower():
        return f"belongs to agent {owner}"
    if "incognito-" in rest or says("incognito", "private"):
        return "private"
    made_by_host = says("spawnedBy", "spawned_by", "pluginOwnerId", "plugin_owner_id", "acp_owned", "acp")
    from_outside = says("hookExternalContentSource", "hook_external_content_source", "heartbeatIsolatedBaseSessionKey")
    made_via = says("createdVia", "created_via") in ("spawn", "cron", "plugin", "internal")
    if _NOT_BEGUN_BY_A_PERSON.match(rest) or made_by_host or from_outside or made_via:
        return "not begun by a person"
    if _NOT_BETWEEN_TWO.match(rest) or says("chatType", "chat_type") in ("group", "channel"):
        return "others take part"
    return ""


def _title(about: Mapping[str, Any]) -> str:
    """Return the name a session was given; what the host calls it ("telegram:4711") is none."""
    names = (about.get(key) for key in ("label", "displayName", "display_name"))
    return next((name for name in names if isinstance(name, str) and name.strip() and ":" not in name), "")


def _contents(recorded: Recorded, way: _Way) -> Contents:
    broken: list[int] = []
    listed = recorded.events(broken)
    if is_subagent(listed):
        return Contents([])
    warnings = [f"{len(broken)} events cannot be read and are left out, the first is {broken[0]}"] if broken else []
    way.known.forget(recorded.path)
    there = [one for name in recorded.names for one in way.captured(name)]
    found = not_captured(without_withdrawn(turns(listed, way.envelope)), there)
    told = without_echoes(found, way.known, path=recorded.path)
    return Contents(chunk_turns(told, path=recorded.path, title=recorded.title, zone=way.zone), warnings)


def _parsed(line: int, written: str | bytes, broken: list[int]) -> Iterator[TranscriptEvent]:
    try:
        yield TranscriptEvent(line, json.loads(written))
    except (ValueError, RecursionError):
        broken.append(line)


# JSON lines


def _in_files(files: AgentFiles, elsewhere: frozenset[str]) -> Iterator[Recorded]:
    """List the sessions that are files and not in the database as well."""
    if not belongs(files.sessions, files.root):
        return
    about = _register(files)
    used: set[str] = set()
    for file in sorted(files.sessions.iterdir(), key=lambda file: (len(file.suffixes), file.name)):
        match = _FILE.fullmatch(file.name)
        if not match or _NO_SESSION.fullmatch(file.name) or match["id"] in elsewhere:
            continue
        session = about.get(file.name) or about.get(match["id"].partition("-topic-")[0]) or _Session()
        if session.unwanted or not file.is_file() or not belongs(file, files.root):
            continue
        name = f"{match['id']}.jsonl"
        path = f"sessions/{files.agent}/{file.name if name in used else name}"
        used.add(name)
        status = file.stat()
        yield Recorded(
            path=path,
            names=tuple(filter(None, (session.key, match["id"]))),
            title=session.title,
            mark=f"file {status.st_size} {status.st_mtime_ns}",
            events=partial(read_lines, file),
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
        )


def _register(files: AgentFiles) -> dict[str, _Session]:
    """Read what ``sessions.json`` says of each session, by session id and by file name."""
    register = files.sessions / "sessions.json"
    if not belongs(register, files.root):
        return {}
    try:
        entries = json.loads(register.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise IndexingError(f"{register}: {error}; without it private sessions cannot be told; tried again") from error
    about: dict[str, _Session] = {}
    for key, entry in entries.items() if isinstance(entries, dict) else ():
        if isinstance(entry, dict):
            session = _Session(_title(entry), why_unwanted(key, entry, files.agent), key)
            about[str(entry.get("sessionId"))] = session
            about[Path(str(entry.get("sessionFile"))).name] = session
    return about


def read_lines(file: Path, broken: list[int]) -> list[TranscriptEvent]:
    """Read a file of JSON lines; those that cannot be read are put into ``broken``.

    Raises:
        IndexingError: if the file cannot be read.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise IndexingError(f"{file}: {error.strerror}; check its owner and mode") from error
    if file.suffix == ".zst":
        data = _unpacked(data, MAX_ARCHIVE_BYTES, str(file))
    lines = data.split(b"\n")
    events = [event for n, line in enumerate(lines, 1) if line.strip() for event in _parsed(n, line, broken)]
    if broken and broken[-1] == len(lines):  # it may still be being written
        broken.pop()
    return events


# SQLite


def _in_database(files: AgentFiles) -> tuple[list[Recorded], frozenset[str]]:
    """List the sessions in the agent's database, and the ids of all it has judged: their old files count no more."""
    if not belongs(files.database, files.root):
        return [], frozenset()
    with reading(files.database) as database:
        windows = some_columns(database, "session_windows", _WINDOW)
        nodes = {row["session_key"]: row for row in some_columns(database, "session_nodes", _NODE)}
        marks = _marks(database)
    recorded: list[Recorded] = []
    settled: set[str] = set()
    for window in windows:
        session_id, key = window["session_id"], window.get("session_key") or ""
        about = _about(window, nodes.get(key, {}))
        mark, unwanted = marks.get(session_id), why_unwanted(key, about, files.agent)
        if mark is None and not unwanted:
            continue  # not moved here yet
        settled.add(session_id)
        if unwanted:
            continue
        updated = window.get("transcript_updated_at") or window.get("updated_at") or 0
        recorded.append(
            Recorded(
                path=f"sessions/{files.agent}/{session_id}.jsonl",
                names=tuple(filter(None, (key, session_id))),
                title=_title(about),
                mark=f"rows {mark} {updated} {window.get('transcript_observed_at') or 0}",
                events=partial(_read_rows, files, session_id),
                mtime_ns=updated * 1_000_000,
            )
        )
    return recorded, frozenset(settled)


def _marks(database: sqlite3.Connection) -> dict[str, str]:
    """Return by session how many events it has and which is the last, or the archive they have moved to."""
    marks = {}
    if columns(database, "transcript_events"):
        counted = "SELECT session_id, count(*) AS count, max(seq) AS last FROM transcript_events GROUP BY session_id"
        marks = {row["session_id"]: f"{row['count']} {row['last']}" for row in database.execute(counted).fetchall()}
    cold = some_columns(database, "session_transcript_cold_archives", ["session_id", "archive_sha256"])
    return marks | {row["session_id"]: row["archive_sha256"] for row in cold}


def _about(window: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """Bring together what the database says of a session; what one of its three places says counts."""
    try:
        entry = json.loads(node.get("entry_json") or "{}")
    except ValueError:
        entry = {}
    about = dict(entry) if isinstance(entry, dict) else {}
    for row in (node, window):
        about |= {name: value for name, value in row.items() if value}
    return about


def _read_rows(files: AgentFiles, session_id: str, broken: list[int]) -> list[TranscriptEvent]:
    with reading(files.database) as database:
        wanted = ["seq", "event_json", "event_zstd"]
        rows = some_columns(database, "transcript_events", wanted, "WHERE session_id = ? ORDER BY seq", (session_id,))
        cold = some_columns(
            database,
            "session_transcript_cold_archives",
            ["archive_name", "archive_blob"],
            "WHERE session_id = ?",
            (session_id,),
        )
    events = [event for archive in cold for event in _archived(files, archive, broken)]
    for row in rows:
        line, written, packed = row["seq"] + 1, row["event_json"], row.get("event_zstd")
        try:
            if written is None:
                written = _unpacked(packed or b"", MAX_EVENT_BYTES, f"{files.database} event {line}")
            events += _parsed(line, written, broken)
        except IndexingError:
            broken.append(line)
    return events


def _archived(files: AgentFiles, archive: Mapping[str, Any], broken: list[int]) -> Iterator[TranscriptEvent]:
    """Read a session that OpenClaw has put away: JSON lines of events and of what can be derived from them."""
    file = files.sessions / "cold" / str(archive["archive_name"])
    packed = archive["archive_blob"]
    try:
        if packed is None and belongs(file, files.root):
            packed = file.read_bytes()
    except OSError as error:
        raise IndexingError(f"{file}: {error.strerror}; check its owner and mode") from error
    if packed is None:
        raise IndexingError(f"{file}: the archive of a session is missing; what was read from it before stays")
    for line in _unpacked(packed, MAX_ARCHIVE_BYTES, str(file)).splitlines():
        for record in _parsed(0, line, broken):
            row = record.data.get("row") if isinstance(record.data, dict) else None
            if isinstance(row, dict) and isinstance(row.get("event_json"), str) and isinstance(row.get("seq"), int):
                yield from _parsed(row["seq"] + 1, row["event_json"], broken)


def _unpacked(packed: bytes, max_bytes: int, where: str) -> bytes:
    """Decompress a Zstandard frame of at most ``max_bytes``."""
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            data: bytes = reader.read(max_bytes + 1)
    except zstandard.ZstdError as error:
        raise IndexingError(f"{where}: cannot be decompressed: {error}; run `openclaw doctor`") from error
    if len(data) > max_bytes:
        raise IndexingError(f"{where}: decompresses to more than {max_bytes} bytes and is left out")
    return data
