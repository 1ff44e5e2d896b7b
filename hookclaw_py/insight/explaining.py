"""Explaining: a decision as people read it in the terminal: what was asked, what was considered, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from hookclaw_py.insight import terminal
from hookclaw_py.insight.printing import LABEL, print_folded
from hookclaw_py.model.types import Candidate, Chunk, Effect, Injection, Outcome, Step

STYLES = {Outcome.INJECTED: "green", Outcome.SKIPPED: "cyan", Outcome.SILENT: "yellow", Outcome.FAILED: "red"}
WIDE = 140
LEGEND = (
    "✓ injected, · not; bm25: place by the words it shares with the prompt, vector: by meaning as a whole, late: by the "
    "meaning of each word (–: not among the first); relevance: how surely it answers, 0 to 1; score: what the order is by"
)
SLOWEST = 6  # stages whose times are shown
_IN_FIGURES = {"bm25", "vector", "late", "recency", "entity", "fusion", "relevance", "rank"}


def print_explanation(injection: Injection, *, limit: int | None) -> None:
    """Print the decision, what was asked, each candidate's story, faults and times."""
    console = terminal.console()
    console.print(
        Text.assemble((injection.outcome.upper(), f"bold {STYLES[injection.outcome]}"), f"  {injection.reason}")
    )
    query = injection.query
    if query is not None:
        entities = ", ".join(f"{entity.text} ({entity.kind})" for entity in query.entities)
        print_folded(console, Text(" ".join(query.terms) or "–"), "words", indent=LABEL)
        print_folded(console, Text(entities or "–"), "names", indent=LABEL)
        if query.read_as:
            read_as = ", ".join(f"{written!r} read as {meant!r}" for written, meant in query.read_as)
            print_folded(console, Text(read_as), "spelling", indent=LABEL)
        if query.period:
            span = f"{query.period.start:%Y-%m-%d %H:%M} to {query.period.end:%Y-%m-%d %H:%M}"
            print_folded(console, Text(f"{query.period.phrase!r}: {span}"), "period", indent=LABEL)
        if query.context:
            print_folded(
                console, Text(f"searched with {query.context!r} from the turns before"), "context", indent=LABEL
            )
    pool = [*injection.candidates, *injection.rejected]
    if pool:
        _print_candidates(console, pool[:limit], injected=len(injection.candidates))
        if limit is not None and len(pool) > limit:
            console.print(Text(f"… and {len(pool) - limit} more; --all shows them"))
    for fault in injection.faults:
        console.print(Text(f"fault: {fault.stage}: {fault.error}", style="red"))
    print_folded(console, Text(_times(injection), style="dim"), "ms", "dim", indent=LABEL)
    if pool:
        print_folded(console, Text(LEGEND, style="dim"), "legend", "dim", indent=LABEL)


def took_ms(injection: Injection) -> float:
    """Return the milliseconds from the prompt to the answer; stages lie within each other and side by side."""
    times = dict(injection.timings)
    return times.get("catch up", 0.0) + times.get("recall", 0.0)


def _times(injection: Injection) -> str:
    stages = sorted((item for item in injection.timings if item[0] != "recall"), key=lambda item: -item[1])
    slowest = ", ".join(f"{stage} {ms:.1f}" for stage, ms in stages[:SLOWEST] if ms >= 0.1)
    return f"{took_ms(injection):.1f} in all" + (f"; {slowest}" if slowest else "")


def _print_candidates(console: Console, candidates: Sequence[Candidate], *, injected: int) -> None:
    """Print a line of figures for each candidate, and below it where it stands, why it stays out, and its story."""
    places = [str(c.chunk.place) for c in candidates]
    figures = _columns([_figures(c, everything=console.width >= WIDE) for c in candidates])
    room = console.width - len(figures[0]) - 4
    broad = max((cell_len(place) for place in places if cell_len(place) <= room), default=0)
    for position, (candidate, place, line) in enumerate(zip(candidates, places, figures, strict=True)):
        mark, style = ("✓", "green") if position < injected else ("·", "dim")
        if cell_len(place) <= room:
            print_folded(console, Text(f"{place:<{broad + len(place) - cell_len(place)}}  {line}"), mark, style)
        else:
            print_folded(console, Text(place), mark, style)
            print_folded(console, Text(line), indent=4)
        known = _named_as(candidate.chunk) if candidate.chunk.id else ""  # none: it was forgotten since
        where = "  ".join(filter(None, [candidate.chunk.heading, known]))
        verdict, story = story_of(candidate, out=position >= injected)
        for detail in (Text(where, style="dim"), Text.assemble(verdict, (story, "dim"))):
            if detail:
                print_folded(console, detail, indent=4)


def _named_as(chunk: Chunk) -> str:
    return f"id {chunk.id[:8]}" + (f", revision {chunk.revision}" if chunk.revision > 1 else "")


def print_found(found: Sequence[Candidate]) -> None:
    """Print passages as a plain list: place and scores, and below them the words."""
    console = terminal.console()
    for number, (candidate, line) in enumerate(
        zip(found, _columns([_figures(c, everything=console.width >= WIDE) for c in found]), strict=True), 1
    ):
        print_folded(console, Text(str(candidate.chunk.place), style="bold"), f"{number}.", indent=4)
        print_folded(console, Text(line, style="dim"), indent=4)
        print_folded(console, Text(" ".join(candidate.chunk.text.split())), indent=4)


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]


def _figures(candidate: Candidate, *, everything: bool) -> list[str]:
    """Return the votes, by rank, and what became of them; ``everything`` adds each retriever's own score and the fusion."""
    steps = {step.stage: step for step in candidate.history}

    def vote(stage: str) -> str:
        step = steps.get(stage)
        own = f" ({step.value:.2f})" if step and everything else ""
        return f"{stage} #{step.rank}{own}" if step else f"{stage} –"

    fusion = f"{steps['fusion'].value:.3f}" if "fusion" in steps else "–"
    fused = [f"fused {fusion}"] if everything else []
    return [
        vote("bm25"),
        vote("vector"),
        vote("late"),
        *fused,
        f"relevance {candidate.relevance:.3f}",
        f"score {candidate.score:.3f}",
    ]


def story_of(candidate: Candidate, *, out: bool) -> tuple[str, str]:
    """Return why a chunk stays ``out``, the last that happened to it, and what else there is to tell of it."""
    told = [step.note for step in candidate.history if step.stage == "relevance" and step.note]
    told += [_told(step) for step in candidate.history if step.stage not in _IN_FIGURES and step.note]
    verdict = told.pop() if out and told else ""
    story = "; ".join(dict.fromkeys(told))
    return verdict, f"; {story}" if verdict and story else story


def _told(step: Step) -> str:
    if step.effect in (Effect.SUPERSEDED, Effect.OVERTAKEN):
        return step.note
    return f"{step.effect if step.effect is Effect.GAVE_PLACE else step.stage}: {step.note}"
