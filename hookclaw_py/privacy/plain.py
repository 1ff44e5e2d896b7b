"""Plain text: what came from somewhere, as it may be shown: it can steer no terminal, hide nothing and turn nothing around."""

from __future__ import annotations

import logging
import re
import unicodedata

from hookclaw_py.regex import regex

_ANSI = regex(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# C0 and C1 controls but tab and newline, what turns text around or takes no room (Unicode's default ignorable code points,
# fillers, blank Braille), tags, line and paragraph separators, lone surrogates, noncharacters.
_UNSAFE = regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
    "\U00013430-\U0001345f\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINING = regex("[\u200c\u200d\ufe0e\ufe0f]")
_EMOJI = regex(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_JOINED_LETTER = regex("[\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")
_VIRAMA = 9  # combining class: the mark after which Indic scripts choose how letters join


def plain(text: str) -> str:
    r"""Return ``text`` without control, ANSI, bidirectional and invisible characters; newlines are ``\n``.

    What joins or parts letters stays where a script or an emoji needs it: "می‌خواهم", "👩‍🚀", "❤️".
    """
    bare = _UNSAFE.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    return _JOINING.sub(_needed, bare) if _JOINING.search(bare) else bare


def _needed(joining: re.Match[str]) -> str:
    """Return what joins as it is where it does, "" where it only hides."""
    whole, what, after = joining.string, joining[0], joining.string[joining.end() : joining.end() + 1]
    before = whole[: joining.start()][-2:]
    drawn = before.rstrip("\ufe0f")[-1:]  # in "🏳️‍🌈" a selector stands between
    if what in "\ufe0e\ufe0f":
        keeps = bool(_EMOJI.match(before[-1:])) or (after == "\u20e3" and before[-1:] in "#*0123456789")
    elif before and unicodedata.combining(before[-1]) == _VIRAMA:
        keeps = after.isalpha()
    elif what == "\u200d":
        keeps = bool(_EMOJI.match(drawn) and _EMOJI.match(after))
    else:
        keeps = bool(_JOINED_LETTER.match(before[-1:]) and _JOINED_LETTER.match(after))
    return what if keeps else ""


def plain_json(written: str) -> str:
    """Return the same JSON with those characters as escapes: a reader gets them, a terminal does not."""
    return _JOINING.sub(
        lambda one: _needed(one) or _escaped(one[0]), _UNSAFE.sub(lambda unsafe: _escaped(unsafe[0]), written)
    )


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


class PlainFormatter(logging.Formatter):
    """Writes log lines: the message and nothing else."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, made plain."""
        return plain(super().format(record))
