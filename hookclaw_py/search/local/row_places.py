"""Which row of a store each vector of an index is, so that what is kept of the index need not repeat the vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from hookclaw_py.model.vectors import Vector
from hookclaw_py.store import packing

Arrays = Mapping[str, npt.NDArray[Any]]
_PIECE = 2048  # rows that are compared together
_TOP = np.float32(127)  # steps that the largest value of a row is


def of(arrays: Arrays, rows: bytes) -> Arrays | None:
    """Return the arrays of an index (``FaissIndex.unchanged``) without those that its store's ``rows`` say as well.

    None where one of its vectors is none of these to the last bit.
    """
    keys, steps, worth = arrays["keys"], arrays["steps"], arrays["worth"]
    try:
        kept, kept_worth = packing.steps_of(rows, steps.shape[1])
    except ValueError:
        return None
    places = {name: n for n, name in enumerate(_names(kept, kept_worth))}
    found = [places.get(name, -1) for name in _names(steps, worth)]
    row = np.array(found, np.int32)
    if len(arrays["places"]) or -1 in found or not _same(steps, worth, kept_worth[row]):
        return None
    return {"keys": keys, "row": row, "rows": _checksum(rows), "dimension": np.array(steps.shape[1])}


def filled(arrays: Arrays, rows: bytes) -> Arrays | None:
    """Return the arrays of the index again; None where the ``rows`` are others by now."""
    if _checksum(rows) != arrays["rows"]:
        return None
    dimension, row = int(arrays["dimension"]), arrays["row"]
    steps, worth = packing.steps_of(rows, dimension)
    none: Arrays = {
        "places": np.empty(0, np.int64),
        "whole": np.empty((0, dimension), np.float32),
        "faiss": np.empty(0, np.uint8),
    }
    return {"keys": arrays["keys"], "steps": steps[row], "worth": worth[row], **none}


def _names(steps: npt.NDArray[np.int8], worth: Vector) -> list[bytes]:
    """Return what tells rows apart: their steps, and their largest value, whatever rounding a step's worth has."""
    told = np.hstack([steps.view(np.uint8), (worth * _TOP).astype("<f4")[:, None].view(np.uint8)])
    joined, width = told.tobytes(), told.shape[1]
    return [joined[start : start + width] for start in range(0, len(joined), width)]


def _same(steps: npt.NDArray[np.int8], worth: Vector, others: Vector) -> bool:
    """Say whether the steps make the same vectors with these others, to the last bit."""
    differ = np.flatnonzero(worth != others)
    pieces = [differ[start : start + _PIECE] for start in range(0, len(differ), _PIECE)]
    return all((steps[rows] * worth[rows, None] == steps[rows] * others[rows, None]).all() for rows in pieces)


def _checksum(rows: bytes) -> npt.NDArray[np.uint32]:
    return np.array(crc32(rows), np.uint32)
