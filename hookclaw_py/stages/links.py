"""Links: what a record hangs together with, hop by hop: what it was made of, what it took the place of, what denies it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from hookclaw_py.model.record import Link


class Node(NamedTuple):
    """A record that was reached: its id, in how many hops, and its salience by now."""

    id: str
    hop: int
    salience: float


class Graph(NamedTuple):
    """Records in the order in which they were reached, and the links between them that were followed."""

    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]


def walk(
    roots: Sequence[str],
    *,
    links_of: Callable[[Sequence[str]], Iterable[Link]],
    seen: Callable[[Sequence[str]], Mapping[str, float]],
    hops: int = 1,
    max_roots: int = 10,
    max_nodes: int = 25,
    max_edges: int = 100,
) -> Graph:
    """Follow the links of ``roots`` breadth first, in either direction: the roots, then hop by hop, the most salient first.

    ``links_of`` returns the links that begin or end at some ids, ``seen`` the salience by now of those ids that may be seen:
    what may not leads nowhere and is not told of.
    """
    there = seen(list(dict.fromkeys(roots)))
    frontier = [name for name in dict.fromkeys(roots) if name in there][: min(max_roots, max_nodes)]
    nodes = {name: Node(name, 0, there[name]) for name in frontier}
    followed: dict[Link, None] = {}
    for hop in range(1, hops + 1):
        if not frontier:
            break
        links = sorted(set(links_of(frontier)))
        followed |= dict.fromkeys(links)
        near = sorted({end for link in links for end in (link.source, link.target)} - nodes.keys())
        there = seen(near)
        found = sorted((Node(name, hop, there[name]) for name in near if name in there), key=_salient_first)
        found = found[: max_nodes - len(nodes)]
        nodes |= {node.id: node for node in found}
        frontier = [node.id for node in found]
    edges = [link for link in followed if link.source in nodes and link.target in nodes]
    return Graph(tuple(nodes.values()), tuple(edges[:max_edges]))


def _salient_first(node: Node) -> tuple[float, str]:
    return -node.salience, node.id
