"""A flame graph of what py-spy saw as one SVG file that stands alone, readable on light and dark pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from html import escape

WIDTH, ROW, LETTER = 1200, 17, 6.7  # pixels
LEAST = 0.004  # share of the samples below which a frame is not drawn
OURS = "hookclaw_py"
WAITS = (
    "/threads.py:",
    "/workers.py:",
    "/threading.py:",
)  # what is innermost there waits for another thread, or hands over to it
STYLE = """
svg{color-scheme:light dark;--ink:#1c2430;--ours:#9dbcf7;--other:#f3c9a0;--rule:#fff;background:#fff}
@media(prefers-color-scheme:dark){svg{--ink:#e7ebf0;--ours:#24477f;--other:#7a4a1d;--rule:#12161c;background:#12161c}}
text{font:11px ui-monospace,monospace;fill:var(--ink)}rect{stroke:var(--rule)}.ours{fill:var(--ours)}.other{fill:var(--other)}
"""
Stacks = Counter[tuple[str, ...]]
"""How often each stack was seen: its frames, the outermost first, each "function (file)"."""


def stacks(lines: Iterable[str]) -> Stacks:
    """Return how often each stack was seen, of what py-spy wrote: from our first frame on, without what waits and what is none of ours."""
    seen: Stacks = Counter()
    for line in lines:
        whole, _, times = line.rpartition(" ")
        frames = whole.split(";")
        first = next((place for place, frame in enumerate(frames) if f"/{OURS}/" in frame), None)
        if first is not None and not any(name in frames[-1] for name in WAITS):
            seen[tuple(map(_short, frames[first:]))] += int(times)
    return seen


def _short(frame: str) -> str:
    """Return a frame with the path of its file in its package alone."""
    return re.sub(rf"\((?:.*/(?={OURS}/)|.*/(?:site-packages|python3\.\d+)/)", "(", frame)


def flame_graph(seen: Stacks, title: str) -> str:
    """Return the drawing: callers below, what they call above, the widest first."""
    total, boxes = seen.total() or 1, list[tuple[int, float, float, str]]()

    def grow(part: Stacks, depth: int, left: float) -> None:
        groups: defaultdict[str, Stacks] = defaultdict(Counter)
        for stack, times in part.items():
            if stack:
                groups[stack[0]][stack[1:]] += times
        for frame, rest in sorted(groups.items(), key=lambda group: (-group[1].total(), group[0])):
            if (share := rest.total() / total) >= LEAST:
                boxes.append((depth, left, share, frame))
                grow(rest, depth + 1, left)
                left += share

    grow(seen, 0, 0.0)
    height = ROW * (max((depth for depth, *_ in boxes), default=0) + 2)
    body = "".join(_box(height - ROW * (depth + 1), left, share, frame) for depth, left, share, frame in boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(title)}"><style>{STYLE}</style><text x="4" y="12">{escape(title)}</text>{body}</svg>\n'
    )


def _box(y: int, left: float, share: float, frame: str) -> str:
    x, width = left * WIDTH, share * WIDTH
    letters = max(0, int((width - 6) / LETTER))
    name = frame if len(frame) <= letters else frame.partition(" ")[0][:letters]
    text = f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(name)}</text>' if letters > 2 else ""
    kind = "ours" if f"({OURS}/" in frame else "other"
    rect = f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW}"/>'
    return f"<g><title>{escape(frame)}: {share:.1%}</title>{rect}{text}</g>"
