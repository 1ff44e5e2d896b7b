"""From the store's texts to their vectors: what has none yet is embedded, and any interruption is harmless."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from hookclaw_py.errors import EmbeddingError
from hookclaw_py.store.ports import Notes

if TYPE_CHECKING:
    from hookclaw_py.ingest.indexer import Progress
    from hookclaw_py.search.ports import Embedder, Encoded

EMBEDDING_BATCH = 32
"""Vectors written at a time: what a kill -9 can cost."""

_FAILURES_IN_A_ROW = 3
_AT_ONCE = 512  # texts that are looked for at a time: to look goes through all passages
_Text = tuple[str, str]  # the id of a chunk, and what is embedded for it
_Outcome = tuple[str, "Encoded | EmbeddingError"]


def embed_pending(
    store: Notes,
    embedder: Embedder,
    *,
    threads: int = 1,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> int:
    """Embed every distinct text that has no vector yet, one at a time on each of the ``threads``; return how many were made.

    Vectors are written in batches of 32, also when this is interrupted. A text that cannot be embedded is passed over.

    Raises:
        EmbeddingError: if three texts in a row fail, or at the end if some did; the others are stored.
    """
    made, failures, in_a_row = 0, dict[str, str](), 0
    texts = _pending(store, embedder.model_id, failures)
    total = len(texts) if len(texts) < _AT_ONCE else store.pending_count(embedder.model_id)

    def goes_on(_: object = None) -> bool:
        return not (should_stop and should_stop())

    while texts:
        begun = takewhile(goes_on, texts)
        with _batched(store, embedder.model_id) as add, closing(_all_encoded(embedder, begun, threads)) as outcomes:
            for chunk_id, encoded in outcomes:
                if progress:
                    progress("embedding", made + len(failures), total)
                if not isinstance(encoded, EmbeddingError):
                    add(chunk_id, encoded)
                    made, in_a_row = made + 1, 0
                    continue
                failures[chunk_id] = str(encoded)
                in_a_row += 1
                if in_a_row == _FAILURES_IN_A_ROW:
                    raise encoded
        if not goes_on():
            return made
        texts = _pending(store, embedder.model_id, failures) if len(texts) >= _AT_ONCE else []
    if progress:
        progress("embedding", made, total)
    if failures:
        example = next(iter(failures.values()))
        raise EmbeddingError(f"{len(failures)} of {total} texts have no vector, the others are stored: {example}")
    return made


def _pending(store: Notes, model_id: str, failures: Iterable[str]) -> list[_Text]:
    passed_over = frozenset(failures)
    found = store.pending_embeddings(model_id, _AT_ONCE + len(passed_over))
    return [text for text in found if text[0] not in passed_over]


def _all_encoded(embedder: Embedder, texts: Iterable[_Text], threads: int) -> Generator[_Outcome]:
    """Yield each text's outcome in their order; those that are not waited for any more are not begun."""
    if threads <= 1:
        yield from map(partial(_encoded, embedder), texts)
        return
    under_way: deque[Future[_Outcome]] = deque()
    with ThreadPoolExecutor(threads, "hookclaw-embedding") as pool:
        try:
            for text in texts:
                under_way.append(pool.submit(_encoded, embedder, text))
                if len(under_way) >= 2 * threads:  # while one is written down, none waits for work
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def _encoded(embedder: Embedder, text: _Text) -> _Outcome:
    from hookclaw_py.search.late_interaction import without_fillers
    from hookclaw_py.search.ports import encode

    chunk_id, written = text
    try:
        encoded = encode(embedder, written)
    except EmbeddingError as error:
        return chunk_id, error
    return chunk_id, encoded._replace(tokens=without_fillers(written, encoded.tokens, encoded.spans))


@contextmanager
def _batched(store: Notes, model_id: str) -> Iterator[Callable[[str, Encoded], None]]:
    vectors: list[tuple[str, bytes]] = []
    tokens: dict[str, bytes] = {}

    def write() -> None:
        store.add_embeddings(model_id, vectors, tokens)
        vectors.clear()
        tokens.clear()

    def add(chunk_id: str, encoded: Encoded) -> None:
        vectors.append((chunk_id, encoded.vector.astype("<f4").tobytes()))
        if len(encoded.tokens):
            tokens[chunk_id] = encoded.tokens.tobytes()
        if len(vectors) == EMBEDDING_BATCH:
            write()

    try:
        yield add
    finally:
        write()
