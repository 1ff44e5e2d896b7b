"""``hookclaw eval lifecycle``: what a memory's life is worth beside plain vectors, with a real engine and its real model."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.eval_commands import eval_group
from hookclaw_py.evaluation import lifecycle


@pytest.fixture(scope="module")
def found() -> dict[str, lifecycle.Measured]:
    return {one.measure: one for one in lifecycle.lived(5)}


def test_every_part_of_a_life_is_measured_and_gains_on_plain_vectors(found):
    """M50: retraction, reinforcement, supersession, decay, each with its number."""
    assert {one.scenario for one in found.values()} == {"retraction", "reinforcement", "supersession", "decay"}
    assert all(one.gain >= 0 for one in found.values())
    for measure in (
        "what was taken back is told",
        "the new is told first",
        "the old is told",
        "what is fresher is told first",
    ):
        assert found[measure].gain > 0, measure


def test_what_a_person_took_back_is_told_to_nobody_and_nothing_is_lost_by_that(found):
    """M25, M50: neither of what was distilled, nor as it was said."""
    gone, kept = found["what was taken back is told"], found["what still holds is told"]
    assert (gone.vectors, gone.ours, gone.said) == (1.0, 0.0, 0.0)
    assert (kept.ours, kept.said) == (1.0, 1.0)


def test_the_corrected_number_is_told_in_its_new_form_only(found):
    """M22, M50."""
    assert (found["the new is told first"].ours, found["the old is told"].ours) == (1.0, 0.0)


def test_the_table_tells_each_measure_with_its_gain(found):
    table = lifecycle.sheet(list(found.values()))
    rows = {row[0]: row for row in table.rows}
    assert rows["what was taken back is told"][1:] == ["5", "1.000", ".000", "+1.00", ".000"]
    assert len(table.heads) == len(table.rows[0])


@pytest.mark.slow
def test_the_command_lives_through_all_of_it_and_writes_the_table(tmp_path):
    """M50."""
    file = tmp_path / "life.md"
    done = CliRunner().invoke(eval_group, ["lifecycle", "--json", "--markdown", str(file)])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output)
    assert {row["prompts"] for row in rows} == {20}
    assert all(row["gain"] > 0 for row in rows if row["measure"] != "what still holds is told")
    assert "| what was taken back is told | 20 |" in file.read_text(encoding="utf-8")
