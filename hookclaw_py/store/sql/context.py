"""What stands around a chunk: the terms of its neighbours in the file, of its date and of its folders, for the keyword index.

A chunk's context changes with its neighbours, so ``chunks.context_generation`` is raised for them, too; ``generation``,
which vectors follow, is not, and is never above it: by its index what is new is found as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from hookclaw_py.store.content import context_of
from hookclaw_py.store.recalled import EVERYTHING, Part
from hookclaw_py.store.sql import batches, parts, rows
from hookclaw_py.store.sql.connections import SQLConnection


def surroundings(file: Iterable[tuple[Any, ...]]) -> dict[int, tuple[str, str, str, str | None]]:
    """Return of each chunk, by key, all that its context is made of; ``file`` has the columns ``rows.PLACED``."""
    ordered = sorted(file, key=lambda row: row[1])
    terms = ["", *(row[-1] for row in ordered), ""]
    around = zip(ordered, terms, terms[1:], terms[2:], strict=False)
    return {row[0]: (before, own, after, row[-2]) for row, before, own, after in around}


def mark(connection: SQLConnection, keys: Collection[int], generation: int) -> None:
    """Note that the context of these chunks changed."""
    marks = [(generation, key) for key in keys]
    connection.executemany("UPDATE chunks SET context_generation = ? WHERE key = ?", marks)


def mark_files_of(connection: SQLConnection, keys: Collection[int], generation: int) -> None:
    """Note that the context of any chunk may have changed in the files of these."""
    paths = {path for key in keys for path in connection.execute("SELECT path FROM chunks WHERE key = ?", (key,))}
    marks = [(generation, *path) for path in sorted(paths)]
    connection.executemany("UPDATE chunks SET context_generation = ? WHERE path = ?", marks)


def changed(connection: SQLConnection, since: int, within: Part = EVERYTHING) -> list[tuple[str, list[str], list[str]]]:
    """Return (id, terms, context) of the chunks whose terms or context changed after generation ``since``, by id.

    Neighbours are always of the same file.
    """
    where, values = parts.where(connection, within, "c.context_generation > ?", chunks="c.")
    rows_of = connection.execute(f"{_CHANGED}{where}", (since, *values)).fetchall()
    terms = _terms(connection, {key for *_, key, before, after in rows_of for key in (key, before, after)} - {None})
    terms[None] = []  # of what stands before the first, and behind the last
    found = []
    for path, created_at, key, before, after in rows_of:
        day = created_at and created_at[:10]
        context = context_of(terms[before], terms[key], terms[after], day=day, path=path)
        found.append((rows.id_of(key), terms[key], context))
    return sorted(found)


def _terms(connection: SQLConnection, keys: Collection[int]) -> dict[int | None, list[str]]:
    """Return the terms of these chunks by key; each term is once in memory, however many chunks hold it."""
    known: dict[str, str] = {}
    read = batches.found(connection, _TERMS, sorted(keys))
    return {key: [known.setdefault(term, term) for term in rows.terms_of(*kept)] for key, *kept in read}


_TERMS = "SELECT key, terms, heading, text FROM chunks WHERE key IN ({})"
_CHANGED = """
    SELECT c.path, c.created_at, c.key,
        (SELECT key FROM chunks WHERE path = c.path AND position < c.position ORDER BY position DESC LIMIT 1),
        (SELECT key FROM chunks WHERE path = c.path AND position > c.position ORDER BY position LIMIT 1)
    FROM chunks c
"""
