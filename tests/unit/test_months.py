"""A running note in which months stand alone in a line is told month by month, each with its year and its date."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.ingest.markdown import chunk_note
from hookclaw_py.model.types import Chunk

FLAT = """\
Wohnung 2

WLAN Kennwort zaunkoenig

Nov 24
Fenster undicht, Schreiner gefragt
26.11. Dichtung neu

Dez
Heizung entlüftet
Jan:
leer

2026

**Mai**
Herdplatte kaputt
Juni 26:
Preis 130
"""


def chunks(text: str, path: str = "Wohnung 2.txt") -> list[Chunk]:
    return chunk_note(text, path=path, evergreen=False).chunks


def sections(text: str, path: str = "Wohnung 2.txt") -> list[tuple[str, str]]:
    return [
        (c.heading.rpartition(" > ")[2], f"{c.created_at:%Y-%m}" if c.created_at else "") for c in chunks(text, path)
    ]


def test_each_month_is_a_passage_with_its_year_and_date():
    assert sections(FLAT) == [
        ("Wohnung 2", ""),
        ("Nov 2024", "2024-11"),
        ("Dez 2024", "2024-12"),
        ("Jan 2025", "2025-01"),
        ("Mai 2026", "2026-05"),
        ("Juni 2026", "2026-06"),
    ]
    november = chunks(FLAT)[1]
    assert (november.place.lines, november.created_at) == ((6, 7), datetime(2024, 11, 1, tzinfo=UTC))
    assert "2024-11-26" in november.terms, "a day below it is of its year"


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ("January\na\nFebruary\nb\nMarch:\nc", "Boat 2025.txt", ["2025-01", "2025-02", "2025-03"]),
        ("octobre 25\na\nnovembre\nb\njanvier\nc", "gîte.txt", ["2025-10", "2025-11", "2026-01"]),
        ("enero de 2026\na\nfebrero\nb\nmarzo\nc", "piso.md", ["2026-01", "2026-02", "2026-03"]),
        ("ottobre\na\nnovembre\nb\ngennaio 2026\nc", "casa.md", ["2025-10", "2025-11", "2026-01"]),
        ("03.2026\na\n02.2026\nb\n01.2026\nc", "x.md", ["2026-03", "2026-02", "2026-01"]),
        ("Feb 26\na\nJan\nb\nDez\nc", "x.md", ["2026-02", "2026-01", "2025-12"]),
    ],
)
def test_a_month_without_its_year_is_of_the_year_of_those_beside_it(lines: str, path: str, expected: list[str]):
    assert [month for _, month in sections(lines, path)] == expected


@pytest.mark.parametrize(
    "lines",
    [
        "Mai\na\nJuni\nb\nJuli\nc",  # of which year?
        "January\nFebruary\nMarch\nApril 2026",  # nothing is below
        "Nov 3\na\nNov 9\nb\nDec 1\nc",  # days
        "Nov 25\na\nNov 27\nb\nDec 21\nc",
        "Mai 26\na\nJan\nb\nOkt\nc\nFeb\nd\nSept\ne",  # in no order
        "Mai 26\nschöne Reise\nJuni 26\nheiß",  # nothing parts them
        "```\nMai 26\na\nJuni\nb\nJuli\nc\n```",
    ],
)
def test_months_that_part_nothing_stay_text(lines: str):
    (only,) = chunks(f"Merkzettel\n\n{lines}", "Notiz.txt")
    assert only.created_at is None
    assert lines in only.text


def test_one_month_with_its_year_parts_a_note_where_it_can_be_no_day():
    stands = "Stands below a blank line and is a month of a year."
    german = "Pflegegrad 2 seit 2024, der Hausarzt ist neu"
    assert sections(f"{german}\n\nJan 26\n{german}", "Mutti.txt") == [("Mutti", ""), ("Jan 2026", "2026-01")]
    assert sections(f"{stands}\n\nJanuary 2026\n{stands}", "Mum.txt") == [("Mum", ""), ("January 2026", "2026-01")]
    assert sections(f"{stands}\n\nJan 26\n{stands}", "Mum.txt") == [("Mum", "")], "in English it is a day"
    assert sections(f"{german} und\nJan 26\n{german}", "Mutti.txt") == [("Mutti", "")], "within a text"


def test_who_asks_for_what_was_noted_first_and_is_new_since_is_told_the_later(tmp_path):
    (tmp_path / "Wohnung 2.txt").write_text(
        FLAT.replace("Preis 130", "WLAN neues Kennwort: eisvogel, Router getauscht"), encoding="utf-8"
    )
    with Engine.in_memory(Config()) as engine:
        engine.index(tmp_path)
        told = engine.recall("wlan kennwort wohnung 2", at=datetime(2026, 11, 28, 9, tzinfo=UTC)).text
    assert told.index("Router getauscht") < told.index("zaunkoenig")


def test_a_year_alone_in_a_line_is_that_of_the_days_that_the_lines_of_a_log_below_begin_with():
    first, second = (
        "30 Mar: water on\n6 May: deposit 500\n12 Jul: open day\n3 Oct: shed broken into",
        "4 Jan: letters",
    )
    found = chunks(f"2025\n{first}\n\n2026:\n{second}", "log.md")
    assert [f"{c.created_at:%Y-%m-%d}" for c in found if c.created_at] == [
        "2025-03-30",
        "2025-05-06",
        "2025-07-12",
        "2025-10-03",
        "2026-01-04",
    ]
    assert [c.text for c in found][-1] == second
    prices = "2025\nfull plot 48\nhalf plot 26\n2 skips\n1 hall"
    assert [c.created_at for c in chunks(prices, "prices.md")] == [None], "no days"
