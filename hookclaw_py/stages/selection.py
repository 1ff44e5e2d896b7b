"""Selection: of several skills or plans for the same work, the one that has proved itself comes first.

It orders them among themselves; whether one answers the prompt at all is decided by its relevance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from hookclaw_py.model.record import Record
from hookclaw_py.model.salience import half_life_decay
from hookclaw_py.model.types import Candidate, Step

UNKNOWN = 0.5
"""What counts for a part that nothing is known of."""
HALF_LIFE = timedelta(days=30)
"""Of a use."""
CERTAIN = 0.7
"""Below this certainty the choice asks for more."""


class Track(NamedTuple):
    """What speaks for one of several: how well it fits, how often it went well, and when it was used last.

    ``fit`` is the cosine with the prompt, or the record's confidence where there is none; ``used_at`` is None of what never was.
    """

    fit: float
    wins: float
    calls: float
    used_at: datetime | None

    def merit(self, now: datetime) -> float:
        """Return the mean of fit, success rate and recency, each in [0, 1]; what is not known of counts half."""
        success = self.wins / self.calls if self.calls else UNKNOWN
        recency = UNKNOWN if self.used_at is None else half_life_decay(now - self.used_at, half_life=HALF_LIFE)
        return (self.fit + success + recency) / 3


class Choice(NamedTuple):
    """Ids and merits, best first, and how clearly the first one leads."""

    order: tuple[tuple[str, float], ...]
    certainty: float

    @property
    def needs_more(self) -> bool:
        """Whether it takes more to choose than what was known."""
        return self.certainty < CERTAIN


def track_of(record: Record, cosine: float | None = None) -> Track:
    """Return what speaks for a skill or plan: its ``wins`` of ``calls``, and when it was last told of."""
    calls = record.counted("calls")
    fit = record.confidence if cosine is None else max(cosine, 0.0)
    return Track(fit, min(record.counted("wins"), calls), calls, record.at if calls else None)


def choose(tracks: Mapping[str, Track], *, now: datetime) -> Choice:
    """Order by merit, ties by id; the certainty is (best − second) / best, of one alone its merit, of none 0."""
    order = sorted(((name, track.merit(now)) for name, track in tracks.items()), key=lambda m: (-m[1], m[0]))
    if len(order) < 2:
        return Choice(tuple(order), order[0][1] if order else 0.0)
    best, second = order[0][1], order[1][1]
    return Choice(tuple(order), (best - second) / best if best else 0.0)


def prefer_proven(candidates: Sequence[Candidate], choice: Choice) -> list[Candidate]:
    """Let those that were chosen among take each other's places by merit; all others stay where they are."""
    place = {name: number for number, (name, _) in enumerate(choice.order)}
    among = sorted((c for c in candidates if c.chunk.memory in place), key=lambda c: place[c.chunk.memory])
    merits, certain = dict(choice.order), f"certainty {choice.certainty:.2f}"
    note = f"{certain}: more would have to be known" if choice.needs_more else certain
    next_best = iter(c.noted(Step("selection", merits[c.chunk.memory], note)) for c in among)
    return [next(next_best) if c.chunk.memory in place else c for c in candidates]
