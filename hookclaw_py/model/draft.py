"""Draft: what was distilled from a session's happenings, before it is compared with what is known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from hookclaw_py.model.kind import Kind
from hookclaw_py.model.origin import Origin


class Speaker(StrEnum):
    """Whose word something is. What an assistant supposes never replaces what a person said."""

    PERSON = "person"
    ASSISTANT = "assistant"
    TOOL = "tool"
    MODEL = "model"

    @property
    def origin(self) -> Origin:
        """Whose words these are, for whoever asks how far they are trusted: a model's are an agent's."""
        return {Speaker.PERSON: Origin.SAID, Speaker.TOOL: Origin.TOOL}.get(self, Origin.ANSWERED)


class Draft(NamedTuple):
    """Something that may become a memory, or a revision of one.

    ``key`` says what it is about (subject and predicate, file, command, thread), ``body`` what is searched and injected, below
    ``title``, which is "" where the body says it all. ``confidence`` is in [0, 1]; ``evidence`` are the ids of the happenings that it was made of; ``fields`` are the
    kind's own (subject, predicate, object …), JSON. ``ends``: it is worth keeping only where it ends something that was said before.
    """

    kind: Kind
    key: str
    title: str
    body: str
    said_by: Speaker
    confidence: float
    at: datetime
    session: str
    run: str
    evidence: Sequence[str]
    fields: Mapping[str, Any]
    ends: bool = False
