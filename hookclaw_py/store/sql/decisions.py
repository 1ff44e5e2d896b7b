"""The decision log in SQL; what a decision tells is said in ``store.decisions``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
import zstandard

from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.types import Outcome
from hookclaw_py.store.decisions import Glance, Told, reworded, without
from hookclaw_py.store.sql import batches, rows
from hookclaw_py.store.sql.batches import marks
from hookclaw_py.store.sql.connections import SQLConnection

_LEVEL = 7
"""Of zstandard: in a fifth of a millisecond a tenth smaller than by itself, and from there on it takes the longer."""
_COLUMNS = (
    "id", "at", "session", "run", "outcome", "reason", "cached", "relevance", "ms", "bytes", "shown", "faults", "prompt", "story",
)  # fmt: skip

_WRITE = (
    f"INSERT INTO decisions ({', '.join(_COLUMNS)}) VALUES ({marks(len(_COLUMNS))}) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS[1:])
)


def write(connection: SQLConnection, told: Sequence[Told], *, most: int) -> None:
    """Add decisions, in the place of those of the same id, and drop the oldest beyond ``most``."""
    connection.executemany(_WRITE, [_row(one) for one in told])
    many: int = connection.execute("SELECT count(*) FROM decisions").fetchone()[0]
    if many > most:  # counted: on a server all agents' are numbered together
        oldest = "SELECT number FROM decisions ORDER BY number LIMIT ?"
        connection.execute(f"DELETE FROM decisions WHERE number IN ({oldest})", (many - most,))


def latest(
    connection: SQLConnection, *, limit: int | None, session: str, outcome: str, since: datetime | None
) -> list[Glance]:
    """Return the newest decisions first; of one session, of one outcome, not older than ``since``."""
    start = since and since.astimezone(UTC).isoformat()
    wanted = {
        column: value for column, value in {"session =": session, "outcome =": outcome, "at >=": start}.items() if value
    }
    where = f" WHERE {' AND '.join(f'{column} ?' for column in wanted)}" if wanted else ""
    most = "" if limit is None else " LIMIT ?"
    found = connection.execute(
        f"SELECT {', '.join(_COLUMNS[:-1])} FROM decisions{where} ORDER BY number DESC{most}",
        (*wanted.values(), *([] if limit is None else [limit])),
    )
    return [_glance(row) for row in found]


def beginning_with(connection: SQLConnection, prefix: str, *, most: int) -> list[Told]:
    """Return up to ``most`` decisions whose id begins with ``prefix``, the newest first."""
    found = connection.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM decisions WHERE substr(id, 1, ?) = ? ORDER BY number DESC LIMIT ?",
        (len(prefix), prefix, most),
    )
    return [Told(_glance(row[:-1]), zstandard.decompress(row[-1])) for row in found]


def purge(connection: SQLConnection, chunk_ids: Collection[str]) -> int:
    """Take chunks out of every story; return how many stories changed.

    Where one was in the block, the block goes, and the prompt that called it up.
    """
    every = connection.execute("SELECT number, shown, prompt, story FROM decisions").fetchall()
    changed = [(*found, row[0]) for row in every if (found := _without(row[1:], frozenset(chunk_ids)))]
    connection.executemany("UPDATE decisions SET shown = ?, prompt = ?, story = ? WHERE number = ?", changed)
    return len(changed)


def gone_that_said(connection: SQLConnection, texts: Collection[str]) -> set[str]:
    """Return the chunks of blocks that are gone and said one of these texts, as their ids tell: of a note that another had as well."""
    blocks = {number: rows.texts(shown) for number, shown in connection.execute("SELECT number, shown FROM decisions")}
    named = {one for shown in blocks.values() for one in shown}
    there = batches.found(connection, "SELECT key FROM chunks WHERE key IN ({})", rows.keys_of(named))
    gone = named - {rows.id_of(key) for (key,) in there}
    told = (number for number, shown in blocks.items() if not gone.isdisjoint(shown))
    stories = batches.found(connection, "SELECT story FROM decisions WHERE number IN ({})", told)
    every = (one for (story,) in stories for one in orjson.loads(zstandard.decompress(story))["candidates"])
    places = {one["id"]: (one["path"], one["heading"]) for one in every if one["id"] in gone}
    return {one for one, place in places.items() if any(id_made_of(*place, text, "1") == one for text in texts)}


def reword(connection: SQLConnection, rewrite: Callable[[str], str]) -> None:
    """Let every prompt, and what a story keeps of what was said, be what ``rewrite`` makes of it."""
    every = connection.execute("SELECT number, prompt, story FROM decisions").fetchall()
    for number, prompt, story in every:
        if found := reworded(prompt, zstandard.decompress(story), rewrite):
            connection.execute(
                "UPDATE decisions SET prompt = ?, story = ? WHERE number = ?",
                (found[0], zstandard.compress(found[1], _LEVEL), number),
            )


def _without(row: tuple[str, str, bytes], gone: frozenset[str]) -> tuple[str, str, bytes] | None:
    """Return ids, prompt and story without these chunks, None when they are not in there."""
    found = without(rows.texts(row[0]), row[1], zstandard.decompress(row[2]), gone)
    return found and (rows.listed(found[0]), found[1], zstandard.compress(found[2], _LEVEL))


def _row(told: Told) -> tuple[Any, ...]:
    glance = told.glance
    return (
        *glance[:1],
        glance.at.astimezone(UTC).isoformat(),
        *glance[2:4],
        str(glance.outcome),
        *glance[5:10],
        rows.listed(glance.shown),
        rows.listed(glance.faults),
        glance.prompt,
        zstandard.compress(told.story, _LEVEL),
    )


def _glance(row: Sequence[Any]) -> Glance:
    found = Glance(*row)
    return found._replace(
        at=datetime.fromisoformat(row[1]),
        outcome=Outcome(found.outcome),
        shown=rows.texts(row[10]),
        faults=rows.texts(row[11]),
    )
