"""What only asks: a question, or what goes on with one in a few words ("und am Tag danach"), and says nothing itself."""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import has_verb
from hookclaw_py.speech.sentences import Sentence, sentences

_GOES_ON = regex(r"(?i)(?:and|or|und|oder|et|ou|y|e|o)\s+(?P<rest>(?:\S+\s+){0,4}\S+)$")
_REQUESTS = regex(
    r"(?i)\b(?:(?:can|could|would|will)\s+you|(?:kannst|könntest|würdest|magst)\s+du|(?:peux|pourrais)[- ]tu|puedes|podrías|please|bitte)\b"
)


def only_asks(said: str) -> bool:
    """Say whether all that somebody says asks for something to be told: no statement, and nothing that is to be done ("can you …")."""
    each = sentences(said)
    return bool(each) and all(one.asks or _goes_on(one) for one in each) and not _REQUESTS.search(said)


def _goes_on(sentence: Sentence) -> bool:
    further = _GOES_ON.match(sentence.bare)
    return further is not None and not has_verb(further["rest"])
