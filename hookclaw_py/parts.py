"""What the pipeline asks of its parts: the store, the indexes, the cache."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol

from hookclaw_py.retrieval.base import LexicalIndex, TokenVectors, Vector, VectorIndex
from hookclaw_py.stages.calibrate import NullSample
from hookclaw_py.types import Chunk, Injection, Period, Uses


class ChunkSource(Protocol):
    """What the pipeline asks of the store."""

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]: ...

    def dated(self, period: Period, limit: int) -> Sequence[str]: ...

    def names(self) -> frozenset[str]: ...

    def uses(self, ids: Sequence[str]) -> Mapping[str, Uses]: ...

    def only_marks(self, ids: Sequence[str]) -> Mapping[str, Uses]: ...

    def tokens(self, model_id: str, ids: Sequence[str]) -> Mapping[str, TokenVectors]: ...


class Indexes(Protocol):
    """What is searched, and what is known of it; see ``hookclaw_py.indexes``."""

    lexical: LexicalIndex | None
    vectors: VectorIndex | None
    null: NullSample | None
    centre: Vector | None
    lacking: str
    generation: int
    size: int


class Cache(Protocol):
    """Remembers answers to prompts that mean the same."""

    def get(self, scope: Hashable, text: str) -> tuple[str, Injection] | None: ...

    def put(self, scope: Hashable, text: str, value: Injection) -> None: ...
