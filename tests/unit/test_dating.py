"""Dates in the names of notes and in headings, in the ways in which people and their programs write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hookclaw_py.ingest.dating import Around, around, date_in, first_day, is_a_day
from hookclaw_py.ingest.markdown import chunk_note

THE_DAY = datetime(2026, 3, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    "name",
    [
        "memory/2026-03-14.md",
        "journals/2026_03_14.md",
        "journal/2026/03/14.md",
        "journal/2026-03/2026-03-14 Sat.md",
        "20260314-standup.md",
        "202603141010 zettel.md",
        "20260314101059.md",
        "2026.03.14.md",
        "14.03.2026.md",
        "14. 3. 2026.md",
        "March 14th, 2026.md",
        "14-03-2026.md",
        "14_03_2026.md",
        "Daily/14-03-2026 Sat.md",
        "03-14-2026.md",
        "14 March 2026.md",
        "Besprechung 14. März 2026.md",
        "14 de marzo de 2026.md",
        "14 mars 2026.md",
        "2026年3月14日.md",
    ],
)
def test_a_note_is_dated_by_its_name(name):
    [chunk] = chunk_note("We painted the shed.", path=name, evergreen=False).chunks
    assert chunk.created_at == THE_DAY


@pytest.mark.parametrize(
    "name", ["log/2026-W12.md", "2026W12.md", "2026-KW12.md", "KW 12 2026.md", "2026-S12.md", "Weekly/2026/2026-W12.md"]
)
def test_a_note_of_a_week_is_dated_by_its_monday(name):
    [chunk] = chunk_note("Thu rats by tank 5, the council does it for free.", path=name, evergreen=False).chunks
    assert chunk.created_at == datetime(2026, 3, 16, tzinfo=UTC)


def test_a_heading_is_a_week_too():
    [chunk] = chunk_note("## KW 12/2026\n\nNeuer Router.", path="log.md", evergreen=False).chunks
    assert chunk.created_at == datetime(2026, 3, 16, tzinfo=UTC)


def test_the_first_week_of_a_year_is_of_that_year_though_it_begins_before():
    assert date_in("2026-W01")[0] == datetime(2025, 12, 29, tzinfo=UTC)
    assert around("2026-W01") == Around(2026)


@pytest.mark.parametrize(
    "name",
    [
        "Heat pump.md",
        "2026-S12E03.md",
        "2026-W60.md",
        "2025-W53.md",
        "W12.md",
        "Washer W12 2026.md",
        "rev2026-W12.md",
        "release 2026.3.13.md",
        "2026.md",
        "2026-03.md",
        "room 101.md",
        "tel 20265555.md",
        "tel 202603149910.md",
        "2026031410105.md",
        "May 14.md",
        "v1.2.2026.md",
        "14-15-2026.md",
        "part 1-14-03-2026.md",
    ],
)
def test_what_is_no_day_dates_nothing(name):
    assert date_in(name)[0] is None


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("log/2026-03.md", "Sat 14 Mar"),
        ("log/2026-03.md", "Sat 14"),
        ("log/2026-03.md", "14"),
        ("worklog 2026.md", "14 March: the shed"),
        ("2026/tagebuch.md", "Sa 14.3."),
        ("2026/log.md", "3月14日"),
        ("March 2026.md", "Saturday 14th"),
        ("log 2025.md", "Sat 14 Mar"),  # of the year in which that was a Saturday
    ],
)
def test_a_heading_leaves_the_year_to_the_name_of_the_file(name, heading):
    [chunk] = chunk_note(f"## {heading}\n\nWe painted the shed.", path=name, evergreen=False).chunks
    assert chunk.created_at == THE_DAY


@pytest.mark.parametrize("heading", ["14/03/2026", "14/3/2026", "14-03-2026", "samedi 14/03/2026", "03/14/2026"])
def test_a_heading_of_numbers_has_the_day_first_where_it_can(heading):
    [chunk] = chunk_note(f"## {heading}\n\nWe painted the shed.", path="Diary.md", evergreen=False).chunks
    assert chunk.created_at == THE_DAY


@pytest.mark.parametrize("heading", ["Papa, Raymond, 12/03/1945", "The flat (signed on 11/06/2021)"])
def test_numbers_with_slashes_that_stand_behind_others_words_date_nothing(heading):
    assert date_in(heading)[0] is None


def test_of_a_number_that_may_begin_two_days_the_whole_one_counts():
    assert date_in("2/03/2026")[0] == datetime(2026, 3, 2, tzinfo=UTC)
    assert date_in("projects/12/3/2026-03-14.md")[0] == THE_DAY
    assert not is_a_day("14/03/2026"), "a log's lines are read together"


@pytest.mark.parametrize(
    ("heading", "day"),
    [("Di 10.3.", 10), ("Do 12.3.", 12), ("dim 15 mars", 15), ("mar. 10 mars", 10), ("Dienstag 10. März", 10)],
)
def test_a_day_of_the_week_may_be_cut_short_in_any_language(heading, day):
    [chunk] = chunk_note(f"## {heading}\n\nRain.", path="log 2026.md", evergreen=False).chunks
    assert chunk.created_at == datetime(2026, 3, day, tzinfo=UTC)


@pytest.mark.parametrize("name", ["会议纪要 11-18", "11-18会议纪要", "会议11-18", "会议纪要（11-18）", "例会_11-18"])
def test_the_name_of_a_chinese_note_may_be_of_a_month_and_a_day(name):
    assert date_in(name, Around(2026))[0] == datetime(2026, 11, 18, tzinfo=UTC)
    assert date_in(name)[0] is None
    (chunk, *_) = chunk_note("讨论了预算。\n", path=f"2026/{name}.md", evergreen=False).chunks
    assert chunk.created_at == datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    "name", ["第10-12课", "10-12班名单", "适合8-12岁", "比赛 3-1", "会议纪要 13-40", "Meeting 11-18", "版本 1-2-10"]
)
def test_other_pairs_of_numbers_in_the_name_of_a_note_are_no_day(name):
    assert date_in(name, Around(2026))[0] is None


def test_a_heading_leaves_the_year_to_an_earlier_one():
    note = chunk_note("## Fri 13 Mar 2026\n\nRain.\n\n## Sat 14 Mar\n\nShed.", path="worklog.md", evergreen=False)
    assert [chunk.created_at.day for chunk in note.chunks] == [13, 14]


@pytest.mark.parametrize(
    "text",
    ["Kuba (b. 19 jan 2022)", "Oma geb. 3.5.1945", "Kuba (*19.1.2022)", "Lease since 1 March 2020", "contract until 2026-12-31.md", "Steuer bis zum 31.7.2026"],
)  # fmt: skip
def test_a_birthday_a_beginning_and_an_end_are_no_day_of_writing(text):
    assert date_in(text)[0] is None
    assert date_in(f"2026-03-04 {text}")[0] == datetime(2026, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize("heading", ["14 screws", "Step 3", "3.1. Setup", "Ideas for 14 March", "2 of 3", "10:30 call"])
def test_other_numbers_in_a_heading_date_nothing(heading):
    assert date_in(heading, Around(2026, 3))[0] is None


def test_what_is_no_date_is_told():
    assert date_in("2026-02-30 and 2026-03-14") == (THE_DAY, ["2026-02-30"])


def test_a_month_is_known_until_another_year():
    assert around("2026-03.md") == Around(2026, 3)
    assert around("2025", Around(2026, 3)) == Around(2025)
    assert around("Kitchen", Around(2026, 3)) == Around(2026, 3)


@pytest.mark.parametrize(
    "line",
    ["Thu 1 Jan 26", "3.3.26", "2026-03-14", "**2026-03-14 (Sat)**", "Di 3. März", "mar 23 junio", "3月14日 星期六", "March 14th, 2026:"],
)  # fmt: skip
def test_a_line_that_is_a_day_is_one(line):
    assert is_a_day(line)


@pytest.mark.parametrize(
    "line", ["Thu 2 Jan 26", "Feb 30", "14", "10.5", "12:30", "2 eggs", "12 May be", "call 14 May", "2026-03-14 Oban", "3 km", "2026", ""]
)  # fmt: skip
def test_a_line_that_says_more_than_a_day_is_none(line):
    assert not is_a_day(line)


def test_a_short_year_is_of_this_century_and_a_wrong_day_of_the_week_makes_it_none():
    assert date_in("Tue 3 Mar 26")[0] == datetime(2026, 3, 3, tzinfo=UTC)
    assert date_in("3.3.'26")[0] is None
    assert date_in("3 mars ’26")[0] == datetime(2026, 3, 3, tzinfo=UTC)
    assert date_in("Wed 3 Mar 26")[0] is None


@pytest.mark.parametrize(
    "line",
    [
        "2026-03-14 new switch", "2026-03-14: new switch", "- 2026-03-14 – new switch", "* [ ] 2026-03-14 new switch", "**2026-03-14** new",
        "[2026-03-14 Sat 10:15] new", "<2026-03-14 Sat> new", "2026-03-14T10:15 new", "2026/3/14 new", "14.03.2026 neu", "14.3.26 neu",
        "14 March 2026 new", "March 14th, 2026: new", "2026年3月14日 新的", "2026年3月14日新的",
    ],
)  # fmt: skip
def test_a_line_of_a_log_begins_with_its_day(line):
    assert first_day(line) == THE_DAY


@pytest.mark.parametrize(
    "line",
    ["14.3. neu", "14.3 neu", "Sat 14 Mar new", "Sa 14.3. neu", "14 Mar – new", "March 14: new", "14 de marzo nuevo", "3月14日: 新的", "  - 14 mars, neuf"],
)  # fmt: skip
def test_a_line_without_its_year_begins_with_a_day_where_the_year_is_known(line):
    assert first_day(line) is None
    assert first_day(line, Around(2026)) == THE_DAY


@pytest.mark.parametrize(
    "line",
    ["Wed 14 Mar new", "Sun 2026-03-14 new", "14.3 % more", "14.3.5 released", "14.30 lunch", "3 eggs", "14", "new 2026-03-14", "2026-03-145", "2026-02-30 no", "14.3€", "may 5000 come", "1,200 on 14 Mar"],
)  # fmt: skip
def test_a_line_that_begins_with_something_else_has_no_first_day(line):
    assert first_day(line, Around(2026)) is None


@pytest.mark.parametrize("line", ["12.-14.3. Davos", "- 12.–14.3.26 Davos", "12.-14. März: Davos"])
def test_a_line_that_begins_with_several_days_is_of_the_last_of_them(line: str):
    assert first_day(line, Around(2026)) == THE_DAY
