"""Whether words weigh anything: what names something is telling, what is so for an hour is passing."""

from __future__ import annotations

from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.regex import regex
from hookclaw_py.text import is_identifier

_PASSING = regex(
    r"""(?xi) (?:(?:not|nicht|still|really|so|very|a\ bit|again|quite|too|all|just|also|now|totally|noch|ganz|sehr|wieder|auch)\ )*
      (?: fine | ok(?:ay)? | good | bad | red | green | broken | down | up | slow | fast | back | done | ready | gone | weird | nice | funny | cold | hot | here | there | tired
        | great | perfect | right | wrong | true | sure | clear | empty | full | dead | stuck | running | missing | annoying | ugly | dumb | normal | jelly | grumpy | sick | late | early
        | on | off | away | out | over | home | happy | sad | gut | schlecht | kaputt | fertig | weg | da | zurück | müde | kalt | warm | richtig | falsch | toll | super | klar | leer | voll
        | auf\ störung | asleep | sleeping | screaming | crying | calling | failing | working | waiting | coming | the\ (?:problem|point|question|same|worst|best) | enough | true | a\ mess | a\ pain )\b"""
)
DAY = regex(
    r"""(?xi) \b(?: (?:mon|tues|wednes|thurs|fri|satur|sun)days? | january | february | march | april | june | july | august | september | october | november | december
      | (?:mon|diens|donners|frei|sams|sonn)tags? | mittwochs? | januar | februar | märz | mai | juni | juli | oktober | dezember | noon | midnight | mittags?
      | (?:lun|mar|mercre|jeu|vendre|same)dis? | dimanches? | lunes | martes | miércoles | jueves | viernes | sábados? | domingos? | janvier | février | avril | juin | juillet | août | septembre | octobre | novembre | décembre
      | enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | octubre | noviembre | diciembre | weekly | monthly | daily )\b"""
)
_TITLED = regex(r"(?i)\b(?:dr|prof|mrs?|sra?|frau|herr|dona|firma)\.? \w")
_GENERAL = regex(r"(?i)^(?:a|an|people|some|many|most|any|every|each|ein|eine|viele|manche)\s")
_ORDERS = regex(
    r"(?i)(?:and |then |or )?(?:do|look|add|run|make|put|try|use|take|check|show|write|read|set|change|move|upload|send|turn|ask|tell|call|remove|delete|commit)\b"
)
_NEXT_CLAUSE = regex(r",(?=\s|$)|\s+(?:because|since we|weil|but|aber|and|und|so)\s")


def is_telling(said: str) -> bool:
    """Say whether words name something: a number, a day, a name with a capital inside, an identifier."""
    if REDACTED in said:
        return False
    if any(c.isdigit() for c in said) or DAY.search(said) or _TITLED.search(said):
        return True
    return any(is_identifier(word.strip(".,;:()'\"")) or word[:1].isupper() for word in said.split())


def is_passing(said: str) -> bool:
    """Say whether what is said of something is a state or a mood that passes, and nothing that it names is told with it."""
    return bool(_PASSING.match(said)) and not is_telling(first_clause(said))


def is_general(subject: str) -> bool:
    """Say whether a subject is nobody's and nothing in particular: people, some, every one."""
    return bool(_GENERAL.match(f"{subject} "))


def is_order(said: str) -> bool:
    """Say whether a sentence begins by telling the agent what to do."""
    return bool(_ORDERS.match(said))


def first_clause(said: str) -> str:
    """Return what stands before the first comma or conjunction."""
    return _NEXT_CLAUSE.split(said, maxsplit=1)[0].strip()
