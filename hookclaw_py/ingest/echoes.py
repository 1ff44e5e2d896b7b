"""What a conversation only repeats: a question, and an answer that quotes what was remembered, are no memories.

An agent with memory is asked the same thing again and again, and answers from its notes. Kept, those turns would be the
best hits for the next time, ahead of the note that says it. So of a turn is left out:

- a question without an answer, or with one that knows nothing: what is stated beside it stays;
- an answer whose telling words all come from the block that the turn was given;
- one that says no more than a note, an earlier turn or an earlier session does, question and answer together, unless
  something newer about the same says otherwise.

What says anything else stays, the question in front of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import NamedTuple

from hookclaw_py import text as words
from hookclaw_py.model.types import Chunk
from hookclaw_py.regex import regex
from hookclaw_py.stages.gate import without_politeness

_ALWAYS = datetime.min.replace(tzinfo=UTC)  # of what has no date: it was there before any turn
_TRANSCRIPT = regex(r"\.jsonl(?:\.[^/]*)?\Z")  # the end of its path
_FLAGS = re.IGNORECASE | re.VERBOSE
_BETWEEN_SENTENCES = regex(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_IS = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will|ist|war|sind|waren|hat|haben|hast|heißt|est|sont|était|es|son|era)"
_DOES = "kostet|kosten|macht|machen|steht|stand|gibt|gab|braucht?|brauchen|muss|müssen|soll|sollen|darf|kann|kommt|liegt|wohnt|fährt|öffnet|beginnt|geht|läuft|gehört|zahlt"
_ASKS = regex(
    rf"""(?:so|and|but|now|und|also)?\W*(?:
    (?:who|what|when|where|which|why|how|wer|was|wann|wo|wie|welche[nrsm]?|qui|quand|où|quel(?:le)?s?|quién|qué|cuándo|dónde|cuál)
        (?:['’]s | (?:\ (?!i\b|you\b|he\b|she\b|we\b|they\b|ich\b|wir\b)\w+){{0,2}}?\ {_IS}) \b
    | (?:tell|remind|show|give)\ me\ (?!to\b) | do\ you\ (?:know|remember|recall) | i\ (?:would\ like|want|need)\ to\ know
    | (?:look\ up|search\ (?:my|our|the|your))\b | (?:sag|zeig|erinner)e?\ mi(?:r|ch)\b (?!\ daran\b) | wei(?:ß|ss)t\ du\b
    | wie\ ?viele?\b | (?:was|wer|wann|wo|wie)\ (?:{_DOES})\b | (?:ab|bei|bis|für|mit|seit|um|von)\ (?:wann|we[mn]|welche[mnrs]?|wie\ ?viele?)\b
    | c['’]?est\ (?:quoi|qui|quand(?!\ même)|où|combien|comment|lequel|laquelle|quel(?:le)?s?)\b | (?:qu['’])?est[-\ ]ce\b | pourquoi\b
    | (?:combien|où)\b (?!.*:\ ) | comment\ (?:va|vont|on|ça|je|s['’]|j['’]|se|est|sont|a|ont|fait|faire|marche|fonctionne)\b (?!.*:\ )
    | quel(?:le)?s?\ [\w-]+\ (?:on|je|j['’]|nous|tu|ils?|elles?|a|ont|m['’]a|pour|de|du|des|dans|chez|avec)\b (?!.*!)
    | (?:à|de|chez|avec|pour|depuis|jusqu['’]à|dans|en)\ (?:qui|quoi|quand|combien|quel(?:le)?s?)\b (?!.*:\ )
    | quand\ (?:ouvre|ferme|commence|finit|part|vient|arrive|rentre|tombe|passe)\b
    | (?:rappelle|redis|dis|donne|montre)[-\ ]moi\ (?:l['’]|(?:le(?!\ \d)|la|les|mon|ma|mes|son|sa|ses|notre|nos|ce\ qu\w+|quel(?:le)?s?|qui|où|quand|comment|combien)\b)
    | (?:(?:a|de|con|para|desde|hasta|en|por)\ )?(?:cuánt[oa]s?|cuándo|cuál(?:es)?|dónde|quién(?:es)?|cómo)\b (?!.*(?:!|:\ ))
    | cuant[oa]s?\ (?:cuestan?|valen?|es|son|hay|pag\w+|dura|mide|tiempo|dinero|años)\b
    | (?:recu[ée]rdame|dime|dame|ens[ée][ñn]ame)\ (?:el(?!\ \d)|la|los|las|mis?|nuestr\w+|qué|cuál|quién|cuándo|dónde|cómo|cuánt\w+)\b )""",
    _FLAGS,
)
_ASKS_LAST = regex(  # "le tel de solène c'est quoi", "on part quand", "il se passe quoi le 8"
    r"""(?!.*\b(?:pas|sa(?:is|it|voir|vons)|importe|verra|demandes?|no|sé|sabe[rs]?)\b) (?: .*
        (?<=[\s,])(?:quoi|où|quand|combien|cuál(?:\ es)?|cuándo(?:\ es)?|dónde(?:\ está)?|cuánto(?:\ es)?)\W*\Z
      | (?:(?:on|il|elle|ça|je|tu|qui)\ |j['’])(?:[\w'’]+\ ){1,2}quoi\b )""",
    _FLAGS,
)
_CLAUSES = regex(r"(?<=[,;:])\s+|(?<=[，；])|\s+[–—-]+\s+|\s+(?=(?:and|but|so|und|aber|et|mais|y|pero)\s)")
_TELLS = regex(
    r"""(?:(?:and|but|so|also|since|because|as|considering|given\ that|now\ that|by\ the\ way|btw|und|aber|weil|da|übrigens|et|mais|comme|y|pero|como)[\s,]+)*
    (?: (?:i|we) (?:['’](?:m|ve|re))? \s+ (?!(?:was|were|am|['’]m)?\s*(?:wonder|curious|looking|unsure|not\ sure)|would|want|need|hope|can|could|should|forg[eo]t|do\ not|don['’]t|guess|mean\b)
      | (?:my|our|mein\w*|unser\w*) \s+ (?:\w+\s+){1,3}? (?:is|are|was|has|had|lives?|works?|moved|died|ist|sind|war|hat|hatte|wohnt|arbeitet)\b
      | (?:ich|wir) \s+ (?!frag|such|brauch|will|wollen|möcht|wollt|würd|weiß|weiss|kann|könn|soll|find)
      | (?:je\ |j['’]|nous\ ) (?!voudrais|veux|cherche|me\ demand|ai\ besoin|peux|sais\ pas) | (?:estoy|tengo|soy|voy|vamos|somos)\ (?!busc|que\ saber) | 我们?(?!想|要|需|该|应|能|可) )""",
    _FLAGS,
)
"""A clause in which somebody tells of themselves, and not that they want to know something."""
_NO_TRIFLE = 2  # telling words, at least, of a clause that is worth keeping without its question
_KNOWS_NOTHING = regex(
    r"""\b(?:i\ (?:do\ not|don['’]?t|could\ not|couldn['’]?t|cannot|can['’]?t|did\ not|didn['’]?t)
        (?:\ (?:currently|actually|seem\ to))?\ (?:have|know|see|find|recall|remember)
    | (?:i\ )?(?:do\ not|don['’]?t)\ know | dunno | (?:i\ have\ )?no\ (?:idea|clue) | (?:i(?:['’]m|\ am)\ )?(?:not\ (?:sure|certain)|unsure)
    | (?:i\ )?(?:can['’]?t|cannot|couldn['’]?t|could\ not)\ (?:say|tell) | (?:there(?:\ (?:is|are)|['’]s)|i\ (?:have|found|see))\ (?:no|nothing)
    | (?:your|the|my)\ (?:notes?|memor(?:y|ies)|records?|files?)\ (?:do(?:es)?\ not|do(?:es)?n['’]?t|ha(?:s|ve)\ (?:no|nothing)|say\ nothing)(?:\ (?:mention|say|tell|contain|include|show|have))?
    | (?:i\ (?:was|am)|i['’]m)\ (?:not\ able|unable)\ to\ (?:find|see|recall) | i\ have(?:\ not|n['’]?t)\ found | nothing\ (?:in|about|found|is\ noted|was\ found)
    | (?:das\ )?wei(?:ß|ss)\ ich\ (?:leider\ |auch\ )*nicht | (?:ich\ )?wei(?:ß|ss)\ (?:es\ |das\ )?(?:leider\ |auch\ )*nicht
    | (?:ich\ habe?\ |hab\ )?keine?n?\ (?:ahnung|schimmer) | (?:ich\ )?(?:habe|finde|fand)\ (?:dazu\ )?(?:leider\ )?(?:nichts|keine?n?)
    | nichts?\ (?:finden|gefunden) | (?:habe|finde|fand|kann|konnte|steht|stehen|gibt\ es)\ (?:(?:dazu|darüber|davon|ich|leider|da)\ )*(?:nichts|keine?n?)(?:(?:\ \w+){0,2}\ finden)?
    | (?:(?:da\ )?bin\ ich\ |ich\ bin\ )?(?:mir\ |leider\ |da\ )*nicht\ sicher | (?:das\ )?kann\ ich\ (?:dir\ |ihnen\ )?(?:leider\ )?nicht\ sagen
    | (?:je\ n['’]ai\ |j['’]ai\ )?aucune\ idée | (?:je\ )?(?:ne\ )?(?:le\ )?sais\ pas | (?:je\ n['’])?en\ sais\ rien | (?:je\ ne\ suis\ |je\ suis\ )?pas\ sûre?
    | (?:(?:je\ )?n['’]|j['’])ai\ (?:malheureusement\ )?(?:rien|pas)\ (?:pu\ )?(?:re)?trouv(?:é|er)
    | (?:(?:je\ )?n['’]|j['’])ai\ (?:rien|(?:pas|aucune?)\ (?:(?:cette|ces|l['’]|d['’]|de)\ ?)?(?:autre\ )?(?:infos?|informations?|données?|notes?|traces?|souvenirs?|mentions?))
    | (?:je\ )?ne\ (?:l[ae]s?\ )?(?:re)?(?:trouve|vois)\ (?:malheureusement\ )?(?:rien|pas|aucune?) | (?:il\ )?n['’]y\ a\ (?:rien|aucune?)
    | (?:[tmv]es|vos|les)\ notes\ ne\ (?:\w+\ )?(?:disent|mentionnent|contiennent|parlent|précisent|indiquent)\ (?:rien|pas|aucune?)
    | (?:no\ tengo\ )?ni\ idea | no\ tengo\ idea | (?:yo\ )?no\ (?:lo\ )?sé | no\ (?:lo\ )?recuerdo | (?:no\ estoy|no\ muy)\ segur[oa]
    | no\ (?:l[oa]s?\ )?(?:he\ (?:podido\ )?encontr(?:ado|ar)|encuentro|encontré)(?:\ (?:nada|ningun[oa]?|ningún))? | no\ (?:hay|veo|aparece|tengo)\ (?:nada|ningun[oa]?|ningún)
    | no\ tengo\ (?:es[aeo]s?\ |más\ |ninguna\ )?(?:informaci[oó]n|datos?|registros?|notas?|constancia)
    | (?:[tms]us|las)\ notas\ no\ (?:lo\ )?(?:dicen|mencionan|contienen|hablan\ de|tienen|incluyen|indican)(?:\ (?:nada|ningun[oa]?|ningún))? )\b
    | 我?也?(?:不知道|不(?:太)?(?:清楚|确定|記得|记得)|没有?(?:印象|头绪))""",
    _FLAGS,
)
_NEGATES = regex(
    r"\b(?:not?|never|none|without|cannot|nicht|nichts|keine?[nrsm]?|nie|ohne|pas|jamais|sans|nunca|sin|не|нет)\b|n['’]t\b|[不没沒]",
    re.IGNORECASE,
)
_CHATTER = (
    """according afraid detail details else glad happy help hope information known memory memories need past question record
    records right sorry still sure true unfortunately want wish yes yet correct leider erinnerung gern ja nein oui non""",
    "tut mir leid entschuldigung in deinen Notizen und den Informationen habe ich dazu darüber nichts gefunden Eintrag Einträge Unterlagen Gedächtnis",
    "je suis désolé désolée malheureusement dans tes notes et les informations de la mémoire trouvé trouver sujet",
    "lo siento lamento perdón disculpa en tus notas y la información de la memoria no he encontrado nada",
    "抱歉 对不起",
)
_TOO_TELLING = "find last look new open plan work"  # of the words with which one asks: "Is the door open?"


class _Said(NamedTuple):
    """Something that was said before: (when, the how manieth), its words and terms, and where."""

    order: tuple[datetime, int]
    terms: frozenset[str]
    text: str
    path: str
    id: str


class Known:
    """What an agent's store says already. It is read when first asked, and told of every session that is read after."""

    def __init__(
        self,
        chunks: Callable[[], Iterable[Chunk]] = tuple,
        shown: Callable[[], Iterable[tuple[str, Iterable[str]]]] = tuple,
    ) -> None:
        """``chunks`` gives the store's, ``shown`` the prompts that were given a block, each with the block's chunks' ids."""
        self._chunks, self._shown = chunks, shown
        self._entries: list[_Said] = []
        self._by_term: dict[str, list[int]] = {}  # of the terms that were looked for
        self._injected: dict[tuple[str, ...], frozenset[str]] = {}
        self._is_read = False

    def forget(self, path: str) -> None:
        """Forget a document that is about to be read again."""
        self._read()
        for number in [n for n, entry in enumerate(self._entries) if entry.path == path]:
            self._entries[number] = self._entries[number]._replace(terms=frozenset())

    def forget_copies(self, turns: Sequence[tuple[str, datetime]]) -> None:
        """Forget the passages of transcripts that hold one of these prompts of about that moment: no earlier word, but the same one."""
        self._read()
        days: dict[date, list[str]] = {}
        for said, at in turns:
            for day in (-1, 0, 1):
                days.setdefault(at.date() + timedelta(days=day), []).append(said)
        for number, entry in enumerate(self._entries):
            if _TRANSCRIPT.search(entry.path) and any(
                said in entry.text for said in days.get(entry.order[0].date(), ())
            ):
                self._entries[number] = entry._replace(terms=frozenset())

    def learn(
        self, text: str, *, at: datetime | None, path: str, id: str = "", terms: frozenset[str] = frozenset()
    ) -> None:
        """Add what was said: at a moment, None = nobody knows when."""
        held, number = terms or words.terms(text).distinct, len(self._entries)
        for term in held & self._by_term.keys():
            self._by_term[term].append(number)
        self._entries.append(_Said((at or _ALWAYS, number), held, text, path, id))

    def injected(self, question: str) -> frozenset[str]:
        """Return the terms of the blocks that were given to this very question."""
        self._read()
        return self._injected.get(tuple(words.words(question)), frozenset())

    def says(
        self, question: frozenset[str], answer: frozenset[str], *, negates: bool, at: datetime | None, path: str
    ) -> bool:
        """Say whether one thing said before holds question and answer, and no later one about the same says otherwise."""
        self._read()
        earlier = [entry for entry in self._holding(question | answer) if _is_earlier(entry, at, path)]
        source = max(earlier, key=lambda entry: entry.order, default=None)
        if source is None or (negates and not _NEGATES.search(source.text)):
            return False
        about = (entry for entry in self._holding(question) if _is_earlier(entry, at, path))
        return all(answer <= entry.terms for entry in about if entry.order > source.order)

    def _holding(self, terms: frozenset[str]) -> Iterator[_Said]:
        if not terms:
            return
        # one that was looked for before, or else a long one, which few have
        rare = min(terms, key=lambda term: (len(self._by_term.get(term, self._entries)), -len(term), term))
        if rare not in self._by_term:
            self._by_term[rare] = [n for n, entry in enumerate(self._entries) if rare in entry.terms]
        yield from (entry for n in self._by_term[rare] if terms <= (entry := self._entries[n]).terms)

    def _read(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for chunk in self._chunks():
            self.learn(chunk.text, at=chunk.created_at, path=chunk.place.path, id=chunk.id, terms=chunk.terms.distinct)
        by_id: Mapping[str, frozenset[str]] = {entry.id: entry.terms for entry in self._entries}
        for prompt, ids in self._shown():
            asked = tuple(words.words(prompt))
            self._injected[asked] = self._injected.get(asked, frozenset()).union(*(by_id.get(one, ()) for one in ids))


def stated(said: str) -> str:
    """Return what these words state beside what they ask: "I am in Bonn. What is the code?" gives "I am in Bonn.".

    Of a question that is what somebody tells of themselves in it: "We moved to Jena, which way is shorter?" gives "We moved to Jena.".
    """
    sentences = [one for one in _BETWEEN_SENTENCES.split(without_politeness(said.strip())) if one.strip()]
    if not any(map(_asks, sentences)):
        return said
    left = (_told_in(one) if _asks(one) else one for one in sentences)
    return " ".join(one for one in left if _telling(one))


def _told_in(question: str) -> str:
    """Return the clauses of a question in which somebody tells of themselves, "" without any."""
    clauses = [clause.strip(" ,;:，；") for clause in _CLAUSES.split(question.rstrip(" \"')*_?？")) if clause]
    told = [one for one in clauses if _TELLS.match(one) and len(_telling(one)) >= _NO_TRIFLE]
    return f"{', '.join(told)}." if told else ""


def _asks(sentence: str) -> bool:
    said = sentence.strip()
    return said.rstrip(" \"')*_").endswith(("?", "？")) or bool(_ASKS.match(said) or _ASKS_LAST.match(said))


def knows_nothing(question: str, answer: str) -> bool:
    """Say whether an answer only says that nothing is known of what was asked."""
    rest, denials = _KNOWS_NOTHING.subn(" ", answer)
    return bool(denials) and _telling(rest) <= _telling(question)


def is_quoted(known: Known, question: str, answer: str, block: str, *, at: datetime | None, path: str) -> bool:
    """Say whether all that an answer tells comes from ``block``, which its turn was given, or from what is known."""
    asked, told = _telling(question), _telling(answer)
    if not told:
        return False  # "Yes." is news
    negates = bool(_NEGATES.search(answer))
    given = known.injected(question) | frozenset(words.terms(block))
    if told - asked and told <= given | asked and (not negates or bool(_NEGATES.search(block))):
        return True
    return known.says(asked, told, negates=negates, at=at, path=path)


def _telling(said: str) -> frozenset[str]:
    return frozenset(words.terms(said)) - _idle()


@cache
def _idle() -> frozenset[str]:
    return words.asking() - frozenset(words.terms(_TOO_TELLING)) | frozenset(
        term for said in _CHATTER for term in words.terms(said)
    )


def _is_earlier(entry: _Said, at: datetime | None, path: str) -> bool:
    said = entry.order[0]
    return entry.path == path or said == _ALWAYS or (at is not None and said < at)
