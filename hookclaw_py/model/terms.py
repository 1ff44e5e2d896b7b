"""Terms: what a text is found by, as the one tokenizer made them (``hookclaw_py.text``)."""

from __future__ import annotations

from functools import cached_property


class Terms(tuple[str, ...]):
    """The index terms of a text, in order and with repetitions."""

    @cached_property
    def distinct(self) -> frozenset[str]:
        """Each of them once, in no order."""
        return frozenset(self)


NO_TERMS = Terms()
