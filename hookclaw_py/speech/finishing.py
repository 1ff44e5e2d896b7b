"""What a person says to be done, by them or by itself: "called the notary", "the readme is written", "der Ausflug fällt aus".

English and German; of French, Spanish, Italian and Chinese the phrases that say so by themselves. Nothing is ended by a question, nor by what is
not done yet. It must name what it ends: a wrong ending hides a true memory.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import DONE, is_deed, numbered, of_what, same_deed, shares_most, to_whom
from hookclaw_py.speech.news import MONTH_NAMES
from hookclaw_py.speech.oneself import CLAUSES, LEAD, OTHERS, SOMEBODY, is_bare
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import Sentence, sentences
from hookclaw_py.speech.which import CAME, WHOSE, called_as_deeds, is_another

_NAMED_WELL = 2  # telling terms of a step, which say which it is
_SOON = r"(?:(?:just|already|finally|now|also|then|today|yesterday|schon|gerade|eben|endlich|jetzt)\ )*"
_PAST = r"(?:(?!need|feed|speed|indeed|based)\w{2,}ed|rang|sent|paid|wrote|written|bought|told|met|got|took|taken|made|did|found|built|sold|gave|went|spoke|spoken|brought)"
_PARTICIPLE = r"(?:\w*ge\w{2,}(?:t|en)|be\w{2,}(?:t|en)|unter\w+(?:t|en)|über\w+(?:t|en)|\w+iert)"
_COMES = regex(
    rf"(?i){CAME}|(?:(?:should|will|to|sollten?|werden|wird)\ )?(?:kommen|kommt|liefer\w*|geliefert|arriv\w*|com(?:es?|ing)|deliver\w*|due|expected|ankunft|treffen|kosten|kostet|costs?|gekostet|départ|depart\w*|leaves|abfahrt|fährt|part(?:e|enza)?|salida|sale|vien[et]|arriv[ae]|llega|coûte|cuesta|costa|livraison|consegna|entrega|place|platz|seat|posto|asiento|voiture|wagen)\b"
)
"""What a clause begins with that only says when it comes, what was ordered, what it costs, or how many people came."""
_DAYS = r"\w+day|tomorrow|midnight|noon|christmas|thanksgiving|xmas|easter|pentecost|advent|new|spring|summer|autumn|winter|\w+tag|mittwoch|ostern|weihnachten|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|end|mid|early|late|then|launch|release|week|month|year"
_SETTLED = r"(?:done|finished|sorted(?:\ out)?|handled|settled|ticked\ off|completed|taken\ care\ of|closed|erledigt|fertig|geschafft|abgehakt|gemacht|fait\w*|terminée?s?|réglée?s?|hech[oa]s?|list[oa]s?|terminad[oa]s?)"
_DOER = rf"(?:me|us|him|her|them|(?!(?i:(?:{MONTH_NAMES}|{_DAYS})\b))[A-ZÄÖÜ][a-zäöüß]+(?:\ [A-ZÄÖÜ][a-zäöüß]+)?)(?=$|\ (?:already|yesterday|today|and)\b)"
_UNTIL = rf"(?!\ (?:(?:until|before|bis|with|mit)\b|by\b(?!\ (?-i:{_DOER}))))"
"""Where something is only to be done until then: "done by friday", and not "done by Ines"."""
_AT_LAST = rf"(?:\ (?:at\ last|finally|just\ now|now|already|too|today|yesterday|this\ (?:morning|afternoon|week)|(?:for|on)\ (?:the\ )?\w*[\d:]\w*(?:\ (?:{MONTH_NAMES}))?|(?:for|on)\ (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?))*"
"""What may still stand behind the deed: "gym cancelled at last", "train booked for the 26th"."""
_DID = regex(
    rf"""(?xi) \b(?:i|we)(?:['’]ve|\ have)?\ {_SOON}{_PAST}\b | \b(?:i|we)(?:['’]ve|\ have|\ just|\ already)\ {_SOON}(?:put|read|set)\b
      | (?:\b(?:ich|wir)\b.*\bhab(?:e|en)?\b | \bhab(?:e|en)?\ (?:ich|wir)\b | ^{LEAD}{_SOON}habe?\b | \bhabe\b).*\b{_PARTICIPLE}\b
      | \b(?:j['’]ai|on\ a|nous\ avons)\ (?:\w+[éit]s?|fait)\b | \b(?:he|hemos|ya)\ \w+(?:ado|ido|hecho|rito|é|í)\b | \b(?:ho|abbiamo)\ (?:già\ )?(?:\w+[aiu]t[oaie]|fatto|scritto|chiesto|risposto)\b"""
)
"""What a person says that they did themselves."""
_DEED = regex(rf"(?i)^{LEAD}{_SOON}(?:{_PAST}|{DONE})(?=\ )")
"""The same without a subject, where the person speaks of themselves."""
_IS_DONE = regex(
    rf"""(?xi) ^{LEAD}(?:all\ |already\ |c['’]est\ |schon\ |ya\ )?{_SETTLED}\b{_UNTIL}
      | ^(?P<what1>.{{2,60}}?)(?:,?\ (?:is|are|was|were|has\ been|have\ been|all|already|ist|sind|schon|wurden?|est|c['’]est|está|ya)|['’]s)\ {_SOON}(?:{_SETTLED}\b{_UNTIL}|(?:\w{{3,}}ed|sent|paid|written|bought|built|sold|in|out)\b|.*\b{_PARTICIPLE}\b)
      | ^(?P<what4>.{{2,60}}?)\ (?:(?:est|sont|a\ été|ont\ été)\ (?:déjà\ |enfin\ )?\w{{2,}}ée?s?|(?:è|sono)\ (?:già\ )?(?:stat[oaie]\ )?(?:\w+[aiu]t[oaie]|fatt[oaie]|scritt[oaie]))\b
      | ^(?P<what2>(?:[\w'’.-]+\ ){{1,4}})(?:(?!need|feed|speed|(?:call|phon|ask|answer|repli|email|mail|visit|review)ed)\w{{3,}}ed|sent|paid|bought){_AT_LAST}$
      | ^(?P<what3>(?!.*\b(?:hat|hatten?|haben|ist|sind|wird|werden|er|sie|man)\b).{{2,40}}\ )(?:\w*ge\w{{2,}}(?:t|en)|be(?:zahlt|stellt|antragt)|unterschrieben|überwiesen|\w+iert)$
      | ^(?P<what5>(?:[\w'’.-]+\ ){{1,4}})(?:{DONE})(?=$|\ (?:(?:lun|mar|mer|jeu|ven|sam|dim|mi[ée]|vie|s[áa]b|gio|dom)\w*|aussi|déjà|enfin|hier|ce|à|au|chez|pour|en|le|anche|già|ieri|oggi|ad?|il|también|ya|ayer|hoy|al?|para)\b)
      | ^(?P<what6>.{{2,60}}?)\ (?:hat\ sich\ erledigt|entfällt|fällt\ (?:weg|flach|aus)|n['’]a\ plus\ lieu|tombe\ à\ l['’]eau|se\ cancela|si\ annulla)\b
      | ^(?P<what7>.{{2,60}}?),?\ c['’]est\ (?:bon|ok|en\ ordre|fini|\w{{2,}}é)$ | ^(?P<what8>(?:[\w'’.-]+\ ){{1,4}})fait(?:e|es|s)$ | ^c['’]est\ (?:bon|fait|ok|réglé)\ pour\ (?P<what9>.{{2,60}}) | 完成了? | 做完了 | 办好了 | 搞定 | 已经\w*了"""
)
"""That something is done, whoever did it: what comes before is the thing."""
_ONLY_IF = regex(r"(?i)\b(?:wenn|falls|sofern|s['’]ils?|si(?! annulla)|se(?! cancela))\b")
"""That something is off only in some case: "der Ausflug fällt aus, wenn es regnet"."""
_WHOSE = regex(f"(?i){WHOSE}")
_NEEDLESS = regex(r"(?i)(?P<off>.{2,40}?)\ (?:is|are)\ off$")
"""What is not to be done any more, beside something else that is done: by itself it may be switched off."""
_ONLY_DONE = regex(
    rf"""(?xi) ^{LEAD}[^,;:]{{2,60}}?(?:(?:\ (?:is|are|was|were|has\ been|have\ been|ist|sind|wurden?)|['’]s)\ {_SOON}|\ )
      (?: (?:all\ )?(?:done|finished|sorted(?:\ out)?|handled|ticked\ off|completed|taken\ care\ of|erledigt|fertig|geschafft|abgehakt
        |renewed|added|updated|uploaded|published|printed|removed|deleted|erneuert|verlängert|aktualisiert|hochgeladen|gedruckt) | (?P<deed>[^\W\d_]+) )
      (?:\ (?:now|already|too|today|jetzt|schon|auch|heute))*$"""
)
"""The same of a thing of which no more is said."""
_ANOTHER = regex(
    r"""(?xi) \b(?: (?:an)?other | old(?:er)? | (?:the|my|our|a)\ (?:last|previous|former|first|second|third|wrong|earlier)(?!\ (?:week|month|night|time|day|thing)) | ander\w* | alte[nrsm]? | vorige\w* | letzte[nrsm]?(?!\ (?:woche|monat|jahr|mal)) | früher\w+ | falsche\w* | zweite\w* | weitere\w*
      | autres? | ancien\w* | précédent\w* | otr[oa]s? | viej[oa]s? | anterior )\b | [另旧]"""
)
_ASKED = regex(r"(?i)\b(?:ask(?:ed)?\ (?:\S+\ ){1,3}to|demand[ée]r?\ (?:à|aux?))\b")
"""That somebody else is asked to do it."""
_NOT_DONE = regex(
    r"""(?xi) \b(?: but | not | no | never | yet | still | \w+n['’]t | almost | nearly | half | tr(?:y|ied) | want(?:ed)?\ to | need(?:s|ed)?\ to | must | will | going\ to | should | to\ be | until | before | again | open | wait\w*
      | aber | nicht | noch | fast | kein\w* | versucht\w* | wollte | muss | müssen | soll\w* | bis | wieder | mais | pas | ^(?:if|wenn|falls|si(?!,))
      | oublié\w* | essayé\w* | tenté\w* | (?<!comme\ )promis | commenc[ée]\w* | failli | (?<!comme\ )prévu | décidé\w* | olvidad\w* | intentad\w* | decidid\w* | empezad\w* | prometid\w* | dimenticat\w* | provat\w* | decis[oaie] | encore | presque | ma | non | ancora | quasi | devo | dobbiamo | pero | todavía | casi | falta )\b | [没未还]"""
)


def says_done(said: Sentence) -> bool:
    """Say whether a sentence tells of something that the person did it or that it is done, and of nothing that it is not."""
    bare = said.bare
    return not (said.asks or said.is_long or _NOT_DONE.search(bare)) and bool(_done(bare))


def only_says_done(said: Sentence) -> bool:
    """Say whether a sentence tells that something is done ("the readme is written") and nothing that holds on."""
    match = _ONLY_DONE.search(said.bare)
    return bool(match and (not match["deed"] or is_deed(match["deed"]))) and says_done(said)


def is_done(newer: str, older: str) -> bool:
    """Say whether a statement tells that the step is done which an earlier one named: the same deed, if both name one, to the same.

    What others did ends no step of the person's, nor what they did to another thing ("the old invoice").
    """
    told = (one for sentence in sentences(newer) if says_done(sentence) for one in _done(sentence.bare))
    return any(_does(one, older) for one in told)


def each_done(said: str) -> list[str]:
    """Return a statement, and each thing that it tells to be done by itself where there are several: "signed the contract, toner is ordered"."""
    parts = (_done(sentence.bare)[1:] for sentence in sentences(said) if says_done(sentence))
    return [said, *(one.told for part in parts for one in part)]


class _Done(NamedTuple):
    """What is said to be done: the words of it, and the terms of the things of which only this is said.

    ``bare_thing``: one of which no more is said than "modem ordered"; of a name that tells what somebody did ("Kolbe paid").
    """

    told: str
    things: frozenset[str]
    bare_thing: str = ""


@lru_cache(maxsize=4096)
def _done(bare: str) -> tuple[_Done, ...]:
    """Read what a sentence says to be done, without what others do: all of it together, and where it says so more than once, each; nothing where it says so of nothing."""
    kept, things, bare_thing, own = list[str](), frozenset[str](), "", True
    each = list[_Done]()
    for number, clause in enumerate(filter(None, CLAUSES.split(bare))):
        did = _DID.search(clause) or (own and _DEED.search(clause))
        own = bool(did and not SOMEBODY.search(clause[: did.start()]))
        done = None if own or OTHERS.search(_WHOSE.sub(" ", clause)) else _IS_DONE.search(clause)
        done = done or (_NEEDLESS.match(clause) if each else None)
        named = done.groupdict() if done else {}
        goes_on = number and (named.get("what2") or named.get("what3"))  # with what somebody did
        if goes_on or (named.get("what6") and _ONLY_IF.search(bare)):
            done = None
        if own or done:
            of = of_what(next(filter(None, named.values()), "")) if done else frozenset[str]()
            each.append(_Done(clause, of))
            things |= of
            bare_thing = (done and named.get("what2")) or bare_thing
        if own or done or (is_bare(clause) and not (each and _COMES.match(clause))):
            kept.append(clause)
    whole = (_Done(" ".join(kept), things, bare_thing.strip()),) if each else ()
    return (*whole, *(each if len(each) > 1 else ()))


def _does(done: _Done, older: str) -> bool:
    of = of_what(older)
    if done.bare_thing[:1].isupper() and re.search(rf"[a-z,] {re.escape(done.bare_thing)}\b", older):
        return False
    same = done.things <= of or (len(of) >= _NAMED_WELL and of <= done.things)
    if not same or any(other.search(done.told) and not other.search(older) for other in (_ANOTHER, _ASKED)):
        return False
    if is_another(done.told, older):
        return False
    told = (of_what(done.told) - telling(to_whom(done.told, older))) | called_as_deeds(done.told, older)
    of |= called_as_deeds(older, done.told)
    ours, theirs = numbered(told), numbered(of)
    return same_deed(done.told, older) and shares_most(told - (ours - theirs), of - (theirs - ours))
