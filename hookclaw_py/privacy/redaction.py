"""Redaction: a text without what looks like a secret in it: keys, tokens, passwords, private keys."""

from __future__ import annotations

import re

REDACTED = "[redacted]"

_SECRETS = re.compile(
    r"""
      -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}
    | \b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|npm_|pypi-|dop_v1_|SG\.)[A-Za-z0-9_.-]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,} | \bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}
    | \b(?:SK|dapi|key-)(?:[0-9a-f]{32}|(?<=key-)[0-9a-z]{32})\b | \bAGE-SECRET-KEY-1[A-Z0-9]{50,}
    | \b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40} | \b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}\b
    | (?<=hooks\.slack\.com/services/)[A-Z0-9/]{16,}[A-Za-z0-9]* | (?<=/api/webhooks/)[0-9]{15,20}/[A-Za-z0-9_-]{30,}
    | (?:(?<![\w-])eyJ[\w-]{8,}+ | \beyJ[\w-]{8,300}+)\.[\w-]{8,}+\.[\w-]*  # within a word only as far: else quadratic
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    | (?<=\s-u\s)[^\s:]{1,60}:[^\s]{6,} | (?<=--user\s)[^\s:]{1,60}:[^\s]{6,}
    | (?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{12,}
    | (?i:\bcookie:\s*)[^\s=]{1,80}=[^\r\n]{8,}
    | (?i:(?:(?:api|access|account|secret|private)[_-]?key|secret|token|passwd|password|passwort|[_-]pass|pwd)["']?\s*)
      (?: [:=]\s*["']?(?![A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,8}[(\[])  # of code: a name and what it is called with
        | (?i:\b(?:is|ist)\s+)["']?(?=[^\s"',;]{0,200}?[^A-Za-z\s"',;.!?)\u00c0-\u024f])  # "the token is expired"
      ) [^\s"',;]{6,}
    """,
    re.VERBOSE | re.DOTALL,
)
_SPOKEN = re.compile(
    r"""
      (?P<said> \b(?i: password | passwort | passwd | passcode | kennwort | pass | pwd | secret | \w{0,40}token | wi-?fi | wlan | schlüssel
          | contraseña | mot[ ]de[ ]passe | (?:api|access|secret|private|network|ssh|licen[sc]e|account|master)[\s_-]?key | key[ ](?:for|to|is) )\b
        [^\n.!?]{0,60}? [\s:='"(] )
      (?= \S{1,200}?\d )  (?: (?=\S{0,200}?[a-z]) (?=\S{0,200}?[A-Z]) | (?=\S{0,200}?[!@\#$%^&*]) (?=\S{0,200}?[A-Za-z]) | (?=[A-Z\d.-]{20}) )
      [A-Za-z0-9] [\w!@\#$%^&*+=~.-]{6,200} [\w!@\#$%^&*+=~-] (?![\w/(])
    """,
    re.VERBOSE,
)
"""A secret that a person tells in a sentence: a word for one, and on the same line something that nobody could pronounce."""

_LABEL = re.compile(r"(?is)^(?:bearer|basic|cookie:)\s+|^[\w-]+[\"']?\s*(?:[:=]|is\b|ist\b)\s*[\"']?")


def redact(text: str) -> str:
    """Return ``text`` with what looks like a secret replaced by ``[redacted]``; the name in front of it stays."""

    def cover(match: re.Match[str]) -> str:
        label = _LABEL.match(match[0])
        return f"{label[0]}{REDACTED}" if label else REDACTED

    return _SPOKEN.sub(lambda match: f"{match['said']}{REDACTED}", _SECRETS.sub(cover, text))
