"""A correction that says nothing but the right value: "no, 8095", "sorry, tuesday at 10". Of what it is stands in what was said just before."""

from __future__ import annotations

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.values import Value, values_in

_WAIT = r"(?:oh|ah|hm+|ok|wait|actually|rather|moment|warte?|doch|halt|attends?|enfin|espera|aspetta|scusa|finalement|en\ fait|du\ coup|al\ final)"
_AMENDS = regex(
    rf"""(?xi) (?:{_WAIT}\b[\s,.]*)* (?: (?:(?:no+|nope|nein|nee|non)[\s,]+(?=pardon|sorry|désolée?|perdón|scusa|plutôt))?(?:no+|nope|sorry|nein|nee|quatsch|i\ mean|i\ meant|ich\ meine|make\ (?:that|it)|non|pardon|désolée?|je\ voulais\ dire|perdón|perdona|quería\ decir|mejor\ dicho|anzi|scusa|volevo\ dire|ou\ plutôt|plutôt|or\ rather|vielmehr) | (?<=\bwait)(?=[,.:!–-])|(?<=\bactually) )(?!\w)
      [\s,.:!–-]+ (?:{_WAIT}\b[\s,.]+)* (?:(?:c['’]est|[çc]a\ sera|ce\ sera|es|será|è)\ )? (?P<value>.*\d.*|(?:\w+\ ){{0,2}}\w+)$"""
)
_INSTEAD_OF = regex(r"(?i),?\s+(?:not|nicht|instead of|statt|pas|au lieu de|no|en vez de|non|invece di)\s.*$")
_FILLS = "a am an at by bis das de den der die es for für im in is ist it its of on s the to um und until and uhr à al alle au avant c del di du el est et il l la las le les lo los nel para per pour son y è"
_AROUND = frozenset(_FILLS.split())


def amended_value(prompt: str) -> str:
    """Return the value that a prompt consists of beside "no" or "sorry", "" where it says anything else."""
    amends = _AMENDS.fullmatch(prompt.strip().rstrip(".!"))
    value = _INSTEAD_OF.sub("", amends["value"]) if amends else ""
    found, rest = values_in(value), list(value)
    for one in found:
        rest[one.start : one.end] = " " * (one.end - one.start)
    units = {one.sort.removeprefix("in ") for one in found}
    others = (word for word in "".join(rest).casefold().split() if word.strip(",.").rstrip("s") not in units)
    return value if found and set(text.words(" ".join(others))) <= _AROUND else ""


def amended(said: str, value: str) -> str | None:
    """Return what was said with another value in the place of its own, None where it is not sure of which.

    It must hold one value of each sort that the new one holds; of several numbers it is the one with as many digits, of others the one behind
    the same word ("by").
    """
    there, news = values_in(said), values_in(value)
    changes: list[tuple[Value, str]] = []
    for new in news:
        same = [one for one in there if one.sort == new.sort or (new.sort == "number" and one.sort.startswith("in "))]
        if len(same) > 1 and new.sort == "number":
            same = [one for one in same if len(one.value) == len(new.value)]
        if len(same) > 1 and (before := _word_before(value, new)):
            same = [one for one in same if _word_before(said, one) == before]
        if len(same) != 1:
            return None
        changes.append((same[0], value[new.start : new.end]))
    places = sorted(changes, key=lambda change: -change[0].start)
    if len({old for old, _ in places}) < len(places):
        return None
    for old, new_words in places:
        said = f"{said[: old.start]}{new_words}{said[old.end :]}"
    return said


def _word_before(said: str, value: Value) -> str:
    return said[: value.start].rstrip().rpartition(" ")[2].casefold()
