"""Commands in chat: what a person asks of their memory in a conversation, answered as text and without a model.

None fails: what is wrong is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from hookclaw_py.config import home
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.telling import superseded, type_of
from hookclaw_py.errors import HookclawError
from hookclaw_py.forgetting import forget as purge
from hookclaw_py.model.audience import POLICIES
from hookclaw_py.model.record import RecordStatus
from hookclaw_py.model.types import Candidate, Chunk, Outcome
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.stages import render
from hookclaw_py.store import pause as pausing
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.naming import find_memory
from hookclaw_py.text import on_one_line

FOUND = 10
LEAST = 0.1
"""Salience below which what was remembered lately is not listed."""
LINE = 200


def said(desk: ToolDesk, name: str, given: str) -> str:
    """Return the answer to a command."""
    policy = POLICIES[desk.audience]
    if not policy.hears_everything:
        return f"The memory is its owner's: here it is heard by {policy.called}. Ask in your own session."
    try:
        return COMMANDS[name](desk, given.strip())
    except HookclawError as error:
        return str(error)


def status(desk: ToolDesk, _: str) -> str:
    """Say how the memory is: running or not, what there is of each kind, when it grew last, and what went wrong in the last hour."""
    there = desk.engine.status()
    counts = desk.store.record_counts()
    standing = {kind: 0 for kind, _ in counts}
    for (kind, of), number in counts.items():
        standing[kind] += number if RecordStatus(of).stands else 0
    kinds = ", ".join(f"{number} {kind}" for kind, number in standing.items() if number) or "none"
    grown = desk.store.records(newest=1)
    recent = desk.store.decisions(since=desk.now - timedelta(hours=1))
    faults = sum(len(one.faults) for one in recent)
    paused = desk.engine.switches.paused(desk.now)
    lines = [
        f"**Memory of {desk.engine.agent}**: {f'paused {paused}' if paused else 'running'}",
        f"- notes: {there.chunks} passages of {there.files} files",
        f"- records: {sum(standing.values())} ({kinds})",
        f"- learned last: {grown[0].at:%Y-%m-%d %H:%M} UTC" if grown else "- learned last: never",
        f"- last hour: {len(recent)} prompts, {faults} faults",
        *(f"- wrong: {problem}" for problem in there.problems),
    ]
    return "\n".join(lines)


def recall(desk: ToolDesk, words: str) -> str:
    """Say what the memory answers; without words, what it learned lately."""
    if words and words.casefold() != "recent":
        found = desk.engine.consulting.recall(desk.prompt(words), limit=FOUND)
        lines = [_line(desk, one) for one in found.candidates]
        nothing = f"No records found ({found.reason})" if found.outcome is not Outcome.INJECTED else "No records found"
    else:
        words, nothing = "recent", "No records found"
        recent = [(one.salience_by(desk.now), one) for one in desk.store.records(standing=True, newest=FOUND)]
        lines = [
            f"- [{salience:.2f}] {type_of(one)}: {_short(one.title or one.body)} (id {one.id[:8]})"
            for salience, one in recent
            if salience >= LEAST and desk.sees(one)
        ]
    return "\n".join([f'**Recall: "{words}"**', *(lines or [nothing])])


def _line(desk: ToolDesk, one: Candidate) -> str:
    record = desk.store.record(one.chunk.memory)
    kind = type_of(record) if record else one.chunk.kind.name
    name = (one.chunk.memory or one.chunk.id)[:8]
    return f"- [{one.relevance:.2f}{superseded(one)}] {kind}: {_short(one.chunk.text)} (id {name})"


def _short(text: str) -> str:
    return on_one_line(render.clean(redact(text)), LINE)


def pause(desk: ToolDesk, written: str) -> str:
    """Tell and keep nothing for a while, or until it is said otherwise."""
    if written.casefold() in ("off", "end", "stop"):
        ended = pausing.resume(desk.store, now=desk.now)
        if paused := desk.engine.switches.paused(desk.now):
            return f"The memory stays paused, as all agents are, {paused}."
        return "The memory goes on." if ended else "The memory was not paused."
    length = pausing.length_of(written)
    if written and not length:
        return f"{_short(written)} is no length of time; say 30m, 2h or 7d, nothing for until you say off, or off."
    paused = pausing.pause(desk.store, now=desk.now, until=desk.now + length if length else None)
    when = f"until {paused.until:%Y-%m-%d %H:%M} UTC" if paused.until else "until you say `/memorypause off`"
    return f"The memory is paused {when}: nothing is told, nothing is kept."


def forget(desk: ToolDesk, named: str) -> str:
    """Purge a memory for good: the one that was told last here, or the one of an id."""
    if not named:
        return "Say which: `/memoryforget LAST` is what was told last here, `/memoryrecall` shows ids."
    if named.upper() == "LAST":
        shown = _told_last(desk)
        if len(shown) != 1:
            lines = [f"- {_short(chunk.text)} (id {memory[:8]})" for memory, chunk in shown.items()]
            return "\n".join(["Say which: `/memoryforget ID`.", *lines]) if shown else "Nothing was told here."
        (memory,) = shown
    else:
        memory = find_memory(desk.store, named)
    if desk.store.memory(memory) is None:
        return f"There is no memory {named[:40]!r}; it may be forgotten already."
    chunk = desk.store.heads([memory]).get(memory)
    gone = purge(desk.store, memory, beside=agent_folder(home(), desk.engine.agent), at=desk.now)
    in_note = chunk is not None and chunk.kind.trusted
    still = f" It still stands in {chunk.place}: take it out there, too." if in_note and chunk is not None else ""
    problem = f" Not yet: {gone.problem}" if gone.problem else ""
    said = f" Taken out of what was said, too ({gone.said})." if gone.said else ""
    alike = [f"- {_short(one.text)} (id {one.id[:8]})" for one in gone.alike]
    more = ["What was said may still tell of it in other words; `/memoryforget ID`:", *alike] if alike else []
    return "\n".join([f"Forgotten for good: {memory[:8]}.{said}{still}{problem}", *more])


def _told_last(desk: ToolDesk) -> Mapping[str, Chunk]:
    """Return what was told with the last prompt of this session that was told anything, by memory."""
    if desk.engine.history is not None:
        desk.engine.history.flush(1.0)
    shown = next((one.shown for one in desk.store.decisions(limit=50, session=desk.session) if one.shown), ())
    return desk.store.heads(desk.store.memories_of(shown).values())


COMMANDS: Mapping[str, Callable[[ToolDesk, str], str]] = {
    "status": status,
    "recall": recall,
    "pause": pause,
    "forget": forget,
}
