"""Which headings of the notes are names that a prompt may mention."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterable, Iterator, Set
from pathlib import PurePosixPath

from hookclaw_py import text as words
from hookclaw_py.regex import regex

_GENERIC_HEADINGS = """
    action actions agenda background changelog context daily date day diary decision decisions description details done
    example examples facts general goals history ideas inbox index info information intro introduction items journal learned learning
    learnings links list log logs meeting memory misc miscellaneous monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november december next note
    notes open other overview people personal plan plans preferences problem problems progress project projects
    question questions readme references result results section session setup status steps summary task tasks team template
    test tests things thoughts today todo todos tomorrow topic topics update updates usage user users week work
    yesterday
"""
_NO_WORD = regex(r"[\W\d]+")
PAGE_ID = regex(r"(?<=\S)[ -][0-9a-f]{32}$")
_GENERIC = frozenset(_GENERIC_HEADINGS.split())
_MARKS = str.maketrans("", "", string.punctuation + string.whitespace)
_MARKS_OF_A_LINE = {mark: None for mark in _MARKS if mark != ord("\n")}
_ALIASES = 40  # characters of them that are told with a title
_LONGEST = 256  # characters of a heading whose words lose nothing but marks


class Headings(Set[str]):
    """Which names there are among ``headings`` and those ``given``: read where somebody asks for one, not all of them at each start."""

    def __init__(self, headings: Iterable[str] = (), given: Iterable[str] = ()) -> None:
        self._read = set(filter(None, given))
        self._unread: dict[str, str] = {}  # by the letters and digits, which reading keeps in their order
        self._take(headings)

    def with_more(self, headings: Iterable[str]) -> Headings:
        """Return these and further ones."""
        more = Headings()
        more._read, more._unread = set(self._read), dict(self._unread)
        more._take(headings)
        return more

    def _take(self, headings: Iterable[str]) -> None:
        plain = list[str]()
        for heading in headings:
            if heading.isascii() and heading.isprintable() and "'" not in heading and len(heading) <= _LONGEST:
                plain.append(heading)
            else:
                self._read.add(name_of(heading))
        letters = "\n".join(plain).lower().translate(_MARKS_OF_A_LINE).split("\n")  # all at once: a fifth of the time
        for own, heading in zip(letters, plain, strict=False):
            if self._unread.setdefault(own, heading) != heading:
                self._read.add(name_of(heading))
        self._read.discard("")

    def __contains__(self, name: object) -> bool:
        if name in self._read:
            return True
        heading = self._unread.get(_letters(name)) if isinstance(name, str) else None
        return heading is not None and name != "" and name_of(heading) == name

    def __iter__(self) -> Iterator[str]:
        """Read all of them."""
        yield from self._read.union(filter(None, map(name_of, self._unread.values())))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._read) or any(map(name_of, self._unread.values()))


def _letters(text: str) -> str:
    return text.lower().translate(_MARKS)


def name_of(heading: str) -> str:
    """Return a heading as a name to recognise in prompts, or "" when it names nothing in particular."""
    parts = words.words(heading)
    return " ".join(parts) if len(parts) <= 4 and any(map(is_telling, parts)) else ""


def title_of(path: str) -> str:
    """Return what a file's name says of its content: "" for a date, "journal", "README" and the like; without the id that Notion puts behind it."""
    stem = PAGE_ID.sub("", re.sub(r"[_\s]+", " ", PurePosixPath(path).stem).strip())
    if " " not in stem:
        stem = stem.replace("-", " ")
    return stem if any(is_telling(part) for part in words.words(stem)) else ""


def with_aliases(title: str, aliases: Collection[str]) -> str:
    """Return a title with those aliases behind it that have a word which it has not: "Dr Holm (dentist)"."""
    if not aliases:
        return title
    known, told, room = set(words.terms(title)), list[str](), _ALIASES
    for alias in aliases:
        own = set(words.terms(alias))
        if len(alias) <= room and not own <= known:
            told.append(alias)
            known |= own
            room -= len(alias)
    return f"{title} ({', '.join(told)})" if told else title


def is_telling(word: str) -> bool:
    """Say whether a folded word can name something: no number, no function word, none of what every note has."""
    return not (word in _GENERIC or word in words.STOP_WORDS["english"] or _NO_WORD.fullmatch(word))
