"""Folders: whatever one can evaluate on: memory sets, BEIR folders, workspaces with recorded prompts, original files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hookclaw_py.evaluation.sets import (
    Document,
    LabelledPrompt,
    MemorySet,
    SetError,
    digest_of,
    find,
    load_memory_set,
    read_qrels,
    rows,
)
from hookclaw_py.evaluation.vaults import is_vault


def kind_of(place: Path) -> str:
    """Say what is there: "memory", "beir", "workspace", "workspaces", "vault", "gating", "temporal" or "original" (a published file).

    Raises:
        SetError: if it is nothing of the kind.
    """
    if place.is_file():
        return "original"
    if find(place, "corpus", required=False):
        first = next(rows(find(place, "corpus")), (0, {}))[1]
        return "beir" if "_id" in first else "memory"
    if find(place, "vectors", required=False):
        return "temporal"
    if is_vault(place):
        return "vault"
    if _is_workspace(place):
        return "workspace"
    if any(_is_workspace(folder) for folder in place.iterdir() if folder.is_dir()):
        return "workspaces"
    if find(place, "prompts", required=False):
        return "gating"
    raise SetError(f"{place}: nothing here that can be evaluated; eval/README.md lists what can")


def _is_workspace(folder: Path) -> bool:
    """Say whether there are notes with prompts: an agent's, or a person's with what ``hookclaw prompts export`` wrote."""
    file = find(folder, "prompts", required=False)
    return file is not None and ((folder / "memory").is_dir() or "prompt" in next(rows(file), (0, {}))[1])


def open_set(place: Path, split: str | None = None) -> MemorySet:
    """Read any set of documents and labelled prompts.

    Raises:
        SetError: if it cannot be read, or holds prompts only.
    """
    kind = kind_of(place)
    if kind == "memory":
        return load_memory_set(place)
    if kind == "beir":
        return load_beir(place, split or "test")
    if kind == "workspace":
        return load_workspace(place)
    if kind == "workspaces":
        return load_workspaces(place)
    if kind == "original":
        from hookclaw_py.evaluation.originals import load_original

        return load_original(place)
    raise SetError(f"{place}: a {kind} set has no documents to search")


def load_beir(folder: Path, split: str) -> MemorySet:
    """Read a BEIR folder: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/<split>.tsv``; only judged queries are asked.

    Source of the format: Thakur et al., "BEIR: A Heterogeneous Benchmark", NeurIPS 2021.
    """
    qrels_file = folder / "qrels" / f"{split}.tsv"
    if not qrels_file.is_file():
        raise SetError(f"{qrels_file}: no such file; a BEIR folder has qrels/test.tsv (or another --split)")
    corpus, queries, qrels = find(folder, "corpus"), find(folder, "queries"), read_qrels(qrels_file)
    documents = tuple(
        Document(str(row["_id"]), row.get("text") or "", heading=row.get("title") or "") for _, row in rows(corpus)
    )
    prompts = tuple(
        LabelledPrompt(str(row["_id"]), row["text"], split=split)
        for _, row in rows(queries)
        if str(row["_id"]) in qrels
    )
    files = [file for file in (corpus, queries, qrels_file) if file]
    return MemorySet(folder.resolve().name, documents, prompts, qrels, split=split, digest=digest_of(files))


def load_workspace(folder: Path) -> MemorySet:
    """Read an agent's workspace, notes in ``memory/``, or a person's folder, cut into chunks as the engine does, and ``prompts.jsonl``.

    A prompt has ``prompt`` (or ``text``), ``at`` (its day: only notes of earlier days are visible) and ``relevant``, the
    passages that the next answer used: a visible chunk that holds one is relevant.
    """
    file = find(folder, "prompts")
    documents: list[Document] = []
    notes = _notes_of(folder)
    for note in notes:
        documents += _chunks_of(note, note.relative_to(folder).as_posix())
    squeezed = {document.id: " ".join(document.text.split()) for document in documents}
    prompts: list[LabelledPrompt] = []
    qrels: dict[str, dict[str, int]] = {}
    for number, row in rows(file):
        where = f"{file}:{number}"
        asked = _noon_of(row, where)
        name = str(row.get("id") or number)
        passages = [" ".join(str(passage).split()) for passage in row.get("relevant") or []]
        prompts.append(
            LabelledPrompt(
                name,
                str(row.get("prompt") or row.get("text") or ""),
                asked,
                category=str(row.get("category") or ""),
                answerable=row.get("answerable") is not False,
                before_seq=asked.toordinal(),
                answers=tuple(passages),
            )
        )
        visible = [d.id for d in documents if d.seq is None or d.seq < asked.toordinal()]
        qrels[name] = {d: 1 for d in visible if any(passage in squeezed[d] for passage in passages)}
    return MemorySet(
        folder.resolve().name,
        tuple(documents),
        tuple(prompts),
        qrels,
        digest=digest_of([*notes, *([file] if file else [])]),
    )


def load_workspaces(folder: Path) -> MemorySet:
    """Read a folder of workspaces as one set: each is a group, so that prompts can be asked of another's notes."""
    documents: list[Document] = []
    prompts: list[LabelledPrompt] = []
    qrels: dict[str, dict[str, int]] = {}
    digests = []
    for place in sorted(path for path in folder.iterdir() if path.is_dir() and _is_workspace(path)):
        one, name = load_workspace(place), place.name
        documents += [replace(d, id=f"{name}/{d.id}", group=name, session=f"{name}/{d.session}") for d in one.documents]
        prompts += [replace(p, id=f"{name}/{p.id}", group=name) for p in one.prompts]
        qrels |= {f"{name}/{p}": {f"{name}/{d}": r for d, r in truth.items()} for p, truth in one.qrels.items()}
        digests.append(one.digest)
    digest = blake2b("".join(digests).encode(), digest_size=8).hexdigest()
    return MemorySet(folder.resolve().name, tuple(documents), tuple(prompts), qrels, digest=digest)


def _notes_of(folder: Path) -> list[Path]:
    from hookclaw_py.ingest.workspace import Layout, find_notes

    if (folder / "memory").is_dir():
        return sorted([*folder.glob("MEMORY.md"), *(folder / "memory").rglob("*.md")])
    return [folder / note.path for note in find_notes(folder, Layout.NOTES, globs=(), exclude=()).notes]


def _chunks_of(note: Path, path: str) -> Sequence[Document]:
    from hookclaw_py.ingest.markdown import chunk_note

    chunks = chunk_note(
        note.read_text(encoding="utf-8", errors="replace"), path=path, evergreen=path == "MEMORY.md"
    ).chunks
    days = [chunk.created_at.toordinal() for chunk in chunks if chunk.created_at]
    return [
        Document(
            chunk.id,
            chunk.text,
            chunk.created_at,
            session=path,
            seq=max(days) if days else None,
            heading=chunk.heading,
            path=path,
            lines=chunk.place.lines,
        )
        for chunk in chunks
    ]


def _noon_of(row: dict[str, Any], where: str) -> datetime:
    try:
        found = datetime.fromisoformat(str(row["at"]))
        if len(str(row["at"])) == len(date.min.isoformat()):
            return datetime.combine(found.date(), time(12), UTC)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (KeyError, ValueError, OverflowError):
        raise SetError(f"{where}: needs `at`, a date or time as in 2026-02-20") from None
