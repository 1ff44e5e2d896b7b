"""A session's summary: what was asked, looked at, learned, done, and what is left."""

from __future__ import annotations

from hookclaw_py.distil import distil
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import SUMMARY
from tests.unit.test_distil_observations import ANSWER, EDIT, call, told

FAILED = call("exec", command="make check", ok=False, error="exit 2", output="FAILED t.py")
PASSED = call("exec", command="make check", output="212 passed")


def summed(happenings: list[Happening]) -> list[Draft]:
    return [draft for draft in distil(happenings) if draft.kind is SUMMARY]


def test_a_summary_tells_what_was_asked_read_learned_done_and_left():
    """C11."""
    happenings = [
        *told("The export died. Look at it.", call("read", path="export.py", output="x"), FAILED, EDIT, PASSED),
        *told("we decided to keep 45 days", call("exec", command="make ship", ok=False, error="exit 1"), run="r2"),
    ]
    (draft,) = summed(happenings)
    assert draft.fields == {
        "request": "The export died.",
        "investigated": ["export.py"],
        "learned": [
            "we decided to keep 45 days",
            "Ran make check: failed, exit 2",
            "Fixed: make check passes",
            "Ran make ship: failed, exit 1",
        ],
        "completed": ["Edited a.ts (+1 -1)"],
        "next_steps": ["Ran make ship: failed, exit 1"],
    }
    assert draft.body.splitlines()[0] == "Request: The export died."
    assert draft.body.splitlines()[-1] == "Next steps: Ran make ship: failed, exit 1"


def test_what_the_person_says_is_left_is_a_next_step():
    """C11, M5."""
    (draft,) = summed(told("done. open: katarzyna has to look at the downgrade", EDIT))
    assert draft.fields["next_steps"] == ["open: katarzyna has to look at the downgrade"]


def test_without_anything_to_say_there_is_no_summary():
    """C11, D13: the last answer is not what remains."""
    assert summed(told("hello there", (ANSWER, {"text": "Hello! What can I do for you today?"}))) == []


def test_a_summary_holds_at_most_five_of_each_and_is_the_sessions_only_one():
    """C11: a newer one replaces the session's older."""
    edits = [call("edit", path=f"{n}.py", old="1", new="2") for n in range(9)]
    (first,) = summed(told("go on with it", *edits))
    (second,) = summed([*told("go on with it", *edits), *told("and on", EDIT, run="r2")])
    assert len(first.fields["completed"]) == 5
    assert first.key == second.key


def test_what_was_asked_before_something_was_pasted_ends_like_a_sentence():
    (draft,) = summed(told("make publish fails:\n```\nno such target\n```", EDIT))
    assert draft.fields["request"] == "make publish fails."
