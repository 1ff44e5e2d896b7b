"""What every reader must do, and ours: the real model reads a prompt beside a passage."""

from __future__ import annotations

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from hookclaw_py.errors import IndexClosedError, ModelError, RetrievalError
from hookclaw_py.search import loading
from hookclaw_py.search.cross_encoder import PASSAGE, CrossEncoder, best_window, cut_passage, cut_prompt, cuts_of
from hookclaw_py.search.models import find_model
from hookclaw_py.search.onnx_runtime import open_tokenizer
from hookclaw_py.search.ports import Excerpt, Reader
from hookclaw_py.trace import Deadline

BOILER = Excerpt("Boiler\nAnna picked the Vaillant. 18,400 incl. montage, installed 3 May, warranty ten years.")
STANDUP = Excerpt("2026-03-02\nStandup with Anna, nothing new. Dentist moved to Friday.")


@pytest.fixture(scope="module")
def reader():
    with_model = CrossEncoder(find_model(loading.READER))
    yield with_model
    with_model.close()


def test_it_tells_the_passage_that_answers_from_one_that_does_not(reader: Reader):
    answers, mentions = reader.read("what did we pay for the boiler", [BOILER, STANDUP])
    assert answers > 0 > mentions


def test_it_reads_as_its_fp32_original_did(reader: Reader):
    model = find_model(loading.READER)
    tried = [json.loads(line) for line in model.checked("check.jsonl").read_text().splitlines()]
    assert len(tried) >= 20
    apart = [abs(reader.read(row["prompt"], [Excerpt(row["passage"])])[0] - row["fp32"]) for row in tried]
    assert sum(apart) / len(apart) < 0.3
    assert max(apart) < 1.5


def test_what_it_leaves_out_of_its_last_layer_changes_nothing_that_it_says(reader: Reader):
    whole = [2.61778, -3.13885]  # of the same weights, when every token went through all of it
    assert reader.read("what did we pay for the boiler", [BOILER, STANDUP]) == pytest.approx(whole, abs=1e-3)


def test_a_passage_is_read_alike_whatever_is_read_beside_it(reader: Reader):
    alone = reader.read("boiler price", [BOILER])
    assert reader.read("boiler price", [STANDUP, BOILER])[1:] == alone
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: reader.read("boiler price", [BOILER])[0], range(16))) == set(alone)


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n", "\0", "🦊" * 500, "a" * 100_000, "\ud800 half", "中文" * 4000, "word " * 20_000, "\n\n\n# x"],
)
def test_whatever_a_note_holds_it_is_read(reader: Reader, text):
    (logit,) = reader.read("what did we pay for the boiler", [Excerpt(text)])
    assert logit < 1
    assert len(reader.read(text, [BOILER])) == 1


def test_there_is_no_time_after_the_deadline(reader: Reader):
    with pytest.raises(RetrievalError, match="deadline"):
        reader.read("boiler price", [BOILER], Deadline(0))


def test_a_reader_that_nobody_waits_for_stops(reader: Reader):
    deadline, stopped = Deadline(60_000), threading.Event()

    def read():
        try:
            reader.read("boiler price", [BOILER] * 100_000, deadline)
        except RetrievalError:
            stopped.set()

    thread = threading.Thread(target=read)
    thread.start()
    deadline.cancel()
    thread.join(30)
    assert stopped.is_set()


def test_a_closed_reader_says_so():
    closed = CrossEncoder(find_model(loading.READER))
    closed.close()
    closed.close()
    with pytest.raises(IndexClosedError, match=r"after close\(\)"):
        closed.read("boiler price", [BOILER])


def test_models_with_the_same_words_read_them_once(tmp_path):
    model = find_model(loading.READER)
    shutil.copytree(model.folder, tmp_path / "other")
    other = find_model(str(tmp_path / "other"))
    shorter = replace(other, manifest=other.manifest.model_copy(update={"max_tokens": 8}))
    assert open_tokenizer(other) is open_tokenizer(model)
    assert open_tokenizer(shorter) is not open_tokenizer(model)
    text = "a passage of more words than eight is read to its end by one of both"
    assert len(open_tokenizer(model).encode(text).ids) > len(open_tokenizer(shorter).encode(text).ids) == 8


def test_an_embedder_is_no_reader():
    with pytest.raises(ModelError, match="token_type_ids"):
        CrossEncoder(find_model("minilm-l6-notes-int8"))


class Letters:
    """A tokenizer for which each letter is a token."""

    def encode(self, text, **_):
        spans = [(n, n + 1) for n in range(len(text))]
        return type("Encoding", (), {"ids": [ord(letter) for letter in text], "offsets": spans})


def read_of(passage: str, where: str = "") -> str:
    """Return what is read of a passage that matches the prompt in one place, or nowhere."""
    at = passage.find(where) if where else len(passage)
    matches = [0.0] * at + [1.0] * len(where) + [0.0] * (len(passage) - at - len(where)) if where else ()
    return "".join(map(chr, cut_passage(Letters(), Excerpt(passage, matches))))


LIST = "Heat pump\n- OFFER of Vaillant\n- plumber Ottokar\n- filter each December. The manual is in the cellar"


def test_of_a_passage_its_first_line_and_the_line_that_matches_best_are_read():
    assert read_of(LIST, "Ottokar") == "Heat pump- plumber Ottokar\n"
    assert read_of(LIST, "OFFER") == "Heat pump- OFFER of Vaillant\n"
    assert read_of(LIST, "manual") == "Heat pumpThe manual is in the cellar"
    assert read_of("plumber Ottokar, 0171", "Ottokar") == "plumber Ottokar, 0171"


CARD = "Smaak & Zo\nType: catering\nContact: Femke\nPhone: 010 555 0142\nRating: 4\n\nMinimum 60 guests"


def cuts(passage: str, where: str) -> list[str]:
    at = passage.find(where)
    matches = [0.0] * at + [1.0] * len(where) + [0.0] * (len(passage) - at - len(where))
    return ["".join(map(chr, cut)) for cut in cuts_of(Letters(), Excerpt(passage, matches))]


def test_a_card_of_fields_is_read_as_a_whole_too():
    line, card = cuts(CARD, "Femke")
    assert line == "Smaak & ZoContact: Femke\n"
    assert "Contact: Femke\nPhone: 010 555 0142" in card
    assert "Minimum" not in card
    assert cuts(CARD, "Minimum") == ["Smaak & ZoMinimum 60 guests"]


TABLE = "Loggers\n| site | gallery | logger |\n|---|---|---|\n| D1 | Sala | 4412 |\n| D3 | Fang | 4417. Slow |\n\nAll: 15 minutes"


def test_a_row_of_a_table_is_read_with_the_names_of_its_columns():
    assert cuts(TABLE, "4417") == ["Loggerssite: D3, gallery: Fang, logger: 4417. Slow"]
    assert cuts(TABLE, "15 minutes") == ["LoggersAll: 15 minutes"]


def test_the_names_of_columns_are_never_the_line_that_is_read():
    at, row = TABLE.find("logger |"), TABLE.find("D3")
    matches = [1.0 if at <= n < at + 6 else 0.5 if row <= n < row + 2 else 0.0 for n in range(len(TABLE))]
    assert "".join(map(chr, cut_passage(Letters(), Excerpt(TABLE, matches)))).startswith("Loggerssite: D3")


def test_where_the_names_of_columns_match_best_a_row_is_read_and_no_line_beside_the_table():
    at, row, beside = TABLE.find("logger |"), TABLE.find("D3"), TABLE.find("All")
    matches = [1.0 if at <= n < at + 6 else 0.5 if row <= n < row + 2 else 0.0 for n in range(len(TABLE))]
    matches[beside : beside + 3] = [0.9] * 3
    assert "".join(map(chr, cut_passage(Letters(), Excerpt(TABLE, matches)))).startswith("Loggerssite: D3")


def test_where_the_names_of_columns_match_best_a_row_behind_an_empty_one_is_read_too():
    table = TABLE.replace("| D3", "| | | |\n| D3")
    at, row = table.find("logger |"), table.find("D3")
    matches = [1.0 if at <= n < at + 6 else 0.5 if row <= n < row + 2 else 0.0 for n in range(len(table))]
    assert "".join(map(chr, cut_passage(Letters(), Excerpt(table, matches)))).startswith("Loggerssite: D3")


def test_what_a_cell_says_is_understood_by_the_name_of_its_column(reader: Reader):
    def said(asked: str, row: str) -> float:
        table = f"Partition coefficients\n| element | D at 10 °C | D at 20 °C |\n| --- | --- | --- |\n{row}"
        found = open_tokenizer(find_model(loading.READER)).encode(table, add_special_tokens=False)
        matches = [float(start >= table.index(row)) for start, _ in found.offsets]
        (logit,) = reader.read(asked, [Excerpt(table, matches)])
        return logit

    assert (
        said("D of Ba at 10 degrees", "| Ba | 0.010 | 0.011 |")
        > 0
        > said("D of Mn at 10 degrees", "| Ba | 0.010 | 0.011 |")
    )


TALK = "May\nUser: the agency wrote\nAssistant: Rent is 1424. From July.\nUser: E18 again\nAssistant: Clean the filter."


def test_what_was_said_is_read_with_its_answer_too():
    """Of "the agency wrote" alone nobody hears of the rent, nor of "1424" who said so."""
    assert cuts(TALK, "agency") == [
        "MayUser: the agency wrote\n",
        "MayUser: the agency wrote\nAssistant: Rent is 1424. From July.\n",
    ]
    assert cuts(TALK, "filter") == [
        "MayAssistant: Clean the filter.",
        "MayUser: E18 again\nAssistant: Clean the filter.",
    ]
    assert cuts("May\nUser: E18 again", "E18") == ["MayUser: E18 again"]


def test_lines_that_speak_each_of_something_else_are_no_card():
    for text in (
        LIST,
        "Codes\nAlarm: 7302. Safe: ask Ann.\nBox of the cottage: 0914.",
        "Gifts\n- Ann: a scarf\n- Bo: a lamp",
        "Rent\nFrom May: 975\nand no more",
    ):
        assert len(cuts(text, text.split("\n")[1][2:6])) == 1


def test_whose_number_it_is_stands_in_another_field(reader: Reader):
    found = open_tokenizer(find_model(loading.READER)).encode(CARD, add_special_tokens=False)
    matches = [
        float(CARD[start:end].lower() in ("femke", "fe", "##mk", "mk", "##e", "phone")) for start, end in found.offsets
    ]
    (whole,) = reader.read("phone nr femke", [Excerpt(CARD, matches)])
    lines = [Excerpt("Smaak & Zo\nContact: Femke"), Excerpt("Smaak & Zo\nPhone: 010 555 0142")]
    assert whole > max(reader.read("phone nr femke", lines)) + 2


def test_of_a_long_line_what_matches_best_is_read():
    text = "Heat pump\n" + "a" * 100 + "OFFER" + "b" * 100
    read = read_of(text, "OFFER")
    assert read.startswith("Heat pump")
    assert "OFFER" in read
    assert len(read) == PASSAGE


def test_where_nothing_matches_the_beginning_is_read():
    assert read_of("Heat pump\n" + "a" * 100) == "Heat pump\n" + "a" * (PASSAGE - 10)
    assert read_of("short") == "short"


def test_of_a_long_prompt_both_ends_are_read():
    read = cut_prompt([*range(100)])
    assert (read[0], read[-1]) == (0, 99)
    assert cut_prompt([1, 2, 3]) == [1, 2, 3]


def test_the_first_of_equal_windows_is_taken():
    assert best_window([0, 1, 0, 0, 1, 0], 2) == 0
    assert best_window([0, 0, 0, 1, 1, 0], 2) == 3
    assert best_window([1, 1], 2) == 0
