"""The engine: one agent's memory behind a few verbs, the same for the command line, Python, gateway and evaluation."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter

from hookclaw_py import build, text
from hookclaw_py.config import Config, home
from hookclaw_py.errors import IndexingError, RetrievalError, StoreError
from hookclaw_py.indexes import DerivedIndexes
from hookclaw_py.ingest.folders import Folder, folders_of
from hookclaw_py.ingest.indexer import IndexReport, Progress, embed_pending, index_workspace
from hookclaw_py.ingest.remembering import write_down
from hookclaw_py.ingest.sources import index_sources, look_of
from hookclaw_py.ingest.watcher import watch as watch_notes
from hookclaw_py.ingest.workspace import Layout, layout_of
from hookclaw_py.learning import settling
from hookclaw_py.learning.attribution import Attribution
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.kind import NOTE
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Candidate, Injection, Outcome, Prompt
from hookclaw_py.observe.decision_log import DecisionLog
from hookclaw_py.observe.metrics import EVERY, Metrics, Spans, candidate_line, decision_line
from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.observe.status import Status, status_of
from hookclaw_py.pipeline import STAGES, Pipeline, Stages
from hookclaw_py.privacy import files as private
from hookclaw_py.search.cache import FuzzyCache
from hookclaw_py.search.circuit import Circuit
from hookclaw_py.search.ports import Embedder, LexicalIndex
from hookclaw_py.stages import gate
from hookclaw_py.stages.envelope import unwrap
from hookclaw_py.store import freshness
from hookclaw_py.store.agents import agent_folder, agent_in_host, claim, refuse_look_alike
from hookclaw_py.store.decisions import find, with_texts
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.sharing import SharedNotes
from hookclaw_py.trace import Deadline, Trace
from hookclaw_py.workers import Workers

log = logging.getLogger("hookclaw")

PATIENCE = 10.0  # seconds to wait for another process that is writing the keyword index
WATCHER_PATIENCE = 600.0  # seconds that a watcher waits for another process that is indexing
LOOK_SECONDS = 2.0  # between two looks of a watcher at the store
POLL_SECONDS = 10.0  # between looks at OpenClaw's own files
RETRY_SECONDS = 15.0  # after which an embedder that failed is asked again; doubled each time, up to the next
MOST_RETRY_SECONDS = 600.0
NOTHING_INDEXED = "no folder of notes has been indexed yet; run `hookclaw index FOLDER`"
WRITING_SECONDS = 0.2
"""How long an answer waits for what is written down of it, at most; then that goes on behind it."""
MAX_PROMPT_CHARS = 200_000
"""Of a longer prompt the two ends are looked at: the middle of a pasted log says nothing that they do not."""
_CLOSING = 2.0  # seconds that ``close`` gives to recalls under way


class Engine:
    """One agent's memory: ``index`` a workspace, ``recall`` a prompt, ``agent_end`` a turn. Safe to use from threads.

    A forked process opens its own: threads and database connections do not survive a fork.
    """

    def __init__(
        self,
        store: AgentStore,
        lexical: LexicalIndex | None,
        embedder: Embedder | None,
        *,
        config: Config,
        agent: str = "main",
        strict: bool = False,
        hosted: bool = False,
        stages: Stages = STAGES,
    ) -> None:
        self.config, self.agent, self.store = config, agent, store
        self._hosted = hosted
        self.metrics = Metrics(store, strict=strict, spans=_spans(config, agent))
        self._strict = strict
        self._embedder = embedder
        self._indexes = DerivedIndexes(store, lexical, embedder, on_failure=self.metrics.failed)
        self._workers = Workers("recall", on_left=self.metrics.left_behind)
        self._shared = SharedNotes(store, config.shared)
        in_memory = build.lexical_index(config, None) if lexical is not None else None
        self._shared_indexes = DerivedIndexes(self._shared, in_memory, embedder, on_failure=self.metrics.failed)
        self.history = (
            DecisionLog(store, on_failure=self.metrics.failed) if config.keep_history and store.lasting else None
        )
        self._circuit = Circuit(self.metrics.circuit)
        self._roots: tuple[str, ...] = ()
        self._closed = False
        self._read = -1  # which of the databases that the store was has been read
        self._troubles: list[str] = []
        self._polled, self._others = 0.0, ""
        self._looked, self._retry_at, self._retry_pause = 0.0, 0.0, 0.0
        self._indexed_of: tuple[int, int] = (0, 0)
        self.pipeline = Pipeline(
            config=config,
            stages=stages,
            store=store,
            indexes=self._indexes,
            embedder=embedder,
            cache=_cache(config),
            workers=self._workers,
            zone=build.user_zone(config),
            skip_patterns=gate.compile_patterns(config.skip_patterns) if config.enable_skip_patterns else (),
            weights=build.weights(),
            guard=self._circuit.guard,
        )
        # Not a filter behind the search: what is private neither fills the pool nor weighs, names or answers anything.
        self._shared_pipeline = replace(
            self.pipeline, store=self._shared, indexes=self._shared_indexes, cache=_cache(config)
        )

    @classmethod
    def open(
        cls,
        config: Config | None = None,
        *,
        agent: str = "main",
        folder: Path | None = None,
        strict: bool = False,
        hosted: bool = False,
        stages: Stages = STAGES,
    ) -> Engine:
        """Open the store of ``agent`` (in ``folder``, by default below ``$HOOKCLAW_HOME``), making it if need be.

        ``strict`` lets every failing stage raise instead of costing memories: for evaluation and tests. ``hosted`` says that
        a host names the folder to index: a workspace or a project, of which only MEMORY.md and memory/ are notes. ``stages``
        are those of every recall: for a stage of one's own, and for tests and studies.

        Raises:
            ConfigError: if the configuration file cannot be used.
            StoreError: if ``agent`` is not an agent id, the store is another agent's, or the database cannot be opened.
        """
        config = config or Config.load()
        folder = folder or agent_folder(home(), agent)
        store, lexical, trouble = _store_of(agent, folder), None, ""
        private.mend(folder, private.STORE)
        if config.enable_bm25:
            try:
                lexical = build.lexical_index(config, folder)
            except RetrievalError as error:
                trouble = f"{error}; keywords are indexed in memory meanwhile"
                log.error("hookclaw: %s", trouble)
                lexical = build.lexical_index(config, None)
        engine = cls(
            store, lexical, _embedder(config), config=config, agent=agent, strict=strict, hosted=hosted, stages=stages
        )
        engine._troubles += filter(None, [trouble])
        return engine

    @classmethod
    def in_memory(cls, config: Config | None = None, *, strict: bool = True, stages: Stages = STAGES) -> Engine:
        """Open an engine whose store lives in memory: for evaluation and tests."""
        config = config or Config()
        lexical = build.lexical_index(config, None) if config.enable_bm25 else None
        return cls(build.store(None), lexical, _embedder(config), config=config, strict=strict, stages=stages)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; a closed engine answers nothing. The embedder is shared by all engines and stays."""
        self._closed = True
        self._indexes.close()
        self._shared_indexes.close()
        self._workers.close(_CLOSING)
        if self.history is not None:
            self.history.close()
        try:
            self.metrics.close()
        finally:
            self.store.close()

    # Writing

    def index(
        self,
        *folders: str | Path,
        move: bool = False,
        drop: Sequence[str | Path] = (),
        prune: bool = False,
        progress: Progress | None = None,
        wait_seconds: float = 0.0,
        should_stop: Callable[[], bool] | None = None,
    ) -> IndexReport:
        """Read the notes of the store's folders into it and embed what is new; ``folders`` are the first ones, or more.

        Paths in the first folder stand as they are, those in another begin with its name. New folders are named together
        with one that is known; ``move`` says that one has moved here, ``drop`` that some are no longer wanted. When most
        of the store would go it stays, and the report says so, unless ``prune``. Interrupt it at any moment: what is
        committed stays, and the next call goes on. ``wait_seconds`` is how long to wait for another process that is
        indexing this store.

        Raises:
            IndexingError: if there is no such folder, or the store holds the notes of others.
        """
        roots = tuple(str(Path(folder).expanduser()) for folder in folders)
        if not roots and not self.folders:
            raise IndexingError(NOTHING_INDEXED)
        if not folders_of(self.store):
            roots = roots or self._roots  # the store was deleted under us, or had nothing to keep yet
        self._roots = roots or self.folders
        report = index_workspace(
            self.store,
            *map(Path, roots),
            layout=Layout.WORKSPACE if self._hosted else None,
            globs=self.config.globs,
            exclude=self.config.exclude,
            evergreen=self.config.evergreen,
            move=move,
            drop=[Path(folder) for folder in drop],
            prune=prune,
            progress=progress,
            wait_seconds=wait_seconds,
        )
        self._roots = self.folders
        report += index_sources(
            self.store,
            self.config.sources,
            state=self._openclaw_state(),
            agent=agent_in_host(self.agent),
            zone=self.pipeline.zone,
            evergreen=self.config.evergreen,
            embedding_model=self.config.embedder.model if self.config.embedder.backend == "openai" else "",
            model_id=self._embedder.model_id if self._embedder is not None else "",
            progress=progress,
            wait_seconds=wait_seconds,
        )
        warnings = list(report.warnings)
        problems = []
        for step in (self._catch_up, partial(self._embed, progress, should_stop), self._catch_up):
            try:
                step()
            except RetrievalError as error:
                problems.append(str(error))
        if problems:
            told = "; ".join(dict.fromkeys(problems))
            warnings.append(f"the notes are stored, but not everything can be searched yet: {told}")
        self._note_retry(failed=bool(problems))
        model_id = self._embedder.model_id if self._embedder is not None else ""
        freshness.note_indexing(self.store, at=datetime.now(UTC), model_id=model_id)
        return replace(report, warnings=tuple(warnings))

    def remember(self, text: str, *, at: datetime | None = None, by: str = "") -> Path:
        """Write ``text`` into a note of the first folder, dated, and index it; return the file.

        In an agent's workspace that is the day's file in memory/, in a person's folder ``Remembered.md``. ``by`` says who
        noted it, if not the owner of the notes.

        Raises:
            IndexingError: if no folder is known, there is nothing to write, or it cannot be written or found afterwards.
        """
        folders = folders_of(self.store) or [Folder(Path(root), self._layout(Path(root))) for root in self._roots]
        if not folders:
            raise IndexingError(NOTHING_INDEXED)
        moment = (at or datetime.now(UTC)).astimezone(self.pipeline.zone)
        with self.store.alone(PATIENCE):
            file = write_down(folders[0], text, day=moment.date(), by=by)
        self.index(wait_seconds=PATIENCE)
        if file.relative_to(folders[0].root).as_posix() not in self.store.files():
            raise IndexingError(f"it is written to {file}, which is not indexed; see `exclude` and its front matter")
        return file

    def search(self, words: str, *, limit: int = 20) -> list[Candidate]:
        """Return what lies nearest to ``words``, best first, whether it answers them or not.

        Raises:
            RetrievalError: if a part of the search fails.
        """
        prompt = Prompt(words, datetime.now(UTC), agent_id=self.agent, audience=Audience.OWNER)
        return self.rank(prompt, pool_size=limit)[:limit]

    def _catch_up(self) -> None:
        self.catch_up(wait_seconds=PATIENCE)

    def _embed(self, progress: Progress | None, should_stop: Callable[[], bool] | None) -> None:
        if self._embedder is not None:
            embed_pending(self.store, self._embedder, progress=progress, should_stop=should_stop)

    def _note_retry(self, *, failed: bool) -> None:
        """Remember what the notes were read into, and when to try again what failed."""
        self._indexed_of = (self.store.replaced, self._indexes.damaged_vectors)
        self._retry_pause = min(MOST_RETRY_SECONDS, self._retry_pause * 2 or RETRY_SECONDS) if failed else 0.0
        self._retry_at = monotonic() + self._retry_pause

    def is_due(self) -> bool:
        """Say whether to index although no note has changed: the store was replaced, or what failed may work by now.

        Cheap: it looks at most every two seconds.
        """
        if (now := monotonic()) - self._looked < LOOK_SECONDS:
            return False
        self._looked = now
        self.store.generation()
        changed = self._indexed_of != (self.store.replaced, self._indexes.damaged_vectors)
        if now - self._polled >= POLL_SECONDS and set(self.config.sources) - {NOTE.name}:
            self._polled, before = now, self._others
            self._others = look_of(self._openclaw_state(), agent_in_host(self.agent))
            changed = changed or self._others != before
        return changed or bool(self._retry_pause and now >= self._retry_at)

    def _openclaw_state(self) -> str:
        """Return the state folder of the gateway whose agent this is: as configured, for another profile's as its plugin said."""
        given = self.config.openclaw_state
        if agent_in_host(self.agent) == self.agent:
            return given
        known: str = self.store.get_meta("openclaw_state", "")
        if given and given != known:
            self.store.set_meta("openclaw_state", given)
        return given or known

    def catch_up(self, *, wait_seconds: float = 0.0) -> None:
        """Bring the derived indexes up to the store's generation; see ``Indexes.catch_up``."""
        self._indexes.catch_up(wait_seconds=wait_seconds)
        if self._shared.paths():
            self._shared_indexes.catch_up()

    def watch(self, on_report: Callable[[IndexReport], None], *, stop: threading.Event) -> None:
        """Index now, whenever a note changes and when ``is_due``, until ``stop`` is set; ``on_report`` hears of each time.

        Raises:
            IndexingError: if nothing has been indexed yet, or the folder cannot be watched.
        """
        if not self.folders:
            raise IndexingError(NOTHING_INDEXED)
        watch_notes(
            folders_of(self.store) or [Folder(Path(root), self._layout(Path(root))) for root in self._roots],
            lambda _: on_report(self.index(wait_seconds=WATCHER_PATIENCE, should_stop=stop.is_set)),
            stop_event=stop,
            globs=self.config.globs,
            exclude=self.config.exclude,
            is_due=self.is_due,
        )

    def _layout(self, root: Path) -> Layout:
        return Layout.WORKSPACE if self._hosted else layout_of(root)

    @property
    def workspace(self) -> str | None:
        """The first of ``folders``, which a host knows as the agent's workspace; None before the first ``index``."""
        return next(iter(self.folders), None)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders whose notes this store holds, or is to hold once there are any."""
        return tuple(str(folder.root) for folder in folders_of(self.store)) or self._roots

    @property
    def circuit(self) -> str:
        """The state of the breaker before the vector half: "closed" (asked), "open" (left out) or "half-open" (tried)."""
        return self._circuit.state

    # Answering

    def recall(
        self,
        prompt: str | Prompt,
        *,
        at: datetime | None = None,
        session: str = "",
        as_of: bool = False,
        timeout_ms: float | None = None,
        record: bool = True,
    ) -> Injection:
        """Find the few memories that answer ``prompt``, or say why not. Never raises unless the engine is strict.

        A text is the owner's own question; a ``Prompt`` says who hears the answer, and only the owner hears of notes that
        are not shared. ``at`` is the moment of asking (default: now; naive means the user's zone). With ``as_of`` notes dated after
        that day are invisible. ``timeout_ms`` shortens the configured deadline. Without ``record`` the recall is only a
        look: it is not counted, logged, or remembered as shown.

        The answer is made on another thread, and this one waits until the deadline: what hangs then is left behind.
        """
        started = perf_counter()
        trace = Trace(timeout_ms=min(timeout_ms or self.config.timeout_ms, self.config.timeout_ms), strict=self._strict)
        injection = _failed(Reason.RECALL_FAILED)
        asked = Prompt("", datetime.now(UTC), agent_id=self.agent)
        try:
            asked = trace.attempt("prompt", asked, self._prompt, prompt, at, session)
            if trace.faults:
                injection = _failed(Reason.OTHER, trace.faults[0].error)
            else:
                injection = self._answer(asked, trace, as_of=as_of, record=record)
            injection = replace(injection, faults=tuple(trace.faults), timings=tuple(trace.timings.copy().items()))
        finally:  # a strict engine raises; the prompt counts all the same
            if record:
                took = (perf_counter() - started) * 1000
                reporting = Trace(timeout_ms=0, strict=self._strict)
                reporting.attempt("report", None, self._report, asked, injection, trace, took, as_of=as_of)
        return injection

    def _prompt(self, prompt: str | Prompt, at: datetime | None, session: str) -> Prompt:
        """Return the prompt as the pipeline takes it: of a very long one its two ends, and nothing that is no text."""
        if isinstance(prompt, str):
            moment = at or datetime.now(UTC)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=self.pipeline.zone)
            prompt = Prompt(prompt, moment, agent_id=self.agent, session_id=session, audience=Audience.OWNER)
        if not isinstance(prompt, Prompt) or not isinstance(prompt.text, str):
            kind = type(prompt.text if isinstance(prompt, Prompt) else prompt).__name__
            raise TypeError(f"a prompt is a text, not {kind}; pass a str or a Prompt")
        plain = text.ends(text.encodable(prompt.text), MAX_PROMPT_CHARS)
        session, run = text.encodable(prompt.session_id), text.encodable(prompt.run_id)
        if (plain, session, run) == (prompt.text, prompt.session_id, prompt.run_id):
            return prompt
        return replace(prompt, text=plain, session_id=session, run_id=run)

    def _answer(self, prompt: Prompt, trace: Trace, *, as_of: bool, record: bool) -> Injection:
        if prompt.agent_id != self.agent:
            return _failed(Reason.WRONG_AGENT, f"{self.agent}, not {prompt.agent_id or 'nobody'}")
        if self._closed:
            return _failed(Reason.ENGINE_CLOSED)

        def search() -> Injection:
            found = self._search(prompt, trace, as_of=as_of)
            if found.outcome is Outcome.SILENT and (unread := trace.attempt("unread", None, self._unread)):
                return replace(found, why=unread.remarking(found.reason))
            return found

        nothing = _failed(Reason.RECALL_FAILED)
        injection = trace.attempt_in_time("recall", nothing, search, self._workers)
        if injection is nothing:
            kind = Reason.LATE if trace.deadline.cancelled else Reason.RECALL_FAILED
            told = "; ".join(f"{fault.stage}: {fault.error}" for fault in trace.faults)
            injection = replace(nothing, why=Why(kind, told))
        if record and (prompt.session_id or self.config.record_prompts):
            self._write(prompt, injection, trace)
        return injection

    def _write(self, prompt: Prompt, injection: Injection, trace: Trace) -> None:
        """Write down what has to be before the answer; what takes too long goes on behind it."""
        beyond = trace.beyond()

        def write() -> None:
            beyond.attempt("remember", None, self._remember, prompt, injection, beyond.deadline)
            beyond.attempt("record", None, self._record, prompt, injection)

        if trace.deadline.cancelled:  # it was late already
            beyond.attempt("remember", None, lambda: self._workers.leave(self._workers.start("writing", write)))
        else:
            beyond.attempt_in_time("writing", None, write, self._workers, at_most=WRITING_SECONDS, finish=True)

    def _unread(self) -> Why | None:
        """Say that the notes are being read for the first time; None once they have been, or without a store to read into."""
        if self._read == self.store.replaced or not self.store.lasting:
            return None
        if freshness.indexed_at(self.store) is None:
            return Why(Reason.STILL_READING, str(self._indexes.size))
        self._read = self.store.replaced
        return None

    def _search(self, prompt: Prompt, trace: Trace, *, as_of: bool) -> Injection:
        """Search what the prompt's audience may hear of; the rest is not even looked at."""
        policy, pipeline, indexes = POLICIES[prompt.audience], self.pipeline, self._indexes
        if not policy.hears_everything:
            shared = trace.attempt("shared", None, self._shared.paths)
            if shared is None:
                return _failed(Reason.SHARED_UNREADABLE, trace.faults[-1].error)
            if not shared:
                why = Why(Reason.NOTHING_SHARED, policy.called)
                return Injection(secrets.token_hex(8), Outcome.SILENT, why)
            pipeline, indexes = self._shared_pipeline, self._shared_indexes
        trace.attempt("catch up", None, indexes.catch_up_in_time, trace.deadline)
        injection = pipeline.recall(prompt, trace, as_of=as_of)
        if policy.hears_everything or injection.outcome not in (Outcome.SILENT, Outcome.INJECTED):
            return injection
        remark = f"only what is shared with {policy.called} was searched"
        return replace(injection, why=injection.why.remarking(remark))

    def warm_up(self) -> None:
        """Load what the first recall would have to load, for a caller who waits for one answer: outside of its deadline."""
        with suppress(RetrievalError):  # the recall itself tells of it
            self.catch_up()
        self.recall("What do the notes say?", record=False)

    def rank(self, prompt: Prompt, *, pool_size: int) -> list[Candidate]:
        """Return the best ``pool_size`` candidates, best first, as they stand before it is decided whether to speak."""
        pipeline = replace(self.pipeline, config=self.config.model_copy(update={"pool_size": pool_size}))
        trace = Trace(timeout_ms=self.config.timeout_ms, strict=True)
        query = pipeline.enrich(unwrap(prompt.text), prompt.received_at, trace)
        return list(pipeline.rank(query, trace).candidates)

    def agent_end(
        self,
        session_id: str,
        answer: str,
        *,
        run: str = "",
        success: bool = True,
        error: str = "",
        duration_ms: float = 0.0,
        at: datetime | None = None,
    ) -> Mapping[str, Attribution]:
        """Say what the answer did with the chunks injected before it, by chunk id, and remember it.

        The injection is the one of this ``run``, without a name the session's last. A turn that nothing was injected
        into, or that is settled already, gives {}; a failed turn is settled too, and teaches nothing.
        """
        if not self.config.enable_feedback_loop:
            return {}
        kinds = settling.settle(
            self.store,
            self._indexes.lexical,
            text.encodable(session_id),
            answer,
            at=at or datetime.now(UTC),
            run_id=text.encodable(run),
            success=success,
            error=error,
            duration_ms=duration_ms,
        )
        if kinds:
            self.metrics.settle(kinds, self.store.chunks(kinds))
        return kinds

    def decided(self, injection_id: str) -> Injection:
        """Return a past decision, as it was, with the texts of the chunks that are still there.

        Raises:
            StoreError: if it is not kept, or none is (``keep_history``).
        """
        if self.history is None:
            raise StoreError("no history is kept; set keepHistory = true")
        self.history.flush()
        return with_texts(find(self.store, injection_id).injection, self.store)

    def unshow(self, injection_id: str) -> None:
        """Take back an injection that did not reach its prompt: the host had given up."""
        self.metrics.undelivered()
        self.store.record_unshown(injection_id, at=datetime.now(UTC))

    def _remember(self, prompt: Prompt, injection: Injection, deadline: Deadline) -> None:
        if self.config.enable_feedback_loop:
            self.metrics.object_to(settling.heed(self.store, prompt, deadline))
            settling.remember(self.store, prompt, injection, deadline, min_score=self.config.min_score)

    def _record(self, prompt: Prompt, injection: Injection) -> None:
        if self.config.record_prompts and self.store.folder:
            PromptLog(self.store.folder).record(prompt, injection, fingerprint=self.config.fingerprint)

    def _report(self, prompt: Prompt, injection: Injection, trace: Trace, elapsed_ms: float, *, as_of: bool) -> None:
        if self.history is not None and not self._closed and prompt.agent_id == self.agent:
            self.history.add(prompt, injection, ms=elapsed_ms, as_of=as_of, fingerprint=self.config.fingerprint)
        number = self.metrics.record(injection, elapsed_ms, prompt=prompt, began=trace.began.copy())
        summary = self.metrics.log_line() if number % EVERY == 0 else ""
        if self.config.log_injections:
            log.info("%s", decision_line(number, injection, elapsed_ms))
        if self.config.debug_logging:
            for candidate in injection.candidates:
                log.info("%s", candidate_line(number, candidate))
        if summary:
            log.info("%s", summary)

    def _hanging(self) -> Iterator[str]:
        if left := self._workers.left_behind:
            kinds = ", ".join(f"{number} of {kind}" for kind, number in left.items())
            yield f"work hangs in the system and was left behind ({kinds}); see to the disk or the endpoint, or restart"

    def status(self) -> Status:
        """Say what the store holds and what is wrong with it."""
        return status_of(
            self.store,
            self._embedder,
            agent=self.agent,
            workspaces=self.folders,
            shared=len(self._shared.paths()),
            null=self._indexes.null,
            troubles=[*self._troubles, *self._hanging()],
        )


def _store_of(agent: str, folder: Path) -> AgentStore:
    refuse_look_alike(folder)
    store = build.store(folder)
    try:
        claim(store, agent)
    except StoreError:
        store.close()
        raise
    return store


def _spans(config: Config, agent: str) -> Spans | None:
    if not config.open_telemetry:
        return None
    from hookclaw_py.observe.telemetry import recall_spans

    return recall_spans(agent=agent, content=config.open_telemetry_content)


def _cache(config: Config) -> FuzzyCache[Injection]:
    return FuzzyCache(size=config.cache_size, ttl_ms=config.cache_ttl_ms, threshold=config.fuzzy_cache_threshold)


def _embedder(config: Config) -> Embedder | None:
    return build.embedder(config) if config.enable_vector else None


def _failed(kind: Reason, detail: str = "") -> Injection:
    return Injection(secrets.token_hex(8), Outcome.FAILED, Why(kind, detail))
