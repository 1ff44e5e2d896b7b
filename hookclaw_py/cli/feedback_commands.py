"""``hookclaw feedback``: a person's word on memories. It holds from the next prompt on, in a running gateway too."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import click

from hookclaw_py.cli.opening import folder_of, json_option, open_store
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.forgetting import Forgotten
    from hookclaw_py.model.types import Chunk, Uses
    from hookclaw_py.store.ports import AgentStore

chunk_argument = click.argument("named", metavar="MEMORY")
MARKS = {"pin": "pinned", "block": "blocked"}


@click.group("feedback")
def feedback() -> None:
    """Say what helped, and pin, block or forget memories.

    MEMORY is the beginning of a memory's id or its place (memory/2026-02-09.md:5); `hookclaw explain` shows both.
    """


@feedback.command("good")
@click.argument("decision_id", metavar="ID")
@click.argument("named", metavar="MEMORY", required=False)
@click.pass_context
def good_command(ctx: click.Context, decision_id: str, named: str | None) -> None:
    """Say that what was injected for the past prompt ID helped. All of it, or this MEMORY."""
    _judge(ctx, decision_id, named, good=True)


@feedback.command("bad")
@click.argument("decision_id", metavar="ID")
@click.argument("named", metavar="MEMORY", required=False)
@click.pass_context
def bad_command(ctx: click.Context, decision_id: str, named: str | None) -> None:
    """Say that it did not help. All that was injected for the past prompt ID, or this MEMORY."""
    _judge(ctx, decision_id, named, good=False)


def _judge(ctx: click.Context, decision_id: str, named: str | None, *, good: bool) -> None:
    from hookclaw_py.errors import StoreError
    from hookclaw_py.insight.turns import turns
    from hookclaw_py.store.decisions import find
    from hookclaw_py.store.naming import find_memory, place_of

    with open_store(ctx) as store:
        glance = find(store, decision_id).glance
        if not glance.shown:
            raise StoreError(f"nothing was injected for {glance.id} ({glance.outcome}: {glance.reason})")
        shown = store.memories_of(glance.shown)
        ids = list(shown.values()) if named is None else [find_memory(store, named, among=shown)]
        strangers = [i for i in ids if i not in shown.values()]
        if strangers:
            raise StoreError(
                f"{named} was not injected for {glance.id}; `hookclaw explain --id {glance.id}` shows what was"
            )
        there = store.heads(ids)
        if not there:
            raise StoreError("these memories are no longer in the store: their notes have changed")
        known = glance.id in turns(store, {glance.id})  # a prompt without a session leaves no event behind
        news = store.add_verdict(good, at=datetime.now(UTC), injection_id=glance.id if known else "", ids=list(there))
        for memory, chunk in there.items():
            word = "good" if good else "bad"
            say(f"{word}{'' if memory in news else ' (as you said before)'}: {place_of(chunk, memory)}")


def _mark(ctx: click.Context, named: str, mark: str, *, on: bool) -> None:
    from hookclaw_py.store.naming import find_memory, place_of

    with open_store(ctx) as store:
        memory = find_memory(store, named)
        before = store.marks().get(memory, "")
        where = place_of(store.heads([memory]).get(memory), memory)
        if not on and before != mark:
            say(f"was not {MARKS[mark]}: {where}")
            return
        changed = store.mark(memory, mark if on else "", at=datetime.now(UTC))
        instead = f" (it was {MARKS[before]})" if on and before and before != mark else ""
        told = MARKS[mark] if on else f"no longer {MARKS[mark]}"
        say(f"{told if changed else f'{told} already'}: {where}{instead}")


@feedback.command("pin")
@chunk_argument
@click.pass_context
def pin_command(ctx: click.Context, named: str) -> None:
    """Prefer a memory wherever it is relevant."""
    _mark(ctx, named, "pin", on=True)


@feedback.command("unpin")
@chunk_argument
@click.pass_context
def unpin_command(ctx: click.Context, named: str) -> None:
    """Take a pin back."""
    _mark(ctx, named, "pin", on=False)


@feedback.command("block")
@chunk_argument
@click.pass_context
def block_command(ctx: click.Context, named: str) -> None:
    """Never inject a memory; it stays in the store."""
    _mark(ctx, named, "block", on=True)


@feedback.command("unblock")
@chunk_argument
@click.pass_context
def unblock_command(ctx: click.Context, named: str) -> None:
    """Take a block back."""
    _mark(ctx, named, "block", on=False)


@feedback.command("forget")
@chunk_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget_command(ctx: click.Context, named: str, yes: bool) -> None:
    """Purge a memory for good. Its text, vectors and feedback go, and the history and recordings of it.

    The note itself is yours and stays as it is; what it says here stays out until that text is changed.
    """
    from hookclaw_py.forgetting import forget
    from hookclaw_py.store.naming import find_memory, place_of

    with open_store(ctx) as store:
        memory = find_memory(store, named)
        chunk = store.heads([memory]).get(memory)
        if not yes:
            say(place_of(chunk, memory))
            if chunk is not None:
                say(chunk.text)
        if chunk is not None and (turns := _turns_in(chunk)) > 1:
            say(
                f"{turns} turns stand in this passage, all of them go; a record of `hookclaw records list` takes only the sentences that say the same",
                err=True,
            )
        if not yes:
            click.confirm("Forget this, with its history? There is no way back.", abort=True)
        gone = forget(store, memory, beside=folder_of(ctx), at=datetime.now(UTC))
    _say_what_went(gone, memory, chunk)


def _turns_in(chunk: Chunk) -> int:
    """Return how many turns were packed into a passage of what was said."""
    asked = next((f"{speaker}: " for speaker in chunk.kind.speakers), "")
    return sum(line.startswith(asked) for line in chunk.text.split("\n")) if asked else 0


def _say_what_went(gone: Forgotten, memory: str, chunk: Chunk | None) -> None:
    """Say what was forgotten, and what still stands somewhere."""
    from hookclaw_py.privacy.redaction import redact

    ids, recordings, problem, copies, said, alike = gone
    more = [f"{len(ids)} copies of it" if len(ids) > 1 else "", f"{recordings} recorded prompts" if recordings else ""]
    told = ", ".join(filter(None, more))
    say(f"forgotten: {chunk.id if chunk else memory}{f' ({told})' if told else ''}")
    for path in copies.cleaned:
        say(f"taken out of {path}, too")
    for path in copies.deleted:
        say(f"deleted, because it could not be taken out of it: {path}")
    if problem:
        say(f"its words stay in the keyword index until the next prompt or `hookclaw index`: {problem}", err=True)
    if said:
        say(f"taken out of what was said, too: {said} passage{'' if said == 1 else 's'}")
    for one in alike:
        words = " ".join(redact(one.text).split())[:90]
        say(
            f"what was said may still tell of it, `hookclaw feedback forget {one.id[:8]}` forgets that as well: {words}"
        )
    if chunk is not None and chunk.kind.trusted:
        say(
            f"the note still has it: {chunk.place.path}:{chunk.place.lines[0]}; delete it there too if it is to be gone"
        )


@feedback.command("list")
@json_option
@click.pass_context
def list_command(ctx: click.Context, as_json: bool) -> None:
    """List what you pinned, blocked, called good or bad, and forgot."""
    from hookclaw_py.insight.printing import as_plain, counted
    from hookclaw_py.store.naming import place_of

    with open_store(ctx) as store:
        rows, gone = _said(store), store.forgotten_at()
    if as_json:
        told = [{"id": row.id, "mark": row.uses.mark, "good": row.uses.good, "bad": row.uses.bad} for row in rows]
        say(as_plain([*told, *({"id": "", "mark": "forgotten", "at": at} for at in gone)]))
        return
    if not rows and not gone:
        say("nothing is pinned, blocked or judged yet", err=True)
    for row in rows:
        verdicts = [f"{count} {word}" for word, count in (("good", row.uses.good), ("bad", row.uses.bad)) if count]
        said = ", ".join(filter(None, [MARKS.get(row.uses.mark, ""), *verdicts]))
        say(f"{said:<20}  {place_of(row.chunk, row.id)}")
        if row.chunk:
            say(f"{'':<20}  {' '.join(row.chunk.text.split())[:90]}")

    if gone:
        when = f"{counted(len(gone), 'memory', 'memories')}, last on {gone[-1].astimezone():%d %b %Y at %H:%M}"
        say(f"{'forgotten':<20}  {when}; of their words nothing is kept")


class _Judged(NamedTuple):
    """A memory that a person spoke of, by the id that people see; ``chunk`` is None when it has ended."""

    id: str
    chunk: Chunk | None
    uses: Uses


def _said(store: AgentStore) -> list[_Judged]:
    every = store.all_uses()
    heads = store.heads(every)
    said = [m for m, uses in every.items() if uses.mark or (m in heads and (uses.good or uses.bad))]
    told = [_Judged(heads[m].id if m in heads else m, heads.get(m), every[m]) for m in said]
    return sorted(told, key=lambda row: (row.uses.mark != "pin", row.uses.mark != "block", row.id))
