"""What every lexical backend promises, checked on each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hookclaw_py.errors import IndexClosedError, RetrievalError, WriterBusyError
from hookclaw_py.search.local.rank_bm25_index import RankBM25Index
from hookclaw_py.search.local.tantivy_index import TantivyIndex
from hookclaw_py.search.ports import LexicalIndex
from hookclaw_py.text import terms

CONTEXT_BOOST = 4.0

BACKENDS: dict[str, Callable[[Path], LexicalIndex]] = {
    "rank-bm25": lambda _: RankBM25Index(),
    "tantivy in memory": lambda _: TantivyIndex(None),
    "tantivy on disk": TantivyIndex,
}

A, B, C, D = (f"{n:016x}" for n in (0xA, 0xB, 0xC, 0x7FFFFFFFFFFFFFFF))
REFERENCE = {
    A: "the deploy script failed with netsdk1005 on build",
    B: "we decided to use structured logging with serilog",
    C: "logging format is json and the logging level is info",
    D: "deploy the api to staging",
}


@pytest.fixture(params=BACKENDS)
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LexicalIndex]:
    opened = BACKENDS[request.param](tmp_path / "index")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def fill(index: LexicalIndex, texts: dict[str, str], generation: int = 1) -> None:
    for chunk_id, text in texts.items():
        index.add(chunk_id, text.split(), [])
    index.commit(generation)


def found(index: LexicalIndex, text: str, top_k: int = 10) -> list[str]:
    return [hit.chunk_id for hit in index.search(text.split(), top_k, context_boost=CONTEXT_BOOST)]


def test_scores_are_the_reference_vectors_of_okapi_bm25(index: LexicalIndex) -> None:
    """keep: BM25 (k1 1.2, b .75)."""
    fill(index, REFERENCE)
    assert dict(index.search(["logging", "format"], 10, context_boost=CONTEXT_BOOST)) == pytest.approx(
        {C: 1.957289, B: 0.684119}, abs=5e-6
    )
    assert dict(index.search(["deploy", "netsdk1005"], 10, context_boost=CONTEXT_BOOST)) == pytest.approx(
        {A: 1.872411, D: 0.810851}, abs=5e-6
    )


def test_an_exact_identifier_in_a_note_is_found_by_keywords_alone(index: LexicalIndex) -> None:
    """Mend 2: the keyword index adds chunks on its own."""
    for chunk_id, text in REFERENCE.items():
        index.add(chunk_id, terms(text), [])
    index.commit(1)
    assert [hit.chunk_id for hit in index.search(terms("What about NETSDK1005?"), 3, context_boost=CONTEXT_BOOST)] == [
        A
    ]


def test_hits_come_best_first_each_once_and_at_most_top_k(index: LexicalIndex) -> None:
    fill(index, {f"{n:016x}": "deploy " * (n % 7) + "filler " * (n % 11) for n in range(60)})
    whole = index.search(["deploy", "filler"], 1000, context_boost=CONTEXT_BOOST)
    assert len({hit.chunk_id for hit in whole}) == len(whole) == 59
    assert [hit.score for hit in whole] == sorted((hit.score for hit in whole), reverse=True)
    for top_k in range(len(whole) + 2):
        assert index.search(["deploy", "filler"], top_k, context_boost=CONTEXT_BOOST) == whole[:top_k]


def test_equal_scores_are_ordered_by_id_also_across_the_cut(index: LexicalIndex) -> None:
    for n in (5, 3, 9, 1, 7):
        for offset in (0, 100, 200):
            index.add(f"{n + offset:016x}", ["same", "words", "here"], [])
        index.commit(n)  # several segments
    everything = sorted(f"{n + offset:016x}" for n in (5, 3, 9, 1, 7) for offset in (0, 100, 200))
    assert found(index, "words", 100) == everything
    assert found(index, "words same here", 4) == everything[:4]


def test_more_ties_than_are_fetched_at_first_still_end_in_the_lowest_ids(index: LexicalIndex) -> None:
    for n in reversed(range(300)):
        index.add(f"{n:016x}", ["tie"], [])
    index.commit(1)
    assert found(index, "tie", 3) == [f"{n:016x}" for n in range(3)]


def test_a_search_for_ten_thousand_is_answered(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    assert len(index.search(["deploy", "logging"], 10_000, context_boost=CONTEXT_BOOST)) == 4


def test_an_empty_index_finds_nothing(index: LexicalIndex) -> None:
    assert index.search(["anything"], 10, context_boost=CONTEXT_BOOST) == []
    assert index.generation == 0
    assert index.idf(["anything"]) == pytest.approx({"anything": 0.6931}, abs=1e-4)  # ln(1 + .5/.5)


def test_no_terms_unknown_terms_and_no_room_find_nothing(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    assert index.search([], 10, context_boost=CONTEXT_BOOST) == []
    assert index.search(["zebra", "quagga"], 10, context_boost=CONTEXT_BOOST) == []
    assert index.search(["deploy"], 0, context_boost=CONTEXT_BOOST) == []
    assert index.search(["deploy"], -1, context_boost=CONTEXT_BOOST) == []


def test_chunks_without_terms_are_kept_and_never_found(index: LexicalIndex) -> None:
    index.add(A, [], [])
    index.commit(1)
    assert index.search(["deploy"], 10, context_boost=CONTEXT_BOOST) == []
    index.add(B, ["deploy"], [])
    index.commit(2)
    assert found(index, "deploy") == [B]


HOSTILE = [
    '"a AND (',
    "*",
    "title:",
    "\0",
    "\0a\n b",
    " ",
    "",
    "🚀",
    "terms:deploy",
    "[a TO b]",
    "a~2",
    "+-^",
    "\ud7ff",
    "🏳️‍🌈",
]


@pytest.mark.parametrize("term", HOSTILE)
def test_query_syntax_is_a_term_like_any_other(index: LexicalIndex, term: str) -> None:
    index.add(A, ["deploy", term], [])
    index.add(B, ["deploy", "other"], [])
    index.add(C, ["deploy"], ["deploy", term])
    index.commit(1)
    assert {hit.chunk_id for hit in index.search([term], 10, context_boost=CONTEXT_BOOST)} == {A, C}
    index.delete(A)
    index.delete(C)
    index.commit(2)
    assert index.search([term], 10, context_boost=CONTEXT_BOOST) == []


def test_a_huge_term_and_a_huge_query_are_answered(index: LexicalIndex) -> None:
    fill(index, {A: "x" * 100_000 + " deploy", B: "я" * 100_000, C: "deploy"})
    assert found(index, "x" * 100_000) == [A]
    assert found(index, "я" * 100_000) == [B]
    assert set(found(index, "deploy " + " ".join(f"w{n}" for n in range(10_000)))) == {A, C}
    assert set(found(index, "deploy " * 10_000)) == {A, C}


def test_a_term_asked_for_twice_counts_twice(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    once, twice = (
        index.search(["staging"], 1, context_boost=CONTEXT_BOOST)[0].score,
        index.search(["staging", "staging"], 1, context_boost=CONTEXT_BOOST)[0].score,
    )
    assert twice == pytest.approx(2 * once, rel=1e-5)


def test_what_stands_around_a_chunk_finds_it_behind_the_chunk_that_says_it_itself(index: LexicalIndex) -> None:
    index.add(A, ["question"], ["question", "staging"])
    index.add(B, ["staging"], ["question", "staging"])
    index.add(C, ["other"], ["other", "monday"])
    index.commit(1)
    assert found(index, "staging") == [B, A]
    assert found(index, "monday") == [C]


def test_a_score_is_that_of_the_terms_and_the_boosted_one_of_the_context(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    own = dict(index.search(["logging", "deploy"], 10, context_boost=CONTEXT_BOOST))
    for chunk_id in REFERENCE:
        index.delete(chunk_id)
        index.add(f"{int(chunk_id, 16) - 1:016x}", [], REFERENCE[chunk_id].split())
    index.commit(2)
    around = {
        f"{int(hit.chunk_id, 16) + 1:016x}": hit.score
        for hit in index.search(["logging", "deploy"], 10, context_boost=CONTEXT_BOOST)
    }
    assert around == pytest.approx({chunk_id: CONTEXT_BOOST * score for chunk_id, score in own.items()}, rel=1e-5)


def test_a_term_weighs_by_the_chunks_that_say_it_themselves(index: LexicalIndex) -> None:
    for chunk_id, text in REFERENCE.items():
        index.add(chunk_id, text.split(), [*text.split(), "json", "zebra"])
    index.commit(1)
    assert index.idf(["json", "zebra"]) == pytest.approx({"json": 1.20397, "zebra": 2.30259}, abs=1e-5)


def test_a_replaced_chunk_is_no_longer_found_by_what_stood_around_it(index: LexicalIndex) -> None:
    index.add(A, ["deploy"], ["deploy", "staging"])
    index.commit(1)
    index.add(A, ["deploy"], ["deploy", "friday"])
    index.commit(2)
    assert (found(index, "staging"), found(index, "friday")) == ([], [A])
    index.delete(A)
    index.commit(3)
    assert found(index, "friday") == []


def test_a_deleted_chunk_is_never_returned(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    index.delete(A)
    index.delete("0" * 16)  # was never there
    index.commit(2)
    assert found(index, "deploy netsdk1005") == [D]


def test_a_replaced_chunk_is_returned_once_with_its_new_terms(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    index.add(A, ["rollback", "deploy"], [])
    index.add(A, ["rollback", "plan"], [])
    index.commit(2)
    assert found(index, "rollback") == [A]
    assert found(index, "deploy netsdk1005") == [D]


def test_a_chunk_deleted_and_added_again_is_there(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    index.delete(A)
    index.add(A, ["netsdk1005"], [])
    index.commit(2)
    assert found(index, "netsdk1005") == [A]
    index.add(A, ["netsdk1005"], [])
    index.delete(A)
    index.commit(3)
    assert found(index, "netsdk1005") == []


def test_a_cleared_index_is_empty_after_commit_and_can_be_filled_again(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    index.add(A, ["pending"], [])
    index.clear()
    index.add(B, ["fresh"], [])
    assert found(index, "staging") == [D]
    index.commit(2)
    assert found(index, "pending deploy staging fresh logging") == [B]
    assert index.idf(["fresh"]) == pytest.approx({"fresh": 0.28768}, abs=1e-5)  # 1 of 1


def test_changes_are_seen_after_commit_and_so_is_the_generation(index: LexicalIndex) -> None:
    index.add(A, ["deploy"], [])
    assert (found(index, "deploy"), index.generation) == ([], 0)
    index.commit(7)
    assert (found(index, "deploy"), index.generation) == ([A], 7)
    index.commit(8)
    assert (found(index, "deploy"), index.generation) == ([A], 8)
    index.commit(8)
    assert index.generation == 8


def test_repeating_the_same_changes_changes_nothing(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    fill(index, REFERENCE, generation=2)
    assert found(index, "deploy", 50) == [D, A]
    assert index.idf(["deploy"]) == pytest.approx({"deploy": 0.6931}, abs=1e-4)  # 2 of 4


def test_idf_counts_living_chunks_right_after_a_delete(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    assert index.idf(["deploy", "json", "zebra", "json"]) == pytest.approx(
        {"deploy": 0.69315, "json": 1.20397, "zebra": 2.30259}, abs=1e-5
    )
    index.delete(A)
    index.commit(2)
    assert index.idf(["deploy", "netsdk1005"]) == pytest.approx({"deploy": 0.98083, "netsdk1005": 2.07944}, abs=1e-5)
    for chunk_id in (B, C, D):
        index.delete(chunk_id)
    index.commit(3)
    assert index.idf(["deploy"]) == pytest.approx({"deploy": 0.6931}, abs=1e-4)
    assert index.search(["deploy"], 5, context_boost=CONTEXT_BOOST) == []


def test_a_closed_index_says_so(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    index.add(A, ["pending"], [])
    index.close()
    index.close()
    calls: list[Callable[[], object]] = [
        lambda: index.search(["deploy"], 1, context_boost=CONTEXT_BOOST),
        lambda: index.idf(["deploy"]),
        lambda: index.add(A, ["deploy"], []),
        lambda: index.delete(A),
        lambda: index.commit(3),
    ]
    for call in calls:
        with pytest.raises(IndexClosedError, match="closed"):
            call()


def test_searches_go_on_while_another_thread_writes(index: LexicalIndex) -> None:
    fill(index, REFERENCE)

    def search(_: int) -> bool:
        hits = index.search(["logging", "format", "deploy"], 10, context_boost=CONTEXT_BOOST)
        return {hit.chunk_id for hit in hits} >= {A, B, C, D} and bool(index.idf(["deploy"]))

    with ThreadPoolExecutor(3) as pool:
        answers = pool.map(search, range(200))
        for generation in range(2, 8):
            fill(index, {f"{generation:016x}": "unrelated words"}, generation)
        assert all(answers)


CORPUS = {
    "de": "Wir haben uns gegen Kubernetes entschieden, weil der Betrieb für uns zu teuer wäre.",
    "de2": "Die Datenbank läuft auf einem eigenen Server, die Migrationen liegen im Ordner db.",
    "de3": "Das Logging schreibt eine Zeile je Objekt, und die Überwachung liest sie.",
    "de4": "Das Treffen mit Zürich ist am Dienstag, bitte die Unterlagen mitbringen.",
    "ru": "Мы решили использовать журнал для всех изменений.",
    "ru2": "Сервер базы данных стоит в Москве, резервные копии каждую ночь.",
    "ru3": "Новый пароль хранится в сейфе у администратора.",
    "zh": "我们决定使用结构化日志。",
    "zh2": "数据库服务器在东京,备份每天进行。",
    "zh3": "下周二与设计团队开会讨论颜色。",
    "ja": "ログの形式はJSONに決定しました。",
    "ko": "로그 형식은 JSON으로 결정했습니다.",
    "th": "เราตัดสินใจใช้บันทึกแบบมีโครงสร้าง",
    "fr": "Nous avons choisi l'authentification par jeton pour l'API du café.",
    "es": "La decisión fue guardar las contraseñas cifradas en el servidor.",
    "en": "We decided to use structured logging, one object a line.",
    "en2": "The migration of the database takes place on Friday night.",
    "en3": "Caroline's YouTube channel and the iPhone app share one login.",
}
PROMPTS = [
    ("Entscheidung Kubernetes", "de"),
    ("Warum haben wir uns gegen Kubernetes entschieden?", "de"),
    ("Migration Datenbank Ordner", "de2"),
    ("Wo liegen die Datenbankmigrationen? Server Ordner", "de2"),
    ("Logging Überwachung", "de3"),
    ("logging zeile objekt", "de3"),
    ("wann ist das treffen mit zurich", "de4"),
    ("решение о журнале", "ru"),
    ("Что мы решили про журналы?", "ru"),
    ("где новые пароли", "ru3"),
    ("日志格式决定", "zh"),
    ("我们什么时候决定使用结构化日志?", "zh"),
    ("数据库在哪里?", "zh2"),
    ("ログ形式の決定", "ja"),
    ("로그 형식 결정", "ko"),
    ("บันทึกแบบมีโครงสร้าง", "th"),
    ("authentification de l’API", "fr"),
    ("CAFE", "fr"),
    ("contrasenas del servidor", "es"),
    ("structured logs decision", "en"),
    ("databases migrations friday", "en2"),
    ("ｙｏｕｔｕｂｅ channels", "en3"),
    ("iphone", "en3"),
]


@pytest.mark.parametrize(("prompt", "expected"), PROMPTS)
def test_a_note_is_found_in_its_own_language(index: LexicalIndex, prompt: str, expected: str) -> None:
    """Mend 9, and: CJK, German, Russian and accented text find what they should."""
    ids = {name: f"{number:016x}" for number, name in enumerate(CORPUS)}
    for name, text in CORPUS.items():
        index.add(ids[name], terms(text), [])
    index.commit(1)
    assert index.search(terms(prompt), 5, context_boost=CONTEXT_BOOST)[0].chunk_id == ids[expected]


WORDS = st.sampled_from(["deploy", "logging", "json", "日志", "a b", "é"])
IDS = st.integers(0, 7).map(lambda n: f"{n:016x}")
CHANGES = st.one_of(
    st.tuples(st.just("add"), IDS, st.lists(WORDS, max_size=5)),
    st.tuples(st.just("delete"), IDS, st.just([])),
    st.tuples(st.just("commit"), IDS, st.just([])),
)


@pytest.mark.parametrize("backend", ["rank-bm25", "tantivy in memory"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(changes=st.lists(CHANGES, max_size=25), query=st.lists(WORDS, min_size=1, max_size=4))
def test_whatever_the_changes_a_search_finds_what_a_plain_dict_would(
    backend: str, changes: list[tuple[str, str, list[str]]], query: list[str]
) -> None:
    index = BACKENDS[backend](Path())
    pending: dict[str, Sequence[str] | None] = {}
    plain: dict[str, Sequence[str]] = {}
    for generation, (verb, chunk_id, words) in enumerate([*changes, ("commit", "", [])], 1):
        if verb == "add":
            index.add(chunk_id, words, [])
            pending[chunk_id] = words
        elif verb == "delete":
            index.delete(chunk_id)
            pending[chunk_id] = None
        else:
            index.commit(generation)
            merged = {**plain, **pending}
            plain, pending = {key: value for key, value in merged.items() if value is not None}, {}
    hits = index.search(query, 100, context_boost=CONTEXT_BOOST)
    assert sorted(hit.chunk_id for hit in hits) == sorted(i for i, words in plain.items() if set(words) & set(query))
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
    assert all(hit.score > 0 for hit in hits)
    index.close()


# What only a folder has.


def test_the_index_is_still_there_after_reopening(folder: Path) -> None:
    index = TantivyIndex(folder)
    fill(index, REFERENCE, generation=5)
    before = index.search(["deploy", "logging"], 10, context_boost=CONTEXT_BOOST)
    index.add(A, ["never", "committed"], [])
    index.close()
    reopened = TantivyIndex(folder)
    assert (reopened.generation, reopened.search(["deploy", "logging"], 10, context_boost=CONTEXT_BOOST)) == (5, before)
    assert reopened.search(["committed"], 10, context_boost=CONTEXT_BOOST) == []


def test_a_reader_in_the_same_process_sees_a_commit_at_its_next_search(folder: Path) -> None:
    writer, reader = TantivyIndex(folder), TantivyIndex(folder)
    fill(writer, REFERENCE, generation=3)
    assert found(reader, "staging") == [D]
    assert reader.generation == 3


def test_many_commits_do_not_pile_up_files(folder: Path) -> None:
    index = TantivyIndex(folder)
    for n in range(30):
        fill(index, {f"{n % 10:016x}": f"deploy number{n}"}, generation=n + 1)
    assert len(list(folder.iterdir())) < 100
    assert len(found(index, "deploy", 100)) == 10


WRITER = """
import sys
from pathlib import Path
from hookclaw_py.errors import RetrievalError
from hookclaw_py.search.local.tantivy_index import TantivyIndex
index = TantivyIndex(Path(sys.argv[1]))
for line in sys.stdin:
    try:
        verb, chunk_id, term, generation = line.split()
        if verb == "add":
            index.add(chunk_id, [term], [])
        elif verb == "commit":
            index.commit(int(generation))
        print([hit.chunk_id for hit in index.search([term], 5, context_boost=1)], index.generation, flush=True)
    except RetrievalError as error:
        print(error, flush=True)
"""


class Other:
    """Another process on the same folder, told what to do line by line."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def do(self, line: str) -> str:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def other(folder: Path) -> Iterator[Other]:
    process = Other(folder)
    yield process
    process.kill()


def test_two_processes_on_one_folder_see_each_other_and_take_turns(folder: Path, other: Other) -> None:
    index = TantivyIndex(folder, busy_seconds=0.05)
    fill(index, REFERENCE)
    assert other.do("search - staging 0") == f"['{D}'] 1"
    assert other.do("add 0000000000000001 rollback 0") == "[] 1"
    for change in (
        lambda: index.add(A, ["blocked"], []),
        lambda: index.delete(A),
        index.clear,
        lambda: index.commit(9),
    ):
        with pytest.raises(WriterBusyError, match="another writer is at work"):
            change()
    assert found(index, "netsdk1005") == [A]
    assert index.generation == 1
    assert other.do("commit - rollback 2") == "['0000000000000001'] 2"
    assert found(index, "rollback") == ["0000000000000001"]
    assert index.generation == 2
    fill(index, {A: "blocked"}, generation=3)
    assert other.do("search - blocked 0") == f"['{A}'] 3"


def test_a_change_waits_for_another_writer_to_commit(folder: Path) -> None:
    first, second = TantivyIndex(folder), TantivyIndex(folder, busy_seconds=10)
    first.add(A, ["first"], [])
    waiting = threading.Thread(target=second.add, args=(B, ["second"], []))
    waiting.start()
    waiting.join(timeout=0.1)
    assert waiting.is_alive()
    first.commit(1)
    waiting.join(timeout=10)
    second.commit(2)
    assert found(first, "first second") == [A, B]
    assert first.generation == 2


def test_a_process_killed_while_writing_leaves_the_last_commit_and_no_lock(folder: Path, other: Other) -> None:
    index = TantivyIndex(folder)
    fill(index, REFERENCE)
    assert other.do("add 0000000000000001 rollback 0") == "[] 1"
    other.kill()
    fill(index, {A: "after"}, generation=2)
    assert found(index, "after rollback") == [A]


def test_what_a_writer_left_that_was_killed_before_its_commit_does_not_stop_the_next_one(folder: Path) -> None:
    index = TantivyIndex(folder)
    fill(index, REFERENCE)
    index.close()
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    index = TantivyIndex(folder)
    index.delete(A)
    index.commit(2)
    index.close()
    written = {file.name: file.read_bytes() for file in folder.iterdir()}
    (deletions,) = (name for name in written.keys() - before.keys() if name.endswith(".del"))
    for name in written.keys() - before.keys():
        (folder / name).unlink()
    for name, data in before.items():  # as it was, but for the file that the killed one had begun
        (folder / name).write_bytes(data)
    (folder / deletions).write_bytes(written[deletions][:20])
    with closing(TantivyIndex(folder)) as index:
        index.delete(A)
        index.commit(2)
        assert (index.generation, found(index, "deploy")) == (2, [D])


def test_nobody_else_may_read_an_index_on_disk(folder: Path) -> None:
    index = TantivyIndex(folder)
    fill(index, REFERENCE)
    index.close()
    assert [path for path in (folder, *folder.iterdir()) if path.stat().st_mode & 0o077] == []
    for path in folder.iterdir():
        path.chmod(0o644)
    TantivyIndex(folder).close()
    assert [path for path in (folder, *folder.iterdir()) if path.stat().st_mode & 0o077] == []


def test_a_crash_between_the_two_writes_of_a_commit_leaves_a_generation_that_is_too_small(folder: Path) -> None:
    index = TantivyIndex(folder)
    fill(index, REFERENCE, generation=4)
    in_the_way = folder / f"hookclaw.json.{os.getpid()}"  # the draft of the second one
    in_the_way.mkdir()
    with pytest.raises(RetrievalError, match=r"Is a directory.*; make room"):
        fill(index, {A: "second"}, generation=5)
    in_the_way.rmdir()
    reopened = TantivyIndex(folder)
    assert reopened.generation == 4
    fill(reopened, {A: "second"}, generation=5)
    assert (found(reopened, "second"), reopened.generation) == ([A], 5)
    fill(index, {B: "third"}, generation=6)
    assert found(index, "second third") == [A, B]


def committed(folder: Path) -> None:
    index = TantivyIndex(folder)
    for n in range(3):
        fill(index, {f"{n:016x}": "deploy " * 20}, generation=n + 1)
    index.close()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut by one byte": lambda data: data[:-1],
    "overwritten": lambda data: b"\xff" * len(data),
    "one bit flipped": lambda data: bytes([data[0] ^ 4]) + data[1:],
}


SEGMENT_FILES = ["*.fast", "*.fieldnorm", "*.idx", "*.pos", "*.store", "*.term", "*.del"]


@pytest.mark.parametrize(
    ("name", "damage"),
    [(name, damage) for name in SEGMENT_FILES for damage in DAMAGE]
    + [(name, damage) for name in ("meta.json", "hookclaw.json") for damage in ("emptied", "cut", "overwritten")],
)
def test_a_damaged_folder_is_rebuilt_empty_with_a_warning(
    folder: Path, name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    index = TantivyIndex(folder)
    for n in range(3):
        fill(index, {f"{n:016x}": "deploy " * 20, f"{n + 1:016x}": "deploy now"}, generation=n + 1)
    index.close()
    file = sorted(folder.glob(name))[0]
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    index = TantivyIndex(folder)
    assert (index.generation, index.search(["deploy"], 10, context_boost=CONTEXT_BOOST)) == (0, [])
    assert "rebuil" in caplog.text
    assert str(folder) in caplog.text
    fill(index, REFERENCE)
    assert found(index, "staging") == [D]


def test_damage_that_shows_only_while_searching_is_one_error_and_then_a_fresh_index(folder: Path) -> None:
    committed(folder)
    for file in folder.glob("*.pos"):
        file.unlink()
    index, neighbour = TantivyIndex(folder), TantivyIndex(folder)
    with pytest.raises(RetrievalError, match="damaged and will be rebuilt"):
        index.search(["deploy"], 5, context_boost=CONTEXT_BOOST)
    assert (index.search(["deploy"], 5, context_boost=CONTEXT_BOOST), index.generation) == ([], 0)
    fill(index, REFERENCE, generation=2)
    assert found(neighbour, "staging") == [D]


def test_damage_found_by_a_reader_does_not_wipe_what_is_just_being_written(folder: Path) -> None:
    committed(folder)
    index = TantivyIndex(folder)
    index.add(A, ["pending"], [])
    (folder / "hookclaw.json").unlink()
    assert len(index.search(["deploy"], 5, context_boost=CONTEXT_BOOST)) == 3
    assert index.generation == 0
    index.commit(4)
    assert (found(index, "pending"), index.generation) == ([A], 4)


def test_another_tokenizer_version_starts_anew(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    committed(folder)
    assert TantivyIndex(folder, tokenizer="other").generation == 0
    assert "of another version" in caplog.text


def test_a_folder_from_before_contexts_starts_anew(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    committed(folder)
    state = json.loads((folder / "hookclaw.json").read_bytes())
    (folder / "hookclaw.json").write_text(json.dumps({**state, "format": 1}))
    assert TantivyIndex(folder).generation == 0
    assert "of another version" in caplog.text


def test_strange_files_in_the_folder_do_not_matter(folder: Path) -> None:
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "file").write_text("x")
    (folder / "hookclaw.json").write_text(json.dumps([1, 2]))
    (folder / "meta.json").write_text("{")
    index = TantivyIndex(folder)
    fill(index, REFERENCE)
    assert found(index, "staging") == [D]


def test_a_folder_deleted_under_a_running_process_is_made_anew(folder: Path) -> None:
    committed(folder)
    index = TantivyIndex(folder)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert index.search(["deploy"], 5, context_boost=CONTEXT_BOOST) == []
    fill(index, REFERENCE)
    assert found(index, "staging") == [D]


def test_a_file_in_place_of_the_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("not a folder")
    with pytest.raises(RetrievalError, match="index"):
        TantivyIndex(tmp_path / "index")


@pytest.mark.parametrize("chunk_id", ["", "xyz", "A" * 16, "-000000000000001", "1" * 17, "0x00000000000001"])
def test_an_id_that_is_not_sixteen_hex_digits_is_refused(chunk_id: str) -> None:
    with pytest.raises(RetrievalError, match="16 lower-case hex digits"):
        TantivyIndex(None).add(chunk_id, ["deploy"], [])


def test_the_terms_with_a_beginning_come_with_their_numbers_of_chunks(index: LexicalIndex) -> None:
    fill(index, REFERENCE)
    assert index.beginning("log") == [("logging", 2)]
    assert index.beginning("s") == [(term, 1) for term in ("script", "serilog", "staging", "structured")]
    assert index.beginning("x") == []


def test_every_id_of_sixteen_digits_is_one_and_ties_come_in_their_order(index: LexicalIndex) -> None:
    ids = ["0" * 16, "7" + "f" * 15, "8" + "0" * 15, "f" * 16]
    fill(index, dict.fromkeys(reversed(ids), "deploy"))
    assert found(index, "deploy") == ids
    index.delete("f" * 16)
    index.commit(3)
    assert found(index, "deploy") == ids[:3]
