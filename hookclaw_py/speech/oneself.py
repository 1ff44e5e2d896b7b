"""Of whom a sentence speaks: of the person who says it, or of somebody else whose doings end nothing of theirs."""

from __future__ import annotations

from hookclaw_py.regex import regex

LEAD = r"(?:(?:doch\ nicht(?=\s*[,.])|(?:no|oh)\ wait|no+|nope|wait|ok(?:ay)?|hm+|actually|so|and|but|then|on\ second\ thought|sorry|please|nein|doch|moment|also|ach|und|aber|dann|bitte|non|en\ fait|finalement|du\ coup|bon|voil[àa]|donc|mais|al\ final|pero|mejor)\b[\s,.:–-]*)*"
"""What a sentence may begin with that says nothing of whom: "no wait, ", "ok, aber "."""
CHOOSE = r"(?:use|take|go|do|keep|make|try|stick|put|write|paint|buy|order|book|we|let['’]?s|nimm|nehmen|nehm|mach|verwende|nutze|bleib|wir|lieber|stattdessen|utilise|prends|on|usa|usemos|mejor)\b"
OTHERS = regex(
    r"""(?xi) \b(?: he | she | they | his | her | their | my | mine | who | told | says? | said | heard | saw | know | knows | asked | er | sie | sein\w* | ihr\w* | mein\w* | sagt\w* | meint\w* | il | elle | ils | elles | mon | ma | ella | ellos | su | mi )\b
      | (?<!\blet)(?<!\bit)(?<!\bthat)(?<!\bthere)['’]s\b | [他她]"""
)
SOMEBODY = regex(
    r"(?i)\b(?:he|she|they|who|told|says?|said|heard|saw|knows?|asked|er|sie|sagt\w*|meint\w*|gehört|gesehen)\b|[他她]"
)
_FINITE = regex(
    r"""(?xi) (?<=\ )(?: (?!(?:this|its|us|yes|always)\b)\w+[^\Wsu]s(?=\ ) | \w{2,}ed | took | went | got | put | bought | chose | made | has | had | did | gave | built | kept | ran | wrote | sold | sent | paid | rang | is | was | are | were
      | hat | hatte\w* | ist | sind | war | wird | will | fährt | macht | kauft | stellt | bestellt | wohnt | geht | steht | läuft | schreibt | spielt | isst | hält | baut | (?!(?:jetzt|zuletzt|bestimmt|direkt|projekt|produkt|punkt|markt)\b)\w+(?:[bgkmz]t|[dt]et)
      | a\ (?:pris|choisi|\w+é) | ont | est | prend | utilise | ha | han | usa )\b | \b(?:haben|hatten|nehmen|wollen)\b"""
)
_OF_WHOM = (
    r"(?:i|we|let['’]?s|ich|wir|lass(?:t|en)?(?:\ (?:uns|wir))?|nous|on|je|j['’]|yo|nosotros)(?:['’](?:ve|re|ll|m|d))?"
)
OWN = regex(
    rf"(?i)^{LEAD}(?:(?:for|in|at|on|since|from|after|yesterday|now|für|im|seit|ab|bei|gestern|jetzt|nun|deshalb|pour|para|that\ ?is\ why)\b[^,]*?\ )?(?:(?:nehm|mach|verwend|nutz|bleib|hab)\w*\ )?(?:{_OF_WHOM}|{CHOOSE}|decided|agreed|entschieden|beschlossen)(?=\W|$)|^{LEAD}(?:it|that|es|das)(?:['’]s|\ is|\ ist)\b|^(?:那|好|就|还是|我|咱|改|用|换)"
)
CLAUSES = regex(r"(?i)\s*(?:[,;:–—]|\s-\s|\b(?:and|und|but|aber|so|because|weil|et|y)\b)\s*")


def is_of_oneself(said: str, last: str = "") -> bool:
    """Say whether words have the person as their subject, or no subject and no verb; ``last`` is the clause that they end with."""
    if OWN.match(last) and not SOMEBODY.search(last):
        return True
    own = OWN.match(said) and not SOMEBODY.search(said)
    return (bool(own) or is_bare(said)) and (not last or is_bare(last))


def is_bare(said: str) -> bool:
    """Say whether words are a thing and no more: they have no verb, and nobody else is in them."""
    return not (OTHERS.search(said) or _FINITE.search(said))
