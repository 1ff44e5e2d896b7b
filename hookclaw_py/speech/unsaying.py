"""What a person asks to be forgotten of what they said ("forget what I said about Noor's present"), or not to be kept at all ("off the record")."""

from __future__ import annotations

from hookclaw_py.privacy.marked import Unmarked, without_marked
from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import parted, refers
from hookclaw_py.speech.restating import telling
from hookclaw_py.speech.sentences import sentences
from hookclaw_py.text import ends

_SO = r"(?:it|that|this|he|she|they|we|i|you|because|since|das|es|er|sie|wir|ich|weil|denn|ist|stimmt|danke|merci|gracias|thanks|thank\ you|thx|please|pls|bitte|sorry|ok|parce|car|(?:ce|cela|ça|ca)\b|(?:c['’]|j['’])\w+|elle|il|on|je|porque|no\ es|ya\ no|perch[éè]|non\ è)"
_PLEASE = r"(?:please|bitte|stp|svp|s['’]?il\ (?:te|vous)\ pla[iî]t|por\ favor|porfa|per\ favore)"
_IS = r"(?:is|are|was|were|has|had|likes?|loves?|hates?|wants?|lives?|works?|moved|bought)"
_DATA = r"(?:(?:new|old|mobile|cell|home|phone|email)\ )*(?:(?:phone\ )?number|phone|mobile|cell|(?:e-?mail\ )?address|e-?mail|birthday|salary|age|diagnosis)"
_DATEN = r"(?:(?:neue|alte)n?\ )?(?:(?:Telefon|Handy)?nummer|Telefon|Handy|(?:Mail|E-Mail-)?adresse|Geburtstag|Gehalt|Alter|Diagnose)"
"""What is known of somebody: to forget that scraps no plan."""
_NOT_INSTEAD = r"(?!\s*[,;:–—]\s*(?:we|wir|use|take|call|ring|nimm|nehmen|on|prends|usa|usamos)\b)"
_ORDER = regex(
    rf"""(?xi) ^(?:(?:oh|ok(?:ay)?|no(?!\ (?:olvida|borra|elimina)\b)|hm+|so|and|actually|sorry|ach|und|ah|euh|et|bon|tiens|au\ fait|au\ final|finalement|en\ fait|non|désolée?|pardon|y|bueno|oye|al\ final|perdona|e|senti|anzi|scusa|{_PLEASE})\b[\s,.:–-]*)* (?:(?:can|could|would)\ you\ (?:please\ )?|(?:kannst|könntest)\ du\ (?:bitte\ )?|i\ (?!forget))?
      (?: (?:forget|take\ back|scratch|erase|delete|remove)\ (?:about\ )?(?:all|everything|anything|what(?:ever)?|the\ things?)\ (?:that\ )?(?:i|we)(?:['’]ve|\ have|\ just)?\ (?:said|told\ you|wrote|mentioned)(?:\ to\ you)?\ (?:about|on|of|regarding)\ (?P<en>.{{2,60}}?)
        | (?:forget|erase|delete|remove)\ (?: (?:all|everything|anything|what(?:ever)?)\ (?:that\ )?you(?:['’]ve|\ have)?\ (?:know|remember|saved|stored|noted|learned) | (?:all|any|every|the|your)\ (?:your\ )?memor(?:y|ies) )\ (?:about|of|on|regarding)\ (?P<known>[^,;:]{{2,60}}?)
        | forget\ that\ (?:i|we)(?:['’]ve|\ have)?(?:\ ever|\ just)?\ (?:said|told\ you|mentioned)(?:\ (?:anything|something))?\ about\ (?P<that>[^,;:]{{2,60}}?)
        | forget\ that\ (?P<fact>(?:i|we|he|she|they)\ (?!(?:(?:have|ever|just)\ )*(?:said|told|mentioned|asked)\b)[^,;:]{{2,60}}? | (?:my|our|the)?\ ?[^,;:]{{2,40}}?\ {_IS}\ [^,;:]{{2,60}}?)
        | forget\ (?:about\ )?(?:all|everything|anything|(?:that|the|this)\ (?:thing|stuff|bit|part|business))\ (?:about|with|regarding)\ (?P<thing>[^,;:]{{2,60}}?)
        | forget\ (?:about\ )?(?:the|that|this)\ (?!(?:whole|entire|same|other|first|last|only)\ )(?P<named>[^,;:]{{1,40}}?)\ (?:thing|stuff|business|story)(?!\s*[,;:–—]\s*(?:we|wir)\b)
        | (?:forget|(?:delete|erase|remove)(?=.*\ from\ (?:your\ )?memory\b))\ (?P<data>(?:(?:my|our)|[^\W\d_][\w-]*(?:\ [\w-]+)?['’]s)\ {_DATA}|the\ {_DATA}\ of\ (?-i:[^\W\d_a-z])[^,;:]{{1,40}}?)(?:\ from\ (?:your\ )?memory)?{_NOT_INSTEAD}
        | vergiss\ (?:bitte\ )?(?P<daten>(?:(?:meinen?|unseren?)|\w+s)\ {_DATEN}|(?:die|den|das)\ {_DATEN}\ (?:von|der|des)\ [^,;:]{{2,40}}?){_NOT_INSTEAD}
        | oublie[sz]?\ (?P<coord>(?:mon|mes|le|les|l['’])\ ?(?:nouveau\ )?(?:num(?:éro)?|téléphone|portable|mail|adresse|anniversaire|salaire)(?:\ (?:de\ |du\ |d['’])[^,;:]{{2,40}}?)?){_NOT_INSTEAD}
        | olvida\ (?P<datos>(?:mi|el|la)\ (?:número|teléfono|móvil|celular|correo|dirección|cumpleaños|sueldo)(?:\ del?\ [^,;:]{{2,40}}?)?){_NOT_INSTEAD}
        | (?:vergiss|vergessen|nimm\ zurück|lösche?|streiche?|entferne?),?\ (?:bitte,?\ )?(?:alles,?\ |das,?\ )?was\ (?:ich|wir)\ (?:dir\ )?(?:gerade\ |eben\ )?(?:über|von|zu|zum|zur)\ (?P<de>.{{2,60}}?)\ (?:gesagt|erzählt|geschrieben)\ hab(?:e|en)?
        | (?:vergiss|lösche?|entferne?),?\ (?:bitte,?\ )?(?:alles,?\ |das,?\ )?was\ du\ (?:noch\ )?(?:über|von|zu|zum|zur)\ (?P<weiss>[^,;:]{{2,60}}?)\ (?:weißt|weisst|gespeichert\ hast|behalten\ hast)
        | vergiss\ (?:bitte\ )?(?:das|alles|die\ (?:sache|geschichte))\ (?:mit|über|von|wegen)\ (?P<mit>[^,;:]{{2,60}}?)
        | lösche?\ (?:bitte\ )?alles\ über\ (?!\d|de[mnr]\b|die\b|das\b|ein)(?P<alles>[^,;:]{{2,60}}?)
        | vergiss,?\ (?:bitte,?\ )?dass\ (?P<dass>[^,;:]{{4,60}}?)
        | (?:oublie|(?:efface|supprime)(?![^,;:]*\bai\ écrit\b))[sz]?\ (?:tout\ )?ce\ que\ (?:j['’]ai|je\ t['’]ai|je\ vous\ ai)\ (?:dit|écrit|raconté)\ (?:sur|à\ propos\ d[eu'’]|au\ sujet\ d[eu'’]|concernant)\ ?(?P<fr>.{{2,60}}?)
        | (?:oublie|efface|supprime)[sz]?\ (?:tout\ )?ce\ que\ tu\ (?:sais|as\ (?:noté|retenu|enregistré|gardé))\ (?:sur|à\ propos\ d[eu'’]|au\ sujet\ d[eu'’]|d[eu'’])\ ?(?P<sais>[^,;:]{{2,60}}?)
        | oublie[sz]?\ (?:l['’](?:histoire|affaire)|le\ truc|la\ chose)\ (?:d['’]|(?:des?|du|sur|avec)\ )(?P<truc>[^,;:]{{2,60}}?)
        | oublie[sz]?,?\ que\ (?P<que>[^,;:]{{4,60}}?) | olvida,?\ que\ (?P<olvida>[^,;:]{{4,60}}?) | (?:dimentica|scorda)(?:ti|te)?,?\ che\ (?P<che>[^,;:]{{4,60}}?)
        | (?:dimentica|scorda)(?:ti|te)?\ (?:(?:tutto\ )?(?:quello|ciò)\ che\ (?:ti\ )?(?:ho|abbiamo)\ (?:detto|scritto|raccontato)\ (?:su|d[ie]|a\ proposito\ d[ie])|tutto\ su)(?:l(?:la|le|lo|l)?|i|gli)?(?:\ |['’])(?P<it>[^,;:]{{2,60}}?)
        | (?:olvida|borra|elimina)\ (?:todo\ )?lo\ que\ (?:te\ )?(?:he\ (?:dicho|contado)|dije|conté)\ (?:sobre|acerca\ de|del?)\ (?P<es>.{{2,60}}?)
        | (?:olvida|borra|elimina)\ (?:todo\ )?lo\ que\ sabes\ (?:sobre|acerca\ de|del?)\ (?P<sabes>[^,;:]{{2,60}}?) | olvida\ lo\ del?\ (?!(?:antes|siempre)\b)(?P<lo>[^,;:]{{2,60}}?)
        | (?:请)?忘(?:掉|记)我(?:说|讲)?(?:的|过的)?关于(?P<zh>.{{2,30}}?)的(?:事情?|话|内容|一切)? )
      (?:\ again|\ wieder|,?\ {_PLEASE})?\ ?[?？]?(?:(?:\s*[,;:–—(]|\ -)\s*{_SO}(?:\W.*)?)?$"""
)
_LAST = regex(
    r"""(?xi) \s*(?:(?:oh|no|ok(?:ay)?|wait|actually|sorry|hm+|please|pls|ach|nein|bitte)\b[\s,.:–-]*)* (?: (?:(?P<gone>scratch|strike)|ignore|disregard|forget|vergiss|ignorier(?:e)?|streich(?:e)?)\ (?:that|das)(?:\ (?:last\ (?:one|bit|part)|please|again|bitte|wieder))?
        | (?P<unsaid>(?:forget|pretend)\ (?:that\ )?i\ (?:ever\ |just\ )?(?:said|wrote|told\ you|mentioned)\ (?:that|this|it|anything)(?:\ (?:please|pls))?) ) (?:\s*[,.;:!–—]+\s*|\s+-+\s+|\s*$)"""
)
"""At the head of a prompt: the one before it is taken back; where it is not ``gone`` or ``unsaid`` by that, if what follows speaks of the same."""
_HEAD = r"(?:^|[,;:(–—]\s*|\s-\s+|\b(?:please|pls|bitte)\s+)(?:(?:oh|ok(?:ay)?|psst|so|and|but|please|pls|just|also|und|aber|bitte|das|dies|es|mais|et|alors|surtout|par\ contre|pero|y|ma|stp|svp|por\ favor)\b[\s,.:–-]*)*"
_END = (
    r"(?=\s*(?:[,;:.!)–—]|\s-\s|$|(?:please|pls|ok(?:ay)?|bitte|stp|svp|s['’]?il\ te|hein|por\ favor|per\ favore)\b))"
)
_ON = rf"(?:{_END}|(?=\s+(?:but|though|tho|because|bc|cos|since|and|aber|denn|weil|und|mais|car|parce|et|pero|porque|y)\b))"
"""What follows an order that can be about nothing but remembering: "dont remember this but …"."""
_BETWEEN = r"between\ (?:us(?!\ (?:two|three|all|and)\b)|you\ and\ me|ourselves)"
_THIS = r"(?:(?:any\ of\ )?(?:this|that|it|them)|anything|any\ of\ it|what\ i(?:['’]m|\ am)?\ (?:say|saying|tell|telling)(?:\ you)?(?:\ now)?)"
_NEVER = r"(?:don['’]?t|do\ not|never)\ (?:(?:ever|please|you|even)\ )?"
_NOT_KEPT = regex(
    rf"""(?xi) \boff\ the\ record\b(?!\ (?:player|label)) | {_HEAD}off-the-record{_END} | \bunter\ uns\ gesagt\b | \b(?:nur|ganz|bleibt)\ unter\ uns{_END} | \bforget\ (?:it|this|that)\ (?:after|afterwards|again){_END}
      | \b(?:just|only|strictly|stays?|keep\ (?:this|that|it))\ {_BETWEEN}(?!\w) | ^{_BETWEEN}\s*[,;:–—](?!.*\bdifference\b) | {_HEAD}keep\ (?:this|that|it)\ (?:all\ )?to\ yourself{_ON}
      | {_HEAD}{_NEVER}(?:remember|memori[sz]e|note)\ {_THIS}{_ON}
      | {_HEAD}{_NEVER}(?: (?:save|store|record|file)\ {_THIS} | (?:keep|log)\ (?:(?:any\ of\ )?this|anything) ){_END}
      | (?:{_HEAD}|\b(?:and|but|so)\ ){_NEVER}(?:keep|save|store|record|note|file|write|log|put|add)\ {_THIS}\ (?: down\b | (?:down\ )?anywhere\b | (?:in|to|into)\ (?:your|the|long-term)\ (?:memory|notes)\b )
      | {_HEAD}(?:keep|leave)\ (?:this|that|it)\ out\ of\ (?:your|the)\ (?:memory|notes|records?)\b
      | {_HEAD}(?:dir\ )?(?:nicht|nirgend(?:s|wo))\ (?:irgendwo\ |ins\ gedächtnis\ )?(?:merken|(?:ab)?speichern|notieren|(?:auf|hin|rein|mit)schreiben|festhalten){_END}
      | {_HEAD}(?:merke?|notiere?|speichere?|behalte?)\ (?:(?:dir|das|dies|es|bitte|hier|mal|jetzt)\ )+(?:nicht|nirgend(?:s|wo)){_ON} | {_HEAD}schreibe?\ (?:(?:dir|das|dies|es|bitte|hier|mal|jetzt)\ )+(?:nicht\ (?:auf|hin|rein|mit)|nirgend(?:s|wo)(?:\ (?:auf|hin|rein))?){_END}
      | {_HEAD}(?:ne\ )?(?:le\ |l['’])?(?:note|retiens|mémorise|enregistre)[sz]?\ (?:surtout\ )?(?:pas|rien)(?:\ (?:ça|ca|cela|ceci|tout\ ça|de\ ça|nulle\ part)){_ON} | {_HEAD}garde[sz]?\ (?:ça|ca|cela|ceci|le)\ pour\ (?:toi|vous){_END}
      | ^entre\ nous\s*[,;:–—](?!.*\b(?:écart|différence)\b) | \b(?:reste[rz]?|ça|que)\ entre\ nous{_END} | {_HEAD}c['’]est\ du\ off{_END} | ^c['’]est\ off{_END} | ^entre\ nosotros\s*[,;:–—] | \b(?:qued[ae]|que)\ entre\ (?:nosotros|tú\ y\ yo){_END} | ^tra\ (?:di\ )?noi\s*[,;:–—](?!.*\bdifferenza\b) | \brest[ai]\ tra\ (?:di\ )?noi{_END} | {_HEAD}no\ (?:(?:guardes|recuerdes|anotes|apuntes|memorices)\ (?:esto|eso|nada)|lo\ (?:guardes|recuerdes|anotes|apuntes)){_ON}
      | (?:不要|别|不用)(?:记住|记下|记录|保存|记(?=这|它|下来))(?:这|它|下来|$|[，,：:。])"""
)
"""What a person says of something that is not to be remembered: then nothing of that message is."""
_ONLY_IF = regex(r"(?i)^(?:if|when|whenever|unless|wenn|falls|si|cuando|quand|如果)\b")
_LOOKED_AT = 8_000  # characters of a message: at its ends one says what is to become of it
_SURE = 2  # telling words: one alone stands in too much else
_WHOSE = regex(
    r"(?i)(?:['’]s? |^[A-ZÄÖÜ]\w+s (?=[A-ZÄÖÜ]))|(?P<of> (?:of|von|de|du|d['’]|di|del|dell['’]|della|dello)\b)"
)
_NEAR = 3  # sentences before, in which somebody was named whom "she" means


def asks_not_to_keep(said: str) -> bool:
    """Say whether a person asks that a message is not remembered: "off the record", "don't remember this"."""
    return any(
        not sentence.is_long and not _ONLY_IF.match(sentence.bare) and _NOT_KEPT.search(sentence.bare)
        for sentence in sentences(ends(said, _LOOKED_AT))
    )


def kept_of(said: str) -> Unmarked:
    """Return what of a person's message may be kept, without what they marked private; nothing where they ask that it is not remembered."""
    return Unmarked("", (said,)) if asks_not_to_keep(said) else without_marked(said)


def asks_to_forget(said: str) -> bool:
    """Say whether a person asks that what they said be forgotten, of whatever: that is no memory itself."""
    return bool(_asked(said))


def to_be_forgotten(said: str) -> list[str]:
    """Return of what a person asks that what they said be forgotten, in their words: where it names something."""
    return [words for words in _asked(said) if telling(words)]


def takes_back_last(said: str, before: str) -> bool:
    """Say whether a prompt takes back the one ``before`` it: "scratch that", or "ignore that, …" where it goes on about the same."""
    order = _LAST.match(said)
    if not order:
        return False
    rest = said[order.end() :]
    return bool(order["gone"] or order["unsaid"]) or not rest or not telling(rest).isdisjoint(telling(before))


def without_taking_back(said: str) -> str:
    """Return what a prompt says after it took back the one before it: all, where it does not."""
    order = _LAST.match(said)
    return said[order.end() :] if order else said


def is_sure(words: str) -> bool:
    """Say whether whatever holds these words is meant; of one word alone it must be seen in how much else it stands."""
    return len(telling(words)) >= _SURE


def speaks_of(said: str, words: str) -> bool:
    """Say whether a text holds all telling words of what is to be forgotten."""
    return telling(words) <= telling(said)


def without(said: str, words: str) -> str:
    """Return a text without what says these words, clause by clause: all of it, where only several sentences hold them, or what is quoted does."""
    left = quoted = said
    for sentence in sentences(said):
        quoted = quoted.replace(sentence.said, "", 1)
        if part := parted(sentence.said, words):
            left = left.replace(sentence.said, part.left, 1)
    stays = not speaks_of(quoted, words) and (left != said or not speaks_of(said, words))
    return left.strip() if stays else ""


def statements_of(said: str, words: str) -> list[str]:
    """Return what a text says in these words, clause by clause."""
    parts = (parted(sentence.said, words) for sentence in sentences(said))
    return [part.gone for part in parts if part]


def left_open(said: str, words: str) -> list[str]:
    """Return what a text says in these words but for the name, which was said just before: "she has a slipped disc", where Lina was spoken of."""
    name, rest = _apart(words)
    if not name or not telling(rest):
        return []
    found, before = list[str](), list[frozenset[str]]()
    for sentence in sentences(said):
        terms = telling(sentence.said)
        is_near = any(name in one for one in before[-_NEAR:]) and name not in terms
        if is_near and refers(sentence.bare) and (part := parted(sentence.said, rest)):
            found.append(part.gone)
        before.append(terms)
    return found


def in_answer(said: str, words: str) -> list[str]:
    """Return what an answer to these words says of the same, though it leaves out the name: "sorry about the slipped disc"."""
    name, rest = _apart(words)
    return statements_of(said, rest) if name and telling(rest) else []


def _apart(words: str) -> tuple[str, str]:
    """Return the term for who or what something is of, and the other words: it stands first, but for "the illness of Lina"."""
    whose = _WHOSE.search(words)
    every = words.split()
    for word in reversed(every) if whose and whose["of"] else every:
        if terms := telling(word):
            return (next(iter(terms)), " ".join(one for one in every if one != word)) if len(terms) == 1 else ("", "")
    return "", ""


def _asked(said: str) -> list[str]:
    orders = (_ORDER.match(sentence.bare) for sentence in sentences(said) if not sentence.is_long)
    return [next(filter(None, order.groups())) for order in orders if order]
