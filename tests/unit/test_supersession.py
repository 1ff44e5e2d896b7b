"""Of two notes on the same subject the newer one comes first."""

from __future__ import annotations

from datetime import UTC, datetime

from hookclaw_py import text
from hookclaw_py.stages.supersession import prefer_newer
from tests.conftest import candidate

MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
ASKED = text.terms("What port does the staging database use?")
OLD = "The staging database listens on port 5432."
NEW = "The staging database listens on port 6432 since the move."


def bodies(candidates):
    return [c.chunk.text for c in candidates]


def test_the_newer_of_two_rival_notes_takes_the_place_of_the_older():
    pool = [
        candidate(OLD, 0.9, created_at=MARCH),
        candidate("The cat is called Whiskers.", 0.8, created_at=MARCH),
        candidate(NEW, 0.7, created_at=APRIL),
    ]
    ordered = prefer_newer(pool, ASKED)
    assert bodies(ordered) == [NEW, "The cat is called Whiskers.", OLD]
    assert [c.score for c in ordered] == [0.9, 0.8, 0.7]
    assert [c.superseded for c in ordered] == [False, False, True]
    assert ordered[0].history[-1].note == "newer than memory/2026-02-10.md:1-1"
    assert ordered[2].history[-1].note == "superseded by memory/2026-02-10.md:1-1"


def test_of_three_versions_the_newest_is_first_and_the_oldest_last():
    versions = [candidate(f"The staging database listens on port {n}.", 1 - n / 10, lines=(n, n)) for n in (1, 2, 3)]
    assert [c.chunk.lines[0] for c in prefer_newer(versions, ASKED)] == [3, 2, 1]


def test_a_note_that_is_newer_already_above_or_about_something_else_moves_nothing():
    right = [candidate(NEW, 0.9, created_at=APRIL), candidate(OLD, 0.7, created_at=MARCH)]
    assert prefer_newer(right, ASKED) == right
    other = [
        candidate(OLD, 0.9, created_at=MARCH),
        candidate("The production database listens on port 7432.", 0.7, created_at=APRIL),
    ]
    assert prefer_newer(other, ASKED) == other  # it says nothing of staging


def test_without_a_difference_in_date_only_notes_of_one_file_have_an_order():
    same_file = [candidate(OLD, 0.9, lines=(1, 1)), candidate(NEW, 0.7, lines=(9, 9))]
    assert bodies(prefer_newer(same_file, ASKED)) == [NEW, OLD]
    two_files = [candidate(OLD, 0.9, path="a.md"), candidate(NEW, 0.7, path="b.md", lines=(9, 9))]
    assert prefer_newer(two_files, ASKED) == two_files
    undated = [candidate(OLD, 0.9, created_at=None), candidate(NEW, 0.7, created_at=APRIL, lines=(9, 9))]
    assert prefer_newer(undated, ASKED) == undated


def test_notes_that_hold_nothing_of_the_query_supersede_nothing():
    pool = [candidate(OLD, 0.9, created_at=MARCH), candidate(NEW, 0.7, created_at=APRIL)]
    assert prefer_newer(pool, text.terms("Who fixed the printer?")) == pool
