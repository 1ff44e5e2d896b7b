"""Whose a lease is: the process that took it, so that another one need not wait for what died with it."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex


@cache
def _machine() -> str:
    """Return what this machine is called; on Linux with what tells it from others of that name: since when it runs, and whose processes it sees."""
    with suppress(OSError):
        boot, processes = (
            Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
            os.stat("/proc/self/ns/pid").st_ino,
        )
        return f"{platform.node()} {boot} {processes}"
    return platform.node()


def token() -> str:
    """Return a name for a lease of this process, another one each time."""
    return f"{os.getpid()}@{_machine()}/{token_hex(8)}"


def is_gone(name: str) -> bool:
    """Say whether the process that a lease was named by has ended: one of this machine that is there no more."""
    process, _, rest = name.partition("@")
    machine, _, _ = rest.rpartition("/")
    if machine != _machine() or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:  # it is somebody else's, and runs
        return False
    return False
