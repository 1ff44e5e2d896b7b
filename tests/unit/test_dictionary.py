"""Whether a word is one: of five languages, in each of its forms, and never by chance."""

from __future__ import annotations

from hookclaw_py import text


def test_words_of_five_languages_are_known_in_their_forms_and_without_their_accents():
    words = {text.fold(word) for word in ("Versicherungen", "cumpleaños", "grammes", "canzoni", "guaranteed", "Tür")}
    assert set(text.in_dictionary(words)) == words


def test_what_is_misspelt_is_in_none_however_much_is_asked():
    strange = [
        f"{word}{letter}q{other}" for word in ("haus", "maison", "house") for letter in "abcdefgh" for other in "xyzjkw"
    ]
    assert text.in_dictionary(strange) == []
    assert text.in_dictionary(["hausartz", "garanteed"]) == []
    assert text.in_dictionary([]) == []
