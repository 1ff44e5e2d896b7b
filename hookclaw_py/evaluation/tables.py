"""A result as a table for people: the same rows in the terminal, in Markdown and in the HTML report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from hookclaw_py.evaluation.results import Result

SHOWN = ("R@1", "R@3", "R@5", "R@10", "RAll@5", "Success@5", "nDCG@10", "RR")


class Sheet(NamedTuple):
    """A titled table: column heads, then rows; everything is text already."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def number(value: Any) -> str:
    """Write a share or measure with three decimals and no leading 0, a missing one as "–"."""
    if value is None:
        return "–"
    return f"{value:.3f}".replace("0.", ".", 1) if 0 <= value < 1 else f"{value:.3f}"


def sheets(result: Result, level: str | None = None) -> Iterator[Sheet]:
    """Yield the tables of one result; with ``level`` only the ranking at that level."""
    if "gating" in result:
        yield from _gating(result["gating"])
        return
    if "temporal" in result:
        yield _temporal(result["temporal"])
        return
    if "vault" in result:
        yield from _vault(result["vault"])
        return
    for name, found in result["ranking"].items():
        if level in (None, name):
            yield from _ranking(name, found)
    if result["silence"].get("home", {}).get("prompts") or result["silence"].get("against"):
        yield _silence(result["silence"])
    if result["carry"].get("prompts"):
        yield _carry(result["carry"])
    if result["staleness"]:
        shown = {k: v for k, v in result["staleness"].items() if k != "prompts"}
        title = f"Staleness ({result['staleness']['prompts']} prompts with a replaced note)"
        yield Sheet(title, [k.replace("_", " ") for k in shown], [[number(v) for v in shown.values()]])
    yield _cost(result["cost"])


def _ranking(level: str, found: dict[str, Any]) -> Iterator[Sheet]:
    rows = [["all", str(found["judged"]), *(number(found["overall"][m]) for m in SHOWN)]]
    if len(found["by_category"]) > 1:
        rows += [[c or "–", str(v["prompts"]), *(number(v[m]) for m in SHOWN)] for c, v in found["by_category"].items()]
    yield Sheet(f"Ranking by {level}, before abstention", ["", "judged", *SHOWN], rows)
    if found["legs"]:
        legs = [[leg, *(number(v[m]) for m in SHOWN)] for leg, v in found["legs"].items()]
        yield Sheet(f"Each part alone, by {level}", ["", *SHOWN], legs)


def _silence(found: dict[str, Any]) -> Sheet:
    heads = [
        "prompts",
        "how many",
        "fired",
        "skipped by the gate",
        "area",
        "fires at 95 % home",
        "at 90 %",
        "without gate: area",
        "at 95 %",
        "at 90 %",
    ]
    rows = [["at home, answer in the store", *_fired(found["home"]), *["–"] * 6]]
    for name, other in found["against"].items():
        curves = [other["whole_engine"], other["abstention_alone"]]
        marks = [[number(c["area"]), *(_false_fire(c[at]) for at in ("at_95", "at_90"))] for c in curves]
        rows.append([name, *_fired(other), *marks[0], *marks[1]])
    return Sheet(f"Silence, at level {found['level']:g}", heads, rows)


def _fired(found: dict[str, Any]) -> list[str]:
    return [str(found["prompts"]), number(found["fired"]), number(found["skipped"])]


def _false_fire(point: dict[str, float] | None) -> str:
    return number(point["false_fire"]) if point else "not reached"


def _carry(found: dict[str, Any]) -> Sheet:
    heads = {
        "whole": "a relevant chunk whole", "all": "every one whole", "part": "at least in part", "answer": "the answer's words",
        "precision": "precision", "chunks": "chunks an injection", "characters": "characters", "tokens": "tokens",
    }  # fmt: skip
    shown = {head: found[key] for key, head in heads.items() if key in found}
    long = {"characters", "tokens", "chunks an injection"}
    row = [f"{value:.1f}" if head in long else number(value) for head, value in shown.items()]
    return Sheet(f"Carry ({found['prompts']} prompts with a relevant chunk)", list(shown), [row])


def _cost(found: dict[str, Any]) -> Sheet:
    stages = sorted(found["stages_ms"].items(), key=lambda item: -item[1]["p50"])
    rows = [[stage, *(f"{ms[p]:.2f}" for p in ("p50", "p95", "p99"))] for stage, ms in stages[:8]]
    title = (
        f"Cost: {found['chunks']} chunks indexed in {found['index_seconds']:.1f} s, embedded in "
        f"{found['embed_seconds']:.1f} s, {found['peak_memory_mb']} MB at most"
    )
    return Sheet(title, ["ms a turn", "p50", "p95", "p99"], rows)


def _gating(found: dict[str, Any]) -> Iterator[Sheet]:
    rows = [[row["label"], row["source"], str(row["prompts"]), number(row["skipped"])] for row in found["by_label"]]
    rows += [[row["label"], row["source"], str(row["prompts"]), number(row["skipped"])] for row in found["by_source"]]
    yield Sheet("Gate: what is skipped before any search", ["label", "source", "prompts", "skipped"], rows)
    reasons = sorted(found["reasons"].items(), key=lambda item: -item[1])
    if reasons:
        yield Sheet("Why", ["reason", "prompts"], [[reason, str(count)] for reason, count in reasons])


def _temporal(found: dict[str, Any]) -> Sheet:
    keys = ("found", "overlap", "start")
    rows = [
        [r["source"], str(r["prompts"]), *(number(r[k]) for k in keys), str(r["negatives"]), number(r["false"])]
        for r in found["by_source"]
    ]
    return Sheet("Phrases of time", ["source", "prompts", *keys, "without a time", "read one there"], rows)


def _vault(found: dict[str, Any]) -> Iterator[Sheet]:
    keys = ("right", "wrong", "missing", "firm")
    rows = [[kind, str(row["prompts"]), *(number(row[key]) for key in keys)] for kind, row in found["rates"].items()]
    heads = ["kind", "prompts", "right", "wrong", "missing", "wrong with .9"]
    yield Sheet(f"What the owner gets, from {found['chunks']} chunks", heads, rows)
    bars = [
        [number(mean), number(right), str(count), "█" * round(20 * right)]
        for mean, right, count in found["reliability"]
    ]
    yield Sheet("Reliability of the relevance", ["relevance", "right", "blocks", "right, of 20"], bars)


def markdown(sheet: Sheet) -> str:
    """Return a sheet as a Markdown table under its title in bold."""
    lines = [sheet.heads, ["---", *["---:"] * (len(sheet.heads) - 1)], *sheet.rows]
    body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") or " " for cell in line) + " |" for line in lines)
    return f"**{sheet.title}**\n\n{body}\n"
