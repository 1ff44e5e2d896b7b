"""Which of two statements says something newer of the same: "the rent is 890" … "since August we pay 940 for the flat".

Compared are a person's sentences. What they speak of is what they share of telling words, in the sentence or beside it; what is different
is a value of the same sort (a time, a day, an amount), or what was to be done and is. Precision comes first: a
wrong supersession hides a true memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.news import is_time
from hookclaw_py.speech.sentences import Sentence, sentences
from hookclaw_py.speech.values import Values, former_values, values_of

_CHANGES = regex(
    r"""(?xi) \b(?: now | new | again | (?:chang|mov|switch|replac|renam|rais|increas|reduc|lower|postpon|shift|cancel|upgrad|migrat|extend|retir|clos)(?:e?s|e?d|ing)
      | (?:pushed|bumped)\ (?:back|out|forward|(?:to|until|till|by)\ (?:the\ )?(?=\d|next\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))
      | no\ longer | no\ more | not\ any\ ?more | anymore | instead | gone | off | from\ (?:now|next|today|\d|(?:january|february|march|april|may|june|july|august|september|october|november|december)\b)
      | goes\ (?:up|down|from|to) | goes | extension | prolongation | decided | final | after\ all(?!\ (?:the|of|my|our|these|those)\b)
      | jetzt | nun | neu(?:e[nrsm]?)? | ab\ (?:heute|morgen|sofort|\w+tag|mitte|anfang|ende|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)
      | seit | nicht\ mehr | umgezogen | (?:ge)?(?:ändert|wechselt) | planänderung | verschoben | statt(?:dessen)? | ersetzt | abgesagt | ausgefallen | runter | rauf | hoch | doch
      | maintenant | désormais | nouve(?:au|l|lle)s? | chang(?:é|e) | reporté\w* | repoussé\w* | décal(?:é|e)\w* | avancé\w* | passe(?:nt)?\ (?:à|au|aux|en)\b | monte(?:nt)?\ (?:à|a)\b | baisse(?:nt)?\ (?:à|a)\b | finalement | déplacé\w* | annulé\w* | ne\ \w+\ plus | à\ partir\ d
      | ahora | nuev[oa]s? | cambi\w+ | pasa\ al? | pasó\ al? | (?:sube|baja|subió|bajó)\ al? | al\ final | ya\ no | aplazad\w+ | cancelad\w+ | a\ partir\ d
      | (?:is|was|['’]s|are|were)\ (?:wrong|incorrect|mistaken) | (?:ist|war|sind)\ (?:falsch|verkehrt) | (?:est|était|sont)\ (?:faux|fausses?) | s['’]est\ trompée? | (?:es|era|está)\ (?:incorrect[oa]|equivocad[oa]|mal) | se\ equivocó )\b
      | [改换搬涨降新]|现在|不再|取消|推迟"""
)
_DONE = regex(
    r"""(?xi) \b(?: done | did | (?:is|are|was|were)\ (?:out|in|through|booked|paid|sent|closed|migrated|ready|settled|there) | closed | booked | paid | sent | signed | tried | finished | arrived | came
      | put\ \w+(?:\ \w+)?\ in | wrote | ordered | asked | told | renewed | fixed | collected | rang | called | read | bought | said | installed | accepted
      | erledigt | gemacht | fertig | gebucht | bezahlt | geschickt | gekommen | da\ ist | unterschrieben | geschrieben | bestellt | angerufen | gefragt | abgeholt | verlängert | fait\w* | terminé\w* | hecho | terminad\w+ )\b | 完成|好了|已经"""
)
_OPEN = regex(
    r"""(?xi) \b(?: open | todo | to\ do | next | still | not\ yet | yet | must | has\ to | have\ to | needs?\ to | should | will | until | before | plan | tomorrow | later | starts | wants\ to | don['’]?t | doesn['’]?t
      | puts | does | offen | noch | muss | müssen | plan | morgen | später | bis | läuft\ .*\ ab | reste | encore | doit | falta | todavía | hay\ que | tiene\ que )\b | 还没|待|要"""
)
_LONG_NUMBER = regex(r"(?<![\w.,])\+?\d(?:[ /-]?\d){6,}(?![\w.,:]*\d)")
_ELIDED = regex(r"(?i)(?<!\w)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull|quell)['’](?=\w\w)")
"""What stands in French and Italian before a word and is no part of it: "l'opération"."""
_MOVES = regex(
    r"""(?xi) \b(?: back\ to | (?:moved?|moves|shifted|pushed|postponed|changed|brought\ forward|delayed)\ (?:(?:back|forward|out)\ )?(?:to|until) | (?:wieder|zurück)\ (?:um|auf) | (?:verschoben|verlegt|vorgezogen)\ auf
      | revenue?s?\ à | de\ nouveau\ à | (?:passe|reportée?s?|avancée?s?|décalée?s?)\ à | (?:vuelve|pasa|pasó)\ a )\ (?:the\ |den\ |las?\ )?(?=\S*\d)"""
)
"""That something has another time from now on: "the ferry is back to 9:30"."""
_ENDS = regex(
    r"""(?xi) \b(?: arriv\w+ | return\w* | clos\w+ | ends? | over | finish\w* | until | till | kommt | ankunft | endet | schließt | bis | aus | rentre\w* | ferme | finit | jusqu | llega | vuelve | cierra | termina | acaba | hasta )\b"""
)
"""That a time is one at which something ends or comes back: it may begin at another."""
_BACK = "back wieder zurück revenu nouveau vuelve pasa passe"
_EMPTY = "now new again still just also really thing way lot time today yesterday tomorrow next last week good fine long note later"

_SAID, _DONE_SAID, _MUCH, _SURE, _SURER = 0.5, 0.7, 1.0, 0.9, 1.2
"""What two statements must share of terms, each counted by its rarity: for who asks about them, and (the last two) by themselves."""
_THIRD, _HALF = 0.3, 0.5
"""And the same as a part of the terms of the one that says less."""
_KEPT = 0.6  # of what the older one holds of a topic
_FEW = 3  # telling terms: with fewer a sentence does not say by itself what it speaks of
_SEVERAL = 2  # values that are called former together
_TOGETHER = 3  # sentences
_JOINT = ". "


class Restating(StrEnum):
    """By what a statement takes the place of an earlier one, for people."""

    NAMES = "names what was"
    CHANGES = "another value, and says that it changed"
    OTHERWISE = "another value of the same"
    MOVES = "another time, and nothing else that it may be the time of"
    DONE = "it was to be done, and is"


class Statement(NamedTuple):
    """A sentence as it is compared: what it speaks of, what stands around it, its values by sort, and those it calls former.

    ``heard`` is what the answer to it says that it spoke of: "make it 2 hours" is of the target, where the answer is "The target is 2 hours now".
    """

    said: str
    terms: frozenset[str]
    around: frozenset[str]
    values: Values
    former: frozenset[frozenset[str]]
    changes: bool
    done: bool
    open: bool
    heard: frozenset[str] = frozenset()

    @property
    def subject(self) -> frozenset[str]:
        """What it speaks of, in the person's words and in those by which it was confirmed."""
        return self.terms | self.heard


@lru_cache(maxsize=4096)
def statement(said: str) -> Statement:
    """Read a sentence that stands by itself."""
    return _statement(said, "")


def _statement(said: str, around: str) -> Statement:
    """Read a sentence; ``around`` is what else was said with it: the rest of the message, and what was answered."""
    own = telling(said)
    return Statement(
        said,
        own,
        _telling(around) - own,
        values_of(said),
        former_values(said),
        bool(_CHANGES.search(said)),
        bool(_DONE.search(said)),
        bool(_OPEN.search(said)),
    )


def stated(every: Sequence[Sentence], answer: str) -> list[Statement]:
    """Return what the sentences of a message state; one that hardly says of what ("mondays 17:00 then") goes with the one before it."""
    groups: list[list[Sentence]] = []
    for one in every:
        if (
            groups
            and len(groups[-1]) < _TOGETHER
            and (_is_short(one.bare) or _is_short(" ".join(s.bare for s in groups[-1])))
        ):
            groups[-1].append(one)
        else:
            groups.append([one])
    found = []
    for number, group in enumerate(groups):
        if not all(one.asks for one in group):
            others = [one.said for at, other in enumerate(groups) if at != number for one in other]
            said = _JOINT.join(one.bare for one in group)
            read = _statement(said, " ".join([*others, answer]))
            found.append(read._replace(heard=_heard(read, answer, alone=len(groups) == 1)))
    return found


def _heard(said: Statement, answer: str, *, alone: bool) -> frozenset[str]:
    """Return the terms of the sentences of an answer that confirm a statement: those with a value of it, and the first, where nothing else was said."""
    values = {(sort, value) for sort, every in said.values.items() for value in every}
    found = set[str]()
    for number, one in enumerate(sentences(answer)[:_TOGETHER]):
        same = any((sort, value) in values for sort, every in values_of(one.bare).items() for value in every)
        if not one.asks and (same or (alone and number == 0)):
            found |= telling(one.bare)
    return frozenset(found) - said.terms


def _is_short(said: str) -> bool:
    return len(telling(said)) < _FEW


def may_restate(newer: Statement, older: Statement) -> bool:
    """Say whether a later statement could take the place of an earlier one, whatever both speak of: cheap, and mostly no."""
    if _names_list(newer, older):
        return True
    if newer.terms.isdisjoint(older.terms):
        return False
    return _names(newer, older) or _differs(newer.values, older.values) or _is_done(newer, older)


def restates(
    newer: Statement,
    older: Statement,
    rarity: Mapping[str, float],
    topic: frozenset[str] | None = None,
    *,
    answers: bool = False,
) -> Restating | None:
    """Say by what a later statement takes the place of an earlier one, None where it does not.

    ``rarity`` says of terms how rare they are, in [0, 1]; one that it does not know is as rare as can be. Whoever asks about a ``topic`` must be
    answered by the newer one nearly as well as by the older; where the turn of the newer one ``answers`` by itself, and one of its sentences
    holds all that the older one does of what is asked, if that is half of it, it need share nothing else. Without a topic both must share
    more, the newer one say that it changed, and a bare number is not enough: it may count anything.
    """

    def weight(terms: frozenset[str]) -> float:
        return sum(rarity.get(term, 1.0) for term in terms)

    shared = weight(newer.terms & older.terms)
    part = shared / (min(weight(newer.terms), weight(older.terms)) or 1.0)
    listed = _names_list(newer, older)
    if topic is None:
        if listed or (shared >= _SURE and _names(newer, older)):
            return Restating.NAMES
        changed = newer.changes and _differs(newer.values, older.values, but="number")
        if part >= _HALF and shared >= _SURER and changed and not _holds_more(older, newer):
            return Restating.CHANGES
        return Restating.DONE if part >= _HALF and shared >= _SURE and _is_done(newer, older) else None
    near = topic & (newer.terms | newer.around)
    if not near or (shared < _SAID and not listed):
        return None
    if _names(newer, older):
        return Restating.NAMES
    asked = topic & older.terms
    whole = answers and weight(asked) >= _HALF * weight(topic) and _in_one_sentence(asked, newer)
    if (part < _THIRD and not whole) or weight(near) < _KEPT * weight(topic & (older.terms | older.around)):
        return None
    if _differs(newer.values, older.values):
        if newer.changes or newer.done:
            return Restating.CHANGES
        return Restating.OTHERWISE if shared >= _MUCH and (part >= _HALF or whole) else None
    return Restating.DONE if shared >= _DONE_SAID and _is_done(newer, older) else None


def _names(newer: Statement, older: Statement) -> bool:
    """Say whether the later statement calls a value of the earlier one former, or a list of them."""
    known = frozenset().union(*older.values.values())
    return any(former <= known for former in newer.former)


def _names_list(newer: Statement, older: Statement) -> bool:
    """Say whether the later statement calls a list of values of the earlier one former, and any word of both says of what: "reminders"."""
    lists = frozenset(former for former in newer.former if len(former) >= _SEVERAL)
    return _names(newer._replace(former=lists), older) and not _words(newer.said).isdisjoint(_words(older.said))


def _words(said: str) -> frozenset[str]:
    """Return the terms of a sentence but for its times and numbers, those of a question too."""
    words = [word for word in text.words(_CHANGES.sub(" ", said)) if not is_time(word)]
    return frozenset(term for word in words for term in text.terms(word) if term.isalpha()) - _empty()


def _holds_more(older: Statement, newer: Statement) -> bool:
    """Say whether the earlier statement holds a long number, as telephones have, and the later one none: another day does not outdate that."""
    return bool(_LONG_NUMBER.search(older.said)) and not _LONG_NUMBER.search(newer.said)


def moves(newer: Statement, older: Statement) -> bool:
    """Say whether a statement says only that something has another time of day now, of which the earlier one hardly says more."""
    what = newer.terms - _back()
    same = what and what <= older.terms and len(older.terms) < _FEW
    clocks = newer.values.get("clock"), older.values.get("clock")
    moved = _MOVES.search(newer.said) and not _ENDS.search(older.said)
    return bool(same and moved and all(clocks) and clocks[0] != clocks[1])


def _in_one_sentence(terms: frozenset[str], told: Statement) -> bool:
    return any(terms <= telling(one) for one in told.said.split(_JOINT))


def _is_done(newer: Statement, older: Statement) -> bool:
    if not older.open or not newer.done:
        return False
    shared = newer.terms & older.terms
    parts = newer.said.split(_JOINT) if newer.open else [newer.said]
    return not newer.open or any(
        _DONE.search(one) and not _OPEN.search(one) and shared <= telling(one) for one in parts
    )


def _differs(newer: Values, older: Values, *, but: str = "") -> bool:
    """Say whether both hold a value of a sort, and none the same; ``but`` is a sort that does not count."""
    return any(values.isdisjoint(older[sort]) for sort, values in newer.items() if sort in older and sort != but)


@lru_cache(maxsize=4096)
def telling(said: str) -> frozenset[str]:
    """Return the terms of a sentence that tell what it speaks of: not its times and numbers, and not that something changed."""
    return _telling(said)


def _telling(said: str) -> frozenset[str]:
    plain = _ELIDED.sub("", _CHANGES.sub(" ", said))
    words = [word for word in text.words(plain) if not is_time(word)]
    found = {term for word in words for term in text.terms(word) if not term[:1].isdigit()}
    return frozenset(found) - text.asking() - _empty()


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return frozenset(text.terms(_EMPTY))


@lru_cache(maxsize=1)
def _back() -> frozenset[str]:
    return frozenset(text.terms(_BACK))
