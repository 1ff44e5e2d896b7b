"""The lane: takes from the queue what a model is to be asked of, asks it, and writes what it said, each once.

What is written, what it took and that it is done are one transaction: who is killed before it has done nothing, who is killed after
it all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple, Protocol

from hookclaw_py.capture.policy import Request, lies_within
from hookclaw_py.capture.processing import WAITS
from hookclaw_py.config import Config
from hookclaw_py.consolidate.sessions import keep_draft
from hookclaw_py.llm import budget
from hookclaw_py.llm.budget import Spent
from hookclaw_py.llm.chat import Away, Chat, Interrupted
from hookclaw_py.llm.questions import Inquiry, due_for_model, question_of
from hookclaw_py.llm.replies import Unusable, drafts_of
from hookclaw_py.model.draft import Draft
from hookclaw_py.model.happening import Happening
from hookclaw_py.model.kind import SKILL
from hookclaw_py.store.pause import pause_at
from hookclaw_py.store.ports import Counters, Facts, Notes
from hookclaw_py.store.sessions import Happenings, Records
from hookclaw_py.store.switches import Switches
from hookclaw_py.store.values import Lane, Lease, Waiting

_REQUESTS, _TOKENS = "model_requests_total", "model_tokens_total"


class LaneStore(Notes, Happenings, Records, Facts, Counters, Protocol):
    """What the lane needs of a store."""


class Lived(NamedTuple):
    """What a run of the lane came to: answers that were used, replies that could not be, and why it rests, "" if it does not."""

    used: int = 0
    unusable: int = 0
    rests: str = ""


class ModelLane:
    """One agent's lane. Several processes may work on it: each takes something else."""

    def __init__(self, store: LaneStore, chat: Chat, config: Config, *, switches: Switches, zone: tzinfo) -> None:
        self._switches = switches
        self._store, self._chat, self._config, self._zone = store, chat, config, zone
        self._stuck = timedelta(milliseconds=2 * config.llm.timeout_ms) + timedelta(minutes=1)

    def take_in(self, told: Sequence[Happening], news: frozenset[str], drafts: Sequence[Draft]) -> None:
        """Let what ended with ``news`` of a session wait for the model; in the transaction in which rules were done with it."""
        if due := due_for_model(told, news, drafts):
            self._store.enqueue(due, lane=Lane.MODEL, now=datetime.now(UTC))

    def run(self, clock: Callable[[], datetime], *, should_stop: Callable[[], bool] = lambda: False) -> Lived:
        """Ask what is due, one after the other, until nothing is, the lane rests or ``should_stop``.

        Raises:
            StoreError: if the store cannot be read or written.
        """
        self._store.recover(now=clock(), stuck=self._stuck, waits=WAITS, lane=Lane.MODEL)
        used = unusable = 0
        while not should_stop():
            now = clock()
            if why := self.why_it_rests(now):
                return Lived(used, unusable, why)
            lease = self._store.lease(now=now, most=1, lane=Lane.MODEL)
            if lease is None:
                break
            try:
                outcome = self._work_on(lease, clock, should_stop)
            except Interrupted:
                self._store.release(lease, now=clock())
                break
            used += outcome == "used"
            unusable += outcome == "unusable"
        return Lived(used, unusable)

    def waiting(self, now: datetime) -> Waiting:
        """Say how much waits for the model."""
        return self._store.waiting(now=now, stuck=self._stuck, lane=Lane.MODEL)

    def why_it_rests(self, now: datetime) -> str:
        """Say why nothing is asked at the moment, "" if anything may be."""
        if self._switches.paused(now):
            return "paused"
        if not self._config.capture.enabled or self._switches.not_captured():
            return "nothing is captured"
        known = budget.spent(self._store, self._day(now))
        if known.rests is not None and now < known.rests:
            return f"it failed, and is asked again at {known.rests.astimezone(self._zone):%H:%M}: {known.error}"
        if known.tokens + max(1, known.wanted) > self._config.llm.daily_tokens:
            return f"the {self._config.llm.daily_tokens:,} tokens of today are spent"
        return ""

    @property
    def destination(self) -> str:
        """Say where the text of sessions goes."""
        model = self._config.llm.model
        if self._chat.here:
            return f"what is said and done in your sessions is sent to {model} at {self._chat.where}, a server on this machine"
        return (
            f"what is said and done in your sessions LEAVES THIS MACHINE, secrets redacted: to {model} at {self._chat.where};"
            " llm.enabled = false stops it"
        )

    def state(self, now: datetime) -> str:
        """Say what it took today, how much waits, and what is wrong."""
        known, found = budget.spent(self._store, self._day(now)), self.waiting(now)
        told = [f"{known.tokens:,} of {self._config.llm.daily_tokens:,} tokens today"]
        told.append(f"{found.pending + found.processing} wait")
        if found.failed:
            told.append(f"{found.failed} got no usable answer, and the rules' records stand ({found.errors[0][1]})")
        return ", ".join([*told, *filter(None, [self.why_it_rests(now)])])

    def is_failing(self, now: datetime) -> bool:
        """Say whether the model does not answer, or not what it was asked."""
        return bool(budget.spent(self._store, self._day(now)).failures or self.waiting(now).failed)

    def close(self) -> None:
        """Close the connections."""
        self._chat.close()

    def due(self, now: datetime) -> datetime | None:
        """Return when there is more to ask; None if nothing waits."""
        found = self.waiting(now)
        if found.due is None:
            return now + self._stuck if found.processing else None
        known = budget.spent(self._store, self._day(now))
        if known.rests is not None and now < known.rests:
            return max(found.due, known.rests)
        if self.why_it_rests(now):
            return max(found.due, min(self._tomorrow(now), now + timedelta(minutes=10)))
        return found.due

    # One question

    def _work_on(self, lease: Lease, clock: Callable[[], datetime], should_stop: Callable[[], bool]) -> str:
        question = self._question(lease)
        if question is None:
            self._store.done(lease)
            return "nothing"
        most = self._chat.at_most(question)
        if not self._reserved(most, clock()):
            self._store.release(lease, now=clock())
            return "spent"
        day = self._day(clock())
        try:
            answer = self._chat.ask(question, should_stop=should_stop)
        except Away as error:
            self._give_up(lease, -most, day, str(error), clock())
            return "away"
        except Unusable as error:
            self._refuse(lease, -most, day, str(error), clock())
            return "unusable"
        try:
            drafts = drafts_of(answer.text, question)
        except Unusable as error:
            self._refuse(lease, answer.tokens - most, day, str(error), clock(), tokens=answer.tokens)
            return "unusable"
        with self._store.together():
            for draft in drafts:
                self._write(draft, question, at=clock())
            self._store.done(lease)
            self._account(lambda known: known.answered(), answer.tokens - most, day, clock())
            self._store.add_counts({(_REQUESTS, ("used",)): 1, (_TOKENS, ()): answer.tokens})
        return "used"

    def _question(self, lease: Lease) -> Inquiry | None:
        """Return what is asked of it; None where there is nothing to ask, or no longer, or it is not to leave this machine."""
        at = lease.happenings[0]
        told = sorted(self._store.happenings(lease.session), key=lambda one: one.at)
        here = [one for one in told if one.run == at.run]
        if lease.session in self._switches.without():
            return None
        if any(lies_within(_asked(one), self._config.capture.exclude) for one in here):
            return None
        known = self._switches.pauses()
        if any(pause_at(known, one.at) for one in here):
            return None
        question = question_of(told, at, max_chars=self._config.llm.max_input_chars)
        return question if question and self._is_wanted(question) else None

    def _is_wanted(self, question: Inquiry) -> bool:
        """Say whether the record that rules made of a step still says what they said of this one."""
        draft = question.draft
        if draft is None:
            return True
        there = self._store.records(kinds=[draft.kind], about=draft.key)
        return any(record.status.stands and record.body == draft.body for record in there)

    def _write(self, draft: Draft, question: Inquiry, *, at: datetime) -> None:
        if not self._is_wanted(question) or (
            draft.kind is SKILL and self._store.records(kinds=[SKILL], about=draft.key)
        ):
            return
        keep_draft(self._store, draft, zone=self._zone, at=at, actor=f"model {self._config.llm.model}")

    # What it takes

    def _reserved(self, most: int, now: datetime) -> bool:
        """Count what a question may take, before it leaves; False if there is no room for it today."""
        with self._store.together():
            known = budget.spent(self._store, self._day(now))
            fits = known.tokens + most <= self._config.llm.daily_tokens
            budget.keep(self._store, known.plus(most)._replace(wanted=0) if fits else known._replace(wanted=most))
        return fits

    def _give_up(self, lease: Lease, tokens: int, day: date, error: str, now: datetime) -> None:
        """Let the lane rest; that is no attempt."""
        with self._store.together():
            self._store.release(lease, now=now)
            self._account(lambda known: known.failed(error, now), tokens, day, now)
            self._store.add_counts({(_REQUESTS, ("away",)): 1})

    def _refuse(self, lease: Lease, change: int, day: date, error: str, now: datetime, *, tokens: int = 0) -> None:
        """Note an attempt in vain; after the third the rules' record stays as it is."""
        with self._store.together():
            self._store.fail(lease, error, now=now, waits=WAITS)
            self._account(lambda known: known.answered(), change, day, now)
            self._store.add_counts({(_REQUESTS, ("unusable",)): 1, (_TOKENS, ()): tokens})

    def _account(self, become: Callable[[Spent], Spent], change: int, reserved_on: date, now: datetime) -> None:
        known = become(budget.spent(self._store, self._day(now)))
        budget.keep(self._store, known.plus(change) if known.day == reserved_on else known)

    def _day(self, now: datetime) -> date:
        return now.astimezone(self._zone).date()

    def _tomorrow(self, now: datetime) -> datetime:
        return datetime.combine(self._day(now) + timedelta(days=1), time(), self._zone).astimezone(UTC)


def _asked(happening: Happening) -> Request:
    told = happening.payload
    return Request(str(told.get("tool") or ""), told.get("input"), str(told.get("cwd") or ""))
