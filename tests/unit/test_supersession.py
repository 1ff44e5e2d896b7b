"""Of two notes on the same subject the newer one comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from hookclaw_py import text
from hookclaw_py.model.types import Effect, Period
from hookclaw_py.stages import supersession
from hookclaw_py.stages.supersession import AMONG
from tests.conftest import candidate

MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
prefer_newer = partial(supersession.prefer_newer, now=datetime(2026, 5, 1, tzinfo=UTC), period=None, zone=UTC)
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
    ordered = prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3)
    assert bodies(ordered) == [NEW, "The cat is called Whiskers.", OLD]
    assert [c.score for c in ordered] == [0.9, 0.8, 0.7]
    assert [c.superseded for c in ordered] == [False, False, True]
    assert ordered[0].history[-1].note == "newer than memory/2026-02-10.md:1-1"
    assert ordered[2].history[-1].note == "superseded by memory/2026-02-10.md:1-1"


def test_what_is_of_the_day_that_is_asked_for_is_superseded_by_no_other_day():
    """In a diary in which things come again, who asked for the 12th was told of the 19th alone."""
    of_march = Period(MARCH, MARCH + timedelta(days=1))
    pool = [candidate(OLD, 0.9, created_at=MARCH), candidate(NEW, 0.7, created_at=APRIL)]
    assert prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3, period=of_march) == pool
    later = Period(MARCH, APRIL + timedelta(days=1))
    assert bodies(prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3, period=later)) == [NEW, OLD]


def test_of_three_versions_the_newest_is_first_and_the_oldest_last():
    versions = [candidate(f"The staging database listens on port {n}.", 1 - n / 10, lines=(n, n)) for n in (1, 2, 3)]
    assert [c.chunk.place.lines[0] for c in prefer_newer(versions, ASKED, min_score=0.5, same_subject=0.3)] == [3, 2, 1]


def test_an_older_note_below_the_newer_one_only_says_that_it_is_superseded():
    right = [candidate(NEW, 0.9, created_at=APRIL), candidate(OLD, 0.7, created_at=MARCH)]
    ordered = prefer_newer(right, ASKED, min_score=0.5, same_subject=0.3)
    assert (bodies(ordered), [c.score for c in ordered]) == ([NEW, OLD], [0.9, 0.7])
    assert [c.superseded for c in ordered] == [False, True]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Staging (old).md", "Staging.md"),
        ("db/Old staging.md", "db/staging.md"),
        ("Staging alt.md", "Staging.md"),
        ("Staging_vecchio.md", "Staging.md"),
        ("Ältere (alt).md", "Altere.md"),
    ],
)
def test_a_page_that_is_called_the_old_one_is_older_than_what_is_called_that_alone(old: str, new: str):
    other = "Wiki and staging database share a machine; what needs a port is asked of Ines, use the form."

    def told(old: str, new: str, heading: str = "") -> list[str]:
        pool = [candidate(OLD, 0.9, path=old, heading=heading), candidate(other, 0.7, path=new, heading="Machines")]
        ordered = prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3)
        return [c.chunk.place.path + "?" * c.superseded for c in ordered]

    assert told(old, new) == [new, f"{old}?"]
    assert told("db.md", new, "Machines (old)") == ([new, "db.md?"] if "/" not in new else ["db.md", new])
    assert told(old, "notes/" + new) == [old, "notes/" + new], "of another folder"
    assert told(old, "Production.md") == [old, "Production.md"], "of something else"
    assert told("Old Trafford.md", new) == ["Old Trafford.md", new]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("travel/Old Delhi.md", ""), ("travel/Delhi.md", "")),
        (("Antigua Guatemala.md", ""), ("Guatemala.md", "")),
        (("Altes Museum.md", ""), ("Museum.md", "")),
        (("Friends.md", "Friends > Old friends"), ("Friends.md", "Friends > Close friends")),
        (("School (old).md", "School (old) > School > Clubs"), ("School (old).md", "School (old) > School > Fees")),
    ],
)
def test_a_name_a_part_and_another_passage_of_the_old_one_are_not_called_the_old_one(
    old: tuple[str, str], new: tuple[str, str]
):
    other = "Wiki and staging database share a machine; what needs a port is asked of Ines, use the form."
    pool = [candidate(OLD, 0.9, path=old[0], heading=old[1]), candidate(other, 0.7, path=new[0], heading=new[1])]
    assert not any(c.superseded for c in prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3))


def test_a_note_about_something_else_supersedes_nothing():
    other = [
        candidate(OLD, 0.9, created_at=MARCH),
        candidate("The production database listens on port 7432.", 0.7, created_at=APRIL),
    ]
    assert prefer_newer(other, ASKED, min_score=0.5, same_subject=0.3) == other  # it says nothing of staging


def test_without_a_difference_in_date_only_notes_of_one_file_have_an_order():
    same_file = [candidate(OLD, 0.9, lines=(1, 1)), candidate(NEW, 0.7, lines=(9, 9))]
    assert bodies(prefer_newer(same_file, ASKED, min_score=0.5, same_subject=0.3)) == [NEW, OLD]
    two_files = [candidate(OLD, 0.9, path="a.md"), candidate(NEW, 0.7, path="b.md", lines=(9, 9))]
    assert prefer_newer(two_files, ASKED, min_score=0.5, same_subject=0.3) == two_files
    undated = [candidate(OLD, 0.9, created_at=None), candidate(NEW, 0.7, created_at=APRIL, lines=(9, 9))]
    assert prefer_newer(undated, ASKED, min_score=0.5, same_subject=0.3) == undated


def test_a_line_above_another_of_one_day_gives_its_place_but_is_not_called_superseded():
    """They may be two of a list: who owns what, one line each."""
    listed = [candidate(OLD, 0.9, lines=(1, 1)), candidate(NEW, 0.7, lines=(9, 9))]
    ordered = prefer_newer(listed, ASKED, min_score=0.5, same_subject=0.3)
    assert [c.superseded for c in ordered] == [False, False]
    assert [c.fate for c in ordered] == [Effect.TOOK_PLACE, Effect.GAVE_PLACE]
    assert prefer_newer(listed[::-1], ASKED, min_score=0.5, same_subject=0.3) == listed[::-1]


def test_a_note_that_only_shares_a_word_or_two_supersedes_nothing():
    longer = "The staging database was slow all day: twelve long reports, a backup and an import ran beside each other."
    pool = [
        candidate("Port and use of staging: ask Tom.", 0.9, created_at=MARCH),
        candidate(longer, 0.7, created_at=APRIL),
    ]
    assert prefer_newer(pool, ["stage"], min_score=0.5, same_subject=0.3) == pool


def test_what_lies_too_deep_to_be_injected_is_not_compared():
    filler = [candidate(f"Cat number {n} sleeps.", 0.9 - n / 100, created_at=MARCH) for n in range(AMONG - 1)]
    deep = [candidate(OLD, 0.95, created_at=MARCH), *filler, candidate(NEW, 0.1, created_at=APRIL)]
    assert prefer_newer(deep, ASKED, min_score=0.5, same_subject=0.3) == deep
    near = [candidate(OLD, 0.95, created_at=MARCH), *filler[:-1], candidate(NEW, 0.1, created_at=APRIL)]
    assert bodies(prefer_newer(near, ASKED, min_score=0.5, same_subject=0.3))[0] == NEW


def test_notes_that_hold_nothing_of_the_query_supersede_nothing():
    pool = [candidate(OLD, 0.9, created_at=MARCH), candidate(NEW, 0.7, created_at=APRIL)]
    assert prefer_newer(pool, text.terms("Who fixed the printer?"), min_score=0.5, same_subject=0.3) == pool


def test_a_newer_note_that_is_not_relevant_enough_does_not_silence_the_older_one():
    """It would take the older one's place and then fall to the floor, and the older one, in its place, behind the rest."""
    pool = [
        candidate(OLD, 0.95, 0.8, created_at=MARCH),
        candidate("Staging has a deploy host.", 0.85, 0.6, created_at=MARCH),
        candidate(NEW, 0.35, 0.45, created_at=APRIL),
    ]
    assert prefer_newer(pool, ASKED, min_score=0.5, same_subject=0.3) == pool
    assert bodies(prefer_newer(pool, ASKED, min_score=0.4, same_subject=0.3)) == [
        NEW,
        "Staging has a deploy host.",
        OLD,
    ]


def test_what_is_dated_up_to_a_day_ahead_counts_and_what_lies_further_ahead_does_not():
    """Where it is tomorrow already, today's note has tomorrow's date."""
    now = datetime(2026, 5, 1, tzinfo=UTC)
    for ahead, first in ((0, NEW), (20, NEW), (30, OLD)):
        newer = candidate(NEW, 0.7, created_at=now + timedelta(hours=ahead))
        ordered = prefer_newer([candidate(OLD, 0.9, created_at=MARCH), newer], ASKED, min_score=0.5, same_subject=0.3)
        assert bodies(ordered)[0] == first, ahead


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("We use Postgres. Supersedes ADR-007.", "We use NATS."),
        ("We use Postgres. This replaces [[ADR-007]] in full.", "We use NATS."),
        ("Wir nehmen Postgres. Ersetzt ADR-007.", "Wir nehmen NATS."),
        ("We use Postgres.", "We use NATS. Status: superseded by ADR-012"),
        ("Nous passons à Postgres.", "Nous prenons NATS. Remplacé par ADR-012."),
    ],
)
def test_what_is_said_to_be_superseded_stands_behind_undated_and_whatever_it_holds(newer, older):
    pool = [
        candidate(older, 0.9, created_at=None, path="adr/ADR-007.md", heading="ADR-007 Queue"),
        candidate(newer, 0.6, created_at=None, path="adr/ADR-012.md", heading="ADR-012 Queue"),
    ]
    asked = text.terms("what NATS queue do we use")
    ordered = prefer_newer(pool, asked, min_score=0.5, same_subject=0.9)
    assert [(c.chunk.place.path, c.superseded) for c in ordered] == [
        ("adr/ADR-012.md", False),
        ("adr/ADR-007.md", True),
    ]
    by_name = prefer_newer(pool, text.terms("what does ADR-007 say of the queue"), min_score=0.5, same_subject=0.9)
    assert bodies(by_name) == [older, newer]


def test_what_replaces_something_else_supersedes_no_page():
    pool = [
        candidate("We use NATS.", 0.9, created_at=None, path="adr/ADR-007.md", heading="ADR-007 Queue"),
        candidate(
            "We use Postgres. Supersedes ADR-006.", 0.6, created_at=None, path="adr/ADR-012.md", heading="ADR-012 Queue"
        ),
    ]
    ordered = prefer_newer(pool, text.terms("what queue do we use"), min_score=0.5, same_subject=0.9)
    assert bodies(ordered)[0] == "We use NATS."


def test_who_replaces_somebody_makes_no_page_an_old_one():
    pool = [
        candidate("Has the keys of the shed.", 0.9, created_at=None, path="people/Lee.md", heading="Lee"),
        candidate("Has no keys. Replaces Lee on Mondays.", 0.6, created_at=None, path="people/Kim.md", heading="Kim"),
    ]
    ordered = prefer_newer(pool, text.terms("who has the keys"), min_score=0.5, same_subject=0.9)
    assert bodies(ordered)[0] == "Has the keys of the shed."
