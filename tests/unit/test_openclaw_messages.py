"""The plugin and messages between agents: it asks the host to wake an agent, and tells what a turn has shown.

Rows P15 and P16, vector 13 of the specification of the memory palace.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit import test_openclaw_plugin as plugin

pytestmark = plugin.pytestmark
run = plugin.run

LINE = "hookclaw: message 12 from agent prime (question): deploy :now"
WAKE = {"agentId": "main", "sessionKey": "agent:main:web", "messages": [{"id": 12, "text": LINE}]}
WAKES = f"""
if method == "_subscribe": reply(line, {{"message": "subscribed"}}); tell({{"event": "wake", "params": {json.dumps(WAKE)}}}); continue
if method == "sessions": reply(line, {{"sessions": {{}}, "count": 0, "channels": []}}); continue
if prompt == "die": os._exit(1)
"""
HOST = """
const asked = [], methods = {};
const system = (how) => ({ enqueueSystemEvent: (text, options) => { asked.push(["event", text, options]); return true; }, [how]: (options) => asked.push([how, options]) });
const waking = (how = "requestHeartbeat") => { const host = api(); host.runtime.system = system(how); host.registerGatewayMethod = (name, fn) => { methods[name] = fn; }; return host; };
const heard = async (n) => { for (let i = 0; i < 200 && asked.length < n; i++) await sleep(25); };
const shows = (text) => fire("llm_input", { prompt: "Follow the scratch.", historyMessages: [{ role: "user", content: "hi" }, { role: "custom", content: [{ type: "text", text: `<<<BEGIN>>> ${JSON.stringify(text)}` }] }] });
const stop = async () => { out.asked = asked; await fire("gateway_stop", {}); };
"""


def delivered(out: dict[str, Any]) -> list[dict[str, Any]]:
    return [line["params"] for line in out["got"] if line["method"] == "delivered"]


def listened(out: dict[str, Any]) -> list[str]:
    return [line["params"]["channel"] for line in out["got"] if line["method"] == "_subscribe"]


def test_an_agent_is_woken_by_what_the_host_offers_every_plugin(run):
    out = run(f"{HOST} plugin.register(waking()); await inGateway(); await heard(2); await stop();", body=WAKES)
    (event, text, options), (how, wake) = out["asked"]
    assert (event, text) == ("event", f"{LINE} - palace_message, action get, shows it")
    assert options == {"sessionKey": "agent:main:web", "agentId": "main", "contextKey": "hookclaw:message:12"}
    assert how == "requestHeartbeat"
    assert (wake["source"], wake["intent"], wake["reason"]) == ("hook", "immediate", "hook:hookclaw")
    assert (wake["agentId"], wake["sessionKey"]) == ("main", "agent:main:web")
    assert listened(out) == ["main"]


def test_an_older_host_is_asked_in_its_way(run):
    out = run(
        f'{HOST} plugin.register(waking("requestHeartbeatNow")); await inGateway(); await heard(2); await stop();',
        body=WAKES,
    )
    assert out["asked"][1] == [
        "requestHeartbeatNow",
        {"reason": "hook:hookclaw", "agentId": "main", "sessionKey": "agent:main:web", "coalesceMs": 0},
    ]


@pytest.mark.parametrize(
    ("shown", "told"), [(LINE, [{"agentId": "main", "ids": [12]}]), ("message 12, said the cook", [])]
)
def test_only_what_goes_to_the_model_is_told_as_delivered(run, shown, told):
    script = f"plugin.register(waking()); await inGateway(); await heard(2); await shows('well'); await shows({json.dumps(shown)});"
    out = run(f"{HOST} {script} await shows({json.dumps(shown)}); await sleep(100); await stop();", body=WAKES)
    assert delivered(out) == told, "once"


def test_a_host_that_wakes_nobody_is_not_asked_and_tells_nothing(run):
    out = run(
        "plugin.register(api()); await inGateway(); await prompt('hello'); await fire('gateway_stop', {});", body=WAKES
    )
    assert listened(out) == []


def test_a_host_that_refuses_is_said_and_costs_nothing(run):
    refuses = "host.runtime.system.enqueueSystemEvent = () => { throw new Error('no such agent'); };"
    script = f"const host = waking(); {refuses} plugin.register(host); await inGateway(); await sleep(500);"
    out = run(f"{HOST} {script} out.answers = await prompt('hello'); await stop();", body=WAKES)
    assert "warn hookclaw: agent main cannot be woken for its messages: no such agent" in out["log"]
    assert len(out["answers"]) == 1


def test_after_a_death_the_memory_process_is_asked_for_messages_again(run):
    script = "plugin.register(waking()); await inGateway(); await ready(); await prompt('die'); await ready(2); await heard(4); await stop();"
    out = run(f"{HOST} {script}", body=WAKES)
    assert listened(out) == ["main", "main"]


def test_the_gateways_method_gives_the_sessions(run):
    """Row P16."""
    asked = "methods['hookclaw.sessions']({ respond: (ok, told) => { out.told = [ok, told]; } })"
    script = f"plugin.register(waking()); {asked}; for (let i = 0; i < 200 && !out.told; i++) await sleep(25);"
    out = run(f"{HOST} {script} await stop();", body=WAKES)
    assert out["told"] == [True, {"sessions": {}, "count": 0, "channels": []}]


AN_HOUR = """
from datetime import UTC, datetime, timedelta
from pathlib import Path
from hookclaw_py.doors.messaging import AGAIN
from hookclaw_py.messages.courier import woken
from hookclaw_py.messages.post import Post
from hookclaw_py.store.database import MailStore
from hookclaw_py.store.mail import WakeRules
mail = MailStore.at_home(Path(FOLDER))
post = Post(mail, known=lambda: ["main", "prime"], coalesce=timedelta())
rules = WakeRules(per_hour=20, coalesce=timedelta(), again=AGAIN)
def live(hours, shown):
    began = datetime(2026, 3, 1, tzinfo=UTC)
    for second in range(hours * 3600):
        now = began + timedelta(seconds=second)
        if second < 3600 and second % 144 == 0:
            mail.see("main", "agent:main:web", at=now, spoken=True)
            post.send("prime", "well?", to="main", now=now)
        if wake := mail.wake("main", now=now, rules=rules):
            tell({"event": "wake", "params": woken(wake)})
            if shown: mail.deliver("main", [one.id for one in wake.messages], at=now)
    tell({"event": "wake", "params": {"agentId": "main", "sessionKey": "over", "messages": []}})
tell(hello)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("hours", "shown", "asked_for"), [(1, True, 20), (2, True, 21), (1, False, 20)])
def test_of_25_messages_in_an_hour_the_host_is_asked_for_20_wakes(run, tmp_path, hours, shown, asked_for):
    """Row P15, wakesPerHour: the store's rules and the plugin together; the memory process lets the time pass in a moment.

    Once the first hour is over, the five that are left come with one wake. Where no turn shows any, those that are asked for again count as well.
    """
    script = f"""{HOST} plugin.register(waking()); await inGateway();
    for (let i = 0; i < 1200 && !asked.some(([, told]) => told.sessionKey === "over"); i++) await sleep(25);
    await stop();"""
    body = f'if method == "_subscribe": reply(line, {{"message": "subscribed"}}); live({hours}, {shown}); continue'
    out = run(script, head=AN_HOUR.replace("FOLDER", repr(str(tmp_path / "messages"))), body=body, seconds=60)
    wakes = [told["sessionKey"] for what, told, *_ in out["asked"] if what == "requestHeartbeat"]
    assert wakes.pop() == "over"
    assert set(wakes) == {"agent:main:web"}
    assert len(wakes) == asked_for
    told = [int(text.split()[2]) for what, text, *_ in out["asked"] if what == "event"]
    if shown:
        assert told == list(range(1, 26 if hours > 1 else 21)), "each once, in their order"
