"""Whose a store is: its agent's id, and where two hosts have an agent of that name, which host's (``main@work``)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hookclaw_py.errors import StoreError
from hookclaw_py.regex import regex

if TYPE_CHECKING:
    from hookclaw_py.store.ports import AgentStore

AGENT_ID = regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}(?:@[A-Za-z0-9_][A-Za-z0-9_.-]{0,39})?")
"""An agent's id, then @ and its host's profile unless that is the usual one."""


def agent_folder(home: Path, agent_id: str) -> Path:
    """Return the folder of one agent's store.

    Raises:
        StoreError: if there is no agent id, or it cannot be a folder's name.
    """
    if not AGENT_ID.fullmatch(agent_id):
        raise StoreError(
            f"{agent_id!r} is no agent id: use up to 64 letters, digits and _ . - that do not begin with . or -"
            " (then @PROFILE for a host's other profile)"
        )
    return home / "agents" / agent_id


def home_of(folder: Path) -> Path | None:
    """Return the home that an agent's folder lies in; None for a folder elsewhere."""
    return folder.parents[1] if folder.parent.name == "agents" else None


def agent_in_host(agent_id: str) -> str:
    """Return what the host itself calls the agent: its id without the profile."""
    return agent_id.partition("@")[0]


def known_agents(home: Path) -> list[str]:
    """Return the ids of all agents that have a store, main first."""
    from hookclaw_py.store.upkeep import is_there

    found = []
    for folder in home.glob("agents/*"):
        with suppress(OSError):  # of a folder that cannot be looked into, nothing is known
            if is_there(folder):
                found.append(folder.name)
    return sorted(found, key=lambda agent: (agent_in_host(agent) != "main", agent))


def refuse_look_alike(folder: Path) -> None:
    """Refuse to make a store beside one whose id differs by letter case only: on many systems they were one folder.

    Raises:
        StoreError: naming the one that is there.
    """
    try:
        if folder.exists():
            return
        beside = [other.name for other in folder.parent.iterdir() if other.name.lower() == folder.name.lower()]
    except OSError:
        return  # nothing there yet; or opening it says what is wrong
    if beside:
        raise StoreError(
            f"agent {folder.name} differs from agent {beside[0]} by letter case only, and they would share a folder "
            f"on some systems: use {beside[0]}, or another id",
            at_shell=f"--agent {beside[0]}",
        )


def claim(store: AgentStore, agent_id: str, *, first: str) -> None:
    """Tie a store to its agent; one from before stores knew whose they are becomes the ``first`` one's.

    Raises:
        StoreError: if it is another agent's.
    """
    owner = store.get_meta("agent")
    if owner is None:
        owner = first
        with suppress(StoreError):  # one that cannot be written now is claimed the next time
            store.set_meta("agent", owner)
    if owner != agent_id:
        raise StoreError(
            f"{store.place} holds the memory of agent {owner}, not of {agent_id}, and answers nobody else: "
            f"open it as {owner}, or use another folder",
            at_shell=f"--agent {owner}",
        )
