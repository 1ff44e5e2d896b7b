"""Switches: what a person switched off, of one agent in its store, of all agents of a home in a small file there."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookclaw_py.errors import StoreError
from hookclaw_py.privacy.files import replace_text
from hookclaw_py.store.pause import PAUSES, Pause, pause_at, pauses
from hookclaw_py.store.ports import Changeable, Facts

if TYPE_CHECKING:
    from filelock import FileLock

log = logging.getLogger("hookclaw")

SWITCH = "capture"
"""The fact that says of what nothing is captured: ``{"off": bool, "sessions": [name, …]}``; a home's names no sessions."""
FILE = "switches.json"
_PATIENCE = 10.0  # seconds for another process that switches something
_AGENTS = "agents"  # in the file: what holds for those that had no store when it was said

_ANY = Pause(datetime.min.replace(tzinfo=UTC), None)
"""What holds where the file cannot be read: a person may have said so."""


class HomeFacts:
    """What holds for every agent of a home, those that come into being later included; or for one that has no store yet."""

    def __init__(self, home: Path, agent: str = "") -> None:
        """Read and write the file in ``home``; there is none before somebody switched something off."""
        self._file, self._agent = home / FILE, agent

    def get_meta(self, key: str, default: Any = None) -> Any:
        """Return the JSON value under ``key``.

        Raises:
            StoreError: if the file cannot be read.
        """
        return self._own(self._read()).get(key, default)

    def set_meta(self, key: str, value: Any) -> None:
        """Put a JSON value under ``key``.

        Raises:
            StoreError: if the file cannot be read or written.
        """
        with self.together():
            told = self._read()
            self._write(told, {**self._own(told), key: value})

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let nobody else change a value until what is read and written inside is written.

        Raises:
            StoreError: if the file cannot be locked.
        """
        from filelock import Timeout

        from hookclaw_py.config import make_private

        try:
            make_private(self._file.parent)
            held = self._lock.acquire()
        except Timeout:
            raise StoreError(f"{self._file}: another process is writing it; wait until it is done, or end it") from None
        except OSError as error:
            raise self._unwritable(error) from error
        with held:
            yield

    def agents(self) -> list[str]:
        """Return the agents that had no store when something was switched off for them.

        Raises:
            StoreError: if the file cannot be read.
        """
        return sorted(self._read().get(_AGENTS, {}))

    def move_to(self, store: Changeable) -> None:
        """Put what was said of an agent before it had a store into that.

        Raises:
            StoreError: if the file or the store cannot be read or written.
        """
        if not self._own(self._read()):
            return
        with self.together():
            told = self._read()
            hold_too(store, self._own(told))
            self._write(told, {})

    @cached_property
    def _lock(self) -> FileLock:
        """The lock of the file; whoever has it can take it once more."""
        from filelock import FileLock

        return FileLock(self._file.with_suffix(".lock"), timeout=_PATIENCE, mode=0o600)

    def _own(self, told: dict[str, Any]) -> dict[str, Any]:
        own: dict[str, Any] = told.get(_AGENTS, {}).get(self._agent, {}) if self._agent else told
        return own

    def _write(self, told: dict[str, Any], own: dict[str, Any]) -> None:
        if self._agent:
            agents = {**told.get(_AGENTS, {}), self._agent: own}
            own = {**told, _AGENTS: {name: facts for name, facts in agents.items() if facts}}
        try:
            replace_text(self._file, json.dumps(own) + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

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

    def _unwritable(self, why: OSError) -> StoreError:
        return StoreError(f"{self._file}: cannot be written: {why.strerror}; check its owner and mode")

    def _unreadable(self, why: object) -> StoreError:
        return StoreError(f"{self._file}: cannot be read: {why}; it says what is switched off: mend it, or delete it")


class Switches:
    """What a person switched off for one agent: by its own switches, and by those of its ``home``, where it has one."""

    def __init__(self, agent: str, own: Facts | None, home: Path | None) -> None:
        self.agent = agent
        self._home = HomeFacts(home) if home else None
        self._own: list[Facts] = [*([own] if own else []), *([HomeFacts(home, agent)] if home else [])]
        self._logged: dict[str, str] = {}

    def pauses(self) -> list[Pause]:
        """Return every pause, those of all agents first.

        Raises:
            StoreError: if the agent's store cannot be read.
        """
        everyone = self._of_all()
        if _ANY in everyone:
            return everyone
        return [*everyone, *(one._replace(agent=self.agent) for facts in self._own for one in pauses(facts))]

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
        elif any(facts.get_meta(SWITCH, {}).get("off") for facts in self._own):
            command = f"hookclaw --agent {self.agent} capture on"
        self._log("capture", f"nothing is captured until `{command}`" if command else "")
        return command

    def without(self) -> tuple[str, ...]:
        """Return the sessions of which nothing is captured.

        Raises:
            StoreError: if the agent's store cannot be read.
        """
        return tuple(name for facts in self._own for name in facts.get_meta(SWITCH, {}).get("sessions", ()))

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


def hold_too(store: Changeable, said: Mapping[str, Any]) -> None:
    """Let what was switched off elsewhere, by the names of the facts that say so, hold in a store as well.

    Raises:
        StoreError: if it cannot be read or written.
    """
    with store.together():
        switch, early = store.get_meta(SWITCH, {}), said.get(SWITCH, {})
        store.set_meta(PAUSES, [*said.get(PAUSES, []), *store.get_meta(PAUSES, [])])
        sessions = list(dict.fromkeys([*switch.get("sessions", []), *early.get("sessions", [])]))
        store.set_meta(SWITCH, {"off": bool(switch.get("off") or early.get("off")), "sessions": sessions})


def switch_capture(facts: Changeable, on: bool, session: str = "") -> None:
    """Capture from now on, or no longer: everything that these facts hold for, or one session.

    Raises:
        StoreError: if they cannot be read or written.
    """
    with facts.together():
        told = facts.get_meta(SWITCH, {})
        if session:
            sessions = [one for one in told.get("sessions", []) if one != session]
            told = {**told, "sessions": sessions if on else [*sessions, session]}
        else:
            told = {**told, "off": not on}
        facts.set_meta(SWITCH, told)
