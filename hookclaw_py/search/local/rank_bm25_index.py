"""The small lexical index: the ``rank_bm25`` package, in memory, rebuilt on the first search after a commit."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi

from hookclaw_py.errors import IndexClosedError
from hookclaw_py.model.types import Hit


class LuceneBM25(BM25Okapi):  # type: ignore[misc]
    """Okapi BM25 with Lucene's idf, ln(1 + (N - df + .5) / (df + .5)), which is never negative.

    The package replaces a negative idf by a quarter of the average, which weighs "the" above words of half the chunks.
    Source: Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.
    """

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {term: _idf(self.corpus_size, frequency) for term, frequency in nd.items()}


class _Terms(NamedTuple):
    terms: tuple[str, ...]
    context: tuple[str, ...]


class _Built(NamedTuple):
    ids: list[str]
    terms: LuceneBM25 | None  # None when no chunk has a term
    context: LuceneBM25 | None


class RankBM25Index:
    """A ``LexicalIndex`` (``search.ports``) in memory, k1 1.2, b .75: for small stores and to check others against.

    Any thread may call any method.
    """

    def __init__(self) -> None:
        self.generation = 0
        self._lock = threading.Lock()
        self._closed = False
        self._chunks: dict[str, _Terms] = {}
        self._changes: dict[str, _Terms | None] = {}
        self._built: _Built | None = None

    def alone(self, wait_seconds: float) -> AbstractContextManager[bool]:  # noqa: ARG002
        """Say that nobody else writes here."""
        return nullcontext(True)

    def add(self, chunk_id: str, terms: Sequence[str], context: Sequence[str]) -> None:
        """Add a chunk, replacing one of the same id; seen after ``commit``."""
        with self._lock:
            self._require_open()
            self._changes[chunk_id] = _Terms(tuple(terms), tuple(context))

    def delete(self, chunk_id: str) -> None:
        """Delete a chunk if it is there; seen after ``commit``."""
        with self._lock:
            self._require_open()
            self._changes[chunk_id] = None

    def clear(self) -> None:
        """Delete every chunk; seen after ``commit``."""
        with self._lock:
            self._require_open()
            self._changes = dict.fromkeys([*self._chunks, *self._changes])

    def refresh(self) -> None:
        """Do nothing: no other process has it."""

    def commit(self, generation: int) -> None:
        """Make the changes visible and note the store's ``generation``."""
        with self._lock:
            self._require_open()
            for chunk_id, entry in self._changes.items():
                if entry is None:
                    self._chunks.pop(chunk_id, None)
                else:
                    self._chunks[chunk_id] = entry
            if self._changes:
                self._built = None
            self._changes = {}
            self.generation = generation

    def search(self, terms: Sequence[str], top_k: int, *, context_boost: float) -> list[Hit]:
        """Return at most ``top_k`` hits by BM25, best first, ties by id. A repeated term counts as often as it occurs."""
        ids, own, context = self._ready()
        if top_k < 1:
            return []
        scores = _scores(own, terms, len(ids)) + context_boost * _scores(context, terms, len(ids))
        hits = [Hit(ids[i], float(scores[i])) for i in np.flatnonzero(scores > 0)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:top_k]

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return each term's ln(1 + (N - df + .5) / (df + .5)); an unknown term has df 0."""
        ids, bm25, _ = self._ready()
        known = bm25.idf if bm25 else {}
        unknown = _idf(len(ids), 0)
        return {term: known.get(term, unknown) for term in terms}

    def beginning(self, letters: str) -> Sequence[tuple[str, int]]:
        """Return the terms that begin with ``letters``, and in how many chunks each stands, most first."""
        with self._lock:
            self._require_open()
            own = [set(entry.terms) for entry in self._chunks.values()]
        counts = Counter(term for terms in own for term in terms if term.startswith(letters))
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def close(self) -> None:
        """Forget everything; closing twice is fine."""
        with self._lock:
            self._closed = True
            self._chunks, self._changes, self._built = {}, {}, None

    def _ready(self) -> _Built:
        with self._lock:
            self._require_open()
            if self._built is None:
                entries = self._chunks.values()
                fields = [entry.terms for entry in entries], [entry.context for entry in entries]
                self._built = _Built(list(self._chunks), *map(_bm25, fields))
            return self._built

    def _require_open(self) -> None:
        if self._closed:
            raise IndexClosedError("the lexical index in memory is closed; open a new one")


def _bm25(corpus: Sequence[Sequence[str]]) -> LuceneBM25 | None:
    return LuceneBM25(corpus, k1=1.2, b=0.75) if any(corpus) else None


def _scores(bm25: LuceneBM25 | None, terms: Sequence[str], size: int) -> npt.NDArray[np.float64]:
    known = [term for term in terms if term in bm25.idf] if bm25 else []
    scores: npt.NDArray[np.float64] = bm25.get_scores(known) if bm25 and known else np.zeros(size)
    return scores


def _idf(documents: int, containing: int) -> float:
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))
