"""Log lines on stderr that never hold anything up: when nobody reads them, they are dropped and counted."""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import TextIO

from hookclaw_py.privacy.plain import PlainFormatter

_MOST = 1000  # lines waiting


class StderrHandler(logging.Handler):
    """Writes log lines to ``stream`` from a thread of its own."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self.setFormatter(PlainFormatter())
        self._waiting: deque[str] = deque()
        self._changed = threading.Condition()
        self._dropped = 0
        threading.Thread(target=self._write, name="hookclaw-log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one record."""
        line = self.format(record)
        with self._changed:
            if len(self._waiting) >= _MOST:
                self._dropped += 1
                return
            if self._dropped:
                line = f"hookclaw: {self._dropped} log lines were dropped, nobody read them\n{line}"
                self._dropped = 0
            self._waiting.append(line)
            self._changed.notify_all()

    def drain(self, timeout: float) -> None:
        """Wait until everything is written, at most ``timeout`` seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, timeout)

    def _write(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                line = self._waiting[0]
            with suppress(OSError, ValueError):  # stderr is closed: then nobody wants to know
                self._stream.write(line + "\n")
                self._stream.flush()
            with self._changed:
                self._waiting.popleft()
                self._changed.notify_all()


def log_to_stderr() -> StderrHandler:
    """Send our own lines from INFO up to stderr, those of libraries from WARNING up."""
    handler = StderrHandler(sys.stderr)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("hookclaw").setLevel(logging.INFO)
    return handler
