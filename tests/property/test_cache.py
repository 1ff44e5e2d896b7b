"""The cache's index answers exactly like comparing a prompt with every entry."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.search.cache import FuzzyCache, _read
from hookclaw_py.text import jaccard, words

WORDS = [
    *["the", "a", "of", "please", "what", "who", "did", "not", "from", "Anna", "anna", "port", "ports", "Ports", "key"],
    *[
        "issue",
        "1005",
        "1006",
        "src/a.ts",
        "can you",
        "tell me",
        "decide",
        "decided",
        "5%",
        "-5",
        "ключ",
        "日志",
        "日志格式",
        "don't",
    ],
]
FILLERS = st.lists(st.sampled_from(["the", "a", "of", "please", "just", "can you", "tell me", "thanks"]), max_size=3)
QUESTIONS = st.sampled_from(
    ["what did Anna decide", "which port is not free", "issue 1005 in src/a.ts", "keys from here", "ключ 日志"]
)
PROMPTS = st.one_of(
    st.tuples(FILLERS, QUESTIONS, FILLERS).map(lambda parts: " ".join([*parts[0], parts[1], *parts[2]])),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join),
    st.text(max_size=12),
)
PUTS = st.lists(st.tuples(st.integers(0, 1), PROMPTS), max_size=25)
THRESHOLDS = st.sampled_from([0.0, 0.3, 0.5, 0.75, 0.85, 0.999])


def normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def by_scan(puts: list[tuple[int, str]], scope: int, text: str, threshold: float) -> tuple[float, int | None]:
    """Compare ``text`` with every prompt put: the best Jaccard index and the latest put that reaches it."""
    reading = _read(text)
    best: tuple[float, int | None] = (-1.0, None)
    for number, (other_scope, other) in enumerate(puts):
        other_reading = _read(other)
        if reading is None or other_reading is None or other_scope != scope or reading.meaning != other_reading.meaning:
            continue
        likeness = jaccard(set(words(text)), set(words(other)))
        if likeness >= max(threshold, best[0]):
            best = (likeness, number)
    return best


@settings(max_examples=300)
@given(PUTS, st.integers(0, 1), PROMPTS, THRESHOLDS)
def test_a_lookup_finds_what_a_scan_of_all_prompts_finds(puts, scope, text, threshold):
    cache: FuzzyCache[int] = FuzzyCache(size=100, ttl_ms=1000, threshold=threshold, timer=lambda: 0.0)
    for number, (into, prompt) in enumerate(puts):
        cache.put(into, prompt, number)
    hit = cache.get(scope, text)
    same = [number for number, (into, prompt) in enumerate(puts) if into == scope and normal(prompt) == normal(text)]
    if same:
        assert hit == ("exact", same[-1])
    else:
        latest = {(into, normal(prompt)): number for number, (into, prompt) in enumerate(puts)}  # a put replaces
        live = [put if latest[put[0], normal(put[1])] == number else (-1, "") for number, put in enumerate(puts)]
        _, nearest = by_scan(live, scope, text, threshold)
        assert hit == (None if nearest is None else ("fuzzy", nearest))


@given(PROMPTS)
def test_a_prompt_is_always_found_by_itself(text):
    cache: FuzzyCache[str] = FuzzyCache(size=1, ttl_ms=1000, threshold=0.85, timer=lambda: 0.0)
    cache.put("scope", text, "x")
    assert cache.get("scope", text) == ("exact", "x")


@given(PROMPTS, PROMPTS)
def test_likeness_goes_both_ways(a, b):
    def finds(one: str, other: str) -> bool:
        cache: FuzzyCache[str] = FuzzyCache(size=1, ttl_ms=1000, threshold=0.5, timer=lambda: 0.0)
        cache.put("scope", one, "x")
        return cache.get("scope", other) is not None

    assert finds(a, b) == finds(b, a)


@given(st.text(max_size=300))
def test_the_reading_of_a_prompt_has_the_words_of_the_one_tokenizer(text):
    reading = _read(text)
    assert reading is None or reading.words == frozenset(words(text))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), PROMPTS, st.floats(0, 0.6)), max_size=40),
    st.integers(1, 5),
)
def test_the_index_holds_the_live_entries_and_no_others(steps, size):
    now = [0.0]
    cache: FuzzyCache[int] = FuzzyCache(size=size, ttl_ms=1000, threshold=0.5, timer=lambda: now[0])
    for scope, text, passed in steps:
        now[0] += passed
        cache.put(scope, text, 0)
        cache.get(scope, f"please {text}")
        linked = {key for group in cache._alike.values() for key in group}
        assert linked <= set(cache._entries)
        assert len(cache) <= size
        assert all(cache._alike.values())
