"""Records in a file, a line of JSON each with its whole history: to be kept elsewhere, and read into another store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple, Protocol

import orjson

from hookclaw_py.consolidate.writing import is_forgotten, write
from hookclaw_py.errors import RevisionError
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import RECORDS, kind_called
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Entry, Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.model.salience import Salience
from hookclaw_py.privacy.plain import plain_json
from hookclaw_py.store.ports import Events, Notes
from hookclaw_py.store.sessions import Records

VERSION = 1
_MARKS = ("pin", "block", "")
_KINDS = {kind.name for kind in RECORDS}


class KeptRecord(NamedTuple):
    """One record as a file keeps it: with what was done to it, oldest first, the links that begin at it, and a person's mark ("pin", "block" or "")."""

    record: Record
    history: tuple[Entry, ...]
    links: tuple[Link, ...]
    mark: str


class Brought(NamedTuple):
    """How many records are new to a store, how many it knew, and how many a person had it forget."""

    new: int
    known: int
    forgotten: int


class Importing(Notes, Records, Events, Protocol):
    """Where records are, and a person's marks on them."""


def exported(store: Importing) -> Iterator[str]:
    """Yield every record, whatever became of it, as a line of JSON; those of an id always stand in the same place.

    Raises:
        StoreError: if the store cannot be read.
    """
    marks = store.marks()
    for record in sorted(store.records(newest=1_000_000_000), key=lambda record: (record.first_at, record.id)):
        links = sorted(link for link in store.record_links([record.id]) if link.source == record.id)
        history = tuple(store.record_history(record.id))
        yield _line(KeptRecord(record, history, tuple(links), marks.get(record.id, "")))


def _line(kept: KeptRecord) -> str:
    record, history, links, mark = kept
    told = {
        "version": VERSION,
        **{name: getattr(record, name) for name in ("id", "about", "title", "body", "said_by", "confidence", "scope")},
        **{name: getattr(record, name) for name in ("status", "session", "fields")},
        "mark": mark,
        "pinned": mark == "pin",  # all that earlier versions read of a mark
        "kind": record.kind.name,
        "level": record.level.label,
        "salience": {"value": record.salience.value, "at": _moment(record.salience.at)},
        "first_at": _moment(record.first_at),
        "at": _moment(record.at),
        "history": [{**entry._asdict(), "at": _moment(entry.at)} for entry in history],
        "links": [link._asdict() for link in links],
    }
    return plain_json(json.dumps(told, ensure_ascii=False, sort_keys=True))


def read(lines: Iterable[str]) -> list[KeptRecord]:
    """Read all lines, or none.

    Raises:
        RevisionError: naming the first line that is no record of ours.
    """
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(_kept(orjson.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise RevisionError(
                f"line {number}: no record as `hookclaw records export` writes it ({type(error).__name__}: {error});"
                " nothing was imported"
            ) from error
    return found


def _kept(told: Mapping[str, Any]) -> KeptRecord:
    if told["version"] != VERSION:
        raise ValueError(f"version {told['version']}, known is {VERSION}")
    if told["kind"] not in _KINDS:
        raise ValueError(f"kind {told['kind']!r}")
    mark = told.get("mark", "pin" if told["pinned"] is True else "")
    if mark not in _MARKS:
        raise ValueError(f"mark {mark!r}")
    texts = {name: _text(told[name]) for name in ("about", "title", "body", "scope", "session")}
    record = Record(
        id=_id(told["id"]),
        kind=kind_called(told["kind"]),
        **texts,
        said_by=Speaker(told["said_by"]),
        confidence=_share(told["confidence"]),
        salience=Salience(_share(told["salience"]["value"]), _read_moment(told["salience"]["at"])),
        level=Level.stored(told["level"]),
        status=RecordStatus(told["status"]),
        pinned=mark == "pin",
        first_at=_read_moment(told["first_at"]),
        at=_read_moment(told["at"]),
        fields=dict(told["fields"]),
    )
    history = tuple(_entry(entry) for entry in told["history"])
    if not history:
        raise ValueError("no history")
    links = tuple(_link(record.id, link) for link in told["links"])
    return KeptRecord(record, history, links, mark)


def _link(source: str, told: Mapping[str, Any]) -> Link:
    word = str(told["relation"])
    relation = Relation(word) if word in list(Relation) else word
    return Link(source, relation, _id(told["target"]), float(told.get("strength", 1.0)), str(told.get("by", "")))


def _entry(told: Mapping[str, Any]) -> Entry:
    actor, why, title, body = (_text(told[name]) for name in ("actor", "why", "title", "body"))
    evidence = tuple(map(_text, told["evidence"]))
    return Entry(_read_moment(told["at"]), actor, RecordAction(told["action"]), why, title, body, evidence)


def bring_in(store: Importing, kept: Sequence[KeptRecord], *, zone: tzinfo, at: datetime) -> Brought:
    """Write the records that the store does not have, with their history, all or none; what it knows stays as it is there.

    Raises:
        StoreError: if the store cannot be written.
    """
    new = forgotten = known = 0
    with store.together():
        for one in kept:
            if store.record(one.record.id) is not None:
                known += 1
                continue
            steps = list(_steps(one))
            if any(is_forgotten(store, change.record, zone=zone) for _, change in steps):
                forgotten += 1
                continue
            for entry, change in steps:
                write(store, [change], zone=zone, at=entry.at, actor=entry.actor)
            if one.mark and one.record.status.stands:
                store.mark(one.record.id, one.mark, at=at)
            new += 1
    return Brought(new, known, forgotten)


def _steps(kept: KeptRecord) -> Iterator[tuple[Entry, RecordChange]]:
    """Yield what has to be done, step by step, that a record comes to be what it was, with its history."""
    *before, last = kept.history
    for entry in before:
        then = replace(kept.record, title=entry.title, body=entry.body)
        yield entry, RecordChange(then, entry.action, entry.why, entry.evidence)
    yield last, RecordChange(kept.record, last.action, last.why, last.evidence, kept.links)


def _id(value: object) -> str:
    name = _text(value)
    if len(name) != 16 or int(name, 16) >> 63:
        raise ValueError(f"id {name!r}")
    return name


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _share(value: object) -> float:
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is not between 0 and 1")
    return float(value)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _read_moment(value: object) -> datetime:
    at = datetime.fromisoformat(_text(value))
    if at.tzinfo is None:
        raise ValueError(f"{value!r} has no zone")
    return at.astimezone(UTC)
