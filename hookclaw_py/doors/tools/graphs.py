"""How memories hang together, told in a line each, or in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.telling import type_of
from hookclaw_py.model.record import Link, Record
from hookclaw_py.stages import render
from hookclaw_py.stages.links import Graph, walk

NODES = 30
"""Memories of one graph at most: of a hub everything is near."""


class Neighbourhood(NamedTuple):
    """Which links are followed, how far, and how they are told."""

    depth: int = 1
    mode: str = "summary"
    direction: str = "both"
    relations: Sequence[str] = ()
    least: float = 0.0

    def follows(self, link: Link, near: Sequence[str]) -> bool:
        """Say whether a link leads on from what is ``near``."""
        ways = {"outgoing": link.source in near, "incoming": link.target in near}
        known = not self.relations or link.relation in self.relations
        return known and link.strength >= self.least and ways.get(self.direction, True)


def reached(desk: ToolDesk, roots: Sequence[str], wanted: Neighbourhood) -> tuple[Graph, dict[str, Record]]:
    """Follow the links of memories; return what was reached, and those records by id."""
    known: dict[str, Record] = {}

    def links_of(near: Sequence[str]) -> Iterable[Link]:
        return (link for link in desk.store.record_links(near) if wanted.follows(link, near))

    def seen(ids: Sequence[str]) -> dict[str, float]:
        there = {one: record for one in ids if (record := desk.store.record(one)) and desk.sees(record)}
        known.update(there)
        return {one: record.salience_by(desk.now) for one, record in there.items()}

    graph = walk(roots, links_of=links_of, seen=seen, hops=wanted.depth, max_nodes=NODES)
    return graph, {node.id: known[node.id] for node in graph.nodes}


def context(desk: ToolDesk, roots: Sequence[str], wanted: Neighbourhood) -> dict[str, Any]:
    """Return the graph around memories as a tool tells it; nothing where nothing is linked."""
    if not roots or not wanted.depth:
        return {}
    graph, records = reached(desk, roots, wanted)
    if not graph.edges:
        return {}
    if wanted.mode == "full":
        nodes = [
            {"id": node.id, "subject": _called(records[node.id]), "memory_type": type_of(records[node.id])}
            for node in graph.nodes
        ]
        return {"graph_context": {"nodes": nodes, "edges": [_edge(link) for link in graph.edges]}}
    lines = [line for node in graph.nodes if (line := _line(records[node.id], graph.edges))]
    return {"graph_context": "\n".join(lines)}


def _line(record: Record, edges: Iterable[Link]) -> str:
    """Return `SUBJECT | N connections | avg S | >out,<in,<>both`."""
    mine = [link for link in edges if record.id in (link.source, link.target)]
    if not mine:
        return ""
    out = {str(link.relation) for link in mine if link.source == record.id}
    into = {str(link.relation) for link in mine if link.target == record.id}
    words = sorted(
        [*(f"<>{one}" for one in out & into), *(f">{one}" for one in out - into), *(f"<{one}" for one in into - out)]
    )
    strength = sum(link.strength for link in mine) / len(mine)
    return f"{_called(record)} | {len(mine)} connections | avg {strength:.2f} | {','.join(words)}"


def _called(record: Record) -> str:
    return render.clean(record.title or " ".join(record.body.split())[:60])


def _edge(link: Link) -> dict[str, Any]:
    told = {"source": link.source, "relation": str(link.relation), "target": link.target, "strength": link.strength}
    return told | ({"by": link.by} if link.by else {})


def in_degree(desk: ToolDesk, memory_id: str, standing: Callable[[str], bool]) -> int:
    """Return how many memories that stand lead to one."""
    links = desk.store.record_links([memory_id])
    return len({link.source for link in links if link.target == memory_id and standing(link.source)})
