"""Facts as people say them in passing: "rent is 940", "oke's laptop is a thinkpad", "we moved standup to 9:30".

Beyond the strict grammar, for sentences of a person's only. Who says such a thing seldom begins with a capital, so here what is
said must be telling: a number, a name, a day; or who it is said of must be somebody's or something. What is kept are the
person's own words; subject, predicate and object say what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hookclaw_py.distil.facts import Fact
from hookclaw_py.distil.sentences import Sentence
from hookclaw_py.text import is_identifier

_LEAD_IN = re.compile(
    r"""(?xi) (?: (?: ok(?:ay)? | so | now | well | also | and | und | but | aber | btw | by\ the\ way | fyi | ah | oh | hm+ | right | yes | yeah | ja | good | anyway
      | next | thx | thanks | danke | übrigens | just | (?P<explicit>(?:for\ (?:your|my|the)\ (?:notes|record|memory)|note(?:\ that|\ to\ self|\ for\ later)?|remember(?:\ that)?
          |merk\ dir|zur\ info|notier(?:e)?(?:\ dir)?|für\ deine\ notizen|mind\ you|keep\ in\ mind(?:\ that)?)\b[:,]?)
      | (?P<correction>(?:no+|nono|nope|nein|nee|actually|wrong|falsch|correction|korrektur|read\ again|sorry)\b
        (?=\s*[,.:!–-] | \s+(?:the|his|her|its?|it['’]s|that|we|they|he|she|you|this|there|my|our|no+|der|die|das|es|wir|er|sie|production|prod)\b)) ) (?:\s*[,.:!–-]+\s*|\s+) )"""
)
_SUBJECT_WORD = r"[^\W_][\w.\-/+#&'’]*"
_VERBS = r"""
    is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|hasn['’]?t|uses|use|requires?|needs?|supports?|runs|lives?|sits?|costs?|pays?|owns?|reviews?|starts
    |ends|expires?|closes|opens|moved|moves|goes|takes?|wants?|belongs?|works|comes?|holds|handles?|keeps?|listens?|speaks?|drives?|weighs?
    |studies|teaches|changed|switched|bought|signed|promised|died|joined|stays?|says|recommends?|rang|reserved|refunded|fixed|arrives?|arrived|retires?|replaced|renamed|lies
    |covers?|heißt|heisst|ist|sind|war|hat|haben|hatte|verwendet|benutzt|nutzt|braucht|läuft|laufen|liegt|steht|stehen|kostet
    |zahlt|gehört|wohnt|arbeitet|kommt|öffnet|schließt|beginnt|endet|bleibt|geht|fährt|macht|bekommt|kriegt
"""
_VERB = re.compile(rf"(?<=\s)(?:{re.sub(chr(10) + ' *', '', _VERBS.strip())})(?=\s)", re.IGNORECASE)
_PREDICATES = {
    "are": "is", "was": "is", "were": "is", "sind": "ist", "war": "ist", "isn't": "is", "isnt": "is", "aren't": "is", "have": "has", "had": "has",
    "haben": "hat", "hatte": "hat", "benutzt": "verwendet", "nutzt": "verwendet", "use": "uses",
}  # fmt: skip
_NEVER_IN_SUBJECT = """
    i you he she it we they me us him them this that these those there here what which who whom how why when where if whether because although unless while
    not never no to let lets can could would should will shall may might must do does did don't dont doesn't didn't please think guess hope know see look
    check show tell ask make give try run use add write put get find open fix start stop maybe perhaps someone something anything nothing everything
    everyone everybody nobody all both either neither one thing things
    ich du er es wir ihr mich dich uns euch man was wer wie wo warum wann wenn falls weil ob dass nicht nie kein keine bitte kannst schau zeig mach sag
    vielleicht jemand etwas alles nichts dies dieser diese dieses so as than then again still yes just only even too very it's that's there's what's i'm
    i've i'll i'd we're we've we'll you're you've he's she's they're its
""".split()  # noqa: SIM905
_NO_SUBJECT = frozenset(_NEVER_IN_SUBJECT)
_NOT_FIRST = frozenset(
    """of in on at from with for by about into over under after before until since during and or but sure great nice good cool perfect thanks
    thank sorry hi hello hey morning evening von mit bei für aus nach vor seit über unter oder und aber""".split()  # noqa: SIM905
)
_OWNED = re.compile(
    r"(?i)(?:the|our|my|his|her|their|der|die|das|unser\w*|mein\w*|sein\w*|ihre?)\s|\S+['’]s\s|\S+s['’]\s"
)
_FIRST_PERSON = re.compile(
    r"""(?xi) (?: (?P<who>we|i|wir|ich) \s+ (?P<verb> have | don['’]?t\ have | use | don['’]?t\ use | run | live | work | deploy | moved | switched | bought | own | pay | host | keep
        | study | started | sold | changed | renamed | replaced | signed | rent | meet | haben | nutzen | verwenden | wohne | arbeite | habe | zahle | fahre | zahlen | fahren )
      | (?P<who2>i['’]?m|i\ am|we['’]?re|we\ are|ich\ bin|wir\ sind) \s+ (?P<verb2> allergic\ to | born | based\ in | from | called | married\ to | \d+\ years\ old | allergisch\ gegen | jahrgang ) )
      \s+ (?P<object> .{2,}) """
)
_NOW = re.compile(
    r"(?i)\b(?:now|currently|from now|as of|since (?:then|today|monday|yesterday)|no longer|not anymore|anymore|jetzt|nun|inzwischen|seit|mittlerweile|nicht mehr)\b|,? not \S+$"
)
_DENIAL = re.compile(r"(?i)\b(?:not?|never|n['’]?t|dont|isnt|arent|nicht|nie|kein(?:e[nrms]?)?)\b|n['’]t\b")
_PASSING = re.compile(
    r"""(?xi) (?:(?:still|really|so|very|a\ bit|again|quite|too|all|just|also|now|totally|noch|ganz|sehr|wieder|auch)\ )*
      (?: fine | ok(?:ay)? | good | bad | red | green | broken | down | up | slow | fast | back | done | ready | gone | weird | nice | funny | cold | hot | here | there | tired
        | great | perfect | right | wrong | true | sure | clear | empty | full | dead | stuck | running | missing | annoying | ugly | dumb | normal | jelly | grumpy | sick | late | early
        | on | off | away | out | over | home | happy | sad | gut | schlecht | kaputt | fertig | weg | da | zurück | müde | kalt | warm | richtig | falsch | toll | super | klar | leer | voll
        | asleep | sleeping | screaming | crying | calling | failing | working | waiting | coming | the\ (?:problem|point|question|same|worst|best) | enough | true )\b"""
)
_TIME = re.compile(
    r"""(?xi) \b(?: (?:mon|tues|wednes|thurs|fri|satur|sun)days? | january | february | march | april | june | july | august | september | october | november | december
      | (?:mon|diens|donners|frei|sams|sonn)tags? | mittwochs? | januar | februar | märz | mai | juni | juli | oktober | dezember | noon | midnight | mittags? | weekly | monthly | daily )\b"""
)
_GENERAL = re.compile(r"(?i)^(?:a|an|people|some|many|most|any|every|each|ein|eine|viele|manche)\s")
_DOING = re.compile(r"(?i)(?:\w+ly |still |just )?\w{2,}ing\b")
_SECRET = re.compile(
    r"(?i)\b(?:pass(?:word|wort|phrase|code)|kennwort|pin|pin[- ]code|secret|token|api[- ]?key|credentials?|login|logins|[\w ]+ code)\b"
)
_LONGEST = 300  # characters of what is kept
_SUBJECT_WORDS = 7


class Saying(NamedTuple):
    """What a person said in passing; ``explicit``: they asked for it to be remembered."""

    fact: Fact
    said: str
    explicit: bool = False


def sayings(said: Sequence[Sentence]) -> list[Saying]:
    """Return what these sentences of a person's say of something, in order; one each at most."""
    return [saying for sentence in said if (saying := saying_of(sentence))]


def saying_of(sentence: Sentence) -> Saying | None:
    """Return what a sentence says of something, None where it is not telling enough."""
    if sentence.asks or len(sentence.said) > _LONGEST:
        return None
    rest, explicit, correction = sentence.bare, False, False
    while lead_in := _LEAD_IN.match(rest):
        explicit, correction = explicit or bool(lead_in["explicit"]), correction or bool(lead_in["correction"])
        rest = rest[lead_in.end() :]
    fact = _first_person(rest) or _third_person(rest, telling=explicit or correction)
    if not fact and explicit and len(rest.split()) > 2:
        fact = Fact("", "", rest)
    if not fact:
        return None
    now = correction or bool(_NOW.search(rest))
    return Saying(fact._replace(correction=now, said=sentence.said), sentence.said, explicit)


def _first_person(rest: str) -> Fact | None:
    match = _FIRST_PERSON.match(rest)
    if not match:
        return None
    who, verb, said = match["who"] or match["who2"], match["verb"] or match["verb2"], _until_comma(match["object"])
    denied = bool(_DENIAL.search(verb) or _DENIAL.match(said))
    if not match["verb2"] and not is_telling(match["object"]) and not denied:
        return None
    subject = "we" if who.casefold() in ("we", "wir", "we're", "we are", "wir sind") else "I"
    return Fact(subject, re.sub(r"^don['’]?t ", "", verb.casefold()), said, denied)


def _third_person(rest: str, *, telling: bool) -> Fact | None:
    verb = _VERB.search(rest)
    if not verb:
        return None
    subject, said = rest[: verb.start()].strip(), rest[verb.end() :].strip()
    if not _may_be_subject(subject) or len(said) < 2 or _GENERAL.match(subject) or _PASSING.match(said):
        return None
    if _SECRET.fullmatch(subject) or (verb[0] in ("is", "are") and _DOING.match(said) and not _NOW.search(said)):
        return None
    word = verb[0].casefold().replace("’", "'")
    denied = bool(_DENIAL.search(word) or _DENIAL.match(said))
    past = word in ("was", "were", "had", "war", "hatte")
    enough = is_telling(said) if past else telling or is_telling(said) or bool(_OWNED.match(subject + " "))
    if not enough:
        return None
    return Fact(_NOW.sub("", subject).strip(), _PREDICATES.get(word, word), _until_comma(said), denied)


def _may_be_subject(subject: str) -> bool:
    words = re.sub(r"\([^)]*\)", "", subject).casefold().replace("’", "'").split()
    if not 0 < len(words) <= _SUBJECT_WORDS or words[0] in _NOT_FIRST:
        return False
    return not _NO_SUBJECT & set(words) and all(re.fullmatch(_SUBJECT_WORD, word) for word in words)


def is_telling(said: str) -> bool:
    """Say whether words name something: a number, a day, a name with a capital inside, an identifier."""
    if any(c.isdigit() for c in said) or _TIME.search(said):
        return True
    return any(is_identifier(word.strip(".,;:()'\"")) or word[:1].isupper() for word in said.split())


def _until_comma(said: str) -> str:
    return re.split(r",(?=\s|$)|\s+(?:because|since we|weil|but|aber|and|und|so)\s", said, maxsplit=1)[0].strip()
