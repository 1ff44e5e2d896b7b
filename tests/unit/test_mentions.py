"""Days that a text names are found by a prompt that asks for them, however both write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.model.types import Period
from hookclaw_py.temporal.mentions import days_named, days_of
from tests.conftest import write_notes

WRITTEN = datetime(2026, 11, 20, tzinfo=UTC)
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "flight 2026-12-14 07:40", "| 2026-12-14 | 4150 |", "14 Dec 2026", "on the 14th of December 2026", "December 14th, 2026", "14.12.2026",
        "am 14. Dezember 2026", "le 14 décembre 2026", "el 14 de diciembre de 2026", "2026年12月14日", "2026/12/14",
    ],
)  # fmt: skip
def test_a_day_is_named_in_one_way_however_it_is_written(text: str):
    assert days_named(text) == ("2026-12-14",)


@pytest.mark.parametrize(
    "text", ["- 14 Dec: dentist", "Dec. 14, dentist", "Opera Mon 14.12. 19:00", "am 14. Dezember", "12月14日看牙"]
)
def test_a_day_without_its_year_is_the_nearest_to_when_it_was_written_or_that_of_its_note_or_of_any(text: str):
    assert days_named(text, written=WRITTEN) == ("2026-12-14",)
    assert days_named(text, written=datetime(2027, 2, 1, tzinfo=UTC)) == ("2026-12-14",)
    assert days_named(text, year=2027) == ("2027-12-14",)
    assert days_named(text) == ("--12-14",)


@pytest.mark.parametrize("mark", ["-", "–", "→", "*"])
def test_the_mark_of_an_item_reaches_from_no_day_to_another(mark: str):
    assert days_named(f"{mark} 3 Dec\n{mark} 7 Dec") == ("--12-03", "--12-07")
    assert days_named(f"{mark} the old ones paid 14\n{mark} November 26: dentist") == ("--11-26",)
    assert len(days_named("3 Dec - 7 Dec")) == len(days_named("3 – 7 Dec")) == 5


@pytest.mark.parametrize(
    "text", ["15.12.26", "am 15.12.26, 17 Uhr", "Übergabe 15.12.26.", "fällig am 15.12.2026.", "| 15.12.26 | 95.– |"]
)
def test_a_year_may_be_its_last_two_digits_and_end_the_sentence(text: str):
    assert days_named(text) == ("2026-12-15",)


@pytest.mark.parametrize("text", ["release 1.2.13.4", "am 9.12.17:15", "version 1.2.3", "10.1.2.2026"])
def test_what_counts_on_is_no_day_with_its_year(text: str):
    assert days_named(text) == ()


@pytest.mark.parametrize("text", ["3.-5.10.26 Davos", "3.–5.10.26", "3.-5.10.2026", "3.-5. Oktober 2026"])
def test_a_range_has_each_of_its_days_whatever_stands_between(text: str):
    assert days_named(text) == ("2026-10-03", "2026-10-04", "2026-10-05")


def test_a_line_that_begins_with_a_day_is_of_the_year_of_those_above_that_do():
    log = (
        "- 5 Oct 2026: the rate rises from January 1, 2027\n- 10 Nov: new terms\n- 3 March 2027: moved\n- 4 April: paid"
    )
    assert days_named(log) == ("2026-10-05", "2027-01-01", "2026-11-10", "2027-03-03", "2027-04-04")
    assert days_named("We fly on 3 March 2026.\nBack on 10 March.") == ("2026-03-03", "2026-03-10")


def test_slashes_may_be_read_in_either_way():
    assert days_named("paid 14/12/2026") == days_named("paid 12/14/2026") == ("2026-12-14",)
    assert days_named("paid 03/04/2026") == ("2026-04-03", "2026-03-04")


@pytest.mark.parametrize(
    "text",
    ["renvoyer la box avant le 14/12", "reste 780 avant 14/12", "el 14/12 cena", "ven. 14/12 judo", "vendredi 14/12", "jusqu'au 14/12", "until 12/14", "due Fri 14/12", "the 14/12 meeting"],
)  # fmt: skip
def test_a_day_with_a_slash_and_no_year_is_one_where_something_introduces_it(text: str):
    assert days_named(text) == ("--12-14",)
    assert days_named(text, written=WRITTEN) == ("2026-12-14",)


def test_with_a_slash_the_day_stands_first_but_perhaps_in_english():
    assert days_named("livraison avant le 3/12") == ("--12-03",)
    assert days_named("paid on 3/12") == ("--12-03", "--03-12")


@pytest.mark.parametrize(
    "text",
    ["1/2 huile, 3/4 done", "scores 9/10 and 16/20", "Inès 16/20 en maths", "open 24/7", "the 24/7 hotline", "2-3/4 cups", "1/2 to 3/4 cup", "le 3/4 du budget", "on 3/4 of them", "le 18/25", "src/12/3 a"],
)  # fmt: skip
def test_shares_and_marks_are_no_days(text: str):
    assert days_named(text) == ()


def test_lines_that_begin_with_days_are_a_log_of_any_year_where_nothing_names_it():
    log = "- 12/01 photos sent\n- 03/02 Ludovic came\n- 14/12 hygrometer 68 %\n"
    assert days_named(log) == ("--01-12", "--02-03", "--12-14")
    assert days_named(log, year=2026)[-1] == "2026-12-14"
    assert days_named("1/2 cup\n3/4 tsp\n1/4 l\n") == days_named("8/10 good\n7/10 meh\n9/10 fine\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "- lun 14 basse\n",
        "Mon 14th dentist",
        "Mo 14. Elternabend",
        "lundi 14, visio",
        "on Monday the 14th: x",
        "(mon. 14)",
    ],
)
def test_a_weekday_and_its_number_are_the_nearest_such_day_to_when_it_was_written(text: str):
    assert days_named(text, written=WRITTEN) == ("2026-12-14",)
    assert days_named(text) == ()


def test_a_weekday_and_its_number_before_a_month_are_of_that_month():
    assert days_named("the open day is on Sunday 13 June 2027", written=WRITTEN) == ("2027-06-13",)
    assert days_named("Sonntag, 13. Juni 2027", written=WRITTEN) == ("2027-06-13",)
    assert days_named("Fri 20 may be late", written=WRITTEN)[0] == "2026-11-20"


@pytest.mark.parametrize("text", ["lunch FRİDAY 20", "ſunday 22", "the week 20", "pre-mon 16", "on the 20"])
def test_what_is_no_name_of_a_weekday_letter_by_letter_is_none(text: str):
    assert days_named(text, written=WRITTEN) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Tue 14 dentist",
        "mon 14:30 call",
        "Mon 14h",
        "lun 14 h",
        "mo 14 uhr",
        "mon 14%",
        "Mon 14/20",
        "Mon 14.5",
        "demon 14",
    ],
)
def test_a_weekday_beside_another_number_is_no_day(text: str):
    assert days_named(text, written=WRITTEN) == ()


@pytest.mark.parametrize(
    "text", ["Training Do 10", "training do 10.", "am do 10 training", "- do 10 training", "mi 9, do 10"]
)
def test_a_name_of_a_day_that_is_a_word_as_well_is_one_where_it_stands_as_a_day(text: str):
    assert "2026-12-10" in days_named(text, written=WRITTEN)


@pytest.mark.parametrize("text", ["we do 10 pushups", "then she can do 10 more", "it was so 13 came"])
def test_a_word_that_is_also_the_name_of_a_day_is_none_within_a_sentence(text: str):
    assert days_named(text, written=WRITTEN) == ()


def test_the_year_that_a_text_names_holds_for_the_days_behind_it():
    assert days_named("Flight 12 Dec 2026, home 15 Dec") == ("2026-12-12", "2026-12-15")


@pytest.mark.parametrize(
    "text",
    ["1.5 bar, 12.30 Uhr", "version 1.2.3", "30 Feb 2026", "may 5000 people", "10.0.10.30", "room 14 of 12", "June", "2026-13-01", "tel. 14.12", ""],
)  # fmt: skip
def test_what_is_no_day_is_none(text: str):
    assert days_named(text) == ()


@pytest.mark.parametrize(
    ("phrase", "start", "days", "expected"),
    [
        ("12 december", datetime(2025, 12, 12, tzinfo=UTC), 1, ("2025-12-12", "2026-12-12", "--12-12")),
        ("12.12", datetime(2025, 12, 12, tzinfo=UTC), 1, ("2025-12-12", "2026-12-12", "--12-12")),
        ("12. 12", datetime(2025, 12, 12, tzinfo=UTC), 1, ("2025-12-12", "2026-12-12", "--12-12")),
        ("12 december 2026", datetime(2026, 12, 12, tzinfo=UTC), 1, ("2026-12-12",)),
        ("tomorrow", datetime(2026, 11, 28, tzinfo=UTC), 1, ("2026-11-28", "--11-28")),
        ("this weekend", datetime(2026, 11, 28, tzinfo=UTC), 2, ("2026-11-28", "2026-11-29", "--11-28", "--11-29")),
        ("next quarter", datetime(2027, 1, 1, tzinfo=UTC), 90, ()),
        ("29 february", datetime(2024, 2, 29, tzinfo=UTC), 1, ("2024-02-29", "--02-29")),
    ],
)
def test_a_short_period_is_looked_for_day_by_day(phrase: str, start: datetime, days: int, expected: tuple[str, ...]):
    assert days_of(Period(start, start + timedelta(days=days), phrase)) == expected


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-12-18 to 2026-12-20 Bruges", ["2026-12-18", "2026-12-19", "2026-12-20"]),
        ("12–14 December: Vienna", ["--12-12", "--12-13", "--12-14"]),
        ("12-14 Dec 2026", ["2026-12-12", "2026-12-13", "2026-12-14"]),
        ("Fr 18.12. bis So 20.12. weg", ["--12-18", "--12-19", "--12-20"]),
        ("du 3 au 5 janvier", ["--01-03", "--01-04", "--01-05"]),
        ("du 30/12 au 1/1", ["--12-30", "--01-01"]),
        ("21/12 -> 23/12 fermé", ["--12-21", "--12-22", "--12-23"]),
        ("17-19/10 Jaca", ["--10-17", "--10-18", "--10-19"]),
        ("30 Dec to 1 Jan 2027", ["--12-30", "2027-01-01"]),
        ("30 Dec 2026 to 1 Jan 2027", ["2026-12-30", "2026-12-31", "2027-01-01"]),
        ("14 Dec dentist, 18 Dec tyres", ["--12-14", "--12-18"]),
        ("1 Jan 2026 to 31 Dec 2026", ["2026-01-01", "2026-12-31"]),
        ("2-3 eggs, 5 May", ["--05-05"]),
        ("14 APRİL, 3 May", ["--05-03"]),
    ],
)
def test_each_day_of_a_range_is_named(text: str, days: list[str]):
    assert sorted(days_named(text)) == sorted(days)


def test_who_is_away_is_not_free_on_a_day_in_between(tmp_path: Path):
    (tmp_path / "travel.md").write_text("# Travel\n\nBruges from 18 to 21 December, hotel Ter Duinen\n")
    with Engine.in_memory(Config(timezone="UTC"), strict=True) as engine:
        engine.index(tmp_path)
        assert "Bruges" in engine.recall("am i free on the 19th of december", at=NOW).text
        assert "Bruges" in engine.recall("bin ich am 20. dezember da", at=NOW).text
        assert engine.recall("am i free on 22 december", at=NOW).text == ""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory):
    """An engine of many notes that is only looked at: no prompt hears of another."""
    folder = tmp_path_factory.mktemp("notes")
    notes = {
        "vienna.md": "# Vienna trip\n\nFlight 12 Dec 2026 07:40, home again 15 Dec 21:05\nOpera Sunday 13.12. 19:00, row 7\n",
        "dates 2027.md": "- 14 Jan: dentist 8:15 Dr. Ose\n- 2 Feb: car to the MOT\n",
        "meters.md": "| date | gas |\n|---|---|\n| 2026-09-01 | 4102 |\n| 2026-10-01 | 4150 |\n",
        "journal/2026-10-01.md": "Rain. Ada lost a tooth.\n",
        "log 2026.txt": "1.11 chimney swept\n8.11 brakes squeal\n20.11 Lena has swimming on 30 Jan\n4.12 circus, row 2\n",
        "physio.md": "Ms Brandt, 2nd floor. Next check Thu 26 Nov 16:45\n",
        "todo.md": "- [ ] renvoyer la box avant le 17/1\n",
        "journal/2027-03-14.md": "next week:\n- mar 16 visio Fergus 11h\n- jeu 18 Mme Hatchikian\n",
        "mur.md": "# humidité\n\n- 12/01 photos envoyées\n- 03/02 rien\n- 22/05 artisan\n",
        "boiler.md": "Thermex 24, 12 litres, filter each December.\n",
    }
    with Engine.in_memory(Config(timezone="UTC", cache_size=1, fuzzy_cache_threshold=1), strict=True) as engine:
        engine.index(write_notes(folder, notes))
        yield engine


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("what do i have on 12 december", "07:40"),
        ("what are we doing on 13 december", "row 7"),
        ("am i free on the 14th of january", "dentist"),
        ("was ist am 2. februar", "MOT"),
        ("gas reading on 1 october", "4150"),
        ("what's on 4 december", "circus"),
        ("anything on 30 january?", "swimming"),
        ("j'ai quoi le 17 janvier", "la box"),
        ("il s'est passé quoi le 22 mai", "artisan"),
        ("j'ai quoi le 16 mars 2027", "visio"),
    ],
)
def test_a_day_that_a_note_speaks_of_is_found(many: Engine, prompt: str, told: str):
    assert told in many.recall(prompt, at=NOW, record=False).text


@pytest.mark.parametrize(
    ("prompt", "at", "told"),
    [
        ("what do we have on tomorrow", datetime(2026, 12, 11, 12, tzinfo=UTC), "07:40"),
        ("qu'est-ce qu'on a demain", datetime(2027, 1, 13, 12, tzinfo=UTC), "dentist"),
        ("what should i cook tonight", datetime(2027, 2, 2, 12, tzinfo=UTC), None),
        ("qué hicimos el 1 de octubre", datetime(2026, 10, 20, 12, tzinfo=UTC), "tooth"),
        ("10月1日我们做了什么", datetime(2026, 10, 20, 12, tzinfo=UTC), "tooth"),
        ("2027年1月14号我有空吗", datetime(2026, 12, 20, 12, tzinfo=UTC), "dentist"),
        ("am i free on sunday", datetime(2026, 12, 9, 12, tzinfo=UTC), "row 7"),
        ("steht am donnerstag etwas an", datetime(2027, 1, 12, 12, tzinfo=UTC), "dentist"),
        ("was steht am donnerstag im kalender", datetime(2027, 1, 12, 12, tzinfo=UTC), "dentist"),
        ("am donnerstag irgendwas?", datetime(2027, 1, 12, 12, tzinfo=UTC), "dentist"),
        ("was is am donnerstag", datetime(2027, 1, 12, 12, tzinfo=UTC), "dentist"),
        ("anything planned for february", datetime(2027, 1, 12, 12, tzinfo=UTC), "MOT"),
        ("qué tengo en enero", datetime(2026, 12, 20, 12, tzinfo=UTC), "dentist"),
        ("what's on on thursday next week", datetime(2026, 11, 20, 12, tzinfo=UTC), "16:45"),
        ("what's coming up?", datetime(2027, 1, 2, 12, tzinfo=UTC), "dentist"),
        ("plans for the weekend", datetime(2026, 12, 10, 12, tzinfo=UTC), "row 7"),
        ("jeudi je vois qui ?", datetime(2027, 3, 15, 12, tzinfo=UTC), "Hatchikian"),
        ("was ist am donnerstag alles", datetime(2027, 3, 15, 12, tzinfo=UTC), "Hatchikian"),
        ("was machen wir am wochenende", datetime(2027, 1, 28, 12, tzinfo=UTC), "swimming"),
    ],
)
def test_plans_of_a_day_are_for_who_asks_for_nothing_else(many: Engine, prompt: str, at: datetime, told: str | None):
    block = many.recall(prompt, at=at, record=False).text
    assert told in block if told else "MOT" not in block


@pytest.mark.parametrize("prompt", ["am i free on 20 january", "what's on tuesday", "anything planned for april"])
def test_a_day_that_no_note_speaks_of_is_not(many: Engine, prompt: str):
    assert many.recall(prompt, at=NOW, record=False).text == ""


def test_what_was_written_on_a_day_stands_before_what_names_it(many: Engine):
    told = many.recall("what happened on 1 october", at=NOW, record=False).candidates
    assert told[0].chunk.place.path == "journal/2026-10-01.md"


def test_of_what_is_to_come_the_soonest_stands_first(many: Engine):
    told = many.recall("anything planned for december", at=datetime(2026, 11, 20, tzinfo=UTC), record=False).candidates
    assert [c.chunk.place.path for c in told] == ["log 2026.txt", "vienna.md"]
