"""The engine: one agent's memory behind a few verbs, the same for the command line, Python, gateway and evaluation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hookclaw_py import build, text
from hookclaw_py.answering import Answering, Manner
from hookclaw_py.build import STAGES
from hookclaw_py.calibration.weights import Calibration
from hookclaw_py.capturing import Backfilled, Capturing
from hookclaw_py.config import Config, home
from hookclaw_py.consulting import Consulting
from hookclaw_py.errors import RetrievalError, StoreError
from hookclaw_py.indexing import Indexing
from hookclaw_py.learning import settling
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Candidate, Injection, Prompt
from hookclaw_py.observe.recording import PromptLog
from hookclaw_py.observe.status import Status, silences, status_of
from hookclaw_py.pipeline import Pipeline, Stages
from hookclaw_py.search import loading
from hookclaw_py.search.ports import Embedder, LexicalIndex, VectorIndex
from hookclaw_py.store.agents import agent_folder, home_of
from hookclaw_py.store.decisions import find, with_texts
from hookclaw_py.store.placing import unfinished
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.switches import Switches
from hookclaw_py.trace import Trace

if TYPE_CHECKING:
    from hookclaw_py.ingest.indexer import IndexReport, Progress
    from hookclaw_py.learning.attribution import Attribution
    from hookclaw_py.stages.briefing import Briefing

_CLOSING = 2.0  # seconds that ``close`` gives to recalls under way


class Engine:
    """One agent's memory: ``index`` a workspace, ``recall`` a prompt, ``agent_end`` a turn. Safe to use from threads.

    Every verb but ``recall`` raises ``StoreError`` when the store cannot be used, or is closed. A forked process opens its own engine.
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
        vectors: Callable[[int], VectorIndex] = build.vector_index,
        beside: Path | None = None,
        home: Path | None = None,
        calibration: Calibration | None = None,
        recordings: PromptLog | None = None,
        troubles: Sequence[str] = (),
    ) -> None:
        """Search and answer with these parts. ``vectors`` makes an empty vector index of a dimension; it is kept in the folder ``beside``.

        ``calibration`` says what evidence counts; by default the name of the model says so. ``recordings`` are for prompts, where that is wanted.
        What is switched off in ``home`` is so for this agent as well.
        """
        parts = build.compose(
            store,
            lexical,
            embedder,
            config=config,
            agent=agent,
            strict=strict,
            hosted=hosted,
            stages=stages,
            vectors=vectors,
            beside=beside,
            switches=Switches(agent, store, home),
            calibration=calibration,
            recordings=recordings,
        )
        self.config, self.agent, self.store, self.switches = config, agent, store, parts.switches
        self.metrics, self.history, self._troubles = parts.metrics, parts.history, tuple(troubles)
        self._parts, self.indexing = parts, (indexing := Indexing(parts))
        self._answering = Answering(parts, lambda: indexing.folders)  # not ours: it is let go of at once when closed
        self.capturing = Capturing(parts, bring_up=self.indexing.bring_up)
        self.consulting = Consulting(parts, self._answering, bring_up=self.indexing.bring_up)

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

        ``strict`` lets every failing stage raise instead of costing memories: for evaluation and tests. ``hosted`` says that a host names the
        folder to index: a workspace or a project, of which only MEMORY.md and memory/ are notes. ``stages`` are those of every recall.

        Raises:
            ConfigError: if the configuration file cannot be used.
            StoreError: if ``agent`` is not an agent id, the store is another agent's, or the database cannot be opened.
        """
        config = config or Config.load()
        folder = folder or agent_folder(home(), agent)
        store = build.store_of(agent, folder, config.store)
        lexical, trouble = build.lexical_beside(config, folder)
        return cls(
            store,
            lexical,
            loading.embedder_of(config),
            config=config,
            agent=agent,
            strict=strict,
            hosted=hosted,
            stages=stages,
            beside=folder,
            home=home_of(folder),
            recordings=PromptLog(folder),
            troubles=[*filter(None, (trouble, unfinished(folder)))],
        )

    @classmethod
    def in_memory(
        cls,
        config: Config | None = None,
        *,
        embedder: Embedder | None = None,
        strict: bool = True,
        stages: Stages = STAGES,
        store: AgentStore | None = None,
        home: Path | None = None,
    ) -> Engine:
        """Open an engine whose store lives in memory, or is the one given, as the embedder: for evaluation and tests."""
        config = config or Config()
        lexical = build.lexical_index(config, None) if config.enable_bm25 else None
        embedder, store = embedder or loading.embedder_of(config), store or build.store(None)
        return cls(store, lexical, embedder, config=config, strict=strict, stages=stages, home=home)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the files; a closed engine answers nothing. The embedder is shared by all engines and stays."""
        self._answering.closed = True
        self._parts.indexes.close()
        self._parts.views.close()
        if self._parts.lane is not None:
            self._parts.lane.close()
        self._parts.workers.close(_CLOSING)
        if self.history is not None:
            self.history.close()
        try:
            self.metrics.close()
        finally:
            self.store.close()

    @property
    def pipeline(self) -> Pipeline:
        """How the owner's prompts are answered; a study may hand over another."""
        return self._answering.pipeline

    @pipeline.setter
    def pipeline(self, pipeline: Pipeline) -> None:
        self._answering.pipeline = pipeline

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
        indexed = partial(self.indexing.index, *folders, move=move, drop=drop, prune=prune)
        return indexed(progress=progress, wait_seconds=wait_seconds, should_stop=should_stop)

    def backfill(self) -> Backfilled:
        """Capture what OpenClaw's recorded sessions tell and was not captured when it happened; it waits to be worked off.

        Raises:
            IndexingError: if they cannot be read.
            StoreError: if the database cannot be written.
        """
        from hookclaw_py.ingest.transcripts import sessions

        return self.capturing.backfill(sessions(self.indexing.openclaw_files), host="openclaw")

    def remember(self, text: str, *, at: datetime | None = None, by: str = "") -> Path:
        """Write ``text`` into a note of the first folder, dated, and index it; return the file.

        In an agent's workspace that is the day's file in memory/, in a person's folder ``Remembered.md``. ``by`` says who noted it, if not its owner.

        Raises:
            IndexingError: if no folder is known, there is nothing to write, or it cannot be written or found afterwards.
        """
        return self.indexing.remember(text, at=at, by=by)

    def catch_up(self, *, wait_seconds: float = 0.0) -> None:
        """Bring the derived indexes up to the store's generation; see ``DerivedIndexes.catch_up``."""
        self.indexing.catch_up(wait_seconds=wait_seconds)

    def watch(self, on_report: Callable[[IndexReport], None], *, stop: threading.Event) -> None:
        """Index now, whenever a note changes and when it is due all the same, until ``stop`` is set; ``on_report`` hears of each time.

        Raises:
            IndexingError: if nothing has been indexed yet, or the folder cannot be watched.
        """
        self.indexing.watch(on_report, stop=stop)

    @property
    def workspace(self) -> str | None:
        """The first of ``folders``, which a host knows as the agent's workspace; None before the first ``index``."""
        return next(iter(self.folders), None)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders whose notes this store holds, or is to hold once there are any."""
        return self.indexing.folders

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
        kinds: Collection[str] = (),
    ) -> Injection:
        """Find the few memories that answer ``prompt``, or say why not. Never raises unless the engine is strict.

        A text is the owner's own question; a ``Prompt`` says who hears the answer, and only the owner hears of notes that
        are not shared. ``at`` is the moment of asking (default: now; naive means the user's zone). With ``as_of`` notes dated after
        that day are invisible (not those about days that are still to come). ``timeout_ms`` shortens the configured deadline, 0 is no time at all. Without ``record`` the recall is only a
        look: it is not counted, logged, or remembered as shown. ``kinds`` are those to answer from, by name (``model.kind.KINDS``): without
        any, all that is written or said, but nothing that was distilled of it.

        The answer is made on another thread, and this one waits until the deadline: what hangs then is left behind.
        """
        manner = Manner(as_of, kinds)
        return self._answering.recall(prompt, manner, at=at, session=session, timeout_ms=timeout_ms, record=record)

    def brief(self, session: str = "", *, audience: Audience = Audience.OWNER, at: datetime | None = None) -> Briefing:
        """Say what a session is told when it begins: what is unfinished, pinned or confirmed, in a block, or "".

        What belongs to the ``session`` itself, if it goes on, comes first. Who is not the owner hears of no session of the
        owner's. ``at``: as if it began then; what was said later stays out, and what has ended since is not told again.

        Raises:
            StoreError: if the store cannot be read.
        """
        from hookclaw_py import session_start

        return session_start.briefing(self._parts, session, audience=audience, at=at)

    def warm_up(self, kinds: Collection[str] = ()) -> None:
        """Load what the first recall (of these ``kinds``) would have to load, for a caller who waits for one answer: outside of its deadline."""
        with suppress(RetrievalError):  # the recall itself tells of it
            self.catch_up()
            self._answering.view_of(kinds).indexes.catch_up()
        self.recall("What do the notes say?", record=False, kinds=kinds)

    def search(self, words: str, *, limit: int = 20, kinds: Collection[str] = ()) -> list[Candidate]:
        """Return what lies nearest to ``words``, best first, whether it answers them or not; of these ``kinds``, as ``recall`` takes them.

        Raises:
            RetrievalError: if a part of the search fails, or one of ``kinds`` is none.
        """
        prompt = Prompt(words, datetime.now(UTC), agent_id=self.agent, audience=Audience.OWNER)
        return self.rank(prompt, pool_size=limit, kinds=kinds)[:limit]

    def rank(self, prompt: Prompt, *, pool_size: int, kinds: Collection[str] = ()) -> list[Candidate]:
        """Return the best ``pool_size`` candidates, best first, as they stand before it is decided whether to speak."""
        view = self._answering.view_of(kinds)
        if kinds:
            view.indexes.catch_up()
        pipeline = replace(view.pipeline, config=self.config.model_copy(update={"pool_size": pool_size}))
        trace = Trace(timeout_ms=self.config.timeout_ms, strict=True)
        query = pipeline.enrich(pipeline.stages.envelope(prompt.text), prompt.received_at, trace)
        return list(pipeline.rank(query, trace).candidates)

    # Learning

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
            self._parts.indexes.lexical,
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

    # Health

    @property
    def circuit(self) -> str:
        """The state of the breaker before the vector half: "closed" (asked), "open" (left out) or "half-open" (tried)."""
        return self._parts.circuit.state

    def status(self) -> Status:
        """Say what the store holds and what is wrong with it."""
        return status_of(
            self.store,
            self._parts.embedder,
            agent=self.agent,
            workspaces=self.folders,
            shared=len(self._parts.views.shared_notes.paths()),
            null=self._parts.indexes.null,
            troubles=[*self._troubles, *self._hanging()],
            remarks=[
                self.pipeline.calibration.remark,
                *silences(self.switches, self.config, now=datetime.now(UTC)),
                *self.capturing.remarks(datetime.now(UTC)),
            ],
        )

    @property
    def left_behind(self) -> Mapping[str, int]:
        """How many pieces of work of each kind hang in the system now."""
        return self._parts.workers.left_behind

    def _hanging(self) -> Iterator[str]:
        if left := self.left_behind:
            kinds = ", ".join(f"{number} of {kind}" for kind, number in left.items())
            yield f"work hangs in the system and was left behind ({kinds}); see to the disk or the endpoint, or restart"
