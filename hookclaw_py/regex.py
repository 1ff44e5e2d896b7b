"""Regular expressions of a module that are compiled when one is first used, and that the next process finds compiled.

A start needs a third of the six hundred there are, and to compile these took a fifth of its time. What one is compiled to is kept beside the
bytecode of this module, and as that is: by whoever may write there, for one version of Python, found by the expression itself.
"""

from __future__ import annotations

import atexit
import marshal
import os
import re
import sys
from _thread import allocate_lock  # threading would be loaded for who needs nothing else of it
from array import array
from contextlib import suppress
from typing import Any, NamedTuple, cast
from zlib import crc32

MOST = 2000


def regex(expression: str, flags: int = 0) -> re.Pattern[str]:
    """Return what ``re.compile`` returns, but made when it is first asked for something; of expressions in our code alone, for they are kept."""
    return cast("re.Pattern[str]", _Late(expression, flags, COMPILED))


_Key = tuple[str, int]
_Parts = tuple[Any, ...]


class _Late:
    """Stands for a compiled expression; what was asked of that once is found here without a detour."""

    def __init__(self, expression: str, flags: int, compiled: Compiled) -> None:
        self._given, self._compiled = (expression, flags), compiled

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "pattern":
            return self._given[0]
        value = getattr(self._compiled.get(*self._given), name)
        if callable(value):
            setattr(self, name, value)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return regex, self._given

    def __repr__(self) -> str:
        return f"regex{self._given}"


class _Made(NamedTuple):
    """What an expression is compiled to: all that ``_sre`` makes a pattern of."""

    flags: int
    code: bytes
    groups: int
    numbers: dict[str, int]
    names: tuple[str | None, ...]

    @classmethod
    def of(cls, expression: str, flags: int) -> _Made:
        """Compile an expression as ``re.compile`` does.

        Raises:
            re.error: if it is none.
        """
        from re import _compiler, _parser  # type: ignore[attr-defined]

        parsed = _parser.parse(expression, flags)
        state, code = parsed.state, _compiler._code(parsed, flags)  # noqa: SLF001  # no other way to it
        names: list[str | None] = [None] * state.groups
        for name, number in state.groupdict.items():
            names[number] = name
        return cls(
            int(flags | state.flags), array("I", code).tobytes(), state.groups - 1, dict(state.groupdict), tuple(names)
        )

    def pattern(self, expression: str) -> re.Pattern[str]:
        """Return the pattern.

        Raises:
            RuntimeError: if what it is made of is no code; that is looked through.
        """
        import _sre  # type: ignore[import-not-found]

        code = array("I", self.code).tolist()
        pattern: re.Pattern[str] = _sre.compile(expression, self.flags, code, self.groups, self.numbers, self.names)
        return pattern


class Compiled:
    """Expressions by what they are compiled to, those in ``file`` and new ones; without a file none is kept.

    More than ``most`` are those of many versions of ours: then the file is begun anew.
    """

    def __init__(self, file: str | None, *, most: int = MOST) -> None:
        self._file, self._most = file, most
        self._known: dict[_Key, _Parts | re.Pattern[str]] | None = None
        self._new: dict[_Key, _Parts] = {}
        self._making = allocate_lock()  # one thread makes it, the others wait for that: all at once take as long each

    def get(self, expression: str, flags: int) -> re.Pattern[str]:
        """Return a compiled expression.

        Raises:
            re.error: if it is none.
        """
        key = (expression, int(flags))
        known = self._known.get(key) if self._known is not None else None
        if isinstance(known, re.Pattern):
            return known
        with self._making:
            if self._known is None:
                self._known = {**self._read()}
            known = self._known.get(key)
            if not isinstance(known, re.Pattern):
                self._known[key] = known = self._pattern(key, known)
            return known

    def begin_anew(self) -> None:
        """Let go of what a thread holds that a fork left behind."""
        self._making = allocate_lock()

    def _pattern(self, key: _Key, parts: _Parts | None) -> re.Pattern[str]:
        try:
            if parts is None:
                self._new[key] = parts = tuple(_Made.of(*key))
            return _Made(*parts).pattern(key[0])
        except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):  # a Python that does it otherwise
            self._new.pop(key, None)
            return re.compile(*key)

    def keep(self) -> None:
        """Write down what is new, with what another process has written meanwhile."""
        if not self._new or not self._file or sys.dont_write_bytecode:
            return
        all_of_them = {**self._read(), **self._new}
        content = marshal.dumps((_about(), all_of_them if len(all_of_them) <= self._most else self._new))
        draft = f"{self._file}.{os.getpid()}"
        try:
            with open(draft, "wb") as out:
                out.write(crc32(content).to_bytes(4, "little") + content)
            os.replace(draft, self._file)
        except OSError:  # the next start takes longer, nothing else
            with suppress(OSError):
                os.unlink(draft)

    def _read(self) -> dict[_Key, _Parts]:
        """Return what is kept, nothing where that is damaged or of another Python."""
        with suppress(OSError, ValueError, EOFError, TypeError, ImportError, AttributeError):
            with open(self._file or "", "rb") as file:
                checksum, content = file.read(4), file.read()
            if int.from_bytes(checksum, "little") == crc32(content):
                about, kept = marshal.loads(content)
                return dict(kept) if about == _about() else {}
        return {}


def _about() -> tuple[Any, ...]:
    """Return all that code depends on beside the expression."""
    import _sre

    return sys.version, sys.byteorder, _sre.MAGIC, _sre.CODESIZE, array("I").itemsize


def _beside() -> str | None:
    """Return the file, None where Python keeps no bytecode."""
    beside = __spec__.cached if __spec__ else None
    return f"{beside}.expressions" if beside else None


COMPILED = Compiled(_beside())
atexit.register(COMPILED.keep)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPILED.begin_anew)
