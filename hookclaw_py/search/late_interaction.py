"""Late interaction: each token of the prompt seeks its best match in a chunk, and these matches are added up."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from unicodedata import category

import numpy as np

from hookclaw_py import text
from hookclaw_py.model.vectors import Matrix, TokenVectors, Vector
from hookclaw_py.regex import regex
from hookclaw_py.search.product import product

MOST_TOKENS = 32
"""Tokens of a prompt that are compared, the weightiest; ColBERT's length of a query. It bounds the time of a long one."""

_WORD = regex(r"\w+")
_LONGEST_WORD = 64  # characters; the rest of a longer one (an encoded file) says nothing
_ROWS = 128  # tokens times MOST_TOKENS times 64 is what OpenBLAS still multiplies on one thread
_PIECE = 8_192  # tokens of chunks that are compared at a time, 2 MB


def compare(
    query: TokenVectors, weights: Sequence[float], chunks: Mapping[str, TokenVectors], *, chosen: Collection[int]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return Σᵢ wᵢ · maxⱼ cos(qᵢ, dⱼ) / Σᵢ wᵢ, in [-1, 1], and minᵢ maxⱼ cos(qᵢ, dⱼ), by id for each chunk that has tokens.

    ``query`` has shape (tokens, 64), ``weights`` (tokens,), none below 0; of more than ``MOST_TOKENS`` tokens those that weigh most are compared.
    The second is over the ``chosen`` of these, {} where there are none: 1 says that each of them stands in the chunk.
    Source: Khattab & Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
    BERT", SIGIR 2020, with the weights of the tokens added.
    """
    weighty = sorted((i for i, weight in enumerate(weights) if weight > 0), key=lambda i: (-weights[i], i))
    weighty = weighty[:MOST_TOKENS]
    if not weighty:
        return {}, {}
    shares = np.array([weights[i] for i in weighty], np.float32)
    shares /= shares.sum()
    columns = [column for column, i in enumerate(weighty) if i in chosen]
    asked = np.ascontiguousarray(query[weighty].T, np.float32)
    asked /= 127**2  # both sides are unit vectors times 127
    scores, least = dict[str, float](), dict[str, float]()
    for ids, tokens in _pieces(chunks):
        starts = np.cumsum([0, *map(len, tokens[:-1])])
        best = np.maximum.reduceat(_products(tokens, asked), starts, axis=0)
        scores.update(zip(ids, product(best, shares).tolist(), strict=True))
        if columns:
            least.update(zip(ids, best[:, columns].min(axis=1).tolist(), strict=True))
    return scores, least


def token_matches(query: TokenVectors, weights: Sequence[float], tokens: TokenVectors, *, unrelated: float) -> Vector:
    """Return for each of a chunk's tokens maxᵢ wᵢ · max(0, cos(qᵢ, d) - ``unrelated``): where in it the prompt is met."""
    if not len(query) or not len(tokens):
        return np.zeros(len(tokens), np.float32)
    cosines = product(tokens.astype(np.float32), query.astype(np.float32).T) / 127**2
    met: Vector = (np.maximum(cosines - unrelated, 0) * np.asarray(weights, np.float32)).max(axis=1)
    return met


def _pieces(chunks: Mapping[str, TokenVectors]) -> Iterator[tuple[list[str], list[TokenVectors]]]:
    """Yield the chunks that have tokens in pieces that fit the processor's cache."""
    ids, tokens, size = list[str](), list[TokenVectors](), 0
    for chunk_id, own in chunks.items():
        if size > _PIECE:
            yield ids, tokens
            ids, tokens, size = [], [], 0
        if len(own):
            ids.append(chunk_id)
            tokens.append(own)
            size += len(own)
    if ids:
        yield ids, tokens


def _products(tokens: Sequence[TokenVectors], asked: Matrix) -> Matrix:
    """Return the dot product of every token with every column of ``asked``, shape (tokens, columns).

    In blocks: waking a second thread takes longer than what it would save.
    """
    count, dimension = sum(map(len, tokens)), len(asked)
    blocks = np.empty((-(-count // _ROWS), _ROWS, dimension), np.float32)
    flat = blocks.reshape(-1, dimension)
    np.concatenate(tokens, out=flat[:count])
    flat[count:] = 0
    return product(blocks, asked).reshape(len(flat), -1)[:count]


def token_terms(prompt: str, spans: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
    """Return for each token at ``spans`` the index terms of the word (letters, digits and _) that it lies in."""
    words = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(prompt)]
    found: list[tuple[str, ...]] = []
    place = 0
    for start, end in spans:
        while place < len(words) and words[place][1] <= start:
            place += 1
        inside = place < len(words) and words[place][0] < end
        found.append(_terms_of_word(words[place][2]) if inside else ())
    return found


@lru_cache(maxsize=8_192)
def _terms_of_word(word: str) -> tuple[str, ...]:
    return tuple(text.terms(word[:_LONGEST_WORD]))


def without_fillers(chunk: str, tokens: TokenVectors, spans: Sequence[tuple[int, int]]) -> TokenVectors:
    """Return a chunk's ``tokens``, which stand at ``spans`` of it, with zeros for punctuation, symbols and stop words.

    What weighs in a prompt hardly ever matches one of these best, so they need not be kept. All stay where nothing else does.
    Source: Khattab & Zaharia, as above, leave out the punctuation of documents.
    """
    filled = {place for start, end in text.stop_words(chunk) for place in range(start, end)}
    fillers = [start in filled or is_mark(chunk[start:end]) for start, end in spans]
    if not any(fillers) or all(fillers):
        return tokens
    telling = tokens.copy()
    telling[fillers] = 0
    return telling


@lru_cache(maxsize=8_192)
def is_mark(piece: str) -> bool:
    """Say whether a piece of text is nothing but punctuation and symbols."""
    return all(category(character)[0] in "PS" for character in piece)


def token_weights(terms: Sequence[Sequence[str]], idf: Mapping[str, float]) -> list[float]:
    """Return for each token the largest idf among its terms, 0 without any; 1 for all if none has one."""
    weights = [max((idf.get(term, 0.0) for term in own), default=0.0) for own in terms]
    return weights if any(weights) else [1.0] * len(weights)
