"""What a person asks not to be kept, or to be forgotten, and what only sounds like it."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.phones import said_otherwise
from hookclaw_py.speech.unsaying import asks_not_to_keep, asks_to_forget, to_be_forgotten, without

NOT_KEPT = [
    "off the record: I am looking for a new job",
    "ok, off-the-record: I am looking for a new job",
    "别记这个：莉娜怀孕了",
    "莉娜怀孕了，别记下来",
    "please don't remember this: Lotte ist schwanger",
    "the installer code is on the wall, room 214. dont store it",
    "don't file this anywhere: only 640 euro are left",
    "Don't save this.",
    "this is private, don't save it",
    "my pin is 1234 and don't write it down anywhere",
    "I got fired. Please don't store any of this",
    "merk dir das bitte nicht: Lotte ist schwanger",
    "bitte nicht merken: wir ziehen um",
    "unter uns gesagt: er trinkt",
    "ich bin schwanger, das bitte nirgends aufschreiben",
    "schreib das nicht auf, ich kündige",
    "mein login ist jo77, aber nirgends reinschreiben bitte",
    "speicher das nicht",
    "do not remember what I say now: x",
    "please keep this out of your memory",
    "ne note pas ça: je pars",
    "no lo guardes, por favor",
    "entre nous, Luc veut vendre sa part",
    "Luc veut vendre sa part, mais ça reste entre nous",
    "note pas ca stp : je pars en juin",
    "je pars en juin, garde ça pour toi",
    "entre nosotros: Ana se va en junio",
    "Ana se va en junio, que quede entre nosotros",
    "tra noi, Luca se ne va",
    "entre nous, Luc gagne 4000 €",
    "Luc vend sa part, c'est du off",
    "esto queda entre tú y yo",
    "nah leave it. dont remember this but i might move out anyway",
    "pls dont note this because it is not sure yet, the shop may close",
    "merk dir das nicht aber ich kündige",
    "note pas ça mais je pars en juin",
    "no lo recuerdes pero Ana se va",
    "this stays between us, i might quit",
    "just between us the shop may close",
    "between you and me, Tom is leaving",
    "keep this to yourself but Tom is leaving",
]
KEPT = [
    "I don't remember this",
    "I can't remember it",
    "I don't remember that, sorry",
    "please don't use print, log it",
    "if the cache is stale, don't store it",
    "I'm not sure where I keep it",
    "ich kann mir das nicht merken",
    "don't forget the milk",
    "put the off the record player away",
    "the off-the-record chat with Mara is on Friday",
    "别忘记这个会议",
    "别记错日期",
    "the tests don't write it anywhere",
    "never store secrets in git",
    "why don't you remember this?",
    "we never save it before closing",
    "don't keep it in the loop",
    "the old fallback, don't keep it",
    "don't log it, raise it",
    "don't write it in python",
    "das Passwort nicht speichern",
    "le contrat entre nous et la mairie est signé",
    "garde ça pour demain",
    "on partage les frais entre nous trois",
    "hay un acuerdo entre nosotros y el ayuntamiento",
    "ne garde pas les accents dans les noms de fichiers",
    "Do you not remember that?",
    "hay 3 km entre nosotros",
    "la cena es entre nosotros",
    "la diferencia entre tú y yo, es la edad",
    "tra noi, 5 anni di differenza",
    "entre nous, on a 5 ans d'écart",
    "mardi, c'est off",
    "garde pas ça, mets plutôt la version bleue à 4500 €",
    "don't save this but push it",
    "the difference between us is just age",
    "between us, the age difference is 5 years",
    "split the bill just between us two",
    "keep the key to yourself",
    "I dont remember this but we used port 8080",
    "keep it between 5 and 10 degrees",
]

FORGOTTEN = [
    ("oublie que Martine est végétarienne", "Martine est végétarienne"),
    ("olvida que Lina es vegetariana", "Lina es vegetariana"),
    ("ah et oublie ce que j'ai dit sur l'opération de Luc stp", "l'opération de Luc"),
    ("bon, efface tout ce que tu sais sur mon salaire", "mon salaire"),
    ("oublie l'histoire du chien de Luc, c'est réglé", "chien de Luc"),
    ("y olvida lo que te he contado de la operación de Ana, por favor", "la operación de Ana"),
    ("olvida lo de la lavadora", "la lavadora"),
    ("oublie le truc avec la sauce", "la sauce"),
    ("oublie l'histoire d'Anna", "Anna"),
    ("no, olvida lo de Juan", "Juan"),
    ("oublie ce que j'ai écrit sur Marc", "Marc"),
    ("oublie que Martine est végétarienne s'il te plaît", "Martine est végétarienne"),
    ("dimentica che il codice della cassetta è 4471", "il codice della cassetta è 4471"),
    ("scordati quello che ho detto sulla lavatrice", "lavatrice"),
    ("dimentica quello che ho detto sull'esame di Lina", "esame di Lina"),
    ("dimentica quello che ho detto della lavatrice", "lavatrice"),
    ("vergiss das mit dem Earl Grey, das stimmt gar nicht", "dem Earl Grey"),
    ("vergiss bitte alles über Opa Ernst, danke", "Opa Ernst"),
    ("delete what I told you about the parcel locker", "the parcel locker"),
    ("please forget the Earl Grey thing", "Earl Grey"),
    ("forget that I hate earl grey", "I hate earl grey"),
    ("forget what I said about the landlord, he moved", "the landlord"),
    ("forget what I said about Earl Grey, it's not true", "Earl Grey"),
    ("vergiss bitte was ich über den Vermieter gesagt habe, danke", "den Vermieter"),
    ("please remove what you know about my salary", "my salary"),
    ("lösch bitte alles über Opa Ernst", "Opa Ernst"),
    ("lösche, was ich über den Job erzählt habe", "den Job"),
    ("vergiss, dass ich Earl Grey hasse", "ich Earl Grey hasse"),
    ("ok forget about the thing with the landlord, it's settled", "the landlord"),
    ("please forget Lund's number", "Lund's number"),
    ("forget Lund's mobile", "Lund's mobile"),
    ("vergiss bitte Lunds Handy", "Lunds Handy"),
    ("forget my address", "my address"),
    ("forget Sara Lund's email, she changed it", "Sara Lund's email"),
    ("delete the phone number of Nils from your memory", "the phone number of Nils"),
    ("vergiss bitte meine Adresse", "meine Adresse"),
    ("vergiss die Nummer von Nils", "die Nummer von Nils"),
    ("oublie le numéro de Nils", "le numéro de Nils"),
    ("olvida el teléfono de Ana", "el teléfono de Ana"),
    ("forget what I said about Hamburg, Lübeck and the flat", "Hamburg, Lübeck and the flat"),
]
NOT_FORGOTTEN = [
    "don't forget the milk",
    "I forget what he said about the car",
    "delete the branch X",
    "remove the old files",
    "don't forget that I hate earl grey",
    "forget the milk, we have some",
    "forget the number of retries",
    "forget Lund's address, we ship to the quay",
    "forget Lund's birthday party",
    "delete Lund's phone number",
    "remove my email from the signup form",
    "I forget my number all the time",
    "forget about the tests for now",
    "forget postgres, use sqlite",
    "vergiss nicht, dass Lotte kommt",
    "vergiss das nicht",
    "vergiss postgres, nimm sqlite",
    "delete everything in the temp folder",
    "remove everything about logging from the readme",
    "delete all comments about the parser",
    "delete the rows that we said about",
    "remove all references to the old API",
    "I forget that I have a meeting sometimes",
    "did you forget what I said about the car?",
    "I won't forget what you said about the car",
    "lösche alle Dateien über 10 MB",
    "lösche alles über dem Trennstrich",
    "delete everything about the old config from the file",
    "we can forget that idea",
    "forget that I said anything",
    "don't let me forget that I promised Noor a tent",
    "you forget that I told you about it",
    "what did I forget about the trip?",
    "forget what they said about the weather",
    "forget the docker stuff, we use podman",
    "n'oublie pas ce que j'ai dit sur Luc",
    "oublie le lait, on en a",
    "olvida el café, ya hay",
    "efface tout ce que contient le dossier temp",
    "oublie pas que Luc vient demain",
    "oublie le truc stp",
    "oublie le truc merci",
    "oublie le truc et continue",
    "oublie l'histoire pour l'instant",
    "oublie l'affaire pour le moment",
    "oublie la chose la plus importante",
    "oublie l'histoire et fais un poème",
    "no olvida lo de Juan",
    "efface ce que j'ai écrit sur la page d'accueil",
    "olvida lo de antes",
    "olvida lo de siempre",
]


@pytest.mark.parametrize("said", NOT_KEPT)
def test_a_person_asks_that_what_they_say_is_not_kept(said: str):
    assert asks_not_to_keep(said)


@pytest.mark.parametrize("said", KEPT)
def test_work_on_files_and_what_nobody_remembers_is_no_such_asking(said: str):
    assert not asks_not_to_keep(said)


@pytest.mark.parametrize(("said", "words"), FORGOTTEN)
def test_a_person_asks_that_what_they_said_of_something_is_forgotten(said: str, words: str):
    assert to_be_forgotten(said) == [words]


@pytest.mark.parametrize(
    "said",
    [
        "> Lina is vegetarian\nI agree, Lina is vegetarian.",
        "> Lina is vegetarian\nLina is vegetarian",
        "```\nLina is vegetarian\n```\nTom hates pork and Lina is vegetarian.",
    ],
)
def test_of_a_text_that_quotes_what_is_to_be_forgotten_nothing_stays(said: str):
    assert without(said, "Lina is vegetarian") == ""


def test_of_a_text_that_quotes_something_else_that_stays():
    assert (
        without("> see you\nTom hates pork and Lina is vegetarian.", "Lina is vegetarian")
        == "> see you\nTom hates pork."
    )


@pytest.mark.parametrize("said", NOT_FORGOTTEN)
def test_what_only_sounds_like_it_asks_that_nothing_is_forgotten(said: str):
    assert not asks_to_forget(said)


@pytest.mark.parametrize(
    ("said", "words", "gone"),
    [
        ("Brid's mobile is 087 555 0142. The ferry leaves at ten.", "Brid's number", ["Brid's mobile is 087 555 0142"]),
        ("Brid: 087 555 0142", "the number of Brid", ["Brid: 087 555 0142"]),
        ("le portable de Luc est le 06 51 22 80 14", "numéro de Luc", ["le portable de Luc est le 06 51 22 80 14"]),
        ("Brid plays chess, ring Tom on 087 555 0142", "Brid's number", []),
        ("Tom's mobile is 087 555 0142", "Brid's number", []),
        ("Brid's mobile is broken", "Brid's number", []),
        ("Brid's mobile is 087 555 0142", "Brid's address", []),
    ],
)  # fmt: skip
def test_a_phone_number_is_the_same_whatever_it_is_called(said, words, gone):
    assert said_otherwise(said, words) == gone
