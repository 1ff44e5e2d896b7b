"""Steps that are listed in one go, and what is one of them: of "todo: call the notary, order toner; book the train" each is one of its own."""

from __future__ import annotations

from functools import lru_cache

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import is_deed
from hookclaw_py.speech.ending import numbered, of_what

_HEAD = regex(
    r"(?i)(?:(?:so|ok|and|then|und)\ )?(?P<only>(?:(?:still\ |noch\ )?(?:open|offen)|todos?|to[ -]do|still\ to\ do|next\ steps?|left|remaining|nächste\ schritte?)\b)[^:]{0,20}:(?:\s+|$)"
)
_PARTS = regex(r"(?i)(?:(?<!\s)\s+)?(?:[,;:–—]|(?<=\s)-\s|\b(?:and|und|et|y)\b)\s*")
"""Between the things of a list; "because" and "but" begin what is only said about one."""
_NO_ITEM = regex(
    r"""(?xi) (?: but|because|since|so|if|when|where|while|before|after|by|until|at|on|in|for|from|with|without|about|who|which|that|not|at\ least|or|e\.g|he|she|they|it|we
      | aber|weil|denn|wenn|falls|bevor|vor|nach|bis|am|um|im|für|von|mit|ohne|wegen|nicht|oder|z\.\ ?b|er|sie|es|wir ) \b """
)
"""What begins with is no item of a list."""
_COMMA = regex(r",\s+")
_AND = regex(r"\s+(?:and|und)\s+")
_ALSO = regex(r"(?i)(?:and|und|then|dann)\s+")
_SAME_DEED = regex(r"(?:the|an?|my|our|his|her|some|\d+|[A-ZÄÖÜ]\S*)\s")
"""What of more things begins with to which the same is to be done: "call the notary, the plumber"."""
_INFINITIVE = regex(r"\S.*\s[a-zäöüß]{2,}(?:en|ern|eln)")
_VERBS = (
    "add make do get finish update deploy renew prepare find look set create remove delete talk visit return print upload publish merge rename document"
    " implement schedule start stop try change replace build draft register apply discuss compare measure draw paint cut plant water feed take bring"
    " give put run sort scan copy submit tidy"
)
_MANY = 3


def head_of(said: str) -> str:
    """Return what a list of steps begins with ("next steps: "), "" where none begins."""
    head = _HEAD.match(said)
    return f"{head[0].rstrip()} " if head else ""


def without_head(said: str) -> str:
    """Return a step without the words that only say that it is one: "for the house: call the notary"."""
    head = _HEAD.match(said)
    return said[head.end("only") :].lstrip(" :") if head else said


def steps_in(said: str) -> list[str]:
    """Return the steps of what stands behind a head: all of it where it is one step, or may be."""
    steps = list[str]()
    for piece in _COMMA.split(said):
        if not steps or _begins_one(_without_and(piece), steps[0]):
            steps.append(_without_and(piece))
        else:
            steps[-1] += f", {piece}"
    steps[-1:] = _both(steps[-1])
    return steps if len(steps) >= _MANY or all(map(says_deed, steps)) else [said]


def is_list(said: str) -> bool:
    """Say whether a step names several things to do: one of them that is done leaves the others. What it is a step of is none of them."""
    clauses = [part for part in _PARTS.split(said[len(head_of(said)) :]) if not _NO_ITEM.match(f"{part} ")]
    return sum(map(is_item, clauses)) > 1 or sum(bool(numbered(of_what(clause))) for clause in clauses) > 1


def is_item(clause: str) -> bool:
    """Say whether a clause names something to do, and not only when, why, for whom, with what or of which size."""
    what = of_what(clause)
    return what != numbered(what) and not _NO_ITEM.match(clause)


def _both(said: str) -> list[str]:
    """Return two steps of "order toner and book the train", one of "order toner and paper"."""
    both = _AND.split(said)
    return both if all(is_item(one) and says_deed(one) for one in both) else [said]


def _begins_one(piece: str, first: str) -> bool:
    if says_deed(piece):
        return is_item(piece)
    return is_item(piece) and not (_begins_with_deed(first) and _SAME_DEED.match(f"{piece} "))


def says_deed(said: str) -> bool:
    """Say whether something begins with what is to be done, or is that in German."""
    return _begins_with_deed(said) or bool(_INFINITIVE.fullmatch(said))


def _begins_with_deed(said: str) -> bool:
    first = said.partition(" ")[0].lower()
    return is_deed(first) or bool(_verbs().intersection(text.terms(first)))


def _without_and(piece: str) -> str:
    return _ALSO.sub("", piece, count=1) if _ALSO.match(piece) else piece


@lru_cache(maxsize=1)
def _verbs() -> frozenset[str]:
    return frozenset(text.terms(_VERBS))
