"""Cache: answers by prompt, for the same prompt again, or the same question in nearly the same words.

Two prompts are alike when the Jaccard index of their word sets reaches the threshold *and* they say the same: they may
differ by articles, politeness and word endings, by nothing else. "issue 1005" is not "issue 1006", "do not deploy" is
not "deploy", "what did she decide" is not "what did he decide", "what did Anna say of Ben" not "what did Ben say of Anna". So everything else in a prompt has to be equal, and
that rest is the key of the index: a lookup finds what a scan of all entries would, for the price of a dictionary access.
"""

from __future__ import annotations

import hashlib
import threading
import time
import unicodedata
from collections.abc import Callable, Hashable
from functools import lru_cache
from itertools import count
from typing import Generic, Literal, NamedTuple, TypeVar

from cachetools import TTLCache

from hookclaw_py.regex import regex
from hookclaw_py.text import fold, jaccard, raw_tokens, words

T = TypeVar("T")
Key = tuple[Hashable, bytes]

_LONGEST_FUZZY = 20_000  # characters; a longer prompt equals only itself

# Not STOP_WORDS: most of those change a question (he and she, when and where, not, from and to, was and will).
_FILLERS = """
    a an the of about regarding concerning in on at for please pls plz kindly just so well ok okay hey hi hello thanks thx
    actually really exactly bitte пожалуйста
"""
_FILLING = frozenset(_FILLERS.split())
_POLITE = regex(
    r"(?<!\S)(?:(?:can|could|would) you(?: please)?(?: (?:tell|remind) me)?|tell me|let me know|thank you"
    r"|remind me(?= (?:what|when|where|which|who|why|how)\b))(?!\S)"
)
_ORDERED = regex(  # with one of these, who comes first matters
    r"(?:no|not|never|none|nor|neither|nobody|nothing|without|cannot|\w+nt|but|except|instead|from|into|than|before|after|over|versus|vs|then"
    r"|nicht|nie|kein\w*|ohne|vor|nach|ne|pas|jamais|sans|de|da|vers|desde|hasta|sin|nunca|senza|mai|sem|niet|geen|не|ни|нет|без|никогда|до|после)"
)
_SYMBOL = regex(r"[<>=+*%$€£¥^&|~°]|(?<!\w)-(?=\d)")


class _Reading(NamedTuple):
    """A prompt's word set, and everything in it that must be equal for two prompts to be alike."""

    words: frozenset[str]
    meaning: Hashable


class _Cached(NamedTuple, Generic[T]):
    value: T
    reading: _Reading | None
    order: int


class FuzzyCache(Generic[T]):
    """A least-recently-used cache with a time to live, keyed by prompts. Safe to share between threads.

    ``size`` counts the entries of all scopes, ``ttl_ms`` is milliseconds, ``threshold`` a Jaccard index in [0, 1] where
    1 means exact only, ``timer`` returns seconds. A scope never sees another's entries.
    """

    def __init__(
        self, *, size: int, ttl_ms: int, threshold: float, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = size
        self._threshold = threshold
        self._timer = timer
        self._now = _Moment(timer())
        self._lock = threading.Lock()
        self._order = count()
        self._alike: dict[Hashable, dict[Key, _Cached[T]]] = {}
        self._entries: TTLCache[Key, _Cached[T]] = TTLCache(size, ttl_ms / 1000, timer=self._now)

    def get(self, scope: Hashable, text: str) -> tuple[Literal["exact", "fuzzy"], T] | None:
        """Return what was put for this prompt, else for the one most like it; of two as alike, the later put."""
        key, reading = (scope, _digest(text)), self._reading(text)
        with self._lock:
            self._expire()
            if entry := self._entries.get(key):
                return "exact", entry.value
            if reading is None:
                return None
            likeness = (
                (jaccard(reading.words, entry.reading.words), entry.order, alike)
                for alike, entry in self._alike.get((scope, reading.meaning), {}).items()
                if entry.reading
            )
            best, _, nearest = max(likeness, default=(-1.0, 0, key))
            return ("fuzzy", self._entries[nearest].value) if best >= self._threshold else None

    def put(self, scope: Hashable, text: str, value: T) -> None:
        """Remember ``value`` for this prompt, forgetting the least recently used one when full."""
        key = (scope, _digest(text))
        entry = _Cached(value, self._reading(text), next(self._order))
        with self._lock:
            self._expire()
            if replaced := self._entries.pop(key, None):
                self._unlink(key, replaced)
            elif len(self._entries) >= self._size:
                self._unlink(*self._entries.popitem())
            self._entries[key] = entry
            if entry.reading:
                self._alike.setdefault((scope, entry.reading.meaning), {})[key] = entry

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()
            self._alike.clear()

    def __len__(self) -> int:
        with self._lock:
            self._expire()
            return len(self._entries)

    def _reading(self, text: str) -> _Reading | None:
        return _read(text) if self._threshold < 1 and len(text) <= _LONGEST_FUZZY else None

    def _expire(self) -> None:
        self._now.seconds = self._timer()
        for key, entry in self._entries.expire():
            self._unlink(key, entry)

    def _unlink(self, key: Key, entry: _Cached[T]) -> None:
        if entry.reading:
            group = (key[0], entry.reading.meaning)
            del self._alike[group][key]
            if not self._alike[group]:
                del self._alike[group]


class _Moment:
    """A clock that stands still during one call, so that nothing expires unseen; it knows no cache, which goes with its last user."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds


def _digest(text: str) -> bytes:
    """Return a key that ignores case, white space and how Unicode composes a letter."""
    normalised = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return hashlib.blake2b(normalised.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=4)  # a prompt is looked up, then put
def _read(text: str) -> _Reading | None:
    """Return the reading of a prompt, None when it has no words to compare."""
    said: list[str] = []
    found: set[str] = set()
    exact: list[str] = []  # names, numbers and scripts without spaces: equal, and in the same order
    capitalised: set[str] = set()
    names: list[str] = []  # two of them say who does what to whom, or from where to where
    begins = True
    for kind, token in raw_tokens(text):
        parts = [fold(token)] if kind == "identifier" or (kind == "word" and token.isalnum()) else words(token)
        found.update(parts)
        if kind == "run":
            parts = [fold(token)]
        said += parts
        if kind != "word" or any(c.isdigit() for c in token):
            exact += parts
        if token[0].isupper():
            capitalised.update(parts)
            names += [] if begins else [w for w in parts if len(w) == 1 or w not in _FILLING]
        begins = False
    sentence = _POLITE.sub(" ", " ".join(said))
    keep = capitalised.union(exact)
    filling = _FILLING.difference(names)  # "vitamin A" is not any vitamin
    content = [w if w in keep else _singular(w) for w in sentence.split() if w not in filling]
    if not content:
        return None
    order = content if any(map(_orders, sentence.split())) else exact
    return _Reading(frozenset(found), (frozenset(content), tuple(order), tuple(names), tuple(_SYMBOL.findall(text))))


@lru_cache(maxsize=8_192)
def _orders(word: str) -> bool:
    return _ORDERED.fullmatch(word) is not None


def _singular(word: str) -> str:
    """Return an English word without the ending of a plural or a past tense, when it plainly has one."""
    if len(word) < 4 or not word.isascii() or word == "news":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif word.endswith("ed") and len(word) > 5:
        word = word[:-2]
    return word[:-1] if word.endswith("e") and len(word) > 5 else word
