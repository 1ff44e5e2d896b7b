"""Utility breaks ties, within bounds."""

from __future__ import annotations

import pytest

from hookclaw_py.stages.utility import prefer_useful, utility
from hookclaw_py.types import Uses
from tests.conftest import candidate


@pytest.mark.parametrize(
    ("retrievals", "citations", "expected"), [(0, 0, 0.5), (2, 2, 0.5), (3, 0, 0.2), (3, 3, 0.8), (8, 4, 0.5)]
)
def test_utility_is_the_original_formula(retrievals, citations, expected):
    """keep: utility = (citations + 1) / (retrievals + 2) after 3 retrievals, before that .5."""
    assert utility(Uses(retrievals, citations)) == pytest.approx(expected)


def test_use_decides_between_equals_and_cannot_lift_the_irrelevant():
    """mend 11: utility reaches the ranking."""
    used, ignored = candidate("used", 0.5, id="1"), candidate("ignored", 0.5, id="2")
    weak, strong = candidate("weak", 0.3, id="3"), candidate("strong", 0.9, id="4")
    record = {
        used.chunk.id: Uses(10, 10),
        ignored.chunk.id: Uses(10, 0),
        weak.chunk.id: Uses(1000, 1000),
        strong.chunk.id: Uses(1000, 0),
    }
    order = [c.chunk.text for c in prefer_useful([ignored, used], record)]
    assert order == ["used", "ignored"]
    assert [c.chunk.text for c in prefer_useful([weak, strong], record)] == ["strong", "weak"]


def test_a_chunk_seldom_shown_keeps_its_score():
    assert prefer_useful([candidate("new", 0.5)], {candidate("new").chunk.id: Uses(2, 0)})[0].score == 0.5
    assert prefer_useful([candidate("new", 0.5)], {})[0].score == 0.5
