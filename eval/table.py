"""Print the tables of eval/results/all_sets.md from results named SET.CONFIGURATION.json in a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hookclaw_py.evaluation.tables import Sheet, markdown, number

NAMES = {"bm25": "BM25 only", "vector": "vector only", "default": "default"}
STALE_HEADS = ("set", "configuration", "prompts", "newest above", "newest in block", "newest alone", "stale only")


def row(name: str, configuration: str, result: dict[str, Any]) -> list[str]:
    """Return one line: ranking by chunk and by session, silence, carry, time."""
    ranks = []
    for level in ("chunk", "session"):
        overall = result["ranking"].get(level, {}).get("overall", {})
        ranks += [number(overall.get("R@5")), number(overall.get("nDCG@10"))]
    against = result["silence"]["against"]
    cross = against.get("cross-pair", {})
    curve = cross.get("whole_engine", {})
    marks = [number(curve[at]["false_fire"]) if curve.get(at) else "–" for at in ("at_95", "at_90")]
    return [
        name,
        NAMES[configuration],
        *ranks,
        number(result["silence"]["home"]["fired"]),
        number(cross.get("fired")),
        *marks,
        number(against.get("unanswerable", {}).get("fired")),
        number(result["carry"].get("whole")),
        number(result["carry"].get("precision")),
        f"{result['cost']['stages_ms']['whole turn']['p50']:.1f}",
    ]


def main(folder: Path) -> None:
    """Print the tables, sets by name."""
    rows, stale = [], []
    for name in sorted({file.name.split(".")[0] for file in folder.glob("*.*.json")}):
        for configuration in NAMES:
            file = folder / f"{name}.{configuration}.json"
            if file.exists() and "ranking" in (result := json.loads(file.read_bytes())):
                rows.append(row(name, configuration, result))
                if found := result["staleness"]:
                    shares = [number(value) for key, value in found.items() if key != "prompts"]
                    stale.append([name, NAMES[configuration], str(found["prompts"]), *shares])
    heads = [
        *(
            "set",
            "configuration",
            "chunk R@5",
            "nDCG@10",
            "session R@5",
            "nDCG@10",
            "home fire",
            "cross-pair false fire",
        ),
        *("at 95 % home", "at 90 %", "unanswerable fire", "carry whole", "precision", "p50 ms"),
    ]
    print(markdown(Sheet("All sets", heads, rows)))
    print(markdown(Sheet("Staleness: two notes disagree, the newer one counts", STALE_HEADS, stale)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
