"""What the pipeline asks of its parts: the store, the indexes, the cache."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from hookclaw_py.model.types import Injection
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.ports import LexicalIndex, VectorIndex
from hookclaw_py.stages.calibrate import NullSample


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
