"""Records for people: what was learned from sessions, in a list, one with its whole story, and what it hangs together with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from math import ceil
from typing import Any, NamedTuple

from rich.text import Text

from hookclaw_py.consolidate.set_right import heed
from hookclaw_py.consolidate.writing import Writable, write
from hookclaw_py.errors import RevisionError
from hookclaw_py.insight import terminal
from hookclaw_py.insight.printing import print_folded
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.record import Entry, Link, Record, RecordChange, RecordStatus, Relation
from hookclaw_py.stages.links import Graph, walk
from hookclaw_py.store.sessions import FromSessions, Records
from hookclaw_py.text import on_one_line

ID_SHOWN = 8  # digits of an id in a list
TOKEN_CHARS = 4
STYLES = {RecordStatus.ACTIVE: "green", RecordStatus.CONTESTED: "yellow"}
SPEAKERS = {HappeningKind.PROMPT: "you", HappeningKind.ANSWER: "the assistant"}
RELATIONS: Mapping[str, tuple[str, str]] = {
    Relation.SUPERSEDES: ("supersedes", "superseded by"),
    Relation.DERIVED_FROM: ("made of", "part of"),
    Relation.CONTESTED_BY: ("contested by", "contests"),
    Relation.RELATES_TO: ("relates to", "relates to"),
    Relation.CONTRADICTS: ("contradicts", "contradicted by"),
    Relation.EXEMPLIFIES: ("exemplifies", "exemplified by"),
    Relation.REFINES: ("refines", "refined by"),
    Relation.SOURCE_OF: ("source of", "told by"),
}
"""What a link is called, seen from where it begins and from where it ends."""


class ToldEntry(NamedTuple):
    """One entry of a record's history, and what it was made of, as far as its words are still kept."""

    entry: Entry
    said: Sequence[Happening]


class RecordStory(NamedTuple):
    """A record, how it came to what it is, and the records that it is linked with."""

    record: Record
    told: Sequence[ToldEntry]
    links: Sequence[tuple[str, Record]]


def story_of(store: FromSessions, record: Record) -> RecordStory:
    """Read the story of a record.

    Raises:
        StoreError: if the store cannot be read.
    """
    happened = {one.id: one for one in store.happenings()}
    history = store.record_history(record.id)
    told = [ToldEntry(entry, [happened[name] for name in entry.evidence if name in happened]) for entry in history]
    return RecordStory(record, told, list(_linked(store, record)))


def _relation_words(relation: str) -> tuple[str, str]:
    own = relation.replace("_", " ")
    return RELATIONS.get(relation, (own, f"{own}, the other way"))


def _linked(store: Records, record: Record) -> Iterator[tuple[str, Record]]:
    seen = set()
    for link in store.record_links([record.id]):
        begins = link.source == record.id
        other = store.record(link.target if begins else link.source)
        mutual = link.relation == Relation.CONTESTED_BY
        word = _relation_words(link.relation)[0 if begins or mutual else 1]
        if other is not None and (word, other.id) not in seen:
            seen.add((word, other.id))
            yield word, other


def rivals_of(store: Records, record: Record) -> list[Record]:
    """Return the records that contest a record, or that it contests."""
    ends = [
        end
        for link in store.record_links([record.id])
        if link.relation == Relation.CONTESTED_BY
        for end in (link.source, link.target)
    ]
    return [other for end in dict.fromkeys(ends) if end != record.id and (other := store.record(end))]


def revise(
    store: Writable, change: Callable[[], Sequence[RecordChange]], *, zone: tzinfo, at: datetime
) -> tuple[Sequence[RecordChange], int]:
    """Make records what a person says of them, all or none; return what has become of each, and how many passages of what was said went along.

    Raises:
        RevisionError: if that cannot be, or the person had one of them forgotten.
    """
    with store.together():
        changes = change()
        if write(store, changes, zone=zone, at=at, actor=Speaker.PERSON):
            raise RevisionError("you had this forgotten, and it stays so; nothing was changed")
        return changes, len(heed(store, zone=zone))


def graph_of(store: Records, roots: Sequence[Record], *, now: datetime, hops: int) -> tuple[Graph, dict[str, Record]]:
    """Follow the links of records; return what was reached, and those records by id."""
    known = {record.id: record for record in roots}

    def seen(ids: Sequence[str]) -> dict[str, float]:
        known.update({one: record for one in ids if one not in known and (record := store.record(one))})
        return {one: known[one].salience_by(now) for one in ids if one in known}

    graph = walk([root.id for root in roots], links_of=store.record_links, seen=seen, hops=hops)
    return graph, {node.id: known[node.id] for node in graph.nodes}


def around(records: Iterable[Record], anchor: Record, *, before: int, after: int) -> list[Record]:
    """Return what was said just before and after ``anchor``, oldest first, and it itself."""
    there = {record.id: record for record in records} | {anchor.id: anchor}
    ordered = sorted(there.values(), key=lambda record: (record.at, record.id))
    place = ordered.index(anchor)
    return ordered[max(0, place - before) : place + after + 1]


def tokens(record: Record) -> int:
    """Return about how many tokens it costs to read a record."""
    return ceil(len(f"{record.title}\n{record.body}".strip()) / TOKEN_CHARS)


def headline(record: Record) -> str:
    """Return what a record says, in one line."""
    return " ".join((record.title or record.body).split())


def as_row(record: Record, *, now: datetime) -> dict[str, Any]:
    """Return a record by field, ready for JSON: salience is that of ``now``, tokens what reading it costs."""
    row = {name: getattr(record, name) for name in Record.__dataclass_fields__}
    changed = {"salience": round(record.salience_by(now), 6), "level": record.level.label, "tokens": tokens(record)}
    return row | changed


def as_story(story: RecordStory, *, now: datetime) -> dict[str, Any]:
    """Return a story, ready for JSON."""
    history = [{**told.entry._asdict(), "said": [_said(one) for one in told.said]} for told in story.told]
    links = [{"relation": word, "id": other.id, "says": headline(other)} for word, other in story.links]
    return as_row(story.record, now=now) | {"history": history, "links": links}


def as_graph(graph: Graph, records: dict[str, Record], *, now: datetime) -> dict[str, Any]:
    """Return a graph, ready for JSON."""
    nodes = [{"hop": node.hop, **as_row(records[node.id], now=now)} for node in graph.nodes]
    return {"nodes": nodes, "edges": [link._asdict() for link in graph.edges]}


def print_records(records: Sequence[Record], *, now: datetime, zone: tzinfo | None, anchor: str = "") -> None:
    """Print a line for each: id, day, kind, how present it is, what reading it costs in tokens, and what it says."""
    console = terminal.console()
    broad = max((len(record.kind.name) for record in records), default=0)
    heading = f"{'id':<{ID_SHOWN}}  {'day':<10}  {'kind':<{broad}}  salience  tokens"
    console.print(Text(heading, "dim"), soft_wrap=True)
    for record in records:
        line = Text.assemble(
            (f"{record.id[:ID_SHOWN]}  ", "bold"),
            f"{record.at.astimezone(zone):%Y-%m-%d}  {record.kind.name:<{broad}}  ",
            (f"{record.salience_by(now):<8.2f}  ~{tokens(record):<5} ", "dim"),
        )
        if record.id == anchor:
            line.append("» ", "bold")
        if marked := _marked(record):
            line.append(f"[{marked}] ", STYLES.get(record.status, "red"))
        room = max(20, console.width - len(line))
        line.append(on_one_line(headline(record), room))
        console.print(line, soft_wrap=True)


def _marked(record: Record) -> str:
    said = ["" if record.status is RecordStatus.ACTIVE else str(record.status), "pinned" if record.pinned else ""]
    return ", ".join(filter(None, said))


def print_story(story: RecordStory, *, now: datetime, zone: tzinfo | None) -> None:
    """Print a record, every wording that it had, when, who said it and why it changed, and what it is linked with."""
    console, record = terminal.console(), story.record
    about = [f"said by {_whose(record)}", f"confidence {record.confidence:.2f}"]
    about += [f"salience {record.salience_by(now):.2f}", f"level {record.level.label}"]
    console.print(
        Text.assemble(
            (record.id, "bold"),
            f"  {record.kind.name}  ",
            (str(record.status), STYLES.get(record.status, "red")),
            (", pinned" if record.pinned else ""),
            (f"  {', '.join(about)}", "dim"),
        ),
        soft_wrap=True,
    )
    for line in filter(None, [record.title, *record.body.splitlines()]):
        print_folded(console, Text(line))
    days = f"first said {record.first_at.astimezone(zone):%Y-%m-%d}, last {record.at.astimezone(zone):%Y-%m-%d}"
    console.print(Text(f"{days}, session {record.session or 'unknown'}", "dim"), soft_wrap=True)
    console.print(Text("\nStory", "bold"))
    before = ""
    for entry, said in story.told:
        when = f"{entry.at.astimezone(zone):%Y-%m-%d %H:%M}"
        console.print(Text.assemble(f"{when}  ", (entry.action, "bold"), f" by {entry.actor}: {entry.why}"))
        wording = "\n".join(filter(None, [entry.title, entry.body]))
        if wording != before:
            print_folded(console, Text(" ".join(wording.split())), "says", indent=10)
        before = wording
        for one in said:
            print_folded(
                console,
                Text(f"{_speaker(one)}, {one.at.astimezone(zone):%Y-%m-%d %H:%M}, {_words(one)}", "dim"),
                "from",
                indent=10,
            )
        if missing := len(entry.evidence) - len(said):
            print_folded(console, Text(f"{missing} more that happened and are not at hand", "dim"), "from", indent=10)
    if story.links:
        console.print(Text("\nLinks", "bold"))
    for word, other in story.links:
        console.print(Text(f"{word:<14}{other.id[:ID_SHOWN]}  {headline(other)}"), soft_wrap=True)


def print_graph(graph: Graph, records: dict[str, Record], *, now: datetime, zone: tzinfo | None) -> None:
    """Print what was reached, hop by hop, and the links."""
    console = terminal.console()
    print_records([records[node.id] for node in graph.nodes], now=now, zone=zone)
    for link in graph.edges:
        console.print(Text(_arrow(link), "dim"), soft_wrap=True)


def _arrow(link: Link) -> str:
    return f"{link.source[:ID_SHOWN]} {_relation_words(link.relation)[0]} {link.target[:ID_SHOWN]}"


def _whose(record: Record) -> str:
    return {"person": "you", "assistant": "the assistant"}.get(record.said_by, f"a {record.said_by}")


def _speaker(one: Happening) -> str:
    return SPEAKERS.get(one.kind, str(one.payload.get("tool") or one.kind.replace("_", " ")))


def _words(one: Happening) -> str:
    if not one.payload:
        return "its words are no longer kept"
    said = one.payload.get("text") or one.payload.get("input") or one.payload
    return f'"{on_one_line(str(said), 200)}"'


def _said(one: Happening) -> dict[str, Any]:
    return {
        "id": one.id,
        "at": one.at,
        "session": one.session,
        "kind": str(one.kind),
        "who": _speaker(one),
        "words": _words(one),
    }
