"""Which memory goes on in which passage: the likest first, then what stands where the other one stood."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.model.origin import Origin
from hookclaw_py.store.lineage import ALIKE, Passage, successors
from hookclaw_py.text import jaccard


def passage(name: str, words: str, gap: int = -1, heading: str = "H") -> Passage:
    return Passage(name, heading, frozenset(words.split()), gap)


def test_the_likest_takes_over_and_each_memory_goes_on_once():
    gone = [passage("m", "ferry leaves nine karlskrona")]
    near, nearer = passage("a", "ferry leaves ten karlskrona"), passage("b", "ferry leaves nine karlskrona today")
    assert successors(gone, [near, nearer]) == {"b": "m"}
    assert successors([*gone, passage("n", "ferry leaves ten karlskrona pier")], [near, nearer]) == {"a": "n", "b": "m"}


def test_what_has_little_in_common_goes_on_only_in_its_place():
    gone = [passage("m", "port 5432", gap=2)]
    assert successors(gone, [passage("a", "port 6000", gap=2)]) == {"a": "m"}
    assert successors(gone, [passage("a", "port 6000", gap=1)]) == {}
    assert successors(gone, [passage("a", "port 6000", gap=2, heading="Other")]) == {}
    assert successors(gone, [passage("a", "cat vet", gap=2)]) == {}
    assert successors([passage("m", "port 5432")], [passage("a", "port 6000")]) == {}, "elsewhere is no place"


def test_a_whole_section_edited_keeps_its_order():
    gone = [passage(f"m{n}", f"step word{n}", gap=1) for n in range(3)]
    assert successors(gone, [passage(f"a{n}", f"step other{n}", gap=1) for n in range(3)]) == {
        "a0": "m0", "a1": "m1", "a2": "m2",
    }  # fmt: skip


WORDS = st.frozensets(st.sampled_from("abcdefgh"), min_size=1)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_no_pair_that_is_alike_is_left_over(olds: list[frozenset[str]], news: list[frozenset[str]]):
    """The oracle looks at every pair; the search looks only at those that share a rare term."""
    gone = [Passage(f"m{n}", "", terms) for n, terms in enumerate(olds)]
    added = [Passage(f"a{n}", "", terms) for n, terms in enumerate(news)]
    found = successors(gone, added)
    assert len(set(found.values())) == len(found)
    for old in gone:
        for new in added:
            if old.name not in found.values() and new.name not in found:
                assert jaccard(old.terms, new.terms) < ALIKE


def test_what_one_trusted_less_wrote_goes_on_in_no_words_that_share_the_heading_alone():
    heading = "Remembered 2026 feb"
    noted = passage("m", "rememb 2026 feb kiln needs noted", 0, heading)._replace(origin=Origin.ANSWERED)
    aunt = passage("a", "rememb 2026 feb aunt trier", 0, heading)._replace(origin=Origin.NOTE)
    kiln = aunt._replace(terms=frozenset(["rememb", "2026", "feb", "kiln", "needs"]))
    for old, new in ((noted, aunt), (aunt, noted)):
        assert successors([old], [new]) == {}
        assert successors([old], [new._replace(origin=old.origin)]) == {new.name: old.name}
    assert successors([noted], [kiln]) == {"a": "m"}, "it is the same without its mark"
