"""Memory and revision: what goes on when its words change, and each wording that it has had.

What was learned of something, marked or said of it hangs on the memory; what is searched and injected are the chunks of its
newest revision.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from hookclaw_py.model.kind import Kind


class MemoryStatus(StrEnum):
    """Whether a memory can be recalled."""

    ACTIVE = "active"
    ENDED = "ended"  # what it stood in is gone; it is active again when its words come back


class Cause(StrEnum):
    """Why there is a revision."""

    WRITTEN = "written"
    EDITED = "edited"
    MOVED = "moved"  # it stands in another file now
    RETURNED = "returned"  # it was gone, and its words are there again


class Memory(NamedTuple):
    """Something remembered: ``revision`` is the number of its newest wording, from 1."""

    id: str
    kind: Kind
    status: MemoryStatus
    revision: int


class Revision(NamedTuple):
    """One wording of a memory: when it was found, why, and the id of the chunk that it was, or is."""

    number: int
    at: datetime
    cause: Cause
    chunk_id: str
