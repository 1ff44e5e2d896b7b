"""Regular expressions that are compiled when one needs them."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from hookclaw_py.regex import regex


def test_it_finds_what_a_compiled_one_finds_the_first_time_and_later():
    late, compiled = regex(r"(?P<day>\d+)\.", re.ASCII), re.compile(r"(?P<day>\d+)\.", re.ASCII)
    for text in ("on the 3. of May", "never", "12. and 13."):
        for ask in ("search", "match", "fullmatch"):
            assert str(getattr(late, ask)(text)) == str(getattr(compiled, ask)(text))
        assert late.findall(text) == compiled.findall(text)
        assert late.sub("#", text) == compiled.sub("#", text)
    assert (late.pattern, late.flags, late.groups, dict(late.groupindex)) == (
        compiled.pattern,
        compiled.flags,
        compiled.groups,
        dict(compiled.groupindex),
    )


def test_it_is_compiled_once_and_not_before_it_is_asked(monkeypatch):
    made = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: made.append(given) or real(*given))
    late = regex("a+", re.IGNORECASE)
    assert not made
    assert late.search("BAA")
    assert late.search("BAA")
    assert made == [("a+", re.IGNORECASE)]


def test_one_that_is_wrong_says_so_when_it_is_asked():
    with pytest.raises(re.error, match="unterminated"):
        regex("(a").search("a")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda late: pickle.loads(pickle.dumps(late))])
def test_a_copy_finds_the_same(copied):
    late = regex("b.")
    assert copied(late).search("abc")[0] == late.search("abc")[0] == copied(late).search("abc")[0]
