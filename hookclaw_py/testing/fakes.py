"""Small real parts: an embedder without a model, and chunks and vectors to store."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np

from hookclaw_py import text
from hookclaw_py.model.kind import NOTE
from hookclaw_py.model.types import Chunk
from hookclaw_py.model.vectors import Vector
from hookclaw_py.trace import Deadline


class HashEmbedder:
    """Tells texts apart by their words, in 16 dimensions."""

    model_id, dimension = "hash-16", 16

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:  # noqa: ARG002
        """Return the vector of a text."""
        vector = np.full(self.dimension, 0.01, np.float32)
        for word in text.lower().split():
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % self.dimension] += 1
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    def close(self) -> None:
        """Hold nothing."""


def a_chunk(body: str, path: str = "memory/a.md", **fields: Any) -> Chunk:
    """Return a chunk whose id and terms follow from its text; ``lines`` may be given."""
    digest = blake2b(f"{path}\n{body}".encode(), digest_size=8).hexdigest()
    place = fields.get("kind", NOTE).place(path, fields.pop("lines", (1, 1)))
    values = {"id": f"0{digest[1:]}", "terms": text.terms(body), **fields}
    return Chunk(text=body, place=place, **values)


def a_vector(*values: float) -> bytes:
    """Return a vector as stores keep it."""
    return np.array(values, "<f4").tobytes()
