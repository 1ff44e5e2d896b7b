"""Our stores, put through what every store promises."""

from __future__ import annotations

from pathlib import Path

from hookclaw_py.store.database import Store
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.testing.stores import StoreContract
from tests.contract.moving import Moving


class TestOnDisk(Moving, StoreContract):
    def open_store(self, folder: Path) -> AgentStore:
        return Store.open(folder)


class TestInMemory(Moving, StoreContract):
    def open_store(self, folder: Path) -> AgentStore:
        return Store.open(None)
