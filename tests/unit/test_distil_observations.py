"""What was done and found in a run, one observation for each thing that it was done to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hookclaw_py.distil import distil
from hookclaw_py.distil.calls import Action, ToolCall
from hookclaw_py.distil.telling import what_went_wrong
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import OBSERVATION

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PROMPT, ANSWER, TOOL = HappeningKind.PROMPT, HappeningKind.ANSWER, HappeningKind.TOOL_CALL


def told(*what: tuple[HappeningKind, dict[str, Any]] | str, run: str = "r", session: str = "s") -> list[Happening]:
    """Return what happened in a run, a minute apart; a text alone is a prompt."""
    pairs = [(PROMPT, {"text": one}) if isinstance(one, str) else one for one in what]
    start = START + timedelta(hours=int(run[1:] or 1))
    return [
        Happening(f"{session} {run} {n}", start + timedelta(minutes=n), "openclaw", session, run, kind, payload)
        for n, (kind, payload) in enumerate(pairs)
    ]


def call(
    tool: str, *, ok: bool = True, output: str = "", error: str = "", **arguments: Any
) -> tuple[HappeningKind, dict[str, Any]]:
    return TOOL, {"tool": tool, "input": arguments, "output": output, "ok": ok, "error": error}


def observed(happenings: list[Happening]) -> list[Draft]:
    return [draft for draft in distil(happenings) if draft.kind is OBSERVATION]


EDIT = call("Edit", file_path="a.ts", old_string="if (x)", new_string="if (y)")


def test_an_edit_is_told_with_what_it_changed_and_what_was_asked():
    """C10, vector 9; D12: what was asked is the session's prompt, not nothing."""
    (draft,) = observed(told("Fix the bug.", EDIT))
    assert draft.title == "Edited a.ts (+1 -1)"
    assert draft.body == 'Asked: Fix the bug. Changed "if (x)" to "if (y)".'
    assert draft.fields["type"] == "bugfix"
    assert draft.fields["files_modified"] == ["a.ts"]
    assert draft.said_by is Speaker.TOOL
    assert draft.evidence == ("s r 0", "s r 1")


def test_what_was_asked_behind_a_greeting_is_told_without_blanks_too():
    (draft,) = observed(told("好的。把登录页面的按钮改成蓝色。", EDIT))
    assert draft.body.startswith("Asked: 把登录页面的按钮改成蓝色。")


@pytest.mark.parametrize(
    ("prompt", "path", "observed_as"),
    [
        ("Fix the bug.", "a.ts", "bugfix"),
        ("Add a button.", "a.ts", "feature"),
        ("Rename it to b.", "a.ts", "refactor"),
        ("Twelve, please.", "a.ts", "change"),
        ("Fix the bug.", "deploy/app.yaml", "config"),
        ("Behebe den Fehler.", "a.py", "bugfix"),
    ],
)
def test_an_edit_is_what_the_file_or_else_the_prompt_makes_of_it(prompt: str, path: str, observed_as: str):
    """C10: the first rule that applies."""
    (draft,) = observed(told(prompt, call("edit", path=path, old="1", new="2")))
    assert draft.fields["type"] == observed_as


def test_a_command_that_passes_after_an_edit_was_fixed():
    """C10, vector 10."""
    broken = call("exec", command="pytest", ok=False, error="exit 1", output="x.py:3: AssertionError: 1 != 2")
    failed, edited, fixed = observed(
        told("the tests", broken, EDIT, call("exec", command="pytest", output="12 passed"))
    )
    assert (failed.fields["type"], failed.title) == ("error", "Ran pytest: failed, exit 1")
    assert edited.title == "Edited a.ts (+1 -1)"
    assert (fixed.fields["type"], fixed.title) == ("bugfix", "Fixed: pytest passes")
    assert "AssertionError: 1 != 2" in fixed.body
    assert 'Changed "if (x)" to "if (y)".' in fixed.body


def test_a_command_that_passes_in_a_later_run_was_fixed_as_well_and_only_once():
    """C10."""
    broken = call("exec", command="make check", ok=False, error="exit 2", output="FAILED t.py")
    passed = call("exec", command="make check && git push", output="212 passed, all of them")
    runs = [*told("run it", broken), *told("mend it", EDIT, passed, run="r2"), *told("again", passed, run="r3")]
    assert [draft.title for draft in observed(runs)] == [
        "Ran make check: failed, exit 2",
        "Edited a.ts (+1 -1)",
        "Fixed: make check passes",
        "Ran make check && git push: passed",
    ]


def test_what_passes_again_by_itself_was_not_fixed():
    """C10: a fix is a command that passes after an edit."""
    broken = call("exec", command="ci retry", ok=False, error="exit 1", output="flaky")
    titles = [draft.title for draft in observed(told("x", broken, call("exec", command="ci retry", output="y" * 50)))]
    assert titles == ["Ran ci retry: failed, exit 1", "Ran ci retry: passed"]


def test_an_edit_of_blanks_alone_is_not_told_as_one_text_for_the_same():
    """C10."""
    (draft,) = observed(told("sure, mend it", call("edit", path="a.py", old="  x = 1", new="    x = 1")))
    assert draft.body == 'Asked: sure, mend it. Changed "x = 1".'


def test_twenty_edits_of_a_file_in_one_run_are_one_observation():
    """C10."""
    edits = [call("edit", path="a.py", old=f"x = {n}", new=f"x = {n + 1}\ny = {n}") for n in range(20)]
    (draft,) = observed(told("Count on.", *edits))
    assert draft.title == "Edited a.py (+40 -20)"
    assert len(draft.body) < 2_000


@pytest.mark.parametrize(
    ("given", "title"),
    [
        (call("write", path="plan.md", content="one\ntwo\n"), "Wrote plan.md (2 lines)"),
        (call("exec", command="make ship", output="shipped"), "Ran make ship: passed"),
        (call("exec", command="make ship", ok=False, error="no"), "Ran make ship: failed"),
        (call("exec", command="x", output="boom\n\n(Command exited with code 7)"), "Ran x: failed, exit 7"),
        (
            call("web_fetch", url="https://docs.example/a", output="# Title of it\nmore"),
            "Looked up docs.example: Title of it",
        ),
        (call("web_search", query="F28", output="F28 = low pressure"), "Looked up F28: F28 = low pressure"),
    ],
)
def test_titles_say_what_was_done_and_how_it_ended(given: tuple[HappeningKind, dict[str, Any]], title: str):
    """C10."""
    (draft,) = observed(told("go", given))
    assert draft.title == title


@pytest.mark.parametrize(
    "given",
    [
        call("read", path="a.py", output="x = 1"),
        call("exec", command="pwd", output="/home"),
        call("exec", command="curl x", output='{"a": ' + "1" * 3_000 + "}"),
        call("message", text="hi", output="ok"),
        call("memory_search", query="x", output="much that was found in the notes"),
        call("TodoWrite", output="much that is to be done"),
        call("tool_search", output="much that was found in the tools"),
    ],
)
def test_what_says_nothing_is_no_observation(given: tuple[HappeningKind, dict[str, Any]]):
    """C5, C6, vector 11."""
    assert observed(told("go", given)) == []


@pytest.mark.parametrize(
    "given",
    [
        call("read", path="a.py", ok=False, error="ENOENT: no such file a.py"),
        call("exec", command="pytest -q", output="3 passed"),
        call("exec", command="ls", output="a line of more than forty characters, all told"),
        call("edit", path="a", old="1", new="2", output="ok"),
    ],
)
def test_failures_tests_and_edits_are_never_noise(given: tuple[HappeningKind, dict[str, Any]]):
    """C6, vector 8."""
    assert len(observed(told("go", given))) == 1


def test_of_a_pasted_trace_the_line_that_names_the_error_is_told():
    trace = "the import stops:\nTraceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'batch'"
    (draft,) = observed(told(trace))
    assert (draft.title, draft.fields["facts"]) == ("KeyError: 'batch'", ["KeyError: 'batch'"])


@pytest.mark.parametrize(
    "error", ["requests.exceptions.ConnectTimeout: pool of 4", "mymod.Boom: it broke", "StopIteration"]
)
@pytest.mark.parametrize(
    "trace",
    [
        'Traceback (most recent call last):\n  File "a.py", line 3, in x\n    y()\n',
        'it says: Traceback (most recent call last):\n  File "a.py", line 3, in x\n',
        'api-1  | Traceback (most recent call last):\napi-1  |   File "a.py", line 3, in x\napi-1  | ',
    ],
)
def test_of_a_trace_the_error_is_told_whatever_its_class_is_called(trace: str, error: str):
    pasted = observed(told(f"the import stops:\n{trace}{error}\nany idea?"))
    assert [draft.title.endswith(error) for draft in pasted] == [True]
    read = ToolCall("1", "exec", Action.RUN, "kubectl logs api", True, "", f"started\n{trace}{error}\n")
    assert what_went_wrong(read).endswith(error)


def test_the_same_call_told_twice_is_one_observation():
    """C18, vector 11."""
    happenings = told("go", EDIT)
    assert observed([*happenings, happenings[-1]]) == observed(happenings)


def test_an_observation_reports_what_the_answer_tells_and_nothing_that_it_supposes():
    """C10: the outcome; D17: a supposition is no fact."""
    answer = "Done. The pool was full of dead slots. Probably the cron job left them there."
    (draft,) = observed(told("Fix the bug.", EDIT, (ANSWER, {"text": answer})))
    assert draft.body.endswith("The pool was full of dead slots.")


def test_an_answer_that_the_person_sets_right_is_not_reported():
    """D17."""
    answer = (ANSWER, {"text": "The pool was full of dead slots."})
    happenings = [*told("Fix the bug.", EDIT, answer), *told("no, it's the log", run="r2")]
    (draft,) = observed(happenings)
    assert "dead slots" not in draft.body


def test_facts_are_at_most_five_of_at_most_200_characters():
    """C10."""
    output = "\n".join(f"line {n} {'x' * 300}" for n in range(9))
    (draft,) = observed(told("go", call("exec", command="ls", output=output)))
    assert len(draft.fields["facts"]) == 5
    assert max(map(len, draft.fields["facts"])) <= 200


def test_an_error_that_the_person_pastes_is_kept_and_the_edit_after_it_tells_of_it():
    """C10: an error and, after an edit, its fix."""
    pasted = "since then staging throws this\n  pool.DuplicateError: prepared statement already exists"
    error, edit = observed([*told(pasted), *told("do it", EDIT, run="r2")])
    assert (error.fields["type"], error.said_by) == ("error", Speaker.PERSON)
    assert error.title == "pool.DuplicateError: prepared statement already exists"
    assert "After: pool.DuplicateError: prepared statement already exists" in edit.body


def test_what_the_person_says_has_mended_it_is_a_fix_with_what_was_wrong():
    """C10, beyond tool calls: most of what breaks at home is mended by hand."""
    happenings = [
        *told("boiler shows F28, no hot water"),
        *told("did it, blue tap until 1.4, it's running again", run="r2"),
    ]
    (fix,) = observed(happenings)
    assert (fix.fields["type"], fix.said_by) == ("bugfix", Speaker.PERSON)
    assert fix.body == "Asked: boiler shows F28, no hot water. did it, blue tap until 1.4, it's running again"


def test_a_command_that_the_title_cuts_is_told_whole():
    """C10: what was done must be found by its words."""
    long = f'ssh pg-stg "psql -c \\"select pg_drop_replication_slot(\'metabase_sub\') {"x" * 40}\\""'
    (draft,) = observed(told("drop it", call("exec", command=long, output="CHECKPOINT")))
    assert "…" in draft.title
    assert long in draft.body
