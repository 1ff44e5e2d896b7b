"""Findings: what a search found out about the chunks of a pool, in the retrievers' own units."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple


class NullSample(NamedTuple):
    """Mean and standard deviation of the best cosine that prompts without an answer reach in this store."""

    mean: float
    deviation: float


class Findings(NamedTuple):
    """What the search found out about the chunks of a pool, by id, and about the prompt.

    ``asked`` is what each topical term of the prompt weighs, ``known`` are the terms that some chunk of the store holds.
    ``centred`` are the cosines with the prompt seen from the centre of the null sample; ``least`` is the worst match of the
    tokens of words that the store has never heard of.
    """

    asked: Mapping[str, float]
    known: Collection[str]
    unknown: float
    bm25: Mapping[str, float]
    cosines: Mapping[str, float]
    centred: Mapping[str, float]
    late: Mapping[str, float]
    least: Mapping[str, float]
    named: Mapping[str, float]
    null: NullSample | None
    store_size: int
