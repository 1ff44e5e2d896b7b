"""What every store promises of what happened in sessions, and of the queue of what waits to be worked on."""

from __future__ import annotations

from datetime import datetime, timedelta

from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.store.ports import AgentStore
from hookclaw_py.store.values import Lane
from hookclaw_py.testing.fakes import a_chunk
from hookclaw_py.testing.store_under_test import AT, FERRY, OTHER, StoreUnderTest

SECOND, HOUR, STUCK = timedelta(seconds=1), timedelta(hours=1), timedelta(seconds=300)
WAITS = (timedelta(seconds=2), timedelta(seconds=4))


class HappeningContract(StoreUnderTest):
    """The tests of what happened, and of the queue."""

    # What happened, and what of it waits

    def happened(
        self, name: str, session: str = "s", *, run: str = "r", text: str = "", at: datetime = AT
    ) -> Happening:
        """Return something that happened."""
        return Happening(name, at, "openclaw", session, run, HappeningKind.PROMPT, {"text": text or name})

    def test_what_happened_comes_back_in_its_order_and_once(self, store: AgentStore) -> None:
        """C18: the same id twice is one."""
        first, second = self.happened("1"), self.happened("2", run="q")
        assert store.append([first, second], queued=["1"], now=AT) == {"1", "2"}
        assert store.append([first._replace(at=AT + HOUR), self.happened("3", "t")], queued=["1", "3"], now=AT) == {"3"}
        assert store.happenings("s") == [first, second]
        assert store.happenings("s", run="q") == store.happenings("s", newest=1) == [second]
        assert store.happenings(kinds=[HappeningKind.ANSWER]) == []
        found = store.waiting(now=AT, stuck=STUCK)
        assert (found.captured, found.sessions, found.pending, found.failed, found.last) == (3, 2, 2, 0, AT)

    def test_how_much_of_which_session_is_kept_is_known(self, store: AgentStore) -> None:
        store.append([self.happened(n, s) for n, s in ("1a", "2b", "3a")], queued=[], now=AT)
        assert store.happened() == {"a": 2, "b": 1}

    def test_sessions_are_worked_on_side_by_side_each_in_its_order(self, store: AgentStore) -> None:
        """C9."""
        store.append([self.happened(n, s) for n, s in ("1a", "2b", "3a", "4b")], queued=["1", "2", "3", "4"], now=AT)
        one, two = store.lease(now=AT, most=9), store.lease(now=AT, most=9)
        assert one is not None
        assert two is not None
        assert [[one.id for one in lease.happenings] for lease in (one, two)] == [["1", "3"], ["2", "4"]]
        store.append([self.happened("5", "a")], queued=["5"], now=AT)
        assert store.lease(now=AT, most=9) is None, "5 comes after what is at work"
        store.done(one)
        assert self.leased(store, AT) == ["5"]
        store.release(two, now=AT)
        assert self.leased(store, AT) == ["2", "4"]

    def test_what_waits_for_a_model_and_for_rules_holds_up_neither(self, store: AgentStore) -> None:
        """C9, C10: a lane each, in its own order, with its own leases, tries and failures."""
        store.append([self.happened("1"), self.happened("2")], queued=["1", "2"], now=AT)
        for _ in range(2):
            store.enqueue(["2", "1", "unheard of"], lane=Lane.MODEL, now=AT)
        model = store.lease(now=AT, most=1, lane=Lane.MODEL)
        assert model is not None
        assert [one.id for one in model.happenings] == ["1"]
        assert self.leased(store, AT) == ["1", "2"], "the rules wait for no model"
        assert store.lease(now=AT, most=1, lane=Lane.MODEL) is None, "2 comes after what is at work"
        store.fail(model, "rubbish", now=AT, waits=())
        again = store.lease(now=AT, most=1, lane=Lane.MODEL)
        assert again is not None
        assert [one.id for one in again.happenings] == ["2"]
        assert store.recover(now=AT + HOUR, stuck=STUCK, waits=WAITS) == 1, "of the rules alone"
        rules, models = (store.waiting(now=AT, stuck=STUCK, lane=lane) for lane in Lane)
        assert (rules.pending, rules.processing, rules.failed) == (2, 0, 0)
        assert (models.pending, models.processing, models.failed) == (0, 1, 1)
        assert [error for _, error in models.errors] == ["rubbish"]
        store.done(again)
        assert store.retry(now=AT) == 1
        assert store.waiting(now=AT, stuck=STUCK, lane=Lane.MODEL).pending == 1

    def leased(self, store: AgentStore, now: datetime) -> list[str]:
        """Take what is due, and return its ids."""
        lease = store.lease(now=now, most=9)
        return [one.id for one in lease.happenings] if lease else []

    def test_what_fails_is_tried_three_times_after_longer_and_longer_waits(self, store: AgentStore) -> None:
        """C9, vector 17: an item fails at 0 s, again, again: due 2 s, then 6 s, then failed."""
        store.append([self.happened("1")], queued=["1"], now=AT)
        for second, due in ((0, 2), (2, 6)):
            lease = store.lease(now=AT + SECOND * second, most=9)
            assert lease is not None
            store.fail(lease, "no room", now=AT + SECOND * second, waits=WAITS)
            assert store.waiting(now=AT, stuck=STUCK).due == AT + SECOND * due
            assert store.lease(now=AT + SECOND * (due - 1), most=9) is None
        lease = store.lease(now=AT + SECOND * 6, most=9)
        assert lease is not None
        assert lease.attempts == 2
        store.fail(lease, "no room", now=AT, waits=WAITS)
        found = store.waiting(now=AT, stuck=STUCK)
        assert (found.pending, found.failed, found.errors) == (0, 1, (("1", "no room"),))
        assert store.retry(now=AT) == 1
        assert self.leased(store, AT) == ["1"]

    def test_what_waits_for_another_try_holds_up_its_session_alone_and_is_then_tried_alone(
        self, store: AgentStore
    ) -> None:
        """C9, vector 20: a waits for its retry, b of the same session is pending: b waits."""
        store.append([self.happened(n, s) for n, s in ("as", "bs", "ct")], queued=["a", "b", "c"], now=AT)
        lease = store.lease(now=AT, most=9)
        assert lease is not None
        store.fail(lease, "no room", now=AT, waits=WAITS)
        assert self.leased(store, AT) == ["c"]
        assert self.leased(store, AT + SECOND) == []
        assert self.leased(store, AT + SECOND * 2) == ["a"]

    def test_what_is_stuck_goes_back_and_counts(self, store: AgentStore) -> None:
        """C9, vector 18: processing for 300,000 ms is processing, for 300,001 ms pending again, attempts + 1."""
        store.append([self.happened("1"), self.happened("2")], queued=["1", "2"], now=AT)
        first = store.lease(now=AT, most=9)
        assert first is not None
        assert store.recover(now=AT + STUCK, stuck=STUCK, waits=WAITS) == 0
        late = AT + STUCK + timedelta(milliseconds=1)
        assert store.waiting(now=late, stuck=STUCK).stuck == 2
        assert store.recover(now=late, stuck=STUCK, waits=WAITS) == 1
        store.done(first)
        found = store.waiting(now=late, stuck=STUCK)
        assert (found.pending, found.processing) == (2, 0), "the first one that had it ends nothing"
        second = store.lease(now=late + SECOND * 2, most=9)
        assert second is not None
        assert (second.attempts, [one.id for one in second.happenings]) == (1, ["1"])

    def test_what_takes_its_process_with_it_three_times_has_failed_and_the_others_go_on(
        self, store: AgentStore
    ) -> None:
        """C9, vector 19."""
        store.append([self.happened("1"), self.happened("2")], queued=["1", "2"], now=AT)
        now, taken = AT, list[list[str]]()
        for _ in range(4):
            taken.append(self.leased(store, now))
            now += STUCK * 2
            store.recover(now=now, stuck=STUCK, waits=WAITS)
            now += STUCK
        assert taken == [["1", "2"], ["1"], ["1"], ["2"]]
        assert store.waiting(now=now, stuck=STUCK).failed == 1

    def test_the_words_of_a_turn_stay_until_it_is_answered_but_not_for_ever(self, store: AgentStore) -> None:
        """C12: ``keepRawDays`` may be 0, and what was asked is told with its answer all the same."""
        asked = [self.happened("1", run="a"), self.happened("2", run="b"), self.happened("3", run="c")]
        answer = Happening("4", AT, "openclaw", "s", "a", HappeningKind.ANSWER, {"text": "4"})
        asked[2] = asked[2]._replace(at=AT - timedelta(days=2))
        store.append([*asked, answer], queued=[], now=AT)
        assert store.expire(before=AT + SECOND, unanswered=AT - timedelta(days=1)) == 3
        assert [one.payload.get("text", "") for one in store.happenings("s")] == ["", "2", "", ""]

    def test_payloads_go_after_a_while_and_what_waits_keeps_its_own(self, store: AgentStore) -> None:
        """C12, defect 10: what happened is still known, and is not kept twice."""
        store.append([self.happened(n) for n in "123"], queued=["1", "2"], now=AT)
        store.append([self.happened("4", at=AT + HOUR)], queued=[], now=AT)
        lease = store.lease(now=AT, most=1)
        assert lease is not None
        store.fail(lease, "no", now=AT, waits=())
        assert store.expire(before=AT + SECOND, unanswered=AT + SECOND) == 2
        assert [one.payload.get("text", "") for one in store.happenings("s")] == ["", "2", "", "4"]
        assert store.append([self.happened("1")], queued=["1"], now=AT) == frozenset()
        assert store.waiting(now=AT, stuck=STUCK).failed == 0

    def test_what_happened_is_reworded_with_what_is_forgotten_or_nothing_is_done(self, store: AgentStore) -> None:
        store.append([self.happened("1", text="So be it. The safe is open.")], queued=["1"], now=AT)
        store.append([self.happened("2", text="So be it.")], queued=["2"], now=AT)
        store.forget([FERRY.id], at=AT, also=lambda: store.forget_said([], lambda said: said[:-18], at=AT))
        assert [dict(one.payload) for one in store.happenings("s")] == [{"text": "So be it."}, {}]
        assert store.get(FERRY.id) is None

    def test_forgetting_takes_what_happened_where_it_was_shown_and_what_says_it(self, store: AgentStore) -> None:
        self.shown(store, "i1", run="r1")
        told = [
            self.happened("1", run="r1", text="when was that?"),
            self.happened("2", run="r2", text=f"You said:   {FERRY.text.upper()}, didn't you"),
            self.happened("3", run="r3", text="The ferry is late"),
        ]
        store.append(told, queued=["1", "2", "3"], now=AT)
        store.forget([FERRY.id], at=AT)
        assert [dict(one.payload) for one in store.happenings("s")] == [{}, {}, {"text": "The ferry is late"}]
        assert self.leased(store, AT) == ["3"]

    def test_forgetting_a_short_text_leaves_what_has_its_letters_in_a_longer_word(self, store: AgentStore) -> None:
        names = a_chunk("Anna", OTHER, heading="Sister"), a_chunk("安娜", OTHER, heading="姐姐"), a_chunk("4711", OTHER)
        store.replace_file(OTHER, chunks=names)
        told = ("Hannah moved to Savannah", "order 47110", "I met Anna.", "我昨天见到安娜了", "the code is 4711!")
        kept = [self.happened(str(number), text=text) for number, text in enumerate(told)]
        store.append(kept, queued=[one.id for one in kept], now=AT)
        store.forget([chunk.id for chunk in names], at=AT)
        assert [dict(one.payload) for one in store.happenings("s")] == [
            {"text": told[0]},
            {"text": told[1]},
            {},
            {},
            {},
        ]
        assert self.leased(store, AT) == ["0", "1"]

    def test_what_was_queued_while_the_clock_was_ahead_does_not_wait_for_that_day(self, store: AgentStore) -> None:
        store.append([self.happened("1")], queued=["1"], now=AT + timedelta(days=400))
        assert self.leased(store, AT) == ["1"]
