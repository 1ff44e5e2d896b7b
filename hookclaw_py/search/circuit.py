"""The circuit breaker before the vector half: after three failures in a row it is left out for half a minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

import pybreaker

from hookclaw_py.errors import RetrievalError

T = TypeVar("T")


class Circuit(pybreaker.CircuitBreakerListener):
    """Counts failures; ``on_change`` hears of each change of state and when it was (ISO 8601)."""

    def __init__(self, on_change: Callable[[str, str], None]) -> None:
        self._on_change = on_change
        self._breaker = pybreaker.CircuitBreaker(
            fail_max=3, reset_timeout=30, listeners=[self], throw_new_error_on_trip=False
        )

    @property
    def state(self) -> str:
        """The present state: "closed" (asked), "open" (left out) or "half-open" (tried)."""
        state: str = self._breaker.current_state
        return state

    def guard(self, search: Callable[[], T], *, hurried: bool = False) -> T:
        """Run ``search``, or refuse while the circuit is open.

        That one which is ``hurried`` fails says nothing of the half: it opens no circuit.

        Raises:
            RetrievalError: if it is left out; else whatever ``search`` raises.
        """
        if hurried and self.state == pybreaker.STATE_CLOSED:
            return search()
        try:
            with self._breaker.calling():  # holds no lock: a search that hangs does not hold up the others
                return search()
        except pybreaker.CircuitBreakerError as error:
            raise RetrievalError("left out after three failures in a row; tried again within 30 s") from error

    def state_change(self, cb: Any, old_state: Any, new_state: Any) -> None:  # noqa: ARG002
        """Pass on what the breaker tells its listeners."""
        self._on_change(new_state.name, datetime.now(UTC).isoformat())
