"""Whose a lease is: the process that took it, so that another one need not wait for what died with it."""

from __future__ import annotations

import os
import platform
from secrets import token_hex


def token() -> str:
    """Return a name for a lease of this process, another one each time."""
    return f"{os.getpid()}@{platform.node()}/{token_hex(8)}"


def is_gone(name: str) -> bool:
    """Say whether the process that a lease was named by has ended: one of this machine that is there no more."""
    process, _, rest = name.partition("@")
    machine, _, _ = rest.rpartition("/")
    if machine != platform.node() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is somebody else's, and runs
        return False
    return False
