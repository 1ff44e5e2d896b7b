"""Happening: what a host reports while an agent works, as it is kept: without secrets and private parts, once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple


class HappeningKind(StrEnum):
    """What happened; beside each what its payload holds."""

    PROMPT = "prompt"  # text, sender, channel
    ANSWER = "answer"  # text
    TOOL_CALL = "tool_call"  # tool, input, output, ok, error, ms, cwd
    COMPACTION = "compaction"  # nothing
    SESSION_START = "session_start"  # nothing
    SESSION_END = "session_end"  # reason


class Happening(NamedTuple):
    """One thing that happened in a session, in one run (one prompt and all that it led to).

    The same under the same ``id``, however often a host tells of it: live, again after a restart, or from a transcript.
    ``at`` is aware. ``payload`` is JSON, cut and redacted; what its kind holds may be missing.
    """

    id: str
    at: datetime
    host: str
    session: str
    run: str
    kind: HappeningKind
    payload: Mapping[str, Any]


def id_of(kind: HappeningKind, *, session: str, run: str, call: str, at: datetime) -> str:
    """Return the name under which something is kept once: of its session, run, call and kind, and of its moment where these are not enough."""
    alone = run and (call or kind in (HappeningKind.PROMPT, HappeningKind.ANSWER))
    named = json.dumps([session, run, call, kind.value, "" if alone else at.astimezone(UTC).isoformat()])
    return blake2b(named.encode(), digest_size=12).hexdigest()
