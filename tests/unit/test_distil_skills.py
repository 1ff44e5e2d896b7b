"""What a run did becomes an episode, a plan to do it again, and with others a skill."""

from __future__ import annotations

from typing import Any

import pytest

from hookclaw_py.distil import distil
from hookclaw_py.distil.skills import Competence, carried_out, competences, skills
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import EPISODE, PLAN, SKILL
from tests.unit.test_distil_observations import EDIT, call, told

BUILD = [call("exec", command="make"), EDIT, call("exec", command="make check")]


def of_kind(kind: Any, happenings: list[Happening]) -> list[Draft]:
    return [draft for draft in distil(happenings) if draft.kind is kind]


def test_an_episode_tells_what_a_run_did_in_order_and_keeps_no_arguments():
    """M7, D10."""
    secret = call(
        "exec", command="make", env="hunter2hunter2", ok=False, error="exit 2", output="No rule to make target"
    )
    (draft,) = of_kind(EPISODE, told("Build it.", secret, EDIT))
    assert draft.body == "Asked: Build it.\nRan make: failed, exit 2\nEdited a.ts (+1 -1)"
    assert draft.fields["outcome"] == "partial"
    assert [node["depends_on"] for node in draft.fields["graph"]] == [[], [0]]
    assert draft.fields["graph"][0]["args"] == ["command", "env"]
    assert draft.fields["graph"][0]["result"] == "No rule to make target"
    assert "hunter2" not in repr(draft.fields)


@pytest.mark.parametrize(
    ("calls", "outcome"),
    [([EDIT], "success"), ([call("exec", ok=False, command="x")], "failure")],
)
def test_an_episode_went_well_when_all_of_it_did(calls: list[Any], outcome: str):
    """M7."""
    assert [draft.fields["outcome"] for draft in of_kind(EPISODE, told("go", *calls))] == [outcome]


def test_a_run_without_tools_is_no_episode():
    """M7."""
    assert of_kind(EPISODE, told("hello there")) == []


def test_three_calls_make_a_plan_and_two_do_not():
    """M6, M35."""
    assert of_kind(PLAN, told("Build it.", *BUILD[:2])) == []
    (draft,) = of_kind(PLAN, told("Build it.", *BUILD))
    assert draft.key == "plan exec+Edit+exec"
    assert draft.body == "Asked: Build it.\nStep 1: invoke exec\nStep 2: invoke Edit\nStep 3: invoke exec"
    assert draft.confidence == 0.7
    assert draft.fields["edges"] == [
        {"from": 0, "to": 1, "kind": "control"},
        {"from": 1, "to": 2, "kind": "control"},
    ]


def test_a_plan_that_is_carried_out_again_counts():
    """M35: equal steps are one more execution."""
    (made,) = of_kind(PLAN, told("Build it.", *BUILD))
    other = told("Look.", EDIT, EDIT, EDIT, run="r3")
    failed = told("Build it.", call("exec", ok=False, command="make"), *BUILD[1:], run="r2")
    runs = [one for happened in (told("Build it.", *BUILD), failed, other) for one in of_kind(EPISODE, happened)]
    counted = carried_out(made, runs).fields
    assert (counted["executions"], counted["wins"], counted["failure_rate"]) == (2, 1, 1 / 6)


def test_good_episodes_with_the_same_tools_make_a_skill():
    """M34."""
    runs = [of_kind(EPISODE, told("Build it.", *BUILD, run=f"r{n}"))[0] for n in range(1, 4)]
    bad = of_kind(EPISODE, told("Build it.", call("exec", ok=False, command="make"), EDIT, run="r9"))
    together = [draft for draft in skills(runs[:2], of=runs[1]) if draft.key == "skill:Edit+exec"]
    assert together == []
    (draft,) = [draft for draft in skills([*runs, *bad], of=bad[0]) if draft.key == "skill:Edit+exec"]
    assert (draft.kind, draft.confidence) == (SKILL, 0.8)
    assert draft.body == "Step 1: invoke Edit\nStep 2: invoke exec\n3/4 success"
    assert (draft.fields["wins"], draft.fields["calls"]) == (3, 4)


def test_a_tool_is_known_from_its_third_call_on():
    """M36, vector 19, D8: the counts change, there is one record of a tool."""
    run = of_kind(EPISODE, told("Build it.", *BUILD))[0]
    known, told_at = Competence("exec"), []
    for n, result in enumerate(("success", "success", "timeout", "success", "timeout"), 1):
        known = known.after(result, 100 * n)
        draft = known.draft(run)
        told_at.append((draft.fields["wins"], draft.fields["calls"]) if draft else None)
    assert told_at == [None, None, (2, 3), (3, 4), (3, 5)]
    assert known.ms == 300
    assert known.failures == {"timeout": 2}
    draft = known.draft(run)
    assert draft is not None
    assert draft.key == "skill:exec"
    assert draft.body == "exec tool needed\n3/5 success\ntimeout"
    assert draft.fields["triggers"] == [{"signal": "exec tool needed", "confidence": 0.7}]


def test_how_calls_went_is_told_by_the_episodes():
    """M36: calls that failed by the way in which they did."""
    happened = told("go", call("exec", ok=False, error="timeout", command="x"), call("exec", command="x"))
    known = competences(of_kind(EPISODE, happened))
    assert (known["exec"].wins, known["exec"].failures) == (1, {"timeout": 1})


def test_what_looks_after_the_agent_itself_is_no_skill():
    """C5, D9: of Tool Search's two events the inner counts."""
    episodes = of_kind(EPISODE, told("go", call("tool_call"), call("exec", command="x")))
    assert list(competences(episodes)) == ["exec"]
