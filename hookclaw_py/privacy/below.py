"""Secrets that stand alone below their name: in a column of a table, on the line behind a label ("Password:")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookclaw_py.cells import cells_of, names_of
from hookclaw_py.privacy.named import Named, is_drawn, is_none, is_password
from hookclaw_py.regex import regex

_NAME = (
    r"(?i)(?<![a-zà-ÿ])(?:password|passwd|passwort|passphrase|passcode|kennwort|contrase[ñn]a|mot[ ]de[ ]passe|密码|密碼|口令|pwd|pw|psk|mdp"
    r"|(?P<key>(?:api|access|secret|licen[cs]e)[ _-]?key|(?:(?:access|api|auth)[ _-]?)?token|secret))[*_`]{0,3}[ \t]{0,8}"
)
_HEAD = regex(rf"{_NAME}\Z")
_LABEL = regex(rf"{_NAME}[:：][*_]{{0,3}}[ \t\r]*\Z")
_RULE = regex(r"[ \t>]*\|?[ \t]*:?-+[ \t:|-]*\r?")
_ALONE = regex(r"""[ \t>]*[*_"'`„“«]{0,3}(?P<value>(?:[^\s"'`<>|„“«»”]|(?<=\\)\|){5,200}?)[*_"'`“”»]{0,3}[ \t\r]*""")
_COLONS, _SHORTEST_KEY = (":", "："), 16


def below(text: str) -> Iterator[Named]:
    """Yield where a secret stands alone in a column, or on the line behind a label, that is called as one."""
    lines, at = text.split("\n"), 0
    columns: dict[int, re.Match[str]] = {}  # of the table that is read, those that hold secrets
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        if "|" not in line:
            columns = {}
            label = _LABEL.search(before) if before.rstrip(" \t\r*_")[-1:] in _COLONS else None
            if label and (found := _alone(label, line, 0, len(line))):
                yield Named(at + found[0], at + found[1], in_words=True)
        elif _RULE.fullmatch(line):
            heads = (
                (place, _HEAD.search(before[slice(*span)].rstrip()))
                for place, span in enumerate(names_of(before, line))
            )
            columns = {place: name for place, name in heads if name} or columns  # Org has rules between rows, too
        else:
            for place, span in enumerate(cells_of(line) if columns else ()):
                if place in columns and (found := _alone(columns[place], line, *span)):
                    yield Named(at + found[0], at + found[1], in_words=True)
        at += len(line) + 1


def _alone(name: re.Match[str], line: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where a secret of this name stands with nothing beside it: letters with digits, a key as machines make them."""
    found = _ALONE.fullmatch(line, start, end)
    if found is None or is_none(value := found["value"]):
        return None
    if name["key"]:
        is_one = len(value) >= _SHORTEST_KEY and is_drawn(value)
    else:
        is_one = any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and is_password(value)
    return found.span("value") if is_one else None
