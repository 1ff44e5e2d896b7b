"""Gate: from the prompt alone, whether memory is worth a search; cheap, and only for the obvious.

A prompt is skipped when it is short and names nothing to search for, when it matches a skip pattern, or when it is a
machine's output. A polite prefix
is stripped before the patterns look ("Thanks! And what about the auth bug?" is a question), and a sign of recall ("we",
"yesterday", "my dentist", a name that the store knows) overrides them. So does a word whose translation is asked for and that the notes
have, as a glossary does.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence, Set

from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.regex import regex
from hookclaw_py.speech.errands import BUILT_IN_PATTERNS, SMALL_WORD
from hookclaw_py.speech.phrases import ASKED
from hookclaw_py.speech.typed import FLAGS, any_of
from hookclaw_py.text import terms, words

_WINDOW = 4000  # characters the patterns look at: a longer prompt says what it wants at one of its ends
_NAME_WORDS = 4
_TERM_WORDS = 3  # of what is asked for in another language; more is a sentence
SMALL_TALK = BUILT_IN_PATTERNS[0]
_SMALL_TALK = "small_talk"  # its group

_POLITE = any_of(
    """ok(?:ay)? yes yep yeah yup sure(?:_thing)? no nope nah right alright great good(?:_(?:morning|afternoon|evening|day))? perfect cool nice awesome fine excellent well so and but also now then um+
    uh+ hm+ oh ah hi hey hello hiya howdy greetings there again everyone claude assistant thanks(?:_(?:a_lot|so_much|again|very_much))?
    thank_you(?:_(?:so|very)_much)? thx ty cheers got_it i_see makes_sense sounds_good please pls plz kindly just quick_question btw by_the_way one_more_(?:thing|question)
    actually anyway wait sorry excuse_me (?:can|could|would|will)_(?:you|u) i(?:['’]d|_would)_(?:like|love)_(?:you_)?to i_(?:want|need)_(?:you_)?to are_you_able_to help_me(?:_to)?
    go_ahead_and danke bitte ja nein hallo merci oui non bonjour salut gracias hola sí vale por_favor grazie buongiorno buonasera scusa per_favore obrigad[oa] olá bom_dia спасибо да нет привет хорошо пожалуйста"""
)
_WISHES = any_of(
    """(?:i_)?hope_(?:you(?:['’]re|_are)_(?:all_)?(?:doing_)?(?:well|fine|great|good)|(?:all|everything)_is_well|this_(?:message_|e-?mail_|note_)?finds_you_well|you_had_a_(?:good|great|nice)_(?:day|week(?:end)?|evening))
    i_was_(?:just_)?wondering(?:_(?:if|whether)_you_(?:can|could|might))? (?:when|if)_you_have_a_(?:minute|moment|second)
    (?:peux|pourrais)[-_]tu_me_dire (?:pouvez|pourriez)[-_]vous_me_dire (?:me_)?(?:puedes|podrías|podría)_decir(?:me)? (?:kannst|könntest)_du_mir_(?:(?:bitte|mal|kurz)_)*sagen
    (?:ich_)?hoffe,?_(?:dass_)?(?:(?:dir|euch|ihnen)_geht(?:_es|['’]s)_gut|es_geht_(?:dir|euch|ihnen)_gut)
    j['’]espère_que_(?:tu_vas|vous_allez|tout_va)_bien espero_que_(?:estés|estéis|esté|todo_vaya|todo_esté)_bien spero_(?:che_)?(?:tu_stia|vada_tutto|tutto)_bene"""
)
_PREFIX = regex(
    rf"[¿¡]?(?:(?:{_WISHES}|{_POLITE})(?![\w'’-])|(?:谢谢你?|好的?|嗯|你好|您好|请|はい)(?=[\s,，。！!、]))[\s,.;:!?¿¡…，。！、–—-]*",
    FLAGS,
)
_THANKS = any_of(
    """thanks(?:_(?:a_lot|so_much|again|very_much|a_million|in_advance|for_(?:the|your)_help))? thank_you(?:_(?:so|very)_much|_in_advance|_again)? thx ty cheers much_appreciated
    please pls plz danke(?:_(?:schön|sehr|dir))? bitte merci(?:_beaucoup|_d['’]avance)? gracias por_favor grazie(?:_mille)? per_favore stp svp s['’]il_(?:te|vous)_plaît (?:muito_)?obrigad[oa] спасибо пожалуйста"""
)
_SUFFIX = regex(
    rf"(?<=[\s.!?…,;–—-])(?:{_THANKS}|谢谢[你您]?)[\s.!…)]*\Z|(?<=[。！？，])(?:谢谢[你您]?|ありがとう(?:ございます)?)[\s。！]*\Z",
    FLAGS,
)
_GREETINGS = any_of(
    """(?:(?:best|kind|warm)_)?regards best_wishes all_the_best (?:viele|liebe|beste|schöne|herzliche)_grü(?:ße|sse|ßle) mit_freundlichen_grü(?:ßen|ssen) lg vg mfg
    (?:many_)?thanks_in_advance (?:vielen_)?dank(?:e)?_im_voraus merci_d['’]avance gracias_de_antemano
    (?:bien_)?cordialement bonne_(?:journée|soirée) bises bisous amicalement (?:un_)?(?:cordial_)?saludos? un_abrazo (?:cordiali_)?saluti um_abraço"""
)
_SIGNED = regex(rf"(?<=[.!?…,;\n–—])\s*{_GREETINGS}(?:[\s,]+[^\W\d_]+){{0,2}}[\s.!,]*\Z", FLAGS)
_TAIL = 60  # characters in which the thanks at the end stand
_WHEN = any_of(
    """time day night week(?:end)? month year session meeting call chat conversation discussion talk sprint release trip visit spring summer autumn
    fall winter (?:mon|tues|wednes|thurs|fri|satur|sun)day january february march april may june july august september october november december"""
)
_RECALL = regex(
    rf"""(?<![\w'’])(?:we|ours?|ourselves|we['’](?:re|ve|d|ll)|mine|i['’]ve)(?!\w)
    | \bmy\ (?!(?:name\ is|question|god|goodness|bad|pleasure|request|message|prompt|changes|deps|dependencies)\b)\w
    | \b(?:last|past|previous|the\ other)\ {_WHEN}\b | \b(?:yesterday|remember|remind|previously|already|ago|the\ usual|as\ usual|so\ far|back\ then)\b
    | \b(?:recall|forg[eo]t|decided?|decisions?|discuss(?:ed|ion)|talked\ about|promised|agreed\ (?:on|to|that|upon)|notes?\ (?:about|on|from))\b | \bearlier\b(?!\ (?:answer|reply|response))
    | \b(?:what(?:['’]?s|\ is)\ (?:on|planned|coming\ up)|anything\ (?:on|planned))\ (?:for\ )?(?:today|tomorrow|tonight|this|next|the)\b
    | \bwas\ (?:steht|liegt|ist)\ (?:heute|morgen|diese|nächste)\b(?!\ für\ ein\b) | \bqué\ (?:hay|tengo)\ (?:hoy|mañana)\b | (?:今天|明天|后天)有(?:什么|啥)
    | \bstill\b(?=[^.\n]{{0,200}}\?) | \bagain\s*\?
    | \b(?:did|have|had|was|were|am|do|should|could)\ i\b(?!\ (?:say|spell|ask)\b) | \bi\ (?:said|told|mentioned|asked|usually|always|never|prefer|decided|chose|wrote|saved|noted)\b
    | \b(?:you|he|she|they)\ (?:said|told|mentioned|suggested|recommended|promised|wrote|noted|gave|sent)\b
    | (?<!\buhr\ haben\ )(?<!\btag\ haben\ )(?<!\bdatum\ haben\ )(?<!wievielten\ haben\ )\bwir\b | \b(?:uns|unser\w*|meine?[rsmn]?|gestern|vorgestern|neulich|damals|erinner\w*|beschlossen|entschieden|vereinbart|besprochen|letzte[nrsm]?(?!\ (?:antwort|absatz)\b)|habe?\ ich|hatte\ ich|war\ ich)\b
    | (?<!\bjour\ sommes[-\ ])(?<!\bdate\ sommes[-\ ])\bnous\b(?!\ sommes\ (?:quel|le\ combien)) | \b(?:notre|nos|mon|mes|hier|souviens|rappelle\w*|décidé\w*|convenu\w*|discuté\w*|derni(?:er|ère)s?(?!\ (?:réponse|phrase|paragraphe)\b)|déjà|ai-je)\b
    | \b(?:nosotr[oa]s|nuestr[oa]s?|mis?\ (?!(?:dici|puoi|potresti|sai|spieghi|traduci|racconti|riassumi|correggi)\b)[^\W\d]{{3,}}|ayer|recuerd\w*|acordamos|decidimos|hablamos|dij(?:e|imos|iste)|pasad[oa]|última\ vez)\b
    | \b(?:noi|nostr[oaie]|(?<!dios\ )mio|(?<!mamma\ )(?<!madre\ )mia|miei|ieri|ricord\w*|abbiamo(?!\ oggi)|avevamo|deciso|scors[oaie]|ultim[oa]\ volta|ho\ (?:detto|scritto|chiesto|messo|pagato|comprato|salvato))\b
    | \b(?:nós|noss[oa]s?|meus?|minhas?|ontem|anteontem|lembr\w*|combin(?:ei|amos)|falamos|dissemos|passad[oa]|eu\ (?:disse|falei|pedi))\b
    | \b(?:мы|нас|нам|нами|наш\w*|мо[йяеёию]|моего|моей|вчера|позавчера|помни\w*|напомни\w*|вспомни\w*|решил\w*|договор\w*|обсужда\w*|обсудил\w*|прошл\w*|раньше|говорил\w*)\b
    | 我们|我們|咱们|我的|我家|上次|上回|昨天|前天|之前|以前|记得|記得|忘了|决定|決定|说过|說過|提到|提过|讨论|討論|约定|刚才|曾经|上周|上个月|去年
    | 私たち|僕たち|私の|僕の|前回|昨日|先週|先月|去年|覚えて|決め|以前|話し | 우리|내가|제가|지난|어제|기억|결정""",
    FLAGS,
)

_A_DAY = any_of(
    """(?:this_|the_)?weekend today tomorrow tonight (?:am_|dieses_)?wochenende heute übermorgen morgen (?:abend|früh) (?:ce_|le_)?week-?end aujourd['’]?hui (?:après-?)?demain ce_soir (?:el_|este_)?finde
    hoy (?:pasado_)?mañana esta_noche (?:nel_|questo_)?weekend oggi dopodomani domani stasera"""
)
_FOR_A_DAY = regex(
    rf"""\W*(?:(?:and|und|et|e|y)\ )?(?: (?:what(?:['’]?s|\ is)?(?:\ (?:on|up|for))?|was(?:\ (?:ist|hab(?:e)?\ ich))?|(?:j['’]ai\ |on\ a\ )?quoi|qué(?:\ (?:hay|tengo))?|cos['’]ho|(?:che|cosa)(?:\ (?:ho|abbiamo|c['’]è))?)\ {_A_DAY}\W*
      | {_A_DAY}\ (?:what|was|quoi|j['’]ai\ quoi|qué|(?:che|cosa)(?:\ (?:ho|abbiamo|c['’]è))?)\W* | {_A_DAY}\ *\? )\Z""",
    FLAGS,
)
"""A short prompt that asks for nothing but a day: "quoi demain", "domani?"."""

_POSSESSIVE = regex(r"['’]s\b")

_SILENT_TOKEN = regex(r"[`*_\s]*(?:NO_REPLY|HEARTBEAT_OK|ANNOUNCE_SKIP|REPLY_SKIP)[`*_.!\s]*\Z")
_TOOL_RESULT = regex(r"[\[<]?(?:tool|function)[_ -](?:result|output|response|call)s?[\]>:]", re.IGNORECASE)
_ENCODED = regex(r"(?:data:[\w.+/-]{1,80};base64,)?[A-Za-z0-9+/=_-]{80,}\Z|-----BEGIN [A-Z ]{3,40}-----")
_LONE_FENCE = regex(r"```[\w+-]{0,20}[ \t]*\n((?:(?!```)[\s\S])*)```\Z")
_TAG = regex(r"<(?:\?xml\b|!DOCTYPE\b|[A-Za-z_][\w:.-]{0,60}[\s/>])", re.IGNORECASE)
_TAGGED_QUESTION = regex(r"\w[?？](?:\s|</)")
_DIFF = regex(r"diff --git |--- \S[^\n]*\n\+\+\+ \S|@@ -\d+(?:,\d+)? \+\d+")
_LOG_LINE = regex(
    r"""\s*(?: \[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d | \[?\d\d:\d\d:\d\d | \[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b | at\ \S+[(:] | File\ "[^"]*",\ line\ \d
        | Traceback\ \(most\ recent | Caused\ by: | Exception\ in\ thread | \.\.\.\ \d+\ more | goroutine\ \d | [\w.$]{1,120}(?:Error|Exception)(?::|\Z) | npm\ (?:ERR|WARN)! )""",
    re.VERBOSE,
)


def compile_patterns(patterns: Sequence[str] | None) -> tuple[re.Pattern[str], ...]:
    """Return skip patterns ready for ``skip_reason``: None = the built-in ones, () = none. Case does not count.

    Raises:
        re.error: if one is not a regular expression; the configuration has checked them before.
    """
    if patterns is None:
        return BUILT_IN_PATTERNS
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


def skip_reason(
    text: str,
    *,
    min_chars: int,
    patterns: Sequence[re.Pattern[str]],
    names: Set[str],
    held: Callable[[Collection[str]], Collection[str]],
) -> Why | None:
    """Return why ``text`` needs no memory; None = let it pass.

    ``min_chars`` is a width: East Asian wide characters count 3, and an equal length passes; a shorter prompt passes as
    well when it has a telling word ("rent?", "E-41", "who is Mara") or a sign of recall ("what did we do?"), for the store judges better than its length whether
    that has an answer. ``names`` are what the store knows, as folded words joined by one space, one to four of them.
    Patterns see the first 4,000 characters. A sign of recall overrides a pattern. Of index terms the notes have those that ``held`` returns.
    """
    prompt = text.strip()
    window = prompt[:_WINDOW]
    width = sum(3 if unicodedata.east_asian_width(c) in "WF" else 1 for c in prompt[:min_chars])
    rest = without_politeness(prompt)[:_WINDOW]
    if width < min_chars and not (_names_something(rest) or _asks_for_a_day(rest) or _recalls(prompt, names)):
        return Why(Reason.TOO_SHORT, str(len(prompt)))
    if _is_payload(prompt):
        return Why(Reason.PAYLOAD)
    seen = dict.fromkeys((rest, window, ASKED.sub("", rest) or rest))
    match = next((found for p in patterns for said in seen if (found := p.search(said))), None)
    if match is None or _recalls(prompt, names) or _asks_for_a_word(match, held):
        return None
    if _SMALL_TALK in match.re.groupindex and _asks_for_a_day(rest):
        return None
    return Why(Reason.PATTERN, next(iter(match.re.groupindex), match.re.pattern).replace("_", " "))


def without_politeness(prompt: str) -> str:
    """Return ``prompt`` without the greeting in front and the thanks behind, which say nothing to search for.

    A prompt that is nothing else stays as it is.
    """
    rest = _without_prefix(prompt)
    rest = (rest[:-_TAIL] + _SIGNED.sub("", rest[-_TAIL:])).rstrip(" ,;–—-")
    kept = (rest[:-_TAIL] + _SUFFIX.sub("", rest[-_TAIL:])).rstrip(" ,;–—-")
    return kept or prompt


def _names_something(prompt: str) -> bool:
    """Say whether a short prompt has a word that is more than small talk and function words."""
    return any(not SMALL_WORD.fullmatch(word) for word in words(prompt) if terms(word))


def _asks_for_a_day(prompt: str) -> bool:
    return _FOR_A_DAY.match(prompt) is not None


def _asks_for_a_word(match: re.Match[str], held: Callable[[Collection[str]], Collection[str]]) -> bool:
    """Say whether a word or a term whose translation is asked for is one of the notes'."""
    asked = next((said for group, said in match.groupdict().items() if said and group.startswith("word")), "")
    found, of = words(asked), terms(asked)
    if not of or len(found) > _TERM_WORDS or any(SMALL_WORD.fullmatch(word) for word in found):
        return False
    return len(set(held(of))) == len(set(of))


def _recalls(prompt: str, names: Set[str]) -> bool:
    window = prompt[:_WINDOW]
    return bool(_RECALL.search(window) or _RECALL.search(prompt[-_WINDOW:])) or _mentions(window, names)


def _without_prefix(prompt: str) -> str:
    """Return ``prompt`` from where it says something, or whole when it is all politeness."""
    at = 0
    while prefix := _PREFIX.match(prompt, at):
        at = prefix.end()
    return prompt[at:] or prompt


def _mentions(prompt: str, names: Set[str]) -> bool:
    """Say whether one of ``names`` is there, also as "Helios's"."""
    if not names:
        return False
    return any(
        " ".join(found[start : start + length]) in names
        for found in map(words, {prompt, _POSSESSIVE.sub("", prompt)})
        for start in range(len(found))
        for length in range(1, min(_NAME_WORDS, len(found) - start) + 1)
    )


def _is_payload(prompt: str) -> bool:
    """Say whether this is a machine's output and nothing else; a question beside it makes it a person's prompt."""
    if _SILENT_TOKEN.match(prompt) or _ENCODED.match(prompt):
        return True
    fence = _LONE_FENCE.match(prompt)
    body = fence[1].strip() if fence else prompt
    lines = [line for line in body.splitlines() if line.strip()]
    if not lines or _is_json(body, lines):
        return bool(lines)
    if any(_asks(line) for line in lines):
        return False
    if _TOOL_RESULT.match(body):
        return True
    if _TAG.match(body) and body.endswith(">"):
        return not (_TAGGED_QUESTION.search(body, 0, _WINDOW) or _RECALL.search(body, 0, _WINDOW))
    if _DIFF.match(body):
        return lines[-1][0] in "+-@ \\"
    logged = [bool(_LOG_LINE.match(line)) for line in lines]
    return len(lines) >= 3 and logged[0] and logged[-1] and sum(logged) * 2 >= len(lines)


def _is_json(body: str, lines: list[str]) -> bool:
    if body[0] not in "{[" or body[-1] not in "}]":
        return False
    try:
        json.loads(body if len(lines) == 1 or lines[0].strip()[-1] not in "}]" else lines[0])
    except (ValueError, RecursionError):
        return False
    return True


def _asks(line: str) -> bool:
    """Say whether a line is a question in prose: not code, not a diff, not a fragment."""
    return (
        line.rstrip(" \t\r\"')*_").endswith(("?", "？"))
        and line[0] not in "+-@ \t<{"
        and (len(line.split()) >= 3 or not line.isascii())
    )
