"""Steps that are listed in one go, and what is one of them: of "todo: call the notary, order toner; book the train" each is one of its own."""

from __future__ import annotations

import re
from functools import lru_cache

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import refers
from hookclaw_py.speech.deeds import is_deed, numbered, of_what
from hookclaw_py.speech.finishing import says_done
from hookclaw_py.speech.sentences import Sentence
from hookclaw_py.temporal.words import LEXICON

_HEAD = regex(
    r"""(?xi) (?:(?:so|ok(?:ay)?|right|and|also|then|und|et|y|e),?\ )*(?P<only>(?: (?:still\ |noch\ )?(?:open|offen) | todos? | to[\ -]do | still\ to\ do | next\ steps? | left | remaining | nächste\ schritte? | (?:noch\ )?zu\ (?:tun|erledigen|machen)
      | (?:(?:choses|il\ (?:me\ |nous\ )?reste|reste)\ )?[àa]\ faire | prochaines?\ étapes? | (?:cosas\ )?(?:por|que|para)\ hacer | pendientes? | próximos?\ pasos? | (?:cose\ |resta(?:no)?\ |ancora\ )*da\ fare | prossim[io]\ pass[io] | in\ sospeso )\b(?:\ (?:for|für|pour|para|per)\ (?:me|us|mich|uns|moi|nous|mí|nosotros|noi)\b)? | (?:(?:i|we)\ )?(?:(?:still|also)\ )*(?:need|have|got)\ to(?=:) | things\ to\ (?:sort(?:\ out)?|get\ done)(?=:))[^:]{0,20}:(?:\s+|$)"""
)
_DAY_HEAD = regex(
    r"(?i)(?:(?:so|ok(?:ay)?|right|and|also|then|und|et|y|e),?\ )*(?:(?:for|on|für|am|pour|para|per)\ |(?=(?:next|this|nächste|diese|kommende)\ |(?:tomorrow|today|morgen|heute)\s?:))"
    r"(?P<when>(?:(?:the|this|next|coming|dieses?|diese[nr]?|nächste[nrs]?|kommende|cette?|la|le|esta|este|el|questa|questo|il)\ )?[\w'’]+(?:\ (?:prochaine?|próxim[oa]|prossim[oa]))?)\s?:\s+"
)
"""What things to do may stand behind as well: "for tomorrow: ", "next week: "."""
_MUST = regex(
    r"""(?xi) (?:(?:so|ok|and|then|also|und|dann|et|puis|donc|bon|y|e)\ )?(?: (?:(?:i|we)\ )?(?:still\ |also\ )?(?:(?:have|need|got)\ to|gotta|must) | remind\ me\ to | je\ dois | (?:on|nous)\ (?:doit|devons) | (?:il\ )?(?:me\ |nous\ )?faut | (?:il\ )?(?:me\ |nous\ )?reste\ [àa]
      | tengo\ que | tenemos\ que | hay\ que | (?:(?:me|nos)\ )?(?:falta|queda)n?(?:\ por)? )(?:\ (?:encore|aussi|todavía|también))?\s"""
)
_DAYS = frozenset(("dayword", "tonight", "weekday", "morgen"))
_SPANS = frozenset(("week", "weekend", "month"))
_PARTS = regex(r"(?i)(?:(?<!\s)\s+)?(?:[,;:–—]|(?<=\s)-\s|\b(?:and|und|et|y)\b)\s*")
"""Between the things of a list; "because" and "but" begin what is only said about one."""
_NO_ITEM = regex(
    r"""(?xi) (?: but|because|since|so|if|when|where|while|before|after|by|until|at|on|in|for|from|with|without|about|who|which|that|not|at\ least|or|e\.g|he|she|they|it|we
      | aber|weil|denn|wenn|falls|bevor|vor|nach|bis|am|um|im|für|von|mit|ohne|wegen|nicht|oder|z\.\ ?b|er|sie|es|wir ) \b(?!-\w) """
)
"""What begins with is no item of a list."""
_ROMANCE_NO_ITEM = regex(
    r"""(?xi) (?: mais|parce|car|si|quand|comme|puisque|pendant|avant|après|jusqu|vers|dans|pour|avec|sans|chez|qui|que|dont|pas|ou|il|ils|elle|elles|on|nous|c['’]|ça|ce
      | pero|porque|cuando|donde|mientras|antes|después|hasta|para|con|sin|quien|él|ella|ellos|ellas|eso|está
      | ma|perché|se|quando|dove|mentre|prima|dopo|entro|fino|per|senza|chi|che|non|lui|lei|loro|è ) \b """
)
"""The same of French, Spanish and Italian: in other languages it begins "a pendant lamp", "dont forget the milk", "non-slip mats"."""
_ROMANCE_LANGUAGES = ("french", "spanish", "italian")
_COMMA = regex(r",\s+")
_AND = regex(r"\s+(?:and|und|et|y|e)\s+")
_ALSO = regex(r"(?i)(?:and|und|then|dann|et|puis|y|luego|e|poi)\s+")
_SAME_DEED = regex(r"(?:the|an?|my|our|his|her|some|\d+|[A-ZÄÖÜ]\S*)\s")
"""What of more things begins with to which the same is to be done: "call the notary, the plumber"."""
_INFINITIVE = regex(r"\S.*\s[a-zäöüß]{2,}(?:en|ern|eln)")
_ROMANCE = regex(r"(?i)(?:se\ |s['’])?[^\W\d_]{2,}(?:er|ir|re|oir|ar|are|arsi|ersi|[aei]r(?:l[eoa]s?|me|nos))\s+\S")
"""What may be an infinitive in French, Spanish or Italian."""
_VERBS = (
    "add make do get finish update deploy renew prepare find look set create remove delete talk visit return print upload publish merge rename document"
    " implement schedule start stop try change replace build draft register apply discuss compare measure draw paint cut plant water feed take bring"
    " give put run sort scan copy submit tidy invoice plan organise organize deliver translate proofread revise file"
)
_MANY = 3


def head_of(said: str) -> str:
    """Return what a list of steps begins with ("next steps: "), "" where none begins."""
    head = _HEAD.match(said) or _day_head(said)
    return f"{head[0].rstrip()} " if head else ""


def must_of(said: str) -> str:
    """Return what says that the things behind it must be done ("I have to "), "" where nothing does, or something else begins the sentence."""
    must = _MUST.match(said)
    return must[0] if must else ""


def _day_head(said: str) -> re.Match[str] | None:
    """Return what says only when something is to be done that stands behind it ("for today: call the dentist"), None where nothing is to be done."""
    head = _DAY_HEAD.match(said)
    rest = said[head.end() :] if head else ""
    if not head or not any(map(says_deed, _COMMA.split(rest))) or says_done(Sentence(rest, rest)):
        return None
    known = (LEXICON.get(word, ("", "")) for word in text.words(head["when"]))
    says_when = any((kind in _DAYS and what != -1) or (kind == "unit" and what in _SPANS) for kind, what in known)
    return head if says_when or head["when"].casefold().startswith("aujourd") else None


def without_head(said: str) -> str:
    """Return a step without the words that only say that it is one: "for the house: call the notary"."""
    head = _HEAD.match(said)
    return said[head.end("only") :].lstrip(" :") if head else said


def steps_in(said: str, head: str) -> list[str]:
    """Return the steps of what stands behind a head: all of it where it is one step, or may be."""
    steps, romance = list[str](), _is_romance(f"{head}{said}")
    for piece in _COMMA.split(said):
        if not steps or _begins_one(_without_and(piece), steps[0], romance):
            steps.append(_without_and(piece))
        else:
            steps[-1] += f", {piece}"
    steps[-1:] = _both(steps[-1], romance)
    if len(steps) >= _MANY or all(map(says_deed, steps)):
        return steps
    return steps if all(map(says_deed, steps[1:])) and not any(map(refers, steps)) else [said]


def is_list(said: str) -> bool:
    """Say whether a step names several things to do: one of them that is done leaves the others. What it is a step of is none of them."""
    romance = _is_romance(said)
    clauses = [part for part in _PARTS.split(said[len(head_of(said)) :]) if not _only_adds(f"{part} ", romance)]
    named = (is_item(clause, romance) for clause in clauses)
    return sum(named) > 1 or sum(bool(numbered(of_what(clause))) for clause in clauses) > 1


def is_item(clause: str, romance: bool) -> bool:
    """Say whether a clause names something to do, and not only when, why, for whom, with what or of which size."""
    what = of_what(clause)
    return what != numbered(what) and not _only_adds(clause, romance)


def _only_adds(clause: str, romance: bool) -> bool:
    return bool(_NO_ITEM.match(clause) or (romance and _ROMANCE_NO_ITEM.match(clause)))


def _is_romance(said: str) -> bool:
    """Say whether a list is in French, Spanish or Italian by more than what its clauses begin with."""
    rest = " ".join(
        part[found.end() :] if (found := _ROMANCE_NO_ITEM.match(part)) else part for part in _PARTS.split(said)
    )
    return text.guess_language(text.words(rest)) in _ROMANCE_LANGUAGES


def _both(said: str, romance: bool) -> list[str]:
    """Return two steps of "order toner and book the train", one of "order toner and paper"."""
    both = _AND.split(said)
    return both if all(is_item(one, romance) and says_deed(one) for one in both) else [said]


def _begins_one(piece: str, first: str, romance: bool) -> bool:
    if says_deed(piece):
        return is_item(piece, romance)
    return is_item(piece, romance) and not (_begins_with_deed(first) and _SAME_DEED.match(f"{piece} "))


def says_deed(said: str) -> bool:
    """Say whether something begins with what is to be done, or is that in German."""
    if _begins_with_deed(said) or _INFINITIVE.fullmatch(said):
        return True
    return bool(_ROMANCE.match(said)) and text.guess_language(text.words(said)) in _ROMANCE_LANGUAGES


def _begins_with_deed(said: str) -> bool:
    first = said.partition(" ")[0].lower()
    return is_deed(first) or bool(_verbs().intersection(text.terms(first)))


def _without_and(piece: str) -> str:
    return _ALSO.sub("", piece, count=1) if _ALSO.match(piece) else piece


@lru_cache(maxsize=1)
def _verbs() -> frozenset[str]:
    return frozenset(text.terms(_VERBS))
