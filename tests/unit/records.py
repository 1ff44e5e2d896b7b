"""Records for tests: one with all that a test does not care about filled in."""

from __future__ import annotations

from typing import Any

from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import KINDS, Kind
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Record
from hookclaw_py.model.salience import Salience
from tests.conftest import NOW


def record(kind: str = "fact", body: str = "Redis is a database", salience: float = 1.0, **fields: Any) -> Record:
    """Return a record, made and last said now."""
    given = {
        "id": f"{kind}-{body}",
        "about": body,
        "title": "",
        "said_by": Speaker.PERSON,
        "confidence": 0.8,
        "level": Level.LOW,
        "first_at": NOW,
        "at": NOW,
    }
    return Record(kind=KINDS.get(kind) or Kind(kind), body=body, salience=Salience(salience, NOW), **given | fields)
