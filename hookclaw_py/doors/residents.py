"""Engines that stay: one per agent, opened, indexed and kept fresh in the background, so that no prompt waits for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookclaw_py.doors import answers
from hookclaw_py.doors.keeping import Keeping
from hookclaw_py.doors.resting import NotReady as NotReady
from hookclaw_py.doors.resting import OnCall, Roster
from hookclaw_py.errors import HookclawError, StoreError
from hookclaw_py.heaps import give_back
from hookclaw_py.trace import Trace
from hookclaw_py.turns import InTurn
from hookclaw_py.workers import NoThread, Worker

if TYPE_CHECKING:
    from hookclaw_py.engine import Engine
    from hookclaw_py.ingest.indexer import IndexReport
    from hookclaw_py.ingest.watches import Watches

log = logging.getLogger("hookclaw")

Emit = Callable[[str, Mapping[str, Any]], None]
"""Tells the host of an event: its name and parameters."""

_TOGETHER = 0.5  # seconds in which what is captured is worked off together
_LOOKED_AT = 60.0  # seconds after which the queue is looked at again while somebody else is at work on it
_GIVING_BACK = 32  # answers after which freed memory is given back: it takes two milliseconds, and answers leave 10 MB within so many
_COUNTED = ("files", "conversations", "chunks", "embedded")
_SIDE_BY_SIDE = 2  # agents whose notes are read at a time, beside those that have taken _AT_LENGTH
_AT_LENGTH = 5.0  # seconds
_PATIENCE = 60.0  # seconds that what nobody waits for waits until an engine that rested is open


class Staff:
    """What does the work of all residents of a process that nobody waits for."""

    def __init__(
        self, *, watching: bool, roster: Roster | None = None, give_back: Callable[[], None] = give_back
    ) -> None:
        """With ``watching`` notes are read when they change, else when somebody asks for it; the ``roster`` says who rests.

        ``give_back`` hands freed memory to the system.
        """
        self.opener, self.queue, self.model = Worker("open"), Worker("queue"), Worker("model")
        self.turns = InTurn("keep", width=_SIDE_BY_SIDE, patience=_AT_LENGTH)
        self.roster = roster or Roster()
        self.watching = watching
        self._answers, self._give_back = count(1), give_back

    def answered(self) -> None:
        """Give the system back, now and then, what answers took: freed, it lies scattered between what stays, and the C library keeps it."""
        if next(self._answers) % _GIVING_BACK == 0:
            self.queue.soon(self._give_back)

    @cached_property
    def watches(self) -> Watches:
        """The one watch of all their folders; where none is open, its library is not even loaded."""
        from hookclaw_py.ingest.watches import Watches

        return Watches()

    def close(self) -> None:
        """End it; what was not begun is not done any more."""
        self.turns.close()
        self.roster.close()
        if "watches" in vars(self):
            self.watches.close()
        for worker in (self.opener, self.queue, self.model):
            worker.close(0, drop=True)


class Resident:
    """One agent's engine. Recalls ask for it with ``using``; indexing and watching never hold them up.

    One that nobody asks for a while rests; its notes are watched all the same, and it is opened for what is to be done.
    """

    def __init__(
        self,
        agent_id: str,
        opening: Callable[[], Engine],
        *,
        staff: Staff,
        emit: Emit,
    ) -> None:
        self.agent_id = agent_id
        self.problem = ""
        self.recalls = 0
        self.last_recall_at: datetime | None = None
        self._emit = emit
        self._told_once = self._closing = False
        self._refused, self._changing = "", threading.Lock()
        self._queue, self._model, self._answered = staff.queue, staff.model, staff.answered
        self._keeping = Keeping(
            agent_id,
            partial(self.using, "", timeout=_PATIENCE, asked=False),
            turns=staff.turns,
            watches=(lambda: staff.watches) if staff.watching else None,
            told=self._tell,
            rests=lambda: self._on_call.rests,
            complain=self._complain,
        )
        self._on_call = OnCall(
            agent_id,
            opening,
            opener=staff.opener,
            roster=staff.roster,
            told=self._opened,
            changed=self._keeping.again,
        )
        self._on_call.opened().add_done_callback(lambda _: self.work_off_soon())  # what an earlier process left

    def _opened(self, problem: str) -> None:
        """Tell what keeps the engine from being opened, until nothing does."""
        if problem:
            self._complain(problem)
        elif self.problem == self._refused:
            self._go_on()
        self._refused = problem

    @property
    def failed(self) -> bool:
        """Say whether the store could not be opened; the next attempt needs a new resident."""
        return self._on_call.failed

    @contextmanager
    def using(self, workspace: str, *, timeout: float | None, asked: bool = True) -> Iterator[Engine]:
        """Give the engine, kept open meanwhile. ``workspace`` is where the host says that the agent's notes are.

        ``asked`` says that somebody waits for an answer; what else is done does not keep it from resting afterwards.

        Raises:
            NotReady: if it is not open within ``timeout`` seconds, cannot be opened, or holds another folder's notes.
        """
        with self._on_call.using(timeout=timeout, asked=asked) as engine:
            self._check(engine, workspace)
            yield engine

    def _check(self, engine: Engine, workspace: str) -> None:
        """Let an agent's memory answer in its own workspace only, and begin to keep that one fresh."""
        if not workspace:
            return
        folder = str(Path(workspace).expanduser().resolve())
        self.confirm(engine, folder)
        with self._changing:
            if self._closing:
                return
            problem = ""
            try:
                self._keeping.begin(folder)
            except NoThread as error:  # the next prompt tries again
                problem = str(error)
        if problem:
            self._complain(problem)

    def confirm(self, engine: Engine, workspace: str) -> None:
        """See to it that the store holds the notes of ``workspace``: another process may have moved it to another folder.

        Raises:
            NotReady: if it does not, and that other folder is there.
        """
        if not workspace:
            return
        folder = str(Path(workspace).expanduser().resolve())
        try:
            known = engine.folders
        except StoreError as error:
            raise NotReady(str(error)) from error
        mine = next(iter(known), folder)
        if known and folder not in known and Path(mine).exists():
            raise NotReady(
                f"the memory of agent {self.agent_id} holds the notes of {mine}, not of {folder}; "
                f"use another agent id there, or run `hookclaw --agent {self.agent_id} index --move {folder}`"
            )

    def wait_for_notes(self, timeout: float) -> None:
        """Wait until the workspace was indexed once, or could not be, at most ``timeout`` seconds."""
        if self._keeping.begun:
            self._keeping.tried.wait(timeout)

    def read(self, workspace: str, *, timeout: float) -> None:
        """Open and index, waiting for it at most ``timeout`` seconds; it goes on after that."""
        self.refresh(workspace)
        self._keeping.tried.wait(timeout)

    def refresh(self, workspace: str) -> None:
        """Open and index in the background, without waiting for either; "" is whatever the store holds already."""
        try:
            self._on_call.opened().add_done_callback(lambda _: self._touch(workspace))
        except NotReady as error:
            self._unread(error)

    def _touch(self, workspace: str) -> None:
        try:
            with self.using("", timeout=_PATIENCE) as engine:
                self._check(engine, workspace or engine.workspace or "")
        except (NotReady, StoreError) as error:
            self._unread(error)

    def _unread(self, error: HookclawError) -> None:
        self._complain(str(error))
        self._keeping.tried.set()

    def work_off_soon(self, after: float = _TOGETHER) -> None:
        """Have what was captured worked off, behind everything that somebody waits for."""
        if not self._closing and not self.failed:
            self._queue.soon(self._work_off, after)

    def _work_off(self) -> None:
        trace = Trace(timeout_ms=0, strict=False)
        due = trace.attempt("queue", None, self._worked_off)
        if due is not None or trace.faults:
            wait = _LOOKED_AT if due is None else (due - datetime.now(UTC)).total_seconds()
            self.work_off_soon(min(max(wait, _TOGETHER), _LOOKED_AT))

    def _worked_off(self) -> datetime | None:
        """Work off what is due; return when there is more to do, None if nothing waits."""
        if not self._on_call.was_opened or self._closing:
            return None
        with self.using("", timeout=_PATIENCE, asked=False) as engine:
            engine.capturing.work_off(lambda: self._closing)
            waiting = engine.capturing.waiting()
            if engine.capturing.lane is not None:
                self._model.soon(self._ask_model, _TOGETHER)
        if waiting.due is None and waiting.processing:
            return datetime.now(UTC) + timedelta(seconds=_LOOKED_AT)
        return waiting.due

    def _ask_model(self) -> None:
        """Ask the model what is due, on a thread of its own: nothing else waits for it."""
        trace = Trace(timeout_ms=0, strict=False)
        due = trace.attempt("model", None, self._asked)
        if (due is not None or trace.faults) and not (self._closing or self.failed):
            wait = _LOOKED_AT if due is None else (due - datetime.now(UTC)).total_seconds()
            self._model.soon(self._ask_model, max(wait, _TOGETHER))

    def _asked(self) -> datetime | None:
        """Ask; return when there is more to ask, None if nothing waits."""
        if not self._on_call.was_opened or self._closing:
            return None
        with self.using("", timeout=_PATIENCE, asked=False) as engine:
            engine.capturing.ask_model(lambda: self._closing)
            return engine.capturing.lane.due(datetime.now(UTC)) if engine.capturing.lane else None

    def _tell(self, engine: Engine, report: IndexReport) -> None:
        self._go_on()
        if self._told_once and not (report.changed or report.deleted or report.warnings):
            return
        self._told_once = True
        status = engine.status()
        self._emit(
            "indexed",
            {
                "agentId": self.agent_id,
                "workspaceDir": self._keeping.workspace,
                "files": status.files,
                "chunks": status.chunks,
                "added": report.added,
                "removed": report.removed,
                "warnings": list(report.warnings),
            },
        )

    def _complain(self, problem: str) -> None:
        if problem != self.problem:
            log.warning("hookclaw: agent %s: %s", self.agent_id, problem)
            self._emit("problem", {"agentId": self.agent_id, "message": problem})
        self.problem = problem

    def _go_on(self) -> None:
        if self.problem:
            log.warning("hookclaw: agent %s: it goes on", self.agent_id)
        self.problem = ""

    def count_recall(self) -> None:
        """Remember that a prompt was answered just now."""
        with self._changing:
            self.recalls += 1
            self.last_recall_at = datetime.now(UTC)
        self._answered()

    def metrics(self, messages: Callable[[str], Mapping[str, int]]) -> Mapping[str, Any] | None:
        """Return what was counted, also of the agent's ``messages``, as ``hookclaw metrics --json`` has it; None where it cannot be opened."""
        if not self._on_call.was_opened:
            return None
        try:
            with self.using("", timeout=_PATIENCE, asked=False) as engine:
                return answers.metrics(engine, messages(self.agent_id))
        except (NotReady, StoreError):  # health says why
            return None

    def health(self) -> dict[str, Any]:
        """Say how the agent's memory is, ready for JSON."""
        counts, problems = {}, [self.problem]
        with self._on_call.looking() as engine:
            if engine is not None:
                state = "indexing" if self._keeping.reads else "ready"
            else:
                state = "failed" if self.failed else "resting" if self._on_call.was_opened else "opening"
            try:
                status = engine.status() if engine is not None else self._on_call.status
            except StoreError as error:  # of this agent alone: what is known of the others is told
                status, state, problems = None, "failed", [str(error)]
        if status is not None:
            counts = {name: getattr(status, name) for name in _COUNTED}
            problems += [self._keeping.unwatched, *status.problems]
        return {
            "agentId": self.agent_id,
            "state": state,
            "workspaceDir": self._keeping.workspace,
            **(counts or dict.fromkeys(_COUNTED, 0)),
            "problem": "; ".join(filter(None, problems)),
            "lastRecallAt": self.last_recall_at.isoformat() if self.last_recall_at else None,
            "recalls": self.recalls,
        }

    def stop(self) -> None:
        """End indexing and watching, and let nobody wait for the opening any more."""
        self._closing = True
        self._keeping.stop()
        self._on_call.cancel()

    def close(self, within: float) -> bool:
        """Close the engine when nobody uses it any more; False if that took longer than ``within`` seconds."""
        self.stop()
        return self._on_call.close(within)
