"""Single lines of what is not told whole stand behind the passages: those that most likely answer as well, or say what is new."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hookclaw_py import Config, Engine, text
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.terms import OPEN
from hookclaw_py.model.types import Effect, Period, Query
from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.stages.concealing import conceal
from hookclaw_py.stages.lines import LONGEST, best_lines, of_a_list
from hookclaw_py.temporal.mentions import days_of, with_days
from tests.conftest import CONSTANTS, candidate, write_notes

NOW = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
PAGE = candidate(
    "Avon two-seater.\nOutboard: Yamaha 2 hp, mixes 1:50", 0.9, 0.9, path="Dinghy.md", heading="Dinghy", created_at=None
)
ASKED = "which outboard is on the dinghy"


def of_day(month: int, body: str, **fields):
    return candidate(
        body, 0.3, 0.3, path=f"2026-{month:02}.md", created_at=datetime(2026, month, 4, tzinfo=UTC), **fields
    )


def told(prompt, found, first=PAGE, *, most=3, **rules) -> list[str]:
    terms = tuple(text.terms(prompt))
    lines = best_lines(
        [first, *found],
        [first],
        Query(prompt, NOW, terms, terms),
        rarity=lambda asked: dict.fromkeys(asked, 1.0),
        most=most,
        rules=CONSTANTS.lines._replace(**rules),
    )
    return [c.chunk.text for c in lines]


def test_the_line_that_has_what_is_asked_is_told_and_the_rest_of_its_passage_is_not():
    diary = of_day(8, "- painted the shed\n- bought a Mariner 4 hp outboard off Struan for the dinghy\n- rain")
    assert told(ASKED, [diary]) == ["- bought a Mariner 4 hp outboard off Struan for the dinghy"]


def test_the_heading_counts_for_every_line_below_it():
    notes = candidate("- Mariner 4 hp since August\n- blue", path="b.md", heading="Boats > Outboard of the dinghy")
    assert told(ASKED, [notes], least=0.0) == ["- Mariner 4 hp since August", "- blue"]
    assert told(ASKED, [candidate("- Mariner 4 hp\n- blue", path="b.md", heading="Boats")], least=0.0) == []


TABLE = "| boat | outboard | key |\n| :--- | --- | --- |\n| dinghy | Mariner 4 hp | |\n| skiff | Tohatsu. Needs oil | shed |"


def test_a_row_of_a_table_is_told_with_the_names_of_its_columns_and_these_are_no_line():
    boats = candidate(TABLE, path="b.md", heading="Boats")
    assert told(ASKED, [boats])[:1] == ["boat: dinghy, outboard: Mariner 4 hp"]
    assert told("oil of the skiff", [boats]) == ["boat: skiff, outboard: Tohatsu. Needs oil, key: shed"]
    whole = candidate(TABLE, 0.9, 0.9, path="b.md", heading="Boats", created_at=None)
    again = candidate(TABLE, path="c.md", heading="Outboard of each dinghy")
    assert told(ASKED, [again], first=whole, least=0.0) == []


@pytest.mark.parametrize("begins", [("- ", "  "), ("> ", "> ")])
def test_a_row_of_a_table_in_a_list_or_a_quotation_has_the_names_of_its_own_columns(begins: tuple[str, str]):
    body = "\n".join(begins[n > 0] + line for n, line in enumerate(TABLE.split("\n")))
    assert told("oil of the skiff", [candidate(body, path="b.md")]) == [
        "boat: skiff, outboard: Tohatsu. Needs oil, key: shed"
    ]


def test_a_rule_between_rows_as_org_has_it_makes_no_names_of_columns_of_the_row_above():
    grouped = TABLE.replace("| skiff", "| --- | --- | --- |\n| skiff")
    assert told("oil of the skiff", [candidate(grouped, path="b.md")]) == [
        "boat: skiff, outboard: Tohatsu. Needs oil, key: shed"
    ]


def test_a_password_in_a_row_that_is_told_is_hidden_by_the_name_of_its_column():
    logins = candidate("| service | user | password |\n|---|---|---|\n| dinghy club | petra | tern4Blue |", path="l.md")
    (row,) = told("who is the user of the dinghy club", [logins], least=0.0)
    (hidden,) = conceal([candidate(row)], asked="")
    assert hidden.chunk.text == f"service: dinghy club, user: petra, password: {REDACTED}"


def test_a_line_that_is_nested_in_another_is_told_with_it_where_each_has_some_of_what_is_asked():
    diary = of_day(8, "- dinghy\n\t- washed\n\t\t- the outboard has new oil, 5W30\n- outboard of the neighbour: loud")
    assert told(ASKED, [diary], most=1) == ["- washed > the outboard has new oil, 5W30"]
    diary = of_day(8, "- towed the dinghy home\n  - outboard is a Mariner 4 hp\n  - rain all day")
    assert told(ASKED, [diary]) == ["- towed the dinghy home > outboard is a Mariner 4 hp", "- towed the dinghy home"]


def test_a_line_that_only_heads_others_and_says_nothing_but_what_is_asked_is_told_with_theirs():
    diary = of_day(8, "- outboard, dinghy\n\t- Mariner 4 hp, from Struan\n- rain")
    assert told(ASKED, [diary]) == ["- outboard, dinghy > Mariner 4 hp, from Struan"]


def test_who_asks_for_a_month_gets_the_lines_of_other_pages_that_name_its_days_the_soonest_first(tmp_path):
    pages = {
        "School.md": "# School\n\noffice 0163 296 0222\nINSET: 11 January\nsports day 3 July\n",
        "Kitchen.md": "# Kitchen\n\noak or laminate?\nfitter starts 4 January, deposit paid\n",
        "Family.md": "# Family\n\nknee operation moved to 7 January\nDad: pills at eight\n",
        "Dentist.md": "# Dentist\n\nDr Pereira, Castle Street\nboth of us 14 January, 16:10\n",
        "Minutes 2026-01-13.md": "# Minutes\n\nrents stay, shed roof next year\nnext meeting 20 January\n",
    }
    with Engine.in_memory(Config(max_results=1, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("anything on in january?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert "fitter starts 4 January" in found.text
    assert [line.chunk.text for line in found.lines] == [
        "knee operation moved to 7 January",
        "INSET: 11 January",
        "both of us 14 January, 16:10",
    ]


def test_the_soonest_of_days_across_the_turn_of_a_year_is_the_first(tmp_path):
    days = {
        "Ski": "4 January 2027",
        "Tax": "29 December 2026",
        "Fitter": "2 January",
        "Dinner": "30 December",
        "Roof": "31 December 2026",
    }
    pages = {f"{what}.md": f"# {what}\n\n{what.lower()} on {day}\n" for what, day in days.items()}
    with Engine.in_memory(Config(max_results=1, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("what's on in the next two weeks?", at=datetime(2026, 12, 27, 9, tzinfo=UTC))
    whole = found.candidates[0].chunk.place.path
    order = ["Tax.md", "Roof.md", "Ski.md", "Dinner.md", "Fitter.md"]
    assert [c.chunk.place.path for c in found.lines] == [path for path in order if path != whole]


@pytest.mark.parametrize("asked", ["anything on in january?", "what is still open?"])
def test_where_no_lines_are_told_long_notes_of_a_list_are_told_whole(tmp_path, asked: str):
    rest = "Nothing else was said that anyone wrote down, and nobody minded. " * 12
    pages = {f"Club {n}.md": f"# Club {n}\n\n- [ ] write to club {n} on {n} January\n{rest}\n" for n in (5, 9, 14)}
    with Engine.in_memory(Config(max_lines=0, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall(asked, at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert len(found.candidates) == 2


def test_what_only_keeps_others_company_in_a_list_is_told_whole_as_no_line_of_it_is():
    query = Query("what is still open?", NOW, (OPEN,), (OPEN,))
    long = [candidate(f"- [ ] call {n}\n{'x ' * 400}", 0.5, n / 10, path=f"{n}.md") for n in (8, 6, 2)]
    whole, in_lines = of_a_list(long, query, room=1000, min_score=0.35)
    assert [c.chunk.place.path for c in whole] == ["8.md", "2.md"]
    assert [c.chunk.place.path for c in in_lines] == ["6.md"]


def test_a_line_with_a_day_that_is_carried_over_from_note_to_note_is_told_once(tmp_path):
    pages = {
        f"Week {n}.md": f"# Week {n}\n\n- rent of the shed is due 4 January\n- {what}\n"
        for n, what in enumerate(("soup", "rain on the roof", "a new kettle", "long walk"))
    }
    with Engine.in_memory(Config(max_results=1, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, {**pages, "Fitter.md": "# Fitter\n\nstarts 2 January\n"}))
        found = engine.recall("anything on in january?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert found.text.count("rent of the shed") == 1
    assert found.text.count("starts 2 January") == 1


def test_what_an_agent_says_of_a_task_or_a_day_is_no_line_of_a_list():
    said = "User: I still need to pay the rent on 4 January\nAssistant: Noted.\nYou still need to call the notary on 5 January"
    turn = candidate(said, 0.5, 0.5, path="s", kind=SESSION, created_at=datetime(2026, 8, 4, tzinfo=UTC))
    turn = turn._replace(
        chunk=replace(turn.chunk, terms=with_days(text.terms(said), said, written=turn.chunk.created_at))
    )
    tasks = Query("what is still open?", NOW, (OPEN,), (OPEN,))
    period = Period(datetime(2027, 1, 1, tzinfo=UTC), datetime(2027, 1, 8, tzinfo=UTC), "first week of january")
    days = Query("what's on in the first week of january", NOW, (), (), period=period, days=frozenset(days_of(period)))
    for query in (tasks, days):
        lines = best_lines([PAGE, turn], [PAGE], query, rarity=dict, most=3, rules=CONSTANTS.lines)
        assert [c.chunk.text for c in lines] == ["I still need to pay the rent on 4 January"], query


def test_who_asks_for_a_month_gets_of_long_notes_the_lines_that_name_its_days_so_that_all_have_room(tmp_path):
    rest = "Nothing else was said that anyone wrote down, and nobody minded. " * 12
    pages = {f"Club {n}.md": f"# Club {n}\n\nmeeting of club {n} on {n} January\n{rest}\n" for n in (5, 9, 14)}
    pages["Short.md"] = "# Short\n\nfitter starts 20 January\n"
    with Engine.in_memory(Config(max_results=4, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("anything on in january?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert all(f"meeting of club {n} on {n} January" in found.text for n in (5, 9, 14))
    assert "fitter starts 20 January" in found.text
    assert found.text.count("nobody minded") == 12
    told = [step.note for c in found.rejected for step in c.history if step.stage == "lines"]
    assert "its lines that are asked for are told" in told


def test_who_asks_for_a_week_is_told_its_days_however_alike_before_a_page_that_names_one(tmp_path):
    days = {17: "rope worn, Jordi brings another", 18: "plate hung below the tap", 19: "logger full, interval longer"}
    field = "Field day at the cave with Aina. Drip counts, bottles changed, boots wet, pizza after"
    pages = {f"2026-11-{day}.md": f"{field}. {what}\n" for day, what in days.items()}
    pages["Stock.md"] = "# Stock\n\nLast count 17 November 2026: ethanol 6 L, filters 14, resin 9 g\n"
    with Engine.in_memory(Config(max_results=3, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("what did I do last week?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert sorted(c.chunk.place.path for c in found.candidates) == ["2026-11-17.md", "2026-11-18.md", "2026-11-19.md"]


def test_of_the_days_of_a_week_that_are_not_told_whole_it_is_told_how_they_begin(tmp_path):
    days = ["washed the ropes", "rain, read two papers", "fixed the logger", "seminar of Aina", "milled the slab"]
    pages = {f"2026-11-{16 + n}.md": f"{what}\n\nHome late.\n" for n, what in enumerate(days)}
    with Engine.in_memory(Config(max_results=2, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("what did I do last week?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert [what in found.text for what in days] == [True] * 5
    assert found.text.count("Home late") == 2


def test_who_asks_what_is_open_gets_the_tasks_of_long_notes_without_the_rest_so_that_all_have_room(tmp_path):
    rest = "Nothing else was said that anyone wrote down, and nobody minded. " * 12
    pages = {f"Club {n}.md": f"# Club {n}\n\n{rest}\n- [ ] write to club {n}\n" for n in range(5)}
    with Engine.in_memory(Config(max_results=3, enable_vector=False)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("what is still open?", at=datetime(2026, 11, 28, 9, tzinfo=UTC))
    assert [f"write to club {n}" in found.text for n in range(5)] == [True] * 5
    assert found.text.count("nobody minded") == 12


def test_of_a_passage_that_finds_no_room_a_line_is_told(tmp_path):
    """It was chosen, so no line of it was; it did not fit, so it was not told either."""
    shed = "\n- painted the wall of the shed in green and grey, two coats of each"
    others = ("roof", "garden", "tax", "school", "bread", "train")
    pages = {
        "Harbour.md": f"# Harbour\n\n- oiled the outboard of the dinghy{shed} again\n- the neighbour helped with the ladder\n",
        "Summer.md": f"# Summer\n\n- washed the outboard of the dinghy{shed}\n- sails and oars in the shed\n",
        **{f"{word}.md": f"# {word}\n\nA note on {word}.\n" for word in others},
    }
    with Engine.in_memory(Config(enable_vector=False, min_score=0.05, max_context_chars=500)) as engine:
        engine.index(write_notes(tmp_path, pages))
        found = engine.recall("what did i do with the outboard of the dinghy?", at=NOW)
    (whole,), (line,) = found.candidates, found.lines
    assert {whole.chunk.place.path, line.chunk.place.path} == {"Harbour.md", "Summer.md"}
    assert "oiled the outboard" in found.text
    assert "washed the outboard" in found.text
    kept = next(one for one in found.rejected if one.chunk.id == line.chunk.id)
    assert [step.effect for step in kept.history[-2:]] == [Effect.LINE, Effect.OVER_BUDGET]


def test_a_line_of_a_namesake_of_who_is_asked_for_is_not_told():
    contacts = candidate("Sue Marsh, 12 Orchard Close", 0.9, 0.9, path="contacts.txt", heading="contacts")
    lines = [
        "Sue Hartley stood down",
        "Sue P has her hip done",
        "Sue M wants half",
        "half of it to Sue",
        "Sue Marsh rang",
    ]
    found = told("who is sue marsh", [of_day(8, "\n".join(lines))], contacts, most=9, least=0.0, faint=0.01)
    assert {*lines[2:]} <= {*found}
    assert not {*lines[:2]} & {*found}
    assert lines[0] in told("who is sue", [of_day(8, "\n".join(lines))], contacts, most=9, least=0.0, faint=0.01)


@pytest.mark.parametrize(
    ("asked", "page", "line"),
    [
        ("zahnarzt termin", "Zahnarzt Termin am 3.", "Zahnarzt Dr Roux 0151 234567"),
        ("wann ist der zahnarzt termin", "Zahnarzt Termin am 3.", "Zahnarzt Roux hat umgebaut"),
        ("who is sue marsh", "Sue Marsh, 12 Orchard Close", "Sue Tel 0151 234567"),
        ("who is sue marsh", "Sue Marsh, 12 Orchard Close", "Tell Sue I said hi"),
        ("who is sue marsh", "Sue Marsh, 12 Orchard Close", "Sue OK with 7pm"),
        ("who is sue marsh", "Sue Marsh, 12 Orchard Close", "Sue Friday 7pm"),
    ],
)
def test_what_a_thing_is_and_a_first_word_before_another_are_no_namesakes(asked: str, page: str, line: str):
    contacts = candidate(page, 0.9, 0.9, path="contacts.txt", heading="contacts")
    assert line in told(asked, [of_day(8, line)], contacts, most=9, least=0.0, faint=0.01)


def test_of_dated_lines_alike_the_latest_comes_first():
    months = [of_day(month, f"- the outboard of the dinghy: carburettor {month}") for month in (3, 8, 5)]
    found = told(ASKED, months, behind=0.0)
    assert [line[-1] for line in found] == ["8", "5", "3"]


def test_a_later_line_about_what_is_told_is_worth_more_than_one_that_has_as_much_of_what_is_asked():
    other = of_day(8, "- who wants an old outboard")
    about_it = of_day(8, "- outboard: Yamaha sold, mixes no more")
    assert told(ASKED, [other, about_it], most=1) == ["- outboard: Yamaha sold, mixes no more"]


def test_a_page_about_days_to_come_is_not_the_latest_news_and_leaves_out_nothing_that_was_written_since():
    to_come, diary = (
        of_day(11, "- the dinghy and its outboard stay at home"),
        of_day(8, "- new outboard of the dinghy, Mariner 4 hp"),
    )
    assert told(ASKED, [to_come, diary])[0] == "- new outboard of the dinghy, Mariner 4 hp"
    trip = replace(PAGE.chunk, created_at=datetime(2026, 11, 4, tzinfo=UTC))
    assert told(ASKED, [diary], first=PAGE._replace(chunk=trip)) == ["- new outboard of the dinghy, Mariner 4 hp"]


def test_what_was_written_before_what_is_told_says_what_was_and_is_not():
    line = "- the outboard of the dinghy is a Mariner"
    told_in_may = of_day(5, "- outboard is the Yamaha, mixes fuel 1:50")
    assert told(ASKED, [of_day(8, line)], first=told_in_may) == [line]
    assert told(ASKED, [of_day(3, line)], first=told_in_may) == []
    assert told(ASKED, [of_day(3, line)]) == [line]


def test_what_stands_far_behind_what_has_nothing_of_it_or_is_told_already_is_not():
    line = "- the outboard of the dinghy is away"
    strangers = [of_day(7, f"- nothing of that, {n}") for n in range(6)]
    assert told(ASKED, strangers) == []
    assert told(ASKED, [of_day(8, "- Outboard: Yamaha 2 hp, mixes 1:50".removeprefix("- "))]) == []
    far = candidate(line.replace("outboard", "motor"), path="far.md")
    assert told(ASKED, [*strangers, far]) == []
    assert told(ASKED, [of_day(8, line)], most=0) == []


@pytest.mark.parametrize(
    "untold",
    [of_day(8, "- outboard of the dinghy " * 12), of_day(8, "- outboard of the dinghy", origin=Origin.QUOTED)],
)
def test_paragraphs_and_the_words_of_others_are_not(untold):
    assert len("- outboard of the dinghy " * 12) > LONGEST
    assert told(ASKED, [untold]) == []


@pytest.mark.parametrize("origin", [Origin.QUOTED, Origin.WEB, Origin.TOOL, Origin.IMPORTED])
def test_words_that_would_need_a_mark_are_told_in_no_line(origin):
    turn = of_day(8, "User: the outboard of the dinghy is a Mariner", kind=SESSION, origin=origin)
    assert told(ASKED, [turn]) == []
    assert told(ASKED, [turn._replace(chunk=replace(turn.chunk, origin=Origin.SAID))]) == [
        "the outboard of the dinghy is a Mariner"
    ]


def test_without_a_passage_no_line_is_told():
    diary = of_day(8, "- bought a Mariner 4 hp outboard for the dinghy")
    query = Query(ASKED, NOW, ("outboard",), ("outboard",))
    assert best_lines([diary], [], query, rarity=lambda _: {}, most=3, rules=CONSTANTS.lines) == []


def test_a_line_says_in_its_history_that_it_is_one_and_what_it_counts():
    diary = of_day(8, "- the outboard of the dinghy is a Mariner")
    terms = tuple(text.terms(ASKED))
    (line,) = best_lines(
        [PAGE, diary], [PAGE], Query(ASKED, NOW, terms, terms),
        rarity=lambda asked: dict.fromkeys(asked, 1.0), most=3, rules=CONSTANTS.lines,
    )  # fmt: skip
    rules = CONSTANTS.lines
    expected = 1 - rules.behind * math.log(2) + rules.shared * math.log(2) + rules.late
    assert line.fate is Effect.LINE
    assert line.history[-1].value == pytest.approx(expected)
    assert line.chunk.id == diary.chunk.id
