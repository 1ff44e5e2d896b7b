"""Reading what one can evaluate on: memory sets, BEIR, workspaces, the published files, sets of prompts."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest

from hookclaw_py.evaluation import folders, originals, prompt_sets, sets


def lines(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    """A memory set of two groups."""
    corpus = [
        {"id": "a1", "text": "The cat sleeps.", "timestamp": "2026-01-02", "group": "a", "session": "s1", "seq": 1},
        {"id": "b1", "text": "The dog barks.", "timestamp": "2026-01-02T10:00:00+02:00", "group": "b", "title": "Dog"},
    ]
    queries = [
        {"id": "q1", "text": "Who sleeps?", "group": "a", "category": "x", "answer": "cat", "reference_time": "2026-02-01T08:00"},
        {"id": "q2", "text": "Who purrs?", "group": "b", "answerable": False, "split": "test", "stale": ["b1"], "before_seq": 3},
    ]  # fmt: skip
    (tmp_path / "corpus.jsonl").write_text(lines(*corpus), encoding="utf-8")
    with gzip.open(tmp_path / "queries.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(lines(*queries))
    (tmp_path / "qrels.tsv").write_text("q1\t0\ta1\t1\nq2\t0\tb1\t1\n")
    (tmp_path / "meta.json").write_text('{"name": "pets", "licence": "MIT", "split": "dev"}')
    return tmp_path


def test_a_memory_set_is_read_with_its_times_scope_and_labels(folder):
    """M49: the fields of ours; the measures are those of trec_eval."""
    found = sets.load_memory_set(folder)
    assert (found.name, found.licence, found.split) == ("pets", "MIT", "dev")
    cat, dog = found.documents
    assert (cat.created_at, cat.session, cat.seq) == (datetime(2026, 1, 2, tzinfo=UTC), "s1", 1)
    assert (dog.created_at, dog.heading) == (datetime(2026, 1, 2, 8, tzinfo=UTC), "Dog")
    one, other = found.prompts
    assert (one.asked_at, one.answers, one.split) == (datetime(2026, 2, 1, 8, tzinfo=UTC), ("cat",), "dev")
    assert (other.answerable, other.split, other.stale, other.before_seq) == (False, "test", ("b1",), 3)
    assert other.asked_at == sets.UNDATED


def test_a_prompt_without_an_answer_is_never_judged(folder):
    assert sets.load_memory_set(folder).judged("chunk") == {"q1": {"a1": 1}}


@pytest.mark.parametrize(
    ("judged", "said"),
    [
        ("q1\t0\ta9\t1\n", "judges 'a9' for prompt 'q1', which the corpus does not have"),
        ("q9\t0\ta1\t1\n", "judges prompt 'q9', which the queries do not have"),
    ],
)
def test_a_judgement_of_what_is_not_there_is_an_error_and_no_worse_result(folder, judged, said):
    with (folder / "qrels.tsv").open("a") as file:
        file.write(judged)
    with pytest.raises(sets.SetError, match=rf"qrels\.tsv: {said}"):
        sets.load_memory_set(folder)


def test_tuning_sees_neither_held_out_prompts_nor_held_out_sets(folder):
    found = sets.load_memory_set(folder)
    assert [p.id for p in found.tunable().prompts] == ["q1"]
    (folder / "meta.json").write_text('{"split": "holdout"}')
    assert not sets.load_memory_set(folder).tunable().prompts


def test_a_limit_spreads_over_the_set_and_a_split_selects(folder):
    assert sets.spread(list(range(10)), 3) == [0, 3, 6]
    assert sets.spread([1, 2], 5) == [1, 2]
    assert [p.id for p in sets.load_memory_set(folder).limited(None, "test").prompts] == ["q2"]


def test_the_digest_follows_the_data_and_nothing_else(folder):
    before = sets.load_memory_set(folder).digest
    (folder / "meta.json").write_text("{}")
    assert sets.load_memory_set(folder).digest == before
    (folder / "qrels.tsv").write_text("q1 0 a1 1\n")
    assert sets.load_memory_set(folder).digest != before


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("corpus.jsonl", '{"id": "a1"}\n', r"corpus\.jsonl:1: needs a string 'text'"),
        ("corpus.jsonl", '{"id": "a1", "text": "x"}\nnonsense\n', r"corpus\.jsonl:2: is not JSON"),
        ("corpus.jsonl", "[1]\n", r"corpus\.jsonl:1: must be an object"),
        ("corpus.jsonl", '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "'a' occurs twice"),
        ("corpus.jsonl", '{"id": "a", "text": "x", "timestamp": "yesterday"}\n', "'yesterday' is no ISO 8601"),
        ("qrels.tsv", "q1 0 a1 high\n", r"qrels\.tsv:1: is not `prompt 0 document relevance`"),
        ("queries.jsonl.gz", "not gzip", r"queries\.jsonl\.gz: cannot be read"),
    ],
)
def test_a_broken_file_is_named_with_its_line(folder, file, content, said):
    (folder / file).write_text(content)
    with pytest.raises(sets.SetError, match=said):
        sets.load_memory_set(folder)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(sets.SetError, match=r"has no corpus\.jsonl"):
        sets.load_memory_set(tmp_path)


def test_every_kind_of_set_is_recognised(folder, tmp_path_factory):
    assert folders.kind_of(folder) == "memory"
    assert folders.kind_of(folder / "qrels.tsv") == "original"
    gating = tmp_path_factory.mktemp("gating")
    (gating / "prompts.jsonl").write_text("")
    assert folders.kind_of(gating) == "gating"
    with pytest.raises(sets.SetError, match="a gating set has no documents"):
        folders.open_set(gating)
    (gating / "prompts.jsonl").rename(gating / "vectors.jsonl")
    assert folders.kind_of(gating) == "temporal"
    with pytest.raises(sets.SetError, match="nothing here that can be evaluated"):
        folders.kind_of(tmp_path_factory.mktemp("empty"))


def test_a_beir_folder_asks_only_its_judged_queries(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(lines({"_id": "d1", "title": "Wings", "text": "Lift and drag."}))
    (tmp_path / "queries.jsonl").write_text(lines({"_id": "1", "text": "lift"}, {"_id": "2", "text": "drag"}))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\td1\t1\n")
    assert folders.kind_of(tmp_path) == "beir"
    found = folders.open_set(tmp_path)
    assert [(d.heading, d.text) for d in found.documents] == [("Wings", "Lift and drag.")]
    assert ([p.id for p in found.prompts], found.qrels) == (["1"], {"1": {"d1": 1}})
    with pytest.raises(sets.SetError, match=r"dev\.tsv: no such file"):
        folders.open_set(tmp_path, "dev")


@pytest.fixture
def workspace(tmp_path):
    place = tmp_path / "w1"
    (place / "memory").mkdir(parents=True)
    (place / "memory" / "2026-01-05.md").write_text("# Monday\n\n- The boiler is set to 1.5 bar.\n", encoding="utf-8")
    (place / "memory" / "2026-01-09.md").write_text("# Friday\n\n- The boiler leaks.\n", encoding="utf-8")
    (place / "prompts.jsonl").write_text(
        lines(
            {
                "id": "p1",
                "prompt": "What about the boiler?",
                "at": "2026-01-09",
                "relevant": ["boiler is set to\n1.5 bar"],
            }
        )
    )
    return place


def test_a_workspace_is_cut_like_the_engine_does_and_only_earlier_days_are_visible(workspace):
    found = folders.open_set(workspace)
    (prompt,) = found.prompts
    visible = [d for d in found.documents if d.seq < prompt.before_seq]
    assert [d.path for d in visible] == ["memory/2026-01-05.md"]
    assert found.judged("chunk") == {"p1": {visible[0].id: 1}}
    assert prompt.asked_at == datetime(2026, 1, 9, 12, tzinfo=UTC)


def test_the_prompts_of_an_ordinary_folder_of_notes_are_a_set_with_it(tmp_path):
    (tmp_path / "House").mkdir()
    (tmp_path / "House" / "Boiler.md").write_text("# Boiler\n\nIt is set to 1.5 bar.\n", encoding="utf-8")
    (tmp_path / "prompts.jsonl").write_text(
        lines(
            {"id": "p1", "prompt": "What about the boiler?", "at": "2026-01-09", "relevant": ["It is set to 1.5 bar."]}
        )
    )
    found = folders.open_set(tmp_path)
    (document,) = found.documents
    assert (document.path, found.judged("chunk")) == ("House/Boiler.md", {"p1": {document.id: 1}})


def test_a_note_that_was_not_there_yet_is_not_relevant(workspace):
    row = {"id": "p1", "prompt": "Does the boiler leak?", "at": "2026-01-09", "relevant": ["The boiler leaks."]}
    (workspace / "prompts.jsonl").write_text(json.dumps(row))
    assert folders.open_set(workspace).judged("chunk") == {}


def test_a_folder_of_workspaces_is_one_set_with_a_group_for_each(workspace):
    found = folders.open_set(workspace.parent)
    assert {d.group for d in found.documents} == {"w1"}
    assert next(iter(found.judged("chunk")["w1/p1"])).startswith("w1/")


def test_a_recorded_prompt_without_a_day_is_named(workspace):
    (workspace / "prompts.jsonl").write_text('{"prompt": "x"}\n')
    with pytest.raises(sets.SetError, match=r"prompts\.jsonl:1: needs `at`"):
        folders.open_set(workspace)


LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kite."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a red kite"},
            ],
            "session_2_date_time": "10:00 am on 9 May, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "It broke."}],
        },
        "qa": [
            {"question": "What did Ann buy?", "answer": "a kite", "evidence": ["D:1:01; D1:2"], "category": 4},
            {"question": "What did Bob buy?", "adversarial_answer": "a kite", "evidence": ["D1:1"], "category": 5},
        ],
    }
]


def test_locomo_is_read_as_published_typos_in_the_evidence_included(tmp_path):
    (tmp_path / "locomo10.json").write_text(json.dumps(LOCOMO))
    found = folders.open_set(tmp_path / "locomo10.json")
    assert found.documents[1].text == "Bob: Nice! [shared image: a red kite]"
    assert found.documents[0].created_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    bought, trap = found.prompts
    assert found.judged("chunk") == {"conv-1:q0": {"conv-1:D1:1": 1, "conv-1:D1:2": 1}}
    assert found.judged("session") == {"conv-1:q0": {"conv-1:S1": 1}}
    assert (bought.category, bought.answers, trap.category, trap.answerable) == (
        "single_hop",
        ("a kite",),
        "adversarial",
        False,
    )
    assert bought.asked_at == datetime(2023, 5, 9, 10, tzinfo=UTC)


def longmemeval(question="q1"):
    return {
        "question_id": question,
        "question_type": "single-session-user",
        "question": "Which kite?",
        "answer": 3,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["answer_1", "filler", "filler", "answer_2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * 4,
        "haystack_sessions": [
            [{"role": "user", "content": "I bought a kite.", "has_answer": True}, {"role": "assistant", "content": "Nice."},
             {"role": "user", "content": "Bye.", "has_answer": False}],
            [{"role": "user", "content": "Hello."}],
            [{"role": "user", "content": "Hello."}],
            [{"role": "user", "content": "Hm.", "has_answer": False}],
        ],
    }  # fmt: skip


def test_longmemeval_follows_the_official_rules(tmp_path):
    file = tmp_path / "longmemeval_s.json"
    file.write_text(json.dumps([longmemeval(), longmemeval("q2_abs")]))
    found = folders.open_set(file)
    mine = [d for d in found.documents if d.group == "q1"]
    assert [d.id for d in mine] == ["q1/answer_1_1", "q1/noans_1_3", "q1/filler_1", "q1/noans_2_1"]
    assert found.judged("chunk") == {"q1": {"q1/answer_1_1": 1}}
    assert found.judged("session") == {"q1": {"answer_1": 1}}
    assert found.prompts[0].answers == ("3",)
    assert not found.prompts[1].answerable
    assert found.prompts[0].asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)


def test_a_file_of_something_else_is_refused(tmp_path):
    for content in ("[]", '{"a": 1}', '[{"question": 1}]', "not json"):
        (tmp_path / "x.json").write_text(content)
        with pytest.raises(sets.SetError):
            originals.load_original(tmp_path / "x.json")
    broken = json.loads(json.dumps(LOCOMO).replace("1:56 pm on 8 May, 2023", "long ago"))
    (tmp_path / "x.json").write_text(json.dumps(broken))
    with pytest.raises(sets.SetError, match="'long ago' is not a time"):
        originals.load_original(tmp_path / "x.json")


def test_a_gating_set_is_read_and_a_missing_field_named(tmp_path):
    row = {"id": "1", "text": "Write a poem.", "label": "no_memory", "source": "ours", "split": "dev"}
    (tmp_path / "prompts.jsonl").write_text(lines(row))
    (found,), digest = prompt_sets.load_gating(tmp_path)
    assert (found.label, found.labelled().answerable, found.labelled().category) == ("no_memory", False, "ours")
    assert len(digest) == 16
    del row["label"]
    (tmp_path / "prompts.jsonl").write_text(lines(row))
    with pytest.raises(sets.SetError, match=r"prompts\.jsonl:1: needs 'label'"):
        prompt_sets.load_gating(tmp_path)


def test_two_prompts_of_one_id_are_an_error_in_every_kind_of_set(tmp_path):
    gating = {"id": "1", "text": "Write a poem.", "label": "no_memory", "source": "ours"}
    dated = {"id": "1", "text": "may be", "source": "s", "negative": True, "expected": []}
    for row, file, load in (
        (gating, "prompts.jsonl", prompt_sets.load_gating),
        (dated, "vectors.jsonl", prompt_sets.load_temporal),
    ):
        (tmp_path / file).write_text(lines(row, row))
        with pytest.raises(sets.SetError, match=f"{file}: id '1' occurs twice"):
            load(tmp_path)


def test_a_temporal_set_gives_every_reading_in_whole_days(tmp_path):
    at = "2016-11-07T00:00:00"
    day = {"id": "1", "text": "on Oct 2", "source": "s", "reference_time": at,
           "expected": [{"start": "2016-10-02", "end": None}, {"start": "2017-10-02", "end": None}]}  # fmt: skip
    nested = {"id": "2", "text": "for two hours", "source": "s", "reference_time": at,
              "expected": [{"type": "duration", "expected": [{"value": "7200"}]}]}  # fmt: skip
    negative = {"id": "3", "text": "may be", "source": "s", "negative": True, "expected": []}
    until = {"id": "4", "text": "before May", "source": "s", "reference_time": at,
             "expected": [{"type": "daterange", "expected": [{"start": None, "end": "2016-05-01"}]}]}  # fmt: skip
    (tmp_path / "vectors.jsonl").write_text(lines(day, nested, negative, until))
    found, _ = prompt_sets.load_temporal(tmp_path)
    assert [p.id for p in found] == ["1", "3", "4"], "a duration is no day to look up"
    assert [(p.start.date().isoformat(), (p.end - p.start).days) for p in found[0].periods] == [
        ("2016-10-02", 1),
        ("2017-10-02", 1),
    ]
    assert found[1].periods == ()
    assert found[2].periods[0].start.year == 1
