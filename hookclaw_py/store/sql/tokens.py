"""The token vectors of the chunks asked for lately, kept in memory; the others are read from their embeddings' rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hookclaw_py.store import packing
from hookclaw_py.store.sql import batches
from hookclaw_py.store.sql.connections import SQLConnection

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import TokenVectors

_OF_TEXTS = """
    SELECT digest, tokens FROM embeddings WHERE digest IN ({}) AND model = (SELECT id FROM models WHERE name = ?)
"""
_OBJECT_BYTES = 300  # of an array and its bytes object beside the values


class KeptTokens:
    """Token vectors by the digest of their text, up to ``most_bytes`` of them; one caller at a time.

    When they are more, all are let go: keeping book of which was used last costs more than to read them again.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: dict[bytes, TokenVectors] = {}
        self.bytes_kept = 0
        self._of: tuple[str, int] = ("", -1)

    def of(
        self, connection: SQLConnection, model_id: str, digests: Mapping[str, bytes], *, generation: int
    ) -> dict[str, TokenVectors]:
        """Return the token vectors of ``model_id`` by chunk id, of whose texts these are the ``digests``; a chunk without any is left out.

        What was kept of another model, or at another ``generation`` of the store, is read anew.
        """
        if self._of != (model_id, generation):
            self._clear()
            self._of = model_id, generation
        known = self._kept
        unknown = {digest for digest in digests.values() if digest not in known}
        for digest, tokens in _read(connection, model_id, unknown):
            known[digest] = tokens
            self.bytes_kept += tokens.nbytes + _OBJECT_BYTES
        found = {i: known[digest] for i, digest in digests.items() if digest in known and len(known[digest])}
        if self.bytes_kept > self._most_bytes:
            self._clear()
        return found

    def _clear(self) -> None:
        self._kept, self.bytes_kept = {}, 0


def _read(connection: SQLConnection, model_id: str, digests: set[bytes]) -> list[tuple[bytes, TokenVectors]]:
    read = list(batches.found(connection, _OF_TEXTS, digests, then=(model_id,)))
    return list(zip([digest for digest, _ in read], packing.tokens_of([kept for _, kept in read]), strict=True))
