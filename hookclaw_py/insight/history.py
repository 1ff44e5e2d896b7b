"""Past decisions for people: a list of them, one of them whole, and what became of the turns they were made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from rich.text import Text

from hookclaw_py.hosts.openclaw.envelope import unwrap
from hookclaw_py.insight import terminal
from hookclaw_py.insight.explaining import STYLES, print_explanation
from hookclaw_py.insight.printing import LABEL, injection_fields, print_folded
from hookclaw_py.insight.turns import UNHEARD, TurnStory
from hookclaw_py.model.types import Injection, Outcome
from hookclaw_py.store.decisions import Decision, Glance
from hookclaw_py.text import on_one_line

STYLE_OF = {"used": "green", "contradicted": "red"}
ID_SHOWN = 8  # digits of an id in a list: enough to name one of two thousand


def print_history(glances: Sequence[Glance], turns: Mapping[str, TurnStory], *, zone: tzinfo | None) -> None:
    """Print each decision: a line of figures, what was asked, and why it came to that."""
    console = terminal.console()
    memories = [_memories(glance, turns.get(glance.id, UNHEARD)) for glance in glances]
    broad = max(map(len, memories), default=0)
    for glance, shown in zip(glances, memories, strict=True):
        cached = " (cached)" if glance.cached else ""
        line = Text.assemble(
            (f"{glance.id[:ID_SHOWN]}  ", "bold"),
            f"{glance.at.astimezone(zone):%d %b %H:%M}  ",
            (f"{glance.outcome:<8}", STYLES[glance.outcome]),
            f"  {shown:<{broad}}  {glance.ms:>5.0f} ms",
        )
        told = [glance.reason + cached, *(f"{stage} failed" for stage in glance.faults)]
        beside = len(line) + 2 + len("; ".join(told)) <= console.width
        if beside:
            line.append("  " + "; ".join(told), "dim")
        console.print(line, soft_wrap=True)
        margin = " " * (ID_SHOWN + 2)
        console.print(Text(margin + asked(glance, max(20, console.width - len(margin)))), soft_wrap=True)
        if not beside:
            console.print(Text(margin + "; ".join(told), "dim"), soft_wrap=True)


def asked(glance: Glance, width: int) -> str:
    """Return the prompt as the person typed it, on one line of at most ``width`` characters."""
    return on_one_line(unwrap(glance.prompt) or glance.prompt, width)


def _memories(glance: Glance, turn: TurnStory) -> str:
    if not glance.shown:
        return ""
    if not turn.seen:
        return f"{len(glance.shown)} too late"
    return f"{len(glance.shown)} shown" + (f", {turn.used} used" if turn.known else "")


def print_decision(decision: Decision, turn: TurnStory, *, limit: int | None, zone: tzinfo | None) -> None:
    """Print a past decision as ``hookclaw explain`` does one of now, and what became of its turn."""
    console, glance = terminal.console(), decision.glance
    where = [f"session {glance.session}" if glance.session else "", f"turn {glance.run}" if glance.run else ""]
    about = [f"{glance.at.astimezone(zone):%Y-%m-%d %H:%M:%S}", *filter(None, where), f"{glance.ms:.0f} ms"]
    if glance.cached:
        about.append(f"from the cache ({glance.cached})")
    if decision.as_of:
        about.append("asked as of that time")
    console.print(Text.assemble((glance.id, "bold"), f"  {', '.join(about)}"))
    print_folded(console, Text(asked(glance, 400)), "prompt", indent=LABEL)
    for line in fate(decision.injection, turn):
        print_folded(console, line, "turn", indent=LABEL)
    print_explanation(decision.injection, limit=limit)
    if decision.beyond:
        console.print(
            Text(f"({decision.beyond} more were considered; of those that stay out the best are kept)", "dim")
        )


def fate(injection: Injection, turn: TurnStory) -> list[Text]:
    """Say what the turn did with each memory that was shown, and what was said of it."""
    if injection.outcome is not Outcome.INJECTED:
        return []
    if not turn.seen:
        return [Text("the host had given up waiting: nobody saw these memories")]
    if not turn.ended:
        told = "no end of this turn was heard: whether the memories helped is not known"
    elif not turn.success:
        told = "it failed: nothing is known of the memories by it"
    else:
        told = "" if turn.kinds else "it ended without an answer to judge by"
    lines = [Text(told, style="dim")] if told else []
    for candidate in injection.candidates:
        words = said_of(turn, candidate.chunk.memory)
        if words:
            lines.append(Text.assemble((words, STYLE_OF.get(words.split()[0], "")), f"  {candidate.chunk.place}"))
    return lines


def said_of(turn: TurnStory, memory: str) -> str:
    """Return what the answer did with a memory, and a verdict on it: "used", "ignored (called bad)", or ""."""
    kind, good = turn.kinds.get(memory, ""), turn.verdicts.get(memory)
    verdict = "" if good is None else f"called {'good' if good else 'bad'}"
    return f"{kind} ({verdict})" if kind and verdict else kind or verdict


def as_row(glance: Glance, turn: TurnStory | None) -> dict[str, Any]:
    """Return a decision in one line, ready for JSON; ``turn`` is null where there are no events of it."""
    return {**glance._asdict(), "turn": turn}


def as_object(decision: Decision, injection: Injection, turn: TurnStory | None) -> dict[str, Any]:
    """Return a decision with its story, ready for JSON: what live ``explain --json`` gives, and what is known besides."""
    glance = decision.glance
    return injection_fields(injection) | {
        "at": glance.at,
        "session": glance.session,
        "run": glance.run,
        "trigger": decision.trigger,
        "prompt": glance.prompt,
        "ms": glance.ms,
        "as_of": decision.as_of,
        "fingerprint": decision.fingerprint,
        "beyond": decision.beyond,
        "turn": turn,
    }
