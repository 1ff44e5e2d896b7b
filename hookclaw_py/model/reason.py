"""Reason: why a prompt was answered as it was, as a kind that code tests and one sentence that people read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Reason(StrEnum):
    """Why an answer is what it is. The value is its label in the metrics; only people read the words.

    ``words`` begin the sentence, ``form`` says how a detail goes on.
    """

    words: str
    form: str

    def __new__(cls, label: str, words: str = "", form: str = "") -> Reason:
        """Make a member of its label, its words, and what a detail is put into."""
        member = str.__new__(cls, label)
        member._value_ = label
        member.words, member.form = words, form
        return member

    # injected
    RELEVANT = "relevant", "top relevance", " {}"
    # skipped: automatic turns, under the host's own word where we know none
    HEARTBEAT = "heartbeat", "heartbeat"
    CRON = "cron", "cron"
    MEMORY_FLUSH = "memory_flush", "memory flush"
    SESSION_START = "session_start", "session start"
    RETRY = "retry", "retry"
    SUBAGENT = "subagent", "subagent"
    SYSTEM_EVENT = "system_event", "system event"
    COMPACTION = "compaction", "compaction"
    AUTOMATIC = "automatic", "", "{}"
    # skipped: what needs no memory
    TOO_SHORT = "too_short", "prompt too short", " ({} chars)"
    PAYLOAD = "payload", "protocol payload"
    PATTERN = "pattern", "matches skip pattern", " ({})"
    PAUSED = "paused", "paused", " {}"
    # silent
    NOTHING_FOUND = "nothing_found", "nothing found"
    BELOW_FLOOR = "below_floor", "top relevance", " {}"
    BLOCKED = "blocked", "all that was found is blocked"
    HELD_BACK = "held_back", "what was found is not the person's own words", ": {}"
    IN_CONVERSATION = "in_conversation", "everything relevant is in the conversation already"
    IN_SYSTEM_PROMPT = "in_system_prompt", "everything relevant is in the system prompt already"
    SHADOW = "shadow", "only a shadow: it would have been told", ", {}"
    OVER_BUDGET = "over_budget", "nothing fits the budget"
    STILL_READING = "still_reading", "still reading the notes", " ({} chunks so far)"
    NOTHING_READ = (
        "nothing_read",
        "no notes have been read yet",
        "; name their folder as workspaceDir, or run `hookclaw --agent {} index FOLDER`",
    )
    NOTHING_SHARED = "nothing_shared", "nothing is shared", " with {}"
    # failed
    NO_RETRIEVER = "no_retriever", "no retriever answered", ": {}"
    PART_FAILED = "part_failed", "part of the recall failed", ": {}"
    MARKS_UNREADABLE = "marks_unreadable", "what is blocked cannot be read", ": {}"
    SHARED_UNREADABLE = "shared_unreadable", "what is shared cannot be read", ": {}"
    RECALL_FAILED = "recall_failed", "the recall itself failed", ": {}"
    LATE = "late", "no answer in time", ": {}"
    WRONG_AGENT = "wrong_agent", "this store belongs to agent", " {}"
    ENGINE_CLOSED = "engine_closed", "this engine is closed"
    # failed before an engine was asked, or after
    NOT_READY = "not_ready", "", "{}"
    TIMED_OUT = "timed_out", "no answer within", " {} ms"
    CANCELLED = "cancelled", "cancelled by the host"
    NOBODY_WAITS = "nobody_waits", "nobody waits for this any more"
    ENDING = "ending", "the process is ending"
    OTHER = "other", "", "{}"


AUTOMATIC = frozenset(
    {
        Reason.HEARTBEAT,
        Reason.CRON,
        Reason.MEMORY_FLUSH,
        Reason.SESSION_START,
        Reason.RETRY,
        Reason.SUBAGENT,
        Reason.SYSTEM_EVENT,
        Reason.COMPACTION,
    }
)
"""Turns that no person began, of the kinds that have a name of their own."""


@dataclass(frozen=True, slots=True)
class Why:
    """A reason with its detail, and remarks for which the reason is not to blame."""

    kind: Reason
    detail: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What a person reads."""
        told = self.kind.words + (self.kind.form.format(self.detail) if self.detail else "")
        return "; ".join((told, *self.remarks))

    def remarking(self, remark: str) -> Why:
        """Return the same reason with one more remark."""
        return replace(self, remarks=(*self.remarks, remark))
