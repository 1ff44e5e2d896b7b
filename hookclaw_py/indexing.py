"""Indexing: an agent's folders and other sources into its store, now, when a note changes, and when something failed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from hookclaw_py.build import Parts
from hookclaw_py.errors import IndexingError, RetrievalError
from hookclaw_py.ingest.folders import Folder, folders_of
from hookclaw_py.ingest.workspace import Layout, layout_of
from hookclaw_py.model.kind import NOTE, SESSION
from hookclaw_py.store import freshness
from hookclaw_py.store.agents import agent_in_host

if TYPE_CHECKING:
    from hookclaw_py.ingest.gateway_files import AgentFiles
    from hookclaw_py.ingest.indexer import IndexReport, Progress
    from hookclaw_py.ingest.watcher import Watched
    from hookclaw_py.search.derived import Sampled

PATIENCE = 10.0  # seconds to wait for another process that is writing the keyword index
WATCHER_PATIENCE = 600.0  # seconds that a watcher waits for another process that is indexing
_NONE = -1  # no store's generation
_SHARED = 20  # their keywords are in memory alone, and are indexed anew
NOTHING_INDEXED = "no folder of notes has been indexed yet; run `hookclaw index FOLDER`"


@dataclass(frozen=True)
class Pauses:
    """Seconds between two looks of a watcher at the store, and at the gateway's own files.

    An embedder that failed is asked again after ``retry``, doubled each time up to ``most_retry``.
    """

    look: float = 2.0
    poll: float = 10.0
    retry: float = 15.0
    most_retry: float = 600.0


class AsLeft(NamedTuple):
    """What an engine that was closed knew of its store and of other sources, for one that goes on from there."""

    generation: int
    own: Sampled
    shared: Sampled
    others: str


class Indexing:
    """Reads notes and other sources into the store, and keeps what is derived from it up with it."""

    def __init__(self, parts: Parts) -> None:
        self.pauses = Pauses()
        self._parts, self._config, self._store = parts, parts.config, parts.store
        self._roots: tuple[str, ...] = ()
        self._polled, self._others = 0.0, ""
        self._looked, self._retry_at, self._retry_pause = 0.0, 0.0, 0.0
        self._indexed_of: tuple[int, int] = (0, 0)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders whose notes this store holds, or is to hold once there are any."""
        return tuple(str(folder.root) for folder in folders_of(self._store)) or self._roots

    def index(
        self,
        *folders: str | Path,
        move: bool = False,
        drop: Sequence[str | Path] = (),
        prune: bool = False,
        progress: Progress | None = None,
        wait_seconds: float = 0.0,
        should_stop: Callable[[], bool] | None = None,
        threads: int = 1,
    ) -> IndexReport:
        """Read everything and embed what is new; see ``Engine.index``. A store without folders has only what was learned from sessions.

        ``threads`` of them embed: more than one is quicker, for a process of which nobody awaits recalls meanwhile.
        """
        from hookclaw_py.ingest.indexer import IndexReport, index_workspace

        roots = self._roots_for(folders)
        if not (roots or self.folders):
            return IndexReport(warnings=tuple(self.bring_up(progress, should_stop, threads)))
        report = index_workspace(
            self._store,
            *map(Path, roots),
            layout=Layout.WORKSPACE if self._parts.hosted else None,
            globs=self._config.globs,
            exclude=self._config.exclude,
            evergreen=self._config.evergreen,
            move=move,
            drop=[Path(folder) for folder in drop],
            prune=prune,
            progress=progress,
            wait_seconds=wait_seconds,
            untold=self._untold,
        )
        self._roots = self.folders
        report += self._index_sources(progress, wait_seconds)
        problems = self.bring_up(progress, should_stop, threads)
        freshness.note_indexing(self._store, at=datetime.now(UTC), model_id=self._model_id)
        return replace(report, warnings=(*report.warnings, *problems))

    def _untold(self, chunks: Collection[str]) -> None:
        """Delete the recorded prompts that called up what is gone or private now."""
        if self._parts.recordings is not None:
            self._parts.recordings.forget_chunks(chunks)

    def _roots_for(self, folders: Sequence[str | Path]) -> tuple[str, ...]:
        """Return the folders that are named; without any those that the store is to hold, where it knows of none."""
        if "" in folders:  # as a path it is where the process happens to stand
            raise IndexingError("a folder is named by nothing; give the folder that holds your notes")
        roots = tuple(str(Path(folder).expanduser()) for folder in folders)
        if not (roots or self.folders or self._store.count()):
            raise IndexingError(NOTHING_INDEXED)
        if not folders_of(self._store):
            roots = roots or self._roots  # the store was deleted under us, or had nothing to keep yet
        self._roots = roots or self.folders
        return roots

    def _index_sources(self, progress: Progress | None, wait_seconds: float) -> IndexReport:
        from hookclaw_py.ingest.sources import SourceRequest, index_sources

        cfg = self._config
        request = SourceRequest(
            self._store,
            state=self._openclaw_state(),
            agent=agent_in_host(self._parts.agent),
            zone=self._parts.pipeline.zone,
            envelope=self._parts.envelope,
            evergreen=cfg.evergreen,
            embedding_model=cfg.embedder.model if cfg.embedder.backend == "openai" else "",
        )
        return index_sources(
            request, cfg.sources, model_id=self._model_id, progress=progress, wait_seconds=wait_seconds
        )

    def bring_up(
        self, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None, threads: int = 1
    ) -> list[str]:
        """Embed what is new, and search in it from now on; return what of that failed, as one warning."""
        problems = []
        for step in (self._catch_up, partial(self._embed, progress, should_stop, threads), self._catch_up):
            try:
                step()
            except RetrievalError as error:
                problems.append(str(error))
        self._note_retry(failed=bool(problems))
        told = "; ".join(dict.fromkeys(problems))
        return [f"the notes are stored, but not everything can be searched yet: {told}"] if problems else []

    def _catch_up(self) -> None:
        self.catch_up(wait_seconds=PATIENCE)

    def _embed(self, progress: Progress | None, should_stop: Callable[[], bool] | None, threads: int) -> None:
        if (embedder := self._parts.embedder) is None:
            return
        if self._config.embedder.backend != "onnx":
            threads = 1  # a server has its own, and so has torch
        from hookclaw_py.ingest.embedding import embed_pending

        embed_pending(self._store, embedder, threads=threads, progress=progress, should_stop=should_stop)

    @property
    def _model_id(self) -> str:
        return self._parts.embedder.model_id if self._parts.embedder is not None else ""

    def catch_up(self, *, wait_seconds: float = 0.0) -> None:
        """Bring the derived indexes up to the store's generation; see ``Indexes.catch_up``."""
        self._parts.indexes.catch_up(wait_seconds=wait_seconds)
        if self._parts.views.shared_notes.paths():
            self._parts.views.shared.indexes.catch_up()

    def remember(self, text: str, *, at: datetime | None, by: str) -> Path:
        """Write ``text`` into a note and index it; see ``Engine.remember``."""
        from hookclaw_py.ingest.remembering import write_down

        folders = self._known_folders()
        if not folders:
            raise IndexingError(NOTHING_INDEXED)
        moment = (at or datetime.now(UTC)).astimezone(self._parts.pipeline.zone)
        with self._store.alone(PATIENCE):
            file = write_down(folders[0], text, day=moment.date(), agent=self._parts.agent, by=by)
        self.index(wait_seconds=PATIENCE)
        if file.relative_to(folders[0].root).as_posix() not in self._store.files():
            raise IndexingError(f"it is written to {file}, which is not indexed; see `exclude` and its front matter")
        return file

    def _known_folders(self) -> Sequence[Folder]:
        return folders_of(self._store) or [Folder(Path(root), self._layout(Path(root))) for root in self._roots]

    def _layout(self, root: Path) -> Layout:
        return Layout.WORKSPACE if self._parts.hosted else layout_of(root)

    def watch(self, on_report: Callable[[IndexReport], None], *, stop: threading.Event) -> None:
        """Index now, whenever a note changes and when ``is_due``; see ``Engine.watch``."""
        from hookclaw_py.ingest.watcher import watch

        if not self.folders:
            raise IndexingError(NOTHING_INDEXED)
        watch(
            self._known_folders(),
            lambda _: on_report(self.index(wait_seconds=WATCHER_PATIENCE, should_stop=stop.is_set)),
            stop_event=stop,
            globs=self._config.globs,
            exclude=self._config.exclude,
            is_due=self.is_due,
        )

    def watched(self) -> Watched:
        """Return the folders of notes as they are there now, for one who watches those of many agents."""
        from hookclaw_py.ingest.watcher import Watched

        return Watched(self._known_folders(), globs=self._config.globs, exclude=self._config.exclude)

    @property
    def settled(self) -> bool:
        """Say whether everything is read, and nothing that failed is to be tried again."""
        return not self._retry_pause

    @property
    def polls(self) -> bool:
        """Say whether there are sources that tell nobody when they change, and have to be looked at."""
        return bool(set(self._config.sources) - {NOTE.name})

    @property
    def size(self) -> int:
        """How many passages have to be read before anything is searched; those that are shared are ``_SHARED`` times as dear."""
        return self._parts.indexes.size + _SHARED * self._parts.views.shared.indexes.size

    def known(self) -> AsLeft:
        """Return what another engine can go on from.

        Raises:
            StoreError: if the store cannot be read.
        """
        shared, generation = self._parts.views.shared.indexes.sampled, self._store.generation()
        if self._read_into() != self._indexed_of:  # the notes are to be read again, whatever becomes of it until then
            generation = _NONE
        return AsLeft(generation, self._parts.indexes.sampled, shared, self._others)

    def go_on(self, known: AsLeft) -> bool:
        """Go on from there, before the first ``catch_up``; False if the store has changed since.

        Raises:
            StoreError: if it cannot be read.
        """
        self._parts.indexes.go_on(known.own)
        self._parts.views.shared.indexes.go_on(known.shared)
        self._others = known.others
        return self._store.generation() == known.generation

    def _note_retry(self, *, failed: bool) -> None:
        """Remember what the notes were read into, and when to try again what failed."""
        self._indexed_of = self._read_into()
        pause = min(self.pauses.most_retry, self._retry_pause * 2 or self.pauses.retry)
        self._retry_pause = pause if failed else 0.0
        self._retry_at = monotonic() + self._retry_pause

    def _read_into(self) -> tuple[int, int]:
        return self._store.replaced, self._parts.indexes.damaged_vectors

    def is_due(self) -> bool:
        """Say whether to index although no note has changed: the store was replaced, or what failed may work by now.

        Cheap: it looks at most every two seconds.
        """
        if (now := monotonic()) - self._looked < self.pauses.look:
            return False
        self._looked = now
        self._store.generation()
        changed = self._indexed_of != self._read_into()
        if self.polls and now - self._polled >= self.pauses.poll:
            self._polled, before = now, self._others
            captured = self._store.happened() if SESSION.name in self._config.sources else {}
            from hookclaw_py.ingest.sources import look_of

            look = look_of(self._openclaw_state(), agent_in_host(self._parts.agent))
            self._others = f"{look} {sum(captured.values())}"
            changed = changed or self._others != before
        return changed or bool(self._retry_pause and now >= self._retry_at)

    @property
    def openclaw_files(self) -> AgentFiles:
        """Where the gateway whose agent this is keeps its files.

        Raises:
            IndexingError: if there is no such gateway's folder.
        """
        from hookclaw_py.ingest.gateway_files import agent_files, state_folder

        return agent_files(state_folder(self._openclaw_state()), agent_in_host(self._parts.agent))

    def _openclaw_state(self) -> str:
        """Return the state folder of the gateway whose agent this is: as configured, for another profile's as its plugin said."""
        given = self._config.openclaw_state
        if agent_in_host(self._parts.agent) == self._parts.agent:
            return given
        known: str = self._store.get_meta("openclaw_state", "")
        if given and given != known:
            self._store.set_meta("openclaw_state", given)
        return given or known
