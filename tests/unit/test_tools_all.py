"""The tools beyond the usual ones: lists, archive, links, audit, vectors, code and reflection."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py import config
from hookclaw_py.consolidate.writing import write
from hookclaw_py.doors.codes import Code
from hookclaw_py.doors.tools.commands import said
from hookclaw_py.doors.tools.reflecting import lesson
from hookclaw_py.doors.tools.table import TOOLS, shown
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import RecordAction, RecordChange, RecordStatus
from tests.conftest import NOW
from tests.e2e.test_growing_memory import Host
from tests.unit.agent import Agent, engine
from tests.unit.records import record

KEPT = "The staging database of Lantern is called heron-2 and listens on port 6543."
APART = (
    "The ferry to the island leaves at nine on weekdays.",
    "Ingrid prefers tabs in every Makefile.",
    "The invoices go out through the Pelikan gateway.",
    "Mona the cat is allergic to chicken.",
    "The board meets in Bergen in June.",
    "A violin is tuned in fifths.",
)
"""Memories that have nothing to do with each other."""


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    workspace = tmp_path / "lantern"
    workspace.mkdir()
    with engine(tmp_path) as opened:
        yield Agent(opened, workspace)


def keep(agent: Agent, *, number: int = 6) -> list[str]:
    return [agent.call("memory_set", content=one, subject=f"T{n}")["id"] for n, one in enumerate(APART[:number])]


def test_there_are_thirteen_tools_and_few_of_them_usual():
    """Row P8."""
    assert set(TOOLS) >= {
        *(
            "memory_set",
            "memory_recall",
            "memory_get",
            "memory_recent",
            "memory_archive",
            "memory_link",
            "memory_unlink",
        ),
        *("code_remember_tool", "memory_audit", "memory_reembed", "memory_stats", "memory_reflect"),
    }
    assert set(shown("usual")) < set(shown("all")) == set(TOOLS)
    assert (len(shown("usual")), len(TOOLS)) == (4, 13)
    pages = Path(config.__file__).parents[1]
    assert "thirteen tools instead of the usual four" in (pages / "CONFIGURATION.md").read_text("utf-8")
    assert "configuration adds nine" in (pages / "hosts/openclaw/README.md").read_text("utf-8")


# Row P10: links by likeness


def test_what_means_nearly_the_same_is_linked_and_what_is_a_little_like_it_suggested(agent: Agent):
    """Row P10: only within a project."""
    first = agent.call("memory_set", content=KEPT)["id"]
    near = agent.call(
        "memory_set", content="Lantern's staging database is called heron-2 and listens on the port 6543, too."
    )
    assert [(one["target"], one["type"]) for one in near["links_created"]] == [(first, "relates_to")]
    assert 0.75 <= near["links_created"][0]["score"] <= 1
    far = agent.call("memory_set", content=APART[0])
    assert (far["links_created"], far["suggested_links"]) == ([], [])
    elsewhere = agent.call("memory_set", content=f"{KEPT} Really.", project="kitchen")
    assert elsewhere["links_created"] == []
    alone = agent.call("memory_set", content=f"{KEPT} Indeed.", auto_link=False)
    assert alone["links_created"] == []
    assert alone["suggested_links"]


# Rows P11 and P12, vectors 7 to 9


def test_a_memorys_connections_are_told_in_a_line(agent: Agent):
    """Vector 7, row P12."""
    t, a, b, c = keep(agent, number=4)
    agent.call("memory_link", source_id=t, target_id=a, relation_type="relates_to", strength=0.9)
    agent.call("memory_link", source_id=t, target_id=b, relation_type="relates_to", strength=0.8)
    agent.call("memory_link", source_id=c, target_id=t, relation_type="refines", strength=0.7)
    told = agent.call("memory_get", memory_ids=t)["graph_context"].splitlines()
    assert told[0] == "T0 | 3 connections | avg 0.80 | <refines,>relates_to"
    full = agent.call("memory_get", memory_ids=t, graph_mode="full", min_strength=0.85)["graph_context"]
    assert [edge["target"] for edge in full["edges"]] == [a]
    found = agent.call("memory_get", memory_ids=t, traverse=True, direction="incoming")["traversed"]
    assert [one["id"] for one in found] == [c]


@pytest.mark.slow
def test_a_hub_is_told_of_with_thirty_memories_at_most(agent: Agent):
    """Row P12."""
    hub, *_ = keep(agent, number=1)
    for number in range(35):
        one = agent.call("memory_set", content=f"Shelf {number} holds box {number * 7}.", auto_link=False)["id"]
        agent.call("memory_link", source_id=one, target_id=hub, relation_type="derived_from")
    told = agent.call("memory_get", memory_ids=hub, graph_mode="full", graph_depth=2)["graph_context"]
    assert len(told["nodes"]) == 30


def test_a_link_is_to_another_once_and_of_a_strength_that_there_is(agent: Agent):
    """Vector 8, row P11."""
    one, two = keep(agent, number=2)
    related = {"relation_type": "relates_to"}
    assert agent.refused("memory_link", source_id=one, target_id=one, **related)[0] is Code.INVALID_PARAMS
    agent.call("memory_link", source_id=one, target_id=two, **related)
    code, told = agent.refused("memory_link", source_id=one, target_id=two, **related)
    assert (code, f"{one} relates_to {two}" in told) == (Code.CONFLICT, True)
    code, told = agent.refused("memory_link", source_id=one, target_id=two, relation_type="refines", strength=3)
    assert (code, told) == (Code.INVALID_PARAMS, "strength must be 0 to 1, not 3")
    assert agent.call("memory_link", source_id=one, target_id=two, relation_type="haunts")["relation_type"] == "haunts"
    assert "must be a word" in agent.refused("memory_link", source_id=one, target_id=two, relation_type="No Word")[1]


def test_what_is_not_linked_cannot_be_unlinked(agent: Agent):
    """Vector 9."""
    one, two = keep(agent, number=2)
    gone = agent.refused("memory_unlink", source_id=one, target_id=two)
    assert gone == (Code.NOT_FOUND, f"No edges found from {one} to {two}")
    for relation in ("refines", "haunts"):
        agent.call("memory_link", source_id=one, target_id=two, relation_type=relation, bidirectional=True)
    assert agent.call("memory_unlink", source_id=one, target_id=two, relation_type="refines")["removed"] == 1
    assert agent.call("memory_unlink", source_id=one, target_id=two)["removed"] == 1
    assert agent.call("memory_unlink", source_id=two, target_id=one)["removed"] == 2


def test_two_that_contradict_each_other_are_both_in_doubt_and_nothing_is_merged(agent: Agent):
    one, two = keep(agent, number=2)
    agent.call("memory_link", source_id=one, target_id=two, relation_type="contradicts")
    statuses = {agent.call("memory_get", memory_ids=memory)["memory"]["status"] for memory in (one, two)}
    assert statuses == {"contested"}
    found = agent.call("memory_audit", checks=["contradictions"])
    assert found["contradictions"] == [{"ids": sorted([one, two])}]


# Vectors 10 and 11


def test_nothing_is_archived_without_saying_what(agent: Agent):
    """Vector 10."""
    keep(agent, number=2)
    assert agent.refused("memory_archive", dry_run=False)[0] is Code.INVALID_PARAMS
    assert agent.refused("memory_archive", dry_run=False, older_than_days=0)[0] is Code.INVALID_PARAMS
    assert len(agent.engine.store.records(kinds=[SAVED], standing=True)) == 2


def test_what_is_foundational_or_central_is_not_archived(agent: Agent):
    """Vector 11."""
    rock = agent.call("memory_set", content=KEPT, foundational=True)["id"]
    leaves = keep(agent)
    five, four = (
        agent.call("memory_set", content=f"The {word} is painted red.", auto_link=False)["id"]
        for word in ("barn", "boat")
    )
    for number, leaf in enumerate(leaves[:5]):
        agent.call("memory_link", source_id=leaf, target_id=five, relation_type="refines")
        if number < 4:
            agent.call("memory_link", source_id=leaf, target_id=four, relation_type="refines")
    given = {"memory_ids": [rock, five, four], "reason": "old"}
    would = agent.call("memory_archive", **given)
    assert (would["would_archive"], would["would_skip_foundational"], would["would_skip_central"]) == (1, 1, 1)
    assert agent.engine.store.record(four).status is RecordStatus.ACTIVE, "a dry run"
    done = agent.call("memory_archive", **given, dry_run=False)
    assert done["archived_count"] == 1
    assert done["details"] == [{"id": four, "subject": "", "warning": "4 memories lead to it"}]
    assert agent.engine.store.record(four).status is RecordStatus.ARCHIVED
    assert agent.call("memory_recall", query="what colour is the boat painted?")["memories"] == [] or all(
        one["id"] != four for one in agent.call("memory_recall", query="what colour is the boat painted?")["memories"]
    )
    old = agent.call("memory_recall", query="boat painted red", include_archived=True)["memories"]
    assert four in [one["id"] for one in old]
    assert agent.engine.store.record_history(four)[-1].why == "old"


def test_what_is_old_and_unused_is_archived_by_its_age(agent: Agent):
    old = agent.call("memory_set", content=KEPT, now=NOW - timedelta(days=40))["id"]
    agent.call("memory_set", content=APART[0])
    done = agent.call("memory_archive", older_than_days=30, max_access_count=2, dry_run=False)
    assert [one["id"] for one in done["details"]] == [old]


# Lists and numbers


def test_what_was_saved_is_listed_newest_first_and_counted(agent: Agent):
    first = agent.call("memory_set", content=KEPT, memory_type="config", now=NOW - timedelta(days=2))["id"]
    second = agent.call("memory_set", content=APART[0], foundational=True)["id"]
    agent.call("memory_archive", memory_ids=first, dry_run=False)
    listed = agent.call("memory_recent")
    assert [one["id"] for one in listed["memories"]] == [second]
    assert agent.call("memory_recent", include_archived=True)["total_available"] == 2
    stats = agent.call("memory_stats")
    counts = ("total_memories", "active_memories", "archived_memories", "foundational_memories")
    assert [stats[name] for name in counts] == [2, 1, 1, 1]
    assert (stats["by_type"], stats["by_project"]) == ({"fact": 1}, {"lantern": 1})


def test_what_is_wrong_with_what_was_saved_is_found(agent: Agent):
    one = agent.call("memory_set", content=KEPT, auto_link=False, now=NOW - timedelta(days=100))["id"]
    two = agent.call("memory_set", content=f"{KEPT} ", subject="Again", auto_link=False)["id"]
    found = agent.call("memory_audit", thresholds={"duplicate_similarity": 0.8})
    assert [set(pair["ids"]) for pair in found["duplicates"]] == [{one, two}]
    assert [stale["id"] for stale in found["stale"]] == [one]
    assert {lonely["id"] for lonely in found["unlinked"]} == {one, two}
    assert (found["missing_embeddings"], found["orphan_edges"], found["cross_project_auto_links"]) == ([], [], [])
    assert found["summary"]["total_issues"] == 4
    assert "some of duplicates" in agent.refused("memory_audit", checks=["vibes"])[1]
    assert "there are duplicate_similarity" in agent.refused("memory_audit", thresholds={"vibes": 1})[1]


def test_vectors_are_made_anew(agent: Agent):
    kept = keep(agent, number=3)
    assert agent.refused("memory_reembed")[0] is Code.INVALID_PARAMS
    assert agent.call("memory_reembed", all_memories=True)["would_reembed"] == 3
    assert agent.call("memory_reembed", missing_only=True)["would_reembed"] == 0
    done = agent.call("memory_reembed", memory_ids=kept[:2], batch_size=1, dry_run=False)
    assert done == {"reembedded": 2, "failed": 0, "total": 2}


# Code


def test_a_file_of_code_is_remembered_by_what_it_says_of_itself(agent: Agent):
    (agent.workspace / "tides.py").write_text(
        '"""Tide tables of Lantern."""\n\nclass TideTable:\n    """Knows when the water is high."""\n\nXANTHIPPE = 7\n'
    )
    told = agent.call("code_remember_tool", code_path="tides.py")
    assert (told["language"], told["patterns"], told["subject"]) == ("python", ["class"], "tides.py")
    found = agent.call("memory_recall", query="which class knows when the water is high?", memory_type="code_*")
    assert [one["id"] for one in found["memories"]] == [told["prose_id"]]
    source = agent.call("memory_get", memory_ids=told["code_id"])
    assert "XANTHIPPE" in source["memory"]["content"]
    assert ">source_of" in source["graph_context"]
    again = agent.call("code_remember_tool", code_path="tides.py")
    assert (again["already_indexed"], again["prose_id"]) == (True, told["prose_id"])
    (agent.workspace / "tides.py").write_text('"""Tide tables, and the moon."""\n')
    assert agent.call("code_remember_tool", code_path="tides.py")["superseded_prose_id"] == told["prose_id"]


def test_what_is_said_beside_a_memory_is_kept_without_secrets_as_well(agent: Agent):
    told = "password: Tr0ub4dor_plumage <private>telescope</private> of mine"
    one = agent.call("memory_set", content="The owls moult in June.", subject="owls", source_session_id=told)["id"]
    other = agent.call("memory_set", content="Pumps are primed by hand.", subject="pumps", source_context=told)["id"]
    agent.call("memory_link", source_id=one, target_id=other, relation_type="relates_to", created_by=told)
    agent.call("memory_archive", memory_ids=[other], dry_run=False, reason=told)
    store = agent.engine.store
    kept = repr([store.records(), store.record_links([one, other]), store.record_history(other)])
    assert kept.count("password: [redacted] of mine") == 4
    for word in ("plumage", "telescope"):
        assert word not in kept, word


def test_of_code_no_secret_and_nothing_private_is_kept_in_any_field(agent: Agent):
    (agent.workspace / "pipe.py").write_text(
        '"""Moves the tides."""\n\nPASSWORD = "Tr0ub4dor_plumage"\n\n# <private>\ndef telescope():\n    """Looks at Marlene."""\n'
        "# </private>\n" + "\n".join(f"row_{n} = {n}  # of the table of tides" for n in range(1000)) + "\n# <private>\n"
        "x = 'Ganymede'\n" + "y = 'Callisto'\n" * 100 + "# </private>\nLAST = 'Nereid'\n"
    )
    told = agent.call("code_remember_tool", code_path="pipe.py")
    records = [agent.engine.store.record(told[name]) for name in ("prose_id", "code_id")]
    kept = repr(records)
    for word in ("PASSWORD", "Nereid"):
        assert word in kept, word
    for word in ("plumage", "telescope", "Marlene", "Ganymede", "Callisto"):
        assert word not in kept, word
    assert "'redacted'" not in kept


@pytest.mark.parametrize("path", ["../notes/owls.md", "/etc/passwd", ".env", ".ssh/id_rsa"])
def test_no_file_is_read_outside_of_the_workspace_nor_one_of_secrets(agent: Agent, path: str):
    (agent.workspace / ".env").write_text("KEY=1")
    assert agent.refused("code_remember_tool", code_path=path)[0] is Code.FORBIDDEN
    assert agent.refused("memory_reflect", transcript_path="../notes/owls.md")[0] is Code.FORBIDDEN


@pytest.mark.timeout(60)  # one waited for the pipe, the other read every line of blanks to its end
def test_what_is_no_file_of_code_is_said_at_once(agent: Agent):
    os.mkfifo(agent.workspace / "pipe.py")
    assert "is no file" in agent.refused("code_remember_tool", code_path="pipe.py")[1]
    assert "is no file" in agent.refused("memory_reflect", transcript_path="pipe.py")[1]
    (agent.workspace / "blank.js").write_text("\n" * 200_000 + "class Tide {}\n")
    assert agent.call("code_remember_tool", code_path="blank.js")["patterns"] == ["class"]
    for name, source in (("sum.py", "x = " + "1+" * 50_000 + "1"), ("minus.py", "x = " + "-" * 50_000 + "1")):
        (agent.workspace / name).write_text(f"# the tides of Lantern\n{source}\n")
        assert agent.call("code_remember_tool", code_path=name)["language"] == "python"


# Reflection


@pytest.mark.parametrize(
    ("line", "type_", "content", "foundational"),
    [
        ("M||Topic|ten characters", "fact", "ten characters", False),
        ("M|gotcha|T|a | b is long", "gotcha", "a | b is long", True),
    ],
)
def test_a_line_of_a_model_is_read(line: str, type_: str, content: str, foundational: bool):
    """Vector 18."""
    found = lesson(line)
    assert found is not None
    assert (found.type, found.content, found.foundational) == (type_, content, foundational)


@pytest.mark.parametrize("line", ["M|fact|x", "M|fact|T|short", "N|fact|T|long enough it is", "hello"])
def test_what_is_no_such_line_is_dropped(line: str):
    """Vector 18."""
    assert lesson(line) is None


def test_what_a_transcript_taught_is_saved(agent: Agent):
    """Vector 18."""
    (agent.workspace / "learned.txt").write_text(f"M|gotcha|Ports|{KEPT}\nM|fact|x\nM||Ferry|{APART[0]}\n")
    assert agent.call("memory_reflect", transcript_path="learned.txt", dry_run=True)["extracted"] == 2
    assert agent.engine.store.records(kinds=[SAVED]) == []
    told = agent.call("memory_reflect", transcript_path="learned.txt")
    assert (told["embedded"], told["types"]) == (2, {"gotcha": 1, "fact": 1})
    assert sorted(one.pinned for one in agent.engine.store.records(kinds=[SAVED])) == [False, True]
    (agent.workspace / "short.txt").write_text("M|x")
    assert agent.refused("memory_reflect", transcript_path="short.txt")[0] is Code.INVALID_PARAMS
    assert agent.refused("memory_reflect", session_id="nobody's")[0] is Code.NOT_FOUND


def test_what_was_said_in_a_session_of_its_own_is_saved_by_rules(agent: Agent):
    Host(agent.engine).turn("old", "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=NOW)
    assert "no longer kept" in agent.refused("memory_reflect", session_id="old")[1]
    today = datetime.now(UTC) - timedelta(hours=1)
    Host(agent.engine).turn("s7", "We decided to hire Ronja Brandt as our gardener.", "Noted.", at=today)
    told = agent.call("memory_reflect", session_id="s7")
    assert (told["types"], told["extraction_method"]) == ({"decision": 1}, "rules")
    (kept,) = agent.engine.store.records(kinds=[SAVED])
    assert "Ronja Brandt" in kept.body
    assert kept.said_by is Speaker.ASSISTANT, "what an agent saves is its own word, whoever said it first"


def test_an_agent_casts_no_doubt_on_what_the_person_said(agent: Agent):
    said_so = record(body="Lantern runs on heron-3.", said_by=Speaker.PERSON, id="5".zfill(16))
    write(agent.engine.store, [RecordChange(said_so, RecordAction.BEGUN, "said")], zone=UTC, at=NOW, actor="test")
    mine = agent.call("memory_set", content="Lantern runs on osprey-4.")["id"]
    agent.call("memory_link", source_id=mine, target_id=said_so.id, relation_type="contradicts")
    statuses = [agent.engine.store.record(one).status for one in (mine, said_so.id)]
    assert statuses == [RecordStatus.CONTESTED, RecordStatus.ACTIVE]
    gone = {"source_id": mine, "target_id": said_so.id, "relation_type": "supersedes", "archive_old": True}
    assert agent.refused("memory_link", **gone)[0] is Code.FORBIDDEN
    assert agent.refused("memory_archive", memory_ids=said_so.id, dry_run=False)[0] is Code.FORBIDDEN


def test_a_recall_may_be_told_in_short_with_what_always_holds_and_with_its_graph(agent: Agent):
    rock = agent.call("memory_set", content=APART[3], subject="Cat", foundational=True)["id"]
    kept = agent.call("memory_set", content=f"{KEPT} {'It is behind the proxy. ' * 10}", subject="Staging")["id"]
    agent.call("memory_link", source_id=kept, target_id=rock, relation_type="haunts", strength=0.5)
    given = {"query": "which port does the staging database listen on?", "min_foundational": 1}
    found = agent.call("memory_recall", **given, detail_level="summary")
    assert [one["id"] for one in found["memories"]] == [kept, rock]
    assert all(len(one.get("text", one.get("content", ""))) <= 100 for one in found["memories"])
    assert "Staging | 1 connections | avg 0.50 | >haunts" in found["graph_context"].splitlines()
    assert "graph_context" not in agent.call("memory_recall", **given, include_graph=False)


# In chat


def test_a_person_asks_their_memory_and_nobody_else_hears(agent: Agent):
    kept = agent.call("memory_set", content=KEPT, subject="Staging")["id"]
    desk = agent.desk()
    assert "- records: 1 (1 saved)" in said(desk, "status", "")
    assert said(desk, "recall", "").splitlines()[1] == f"- [1.00] fact: Staging (id {kept[:8]})"
    assert said(desk, "recall", "what is the capital of Mongolia?").splitlines()[1].startswith("No records found")
    assert "no length of time" in said(desk, "pause", "for ever")
    assert "its owner's" in said(agent.desk(audience=Audience.GROUP), "recall", "port")


def test_what_was_told_last_in_this_conversation_can_be_forgotten(agent: Agent):
    kept = agent.call("memory_set", content=KEPT)["id"]
    assert said(agent.desk(), "forget", "LAST") == "Nothing was told here."
    agent.engine.recall("Which port does the staging database of Lantern listen on?", session="s1", at=NOW)
    assert said(agent.desk(), "forget", "last").startswith("Forgotten for good")
    assert agent.engine.store.record(kept) is None
    assert "there is no memory" in said(agent.desk(), "forget", "abcd")
