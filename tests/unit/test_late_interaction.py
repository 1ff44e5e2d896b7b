"""Late interaction: the formula against a naive double loop, and what a token of the prompt weighs."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hookclaw_py.model.vectors import NO_TOKENS, TokenVectors
from hookclaw_py.search import late_interaction
from hookclaw_py.search.late_interaction import (
    MOST_TOKENS,
    compare,
    token_terms,
    token_weights,
)


def scores(query: TokenVectors, weights: list[float], chunks: dict[str, TokenVectors]) -> dict[str, float]:
    return compare(query, weights, chunks, chosen=())[0]


def axes(*numbers: int) -> TokenVectors:
    """One token along each of these axes; below 0, the other way."""
    tokens = np.zeros((len(numbers), 64), np.int8)
    for row, number in enumerate(numbers):
        tokens[row, abs(number)] = 127 if number >= 0 else -127
    return tokens


def textbook(query: TokenVectors, weights: list[float], chunk: TokenVectors) -> float:
    total = 0.0
    for token, weight in zip(query.astype(float) / 127, weights, strict=True):
        total += weight * max(float(token @ other) for other in chunk.astype(float) / 127)
    return total / sum(weights)


def test_each_token_counts_its_best_match_by_its_weight():
    query, weights = axes(1, 2, 3), [1.0, 2.0, 5.0]
    chunks = {"all": axes(3, 2, 1, 9), "the rare one": axes(8, 3), "the others": axes(1, 2), "none": axes(9)}
    assert scores(query, weights, chunks) == pytest.approx(
        {"all": 1.0, "the rare one": 5 / 8, "the others": 3 / 8, "none": 0.0}
    )


def test_the_worst_matched_of_the_chosen_tokens_is_told():
    query, weights = axes(1, 2, 3), [1.0, 1.0, 2.0]
    chunks = {"both": axes(9, 2, 1), "one": axes(1, 9), "none": NO_TOKENS}
    assert compare(query, weights, chunks, chosen={0, 1})[1] == pytest.approx({"both": 1.0, "one": 0.0})
    assert compare(query, weights, chunks, chosen=())[1] == {}


def test_the_opposite_of_every_token_is_minus_one():
    assert scores(axes(1, 2), [1.0, 1.0], {"a": axes(-1), "b": axes(-1, -2)}) == pytest.approx({"a": -0.5, "b": 0.0})


unit_rows = arrays(np.int8, st.tuples(st.integers(1, 9), st.just(64)), elements=st.integers(-127, 127))


@settings(max_examples=50)
@given(
    unit_rows.flatmap(
        lambda query: st.tuples(st.just(query), st.lists(st.floats(0.01, 20), min_size=len(query), max_size=len(query)))
    ),
    st.dictionaries(st.text("abc", min_size=1, max_size=4), unit_rows, min_size=1, max_size=6),
    st.sampled_from([1, 7, 8_192]),
)
def test_it_is_the_textbook_sum_however_the_pool_is_cut(asked, chunks, piece):
    query, weights = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(late_interaction, "_PIECE", piece)
        found = scores(query, weights, chunks)
    assert found == pytest.approx({i: textbook(query, weights, chunk) for i, chunk in chunks.items()}, abs=1e-4)
    assert list(found) == list(chunks)


def test_a_pool_of_many_blocks_is_the_textbook_sum():
    dice = np.random.default_rng(1)
    chunks = {f"{n}": dice.integers(-127, 128, (n, 64), dtype=np.int8) for n in (1, 127, 128, 129, 500)}
    query = dice.integers(-127, 128, (5, 64), dtype=np.int8)
    expected = {i: textbook(query, [1.0] * 5, chunk) for i, chunk in chunks.items()}
    assert scores(query, [1.0] * 5, chunks) == pytest.approx(expected, abs=1e-4)


def test_what_has_no_tokens_is_left_out():
    assert scores(axes(1), [1.0], {"without": NO_TOKENS, "with": axes(1)}) == pytest.approx({"with": 1.0})
    assert scores(axes(1), [1.0], {"without": NO_TOKENS}) == {}
    assert scores(axes(1), [1.0], {}) == {}
    assert scores(NO_TOKENS, [], {"with": axes(1)}) == {}
    assert scores(axes(1, 2), [0.0, 0.0], {"with": axes(1)}) == {}


def test_of_a_long_prompt_the_weightiest_tokens_count_and_the_first_of_equals():
    count = MOST_TOKENS + 8
    query, weights = axes(*range(count)), [1.0] * count
    first, beyond = axes(MOST_TOKENS - 1), axes(MOST_TOKENS)
    assert scores(query, weights, {"a": first, "b": beyond}) == pytest.approx({"a": 1 / MOST_TOKENS, "b": 0.0})
    weights[MOST_TOKENS] = 2.0
    found = scores(query, weights, {"a": first, "b": beyond})
    assert found == pytest.approx({"a": 0.0, "b": 2 / (MOST_TOKENS + 1)})


def spans_of(text: str, *tokens: str) -> list[tuple[int, int]]:
    place, found = 0, []
    for token in tokens:
        place = text.index(token, place)
        found.append((place, place + len(token)))
        place += len(token)
    return found


def test_every_piece_of_a_word_has_the_terms_of_the_whole_word():
    prompt = "Is Gdynia's NETSDK1005 fixed?"
    pieces = ("Is", "Gd", "ynia", "'", "s", "NET", "SDK", "100", "5", "fixed", "?")
    found = dict(zip(pieces, token_terms(prompt, spans_of(prompt, *pieces)), strict=True))
    assert found["Is"] == found["'"] == found["?"] == ()
    assert found["Gd"] == found["ynia"] == ("gdynia",)
    assert found["NET"] == found["5"]
    assert {"netsdk1005", "netsdk", "1005"} <= set(found["NET"])
    assert found["fixed"] == ("fix",)


def test_a_span_in_no_word_has_no_terms():
    assert token_terms("... !", [(0, 3), (4, 5)]) == [(), ()]
    assert token_terms("", []) == []
    assert token_terms("word", [(4, 4)]) == [()]


def test_punctuation_symbols_and_stop_words_of_a_chunk_are_zeros_and_words_of_every_script_stay():
    text = "the 40 € , हिन्दी : don ' t ？ 明 😀 and"
    spans = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    tokens = np.full((len(spans), 64), 7, np.int8)
    kept = late_interaction.without_fillers(text, tokens, spans)
    words = [text[start:end] for (start, end), row in zip(spans, kept, strict=True) if row.any()]
    assert words == ["40", "हिन्दी", "don", "t", "明"]
    assert kept[kept.any(axis=1)].tolist() == [[7] * 64] * 5
    assert tokens.all(), "what it was given stays"


def test_stop_words_are_those_of_the_language_and_of_english():
    text = "der Wirt und die Wirtin haben the keys"
    spans = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    kept = late_interaction.without_fillers(text, np.ones((len(spans), 64), np.int8), spans)
    assert [text[a:b] for (a, b), row in zip(spans, kept, strict=True) if row.any()] == ["Wirt", "Wirtin", "keys"]


@pytest.mark.parametrize("spans", [[(0, 1), (2, 3)], []], ids=["nothing else", "places unknown"])
def test_where_there_are_no_words_every_token_stays(spans: list[tuple[int, int]]):
    tokens = np.ones((2, 64), np.int8)
    assert late_interaction.without_fillers("? !", tokens, spans) is tokens


def test_a_token_weighs_as_much_as_the_rarest_term_of_its_word():
    terms = [(), ("log",), ("netsdk1005", "netsdk", "1005"), ("unheard",)]
    assert token_weights(terms, {"log": 1.5, "netsdk": 2.0, "netsdk1005": 6.0}) == [0.0, 1.5, 6.0, 0.0]


@pytest.mark.parametrize("idf", [{}, {"log": 0.0}])
def test_without_any_idf_all_tokens_weigh_the_same(idf):
    assert token_weights([(), ("log",), ("log",)], idf) == [1.0, 1.0, 1.0]
    assert token_weights([], idf) == []
