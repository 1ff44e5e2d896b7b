"""The protocol on real pipes, cut off, flooded, left unread: one reply for each request, and an end in any case."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest

from hookclaw_py.doors import ndjson, protocol, requests
from hookclaw_py.doors.call import Call
from hookclaw_py.doors.logs import StderrHandler
from hookclaw_py.doors.ndjson import Connection
from hookclaw_py.doors.service import Service

HEALTH = b'{"id":"h","method":"health"}\n'


class Canned(Service):
    """A real service but for recalls: they wait for ``go`` and answer with what they were asked, or explode."""

    def __init__(self) -> None:
        super().__init__(config_file=None, emit=lambda *_: None, watching=False)
        self.go = threading.Event()
        self.go.set()
        self.calls: list[Call] = []

    def answer(self, call: Call) -> Mapping[str, Any]:
        if not isinstance(call.request, requests.BeforeAgentStart):
            return super().answer(call)
        self.calls.append(call)
        self.go.wait(30)
        if call.request.prompt == "explode":
            raise ZeroDivisionError("a bug")
        return {"echo": call.request.prompt}


class Wire:
    """Both ends of a connection."""

    def __init__(self) -> None:
        self.service = Canned()
        reads, self.sends = os.pipe()
        self.receives, writes = os.pipe()
        stop, self.stops = os.pipe()
        self._fds = {reads, self.sends, self.receives, writes, stop, self.stops}
        self.workers = ThreadPoolExecutor(4)
        self.connection = Connection(self.service, self.workers, reads=reads, writes=writes, stop=stop)
        self._writes = writes
        self.finished = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        self._rest = b""

    def _run(self) -> None:
        self.connection.serve()
        self.finished = self.connection.finish(10)
        self.close_fd(self._writes)

    def send(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.sends, data) :]

    def close_fd(self, fd: int) -> None:
        if fd in self._fds:
            self._fds.remove(fd)
            os.close(fd)

    def end(self) -> None:
        self.close_fd(self.sends)

    def line(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            data = os.read(self.receives, 1 << 16)
            if not data:
                raise EOFError
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return orjson.loads(line)

    def lines(self) -> list[dict[str, Any]]:
        """Everything up to the end of the stream."""
        found = []
        try:
            while True:
                found.append(self.line())
        except EOFError:
            return found

    def close(self) -> None:
        self.service.go.set()
        self.end()
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.workers.shutdown()
        self.service.close(1)
        for fd in list(self._fds):
            self.close_fd(fd)


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.close()


def prompt(ident: object, text: str = "x") -> bytes:
    return protocol.encode({"id": ident, "method": "before_agent_start", "params": {"agentId": "main", "prompt": text}})


def test_the_first_line_says_hello(wire):
    hello = wire.line()
    assert hello["ready"] is True
    assert hello["protocol"] == 1
    assert {"before_agent_start", "agent_end", "metrics", "health", "explain", "_shutdown", "_reload"} <= set(
        hello["methods"]
    )


def test_a_request_may_come_byte_by_byte(wire):
    for byte in prompt("a", "ключ 鍵"):
        wire.send(bytes([byte]))
    assert wire.line()["ready"]
    assert wire.line() == {"id": "a", "result": {"echo": "ключ 鍵"}}


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"x" * 5 * 1024 * 1024, "PARSE_ERROR"),
        (b'{"id":"1","method":"health\xff\xfe"}', "PARSE_ERROR"),
        (b"{not json", "PARSE_ERROR"),
        (b'{"id":"1","method":"nonsense"}', "METHOD_NOT_FOUND"),
        (b'{"id":"1","method":"health","params":{"x":1}}', "INVALID_PARAMS"),
        (b'{"id":"1","method":"before_agent_start","params":{"prompt":"x"}}', "INVALID_PARAMS"),
        (b'{"method":"nonsense"}', "METHOD_NOT_FOUND"),  # an event that cannot be served is told, with a null id
    ],
)
def test_a_bad_line_gets_an_error_and_the_connection_lives_on(wire, bad, code):
    wire.line()
    threading.Thread(target=wire.send, args=(bad + b"\n\n  \n" + HEALTH,)).start()
    error, health = wire.line(), wire.line()
    assert error["error"]["code"] == code
    assert health["id"] == "h"


def test_the_stream_may_end_at_any_byte():
    """Issue 3, must show 6: whatever was asked completely is answered, and then it is over."""
    whole = prompt("a") + prompt("b")
    first = len(prompt("a"))
    for cut in range(len(whole) + 1):
        wire = Wire()
        wire.send(whole[:cut])
        wire.end()
        replies = wire.lines()[1:]
        wire.close()
        complete = [name for name, end in (("a", first - 1), ("b", len(whole) - 1)) if cut >= end]
        assert sorted(r["id"] for r in replies if "result" in r) == complete, cut
        rest = cut - (first if cut >= first else 0)
        broken = 0 < rest < (first - 1)
        assert [r["error"]["code"] for r in replies if "error" in r] == ["PARSE_ERROR"] * broken, cut


def test_replies_come_as_they_finish_not_in_order(wire):
    wire.line()
    wire.service.go.clear()
    wire.send(prompt("slow") + HEALTH)
    assert wire.line()["id"] == "h"
    wire.service.go.set()
    assert wire.line()["id"] == "slow"


def test_a_bug_costs_one_reply_and_nothing_else(wire):
    wire.line()
    wire.send(prompt(1, "explode"))
    assert wire.line() == {"id": 1, "error": {"code": "INTERNAL_ERROR", "message": "a bug"}}
    wire.send(prompt(2))
    assert wire.line()["id"] == 2


def test_a_flood_of_a_thousand_requests_is_answered_once_each_to_a_host_that_reads_late(wire):
    text = "y" * 2000  # two megabytes of replies: far more than a pipe holds
    sender = threading.Thread(target=lambda: [wire.send(prompt(n, text)) for n in range(1000)])
    sender.start()
    sender.join(20)  # every request is taken in although not one reply has been read
    assert not sender.is_alive()
    wire.end()
    replies = wire.lines()[1:]
    assert sorted(r["id"] for r in replies) == list(range(1000))
    assert all(r["result"]["echo"] == text for r in replies)


@pytest.mark.parametrize(("bound", "value"), [("MOST_BYTES", 300_000), ("MOST_PENDING", 10)])
def test_beyond_a_bound_nothing_more_is_read_until_there_is_room(wire, monkeypatch, bound, value):
    """M47: who asks too much waits, and nothing is refused."""
    monkeypatch.setattr(ndjson, bound, value)
    wire.service.go.clear()
    sent: list[int] = []
    sender = threading.Thread(target=lambda: [(wire.send(prompt(n, "z" * 10_000)), sent.append(n)) for n in range(200)])
    sender.start()
    sender.join(0.5)
    assert sender.is_alive()
    assert len(sent) < 80  # the bound, the pipes and what was being read
    assert wire.line()["ready"]
    wire.service.go.set()
    assert sorted(wire.line()["id"] for _ in range(200)) == list(range(200))
    sender.join(10)


def test_a_host_that_never_reads_counts_as_gone(monkeypatch):
    monkeypatch.setattr(ndjson, "MOST_BYTES", 100_000)
    monkeypatch.setattr(ndjson, "STALLED", 0.2)
    wire = Wire()
    sender = threading.Thread(
        target=lambda: wire.send(b"".join(prompt(n, "z" * 10_000) for n in range(60))), daemon=True
    )
    sender.start()
    wire.thread.join(20)
    assert not wire.thread.is_alive()
    assert wire.finished is False
    wire.close_fd(wire.receives)
    sender.join(1)


def test_a_host_that_closed_its_end_stops_the_writing(wire):
    wire.line()
    wire.close_fd(wire.receives)
    wire.send(prompt(1) * 50)
    wire.end()
    wire.thread.join(20)
    assert wire.finished is False


def test_an_event_is_done_and_not_answered(wire):
    wire.line()
    wire.send(b'{"method":"session_end","params":{"agentId":"main"}}\n' + HEALTH)
    assert wire.line()["id"] == "h"


def test_a_cancelled_request_knows_it_and_is_answered_once(wire):
    wire.line()
    wire.service.go.clear()
    wire.send(prompt("a") + b'{"method":"cancel","params":{"id":"a"}}\n{"method":"cancel","params":{"id":"zz"}}\n')
    wire.send(b'{"id":"c","method":"cancel","params":{"id":"b"}}\n')
    assert wire.line() == {"id": "c", "result": {}}
    assert wire.service.calls[0].cancelled
    wire.service.go.set()
    assert wire.line()["id"] == "a"


def test_shutdown_is_answered_after_everything_before_it_and_nothing_after_it(wire):
    wire.line()
    wire.service.go.clear()
    wire.send(prompt("a") + b'{"id":"end","method":"_shutdown"}\n' + prompt("late"))
    assert wire.line() == {"id": "end", "result": {}}
    assert wire.service.hurried
    wire.service.go.set()
    assert [line["id"] for line in wire.lines()] == ["a"]
    assert wire.connection.shutdown


def test_reading_ends_when_the_process_is_told_to_stop(wire):
    wire.line()
    wire.service.go.clear()
    wire.send(prompt("a"))
    wire.send(HEALTH)
    assert wire.line()["id"] == "h"
    os.write(wire.stops, b"s")
    wire.service.go.set()
    assert [line["id"] for line in wire.lines()] == ["a"]
    assert wire.finished


def test_an_event_of_ours_reaches_the_host(wire):
    wire.line()
    wire.connection.tell("indexed", {"agentId": "main"})
    assert wire.line() == {"event": "indexed", "params": {"agentId": "main"}}


def test_log_lines_that_nobody_reads_are_dropped_and_counted():
    reads, writes = os.pipe()
    with os.fdopen(writes, "w") as stream:
        handler = StderrHandler(stream)
        for n in range(3000):
            handler.emit(logging.makeLogRecord({"msg": f"line {n} " + "x" * 500}))
        handler.drain(0.01)  # nobody reads, and yet it returns
        seen = b""
        while b"line 500 " not in seen:  # now there is room again
            seen += os.read(reads, 1 << 16)
        handler.emit(logging.makeLogRecord({"msg": "the end"}))
        while b"the end" not in seen:
            seen += os.read(reads, 1 << 16)
        handler.drain(10)
    missing = 3000 - seen.count(b"line ")
    told = [int(number) for number in re.findall(rb"hookclaw: (\d+) log lines were dropped", seen)]
    assert missing == sum(told) > 1000
    os.close(reads)
