"""Every method of the line protocol, called by a client that has nothing of ours: lines on the pipes of a real process, from Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hookclaw_py.doors.requests import METHODS
from tests.e2e.sidecar import ASKED, PATIENCE, SERVE, workspace

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

OWNER = {"agentId": "main", "sessionKey": "agent:main:main", "audience": "owner"}
SAID = {
    "kind": "prompt",
    "session": "s",
    "run": "r",
    "audience": "owner",
    "payload": {"text": "The ferry leaves at nine."},
}
CLIENT = """
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const { command, calls } = JSON.parse(process.argv[1]);
const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
const waiting = [], lines = createInterface({ input: server.stdout });
lines.on("line", (line) => { const told = JSON.parse(line); const at = waiting.findIndex(([wanted]) => wanted(told)); if (at >= 0) waiting.splice(at, 1)[0][1](told); });
const hear = (wanted) => new Promise((resolve) => waiting.push([wanted, resolve]));
await hear((told) => told.ready);
const replies = [];
for (const [number, { method, params, then }] of calls.entries()) {
  const [reply, event] = [hear((told) => told.id === number), then ? hear((told) => told.event === then) : null];
  server.stdin.write(JSON.stringify({ id: number, method, params }) + "\\n");
  replies.push(await reply);
  await event;
}
const code = await new Promise((resolve) => { server.on("exit", resolve); server.stdin.end(); });
console.log(JSON.stringify({ replies, code }));
"""


class Asked(NamedTuple):
    """A good and a bad call of one method: what is given, and what the reply says; ``then`` is an event that the good one brings."""

    good: dict[str, Any]
    says: str
    bad: dict[str, Any]
    refused: str
    then: str = ""


TABLE: dict[str, Asked] = {
    "_configure": Asked(
        {"config": {"enableVector": False}}, '"fingerprint"', {"config": {"maxResults": "many"}}, "INVALID_PARAMS"
    ),
    "_reload": Asked({}, '"fingerprint"', {"force": True}, "INVALID_PARAMS"),
    "session_start": Asked(
        {**OWNER, "workspaceDir": "NOTES"}, "{}", {**OWNER, "workspace": "NOTES"}, "INVALID_PARAMS", "indexed"
    ),
    "before_agent_start": Asked({**OWNER, "prompt": ASKED}, "one JSON object a line", OWNER, "INVALID_PARAMS"),
    "agent_end": Asked(
        {**OWNER, "messages": [{"role": "assistant", "content": "One JSON object a line, with serilog."}]},
        '"used"',
        {**OWNER, "messages": "One JSON object a line."},
        "INVALID_PARAMS",
    ),
    "before_compaction": Asked(OWNER, "{}", {"audience": "owner"}, "INVALID_PARAMS"),
    "after_compaction": Asked(OWNER, "{}", {"audience": "owner"}, "INVALID_PARAMS"),
    "capture": Asked(
        {"agentId": "main", "host": "test", "reports": [SAID]},
        '"queued"',
        {"agentId": "main", "host": "test", "reports": SAID},
        "INVALID_PARAMS",
    ),
    "chat_command": Asked(
        {**OWNER, "name": "status"}, "**Memory of main**: running", {**OWNER, "name": "burn"}, "INVALID_PARAMS"
    ),
    "explain": Asked({**OWNER, "prompt": ASKED}, '"candidates"', OWNER, "INVALID_PARAMS"),
    "metrics": Asked({"agentId": "main"}, '"prompts"', {"agentId": 7}, "INVALID_PARAMS"),
    "health": Asked({}, '"protocol"', {"deep": True}, "INVALID_PARAMS"),
    "_subscribe": Asked({"channel": "main"}, "subscribed to main", {"channel": "a b"}, "SUBSCRIBE_ERROR"),
    "_unsubscribe": Asked({"channel": "main"}, "unsubscribed from main", {"channel": "cook"}, "UNSUBSCRIBE_ERROR"),
    "delivered": Asked(
        {"agentId": "main", "ids": [1]}, '{"delivered": 0}', {"agentId": "main", "ids": ["one"]}, "INVALID_PARAMS"
    ),
    "sessions": Asked({}, '"channels"', {"agentId": "main"}, "INVALID_PARAMS"),
    "_get_instance_routes": Asked({}, '"instance_routes"', {"agentId": "main"}, "INVALID_PARAMS"),
    "cancel": Asked({"id": "nobody's"}, "{}", {}, "INVALID_PARAMS"),
    "session_end": Asked({**OWNER, "reason": "over"}, "{}", {**OWNER, "reason": 7}, "INVALID_PARAMS"),
    "_shutdown": Asked({}, "{}", {"now": True}, "INVALID_PARAMS"),
}
"""In the order in which a host would call them."""


def test_every_method_has_a_good_and_a_bad_call():
    assert TABLE.keys() == METHODS.keys()


def test_every_method_answers_a_good_call_and_refuses_a_bad_one(tmp_path: Path):
    notes = str(workspace(tmp_path / "notes"))
    given = [
        {"method": method, "params": json.loads(json.dumps(params).replace('"NOTES"', json.dumps(notes))), "then": then}
        for method, asked in TABLE.items()
        for params, then in ((asked.bad, ""), (asked.good, asked.then))
    ]
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", CLIENT, json.dumps({"command": SERVE, "calls": given})],
        env={**os.environ, "HOOKCLAW_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    replies = iter(told["replies"])
    for method, asked in TABLE.items():
        refused, answered = next(replies), next(replies)
        assert refused["error"]["code"] == asked.refused, method
        assert asked.says in json.dumps(answered.get("result"), ensure_ascii=False), (method, answered)
    assert told["code"] == 0, "the last one ends it"
