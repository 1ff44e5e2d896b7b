"""A stage of one's own: what was said before this year is left out of every answer, and the history of a chunk says so.

python eval/examples/own_stage.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hookclaw_py import Candidate, Config, Engine, Query
from hookclaw_py.build import STAGES

NOTES = {
    "2025-06-02.md": "# 2025-06-02\n\nOttokar the plumber mended the valve in the cellar; the bill was 310.\n",
    "2026-02-11.md": "# 2026-02-11\n\nOttokar the plumber put the boiler into the attic; the bill was 2,900.\n",
}


def this_year(candidates: Sequence[Candidate], query: Query) -> list[Candidate]:
    """Return the candidates of the prompt's own year; the clock comes with the query, a stage has none."""
    year = query.asked_at.year
    return [one for one in candidates if one.chunk.created_at is None or one.chunk.created_at.year == year]


def main() -> None:
    """Ask the same prompt without the stage and with it."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        for name, text in NOTES.items():
            (notes / name).write_text(text, encoding="utf-8")
        for told, stages in (("ours", STAGES), ("and one more", replace(STAGES, further=(("this year", this_year),)))):
            with Engine.open(Config(timezone="UTC"), folder=Path(folder) / told, stages=stages) as engine:
                engine.index(notes)
                injection = engine.recall("what were the bills of Ottokar the plumber?")
                print(f"{told}: {', '.join(str(one.chunk.place) for one in injection.candidates)}")


if __name__ == "__main__":
    main()
