"""Weights files: what each piece of evidence counts is data, with what it was made of; a model without says so."""

from __future__ import annotations

import copy
import importlib
import json
import logging
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Outcome, build
from hookclaw_py.calibration import weights
from hookclaw_py.calibration.constants import flat, names_of
from hookclaw_py.calibration.features import TABLE
from hookclaw_py.errors import ConfigError
from hookclaw_py.insight.printing import print_status
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.search import loading
from hookclaw_py.testing.fakes import HashEmbedder
from tests.conftest import write_notes

ROOT = Path(__file__).parents[2]
WRITTEN = weights.written_for(weights.DEFAULT)
ASKED_AT = datetime(2026, 2, 20, 12, tzinfo=UTC)
NOTE = "# Boathouse\n\nThe winch key of the boathouse hangs behind the boiler.\n"


def test_the_file_says_what_it_was_made_of():
    assert re.fullmatch(r"eval/fit_calibration\.py, \d{4}-\d\d-\d\d", WRITTEN["made"])
    assert len(WRITTEN["data"]) > 5
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in WRITTEN["data"].values())
    assert WRITTEN["data"].keys() >= {"notebooks"}


def test_the_model_that_comes_with_the_package_has_weights_of_its_own():
    assert weights.load(loading.embedder(Config()).model_id).own
    assert weights.load("sentence-transformers:all-MiniLM-L6-v2@0123").own


def test_weights_for_a_feature_that_there_is_not_are_refused():
    written = copy.deepcopy(WRITTEN)
    written["weights"]["files"]["full"]["order"]["charm"] = 2.0
    del written["constants"]["growth"]
    del written["constants"]["use"]["pardon"]
    written["constants"]["spelling"]["a_word"]["guessed"] = 3
    told = r"no feature is called charm; constants: growth; constants: spelling.a_word.guessed; constants: use.pardon$"
    with pytest.raises(ConfigError, match=told):
        weights.read(written)


def test_one_thing_too_many_or_too_few_is_enough_to_refuse_a_file():
    strange, lacking = copy.deepcopy(WRITTEN), copy.deepcopy(WRITTEN)
    strange["weights"]["files"]["full"]["order"]["charm"] = 2.0
    del lacking["constants"]["growth"]
    for written, told in ((strange, "no feature is called charm"), (lacking, "constants: growth")):
        with pytest.raises(ConfigError, match=told):
            weights.read(written)


def test_a_constant_of_the_file_decides_what_is_recalled(tmp_path):
    """Two notes that share half of their words are one subject, unless the file says otherwise."""
    for day, hour in (("2026-01-05", "08:15"), ("2026-02-05", "08:45")):
        write_notes(tmp_path, {f"memory/{day}.md": f"# Standup\n\nThe standup of the harbour team begins at {hour}.\n"})

    def newest(same_subject: float) -> list[bool]:
        written = copy.deepcopy(WRITTEN)
        written["constants"]["same_subject"] = same_subject
        config = Config(reader="off")
        store, lexical, embedder = build.store(None), build.lexical_index(config, None), loading.embedder(config)
        with Engine(store, lexical, embedder, config=config, calibration=weights.read(written)) as engine:
            engine.index(tmp_path)
            asked = Prompt(
                "When does the standup of the harbour team begin?", ASKED_AT, "main", audience=Audience.OWNER
            )
            return [c.superseded for c in engine.recall(asked).candidates]

    assert newest(same_subject=WRITTEN["constants"]["same_subject"]) == [False, True]
    assert not any(newest(same_subject=1.0))


def test_of_every_constant_the_file_says_what_was_tried_beside_it_and_on_what():
    searched = WRITTEN["searched"]
    assert re.fullmatch(r"eval/fit_constants\.py, \d{4}-\d\d-\d\d", searched["made"])
    assert {*searched["data"]} <= {"notebooks", "fjordside", "atelier", "lindenhof"}, "the others are for testing"
    assert {*searched["constants"]} == {*names_of()}
    values = flat(WRITTEN["constants"])
    for name, told in searched["constants"].items():
        assert told["tried"], name
        taken = re.match(r"(\S+) gains .*: taken, before it was ", told["found"])
        assert taken or re.match("nothing better; |none changes a verdict", told["found"]), name
        assert (str(values[name]) == taken[1]) if taken else (values[name] not in told["tried"]), name


def test_a_constant_is_only_changed_for_what_is_no_luck_and_loses_on_no_set(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "eval"))
    fit = importlib.import_module("fit_constants")
    (better, unlucky, unfair, idle) = tries = [fit.Try("spread", n) for n in range(4)]

    def asked(gained: int, lost: int) -> dict:
        present = [False] * 20 + [True] * 20
        tried = {
            better: [True] * 40,
            unlucky: [True] * 2 + present[2:],
            unfair: [n < gained for n in range(20)] + [n >= lost for n in range(20)],
            idle: present,
        }
        return {"as they are": fit.Round(present, tried)}

    found = fit.verdicts([asked(20, 0), asked(10, 12)], tries)
    assert [(v.gained, v.lost) for v in found] == [(40, 0), (4, 0), (30, 12), (0, 0)]
    assert found[2].p < 0.05
    assert [v.is_better for v in found] == [True, False, False, False]
    assert fit.found_of("spread", found, 5.0)["found"].startswith("0 gains 40 prompts and loses 0, p ")


@pytest.fixture
def other_model(tmp_path):
    (tmp_path / "Boathouse.md").write_text(NOTE)
    with Engine.in_memory(Config(), embedder=HashEmbedder(), strict=False) as engine:
        engine.index(tmp_path)
        yield engine


def test_a_model_without_weights_is_told_of_in_the_log_once(caplog):
    with caplog.at_level(logging.WARNING, "hookclaw"):
        assert weights.load("nobodys-model@1") == weights.load("nobodys-model@1")
    (told,) = [record.message for record in caplog.records]
    assert "no weights were fitted for the embedding model nobodys-model" in told


def test_a_model_without_weights_of_its_own_says_so_and_keywords_decide(other_model, capsys):
    calibration = other_model.pipeline.calibration
    assert calibration.weights.files.full == weights.load("").weights.files.keywords
    found = other_model.recall("Where does the winch key of the boathouse hang?")
    assert found.outcome is Outcome.INJECTED
    story = next(step.note for step in found.candidates[0].history if step.stage == "relevance")
    assert "by keywords alone: the model has no weights of its own" in story
    assert "meaning" not in story
    status = other_model.status()
    assert status.problems == ()
    assert "hash-16" in status.remarks[0]
    print_status(status)
    assert "no weights were fitted for the embedding model hash-16" in " ".join(capsys.readouterr().out.split())


def test_explain_shows_what_each_piece_counts(tmp_path):
    (tmp_path / "Boathouse.md").write_text(NOTE)
    with Engine.in_memory() as engine:
        engine.index(tmp_path)
        found = engine.recall("Where does the winch key of the boathouse hang?")
    story = next(step.note for step in found.candidates[0].history if step.stage == "relevance")
    told = {re.sub(r"[\d.]+%", "%.0f%%", part.rpartition(" ")[0]) for part in story.split(", ")}
    weighing = engine.pipeline.calibration.weights.files.full
    speaking = {f.told for f, weight in zip(TABLE.features, weighing.relevance, strict=True) if weight}
    assert told <= speaking | {"else", "covers %.0f%% of the prompt"}
    assert {"meaning", "rarity", "wording"} <= told


def test_every_feature_is_told_and_named_once():
    assert len(set(TABLE.names)) == len(TABLE.features)
    assert all(feature.told and feature.sense in (-1, 0, 1) for feature in TABLE.features)


def refitted(out: Path) -> dict:
    command = [sys.executable, "eval/fit_calibration.py", "eval/data/notebooks", "--limit", "60", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


def shape(value: object) -> object:
    return {key: shape(own) for key, own in value.items()} if isinstance(value, dict) else type(value).__name__


@pytest.mark.slow
def test_a_refit_on_the_notebooks_has_the_committed_shape_and_the_same_numbers_twice(tmp_path):
    pytest.importorskip("sklearn", reason="part of the extra `eval`")
    one, two = refitted(tmp_path / "one.json"), refitted(tmp_path / "two.json")
    assert one == two
    assert one["data"] == {"notebooks": WRITTEN["data"]["notebooks"]}
    assert list(one) == [
        name for name in WRITTEN if name not in ("reader", "searched")
    ]  # these are fitted beside the new weights
    assert shape(one["constants"]) == shape(WRITTEN["constants"])
    for sort, legs in WRITTEN["weights"].items():
        for leg, columns in legs.items():
            assert list(one["weights"][sort][leg]) == list(columns)
            assert {*one["weights"][sort][leg]["relevance"]} <= {*TABLE.names}
    assert weights.read(one).own


@pytest.mark.slow
def test_a_search_for_better_constants_asks_every_way_and_writes_down_what_it_found(tmp_path):
    pytest.importorskip("scipy", reason="part of the extra `eval`")
    names = ["company", "spelling.foreign", "use.reach"]
    command = [sys.executable, "eval/fit_constants.py", "eval/data/notebooks", "eval/data/vaults/atelier"]
    command += ["--limit", "6", "--only", *names, "--out", str(tmp_path / "out.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    written = json.loads((tmp_path / "out.json").read_text())
    told = [written["searched"]["constants"][name]["asked"] for name in names]
    assert told == ["as they are", "as they are, with a typo", "again"]
    assert written["constants"] == WRITTEN["constants"], "six prompts prove nothing"
    assert written["weights"] == WRITTEN["weights"]


def test_weights_of_its_own_need_no_remark_and_without_a_readers_nothing_is_read():
    assert weights.load("").remark == ""
    assert "no weights were fitted for the embedding model other" in weights.load("other").remark
    assert weights.read(WRITTEN).reader is not None
    assert weights.read({name: value for name, value in WRITTEN.items() if name != "reader"}).reader is None
