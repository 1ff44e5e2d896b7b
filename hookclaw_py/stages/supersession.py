"""Supersession: of two notes that say the same thing about the same subject differently, the newer one comes first."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py import text
from hookclaw_py.types import Candidate, Chunk

ALIKE = 0.3  # Jaccard of terms: "Misery was written by King" and "Misery was written by Dawkins" share a third or more
AMONG = 12  # candidates; what lies deeper is not injected anyway


def prefer_newer(candidates: Sequence[Candidate], query_terms: Sequence[str]) -> list[Candidate]:
    """Let a newer note take the place of an older one that it supersedes; the two change places, nothing else moves.

    ``candidates`` are best first. A note supersedes an older one when it is alike and holds everything of the query
    that the older one holds (which must hold something of it). Newer is what is dated later; in one file and without a difference in date, what stands
    further down.
    """
    asked, ordered = frozenset(query_terms), list(candidates)
    for above in range(min(AMONG, len(ordered))):
        for below in range(above + 1, min(AMONG, len(ordered))):
            older, newer = ordered[above], ordered[below]
            if _supersedes(newer.chunk, older.chunk, asked):
                ordered[above] = newer.rescored("supersession", older.score, f"newer than {older.chunk.place}")
                ordered[below] = older.rescored("superseded", newer.score, f"superseded by {newer.chunk.place}")
    return ordered


def _supersedes(newer: Chunk, older: Chunk, asked: frozenset[str]) -> bool:
    if not _later(newer, older):
        return False
    old, new = frozenset(older.terms), frozenset(newer.terms)
    held = old & asked
    return bool(held) and held <= new and text.jaccard(old, new) >= ALIKE


def _later(chunk: Chunk, other: Chunk) -> bool:
    if chunk.created_at == other.created_at:
        return chunk.path == other.path and chunk.lines > other.lines
    return chunk.created_at is not None and other.created_at is not None and chunk.created_at > other.created_at
