"""What was read out of texts is kept for the next prompts, and not for good: a process that serves for months does not grow by it."""

from __future__ import annotations

import gc
import weakref

from hookclaw_py.kept import TEXTS, of_texts


class Read(frozenset[str]):
    """What was found in a text."""


def test_a_text_that_was_read_lately_is_not_read_again_and_one_of_long_ago_is_let_go():
    read = list[str]()

    @of_texts
    def words(body: str) -> Read:
        read.append(body)
        return Read(body.split())

    first = weakref.ref(words("standup moves to 08:45"))
    assert words("standup moves to 08:45") is first()
    assert len(read) == 1
    for number in range(TEXTS):
        words(f"note {number}")
    gc.collect()
    assert first() is None
    assert len(read) == 1 + TEXTS
