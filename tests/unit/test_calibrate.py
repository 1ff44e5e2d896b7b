"""One scale: what the retrievers found becomes a relevance in [0, 1] before anything is decided."""

from __future__ import annotations

import re
from datetime import timedelta
from math import exp, log, log2
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py import text
from hookclaw_py.calibration import weights
from hookclaw_py.calibration.features import TABLE
from hookclaw_py.calibration.findings import Findings, NullSample
from hookclaw_py.model.kind import SESSION
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.place import TurnPlace
from hookclaw_py.model.types import Candidate, Chunk, Entity, Period, Query, covered_by
from hookclaw_py.stages.calibrate import (
    abstain,
    as_if_grown,
    calibrate,
    coverage,
    document_frequency,
    evidence_of,
    is_of_a_file,
    relevance,
    smoothed,
    term_weights,
    threshold,
    weighing_of,
)
from tests.conftest import NOW, candidate

CALIBRATION = weights.load("")
WEIGHTS, CONSTANTS = CALIBRATION.weights, CALIBRATION.constants
Evidence = TABLE.row
NOTHING = Evidence()
UTC = ZoneInfo("UTC")
NULL = NullSample(0.2, 0.05)


def found(query: Query, *, idf=MappingProxyType({}), **fields: object) -> Findings:
    """Return what a search found out, by default nothing."""
    nothing: dict[str, object] = {
        "asked": term_weights(query.topic, idf=idf),
        "known": frozenset(query.topic),
        "unknown": 0.0,
        "null": NULL,
        "store_size": 1000,
        **dict.fromkeys(("bm25", "cosines", "centred", "late", "least", "named"), MappingProxyType({})),
    }
    return Findings(**{**nothing, **fields})  # type: ignore[arg-type]


def evidence(note: Candidate, query: Query, **fields: object) -> Any:
    return evidence_of([note], query, found(query, **fields), zone=UTC, calibration=CALIBRATION)[note.chunk.id]


def judged(piece: Any) -> float:
    return relevance(piece, WEIGHTS.files.full)


def test_coverage_is_the_share_of_the_prompts_idf():
    idf = {"netsdk1005": 6.0, "build": 2.0, "fix": 2.0}
    asked = term_weights(["build", "netsdk1005", "fix", "build"], idf=idf)
    assert coverage(asked, ["netsdk1005", "other"]) == (pytest.approx(0.6), 6.0)
    assert coverage({}, ["x"]) == (0.0, 0.0)


def test_no_evidence_is_below_every_threshold_and_much_is_far_above():
    assert judged(NOTHING) < 0.3
    assert relevance(NOTHING, WEIGHTS.files.keywords) < 0.3
    much = Evidence(surprise=4.0, coverage=0.8, mass=2.0, entities=1.0, title=0.8, in_period=1.0, late=0.8, bm25=1.0)
    assert judged(much) > 0.98


SHARES = [name for name in TABLE.names if name not in ("surprise", "length") and not name.endswith("behind")]
AGAINST = {"unknown", "unheard", "out_of_period", "foreign"}


@given(st.lists(st.floats(0, 1), min_size=len(SHARES), max_size=len(SHARES)), st.floats(-50, 50))
def test_relevance_is_a_probability_and_more_of_what_speaks_for_a_chunk_never_lowers_it(shares, surprise):
    """Mend 1: each stage assumed another scale."""
    piece = Evidence(surprise=surprise, **dict(zip(SHARES, shares, strict=True)))
    for weighing in (*WEIGHTS.files, *WEIGHTS.records):
        assert 0 <= relevance(piece, weighing) <= 1
        assert relevance(piece._replace(surprise=surprise + 1), weighing) >= relevance(piece, weighing)
        for name in SHARES:
            more = relevance(piece._replace(**{name: getattr(piece, name) + 0.5}), weighing)
            assert (more <= relevance(piece, weighing)) if name in AGAINST else (more >= relevance(piece, weighing)), (
                name
            )


def test_a_cosine_counts_against_what_this_store_gives_to_prompts_without_an_answer():
    note, query = candidate("x"), Query("q", NOW, ("word",), ("word",))
    cosines = {note.chunk.id: 0.5}
    generous = evidence(note, query, centred=cosines, null=NullSample(0.45, 0.05))
    strict = evidence(note, query, centred=cosines, null=NullSample(0.20, 0.05))
    assert (generous.surprise, strict.surprise) == (pytest.approx(1.0), pytest.approx(6.0))
    assert judged(strict) > judged(generous)


def test_a_null_sample_narrower_than_noise_does_not_make_everything_a_surprise():
    note = candidate("x")
    query = Query("q", NOW, ("w",), ("w",))
    assert evidence(
        note, query, centred={note.chunk.id: 0.21}, null=NullSample(0.20, 0.0001)
    ).surprise == pytest.approx(1 / 3)


def test_without_a_vector_keywords_decide():
    """Mend 15: degrade to keywords."""
    query = Query("q", NOW, ("netsdk1005", "build"), ("netsdk1005", "build"))
    idf = {"netsdk1005": 6.0, "build": 2.0}
    note = candidate("x", terms=("netsdk1005", "build"))
    known = found(query, idf=idf, bm25={note.chunk.id: 9.0})
    (answer,) = calibrate(
        [note], evidence_of([note], query, known, zone=UTC, calibration=CALIBRATION), known, CALIBRATION
    )
    assert answer.relevance > 0.5


def test_a_prompt_about_nothing_but_a_day_is_answered_by_that_day():
    """Mend 3: periods change the ranking."""
    day = Period(NOW - timedelta(days=2), NOW - timedelta(days=1), "wednesday")
    query = Query("what did we do on Wednesday?", NOW, ("wednesday",), (), (), day)
    same = evidence(candidate("x", created_at=NOW - timedelta(days=2)), query)
    other = evidence(candidate("x", created_at=NOW - timedelta(days=9)), query)
    undated = evidence(candidate("x"), query)
    assert [(e.in_period, e.out_of_period) for e in (same, other, undated)] == [(1, 0), (0, 1), (0, 0)]
    assert judged(same) > 0.5 > judged(other)


def test_the_notes_of_a_day_that_is_asked_for_stand_above_those_of_other_days():
    day = Period(NOW - timedelta(days=1), NOW, "yesterday")
    query = Query("what did Mara say yesterday?", NOW, ("mara", "say"), ("mara", "say"), (), day)
    then = candidate("Mara off sick", 0.4, id="1", created_at=NOW - timedelta(hours=20), terms=("mara", "sick"))
    other = candidate("Mara: say it", 0.6, id="2", created_at=NOW - timedelta(days=40), terms=("mara", "say"))
    known = found(query)
    best, _ = calibrate(
        [other, then], evidence_of([other, then], query, known, zone=UTC, calibration=CALIBRATION), known, CALIBRATION
    )
    assert best.chunk.text == "Mara off sick"


def test_the_notes_of_a_day_stand_above_a_page_that_holds_the_whole_prompt():
    day = Period(NOW - timedelta(days=1), NOW, "yesterday")
    query = Query("what did I do at the bench yesterday?", NOW, ("bench",), ("bench",), (), day)
    then = candidate("glued the globe", 0.1, id="1", created_at=NOW - timedelta(hours=20), terms=("glue", "globe"))
    page = candidate("lamp, vice", 0.9, id="2", heading="Bench", terms=("bench", "lamp", "vice"))
    looked = {then.chunk.id: 0.2, page.chunk.id: 0.5}
    known = found(query, bm25={page.chunk.id: 9.0}, late=looked, centred=looked, cosines=looked)
    best, _ = calibrate(
        [page, then], evidence_of([page, then], query, known, zone=UTC, calibration=CALIBRATION), known, CALIBRATION
    )
    assert best.chunk.text == "glued the globe"


def test_a_day_that_is_not_over_is_no_memory():
    today = Period(NOW - timedelta(hours=2), NOW + timedelta(hours=22), "today")
    query = Query("what is on today?", NOW, (), (), (), today)
    assert evidence(candidate("x", created_at=NOW), query).on_day == 0


def test_of_two_equal_passages_that_of_a_file_is_judged_as_a_file_and_a_turn_as_a_record():
    query = Query("q", NOW, ("word",), ("word",))
    known = found(query)
    turn = Chunk("2", "word", TurnPlace("sessions/1.jsonl", (1, 1)), kind=SESSION)
    assert weighing_of(candidate("x").chunk, known, WEIGHTS) is WEIGHTS.files.keywords
    assert weighing_of(turn, known, WEIGHTS) is WEIGHTS.records.keywords


@pytest.mark.parametrize(
    "prompt",
    [
        "who is Mara?",
        "what's mara again",
        "wer ist Mara",
        "qui est Mara ?",
        "¿quién es Mara?",
        "chi è Mara",
        "Mara是谁",
    ],
)
@pytest.mark.parametrize("page", ["- Mara (the plumber), 0171 555", "Mara: plumber in Nordby", "| Mara | plumber |"])
def test_who_somebody_is_is_said_by_the_line_about_her_and_not_by_one_that_mentions_her(prompt, page):
    query = Query(prompt, NOW, ("mara",), ("mara",))
    about = candidate(page, created_at=None, terms=("mara", "plumber"))
    mention = candidate("Standup with Mara, nothing new", created_at=NOW, terms=("standup", "mara"))
    assert (evidence(about, query).defines, evidence(mention, query).defines) == (1.0, 0.0)
    assert (evidence(about, query).page, evidence(mention, query).page) == (1.0, 0.0)
    asks_a_detail = Query("what is the number of mara?", NOW, ("number", "mara"), ("number", "mara"))
    assert evidence(about, asks_a_detail).defines == 0.0


def test_a_title_that_names_what_is_asked_for_speaks_for_its_page():
    query = Query("offer for the heat pump", NOW, ("offer", "heat", "pump"), ("offer", "heat", "pump"))
    titled = evidence(candidate("18,400 EUR", heading="Heat pump", terms=("heat", "pump", "18400")), query)
    assert titled.title == pytest.approx(2 / 3)
    assert judged(titled) > judged(titled._replace(title=0.0))


def test_a_note_that_speaks_of_the_date_is_from_that_time_too():
    """An undated note ("On 12 April we fly to Lisbon") answers "what are we doing on 12 April?"."""
    period = Period(NOW, NOW + timedelta(days=1), "12 April")
    query = Query("what are we doing on 12 April?", NOW, ("12", "april"), (), (), period)
    assert evidence(candidate("x", terms=("12", "april", "lisbon")), query).in_period == 1
    assert evidence(candidate("x", terms=("april", "lisbon")), query).in_period == 0
    vague = Query("what did we do yesterday?", NOW, ("yesterday",), (), (), Period(NOW, NOW, "yesterday"))
    assert evidence(candidate("x", terms=("yesterday",)), vague).in_period == 0


def test_a_middling_cosine_is_no_surprise_in_a_store_of_ten_notes():
    small = as_if_grown(NullSample(0.15, 0.08), store_size=10, constants=CONSTANTS)
    assert small.mean == pytest.approx(0.15 + CONSTANTS.growth * log2(20) * 0.08)
    assert as_if_grown(NullSample(0.25, 0.09), store_size=200, constants=CONSTANTS) == NullSample(0.25, 0.09)
    assert as_if_grown(NullSample(0.25, 0.09), store_size=100_000, constants=CONSTANTS) == NullSample(0.25, 0.09)


@pytest.mark.parametrize(("size", "df"), [(1, 0), (1, 1), (50, 3), (100_000, 70_000)])
def test_smoothing_is_the_idf_of_the_store_with_more_chunks(size, df):
    idf = {"word": log(1 + (size - df + 0.5) / (df + 0.5))}
    assert smoothed(idf, store_size=size, prior_chunks=100)["word"] == pytest.approx(
        log(1 + (size + 100 - df + 0.5) / (df + 0.5))
    )


def test_a_word_found_in_the_only_note_still_tells_something():
    """A new user has three notes: their words must not count as common."""
    idf = smoothed({"alpha": log(1 + 0.5 / 1.5), "unknown": log(1 + 1.5 / 0.5)}, store_size=1, prior_chunks=100)
    assert idf["alpha"] > 0.7 * idf["unknown"]


def test_the_score_falls_with_the_distance_to_the_best_and_a_fifth_is_the_relevance():
    query = Query("q", NOW, ("word",), ("word",))
    first, second = candidate("one", 0.9, id="1"), candidate("two", 1.0, id="2")
    pieces = {first.chunk.id: Evidence(surprise=4.0, coverage=1.0, mass=1.0, late=0.9), second.chunk.id: NOTHING}
    looked = dict.fromkeys(pieces, 0.5)
    known = found(query, centred=looked, late=looked)
    best, other = calibrate([second, first], pieces, known, CALIBRATION)
    order = Evidence(*WEIGHTS.files.full.order)
    ahead = 4 * order.surprise + order.coverage + order.mass + 0.9 * order.late
    assert best.chunk.text == "one"
    assert best.score == pytest.approx(0.2 * best.relevance + 0.8)
    assert other.score == pytest.approx(0.2 * other.relevance + 0.8 * exp(-ahead / 5))
    assert "covers 100% of the prompt" in best.history[0].note


def test_the_story_adds_up_to_the_relevance():
    query = Query("q", NOW, ("word",), ("word",))
    note = candidate("one")
    known = found(query, centred={note.chunk.id: 0.5}, late={note.chunk.id: 0.4})
    (answer,) = calibrate(
        [note], {note.chunk.id: Evidence(surprise=2.0, coverage=0.5, title=0.5, late=0.4)}, known, CALIBRATION
    )
    told = sum(float(part) for part in re.findall(r"[+-]\d+\.\d(?=,|$)", answer.history[0].note))
    assert 1 / (1 + exp(-told)) == pytest.approx(answer.relevance, abs=0.06)


WORDS = ("heat", "pump", "offer", "mara", "lan-58", "lan", "58", "5")
HEADINGS = ("", "Heat pump", "2026-02-10 > Ticket LAN-58", "Ticket LAN-5804", "Pump offers", "5")
SCORES = st.none() | st.floats(-1, 1).map(lambda score: round(score, 6))


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[Candidate], Query, Findings]:
    """Return some candidates, a prompt, and what a search might have found out about them."""
    dates = st.none() | st.integers(0, 5).map(lambda days: NOW - timedelta(days=days))
    notes = [
        candidate(
            draw(st.sampled_from(("Mara: plumber", "the pump is off", "Heat pump (Brandt)", "x"))),
            draw(st.floats(0, 1)),
            id=str(n),
            heading=heading,
            created_at=draw(dates),
            terms=frozenset(text.terms(heading)) | draw(st.sets(st.sampled_from(WORDS))),
        )
        for n, heading in enumerate(draw(st.lists(st.sampled_from(HEADINGS), min_size=1, max_size=5)))
    ]
    start = NOW - timedelta(days=draw(st.integers(0, 4)))
    period = draw(st.none() | st.sampled_from([1, 7]).map(lambda n: Period(start, start + timedelta(days=n), "then")))
    topic = tuple(draw(st.lists(st.sampled_from(WORDS), unique=True)))
    entities = draw(st.sampled_from([(), (Entity("name", "Mara"),)]))
    query = Query(draw(st.sampled_from(("who is mara?", "offers"))), NOW, (*topic, "then"), topic, entities, period)
    scored = {
        name: {c.chunk.id: score for c in notes if (score := draw(SCORES)) is not None}
        for name in ("cosines", "centred", "late", "least", "named")
    }
    bm25 = {c.chunk.id: draw(st.floats(0, 20)) for c in notes if draw(st.booleans())}
    idf = {word: draw(st.floats(0.01, 10)) for word in WORDS}
    known = frozenset(draw(st.sets(st.sampled_from(WORDS))))
    null = draw(st.sampled_from([None, NULL]))
    return notes, query, found(query, idf=idf, known=known, unknown=0.5, bm25=bm25, null=null, **scored)


def spoken_for(note: Candidate, pool: list[Candidate], query: Query, known: Findings) -> Any:
    """Return the evidence for one chunk of a pool as its docstring defines it, piece by piece."""
    chunk, total, period = note.chunk, sum(known.asked.values()), query.period

    def best(scores) -> float:
        return max((scores[c.chunk.id] for c in pool if c.chunk.id in scores), default=0.0)

    def share(terms) -> float:
        return sum(weight for term, weight in known.asked.items() if term in terms) / (total or 1)

    def looked(scores, otherwise: float) -> float:
        return scores.get(chunk.id, otherwise)

    covered, surprise, inside = share(chunk.terms), 0.0, None
    if chunk.id in known.centred and known.null:
        surprise = (known.centred[chunk.id] - known.null.mean) / known.null.deviation
    if period and chunk.created_at:
        inside = covered_by(chunk.created_at, UTC).overlaps(period)
    if inside is not None and not query.topic:
        covered, surprise = float(inside), max(surprise, 0.0) if inside else min(surprise, 0.0)
    who = query.text == "who is mara?" and 0 < len(query.topic) <= 4 and period is None
    return Evidence(
        surprise=surprise,
        coverage=covered,
        whole=float(covered > 0.999),
        title=share(text.terms(chunk.heading)),
        mass=sum(w for term, w in known.asked.items() if term in chunk.terms) / log(1 + (1000 + 100.5) / 0.5),
        entities=looked(known.named, 0.0),
        unknown=0.5,
        unheard=share(known.asked.keys() - known.known),
        in_period=float(inside is True),
        out_of_period=float(inside is False),
        on_day=float(inside is True and period.end - period.start == timedelta(days=1) and period.end <= NOW),
        speaks=float(bool(query.entities) and chunk.text == "Mara: plumber"),
        foreign=max(0.0, 0.7 - looked(known.least, 0.7)),
        late=looked(known.late, 0.0),
        bm25=looked(known.bm25, 0.0) / (best(known.bm25) or 1),
        fused=note.score / (max(c.score for c in pool) or 1),
        coverage_behind=min(0.0, covered - max(share(c.chunk.terms) for c in pool)),
        cosine_behind=looked(known.cosines, best(known.cosines)) - best(known.cosines),
        late_behind=looked(known.late, best(known.late)) - best(known.late),
        length=log(1 + len(chunk.terms)),
        defines=float(who and evidence(note, query).defines),
        page=float(who and covered > 0 and chunk.created_at is None),
    )


@given(pools())
def test_relevance_and_score_are_those_of_the_formula_chunk_by_chunk(pool):
    notes, query, known = pool
    gathered = evidence_of(notes, query, known, zone=UTC, calibration=CALIBRATION)
    straight = {c.chunk.id: spoken_for(c, notes, query, known) for c in notes}
    for chunk_id, pieces in straight.items():
        assert gathered[chunk_id]._asdict() == pytest.approx(pieces._asdict(), rel=1e-9, abs=1e-9)
    chosen = {c.chunk.id: weighing_of(c.chunk, known, WEIGHTS) for c in notes}
    logits = {
        i: chosen[i].order_intercept + sum(w * e for w, e in zip(chosen[i].order, straight[i], strict=True))
        for i in straight
    }
    for judged_one in calibrate(notes, gathered, known, CALIBRATION):
        own = judged_one.chunk.id
        logit = chosen[own].intercept + sum(w * e for w, e in zip(chosen[own].relevance, straight[own], strict=True))
        chance = 1 / (1 + exp(-logit))
        assert judged_one.relevance == pytest.approx(chance, rel=1e-9)
        behind = exp((logits[own] - max(logits.values())) / 5)
        assert judged_one.score == pytest.approx(0.2 * chance + 0.8 * behind, rel=1e-9)


def test_a_number_in_a_title_is_no_part_of_another():
    query = Query("example with 58 steps", NOW, ("58", "step"), ("58", "step"))
    other, own = (candidate("x", heading=f"Ticket LAN-{n}", terms=("58", "ticket")) for n in (5804, 58))
    assert (evidence(other, query).title, evidence(own, query).title) == (0.0, 0.5)


def told(pool: list[Candidate], *, adaptive: bool = True, max_results: int = 3) -> tuple[list[str], list[str]]:
    """Return the texts of what is told, and why the rest is not."""
    least = threshold(pool, min_score=0.5, adaptive=adaptive, constants=CONSTANTS)
    passed, failed = abstain(pool, least=least, max_results=max_results)
    return [c.chunk.text for c in passed], [c.history[-1].note for c in failed]


def test_what_is_near_the_best_keeps_it_company_and_nothing_is_told_where_nothing_is_relevant():
    """Mend 1: the adaptive rule, on the one scale it was meant for; in the original every prompt came out empty."""
    best, near = candidate("a", score=0.8, relevance=0.6), candidate("b", score=0.7, relevance=0.3)
    far = candidate("c", score=0.4, relevance=0.3)
    assert told([best, near, far]) == (["a", "b"], ["relevance below 0.5"])
    assert told([near, far]) == ([], ["relevance below 0.5"] * 2)
    assert told([best, near, far], adaptive=False) == (["a"], ["relevance below 0.5"] * 2)


def test_company_has_the_places_that_are_left():
    best, near = candidate("a", score=0.8, relevance=0.6), candidate("b", score=0.79, relevance=0.3)
    others = [candidate(name, score=0.7, relevance=0.5) for name in "cd"]
    assert told([best, near, *others])[0] == ["a", "c", "d"]
    assert told([best, near, others[0]], max_results=2)[0] == ["a", "c"]


def test_the_rest_of_the_best_ones_section_keeps_a_follow_up_company():
    best = candidate("a", score=0.8, relevance=0.6, path="Tordis.md", heading="Tordis")
    rest = candidate("b", score=0.1, relevance=0.1, path="Tordis.md", heading="Tordis")
    other = candidate("c", score=0.1, relevance=0.1, path="Tordis.md", heading="Tordis > Engine")
    least = threshold([best, rest, other], min_score=0.5, adaptive=True, follows=True, constants=CONSTANTS)
    assert [c.chunk.text for c in abstain([best, rest, other], least=least, max_results=3)[0]] == ["a", "b"]
    assert told([best, rest, other])[0] == ["a"]


def test_the_words_of_others_are_told_where_they_are_relevant_themselves():
    best = candidate("a", score=0.8, relevance=0.6)
    mail = candidate("b", score=0.79, relevance=0.4, origin=Origin.WEB)
    assert told([best, mail])[0] == ["a"]
    assert told([best, mail._replace(relevance=0.5)])[0] == ["a", "b"]


def test_a_prompt_about_someone_the_store_has_never_heard_of_is_less_likely_answered():
    heard = Evidence(surprise=2.0, coverage=0.5, mass=0.5)
    assert judged(heard._replace(unknown=1.0)) < judged(heard._replace(unknown=0.5)) < judged(heard)


def test_a_word_the_store_has_never_heard_of_counts_less_when_a_note_has_something_like_it():
    """Asked for Tokyo, a note about Shinjuku may answer; one about gardening does not."""
    query, note = Query("tips for Tokyo?", NOW, ("tokyo",), ("tokyo",)), candidate("x")
    near, far = (evidence(note, query, least={note.chunk.id: least}) for least in (0.75, 0.3))
    assert (near.foreign, far.foreign, evidence(note, query).foreign) == (0.0, pytest.approx(0.4), 0.0)
    chance = [relevance(piece._replace(surprise=2.0), WEIGHTS.records.full) for piece in (far, near)]
    assert chance[0] < chance[1]


@pytest.mark.parametrize("text", ["Maria: I paint horses.", "John: And you?\n- Maria: Horses.", "maria: horses"])
def test_what_the_person_asked_about_says_counts_more_than_what_is_said_to_her(text):
    query = Query("what does Maria paint?", NOW, ("paint",), ("paint",), (Entity("name", "Maria"),))
    said_by, said_to = evidence(candidate(text), query), evidence(candidate("John: Hi Maria: still painting?"), query)
    assert (said_by.speaks, said_to.speaks) == (1, 0)
    assert judged(said_by) > judged(said_by._replace(speaks=0.0))


def test_the_document_frequency_is_read_back_from_the_idf():
    for frequency in (0, 1, 7):
        idf = log(1 + (100 - frequency + 0.5) / (frequency + 0.5))
        assert document_frequency(idf, store_size=100) == pytest.approx(frequency)


def test_what_is_far_behind_the_best_is_not_worth_its_tokens():
    pool = [candidate("a", score=0.8, relevance=0.9), candidate("b", score=0.7, relevance=0.9)]
    far = candidate("c", score=0.51, relevance=0.9)
    assert told([*pool, far]) == (["a", "b"], ["score below 0.52, far behind the best"])
    assert told([*pool, far], adaptive=False)[0] == ["a", "b", "c"]


def test_an_irrelevant_chunk_with_the_best_score_sets_no_standard():
    others = candidate("a", score=0.9, relevance=0.1, origin=Origin.WEB)
    assert told([others, candidate("b", score=0.5, relevance=0.9)])[0] == ["b"]


def test_who_asks_for_a_thing_of_a_day_is_answered_by_words_and_who_asks_for_the_day_by_its_date():
    day = Period(NOW - timedelta(days=1), NOW, "yesterday")
    note = candidate("the pump leaks", terms=("pump", "leak"), created_at=NOW - timedelta(hours=5))
    thing = Query("what about pump and boiler yesterday", NOW, ("pump", "boiler"), ("pump", "boiler"), period=day)
    assert evidence(note, thing).coverage == pytest.approx(0.5)
    assert evidence(note, Query("what was yesterday", NOW, ("yesterday",), (), period=day)).coverage == 1.0


def test_what_is_held_is_counted_in_terms_that_stand_nowhere_else():
    nowhere = log(1 + (1000 + CONSTANTS.prior_chunks + 0.5) / 0.5)
    note, query = candidate("the pump leaks", terms=("pump", "leak")), Query("pump", NOW, ("pump",), ("pump",))
    assert evidence(note, query, asked={"pump": nowhere}).mass == pytest.approx(1.0)


def test_how_far_a_chunk_is_behind_in_coverage_is_told_in_shares_of_the_prompt():
    query = Query("pump and boiler", NOW, ("pump", "boiler"), ("pump", "boiler"))
    both, one = candidate("both", terms=("pump", "boiler")), candidate("one", terms=("pump",))
    pieces = evidence_of([both, one], query, found(query), zone=UTC, calibration=CALIBRATION)
    assert [pieces[c.chunk.id].coverage_behind for c in (both, one)] == pytest.approx([0.0, -0.5])


def test_a_passage_of_a_file_is_neither_a_turn_nor_a_record():
    assert is_of_a_file(candidate("x", path="memory/Plan.MD").chunk)
    assert not is_of_a_file(candidate("x", path="plan.md", kind=SESSION).chunk)
    assert not is_of_a_file(candidate("x", path="record:fact/ab").chunk)
