"""The vectors in the database, keyed by the digest of the embedded text: a text that moves is not embedded again."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from hookclaw_py.errors import StoreError
from hookclaw_py.store.content import embedded
from hookclaw_py.store.sql import rows

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Matrix

# A vector of the wrong length is damage: it counts as missing, so that its text is embedded again.
_MISSING = """
    FROM chunks c WHERE NOT EXISTS (
        SELECT 1 FROM embeddings e JOIN models m ON m.id = e.model
        WHERE m.name = ? AND e.digest = c.digest AND length(e.vector) = 4 * m.dimension
    )
"""


def pending(connection: sqlite3.Connection, model_id: str, pool_size: int) -> list[tuple[str, str]]:
    """Return up to ``pool_size`` (chunk id, text) without a vector, each text once, newest notes first."""
    found = connection.execute(
        f"SELECT min(key), heading, text {_MISSING} GROUP BY digest ORDER BY max(created_at) DESC, path, position LIMIT ?",
        (model_id, pool_size),
    )
    return [(rows.id_of(key), embedded(heading, text)) for key, heading, text in found]


def pending_count(connection: sqlite3.Connection, model_id: str) -> int:
    """Return how many distinct texts have no vector."""
    count: int = connection.execute(f"SELECT count(DISTINCT digest) {_MISSING}", (model_id,)).fetchone()[0]
    return count


def count(connection: sqlite3.Connection, model_id: str) -> int:
    """Return how many chunks have a vector."""
    chunks, missing = connection.execute(
        f"SELECT (SELECT count(*) FROM chunks), (SELECT count(*) {_MISSING})", (model_id,)
    ).fetchone()
    return int(chunks - missing)


def add(
    connection: sqlite3.Connection,
    model_id: str,
    vectors: Sequence[tuple[int, bytes]],
    *,
    tokens: Mapping[int, bytes],
    generation: int,
) -> None:
    """Store (chunk key, vector) pairs, each with its ``tokens`` where there are any."""
    import numpy as np

    dimension = len(vectors[0][1]) // 4
    connection.execute("INSERT OR IGNORE INTO models (name, dimension) VALUES (?, ?)", (model_id, dimension))
    model, known = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (model_id,)).fetchone()
    for key, vector in vectors:
        if not vector or len(vector) != 4 * known or not np.isfinite(np.frombuffer(vector, "<f4")).all():
            raise StoreError(
                f"the vector of chunk {rows.id_of(key)} from {model_id} has {len(vector)} bytes or a value that is no number; "
                f"this model's vectors here have {known} finite float32; a changed model needs another model id"
            )
    connection.executemany(
        "INSERT OR REPLACE INTO embeddings (digest, model, vector, tokens, generation)"
        " SELECT digest, ?, ?, ?, ? FROM chunks WHERE key = ?",
        [(model, vector, tokens.get(key), generation, key) for key, vector in vectors],
    )


def load(
    connection: sqlite3.Connection, model_id: str, since: int, within: Collection[str] | None = None
) -> tuple[list[str], Matrix]:
    """Return ids and vectors, shape (n, dimension), that became available after generation ``since``.

    With ``within``, only those of the chunks of these files.
    """
    import numpy as np

    found = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (model_id,)).fetchone()
    model, dimension = found or (-1, 0)
    wanted = _ALL_VECTORS if since < 0 else _NEW_VECTORS
    loaded = connection.execute(
        wanted if within is None else _WITHIN.format(wanted),
        {"model": model, "since": since, "size": 4 * dimension, "paths": rows.listed(within)},
    ).fetchall()
    matrix = np.frombuffer(b"".join([vector for _, vector in loaded]), "<f4").reshape(len(loaded), dimension)
    keys = np.array([key for key, _ in loaded], np.int64)
    order = np.argsort(keys)
    return [rows.id_of(key) for key in keys[order].tolist()], matrix[order].astype(np.float32, copy=False)


# In the order of the vectors on disk; by chunk it would read the whole file in leaps.
_ALL_VECTORS = """
    SELECT c.key, e.vector FROM embeddings e CROSS JOIN chunks c ON c.digest = e.digest
    WHERE e.model = :model AND length(e.vector) = :size
"""
_NEW_VECTORS = """
    SELECT c.key, e.vector FROM chunks c CROSS JOIN embeddings e ON e.model = :model AND e.digest = c.digest
    WHERE c.generation > :since AND length(e.vector) = :size
    UNION ALL
    SELECT c.key, e.vector FROM embeddings e CROSS JOIN chunks c ON c.digest = e.digest
    WHERE e.model = :model AND e.generation > :since AND c.generation <= :since AND length(e.vector) = :size
"""

_WITHIN = """
    SELECT v.key, v.vector FROM ({}) v JOIN chunks c ON c.key = v.key
    WHERE c.path IN (SELECT value FROM json_each(:paths))
"""


def drop(connection: sqlite3.Connection, model_id: str, keys: Sequence[int]) -> None:
    """Delete the vectors of chunks."""
    connection.executemany(
        "DELETE FROM embeddings WHERE digest = (SELECT digest FROM chunks WHERE key = ?)"
        " AND model = (SELECT id FROM models WHERE name = ?)",
        [(key, model_id) for key in keys],
    )


def prune(connection: sqlite3.Connection, *, spare: int) -> None:
    """Delete the vectors that no chunk uses, once there are more than ``spare`` and half of all."""
    orphans, total = connection.execute(
        "SELECT count(*) FILTER (WHERE digest NOT IN (SELECT digest FROM chunks)), count(*) FROM embeddings"
    ).fetchone()
    if orphans > spare and orphans * 2 > total:
        connection.execute("DELETE FROM embeddings WHERE digest NOT IN (SELECT digest FROM chunks)")
