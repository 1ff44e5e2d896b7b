"""Tasks: which lines say that something is still to do ("TODO", "[ ]", "waiting for"), and which prompts ask for such.

A passage with an open task is found by who asks what is open, whatever either calls it: it has a term for that, as it has for its days.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookclaw_py import text
from hookclaw_py.model.terms import AWAITED, OPEN, UNDER_WAY, Terms
from hookclaw_py.regex import regex
from hookclaw_py.temporal.tense import looks_back

_STATES = {"DOING": UNDER_WAY, "NOW": UNDER_WAY, "STARTED": UNDER_WAY, "IN-PROGRESS": UNDER_WAY, "[/]": UNDER_WAY}
_STATES |= {"WAITING": AWAITED, "WAIT": AWAITED}
_BEGINS = r"[ \t>]*+(?:(?:[-*+•]|\d{1,3}[.)]|\#{1,6})[ \t]++)?+"
_MARKED = regex(
    rf"""(?x) (?: ^{_BEGINS} (?P<state> \[[ /]?\] | \{{\{{(?:\[\[)?TODO(?:\]\])?\}}\}} | (?:TODO|DOING|NOW|LATER|NEXT|WAITING|WAIT|STARTED|IN-PROGRESS)\b )
      | (?<![\w`{{(]) (?P<within>TODO|WAITING)\b ) :? [ \t]++ [^\s{{}}]"""
)
"""A mark of an outliner or of Org, with a task behind it: "- TODO" alone is a form. Roam has "{{[[TODO]]}}"."""
_CLOSED = regex(rf"^{_BEGINS}(?:\[[xX-]\]|(?:DONE|CANCEL+ED)\b|\{{\{{(?:\[\[)?DONE\b)|\{{\{{(?!(?:\[\[)?TODO\b)")
_AWAITED = regex(
    r"""(?ix) \b(?: (?<!not\ )(?<!no\ longer\ )waiting\ (?:for|on) | wait(?:s|ing)?\ for\ (?:an?\ |the\ )?(?:answer|reply) | warte[nt]?\ (?:noch\ |immer\ noch\ )?auf | en\ attente\ d | j['’]attends
      | esperando | in\ attesa\ d | aspett(?:o|iamo)\ (?:risposta|che|ancora) ) | 在等 | 等待"""
)
_SAID = regex(
    r"""(?ix) \b(?: still\ (?:to\ (?:do|be)|open(?!\ (?:on|until|till|at|from|to)\b)|unpaid|missing|need(?:s|ed)?\ to|(?:have|has)\ to|must) | to\ be\ done | not\ (?:yet\ )?(?:done|paid|sent)\ yet | (?:(?:my|our|the|and|also|und|meine?)\ |(?<!\w\ ))to-?do(?=:) | unfinished
      | noch\ (?:offen(?!\ (?:am|bis|von|um)\b)|zu\ (?:tun|machen|erledigen|klären)|nicht\ (?:erledigt|gemacht|bezahlt)) | (?:muss|müssen)\b[^.\n]{0,40}\bnoch | unerledigt | (?:steht|fehlt|fehlen)\ noch(?:\ aus)?
      | remind\ me\ to | don['’]?t\ (?:let\ me\ )?forget\ to | (?<!ich\ )erinnere?\ mich | rappelle[sz]?[-\ ]moi\ d(?:e\ (?!quoi|ce)|['’]) | (?:n['’])?oublie[sz]?\ pas\ d(?:e\ |['’]) | recuérdame\ \w+[aei]r | ricorda(?:mi|ci)\ di
      | fau(?:t|dra)(?:\ (?:encore|aussi))*\ qu(?:e\ (?:je\b|j['’])|['’]on\b) | (?<!\bil\ )faut\ (?!(?:dire|croire|savoir|voir)\ qu|(?:croire|savoir|rire)\b)(?:encore\ |aussi\ )*\w+(?:er|ir|re) | (?<!no\ )(?<!no\ me\ )(?<!no\ nos\ )(?<!\ble\ )(?<!\bles\ )(?<!\bte\ )falta\ (?!(?:azúcar|lugar)\b)(?:por\ )?\w+[aei]r(?:l[aeo]s?)?
      | (?<!qu['’]il\ )(?:il\ )?(?:me\ |nous\ )?reste(?:nt)?\ (?:encore\ )?[àa]\ \w+(?:er|ir|re) | encore\ à\ faire | (?<!qu['’])à\ faire(?=\s*(?:[:,;.]|$)) | il\ faut\ encore | pas\ encore\ (?:fait|reçu|payé)e?s?
      | (?:queda|sigue|está|tengo)n?\ pendientes? | pendientes?(?=:|\ de\ \w+[aei]r\b) | (?:queda|falta)n?\ por | todavía\ (?:hay|tengo|tenemos)\ que | por\ hacer
      | (?:resta|rimane|manca)\ da | ancora\ da | da\ fare(?=\s*(?:[:,;.]|$)) | dev(?:o|ono)\ ancora | dobbiamo\ ancora | in\ sospeso )\b | 还没 | 待办 | 还要 | 还得(?![了到出意])"""
)
_WORDS = """
    wait warte atte esperando aspett 等 still unfinish to-do todo yet noch unerledigt rest faire encore pendiente queda falta todav hacer
    rimane manca ancora fare sospeso 还 待 remind forget erinner rappelle oublie recuérd ricorda faut faudra
"""
_NEEDED = (*_WORDS.split(), "to be done")
"""Of what is said of a task, each way of saying it has one of these: most texts have none, which is soon seen."""
_OTHER_LETTERS = "ſı\u0307"
"""They are one with "s" and "i" where case does not count, and stay what they are in small letters."""


def with_tasks(terms: Terms, body: str) -> Terms:
    """Return the terms of a text, and one for each state in which a task of it is."""
    told = _may_be_told(body)
    marks = dict.fromkeys(mark for line in body.split("\n") for mark in states(line, told=told))
    return Terms((*terms, *marks)) if marks else terms


def with_headings(heading: str, body: str) -> str:
    """Return a passage with each of its headings in a line before it: in Org a heading is the task."""
    return "\n".join((*heading.split(" > "), body))


def states(line: str, *, told: bool = True) -> Iterator[str]:
    """Yield the terms of what a line says of a task; none of one that is done. Where nothing is ``told`` of any its marks alone count."""
    marked = _marked(line)
    if not (marked or told) or _is_closed(line):
        return
    state = _STATES.get(marked["state"] or marked["within"], "") if marked else ""
    awaited = told and not state and _AWAITED.search(line) is not None
    if marked or awaited or (told and _SAID.search(line)):
        yield OPEN
    if state or awaited:
        yield state or AWAITED


def _may_be_told(text: str) -> bool:
    """Say whether a text may tell of a task in words, without a mark."""
    small = text.lower()
    for word in _NEEDED:  # a loop: of short texts this is most of what they cost
        if word in small:
            return True
    return not small.isascii() and any(letter in small for letter in _OTHER_LETTERS)


def _marked(line: str) -> re.Match[str] | None:
    """Return the mark of a task: most stand at the beginning of a line."""
    return (_MARKED.search if "TODO" in line or "WAITING" in line else _MARKED.match)(line)


def _is_closed(line: str) -> bool:
    return (_CLOSED.search if "{{" in line else _CLOSED.match)(line) is not None


def is_task(line: str) -> bool:
    """Say whether a line is marked as what is still to do."""
    return _marked(line) is not None and not _is_closed(line)


_MARK = regex(
    rf"""(?x) {_BEGINS} (?: \[.?\] | \{{\{{(?:\[\[)?(?:TODO|DONE)(?:\]\])?\}}\}}
      | (?:TODO|DOING|NOW|LATER|NEXT|WAITING|WAIT|STARTED|IN-PROGRESS|DONE|CANCEL+ED)\b ) :?[ \t]*+"""
)
_WHEN = regex(r"[✅📅⏳➕🛫❌][\ufe0f ]*\d{4}-\d\d-\d\d|\[(?:completion|due|created|scheduled)::[^\[\]]*\]")
"""What Obsidian's plugins write behind a task: when it was done, or is due."""


def task_in(line: str, *, done: bool) -> frozenset[str]:
    """Return the terms of a marked task without its mark and days; none of what is no task, or of one that is not ``done`` where that is asked for."""
    mark = _MARK.match(line)
    if mark is None or _is_closed(line) != done:
        return frozenset()
    return frozenset(text.terms(_WHEN.sub(" ", line[mark.end() :])))


_THINGS = r"(?:things?|stuff|tasks?|to-?\ ?dos?|(?:action\ )?items?|points?|jobs?|errands?|chores?|steps?|sachen|dinge|aufgaben|punkte|themen|posten|baustellen|schritte|choses?|t[âa]ches?|trucs?|cosas?|tareas?|temas?|puntos?|asuntos?|cose|compiti|attività|punti|faccende)"
_LISTED = r"(?:to-?\ ?dos?|tasks|action\ items|aufgaben|t[âa]ches|tareas|compiti)"
_ASKS = regex(
    rf"""(?ix) (?P<awaited> \b(?: (?:what|whom?)\ (?:am\ i|are\ we)\ (?:still\ )?waiting\ (?:for|on) | (?:worauf|auf\ w(?:as|en))\ warten?\ (?:ich|wir)
        | (?:qu['’]?\ ?est[-\ ]ce\ que\ |qui\ est[-\ ]ce\ que\ |de\ qui\ )(?:j['’]attends|on\ attend|nous\ attendons)
        | a?\ ?(?:qué|quién)\ (?:estoy|estamos)\ esperando | (?:cosa|chi)\ (?:sto|stiamo)\ (?:ancora\ )?aspettando )\b | 在等(?:什么|谁|啥) )
    | (?P<under_way> \b(?: what\ (?:am\ i|are\ we)\ (?:currently\ )?(?:working\ on|in\ the\ middle\ of) | woran\ (?:arbeite|sitze|arbeiten|sitzen)\ (?:ich|wir)
        | sur\ quoi\ (?:je\ travaille|on\ travaille|est-ce\ que\ je\ travaille) | en\ qué\ (?:estoy|estamos)\ trabajando | a\ (?:cosa|che\ cosa)\ (?:sto|stiamo)\ lavorando )\b | 在做(?:什么|哪些)(?:项目|任务) )
    | (?P<open> \b(?: (?:what(?:['’]?s|\ is|\ are)?|which|anything|is\ there\ anything)(?:\ (?:all|of\ my))*(?:\ {_THINGS})?(?:\ (?:is|are|do\ (?:i|we)\ have|have\ (?:i|we)))?(?:\ (?:still|left|yet|all))*
            \ (?:open|pending|outstanding|overdue|unfinished|undone|to\ do|to\ be\ done|left\ to\ do|not\ (?:yet\ )?(?:done|finished))
        | (?:open|pending|outstanding|remaining|unfinished)\ {_THINGS} | (?:which|what|my|all|list|show(?:\ me)?|any)(?:\ (?:the|all|my|of))*\ {_LISTED}(?:\ do\ (?:i|we)|\ are\ (?:there|left))?
        | what\ (?:else\ )?(?:do|must|should)\ (?:i|we)\ (?:still\ (?:have|need)\ to|have\ left\ to|still)\ (?:do|finish|get\ done) | what\ (?:have|ha)n['’]?t\ (?:i|we)\ (?:done|finished)
        | ^\W*to-?dos?(?=(?:\ (?:for|für|pour|para|per|in|on|by|until|bis))?\W*\Z) | on\ my\ (?:to-?\ ?do\ )?list | to-?do[-\ ]?list\w?
        | (?:was|welche\ {_THINGS})\ (?:ist|sind|steh(?:t|en)|gibt['’]?s|gibt\ es|bleibt|hab(?:e|en)?(?:\ (?:ich|wir))?)(?:\ (?:es|denn))?(?:\ (?:noch|alles|so))*\ (?:offen|überfällig|unerledigt|zu\ (?:tun|machen|erledigen)|nicht\ (?:erledigt|gemacht|fertig))
        | was\ (?:muss|soll|müssen|sollen)\ (?:ich|wir|man)(?:\ (?:denn|alles))*\ noch(?:\ alles)?\ (?:machen|tun|erledigen) | offenen?\ {_THINGS} | (?:meine|welche|alle)\ {_LISTED} | aufgabenliste
        | (?:qu['’]?\ ?est[-\ ]ce\ qu(?:i|['’]?\ ?il)\ |ce\ qu(?:i|['’]il)\ |que\ |il\ )?(?:(?:me|nous)\ )?reste(?:[-\ ]t[-\ ]il)?(?:\ (?:quoi|encore))*\ [àa]\ (?:faire|finir|régler)
        | (?:quelles?\ |les\ |mes\ ){_THINGS}\ (?:sont\ |restent\ |qui\ restent\ )?(?:encore\ )?(?:en\ (?:cours|suspens|attente)|ouvertes?|[àa]\ faire) | (?:je\ dois|on\ doit|nous\ devons|dois-je)\ encore\ faire
        | qu[ée]\ (?:(?:me|nos)\ )?(?:queda|falta)n?(?:\ (?:aún|todavía))?\ (?:por\ (?:hacer|terminar|resolver)|pendientes?|abiert[oa]s?) | (?:qu[ée]|{_THINGS})\ (?:(?:tengo|tenemos|está|están|hay|sigue|siguen)\ )?(?:aún\ |todavía\ )?pendientes?
        | qu[ée]\ (?:tengo|tenemos)\ (?:aún\ |todavía\ )(?:que|por)\ hacer
        | (?:che\ |che\ cosa\ |cosa\ )(?:mi\ |ci\ )?(?:(?:resta|rimane|manca|è\ rimasto)(?:\ ancora)?|c['’]è\ ancora|ho\ ancora)\ (?:da\ (?:fare|finire|sbrigare)|aperto|in\ sospeso) | cosa\ (?:devo|dobbiamo)\ ancora\ fare
        | {_THINGS}\ (?:(?:sono\ )?ancora\ )?(?:apert[ei]|in\ sospeso|da\ (?:fare|finire)) )\b
      | 还有(?:什么|哪些|啥)(?:事情?|任务|事项|东西)?(?:没有?|要|需要|得)(?:做|完成|办|弄|处理)[完好]? | (?:什么|哪些|啥)(?:事情?|任务|事项)?还?没有?(?:做|完成|办|弄)[完好]? | 待办(?:事项|清单|列表)? | 还(?:要|得|需要)做(?:什么|哪些|啥) | 未完成的?(?:事情?|任务|事项)? )"""
)
_STATE = {"awaited": AWAITED, "under_way": UNDER_WAY, "open": OPEN}
_ASIDE = regex(
    rf"""(?ix) \b(?: {_THINGS} | still | left | yet | list | show | give | right\ now | at\ the\ moment | currently | there | have | got | do | done | on | noch | alles | gerade | zurzeit | derzeit | jetzt | momentan | encore | maintenant
      | en\ ce\ moment | aún | todavía | ahora | ancora | adesso | everything | all | me | my | what['’]?s? )\b | [我你您]们? | 现在 | 目前 | [的了吗呢吧啊还]"""
)


def asked_for(prompt: str) -> str:
    """Return the term of the tasks that a prompt asks for, without saying of what they are; "" where it asks for anything else."""
    match = _ASKS.search(" ".join(prompt[:_LONGEST].split()))
    if match is None:
        return ""
    rest = _ASIDE.sub(" ", f"{match.string[: match.start()]} {match.string[match.end() :]}")
    if looks_back(rest) or not text.asking().issuperset(text.terms(rest)):
        return ""
    return _STATE[match.lastgroup or "open"]


_LONGEST = 400  # characters; a longer prompt asks for more than what is open
