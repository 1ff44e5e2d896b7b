"""Waiting for something to become so."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(is_so: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Return as soon as ``is_so`` says yes; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)
