"""Attribution: what became of each injected chunk in the answer, and in what the user said to it.

An answer *used* a chunk if it holds something that the chunk has and the prompt has not. How much that has to be is a
small logistic model over five measurements of the shared words (``Overlap``); ``eval/studies/attribution.py`` fits and
tests it on labelled transcripts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from hookclaw_py.model.types import Chunk
from hookclaw_py.regex import regex

Terms = Callable[[str], Sequence[str]]
Idf = Callable[[Sequence[str]], Mapping[str, float]]


class Attribution(StrEnum):
    """What became of a chunk that was shown."""

    USED = "used"  # the answer has something of it that the prompt had not
    RELEVANT = "relevant"  # on the topic of the prompt, but nothing of it was taken
    CONTRADICTED = "contradicted"  # the answer, or the user's next message, says that it is wrong or out of date
    IGNORED = "ignored"


class Overlap(NamedTuple):
    """What a chunk and an answer share beyond the prompt. Words are weighted by rarity, in [0, 1]: idf over the highest.

    ``sentence`` is the weight shared in the sentence that shares most, ``share`` what part of that sentence's new words it
    is, ``rarest`` the weight of the rarest shared word, ``pairs`` how many neighbouring words stand together in both,
    ``length`` how many new words the whole answer has: a long one meets any chunk somewhere.
    """

    sentence: float
    share: float
    rarest: float
    pairs: int
    length: int

    @property
    def measurements(self) -> tuple[float, float, float, float, float]:
        """What the model weighs: counts as logarithms."""
        return math.log1p(self.sentence), self.share, self.rarest, math.log1p(self.pairs), math.log1p(self.length)


NOTHING = Overlap(0.0, 0.0, 0.0, 0, 0)
WEIGHTS = (2.48, 0.73, 2.10, 2.41, -1.96)  # fitted by eval/studies/attribution.py --fit on its tuning half
BIAS = 0.38
USED = 0.36  # probability from which a chunk counts as used
ON_TOPIC = 0.5  # rarity of words that prompt and chunk, or a denial and what it denies, must share
SHORT_WORDS = 15
MAX_ANSWER_CHARS = 100_000  # of a longer answer the end counts: it is the summary, tool calls come before it


def probability(overlap: Overlap) -> float:
    """Return how probable it is that the answer used the chunk, in (0, 1); 0 when they share nothing."""
    if not overlap.rarest:
        return 0.0
    score = BIAS + sum(w * x for w, x in zip(WEIGHTS, overlap.measurements, strict=True))
    return 1 / (1 + math.exp(-score))


def attribute(chunks: Sequence[Chunk], answer: str, prompt: str, *, terms: Terms, idf: Idf) -> dict[str, Attribution]:
    """Say for each injected chunk, by id, what the answer did with it.

    ``answer`` is everything the assistant did in that turn, tool arguments included.
    """
    answer = answer[-MAX_ANSWER_CHARS:]
    taken = overlaps(chunks, answer, prompt, terms=terms, idf=idf)
    denied = contradicted(chunks, answer, prompt, terms=terms, idf=idf)
    asked = frozenset(terms(plain(prompt)))
    kinds = {}
    for chunk in chunks:
        if chunk.id in denied:
            kinds[chunk.id] = Attribution.CONTRADICTED
        elif probability(taken[chunk.id]) >= USED:
            kinds[chunk.id] = Attribution.USED
        else:
            kinds[chunk.id] = (
                Attribution.RELEVANT if _on_topic(chunk, chunks, asked, terms, idf) else Attribution.IGNORED
            )
    return kinds


def _words_of(written: str, terms: Terms) -> frozenset[str]:
    """Return the terms of a text and of its sentences alone: what is a stop word depends on the language around it."""
    return frozenset(terms(written)).union(*map(terms, sentences(written)))


def overlaps(
    chunks: Sequence[Chunk], answer: str, prompt: str, *, terms: Terms, idf: Idf, unique: bool = True
) -> dict[str, Overlap]:
    """Measure each chunk against the answer, by id.

    Where several chunks hold the shared words the one with most to show for it takes them; with ``unique`` the others are
    measured by what is left.
    """
    known = _words_of(plain(prompt), terms)
    said = [frozenset(terms(sentence)) - known for sentence in sentences(plain(answer))]
    added = frozenset[str]().union(*said)
    words = {c.id: list(terms(plain(text_of(c)))) for c in chunks}
    held = frozenset(term for listed in words.values() for term in listed)
    rarity = _rarity(held, added, idf)
    answer_pairs = set(pairwise(terms(plain(answer))))
    left = {c.id: frozenset(words[c.id]) & added for c in chunks}
    found: dict[str, Overlap] = {}
    while left:
        measured = {
            chunk_id: _overlap(shared, words[chunk_id], answer_pairs, said, rarity, len(added))
            for chunk_id, shared in left.items()
        }
        best = max(sorted(measured), key=lambda chunk_id: probability(measured[chunk_id]))
        found[best] = measured[best]
        credit = left.pop(best)
        if unique and probability(measured[best]) >= USED:
            left = {chunk_id: shared - credit for chunk_id, shared in left.items()}
    return found


def _overlap(
    shared: frozenset[str],
    words: Sequence[str],
    answer_pairs: set[tuple[str, str]],
    said: Sequence[frozenset[str]],
    rarity: Mapping[str, float],
    length: int,
) -> Overlap:
    if not shared:
        return NOTHING
    pairs = {pair for pair in pairwise(words) if pair in answer_pairs and not shared.isdisjoint(pair)}
    weights = [(sum(rarity[t] for t in shared & sentence), sum(rarity[t] for t in sentence)) for sentence in said]
    share = max(((part * part / whole, part / whole) for part, whole in weights if whole), default=(0.0, 0.0))[1]
    return Overlap(
        max((part for part, _ in weights), default=0.0), share, max(rarity[t] for t in shared), len(pairs), length
    )


def _rarity(held: frozenset[str], others: frozenset[str], idf: Idf) -> dict[str, float]:
    """Return each word's idf over that of the rarest word in the chunks: also a store of three notes has rare words."""
    known = idf(sorted(held | others))
    highest = max((known.get(term, 1.0) for term in held), default=1.0) or 1.0
    return {term: min(known.get(term, 1.0) / highest, 1.0) for term in held | others}


def _on_topic(chunk: Chunk, chunks: Sequence[Chunk], asked: frozenset[str], terms: Terms, idf: Idf) -> bool:
    held = {c.id: frozenset(terms(plain(text_of(c)))) for c in chunks}
    rarity = _rarity(frozenset().union(*held.values()), frozenset(), idf)
    return any(rarity[term] >= ON_TOPIC for term in held[chunk.id] & asked)


def contradicted(chunks: Sequence[Chunk], message: str, prompt: str, *, terms: Terms, idf: Idf) -> frozenset[str]:
    """Return the ids of the chunks that a sentence of ``message`` calls wrong or out of date.

    The sentence, or failing that the one before it, has to name what the chunk says beyond the prompt, and is meant for
    the chunk it says most of. If that chunk says itself that something is out of date, the sentence only repeats it.
    """
    if not _denies(message):
        return frozenset()
    known = _words_of(plain(prompt), terms)
    added = {c.id: frozenset(terms(plain(text_of(c)))) - known for c in chunks}
    rarity = _rarity(frozenset().union(*added.values()), frozenset(), idf)
    repeating = {c.id for c in chunks if _OUTDATED.search(text_of(c)) or _WRONG.search(text_of(c))}
    said = sentences(plain(message))
    found: set[str] = set()
    for n, sentence in enumerate(said):
        if _denies(sentence):
            meant = _meant(added, frozenset(terms(sentence)), rarity)
            meant = meant or (_meant(added, frozenset(terms(said[n - 1])), rarity) if n else frozenset())
            if not meant & repeating:
                found |= meant
    return frozenset(found)


def _denies(text: str) -> bool:
    return bool(_OUTDATED.search(text) or (_WRONG.search(text) and _NOTES.search(text)))


def _meant(added: Mapping[str, frozenset[str]], named: frozenset[str], rarity: Mapping[str, float]) -> frozenset[str]:
    """Return the chunks that most of the named words are of; none if there is no rare one among them."""
    weight = {i: sum(rarity[term] for term in words & named) for i, words in added.items()}
    most = max(weight.values(), default=0.0)
    return frozenset(i for i, w in weight.items() if w == most >= ON_TOPIC)


def objected(
    chunks: Sequence[Chunk], kinds: Mapping[str, Attribution], message: str, *, terms: Terms
) -> frozenset[str]:
    """Return the ids of the used chunks that the user's next ``message`` calls wrong or out of date.

    A short bare objection ("no, that's outdated") is meant for all that the answer used, a longer one for what it names.
    ``kinds`` are those of the turn before. Only the beginning of the message is looked at.
    """
    opening = " ".join(sentences(message)[:2])[:300]
    if not _OBJECTION.search(opening):
        return frozenset()
    said = frozenset(terms(plain(opening)))
    used = [c for c in chunks if kinds.get(c.id) is Attribution.USED]
    named = [c for c in used if not said.isdisjoint(terms(plain(text_of(c))))]
    bare = _BARE.search(opening) and len(opening.split()) <= SHORT_WORDS
    return frozenset(c.id for c in named or (used if bare else ()))


def text_of(chunk: Chunk) -> str:
    """Return what the block shows of a chunk."""
    return f"{chunk.heading}\n{chunk.text}" if chunk.heading else chunk.text


def sentences(text: str) -> list[str]:
    """Split at line ends and after full stops, question and exclamation marks."""
    return [part for part in _SENTENCE.split(text) if part.strip()]


def plain(text: str) -> str:
    """Write numbers and dates one way: 1,400 as 1400, five as 5, 2027-05-07 also as 7 may 2027."""
    if any(c.isdigit() for c in text):
        text = _THOUSANDS.sub(lambda m: re.sub(r"[,.'’]", "", m[0]), text)
        text = _ISO_DATE.sub(lambda m: f"{m[0]} {int(m[3])} {_MONTHS.split()[int(m[2]) - 1]} {m[1]}", text)
    return _number_words().sub(lambda m: str(_NUMBERS[m[0].lower()]), text)


@cache
def _number_words() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b", re.IGNORECASE)


_SENTENCE = regex(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_THOUSANDS = regex(r"(?<![\w.,-])\d{1,3}(?:[,.'’]\d{3})+(?![\w-]|[.,]\d)")
_ISO_DATE = regex(r"\b(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
_MONTHS = "january february march april may june july august september october november december"
_NUMBERS = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for number, word in enumerate(words.split(), start=1)
    if number > 1
}

# Says of something that it does not hold any more; or that it is wrong, which counts only where notes are spoken of.
_OUTDATED = regex(
    r"""\b(?: out[ -]?dated | out\ of\ date | obsolete | superseded | veraltet\w* | überholt
      | no\ longer\ (?:true|correct|right|valid|accurate|current|holds?|applies|the\ case)
      | not\ (?:true|correct|right|valid|accurate|current)\ any\ ?more
      | (?:stimmt|gilt|gelten|stimmen)\ (?:so\ )?nicht\ mehr
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_WRONG = regex(
    r"""\b(?: wrong | incorrect | stale | inaccurate | mistaken | contradict\w* | falsch | stimmt\ nicht
      | (?:not|n['’]t)\ (?:true|correct|right|valid|accurate|current|hold|apply) )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_NOTES = regex(
    r"\b(?:notes?|memor(?:y|ies)|remember(?:ed)?|recorded|notiz(?:en)?|notiert|erinnerung(?:en)?)\b", re.IGNORECASE
)
# The same said to somebody, at once clear without naming anything; then also where the message has to name it.
_CLAIM = r"""(?:that|this|it|which|the\ \w+|your\ \w+)(?:['’]s|\ is|\ was|\ are)?\ (?:\w+\ )?
      (?:out[ -]?dated|out\ of\ date|obsolete|wrong|incorrect|stale|old\ news|
         (?:not|no\ longer)\ (?:\w+\ )?(?:true|correct|right|valid|accurate|current|the\ case|any\ ?more))
  | you(?:['’]re|\ are)\ wrong | we(?:['’]ve|\ have)?\ (?:\w+\ )?changed\ (?:that|this|it)
  | (?:that|this|it)(?:\ has|['’]s)?\ changed | (?:isn['’]t|is\ not|it['’]s\ not)\ [^.!?]{0,40}\bany\ ?more
  | stimmt\ (?:so\ )?nicht(?:\ mehr)? | (?:das|ist|sind)\ (?:\w+\ )?(?:veraltet|überholt|falsch)
  | gilt\ (?:so\ )?nicht\ mehr | haben\ wir\ (?:\w+\ )?geändert"""
_BARE = regex(rf"\b(?:{_CLAIM})(?!\w)", re.VERBOSE | re.IGNORECASE)
_OBJECTION = regex(
    rf"\b(?:{_CLAIM}|no\ longer|not\ [^.!?]{{0,40}}\bany\ ?more|nicht\ mehr)(?!\w)", re.VERBOSE | re.IGNORECASE
)
