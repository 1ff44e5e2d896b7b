"""One watch for many followers: each hears of its own folders, and whose folder cannot be watched stops nobody else's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookclaw_py.ingest.folders import Folder
from hookclaw_py.ingest.watcher import Watched
from hookclaw_py.ingest.watches import Watches
from hookclaw_py.ingest.workspace import Layout
from tests.waiting import wait_until


class Follows:
    """Follows one folder, and keeps what it hears."""

    def __init__(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.root, self.times_covered, self.problems, self.paths = root, 0, list[str](), set[str]()
        self.watched: Watched | None = Watched([Folder(root, Layout.NOTES)], globs=(), exclude=())

    def covered(self) -> None:
        self.times_covered += 1

    def uncovered(self, problem: str) -> None:
        self.problems.append(problem)

    def heard(self, changes: set[tuple[int, str]]) -> None:
        self.paths |= {Path(path).relative_to(self.root).as_posix() for _, path in changes}

    def look(self) -> None:
        assert self.watched
        self.watched = self.watched.again()

    def hears_of(self, name: str) -> bool:
        (self.root / name).write_text("a note")
        wait_until(lambda: name in self.paths, f"{self.root.name} hears of {name}")
        return True


@pytest.fixture
def watches() -> Iterator[Watches]:
    watches = Watches()
    yield watches
    watches.close()


def test_each_hears_of_its_own_folder_whenever_it_came(watches, tmp_path):
    first, second, third = (Follows(tmp_path / name) for name in ("a", "ab", "c"))
    for follower in (first, second):
        watches.follow(follower)
        wait_until(lambda follower=follower: follower.times_covered, "it is watched")
    assert first.hears_of("one.md")
    assert second.hears_of("two.md")
    watches.follow(third)
    assert first.hears_of("while-another-comes.md")
    wait_until(lambda: third.times_covered, "it is watched")
    assert third.hears_of("three.md")
    assert first.hears_of("four.md")
    assert first.paths == {"one.md", "while-another-comes.md", "four.md"}
    assert second.paths == {"two.md"}
    assert (first.times_covered, second.times_covered, third.times_covered) == (1, 1, 1)


def test_two_may_follow_the_same_folder_and_one_inside_of_the_others(watches, tmp_path):
    whole, same, inner = Follows(tmp_path / "a"), Follows(tmp_path / "a"), Follows(tmp_path / "a" / "b")
    for follower in (whole, same, inner):
        watches.follow(follower)
    wait_until(lambda: whole.times_covered and same.times_covered and inner.times_covered, "all are watched")
    assert inner.hears_of("note.md")
    wait_until(lambda: "b/note.md" in whole.paths & same.paths, "the others hear of it, too")
    watches.leave(same)
    same.paths.clear()
    assert whole.hears_of("again.md")
    assert not same.paths


def test_a_folder_that_cannot_be_watched_is_told_to_its_follower_alone_and_tried_again(watches, tmp_path):
    sound, lost, later = (Follows(tmp_path / name) for name in ("sound", "lost", "later"))
    watches.follow(sound)
    wait_until(lambda: sound.times_covered, "it is watched")
    lost.look = lambda: None  # it does not see that its folder is gone
    lost.root.rename(tmp_path / "elsewhere")
    watches.follow(lost)
    watches.follow(later)
    wait_until(lambda: lost.problems and later.times_covered, "the one is told, the other watched")
    assert "lost" in lost.problems[0]
    assert "cannot be watched" in lost.problems[0]
    assert sound.hears_of("one.md")
    assert later.hears_of("two.md")
    assert (sound.problems, later.problems, lost.times_covered) == ([], [], 0)
    (tmp_path / "elsewhere").rename(lost.root)
    wait_until(lambda: lost.times_covered, "it is tried again")
    assert lost.hears_of("three.md")


def test_a_folder_that_is_another_one_now_is_watched_in_its_place(watches, tmp_path):
    follower = Follows(tmp_path / "a")
    watches.follow(follower)
    wait_until(lambda: follower.times_covered, "it is watched")
    follower.root.rmdir()
    follower.root.mkdir()
    wait_until(lambda: follower.times_covered == 2, "the new one is watched")
    assert follower.hears_of("one.md")


def test_what_hangs_on_its_way_holds_up_nobody_who_is_watched(watches, tmp_path, monkeypatch):
    sound, stuck = Follows(tmp_path / "sound"), Follows(tmp_path / "stuck")
    watches.follow(sound)
    wait_until(lambda: sound.times_covered, "it is watched")
    let_go, begun = threading.Event(), threading.Event()
    begin = watches._begun

    def hang(tops):
        begun.set()
        assert let_go.wait(60)
        return begin(tops)

    monkeypatch.setattr(watches, "_begun", hang)
    watches.follow(stuck)
    assert begun.wait(60)
    assert sound.hears_of("one.md")
    let_go.set()
    wait_until(lambda: stuck.times_covered, "it is watched when the disk answers again")
