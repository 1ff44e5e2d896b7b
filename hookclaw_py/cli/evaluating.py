"""The commands' work: read a set, replay it, print and write what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import orjson
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from hookclaw_py.config import Config
from hookclaw_py.config.sources import read_file, typed
from hookclaw_py.errors import ConfigError
from hookclaw_py.evaluation import measures, sweep, tables
from hookclaw_py.evaluation.folders import kind_of, open_set
from hookclaw_py.evaluation.prompt_results import gating_result, temporal_result, vault_result
from hookclaw_py.evaluation.prompt_sets import load_gating, load_temporal
from hookclaw_py.evaluation.replay import Replay, Reply, kept_embedder, replay
from hookclaw_py.evaluation.results import Result, Run, result_of
from hookclaw_py.evaluation.sets import LabelledPrompt, MemorySet, SetError, spread
from hookclaw_py.insight import terminal
from hookclaw_py.insight.printing import print_folded, progress_bar


class RunOptions(NamedTuple):
    """What ``hookclaw eval run`` was told; see its help."""

    folder: Path
    config_file: Path | None = None
    values: Sequence[str] = ()
    level: str | None = None
    session_pool: str = "best"
    split: str | None = None
    limit: int | None = None
    negatives: str = "cross-pair"
    no_memory: Path | None = None
    json_out: Path | None = None
    markdown_out: Path | None = None
    html_out: Path | None = None
    run_out: Path | None = None
    injections_out: Path | None = None
    negatives_out: Path | None = None
    expect: Path | None = None
    cached_prompts: bool = False
    rechunk: bool = False

    def check(self) -> None:
        """Refuse what would be passed over.

        Raises:
            SetError: naming the option.
        """
        if self.split and (kind := kind_of(self.folder)) in ("temporal", "vault"):
            raise SetError(f"{self.folder}: a {kind} set has no splits; leave --split out")

    def try_to_write(self) -> None:
        """Open each file that the run will write: it takes minutes, and what cannot be written is told before."""
        outs = (self.json_out, self.markdown_out, self.html_out, self.run_out, self.injections_out, self.negatives_out)
        for file in filter(None, outs):
            file.open("ab").close()


def run_and_report(options: RunOptions) -> bool:
    """Run one set, print and write what was asked for; False when an expected number is missed."""
    config = config_of(options.config_file, options.values)
    options.check()
    options.try_to_write()
    result, memory_set, replayed = run_set(options, config)
    shown = list(tables.sheets(result, options.level))
    if options.json_out:
        options.json_out.write_bytes(orjson.dumps(result, option=orjson.OPT_INDENT_2))
    if options.markdown_out:
        text = f"{headline(result)}\n\n" + "\n".join(map(tables.markdown, shown))
        options.markdown_out.write_text(text, encoding="utf-8")
    if options.html_out:
        from hookclaw_py.evaluation.html_report import html_report

        options.html_out.write_text(html_report(result, memory_set, replayed), encoding="utf-8")
    if memory_set is not None and replayed is not None:
        if options.run_out:
            lines = run_lines(memory_set, replayed, options.level, options.session_pool)
            options.run_out.write_text("".join(lines), encoding="utf-8")
        if options.injections_out:
            write_lines(options.injections_out, map(injection_line, replayed.at_home))
        if options.negatives_out:
            write_lines(options.negatives_out, ({**injection_line(r), "store": r.store} for r in replayed.strangers))
    print_sheets(headline(result), shown)  # last: nobody may read to the end
    if options.expect:
        from hookclaw_py.evaluation.expect import missed

        problems = missed(result, options.expect)
        for problem in problems:
            terminal.console(stderr=True).print(Text(problem, style="red"))
        return not problems
    return True


def run_set(options: RunOptions, config: Config) -> tuple[Result, MemorySet | None, Replay | None]:
    """Evaluate ``config`` on whatever ``options.folder`` is; only memory sets are replayed."""
    kind = kind_of(options.folder)
    name = options.folder.resolve().name
    if kind == "gating":
        prompts, digest = load_gating(options.folder)
        asked = spread([p for p in prompts if options.split in (None, p.split)], options.limit)
        _require(asked, options)
        with progress_bar(name) as progress:
            return gating_result(name, digest, asked, config, progress), None, None
    if kind == "temporal":
        dated, digest = load_temporal(options.folder)
        return temporal_result(name, digest, spread(dated, options.limit), config), None, None
    if kind == "vault":
        with progress_bar(name) as progress:
            return vault_result(options.folder, config, progress, limit=options.limit), None, None
    measures.check_installed()
    memory_set = open_set(options.folder, options.split).limited(options.limit, options.split)
    _require(memory_set.prompts, options)
    needless = _no_memory(options.no_memory, options.split)
    run = Run(
        config, options.negatives == "cross-pair", options.session_pool, options.limit, options.split, options.rechunk
    )
    with (
        kept_embedder(config, prompts_too=options.cached_prompts) as embedder,
        progress_bar(memory_set.name) as progress,
    ):
        replayed = replay(
            memory_set,
            config,
            embedder,
            cross_pair=run.cross_pair,
            no_memory=needless,
            rechunk=options.rechunk,
            progress=progress,
        )
    return result_of(memory_set, replayed, run), memory_set, replayed


def _require(prompts: Sequence[object], options: RunOptions) -> None:
    """Raise an error where there is nothing to ask."""
    if not prompts:
        raise SetError(f"{options.folder}: no prompts{f' of split {options.split}' if options.split else ''} to ask")


def _no_memory(folder: Path | None, split: str | None) -> list[LabelledPrompt]:
    if folder is None:
        return []
    prompts, _ = load_gating(folder)
    return [p.labelled() for p in prompts if p.label == "no_memory" and split in (None, p.split)]


def sweep_of(
    suite_file: Path, params: Sequence[str], draws: int | None, seed: int, done: Path | None, jobs: int
) -> tuple[sweep.Suite, list[sweep.Trial], tables.Sheet]:
    """Run a sweep as the command line asks for it."""
    suite = sweep.load_suite(suite_file)
    configurations = sweep.grid(params, draws=draws, seed=seed)
    with progress_bar("sweep") as progress:
        trials = sweep.run_sweep(suite, configurations, done=done, jobs=jobs, progress=progress)
    return suite, trials, sweep.sheet(trials, suite)


def config_of(file: Path | None, values: Sequence[str]) -> Config:
    """Return the configuration of ``file``, or the defaults, with KEY=VALUE changes; the environment is left out."""
    given: dict[str, Any] = dict(read_file(file)) if file else {}
    problems = [f"--set {value!r} is not KEY=VALUE" for value in values if "=" not in value]
    if problems:
        raise ConfigError(problems)
    for value in values:
        key, _, written = value.partition("=")
        *sections, last = key.split(".")
        table = given
        for section in sections:
            table = table.setdefault(section, {})
        table[last] = typed(written)
    return Config(**given)


def headline(result: Result) -> str:
    """Return one line that says what was run with what."""
    data, model = result["set"], result["model"] or "no vectors"
    changed = ", ".join(f"{key}={value}" for key, value in result["config"].items()) or "default configuration"
    return f"{data['name']}: {data['prompts']} prompts, {data['documents']} documents; {changed}; {model}"


def print_sheets(title: str, shown: Sequence[tables.Sheet]) -> None:
    """Print tables to the terminal."""
    console = terminal.console()
    console.print(Text(title, style="bold"))
    for sheet in (sheet for sheet in shown if sheet.rows):
        console.print()
        print_folded(console, Text(sheet.title, style="bold"), indent=0)
        for part in _fitting(sheet, console.width):
            console.print(_table(part, console.width))


def _fitting(sheet: tables.Sheet, width: int) -> Iterator[tables.Sheet]:
    """Yield a sheet in as many as it takes for each to be no wider than ``width``: one of few rows turned on its side, then parted."""
    needed = _needed(sheet)
    if sum(needed) > width and len(sheet.rows) < len(sheet.heads):
        names, *others = zip(sheet.heads, *sheet.rows, strict=True)
        turned = tables.Sheet(sheet.title, names, others)
        if max(_needed(turned)[1:]) <= _room(_needed(turned), width):
            sheet, needed = turned, _needed(turned)
    if len(needed) == 1:
        yield sheet
    begin = 1
    while begin < len(needed):
        end, left = begin + 1, _room(needed, width) - needed[begin]
        while end < len(needed) and needed[end] <= left:
            end, left = end + 1, left - needed[end]
        heads, *rows = ([row[0], *row[begin:end]] for row in (sheet.heads, *sheet.rows))
        yield tables.Sheet(sheet.title, heads, rows)
        begin = end


def _room(needed: Sequence[int], width: int) -> int:
    """Return what is left beside the first column, which stands before each part and may fold."""
    return width - min(needed[0], width // 3)


def _needed(sheet: tables.Sheet) -> list[int]:
    """Return the least width of each column with the space behind it: heads fold between words, figures never."""
    columns = zip(*sheet.rows, strict=True)
    words = (max(map(cell_len, head.split() or [""])) for head in sheet.heads)
    return [2 + max(most, *map(cell_len, cells)) for most, cells in zip(words, columns, strict=True)]


def _table(sheet: tables.Sheet, width: int) -> Table:
    """Return a sheet as a table of which only the first column folds: heads fold here where there is no room, a figure that folds would be another."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    columns = list(zip(sheet.heads, *sheet.rows, strict=True))
    fits = sum(2 + max(map(cell_len, cells)) for cells in columns) <= width
    for place, (head, needed) in enumerate(zip(sheet.heads, _needed(sheet), strict=True)):
        first = place == 0 and any(len(row[0]) > 5 for row in sheet.rows)
        shown = head if first or fits else fill(head, needed - 2)
        table.add_column(Text(shown), justify="left" if first else "right", no_wrap=not first, overflow="fold")
    for row in sheet.rows:
        table.add_row(*map(Text, row))
    return table


def run_lines(memory_set: MemorySet, replayed: Replay, level: str | None, session_pool: str) -> Iterator[str]:
    """Yield the lines of a TREC run, scores strictly decreasing; by session where asked or where nothing else is judged."""
    by_session = level == "session" or (level is None and not memory_set.qrels and bool(memory_set.session_qrels))
    sessions = {d.id: d.session for d in memory_set.documents}
    for reply in replayed.at_home:
        ranking: measures.Ranking = reply.ranking
        if by_session:
            ranking = measures.by_session(ranking, sessions, pool=session_pool)
        for rank, (name, score) in enumerate(measures.strictly_decreasing(ranking).items(), start=1):
            yield f"{reply.prompt.id} Q0 {name} {rank} {score:.6f} hookclaw\n"


def injection_line(reply: Reply) -> dict[str, Any]:
    """Return one prompt's outcome as it is written to a JSONL file; ``relevance`` is the pool's best, 0 when skipped."""
    return {
        "id": reply.prompt.id,
        "outcome": str(reply.outcome),
        "reason": reply.reason,
        "relevance": 0.0 if reply.outcome == "skipped" else round(reply.evidence, 6),
        "block": reply.block,
        "chunk_ids": list(reply.injected),
        "faults": [f"{fault.stage}: {fault.error}" for fault in reply.faults],
        "ms": round(reply.ms, 3),
    }


def write_lines(file: Path, rows: Any) -> None:
    """Write objects as JSONL."""
    file.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
