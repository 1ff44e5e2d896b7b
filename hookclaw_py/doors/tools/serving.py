"""A tool's call that came from a host."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hookclaw_py.doors.requests import ChatCommand, ToolRequest, Who
from hookclaw_py.doors.sessions import name_of
from hookclaw_py.doors.tools.commands import said
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.table import answered
from hookclaw_py.model.audience import Audience

if TYPE_CHECKING:
    from hookclaw_py.doors.messaging import Messaging
    from hookclaw_py.engine import Engine


def serve(engine: Engine, request: ToolRequest, messaging: Messaging) -> Mapping[str, Any]:
    """Do what an agent asks, in the session that its host names.

    Raises:
        WireError: saying what is wrong, where, and what to do.
    """
    return answered(_desk(engine, request.call, request.call.workspace_dir, messaging), request.asked)


def obey(engine: Engine, command: ChatCommand) -> Mapping[str, Any]:
    """Return what a person is told who gives a command in chat."""
    return {"text": said(_desk(engine, command, ""), command.name, command.arguments)}


def _desk(engine: Engine, who: Who, workspace: str, messaging: Messaging | None = None) -> ToolDesk:
    return ToolDesk(
        engine=engine,
        now=datetime.now(UTC),
        messaging=messaging,
        session=name_of(who),
        audience=Audience.named(who.audience),
        workspace=workspace,
    )
