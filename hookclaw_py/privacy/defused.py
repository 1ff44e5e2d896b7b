"""Text that goes into Markdown as data: nothing in it reads as structure there, whatever stands before the marker.

What CommonMark (0.31) and what people read as structure are escaped alike: a reader that is a language model is not
strict about three blanks or a full-width sign.
"""

from __future__ import annotations

import re

from hookclaw_py.regex import regex

_BLANK = r"[^\S\n]"
_MARKERS = rf"(?:{_BLANK}|[\u0300-\u036f]|[-*+•](?={_BLANK})|\d{{1,9}}[.)](?={_BLANK}))*+"
"""What a line may begin with before its structure: blanks of any width, and items of lists."""
_RULES = "|:+*_=＝＊＿‐‑‒–—―⸺⸻−﹘﹣－─━═-"
_LINE = regex(
    rf"""^(?P<before>{_MARKERS})
        (?P<sign> [\#＃]{{1,6}}(?=\s|$)                 # a heading
          | [>＞]                                       # a quotation, as our own line is
          | [`｀]{{3,}} | [~～]{{3,}} | :{{3,}} | \${{2,}}  # a fence
          | (?:[{_RULES}]{_BLANK}*+)++$                 # a rule, what underlines a heading or the head of a table
          | \[[^\]\n]{{1,300}}\]:                       # where a link leads, or a footnote
          | [*_＊＿]{{1,3}}\w[^*_\n]{{0,40}}[*_＊＿]{{1,3}}{_BLANK}*\|  # our own line without its sign
        )""",
    re.VERBOSE | re.MULTILINE,
)
_INLINE = regex(r"[<＜](?=[A-Za-z/!?])|!(?=\[)")
_TITLE = regex(
    r"(?i)(?P<open>[*_＊＿]{1,3})(?P<said>\W{0,5}relevant\W{1,5}memories[^\w\n*_＊＿]{0,5})(?P<close>[*_＊＿]{0,3})"
)


def defused(text: str) -> str:
    """Escape what Markdown would read as a heading, a rule, a quotation, a fence, a table, a tag, an image or a link's target."""
    whole = _INLINE.sub(lambda match: f"\\{match[0]}", _LINE.sub(_escaped, text))
    return _TITLE.sub(lambda match: _each(match["open"]) + match["said"] + _each(match["close"]), whole)


def _each(signs: str) -> str:
    return "".join(f"\\{sign}" for sign in signs)


def _escaped(match: re.Match[str]) -> str:
    before = re.sub(r"[^\S\n\t ]", " ", match["before"])
    return f"{before}\\{match['sign']}"
