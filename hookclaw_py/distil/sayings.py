"""Facts as people say them in passing: "rent is 940", "oke's laptop is a thinkpad", "we moved standup to 9:30".

For sentences of a person's only. What is kept are the person's own words; subject, predicate and object say what they are about.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from hookclaw_py.distil.facts import Fact
from hookclaw_py.distil.statements import has_verb, statement
from hookclaw_py.distil.weight import is_order, is_telling
from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import THAT_ONE
from hookclaw_py.speech.giving_out import gave_out
from hookclaw_py.speech.sentences import Sentence, sentences, tells_secret
from hookclaw_py.text import count_words

_TO_KEEP = r"""(?:can|could|would|will)\ you\ (?:please\ |pls\ )?(?:remember|note(?:\ down)?|write\ down|keep\ in\ mind)(?:\ (?:this|that))?(?=\s?:)
          |(?:kannst|könntest|magst)\ du\ (?:(?:dir|mir)\ )?(?:bitte\ )?(?:(?:das|dies)\ )?(?:merken|notieren|aufschreiben)(?=\s?:)
          |(?:tu\ )?peux(?:-tu)?\ (?:noter|retenir)(?=\s?:)|puedes\ (?:apuntar|anotar|recordar)(?=\s?:)"""
"""What asks to keep something, and is no question: "can you remember: …"."""
_LEAD_IN = regex(
    r"""(?xi) (?: (?: ok(?:ay)? | so | now | well | also | and | und | but | aber | btw | by\ the\ way | fyi | ah | oh | hm+ | right | yes | yeah | ja | good | anyway
      | haha | lol | pff+ | ach | naja | doch | genau(?:\ so)? | stimmt | yep | k | nice | super | perfekt | cool | great | next | thx | thanks | danke | übrigens | just | (?P<explicit>(?:for\ (?:your|my|the)\ (?:notes|record|memory)|note(?:\ that|\ que|\ to\ self|\ for\ later)?|remember(?:\ that)?
          |ASKED_TO_KEEP|merk\ dir|zur\ info|notier(?:e)?(?:\ dir)?|für\ deine\ notizen|(?:retiens|souviens-toi|rappelle-toi)\ que|pour\ info|à\ noter|(?:apunta|anota|recuerda|ten\ en\ cuenta)\ que|para\ que\ conste|mind\ you|keep\ in\ mind(?:\ that)?)\b[:,]?)
      | (?P<correction>(?:no+|nono|nope|nein|nee|actually|wrong|falsch|correction|korrektur|read\ again|sorry|non|en\ fait|erreur|pardon|perdón|en\ realidad|je\ me\ suis\ trompée?|me\ (?:he\ equivocado|equivoqué))\b
        (?=\s*[,.:!–-] | \s+(?:l[ea]s?|el|los|c['’]est|mon|ma|finalement|pardon|the|his|her|its?|it['’]s|that|we|they|he|she|you|this|there|my|our|no+|der|die|das|es|wir|er|sie|production|prod)\b)) ) (?:\s*[,.:!–-]+\s*|\s+) )""".replace(
        "ASKED_TO_KEEP", _TO_KEEP
    )
)
_KEEPS = regex(rf"(?xi) (?:(?:and|so|ok|hey|btw|und|et|y)\b[\s,]*)*(?:{_TO_KEEP})")
_CLAUSE = regex(r",\s+(?!(?:and|but|so|because|und|aber|weil)\b)")
_NAME = regex(r"^(?:the |our |my |die |der |das )?[^\W\d_]*['’]s? |^[A-ZÄÖÜ][^\W\d_]+(?: |$)")
"""What a clause begins with that says by itself of whom or what it is."""
_REFERS = regex(rf"(?xi)\b(?:it|its|this|them|those|there|es|dort|davon|dafür|damit|{THAT_ONE})\b")
_LONGEST = 300  # characters of what is kept
_LEAST_NOTED = 4  # words of a sentence
_FRAGMENT = 12  # words: what has no verb and is longer is something else
_OFFERS = regex(
    r"(?i)\b(?:shall|should) (?:i|we)\b|\b(?:do you )?want (?:me )?to\b|\bmay i\b|\bcan i\b|\bwould you like\b|\bsoll(?:en)? (?:ich|wir)\b|\bdarf ich\b"
)
_PRONOUN = regex(
    r"(?i)(?:and |but |und |aber )?(?:he|she|they|it|its|it['’]s|he['’]s|she['’]s|that|that['’]s|er|sie|es|der|die|das)\b"
)


class Saying(NamedTuple):
    """What a person said in passing; ``explicit``: they asked for it to be remembered."""

    fact: Fact
    said: str
    explicit: bool = False


def sayings(said: Sequence[Sentence], taken: Collection[int] = (), *, corrects: bool = False) -> list[Saying]:
    """Return what these sentences of a person's say of something, in order; those that are ``taken`` say it elsewhere.

    ``corrects``: the first of them sets right what the agent said.
    A sentence that goes on about the same ("he lives in braga", "known from 2024") stays with the one before it.
    """
    found: list[Saying] = []
    last = -2  # the sentence that the last saying ends with
    for number, sentence in enumerate(said):
        if number in taken:
            continue
        saying = saying_of(sentence, corrects=corrects and not number)
        if found and last == number - 1 and _goes_on(sentence, saying) and _fits(found[-1], sentence):
            found[-1] = found[-1]._replace(said=f"{found[-1].said} {sentence.said}")
            last = number
        elif saying:
            found += _each(sentence, saying, corrects=corrects and not number)
            last = number
    return found


def _each(sentence: Sentence, whole: Saying, *, corrects: bool) -> list[Saying]:
    """Return what a sentence says of one thing after the other, each by itself: "Ann's course is at five, Ben has football on fridays"."""
    parts = list[str]()
    for clause in _CLAUSE.split(sentence.said):
        fact = statement(clause, wanted=False, correction=False) if parts else None
        own = fact and _NAME.search(fact.subject) and not (_REFERS.search(clause) or gave_out(clause))
        if own and _states(parts[-1]):
            parts.append(clause)
        else:
            parts[-1:] = [f"{parts[-1]}, {clause}" if parts else clause]
    said = [
        saying_of(Sentence(part, part.rstrip(".!;")), corrects=corrects and not at) for at, part in enumerate(parts)
    ]
    every = [one for one in said if one]
    return every if len(every) == len(parts) > 1 and not whole.explicit else [whole]


def _states(said: str) -> bool:
    return statement(said.rstrip(".!;"), wanted=False, correction=False) is not None


def answer_to(asked: str, said: Sequence[Sentence]) -> str:
    """Return the question that ended the last answer together with the person's answer to it, "" if they gave none."""
    questions = sentences(asked)
    if not questions or not said or not questions[-1].bare.endswith(("?", "？")) or _OFFERS.search(questions[-1].bare):
        return ""
    answer = said[0]
    if answer.asks or saying_of(answer) or not is_telling(answer.bare) or count_words(answer.bare) > _FRAGMENT:
        return ""
    return f"{questions[-1].said} {answer.said}"


def is_read(said: str, bodies: Collection[str]) -> bool:
    """Say whether a sentence stands in one of these, or all of it in several."""
    if any(said in body for body in bodies):
        return True
    for body in bodies:
        said = said.replace(body, "")
    return not any(map(str.isalnum, said))


def unread(said: Sequence[Sentence], read: Collection[str]) -> str:
    """Return what of a message the agent noted, and no grammar has read: neither questions nor orders nor thanks.

    Beside what was ``read`` of it only what is telling; where nothing was, the message is what was noted.
    """
    rest = [one for one in said if not is_read(one.said, read)]
    telling = [
        one.said
        for one in rest
        if not (one.asks or one.is_long or is_order(one.bare) or tells_secret(one.said) or REDACTED in one.said)
        and count_words(one.bare) >= _LEAST_NOTED
    ]
    whole = " ".join(telling)
    return whole if len(whole) <= _LONGEST and (not read or is_telling(whole)) else ""


def _goes_on(sentence: Sentence, saying: Saying | None) -> bool:
    if sentence.asks or is_order(sentence.bare):
        return False
    if _PRONOUN.match(sentence.bare):
        return is_telling(sentence.bare) or bool(saying)
    return (
        not saying
        and is_telling(sentence.bare)
        and not has_verb(sentence.bare)
        and count_words(sentence.bare) < _FRAGMENT
    )


def _fits(saying: Saying, sentence: Sentence) -> bool:
    return len(saying.said) + len(sentence.said) < _LONGEST


def saying_of(sentence: Sentence, *, corrects: bool = False) -> Saying | None:
    """Return what a sentence says of something, None where it is not telling enough."""
    asks = sentence.asks and (sentence.bare.endswith(("?", "？")) or not _KEEPS.match(sentence.bare))
    if len(sentence.said) > _LONGEST or asks or REDACTED in sentence.said or tells_secret(sentence.said):
        return None
    rest, explicit, correction = sentence.bare, False, corrects
    while lead_in := _LEAD_IN.match(rest):
        explicit, correction = explicit or bool(lead_in["explicit"]), correction or bool(lead_in["correction"])
        rest = rest[lead_in.end() :]
    fact = statement(rest, wanted=explicit, correction=correction)
    return Saying(fact._replace(said=sentence.said), sentence.said, explicit) if fact else None
