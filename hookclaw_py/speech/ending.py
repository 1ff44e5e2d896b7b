"""What a person says that ends what they said before: a choice is taken back, a step is done, what was open is decided.

English and German; of French, Spanish and Chinese the phrases that say so by themselves. Nothing is ended by a question, by a guess, by what
holds only for once, nor by what is not done yet. It must name what it ends: a wrong ending hides a true memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import DEED_OF, DONE, is_deed, same_deed
from hookclaw_py.speech.hedges import is_hedged
from hookclaw_py.speech.news import MONTH_NAMES
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import Sentence, sentences

_LEAD = r"(?:(?:doch\ nicht(?=\s*[,.])|(?:no|oh)\ wait|no+|nope|wait|ok(?:ay)?|hm+|actually|so|and|but|then|on\ second\ thought|sorry|please|nein|doch|moment|also|ach|und|aber|dann|bitte|non|en\ fait|mejor)\b[\s,.:–-]*)*"
_DO = r"(?:let['’]?s\ |we(?:['’]ll|['’]re)?\ |i(?:['’]ll)?\ |wir\ |lass(?:t)?\ uns\ )?"
_NAMED = r"(?:the\ |an?\ |that\ |our\ |das\ |die\ |den\ |der\ |dem\ |le\ |la\ |les\ |el\ |los\ )?(?P<{}>[^\W_][\w'’./+#-]*(?:\ [\w'’./+#-]+){{0,2}}?)"
_STOPS = r"(?=\s*(?:[,;:.!–—)]|$)|\ (?:and|then|for|in|on|because|as|but|und|dann|für|als|weil|in|et|pour|y|para|porque|we|wir|let['’]?s|nehmen|nimm|entschieden)\b)"
_CHOOSE = r"(?:use|take|go|do|keep|make|try|stick|put|write|paint|buy|order|book|we|let['’]?s|nimm|nehmen|nehm|mach|verwende|nutze|bleib|wir|lieber|stattdessen|utilise|prends|on|usa|usemos|mejor)\b"


_OFF = r"scrap|forget(?:\ about)?|ditch|never\ ?mind|vergiss|streich(?:en\ wir|e)?|verwirf|verwerfen\ wir|oublie[sz]?|laisse\ tomber|olvida|descarta"


_DENIED = rf"(?:^{_LEAD}|[,;:–—]\s*(?:and\ |und\ |so\ |but\ |aber\ )?)"
_ALONE = r"(?:\ (?:after\ all|any\ ?more|now|mehr))?(?=\s*(?:[,;:–—]|\s-\s|$)|\ (?:and|because|but|und|weil|aber)\b)"


def _named(group: str) -> str:
    return _NAMED.format(group)


_TAKEN_BACK = regex(
    rf"""(?xi)
      ^{_LEAD}{_DO}(?: {_OFF} | drop | skip | cancel | no | not | lass(?:en\ wir)? | kein\w* | doch\ nicht | doch\ kein\w* | pas\ de | abandonne | deja )\ {_named("for1")}(?:\ weg|\ sein)?\s*(?:[,;:–—-]\s*|\ and\ |\ und\ ){_DO}{_CHOOSE}
    | ^{_LEAD}{_DO}(?:{_OFF})\ {_named("off1")}\s*(?:[,;:–—-]|\ and\ |\ und\ |\ et\ |\ y\ |$)
    | \b(?: instead\ of | rather\ than | in\ place\ of | statt | anstatt | anstelle\ von | au\ lieu\ d[eu’'] | à\ la\ place\ d[eu’'] | plutôt\ que | en\ vez\ de | en\ lugar\ de )\ ?{_named("for2")}{_STOPS}
    | ^{_LEAD}(?!.*\b(?:do|does|did|is|was|are|if|why)\b)[^,]{{2,60}},\ (?:but\ )?(?:not | nicht | pas | no)\ {_named("off2")}$
    | \b(?: not | nicht | pas | no )\ {_named("off3")}(?:,)?\ (?: but | sondern | mais | sino )\b
    | \b(?: no\ longer | not\ any\ ?more | no\ more | ya\ no )\ {_named("off4")}{_STOPS}
    | \bkein\w*\ {_named("off5")}\ mehr\b
    | \b(?: switch(?:ed|ing)? | mov(?:e|ed|ing) | wechseln | umgestiegen )\ (?: from | von )\ {_named("for3")}\ (?: to | auf | zu )\b
    | \b(?: drop(?:ped|ping)? | ditch(?:ed|ing)? | abandon(?:ed|ing)? | replac(?:e|ed|ing) )\ {_named("for5")}\ (?: in\ favou?r\ of | with )\b
    | ^{_LEAD}{_named("off8")}\ doch\ nicht$ | ^{_LEAD}{_named("for6")}\ doch\ nicht(?=\s*[,;:–—])
    | {_DENIED}(?!.*\b(?:yet|until|only|just|nur|noch|bis)\b)(?:
        (?:we|i)(?:['’](?:re|m)|\ are|\ am)\ not\ (?:taking|using|buying|ordering|getting|going\ with)\ {_named("alone1")}{_ALONE} | (?:we|i)\ (?:won['’]?t|will\ not)\ (?:be\ )?(?:tak|us|buy|order|get|go)(?:e|ing)?(?:\ with)?\ {_named("alone2")}{_ALONE}
      | (?:we|i)\ (?:aren['’]?t|don['’]?t)\ (?:taking|using|buying|ordering|getting|going\ with|take|use|buy|order)\ {_named("alone3")}{_ALONE}
      | (?:wir|ich)\ (?:nehm|kauf|bestell|verwend|nutz|benutz)en?\ (?!doch\b){_named("alone4")}(?:\ doch)?\ nicht{_ALONE} | {_named("alone5")}\ (?:nehm|kauf|bestell|verwend|nutz|benutz)en?\ (?:wir|ich)\ (?:doch\ )?nicht{_ALONE} )
    | (?: 不用 | 别用 | 不要 | 放弃 | 取消 )(?P<off6>\w{{1,8}}?)(?: 了 | [，,；;] ) | (?: 代替 | 而不是 | 替换掉? )(?P<for4>\w{{1,8}}?)(?: [，,。；;了] | $ ) | 不是(?P<off7>\w{{1,8}}?)[，,]?而?是"""
)
"""What is taken back: ``for`` something else that is told, it is ``off``, whatever comes instead, or that ``alone`` is said of it."""
_RETURNS = regex(
    rf"""(?xi) \b(?: doch\ (?:lieber|wieder|besser) | (?:nehmen|verwenden|nutzen|benutzen)\ (?:wir\ )?wieder | zurück\ (?:zu[mr]?|auf) | (?:back|return(?:ing)?)\ to )\ {_named("to1")}{_STOPS}
      | \b(?:use|using|take|taking|go(?:ing)?\ with|keep|keeping|it['’]?s|try|buy)\ {_named("to2")}\ (?:after\ all|again)\b | ^{_LEAD}{_named("to3")}\ after\ all$
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

_OTHERS = regex(
    r"""(?xi) \b(?: he | she | they | his | her | their | my | mine | who | told | says? | said | heard | saw | know | knows | asked | er | sie | sein\w* | ihr\w* | mein\w* | sagt\w* | meint\w* | il | elle | ils | elles | mon | ma | ella | ellos | su | mi )\b
      | (?<!\blet)(?<!\bit)(?<!\bthat)(?<!\bthere)['’]s\b | [他她]"""
)
_SOMEBODY = regex(
    r"(?i)\b(?:he|she|they|who|told|says?|said|heard|saw|knows?|asked|er|sie|sagt\w*|meint\w*|gehört|gesehen)\b|[他她]"
)
_REPORTED = regex(r"(?i)(?<!\bi )\b(?:says?|said|thinks|wants|sagt|meint|heard|gehört)\b|\btold (?:me|us)\b")
_FINITE = regex(
    r"""(?xi) (?<=\ )(?: (?!(?:this|its|us|yes|always)\b)\w+[^\Wsu]s(?=\ ) | \w{2,}ed | took | went | got | put | bought | chose | made | has | had | did | gave | built | kept | ran | wrote | sold | sent | paid | rang | is | was | are | were
      | hat | hatte\w* | ist | sind | war | wird | will | fährt | macht | kauft | stellt | bestellt | wohnt | geht | steht | läuft | schreibt | spielt | isst | hält | baut | (?!(?:jetzt|zuletzt|bestimmt|direkt|projekt|produkt|punkt|markt)\b)\w+(?:[bgkmz]t|[dt]et)
      | a\ (?:pris|choisi|\w+é) | ont | est | prend | utilise | ha | han | usa )\b | \b(?:haben|hatten|nehmen|wollen)\b"""
)
_OF_WHOM = (
    r"(?:i|we|let['’]?s|ich|wir|lass(?:t|en)?(?:\ (?:uns|wir))?|nous|on|je|j['’]|yo|nosotros)(?:['’](?:ve|re|ll|m|d))?"
)
_OWN = regex(
    rf"(?i)^{_LEAD}(?:(?:for|in|at|on|since|from|after|yesterday|now|für|im|seit|ab|bei|gestern|jetzt|nun|deshalb|pour|para|that\ ?is\ why)\b[^,]*?\ )?(?:(?:nehm|mach|verwend|nutz|bleib|hab)\w*\ )?(?:{_OF_WHOM}|{_CHOOSE}|decided|agreed|entschieden|beschlossen)(?=\W|$)|^{_LEAD}(?:it|that|es|das)(?:['’]s|\ is|\ ist)\b|^(?:那|好|就|还是|我|咱|改|用|换)"
)
_CLAUSES = regex(r"(?i)\s*(?:[,;:–—]|\s-\s|\b(?:and|und|but|aber|so|because|weil|et|y)\b)\s*")
_SOON = r"(?:(?:just|already|finally|now|also|then|today|yesterday|schon|gerade|eben|endlich|jetzt)\ )*"
_PAST = r"(?:(?!need|feed|speed|indeed|based)\w{2,}ed|rang|sent|paid|wrote|written|bought|told|met|got|took|taken|made|did|found|built|sold|gave|went|spoke|spoken|brought)"
_PARTICIPLE = r"(?:\w*ge\w{2,}(?:t|en)|be\w{2,}(?:t|en)|unter\w+(?:t|en)|über\w+(?:t|en)|\w+iert)"
_COMES = regex(
    r"(?i)(?:(?:should|will|to|sollten?|werden|wird)\ )?(?:kommen|kommt|liefer\w*|geliefert|arriv\w*|com(?:es?|ing)|deliver\w*|due|expected|ankunft|treffen|kosten|kostet|costs?|gekostet|départ|depart\w*|leaves|abfahrt|fährt|part(?:e|enza)?|salida|sale|vien[et]|arriv[ae]|llega|coûte|cuesta|costa|livraison|consegna|entrega|place|platz|seat|posto|asiento|voiture|wagen)\b"
)
"""What a clause begins with that only says when it comes, what was ordered, or what it costs."""
_DAYS = r"\w+day|tomorrow|midnight|noon|christmas|thanksgiving|xmas|easter|pentecost|advent|new|spring|summer|autumn|winter|\w+tag|mittwoch|ostern|weihnachten|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|end|mid|early|late|then|launch|release|week|month|year"
_SETTLED = r"(?:done|finished|sorted(?:\ out)?|handled|settled|ticked\ off|completed|taken\ care\ of|closed|erledigt|fertig|geschafft|abgehakt|gemacht|fait\w*|terminée?s?|réglée?s?|hech[oa]s?|list[oa]s?|terminad[oa]s?)"
_DOER = rf"(?:me|us|him|her|them|(?!(?i:(?:{MONTH_NAMES}|{_DAYS})\b))[A-ZÄÖÜ][a-zäöüß]+(?:\ [A-ZÄÖÜ][a-zäöüß]+)?)(?=$|\ (?:already|yesterday|today|and)\b)"
_UNTIL = rf"(?!\ (?:(?:until|before|bis|with|mit)\b|by\b(?!\ (?-i:{_DOER}))))"
"""Where something is only to be done until then: "done by friday", and not "done by Ines"."""
_DID = regex(
    rf"""(?xi) \b(?:i|we)(?:['’]ve|\ have)?\ {_SOON}{_PAST}\b | \b(?:i|we)(?:['’]ve|\ have|\ just|\ already)\ {_SOON}(?:put|read|set)\b
      | (?:\b(?:ich|wir)\b.*\bhab(?:e|en)?\b | \bhab(?:e|en)?\ (?:ich|wir)\b | ^{_LEAD}{_SOON}habe?\b | \bhabe\b).*\b{_PARTICIPLE}\b
      | \b(?:j['’]ai|on\ a|nous\ avons)\ (?:\w+[éit]s?|fait)\b | \b(?:he|hemos|ya)\ \w+(?:ado|ido|hecho|rito|é|í)\b | \b(?:ho|abbiamo)\ (?:già\ )?(?:\w+[aiu]t[oaie]|fatto|scritto|chiesto|risposto)\b"""
)
"""What a person says that they did themselves."""
_DEED = regex(rf"(?i)^{_LEAD}{_SOON}(?:{_PAST}|{DONE})(?=\ )")
"""The same without a subject, where the person speaks of themselves."""
_IS_DONE = regex(
    rf"""(?xi) ^{_LEAD}(?:all\ |already\ |c['’]est\ |schon\ |ya\ )?{_SETTLED}\b{_UNTIL}
      | ^(?P<what1>.{{2,60}}?)(?:\ (?:is|are|was|were|has\ been|have\ been|all|already|ist|sind|schon|wurden?|est|está|ya)|['’]s)\ {_SOON}(?:{_SETTLED}\b{_UNTIL}|(?:\w{{3,}}ed|sent|paid|written|bought|built|sold|in|out)\b|.*\b{_PARTICIPLE}\b)
      | ^(?P<what4>.{{2,60}}?)\ (?:(?:est|sont|a\ été|ont\ été)\ (?:déjà\ |enfin\ )?\w{{2,}}ée?s?|(?:è|sono)\ (?:già\ )?(?:stat[oaie]\ )?(?:\w+[aiu]t[oaie]|fatt[oaie]|scritt[oaie]))\b
      | ^(?P<what2>(?:[\w'’.-]+\ ){{1,4}})(?:(?!need|feed|speed|(?:call|phon|ask|answer|repli|email|mail|visit|review)ed)\w{{3,}}ed|sent|paid|bought)$
      | ^(?P<what3>(?!.*\b(?:hat|hatten?|haben|ist|sind|wird|werden|er|sie|man)\b).{{2,40}}\ )(?:\w*ge\w{{2,}}(?:t|en)|be(?:zahlt|stellt|antragt)|unterschrieben|überwiesen|\w+iert)$
      | ^(?P<what5>(?:[\w'’.-]+\ ){{1,4}})(?:{DONE})(?=$|\ (?:(?:lun|mar|mer|jeu|ven|sam|dim|mi[ée]|vie|s[áa]b|gio|dom)\w*|aussi|déjà|enfin|hier|ce|à|au|chez|pour|en|le|anche|già|ieri|oggi|ad?|il|también|ya|ayer|hoy|al?|para)\b)
      | ^(?P<what6>.{{2,60}}?)\ (?:hat\ sich\ erledigt|entfällt|fällt\ (?:weg|flach|aus)|n['’]a\ plus\ lieu|tombe\ à\ l['’]eau|se\ cancela|si\ annulla)\b
      | 完成了? | 做完了 | 办好了 | 搞定 | 已经\w*了"""
)
"""That something is done, whoever did it: what comes before is the thing."""
_ONLY_IF = regex(r"(?i)\b(?:wenn|falls|sofern|s['’]ils?|si(?! annulla)|se(?! cancela))\b")
"""That something is off only in some case: "der Ausflug fällt aus, wenn es regnet"."""
_WHOSE = regex(
    r"(?i)['’]s\ (?!(?:just|already|finally|now|also|then|not|never|still|been|an?|the|in|at|on|to|\w+ing|\w+ed|sent|paid|done|bought|gone)\b)"
)
"""That something is somebody's, where more is said of it: "Yasmine's report"."""
_NEEDLESS = regex(r"(?i)(?P<off>.{2,40}?)\ (?:is|are)\ off$")
"""What is not to be done any more, beside something else that is done: by itself it may be switched off."""
_ONLY_DONE = regex(
    rf"""(?xi) ^{_LEAD}[^,;:]{{2,60}}?(?:(?:\ (?:is|are|was|were|has\ been|have\ been|ist|sind|wurden?)|['’]s)\ {_SOON}|\ )
      (?: (?:all\ )?(?:done|finished|sorted(?:\ out)?|handled|ticked\ off|completed|taken\ care\ of|erledigt|fertig|geschafft|abgehakt
        |renewed|added|updated|uploaded|published|printed|removed|deleted|erneuert|verlängert|aktualisiert|hochgeladen|gedruckt) | (?P<deed>[^\W\d_]+) )
      (?:\ (?:now|already|too|today|jetzt|schon|auch|heute))*$"""
)
"""The same of a thing of which no more is said."""
_ANOTHER = regex(
    r"""(?xi) \b(?: (?:an)?other | old(?:er)? | (?:the|my|our|a)\ (?:last|previous|former|first|second|third|wrong|earlier)(?!\ (?:week|month|night|time|day|thing)) | ander\w* | alte[nrsm]? | vorige\w* | letzte[nrsm]?(?!\ (?:woche|monat|jahr|mal)) | früher\w+ | falsche\w* | zweite\w* | weitere\w*
      | autres? | ancien\w* | précédent\w* | otr[oa]s? | viej[oa]s? | anterior )\b | [另旧]"""
)
_NOT_DONE = regex(
    r"""(?xi) \b(?: but | not | no | never | yet | still | \w+n['’]t | almost | nearly | half | tr(?:y|ied) | want(?:ed)?\ to | need(?:s|ed)?\ to | must | will | going\ to | should | to\ be | until | before | again | open | wait\w*
      | aber | nicht | noch | fast | kein\w* | versucht\w* | wollte | muss | müssen | soll\w* | bis | wieder | mais | pas | encore | presque | ma | non | ancora | quasi | devo | dobbiamo | pero | todavía | casi | falta )\b | [没未还]"""
)
_UNDECIDED = regex(
    r"""(?xi) \b(?: undecided | (?:not|haven['’]?t|hasn['’]?t)\ (?:yet\ )?(?:been\ )?decided | to\ decide | decide\ (?:on|between|whether|which|if|about) | not\ sure\ (?:yet|which|whether)
      | (?:noch\ )?(?:nicht|un)\ ?entschieden | (?:zu\ )?entscheiden | pas\ (?:encore\ )?décidé | à\ décider | sin\ decidir | por\ decidir | no\ (?:hemos|he)\ decidido )\b | (?:还没|未|待)决定"""
)
_DECIDES = regex(
    r"(?i)\b(?:decided|decision|it is|settled|agreed|go(?:ing)? with|chose|picked|entschieden|beschlossen|nehmen|décidé|decidido|vamos con)\b|决定|就用"
)
_FILLER = "faire fare hacer reste choses cosas cose pendiente sospeso étapes pasos passi semaine semana settimana demain domani mañana aujourd'hui hoy oggi rappelle rappeler recuérdame ricordami ho ai remind reminder todo step steps next need must want tomorrow week erinnere erinnern muss müssen noch morgen fehlt offen already just finally yet to-do"
_NAMED_WELL = 2  # telling terms of what is not wanted, which say which it is
_INSTEAD = 2  # telling terms of what is chosen instead
_MOST = 0.6
"""Part of the words of the one that says less which both must share, deeds aside."""


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


def says_done(said: Sentence) -> bool:
    """Say whether a sentence tells of something that the person did it or that it is done, and of nothing that it is not."""
    bare = said.bare
    return not (said.asks or said.is_long or _NOT_DONE.search(bare)) and bool(_done(bare))


def only_says_done(said: Sentence) -> bool:
    """Say whether a sentence tells that something is done ("the readme is written") and nothing that holds on."""
    match = _ONLY_DONE.search(said.bare)
    return bool(match and (not match["deed"] or is_deed(match["deed"]))) and says_done(said)


def may_end(said: Sentence) -> bool:
    """Say whether a sentence may end something that was said before it."""
    return bool(taken_back(said)) or returns(said) or (says_done(said) and bool(of_what(said.bare)))


def takes_back(newer: str, older: str, *, at_once: bool) -> bool:
    """Say whether a statement takes back what an earlier one chose.

    ``at_once``: in the same conversation it is enough that this was chosen. Later both must speak of the same beside it, or the newer one of
    nothing but what is chosen instead. Who goes back to what the earlier one dropped takes back that; or a clause of its own names well what is not wanted ("we're not taking the Billy shelves").
    """
    if _goes_back(newer, older, at_once=at_once):
        return True
    gone = _all_taken_back(newer)
    chosen = telling(older) - _terms(_all_taken_back(older))
    named = [one for one in gone if one.terms <= chosen]
    if not named or at_once or any(one.alone and len(one.terms) >= _NAMED_WELL for one in named):
        return bool(named)
    rest = of_what(newer) - _terms(gone) - _choosing()
    if not rest.isdisjoint(chosen - _terms(named)):
        return True
    return len(rest) <= _INSTEAD and any(one.replaced or one.alone for one in named)


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


def names_all(newer: str, older: str) -> bool:
    """Say whether a statement names all that an earlier one speaks of, deeds aside."""
    return of_what(older) <= of_what(newer)


def is_decided(newer: str, older: str) -> bool:
    """Say whether a statement decides what an earlier one left open."""
    if not _UNDECIDED.search(older) or _UNDECIDED.search(newer) or not _DECIDES.search(newer):
        return False
    return _shared(of_what(newer), of_what(older))


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
    for clause in filter(None, _CLAUSES.split(bare)):
        for match in _RETURNS.finditer(clause):
            terms = telling(next(filter(None, match.groups())))
            if terms and (match["to4"] or _is_of_oneself(clause)):
                found.append(_Return(terms, of_what(clause) - terms - _choosing()))
    return found


def _is_own(bare: str, match: re.Match[str]) -> bool:
    """Say whether a person says it of themselves, as an order, or without saying of whom: not what somebody else does."""
    before, after = bare[: match.start()], bare[match.end() :].strip(" ,;:")
    if match["for1"] or match["off1"] or match["off2"] or match["off8"] or match["for6"]:
        return _is_of_oneself(bare[: match.end()]) if match["off2"] else True
    if _REPORTED.search(before):
        return False
    if any(match[f"alone{number}"] for number in range(1, 6)):
        return True
    if not before:
        return not after or bool(match["off4"] or match["off5"]) or _is_of_oneself(after)
    last = _CLAUSES.split(before)[-1]
    if (match["for3"] or match["for5"] or match["off4"] or match["off5"]) and last:
        return bool(_OWN.match(last)) and not _SOMEBODY.search(last)
    return _is_of_oneself(before, last) and not (_OTHERS.search(after) and not _OWN.match(last))


def _is_of_oneself(said: str, last: str = "") -> bool:
    """Say whether words have the person as their subject, or no subject and no verb; ``last`` is the clause that they end with."""
    if _OWN.match(last) and not _SOMEBODY.search(last):
        return True
    own = _OWN.match(said) and not _SOMEBODY.search(said)
    return (bool(own) or _is_bare(said)) and (not last or _is_bare(last))


def _is_bare(said: str) -> bool:
    return not (_OTHERS.search(said) or _FINITE.search(said))


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
    for number, clause in enumerate(filter(None, _CLAUSES.split(bare))):
        did = _DID.search(clause) or (own and _DEED.search(clause))
        own = bool(did and not _SOMEBODY.search(clause[: did.start()]))
        done = None if own or _OTHERS.search(_WHOSE.sub(" ", clause)) else _IS_DONE.search(clause)
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
        if own or done or (_is_bare(clause) and not (each and _COMES.match(clause))):
            kept.append(clause)
    whole = (_Done(" ".join(kept), things, bare_thing.strip()),) if each else ()
    return (*whole, *(each if len(each) > 1 else ()))


def _does(done: _Done, older: str) -> bool:
    of = of_what(older)
    if done.bare_thing[:1].isupper() and re.search(rf"[a-z,] {re.escape(done.bare_thing)}\b", older):
        return False
    if not done.things <= of or (_ANOTHER.search(done.told) and not _ANOTHER.search(older)):
        return False
    told = of_what(done.told)
    ours, theirs = numbered(told), numbered(of)
    if ours and theirs and ours.isdisjoint(theirs):
        return False
    return same_deed(done.told, older) and _shared(told - (ours - theirs), of - (theirs - ours))


def numbered(terms: frozenset[str]) -> frozenset[str]:
    """Return the terms that hold a number, "R16": which one or what size it is; seldom does one say that twice."""
    return frozenset(term for term in terms if any(character.isdigit() for character in term))


@lru_cache(maxsize=4096)
def _all_taken_back(said: str) -> tuple[TakenBack, ...]:
    return tuple(one for sentence in sentences(said) for one in taken_back(sentence))


def _terms(every: Iterable[TakenBack]) -> frozenset[str]:
    return frozenset(term for one in every for term in one.terms)


@lru_cache(maxsize=4096)
def of_what(said: str) -> frozenset[str]:
    """Return the telling terms of what a statement speaks of, but for deeds and what every step says."""
    return telling(said) - DEED_OF.keys() - _filler()


def _shared(newer: frozenset[str], older: frozenset[str]) -> bool:
    return len(newer & older) >= max(1.0, _MOST * min(len(newer), len(older)))


@lru_cache(maxsize=1)
def _filler() -> frozenset[str]:
    return frozenset(text.terms(_FILLER))


@lru_cache(maxsize=1)
def _choosing() -> frozenset[str]:
    """Return the terms of how one says that something is chosen, whatever it is."""
    return frozenset(
        text.terms(
            "let lets use using take go going with keep make try stick scrap forget ditch drop skip never mind no wait actually rather please"
            " back return again switch zurück wieder wechseln verwenden nutzen nehm nehmen nimm vergiss streich lieber bleiben lassen verwende doch nein utilise prends plutôt usa usemos mejor"
        )
    )
