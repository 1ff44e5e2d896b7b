"""Log lines on stderr that never hold anything up: when nobody reads them, they are dropped and counted."""

from __future__ import annotations

import logging
import sys
from logging.handlers import QueueHandler, QueueListener
from queue import Full, Queue
from typing import TextIO

from hookclaw_py.privacy.plain import PlainFormatter

_MOST = 1000  # lines waiting


class _Stream(logging.StreamHandler[TextIO]):
    """Writes lines to a stream; if that is closed, nobody wants to know."""

    def handleError(self, record: logging.LogRecord) -> None: ...


class StderrHandler(QueueHandler):
    """Has log lines written to ``stream`` by a thread of its own."""

    def __init__(self, stream: TextIO) -> None:
        self._lines: Queue[logging.LogRecord] = Queue(_MOST)
        super().__init__(self._lines)
        self.setFormatter(PlainFormatter())  # `basicConfig` gives another one to a handler that has none
        self._dropped = 0
        written = _Stream(stream)
        written.setFormatter(PlainFormatter())
        QueueListener(self._lines, written).start()

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue one record, after a word about those for which there was no room."""
        if self._dropped:
            record.msg = f"hookclaw: {self._dropped} log lines were dropped, nobody read them\n{record.msg}"
        try:
            self._lines.put_nowait(record)
            self._dropped = 0
        except Full:
            self._dropped += 1

    def drain(self, timeout: float) -> None:
        """Wait until everything is written, at most ``timeout`` seconds."""
        with self._lines.all_tasks_done:
            self._lines.all_tasks_done.wait_for(lambda: not self._lines.unfinished_tasks, timeout)


def log_to_stderr() -> StderrHandler:
    """Send our own lines from INFO up to stderr, those of libraries from WARNING up."""
    handler = StderrHandler(sys.stderr)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("hookclaw").setLevel(logging.INFO)
    return handler
