"""What has changed stands before the note that says what was, wherever and however it was written."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from hookclaw_py import Config, Engine, text
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.terms import Terms
from hookclaw_py.model.types import Effect, Query
from hookclaw_py.speech.former import asks_for_what_was
from hookclaw_py.speech.news import is_called_new
from hookclaw_py.speech.outdating import covered_with_names, news_in
from hookclaw_py.stages import changes, entities
from tests.conftest import CONSTANTS, candidate

ASKED_AT = datetime(2026, 2, 20, 9, 0, tzinfo=UTC)
NOV, OCT = datetime(2025, 11, 3, tzinfo=UTC), datetime(2025, 10, 3, tzinfo=UTC)
RENT = "We rent the left half of the boathouse.\n- 4 800 kr a year, paid by May\n- the winch key hangs under the stairs"


def query(prompt: str) -> Query:
    terms = tuple(text.terms(prompt))
    return Query(prompt, ASKED_AT, terms, terms, entities.find_entities(prompt, names=frozenset()))


def blocks(
    prompt: str,
    old: str,
    new: str,
    *,
    heading: str = "Page",
    written: datetime | None = NOV,
    answers: bool = True,
    near: bool = True,
    **fields,
) -> list:
    """Return what comes of an undated page that is found and a line in the journal that says little by itself, found near it or not at all."""
    page = candidate(old, 0.9, 0.8, path="page.md", heading=heading, created_at=None, **fields)
    journal = candidate(new, 0.1, 0.1, path="journal.md", created_at=written)
    found, beside = ([page, journal], []) if near else ([page], [journal.chunk])
    ordered = changes.follow(found, query(prompt), beside=lambda *_: beside, **{**RULES, "answers": lambda _: answers})
    return [(c.chunk.place.path, c.superseded or c.overtaken) for c in ordered if c is not journal]


RULES: dict = {"answers": lambda _: True, "worth": lambda c: c.relevance >= 0.5, "constants": CONSTANTS.changes}
CHANGED = [("journal.md", False), ("page.md", True)]
AS_IT_WAS = [("page.md", False)]
SAID = """
    the order slips to Thursday | the order was delayed | postponed to May | the fee was lowered | the trial is extended | we are moving
    pushed back a week | brought forward | the price rose | rescheduled for noon
    auf Montag verschoben | vorverlegt | der Termin wurde vertagt | bis Mai verlängert | hat gekündigt | steigt auf 12 | Diesel billiger
    Jana übernimmt | zieht nach Ulm | Futter umstellen | Wechsel durch | Flug umgebucht | kein Pferd mehr | no more gluten | router swapped
    Kurs doch donnerstags | Dragana hört auf | Hausgeburt fällt weg | Familie gezügelt | Salbe abgesetzt | not coming after all | from tomorrow 385
    rent 820 → 860 | 46->48 | moved twice: 8 Sept → 22 Sept | choir Tue → Thu | Probe Dienstag -> Donnerstag | 12月8日 → 12月10日
    est entrée à l'EHPAD | finalement à Chur
    la réunion est reportée | repoussé | décalée à midi | abonnement résilié | installée à Lyon | emménagé | le prix monte à 12
    Paco sube precios | la cita se aplazó | retrasado | adelantada a las nueve | baja a 12
    la riunione è spostata | rimandata | uitgesteld | verplaatst | встречу перенесли | 会议推迟到周五 | 会議は延期 | 値上げ | 회의 연기
"""


@pytest.mark.parametrize("line", [part.strip() for part in SAID.replace("\n", "|").split("|") if part.strip()])
def test_many_words_say_that_something_changes(line):
    told = candidate(f"- {line}", created_at=NOV).chunk
    assert [news.line for news in news_in([told], today=ASKED_AT.date())] == [f"- {line}"]


@pytest.mark.parametrize(
    "line", ["- swept the boathouse", "- el bajo de Marta suena bien", "- die Probe war lang", "- resto à faire"]
)
def test_other_words_do_not(line):
    assert news_in([candidate(line, created_at=NOV).chunk], today=ASKED_AT.date()) == []


BESIDE = [("page.md", False), ("journal.md", False)]


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        ("what is the rent of the boathouse", RENT, "- boathouse rent goes up to 5 600 a year"),
        ("when is the standup", "Standup 09:15 in the small room", "- standup moves to 08:45, big room"),
        ("which key box code", "key box code 2580", "- changed the key box to 7413, because of the teenagers"),
        ("who is our dentist", "Dentist: Dr. Holm, Harbour Street", "- dentist is Dr. Lund since August, Holm retired"),
        ("wann ist die Probe vom Chor", "Probe vom Chor montags 19 Uhr", "- Chor: Probe ab jetzt mittwochs 20 Uhr"),
        ("quel est le tarif du capteur", "tarif capteur : 1 190 € HT", "- nouveau tarif capteur 1 260 € HT"),
        (
            "a qué hora es la clase de baile",
            "clase de baile lunes 18:00",
            "- clase de baile: desde hoy los jueves 19:00",
        ),
        ("插头现在多少钱", "单价：插头 38 元", "- 新价：插头 42 元"),
        ("quel est le loyer du hangar", "loyer du hangar 940 €", "- loyer du hangar 975 € à partir du 3 novembre"),
        (
            "cuál es el alquiler del taller",
            "alquiler del taller: 940 €",
            "- alquiler del taller 975 € a partir de noviembre",
        ),
    ],
)
def test_a_dated_line_about_a_change_takes_the_place_of_an_undated_page(prompt, old, new):
    assert blocks(prompt, old, new) == CHANGED


@pytest.mark.parametrize(
    ("prompt", "new"),
    [
        ("what is the rent of the boathouse", "- boathouse roof: nothing new"),
        ("what is the rent of the boathouse", "- new shoes for the kids, 5 600 a year if it goes on like this"),
        ("what is the rent of the boathouse", "- boathouse, swept, rent paid 5 600"),  # no word of change
        ("where is the winch key of the boathouse", "- boathouse rent goes up to 5 600"),  # another attribute
    ],
)
def test_a_line_about_something_else_supersedes_nothing(prompt, new):
    assert blocks(prompt, RENT, new) == AS_IT_WAS


STAFF = "- Technician: Sunita, prep room, ext 214. Needs requisitions by Wednesday noon."
PRACTICALS = "Ray boxes: bulbs 12 V 24 W, spares in the tin"


@pytest.mark.parametrize(
    ("prompt", "old", "new", "sure"),
    [
        ("when are the requisitions for sunita due", STAFF, "Sunita now wants requisitions by Tuesday.", True),
        ("sunita ext", STAFF, "Sunita now wants requisitions by Tuesday.", False),
        ("are there gas and water in the prep room", STAFF, "- moved the prep room to the lab", False),
        ("is there water in the prep room", STAFF, "- moved the prep room to the lab", True),
        ("bulbs of the ray boxes", PRACTICALS, "Coffee with Imogen about ray boxes, she is the new rep.", False),
    ],
)
def test_a_page_that_holds_more_of_what_is_asked_may_be_outdated_and_says_no_more_than_that(prompt, old, new, sure):
    page = candidate(old, 0.9, 0.8, path="page.md", heading="Page", created_at=None)
    journal = candidate(new, 0.1, 0.1, path="journal.md", created_at=NOV)
    told = changes.follow([page, journal], query(prompt), beside=lambda *_: [], **RULES)
    assert [(c.chunk.place.path, c.superseded, c.overtaken) for c in told] == [
        ("journal.md", False, False),
        ("page.md", sure, not sure),
    ]
    assert blocks(prompt, old, new, near=False) == (CHANGED if sure else AS_IT_WAS)


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        (
            "quelle mutuelle on a maintenant",
            "- [ ] changer RIB mutuelle",
            "- mutuelle: RIB d'Alan maintenant, contrat 4471",
        ),
        ("which kindergarten fee", "* [ ] pay the kindergarten fee", "- kindergarten fee now 240"),
        ("what is the rent of the boathouse", RENT, "- [ ] boathouse rent: change to 5 600 a year"),
        ("what is the rent of the boathouse", RENT, "\t- TODO boathouse rent: change to 5 600 a year"),
        ("what is the rent of the boathouse", RENT, "* LATER boathouse rent: change to 5 600 a year"),
    ],
)
def test_a_task_that_is_still_to_do_is_not_outdated_and_outdates_nothing(prompt, old, new):
    assert not any(outdated for _, outdated in blocks(prompt, old, new, heading="todo"))
    done = (re.sub(r"\[ \]|TODO|LATER", "[x]", part) for part in (old, new))
    assert any(outdated for _, outdated in blocks(prompt, *done, heading="todo"))


CODES = "- alarm of the office: 7719\n- key box in the yard: 0427"


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("- alarm: new code, see Codes", "Codes and keys"),
        ("- alarm of the office has a new code → [[Codes]]", "Codes and keys"),
        ("- Alarm: neuer Code, siehe Codes", "Codes und Schlüssel"),
        ("- alarme : nouveau code, voir la page Codes", "Codes"),
        ("- alarm: nuevo code, véase Codes", "Codes"),
    ],
)
def test_a_line_that_only_sends_one_to_a_page_is_no_news_of_it(line, heading):
    assert blocks("alarm code", CODES, line, heading=heading) == AS_IT_WAS


def test_a_line_that_points_and_says_itself_what_is_new_is_news():
    assert blocks("alarm code", CODES, "- alarm: new code 3301, see Codes", heading="Codes")[0][0] == "journal.md"
    assert blocks("alarm code", CODES, "- alarm: new code, see mail", heading="Codes")[0][0] == "journal.md"


@pytest.mark.parametrize(("month", "expected"), [(4, CHANGED), (1, AS_IT_WAS)])
def test_a_page_about_days_to_come_is_outdated_by_what_is_written_before_them(month, expected):
    fair = candidate("Stall fee of the fair 120, tables by Ann", 0.9, 0.8, path="page.md", heading="Fair")
    fair = fair._replace(chunk=replace(fair.chunk, created_at=datetime(2026, month, 9, tzinfo=UTC)))
    journal = candidate("- stall fee of the fair is now 135", 0.1, 0.1, path="journal.md", created_at=NOV)
    ordered = changes.follow([fair, journal], query("stall fee of the fair"), beside=lambda *_: [], **RULES)
    found = [(c.chunk.place.path, c.superseded or c.overtaken) for c in ordered]
    assert found[: len(expected)] == expected


def test_what_begins_later_is_not_so_yet():
    later = "- boathouse rent: 5 600 a year from 1 March 2026"
    assert blocks("what is the rent of the boathouse", RENT, later) == BESIDE
    assert blocks("what is the rent of the boathouse", RENT, later.replace("March", "February")) == CHANGED
    assert blocks("what is the rent of the boathouse", RENT, "- boathouse rent 5 600 a year from April") == BESIDE
    assert blocks("what is the rent of the boathouse", RENT, "- boathouse rent 5 600 a year from January") == CHANGED
    assert blocks("what is the rent of the boathouse", RENT, "- boathouse rent ab 1.3. 5 600 a year") == BESIDE
    assert blocks("what is the rent of the boathouse", RENT, "- boathouse rent ab 1.12.25 5 600 a year") == CHANGED


def test_a_day_in_the_text_dates_a_line_of_an_undated_page():
    since = "- since 2025-09-15 the boathouse rent is 5 600 a year"
    assert blocks("what is the rent of the boathouse", RENT, since, written=None) == CHANGED
    assert blocks(
        "what is the rent of the boathouse", RENT, since.replace("since 2025-09-15", "now"), written=None
    ) == (AS_IT_WAS)


WIFI, ASKS_WIFI = "Wifi home: paella-op-zondag", "home wifi password"


@pytest.mark.parametrize(
    ("day", "since"),
    [("12 Nov: ", ""), ("November 12: ", ""), ("Nov 12th ", ""), ("", "since November 12"), ("", "seit 12.11.")],
)
def test_a_line_of_an_undated_page_is_dated_by_the_day_before_today_that_it_names(day, since):
    line = f"- {day}wifi password at home changed to naranja-1982 {since}"
    assert blocks(ASKS_WIFI, WIFI, line, heading="Wifi and passwords", written=None) == CHANGED
    (news,) = news_in([candidate(line, created_at=None).chunk], today=ASKED_AT.date())
    assert news.since == date(2025, 11, 12)


@pytest.mark.parametrize("line", ["- wifi password changes from May", "- may be that the wifi password changed"])
def test_what_may_be_to_come_and_what_is_no_day_dates_no_line(line):
    assert news_in([candidate(line, created_at=None).chunk], today=ASKED_AT.date()) == []


def test_a_page_that_says_the_change_itself_is_not_overtaken_by_a_line_that_says_no_more():
    page = f"- {NOV:%B} {NOV.day}: wifi password at home changed to naranja-1982\n- gym stopped"
    line = "- changed wifi password"
    assert blocks(ASKS_WIFI, page, line, heading="Now home") == AS_IT_WAS
    assert latest(ASKS_WIFI, line, old=page) == ["page.md", "journal.md"]
    old = page.replace(f"{NOV:%B} {NOV.day}", "2 September")
    assert blocks(ASKS_WIFI, old, line, heading="Now home") == CHANGED, "changed once more since"
    assert blocks(ASKS_WIFI, page, f"{line} to 4471-88", heading="Now home") == CHANGED, "another one"


def test_a_line_of_a_log_from_a_later_day_is_no_less_new_than_what_was_noted_before():
    def told(day, *known):
        log = f"- 4 March: manure, 3 loads\n- {day}: manure came, only one load\n- gate painted"
        page = candidate(log, 0.9, 0.8, path="log.md", heading="log", created_at=None)
        page = page._replace(chunk=replace(page.chunk, terms=Terms((*page.chunk.terms, *known))))
        minutes = candidate("Manure: 2 loads on 14 November", 0.5, 0.6, path="minutes.md", created_at=NOV)
        ordered = changes.follow([page, minutes], query("how much manure came"), beside=lambda *_: [], **RULES)
        return [c.chunk.place.path + "?" * (c.overtaken or c.superseded) for c in ordered]

    after, before = NOV + timedelta(days=1), NOV - timedelta(days=9)
    as_found, outdated = ["log.md", "minutes.md"], ["minutes.md", "log.md?"]
    assert told(f"{after:%d %b}", f"--{after:%m-%d}") == as_found
    assert told(f"{after:%d %b}", f"{after:%Y-%m-%d}") == as_found
    assert told(f"{after:%d %b}", f"{after.year - 1}-{after:%m-%d}") == outdated, "of the year before"
    assert told(f"{before:%d %b}", f"--{before:%m-%d}") == outdated


@pytest.mark.parametrize("places", [("a.md", "z.md"), ("z.md", "a.md")])
def test_of_two_lines_that_say_so_the_one_with_more_is_told(places):
    page = candidate(WIFI, 0.9, 0.8, path="page.md", heading="Wifi and passwords", created_at=None)
    bare = candidate("- changed wifi password", 0.5, 0.5, path=places[0], created_at=NOV)
    told = candidate("- wifi password changed to naranja-1982", 0.5, 0.5, path=places[1], created_at=NOV)
    ordered = changes.follow([page, bare, told], query("wifi password"), beside=lambda *_: [], **RULES)
    assert [c.chunk.place.path for c in ordered][:2] == [places[1], "page.md"]


def test_an_older_line_does_not_supersede_what_is_dated_later():
    newer_page = "Boathouse rent 2026: 5 600 a year"
    assert blocks("what is the rent of the boathouse", newer_page, "- boathouse rent now 5 000 a year") == AS_IT_WAS


def test_of_two_changes_the_later_one_holds():
    page = candidate(RENT, 0.9, 0.8, path="page.md", created_at=None)
    first = candidate("- boathouse rent now 5 000 a year", path="a.md", created_at=NOV).chunk
    second = candidate("- boathouse rent now 5 600 a year", path="b.md", created_at=NOV.replace(month=12)).chunk
    news = news_in([second, first], today=ASKED_AT.date())
    ordered = changes.prefer_news([page], news, query("what is the boathouse rent"), **RULES)
    assert [c.chunk.place.path for c in ordered] == ["b.md", "page.md"]
    assert ordered[0].relevance == page.relevance


@pytest.mark.parametrize(
    ("prompt", "past"),
    [
        ("what was the rent before?", True),
        ("wie hoch war die Miete früher?", True),
        ("以前的价格是多少", True),
        ("wie viel Johannisbeeren gab es 2025", True),
        ("what is the rent in 2026?", False),
        ("how old is Mei?", False),
        ("what is the rent?", False),
    ],
)
def test_who_asks_for_what_was_gets_what_was(prompt, past):
    assert asks_for_what_was(query(prompt)) == past


def test_a_line_from_after_the_day_of_asking_is_not_known_yet():
    tomorrow = candidate("- boathouse rent now 5 600", created_at=datetime(2026, 2, 21, tzinfo=UTC)).chunk
    assert news_in([tomorrow], today=date(2026, 2, 20)) == []


def test_a_dated_note_is_what_happened_then_and_stays():
    """In a conversation or a diary later days speak of the same things again and again."""
    told = candidate("We pay a rent of 4 800 for the boathouse.", 0.9, 0.8, created_at=datetime(2025, 3, 1, tzinfo=UTC))
    later = candidate("- started to paint the boathouse, the rent includes the paint", created_at=NOV)
    news = news_in([later.chunk], today=ASKED_AT.date())
    assert changes.prefer_news([told], news, query("what is the rent of the boathouse"), **RULES) == [told]


FLAT = "The rent is 940 euros, due on the 3rd.\nLandlord: Mrs Kowalski, 0151 2233."


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        ("how much is the rent?", FLAT, "- Rent goes up to 975 from March"),
        ("what is the rent of the boathouse", RENT, "- boathouse rent goes up to 5 600 a year from March"),
        ("Miete?", "Miete 940 €, am 3. fällig", "- Miete ab März 975 €"),
        ("quel est le loyer", "loyer : 940 €, le 3", "- loyer : 975 € à partir de mars"),
    ],
)
def test_what_will_change_and_what_says_little_stand_beside_the_page(prompt, old, new):
    assert blocks(prompt, old, new, heading="Flat") == BESIDE


def latest(prompt: str, new: str, *, relevance: float = 0.6, old: str = FLAT) -> list[str]:
    """Return in which order a page and a day of the journal are told that were both found, and what says that it may be outdated."""
    page = candidate(old, 0.9, 0.8, path="page.md", heading="Flat", created_at=None)
    day = candidate(new, 0.5, relevance, path="journal.md", created_at=NOV)
    told = changes.latest_first([page, day], query(prompt), worth=RULES["worth"], constants=RULES["constants"])
    return [c.chunk.place.path + "?" * c.overtaken for c in told]


@pytest.mark.parametrize(
    ("prompt", "new"),
    [
        ("how much is the rent?", "- cold\n- rent is 975 since October"),
        ("how much is the rent?", "- paid the rent, 975"),
        ("Miete?", "- Miete überwiesen: 975 €"),
        ("who is the landlord", "- landlord is Mr Adeyemi now"),
    ],
)
def test_the_latest_day_with_news_of_what_is_asked_is_told_before_the_page(prompt, new):
    assert latest(prompt, new, old=f"{FLAT}\nMiete 940 €") == ["journal.md", "page.md?"]
    assert latest(prompt, new, relevance=0.2, old=f"{FLAT}\nMiete 940 €") == ["journal.md", "page.md?"], (
        "hardly relevant"
    )


def test_what_is_no_news_of_it_stays_behind():
    rent = "how much is the rent?"
    assert latest(rent, "- paid the rent, 940 as always") == ["page.md", "journal.md"], "nothing new"
    assert latest(rent, "- washing machine broken again, 975") == ["page.md", "journal.md"], "of something else"
    assert latest(rent, "- rent goes up to 975 from March") == ["page.md", "journal.md"], "not yet"
    assert latest("when is the rent due, and to whom do I write about the roof?", "- the roof leaks, 3 buckets") == [
        "page.md",
        "journal.md",
    ], "of a part"
    assert latest(rent, "- paid the rent, 975", relevance=0.1) == ["page.md", "journal.md"], "not relevant"


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        ("what food does Fig get", "Fig, lurcher\nfood: fish and potato, twice a day", "- rain\n- Fig: food to Barkwell duck, she itches on fish"),
        ("wer ist die Doula", "Nadja\nDoula: Birgit", "- Vertretung der Doula = Selma"),
        ("wann ist schwimmkurs jannis", "Schwimmkurs Jannis\nDi 16.15", "23.5. J. Schwimmkurs doch donnerstags 17 Uhr"),
    ],
)  # fmt: skip
def test_news_needs_no_number_and_not_each_name_of_the_prompt(prompt, old, new):
    assert latest(prompt, new, old=old) == ["journal.md", "page.md?"]


def test_a_word_with_several_forms_is_one_word_of_what_is_asked():
    asked = "wann ist schwimmkurs jannis"
    assert max(len(forms) for _, forms in text.forms(asked)) > 1
    day = candidate("23.5. J. Schwimmkurs doch donnerstags 17 Uhr", created_at=NOV).chunk
    (news,) = news_in([day], today=ASKED_AT.date())
    assert covered_with_names(news, query(asked)) == 0.5


def test_the_day_that_a_line_of_a_log_begins_with_is_no_number_of_its_news():
    old = "Dentist Brodbeck 061 555 90 14"
    assert latest("dentist brodbeck", "27.11. dentist Brodbeck 061 555 90 14", old=old) == ["page.md", "journal.md"]
    assert latest("dentist brodbeck", "27.11. dentist Brodbeck 061 555 11 22", old=old) == ["journal.md", "page.md?"]


def test_a_line_further_down_among_what_was_found_is_told_before_the_page_too():
    page = candidate(FLAT, 0.9, 0.8, path="page.md", heading="Flat", created_at=None)
    others = [candidate("- cold", 0.6, 0.3, path=f"{n}.md", created_at=NOV) for n in range(4)]
    day = candidate("- cold\n- the rent is 975 euros now", 0.5, 0.3, path="journal.md", created_at=NOV)
    told = changes.latest_first(
        [page, *others, day], query("how much is the rent?"), worth=RULES["worth"], constants=CONSTANTS.changes
    )
    assert [c.chunk.place.path for c in told][:2] == ["journal.md", "page.md"]


def test_of_a_page_behind_the_best_one_only_what_stands_above_it_says_that_it_may_be_outdated():
    best = candidate("Boats\nthe rent of a boat", 0.9, 0.8, path="boats.md", heading="Boats", created_at=None)
    page = candidate(FLAT, 0.7, 0.7, path="page.md", heading="Flat", created_at=None)
    day = candidate("- the rent is 975 euros now, due on the 3rd", 0.8, 0.7, path="journal.md", created_at=NOV)
    asked, rules = query("how much is the rent in euros?"), {"worth": RULES["worth"], "constants": CONSTANTS.changes}
    above = changes.latest_first([day, best, page], asked, **rules)
    assert "page.md" in [c.chunk.place.path for c in above if c.overtaken]


def test_what_was_noted_before_a_later_day_that_leads_says_that_it_may_be_outdated():
    minutes = candidate("- rent 940, split by 3\n- door code 4471 stays", 0.7, 0.7, path="june.md", created_at=OCT)
    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}

    def told(line: str, prompt: str) -> list[bool]:
        day = candidate(line, 0.9, 0.9, path="journal.md", created_at=NOV)
        both = changes.follow([day, minutes], query(prompt), beside=lambda *_: [], answers=lambda _: True, **rules)
        return [c.overtaken for c in both]

    assert told("- door code changed, 8825", "door code?") == [False, True]
    assert told("- door code 8825 typed in wrong again", "door code?") == [False, False], "no word of change"
    assert told("- door code changed, 8825", "what was the door code before?") == [False, False], "asks for what was"


def test_a_later_day_that_was_found_behind_a_dated_note_is_told_before_it():
    minutes = candidate("- rent 940, split by 3\n- door code 4471 stays", 0.9, 0.9, path="june.md", created_at=OCT)
    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}

    def told(line: str, written: datetime) -> list[tuple[str, bool]]:
        day = candidate(line, 0.5, 0.6, path="journal.md", created_at=written)
        return [
            (c.chunk.place.path, c.overtaken)
            for c in changes.latest_first([minutes, day], query("door code?"), **rules)
        ]

    as_found = [("june.md", False), ("journal.md", False)]
    assert told("- door code changed, 8825", NOV) == [("journal.md", False), ("june.md", True)]
    assert told("- door code 8825 typed in wrong again", NOV) == as_found, "no word of change"
    assert told("- door code changed, 8825", datetime(2025, 9, 3, tzinfo=UTC)) == as_found, "earlier"


@pytest.mark.parametrize(
    ("asked", "now", "old", "new"),
    [
        ("which stomach tablet is it", "which stomach tablet is it now", "stomach tablet: omeprazole 20 mg", "- omeprazole short, tablet is lansoprazole 15"),
        ("Tablette Magen", "Tablette Magen aktuell", "Magen Tablette: Omeprazol 20 mg", "- Omeprazol aus, Tablette ist Lansoprazol 15"),
    ],
)  # fmt: skip
def test_who_says_that_it_is_what_holds_now_that_is_asked_for_is_sooner_told_of_a_later_day(asked, now, old, new):
    def told(prompt: str, written: datetime | None = None) -> list[str]:
        page = candidate(old, 0.9, 0.8, path="page.md", created_at=written)
        others = [candidate("- cold", 0.6, 0.3, path=f"{n}.md", created_at=NOV) for n in range(4)]
        day = candidate(new, 0.3, 0.3, path="journal.md", created_at=NOV)
        found = changes.latest_first([page, *others, day], query(prompt), **rules)
        return [c.chunk.place.path + "?" * c.overtaken for c in found][:2]

    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}
    assert told(asked) == ["page.md", "0.md"]
    assert told(now) == ["journal.md", "page.md?"]
    assert told(now, datetime(2027, 4, 9, tzinfo=UTC)) == ["journal.md", "page.md?"], "is about days to come"


@pytest.mark.parametrize(("day", "expected"), [(7, CHANGED), (8, [("page.md", False), ("journal.md", False)])])
def test_todays_note_is_news_where_it_is_still_yesterday_in_greenwich(day, expected):
    page = candidate("door code 4471", 0.9, 0.8, path="page.md", created_at=None)
    written = datetime(2026, 3, day, tzinfo=UTC)
    journal = candidate("- door code changed, 8825", 0.5, 0.6, path="journal.md", created_at=written)
    in_auckland = datetime(2026, 3, 7, 9, tzinfo=timezone(timedelta(hours=13)))
    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}
    ordered = changes.latest_first([page, journal], replace(query("door code?"), asked_at=in_auckland), **rules)
    assert [(c.chunk.place.path, c.overtaken) for c in ordered] == expected


def test_a_dated_note_is_no_sooner_outdated_where_it_is_what_holds_now_that_is_asked_for():
    june = candidate("the key hangs by the clock\nMoses the cat moved in", 0.9, 0.9, path="june.md", created_at=OCT)
    others = [candidate("- cold", 0.6, 0.3, path=f"{n}.md", created_at=NOV) for n in range(4)]
    day = candidate("- Cat has a new job, librarian", 0.3, 0.3, path="journal.md", created_at=NOV)
    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}
    told = changes.latest_first([june, *others, day], query("where is the cat Moses now"), **rules)
    assert [c.chunk.place.path for c in told if c.overtaken] == []


def test_news_of_two_notes_stays_before_the_first_of_them():
    page = candidate(FLAT, 0.9, 0.8, path="page.md", heading="Flat", created_at=None)
    before = candidate("- paid the rent, 940", 0.8, 0.9, path="october.md", created_at=OCT)
    day = candidate("- the rent is 975 euros now", 0.5, 0.3, path="journal.md", created_at=NOV)
    rules = {"worth": RULES["worth"], "constants": CONSTANTS.changes}
    told = changes.latest_first([page, before, day], query("how much is the rent?"), **rules)
    assert [(c.chunk.place.path, c.overtaken) for c in told] == [
        ("journal.md", False),
        ("page.md", True),
        ("october.md", True),
    ]


def test_a_day_that_hardly_answers_and_says_less_than_the_page_is_no_news_of_it():
    sizes = "Mara  trousers 40 shoes 38\nGoran  trousers 56 shoes 46"
    asked, rose = "shoe size goran", "- snow, Goran out with the plough at 4"
    assert latest(asked, rose, relevance=0.2, old=sizes) == ["page.md", "journal.md"]
    assert latest(asked, "- Goran: shoe size is 47", relevance=0.2, old=sizes) == ["journal.md", "page.md?"]


@pytest.mark.parametrize(
    ("prompt", "old", "of_another", "of_it"),
    [
        ("tariffa Rossi", "Arredi Rossi\nTariffa: 0,09", "- palestra, poi call con Lefèvre: tariffa confermata 0,11", "- Rossi: tariffa ora 0,11"),
        ("Goran's shoe size", "Goran\nshoe size 46", "- fitted boots for Marit, shoe size 41 now", "- boots, shoe size is 47 now"),
    ],
)  # fmt: skip
def test_a_day_that_names_somebody_else_is_no_news_of_the_page(prompt, old, of_another, of_it):
    assert latest(prompt, of_another, old=old) == ["page.md", "journal.md"]
    assert latest(prompt, of_it, old=old) == ["journal.md", "page.md?"]


def test_a_line_without_a_number_is_no_news_of_a_phone_number():
    people = "Peppe (idraulico) 347 118 2290\nFabbro 011 248 6673"
    assert blocks("numero Peppe", people, "- idraulico Peppe: cambiata la valvola, 180 € in contanti") == AS_IT_WAS
    assert blocks("numero Peppe", people, "- idraulico Peppe: cambiato numero, 349 220 1187") == CHANGED


def test_who_asks_for_what_holds_now_asks_for_no_line_that_says_now_of_something_else():
    told = latest("Preis Schiefer jetzt", "- ab jetzt täglich 9 Fotos", old="Schiefer 94, Preis netto")
    assert told == ["page.md", "journal.md"]


def test_a_day_that_leads_says_of_the_page_behind_it_that_it_may_be_outdated():
    page = candidate(FLAT, 0.5, 0.8, path="page.md", heading="Flat", created_at=None)
    day = candidate("- paid the rent, 975", 0.9, 0.9, path="journal.md", created_at=NOV)
    told = changes.latest_first(
        [day, page], query("how much is the rent?"), worth=RULES["worth"], constants=CONSTANTS.changes
    )
    assert [(c.chunk.place.path, c.overtaken) for c in told] == [("journal.md", False), ("page.md", True)]
    for effect in (Effect.SUPERSEDED, Effect.OVERTAKEN):
        says_so = page.rescored("change", 0.5, "superseded by journal.md", effect, day.chunk.id)
        told = changes.latest_first(
            [day, says_so], query("how much is the rent?"), worth=RULES["worth"], constants=CONSTANTS.changes
        )
        assert told == [day, says_so], "it says so already"


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        ("how much is the rent?", FLAT, "- the neighbour's rent goes up to 975 from March"),
        ("how much is the rent?", FLAT, "- rent: talk to her, something new"),  # no number
        ("how much is the rent of the garage?", FLAT, "- Rent goes up to 975 from March"),
    ],
)
def test_what_speaks_of_more_or_of_less_than_is_asked_does_not(prompt, old, new):
    assert blocks(prompt, old, new, heading="Flat") == AS_IT_WAS


MONTHLY = "monthly: loan 19 870, power Lysefoss 2 900, fibre 629\nloan no. 3214.88.0071"
LEFT = "- power: left Lysefoss today, now Vestkraft until 2027"


def test_a_line_with_nothing_of_what_is_asked_takes_its_place_only_if_it_answers():
    assert blocks("loan number", MONTHLY, LEFT, answers=False) == AS_IT_WAS
    assert blocks("loan number", MONTHLY, LEFT, answers=True) == CHANGED
    assert blocks("what do we pay for power", MONTHLY, LEFT, answers=False) == CHANGED


def test_who_somebody_is_does_not_change_with_his_news():
    assert blocks("who is piotr", "rota: me, piotr, one week each", "- call Piotr, moved to next week") == AS_IT_WAS
    assert blocks("who is our dentist", "Dentist: Dr. Holm", "- dentist is Dr. Lund since August") == CHANGED
    assert blocks("what are we paying for power", MONTHLY, LEFT) == CHANGED
    assert blocks("预产期是什么时候", "预产期：6月12日", "- 医生把预产期改成6月5日") == CHANGED


def test_the_reader_is_asked_whether_a_line_answers(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Money.md").write_text(f"# Money\n\n{MONTHLY}\n", encoding="utf-8")
    (notes / "journal.md").write_text(f"# journal\n\n## 2025-10-01\n\n{LEFT}\n", encoding="utf-8")
    with Engine.in_memory(Config()) as engine:
        engine.index(notes)
        answer = engine.recall("loan number")
        assert "3214.88.0071" in answer.text
        assert "superseded" not in answer.text
        assert answer.candidates[0].chunk.place.path == "Money.md"


@pytest.mark.parametrize(
    ("line", "since"),
    [
        ("the boathouse rent is 5 600 since October", date(2025, 10, 1)),
        ("the boathouse rent is 5 600 since January", date(2026, 1, 1)),
        ("since 29 February 2023 the rent is 4 900", date(2023, 2, 28)),
        ("rent goes up to 5 600 from 3 March", date(2026, 3, 3)),
        ("Kurtaxe seit 1.7. 3,60", date(2025, 7, 1)),
        ("Pacht ab 1.3. 5 600", date(2026, 3, 1)),
        ("Kurtaxe jetzt 3,60, ab 1.1.27", date(2027, 1, 1)),
        ("Miete ab 1.1. 30 Euro höher, neu 930", date(2027, 1, 1)),
        ("Pacht ab 1. 1. 2027 neu", date(2027, 1, 1)),
        ("neu ab 12.30 Uhr", date(2026, 2, 19)),
        ("nuovo affitto 620 dal 3 maggio", date(2026, 5, 3)),
        ("affitto cambiato, 620 da maggio", date(2026, 5, 1)),
        ("vorab 1. Mai, neu 620", date(2026, 2, 19)),
    ],
)
def test_a_line_holds_from_the_last_such_month_or_the_next(line: str, since: date):
    told = news_in([candidate(line, created_at=datetime(2026, 2, 19, tzinfo=UTC)).chunk], today=date(2026, 2, 20))
    assert [news.since for news in told] == [since]


def test_only_what_a_person_tells_takes_the_place_of_what_they_noted():
    """What another program indexed was written by the person, too; a page from the web was not."""
    line = "- boathouse rent goes up to 5 600 a year"
    told = {
        origin: len(news_in([candidate(line, created_at=NOV, origin=origin).chunk], today=date(2026, 2, 20)))
        for origin in (Origin.NOTE, Origin.CURATED, Origin.IMPORTED, Origin.WEB, Origin.TOOL)
    }
    assert told == {Origin.NOTE: 1, Origin.CURATED: 1, Origin.IMPORTED: 1, Origin.WEB: 0, Origin.TOOL: 0}


@pytest.mark.parametrize(
    ("prompt", "old", "new"),
    [
        (
            "what does Grainne want for the drawings",
            "Architect: Grainne Foley. Drawings quote 11,500.",
            "- Grainne wants 14,000 for the drawings",
        ),
        (
            "who is head of the department",
            "Head of the department: Ragnhild Tveit",
            "- Dagny Lien is head of the department, first day",
        ),
        ("who is Nora's teacher now", "Nora: 3rd class, teacher Ms Keane", "- Nora has a new teacher, Mr Byrne"),
    ],
)
def test_who_asks_for_what_holds_of_somebody_is_told_the_news_of_it(prompt, old, new):
    page = candidate(old, 0.9, 0.8, path="page.md", heading="Page", created_at=None)
    day = candidate(new, 0.5, 0.6, path="journal.md", created_at=NOV)
    told = changes.follow([page, day], query(prompt), beside=lambda *_: [], **RULES)
    assert [c.chunk.place.path for c in told] == ["journal.md", "page.md"]


@pytest.mark.parametrize(
    "prompt", ["who is Grainne", "what does Grainne do", "who's Grainne again", "qui est Grainne", "c'est qui Grainne", "chi è Grainne"]
)  # fmt: skip
def test_who_somebody_is_stays_the_word_of_their_page(prompt):
    assert blocks(prompt, "Grainne: architect, Foley & Sons", "- Grainne, the new architect, wants 14,000") == AS_IT_WAS


def test_who_asks_for_nothing_but_what_a_page_is_called_is_told_its_news():
    page = candidate(
        "Thursdays 1.30, hall at Kea", 0.9, 0.8, path="clinic.md", heading="Leg ulcer clinic", created_at=None
    )
    line = "- leg ulcer clinic moves to Mondays, Perran surgery"
    asked = "where is the leg ulcer clinic and when"
    terms = tuple(text.terms(asked))
    named = entities.find_entities(asked, names={"leg ulcer clinic"})
    told = changes.follow(
        [page],
        Query(asked, ASKED_AT, terms, terms, named),
        beside=lambda *_: [candidate(line, path="journal.md", created_at=NOV).chunk],
        **RULES,
    )
    assert [(c.chunk.place.path, c.superseded) for c in told] == [("journal.md", False), ("clinic.md", True)]


def test_who_types_nothing_but_a_name_asks_for_no_news():
    page = candidate("ERR_CRC: cable longer than 1 m", 0.9, 0.8, path="page.md", heading="Bus", created_at=None)
    day = candidate("- now again ERR_CRC on the bus, 3 times", 0.5, 0.6, path="journal.md", created_at=NOV)
    told = changes.follow([page, day], query("ERR_CRC"), beside=lambda *_: [], **RULES)
    assert told == [page, day]


OFFICES = "- Secretary: Fran Hichens\n- Treasurer: Brian Uglow"


def test_who_has_an_office_is_news_and_who_somebody_is_is_not():
    assert blocks("who is treasurer", OFFICES, "- AGM: Brian steps down, YVONNE treasurer now, cake") == CHANGED
    assert blocks("who is fran", OFFICES, "- Fran Hichens is secretary no longer, Fran in Leeds now") == AS_IT_WAS
    assert blocks("who is fran", "- ask Fran Hichens, she is secretary", "- fran secretary no longer") == AS_IT_WAS
    assert blocks("what is wax", "Wax: seals the winch", "- wax for the winch from Lund now") == AS_IT_WAS


OF_MUM = "Hausarzt Dr. Scherer\nMedikamente:\nRamipril 5 mg morgens\nMetoprolol halbe Tablette\nSimvastatin 20 abends"
OF_NOW = "Ramipril weg wegen Husten, Candesartan 8 mg\nMetoprolol ganze Tablette\nSimvastatin bleibt"


def of_a_new_one(title: str, page: str = OF_MUM, *, written: datetime | None = None) -> list:
    old = candidate(page, 0.9, 0.8, path="page.md", heading="Mutti", created_at=None)
    new = candidate(OF_NOW, 0.8, 0.7, path="new.md", heading=title, created_at=written)
    ordered = changes.follow([old, new], query("wie viel metoprolol nimmt mutti"), beside=lambda *_: [], **RULES)
    return [(c.chunk.place.path, c.superseded or c.overtaken) for c in ordered]


@pytest.mark.parametrize("title", ["Mutti Medikamente neu", "Mutti Medikamente (neu)", "Neue Medikamente Mutti"])
def test_a_note_that_is_called_new_is_told_before_the_page_that_has_what_it_is_called(title: str):
    assert of_a_new_one(title) == [("new.md", False), ("page.md", True)]


def test_a_note_that_is_called_new_is_no_news_of_what_it_is_not_called():
    as_they_were = [("page.md", False), ("new.md", False)]
    assert of_a_new_one("Mutti Medikamente") == as_they_were
    assert of_a_new_one("Mutti Garten neu") == as_they_were
    assert of_a_new_one("Neuschwanstein Mutti Medikamente") == as_they_were
    assert of_a_new_one("Was ist neu") == as_they_were


@pytest.mark.parametrize(
    ("heading", "is_new"),
    [
        ("Preise neu", True),
        ("Menu (new)", True),
        ("tarifs_nouveaux", True),
        ("Nuovi prezzi", True),
        ("precios nuevos > verano", True),
        ("Nouvelle adresse", True),
        ("New York", False),
        ("news", False),
        ("Neu-Ulm", False),
        ("Neu", False),
        ("Renew", False),
    ],
)
def test_a_heading_says_whether_a_note_is_the_new_one(heading: str, is_new: bool):
    assert is_called_new(heading) is is_new
