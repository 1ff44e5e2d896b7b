"""How private something is: what cannot be read counts as most private, and what is derived is as private as its sources."""

from __future__ import annotations

from itertools import permutations

import pytest

from hookclaw_py.model.level import MIXED, Level, Reach, inherited


def test_the_levels_are_ordered_and_told_in_a_word():
    """M27: public, low, medium, high, critical."""
    assert [level.label for level in sorted(Level)] == ["public", "low", "medium", "high", "critical"]
    assert all(Level.stored(level.label) is level for level in Level)


@pytest.mark.parametrize("word", ["hyper", "secret", "", "Lo w", "5"])
def test_a_stored_level_that_we_do_not_know_is_critical(word):
    """M27, defect 16: the old name of critical is read; the original made a wrong level low."""
    assert Level.stored(word) is Level.CRITICAL


def test_a_level_is_read_however_it_is_written():
    """M27."""
    assert Level.stored(" High ") is Level.HIGH


def test_what_is_derived_takes_the_highest_level_of_its_sources():
    """Defect 15: facts from direct messages became low."""
    sources = [Reach(Level.LOW), Reach(Level.HIGH), Reach(Level.MEDIUM)]
    assert {inherited(order) for order in permutations(sources)} == {Reach(Level.HIGH)}


@pytest.mark.parametrize(
    ("scopes", "derived"),
    [(["", ""], ""), (["s1", "s1"], "s1"), (["", "s1"], "s1"), (["s1", "s2"], MIXED), (["s1", "", MIXED], MIXED)],
)
def test_what_is_derived_takes_the_scope_that_its_sources_share(scopes, derived):
    """Defect 15. What comes out of two scopes must not reach either: it is not everybody's for that."""
    for order in permutations(scopes):
        assert inherited(Reach(Level.LOW, scope) for scope in order).scope == derived


def test_nothing_is_derived_from_nothing():
    """Defect 15: a reach is never made up."""
    with pytest.raises(ValueError, match="no sources"):
        inherited([])
