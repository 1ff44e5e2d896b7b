"""The copies that OpenClaw keeps of its configuration, and believes more than the file when that seems to have lost something.

From 2026.8 on a gateway compares what it reads with what it knew: a file without the ``meta`` that it had, or of less than half
the size, counts as damaged, and ``openclaw.json.bak`` takes its place. A configuration put back to the byte looks just like
that, and the copies made while the plugin was in it would bring the plugin back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from hookclaw_py.hosts.openclaw import document

_KEPT = 5  # .bak and .bak.1 to .bak.4


def settle(
    config: Path, now: str, restored: str, clean: Callable[[str], str], write: Callable[[Path, str], None]
) -> None:
    """See to it that no copy undoes the change of ``config`` from ``now`` to ``restored``; to be called before that is written.

    ``clean`` takes the plugin out of a copy's text. A copy that then says what the restored file says is dropped.
    """
    for copy in _copies(config):
        text = _text(copy)
        try:
            cleaned = clean(text)
            if cleaned != text and _says(cleaned) == _says(restored):
                copy.unlink()
            elif cleaned != text:
                write(copy, cleaned)
        except document.DocumentError:
            continue  # no configuration: OpenClaw does not take it for one either
    latest = config.with_name(f"{config.name}.bak")
    if latest.exists() and _seems_damaged(now, restored):
        for number in range(_KEPT - 1, 0, -1):
            older = _numbered(config, number - 1)
            if older.exists():
                older.replace(_numbered(config, number))
        write(latest, restored)


def _copies(config: Path) -> Iterator[Path]:
    return (copy for number in range(_KEPT) if (copy := _numbered(config, number)).is_file())


def _numbered(config: Path, number: int) -> Path:
    return config.with_name(f"{config.name}.bak" + (f".{number}" if number else ""))


def _text(file: Path) -> str:
    return file.read_bytes().decode(errors="replace")


def _says(text: str) -> dict[str, object]:
    """Return what a configuration says, but for what gateways note down about themselves."""
    return {**document.parse(text), "meta": None}


def _seems_damaged(now: str, restored: str) -> bool:
    lost = "meta" in document.parse(now) and "meta" not in document.parse(restored)
    return lost or len(restored.encode()) * 2 < len(now.encode())
