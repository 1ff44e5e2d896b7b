"""``hookclaw capture`` and ``hookclaw queue``: whether sessions are captured, and what of them waits to be worked on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hookclaw_py.cli.opening import (
    agent_of,
    agents_of_session,
    config_of,
    folder_of,
    has_yet_to_come,
    json_option,
    known_engine,
    learned_elsewhere,
    named_agent,
    no_memory_of,
    only_on_this_machine,
    open_engine,
    switched_of_every_agent,
    switches_of,
)
from hookclaw_py.insight.terminal import say
from hookclaw_py.store.switches import SWITCH, Switches, switch_capture

if TYPE_CHECKING:
    from hookclaw_py.capturing import Backfilled
    from hookclaw_py.engine import Engine
    from hookclaw_py.hosts.claude_code.transcripts import Project


def _one_session(_ctx: click.Context, option: click.Parameter, given: str | None) -> str:
    """Take the session that is named: an empty name, as of a variable that is not set, is no word on all of them."""
    if given is not None and not given.strip():
        raise click.BadParameter("it is empty; leave it out to mean all sessions", param=option)
    return given or ""


session_option = click.option("--session", callback=_one_session, help="Only this session, by its key.")


@click.group()
def capture() -> None:
    """Say what is captured of your sessions, or stop it."""


@capture.command("on")
@session_option
@click.pass_context
def switch_on(ctx: click.Context, session: str) -> None:
    """Capture from now on: all agents, or the one of --agent; with --session one session of the agent that it is of."""
    agent = named_agent(ctx)
    if session:
        for one in _switched_session(ctx, True, session):
            say(f"captured from now on: {session}{_of(one)}")
    else:
        with switches_of(ctx, agent) as facts:
            switch_capture(facts, True)
        say(f"captured from now on: your own sessions{_of(agent)}")
    if not config_of(ctx).capture.enabled:
        say("the configuration says no all the same: set capture.enabled = true", err=True)
    for command in () if session else _still_off(agent):
        say(f"still off: `{command}` takes it up again")


@capture.command("off")
@session_option
@click.pass_context
def switch_off(ctx: click.Context, session: str) -> None:
    """Capture nothing more: of all agents, or of the one of --agent; what is captured already stays.

    With --session one session is left out, of the agent that it is of.
    """
    agent = named_agent(ctx)
    if session:
        for one in _switched_session(ctx, False, session):
            again = f"hookclaw --agent {one} capture on --session {session}"
            say(f"no longer captured: {session}{_of(one)}; `{again}` takes it up again")
    else:
        with switches_of(ctx, agent) as facts:
            switch_capture(facts, False)
        again = f"hookclaw {f'--agent {agent} ' if agent else ''}capture on"
        say(f"no longer captured: anything{_of(agent)}; `{again}` takes it up again")
    if remark := has_yet_to_come(ctx) if agent or session else only_on_this_machine("capture off"):
        say(remark)


def _switched_session(ctx: click.Context, on: bool, session: str) -> list[str]:
    """Capture a session from now on, or no longer; return the agents that it is of."""
    agents = agents_of_session(ctx, session)
    for agent in agents:
        with switches_of(ctx, agent) as facts:
            switch_capture(facts, on, session)
    return agents


def _of(agent: str) -> str:
    return f" of agent {agent}" if agent else ", of all agents"


def _still_off(agent: str) -> list[str]:
    """Return the commands that take up again what this one does not: of all agents, or of single ones."""
    if agent:
        from hookclaw_py.config import home

        commands = [Switches(agent, None, home()).not_captured()]
    else:
        own = switched_of_every_agent(lambda facts: bool(facts.get_meta(SWITCH, {}).get("off")))
        commands = [f"hookclaw --agent {name} capture on" for name, off in own if off]
    return [one for one in commands if one]


@capture.command("status")
@json_option
@click.pass_context
def capture_status(ctx: click.Context, as_json: bool) -> None:
    """Say whether anything is captured, how much, and what was passed over."""
    from hookclaw_py.insight.captured import captured_lines, lost, passed_over
    from hookclaw_py.insight.printing import as_plain

    with known_engine(ctx) as engine:
        switched, waiting, counts = engine.capturing.switched, engine.capturing.waiting(), engine.store.counts()
    if as_json:
        passed = {"passed_over": passed_over(counts), "lost": lost(counts)}
        say(as_plain({"switched": switched, "waiting": waiting, **passed}))
    else:
        say("\n".join(captured_lines(switched, waiting, counts)))
        if not waiting.captured and (elsewhere := learned_elsewhere(ctx)):
            say(elsewhere.removeprefix("; "))


@capture.command("backfill")
@click.option(
    "--claude-code", is_flag=True, help="Of Claude Code: each project into its own memory, or all into that of --agent."
)
@click.option("--openclaw", is_flag=True, help="Of OpenClaw: the agent's sessions.")
@click.pass_context
def backfill(ctx: click.Context, claude_code: bool, openclaw: bool) -> None:
    """Take in what Claude Code and OpenClaw recorded of your sessions before, whichever is here.

    What was missed, too: each turn is remembered once. With --agent NAME all projects of Claude Code go into that
    memory; where NAME is the memory of one project, that project alone.
    """
    from hookclaw_py.capturing import switched_by
    from hookclaw_py.config import home

    if not (claude_code or openclaw):
        claude_code, openclaw = _recording(ctx)
    switches, configured = Switches(agent_of(ctx), None, home()), config_of(ctx).capture.enabled
    if not (switched := switched_by(switches, configured=configured, now=datetime.now(UTC))).on:
        say(f"nothing is taken in: {switched}")
        return
    failed = _backfilled_projects(ctx) if claude_code else 0
    if openclaw:
        with open_engine(ctx) as engine:
            failed += _took_in(engine, engine.backfill(), f"OpenClaw, agent {engine.agent}")
    if failed:
        ctx.exit(1)


def _recording(ctx: click.Context) -> tuple[bool, bool]:
    """Say which hosts that record sessions are here: Claude Code, OpenClaw. An agent that is named and is OpenClaw's is not Claude Code's.

    Raises:
        IndexingError: if neither is.
    """
    from hookclaw_py.errors import IndexingError
    from hookclaw_py.ingest.gateway_files import state_folder

    state = state_folder(config_of(ctx).openclaw_state)
    profile = "@" in agent_of(ctx)  # of another profile the plugin said where its folder is
    claude, openclaw = (_claude_folder() / "projects").is_dir(), profile or state.is_dir()
    if not (claude or openclaw):
        raise IndexingError(
            f"neither host that records sessions is here: {_claude_folder()} has none of Claude Code (set CLAUDE_CONFIG_DIR),"
            f" and {state} is no OpenClaw state folder (set openclawState)"
        )
    if claude and named_agent(ctx) and (state / "agents" / agent_of(ctx)).is_dir():
        say(
            f"of OpenClaw alone, which has an agent {agent_of(ctx)};"
            f" `hookclaw --agent {agent_of(ctx)} capture backfill --claude-code` takes in all projects of Claude Code as well"
        )
        return False, True
    return claude, openclaw


def _claude_folder() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude").expanduser()


def _backfilled_projects(ctx: click.Context) -> int:
    """Take in the projects that Claude Code worked in, each into the memory that it belongs to; return how much failed."""
    from hookclaw_py.capture.policy import is_within
    from hookclaw_py.hosts.claude_code.transcripts import projects

    known, excluded = projects(_claude_folder()), config_of(ctx).capture.exclude
    meant = _meant(ctx, known)
    wanted = [one for one in meant if not is_within(one.folder, excluded)]
    if not wanted:
        why = "capture.exclude names their folders" if meant else f"no sessions in {_claude_folder()}"
        say(f"nothing is taken in of Claude Code: {why}")
    return sum([_backfilled_project(ctx, project) for project in wanted])


def _meant(ctx: click.Context, known: Sequence[Project]) -> list[Project]:
    """Return the projects to take in: of a project's agent its own, of any other that is named all, which share its memory.

    Raises:
        StoreError: if there is no memory of who is named: a slip of the pen takes in nothing.
    """
    from hookclaw_py.store.upkeep import is_there

    agent = named_agent(ctx)
    own = [one for one in known if one.agent == agent]
    if agent in ("", "main") or own:
        return own or [one._replace(agent=agent or one.agent) for one in known]
    if not is_there(folder_of(ctx)):
        raise no_memory_of(agent)
    return [one._replace(agent=agent) for one in known]


def _backfilled_project(ctx: click.Context, project: Project) -> int:
    from hookclaw_py.engine import Engine
    from hookclaw_py.hosts.claude_code.hook import agent_id
    from hookclaw_py.hosts.claude_code.telling import HOST

    own = project.agent == agent_id(project.folder)
    into = "" if own else f", into the memory of agent {project.agent}"
    with Engine.open(config_of(ctx), agent=project.agent, hosted=own) as engine:
        return _took_in(engine, engine.capturing.backfill(project.sessions, host=HOST), f"{project.folder}{into}")


def _took_in(engine: Engine, found: Backfilled, of: str) -> int:
    """Work off what was taken in, say what that was, and return how much failed."""
    from hookclaw_py.insight.printing import counted

    if found.closed:
        say(f"{of}: nothing is taken in: {found.closed}")
        return 0
    done = engine.capturing.work_off()
    for warning in found.warnings:
        say(f"hookclaw: {warning}", err=True)
    say(f"{of}: {counted(found.turns, 'turn')} of {counted(found.sessions, 'session')} taken in; {done.failed} failed")
    return done.failed


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
        waiting, lane, now = engine.capturing.waiting(), engine.capturing.lane, datetime.now(UTC)
        model = f"model: {lane.state(now)}" if lane else ""
    say(as_plain(waiting) if as_json else "\n".join(filter(None, [*queue_lines(waiting), model])))


@queue.command("process")
@click.pass_context
def process(ctx: click.Context) -> None:
    """Take back what is stuck and work off what is due, here and now; where a model is configured (`llm`), ask it as well."""
    from hookclaw_py.insight.printing import counted

    with known_engine(ctx) as engine:
        done = engine.capturing.work_off()
        left = engine.capturing.waiting()
        lived, lane = engine.capturing.ask_model(), engine.capturing.lane
        model = lane.state(datetime.now(UTC)) if lane else ""
    taken = (
        f", {counted(done.recovered, 'piece')} taken back from a process that ended or hung" if done.recovered else ""
    )
    say(f"{done.done} done, {done.failed} failed{taken}; {left.pending} wait")
    if lived is not None:
        say(f"model: {counted(lived.used, 'answer')} taken in, {lived.unusable} unusable; {model}")
    if done.failed:
        ctx.exit(1)


@queue.command("retry")
@click.pass_context
def retry(ctx: click.Context) -> None:
    """Let what has failed be tried again."""
    with known_engine(ctx) as engine:
        again = engine.capturing.retry()
    say(f"{again} to be tried again; `hookclaw queue process` does it now" if again else "nothing has failed")
