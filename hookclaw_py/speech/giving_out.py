"""What a person had taken and then could not have, or changed for another: "we changed to the pension Stoi, Koreth was full".

English and German, and what one says in French and Spanish most. It must be named where it was taken: a wrong ending hides a true memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hookclaw_py.regex import regex
from hookclaw_py.speech.hedges import is_hedged
from hookclaw_py.speech.oneself import CLAUSES, SOMEBODY
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.speech.taking_back import is_for_another

_NAME = r"(?-i:[A-ZÄÖÜÉÁ])[\w'’&-]+(?:\ (?-i:[A-ZÄÖÜÉÁ])[\w'’&-]+)?"
_THE = r"(?:(?:the|an?|our|das|die|den|dem|der|zum|zur|ins|le|la|les|el|los|las)\ )?"
_GAVE_OUT = regex(
    rf"""(?xi) ^(?:(?:because|since|as|but|weil|da|aber|car|parce\ que|porque|pero)\ )?{_THE}(?:[a-zäöüßéè-]+\ )?(?P<name>{_NAME})\ (?:
        (?:was|were|is|are|had\ been|war(?:en)?|ist|sind|était|est|estaba|está)\ (?:(?:already|all|sadly|unfortunately|schon|leider|déjà|ya)\ )*
          (?:full|fully\ booked|booked\ (?:out|up)|booked|sold\ out|taken|unavailable|not\ available|too\ (?:dear|expensive|small|far|slow)|closed
            |ausgebucht|voll|belegt|ausverkauft|vergeben|zu\ (?:teuer|klein|weit|langsam)|complète?|complet|épuisée?|trop\ (?:cher|chère|petite?|loin)|llen[oa]|agotad[oa]|complet[oa]|demasiado\ car[oa])
      | (?:had|hat(?:te)?|n['’]avait|no\ tenía)\ (?:no(?:thing)?|nichts?|kein\w*|plus|nada)\ (?:rooms?|seats?|tables?|free|left|frei|mehr\ frei|zimmer|plätze|de\ place|libre|sitio)
      | voll\ war | ausgebucht\ war | belegt\ war )\b"""
)
"""What could not be had, in a clause of its own."""
_TOOK = regex(
    r"""(?xi) \b(?: (?:we|i)(?:['’](?:ve|re|m)|\ have|\ are|\ am)?\ (?:(?:now|just)\ )?(?:(?:chang|switch|swapp|mov)(?:ed|ing)\ to | t(?:ook|aken|aking|ake) | book(?:ed)? | rebooked | chose | picked | went\ (?:with|to) | go(?:ing)?\ (?:with|to) )
      | (?:nehmen|buchen|gehen)\ (?:wir|jetzt) | wir\ (?:nehmen|buchen|wechseln|gehen) | (?:haben|sind)\ .*\b(?:genommen|gebucht|gewechselt|umgestiegen)
      | (?:on|nous)\ (?:prend|prenons|a\ pris|avons\ pris|passe|passons|a\ réservé) | (?:cogemos|tomamos|hemos\ (?:cogido|reservado)|vamos\ (?:con|al?)) )\b"""
)
"""What a person took, whatever it is."""
_CHOSE = regex(
    r"""(?xi) \b(?: take|takes|took|taking|book|booked|reserved?|go(?:ing)?\ with|went\ with|use|chose|picked|decided|stay(?:ing)?\ (?:at|in|with)|switch(?:ed)?\ to|changed\ to
      | nehmen|nimm|buchen|gebucht|genommen|reserviert|entschieden|prend|prenons|pris|réservé|prendre|part\ sur|cogemos|tomamos|reservado|vamos\ con|nos\ quedamos\ con )\b"""
)
_CHANGED_TO = regex(
    rf"""(?xi) \b(?:(?:we|i)(?:['’]ve|\ have)?\ (?:changed|switched|swapped)\ to|(?:wir|ich)\ wechseln?\ zu[mr]?|on\ (?:passe|a\ changé)\ pour)\ {_THE}(?P<sort>(?-i:[^\W\d_A-ZÄÖÜ])[\w-]{{2,}}|(?-i:[A-ZÄÖÜ])\w+(?=\ (?-i:[A-ZÄÖÜ])))\ (?P<name>{_NAME})"""
)
_NAMED_AS = regex(rf"(?x)\b(?P<sort>[^\W\d_][\w-]{{2,}})\ (?P<name>{_NAME.replace('(?-i:', '(?:')})")


_OBJECT = r"(?<!\bto )(?<!\bfrom )(?<!\bvia )(?<!\bnear )(?<!\bfor )(?<!\bnach )(?<!\bvon )(?<!\bfür )\b"
"""Before what is taken, and not where it goes or whom it is for."""
_ONLY_IF = regex(r"(?i)\b(?:if|unless|whether|falls|wenn|ob)\b")


def gave_out(clause: str) -> bool:
    """Say whether a clause says of something that it could not be had: "Koreth was full"."""
    return bool(_GAVE_OUT.match(clause))


def changed_for_another(newer: str, older: str) -> bool:
    """Say whether a statement tells that something else was taken than in an earlier one: that could not be had, or the other is of the same sort."""
    gone, others = _gone(newer), _taken_instead(newer)
    taken = _taken(older) if gone or others else ()
    if not taken or is_for_another(newer, older):
        return False
    if any(re.search(rf"{_OBJECT}{re.escape(name)}\b", one, re.IGNORECASE) for name in gone for one in taken):
        return True
    named = ((telling(each["sort"]), telling(each["name"])) for one in taken for each in _NAMED_AS.finditer(one))
    return any(sort == ours and name.isdisjoint(other) for sort, name in named for ours, other in others)


@lru_cache(maxsize=4096)
def _gone(said: str) -> tuple[str, ...]:
    """Return the names of what could not be had, where the same sentence says that something else was taken."""
    clauses = (clause for bare in _told(said) if _TOOK.search(bare) for clause in CLAUSES.split(bare) if clause)
    return tuple(found["name"] for clause in clauses if (found := _GAVE_OUT.match(clause)))


@lru_cache(maxsize=4096)
def _taken_instead(said: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Return what a person changed to: its sort and its name."""
    found = (match for bare in _told(said) for match in _CHANGED_TO.finditer(bare))
    return tuple((sort, telling(one["name"])) for one in found if (sort := telling(one["sort"])))


def _told(said: str) -> Iterator[str]:
    for one in sentences(said):
        if not (one.asks or one.is_long or is_hedged(one.bare) or _ONLY_IF.search(one.bare)):
            yield one.bare


@lru_cache(maxsize=4096)
def _taken(said: str) -> tuple[str, ...]:
    """Return what a statement says, in its clauses, behind the word that a person takes something."""
    clauses = (clause for sentence in sentences(said) for clause in CLAUSES.split(sentence.bare) if clause)
    chosen = ((clause, _CHOSE.search(clause)) for clause in clauses if not SOMEBODY.search(clause))
    return tuple(clause[verb.end() :] for clause, verb in chosen if verb)
