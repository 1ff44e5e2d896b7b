"""Who hears what: others than the owner hear of shared notes alone, and nothing else is so much as weighed for them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.model.audience import POLICIES, Audience
from hookclaw_py.model.types import Injection, Prompt
from tests.conftest import FILLERS

NOW = datetime(2026, 2, 20, 12, tzinfo=UTC)
SECRET = "The cellar key of the Larch house hangs behind the boiler."
PUBLIC = "The spare key of the Larch office hangs behind the reception desk."
ASKED = "Where does the key of the Larch house or office hang?"
OTHERS = [audience for audience in Audience if audience is not Audience.OWNER]


def write(folder: Path, **notes: str) -> Path:
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    for name, text in notes.items():
        (folder / "memory" / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    filler = "\n\n".join(f"## Part {n}\n\nNote {n} about {word} and nothing else." for n, word in enumerate(FILLERS))
    return write(
        tmp_path / "ws", private=f"# Larch house\n\n{SECRET}\n\n{filler}\n", office=f"# Larch office\n\n{PUBLIC}\n"
    )


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        config = Config(enable_vector=False, min_score=0.2, adaptive_results=False, timezone="UTC", **settings)
        engines.append(Engine.open(config, folder=tmp_path / "store", strict=True))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def asked(engine: Engine, audience: Audience = Audience.GROUP, text: str = ASKED, **more: Any) -> Injection:
    return engine.recall(Prompt(text, NOW, agent_id="main", session_id=f"{audience}", audience=audience), **more)


def everything(injection: Injection) -> str:
    return injection.text + repr(injection.candidates) + repr(injection.rejected) + injection.reason


def test_only_the_owner_hears_of_everything():
    assert [audience for audience, policy in POLICIES.items() if policy.hears_everything] == [Audience.OWNER]
    assert POLICIES.keys() == set(Audience)
    assert Audience.named("") is Audience.named("Owner ") is Audience.named("root") is Audience.UNKNOWN
    assert Prompt("x", NOW, "main").audience is Audience.UNKNOWN, "whoever forgets to say it hears nothing private"


@pytest.mark.parametrize("audience", OTHERS)
def test_nothing_is_shared_unless_it_is_marked_and_the_reason_says_so(opened, workspace, audience):
    engine = opened()
    engine.index(workspace)
    assert SECRET in asked(engine, Audience.OWNER).text
    heard = asked(engine, audience)
    assert heard.outcome is Outcome.SILENT
    assert heard.reason == f"nothing is shared with {POLICIES[audience].called}"
    assert (heard.text, heard.candidates, heard.rejected) == ("", (), ())


@pytest.mark.parametrize("audience", OTHERS)
@pytest.mark.parametrize("how", ["glob", "front matter"])
def test_what_is_marked_shared_is_heard_and_nothing_beside_it(opened, workspace, audience, how):
    engine = opened(shared=("memory/office.md",) if how == "glob" else ())
    if how == "front matter":
        write(workspace, office=f"---\nshared: true\n---\n# Larch office\n\n{PUBLIC}\n")
    engine.index(workspace)
    heard = asked(engine, audience)
    assert heard.outcome is Outcome.INJECTED
    assert PUBLIC in heard.text
    assert "boiler" not in everything(heard)
    assert f"only what is shared with {POLICIES[audience].called} was searched" in heard.reason
    assert {SECRET, PUBLIC} == {text for text in (SECRET, PUBLIC) if text in asked(engine, Audience.OWNER).text}


def test_shared_notes_are_found_although_private_ones_would_fill_the_pool(opened, workspace):
    many = "\n\n".join(f"## Room {n}\n\nThe key of the Larch house and office hangs in room {n}." for n in range(60))
    write(workspace, many=f"# Larch keys\n\n{many}\n")
    engine = opened(shared=("memory/office.md",), pool_size=5)
    engine.index(workspace)
    heard = asked(engine)
    assert PUBLIC in heard.text
    assert {c.chunk.place.path for c in (*heard.candidates, *heard.rejected)} == {"memory/office.md"}


def test_shared_notes_are_found_by_meaning_too_although_private_ones_would_fill_the_pool(tmp_path, workspace):
    many = "\n\n".join(f"## Room {n}\n\nThe key of the Larch house and office hangs in room {n}." for n in range(30))
    write(workspace, many=f"# Larch keys\n\n{many}\n")
    config = Config(enable_bm25=False, shared=("memory/office.md",), pool_size=5, timezone="UTC")
    with Engine.open(config, folder=tmp_path / "store", strict=True) as engine:
        engine.index(workspace)
        heard = asked(engine)
        assert {c.chunk.place.path for c in (*heard.candidates, *heard.rejected)} == {"memory/office.md"}
        assert PUBLIC in heard.text


def test_a_note_of_the_day_asked_for_is_not_heard_of_either(opened, workspace):
    (workspace / "memory/2026-02-19.md").write_text(f"# Diary\n\n{SECRET}\n", encoding="utf-8")
    (workspace / "memory/2026-02-18.md").write_text("---\nshared: yes\n---\n# Log\n\nThe standup moved to ten.\n")
    engine = opened()
    engine.index(workspace)
    assert SECRET in asked(engine, Audience.OWNER, "what did I write down yesterday?").text
    assert "boiler" not in everything(asked(engine, text="what did I write down yesterday?"))


def test_a_private_heading_is_no_name_for_a_group(opened, workspace):
    write(workspace, bertold="# Bertold\n\nBertold gets flour twice a day.\n")
    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    poem = "Write a poem about Bertold"  # a name that the notes know overrides the pattern
    assert asked(engine, Audience.OWNER, poem).outcome is not Outcome.SKIPPED
    assert asked(engine, text=poem).outcome is Outcome.SKIPPED


def test_an_answer_given_to_the_owner_is_never_served_to_a_group(opened, workspace):
    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    for session in ("same", "same"):
        mine = engine.recall(Prompt(ASKED, NOW, "main", session, audience=Audience.OWNER))
    assert mine.cached == "exact"
    heard = engine.recall(Prompt(ASKED, NOW, "main", "same", audience=Audience.GROUP))
    assert not heard.cached
    assert "boiler" not in everything(heard)


def test_front_matter_counts_more_than_a_pattern_and_private_more_than_both(opened, workspace):
    write(
        workspace,
        no=f"---\nshared: false\n---\n# No\n\n{SECRET}\n",
        both=f"---\nshared: true\nprivate: true\n---\n# Both\n\n{SECRET}\n",
        broken=f"---\nshared: [\n---\n# Broken\n\n{SECRET}\n",
        perhaps=f"---\nshared: perhaps\n---\n# Perhaps\n\n{SECRET}\n",
        private=f"---\nshared: no\n---\n# Larch house\n\n{SECRET}\n",
    )
    engine = opened(shared=("*",))
    engine.index(workspace)
    heard = asked(engine)
    assert PUBLIC in heard.text
    assert "boiler" not in everything(heard)
    assert engine.status().shared == 1


def test_a_mark_that_comes_or_goes_counts_with_the_next_reading(opened, workspace):
    engine = opened()
    office = f"# Larch office\n\n{PUBLIC}\n"
    for front, heard in (("shared: true", True), ("shared: false", False), ("shared: true", True), ("title: x", False)):
        write(workspace, office=f"---\n{front}\n---\n{office}")
        engine.index(workspace)
        assert (PUBLIC in asked(engine).text) is heard, front


def test_a_pattern_taken_out_of_the_configuration_counts_before_anything_is_read_again(opened, workspace):
    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    assert PUBLIC in asked(engine).text
    later = opened(shared=())
    later.catch_up()
    assert asked(later).reason == "nothing is shared with a group"
    assert PUBLIC in asked(opened(shared=("memory/o*",))).text


def test_news_in_shared_notes_is_found_and_what_is_gone_is_not(opened, workspace):
    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    assert PUBLIC in asked(engine).text
    write(workspace, office="# Larch office\n\nThe spare key of the Larch office is with the porter now.\n")
    engine.index(workspace)
    heard = asked(engine)
    assert "with the porter now" in heard.text
    assert "reception" not in everything(heard)
    (workspace / "memory/office.md").unlink()
    engine.index(workspace)
    assert asked(engine).reason == "nothing is shared with a group"


def test_the_numbers_say_how_many_prompts_came_from_whom(opened, workspace):
    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    for audience in (Audience.OWNER, Audience.GROUP, Audience.GROUP, Audience.UNKNOWN):
        asked(engine, audience)
    totals = {labels: n for (name, labels), n in engine.metrics.totals().items() if name == "audience_prompts_total"}
    assert totals == {("owner", "injected"): 1, ("group", "injected"): 2, ("unknown", "injected"): 1}


def test_history_says_who_heard_an_answer_and_a_replay_asks_for_the_same(opened, workspace):
    from hookclaw_py.store.decisions import find

    engine = opened(shared=("memory/office.md",))
    engine.index(workspace)
    heard = asked(engine)
    assert engine.history is not None
    engine.history.flush()
    decision = find(engine.store, heard.id)
    assert decision.audience is Audience.GROUP
    assert "only what is shared with a group was searched" in decision.glance.reason
