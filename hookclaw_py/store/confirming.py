"""Confirming: what of others' words a person confirmed, memory by memory or a whole source; kept with what no file can rebuild."""

from __future__ import annotations

from hookclaw_py.model.origin import Confirmed
from hookclaw_py.store.ports import Facts

CONFIRMED = "confirmed"
"""The fact that says so: ``{"memories": [id, …], "sources": [path, …]}``."""


def confirmed_of(store: Facts) -> Confirmed:
    """Return what a person confirmed."""
    told = store.get_meta(CONFIRMED, {})
    return Confirmed(frozenset(told.get("memories", ())), tuple(told.get("sources", ())))


def keep_confirmed(store: Facts, confirmed: Confirmed) -> None:
    """Remember what a person confirmed."""
    store.set_meta(CONFIRMED, {"memories": sorted(confirmed.memories), "sources": sorted(confirmed.sources)})
