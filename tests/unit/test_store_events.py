"""What the store remembers of injections and of the turns after them, and how long a turn waits for that."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import pytest

from hookclaw_py.errors import StoreError
from hookclaw_py.store.database import Store
from hookclaw_py.store.events import MAX_PROMPT_CHARS
from hookclaw_py.types import Uses

AT = datetime(2026, 2, 9, 12, tzinfo=UTC)
A, B = f"{1:016x}", f"{2:016x}"


@pytest.fixture(params=["on disk", "in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "main" if request.param == "on disk" else None) as opened:
        yield opened


def inject(store: Store, injection_id: str, *, session: str = "s", prompt: str = "when?") -> None:
    store.record_injection(at=AT, session_id=session, injection_id=injection_id, prompt=prompt, chunk_ids=[A, B])


def settle(store: Store, injection_id: str, **used: bool) -> None:
    by_id = {{"a": A, "b": B}[name]: was for name, was in used.items()}
    store.settle(at=AT, session_id="s", injection_id=injection_id, used=by_id)


def test_an_injection_waits_for_its_turn_and_is_tallied_once(store: Store):
    assert store.unsettled("s") is None
    inject(store, "i1")
    assert store.unsettled("s") == ("i1", "when?", (A, B))
    assert store.unsettled("other") is None
    settle(store, "i1", a=True, b=False)
    assert store.unsettled("s") is None
    assert store.uses([A, B]) == {A: Uses(1, 1), B: Uses(1, 0)}


def test_a_failed_turn_ends_the_injection_and_teaches_nothing(store: Store):
    inject(store, "i1")
    settle(store, "i1")
    assert store.unsettled("s") is None
    assert store.unsettled("s", "i1") is None
    assert store.uses([A, B]) == {}


def test_an_injection_can_be_asked_for_by_its_id(store: Store):
    inject(store, "i1")
    inject(store, "i2")
    assert store.unsettled("s").injection_id == "i2"  # type: ignore[union-attr]
    settle(store, "i2", a=True)
    assert store.unsettled("s") is None
    assert store.unsettled("s", "i1") == ("i1", "when?", (A, B))
    assert store.unsettled("s", "i2") is None
    assert store.unsettled("s", "unknown") is None
    assert store.unsettled("other", "i1") is None


def test_of_a_huge_prompt_the_beginning_is_stored(store: Store):
    inject(store, "i1", prompt="日" * 100_000)
    assert store.unsettled("s").prompt == "日" * MAX_PROMPT_CHARS  # type: ignore[union-attr]
    inject(store, "i2", prompt="half a \ud83d pair")
    assert store.unsettled("s").prompt == "half a ? pair"  # type: ignore[union-attr]


def test_a_turn_does_not_wait_long_for_another_process_that_writes(tmp_path: Path):
    with Store.open(tmp_path) as store:
        inject(store, "i1")
        other = sqlite3.connect(tmp_path / "memory.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        started = perf_counter()
        with pytest.raises(StoreError, match="another process holds it"):
            inject(store, "i2")
        with pytest.raises(StoreError, match="another process holds it"):
            store.settle(at=AT, session_id="s", injection_id="i1", used={A: True}, busy_seconds=0.05)
        assert perf_counter() - started < 3  # of the 5 seconds that a writer waits
        other.execute("ROLLBACK")
        other.close()
        assert store.unsettled("s").injection_id == "i1"  # type: ignore[union-attr]
        settle(store, "i1", a=True)
        assert store.uses([A]) == {A: Uses(1, 1)}


def test_a_turn_does_not_wait_long_for_another_thread_that_writes(tmp_path: Path):
    with Store.open(tmp_path) as store, store._writing():
        failures: list[StoreError] = []

        def turns() -> None:
            try:
                inject(store, "i1")
            except StoreError as error:
                failures.append(error)

        threads = [threading.Thread(target=turns) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=4)
            assert not thread.is_alive()
        assert len(failures) == 3
