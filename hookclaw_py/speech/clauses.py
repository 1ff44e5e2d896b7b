"""The clauses of a sentence that stand by themselves, and what stays of it where only one of them is to go: "Tom eats no pork and Lina is vegetarian".

One begins where a subject of its own has a verb. All else goes with the clause before it: "a red kayak, the secret one", "…, and she likes it". What is not
read so is one clause with what stands around it: rather too much goes than that what is to go stays.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.speech.restating import telling

_BREAK = regex(
    r"(?i)(?:(?<!\s)\s+)?[,;:–—]\s+(?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma)\s+)?|(?<!\s)\s+(?:-|and|but|und|aber|et|mais|y|pero|e|ma)\s+"
)
_VERB = r"""(?: (?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|should|might)(?:n['’]?t)? | can['’]?t | won['’]?t
  | eats? | likes? | loves? | hates? | lives? | needs? | wants? | takes? | comes? | goes | gets? | plays | brings? | leaves | starts | begins | ends | closes | opens | pays | knows | wears | drives? | stays? | moved | moves | came | went | got | took | bought | said | told | meet | meets | live | work | works
  | ist | sind | war | waren | hat | haben | hatte\w* | habe | wird | werden | kann | können | muss | müssen | mag | mögen | will | wollen | soll\w* | darf | dürfen | isst | essen | trinkt | kommt | kommen | geht | gehen | wohnt | wohnen | braucht | bringt | fährt | spielt | nimmt | nehmen | macht | machen | bleibt | beginnt | schließt | öffnet | heißt | arbeitet | treffen
  | est | sont | était | ont | a | peut | doit | veut | aime | adore | déteste | mange | boit | habite | travaille | joue | vient | va | part | prend | paie | es | son | está | están | era | tiene | puede | debe | come | bebe | vive | viene | quiere | trabaja
  | è | era | ha | hanno | può | deve | vuole | mangia | beve | ama | odia | abita | lavora | gioca | va | prende | paga | preferisce )"""
_NO_SUBJECT = r"""(?: he | she | it | its | it['’]s | they | them | this | that | these | those | there | here | his | her | their | who | which | what | where | when | why | how | if | because | since | as | while | although | unless | until | before | after | than | so | then | not | no | to | of | in | on | at | for | from | with | without | by | about | also | too | the\ (?:one|ones|same|other|others)
  | er | sie | es | das | dies\w* | der | den | dem | dessen | deren | sein\w* | ihr\w* | wo | was | wer | wie | wenn | weil | dass | ob | da | denn | damit | falls | als | auch | dann | nicht | kein\w* | am | im | um | in | an | auf | bei | mit | von | vom | zu | zum | zur | für | aus | nach | vor | ohne
  | il | elle | ils | elles | ce | c | ça | qui | que | qu | où | quand | si | parce | comme | dont | lui | avec | pour | dans | sans | de | du | él | ella | ellos | eso | esto | quien | cuando | donde | porque | con | para | sin | en
  | lui | lei | loro | questo | quello | che | chi | dove | quando | se | perché | come | per | da | di | del | della | nel | non | anche | poi )(?![\w])"""
_OWNER = r"(?:(?:the|my|our|die|der|das|mein\w*|unser\w*|le|la|les|mon|ma|mes|notre|el|los|las|mi|nuestr\w+|il|lo|i|gli|mio|mia|nostr[oa])\ )"
_MORE = rf"\ (?:(?:of|for|in|at|from|von|vom|im|am|de|du|del)\ {_OWNER}?)?(?!{_NO_SUBJECT}|(?:i|we|you|ich|wir|du|ihr|je|tu|nous|yo)\b)[^\W\d_][\w'’-]*"
_BEING = r"(?:is|are|was|were|ist|sind|war|waren|est|sont|était|es|son|era|è)(?:n['’]?t)?"
_BEGINS = regex(
    rf"""(?xi) ^(?: (?P<self>(?:i|we|ich|wir|nous|on|je|yo|nosotros)(?:['’](?:m|re|ve|ll|d)\b|\ ) | j['’]) | (?:{_OWNER}|(?!{_NO_SUBJECT}))(?!{_NO_SUBJECT})(?P<name>(?-i:[A-ZÄÖÜ])[\w'’.-]+\ (?-i:[A-ZÄÖÜ])[\w'’.-]+|[^\W\d_][\w'’.-]*)
      (?: \ (?:(?:also|auch|ne|no|non|ya)\ |n['’])?{_VERB} | (?:{_MORE}){{1,4}}\ {_BEING} )(?!\w) )"""
)
"""A clause that begins with ourselves, or with a name or thing and its verb; where more words name it only what it is: "the kayak Tom bought" is no clause."""
_HAS_VERB = regex(rf"(?xi) (?:^|[\ '’]){_VERB}(?!\w) | ^(?:i|we|ich|wir)[\ '’]")
_REFERS = regex(
    r"""(?xi) \b(?: it | its | he | him | his | she | her | hers | they | them | their | this | that | these | those | there | one | so | er | ihn | ihm | sie | ihr\w* | sein\w* | es | dies\w* | da\w{1,3} | dort | ça | cela | lui | lei | loro | elle | elles | ils | il | eux | leur | y | en | eso | esto | él | ella | lo | le )\b"""
)
THAT_ONE = rf"""(?: (?:das|den)(?= \W*$ | \ ?[.,;:!?)] | \ {_VERB}(?!\w) | \ [\w-]+\ (?:ich|wir|du|ihr|man|er|sie|es)\b
      | \ (?:nicht|nie|so|auch|noch|schon|immer|jetzt|dann|mal|bitte|nur|hier|heute|morgen|alles|aber|doch|ja|halt|ab|in|im|am|bei|mit|vor|von|für|zu|zum|zur|ich|wir|du|man|er|sie|es)\b )
      | (?<!\bso\ )that(?!\ (?:we|i|you|he|she|they|it|the|an?|all|everybody|everyone|no|nobody|our|my|your)\b) )"""
"""What stands for something in German and English and is neither article nor conjunction: "das machen wir", "den nehme ich", and not "das Zimmer", "decided that we"."""
_DEFINITE = regex(r"(?i)(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli)\ |l['’]")
"""What a clause begins with that may be a part of what was just named: "the operation is in May"."""
_NOBODY = regex(rf"(?xi) (?:(?:and|but|so|und|aber|et|mais|y|pero|e|ma)\ )?{_VERB}(?!\w)")
"""A clause with a verb and without a subject."""
_STATES = regex(rf"(?xi) ^(?:i|we|he|she|they|ich|wir|er|sie)\  | (?:^|\ )(?:being|having|{_VERB})(?:\ |$)")
"""Words that say something of somebody, and do not only name it."""
_END = regex(r"[.!?;…。！？]*$")


def has_verb(said: str) -> bool:
    """Say whether words have a verb that people use much, or begin with ourselves: "Tom likes tea", "I paid"."""
    return _HAS_VERB.search(said) is not None


def refers(said: str) -> bool:
    """Say whether words speak of somebody or something that was named before: "she is ill", "tiene una hernia"."""
    return (_REFERS.search(said) or _NOBODY.match(said)) is not None


class Cut(NamedTuple):
    """A sentence in what goes and what stays of it, "" where nothing does."""

    gone: str
    left: str


def parted(said: str, words: str, *, terms: Callable[[str], frozenset[str]] = telling) -> Cut | None:
    """Part a sentence that holds all ``terms`` of some words: the clauses that do go, the others stay; None where it does not hold them.

    Where no clause alone holds them all, those that do together go. Where the words only name something, whatever may still speak of it goes too.
    """
    wanted = terms(words)
    if not wanted <= terms(said):
        return None
    end = _END.search(said)
    mark = end[0] if end else ""
    clauses = _clauses(said.removesuffix(mark))
    gone = _holding(wanted, [terms(clause) for _, clause in clauses])
    gone |= {number for number in range(len(clauses)) if _goes_along(number, clauses, gone, words)}
    left = _joined(clauses, [number for number in range(len(clauses)) if number not in gone])
    return Cut(_joined(clauses, sorted(gone)), f"{left}{mark}" if left else "")


def _clauses(said: str) -> list[tuple[str, str]]:
    """Return the clauses, each with what parts it from the one before it."""
    clauses, begin, pending = list[tuple[str, str]](), 0, ""
    for found in _BREAK.finditer(said):
        if _BEGINS.match(said[found.end() :]) and (clauses or has_verb(said[: found.start()])):
            clauses.append((pending, said[begin : found.start()]))
            pending, begin = found[0], found.end()
    return [*clauses, (pending, said[begin:])]


def _holding(wanted: frozenset[str], clauses: Sequence[frozenset[str]]) -> set[int]:
    """Return which clauses hold what is wanted: each that does alone, or else those from one to another that do, as few as can be."""
    last, runs = dict[str, int](), list[range]()
    for number, terms in enumerate(clauses):
        last |= dict.fromkeys(terms & wanted, number)
        if last.keys() == wanted:
            runs.append(range(min(last.values(), default=number), number + 1))
    shortest = min(map(len, runs), default=len(clauses))
    return {number for run in runs if len(run) == shortest for number in run} or set(range(len(clauses)))


def _goes_along(number: int, clauses: Sequence[tuple[str, str]], gone: Collection[int], words: str) -> bool:
    """Say whether a clause may only be understood with what goes, or speak of the same."""
    clause, is_after = clauses[number][1], number > min(gone)
    if is_after and _REFERS.search(clause):
        return True
    if _STATES.search(words):
        return False
    begins = _BEGINS.match(clause)
    is_of_us = bool(begins and begins["self"])
    if is_after and _DEFINITE.match(clause):
        return True
    shares = any(not telling(clause).isdisjoint(telling(clauses[one][1])) for one in gone)
    return shares or (is_after and is_of_us)


def _joined(clauses: Sequence[tuple[str, str]], numbers: Sequence[int]) -> str:
    first, *others = numbers or [0]
    return clauses[first][1] + "".join("".join(clauses[one]) for one in others) if numbers else ""
