"""Decisions, preferences and next steps are sentences of the person's, as they were said."""

from __future__ import annotations

import pytest

from hookclaw_py.distil.decisions import Wish, wishes
from hookclaw_py.speech.listing import without_head

DECIDED = [
    "we decided to keep 45 days",
    "Let's use SQLite for this.",
    "ok decided, plot 17 is out",
    "decision for the record: weekly, by seen_at",
    "Wir haben beschlossen, dass es dabei bleibt.",
    "0,60 lassen wir jetzt im märz mal so.",
    "On a décidé de garder Redis.",
    "Hemos decidido usar Postgres.",
    "on a choisi les tuiles canal pour le toit, pas du zinc",
    "bardage finalement en mélèze naturel, plus le gris",
    "le menuisier ce sera Labat",
    "le chauffage on laisse tomber le poele, trop cher",
    "finalement on prend le zinc",
    "finalement on prend quand même le zinc",
    "los honorarios los dejamos en 900",
    "on passe chez Orange pour internet",
    "on change d'assurance, on passe chez la Maif",
    "al final no vamos a Lisboa, vamos a Oporto",
    "al final ponemos parquet de roble",
    "y los honorarios los bajamos al 10,5%",
    "我们决定用 Postgres",
    "backups should be kept 90 days, not 30",
    "the logs must be kept 90 days",
    "Frau Brandt said the GoBD archive must keep everything for 8 years now, not 10",
    "Rechnungsnummern sollen das Format LP-2026-0001 haben",
    "Backups sollen 90 Tage aufbewahrt werden, nicht 30",
]
PREFERRED = [
    "Always run make check before you say done.",
    "but never touch anything in raw/, thats the archive.",
    "from now on dates as 2026-03-02",
    "I prefer tabs.",
    "dont commit anything without asking me",
    "always give me paces in min/km, not km/h",
    "i'm allergic to ibuprofen, full hives",
    "Ab jetzt bitte auf Deutsch.",
    "Niemals am Freitag ausliefern.",
    "Désormais, réponds en français.",
    "Je préfère les réponses courtes.",
    "tutoie moi stp",
    "tutoie-moi",
    "Appelle-moi Ben.",
    "pas de commentaires en anglais dans le code stp",
    "pour les clients espagnols les mails c'est toujours en espagnol",
    "je déteste les reunions le lundi matin, propose jamais ca",
    "danse le mercredi à 17h30 donc pas de rdv le mercredi aprem",
    "tes réponses fais les courtes en général",
    "ne mets pas de tirets dans les mails",
    "ne m'appelle pas le lundi",
    "je mange pas de porc",
    "no como carne",
    "elle est allergique aux arachides",
    "a los clientes españoles siempre en español",
    "nunca me llames antes de las 10",
    "Prefiero respuestas cortas.",
    "Nunca envíes correos sin preguntarme.",
    "I don't want emails on sundays",
    "i don't want dark mode in screenshots",
    "no black, use ruff format",
    "keine Tabs, nimm Leerzeichen",
    "从现在起用中文回答",
    "我更喜欢简短的回答",
]


@pytest.mark.parametrize("said", DECIDED)
def test_a_decision_is_kept_as_it_was_said(said: str):
    """C10."""
    assert [(wish.wish, wish.said) for wish in wishes(said)] == [(Wish.DECISION, said)]


@pytest.mark.parametrize(
    ("said", "steps"),
    [
        (
            "todo: call the notary about the shop lease; order toner; book the train to Leipzig",
            ["todo: call the notary about the shop lease", "todo: order toner", "todo: book the train to Leipzig"],
        ),
        (
            "open: write the readme, add the dunning letters, ask Frau Brandt about the GoBD archive",
            ["open: write the readme", "open: add the dunning letters", "open: ask Frau Brandt about the GoBD archive"],
        ),
        ("next steps: call Bob, pay the rent, and write to Anna.", ["next steps: call Bob", "next steps: pay the rent", "next steps: write to Anna"]),
        ("todo: call the notary and order toner", ["todo: call the notary", "todo: order toner"]),
        ("Offen: Mahnungen ergänzen; Toner", ["Offen: Mahnungen ergänzen", "Offen: Toner"]),
        ("offen: Notar anrufen, Toner bestellen", ["offen: Notar anrufen", "offen: Toner bestellen"]),
        (
            "good. todo for tomorrow:\n- letter client\n- beat job\n\n- ask Piet whether customers pay the fee, too",
            ["todo for tomorrow: letter client", "todo for tomorrow: beat job", "todo for tomorrow: ask Piet whether customers pay the fee, too"],
        ),
        ("Still open:\n1. call Bob. He is back monday.\n2) which tiles?\n\nthanks!", ["Still open: call Bob. He is back monday.", "Still open: which tiles?"]),
        ("todo:\ncall the notary\norder toner\nthe weather is fine", ["todo: call the notary", "todo: order toner"]),
        ("I need to get by friday:\n* paint\n* two brushes", ["I need to get by friday: paint", "I need to get by friday: two brushes"]),
        ("todo:\n- [ ] port the reader\n- [x] port the writer", ["todo: port the reader"]),
        ("todo:", []),
        ("need to: cancel the gym, order a chain for the bike, send the receipts to nigel", ["need to: cancel the gym", "need to: order a chain for the bike", "need to: send the receipts to nigel"]),
        ("still need to write the freshness tests and ask meera about a dev warehouse", ["still need to write the freshness tests", "still need to ask meera about a dev warehouse"]),
        ("gotta renew the passport and book the ferry", ["gotta renew the passport", "gotta book the ferry"]),
        ("things to sort: call the bank, renew the passport", ["things to sort: call the bank", "things to sort: renew the passport"]),
        ("à faire aujourd'hui : relancer Ann pour le bon, payer le loyer", ["à faire aujourd'hui : relancer Ann pour le bon", "à faire aujourd'hui : payer le loyer"]),
        ("à faire cette semaine :\n- devis pour la brasserie\n- changer les pneus", ["à faire cette semaine : devis pour la brasserie", "à faire cette semaine : changer les pneus"]),
        ("da fare: comprare le calze, chiamare Luca e pagare la mensa", ["da fare: comprare le calze", "da fare: chiamare Luca", "da fare: pagare la mensa"]),
        ("por hacer: llevar el coche al taller, pedir cita", ["por hacer: llevar el coche al taller", "por hacer: pedir cita"]),
        ("for today: call the dentist, order toner, sign the contract", ["for today: call the dentist", "for today: order toner", "for today: sign the contract"]),
        ("on monday: invoice the first third, 4,833 euros", ["on monday: invoice the first third, 4,833 euros"]),
        ("il me reste a faire : le devis charpente, la notice, relancer Ann pour la clé", ["il me reste a faire : le devis charpente", "il me reste a faire : la notice", "il me reste a faire : relancer Ann pour la clé"]),
        ("falta enviarle el acta y pedir presupuesto a Ana", ["falta enviarle el acta", "falta pedir presupuesto a Ana"]),
        ("I have to call the notary and order toner", ["I have to call the notary", "I have to order toner"]),
        ("je dois appeler Luc et Marie", ["je dois appeler Luc et Marie"]),
        ("für morgen: Toner bestellen, den Notar anrufen", ["für morgen: Toner bestellen", "für morgen: den Notar anrufen"]),
        ("pour demain : appeler le garage et payer la facture", ["pour demain : appeler le garage", "pour demain : payer la facture"]),
        ("il faut encore réserver les billets, avant fin juin, ils deviennent chers", ["il faut encore réserver les billets, avant fin juin, ils deviennent chers"]),
        ("il faut appeler le notaire, demain, et payer le loyer, c'est urgent", ["il faut appeler le notaire, demain", "il faut payer le loyer, c'est urgent"]),
        ("todo: car insurance, order sand", ["todo: car insurance", "todo: order sand"]),
        ("todo: rice, non-dairy cream, on-ear headphones", ["todo: rice", "todo: non-dairy cream", "todo: on-ear headphones"]),
        ("todo: call mum, dont forget the milk, pay rent", ["todo: call mum", "todo: dont forget the milk", "todo: pay rent"]),
        ("todo: paint, non-slip mats, pendant lamp", ["todo: paint", "todo: non-slip mats", "todo: pendant lamp"]),
        ("il faut commander le fioul, car la cuve est vide, payer le loyer", ["il faut commander le fioul, car la cuve est vide", "il faut payer le loyer"]),
        ("noch zu tun: die Kantine bezahlen, den Notar anrufen und das Zimmer buchen", ["noch zu tun: die Kantine bezahlen", "noch zu tun: den Notar anrufen", "noch zu tun: das Zimmer buchen"]),
        ("zu erledigen: Kantine bezahlen, Notar anrufen", ["zu erledigen: Kantine bezahlen", "zu erledigen: Notar anrufen"]),
        ("on friday: party at Luca's, at eight", []),
        ("am Montag: Brief geschrieben, Miete bezahlt", []),
        ("for the ferry: the harbour is closed", []),
        ("todo:\n" + "\n".join(f"- [ ] port module {n}" for n in range(21)), []),
        ("ok and todo for me: book the ferry, write to the harbour (Mr Lund), order 2 buoys", ["ok and todo for me: book the ferry", "ok and todo for me: write to the harbour (Mr Lund)", "ok and todo for me: order 2 buoys"]),
        ("next week: sea trial with 40 guests, write the report", ["next week: sea trial with 40 guests", "next week: write the report"]),
        ("morgen: den Notar anrufen, Toner bestellen", ["morgen: den Notar anrufen", "morgen: Toner bestellen"]),
        ("today: paid the rent, called Ann", []),
        ("this week: 3 runs of 10 km, rest on sunday", []),
        ("todo: the blue shelf, call Ann about it", ["todo: the blue shelf, call Ann about it"]),
        ("next topic: the house, we renovate the bathroom", []),
    ],
)  # fmt: skip
def test_each_step_of_a_list_is_one_of_its_own(said: str, steps: list[str]):
    assert [(wish.wish, wish.said) for wish in wishes(said)] == [(Wish.NEXT, step) for step in steps]


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("ok and todo for us: book the ferry", "book the ferry"),
        ("todo für mich: Toner bestellen", "Toner bestellen"),
        ("todo for the house: call the notary", "for the house: call the notary"),
    ],
)
def test_a_step_is_told_without_what_only_says_that_it_is_one(step: str, told: str):
    assert without_head(step) == told


@pytest.mark.parametrize(
    "said",
    [
        "todo: call the notary, the plumber and Frau Brandt",
        "todo: call the notary, she is waiting, before friday",
        "todo: order toner and paper",
        "next steps: Brid Kearns or Tom for the roof, not decided yet",
    ],
)
def test_what_is_only_said_about_a_step_is_no_step(said: str):
    assert [wish.said for wish in wishes(said)] == [said]


@pytest.mark.parametrize(
    "said",
    ["I have to email Ann about the quota", "wir müssen den Notar anrufen", "je dois payer le loyer", "tengo que llamar a Ana", "ich muss Ann anrufen, wenn der Zug nicht fährt", "je dois appeler Ann plus tard", "we still need to cancel the old plan", "must call the dentist", "got to pay the invoice", "also need to book the train",
     "und morgen nicht den Elternabend vergessen", "don't forget the parents' evening tomorrow", "remember to call the notary before the 20th",
     "denk an den Elternabend am Donnerstag", "n'oublie pas le dentiste mardi", "rappelle-moi de renouveler Antidote avant le 10 décembre",
     "rappelle-moi d'appeler le notaire", "recuérdame llamar a Ana", "ricordami di chiamare il geometra",
     "faut que j'envoie le devis a Luc avant vendredi", "et faut renouveler l'assurance avant le 31 décembre", "il faut encore que je rappelle le notaire", "reste à signer le bail",
     "on l'envoie demain, je dois l'imprimer avant", "falta enviarle el acta a Ana", "me queda por pagar el alquiler", "oublie pas la réunion jeudi", "faut pas oublier d'acheter des piles", "faudra penser à renouveler le passeport avant juin", "me falta comprar pan", "faut appeler Luc pour réserver la salle",
     "I have to fill in the form for the school", "we have to submit the tax return", "I must extend the parking permit", "Ich muss das Formular für Jonas noch ausfüllen.", "wir müssen Mila zum Schwimmkurs anmelden",
     "je dois inscrire Mila au conservatoire", "tengo que devolver el libro a la biblioteca", "remember to turn the sync back on before we switch reads", "don't forget to water the plants before we leave"],
)  # fmt: skip
def test_what_a_person_must_do_is_a_step(said: str):
    assert [(wish.wish, wish.said) for wish in wishes(said)] == [(Wish.NEXT, said)]


@pytest.mark.parametrize(
    "said",
    [
        "I don't have to call them",
        "if I have to call them I will",
        "I have to tell you something",
        "rappelle-moi de quoi on a parlé hier",
        "rappelle-moi le numéro du notaire",
        "don't forget to update the changelog",
        "don't forget that the API closes on friday",
        "don't forget to save before you close the editor",
        "we no longer have to call Ann",
        "I don't need to call Ann",
        "no need to call Ann",
        "must be the cache",
        "rent is paid by standing order on the 3rd",
        "ich muss den Notar nicht mehr anrufen",
        "wir müssen keinen Notar anrufen",
        "je dois plus payer le loyer",
        "no tengo que llamar a Ana",
        "s'il faut que j'appelle Luc dis-le",
        "pour le permis il faut payer une taxe",
        "il ne faut pas payer la taxe",
        "faut que je fasse gaffe au budget",
        "faut que j'y aille maintenant",
        "il faut dire que c'est beau",
        "il reste a peine du béton",
        "no falta pagar nada",
        "je pense à Luc demain",
        "le falta enviar el acta",
        "te falta comprar pan",
        "no me falta pagar nada",
        "il faut payer pour entrer",
        "faut que je mange un peu",
        "faut qu'on se voie un jour",
        "ich erinnere mich gern an Opa",
    ],
)
def test_what_need_not_be_done_is_no_step(said: str):
    assert not wishes(said)


def test_a_step_that_follows_from_a_choice_is_one_of_its_own():
    """The choice holds on when the step is done."""
    found = [(wish.wish, wish.said) for wish in wishes("we'll take the kowa. I have to call Anke about it")]
    assert found == [
        (Wish.DECISION, "we'll take the kowa."),
        (Wish.NEXT, "we'll take the kowa. I have to call Anke about it"),
    ]


@pytest.mark.parametrize("said", PREFERRED)
def test_a_preference_is_kept_as_it_was_said(said: str):
    """C10."""
    assert [(wish.wish, wish.said) for wish in wishes(said)] == [(Wish.PREFERENCE, said)]


@pytest.mark.parametrize(
    "said",
    [
        "Shall we say we decided?",
        "can you always do that",
        "did we decide to use redis",
        "what's the difference, never remember",
        "we never had that",
        "it has always been like that",
        "thanks, that was quick",
        "the train should be there at 10:30",
        "die Steuerberaterin ist Frau Brandt, sie will die Belege immer bis zum 10. des Monats",
        "my landlord is nice, he wants the rent always in cash",
        "i don't want to change the model again",
        "i don't want the blue one in here",
        "no problem, use what you like",
        "no, use the other one",
        "the rent must be paid by december 3rd",
        "die Rechnung muss bis 3. Dezember bezahlt werden",
        "the price should be around 40 euros",
        "it should be 40",
        "the port should be right now",
        "must backups be kept 30 days",
        "i think logs should be kept 30 days",
        "il est toujours en retard",
        "et toujours pas de nouvelles du géomètre",
        "on prend le train de 8h",
        "si on prend Labat, 9 000",
        "ce sera le 12 novembre",
        "finalement il n'est pas venu",
        "je n'ai jamais vu ca",
        "bastien n'est jamais dispo",
        "jamais eu de réponse",
        "nunca he visto esto",
        "on a toujours fait comme ca",
        "on garde contact",
        "on prend feu ici",
        "on prend froid ici",
        "on prend combien de baguettes",
        "on passe chez ma mère dimanche",
        "on passe chez le dentiste à 10h",
        "on reste avec les enfants",
        "finalement on fait quoi",
        "ce sera la fête",
        "ce sera la première fois",
        "la viande c'est tranché fin",
        "lo dejamos en la puerta",
        "lo bajamos al coche",
        "al final no vamos a la playa hoy",
        "así sí, no como la última vez",
        "no como desde ayer",
        "je mange pas ce midi",
        "je bois plus de café que toi",
        "pas de panique stp",
        "ne signe pas avant jeudi",
        "tes réponses courtes me plaisent",
        "```\nAlways run it.\n```",
        "> we decided to wait",
    ],
)
def test_questions_quotes_and_what_was_always_so_decide_nothing(said: str):
    """C10: no question; M11: without code and quotes."""
    assert wishes(said) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Die Kinder hatten Spaß im Bad.", "Wir nehmen ab jetzt immer das große Zimmer."),
        ("es hat geregnet.", "von jetzt an immer das rad in den keller stellen"),
        ("ich habe mit Ewa gesprochen.", "schreib den bericht immer auf englisch"),
        ("The deploy went fine.", "we decided that we always rotate the keys in march"),
    ],
)
def test_an_article_or_a_conjunction_refers_to_nothing_that_was_said_before(before: str, said: str):
    assert [one.said for one in wishes(f"{before} {said}")] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Das Büro wird am Freitag gestrichen. Das machen wir ab jetzt immer so.",
        "Der Kuchen mit Mandeln war gut. Ab jetzt nehmen wir immer den.",
        "der kuchen mit mandeln war gut. den backen wir ab jetzt immer",
        "The report has two columns. we decided to keep that for the next one",
    ],
)
def test_what_stands_for_the_sentence_before_takes_it_along(said: str):
    assert [one.said for one in wishes(said)] == [said]


def test_what_a_decision_refers_to_is_kept_with_it():
    """C10: verbatim, and to be understood by itself."""
    said = "no ibuprofen! i cant take it, had a stomach bleeding in 2019. never propose it. paracetamol is ok"
    assert [wish.said for wish in wishes(said)] == [said]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("dashboard goes to katarzyna. not done yet", "dashboard goes to katarzyna. not done yet"),
        ("we order 6 new probes. 6 x 189 euro", "we order 6 new probes. 6 x 189 euro"),
        ("we keep the old one. because density differs", "we keep the old one. because density differs"),
        (
            "native pipe please, not magrittr. and no setwd anywhere",
            "native pipe please, not magrittr. and no setwd anywhere",
        ),
        ("thanks. always run make check.", "always run make check."),
        ("don't draft yet, clara reads it. postponed to june", "don't draft yet, clara reads it. postponed to june"),
        ("打印机在二楼会议室里。永远不要在周一更新系统。", "永远不要在周一更新系统。"),
        ("报告每周三发给客户。就用它。", "报告每周三发给客户。 就用它。"),
    ],
)
def test_what_belongs_to_a_decision_stays_with_it_and_nothing_else(said: str, kept: str):
    """C10."""
    assert [wish.said for wish in wishes(said)] == [kept]
