"""Tokens: who holds one speaks for its agent's owner. Each agent's lies beside its store, for its owner only."""

from __future__ import annotations

import hmac
import logging
import secrets
from pathlib import Path

from hookclaw_py.config import home, make_private
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.store.agents import AGENT_ID, agent_folder

log = logging.getLogger("hookclaw")

FILE = "http.token"
_OTHERS = 0o077


def token_of(agent: str) -> str:
    """Return an agent's token, made if there is none; one that others could read is replaced.

    Raises:
        StoreError: if ``agent`` is no agent id.
    """
    file = agent_folder(home(), agent) / FILE
    if secret := _kept(file):
        return f"{agent}.{secret}"
    make_private(file.parent)
    secret = secrets.token_urlsafe(32)
    replace_text(file, f"{secret}\n")
    return f"{agent}.{secret}"


def agent_of(token: str) -> str:
    """Return the agent that a token names; "" of one that is none."""
    agent, _, given = token.rpartition(".")
    if not AGENT_ID.fullmatch(agent):
        return ""
    kept = _kept(agent_folder(home(), agent) / FILE)
    return agent if kept and hmac.compare_digest(kept.encode(), given.encode()) else ""


def _kept(file: Path) -> str:
    """Return what a token's file holds; "" of none, and of one that is open to others."""
    try:
        if file.stat().st_mode & _OTHERS:
            log.warning(
                "hookclaw: %s was open to other users and counts no more; `hookclaw viewer` makes a new one", file
            )
            return ""
        return file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
