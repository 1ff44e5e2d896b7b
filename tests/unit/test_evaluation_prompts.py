"""Recorded prompts: what is kept and what is not, judging them, taking them elsewhere, asking them again."""

from __future__ import annotations

import json
import sqlite3
import stat
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.prompt_commands import prompts_group
from hookclaw_py.config import Config, home
from hookclaw_py.engine import Engine
from hookclaw_py.errors import StoreError
from hookclaw_py.evaluation import folders, prompts
from hookclaw_py.evaluation.sets import SetError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Injection, Message, Outcome, Prompt
from hookclaw_py.observe.recording import PromptLog, RecordedPrompt
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.store.agents import agent_folder
from hookclaw_py.store.database import Store
from tests.conftest import candidate

AT = datetime(2026, 2, 20, 12, tzinfo=UTC)
ASKED = "Which format did we choose for logging, structlog with JSON?"


def run(*arguments, keys=None):
    result = CliRunner().invoke(prompts_group, [str(a) for a in arguments], input=keys, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def folder():
    place = agent_folder(home(), "main")
    Store.open(place).close()
    return place


@pytest.fixture
def engine(folder, tmp_path):
    """An agent whose one note was indexed, and whose prompt was recorded with what was injected for it."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-10.md").write_text(
        "- We log JSON with structlog, one object a line.\n", encoding="utf-8"
    )
    (home() / "config.toml").write_text("enable_vector = false\n")
    config = Config(enable_vector=False)
    with Engine.open(config) as opened:
        opened.index(tmp_path)
        prompt = Prompt(ASKED, AT, "main", session_id="s", audience=Audience.OWNER)
        injection = opened.recall(prompt, as_of=True)
        assert injection.outcome is Outcome.INJECTED
        PromptLog(folder).record(prompt, injection, fingerprint=config.fingerprint)
        yield opened


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("my key is sk-proj-abcdefghijklmnop1234", "my key is [redacted]"),
        ("use ghp_ABCDEFGHIJKLMNOPQRSTUVWX please", "use [redacted] please"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        ("export API_KEY=abc123def456", "export API_KEY=[redacted]"),
        ('{"password": "hunter2hunter2"}', '{"password": "[redacted]"}'),
        ("the password is hunter2hunter2, ok?", "the password is [redacted], ok?"),
        ("Das Passwort ist geheim123!", "Das Passwort ist [redacted]"),
        ("Authorization: Bearer abcdefghijklmnopqrst", "Authorization: Bearer [redacted]"),
        ("postgres://bob:s3cret@db/x", "postgres://bob:[redacted]@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "[redacted]\nend"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig-nature", "[redacted]"),
        ("What did we decide about password hashing and token lifetimes?", None),
        ("the api key rotation policy is quarterly", None),
    ],
)
def test_secrets_are_taken_out_and_ordinary_words_stay(said, kept):
    assert redact(said) == (said if kept is None else kept)


def test_a_prompt_is_recorded_with_its_context_and_decision_and_without_secrets(folder):
    prompt = Prompt(
        "token=abcdef123456 what now?",
        AT,
        "main",
        session_id="s1",
        recent=[Message("user", "password=abcdef123456")],
        audience=Audience.OWNER,
    )
    chosen, rejected = candidate("one", relevance=0.8), candidate("two", relevance=0.3)
    injection = Injection("i1", Outcome.INJECTED, Why(Reason.RELEVANT), "block", (chosen,), (rejected,))
    log = PromptLog(folder)
    log.record(prompt, injection, fingerprint="f")
    (found,) = log.all()
    assert found.prompt.text == "token=[redacted] what now?"
    assert found.prompt.recent == (Message("user", "password=[redacted]"),)
    assert (found.prompt.received_at, found.prompt.session_id, found.fingerprint) == (AT, "s1", "f")
    assert (found.outcome, found.relevance, found.chunk_ids) == ("injected", 0.8, (chosen.chunk.id,))
    assert b"abcdef123456" not in log.file.read_bytes()
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600
    assert log.add(found) is False, "the same prompt twice is one row"


def test_labels_are_kept_and_wrong_ones_refused(folder):
    log = PromptLog(folder)
    assert log.all() == []
    assert log.forget() == 0
    log.add(RecordedPrompt("p", Prompt("x", AT, "main", audience=Audience.OWNER), "silent", "", 0.1, (), ""))
    log.label("p", "should speak")
    assert log.all()[0].label == "should speak"
    with pytest.raises(StoreError, match="is no label"):
        log.label("p", "nice")
    with pytest.raises(StoreError, match="has no prompt 'q'"):
        log.label("q", "helped")
    log.file.write_bytes(b"not a database, really not" * 100)
    with pytest.raises(StoreError, match="cannot be read or written"):
        log.all()


def test_judging_is_a_key_for_each_prompt_and_the_export_is_a_workspaces_file(engine, folder, tmp_path):
    printed = run("label", keys="h\n")
    assert ASKED in printed
    assert "  - memory/2026-02-10.md:1-1\n    - We log JSON with structlog, one object a line.\n" in printed
    assert "nothing to judge" in run("label")
    (line,) = [json.loads(row) for row in run("export", "--labelled").splitlines()]
    assert (line["prompt"], line["label"], line["outcome"]) == (ASKED, "helped", "injected")
    assert line["relevant"] == ["- We log JSON with structlog, one object a line."]
    run("export", "--out", tmp_path / "prompts.jsonl")
    found = folders.open_set(tmp_path)
    assert list(found.judged("chunk")) == [line["id"]]
    run("label", "--again", keys="s\n")
    run("export", "--out", tmp_path / "prompts.jsonl")
    assert not folders.open_set(tmp_path).prompts[0].answerable


def test_what_was_recorded_but_not_judged_is_not_called_unrecorded(engine):
    assert "none of 1 recorded prompts was judged; `hookclaw prompts label`" in run("export", "--labelled")


def test_a_key_that_was_not_offered_is_asked_for_again_and_the_end_says_what_was_judged(engine, folder):
    printed = run("label", keys="y\nm\nh\n")
    assert all(said in printed for said in ("'y' is none of these", "'m' is none of these", "1 of 1 judged"))
    assert [one.label for one in PromptLog(folder).all()] == ["helped"]


def test_quitting_and_postponing_label_nothing(engine, folder):
    log = PromptLog(folder)
    log.add(
        RecordedPrompt("later", Prompt("Is it late?", AT, "main", audience=Audience.OWNER), "silent", "", 0.1, (), "")
    )
    run("label", keys="\nq\n")
    assert [one.label for one in log.all()] == ["", ""]
    run("label", keys="\nm\n")
    assert sorted(one.label for one in log.all()) == ["", "should speak"]


def test_asking_again_does_not_see_what_was_written_later(engine, folder):
    log = PromptLog(folder)
    log.add(
        RecordedPrompt(
            "early",
            Prompt(ASKED, datetime(2026, 2, 1, 12, tzinfo=UTC), "main", audience=Audience.OWNER),
            "silent",
            "",
            0.0,
            (),
            "",
        )
    )
    changes = {row["id"]: row["change"] for row in map(json.loads, run("replay", "--json").splitlines())}
    assert changes["early"] == "same"


def test_asking_again_says_what_changed_and_records_nothing(engine, folder):
    log = PromptLog(folder)
    log.label(log.all()[0].id, "helped")
    log.add(
        RecordedPrompt(
            "other",
            Prompt("Where is the gratin recipe from grandmother?", AT, "main", audience=Audience.OWNER),
            "injected",
            "",
            0.6,
            ("0" * 16,),
            "",
        )
    )
    log.add(
        RecordedPrompt(
            "moved", Prompt(ASKED, AT, "main", audience=Audience.OWNER), "injected", "", 0.6, ("0" * 16,), ""
        )
    )
    log.add(RecordedPrompt("mute", Prompt(ASKED, AT, "main", audience=Audience.OWNER), "silent", "", 0.4, (), ""))
    rows = {row["id"]: row for row in map(json.loads, run("replay", "--json").splitlines())}
    assert {name: row["change"] for name, row in rows.items() if name in ("other", "moved", "mute")} == {
        "other": "now silent",
        "moved": "other memories",
        "mute": "now injected",
    }
    assert sorted(row["change"] for row in rows.values()) == ["now injected", "now silent", "other memories", "same"]
    printed = run("replay")
    assert "4 recorded prompts of agent main" in printed
    assert "gratin" in printed
    assert len(log.all()) == 4


def transcript(*messages):
    head = {"type": "session", "id": "sess-1"}
    events = [{"type": "message", "id": f"m{n}", "message": message} for n, message in enumerate(messages)]
    return "\n".join(json.dumps(event) for event in [head, {"type": "model_change"}, 5, *events]) + "\n"


def test_transcripts_give_what_the_user_wrote_with_what_was_said_before(engine, folder, tmp_path):
    block = "<relevant_memories>\n  <memory>old</memory>\n</relevant_memories>\n\n"
    (tmp_path / "s.jsonl").write_text(
        transcript(
            {"role": "user", "content": f"{block}What about the logs?", "timestamp": 1771588800000},
            {"role": "assistant", "content": [{"type": "text", "text": "JSON."}]},
            {"role": "user", "content": [{"type": "text", "text": "And the key sk-proj-abcdefghijklmnop1234?"}]},
            {"role": "user", "content": ""},
        )
    )
    assert run("import", tmp_path / "s.jsonl").strip() == "2 new prompts from 1 transcripts"
    assert run("import", tmp_path).strip() == "0 new prompts from 1 transcripts", "a second time nothing is new"
    found = {one.prompt.text: one for one in PromptLog(folder).all() if one.reason == "imported"}
    assert set(found) == {"What about the logs?", "And the key [redacted]?"}
    first, second = found["What about the logs?"], found["And the key [redacted]?"]
    assert first.prompt.received_at == AT
    assert first.prompt.session_id == "sess-1"
    assert [message.text for message in second.prompt.recent] == ["What about the logs?", "JSON."]
    rows = [json.loads(row) for row in run("replay", "--json").splitlines()]
    assert sum(row["change"] == "new" for row in rows) == 2


def test_a_broken_transcript_is_named(tmp_path):
    (tmp_path / "s.jsonl").write_text("{\n")
    with pytest.raises(SetError, match=r"s\.jsonl:1: is not JSON"):
        list(prompts.from_transcript(tmp_path / "s.jsonl", agent="main"))
    (tmp_path / "s.jsonl").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(SetError, match="cannot be read"):
        list(prompts.from_transcript(tmp_path / "s.jsonl", agent="main"))
    (tmp_path / "s.jsonl").unlink()
    with pytest.raises(SetError, match="no session transcripts"):
        prompts.transcripts(tmp_path)


def test_what_was_exported_is_no_transcript_and_is_refused_in_words(engine, folder, tmp_path):
    out = tmp_path / "prompts.jsonl"
    run("export", "--out", out)
    with pytest.raises(SetError, match=r"prompts\.jsonl:1: was written by `hookclaw prompts export`"):
        list(prompts.from_transcript(out, agent="main"))


def test_forgetting_deletes_every_word(engine, folder):
    assert run("forget", "--yes").strip() == "1 prompts deleted"
    assert ASKED.encode() not in PromptLog(folder).file.read_bytes()


@pytest.mark.timeout(60)  # 20 kB took twelve seconds, and no other thread ran meanwhile
@pytest.mark.parametrize("line", ["a-" * 100_000, "eyJabc-" * 30_000, "token " * 40_000, "x" * 200_000])
def test_a_long_pasted_line_is_searched_for_secrets_at_once(line):
    assert redact(f"{line} api_key=hunter22").endswith(" api_key=[redacted]")


def test_a_prompt_does_not_wait_for_whoever_holds_the_recordings(folder, tmp_path):
    (tmp_path / "MEMORY.md").write_text("We log JSON with structlog, one object a line.\n")
    with Engine.open(Config(enable_vector=False, record_prompts=True)) as engine:
        engine.index(tmp_path)
        engine.recall(ASKED)
        other = sqlite3.connect(PromptLog(folder).file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        injection = engine.recall(ASKED)
        other.close()
    assert injection.outcome is Outcome.INJECTED
    assert [fault.stage for fault in injection.faults] == ["record"]


def test_without_recorded_prompts_the_commands_say_so(folder):
    for command in ("export", "replay"):
        assert "nothing recorded yet" in run(command)
