"""From a session's transcript to what happened in it: prompts, tool calls with their outcome, answers, compactions.

The same events give the same ids, whenever they are read. What no person began (heartbeats, cron jobs, messages of other
sessions) is left out with all that followed from it, as are abandoned branches and what the assistant was thinking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from hookclaw_py.ingest.conversation import (
    TranscriptEvent,
    answered_in,
    asked_in,
    kept,
    moment_of,
    role_of,
    spoken,
)
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.happening import Happening, HappeningKind

_NO_TIME = datetime.fromtimestamp(0, UTC)
_CODE = re.compile(r"\s*\(?Command exited with code (\d{1,3})\)?\s*$")


def happenings(events: Sequence[TranscriptEvent], envelope: Envelope, *, host: str, session: str) -> list[Happening]:
    """Return what happened in a session, in order, without the host's ``envelope``."""
    return list(_Transcript(envelope, host, session).read(events))


@dataclass
class _Transcript:
    """Reads one transcript: which run it is in, and which tool calls wait for their result."""

    envelope: Envelope
    host: str
    session: str
    run: str = ""
    at: datetime = _NO_TIME
    skipping: bool = False
    waiting: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answer: Happening | None = None

    def read(self, events: Sequence[TranscriptEvent]) -> Iterator[Happening]:
        lines = {event.line for event in kept(events)}
        for event in events:
            if event.line in lines:
                yield from self._message(event)
            elif isinstance(event.data, dict) and event.data.get("type") == "compaction":
                yield from self._ended()
                yield self._happened(HappeningKind.COMPACTION, event.data, "", {})
        yield from self._ended()

    def _message(self, event: TranscriptEvent) -> Iterator[Happening]:
        role, message = role_of(event), event.data["message"]
        self.at = moment_of(event.data) or self.at
        if role == "user":
            yield from self._ended()
            asked = asked_in(message, self.envelope)
            self.skipping = asked is None
            if asked:
                self.run = str(event.data.get("id") or event.line)
                yield self._happened(HappeningKind.PROMPT, event.data, "", {"text": asked})
        elif role == "assistant" and not self.skipping:
            if said := answered_in(message):
                self.answer = self._happened(HappeningKind.ANSWER, event.data, "", {"text": said})
            for part in message["content"] if isinstance(message.get("content"), list) else ():
                if isinstance(part, dict) and part.get("type") == "toolCall":
                    self.waiting[str(part.get("id"))] = part
        elif role == "toolResult" and not self.skipping:
            call = str(message.get("toolCallId"))
            payload = _outcome(self.waiting.pop(call, {}), message)
            yield self._happened(HappeningKind.TOOL_CALL, event.data, call, payload)

    def _ended(self) -> Iterator[Happening]:
        """Yield the last thing that the assistant said in the run: that is its answer."""
        if self.answer:
            yield self.answer
        self.answer = None
        self.waiting.clear()

    def _happened(
        self, kind: HappeningKind, data: Mapping[str, Any], call: str, payload: Mapping[str, Any]
    ) -> Happening:
        name = call or str(data.get("id") or self.at.isoformat())
        key = "\0".join([self.host, self.session, str(kind), name]).encode(errors="replace")
        return Happening(
            blake2b(key, digest_size=16).hexdigest(), self.at, self.host, self.session, self.run, kind, payload
        )


def _outcome(part: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    details = result.get("details")
    told = details if isinstance(details, dict) else {}
    output = spoken(result)
    ended = _CODE.search(output)
    code = told.get("exitCode", int(ended[1]) if ended else 0)
    ok = not result.get("isError") and code in (0, None) and told.get("status") not in ("failed", "error")
    return {
        "tool": part.get("name") or result.get("toolName") or "",
        "input": part.get("arguments") if isinstance(part.get("arguments"), dict) else {},
        "output": output[: ended.start()] if ended else output,
        "ok": ok,
        "error": "" if ok else f"exit {code}" if code else "failed",
        "ms": told.get("durationMs") or 0,
        "cwd": told.get("cwd") or "",
    }
