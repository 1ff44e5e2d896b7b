"""Commands: skins over the engine. Whatever a command needs is imported when it runs."""

from __future__ import annotations

import errno
import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from hookclaw_py import __version__
from hookclaw_py.errors import AwayError, ConfigError, HookclawError
from hookclaw_py.insight.terminal import say

BAD_INPUT = 2
FILE = click.Path(path_type=Path)
INTERRUPTED = 130
_STORE = "HOOKCLAW_STORE__URL"


SECTIONS = {
    "Remember": ("index", "remember", "recall", "search", "explain", "list", "status", "watch", "demo"),
    "Agents": ("openclaw", "doctor", "hook", "mcp", "serve", "worker", "message"),
    "Does it help": ("viewer", "stats", "history", "replay", "feedback", "review"),
    "Tune": ("config", "metrics", "prompts", "eval"),
    "Sessions": ("records", "brief", "capture", "queue", "pause", "resume"),
    "Keep": ("export", "backup", "restore", "migrate", "move", "fleet"),
}


HOMES = {
    **dict.fromkeys(("index", "status", "watch"), "index_commands"),
    **dict.fromkeys(("remember", "search", "list"), "notes_commands"),
    **dict.fromkeys(("recall", "explain"), "recall_commands"),
    **dict.fromkeys(("openclaw", "doctor"), "openclaw_commands"),
    **dict.fromkeys(("hook", "mcp", "serve"), "door_commands"),
    **dict.fromkeys(("stats", "history", "replay"), "history_commands"),
    "message": "message_commands",
    "feedback": "feedback_commands",
    "review": "review_commands",
    "export": "export_commands",
    **dict.fromkeys(("records", "brief"), "record_commands"),
    "config": "config_commands",
    "metrics": "metrics_commands",
    "prompts": "prompt_commands",
    "eval": "eval_commands",
    **dict.fromkeys(("backup", "restore", "migrate", "move"), "backup_commands"),
    "fleet": "fleet_commands",
    **dict.fromkeys(("capture", "queue"), "capture_commands"),
    **dict.fromkeys(("worker", "viewer"), "worker_commands"),
    **dict.fromkeys(("pause", "resume"), "pause_commands"),
}
"""The module of each command: it is loaded when it is asked for, so that a host's process begins soon."""

TAKES_NO_AGENT = ("openclaw", "serve", "eval", "config", "demo", "worker", "move")


class _Hookclaw(click.Group):
    """Turns our own errors into one clear message and exit code 2, and Ctrl-C into a word of comfort and 130."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return every command's name."""
        return sorted({*self.commands, *HOMES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a command, loaded if need be."""
        if cmd_name in HOMES and cmd_name not in self.commands:
            module = import_module(f"hookclaw_py.cli.{HOMES[cmd_name]}")
            found = next(c for c in vars(module).values() if isinstance(c, click.Command) and c.name == cmd_name)
            if cmd_name not in TAKES_NO_AGENT:
                _accept_after_the_verb(found, AGENT, CONFIG)
            elif isinstance(found, click.Group) and cmd_name == "config":
                _accept_after_the_verb(found.commands["show"], CONFIG)
                _accept_after_the_verb(found.commands["check"], CONFIG)
            self.add_command(found)
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant; where there is none of that name, tell which are like it: "feedback forget"."""
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self.get_command(ctx, name):
            return super().resolve_command(ctx, args)
        like = ", ".join(f"`hookclaw {one}`" for one in self._like(ctx, name))
        raise click.UsageError(f"No such command {name!r}{f'; there is {like}' if like else '.'}", ctx)

    def _like(self, ctx: click.Context, name: str) -> list[str]:
        """Return the commands below others that have this name, else those whose name is nearly this one."""
        from difflib import get_close_matches

        names = self.list_commands(ctx)
        groups = [one for one in map(partial(self.get_command, ctx), names) if isinstance(one, click.Group)]
        inner = [f"{group.name} {name}" for group in groups if name in group.commands]
        return inner or get_close_matches(name, names, n=2, cutoff=0.75)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what one wants, each with its whole first sentence."""
        for title, names in SECTIONS.items():
            with formatter.section(title):
                found = [self.get_command(ctx, name) for name in names]
                formatter.write_dl([(c.name or "", c.get_short_help_str(200)) for c in found if c])

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the words before the verb."""
        try:
            return super().make_context(*given, **more)
        except click.ClickException as error:
            raise _plainly(error)  # noqa: B904  # it is the same one

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            raise _plainly(error)  # noqa: B904
        except ConfigError as error:
            problems = "\n".join(f"  {problem}" for problem in error.problems)
            say(f"hookclaw: the configuration cannot be used:\n{problems}", err=True)
        except HookclawError as error:
            if _is_logged(error, ctx):
                return ctx.exit(BAD_INPUT)
            say(f"hookclaw: {error}{f': {error.at_shell}' if error.at_shell else ''}", err=True)
        except KeyboardInterrupt:
            kept = "; what is done is kept, run `hookclaw index` again to go on"
            say(f"hookclaw: interrupted{kept if ctx.invoked_subcommand == 'index' else ''}", err=True)
            return ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                say(f"hookclaw: cannot write: {error.strerror}; free some space and run it again", err=True)
            elif error.filename is not None:
                say(f"hookclaw: {error.filename}: {error.strerror}; check the path and its mode", err=True)
            elif _is_nowhere():
                say("hookclaw: the folder that you are in is gone; `cd` to another one and run it again", err=True)
            else:
                raise
        return ctx.exit(BAD_INPUT)


def _is_logged(error: HookclawError, ctx: click.Context) -> bool:
    """Say whether a line of the log has told people of it: that a server is away, and where nobody else takes such lines stderr does."""
    if not isinstance(error, AwayError):
        return False
    import logging

    return bool(ctx.params.get("verbose")) or not logging.getLogger("hookclaw").hasHandlers()


def _is_nowhere() -> bool:
    """Say whether the folder that the command was given in is there no more: what is beside it has no path then."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _plainly(error: click.ClickException) -> click.ClickException:
    """Return the error with what was typed made plain: click repeats it as it is."""
    from hookclaw_py.privacy.plain import plain

    vars(error)["message"] = plain(error.message)
    return error


@click.group(cls=_Hookclaw, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hookclaw")
@click.option("--agent", default="main", show_default=True, help="Whose memory: each agent has a store of its own.")
@click.option("--config", "config_file", type=FILE, help="Default: $HOOKCLAW_HOME/config.toml.")
@click.option("--store", metavar="URL", help="Keep memories on this server: postgresql://USER@HOST/DATABASE.")
@click.option("-v", "--verbose", is_flag=True, help="Log decisions and warnings to stderr.")
@click.pass_context
def main(ctx: click.Context, agent: str, config_file: Path | None, store: str | None, verbose: bool) -> None:
    """Local-first memory for AI agents: the few memories that answer a prompt, or silence."""
    named = ctx.get_parameter_source("agent") is not ParameterSource.DEFAULT
    ctx.obj = {"agent": agent, "named": named, "config_file": config_file, "store": store}
    if store is not None:
        _keep_all_there(ctx, store)
    if verbose:
        import logging

        from hookclaw_py.privacy.plain import PlainFormatter

        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(PlainFormatter())
        logging.basicConfig(level=logging.INFO, handlers=[handler])


def _keep_all_there(ctx: click.Context, store: str) -> None:
    """Let the doors, and what this command starts, keep memories on that server as well: they read the configuration themselves."""
    before = os.environ.get(_STORE)
    os.environ[_STORE] = store
    ctx.call_on_close(lambda: os.environ.pop(_STORE) if before is None else os.environ.update({_STORE: before}))


def _whose(ctx: click.Context, _option: click.Parameter, agent: str | None) -> None:
    if agent is not None:
        ctx.ensure_object(dict).update(agent=agent, named=True)


def _configured(ctx: click.Context, _option: click.Parameter, file: Path | None) -> None:
    if file is not None:
        ctx.ensure_object(dict)["config_file"] = file


@main.command()
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Put the demo's workspace and store here and keep them.",
)
def demo(keep: Path | None) -> None:
    """Index a small workspace that comes with the package and ask it a handful of questions."""
    import tempfile

    from hookclaw_py.cli.demonstration import run

    if keep is not None:
        run(keep)
        return
    with tempfile.TemporaryDirectory(prefix="hookclaw-demo-") as folder:
        run(Path(folder))


def _accept_after_the_verb(command: click.Command, *options: click.Parameter) -> None:
    """Let these options of the program stand after the verb as well, where people look for them first."""
    command.params.extend(options)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _accept_after_the_verb(inner, *options)


AGENT = click.Option(["--agent"], callback=_whose, expose_value=False, help="Whose memory.")
CONFIG = click.Option(
    ["--config"], callback=_configured, expose_value=False, type=FILE, help="Default: $HOOKCLAW_HOME/config.toml."
)
