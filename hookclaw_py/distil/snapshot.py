"""The state of work before a compaction: the last things that were said, short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookclaw_py.distil.runs import SessionRuns
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import WORKING
from hookclaw_py.model.types import Message

_LAST = 15  # messages
_LONGEST = 200  # characters of each
_CONFIDENCE = 1.0


def snapshot(said: Sequence[Message]) -> str:
    """Return the last of what was said, one message a line, the person's with ``[U]`` and every other with ``[A]``."""
    if not said:
        return "(no messages)"
    return "\n".join(f"[{'U' if message.role == 'user' else 'A'}] {_short(message.text)}" for message in said[-_LAST:])


def snapshots(session: SessionRuns) -> Iterator[Draft]:
    """Yield the state of work before each compaction of a session; the latest is the session's."""
    for compaction, before in session.compactions:
        runs = session.runs[:before]
        asked = [("user", said) for run in runs for said in run.asked]
        answered = [("assistant", said) for run in runs for said in run.answered]
        every = sorted([*asked, *answered], key=lambda pair: pair[1].at)
        if not every:
            continue
        yield Draft(
            kind=WORKING,
            key=f"before compaction {session.name}",
            title="",
            body=snapshot([Message(role, said.text) for role, said in every]),
            said_by=Speaker.TOOL,
            confidence=_CONFIDENCE,
            at=compaction.at,
            session=session.name,
            run=compaction.run,
            evidence=(*(said.id for _, said in every[-_LAST:]), compaction.id),
            fields={"thread": session.name, "state": "executing", "trigger": "compaction"},
        )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
