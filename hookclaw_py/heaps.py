"""The C library's heaps: one, in a process that stays, for what a thread gave back is of use to the others of its heap only."""

from __future__ import annotations

import ctypes
import os
from typing import Any

_M_ARENA_MAX = -8  # of glibc's malloc.h


def share_a_heap() -> None:
    """Let all threads of this process share one heap; to be called before there are many of them.

    By itself glibc makes eight for each core, and each keeps what the largest recall and reading that ever ran there took. Nothing changes
    where the variable MALLOC_ARENA_MAX says otherwise, or the C library has no such heaps.
    """
    mallopt = _of_the_c_library("mallopt")
    if mallopt is not None and "MALLOC_ARENA_MAX" not in os.environ:
        mallopt(_M_ARENA_MAX, 1)


def give_back() -> None:
    """Give the system what was freed and is kept for the next time; for after what is done once, and took much.

    By itself the C library gives back only what lies at a heap's end.
    """
    malloc_trim = _of_the_c_library("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _of_the_c_library(name: str) -> Any:
    """Return one of its functions; None where it has none of that name."""
    return getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None
