"""Runs: one prompt and all that it led to, in the order in which it happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from hookclaw_py.distil.calls import ToolCall, call_of
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.speech.quoted import parted
from hookclaw_py.speech.unsaying import asks_to_forget, is_sure, speaks_of, to_be_forgotten, without

FEW = 3
"""Statements at most that go where one word alone says what is to be forgotten."""
_OF_RUNS = (HappeningKind.PROMPT, HappeningKind.TOOL_CALL, HappeningKind.ANSWER)


class Said(NamedTuple):
    """Something that was said, and the happening in which it was."""

    id: str
    at: datetime
    text: str


class Episode(NamedTuple):
    """One run of a session: what was asked, done and answered."""

    session: str
    name: str
    at: datetime
    asked: tuple[Said, ...]
    calls: tuple[ToolCall, ...]
    answered: tuple[Said, ...]

    @property
    def prompt(self) -> str:
        """What the person said."""
        return "\n".join(said.text for said in self.asked)

    @property
    def evidence(self) -> tuple[str, ...]:
        """The happenings in which it was asked and done."""
        return (*(said.id for said in self.asked), *(call.id for call in self.calls))


class SessionRuns(NamedTuple):
    """A session's runs in order; ``compactions`` are happenings, each with how many runs had begun before it."""

    name: str
    runs: tuple[Episode, ...]
    compactions: tuple[tuple[Happening, int], ...]


def sessions(happenings: Sequence[Happening]) -> list[SessionRuns]:
    """Return what happened by session and run, in order of time; the same happening twice is one."""
    once: dict[str, Happening] = {}
    for happening in happenings:
        once.setdefault(happening.id, happening)
    by_session: dict[str, list[Happening]] = {}
    for happening in sorted(once.values(), key=lambda happening: happening.at):
        by_session.setdefault(happening.session, []).append(happening)
    return [_session(name, listed) for name, listed in by_session.items()]


def _session(name: str, every: Sequence[Happening]) -> SessionRuns:
    happenings = _without_unsaid(every)
    by_run: dict[str, list[Happening]] = {}
    compactions: list[tuple[Happening, int]] = []
    for run, happening in _numbered(happenings):
        if happening.kind is HappeningKind.COMPACTION:
            compactions.append((happening, len(by_run)))
        elif happening.kind in _OF_RUNS:
            by_run.setdefault(run, []).append(happening)
    return SessionRuns(name, tuple(_run(name, run, listed) for run, listed in by_run.items()), tuple(compactions))


def _without_unsaid(happenings: Sequence[Happening]) -> list[Happening]:
    """Leave out what a person asked to be forgotten of what was said before that, and the asking."""
    said = [one for one in happenings if one.kind in (HappeningKind.PROMPT, HappeningKind.ANSWER)]
    prompts = [one for one in said if one.kind is HappeningKind.PROMPT]
    asking = [one for one in prompts if asks_to_forget(_text(one))]
    gone, left = {one.id for one in asking}, dict[str, str]()
    for order in asking:
        for words in to_be_forgotten(_text(order)):
            meant = [one for one in said if one.at <= order.at and speaks_of(_text(one), words)]
            told = [one for one in meant if one.kind is HappeningKind.PROMPT and one.id not in gone]
            if is_sure(words) or len(told) <= FEW:
                left |= {one.id: without(left.get(one.id, _text(one)), words) for one in meant}
    return [
        one._replace(payload={**one.payload, "text": left[one.id]}) if one.id in left else one
        for one in happenings
        if one.id not in gone and left.get(one.id) != ""
    ]


def _numbered(happenings: Sequence[Happening]) -> Iterator[tuple[str, Happening]]:
    """Yield each with its run; where the host names none, a prompt begins one."""
    count, current = 0, ""
    for happening in happenings:
        if happening.run:
            current = happening.run
        elif happening.kind is HappeningKind.PROMPT:
            count += 1
            current = f"#{count}"
        yield current, happening


def _run(session: str, name: str, happenings: Sequence[Happening]) -> Episode:
    return Episode(
        session=session,
        name=name,
        at=happenings[0].at,
        asked=tuple(_asked(one) for one in happenings if one.kind is HappeningKind.PROMPT and _text(one)),
        calls=tuple(call_of(one) for one in happenings if one.kind is HappeningKind.TOOL_CALL),
        answered=tuple(_said(one) for one in happenings if one.kind is HappeningKind.ANSWER and _text(one)),
    )


def _said(happening: Happening) -> Said:
    return Said(happening.id, happening.at, _text(happening))


def _asked(happening: Happening) -> Said:
    """Return what a person said in a prompt, without what others wrote in it."""
    return Said(happening.id, happening.at, parted(_text(happening)).own)


def _text(happening: Happening) -> str:
    text = happening.payload.get("text")
    return text.strip() if isinstance(text, str) else ""
