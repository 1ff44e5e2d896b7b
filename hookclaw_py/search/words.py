"""The table of a model's words, left in its file: rows are read as texts come that have them.

A table that is mapped is soon resident as a whole, 25 MB: the system maps many neighbours of a row with it, up to a megabyte, and the next
word is elsewhere.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hookclaw_py.errors import RetrievalError

MOST = 4_096
"""Rows that are kept for the next texts, 2 MB; when they are more, all are let go: a row is read again in a microsecond."""


class Words:
    """The rows of a table of int8 that begins at byte ``offset`` of a file, ``width`` values each. Any number of threads may ask it."""

    def __init__(self, file: Path, offset: int, width: int, *, most: int = MOST) -> None:
        self._path, self._offset, self._width, self._most = file, offset, width, most
        self._file = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._file)
        self._kept: dict[int, bytes] = {}

    def of(self, ids: Sequence[int]) -> npt.NDArray[np.int8]:
        """Return the rows of a text's tokens, shape (1, len(ids), width).

        Raises:
            RetrievalError: if one cannot be read.
        """
        kept = self._kept
        for one in set(ids).difference(kept):
            kept[one] = self._read(one)
        rows = b"".join([kept[one] for one in ids])
        if len(kept) > self._most:
            self._kept = {}
        return np.frombuffer(rows, np.int8).reshape(1, len(ids), self._width)

    def _read(self, one: int) -> bytes:
        try:
            row = os.pread(self._file, self._width, self._offset + one * self._width)
        except OSError as error:
            raise RetrievalError(f"{self._path}: cannot be read: {error.strerror}") from error
        if len(row) != self._width:
            raise RetrievalError(f"{self._path}: ends before the row of word {one}")
        return row
