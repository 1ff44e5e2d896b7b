"""Operating curves, or numbers over time or size, side by side as one SVG file that stands alone: for a README, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, log10

Curve = Sequence[tuple[float, float]]
"""(false fire, home fire) in [0, 1], from silence on."""
Line = Sequence[tuple[float, float]]
"""(minutes or size, value), in order."""

WIDTH, HEIGHT = 300, 250  # of one panel
LEFT, RIGHT, TOP, BOTTOM = 48, 18, 30, 40
HEAD = 34  # above the panels: the legend
FALSE_TICKS, HOME_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
STEPS = 4  # of a grid over time
STYLE = """
svg{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--rule:#dfe3e8;--s0:#2563eb;--s1:#e07a1f;--s2:#6b7280;--s3:#2e8b57;--s4:#a1489b;background:#fff}
@media(prefers-color-scheme:dark){svg{--ink:#e7ebf0;--soft:#9aa6b5;--rule:#303946;--s0:#6ea0ff;--s1:#f2a04e;--s2:#9aa6b5;--s3:#6cc594;--s4:#d28bcc;background:#12161c}}
text{font:11px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--soft)}
.title{font-size:13px;font-weight:600;fill:var(--ink)}.key{font-size:12px;fill:var(--ink)}
.grid{stroke:var(--rule)}.mark{stroke:var(--soft);stroke-dasharray:4 4}
.line{fill:none;stroke-width:2.2;stroke-linejoin:round}.s0{stroke:var(--s0)}.s1{stroke:var(--s1)}.s2{stroke:var(--s2);stroke-dasharray:6 3}.s3{stroke:var(--s3)}.s4{stroke:var(--s4);stroke-dasharray:2 3}
.ring{stroke-width:2.5;fill:none}
"""


def operating_panels(
    panels: Mapping[str, Mapping[str, Curve]],
    *,
    working: Mapping[str, tuple[float, float]] | None = None,
    columns: int = 3,
) -> str:
    """Return the drawing: a panel for each title, in it a curve for each name (the same names in the same order).

    The upper half is shown, home fire from 50 % up; a dashed line marks 95 %, a ring the point where the first curve's
    engine works (``working``, by title).
    """
    names = list(next(iter(panels.values())))
    rows = -(-len(panels) // columns)
    width, height = columns * WIDTH, rows * HEIGHT + HEAD
    body = _legend(names, working=bool(working))
    for place, (title, curves) in enumerate(panels.items()):
        x, y = place % columns * WIDTH, place // columns * HEIGHT + HEAD
        point = (working or {}).get(title)
        body += f'<g transform="translate({x} {y})">{_panel(title, curves, point)}</g>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="Home fire against false fire"><style>{STYLE}</style>{body}</svg>\n'
    )


def _legend(names: Sequence[str], *, working: bool) -> str:
    drawn, x = "", LEFT
    for number, name in enumerate(names):
        drawn += f'<line class="line s{number}" x1="{x}" x2="{x + 24}" y1="18" y2="18"/>'
        drawn += f'<text class="key" x="{x + 30}" y="22">{escape(name)}</text>'
        x += 50 + 8 * len(name)
    if working:
        drawn += f'<circle class="ring s0" cx="{x + 5}" cy="18" r="5"/>'
        drawn += f'<text class="key" x="{x + 16}" y="22">{escape(names[0])}, at its own level</text>'
    return drawn


def _x(false_fire: float) -> float:
    return LEFT + false_fire * (WIDTH - LEFT - RIGHT)


def _y(home_fire: float) -> float:
    return HEIGHT - BOTTOM - (home_fire - 0.5) / 0.5 * (HEIGHT - TOP - BOTTOM)


def _panel(title: str, curves: Mapping[str, Curve], working: tuple[float, float] | None) -> str:
    drawn = f'<text class="title" x="{LEFT}" y="{TOP - 10}">{escape(title)}</text>'
    for tick in FALSE_TICKS:
        drawn += f'<line class="grid" x1="{_x(tick):.1f}" x2="{_x(tick):.1f}" y1="{_y(0.5):.1f}" y2="{_y(1):.1f}"/>'
        drawn += f'<text x="{_x(tick):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{tick:.0%}</text>'
    for tick in HOME_TICKS:
        drawn += f'<line class="grid" x1="{_x(0):.1f}" x2="{_x(1):.1f}" y1="{_y(tick):.1f}" y2="{_y(tick):.1f}"/>'
        drawn += f'<text x="{LEFT - 6}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:.0%}</text>'
    drawn += f'<line class="mark" x1="{_x(0):.1f}" x2="{_x(1):.1f}" y1="{_y(0.95):.1f}" y2="{_y(0.95):.1f}"/>'
    for number, (name, curve) in reversed(list(enumerate(curves.items()))):
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in _upper_half(curve))
        drawn += f'<polyline class="line s{number}" points="{path}"><title>{escape(name)}</title></polyline>'
    if working is not None and working[1] >= 0.5:
        drawn += f'<circle class="ring s0" cx="{_x(working[0]):.1f}" cy="{_y(working[1]):.1f}" r="5"/>'
    middle = (_x(0) + _x(1)) / 2
    drawn += f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">false fire</text>'
    turned = f"translate(11 {(_y(0.5) + _y(1)) / 2:.0f}) rotate(-90)"
    return f'{drawn}<text transform="{turned}" text-anchor="middle">home fire</text>'


def _upper_half(curve: Curve) -> list[tuple[float, float]]:
    """Return the points with a home fire of .5 and more, begun exactly at .5 where the curve crosses it."""
    kept: list[tuple[float, float]] = []
    before: tuple[float, float] | None = None
    for x, y in curve:
        if y >= 0.5:
            if not kept and before is not None and y > before[1]:
                share = (0.5 - before[1]) / (y - before[1])
                kept.append((before[0] + share * (x - before[0]), 0.5))
            kept.append((x, y))
        before = (x, y)
    return kept


def panels_over_time(panels: Mapping[str, Mapping[str, Line]], *, columns: int = 2) -> str:
    """Return the drawing: a panel for each title, begun at nought, in it a line for each name (the same names in each)."""
    minutes = max(x for lines in panels.values() for line in lines.values() for x, _ in line) or 1
    ticks = {minutes * step / STEPS: f"{minutes * step / STEPS:.3g}" for step in range(STEPS + 1)}
    return _panels_of_lines(panels, ticks, "minutes", columns)


def panels_by_size(panels: Mapping[str, Mapping[str, Line]], what: str, *, columns: int = 2) -> str:
    """Return the same of (how many of ``what``, value): each ten times as many are one step to the right."""
    sizes = sorted({size for lines in panels.values() for line in lines.values() for size, _ in line})
    steps = {
        title: {name: [(log10(size), y) for size, y in line] for name, line in lines.items()}
        for title, lines in panels.items()
    }
    return _panels_of_lines(steps, {log10(size): f"{size:,.0f}" for size in sizes}, what, columns)


def _panels_of_lines(
    panels: Mapping[str, Mapping[str, Line]], ticks: Mapping[float, str], below: str, columns: int
) -> str:
    """Return the drawing: lines over an axis that reaches from the first to the last of ``ticks``."""
    names = list(next(iter(panels.values())))
    width, height = columns * WIDTH, -(-len(panels) // columns) * HEIGHT + HEAD
    body = _legend(names, working=False)
    for place, (title, lines) in enumerate(panels.items()):
        at = f"{place % columns * WIDTH} {place // columns * HEIGHT + HEAD}"
        body += f'<g transform="translate({at})">{_panel_of_lines(title, lines, ticks, below)}</g>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(", ".join(panels))} by {escape(below)}"><style>{STYLE}</style>{body}</svg>\n'
    )


def _panel_of_lines(title: str, lines: Mapping[str, Line], ticks: Mapping[float, str], below: str) -> str:
    top = _top(max(y for line in lines.values() for _, y in line))
    right, low, high = WIDTH - RIGHT, HEIGHT - BOTTOM, TOP
    first, last = min(ticks), max(ticks)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (x - first) / (last - first or 1) * (right - LEFT), low - y / top * (low - high)

    drawn = f'<text class="title" x="{LEFT}" y="{TOP - 10}">{escape(title)}</text>'
    for step in range(STEPS + 1):
        value, y = top * step / STEPS, at(first, top * step / STEPS)[1]
        drawn += f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        drawn += f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    for x, label in ticks.items():
        drawn += f'<text x="{at(x, 0)[0]:.1f}" y="{low + 15}" text-anchor="middle">{label}</text>'
    for number, (name, line) in enumerate(lines.items()):
        path = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line)
        drawn += f'<polyline class="line s{number}" points="{path}"><title>{escape(name)}</title></polyline>'
    return f'{drawn}<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(below)}</text>'


def _top(most: float) -> float:
    """Return a round number that is not below the most, and not far above it."""
    size = 10.0 ** ceil(log10(most or 1)) / 10
    return next((step * size for step in (1, 2, 4, 5, 6, 8, 10) if step * size >= most), most)
