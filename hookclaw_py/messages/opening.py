"""The messages of this home, which its agents share."""

from __future__ import annotations

import os
from datetime import timedelta

from hookclaw_py.config import Config, home
from hookclaw_py.messages.post import Post
from hookclaw_py.store.agents import known_agents
from hookclaw_py.store.database import MailStore, SharedMailStore


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
