"""Writing the numbers to files that a collector picks up (node_exporter's textfile folder, say)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from hookclaw_py.errors import StoreError
from hookclaw_py.insight.exposition import exposition
from hookclaw_py.observe.metrics_document import Totals
from hookclaw_py.privacy.files import replace_text

READABLE = 0o644
"""For collectors of other users."""


def dump(folder: Path, agent: str, totals: Totals, told: Mapping[str, Any]) -> list[Path]:
    """Write ``hookclaw-AGENT.json`` and ``hookclaw-AGENT.prom``, each at once and whole; return where.

    Raises:
        StoreError: if the folder cannot be written.
    """
    texts = {
        folder / f"hookclaw-{agent}.json": orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n",
        folder / f"hookclaw-{agent}.prom": exposition(agent, totals, told),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in texts.items():
            replace_text(file, text, mode=READABLE)
    except OSError as error:
        raise StoreError(f"{folder}: the metrics cannot be written there: {error.strerror}") from error
    return list(texts)
