"""From a record one comes to what it hangs together with, within limits, and never to what may not be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hookclaw_py.model.record import Link, Relation
from hookclaw_py.stages.links import Graph, walk


def link(source: str, target: str) -> Link:
    return Link(source, Relation.DERIVED_FROM, target)


CHAIN = [link("a", "b"), link("b", "c")]


def walked(links: Sequence[Link], roots: Sequence[str], salience: Mapping[str, float] | None = None, **limits) -> Graph:
    known = {end: 0.5 for each in links for end in (each.source, each.target)} if salience is None else salience

    def links_of(ids: Sequence[str]) -> list[Link]:
        return [each for each in links if {each.source, each.target} & set(ids)]

    def seen(ids: Sequence[str]) -> dict[str, float]:
        return {name: known[name] for name in ids if name in known}

    return walk(roots, links_of=links_of, seen=seen, **limits)


def names(graph: Graph) -> str:
    return "".join(node.id for node in graph.nodes)


@pytest.mark.parametrize(
    ("limits", "nodes", "edges"),
    [
        ({"hops": 0}, "a", []),
        ({"hops": 1}, "ab", CHAIN[:1]),
        ({"hops": 2}, "abc", CHAIN),
        ({"hops": 2, "max_nodes": 2}, "ab", CHAIN[:1]),
        ({}, "ab", CHAIN[:1]),
    ],
)
def test_hops_and_nodes_are_limited_and_an_edge_needs_both_its_ends(limits, nodes, edges):
    """M41, vector 28."""
    graph = walked(CHAIN, ["a"], **limits)
    assert (names(graph), list(graph.edges)) == (nodes, edges)


def test_roots_come_first_then_hop_by_hop_the_most_salient():
    """M41: order roots, hop, salience; ties by id."""
    links = [link("r", "x"), link("r", "y"), link("r", "z"), link("x", "far")]
    salience = {"r": 0.1, "s": 0.9, "x": 0.2, "y": 0.8, "z": 0.2, "far": 1.0}
    graph = walked(links, ["r", "s", "r"], salience, hops=2)
    assert [(node.id, node.hop) for node in graph.nodes] == [
        ("r", 0),
        ("s", 0),
        ("y", 1),
        ("x", 1),
        ("z", 1),
        ("far", 2),
    ]
    assert names(walked(links, ["r"], salience, max_nodes=2)) == "ry"


def test_links_are_followed_from_either_end_and_circles_have_an_end():
    """M41: what took the place of a record is found from the record, too."""
    assert names(walked(CHAIN, ["c"], hops=2)) == "cba"
    circle = [link("a", "b"), link("b", "a"), link("a", "a")]
    graph = walked(circle, ["a"], hops=99)
    assert names(graph) == "ab"
    assert set(graph.edges) == set(circle)


def test_there_are_at_most_ten_roots_twenty_five_nodes_and_a_hundred_edges():
    """M41."""
    star = [link("a", f"n{n:03}") for n in range(200)]
    graph = walked(star, ["a"])
    assert (len(graph.nodes), len(graph.edges)) == (25, 24)
    assert len(walked(star, [f"n{n:03}" for n in range(50)], hops=0).nodes) == 10
    many = [Link("a", relation, f"n{n}") for n in range(24) for relation in Relation]
    more = [Link(f"n{n}", relation, "a") for n in range(24) for relation in Relation]
    assert len(walked([*many, *more], ["a"]).edges) == 100


def test_what_may_not_be_seen_is_not_told_of_and_leads_nowhere():
    """M41, M29."""
    graph = walked(CHAIN, ["a"], {"a": 1.0, "c": 1.0}, hops=2)
    assert (names(graph), graph.edges) == ("a", ())
    assert walked(CHAIN, ["b"], {"a": 1.0}) == Graph((), ())
    assert walked(CHAIN, ["b"], {"b": 1.0}).edges == ()
