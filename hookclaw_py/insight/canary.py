"""A prompt whose answer is known, asked of a real ``hookclaw serve`` as a gateway would ask it."""

from __future__ import annotations

import json
import os
import queue
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, NamedTuple

from hookclaw_py import build
from hookclaw_py.config import home
from hookclaw_py.errors import HookclawError
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.hosts.openclaw.gateway_checks import RAISE_BUDGET
from hookclaw_py.hosts.openclaw.interpreter import ARGUMENTS
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.switches import Switches
from hookclaw_py.store.upkeep import is_there
from hookclaw_py.workers import Worker

TRIES = 3
SECONDS = 30
WARM_UP = "What do my notes say about the weather on Mars?"


class CanaryAnswer(NamedTuple):
    """What came back, and after how many milliseconds."""

    result: Mapping[str, Any]
    ms: float


class CanaryError(HookclawError):
    """The process does not answer as it should."""


def examine(
    agent: str, python: str, *, budget_ms: float, shadow: bool = False, seconds: float = SECONDS
) -> Iterator[Check]:
    """Ask about notes that are in the agent's store, and see whether they come back, in time.

    An answer that takes more than ``seconds`` comes never; one in a pause or of a ``shadow`` is empty.
    """
    if silence := "shadow mode" if shadow else _pause(agent):
        yield note("canary", f"not asked, since nothing is told: {silence}")
        return
    chunks = _known(agent)
    if not chunks:
        yield note("canary", "nothing to ask about: the store is empty")
        return
    python = python or sys.executable
    try:
        cold, answers = _ask(python, agent, [question(chunk) for chunk in chunks], seconds)
    except CanaryError as error:
        yield problem("canary", str(error), f"{python} {' '.join(ARGUMENTS)}")
        return
    back = [chunk.place.path for chunk, answer in zip(chunks, answers, strict=True) if _holds(answer, chunk)]
    faults = sorted({f"{fault['stage']}: {fault['error']}" for a in answers for fault in a.result.get("faults", [])})
    if not back:
        said = "; ".join(sorted({f"{a.result.get('outcome')}: {a.result.get('reason')}" for a in answers}))
        finding = f"none of {len(chunks)} questions about its own notes brought them back ({said})"
        yield problem("canary", finding, f"hookclaw --agent {agent} explain {shlex.quote(question(chunks[0]))}")
        return
    if faults:
        finding = "it answers, but part of the search fails: " + "; ".join(faults)
        yield problem("canary", finding, f"hookclaw --agent {agent} status")
    else:
        yield fine("canary", f"asked a real `hookclaw serve` about {back[0]}, and the note came back")
    warm = max(answer.ms for answer in answers)
    if warm > budget_ms:
        finding = f"a warm answer takes {warm:.0f} ms, more than the budget of {budget_ms:.0f} ms"
        yield problem("time", finding, RAISE_BUDGET)
    else:
        yield fine(
            "time", f"a warm answer takes {warm:.0f} ms of {budget_ms:.0f}, the first after a start {cold:.0f} ms"
        )


def _holds(answer: CanaryAnswer, chunk: Chunk) -> bool:
    block = answer.result.get("text", "")
    return any(f"{quote}{chunk.place.path}{quote}" in block for quote in '"`')


def question(chunk: Chunk) -> str:
    """Return a prompt that this chunk answers: its longest words, at most twelve, in no order.

    Repeating the chunk would not do: what stands in the prompt already is not injected.
    """
    words = sorted(set(re.findall(r"\w{4,}", chunk.text)), key=lambda word: (-len(word), word))
    return f"What do my notes say about {', '.join(words[:12])}?"


def _pause(agent: str) -> str:
    try:
        folder, now = agent_folder(home(), agent), datetime.now(UTC)
        if not is_there(folder):
            return ""
        with build.store(folder) as store:
            paused = Switches(agent, store, home()).paused(now)
    except HookclawError:
        return ""
    return f"paused {paused}" if paused else ""


def _known(agent: str) -> list[Chunk]:
    """Return the chunks to ask about: the longest ones, of different files."""
    try:
        folder = agent_folder(home(), agent)
        if not is_there(folder):
            return []
        with build.store(folder) as store:
            chunks = [chunk for chunk in store.all_chunks() if chunk.kind.searched]
    except HookclawError:
        return []  # the checks of the store say what is wrong with it
    by_file: dict[str, Chunk] = {}
    for chunk in sorted(chunks, key=lambda c: (-len(c.text), c.id)):
        by_file.setdefault(chunk.place.path, chunk)
    return list(by_file.values())[:TRIES]


def _ask(python: str, agent: str, prompts: list[str], seconds: float) -> tuple[float, list[CanaryAnswer]]:
    """Start a process as the plugin does, ask, and end it. Asking is only a look: nothing of it is counted or recorded."""
    started = perf_counter()
    try:
        process = subprocess.Popen(
            [python, *ARGUMENTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, encoding="utf-8", env={**os.environ, "HOOKCLAW_HOME": str(home().absolute())},
        )  # fmt: skip
    except OSError as error:
        raise CanaryError(f"{python} cannot be run: {error.strerror}") from error
    heard: queue.Queue[str | None] = queue.Queue()
    complaints: list[str] = []
    answering, complaining = Worker("canary-answers"), Worker("canary-complaints")
    answering.put(_read, process.stdout, heard.put)
    complaining.put(_read, process.stderr, lambda line: complaints.append(line) if line else None)

    def last_words() -> str:
        complaining.close(2)
        return (complaints or ["it said nothing"])[-1].strip()

    try:
        answers = []
        for number, prompt in enumerate([WARM_UP, *prompts]):  # the first one waits for the model to load
            asked = perf_counter()
            params = {"agentId": agent, "audience": "owner", "prompt": prompt}
            result = _exchange(process, heard, last_words, str(number), "explain", params, seconds=seconds)
            answers.append(CanaryAnswer(result, (perf_counter() - asked) * 1000))
            if number == 0:
                cold = (perf_counter() - started) * 1000
        return cold, answers[1:]
    finally:
        with suppress(OSError):
            process.stdin.close() if process.stdin else None
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answering.close(2)
        complaining.close(2)
        for pipe in (process.stdout, process.stderr):
            pipe.close() if pipe else None


def _exchange(
    process: subprocess.Popen[str],
    heard: queue.Queue[str | None],
    last_words: Callable[[], str],
    number: str,
    method: str,
    params: Mapping[str, Any],
    *,
    seconds: float,
) -> Mapping[str, Any]:
    assert process.stdin is not None
    with suppress(OSError):  # it is gone: then its silence says so
        process.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        process.stdin.flush()
    while True:
        try:
            line = heard.get(timeout=seconds)
        except queue.Empty:
            raise CanaryError(f"hookclaw serve does not answer within {seconds:g} s") from None
        if line is None:
            raise CanaryError(f"hookclaw serve ended: {last_words()}")
        message = json.loads(line)
        if message.get("id") == number:
            if "error" in message:
                raise CanaryError(f"hookclaw serve: {message['error']['code']}: {message['error']['message']}")
            result: Mapping[str, Any] = message["result"]
            return result


def _read(pipe: Any, tell: Any) -> None:
    for line in pipe:
        tell(line)
    tell(None)
