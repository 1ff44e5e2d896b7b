"""The pages of eval/results say what made them, and whether by the engine of this checkout."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from eval import page
from hookclaw_py.config import Config

ROOT = Path(__file__).parents[2]
PAGES = sorted(file for file in (ROOT / "eval/results").glob("*.md") if file.stem != "README")


def test_there_are_pages():
    assert len(PAGES) > 7


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_page_says_what_made_it_and_whose_numbers_they_are(file: Path):
    found = page.read(file)
    assert found.command
    assert found.date
    assert file.read_text(encoding="utf-8") == found.text(page.engine_of(ROOT / "hookclaw_py")), (
        "an engine with other weights or defaults: run `python eval/page.py`, it says so on the pages"
    )


def test_the_index_names_every_page():
    pages = {file.stem: page.read(file) for file in PAGES}
    written = (ROOT / "eval/results/README.md").read_text(encoding="utf-8")
    assert written == page.index(pages, page.engine_of(ROOT / "hookclaw_py")), "run `python eval/page.py`"


def test_other_weights_are_another_engine(tmp_path: Path):
    weights = tmp_path / "calibration" / "a-model.json"
    weights.parent.mkdir()
    weights.write_text("{}")
    first = page.engine_of(tmp_path)
    weights.write_text('{"surprise": 1}')
    assert page.engine_of(tmp_path) != first
    assert page.engine_of(tmp_path) == page.engine_of(tmp_path)
    assert Config().fingerprint  # the defaults count too


def test_who_looked_for_better_constants_makes_no_other_engine(tmp_path: Path):
    weights = tmp_path / "calibration" / "a-model.json"
    weights.parent.mkdir()
    weights.write_text('{"constants": {"spread": 5}, "reader": {"weights": {"engine": 1}}}')
    first = page.engine_of(tmp_path)
    weights.write_text(
        '{"constants": {"spread": 5}, "searched": {"made": "today"}, "reader": {"weights": {"engine": 1}, "limit": 2}}'
    )
    assert page.engine_of(tmp_path) == first


def test_a_page_made_again_keeps_how_to_read_it(tmp_path: Path):
    table = [sys.executable, "-c", "print('| a | b |\\n| --- | ---: |\\n| 1 | 2 |')"]
    first = page.make("speed", "Speed", table, present="abc", results=tmp_path)
    (tmp_path / "speed.md").write_text(first.text("abc") + page.READING + "\nNothing is certain.\n")
    again = page.make("speed", "Speed", [*table[:2], "print('| --- |\\nnew')"], present="abc", results=tmp_path).text(
        "abd"
    )
    assert "new" in again
    assert "| 1 | 2 |" not in again
    assert again.endswith("## Reading it\n\nNothing is certain.\n")
    assert page.EARLIER in again


def test_a_page_can_be_a_file_that_the_command_writes(tmp_path: Path):
    write = "import sys; print('noise'); open(sys.argv[1], 'w').write('| a |')"
    made = page.make("speed", "Speed", [sys.executable, "-c", write, "PAGE.md"], present="abc", results=tmp_path)
    assert made.body == "| a |"
    assert made.command.endswith("PAGE.md")


def test_the_method_fits_on_two_pages():
    assert len((ROOT / "eval/README.md").read_text(encoding="utf-8").splitlines()) <= 150
