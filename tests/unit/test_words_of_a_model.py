"""The rows of a model's table of words come out of its file as they stand there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.errors import RetrievalError
from hookclaw_py.search.words import Words

AT, WIDTH = 5, 4
TABLE = np.arange(-40, 40, dtype=np.int8).reshape(20, WIDTH)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("words") / "model.weights"
    file.write_bytes(b"x" * AT + TABLE.tobytes())
    return file


@settings(max_examples=50)
@given(texts=st.lists(st.lists(st.integers(0, 19), max_size=12), max_size=6), most=st.integers(0, 20))
def test_rows_are_those_of_the_table_however_many_are_kept(file: Path, texts: list[list[int]], most: int):
    words = Words(file, AT, WIDTH, most=most)
    for ids in texts:
        assert np.array_equal(words.of(ids), TABLE[ids][None])


def test_a_row_that_was_read_is_not_read_again(file: Path, tmp_path: Path):
    copy = tmp_path / "model.weights"
    copy.write_bytes(file.read_bytes())
    words = Words(copy, AT, WIDTH)
    words.of([3])
    os.truncate(copy, AT)
    assert np.array_equal(words.of([3, 3]), TABLE[[3, 3]][None])
    with pytest.raises(RetrievalError, match=r"model\.weights: ends before the row of word 4"):
        words.of([3, 4])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux says there what is open")
def test_the_file_is_closed_with_its_words(file: Path):
    before = len(os.listdir("/proc/self/fd"))
    words = Words(file, AT, WIDTH)
    assert len(os.listdir("/proc/self/fd")) == before + 1
    del words
    assert len(os.listdir("/proc/self/fd")) == before
