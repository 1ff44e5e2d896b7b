"""What is over once its day is: that something is on a day, and not what holds from a day on."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py.speech.dated import is_over

SAID = datetime(2026, 9, 2, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        "the regatta moved! 17 september instead of the 10th because of the wind.",
        "the launch is planned for thursday 17 sept",
        "we decided: the regatta is on September 17th, not the 10th",
        "die Regatta wurde auf Samstag, den 17. September verschoben",
        "der Elternabend ist am 17.9.",
        "le repas est le 17 septembre",
        "la cena es el 17 de septiembre",
    ],
)
def test_that_something_is_on_a_day_is_over_once_the_day_is(said):
    assert is_over(said, written=SAID, now=datetime(2026, 9, 18, 8, tzinfo=UTC))
    assert not is_over(said, written=SAID, now=datetime(2026, 9, 17, 8, tzinfo=UTC))


@pytest.mark.parametrize(
    "said",
    [
        "the fee goes up to 45 euro from 17 september",
        "Lena's birthday is on 17 september",
        "we switch to the new mailer on 17 september",
        "we decided on 2 september to use uv",
        "the exam was on 1 september",
        "the fair is on 17 september and 3 december",
        "the lease runs out on 17 september 2027",
        "the database gets upgraded on 17 september",
        "the gate is closed at 17:30",
    ],
)
def test_what_holds_on_or_comes_again_is_not_over(said):
    assert not is_over(said, written=SAID, now=datetime(2026, 11, 12, 8, tzinfo=UTC))
