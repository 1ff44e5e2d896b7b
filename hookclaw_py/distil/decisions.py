"""Decisions, preferences and next steps: sentences of the person's, as they were said.

English, German, French and Spanish, these two also as they are typed, without accents; of Italian and Chinese the phrases that say so by themselves. A question decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import THAT_ONE
from hookclaw_py.speech.deeds import is_deed
from hookclaw_py.speech.hedges import is_supposed
from hookclaw_py.speech.listing import head_of, must_of, says_deed, steps_in
from hookclaw_py.speech.sentences import Sentence, sentences
from hookclaw_py.speech.values import values_of
from hookclaw_py.text import count_words, is_identifier


class Wish(StrEnum):
    """What a sentence asks to hold from then on."""

    DECISION = "decision"
    PREFERENCE = "preference"
    NEXT = "next"


class Wished(NamedTuple):
    """A decision, a preference or a next step, in the person's words, and the sentences that it was said in."""

    wish: Wish
    said: str
    at: int
    until: int


_LONGEST = 300  # characters, with what it refers to
_FEWEST_WORDS = 3
_MOST = 20  # items of a list: of more somebody pasted a file
_SHORT = 6  # words: a decision that hardly says what was decided

_DECISION = regex(
    r"""(?xi)
      \b(?: (?<!not\ )(?<!n't\ )(?<!be\ )(?<!yet\ )(?<!was\ )decided\b(?!\ (?:yet|later|against\ it))
        | decision\b[^:=]{0,20}[:=] | (?:my|our|the|final)\ decision\ is | (?:we|i)\ (?:settled|agreed)\ on | final:
        | let['’]?s\ (?:use|go\ (?:with|for)|keep|take|stick|stay|drop|switch\ to|move\ to)\b
        | we(?:['’]ll|\ will)?\ (?:go\ with|stick\ (?:to|with)|keep|stay\ (?:with|on|at)|take|drop|switch\ to)\b
        | (?:scrap|forget|ditch)\ [^,;]{2,40}[,;:]\ (?:and\ |let['’]?s\ |we\ )?(?:use|take|go|do|keep|make|try|stick)\b | ^(?:\w+,?\ )?(?:let['’]?s\ )?(?:make|set|use|take|keep|do|go)\b.{2,60}\bafter\ all$
        | (?:going|sticking|went|go)\ with\b | we['’]?(?:ve)?\ (?:chose|picked|agreed|voted|settled)\b | we\ (?:order|buy|book|hire)\ (?:it|the|an?|\d+)\b
        | (?:we|i)['’]?(?:re|m|\ are|\ am)\ (?:switching|moving|dropping|keeping|sticking|staying)\ (?:to|with|on|the|it)\b
        | we\ (?:won['’]?t|will\ not)\ (?:use|do|support|ship|buy|take|offer)\b | (?:^|then\ )(?!that|what\b|how\b|all\b)\w+(?:\ \w+)?\ it\ is\b(?!\ \w) )
    | \b(?: (?:haben?|hab)\ .{0,40} \b(?:entschieden|beschlossen|vereinbart|ausgemacht) | (?:ist|wurde)\ (?:entschieden|beschlossen)
        | (?:^|ok\ )(?:entschieden|beschlossen|entscheidung|beschluss)\ ?[:,] | wir\ (?:nehmen|behalten|bleiben\ bei|lassen)\b | (?:nehmen|lassen|bleiben)\ wir\b | machen\ wir\ (?:es\ )?so\b
        | (?:es\ )?bleibt\ (?:bei|dabei|beim) | lasst?\ uns\b | (?:vergiss|streich)\ [^,;]{2,40}[,;:]\ (?:nimm|mach|verwende|wir\ nehmen|lieber)\b | ^(?:\w+,?\ )?(?:mach|nimm|setze?|lass)\b.{2,60}\bdoch\ (?:lieber|besser|wieder|\d) | (?:haben|hat|wurde)\ (?:ab)?gestimmt )
    | \b(?: (?:on\ a|nous\ avons|j['’]ai)\ (?:(?:donc|enfin|finalement|bien)\ )?(?:d[ée]cid[ée]|choisi|opt[ée]\ pour|retenu|tranch[ée]|convenu|laiss[ée]\ tomber)\b | c['’]est\ (?:d[ée]cid[ée]|tranch[ée]|act[ée])\b(?!\ (?:fin|épais)\b) | (?:prenons|utilisons|gardons)\b
        | (?<!si\ )(?<!qu['’])(?<!quand\ )(?<!comme\ )(?<!où\ )(?<!dont\ )on\ (?:part\ sur | passe\ (?:sur\b | chez\b(?!\ (?:(?:ma|mon|mes|toi|moi|lui|elle|eux|le)\b|l['’]))) | reste\ (?:sur|avec|chez)\b(?!\ (?:les\ enfants|mes\ parents|nous|toi|moi|lui|elle|eux)\b) | abandonne\b | laisse\ tomber | (?:garde|choisit|retient|valide)\b(?!\ (?:contact|demain|lundi|mardi|mercredi|jeudi|vendredi|les\ enfants)\b) | prend\b(?!\ (?:l['’](?:avion|air|ap[ée]ro)|la\ (?:route|voiture)|le\ (?:train|bus|métro|temps|soleil|large)|une?\ (?:café|verre|pot|pause|bière)|du\ (?:retard|temps)|(?:des\ )?(?:rdv|rendez|photos|mesures|nouvelles)|soin|contact|feu|froid|note|combien|goût|vite)) )
        | d[ée]cision(?:\ finale)?\ ?[:=] | ce\ sera\ (?!(?:la\ (?:fête|première|dernière)|un\ plaisir)\b)(?:(?-i:[A-ZÉÈ])\w|(?:un[e]?|la|les|en|du|des)\ |le\ (?!\d|(?:lun|mar|mer|jeu|ven|sam)\w*di\b|1er\b)|d['’](?=\w{3}))
        | finalement\ (?:on|nous|je)\ (?:prend|part|gard|rest|met|fai|va|choisi|utilis|enl[èe]v|abandonn|laiss|pass)\w*\b(?!\ (?:pas\ )?(?:bien|mal|mieux|malade)\b)(?!\ (?:[àa]\ |pour\ )?(?:quoi|où|quand(?!\ même)|combien|quel\w*)\b) | ^(?!(?:je|tu|il|elle|on|ils|elles|[çc]a)\b)(?:(?!(?:est|sont|a|ont|va|vont|suis|veut|peut|arrive|était)\b)[\w'’-]+\ ){1,5}finalement\ (?:en|au|aux|pas\ de)\b
        | (?:hemos|he)\ (?:decidido|elegido|escogido|optado|acordado) | decidimos | (?:está|queda)\ decidido | vamos\ con | nos\ (?:quedamos\ con|decidimos\ por) | quedamos\ en | usemos\b | descartamos\b | elegimos\b | decisi[óo]n(?:\ final)?\ ?[:=]
        | (?:al\ final|finalmente)\ (?:no\ )?(?:vamos|usamos|ponemos|cogemos|tomamos|hacemos|dejamos|lo\ dejamos|ser[áa])\b(?!.*\bhoy\b) | l[oa]s?\ (?:dejamos|subimos|bajamos)\ (?:en|al?)(?=\ \S*\d) | (?:abbiamo|ho)\ (?:deciso|scelto)\b | è\ deciso\b )
    | 我们(?:已经)?决定 | 我决定 | 决定了 | 决定(?:用|采用|使用) | 就用 | 我们(?:就|还是)?(?:用|采用)吧? | 说好了 | 定下来"""
)
_RULE = regex(
    r"""(?xi) ^(?:(?:no|nein|actually|ok|and|und|but|aber|so|also|doch)\b[\s,]+)*(?!(?:it|that|this|there|you|i|we|he|she|they|es|das|du|ich|wir|er|sie|man|if|when|what|wenn|falls)\b)
      (?P<of>(?:[\w'’./()-]+\ ){1,8}?) (?: (?:should|must|shall)\ (?:(?:not|never|only|always|all|now)\ )?(?:be|have|keep|stay|last|hold)\b(?!.*\b(?:around|about|roughly)\b)
        | (?:soll|sollen|muss|müssen)\b.*\b(?:haben|sein|bleiben|behalten|dauern|enthalten|werden|aufbewahren)(?=,|$) )"""
)
_WHEN = frozenset(("date", "day", "weekday", "clock"))
"""Sorts of values that say when something is to be: that is a step or an expectation, and no rule."""
_NUMBERED = regex(r"[^\W\d].*\d.*")
_NOT_THAT_ALWAYS = (
    r"remember|had|have\s+had|been|seen|saw|was|were|knew|know|heard|mind|worked|works|happened|happens|got|said|did|is|are|has|"
    r"used|understood|fails|failed|comes|came|goes|went|forget"
)
_BEFORE_ALWAYS = "".join(
    rf"(?<!\b{word}\ )"
    for word in ("not", "as", "was", "were", "it", "asks", "had", "has", "have", "does", "says", "he", "she", "they")
)
_BEFORE_IMMER = "".join(
    rf"(?<!\b{word}\ )" for word in ("ja", "ist", "war", "wird", "hat", "sind", "wie", "noch", "waren", "auch")
)
_HEAD = r"(?:^|(?<=[,;:–]\ )|(?<=\bet\ )|(?<=\bmais\ )|(?<=\bdonc\ )|(?<=\bstp\ )|(?<=\bsvp\ )|(?<=\bplaît\ )|(?<=\by\ )|(?<=\bpero\ )|(?<=\bfavor\ ))"
_VERBS_TOLD = "propose|mets|met|fais|envoie|utilise|écris|ecris|demande|appelle|change|touche|modifie|supprime|signe|réponds|reponds|parle|ajoute|commence|cite|mentionne|corrige|traduis|arrondis|donne|commence|invente|déplace|résume"
"""What one tells an assistant to do, or not."""
_NOT_TOUJOURS = "il|elle|ils|elles|on|je|tu|ça|ca|pas|rien|aucune?|personne|en\\ (?:retard|cours|attente|panne|vie)|cours|attente|panne|retard|là|la|malade|d['’]accord|bien|mal|aussi|plus|le\\ m[êe]me|les\\ m[êe]mes|pareil|eu|vu|de|à|sur|dans|chez|été"
_PREFERENCE = regex(
    rf"""(?xi)
      \b(?: from\ (?:now|here)\ on | going\ forward | i(?:['’]d)?\ (?:really\ |much\ )?(?:rather|prefer) | i\ (?:hate|don['’]?t\ like)\b
        | i\ don['’]?t\ want\ (?:any|you|(?!(?:to|it|its|that|this|these|those|them|him|her|the|an?|my|our|your|his|more|one|another)\b)\w{{3,}}(?:\ \w+)?\ (?:on|in|at|from|for|after|before|during|with|when|while))\b | i(?:\ want|['’]d\ like)\ you\ to\b | make\ sure\b | avoid\b | whenever\b | (?:for|in)\ (?:the\ )?future\b
        | by\ default\ (?:use|do|send|write|please)\b | use\ \S+\ (?:instead\ of|rather\ than|not)\b | stick\ to\b | call\ me\b(?!\ (?:at|on|back|when|if))
        | (?:standing|house)\ rule | house\ order | (?<!by\ )(?<!a\ )standing\ order(?=:|\ (?:is|that)\b) | rule\b[^:]{{0,20}}: | as\ a\ rule | our\ (?:style|rule|convention)\b | in\ general$ )
    | {_BEFORE_ALWAYS}\b(?:always|never)\b (?!\s+(?:{_NOT_THAT_ALWAYS})\b) (?=\s*\w)
    | \b(?!as\b)\w+\ (?:always|every\ time|each\ time) $ | \bno\ [\w-]+(?:,?\ (?:no|or|and)\ [\w-]+)*\ (?:ever|please|anywhere)\b
    | \bwithout\ asking\ me\b | \bunless\ i\b | \bask(?:ing)?\ (?:me\ )?(?:first|before)\b
    | \b(?:please|pls)\ (?:always|never|no|only|keep|use|stick|in)\b | \b(?:short|shorter|brief|formal|polite)\ (?:please|pls)\b | \bplease\b.*,\ (?:not|no|never)\ \w+
    | ^(?:and\ |but\ |also\ |ok\ |so\ )?no\ (?!(?:problem|worries|idea|need|matter|way|thanks|wait|sorry)\b)[^,]{{2,30}},\ (?:just\ |always\ |please\ )?use\ \S
    | ^(?:und\ |aber\ |bitte\ |ok\ )*kein\w{{0,2}}\ (?!(?:problem|ahnung|thema|sorge)\b)[^,]{{2,30}},\ (?:sondern\ |bitte\ )?(?:nimm|verwende|nutze?|benutze?)\ \S
    | ^(?:and\ |but\ |also\ |ok\ |so\ )?(?:no|only|use|write|keep)\ [^,]+(?:,\ (?:no|not|never|only)\ [^,]+)+
    | ^(?:and\ |but\ |so\ )?(?:don['’]?t|do\ not)\ (?:use|edit|touch|delete|push|deploy|send|change|mention|propose|suggest|include|overwrite)\b(?!.*\b(?:yet|now|today|tonight)\b)
    | (?:^|:\ )no\ \w+\ without\b | \b\d+\ (?:lines|words|sentences|characters)\ (?:max|at\ most)\b | \bmax(?:imum|imal)?\ \d+\ (?:lines|words|sentences|zeilen|sätze|wörter)\b
    | ^(?:and\ |und\ |ok\.?\ )?(?:when|whenever|if|wenn)\ (?:you|du)\ (?:\w+\ ){{1,6}}\w+[:,]\ \w+ | \b(?:generell|grundsätzlich)\b
    | ^(?:and\ |und\ )?(?:e?mails?|letters?|messages?|answers?|replies|commits?|comments?|briefe|antworten)\ (?:\w+\ ){{0,3}}(?:in|auf)\ (?:english|german|french|spanish|portuguese|italian|dutch|chinese|englisch|deutsch)\b
    | \bi\ (?:can['’]?t|cannot|don['’]?t|do\ not)\ (?:eat|take|drink|stand|tolerate)\b | \b(?:i['’]m|im|i\ am|he['’]s|she['’]s|\w+\ is)\ allergic\b
    | \bi(?:\ am|['’]m)\ not\ available\b | \bi['’]?m\ (?:a\ )?(?:vegetarian|vegan)\b
    | \b(?: ab\ (?:jetzt|sofort|heute)\b | von\ nun\ an | in\ zukunft | künftig\b | ich\ bevorzuge | mir\ ist\ .{{2,30}}\ lieber | ich\ (?:mag|will|möchte)\ (?:kein|nicht|immer|lieber|nur|nie|das\ immer)\w*
        | {_BEFORE_IMMER}(?:bitte\ )?\b(?:immer|niemals|nie)\b (?!\s+(?:noch|mehr|wieder|gewesen|gehabt|wenn)\b) | (?:bitte|mir)\ (?:nie|immer|nur|keine?n?|kurz)\b | nicht\ ohne\ (?:mich|rückfrage|zu\ fragen)
        | ich\ vertrage\ kein\w* | allergisch\ gegen )
    | ^(?:immer|nie|niemals|bitte\ keine?)\b
    | \b(?: d[ée]sormais | dor[ée]navant | [àa]\ partir\ de\ maintenant | je\ pr[ée]f[èée]re(?:rais)? | j['’]aime(?:rais)?\ mieux | je\ (?:d[ée]teste|hais) | (?:je\ n['’]?|j['’])aime\ pas | je\ (?:ne\ )?veux\ (?:pas|plus)\ (?:que|qu['’]|de\b|d['’]) | j['’]aimerais\ que\ tu
        | {_HEAD}(?:toujours|jamais)\b(?!\ (?:{_NOT_TOUJOURS})\b) | c['’]est\ (?:toujours|jamais)\ (?:en|par|avec|sans|avant|après)\b(?!\ (?:{_NOT_TOUJOURS})\b) | (?<!il\ )(?<!elle\ )(?<!ils\ )(?<!on\ )(?:ne\ (?:me\ |les?\ |la\ )?|n['’])(?!(?:ai|as|a|ont|est|sont|était|avait|sait|sais)\b)\w+[sz]?\ jamais
        | {_HEAD}(?:ne\ )?(?:(?:me|les?|la|y)\ |m['’])?(?:{_VERBS_TOLD})[sz]?(?:[-\ ]moi)?\ (?:jamais|toujours|plus\ jamais)\b | {_HEAD}ne\ (?:(?:me|les?|la|y)\ |m['’])?(?:{_VERBS_TOLD})[sz]?\ (?:pas|plus)\b(?!.*\b(?:encore|maintenant|aujourd|tout\ de\ suite|ce\ soir|demain|(?<!le\ )(?<!les\ )(?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche))\b)
        | (?:tutoie|vouvoie)[sz]?[-\ ]moi | on\ se\ tutoie | appelle[sz]?[-\ ]moi\ (?-i:[A-ZÀ-Ý])\w+ | (?:fais|sois|reste|r[ée]ponds)(?:[-\ ]moi)?\ (?:plus\ |toujours\ |tr[èe]s\ )*(?:court|bref|br[èe]ve|concis|direct|bri[èe]vement)
        | (?:tes|des|mes|les)\ (?:r[ée]ponses|mails|messages|textes|r[ée]sum[ée]s)\ (?!(?:étaient|sont|trop)\b)(?:\w+[-\ ]){{0,3}}(?:courte?s|brefs|br[èe]ves|concis\w*)\b(?!\ (?:me\b|m['’])) | (?:toujours|siempre|sempre)\ (?:en|in)\ (?:fran[çc]ais|espagnol|anglais|allemand|italien|espa[ñn]ol|franc[ée]s|ingl[ée]s|alem[áa]n|italiano|francese|inglese|spagnolo|tedesco)
        | allergiques?\ (?:[àa]|aux?) | al[ée]rgic[oa]s?\ al? | allergic[oaie]\ all?[ae]?\b | je\ (?:ne\ )?(?:mange|bois|supporte)\ (?:pas|plus|jamais)\b(?!\ (?:ce|tard|tôt|que|encore)\b)(?!.*\bque\ (?:toi|lui|elle)\b) | je\ suis\ (?:v[ée]g[ée]tarien\w*|v[ée]gan\w*) | soy\ (?:vegetarian|vegan)[oa] | (?:^|yo\ |porque\ )no\ como\b(?!\ (?:t[úu]|ayer|antes|hoy|desde|siempre|la\ última)\b)
        | pas\ de\ (?:rdv|rendez-vous|r[ée]unions?|appels?|visites?)\ (?:les?|avant|apr[èe]s) | pas\ de\ (?!(?:probl[èe]me|souci|quoi|panique|chance)\b)[\w'’\ -]{{2,40}}\ (?:stp|svp|s['’]il\ (?:te|vous)\ pla[iî]t) | par\ d[ée]faut\ (?:utilise|mets|envoie|[ée]cris|fais|prends)
        | a\ partir\ de\ ahora | de\ ahora\ en\ adelante | prefiero | preferir[íi]a | me\ gusta\ m[áa]s | odio | detesto | no\ me\ gustan? | no\ quiero\ que | {_HEAD}(?:siempre|nunca)\b(?!\ (?:he|ha|hemos|han|hab[íi]a|hay|fue|es|está|lo\ mismo|m[áa]s)\b) | tut[ée]ame | tr[áa]tame\ de\ (?:t[úu]|usted) | respuestas\ cortas )\b | \ben\ g[ée]n[ée]ral$
    | 从现在(?:起|开始) | 以后(?:都|请|不|别|要|一律) | 我(?:更|比较)?(?:喜欢|偏好|倾向) | 我(?:更|比较)?愿意 | (?:^|请)(?:总是|永远|始终|一定要|务必|千万) | 永远(?:不|别) | 不要再 | 请勿 | 绝不"""
)
_EVER = regex(r"(?i)(?:always|never|immer|niemals|nie|toujours|jamais|siempre|nunca)\b")
_OF_ANOTHER = regex(r"(?:^|[,;:–]\s*|\b(?:and|but|und|aber)\s)(?:[Hh]e|[Ss]he|they|sie|[Ee]r)\s[^,;:–]*$")
_NEXT = regex(
    r"""(?xi)
      ^(?:(?:so|ok(?:ay)?|right|and|also|then),?\ )*(?: (?:next(?!\ (?:topic|subject|theme|question|point|issue|problem|one)\b)|open|todo|to\ do|to-do|plan|next\ steps?|left|remaining|still\ open|missing)\b[^:]{0,20}: | next\ step\ (?:then|is|would) | still\ (?:open|missing|to\ do)\b )
    | \b(?: (?<!n't\ )(?<!n’t\ )(?<!not\ )(?<!longer\ )(?<!never\ )(?<!no\ )needs?\ to\ (?:order|call|ask|check|buy|send|sign|write|look|fix|test|review|pay|book|go|be|get|move)\b
        | (?<!n't\ )(?<!n’t\ )(?<!not\ )(?<!longer\ )(?<!never\ )(?<!if\ i\ )(?<!if\ we\ )(?:still\ )?(?:has|have)\ (?:still\ )?to\ (?:order|call|ask|check|buy|send|sign|write|look|fix|test|review|pay|book|do)\b
        | remind\ me\b | rappelle[sz]?[-\ ]moi\ d(?:e\b|['’])(?!\ quoi|\ ce\ qu) | recuérdame\ (?:que\ )?\w+[aei]r\b | ricorda(?:mi|ci)\ di\b | (?:next\ (?:week|month|time|sprint)|tomorrow|later\ today|after\ (?:lunch|that))\ (?:i|we)\b (?:\ want|\ will|['’]ll|\ need|\ have|\ start)?
        | (?:i|we)(?:['’]ll|\ will|\ want\ to|\ need\ to|\ have\ to|\ must)\ .{3,60}\b(?:next\ week|tomorrow|on\ (?:mon|tues|wednes|thurs|fri|satur|sun)day|next\ month|later|at\ lunch)\b
        | (?:is|are)\ still\ (?:open|missing|to\ be|not\ done) | (?:not|\w+n['’]?t)\ \w+\ yet\b | ^(?!.*\b(?:is|are)\b.*\bfirst\b).*\b(?:first|1st)\b.{3,60}\bthen\b .{3,} )
    | \b(?: als\ nächstes | nächster\ schritt | offen\ ist | noch\ offen | (?:muss|müssen|müsste)\ (?:ich\ |wir\ |noch\ )+ | (?:fehlt|fehlen)\ noch | (?<!ich\ )erinnere?\ mich | steht\ noch\ aus
        | (?:morgen|nächste\ woche|nächsten\ monat)\ (?:muss|will|machen|mach|möchte)\b )
    | ^(?:offen|plan|todo|nächste\ schritte?)\b[^:]{0,20}:"""
)
_BEGINS = r"(?:^|(?<=[,;:–]\ )|(?<=\bet\ )|(?<=\bmais\ )|(?<=\bdonc\ )|(?<=\bpuis\ )|(?<=\bbon\ )|(?<=\balors\ )|(?<=\bcoup\ ))"
"""Where a clause begins: what must be done for something ("pour le permis il faut …") is no step."""
_MUST = regex(
    rf"""(?xi) (?<!if\ )(?<!when\ )(?<!whether\ )\b(?: (?:(?:i|we)(?:['’]ve)?\ |^(?:(?:so|ok|and|also|then|oh)\ )*)(?:still\ |also\ |really\ )*(?:(?:have|need|got)\ to|must|gotta)\ (?P<deed>\w+)\b(?!\ you\b)
      | (?:(?:ich|wir)\ (?:muss|müssen|müsste[n]?) | (?:muss|müssen)\ (?:ich|wir) | (?<!si\ )je\ dois | (?<!si\ )(?:on|nous)\ (?:doit|devons) | (?<!no\ )(?:tengo|tenemos|hay)\ que | (?<!no\ )deb(?:o|emos)
          | {_BEGINS}(?:il\ )?(?:(?:me|nous)\ )?fau(?:t|dra|drait)(?:\ (?:encore|aussi|absolument|juste|vraiment))*+(?=\ \w+(?:er|ir|re)\b)(?!\ \w+\ pour\ \w+(?:er|ir|re)\b)
          | reste(?:nt)?(?:\ encore)?+(?:\ plus\ qu['’]|\ )[àa](?=\ \w+(?:er|ir|re)\b) | fau(?:t|dra)\ (?:pas\ oublier\ d(?:e\b|(?=['’]))|penser\ [àa](?=\ \w+(?:er|ir|re)\b)) | (?<!no\ )(?<!no\ me\ )(?<!no\ nos\ )(?<!\ble\ )(?<!\bles\ )(?<!\bte\ )(?:falta|queda)n?(?:\ (?:por|aún|todavía))*(?=\ \w+[aei]r(?:l[eoa]s?|me|nos)?\b) )(?![\w-])(?P<rest>(?!\ (?:pas|plus|jamais)\b).+)
      | (?<!\bil\ )(?<!s['’])(?<!quand\ )(?:il\ )?(?:(?:me|nous)\ )?fau(?:t|dra|drait)(?:\ (?:encore|aussi|absolument|juste|vraiment|[àa]\ tout\ prix))*\ qu(?:e\ (?:je\b|j['’]|nous\b|l['’]on\b)|['’]?\ ?on\b)
        \ ?(?!(?:y|te|vous|n['’]|ne|m['’]|me|fasse\ (?:gaffe|attention)|se\ (?:re)?voi[et]|se\ parle|mange|boive|rentre(?!\ (?:les?|la|mes)\b)|dise|avoue|sache|aie|sois|soit|ait|aille|parte|file|comprenne|pense|réfléchisse|dorme)\b)(?P<own>\S+\ \S.*) )"""
)
"""What a person must do: "I have to email Ann", "wir müssen den Notar anrufen", "faut que j'envoie le plan", "falta enviarle el acta"."""
_NEED_NOT = regex(
    r"(?i)(?:(?!\b(?:wenn|ob|weil|dass|falls|bevor|damit)\b)[^,;:–])*\b(?:nicht(?! (?:nur|vergessen))|keine?[nmrs]?|nie|niemals)\b"
)
"""How a German clause goes on that says what need not be done."""
_REMINDS = regex(
    r"""(?xi) (?: \b(?:don['’]?t|do\ not|never|must\ not)\ forget\b(?!\ that\b|:) | ^(?:(?:and|also|please|ok|so)\b[\s,]*)*remember\ (?:to|about) | \bnicht\b.*\bvergessen | \bvergiss\b.*\bnicht\b(?!,\ dass\b) | \b(?: denke?\ (?:bitte\ )?(?:noch\ )?(?:dran|daran|an) | (?:n['’])?oublie[sz]?\ pas | (?<!je\ )(?<!tu\ )(?<!on\ )pense[rsz]?\ [àa] | no\ (?:te\ )?olvides | acuérdate\ de) )\b"""
)
_TO_ME = regex(r"(?i)\b\w+[- ]moi\b")
_WORD = regex(r"[^\W_]+")
_SOON = regex(
    r"(?i)\b(?:tomorrow|tonight|this (?:evening|afternoon|weekend)|next (?:week|month)|morgen|heute abend|am wochenende|nächste[nrs]? (?:woche|monat)|demain|ce soir|cet aprem|cet après-midi|ce week-?end|la semaine prochaine|le mois prochain|mañana|esta (?:noche|tarde)|la semana que viene|el mes que viene|before we|bevor wir|avant qu'on|antes de que)\b"
)
_BOX = regex(r"\[(?:\s*|(?P<done>[xX✓✔]))\]\s+")
_REFERS = regex(
    rf"(?xi)\b(?:it|its|it's|this|them|they|these|those|he|she|him|her|one|there|such|es|ihn|ihm|sie|ihr|dort|dafür|davon|damit|dran|daran|darum|darauf|{THAT_ONE})\b"
)
_ALSO = regex(r"(?i)(?:and|also|but|und|auch|aber|et|y)\b")
_BECAUSE = regex(r"(?i)(?:because|since|so that|weil|denn|car|porque|parce que)\b|因为")
_FORBIDS = regex(r"(?i)\b(?:no|not|never|don['’]?t|dont|can['’]?t|nie|nicht|kein\w*|niemals)\b")


def wish_of(sentence: Sentence) -> Wish | None:
    """Say what a sentence asks to hold from then on, None where it asks for nothing of the kind."""
    if sentence.is_long or sentence.asks:
        return None
    bare = sentence.bare
    if _DECISION.search(bare):
        return Wish.DECISION
    if any(not _is_anothers(bare, match.start()) for match in _PREFERENCE.finditer(bare)):
        return Wish.PREFERENCE
    if _is_rule(bare):
        return Wish.DECISION
    return Wish.NEXT if _NEXT.search(bare) or head_of(bare) or _is_to_do(bare) else None


def _is_to_do(bare: str) -> bool:
    """Say whether a sentence tells of a deed that the person must do, or of something at its time that is not to be forgotten."""
    if _REMINDS.search(bare) and (_SOON.search(bare) or not _WHEN.isdisjoint(values_of(bare))):
        return True
    return any(
        must["own"] or is_deed(must["deed"] or "") or (must["rest"] and _has_deed(must["rest"]))
        for must in _MUST.finditer(bare)
    )


def _has_deed(rest: str) -> bool:
    return any(map(is_deed, _WORD.findall(rest))) and not _NEED_NOT.match(rest)


def _is_anothers(bare: str, at: int) -> bool:
    """Say whether "always" or "never" tells how somebody else is: "she wants the receipts always by the 10th"."""
    return bool(_EVER.match(bare, at) and _OF_ANOTHER.search(bare[:at]))


def is_only_at_its_time(step: str) -> bool:
    """Say whether a step is something that is not to be forgotten and happens by itself, when its day comes: nothing is to be done for it."""
    return bool(_REMINDS.search(step)) and not any(map(is_deed, step.split()))


def _is_rule(bare: str) -> bool:
    """Say whether a sentence says how something should be, by an amount or a name: "backups must be kept 90 days"."""
    rule = _RULE.match(bare)
    if not rule or is_supposed(rule["of"]) or is_supposed(bare[rule.end() :]):
        return False
    named = (word.strip(".,;:()'\"") for word in bare.split())
    return not values_of(bare).keys() <= _WHEN or any(
        is_identifier(word) and _NUMBERED.fullmatch(word) for word in named
    )


def wishes(text: str) -> list[Wished]:
    """Return what a person's message asks to hold from then on, each with the sentences around it that belong to it."""
    said = sentences(text)
    found: list[Wished] = []
    listed = list[Wished]()
    for at, sentence in enumerate(said):
        wish = wish_of(sentence)
        before = found[-1] if found else None
        if not wish or (before and at < before.until):
            continue
        if wish is Wish.NEXT and ((steps := _listed(said, at))[1:] or _has_steps_below(sentence, steps)):
            found += steps
            listed += steps
            continue
        follows = before and at == before.until and before not in listed
        until = at + 2 if _goes_on(sentence, said[at + 1 : at + 2]) else at + 1
        if before and follows and _fits(said[before.at : until]) and _adds(sentence, wish, before):
            found[-1] = _wished(before.wish, said, before.at, until)
        else:
            least = 0 if before is None else before.at if _is_step_after(wish, before) else before.until
            found.append(_wished(wish, said, _referred(said, at, least, wish), until))
    return [one for one in found if one in listed or _is_whole(one.said)]


def _is_whole(said: str) -> bool:
    """Say whether a wish is more than a fragment ("always that"): a few words, or an order in French, which needs no more than one."""
    return len(said.split()) >= _FEWEST_WORDS or not said.isascii() or bool(_TO_ME.search(said))


def _listed(said: Sequence[Sentence], at: int) -> list[Wished]:
    """Return the steps of a list that sentence ``at`` begins, none where it begins none; each says what the list is of."""
    bare = said[at].bare
    if bare.endswith(":"):
        below = list(_items(said, at + 1))
        return [Wished(Wish.NEXT, f"{bare} {step}", *where) for step, *where in below] if len(below) <= _MOST else []
    head = head_of(bare) or must_of(bare)
    if not head:
        return []
    until = at + 1
    while until < len(said) and said[until - 1].said.endswith((";", "；")) and _is_step(said[until]):
        until += 1
    texts = [bare[len(head) :], *(one.bare for one in said[at + 1 : until])]
    steps = [(number, step) for number, text in enumerate(texts, at) for step in steps_in(text, head)]
    return [Wished(Wish.NEXT, f"{head}{step}", number, number + 1) for number, step in steps]


def _has_steps_below(sentence: Sentence, steps: Sequence[Wished]) -> bool:
    """Say whether a sentence is only the head of these steps below it, or of none: "todo for tomorrow:"."""
    return sentence.bare.endswith(":") and bool(steps or head_of(sentence.bare))


def _items(said: Sequence[Sentence], first: int) -> Iterator[tuple[str, int, int]]:
    """Yield the items of the list that stands right below a head, each with the sentences that it is made of; without marks they must say what to do."""
    for item, group in groupby(enumerate(said[first:], first), key=lambda one: one[1].item or -one[0]):
        every = list(group)
        if item < 0 and not says_deed(every[0][1].bare):
            return
        step = " ".join(sentence.said for _, sentence in every)
        box = _BOX.match(step)
        if not (any(sentence.is_long for _, sentence in every) or (box and box["done"])):
            yield step[box.end() if box else 0 :], every[0][0], every[-1][0] + 1


def _is_step(sentence: Sentence) -> bool:
    return not (sentence.asks or sentence.is_long) and wish_of(sentence) in (None, Wish.NEXT)


def _adds(sentence: Sentence, wish: Wish, before: Wished) -> bool:
    """Say whether a wish only adds to the one right before it: it refers to that, goes on with it, or hardly says anything itself."""
    if _is_step_after(wish, before):
        return False
    if _refers(sentence) or count_words(sentence.bare) <= _FEWEST_WORDS:
        return True
    return before.wish is wish and (_is_short(before.said) or bool(_ALSO.match(sentence.bare)))


def _is_step_after(wish: Wish, before: Wished) -> bool:
    """Say whether a wish is a step that follows from a choice: it is done one day, and the choice holds on."""
    return wish is Wish.NEXT and before.wish is not Wish.NEXT


def _wished(wish: Wish, said: Sequence[Sentence], first: int, until: int) -> Wished:
    return Wished(wish, " ".join(one.said for one in said[first:until]), first, until)


def _referred(said: Sequence[Sentence], at: int, least: int, wish: Wish) -> int:
    """Return from which sentence on one must read to know what sentence ``at`` speaks of."""
    first = at
    while first > max(least, at - 2) and _fits(said[first - 1 : at + 1]):
        least_words = _SHORT if wish is Wish.NEXT else _FEWEST_WORDS + 1
        hardly_says = count_words(said[first].bare) < least_words
        if (said[first - 1].asks and wish is not Wish.NEXT) or not (hardly_says or _refers(said[first])):
            break
        first -= 1
    return first


def _fits(said: Sequence[Sentence]) -> bool:
    return sum(len(one.said) + 1 for one in said) <= _LONGEST


def _is_short(said: str) -> bool:
    return count_words(said) < _SHORT


def _refers(sentence: Sentence) -> bool:
    return count_words(sentence.bare) < 12 and bool(_REFERS.search(sentence.bare))


def _goes_on(sentence: Sentence, following: Sequence[Sentence]) -> bool:
    """Say whether the next sentence says why, what is allowed after one that forbids, or how much."""
    return any(
        _BECAUSE.match(one.bare)
        or (_is_short(one.bare) and _FORBIDS.search(sentence.bare) and count_words(one.bare) >= _FEWEST_WORDS)
        or (_is_short(one.bare) and one.bare[:1].isdigit())
        for one in following
        if not one.asks and not wish_of(one)
    )
