"""The chunker on any text at all."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from hookclaw_py.ingest.blocks import CODE, MAX_CHARS, MAX_TOKENS, MAX_WORDS
from hookclaw_py.ingest.length import length_of
from hookclaw_py.ingest.markdown import chunk_markdown, chunk_note
from hookclaw_py.model.types import Chunk

words = st.lists(
    st.sampled_from(
        [
            "alpha",
            "deploy",
            "logging",
            "NETSDK1005",
            "src/auth.ts",
            "we",
            "decided",
            "the.",
            "port:",
            "8080",
            "größe",
            "日志",
            "한국어",
        ]
    ),
    min_size=1,
    max_size=40,
).map(" ".join)
lines = st.one_of(
    words,
    words.map("- {}".format),
    words.map("  - {}".format),
    words.map("1. {}".format),
    words.map("> {}".format),
    words.map("    {}".format),
    words.map("| {} | b |".format),
    st.sampled_from(["", "", "", "---", "===", "```", "~~~py", "|---|---|", "- ", "* * *", "\t", "[a]: b", "<div>"]),
    st.builds(lambda n, w: f"{'#' * n} {w[:30]}", st.integers(1, 6), words),
)
notes = st.lists(lines, max_size=40).map("\n".join)


def chunks(text: str) -> list[Chunk]:
    return chunk_markdown(text, path="memory/a.md", created_at=None)


def body_lines(text: str) -> list[tuple[int, str]]:
    """Return the numbered lines that must be in some chunk: neither blank, nor marks only, nor part of a heading."""
    lines = text.split("\n")
    underlined = {n for n, line in enumerate(lines) if re.fullmatch(r" {0,3}(-+|=+)\s*", "".join(lines[n + 1 : n + 2]))}
    return [
        (n, line)
        for n, line in enumerate(lines, 1)
        if re.search(r"[^\W_]", line) and not line.lstrip().startswith("#") and n - 1 not in underlined
    ]


@settings(max_examples=150)
@given(notes)
def test_every_line_is_in_a_chunk_and_every_chunk_in_its_lines(text: str):
    source = text.split("\n")
    found = chunks(text)
    covered = {n for c in found for n in range(c.place.lines[0], c.place.lines[1] + 1)}
    assert {number for number, _ in body_lines(text)} <= covered
    for chunk in found:
        first, last = chunk.place.lines
        stretch = "\n".join(line.rstrip() for line in source[first - 1 : last])
        assert chunk.text in re.sub(r"\n{3,}", "\n\n", stretch)
        assert chunk.text.strip()


@settings(max_examples=150)
@given(notes)
@example("alpha\n---\nbeta")
def test_chunks_keep_the_order_of_the_text_and_lose_no_word(text: str):
    found = chunks(text)
    for before, after in pairwise(found):
        assert before.place.lines[1] <= after.place.lines[0]
    kept = " ".join(word for c in found for word in c.text.split())
    wanted = [word for _, line in body_lines(text) for word in line.split()]
    position = 0
    for word in wanted:
        position = kept.find(word, position)
        assert position >= 0, word


@settings(max_examples=100)
@given(notes, st.text(max_size=300))
@example(
    "# alpha\n# alpha alpha 한국어 한국어\n"
    + "alpha " * 26
    + "NETSDK1005 " * 11
    + "한국어 한국어\n"
    + "alpha " * 7
    + "NETSDK1005",
    "",
)
@example(
    "# we 日志日志日志日志日志 rc/auth.ts\n# port:oy loggin\n#### 한국어gging logging alpha deci\n# 日志 port:deploy the.\n"
    + "|we decided alpha größe NETSDK1005NETSDK1005NE"
    + "NETSDK1005" * 15
    + " decided|",
    "",
)  # a heading without a body stands between two that have none either
@example("```\n" + " ".join(["alpha"] * 12), "00000가가가00가가ɐɐɐɐɐɐ0000ɐɐ00:ɐ00ɐɐɐɐɔ")  # code stays whole
@example("", "\udc80\ud83d")
@example("", "0" * 3000)
@example("", "- a\n" + " " * 3000)
@example("", " " * 700 + "\x1c0" + "\t" * 700)
def test_no_chunk_is_over_the_limit_and_ids_are_distinct(text: str, anything: str):
    found = chunks(f"{text}\n{anything * 5}")
    for chunk in found:
        times = CODE if re.search(r"^ {0,3}(```|~~~)|^(    |\t)", chunk.text, re.M) else 1
        assert len(chunk.text.split()) <= times * MAX_WORDS
        assert len(chunk.text) <= MAX_CHARS
        assert length_of(chunk.heading).tokens + length_of(chunk.text).tokens <= times * MAX_TOKENS
        assert int(chunk.id, 16) < 2**63
    assert len({c.id for c in found}) == len(found)


@settings(max_examples=200)
@given(st.text(), st.sampled_from(["", "---\n", "# ", "- ", "```", "<!--", "\ufeff---\ndate: "]), st.booleans())
@example("\x00\x0b\x0c\x1c\x85\u2028", "- ", False)
@example("\n---\nx", "---\n? !!python/object:os.system", False)
def test_no_text_is_too_strange(text: str, start: str, evergreen: bool):
    note = chunk_note(start + text, path="memory/a.md", evergreen=evergreen)
    assert chunk_note(start + text, path="memory/a.md", evergreen=evergreen) == note
    for chunk in note.chunks:
        assert not any(" " in term for term in chunk.terms)


@settings(max_examples=100)
@given(notes, words, notes)
def test_an_edit_leaves_the_ids_of_other_sections_alone(above: str, edit: str, below: str):
    above = re.sub("```|~~~", "", above)  # an open code block would swallow the sections below

    def note(middle: str) -> str:
        return f"# Above\n\nx\n\n{above}\n\n# Middle\n\n{middle}\n\n# Below\n\nx {below}\n"

    def outside(text: str) -> list[str]:
        return [c.id for c in chunks(text) if not c.heading.startswith("Middle")]

    assert outside(note(edit)) == outside(note(f"{edit}\n\nand {edit}"))
