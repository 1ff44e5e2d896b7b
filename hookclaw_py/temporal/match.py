"""What a rule of the grammar matched, and how its tokens become a token of the next level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hookclaw_py.temporal import spans
from hookclaw_py.temporal.lexer import Token
from hookclaw_py.temporal.spans import DAY, Cycle, Duration, Span

_SOON = 28 * DAY
Action = Callable[["Match"], Token | None]


class Match:
    """The tokens that a rule matched, and the moment they are read at."""

    def __init__(
        self, tokens: Sequence[Token], now: datetime, lowered: str, *, ahead: bool = False, back: bool = False
    ) -> None:
        self.tokens, self.now, self.lowered, self.ahead, self.back = tokens, now, lowered, ahead, back
        self.wall = now.replace(tzinfo=None)

    def all(self, *kinds: str) -> list[Any]:
        """Return the values of all tokens of these kinds."""
        return [token.value for token in self.tokens if token.kind in kinds]

    def one(self, *kinds: str) -> Any:
        """Return the value of the first token of these kinds, None without one."""
        return next((token.value for token in self.tokens if token.kind in kinds), None)

    def sign(self) -> int:
        """-1 for "last", 0 for "this", 1 for "next"."""
        return -1 if self.one("last", "past", "passed") else 1 if self.one("next", "coming") else 0

    def make(self, kind: str, value: Any) -> Token | None:
        """Return a token over all that matched; None for a value that is None."""
        if value is None:
            return None
        return Token(kind, value, min(t.start for t in self.tokens if t.end), max(t.end for t in self.tokens))

    def span(self, span: Span | None) -> Token | None:
        """Return a token of a span over all that matched."""
        return self.make("span", span)

    def elapsed(self, seconds: float) -> datetime:
        """Return the wall clock ``seconds`` of real time from now."""
        return (self.now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(self.now.tzinfo).replace(tzinfo=None)

    def shifted(self, by: Duration, sign: int) -> datetime:
        """Return the wall clock a length of time from now, ``sign`` 1 ahead and -1 back."""
        if by.seconds and not by.days and not by.months:
            return self.elapsed(sign * by.seconds)
        return spans.moved(self.wall, by, sign)

    def resolved(self, value: Any, *, after: Span | None = None, bound: bool = False) -> Span | None:
        """Return a span for a span, a year or a cycle: of this the first ``after``, the next where it is looked ``ahead``, or the most recent one.

        In the four weeks before a holiday, or before the day that is the ``bound`` of a period, it is the next unless it is looked back.
        """
        if not isinstance(value, Cycle):
            return spans.month_span(value, 1, 12) if isinstance(value, int) else value
        if after:
            return spans.upcoming(value, after.end - DAY)
        last, coming = spans.latest(value, self.wall), spans.upcoming(value, self.wall)
        over = last is not None and last.end <= self.wall
        if self.ahead and over and (value.kind != "date" or self._is_nearer(coming, last)):
            return coming
        yearly = value.kind in ("holiday", "feast") or (bound and value.kind == "date")
        soon = yearly and over and not self.back and coming is not None and coming.start - self.wall <= _SOON
        return coming if soon else last

    def _is_nearer(self, coming: Span | None, last: Span | None) -> bool:
        """Say whether a day is nearer when it comes next than when it came last: what is looked for may be of either."""
        return coming is not None and last is not None and coming.start - self.wall < self.wall - last.start

    def between(self, first: Any, last: Any) -> Token | None:
        """Return from the beginning of ``first`` to the end of ``last``; a cycle is read as near the other end as fits."""
        begins = self.resolved(first, bound=True) if isinstance(first, Cycle) and not self.ahead else None
        if begins and begins.start > self.wall and isinstance(last, Cycle):
            return self._from_to(begins, self.resolved(last, after=begins))
        if isinstance(first, Cycle):
            end = self.resolved(last, bound=True)
            start = spans.latest(first, end.start) if end else None
        else:
            start = self.resolved(first)
            end = self.resolved(last, after=start if start and isinstance(last, Cycle) else None)
        return self._from_to(start, end)

    def _from_to(self, start: Span | None, end: Span | None) -> Token | None:
        return self.span(Span(start.start, end.end) if start and end and start.start < end.end else None)
