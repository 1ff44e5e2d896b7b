"""Plots as SVG text: no script, no font, no file beside them. Colours are classes that the page's style sheet names.

Labels are escaped here; a page puts the drawing in as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 560, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 16, 48
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class Series(NamedTuple):
    """A named line through (x, y) in [0, 1]², and the point on it where the engine works."""

    name: str
    points: Sequence[tuple[float, float]]
    working: tuple[float, float] | None = None


def _x(value: float) -> float:
    return LEFT + value * (WIDTH - LEFT - RIGHT)


def _y(value: float) -> float:
    return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM)


def _frame(title: str, x_title: str, y_title: str, body: str, top: float = 1.0) -> str:
    grid = "".join(
        f'<line class="grid" x1="{_x(0):.1f}" x2="{_x(1):.1f}" y1="{_y(t):.1f}" y2="{_y(t):.1f}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{_y(t) + 4:.1f}" text-anchor="end">{t * top:.0%}</text>'
        f'<text class="tick" x="{_x(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{t:g}</text>'
        for t in TICKS
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{grid}{body}'
        f'<text class="axis" x="{(_x(0) + _x(1)) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_title)}</text>'
        f'<text class="axis" transform="translate(14 {(_y(0) + _y(1)) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_title)}</text></svg>"
    )


def legend(names: Sequence[str], first: int = 0) -> str:
    """Return a line of coloured names."""
    items = "".join(f'<span><i class="s{n}"></i>{escape(name)}</span>' for n, name in enumerate(names, start=first))
    return f'<p class="legend">{items}</p>'


def line_chart(series: Sequence[Series], *, title: str, x_title: str, y_title: str) -> str:
    """Draw curves in the unit square, against its diagonal; a ring marks where each is at work."""
    body = f'<line class="diagonal" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'
    for number, one in enumerate(series, start=1):
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in one.points)
        body += f'<polyline class="line s{number}" points="{path}"><title>{escape(one.name)}</title></polyline>'
    for number, one in enumerate(series, start=1):
        if one.working:
            x, y = one.working
            body += (
                f'<circle class="ring s{number}" cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="6">'
                f"<title>{escape(one.name)}: {x:.1%} against {y:.1%}</title></circle>"
            )
    drawn = _frame(title, x_title, y_title, body)
    return drawn + legend([one.name for one in series], first=1)


def histogram(values: Mapping[str, Sequence[float]], *, title: str, x_title: str, bins: int, mark: float) -> str:
    """Draw the share of each group's values in every bin of [0, 1], side by side, and a line at ``mark``."""
    shares = {name: binned(group, bins) for name, group in values.items()}
    top = max((max(share) for share in shares.values()), default=0.0) or 1.0
    width = 1 / bins / (len(shares) + 0.5)
    body = ""
    for number, (name, share) in enumerate(shares.items()):
        for place, part in enumerate(share):
            x, height = place / bins + number * width, part / top
            body += (
                f'<rect class="bar s{number}" x="{_x(x):.1f}" width="{_x(x + width) - _x(x):.1f}" y="{_y(height):.1f}" '
                f'height="{_y(0) - _y(height):.1f}"><title>{escape(name)}: {part:.1%} in {place / bins:g}–'
                f"{(place + 1) / bins:g}</title></rect>"
            )
    body += f'<line class="mark" x1="{_x(mark):.1f}" x2="{_x(mark):.1f}" y1="{_y(0)}" y2="{_y(1)}"/>'
    return _frame(title, x_title, "share of the prompts", body, top) + legend(list(shares))


def binned(values: Sequence[float], bins: int) -> list[float]:
    """Return the share of ``values`` in each of ``bins`` equal parts of [0, 1]."""
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, max(0, int(value * bins)))] += 1
    return [count / len(values) for count in counts] if values else [0.0] * bins


def calibration_chart(yes: Sequence[float], no: Sequence[float], *, title: str, bins: int) -> str:
    """Draw what a stated probability came to: in each bin the share of ``yes``, both groups weighing the same.

    The area of a dot is the share of all values in its bin; on the diagonal a stated .7 is right seven times in ten.
    """
    right, wrong = binned(yes, bins), binned(no, bins)
    body = f'<line class="diagonal" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}"/>'
    for place, (a, b) in enumerate(zip(right, wrong, strict=True)):
        if a + b:
            x, y, share = (place + 0.5) / bins, a / (a + b), (a + b) / 2
            body += (
                f'<circle class="dot" cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="{4 + 26 * share**0.5:.1f}">'
                f"<title>stated {x:.2f}, right {y:.0%}, {share:.1%} of the prompts</title></circle>"
            )
    return _frame(title, "stated relevance", "share with an answer there", body)


def bar_chart(rows: Sequence[tuple[str, Sequence[float | None]]], names: Sequence[str], *, unit: str) -> str:
    """Draw horizontal bars, one group a row with a value for each of ``names``; as HTML, so that labels wrap."""
    top = max((value for _, values in rows for value in values if value is not None), default=0.0) or 1.0
    top = 1.0 if unit == "share" else top
    body = ""
    for label, values in rows:
        bars = ""
        for number, value in enumerate(values):
            if value is None:
                continue
            shown = f"{value:.3f}" if unit == "share" else f"{value:.2f} {unit}"
            bars += (
                f'<div><b class="s{number}" style="width:{max(0.3, 70 * value / top):.1f}%"></b><em>{shown}</em></div>'
            )
        body += f'<div class="row"><span>{escape(label)}</span><div class="bars">{bars}</div></div>'
    return f'<div class="barchart">{body}</div>' + legend(names)
