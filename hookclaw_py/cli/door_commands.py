"""The commands that open a door; each imports what it needs when it runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hookclaw_py.cli.opening import agent_of, config_file_of, named_agent
from hookclaw_py.insight.terminal import say

if TYPE_CHECKING:
    from hookclaw_py.doors.service import Service


ALL = 'tools = "all"'


@click.command()
@click.option(
    "--socket", "as_socket", is_flag=True, help="Listen at a private Unix socket instead of stdin and stdout."
)
@click.option(
    "--idle-seconds", default=1800.0, show_default=True, help="With --socket: end when nobody asks for so long."
)
@click.option("--schema", is_flag=True, help="Print the JSON schema of what may be sent, and do nothing else.")
@click.pass_context
def serve(ctx: click.Context, as_socket: bool, idle_seconds: float, schema: bool) -> None:
    """Answer a gateway: one JSON object a line on stdin and stdout, logs on stderr."""
    if schema:
        import json

        from hookclaw_py.doors.requests import schema as of_requests

        say(json.dumps(of_requests(), indent=2))
        return
    file = config_file_of(ctx)
    if as_socket:
        from hookclaw_py.doors.unixsocket import serve_socket
        from hookclaw_py.hosts.caller import socket_path

        serve_socket(Path(socket_path()), idle_seconds=idle_seconds, config_file=file, beside=_http(file))
        return
    from hookclaw_py.doors.stdio import serve_stdio

    serve_stdio(file, _http(file))


def _http(config_file: Path | None) -> Callable[[Service], None]:
    """Return what listens for HTTP beside this door, if the configuration wants it; nothing is loaded before that is known."""

    def beside(service: Service) -> None:
        from hookclaw_py.web.server import beside

        beside(service, config_file)

    return beside


@click.group()
def hook() -> None:
    """Hooks of other agents, JSON on stdin and stdout."""


@hook.command("claude-code")
@click.option(
    "--settings", is_flag=True, help="Print what belongs into Claude Code's settings.json, and do nothing else."
)
@click.pass_context
def claude_code(ctx: click.Context, settings: bool) -> None:
    """Serve one hook call of Claude Code (the command hookclaw-claude-code does the same, faster).

    Each project has a memory of its own. With --agent NAME all share that agent's, and its notes.

    One JSON object comes on stdin; memories go to stdout. Of every event hook_event_name, session_id, cwd, transcript_path and agent_id are
    read (what a sub-agent does is not kept), and of

    \b
    UserPromptSubmit    prompt
    SessionStart        source
    Stop                last_assistant_message, else the transcript's end
    PostToolUse         tool_name, tool_use_id, tool_input, tool_response
    PostToolUseFailure  the same, error
    PreCompact          nothing more
    SessionEnd          reason
    """  # noqa: D301  # click reads it as the character that it is
    shared = named_agent(ctx)
    if settings:
        import json

        from hookclaw_py.config import home
        from hookclaw_py.store.agents import agent_folder

        agent_folder(home(), shared or "main")
        entry = [{"hooks": [{"type": "command", "command": _hook_command(shared)}]}]
        from hookclaw_py.insight.captured import CAPTURED

        asked = ("UserPromptSubmit", "Stop", "SessionStart")
        told = ("PostToolUse", "PostToolUseFailure", "PreCompact", "SessionEnd")
        whose = ["--agent", shared] if shared else ["--project"]
        served = {
            "mcpServers": {"hookclaw": {"command": _python(), "args": ["-P", "-m", "hookclaw_py", "mcp", *whose]}}
        }
        say(json.dumps({"hooks": dict.fromkeys((*asked, *told), entry), **served}, indent=2))
        say(CAPTURED, err=True)
        say(_SHARED.format(agent=shared) if shared else _APART, err=True)
        say(_TOO_OLD, err=True)
        say(f"The tools, where mcpServers is not read from there: {_added(served['mcpServers']['hookclaw'])}", err=True)
        return
    from hookclaw_py.hosts.claude_code.hook import main

    main(shared)


_APART = (
    "Each project has a memory of its own, of its MEMORY.md, its memory/ and its sessions. To be told the notes of "
    "`hookclaw index FOLDER` in every project: hookclaw hook claude-code --agent main --settings"
)
_TOO_OLD = "A Claude Code that is too old to know PostToolUseFailure skips the whole file: take that entry out there."
_SHARED = "All projects share the memory of agent {agent}: its notes, and what is said in their sessions."


def _python() -> str:
    from hookclaw_py.hosts.openclaw.interpreter import interpreter

    return interpreter()


def _added(server: dict[str, Any]) -> str:
    import shlex

    return shlex.join(["claude", "mcp", "add", "--scope", "user", "hookclaw", "--", server["command"], *server["args"]])


def _hook_command(shared: str) -> str:
    """Return a command that works wherever Claude Code runs it, whatever is on its PATH; ``shared`` is the agent of all projects, if any.

    Raises:
        GatewayError: if this Python is not here to stay.
    """
    import shlex

    from hookclaw_py.hosts.openclaw.interpreter import interpreter

    python = interpreter()
    script = Path(python).with_name("hookclaw-claude-code")
    run = [str(script)] if script.exists() else [python, "-P", "-m", "hookclaw_py.hosts.claude_code.hook"]
    return shlex.join([*run, "--agent", shared] if shared else run)


@click.command()
@click.option(
    "--workspace",
    type=click.Path(path_type=Path),
    help="The folder to keep indexed meanwhile; by default those of the store.",
)
@click.option("--project", is_flag=True, help="Serve Claude Code: the memory of the project that it is started in.")
@click.option("--tools", is_flag=True, help="Print the tools and about how many tokens they cost, and do nothing else.")
@click.pass_context
def mcp(ctx: click.Context, workspace: Path | None, project: bool, tools: bool) -> None:
    """Serve the agent's memory to an MCP client on stdin and stdout (needs hookclaw_py[mcp])."""
    if tools:
        _print_tools(config_file_of(ctx))
        return
    from hookclaw_py.doors.mcp_server import serve_mcp

    agent = agent_of(ctx)
    if project:
        from hookclaw_py.hosts.claude_code.hook import agent_id

        workspace = Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
        agent = agent_id(str(workspace))
    serve_mcp(agent, workspace, config_file=config_file_of(ctx), hosted=project)


def _print_tools(config_file: Path | None) -> None:
    """Print what showing the tools costs: each, those of a client, those of a gateway, and what more there would be."""
    from hookclaw_py.config import Config
    from hookclaw_py.doors.mcp_server import defined
    from hookclaw_py.doors.tools.table import TOOLS, shown, tokens_of

    which, known = Config.load(config_file).tools, defined("all")
    costs = {name: tokens_of(name, shape) for name, shape in known.items()}
    for name in defined(which):
        say(f"{name:<18} ~{costs[name]:>4} tokens")
    say(
        f"{'in all':<18} ~{sum(costs[name] for name in defined(which)):>4} tokens, in every turn of a client that shows its"
        " model all of them"
    )
    say(f"{'in a gateway':<18} ~{sum(costs[name] for name in shown(which)):>4} tokens, for {', '.join(shown(which))}")
    if more := [name for name in TOOLS if name not in shown(which)]:
        say(f"{ALL:<18} ~{sum(costs[name] for name in more):>4} tokens more, for {', '.join(more)}")
