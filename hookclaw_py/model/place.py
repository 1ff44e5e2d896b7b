"""Place: where a chunk stands. Each kind of memory has places of one class (``model.kind``)."""

from __future__ import annotations

from typing import NamedTuple

NOTE_SUFFIXES = (".md", ".markdown", ".txt", ".org")
"""How the names of a person's files of notes end."""


class FilePlace(NamedTuple):
    """Lines of a file: the first and the last, from 1; (0, 0) is no line in particular. ``path`` is as the store names it."""

    path: str
    lines: tuple[int, int]

    def __str__(self) -> str:
        return _told(self)


class TurnPlace(NamedTuple):
    """Turns of a recorded session: the lines that they take in its transcript."""

    path: str
    lines: tuple[int, int]

    def __str__(self) -> str:
        return _told(self)


class RecordPlace(NamedTuple):
    """A record of its own, which no file holds: ``path`` is ``record:KIND/ID``."""

    path: str
    lines: tuple[int, int] = (0, 0)

    def __str__(self) -> str:
        return self.path


Place = FilePlace | TurnPlace | RecordPlace


def _told(place: Place) -> str:
    first, last = place.lines
    return f"{place.path}:{first}-{last}" if last else place.path
