"""A PostgreSQL server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.served import postgres


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with postgres() as server:
        yield server


@pytest.fixture
def uri(server: Any) -> str:
    found: str = server.get_uri()
    return found
