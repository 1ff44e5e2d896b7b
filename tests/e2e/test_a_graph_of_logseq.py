"""A graph as Logseq leaves it: outlines with tasks, what it keeps for itself below a block, and copies of what was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hookclaw_py.engine import Engine
from hookclaw_py.model.types import Injection
from tests.conftest import write_notes

GRAPH = {
    "logseq/config.edn": "{:meta/version 1}",
    "logseq/bak/pages/flat/2026-06-20T08_11_02.120Z.Desktop.md": "- rent 740, landlord Herr Senn\n",
    "logseq/version-files/local/pages/flat/2026.md": "- rent 720, landlord Herr Senn\n",
    "pages/flat.md": "type:: home\n\n- rent 770, landlord Herr Senn\n",
    "journals/2026_10_14.md": (
        "- met Soledad, she has an antibody\n"
        "  id:: 6710bb02-2222-4d3f-8b72-1e2b4f6a8b02\n  collapsed:: true\n"
        "\t- will send 50 µl on dry ice\n\t  :LOGBOOK:\n"
        "\t  CLOCK: [2026-10-14 Wed 10:12:07]--[2026-10-14 Wed 10:20:44] =>  00:08:37\n\t  :END:\n"
    ),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        engine.index(write_notes(tmp_path_factory.mktemp("graph"), GRAPH))
        yield engine


def asked(engine: Engine, prompt: str) -> Injection:
    return engine.recall(prompt, at=datetime(2026, 11, 28, 9, 0, tzinfo=UTC))


def test_copies_of_what_a_page_said_before_are_no_notes(engine: Engine):
    held = {chunk.place.path for chunk in engine.store.all_chunks()}
    assert held == {path for path in GRAPH if path.startswith(("pages/", "journals/"))}


def test_what_the_app_keeps_for_itself_below_a_block_is_not_told(engine: Engine):
    told = asked(engine, "who sends the antibody from Soledad?").text
    assert "\t- will send 50 µl on dry ice\n" in told
    assert not any(mark in told for mark in ("id::", "collapsed::", "LOGBOOK", "CLOCK", ":END:"))
