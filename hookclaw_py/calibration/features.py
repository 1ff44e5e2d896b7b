"""Features: the one table of what may speak for a chunk: its name, how it is extracted, and how it is told to a person.

A new piece of evidence is a line of ``FEATURES`` and the function it names. It counts nothing until a weights file, which
``eval/fit_calibration.py`` writes, says what.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import log, log1p
from typing import Any, NamedTuple

from hookclaw_py import text
from hookclaw_py.calibration.defining import asks_what_it_is, defines, terms_of
from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.calibration.gathered import Gathered
from hookclaw_py.model.types import Chunk

ALL = 0.999  # share; beyond it nothing is missing but a rounding
A_DAY = timedelta(hours=36)  # and its night
NAMED = 0.75  # of a day: what names it; what was written on it comes first
_STEM = 3  # letters that a word and its stem begin with

Column = Sequence[float] | None
"""One value for each chunk of the pool; None where the piece has nothing to say of any, which is 0."""


def surprise(at: Gathered) -> Column:
    """Return its cosine in standard deviations above the null sample's mean."""
    found, least = at.found, at.constants.least_deviation
    values = [_surprise(found.centred.get(i), found.null, least) for i in at.ids]
    if not at.query.lists:
        return values
    return [
        own if there is None else max(own, 0.0) if there else min(own, 0.0)
        for own, there in zip(values, at.inside, strict=True)
    ]


def coverage(at: Gathered) -> Column:
    """Return the share of the prompt's idf that its terms hold."""
    return at.coverage


def whole(at: Gathered) -> Column:
    """Return whether they hold all of it."""
    return [float(share > ALL) for share in at.coverage]


def title(at: Gathered) -> Column:
    """Return the share of the prompt's idf that its title and headings hold."""
    asked = at.found.asked
    return [_in_title(asked, terms, chunk.heading) for terms, chunk in zip(at.held, at.chunks, strict=True)]


def mass(at: Gathered) -> Column:
    """Return the idf that its terms hold of the prompt, in units of the idf of a term that occurs nowhere."""
    unit = log(1 + (at.found.store_size + at.constants.prior_chunks + 0.5) / 0.5)
    return [own / unit for own in at.masses]


def entities(at: Gathered) -> Column:
    """Return the share of the prompt's entities that it holds."""
    return [at.found.named.get(i, 0.0) for i in at.ids]


def unknown(at: Gathered) -> Column:
    """Return the share of the prompt's entities that the whole store has never heard of."""
    return [at.found.unknown] * len(at.chunks)


def unheard(at: Gathered) -> Column:
    """Return the share of the prompt's idf that the store has never heard of."""
    asked, known = at.found.asked, at.found.known
    share = sum([weight for term, weight in asked.items() if term not in known]) / at.total
    return [share] * len(at.chunks)


def in_period(at: Gathered) -> Column:
    """Return whether it is from the time that the prompt speaks of."""
    return [float(own is True) for own in at.inside] if at.query.period or at.query.only_tasks else None


def out_of_period(at: Gathered) -> Column:
    """Return whether it is from another time than the prompt speaks of."""
    return [float(own is False) for own in at.inside] if at.query.period or at.query.only_tasks else None


def on_day(at: Gathered) -> Column:
    """Return whether it is from the one day that the prompt speaks of, if that is over; less where it only names that day."""
    period, days = at.query.period, at.query.days
    if period is None or period.end - period.start > A_DAY:
        return None
    if period.end > at.query.asked_at:
        return [0.0 if days.isdisjoint(held) else NAMED for held in at.naming]
    each = zip(at.inside, at.chunks, strict=True)
    return [(1.0 if at.is_from(chunk, period) else NAMED) if own else 0.0 for own, chunk in each]


def speaks(at: Gathered) -> Column:
    """Return whether one of its lines is said by someone whom the prompt names."""
    if not at.query.entities:
        return None
    names = [entity.text.lower() for entity in at.query.entities]
    return [float(_speaks(chunk, names)) for chunk in at.chunks]


def foreign(at: Gathered) -> Column:
    """Return how far the worst match among the tokens of topical words that the store has never heard of falls short of alike."""
    alike, least = at.constants.alike, at.found.least
    return [max(0.0, alike - least.get(i, alike)) for i in at.ids]


def late(at: Gathered) -> Column:
    """Return the score of late interaction."""
    return [at.found.late.get(i, 0.0) for i in at.ids]


def bm25(at: Gathered) -> Column:
    """Return its share of the pool's best score by keywords."""
    best = at.best(at.found.bm25) or 1.0
    return [at.found.bm25.get(i, 0.0) / best for i in at.ids]


def fused(at: Gathered) -> Column:
    """Return its share of the pool's best fused score."""
    best = max(c.score for c in at.candidates) or 1.0
    return [c.score / best for c in at.candidates]


def coverage_behind(at: Gathered) -> Column:
    """Return how far its coverage is behind the best of the pool, never above 0."""
    best = max(at.masses) / at.total
    return [own / at.total - best for own in at.masses]


def cosine_behind(at: Gathered) -> Column:
    """Return how far its cosine is behind the best of the pool, never above 0."""
    return at.behind(at.found.cosines)


def late_behind(at: Gathered) -> Column:
    """Return how far its late interaction is behind the best of the pool, never above 0."""
    return at.behind(at.found.late)


def length(at: Gathered) -> Column:
    """Return ln(1 + number of its terms)."""
    return [log1p(len(own)) for own in at.terms]


def says_what_it_is(at: Gathered) -> Column:
    """Return, where the prompt asks who or what something is, whether the title names it or a line says it ("Mara: plumber")."""
    if not asks_what_it_is(at.query):
        return None
    return [float(defines(chunk, at.query.topic)) for chunk in at.chunks]


def page(at: Gathered) -> Column:
    """Return, where the prompt asks who or what something is, whether it is no note of a day."""
    if not asks_what_it_is(at.query):
        return None
    return [float(share > 0 and c.created_at is None) for share, c in zip(at.coverage, at.chunks, strict=True)]


class Feature(NamedTuple):
    """One piece of evidence: a share in [0, 1] unless its extractor says otherwise, 0 where it has nothing to say.

    ``told`` is how ``explain`` tells it, with its value in percent if there is a ``%.0f``. ``needs`` names the parts of the search
    without which it is 0 for all. What is ``relative`` says nothing of whether to speak: the best of a pool has it whether or not it
    answers. What is ``unordered`` is the same for a whole pool, or the order is better without it (measured). ``sense`` says which
    way it may count: for a chunk (1), against it (-1), or either (0).
    """

    name: str
    column: Callable[[Gathered], Column]
    told: str
    needs: frozenset[str] = frozenset()
    relative: bool = False
    unordered: bool = False
    sense: int = 1


_VECTORS, _LATE = frozenset({"vectors"}), frozenset({"vectors", "late"})

FEATURES = (
    Feature("surprise", surprise, "meaning", _VECTORS),
    Feature("coverage", coverage, "covers %.0f%% of the prompt"),
    Feature("whole", whole, "all of it"),
    Feature("title", title, "title %.0f%%"),
    Feature("mass", mass, "rarity"),
    Feature("entities", entities, "names %.0f%%", unordered=True),
    Feature("unknown", unknown, "%.0f%% of its names are nowhere in the notes", sense=-1),
    Feature("unheard", unheard, "%.0f%% of its words are nowhere in the notes", unordered=True, sense=-1),
    Feature("in_period", in_period, "from that time, or with what is still to do"),
    Feature("out_of_period", out_of_period, "from another time", sense=-1),
    Feature("on_day", on_day, "that very day"),
    Feature("speaks", speaks, "said by whom it names"),
    Feature("foreign", foreign, "an unknown word", _LATE, unordered=True, sense=-1),
    Feature("late", late, "wording", _LATE),
    Feature("bm25", bm25, "keywords"),
    Feature("fused", fused, "among the best", relative=True),
    Feature("coverage_behind", coverage_behind, "covers less than the best", relative=True),
    Feature("cosine_behind", cosine_behind, "means less than the best", _VECTORS, relative=True),
    Feature("late_behind", late_behind, "wording behind the best", _LATE, relative=True),
    Feature("length", length, "length", relative=True, sense=0),
    Feature("defines", says_what_it_is, "says what it is"),
    Feature("page", page, "a page about it"),
)
ALWAYS_TOLD = "coverage"

Evidence = tuple[float, ...]
"""What speaks for one chunk: a value for every feature of a table, in its order, and by its name."""


@dataclass(frozen=True, eq=False)
class Table:
    """The features that an engine looks at."""

    features: tuple[Feature, ...] = FEATURES
    row: Callable[..., Evidence] = field(init=False)
    """Makes evidence of the values that are given by name; what is not given is 0."""

    def __post_init__(self) -> None:
        """Name the columns."""
        make: Any = namedtuple  # of names that no type checker knows
        object.__setattr__(self, "row", make("Row", self.names, defaults=[0.0] * len(self.features)))

    @property
    def names(self) -> tuple[str, ...]:
        """The features' names, in order."""
        return tuple(feature.name for feature in self.features)

    def evidence(self, at: Gathered) -> dict[str, Evidence]:
        """Extract everything for every chunk of a pool, by id."""
        if not at.candidates:
            return {}
        nothing = [0.0] * len(at.candidates)
        columns = [feature.column(at) or nothing for feature in self.features]
        return dict(zip(at.ids, map(self.row, *columns), strict=True))


TABLE = Table()


def _surprise(cosine: float | None, null: NullSample | None, least_deviation: float) -> float:
    if cosine is None or null is None:
        return 0.0
    return (cosine - null.mean) / max(null.deviation, least_deviation)


def _in_title(asked: Mapping[str, float], held: Sequence[str], heading: str) -> float:
    """Return the share of the asked idf that a chunk's title and headings hold; most have none of it, at a glance."""
    if not held or not heading:
        return 0.0
    title = text.fold(heading)
    for term in held:
        if term[:_STEM] in title and _may_hold(title, term):
            of_title = terms_of(heading)
            return sum([asked[own] for own in asked if own in of_title]) / sum(asked.values())
    return 0.0


def _may_hold(title: str, term: str) -> bool:
    """Say whether a folded title that has the beginning of a term may have the term: a number is no part of another."""
    return not term.isdecimal() or re.search(rf"(?<!\d){term}(?!\d)", title) is not None


def _speaks(chunk: Chunk, names: Sequence[str]) -> bool:
    """Say whether a line of the chunk is said by someone whom the prompt names ("Maria: I am off to Lisbon")."""
    if ":" not in chunk.text:
        return False
    said = chunk.text.lower()
    return any(f"{name}:" in said and re.search(rf"^\W*{re.escape(name)}:", said, re.MULTILINE) for name in names)
