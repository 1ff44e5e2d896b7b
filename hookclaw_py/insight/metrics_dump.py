"""Writing the numbers to files that a collector picks up (node_exporter's textfile folder, say)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from hookclaw_py.errors import StoreError
from hookclaw_py.insight.exposition import exposition
from hookclaw_py.observe.metrics_document import Totals


def dump(folder: Path, agent: str, totals: Totals, told: Mapping[str, Any]) -> list[Path]:
    """Write ``hookclaw-AGENT.json`` and ``hookclaw-AGENT.prom``, each at once and whole; return where.

    Raises:
        StoreError: if the folder cannot be written.
    """
    texts = {
        "json": orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n",
        "prom": exposition(agent, totals, told),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / f"hookclaw-{agent}.{kind}", text) for kind, text in texts.items()]
    except OSError as error:
        raise StoreError(f"{folder}: the metrics cannot be written there: {error.strerror}") from error


def _write(file: Path, text: str) -> Path:
    """Replace ``file`` in one step: a reader sees the old text or the new one. It is readable for other users' collectors."""
    descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(part, 0o644)
        os.replace(part, file)
    except BaseException:  # Ctrl-C too, and that may come when it has taken its place already
        Path(part).unlink(missing_ok=True)
        raise
    return file
