"""Utility breaks ties, within bounds; what is known fades, the unknown gets its chance, a person's word holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.stages.utility import (
    BLOCK,
    HALF_LIFE,
    LEAST_PROPENSITY,
    PARDON,
    PERSON,
    PIN,
    REACH,
    RETIREMENT,
    WEIGHTS,
    combined,
    drawn,
    evidence,
    is_retired,
    judged,
    observed,
    prefer_useful,
    propensity,
    utility,
)
from hookclaw_py.types import Candidate, Uses
from tests.conftest import candidate, chunk

NOW = datetime(2026, 2, 20, 12, tzinfo=UTC)
AT = NOW.timestamp()
DAYS = [NOW + timedelta(days=n) for n in range(200)]


def after(kind: str, times: int, at: datetime = NOW) -> Uses:
    uses = Uses()
    for _ in range(times):
        uses = observed(uses, kind, at.timestamp())
    return uses


def preferred(*candidates: Candidate, now: datetime = NOW, learned: bool = True, **uses: Uses) -> list[Candidate]:
    by_id = {chunk(text).id: record for text, record in uses.items()}
    return prefer_useful(candidates, by_id, now=now, learned=learned).candidates


@pytest.mark.parametrize(
    ("kind", "times", "mean"),
    [("used", 3, 4 / 5), ("ignored", 4, 1 / 4), ("contradicted", 1, 1 / 4), ("relevant", 9, 1 / 2)],
)
def test_utility_is_the_mean_of_the_beta_posterior(kind, times, mean):
    """keep: utility in (0, 1), .5 with no record; now every turn counts at once, each kind with its weight."""
    assert utility(after(kind, times), now=NOW) == pytest.approx(mean)
    assert utility(Uses(), now=NOW) == 0.5


def test_evidence_is_half_as_heavy_after_a_half_life():
    uses = after("used", 3)
    assert evidence(uses, (NOW + HALF_LIFE).timestamp()) == pytest.approx((1.5, 0))
    assert utility(uses, now=NOW + HALF_LIFE) == pytest.approx(2.5 / 3.5)
    assert utility(uses, now=NOW + 20 * HALF_LIFE) == pytest.approx(0.5, abs=1e-5)


@given(st.lists(st.tuples(st.sampled_from(sorted(WEIGHTS)), st.integers(0, 10**8)), max_size=12), st.randoms())
@settings(deadline=None)
def test_the_order_in_which_turns_are_told_makes_no_difference(turns, random):
    shuffled = list(turns)
    random.shuffle(shuffled)
    one, other = Uses(), Uses()
    for kind, at in turns:
        one = observed(one, kind, at)
    for kind, at in shuffled:
        other = observed(other, kind, at)
    assert one[:7] == other[:7]
    assert one[7:10] == pytest.approx(other[7:10])


@given(st.lists(st.tuples(st.sampled_from(sorted(WEIGHTS)), st.integers(0, 10**9)), max_size=12))
@settings(deadline=None)
def test_decayed_evidence_is_the_sum_that_the_docstring_says(turns):
    uses, now = Uses(), 10**9
    for kind, at in turns:
        uses = observed(uses, kind, at)
    for side, total in enumerate(evidence(uses, now)):
        textbook = sum(WEIGHTS[kind][side] * 0.5 ** ((now - at) / HALF_LIFE.total_seconds()) for kind, at in turns)
        assert total == pytest.approx(textbook)


def test_what_was_said_can_be_taken_back():
    said = judged(after("used", 1), False, AT, weight=PERSON)
    later = observed(said, "ignored", AT + 10**6)
    unsaid = judged(later, False, AT, weight=-PERSON)
    assert (unsaid.bad, unsaid.good) == (0, 0)
    assert unsaid[7:9] == pytest.approx(observed(after("used", 1), "ignored", AT + 10**6)[7:9])


def test_two_records_become_one():
    old, new = after("used", 2), after("ignored", 2, NOW + HALF_LIFE)._replace(mark=PIN)
    both = combined(old, new)
    assert both == combined(new, old)
    assert (both.shown, both.used, both.ignored, both.mark) == (4, 2, 2, PIN)
    assert (both.hits, both.misses) == pytest.approx((1, 1))


# Ranking


def test_one_turn_moves_a_chunk_in_the_right_direction_on_every_day():
    for day in DAYS:
        base = candidate("plain", 0.5)
        up = preferred(candidate("used", 0.5), now=day, used=after("used", 1, day))[0].score
        down = preferred(candidate("ignored", 0.5), now=day, ignored=after("ignored", 1, day))[0].score
        worse = preferred(candidate("denied", 0.5), now=day, denied=after("contradicted", 1, day))[0].score
        assert 0.5 * (1 + REACH) > up > base.score > max(down, worse)
        assert min(down, worse) > 0.5 * (1 - REACH)


def test_use_decides_between_equals_and_cannot_lift_the_irrelevant():
    """mend 11: utility reaches the ranking."""
    used, ignored = candidate("used", 0.5), candidate("ignored", 0.5)
    record = {"used": after("used", 10), "ignored": after("ignored", 3)}
    assert [c.chunk.text for c in preferred(ignored, used, **record)] == ["used", "ignored"]
    weak, strong = candidate("used", 0.4), candidate("ignored", 0.5)
    assert [c.chunk.text for c in preferred(weak, strong, **record)] == ["ignored", "used"]


def test_a_chunk_without_a_record_keeps_its_score():
    assert preferred(candidate("new", 0.5)) == [candidate("new", 0.5)]


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.builds(
        Uses, shown=st.just(9), hits=st.floats(0, 1e6), misses=st.floats(0, 1e6), mark=st.sampled_from(["", PIN])
    ),
)
@settings(deadline=None)
def test_whatever_happened_the_effect_is_bounded_and_relevance_is_not_raised(score, relevance, uses):
    uses = uses._replace(as_of=AT)
    found = preferred(candidate("it", score, relevance), it=uses)[0]
    assert score * (1 - REACH) * RETIREMENT - 1e-12 <= found.score <= score * (1 + REACH) + 1e-12
    if found.relevance != relevance:
        assert is_retired(uses, now=NOW)
        assert found.relevance == pytest.approx(relevance * RETIREMENT)


def test_what_is_shown_again_and_again_in_vain_retires_and_comes_back_by_and_by():
    noise = after("ignored", 8)
    held_back = [preferred(candidate("n", 0.6, 0.55), now=day, n=after("ignored", 8, day))[0] for day in DAYS]
    pardoned = [c.relevance == 0.55 for c in held_back]
    assert 0.02 < sum(pardoned) / len(pardoned) < 2.5 * PARDON
    assert all(
        c.relevance == pytest.approx(0.55 * RETIREMENT) for c, free in zip(held_back, pardoned, strict=True) if not free
    )
    assert not is_retired(after("ignored", 7), now=NOW)
    assert not is_retired(observed(noise, "used", AT), now=NOW)
    assert not is_retired(after("relevant", 100), now=NOW)
    assert not is_retired(noise, now=NOW + timedelta(days=1))  # it needs eight of late: what fades is forgiven
    assert is_retired(after("ignored", 40), now=NOW + 2 * HALF_LIFE)


def test_a_block_holds_whatever_the_score_and_says_so():
    found = prefer_useful(
        [candidate("no", 0.9, 0.9), candidate("yes", 0.1, 0.1)], {chunk("no").id: Uses(mark=BLOCK)}, now=NOW
    )
    assert [c.chunk.text for c in found.candidates] == ["yes"]
    assert [(c.chunk.text, c.relevance, c.history[-1].note) for c in found.blocked] == [
        ("no", 0.9, "blocked: never injected")
    ]


def test_a_pin_is_the_best_utility_and_does_not_fade():
    pinned = after("ignored", 20)._replace(mark=PIN)
    for day in (NOW, NOW + 30 * HALF_LIFE):
        found = preferred(candidate("p", 0.5, 0.5), now=day, p=pinned)[0]
        assert (found.score, found.relevance) == (pytest.approx(0.5 * (1 + REACH)), 0.5)


def test_without_learning_only_a_persons_marks_count():
    found = preferred(
        candidate("p", 0.5), candidate("u", 0.5), learned=False, p=Uses(mark=PIN), u=after("contradicted", 9)
    )
    assert [(c.chunk.text, c.score) for c in found] == [("p", pytest.approx(0.55)), ("u", 0.5)]


@pytest.mark.parametrize("fields", [{"source": "sessions"}, {"source": "openclaw"}, {"origin": "conversation"}])
def test_what_is_not_the_owners_note_gains_nothing_from_repetition(fields):
    captured = candidate("c", 0.5, **fields)
    assert preferred(captured, c=after("used", 50))[0].score == 0.5
    assert preferred(captured, c=after("contradicted", 2))[0].score < 0.47
    assert preferred(captured, c=judged(after("used", 50), True, AT, weight=PERSON))[0].score > 0.52


# Exploration


def test_what_was_only_on_the_topic_is_as_good_as_unknown_on_every_day():
    for times in (1, 20):
        assert {preferred(candidate("c", 0.5), now=day, c=after("relevant", times))[0].score for day in DAYS} == {0.5}


def test_equal_input_gets_the_same_bytes_all_day_and_another_draw_tomorrow():
    record = after("used", 2)
    times = [NOW.replace(hour=hour) for hour in range(24)]
    assert len({preferred(candidate("c", 0.5), now=t, c=record)[0].history for t in times[:1] * 3}) == 1
    spread = [drawn(chunk("c"), record._replace(as_of=t.timestamp()), now=t) for t in times]
    assert max(spread) == pytest.approx(min(spread))
    assert len({round(drawn(chunk("c"), after("used", 2, day), now=day), 9) for day in DAYS}) == len(DAYS)


def test_of_two_equals_either_comes_first_on_some_days_and_the_better_one_more_often():
    def first(a: Uses, b: Uses) -> float:
        ranked = [preferred(candidate("a", 0.5), candidate("b", 0.5), now=day, a=a, b=b)[0].chunk.text for day in DAYS]
        return ranked.count("a") / len(ranked)

    at = DAYS[100].timestamp()
    even, better = Uses(hits=3, misses=2, as_of=at), Uses(hits=4, misses=2, as_of=at)
    assert 0.35 < first(even, even._replace()) < 0.65
    assert 0.6 < first(better, even) < 1


@pytest.mark.parametrize(("hits", "misses"), [(1.5, 1.0), (1.0, 1.5), (2.0, 2.0), (2.0, 0.5)])
def test_propensity_is_the_frequency_with_which_the_draws_let_a_chunk_in(hits, misses):
    """An inverse propensity is only worth something if it is the true one: compare with ten thousand draws."""
    record = Uses(shown=4, hits=hits, misses=misses, as_of=inf)  # as_of in the future: nothing fades in this test
    many = [NOW + timedelta(days=n) for n in range(10_000)]
    base = candidate("c", 0.5)
    for rival in (0.485, 0.49, 0.495, 0.499, 0.5001, 0.503, 0.506, 0.51, 0.515):
        shown = [(day, c) for day in many if (c := preferred(base, now=day, c=record)[0]).score > rival]
        claimed = {round(propensity(c, record, rival=rival, min_score=0, now=day), 6) for day, c in shown}
        assert len(claimed) == bool(shown)
        assert max(claimed, default=0) == pytest.approx(len(shown) / len(many), abs=0.02)


def test_what_did_not_depend_on_a_draw_is_certain():
    record = after("used", 2)
    shown = preferred(candidate("c", 0.5, 0.6), c=record)[0]
    assert propensity(shown, None, rival=0.499, min_score=0.5, now=NOW) == 1
    assert propensity(shown, record, rival=None, min_score=0.5, now=NOW) == 1
    assert propensity(shown, record._replace(mark=PIN), rival=0.54, min_score=0.5, now=NOW) == 1
    assert propensity(shown, record, rival=9, min_score=0.5, now=NOW) == LEAST_PROPENSITY  # diversity let it in


def test_a_pardon_is_as_likely_as_it_is_rare():
    noise = Uses(shown=20, ignored=20, misses=10, as_of=inf)
    for day in DAYS:
        found = preferred(candidate("n", 0.6, 0.55), now=day, n=noise)[0]
        likely = propensity(found, noise, rival=None, min_score=0.5, now=day)
        assert likely == (PARDON if found.relevance == 0.55 else 1)
        assert propensity(found, noise, rival=None, min_score=0.4, now=day) == 1


def test_half_life_is_thirty_days():
    assert 0.5 ** (timedelta(days=30) / HALF_LIFE) == 0.5
    assert log(2) / HALF_LIFE.total_seconds() == pytest.approx(2.674e-7, rel=1e-3)
