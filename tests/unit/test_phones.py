"""Which passages hold a phone number."""

from __future__ import annotations

import pytest

from hookclaw_py import text
from hookclaw_py.speech.phones import with_phones

ASKED = "telefonnummer"


@pytest.mark.parametrize(
    "said", ["Elektriker 030 1234567", "Novak: 0171/2345678, 030 998877", "Zoe +49 171 2345678", "vet (0612) 345 678"]
)
def test_a_passage_with_a_phone_number_is_found_by_who_asks_for_one(said: str):
    assert {*text.terms(ASKED), *text.terms("phone nr.")} <= with_phones(text.terms(said), said).distinct


@pytest.mark.parametrize(
    "said", ["IBAN DE89 3704 0044 0532 0130 00", "2026 01 02 03 04 05", "30-11-2026", "3.141592653589", "10:30 - 12:45"]
)
def test_an_account_or_a_day_is_no_phone_number(said: str):
    assert with_phones(text.terms(said), said) == text.terms(said)
