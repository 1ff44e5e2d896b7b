"""Briefing: what a session is told when it begins: unfinished work, the last session, what is pinned or confirmed, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Any, NamedTuple

from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import (
    DECISION,
    EPISODE,
    FACT,
    OBSERVATION,
    PLAN,
    PREFERENCE,
    SAVED,
    SKILL,
    SUMMARY,
    WORKING,
    Kind,
)
from hookclaw_py.model.record import Record, RecordStatus
from hookclaw_py.privacy.plain import plain
from hookclaw_py.regex import regex
from hookclaw_py.speech.listing import without_head
from hookclaw_py.speech.orders import directed_in
from hookclaw_py.speech.sentences import clipped

HEAD, TITLE, TAIL = "<session_memory>", "## Memory Context", "</session_memory>"
LINE = 200
"""Characters of a line at most."""
ELLIPSIS = "…"
ASKED = "[U] "
"""Before each thing that the person said, in the state of work."""
TASKS = {"planning": "Planned", "waiting": "Still to do", "blocked": "Blocked"}
"""How work is told that is not under way, by its state."""
NEXT = "Next steps: "
"""Before what is left to do, in a summary."""
_FAILED = regex(r"Ran (?P<what>.+): failed(?P<exit>, exit -?\d+)?")
_CALLED = regex(r"Step \d+: invoke \S+")
TRIED = 10
"""Times as many as are told may be tried for one that fits."""
COMPLETED = "Completed: "
"""Before what was done, in a summary."""
OWN, PINNED, UNFINISHED, LATEST, PREFERRED, DECIDED, WAITING, CONFIRMED, EARLIER = range(9)
"""Urgency: the work of this very session comes first, what earlier sessions than the last one left to do comes last.

What is unfinished takes half of the places; where more is, it is ``WAITING`` behind how the person likes things and what they decided.
How they like things, which does not fade, takes as many; where more is, it stands with what else is confirmed.
"""
_BEHIND = {UNFINISHED: WAITING, PREFERRED: CONFIRMED}
_CONFIRMED = {PREFERENCE: PREFERRED, DECISION: DECIDED}


class Section(NamedTuple):
    """A part of the block: its title, its kinds, and whether they are told once they are confirmed."""

    title: str
    kinds: frozenset[Kind]
    confirmable: bool = False


SECTIONS = (
    Section("Semantic Knowledge", frozenset({FACT, DECISION, PREFERENCE}), confirmable=True),
    Section("Competence / Skills", frozenset({SKILL}), confirmable=True),
    Section("Saved", frozenset({SAVED})),
    Section("Working State", frozenset({WORKING})),
    Section("Plan Graphs", frozenset({PLAN})),
    Section("Recent Events", frozenset({EPISODE})),
    Section("Previous Session Summaries", frozenset({SUMMARY})),
    Section("Recent Observations", frozenset({OBSERVATION})),
)
_SECTION_OF = {kind: section for section in SECTIONS for kind in section.kinds}


class Briefed(NamedTuple):
    """A record as it is told: its salience by now, and what is written of it, one line or more."""

    record: Record
    salience: float
    written: str


class Briefing(NamedTuple):
    """The block and what is told in it, in its order; "" when there is nothing to say."""

    text: str
    told: tuple[Briefed, ...]


NO_BRIEFING = Briefing("", ())

_Ranked = tuple[int, float, str, Record]
"""How soon a record is told: its urgency, its salience below zero, its id, and the record."""


def brief(
    records: Iterable[tuple[Record, float]],
    *,
    max_records: int,
    max_chars: int,
    least_salience: float,
    least_confidence: float,
    session: str = "",
    steps_since: datetime | None = None,
    to_come: Collection[str] = (),
) -> Briefing:
    """Choose what a session is told of ``records``, which it may see, each with its salience by now, and write it.

    What is pinned comes first, then what is unfinished, in half of the places, then the last session's summary, without the steps that
    are told by themselves, then what is confirmed: preferences, in as many, decisions, what else is unfinished, the rest, of each the
    most salient first; then what earlier sessions left to do. One that does not fit into
    ``max_chars`` characters is left out and the next, smaller one tried. Less salient than ``least_salience`` is told only what is pinned, how the
    person likes things, which holds until they say otherwise, and a step that a person named after ``steps_since``, or whose time is ``to_come``. Of ``session``, one that goes on, the state of its own
    work is told before all else, in full.
    """
    every = list(records)
    latest = _latest_summary([record for record, _ in every])
    ranked: list[_Ranked] = []
    for known, salience in every:
        record = known if known.pinned or known.id == latest else _without_failures(known)
        urgency = _urgency(record, session, latest, least_confidence=least_confidence)
        if urgency is None:
            continue
        stays = urgency < UNFINISHED or urgency == PREFERRED or _is_step(record, steps_since, to_come)
        if stays or salience >= least_salience:
            ranked.append((urgency, -salience, record.id, record))
    room = max_chars - len(HEAD) - len(TITLE) - len(TAIL) - 2
    chosen: list[Briefed] = []
    for urgency, negative, _, known in _some_waiting(ranked, (max_records + 1) // 2)[: TRIED * max_records]:
        if len(chosen) == max_records:
            break
        steps = [one.record.body for one in chosen if one.record.kind == WORKING]
        record = known if known.pinned else left_of(known, steps)
        if record is not known and not (record.unfinished or record.listed("completed")):
            continue  # a summary that said only what is told by itself
        told = Briefed(record, -negative, _line(record, -negative))
        if _flat(record.title + record.body) and _length([*chosen, told]) <= room:
            chosen.append(told if urgency > OWN else _in_full(told, chosen, room))
    return _written(chosen)


def _some_waiting(ranked: Iterable[_Ranked], places: int) -> list[_Ranked]:
    """Return the same, best first; what is unfinished or preferred and finds no room in so many ``places`` of each waits."""
    best = sorted(ranked, key=lambda one: one[:3])
    behind = {
        one[2]: until for kind, until in _BEHIND.items() for one in [one for one in best if one[0] == kind][places:]
    }
    return sorted(((behind.get(one[2], one[0]), *one[1:]) for one in best), key=lambda one: one[:3])


def left_of(record: Record, over: Collection[str]) -> Record:
    """Return a summary without what is ``over`` by now, a step or a choice that these records said: its steps, and the lines that tell it."""
    if record.kind != SUMMARY or not over:
        return record
    done = {clipped(said, LINE) for said in over}
    there = record.listed("next_steps")
    steps = [step for step in there if step not in done]
    told = [line for line in record.body.split("\n") if not line.startswith(NEXT)]
    lines = [line for line in told if not any(said.rstrip(".") in line for said in done)]
    if len(steps) == len(there) and lines == told:
        return record
    body = "\n".join([*lines, f"{NEXT}{'; '.join(map(str, steps))}"] if steps else lines)
    return replace(record, body=body, fields={**record.fields, "next_steps": steps})


def ids_of(briefing: Briefing) -> frozenset[str]:
    """Return the records that are told."""
    return frozenset(one.record.id for one in briefing.told)


def by_kind(briefing: Briefing) -> dict[str, list[dict[str, Any]]]:
    """Return the same as JSON: under each kind what is told of it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record, salience, _ in briefing.told:
        entry = {"id": record.id, "salience": round(salience, 6), "summary": _said(record), "content": record.body}
        found.setdefault(record.kind.name, []).append({**entry, "updatedAt": _instant(record.at)})
    return found


def _latest_summary(records: Iterable[Record]) -> str:
    """Return the id of the summary that was made last, "" if there is none."""
    made = [(record.at, record.id) for record in records if record.kind == SUMMARY and record.status.stands]
    return max(made)[1] if made else ""


def _without_failures(record: Record) -> Record:
    """Return an earlier session's summary without what failed in it: that is nothing which is left to do by now."""
    return left_of(record, [str(step) for step in record.listed("next_steps") if _FAILED.fullmatch(str(step))])


def _urgency(record: Record, session: str, latest: str, *, least_confidence: float) -> int | None:
    """Return how soon a record is told, the lowest first; None when it is not."""
    section = _SECTION_OF.get(record.kind)
    if section is None or not record.status.stands:
        return None
    if record.kind == SKILL and not record.pinned and _is_generic(record):
        return None
    if not (record.pinned or record.said_by.origin.is_own) and directed_in(f"{record.title}\n{record.body}"):
        return None  # what speaks to an agent is nobody's state of work
    if session and record.session == session and record.kind == WORKING and record.unfinished:
        return OWN
    if record.pinned:
        return PINNED
    if record.status is not RecordStatus.ACTIVE:
        return None
    if record.id == latest:
        return LATEST if record.unfinished or record.listed("completed") else None
    if record.unfinished:
        return EARLIER if record.kind == SUMMARY else UNFINISHED
    confirmed = section.confirmable and record.confidence >= least_confidence
    return _CONFIRMED.get(record.kind, CONFIRMED) if confirmed else None


def _is_step(record: Record, since: datetime | None, to_come: Collection[str]) -> bool:
    """Say whether a person said after ``since`` that this is to be done, or at a time that is ``to_come``."""
    own = record.kind == WORKING and record.said_by is Speaker.PERSON and record.unfinished
    return own and (record.id in to_come or (since is not None and record.at >= since))


def _length(told: Sequence[Briefed]) -> int:
    return sum(len(line) + 1 for line in _lines(told))


def _written(chosen: Sequence[Briefed]) -> Briefing:
    if not chosen:
        return NO_BRIEFING
    told = tuple(one for _, part in _parts(chosen) for one in part)
    return Briefing("\n".join([HEAD, TITLE, *_lines(chosen), TAIL]), told)


def _parts(chosen: Sequence[Briefed]) -> list[tuple[Section, list[Briefed]]]:
    """Return the sections that have something, each in its order: by salience, then by id."""
    parts = [(section, [one for one in chosen if one.record.kind in section.kinds]) for section in SECTIONS]
    return [(section, sorted(part, key=lambda one: (-one.salience, one.record.id))) for section, part in parts if part]


def _lines(chosen: Sequence[Briefed]) -> list[str]:
    lines: list[str] = []
    for section, part in _parts(chosen):
        count = f"{len(part)} record{'s' * (len(part) > 1)}"
        lines += ["", f"### {section.title} ({count})", *(one.written for one in part)]
    return lines


def _line(record: Record, salience: float) -> str:
    """Return one line of at most ``LINE`` characters; what it says is data and cannot break out of it."""
    doubt = " (contested)" if record.status is RecordStatus.CONTESTED else ""
    supposed = " (the assistant's word)" if record.said_by in (Speaker.ASSISTANT, Speaker.MODEL) else ""
    begin, end = f"- [{salience:.2f}] ", supposed + doubt
    return begin + _cut(_said(record), LINE - len(begin) - len(end)) + end


def _said(record: Record) -> str:
    """Return what a record says, on one line."""
    lines = [_flat(line) for line in plain(record.body).strip().split("\n")]
    summary = _flat(record.title) or lines[0]
    if record.kind == SKILL:
        return summary + _fared(record)
    if record.kind == SAVED and record.title:
        return f"{summary}: {' '.join(filter(None, lines))}"
    if record.kind == WORKING:
        asked = [line.removeprefix(ASKED) for line in lines if line.startswith(ASKED)]
        task = summary if _flat(record.title) or not asked else asked[-1]
        state = TASKS.get(str(record.fields.get("state")), "Last task")
        return f'{state}: "{without_head(task)}" ({_instant(record.at)})'
    if record.kind == SUMMARY and (steps := record.listed("next_steps")):
        if summary.startswith(NEXT):
            return summary
        return f"{summary} — {_remaining([_flat(str(step)) for step in steps])}"
    if record.kind == SUMMARY and (done := next((line for line in lines[1:] if line.startswith(COMPLETED)), "")):
        return f"{summary} — {done[0].lower()}{done[1:]}"
    return summary


def _remaining(steps: Sequence[str]) -> str:
    """Return what is left to do, and apart from it what failed and never passed: that happened, and is no step."""
    failed = {step: match for step in steps if (match := _FAILED.fullmatch(step))}
    ahead = "; ".join(step for step in steps if step not in failed)
    behind = "; ".join(f"{match['what']}{match['exit'] or ''}" for match in failed.values())
    return " — ".join(filter(None, (ahead and f"next steps: {ahead}", behind and f"failed last: {behind}")))


def _fared(record: Record) -> str:
    """Return how a skill did, and its steps: " — 12/14 success (one step, another)"."""
    calls, wins = record.counted("calls"), record.counted("wins")
    recipe = ", ".join(_steps(record))
    rate = f"{wins:g}/{calls:g} success" if calls else ""
    told = " ".join(part for part in (rate, f"({recipe})" if recipe else "") if part)
    return f" — {told}" if told else ""


def _steps(record: Record) -> list[str]:
    steps = [step.get("step") for step in record.listed("recipe") if isinstance(step, dict)]
    return [_flat(step) for step in steps if isinstance(step, str) and step]


def _is_generic(record: Record) -> bool:
    """Say whether a skill is only that tools were called: how often that went well helps nobody."""
    steps = _steps(record)
    return bool(steps) and all(_CALLED.fullmatch(step) for step in steps)


def _in_full(told: Briefed, chosen: Sequence[Briefed], room: int) -> Briefed:
    """Return a record with its body below, if that is more than a line, as far as there is room.

    Of too many lines the last are told, for they were said last.
    """
    body = [escape(f"  {line}".rstrip(), quote=False) for line in plain(told.record.body).strip().split("\n")]
    for first in range(len(body) if len(body) > 1 else 0):
        longer = told._replace(written="\n".join([told.written, *body[first:]]))
        if _length([*chosen, longer]) <= room:
            return longer
    return told


def _cut(text: str, room: int) -> str:
    """Return as much of a text as takes ``room`` characters once it is escaped."""
    written = escape(text, quote=False)
    if len(written) <= room:
        return written
    kept, left = list[str](), room - len(ELLIPSIS)
    for character in text:
        letter = escape(character, quote=False)
        if len(letter) > left:
            break
        kept.append(letter)
        left -= len(letter)
    return "".join(kept).rstrip() + ELLIPSIS


def _flat(text: str) -> str:
    return " ".join(plain(text).split())


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
