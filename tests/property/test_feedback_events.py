"""Turns in any order: late, doubled, missing, across restarts, edits and forgetting. Nothing is lost or counted twice."""

from __future__ import annotations

import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.stages.utility import MOST_OCCASIONS
from hookclaw_py.store import tallies
from tests.waiting import delete

FACTS = {
    "ferry": ("The ferry to Karlskrona leaves on 14 March; the cabin is 4112.", "cabin 4112 on 14 March"),
    "tenant": ("The tenant Okafor pays through Sparbank every Tuesday.", "Sparbank, every Tuesday"),
    "router": ("The router Hummingbird listens behind Lantern on port 7443.", "Lantern, port 7443"),
    "orchard": ("The orchard Hollow Ridge was sold to Ilse Brandt.", "sold to Ilse Brandt"),
}
PROMPTS = {name: f"please tell me everything about the {name} {fact.split()[2]}" for name, (fact, _) in FACTS.items()}
NAMES, SESSIONS, RUNS = sorted(FACTS), ["s", "t"], ["", "r1", "r2", "r3"]
START = datetime(2026, 2, 20, 12, tzinfo=UTC)
CONFIG = Config(enableVector=False, minScore=0.0, skipShortPrompts=0)


class Shown:
    """One injection as the model sees it."""

    def __init__(self, id: str, session: str, run: str) -> None:
        self.id, self.session, self.run, self.settled = id, session, run, False


class Turns(RuleBasedStateMachine):
    """The real engine beside a model of a few lines."""

    @initialize()
    def open(self) -> None:
        memory = Path("/dev/shm")  # a file system in memory: ten thousand steps are as many waits for a disk
        self.folder = Path(tempfile.mkdtemp(prefix="hookclaw-turns-", dir=memory if memory.is_dir() else None))
        (self.folder / "ws/memory").mkdir(parents=True)
        for name in NAMES:
            self.file(name).write_text(FACTS[name][0])
        self.now, self.versions, self.forgotten = START, Counter[str](), Counter[str]()
        self.shown: list[Shown] = []
        self.counts: Counter[str] = Counter()
        self.engine = Engine.open(CONFIG, folder=self.folder / "store", strict=True)
        self.engine.index(self.folder / "ws")

    def file(self, name: str) -> Path:
        return self.folder / f"ws/memory/{name}.md"

    def teardown(self) -> None:
        if hasattr(self, "engine"):
            self.engine.close()
            delete(self.folder)

    # What happens

    @rule(name=st.sampled_from(NAMES), session=st.sampled_from(SESSIONS), run=st.sampled_from(RUNS))
    def a_prompt(self, name: str, session: str, run: str) -> None:
        self.now += timedelta(hours=5)
        found = self.engine.recall(
            Prompt(PROMPTS[name], self.now, agent_id="main", session_id=session, run_id=run, audience=Audience.OWNER)
        )
        if found.outcome is Outcome.INJECTED:
            self.shown.append(Shown(found.id, session, run))

    @rule(
        name=st.sampled_from(NAMES),
        session=st.sampled_from(SESSIONS),
        run=st.sampled_from(RUNS),
        success=st.sampled_from([True, True, True, False]),
    )
    def an_end(self, name: str, session: str, run: str, success: bool) -> None:
        mine = [one for one in self.shown if one.session == session]
        named = [one for one in mine if run and one.run == run]
        meant = named[-1] if named else mine[-1] if mine and not (run and mine[-1].run) else None
        kinds = self.engine.agent_end(session, FACTS[name][1], run=run, success=success, at=self.now)
        if meant is None or meant.settled or not success:
            assert kinds == {}
        self.counts.update(list(self.engine.store.memories_of(kinds).values()))
        if meant is not None:
            meant.settled = True

    @rule(
        name=st.sampled_from(NAMES),
        other=st.sampled_from(NAMES),
        session=st.sampled_from(SESSIONS),
        run=st.sampled_from(RUNS),
    )
    def a_whole_turn(self, name: str, other: str, session: str, run: str) -> None:
        self.a_prompt(name, session, run)
        self.an_end(other, session, run, True)

    @rule(session=st.sampled_from(SESSIONS), first=st.sampled_from(NAMES), second=st.sampled_from(NAMES))
    def ends_out_of_order(self, session: str, first: str, second: str) -> None:
        self.a_prompt(first, session, "r1")
        self.a_prompt(second, session, "r2")
        self.an_end(second, session, "r2", True)
        self.an_end(first, session, "r1", True)
        self.an_end(second, session, "r2", True)

    @precondition(lambda self: self.shown)
    @rule(data=st.data(), good=st.booleans())
    def a_verdict(self, data: st.DataObject, good: bool) -> None:
        one = data.draw(st.sampled_from([shown.id for shown in self.shown]))
        self.engine.store.add_verdict(good, at=self.now, injection_id=one)
        assert self.engine.store.add_verdict(good, at=self.now, injection_id=one) == []

    @rule(data=st.data(), mark=st.sampled_from(["pin", "block", "", "", ""]))
    def a_mark(self, data: st.DataObject, mark: str) -> None:
        memories = sorted(chunk.memory for chunk in self.engine.store.all_chunks())
        if memories:
            self.engine.store.mark(data.draw(st.sampled_from(memories)), mark, at=self.now)

    @rule()
    def a_restart(self) -> None:
        self.engine.close()
        self.engine = Engine.open(CONFIG, folder=self.folder / "store", strict=True)

    @rule(name=st.sampled_from(NAMES), how=st.sampled_from(["slightly", "wholly", "away", "back"]))
    def an_edit(self, name: str, how: str) -> None:
        before = self.engine.store.all_uses()
        self.versions[name] += 1
        if how == "away":
            self.file(name).unlink(missing_ok=True)
        elif how == "wholly":
            self.file(name).write_text(f"Nothing {name}-like: a blue whale, number {self.versions[name]}.")
        else:
            more = f" It is version{self.versions[name]}." if how == "slightly" else ""
            self.file(name).write_text(FACTS[name][0] + " Really." * self.forgotten[name] + more)
        self.engine.index()
        after = self.engine.store.all_uses()
        assert sum(uses.shown for uses in after.values()) <= sum(uses.shown for uses in before.values())
        self.adopt()

    @rule(data=st.data())
    def a_wish_to_forget(self, data: st.DataObject) -> None:
        chunks = sorted(self.engine.store.all_chunks(), key=lambda chunk: chunk.id)
        if chunks:
            wanted = data.draw(st.sampled_from(chunks))
            self.forgotten[Path(wanted.place.path).stem] += 1  # what is written next says something else
            gone = self.engine.store.forget([wanted.memory], at=self.now)
            self.engine.index()
            assert wanted.text not in {chunk.text for chunk in self.engine.store.all_chunks()}
            told = "".join(str(event) for event in self.engine.store.events())
            assert not [one for one in (*gone, wanted.id) if one in told]
            self.adopt()

    def adopt(self) -> None:
        """Take over who inherited what: that there is no more of it than before was checked."""
        self.counts = Counter({i: uses.shown for i, uses in self.engine.store.all_uses().items() if uses.shown})

    # What must hold

    @invariant()
    def the_log_has_every_injection_and_every_end_once(self) -> None:
        if not hasattr(self, "engine"):
            return
        events = list(self.engine.store.events())
        assert [e.injection for e in events if e.kind == "injection"] == [one.id for one in self.shown]
        ended = Counter(e.injection for e in events if e.kind == "turn")
        assert ended == Counter(one.id for one in self.shown if one.settled)
        assert tallies.replay(events) == self.engine.store.all_uses()

    @invariant()
    def every_chunk_is_counted_as_often_as_its_turns_ended(self) -> None:
        if hasattr(self, "engine"):
            uses = self.engine.store.all_uses()
            assert {i: one.shown for i, one in uses.items() if one.shown} == +self.counts
            for one in uses.values():
                assert one.shown == one.used + one.relevant + one.contradicted + one.ignored
                assert min(one[:9]) >= 0
                assert len(one.occasions) == min(one.shown, MOST_OCCASIONS)
                assert [o.at for o in one.occasions] == sorted(o.at for o in one.occasions)


def run(examples: int, steps: int) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        Turns,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=checks,
            derandomize=True,
            database=None,
        ),
    )


def test_turns_in_any_order_are_each_counted_once():
    run(12, 25)


@pytest.mark.slow
def test_ten_thousand_steps_in_any_order():
    run(250, 40)
