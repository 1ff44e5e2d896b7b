"""``hookclaw capture`` and ``hookclaw queue``: whether sessions are captured, and what of them waits to be worked on."""

from __future__ import annotations

import click

from hookclaw_py.cli.history_commands import json_option
from hookclaw_py.cli.opening import known_engine, learned_elsewhere, open_engine
from hookclaw_py.insight.terminal import say

session_option = click.option("--session", default="", help="Only this session, by its key.")


@click.group()
def capture() -> None:
    """Say what is captured of your sessions, or stop it."""


@capture.command("on")
@session_option
@click.pass_context
def switch_on(ctx: click.Context, session: str) -> None:
    """Capture from now on."""
    with open_engine(ctx) as engine:
        engine.capturing.switch(True, session)
        say(f"captured from now on: {session or 'your own sessions'}")
        if not engine.capturing.switched.configured:
            say("the configuration says no all the same: set capture.enabled = true", err=True)


@capture.command("off")
@session_option
@click.pass_context
def switch_off(ctx: click.Context, session: str) -> None:
    """Capture nothing more; what is captured already stays."""
    with open_engine(ctx) as engine:
        engine.capturing.switch(False, session)
    say(f"no longer captured: {session or 'anything'}; `hookclaw capture on` takes it up again")


@capture.command("status")
@json_option
@click.pass_context
def capture_status(ctx: click.Context, as_json: bool) -> None:
    """Say whether anything is captured, how much, and what was passed over."""
    from hookclaw_py.insight.captured import captured_lines
    from hookclaw_py.insight.printing import as_plain

    with known_engine(ctx) as engine:
        switched, waiting, counts = engine.capturing.switched, engine.capturing.waiting(), engine.store.counts()
    if as_json:
        say(as_plain({"switched": switched, "waiting": waiting}))
    else:
        say("\n".join(captured_lines(switched, waiting, counts)))
        if not waiting.captured and (elsewhere := learned_elsewhere(ctx)):
            say(elsewhere.removeprefix("; "))


@capture.command("backfill")
@click.pass_context
def backfill(ctx: click.Context) -> None:
    """Take in what OpenClaw recorded of your sessions before, and what was missed: each turn is remembered once."""
    from hookclaw_py.insight.printing import counted

    with open_engine(ctx) as engine:
        found = engine.backfill()
        done = engine.capturing.work_off()
    for warning in found.warnings:
        say(f"hookclaw: {warning}", err=True)
    say(f"{counted(found.turns, 'turn')} of {counted(found.sessions, 'session')} taken in; {done.failed} failed")
    if done.failed:
        ctx.exit(1)


@click.group()
def queue() -> None:
    """Say what of the captured waits to be worked on, and work it off."""


@queue.command("status")
@json_option
@click.pass_context
def queue_status(ctx: click.Context, as_json: bool) -> None:
    """Say how much waits, is at work or has failed, and why."""
    from hookclaw_py.insight.captured import queue_lines
    from hookclaw_py.insight.printing import as_plain

    with known_engine(ctx) as engine:
        waiting = engine.capturing.waiting()
    say(as_plain(waiting) if as_json else "\n".join(queue_lines(waiting)))


@queue.command("process")
@click.pass_context
def process(ctx: click.Context) -> None:
    """Take back what is stuck and work off what is due, here and now."""
    from hookclaw_py.insight.printing import counted

    with known_engine(ctx) as engine:
        done = engine.capturing.work_off()
        left = engine.capturing.waiting()
    taken = (
        f", {counted(done.recovered, 'piece')} taken back from a process that ended or hung" if done.recovered else ""
    )
    say(f"{done.done} done, {done.failed} failed{taken}; {left.pending} wait")
    if done.failed:
        ctx.exit(1)


@queue.command("retry")
@click.pass_context
def retry(ctx: click.Context) -> None:
    """Let what has failed be tried again."""
    with known_engine(ctx) as engine:
        again = engine.capturing.retry()
    say(f"{again} to be tried again; `hookclaw queue process` does it now" if again else "nothing has failed")
