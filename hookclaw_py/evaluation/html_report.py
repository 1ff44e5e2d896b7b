"""One self-contained HTML page about one run: the plots people look at first, and the prompts that went worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from hookclaw_py.evaluation import charts, tables
from hookclaw_py.evaluation.replay import Replay, Reply
from hookclaw_py.evaluation.results import Result, level_of
from hookclaw_py.evaluation.sets import MemorySet

WORST = 25
SHOWN = 5  # of a ranking
SNIPPET = 300  # characters


def html_report(result: Result, memory_set: MemorySet | None, replayed: Replay | None) -> str:
    """Return the page; a set without documents has tables only."""
    style = files("hookclaw_py.evaluation").joinpath("report.css").read_text(encoding="utf-8")
    parts = [_head(result)]
    if memory_set is not None and replayed is not None:
        parts += [_tiles(result), *_plots(result, memory_set, replayed), _worst(result, memory_set, replayed)]
    parts.append(_section("Every number", "".join(_table(sheet) for sheet in tables.sheets(result))))
    parts.append(_made_with(result))
    title = escape(f"hookclaw: {result['set']['name']}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def _head(result: Result) -> str:
    data = result["set"]
    size = f"{data['prompts']:,} prompts, {data['documents']:,} documents"
    changed = ", ".join(f"{key} = {value}" for key, value in result["config"].items()) or "default configuration"
    model = result["model"] or "no vectors"
    return f"<header><h1>{escape(data['name'])}</h1><p>{size} · {escape(changed)} · {escape(model)}</p></header>"


def _tiles(result: Result) -> str:
    found: list[tuple[str, str, str]] = []
    for level, measured in result["ranking"].items():
        found.append((f"R@5 by {level}", tables.number(measured["overall"]["R@5"]), "relevant ones in the first five"))
    home = result["silence"]["home"]
    found.append(("home fire", tables.number(home["fired"]), "answer in the store, something injected"))
    for name, other in result["silence"]["against"].items():
        found.append((f"false fire: {name}", tables.number(other["fired"]), f"of {other['prompts']:,} prompts"))
    if "whole" in result["carry"]:
        found.append(("carry", tables.number(result["carry"]["whole"]), "a relevant chunk whole in the block"))
        found.append(("precision", tables.number(result["carry"].get("precision")), "of what was injected"))
    turn = result["cost"]["stages_ms"].get("whole turn")
    if turn:
        found.append(("a turn", f"{turn['p50']:.1f} ms", f"p95 {turn['p95']:.1f} ms"))
    tiles = "".join(
        f'<div class="tile"><h3>{escape(name)}</h3><p>{escape(value)}</p><small>{escape(note)}</small></div>'
        for name, value, note in found
    )
    return f'<section class="tiles">{tiles}</section>'


def _plots(result: Result, memory_set: MemorySet, replayed: Replay) -> Iterator[str]:
    against = result["silence"]["against"]
    level = result["silence"]["level"]
    if against:
        yield _section(
            "When it speaks",
            '<div class="pair">'
            + _figure(
                _fire_chart(against),
                "Each curve is every possible abstention level; the ring is where the engine works. Up and left is better.",
            )
            + _figure(*_evidence_chart(replayed, memory_set, level))
            + "</div>",
        )
    plots = []
    if result["ranking"]:
        plots.append(_figure(_category_chart(result), "Ranking and home fire by category of prompt."))
    judged = _judged(memory_set)
    home = [r.evidence for r in replayed.at_home if r.prompt.id in judged]
    if home and replayed.strangers:
        chart = charts.calibration_chart(home, [r.evidence for r in replayed.strangers], title="Calibration", bins=10)
        plots.append(
            _figure(
                chart,
                "Calibration: prompts at home against the same prompts asked of another store, both weighing the same. On the dashed line the stated relevance is right.",
            )
        )
    yield _section("How good it is", f'<div class="pair">{"".join(plots)}</div>')
    stages = sorted(result["cost"]["stages_ms"].items(), key=lambda item: -item[1]["p95"])[:12]
    chart = charts.bar_chart([(stage, [ms["p50"], ms["p95"]]) for stage, ms in stages], ["p50", "p95"], unit="ms")
    yield _section(
        "What it costs",
        _figure(chart, "Milliseconds of one turn by stage; stages can lie inside one another or run side by side."),
    )


def _fire_chart(against: Mapping[str, Any]) -> str:
    series = []
    for name, other in against.items():
        curve, work = other["whole_engine"]["curve"], other["whole_engine"]["working_point"]
        points = [(false_fire, home_fire) for _, home_fire, false_fire in curve]
        series.append(
            charts.Series(
                f"{name} (area {tables.number(other['whole_engine']['area'])})",
                points,
                (work["false_fire"], work["home_fire"]),
            )
        )
    return charts.line_chart(
        series, title="Home fire against false fire", x_title="false fire", y_title="home fire", diagonal=True, first=1
    )


def _evidence_chart(replayed: Replay, memory_set: MemorySet, level: float) -> tuple[str, str]:
    judged = _judged(memory_set)
    groups = {
        "at home": [r.evidence for r in replayed.at_home if r.prompt.id in judged],
        "cross-pair": [r.evidence for r in replayed.strangers],
        "unanswerable": [r.evidence for r in replayed.at_home if not r.prompt.answerable],
        "no memory needed": [r.evidence for r in replayed.needless],
    }
    shown = {name: values for name, values in groups.items() if values}
    drawn = charts.histogram(shown, title="Best relevance", x_title="best relevance of the pool", bins=20, mark=level)
    return drawn, "How sure the engine is, by kind of prompt; the line is the abstention level."


def _category_chart(result: Result) -> str:
    level, measured = next(iter(result["ranking"].items()))
    fired = result["silence"]["home"]["by_category"]
    rows: list[tuple[str, list[float | None]]] = []
    for category, values in measured["by_category"].items():
        rows.append(
            (f"{category or 'all'} ({values['prompts']})", [values["R@5"], fired.get(category, {}).get("fired")])
        )
    return charts.bar_chart(rows, [f"R@5 by {level}", "home fire"], unit="share")


def _judged(memory_set: MemorySet) -> set[str]:
    return {*memory_set.judged("chunk"), *memory_set.judged("session")}


def _worst(result: Result, memory_set: MemorySet, replayed: Replay) -> str:
    """List the prompts with the lowest nDCG@10 (first those that were silent or wrong), and the surest false fires."""
    level = next(iter(result["ranking"]), "")
    judged = memory_set.judged(level) if level else {}
    lost = sorted(
        (r for r in replayed.at_home if r.prompt.id in judged),
        key=lambda r: (result["prompts"][r.prompt.id][level]["nDCG@10"], -r.evidence, r.prompt.id),
    )
    wrong = sorted(
        (
            r
            for r in (
                *replayed.strangers,
                *replayed.needless,
                *(h for h in replayed.at_home if not h.prompt.answerable),
            )
            if r.fired
        ),
        key=lambda r: (-level_of(r), r.prompt.id),
    )
    texts = {d.id: d.text for d in memory_set.documents}
    parts = "<h3>Found least</h3>" + "".join(
        _story(r, judged.get(r.prompt.id, {}), texts, result, level) for r in lost[:WORST]
    )
    if wrong:
        parts += "<h3>Surest where it should be silent</h3>" + "".join(
            _story(r, {}, texts, result, level) for r in wrong[:WORST]
        )
    return _section("Where it fails", parts)


def _story(reply: Reply, relevant: Mapping[str, int], texts: Mapping[str, str], result: Result, level: str) -> str:
    """Return one prompt as a fold-out: its explanation as the engine left it."""
    measured = result["prompts"].get(reply.prompt.id, {}).get(level, {}) if relevant else {}
    score = (
        f"nDCG@10 {tables.number(measured['nDCG@10'])}" if measured else f"relevance {tables.number(reply.evidence)}"
    )
    place = {name: rank for rank, (name, _) in enumerate(reply.ranking, start=1)}
    legs = {leg: {name: rank for rank, (name, _) in enumerate(votes, start=1)} for leg, votes in reply.legs.items()}

    def row(name: str, mark: str) -> str:
        ranks = " · ".join(f"{leg} {ranks.get(name, '–')}" for leg, ranks in legs.items())
        snippet = escape(texts.get(name, "")[:SNIPPET])
        return f"<tr><td>{mark}</td><td>{place.get(name, '–')}</td><td>{escape(name)}<br><small>{ranks}</small></td><td>{snippet}</td></tr>"

    wanted = "".join(row(name, "relevant") for name in list(relevant)[:SHOWN])
    ranked = "".join(
        row(name, "injected" if name in reply.injected else "")
        for name, _ in reply.ranking[:SHOWN]
        if name not in relevant
    )
    ranked = ranked or "".join(row(name, "injected") for name in reply.injected)
    command = f'hookclaw explain --at {reply.prompt.asked_at:%Y-%m-%d} "{reply.prompt.text}"'
    return (
        f'<details id="{escape(reply.prompt.id)}"><summary><span class="{reply.outcome}">{reply.outcome}</span> '
        f"{escape(reply.prompt.text[:200])} <small>{escape(score)} · {escape(reply.prompt.category)}</small></summary>"
        f"<p>{escape(reply.reason)}; asked of <code>{escape(reply.store)}</code></p>"
        f"<table><tr><th></th><th>rank</th><th>document</th><th>text</th></tr>{wanted}{ranked}</table>"
        f"<p><small>With these notes in a workspace: <code>{escape(command)}</code></small></p></details>"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(sheet: tables.Sheet) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in sheet.heads)
    return f"<h3>{escape(sheet.title)}</h3><div class='wide'><table><tr>{head}</tr>{_rows(sheet.rows)}</table></div>"


def _rows(rows: Sequence[Sequence[str]]) -> str:
    return "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)


def _made_with(result: Result) -> str:
    data = result["set"]
    return (
        f"<footer>hookclaw {escape(result['version'])} · configuration {escape(result['fingerprint'])} · "
        f"data {escape(data['digest'])} {escape(data['split'])} · {escape(data['licence'])}</footer>"
    )
