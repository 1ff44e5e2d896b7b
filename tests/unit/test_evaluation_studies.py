"""What the studies stand on: cosmetic variants, calibration error, and the plot of operating curves."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.studies.calibration_error import expected_calibration_error, reliability
from eval.studies.cosmetics import KINDS, variants
from eval.studies.flames import WIDTH as FLAMES_WIDTH
from eval.studies.flames import flame_graph, stacks
from eval.studies.panels import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    operating_panels,
    panels_by_size,
    panels_over_time,
)
from hookclaw_py.hosts.openclaw.envelope import unwrap

STUDIES = Path(__file__).parents[2] / "eval/studies"
PROMPT = "Which database did Mara choose for the billing service?"
SVG = "{http://www.w3.org/2000/svg}"


def test_every_study_finds_what_it_imports():
    """It takes too long to run them; but a name that has moved is found here."""
    studies = sorted(path.stem for path in STUDIES.glob("*.py"))
    code = f"import sys; sys.path[:0] = [{str(STUDIES)!r}, {str(STUDIES.parent)!r}]\n"
    code += "\n".join(
        f"import {name}" for name in [*studies, "fit_calibration", "fit_constants", "fit_reader", "page", "table"]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(studies) > 10


def test_every_kind_changes_an_ordinary_prompt_and_the_same_seed_changes_it_the_same_way():
    found = variants(PROMPT, seed=3)
    assert set(found) == set(KINDS)
    assert found == variants(PROMPT, seed=3)
    assert PROMPT not in found.values()


def test_a_typo_swaps_two_neighbours_inside_one_long_word():
    for seed in range(30):
        changed = KINDS["typo"](PROMPT, random.Random(seed))
        different = [i for i, (a, b) in enumerate(zip(PROMPT, changed, strict=True)) if a != b]
        assert len(different) == 2
        assert different[1] == different[0] + 1
        word = next(m for m in re.finditer(r"\w+", PROMPT) if m.start() <= different[0] < m.end())
        assert len(word[0]) >= 5
        assert word.start() < different[0]
        assert different[1] < word.end() - 1  # first and last letter stay
    assert Counter(changed) == Counter(PROMPT)


def test_a_prompt_without_a_long_word_has_no_typo_variant():
    assert "typo" not in variants("who is he to us", seed=0)


def test_the_gateway_envelope_of_a_variant_comes_off_again():
    for seed in range(30):
        assert unwrap(KINDS["envelope"](PROMPT, random.Random(seed))) == PROMPT


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1), st.integers(0, 9))
def test_any_prompt_has_variants_that_keep_its_words(prompt, seed):
    found = variants(prompt, seed=seed)
    for kind in ("greeting", "politeness"):
        assert prompt in found[kind]
    assert found["whitespace"].split() == prompt.split() if "whitespace" in found else True


def test_calibration_error_of_a_hand_made_example():
    # Stated .9: three of the four right by count, but both groups weigh the same: 3/4·½ against 1/4·½ of two groups.
    yes, no = [0.9, 0.9, 0.9, 0.1], [0.9, 0.1, 0.1, 0.1]
    low, high = reliability(yes, no, bins=10)
    assert low == pytest.approx((0.1, 0.25, 0.5))
    assert high == pytest.approx((0.9, 0.75, 0.5))
    assert expected_calibration_error(yes, no) == pytest.approx(0.15)


def test_both_groups_weigh_the_same_whatever_their_sizes():
    assert expected_calibration_error([0.5], [0.5] * 99) == pytest.approx(0.0)
    assert expected_calibration_error([1.0] * 7, [0.0]) == 0.0
    assert expected_calibration_error([0.0], [1.0] * 3) == 1.0


def test_without_one_of_the_groups_nothing_can_be_said():
    assert expected_calibration_error([], [0.2]) != expected_calibration_error([], [0.2])


@given(st.lists(st.floats(0, 1), min_size=1), st.lists(st.floats(0, 1), min_size=1), st.integers(1, 20))
def test_the_bins_weights_add_up_to_one(yes, no, bins):
    assert sum(b.weight for b in reliability(yes, no, bins=bins)) == pytest.approx(1)


CURVES = {"ours": [(0.0, 0.0), (0.1, 0.4), (0.2, 0.8), (1.0, 1.0)], "<floor>": [(0.0, 0.0), (0.6, 0.9), (1.0, 1.0)]}


def drawn(**options):
    return ET.fromstring(operating_panels({"pets": CURVES, "notes & co": CURVES}, **options))


def test_a_plot_has_a_panel_a_set_and_a_line_an_engine_and_names_them():
    svg = drawn()
    assert len(svg.findall(f"{SVG}g")) == 2
    assert [len(panel.findall(f"{SVG}polyline")) for panel in svg.findall(f"{SVG}g")] == [2, 2]
    texts = [text.text for text in svg.iter(f"{SVG}text")]
    assert {"ours", "<floor>", "pets", "notes & co"} <= set(texts)


def test_a_plot_stands_alone_and_knows_dark_pages():
    svg = operating_panels({"pets": CURVES})
    assert "prefers-color-scheme:dark" in svg
    assert "href" not in svg
    assert "@import" not in svg
    used, defined = set(re.findall(r"var\((--\w+)\)", svg)), set(re.findall(r"(--\w+):", svg))
    assert used <= defined


def test_a_curve_begins_where_half_of_the_home_prompts_fire_and_stays_in_its_panel():
    panel = drawn().find(f"{SVG}g")
    line = next(p for p in panel.findall(f"{SVG}polyline") if "s0" in p.get("class"))
    points = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    marks = panel.findall(f"{SVG}line")
    bottom = max(float(m.get("y1")) for m in marks)
    top = min(float(m.get("y2")) for m in marks)
    assert points[0][1] == bottom
    assert points[-1][1] == top
    assert all(top <= y <= bottom for _, y in points)
    left, right = (f(float(m.get("x1")) for m in marks) for f in (min, max))
    assert points[0][0] == pytest.approx(left + 0.125 * (right - left), abs=0.1)  # between .1 and .2, a quarter on


def test_the_ring_marks_where_the_engine_works_and_only_where_it_is_in_sight():
    svg = drawn(working={"pets": (0.2, 0.8), "notes & co": (0.0, 0.3)})
    assert [len(panel.findall(f"{SVG}circle")) for panel in svg.findall(f"{SVG}g")] == [1, 0]


def test_panels_over_time_hold_every_line_from_nought_to_the_top():
    lines = {"SQLite": [(0.0, 10.0), (30.0, 370.0)], "PostgreSQL": [(0.0, 0.0), (15.0, 90.0), (30.0, 95.0)]}
    root = ET.fromstring(panels_over_time({"memory, MB": lines, "p99 < 1 s": lines}))
    drawn = [line.get("points") for line in root.iter(f"{SVG}polyline")]
    assert [len(points.split()) for points in drawn] == [2, 3, 2, 3]
    low, high = HEIGHT - BOTTOM, TOP
    assert drawn[0].split()[1] == f"{WIDTH - RIGHT:.1f},{low - 370 / 400 * (low - high):.1f}"
    assert drawn[1].startswith(f"{LEFT:.1f},{low:.1f} ")
    assert {"memory, MB", "p99 < 1 s", "SQLite", "400", "30"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_panels_by_size_take_one_step_for_ten_times_as_many():
    lines = {"ours": [(1000.0, 5.0), (10_000.0, 6.0), (100_000.0, 8.0)]}
    root = ET.fromstring(panels_by_size({"p50, ms": lines}, "passages"))
    (line,) = root.iter(f"{SVG}polyline")
    xs = [float(point.split(",")[0]) for point in line.get("points").split()]
    assert xs == [LEFT, pytest.approx((LEFT + WIDTH - RIGHT) / 2), WIDTH - RIGHT]
    assert {"1,000", "10,000", "100,000", "passages", "p50, ms"} <= {text.text for text in root.iter(f"{SVG}text")}


SAMPLED = """\
_bootstrap (/usr/lib/python3.11/threading.py:10);_serve (/x/hookclaw_py/threads.py:67);recall (/x/hookclaw_py/pipeline.py:125);run (/v/site-packages/onnx/<s>.py:3) 6
_bootstrap (/usr/lib/python3.11/threading.py:10);_serve (/x/hookclaw_py/threads.py:67);recall (/x/hookclaw_py/pipeline.py:125) 2
_bootstrap (/usr/lib/python3.11/threading.py:10);_serve (/x/hookclaw_py/threads.py:67);_next (/x/hookclaw_py/threads.py:81) 90
main (/y/other.py:1);run (/v/site-packages/onnx/<s>.py:3) 50""".splitlines()


def test_a_flame_graph_shows_who_works_and_for_whom_and_nobody_who_waits():
    seen = stacks(SAMPLED)
    assert seen.total() == 8
    svg = ET.fromstring(flame_graph(seen, "before & after"))
    told = [box.find(f"{SVG}title").text for box in svg.iter(f"{SVG}g")]
    assert told == [
        "_serve (hookclaw_py/threads.py:67): 100.0%",
        "recall (hookclaw_py/pipeline.py:125): 100.0%",
        "run (onnx/<s>.py:3): 75.0%",
    ]
    boxes = [box.find(f"{SVG}rect").attrib for box in svg.iter(f"{SVG}g")]
    assert [float(box["width"]) for box in boxes] == pytest.approx([FLAMES_WIDTH, FLAMES_WIDTH, 0.75 * FLAMES_WIDTH])
    assert [box["class"] for box in boxes] == ["ours", "ours", "other"]
    assert float(boxes[0]["y"]) > float(boxes[1]["y"]) > float(boxes[2]["y"]), "what is called stands above its caller"
