"""The vectors in the database, keyed by the digest of the embedded text: a text that moves is not embedded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hookclaw_py.errors import StoreError
from hookclaw_py.store import packing
from hookclaw_py.store.content import embedded
from hookclaw_py.store.kept_vectors import KeptVectors
from hookclaw_py.store.recalled import EVERYTHING, Part
from hookclaw_py.store.sql import parts, rows
from hookclaw_py.store.sql.connections import SQLConnection

# A vector of the wrong length is damage: it counts as missing, so that its text is embedded again.
_MISSING = f"""
    FROM chunks c WHERE NOT EXISTS (
        SELECT 1 FROM embeddings e JOIN models m ON m.id = e.model
        WHERE m.name = ? AND e.digest = c.digest AND {packing.whole("m.dimension", "e.vector")}
    )
"""

_UNMADE = """
    FROM chunks c WHERE NOT EXISTS (
        SELECT 1 FROM embeddings e WHERE e.model = (SELECT id FROM models WHERE name = ?) AND e.digest = c.digest
    )
"""

_PENDING = """
    SELECT c.key, c.heading, c.text FROM chunks c
        JOIN (SELECT min(c.key) AS key, max(c.created_at) AS newest {} GROUP BY c.digest) w ON w.key = c.key
    ORDER BY w.newest DESC NULLS LAST, c.path, c.position LIMIT ?
"""


def pending(connection: SQLConnection, model_id: str, pool_size: int, *, whole: bool) -> list[tuple[str, str]]:
    """Return up to ``pool_size`` (chunk id, text) without a vector, each text once, newest notes first.

    Where the vectors are known to be ``whole`` indexes tell; else each one is looked at.
    """
    found = connection.execute(_PENDING.format(_UNMADE if whole else _MISSING), (model_id, pool_size))
    return [(rows.id_of(key), embedded(heading, text)) for key, heading, text in found]


def pending_count(connection: SQLConnection, model_id: str, *, whole: bool) -> int:
    """Return how many distinct texts have no vector; ``whole`` as for ``pending``."""
    missing = _UNMADE if whole else _MISSING
    count: int = connection.execute(f"SELECT count(DISTINCT c.digest) {missing}", (model_id,)).fetchone()[0]
    return count


def are_whole(connection: SQLConnection, model_id: str) -> bool:
    """Say whether no vector is damaged."""
    whole = packing.whole("m.dimension", "e.vector")
    of_a_model = f"SELECT 1 FROM embeddings e JOIN models m ON m.id = e.model WHERE m.name = ? AND NOT {whole} LIMIT 1"
    return connection.execute(of_a_model, (model_id,)).fetchone() is None


def count(connection: SQLConnection, model_id: str, within: Part = EVERYTHING) -> int:
    """Return how many chunks have a vector."""
    where, values = parts.where(connection, within, "c.digest NOT IN (SELECT c.digest" + _MISSING + ")", chunks="c.")
    found: int = connection.execute(f"SELECT count(*) FROM chunks c{where}", (model_id, *values)).fetchone()[0]
    return found


def add(
    connection: SQLConnection,
    model_id: str,
    vectors: Sequence[tuple[int, bytes]],
    *,
    tokens: Mapping[int, bytes],
    generation: int,
) -> None:
    """Store (chunk key, vector) pairs, each with its ``tokens``, packed, where there are any."""
    import numpy as np

    dimension = len(vectors[0][1]) // 4
    connection.execute(
        "INSERT INTO models (name, dimension) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", (model_id, dimension)
    )
    model, known = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (model_id,)).fetchone()
    for key, vector in vectors:
        if not vector or len(vector) != 4 * known or not np.isfinite(np.frombuffer(vector, "<f4")).all():
            raise StoreError(
                f"the vector of chunk {rows.id_of(key)} from {model_id} has {len(vector)} bytes or a value that is no number; "
                f"this model's vectors here have {known} finite float32; a changed model needs another model id"
            )
    packed = packing.packed_vectors(
        np.frombuffer(b"".join([vector for _, vector in vectors]), "<f4").reshape(-1, known)
    )
    connection.executemany(
        "INSERT INTO embeddings (digest, model, vector, tokens, generation)"
        " SELECT digest, ?, ?, ?, ? FROM chunks WHERE key = ?"
        " ON CONFLICT (model, digest) DO UPDATE SET"
        " vector = excluded.vector, tokens = excluded.tokens, generation = excluded.generation",
        [(model, kept, tokens.get(key), generation, key) for (key, _), kept in zip(vectors, packed, strict=True)],
    )


def load(
    connection: SQLConnection, model_id: str, since: int, within: Part = EVERYTHING
) -> tuple[list[str], KeptVectors]:
    """Return ids and vectors, shape (n, dimension), that became available after generation ``since``."""
    found = connection.execute("SELECT id, dimension FROM models WHERE name = ?", (model_id,)).fetchone()
    model, dimension = found or (-1, 0)
    whole, whole_of = packing.whole("?", "e.vector"), [dimension] * 2
    if since < 0:
        wanted = [(_BY_VECTOR, f"c.digest = e.digest AND e.model = ? AND {whole}", [model, *whole_of])]
    else:
        new_text = f"c.context_generation > ? AND c.generation > ? AND e.model = ? AND e.digest = c.digest AND {whole}"
        new_vector = f"c.digest = e.digest AND e.model = ? AND e.generation > ? AND c.generation <= ? AND {whole}"
        wanted = [(_BY_CHUNK, new_text, [since, since, model, *whole_of])]
        wanted += [(_BY_VECTOR, new_vector, [model, since, since, *whole_of])]
    selects, values = list[str](), list[Any]()
    for columns, condition, of_condition in wanted:
        where, chosen = parts.where(connection, within, condition, chunks="c.")
        selects.append(columns + where)
        values += [*of_condition, *chosen]
    loaded = KeptVectors(connection.execute(" UNION ALL ".join(selects), values), dimension)
    return list(map(rows.id_of, loaded.keys)), loaded


# In the order of the vectors on disk; by chunk it would read the whole file in leaps. A cross join may keep that order
# where a plain one would not.
_BY_VECTOR = "SELECT c.key, e.vector FROM embeddings e CROSS JOIN chunks c"
_BY_CHUNK = "SELECT c.key, e.vector FROM chunks c CROSS JOIN embeddings e"


def drop(connection: SQLConnection, model_id: str, keys: Sequence[int]) -> None:
    """Delete the vectors of chunks."""
    connection.executemany(
        "DELETE FROM embeddings WHERE digest = (SELECT digest FROM chunks WHERE key = ?)"
        " AND model = (SELECT id FROM models WHERE name = ?)",
        [(key, model_id) for key in keys],
    )


def prune(connection: SQLConnection, *, spare: int) -> None:
    """Delete the vectors that no chunk uses, once there are more than ``spare`` and half of all."""
    orphans, total = connection.execute(
        "SELECT count(*) FILTER (WHERE digest NOT IN (SELECT digest FROM chunks)), count(*) FROM embeddings"
    ).fetchone()
    if orphans > spare and orphans * 2 > total:
        connection.execute("DELETE FROM embeddings WHERE digest NOT IN (SELECT digest FROM chunks)")
