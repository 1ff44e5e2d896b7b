"""Shared: what all engines of a process use together, made once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from hookclaw_py.errors import ModelError
from hookclaw_py.threads import SHARED, NoThread

Key = TypeVar("Key")
Value = TypeVar("Value")


def once(make: Callable[[], Value]) -> Callable[[], Value]:
    """Return what gives what ``make`` makes: when it is first asked for, once, by one thread."""
    made, making = list[Value](), threading.Lock()

    def given() -> Value:
        with making:
            if not made:
                made.append(make())
            return made[0]

    return given


class Shared(Generic[Key, Value]):
    """What all engines of a process share: made once for each key, by one thread, and let go of together."""

    def __init__(self, let_go: Callable[[Value], None] | None = None) -> None:
        self._made: dict[Key, Value] = {}
        self._making = threading.Lock()
        self._let_go = let_go

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return what was made for ``key``, now or before; what fails is made again the next time."""
        with self._making:
            if key not in self._made:
                self._made[key] = make()
            return self._made[key]

    def begin(self, key: Key, make: Callable[[], Value]) -> None:
        """Have it made on another thread; who asks for it waits, and is told what went wrong when it fails again."""

        def work() -> None:
            with suppress(ModelError, ImportError):
                self.get(key, make)

        if key not in self._made:
            with suppress(NoThread):
                SHARED.run("loading", work)

    def close(self) -> None:
        """Let go of everything; what is asked for afterwards is made anew."""
        with self._making:
            made, self._made = self._made, {}
        if self._let_go:
            for value in made.values():
                self._let_go(value)
