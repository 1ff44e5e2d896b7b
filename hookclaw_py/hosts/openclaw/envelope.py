"""Envelope: what the host wrapped around a prompt, and which prompts are the host's own.

Only what stands where a host puts it is removed: at the very beginning or end of a prompt, complete, and in the exact
shape the host writes. The same words in the middle of a text, quoted or half finished, are the user's own and stay.
The one exception is our own block, which nobody types: it goes wherever it is.

Source of the shapes: OpenClaw 2026.2 to 2026.9, ``src/auto-reply`` (inbound metadata, envelopes, queue, system events).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.reason import AUTOMATIC, Reason, Why
from hookclaw_py.privacy.own_blocks import strip_own_blocks
from hookclaw_py.regex import regex

_CHANNELS = (
    "BlueBubbles|Channel|Discord|Feishu|Google Chat|IRC|iMessage|Lark|LINE|Matrix|Mattermost|MSTeams|Nextcloud Talk|Nostr|"
    "QQ|Signal|Slack|SMS|Teams|Telegram|Tlon|Twitch|Voice|WebChat|WeChat|WhatsApp|Zalo Personal|Zalo"
)
_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:Z| ?[A-Za-z0-9+:/_-]{1,40})?"
_WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"

# "[Sat 2026-11-21 20:56 UTC] " and "[Telegram Alice id:123 +2m 2026-11-21 20:56 UTC] "; a bare "[2026-11-21 20:56:01]"
# is how logs begin, so a weekday or a channel has to come first.
_HEADER = regex(
    rf"\[(?:{_WEEKDAY} {_STAMP}"
    rf"|(?:{_CHANNELS})(?: [^\]\n]{{1,200}})? (?:{_WEEKDAY} )?{_STAMP}"
    rf"|(?:{_CHANNELS})(?: [^\]\n]{{1,200}})? (?:id:\S{{1,80}}|\+\d+[smhd]))\][ \t]*"
)
_GROUP = regex(r" #\S| id:-\d|@g\.us\b|\bchannel id:|[Gg]roup\b")
_SENDER = regex(r"([^\n:?!\[\]]{1,60}): ")
_LABEL = regex(
    r"(?:[A-Z][^\n`]{0,80} \((?:untrusted[^)\n]{0,40}|trusted queue data)\):|[^\n`]{1,80} ⟦openclaw:ctx⟧)[ \t]*\r?\n"
)
_MARK = "⟦openclaw:ctx⟧"
_FENCE_OPEN = regex(r"```json[ \t]*\r?\n")
_FENCE_CLOSE = regex(r"^```[ \t]*\r?$", re.MULTILINE)
_NOTE_LINE = regex(
    r"(?:\[message_id: ?[^\]\n]{1,200}\]"
    r"|\[from: [^\]\n]{1,200}\]"
    r"|\[Forwarded from [^\]\n]{1,200}\]"
    r"|\[media attached(?: \d+/\d+)?: [^\n]{1,4000}\]"
    r"|\[User sent media without caption\]|<media:[a-z]{1,20}>(?: \(\d+ [a-z]{1,20}\))?"
    r"|To send an image back, [^\n]{1,1000}"
    r"|Delivery: (?:to send a message|Final assistant text|No visible reply)[^\n]{1,1000}"
    r"|requester_profile is the verified linked requester\.[^\n]{0,500}"
    r"|Note: The previous agent run was aborted by the user\.[^\n]{0,200}"
    r"|Runtime: agent=[^\n]{1,1000}"
    r")[ \t]*\r?(?:\n|\Z)"
)
_SYSTEM_LINES = regex(r"(?:System(?: \(untrusted\))?: [^\n]*(?:\n|\Z))+")
_SYSTEM_STAMP = regex(rf"System(?: \(untrusted\))?: \[(?:{_WEEKDAY} )?{_STAMP}\]")
_WORD = regex(r"\S")
_SUBAGENT = regex(r"\[Subagent Context\] You are running as a subagent[^\n]*(?:\n+\[Subagent Context\][^\n]*)*\n+")
_SUBAGENT_TASK = regex(r"\[Subagent Task\]:?\s*")
_HISTORY = "[Chat messages since your last reply - for context]\n"
_CURRENT = "\n[Current message - respond to this]\n"
_THREAD = regex(r"\[Thread (?:history|starter) - for context\][ \t]*\n")
_SPOKEN = regex(  # what the host heard in a voice message, or saw in a picture
    r"(?:\[(?:Audio|Video|Image)(?: \d+/\d+)?\][ \t]*\r?\n(?:User text|Transcript|Description)|User text):[ \t]*\r?\n"
)
_INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
_MEMORY_TAG = regex(
    r"(?:Context:[ \t]*\r?\n|Untrusted context \(metadata[^)\n]{0,80}\):[ \t]*\r?\n\s{0,4})?"
    r"<(active_memory_plugin|relevant[_-]memories|hindsight_memories|supermemory-context|mem0[_-](?:context|memories)"
    r"|memory[_-]context|recalled[_-]memories|retrieved[_-]memories)>"
)
_QUEUE = regex(r"\[Queued messages while agent was busy\][ \t]*\r?\n")
_QUEUE_ITEM = regex(r"^---[ \t]*\r?\nQueued #\d{1,6}(?: \([^)\n]{1,200}\))?[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_OVERFLOW = regex(r"\[Queue overflow\] Dropped \d+ [a-z]+ due to cap\.[ \t]*\n(?:Summary:[ \t]*\n)?")
_MARKED_TAIL = regex(rf"^Context: {_MARK}[ \t]*\r?$", re.MULTILINE)
_UNTRUSTED_TAIL = regex(
    r"^Untrusted context \(metadata[^)\n]{0,80}\):[ \t]*\r?\n\s{0,4}<<<EXTERNAL_UNTRUSTED_CONTENT", re.MULTILINE
)
_UNTRUSTED_END = regex(r"<<<END_EXTERNAL_UNTRUSTED_CONTENT[^\n>]{0,80}>>>\s*\Z")
_TAIL_LINE = regex(r"\[message_id: ?[^\]\n]{1,200}\]|\[from: [^\]\n]{1,200}\]|Runtime: agent=[^\n]{1,1000}")
_REPLY_TAIL = regex(r"\[Replying to [^\]\n]{1,200}\][ \t]*\r?\n")

_PASSES = 20  # a real prompt needs one or two

_KINDS = (
    (Reason.HEARTBEAT, r"\[OpenClaw heartbeat (?:poll|wake)\]|heartbeat (?:poll|wake)\W*\Z|HEARTBEAT_OK\b\W*\Z"),
    (Reason.HEARTBEAT, r"Read HEARTBEAT\.md if it exists\b|Read HEARTBEAT\.md\b.{0,1000}\bHEARTBEAT_OK\b"),
    (Reason.CRON, r"\[cron:[^\]\n]{1,300}\]|A scheduled (?:reminder|cron event|task) (?:has been|was) triggered\b"),
    (Reason.MEMORY_FLUSH, r"Pre-compaction memory flush\b|Session nearing compaction\. Store durable memories\b"),
    (Reason.SESSION_START, r"A new session was started via /new or /reset\b"),
    (Reason.RETRY, r"Continue where you left off\. The previous (?:model )?attempt\b"),
    (Reason.SUBAGENT, r"Begin\. (?:Your assigned task is in the system prompt|Execute the assigned task)\b"),
    (
        Reason.SYSTEM_EVENT,
        r"An async command (?:you ran earlier|completion event)\b|Continue the OpenClaw runtime event\.",
    ),
    (
        Reason.SYSTEM_EVENT,
        r"\[System Message\]|\[Internal task completion event\]|OpenClaw runtime (?:context|event)\b",
    ),
    (
        Reason.SYSTEM_EVENT,
        r'A (?:subagent|background) task "[^"\n]{0,300}" (?:just )?(?:completed|finished|failed|timed out)\b',
    ),
    (Reason.SYSTEM_EVENT, r"A completed (?:subagent |background )?task is ready for user delivery\b"),
)
_AUTOMATIC = tuple((kind, regex(pattern, re.DOTALL)) for kind, pattern in _KINDS)
_TRIGGERS = {
    **{kind.words: kind for kind in AUTOMATIC},
    **{str(kind): kind for kind in AUTOMATIC},
    "memory": Reason.MEMORY_FLUSH,
    "event": Reason.SYSTEM_EVENT,
    "overflow": Reason.COMPACTION,
}


def unwrap(text: str) -> str:
    """Return what the user wrote: ``text`` without channel envelopes, host notes and injected memories.

    Trimmed when anything was removed. Idempotent. "" when the host wrote everything (a system event, a lone picture).
    """
    shorter = text
    for _ in range(_PASSES):
        before, shorter = shorter, _unwrap_once(shorter)
        if shorter == before:
            return shorter
    return text  # nested beyond anything a host writes: then it is somebody's text


def automatic_kind(text: str, trigger: str, *, unwrapped: str | None = None) -> Why | None:
    """Say what kind of automatic turn this is: a heartbeat, a cron job, a memory flush, a system event…; None = a person's.

    ``text`` is the prompt as received, ``unwrapped`` what is left of it, where that is known already; ``trigger`` the
    host's word for why the turn runs ("" = unknown).
    """
    if trigger not in ("", "user"):
        return Why(_TRIGGERS[trigger]) if trigger in _TRIGGERS else Why(Reason.AUTOMATIC, trigger)
    prompt = (unwrap(text) if unwrapped is None else unwrapped).lstrip("*_` \n")
    if not prompt:
        return Why(Reason.SYSTEM_EVENT) if _SYSTEM_STAMP.search(text) or _INTERNAL[0] in text else None
    return next((Why(kind) for kind, pattern in _AUTOMATIC if pattern.match(prompt)), None)


ENVELOPE = Envelope(unwrap, automatic_kind)


def _unwrap_once(text: str) -> str:
    bare = _bare(text)
    if not _QUEUE.match(bare):
        return bare
    first, *items = _QUEUE_ITEM.split(_QUEUE.sub("", bare, count=1))
    first = _OVERFLOW.sub("", first.lstrip(), count=1)  # the host's summary of an overfull queue stays: users wrote it
    return "\n\n".join(filter(None, (_bare(item).strip() for item in (first, *items))))


def _bare(text: str) -> str:
    start = _end_of_head(text)
    end = _start_of_tail(text, start)
    inner = text if (start, end) == (0, len(text)) else text[start:end].strip()
    plain = strip_own_blocks(inner)
    return plain if plain == inner else plain.strip()


def _end_of_head(text: str) -> int:
    """Return where the user's words begin: everything before is the host's."""
    at = 0
    while True:
        begin = _next_word(text, at)
        end = next((end for part in _HEAD_PARTS if (end := part(text, begin)) > begin), begin)
        if end == begin:
            return begin if at else 0
        at = end


def _start_of_tail(text: str, start: int) -> int:
    """Return where the user's words end."""
    context = _MARKED_TAIL.search(text, start)
    if not context and _UNTRUSTED_END.search(text, max(start, text.rfind("<<<END_", start))):
        context = _UNTRUSTED_TAIL.search(text, start)
    end = context.start() if context else len(text)
    while True:
        last = end
        while last > start and text[last - 1].isspace():
            last -= 1
        line = text.rfind("\n", start, last) + 1 or start
        if last - line <= 1200 and _TAIL_LINE.fullmatch(text[line:last].strip()):
            end = line
            continue
        opened = text.rfind("\n[Replying to ", start, line) if text.endswith("[/Replying]", line, last) else -1
        if opened < 0 or not _REPLY_TAIL.match(text, opened + 1):
            return end
        end = opened


def _next_word(text: str, at: int) -> int:
    word = _WORD.search(text, at)
    return word.start() if word else len(text)


def _header(text: str, at: int) -> int:
    """Return the end of a channel's bracket, and of who speaks: anyone in a group, else the one that the bracket names."""
    header = _HEADER.match(text, at)
    if not header:
        return at
    sender = _SENDER.match(text, header.end())
    if not sender:
        return header.end()
    named = f" {sender[1]} " in header[0] or sender[1] in ("(self)", "(sender)")
    return sender.end() if named or _GROUP.search(header[0]) else header.end()


def _labelled(text: str, at: int) -> int:
    """Return the end of a label ("Conversation info (untrusted metadata):") and its fenced JSON, or its marked paragraph."""
    label = _LABEL.match(text, at)
    if not label:
        return at
    fence = _FENCE_OPEN.match(text, label.end())
    if fence:
        close = _FENCE_CLOSE.search(text, fence.end())
        return close.end() if close else at
    return _paragraph(text, label.end()) if _MARK in label.group() else at


def _paragraph(text: str, at: int) -> int:
    end = text.find("\n\n", at)
    return end if end >= 0 else len(text)


def _memories(text: str, at: int) -> int:
    opened = _MEMORY_TAG.match(text, at)
    close = text.find(f"</{opened[1]}>", opened.end()) if opened else -1
    return close + len(opened[1]) + 3 if opened and close >= 0 else at


def _internal(text: str, at: int) -> int:
    close = text.find(_INTERNAL[1], at) if text.startswith(_INTERNAL[0], at) else -1
    return close + len(_INTERNAL[1]) if close >= 0 else at


def _history(text: str, at: int) -> int:
    current = text.find(_CURRENT, at) if text.startswith(_HISTORY, at) else -1
    return current + len(_CURRENT) if current >= 0 else at


def _thread(text: str, at: int) -> int:
    note = _THREAD.match(text, at)
    end = _paragraph(text, note.end()) if note else at
    return end if _next_word(text, end) < len(text) else at


def _system(text: str, at: int) -> int:
    lines = _SYSTEM_LINES.match(text, at)
    return lines.end() if lines and _SYSTEM_STAMP.search(text, at, lines.end()) else at


def _line(pattern: re.Pattern[str]) -> Callable[[str, int], int]:
    def end(text: str, at: int) -> int:
        match = pattern.match(text, at)
        return match.end() if match else at

    return end


_HEAD_PARTS: tuple[Callable[[str, int], int], ...] = (
    _header,
    _labelled,
    _memories,
    _internal,
    _history,
    _system,
    _thread,
    _line(_NOTE_LINE),
    _line(_SPOKEN),
    _line(_SUBAGENT),
    _line(_SUBAGENT_TASK),
)
