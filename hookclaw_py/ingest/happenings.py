"""From a session's transcript to what happened in it: prompts, tool calls with their outcome, answers, compactions.

The same events give the same ids, whenever they are read; where the host noted in the transcript by what name it reports a
turn, the ids of what it reports. What no person began (heartbeats, cron jobs, messages of other
sessions) is left out with all that followed from it, as are abandoned branches and what the assistant was thinking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hookclaw_py.ingest.spoken import TranscriptEvent, answered_in, asked_in, kept, moment_of, role_of, spoken
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.happening import Happening, HappeningKind, id_of
from hookclaw_py.regex import regex

_NO_TIME = datetime.fromtimestamp(0, UTC)
_CODE = regex(r"\s*\(?Command exited with code (\d{1,3})\)?\s*$")


class Traced(NamedTuple):
    """Something that happened, as a transcript tells it; ``call`` is the host's name for a tool call."""

    happening: Happening
    call: str = ""


def happenings(events: Sequence[TranscriptEvent], envelope: Envelope, *, host: str, session: str) -> list[Happening]:
    """Return what happened in a session, in order, without the host's ``envelope``."""
    return [one.happening for one in found_in(events, envelope, host=host, session=session)]


def found_in(events: Sequence[TranscriptEvent], envelope: Envelope, *, host: str, session: str) -> list[Traced]:
    """Return the same, with the names of tool calls."""
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
    answer: Traced | None = None
    compacted: list[Traced] = field(default_factory=list)
    runs: Mapping[int, str] = field(default_factory=dict)

    def read(self, events: Sequence[TranscriptEvent]) -> Iterator[Traced]:
        standing = list(kept(events))
        lines = {event.line for event in standing}
        self.runs = _runs(standing)
        for event in events:
            if event.line in lines:
                yield from self._message(event)
            elif isinstance(event.data, dict) and event.data.get("type") == "compaction":
                self.compacted.append(self._happened(HappeningKind.COMPACTION, {}))
        yield from self._ended()

    def _message(self, event: TranscriptEvent) -> Iterator[Traced]:
        role, message = role_of(event), event.data["message"]
        self.at = moment_of(event.data) or self.at
        if role == "user":
            yield from self._ended()
            asked = asked_in(message, self.envelope)
            self.skipping = asked is None
            if asked:
                self.run = self.runs.get(event.line) or str(event.data.get("id") or self.at.isoformat())
                yield self._happened(HappeningKind.PROMPT, {"text": asked})
        elif role == "assistant" and not self.skipping:
            yield from self._taken(self.compacted)  # in the middle of the run
            if said := answered_in(message):
                self.answer = self._happened(HappeningKind.ANSWER, {"text": said})
            for part in message["content"] if isinstance(message.get("content"), list) else ():
                if isinstance(part, dict) and part.get("type") == "toolCall":
                    self.waiting[str(part.get("id"))] = part
        elif role == "toolResult" and not self.skipping:
            call = str(message.get("toolCallId") or "")
            yield self._happened(HappeningKind.TOOL_CALL, _outcome(self.waiting.pop(call, {}), message), call)

    def _ended(self) -> Iterator[Traced]:
        """Yield the last thing that the assistant said in the run: that is its answer."""
        if self.answer:
            yield self.answer
        self.answer = None
        self.waiting.clear()
        yield from self._taken(self.compacted)

    def _taken(self, found: list[Traced]) -> list[Traced]:
        taken = list(found)
        found.clear()
        return taken

    def _happened(self, kind: HappeningKind, payload: Mapping[str, Any], call: str = "") -> Traced:
        name = id_of(kind, session=self.session, run=self.run, call=call, at=self.at)
        return Traced(Happening(name, self.at, self.host, self.session, self.run, kind, payload), call)


def _runs(events: Sequence[TranscriptEvent]) -> dict[int, str]:
    """Return the host's own names of runs, by the line of the prompt that each began with."""
    runs: dict[int, str] = {}
    prompt = None
    for event in events:
        role = role_of(event)
        about = event.data["message"].get("__openclaw")
        if role == "user":
            prompt = event.line
        elif (
            role == "assistant"
            and prompt is not None
            and isinstance(about, dict)
            and isinstance(about.get("runId"), str)
        ):
            runs.setdefault(prompt, about["runId"])
    return runs


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
