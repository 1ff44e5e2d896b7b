"""What a person says that ends what they said before: a choice is taken back, a step is done, what was open is decided."""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.speech.deeds import of_what, shares_most
from hookclaw_py.speech.finishing import says_done
from hookclaw_py.speech.sentences import Sentence
from hookclaw_py.speech.taking_back import returns, taken_back

_UNDECIDED = regex(
    r"""(?xi) \b(?: undecided | (?:not|haven['’]?t|hasn['’]?t)\ (?:yet\ )?(?:been\ )?decided | to\ decide | decide\ (?:on|between|whether|which|if|about) | not\ sure\ (?:yet|which|whether)
      | (?:noch\ )?(?:nicht|un)\ ?entschieden | (?:zu\ )?entscheiden | pas\ (?:encore\ )?décidé | à\ décider | sin\ decidir | por\ decidir | no\ (?:hemos|he)\ decidido )\b | (?:还没|未|待)决定"""
)
_DECIDES = regex(
    r"(?i)\b(?:decided|decision|it is|settled|agreed|go(?:ing)? with|chose|picked|entschieden|beschlossen|nehmen|décidé|decidido|vamos con)\b|决定|就用"
)


def may_end(said: Sentence) -> bool:
    """Say whether a sentence may end something that was said before it."""
    return bool(taken_back(said)) or returns(said) or (says_done(said) and bool(of_what(said.bare)))


def is_decided(newer: str, older: str) -> bool:
    """Say whether a statement decides what an earlier one left open."""
    if not _UNDECIDED.search(older) or _UNDECIDED.search(newer) or not _DECIDES.search(newer):
        return False
    return shares_most(of_what(newer), of_what(older))
