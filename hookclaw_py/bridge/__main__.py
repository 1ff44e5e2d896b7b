"""``python -m hookclaw_py.bridge serve``: the bridge's commands by themselves, for programs that start them."""

from __future__ import annotations

import sys

import click

from hookclaw_py.bridge.commands import hook, mcp, serve
from hookclaw_py.errors import HookclawError
from hookclaw_py.plain import plain

main = click.Group("hookclaw_py.bridge", commands=[serve, hook, mcp])

if __name__ == "__main__":
    try:
        main()
    except HookclawError as error:
        sys.exit(plain(f"hookclaw: {error}"))
