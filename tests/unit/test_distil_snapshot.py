"""Before a compaction the last of what was said is kept, short."""

from __future__ import annotations

from hookclaw_py.distil import distil
from hookclaw_py.distil.snapshot import snapshot
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import WORKING
from hookclaw_py.model.types import Message
from tests.unit.test_distil_observations import ANSWER, told


def test_without_messages_the_snapshot_says_so():
    """M12, vector 25."""
    assert snapshot([]) == "(no messages)"


def test_a_snapshot_holds_the_last_fifteen_messages():
    """M12, vector 25."""
    lines = snapshot([Message("user", f"hi {n}") for n in range(16)]).splitlines()
    assert lines == [f"[U] hi {n}" for n in range(1, 16)]


def test_whoever_is_not_the_person_is_the_agent_and_what_is_long_is_cut():
    """M12, vector 25."""
    line = snapshot([Message("toolResult", "x" * 201)])
    assert line == f"[A] {'x' * 200}..."
    assert len(line) == 207


def test_a_compaction_keeps_what_was_said_before_it():
    """M12, D6: from the turns that were seen, for the event itself carries none."""
    happenings = [*told("the export died", (ANSWER, {"text": "The spool was full."}), (HappeningKind.COMPACTION, {}))]
    happenings += told("and now?", run="r2")
    (draft,) = (draft for draft in distil(happenings) if draft.kind is WORKING)
    assert draft.body == "[U] the export died\n[A] The spool was full."
    assert draft.fields["trigger"] == "compaction"
    assert draft.evidence == ("s r 0", "s r 1", "s r 2")
