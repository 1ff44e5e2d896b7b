"""What a sentence of everyday speech says of something: beyond the strict grammar, and only where it is telling.

Whoever says such a thing seldom begins with a capital. So what is said must name something (``weight``), or what it is said of must
be somebody's.
"""

from __future__ import annotations

import re

from hookclaw_py.distil.facts import Fact
from hookclaw_py.distil.romance import romance
from hookclaw_py.distil.weight import DAY, first_clause, is_general, is_order, is_passing, is_telling
from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import is_secret

_SUBJECT_WORD = r"[^\W_][\w.\-/+#&'’]*"
_VERBS = r"""
    is|are|was|were|isn['’]?t|aren['’]?t|has|have|had|hasn['’]?t|uses|use|requires?|needs?|supports?|runs|lives|sits?|costs?|pays?|owns?|reviews?|starts
    |ends|expires?|closes|opens|moved|moves|goes|takes?|wants?|belongs?|works|comes?|holds|handles?|keeps?|listens?|speaks?|drives?|weighs?
    |studies|teaches|changed|switched|bought|signed|promised|died|joined|stays?|says|recommends?|rang|likes?|hates|loves|prefers|eats|drinks|knows|plays|studied|teaches|came|sends|reserved|refunded|fixed|arrives?|arrived|retires?|replaced|renamed|lies
    |covers?|sells|sold|visits|visited|manages|leads|led|wrote|writes|maintains|built|hosts|serves|returns|returned|graduates|graduated|married|met|meets|turns|turned|measures
    |hired|quit|resigned|cancelled|canceled|confirmed|booked|delivers|delivered|ships|shipped|broke|fails|failed|grew|dropped|rose|increased|decreased|expects|offers|offered|includes
    |included|contains|allows|allowed|blocks|gets|got|gives|gave|sent|picked|chose|landed|merged|upgraded|migrated|installed|lost|found|won|scored|finished|released|launched
    |extended|renewed|approved|rejected|refused|shares|borrowed|lent|owes|owed|spends|paid|charged|saved|wears|wore|drove|flies|flew|travels|leaves|stayed|becomes|became|took
    |heißt|heisst|ist|sind|war|hat|haben|hatte|verwendet|benutzt|nutzt|braucht|läuft|laufen|liegt|steht|stehen|kostet
    |zahlt|gehört|wohnt|arbeitet|kommt|öffnet|schließt|beginnt|endet|bleibt|geht|fährt|macht|bekommt|kriegt|beträgt|betragen|dauert|dauern|gilt|gelten
"""
_VERB = regex(rf"(?<=\s)(?:{re.sub(chr(10) + ' *', '', _VERBS.strip())})(?=\s)", re.IGNORECASE)
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
    """of in on at from with for by about into over under after before until since during and or but back sure great nice good cool perfect thanks
    thank sorry hi hello hey morning evening von mit bei für aus nach vor seit über unter oder und aber""".split()  # noqa: SIM905
)
_OWNED = regex(r"(?i)(?:the|our|my|his|her|their|der|die|das|unser\w*|mein\w*|sein\w*|ihre?)\s|\S+['’]s\s|\S+s['’]\s")
_FIRST_PERSON = regex(
    r"""(?xi) (?: (?P<who>we|i|wir|ich) \s+ (?P<verb> have | don['’]?t\ have | use | don['’]?t\ use | run | live | work | deploy | moved | switched | bought | own | pay | host | keep
        | study | started | sold | changed | renamed | replaced | signed | rent | meet | did | ran | paid | had | got | lost | passed | weigh | weighed | wear | take | took | sleep | drink | eat | drive | quit | joined | finished | booked | haben | nutzen | verwenden | wohne | arbeite | habe | zahle | fahre | zahlen | fahren )
      | (?P<who2>i['’]?m|i\ am|we['’]?re|we\ are|ich\ bin|wir\ sind) \s+ (?P<verb2> allergic\ to | born | based\ in | from | called | married\ to | \d+\ years\ old | allergisch\ gegen | jahrgang | (?:lactose\ )?intolerant\ to ) )
      \s+ (?P<object> .{2,}) """
)
_WHEN = regex(
    r"(?i)(?:last|this|next) (?:year|week|month|time|winter|summer|spring|autumn)\s+|(?:yesterday|since then|back then)\s+"
)
_NOW = regex(
    r"(?i)\b(?:now|currently|from (?:now|today|tomorrow|next (?:week|month))|as of|since (?:then|today|monday|yesterday)|back to (?=\S*\d)|ab (?:heute|sofort|morgen)|wieder (?:um|auf|bei) (?=\S*\d)|maintenant|désormais|finalement|ahora|al final|no longer|not anymore|anymore|jetzt|nun|inzwischen|seit|mittlerweile|nicht mehr)\b|, not \S+$"
)
_DENIAL = regex(r"(?i)\b(?:not?|never|n['’]?t|dont|isnt|arent|nicht|nie|kein(?:e[nrms]?)?)\b|n['’]t\b")
_CHANGED = regex(
    r"(?i)(?:we|i|they|he|she|\w+)(?: have| has|['’]ve)? (?:moved|changed|switched|renamed|raised|lowered|upgraded|migrated|increased|reduced|postponed|shifted|set) "
    r"(?P<subject>(?:\S+ ){1,5}?)(?:from \S+ )?to (?P<object>.{2,})"
)
_LABEL = regex(r"(?P<label>[^\W\d_][\w'’-]*(?:,? [\w'’-]+){0,5}) ?: +(?=\S)")
_NO_LABEL = regex(
    r"(?i)(?:\w*error|\w*exception|warning|fehler|plan|open|todo|next|question|frage|https?|new one|old|here|hier|id|who|created|status|code|file|line|at"
    r"|exemple|attention|probl[èe]me|remarque|mon avis|il est|ejemplo|aviso|problema)\b"
)
_MEASURE = regex(
    r"(?i)(?P<subject>(?:(?:the|my|our|new|monthly|total) )?(?:budget|goal|target|deadline|limit|price|fee|port|version|room|ticket|dose|seed|rent|feed[- ]in))"
    r" (?P<object>(?:feed )?\S*\d\S*.*)"
)
_REFUSED = regex(r"(?i)(?P<subject>\S+(?: \S+){0,2}) (?:doesn['’]?t|does not) (?P<verb>\w+) (?P<object>\w.*)")
_VAGUE = frozenset(("work", "matter", "make", "look", "seem", "help", "know", "come", "mean", "count", "fit"))
_DOING = regex(r"(?i)(?:\w+ly |still |just )?\w{2,}ing\b")
_NOW_AROUND = regex(
    r"(?i)^(?:now|currently|jetzt|nun|inzwischen|mittlerweile)\s+|\s+(?:now|anymore|jetzt|inzwischen|mittlerweile)$"
)
_DENIED = regex(r"(?i)^(?:not|no|never|nicht|nie|kein(?:e[nrms]?)?)(?: longer| mehr)?\s+")
_BEFORE_DAY = regex(
    r"(?i)[\s,]+(?:(?:on|at|by|until|from|am|ab|bis|um|the|next|this|nächsten|(?-i:le|au|du|de|à|jusqu['’]au|avant|dès|partir|el|al|del|antes)|\d{1,2}\.?)[\s,]*)+$"
)
_SUBJECT_WORDS = 7
_APPOINTMENT_WORDS = 10
_SHORTEST = 3  # characters of what has a day
_SAYS_OF_SELF = regex(
    r"^(?P<who>[A-ZÄÖÜÉÁ][\w'’-]+(?: [A-ZÄÖÜÉÁ][\w'’-]+)?) (?:says|said|sagte?|meinte?|told (?:me|us))(?: that)?,? (?:dass )?(?:he|she|they|er|sie)(?:(?P<is>['’]s)\b|(?= ))"
)
"""Who says of themselves what follows: "Nils says he is at home on fridays" is of Nils."""
_OF_SOMEBODY = regex(
    r"""(?xi) (?P<who>he|she|they|it|its|er|sie|es)(?:['’]?s\b | \s+(?P<verb>is|are|was|has|lives?|works?|studies|starts|comes|likes?|needs?|wants?|ist|hat|wohnt|arbeitet|kommt|mag|braucht))
      \s+ (?P<object>.{2,})"""
)


def statement(rest: str, *, wanted: bool, correction: bool) -> Fact | None:
    """Return what a sentence without its lead-ins says, None where it is not telling enough.

    ``wanted``: the person asked for it to be remembered; then it is, whatever it says.
    """
    rest = _SAYS_OF_SELF.sub(_of_whom, rest)
    fact = (
        _changed(rest)
        or _labelled(rest)
        or _first_person(rest)
        or _in_clauses(rest, telling=wanted or correction)
        or romance(rest, wanted=wanted)
        or _appointment(rest)
    )
    if not fact and correction:
        fact = _of_somebody(rest)
    if not fact and wanted and len(rest.split()) > 2:
        fact = Fact("", "", rest)
    now = correction or bool(_NOW.search(rest))
    return fact._replace(correction=fact.correction or now) if fact else None


def _of_whom(says: re.Match[str]) -> str:
    return f"{says['who']} is" if says["is"] else says["who"]


def has_verb(said: str) -> bool:
    """Say whether one of the verbs stands in it that this grammar reads."""
    return bool(_VERB.search(f" {said} "))


def _first_person(rest: str) -> Fact | None:
    when = _WHEN.match(rest)
    match = _FIRST_PERSON.match(rest, when.end() if when else 0)
    if not match:
        return None
    who, verb, said = match["who"] or match["who2"], match["verb"] or match["verb2"], first_clause(match["object"])
    denied = bool(_DENIAL.search(verb) or _DENIAL.match(said))
    if not match["verb2"] and not is_telling(match["object"]) and not denied:
        return None
    subject = "we" if who.casefold() in ("we", "wir", "we're", "we are", "wir sind") else "I"
    return Fact(subject, re.sub(r"^don['’]?t ", "", verb.casefold()), said, denied)


def _of_somebody(rest: str) -> Fact | None:
    """Read what sets right something that was said before: of whom stands there."""
    match = _OF_SOMEBODY.match(rest)
    if not match or is_passing(match["object"]):
        return None
    verb = (match["verb"] or "is").casefold()
    return Fact(
        match["who"], _PREDICATES.get(verb, verb), first_clause(match["object"]), bool(_DENIAL.match(match["object"]))
    )


def _labelled(rest: str) -> Fact | None:
    """Read "data availability: zenodo": what stands behind the colon by itself, or else as said of what stands before it."""
    label = _LABEL.match(rest)
    if not label or _NO_LABEL.match(rest) or is_secret(label["label"]):
        return None
    said = rest[label.end() :]
    if inner := _first_person(said) or _in_clauses(said, telling=False):
        return inner
    words = {*label["label"].casefold().split()}
    if words & (_NO_SUBJECT | _NOT_FIRST) or not is_telling(said) or is_order(said):
        return None
    return Fact(label["label"], "is", said)


def _changed(rest: str) -> Fact | None:
    """Read "we moved standup to 9:30": what is something else from now on, and what it is."""
    change = _CHANGED.match(rest)
    subject = change["subject"].strip() if change else ""
    if not change or not _may_be_subject(subject) or not is_telling(change["object"]):
        return None
    return Fact(subject, "is", first_clause(change["object"]), correction=True)


def _in_clauses(rest: str, *, telling: bool) -> Fact | None:
    """Return what the first clause says that says something by itself, else the sentence with the help of all of them."""
    clauses = re.split(r",\s+", rest)
    tails = [", ".join(clauses[number:]) for number in range(len(clauses))]
    read = [_third_person(tail, telling=telling and not number) for number, tail in enumerate(tails)]
    whole = _third_person(rest, telling=True) if is_telling(rest) else None
    return next((fact for fact in read if fact), whole)


def _appointment(rest: str) -> Fact | None:
    """Read "dentist on thursday 14:30": what has no verb, but a day and a number."""
    day = DAY.search(rest)
    if not day or has_verb(rest) or not any(c.isdigit() for c in rest[day.start() :]) or is_order(rest):
        return None
    subject = _BEFORE_DAY.sub("", rest[: day.start()]).rstrip(" ,")
    if (
        len(subject) < _SHORTEST
        or not _may_be_subject(subject)
        or len(rest.split()) > _APPOINTMENT_WORDS
        or subject[0].isdigit()
    ):
        return None
    return Fact(subject, "is", rest[len(subject) :].lstrip(" ,"))


def _third_person(rest: str, *, telling: bool) -> Fact | None:
    if measure := _MEASURE.match(rest):
        return Fact(measure["subject"], "is", first_clause(measure["object"]))
    if refused := _REFUSED.match(rest):
        telling = _may_be_subject(refused["subject"]) and refused["verb"] not in _VAGUE
        return (
            Fact(refused["subject"], refused["verb"], first_clause(refused["object"]), denied=True) if telling else None
        )
    verb = _VERB.search(rest)
    if not verb:
        return None
    subject, said = rest[: verb.start()].strip(), rest[verb.end() :].strip()
    if not _may_be_subject(subject) or len(said) < 2 or is_general(subject) or is_passing(said):
        return None
    if is_secret(subject) or (verb[0] in ("is", "are") and _DOING.match(said) and not _NOW.search(said)):
        return None
    word = verb[0].lower().replace("’", "'")
    denied = bool(_DENIAL.search(word) or _DENIAL.match(said))
    past = word in ("was", "were", "had", "war", "hatte")
    first = first_clause(said)
    owned = is_telling(subject) or bool(_OWNED.match(subject)) or (denied and word in _OF_HAVING)
    enough = telling or is_telling(first) or (not past and owned)
    if not enough:
        return None
    told = _DENIED.sub("", _NOW_AROUND.sub("", first))
    return Fact(_NOW.sub("", subject).strip(), _PREDICATES.get(word, word), told, denied)


def _may_be_subject(subject: str) -> bool:
    words = re.sub(r"\([^)]*\)", "", subject).casefold().replace("’", "'").split()
    if not 0 < len(words) <= _SUBJECT_WORDS or words[0] in _NOT_FIRST:
        return False
    return not _NO_SUBJECT & set(words) and all(re.fullmatch(_SUBJECT_WORD, word) for word in words)


def may_be_told(fact: Fact) -> bool:
    """Say whether what an answer says of something is worth keeping: something telling, and no passing state."""
    return is_telling(fact.object) and not (
        is_passing(fact.object.split()[0]) or is_general(fact.subject) or is_secret(fact.subject)
    )
