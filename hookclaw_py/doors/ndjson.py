"""The protocol over two file descriptors: lines in, replies out, nothing waits for ever and nothing grows without bound."""

from __future__ import annotations

import logging
import os
import select
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from time import monotonic
from typing import Any

from hookclaw_py.doors import protocol, requests
from hookclaw_py.doors.call import Call
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.service import Service
from hookclaw_py.trace import Trace
from hookclaw_py.workers import Worker

log = logging.getLogger("hookclaw")

MOST_BYTES = 64 * 1024 * 1024
"""Requests not yet answered and replies not yet written, together: beyond this nothing more is read."""
MOST_PENDING = 10_000
STALLED = 60.0
"""Seconds without a byte taken, after which a host that does not read its replies counts as gone."""

_AT_ONCE = (
    requests.BeforeAgentStart,
    requests.AgentEnd,
    requests.Explain,
    requests.Capture,
    requests.ToolRequest,
    requests.ChatCommand,
)  # everything else is done in the order read
_OTHERS = 2  # threads for what is done at once and is no prompt: it has no deadline, and may hang


class Lines:
    """Cuts a stream of bytes into lines; of a line over the limit only the fact is kept, and the next one is whole."""

    def __init__(self, limit: int) -> None:
        self._limit, self._rest, self._searched, self._too_long = limit, bytearray(), 0, False

    def feed(self, data: bytes) -> Iterator[bytes | WireError]:
        """Yield what ``data`` completes: lines without their newline, or what is wrong with them."""
        self._rest += data
        while (end := self._rest.find(b"\n", self._searched)) >= 0:
            yield self._cut(end)
            del self._rest[: end + 1]
            self._searched, self._too_long = 0, False
        self._searched = len(self._rest)
        if self._searched >= self._limit:
            self._rest.clear()
            self._searched, self._too_long = 0, True

    def end(self) -> Iterator[bytes | WireError]:
        """Yield the last line when no newline ended it."""
        if self._rest or self._too_long:
            yield self._cut(len(self._rest))

    def _cut(self, end: int) -> bytes | WireError:
        if self._too_long or end >= self._limit:
            return WireError(Code.PARSE_ERROR, f"the line has more than {self._limit} bytes; send less")
        return bytes(self._rest[:end])


class Outbox:
    """Replies on their way out, written by one thread; also counts the bytes that requests and replies hold."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._held, self._pending = 0, 0
        self._moved = monotonic()
        self._closing = self.broken = False
        Worker("write").put(self._write)

    def admit(self, size: int) -> bool:
        """Take in a request of ``size`` bytes, waiting for room; False when the host has gone or reads no more."""
        with self._changed:
            while self._full(size) and not self.broken:
                if monotonic() - self._moved > STALLED:
                    log.error("hookclaw: the host has read nothing for %.0f s; it counts as gone", STALLED)
                    self.broken = True
                self._changed.wait(0.25)
            self._held += size
            self._pending += 1
            return not self.broken

    def _full(self, size: int) -> bool:
        return self._pending >= MOST_PENDING or (self._held > 0 and self._held + size > MOST_BYTES)

    def put(self, line: bytes) -> None:
        """Write a line that answers nothing."""
        with self._changed:
            self._held += len(line)
            self._lines.append(line)
            self._changed.notify_all()

    def release(self, size: int, reply: bytes) -> None:
        """Write the reply to a request that ``admit`` took in; no bytes when it needs none."""
        with self._changed:
            self._held += len(reply) - size
            self._pending -= 1
            if reply:
                self._lines.append(reply)
            self._changed.notify_all()

    @property
    def pending(self) -> int:
        """Requests that have no reply yet."""
        return self._pending

    def drain(self, stalled: float) -> bool:
        """Wait until all requests are answered and all replies written; False if the host took none for ``stalled`` s."""
        with self._changed:
            while (self._pending or self._lines or self._held) and not self.broken:
                if not self._pending and monotonic() - self._moved > stalled:
                    return False
                self._changed.wait(0.1)
            self._closing = True
            self._changed.notify_all()
        return not self.broken

    def _write(self) -> None:
        while True:
            with self._changed:
                if not self._lines:
                    self._moved = monotonic()  # nothing to take is no stall
                while not self._lines and not self._closing:
                    self._changed.wait()
                if not self._lines:
                    return
                self._moved = monotonic()
                line = self._lines.popleft()
            try:
                self._write_all(line)
            except OSError as error:  # the host closed its end
                log.info("hookclaw: the host takes no more replies: %s", error.strerror)
                with self._changed:
                    self.broken = True
                    self._lines.clear()
                    self._changed.notify_all()
                return
            with self._changed:
                self._held -= len(line)
                self._changed.notify_all()

    def _write_all(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._fd, rest) :]
            self._moved = monotonic()


class Connection:
    """One host: reads its lines, has them answered, writes the replies as they finish."""

    def __init__(self, service: Service, workers: Executor, *, reads: int, writes: int, stop: int) -> None:
        """Serve file descriptor ``reads`` and ``writes``; reading ends when ``stop`` becomes readable."""
        self._service, self._workers = service, workers
        self._others = ThreadPoolExecutor(_OTHERS, thread_name_prefix="hookclaw-other")
        self._captures = ThreadPoolExecutor(1, thread_name_prefix="hookclaw-capture")  # in their order
        self._reads, self._stop = reads, stop
        self._lines = Lines(protocol.MAX_LINE)
        self._calls: dict[str | int, Call] = {}
        self._out = Outbox(writes)
        self.shutdown = False
        """The host asked for the end of the process."""

    def tell(self, event: str, params: Mapping[str, Any]) -> None:
        """Send the host an event."""
        self._out.put(protocol.event_line(event, params))

    def serve(self) -> None:
        """Say hello and answer until the host ends the stream, asks for the end, or ``stop`` becomes readable."""
        self._out.put(protocol.encode(protocol.hello()))
        while not self.shutdown and not self._out.broken:
            ready, _, _ = select.select([self._reads, self._stop], [], [])
            if self._stop in ready:
                return
            data = _read(self._reads)
            for line in self._lines.feed(data) if data else self._lines.end():
                self._take(line)
                if self.shutdown:
                    return
            if not data:
                return

    def finish(self, stalled: float) -> bool:
        """Have everything pending answered and written; False if the host took nothing for ``stalled`` seconds."""
        drained = self._out.drain(stalled)
        self._others.shutdown(wait=False, cancel_futures=True)
        self._captures.shutdown(wait=False, cancel_futures=True)
        return drained

    def _take(self, line: bytes | WireError) -> None:
        if isinstance(line, bytes) and not line.strip():
            return
        size = len(line) if isinstance(line, bytes) else 0
        if not self._out.admit(size):
            return
        try:
            if isinstance(line, WireError):
                raise line
            parsed = protocol.parse_line(line)
            call = Call(protocol.parse_request(parsed))
        except WireError as error:
            self._out.release(size, protocol.error_line(error))
            return
        if isinstance(call.request, requests.Cancel):
            self._cancel(call.request.id)
            self._out.release(size, b"" if parsed.id is None else protocol.result_line(parsed.id, {}))
            return
        if parsed.id is not None:
            self._calls[parsed.id] = call
        if isinstance(call.request, _AT_ONCE):
            try:
                self._workers_for(call.request).submit(self._serve_call, parsed.id, call, size)
            except RuntimeError as error:  # no thread is to be had: it is done here
                log.warning("hookclaw: %s", error)
            else:
                return
        self._serve_call(parsed.id, call, size)

    def _workers_for(self, request: requests.Request) -> Executor:
        if isinstance(request, requests.Capture):
            return self._captures
        return self._workers if isinstance(request, requests.BeforeAgentStart) else self._others

    def _cancel(self, ident: str | int) -> None:
        if (doomed := self._calls.get(ident)) is not None:
            doomed.cancelled = True

    def _serve_call(self, ident: str | int | None, call: Call, size: int) -> None:
        """Answer one request, whatever happens."""
        if not call.begin():
            return
        if isinstance(call.request, requests.Shutdown):
            self.shutdown = self._service.hurried = True
        trace = Trace(timeout_ms=0, strict=False)
        reply = trace.attempt("answer", b"", self._reply, ident, call)
        if trace.faults:
            reply = protocol.error_line(WireError(Code.INTERNAL_ERROR, trace.faults[0].error, ident))
        if ident is not None:
            self._calls.pop(ident, None)
        self._out.release(size, reply)

    def _reply(self, ident: str | int | None, call: Call) -> bytes:
        self._service.pending = self._out.pending - 1  # without this one
        try:
            result = self._service.answer(call)
        except WireError as error:
            error.reply_to = ident
            return protocol.error_line(error)
        return b"" if ident is None else protocol.result_line(ident, result)


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 18)
    except OSError as error:  # the host was killed
        log.info("hookclaw: the host is gone: %s", error.strerror)
        return b""
