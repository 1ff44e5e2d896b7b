"""Overlap: what of a session's transcript was captured as it happened. It is remembered from there, and not once more.

A captured prompt stands for one turn of its session's transcript: that with its words, the nearest in time. Once its words
are gone, or were private, it stands for the turn of its moment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from hookclaw_py.ingest.spoken import Turn
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.privacy.marked import without_marked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.privacy.redaction import redact

SAME_WORDS = timedelta(days=1)
"""Between what a host noted and what it reported: a message may wait for the end of the turn before it."""
SAME_MOMENT = timedelta(minutes=2)
_COMPARED = 5000  # characters: longer ones are cut, each in its own way

SAID = (HappeningKind.PROMPT, HappeningKind.ANSWER)
"""Kinds of which a turn is made."""


class Question(NamedTuple):
    """A prompt as it stands in a transcript: its words and its moment."""

    text: str
    at: datetime | None


def not_captured(found: Sequence[Turn], told: Sequence[Happening]) -> list[Turn]:
    """Leave out the turns of a transcript that are among what was captured of its session; an answer that was lost stays."""
    if not told:
        return list(found)
    asked = [Question(dict(turn.said).get("user", ""), turn.at) for turn in found]
    there = captured(asked, [one for one in told if one.kind is HappeningKind.PROMPT])
    answered = {one.run for one in told if one.kind is HappeningKind.ANSWER}
    left = []
    for number, turn in enumerate(found):
        prompt = there.get(number)
        if prompt is None:
            left.append(turn)
        elif prompt.run not in answered and may_be_answered(prompt):
            answer = tuple(pair for pair in turn.said if pair[0] != "user")
            left += [turn._replace(said=answer)] if answer else []
    return left


def captured(asked: Sequence[Question], prompts: Sequence[Happening]) -> Mapping[int, Happening]:
    """Return of each prompt of a transcript that was captured as what it is known, by its number."""
    pairs = sorted(_pairs(asked, prompts), key=lambda pair: pair[:3])
    found: dict[int, Happening] = {}
    used: set[int] = set()
    for _, _, number, which in pairs:
        if number not in found and which not in used:
            found[number] = prompts[which]
            used.add(which)
    return found


def _pairs(asked: Sequence[Question], prompts: Sequence[Happening]) -> Iterator[tuple[bool, timedelta, int, int]]:
    """Yield what may be the same: (whether the words are unknown, how far apart, number of one, number of the other)."""
    by_words: dict[str, list[int]] = defaultdict(list)
    wordless: list[tuple[datetime, int]] = []
    for which, prompt in enumerate(prompts):
        if text := str(prompt.payload.get("text") or ""):
            by_words[_folded(text)].append(which)
        else:
            wordless.append((prompt.at, which))
    wordless.sort()
    for number, (text, at) in enumerate(asked):
        for which in by_words.get(_folded(text), ()):
            apart = abs(prompts[which].at - (at or prompts[which].at))
            if apart <= SAME_WORDS:
                yield False, apart, number, which
        if at is None:
            continue
        for moment, which in wordless[bisect_left(wordless, (at - SAME_MOMENT, -1)) :]:
            if moment - at > SAME_MOMENT:
                break
            yield True, abs(moment - at), number, which


def may_be_answered(prompt: Happening) -> bool:
    """Say whether an answer to this prompt may be known: its words are, and nothing of it was private."""
    return bool(prompt.payload.get("text")) and "private" not in prompt.payload


def _folded(text: str) -> str:
    bare = redact(without_marked(strip_own_blocks(text)).text)
    return " ".join(bare.casefold().split())[:_COMPARED]


def moments_of(told: Sequence[Happening]) -> list[tuple[str, datetime]]:
    """Return the prompts of what was captured, each with its moment."""
    prompts = [one for one in told if one.kind is HappeningKind.PROMPT and one.payload.get("text")]
    return [(str(one.payload["text"]), one.at.astimezone(UTC)) for one in prompts]
