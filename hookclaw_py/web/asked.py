"""What may be asked over HTTP: one class a route, from which its check, its error texts and its part of the OpenAPI page are made.

Fields that stand in the route's path are read from there, those of a GET from its query, all others from its JSON body. Names
may be written in snake_case or in camelCase.
"""

from __future__ import annotations

from typing import Any, ClassVar

from hookclaw_py.doors.shapes import Count, KindNames, Names, PageSize, Sent, Words


class WebRequest(Sent):
    """Something asked over HTTP; its docstring is what the OpenAPI page says of it."""

    strict: ClassVar[bool] = False


class ListPrompts(WebRequest):
    """List past prompts, newest first, each with what became of it."""

    project: str = ""
    session: str = ""
    outcome: str = ""
    limit: PageSize = 20
    offset: Count = 0


class ShowPrompt(WebRequest):
    """Tell the story of one prompt: what was injected, what was rejected and why, and what the answer used."""

    id: Words


class ListRecords(WebRequest):
    """List what was learned from sessions, newest first. Without `statuses`, what stands."""

    project: str = ""
    session: str = ""
    kinds: KindNames = ()
    statuses: Names = ()
    limit: PageSize = 20
    offset: Count = 0


class ListOfAKind(WebRequest):
    """List what was learned of this kind, newest first."""

    project: str = ""
    limit: PageSize = 20
    offset: Count = 0


class ShowRecord(WebRequest):
    """Tell the story of one record: every wording, who said it, why it changed, and what it hangs together with."""

    id: Words


class ShowRecords(WebRequest):
    """Return several records by their ids."""

    ids: Names
    order_by: str = "date_desc"
    limit: PageSize = 200


class ShowMemory(WebRequest):
    """Return a memory of any kind: its words, where they stand, its wordings, and its mark."""

    id: Words


class ShowSession(WebRequest):
    """Return what is known of a session: when, how much was said, and what was learned of it."""

    session: Words


class ShowStats(WebRequest):
    """Return how much there is, and whether it helped in the last `days`."""

    days: PageSize = 7


class ShowProjects(WebRequest):
    """List the folders that this memory is of."""


class ShowBriefing(WebRequest):
    """Return what a session is told when it begins, as text; "" is nothing."""

    project: Words
    session: str = ""


class FindPassages(WebRequest):
    """Search as the engine ranks, best first, whether it answers or not."""

    query: Words
    kinds: KindNames = ()
    project: str = ""
    date_start: str = ""
    date_end: str = ""
    limit: PageSize = 20
    offset: Count = 0


class ExplainPrompt(WebRequest):
    """Say what would be injected for a prompt now, and why the rest would not; nothing is recorded."""

    prompt: Words


class ShowTimeline(WebRequest):
    """List what was learned just before and after a record, oldest first; the record is named, or found by a query."""

    anchor: str = ""
    query: str = ""
    before: Count = 5
    after: Count = 5


class ShowSettings(WebRequest):
    """Return what the page remembers of how one likes it."""


class ChangeSettings(WebRequest):
    """Change what the page remembers of how one likes it."""

    theme: str | None = None
    sidebar_open: bool | None = None
    selected_project: str | None = None


class ShowQueue(WebRequest):
    """Say how much of what was captured waits to be worked on, is at work, or has failed."""


class ProcessQueue(WebRequest):
    """Work off what waits, and try again what has failed."""

    session_limit: PageSize = 10


class ShowChecks(WebRequest):
    """Say what the doctor says of this memory."""


class ShowMarks(WebRequest):
    """List what is pinned and blocked."""


class MarkMemory(WebRequest):
    """Pin or block a memory, or, with "", neither."""

    id: Words
    mark: str


class JudgePrompt(WebRequest):
    """Say whether what was injected for a prompt helped: all of it, or one memory."""

    id: Words
    good: bool
    memory: str = ""


class CorrectRecord(WebRequest):
    """Let a record say something else from now on; its history keeps what it said."""

    id: Words
    words: Words
    why: str = "corrected in the viewer"


class RetractRecord(WebRequest):
    """Take a record back; it stays in the list of what was retracted, and is never learned again."""

    id: Words
    why: str = "taken back in the viewer"


class ForgetMemory(WebRequest):
    """Purge a memory for good, with its wordings and all that is known of it. There is no way back."""

    id: Words


class BeginPrompt(WebRequest):
    """Tell of a prompt in a session; the same `promptNumber` is kept once."""

    session: Words
    user_prompt: str
    project: str = ""
    prompt_number: Count = 0


class TellToolCall(WebRequest):
    """Tell of a tool call that the session's last prompt led to; the same `correlationId` is kept once."""

    session: Words
    tool_name: Words
    tool_input: Any = None
    tool_result: Any = None
    tool_response: Any = None
    correlation_id: str = ""
    error: str = ""
    project: str = ""


class TellAnswer(WebRequest):
    """Tell what was answered; the session's summary is made of it."""

    session: Words
    last_user_message: str = ""
    last_assistant_message: str = ""


class EndSession(WebRequest):
    """Say that a session is over."""

    session: Words
    reason: str = ""


class ShowReview(WebRequest):
    """List what is held back because others wrote it, and why."""


class TrustSource(WebRequest):
    """Let one memory, or all of a source, be told like your own; `trusted` false takes that back."""

    memory: str = ""
    source: str = ""
    trusted: bool = True
