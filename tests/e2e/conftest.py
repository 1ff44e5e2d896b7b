"""The same tests on the other database: ``pytest --database postgresql tests/e2e``."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.store import placing, upkeep
from tests.e2e.gateway.model_server import ModelServer
from tests.served import postgres, space_of


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about files, where a server keeps the memories."""
    if config.getoption("database") != "sqlite":
        kept = [item for item in items if not item.get_closest_marker("sqlite")]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of the server that keeps every memory; "" where each is a file."""
    if request.config.getoption("database") == "sqlite":
        yield ""
        return
    with postgres() as server:
        yield server.get_uri()


@pytest.fixture(scope="session", autouse=True)
def _on_the_database(database: str) -> Iterator[None]:
    """Keep the memories of every engine, here and in processes, on the server, those of each home apart."""
    if not database:
        yield
        return
    keep, find, start = upkeep.keep, upkeep.find, subprocess.Popen.__init__

    def here(verb: Any) -> Any:
        def there(folder: Path, url: str, space: str, **how: Any) -> None:
            if url and url != database:
                verb(folder, url, space, **how)
            elif placing.elsewhere(folder) is None and not upkeep.is_there(folder):  # what was moved here stays here
                verb(folder, database, space_of(folder.parents[folder.parent.name == "agents"]), **how)

        return there

    def started(self: Any, *arguments: Any, env: Any = None, **options: Any) -> None:
        env = dict(os.environ if env is None else env)
        if home := env.get("HOOKCLAW_HOME"):
            env |= {"HOOKCLAW_STORE__URL": database, "HOOKCLAW_STORE__SPACE": space_of(Path(home))}
        start(self, *arguments, env=env, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upkeep, "keep", here(keep))
        patch.setattr(upkeep, "find", here(find))
        patch.setattr(subprocess.Popen, "__init__", started)
        yield


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    """What stands for a language model to a gateway."""
    with ModelServer() as server:
        yield server
