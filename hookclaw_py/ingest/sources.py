"""Memory from elsewhere than the workspace: documents that are listed, read when they have changed, and forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from hashlib import blake2b
from typing import NamedTuple

from hookclaw_py.errors import IndexingError, StoreError
from hookclaw_py.ingest.echoes import Known
from hookclaw_py.ingest.gateway_files import AgentFiles, agent_files, state_folder
from hookclaw_py.ingest.indexer import IndexReport, Progress
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.kind import INDEXED, NOTE, SESSION
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import FileRecord, Replaced


class Contents(NamedTuple):
    """What a document came to; ``vectors`` are (chunk id, little-endian float32 unit vector) that need no embedding.

    ``shared`` is what it says of others than its owner hearing of it, None if nothing.
    """

    chunks: Sequence[Chunk]
    warnings: Sequence[str] = ()
    vectors: Sequence[tuple[str, bytes]] = ()
    shared: bool | None = None


class Indexable(NamedTuple):
    """Something to index: ``mark`` is another one whenever its text may be, ``recipe`` says how chunks are made of it.

    ``read`` may raise ``IndexingError``; then what was read before stays.
    """

    path: str
    mark: str
    recipe: str
    read: Callable[[], Contents]
    size: int = 0
    mtime_ns: int = 0


class Listing(NamedTuple):
    """The documents of one source. Unless it is ``complete``, one that is missing from it is not gone."""

    documents: Sequence[Indexable]
    warnings: Sequence[str] = ()
    complete: bool = True


class SourceRequest(NamedTuple):
    """What is asked of a source: the documents of one agent, for its store.

    ``state`` is OpenClaw's state folder ("" = where OpenClaw looks), ``zone`` that of the dates in headings; ``envelope`` is what the host
    wraps around prompts; a path that matches ``evergreen`` never decays; vectors of ``embedding_model`` can be taken over.
    """

    store: AgentStore
    state: str
    agent: str
    zone: tzinfo
    envelope: Envelope
    evergreen: Sequence[str] = ()
    embedding_model: str = ""

    @property
    def files(self) -> AgentFiles:
        """Where the agent's files are in OpenClaw's state folder."""
        return agent_files(state_folder(self.state), self.agent)

    def said(self) -> list[Chunk]:
        """Return what the store says, but for what was distilled of it."""
        return [chunk for chunk in self.store.all_chunks() if chunk.kind.searched]


def _sessions(request: SourceRequest) -> Listing:
    from hookclaw_py.ingest import overlap, transcripts

    def shown() -> list[tuple[str, Sequence[str]]]:
        return [(request.envelope.unwrap(one.prompt), one.shown) for one in request.store.decisions() if one.shown]

    return transcripts.list_sessions(
        request.files,
        zone=request.zone,
        known=Known(request.said, shown),
        envelope=request.envelope,
        counts=request.store.happened(),
        captured=lambda session: request.store.happenings(session, kinds=overlap.SAID),
    )


def _openclaw(request: SourceRequest) -> Listing:
    from hookclaw_py.ingest import openclaw_index

    return openclaw_index.list_index(
        request.files, store=request.store, evergreen=request.evergreen, embedding_model=request.embedding_model
    )


READERS: dict[str, Callable[[SourceRequest], Listing]] = {SESSION.name: _sessions, INDEXED.name: _openclaw}
"""How each kind but the notes comes in, in the order in which a text that several have is taken."""


def index_sources(
    request: SourceRequest,
    sources: Sequence[str],
    *,
    model_id: str = "",
    progress: Progress | None = None,
    wait_seconds: float = 0.0,
) -> IndexReport:
    """Bring the store up to date with every source but the notes; what came from one that is switched off is forgotten.

    Vectors that are taken over are ours of ``model_id``.

    Raises:
        IndexingError: if another process is indexing.
        StoreError: if the database cannot be written.
    """
    store = request.store

    def listed(kind: str) -> Listing:
        try:
            return READERS[kind](request)
        except IndexingError as error:
            return Listing([], [str(error)], complete=False)

    known = store.files()
    ours = {path for path, record in known.items() if record.kind is NOTE}
    if not set(sources) & set(READERS) and len(ours) == len(known):
        return IndexReport()
    report = IndexReport()
    with store.alone(wait_seconds):
        for kind in READERS:
            mine = {path: one for path, one in known.items() if one.kind.name == kind and not one.captured}
            listing = listed(kind) if kind in sources else Listing([])
            documents = [document for document in listing.documents if document.path not in ours]
            ours |= {document.path for document in documents}
            report += _synchronised(store, listing._replace(documents=documents), mine, model_id, progress)
        store.prune()
    return report


def look_of(state: str, agent: str) -> str:
    """Return what is another whenever OpenClaw may have written something of this agent's; "" when there is nothing."""
    try:
        files = agent_files(state_folder(state), agent)
        folders = [files.sessions, files.database.parent]
        found = [entry for folder in folders if folder.is_dir() for entry in os.scandir(folder)]
        told = [(entry.path, status.st_size, status.st_mtime_ns) for entry in found for status in [entry.stat()]]
        index = files.old_index.stat().st_mtime_ns if files.old_index.exists() else 0
    except (IndexingError, OSError):  # it is told when it is read
        return ""
    changing = [one for one in told if not one[0].endswith(("-shm", ".lock", ".tmp"))]
    return blake2b(repr((sorted(changing), index)).encode(errors="replace"), digest_size=8).hexdigest()


def _synchronised(
    store: AgentStore, listing: Listing, known: Mapping[str, FileRecord], model_id: str, progress: Progress | None
) -> IndexReport:
    warnings = list(listing.warnings)
    replaced: list[Replaced] = []
    unchanged = 0
    for number, document in enumerate(listing.documents):
        if progress:
            progress(document.path, number, len(listing.documents))
        before = known.get(document.path)
        if before and (before.digest, before.recipe) == (document.mark, document.recipe):
            unchanged += 1
            warnings += [f"{document.path}: {warning}" for warning in before.warnings]
            continue
        try:
            contents = document.read()
        except IndexingError as error:
            warnings.append(str(error))
            continue
        outcome, more = _stored(store, document, contents, model_id)
        warnings += [f"{document.path}: {warning}" for warning in (*contents.warnings, *more)]
        replaced.append(outcome)
    present = {document.path for document in listing.documents}
    gone = [path for path in known if path not in present] if listing.complete else []
    lost = sum(store.forget_file(path) for path in gone)
    return IndexReport(
        seen=len(listing.documents),
        unchanged=unchanged,
        changed=len(replaced),
        deleted=len(gone),
        added=sum(one.added for one in replaced),
        kept=sum(one.kept for one in replaced),
        removed=sum(one.removed for one in replaced) + lost,
        warnings=tuple(warnings),
    )


def _stored(store: AgentStore, document: Indexable, contents: Contents, model_id: str) -> tuple[Replaced, list[str]]:
    outcome = store.replace_file(
        document.path,
        chunks=contents.chunks,
        digest=document.mark,
        size=document.size,
        mtime_ns=document.mtime_ns,
        recipe=document.recipe,
        warnings=contents.warnings,
        shared=contents.shared,
    )
    try:
        store.add_embeddings(model_id, contents.vectors if model_id else ())
    except StoreError as error:  # of another dimension, say; then they are embedded here
        return outcome, [f"OpenClaw's vectors are not used: {error}"]
    return outcome, []
