"""Whether a word is one: of five languages, in each of its forms, and never by chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import text
from hookclaw_py.text import dictionary


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


@pytest.mark.parametrize("count", [1, 63, 64, 65, 128, 300])
def test_each_word_of_the_file_is_found_and_no_other(tmp_path: Path, count: int):
    words, file = [f"word{n}" for n in range(count)], tmp_path / "words.npy"
    np.save(file, np.unique(dictionary.keys(words)))
    assert text.in_dictionary([*words, *(f"other{n}" for n in range(300))], file) == words


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux says there what a process maps")
def test_the_file_is_not_mapped():
    assert text.in_dictionary(["versicherungen"])
    assert "words.npy" not in Path("/proc/self/maps").read_text()
