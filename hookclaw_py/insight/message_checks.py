"""What the doctor says of messages between agents: whether they can be read, and which no turn has shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from hookclaw_py.config import Config
from hookclaw_py.errors import HookclawError
from hookclaw_py.hosts.checks import Check, fine, note, problem
from hookclaw_py.messages import opening

_PATIENCE = timedelta(minutes=10)
"""By then an agent was woken for the last time, if it can be."""


def examine(config: Config) -> Iterator[Check]:
    """Look at the messages of this home, if there are any."""
    if not opening.has_messages(config):
        return
    try:
        mail = opening.open_post(config).mail
        damage, waiting = mail.check(), mail.overdue(before=datetime.now(UTC) - _PATIENCE)
        place, sessions = mail.place, len(mail.sessions())
        mail.close()
    except HookclawError as error:
        yield problem("messages", str(error), "hookclaw message list")
        return
    if damage:
        yield problem(
            "messages", damage, f"mv {place} {place}.damaged" if "://" not in place else "hookclaw config check"
        )
    for one in waiting:
        since = f"the oldest of {one.oldest:%Y-%m-%d %H:%M} UTC"
        told = (
            f"{one.waiting} for agent {one.receiver} that no turn has shown, {since}: it gets them with its next prompt"
        )
        yield note("messages", told, f"hookclaw --agent {one.receiver} message list")
    if not (damage or waiting):
        yield fine("messages", f"sound, and none waits; {sessions} agents can be woken")
