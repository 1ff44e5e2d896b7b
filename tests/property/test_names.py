"""Names of notes: read one by one they are what they are when all of them are read."""

from __future__ import annotations

import string

from hypothesis import example, given
from hypothesis import strategies as st

from hookclaw_py.store.names import Headings, name_of

# Of many words, so that two headings are alike but for their marks; and of whatever there is.
PIECES = [
    "Zeus",
    "zeus",
    "U.S.A.",
    "_zeus_",
    "C++",
    "c#",
    "--flag",
    "Zeus's",
    "src/Auth.ts",
    "LAN-9",
    "___",
    "~/x",
    "日志",
]
HEADINGS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=5).map(" ".join),
    st.lists(st.sampled_from([*PIECES, "-", "'", "’", "(", "://", ".", "\t"]), max_size=6).map("".join),
    st.text(st.sampled_from(string.printable), max_size=20),
    st.text(max_size=20),
)


@given(st.lists(HEADINGS, max_size=8), st.lists(HEADINGS, max_size=3))
@example(["Zeus", "_zeus_"], [])
@example(["LAN-9's"], [])
@example(["x" * 300 + "y"], [])
@example(["http://www.zeus.org/a,b", "a\x1cb"], [""])
def test_headings_read_one_by_one_are_those_that_all_of_them_are(headings, given):
    every = frozenset(filter(None, [*map(name_of, headings), *given]))
    names = Headings(headings, given)
    assert all(name in names for name in every)
    assert not any(other in names for other in {*headings, *map(str.lower, headings), ""} - every)
    assert names == every
    assert bool(names) == bool(every)
