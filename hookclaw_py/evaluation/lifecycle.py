"""What a memory's life is worth: the same sentences in this engine and in plain vectors, which keep all that was ever said.

Each scenario is lived through as it would be: said in sessions, captured, worked off, revised by a person, and asked about weeks later;
nothing but time itself is made up. Plain vectors answer with the nearest of all sentences, by the same embedding model, as many as
the engine tells at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from hookclaw_py import Engine
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.consolidate import revising
from hookclaw_py.consolidate.consolidator import GAIN
from hookclaw_py.consolidate.set_right import heed
from hookclaw_py.consolidate.writing import write
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.tables import Sheet, number
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import FACT
from hookclaw_py.model.record import Record, RecordChange
from hookclaw_py.search.ports import Embedder, encode

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)
TIMES = 5  # that a memory is reinforced

SUBJECTS = """
    harbour relay, billing portal, tide exporter, orchard planner, ferry scheduler, lantern store, parcel tracker, quarry camera,
    bakery till, museum archive, ski lift monitor, greenhouse pump, tram display, choir library, bicycle rental, clinic intake,
    wine cellar logger, radio mixer, library kiosk, sawmill counter
"""
ONES = """
    Kafka, PostgreSQL, Grafana, Terraform, Redis, Nginx, RabbitMQ, Prometheus, SQLite, Ansible, Kubernetes, MongoDB, Jenkins,
    Elasticsearch, Vault, Traefik, Celery, Airflow, Consul, Varnish
"""
THINGS = [(thing.strip(), one.strip()) for thing, one in zip(SUBJECTS.split(","), ONES.split(","), strict=True)]


class Expected(NamedTuple):
    """What is counted of an answer: whether it tells these ``words``, or with ``first`` tells them before all else."""

    measure: str
    words: str
    first: bool = False
    lower_is_better: bool = False

    def holds(self, told: Sequence[str]) -> bool:
        """Say whether it holds of what was told, best first."""
        return any(self.words in text for text in (told[:1] if self.first else told))


class Probe(NamedTuple):
    """A prompt, and what is counted of its answer."""

    text: str
    expected: Sequence[Expected]


class Measured(NamedTuple):
    """One measure of a scenario: of how many prompts it holds, by plain vectors and here."""

    scenario: str
    measure: str
    prompts: int
    vectors: float
    ours: float
    said: float
    lower_is_better: bool

    @property
    def gain(self) -> float:
        """How much better what was distilled answers than plain vectors do."""
        return (self.vectors - self.ours) * (1 if self.lower_is_better else -1)


class Life:
    """An engine that remembers nothing yet, and plain vectors beside it that are told the same."""

    def __init__(self, engine: Engine, embedder: Embedder, things: int) -> None:
        self.engine, self.things, self._embedder = engine, THINGS[:things], embedder
        self._sentences: list[str] = []
        self._sessions = 0

    def say(self, sentences: Sequence[str], *, at: datetime) -> None:
        """Say each sentence in a session of its own, and let it be worked off."""
        for sentence in sentences:
            self._sessions += 1
            session = f"agent:main:{self._sessions}"
            said, answer = (
                Report(kind, at, "openclaw", session, "r", audience=Audience.OWNER, payload={"text": words})
                for kind, words in ((HappeningKind.PROMPT, sentence), (HappeningKind.ANSWER, "Noted."))
            )
            self.engine.capturing.record([said, answer], at=at)
        self.engine.capturing.work_off()
        self._sentences += sentences

    def revise(self, words: str, change: Callable[[Record], list[RecordChange]], *, at: datetime) -> None:
        """Let a person change the record of these words."""
        (record,) = (one for one in self.engine.store.records(kinds=[FACT], standing=True) if words in one.body)
        write(self.engine.store, change(record), zone=UTC, at=at, actor=Speaker.PERSON)
        heed(self.engine.store, zone=UTC)

    def nearest(self, prompt: str, most: int) -> list[str]:
        """Return what plain vectors tell."""
        every = np.stack([encode(self._embedder, sentence).vector for sentence in self._sentences])
        order = np.argsort(-(every @ encode(self._embedder, prompt).vector), kind="stable")
        return [self._sentences[place] for place in order[:most]]

    def recalled(self, prompt: str, *, at: datetime, kinds: Sequence[str] = ()) -> list[str]:
        """Return what the engine tells."""
        found = self.engine.recall(prompt, at=at, kinds=kinds, record=False)
        return [candidate.chunk.text for candidate in found.candidates]


Scenario = Callable[[Life], tuple[datetime, list[Probe]]]


def retraction(life: Life) -> tuple[datetime, list[Probe]]:
    """Say two facts of each thing, and let a person take one of them back."""
    kept = [one for _, one in (*life.things[1:], life.things[0])]
    life.say([f"The {thing} uses {one}." for thing, one in life.things], at=BEGIN)
    life.say(
        [f"The {thing} requires {one}." for (thing, _), one in zip(life.things, kept, strict=True)], at=BEGIN + DAY
    )
    at = BEGIN + 10 * DAY
    for thing, one in life.things:
        life.revise(
            f"{thing} uses {one}", lambda record: revising.retract(record, (), why="it never did", now=at), at=at
        )
    return BEGIN + 20 * DAY, [
        Probe(
            f"What does the {thing} use or require?",
            (
                Expected("what was taken back is told", f"{thing} uses {one}", lower_is_better=True),
                Expected("what still holds is told", f"{thing} requires {other}"),
            ),
        )
        for (thing, one), other in zip(life.things, kept, strict=True)
    ]


def reinforcement(life: Life) -> tuple[datetime, list[Probe]]:
    """Say two facts that answer alike; reinforce one of them, the first or the second in turn, weeks later."""
    life.say([f"The {thing} uses {one}." for thing, pair in _pairs(life) for one in pair], at=BEGIN)
    at = BEGIN + 45 * DAY
    chosen = [(thing, pair[number % 2]) for number, (thing, pair) in enumerate(_pairs(life))]
    for thing, one in chosen:
        for _ in range(TIMES):
            life.revise(f"{thing} uses {one}", lambda r: revising.reinforce(r, GAIN, why="it helped", now=at), at=at)
    return at + DAY, [_first(thing, one, "what was reinforced is told first") for thing, one in chosen]


def supersession(life: Life) -> tuple[datetime, list[Probe]]:
    """Say a number in March, and correct it in May."""
    ports = [(thing, 4100 + number, 5200 + number) for number, (thing, _) in enumerate(life.things)]
    life.say([f"The {thing} runs on port {old}." for thing, old, _ in ports], at=BEGIN)
    life.say([f"The {thing} now runs on port {new}." for thing, _, new in ports], at=BEGIN + 60 * DAY)
    return BEGIN + 70 * DAY, [
        Probe(
            f"Which port does the {thing} run on?",
            (
                Expected("the new is told first", str(new), first=True),
                Expected("the old is told", str(old), lower_is_better=True),
            ),
        )
        for thing, old, new in ports
    ]


def decay(life: Life) -> tuple[datetime, list[Probe]]:
    """Say two facts that answer alike, one of them, the first or the second in turn, two months after the other."""
    early = [(thing, pair[number % 2]) for number, (thing, pair) in enumerate(_pairs(life))]
    late = [(thing, pair[1 - number % 2]) for number, (thing, pair) in enumerate(_pairs(life))]
    for said, at in ((early, BEGIN), (late, BEGIN + 60 * DAY)):
        life.say([f"The {thing} uses {one}." for thing, one in said], at=at)
    return BEGIN + 61 * DAY, [_first(thing, one, "what is fresher is told first") for thing, one in late]


SCENARIOS: tuple[Scenario, ...] = (retraction, reinforcement, supersession, decay)


def _pairs(life: Life) -> list[tuple[str, tuple[str, str]]]:
    others = (*life.things[1:], life.things[0])
    return [(thing, (one, other)) for (thing, one), (_, other) in zip(life.things, others, strict=True)]


def _first(thing: str, one: str, measure: str) -> Probe:
    return Probe(f"What does the {thing} use?", (Expected(measure, one, first=True),))


def lived(things: int = len(THINGS)) -> Iterator[Measured]:
    """Live through every scenario, with so many things at most, and yield what was measured."""
    config = run_config(Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650)))
    for scenario in SCENARIOS:
        with Engine.in_memory(config) as engine:
            embedder = engine._parts.embedder  # noqa: SLF001
            assert embedder is not None
            life = Life(engine, embedder, things)
            at, asked = scenario(life)
            engine.capturing.work_off()
            engine.warm_up([FACT.name])
            yield from measured(scenario.__name__, life, asked, at)


def measured(name: str, life: Life, asked: Sequence[Probe], at: datetime) -> Iterator[Measured]:
    """Ask every prompt of plain vectors, of what was distilled, and as prompts are answered, and count what holds."""
    most = life.engine.config.max_results
    answers = [
        (
            life.nearest(one.text, most),
            life.recalled(one.text, at=at, kinds=[FACT.name]),
            life.recalled(one.text, at=at),
        )
        for one in asked
    ]
    for place, expected in enumerate(asked[0].expected):
        held = [
            [one.expected[place].holds(told) for told in told_of] for one, told_of in zip(asked, answers, strict=True)
        ]
        vectors, ours, said = (sum(column) / len(held) for column in zip(*held, strict=True))
        yield Measured(name, expected.measure, len(held), vectors, ours, said, expected.lower_is_better)


def sheet(found: Sequence[Measured]) -> Sheet:
    """Return what was measured as a table."""
    heads = ("share of the prompts of which …", "prompts", "plain vectors", "distilled", "gain", "as said")
    rows = [
        [
            one.measure,
            str(one.prompts),
            number(one.vectors),
            number(one.ours),
            f"{one.gain + 0.0:+.2f}",
            number(one.said),
        ]
        for one in found
    ]
    return Sheet("A memory's life beside plain vectors", heads, rows)
