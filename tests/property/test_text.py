"""What holds for the tokenizer whatever the text."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.text import fold, jaccard, raw_tokens, terms, words

SNIPPETS = st.sampled_from(
    [
        "the",
        "Zürich",
        "src/auth.ts",
        "NETSDK1005",
        "--no-cache",
        "日志",
        "ไทย",
        "журнал",
        "it's",
        "l’API",
        "_",
        "#",
        "C++",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aAé1._-/:@#'’\\+ 日ก\u0301\u093eй\n", max_size=60),
    st.lists(SNIPPETS, max_size=12).map(" ".join),
)
SETS = st.sets(st.sampled_from("abcdef"))


@given(TEXTS)
def test_terms_and_words_are_never_empty_and_hold_no_space(text: str) -> None:
    for token in [*terms(text), *words(text)]:
        assert token
        assert not any(character.isspace() for character in token)


@given(TEXTS)
def test_the_same_text_gives_the_same_terms(text: str) -> None:
    assert terms(text) == terms(text)
    assert [kind for kind, _ in raw_tokens(text) if kind not in ("word", "identifier", "run")] == []


@given(TEXTS)
def test_the_unicode_form_of_a_text_does_not_matter(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC"):
        assert terms(unicodedata.normalize(form, text)) == terms(unicodedata.normalize("NFC", text))


@given(TEXTS, TEXTS)
def test_the_words_of_two_lines_are_the_words_of_each(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == words(one) + words(other)


@given(st.lists(SNIPPETS, max_size=12))
def test_the_order_of_words_does_not_change_which_terms_there_are(snippets: list[str]) -> None:
    assert sorted(terms(" ".join(snippets))) == sorted(terms(" ".join(reversed(snippets))))


@given(st.text(max_size=80))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_folding_twice_is_folding_once_for_every_letter() -> None:
    for code in [*range(0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FA20)]:
        once = fold(chr(code))
        assert once == chr(code) or fold(once) == once, hex(code)


@given(SETS, SETS)
def test_jaccard_is_symmetric_within_0_and_1_and_1_only_for_equal_sets(a: set[str], b: set[str]) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0 <= jaccard(a, b) <= 1
    assert (jaccard(a, b) == 1) == (a == b and bool(a))


@given(SETS, SETS)
def test_jaccard_is_the_textbook_quotient(a: set[str], b: set[str]) -> None:
    assert jaccard(a, b) == (len(a & b) / len(a | b) if a | b else 0)
