"""Follow-ups: what a prompt leaves out ("and his number?") was said in the turns before.

A prompt leaves something out when it opens as a continuation ("and …", "et …", "那…"), when a pronoun in it has nothing
before it to stand for, or when it asks for a property without its owner ("when is the next check"). Anything else is
complete, and the conversation before it does not count: people change the subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hookclaw_py.calibration.constants import FollowUps
from hookclaw_py.model.types import Entity, Message
from hookclaw_py.regex import regex
from hookclaw_py.temporal.lexer import mentions_time
from hookclaw_py.text import STOP_WORDS, fold, guess_language, raw_tokens

_LOOKED_AT = 300  # characters of a turn
_FLAGS = re.IGNORECASE | re.VERBOSE


def _words(*lists: str) -> str:
    return "|".join(word.replace("_", r"\s+") for words in lists for word in words.split())


_ASIDE = _words(
    "ok okay oh ah hm+ thanks thank_you great good cool nice perfect right yes no gut danke ja nein bon merci oui non vale bueno gracias sí no bene grazie да нет спасибо"
)
_OPENS = regex(
    rf"""\W*(?:(?:{_ASIDE})\b\W*)*
    (?: (?:{_words("and or but what_about how_about what_else who_else und oder aber et ou mais y e o pero и а или en maar")})(?=\s)
      | (?:(?:好的?|嗯|谢谢)[，,。\s]*)?(?:那么?(?![天年月周次时個个])|还有|以及|じゃあ|では|それで) )""",
    _FLAGS,
)
_TOPIC_QUESTION = regex(r"(?:呢|は)[?？。\s]*\Z")
_PERSON = regex(
    r"\b(?:he|she|him|his|hers?|they|them|theirs?)\b | (?<!其)(?:他|她)(?!人) | 彼女?(?=[はがのを])", _FLAGS
)
_PERSON_ELSEWHERE = regex(  # "son" and "die" are English words, too
    rf"""\b(?:{
        _words(
            "er ihn ihm ihnen ihre ihren ihrem ihrer seine seinen seinem seiner",
            "son sa ses leur leurs elle elles lui él ella ellos ellas su sus",
            "suo sua suoi sue lei loro dele dela deles delas seu zij hun haar",
            "он она они его её ее ему ей им их него неё нее них",
        )
    })\b""",
    _FLAGS,
)
_END = r"(?=\s*(?:[?？!.,;:]|\Z))"
_THING = regex(
    rf"""(?<!\btime\ is\ )(?!\A\W*it\b[^?]*\Z)\b(?:it|its|it['’]s)\b(?!\W+(?:\w+\W+){{1,2}}(?:to|that|if|when|for)\b)
    | \b(?:that|this|these|those|there|then)(?:\s+(?:ones?|again|now|exactly))?{_END}
    | \b(?:which|the\ other|another|the\ last|the\ first|the\ second)\ one\b | \bthe\ others?{_END}
    | \b\w{{3,}}[aei]r(?:l[oae]s?)\b | \bda(?:von|für|mit|ran|rauf|rüber|zu|bei|gegen|nach){_END}
    | 它 | (?:那个|这个|那里|这里|那儿|这儿|那边){_END} | [それこあ][れこ](?=[はがをのにで]) | (?:その|あの)""",
    _FLAGS,
)
_THING_ELSEWHERE = regex(
    rf"""\b(?:{
        _words(
            "es das dies dort da der die den dem ça cela là là-bas celui-ci celle-ci celui-là celle-là l['’]autre",
            "eso esto aquello allí ahí allá ciò quello quella lì isso isto lá dat daar это этого этом там",
        )
    }){_END} | \b(?:qu|s|lorsqu)['’](?:il|elle)s?\b | \blo\b(?!\s+que)""",
    _FLAGS,
)
_MINE = regex(
    rf"""\b(?:{_words("my our ours mine mein meine meinen meinem meiner unser unsere unseren unserem unserer mon ma mes notre nos mi mis nuestro nuestra nuestros nuestras mio mia nostro nostra meu minha nosso nossa mijn onze ons мой моя моё мое мои наш наша наше наши")})\b
    | [我咱](?:们|們)?(?:的|家|[爸妈妈哥姐弟妹]) | 私の|僕の|うちの""",
    _FLAGS,
)
_WHO_WHAT = _words("who what wer was qui que quoi quién qué chi cosa quem wie wat кто что")
_OTHER_ASKING = _words(
    "when where which how until_when since_when from_when who_else what_else wann wo wohin woher welche[rnms]? wie bis_wann",
    "seit_wann ab_wann quand où quel(?:le)?s? combien comment jusqu['’]à_quand depuis_quand à_quelle cuándo dónde cuál cuánt[oa]s? cómo",
    "hasta_cuándo desde_cuándo cuando donde cuanto cuanta quando dove quale quanto come qual onde wanneer waar hoeveel",
    "когда где сколько как какой какая",
)
_ASKS_A_PROPERTY = regex(rf"\W*(?:\w+\s+)?(?:{_OTHER_ASKING})(?:['’]?s)?\b", _FLAGS)
_ASKS_A_PROPERTY_UNSPACED = regex(
    "什么时候|多少|多久|多长|多远|多大|几点|几[号个天次]|怎么办|在哪|哪里|いつ|どこ|いくら|何時|どれくらい"
)
_BESIDE = _words("in on at of for from with by to under im auf für bei von dans sur en de à con para")
_SOMEWHERE = regex(rf"\b(?:{_BESIDE})\s+\w+\W*\Z", _FLAGS)  # "in London": names go without an article
_ASKS_FOR_THE = regex(  # "what was the booking ref": one noun, the definite article, and no owner
    rf"""\W*(?:{_WHO_WHAT}|{_OTHER_ASKING})(?:['’]?s)?\s+(?:(?!(?:{_BESIDE})\b)\w+\s+){{0,2}}?
    (?:(?:{_words("the der die das den le la les el los las il lo gli o os as het")})\s+|l['’])\w+(?:\s+\w+)?\W*\Z""",
    _FLAGS,
)
# Words that say nothing of the subject beside those of ``STOP_WORDS``: how one asks, and what one says of an answer.
_LIGHT_WORDS = """
    really actually even still now then else also exactly much many long far often soon ever maybe please want need sure right correct
    true mean means sense help explain work works okay fine good great thanks tell give show say said ok what's who's when's where's how's
    wirklich eigentlich jetzt denn mal auch genau viel viele lange oft bitte danke stimmt sicher soll sollte muss kann gibt heißt
    déjà encore maintenant aussi vraiment combien comment merci bien sûr faut peut dois c'est ça c'était n'est qu'est-ce est-ce
    cuánto cuánta cuántos cuántas cómo cual ahora también entonces gracias bien puedo puede hay quanto quanta come quale grazie obrigado
    сколько сейчас
"""
_LIGHT = frozenset(map(fold, _LIGHT_WORDS.split())).union(*STOP_WORDS.values())
_HAN_LIGHT = regex("[的了是吗呢吧呀啊么什怎哪谁几多少那这有要会能可以后来再也都就还在们她他它はがをにでのとも]")


def left_out(prompt: str, recent: Sequence[Message], *, entities: Collection[Entity], constants: FollowUps) -> str:
    """Return what the turns before say of what ``prompt`` leaves out, in their words; "" when it is complete.

    ``recent`` is the conversation, oldest first; ``entities`` are what the prompt itself names. It is the last thing that
    the user asked in full, what was asked in between, and the names in the last answer.
    """
    said = [message for message in recent if message.text.strip() != prompt.strip()]
    if not said or not leaves_out(prompt, entities=entities, constants=constants):
        return ""
    asked: list[str] = []
    for message in reversed(said):
        if message.role != "user" or not _telling(message.text):
            continue
        asked.insert(0, _beginning(message.text))
        if len(asked) == constants.turns or not leaves_out(message.text, entities=(), constants=constants):
            break
    if not asked:
        return ""
    answer = next((message.text for message in reversed(said) if message.role == "assistant"), "")
    known = {fold(word) for words in asked for word in _telling(words)}
    names = [word for word in _telling(_beginning(answer)) if _is_name(word) and fold(word) not in known]
    return ", ".join([*asked, *dict.fromkeys(names)])


def leaves_out(prompt: str, *, entities: Collection[Entity], constants: FollowUps) -> bool:
    """Say whether one has to know the conversation to know what ``prompt`` is about."""
    if len(prompt) > constants.longest:
        return False
    telling, named = len(_telling(prompt)), bool(entities)
    if telling > constants.telling or not (telling or _ASKS_A_PROPERTY.match(prompt)):
        return False
    if telling <= (1 if named else 3) and _opens(prompt):
        return True
    english = guess_language(prompt.split()) == "english"
    things = (_THING,) if english else (_THING, _THING_ELSEWHERE)
    if _unbound(things, prompt, constants.bound):
        return True
    if named:
        return False
    people = (_PERSON,) if english else (_PERSON, _PERSON_ELSEWHERE)
    if _unbound(people, prompt, constants.bound):
        return True
    return _asks_a_property(prompt, telling) and not _MINE.search(prompt)


def _opens(prompt: str) -> bool:
    return bool(_OPENS.match(prompt) or _TOPIC_QUESTION.search(prompt))


def _unbound(pronouns: Sequence[re.Pattern[str]], prompt: str, bound: int) -> bool:
    """Say whether a pronoun stands where the prompt has named too little for it to stand for."""
    found = [match.start() for pronoun in pronouns if (match := pronoun.search(prompt))]
    before = prompt[: min(found, default=0)]
    return bool(found) and len(_telling(before)) < bound and not _MINE.search(before)


def _asks_a_property(prompt: str, telling: int) -> bool:
    """Say whether this is "when is the next check", "how deep": a property, and not whose."""
    asks = _ASKS_A_PROPERTY.match(prompt) or _ASKS_A_PROPERTY_UNSPACED.search(prompt)
    if telling <= 1 and asks and not _SOMEWHERE.search(prompt):
        return True
    return telling <= 2 and bool(_ASKS_FOR_THE.match(prompt))


def _telling(text: str) -> list[str]:
    """Return the words that say what a text is about; of a script without spaces, pairs of its letters."""
    found: list[str] = []
    for kind, token in raw_tokens(text[:_LOOKED_AT]):
        if kind == "run":
            letters = _HAN_LIGHT.sub("", token)
            found += [letters[at : at + 2] for at in range(0, len(letters) - 1, 2)] or [letters] * bool(letters)
        elif (
            len(token) > 1 and fold(token).replace("'", "").replace("’", "") not in _LIGHT and fold(token) not in _LIGHT
        ):
            found.append(token)
    return found


def _is_name(word: str) -> bool:
    return word[0].isupper() and not mentions_time(word.lower())


def _beginning(text: str) -> str:
    return " ".join(text[:_LOOKED_AT].split())
