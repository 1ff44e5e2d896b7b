"""What people read in the terminal: tables, progress bars and plain JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hookclaw_py.types import Candidate, Injection, Outcome

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Status
    from hookclaw_py.store.indexer import IndexReport, Progress

STYLES = {Outcome.INJECTED: "green", Outcome.SKIPPED: "cyan", Outcome.SILENT: "yellow", Outcome.FAILED: "red"}


def as_plain(value: Any) -> str:
    """Return a value of ours (dataclasses, named tuples, times) as indented JSON."""
    return orjson.dumps(_named(value), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()


def _named(value: Any) -> Any:
    """Turn named tuples into objects; orjson would write them as lists."""
    if hasattr(value, "_asdict"):
        return {key: _named(item) for key, item in value._asdict().items()}
    if hasattr(value, "__dataclass_fields__"):
        return {key: _named(getattr(value, key)) for key in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: _named(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [_named(item) for item in value]
    return value


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a bar on stderr while work goes on; nothing when stderr is not a terminal."""
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description:<10}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            work = what if what == "embedding" else "reading"
            if work not in tasks:
                tasks[work] = bar.add_task(work, total=total)
            bar.update(tasks[work], completed=done, total=total)

        yield show


def index_summary(report: IndexReport, status: Status) -> str:
    """Return two lines: what changed, and what the store holds now."""
    return (
        f"{report.seen} files: {report.changed} read, {report.unchanged} unchanged, {report.deleted} gone; "
        f"chunks: {report.added} new, {report.kept} kept, {report.removed} removed\n"
        f"agent {status.agent} now holds {status.chunks} chunks of {status.files} files, {status.embedded} embedded"
    )


def print_status(status: Status) -> None:
    """Print what a store holds."""
    table = Table(show_header=False, box=None)
    for key in status.__dataclass_fields__:
        if key != "problems":
            value = getattr(status, key)
            table.add_row(key.replace("_", " "), escape(str(value if value not in (None, "") else "–")))
    Console().print(table)
    for problem in status.problems:
        Console().print(Text(f"problem: {problem}", style="red"))


def print_config(config: Config, origins: dict[str, str]) -> None:
    """Print every key, its value and where it came from."""
    from pydantic.alias_generators import to_camel

    table = Table("key", "value", "from")
    for name, value in _flat(config.model_dump()):
        key = ".".join(to_camel(part) for part in name.split("."))
        shown = "…" if name.endswith("api_key") and value else str(value)
        table.add_row(
            key, escape(shown), Text(origins.get(name, "default"), style="green" if name in origins else "dim")
        )
    Console().print(table)


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def print_explanation(injection: Injection, *, limit: int | None) -> None:
    """Print the decision, what was asked, each candidate's story, faults and times."""
    console = Console()
    console.print(
        Text.assemble((injection.outcome.upper(), f"bold {STYLES[injection.outcome]}"), f"  {injection.reason}")
    )
    query = injection.query
    if query is not None:
        console.print(Text(f"terms     {' '.join(query.terms) or '–'}"))
        console.print(Text(f"entities  {', '.join(f'{e.text} ({e.kind})' for e in query.entities) or '–'}"))
        if query.period:
            span = f"{query.period.start:%Y-%m-%d %H:%M} to {query.period.end:%Y-%m-%d %H:%M}"
            console.print(Text(f"period    {query.period.phrase!r}: {span}"))
    pool = [*injection.candidates, *injection.rejected]
    if pool:
        table = Table("", "memory", "bm25", "vector", "fused", "relevance", "score", "why", row_styles=["", "dim"])
        for position, candidate in enumerate(pool[:limit], start=1):
            table.add_row(*_row(candidate, position <= len(injection.candidates)))
        console.print(table)
        if limit is not None and len(pool) > limit:
            console.print(Text(f"… and {len(pool) - limit} more; --all shows them"))
    for fault in injection.faults:
        console.print(Text(f"fault: {fault.stage}: {fault.error}", style="red"))
    times = "  ".join(f"{stage} {ms:.1f}" for stage, ms in injection.timings)
    console.print(Text(f"ms        {times}", style="dim"))


def _row(candidate: Candidate, injected: bool) -> list[Text]:
    steps = {step.stage: step for step in candidate.history}

    def vote(stage: str) -> str:
        step = steps.get(stage)
        return f"{step.note.removeprefix('rank ')}. ({step.value:.2f})" if step else "–"

    fused = steps.get("fusion")
    story = [steps["relevance"].note] if "relevance" in steps else []
    story += [f"{s.stage}: {s.note}" for s in candidate.history if s.stage not in _IN_COLUMNS and s.note]
    chunk = candidate.chunk
    where = f"{chunk.path}:{chunk.lines[0]}-{chunk.lines[1]}\n{chunk.heading}"
    return [
        Text("✓" if injected else "·", style="green" if injected else "dim"),
        Text(where),
        Text(vote("bm25")),
        Text(vote("vector")),
        Text(f"{fused.value:.3f}" if fused else "–"),
        Text(f"{candidate.relevance:.3f}"),
        Text(f"{candidate.score:.3f}"),
        Text("\n".join(story)),
    ]


_IN_COLUMNS = {"bm25", "vector", "recency", "entity", "fusion", "relevance", "rank"}
