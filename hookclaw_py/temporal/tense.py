"""Tense: whether a prompt asks for what was ("did", "war", "a-t-on") or for what is planned ("what's on", "steht an", "tengo")."""

from __future__ import annotations

from hookclaw_py.regex import regex
from hookclaw_py.text import asking, guess_language, terms, words

_HAS = regex(r"(?i)\bas?\b")
_HAS_DONE = regex(
    r"(?i)\bas?\s+(?:\w+é|dit|fait|eu|mis|pris|vu|lu|dû|pu|bu|su|voulu|reçu|perdu|vendu|écrit|promis|répondu|fini|choisi)\b"
)
_LOOKING_BACK = regex(
    r"""(?ix) \b(?: did(?:n['’]t)? | was(?:n['’]t)? | were | had | went | said | told | came | got | made | wrote | happened | \w{3,}ed
      | broke | lost | gave | took | found | sent | paid | met | ate | bought | left | forgot | won | saw | hurt | ran | fell | drove
      | spoke | brought | thought | kept | sold | felt | heard | chose | spent | slept | (?<!to\ )(?:let|put|cut)
      | war(?:en|st)? | hatten? | habe?n? | hast | hat | wurden? | gab | ging | kam(?:en)? | sagten?
      | ai | avons | avez | ont | était | étaient | avait | suis | sommes | (?:été|rien|pas|déjà|bien|tout)\ fait | fait\ (?:avant-?\ ?)?hier
      | (?:ho|hai|ha|abbiamo|avete|hanno)\ (?:\w+[aiu]t[oaie]|fatto|detto|scritto|messo|preso|speso|perso|visto|letto|chiesto|rotto|aperto|chiuso|corso|vinto|deciso|già) | è\ (?:stat|success|venut|andat|arrivat)\w+ | era(?:no|vamo)?
      | fue(?:ron)? | fui(?:mos)? | hic\w+ | hizo | dij\w+ | estuv\w+ | tuv\w+ | (?!(?:por)?qué\b)\w{2,}(?:é|ó|amos|imos|aron|ieron|aste|iste) )\b
    | [了过過] | 刚才 | ました | でした | 했 | 었 | 았""",
)
_LOOKING_AHEAD = regex(
    r"""(?ix) \b(?: (?:what|anything|something|nothing|much)(?:['’]?s|\ is|\ are|\ do\ (?:i|we)\ have|\ have\ (?:i|we)(?:\ got)?)?\ (?:on|up|due|coming|planned|happening)
      | plan(?:s|ned)? | scheduled? | diary | upcoming | coming\ up | to-?dos? | open\ tasks | offenen?\ (?:aufgaben|punkte) | calendar(?!\ week) | agenda | birthdays? | appointments? | booked | due | deadlines? | free | busy
      | do\ (?:i|we)\ (?:have|need) | (?:got\ )?anything\ (?=\S*day\b|tomorrow) | up\ to | look(?:s)?\ like | what\ time\ is | have\ (?:i|we)\ got | am\ i | are\ we | when\ (?:do|does|is|are|am) | will | going\ to | gonna | must | should | shall | ha(?:s|ve)\ to | needs?\ to | who(?:\ is|['’]?s)?\ com(?:es|ing)
      | (?:was\ )?(?:ist\ |haben\ wir\ |hab(?:e|\ )?\ ?ich\ )?(?:\w+\ ){0,3}(?:geplant|vor) | (?:was\ )?steh(?:t|en)\ (?:\S+\ ){0,5}an | termine? | fällig | frei | (?:termin)?kalender
      | irgend(?:et)?was (?= (?:\ am)? \ ?\?*$ | \ (?:am\ )?(?:\w+tag|mittwoch|morgen)\b )
      | was\ (?:ist|is|machen?|geht|steht|muss|müssen|soll|sollen) | wie\ sieht['’]?s? | hab(?:e|en)?\ (?:ich|wir) | (?:muss|soll)\ ich | (?:müssen|sollen)\ wir | bin\ ich | sind\ wir | wann\ (?:ist|is|sind|muss|fliege?n?|kommt) | wer\ kommt
      | (?:est[-\ ]ce\ )?qu['’]on\ (?:fait|mange) | on\ (?:fait|mange|part|va|sort|dîne|rentre) | fait-on | je\ fais | (?:je\ vois|on\ voit|je\ rencontre) | (?:wen\ )?(?:treffe|sehe)\ ich | (?:(?:je|tu)\ dois|on\ doit|nous\ devons|dois-je|doit-on)\ (?:encore\ )?\w+(?:er|ir|re)
      | (?:qui|quand|qui[ée]n(?:es)?|cu[áa]ndo)\ vien(?:t|nent|en?)(?!\ de\b) | emploi\ du\ temps | (?:le|mon|notre|quel)\ (?:programme|planning)
      | (?:programme|planning)\ (?:d[eu]\ |pour\ )?(?=lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|demain)
      | qu['’]?\ ?est[-\ ]ce\ qu(?:e\ j['’]ai|['’]on\ a|e\ nous\ avons)(?:\ prévu|(?!\ (?:(?!\w*di\b)\w+[éi]e?s?|fait|eu|mis|dû|bu|lu|vu|reçu|perdu|vendu|voulu|dit|écrit|rien|pas|déjà|bien)\b)) | quelque\ chose\ de\ prévu | prévue?s? | rendez-vous | rdv | libres? | je\ suis | j['’]ai\ (?:quoi|prévu|rien|une?|des|mes|quelque|rendez-vous|rdv) | suis-je | est[-\ ]ce\ qu['’]on | on\ a\ quoi | il\ y\ a
      | (?:che\ )?(?:cosa|che|cos['’])\ ?(?:ho|abbiamo|c['’](?:è|e)|devo(?:\ fare)?|dobbiamo(?:\ fare)?|faccio|facciamo|scade|consegno)(?!\ (?:\w+[aiu]t[oaie]|fatto|detto|scritto|messo|preso|speso|perso|visto|letto|chiesto|già)\b)
      | (?:ho|abbiamo)\ (?:qualcosa|niente|impegni|appuntamenti|lezione|da\ fare) | appuntament[oi] | impegn[oi] | in\ (?:agenda|programma) | chi\ (?:viene|arriva)(?!\ (?:a|per)\ (?:natale|pasqua)) | (?:sono|siamo)\ liber\w
      | planead[oa]s? | previst[oa]s? | citas? | tengo | tenemos | hacemos | hay | toca | estoy | estamos | voy\ a | vamos\ a )\b
    | 安排 | 计划 | 計劃 | 有什么 | 有什麼 | 有空 | 打算 | (?<![需主重必])要[做交付去带帶买買见見开開办辦还還回寄取签簽搬考准準] | 空[吗嗎] | 有事""",
)
_DONE = regex(
    r"(?i)\b(?:(?:\w{2,4})?ge\w{2,}(?:t|en)|(?:be|ver|ent|er|zer)\w+[^aeiou\W]t|besprochen|entschieden|vergessen|bekommen|passiert|fait|hecho|visto)\b"
)
"""German participles, and what else is over by its form: what was done, where "habe ich" is said of what is ahead as well."""

_HAS_NOW = regex(r"(?i)(?:^|\b(?:und|wer|wann|was|wo|wie(?:\ \w+)?|welche[rns]?\ \w+)\ )(?:hat|haben|hast)\b")
_MAYBE_DONE = regex(
    r"""(?ix) \b(?! (?: nicht | jetzt | zeit | dienst | notdienst | schicht | bereitschaft | arzt | offen | morgen | haben
      | [mdsk]?einen | (?:unser|ihr|eur|dies|jed|welch|nächst|kommend|ander|ganz)en )\b ) \w{2,}(?:[^\W\d_]t|en)\b"""
)
"""What may be a participle, at the end of "wer hat … unterschrieben"; "wer hat … Dienst" has none, and asks for what is or comes."""

_PLANNING = regex(
    r"""(?ix) \b(?: free | busy | got | else | everything | seeing | meeting | look(?:s)? | like | need | be | anywhere | my | you | to | diary | time | due | deadlines? | appointments? | meetings? | events? | schedule[ds]? | calendar | agenda | booked | com(?:e|es|ing) | upcoming | up
      | hab(?:e|en)? | machen? | mache | geht | sieht['’]?s? | wie | aus | (?:irgend)?etwas | (?:irgend)?was | zeit | (?:termin)?kalender | (?:wochen|tages)?plan | programm | drin | termine? | los | geplant | vor | stehe?n?t? | an | noch | alles | sonst | wen | frei | fällig
      | prévue?s? | rendez-vous | rdv | libres? | temps | quoi | qui | tout | quelque | chose | suis | faire | faisons | fait-on
      | finish(?:ed)? | done | do | get | hand | in | submit | muss | müssen | soll | sollen | erledigen | erledigt | fertig | tun | sein | werden | abgeben | einreichen | dois | dois-je | doit | doit-on | devons
      | rendre | finir | terminer | devo | dobbiamo | fare | finire | consegnare | hacer | terminar | entregar | que | citas? | tiempo | tengo | tenemos | estoy | estamos | hay | algo | planead[oa]s? | previst[oa]s? | toca )\b
    | [我你您]们? | 有?什[么麼]事?情? | 有事 | 安排 | 计划 | 計劃 | 有空 | [时時][间間] | 打算 | 要做 | 有?空 | [吗嗎] | 事情?""",
)
"""What asks for a plan and names none of it."""

_DOING = regex(
    r"(?i)\b(?:hice|hicimos|hiciste|hizo|hicieron|pasó|qué|fatto|successo|cosa)\b|[我你您他她]们?|[做干幹]了?|什[么麼]|发生|發生|月份|[了吗嗎份]"
)
"""What asks for what was done and names none of it, where ``text.asking`` does not know the word."""


def looks_back(text: str) -> bool:
    """Say whether a text has a verb of the past, in French perhaps no more of it than "a": in English that is an article."""
    if _has_now(text):
        text = _HAS_NOW.sub(" ", text)
    if _LOOKING_BACK.search(text) or _HAS_DONE.search(text):
        return True
    return bool(_HAS.search(text)) and guess_language(words(text)) == "french"


def looks_ahead(text: str) -> bool:
    """Say whether a text asks for what is planned: "what's on", "am i free", "was steht an"; one with a verb of the past does not."""
    rest = _LOOKING_AHEAD.sub(" ", text)
    return (rest != text or _has_now(text)) and not looks_back(rest) and not _DONE.search(rest)


def _has_now(text: str) -> bool:
    """Say whether a question asks what somebody has, not has done: "wer hat am Samstag Dienst"."""
    return bool(_HAS_NOW.search(text)) and not _MAYBE_DONE.search(text)


def asks_for_plans(text: str) -> bool:
    """Say whether a text, without the day that it names, looks ahead and names nothing: "am i free on", not "what's planned for the garden in"."""
    return looks_ahead(" ".join(text.split())) and names_no_plan(text)


def names_no_plan(text: str) -> bool:
    """Say whether all words of a text that looks ahead only ask: "any appointments", not "any appointments of the children"."""
    text = " ".join(text.split())
    return asking().issuperset(terms(_PLANNING.sub(" ", _LOOKING_AHEAD.sub(" ", text))))


def asks_what_was_done(text: str) -> bool:
    """Say whether a text, without the day that it names, asks for what was done then and names nothing: "qué hicimos"."""
    rest = _DOING.sub(" ", text)
    return rest != text and asking().issuperset(terms(rest))
