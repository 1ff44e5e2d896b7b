"""What a person asks not to be kept, or to be forgotten, and what only sounds like it."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.unsaying import asks_not_to_keep

NOT_KEPT = [
    "off the record: I am looking for a new job",
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
    "speicher das nicht",
    "do not remember what I say now: x",
    "please keep this out of your memory",
    "ne note pas ça: je pars",
    "no lo guardes, por favor",
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
    "the tests don't write it anywhere",
    "never store secrets in git",
    "why don't you remember this?",
    "we never save it before closing",
    "don't keep it in the loop",
    "the old fallback, don't keep it",
    "don't log it, raise it",
    "don't write it in python",
    "das Passwort nicht speichern",
    "Do you not remember that?",
]


@pytest.mark.parametrize("said", NOT_KEPT)
def test_a_person_asks_that_what_they_say_is_not_kept(said: str):
    assert asks_not_to_keep(said)


@pytest.mark.parametrize("said", KEPT)
def test_work_on_files_and_what_nobody_remembers_is_no_such_asking(said: str):
    assert not asks_not_to_keep(said)
