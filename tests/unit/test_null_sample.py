"""The null sample: what prompts that nobody's notes answer reach, whatever somebody puts into the notes."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.search.null_sampling import FAR, bounded

NOTES = {
    "boiler": "The boiler man is Gregor Tallis, 0471 22 18, comes on Thursdays.",
    "bees": "The two hives went to the orchard in Kelmscott on 3 April.",
    "boat": "The sailing boat lies at jetty 14, the key hangs at Mrs Oertel's.",
    "piano": "The piano tuner takes 95 euros and comes in May.",
    "oven": "The wood oven needs 50 minutes to reach 300 degrees.",
}
LINES = [
    line
    for line in (files("hookclaw_py.search") / "null_prompts.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def sampled(folder: Path, more: str = "", *, name: str = "ideas.md"):
    """Return the sample of a folder of notes, with one more note that somebody slipped in."""
    for note, body in NOTES.items():
        (folder / f"{note}.md").write_text(f"# {note}\n\n{body}\n", encoding="utf-8")
    if more:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"{more}\n", encoding="utf-8")
    with Engine.in_memory(Config(timezone="UTC")) as engine:
        engine.index(folder)
        return engine._parts.indexes.null


@pytest.mark.parametrize("between", ["\n", "\n\n## Idea\n\n"], ids=["lines", "sections"])
@pytest.mark.parametrize("number", [10, len(LINES)])
def test_no_copy_of_its_prompts_moves_it(tmp_path: Path, number: int, between: str):
    (tmp_path / "plain").mkdir()
    (tmp_path / "attacked").mkdir()
    before, after = sampled(tmp_path / "plain"), sampled(tmp_path / "attacked", between.join(LINES[:number]))
    assert after == pytest.approx(before)


def test_nothing_that_others_wrote_moves_it(tmp_path: Path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "attacked").mkdir()
    asked = "\n\n## Idea\n\n".join(f"somebody wonders how {line.lower()} might be meant" for line in LINES[:40])
    before = sampled(tmp_path / "plain")
    assert sampled(tmp_path / "attacked", asked, name="Clippings/ideas.md") == pytest.approx(before)


def test_what_stands_out_counts_no_more_than_what_is_far_out():
    scores = list(np.linspace(0.1, 0.3, 50))
    assert bounded(scores) == scores
    assert max(bounded([*scores, 0.95])) < 0.2 + FAR * 0.1
    assert bounded([0.2, 0.2, 0.9]) == [0.2, 0.2, 0.9], "of one value nothing is known of how it is spread"


def test_a_sample_is_taken_without_numpys_masked_arrays():
    """They are a megabyte, and take longer to load than the rest of it."""
    script = "import sys\nfrom hookclaw_py.search.null_sampling import bounded\nprint(bounded([0.5, 0.1, 0.2]), 'numpy.ma' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[0.5, 0.1, 0.2] False\n"
