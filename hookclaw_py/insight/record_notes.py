"""Memories that no file holds, written as notes: for people to read, and to keep in git.

What is known stands in a file for each kind, what happened and what was said in one for each kind and month. The same memories
give the same bytes. Each file says ``private: true`` in its front matter, as notes do that are never indexed: what was
exported is not remembered a second time, wherever the folder lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.config import make_private
from hookclaw_py.errors import IndexingError
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import DECISION, FACT, PLAN, PREFERENCE, SESSION, SKILL
from hookclaw_py.model.record import Record, RecordStatus
from hookclaw_py.model.types import Chunk
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.privacy.plain import plain
from hookclaw_py.privacy.redaction import redact

HEADER = "---\nprivate: true\nwritten_by: hookclaw export\n---\n"
"""How our files begin: they are never indexed as notes, and only they are replaced."""
LASTING = (FACT, DECISION, PREFERENCE, SKILL, PLAN)
"""Kinds that have one file; the others have one a month."""
TITLES = {
    "fact": "Facts",
    "decision": "Decisions",
    "preference": "Preferences",
    "observation": "Observations",
    "summary": "Summaries of sessions",
    "episode": "Episodes",
    "skill": "Skills",
    "plan": "Plans",
    "working": "Work in progress",
    "saved": "Saved by an agent",
    "sessions": "What was said",
}


class Noted(NamedTuple):
    """One memory as it is written: of which kind, when, under which id, and its lines."""

    kind: str
    at: datetime
    id: str
    said: str
    remark: str


class Written(NamedTuple):
    """What was done in the folder: files of which the text is new, that were right already, and that went."""

    written: Sequence[Path]
    unchanged: Sequence[Path]
    removed: Sequence[Path]


def notes_of(records: Iterable[Record], turns: Iterable[Chunk], *, zone: tzinfo) -> Mapping[str, str]:
    """Return the notes by file name: of the records that stand, and of what was said in sessions."""
    noted = [_of_record(record) for record in records if record.status.stands]
    noted += [_of_turn(chunk) for chunk in turns if chunk.kind is SESSION and chunk.created_at]
    lasting = {kind.name for kind in LASTING}

    def file_of(one: Noted) -> str:
        return f"{one.kind}.md" if one.kind in lasting else f"{one.kind}-{one.at.astimezone(zone):%Y-%m}.md"

    ordered = sorted(noted, key=lambda one: (file_of(one), one.at, one.id))
    return {name: _note(list(part), zone) for name, part in groupby(ordered, key=file_of)}


def _of_record(record: Record) -> Noted:
    remarks = [
        "contested" if record.status is RecordStatus.CONTESTED else "",
        "pinned" if record.pinned else "",
        "" if record.said_by in (Speaker.PERSON, Speaker.TOOL) else f"the {record.said_by}'s word",
    ]
    said = "\n".join(filter(None, [record.title, record.body]))
    return Noted(record.kind.name, record.at, record.id, said, ", ".join(filter(None, remarks)))


def _of_turn(chunk: Chunk) -> Noted:
    assert chunk.created_at is not None
    return Noted(chunk.kind.name, chunk.created_at, chunk.id, chunk.text, chunk.place.path)


def _note(part: Sequence[Noted], zone: tzinfo) -> str:
    return "\n".join([HEADER, f"# {TITLES.get(part[0].kind, part[0].kind)}", *_days(part, zone)]) + "\n"


def _days(part: Sequence[Noted], zone: tzinfo) -> Iterator[str]:
    for day, own in groupby(part, key=lambda one: one.at.astimezone(zone).date()):
        yield f"\n## {day.isoformat()}\n"
        for one in own:
            first, *more = [line.rstrip() for line in plain(redact(one.said)).strip().split("\n")]
            remark = f" ({plain(one.remark)})" if one.remark else ""
            lines = [f"- {first}", *(f"  {line}".rstrip() for line in more)]
            lines[-1] += f"{remark} <!-- {one.id} -->"
            yield "\n".join(lines)


def write_notes(folder: Path, notes: Mapping[str, str]) -> Written:
    """Make the folder's files of ours these notes; what we did not write there stays as it is.

    Raises:
        IndexingError: if a file of the name is not ours, or the folder cannot be written; then nothing is.
    """
    try:
        make_private(folder)
        ours = {file.name: text for file in sorted(folder.glob("*.md")) if (text := _ours(file)) is not None}
        if foreign := [name for name in notes if name not in ours and (folder / name).exists()]:
            raise IndexingError(
                f"{folder / foreign[0]} is not of `hookclaw export`, and would be lost; move it, or give another folder"
            )
        news = [name for name, text in notes.items() if ours.get(name) != text]
        for name in news:
            replace_text(folder / name, notes[name])
        gone = [name for name in ours if name not in notes]
        for name in gone:
            (folder / name).unlink()
    except OSError as error:
        raise IndexingError(f"{error.filename or folder}: cannot be written: {error.strerror}") from error
    same = [name for name in notes if name not in news]
    return Written(*([folder / name for name in names] for names in (news, same, gone)))


def _ours(file: Path) -> str | None:
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return text if text.startswith(HEADER) else None
