"""Patterns of what people type, written as they would say it."""

from __future__ import annotations

import re

FLAGS = re.VERBOSE | re.IGNORECASE
_UNSURE = str.maketrans({
    **{letter: f"[{letter}{plain}]" for letter, plain in zip("àáâéèêëîïíìóòôùûúçñ", "aaaeeeeiiiiooouuucn", strict=True)},
    **{"ä": "(?:ä|ae?)", "ö": "(?:ö|oe?)", "ü": "(?:ü|ue?)", "ß": "(?:ß|ss)", "œ": "(?:œ|oe)", "'": r"['’\ ]?"},
})  # fmt: skip


def any_of(phrases: str) -> str:
    """Return an alternation of phrases, separated by spaces; "_" stands for a space within one."""
    return "(?:" + "|".join(phrase.replace("_", r"\ ") for phrase in phrases.split()) + ")"


def typed(lines: str) -> str:
    """Return an alternation of lines, for ``FLAGS``: a space may have a comma, an accent, an umlaut, an apostrophe and a hyphen may lack.

    A line that begins with "|" goes on with the one before.
    """
    said = re.sub(r"\s*\n\s*\|", "|", lines.strip())
    said = "|".join(line.strip() for line in said.splitlines())
    said = re.sub(r"(?<!\\)\((?!\?)", "(?:", said)
    said = re.sub(r"(?<!\\)\ ", r",?\\ ", said)
    said = re.sub(r"(?:(?<=[^\W\d])|(?<=\)))-(?=[^\W\d])", r"[-\\ ]?", said)
    return f"(?:{said.translate(_UNSURE)})"
