"""Regular expressions of a module that are compiled when one is first used: a start needs a fifth of the six hundred there are."""

from __future__ import annotations

import re
from typing import Any, cast


def regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` returns, but made when it is first asked for something."""
    return cast("re.Pattern[str]", _Late(expression, flags))


class _Late:
    """Stands for a compiled expression; what was asked of that once is found here without a detour."""

    def __init__(self, expression: str, flags: int) -> None:
        self._given = (expression, flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by copy and pickle, of which an expression knows itself
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        value = getattr(compiled, name)
        if callable(value):
            setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"regex{self._given}"
