"""Audience: who hears an answer. It decides which memories may be spoken of; a host's own context says who, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Audience(StrEnum):
    """Those who read a session. What a host does not say is ``UNKNOWN``: isolation fails closed."""

    OWNER = "owner"
    PERSON = "person"
    GROUP = "group"
    CHANNEL = "channel"
    MACHINE = "machine"
    UNKNOWN = "unknown"

    @classmethod
    def named(cls, word: str) -> Audience:
        """Return the audience that a host calls ``word``; a word that is none of ours is ``UNKNOWN``."""
        try:
            return cls(word)
        except ValueError:
            return cls.UNKNOWN


class Policy(NamedTuple):
    """What an audience may hear: everything, or only notes that are marked shared; and what it is ``called``."""

    hears_everything: bool
    called: str


POLICIES: Mapping[Audience, Policy] = {
    Audience.OWNER: Policy(True, "the owner"),
    Audience.PERSON: Policy(False, "somebody who is not known to be the owner"),
    Audience.GROUP: Policy(False, "a group"),
    Audience.CHANNEL: Policy(False, "a channel"),
    Audience.MACHINE: Policy(False, "a session that no person began"),
    Audience.UNKNOWN: Policy(False, "a session of unknown kind"),
}
