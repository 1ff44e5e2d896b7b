"""A vault's verdicts are those of a person who reads the block."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.eval_commands import eval_group
from hookclaw_py.evaluation.sets import SetError
from hookclaw_py.evaluation.vaults import Place as In
from hookclaw_py.evaluation.vaults import VaultPrompt, VaultVerdict, judged, load_vault
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Effect, Injection, Outcome, Step
from hookclaw_py.stages import render
from tests.conftest import NOW, candidate

OLD = candidate("rent: 820 a month", relevance=0.9, path="flat.md")
NEW = candidate("since August the rent is 870", relevance=0.8, path="2025.md")
BEHIND = OLD.noted(Step("supersession", 0.8, "superseded by 2025.md", Effect.SUPERSEDED))


def verdict(prompt: VaultPrompt, *shown: object) -> VaultVerdict:
    outcome = Outcome.INJECTED if shown else Outcome.SILENT
    block = render.render(shown, template="xml", max_chars=2000).text  # type: ignore[arg-type]
    return judged(prompt, Injection("1", outcome, Why(Reason.OTHER), block, candidates=shown)).verdict  # type: ignore[arg-type]


def prompt(**fields: object) -> VaultPrompt:
    return VaultPrompt("1", "plain", "en", "rent?", NOW, **fields)  # type: ignore[arg-type]


def test_an_answer_counts_where_place_and_words_are_in_the_block():
    asked = prompt(answers=(In("2025.md", ("870", "AUGUST")),))
    assert verdict(asked, OLD, NEW) is VaultVerdict.RIGHT
    assert verdict(asked, OLD) is VaultVerdict.WRONG
    assert verdict(asked) is VaultVerdict.MISSING
    assert verdict(prompt(answers=(In("flat.md", ("870",)),)), NEW) is VaultVerdict.WRONG


def test_an_answer_that_was_cut_out_of_the_block_is_none():
    long = candidate("A line of the lease.\n" * 20 + "the rent is 870 & no more", relevance=0.9, path="flat.md")
    asked = prompt(answers=(In("flat.md", ("rent is 870 & no",)),))
    for room, expected in ((2000, VaultVerdict.RIGHT), (300, VaultVerdict.WRONG)):
        block = render.render([long], template="xml", max_chars=room).text
        told = Injection("1", Outcome.INJECTED, Why(Reason.OTHER), block, candidates=(long,))
        assert judged(asked, told).verdict is expected


def test_what_is_outdated_may_only_follow_and_must_say_so():
    asked = prompt(answers=(In("2025.md", ("870",)),), stale=(In("flat.md", ("820",)),))
    assert verdict(asked, NEW) is VaultVerdict.RIGHT
    assert verdict(asked, NEW, BEHIND) is VaultVerdict.RIGHT
    assert verdict(asked, NEW, OLD) is VaultVerdict.WRONG
    assert verdict(asked, BEHIND, NEW) is VaultVerdict.WRONG


def test_without_an_answer_silence_is_right():
    assert verdict(prompt()) is VaultVerdict.RIGHT
    assert verdict(prompt(), OLD) is VaultVerdict.WRONG


def vault(folder: Path, *rows: dict[str, object]) -> Path:
    (folder / "notes").mkdir()
    (folder / "notes" / "Heat pump.md").write_text("Offer from Vaillant: 18,400 €\n", encoding="utf-8")
    (folder / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


PUMP = {
    "id": "1",
    "kind": "plain",
    "text": "what was the offer for the heat pump?",
    "at": "2026-02-20T09:00:00",
    "answers": [{"path": "Heat pump.md", "words": ["18,400"]}],
}


def test_words_that_are_not_in_their_note_are_an_error_that_names_both(tmp_path: Path):
    folder = vault(tmp_path, {**PUMP, "answers": [{"path": "Heat pump.md", "words": ["17,000"]}]})
    with pytest.raises(SetError, match=r"prompts.jsonl:1: '17,000' is not in Heat pump.md"):
        load_vault(folder)


def test_the_command_prints_rates_by_kind_and_writes_every_verdict(tmp_path: Path):
    folder = vault(tmp_path, PUMP, {**PUMP, "id": "2", "kind": "smalltalk", "text": "thanks!", "answers": []})
    out = tmp_path / "result.json"
    done = CliRunner().invoke(eval_group, ["run", str(folder), "--json", str(out)])
    assert done.exit_code == 0, done.output
    assert "all with an answer" in done.output
    verdicts = {name: line["verdict"] for name, line in json.loads(out.read_text())["prompts"].items()}
    assert verdicts == {"1": "right", "2": "right"}


def test_two_prompts_of_one_id_are_an_error(tmp_path: Path):
    with pytest.raises(SetError, match="id '1' occurs twice"):
        load_vault(vault(tmp_path, PUMP, PUMP))


def test_a_limit_holds_for_a_vault_and_a_split_is_refused(tmp_path: Path):
    folder, out = vault(tmp_path, PUMP, {**PUMP, "id": "2"}), tmp_path / "result.json"
    done = CliRunner().invoke(eval_group, ["run", str(folder), "--limit", "1", "--json", str(out)])
    assert done.exit_code == 0, done.output
    assert list(json.loads(out.read_text())["prompts"]) == ["1"]
    out.unlink()
    with pytest.raises(SetError, match="a vault set has no splits"):
        CliRunner().invoke(
            eval_group, ["run", str(folder), "--split", "dev", "--json", str(out)], catch_exceptions=False
        )
    assert not out.exists()
