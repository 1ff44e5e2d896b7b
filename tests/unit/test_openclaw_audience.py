"""Who hears the answer of an OpenClaw session: the table of ``plugin/audience.js``, by keys as the host builds them."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from hookclaw_py.hosts.openclaw.manifest import PLUGIN_FOLDER
from hookclaw_py.model.audience import Audience

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

OWNED = {"commands": {"ownerAllowFrom": ["discord:42", "+15550100", "telegram:user:7"]}}
DISCORD = {"messageProvider": "discord", "channelId": "c1"}
UI = {"messageProvider": "webchat"}

SESSIONS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # The owner's own doors
    ("owner", "agent:main:main", {}, {}),
    ("owner", "agent:main:main", UI, OWNED),
    ("owner", "agent:main:home", {}, {"session": {"mainKey": "Home"}}),
    ("owner", "agent:main:openai-user:u1", UI, {}),
    ("owner", "agent:main:openai:4c2f", {"messageProvider": "api"}, {}),
    ("owner", "agent:main:openresponses-user:u1", {}, {}),
    ("owner", "agent:main:explicit:project-x", {}, {}),
    ("owner", "agent:main:dashboard:pending", UI, {}),
    ("owner", "agent:main:web1", UI, {}),
    ("owner", "agent:main:tui-5f", {}, {}),
    ("owner", "agent:main:global", UI, {"session": {"scope": "global"}}),
    ("owner", "agent:main:main:thread:1740", DISCORD | {"senderId": "42"}, OWNED),
    # All direct messages in one session: one person's, as the host takes it, unless it names its owners
    ("owner", "agent:main:main", DISCORD | {"senderId": "43"}, {}),
    ("owner", "agent:main:main", DISCORD, OWNED),  # hosts before 2026.8 do not name the sender
    ("owner", "agent:main:main", DISCORD | {"senderId": "42"}, OWNED),
    ("person", "agent:main:main", DISCORD | {"senderId": "43"}, OWNED),
    ("unknown", "agent:main:main", DISCORD | {"senderId": "42"}, {"session": {"groupScope": "main"}} | OWNED),
    ("unknown", "agent:main:main", DISCORD, {"bindings": [{"session": {"groupScope": "main"}}]}),
    ("unknown", "agent:main:global", DISCORD, {"session": {"scope": "global"}}),
    # A session for each person
    ("owner", "agent:main:discord:direct:42", DISCORD | {"senderId": "42"}, OWNED),
    ("owner", "agent:main:discord:default:direct:42", DISCORD, OWNED),
    ("owner", "agent:main:discord:dm:42", DISCORD, OWNED),
    ("owner", "agent:main:whatsapp:direct:+15550100", {"messageProvider": "whatsapp"}, OWNED),
    ("owner", "agent:main:direct:alice", {"messageProvider": "telegram", "senderId": "7"}, OWNED),
    ("person", "agent:main:discord:direct:43", DISCORD | {"senderId": "43"}, OWNED),
    ("person", "agent:main:discord:direct:42", DISCORD | {"senderId": "43"}, OWNED),
    ("person", "agent:main:telegram:direct:42", {"messageProvider": "telegram", "senderId": "42"}, OWNED),
    ("person", "agent:main:discord:direct:42", DISCORD | {"senderId": "42"}, {}),
    ("person", "agent:main:discord:direct:42", DISCORD | {"senderId": "42"}, {"commands": {"ownerAllowFrom": ["*"]}}),
    # Groups and channels, seen from wherever
    ("group", "agent:main:discord:group:123", DISCORD | {"senderId": "42"}, OWNED),
    ("group", "agent:main:discord:group:123", UI, OWNED),
    ("group", "agent:main:telegram:group:-100:topic:5", {}, {}),
    ("group", "agent:main:group:legacy", {}, {}),
    ("group", "agent:main:whatsapp:1203@g.us", {}, {}),
    ("group", "agent:main:discord:work:group:1", DISCORD, {}),
    ("channel", "agent:main:discord:channel:123", DISCORD, OWNED),
    ("channel", "agent:main:slack:channel:c1:thread:1740", {"messageProvider": "slack"}, {}),
    ("channel", "agent:main:matrix:room:!a:b", {}, {}),
    ("channel", "agent:main:discord:guild-1:channel-2", DISCORD, {}),
    # No person
    ("machine", "agent:main:cron:job:run:1", {}, {}),
    ("machine", "agent:main:subagent:1", {}, {}),
    ("machine", "agent:main:main:subagent:1", UI, {}),
    ("machine", "agent:main:acp:1", {}, {}),
    ("machine", "agent:main:hook:gmail:1", {}, {}),
    ("machine", "agent:main:main:heartbeat", {}, {}),
    ("machine", "agent:main:main", {"inputProvenance": {"kind": "inter_session"}}, {}),
    # Whatever else
    ("unknown", "agent:main:something", {}, {}),
    ("unknown", "agent:main:something", DISCORD, {}),
    ("unknown", "agent:main:discord", DISCORD, {}),
    ("unknown", "agent:main:agent:main:main", UI, {}),
    ("unknown", "", {}, {}),
]


def test_every_session_has_the_audience_that_its_key_and_the_hosts_context_give_it():
    table = (PLUGIN_FOLDER / "audience.js").as_uri()
    code = f"""import {{ audienceOf }} from {json.dumps(table)};
        const asked = JSON.parse(process.argv[1]);
        console.log(JSON.stringify(asked.map(([key, ctx, config]) => audienceOf(key || undefined, ctx, config))));"""
    asked = json.dumps([session[1:] for session in SESSIONS])
    assert NODE is not None
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", code, asked], capture_output=True, text=True, timeout=20, check=True
    )
    found = [(heard, *session[1:]) for heard, session in zip(json.loads(done.stdout), SESSIONS, strict=True)]
    assert found == SESSIONS
    assert {heard for heard, *_ in found} == set(Audience)
