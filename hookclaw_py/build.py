"""The composition root: turns a configuration into parts. The only module that names concrete backends; models are loaded by ``search.loading``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hookclaw_py.config import Config, StoreConfig
from hookclaw_py.errors import RetrievalError, StoreError
from hookclaw_py.hosts.openclaw import envelope
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.pipeline import Pipeline, Stages
from hookclaw_py.privacy import files as private
from hookclaw_py.search import loading
from hookclaw_py.search.circuit import Circuit
from hookclaw_py.search.shared import once
from hookclaw_py.stages import gate, selection
from hookclaw_py.store import upkeep
from hookclaw_py.store.agents import agent_in_host, claim, refuse_look_alike
from hookclaw_py.store.confirming import confirmed_of
from hookclaw_py.store.parts import PartOfStore
from hookclaw_py.store.recalled import ANSWERED_FROM
from hookclaw_py.store.switches import Switches
from hookclaw_py.temporal.machine import machine_zone
from hookclaw_py.views import View, Views
from hookclaw_py.workers import Workers

if TYPE_CHECKING:
    from hookclaw_py.calibration.weights import Calibration
    from hookclaw_py.capture.processing import Process, Processor
    from hookclaw_py.capture.recorder import Recorder
    from hookclaw_py.consolidate.sessions import Consolidation
    from hookclaw_py.llm.lane import ModelLane
    from hookclaw_py.model.origin import Confirmed
    from hookclaw_py.model.practice import Tried
    from hookclaw_py.model.types import Injection
    from hookclaw_py.observe.decision_log import DecisionLog
    from hookclaw_py.observe.metrics import Metrics, Spans
    from hookclaw_py.observe.recording import PromptLog
    from hookclaw_py.search.cache import FuzzyCache
    from hookclaw_py.search.derived import DerivedIndexes
    from hookclaw_py.search.ports import Embedder, LexicalIndex, VectorIndex
    from hookclaw_py.searching import Found
    from hookclaw_py.store.ports import AgentStore
    from hookclaw_py.store.recalled import Derivable, Recalled
    from hookclaw_py.store.sessions import Records

log = logging.getLogger("hookclaw")

ENVELOPE = envelope.ENVELOPE
"""What hosts wrap around prompts; of ours only OpenClaw does."""
_KEYWORDS = "lexical"  # the folder of the keyword index, beside a store
_VECTORS = "vectors.npz"  # … and the file of its vectors
STAGES = Stages(envelope=ENVELOPE.unwrap, automatic=ENVELOPE.automatic_kind)


@dataclass(frozen=True)
class Parts:
    """What an engine is composed of."""

    config: Config
    agent: str
    strict: bool
    hosted: bool
    envelope: Envelope
    store: AgentStore
    embedder: Embedder | None
    indexes: DerivedIndexes
    pipeline: Pipeline
    views: Views
    metrics: Metrics
    history: DecisionLog | None
    recordings: PromptLog | None
    workers: Workers
    circuit: Circuit
    recorder: Callable[[], Recorder]
    processor: Callable[[], Processor]
    lane: ModelLane | None
    switches: Switches


def compose(
    store: AgentStore,
    lexical: LexicalIndex | None,
    embedder: Embedder | None,
    *,
    config: Config,
    agent: str,
    strict: bool,
    hosted: bool,
    stages: Stages,
    vectors: Callable[[int], VectorIndex],
    beside: Path | None,
    switches: Switches,
    calibration: Calibration | None,
    recordings: PromptLog | None,
) -> Parts:
    """Put an engine together around a store, its keyword index and a model."""
    from hookclaw_py.observe.metrics import Metrics

    metrics = Metrics(store, strict=strict, spans=_spans(config, agent))
    workers, circuit = Workers("recall", on_left=metrics.left_behind), Circuit(metrics.circuit)
    envelope = Envelope(stages.envelope, stages.automatic)
    derived = partial(derived_indexes, embedder=embedder, vectors=vectors, on_failure=metrics.failed)
    lane = model_lane(store, config, switches)
    own = PartOfStore(store, ANSWERED_FROM, lasting=store.lasting)
    indexes, counts = derived(own, lexical, beside=beside), calibration or loading.calibration_of(embedder)
    confirmed = partial(confirmed_of, store)
    stages = replace(stages, further=(*stages.further, selection.among(partial(_tried, store))))
    pipeline = _pipeline(
        config, stages, own, indexes, embedder, counts, workers=workers, guard=circuit.guard, confirmed=confirmed
    )

    def view_of(part: PartOfStore) -> View:
        found = derived(part, lexical_index(config, None) if lexical is not None else None)
        return View(found, replace(pipeline, store=part, indexes=found, cache=_cache(config)))

    return Parts(
        config=config,
        agent=agent,
        strict=strict,
        hosted=hosted,
        envelope=envelope,
        store=store,
        embedder=embedder,
        indexes=indexes,
        pipeline=pipeline,
        views=Views(store, config.shared, view_of),
        metrics=metrics,
        history=_history(config, store, metrics),
        recordings=recordings,
        workers=workers,
        circuit=circuit,
        recorder=once(partial(_recorder, config, store, envelope, switches, metrics)),
        processor=once(lambda: _processor(config, store, consolidation(config, agent, store, envelope, lane), metrics)),
        lane=lane,
        switches=switches,
    )


def _tried(store: Records, ids: Iterable[str]) -> dict[str, Tried]:
    """Return how often each of these memories that is a record was carried out, and how that went."""
    return {record.id: record.tried for record in map(store.record, ids) if record}


def _pipeline(
    config: Config,
    stages: Stages,
    store: Recalled,
    indexes: DerivedIndexes,
    embedder: Embedder | None,
    calibration: Calibration,
    *,
    workers: Workers,
    guard: Callable[[Callable[[], Found]], Found],
    confirmed: Callable[[], Confirmed],
) -> Pipeline:
    """Put together what answers the owner's prompts."""
    return Pipeline(
        config=config,
        stages=stages,
        store=store,
        indexes=indexes,
        embedder=embedder,
        cache=_cache(config),
        workers=workers,
        zone=user_zone(config),
        skip_patterns=gate.compile_patterns(config.skip_patterns) if config.enable_skip_patterns else (),
        calibration=calibration,
        reader=loading.reader(config),
        guard=guard,
        confirmed=confirmed,
    )


def _recorder(config: Config, store: AgentStore, envelope: Envelope, switches: Switches, metrics: Metrics) -> Recorder:
    from hookclaw_py.capture.recorder import Recorder

    return Recorder(store, switches, settings=config.capture, envelope=envelope, count=metrics.captured)


def _processor(config: Config, store: AgentStore, process: Process, metrics: Metrics) -> Processor:
    from hookclaw_py.capture.processing import Processor

    stuck, keep = timedelta(milliseconds=config.capture.stuck_ms), timedelta(days=config.capture.keep_raw_days)
    return Processor(store, process, stuck=stuck, keep=keep, on_failure=metrics.failed)


def _history(config: Config, store: AgentStore, metrics: Metrics) -> DecisionLog | None:
    if not (config.keep_history and store.lasting):
        return None
    from hookclaw_py.observe.decision_log import DecisionLog

    return DecisionLog(store, on_failure=metrics.failed)


def model_lane(store: AgentStore, config: Config, switches: Switches) -> ModelLane | None:
    """Return what asks a model of what was captured; None unless one is configured."""
    if not config.llm.enabled:
        return None
    from hookclaw_py.llm.chat import Chat
    from hookclaw_py.llm.lane import ModelLane

    return ModelLane(store, Chat(config.llm), config, switches=switches, zone=user_zone(config))


def consolidation(
    config: Config, agent: str, store: AgentStore, envelope: Envelope, lane: ModelLane | None = None
) -> Consolidation:
    """Return what makes memories of the happenings of a session, and lets them wait for a ``lane``, where there is one."""
    from hookclaw_py.consolidate.sessions import Consolidation

    more = {"afterwards": lane.take_in} if lane else {}
    name, zone, now = agent_in_host(agent), user_zone(config), partial(datetime.now, UTC)
    return Consolidation(store, agent=name, zone=zone, clock=now, unwrap=envelope.unwrap, **more)


def _cache(config: Config) -> FuzzyCache[Injection]:
    from hookclaw_py.search.cache import FuzzyCache

    return FuzzyCache(size=config.cache_size, ttl_ms=config.cache_ttl_ms, threshold=config.fuzzy_cache_threshold)


def _spans(config: Config, agent: str) -> Spans | None:
    if not config.open_telemetry:
        return None
    from hookclaw_py.observe.telemetry import recall_spans

    return recall_spans(agent=agent, content=config.open_telemetry_content)


def user_zone(config: Config) -> tzinfo:
    """Return the user's time zone: the configured one, else the machine's."""
    return config.zone or machine_zone()


def store(folder: Path | None) -> AgentStore:
    """Open an agent's store, made if it is not there; None is a new one in memory.

    Raises:
        StoreError: if the database is damaged, locked, not writable, from a newer version or not ours; if its server does not answer.
    """
    from hookclaw_py.store.database import opened

    return opened(folder)


def store_of(agent: str, folder: Path, wanted: StoreConfig) -> AgentStore:
    """Open the store of ``agent`` in ``folder``, or where it is ``wanted``, for its owner only.

    Raises:
        StoreError: as ``store``, or if it is another agent's.
    """
    refuse_look_alike(folder)
    upkeep.keep(folder, wanted.url, wanted.space)
    opened = store(folder)
    try:
        claim(opened, agent, first=folder.name if folder.parent.name == "agents" else agent)
    except StoreError:
        opened.close()
        raise
    private.mend(folder, (*private.BESIDE, *upkeep.FILES))
    return opened


def lexical_beside(config: Config, folder: Path) -> tuple[LexicalIndex | None, str]:
    """Open the keyword index beside a store, if there is to be one, and say what is wrong: then it lives in memory."""
    if not config.enable_bm25:
        return None, ""
    try:
        return lexical_index(config, folder), ""
    except RetrievalError as error:
        trouble = f"{error}; keywords are indexed in memory meanwhile"
        log.error("hookclaw: %s", trouble)
        return lexical_index(config, None), trouble


def lexical_index(config: Config, folder: Path | None) -> LexicalIndex:
    """Open the keyword index beside the store; in memory when ``folder`` is None."""
    if config.lexical_backend == "rank-bm25":
        from hookclaw_py.search.local.rank_bm25_index import RankBM25Index

        return RankBM25Index()
    from hookclaw_py.search.local.tantivy_index import TantivyIndex

    return TantivyIndex(folder / _KEYWORDS if folder else None)


def kept_keywords(folder: Path) -> LexicalIndex | None:
    """Open the keyword index that is kept beside a store (or raise a ``RetrievalError``); None where none is."""
    return lexical_index(Config(), folder) if (folder / _KEYWORDS).exists() else None


def vector_index(dimension: int) -> VectorIndex:
    """Open an empty vector index."""
    from hookclaw_py.search.local.faiss_index import FaissIndex

    return FaissIndex(dimension)


def derived_indexes(
    store: Derivable,
    lexical: LexicalIndex | None,
    embedder: Embedder | None,
    *,
    vectors: Callable[[int], VectorIndex] = vector_index,
    beside: Path | None = None,
    on_failure: Callable[[str], None] = lambda _: None,
) -> DerivedIndexes:
    """Return what is derived from ``store``, empty until it catches up; our own index of vectors is kept in the folder ``beside`` it."""
    from hookclaw_py.search.derived import DerivedIndexes
    from hookclaw_py.search.local.vector_file import VectorFile
    from hookclaw_py.search.null_sampling import null_sample, sampling

    kept, part = beside if vectors is vector_index else None, str(sorted(ANSWERED_FROM.without))
    file = VectorFile(kept / _VECTORS, part=part, sampling=sampling(), rows=store.vectors_as_kept) if kept else None
    return DerivedIndexes(
        store, lexical, embedder, vectors=vectors, null_sample=null_sample, beside=file, on_failure=on_failure
    )
