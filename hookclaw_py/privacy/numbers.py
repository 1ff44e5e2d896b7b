"""Numbers of cards, accounts and persons: recognised by their checksum, or where there is none by the rules for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from hookclaw_py.regex import regex

Span = tuple[int, int]

_DIGITS = regex(r"(?<![\w.,+-])\d[\d -]{9,40}[\dXx](?![A-Za-z\d-]|[.,]\d)", re.ASCII)
_CARD = regex(
    r"(?<![\w.,+-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?|\d{4}([ -])\d{6}\2\d{4,5})(?![\w-])",
    re.ASCII,
)
_CARD_NUMBERS = regex(  # how the numbers of Visa, Mastercard, Amex, Diners, Discover, JCB, UnionPay and Maestro begin
    r"4\d{15}|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:6011|64[4-9]\d|65\d\d)\d{12}"
    r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:50|5[6-9]|6\d)\d{14}"
)
_IBAN = regex(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}")
_IBAN_LENGTHS = {
    name: int(length)
    for name, length in re.findall(
        r"([A-Z]{2})(\d\d)",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18"
        " FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21"
        " LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27"
        " ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20",
    )
}
_SSN = regex(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}(?![\w-])")
_SSN_TOLD = regex(r"(?i)\b(?:ssn|social security)\b[^\n\d]{0,30}((?!000|666|9)\d{3}[ ]?(?!00)\d\d[ ]?(?!0000)\d{4})\b")
_DNI = regex(r"(?i)\b(?:DNI|NIF|NIE)\b[^\n\d]{0,30}?\b([XYZ]?\d{7,8}[ -]?[A-Z])\b")
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_NIR = regex(r"(?<![\w.,-])[12][ ]?\d\d[ ]?(?:0[1-9]|1[0-2]|[2-9]\d)[ ]?\d\d[ ]?\d{3}[ ]?\d{3}[ ]?\d\d(?![\w-])")
_CHINESE = regex(r"(?<![\w.,-])[1-9]\d{5}(\d{4})(\d\d)(\d\d)\d{3}[\dXx](?![A-Za-z\d-])", re.ASCII)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def numbered(text: str) -> Iterator[Span]:
    """Yield where the number of a card, an account or a person stands."""
    for digits in _DIGITS.finditer(text):
        where = digits.span()
        for found in _CARD.finditer(text, *where):
            if is_card(re.sub("[ -]", "", found[0])):
                yield found.span()
        yield from (found.span() for found in _SSN.finditer(text, *where))
        yield from (found.span() for found in _NIR.finditer(text, *where) if _is_nir(found[0].replace(" ", "")))
        yield from (found.span() for found in _CHINESE.finditer(text, *where) if _is_chinese(found))
    for found in _IBAN.finditer(text):
        if length := _iban_length(found[0]):
            yield found.start(), found.start() + length
    lowered = text.lower()
    if "ssn" in lowered or "social" in lowered:
        yield from (found.span(1) for found in _SSN_TOLD.finditer(text))
    if "dni" in lowered or "nif" in lowered or "nie" in lowered:
        yield from (found.span(1) for found in _DNI.finditer(text) if _is_dni(found[1]))


def is_card(digits: str) -> bool:
    """Say whether a payment card has this number: one of its makers' beginnings, and Luhn's sum."""
    if not _CARD_NUMBERS.fullmatch(digits):
        return False
    doubled = (int(digit) * (1 + n % 2) for n, digit in enumerate(reversed(digits)))
    return sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _iban_length(written: str) -> int:
    """Return how many characters of it are an account's number (ISO 13616, remainder 1 of 97); 0 if it is none."""
    wanted, bare = _IBAN_LENGTHS.get(written[:2], 0), ""
    for at, character in enumerate(written, 1):
        if character.isalnum():
            bare += character
            if len(bare) == wanted:
                turned = "".join(str(int(c, 36)) for c in bare[4:] + bare[:4])
                return at if int(turned) % 97 == 1 else 0
    return 0


def _is_dni(written: str) -> bool:
    bare = written.replace(" ", "").replace("-", "").upper()
    number = int(bare[:-1].translate(str.maketrans("XYZ", "012")))
    return _DNI_LETTERS[number % 23] == bare[-1]


def _is_nir(bare: str) -> bool:
    return 97 - int(bare[:13]) % 97 == int(bare[13:])


def _is_chinese(found: re.Match[str]) -> bool:
    year, month, day = (int(found[n]) for n in (1, 2, 3))
    try:
        date(year, month, day)
    except ValueError:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(found[0], _WEIGHTS, strict=False))
    return 1900 <= year <= 2100 and "10X98765432"[total % 11] == found[0][-1].upper()
