"""Which headings of the notes are names that a prompt may mention."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from hookclaw_py import text as words

_GENERIC_HEADINGS = """
    action actions agenda background changelog context daily date day diary decision decisions description details done
    example examples facts general goals history ideas inbox index info information intro introduction items journal learned learning
    learnings links list log logs meeting memory misc miscellaneous monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november december next note
    notes open other overview people personal plan plans preferences problem problems progress project projects
    question questions readme references result results section session setup status steps summary task tasks team template
    test tests things thoughts today todo todos tomorrow topic topics update updates usage user users week work
    yesterday
"""
_GENERIC = frozenset(_GENERIC_HEADINGS.split())


def name_of(heading: str) -> str:
    """Return a heading as a name to recognise in prompts, or "" when it names nothing in particular."""
    parts = words.words(heading)
    telling = any(is_telling(word) for word in parts)
    return " ".join(parts) if telling and len(parts) <= 4 else ""


def title_of(path: str) -> str:
    """Return what a file's name says of its content: "" for a date, "journal", "README" and the like."""
    stem = re.sub(r"[_\s]+", " ", PurePosixPath(path).stem).strip()
    if " " not in stem:
        stem = stem.replace("-", " ")
    return stem if any(is_telling(part) for part in words.words(stem)) else ""


def is_telling(word: str) -> bool:
    """Say whether a folded word can name something: no number, no function word, none of what every note has."""
    return not (word in _GENERIC or word in words.STOP_WORDS["english"] or re.fullmatch(r"[\W\d]+", word))
