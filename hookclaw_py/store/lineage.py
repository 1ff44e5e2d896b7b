"""Lineage: which memory goes on in which passage when a document is read again. Decided once, when it is indexed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.model.origin import Origin
from hookclaw_py.text import jaccard

ALIKE = 0.6
"""Jaccard coefficient of the terms from which one passage is another one edited, wherever it stands now."""
ALIKE_IN_PLACE = 0.3
"""The same for a passage that stands where the other one stood: "Port: 5432" and "Port: 6000" share a third."""


class Passage(NamedTuple):
    """What comes into a document, or goes from it: ``name`` is its own, or that of the memory that it was.

    ``gap`` counts the passages before it that stay; -1 is somewhere else. ``origin`` says whose words it holds.
    """

    name: str
    heading: str
    terms: frozenset[str]
    gap: int = -1
    origin: Origin = Origin.UNSTAMPED


def successors(gone: Sequence[Passage], added: Sequence[Passage]) -> dict[str, str]:
    """Return by the name of each added passage the memory that goes on in it, each at most once.

    The likest come first; of those that are left, the ones that stand in the same place under the same heading follow in
    their order. What one trusted more or less than the other wrote is one memory only where they share more than a heading.
    """
    found: dict[str, str] = {}
    taken: set[str] = set()

    def pair(old: Passage, new: Passage, least: float) -> None:
        free = old.name not in taken and new.name not in found
        if free and jaccard(old.terms, new.terms) >= least and _of_one_hand(old, new):
            found[new.name] = old.name
            taken.add(old.name)

    alike = (
        (-jaccard(old.terms, new.terms), new.gap < 0 or old.gap != new.gap, old, new) for old, new in _near(gone, added)
    )
    for _, _, old, new in sorted(alike, key=lambda one: (one[0], one[1], one[2].name, one[3].name)):
        pair(old, new, ALIKE)
    left = _by_place(new for new in added if new.name not in found)
    for place, olds in _by_place(old for old in gone if old.name not in taken).items():
        for old, new in zip(olds, left.get(place, ()), strict=False):
            pair(old, new, ALIKE_IN_PLACE)
    return found


def _of_one_hand(old: Passage, new: Passage) -> bool:
    """Say whether both are trusted alike, or the words below the heading are, nearly, the same."""
    if old.origin.tier is new.origin.tier or old.terms == new.terms:
        return True
    return jaccard(_below_heading(old), _below_heading(new)) >= ALIKE_IN_PLACE


def _below_heading(passage: Passage) -> frozenset[str]:
    return passage.terms - text.terms(passage.heading).distinct


def _by_place(passages: Iterable[Passage]) -> Mapping[tuple[int, str], list[Passage]]:
    places: defaultdict[tuple[int, str], list[Passage]] = defaultdict(list)
    for passage in passages:
        if passage.gap >= 0:
            places[passage.gap, passage.heading].append(passage)
    return places


def _near(gone: Sequence[Passage], added: Sequence[Passage]) -> Iterator[tuple[Passage, Passage]]:
    """Yield the pairs that can be alike: of two sets so alike, the rarest terms of one hold one of the rarest of the other.

    Source: prefix filtering, Chaudhuri, Ganti and Kaushik, "A primitive operator for similarity joins", ICDE 2006.
    """
    often = Counter(term for passage in (*gone, *added) for term in passage.terms)

    def rarest(passage: Passage) -> list[str]:
        ordered = sorted(passage.terms, key=lambda term: (often[term], term))
        return ordered[: len(ordered) - ceil(ALIKE * len(ordered)) + 1]

    having: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in added:
        for term in rarest(passage):
            having[term].append(passage)
    for old in gone:
        yield from {new.name: (old, new) for term in rarest(old) for new in having.get(term, ())}.values()
