"""Spelling: a word that no note has, and that is no word at all, is read as the one that was meant.

To bend a word that is right but simply not in the notes ("chess" into "cheese") is worse than to leave a wrong one. So only
words are read differently that neither the notes nor the model's own vocabulary nor, where it is not English, a dictionary know, in a
short prompt; and the shorter the word, and the more it looks like a name, the more must speak for the other one: letters that changed
places, one that is doubled, missing or too many, and only in a long word one that sounds alike. What no note has either is read as the
only word of a dictionary that is as near. Chinese in traditional characters is read in simplified ones where the notes have more of it then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from itertools import combinations, pairwise
from string import ascii_lowercase
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.calibration.constants import Demands, Spelling
from hookclaw_py.model.scripts import UNSPACED
from hookclaw_py.regex import regex
from hookclaw_py.temporal.words import LEXICON

LONGEST_PROMPT = 300  # characters; in a longer one the other words say enough
SHORTEST, LONGEST = 3, 24  # letters of a word that is looked at
_UNSPACED = regex(f"[{UNSPACED}]")
_APART, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"


class NoteWords(NamedTuple):
    """What the notes' words are: of some index terms those that a chunk holds, all with a beginning, by frequency, and the names of notes."""

    held: Callable[[Collection[str]], Collection[str]]
    beginning: Callable[[str], Sequence[tuple[str, int]]]
    names: Set[str] = frozenset()

    def hold(self, terms: Sequence[str]) -> bool:
        """Say whether there are terms and the notes have all of them."""
        return bool(terms) and len(set(self.held(terms))) == len(set(terms))


def meant(asked: str, notes: NoteWords, *, is_word: Callable[[str], bool], constants: Spelling) -> dict[str, str]:
    """Return how words of a prompt are to be read where they are misspelt, by the word as it is written.

    What ``is_word`` knows are English words; those of four other languages are in dictionaries. Where no word of a prompt is known, nobody can
    tell its language, and more is demanded.
    """
    if len(asked) > LONGEST_PROMPT:
        return {}
    typed = [token for kind, token in text.raw_tokens(asked) if kind == "word"]
    words = [word for word in typed if len(word) >= SHORTEST]
    doubtful = _doubtful(words, notes, is_word)
    slips = {word: other for word in doubtful if word.islower() and (other := _everyday(word))}
    spelt = text.in_dictionary({text.fold(word) for word in doubtful})
    strange = [word for word in doubtful if word not in slips and text.fold(word) not in spelt]
    told = [slips.get(word, word) for word in typed if word not in strange]
    language = text.guess_language(told) if told else ""
    english = language == "english" and any(_is_spelt_right(text.fold(word), is_word) for word in told)
    foreign = len(strange) > max(_A_FEW, constants.foreign * len(words))
    known = _Known(notes, is_word, constants.long, english=english)
    found: dict[str, str] = {}
    for word in doubtful:
        folded, plain = text.fold(word), bool(language) and not word[0].isupper()
        demands = constants.a_word if plain else constants.a_name if language else constants.another_language
        other = slips.get(word, "") if english and plain else ""
        if not other and not foreign and (english or word in strange):
            other = _in_the_notes(folded, demands, known)
        if not other and not foreign and word in strange:
            other = _in_a_dictionary(folded, demands)
        if other := other or _parted(folded, notes):
            found[word] = other
    return found | _in_names(asked, notes) | _in_simplified(asked, notes)


def _in_names(asked: str, notes: NoteWords) -> dict[str, str]:
    """Return the words that no note has, and that a letter parts from making a note's name with those beside them: "brown bred"."""
    if not notes.names:
        return {}
    written = [token for _, token in text.raw_tokens(asked)]
    words = [text.fold(token) for token in written]
    terms = {word: text.terms(word) for word in words if word.isalpha() and SHORTEST < len(word) <= LONGEST}
    held = notes.held({term for found in terms.values() for term in found})
    found = {}
    for at, word in enumerate(words):
        if terms.get(word) and word not in _EVERYDAY and not any(term in held for term in terms[word]):
            like = (term for term, _ in notes.beginning(word[:SHORTEST]) if _likeness(word, term, _BY_ONE_LETTER))
            named = (form for form in (*_swapped(word), *like) if not notes.names.isdisjoint(_around(words, at, form)))
            if meant := next(named, ""):
                found[written[at]] = meant
    return found


def _in_simplified(asked: str, notes: NoteWords) -> dict[str, str]:
    """Return what is written in traditional characters of which the notes have more in simplified ones."""
    other = text.simplified(asked)
    if other == asked or len(notes.held(text.terms(other))) <= len(notes.held(text.terms(asked))):
        return {}
    runs = [token for kind, token in text.raw_tokens(asked) if kind == "run"]
    return {run: text.simplified(run) for run in runs if text.simplified(run) != run}


def _around(words: Sequence[str], at: int, form: str) -> Iterator[str]:
    """Yield the phrases of two to four words that hold a form in the place of a word."""
    read = [*words[:at], form, *words[at + 1 :]]
    for size in range(2, _NAME_WORDS + 1):
        for start in range(max(0, at - size + 1), min(at, len(read) - size) + 1):
            yield " ".join(read[start : start + size])


def corrected(asked: str, read_as: dict[str, str]) -> str:
    """Return the prompt with those words replaced."""
    if not read_as:
        return asked
    written = "|".join(
        re.escape(word) if _UNSPACED.match(word) else rf"{_APART}{re.escape(word)}{_ENDS}" for word in read_as
    )
    return re.sub(written, lambda match: read_as[match[0]], asked)


def _doubtful(words: Sequence[str], notes: NoteWords, is_word: Callable[[str], bool]) -> list[str]:
    """Return the words that neither the notes nor the model know, each once."""
    unheard = {
        word: text.terms(word)
        for word in words
        if word.isalpha() and len(word) <= LONGEST and not _is_spelt_right(text.fold(word), is_word)
    }
    held = notes.held({term for terms in unheard.values() for term in terms}) if unheard else ()
    return [word for word, terms in unheard.items() if terms and not any(term in held for term in terms)]


def _is_spelt_right(word: str, is_word: Callable[[str], bool]) -> bool:
    """Say whether a word is known, or a form of one: "revise" beside "revised"."""
    if word in _EVERYDAY or is_word(word):
        return True
    bases = [word[: len(word) - len(end)] for end in _ENDINGS if word.endswith(end)]
    return any(is_word(base + end) for base in bases if len(base) > 3 for end in _ENDINGS)


def _everyday(word: str) -> str:
    """Return the English function word or word of time that is meant: "waht", "wich"."""
    swapped = next((form for form in _swapped(word) if form in _ENGLISH and form[0] == word[0]), "")
    return swapped or _LACKING.get(word, "")


class _Known(NamedTuple):
    """What a misspelt word may have been: a word of the notes, which from ``long`` letters on the model need not know."""

    notes: NoteWords
    is_word: Callable[[str], bool]
    long: int
    english: bool


def _in_the_notes(word: str, demands: Demands, known: _Known) -> str:
    """Return the word of the notes that is meant: one of the model's words, too, or a name as the notes have it."""
    if len(word) < min(demands):
        return ""
    if len(word) >= demands.swapped and (form := _swapped_in_the_notes(word, known.notes)):
        return form
    stem = text.terms(word)[0]
    ending = word[len(stem) :] if word.startswith(stem) else ""
    fits = []
    for term, count in known.notes.beginning(word[:2]):
        if len(term) < 4 or not term.isalpha():
            continue
        for end in (ending, "ing", "ion"):  # whose own letters may be the wrong ones: "retenton"
            form = term + end
            likeness = _likeness(word, form, demands) if abs(len(word) - len(form)) < 2 else 0
            if likeness and (known.is_word(form) or not end or not known.english or len(word) >= known.long):
                fits.append((likeness, -count, form, term))
    for _, _, form, term in sorted(fits):
        if term in text.terms(form) and known.notes.hold([term]):
            return form
    return ""


def _in_a_dictionary(word: str, demands: Demands) -> str:
    """Return the only word of a dictionary that differs from this one in the likeliest way of which there is any."""
    within = range(1, len(word))
    ways = (
        (demands.doubled, _doubled(word, 1)),
        (demands.swapped + 1, _swapped(word)),
        (demands.missing, (word[:at] + letter + word[at:] for at in within for letter in ascii_lowercase)),
        (demands.added, (word[:at] + word[at + 1 :] for at in within[:-1])),
        (demands.doubled + 3, _doubled(word, 2)),
    )
    for least, forms in ways:
        if len(word) >= least and (found := text.in_dictionary({*forms})):
            return found[0] if len(found) == 1 else ""
    return ""


def _doubled(word: str, times: int) -> Iterator[str]:
    """Yield the word with so many of its letters doubled that are not, or the other way round."""
    runs = [match[0] for match in _RUN.finditer(word)]
    for changed in combinations(range(len(runs)), times):
        yield "".join(run if at not in changed else run[0] if len(run) > 1 else run * 2 for at, run in enumerate(runs))


def _swapped_in_the_notes(word: str, notes: NoteWords) -> str:
    for form in _swapped(word):
        terms = text.terms(form)
        if terms and len(terms[0]) > 3 and form[0] == word[0] and notes.hold(terms):
            return form
    return ""


def _likeness(word: str, form: str, demands: Demands) -> int:
    """Say how a word differs from another: 1 by a doubled letter, 2 by a missing, 3 by an added, 4 by a like one; else 0."""
    size, longer = len(word), len(form) - len(word)
    if longer and _squeezed(word) == _squeezed(form):
        return 1 if size >= demands.doubled else 0
    written, meant = _difference(word, form)
    if (not written and not meant) or max(len(written), len(meant)) > 1:
        return 0
    if longer and (word.startswith(form) or form.startswith(word)):  # "Martin" is not Martina
        return 0
    if not longer:
        return 4 if size >= demands.alike and any({written, meant} <= alike for alike in _ALIKE) else 0
    needed = demands.missing if longer > 0 else demands.added
    return (2 if longer > 0 else 3) if size >= needed else 0


def _difference(word: str, form: str) -> tuple[str, str]:
    """Return what each has between the beginning and the end that both share."""
    start = _shared(word, form)
    end = _shared(word[start:][::-1], form[start:][::-1])
    return word[start : len(word) - end], form[start : len(form) - end]


def _shared(word: str, form: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(word, form, strict=False)) if a != b), min(len(word), len(form)))


def _parted(word: str, notes: NoteWords) -> str:
    """Return the two words of the notes that are written as one: "Werkstattschlüssel"."""
    pairs = [
        (word[: at - len(link)], word[at:])
        for at in range(4, len(word) - 3)
        for link in _LINKS
        if word[:at].endswith(link) and at - len(link) >= (5 if link else 4)
    ]
    whole = [pair for pair in pairs if notes.hold([*text.terms(pair[0]), *text.terms(pair[1])])]
    return " ".join(max(whole, key=lambda pair: min(map(len, pair)))) if whole else ""


def _swapped(word: str) -> Iterator[str]:
    """Yield the word with two neighbouring letters in each other's place, each in turn, the first letter last."""
    for at, (a, b) in reversed(list(enumerate(pairwise(word)))):
        if a != b:
            yield word[:at] + b + a + word[at + 2 :]


def _squeezed(word: str) -> str:
    return _DOUBLED.sub(r"\1", word)


_DOUBLED = regex(r"(.)\1")
_RUN = regex(r"(.)\1*")
_A_FEW = 2  # strange words that a prompt in any language may have
_NAME_WORDS = 4  # of a note's name, at most
_BY_ONE_LETTER = Demands(swapped=1, doubled=1, missing=1, added=1, alike=25)
_LINKS = ("", "s", "es", "n", "en", "e")  # between the parts of a compound: Geburtstag-s-geschenk
_ENDINGS = (
    "",
    "s",
    "es",
    "e",
    "d",
    "ed",
    "ing",
    "er",
    "ers",
    "ly",
    "y",
    "ion",
    "ions",
    "al",
    "able",
    "ize",
    "ise",
    "ment",
)
_ALIKE = tuple(map(frozenset, ("aeiouy", "fvw", "ckq", "csz", "dt", "bp", "mn", "gj")))
_HOW_MUCH = "viel viele wieviel combien cuanto cuanta cuantos cuantas quanto quanta quanti"
_EVERYDAY = frozenset(map(text.fold, LEXICON)).union(_HOW_MUCH.split(), *text.STOP_WORDS.values())
_ENGLISH = text.STOP_WORDS["english"] | {"much", "many", "want", "know", "tell", "find", "show"}
_LACKING = {
    word[:at] + word[at + 1 :]: word
    for word in sorted(_ENGLISH)
    if len(word) > 4 and word.isalpha()
    for at in range(1, len(word) - 1)
    if word[:at] + word[at + 1 :] not in _EVERYDAY
}
