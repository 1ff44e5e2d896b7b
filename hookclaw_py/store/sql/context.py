"""What stands around a chunk: the terms of its neighbours in the file, of its date and of its folders, for the keyword index.

A chunk's context changes with its neighbours, so ``chunks.context_generation`` is raised for them, too; ``generation``,
which vectors follow, is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from hookclaw_py.store.content import context_of
from hookclaw_py.store.recalled import EVERYTHING, Part
from hookclaw_py.store.sql import parts, rows
from hookclaw_py.store.sql.connections import Rows, SQLConnection


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
    known: dict[str, str] = {}  # each term once in memory, however many chunks hold it
    texts: dict[str, list[str]] = {}  # most are read three times: as a chunk's own, and as its neighbours'

    def split(terms: str | None) -> list[str]:
        if not terms:
            return []
        if terms not in texts:
            texts[terms] = [known.setdefault(term, term) for term in rows.terms_of(terms)]
        return texts[terms]

    found = []
    for key, own, path, created_at, before, after in _changed(connection, since, within):
        terms = split(own)
        context = context_of(split(before), terms, split(after), day=created_at and created_at[:10], path=path)
        found.append((rows.id_of(key), terms, context))
    return sorted(found)


def _changed(connection: SQLConnection, since: int, within: Part) -> Rows:
    where, values = parts.where(connection, within, "c.context_generation > ?", chunks="c.")
    return connection.execute(f"{_CHANGED}{where}", (since, *values))


_CHANGED = """
    SELECT c.key, c.terms, c.path, c.created_at,
        (SELECT terms FROM chunks WHERE path = c.path AND position < c.position ORDER BY position DESC LIMIT 1),
        (SELECT terms FROM chunks WHERE path = c.path AND position > c.position ORDER BY position LIMIT 1)
    FROM chunks c
"""
