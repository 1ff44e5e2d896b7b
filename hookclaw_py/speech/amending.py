"""A correction that says nothing but the right value: "no, 8095", "sorry, tuesday at 10". Of what it is stands in what was said just before."""

from __future__ import annotations

from hookclaw_py import text
from hookclaw_py.regex import regex
from hookclaw_py.speech.values import Value, values_in

_AMENDS = regex(
    r"(?i)(?:(?:oh|ah|hm+|ok|wait)\b[\s,.]*)*(?:no+|nope|sorry|nein|nee|quatsch|i mean|ich meine|make that)\b[\s,.:!–-]+(?P<value>.*\d.*|\w+)$"
)
_INSTEAD_OF = regex(r"(?i),?\s+(?:not|nicht|instead of|statt)\s.*$")
_FILLS = "a am an at by das de den der die es for für im in is ist it its of on s the to um und and uhr"
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

    It must hold one value of each sort that the new one holds; of several numbers it is the one with as many digits.
    """
    there, news = values_in(said), values_in(value)
    changes: list[tuple[Value, str]] = []
    for new in news:
        same = [one for one in there if one.sort == new.sort or (new.sort == "number" and one.sort.startswith("in "))]
        if len(same) > 1 and new.sort == "number":
            same = [one for one in same if len(one.value) == len(new.value)]
        if len(same) != 1:
            return None
        changes.append((same[0], value[new.start : new.end]))
    places = sorted(changes, key=lambda change: -change[0].start)
    if len({old for old, _ in places}) < len(places):
        return None
    for old, new_words in places:
        said = f"{said[: old.start]}{new_words}{said[old.end :]}"
    return said
