"""What is not to be kept: private parts, what comes back of them, secrets.

Rows C7 and C8 of the capture specification; its vectors 1 to 6 and 8, defects 3 and 19.
"""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookclaw_py.privacy.marked import covered, private_blanked, recognisable, without_marked

MARKED = [
    ("a <private>x</private> b", "a b"),  # vector 1
    ("<private>a<private>b</private>c</private>d", "d"),  # 2
    ("x <private>k", "x"),  # 3
    ('<private why="hr">a</private>b', "b"),
    ("<private>1", ""),  # 4, each leaf by itself
    ("2</private>", "2"),
    ("How does `<private>` work?", "How does `<private>` work?"),  # 5
    ("<private>pw hunter2-Q9</private> log in", "log in"),  # 6
    ("<PRIVATE>a</Private>", ""),  # 7
    ("a\n<private>\nx\n</private>\nb", "a\nb"),
    ("a<private>x</private>b", "ab"),
    ("a <private>x</private> <private>y</private> b", "a b"),
    ("one `<private>two` three</private> four", "one ` four"),  # it is closed: it is no lone one
    ("before <system-reminder>be brief</system-reminder> after", "before after"),
    ("<system_instruction>x</system_instruction>y", "y"),
    ("<claude-mem-context><private>a</private>b</claude-mem-context>c", "c"),
    ("<privateer>stays</privateer> and a < b", "<privateer>stays</privateer> and a < b"),
]


@pytest.mark.parametrize(("written", "kept"), MARKED)
def test_what_is_marked_goes_with_its_tags(written: str, kept: str):
    """C7, vectors 1 to 7; nested and unclosed tags do not leak (defect 3)."""
    assert without_marked(written).text == kept


def test_only_what_a_person_marked_is_private():
    found = without_marked("<private>a<private>b</private></private> <system-reminder>c</system-reminder>")
    assert [part.split() for part in found.private] == [["a", "b"]]


def test_what_was_private_in_a_prompt_comes_back_covered():
    """C7, vector 6."""
    known = recognisable(without_marked("<private>pw hunter2-Q9</private> log in").private)
    assert covered("login hunter2-Q9 ok", known) == "login [private] ok"
    assert covered("it said: pw hunter2-Q9.", known) == "it said: [private]."
    assert covered("password hunters", known) == "password hunters"


def test_words_that_anybody_uses_are_not_covered():
    known = recognisable(["my brother Sebastian has the code 4711-9-22, ok\nno"])
    assert covered("Sebastian came, ok, no", known) == "Sebastian came, ok, no"
    assert covered("the code was 4711-9-22", known) == "the code was [private]"


@pytest.mark.parametrize(
    ("private", "back"),
    [
        ("青松医院血液科预约", "好的，我把青松医院血液科预约安排在周二。"),
        ("肝癌", "他得了肝癌，要休息"),
        ("松本クリニックの予約", "はい、松本クリニックの予約を入れました"),
        ("นัดหมอโรคเลือด", "ผมจะจัดนัดหมอโรคเลือดวันอังคาร"),
        ("서울병원 예약", "네, 서울병원 예약을 잡았어요"),
        ("密码 hunter2-Q9", "我记下了密码hunter2-Q9。"),
        ("电话13800138000转12", "请打13800138000找他"),
    ],
)
def test_what_was_private_comes_back_covered_in_a_script_without_blanks(private: str, back: str):
    known = recognisable([private])
    assert "[private]" in covered(back, known)
    assert not any(one in covered(back, known) for one in known)
    assert covered("好的，周二见。はい。ครับ 네", known) == "好的，周二见。はい。ครับ 네"


def test_no_part_of_a_word_is_covered_where_words_have_blanks():
    assert covered("a rotten one, rot3", recognisable(["rot"])) == "a rotten one, rot3"
    assert covered("the rot, 又rot了", recognisable(["rot"])) == "the [private], 又[private]了"


TAGS = ["<private>", "</private>", "<PRIVATE x='1'>", "<system-reminder>", "</system-reminder>", "`", " ", "\n"]


@given(st.lists(st.sampled_from([*TAGS, "word", "x"]), max_size=12))
def test_whatever_stands_between_an_opening_and_its_closing_is_gone(parts: list[str]):
    around = "".join(parts)
    assert "hunter2-Q9" not in without_marked(f"{around}<private>hunter2-Q9</private>{around}").text
    once = without_marked(around).text
    assert "word" not in once or "word" in around


@pytest.mark.parametrize(
    "one", ["<private/>", "a <private/> ", "</private>", "<private>x</private> ", "`<private>` ", "<system-reminder/>"]
)
def test_a_text_of_very_many_tags_is_read_at_once(one: str):
    began = process_time()
    without_marked(one * 30_000)
    private_blanked(one * 30_000)
    assert process_time() - began < 5, "a tenth of a second, where every tag does not look at all behind it"
