"""What a line of a note speaks of, and whether it says that something has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from pathlib import PurePosixPath

from hookclaw_py import text
from hookclaw_py.model.origin import Origin
from hookclaw_py.model.types import Chunk
from hookclaw_py.regex import regex
from hookclaw_py.temporal.words import LEXICON

LINES = regex(r"\n+(?![ \t]*(?:SCHEDULED|DEADLINE):)|(?<=\w{4}[.!?])\s+(?=[^\W\d_a-z])|(?<=[。！？])")
MONTHS = {word: value for word, (kind, value) in LEXICON.items() if kind in ("month", "maybe")}
MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_UNSPACED = "[新改换搬涨降]|现在|不再|开始|调整|推迟|延期|提前|月起|日起|今後|変更|変わ|値上げ|値下げ|になりました|이제|새로|변경|연기|부터"
"""Words of change in texts without blanks."""
_WEEKDAYS = "|".join(word for word, (kind, _) in LEXICON.items() if kind in ("weekday", "weekdays", "sat", "sun"))
_ARROWS = ("→", "->", "=>")
_CHANGE = regex(
    r"""(?ix) \b(?: now | (?<!nothing\ )new | since | from\ (?:today|tomorrow|now|then|next|the|\d|(?:MONTH)\b) | as\ of | starting | effective
      | (?:chang|mov|switch|replac|renam|rais|increas|reduc|lower|stopp?|start|okay|approv|cancel|retir|end|delay|extend|postpon)(?:e?s|e?d)
      | (?:mov|chang|switch)ing | stop | start | reschedul\w+ | slip(?:s|ped) | (?:pushed|put)\ back | put\ off | (?:steps?|stepped|stands?|stood)\ down | brought\ forward | rose | fell | resigned
      | no\ longer | not\ any\ ?more | instead | gone | left | first\ day | up\ to | down\ to | goes\ (?:up|down) | takes\ over
      | took\ over | becomes | became | swapped | rebooked | no\ more | after\ all
      | jetzt | nun | ab\ (?:heute|morgen|sofort|dem|\d|(?:MONTH)\b) | (?<!nichts\ )neu(?:e[nrsm]?)? | seit | künftig | umgezogen | nicht\ mehr
      | (?:ge)?(?:ändert|wechselt) | statt(?:dessen)? | ersetzt | erhöht | zugesagt | abgesagt | verschoben | (?:vor)?verlegt | vertagt
      | verlängert | gekündigt | abgesetzt | doch | hört\ auf | fällt\ (?:weg|aus) | (?:ge)?zügel[nt] | gestiegen | gesunken | steig(?:t|en)\ auf | sink(?:t|en)\ auf | teurer | billiger | umbenannt | übernimmt | zieht\ (?:um|nach)
      | wechseln? | umgebucht | umgestellt | umstellen | kein\w*\ \w+\ mehr
      | maintenant | désormais | (?<!de\ )nouve(?:au|l|lle)s? | depuis | à\ partir\ d(?:e|u|es)? | dès | chang(?:é|e|ement) | déménag\w+ | remplac\w+
      | pass(?:e|ent|é)\ (?:à|de) | n(?:e|['’]\S*)\ \w+\ plus | augment\w+ | report(?:é|ée)s? | repouss(?:é|ée)s? | décal(?:é|ée)s? | prolong(?:é|ée)s?
      | (?:install|entr)(?:é|ée)s?\ (?:à|dans|chez|en) | finalement | emménag\w+ | résili(?:é|ée)s? | (?:monte|baisse)(?:nt)?\ à
      | ahora | (?<!nada\ )nuev[oa]s? | desde | a\ partir\ del? | cambi\w+ | pasan?\ a | pasó\ a | ya\ no | mud(?:ó|ado)\w* | en\ vez\ de
      | sub(?:en?|ió|ieron) | baj(?:an?|ó)\ (?:a|de) | aplaz(?:a|ó|ad[oa])s? | pospuest[oa]s? | retras(?:a|ó|ad[oa])s? | adelant(?:a|ó|ad[oa])s?
      | adesso | nuov[oaie] | da\ oggi | cambiat\w | spostat\w | rimandat\w | agora | nov[oa]s? | mudou | nu | nieuwe? | vanaf | sinds | verhuisd | verplaatst
      | uitgesteld
      | теперь | нов\w+ | измен\w+ | переех\w+ | перенес\w+ | больше\ не )\b
    | UNSPACED
    | (?<![\w.,:])\d[\d.,:]*+\ ?(?:\w{1,9}\.?|[%€$£])?\ ?(?:ARROW)(?=\ ?(?:[€$£]\ ?)?\d)
    | \b(?:WEEKDAY)\.?\ ?(?:ARROW)(?=\ ?(?:WEEKDAY)\b)""".replace("MONTH", MONTH_NAMES)
    .replace("UNSPACED", _UNSPACED)
    .replace("WEEKDAY", _WEEKDAYS)
    .replace("ARROW", "|".join(_ARROWS))
)
_CALLED_NEW = regex(
    r"""(?ix) (?:\A|\ >\ ) (?:neue[nrs]? | nouve(?:au|aux|lles?) | nuev[oa]s? | nuov[oaie])\ \w
    | [\w)][\ _-]{1,2}\(? (?:neu(?:e[nrs]?)? | new | nouve(?:au|aux|lles?) | nuev[oa]s? | nuov[oaie]) \)? (?:\Z|\ >\ )"""
)
_RUN = regex(r"\w+")
_BEGINNINGS = """
    now new sin fro as sta eff cha mov swi rep ren rai inc red sto oka app can ret end no not ins gon lef fir up dow
    low del ext pos res sli pus put bro ros fel ver vor ste teu bil umb übe zie ges gek goe tak too bec jet nun ab
    swa reb ums kei neu sei kün umg nic geä änd gew wec ers erh zug abg mai dés nou rés déc pro mon bai emm dep à a dès dém rem pas
    n ne doc hör fäl züg gez aft ent fin aug aho nue des cam ya baj apl ade spo rim uit mud en sub nuo da ago nov nu nie van теп нов изм пер бол
"""
_STARTS = frozenset(_BEGINNINGS.split())
"""The first three letters of every word of change that has blanks around it."""

_CHANGE_UNSPACED = regex(_UNSPACED)
_POINTS = regex(
    r"""(?ix) (?: (?<!\w)(?: siehe | vgl\.? | see | cf\.? | voir | véase | ver | vedi | zie | смотри | см\. )(?!\w) | → | -> | => )
    [\s:]* (?P<at>[^.,;()\n]{1,60})"""
)
_PAGES = "note page list file seite notiz liste datei zettel fiche nota hoja página pagina auch also aussi"
_A_PAGE = frozenset(_PAGES.split())
_SHORT_NUMBER = regex(r"\d{1,4}(?:-\d\d)*")
_TIMES = ("unit", "units", "month", "maybe", "weekday", "weekdays", "sat", "sun", "number", "dayword")
_NO_TIME = ("", None)


def says_change(line: str) -> bool:
    """Say whether a line, or one of a text, has a word of change, or an arrow from one value to another: "rent 820 → 860"."""
    return next(_changes(line), None) is not None


def _changes(line: str) -> Iterator[re.Match[str]]:
    """Yield what ``_CHANGE`` finds, tried only where a word of change can begin: at every word it takes four times as long."""
    if any(arrow in line for arrow in _ARROWS) or (not line.isascii() and _CHANGE_UNSPACED.search(line)):
        yield from _CHANGE.finditer(line)
        return
    end = 0
    for start in _RUN.finditer(line):
        at = start.start()
        if at >= end and start[0][:3].lower() in _STARTS and (found := _CHANGE.match(line, at)):
            end = found.end()
            yield found


def is_called_new(heading: str) -> bool:
    """Say whether a note is called the new one: "Preise neu", "Tarifs (nouveaux)"; "New York" is no new York."""
    return bool(_CALLED_NEW.search(heading))


def without_change(line: str) -> str:
    """Return a line without its words of change."""
    parts, end = list[str](), 0
    for found in _changes(line):
        parts.append(line[end : found.start()])
        end = found.end()
    return " ".join([*parts, line[end:]])


def may_tell(chunk: Chunk) -> bool:
    """Say whether a person tells something in it: only that takes the place of what the person noted before."""
    return chunk.origin.is_own or bool(chunk.kind.speakers) or chunk.origin is Origin.IMPORTED


def points_at(line: str, page: Chunk) -> bool:
    """Say whether a line sends one to a page and has no number of its own: "new code, see Codes", of the page "Codes and keys"."""
    pointer = _POINTS.search(line)
    if pointer is None or any(map(str.isdigit, line[: pointer.start()] + line[pointer.end() :])):
        return False
    known = frozenset(text.terms(f"{page.heading} {PurePosixPath(page.place.path).stem}"))
    named = [forms for word, forms in text.forms(pointer["at"]) if forms and word not in _A_PAGE]
    return bool(named) and all(not known.isdisjoint(forms) for forms in named)


@lru_cache(maxsize=1024)  # a line's are a KB or two, and are asked for again by the same prompt
def telling(line: str) -> Set[str]:
    """Return the terms of a line that tell what it speaks of: not its times and short numbers, which are what differs."""
    return {term for word in text.words(line) for term in _told_by_word(word)} - text.asking()


@lru_cache(maxsize=16_384)
def _told_by_word(word: str) -> tuple[str, ...]:
    if is_time(word):
        return ()
    return tuple(term for term in text.terms(word) if not _SHORT_NUMBER.fullmatch(term))


def is_time(word: str) -> bool:
    """Say whether a word is one of times: a weekday, a month, a number."""
    return LEXICON.get(word, _NO_TIME)[0] in _TIMES
