"""Constants: what decides whether to speak beside the weights of the evidence, and is fitted with them."""

from __future__ import annotations

from typing import NamedTuple


class Constants(NamedTuple):
    """What else decides whether to speak, fitted or chosen with the weights.

    A null sample's mean gains ``growth`` deviations with each doubling of a store, up to ``grown`` chunks; stores below ``fewest``
    were not measured, and are taken for this size. Words are as rare as if ``prior_chunks`` chunks more were there: three notes say
    little about that. Two tokens of a cosine of ``alike`` may well mean the same. ``least_deviation``: the null sample of a few
    chunks can be narrower than the noise of a cosine. The relevance makes up ``absolute`` of the score that orders, the rest has
    fallen by a factor of e at ``spread`` logits behind the best. What lies below ``company`` of the best score is right too
    rarely to be worth its tokens, and beside a best of a relevance above ``strong`` at most ``beside_strong`` chunks are shown in all.
    """

    growth: float
    grown: int
    fewest: int
    prior_chunks: int
    alike: float
    least_deviation: float
    absolute: float
    spread: float
    company: float
    strong: float
    beside_strong: int
