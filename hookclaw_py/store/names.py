"""Which headings of the notes are names that a prompt may mention."""

from __future__ import annotations

import re

from hookclaw_py import text as words

_GENERIC_HEADINGS = """
    action actions agenda background changelog context daily date day decision decisions description details done
    example examples facts general goals history ideas info information intro introduction items learned learning
    learnings links list log logs meeting memory misc miscellaneous monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november december next note
    notes open other overview people personal plan plans preferences problem problems progress project projects
    question questions references result results section session setup status steps summary task tasks team template
    test tests things thoughts today todo todos tomorrow topic topics update updates usage user users week work
    yesterday
"""
_GENERIC = frozenset(_GENERIC_HEADINGS.split())


def name_of(heading: str) -> str:
    """Return a heading as a name to recognise in prompts, or "" when it names nothing in particular."""
    parts = words.words(heading)
    telling = [word for word in parts if word not in words.STOP_WORDS["english"] and not re.fullmatch(r"[\W\d]+", word)]
    generic = all(word in _GENERIC for word in telling)
    return "" if generic or not 1 <= len(parts) <= 4 else " ".join(parts)
