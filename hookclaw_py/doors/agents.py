"""The agents of one host: a configuration for all, a resident engine for each, made when it is first asked for."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.residents import Emit, NotReady, Resident, Staff
from hookclaw_py.errors import ConfigError
from hookclaw_py.hosts.caller import home_folder
from hookclaw_py.workers import Worker

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Engine

T = TypeVar("T")
log = logging.getLogger("hookclaw")

_READING = 60.0  # seconds that a first reading holds up that of the next agent
_RETIRING = 10.0  # seconds for the recalls that still use an engine when its configuration changes


class Agents:
    """All engines of this process. Safe to use from threads."""

    def __init__(self, *, config_file: Path | None, emit: Emit, watching: bool) -> None:
        self._config_file, self._emit = config_file, emit
        self._given: Mapping[str, Any] = {}
        self._config: Config | None = None
        self._problems: list[str] = []
        self._read_at: tuple[int, int] | None = None
        self._residents: dict[str, Resident] = {}
        self._lock = threading.RLock()
        self._reader, self._closer, self._staff = Worker("roster"), Worker("retire"), Staff(watching=watching)

    @property
    def configured(self) -> bool:
        """Say whether there is a configuration to work with."""
        return self._config is not None

    @property
    def problems(self) -> list[str]:
        """What is wrong with the configuration."""
        return self._problems

    def warm(self) -> None:
        """Load the libraries in the background, so that the first prompt finds them there."""
        self._staff.opener.put(_import_engine)

    def configure(self, given: Mapping[str, Any] | None) -> Config:
        """Read the configuration anew, ``given`` on top (None: what was given last); engines of another one are closed.

        Raises:
            ConfigError: if it cannot be used; until a good one comes there is no memory.
        """
        from hookclaw_py.config import Config

        with self._lock:
            self._given = self._given if given is None else given
            before, self._read_at = self._config, self._stamp()
            try:
                self._config, self._problems = Config.load(self._config_file, **self._given), []
            except ConfigError as error:
                self._config, self._problems = None, error.problems
                log.error("hookclaw: the configuration cannot be used: %s", "; ".join(error.problems))
                self._retire()
                raise
            if before is not None and before.fingerprint != self._config.fingerprint:
                self._retire()
            return self._config

    def settings(self) -> Config:
        """Return the configuration; an edited file is read first.

        Raises:
            NotReady: if it cannot be used.
        """
        with self._lock:
            config = self._config
            try:
                if (config is None and not self._problems) or self._stamp() != self._read_at:
                    config = self.configure(None)
            except ConfigError:
                config = None
            if config is None:
                raise NotReady("the configuration cannot be used: " + "; ".join(self._problems))
            return config

    def resident(self, agent_id: str) -> Resident:
        """Return the agent's resident engine, on its way if need be.

        Raises:
            NotReady: if the configuration cannot be used.
        """
        with self._lock:
            config = self.settings()
            found = self._residents.get(agent_id)
            if found is None or found.failed:
                found = self._residents[agent_id] = Resident(
                    agent_id,
                    lambda: open_engine(config, agent_id, hosted=True),
                    staff=self._staff,
                    emit=self._emit,
                )
            return found

    def ask(self, agent_id: str, question: Callable[[Engine], T], workspace: str = "") -> T:
        """Ask an agent's engine.

        Raises:
            WireError: if it cannot be asked now.
        """
        try:
            with self.resident(agent_id).using(workspace, timeout=None) as engine:
                return question(engine)
        except NotReady as error:
            raise WireError(Code.INTERNAL_ERROR, str(error)) from None

    def read(self, agent_id: str, workspace: str) -> None:
        """Have an agent's notes read in the background, one agent after the other; prompts do not wait for their turn."""
        self._reader.put(self._read, agent_id, workspace)

    def _read(self, agent_id: str, workspace: str) -> None:
        try:
            resident = self.resident(agent_id)
        except NotReady as error:
            log.warning("hookclaw: %s", error)
            return
        resident.read(workspace, timeout=_READING)

    def residents(self) -> dict[str, Resident]:
        """Return those that were asked for so far, by agent id."""
        with self._lock:
            return dict(self._residents)

    def close(self, within: float) -> bool:
        """Close every engine in ``within`` seconds; False if one is still busy then."""
        with self._lock:
            residents, self._residents = list(self._residents.values()), {}
        self._reader.close(0, drop=True)
        self._closer.close(0)
        self._staff.close()
        return _close(residents, within)

    def _stamp(self) -> tuple[int, int] | None:
        """Return what changes when the configuration's file does; None while there is none."""
        file = self._config_file or Path(home_folder()) / "config.toml"
        try:
            found = file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def _retire(self) -> None:
        retired, self._residents = list(self._residents.values()), {}
        if retired:
            self._closer.put(_close, retired, _RETIRING)


def open_engine(config: Config, agent_id: str, *, hosted: bool = False) -> Engine:
    """Open one agent's engine; a function of its own so that the thread which opens is the one which imports."""
    from hookclaw_py.engine import Engine

    return Engine.open(config, agent=agent_id, hosted=hosted)


def _close(residents: list[Resident], within: float) -> bool:
    until = monotonic() + within
    for resident in residents:
        resident.stop()
    closed = [resident.close(max(0.0, until - monotonic())) for resident in residents]
    return all(closed)


def _import_engine() -> None:
    import hookclaw_py.engine  # noqa: F401

    gc.freeze()  # what a library made stays: looked through for garbage in the middle of a prompt it took 50 ms, now 10
