"""The fuzzy cache: what counts as the same prompt, and how long an answer lives."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable

import pytest

from hookclaw_py.search.cache import FuzzyCache


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def cache(
    size: int = 20, ttl_ms: int = 300_000, threshold: float = 0.75, timer: Callable[[], float] = time.monotonic
) -> FuzzyCache[str]:
    return FuzzyCache(size=size, ttl_ms=ttl_ms, threshold=threshold, timer=timer)


def found(remembered: str, asked: str, threshold: float = 0.5) -> str:
    """Say how ``asked`` finds what was put for ``remembered``: "exact", "fuzzy" or ""."""
    remembers = cache(threshold=threshold)
    remembers.put("scope", remembered, "answer")
    hit = remembers.get("scope", asked)
    assert hit is None or hit[1] == "answer"
    return hit[0] if hit else ""


@pytest.mark.parametrize(
    ("remembered", "asked"),
    [
        ("what did we decide about issue 1005", "what did we decide about issue 1006"),
        ("please deploy the web service to staging now", "please do not deploy the web service to staging now"),
        ("you should deploy the web service today", "you shouldn't deploy the web service today"),
        ("deploy with the cache warmed up first", "deploy without the cache warmed up first"),
        ("what is planned for Monday with the design team", "what is planned for Tuesday with the design team"),
        ("what happened in March at the office in Rome", "what happened in April at the office in Rome"),
        ("what was noted on 2026-02-12 about the garden", "what was noted on 2026-02-13 about the garden"),
        ("which flags does v2.1.0 of the build tool take", "which flags does v2.1.1 of the build tool take"),
        ("who owns src/auth.ts in the web repository", "who owns src/auth.js in the web repository"),
        ("is --no-cache needed for the nightly build", "is --cache needed for the nightly build"),
        ("what does Anna like to eat in the evening", "what does Hannah like to eat in the evening"),
        ("mail Adams the plan for the new kitchen", "mail Adam the plan for the new kitchen"),
        ("what did he decide about the new kitchen", "what did she decide about the new kitchen"),
        ("what did you decide about the new kitchen", "what did I decide about the new kitchen"),
        ("what did he tell me about the kitchen", "what did he tell you about the kitchen"),
        ("when did we book the flight to Oslo", "where did we book the flight to Oslo"),
        ("when is the flight to Oslo that we booked", "when is the flight from Oslo that we booked"),
        ("what was the rule for tabs in the editor", "what is the rule for tabs in the editor"),
        ("move the notes from work to home", "move the notes from home to work"),
        ("what did Anna say about Ben at lunch", "what did Ben say about Anna at lunch"),
        ("how much does Anna owe Ben for the trip", "how much does Ben owe Anna for the trip"),
        ("train de paris à lyon à quelle heure", "train de lyon à paris à quelle heure"),
        ("what is the dose of vitamin A for adults", "what is the dose of vitamin for adults"),
        ("do not water the roses but water the lawn", "do not water the lawn but water the roses"),
        ("is 5% of the rent too much to save", "is 5 of the rent too much to save"),
        ("is it safe below -5 degrees outside", "is it safe below 5 degrees outside"),
        ("compare port 80 with port 443 for me", "compare port 443 with port 80 for me"),
        ("how many keys were lost, two or more", "how many keys were lost, three or more"),
        ("我们上次决定了什么", "我们上次没有决定什么"),
        ("我们决定用哪个数据库", "他们决定用哪个日志格式"),
        ("昨日の会議で決めたこと", "今日の会議で決めたこと"),
        ("что мы решили про ключи", "что они решили про замки"),
        ("не удаляй старые ключи", "удаляй старые ключи"),
        ("!!!", "???"),
        ("please", "ok thanks"),
    ],
)
def test_prompts_that_mean_something_else_are_never_the_same(remembered, asked):
    """Mend 8 and mend 9, at any threshold."""
    for threshold in (0.0, 0.5, 0.85):
        assert found(remembered, asked, threshold) == ""
        assert found(asked, remembered, threshold) == ""


@pytest.mark.parametrize(
    ("remembered", "asked"),
    [
        ("what did we decide about the log format for the api", "what did we decide about log format for the api"),
        ("what did we decide about the log format?", "please, what did we decide about the log format"),
        ("which port does staging use", "can you tell me which port does staging use"),
        ("where are the keys for the cabin", "remind me where are the keys for the cabin"),
        ("who has the policies for the keys", "who has the policy for the key"),
        ("which boxes were shipped to the office", "which box were shipped to the offices"),
        ("the roses and the lawn, who waters them", "who waters them, the lawn and the roses"),
        ("the notes and the northern map, who keeps them", "who keeps them, the northern map and the notes"),
        ("как называется порт для базы", "порт для базы как называется"),
        ("我们决定了什么，昨天", "我们决定了什么 昨天"),
    ],
)
def test_politeness_articles_word_order_and_plurals_do_not_change_a_question(remembered, asked):
    assert found(remembered, asked) == "fuzzy"
    assert found(asked, remembered) == "fuzzy"


def test_news_are_not_the_plural_of_new():
    assert found("what is in the news folder of the site", "what is in the new folder of the site") == ""


@pytest.mark.parametrize(
    "asked", ["Which PORT does staging use", "  which port\n does  staging use ", "which port does staging use"]
)
def test_case_and_spaces_do_not_make_another_prompt(asked):
    assert found("which port does staging use", asked, threshold=1.0) == "exact"


def test_a_composed_and_a_decomposed_letter_are_the_same_prompt():
    assert (
        found("wie hei\u00dft das Caf\u00e9 am See", "wie hei\u00dft das Cafe\u0301 am See", threshold=1.0) == "exact"
    )


def test_threshold_one_means_exact_only():
    assert found("which port does the staging use", "which port does staging use", threshold=1.0) == ""
    assert found("who waters the lawn and the roses", "the roses and the lawn who waters", threshold=1.0) == ""


def test_the_threshold_is_reached_by_equality_and_not_missed():
    """Keep: Jaccard. Six words of seven are shared."""
    assert found("which port does the old staging use", "which port does old staging use", 6 / 7) == "fuzzy"
    assert found("which port does the old staging use", "which port does old staging use", 6 / 7 + 1e-9) == ""


def test_the_most_similar_prompt_answers_and_of_equals_the_latest():
    remembers = cache(threshold=0.5)
    remembers.put(0, "please just which port does staging use", "far")
    remembers.put(0, "the port which does staging use", "near")
    assert remembers.get(0, "which port does staging use") == ("fuzzy", "near")
    remembers.put(0, "a port which does staging use", "later")
    assert remembers.get(0, "which port does staging use") == ("fuzzy", "later")
    remembers.put(0, "the port which does staging use", "again")
    assert remembers.get(0, "which port does staging use") == ("fuzzy", "again")


def test_a_scope_never_sees_what_another_remembers():
    """Mend 7: agent, session, configuration and index generation are all part of the scope."""
    remembers = cache()
    remembers.put(("anna", "s1", "cfg", 7), "which port does staging use", "5433")
    assert remembers.get(("anna", "s1", "cfg", 7), "which port does staging use") == ("exact", "5433")
    for scope in [
        ("ben", "s1", "cfg", 7),
        ("anna", "s2", "cfg", 7),
        ("anna", "s1", "other", 7),
        ("anna", "s1", "cfg", 8),
    ]:
        assert remembers.get(scope, "which port does staging use") is None
        assert remembers.get(scope, "which port does staging use please") is None


def test_an_answer_lives_for_its_time_and_not_longer():
    clock = Clock()
    remembers = cache(ttl_ms=5000, timer=clock)
    remembers.put(0, "which port does staging use", "5433")
    clock.seconds = 4.999
    assert remembers.get(0, "which port does staging use") == ("exact", "5433")
    assert remembers.get(0, "which port does the staging use") == ("fuzzy", "5433")
    clock.seconds = 5.0
    assert remembers.get(0, "which port does staging use") is None
    assert remembers.get(0, "which port does the staging use") is None
    assert len(remembers) == 0


def test_the_least_recently_used_answer_makes_room_whatever_its_scope():
    remembers = cache(size=2)
    remembers.put("a", "which port does staging use", "old")
    remembers.put("b", "who waters the garden in July", "used")
    remembers.get("a", "please which port does staging use")  # a fuzzy hit is a use
    remembers.put("a", "what is the wifi password here", "new")
    assert len(remembers) == 2
    assert remembers.get("b", "who waters the garden in July") is None
    assert remembers.get("b", "please who waters the garden in July") is None
    assert remembers.get("a", "which port does staging use") == ("exact", "old")


def test_a_later_answer_replaces_the_earlier_one():
    remembers = cache(size=1)
    remembers.put(0, "which port does Staging use", "5433")
    remembers.put(0, "Which port does staging use", "5434")
    assert len(remembers) == 1
    assert remembers.get(0, "which port does staging use") == ("exact", "5434")


def test_replacing_an_answer_makes_no_room_and_leaves_nothing_of_the_earlier_one():
    remembers = cache(size=2)
    remembers.put(0, "who waters the garden in July", "Ben")
    remembers.put(0, "which Ports does staging use", "earlier")
    remembers.put(0, "which ports does staging use", "later")
    assert remembers.get(0, "who waters the garden in July") == ("exact", "Ben")
    assert remembers.get(0, "please which Ports does staging use") is None
    assert remembers.get(0, "please which ports does staging use") == ("fuzzy", "later")


def test_clearing_forgets_everything():
    remembers = cache()
    remembers.put(0, "which port does staging use", "5433")
    remembers.clear()
    assert len(remembers) == 0
    assert remembers.get(0, "which port does staging use") is None
    assert remembers.get(0, "which port does the staging use") is None


def test_nothing_is_kept_of_what_has_expired_or_was_evicted():
    clock = Clock()
    remembers = cache(size=50, ttl_ms=1000, timer=clock)
    for i in range(2000):
        clock.seconds += 0.01
        remembers.put(i % 7, f"what is item {i % 300} of the list", "x")
        held = sum(len(group) for group in remembers._alike.values())
        assert held == len(remembers) <= 50
    clock.seconds += 2
    assert len(remembers) == 0
    assert not remembers._alike


@pytest.mark.timeout(60)  # to compare every word with every other takes minutes
def test_a_megabyte_prompt_is_remembered_exactly_and_cheaply():
    remembers = cache(threshold=0.5)
    long = "which port does staging use " * 37_000
    remembers.put(0, long, "5433")
    assert remembers.get(0, long + " ") == ("exact", "5433")
    assert remembers.get(0, long + " please") is None
    assert found("caf\ud800 what was that", "caf\ud800 what was that") == "exact"


def test_threads_may_share_it():
    remembers = cache(size=30, ttl_ms=1000)
    errors: list[Exception] = []

    def work(name: int) -> None:
        try:
            for i in range(400):
                remembers.put(0, f"what is item {i % 60} of list {name}", "x")
                remembers.get(0, f"please what is item {i % 60} of the list {name}")
                if i % 97 == 0:
                    remembers.clear()
        except (KeyError, RuntimeError) as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sum(len(group) for group in remembers._alike.values()) == len(remembers)


def test_a_cache_that_nobody_has_any_more_is_gone_at_once_with_all_its_answers():
    """Looking for garbage is put off for long in a process that answers prompts."""
    cache: FuzzyCache[str] = FuzzyCache(size=4, ttl_ms=1000, threshold=0.8)
    cache.put("", "how is the shower repaired?", "by a plumber")
    still_there = weakref.ref(cache)
    del cache
    assert still_there() is None
