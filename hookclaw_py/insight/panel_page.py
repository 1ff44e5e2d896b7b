"""The impact panel as one self-contained page: no script, no font, no file beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import NamedTuple

from hookclaw_py import __version__
from hookclaw_py.evaluation import charts, pages
from hookclaw_py.insight.panel import NOTHING, heading, lines
from hookclaw_py.insight.stats import Impact
from hookclaw_py.model.types import Outcome

WEEK = 8  # days that a week touches


class Bar(NamedTuple):
    """One outcome of a day; ``width`` in percent."""

    colour: int
    width: float
    number: int


def page(impact: Impact, *, agent: str, zone: tzinfo | None) -> str:
    """Return the page as HTML."""
    outcomes = [outcome.value for outcome in Outcome if impact.outcomes[outcome]]
    return pages.render(
        "insight",
        "panel.html",
        title=heading(impact, agent=agent, zone=zone),
        impact=impact,
        figures=list(lines(impact)),
        nothing=NOTHING,
        days=list(_days(impact, outcomes)) if impact.prompts else [],
        legend=charts.legend(outcomes),
        version=__version__,
        written=impact.until.astimezone(zone),
    )


def _days(impact: Impact, outcomes: Sequence[str]) -> Iterator[tuple[str, list[Bar]]]:
    """Yield each day with a bar for each outcome that it had; of a long time only the days with prompts."""
    days = {day: counts for day, counts in impact.by_day.items() if len(impact.by_day) <= WEEK or any(counts.values())}
    most = max(count for counts in days.values() for count in counts.values())
    for day, counts in days.items():
        yield day, [Bar(n, 70 * counts[o] / most, counts[o]) for n, o in enumerate(outcomes) if counts[o]]
