"""Memory sets: documents, labelled prompts and which document answers which prompt. The format is in ``eval/README.md``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

from hookclaw_py.errors import HookclawError

T = TypeVar("T")

UNDATED = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When a prompt without ``reference_time`` is asked."""

HOLDOUT = frozenset({"holdout", "test"})
"""Splits that tuning never sees."""

Qrels = Mapping[str, Mapping[str, int]]
"""Relevance by prompt id and document (or session) id."""


class SetError(HookclawError):
    """A memory set cannot be read; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Document:
    """One stored text: it becomes one chunk.

    ``seq`` orders a group's documents, ``family`` names related ones, ``speaker`` is the person who says it; ``path``
    (default: the session, else the group if it has an order, else the id) and ``lines`` are what the block says of where
    it comes from.
    """

    id: str
    text: str
    created_at: datetime | None = None
    group: str = ""
    session: str = ""
    seq: int | None = None
    family: str = ""
    speaker: str = ""
    heading: str = ""
    path: str = ""
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class LabelledPrompt:
    """One prompt and what is known of it.

    Only documents of its ``group`` with ``seq < before_seq`` are visible to it. ``answers`` are texts that an answer
    holds, ``stale`` the documents that a newer one has replaced, ``split`` the part of the set it belongs to.
    """

    id: str
    text: str
    asked_at: datetime = UNDATED
    category: str = ""
    group: str = ""
    answerable: bool = True
    before_seq: int | None = None
    answers: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    split: str = ""


@dataclass(frozen=True)
class MemorySet:
    """Documents, prompts and truth. ``haystacks`` gives a prompt a store of its own: these documents and no others."""

    name: str
    documents: tuple[Document, ...]
    prompts: tuple[LabelledPrompt, ...]
    qrels: Qrels = field(default_factory=dict)
    session_qrels: Qrels = field(default_factory=dict)
    haystacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    split: str = ""
    licence: str = ""
    digest: str = ""

    def limited(self, limit: int | None, split: str | None = None) -> MemorySet:
        """Return the set with the prompts of one split, and of these ``limit`` spread evenly over the set."""
        return replace(self, prompts=tuple(spread([p for p in self.prompts if split in (None, p.split)], limit)))

    def tunable(self) -> MemorySet:
        """Return the set without held-out prompts."""
        kept = () if self.split in HOLDOUT else tuple(p for p in self.prompts if p.split not in HOLDOUT)
        return replace(self, prompts=kept)

    def judged(self, level: str) -> dict[str, Mapping[str, int]]:
        """Return the relevant ids of every prompt that has an answer in the set and is judged at this level."""
        truth = self.qrels if level == "chunk" else self.session_qrels
        return {
            p.id: relevant
            for p in self.prompts
            if p.answerable and (relevant := {i: r for i, r in truth.get(p.id, {}).items() if r > 0})
        }


def spread(items: Sequence[T], limit: int | None) -> list[T]:
    """Return ``limit`` of the items, evenly spread, in their order; all of them for None."""
    if limit is None or limit >= len(items):
        return list(items)
    return [items[i * len(items) // limit] for i in range(limit)]


def load_memory_set(folder: Path) -> MemorySet:
    """Read a folder with ``corpus.jsonl[.gz]``, ``queries.jsonl[.gz]``, ``qrels.tsv`` and their optional companions.

    Raises:
        SetError: if a file is missing or a line cannot be read.
    """
    meta: dict[str, Any] = {}
    if (folder / "meta.json").exists():
        meta = _parsed((folder / "meta.json").read_text(encoding="utf-8"), f"{folder / 'meta.json'}")
    corpus, queries = find(folder, "corpus"), find(folder, "queries")
    haystacks = find(folder, "haystacks", required=False)
    documents = tuple(_document(row, f"{corpus}:{n}") for n, row in rows(corpus))
    split = str(meta.get("split", ""))
    prompts = tuple(_prompt(row, f"{queries}:{n}", split) for n, row in rows(queries))
    require_unique([d.id for d in documents], corpus)
    require_unique([p.id for p in prompts], queries)
    chunk_qrels, session_qrels = folder / "qrels.tsv", folder / "qrels.session.tsv"
    asked = {p.id for p in prompts}
    return MemorySet(
        name=str(meta.get("name") or folder.resolve().name),
        documents=documents,
        prompts=prompts,
        qrels=_judgements(chunk_qrels, asked, {d.id for d in documents}),
        session_qrels=_judgements(session_qrels, asked, {d.session for d in documents}),
        haystacks={row["qid"]: tuple(row["docs"]) for _, row in rows(haystacks)} if haystacks else {},
        split=split,
        licence=str(meta.get("licence", "")),
        digest=digest_of([f for f in (corpus, queries, haystacks, chunk_qrels, session_qrels) if f and f.exists()]),
    )


def find(folder: Path, stem: str, *, required: bool = True) -> Path | None:
    """Return ``stem.jsonl`` or ``stem.jsonl.gz`` of ``folder``."""
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        if (folder / name).is_file():
            return folder / name
    if required:
        raise SetError(f"{folder}: has no {stem}.jsonl or {stem}.jsonl.gz; eval/README.md describes the format")
    return None


def rows(file: Path | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSONL file, gzipped or not."""
    if file is None:
        return
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _parsed(line, f"{file}:{number}")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise SetError(f"{file}: cannot be read: {error}") from error


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise SetError(f"{where}: is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise SetError(f"{where}: must be an object, not {type(row).__name__}")
    return row


def _judgements(file: Path, prompts: Set[str], documents: Set[str]) -> dict[str, dict[str, int]]:
    """Read the judgements of a memory set, if it has any; one of what is not there would only count as not found."""
    truth = read_qrels(file) if file.exists() else {}
    for prompt, judged in truth.items():
        if prompt not in prompts:
            raise SetError(f"{file}: judges prompt {prompt!r}, which the queries do not have")
        for document in judged:
            if document not in documents:
                raise SetError(f"{file}: judges {document!r} for prompt {prompt!r}, which the corpus does not have")
    return truth


def read_qrels(file: Path) -> dict[str, dict[str, int]]:
    """Read TREC qrels (``prompt 0 document relevance``) or BEIR's three columns with a head line."""
    truth: dict[str, dict[str, int]] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        columns = line.split("\t") if "\t" in line else line.split()
        if not columns or (number == 1 and columns[0] in {"query-id", "qid", "query_id"}):
            continue
        try:
            prompt, document, relevance = columns[0], columns[-2], int(columns[-1])
        except (IndexError, ValueError):
            raise SetError(f"{file}:{number}: is not `prompt 0 document relevance`: {line!r}") from None
        truth.setdefault(prompt, {})[document] = relevance
    return truth


def moment(written: Any, where: str) -> datetime | None:
    """Return an ISO date or time as aware UTC; without an offset it is UTC, a bare date is its midnight."""
    if written is None or written == "":
        return None
    try:
        found = datetime.fromisoformat(str(written))
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise SetError(f"{where}: {written!r} is no ISO 8601 date or time") from None


def _document(row: Mapping[str, Any], where: str) -> Document:
    return Document(
        id=_text_of(row, "id", where),
        text=_text_of(row, "text", where),
        created_at=moment(row.get("timestamp"), where),
        group=str(row.get("group") or ""),
        session=str(row.get("session") or ""),
        seq=row.get("seq"),
        family=str(row.get("family") or ""),
        speaker=str(row.get("speaker") or ""),
        heading=str(row.get("title") or ""),
    )


def _prompt(row: Mapping[str, Any], where: str, split: str) -> LabelledPrompt:
    answer = row.get("answer")
    answers = answer if isinstance(answer, list) else [] if answer is None else [answer]
    return LabelledPrompt(
        id=_text_of(row, "id", where),
        text=_text_of(row, "text", where),
        asked_at=moment(row.get("reference_time"), where) or UNDATED,
        category=str(row.get("category") or ""),
        group=str(row.get("group") or ""),
        answerable=row.get("answerable") is not False,
        before_seq=row.get("before_seq"),
        answers=tuple(str(a) for a in answers),
        stale=tuple(row.get("stale") or ()),
        split=str(row.get("split") or split),
    )


def _text_of(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise SetError(f"{where}: needs a string {key!r}, has {value!r}")
    return value


def require_unique(ids: Sequence[str], file: Path | None) -> None:
    """Raise an error where two have the same id: one of them would be lost.

    Raises:
        SetError: naming the id.
    """
    seen: set[str] = set()
    for found in ids:
        if found in seen:
            raise SetError(f"{file}: id {found!r} occurs twice")
        seen.add(found)


def digest_of(files: Sequence[Path]) -> str:
    """Return 16 hex digits over the names and contents of ``files``."""
    digest = blake2b(digest_size=8)
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
