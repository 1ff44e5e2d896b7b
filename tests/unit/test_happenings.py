"""A session's transcript tells what happened in it: under the same ids whenever it is read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from eval.make_diaries import make, session
from hookclaw_py.hosts.openclaw.envelope import ENVELOPE
from hookclaw_py.ingest.happenings import happenings
from hookclaw_py.ingest.spoken import TranscriptEvent
from hookclaw_py.model.happening import Happening, HappeningKind

DIARIES = Path(__file__).parents[2] / "eval/data/diaries"

DIARY = """@ 2026-03-02 23:50 agent:main:main
U 23:50: the export died
T exec {"command": "journalctl -u export"}
= ok
> No space left on device
T edit {"path": "export.toml", "old": "90", "new": "30"}
= ok
T exec {"command": "make check"}
= fail 2
> FAILED test_retention.py
A 23:58: The spool was full.
  I set it to 30.
C
U 00:02: thanks,
  that's it
"""


def read(events: list[dict[str, Any]]) -> list[Happening]:
    listed = [TranscriptEvent(line, event) for line, event in enumerate(events, 1)]
    return happenings(listed, ENVELOPE, host="openclaw", session="s")


def test_a_transcript_tells_prompts_calls_with_their_outcome_answers_and_compactions():
    key, events = session("s", DIARY)
    found = read(events)
    assert key == "agent:main:main"
    assert [str(one.kind) for one in found] == [
        *("prompt", "tool_call", "tool_call", "tool_call", "answer", "compaction", "prompt")
    ]
    looked, edited, checked = (one.payload for one in found if one.kind is HappeningKind.TOOL_CALL)
    assert (looked["tool"], looked["input"]["command"], looked["ok"]) == ("exec", "journalctl -u export", True)
    assert edited["input"] == {"path": "export.toml", "old": "90", "new": "30"}
    assert (checked["ok"], checked["error"], checked["output"]) == (False, "exit 2", "FAILED test_retention.py")
    assert found[4].payload["text"] == "The spool was full.\nI set it to 30."
    assert found[-1].payload["text"] == "thanks,\nthat's it"
    assert round((found[-1].at - found[0].at).total_seconds() / 60) == 12, "past midnight"
    assert len({one.run for one in found[:5]}) == 1
    assert found[-1].run != found[0].run


def test_the_same_transcript_gives_the_same_ids_and_a_longer_one_keeps_them():
    _, events = session("s", DIARY)
    ids = [one.id for one in read(events)]
    assert len(set(ids)) == len(ids)
    assert [one.id for one in read(events)] == ids
    assert [one.id for one in read(events[:4])] == ids[:2]


def test_what_the_host_began_and_what_followed_from_it_did_not_happen():
    _, events = session("s", DIARY.replace("the export died", "Read HEARTBEAT.md if it exists (workspace context). x"))
    assert [str(one.kind) for one in read(events)] == ["compaction", "prompt"]


def test_a_diary_becomes_files_as_the_host_writes_them(tmp_path: Path):
    (tmp_path / "ann" / "written").mkdir(parents=True)
    (tmp_path / "ann" / "written" / "001.txt").write_text(DIARY)
    assert make(tmp_path / "ann") == 1
    lines = (tmp_path / "ann" / "sessions" / "001.jsonl").read_text().splitlines()
    assert read([json.loads(line) for line in lines]) == read(session("ann-001", DIARY)[1])
    assert json.loads((tmp_path / "ann" / "sessions" / "keys.json").read_text()) == {"001": "agent:main:main"}


@pytest.mark.parametrize("diary", sorted(DIARIES.glob("*/written")), ids=lambda folder: folder.parent.name)
def test_the_committed_sessions_are_what_the_diaries_say(diary: Path, tmp_path: Path):
    shutil.copytree(diary, tmp_path / diary.parent.name / "written")
    make(tmp_path / diary.parent.name)
    made = {file.name: file.read_bytes() for file in (tmp_path / diary.parent.name / "sessions").iterdir()}
    assert made == {file.name: file.read_bytes() for file in (diary.parent / "sessions").iterdir()}


def test_a_line_that_is_none_of_a_diarys_is_told():
    with pytest.raises(ValueError, match="not a line of a diary: 'what'"):
        session("s", DIARY + "what\n")
