"""``hookclaw eval``: what the files hold, what a comparison says, what a sweep finds, and what an expectation catches."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from hookclaw_py import text
from hookclaw_py.build import STAGES
from hookclaw_py.cli import evaluating
from hookclaw_py.cli.commands import main
from hookclaw_py.cli.eval_commands import eval_group
from hookclaw_py.config import Config
from hookclaw_py.errors import ConfigError
from hookclaw_py.evaluation import charts, compare, expect, measures, replay, results, sweep, tables
from hookclaw_py.evaluation.scopes import scopes
from hookclaw_py.evaluation.sets import SetError, load_memory_set
from hookclaw_py.stages import fusion
from tests.conftest import CONSTANTS

NOTEBOOKS = Path(__file__).parents[2] / "eval" / "data" / "notebooks"
KEYWORDS = ("--set", "enableVector=false")


def run(*arguments, code=0):
    result = CliRunner().invoke(eval_group, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Every file of one run over the committed set, keywords only."""
    folder = tmp_path_factory.mktemp("out")
    names = {"json": "r.json", "markdown": "r.md", "html": "r.html", "run-out": "r.run", "injections-out": "i.jsonl", "negatives-out": "n.jsonl"}  # fmt: skip
    flags = [part for option, name in names.items() for part in (f"--{option}", folder / name)]
    gating = folder / "gating"
    gating.mkdir()
    rows = [
        {"id": f"g{n}", "text": "Write a short poem about rain and wind.", "label": "no_memory", "source": "ours"}
        for n in range(4)
    ]
    (gating / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = run("run", NOTEBOOKS, *KEYWORDS, "--no-memory", gating, *flags)
    return folder, printed


def jsonl(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_without_the_extra_a_run_ends_before_it_begins(monkeypatch, tmp_path):
    """It used to replay a whole set and then end with a traceback."""
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"id": "d", "text": "The cellar key hangs behind the boiler."}\n')
    (folder / "queries.jsonl").write_text('{"id": "q", "text": "Where does the cellar key hang?"}\n')
    (folder / "qrels.tsv").write_text("q\t0\td\t1\n")
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    monkeypatch.setattr("hookclaw_py.cli.evaluating.replay", None)
    result = CliRunner().invoke(main, ["eval", "run", str(folder)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("hookclaw: an evaluation needs more packages; run `")
    assert "-m pip install 'ir-measures>=" in result.stderr


def test_a_run_prints_what_the_result_holds(outputs):
    folder, printed = outputs
    result = json.loads((folder / "r.json").read_bytes())
    assert result["set"]["name"] == "notebooks"
    assert result["set"]["prompts"] == 295
    assert result["fingerprint"]
    for title in ("Ranking by chunk", "Silence, at level", "Carry", "Staleness", "Cost"):
        assert title in printed
        assert f"**{title}" in (folder / "r.md").read_text(encoding="utf-8")
    assert tables.number(result["ranking"]["chunk"]["overall"]["nDCG@10"]) in printed
    assert result["silence"]["against"]["no memory needed"]["prompts"] == 4


def test_a_run_file_scored_by_others_gives_our_numbers(outputs):
    folder, _ = outputs
    rows = [line.split() for line in (folder / "r.run").read_text().splitlines()]
    assert {(row[1], row[5]) for row in rows} == {("Q0", "hookclaw")}
    runs = {}
    for prompt, _, document, rank, score, _ in rows:
        before = runs.setdefault(prompt, [])
        assert int(rank) == len(before) + 1
        assert not before or float(score) < before[-1][1]
        before.append((document, float(score)))
    assert max(map(len, runs.values())) <= 100
    scored = measures.ranking_measures(load_memory_set(NOTEBOOKS).judged("chunk"), runs)
    ours = json.loads((folder / "r.json").read_bytes())["ranking"]["chunk"]["overall"]
    assert measures.mean(scored.values()) == pytest.approx(ours)


def test_injections_and_negatives_are_one_object_a_line(outputs):
    folder, _ = outputs
    home, others = jsonl(folder / "i.jsonl"), jsonl(folder / "n.jsonl")
    fields = {"id", "outcome", "reason", "relevance", "block", "chunk_ids", "faults", "ms"}
    assert all(set(row) == fields for row in home)
    assert all(set(row) == {*fields, "store"} for row in others)
    assert {row["store"] for row in others if row["id"].startswith("mira")} == {"parcelhive"}
    corpus = {d.id for d in load_memory_set(NOTEBOOKS).documents}
    for row in home:
        assert set(row["chunk_ids"]) <= corpus
        assert bool(row["block"]) == (row["outcome"] == "injected") == bool(row["chunk_ids"])
        assert row["relevance"] == 0 or row["outcome"] != "skipped"


def test_the_report_is_one_file_that_asks_nothing_of_the_network(outputs):
    folder, _ = outputs
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "").split("<h2>Where it fails")[0]
    for part in (
        "Home fire against false fire",
        "Calibration",
        "Surest where it should be silent",
        "hookclaw explain --at",
    ):
        assert part in page
    assert page.count("<details") >= 25


def textbook_bm25(documents, query, k1=1.2, b=0.75):
    """Score every document by the formula of Kamphuis et al. (the Lucene variant), with no index."""
    df = Counter(term for terms in documents.values() for term in set(terms))
    mean = sum(map(len, documents.values())) / len(documents)
    scores = {}
    for name, terms in documents.items():
        tf = Counter(terms)
        scores[name] = sum(
            math.log(1 + (len(documents) - df[t] + 0.5) / (df[t] + 0.5))
            * tf[t] / (tf[t] + k1 * (1 - b + b * len(terms) / mean))
            for t in query if tf[t]
        )  # fmt: skip
    return scores


def test_keywords_alone_agree_with_an_independent_bm25(outputs):
    """Over the notes, and beside it over the notes with their dates: none of these has a neighbour in its file.

    The words that say when ("yesterday") are not searched for by us, which is what they may differ by.
    """
    folder, _ = outputs
    memory_set = load_memory_set(NOTEBOOKS)
    runs = {}
    for scope in scopes(memory_set, cross_pair=False):
        documents = {d.id: text.terms(f"{d.heading}\n{d.text}") for d in scope.documents}
        dates = {d.id: text.terms(f"{d.created_at:%d %B %Y %A}") if d.created_at else [] for d in scope.documents}
        dated = {name: [*terms, *dates[name]] for name, terms in documents.items()}
        for prompt in scope.at_home:
            query = text.terms(prompt.text)
            own, around = textbook_bm25(documents, query), textbook_bm25(dated, query)
            scores = {
                name: own[name] + CONSTANTS.context_boost * around[name] for name in documents if around[name] > 0
            }
            runs[prompt.id] = sorted(scores.items(), key=lambda item: -item[1])
    theirs = measures.mean(measures.ranking_measures(memory_set.judged("chunk"), runs).values())
    ours = json.loads((folder / "r.json").read_bytes())["ranking"]["chunk"]["legs"]["bm25"]
    for measure in ("R@1", "R@5", "R@10", "nDCG@10"):
        assert ours[measure] == pytest.approx(theirs[measure], abs=0.02), measure


@pytest.mark.slow
def test_an_expectation_catches_a_broken_stage(outputs, tmp_path):
    folder, _ = outputs
    goal = tmp_path / "expected.json"
    run("expected", folder / "r.json", "--out", goal)
    run("run", NOTEBOOKS, *KEYWORDS, "--expect", goal)

    def backwards(pool, rankings, **knobs):
        turned = {name: [hit._replace(score=-hit.score) for hit in ranking] for name, ranking in rankings.items()}
        return fusion.fuse(pool, turned, **knobs)

    memory_set, config = load_memory_set(NOTEBOOKS), Config(enable_vector=False)
    stages = replace(STAGES, fusion=backwards)
    replayed = replay.replay(memory_set, config, None, cross_pair=True, stages=stages)
    result = results.result_of(memory_set, replayed, results.Run(config, True))
    assert any(problem.endswith("worse") for problem in expect.missed(result, goal))


def test_an_expectation_says_what_is_missed_and_for_which_data(outputs, tmp_path):
    result = json.loads((outputs[0] / "r.json").read_bytes())
    found = expect.expectation(result, tolerance=0.02)
    goal = tmp_path / "goal.json"

    def missed(**changes):
        numbers = {
            name: {**number, "value": number["value"] + changes.get(name, 0)}
            for name, number in found["numbers"].items()
        }
        goal.write_text(json.dumps({**found, "numbers": numbers}))
        return expect.missed(result, goal)

    assert missed() == []
    (worse,) = missed(**{"ranking.chunk.overall.R@5": 0.1})
    assert worse.endswith("worse")
    (better,) = missed(**{"silence.against.cross-pair.fired": 0.1})
    assert "better; write the file anew" in better
    goal.write_text(json.dumps({**found, "numbers": {"no.such": {"value": 1, "tolerance": 0.1}}}))
    assert "has no such number" in expect.missed(result, goal)[0]
    goal.write_text(json.dumps({**found, "digest": "other"}))
    with pytest.raises(SetError, match="another version of the data"):
        expect.missed(result, goal)
    goal.write_text("{}")
    with pytest.raises(SetError, match="no file of expected numbers"):
        expect.missed(result, goal)


def test_a_result_compared_with_itself_shows_no_difference(outputs):
    file = outputs[0] / "r.json"
    assert run("compare", file, file).rstrip().endswith("No difference shown.")


def test_a_comparison_finds_what_was_broken_and_counts_who_lost(outputs, tmp_path):
    file = outputs[0] / "r.json"
    worse = json.loads(file.read_bytes())
    for line in worse["prompts"].values():
        if "chunk" in line:
            line["chunk"] = dict.fromkeys(line["chunk"], 0.0)
    for line in worse["others"]["cross-pair"].values():
        line["outcome"] = "injected"
    (tmp_path / "worse.json").write_text(json.dumps(worse))
    rows = {row["measure"]: row for row in json.loads(run("compare", file, tmp_path / "worse.json", "--json"))}
    assert rows["nDCG@10 by chunk"]["verdict"] == "worse"
    assert rows["nDCG@10 by chunk"]["high"] < 0
    assert rows["false fire: cross-pair"]["verdict"] == "worse", "more false fire is worse, though the number is higher"
    assert rows["home fire"]["verdict"] == "no difference shown"
    printed = run("compare", file, tmp_path / "worse.json")
    assert "worse: " in printed
    assert "no difference shown elsewhere" in printed


def test_results_of_different_data_are_not_compared(outputs, tmp_path):
    result = json.loads((outputs[0] / "r.json").read_bytes())
    with pytest.raises(SetError, match="of different data"):
        compare.compare(result, {**result, "set": {**result["set"], "digest": "x"}})
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "y.json").write_text("{")
    for name in ("x.json", "y.json"):
        with pytest.raises(SetError):
            compare.load_result(tmp_path / name)


SUITE = f"""sets = ["{NOTEBOOKS.as_posix()}"]
limit = 12
split = "dev"
[config]
enableVector = false
"""


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "suite.toml").write_text(SUITE)
    return tmp_path / "suite.toml"


def test_a_sweep_tries_the_grid_marks_the_front_and_goes_on_where_it_stopped(suite, tmp_path, monkeypatch):
    done = tmp_path / "done.jsonl"
    arguments = ("sweep", suite, "--param", "minScore=.2,.9", "--jobs", 1, "--done", done)
    printed = run(*arguments)
    assert "3 configurations" in printed
    assert "minScore=0.2" in printed
    assert "(base)" in printed
    kept = done.read_bytes()
    done.write_bytes(kept[: len(kept) - 20])  # interrupted in the middle of the last line
    ran = []
    real = sweep.run_trial
    monkeypatch.setattr(sweep, "run_trial", lambda suite, values: ran.append(values) or real(suite, values))
    run(*arguments)
    assert len(ran) == 1


def test_sets_of_one_name_count_each_and_what_is_done_holds_for_the_data_and_version_it_was_done_with(
    tmp_path, monkeypatch
):
    one, other = tmp_path / "one" / "set", tmp_path / "other" / "set"
    for folder, asked in ((one, "Where does the cellar key hang?"), (other, "Who waters the violin?")):
        folder.mkdir(parents=True)
        (folder / "corpus.jsonl").write_text('{"id": "d", "text": "The cellar key hangs behind the boiler."}\n')
        (folder / "queries.jsonl").write_text(json.dumps({"id": "q", "text": asked}) + "\n")
        (folder / "qrels.tsv").write_text("q\t0\td\t1\n")
    (tmp_path / "suite.toml").write_text('sets = ["one/set", "other/set"]\n[config]\nenableVector = false\n')
    suite, done, ran = sweep.load_suite(tmp_path / "suite.toml"), tmp_path / "done.jsonl", []
    real = sweep.run_trial
    monkeypatch.setattr(sweep, "run_trial", lambda suite, values: ran.append(values) or real(suite, values))

    def swept():
        return sweep.run_sweep(suite, [{}], done=done, jobs=1, progress=lambda *_: None)

    (trial,) = swept()
    assert {place: numbers["quality"] for place, numbers in trial.by_set.items()} == {str(one): 1.0, str(other): 0.0}
    assert trial.quality == 0.5
    assert (swept(), len(ran)) == ([trial], 1)
    (other / "queries.jsonl").write_text('{"id": "q", "text": "Where does the cellar key hang?"}\n')
    assert (swept()[0].quality, len(ran)) == (1.0, 2), "the data have changed"
    monkeypatch.setattr(sweep, "__version__", "another")
    swept()
    assert len(ran) == 3


def test_tuning_writes_a_configuration_that_can_be_loaded_with_its_evidence(suite, tmp_path):
    out = tmp_path / "winner.toml"
    run("tune", suite, "--param", "minScore=.5,.99", "--jobs", 1, "--out", out)
    written = out.read_text()
    assert written.startswith("# Tuned on notebooks: the best of 3 configurations.")
    from hookclaw_py.config import Config

    assert Config.load(out).enable_vector is False
    best = sweep.Trial(
        {"convexWeights.bm25": 1, "timezone": "Europe/Berlin", "skipPatterns": ["a\\b", "🔒.*"]}, 0.5, 0.5, 1.0, {}
    )
    from hookclaw_py.evaluation import tune

    tune.write_winner(out, sweep.load_suite(suite), best, ["because"], 2)
    loaded = Config.load(out)
    assert (loaded.convex_weights.bm25, loaded.timezone, loaded.skip_patterns) == (1, "Europe/Berlin", ("a\\b", "🔒.*"))


def test_the_evidence_names_what_changed(suite):
    from hookclaw_py.evaluation import tune

    suite.write_text(SUITE.replace("limit = 12", "limit = 48"))
    found = sweep.load_suite(suite)
    mute, unchanged = (sweep.Trial(values, 0.0, 0.0, 1.0, {}) for values in ({"minScore": 1.0}, {}))
    assert any("home fire" in line and "worse" in line for line in tune.evidence(found, mute, seed=0))
    assert tune.evidence(found, unchanged, seed=0) == ["the base configuration is the best of the sweep"]


def test_a_holdout_is_never_tuned_on(suite, tmp_path):
    suite.write_text(SUITE.replace('"dev"', '"test"'))
    with pytest.raises(SetError, match="has no prompts that tuning may look at"):
        sweep.open_tunable(sweep.load_suite(suite))


def test_a_suite_says_what_is_wrong_with_it(tmp_path):
    for content, said in (
        ("sets = []", "needs `sets`"),
        ("nonsense = 1", "unknown keys nonsense"),
        ("=", "cannot be read"),
    ):
        (tmp_path / "s.toml").write_text(content)
        with pytest.raises(SetError, match=said):
            sweep.load_suite(tmp_path / "s.toml")


def test_a_set_without_prompts_is_told_and_not_run(tmp_path):
    (tmp_path / "note.md").write_text("The boat lies at quay 7.\n")
    (tmp_path / "prompts.jsonl").touch()
    with pytest.raises(SetError, match="no prompts to ask"):
        run("run", tmp_path)
    own_set = Path(__file__).parents[2] / "eval/examples/own_set"
    with pytest.raises(SetError, match="no prompts of split winter to ask"):
        run("run", own_set, "--split", "winter")


def test_where_a_result_cannot_be_written_nothing_is_run(tmp_path):
    with pytest.raises(FileNotFoundError):
        run("run", tmp_path, "--json", tmp_path / "nowhere/result.json")


def test_a_grid_is_every_combination_and_a_draw_is_seeded():
    assert sweep.grid(["a=1,2", "b=x"], draws=None, seed=0) == [{}, {"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    drawn = sweep.grid(["a=0.2..0.8", "b=1,2"], draws=5, seed=7)
    assert drawn == sweep.grid(["a=0.2..0.8", "b=1,2"], draws=5, seed=7)
    assert all(0.2 <= values["a"] <= 0.8 and values["b"] in (1, 2) for values in drawn[1:])
    for wrong in ("a", "a=", "a=1..x", "a=1..2"):
        with pytest.raises(ConfigError):
            sweep.grid([wrong], draws=None, seed=0)


def test_the_front_holds_what_nothing_beats():
    def trial(quality, silence, ms):
        return sweep.Trial({"q": quality, "s": silence, "ms": ms}, quality, silence, ms, {})

    best, quick, poor, twin = trial(0.9, 0.9, 9), trial(0.5, 0.5, 1), trial(0.4, 0.5, 2), trial(0.9, 0.9, 9)
    assert sweep.pareto_front([best, quick, poor, twin]) == [best, quick, twin]


def test_a_gating_set_is_sorted_by_the_gate_alone(tmp_path):
    rows = [
        {"id": "1", "text": "ok", "label": "no_memory", "source": "ours"},
        {"id": "2", "text": "What did we decide about the signing keys?", "label": "needs_memory", "source": "ours"},
    ]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("run", tmp_path, "--json", tmp_path / "r.json", "--html", tmp_path / "r.html")
    found = json.loads((tmp_path / "r.json").read_bytes())["gating"]["by_label"]
    assert {row["label"]: row["skipped"] for row in found} == {"no_memory": 1.0, "needs_memory": 0.0}
    assert "prompt too short" in (tmp_path / "r.html").read_text()
    worse = json.loads((tmp_path / "r.json").read_bytes())
    worse["prompts"]["2"]["outcome"] = "skipped"
    assert compared_with(tmp_path / "r.json", worse) == {
        "skipped: needs_memory": (0.0, 1.0, True),
        "skipped: no_memory": (1.0, 1.0, False),
    }
    worse["gating"]["by_label"][0]["skipped"] = 1.0
    (problem,) = missed_by(tmp_path / "r.json", worse)
    assert problem.startswith("gating.by_label.needs_memory.skipped: expected 0.000")
    assert problem.endswith(": worse")


def compared_with(file, other):
    """Return both means of each measure, and whether lower is better."""
    (file.parent / "other.json").write_text(json.dumps(other))
    rows = json.loads(run("compare", file, file.parent / "other.json", "--json"))
    return {row["measure"]: (row["first"], row["second"], row["lower_is_better"]) for row in rows}


def missed_by(file, other):
    run("expected", file, "--out", file.parent / "goal.json")
    assert expect.missed(json.loads(file.read_bytes()), file.parent / "goal.json") == []
    return expect.missed(other, file.parent / "goal.json")


def test_results_of_which_nothing_can_be_compared_or_expected_are_told(tmp_path):
    bare = {"format": 1, "version": "1", "model": "", "config": {}, "set": {"name": "s", "digest": "d"}, "prompts": {}}
    with pytest.raises(SetError, match="no prompt in common"):
        compare.compare(bare, bare)
    with pytest.raises(SetError, match="no number that can be expected"):
        expect.expectation(bare, tolerance=0.1)
    (tmp_path / "goal.json").write_text(json.dumps({"digest": "d", "numbers": {}}))
    with pytest.raises(SetError, match="expects no number"):
        expect.missed(bare, tmp_path / "goal.json")


def test_one_prompt_that_two_results_share_shows_no_difference():
    assert compare.randomisation_test(np.array([0.5]), seed=0) == 1.0


def test_phrases_of_time_have_a_table_of_their_own(tmp_path):
    rows = [
        {"id": "1", "text": "what did we do yesterday?", "source": "ours", "reference_time": "2026-02-20T12:00:00",
         "expected": [{"start": "2026-02-19", "end": None}]},
        {"id": "2", "text": "what may that be?", "source": "ours", "negative": True, "expected": []},
    ]  # fmt: skip
    (tmp_path / "vectors.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = run("run", tmp_path, "--json", tmp_path / "r.json")
    (row,) = json.loads((tmp_path / "r.json").read_bytes())["temporal"]["by_source"]
    assert row == {"source": "ours", "prompts": 1, "negatives": 1, "found": 1, "overlap": 1, "start": 1, "false": 0}
    assert "Phrases of time" in printed
    worse = json.loads((tmp_path / "r.json").read_bytes())
    worse["prompts"]["1"]["start"], worse["prompts"]["2"]["found"] = False, True
    assert compared_with(tmp_path / "r.json", worse) == {
        "time: found": (1.0, 1.0, False),
        "time: overlap": (1.0, 1.0, False),
        "time: start": (1.0, 0.0, False),
        "false time: found": (0.0, 1.0, True),
    }
    worse["temporal"]["by_source"][0]["false"] = 1.0
    (problem,) = missed_by(tmp_path / "r.json", worse)
    assert problem.startswith("temporal.by_source.ours.false: expected 0.000")
    assert problem.endswith(": worse")


def test_a_value_can_be_changed_in_a_file_and_on_the_line(tmp_path):
    from hookclaw_py.cli.evaluating import config_of

    (tmp_path / "c.toml").write_text("max_results = 5\n[rrfWeights]\nbm25 = 0.9\n")
    config = config_of(tmp_path / "c.toml", ["rrfWeights.vector=0.1", "lexicalBackend=rank-bm25", "minScore=0.4"])
    assert (config.max_results, config.rrf_weights.bm25, config.rrf_weights.vector) == (5, 0.9, 0.1)
    assert (config.lexical_backend, config.min_score) == ("rank-bm25", 0.4)
    with pytest.raises(ConfigError, match="not KEY=VALUE"):
        config_of(None, ["minScore"])
    with pytest.raises(ConfigError, match="minScore"):
        config_of(None, ["minSkore=1"])


def test_by_session_the_run_file_names_sessions(tmp_path):
    corpus = [{"id": f"d{n}", "text": f"structlog note {n}", "session": f"s{n // 2}"} for n in range(4)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "text": "What was the structlog note about?"}\n')
    (tmp_path / "qrels.session.tsv").write_text("q 0 s1 1\n")
    run("run", tmp_path, *KEYWORDS, "--run-out", tmp_path / "r.run", "--session-pool", "mean3", "--negatives", "none")
    assert {line.split()[2] for line in (tmp_path / "r.run").read_text().splitlines()} == {"s0", "s1"}


def test_the_files_of_a_run_are_written_although_nobody_reads_what_it_prints(tmp_path):
    asked = Path(__file__).parents[2] / "eval/examples/own_set"
    command = [
        sys.executable,
        "-P",
        "-m",
        "hookclaw_py",
        "eval",
        "run",
        asked,
        *KEYWORDS,
        "--json",
        tmp_path / "r.json",
    ]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(120)
    assert json.loads((tmp_path / "r.json").read_bytes())["set"]["prompts"] == 5


def test_numbers_are_written_short():
    assert [tables.number(x) for x in (0.5, 1.0, 0.0, None, -0.25)] == [".500", "1.000", ".000", "–", "-0.250"]
    written = tables.markdown(tables.Sheet("T", ["a|b", ""], [["x", ""]]))
    assert written == "**T**\n\n| a\\|b |   |\n| --- | ---: |\n| x |   |\n"


def test_charts_escape_what_they_draw():
    drawn = charts.line_chart([charts.Series("<b>", [(0, 0), (1, 1)], (0.5, 0.5))], title="t", x_title="x", y_title="y")
    assert "<b>" not in drawn
    assert charts.binned([0.0, 0.05, 1.0], 10) == [pytest.approx(2 / 3), *[0.0] * 8, pytest.approx(1 / 3)]
    assert charts.binned([], 2) == [0.0, 0.0]
    assert charts.bar_chart([("x", [None, 2.0])], ["a", "b"], unit="ms").count("2.00 ms") == 1


def test_help_names_every_command():
    printed = run("--help")
    assert all(name in printed for name in ("run", "compare", "sweep", "tune", "expected"))


def test_a_table_that_is_too_wide_either_way_is_printed_all_the_same(capsys, monkeypatch):
    """It was turned on its side and back again, until there was no more room on the stack."""
    monkeypatch.setenv("COLUMNS", "60")
    heads = ("what is told", "prompts", "beside the others")
    rows = [["a-measure-whose-name-goes-on-for-longer-than-the-whole-screen-is-wide", "20", "1.000"]] * 2
    evaluating.print_sheets("wide", [tables.Sheet("wide", heads, rows)])
    assert capsys.readouterr().out.count("1.000") == 2


def test_a_comparison_is_whole_on_a_screen_of_eighty_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    measured = ("R@1 by chunk", "R@5 by chunk", "nDCG@10 by chunk", "RR by chunk", "carry: whole", "home fire")
    found = [compare.Difference(name, 312, 0.5, 0.123, -0.4, -0.2, 1, 9, 0.001) for name in measured]
    evaluating.print_sheets("compared", [compare.sheet(found, ("first", "second"))])
    printed = capsys.readouterr().out
    assert all(name in printed for name in (*measured, "difference", "95 % interval", "better / worse"))
    assert printed.count("-0.400 to -0.200") == len(measured)
    assert max(map(len, printed.splitlines())) <= 80


def test_heads_of_a_table_fold_between_words(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    heads = ["a relevant chunk whole", "every one whole", "at least in part", "the answer's words"]
    heads += ["precision", "chunks an injection", "characters", "tokens"]
    row = ["1.000"] * 5 + ["1.6", "1000.4", "330.0"]
    evaluating.print_sheets("carry", [tables.Sheet("carry", heads, [row])])
    printed = capsys.readouterr().out
    assert all(head in printed for head in ("precision", "characters", "tokens"))
    assert printed.split()[-8:] == row, "no figure lost its end"
