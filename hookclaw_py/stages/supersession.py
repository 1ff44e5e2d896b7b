"""Supersession: of two notes that say the same thing about the same subject differently, the newer one comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import PurePosixPath

from hookclaw_py import text
from hookclaw_py.kept import of_texts
from hookclaw_py.model.types import Candidate, Chunk, Effect, Period, covered_by
from hookclaw_py.regex import regex
from hookclaw_py.text import fold, jaccard

_OLD = "old | alt(?:e[nrs]?)? | anciens? | anciennes? | viej[oa]s? | antigu[oa]s? | vecchi[oae]? | out ?dated | superseded | veraltet"
_CALLED_OLD = regex(
    rf"(?ix) \A (?:{_OLD}) \ (?P<before>(?-i:[^A-ZÀ-Þ\s]).*) | (?P<behind>.*\w) [\ _-]{{1,2}} \(? (?:{_OLD}) \)? \Z"
)
"""Of "Old staging" there is a staging; "Old Delhi" is a name."""
_WHAT = r"(?:\s+(?:the|den|die|das|le|la|el|il))?\s+(?P<what>[^\n.;,()]{2,60})"
_REPLACES = regex(rf"(?i)\b(?:(?P<sure>supersedes)|replaces|ersetzt|remplace|reemplaza|sustituye|sostituisce){_WHAT}")
_REPLACED = regex(
    rf"(?i)\b(?:(?P<sure>superseded)|replaced|ersetzt|abgelöst|remplacée?|reemplazad[oa]|sustituid[oa]|sostituit[oa])\s+(?:by|durch|von|par|por|da){_WHAT}"
)
_SAYING = ("supersede", "replace", "ersetzt", "abgelöst", "remplac", "reemplaza", "sustitu", "sostitui")
"""What a text that says so has in it: most have none, which is soon seen."""
_NUMBERED = 3  # words of a name, one of which has a number: "ADR 007"
AMONG = 12  # candidates, which are compared in pairs; what lies deeper is not injected anyway


def prefer_newer(
    candidates: Sequence[Candidate],
    query_terms: Sequence[str],
    *,
    now: datetime,
    period: Period | None,
    zone: tzinfo,
    min_score: float,
    same_subject: float,
) -> list[Candidate]:
    """Let a newer note take the place of an older one that it supersedes; the two change places, nothing else moves.

    ``candidates`` are best first. A note supersedes an older one when their terms have a Jaccard of ``same_subject`` and it holds
    everything of the query that the older one holds (which must hold something of it). Newer is what is dated later; in one file and without a
    difference in date, what stands further down: that may as well be one of a list, so the other only gives its place
    and is not called superseded. A page that is called the old one ("School (old)") is older than what is called that without the word beside it,
    however alike, and so is one of which either page says so ("Supersedes ADR-007"), whatever of the query they hold, unless the query names it. What is trusted less, or dated after ``now``, supersedes nothing, and what is of the ``period`` that is asked for (in the user's ``zone``) is superseded
    by nothing that is not: who asks for the 12th wants to know what was then. A note below ``min_score`` is not injected and supersedes nothing.
    """
    asked, ordered = frozenset(query_terms), list(candidates)
    terms = {c.chunk.id: c.chunk.terms.distinct for c in ordered[:AMONG]}
    held = {name: asked.intersection(own) for name, own in terms.items()}
    then = {c.chunk.id for c in ordered[:AMONG] if period and _is_of(c.chunk, period, zone)}

    def has_all_of(newer: Candidate, older: Candidate) -> bool:
        old = held[older.chunk.id]
        return bool(old) and (old <= held[newer.chunk.id] or _replaces(newer.chunk, older.chunk, asked))

    def supersedes(newer: Candidate, older: Candidate) -> bool:
        if older.chunk.id in then and newer.chunk.id not in then:
            return False
        is_version = _is_version_of(newer.chunk, older.chunk) or _replaces(newer.chunk, older.chunk, asked)
        if not is_version and not _later(newer.chunk, older.chunk):
            return False
        if newer.chunk.origin.tier > older.chunk.origin.tier or newer.chunk.written(now) != newer.chunk.created_at:
            return False
        injected = newer.relevance >= min_score or older.relevance < min_score
        return injected and (is_version or jaccard(terms[newer.chunk.id], terms[older.chunk.id]) >= same_subject)

    for above in range(len(held)):
        for below in range(above + 1, len(held)):
            better, worse = ordered[above], ordered[below]
            if has_all_of(worse, better) and supersedes(worse, better):
                ordered[above] = _before(worse, better.score, better.chunk)
                ordered[below] = _behind(better, worse.score, worse.chunk)
            elif (
                has_all_of(better, worse)
                and (_is_known_later(better.chunk, worse.chunk) or _replaces(better.chunk, worse.chunk, asked))
                and supersedes(better, worse)
                and not worse.superseded
            ):
                ordered[below] = _behind(worse, worse.score, better.chunk)
    return ordered


def _before(newer: Candidate, score: float, older: Chunk) -> Candidate:
    return newer.rescored("supersession", score, f"newer than {older.place}", Effect.TOOK_PLACE, older.id)


def _behind(older: Candidate, score: float, newer: Chunk) -> Candidate:
    if _is_known_later(newer, older.chunk):
        return older.rescored("supersession", score, f"superseded by {newer.place}", Effect.SUPERSEDED, newer.id)
    return older.rescored("supersession", score, f"further down stands {newer.place}", Effect.GAVE_PLACE, newer.id)


def _is_of(chunk: Chunk, period: Period, zone: tzinfo) -> bool:
    return chunk.created_at is not None and covered_by(chunk.created_at, zone).overlaps(period)


def _later(chunk: Chunk, other: Chunk) -> bool:
    if chunk.created_at == other.created_at:
        return chunk.place.path == other.place.path and chunk.place.lines > other.place.lines
    return _dated_later(chunk, other)


def _dated_later(chunk: Chunk, other: Chunk) -> bool:
    return chunk.created_at is not None and other.created_at is not None and chunk.created_at > other.created_at


def _is_known_later(chunk: Chunk, other: Chunk) -> bool:
    return _dated_later(chunk, other) or _is_version_of(chunk, other) or _is_said_to_replace(chunk, other)


def _is_version_of(new: Chunk, old: Chunk) -> bool:
    """Say whether a page is called the old one of what another in its folder is called: "School (old)" of "School"."""
    called = _called_old(old.place.path, old.heading)
    if not called:  # as mostly
        return False
    called -= _called_old(new.place.path, new.heading)
    same_folder = called and PurePosixPath(new.place.path).parent == PurePosixPath(old.place.path).parent
    return bool(same_folder) and not called.isdisjoint(map(fold, _names(new.place.path, new.heading)))


def _replaces(new: Chunk, old: Chunk, asked: Set[str]) -> bool:
    """Say whether a page is said to take another's place, and it is not that one by its name which is asked for."""
    return _is_said_to_replace(new, old) and not _is_named(old, asked)


def _is_said_to_replace(new: Chunk, old: Chunk) -> bool:
    """Say whether either page says that one takes the other's place, by its name or the number in that: "Supersedes ADR-007"."""
    if not (_replacing(new.text) or _replaced_by(old.text)) or new.place.path == old.place.path:
        return False
    by_new = any(_calls(said, old) for said in _replacing(new.text))
    return by_new or any(_calls(said, new) for said in _replaced_by(old.text))


@of_texts
def _replacing(body: str) -> tuple[list[str], ...]:
    """Return the words of what a text says that it replaces, which begin with its name."""
    return _told(_REPLACES, body)


@of_texts
def _replaced_by(body: str) -> tuple[list[str], ...]:
    """Return the words of what a text says that it is replaced by."""
    return _told(_REPLACED, body)


def _told(pattern: re.Pattern[str], body: str) -> tuple[list[str], ...]:
    """Return what is superseded, and what with a number is replaced: who "replaces Lee on Mondays" makes no page an old one."""
    small = body.lower()
    if not any(word in small for word in _SAYING):
        return ()
    named = ((match, text.words(match["what"])) for match in pattern.finditer(body))
    return tuple(words for match, words in named if match["sure"] or any(map(str.isdigit, "".join(words[:_NUMBERED]))))


def _calls(said: Sequence[str], page: Chunk) -> bool:
    """Say whether words begin with what a page is called, or are no more than the beginning of that with a number in it."""
    for name in map(text.words, _names(page.place.path, page.heading)):
        shared = [one for one, other in zip(said, name, strict=False) if one == other]
        begins = shared == said[: len(shared)] and bool(shared)
        if begins and (len(shared) == len(name) or any(map(str.isdigit, "".join(shared)))):
            return True
    return False


def _is_named(page: Chunk, asked: Set[str]) -> bool:
    """Say whether a query has all words of what a page is called."""
    names = (text.terms(name).distinct for name in _names(page.place.path, page.heading))
    return any(name and name <= asked for name in names)


@lru_cache(maxsize=4096)
def _called_old(path: str, heading: str) -> frozenset[str]:
    """Return what a passage is called the old one of, but nothing that it stands under: "Friends > Old friends"."""
    names = _names(path, heading)
    found = ((_CALLED_OLD.match(name), [*map(fold, names[:above])]) for above, name in enumerate(names))
    called = ((fold(match["before"] or match["behind"]), around) for match, around in found if match)
    return frozenset(name for name, around in called if name not in around)


def _names(path: str, heading: str) -> list[str]:
    """Return what a passage is called: its file, and each heading above it."""
    return [PurePosixPath(path).stem, *heading.split(" > ")]
