"""Supersession: of two notes that say the same thing about the same subject differently, the newer one comes first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from pathlib import PurePosixPath

from hookclaw_py.model.types import Candidate, Chunk, Effect, Period, covered_by
from hookclaw_py.regex import regex
from hookclaw_py.text import fold, jaccard

_OLD = "old | alt(?:e[nrs]?)? | anciens? | anciennes? | viej[oa]s? | antigu[oa]s? | vecchi[oae]? | out ?dated | superseded | veraltet"
_CALLED_OLD = regex(
    rf"(?ix) \A (?:{_OLD}) \ (?P<before>(?-i:[^A-ZÀ-Þ\s]).*) | (?P<behind>.*\w) [\ _-]{{1,2}} \(? (?:{_OLD}) \)? \Z"
)
"""Of "Old staging" there is a staging; "Old Delhi" is a name."""
_A_DAY = timedelta(days=1)
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
    however alike. What is trusted less, or dated after ``now``, supersedes nothing, and what is of the ``period`` that is asked for (in the user's ``zone``) is superseded
    by nothing that is not: who asks for the 12th wants to know what was then. A note below ``min_score`` is not injected and supersedes nothing.
    """
    asked, ordered = frozenset(query_terms), list(candidates)
    terms = {c.chunk.id: c.chunk.terms.distinct for c in ordered[:AMONG]}
    held = {name: asked.intersection(own) for name, own in terms.items()}
    then = {c.chunk.id for c in ordered[:AMONG] if period and _is_of(c.chunk, period, zone)}

    def has_all_of(newer: Candidate, older: Candidate) -> bool:
        old = held[older.chunk.id]
        return bool(old) and old <= held[newer.chunk.id]

    def supersedes(newer: Candidate, older: Candidate) -> bool:
        if older.chunk.id in then and newer.chunk.id not in then:
            return False
        is_version = _is_version_of(newer.chunk, older.chunk)
        if not is_version and not _later(newer.chunk, older.chunk):
            return False
        if newer.chunk.origin.tier > older.chunk.origin.tier or _is_to_come(newer.chunk, now):
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
                and _is_known_later(better.chunk, worse.chunk)
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


def _is_to_come(chunk: Chunk, now: datetime) -> bool:
    """Say whether a note is dated after today, wherever today is."""
    return chunk.created_at is not None and chunk.created_at > now + _A_DAY


def _later(chunk: Chunk, other: Chunk) -> bool:
    if chunk.created_at == other.created_at:
        return chunk.place.path == other.place.path and chunk.place.lines > other.place.lines
    return _dated_later(chunk, other)


def _dated_later(chunk: Chunk, other: Chunk) -> bool:
    return chunk.created_at is not None and other.created_at is not None and chunk.created_at > other.created_at


def _is_known_later(chunk: Chunk, other: Chunk) -> bool:
    return _dated_later(chunk, other) or _is_version_of(chunk, other)


def _is_version_of(new: Chunk, old: Chunk) -> bool:
    """Say whether a page is called the old one of what another in its folder is called: "School (old)" of "School"."""
    called = _called_old(old.place.path, old.heading)
    if not called:  # as mostly
        return False
    called -= _called_old(new.place.path, new.heading)
    same_folder = called and PurePosixPath(new.place.path).parent == PurePosixPath(old.place.path).parent
    return bool(same_folder) and not called.isdisjoint(map(fold, _names(new.place.path, new.heading)))


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
