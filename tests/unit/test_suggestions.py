"""What the impact panel suggests: each rule speaks at its number and not before, and names what to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from hookclaw_py.insight.suggestions import UsageFacts, suggestions
from hookclaw_py.model.types import Outcome, Uses
from hookclaw_py.store.decisions import Glance

AT = datetime(2026, 2, 9, 12, tzinfo=UTC)
NOTE = "00000000000000aa"


def glance(outcome: Outcome = Outcome.INJECTED, **fields) -> Glance:
    one = Glance("abcdef0123456789", AT, "s", "", outcome, "", "", 0.9, 5.0, 0, (), (), "what?")
    return one._replace(**fields)


FINE = UsageFacts(
    glances=[glance()] * 40,
    min_score=0.5,
    p95_ms=20.0,
    injections=40,
    injections_with_session=40,
    ends_heard=40,
    known=40,
    known_used=20,
    unseen=0,
    missed=0,
    pending=0,
    uses={NOTE: Uses(shown=50, used=10)},
)


def rules(**changed) -> dict[str, tuple[str, str]]:
    return {s.rule: (s.found, s.advice) for s in suggestions(replace(FINE, **changed))}


def silent(near: int, far: int) -> list[Glance]:
    return [glance(Outcome.SILENT, relevance=0.47)] * near + [glance(Outcome.SILENT, relevance=0.2)] * far


def test_where_all_is_well_nothing_is_suggested():
    assert rules() == {}
    none = {"injections": 0, "injections_with_session": 0, "ends_heard": 0, "known": 0, "known_used": 0}
    assert rules(glances=[], uses={}, **none) == {}


@pytest.mark.parametrize(
    ("rule", "speaks", "keeps_quiet"),
    [
        ("failing", {"glances": [glance()] * 38 + [glance(faults=("vector",))]}, {"glances": [glance()] * 60 + [glance(faults=("vector",))]}),
        ("failing", {"glances": [glance()] * 38 + [glance(Outcome.FAILED)] * 2}, {"glances": [glance(Outcome.FAILED)]}),
        ("embeddings pending", {"pending": 1}, {"pending": 0}),
        ("no turn ends", {"ends_heard": 0, "known": 0}, {"ends_heard": 0, "known": 0, "injections_with_session": 9}),
        ("too late", {"unseen": 1}, {"unseen": 1, "injections": 51}),
        ("slow", {"p95_ms": 100.1}, {"p95_ms": 100.0}),
        ("contradicted", {"uses": {NOTE: Uses(shown=9, used=5, contradicted=2)}}, {"uses": {NOTE: Uses(shown=9, used=5, contradicted=1)}}),
        ("shown in vain", {"uses": {NOTE: Uses(shown=5, ignored=5)}}, {"uses": {NOTE: Uses(shown=4, ignored=4)}}),
        ("shown in vain", {"uses": {NOTE: Uses(shown=5, relevant=5)}}, {"uses": {NOTE: Uses(shown=5, ignored=5, good=1)}}),
        ("shown in vain", {"uses": {NOTE: Uses(shown=5)}}, {"uses": {NOTE: Uses(shown=5, mark="block")}}),
        ("missed", {"missed": 3}, {"missed": 2}),
        ("nearly spoke", {"glances": silent(5, 5)}, {"glances": silent(5, 6)}),
        ("nearly spoke", {"glances": silent(10, 0)}, {"glances": silent(9, 0)}),
        ("seldom used", {"known_used": 7}, {"known_used": 8}),
        ("seldom used", {"known_used": 0}, {"known": 9, "known_used": 0}),
    ],
)  # fmt: skip
def test_a_rule_speaks_from_its_number_on(rule, speaks, keeps_quiet):
    assert list(rules(**speaks)) == [rule]
    assert rule not in rules(**keeps_quiet)


def test_a_suggestion_has_the_numbers_and_a_command_that_works_on_something_real():
    found = rules(glances=silent(6, 4), uses={NOTE: Uses(shown=12, ignored=12)}, p95_ms=250.4)
    assert found["nearly spoke"][0] == "6 of 10 silences were within 0.05 of minScore (0.5)"
    assert "hookclaw replay abcdef01 --set minScore=0.45" in found["nearly spoke"][1]
    assert found["shown in vain"][0] == "1 note was shown 5 times or more and never used"
    assert f"hookclaw feedback block {NOTE}" in found["shown in vain"][1]
