"""What a person says that ends what they said before: a choice is taken back, a step is done, what was open is decided.

English and German; of French, Spanish and Chinese the phrases that say so by themselves. Nothing is ended by a question, by a guess, by what
holds only for once, nor by what is not done yet. It must name what it ends: a wrong ending hides a true memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.hedges import is_hedged
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import Sentence, sentences

_LEAD = r"(?:(?:doch\ nicht(?=\s*[,.])|(?:no|oh)\ wait|no+|nope|wait|ok(?:ay)?|hm+|actually|so|and|but|then|on\ second\ thought|sorry|please|nein|doch|moment|also|ach|und|aber|dann|bitte|non|en\ fait|mejor)\b[\s,.:–-]*)*"
_DO = r"(?:let['’]?s\ |we(?:['’]ll|['’]re)?\ |i(?:['’]ll)?\ |wir\ |lass(?:t)?\ uns\ )?"
_NAMED = r"(?:the\ |an?\ |that\ |our\ |das\ |die\ |den\ |der\ |dem\ |le\ |la\ |les\ |el\ |los\ )?(?P<{}>[^\W_][\w'’./+#-]*(?:\ [\w'’./+#-]+){{0,2}}?)"
_STOPS = (
    r"(?=\s*(?:[,;:.!–—)]|$)|\ (?:and|then|for|in|on|because|as|but|und|dann|für|als|weil|in|et|pour|y|para|porque)\b)"
)
_CHOOSE = r"(?:use|take|go|do|keep|make|try|stick|put|write|paint|buy|order|book|we|let['’]?s|nimm|nehmen|nehm|mach|verwende|nutze|bleib|wir|lieber|stattdessen|utilise|prends|on|usa|usemos|mejor)\b"


_OFF = r"scrap|forget(?:\ about)?|ditch|never\ ?mind|vergiss|streich(?:en\ wir|e)?|verwirf|verwerfen\ wir|oublie[sz]?|laisse\ tomber|olvida|descarta"


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
    | (?: 不用 | 别用 | 不要 | 放弃 | 取消 )(?P<off6>\w{{1,8}}?)(?: 了 | [，,；;] ) | (?: 代替 | 而不是 | 替换掉? )(?P<for4>\w{{1,8}}?)(?: [，,。；;了] | $ ) | 不是(?P<off7>\w{{1,8}}?)[，,]?而?是"""
)
"""What is taken back: ``for`` something else that is told, or it is ``off``, whatever comes instead."""
_NEGATED = regex(
    r"(?i)\b(?:don['’]?t|do not|never|dont|didn['’]?t|not) (?:to )?(?:scrap|forget|ditch|drop)\b|\bnicht vergess|\bvergiss\b.*\bnicht\b|\bn['’]oublie"
)
_ONCE = regex(
    r"""(?xi) \b(?: for\ (?:now|today|once|the\ moment) | this\ (?:time|once|week|month) | today | tonight | tomorrow | just\ (?:once|here) | only\ here | in\ this\ (?:file|case|branch|one) | if | when | unless
      | fürs?\ erste\w* | heute | morgen | diesmal | dieses\ mal | ausnahmsweise | vorerst | wenn | falls | cette\ fois | pour\ l['’]instant | aujourd['’]hui | si | esta\ vez | por\ ahora | hoy )\b | 这次 | 暂时 | 今天 | 如果"""
)

_DONE_SAID = regex(
    r"""(?xi) (?:^|[,:;–—-]\ ?|\b(?:is|are|was|were|['’]s|all|already|ist|sind|schon|est|está|ya)\ )(?:done|finished|sorted(?:\ out)?|handled|settled|ticked\ off|completed|taken\ care\ of|closed
        |erledigt|fertig|geschafft|abgehakt|gemacht|fait\w*|terminée?s?|réglée?s?|hech[oa]s?|list[oa]s?|terminad[oa]s?)\b(?!\ (?:by|until|before|bis)\b)
      | (?:^|\b(?:i|we|and|ich|wir|have|['’]ve|habe?|haben|already|schon|just|finally)\ )(?:(?!need|feed|speed|indeed|based)\w{2,}ed|rang|sent|paid|wrote|written|bought|told|met|got|took|taken|made|did|found|built|sold|gave|went|spoke|spoken|brought)\b
      | ^(?:[\w'’.-]+\ ){1,4}(?:(?!need|feed|speed)\w{3,}ed|sent|paid|bought)$
      | \b(?:is|are|was|were|has\ been|have\ been)\ (?:\w{3,}ed|sent|paid|written|bought|built|sold|in|out)\b | \b(?:i|we)(?:['’]ve|\ have|\ just|\ already)\ (?:put|read|set)\b
      | \b(?:hab(?:e|en)?|ist|sind|wurden?)\b.*\b(?:\w*ge\w{2,}(?:t|en)|be\w{2,}(?:t|en)|unter\w+(?:t|en)|über\w+(?:t|en)|\w+iert)\b | ^.{2,40}\ (?:\w*ge\w{2,}(?:t|en)|be(?:zahlt|stellt|antragt)|unterschrieben|überwiesen|\w+iert)\b(?:,|$)
      | \b(?:j['’]ai|on\ a|nous\ avons|c['’]est)\ (?:\w+[éit]s?|fait)\b | \b(?:he|hemos|ya)\ \w+(?:ado|ido|hecho|rito|é|í)\b
      | 完成了? | 做完了 | 办好了 | 搞定 | 已经\w*了"""
)
_NOT_DONE = regex(
    r"""(?xi) \b(?: but | not | no | never | yet | still | \w+n['’]t | almost | nearly | half | tr(?:y|ied) | want(?:ed)?\ to | need(?:s|ed)?\ to | must | will | going\ to | should | to\ be | until | before | again | open | wait\w*
      | aber | nicht | noch | fast | kein\w* | versucht\w* | wollte | muss | müssen | soll\w* | bis | wieder | mais | pas | encore | presque | pero | todavía | casi | falta )\b | [没未还]"""
)
_UNDECIDED = regex(
    r"""(?xi) \b(?: undecided | (?:not|haven['’]?t|hasn['’]?t)\ (?:yet\ )?(?:been\ )?decided | to\ decide | decide\ (?:on|between|whether|which|if|about) | not\ sure\ (?:yet|which|whether)
      | (?:noch\ )?(?:nicht|un)\ ?entschieden | (?:zu\ )?entscheiden | pas\ (?:encore\ )?décidé | à\ décider | sin\ decidir | por\ decidir | no\ (?:hemos|he)\ decidido )\b | (?:还没|未|待)决定"""
)
_DECIDES = regex(
    r"(?i)\b(?:decided|decision|it is|settled|agreed|go(?:ing)? with|chose|picked|entschieden|beschlossen|nehmen|décidé|decidido|vamos con)\b|决定|就用"
)
_DEEDS = (
    "call called calling phone phoned ring rang anrufen anzurufen angerufen rufe telefoniert appeler appelé llamar llamé llamado",
    "pay paid pays bezahlen bezahlt zahlen gezahlt überweisen überwiesen payer payé pagar pagué pagado",
    "book booked reserve reserved buchen gebucht reservieren reserviert réserver réservé reservar reservé reservado",
    "send sent mail mailed email emailed schicken geschickt abschicken abgeschickt senden gesendet envoyer envoyé enviar envié enviado",
    "order ordered bestellen bestellt commander commandé pedir pedí pedido",
    "buy bought kaufen gekauft einkaufen eingekauft acheter acheté comprar compré comprado",
    "write wrote written schreiben geschrieben écrire écrit escribir escribí escrito",
    "sign signed unterschreiben unterschrieben signer signé firmar firmé firmado",
    "ask asked fragen gefragt nachfragen nachgefragt demander demandé preguntar pregunté preguntado",
    "fix fixed repair repaired mend mended reparieren repariert réparer réparé arreglar arreglé arreglado",
    "check checked prüfen geprüft kontrollieren kontrolliert vérifier vérifié revisar revisé revisado",
    "test tested testen getestet review reviewed", "read lesen gelesen", "install installed installieren installiert",
    "pick picked fetch fetched collect collected abholen abgeholt", "move moved migrate migrated", "cancel cancelled canceled kündigen gekündigt",
    "answer answered reply replied antworten geantwortet", "meet met treffen getroffen", "clean cleaned putzen geputzt", "tell told",
)  # fmt: skip
_DEED_OF = {term: number for number, words in enumerate(_DEEDS) for term in text.terms(words)}
_ELIDED = regex(r"(?i)\b(?:qu|[cdjlmnst])['’](?=\w)")
_FILLER = "rappelle rappeler recuérdame ai remind reminder todo step steps next need must want tomorrow week erinnere erinnern muss müssen noch morgen fehlt offen already just finally yet to-do"
_INSTEAD = 2  # telling terms of what is chosen instead
_MOST = 0.6
"""Part of the words of the one that says less which both must share, deeds aside."""


class TakenBack(NamedTuple):
    """What is taken back, as its telling terms, and whether something else is told that is to be instead."""

    terms: frozenset[str]
    replaced: bool


def taken_back(said: Sentence) -> tuple[TakenBack, ...]:
    """Return what a sentence takes back: of "blue, not green" the green."""
    bare = said.bare
    if said.asks or said.is_long or is_hedged(bare) or _ONCE.search(bare) or _NEGATED.search(bare):
        return ()
    named = [(group, name) for match in _TAKEN_BACK.finditer(bare) for group, name in match.groupdict().items() if name]
    return tuple(TakenBack(terms, group.startswith("for")) for group, name in named if (terms := telling(name)))


def says_done(said: Sentence) -> bool:
    """Say whether a sentence tells of something that it is done, and of nothing that it is not."""
    bare = said.bare
    return not (said.asks or said.is_long or _NOT_DONE.search(bare)) and bool(_DONE_SAID.search(bare))


def may_end(said: Sentence) -> bool:
    """Say whether a sentence may end something that was said before it."""
    return bool(taken_back(said)) or (says_done(said) and bool(_of_what(said.bare)))


def takes_back(newer: str, older: str, *, at_once: bool) -> bool:
    """Say whether a statement takes back what an earlier one chose.

    ``at_once``: in the same conversation it is enough that this was chosen. Later both must speak of the same beside it, or the newer one of
    nothing but what is chosen instead.
    """
    gone = _all_taken_back(newer)
    chosen = telling(older) - _terms(_all_taken_back(older))
    named = [one for one in gone if one.terms <= chosen]
    if not named or at_once:
        return bool(named)
    rest = _of_what(newer) - _terms(gone) - _choosing()
    if not rest.isdisjoint(chosen - _terms(named)):
        return True
    return len(rest) <= _INSTEAD and any(one.replaced for one in named)


def is_done(newer: str, older: str) -> bool:
    """Say whether a statement tells that the step is done which an earlier one named: the same deed, if both name one, to the same."""
    said = [sentence for sentence in sentences(newer) if says_done(sentence)]
    return any(_same_deed(one.bare, older) and _shared(_of_what(one.bare), _of_what(older)) for one in said)


def names_all(newer: str, older: str) -> bool:
    """Say whether a statement names all that an earlier one speaks of, deeds aside."""
    return _of_what(older) <= _of_what(newer)


def is_decided(newer: str, older: str) -> bool:
    """Say whether a statement decides what an earlier one left open."""
    if not _UNDECIDED.search(older) or _UNDECIDED.search(newer) or not _DECIDES.search(newer):
        return False
    return _shared(_of_what(newer), _of_what(older))


@lru_cache(maxsize=4096)
def _all_taken_back(said: str) -> tuple[TakenBack, ...]:
    return tuple(one for sentence in sentences(said) for one in taken_back(sentence))


def _terms(every: Iterable[TakenBack]) -> frozenset[str]:
    return frozenset(term for one in every for term in one.terms)


@lru_cache(maxsize=4096)
def _of_what(said: str) -> frozenset[str]:
    """Return the telling terms of what a statement speaks of, but for deeds and what every step says."""
    return telling(_ELIDED.sub("", said)) - _DEED_OF.keys() - _filler()


def _same_deed(newer: str, older: str) -> bool:
    ours, theirs = ({_DEED_OF[term] for term in text.terms(said) if term in _DEED_OF} for said in (newer, older))
    return not ours or not theirs or not ours.isdisjoint(theirs)


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
            " nehm nehmen nimm vergiss streich lieber bleiben lassen verwende doch nein utilise prends plutôt usa usemos mejor"
        )
    )
