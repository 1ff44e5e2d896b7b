"""What a host has before the agent beside the prompt: the conversation's last words, and what its system prompt holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hookclaw_py.doors import requests
from hookclaw_py.model.types import Message

_RECENT, _RECENT_CHARS = 6, 2000


def said(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return the last messages of a conversation, as their speakers wrote them."""
    from hookclaw_py.build import ENVELOPE
    from hookclaw_py.ingest import messages as conversation

    return conversation.recent(messages, unwrap=ENVELOPE.unwrap, count=_RECENT, max_chars=_RECENT_CHARS)


def system(request: requests.BeforeAgentStart) -> str:
    """Return what the host has in its context beside the conversation."""
    if not request.claude_dir:
        return request.system
    from hookclaw_py.hosts.claude_code import files as claude_files

    return (
        f"{request.system}\n{claude_files.in_context(request.project_dir or request.workspace_dir, request.claude_dir)}"
    )
