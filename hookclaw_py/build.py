"""The composition root: turns a configuration into parts. The only module that names concrete backends."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from hookclaw_py.config import Config, EmbedderConfig, home, make_private
from hookclaw_py.errors import ModelError, RetrievalError
from hookclaw_py.errors.remedies import install
from hookclaw_py.stages.calibrate import Evidence, NullSample, Weighing, Weighings, Weights

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Matrix, Vector
    from hookclaw_py.search.ports import Embedder, LexicalIndex, VectorIndex
    from hookclaw_py.store.ports import AgentStore

log = logging.getLogger("hookclaw")

Key = TypeVar("Key")
Value = TypeVar("Value")


def user_zone(config: Config) -> tzinfo:
    """Return the user's time zone: the configured one, else the machine's."""
    if config.zone:
        return config.zone
    return _machine_zone()


def _machine_zone() -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    names = [os.environ.get("TZ", ""), *_names_from_files()]
    for name in names:
        try:
            if name:
                return ZoneInfo(name.lstrip(":"))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return datetime.now().astimezone().tzinfo or UTC


def _names_from_files() -> list[str]:
    link = Path("/etc/localtime")
    target = str(link.resolve()) if link.is_symlink() else ""
    return [target.partition("zoneinfo/")[2]]


def store(folder: Path | None) -> AgentStore:
    """Open an agent's store, made if it is not there; None is a new one in memory.

    Raises:
        StoreError: if the database is damaged, locked, not writable, from a newer version or not ours.
    """
    from hookclaw_py.store.database import Store

    return Store.open(folder)


def lexical_index(config: Config, folder: Path | None) -> LexicalIndex:
    """Open the keyword index beside the store; in memory when ``folder`` is None."""
    if config.lexical_backend == "rank-bm25":
        from hookclaw_py.search.local.rank_bm25_index import RankBM25Index

        return RankBM25Index()
    from hookclaw_py.search.local.tantivy_index import TantivyIndex

    return TantivyIndex(folder / "lexical" if folder else None)


def vector_index(dimension: int) -> VectorIndex:
    """Open an empty vector index.

    Raises:
        RetrievalError: if its library does not load here.
    """
    try:
        from hookclaw_py.search.local.faiss_index import FaissIndex
    except ImportError as error:
        raise RetrievalError(f"{error}; run `{install(['faiss-cpu'], again=True)}`") from error
    return FaissIndex(dimension)


class Shared(Generic[Key, Value]):
    """What all engines of a process share: made once for each key, by one thread, and let go of together."""

    def __init__(self, let_go: Callable[[Value], None] | None = None) -> None:
        self._made: dict[Key, Value] = {}
        self._making = threading.Lock()
        self._let_go = let_go

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return what was made for ``key``, now or before; what fails is made again the next time."""
        with self._making:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def close(self) -> None:
        """Let go of everything; what is asked for afterwards is made anew."""
        with self._making:
            made, self._made = self._made, {}
        if self._let_go:
            for value in made.values():
                self._let_go(value)


_embedders: Shared[EmbedderConfig, Embedder] = Shared(let_go=lambda embedder: embedder.close())
_null_by_model: Shared[str, Matrix] = Shared()


def close_shared() -> None:
    """Let go of the models that all engines of this process share: for a host that goes on without any."""
    _embedders.close()
    _null_by_model.close()


atexit.register(close_shared)


def embedder(config: Config) -> Embedder:
    """Load the embedding model: once, for all engines of this process, until ``close_shared``."""
    from hookclaw_py.search.embedders import Unavailable, open_embedder

    try:
        return _embedders.get(config.embedder, lambda: open_embedder(config.embedder))
    except ModelError as error:
        problem = str(error)
    except ImportError as error:
        problem = f"{error}; run `{install(['onnxruntime', 'tokenizers', 'httpx'], again=True)}`"
    log.error("hookclaw: %s", problem)
    return Unavailable(config.embedder, problem)


def null_sample(model: Embedder, vectors: VectorIndex, *, keep: bool) -> tuple[NullSample | None, Vector]:
    """Ask the store the prompts that no one's notes answer, seen from their centre, and return that centre as well.

    The centre, their mean, is what a vector owes to being a prompt at all. The sample is None while the store has no
    vectors. With ``keep`` the prompts' vectors are kept on this machine for the next start.
    """
    from hookclaw_py.search.ports import centred

    prompts = _null_vectors(model, keep=keep)
    centre: Vector = prompts.mean(axis=0)
    if not len(vectors):
        return None, centre
    best = [vectors.search(centred(prompt, centre), 1)[0].score for prompt in prompts]
    return NullSample(float(np.mean(best)), float(np.std(best))), centre


def _null_vectors(model: Embedder, *, keep: bool) -> Matrix:
    """Return the null prompts' vectors, shape (prompts, dimension); made once for each process, or those that are kept."""

    def made() -> Matrix:
        text = Path(__file__).with_name("null_prompts.txt").read_text(encoding="utf-8")
        prompts = [line for line in text.splitlines() if line and not line.startswith("#")]
        key = blake2b(f"{model.model_id}\n{text}".encode(), digest_size=8).hexdigest()
        file = home() / "cache" / f"null-{key}.npy"
        vectors = _stored(file, len(prompts))
        if vectors is None:
            vectors = np.stack([model.embed(prompt) for prompt in prompts])
            if keep:
                _put(file, vectors)
        return vectors

    return _null_by_model.get(model.model_id, made)


def _stored(file: Path, count: int) -> Matrix | None:
    """Return the matrix in ``file``; None when there is none of ``count`` rows (a crash may have cut it short)."""
    try:
        vectors: Matrix = np.load(file)
    except (OSError, ValueError, EOFError):
        return None
    return vectors if vectors.shape[0] == count else None


def _put(file: Path, vectors: Matrix) -> None:
    part = file.with_suffix(f".{os.getpid()}.npy")
    try:
        make_private(file.parent)
        np.save(part, vectors)
        part.chmod(0o600)
        part.replace(file)
    except OSError as error:  # costs half a second at the next start, nothing else
        log.warning("hookclaw: cannot keep %s: %s", file, error)


@cache
def weights() -> Weights:
    """Return what each piece of evidence counts, as ``eval/fit_calibration.py`` wrote it."""
    import json
    from importlib.resources import files

    written = json.loads((files("hookclaw_py") / "weights.json").read_text(encoding="utf-8"))

    def weighing(columns: Mapping[str, Any]) -> Weighing:
        order, relevance = Evidence(**columns["order"]), Evidence(**columns["relevance"])
        return Weighing(order, columns["order_intercept"], relevance, columns["intercept"])

    return Weights(
        *(
            Weighings(*(weighing(kind[name]) for name in Weighings._fields))
            for kind in map(written["weights"].get, Weights._fields)
        )
    )
