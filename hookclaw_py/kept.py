"""What was read out of whole texts, kept for the next prompts: of few of them, for each is kept with its text."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Found = TypeVar("Found")

TEXTS = 1_024
"""Texts of which it is kept, a few KB each: those of two dozen pools. Notes that change are new texts, and fill what is there."""


def of_texts(read: Callable[Given, Found]) -> Callable[Given, Found]:
    """Return ``read``, which remembers what it found in the last ``TEXTS`` texts that it was given."""
    return cast("Callable[Given, Found]", lru_cache(maxsize=TEXTS)(read))
