"""Our WordPiece says of any text what the library says of it, whose vocabulary takes a dozen megabytes more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from hookclaw_py.search.models import find_model
from hookclaw_py.search.wordpiece import WordPiece, open_tokenizer

MOST = 256
CONTENT = find_model("minilm-l6-notes-int8").checked("tokenizer.json").read_bytes()


@pytest.fixture(scope="module")
def ours() -> Any:
    found = open_tokenizer(CONTENT, MOST)
    assert isinstance(found, WordPiece)
    return found


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    found = Tokenizer.from_buffer(CONTENT)
    found.no_padding()
    found.enable_truncation(MOST)
    return found


def agree(ours: Any, theirs: Tokenizer, text: str) -> bool:
    def said(tokenizer: Any, framed: bool) -> tuple[Any, ...]:
        found = tokenizer.encode(text, add_special_tokens=framed)
        return found.ids, found.offsets, found.tokens, found.special_tokens_mask

    return all(said(ours, framed) == said(theirs, framed) for framed in (True, False))


@settings(max_examples=300)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_text_has_the_tokens_that_the_library_finds(ours: Any, theirs: Tokenizer, text: str):
    assert agree(ours, theirs, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Größter Schornsteinfeger, naïve ÀÉ x\u0300y ﬁ İstanbul",
        "物 ir 好的 mixed词 \x00a\ufffdb",
        "a [SEP] b [MASK]x[UNK]",
        "[x] [sep]",
        "x" * 100 + " " + "x" * 101 + " " + "é" * 100,
        "word " * 300,
        "unbelievably " * 100,
    ],
)
def test_so_do_texts_at_its_limits(ours: Any, theirs: Tokenizer, text: str):
    assert agree(ours, theirs, text)


def test_every_word_of_the_list_has_its_number_and_nothing_else_has_one(ours: Any):
    words = json.loads(CONTENT)["model"]["vocab"]
    assert [ours.token_to_id(word) for word in words] == list(words.values())
    assert not any(ours.token_to_id(f"{word}\x00") for word in words)


def test_a_tokenizer_of_another_kind_is_the_library_s_own():
    told = json.loads(CONTENT)
    told["model"] = {"type": "WordLevel", "vocab": {"[UNK]": 0, "hello": 1}, "unk_token": "[UNK]"}
    told["post_processor"] = None
    told["added_tokens"] = []
    found = open_tokenizer(json.dumps(told).encode(), MOST)
    assert isinstance(found, Tokenizer)
    assert found.encode("hello there").ids == [1, 0]
