"""What to change: a closed set of rules, each with the numbers that make it speak and the command that follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hookclaw_py.insight.printing import counted
from hookclaw_py.model.types import Outcome, Uses
from hookclaw_py.store.decisions import Glance

IN_VAIN = 5  # times a note is shown without use before it is noise
SLOW_MS = 100.0
NEAR, NEAR_SHARE, LEAST_SILENCES = 0.05, 0.5, 10
FAULTY = 0.02  # share of the prompts
LEAST_PROMPTS, LEAST_INJECTIONS = 20, 10
USED_SHARE = 0.2  # of the turns with memories; below, most of what is injected is noise
OUTDATED = 2  # times an answer contradicted a note
MISSED = 3  # silences that a person called wrong


class Suggestion(NamedTuple):
    """What a rule found (``numbers``), in words, and what to do about it."""

    rule: str
    found: str
    advice: str
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFacts:
    """What the rules look at; ``uses`` is of all time, the rest of the period."""

    glances: Sequence[Glance]
    min_score: float
    p95_ms: float
    injections: int
    injections_with_session: int
    ends_heard: int
    known: int
    known_used: int
    unseen: int
    missed: int
    pending: int
    uses: Mapping[str, Uses]


def suggestions(facts: UsageFacts) -> Iterator[Suggestion]:
    """Yield what the rules have to say, the gravest first."""
    for rule in _RULES:
        found = rule(facts)
        if found is not None:
            yield found


def _failing(facts: UsageFacts) -> Suggestion | None:
    broken = [glance for glance in facts.glances if glance.faults or glance.outcome is Outcome.FAILED]
    if len(facts.glances) < LEAST_PROMPTS or len(broken) < FAULTY * len(facts.glances):
        return None
    stages = Counter(stage for glance in broken for stage in glance.faults)
    worst = f", most often in {stages.most_common(1)[0][0]}" if stages else ""
    return Suggestion(
        "failing",
        f"something failed in {len(broken)} of {len(facts.glances)} prompts{worst}",
        f"see what: hookclaw explain --id {broken[0].id[:8]}, hookclaw doctor",
        {"prompts": len(facts.glances), "failing": len(broken)},
    )


def _pending(facts: UsageFacts) -> Suggestion | None:
    if not facts.pending:
        return None
    return Suggestion(
        "embeddings pending",
        f"{counted(facts.pending, 'text')} can be found by keywords only: not embedded yet",
        "run hookclaw index",
        {"pending": facts.pending},
    )


def _unheard(facts: UsageFacts) -> Suggestion | None:
    if facts.injections_with_session < LEAST_INJECTIONS or facts.ends_heard:
        return None  # without a session it was asked at the command line, where no turn ends
    return Suggestion(
        "no turn ends",
        f"memories were injected {facts.injections_with_session} times and no end of a turn was ever heard",
        "without agent_end nothing can be learned; hookclaw doctor checks the plugin",
        {"injections": facts.injections, "with a session": facts.injections_with_session},
    )


def _late(facts: UsageFacts) -> Suggestion | None:
    if facts.injections < LEAST_INJECTIONS or facts.unseen < FAULTY * facts.injections:
        return None
    return Suggestion(
        "too late",
        f"{facts.unseen} of {facts.injections} blocks came when the host had given up waiting",
        "raise the time the host waits, or see what is slow: hookclaw metrics",
        {"injections": facts.injections, "too late": facts.unseen},
    )


def _slow(facts: UsageFacts) -> Suggestion | None:
    if len(facts.glances) < LEAST_PROMPTS or facts.p95_ms <= SLOW_MS:
        return None
    return Suggestion(
        "slow",
        f"one prompt in twenty waited longer than {facts.p95_ms:.0f} ms",
        "see which stage: hookclaw metrics",
        {"p95 ms": round(facts.p95_ms, 1)},
    )


def _outdated(facts: UsageFacts) -> Suggestion | None:
    notes = [i for i, uses in facts.uses.items() if uses.contradicted >= OUTDATED and uses.mark != "block"]
    if not notes:
        return None
    return Suggestion(
        "contradicted",
        f"{_notes(len(notes))} contradicted {OUTDATED} times or more: out of date?",
        f"correct the text, or hookclaw feedback block {notes[0]}",
        {"notes": len(notes)},
    )


def _in_vain(facts: UsageFacts) -> Suggestion | None:
    notes = [
        i
        for i, uses in facts.uses.items()
        if uses.shown >= IN_VAIN and not uses.used and not uses.good and not uses.mark
    ]
    if not notes:
        return None
    notes.sort(key=lambda i: (-facts.uses[i].shown, i))
    return Suggestion(
        "shown in vain",
        f"{_notes(len(notes))} shown {IN_VAIN} times or more and never used",
        f"rewrite, or hookclaw feedback block {notes[0]}",
        {"notes": len(notes), "shown at least": IN_VAIN},
    )


def _missed(facts: UsageFacts) -> Suggestion | None:
    if facts.missed < MISSED:
        return None
    lower = max(0.0, facts.min_score - NEAR)
    return Suggestion(
        "missed",
        f"you said of {facts.missed} silent prompts that a memory should have come",
        f"lower minScore ({facts.min_score:g}); try hookclaw replay ID --set minScore={lower:.2f} on them",
        {"missed": facts.missed},
    )


def _near(facts: UsageFacts) -> Suggestion | None:
    silent = [g for g in facts.glances if g.outcome is Outcome.SILENT]
    near = [g for g in silent if facts.min_score - NEAR <= g.relevance < facts.min_score]
    if len(silent) < LEAST_SILENCES or len(near) < NEAR_SHARE * len(silent):
        return None
    lower = max(0.0, facts.min_score - NEAR)
    return Suggestion(
        "nearly spoke",
        f"{len(near)} of {len(silent)} silences were within {NEAR:g} of minScore ({facts.min_score:g})",
        f"look whether they were right: hookclaw replay {near[0].id[:8]} --set minScore={lower:.2f}",
        {"silent": len(silent), "near": len(near)},
    )


def _noisy(facts: UsageFacts) -> Suggestion | None:
    if facts.known < LEAST_INJECTIONS or facts.known_used >= USED_SHARE * facts.known:
        return None
    higher = min(1.0, facts.min_score + NEAR)
    return Suggestion(
        "seldom used",
        f"of {facts.known} turns with memories {facts.known_used} used one",
        f"inject less: minScore = {higher:.2f}, or preset = surgical",
        {"turns": facts.known, "used": facts.known_used},
    )


def _notes(count: int) -> str:
    return "1 note was" if count == 1 else f"{count} notes were"


_RULES: tuple[Callable[[UsageFacts], Suggestion | None], ...] = (
    _failing,
    _pending,
    _unheard,
    _late,
    _slow,
    _outdated,
    _in_vain,
    _missed,
    _near,
    _noisy,
)
