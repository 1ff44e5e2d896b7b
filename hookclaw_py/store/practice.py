"""What a store knows of skills and plans: how often each was carried out, and how that went."""

from __future__ import annotations

from collections.abc import Iterable

from hookclaw_py.model.practice import Tried
from hookclaw_py.store.sessions import Records


def tried_of(store: Records, ids: Iterable[str]) -> dict[str, Tried]:
    """Return it for each of these memories that is a record."""
    return {record.id: record.tried for record in map(store.record, ids) if record}
