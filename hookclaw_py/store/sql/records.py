"""Records: what was distilled from sessions, as it is now, how it came to that, and how records hang together."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import PRACTISED, Kind, kind_called
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Entry, Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.salience import Salience
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.content import wording_digest
from hookclaw_py.store.sql import batches, forgetting, rows
from hookclaw_py.store.sql.connections import SQLConnection
from hookclaw_py.store.sql.filing import Filing
from hookclaw_py.store.values import SetRight

_COLUMNS = (
    "memory, kind, about, title, body, said_by, confidence, salience, salient_at, level, scope, status, first_at, at,"
    " session, fields"
)
_READ = f"SELECT {', '.join(f'r.{name.strip()}' for name in _COLUMNS.split(','))}, u.mark FROM records r LEFT JOIN uses u ON u.memory = r.memory"
_WRITE = (
    f"INSERT INTO records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (memory) DO UPDATE SET title = excluded.title, body = excluded.body, said_by = excluded.said_by,"
    " confidence = excluded.confidence, salience = excluded.salience, salient_at = excluded.salient_at,"
    " level = excluded.level, scope = excluded.scope, status = excluded.status, at = excluded.at,"
    " session = excluded.session, fields = excluded.fields"
)
_SET_RIGHT = """
    SELECT DISTINCT h.number, h.at, b.body, CASE WHEN h.body = p.body THEN '' ELSE h.body END FROM record_history h
        JOIN record_history b ON b.memory = h.memory AND b.number < h.number
        JOIN record_history p ON p.number = (
            SELECT max(e.number) FROM record_history e WHERE e.memory = h.memory AND e.number < h.number
        )
    WHERE h.actor = ? AND h.action IN (?, ?) AND (h.body = p.body OR h.body <> b.body) ORDER BY h.number, b.body
"""
_STANDING = f"r.status IN ('{RecordStatus.ACTIVE}', '{RecordStatus.CONTESTED}')"


class RecordBook(Filing):
    """The part of a store that keeps records. Every method raises ``StoreError`` when the database cannot be used."""

    def record(self, memory: str) -> Record | None:
        """Return one record, whatever became of it."""
        with self._reading(bulk=True) as connection:
            row = connection.execute(f"{_READ} WHERE r.memory = ?", (rows.key_of(memory),)).fetchone()
        return _record(row) if row else None

    def records(
        self,
        *,
        kinds: Collection[Kind] = (),
        about: str | None = None,
        session: str = "",
        standing: bool = False,
        statuses: Collection[RecordStatus] = (),
        newest: int = 10_000,
        skip: int = 0,
    ) -> list[Record]:
        """Return the records that were said last, the newest first: of some kinds, about one thing, of a session, those that stand.

        ``skip`` passes over the first ones.
        """
        wanted = {"r.about = ?": about, "r.session = ?": session or None}
        where = [condition for condition, value in wanted.items() if value is not None]
        values: list[Any] = [value for value in wanted.values() if value is not None]
        if kinds:
            where.append(f"r.kind IN ({batches.marks(len(kinds))})")
            values += sorted(kind.name for kind in kinds)
        if statuses:
            where.append(f"r.status IN ({batches.marks(len(statuses))})")
            values += sorted(statuses)
        if standing:
            where.append(_STANDING)
        told = f"{_READ}{' WHERE ' if where else ''}{' AND '.join(where)} ORDER BY r.at DESC, r.memory LIMIT ? OFFSET ?"
        with self._reading(bulk=True) as connection:
            return [_record(row) for row in connection.execute(told, (*values, newest, skip))]

    def record_counts(self, *, session: str = "") -> dict[tuple[str, str], int]:
        """Return how many records there are, by name of kind and of status: all, or a session's."""
        where, values = (" WHERE session = ?", (session,)) if session else ("", ())
        told = f"SELECT kind, status, count(*) FROM records{where} GROUP BY kind, status ORDER BY kind, status"
        with self._reading(bulk=True) as connection:
            return {(kind, status): count for kind, status, count in connection.execute(told, values)}

    def salience(self, ids: Iterable[str], now: datetime) -> dict[str, float]:
        """Return how present these records are by now; what is no record is left out."""
        with self._reading() as connection:
            found = batches.found(connection, f"{_READ} WHERE r.memory IN ({{}})", rows.keys_of(ids))
            return {record.id: record.salience_by(now) for record in map(_record, found)}

    def record_history(self, memory: str) -> list[Entry]:
        """Return what was done to a record, oldest first."""
        with self._reading(bulk=True) as connection:
            found = connection.execute(
                "SELECT at, actor, action, why, title, body, evidence FROM record_history WHERE memory = ? ORDER BY number",
                (rows.key_of(memory),),
            )
            return [_entry(row) for row in found]

    def record_wordings(self) -> list[tuple[str, str]]:
        """Return all that every record ever said, with the record's id."""
        with self._reading(bulk=True) as connection:
            found = connection.execute("SELECT DISTINCT memory, title, body FROM record_history ORDER BY memory")
            return [(rows.id_of(memory), f"{title}\n{body}") for memory, title, body in found]

    def set_right(self) -> list[SetRight]:
        """Return what a person took back of records or said instead, all that these ever said, the earliest first."""
        with self._reading(bulk=True) as connection:
            found = connection.execute(_SET_RIGHT, (Speaker.PERSON, RecordAction.RETRACTED, RecordAction.SUPERSEDED))
            return [SetRight(datetime.fromisoformat(at), before, after) for _, at, before, after in found]

    def record_changes(self, *, since: datetime | None = None) -> dict[tuple[str, str], int]:
        """Return how often what was done, by name of kind and of action, to the records that are there: since then, or ever."""
        with self._reading(bulk=True) as connection:
            found = connection.execute(
                "SELECT r.kind, h.action, count(*) FROM record_history h JOIN records r ON r.memory = h.memory"
                " WHERE h.at >= ? GROUP BY r.kind, h.action ORDER BY r.kind, h.action",
                (_moment(since) if since else "",),
            )
            return {(kind, action): count for kind, action, count in found}

    def record_links(self, ids: Iterable[str]) -> list[Link]:
        """Return the links that begin or end at these records."""
        keys = rows.keys_of(ids)
        with self._reading(bulk=True) as connection:
            return list(dict.fromkeys(_links(connection, keys)))

    def remove_links(self, links: Iterable[Link]) -> None:
        """Take these links away."""
        with self._writing() as connection:
            connection.executemany(
                "DELETE FROM record_links WHERE source = ? AND relation = ? AND target = ?", map(_link_key, links)
            )

    def is_forgotten(self, record: Record, passage: Chunk | None) -> bool:
        """Say whether a person had it forgotten: ``write_record`` would write nothing."""
        with self._reading() as connection:
            return _is_forgotten(connection, record, passage)

    def write_record(self, change: RecordChange, passage: Chunk | None, *, at: datetime, actor: str) -> bool:
        """Make a record what a change says, in one transaction; False if a person had it forgotten: then nothing is written.

        ``passage`` is what is searched of it; without one, or when it stands no more, nothing is.
        """
        record = change.record
        with self.together(), self._writing() as connection:
            if _is_forgotten(connection, record, passage):
                return False
            connection.execute(_WRITE, _columns(record))
            if change.action is not RecordAction.COUNTED:
                connection.execute(
                    "INSERT INTO record_history (memory, at, actor, action, why, title, body, evidence)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(rows.key(record.id), _moment(at), actor, change.action, change.why),
                        *(record.title, record.body, rows.listed(change.evidence)),
                    ),
                )
            connection.executemany(
                "INSERT INTO record_links (source, relation, target, strength, made_by) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (source, relation, target) DO NOTHING",
                [(*_link_key(link), link.strength, link.by) for link in change.links],
            )
            path = f"record:{record.kind.name}/{record.id}"
            if passage and record.status.stands:
                self.replace_file(path, chunks=[passage], digest=passage.id, recipe=record.kind.name)
            else:
                self.forget_file(path)
        return True


def _is_forgotten(connection: SQLConnection, record: Record, passage: Chunk | None) -> bool:
    known_by = {wording_digest("", record.body)}
    if record.kind in PRACTISED:
        known_by.add(wording_digest(record.kind.name, record.about))
    if passage:
        known_by.add(wording_digest(passage.heading, passage.text))
    return bool(known_by & forgetting.digests_of(connection))


def _link_key(link: Link) -> tuple[int, str, int]:
    return rows.key(link.source), link.relation, rows.key(link.target)


def _links(connection: SQLConnection, keys: Sequence[int]) -> Iterator[Link]:
    for end in ("source", "target"):
        told = (
            f"SELECT source, relation, target, strength, made_by FROM record_links WHERE {end} IN ({{}})"
            " ORDER BY source, relation, target"
        )
        for source, relation, target, strength, by in batches.found(connection, told, keys):
            yield Link(rows.id_of(source), _relation(relation), rows.id_of(target), strength, by)


def _relation(word: str) -> Relation | str:
    return Relation(word) if word in list(Relation) else word


def _columns(record: Record) -> tuple[Any, ...]:
    return (
        rows.key(record.id),
        record.kind.name,
        record.about,
        record.title,
        record.body,
        record.said_by,
        record.confidence,
        record.salience.value,
        _moment(record.salience.at),
        record.level.label,
        record.scope,
        record.status,
        _moment(record.first_at),
        _moment(record.at),
        record.session,
        json.dumps(_plain(record.fields), ensure_ascii=False, sort_keys=True),
    )


def _record(row: Sequence[Any]) -> Record:
    memory, kind, about, title, body, said_by, confidence, salience, salient_at, level, scope, status, *rest = row
    first_at, at, session, fields, mark = rest
    return Record(
        id=rows.id_of(memory),
        kind=kind_called(kind),
        about=about,
        title=title,
        body=body,
        said_by=Speaker(said_by),
        confidence=confidence,
        salience=Salience(salience, datetime.fromisoformat(salient_at)),
        level=Level.stored(level),
        scope=scope,
        status=RecordStatus(status),
        pinned=mark == "pin",
        first_at=datetime.fromisoformat(first_at),
        at=datetime.fromisoformat(at),
        session=session,
        fields=json.loads(fields),
    )


def _entry(row: Sequence[Any]) -> Entry:
    at, actor, action, why, title, body, evidence = row
    return Entry(datetime.fromisoformat(at), actor, RecordAction(action), why, title, body, rows.texts(evidence))


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
