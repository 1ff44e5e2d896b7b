"""The token vectors of the chunks asked for lately, kept in memory; the others are read from their embeddings' rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hookclaw_py.store import packing
from hookclaw_py.store.sql import batches, rows
from hookclaw_py.store.sql.connections import SQLConnection

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors

_OF_CHUNKS = """
    SELECT c.key, (SELECT e.tokens FROM embeddings e WHERE e.model = m.id AND e.digest = c.digest)
    FROM chunks c CROSS JOIN models m WHERE c.key IN ({}) AND m.name = ?
"""
"""A query of its own for each: PostgreSQL joined all embeddings with them where it had not counted the rows of a new memory yet."""
_OBJECT_BYTES = 300  # of an array and its bytes object beside the values


class KeptTokens:
    """Token vectors by chunk, up to ``most_bytes`` of them; one caller at a time.

    When they are more, all are let go: keeping book of which was used last costs more than to read them again.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: dict[str, TokenVectors] = {}
        self.bytes_kept = 0
        self._of: tuple[str, int] = ("", -1)

    def of(
        self, connection: SQLConnection, model_id: str, ids: Iterable[str], *, generation: int
    ) -> dict[str, TokenVectors]:
        """Return the token vectors of ``model_id`` by chunk id; a chunk without any is left out.

        What was kept of another model, or at another ``generation`` of the store, is read anew.
        """
        if self._of != (model_id, generation):
            self._clear()
            self._of = model_id, generation
        known = self._kept
        asked = list(ids)
        unknown = {key: i for i in asked if i not in known and (key := rows.key_of(i)) is not None}
        for key, tokens in _read(connection, model_id, list(unknown)):
            known[unknown[key]] = tokens
            self.bytes_kept += tokens.nbytes + _OBJECT_BYTES
        if self.bytes_kept > self._most_bytes:
            self._clear()
        return {i: known[i] for i in asked if i in known and len(known[i])}

    def _clear(self) -> None:
        self._kept, self.bytes_kept = {}, 0


def _read(connection: SQLConnection, model_id: str, keys: list[int]) -> list[tuple[int, TokenVectors]]:
    read = list(batches.found(connection, _OF_CHUNKS, keys, then=(model_id,)))
    return list(zip([key for key, _ in read], packing.tokens_of([kept for _, kept in read]), strict=True))
