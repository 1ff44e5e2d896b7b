"""Definitions: does a prompt ask who or what something is, and does a chunk say so?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from hookclaw_py import text
from hookclaw_py.model.types import Chunk, Query
from hookclaw_py.regex import regex

_WORD = regex(r"\w[\w'’.-]*")
_OWNED = r"(?!\s*(?:the|our|my|your|his|her|their|this|that|it|we|you|they|i|he|she|there|der|die|das|mein\w*|unser\w*|le|la|les|l['’]|mon|ma|notre|el|mi|nuestr\w*|il|lo|gli|mio|mia)\b)"
_ASKS_WHAT_IT_IS = regex(
    rf"""\W*(?:(?:and|so|ok|sorry|again)\W+)*(?:
      (?:tell\ me\ )?(?:who|what)(?:['’]?s|\ is|\ are|\ was|\ were|\ does)\b{_OWNED} | tell\ me\ (?:who|what|about)\b{_OWNED} | who\ or\ what\ is\b
    | (?:wer|was)\ (?:ist|war|sind|waren|macht)\b{_OWNED} | qui\ (?:est|était|sont)\b | qu['’]est[- ]ce\ que?\b{_OWNED} | c['’]est\ (?:qui|quoi)\b{_OWNED} | .{{1,40}}\ c['’]est\ (?:qui|quoi)\b
    | chi\ (?:è|e|era|sono)\b{_OWNED} | (?:che\ )?cos['’]è\b{_OWNED} | .{{1,20}}\ chi\ è\b
    | (?:quién(?:es)?|qué|quien|que)\ (?:es|son|era)\b{_OWNED} | .{{1,20}}(?:是谁|是什么(?!时候|时间)|是啥|是哪位|誰|とは) | (?:谁|什么)是 )""",
    re.VERBOSE | re.IGNORECASE,
)
_NOW = r"(?:now|currently|these\ days|nowadays|at\ the\ moment|jetzt|aktuell|derzeit|inzwischen|maintenant|actuellement|ahora|actualmente)"
_OF_WHAT_HOLDS = regex(
    rf"""(?ix) \w['’]s\s+\w | \b(?:of|für|von|from)\s | \b{_NOW}\b | 的|现在|目前
      | \A\s*(?:le|la|les|l['’]|notre|nos|mon|ma|el|los|las|mi|nuestr[oa])\b"""
)
_DOES = regex(r"(?i)(?:does|macht)\Z")
_WHAT_FOR = regex(r"(?i)\b(?:do|mean|stand\ for|beruflich)\b|\A\W*\w+\W*\Z")
_CLOSING = r"""[*_\]"”»’']*"""
_MORE_OF_THE_NAME = r"(?:\s+(?:[+&]\s+)?[^\W\d_a-z][\w’'-]+){0,2}"
_SAYS_WHAT = regex(
    rf"{_CLOSING}{_MORE_OF_THE_NAME}{_CLOSING}\s*(?:\([^)]+\)|[:=–—,|]|-\s|(?:is|was|ist|war|est|es|era)\s|是)"
)
_IN_BRACKETS = regex(rf"{_CLOSING}{_MORE_OF_THE_NAME}{_CLOSING}\s*(?:\([^)]+\)|=\s)")
_NAMED_IN = 4  # terms at most, of a name that is asked for
_FIRST = 3  # words of a line, where it says what it is about


def asks_what_it_is(query: Query) -> bool:
    """Say whether a prompt asks who or what something is, and not what was on some day."""
    return 0 < len(query.topic) <= _NAMED_IN and query.period is None and _ASKS_WHAT_IT_IS.match(query.text) is not None


def asks_who_or_what_alone(query: Query) -> bool:
    """Say whether it asks who or what something is, and not what holds of it: somebody's teacher, the head of a school, what one wants."""
    asks = _ASKS_WHAT_IT_IS.match(query.text)
    if asks is None or not asks_what_it_is(query):
        return False
    words, rest = asks[0], query.text[asks.end() :]
    return not _OF_WHAT_HOLDS.search(rest) and (not _DOES.search(words) or bool(_WHAT_FOR.search(rest)))


def asks_who_or_what_one_is(query: Query) -> bool:
    """Say whether it asks that of one thing: of a single word, or of what the prompt names."""
    named = {term for entity in query.entities for term in text.terms(entity.text)}
    return asks_who_or_what_alone(query) and (len(query.topic) == 1 or named.issuperset(query.topic))


def defines(chunk: Chunk, topic: Sequence[str]) -> bool:
    """Say whether a chunk is about the topic: its title names it, or a line says what it is ("Mara Lind (plumber)").

    A day's notes have what somebody said or did there: "Mara: on my way" defines nothing.
    """
    sought = frozenset(topic)
    if sought <= terms_of(chunk.heading):
        return True
    if sought.isdisjoint(chunk.terms.distinct):
        return False
    for line in chunk.text.splitlines():
        for at, word in enumerate(_WORD.finditer(line)):
            telling = _SAYS_WHAT if at < _FIRST and chunk.created_at is None else _IN_BRACKETS
            if telling.match(line, word.end()) and not sought.isdisjoint(terms_of(word[0])):
                return True
    return False


@lru_cache(maxsize=1024)
def terms_of(heading: str) -> frozenset[str]:
    """Return the terms of a heading, or of a word."""
    return frozenset(text.terms(heading))
