"""Entries: a log whose lines begin with their day ("2026-03-02 new switch", "- 3 Mar: paid", "27/11 vet") is a diary without headings.

Each day of it is a stretch of its own, with its date: it is found by what was written on it, and by the day. A page that tells
of some days in a few lines stays whole: they are told together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any

from hookclaw_py.ingest.blocks import MERGED_TOKENS
from hookclaw_py.ingest.dating import Around, around, first_day
from hookclaw_py.ingest.length import length_of
from hookclaw_py.ingest.outline import Piece
from hookclaw_py.regex import regex

_FEWEST = 4
"""Lines of a log that begin with their day, at least; and at least half of all do."""
_IN_ORDER = 0.8  # of them, at least, stand in the order of time, or all against it
_NEXT_YEAR = timedelta(days=180)  # so far before the day above it, a day without a year is of the next one
_LIKE_A_CHAPTER = regex(r"\W*\d\d?\.\d")
_SLASHES = regex(
    r"(?P<lead>\W{0,8}(?:[^\W\d_]{2,12}\.?,?\ )?)(?P<a>\d\d?)(?:-\d\d?)?/(?P<b>\d\d?)(?:/(?P<y>(?:20)?\d\d))?(?![\w/%])"
)
_LARGEST_SHARE = 10  # "3/4" and "8/10" are shares and marks, where no other line says that they are days
Days = Mapping[int, datetime]


def by_day(doc: str, pieces: Sequence[Piece], known: Around) -> list[Piece]:
    """Return the ``pieces`` of a text, those of a log parted by day; ``known`` is what the note's name says of the year."""
    months = {around(piece.title).month for piece in pieces if piece.kind == "heading"} | {known.month}
    lines, sections = _without_slashes(doc.split("\n"), months), list[tuple[list[Piece], Days]]()
    for is_heading, group in groupby(pieces, key=lambda piece: piece.kind == "heading"):
        section = list(group)
        for piece in section if is_heading else ():
            known = around(piece.title, known)
        sections.append((section, {} if is_heading else _days(section, lines, known)))
    every = {number: day for _, days in sections for number, day in days.items()}
    whole = _is_log([piece for piece in pieces if piece.kind != "heading"], every, lines)
    parted: list[Piece] = []
    for section, days in sections:
        apart = days and (whole or (_is_long(section, lines) and _is_log(section, days, lines)))
        parted += _parted(section, days) if apart else section
    return parted


def _without_slashes(lines: list[str], months: Set[int | None]) -> list[str]:
    """Return lines that begin with "14/03/2026" or "14/3" as if they began with "2026-03-14" or "14.3."; ``months`` are those that headings name.

    The day stands first, unless they are days only with the month first, or stand in the order of time only then.
    """
    found = {number: match for number, line in enumerate(lines) if (match := _SLASHES.match(line))}
    if _are_shares([match for match in found.values() if not match["y"]], months):
        found = {number: match for number, match in found.items() if match["y"]}
    if len(found) < _FEWEST:
        return lines
    parts = [(int(m["a"]), int(m["b"]), int(m["y"] or 0) % 100) for m in found.values()]
    readings = [[(y, b, a) for a, b, y in parts], [(y, a, b) for a, b, y in parts]]
    in_order = [_in_order(days) for days in readings]
    right = [all(month <= 12 for _, month, _ in days) for days in readings]
    read = readings[(right[1], in_order[1]) > (right[0], in_order[0])]
    begins = {
        n: m["lead"] + (f"20{y:02}-{month:02}-{day:02}" if m["y"] else f"{day}.{month}.")
        for (n, m), (y, month, day) in zip(found.items(), read, strict=True)
    }
    return [begins[n] + line[found[n].end() :] if n in begins else line for n, line in enumerate(lines)]


def _are_shares(found: Sequence[re.Match[str]], months: Set[int | None]) -> bool:
    """Say whether numbers as "3/4" may all be shares of a whole, and no heading names the month that they would be of."""
    return all(int(m["a"]) <= int(m["b"]) <= _LARGEST_SHARE and int(m["b"]) not in months for m in found)


def _in_order(days: Sequence[Any]) -> int:
    """Return how many of ``days`` stand in the order of time, or against it, whichever are more."""
    return max(len([a for a, b in pairwise(days) if a <= b]), len([a for a, b in pairwise(days) if a >= b]))


def _days(section: Sequence[Piece], lines: Sequence[str], known: Around) -> Days:
    """Return the days that lines begin with, by line; one that leaves out its year is of the year of those above it.

    A line that only says who wrote what follows ("2026-03-02 Anna:") is of a chat, of which question and answer stay together.
    """
    days, year, before = dict[int, datetime](), known.year, None
    for piece in section:
        starts = {"paragraph": range(piece.first, piece.last), "list_item": (piece.first,)}.get(piece.kind, ())
        for number in starts:
            if lines[number].rstrip(" \t*_").endswith((":", "：")):
                continue
            day = first_day(lines[number])
            if day is None and year:
                day = first_day(lines[number], Around(year))
                if day and before and before - day > _NEXT_YEAR:
                    day = first_day(lines[number], Around(before.year + 1))
            if day:
                days[number], year, before = day, day.year, day
    return days


def _is_log(pieces: Sequence[Piece], days: Days, lines: Sequence[str]) -> bool:
    written = sum(bool(lines[n].strip()) for piece in pieces for n in range(piece.first, piece.last))
    in_order = _in_order([*days.values()]) >= _IN_ORDER * (len(days) - 1)
    return len(days) >= _FEWEST and 2 * len(days) >= written and in_order and not _are_chapters(days, lines)


def _are_chapters(days: Days, lines: Sequence[str]) -> bool:
    """Say whether "1.1", "1.2", "1.3" count chapters: as days they would be the first of one month after the other."""
    next_ones = sum(a.day == b.day and a.month + 1 == b.month for a, b in pairwise(days.values()))
    return 2 * next_ones >= len(days) - 1 and all(_LIKE_A_CHAPTER.match(lines[n]) for n in days)


def _is_long(section: Sequence[Piece], lines: Sequence[str]) -> bool:
    return length_of("\n".join(lines[section[0].first : section[-1].last])).tokens > MERGED_TOKENS


def _parted(section: Sequence[Piece], days: Days) -> Iterator[Piece]:
    """Yield the pieces of a section, paragraphs cut where a day begins; what has none is of the day before."""
    day = None
    for piece in section:
        within = (n for n in range(piece.first + 1, piece.last) if n in days)
        for first, last in pairwise([piece.first, *within, piece.last]):
            day = days.get(first, day)
            yield piece._replace(first=first, last=last, day=day)
