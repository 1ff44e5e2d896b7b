"""The default lexical index: BM25 by tantivy, in a folder that several processes may read and one at a time writes."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

import tantivy
from filelock import FileLock, Timeout

from hookclaw_py.errors import IndexClosedError, RetrievalError
from hookclaw_py.model.types import Hit
from hookclaw_py.privacy import files as private
from hookclaw_py.regex import regex
from hookclaw_py.search.local.tantivy_folder import Failing, TantivyFolder, configured
from hookclaw_py.text import TOKENIZER_VERSION

_HEAP_BYTES = 30_000_000
_BUSY_STEP_S = 0.02
_LONGEST_TERM = 1000  # characters; tantivy silently drops terms over 65,530 bytes
_MOST_TIES = 10_000
_SPACE = regex(r"[ \t\n\f\r]|^$")
_CHUNK_ID = regex(r"[0-9a-f]{16}")
_IDS = 1 << 64


class _Snapshot(NamedTuple):
    """What is searched until the next reload, and how many living chunks hold each term that was asked for."""

    searcher: tantivy.Searcher
    document_frequency: dict[str, int]


class TantivyIndex:
    """A ``LexicalIndex`` (``search.ports``) kept in the folder ``path``, or in memory when ``path`` is None.

    BM25 as in Lucene (k1 1.2, b .75); tantivy keeps a field's length in one byte, exact up to 40 terms and rounded down
    by at most 1/8 above. Deleted chunks never come back, but weigh in scores (not in ``idf``) until tantivy merges
    their segment. Scores are rounded to six digits, as many as a sum of float32 can promise, and ties are ordered by
    id, unless more than 10,000 chunks tie at the cut.

    The folder is derived data: one that cannot be read, or that another version or tokenizer made, is emptied with a
    warning and starts at generation 0. Each commit writes tantivy's files first and the generation after: a crash in
    between leaves a generation that is too small, never too large, and repeating its changes changes nothing. What a
    killed writer left behind is removed before the next one writes; an index that cannot be written although the disk
    takes it is made anew.

    Any thread may call any method. Between its first change and its commit a process holds the folder's writer lock;
    the first change of another waits ``busy_seconds`` for it. Searches see what other processes committed.

    Raises:
        RetrievalError: if the folder cannot be created or read.
    """

    def __init__(self, path: Path | None, *, busy_seconds: float = 1.0, tokenizer: str = TOKENIZER_VERSION) -> None:
        self.path = path
        self._folder = TantivyFolder(path, tokenizer=tokenizer) if path else None
        self._busy_seconds = busy_seconds
        self.generation = 0
        self._writing = threading.RLock()
        self._refreshing = threading.Lock()
        self._writer: tantivy.IndexWriter | None = None
        self._closed = False
        self._state: tuple[int, ...] = ()
        self._schema = _schema()
        self._index = self._folder.opened(self._schema) if self._folder else configured(tantivy.Index(self._schema))
        self._snapshot = _Snapshot(self._index.searcher(), {})
        self.refresh()

    @contextmanager
    def alone(self, wait_seconds: float) -> Iterator[bool]:
        """Be the one process that brings this index up to date; False when another one still does after ``wait_seconds``.

        Raises:
            RetrievalError: if the lock cannot be made.
        """
        with ExitStack() as held:
            try:
                if self.path:
                    lock = FileLock(self.path.with_name("lexical.lock"), mode=0o600)
                    held.enter_context(lock.acquire(timeout=wait_seconds))
                mine = True
            except Timeout:
                mine = False
            except OSError as error:
                raise RetrievalError(f"cannot lock {self.path}: {error.strerror}") from error
            yield mine

    def add(self, chunk_id: str, terms: Sequence[str], context: Sequence[str]) -> None:
        """Add a chunk, replacing one of the same id; seen after ``commit``.

        Raises:
            RetrievalError: if the id is malformed, or the disk fails.
            WriterBusyError: if another process is writing.
        """
        number = _number(chunk_id)
        document = tantivy.Document()
        document.add_integer("id", number)
        document.add_text("terms", _keys(terms))  # a third of the time that tokens take
        document.add_text("context", _keys(context))
        with self._changing("add a chunk to") as writer:
            writer.delete_documents_by_term("id", number)
            writer.add_document(document)

    def delete(self, chunk_id: str) -> None:
        """Delete a chunk if it is there; seen after ``commit``."""
        number = _number(chunk_id)
        with self._changing("delete a chunk from") as writer:
            writer.delete_documents_by_term("id", number)

    def clear(self) -> None:
        """Delete every chunk; seen after ``commit``."""
        with self._changing("empty") as writer:
            writer.delete_documents_by_query(tantivy.Query.all_query())  # delete_all_documents spares pending ones

    def commit(self, generation: int) -> None:
        """Make the changes visible and lasting, note the store's ``generation``, and let other processes write.

        Raises:
            RetrievalError: if it cannot be written; the changes since the last commit are then forgotten.
        """
        with self._writing:
            if self._writer or generation != self.generation:
                try:
                    with self._changing("commit to") as writer:
                        writer.commit()
                        writer.wait_merging_threads()
                        if self.path and self._folder:
                            private.mend(self.path)
                            self._folder.write(generation)
                finally:
                    self._writer = None
            with self._refreshing:
                self._reload(generation)

    def refresh(self) -> None:
        """See what another process committed; costs one ``stat`` when there is nothing new.

        A folder that was found damaged, or was deleted, is made anew here, unless this process is just writing to it.
        """
        self._require_open()
        if not self._folder or (state := self._folder.signature()) == self._state:
            return
        if self._refreshing.acquire(blocking=False):  # one thread refreshes, the others go on with what they have
            try:
                if not state and self._writing.acquire(blocking=False):
                    try:
                        if self._writer is None:
                            self._index = self._folder.opened(self._schema)
                    finally:
                        self._writing.release()
                self._reload(0)
            finally:
                self._refreshing.release()

    def search(self, terms: Sequence[str], top_k: int, *, context_boost: float) -> list[Hit]:
        """Return at most ``top_k`` hits by BM25, best first, ties by id. A repeated term counts as often as it occurs."""
        self.refresh()
        searcher = self._snapshot.searcher
        if top_k < 1 or not terms or not searcher.num_docs:
            return []
        query = self._query(terms, context_boost)
        limit = top_k + 16
        while True:
            with Failing("search", self.path, reading=True):
                found = searcher.search(query, min(limit, searcher.num_docs), count=False).hits
            scores = [_six_digits(score) for score, _ in found]
            cut_in_a_tie = len(found) == limit and scores[-1] == scores[top_k - 1]
            if not cut_in_a_tie or limit > top_k + _MOST_TIES:
                break
            limit *= 4
        with Failing("search", self.path, reading=True):
            ids = searcher.fast_field_values("id", [address for _, address in found])
        ranking = sorted((-score, int(i or 0) % _IDS) for i, score in zip(ids, scores, strict=True))
        return [Hit(f"{number:016x}", -negative) for negative, number in ranking[:top_k]]

    def idf(self, terms: Sequence[str]) -> Mapping[str, float]:
        """Return each term's ln(1 + (N - df + .5) / (df + .5)) over the chunks that are not deleted."""
        self.refresh()
        snapshot = self._snapshot
        total = snapshot.searcher.num_docs
        return {term: _idf(total, self._living(snapshot, _key(term))) for term in dict.fromkeys(terms)}

    def beginning(self, letters: str) -> Sequence[tuple[str, int]]:
        """Return the terms that begin with ``letters``, and in how many chunks each stands, most first."""
        self.refresh()
        with Failing("search", self.path, reading=True):
            found: list[tuple[str, int]] = self._snapshot.searcher.terms_with_prefix("terms", letters)
        return found

    def close(self) -> None:
        """Forget uncommitted changes and give the folder back; closing twice is fine."""
        with self._writing:
            self._closed = True
            if self._writer:
                self._writer.rollback()
                self._writer = None

    def _living(self, snapshot: _Snapshot, key: str) -> int:
        searcher, known = snapshot
        with Failing("search", self.path, reading=True):
            if key not in known:
                if not searcher.doc_freq("terms", key):  # it counts deleted chunks, too
                    return 0
                counted: Any = searcher.search(_term_query(self._schema, "terms", key), 1, count=True)
                known[key] = int(counted.count)
            return known[key]

    def _query(self, terms: Sequence[str], context_boost: float) -> tantivy.Query:
        counted = Counter(map(_key, terms))
        queries = []
        for key, count in counted.items():
            for field, weight in (("terms", count), ("context", context_boost * count)):
                query = _term_query(self._schema, field, key)
                weighed = tantivy.Query.boost_query(query, weight) if weight != 1 else query
                queries.append((tantivy.Occur.Should, weighed))
        return tantivy.Query.boolean_query(queries)

    @contextmanager
    def _changing(self, what: str) -> Iterator[tantivy.IndexWriter]:
        with self._writing:
            self._require_open()
            with Failing(what, self.path, reading=False):
                if self._writer is None:
                    self._writer = self._new_writer()
                yield self._writer

    def _new_writer(self) -> tantivy.IndexWriter:
        until = monotonic() + self._busy_seconds
        while True:
            try:
                writer = self._index.writer(_HEAP_BYTES, 1)
            except ValueError as error:
                if "LockBusy" not in str(error) or monotonic() >= until:
                    raise
                sleep(_BUSY_STEP_S)
            else:
                if self._folder:
                    self._folder.sweep()
                return writer

    def _reload(self, generation: int) -> None:
        """Take the newest searcher. The generation is read first: what is searched is never older than it says."""
        state: tuple[int, ...] = ()
        if self._folder:
            state, generation = self._folder.signature(), self._folder.generation() or 0
        with Failing("read", self.path, reading=True):
            self._index.reload()
            snapshot = _Snapshot(self._index.searcher(), {})
        self._snapshot, self._state, self.generation = snapshot, state, generation

    def _require_open(self) -> None:
        if self._closed:
            raise IndexClosedError(f"the lexical index {self.path or 'in memory'} is closed; open a new one")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("id", indexed=True, fast=True)
    for field in ("terms", "context"):
        builder.add_text_field(field, tokenizer_name="spaced", index_option="freq")
    return builder.build()


def _number(chunk_id: str) -> int:
    if not _CHUNK_ID.fullmatch(chunk_id):
        raise RetrievalError(f"chunk id {chunk_id!r} is not 16 lower-case hex digits")
    number = int(chunk_id, 16)
    return number - _IDS if number >= _IDS // 2 else number  # the field has a sign


def _keys(terms: Sequence[str]) -> str:
    """Return the keys of terms, parted by blanks. Nearly always the terms are those, and to look at each takes ten times as long."""
    joined = " ".join(terms)
    if joined.split() == list(terms) and max(map(len, terms), default=0) <= _LONGEST_TERM:
        return joined
    return " ".join(map(_key, terms))


def _key(term: str) -> str:
    key = term[:_LONGEST_TERM]
    return key if key.isalnum() else _SPACE.sub("\x1f", key)


def _term_query(schema: tantivy.Schema, field: str, key: str) -> tantivy.Query:
    return tantivy.Query.term_query(schema, field, key, index_option="freq")


def _six_digits(score: float) -> float:
    return float(f"{score:.6g}")


def _idf(documents: int, containing: int) -> float:
    return math.log1p((documents - containing + 0.5) / (containing + 0.5))
