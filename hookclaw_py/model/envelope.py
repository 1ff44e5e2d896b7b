"""Envelope: what a host wraps around a prompt. Who takes prompts in is handed one; what the wrapping looks like, the host's folder knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from hookclaw_py.model.reason import Why


class AutomaticKind(Protocol):
    """Says what kind of automatic turn a prompt is; None = a person's."""

    def __call__(self, text: str, trigger: str, *, unwrapped: str | None = None) -> Why | None:
        """Judge ``text`` as received; ``trigger`` is the host's word for why the turn runs, ``unwrapped`` what is left of the text."""
        ...


class Envelope(NamedTuple):
    """How it is taken off, and how one sees that the host itself is speaking."""

    unwrap: Callable[[str], str]
    automatic_kind: AutomaticKind
