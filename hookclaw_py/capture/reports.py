"""Report: what a host tells of, as it came in, before it is cleaned and judged."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hookclaw_py import text as words
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind, id_of

MAX_NAME = 300
"""Characters of a session, run or call: a host's names are shorter."""


class Report(NamedTuple):
    """One thing that happened, in a host's words.

    ``call`` names a tool call within its run. ``folder`` is where the session works. ``run`` is "" where the host has no
    name for it. ``trigger`` is why the turn began, "user" for a person.
    """

    kind: HappeningKind
    at: datetime
    host: str
    session: str
    run: str = ""
    call: str = ""
    audience: Audience = Audience.UNKNOWN
    trigger: str = "user"
    folder: str = ""
    payload: Mapping[str, Any] = {}

    @property
    def id(self) -> str:
        """The name under which it is kept once."""
        return id_of(self.kind, session=self.session, run=self.run, call=self.call, at=self.at)


def read(told: Mapping[str, Any], *, host: str, now: datetime) -> Report | str:
    """Read one report as it stands on the wire; what cannot be read is said."""
    try:
        return report_of(told, host=host, now=now)
    except ValueError as error:
        return str(error)


def report_of(told: Mapping[str, Any], *, host: str, now: datetime) -> Report:
    """Read one report as it stands on the wire; ``now`` is when it came, for one that does not say when it was.

    Raises:
        ValueError: if it says no kind that is known, no session, or a moment that is none.
    """
    kind = _kind(told)
    session = _name(told, "session")
    if not session:
        raise ValueError("session is missing")
    at = told.get("at")
    payload = told.get("payload")
    return Report(
        kind=kind,
        at=_moment(at) if at is not None else now,
        host=host,
        session=session,
        run=_name(told, "run"),
        call=_name(told, "call"),
        audience=Audience.named(_name(told, "audience")),
        trigger=_name(told, "trigger") or "user",
        folder=str(told.get("folder") or "")[:4000],
        payload=payload if isinstance(payload, dict) else {},
    )


def _kind(told: Mapping[str, Any]) -> HappeningKind:
    try:
        return HappeningKind(_name(told, "kind"))
    except ValueError:
        raise ValueError(
            f"kind must be one of {', '.join(HappeningKind)}, not {told.get('kind')!r}"[:MAX_NAME]
        ) from None


def _moment(at: Any) -> datetime:
    """Read milliseconds since 1970, or an ISO time with its zone."""
    try:
        if isinstance(at, int | float) and not isinstance(at, bool):
            return datetime.fromtimestamp(at / 1000, UTC)
        found = datetime.fromisoformat(str(at))
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        said = "at must be an ISO 8601 time with its zone, or milliseconds since 1970"
        raise ValueError(f"{said}, not {at!r}"[:MAX_NAME]) from None
    raise ValueError("at has no time zone")


def _name(told: Mapping[str, Any], key: str) -> str:
    value = told.get(key)
    return words.encodable(value)[:MAX_NAME] if isinstance(value, str) else ""
