"""How this package was installed, so that what we tell people to install lands where we look for it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path


def install(packages: Iterable[str], *, again: bool = False) -> str:
    """Return the command that installs ``packages`` beside this one; ``again`` even if they are there."""
    folder, wanted = Path(sys.prefix), " ".join(map(shlex.quote, packages))
    if (folder / "pipx_metadata.json").exists():
        return (
            f"pipx runpip {folder.name} install --force-reinstall {wanted}"
            if again
            else f"pipx inject {folder.name} {wanted}"
        )
    python = shlex.quote(sys.executable or "python3")
    if (folder / "uv-receipt.toml").exists():
        return f"uv pip install --python {python}{' --reinstall' if again else ''} {wanted}"
    return f"{python} -m pip install{' --force-reinstall' if again else ''} {wanted}"


def install_extra(extra: str) -> str:
    """Return the command that installs what the extra of this name asks for."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = [line.partition(";") for line in requires("hookclaw_py") or ()]
    except PackageNotFoundError:  # run from its source
        asked = []
    mark = f'extra=="{extra}"'
    packages = [name.strip() for name, _, when in asked if mark in when.replace(" ", "").replace("'", '"')]
    return install(packages or [f"hookclaw_py[{extra}]"])


def reinstall() -> str:
    """Return the command that installs this package anew, from where it came."""
    return install([_origin()], again=True)


def _origin() -> str:
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = distribution("hookclaw_py").read_text("direct_url.json")
    except PackageNotFoundError:
        told = None
    url: str = json.loads(told)["url"] if told else ""
    return url.removeprefix("file://") or "hookclaw_py"


def index_command(agent: str) -> str:
    """Return the command that reads the notes of this agent."""
    return f"hookclaw {f'--agent {agent} ' if agent != 'main' else ''}index"


def unreachable(folder: object) -> str:
    """Say why a folder cannot be looked into although it may be there; "" where it can, or where there is none."""
    try:
        os.stat(str(folder))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)
    return ""


def is_gone(folder: object, agent: str) -> str:
    """Say that a folder of notes, of this agent's, is not there, and what to do where it has moved."""
    if why := unreachable(folder):
        return f"the folder {folder} cannot be looked into: {why}; see to its mode, or to the disk that it is on"
    return f"the folder {folder} is gone; run `{index_command(agent)} NEW_FOLDER --move` if it has moved"
