"""Desk: what a tool's call is answered with: the agent's engine, who calls, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hookclaw_py.capture.policy import is_secret
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.ids import is_id
from hookclaw_py.model.record import Record
from hookclaw_py.model.types import Prompt
from hookclaw_py.stages.visibility import viewer_of

if TYPE_CHECKING:
    from hookclaw_py.doors.messaging import Messaging
    from hookclaw_py.engine import Engine
    from hookclaw_py.store.ports import AgentStore

ACTOR = "an agent"
"""Who did it, in a record's history."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDesk:
    """What answers one call. Agent, session and audience are the host's word, never a parameter of the tool."""

    engine: Engine
    now: datetime
    session: str = ""
    audience: Audience = Audience.OWNER
    workspace: str = ""
    messaging: Messaging | None = None
    """What agents write to each other, where this door carries that."""

    @property
    def store(self) -> AgentStore:
        """The agent's store."""
        return self.engine.store

    @property
    def project(self) -> str:
        """What the agent works on, unless it says otherwise: the name of its workspace, else its own."""
        folder = self.workspace or self.engine.workspace or ""
        return Path(folder).name or self.engine.agent

    def of_caller(self, instance_id: str) -> None:
        """See to it that nobody asks in another's name.

        Raises:
            WireError: if somebody does.
        """
        mine = {self.engine.agent, self.engine.agent.partition("@")[0]}
        if instance_id and instance_id not in mine:
            raise WireError(
                Code.FORBIDDEN, f"instance_id: you are {self.engine.agent}, not {instance_id[:80]!r}; leave it out"
            )

    def for_owner(self, tool: str) -> None:
        """See to it that only a session of the owner's reaches what is the owner's alone, and in a pause none.

        Raises:
            WireError: if it is somebody else's, or the host does not say whose; or if the memory is paused.
        """
        policy = POLICIES[self.audience]
        if not policy.hears_everything:
            raise WireError(
                Code.FORBIDDEN, f"{tool}: this session is heard by {policy.called}; ask in the owner's own sessions"
            )
        self.unpaused()

    def unpaused(self) -> None:
        """See to it that nothing is told or kept that is not to be.

        Raises:
            WireError: if the person has paused the memory.
        """
        if paused := self.engine.switches.paused(self.now):
            raise WireError(
                Code.UNAVAILABLE, f"the memory is paused {paused}: nothing is told or kept; tell the person so"
            )

    def own_file(self, given: str, called: str) -> Path:
        """Return a file of the caller's own workspace.

        Raises:
            WireError: if it lies elsewhere, is one of secrets, or is no plain file.
        """
        workspace = self.workspace or self.engine.workspace or ""
        root = Path(workspace).resolve()
        file = (root / given).resolve()
        inside = workspace and file.is_relative_to(root)
        if not inside or is_secret(str(file), self.engine.config.capture.refuse):
            told = f"{called}: {given[:200]!r} is not in your workspace, or is none that may be kept"
            raise WireError(Code.FORBIDDEN, told)
        if not file.is_file():  # a pipe would be waited for
            raise WireError(Code.NOT_FOUND, f"{called}: {given[:200]!r} is no file")
        return file

    def prompt(self, words: str) -> Prompt:
        """Return what is asked, of nobody's turn: what a tool tells is no part of what was injected into one."""
        return Prompt(words, self.now, agent_id=self.engine.agent, audience=self.audience)

    def sees(self, record: Record) -> bool:
        """Say whether this session may hear of a record."""
        return viewer_of(self.audience, self.session).sees(record.reach)

    def record(self, memory_id: str) -> Record:
        """Return the record of this id.

        Raises:
            WireError: if there is none.
        """
        found = self.store.record(memory_id) if is_id(memory_id) else None
        if found is None or not self.sees(found):
            raise WireError(
                Code.NOT_FOUND, f"Memory {memory_id} not found; ids come from memory_recall and memory_recent"
            )
        return found
