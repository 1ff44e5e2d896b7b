"""What people say in passing: telling things are kept in their own words, and nothing is made of the rest."""

from __future__ import annotations

import pytest

from hookclaw_py.distil import distil
from hookclaw_py.distil.sayings import answer_to, sayings
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import DECISION, FACT, PREFERENCE, WORKING
from hookclaw_py.speech.amending import amended_value
from hookclaw_py.speech.sentences import sentences
from tests.unit.test_distil_observations import ANSWER, EDIT, told

SAID = [
    ("the port is 9443 now", ("the port", "is", "9443"), True),
    ("no, rent is 940", ("rent", "is", "940"), True),
    ("the ferry is back to 9:30 from today", ("the ferry", "is", "back to 9:30 from today"), True),
    ("die Fähre geht ab heute um 9:30", ("die Fähre", "geht", "ab heute um 9:30"), True),
    ("Nils says he is at home on fridays now", ("Nils", "is", "at home on fridays"), True),
    ("Nils Berg sagt, er kommt am 5. März um 18:00", ("Nils Berg", "kommt", "am 5. März um 18:00"), False),
    ("Mara said she's in Cork until 4 may", ("Mara", "is", "in Cork until 4 may"), False),
    ("oke's laptop is a thinkpad", ("oke's laptop", "is", "a thinkpad"), False),
    ("we moved standup to 9:30", ("standup", "is", "9:30"), True),
    ("rui upgraded staging to 16 on friday", ("staging", "is", "16 on friday"), True),
    ("my knee appointment is on the 14th", ("my knee appointment", "is", "on the 14th"), False),
    ("rui reviews everything in ops/", ("rui", "reviews", "everything in ops/"), False),
    (
        "btw the landlord (sr teixeira) pays for the service",
        ("the landlord (sr teixeira)", "pays", "for the service"),
        False,
    ),
    ("orthopaedist is dr. sailer", ("orthopaedist", "is", "dr. sailer"), False),
    ("production has NO pgbouncer anymore", ("production", "has", "pgbouncer"), True),
    ("clara doesn't eat meat", ("clara", "eat", "meat"), False),
    ("data availability: zenodo, CC BY 4.0", ("data availability", "is", "zenodo, CC BY 4.0"), False),
    ("he wrote too: rent goes from 780 to 815", ("rent", "goes", "from 780 to 815"), False),
    ("der kuckuck hat jetzt die 192.168.20.31", ("der kuckuck", "hat", "die 192.168.20.31"), True),
    ("der installateur heißt übrigens firma Zwackl", ("der installateur", "heißt", "übrigens firma Zwackl"), False),
    ("die Kaution beträgt 3.720 Euro", ("die Kaution", "beträgt", "3.720 Euro"), False),
    ("die Garantie gilt bis mai 2028", ("die Garantie", "gilt", "bis mai 2028"), False),
    ("der Umbau dauert 3 Wochen", ("der Umbau", "dauert", "3 Wochen"), False),
    ("der Mietvertrag läuft im august 2026 ab", ("der Mietvertrag", "läuft", "im august 2026 ab"), False),
    (
        "mon taux horaire pour les missions hors contrat c'est 75€ HT",
        ("mon taux horaire pour les missions hors contrat", "is", "75€ HT"),
        False,
    ),
    ("non, le charpentier c'est Luc Duhalde", ("le charpentier", "is", "Luc Duhalde"), True),
    ("la réunion de chantier passe au vendredi 9h", ("la réunion de chantier", "is", "au vendredi 9h"), False),
    (
        "le vétérinaire (pour le chien) c'est jeudi 17h15",
        ("le vétérinaire (pour le chien)", "is", "jeudi 17h15"),
        False,
    ),
    ("el teléfono de Ana es 943 27 61 58", ("el teléfono de Ana", "is", "943 27 61 58"), False),
    ("la visita de obra será el 6 de noviembre", ("la visita de obra", "is", "el 6 de noviembre"), False),
    ("je me suis trompé, le port est 8443 maintenant", ("le port", "is", "8443"), True),
    ("le béton de la dalle : c25/30", ("le béton de la dalle", "is", "c25/30"), False),
    ("dinner with Al on Friday 7pm", ("dinner with Al", "is", "on Friday 7pm"), False),
    ("dinner with Mr Le on Friday 7pm", ("dinner with Mr Le", "is", "on Friday 7pm"), False),
    ("note que le digicode est 45", ("le digicode", "is", "45"), False),
    ("i'm allergic to ibuprofen", ("I", "allergic to", "ibuprofen"), False),
    ("last year i did 2:04 in viana", ("I", "did", "2:04 in viana"), False),
    ("for your notes: 24 plots at moosacker", ("", "", "24 plots at moosacker"), False),
]

NOTHING = [
    "il est 10h",
    "le train est en retard",
    "ce que tu dis est vrai pour 2 choses",
    "je crois que le taux est 75",
    "es ist 10 Uhr und wir gehen",
    "le code est cassé",
    "et chez Luc c'est lundi",
    "le build est cassé depuis mardi",
    "is the port 9443",
    "what's the port?",
    "gas is fine, the hob works",
    "my legs are jelly",
    "the heating is still off",
    "ci is red on main again",
    "it is 31 GB",
    "can you check if the port is 9443",
    "thanks, that was quick",
    "people need 8 hours of sleep",
    "the password is hunter2hunter2",
    "wifi pass is morcela-2201",
    "la contraseña es hunter2",
    "la contrasena del wifi es gato77",
    "la clave de la caja es 4711",
    "el pin es 4711",
    "pin : 4711",
    "le mot de passe est hunter2",
    "le mot de passe de la box c'est chat99x",
    "le mdp du portail est chat99x",
    "mon passe Navigo coûte 90 €",
    "la baisse de loyer est de 50 €",
    "apparemment le loyer est de 900 €",
    "selon Paul le loyer est de 900 €",
    "quizás el alquiler es 900 €",
    "hoy el vuelo está a 300 €",
    "le loyer est peut-être de 900 €",
    "la batterie est à 12 %",
    "mon bus est dans 5 min",
    "exemple : le loyer est de 900 €",
    "mon avis : c'est cher 900 €",
    "il est midi : on mange à 13h",
    "Attention : fermé le 3 mai",
    "remarque : il manque 3 chaises",
    "ejemplo : el alquiler es de 900 €",
    "aviso : cerrado el 3 de mayo",
    "run it with plot 17 too",
    "ok do that. make the list",
    "i think the port is 9443",
    "boiler is showing F28",
    "perfekt. jonna will jetzt kakao",
    "coffee",
]


@pytest.mark.parametrize(("said", "expected", "correction"), SAID)
def test_what_is_said_in_passing_is_read_where_it_is_telling(
    said: str, expected: tuple[str, str, str], correction: bool
):
    """M11, beyond the strict grammar: lower case, and the person's words stay as they are."""
    (saying,) = sayings(sentences(said))
    assert (saying.fact.subject, saying.fact.predicate, saying.fact.object) == expected
    assert saying.fact.correction is correction
    assert saying.said == said


@pytest.mark.parametrize("said", NOTHING)
def test_questions_moods_orders_and_secrets_say_nothing(said: str):
    """M11: precision before recall."""
    assert sayings(sentences(said)) == []


def test_what_is_denied_is_marked():
    """M11."""
    (saying,) = sayings(sentences("production has no pgbouncer, only staging"))
    assert saying.fact.denied


def test_sentences_that_go_on_about_the_same_stay_together():
    """M11: a memory is to be understood by itself."""
    (saying,) = sayings(sentences("oke starts 1 april. he comes from Braga. thanks!"))
    assert saying.said == "oke starts 1 april. he comes from Braga."


def drafts(happenings: list[Happening]) -> list[Draft]:
    return [draft for draft in distil(happenings) if draft.kind in (FACT, DECISION, PREFERENCE, WORKING)]


def test_a_persons_word_is_kept_as_said_and_a_correction_is_surer():
    """M8, M11, M31."""
    plain, corrected = drafts([*told("rent is 780"), *told("no, rent is 815", run="r2")])
    assert (plain.key, plain.body, plain.said_by, plain.confidence) == ("rent | is", "rent is 780", Speaker.PERSON, 0.5)
    assert (corrected.key, corrected.confidence) == (plain.key, 0.8)
    assert corrected.evidence == ("s r2 0",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("rent is 780", "rent goes from 780 to 815 from 1 may"),
        ("rent is 780", "rent goes 780 → 815 from 1 may"),
        ("goal is 1:55", "new goal is 2:02"),
        ("prod stays on 15 till may", "prod is postgres 16 now"),
        ("standup is at 9:15", "we moved standup to 9:30"),
    ],
)
def test_what_was_and_what_is_have_the_same_key(before: str, after: str):
    """M31: only then can one take the place of the other."""
    first, second = drafts([*told(before), *told(after, run="r2")])
    assert first.key == second.key
    assert first.fields["object"] != second.fields["object"]


def test_an_answer_says_a_fact_only_where_something_was_done_and_nobody_set_it_right():
    """M11, D17: what the assistant supposes is no fact."""
    answer = (ANSWER, {"text": "Done. RETENTION_DAYS is 45 now. Perhaps Redis is a cache. The draft is ready."})
    (draft,) = drafts(told("ok", EDIT, answer))
    assert (draft.body, draft.said_by) == ("RETENTION_DAYS is 45 now", Speaker.ASSISTANT)
    assert drafts(told("ok", answer)) == []
    assert drafts([*told("ok", EDIT, answer), *told("no, look again", run="r2")]) == []


def test_an_answer_to_the_agents_question_is_kept_with_the_question():
    """M11."""
    happenings = [
        *told("book it", (ANSWER, {"text": "Gladly. Which day suits you?"})),
        *told("tuesday 12 may", run="r2"),
    ]
    assert [draft.body for draft in drafts(happenings)] == ["Which day suits you? tuesday 12 may"]


def test_what_is_said_at_length_answers_no_question_though_it_has_no_blanks():
    asked = "用哪个端口？"
    assert answer_to(asked, sentences("8085")) == "用哪个端口？ 8085"
    assert (
        answer_to(asked, sentences("先等一下，昨天晚上的部署失败了，日志里写着第12行有一个错误，我想先看看那个")) == ""
    )


def test_a_next_step_is_kept_as_work_that_waits():
    """M5."""
    (draft,) = drafts(told("ok. plan: broker first week, then backups"))
    assert (draft.kind, draft.body) == (WORKING, "plan: broker first week, then backups")
    assert draft.fields == {"thread": "s", "state": "waiting"}


@pytest.mark.parametrize("said", ["the readme is written", "die Mahnungen sind fertig", "the dunning letters are done now", "the toner was ordered", "toner for the shop ordered", "der Reifen ist schon bestellt"])  # fmt: skip
@pytest.mark.parametrize("answer", ["Good.", "Noted."])
def test_that_something_is_done_is_no_fact_that_lasts(said: str, answer: str):
    (draft,) = distil(told(said, (ANSWER, {"text": answer})))
    assert (draft.kind, draft.ends) == (WORKING, True)


@pytest.mark.parametrize("said", ["the readme is written by Lotte", "the rent is paid by the 3rd", "the toner is ordered at Berlin Office", "our api is hosted on Hetzner"])  # fmt: skip
def test_by_whom_when_or_where_it_is_done_is_a_fact(said: str):
    assert [draft.kind for draft in distil(told(said))] == [FACT]


def test_what_the_agent_noted_is_kept_also_where_no_grammar_reads_it():
    """M11: the agent's word that it noted something says that it was worth it."""
    noted, not_noted = (ANSWER, {"text": "Noted."}), (ANSWER, {"text": "Two heads it is, then."})
    said = "good, so: two heads = rebase in this repo"
    assert [draft.body for draft in drafts(told(said, noted))] == [said]
    assert drafts(told(said, not_noted)) == []
    assert drafts(told("can you see two heads in this repo", noted)) == []


def test_what_somebody_is_allergic_to_is_one_fact_as_sure_as_a_preference():
    kept = [draft for draft in distil(told("Petra is allergic to hazelnuts")) if draft.kind in (FACT, PREFERENCE)]
    assert [(draft.kind, draft.body, draft.confidence) for draft in kept] == [
        (FACT, "Petra is allergic to hazelnuts", 0.8)
    ]


@pytest.mark.parametrize(
    ("before", "said", "kept"),
    [
        (
            "Port is 8085 on the server, gunicorn with 3 workers",
            "no, 8095",
            "Port is 8095 on the server, gunicorn with 3 workers",
        ),
        (
            "meeting with the bank is on monday at 10",
            "sorry, tuesday at 10",
            "meeting with the bank is on tuesday at 10",
        ),
        ("the rent is 780 euros", "I mean 790 euros, not 780", "the rent is 790 euros"),
        ("the rent is 780 euros", "quatsch, 790", "the rent is 790 euros"),
        (
            "the museum wants three texts, opening november 19, they need them by november 5. 480 each",
            "no wait, by november 3",
            "the museum wants three texts, opening november 19, they need them by november 3. 480 each",
        ),
        ("the retro is on tuesday", "wait, thursday", "the retro is on thursday"),
        (
            "die Besprechung mit Petra ist am Montag",
            "nein, am Donnerstag",
            "die Besprechung mit Petra ist am Donnerstag",
        ),
        ("Mia's dentist is on the 12th", "oh sorry, the 14th!", "Mia's dentist is on the 14th"),
    ],
)
def test_a_value_alone_sets_right_what_was_said_just_before(before: str, said: str, kept: str):
    """M31."""
    old, new = drafts([*told(before), *told(said, run="r2")])
    assert (new.body, new.key, new.confidence, new.fields["correction"]) == (kept, old.key, 0.8, True)
    assert old.fields["object"] != new.fields["object"]
    assert new.evidence == ("s r2 0",)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("meeting with the bank is on monday at 10", "sorry, tuesday at 16:00"),  # and 10?
        ("Port is 8085 on the server, gunicorn with 3 workers", "no, 5"),  # which is not said of the port
        ("the rent is 780 euros", "no, look at 790"),
        ("the rent is 780 euros. the deposit is 1560 euros", "no, 1600 euros"),  # which of them?
        ("the retro is on tuesday", "wait until thursday"),
        ("the queue runs for 10 minutes", "wait 5 minutes"),
        ("the texts are due on november 19, the proofs on november 5", "no, on november 3"),
        ("thanks", "no, 8095"),
    ],
)
def test_a_value_alone_that_may_be_of_anything_sets_nothing_right(before: str, said: str):
    """M11: precision before recall."""
    assert drafts([*told(before), *told(said, run="r2")]) == drafts(told(before))


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("non, jeudi", "jeudi"),
        ("pardon, le 3 novembre", "le 3 novembre"),
        ("non, 450 pas 480", "450"),
        ("no, el jueves", "el jueves"),
        ("anzi, giovedì alle 10", "giovedì alle 10"),
        ("non pardon 18 cm", "18 cm"),
        ("non, finalement c'est jeudi", "jeudi"),
        ("no, perdón, el jueves", "el jueves"),
        ("non merci", ""),
        ("non finalement c'est bon", ""),
        ("no, no el jueves", ""),
        ("scusa, ero via giovedì", ""),
    ],
)
def test_a_value_alone_is_heard_in_other_languages(said: str, value: str):
    assert amended_value(said) == value


def test_no_and_a_value_may_answer_a_question_instead():
    happenings = [*told("the port is 8085", (ANSWER, {"text": "Are 3 workers enough?"})), *told("no, 9", run="r2")]
    assert [draft.body for draft in drafts(happenings)] == ["the port is 8085", "Are 3 workers enough? no, 9"]


def test_what_somebody_else_always_wants_is_a_fact_of_them():
    said = "die Steuerberaterin ist Frau Dr. Anneke Brandt, Tel 040 5557812, sie will die Belege immer bis zum 10. des Monats"
    kept = [draft for draft in distil(told(said)) if draft.kind in (FACT, PREFERENCE)]
    assert [(draft.kind, draft.body, draft.fields["subject"]) for draft in kept] == [
        (FACT, said, "die Steuerberaterin")
    ]


@pytest.mark.parametrize(
    ("said", "each"),
    [
        ("Frida's swim course is thursdays 16:15, Emil has football on fridays 17:00", ["Frida's swim course is thursdays 16:15", "Emil has football on fridays 17:00"]),
        ("The vet is Dr. Sommer, number 069 4417 220, the Kita's number is 069 555 1830", ["The vet is Dr. Sommer, number 069 4417 220", "the Kita's number is 069 555 1830"]),
        ("the database is postgres 15, port is 5437", ["the database is postgres 15, port is 5437"]),
        ("the rent is 940, Ann pays 300 of it", ["the rent is 940, Ann pays 300 of it"]),
        ("if Ann is at home, Ben has football at 5", ["if Ann is at home, Ben has football at 5"]),
    ],
)  # fmt: skip
def test_what_is_said_of_several_in_one_sentence_is_a_fact_each(said: str, each: list[str]):
    """What changes of one of them leaves the others."""
    assert [one.said for one in sayings(sentences(said))] == each


@pytest.mark.parametrize(
    "answer", ["C'est noté.", "D'accord, c'est noté !", "Parfait, je le note.", "Bien compris.", "De acuerdo, anotado."]
)
def test_what_the_agent_noted_is_kept_in_other_languages(answer: str):
    said = "Ibai préfère qu'on l'appelle après 17h sur son portable"
    assert [draft.body for draft in drafts(told(said, (ANSWER, {"text": answer})))] == [said]


@pytest.mark.parametrize("answer", ["D'accord.", "Parfait.", "Tu as raison.", "De acuerdo."])
def test_who_only_agrees_has_noted_nothing(answer: str):
    assert not drafts(told("Ibai préfère qu'on l'appelle après 17h sur son portable", (ANSWER, {"text": answer})))


@pytest.mark.timeout(60)  # what is quadratic takes minutes
def test_a_page_of_initials_is_cut_at_once():
    assert len(sentences("Smith, A. B., Jones, C. D., " * 8_000)) == 1
    assert [one.said for one in sentences("a word " * 20 + "by T. Brand. He left.")][1] == "He left."


@pytest.mark.parametrize(
    "pasted",
    [
        "cargo says\n\nsrc/tides.toml: 4:11: rule 2, never close a group: expected a comma",
        "make fails:\n--- FAIL: TestBuoy (0.02s)\n    buoy_test.go:18: got 3\n    harbour is locked (5)",
        "the plan:\n Sort  (cost=1.20..9.31 rows=40 width=8)\n   Filter: (moored > '2026-01-02'::date)",
        "log of the night\n2026-03-02T02:00:09Z WARN tide.Main mast 17 is down, always retry 4 times",
        "it stops\nTideError: the gauge is 40 cm short\n    at tide.Gauge.read(Gauge.kt:40)",
    ],
)
def test_lines_that_a_machine_wrote_state_nothing_and_ask_for_nothing(pasted: str):
    assert [one.body for one in drafts(told(pasted)) if one.kind in (FACT, DECISION, PREFERENCE, WORKING)] == []


def test_what_a_person_says_beside_a_log_is_theirs():
    said = "the port is 9443 now\n2026-03-02T02:00:09Z WARN tide.Main mast 17 is down\n  - rent is 940\nnever touch the buoy"
    bodies = [one.body for one in drafts(told(said)) if one.kind in (FACT, PREFERENCE)]
    assert sorted(bodies) == ["never touch the buoy", "rent is 940", "the port is 9443 now"]


@pytest.mark.parametrize(
    ("before", "answer", "said", "kept"),
    [
        ("17 or 21 for the boiler?", "Both fit.", "let's take 21", "17 or 21 for the boiler? let's take 21"),
        ("which colour for the fence?", "Blue?", "we'll take green", "which colour for the fence? we'll take green"),
        ("set up the cellar", "Shelves or hooks?", "let's use hooks", "Shelves or hooks? let's use hooks"),
        ("how long is the hose?", "Four metres.", "let's use rope", "let's use rope"),
        ("17 or 21 for the boiler?", "Both.", "let's take 21 for the boiler", "let's take 21 for the boiler"),
    ],
)
def test_a_choice_of_few_words_is_kept_with_the_question_that_it_answers(before, answer, said, kept):
    happened = [*told(before, (ANSWER, {"text": answer})), *told(said, run="r2")]
    assert [one.body for one in drafts(happened) if one.kind is DECISION] == [kept]


@pytest.mark.parametrize(
    "said",
    [
        "und kannst du mir merken: die Werft hat die Nummer WK-4471",
        "can you please remember: the yard closes at 17:00",
        "puedes apuntar: la llave del barco es la azul",
    ],
)
def test_who_asks_to_have_something_kept_asks_no_question(said: str):
    [draft] = drafts(told(said))
    assert (draft.kind, draft.body, draft.confidence) == (FACT, said, 0.8)


def test_whether_something_was_kept_is_a_question():
    assert drafts(told("can you remember the number of the yard, WK-4471?")) == []


def test_what_the_time_is_holds_no_longer_than_it_is_said():
    happened = [
        *told("what time is it?", (ANSWER, {"text": "It is about 9:10."})),
        *told("no, it's 14:30 now", run="r2"),
    ]
    assert drafts(happened) == []
    moved = [*told("the sauna is at 13:00", (ANSWER, {"text": "Noted: 13:00."})), *told("no, it's 14:30 now", run="r2")]
    assert any("14:30" in one.body for one in drafts(moved))
