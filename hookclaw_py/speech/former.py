"""What was: whether a prompt asks for what held before, or says that it asks for what holds now."""

from __future__ import annotations

from hookclaw_py.model.types import Query
from hookclaw_py.regex import regex

_WHAT_WAS = regex(
    r"""(?ix) \b(?: before | previous(?:ly)? | former(?:ly)? | used\ to | originally | (?<!how\ )old | last\ (?:year|time) | at\ first
      | vorher | früher\w* | ehemalig\w* | bisher\w* | alte[nrs]? | avant | ancien\w* | précédent\w* | antes | anterior\w* | antigu\w+
      | prima | раньше | прежн\w+ )\b | 以前|之前|原来|旧|前の|예전"""
)
_WHAT_HAPPENED = regex(
    r"""(?ix) \b(?: what\ (?:happened|went\ wrong|(?:all\ )?did\ (?:we|i|you|he|she|they)\ do)
      | was\ (?:ist|war)\ (?:.*\ )?(?:passiert|geschehen|los) | was\ haben\ wir\ .*\ gemacht | (?:qu['’]est-ce\ qui|que)\ s['’]est(?:-il)?\ passé | qu['’]est-ce\ qu['’]on\ a\ fait
      | qué\ (?:pasó|hicimos) | (?:cosa|che)\ è\ successo | cosa\ abbiamo\ fatto )\b"""
)
_WHAT_HOLDS = regex(
    r"""(?ix) \b(?: now | nowadays | these\ days | current(?:ly)? | at\ the\ moment | atm | at\ present | still | any\ ?(?:more|longer)
      | jetzt | noch | derzeit | zur\ ?zeit | aktuell\w* | momentan | gerade | inzwischen | mittlerweile
      | maintenant | actuel\w* | en\ ce\ moment | désormais | encore | toujours
      | ahora | actual(?:es|mente) | todavía | aún | hoy\ en\ día | adesso | attual\w* | ancora | сейчас | теперь )\b
      | 现在 | 目前 | 如今 | 还(?:是|在) | 現在 | 今は | 지금 | 현재"""
)
YEAR = regex(r"(?<!\d)(20[0-4]\d)(?!\d)")


def asks_what_happened(query: Query) -> bool:
    """Say whether a prompt asks for something that was done or happened once: "what did we do about the flaky test"."""
    return bool(_WHAT_HAPPENED.search(query.text))


def asks_for_what_holds(query: Query) -> bool:
    """Say whether a prompt says that it asks for what holds now: "who chairs it now", "is yoga still on a Monday"."""
    return bool(_WHAT_HOLDS.search(query.text))


def asks_for_what_was(query: Query) -> bool:
    """Say whether a prompt asks for what was before, or for a time that is over: "how many tomatoes in 2025", or "tomatoes 2025"."""
    if any(int(year) < query.asked_at.year for year in YEAR.findall(query.text)):
        return True
    return bool(_WHAT_WAS.search(query.text)) or (query.period is not None and query.period.end <= query.asked_at)
