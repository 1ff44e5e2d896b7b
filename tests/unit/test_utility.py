"""Utility breaks ties, within bounds; what is known fades, the unknown gets its chance, a person's word holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.model.kind import INDEXED, SESSION, UNKNOWN
from hookclaw_py.model.types import Candidate, Occasion, Uses
from hookclaw_py.stages import utility as stage
from hookclaw_py.stages.utility import (
    BLOCK,
    HALF_LIFE,
    MOST_OCCASIONS,
    MOST_TERMS,
    PERSON,
    PIN,
    UseEvidence,
    about,
    combined,
    judged,
    objected,
    observed,
)
from hookclaw_py.text import jaccard
from tests.conftest import CONSTANTS, candidate, chunk

USE = CONSTANTS.use
WEIGHTS, REACH, RETIREMENT, PARDON = USE.showings._asdict(), USE.reach, USE.retirement, USE.pardon
Likeness = partial(stage.Likeness, least=USE.least_likeness)
evidence = partial(stage.evidence, showings=USE.showings)
utility = partial(stage.utility, prior=USE.prior)
is_retired, drawn = partial(stage.is_retired, constants=USE), partial(stage.drawn, constants=USE)
prefer_useful = partial(stage.prefer_useful, constants=USE)

NOW = datetime(2026, 2, 20, 12, tzinfo=UTC)
AT = NOW.timestamp()
DAYS = [NOW + timedelta(days=n) for n in range(200)]
ASKED = ("invoice", "hansen", "sign")
SAME = about(ASKED)
OTHER = about(["crane", "yellow", "paint"])


def after(kind: str, times: int, at: datetime = NOW, *, prompt: frozenset[str] = SAME) -> Uses:
    uses = Uses()
    for _ in range(times):
        uses = observed(uses, Occasion(at.timestamp(), kind, prompt))
    return uses


def found(uses: Uses, *, now: datetime = NOW) -> UseEvidence:
    return evidence(uses, Likeness(ASKED), now=now)


def retired(uses: Uses, *, now: datetime = NOW) -> bool:
    return is_retired(uses, found(uses, now=now), now=now)


def preferred(
    *candidates: Candidate, now: datetime = NOW, learned: bool = True, prompt: frozenset[str] = SAME, **uses: Uses
) -> list[Candidate]:
    by_id = {chunk(text).id: record for text, record in uses.items()}
    return prefer_useful(candidates, by_id, prompt, now=now, learned=learned).candidates


@pytest.mark.parametrize(
    ("kind", "times", "mean"),
    [("used", 3, 4 / 5), ("ignored", 4, 1 / 4), ("contradicted", 1, 1 / 4), ("relevant", 2, 1 / 3)],
)
def test_utility_is_the_mean_of_the_beta_posterior(kind, times, mean):
    """keep: utility in (0, 1), .5 with no record; now every turn counts at once, each kind with its weight."""
    assert utility(found(after(kind, times))) == pytest.approx(mean)
    assert utility(found(Uses())) == 0.5


def test_evidence_is_half_as_heavy_after_a_half_life():
    uses = after("used", 3)
    assert found(uses, now=NOW + HALF_LIFE)[:2] == pytest.approx((1.5, 0))
    assert utility(found(uses, now=NOW + HALF_LIFE)) == pytest.approx(2.5 / 3.5)
    assert utility(found(uses, now=NOW + 20 * HALF_LIFE)) == pytest.approx(0.5, abs=1e-5)


PROMPTS = st.frozensets(st.sampled_from("abcdefgh"), max_size=6).map(about)
TURNS = st.lists(st.builds(Occasion, st.integers(0, 10**8), st.sampled_from(sorted(WEIGHTS)), PROMPTS), max_size=30)


@given(TURNS, st.randoms())
def test_the_order_in_which_turns_are_told_makes_no_difference(turns, random):
    shuffled = list(turns)
    random.shuffle(shuffled)
    one, other = Uses(), Uses()
    for turn in turns:
        one = observed(one, turn)
    for turn in shuffled:
        other = observed(other, turn)
    assert one == other
    assert one.shown == len(turns)
    assert one.occasions == tuple(sorted(turns, key=lambda o: (o.at, o.kind, sorted(o.about)))[-MOST_OCCASIONS:])


@given(TURNS, PROMPTS)
def test_evidence_is_the_sum_that_the_docstring_says(turns, prompt):
    uses, now = Uses(), datetime.fromtimestamp(10**8, UTC)
    for turn in turns:
        uses = observed(uses, turn)
    alike = [(o, jaccard(o.about, prompt)) for o in uses.occasions]
    alike = [(o, likeness) for o, likeness in alike if likeness >= USE.least_likeness]
    total = evidence(uses, Likeness(prompt), now=now)
    for side in (0, 1):
        textbook = sum(
            likeness * WEIGHTS[o.kind][side] * 0.5 ** ((10**8 - o.at) / HALF_LIFE.total_seconds())
            for o, likeness in alike
        )
        assert total[side] == pytest.approx(textbook)
    assert (total.shown, total.used) == (len(alike), sum(o.kind == "used" for o, _ in alike))


def test_what_was_said_can_be_taken_back():
    said = judged(after("used", 1), False, AT, weight=PERSON)
    later = judged(said, True, AT + 10**6, weight=PERSON)
    unsaid = judged(later, False, AT, weight=-PERSON)
    assert (unsaid.bad, unsaid.good) == (0, 1)
    assert unsaid[7:9] == pytest.approx(judged(after("used", 1), True, AT + 10**6, weight=PERSON)[7:9])


def test_a_verdict_counts_for_every_prompt():
    for good, mean in ((True, 4 / 5), (False, 1 / 5)):
        said = judged(after("used", 0), good, AT, weight=PERSON)
        for prompt in (SAME, OTHER, frozenset[str]()):
            assert utility(evidence(said, Likeness(prompt), now=NOW)) == pytest.approx(mean)


def test_an_objection_replaces_what_was_made_of_that_turn():
    uses = observed(after("used", 2), Occasion(AT + 60, "used", OTHER))
    against = objected(uses, "used", AT)
    assert (against.shown, against.used, against.contradicted) == (3, 2, 1)
    assert against.occasions == (
        Occasion(AT, "contradicted", SAME),
        Occasion(AT, "used", SAME),
        Occasion(AT + 60, "used", OTHER),
    )
    forgotten = objected(uses, "used", AT - 1)  # the turn is not remembered any more: it still counts
    assert (forgotten.used, forgotten.contradicted, forgotten.occasions) == (2, 1, uses.occasions)


def test_two_records_become_one():
    old, new = after("used", 2), after("ignored", 2, NOW + HALF_LIFE)._replace(mark=PIN)
    old, new = judged(old, True, AT, weight=2.0), judged(new, False, AT + HALF_LIFE.total_seconds(), weight=1.0)
    both = combined(old, new)
    assert both == combined(new, old)
    assert (both.shown, both.used, both.ignored, both.good, both.bad, both.mark) == (4, 2, 2, 1, 1, PIN)
    assert (both.hits, both.misses) == pytest.approx((1, 1))
    assert [o.kind for o in both.occasions] == ["used"] * 2 + ["ignored"] * 2
    many = combined(after("used", 15), after("ignored", 15, NOW + HALF_LIFE))
    assert [o.kind for o in many.occasions] == ["used"] * (MOST_OCCASIONS - 15) + ["ignored"] * 15


# For such prompts


def test_a_chunk_that_helps_with_one_question_and_not_with_another_is_preferred_for_the_one():
    record = after("used", 3)
    for _ in range(3):
        record = observed(record, Occasion(AT, "ignored", OTHER))
    for day in DAYS[:3]:
        assert preferred(candidate("c", 0.5), now=day, c=record)[0].score > 0.5
        assert preferred(candidate("c", 0.5), now=day, prompt=OTHER, c=record)[0].score < 0.5
        unlike = preferred(candidate("c", 0.5), now=day, prompt=about(["harbour", "tide"]), c=record)[0]
        assert unlike.score == 0.5, "never shown for such a prompt: as good as unknown"
        assert unlike.history[-1].note == "used 3 of 6 times, not yet shown for such prompts"


def test_the_liker_the_prompt_the_more_a_turn_counts():
    record = after("used", 3)
    prompts = ["hansen invoice sign", "hansen invoice sign january", "hansen invoice january", "hansen march january"]
    means = [utility(evidence(record, Likeness(p.split()), now=NOW)) for p in prompts]
    assert means == pytest.approx([(1 + 3 * j) / (2 + 3 * j) for j in (1, 3 / 4, 2 / 4, 0)])


def test_a_prompt_is_another_from_just_below_the_least_likeness():
    for size in range(1, 20):
        likeness = Likeness(str(n) for n in range(size))[frozenset("0")]
        assert likeness == (pytest.approx(1 / size) if 1 / size >= USE.least_likeness else 0)
    assert Likeness(())[frozenset()] == 0


def test_of_a_huge_prompt_so_many_terms_are_kept_and_it_is_like_itself():
    huge = [f"t{n:03}" for n in range(500)] * 2
    assert sorted(about(huge)) == [f"t{n:03}" for n in range(MOST_TERMS)]
    assert Likeness(huge)[about(huge)] == 1
    assert about(["b", "a", "b"]) == {"a", "b"}


# Ranking


def test_one_turn_moves_a_chunk_in_the_right_direction_on_every_day():
    for day in DAYS:
        base = candidate("plain", 0.5)
        up = preferred(candidate("used", 0.5), now=day, used=after("used", 1, day))[0].score
        down = preferred(candidate("ignored", 0.5), now=day, ignored=after("ignored", 1, day))[0].score
        worse = preferred(candidate("denied", 0.5), now=day, denied=after("contradicted", 1, day))[0].score
        assert 0.5 * (1 + REACH) > up > base.score > max(down, worse)
        assert down > 0.5 * (1 - REACH)
        assert worse > 0.5 * (1 - REACH) * RETIREMENT


def test_use_decides_between_equals_and_cannot_lift_the_irrelevant():
    """Mend 11: utility reaches the ranking."""
    used, ignored = candidate("used", 0.5), candidate("ignored", 0.5)
    record = {"used": after("used", 10), "ignored": after("ignored", 3)}
    assert [c.chunk.text for c in preferred(ignored, used, **record)] == ["used", "ignored"]
    weak, strong = candidate("used", 0.34), candidate("ignored", 0.5)
    assert [c.chunk.text for c in preferred(weak, strong, **record)] == ["ignored", "used"]


def test_a_chunk_without_a_record_keeps_its_score():
    assert preferred(candidate("new", 0.5)) == [candidate("new", 0.5)]


@given(
    st.floats(0, 1), st.floats(0, 1), TURNS, st.floats(0, 1e6), st.floats(0, 1e6), st.sampled_from(["", PIN]), PROMPTS
)
def test_whatever_happened_the_effect_is_bounded_and_relevance_is_not_raised(
    score, relevance, turns, hits, misses, mark, prompt
):
    uses, now = Uses(hits=hits, misses=misses, as_of=10**8, mark=mark), datetime.fromtimestamp(10**8, UTC)
    for turn in turns:
        uses = observed(uses, turn)
    it = preferred(candidate("it", score, relevance), now=now, prompt=prompt, it=uses)[0]
    assert score * (1 - REACH) * RETIREMENT - 1e-12 <= it.score <= score * (1 + REACH) + 1e-12
    if it.relevance != relevance:
        assert is_retired(uses, evidence(uses, Likeness(prompt), now=now), now=now)
        assert it.relevance == pytest.approx(relevance * RETIREMENT)


def test_what_is_shown_for_such_prompts_in_vain_retires_for_them_and_comes_back_by_and_by():
    held_back = [preferred(candidate("n", 0.6, 0.55), now=day, n=after("ignored", 2, day))[0] for day in DAYS]
    pardoned = [c.relevance == 0.55 for c in held_back]
    assert 0.02 < sum(pardoned) / len(pardoned) < 2.5 * PARDON
    assert all(
        c.relevance == pytest.approx(0.55 * RETIREMENT) for c, free in zip(held_back, pardoned, strict=True) if not free
    )
    assert not retired(after("ignored", 1)), "once is nothing"
    assert not retired(observed(after("ignored", 2), Occasion(AT, "used", SAME)))
    assert not retired(after("ignored", 7, prompt=OTHER)), "for other prompts it was tried, not for these"
    assert retired(after("ignored", 2), now=NOW + timedelta(days=10))
    assert not retired(after("ignored", 2), now=NOW + HALF_LIFE)


def test_what_is_shown_again_and_again_and_never_used_for_anything_retires():
    vain = Uses()
    for n in range(USE.in_vain):
        assert not retired(vain), f"after {n} turns"
        vain = observed(vain, Occasion(AT + n, ["ignored", "relevant"][n % 2], about([f"topic{n}"])))
    assert retired(vain)
    assert preferred(candidate("n", 0.6, 0.55), now=DAYS[1], n=vain)[0].relevance == pytest.approx(0.55 * RETIREMENT)
    assert not retired(vain, now=NOW + HALF_LIFE + timedelta(minutes=1)), "what was long ago is forgiven"
    assert not retired(observed(vain, Occasion(AT + 99, "used", about(["topic99"]))))
    assert not retired(judged(vain, True, AT, weight=PERSON)), "a person's word holds"
    once = observed(vain._replace(occasions=()), Occasion(AT - 9, "used", about(["topic"])))
    for turn in vain.occasions:
        once = observed(once, turn)
    assert retired(once), "it was of use once, and eight times no more"


def test_a_block_holds_whatever_the_score_and_says_so():
    result = prefer_useful(
        [candidate("no", 0.9, 0.9), candidate("yes", 0.1, 0.1)], {chunk("no").id: Uses(mark=BLOCK)}, ASKED, now=NOW
    )
    assert [c.chunk.text for c in result.candidates] == ["yes"]
    assert [(c.chunk.text, c.relevance, c.history[-1].note) for c in result.blocked] == [
        ("no", 0.9, "blocked: never injected")
    ]


def test_a_pin_is_the_best_utility_and_does_not_fade():
    pinned = after("ignored", 20)._replace(mark=PIN)
    for day in (NOW, NOW + 30 * HALF_LIFE):
        it = preferred(candidate("p", 0.5, 0.5), now=day, p=pinned)[0]
        assert (it.score, it.relevance) == (pytest.approx(0.5 * (1 + REACH)), 0.5)


def test_without_learning_only_a_persons_marks_count():
    both = preferred(
        candidate("p", 0.5), candidate("u", 0.5), learned=False, p=Uses(mark=PIN), u=after("contradicted", 9)
    )
    assert [(c.chunk.text, c.score) for c in both] == [("p", pytest.approx(0.55)), ("u", 0.5)]


@pytest.mark.parametrize("kind", [SESSION, INDEXED, UNKNOWN])
def test_what_is_not_the_owners_note_gains_nothing_from_repetition(kind):
    captured = candidate("c", 0.5, kind=kind)
    assert preferred(captured, c=after("used", 50))[0].score == 0.5
    assert preferred(captured, c=after("contradicted", 2))[0].score < 0.47
    assert preferred(captured, c=judged(after("used", 50), True, AT, weight=PERSON))[0].score > 0.52


# Exploration


def test_what_was_never_shown_for_such_prompts_is_as_good_as_unknown_on_every_day():
    for kind in WEIGHTS:
        record = after(kind, USE.in_vain - 1, prompt=OTHER)
        assert {preferred(candidate("c", 0.5), now=day, c=record)[0].score for day in DAYS} == {0.5}


def test_equal_input_gets_the_same_bytes_all_day_and_another_draw_tomorrow():
    record = after("used", 2)
    times = [NOW.replace(hour=hour) for hour in range(24)]
    assert len({preferred(candidate("c", 0.5), now=t, c=record)[0].history for t in times[:1] * 3}) == 1
    spread = [drawn(chunk("c"), record, found(record), now=t) for t in times]
    assert max(spread) == pytest.approx(min(spread))
    assert len({round(drawn(chunk("c"), record, found(record), now=day), 9) for day in DAYS}) == len(DAYS)


def test_of_two_equals_either_comes_first_on_some_days_and_the_better_one_more_often():
    def first(a: Uses, b: Uses) -> float:
        ranked = [preferred(candidate("a", 0.5), candidate("b", 0.5), now=day, a=a, b=b)[0].chunk.text for day in DAYS]
        return ranked.count("a") / len(ranked)

    at = DAYS[100].timestamp()
    even, better = Uses(hits=3, misses=2, as_of=at), Uses(hits=4, misses=2, as_of=at)
    assert 0.35 < first(even, even._replace()) < 0.65
    assert 0.6 < first(better, even) < 1


def test_half_life_is_thirty_days():
    assert 0.5 ** (timedelta(days=30) / HALF_LIFE) == 0.5
    assert log(2) / HALF_LIFE.total_seconds() == pytest.approx(2.674e-7, rel=1e-3)
