"""What is misspelt is read as what was meant; what is right and simply not in the notes stays as it is."""

from __future__ import annotations

import pytest

from hookclaw_py import text
from hookclaw_py.search.local.rank_bm25_index import RankBM25Index
from hookclaw_py.stages import calibrate, spelling
from tests.conftest import CONSTANTS

NOTES = [
    "The guest password at the office is sild-og-potet; the dentist has moved.",
    "Torleiv Haugen sells wood and cheese, the jellyfin server records the sessions.",
    "Die Werkstatt ist offen, der Schlüssel hängt an der Tür; er hört schlecht.",
    "Recycling yard: Tuesday; the second hepatitis vaccination is due, keep the retention short.",
    "I passaporti sono nel cassetto della scrivania.",
    "Martina and Marian live on the hill, the number of the summer house is 12.",
]
THEIRS = """
    the password office dentist wood cheese chess server session sessions recycling second hepatitis retention number house
    guests yard open shot due summer where does live what sack price kids pin is for how much on of revised stop kill
"""
WORDS = frozenset(THEIRS.split())


@pytest.fixture(scope="module")
def notes() -> spelling.NoteWords:
    index = RankBM25Index()
    for number, note in enumerate(NOTES):
        index.add(f"{number:016x}", text.terms(note), ())
    index.commit(1)

    def held(terms):
        return calibrate.known_terms(index.idf(list(terms)), store_size=len(NOTES))

    return spelling.NoteWords(held, index.beginning)


def read(prompt: str, notes: spelling.NoteWords) -> str:
    return spelling.corrected(
        prompt, spelling.meant(prompt, notes, is_word=WORDS.__contains__, constants=CONSTANTS.spelling)
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("what is teh passwrod for guests", "what is the password for guests"),  # swapped
        ("where is the dentsit", "where is the dentist"),
        ("whne is the recyling yard open", "when is the recycling yard open"),  # missing
        ("secnd shot due", "second shot due"),
        ("how to kill the sesions", "how to kill the sessions"),  # doubled
        ("the numbr of the summer house", "the number of the summer house"),
        ("what is the retenton", "what is the retention"),  # in the ending
        ("price for a sack of wood from torleif haugn", "price for a sack of wood from torleiv haugen"),  # names
        ("jellyfn kids pin", "jellyfin kids pin"),
        ("er hört shclecht", "er hört schlecht"),
        ("ist die werkstatt heute ofefn", "ist die werkstatt heute offen"),
        ("sessons shows agian waht to do", "sessions shows again what to do"),  # as many slips as words
        ("Werkstattschlüssel", "werkstatt schlussel"),  # written as one
        ("wo ist der schlüsel", "wo ist der schlussel"),  # of a dictionary, and in the notes
        ("wie ist die telefonumer für die werkstatt", "wie ist die telefonnummer für die werkstatt"),  # in no note
        ("was steht auf der krankenkasenkarte", "was steht auf der krankenkasenkarte"),  # nor in a dictionary
        ("combien coute la chambbre pour deux", "combien coute la chambre pour deux"),
        ("cuando es la proxma reunion", "cuando es la proxima reunion"),
    ],
)
def test_a_misspelt_word_is_read_as_the_one_that_was_meant(notes, written, meant):
    assert read(written, notes) == meant


@pytest.mark.parametrize(
    "right",
    [
        "where do we play chess on Sundays",  # not "cheese"
        "where does Martin live",  # not Martina
        "wo wohnt Margret",  # nobody that a note or a dictionary knows
        "was kostet die terrasse",  # a word, though in no note
        "where does Maria live",  # not Marian
        "codice cassetta di sicurezza",  # not "cassetto"
        "codice cassetta sicurezza",
        "what was revise about",  # a form of a word
        "when do I have time for kimchi",
        "what is the IP of SRV-12",  # no letters to spell
        "hvor bor dronningen egentlig henne",  # a language that nobody here can spell
        "",
    ],
)
def test_a_word_that_is_right_but_not_in_the_notes_stays_as_it_is(notes, right):
    assert read(right, notes) == right


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("what temp for brown bred", "what temp for brown bread"),
        ("leg ulcer clinc, which day", "leg ulcer clinic, which day"),
        ("Brown Bred", "Brown bread"),
        ("is she well bred", "is she well bred"),  # makes no name
        ("brown breadth", "brown breadth"),
        ("brown brood", "brown brood"),  # the notes have it
    ],
)
def test_a_word_that_is_right_is_read_as_another_if_that_makes_the_name_of_a_note(written, meant):
    index = RankBM25Index()
    index.add("0" * 16, text.terms("bread, brown; brod, brood; the clinic for leg ulcers"), ())
    index.commit(1)
    known = spelling.NoteWords(
        lambda terms: calibrate.known_terms(index.idf(list(terms)), store_size=1), index.beginning
    )
    named = known._replace(names={"brown bread", "brown brod", "leg ulcer clinic"})
    told = spelling.meant(written, named, is_word=lambda _: True, constants=CONSTANTS.spelling)
    assert spelling.corrected(written, told) == meant
    assert spelling.meant(written, known, is_word=lambda _: True, constants=CONSTANTS.spelling) == {}


def test_a_long_prompt_is_left_alone(notes):
    long = "where is the dentsit " + "and tell me what else there is " * 10
    assert read(long, notes) == long


def chinese(*noted: str) -> spelling.NoteWords:
    """Return the words of notes in Chinese."""
    known = text.terms(" ".join(noted)).distinct
    return spelling.NoteWords(known.intersection, lambda beginning: [])


@pytest.mark.parametrize(
    ("written", "noted", "meant"),
    [
        ("診所幾點開門", "诊所九点开门", "诊所几点开门"),
        ("問一下Ottokar診所的電話", "诊所的电话", "问一下Ottokar诊所的电话"),
        ("診所幾點開門", "診所九點開門", "診所幾點開門"),  # as the notes have it
        ("图书馆几点开门", "診所九點開門", "图书馆几点开门"),
        ("電話番号は", "電話番号 12", "電話番号は"),
    ],
)
def test_traditional_characters_are_read_as_the_notes_have_them(written, noted, meant):
    assert read(written, chinese(noted)) == meant


def test_each_traditional_character_has_one_simplified_one():
    assert text.simplified("醫生說：頭髮乾了，VPN壞了。") == "医生说：头发干了，VPN坏了。"
    assert text.simplified("医生") == "医生"
