"""Gate: from the prompt alone, whether memory is worth a search; cheap, and only for the obvious.

A prompt is skipped when it is short and names nothing to search for, when it matches a skip pattern, or when it is a
machine's output. A polite prefix
is stripped before the patterns look ("Thanks! And what about the auth bug?" is a question), and a sign of recall ("we",
"yesterday", "my dentist", a name that the store knows) overrides them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence, Set

from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.regex import regex
from hookclaw_py.text import terms, words

_WINDOW = 4000  # characters the patterns look at: a longer prompt says what it wants at one of its ends
_NAME_WORDS = 4
_FLAGS = re.VERBOSE | re.IGNORECASE


def _any(phrases: str) -> str:
    """Return an alternation of phrases, separated by spaces; "_" stands for a space within one."""
    return "(?:" + "|".join(phrase.replace("_", r"\ ") for phrase in phrases.split()) + ")"


# Words that carry nothing to search for: a prompt made of them alone is small talk.
_SMALL_TALK = _any(
    """it['’]s that['’]s i['’]m you['’]re don['’]t how['’]s what['’]?s_up nice_to_meet ok okay k kk yes yep yup yeah yea ya aye sure thing of_course absolutely definitely certainly correct right alright true exactly indeed
    agreed i agree no nope nah not now really at_all yet maybe perhaps possibly know care mind never nevermind whatever fine good
    great nice cool awesome perfect excellent wonderful amazing brilliant fantastic lovely neat sweet super wow haha+ lol got gotcha see
    understand understood roger that makes sense fair enough problem worries thanks? thx ty cheers much appreciated? appreciate you your
    welcome so very a lot bunch million man mate buddy dude friend everyone all there again for the help assistance answer reply info support time
    advice tips? everything update done ready go on ahead it continue proceed carry keep going next more stop wait cancel undo retry try do same ship lgtm
    looks? sounds? seems? work(?:s|ed)? help(?:s|ed)? job funny is am dont wrong false helpful interesting better pretty to me this please pls
    plz kindly too then just well um+ uh+ hm+ oh ah also and but or bye goodbye later soon tomorrow around night take talk have one day evening
    weekend hi+ hey+ hello+ hiya howdy yo greetings morning afternoon today how_(?:are|is) doing claude assistant
    danke dir euch schön sehr vielmals vielen dank bitte ja nein genau alles klar gut prima hallo guten tag morgen abend gute nacht tschüss? mach weiter und für deine hilfe das war hilfreich
    bis später dann gleich bald jo jep joa passt schon gerne? toll klasse moin servus grüß gott na hihi haha+ stimmt gut_gemacht wieder da zurück schönen? feierabend wochenende los geht['’]?s
    merci beaucoup pour ton votre aide bien s['’]il vous te plaît oui non d['’]accord parfait très bonjour bonsoir salut continuez? muchas gracias por tu su ayuda favor sí si
    à demain plus_tard tout_à_l['’]heure bientôt bonne nuit journée soirée génial ça_marche ça_va mille_fois coucou me_revoilà ouais nickel impec
    vale perfecto muy hola buen[oa]s? días tardes noches adiós aquí otra_vez de_nuevo hasta mañana luego pronto genial guay estupendo venga listo ja(?:ja)+ saludos nos_vemos
    grazie mille tutto perfetto ciao muito obrigad[oa] pela ajuda olá
    спасибо большое огромное за помощь да нет хорошо ладно понятно понял[аи]? привет здравствуйте? добрый день доброе утро пока отлично супер
    продолжай(?:те)? дальше пожалуйста"""
)
_SMALL_TALK_UNSPACED = _any(
    """我?回来了 明天见 回头见 拜拜 哈哈+ 辛苦了 太好了 不错 收到 好嘞 谢[啦了] 厉害 真?棒 在吗 谢谢你? 谢谢您 你的 帮助 非常好 謝謝你? 多谢 非常感谢 好的? 好吧 行 可以 嗯+ 是的? 对 不是 不用了? 没问题 明白了? 知道了? 继续吧? 你好 您好 早上好 晚上好 晚安 再见 请 了 吧 啊
    ありがとう(?:ございま(?:す|した))? はい いいえ わかりました 了解(?:です|しました)? こんにちは おはよう(?:ございます)? 続けて(?:ください)?
    감사합니다 고마워요? 네 아니요 안녕하세요 알겠습니다 계속"""
)
_SMALL_WORD = regex(f"{_SMALL_TALK}|{_SMALL_TALK_UNSPACED}", re.VERBOSE | re.IGNORECASE)
_LANGUAGE = _any(
    """arabic bengali chinese croatian czech danish dutch english esperanto finnish french german greek hawaiian hebrew hindi hungarian
    icelandic indonesian irish italian japanese klingon korean latin mandarin norwegian persian polish portuguese punjabi romanian russian
    spanish swahili swedish tagalog tamil thai turkish ukrainian urdu vietnamese welsh"""
)
_UNIT = _any(
    """inch(?:es)? foot feet yards? miles? mm cm km (?:centi|kilo|milli)?met(?:er|re)s? ounces? oz pounds? lbs? kgs? (?:kilo)?grams? kilos? cups? pints?
    quarts? gallons? (?:milli)?lit(?:er|re)s? ml tea_?spoons? table_?spoons? tsps? tbsps? seconds? minutes? hours? days? weeks? months? years?
    (?:degrees_)?(?:celsius|fahrenheit|kelvin) bytes? [kmgt]b bits? usd eur gbp jpy inr dollars? euros? yen pesos? rupees?"""
)
_IS = r"(?:['’]?s|\ is|\ are)"
_PLACE = r"(?:\ (?:right\ now|now|today|tonight|tomorrow|currently|outside|this\ week(?:end)?|please|like|(?:in|at|for)\ [\w,.'’-]{1,30}(?:\ [\w,.'’-]{1,30}){0,3}))*+"
_NOW = r"(?:\ (?:right\ now|now|today|currently|please))*+"
_THAT = r"(?:(?:that|this|it|those|them)|(?:your|the)\ (?:last|previous|above|earlier)?\ ?(?:answer|reply|response|message|sentence|paragraph|output|text))"
_HOW = r"(?:\ (?:again|please|once\ more|one\ more\ time|in\ more\ detail|further|for\ me|slower|slowly|louder|in\ (?:[\w-]+\ )?(?:words?|sentences?|paragraphs?|bullet\ points?)))*+"
_TESTED = _any(
    """(?:the_|all_|all_the_)?(?:(?:unit|integration|e2e|whole|full|failing)_)*(?:tests?|test_suite|suite) (?:the_)?(?:build|linter|formatter|type_?checks?|ci|typos?)
    (?:the_|these_|all_|my_)?(?:changes|lint_errors?|imports|indentation|formatting|dependencies|deps) (?:the_|this_)?(?:file|code|project|script) everything it"""
)
_PROGRAM = _any(
    r"""git_(?:add|status|diff|log|push|pull|fetch|commit|checkout|switch|stash|rebase|merge|reset|clone|branch) (?:npm|pnpm|yarn|bun)_(?:run|install|test|ci|start|build|add)
    pip3?_install uv_(?:run|sync|pip) pytest cargo_(?:build|run|test|check|fmt|clippy) go_(?:build|test|run)_\./\S* docker(?:_compose|-compose)?_(?:ps|up|down|build|run|logs|exec|pull|push)
    kubectl_(?:get|describe|logs|apply|delete|exec) make_(?:test|build|all|install|clean|lint) (?:ls|cd|cat|mkdir|rm|chmod)_[-./~]\S* pwd curl_(?:-|https?:)\S+ \$_\S+"""
)
_ARGUMENT = rf"""(?:'[^'\n]{{0,300}}'|"[^"\n]{{0,300}}"|(?!{_any("the a of for with is are was what how where when why who about from")}\b)[^\s?'"]{{1,200}})"""

# Anchored at the start, most of them at the end too. They see the prompt without its polite prefix.
_BUILT_IN = {
    "small talk": rf"(?:{_SMALL_TALK}\b\W*+)++\Z|(?:{_SMALL_TALK_UNSPACED}\W*+)++\Z",
    "slash command": r"/[a-z][a-z0-9_-]{0,40}(?:@[\w-]{1,40})?(?:\ [^?\n]{0,200})?\Z",
    "verse or joke": r"""(?:write|compose|create|make(?:\ up)?|generate|give|tell|sing|recite|say)\ (?:(?:me|us)\ )?(?:a|an|another|one|some|the|\d+|two|three)\ (?:[\w-]+\ ){0,4}?
        (?:poems?|haikus?|limericks?|sonnets?|jokes?|riddles?|puns?|rap|tongue[\ -]twisters?|fun\ facts?)\b
        | (?:do\ you\ )?(?:know|have)\ (?:a|any|some)\ (?:good\ |funny\ )?(?:jokes?|riddles?|fun\ facts?)\W*\Z
        | (?:schreib|reim|dichte|erzähl)e?\ (?:mir\ |uns\ )?(?:ein(?:en)?|was|etwas|noch)\ (?:[\w-]+\ ){0,2}?(?:gedicht|haiku|limerick|witz|reim|auf)\b
        | (?:écris|raconte|fais)(?:-moi)?\ (?:un|une)\ (?:[\w-]+\ ){0,2}?(?:poème|haïku|blague|comptine)\b
        | (?:escribe|cuenta|haz)(?:me)?\ un\ (?:[\w-]+\ ){0,2}?(?:poema|haiku|chiste)\b | (?:给我|帮我)?[写讲][一]?[首个][^\n]{0,12}(?:诗|笑话)""",
    "translation": rf"""(?:übersetze?|traduis(?:-moi)?|traduce(?:me)?)\b[\s\S]{{0,3000}}[:„"“«]
        | (?:请|帮我)?把[\s\S]{{0,3000}}翻译成 | 翻译(?:一下)?[:：] | translate\b[\s\S]{{0,3000}}?\b(?:to|into|in)\ {_LANGUAGE}\b | translate\ (?:this|the\ following)\b
        | (?:how\ (?:do|would|can|should)\ (?:you|i|they)\ say|what{_IS}\ the\ word\ for|what{_IS}(?=\ ['"‘“]))\ [^\n?]{{1,120}}\ in\ {_LANGUAGE}\W*\Z""",
    "arithmetic": r"""(?:(?:what(?:['’]?s|\ is)|how\ much\ is|calculate|compute|solve|evaluate|add|multiply|divide|subtract)\b)?+(?!\W*\d{4}-\d\d)
        (?=[^\n]*(?:\d\s*[+*/^×÷=%!]|\d\ -\ \d|[√]\d|\d\ (?:x|plus|minus|times|divided|multiplied|percent|squared|cubed|and|mod)\b|root\ of\ \d))
        (?:[\d\s.,+*/^()=×÷%!√π$-]|\b(?:x|plus|minus|times|divided|multiplied|by|over|of|percent|squared|cubed|and|from|the|square|cube|root|to|power|equals?|mod)\b)++\W*\Z""",
    "conversion": rf"""(?:convert|how\ many|how\ much|what{_IS})\ (?:[\w.,/$€£]+\ ){{0,3}}?{_UNIT}\ (?:are\ |is\ )?(?:there\ )?(?:in|to|into|per|make|equals?)
        (?:\ (?:a|an|one|[\d.,/]+))?\ {_UNIT}\W*\Z""",
    "meaning or spelling": rf"""(?:how\ (?:do|would|can)\ (?:you|i)\ spell|spell|define|what{_IS}\ the\ (?:definition|meaning|spelling)\ of)
        \ (?:the\ word\ )?(?!(?:done|ready|success)\b)["'“”‘’]?[a-z]{{1,30}}["'“”‘’]?\W*\Z""",
    "clock": rf"""(?:what(?:['’]?s|\ is)?\ )?(?:the\ )?(?:current\ )?(?:(?:time|date)(?:\ (?:is\ it|it\ is|is))?|day\ is\ it|date\ is\ today|today['’]?s\ date){_NOW}\W*\Z
        | (?:what\ time\ is\ it|what(?:['’]?s|\ is)\ the\ (?:current\ )?time){_NOW}\ in\ [\w.'’-]{{1,30}}(?:,?\ [\w.'’-]{{1,30}}){{0,2}}\W*\Z | tell\ me\ the\ (?:time|date){_NOW}\W*\Z""",
    "weather": rf"(?:what(?:['’]?s|\ is|\ will)|how{_IS}|tell\ me|check|show\ me)\ (?:the\ )?(?:current\ )?weather(?:\ forecast)?(?:\ be)?{_PLACE}\W*\Z",
    "chance": r"(?:flip|toss|roll|throw)\ (?:me\ )?(?:a|an|the|two|some|\d+)\ (?:[\w-]+\ ){0,2}?(?:coins?|dice|die|d\d+)\b[^?\n]{0,40}\Z|pick\ a\ random\ number\b[^?\n]{0,40}\Z",
    "about the assistant": rf"""(?:are\ you\ (?:an?\ )?(?:real\ )?(?:ai|bot|robot|human|person|machine|computer|real)(?:\ or\ [\w\ ]{{1,30}})? | what{_IS}\ your\ (?:name|age) | (?:who|what)\ are\ you
        | who\ (?:made|created|built|designed|programmed)\ you | how\ old\ are\ you | what\ (?:can|do)\ you\ do(?:\ for\ me)? | what\ (?:can|could|should)\ i\ ask\ you | help)\W*\Z""",
    "device": r"""(?:turn|bring|put|raise|lower|increase|decrease)\ (?:(?:up|down)\ )?(?:(?:the|your)\ )?(?:volume|sound)(?:\ (?:up|down|off|on|to\ \d+))?\W*\Z | (?:un)?mute\W*\Z
        | (?:(?:skip|play|go)\ (?:to\ )?)?(?:the\ )?next\ (?:song|track)\W*\Z | (?:set|start|stop|cancel|pause)\ (?:a|the)\ (?:[\w-]+\ ){0,3}timer\b[^?\n]{0,40}\Z""",
    "same conversation": rf"""(?:repeat|say|rephrase|rewrite|reword|shorten|simplify|summari[sz]e|expand(?:\ on)?|explain|redo|undo|revert|format)\ {_THAT}{_HOW}\W*\Z
        | (?:make|keep)\ (?:it|this|that)\ (?:(?:a\ (?:bit|little)|much|more|even|less)\ )*+(?:shorter|longer|simpler|funnier|clearer|better|concise|formal|casual|brief|detailed|short|simple)\W*\Z""",
    "command": rf"(?:re-?)?(?:run|execute|start|build|install|format|lint|test|commit|push|save|stage|fix)\ {_TESTED}(?:\ and\ (?:commit|push|fix)(?:\ (?:it|them|everything))?|\ to\ (?:git|github|main|master|origin))?{_HOW}\W*\Z",
    "shell": rf"{_PROGRAM}(?:\ +{_ARGUMENT}){{0,12}}+\s*\Z",
}
BUILT_IN_PATTERNS = tuple(
    regex(rf"\A(?P<{name.replace(' ', '_')}>{pattern})", _FLAGS) for name, pattern in _BUILT_IN.items()
)

SMALL_TALK = BUILT_IN_PATTERNS[0]

_POLITE = _any(
    """ok(?:ay)? yes yep yeah yup sure(?:_thing)? no nope nah right alright great good(?:_(?:morning|afternoon|evening|day))? perfect cool nice awesome fine excellent well so and but also now then um+
    uh+ hm+ oh ah hi hey hello hiya howdy greetings there again everyone claude assistant thanks(?:_(?:a_lot|so_much|again|very_much))?
    thank_you(?:_(?:so|very)_much)? thx ty cheers got_it i_see makes_sense sounds_good please pls plz kindly just quick_question btw by_the_way one_more_(?:thing|question)
    actually anyway wait sorry excuse_me (?:can|could|would|will)_(?:you|u) i(?:['’]d|_would)_(?:like|love)_(?:you_)?to i_(?:want|need)_(?:you_)?to are_you_able_to help_me(?:_to)?
    go_ahead_and danke bitte ja nein hallo merci oui non bonjour salut gracias hola sí vale por_favor спасибо да нет привет хорошо пожалуйста"""
)
_PREFIX = regex(
    rf"(?:{_POLITE}(?![\w'’-])|(?:谢谢你?|好的?|嗯|你好|您好|请|はい)(?=[\s,，。！!、]))[\s,.;:!?…，。！、–—-]*", _FLAGS
)
_THANKS = _any(
    """thanks(?:_(?:a_lot|so_much|again|very_much|a_million|in_advance|for_(?:the|your)_help))? thank_you(?:_(?:so|very)_much|_in_advance|_again)? thx ty cheers much_appreciated
    please pls plz danke(?:_(?:schön|sehr|dir))? bitte merci(?:_beaucoup)? gracias por_favor grazie obrigad[oa] спасибо пожалуйста"""
)
_SUFFIX = regex(
    rf"(?<=[\s.!?…,;–—-])(?:{_THANKS}|谢谢[你您]?)[\s.!…)]*\Z|(?<=[。！？，])(?:谢谢[你您]?|ありがとう(?:ございます)?)[\s。！]*\Z",
    _FLAGS,
)
_TAIL = 60  # characters in which the thanks at the end stand
_WHEN = _any(
    """time day night week(?:end)? month year session meeting call chat conversation discussion talk sprint release trip visit spring summer autumn
    fall winter (?:mon|tues|wednes|thurs|fri|satur|sun)day january february march april may june july august september october november december"""
)
_RECALL = regex(
    rf"""(?<![\w'’])(?:we|ours?|ourselves|we['’](?:re|ve|d|ll)|mine|i['’]ve)(?!\w)
    | \bmy\ (?!(?:name\ is|question|god|goodness|bad|pleasure|request|message|prompt|changes|deps|dependencies)\b)\w
    | \b(?:last|past|previous|the\ other)\ {_WHEN}\b | \b(?:yesterday|remember|remind|previously|already|ago|the\ usual|as\ usual|so\ far|back\ then)\b
    | \b(?:recall|forg[eo]t|decided?|decisions?|discuss(?:ed|ion)|talked\ about|promised|agreed\ (?:on|to|that|upon)|notes?\ (?:about|on|from))\b | \bearlier\b(?!\ (?:answer|reply|response))
    | \b(?:what(?:['’]?s|\ is)\ (?:on|planned|coming\ up)|anything\ (?:on|planned))\ (?:for\ )?(?:today|tomorrow|tonight|this|next|the)\b
    | \bwas\ (?:steht|liegt|ist)\ (?:heute|morgen|diese|nächste)\b | \bqué\ (?:hay|tengo)\ (?:hoy|mañana)\b | (?:今天|明天|后天)有(?:什么|啥)
    | \bstill\b(?=[^.\n]{{0,200}}\?) | \bagain\s*\?
    | \b(?:did|have|had|was|were|am|do|should|could)\ i\b(?!\ (?:say|spell|ask)\b) | \bi\ (?:said|told|mentioned|asked|usually|always|never|prefer|decided|chose|wrote|saved|noted)\b
    | \b(?:you|he|she|they)\ (?:said|told|mentioned|suggested|recommended|promised|wrote|noted|gave|sent)\b
    | \b(?:wir|uns|unser\w*|meine?[rsmn]?|gestern|vorgestern|neulich|damals|erinner\w*|beschlossen|entschieden|vereinbart|besprochen|letzte[nrsm]?|habe?\ ich|hatte\ ich|war\ ich)\b
    | \b(?:nous|notre|nos|mon|mes|hier|souviens|rappelle\w*|décidé\w*|convenu\w*|discuté\w*|derni(?:er|ère)s?|déjà|ai-je)\b
    | \b(?:nosotr[oa]s|nuestr[oa]s?|mis?\ [^\W\d]{{3,}}|ayer|recuerd\w*|acordamos|decidimos|hablamos|dij(?:e|imos|iste)|pasad[oa]|última\ vez)\b
    | \b(?:мы|нас|нам|нами|наш\w*|мо[йяеёию]|моего|моей|вчера|позавчера|помни\w*|напомни\w*|вспомни\w*|решил\w*|договор\w*|обсужда\w*|обсудил\w*|прошл\w*|раньше|говорил\w*)\b
    | 我们|我們|咱们|我的|我家|上次|上回|昨天|前天|之前|以前|记得|記得|忘了|决定|決定|说过|說過|提到|提过|讨论|討論|约定|刚才|曾经|上周|上个月|去年
    | 私たち|僕たち|私の|僕の|前回|昨日|先週|先月|去年|覚えて|決め|以前|話し | 우리|내가|제가|지난|어제|기억|결정""",
    _FLAGS,
)

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


def skip_reason(text: str, *, min_chars: int, patterns: Sequence[re.Pattern[str]], names: Set[str]) -> Why | None:
    """Return why ``text`` needs no memory; None = let it pass.

    ``min_chars`` is a width: East Asian wide characters count 3, and an equal length passes; a shorter prompt passes as
    well when it has a telling word ("rent?", "E-41", "who is Mara") or a sign of recall ("what did we do?"), for the store judges better than its length whether
    that has an answer. ``names`` are what the store knows, as folded words joined by one space, one to four of them.
    Patterns see the first 4,000 characters. A sign of recall overrides a pattern.
    """
    prompt = text.strip()
    window = prompt[:_WINDOW]
    width = sum(3 if unicodedata.east_asian_width(c) in "WF" else 1 for c in prompt[:min_chars])
    rest = without_politeness(prompt)[:_WINDOW]
    if width < min_chars and not (_names_something(rest) or _recalls(prompt, names)):
        return Why(Reason.TOO_SHORT, str(len(prompt)))
    if _is_payload(prompt):
        return Why(Reason.PAYLOAD)
    pattern = next((p for p in patterns if p.search(rest) or p.search(window)), None)
    if pattern is None or _recalls(prompt, names):
        return None
    return Why(Reason.PATTERN, next(iter(pattern.groupindex), pattern.pattern).replace("_", " "))


def without_politeness(prompt: str) -> str:
    """Return ``prompt`` without the greeting in front and the thanks behind, which say nothing to search for.

    A prompt that is nothing else stays as it is.
    """
    rest = _without_prefix(prompt)
    kept = (rest[:-_TAIL] + _SUFFIX.sub("", rest[-_TAIL:])).rstrip(" ,;–—-")
    return kept or prompt


def _names_something(prompt: str) -> bool:
    """Say whether a short prompt has a word that is more than small talk and function words."""
    return any(not _SMALL_WORD.fullmatch(word) for word in words(prompt) if terms(word))


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
