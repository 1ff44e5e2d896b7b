"""What a person asks to be forgotten of what they said: "forget what I said about Noor's present"."""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import sentences

_ORDER = regex(
    r"""(?xi) ^(?:(?:oh|ok(?:ay)?|no|hm+|so|and|please|actually|sorry|bitte|ach|und)\b[\s,.:–-]*)* (?:(?:can|could|would)\ you\ (?:please\ )?|(?:kannst|könntest)\ du\ (?:bitte\ )?|i\ )?
      (?: (?:forget|take\ back|scratch|erase)\ (?:about\ )?(?:all|everything|anything|what(?:ever)?|the\ things?)\ (?:that\ )?(?:i|we)(?:['’]ve|\ have|\ just)?\ (?:said|told\ you|wrote|mentioned)(?:\ to\ you)?\ (?:about|on|of|regarding)\ (?P<en>.{2,60}?)
        | forget\ that\ (?:i|we)(?:['’]ve|\ have)?(?:\ ever|\ just)?\ (?:said|told\ you|mentioned)(?:\ (?:anything|something))?\ about\ (?P<that>[^,;:]{2,60}?)
        | forget\ (?:all|everything|anything|(?:that|the|this)\ (?:thing|stuff|bit|part|business))\ (?:about|with|regarding)\ (?P<thing>[^,;:]{2,60}?)
        | (?:vergiss|vergessen|nimm\ zurück),?\ (?:bitte,?\ )?(?:alles,?\ |das,?\ )?was\ (?:ich|wir)\ (?:dir\ )?(?:gerade\ |eben\ )?(?:über|von|zu|zum|zur)\ (?P<de>.{2,60}?)\ (?:gesagt|erzählt|geschrieben)\ hab(?:e|en)?
        | vergiss\ (?:bitte\ )?(?:das|alles|die\ (?:sache|geschichte))\ (?:mit|über|von|wegen)\ (?P<mit>[^,;:]{2,60}?)
        | oublie[sz]?\ (?:tout\ )?ce\ que\ (?:j['’]ai|je\ t['’]ai)\ (?:dit|écrit|raconté)\ (?:sur|à\ propos\ d[eu'’]|au\ sujet\ d[eu'’])\ ?(?P<fr>.{2,60}?)
        | olvida\ (?:todo\ )?lo\ que\ (?:te\ )?(?:he\ dicho|dije|conté)\ (?:sobre|de)\ (?P<es>.{2,60}?)
        | (?:请)?忘(?:掉|记)我(?:说|讲)?(?:的|过的)?关于(?P<zh>.{2,30}?)的(?:事情?|话|内容|一切)? )
      (?:\ again|\ wieder|,?\ please|,?\ bitte)?\ ?[?？]?$"""
)
_SURE = 2  # telling words: one alone stands in too much else


def asks_to_forget(said: str) -> bool:
    """Say whether a person asks that what they said be forgotten, of whatever: that is no memory itself."""
    return bool(_asked(said))


def to_be_forgotten(said: str) -> list[str]:
    """Return of what a person asks that what they said be forgotten, in their words: where it names something."""
    return [words for words in _asked(said) if telling(words)]


def is_sure(words: str) -> bool:
    """Say whether whatever holds these words is meant; of one word alone it must be seen in how much else it stands."""
    return len(telling(words)) >= _SURE


def speaks_of(said: str, words: str) -> bool:
    """Say whether a text holds all telling words of what is to be forgotten."""
    return telling(words) <= telling(said)


def _asked(said: str) -> list[str]:
    orders = (_ORDER.match(sentence.bare) for sentence in sentences(said) if not sentence.is_long)
    return [next(filter(None, order.groups())) for order in orders if order]
