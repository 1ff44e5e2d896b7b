"""The impact panel: the same lines in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookclaw_py.insight import terminal
from hookclaw_py.insight.captured import panel_text
from hookclaw_py.insight.learned import learned_text
from hookclaw_py.insight.printing import print_folded
from hookclaw_py.insight.stats import Impact, NoteImpact
from hookclaw_py.model.types import Outcome
from hookclaw_py.store.mail import MailCount
from hookclaw_py.text import on_one_line

NOTHING = "nothing was asked in this time, or no history was kept (keepHistory)"


class PanelLine(NamedTuple):
    """One figure of the panel, and what it is made of."""

    name: str
    figure: str
    told: str


def heading(impact: Impact, *, agent: str, zone: tzinfo | None) -> str:
    """Return whose panel it is, and of what time."""
    first, last = impact.since.astimezone(zone), impact.until.astimezone(zone)
    return f"Memory of agent {agent}, {first:%d %b %Y} to {last:%d %b %Y}"


def lines(impact: Impact) -> Iterator[PanelLine]:
    """Yield the figures; what is not known is said to be unknown."""
    outcomes = [f"{count} {name}" for name, count in impact.outcomes.items() if count]
    cached = f" ({impact.cached} answered from the cache)" if impact.cached else ""
    yield PanelLine("prompts", f"{impact.prompts:,}", ", ".join(outcomes) + cached)
    injected = impact.outcomes[Outcome.INJECTED]
    if injected:
        turns = impact.turns
        parts = [
            (turns.used, "used a memory"),
            (turns.unused, "used none"),
            (turns.unknown, "unknown: no end was heard"),
        ]
        parts.append((turns.unseen, "too late for the host"))
        yield PanelLine(
            "turns",
            f"{sum(count for count, _ in parts):,}",
            ", ".join(f"{count} {what}" for count, what in parts if count),
        )
        if impact.memories:
            used = f"{impact.memories_used} used ({impact.memories_used / impact.memories:.0%})"
            yield PanelLine("memories", f"{impact.memories:,}", f"shown in turns with a known end; {used}")
        average = round(impact.tokens / injected)
        yield PanelLine(
            "tokens", f"{impact.tokens:,}", f"spent on memories, about {average} a prompt with any (an estimate)"
        )
    if impact.good or impact.bad:
        yield PanelLine("verdicts", f"{impact.good + impact.bad:,}", f"{impact.good} good, {impact.bad} bad")
    silences = impact.silences
    total = silences.right + silences.wrong + silences.unknown
    if total:
        parts = [(silences.right, "right"), (silences.wrong, "wrong")]
        told = ", ".join(f"{count} {what} by your labels" for count, what in parts if count)
        unknown = (
            f"{silences.unknown} unknown: nobody labelled them (recordPrompts, then hookclaw prompts label)"
            if silences.unknown
            else ""
        )
        yield PanelLine("silences", f"{total:,}", "; ".join(filter(None, [told, unknown])))
    if impact.p95_ms:
        yield PanelLine(
            "time",
            f"{impact.p50_ms:.0f} ms",
            f"at most for half of the searched prompts, {impact.p95_ms:.0f} ms at most for 95 %",
        )
    yield from grown(impact)


def grown(impact: Impact) -> Iterator[PanelLine]:
    """Yield what was learned from sessions, whether anything was asked or not."""
    if words := learned_text(impact.learned):
        today = learned_text(impact.learned_today)
        yield PanelLine("learned", f"{impact.learned.total:,}", f"{words}{f' (today: {today})' if today else ''}")
    if impact.captured.captured:
        yield PanelLine("captured", f"{impact.captured.captured:,}", panel_text(impact.captured))
    if impact.held:
        yield PanelLine("held back", f"{impact.held:,}", "not your own words: `hookclaw review`")
    if any(impact.messages.values()):
        sent, shown, woken, refused = (impact.messages.get(what, 0) for what in MailCount)
        told = f"sent to agents, {shown:,} of theirs delivered; woken {woken:,} times"
        yield PanelLine("messages", f"{sent:,}", f"{told}, {refused:,} times not" if refused else told)


def print_impact(impact: Impact, *, agent: str, zone: tzinfo | None) -> None:
    """Print the panel."""
    console = terminal.console()
    console.print(Text(heading(impact, agent=agent, zone=zone), "bold"))
    if not impact.prompts:
        console.print(NOTHING)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines(impact) if impact.prompts else grown(impact):
        table.add_row(*map(Text, line))
    if table.row_count:
        console.print(table)
    _print_notes(console, "Most useful notes", impact.useful)
    _print_notes(console, "Shown and never used", impact.useless)
    if impact.suggestions:
        console.print(Text("\nWhat to change", "bold"))
    for suggestion in impact.suggestions:
        print_folded(console, Text(suggestion.found, "yellow"), "•")
        print_folded(console, Text(suggestion.advice))


def _print_notes(console: Console, title: str, notes: tuple[NoteImpact, ...]) -> None:
    if not notes:
        return
    console.print(Text(f"\n{title}", "bold"))
    for note in notes:
        told = f"{note.id[:8]}  used {note.used} of {note.shown} times"
        told += f", contradicted {note.contradicted}" if note.contradicted else ""
        console.print(Text.assemble(told, (f"  {note.place}", "dim")))
        text = on_one_line(note.text, max(20, console.width - 12))
        console.print(Text(f"          {text}"), soft_wrap=True)
