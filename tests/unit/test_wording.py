"""What of a prompt's terms must be covered: words, in any language, and not what the tokenizer makes across them."""

from __future__ import annotations

import pytest

from hookclaw_py import Config, Engine, Outcome, text
from hookclaw_py.stages import wording


def counted(asked: str, notes: str) -> list[str]:
    """Return what counts of a prompt beside notes that have these words."""
    known = text.terms(notes).distinct
    return list(wording.counted(text.terms(asked), (asked, ""), known.intersection))


@pytest.mark.parametrize(
    ("asked", "notes", "expected"),
    [
        ("宝宝的预产期是什么时候", "宝宝 预产期", ["宝宝", "预产", "产期"]),
        ("签证要不要办", "签证：免签", ["签证", "要办"]),
        ("狗 药", "给狗的：半片", []),  # a character alone is a term only where it stands alone
        ("狗 药", "狗：半片", ["狗"]),
        ("家賃はいくらですか", "家賃 8万円", ["家賃"]),
        ("wie hoch ist die Miete für das Atelier", "Miete", ["hoch", "miet", "ateli"]),
        ("wieviel Tage haben die Kunden zum Zahlen", "Kunden, 30 Tage", ["tage", "kunden", "zahl"]),
        ("c'est combien déjà, les capteurs", "capteurs", ["capteur"]),
    ],
)
def test_what_no_note_has_counts_once_or_not_at_all(asked, notes, expected):
    assert counted(asked, notes) == expected


@pytest.mark.parametrize("asked", ["how many days do customers have to pay", "what is NETSDK1005", "签证", ""])
def test_words_of_an_english_prompt_and_whole_words_of_any_count_as_they_are(asked):
    assert counted(asked, "签证") == list(text.terms(asked))


def test_a_word_that_nobody_has_heard_of_is_missed_in_any_language():
    assert counted("wer ist Frau Schempp", "") == ["frau", "schempp"]
    assert {"护照", "到期"} <= set(counted("护照什么时候到期", "签证"))


def test_a_short_question_in_chinese_finds_its_line(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "悦悦.md").write_text(
        "# 悦悦\n\n- 在斯图加特做建筑师\n- 对芒果过敏，其他都吃\n- 预产期：六月十二日\n", encoding="utf-8"
    )
    for n in range(12):
        (notes / f"{n}.md").write_text(
            f"# 日记 {n}\n\n- 今天下雨，在家包饺子\n- 晚上看书，第 {n} 章\n", encoding="utf-8"
        )
    with Engine.in_memory(Config(reader="off")) as engine:
        engine.index(notes)
        answer = engine.recall("她的预产期是什么时候")
        assert answer.outcome is Outcome.INJECTED  # where "的预" and "期是" are missed, .43 is all that it gets
        assert "六月十二日" in answer.text
        assert engine.recall("他的护照什么时候到期").outcome is not Outcome.INJECTED
