"""The impact panel as one self-contained page: no script, no font, no file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from html import escape
from importlib.resources import files

from hookclaw_py import __version__
from hookclaw_py.evaluation import charts
from hookclaw_py.insight.panel import NOTHING, heading, lines
from hookclaw_py.insight.stats import Impact, NoteImpact
from hookclaw_py.model.types import Outcome

WEEK = 8  # days that a week touches


def page(impact: Impact, *, agent: str, zone: tzinfo | None) -> str:
    """Return the page as HTML."""
    style = files("hookclaw_py.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    title = heading(impact, agent=agent, zone=zone)
    parts = [
        f"<header><h1>{escape(title)}</h1><p>What was asked, what the memories came to, what they cost.</p></header>"
    ]
    parts.append(_tiles(impact))
    if impact.suggestions:
        parts.append(_section("What to change", _suggestions(impact)))
    if impact.prompts:
        parts.append(
            _section("Day by day", f"<figure>{_days(impact)}<figcaption>Prompts by outcome.</figcaption></figure>")
        )
    for name, notes in (("Most useful notes", impact.useful), ("Shown and never used", impact.useless)):
        if notes:
            parts.append(_section(name, _notes(notes)))
    parts.append(
        f"<footer>hookclaw {escape(__version__)} · written {impact.until.astimezone(zone):%Y-%m-%d %H:%M}</footer>"
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _tiles(impact: Impact) -> str:
    tiles = "".join(
        f'<div class="tile"><h3>{escape(name)}</h3><p>{escape(figure)}</p><small>{escape(told)}</small></div>'
        for name, figure, told in lines(impact)
    )
    return f'<section class="tiles">{tiles if impact.prompts else escape(NOTHING)}</section>'


def _suggestions(impact: Impact) -> str:
    items = "".join(f"<li>{escape(s.found)}<br><small>{escape(s.advice)}</small></li>" for s in impact.suggestions)
    return f"<ul>{items}</ul>"


def _days(impact: Impact) -> str:
    """Draw a bar for each outcome that there was, day by day; of a long time only the days with prompts."""
    outcomes = [outcome.value for outcome in Outcome if impact.outcomes[outcome]]
    days = {day: counts for day, counts in impact.by_day.items() if len(impact.by_day) <= WEEK or any(counts.values())}
    most = max(count for counts in days.values() for count in counts.values())
    body = ""
    for day, counts in days.items():
        bars = "".join(
            f'<div><b class="s{n}" style="width:{70 * counts[outcome] / most:.1f}%"></b><em>{counts[outcome]}</em></div>'
            for n, outcome in enumerate(outcomes)
            if counts[outcome]
        )
        body += f'<div class="row"><span>{escape(day)}</span><div class="bars">{bars}</div></div>'
    return f'<div class="barchart">{body}</div>{charts.legend(outcomes)}'


def _notes(notes: Sequence[NoteImpact]) -> str:
    head = "<tr><th>used</th><th>shown</th><th>contradicted</th><th>note</th><th>id</th></tr>"
    body = "".join(
        f"<tr><td>{n.used}</td><td>{n.shown}</td><td>{n.contradicted}</td>"
        f"<td>{escape(n.text)}<br><small>{escape(n.place)}</small></td><td><code>{n.id}</code></td></tr>"
        for n in notes
    )
    return f"<div class='wide'><table>{head}{body}</table></div>"


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"
