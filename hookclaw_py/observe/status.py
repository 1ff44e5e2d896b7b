"""What a store holds, how fresh it is and what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hookclaw_py.calibration.findings import NullSample
from hookclaw_py.config import Config
from hookclaw_py.errors.remedies import index_command, is_gone
from hookclaw_py.search.embedders import Unavailable
from hookclaw_py.search.ports import Embedder
from hookclaw_py.store.freshness import documents_in, indexed_at
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.recalled import ANSWERED_FROM
from hookclaw_py.store.switches import Switches


@dataclass(frozen=True, slots=True)
class Status:
    """What a store holds and how fresh it is: ``files``, ``shared`` of which others than the owner may hear of.

    ``conversations`` are transcripts, and what was captured of a session on a day; ``saved`` is what agents saved;
    ``indexed_at`` is when the notes were read last.
    """

    agent: str
    folder: str
    workspaces: tuple[str, ...]
    files: int
    conversations: int
    saved: int
    shared: int
    chunks: int
    embedded: int
    generation: int
    indexed_at: datetime | None
    embedder: str
    null_sample: NullSample | None
    problems: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def status_of(
    store: AgentStore,
    embedder: Embedder | None,
    *,
    agent: str,
    workspaces: Sequence[str],
    shared: int,
    null: NullSample | None,
    troubles: Sequence[str],
    remarks: Sequence[str] = (),
) -> Status:
    """Look at ``store``; ``troubles`` are what went wrong when it was opened, ``remarks`` what one should know all the same."""
    model_id = embedder.model_id if embedder is not None else ""
    pending = store.pending_count(model_id) if model_id else 0
    chunks = store.count(ANSWERED_FROM)
    return Status(
        agent=agent,
        folder=store.place,
        workspaces=tuple(workspaces),
        **documents_in(store)._asdict(),
        shared=shared,
        chunks=chunks,
        embedded=(store.embedded_count(model_id, ANSWERED_FROM) if pending else chunks) if model_id else 0,
        generation=store.generation(),
        indexed_at=indexed_at(store),
        embedder=model_id,
        null_sample=null,
        problems=(*troubles, *_of_the_file(store), *_problems(embedder, chunks, pending, workspaces, agent=agent)),
        remarks=tuple(filter(None, remarks)),
    )


def silences(switches: Switches, config: Config, *, now: datetime) -> Iterator[str]:
    """Say why nothing is told at the moment, where a person wants that."""
    if paused := switches.paused(now):
        yield f"{'' if paused.agent else 'all agents are '}paused {paused}: nothing is told, nothing is captured"
    if config.shadow:
        yield "shadow mode: nothing is told; `hookclaw history` says what would have been"


def _of_the_file(store: AgentStore) -> Iterator[str]:
    if store.damage:
        yield store.damage
    if store.unwritable:
        yield f"{store.unwritable}; what it holds is found, and nothing is recorded"
    if store.replaced and indexed_at(store) is None:
        yield (
            "the store was deleted or replaced under this process, and the notes were not read since; "
            "run `hookclaw index FOLDER`"
        )


def _problems(
    embedder: Embedder | None, chunks: int, pending: int, workspaces: Sequence[str], *, agent: str
) -> Iterator[str]:
    """Say what is wrong; that there are no notes is nothing wrong where something was learned from sessions."""
    index = index_command(agent)
    if isinstance(embedder, Unavailable):
        yield f"{embedder.problem}; keywords answer alone"
    elif pending:
        yield f"{pending} {'text is' if pending == 1 else 'texts are'} not embedded yet; run `{index}` to go on"
    gone = [folder for folder in workspaces if not os.path.isdir(folder)]
    for folder in gone:
        yield is_gone(folder, agent)
    if not (workspaces or chunks):
        yield f"no folder of notes has been indexed; run `{index} FOLDER`"
    elif not (chunks or gone):
        yield f"nothing is remembered: the notes in {' and '.join(workspaces)} say nothing yet"
