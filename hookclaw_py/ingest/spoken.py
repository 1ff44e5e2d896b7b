"""What was spoken: from the events of a session's transcript to what was asked and what was answered, turn by turn.

A turn is what a person said and everything the assistant said until that person spoke again. Turns that the host began
(heartbeats, cron jobs, system events, messages of other sessions) are left out, and so are tool calls and their
results, thinking, branches that were abandoned by editing an earlier message, and compaction summaries: what they sum
up stands in the same transcript, word for word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import unescape
from typing import Any, NamedTuple

from hookclaw_py.model.envelope import Envelope
from hookclaw_py.privacy.marked import covered, recognisable, without_marked
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.regex import regex
from hookclaw_py.speech.unsaying import kept_of

MAX_CHARS = 12_000
"""Of one message, the rest is left out: a pasted log is no memory."""
_HOST_SAID = frozenset({"inter_session", "internal_system"})
_SILENT = regex(r"[`*_\s]*(?:NO_REPLY|HEARTBEAT_OK|ANNOUNCE_SKIP|REPLY_SKIP)[`*_.!\s]*")
_DIRECTIVE = regex(r"\[\[\s*(?:reply_to_current|reply_to:[^\]\n]{1,80}|audio_as_voice)\s*\]\][ \t]*")
_COMMAND = regex(r"/[a-z][a-z0-9_-]{0,40}(?: \S{1,80})?")
_SUBAGENT = regex(r"\s*(?:\[[^\]\n]{1,60}\]\s*)?\[Subagent (?:Context|Task)\]")
_SURROGATE = regex("[\ud800-\udfff]")


class TranscriptEvent(NamedTuple):
    """One event of a transcript and its line, counted from 1 as in the session's JSON lines."""

    line: int
    data: Any


class Turn(NamedTuple):
    """What was said: (role, text) pairs in order, when, and from which line to which; ``block`` is what we had put in.

    An answer that ``repeats`` what was looked up on the web is no more trusted than that. What was ``withdrawn`` of it is not told any more, but the turn is still found by it: who asks about a wrong guess gets what is right.
    So is it by what its tools ``met``, the lines that said what went wrong: who meets the same again gets what was said of it.
    """

    said: tuple[tuple[str, str], ...]
    at: datetime | None
    lines: tuple[int, int]
    block: str = ""
    withdrawn: str = ""
    repeats: bool = False
    met: str = ""


def is_subagent(events: Iterable[TranscriptEvent]) -> bool:
    """Say whether the session is a sub-agent's: its task was written by another agent."""
    first = next((event for event in events if role_of(event) == "user"), None)
    return first is not None and bool(_SUBAGENT.match(spoken(first.data["message"])))


def turns(events: Sequence[TranscriptEvent], envelope: Envelope) -> list[Turn]:
    """Return the turns between a person and the assistant, in order, without the host's ``envelope``, private parts and secrets."""
    found: list[Turn] = []
    skipping, private = False, frozenset[str]()
    for event in kept(events):
        role, message = role_of(event), event.data["message"]
        if role == "user":
            asked = asked_in(message, envelope)
            bare = kept_of(asked or "")
            skipping = asked is None or bare.is_wholly_private
            if not skipping:
                private |= recognisable(bare.private)
                said = _clipped(redact(bare.text))
                pair = (("user", said),) if said else ()
                block = _own_blocks(spoken(message))
                found.append(Turn(pair, moment_of(event.data), (event.line, event.line), block))
        elif role == "assistant" and not skipping:
            said = _clipped(redact(covered(without_marked(answered_in(message)).text, private)))
            if not said:
                continue
            if not found:  # the assistant spoke first
                found.append(Turn((), moment_of(event.data), (event.line, event.line)))
            found[-1] = _with_answer(found[-1], said, event.line)
    return [turn for turn in found if turn.said]


def asked_in(message: Mapping[str, Any], envelope: Envelope) -> str | None:
    """Return what a person said in a message of the user's; None if it was the host, or a command to it."""
    raw = spoken(message)
    unwrapped = envelope.unwrap(raw)
    said = unwrapped.strip()
    kind = envelope.automatic_kind(raw, "", unwrapped=unwrapped)
    return None if kind or _is_of_the_host(message) or _COMMAND.fullmatch(said) else said


def answered_in(message: Mapping[str, Any]) -> str:
    """Return what the assistant said in a message of its own, "" if it chose to be silent."""
    said = _DIRECTIVE.sub("", strip_own_blocks(spoken(message))).strip()
    return "" if _SILENT.fullmatch(said) else said


def kept(events: Sequence[TranscriptEvent]) -> Iterator[TranscriptEvent]:
    """Leave out what hangs below a message that was later said anew in another way."""
    last: dict[tuple[str, str], str] = {}
    for event in events:
        if role_of(event) and (parent := _text_field(event.data, "parentId")):
            last[parent, role_of(event)] = _text_field(event.data, "id")
    dropped: set[str] = set()
    for event in events:
        if not isinstance(event.data, dict):
            continue
        name, parent = _text_field(event.data, "id"), _text_field(event.data, "parentId")
        role = role_of(event)
        superseded = role in ("user", "assistant") and parent and last[parent, role] != name
        if name and (superseded or parent in dropped):
            dropped.add(name)
        elif role:
            yield event


def role_of(event: TranscriptEvent) -> str:
    """Return who speaks, "" for an event that is no message."""
    data = event.data
    if not isinstance(data, dict) or data.get("type") != "message" or not isinstance(data.get("message"), dict):
        return ""
    return _text_field(data["message"], "role")


def _text_field(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def spoken(message: Mapping[str, Any]) -> str:
    """Return the words of a message, without what else it is made of."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    said = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    # JavaScript cuts strings between the halves of a character
    return _SURROGATE.sub("\ufffd", "\n".join(text for text in said if isinstance(text, str)))


def _is_of_the_host(message: Mapping[str, Any]) -> bool:
    provenance = message.get("provenance")
    return isinstance(provenance, dict) and provenance.get("kind") in _HOST_SAID


def _own_blocks(raw: str) -> str:
    """Return the lines that are our own block's: of a host that keeps what was put into a prompt."""
    stays = Counter(strip_own_blocks(raw).split("\n"))
    gone = Counter(raw.split("\n")) - stays
    return unescape("\n".join(gone))


def _with_answer(turn: Turn, said: str, line: int) -> Turn:
    before = dict(turn.said).get("assistant", "")
    if said in before:  # hosts mirror what they delivered into the transcript
        return turn
    answer = _clipped(f"{before}\n\n{said}" if before else said)
    question = tuple(pair for pair in turn.said if pair[0] == "user")
    return turn._replace(said=(*question, ("assistant", answer)), lines=(turn.lines[0], line))


def _clipped(said: str) -> str:
    return said if len(said) <= MAX_CHARS else f"{said[:MAX_CHARS].rstrip()}…"


def moment_of(data: Mapping[str, Any]) -> datetime | None:
    """Return when a message was said: its own time in milliseconds, or its event's."""
    for value in (data["message"].get("timestamp"), data.get("timestamp")):
        try:
            if isinstance(value, int | float) and value > 0:
                return datetime.fromtimestamp(value / 1000 if value >= 1e11 else value, UTC)
            if isinstance(value, str):
                written = datetime.fromisoformat(value)
                return (written if written.tzinfo else written.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None
