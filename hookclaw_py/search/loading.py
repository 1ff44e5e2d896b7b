"""Loading: the models that all engines of a process share, each loaded once, or what stands in its place and says why."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from hookclaw_py.calibration import weights
from hookclaw_py.config import Config, EmbedderConfig
from hookclaw_py.errors import ModelError
from hookclaw_py.errors.remedies import install
from hookclaw_py.search.shared import Shared

if TYPE_CHECKING:
    from hookclaw_py.calibration.weights import Calibration
    from hookclaw_py.search.ports import Embedder, Reader

log = logging.getLogger("hookclaw")
Model = TypeVar("Model")

READER = "minilm-l3-reader-int8"
Embedders = Shared[EmbedderConfig, "Embedder"]
"""Embedding models that engines share."""
_embedders: Embedders = Shared(let_go=lambda embedder: embedder.close())


def close_shared() -> None:
    """Let go of the models that all engines of this process share: for a host that goes on without any."""
    from hookclaw_py.search import null_sampling, onnx_runtime

    for shared in (_embedders, _readers, null_sampling, onnx_runtime):
        shared.close()


atexit.register(close_shared)


def embedder_of(config: Config) -> Embedder | None:
    """Load the embedding model that is configured, if prompts are to be searched for by meaning; the reader beside it."""
    if config.reader != "off":
        from hookclaw_py.search.cross_encoder import open_reader

        _readers.begin(READER, partial(open_reader, READER))
    return embedder(config) if config.enable_vector else None


def embedder(config: Config, shared: Embedders = _embedders) -> Embedder:
    """Load the embedding model: once, for all engines of this process, until ``close_shared``; or for those that share."""
    from hookclaw_py.search.embedders import Unavailable, open_embedder

    load = partial(shared.get, config.embedder, partial(open_embedder, config.embedder))
    return _loaded(load, partial(Unavailable, config.embedder), needs=["onnxruntime", "tokenizers", "httpx"])


_readers: Shared[str, Reader] = Shared(let_go=lambda reader: reader.close())


def reader(config: Config) -> Reader | None:
    """Load the model that reads what was found: once, for all engines of this process, until ``close_shared``."""
    if config.reader == "off":
        return None
    from hookclaw_py.search.cross_encoder import UnavailableReader, open_reader

    load = partial(_readers.get, READER, partial(open_reader, READER))
    return _loaded(load, UnavailableReader, needs=["onnxruntime", "tokenizers"])


def _loaded(load: Callable[[], Model], without: Callable[[str], Model], *, needs: list[str]) -> Model:
    """Load a model, or return what stands in its place and says why; it ``needs`` these packages."""
    try:
        return load()
    except ModelError as error:
        problem = str(error)
    except ImportError as error:
        problem = f"{error}; run `{install(needs, again=True)}`"
    log.error("hookclaw: %s", problem)
    return without(problem)


def calibration_of(embedder: Embedder | None) -> Calibration:
    """Return what evidence counts with an embedding model, or with none that is there."""
    from hookclaw_py.search.embedders import Unavailable

    return weights.load("" if embedder is None or isinstance(embedder, Unavailable) else embedder.model_id)
