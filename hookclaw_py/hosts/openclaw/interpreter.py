"""Which Python a gateway must start: the one that runs now, proven to find us by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hookclaw_py import __version__
from hookclaw_py.hosts.openclaw.gateway import GatewayError
from hookclaw_py.regex import regex

ARGUMENTS = ("-P", "-m", "hookclaw_py", "serve")
"""What the plugin starts; -P keeps the gateway's working folder, which an agent may write to, off the import path."""

# uvx and `pipx run` make environments that a later cleaning removes.
_PASSING = regex(r"/uv/(?:archive-v\d+|environments-v\d+|builds-v\d+)/|/pipx/\.cache/|/\.cache/pipx/")


def interpreter() -> str:
    """Return the path of the running Python, links kept: a virtual environment's is a link, and is it only as one.

    Raises:
        GatewayError: if a gateway could not use it.
    """
    if not sys.executable:
        raise GatewayError("this Python does not know its own path; install hookclaw_py with pipx, uv tool or a venv")
    python = os.path.abspath(sys.executable)
    if _PASSING.search(python):
        raise GatewayError(
            f"{python} is in a cache that is emptied now and then; install hookclaw_py to stay "
            "(`uv tool install hookclaw_py` or `pipx install hookclaw_py`) and run this again"
        )
    problem = check(python)
    if problem:
        raise GatewayError(f"{problem}; install hookclaw_py with pipx, uv tool or into a venv, and run this again")
    return python


def check(python: str) -> str:
    """Say what keeps ``python`` from running us for a gateway; "" when nothing does."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME"}}
    proof = "import hookclaw_py; print(hookclaw_py.__version__)"
    try:
        done = subprocess.run(
            [python, "-P", "-c", proof], env=environment, cwd=Path(python).anchor or "/",
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
        )  # fmt: skip
    except OSError as error:
        return f"{python} cannot be run: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{python} does not answer"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return f"{python} does not find hookclaw_py by itself ({last})"
    found = done.stdout.strip()
    return "" if found == __version__ else f"{python} has hookclaw_py {found}, this is {__version__}"
