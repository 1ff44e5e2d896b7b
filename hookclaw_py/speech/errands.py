"""Errands: what is said to an assistant that no memory answers: small talk, a sum, the clock, the weather, a text to be put otherwise.

A pattern ends where the prompt does, or has the text that is to be worked on behind it: of "how cold is it" it says something, of "how cold is it in the larder" nothing.
Here they are in English, and what is the same everywhere; in other languages in ``phrases``.
"""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.speech.editing import REWRITING
from hookclaw_py.speech.phrases import A_DOCUMENT, PHRASES
from hookclaw_py.speech.typed import FLAGS, any_of, typed
from hookclaw_py.speech.units import CONVERSION

# Words that carry nothing to search for: a prompt made of them alone is small talk.
_SMALL_TALK = any_of(
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
    grazie mille tutto perfetto ciao salve buon(?:giorno|asera|anotte) buona_(?:giornata|serata|notte|domenica) buon_(?:weekend|pomeriggio|lavoro) va_bene (?:tutto|molto)_bene benissimo ottimo certo esatto giusto capito ho_capito d['’]accordo
    bravo bravissim[oa] prego figurati di_niente niente_di_che domani dopo presto così più_tardi arrivederci vai_avanti continua_pure eccomi rieccomi molto_(?:utile|gentile) per_l['’]aiuto fantastico bellissimo meraviglioso
    muito_(?:obrigad[oa]|bom|bem) obrigad[oa] valeu pela ajuda olá oi bom_dia boa_(?:tarde|noite) tudo_(?:bem|bom|certo) está_bem tá_bom perfeito ótimo entendi combinado até_(?:logo|amanhã|mais|já) tchau beleza de_nada por_nada que_bom
    pode_continuar
    спасибо большое огромное за помощь да нет хорошо ладно понятно понял[аи]? привет здравствуйте? добрый день доброе утро пока отлично супер
    продолжай(?:те)? дальше пожалуйста"""
)
_SMALL_TALK_UNSPACED = any_of(
    """我?回来了 明天见 回头见 拜拜 哈哈+ 辛苦了 太好了 不错 收到 好嘞 谢[啦了] 厉害 真?棒 在吗 谢谢你? 谢谢您 你的 帮助 非常好 謝謝你? 多谢 非常感谢 好的? 好吧 行 可以 嗯+ 是的? 对 不是 不用了? 算了 没事[儿了]? 没问题 明白了? 知道了? 继续吧? 你好 您好 早上好 晚上好 晚安 再见 请 了 吧 啊
    ありがとう(?:ございま(?:す|した))? はい いいえ わかりました 了解(?:です|しました)? こんにちは おはよう(?:ございます)? 続けて(?:ください)?
    감사합니다 고마워요? 네 아니요 안녕하세요 알겠습니다 계속"""
)
SMALL_WORD = regex(f"{_SMALL_TALK}|{_SMALL_TALK_UNSPACED}", FLAGS)
_LANGUAGE = any_of(
    """arabic bengali chinese croatian czech danish dutch english esperanto finnish french german greek hawaiian hebrew hindi hungarian
    icelandic indonesian irish italian japanese klingon korean latin mandarin norwegian persian polish portuguese punjabi romanian russian
    spanish swahili swedish tagalog tamil thai turkish ukrainian urdu vietnamese welsh"""
)
_IS = r"(?:['’]?s|\ is|\ are)"
_PLACE = r"(?:\ (?:right\ now|now|today|tonight|tomorrow|currently|outside|this\ week(?:end)?|please|like|(?:in|at|for)\ [\w,.'’-]{1,30}(?:\ [\w,.'’-]{1,30}){0,3}))*+"
_NOW = r"(?:\ (?:right\ now|now|today|currently|please))*+"
_OUTSIDE = r"(?:\ (?:right\ now|now|today|tonight|tomorrow|currently|outside|out\ there|this\ week(?:end)?|later|on\ (?:mon|tues|wednes|thurs|fri|satur|sun)day))*+"
_THAT = r"(?:(?:that|this|it|those|them)|(?:your|the)\ (?:last|previous|above|earlier)?\ ?(?:answer|reply|response|message|sentence|paragraph|output|text))"
_HOW = r"(?:\ (?:again|please|once\ more|one\ more\ time|in\ more\ detail|further|for\ me|slower|slowly|louder|in\ (?:[\w-]+\ )?(?:words?|sentences?|paragraphs?|bullet\ points?)))*+"
_TESTED = any_of(
    """(?:the_|all_|all_the_)?(?:(?:unit|integration|e2e|whole|full|failing)_)*(?:tests?|test_suite|suite) (?:the_)?(?:build|linter|formatter|type_?checks?|ci|typos?)
    (?:the_|these_|all_|my_)?(?:changes|lint_errors?|imports|indentation|formatting|dependencies|deps) (?:the_|this_)?(?:file|code|project|script) everything it"""
)
_PROGRAM = any_of(
    r"""git_(?:add|status|diff|log|push|pull|fetch|commit|checkout|switch|stash|rebase|merge|reset|clone|branch) (?:npm|pnpm|yarn|bun)_(?:run|install|test|ci|start|build|add)
    pip3?_install uv_(?:run|sync|pip) pytest cargo_(?:build|run|test|check|fmt|clippy) go_(?:build|test|run)_\./\S* docker(?:_compose|-compose)?_(?:ps|up|down|build|run|logs|exec|pull|push)
    kubectl_(?:get|describe|logs|apply|delete|exec) make_(?:test|build|all|install|clean|lint) (?:ls|cd|cat|mkdir|rm|chmod)_[-./~]\S* pwd curl_(?:-|https?:)\S+ \$_\S+"""
)
_ARGUMENT = rf"""(?:'[^'\n]{{0,300}}'|"[^"\n]{{0,300}}"|(?!{any_of("the a of for with is are was what how where when why who about from")}\b)[^\s?'"]{{1,200}})"""

_RECKON = (
    r"what(?:['’]?s|\ is)|how\ much\ is|calculate|compute|solve|evaluate|add|multiply|divide|subtract|算一?下|计算|"
    + typed(
        """(was|wie ?viel) (ist|sind|macht|gibt|ergibt)|rechne?( mir)?( mal| bitte)*|berechne|combien (font|fait|ça fait)|(c'est|ça fait) combien
    calcule|calcola?|(cuánto|quanto) (es|son|da|fa|fanno|è)|quant'è"""
    )
)
_TIMES = typed(
    """plus|minus|times|divided|multiplied|percent|squared|cubed|mod
    mal|geteilt|hoch|prozent|fois|divisée?|moins|pour cent|por( ciento)?|entre|dividido|más|menos|per( cento)?|diviso|più|meno"""
)
_ROOT_OF = typed("root of|wurzel (aus|von)|racine (carrée )?de|raíz (cuadrada )?de|radice (quadrata )?di")

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
    "translation": rf"""(?!translate\ {A_DOCUMENT})(?:translate\b[\s\S]{{0,3000}}?\b(?:to|into|in)\ {_LANGUAGE}\b | translate\ (?:this|the\ following)(?:\ (?:text|sentence|word|phrase|paragraph|line|for\ me))*\s*(?:[:.\n"“]|\Z)) | (?:in|into|to)\ {_LANGUAGE}\s*:\s*(?!{A_DOCUMENT})\S
        | (?:how\ (?:do|would|can|should)\ (?:you|i|they)\ say|what{_IS}\ the\ word\ for|what{_IS}(?=\ ['"‘“]))\ (?P<word>[^\n?]{{1,120}})\ in\ {_LANGUAGE}\W*\Z""",
    "arithmetic": rf"""(?:(?:{_RECKON})(?:\b|(?=\d)))?+(?!\W*\d{{4}}-\d\d)(?!\W*\d\d?/\d\d?(?:(?:\s*[-–]\s*|\ )\d\d?/\d\d?)?\W*\Z)
        (?=[^\n]*(?:\d\s*[+*/^×÷=%!]|\d\ -\ \d|[√]\d|\d\ (?:x|and|{_TIMES})\b|{_ROOT_OF}\ \d|\d\s*(?:乘以?|除以|加上?|减去?)\s*\d))
        (?:[\d\s.,+*/^()=×÷%!√π$-]|\b(?:x|over|of|by|and|from|the|to|power|equals?|square|cube|root|von|durch|aus|gleich|par|au|de|di|{_TIMES}|{_ROOT_OF})\b|乘以?|除以|加上?|减去?|等于|是|多少|几)++\W*\Z""",
    "conversion": CONVERSION,
    "meaning or spelling": rf"""(?:how\ (?:do|would|can)\ (?:you|i)\ spell|spell|define|what{_IS}\ the\ (?:definition|meaning|spelling)\ of)
        \ (?:the\ word\ )?(?!(?:done|ready|success)\b)["'“”‘’]?[a-z]{{1,30}}["'“”‘’]?\W*\Z""",
    "clock": rf"""(?:what(?:['’]?s|\ is)?\ )?(?:the\ )?(?:current\ )?(?:(?:time|date)(?:\ (?:is\ it|it\ is|is))?|day(?:\ of\ the\ week)?\ is\ it|day\ is\ today|date\ is\ today|today['’]?s\ date){_NOW}\W*\Z
        | (?:what\ time\ is\ it|what(?:['’]?s|\ is)\ the\ (?:current\ )?time){_NOW}\ in\ [\w.'’-]{{1,30}}(?:,?\ [\w.'’-]{{1,30}}){{0,2}}\W*\Z | tell\ me\ the\ (?:time|date){_NOW}\W*\Z""",
    "weather": rf"""(?:what(?:['’]?s|\ is|\ will)|how{_IS}|tell\ me|check|show\ me)\ (?:the\ )?(?:current\ )?weather(?:\ forecast)?(?:\ be)?{_PLACE}\W*\Z
        | (?:the\ )?weather(?:\ forecast)?{_PLACE}\W*\Z | (?:is\ it\ (?:raining|snowing|sunny|windy)|(?:will\ it|is\ it\ (?:going\ to|gonna))\ (?:rain|snow))(?:\ in\ [\w.'’-]{{1,30}}(?:\ [\w.'’-]{{1,30}}){{0,2}})?{_OUTSIDE}\W*\Z
        | (?:how\ (?:hot|cold|warm)\ (?:is|will)\ it(?:\ be|\ get)?|(?:will\ it|is\ it\ (?:going\ to|gonna))\ be\ (?:hot|cold|warm|sunny|windy|rainy)){_OUTSIDE}\W*\Z | what(?:['’]?s|\ is)\ the\ temperature{_OUTSIDE}\W*\Z""",
    "chance": r"(?:flip|toss|roll|throw)\ (?:me\ )?(?:a|an|the|two|some|\d+)\ (?:[\w-]+\ ){0,2}?(?:coins?|dice|die|d\d+)\b[^?\n]{0,40}\Z|pick\ a\ random\ number\b[^?\n]{0,40}\Z",
    "about the assistant": rf"""(?:are\ you\ (?:an?\ )?(?:real\ )?(?:ai|bot|robot|human|person|machine|computer|real)(?:\ or\ [\w\ ]{{1,30}})? | what{_IS}\ your\ (?:name|age) | (?:who|what)\ are\ you
        | who\ (?:made|created|built|designed|programmed)\ you | how\ old\ are\ you | what\ (?:can|do)\ you\ do(?:\ for\ me)? | what\ (?:can|could|should)\ i\ ask\ you | help
        | (?:what|which)\ (?:ai\ |language\ )?model\ are\ you | (?:do|can)\ you\ (?:speak|understand)\ {_LANGUAGE} | can\ you\ (?:see|read|view|open)\ (?:images|pictures|photos|pdfs|files) | how\ are\ you\ feeling(?:\ today)?)\W*\Z""",
    "device": r"""(?:turn|bring|put|raise|lower|increase|decrease)\ (?:(?:up|down)\ )?(?:(?:the|your)\ )?(?:volume|sound)(?:\ (?:up|down|off|on|to\ \d+))?\W*\Z | (?:un)?mute\W*\Z
        | (?:(?:skip|play|go)\ (?:to\ )?)?(?:the\ )?next\ (?:song|track)\W*\Z | (?:set|start|stop|cancel|pause)\ (?:a|the)\ (?:[\w-]+\ ){0,3}timer\b[^?\n]{0,40}\Z""",
    "same conversation": rf"""(?:repeat|say|rephrase|rewrite|reword|shorten|simplify|summari[sz]e|expand(?:\ on)?|explain|redo|undo|revert|format)\ {_THAT}{_HOW}\W*\Z
        | (?:make|keep)\ (?:it|this|that)\ (?:(?:a\ (?:bit|little)|much|more|even|less)\ )*+(?:shorter|longer|simpler|funnier|clearer|better|concise|formal|casual|brief|detailed|short|simple)\W*\Z""",
    "rewriting": REWRITING,
    "exclamation": "",
    "command": rf"(?:re-?)?(?:run|execute|start|build|install|format|lint|test|commit|push|save|stage|fix)\ {_TESTED}(?:\ and\ (?:commit|push|fix)(?:\ (?:it|them|everything))?|\ to\ (?:git|github|main|master|origin))?{_HOW}\W*\Z",
    "shell": rf"{_PROGRAM}(?:\ +{_ARGUMENT}){{0,12}}+\s*\Z",
}
NAMES = tuple(name.replace(" ", "_") for name in _BUILT_IN)
BUILT_IN_PATTERNS = tuple(
    regex(rf"\A(?P<{group}>{'|'.join(filter(None, (pattern, PHRASES.get(name))))})", FLAGS)
    for group, (name, pattern) in zip(NAMES, _BUILT_IN.items(), strict=True)
)
