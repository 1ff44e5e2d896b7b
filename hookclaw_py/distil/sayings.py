"""Facts as people say them in passing: "rent is 940", "oke's laptop is a thinkpad", "we moved standup to 9:30".

Beyond the strict grammar, for sentences of a person's only. Who says such a thing seldom begins with a capital, so here what is
said must be telling: a number, a name, a day; or who it is said of must be somebody's or something. What is kept are the
person's own words; subject, predicate and object say what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from hookclaw_py.distil.facts import Fact
from hookclaw_py.distil.sentences import Sentence, is_secret, sentences, tells_secret
from hookclaw_py.privacy.redaction import REDACTED
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
    is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|hasn['’]?t|uses|use|requires?|needs?|supports?|runs|lives|sits?|costs?|pays?|owns?|reviews?|starts
    |ends|expires?|closes|opens|moved|moves|goes|takes?|wants?|belongs?|works|comes?|holds|handles?|keeps?|listens?|speaks?|drives?|weighs?
    |studies|teaches|changed|switched|bought|signed|promised|died|joined|stays?|says|recommends?|rang|likes?|hates|loves|prefers|eats|drinks|knows|plays|studied|teaches|came|sends|reserved|refunded|fixed|arrives?|arrived|retires?|replaced|renamed|lies
    |covers?|heißt|heisst|ist|sind|war|hat|haben|hatte|verwendet|benutzt|nutzt|braucht|läuft|laufen|liegt|steht|stehen|kostet
    |zahlt|gehört|wohnt|arbeitet|kommt|öffnet|schließt|beginnt|endet|bleibt|geht|fährt|macht|bekommt|kriegt
"""
_VERB = re.compile(rf"(?<=\s)(?:{re.sub(chr(10) + ' *', '', _VERBS.strip())})(?=\s)", re.IGNORECASE)
_OF_HAVING = ("has", "uses", "needs", "requires", "hat", "verwendet", "braucht")
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
        | study | started | sold | changed | renamed | replaced | signed | rent | meet | did | ran | paid | had | got | lost | passed | haben | nutzen | verwenden | wohne | arbeite | habe | zahle | fahre | zahlen | fahren )
      | (?P<who2>i['’]?m|i\ am|we['’]?re|we\ are|ich\ bin|wir\ sind) \s+ (?P<verb2> allergic\ to | born | based\ in | from | called | married\ to | \d+\ years\ old | allergisch\ gegen | jahrgang ) )
      \s+ (?P<object> .{2,}) """
)
_WHEN = re.compile(
    r"(?i)(?:last|this|next) (?:year|week|month|time|winter|summer|spring|autumn)\s+|(?:yesterday|since then|back then)\s+"
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
        | asleep | sleeping | screaming | crying | calling | failing | working | waiting | coming | the\ (?:problem|point|question|same|worst|best) | enough | true | a\ mess | a\ pain )\b"""
)
_TIME = re.compile(
    r"""(?xi) \b(?: (?:mon|tues|wednes|thurs|fri|satur|sun)days? | january | february | march | april | june | july | august | september | october | november | december
      | (?:mon|diens|donners|frei|sams|sonn)tags? | mittwochs? | januar | februar | märz | mai | juni | juli | oktober | dezember | noon | midnight | mittags? | weekly | monthly | daily )\b"""
)
_TITLED = re.compile(r"(?i)\b(?:dr|prof|mrs?|sra?|frau|herr|dona|firma)\.? \w")
_LABEL = re.compile(r"(?P<label>[^\W\d_][\w'’-]*(?:,? [\w'’-]+){0,4}): +(?=\S)")
_NO_LABEL = re.compile(
    r"(?i)(?:\w*error|\w*exception|warning|fehler|plan|open|todo|next|question|frage|https?|new one|old|here|hier|id|who|created|status|code|file|line|at)\b"
)
_MEASURE = re.compile(
    r"(?i)(?P<subject>(?:(?:the|my|our|new|monthly|total) )?(?:budget|goal|target|deadline|limit|price|fee|port|version|room|ticket|dose|seed|rent|feed[- ]in))"
    r" (?P<object>(?:feed )?\S*\d\S*.*)"
)
_REFUSED = re.compile(r"(?i)(?P<subject>\S+(?: \S+){0,2}) (?:doesn['’]?t|does not) (?P<verb>\w+) (?P<object>\w.*)")
_VAGUE = frozenset(("work", "matter", "make", "look", "seem", "help", "know", "come", "mean", "count", "fit"))
_GENERAL = re.compile(r"(?i)^(?:a|an|people|some|many|most|any|every|each|ein|eine|viele|manche)\s")
_DOING = re.compile(r"(?i)(?:\w+ly |still |just )?\w{2,}ing\b")
_ORDERS = re.compile(
    r"(?i)(?:and |then |or )?(?:do|look|add|run|make|put|try|use|take|check|show|write|read|set|change|move|upload|send|turn|ask|tell|call|remove|delete|commit)\b"
)
_NOW_AROUND = re.compile(
    r"(?i)^(?:now|currently|jetzt|nun|inzwischen|mittlerweile)\s+|\s+(?:now|anymore|jetzt|inzwischen|mittlerweile)$"
)
_DENIED = re.compile(r"(?i)^(?:not|no|never|nicht|nie|kein(?:e[nrms]?)?)(?: longer| mehr)?\s+")
_LONGEST = 300  # characters of what is kept
_SUBJECT_WORDS = 7
_FRAGMENT = 12  # words: what has no verb and is longer is something else
_OFFERS = re.compile(
    r"(?i)\b(?:shall|should) (?:i|we)\b|\b(?:do you )?want (?:me )?to\b|\bmay i\b|\bcan i\b|\bwould you like\b|\bsoll(?:en)? (?:ich|wir)\b|\bdarf ich\b"
)
_PRONOUN = re.compile(
    r"(?i)(?:and |but |und |aber )?(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|that|that['’]s|er|sie|es|der|die|das)\b"
)
_OF_SOMEBODY = re.compile(
    r"""(?xi) (?P<who>he|she|they|it|its|er|sie|es)(?:['’]?s\b | \s+(?P<verb>is|are|was|has|lives?|works?|studies|starts|comes|likes?|needs?|wants?|ist|hat|wohnt|arbeitet|kommt|mag|braucht))
      \s+ (?P<object>.{2,})"""
)


class Saying(NamedTuple):
    """What a person said in passing; ``explicit``: they asked for it to be remembered."""

    fact: Fact
    said: str
    explicit: bool = False


def sayings(said: Sequence[Sentence], taken: Collection[int] = ()) -> list[Saying]:
    """Return what these sentences of a person's say of something, in order; those that are ``taken`` say it elsewhere.

    A sentence that goes on about the same ("he lives in braga", "known from 2024") stays with the one before it.
    """
    found: list[Saying] = []
    last = -2  # the sentence that the last saying ends with
    for number, sentence in enumerate(said):
        if number in taken:
            continue
        saying = saying_of(sentence)
        if found and last == number - 1 and _goes_on(sentence, saying) and _fits(found[-1], sentence):
            found[-1] = found[-1]._replace(said=f"{found[-1].said} {sentence.said}")
            last = number
        elif saying:
            found.append(saying)
            last = number
    return found


def answer_to(asked: str, said: Sequence[Sentence]) -> str:
    """Return the question that ended the last answer together with the person's answer to it, "" if they gave none."""
    questions = sentences(asked)
    if not questions or not said or not questions[-1].bare.endswith(("?", "？")) or _OFFERS.search(questions[-1].bare):
        return ""
    answer = said[0]
    if answer.asks or saying_of(answer) or not is_telling(answer.bare) or len(answer.bare.split()) > _FRAGMENT:
        return ""
    return f"{questions[-1].said} {answer.said}"


def _goes_on(sentence: Sentence, saying: Saying | None) -> bool:
    if sentence.asks or _ORDERS.match(sentence.bare):
        return False
    if _PRONOUN.match(sentence.bare):
        return is_telling(sentence.bare) or bool(saying)
    return (
        not saying
        and is_telling(sentence.bare)
        and not _VERB.search(f" {sentence.bare} ")
        and len(sentence.bare.split()) < _FRAGMENT
    )


def _fits(saying: Saying, sentence: Sentence) -> bool:
    return len(saying.said) + len(sentence.said) < _LONGEST


def saying_of(sentence: Sentence) -> Saying | None:
    """Return what a sentence says of something, None where it is not telling enough."""
    if sentence.asks or len(sentence.said) > _LONGEST or REDACTED in sentence.said or tells_secret(sentence.said):
        return None
    rest, explicit, correction = sentence.bare, False, False
    while lead_in := _LEAD_IN.match(rest):
        explicit, correction = explicit or bool(lead_in["explicit"]), correction or bool(lead_in["correction"])
        rest = rest[lead_in.end() :]
    fact = _labelled(rest) or _first_person(rest) or _in_clauses(rest, telling=explicit or correction)
    if not fact and correction:
        fact = _of_somebody(rest)
    if not fact and explicit and len(rest.split()) > 2:
        fact = Fact("", "", rest)
    if not fact:
        return None
    now = correction or bool(_NOW.search(rest))
    return Saying(fact._replace(correction=now, said=sentence.said), sentence.said, explicit)


def _first_person(rest: str) -> Fact | None:
    when = _WHEN.match(rest)
    match = _FIRST_PERSON.match(rest, when.end() if when else 0)
    if not match:
        return None
    who, verb, said = match["who"] or match["who2"], match["verb"] or match["verb2"], _until_comma(match["object"])
    denied = bool(_DENIAL.search(verb) or _DENIAL.match(said))
    if not match["verb2"] and not is_telling(match["object"]) and not denied:
        return None
    subject = "we" if who.casefold() in ("we", "wir", "we're", "we are", "wir sind") else "I"
    return Fact(subject, re.sub(r"^don['’]?t ", "", verb.casefold()), said, denied)


def _of_somebody(rest: str) -> Fact | None:
    """Read what sets right something that was said before: of whom stands there."""
    match = _OF_SOMEBODY.match(rest)
    if not match or _PASSING.match(match["object"]):
        return None
    verb = (match["verb"] or "is").casefold()
    return Fact(
        match["who"], _PREDICATES.get(verb, verb), _until_comma(match["object"]), bool(_DENIAL.match(match["object"]))
    )


def _labelled(rest: str) -> Fact | None:
    """Read "data availability: zenodo": what stands behind the colon by itself, or else as said of what stands before it."""
    label = _LABEL.match(rest)
    if not label or _NO_LABEL.match(rest):
        return None
    said = rest[label.end() :]
    if inner := _first_person(said) or _in_clauses(said, telling=False):
        return inner
    words = {*label["label"].casefold().split()}
    if (
        words & (_NO_SUBJECT | _NOT_FIRST)
        or _VERB.search(f" {label['label']} ")
        or not is_telling(said)
        or _ORDERS.match(said)
    ):
        return None
    return Fact(label["label"], "is", said)


def _in_clauses(rest: str, *, telling: bool) -> Fact | None:
    """Return what the first clause says that says something by itself, else the sentence with the help of all of them."""
    clauses = re.split(r",\s+", rest)
    tails = [", ".join(clauses[number:]) for number in range(len(clauses))]
    read = [_third_person(tail, telling=telling and not number) for number, tail in enumerate(tails)]
    whole = _third_person(rest, telling=True) if is_telling(rest) else None
    return next((fact for fact in read if fact), whole)


def _third_person(rest: str, *, telling: bool) -> Fact | None:
    if measure := _MEASURE.match(rest):
        return Fact(measure["subject"], "is", _until_comma(measure["object"]))
    if refused := _REFUSED.match(rest):
        telling = _may_be_subject(refused["subject"]) and refused["verb"] not in _VAGUE
        return (
            Fact(refused["subject"], refused["verb"], _until_comma(refused["object"]), denied=True) if telling else None
        )
    verb = _VERB.search(rest)
    if not verb:
        return None
    subject, said = rest[: verb.start()].strip(), rest[verb.end() :].strip()
    if not _may_be_subject(subject) or len(said) < 2 or _GENERAL.match(f"{subject} ") or _is_passing(said):
        return None
    if is_secret(subject) or (verb[0] in ("is", "are") and _DOING.match(said) and not _NOW.search(said)):
        return None
    word = verb[0].lower().replace("’", "'")
    denied = bool(_DENIAL.search(word) or _DENIAL.match(said))
    past = word in ("was", "were", "had", "war", "hatte")
    first = _until_comma(said)
    owned = is_telling(subject) or bool(_OWNED.match(subject)) or (denied and word in _OF_HAVING)
    enough = telling or is_telling(first) or (not past and owned)
    if not enough:
        return None
    told = _DENIED.sub("", _NOW_AROUND.sub("", first))
    return Fact(_NOW.sub("", subject).strip(), _PREDICATES.get(word, word), told, denied)


def _is_passing(said: str) -> bool:
    return bool(_PASSING.match(said)) and not is_telling(_until_comma(said))


def _may_be_subject(subject: str) -> bool:
    words = re.sub(r"\([^)]*\)", "", subject).casefold().replace("’", "'").split()
    if not 0 < len(words) <= _SUBJECT_WORDS or words[0] in _NOT_FIRST:
        return False
    return not _NO_SUBJECT & set(words) and all(re.fullmatch(_SUBJECT_WORD, word) for word in words)


def may_be_told(fact: Fact) -> bool:
    """Say whether what an answer says of something is worth keeping: something telling, and no passing state."""
    passing = _PASSING.match(fact.object) or _GENERAL.match(f"{fact.subject} ") or is_secret(fact.subject)
    return is_telling(fact.object) and not passing


def is_telling(said: str) -> bool:
    """Say whether words name something: a number, a day, a name with a capital inside, an identifier."""
    if REDACTED in said:
        return False
    if any(c.isdigit() for c in said) or _TIME.search(said) or _TITLED.search(said):
        return True
    return any(is_identifier(word.strip(".,;:()'\"")) or word[:1].isupper() for word in said.split())


def _until_comma(said: str) -> str:
    return re.split(r",(?=\s|$)|\s+(?:because|since we|weil|but|aber|and|und|so)\s", said, maxsplit=1)[0].strip()
