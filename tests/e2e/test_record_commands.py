"""What a person sees of what was learned from sessions, and what becomes of their word on it: real store, real commands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from hookclaw_py.capture.reports import Report
from hookclaw_py.cli.commands import main
from hookclaw_py.config import CaptureConfig, Config
from hookclaw_py.doors.call import Call
from hookclaw_py.doors.requests import AfterCompaction, BeforeAgentStart, SessionStart
from hookclaw_py.doors.service import Service
from hookclaw_py.engine import Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.kind import DECISION, FACT
from hookclaw_py.model.record import RecordAction, RecordChange
from tests.e2e.test_growing_memory import MONDAY, Host

MAIN = "agent:main:main"
CONFIG = Config(timezone="UTC", capture=CaptureConfig(keep_raw_days=3650))


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOOKCLAW_TIMEZONE", "UTC")
    with Engine.open(CONFIG, strict=True) as engine:
        yield engine


@pytest.fixture
def host(engine):
    return Host(engine)


def run(*arguments: str, code: int = 0, stdin: str = ""):
    done = CliRunner().invoke(main, list(arguments), env={"COLUMNS": "120"}, input=stdin)
    assert done.exit_code == code, done.output
    return done


def told(*arguments: str):
    return json.loads(run(*arguments, "--json").stdout)


def corrected(host: Host) -> str:
    """Say something in March and another thing in May; return the fact's id."""
    host.turn(MAIN, "Mondo Gate has 1,100 customers.", "Noted.", at=MONDAY)
    host.turn("agent:main:other", "Mondo Gate now has 2,000 customers.", "Noted.", at=MONDAY + timedelta(days=60))
    (fact,) = host.engine.store.records(kinds=[FACT], standing=True)
    return fact.id


def test_a_session_begins_with_what_is_confirmed_and_pinned_and_a_group_hears_nothing(engine, host):
    """M15, M16: nothing is told because it is new; what is less sure waits for a confirmation or a pin."""
    assert run("brief").stdout == ""
    assert "nothing of your sessions is unfinished" in run("brief").stderr
    corrected(host)
    host.turn("s", "We decided to keep raw data for 45 days.", "Noted.", at=MONDAY + timedelta(days=55))
    at = MONDAY + timedelta(days=61)
    block = engine.brief(at=at).text
    assert block.startswith("<session_memory>")
    assert "45 days" in block
    assert "2,000 customers" in block
    assert "1,100" not in block
    assert len(block) <= 1200
    assert block == engine.brief(at=at).text, "the same bytes"
    assert engine.brief(at=at, audience=Audience.GROUP).text == ""
    assert engine.brief(at=MONDAY + timedelta(days=3000)).text == "", "it has faded"
    (decision,) = engine.store.records(kinds=[DECISION])
    run("feedback", "pin", decision.id[:10])
    assert "45 days" in engine.brief(at=MONDAY + timedelta(days=3000)).text
    assert "45 days" in run("brief").stdout
    assert [one["id"] for one in told("brief")["decision"]] == [decision.id]


def test_a_briefing_is_shown_as_of_another_day(engine, host):
    host.turn("s", "We decided to keep raw data for 45 days.", "Noted.", at=MONDAY)
    host.turn("t", "We decided to keep the backups for 12 weeks.", "Noted.", at=MONDAY + timedelta(days=9))
    assert "45 days" in run("brief", "--at", "2026-03-05").stdout
    assert "12 weeks" not in run("brief", "--at", "2026-03-05").stdout, "what was said later stays out"
    assert "12 weeks" in run("brief", "--at", "2026-03-12T08:00").stdout
    assert run("brief", "--at", "2030-03-12").stdout == "", "it has faded"
    assert "is not a time" in run("brief", "--at", "whenever", code=2).output


def test_a_briefing_that_is_switched_off_says_so(engine, host, monkeypatch):
    corrected(host)
    monkeypatch.setenv("HOOKCLAW_SESSION_START__ENABLED", "false")
    assert run("brief").stdout == ""
    assert "sessionStart.enabled" in run("brief").stderr


def test_records_are_listed_by_kind_session_status_and_day_with_what_reading_them_costs(engine, host):
    """M38, C14."""
    fact = corrected(host)
    host.turn(MAIN, "We decided to keep raw data for 45 days.", "Noted.", at=MONDAY)
    rows = told("records", "list", "--kind", "fact")
    assert [row["id"] for row in rows] == [fact]
    assert rows[0]["tokens"] == -(-len(rows[0]["body"]) // 4)
    assert {row["kind"] for row in told("records", "list", "--kind", "fact", "--kind", "decision")} == {
        "fact",
        "decision",
    }
    assert [row["id"] for row in told("records", "list", "--kind", "fact", "--since", "2026-04-01")] == [fact]
    assert told("records", "list", "--kind", "fact", "--since", "2026-06-01") == []
    assert told("records", "list", "--kind", "decision", "--session", "agent:main:other") == []
    assert told("records", "list", "--status", "retracted") == []
    line = run("records", "list", "--kind", "decision").stdout
    heading, row = line.splitlines()
    assert heading.split() == ["id", "day", "kind", "salience", "tokens"]
    assert heading.index("tokens") == row.index("~")
    assert "2026-03-02" in line
    assert "45 days" in line
    assert "choose of fact" in run("records", "list", "--kind", "rumour", code=2).output


def test_records_are_listed_by_tags_and_one_that_was_taken_back_only_when_it_is_asked_for(engine, host):
    """M38: all tags that are named, together with what else is asked for."""
    fact = engine.store.record(corrected(host))
    tagged = replace(fact, fields={**fact.fields, "tags": ["deploy", "docker"]})
    engine.store.write_record(RecordChange(tagged, RecordAction.EDITED, "tagged"), None, at=MONDAY, actor="person")
    both = ("records", "list", "--tag", "docker", "--tag", "deploy")
    assert [row["id"] for row in told(*both)] == [fact.id]
    assert told(*both, "--kind", "decision") == []
    assert told("records", "list", "--tag", "docker", "--tag", "node") == []
    run("records", "retract", fact.id)
    assert told(*both) == []
    assert "nothing like that was learned" in run(*both).stderr
    assert [row["id"] for row in told(*both, "--status", "retracted")] == [fact.id]


def test_the_story_of_a_corrected_fact_is_told_with_every_wording_and_who_said_it(engine, host):
    """M26: what it said, when, who said so, why it changed, what it was made of."""
    fact = corrected(host)
    story = run("records", "show", fact[:8]).stdout
    assert story.index("1,100") < story.index("superseded by hookclaw: said later, and surely")
    assert 'you, 2026-03-02 09:00, "Mondo Gate has 1,100 customers."' in " ".join(story.split())
    plain = told("records", "show", fact)
    assert [(one["action"], one["actor"]) for one in plain["history"]] == [
        ("begun", "hookclaw"),
        ("superseded", "hookclaw"),
    ]
    assert "superseded" in run("records", "history", fact[:8]).stdout
    assert "`hookclaw records list`" in run("records", "show", "ffffffff", code=2).output


def test_what_was_learned_around_a_record_stands_in_the_order_of_time(engine, host):
    """C14."""
    for number in range(4):
        host.turn(f"s{number}", f"Gate {number} has {number + 10} doors.", "Noted.", at=MONDAY + timedelta(days=number))
    every = sorted(engine.store.records(standing=True), key=lambda record: (record.at, record.id))
    rows = told("records", "timeline", every[2].id, "--before", "2", "--after", "1")["records"]
    assert [row["id"] for row in rows] == [record.id for record in every[:4]]
    assert "»" in run("records", "timeline", every[2].id[:8]).stdout


def test_what_contests_a_record_is_one_hop_away(engine, host):
    """M41."""
    host.turn("s1", "Mondo Gate has 1,100 customers.", "Noted.", at=MONDAY)
    host.turn("s2", "Mondo Gate has 2,000 customers.", "Noted.", at=MONDAY + timedelta(days=1))
    first, second = sorted(engine.store.records(kinds=[FACT]), key=lambda record: record.at)
    graph = told("records", "graph", first.id[:8])
    assert [node["id"] for node in graph["nodes"]] == [first.id, second.id]
    assert len(graph["edges"]) == 2
    assert "contested by" in run("records", "graph", first.id[:8]).stdout
    assert "contested by" in run("records", "show", first.id[:8]).stdout
    assert len(told("records", "graph", first.id, "--hops", "0")["nodes"]) == 1


def test_a_forgotten_record_does_not_come_back_with_what_is_said_there_next(engine, host):
    """Without a passage of its own it is a memory like any other; what was made of it goes as well."""
    host.turn(MAIN, "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=MONDAY)
    (decision,) = engine.store.records(kinds=[DECISION])
    run("feedback", "forget", decision.id[:10], "--yes")
    host.turn(MAIN, "We decided to buy a longer hose.", "Noted.", at=MONDAY + timedelta(minutes=5))
    (other,) = engine.store.records(kinds=[DECISION])
    assert "hose" in other.body
    assert all("Ronja" not in f"{record.title} {record.body}" for record in engine.store.records())


def decided(host: Host, words: str = "We decided to hire Ronja Brandt as our gardener.") -> str:
    host.turn(MAIN, words, "Noted.", at=MONDAY)
    return host.engine.store.records(kinds=[DECISION], standing=True)[0].id


def test_what_a_person_retracts_stays_away_however_often_it_is_said_and_the_reason_is_on_record(engine, host):
    """M25, M26: audited with the person as its actor."""
    decision = decided(host)
    assert "retracted: We decided to hire" in run("records", "retract", decision[:8], "--why", "she moved away").stdout
    host.turn(
        "agent:main:other", "we decided to hire Ronja Brandt as our gardener.", "Noted.", at=MONDAY + timedelta(days=9)
    )
    assert engine.store.records(kinds=[DECISION], standing=True) == []
    assert engine.brief(at=MONDAY + timedelta(days=9)).text == ""
    last = told("records", "show", decision)["history"][-1]
    assert (last["actor"], last["action"], last["why"]) == ("person", "retracted", "she moved away")
    assert [row["id"] for row in told("records", "list", "--status", "retracted")] == [decision]
    assert "retracted already" in run("records", "reinforce", decision[:8], code=2).output


def test_a_person_puts_a_record_right_and_its_story_keeps_both_wordings(engine, host):
    """M22."""
    fact = corrected(host)
    run("records", "supersede", fact[:8], "Mondo Gate has 3,000 customers", "--why", "counted again")
    assert engine.store.record(fact).body == "Mondo Gate has 3,000 customers"
    story = run("records", "show", fact[:8]).stdout
    assert story.index("1,100") < story.index("2,000") < story.index("counted again") < story.rindex("3,000")
    assert "give the new words" in run("records", "supersede", fact[:8], "--why", "x", code=2).output


def test_records_are_merged_forked_contested_and_weighed(engine, host):
    """M19, M23, M24, M25."""
    one = decided(host)
    host.turn(MAIN, "We decided to pay Ronja 30 euros.", "Noted.", at=MONDAY + timedelta(minutes=5))
    two = next(record.id for record in engine.store.records(kinds=[DECISION]) if "30 euros" in record.body)
    run("records", "merge", one[:8], two[:8], "--words", "Ronja gardens for 30 euros", "--why", "one thing")
    (merged,) = engine.store.records(kinds=[DECISION], standing=True)
    assert merged.body == "Ronja gardens for 30 euros"
    assert "made of" in run("records", "show", merged.id[:8]).stdout
    assert "part of" in run("records", "show", one[:8]).stdout
    run("records", "fork", merged.id[:8], "Ronja's brother gardens for 25 euros", "--why", "he asked")
    fork = next(record for record in engine.store.records(kinds=[DECISION], standing=True) if record.id != merged.id)
    run("records", "contest", merged.id[:8], "--by", fork.id[:8], "--why", "who is it?")
    assert {row["status"] for row in told("records", "list", "--kind", "decision")} == {"contested"}
    run("records", "retract", fork.id[:8], "--why", "he does not")
    assert engine.store.record(merged.id).status == "active"
    run("records", "penalize", merged.id[:8], "--amount", "0.4")
    assert engine.store.record(merged.id).salience.value == pytest.approx(0.6, abs=1e-3)
    run("records", "reinforce", merged.id[:8])
    assert engine.store.record(merged.id).salience.value == pytest.approx(0.7, abs=1e-3)


def test_the_lineage_of_what_was_merged_forked_and_contested_is_seen_from_every_end(engine, host):
    """M23, M24, M25, M26, M41: over the commands alone, from the first wording to what came of it."""
    one = decided(host)
    host.turn(MAIN, "We decided to pay Ronja 30 euros.", "Noted.", at=MONDAY + timedelta(minutes=5))
    two = next(row["id"] for row in told("records", "list", "--kind", "decision") if "30 euros" in row["body"])
    run("records", "merge", one, two, "--words", "Ronja gardens for 30 euros", "--why", "one thing")
    (merged,) = (row["id"] for row in told("records", "list", "--kind", "decision"))
    run("records", "fork", merged, "Ronja's brother gardens for 25 euros", "--why", "he asked")
    (fork,) = (row["id"] for row in told("records", "list", "--kind", "decision") if row["id"] != merged)
    run("records", "contest", merged, "--by", fork, "--why", "who is it?")

    made_of, contested = ("derived_from", "contested_by")
    graph = told("records", "graph", fork, "--hops", "2")
    assert [(node["id"], node["hop"]) for node in graph["nodes"]][:2] == [(fork, 0), (merged, 1)]
    assert {(node["id"], node["hop"]) for node in graph["nodes"][2:]} == {(one, 2), (two, 2)}
    edges = {(edge["source"], edge["relation"], edge["target"]) for edge in graph["edges"]}
    assert edges == {
        (fork, made_of, merged),
        (merged, made_of, one),
        (merged, made_of, two),
        (fork, contested, merged),
        (merged, contested, fork),
    }
    assert {row["status"] for row in told("records", "list", "--status", "merged")} == {"merged"}
    links = {(link["relation"], link["id"]) for link in told("records", "show", merged)["links"]}
    assert links == {("made of", one), ("made of", two), ("part of", fork), ("contested by", fork)}
    assert ("part of", merged) in {(link["relation"], link["id"]) for link in told("records", "show", one)["links"]}
    shown = " ".join(run("records", "show", one[:8]).stdout.split())
    assert "merged by person: one thing" in shown
    assert "Ronja gardens for 30 euros" in shown
    story = [(entry["action"], entry["actor"], entry["why"]) for entry in told("records", "show", merged)["history"]]
    assert story == [
        ("merged", "person", "one thing"),
        ("forked", "person", "he asked"),
        ("contested", "person", "who is it?"),
    ]
    assert f"{fork[:8]} made of {merged[:8]}" in run("records", "graph", fork[:8]).stdout


def test_records_move_to_another_memory_with_their_story_and_what_is_forgotten_there_stays_so(
    engine, host, tmp_path, monkeypatch
):
    """M1; not derivable: what was learned can be carried over as it is, field by field."""
    fact = corrected(host)
    decision = decided(host)
    run("feedback", "pin", decision[:8])
    run("records", "retract", fact[:8], "--why", "sold")
    summary = next(record.id for record in engine.store.records(standing=True) if record.id != decision)
    run("feedback", "block", summary[:8])
    file = tmp_path / "records.jsonl"
    run("records", "export", str(file))
    assert run("records", "export").stdout == file.read_text(encoding="utf-8"), "the same bytes"
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "other"))
    with Engine.open(CONFIG, strict=True) as other:
        assert "imported" in run("records", "import", str(file)).stdout
        assert run("records", "export").stdout == file.read_text(encoding="utf-8")
        assert other.store.marks() == {decision: "pin", summary: "block"}
        assert "imported 0 records" in run("records", "import", "-", stdin=file.read_text(encoding="utf-8")).stdout
        run("feedback", "forget", decision, "--yes")
        told = run("records", "import", str(file)).stdout
        assert "2 forgotten here" in told, "the decision, and the summary that says it"
        assert other.store.record(decision) is None


def test_records_exported_before_blocks_were_are_read_with_their_pins(engine, host, tmp_path, monkeypatch):
    decision = decided(host)
    run("feedback", "pin", decision[:8])
    lines = [json.loads(line) for line in run("records", "export").stdout.splitlines()]
    earlier = "\n".join(json.dumps({key: line[key] for key in line if key != "mark"}) for line in lines)
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "other"))
    with Engine.open(CONFIG, strict=True) as other:
        run("records", "import", "-", stdin=earlier)
        assert other.store.marks() == {decision: "pin"}


def test_a_record_whose_last_wording_is_forgotten_does_not_come_back_in_an_earlier_one(host, tmp_path, monkeypatch):
    fact = corrected(host)
    file = tmp_path / "records.jsonl"
    run("records", "export", str(file))
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "other"))
    with Engine.open(CONFIG, strict=True) as other:
        Host(other).turn(MAIN, "Mondo Gate now has 2,000 customers.", "Noted.", at=MONDAY)
        (known,) = other.store.records(kinds=[FACT], standing=True)
        run("feedback", "forget", known.id, "--yes")
        assert "forgotten here" in run("records", "import", str(file)).stdout
        assert other.store.record(fact) is None
        assert other.store.record_history(fact) == []
        assert "customers" not in " ".join(chunk.text for chunk in other.store.all_chunks())


def test_a_line_that_is_no_record_is_named_and_nothing_is_imported(engine, host, tmp_path):
    decided(host)
    line = run("records", "export").stdout.splitlines()[0]
    engine.store.forget([record.id for record in engine.store.records()], at=MONDAY)
    for wrong in ("{}", "no json", line.replace('"version": 1', '"version": 2'), line.replace('"level"', '"levels"')):
        assert "line 2: no record" in run("records", "import", "-", code=2, stdin=f"{line}\n{wrong}\n").output
    file = tmp_path / "records.jsonl"
    moment = re.sub(rb'"first_at": "[^"]*"', b'"first_at": "9999-12-31T23:59:59-10:00"', line.encode())
    for wrong in (b"\xff", moment):
        file.write_bytes(line.encode() + b"\n" + wrong + b"\n")
        assert "line 2: no record" in run("records", "import", str(file), code=2).output
    assert engine.store.records() == []


def test_what_was_learned_and_said_is_exported_as_notes_that_stay_the_same_and_are_never_indexed(
    engine, host, tmp_path
):
    """Memories that no file holds, to be read and kept in git."""
    fact = corrected(host)
    decision = decided(host)
    notes = tmp_path / "notes"
    folder = notes / "export"
    run("export", "--markdown", str(folder))
    files = {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    assert {"fact.md", "decision.md", "sessions-2026-03.md", "sessions-2026-05.md"} <= files.keys()
    assert (
        f"## 2026-03-02\n\n- We decided to hire Ronja Brandt as our gardener. <!-- {decision} -->\n"
        in files["decision.md"]
    )
    assert "2,000 customers" in files["fact.md"]
    assert "1,100" not in files["fact.md"], "only what stands"
    assert "User: Mondo Gate has 1,100 customers." in files["sessions-2026-03.md"]
    again = told("export", "--markdown", str(folder))
    assert again["written"] == again["removed"] == []
    (notes / "own.md").write_text("# Garden\n\nThe apple tree was planted in 2019.\n", encoding="utf-8")
    before = {chunk.id for chunk in engine.store.all_chunks()}
    engine.index(notes)
    assert {chunk.place.path for chunk in engine.store.all_chunks() if chunk.id not in before} == {"own.md"}
    run("records", "retract", fact[:8], "--why", "sold")
    (folder / "mine.md").write_text("mine", encoding="utf-8")
    assert str(folder / "fact.md") in told("export", "--markdown", str(folder))["removed"]
    assert (folder / "mine.md").read_text(encoding="utf-8") == "mine"
    (folder / "decision.md").write_text("mine as well", encoding="utf-8")
    assert "is not of `hookclaw export`" in run("export", "--markdown", str(folder), code=2).output


def test_stats_history_and_metrics_tell_what_was_learned_today_and_what_was_corrected(engine, host):
    """M44; what happened long ago may be learned today."""
    fact = corrected(host)
    decided(host)
    now = datetime.now(UTC)
    host.turn("s", "We decided to lend the ladder to Filipa.", "Noted.", at=now - timedelta(seconds=90))
    figures = told("stats", "--days", "1")["learned"]
    assert (figures["turns"], figures["new"]["decision"], figures["new"]["fact"]) == (1, 2, 1)
    assert figures["changed"]["superseded"] == 1
    panel = " ".join(run("stats").stdout.split())
    assert "2 decisions" in panel
    assert "1 corrected" in panel
    learned = re.search(r"learned (\d+) (.*?);", panel)
    assert learned
    assert sum(map(int, re.findall(r"\d+", learned[2]))) == int(learned[1]), "what is told adds up"
    said = " ".join(run("history").output.split())
    assert "learned today: 2 decisions, " in said
    assert "; 1 turn captured; 1 corrected" in said
    run("records", "retract", fact[:8], "--why", "sold")
    records = told("metrics")["records"]
    assert records["byStatus"]["fact"] == {"retracted": 1}
    assert records["byKind"]["decision"] == 2
    assert records["auditLines"] == sum(len(engine.store.record_history(one.id)) for one in engine.store.records())
    assert 'hookclaw_records{agent="main",kind="fact",status="retracted"} 1.0' in run("metrics", "--prometheus").stdout
    assert "retracted 1" in " ".join(run("metrics").stdout.split())


def test_a_conversation_begins_with_its_briefing_once_and_nobody_else_hears_it(engine, host, tmp_path):
    """M15, D5: before the memories of the first prompt; a group, a cron job and the second prompt get none."""
    decided(host)
    (decision,) = engine.store.records(kinds=[DECISION])
    run("feedback", "pin", decision.id[:8])

    def asked(session: str, **more) -> str:
        told = service.answer(
            Call(BeforeAgentStart(agent_id="main", session_key=session, prompt="hello there, how are you?", **more))
        )
        return told.get("prependContext", "")

    service = Service(config_file=None, emit=lambda *_: None, watching=False)
    try:
        first = asked("s1", audience="owner")
        assert first.startswith("<session_memory>")
        assert "Ronja Brandt" in first
        assert asked("s1", audience="owner") == ""
        assert asked("s2", audience="group") == ""
        assert asked("s3", audience="owner", trigger="cron") == ""
        assert asked("s4", audience="owner", messages=[{"role": "user", "content": "hi"}]) == ""
        assert asked("s5", audience="owner", keeps_injections=True) == first
        assert asked("s5", audience="owner", keeps_injections=True) == ""
    finally:
        service.close(5)


@pytest.fixture
def service():
    service = Service(config_file=None, emit=lambda *_: None, watching=False)
    yield service
    service.close(5)


BEFORE = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello!"}]


def begun(service: Service, session: str = "s1", **more) -> dict:
    """Ask for something that no memory answers, as the owner."""
    common = {"agent_id": "main", "session_key": session, "audience": "owner"}
    return dict(service.answer(Call(BeforeAgentStart(prompt="hello there, how are you?", **common, **more))))


def test_what_a_conversation_was_told_comes_again_with_the_first_prompt_after_a_compaction(engine, host, service):
    """M15, C3: once, to the owner alone, also in a conversation that this process has not seen before."""
    run("feedback", "pin", decided(host)[:8])
    first = begun(service)["prependContext"]
    for session in ("s1", "of another process"):
        assert "prependContext" not in begun(service, session, messages=BEFORE)
        service.answer(Call(AfterCompaction(agent_id="main", session_key=session)))
        assert "prependContext" not in begun(service, session, messages=BEFORE, trigger="cron")
        assert begun(service, session, messages=BEFORE)["prependContext"] == first
        assert "prependContext" not in begun(service, session, messages=BEFORE)


def test_a_briefing_for_which_the_recall_left_no_time_comes_with_the_next_prompt(engine, host, service):
    run("feedback", "pin", decided(host)[:8])
    late = begun(service, timeout_ms=0.001)
    assert late["outcome"] == "failed"
    assert "prependContext" not in late
    assert begun(service, messages=BEFORE)["prependContext"].startswith("<session_memory>")
    assert "prependContext" not in begun(service, messages=BEFORE)


def test_a_host_that_shows_the_briefing_before_the_first_prompt_gets_it_there_and_not_twice(engine, host, service):
    """M15: anew when the conversation begins anew; when it is taken up again, only if it has not got it."""

    def start(session: str, **more) -> str:
        asked = SessionStart(agent_id="main", session_key=session, **{"audience": "owner", "brief": True, **more})
        return service.answer(Call(asked)).get("prependContext", "")

    run("feedback", "pin", decided(host)[:8])
    begun(service)  # it is open now
    first = start("s2")
    assert first.startswith("<session_memory>")
    assert "prependContext" not in begun(service, "s2")
    assert start("s2", resumed_from="resume") == ""
    assert start("s2") == first
    assert start("s3", resumed_from="resume") == first
    assert start("s4", audience="group") == ""
    assert start("s4", brief=False) == ""
    assert begun(service, "s4")["prependContext"] == first


def test_a_conversation_is_not_sent_its_own_turns_until_it_is_shortened(engine, host, service):
    """A host that keeps the conversation and sends none of it: what was captured of it a moment ago stands in it."""
    now = datetime.now(UTC) - timedelta(minutes=5)
    said = ("the plumber for the shower is Filipa Picao, she takes 45 euros for a visit", "Noted.")
    host.turn("own", *said, at=now)

    def asked(session: str) -> str:
        question = "who is our plumber and what does she take for a visit?"
        common = {"agent_id": "main", "audience": "owner", "keeps_injections": True}
        told = service.answer(Call(BeforeAgentStart(session_key=session, prompt=question, **common)))
        return told.get("prependContext", "").partition("<relevant_memories>")[2]

    assert "Filipa" in asked("another")
    assert "Filipa" not in asked("own")
    common = {"host": "claude-code", "session": "own", "audience": Audience.OWNER}
    engine.capturing.record([Report(HappeningKind.COMPACTION, now + timedelta(minutes=3), **common)])
    service.answer(Call(AfterCompaction(agent_id="main", session_key="own")))
    assert "Filipa" in asked("own")


def test_an_old_pin_is_told_however_much_was_learned_since(engine, host):
    """C15: a session does not wait for years of records, and a pin is for good."""
    decision = decided(host)
    run("feedback", "pin", decision[:8])
    known = engine.store.record(decision)
    with engine.store.together():
        for number in range(2000):
            later = replace(
                known, id=f"{number + 1:016x}", body=f"We paid {number} euros.", pinned=False, confidence=0.1
            )
            later = replace(later, at=known.at + timedelta(days=1))
            engine.store.write_record(RecordChange(later, RecordAction.BEGUN, "new"), None, at=MONDAY, actor="test")
    assert "Ronja Brandt" in engine.brief().text


def test_what_a_correction_leaves_to_be_embedded_is_by_the_command_that_is_named(engine, host):
    fact = corrected(host)
    host.turn(MAIN, "The office has 14 desks.", "Noted.", at=MONDAY)
    run("records", "retract", fact[:8], "--why", "it was never so")
    text = run("status", code=1).stdout
    assert "not embedded yet; run `hookclaw index` to go on" in " ".join(text.split())
    assert "texts are" in text or "1 text is" in text
    assert "all found by meaning too" in run("index").stdout
    run("status")


def test_without_a_reason_it_is_the_persons_word(engine, host):
    decision = decided(host)
    run("records", "retract", decision[:8])
    last = told("records", "show", decision)["history"][-1]
    assert (last["action"], last["why"]) == ("retracted", "a person said so")


def test_a_project_is_told_to_index_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    with Engine.open(CONFIG, agent="shop-1") as engine:
        Host(engine).turn("s1", "Mondo Gate has 1,100 customers. The office has 14 desks.", "Noted.", at=MONDAY)
    fact = told("records", "list", "--agent", "shop-1", "--kind", "fact")[0]["id"]
    run("records", "retract", "--agent", "shop-1", fact, "--why", "it was never so")
    said = " ".join(run("status", "--agent", "shop-1", code=1).stdout.split())
    assert "1 text is not embedded yet; run `hookclaw --agent shop-1 index` to go on" in said
    run("index", "--agent", "shop-1")
    run("status", "--agent", "shop-1")
