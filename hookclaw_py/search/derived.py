"""The derived indexes of one store: keywords, vectors and the null sample, brought up to its generation as it grows."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import NamedTuple

from hookclaw_py import heaps
from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.errors import DeadlineExceeded, IndexClosedError, RetrievalError, StoreError, WriterBusyError
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.embedders import Unavailable
from hookclaw_py.search.ports import UNIT, Embedder, KeptIndex, LexicalIndex, VectorIndex, VectorsBeside
from hookclaw_py.store.recalled import Derivable
from hookclaw_py.store.values import Vectors
from hookclaw_py.trace import Deadline
from hookclaw_py.workers import Worker

log = logging.getLogger("hookclaw")

_PIECE = 8192  # vectors that are handed over together: those of a million would be 1.5 GB
_CLOSING = 10.0  # seconds that ``close`` gives to reading what is new
NEWS = 0.1  # share of new and deleted vectors from which the null sample is taken anew
_A_SAMPLE = 625  # new vectors that a new null sample counts as: below 20,000 all are kept anew with it, of more the file takes longer to write than that to take
_UNKEPT = 32  # of so many vectors one new or deleted, and they are kept anew


class Sampled(NamedTuple):
    """The null sample of a store at a ``generation``, and how many vectors came or went since it was taken."""

    generation: int
    null: NullSample | None
    centre: Vector | None
    unsampled: int


class DerivedIndexes:
    """What is searched. ``generation`` and ``size`` (chunks) are the store's, as far as these indexes know.

    ``lacking`` says why there is no vector half although there should be one. ``null_sample`` takes the null sample of the vectors, as
    ``search.null_sampling`` does. Safe to use from threads.
    """

    def __init__(
        self,
        store: Derivable,
        lexical: LexicalIndex | None,
        embedder: Embedder | None,
        *,
        vectors: Callable[[int], VectorIndex],
        null_sample: Callable[..., tuple[NullSample | None, Vector]],
        beside: VectorsBeside | None = None,
        on_failure: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._empty_vectors, self._null_sample, self._beside = vectors, null_sample, beside
        self.lexical = lexical
        self.vectors: VectorIndex | None = None
        self.null: NullSample | None = None
        self.centre: Vector | None = None
        self.lacking = embedder.problem if isinstance(embedder, Unavailable) else ""
        self.generation = 0
        self.size = 0
        self._store, self._embedder = store, embedder
        self._background, self._on_failure = Worker("catch-up"), on_failure
        self._catching: Future[None] | None = None
        self._starting = threading.Lock()
        self._catching_up = threading.Lock()
        self._caught_up = -1
        self._vector_generation = 0
        self.damaged_vectors = 0
        """How many vectors were found damaged, and deleted, so that their texts are embedded again."""
        self._replaced = 0
        self._read_much = False  # since memory was given back
        self._unsampled = 0  # vectors that came or went since the null sample was taken …
        self._unkept = 0  # … and since they were kept for the next start
        self._earlier: Sampled | None = None

    def close(self) -> None:
        """Release the files. The embedder is shared by all engines and stays."""
        if not self._background.close(_CLOSING, drop=True):
            log.warning("hookclaw: reading what is new hangs; it is left behind")
            return  # what it uses stays open
        for part in (self.lexical, self.vectors):
            if part is not None:
                part.close()

    @property
    def sampled(self) -> Sampled:
        """What indexes that are made anew can go on from: to take the sample is most of the work."""
        return Sampled(self._vector_generation, self.null, self.centre, self._unsampled)

    def go_on(self, earlier: Sampled) -> None:
        """Take over an ``earlier`` sample of this store, before the first ``catch_up``, if nothing has changed since."""
        self._earlier = earlier

    def catch_up(self, *, wait_seconds: float = 0.0) -> None:
        """Bring the derived indexes up to the store's generation.

        While another process writes the keyword index (for at most ``wait_seconds`` from here) its commit is used.

        Raises:
            RetrievalError: if one half could not be brought up to date; the other one was all the same.
        """
        with self._catching_up:
            generation = self._store.generation()
            if self._store.replaced != self._replaced:
                self._start_over()
            if generation == self._caught_up:
                return
            current, problems = True, list[str]()
            halves: tuple[Callable[[], bool], ...] = (
                partial(self._catch_up_keywords, wait_seconds),
                self._catch_up_vectors,
            )
            for half in halves:
                try:
                    current = half() and current
                except RetrievalError as error:
                    problems.append(str(error))
            self.size = self._store.count()
            self.generation = generation
            if self._read_much:
                heaps.give_back()
                self._read_much = False
            if problems:
                raise RetrievalError("; ".join(problems))
            if current:
                self._caught_up = generation

    def _start_over(self) -> None:
        """Forget what is known of a store that was replaced by another one."""
        self._replaced = self._store.replaced
        self._caught_up, self._vector_generation = -1, -1
        self.vectors = self.null = self.centre = None

    def _catch_up_keywords(self, wait_seconds: float) -> bool:
        lexical = self.lexical
        if lexical is None:
            return True
        try:
            return self._written(lexical, wait_seconds)
        except (WriterBusyError, IndexClosedError):
            raise
        except RetrievalError as error:
            lexical.refresh()
            if lexical.generation:  # not found damaged
                raise
            log.warning("hookclaw: %s; made anew", error)
            return self._written(lexical, wait_seconds)

    def _written(self, lexical: LexicalIndex, wait_seconds: float) -> bool:
        if self._store.generation() == lexical.generation:
            return True
        with lexical.alone(wait_seconds) as mine:
            changes = self._store.changes_since(lexical.generation)
            self._read_much = self._read_much or len(changes.added) > _PIECE
            if changes.generation == lexical.generation and not changes.complete:
                return True
            if not mine:
                return False
            if changes.complete:
                lexical.clear()
            for chunk_id in changes.deleted:
                lexical.delete(chunk_id)
            for chunk_id, terms, context in changes.added:
                lexical.add(chunk_id, terms, context)
            lexical.commit(changes.generation)
        return True

    def _catch_up_vectors(self) -> bool:
        embedder = self._embedder
        if embedder is None or self.lacking:
            self._drop_what_is_past()
            return True
        vectors, since = self.vectors, self._vector_generation
        if vectors is None and self._beside is not None and (kept := self._beside.read(embedder.model_id)):
            vectors, since = kept.vectors, kept.generation
            if kept.null is not None:
                self._earlier = self._earlier or Sampled(kept.generation, kept.null, kept.centre, 0)
        news = self._store.vectors_since(embedder.model_id, since)
        if news.complete:
            self._begin_anew()
            vectors = None
        if vectors is not None:
            vectors.delete(news.deleted)
        for ids, matrix in self._sound(news, embedder.model_id):
            if vectors is None:
                vectors = self._empty_vectors(news.rows.shape[1])
            vectors.add(ids, matrix)
        self._read_much = self._read_much or len(news.ids) > _PIECE
        self.vectors, self._vector_generation = vectors, news.generation
        self._unsampled += len(news.ids) + len(news.deleted)
        self._unkept += len(news.ids) + len(news.deleted)
        earlier, self._earlier = self._earlier, None
        if earlier is not None and earlier.generation == news.generation:
            self.null, self.centre, self._unsampled = earlier.null, earlier.centre, earlier.unsampled
        if vectors is not None and (self.null is None or self._unsampled > len(vectors) * NEWS):
            self.null, self.centre = self._null_sample(embedder, vectors, self._store.chunks, keep=self._store.lasting)
            self._unsampled, self._unkept = 0, max(self._unkept, _A_SAMPLE)
        self._keep(embedder.model_id)
        return True

    def _keep(self, model_id: str) -> None:
        """Keep the vectors for the next start, where many of them are new or the null sample is."""
        vectors, generation = self.vectors, self._vector_generation
        if self._beside is None or vectors is None:
            return
        if self._unkept * _UNKEPT <= len(vectors):
            return
        kept = KeptIndex(vectors, generation)
        if not self._unsampled:
            kept = kept._replace(null=self.null, centre=self.centre)
        if self._beside.write(model_id, kept, current=lambda: self._store.generation() == generation):
            self._unkept = 0

    def _drop_what_is_past(self) -> None:
        """Let no vectors be kept of what may be forgotten by now, where none are searched either."""
        generation = self._beside.generation() if self._beside is not None else None
        if self._beside is not None and generation is not None and self._store.vectors_since("", generation).complete:
            self._beside.drop()

    def _begin_anew(self) -> None:
        """Let no vectors be kept but those that will be read now; where they stay, they are not read."""
        self._unkept = 0
        try:
            if self._beside is not None:
                self._beside.drop()
        except RetrievalError as error:
            log.warning("hookclaw: %s", error)

    def _sound(self, news: Vectors, model_id: str) -> Iterator[tuple[Sequence[str], Matrix]]:
        """Yield ids and vectors, a piece at a time, without those that are not of length 1.

        These are deleted at the end: a text without a vector is embedded again.
        """
        import numpy as np

        damaged = list[str]()
        for start in range(0, len(news.ids), _PIECE):
            ids, matrix = news.ids[start : start + _PIECE], news.rows[start : start + _PIECE]
            sound = np.abs(np.einsum("ij,ij->i", matrix, matrix) - 1) < UNIT
            if not sound.all():
                damaged += [chunk_id for chunk_id, good in zip(ids, sound.tolist(), strict=True) if not good]
                ids = [chunk_id for chunk_id, good in zip(ids, sound.tolist(), strict=True) if good]
                matrix = matrix[sound]
            if ids:
                yield ids, matrix
        if damaged:
            self._drop(damaged, model_id)

    def _drop(self, damaged: Sequence[str], model_id: str) -> None:
        self.damaged_vectors += len(damaged)
        log.warning("hookclaw: %d vectors are damaged; `hookclaw index` makes them anew", len(damaged))
        try:
            self._store.drop_vectors(model_id, damaged)
        except StoreError as error:  # they are left out all the same
            log.warning("hookclaw: %s", error)

    def catch_up_in_time(self, deadline: Deadline) -> None:
        """Catch up beside the recall: what takes longer than half of its time goes on without it."""
        if self._store.generation() == self._caught_up:
            return
        with self._starting:
            if self._catching is None or self._catching.done():
                self._catching = self._background.submit(self.catch_up)
            catching = self._catching
        try:
            catching.result(timeout=deadline.remaining() / 2)
        except FutureTimeout:
            catching.add_done_callback(self._tell_late)
            raise DeadlineExceeded("still reading what is new; until then some of it is not found") from None

    def _tell_late(self, catching: Future[None]) -> None:
        """Tell what went wrong after the recall that waited for it had left."""
        error = None if catching.cancelled() else catching.exception()
        if error is not None:
            log.warning("hookclaw: reading what is new failed: %s", error)
            self._on_failure("catch up")
