"""An agent that calls tools on an engine, as its host says who asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.config import Config
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.protocol import filled
from hookclaw_py.doors.tools.desk import ToolDesk
from hookclaw_py.doors.tools.table import TOOLS, answered
from hookclaw_py.engine import Engine
from hookclaw_py.model.audience import Audience
from tests.conftest import FILLERS, NOW, write_notes


class Agent:
    """Calls tools on an engine, as its host says who asks."""

    def __init__(self, engine: Engine, workspace: Path = Path("/home/me/lantern")) -> None:
        self.engine, self.workspace = engine, workspace

    def desk(self, *, now: Any = NOW, audience: Audience = Audience.OWNER, session: str = "s1") -> ToolDesk:
        return ToolDesk(engine=self.engine, now=now, session=session, audience=audience, workspace=str(self.workspace))

    def call(self, tool: str, *, now: Any = NOW, audience: Audience = Audience.OWNER, **given: Any) -> Any:
        """Call a tool."""
        return answered(self.desk(now=now, audience=audience), filled(TOOLS[tool].shape, given))

    def refused(self, tool: str, **given: Any) -> tuple[Code, str]:
        """Call a tool that refuses; return its code and words."""
        with pytest.raises(WireError) as error:
            self.call(tool, **given)
        return error.value.code, str(error.value)


def engine(folder: Path) -> Engine:
    """Open an engine with the real model, and notes about other things."""
    notes = write_notes(folder / "notes", {f"{word}.md": f"All about {word} and nothing else.\n" for word in FILLERS})
    opened = Engine.open(Config(timezone="UTC"), folder=folder / "store", strict=True)
    opened.index(notes)
    return opened
