"""Facts in the strict grammar: a sentence with a capital, one of few verbs, and what is said of it.

Nothing is guessed: what the grammar does not read says nothing. ``sayings`` reads more, and says less of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import Sentence, sentences

_PREDICATES = {
    "use": "uses",
    "require": "requires",
    "support": "supports",
    "run on": "runs on",
    "benutzt": "verwendet",
    "nutzt": "verwendet",
}
_VERB_LIST = r"(?:is|has|uses?|requires?|supports?|runs? on|ist|hat|verwendet|benutzt|nutzt)"
_LEAD_IN = regex(
    r"(?:ok|okay|so|now|well|also|(?P<actually>actually)|btw|fyi|note that|remember that|remember)\b[,:]?\s+",
    re.IGNORECASE,
)
_VERB = regex(
    rf"(?:(?P<doubt>\b(?:does not|doesn['’]?t|do not|don['’]?t|did not|no longer)) )?\b(?P<verb>{_VERB_LIST})(?P<short>n['’]t)?(?=\s)"
)
_SUBJECT = regex(r"[^\W_](?:[^\W_]|[ .\-_/+#&'’]){1,40}")
_NOW = r"(?:now|currently|jetzt|nun|inzwischen)"
_NOW_BEFORE = regex(rf"\s+{_NOW}$", re.IGNORECASE)
_NOW_AFTER = regex(rf"{_NOW}\s+", re.IGNORECASE)
_NOW_LAST = regex(rf"\s+{_NOW}$", re.IGNORECASE)
_DENIAL = regex(r"(?:not|no|never|nicht|nie|kein(?:en?)?)(?: longer| any longer| mehr)?\s+", re.IGNORECASE)
_DENIAL_LAST = regex(r"\s+nicht(?: mehr)?$", re.IGNORECASE)
_ARTICLES = {
    "is": regex(r"(?:an?|the)\s+", re.IGNORECASE),
    "ist": regex(r"(?:eine?|der|die|das)\s+", re.IGNORECASE),
}
_DEFINITE = regex(r"(?:the|der|die|das)\s", re.IGNORECASE)
_JOINT = regex(rf",?\s+(?:and|but|because|und|aber|weil)\s+(?=.*?\b{_VERB_LIST}\s)", re.IGNORECASE)
_LIST = regex(r"(?:[^\s,]+ ?){1,3}(?:, (?:[^\s,]+ ?){1,3})+,? (?:and|or|und|oder) (?:[^\s,]+ ?){1,3}")
_NO_SUBJECT_WORDS = """
    i you he she it we they one this that these those there here someone somebody anyone anybody everyone everybody nobody
    let let's let’s lets something anything everything nothing what who whom whose which when where why how if while because although unless
    ich du er es wir ihr man jemand niemand etwas alles nichts dies dieser diese dieses jener da dort hier wer wen wem was
    welche welcher welches wann wo warum wieso wie wenn falls weil ob obwohl während
"""
_NO_SUBJECT = frozenset(_NO_SUBJECT_WORDS.split())
_ALONE = "sie das der die the a an ein eine our my your their his her unser unsere mein meine"
_NOT_ALONE = frozenset(_ALONE.split())
"""Pronouns and determiners: words that begin a subject, and are none."""

_BEGIN_OTHERWISE = "then with without in on at from for by about after before until since during as so but and or dann mit ohne nach vor seit"
_NOT_FIRST = frozenset(_BEGIN_OTHERWISE.split())
_OF_CLAUSES = "i you he she it we they there that which who but says said means if ich du er es wir dass aber sagt"
_CLAUSE = frozenset(_OF_CLAUSES.split())
"""Where one of these stands in it, more than a subject comes before the verb. Both go beyond the specification's grammar."""

_SHORTEST, _LONGEST = 2, 60  # characters of an object


class Fact(NamedTuple):
    """What a sentence says: of whom, what, and whether it says so, denies it, or sets something right.

    ``definite``: the object was named with a definite article, so that there is but one. ``said`` are the words it was read from.
    """

    subject: str
    predicate: str
    object: str
    denied: bool = False
    correction: bool = False
    definite: bool = False
    said: str = ""


def facts(text: str) -> list[Fact]:
    """Return what ``text`` says in the strict grammar, in order."""
    return [fact for sentence in sentences(text) for fact in facts_of(sentence)]


def facts_of(sentence: Sentence) -> list[Fact]:
    """Return what one sentence says; a question says nothing."""
    if sentence.is_long or sentence.bare.endswith(("?", "？")):
        return []
    rest, actually = sentence.bare, False
    while lead_in := _LEAD_IN.match(rest):
        actually = actually or bool(lead_in["actually"])
        rest = rest[lead_in.end() :]
    found: list[Fact] = []
    while rest:
        joint = _JOINT.search(rest, _after_verb(rest))
        clause, rest = (rest[: joint.start()], rest[joint.end() :]) if joint else (rest, "")
        if fact := _fact(clause):
            found.append(fact._replace(correction=fact.correction or actually))
    return found


def _after_verb(clause: str) -> int:
    verb = _VERB.search(clause)
    return verb.end() if verb else len(clause)


def _fact(clause: str) -> Fact | None:
    verb = _VERB.search(clause)
    if not verb:
        return None
    subject, said = clause[: verb.start()].rstrip(), clause[verb.end() :].strip()
    now = bool(_NOW_BEFORE.search(subject))
    subject = _NOW_BEFORE.sub("", subject)
    if not _may_be_subject(subject):
        return None
    if after := _NOW_AFTER.match(said):
        now, said = True, said[after.end() :]
    predicate = _PREDICATES.get(verb["verb"], verb["verb"])
    denial = _DENIAL.match(said)
    said = said[denial.end() :] if denial else said
    definite = bool(_DEFINITE.match(said))
    if article := _ARTICLES.get(predicate, _NEVER).match(said):
        said = said[article.end() :]
    said = _object(said)
    if last := _NOW_LAST.search(said):
        now, said = True, said[: last.start()]
    denied = bool(denial or verb["doubt"] or verb["short"])
    if last := _DENIAL_LAST.search(said):
        denied, said = True, said[: last.start()]
    if not _SHORTEST <= len(said) <= _LONGEST or re.match(r"been\b", said):
        return None
    return Fact(subject, predicate, said, denied, now, definite, clause)


_NEVER = regex(r"(?!)")


def _may_be_subject(subject: str) -> bool:
    if not subject[:1].isupper() or not _SUBJECT.fullmatch(subject):
        return False
    first, *others = subject.casefold().split()
    if first in _NO_SUBJECT or (not others and first in _NOT_ALONE):
        return False
    return first not in _NOT_FIRST and not _CLAUSE & {*others}


def _object(said: str) -> str:
    """Return ``said`` up to its first comma, but a list ("A, B and C") whole."""
    listed = _LIST.match(said)
    if listed and "," in listed[0]:
        return listed[0].rstrip()
    return re.split(r",(?=\s|$)", said, maxsplit=1)[0].rstrip()
