"""What a person no longer wants of what they chose ("scrap Mailpit", "blue, not green"), and what they go back to.

English and German; of French, Spanish and Chinese the phrases that say so by themselves. Nothing is taken back by a question, by a guess, nor by
what holds only for once. It must name what it takes back: a wrong ending hides a true memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import of_what
from hookclaw_py.speech.hedges import is_hedged
from hookclaw_py.speech.oneself import CHOOSE, CLAUSES, LEAD, OTHERS, OWN, SOMEBODY, is_of_oneself
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import Sentence, sentences

_DO = r"(?:let['’]?s\ |we(?:['’]ll|['’]re)?\ |i(?:['’]ll)?\ |wir\ |lass(?:t)?\ uns\ |on\ |nous\ )?"
_NAMED = r"(?:the\ |an?\ |that\ |our\ |das\ |die\ |den\ |der\ |dem\ |le\ |la\ |les\ |el\ |los\ )?(?P<{}>[^\W_][\w'’./+#-]*(?:\ [\w'’./+#-]+){{0,2}}?)"
_STOPS = r"(?=\s*(?:[,;:.!–—)]|$)|\ (?:and|then|for|in|on|because|as|but|und|dann|für|als|weil|in|et|pour|y|para|porque|we|wir|let['’]?s|nehmen|nimm|entschieden)\b)"
_OFF = r"scrap|forget(?:\ about)?|ditch|never\ ?mind|vergiss|streich(?:en\ wir|e)?|verwirf|verwerfen\ wir|oublie[sz]?|laisse\ tomber|olvida|descarta"
_DENIED = rf"(?:^{LEAD}|[,;:–—]\s*(?:and\ |und\ |so\ |but\ |aber\ )?)"
_ALONE = r"(?:\ (?:after\ all|any\ ?more|now|mehr))?(?=\s*(?:[,;:–—]|\s-\s|$)|\ (?:and|because|but|und|weil|aber)\b)"


def _named(group: str) -> str:
    return _NAMED.format(group)


_TAKEN_BACK = regex(
    rf"""(?xi)
      ^{LEAD}{_DO}(?: {_OFF} | drop | skip | cancel | no | not | lass(?:en\ wir)? | kein\w* | doch\ nicht | doch\ kein\w* | pas\ de | abandonne | deja )\ {_named("for1")}(?:\ weg|\ sein)?\s*(?:[,;:–—-]\s*|\ and\ |\ und\ ){_DO}{CHOOSE}
    | ^{LEAD}{_DO}(?:{_OFF})\ {_named("off1")}\s*(?:[,;:–—-]|\ and\ |\ und\ |\ et\ |\ y\ |$)
    | \b(?: instead\ of | rather\ than | in\ place\ of | statt | anstatt | anstelle\ von | au\ lieu\ d[eu’'] | à\ la\ place\ d[eu’'] | plutôt\ que | en\ vez\ de | en\ lugar\ de )\ ?{_named("for2")}{_STOPS}
    | ^{LEAD}(?!.*\b(?:do|does|did|is|was|are|if|why)\b)[^,]{{2,60}},\ (?:but\ )?(?:not | nicht | pas | no)\ {_named("off2")}$
    | \b(?: not | nicht | pas | no )\ {_named("off3")}(?:,)?\ (?: but | sondern | mais | sino )\b
    | \b(?: no\ longer | not\ any\ ?more | no\ more | ya\ no )\ {_named("off4")}{_STOPS}
    | \bkein\w*\ {_named("off5")}\ mehr\b
    | ^{LEAD}{_named("for7")}\s?:\ (?:scrap|drop|skip|forget|cancel)\ (?:it|that|them)(?=\s*(?:[,;–—]|$))
    | \b(?: switch(?:ed|ing)? | mov(?:e|ed|ing) | wechseln | umgestiegen )\ (?: from | von )\ {_named("for3")}\ (?: to | auf | zu )\b
    | \b(?: drop(?:ped|ping)? | ditch(?:ed|ing)? | abandon(?:ed|ing)? | replac(?:e|ed|ing) )\ {_named("for5")}\ (?: in\ favou?r\ of | with )\b
    | ^{LEAD}{_named("off8")}\ doch\ nicht$ | ^{LEAD}{_named("for6")}\ doch\ nicht(?=\s*[,;:–—])
    | {_DENIED}(?!.*\b(?:yet|until|only|just|nur|noch|bis)\b)(?:
        (?:we|i)(?:['’](?:re|m)|\ are|\ am)\ not\ (?:taking|using|buying|ordering|getting|going\ with)\ {_named("alone1")}{_ALONE} | (?:we|i)\ (?:won['’]?t|will\ not)\ (?:be\ )?(?:tak|us|buy|order|get|go)(?:e|ing)?(?:\ with)?\ {_named("alone2")}{_ALONE}
      | (?:we|i)\ (?:aren['’]?t|don['’]?t)\ (?:taking|using|buying|ordering|getting|going\ with|take|use|buy|order)\ {_named("alone3")}{_ALONE}
      | (?:wir|ich)\ (?:nehm|kauf|bestell|verwend|nutz|benutz)en?\ (?!doch\b){_named("alone4")}(?:\ doch)?\ nicht{_ALONE} | {_named("alone5")}\ (?:nehm|kauf|bestell|verwend|nutz|benutz)en?\ (?:wir|ich)\ (?:doch\ )?nicht{_ALONE} )
    | (?: 不用 | 别用 | 不要 | 放弃 | 取消 )(?P<off6>\w{{1,8}}?)(?: 了 | [，,；;] ) | (?: 代替 | 而不是 | 替换掉? )(?P<for4>\w{{1,8}}?)(?: [，,。；;了] | $ ) | 不是(?P<off7>\w{{1,8}}?)[，,]?而?是"""
)
"""What is taken back: ``for`` something else that is told, it is ``off``, whatever comes instead, or that ``alone`` is said of it."""
_RETURNS = regex(
    rf"""(?xi) \b(?: doch\ (?:lieber|wieder|besser) | (?:nehmen|verwenden|nutzen|benutzen)\ (?:wir\ )?wieder | zurück\ (?:zu[mr]?|auf) | (?:back|return(?:ing)?)\ to )\ {_named("to1")}{_STOPS}
      | \b(?:use|using|take|taking|go(?:ing)?\ with|keep|keeping|it['’]?s|try|buy)\ {_named("to2")}\ (?:after\ all|again)\b | ^{LEAD}{_named("to3")}\ after\ all$
      | {_named("to4")}\ (?:nehmen|verwenden|nutzen|benutzen)\ wir\ (?:doch|wieder)\b(?!\ nicht)"""
)
"""What one goes back to: "we take weasyprint after all"."""
_NEGATED = regex(
    r"(?i)\b(?:don['’]?t|do not|never|dont|didn['’]?t|not) (?:to )?(?:scrap|forget|ditch|drop)\b|\bnicht vergess|\bvergiss\b.*\bnicht\b|\bn['’]oublie"
)
_NOT_BACK = regex(
    r"(?i)\b(?:not|never|don['’]?t|won['’]?t|nicht|nie|kein\w*)\b.*\b(?:back|return|again|zurück|wieder|after all|doch)\b"
)
_ONCE = regex(
    r"""(?xi) \b(?: for\ (?:now|today|once|the\ moment) | this\ (?:time|once|week|month) | today | tonight | tomorrow | just\ (?:once|here) | only\ here | in\ this\ (?:file|case|branch|one) | if | when | unless
      | fürs?\ erste\w* | heute | morgen | diesmal | dieses\ mal | ausnahmsweise | vorerst | wenn | falls | cette\ fois | pour\ l['’]instant | aujourd['’]hui | si | esta\ vez | por\ ahora | hoy )\b | 这次 | 暂时 | 今天 | 如果"""
)
_REPORTED = regex(r"(?i)(?<!\bi )\b(?:says?|said|thinks|wants|sagt|meint|heard|gehört)\b|\btold (?:me|us)\b")
_FOR = regex(
    rf"""(?xi) \b(?:for|fürs?|pour|para|per)\ (?:(?:the|an?|my|our|das|die|den|der|dem|einen?|eine|mein\w*|unser\w*|le|la|les|mon|ma|mes|notre|nos|el|los|las|il|lo|gli|mis?|nuestr\w+)\ |l['’])?
      (?!speed|performance|simplicity|safety|security|consistency|quality|convenience|reasons?|costs?\b) (?P<what>[^\W\d_][\w'’-]*(?:\ [\w'’-]+){{0,3}}?) (?:{_STOPS}|(?=\ (?:instead|rather|not|statt|anstatt|nicht|use|take|going|lieber|doch|on|nous|prenons|usamos|plutôt|au\ lieu|en\ vez|en\ lugar)\b))"""
)
"""What something is chosen for: "for the newsletter"."""
_NAMED_WELL = 2  # telling terms of what is not wanted, which say which it is
_INSTEAD = 2  # telling terms of what is chosen instead


class TakenBack(NamedTuple):
    """What is taken back, as its telling terms, whether something else is told that is to be instead, and whether its clause says no more."""

    terms: frozenset[str]
    replaced: bool
    alone: bool = False


def taken_back(said: Sentence) -> tuple[TakenBack, ...]:
    """Return what a sentence takes back: of "blue, not green" the green."""
    bare = said.bare
    if said.asks or said.is_long or is_hedged(bare) or _ONCE.search(bare) or _NEGATED.search(bare):
        return ()
    own = [match for match in _TAKEN_BACK.finditer(bare) if _is_own(bare, match)]
    named = [(group, name) for match in own for group, name in match.groupdict().items() if name]
    return tuple(
        TakenBack(terms, group.startswith("for"), group.startswith("alone"))
        for group, name in named
        if (terms := telling(name))
    )


def returns(said: Sentence) -> bool:
    """Say whether a sentence goes back to something that was not wanted any more."""
    return bool(_returned_to(said))


def takes_back(newer: str, older: str, *, at_once: bool) -> bool:
    """Say whether a statement takes back what an earlier one chose.

    ``at_once``: in the same conversation it is enough that this was chosen. Later both must speak of the same beside it, or the newer one of
    nothing but what is chosen instead, and not both of what it is for where that is not the same. Who goes back to what the earlier one dropped takes back that; or a clause of its own names well what is not wanted ("we're not taking the Billy shelves").
    """
    if _goes_back(newer, older, at_once=at_once):
        return True
    gone = _all_taken_back(newer)
    chosen = telling(older) - _terms(_all_taken_back(older))
    named = [one for one in gone if one.terms <= chosen]
    if not at_once and is_for_another(newer, older):
        return False
    if not named or at_once or any(one.alone and len(one.terms) >= _NAMED_WELL for one in named):
        return bool(named)
    rest = of_what(newer) - _terms(gone) - _choosing()
    if not rest.isdisjoint(chosen - _terms(named)):
        return True
    return len(rest) <= _INSTEAD and any(one.replaced or one.alone for one in named)


def is_for_another(newer: str, older: str) -> bool:
    """Say whether two statements say what something is chosen for, and neither names that of the other."""
    ours, theirs = _for_what(newer), _for_what(older)
    return bool(ours and theirs) and ours.isdisjoint(telling(older)) and theirs.isdisjoint(telling(newer))


@lru_cache(maxsize=4096)
def _for_what(said: str) -> frozenset[str]:
    return frozenset(term for match in _FOR.finditer(said) for term in of_what(match["what"])) - _choosing()


def _goes_back(newer: str, older: str, *, at_once: bool) -> bool:
    """Say whether a statement goes back to what an earlier one dropped; later, in a clause that says nothing of anything else."""
    dropped, of_older = _all_taken_back(older), of_what(older)
    return any(
        back.terms <= one.terms and (at_once or back.beside <= of_older)
        for sentence in (sentences(newer) if dropped else ())
        for back in _returned_to(sentence)
        for one in dropped
    )


class _Return(NamedTuple):
    """What one goes back to, as its telling terms, and those of what else is said in its clause."""

    terms: frozenset[str]
    beside: frozenset[str]


def _returned_to(said: Sentence) -> list[_Return]:
    bare, found = said.bare, list[_Return]()
    if said.asks or said.is_long or is_hedged(bare) or _ONCE.search(bare) or _NOT_BACK.search(bare):
        return []
    for clause in filter(None, CLAUSES.split(bare)):
        for match in _RETURNS.finditer(clause):
            terms = telling(next(filter(None, match.groups())))
            if terms and (match["to4"] or is_of_oneself(clause)):
                found.append(_Return(terms, of_what(clause) - terms - _choosing()))
    return found


def _is_own(bare: str, match: re.Match[str]) -> bool:
    """Say whether a person says it of themselves, as an order, or without saying of whom: not what somebody else does."""
    before, after = bare[: match.start()], bare[match.end() :].strip(" ,;:")
    if match["for1"] or match["off1"] or match["off2"] or match["off8"] or match["for6"] or match["for7"]:
        return is_of_oneself(bare[: match.end()]) if match["off2"] else True
    if _REPORTED.search(before):
        return False
    if any(match[f"alone{number}"] for number in range(1, 6)):
        return True
    if not before:
        return not after or bool(match["off4"] or match["off5"]) or is_of_oneself(after)
    last = CLAUSES.split(before)[-1]
    if (match["for3"] or match["for5"] or match["off4"] or match["off5"]) and last:
        return bool(OWN.match(last)) and not SOMEBODY.search(last)
    return is_of_oneself(before, last) and not (OTHERS.search(after) and not OWN.match(last))


@lru_cache(maxsize=4096)
def _all_taken_back(said: str) -> tuple[TakenBack, ...]:
    return tuple(one for sentence in sentences(said) for one in taken_back(sentence))


def _terms(every: Iterable[TakenBack]) -> frozenset[str]:
    return frozenset(term for one in every for term in one.terms)


@lru_cache(maxsize=1)
def _choosing() -> frozenset[str]:
    """Return the terms of how one says that something is chosen, whatever it is."""
    return frozenset(
        text.terms(
            "let lets use using take go going with keep make try stick scrap forget ditch drop skip never mind no wait actually rather please"
            " back return again switch zurück wieder wechseln verwenden nutzen nehm nehmen nimm vergiss streich lieber bleiben lassen verwende doch nein utilise prends plutôt usa usemos mejor"
        )
    )
