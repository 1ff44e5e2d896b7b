"""Which of several things of a kind is meant: "invoice 4712", "the March invoice", "Lina's passport", "the login test"."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import shares_deed
from hookclaw_py.speech.news import MONTH_NAMES, is_time
from hookclaw_py.temporal.words import LEXICON

_DAYS = "|".join(
    sorted((word for word, (kind, _) in LEXICON.items() if kind in ("weekday", "sat", "sun")), key=len)[::-1]
)
_TIME = rf"(?:(?:the|den|dem|der)\ )?(?:\d[\w:./]*|(?:{MONTH_NAMES}|{_DAYS})\b)"
_WHO_COME = r"(?:guests?|visitors?|participants?|attendees|passengers|kids|children|gästen?|leuten?|kindern?|teilnehmer\w*|besucher\w*|personnes|invités?|enfants|personas|invitados|niños|persone|ospiti|invitati|bambini)"
CAME = r"\d+\ (?:people\ |leute\ )?(?:came|turned\ up|showed\ up|signed\ up|took\ part|kamen|waren\ da|waren\ dabei|sont\ venus|étaient\ là|vinieron|sono\ venuti)\b"
"""How many people came."""
_WHEN = regex(
    rf"""(?xi) \b(?:on|by|before|until|till|since|at|around|in|am|bis|vor|um|gegen|im|seit|ab|avant|le|en|depuis|el|antes\ del?|il|entro|prima\ del?)\ {_TIME}(?:[ ,]+(?:of\ )?{_TIME})*
      | \b\d{{4}}-\d\d-\d\d\b | \b\d{{1,2}}[:h]\d\d\b | \b\d{{1,2}}/\d{{1,2}}\b | \b\d{{1,2}}\.\d{{1,2}}\. | \b\d+(?:st|nd|rd|th)\b | \b\d{{1,2}}\.?\ (?:{MONTH_NAMES})\b | \b(?:{MONTH_NAMES})\ \d{{1,2}}\b
      | [€$£]\ ?\d[\d.,']* | \b\d[\d.,']*\ ?(?:[€$£%] | (?:euros?|eur|chf|usd|francs?|franken|dollars?|pounds?|kg|g|l|km|m|min\w*|h|stunden?|hours?|heures?|horas?|days?|tagen?|jours?|weeks?|wochen?|times|mal|x|uhr|am|pm|people|personen|pages?|seiten?|{_WHO_COME})\b )
      | \b{CAME}"""
)
"""When something is to be or was done, and how much or how many of it: this says nothing of which one it is."""
_OF = regex(
    r"(?i)\b(?:the|our|my|for|of|from|der|die|das|den|dem|für|vom|von|de|du|pour|para|del|di|per)\ (?P<time>[^\W\d_]+)"
)
_ELIDED = regex(r"(?i)\bd['’](?=\w)")
_SELF = regex(r"(?i)\b(?:my|mine|ours?|mein(?:e\w?)?|unser\w*|mon|ma|mes|notre|mis?|nuestr\w+|mi[oa]|nostr\w+)\b")
WHOSE = r"['’]s\ (?!(?:just|already|finally|now|also|then|not|never|still|been|an?|the|in|at|on|to|\w+ing|\w+ed|sent|paid|done|bought|gone)\b)"
"""That something is somebody's, where more is said of it: "Yasmine's report"."""
_OWNER = regex(
    rf"(?i)\b(?!(?:it|that|there|here|what|who|let|he|she)\b)([^\W\d_]+){WHOSE}|\b(?!alles|nichts)(?-i:([A-ZÄÖÜ][a-zäöüß]{{2,}})s\ (?=[A-ZÄÖÜ]))"
)
_OWNED_BY = regex(r"\b(?:of|von|de|di)\ ([A-ZÄÖÜÉ][^\W\d_]+)")
_NAMED_DEED = regex(
    r"""(?xi) \b(?:the|my|our|an?|his|her|their|this|that|\w+['’]s)\ (?:(?!(?:to|and|or|for|of|by|in|on|is|are|was|were)\b)[\w-]+\ ){0,2}?
      (?P<deed>tests?|reviews?|calls?|orders?|checks?|answers?|repl(?:y|ies)|books?|changes?|fix(?:es)?|moves?|e?mails?)\b (?=\s*(?:$|[.,;:!]|\ (?:to|and|or|for|of|by|in|on|at|with|from|about|is|are|was|were|has|have|today|yesterday|this)\b))"""
)
"""A thing that is called as a deed is: "the login test"."""


class _Which(NamedTuple):
    """What tells one thing from others of its kind: numbers, months, weekdays, and whose it is."""

    numbers: frozenset[str]
    months: frozenset[object]
    weekdays: frozenset[object]
    is_ours: bool
    owners: frozenset[str]
    owned_by: frozenset[str]


def is_another(newer: str, older: str) -> bool:
    """Say whether two statements speak of two things of a kind: of invoices with other numbers or of other months, of my passport and Lina's."""
    ours, theirs = _which(newer), _which(older)
    told = ((ours.numbers, theirs.numbers), (ours.months, theirs.months), (ours.weekdays, theirs.weekdays))
    if any(one and other and one.isdisjoint(other) for one, other in told):
        return True
    named = ours.owners | ours.owned_by, theirs.owners | theirs.owned_by
    if all(named):
        return named[0].isdisjoint(named[1])
    return bool((ours.is_ours and theirs.owners) or (theirs.is_ours and ours.owners)) and ours.is_ours != theirs.is_ours


def called_as_deeds(said: str, other: str) -> frozenset[str]:
    """Return the terms of the things in a statement that are called as deeds are ("the login test"), but for a deed of the other."""
    named = [match["deed"] for match in _NAMED_DEED.finditer(said)]
    of_other = text.terms(" ".join(match["deed"] for match in _NAMED_DEED.finditer(other))).distinct
    terms = (term for deed in named for term in text.terms(deed))
    return frozenset(term for term in terms if term in of_other or not shares_deed(term, other))


@lru_cache(maxsize=4096)
def _which(said: str) -> _Which:
    bare = _WHEN.sub(" ", _ELIDED.sub("de ", said))
    words = [LEXICON[word] for word in text.words(bare) if word in LEXICON]
    behind = [LEXICON[word] for match in _OF.finditer(bare) if (word := text.fold(match["time"])) in LEXICON]
    owners = frozenset(text.fold(one or other) for one, other in _OWNER.findall(said))
    return _Which(
        numbers=frozenset(term for term in text.terms(bare) if any(map(str.isdigit, term))),
        months=frozenset(value for kind, value in words if kind == "month")
        | frozenset(value for kind, value in behind if kind == "maybe"),
        weekdays=frozenset(value for kind, value in behind if kind == "weekday"),
        is_ours=bool(_SELF.search(said)),
        owners=frozenset(one for one in owners if not is_time(one)),
        owned_by=frozenset(text.fold(one) for one in _OWNED_BY.findall(said)),
    )
