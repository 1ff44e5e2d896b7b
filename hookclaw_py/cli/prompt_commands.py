"""``hookclaw prompts``: look at what ``recordPrompts`` recorded, judge it, take it elsewhere, ask it again."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py.cli.opening import agent_of, config_of, folder_of
from hookclaw_py.insight.terminal import say
from hookclaw_py.privacy.plain import plain_json

if TYPE_CHECKING:
    from hookclaw_py.model.types import Chunk

KEYS = {"h": "helped", "n": "did not help", "s": "should be silent", "m": "should speak"}
_OFFERED = {
    True: ("[h]elped, did [n]ot help, should be [s]ilent", "hns"),
    False: ("right to be [s]ilent, [m]issed something", "sm"),
}
"""What is asked of a prompt, by whether anything was shown, and its keys."""


@click.group("prompts")
def prompts_group() -> None:
    """Prompts that were recorded (recordPrompts = true), with what became of them."""


def _engine(ctx: click.Context) -> Any:
    """Open the agent's store for reading: nothing is recorded or learned while prompts are asked again."""
    from hookclaw_py.config import Config
    from hookclaw_py.engine import Engine

    silent = ("enable_feedback_loop", "record_prompts", "keep_history")
    quiet: dict[str, Any] = {name: False for name in silent if name in Config.model_fields}
    return Engine.open(config_of(ctx).model_copy(update=quiet), agent=agent_of(ctx), folder=folder_of(ctx))


@prompts_group.command("export")
@click.option("--labelled", is_flag=True, help="Only those that were judged.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), default="-", help="Default: print."
)
@click.pass_context
def export_command(ctx: click.Context, labelled: bool, out: Path) -> None:
    """Write the prompts as JSONL, the form of a workspace's prompts.jsonl."""
    import orjson

    from hookclaw_py import build
    from hookclaw_py.evaluation.prompts import exported
    from hookclaw_py.observe.recording import PromptLog
    from hookclaw_py.privacy.files import for_its_owner

    known = PromptLog(folder_of(ctx)).all(agent=agent_of(ctx))
    recorded = [one for one in known if one.label or not labelled]
    if not known:
        say("hookclaw: nothing recorded yet; set recordPrompts = true", err=True)
        return
    if not recorded:
        say(
            f"hookclaw: none of {len(known)} recorded prompts was judged; `hookclaw prompts label` asks for it",
            err=True,
        )
        return
    with build.store(folder_of(ctx)) as store:
        chunks = store.chunks(chunk_id for one in recorded for chunk_id in one.chunk_ids)
    text = "".join(f"{plain_json(orjson.dumps(line).decode())}\n" for line in exported(recorded, chunks))
    if str(out) == "-":
        say(text, nl=False)
        return
    with open(out, "w", encoding="utf-8", opener=for_its_owner) as file:
        file.write(text)


@prompts_group.command("label")
@click.option("--again", is_flag=True, help="Also those that were judged before.")
@click.pass_context
def label_command(ctx: click.Context, again: bool) -> None:
    """Judge the decisions one after another, a key each."""
    from hookclaw_py import build
    from hookclaw_py.observe.recording import PromptLog

    log = PromptLog(folder_of(ctx))
    waiting = [one for one in log.all(agent=agent_of(ctx)) if again or not one.label]
    if not waiting:
        say("hookclaw: nothing to judge", err=True)
        return
    with build.store(folder_of(ctx)) as store:
        chunks = store.chunks(chunk_id for one in waiting for chunk_id in one.chunk_ids)
    judged = 0
    for number, one in enumerate(waiting, start=1):
        say(f"\n{number} of {len(waiting)}, {one.prompt.received_at:%Y-%m-%d %H:%M}, {one.outcome}: {one.reason}")
        say(one.prompt.text, bold=True)
        for chunk_id in one.chunk_ids:
            say(_told(chunks[chunk_id]) if chunk_id in chunks else "  - (a memory that is gone)")
        key = _judged(shown=bool(one.chunk_ids))
        if key == "q":
            break
        if key:
            log.label(one.id, KEYS[key])
            judged += 1
    say(f"\n{judged} of {len(waiting)} judged; `hookclaw prompts export --labelled` writes all that were")


def _told(chunk: Chunk) -> str:
    """Return a memory as it is judged: where it stands, and below, further in, what it says."""
    return f"  - {chunk.place}{f' [{chunk.heading}]' if chunk.heading else ''}\n{indent(chunk.text, '    ')}"


def _judged(*, shown: bool) -> str:
    """Ask for a key until it is one of those that are offered; "" is later."""
    asked, keys = _OFFERED[shown]
    while True:
        key = click.prompt(f"{asked}, Enter for later, [q]uit", default="", show_default=False).strip().lower()[:1]
        if key in {"", "q", *keys}:
            return str(key)
        say(f"{key!r} is none of these")


@prompts_group.command("replay")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a prompt.")
@click.pass_context
def replay_command(ctx: click.Context, as_json: bool) -> None:
    """Ask the recorded prompts again and compare with what was decided then. Later notes stay out of sight."""
    from hookclaw_py.evaluation.prompts import replayed, sheets
    from hookclaw_py.observe.recording import PromptLog

    recorded = PromptLog(folder_of(ctx)).all(agent=agent_of(ctx))
    if not recorded:
        say("hookclaw: nothing recorded yet; set recordPrompts = true", err=True)
        return
    with _engine(ctx) as engine:
        found = replayed(recorded, engine)
    if as_json:
        import orjson

        for one in found:
            row = {"id": one.recorded.id, "then": one.recorded.outcome, "today": one.outcome, "change": one.change}
            say(plain_json(orjson.dumps({**row, "chunk_ids": one.chunk_ids}).decode()))
        return
    from hookclaw_py.cli.evaluating import print_sheets

    print_sheets(f"{len(found)} recorded prompts of agent {agent_of(ctx)}", list(sheets(found)))


@prompts_group.command("import")
@click.argument("place", metavar="PATH", type=click.Path(path_type=Path, exists=True))
@click.pass_context
def import_command(ctx: click.Context, place: Path) -> None:
    """Read the prompts out of OpenClaw session transcripts (a .jsonl file, or a folder of them)."""
    from hookclaw_py import build
    from hookclaw_py.evaluation.prompts import from_transcript, transcripts
    from hookclaw_py.observe.recording import PromptLog

    build.store(folder_of(ctx)).close()  # makes the folder, private
    log = PromptLog(folder_of(ctx))
    files = transcripts(place)
    added = sum(log.add(one) for file in files for one in from_transcript(file, agent=agent_of(ctx)))
    say(f"{added} new prompts from {len(files)} transcripts")


@prompts_group.command("forget")
@click.confirmation_option(prompt="Delete every recorded prompt of this agent?")
@click.pass_context
def forget_command(ctx: click.Context) -> None:
    """Delete what was recorded."""
    from hookclaw_py.observe.recording import PromptLog

    say(f"{PromptLog(folder_of(ctx)).forget()} prompts deleted")
