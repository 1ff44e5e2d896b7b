"""Editing, as words: what is made of them alone asks for the last answer in another way, and what has them before a colon gives the text.

A word that only fills asks for nothing, so that one which says what is wanted must be among them; and a thing that the person may have ("letter", "minutes") is no word of it.
"""

from __future__ import annotations

from hookclaw_py.speech.phrases import A_DOCUMENT
from hookclaw_py.speech.typed import any_of, typed

_EDIT = (
    any_of(
        """shorter longer simpler clearer funnier friendlier politer nicer softer warmer concise formal informal casual polite(?:ly)? brief(?:er)? rephrase reword rewrite shorten simplify paraphrase proof-?read spelling grammar
    punctuation typos? bullets?"""
    )
    + "|"
    + typed(
        """(kürzer|länger|einfacher|freundlicher|höflicher|förmlicher|formeller|lockerer|sachlicher|netter|verständlicher|ausführlicher|knapper|klarer|lustiger|professioneller|diplomatischer|bürokratisch|(um)?formulier(e|en|t)?|umzuformulieren
    |ausdrücken|kürzen?|vereinfachen?|rechtschreibung|grammatik|zeichensetzung|kommas?|korrekturlesen|korrigier(e|en)?|tippfehler|rechtschreibfehler|duzen|siezen)e?
    (courte?|simples?|polie?|formelle?|formel|aimable|(plus|moins) claire?|concise?|soutenue?|reformule[rz]?|reformuler|raccourci[rst]?|simplifie[rz]?|réécri(s|re|vez)|corrige[rz]?|vouvoie[rz]?|tutoie[rz]?|orthographe|ponctuation|fautes?|grammaire)
    (cort[oa]|breve|simple|sencill[oa]|(más|menos) clar[oa]|amable|formal|educad[oa]|simpátic[oa]|acórta(lo)?|acortarlo|simplifíca(lo)?|reformúla(lo)?|reescríbe(lo)?|reescribirlo|corrige|corregir|ortografía|gramática|tildes|puntuación|faltas)
    (brevi|cort[oa]|semplice|(più|meno) chiar[oa]|gentile|formale|cortese|accorcia(lo|rlo)?|semplifica(lo|rlo)?|riformula(lo|rlo)?|riscrivi(lo)?|riscriverlo|correggi(lo)?|correggere|ortografia|grammatica|punteggiatura|errori)"""
    )
)
_RETELL = (
    any_of("summari[sz]e tl;?dr")
    + "|"
    + typed(
        """(zusammenfass(en|ung)|fass (das|dies|es|den|mir|bitte|mal)|wiederhol(e|en)?|erklär(e|en)?|stichpunkten?|nochmal|noch mal|zu lang|résume[rz]?|résumé|répète[rz]?|(ré)?explique[rz]?|recommence|puces|trop long
    |resúm(e|elo|irlo|ir)|repíte(lo)?|explíca(lo)?|explicar(lo)?|viñetas|demasiado largo|otra vez|riassum(i|ilo|erlo|ere)|riassunto|ripeti(lo)?|spiega(lo|rlo)?|troppo lungo)"""
    )
    + r"|too\ long|try\ again|(?:in|with)\ (?:simpler|fewer)\ words"
)
_FILL = (
    any_of(
        r"""make that this it the an? little bit much more less even and or in to of for following text sentences? paragraph answer say words two three one \d again but keep with without correct fix check improve any mistakes errors
    as points so sound tone be just slightly way simple fewer shorter too long try add"""
    )
    + "|"
    + typed(
        """(bitte|mal|das|dies|es|den|die|der|dem|eine?[nmr]?|im|satz|text|absatz|folgenden?|antwort|letzten?|etwas|bisschen|viel|deutlich|noch|nochmal|kurz|und|oder|aber|in|zwei|drei|vier|fünf|sätzen|worten|einfachen|als|mach(e|en|t)?|schreib(en)?
        |sag(en)?|um|neu|weniger|mehr|zu|so|klingen|klingt|auf|setzen?|prüfen?|statt|mir|fehler|ist|hier|wieder|zusammen|geht|ginge|auch|formell|förmlich|locker|sachlich|höflich|freundlich|lang)
    (plus|moins|un|une|peu|et|ou|en|le|la|les|ça|cela|ce|cette|textes?|phrases?|réponse|paragraphe|mots?|deux|trois|fais|faire|rends|rendre|mets|mettre|stp|svp|de|du|des|façon|manière|avec|sans|ajoute[rz]?|dans|suivante?|moi|dernière|encore|mais|à|long)
    (más|menos|un|poco|y|o|el|la|lo|los|las|esto|eso|textos?|frases?|respuesta|párrafo|dos|tres|palabras|hazlo|hacerlo|haz|ponlo|ponle|pon|que|suene|de|por|favor|con|sin|vez|pero|tan|anterior|una|forma|manera|última)
    (più|meno|po'|e|il|gli|questo|questa|testo|frasi?|risposta|paragrafo|due|tre|una?|parole|fallo|farlo|rendilo|renderlo|per|favore|con|senza|ancora|ma|molto|troppo|modo|di|dell'|lungo)"""
    )
)
_EDIT_ZH = "(?:短|精简|缩短|简[短单洁化]|正式|礼貌|客气|友好|口语化?|书面语?|详细|委婉|温和|通俗|润色|校对|错别字|标点|语法|换[一]?[个种]说法)"
_RETELL_ZH = "(?:总结|概括|压缩|要点|重新|再[说写来讲]一遍|再解释|太长)"
_FILL_ZH = "(?:请|帮我|帮忙|麻烦|把|将|[这上下]面?|[这那]?[个句段]|句?话|文字|内容|回答|它|的|你|改成?|检查|写|说|得|成|更|再|稍微|一?[点些]儿?|一[下遍]|了|加上|列成|[一二两三]句|可以|能不能|能|吗|语气|和|也|些|点)"
_WORDS = rf"(?:(?>(?:[ld]['’])?(?:{_EDIT}|{_RETELL}|{_FILL})(?!\w))[\s,!.]*+){{1,15}}+"
_WORDS_ZH = rf"(?:{_EDIT_ZH}|{_RETELL_ZH}|{_FILL_ZH}|[，,\s])++"
_BEFORE = r"(?:\w[\w'’-]*[\s,]+){0,12}?(?:[ld]['’])?"
REWRITING = rf"""(?={_BEFORE}(?:(?:{_EDIT})(?!\w)|(?:{_RETELL})(?!\w)(?:[^\n:]*\Z|[^\n:]*:\s*(?:\S+\s+){{12}}))){_WORDS}(?:\W*\Z|:\s*(?!{A_DOCUMENT})(?:\S+\s+){{2}}\S)
    | (?=[^\n:：]{{0,20}}(?:{_EDIT_ZH}|{_RETELL_ZH}(?:[^\n:：]*\Z|[^\n:：]*[:：]\s*\S{{25}}))){_WORDS_ZH}(?:\W*\Z|[:：]\s*\S{{4}})"""
"""To tell a text in fewer words, it must be one: "summarize: the minutes of tuesday" only names it."""
