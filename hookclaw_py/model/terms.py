"""Terms: what a text is found by, as the one tokenizer made them (``hookclaw_py.text``)."""

from __future__ import annotations


class Terms(tuple[str, ...]):
    """The index terms of a text, in order and with repetitions."""

    __slots__ = ()

    @property
    def distinct(self) -> frozenset[str]:
        """Each of them once, in no order; made anew each time, for as a set they take three times the memory."""
        return frozenset(self)


NO_TERMS = Terms()

OPEN, UNDER_WAY, AWAITED = "[open]", "[begun]", "[awaited]"
"""Terms of a passage with a task that is open, begun, or waits for somebody: no word of a text becomes one of them."""
TASKS = frozenset({OPEN, UNDER_WAY, AWAITED})
