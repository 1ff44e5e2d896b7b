"""A log whose lines begin with their day is read as a diary: day by day, dated; what only tells of some days stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.ingest.markdown import chunk_note
from hookclaw_py.model.types import Chunk

LOG = """\
# Home server

2026-03-02 swapped the switch. now Mikrotik CRS310, 10.0.10.2
2026-03-02 labelled the cables
2026-04-11 power cut 40 min, UPS lasted 11
  ordered new batteries
2026-04-18 batteries fitted, runtime now 21
2026-06-20 jellyfin to its own container, 10.0.10.30
"""


def chunks(text: str, path: str = "log.txt") -> list[Chunk]:
    return chunk_note(text, path=path, evergreen=False).chunks


def days(text: str, path: str = "log.txt") -> list[str | None]:
    return [c.created_at and f"{c.created_at:%Y-%m-%d}" for c in chunks(text, path)]


def test_each_day_of_a_log_is_a_passage_with_its_date_and_what_stands_below_it():
    found = chunks(LOG)
    assert [(c.place.lines, c.created_at) for c in found] == [
        ((3, 4), datetime(2026, 3, 2, tzinfo=UTC)),
        ((5, 6), datetime(2026, 4, 11, tzinfo=UTC)),
        ((7, 7), datetime(2026, 4, 18, tzinfo=UTC)),
        ((8, 8), datetime(2026, 6, 20, tzinfo=UTC)),
    ]
    assert found[1].text == "2026-04-11 power cut 40 min, UPS lasted 11\n  ordered new batteries"
    assert {c.heading for c in found} == {"Home server"}


def test_a_log_is_found_by_its_days(tmp_path):
    (tmp_path / "log.txt").write_text(LOG)
    with Engine.in_memory(Config(timezone="UTC"), strict=True) as engine:
        engine.index(tmp_path)
        told = engine.recall("what did i do on 11 april 2026", at=datetime(2026, 11, 27, tzinfo=UTC)).text
    assert "UPS lasted 11" in told
    assert "Mikrotik" not in told


@pytest.mark.parametrize("bullet", ["", "- ", "* [x] ", "**"])
def test_the_year_is_that_of_the_name_or_heading_and_goes_on_at_new_year(bullet: str):
    lines = [f"{bullet}{day} something" for day in ("28.11.", "14.12.", "3.1.", "20.2.")]
    expected = ["2025-11-28", "2025-12-14", "2026-01-03", "2026-02-20"]
    assert days("\n".join(lines), "2025-26.md") == expected
    assert days("# Journal 2025\n\n" + "\n".join(lines), "journal.md") == expected
    assert days("\n".join(lines), "journal.md") == [None], "no year is known"


@pytest.mark.parametrize(
    "written",
    [
        ("02/03/2026", "05/03/2026", "11/03/2026", "14/04/2026"),
        ("03/02/2026", "03/05/2026", "03/11/2026", "04/14/2026"),
        ("03/02/26", "04/01/26", "05/12/26", "06/01/26"),
    ],
    ids=["day first", "month first", "only the order tells"],
)
def test_a_log_with_slashes_is_read_in_the_way_that_makes_days_of_them(written: tuple[str, ...]):
    found = days("\n".join(f"- {day} something" for day in written))
    assert found[0] == "2026-03-02"
    assert found == sorted(found)
    assert len(found) == 4


SLASHES = "\n".join(
    ("24/11 appel de Pilar", "25/11 glace et repos", "26/11 payé la cantine 94,60", "27/11 rdv véto, vaccin fait, 62 €")
)


@pytest.mark.parametrize(
    ("text", "path"), [(SLASHES, "Journal/2026-11.md"), (f"# Novembre 2026\n\n{SLASHES}", "Journal/novembre.md")]
)
def test_a_log_with_slashes_and_no_year_is_of_the_year_of_its_name_or_heading(text: str, path: str):
    assert days(text, path) == ["2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27"]
    assert days(SLASHES, "journal.md") == [None], "no year is known"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (("4/11", "9/11", "10/12", "12/12"), ["2026-11-04", "2026-11-09", "2026-12-10", "2026-12-12"]),
        (("12/12", "10/12", "9/11", "4/11"), ["2026-12-12", "2026-12-10", "2026-11-09", "2026-11-04"]),
        (("11/4", "11/19", "12/1", "12/10"), ["2026-11-04", "2026-11-19", "2026-12-01", "2026-12-10"]),
        (("15/10", "17-24/10", "26/10", "29/10"), ["2026-10-15", "2026-10-17", "2026-10-26", "2026-10-29"]),
        (("lun 2/11", "mar. 3/11", "mer 4/11", "ven 6/11"), ["2026-11-02", "2026-11-03", "2026-11-04", "2026-11-06"]),
    ],
    ids=["day first", "latest first", "month first", "a range", "with days of the week"],
)
def test_days_with_slashes_and_no_year_are_read_in_the_way_that_makes_days_of_them(written, expected):
    assert days("\n".join(f"- {day} something" for day in written), "2026.md") == expected


@pytest.mark.parametrize(
    "written",
    [("1/2 cup flour", "1/2 cup milk", "1/4 tsp salt", "3/4 cup sugar"), ("9/10 Alien", "8/10 Brazil", "7/10 Cube", "6/10 Dune")],
    ids=["shares", "marks"],
)  # fmt: skip
def test_shares_and_marks_are_no_days_unless_a_heading_names_their_month(written: tuple[str, ...]):
    assert days("\n".join(f"- {line}" for line in written), "2026.md") == [None]
    assert days("# Octobre 2026\n\n1/10 a\n2/10 b\n5/10 c\n6/10 d\n", "x.md")[0] == "2026-10-01"


def test_yesterday_is_found_in_a_log_with_slashes(tmp_path):
    (tmp_path / "2026-11.md").write_text(f"# Novembre 2026\n\n{SLASHES}\n")
    with Engine.in_memory(Config(timezone="UTC"), strict=True) as engine:
        engine.index(tmp_path)
        told = engine.recall("qu'est-ce que j'ai fait hier", at=datetime(2026, 11, 28, 8, tzinfo=UTC)).text
    assert "rdv véto" in told
    assert "cantine" not in told


def test_a_log_may_begin_with_the_latest_day_and_with_words_of_its_own():
    text = "What we did, newest first.\n\n- 20 Nov paid\n- 3 Nov sent\n- 28 Oct asked\n- 1 Oct began\n"
    assert days(text, "Roof 2026.md") == [None, "2026-11-20", "2026-11-03", "2026-10-28", "2026-10-01"]


@pytest.mark.parametrize(
    "text",
    [
        "# Boiler\n\nModel Thermex 24, in the cellar.\nCode F28 = no ignition.\nBuilder Iseli.\nFilter each spring.\nPressure 1.5 bar.\n\n## Service\n"
        "- 2022-09-01 180\n- 2023-09-04 190\n- 2024-09-02 190, new pump\n- 2025-09-01 210\n",
        "".join(f"{chapter}.{part} Of the rent\n" for chapter in (1, 2, 3) for part in range(1, 10)),
        "2026-03-02 Lin：\n带醪糟吗？\n\n2026-03-03 me:\nno\n\n2026-03-06 Lin：\n好\n\n2026-03-09 me:\nsee you\n",
        "2026-03-02 one day\n2026-03-04 another\n2026-03-06 a third\n",
        "2026-03-02 was long\n2025-01-01 before\n2026-09-01 later\n2024-04-04 earlier\n2026-12-12 last\n2023-01-01 first\n",
    ],
    ids=["a page that tells of some days", "chapters", "a chat", "too few", "in no order"],
)
def test_what_is_no_log_stays_whole(text: str):
    assert set(days(text, "Lease 2026.md")) == {None}


def test_a_long_list_of_days_within_a_page_is_read_day_by_day_and_the_page_is_not():
    lines = "\n".join(
        f"- 2026-{month:02}-{day:02} varnished part {day} of the hull, two coats"
        for month in (4, 5)
        for day in range(1, 15)
    )
    boat = "# Boat\n\nLarch on oak, 5.1 m.\n" + "Bought from Tadhg in the spring of a good year.\n\n" * 30
    found = days(f"{boat}\n## Log\n{lines}\n", "boat.md")
    assert found.count(None) >= 1
    assert found[found.index("2026-04-01") :] == [
        f"2026-{month:02}-{day:02}" for month in (4, 5) for day in range(1, 15)
    ]


def test_memory_md_has_no_days():
    assert [c.created_at for c in chunk_note(LOG, path="MEMORY.md", evergreen=True).chunks] == [None]
