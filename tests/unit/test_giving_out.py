"""What was taken and could not be had, or was changed for another of its sort, and what only sounds like it."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.giving_out import changed_for_another, gave_out


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("10 of us now, and we switched to the hostel Brenn, 31 a night, Alpenrose was full", "als Quartier nehmen wir das Haus Alpenrose, 44 Euro pro Nacht"),
        ("we booked the Marlow, because Hartnell was too expensive", "we'll take the hotel Hartnell for the trip"),
        ("we changed to the printer Osk", "we go with the printer Dahl for the posters"),
        ("wir buchen jetzt das Hotel Adler, Linde war ausgebucht", "wir nehmen das Hotel Linde für die Tagung"),
        ("on prend l'hôtel Alma, Belmont était complet", "on prend l'hôtel Belmont pour les invités"),
    ],
)  # fmt: skip
def test_what_could_not_be_had_or_was_changed_for_another_ends_that_it_was_taken(newer, older):
    assert changed_for_another(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("we switched to the hostel Brenn, Alpenrose was full", "we take the 9:10 bus to Alpenrose"),
        ("we switched to the hostel Brenn, Alpenrose was full", "Alpenrose has a sauna"),
        ("we changed to the printer Osk for the cards", "we go with the printer Dahl for the posters"),
        ("we changed to the printer Osk", "we go with the framer Dahl for the posters"),
        ("we changed to the printer Dahl", "we go with the printer Dahl"),
        ("if Alpenrose is full, we take Brenn", "we go with Alpenrose"),
        ("did we change to the printer Osk?", "we go with the printer Dahl"),
        ("Tom said Alpenrose was full", "we go with Alpenrose"),
        ("we changed to the printer Osk", "Tom says they use the printer Dahl"),
    ],
)  # fmt: skip
def test_what_says_no_such_thing_ends_nothing(newer, older):
    assert not changed_for_another(newer, older)


def test_a_clause_that_says_that_something_was_full():
    assert gave_out("Lumen was fully booked")
    assert not gave_out("Lumen is a caterer")
