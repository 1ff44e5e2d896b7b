"""Plain text: what came from somewhere, as it may be shown: it can steer no terminal, hide nothing and turn nothing around."""

from __future__ import annotations

import logging
import re

# C0 and C1 controls but tab and newline, ANSI sequences whole, bidirectional and zero-width format characters, tags,
# variation selectors beyond emoji, line and paragraph separators, lone surrogates, noncharacters.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def plain(text: str) -> str:
    r"""Return ``text`` without control, ANSI, bidirectional and invisible characters; newlines are ``\n``."""
    return _UNSAFE.sub("", _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def plain_json(written: str) -> str:
    """Return the same JSON with those characters as escapes: a reader gets them, a terminal does not."""
    return _UNSAFE.sub(lambda unsafe: _escaped(unsafe[0]), written)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


class PlainFormatter(logging.Formatter):
    """Writes log lines: the message and nothing else."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, made plain."""
        return plain(super().format(record))
