"""Failure modes: what went wrong, without what is another each time."""

from __future__ import annotations

import re

from hookclaw_py.privacy.redaction import redact
from hookclaw_py.regex import regex

_LONGEST = 100  # characters
_ORDERED = tuple(
    (regex(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>()\]]+", "<url>"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:])", "<timestamp>"),
        (r"(?<![\w./~\\:>-])(?:~?/|\.{1,2}/|[a-z]:\\)[^\s'\"`<>:;,)\]]+", "<path>"),
        (r"\b[0-9a-f]{8,}\b", "<id>"),
        (r":\d+\b", ":<port>"),
        (r"\s+", " "),
    )
)


def failure_mode(error: str) -> str:
    """Return ``error`` as the mode that it is one case of: secrets, addresses, ids, times, paths and ports left out."""
    told = redact(error)
    for pattern, replacement in _ORDERED:
        told = pattern.sub(replacement, told)
    return told.strip()[:_LONGEST] or "unknown"
