"""Desk: what answers one request: the agent's engine, and what lies beside it. And what can be wrong with a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from hookclaw_py.errors import HookclawError, StoreError

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.doors.service import Service
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.ports import AgentStore

T = TypeVar("T")


class NotThere(HookclawError):
    """What a request is about is not there."""


class Unfit(HookclawError):
    """A request says something that makes no sense here."""


class WebReply:
    """An answer that is no JSON of 200: another status, or text with headers."""

    def __init__(self, body: object, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.body, self.status, self.headers = body, status, headers or {}


@dataclass(frozen=True, slots=True)
class Desk:
    """What a request is answered with. The agent is the one that the token names, never a parameter."""

    agent: str
    engine: Engine
    service: Service
    folder: Path
    now: datetime

    @property
    def store(self) -> AgentStore:
        """The agent's store."""
        return self.engine.store

    @property
    def config(self) -> Config:
        """The configuration that the engine works with."""
        return self.engine.config

    def is_about(self, project: str) -> bool:
        """Say whether this memory is of the ``project``: the agent itself, one of its folders, or the name of one."""
        folders = [Path(folder) for folder in self.engine.folders]
        return project in ("", self.agent, *map(str, folders), *(folder.name for folder in folders))


def there(look: Callable[[], T]) -> T:
    """Return what was looked up by a name that somebody gave.

    Raises:
        NotThere: if there is no such thing.
    """
    try:
        return look()
    except StoreError as error:
        raise NotThere(str(error)) from None
