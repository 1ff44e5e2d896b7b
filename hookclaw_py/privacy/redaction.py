"""Redaction: a text without what looks like a secret in it: keys, tokens, passwords, private keys."""

from __future__ import annotations

import re

REDACTED = "[redacted]"

_SECRETS = re.compile(
    r"""
      -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}
    | \b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|npm_|pypi-|dop_v1_|SG\.)[A-Za-z0-9_.-]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,}
    | (?:(?<![\w-])eyJ[\w-]{8,}+ | \beyJ[\w-]{8,300}+)\.[\w-]{8,}+\.[\w-]*  # within a word only as far: else quadratic
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    | (?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}
    | (?i:(?:api[_-]?key|secret|token|passwd|password|passwort|pwd)["']?\s*(?:[:=]|\bis\b|\bist\b)\s*["']?)[^\s"',;]{6,}
    """,
    re.VERBOSE | re.DOTALL,
)
_LABEL = re.compile(r"(?is)^(?:bearer|basic)\s+|^[\w-]+[\"']?\s*(?:[:=]|is\b|ist\b)\s*[\"']?")


def redact(text: str) -> str:
    """Return ``text`` with what looks like a secret replaced by ``[redacted]``; the name in front of it stays."""

    def cover(match: re.Match[str]) -> str:
        label = _LABEL.match(match[0])
        return f"{label[0]}{REDACTED}" if label else REDACTED

    return _SECRETS.sub(cover, text)
