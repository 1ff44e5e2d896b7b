"""Review: what is held back because it is not the person's own, why, and what they say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hookclaw_py.errors import StoreError
from hookclaw_py.hosts.checks import Check, fine, note
from hookclaw_py.insight.printing import counted
from hookclaw_py.model.origin import POLICIES, Confirmed, Tier
from hookclaw_py.model.types import Chunk
from hookclaw_py.privacy.plain import plain
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.stages.trust import is_held, orders_of, source_of
from hookclaw_py.store.confirming import confirmed_of, keep_confirmed
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.text import on_one_line

SNIPPET = 90


class HeldMemory(NamedTuple):
    """A passage that is not told unasked: from which source, whose words it holds, the line that gives orders, if one does."""

    id: str
    memory: str
    source: str
    place: str
    origin: str
    why: str
    text: str
    confirmed: bool


def held_back(store: AgentStore) -> list[HeldMemory]:
    """Return what is held back, by source and place; also what was confirmed since."""
    confirmed = confirmed_of(store)
    return [_held(chunk, confirmed) for chunk in store.all_chunks() if is_held(chunk)]


def confirm(store: AgentStore, memory: str) -> bool:
    """Let one memory be told like the person's own; say whether that is news."""
    before = confirmed_of(store)
    keep_confirmed(store, before._replace(memories=before.memories | {memory}))
    return memory not in before.memories


def trust_source(store: AgentStore, source: str) -> int:
    """Let all of a source be told like the person's own, now and later: a file, a folder, a session; return how much that is.

    Raises:
        StoreError: if nothing is held back from there.
    """
    before, named = confirmed_of(store), source.rstrip("/")
    there = [chunk for chunk in store.all_chunks() if Confirmed(sources=(named,)).holds(chunk.memory, source_of(chunk))]
    if not there:
        raise StoreError(f"there is nothing from {source!r}; `hookclaw review` lists the sources")
    keep_confirmed(store, before._replace(sources=tuple({*before.sources, named})))
    return len(there)


def doubt(store: AgentStore, named: str) -> bool:
    """Take a confirmation back, of a memory or a source; say whether there was one."""
    before, source = confirmed_of(store), named.rstrip("/")
    after = Confirmed(before.memories - {named}, tuple(one for one in before.sources if one != source))
    keep_confirmed(store, after)
    return after != before


def memories_from(store: AgentStore, source: str) -> list[str]:
    """Return the memories that are held back from a source.

    Raises:
        StoreError: if there are none.
    """
    whole = Confirmed(sources=(source.rstrip("/"),))
    found = [one.memory for one in held_back(store) if whole.holds(one.memory, one.source)]
    if not found:
        raise StoreError(f"nothing is held back from {source!r}; `hookclaw review` lists the sources")
    return found


def review_lines(held: Sequence[HeldMemory]) -> Iterator[str]:
    """Yield what is held back for people, source by source."""
    for source in dict.fromkeys(one.source for one in held):
        of_it = [one for one in held if one.source == source]
        yield f"{plain(source)}  ({of_it[0].origin}, {counted(len(of_it), 'passage')})"
        for one in of_it:
            yield f"  {one.id[:8]}  {'confirmed' if one.confirmed else one.why}"
            yield f"            {one.text}"


def trust_checks(store: AgentStore, *, agent: str) -> Iterator[Check]:
    """Yield what the doctor says of it."""
    held = [one for one in held_back(store) if not one.confirmed]
    if not held:
        yield fine("trust", "everything that is remembered is your own, an agent's, or confirmed by you")
    else:
        yield note("trust", held_line(held), f"hookclaw --agent {agent} review")


def held_line(held: Sequence[HeldMemory]) -> str:
    """Say how much is held back, and how much of that gives orders."""
    orders = sum(one.why.startswith("speaks") for one in held)
    sources = counted(len({one.source for one in held}), "source")
    told = f"{counted(len(held), 'passage')} of {sources} held back: not your own words"
    return f"{told}, {orders} of them speak to an agent" if orders else told


def _held(chunk: Chunk, confirmed: Confirmed) -> HeldMemory:
    orders = orders_of(chunk)
    called = POLICIES[chunk.origin].called
    unasked = "told only if you ask for such" if chunk.kind.speakers else "told only where no note of yours answers"
    return HeldMemory(
        id=chunk.id,
        memory=chunk.memory,
        source=source_of(chunk),
        place=str(chunk.place),
        origin=called if chunk.origin.tier is not Tier.OWN else "",
        why=f"speaks to an agent: {plain(orders)[:SNIPPET]}" if orders else f"{called}: {unasked}",
        text=on_one_line(plain(redact(chunk.text)), SNIPPET),
        confirmed=confirmed.holds(chunk.memory, source_of(chunk)),
    )
