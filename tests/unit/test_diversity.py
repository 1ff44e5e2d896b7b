"""The same thing is said once, and each further chunk should add something."""

from __future__ import annotations

import pytest

from hookclaw_py.model.kind import FACT, SESSION
from hookclaw_py.model.place import RecordPlace
from hookclaw_py.stages.diversity import maximal_marginal_relevance, remove_near_duplicates
from hookclaw_py.text import terms
from tests.conftest import candidate


def texts(candidates):
    return [c.chunk.text for c in candidates]


def scored(*pairs):
    return [candidate(body, score=score, id=str(n), terms=tuple(body.split())) for n, (body, score) in enumerate(pairs)]


def test_mmr_gives_the_reference_order():
    """keep: MMR, λ .7 → order .9, .6, .88."""
    pool = scored(("a b c d", 0.9), ("a b c d ", 0.88), ("x y z", 0.6))
    chosen, _ = maximal_marginal_relevance(pool, mmr_lambda=0.7, top_k=3)
    assert [c.score for c in chosen] == [0.9, 0.6, 0.88]


def test_lambda_one_is_plain_order_and_the_rest_is_returned():
    pool = scored(("a b", 0.9), ("a b ", 0.8), ("x y", 0.1))
    chosen, rest = maximal_marginal_relevance(pool, mmr_lambda=1.0, top_k=2)
    assert [c.score for c in chosen] == [0.9, 0.8]
    assert texts(rest) == ["x y"]


def test_identical_chunks_are_injected_once_and_the_dropped_one_says_why():
    """Mend 5: three identical chunks were injected."""
    pool = scored(("the key is abc", 0.9), ("the key is abc", 0.8), ("the key is abc", 0.7), ("other words", 0.6))
    kept, dropped = remove_near_duplicates(pool, threshold=0.8, enough=9)
    assert texts(kept) == ["the key is abc", "other words"]
    assert all("near-duplicate of memory/2026-02-10.md:1-1" in c.history[-1].note for c in dropped)


def test_chunks_without_words_are_not_duplicates_of_each_other():
    """Mend 9: two empty sets are not equal."""
    pool = [candidate("!!", 0.9, id="1", terms=()), candidate("??", 0.8, id="2", terms=())]
    assert len(remove_near_duplicates(pool, threshold=0.8, enough=9)[0]) == 2


def test_once_enough_are_distinct_the_others_are_not_compared():
    pool = scored(("a", 0.9), ("a", 0.8), ("b", 0.7), ("c", 0.6))
    kept, dropped = remove_near_duplicates(pool, threshold=0.8, enough=2)
    assert texts(kept) == ["a", "b"]
    assert [c.history[-1].note for c in dropped][1] == "beyond the best 2"


def test_an_empty_pool_chooses_nothing():
    assert maximal_marginal_relevance([], mmr_lambda=0.7, top_k=3) == ([], [])


@pytest.mark.parametrize("record_first", [True, False])
def test_what_was_distilled_and_says_no_more_than_a_note_gives_way_to_it(record_first):
    """Of a note and a record that say the same the note stays, whichever ranks higher, in the better place."""
    said = "The harbour relay runs on port 4101"
    place = RecordPlace("record:fact/ab", (1, 1))
    record = candidate(
        said, 0.9 if record_first else 0.7, id="1", kind=FACT, place=place, terms=terms(f"Fact of 2026-03-02 {said}")
    )
    note = candidate(
        f"# Ports. {said}, the exporter on 4102.", 0.8, id="2", terms=terms(f"ports {said} exporter on 4102")
    )
    other = candidate(
        "The relay belongs to Mara", 0.6, id="3", kind=FACT, place=place, terms=terms("relay belongs to Mara")
    )
    pool = sorted([record, note, other], key=lambda c: -c.score)
    kept, dropped = remove_near_duplicates(pool, threshold=0.8, enough=9)
    assert texts(kept) == texts([note, other])
    assert texts(dropped) == [said]
    assert dropped[0].history[-1].other == note.chunk.id


def test_only_what_was_distilled_gives_way_to_a_note_that_holds_all_its_words():
    short = candidate("port 4101", 0.9, id="1", terms=terms("port 4101"))
    long = candidate("port 4101 of the relay, quay two", 0.8, id="2", terms=terms("port 4101 of the relay, quay two"))
    assert remove_near_duplicates([short, long], threshold=0.8, enough=9) == ([short, long], [])
    place = RecordPlace("record:fact/ab", (1, 1))
    record = candidate("port 4101", 0.9, id="3", kind=FACT, place=place, terms=terms("port 4101"))
    said = candidate("port 4101 of the relay, quay two", 0.8, id="4", kind=SESSION, terms=long.chunk.terms)
    assert remove_near_duplicates([record, said], threshold=0.8, enough=9) == ([record, said], [])


def test_nothing_is_lost_between_what_is_kept_and_what_is_dropped():
    pool = scored(("a", 0.9), ("a", 0.8), ("b", 0.7), ("c", 0.6), ("d", 0.5), ("e", 0.4))
    kept, dropped = remove_near_duplicates(pool, threshold=0.8, enough=2)
    assert sorted(texts([*kept, *dropped])) == ["a", "a", "b", "c", "d", "e"]
