"""OpenClaw's own memory index as a source: the texts it holds that are not among our notes, read only.

Up to 2026.7 it is ``memory/<agent>.sqlite`` (tables files and chunks, vectors as JSON), since 2026.8 it is part of the
agent's database (``memory_index_sources`` and ``memory_index_chunks``, vectors as little-endian float64). Its chunks
are long and overlap, so a file is put together again and chunked like a note, unless the vectors can be used as they
are. Sessions in it are not read: ``sources`` has a word of its own for them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hookclaw_py import text as words
from hookclaw_py.errors import EmbeddingError
from hookclaw_py.ingest.dating import date_in
from hookclaw_py.ingest.frontmatter import read_front_matter
from hookclaw_py.ingest.gateway_files import AgentFiles, belongs, reading, some_columns
from hookclaw_py.ingest.markdown import CHUNKER_VERSION, chunk_note
from hookclaw_py.ingest.sources import Contents, Indexable, Listing
from hookclaw_py.model.ids import id_made_of
from hookclaw_py.model.kind import INDEXED
from hookclaw_py.model.origin import lowest
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.types import Chunk
from hookclaw_py.patterns import Patterns
from hookclaw_py.privacy.marked import private_blanked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.store.ports import Notes
from hookclaw_py.text import TOKENIZER_VERSION

if TYPE_CHECKING:
    from hookclaw_py.model.vectors import Vector


class _Schema(NamedTuple):
    files: str
    chunks: str


_NEW = _Schema("memory_index_sources", "memory_index_chunks")
_OLD = _Schema("files", "chunks")
_CHUNK = ("start_line", "end_line", "model", "text", "embedding")


def list_index(files: AgentFiles, *, store: Notes, evergreen: Sequence[str], embedding_model: str) -> Listing:
    """List what OpenClaw has indexed for one agent. Vectors of ``embedding_model`` ("" = of none) are taken over.

    Raises:
        IndexingError: if one of its databases cannot be read at the moment.
    """
    timeless = Patterns(evergreen)
    known = _known_texts(store)
    listed: dict[str, Indexable] = {}
    for database, folder, schema in (
        (files.old_index, files.old_index.parent, _OLD),
        (files.database, files.root, _NEW),
    ):
        if not belongs(database, folder):
            continue
        with reading(database) as connection:
            models = _models(connection, schema)
            found = some_columns(connection, schema.files, ("path", "source", "hash", "size", "mtime"))
        for file in found:
            path = file["path"]
            if file.get("source", "memory") == "sessions" or path not in models:
                continue
            is_timeless = timeless.match(path)
            listed[path] = Indexable(
                path=path,
                mark=f"{file['hash']} {models[path]}",
                recipe=f"{INDEXED.name} chunker {CHUNKER_VERSION}, tokenizer {TOKENIZER_VERSION}, vectors of "
                f"{embedding_model or 'none'}{', evergreen' if is_timeless else ''}",
                read=partial(_read, database, schema, path, known, is_timeless, embedding_model),
                size=int(file["size"]),
                mtime_ns=int(file["mtime"] * 1_000_000),
            )
    return Listing([listed[path] for path in sorted(listed)])


def _models(connection: sqlite3.Connection, schema: _Schema) -> dict[str, str]:
    """Return by path how many chunks there are, and of which model: both change while an index is being built."""
    rows = some_columns(connection, schema.chunks, ("path", "source", "model"))
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.get("source", "memory") != "sessions":
            found.setdefault(row["path"], []).append(row["model"])
    return {path: f"{len(models)} {' '.join(sorted(set(models)))}" for path, models in found.items()}


def _known_texts(store: Notes) -> Callable[[], frozenset[bytes]]:
    @cache
    def known() -> frozenset[bytes]:
        return frozenset(_digest(c.text) for c in store.all_chunks() if c.kind.searched and c.kind is not INDEXED)

    return known


def _read(
    database: Path,
    schema: _Schema,
    path: str,
    known: Callable[[], frozenset[bytes]],
    evergreen: bool,
    embedding_model: str,
) -> Contents:
    with reading(database) as connection:
        rows = some_columns(
            connection,
            schema.chunks,
            _CHUNK,
            "WHERE path = ? AND source <> 'sessions' ORDER BY start_line, end_line, rowid",
            (path,),
        )
    rows = [row for row in rows if row["text"].strip()]
    whole = _put_together(rows)
    front = read_front_matter(whole)
    if front.private:
        return Contents([], ["says private: true, or sensitivity: critical, and is not indexed"], shared=False)
    marked = private_blanked(whole) != whole  # its chunks, torn apart, would not know where that ends
    vectors = (
        _vectors(rows) if not marked and embedding_model and {row["model"] for row in rows} == {embedding_model} else []
    )
    if vectors:
        chunks = _as_they_are(rows, path, whole, evergreen)
    else:
        note = chunk_note(whole, path=path, evergreen=evergreen)
        chunks = [_sourced(chunk) for chunk in note.chunks]
    kept = [chunk for chunk in chunks if _digest(chunk.text) not in known()]
    wanted = {chunk.id for chunk in kept}
    usable = [
        (chunk.id, vector.astype("<f4").tobytes())
        for chunk, vector, row in zip(chunks, vectors, rows, strict=False)
        if chunk.id in wanted and chunk.text == row["text"]
    ]
    return Contents(kept, vectors=usable, shared=front.shared)


def _put_together(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the file's text: chunks are stretches of lines that overlap, a very long line is in several chunks."""
    lines: dict[int, str] = {}
    for row in rows:
        pieces = row["text"].split("\n")
        if len(pieces) == row["end_line"] - row["start_line"] + 1 > 1:
            for number, piece in enumerate(pieces, row["start_line"]):
                lines.setdefault(number, piece)
        elif row["text"] not in lines.get(row["start_line"], ""):
            lines[row["start_line"]] = lines.get(row["start_line"], "") + row["text"]
    return "\n".join(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))


def _as_they_are(rows: Iterable[Mapping[str, Any]], path: str, whole: str, evergreen: bool) -> list[Chunk]:
    front = read_front_matter(whole)
    dated = None if evergreen or front.evergreen else date_in(path)[0] or front.created_at
    chunks = []
    for number, row in enumerate(rows):
        body = strip_own_blocks(row["text"])
        chunks.append(
            Chunk(
                id=id_made_of(INDEXED.name, path, str(number), body),
                text=body,
                place=FilePlace(path, (row["start_line"], row["end_line"])),
                kind=INDEXED,
                created_at=dated,
                terms=words.terms(body),
            )
        )
    return chunks


def _sourced(chunk: Chunk) -> Chunk:
    from dataclasses import replace

    return replace(chunk, kind=INDEXED, origin=lowest([INDEXED.origin, chunk.origin]))


def _vectors(rows: Iterable[Mapping[str, Any]]) -> list[Vector]:
    """Return a unit vector for each row; none at all if one cannot be used."""
    import numpy as np

    from hookclaw_py.search.embedders import unit

    try:
        found = [
            unit(
                np.frombuffer(raw, "<f8") if isinstance(raw := row["embedding"], bytes) else np.array(json.loads(raw)),
                "OpenClaw's index",
            )
            for row in rows
        ]
    except (EmbeddingError, ValueError, TypeError):
        return []
    return found if len({vector.shape for vector in found}) == 1 and found[0].ndim == 1 else []


def _digest(text: str) -> bytes:
    return blake2b(" ".join(text.split()).encode(), digest_size=16).digest()
