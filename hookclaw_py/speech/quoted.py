"""Quoted: what of a person's message somebody else wrote: a quotation, a fenced text, a mail, a post, a page that was pasted.

It is recognised by how it stands there, not by what it says: what a text says of itself raises nobody's trust in it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hookclaw_py.kept import of_texts
from hookclaw_py.regex import regex
from hookclaw_py.speech.orders import FORGED

_FENCE = regex(r"[ \t]{0,3}(`{3,}|~{3,})")
_QUOTE = regex(r"[ \t]{0,3}>")
_CALLOUT = regex(r"[ \t]{0,3}>[ \t]*\[!")
_HEADERS = r"(?:from|von|de|expéditeur|remitente|发件人|寄件者)"
_FURTHER = (
    r"(?:subject|date|sent|to|cc|betreff|datum|gesendet|an|objet|envoyé|à|asunto|fecha|enviado|para|主题|日期|收件人)"
)
_MAIL = regex(rf"(?i){_HEADERS}\s*[:：].+\n(?:.*\n)?{_FURTHER}\s*[:：]")
_BEGINS = regex(
    r"""(?ix) (?:
      -{2,}\s*(?:original\ message|forwarded\ message|ursprüngliche\ nachricht|weitergeleitete\ nachricht|message\ (?:d['’]origine|transféré)|mensaje\ (?:original|reenviado)|原始邮件|转发邮件).*
      | (?:begin\ )?forwarded\ message:?
      | on\ .{4,80}\ wrote: | am\ .{4,80}\ schrieb\ .{0,80}: | le\ .{4,80}\ a\ écrit\ ?: | el\ .{4,80}\ escribió: | .{0,40}在.{2,60}写道[:：]
      | (?:posted|published|written|geschrieben|gepostet|veröffentlicht|publié|écrit|posté|publicado|escrito)\ (?:by|von|par|por)\ .{1,60}
      | \S{1,40}\ ?发表于.{0,40}
      ) \s*"""
)
_LEADS = regex(
    r"""(?ix) \b(?:look\ at|have\ a\ look|check\ (?:this|that|it|these)|what\ do\ you\ (?:think|make)|found\ (?:this|that|it)|got\ (?:this|that)|this\ is\ what
        |(?:it|he|she|they)\ (?:says?|said|writes?|wrote|sent|posted)|summari[sz]e|translate|read\ this|from\ (?:a|the|their|this)\ (?:forum|newsletter|page|site|website|article|e?-?mail|thread|readme|log)
        |schau|guck|lies|was\ hältst|gefunden|gekriegt|bekommen|schreibt|schrieb|übersetze?|fasse\ |aus\ (?:dem|der|einem|einer)\ (?:forum|newsletter|seite|artikel|mail)
        |regarde|lis\ |que\ penses|j['’]ai\ (?:trouvé|reçu)|(?:il|elle|on)\ (?:a\ )?écrit|traduis|résume
        |mira|mírame|lee\ |qué\ (?:opinas|te\ parece)|encontré|he\ (?:encontrado|recibido)|escribe|escribió|traduce|resume)\b
      | [看读译]|总结|翻译|找到|收到|写道"""
)
_OWN = regex(r"(?i)\b(?:my|our|mine|ours|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr\w+)\b|我的|我们的")
"""Whoever leads up to something of their own leads up to their own words."""


class WhoseWords(NamedTuple):
    """A person's message: their own words, and what in it others wrote."""

    own: str
    quoted: str


@of_texts
def parted(message: str) -> WhoseWords:
    """Part a person's own words from those of others in a message.

    Others' are quotations (``>``), fenced texts, what stands below the head of a mail or a post, what somebody is led up to
    with a colon ("look at this:", and then a paragraph of its own), and what plays a system, a tool or a memory.
    """
    own, quoted = list[str](), list[str]()
    lines = message.split("\n")
    fence, rest = "", False
    for number, line in enumerate(lines):
        if not (rest or fence) and (_is_head(lines, number) or _led_up_to(lines, number)):
            rest = True
        opens = _FENCE.match(line)
        if rest or fence or opens or _QUOTE.match(line):
            quoted.append(line)
        else:
            own.append(line)
        if opens and not rest:
            fence = "" if fence and opens[1].startswith(fence) else fence or opens[1]
    if not quoted:
        return WhoseWords(message, "")
    return WhoseWords("\n".join(own).strip(), "\n".join(map(_bare, quoted)).strip())


def blockquotes(note: str) -> str:
    """Return what stands in blockquotes of a note, bare; callouts (``> [!note]``) are its writer's own."""
    found, inside, callout = list[str](), False, False
    for line in note.split("\n"):
        quoted = bool(_QUOTE.match(line))
        callout = quoted and (callout if inside else bool(_CALLOUT.match(line)))
        inside = quoted
        if quoted and not callout:
            found.append(_bare(line))
    return "\n".join(found)


def _is_head(lines: list[str], number: int) -> bool:
    line = lines[number].strip()
    if _BEGINS.fullmatch(line) or FORGED.search(line):
        return True
    return bool(_MAIL.match("\n".join([line, *lines[number + 1 : number + 3]])))


def _led_up_to(lines: list[str], number: int) -> bool:
    """Say whether a paragraph begins here that the one before leads up to as somebody else's."""
    if number < 2 or not lines[number].strip() or lines[number - 1].strip():
        return False
    before = next((line.strip() for line in reversed(lines[: number - 1]) if line.strip()), "")
    return before.endswith((":", "：")) and bool(_LEADS.search(before)) and not _OWN.search(before)


def _bare(line: str) -> str:
    if _FENCE.match(line):
        return ""
    return re.sub(r"^[ \t]{0,3}(?:>[ \t]?)+", "", line)
