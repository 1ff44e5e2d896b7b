"""``hookclaw config``: every value and its origin, every problem, every key."""

from __future__ import annotations

import click

from hookclaw_py.cli.opening import config_file_of, config_of, json_option
from hookclaw_py.insight.terminal import say


@click.group("config")
def config_group() -> None:
    """Show and check the configuration."""


@config_group.command("show", short_help="Print every value and where it came from.")
@json_option
@click.pass_context
def config_show(ctx: click.Context, as_json: bool) -> None:
    """Print every value and where it came from."""
    from hookclaw_py.config import Config
    from hookclaw_py.config.sources import camel
    from hookclaw_py.insight.printing import as_plain, config_values, print_config

    config, origins = Config.load_with_origins(config_file_of(ctx))
    if as_json:
        places = {camel(key): origin for key, origin in origins.items()}
        say(as_plain({"values": config_values(config, by_alias=True), "origins": places}))
    else:
        print_config(config, origins)


@config_group.command("check", short_help="List every problem of the configuration.")
@click.pass_context
def config_check(ctx: click.Context) -> None:
    """Say whether the configuration can be used, listing every problem; exit code 2 when it cannot."""
    config = config_of(ctx)
    say(f"the configuration is fine (fingerprint {config.fingerprint})")


@config_group.command("schema")
def config_schema() -> None:
    """Print the JSON schema of the configuration."""
    from hookclaw_py.config import json_schema
    from hookclaw_py.insight.printing import as_plain

    say(as_plain(json_schema()))
