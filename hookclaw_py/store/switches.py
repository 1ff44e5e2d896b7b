"""Switches: what a person switched off, of one agent in its store, of all agents of a home in a small file there."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hookclaw_py.errors import StoreError
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.store.pause import Pause, pause_at, pauses
from hookclaw_py.store.ports import Facts

log = logging.getLogger("hookclaw")

SWITCH = "capture"
"""The fact that says of what nothing is captured: ``{"off": bool, "sessions": [name, …]}``; a home's names no sessions."""
FILE = "switches.json"

_ANY = Pause(datetime.min.replace(tzinfo=UTC), None)
"""What holds where the file cannot be read: a person may have said so."""


class HomeFacts:
    """What holds for every agent of a home, those that come into being later included."""

    def __init__(self, home: Path) -> None:
        """Read and write the file in ``home``; there is none before somebody switched something off."""
        self._file = home / FILE

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value under ``key``.

        Raises:
            StoreError: if the file cannot be read.
        """
        return self._read().get(key, default)

    def set_meta(self, key: str, value: Any) -> None:
        """Put a JSON value under ``key``.

        Raises:
            StoreError: if the file cannot be read or written.
        """
        from hookclaw_py.config import make_private

        told = {**self._read(), key: value}
        try:
            make_private(self._file.parent)
            replace_text(self._file, json.dumps(told) + "\n")
        except OSError as error:
            raise StoreError(f"{self._file}: cannot be written: {error.strerror}; check its owner and mode") from error

    def _read(self) -> dict[str, Any]:
        try:
            told = json.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error
        if not isinstance(told, dict):
            raise self._unreadable("it holds no JSON object")
        return told

    def _unreadable(self, why: object) -> StoreError:
        return StoreError(f"{self._file}: cannot be read: {why}; it says what is switched off: mend it, or delete it")


class Switches:
    """What a person switched off for one agent: by its own switches, and by those of its ``home``, where it has one."""

    def __init__(self, agent: str, own: Facts | None, home: Path | None) -> None:
        self.agent, self._own = agent, own
        self._home = HomeFacts(home) if home else None
        self._logged: dict[str, str] = {}

    def pauses(self) -> list[Pause]:
        """Return every pause, those of all agents first.

        Raises:
            StoreError: if the agent's store cannot be read.
        """
        own = [one._replace(agent=self.agent) for one in pauses(self._own)] if self._own else []
        return [*self._of_all(), *own]

    def paused(self, now: datetime) -> Pause | None:
        """Return the pause that is under way.

        Raises:
            StoreError: if the agent's store cannot be read.
        """
        found = pause_at(self.pauses(), now)
        self._log("pause", f"paused {found}: it is told nothing, nothing is captured" if found else "")
        return found

    def not_captured(self) -> str:
        """Return the command that switches capture on again where a person switched it off, "" where nobody did.

        Raises:
            StoreError: if the agent's store cannot be read, or the file of its home.
        """
        command = ""
        if self._home and self._home.get_meta(SWITCH, {}).get("off"):
            command = "hookclaw capture on"
        elif self._own and self._own.get_meta(SWITCH, {}).get("off"):
            command = f"hookclaw --agent {self.agent} capture on"
        self._log("capture", f"nothing is captured until `{command}`" if command else "")
        return command

    def without(self) -> tuple[str, ...]:
        """Return the sessions of which nothing is captured.

        Raises:
            StoreError: if the agent's store cannot be read.
        """
        return tuple(self._own.get_meta(SWITCH, {}).get("sessions", ())) if self._own else ()

    def _log(self, what: str, told: str) -> None:
        """Say why an agent is told or captured nothing, and that it is over: once, not with every prompt."""
        if told != self._logged.get(what, ""):
            self._logged[what] = told
            log.info("hookclaw: agent %s: %s", self.agent, told or f"{what}: it goes on")

    def _of_all(self) -> list[Pause]:
        try:
            return pauses(self._home) if self._home else []
        except (StoreError, ValueError, TypeError):
            return [_ANY]


def switch_capture(facts: Facts, on: bool, session: str = "") -> None:
    """Capture from now on, or no longer: everything that these facts hold for, or one session.

    Raises:
        StoreError: if they cannot be read or written.
    """
    told = facts.get_meta(SWITCH, {})
    if session:
        sessions = [one for one in told.get("sessions", []) if one != session]
        told = {**told, "sessions": sessions if on else [*sessions, session]}
    else:
        told = {**told, "off": not on}
    facts.set_meta(SWITCH, told)
