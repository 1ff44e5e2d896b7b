"""Wording: which of a prompt's terms count as asked for, when a note is judged by how much of them it holds.

To search, a prompt may have terms that are no words: a word of another language gives two stems, and a script without spaces is
cut into overlapping pairs, most of which lie across two words. What no note has of these says nothing against the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from hookclaw_py import text

_FUNCTION = frozenset(
    "的了吗呢吧啊是在有我你您他她它们这那哪谁和跟给把被让就都也还又再很太最不没要会能可想该得着过去来到从对为与或几多少什么怎样时候请"
    "何은는이가을를에의도로와과만"
)
"""Characters that are function words, or parts of such: in a pair that no note has they are not missed."""
_HIRAGANA = ("\u3041", "\u309f")
_ASIDE = frozenset(
    text.words(
        """wieviel wieviele viel viele eigentlich nochmal mal bitte denn gerade genau jetzt warum combien déjà exactement quoi
        maintenant pourquoi cuánto cuánta cuántos cuántas cuál cuáles ahora quanto quanta quanti quante adesso hoeveel eigenlijk
        сколько сейчас"""
    )
)
"""Words with which one asks, and that stress it. English notes have theirs."""

Held = Callable[[Collection[str]], Collection[str]]
"""Returns those of some terms that a note has."""


def counted(topic: Sequence[str], asked: Iterable[str], held: Held) -> Sequence[str]:
    """Return the terms of a ``topic`` that count, for the texts that were ``asked``.

    Of the forms of one word those count that the notes have, or one of them; what is said aside, only if they have it. A pair
    of characters that they do not have, and that lies across words which they do, counts nothing, nor does one character alone.
    """
    words = [own for one in asked for own in text.forms(one) if len(own[1]) > 1 or own[0] in _ASIDE]
    runs = [run for one in asked if not one.isascii() for run in text.runs(one)]
    if not words and not runs:
        return topic
    known = held(frozenset(topic))
    left_out = {pair for run in runs for pair in _across_words(run, known)}
    left_out |= {letter for run in runs for letter in run if letter not in known}
    for word, forms in words:
        stay = [form for form in forms if form in known] or (() if word in _ASIDE else forms[:1])
        left_out.update(set(forms).difference(stay))
    return [term for term in topic if term not in left_out]


def _across_words(run: str, known: Collection[str]) -> Iterator[str]:
    """Yield the pairs of a run that no note has, and whose characters both belong to words beside them."""
    pairs = [a + b for a, b in pairwise(run)]
    told = [_is_function(character) for character in run]
    for at, pair in enumerate(pairs):
        if pair in known:
            told[at] = told[at + 1] = True
    yield from (pair for at, pair in enumerate(pairs) if pair not in known and told[at] and told[at + 1])


def _is_function(character: str) -> bool:
    return character in _FUNCTION or _HIRAGANA[0] <= character <= _HIRAGANA[1]
