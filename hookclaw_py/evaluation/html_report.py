"""One self-contained HTML page about one run: the plots people look at first, and the prompts that went worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hookclaw_py.evaluation import charts, pages, tables
from hookclaw_py.evaluation.replay import Replay, Reply
from hookclaw_py.evaluation.results import Result, level_of
from hookclaw_py.evaluation.sets import MemorySet

WORST = 25
SHOWN = 5  # of a ranking
SNIPPET = 300  # characters


class StoryRow(NamedTuple):
    """One document of a prompt's story, with its rank in the whole and in each half."""

    mark: str
    rank: str
    name: str
    ranks: str
    text: str


class Story(NamedTuple):
    """One prompt as the engine left it."""

    id: str
    outcome: str
    prompt: str
    score: str
    category: str
    reason: str
    store: str
    rows: list[StoryRow]
    command: str


def html_report(result: Result, memory_set: MemorySet | None, replayed: Replay | None) -> str:
    """Return the page; a set without documents has tables only."""
    data = result["set"]
    asked = memory_set is not None and replayed is not None
    changed = ", ".join(f"{key} = {value}" for key, value in result["config"].items()) or "default configuration"
    size = f"{data['prompts']:,} prompts, {data['documents']:,} documents"
    return pages.render(
        "evaluation",
        "run.html",
        title=f"hookclaw: {data['name']}",
        name=data["name"],
        made_of=f"{size} · {changed} · {result['model'] or 'no vectors'}",
        figures=_tiles(result) if asked else [],
        drawn=list(_plots(result, memory_set, replayed)) if memory_set is not None and replayed is not None else [],
        worst=_worst(result, memory_set, replayed) if memory_set is not None and replayed is not None else [],
        sheets=list(tables.sheets(result)),
        version=result["version"],
        fingerprint=result["fingerprint"],
        digest=data["digest"],
        split=data["split"],
        licence=data["licence"],
    )


def _tiles(result: Result) -> list[tuple[str, str, str]]:
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
    return found


def _plots(result: Result, memory_set: MemorySet, replayed: Replay) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the title of a section and its drawings, each with its caption."""
    against = result["silence"]["against"]
    if against:
        told = (
            "Each curve is every possible abstention level; the ring is where the engine works. Up and left is better."
        )
        level = result["silence"]["level"]
        yield "When it speaks", [(_fire_chart(against), told), _evidence_chart(replayed, memory_set, level)]
    plots = []
    if result["ranking"]:
        plots.append((_category_chart(result), "Ranking and home fire by category of prompt."))
    judged = _judged(memory_set)
    home = [r.evidence for r in replayed.at_home if r.prompt.id in judged]
    if home and replayed.strangers:
        chart = charts.calibration_chart(home, [r.evidence for r in replayed.strangers], title="Calibration", bins=10)
        told = (
            "Calibration: prompts at home against the same prompts asked of another store, both weighing the same. "
            "On the dashed line the stated relevance is right."
        )
        plots.append((chart, told))
    yield "How good it is", plots
    stages = sorted(result["cost"]["stages_ms"].items(), key=lambda item: -item[1]["p95"])[:12]
    chart = charts.bar_chart([(stage, [ms["p50"], ms["p95"]]) for stage, ms in stages], ["p50", "p95"], unit="ms")
    told = "Milliseconds of one turn by stage; stages can lie inside one another or run side by side."
    yield "What it costs", [(chart, told)]


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
    return charts.line_chart(series, title="Home fire against false fire", x_title="false fire", y_title="home fire")


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


def _worst(result: Result, memory_set: MemorySet, replayed: Replay) -> list[tuple[str, list[Story]]]:
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
    return [
        ("Found least", [_story(r, judged.get(r.prompt.id, {}), texts, result, level) for r in lost[:WORST]]),
        ("Surest where it should be silent", [_story(r, {}, texts, result, level) for r in wrong[:WORST]]),
    ]


def _story(reply: Reply, relevant: Mapping[str, int], texts: Mapping[str, str], result: Result, level: str) -> Story:
    measured = result["prompts"].get(reply.prompt.id, {}).get(level, {}) if relevant else {}
    score = (
        f"nDCG@10 {tables.number(measured['nDCG@10'])}" if measured else f"relevance {tables.number(reply.evidence)}"
    )
    place = {name: rank for rank, (name, _) in enumerate(reply.ranking, start=1)}
    legs = {leg: {name: rank for rank, (name, _) in enumerate(votes, start=1)} for leg, votes in reply.legs.items()}

    def row(name: str, mark: str) -> StoryRow:
        ranks = " · ".join(f"{leg} {ranks.get(name, '–')}" for leg, ranks in legs.items())
        return StoryRow(mark, str(place.get(name, "–")), name, ranks, texts.get(name, "")[:SNIPPET])

    ranked = [
        row(name, "injected" if name in reply.injected else "")
        for name, _ in reply.ranking[:SHOWN]
        if name not in relevant
    ]
    return Story(
        id=reply.prompt.id,
        outcome=str(reply.outcome),
        prompt=reply.prompt.text[:200],
        score=score,
        category=reply.prompt.category,
        reason=reply.reason,
        store=reply.store,
        rows=[
            *(row(name, "relevant") for name in list(relevant)[:SHOWN]),
            *(ranked or (row(name, "injected") for name in reply.injected)),
        ],
        command=f'hookclaw explain --at {reply.prompt.asked_at:%Y-%m-%d} "{reply.prompt.text}"',
    )
