"""memory_reflect: what a conversation of the agent's own taught, saved; by rules, or as a model has written it down."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from hookclaw_py.distil import distil
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.saving import save_all
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE

LEAST, MOST = 50, 65_000
"""Characters of a transcript."""
FOUNDATIONAL = frozenset({"gotcha"})
"""Types of what is always kept."""
_SHORTEST = 10
_AT_ONCE = 50  # written together: nobody else writes meanwhile
_KINDS = (FACT, DECISION, PREFERENCE)


class Lesson(NamedTuple):
    """One line of what was learned."""

    type: str
    subject: str
    content: str

    @property
    def foundational(self) -> bool:
        """Whether it is always kept."""
        return self.type in FOUNDATIONAL


def lesson(line: str) -> Lesson | None:
    """Read `M|type|subject|content`; None for what is none. The content may hold bars, a type that is left out is fact."""
    mark, *parts = line.strip().split("|", 3)
    if mark != "M" or len(parts) != 3 or len(parts[2].strip()) < _SHORTEST:
        return None
    kind, subject, content = (part.strip() for part in parts)
    return Lesson(kind or "fact", subject, content)


def reflect(desk: ToolDesk, wanted: asked.MemoryReflect) -> dict[str, Any]:
    """Save what is learned from a conversation."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("memory_reflect")
    if bool(wanted.session_id) == bool(wanted.transcript_path):
        raise WireError(Code.INVALID_PARAMS, "give either session_id or transcript_path")
    written = _transcript(desk, wanted.transcript_path) if wanted.transcript_path else ""
    lessons = [found for line in written.splitlines() if (found := lesson(line))]
    how = "lines"
    if wanted.session_id:
        lessons, how = _distilled(desk, wanted.session_id), "rules"
    told = {
        "extracted": len(lessons),
        "embedded": 0,
        "types": dict(Counter(one.type for one in lessons)),
        "extraction_method": how,
    }
    if wanted.dry_run:
        return told | {"memories": [one._asdict() for one in lessons]}
    ready = [_as_saved(one, wanted.session_id) for one in lessons]
    batches = (ready[first : first + _AT_ONCE] for first in range(0, len(ready), _AT_ONCE))
    saved = [told for batch in batches for told in save_all(desk, batch)]
    return told | {"embedded": sum(bool(one["embedded"]) for one in saved), "memory_ids": [one["id"] for one in saved]}


def _as_saved(one: Lesson, session: str) -> asked.MemorySave:
    return asked.MemorySave(
        content=one.content,
        memory_type=one.type,
        subject=one.subject,
        foundational=one.foundational,
        source_type="conversation",
        source_session_id=session,
    )


def _distilled(desk: ToolDesk, session: str) -> list[Lesson]:
    """Return what the rules make of a captured session."""
    told = desk.store.happenings(session)
    if not any(one.payload for one in told):
        why = "its words are no longer kept (capture.keepRawDays)" if told else "nothing was captured of it"
        raise WireError(Code.NOT_FOUND, f"session_id: {session[:80]!r}: {why}; name another session of yours")
    drafts = [one for one in distil(told) if one.kind in _KINDS and one.said_by is not Speaker.TOOL]
    unique = {one.body: Lesson(one.kind.name, one.title, one.body) for one in drafts}
    return list(unique.values())


def _transcript(desk: ToolDesk, given: str) -> str:
    """Return a file of the caller's own workspace."""
    try:
        file = desk.own_file(given, "transcript_path")
        if file.stat().st_size > 4 * MOST:  # bytes of a character
            raise WireError(Code.INVALID_PARAMS, f"transcript_path: up to {MOST:,} characters are read")
        written = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WireError(Code.NOT_FOUND, f"transcript_path: {given[:200]!r} cannot be read as text: {error}") from None
    if not LEAST <= len(written) <= MOST:
        raise WireError(
            Code.INVALID_PARAMS, f"transcript_path: {len(written):,} characters; {LEAST} to {MOST:,} are read"
        )
    return written
