"""Words of other languages for a model that knows English ones alone: each gets what its English gloss has.

all-MiniLM-L6-v2 reads a word that is not in its list letter by letter or in pieces that mean nothing, and of a Chinese text three
characters of four not at all. ``glosses/`` says of the most common words of five languages what they mean, in one to three English words; a
word's embedding is made of theirs, as long as that of others. Nothing else of a model changes. English is read as before, but for rare words that begin
as one of those does ("allergy" is no longer "all" and "ergy"); what would change common ones was left out.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

GLOSSES = Path(__file__).parent / "glosses"
WORDS = "embeddings.word_embeddings.weight"
FURTHER = 0.6  # what a second or third word of a gloss weighs beside the first
OWN = 0.3  # share of a word's own, so that two with one gloss stay two words
OF_MINILM = 30_522  # words in its list
COMMON = slice(2000, 20_000)  # of MiniLM's list: whole words, by how common they are
COMPOUNDS = "de"  # whose words are also pieces of longer ones
LEAST = 4  # letters of such a piece
ENGLISH_ENDINGS = frozenset(
    {"atme", "bauch", "boote", "dient", "gerat", "grun", "hande", "hase", "jacke", "namen", "teller", "thema"}
)
"""Words that are no such piece: "oatmeal", "obedient", "storyteller" would be read with them."""
_HAN = range(0x4E00, 0xA000)


def folded(word: str) -> str:
    """Return a word as MiniLM's tokenizer sees it: lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")


def pieces_of(language: str, word: str) -> list[str]:
    """Return what a word is called in the tokenizer's list: itself, and as the rest of a compound."""
    name = folded(word)
    joins = language in COMPOUNDS and len(name) >= LEAST and name not in ENGLISH_ENDINGS
    return [name, f"##{name}"] if joins else [name]


def glossed() -> dict[str, list[str]]:
    """Return the English words for each piece that the tokenizer is to know; of several languages the first counts."""
    found = dict[str, list[str]]()
    for file in sorted(GLOSSES.glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            word, _, gloss = line.partition("\t")
            for piece in pieces_of(file.stem, word) if gloss else []:
                found.setdefault(piece, gloss.split())
    return found


def with_words(words: np.ndarray, tokenizer: bytes) -> tuple[np.ndarray, bytes]:
    """Return the embeddings of all words, shape (words, dimension), and the tokenizer, with those of ``glosses/`` among them.

    What MiniLM has in its list keeps its embedding, but for Chinese characters: it met those in English texts.
    """
    told: dict[str, Any] = json.loads(tokenizer)
    listed: dict[str, int] = told["model"]["vocab"]
    middle = words[COMMON].mean(axis=0)
    length = np.median(np.linalg.norm(words[COMMON] - middle, axis=1))
    found, news = words.copy(), list[np.ndarray]()
    for piece, gloss in glossed().items():
        known = [words[listed[own]] - middle for own in gloss if listed.get(own, OF_MINILM) < OF_MINILM]
        at = listed.get(piece)
        if not known or (at is not None and ord(piece[0]) not in _HAN):
            continue
        vector = known[0] + FURTHER * np.sum(known[1:], axis=0)
        vector = middle + length * _unit(_unit(vector) + OWN * _unit(_of(piece, words.shape[1])))
        if at is not None:
            found[at] = vector
        else:
            listed[piece] = len(words) + len(news)
            news.append(vector)
    return np.concatenate([found, np.array(news, words.dtype)]), json.dumps(told, ensure_ascii=False).encode()


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _of(piece: str, dimension: int) -> np.ndarray:
    """Return a direction of a word's own, the same each time."""
    seed = int.from_bytes(hashlib.sha256(piece.encode()).digest()[:8])
    return np.random.default_rng(seed).standard_normal(dimension)
