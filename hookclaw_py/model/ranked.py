"""What a recall has found and what of it is worth telling: the values between its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hookclaw_py.model.types import Candidate


class Ranked(NamedTuple):
    """What a search came to: candidates best first, whether any retriever answered, what a person blocked, what is outdated or held back."""

    candidates: Sequence[Candidate]
    answered: bool
    blocked: Sequence[Candidate] = ()
    outdated: Sequence[Candidate] = ()
    held: Sequence[Candidate] = ()

    @property
    def gone(self) -> tuple[Candidate, ...]:
        """What is no candidate any more."""
        return (*self.outdated, *self.blocked, *self.held)


class Selected(NamedTuple):
    """What is worth telling, in its order, what the conversation holds of it already, and what else was left out."""

    chosen: Sequence[Candidate]
    said: Sequence[Candidate]
    left_out: Sequence[Candidate]
    only_said: bool

    @property
    def gone(self) -> tuple[Candidate, ...]:
        """What is not chosen."""
        return (*self.left_out, *self.said)
