"""Waiting for something to become so, and never for ever."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path


def wait_until(is_so: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Return as soon as ``is_so`` says yes; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Say whether the process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def delete(folder: Path) -> None:
    """Delete the folder of an engine, closed or not.

    Tantivy watches the folder of an index while it is opened; on a busy machine that thread makes its lock file anew
    between the last of the files and the folder.
    """

    def is_gone() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    wait_until(is_gone, f"{folder} is deleted")
