"""Why something that was asked is not answered: a code for programs, and a sentence that says what, where and what to do."""

from __future__ import annotations

from enum import StrEnum

from hookclaw_py.errors import HookclawError


class Code(StrEnum):
    """Why there is an error instead of a result."""

    PARSE_ERROR = "PARSE_ERROR"  # the line is no JSON object in UTF-8, or too long
    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    INVALID_PARAMS = "INVALID_PARAMS"  # a field is missing, unknown or of the wrong type; or a configuration is wrong
    NOT_FOUND = "NOT_FOUND"  # what a tool is asked about is not there
    CONFLICT = "CONFLICT"  # it is there already, or was changed or forgotten meanwhile
    FORBIDDEN = "FORBIDDEN"  # it is not the caller's: another's name, file, memory or session
    UNAVAILABLE = "UNAVAILABLE"  # it cannot be done now
    SUBSCRIBE_ERROR = "SUBSCRIBE_ERROR"  # messages to that name cannot be told here
    UNSUBSCRIBE_ERROR = "UNSUBSCRIBE_ERROR"  # they were not told
    INTERNAL_ERROR = "INTERNAL_ERROR"  # a bug of ours


class WireError(HookclawError):
    """A line cannot be served; ``reply_to`` is its id as far as that could be read."""

    def __init__(self, code: Code, message: str, reply_to: str | int | None = None) -> None:
        self.code, self.reply_to = code, reply_to
        super().__init__(message)
