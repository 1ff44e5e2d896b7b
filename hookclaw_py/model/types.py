"""The nouns: frozen values that travel between stages.

A *chunk* is a stored passage; a *hit* is one retriever's vote for a chunk; a *candidate* is a fused chunk that carries
the history of what each stage did to it; an *injection* is the answer to one prompt, silence included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import NamedTuple

from hookclaw_py.model.audience import Audience
from hookclaw_py.model.kind import NOTE, Kind
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.place import Place
from hookclaw_py.model.reason import Why
from hookclaw_py.model.terms import NO_TERMS, TASKS, Terms

_A_DAY = timedelta(days=1)


class Outcome(StrEnum):
    """What became of a prompt. Only ``INJECTED`` carries text."""

    INJECTED = "injected"
    SKIPPED = "skipped"  # the gate: this prompt needs no memory, nothing was searched
    SILENT = "silent"  # searched, and nothing was relevant enough
    FAILED = "failed"  # every retriever failed: we do not know


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stored passage.

    ``id`` is 16 hex digits, stable across restarts and re-indexing of unchanged text. ``created_at`` is aware UTC, or None for a chunk that never decays; midnight UTC stands for a whole day.
    ``terms`` are those of heading and text, and of what else the chunk is found by. ``memory`` and ``revision`` say what it
    is a wording of; until a store has said so, a memory that is called like the chunk. ``origin`` is whose words it holds, the least
    trusted of them; where nobody says so, that of its kind.
    """

    id: str
    text: str
    place: Place
    heading: str = ""
    kind: Kind = NOTE
    created_at: datetime | None = None
    terms: Terms = NO_TERMS
    memory: str = ""
    revision: int = 1
    origin: Origin = Origin.UNSTAMPED

    def __post_init__(self) -> None:
        if not self.origin:
            object.__setattr__(self, "origin", self.kind.origin)
        if not self.memory:
            object.__setattr__(self, "memory", self.id)

    def written(self, now: datetime) -> datetime | None:
        """Return when it was written, as far as its day says: one that is to come, wherever it is today, is what it is about."""
        return self.created_at if self.created_at and self.created_at <= now + _A_DAY else None

    @property
    def is_said(self) -> bool:
        """Whether it holds turns of a conversation, of a known day."""
        return bool(self.kind.speakers) and self.created_at is not None


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open stretch of time ``[start, end)``, both aware, and the ``phrase`` it was read from."""

    start: datetime
    end: datetime
    phrase: str = ""

    def overlaps(self, other: Period) -> bool:
        """Say whether the two stretches share an instant."""
        return self.start < other.end and other.start < self.end


def covered_by(created_at: datetime, zone: tzinfo) -> Period:
    """Return the time a chunk's date stands for: midnight UTC is a day note and covers that whole day in ``zone``."""
    if created_at.astimezone(UTC).time() == time(0):
        day = datetime.combine(created_at.astimezone(UTC).date(), time(0), zone)
        return Period(day, day + timedelta(days=1))
    return Period(created_at, created_at + timedelta(microseconds=1))


class Entity(NamedTuple):
    """Something named in a prompt: ``kind`` says how it was recognised, ``text`` is as written."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation: ``role`` is "user" or "assistant"."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as the host sent it.

    ``agent_id`` says whose memory may answer: there is no default, isolation fails closed. ``audience`` are those who
    hear the answer: only the owner hears of what is not marked shared. ``trigger`` is the host's word for why the turn
    runs ("user", "heartbeat", "cron"). ``shown`` are ids of chunks that the conversation holds
    from earlier injections, ``conversation`` its raw texts, ``system`` the host's
    system prompt: what they say is not sent again. ``run_id`` is the host's
    name for the turn, if it has one. One ``off_record`` is not to be kept, whatever it says: it is answered, and its words are written nowhere.
    """

    text: str
    received_at: datetime
    agent_id: str
    session_id: str = ""
    recent: Sequence[Message] = ()
    trigger: str = "user"
    shown: frozenset[str] = frozenset()
    conversation: Sequence[str] = ()
    system: str = ""
    run_id: str = ""
    audience: Audience = Audience.UNKNOWN
    off_record: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for. ``asked_at`` is aware and in the user's zone: no stage needs a clock.

    ``terms`` are searched; ``topic`` is what of them must be covered: without the words that only name the period.
    ``context`` is what the turns before say of what the text leaves out, and ``carried`` the terms of it among ``terms``.
    ``read_as`` are the misspelt words of the prompt and what they were read as; ``text`` has them corrected. ``days`` are those of
    a short period, among the terms, as chunks have those that they name (``temporal.mentions``).
    """

    text: str
    asked_at: datetime
    terms: Terms = NO_TERMS
    topic: Terms = NO_TERMS
    entities: tuple[Entity, ...] = ()
    period: Period | None = None
    context: str = ""
    carried: Terms = NO_TERMS
    read_as: tuple[tuple[str, str], ...] = ()
    days: frozenset[str] = frozenset()

    @property
    def sought(self) -> str:
        """What is compared by meaning: the text after its context."""
        return f"{self.context}\n{self.text}" if self.context else self.text

    @property
    def only_a_time(self) -> bool:
        """Whether it asks for a time and nothing else: "what did we do yesterday?"."""
        return self.period is not None and not self.topic

    @property
    def only_tasks(self) -> bool:
        """Whether it asks for tasks in some state and nothing else: "what is still open?"."""
        return bool(self.topic) and TASKS.issuperset(self.topic)

    @property
    def lists(self) -> bool:
        """Whether it asks for all of a time or of some tasks, whatever they are about: no meaning of its words decides."""
        return self.only_a_time or self.only_tasks


class Hit(NamedTuple):
    """One retriever's vote for a chunk, ``score`` in that retriever's own unit. A ranking is best first."""

    chunk_id: str
    score: float


class Occasion(NamedTuple):
    """A turn that a memory was shown in.

    ``at`` is when it ended, in seconds since 1970, ``kind`` what the answer did with the memory (see ``Uses``), ``about``
    the terms of the prompt as ``stages.utility.about`` chooses them.
    """

    at: float
    kind: str
    about: frozenset[str] = frozenset()


class Uses(NamedTuple):
    """What became of a memory in the turns it was shown in.

    The counts are of turns (``shown`` = used + relevant + contradicted + ignored; a turn that failed or never ended is not
    among them) and of verdicts (``good``, ``bad``). ``hits`` and ``misses`` are the weight of the verdicts as it had decayed
    by ``as_of``, in seconds since 1970. ``mark`` is a person's: "pin", "block" or "". ``occasions`` are the last of the
    turns, oldest first.
    """

    shown: int = 0
    used: int = 0
    relevant: int = 0
    contradicted: int = 0
    ignored: int = 0
    good: int = 0
    bad: int = 0
    hits: float = 0.0
    misses: float = 0.0
    as_of: float = 0.0
    mark: str = ""
    occasions: tuple[Occasion, ...] = ()


class Effect(StrEnum):
    """What a stage did to a candidate, as far as anyone asks afterwards."""

    SCORED = "scored"
    RANKED = "ranked"  # a retriever's vote
    RAISED = "raised"  # it stands now where ``other`` stood, for it says what has changed of that
    TOOK_PLACE = "took place"  # it changed places with ``other``, which is older
    GAVE_PLACE = "gave place"  # it changed places with ``other``, which stands further down in the same file
    SUPERSEDED = "superseded"  # it stands behind ``other``, which is newer, and says so
    OVERTAKEN = "overtaken"  # it stands behind ``other``, which has a later date and may have news of it; it says so
    HELD = "held back"  # left out: not the person's own words, and not to be told now
    MARKED = "marked"  # told with whose words these are, or what they are not
    CONFIRMED = "confirmed"  # not the person's own, and confirmed by them
    OUTDATED = "outdated"  # left out: the person has said otherwise since, in ``other``
    BLOCKED = "blocked"  # left out: a person wants that
    IRRELEVANT = "irrelevant"  # left out: not relevant enough, or far behind the best
    IN_CONVERSATION = "in conversation"  # left out: said already
    IN_SYSTEM_PROMPT = "in system prompt"  # left out: said already
    DUPLICATE = "duplicate"  # left out: says the same as ``other``
    CROWDED_OUT = "crowded out"  # left out: there were enough others
    CHOSEN = "chosen"
    LINE = "line"  # left out but for one line, which is told behind the others
    REDACTED = "redacted"  # a secret in it is not told; the value is how many
    SHADOWED = "shadowed"  # left out: nothing is told in shadow mode
    OVER_BUDGET = "over budget"  # left out: no room in the block


class Step(NamedTuple):
    """One line of a candidate's history: the stage, the value it left, and why, for people.

    ``effect`` is what it did, ``other`` the id of the chunk that the candidate was compared with, ``rank`` its place, from
    1, in a ranking.
    """

    stage: str
    value: float
    note: str = ""
    effect: Effect = Effect.SCORED
    other: str = ""
    rank: int = 0


class Candidate(NamedTuple):
    """A chunk on its way to the block. ``score`` orders one query's candidates; ``relevance`` is calibrated, in [0, 1]."""

    chunk: Chunk
    score: float = 0.0
    relevance: float = 0.0
    history: tuple[Step, ...] = ()

    @property
    def superseded(self) -> bool:
        """Whether a newer note on the same subject was found beside it."""
        return any(step.effect is Effect.SUPERSEDED for step in self.history)

    @property
    def overtaken(self) -> bool:
        """Whether a later memory stands before it that may say what is new of it."""
        return any(step.effect is Effect.OVERTAKEN for step in self.history)

    @property
    def supersession(self) -> str:
        """What an agent is told of news that stands before it: "yes", it supersedes this; "maybe"; "" where there is none."""
        return "yes" if self.superseded else "maybe" if self.overtaken else ""

    @property
    def words(self) -> str:
        """What an agent is told of whose words these are; "" for the person's own, for what they confirmed, and where each line says who speaks."""
        for step in self.history:
            if step.effect is Effect.MARKED:
                return step.note
            if step.effect is Effect.CONFIRMED:
                return ""
        return "" if self.chunk.kind.speakers and self.chunk.origin is Origin.ANSWERED else self.chunk.origin.words

    @property
    def fate(self) -> Effect | None:
        """What the last stage did to it; None when no stage has seen it."""
        return self.history[-1].effect if self.history else None

    def rescored(
        self, stage: str, score: float, note: str = "", effect: Effect = Effect.SCORED, other: str = ""
    ) -> Candidate:
        """Return this candidate with a new ``score`` and a line of history."""
        return Candidate(self.chunk, score, self.relevance, (*self.history, Step(stage, score, note, effect, other)))

    def judged(self, relevance: float, score: float, *steps: Step) -> Candidate:
        """Return this candidate with a calibrated ``relevance``, a ``score`` on the same scale, and lines of history."""
        return Candidate(self.chunk, score, relevance, (*self.history, *steps))

    def noted(self, *steps: Step) -> Candidate:
        """Return this candidate with lines of history and nothing else changed."""
        return Candidate(self.chunk, self.score, self.relevance, (*self.history, *steps))


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Sort by score, ties by id."""
    return sorted(candidates, key=lambda c: (-c.score, c.chunk.id))


class Fault(NamedTuple):
    """A stage that failed or ran out of time, and what the error said."""

    stage: str
    error: str


@dataclass(frozen=True, slots=True)
class Injection:
    """The answer to one prompt. ``text`` is empty unless ``outcome`` is INJECTED.

    ``candidates`` are those whose text is in the block, in its order, ``lines`` the single lines behind them; ``rejected`` are the others that were considered,
    best first, each with the reason as the last line of its history. ``timings`` are milliseconds by stage.
    """

    id: str
    outcome: Outcome
    why: Why
    text: str = ""
    candidates: tuple[Candidate, ...] = ()
    rejected: tuple[Candidate, ...] = ()
    query: Query | None = None
    faults: tuple[Fault, ...] = ()
    timings: tuple[tuple[str, float], ...] = ()
    cached: str = ""  # "exact" or "fuzzy" when the answer came from the cache
    lines: tuple[Candidate, ...] = ()

    @property
    def reason(self) -> str:
        """Why, as a sentence for people."""
        return self.why.sentence
