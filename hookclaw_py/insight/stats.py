"""Does memory help? What was asked of late, what the memories came to, what they cost, and what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from hookclaw_py.config import Config
from hookclaw_py.insight.learned import Learned, learned, today
from hookclaw_py.insight.review import held_back
from hookclaw_py.insight.suggestions import Suggestion, UsageFacts, suggestions
from hookclaw_py.insight.turns import UNHEARD, TurnStory, turns
from hookclaw_py.messages import opening
from hookclaw_py.model.types import Outcome, Uses
from hookclaw_py.observe.counting import TOKEN_BYTES
from hookclaw_py.observe.recording import SHOULD_BE_SILENT, SHOULD_SPEAK
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.regex import regex
from hookclaw_py.store.decisions import Glance
from hookclaw_py.store.events import EventKind
from hookclaw_py.store.freshness import freshness
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Waiting
from hookclaw_py.text import on_one_line

LISTED = 5  # notes of each list
LEAST_SHOWN = 2  # times in vain before a note is called useless: once is chance
SNIPPET = 100  # characters of a note
_BULLET = regex(r"^[-*+•]\s+")


@dataclass(frozen=True, slots=True)
class NoteImpact:
    """A memory and what it came to: in how many turns it was shown, and what the answers did with it."""

    id: str
    place: str
    text: str
    shown: int
    used: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns that memories were injected into: some memory used, none used, or not known; and those that saw no block."""

    used: int
    unused: int
    unknown: int
    unseen: int


@dataclass(frozen=True, slots=True)
class Silences:
    """Prompts without memories: a person labelled them (`hookclaw prompts label`) as right or wrong, or nobody knows."""

    right: int
    wrong: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Impact:
    """The panel. ``memories`` and ``memories_used`` count over turns whose end is known; ``tokens`` is an estimate.

    ``captured``, ``held`` (passages that are not told unasked) and ``messages`` are of all time, ``learned_today`` since midnight. ``by_day`` counts prompts by ISO date and outcome; ``good`` and ``bad`` are verdicts on memories in this time.
    """

    since: datetime
    until: datetime
    prompts: int
    outcomes: Mapping[str, int]
    cached: int
    turns: Turns
    memories: int
    memories_used: int
    good: int
    bad: int
    silences: Silences
    tokens: int
    p50_ms: float
    p95_ms: float
    by_day: Mapping[str, Mapping[str, int]]
    useful: tuple[NoteImpact, ...]
    useless: tuple[NoteImpact, ...]
    captured: Waiting
    learned: Learned
    learned_today: Learned
    held: int
    messages: Mapping[str, int]
    suggestions: tuple[Suggestion, ...]


def impact(
    store: AgentStore, labels: Mapping[str, str], *, agent: str, config: Config, days: int, now: datetime
) -> Impact:
    """Add up the last ``days`` days. Everything is read from the store; nothing is guessed but the tokens.

    ``labels`` are a person's judgements of recorded prompts, by their ids; the messages are those of ``agent``.
    """
    since = now - timedelta(days=days)
    glances = [glance for glance in store.decisions(since=since) if glance.at <= now]
    ended = turns(store, {glance.id for glance in glances})
    shown = [(glance, ended.get(glance.id, UNHEARD)) for glance in glances if glance.shown]
    known = [(glance, turn) for glance, turn in shown if turn.known]
    times = sorted(glance.ms for glance in glances if glance.outcome is not Outcome.SKIPPED)
    p95 = percentile(times, 0.95)
    useful, useless = _notes(store, [turn for _, turn in known])
    silences, verdicts = _silences(glances, labels), _verdicts(store, since=since, now=now)
    told = UsageFacts(
        glances=glances,
        min_score=config.min_score,
        p95_ms=p95,
        injections=len(shown),
        injections_with_session=sum(bool(glance.session) for glance, _ in shown),
        ends_heard=sum(turn.ended for _, turn in shown),
        known=len(known),
        known_used=sum(turn.used > 0 for _, turn in known),
        unseen=sum(not turn.seen for _, turn in shown),
        missed=silences.wrong,
        pending=freshness(store).pending if config.enable_vector else 0,
        uses=_uses(store),
    )
    return Impact(
        since=since,
        until=now,
        prompts=len(glances),
        outcomes={o.value: sum(glance.outcome is o for glance in glances) for o in Outcome},
        cached=sum(bool(glance.cached) for glance in glances),
        turns=_turns(turn for _, turn in shown),
        memories=sum(len(turn.kinds) for _, turn in known),
        memories_used=sum(turn.used for _, turn in known),
        good=verdicts[True],
        bad=verdicts[False],
        silences=silences,
        tokens=sum(glance.bytes for glance in glances) // TOKEN_BYTES,
        p50_ms=percentile(times, 0.5),
        p95_ms=p95,
        by_day=_by_day(glances, since=since, now=now, config=config),
        useful=useful,
        useless=useless,
        learned=learned(store, since=since),
        learned_today=learned(store, since=today(now, config.zone)),
        messages=opening.counts(config, agent),
        held=sum(not one.confirmed for one in held_back(store)),
        captured=store.waiting(now=now, stuck=timedelta(milliseconds=config.capture.stuck_ms)),
        suggestions=tuple(suggestions(told)),
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the nearest-rank percentile of sorted values; 0 of none."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else 0.0


def _turns(shown: Iterable[TurnStory]) -> Turns:
    counted = Counter(
        "unseen" if not turn.seen else "unknown" if not turn.known else "used" if turn.used else "unused"
        for turn in shown
    )
    return Turns(counted["used"], counted["unused"], counted["unknown"], counted["unseen"])


def _verdicts(store: AgentStore, *, since: datetime, now: datetime) -> Counter[bool]:
    """Count the last words on memories that were said in this time: on what a prompt was shown, or on one as such."""
    last = dict[tuple[str, str, str], bool]()
    for event in store.events(EventKind.VERDICT):
        if since <= event.at <= now:
            names = ((event.injection, memory, str(event.data.get("by"))) for memory in event.data["memories"])
            last |= dict.fromkeys(names, bool(event.data["good"]))
    return Counter(last.values())


def _silences(glances: Sequence[Glance], labels: Mapping[str, str]) -> Silences:
    silent = [labels.get(g.id, "") for g in glances if g.outcome in (Outcome.SILENT, Outcome.SKIPPED)]
    right, wrong = silent.count(SHOULD_BE_SILENT), silent.count(SHOULD_SPEAK)
    return Silences(right, wrong, len(silent) - right - wrong)


def _by_day(
    glances: Sequence[Glance], *, since: datetime, now: datetime, config: Config
) -> Mapping[str, Mapping[str, int]]:
    first, last = since.astimezone(config.zone).date(), now.astimezone(config.zone).date()
    days = {
        (first + timedelta(days=n)).isoformat(): dict.fromkeys(map(str, Outcome), 0)
        for n in range((last - first).days + 1)
    }
    for glance in glances:
        days[glance.at.astimezone(config.zone).date().isoformat()][str(glance.outcome)] += 1
    return days


def _notes(store: AgentStore, known: Sequence[TurnStory]) -> tuple[tuple[NoteImpact, ...], tuple[NoteImpact, ...]]:
    """Return the notes used most, and those shown most often without ever being used."""
    shown: Counter[str] = Counter(i for turn in known for i in turn.kinds)
    used = Counter(i for turn in known for i, kind in turn.kinds.items() if kind == "used")
    wrong = Counter(i for turn in known for i, kind in turn.kinds.items() if kind == "contradicted")
    heads = store.heads(shown)
    notes = [
        NoteImpact(c.id, str(c.place), _snippet(redact(c.text)), shown[i], used[i], wrong[i]) for i, c in heads.items()
    ]
    useful = sorted((n for n in notes if n.used), key=lambda n: (-n.used, n.shown, n.id))
    useless = sorted(
        (n for n in notes if not n.used and n.shown >= LEAST_SHOWN), key=lambda n: (-n.contradicted, -n.shown, n.id)
    )
    return tuple(useful[:LISTED]), tuple(useless[:LISTED])


def _snippet(text: str) -> str:
    return on_one_line(_BULLET.sub("", " ".join(text.split())), SNIPPET)


def _uses(store: AgentStore) -> Mapping[str, Uses]:
    """Return what is known of the chunks that are there, of all time."""
    every = store.all_uses()
    return {chunk.id: every[memory] for memory, chunk in store.heads(every).items()}
