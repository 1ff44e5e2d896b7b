"""Utility: what an agent used for such prompts before is a little more welcome, what it never uses for them a little less.

A chunk may help with one question and only be in the way of the next, so the turns it was shown in count by how like their
prompt is to the present one. Each chunk has the posterior ``Beta(prior + hits, prior + misses)`` that showing it helps
here: a turn of weight w (``showings``) adds ``w * likeness * 0.5 ** (age / HALF_LIFE)``, where the likeness of two prompts is
the Jaccard coefficient of their terms, and 0 below ``least_likeness``. So a chunk never shown for such prompts, or not for
long, is as good as new. A verdict counts for every prompt. How much all that moves is in ``calibration.constants.Use``.

Which chunks get their chance must not depend on luck alone, nor on the first success: the utility that ranks is drawn once
a day from around the posterior's mean (a Thompson draw on a shorter leash; Thompson, "On the likelihood that one unknown
probability exceeds another", Biometrika 1933), wide for a chunk seldom shown and narrow for one well known. The draw
follows from chunk and day alone, so equal prompts get equal answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from itertools import islice
from math import pow, sqrt
from typing import NamedTuple

from hookclaw_py.calibration.constants import Showings, Use
from hookclaw_py.model.origin import Tier
from hookclaw_py.model.types import Candidate, Chunk, Effect, Occasion, Step, Uses, best_first

PIN, BLOCK = "pin", "block"
# What the store remembers of uses is made with these: another value is another version of its tallies (``store.tallies``).
HALF_LIFE = timedelta(days=30)
MOST_TERMS = 40
"""Of a prompt: what a pasted log has more of does not tell what was asked."""
MOST_OCCASIONS = 20
"""Of a chunk, the newest; what was longer ago has faded, or is outweighed."""
PERSON, AGENT = 3.0, 1.0
"""Weight of a verdict, by who gave it."""


class Preferred(NamedTuple):
    """Candidates best first, and those that a person blocked."""

    candidates: list[Candidate]
    blocked: list[Candidate]


class UseEvidence(NamedTuple):
    """What speaks for and against showing a chunk, as it has faded by now.

    It was in ``shown`` remembered turns with such prompts, and of use in ``used`` of them; verdicts count as well.
    """

    hits: float = 0.0
    misses: float = 0.0
    shown: int = 0
    used: int = 0


# What is remembered


def about(terms: Iterable[str]) -> frozenset[str]:
    """Return a prompt's terms as an ``Occasion`` has them: the first ``MOST_TERMS`` different ones."""
    return frozenset(islice(dict.fromkeys(terms), MOST_TERMS))


def observed(uses: Uses, occasion: Occasion) -> Uses:
    """Add a turn in which the chunk was shown. What is told late takes its place: the order makes no difference."""
    occasions = sorted((*uses.occasions, occasion), key=_moment)[-MOST_OCCASIONS:]
    return _recounted(uses, occasion.kind, 1)._replace(shown=uses.shown + 1, occasions=tuple(occasions))


def objected(uses: Uses, kind: str, at: float) -> Uses:
    """Turn what the answer did with the chunk ``at`` that time, which was ``kind``, into "contradicted".

    Nothing changes where that is not known any more: the note was away in between.
    """
    if not getattr(uses, kind):
        return uses
    recounted = _recounted(_recounted(uses, kind, -1), "contradicted", 1)
    meant = next((o for o in uses.occasions if (o.at, o.kind) == (at, kind)), None)
    if meant is None:
        return recounted
    others = list(uses.occasions)
    others.remove(meant)
    return recounted._replace(occasions=tuple(sorted((*others, meant._replace(kind="contradicted")), key=_moment)))


def _moment(occasion: Occasion) -> tuple[float, str, list[str]]:
    return occasion.at, occasion.kind, sorted(occasion.about)


def _recounted(uses: Uses, kind: str, times: int) -> Uses:
    return uses._replace(**{kind: getattr(uses, kind) + times})


def judged(uses: Uses, good: bool, at: float, *, weight: float) -> Uses:
    """Add a verdict; a negative ``weight`` takes one back that was given ``at`` that time."""
    one = 1 if weight > 0 else -1
    counted = uses._replace(good=uses.good + one) if good else uses._replace(bad=uses.bad + one)
    hits, misses = verdicts(uses, at)
    as_of = max(uses.as_of, at)
    faded = weight * _left(as_of - at)
    hits, misses = (hits + faded, misses) if good else (hits, misses + faded)
    return counted._replace(hits=max(0.0, hits), misses=max(0.0, misses), as_of=as_of)


def combined(uses: Uses, other: Uses) -> Uses:
    """Return the record of two memories that became one; a mark of the first goes before one of the second."""
    as_of = max(uses.as_of, other.as_of)
    hits, misses = verdicts(uses, as_of)
    more_hits, more_misses = verdicts(other, as_of)
    return Uses(
        uses.shown + other.shown,
        uses.used + other.used,
        uses.relevant + other.relevant,
        uses.contradicted + other.contradicted,
        uses.ignored + other.ignored,
        uses.good + other.good,
        uses.bad + other.bad,
        hits + more_hits,
        misses + more_misses,
        as_of,
        uses.mark or other.mark,
        tuple(sorted((*uses.occasions, *other.occasions), key=_moment)[-MOST_OCCASIONS:]),
    )


# What it says of the present prompt


class Likeness(dict[frozenset[str], float]):
    """How like the present prompt, of these ``terms``, a past one is: by that one's terms, as ``about`` chose them.

    In [0, 1]; what is below ``least`` is 0. Each past prompt is compared once, in however many chunks' records.
    """

    def __init__(self, terms: Iterable[str], *, least: float) -> None:
        self._present, self._least = about(terms), least

    def __missing__(self, past: frozenset[str]) -> float:
        present = self._present
        shared = len(past & present)
        alike = shared / (len(past) + len(present) - shared) if shared else 0.0
        self[past] = alike = alike if alike >= self._least else 0.0
        return alike


def _left(seconds: float) -> float:
    """Return what is left of evidence after that time."""
    return pow(0.5, max(0.0, seconds) / _HALF_LIFE_SECONDS)


_BLOCKED = Step("utility", 0.0, "blocked: never injected", Effect.BLOCKED)
_HALF_LIFE_SECONDS = HALF_LIFE.total_seconds()


def verdicts(uses: Uses, now: float) -> tuple[float, float]:
    """Return what verdicts come to, for and against, as they have faded by ``now``, in seconds since 1970."""
    if not (uses.hits or uses.misses):
        return 0.0, 0.0
    left = _left(now - uses.as_of)
    return uses.hits * left, uses.misses * left


def evidence(uses: Uses, likeness: Likeness, *, now: datetime, showings: Showings) -> UseEvidence:
    """Return what verdicts and the turns with such prompts come to."""
    moment = now.timestamp()
    hits, misses = verdicts(uses, moment)
    such = [(alike, at, kind) for at, kind, past in uses.occasions if (alike := likeness[past])]
    used = 0
    for alike, at, kind in such:
        hit, miss = getattr(showings, kind)
        weight = alike * _left(moment - at)
        hits += hit * weight
        misses += miss * weight
        used += kind == "used"
    return UseEvidence(hits, misses, len(such), used)


def utility(found: UseEvidence, *, prior: float) -> float:
    """Return the mean of the posterior, ``(prior + hits) / (2 * prior + hits + misses)``, in (0, 1); .5 with no evidence."""
    return (prior + found.hits) / (2 * prior + found.hits + found.misses)


def spread(found: UseEvidence, constants: Use) -> float:
    """Return how far a draw may lie from the mean: ``leash`` standard deviations of the posterior, and not beyond .5.

    So luck alone lifts no chunk above one of which nothing is known, and sinks none below it.
    """
    a, b = constants.prior + found.hits, constants.prior + found.misses
    deviation = sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
    return min(constants.leash * deviation, abs(a / (a + b) - 0.5))


def is_retired(uses: Uses, found: UseEvidence, constants: Use, *, now: datetime) -> bool:
    """Say whether the chunk was shown for such prompts, or again and again for any, and always in vain."""
    if found.misses >= constants.retired_misses and found.hits < constants.retired_hits:
        return True
    if len(uses.occasions) < constants.in_vain or uses.good > uses.bad:
        return False
    for at, kind, _ in reversed(uses.occasions[-constants.in_vain :]):
        if kind == "used" or now.timestamp() - at > _HALF_LIFE_SECONDS:
            return False
    return True


def drawn(chunk: Chunk, uses: Uses, found: UseEvidence, constants: Use, *, now: datetime) -> float:
    """Return the utility that ranks the chunk today, in [0, 1]."""
    if uses.mark == PIN:
        return 1.0
    if not (found.hits or found.misses):
        return 0.5
    draw = utility(found, prior=constants.prior) + (2 * _lot(chunk.memory, now, "draw") - 1) * spread(found, constants)
    return min(draw, _most(chunk, uses))


def _most(chunk: Chunk, uses: Uses) -> float:
    if chunk.origin.tier is Tier.FOREIGN:
        return 0.5
    return 1.0 if (chunk.kind.trusted and chunk.origin.is_own) or uses.good > uses.bad else 0.5


def _lot(memory: str, now: datetime, purpose: str) -> float:
    """Return a number in [0, 1) that looks random, the same for the memory all day."""
    seed = f"{purpose} {memory} {now.date()}".encode()
    return int.from_bytes(blake2b(seed, digest_size=6).digest(), "big") / 2**48


def prefer_useful(
    candidates: Sequence[Candidate],
    uses: Mapping[str, Uses],
    terms: Iterable[str],
    *,
    now: datetime,
    constants: Use,
    learned: bool = True,
) -> Preferred:
    """Multiply each score by ``1 + reach * (2 * utility - 1)``, the utility for a prompt of these ``terms``.

    A chunk without a record keeps its score. Relevance, which decides *whether* to speak, stays, but for a retired chunk:
    that loses a bounded part of it on most days. A blocked chunk is left out whatever it scores, a pinned one has utility
    1. Without ``learned`` only a person's marks count. ``now`` is in the user's zone: its date is the day.
    """
    preferred, blocked = [], []
    likeness = Likeness(terms, least=constants.least_likeness)
    for candidate in candidates:
        record = uses.get(candidate.chunk.memory)
        if record is None or not (learned or record.mark):
            preferred.append(candidate)
        elif record.mark == BLOCK:
            blocked.append(candidate.noted(_BLOCKED))
        else:
            preferred.append(_preferred(candidate, record, likeness, now, constants))
    return Preferred(best_first(preferred), blocked)


def without_blocked(candidates: Sequence[Candidate], uses: Mapping[str, Uses]) -> Preferred:
    """Leave out what a person blocked, and nothing else: for when ``prefer_useful`` fails."""
    blocked = [c for c in candidates if (record := uses.get(c.chunk.memory)) is not None and record.mark == BLOCK]
    gone = {c.chunk.id for c in blocked}
    return Preferred(
        [c for c in candidates if c.chunk.id not in gone],
        [c.noted(_BLOCKED) for c in blocked],
    )


def _preferred(candidate: Candidate, record: Uses, likeness: Likeness, now: datetime, constants: Use) -> Candidate:
    if record.mark == PIN:
        return candidate.rescored("utility", candidate.score * _factor(1.0, constants.reach), "pinned")
    found = evidence(record, likeness, now=now, showings=constants.showings)
    drawn_utility = drawn(candidate.chunk, record, found, constants, now=now)
    score = candidate.score * _factor(drawn_utility, constants.reach)
    note = _story(record, found)
    if not is_retired(record, found, constants, now=now):
        return candidate.rescored("utility", score, note)
    if _lot(candidate.chunk.memory, now, "pardon") < constants.pardon:
        return candidate.rescored("utility", score, f"{note}; retired, but tried again today")
    relevance, score = candidate.relevance * constants.retirement, score * constants.retirement
    return candidate.judged(relevance, score, Step("utility", score, f"{note}; retired, relevance {relevance:.3f}"))


def _factor(drawn_utility: float, reach: float) -> float:
    return 1 + reach * (2 * drawn_utility - 1)


def _story(record: Uses, found: UseEvidence) -> str:
    parts = [f"used {record.used} of {record.shown} times"] if record.shown else []
    if found.shown != len(record.occasions):
        here = f"{found.used} of {found.shown} for such prompts"
        parts.append(here if found.shown else "not yet shown for such prompts")
    parts += [f"contradicted {record.contradicted}×"] if record.contradicted else []
    parts += [f"called good {record.good}×"] if record.good else []
    parts += [f"called bad {record.bad}×"] if record.bad else []
    return ", ".join(parts)
