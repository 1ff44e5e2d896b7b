"""What an answer said and the person then set right: of a guess that was wrong nothing is worth remembering."""

from __future__ import annotations

import re
from functools import lru_cache

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.hedges import agrees, is_hedged, is_supposed, refutes
from hookclaw_py.speech.sentences import sentences

_LED = 3  # sentences of an objection that may still speak of what was answered
_FEWEST_WORDS = 3  # an objection of fewer says "no" to a question, and nothing of what is
_DENIES = regex(
    r"""(?xi) \b(?: no | not | never | isn['’]?t | aren['’]?t | wasn['’]?t | don['’]?t | doesn['’]?t | didn['’]?t | can(?:['’]t|not|t)\ be | (?:is|was|are|were)\ (?:fine|ok)
      | nicht | nie | kein\w* | (?:ist|war)\ (?:ok|in\ ordnung) | jamais | pas | nunca | tampoco )\b | [不没]"""
)
_CONCEDES = regex(
    r"""(?xi) (?: then\b .* \bnot\b | (?:you|\w+)\ (?:are|is)\ right | sorry | corrected | my\ mistake | dann\b .* \b(?:nicht|kein\w*)\b | stimmt | entschuldigung
      | \w+(?:\ \w+){0,3},?\ then\b | \w+\ also\b | alors\ ce\ n | tienes\ razón | 抱歉 )"""
)


def withdrawn(answer: str, objection: str, reply: str = "") -> list[str]:
    """Return those sentences of an answer, as they stand there, that the next prompt sets right.

    A guess is withdrawn by a prompt that says no, denies something of it, or speaks of the same without agreeing, and when the ``reply`` to
    that gives it up. Where there is none, what was told as true is, if the prompt begins with no: the sentence that has most in common with it.
    """
    said, objected = sentences(answer), sentences(objection)
    if not said or not objected or agrees(objection):
        return []
    against = refutes(objection) and text.count_words(objection) >= _FEWEST_WORDS
    about = [_telling(one.bare) for one in objected[:_LED] if not one.asks]
    shared = {one.said: max((len(_telling(one.bare) & terms) for terms in about), default=0) for one in said}
    given_up = any(_CONCEDES.match(one.bare) for one in sentences(reply)[:1])
    doubted = against or given_up or bool(_DENIES.search(objected[0].bare))
    found = [one.said for one in said if is_supposed(one.bare) and (doubted or shared[one.said])]
    if against:
        found += [one.said for one in said if (is_hedged(one.bare) or one.asks) and one.said not in found]
    most = max(shared.values())
    if against and not found and most:
        found = [one.said for one in said if shared[one.said] == most]
    return found


def without(answer: str, gone: list[str]) -> str:
    """Return an answer without these sentences of it."""
    for said in gone:
        answer = answer.replace(said, "", 1)
    return re.sub(r"[ \t]{2,}", " ", re.sub(r"\n[ \t]*(?=\n\n)", "", answer)).strip()


@lru_cache(maxsize=1024)
def _telling(said: str) -> frozenset[str]:
    return frozenset(text.terms(said)) - text.asking()
