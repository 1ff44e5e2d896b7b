"""Sentences: a message cut into what was said one after the other, each as it stands and as grammar reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.regex import regex

_LONGEST = 500  # characters of what a person says in one go
_NEAR = 40  # characters beside a point that tell whether it ends a sentence
_FENCE = regex(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = regex(r"[ \t]*>")
_LIST_MARK = regex(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+|[ \t]*#{1,6}[ \t]+")
_MARKS = regex(r"[*`]")
_BLANKS = regex(r"\s+")
_ENDS = regex(r"(?<=[.!?;…])\s+|(?<=[。！？；])")
_ABBREVIATED = regex(
    r"(?i)\b(?:[dms]rs?|sra|st|nr|no|ca|vs|bzw|ggf|inkl|etc|inc|fig|prof|tel|approx|e\.g|i\.e|z\.\s?b|u\.\s?a|d\.\s?h|[ap]\.m)\.$"
)
_DAY = regex(
    r"(?i)(?:\b(?:am|vom|zum|bis|ab|seit|den|dem|der|die|im|\w+tag|mittwoch|mi|mo|di|do|fr|sa|so) \d{1,2}\.|\b\d{1,2}\.\d{1,2}\.)$"
)
_MONTH = regex(r"(?i)(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|o[kc]t|nov|de[zc])")
_ASKS = regex(
    r"""(?xi) (?: (?:and|or|so|but|ok|okay|und|also|oh|hey|well) [\s,]+ )*
      (?: (?:what|how|who|where|when) \b (?! ever | \s+(?:you|we|i|he|she|they|it)\b) | (?:why|whom|whose|which) \b
        | (?:what|who|how|where|when)['’]?s \b
        | (?:can|could|would|will|should|shall|do|does|did|is|are|was|were|has|have|may|might) (?:n['’]?t)? \s+
          (?:you|we|i|it|he|she|they|there|that|this|the|my|our|your|any|anyone|someone) (?=\s+\w|$)
        | (?:kannst|könntest|kanst|magst|willst|sollen|sollten|können|hast|bist|weißt|weisst) \s+ (?:du|wir|ihr|mal) \b
        | (?:was|warum|wieso|wie|wer|wen|wem|welche[rsnm]?|wo|wohin|wann|woher) \b
        | (?:soll|kann|muss|darf|habe|hab) \s+ ich \b | (?:ist|sind|hat|gibt) \s+ (?:es|das|da|der|die|er|sie) \b
        | (?:qu['’]est-ce|est-ce|pourquoi|comment|quel(?:le)?s?|où|quand)\b | (?:qué|cómo|cuándo|dónde|por\ qué|quién)\b ) """
)


class Sentence(NamedTuple):
    """A sentence as it was said, without blanks around it; ``bare`` is without marks, and ends without its last point.

    ``item`` is which item of a list it stands in, counted from 1 in its message, 0 where it stands in none.
    """

    said: str
    bare: str
    item: int = 0

    @property
    def is_long(self) -> bool:
        """Whether it is longer than people speak: then it is something pasted."""
        return len(self.said) > _LONGEST

    @property
    def asks(self) -> bool:
        """Whether it is a question, with or without its mark."""
        return self.bare.endswith(("?", "？")) or bool(_ASKS.match(self.bare))


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of ``text`` in order, without code blocks, quoted lines and what we had put in ourselves.

    One ends at a line break, or at ``.!?;`` before a blank.
    """
    return [Sentence(said, _bare(said), item) for item, line in _lines(text) for said in _cut(line)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are somebody's own, without the marks of lists and headings, each with the item of a list that it is."""
    items = 0
    for line in _FENCE.sub("\n", strip_own_blocks(text)).splitlines():
        if _QUOTED.match(line):
            continue
        mark = _LIST_MARK.match(line)
        is_item = mark is not None and "#" not in mark[0]
        items += is_item
        yield items if is_item else 0, line[mark.end() :] if mark else line


def _cut(line: str) -> Iterator[str]:
    begin = 0
    for end in _ENDS.finditer(line):
        before, after = line[max(begin, end.start() - _NEAR) : end.start()], line[end.end() : end.end() + _NEAR]
        if not _goes_on(before, after):
            yield from _stripped(line[begin : end.start()])
            begin = end.end()
    yield from _stripped(line[begin:])


def _goes_on(before: str, after: str) -> bool:
    """Say whether a point is one of an abbreviation ("Dr. Meier", "T. Brand") or of a day ("am 24. März") and no sentence's end."""
    if _ABBREVIATED.search(before) or re.search(r"(?:^|\W)[A-Z]\.$", before):
        return True
    day = re.search(r"\b\d{1,2}\.$", before)
    return bool(day and _MONTH.match(after)) or bool(_DAY.search(before) and after[:1].islower())


def _stripped(piece: str) -> Iterator[str]:
    if said := piece.strip():
        yield said


def _bare(said: str) -> str:
    return _BLANKS.sub(" ", _MARKS.sub("", said)).strip().rstrip(".!;…。！；").rstrip()


_SECRET = regex(
    r"(?i)\b(?:pass(?:word|wort|phrase|code)?|kennwort|secret|token|api[- ]?key|key|credentials?|logins?|wi-?fi|wlan|\w*code|contrase[ñn]as?|clave|mot de passe|mdp|pin)\b"
)
_RANDOM = regex(r"(?=\S*\d)(?=\S*[^\W\d])\S{8,}")


def is_secret(term: str) -> bool:
    """Say whether a term is one for a password or the like."""
    return bool(_SECRET.search(term))


def tells_secret(text: str) -> bool:
    """Say whether a text speaks of a password or the like and holds something that may be one."""
    return bool(_SECRET.search(text) and _RANDOM.search(text))


def clipped(text: str, chars: int) -> str:
    """Return ``text`` on one line, cut at a word where it is longer than ``chars``; the cut shows as ``…``."""
    line = _BLANKS.sub(" ", text).strip()
    if len(line) <= chars:
        return line
    head = line[: chars - 1]
    at_word = head.rpartition(" ")[0]
    return f"{at_word if len(at_word) > chars // 2 else head}…"
