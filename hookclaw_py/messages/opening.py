"""The messages of this home, which its agents share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hookclaw_py.config import Config, home
from hookclaw_py.errors import HookclawError, StoreError
from hookclaw_py.messages.post import Post
from hookclaw_py.store.agents import agent_folder, known_agents
from hookclaw_py.store.database import MailStore, SharedMailStore, opened
from hookclaw_py.store.switches import Switches
from hookclaw_py.store.upkeep import is_there


def has_messages(config: Config) -> bool:
    """Say whether there may be messages: agents have written to each other, or been seen where they can be woken."""
    return bool(config.messages.url) or MailStore.is_at(home())


def open_post(config: Config) -> Post:
    """Open the messages between the agents of this home, made if there are none.

    Raises:
        StoreError: if the database is damaged, locked, not writable, from a newer version, not ours, or away.
        MissingExtraError: if it is PostgreSQL, and its driver is not installed.
    """
    coalesce = timedelta(milliseconds=config.messages.coalesce_ms)
    url = os.path.expandvars(config.messages.url)
    mail = SharedMailStore(url) if url else MailStore.at_home(home())
    return Post(mail, known=lambda: known_agents(home()), coalesce=coalesce)


def counts(config: Config, agent: str) -> Mapping[str, int]:
    """Return what was counted of an agent's messages; nothing where there are none, or they cannot be read: the doctor says so."""
    if not has_messages(config):
        return {}
    try:
        mail = open_post(config).mail
    except HookclawError:
        return {}
    with closing(mail), suppress(HookclawError):
        return mail.counts(agent)
    return {}


def back_up(config: Config, target: Path) -> None:
    """Copy the messages of all agents of this home, while they are used, into one file.

    Raises:
        StoreError: if they cannot be read or the copy not written; if a server keeps them.
    """
    _here(config, "pg_dump backs them up")
    MailStore.back_up(home(), target)


def restore(config: Config, source: Path) -> Path | None:
    """Put a backup in the place of the messages of this home; return where those that were there are kept.

    Raises:
        StoreError: if the file is none of our backups, or they cannot be written; if a server keeps them.
    """
    _here(config, "pg_restore restores them")
    return MailStore.restore(home(), source)


def _here(config: Config, instead: str) -> None:
    if config.messages.url:
        raise StoreError(f"messages between agents are kept where messages.url says: {instead}")


def is_paused(agent: str) -> bool:
    """Say whether an agent is to hear nothing now; where its memory cannot be read a person may have said so, and it hears nothing."""
    try:
        folder = agent_folder(home(), agent)
        now = datetime.now(UTC)
        if Switches(agent, None, home()).paused(now):
            return True
        if not is_there(folder):
            return False
        with opened(folder) as store:
            return Switches(agent, store, None).paused(now) is not None
    except (OSError, StoreError):
        return True
