"""What a recall came to: silence has a reason, and a failure is never called silence."""

from __future__ import annotations

import pytest

from hookclaw_py.model.reason import Reason
from hookclaw_py.model.types import Fault, Outcome
from hookclaw_py.stages.verdict import verdict
from tests.conftest import candidate

SILENT = {"injected": False, "answered": True, "blocked": False, "said": (), "held": 0, "min_score": 0.5}


@pytest.mark.parametrize(
    ("stage", "kind"),
    [("bm25", Reason.NO_RETRIEVER), ("vector", Reason.NO_RETRIEVER), ("decay", Reason.PART_FAILED)],
)
def test_nothing_found_beside_a_fault_is_a_failure_that_names_what_failed(stage: str, kind: Reason):
    outcome, why = verdict([], **SILENT, faults=[Fault(stage, "cannot read it")])
    assert (outcome, why.kind) == (Outcome.FAILED, kind)
    assert "cannot read it" in why.sentence


def test_what_several_stages_failed_of_is_said_once():
    away, late = "db.example: does not answer", "late"
    legs = [Fault("bm25", away), Fault("vector", away)]
    assert verdict([], **SILENT, faults=legs)[1].detail == away
    others = [Fault("names", away), Fault("decay", late), Fault("files", away)]
    assert verdict([], **SILENT, faults=others)[1].detail == f"names, files: {away}; decay: late"
    assert verdict([], **{**SILENT, "answered": False}, faults=others)[1].detail == f"{away}; late"


def test_where_something_was_found_a_fault_beside_it_is_no_failure():
    outcome, why = verdict([candidate("a note", relevance=0.2)], **SILENT, faults=[Fault("vector", "late")])
    assert (outcome, why.kind) == (Outcome.SILENT, Reason.BELOW_FLOOR)


def test_a_block_that_could_not_be_written_is_a_failure_and_one_without_room_is_not():
    found = [candidate("a note", relevance=0.9)]
    assert verdict(found, **SILENT, faults=[Fault("render", "broken")])[0] is Outcome.FAILED
    assert verdict(found, **SILENT, faults=())[1].kind is Reason.OVER_BUDGET
    assert verdict([candidate("a note", relevance=0.5)], **SILENT, faults=())[1].kind is Reason.OVER_BUDGET


def test_what_could_not_be_judged_is_a_failure_and_no_irrelevant_note():
    outcome, why = verdict([candidate("a note", relevance=0.0)], **SILENT, faults=[Fault("calibrate", "broken")])
    assert (outcome, why.kind) == (Outcome.FAILED, Reason.PART_FAILED)


def test_what_a_person_blocked_is_silence_and_no_answer_at_all_is_a_failure():
    assert verdict([], **{**SILENT, "blocked": True}, faults=())[1].kind is Reason.BLOCKED
    assert verdict([], **{**SILENT, "answered": False}, faults=())[1].kind is Reason.NO_RETRIEVER
    assert verdict([], **SILENT, faults=())[1].kind is Reason.NOTHING_FOUND
    assert verdict([], **SILENT, faults=[Fault("marks", "locked")])[1].kind is Reason.MARKS_UNREADABLE


def test_what_is_held_back_is_said_in_order_behind_why_it_is_silent():
    told = lambda found, held: verdict(found, **{**SILENT, "held": held}, faults=())[1].sentence  # noqa: E731
    below = [candidate("a note", relevance=0.2)]
    assert told(below, 1) == "top relevance 0.200 is below 0.5; 1 memory held back, see `hookclaw review`"
    assert told(below, 2).endswith("; 2 memories held back, see `hookclaw review`")
    assert told([], 2) == "what was found is not the person's own words: 2 memories, see `hookclaw review`"
