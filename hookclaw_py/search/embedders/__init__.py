"""Embedders: which one a configuration names, and what the three of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hookclaw_py.errors import EmbeddingError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.ports import Embedder

if TYPE_CHECKING:
    from hookclaw_py.config import EmbedderConfig
    from hookclaw_py.trace import Deadline

MAX_CHARS = 65_536
"""No embedder looks further into a text: far beyond any model's context, and it bounds the tokeniser's work."""


class Unavailable:
    """Stands for an embedder that could not be loaded: every recall then says why, and keywords answer."""

    dimension = 0

    def __init__(self, config: EmbedderConfig, problem: str) -> None:
        self.model_id = f"{config.model} (unavailable)"
        self.problem = problem

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:  # noqa: ARG002
        """Raise: there is no vector."""
        raise EmbeddingError(self.problem)

    def close(self) -> None:
        """Do nothing: it holds nothing."""


def open_embedder(config: EmbedderConfig) -> Embedder:
    """Return the embedder that ``config`` names.

    Raises:
        ModelError: if its model is missing or altered, or the library that runs it is not installed.
    """
    if config.backend == "openai":
        from hookclaw_py.search.embedders.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(config.url, config.model, api_key=config.api_key, failures_allowed=3, reset_after_s=30)
    if config.backend == "sentence-transformers":
        from hookclaw_py.search.embedders.sentence_transformers_embedder import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(config.model)
    from hookclaw_py.search.embedders.onnx_embedder import OnnxEmbedder
    from hookclaw_py.search.models import find_model

    return OnnxEmbedder(find_model(config.model))


def encodable(text: str) -> str:
    """Return the start of ``text`` that an embedder reads, lone surrogates replaced by "?"."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def unit(vector: Any, source: str) -> Vector:
    """Return ``vector`` as float32 with length 1.

    Raises:
        EmbeddingError: naming ``source``, if it is zero or has a value that is not finite.
    """
    wide = np.asarray(vector, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        length = float(np.sqrt(np.dot(wide, wide)))
    if not np.isfinite(length):
        raise EmbeddingError(f"{source}: the vector has values that are not finite numbers")
    if length == 0.0:
        raise EmbeddingError(f"{source}: the vector is all zeros, so it has no direction")
    return np.asarray(wide / length, dtype=np.float32)
