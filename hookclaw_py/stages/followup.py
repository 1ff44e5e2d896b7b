"""Follow-ups: what a prompt leaves out ("and his number?") was said in the turns before.

A prompt leaves something out when it opens as a continuation ("and …", "et …", "那…"), when a pronoun in it has nothing
before it to stand for, when it asks for a property without its owner ("when is the next check"), adds to what was said
("the winter too?") or asks of it without a word of its own ("why tho"). Anything else is complete, and the conversation
before it does not count: people change the subject. What is perhaps complete is searched in both ways; see ``follows``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from hookclaw_py.calibration.constants import FollowUps
from hookclaw_py.model.types import Candidate, Entity, Message
from hookclaw_py.regex import regex
from hookclaw_py.temporal.lexer import mentions_time
from hookclaw_py.temporal.steps import steps
from hookclaw_py.text import STOP_WORDS, fold, guess_language, raw_tokens, terms

_LOOKED_AT = 300  # characters of a turn
_FLAGS = re.IGNORECASE | re.VERBOSE


def _words(*lists: str) -> str:
    return "|".join(word.replace("_", r"\s+") for words in lists for word in words.split())


_ASIDE = _words(
    "didn['’]?t_(?:work|help) doesn['’]?t_(?:work|help) hilft_nicht geht_nicht ça_marche_pas no_funciona",
    "ok okay oh ah haha+ lol hehe hm+ thanks thank_you great good cool nice perfect right yes no gut danke ja nein bon merci oui non vale bueno gracias sí no bene grazie да нет спасибо",
)
_WHY = _words("why how_come warum wieso weshalb pourquoi por_qué perché почему waarom")
_ASKS = _words(
    "por_qué perché почему weshalb waarom when where which how why who what whats whos can could do does did is are was were will would should must wann wo wer wen was wie wieviele? warum wieso",
    r"kann darf muss soll ist sind hat haben gibt_es brauch\w* welche[rnms]? on_peut je_peux peut-on est-ce il_y_a hay puedo se_puede tiene quand où qui que quel(?:le)?s? comment pourquoi cuándo dónde quién qué cuál cómo",
)
_ASIDES = regex(rf"\A\W*(?:(?:{_ASIDE})\b\W*)+(?=\w)", _FLAGS)
_OPENS = regex(
    rf"""\W*
    (?: (?:{_words("and or but what_about how_about what_else who_else und oder aber et ou mais y e o pero и а или en maar")})(?=\s)
      | (?:so|also|dann|alors|donc|entonces)\s+(?=(?:{_ASKS})\b) | (?:what|was|et|y|e|en)\s+(?:if|wenn|si|se|als)\b
      | (?:(?:好的?|嗯|谢谢)[，,。\s]*)?(?:那么?(?![天年月周次时個个])|[还還]有|以及|じゃあ|では|それで) )""",
    _FLAGS,
)
_QUESTION = regex(  # one that is not the assistant's to answer
    rf"""\W*(?:(?:{_words("and so but then und also aber et mais y pero remind_me tell_me")})\s+)*
    (?:(?:{_words("to for from by until since at with on in ab seit bis mit zu für um an bei de à desde hasta con para")})\s+)?(?:{_ASKS}|pour\s+qui)\b(?!\W+do\W*\Z)(?![^?]*\byou\b)""",
    _FLAGS,
)
_EXCLAIMS = regex(
    rf"\W*(?:(?:how|wie|qué|che)\s+(?:{_words('nice sweet lovely cool funny sad cute awful great weird schön toll nett süß blöd schade doof bien bueno bonito bello')})|what\s+an?|quel(?:le)?\s+(?:bonheur|dommage))\b",
    _FLAGS,
)
_TOPIC_QUESTION = regex(r"(?:呢|は)[?？。\s]*\Z")
_PERSON = regex(
    r"\b(?:he|she|him|his|hers?|they|them|theirs?)\b | (?<!其)(?:他|她)(?!人) | 彼女?(?=[はがのを])", _FLAGS
)
_PERSON_ELSEWHERE = regex(  # "son" and "die" are English words, too
    rf"""\b(?:{
        _words(
            "er sie ihn ihm ihnen ihre ihren ihrem ihrer seine seinen seinem seiner",
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
    | \b(?:which|the\ other|another|the\ last|the\ first|the\ second)\ one\b | \bthe\ others?{_END} | \A\W*(?:first|second|third|next|last|other)\ ones?\b
    | \b(?:is|was|does|did|will|would|can|could|should|has|why|if|how|when|where|whether)(?:n['’]?t)?\ (?:that|this)(?:['’]?s)?\b
    | \b\w{{3,}}[aei]r(?:l[oae]s?)\b | \bda(?:von|für|mit|ran|rauf|rüber|zu|bei|gegen|nach){_END}
    | 它 | [这這那](?:个|個|里|裡|儿|兒|边|邊){_END} | \A\W*[这這那][个個]?(?=是?(?:什[么麼]|多少|[几幾哪谁誰]|怎[么麼])) | [それこあ][れこ](?=[はがをのにで]) | (?:その|あの)""",
    _FLAGS,
)
_THING_ELSEWHERE = regex(
    rf"""\b(?:{
        _words(
            "es das dies dort da der die den dem ça cela là là-bas celui-ci celle-ci celui-là celle-là l['’]autre",
            "eso esto aquello allí ahí allá ciò quello quella lì isso isto lá dat daar это этого этом там",
        )
    }){
        _END
    } | \b(?:das|der|die|den|dem)\s+(?:auch|noch|dann|denn|jetzt|nochmal|zuletzt|eigentlich|schon|immer|wirklich|nicht|so|da)\b
    | \b(?:qu|s|lorsqu)['’](?:il|elle)s?\b | \blo\b(?!\s+que)""",
    _FLAGS,
)
_MINE = regex(
    rf"""\b(?:{_words("my our ours mine mein meine meinen meinem meiner unser unsere unseren unserem unserer mon ma mes notre nos mi mis nuestro nuestra nuestros nuestras mio mia nostro nostra meu minha nosso nossa mijn onze ons мой моя моё мое мои наш наша наше наши")})\b
    | [我咱](?:们|們)?(?:的|家|[爸妈妈哥姐弟妹]) | 私の|僕の|うちの""",
    _FLAGS,
)
_WHO_WHAT = _words("who what wer was qui que quoi quién qué chi cosa quem wie wat кто что")
_OTHER_ASKING = _words(
    "when where which how until_when since_when from_when who_else what_else wann wo wohin woher welche[rnms]? wie wieviele? bis_wann",
    "seit_wann ab_wann quand où quel(?:le)?s? combien comment jusqu['’]à_quand depuis_quand à_quelle cuándo dónde cuál cuánt[oa]s? cómo",
    "hasta_cuándo desde_cuándo cuando donde cuanto cuanta quando dove quale quanto come qual onde wanneer waar hoeveel",
    "когда где сколько как какой какая",
)
_ASKS_WHAT_IT_IS = regex(
    rf"\W*(?:tell\ me\ )?(?:{_WHO_WHAT})(?:['’]?s|\ (?:is|was|are|were|or|ist|war|est|es|era|è))\b", _FLAGS
)
_ASKS_A_PROPERTY = regex(rf"\W*(?:\w+\s+)?(?:{_OTHER_ASKING})(?:['’]?s)?\b", _FLAGS)
_ASKS_ELSEWHERE = regex(
    r"[?？]|什[么麼]|多少|[几幾]|哪|谁|怎[么麼]|[吗嗎]|呢|か。?\Z|何|誰|いつ|\b(?:combien|quand|où|comment|pourquoi|qui|quoi)\W*\Z",
    _FLAGS,
)
_ASKS_A_PROPERTY_UNSPACED = regex(
    r"什[么麼](?:时|時)候|多少|多[久长長远遠大]|[几幾][点點号號个個天次]|怎[么麼][办辦]|在哪|哪(?:[里裡天年]|一?[家位])"
    r"|\A\W*叫(?:什[么麼]|啥)|いつ|どこ|いくら|何時|どれくらい"
)
_BESIDE = _words("in on at of for from with by to under im auf für bei von dans sur en de à con para")
_SOMEWHERE = regex(rf"\b(?:{_BESIDE})\s+\w+\W*\Z", _FLAGS)  # "in London": names go without an article
_ADDS = regex(  # "the stack too?", "through our proxy though": to what was said
    rf"\b(?:{_words('too as_well then instead though tho either anyway auch dann trotzdem stattdessen aussi quand_même du_coup también tampoco entonces')})\W*\Z",
    _FLAGS,
)
_ASKS_OF_WHAT_WAS_SAID = regex(  # "why?", "why tho", "what do i tell them", "can i pay more": who or what it is about is not in there
    rf"""\W*(?:remind\ me\ )?
    (?: (?:{_WHY})(?:\s+\w|\W*\Z) | 为(?:什么|啥)(?:\w|\W*\Z)
      | (?:(?:who|what|which\ \w+)\ )?(?:{_words("can could do does did is are was will would should must may has have")})(?:n['’]?t)?\ (?:i|we|they|one)\b
      | (?:(?:wen|wem|was|wer|womit|wozu)\ )?(?:{_words("kann darf muss soll sollte könnte dürfen können müssen sollen")})\ (?:ich|man|wir)\b
      | (?:wen|wem|was|womit|wozu)\ \w+\ (?:ich|man|wir)\b )
    (?![^?]*\byou\b)""",
    _FLAGS,
)
_ASKS_FOR_THE = regex(  # "what was the booking ref": one noun, the definite article, and no owner
    rf"""\W*(?:{_WHO_WHAT}|{_OTHER_ASKING})(?:['’]?s)?\s+(?:(?!(?:{_BESIDE})\b)\w+\s+){{0,2}}?
    (?:(?:{_words("the der die das den le la les el los las il lo gli o os as het")})\s+|l['’])\w+(?:\s+\w+)?\W*\Z""",
    _FLAGS,
)
# Words that say nothing of the subject beside those of ``STOP_WORDS``: how one asks, and what one says of an answer.
_LIGHT_WORDS = """
    really actually even still now then else also exactly much many long far often soon ever maybe please want need sure right correct
    true mean means sense help explain work works okay fine good great thanks tell give show say said ok what's who's when's where's how's
    haha lol hehe wow whats whos whens wheres hows thats its dont cant isnt doesnt im ive id tho though instead go goes get gets come comes remind better worse anyway normally usually
    ab darf man hab habe gemacht zuletzt nochmal noch wieviel wieviele normalerweise wieder welche welcher welchen welches welchem tag wen wem hoch oft tan si tant
    wirklich eigentlich jetzt denn mal auch genau viel viele lange oft bitte danke stimmt sicher soll sollte muss kann gibt heißt
    déjà encore maintenant aussi vraiment combien comment merci bien sûr faut peut dois c'est ça c'était n'est qu'est-ce est-ce
    cuánto cuánta cuántos cuántas cómo cual ahora también entonces gracias bien puedo puede hay quanto quanta come quale grazie obrigado
    сколько сейчас
"""
_LIGHT = frozenset(map(fold, _LIGHT_WORDS.split())).union(*STOP_WORDS.values())
# What things and people have: alone, it is not said whose.
_PROPERTY_WORDS = """
    number phone tel telephone mobile cell email mail address postcode price cost date place hours deadline birthday surname size colour color
    brand model link url login nummer telefonnummer handynummer telefon handy mailadresse adresse anschrift preis kosten datum ort öffnungszeiten frist
    geburtstag nachname größe farbe marke numéro téléphone adresse prix horaires anniversaire taille couleur número teléfono móvil correo dirección precio
    fecha horario cumpleaños apellido talla 电话 地址 价格 号码 邮箱 生日
"""
_PROPERTIES = frozenset(map(fold, _PROPERTY_WORDS.split()))
_HAN_LIGHT = regex(
    "[的了是吗嗎呢吧呀啊么麼什怎哪谁誰几幾多少那这這有要会會能可以后後来來再也都就还還在们們她他它はがをにでのとも]"
)


def left_out(prompt: str, recent: Sequence[Message], *, entities: Collection[Entity], constants: FollowUps) -> str:
    """Return what the turns before say of what ``prompt`` leaves out, in their words; "" when it is complete.

    ``recent`` is the conversation, oldest first; ``entities`` are what the prompt itself names.
    """
    if not recent or not leaves_out(prompt, entities=entities, constants=constants):
        return ""
    return said_before(prompt, recent, constants=constants)


def perhaps_left_out(
    prompt: str, recent: Sequence[Message], *, entities: Collection[Entity], constants: FollowUps
) -> str:
    """Return the same of what a prompt may leave out that reads as if complete: "what has to be on the photo".

    ``follows`` says whether it does. "" of what says what it is about: it names a thing or a time, or has many words.
    """
    few = len(prompt) <= constants.longest and 1 <= len(_telling(prompt)) <= constants.perhaps
    whole = _MINE.search(prompt) or _ASKS_WHAT_IT_IS.match(prompt) or mentions_time(prompt)
    if not recent or not few or entities or whole or not (asks(prompt) or _ASKS_ELSEWHERE.search(prompt)):
        return ""
    return said_before(prompt, recent, constants=constants)


def follows(
    alone: Sequence[Candidate],
    after: Sequence[Candidate],
    prompt: str,
    *,
    min_score: float,
) -> bool:
    """Say whether a prompt is answered by what was found for it ``after`` the turns before, not by what was found ``alone``.

    The passage must have half of the prompt's own words; where that alone is answered, too, more than half, no fewer than
    that answer has, and be as sure.
    """
    asked = [frozenset(terms(word)) for word in _telling(prompt)]
    if not after or after[0].relevance < min_score:
        return False
    held = _held(asked, after[0])
    if not alone or alone[0].relevance < min_score:
        return 2 * held >= len(asked)
    as_sure = after[0].relevance >= alone[0].relevance
    return as_sure and 2 * held > len(asked) and held >= _held(asked, alone[0])


def _held(words: Sequence[Collection[str]], candidate: Candidate) -> int:
    """Return how many words a passage has, each given by its terms."""
    return sum(not candidate.chunk.terms.distinct.isdisjoint(word) for word in words)


def said_before(prompt: str, recent: Sequence[Message], *, constants: FollowUps) -> str:
    """Return what the user asked last in full, what was asked in between, and the names in the last answer.

    Who asks for the day after asks for what the answer did not tell of.
    """
    onward, own = bool(steps(prompt)), prompt.strip()
    said = [m for n, m in enumerate(recent, 1) if m.text.strip() != own or (onward and n < len(recent))]
    asked: list[str] = []
    for message in reversed(said):
        if message.role != "user" or not _telling(message.text):
            continue
        asked.insert(0, _beginning(message.text))
        if len(asked) == constants.turns or not leaves_out(message.text, entities=(), constants=constants):
            break
    if not asked:
        return ""
    answer = next((message.text for message in reversed(said) if message.role == "assistant" and not onward), "")
    known = {fold(word) for words in asked for word in _telling(words)}
    names = [word for word in _telling(_beginning(answer)) if _is_name(word) and fold(word) not in known]
    return ", ".join([*asked, *dict.fromkeys(names)])


def leaves_out(prompt: str, *, entities: Collection[Entity], constants: FollowUps) -> bool:
    """Say whether one has to know the conversation to know what ``prompt`` is about."""
    if len(prompt) > constants.longest:
        return False
    prompt = _ASIDES.sub("", prompt)
    if steps(prompt) and len(_telling(prompt)) <= 3:
        return True
    telling, named = len(_telling(prompt)), bool(entities)
    of_what_was_said = bool(_ASKS_OF_WHAT_WAS_SAID.match(prompt))
    in_question = asks(prompt) or _TOPIC_QUESTION.search(prompt) or _ASKS_A_PROPERTY_UNSPACED.search(prompt)
    if telling > constants.telling or not (telling or in_question) or _EXCLAIMS.match(prompt):
        return False
    if telling <= (1 if named else 3) and (_opens(prompt) or _ADDS.search(prompt)):
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
    bare = telling > 0 and all(fold(word) in _PROPERTIES for word in _telling(prompt))
    of_another = bare or (of_what_was_said and telling <= 1) or _asks_a_property(prompt, telling)
    return of_another and not _MINE.search(prompt)


def asks(prompt: str) -> bool:
    """Say whether this is a question, and not one to the assistant about itself."""
    said = _ASIDES.sub("", prompt)
    return bool(_QUESTION.match(said)) and not _EXCLAIMS.match(said)


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
