"""The numbers of ``hookclaw metrics`` as a person reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hookclaw_py.insight import terminal
from hookclaw_py.insight.printing import ago, counted

STAGES = 8  # the slowest


def print_metrics(told: Mapping[str, Any]) -> None:
    """Print the document as tables; what was never counted takes no room."""
    console = terminal.console()
    prompts = told["prompts"]
    console.print(Text(f"agent {told['agent']}: {prompts} prompts", style="bold"))
    if not prompts:
        console.print(Text("nothing counted yet", style="dim"))
    parts = [_outcomes(told), _times(told), _facts(told), _citations(told)]
    console.print(Group(*(part for part in parts if part.row_count)))


def _outcomes(told: Mapping[str, Any]) -> Table:
    table = _table("outcome", "reason", "prompts", "share")
    for outcome, reasons in sorted(told["reasons"].items(), key=lambda item: -sum(item[1].values())):
        for n, (reason, count) in enumerate(sorted(reasons.items(), key=lambda item: -item[1])):
            table.add_row("" if n else outcome, _words(reason), str(count), _share(count, told["prompts"]))
    return table


def _times(told: Mapping[str, Any]) -> Table:
    """Return the times; the percentiles with no more digits than buckets bear."""
    table = _table("milliseconds", "count", "mean", "~p50", "~p95", "~p99")
    slowest = sorted(told["stagesMs"].items(), key=lambda item: -item[1]["mean"] * item[1]["count"])[:STAGES]
    rows = [(outcome, times) for outcome, times in told["latencyMs"].items() if times["count"]]
    for name, times in [*rows, *((f"· {_words(stage)}", times) for stage, times in slowest)]:
        about = (f"{float(f'{times[figure]:.1e}'):g}" for figure in ("p50", "p95", "p99"))
        table.add_row(name, str(times["count"]), f"{times['mean']:.2f}", *about)
    return table


def _facts(told: Mapping[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    chunks, blocks, index, circuit = told["chunks"], told["blocks"], told["index"], told["circuit"]
    shown = max(chunks["injected"], 1)
    facts = {
        "~p50, ~p95, ~p99": told["percentilesAre"] if told["prompts"] else "",
        "cache": _listed(told["cache"]),
        "degraded": str(told["degraded"] or ""),
        "injected chunks": f"{chunks['injected']} ({_share(chunks['repeated'], shown)} shown before in the session)"
        if chunks["injected"]
        else "",
        "found by": ", ".join(f"{_words(name)} {_share(n, shown)}" for name, n in chunks["foundBy"].items()),
        "sources": _listed(chunks["bySource"]),
        "left out by": _listed(told["rejectedBy"]),
        "tokens injected": f"{blocks['tokens']} ({blocks['tokensAre']}), {blocks['tokens'] / blocks['injected']:.0f} a block"
        if blocks["injected"]
        else "",
        "blocks in a session": _listed({name: blocks[name] for name in ("first", "same", "changed")}),
        "bytes changed": str(blocks["changedBytes"] or ""),
        "came too late": str(blocks["undelivered"] or ""),
        "relevance injected": _mean(told["relevance"].get("injected")),
        "relevance left out": _mean(told["relevance"].get("rejected")),
        "contradicted by the user": str(told["objected"] or ""),
        "faults": _listed(told["faults"]),
        "captured": _listed(told["captured"]),
        "not captured, too much at once": str(told["captureLost"] or ""),
        "messages": _listed(told["messages"]),
        "model": _listed(told["model"]["questions"]),
        "learned": _learned(told["records"]),
        "left behind": _listed(told["leftBehind"]),
        "circuit": f"{circuit['state']} since {circuit['since']}" if circuit["state"] else "",
        "index": f"{counted(index['chunks'], 'chunk')} of {counted(index['files'], 'file')}, {index['embedded']} embedded, "
        f"{index['pending']} texts to embed, read {ago(index['secondsSinceIndex'])}",
    }
    for name, fact in facts.items():
        if fact:
            table.add_row(Text(name, style="dim"), escape(fact))
    return table


def _learned(records: Mapping[str, Any]) -> str:
    """Return what was learned from sessions, by kind and by what has become of it, and how present it is."""
    if not records["total"]:
        return ""
    fallen: Counter[str] = Counter()
    for statuses in records["byStatus"].values():
        fallen.update({status: number for status, number in statuses.items() if status != "active"})
    parts = [_listed(records["byKind"]) or "nothing that stands", _listed(fallen)]
    parts.append(f"mean salience {records['meanSalience']:.2f}, confidence {records['meanConfidence']:.2f}")
    return "; ".join(filter(None, parts))


def _citations(told: Mapping[str, Any]) -> Table:
    table = _table("shown, turn ended", "chunks", "used", "rate")
    for name, part in (("rank", told["usedByRank"]), ("", told["usedBySource"])):
        for label, numbers in part.items():
            table.add_row(
                f"{name} {_words(label)}".strip(),
                str(numbers["settled"]),
                str(numbers["used"]),
                f"{numbers['rate']:.0%}",
            )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="left" if name == "reason" else "right")
    return table


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{_words(name)} {count}" for name, count in _biggest(counts) if count)


def _biggest(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _mean(histogram: Mapping[str, Any] | None) -> str:
    return f"{histogram['mean']:.3f} (mean of {histogram['count']})" if histogram else ""


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def _words(label: str) -> str:
    return label.replace("_", " ")
