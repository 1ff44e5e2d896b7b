"""The old OpenClaw releases are only installed and run when they are asked for: ``pytest -m oldhosts``."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "oldhosts: installs and runs old OpenClaw releases; only with -m oldhosts")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "oldhosts" in config.getoption("-m"):
        return
    old = [item for item in items if item.get_closest_marker("oldhosts")]
    if old:
        config.hook.pytest_deselected(items=old)
        items[:] = [item for item in items if item not in old]
