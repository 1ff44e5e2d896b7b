"""Demonstration, ``hookclaw demo``: a small workspace of our own writing, a handful of prompts, the real model and a real index."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from textwrap import indent

import orjson
from rich.text import Text

from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.insight import terminal
from hookclaw_py.insight.explaining import STYLES, took_ms
from hookclaw_py.insight.printing import index_summary, progress_bar

SOURCE = Path(__file__).parents[1] / "demo"


def run(folder: Path) -> None:
    """Copy the demo's notes into ``folder``, index them there and show what each prompt gives."""
    console = terminal.console()
    workspace = folder / "workspace"
    shutil.copytree(SOURCE, workspace, dirs_exist_ok=True)
    with Engine.open(Config(timezone="Europe/Berlin"), agent="demo", folder=folder / "store") as engine:
        with progress_bar() as progress:
            report = engine.index(workspace, progress=progress)
        console.print(Text(index_summary(report, engine.status()), style="dim"))
        for line in (workspace / "prompts.jsonl").read_text(encoding="utf-8").splitlines():
            row = orjson.loads(line)
            injection = engine.recall(row["prompt"], at=datetime.fromisoformat(row["at"]))
            console.print()
            console.print(Text("» " + row["prompt"], style="bold"))
            console.print(Text(f"  ({row['why']})", style="dim"))
            verdict = f"{injection.outcome}: {injection.reason}"
            console.print(
                Text.assemble("  ", (verdict, STYLES[injection.outcome]), (f"  [{took_ms(injection):.0f} ms]", "dim"))
            )
            if injection.text:
                console.print(Text(indent(injection.text, "  ")), soft_wrap=True)
    console.print(Text("\nYour own notes: hookclaw index FOLDER, then hookclaw recall and explain", style="bold"))
