"""The machine's time zone, by its name where that is told: an offset alone knows nothing of summer time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def machine_zone() -> tzinfo:
    """Return the zone that the environment or the machine's files name, else today's offset."""
    for name in (os.environ.get("TZ", ""), _name_from_files()):
        try:
            if name:
                return ZoneInfo(name.lstrip(":"))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return datetime.now().astimezone().tzinfo or UTC


def _name_from_files() -> str:
    link = Path("/etc/localtime")
    target = str(link.resolve()) if link.is_symlink() else ""
    return target.partition("zoneinfo/")[2]
