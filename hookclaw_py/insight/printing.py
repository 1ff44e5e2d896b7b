"""Printing: tables, progress bars and plain JSON, as people read them in the terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os.path import isdir
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hookclaw_py import text as words
from hookclaw_py.insight import terminal
from hookclaw_py.model.kind import Kind
from hookclaw_py.model.place import NOTE_SUFFIXES
from hookclaw_py.model.types import Chunk, Injection
from hookclaw_py.privacy import addresses
from hookclaw_py.privacy.plain import plain_json
from hookclaw_py.privacy.redaction import redact

if TYPE_CHECKING:
    from hookclaw_py.config import Config
    from hookclaw_py.ingest.indexer import IndexReport, Progress
    from hookclaw_py.observe.status import Status

_TEXTS = frozenset({".csv", ".tsv", ".tex", ".rst", ".adoc"})
LABEL = 10  # columns of what stands before a line
PROGRESS_SECONDS = 5.0  # between two lines of progress where there is no terminal


def as_plain(value: Any) -> str:
    """Return a value of ours (dataclasses, named tuples, times) as indented JSON, safe to print."""
    return plain_json(orjson.dumps(by_field(value), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())


def injection_fields(injection: Injection) -> dict[str, Any]:
    """Return a decision by field, with its reason as people read it."""
    fields = {key: getattr(injection, key) for key in injection.__dataclass_fields__}
    return {"id": fields.pop("id"), "outcome": fields.pop("outcome"), "reason": injection.reason, **fields}


def chunk_fields(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk by field, without secrets: its place in parts, its terms as what they are to a ranking, a set."""
    rest = {"heading": redact(chunk.heading), "kind": chunk.kind, "created_at": chunk.created_at}
    shown, terms = redact(chunk.text), chunk.terms.distinct
    if shown != chunk.text:
        terms &= frozenset(words.terms(f"{shown} {rest['heading']}"))
    return {"id": chunk.id, "text": shown, **chunk.place._asdict(), **rest, "terms": terms} | {
        "memory": chunk.memory,
        "revision": chunk.revision,
    }


def by_field(value: Any) -> Any:
    """Turn named tuples into objects; orjson would write them as lists. What is no UTF-8 becomes question marks."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, Kind):
        return value.name
    if hasattr(value, "_asdict"):
        return {key: by_field(item) for key, item in value._asdict().items()}
    if isinstance(value, Injection):
        value = injection_fields(value)
    if isinstance(value, Chunk):
        value = chunk_fields(value)
    if hasattr(value, "__dataclass_fields__"):
        return {key: by_field(getattr(value, key)) for key in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: by_field(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [by_field(item) for item in value]
    return value


@contextmanager
def progress_bar(title: str = "") -> Iterator[Progress]:
    """Show bars on stderr while work goes on; a line every few seconds where stderr is not a terminal.

    With a ``title`` there is one bar for each kind of work; without, files are read, then embedded.
    """
    from rich import progress as bars

    def named(what: str) -> str:
        return f"{title}: {what}" if title else what if what == "embedding" else "reading"

    console = terminal.console(stderr=True)
    if not console.is_terminal:
        yield _lines(named)
        return
    columns = (
        bars.TextColumn("{task.description:<10}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            work = named(what)
            if work not in tasks:
                tasks[work] = bar.add_task(work, total=total)
            bar.update(tasks[work], completed=done, total=total)

        yield show


def _lines(named: Callable[[str], str]) -> Progress:
    """Return what tells of progress in lines on stderr, the first one when work has taken a while."""
    told = monotonic()

    def show(what: str, done: int, total: int) -> None:
        nonlocal told
        if monotonic() - told >= PROGRESS_SECONDS:
            told = monotonic()
            print(f"{named(what)}: {done} of {total}", file=sys.stderr, flush=True)

    return show


def index_summary(report: IndexReport, status: Status) -> str:
    """Return two lines: what changed, and what the store holds now."""
    return (
        f"{counted(report.seen, 'file')}: {report.changed} read, {report.unchanged} unchanged, {report.deleted} gone; "
        f"passages: {report.added} new, {report.kept} kept, {report.removed} removed\n"
        f"agent {status.agent} now holds {counted(status.chunks, 'passage')} of {documents(status)}, "
        f"{'all' if status.embedded >= status.chunks else status.embedded} found by meaning too"
    )


def unread_summary(report: IndexReport) -> str:
    """Return a line that says which documents and notes beside those of the folder are not read, and what adds those that are text; "" without any."""
    kinds = Counter(PurePosixPath(path).suffix for path in report.unread)
    told = ", ".join(f"{many} {kind}" for kind, many in kinds.most_common())
    texts = [kind for kind in kinds if kind.lower() in _TEXTS or kind.lower() in NOTE_SUFFIXES]
    beside = any(kind.lower() in NOTE_SUFFIXES for kind in kinds)
    told += " beside MEMORY.md and memory/ of an agent's workspace" if beside else ""
    globs = ", ".join(f'"**/*{kind}"' for kind in texts)
    adds = f"; globs = [{globs}] in config.toml adds {' and '.join(texts)}" if texts else ""
    return f"not read: {told}{adds}" if told else ""


def move_summary(status: Status, moved: Path, folder: Path) -> str:
    """Say what tying a store to ``folder`` instead of one that has ``moved`` does, before it is done."""
    held = " and ".join(f"{one}{'' if isdir(one) else ', which is gone'}" for one in status.workspaces)
    return (
        f"agent {status.agent}'s memory holds {counted(status.chunks, 'passage')} of {held}; "
        f"from now on {folder} takes the place of {moved}:\n"
        f"- what stands there too keeps what is known of it, what does not is forgotten\n"
        f"- a host whose agent {status.agent} still works in {moved} gets no more memories there, and says why"
    )


def print_status(status: Status, *, changed: int = 0, others: Sequence[str] = ()) -> None:
    """Print what a store holds, how many files were ``changed`` since they were read, and which ``others`` there are."""
    console, read = terminal.console(), status.indexed_at
    meaning = "all" if status.embedded >= status.chunks else f"{status.embedded} of {status.chunks}"
    facts = {
        "agent": status.agent,
        "folders" if len(status.workspaces) > 1 else "folder": "\n".join(status.workspaces),
        "store": status.folder,
        "notes": f"{documents(status)} in {counted(status.chunks, 'passage')}",
        "found by": "words alone" if not status.embedded else f"words, and {meaning} of them by meaning",
        "shared": f"{counted(status.shared, 'file')} with groups, channels and other people"
        if status.shared
        else "nothing",
        "last read": ago((datetime.now(UTC) - read).total_seconds() if read else None)
        + (f"; {counted(changed, 'file')} changed since" if changed else ""),
        "model": status.embedder,
        **({"others": ", ".join(others)} if others else {}),
    }
    for name, fact in facts.items():
        print_folded(console, Text(fact or "–"), name, "dim", indent=LABEL)
    for problem in status.problems:
        print_folded(console, Text(problem, style="red"), "problem", "red", indent=LABEL)
    for remark in status.remarks:
        print_folded(console, Text(remark), "note", "yellow", indent=LABEL)


def documents(status: Status) -> str:
    """Return "1 file, 2 conversations and 3 saved memories"."""
    more = [(status.conversations, "conversation", ""), (status.saved, "saved memory", "saved memories")]
    told = [counted(status.files, "file"), *(counted(*one) for one in more if one[0])]
    return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def counted(number: int, one: str, many: str = "") -> str:
    """Return "1 file", "2 files"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def ago(seconds: float | None) -> str:
    """Say how long ago something was: "5 minutes ago"; None is "never"."""
    if seconds is None:
        return "never"
    units = ((86_400, "days"), (3600, "hours"), (60, "minutes"))
    return next(
        (f"{seconds / size:.0f} {unit} ago" for size, unit in units if seconds >= 2 * size), f"{seconds:.0f} s ago"
    )


def config_values(config: Config, *, by_alias: bool) -> dict[str, Any]:
    """Return the configuration as plain values, API keys and passwords masked."""
    values = config.model_dump(by_alias=by_alias)
    key = "apiKey" if by_alias else "api_key"
    for section in values.values():
        if isinstance(section, dict):
            section |= {key: "…"} if section.get(key) else {}
            section |= {"url": redact(addresses.shown(section["url"]))} if section.get("url") else {}
    return values


def print_config(config: Config, origins: dict[str, str]) -> None:
    """Print every key, its value as one would write it, and where it came from."""
    from hookclaw_py.config.sources import camel, flat

    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("key", "value", "from"):
        table.add_column(title, overflow="fold")
    for name, value in flat(config_values(config, by_alias=False)):
        origin = Text(origins.get(name, "default"), style="green" if name in origins else "dim")
        table.add_row(camel(name), Text(orjson.dumps(value).decode()), origin)
    terminal.console().print(table)


def print_folded(console: Console, text: Text, mark: str = "", style: str = "", *, indent: int = 2) -> None:
    """Print ``text`` beside a margin that holds ``mark``; what does not fit goes on below, beside the same margin."""
    margin = Text(f"{mark:<{indent}}", style=style)
    for line in text.wrap(console, max(console.width - indent, 8), overflow="fold"):
        line.rstrip()
        console.print(margin + line, soft_wrap=True)
        margin = Text(" " * indent)
