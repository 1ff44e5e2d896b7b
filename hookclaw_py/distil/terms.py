"""How the terms of facts are compared: folded, so that one thing said in two ways is one."""

from __future__ import annotations

from hookclaw_py.regex import regex

_DETERMINER = regex(
    r"^(?:(?:the|an?|our|my|der|die|das|eine?|unsere?|meine?|les?|la|une?|nos|notre|mon|ma|mes|el|l[oa]s|unas?|mis?|nuestr[oa]s?) +|l['’])"
)
_LETTERS = regex(r"(?:LA|MI|MA|UN|LE|EL) (?=\S*[a-z])")
"""Of a name: "LA office"."""
_BLANKS = regex(r"\s+")
_WHICH = regex(r"^(?:new|current|latest|neue[rsn]?|aktuelle[rsn]?|nouve(?:au|l|lle)s?|nuev[oa]s?) +(?=\S)")
_STATES = "goes stays becomes became remains moved moves changed bleibt geht wird"
_SAME = dict.fromkeys(_STATES.split(), "is") | {
    "ist": "is",
    "are": "is",
    "sind": "is",
    "hat": "has",
    "have": "has",
    "haben": "has",
    "verwendet": "uses",
}


def folded(term: str) -> str:
    """Return a subject or an object as it is compared: without case, outer blanks and its first determiner."""
    said = _BLANKS.sub(" ", term).strip()
    return said.casefold() if _LETTERS.match(said) else _DETERMINER.sub("", said.casefold())


def predicate_of(predicate: str) -> str:
    """Return a predicate as it is compared: ``ist`` is ``is``, ``verwendet`` is ``uses``, and what changes is as well."""
    return _SAME.get(predicate, predicate)


def fact_key(subject: str, predicate: str) -> str:
    """Return what a fact is about: two of the same key speak of the same."""
    return f"{_WHICH.sub('', folded(subject))} | {predicate_of(predicate)}"
