"""Claude Code's hook without its process: ids, paths, transcripts, and what it costs to start."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from hookclaw_py.doors.protocol import AGENT_ID
from hookclaw_py.hosts import caller
from hookclaw_py.hosts.caller import Failed
from hookclaw_py.hosts.claude_code import hook as claude_code
from hookclaw_py.hosts.claude_code import spool


def test_a_projects_agent_id_is_its_name_and_a_hash_of_its_path(tmp_path):
    here, there = tmp_path / "a" / "shop", tmp_path / "b" / "shop"
    for folder in (here, there):
        folder.mkdir(parents=True)
    ident = claude_code.agent_id(str(here))
    assert re.fullmatch(r"shop-[0-9a-f]{12}", ident)
    assert ident == claude_code.agent_id(str(here) + "/../shop/")  # the folder counts, not how it is written
    assert ident != claude_code.agent_id(str(there))


def test_the_agent_id_is_the_same_in_every_release(tmp_path):
    """A change would cut every user off from their notes."""
    assert claude_code.agent_id("/nowhere/shop") == "shop-8d3878915ae5"


@pytest.mark.parametrize("name", ["Ünïcode Prøject", "...", "-x-", "a" * 200, "購物", "with space", "..", "/"])
def test_every_folder_name_gives_an_agent_id(name):
    assert AGENT_ID.fullmatch(claude_code.agent_id(f"/nowhere/{name}"))


def test_the_socket_is_below_our_home_unless_the_path_is_too_long(monkeypatch, tmp_path):
    monkeypatch.setenv("HOOKCLAW_HOME", "/home/u/.hookclaw")
    assert caller.socket_path() == "/home/u/.hookclaw/run/hookclaw.sock"
    long = [f"/home/{'x' * 120}/{n}" for n in "ab"]
    paths = []
    for home in long:
        monkeypatch.setenv("HOOKCLAW_HOME", home)
        paths.append(caller.socket_path())
    assert len(set(paths)) == 2
    assert all(len(path) <= 104 and path.startswith("/tmp/hookclaw-") for path in paths)


def test_a_socket_folder_open_to_others_is_not_trusted(monkeypatch, tmp_path):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path))
    monkeypatch.setattr(caller, "socket_path", lambda: str(tmp_path / "run" / "x.sock"))
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o755)
    with pytest.raises(Failed, match="open to other users"):
        caller.ask("health", {})


def transcript(folder: Path, *entries: dict[str, object]) -> str:
    file = folder / "transcript.jsonl"
    file.write_text("cut li\n" + "".join(json.dumps(entry) + "\n" for entry in entries) + "\n[]\n", encoding="utf-8")
    return str(file)


def said(kind: str, content: object, **more: object) -> dict[str, object]:
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


def test_the_last_answer_is_what_the_assistant_wrote_since_the_last_prompt(tmp_path):
    path = transcript(
        tmp_path,
        said("assistant", [{"type": "text", "text": "an earlier turn"}]),
        said("user", "the prompt"),
        said("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me look."}]),
        said("assistant", [{"type": "tool_use", "name": "Read"}]),
        said("user", [{"type": "tool_result", "content": "file"}]),
        said("assistant", [{"type": "text", "text": "from a sub-agent"}], isSidechain=True),
        {"type": "summary", "summary": "x"},
        said("assistant", [{"type": "text", "text": "It is 5432."}]),
    )
    assert claude_code._last_answer({"transcript_path": path}) == "Let me look.\n\nIt is 5432."
    assert claude_code._last_answer({"transcript_path": path, "last_assistant_message": "given"}) == "given"


def test_a_big_transcript_is_read_from_its_end_only(tmp_path):
    entries = [said("user", "x" * 1000) for _ in range(2000)]
    path = transcript(tmp_path, *entries, said("assistant", "the end"))
    assert claude_code._last_answer({"transcript_path": path}) == "the end"


def test_the_log_makes_way_for_a_new_one_when_it_has_grown(monkeypatch, tmp_path):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path))
    file = Path(caller.log_file())
    file.write_bytes(b"x" * (caller._LOG_BYTES + 1))
    assert not Path(caller.log_file()).exists()
    assert file.with_name("claude-code.log.1").exists()


def test_the_hook_imports_nothing_that_starts_slowly():
    script = "import sys, hookclaw_py.hosts.claude_code.hook; print(*sys.modules)"
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    ran = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True, env=env)
    slow = "click orjson numpy pydantic logging asyncio subprocess hashlib tempfile pathlib dataclasses"
    assert not set(ran.stdout.split()) & set(slow.split())


def _line(word: str) -> str:
    return json.dumps({"agentId": "main", "report": {"kind": "prompt", "payload": {"text": word}}}) + "\n"


def test_what_a_killed_hook_had_taken_is_not_overwritten_by_one_with_its_process_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path))
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / f"claude-code.jsonl.{os.getpid()}").write_text(_line("left behind"))
    (folder / "claude-code.jsonl").write_text(_line("new"))
    taken = [path for path, _, _ in spool.taken()]
    kept = "".join(file.read_text() for file in folder.iterdir())
    assert len(taken) == 1
    assert "new" in kept
    assert "left behind" in kept


def test_nobody_takes_a_file_while_somebody_writes_into_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path))
    report = {"kind": "prompt", "session": "s1", "at": 1, "audience": "owner", "folder": ""}
    spool.keep("main", {**report, "payload": {"text": "earlier"}})
    told: list[str] = []

    def tell() -> None:
        for path, waiting, _ in spool.taken():
            told.extend(one["report"]["payload"]["text"] for one in waiting)
            os.unlink(path)

    other = Thread(target=tell)
    write = os.write

    def slow(fd: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        other.start()
        other.join(0.5)  # it would have told of the file, and deleted it
        return write(fd, data)

    monkeypatch.setattr(os, "write", slow)
    spool.keep("main", {**report, "payload": {"text": "meanwhile"}})
    other.join()
    tell()
    assert told == ["earlier", "meanwhile"]
