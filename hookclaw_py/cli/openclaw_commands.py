"""The commands of the OpenClaw side; each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path

import click

from hookclaw_py.cli.opening import agent_of, config_file_of, json_option
from hookclaw_py.insight.terminal import say

gateway_option = click.option(
    "--gateway",
    "given",
    type=click.Path(path_type=Path),
    help="OpenClaw's command, its openclaw.mjs, or the folder npm put it in. Default: the one on PATH, else npm's global one.",
)
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
edit_option = click.option(
    "--edit",
    is_flag=True,
    help="Edit the configuration file instead of calling OpenClaw's command: keeps its comments.",
)


@click.group()
def openclaw() -> None:
    """Connect hookclaw to an OpenClaw gateway."""


@openclaw.command()
@gateway_option
@dry_run_option
@edit_option
def install(given: Path | None, dry_run: bool, edit: bool) -> None:
    """Put the plugin into OpenClaw's configuration. Safe to repeat; `uninstall` restores what was there."""
    from hookclaw_py.hosts.openclaw import document
    from hookclaw_py.hosts.openclaw import install as installer
    from hookclaw_py.hosts.openclaw.gateway import dotted, find_gateway
    from hookclaw_py.hosts.openclaw.interpreter import interpreter

    gateway = find_gateway(given)
    python = interpreter()
    text, values = installer.read(gateway)
    made = installer.changes(values, installer.wanted(values, gateway, python))
    say(f"OpenClaw {dotted(gateway.version)}, {gateway.config}")
    for change in made:
        say(str(change))
    if dry_run:
        say(f"copy of the plugin: {gateway.plugin}\nnothing was changed" if made else "nothing to change")
        return
    if made and gateway.command and not edit and not document.is_plain_json(text):
        say("note: OpenClaw rewrites its configuration without comments; --edit keeps them")
    if not installer.plugin_is_current(gateway):
        say(f"copying the plugin to {gateway.plugin}")
    installer.install(gateway, python, by_hand=edit)
    if made:
        say(f"done; the configuration as it was: {gateway.folder / 'before.json5'}")
        say("If the gateway is running, restart it: `openclaw gateway restart`. Then `hookclaw doctor`.")
    else:
        say("installed already, nothing to change")
    from hookclaw_py.insight.captured import CAPTURED

    say(CAPTURED)


@openclaw.command()
@gateway_option
@dry_run_option
@edit_option
def uninstall(given: Path | None, dry_run: bool, edit: bool) -> None:
    """Take the plugin out again and restore the configuration. Memories stay where they are."""
    from hookclaw_py.hosts.openclaw import install as installer
    from hookclaw_py.hosts.openclaw.gateway import find_gateway

    gateway = find_gateway(given)
    made = installer.planned_removal(gateway) if dry_run else installer.uninstall(gateway, by_hand=edit)
    for change in made:
        say(str(change))
    say("nothing was changed" if dry_run else "done" if made else "it was not installed")


@openclaw.command("status")
@gateway_option
@json_option
def show_status(given: Path | None, as_json: bool) -> None:
    """Say whether the plugin is in OpenClaw, and when a turn reached it last."""
    from hookclaw_py.hosts.openclaw.gateway import find_gateway
    from hookclaw_py.hosts.openclaw.status import lines, status

    found = status(find_gateway(given))
    if as_json:
        from hookclaw_py.insight.printing import as_plain

        say(as_plain(found))
    else:
        say("\n".join(lines(found)))


@click.command()
@gateway_option
@json_option
@click.pass_context
def doctor(ctx: click.Context, given: Path | None, as_json: bool) -> None:
    """Prove that memory works from the gateway to the store; each problem with the command that mends it.

    Exit code 0 when nothing is wrong, 1 when something is.
    """
    from hookclaw_py.insight.doctor import Verdict, examine

    checks, store = [], (ctx.obj or {}).get("store")
    for check in examine(agent_of(ctx), config_file_of(ctx), given, store=store):
        checks.append(check)
        if not as_json:
            say(str(check))
    wrong = sum(check.verdict is Verdict.PROBLEM for check in checks)
    if as_json:
        from hookclaw_py.insight.printing import as_plain

        say(as_plain({"ok": not wrong, "checks": checks}))
    else:
        say(f"{wrong} problem{'s' if wrong > 1 else ''}" if wrong else "no problems")
    if wrong:
        ctx.exit(1)
