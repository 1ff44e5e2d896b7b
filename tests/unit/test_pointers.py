"""Pointers: what only points elsewhere stands behind what says something."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pytest

from hookclaw_py import Engine
from hookclaw_py.model.types import Query
from hookclaw_py.stages import pointers
from hookclaw_py.stages.pointers import pointing
from tests.conftest import CONSTANTS, candidate

NOW = datetime(2026, 5, 1, 9, tzinfo=UTC)
BOOKMARKS = "- [boiler manual](https://example.org/b.pdf)\n- [[Boiler]]\n- https://example.org/boiler/parts"
give_way = partial(pointers.give_way, left=CONSTANTS.pointing)
INDEX = "- [[Boiler]]\n- see [[Pasta]]\n- ![[Plan.png]]"
ENGINEER = "Error F28: close the gas tap, wait. Engineer: Sandro Iseli 032 555 10 61, every September."


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (BOOKMARKS, False),
        (INDEX, True),
        ("links\n- [[A]]\n- [[B]]\n- [[C]]\n- [[D]]", True),
        ("- [[Boiler]]: close the gas tap, wait\n- [[Pasta]] is for Sundays", None),
        ("- [manual](https://example.org/b.pdf) page 14 has the errors\n- [[Boiler]] in the cellar", None),
        ("The manual is at https://example.org/b.pdf", None),
        ("[`Boiler`]: house/boiler.md#pressure\n[pump rules]: house/pump.md", True),
        ("[manual]: https://example.org/b.pdf\n[`Boiler`]: house/boiler.md", False),
        ("[^1]: closed\n[^2]: open", None),
        ("[1]: the blue key\n[2]: the red key is Tadhg's", None),
        ("- [[Mara]]", None),
        ("no links at all", None),
        ("", None),
    ],
)
def test_a_passage_points_where_hardly_any_line_says_more_than_its_links(body: str, kind: bool | None) -> None:
    assert pointing(body) is kind


def test_it_gives_way_but_for_who_asks_for_links():
    links, page = candidate(BOOKMARKS, relevance=0.96), candidate(ENGINEER, relevance=0.88)
    asked = give_way([links, page], Query("who repairs the boiler", NOW))
    assert [c.chunk.text for c in asked] == [ENGINEER, BOOKMARKS]
    assert asked[1].relevance == 0.96, "a bookmark may be all that there is"
    assert asked[1].history[-1].note == "it only points elsewhere"
    assert give_way([links, page], Query("link to the boiler manual?", NOW)) == [links, page]
    index = candidate(INDEX, relevance=0.9)
    assert give_way([index], Query("boiler", NOW))[0].relevance < 0.5, "a list of notes says nothing"


def test_an_engine_tells_what_a_note_says_and_not_the_list_that_names_it(tmp_path):
    notes = {"Links.md": f"# Boiler links\n{BOOKMARKS}\n", "Boiler.md": f"# Boiler\n{ENGINEER}\n", "House.md": INDEX}
    for name, body in notes.items():
        (tmp_path / name).write_text(body)
    with Engine.in_memory() as engine:
        engine.index(tmp_path)
        assert [c.chunk.place.path for c in engine.recall("who repairs the boiler").candidates] == ["Boiler.md"]
        assert engine.recall("link to the boiler manual").candidates[0].chunk.place.path == "Links.md"
