"""How often our own functions are called: for tests of what must not be done twice, or to everything."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def calls() -> Iterator[Counter[str]]:
    """Count the calls that this thread makes meanwhile, by name."""
    counted: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and "hookclaw_py" in frame.f_code.co_filename:
            counted[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield counted
    finally:
        sys.setprofile(before)
