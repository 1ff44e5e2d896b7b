"""Shapes: secrets that tell by how they look what they are, whatever stands around them: tokens, private keys, hashes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from hookclaw_py.regex import regex

Span = tuple[int, int]

_PREFIXED = r"""
ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ npm_ hf_ api_org_ gsk_ r8_ nfp_ ntn_ vcp_ vck_ pnu_ pnb_ sgp_ slk_ tfp_ sbp_ phx_ squ_ sqp_ sqa_ fo1_      [\w-]{18,}
figd_ figu_ figo_ pscale_tkn_ pscale_pw_ pscale_oauth_ lin_api_ lin_oauth_ rubygems_ rdme_ rnd_ sb_secret_ dckr_pat_ dckr_oat_ cfut_ cfat_      [\w-]{20,}
glpat- glrt- glptt- gldt- glft- glsoat- glffct- glagent- glcbt- glimt- gloas- GR1348941      [\w.-]{8,}
AKIA ASIA ABIA ACCA A3T           [A-Z0-9]{16,17}\b
ABSK                              [A-Za-z0-9+/]{60,}={0,2}
bedrock-api-key-                  [A-Za-z0-9+/=]{20,}
AIza                              [\w-]{30,}
GOCSPX- ya29. 1//0                [\w.-]{20,}
xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxo- xoxe. xapp-             [\w%.-]{10,}
hvs. hvb. hvr. s.CAESI            [\w-]{20,}
dapi                              [0-9a-f]{32}(?:-\d)?\b
dop_v1_ doo_v1_ dor_v1_           [0-9a-f]{40,}
dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.        [\w.-]{30,}
sk-ant- sk-proj- sk-or- sk-svcacct- sk-admin- sk-ak-  [\w-]{16,}
sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ sk_prod_ rk_prod_ whsec_         [A-Za-z0-9+/=]{10,}
sk- sk_ pk- pk_ rk- rk_           (?=[\w-]{0,60}\d)[\w-]{16,}
sk.eyJ tk.eyJ                     [\w.-]{30,}
SG.                               [\w-]{16,}(?:\.[\w-]{16,})?
SK AC                             [0-9a-fA-F]{32}\b
key- pubkey-                      [0-9a-z]{32}\b
xkeysib- xsmtpsib-                [0-9a-f]{40,}(?:-\w{16})?
shpat_ shpca_ shppa_ shpss_       [0-9a-fA-F]{32}
sq0atp- sq0csp- EAAA              [\w-]{22,}
EAACEdEose0cBA EAAM EAAC EAAG     [A-Za-z0-9]{60,}
access_token$production$ access_token$sandbox$        [0-9a-z]{16}\$[0-9a-f]{32}
pypi-                             [\w-]{40,}
p8e-                              [0-9a-z]{32}
pat. sat.                         [\w-]{20,24}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{20}
pat                               [A-Za-z0-9]{14}\.[0-9a-f]{64}
LTAI AKID                         [A-Za-z0-9]{12,32}\b
AKCp cmVmd                        [A-Za-z0-9]{50,}
ATATT3 ATCTT3 ATBB ATSTT3 BBDC-   [\w=+/-]{24,}
CLOJARS_                          [0-9a-z]{50,}
v1.0-                             [0-9a-f]{24}-[0-9a-f]{100,}
CFPAT- duffel_test_ duffel_live_  [\w=-]{40,}
sl. y0_ t1.                       (?=[\w-]{0,60}\d)[\w=-]{50,}
dt0c01. dt0s01. dt0s16.           [A-Za-z0-9]{8,24}\.[A-Za-z0-9]{60,}
EZAK EZTK                         [A-Za-z0-9]{50,}
FLWSECK_TEST- FLWSECK- FLWPUBK_TEST-                  [0-9a-zA-Z-]{12,}
fio-u-                            [\w=-]{40,}
glsa_                             \w{32}_[0-9a-fA-F]{8}
glc_                              [A-Za-z0-9+/]{32,}={0,2}
HRKU-                             [\w-]{30,}
ico-                              [A-Za-z0-9]{30,}
NRAK- NRJS- NRII- NRRA-           [\w-]{19,}
oy2                               [a-z0-9]{43}\b
API-                              (?=[A-Z0-9]{0,30}\d)[A-Z0-9]{25,}\b
pplx- xai- tgp_v1_ tvly- fc- jina_ nvapi- csk-        (?=[\w-]{0,60}\d)[\w-]{30,}
PMAK-                             [0-9a-f]{24}-[0-9a-f]{34}
pul-                              [0-9a-f]{40}
tk-us-                            [\w-]{40,}
sntrys_ sntryu_                   [\w+/=]{40,}
shippo_live_ shippo_test_         [0-9a-fA-F]{30,}
tskey-                            [a-z]+-[\w-]{16,}
AQVN                              [\w-]{36,}
YC                                [\w-]{38}\b
ops_eyJ                           [A-Za-z0-9+/]{100,}={0,2}
A3-                               [A-Z0-9]{6}-[A-Z0-9]{5,6}-?[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}(?:-[A-Z0-9]{5})?
AGE-SECRET-KEY-1 AGE-PLUGIN-      [A-Z0-9]{50,}
nsec1                             [02-9ac-hj-np-z]{58}
xprv yprv zprv tprv               [1-9A-HJ-NP-Za-km-z]{100,}
SWMTKN-1- SWMKEY-1-               [\w-]{40,}
sm_pat_ sm_aat_ sm_sat_           [A-Za-z0-9]{16}
fm1_ fm1r_ fm1a_ fm2_             [A-Za-z0-9+/_,=-]{40,}
v1.local. v2.local. v3.local. v4.local.               [\w.-]{40,}
$2a$ $2b$ $2y$                    \d\d\$[A-Za-z0-9./]{40,}
$1$ $5$ $6$ $y$ $7$               (?:rounds=\d+\$)?[A-Za-z0-9./]{1,30}\$[A-Za-z0-9./$]{20,}
$argon2id$ $argon2i$ $argon2d$ $scrypt$ $pbkdf2-sha256$ pbkdf2_sha256$        [\w=,$./+]{40,}
ZXlK b3BlbnNzaC1rZXktdj LS0tLS1CRUdJTi                [A-Za-z0-9+/=]{40,}
eyJrIjoi                          [A-Za-z0-9+/=]{60,}
4b1d                              [A-Za-z0-9]{38}\b
sha256~                           [\w-]{43}
s-s4t2ud- s-s4t2af-               [0-9a-f]{60,}
SUA SKA SCA NNSXS.                (?=[A-Z0-9.-]{0,60}\d)[A-Z0-9.-]{54,}
"""
"""How tokens begin, by their makers' documentation, and what follows in the same row."""

_OTHER = {
    "eyJ": r"(?:(?<![\w-])eyJ[\w-]{8,}+|\beyJ[\w-]{8,300}+)\.[\w-]{8,}+(?:\.[\w-]*+){1,3}",
    ".atlasv1.": r"\b[A-Za-z0-9]{12,16}\.atlasv1\.[\w=-]{50,}",
    "Q~": r"(?<![\w~.])[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w~-])",
    ":AA": r"(?<!\d)\d{8,10}:(AA[\w-]{32,36})",
    ".": r"\b[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,40}",
    "_mmk": r"(?<![\w-])[A-Za-z0-9_]{6}_[A-Za-z0-9_]{29}_mmk\b",
    "s.": r"(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w.])",
    ".acc": r"\b(?:ext|sc|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}",
    "-us": r"\b[0-9a-f]{32}-us\d{1,2}\b",
    "hooks.slack.com/": r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{16,})",
    "/api/webhooks/": r"discord(?:app)?\.com/api/webhooks/(\d{10,20}/[\w-]{30,})",
    "webhook.office.com/webhook": r"\.webhook\.office\.com/webhook\w{0,3}/([\w@/.-]{40,})",
}
"""What begins with anything, by what it contains; a group says which part is the secret."""

_BLOCK = regex(
    r"""
      (?P<dashes> -{4,5} ) [ ]? BEGIN [ ] (?P<what> [A-Z0-9 ]{0,40} PRIVATE[ ]KEY (?:[ ]BLOCK)? ) [ ]? (?P=dashes)
        .*? (?: (?P=dashes) [ ]? END [ ] (?P=what) [ ]? (?P=dashes) | \Z )
    | (?: PuTTY-User-Key-File-\d: | ^Private-Lines: ) .*? (?: ^Private-(?:MAC|Hash): [^\n]* | \Z )
    | \$ANSIBLE_VAULT;[^\n]*\n (?: [0-9a-f]{20,80} (?:\n|\Z) )+
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_BLOCK_MARKS = ("-BEGIN ", "- BEGIN ", "PuTTY-", "Private-Lines:", "$ANSIBLE")
_KEY_LINE = regex(
    r"^[ \t>]*([A-Za-z0-9+/]{60,76})[ \t\r]*$(?:\n[ \t>]*[A-Za-z0-9+/]{1,75}={1,2}[ \t\r]*$)?", re.MULTILINE
)
_KEY_END = regex(
    r"^[ \t>]*(?:-{4,5}[ ]?END[ ][A-Z0-9 ]{0,40}PRIVATE[ ]KEY|Private-(?:MAC|Hash):[ ][0-9a-f]{40,})", re.MULTILINE
)
_VAULT_LINES = regex(r"^[ \t>]*([0-9a-f]{80})[ \t\r]*$(?:\n[ \t>]*[0-9a-f]{2,80}[ \t\r]*$)*", re.MULTILINE)
_LONG = regex(r"""(?<![^\s"'`(\[{<=:,])(?!AAAA|sha\d)(?:[A-Za-z0-9+/_=-]|\\n){80,}+""")
"""What is longer than words are: a part of a key on one line, of a token; no public key (``ssh-rsa AAAA…``), no ``sha512-…``."""
_KEY_TEXT = regex(r"[ \t>]*[A-Za-z0-9+/=]+[ \t\r]*")
_ALIKE = regex(r"[a-z]+|[A-Z]+|[0-9]+|[+/]+")
_RANDOM = 25  # runs of letters of one case, or of digits, in a line of a key: forty on average, in what a person can read half as many
_PRIVATE_PART = regex(r"""["'](?:d|p|q|dp|dq|qi|k)["']\s*:\s*["']([\w-]{8,})["']""")
_KEY_OBJECT = regex(r"""\{[^{}]{0,8000}?["']kty["']\s*:[^{}]{0,8000}\}""")
_RUN = regex(r"(?<![A-Za-z0-9_.~+/=:$@%,-])[A-Za-z0-9_.~+/=:$@%,-]{16,}+")
_WALLET = regex(r"\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class _Shape(NamedTuple):
    keys: tuple[str, ...]
    pattern: re.Pattern[str]


def _shapes() -> Iterator[_Shape]:
    for row in _PREFIXED.strip().splitlines():
        *keys, body = row.split()
        yield _Shape(tuple(keys), regex(f"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, keys))}){body}"))
    for key, pattern in _OTHER.items():
        yield _Shape((key,), regex(pattern))


_SHAPES = tuple(_shapes())


def shaped(text: str) -> Iterator[Span]:
    """Yield where something stands that looks like a token, a private key or the hash of a password."""
    if any(mark in text for mark in _BLOCK_MARKS):
        yield from (match.span() for match in _BLOCK.finditer(text))
    yield from _rest_of_block(text)
    if "kty" in text:
        for whole in _KEY_OBJECT.finditer(text):
            yield from (part.span(1) for part in _PRIVATE_PART.finditer(text, *whole.span()))
    for run in _RUN.finditer(text):
        yield from ((run.start() + start, run.start() + end) for start, end in _of_word(run[0]))


def _rest_of_block(text: str) -> Iterator[Span]:
    """Yield what of a private key stands in a text in which it does not begin: it may be longer than a passage."""
    for line in _KEY_LINE.finditer(text):
        if _is_random(line[1], least=_RANDOM):
            yield line.span()
    yield from (part.span() for part in _VAULT_LINES.finditer(text))
    yield from (part.span() for part in _LONG.finditer(text) if _is_random(part[0]))
    for end in _KEY_END.finditer(text) if "END " in text or "Private-" in text else ():
        start = end.start()
        while start and _KEY_TEXT.fullmatch(text, before := text.rfind("\n", 0, start - 1) + 1, start - 1):
            start = before
        if start < end.start():
            yield start, end.end()


def _is_random(run: str, least: float = 0.0) -> bool:
    """Say whether it alternates as what is drawn by lot; a digest is all small or all capital."""
    alternates = len(_ALIKE.findall(run)) >= (least or len(run) * _RANDOM / 64)
    return alternates and run not in (run.lower(), run.upper())


def _of_word(word: str) -> Iterator[Span]:
    for keys, pattern in _SHAPES:
        for key in keys:
            if key in word:
                yield from (found.span(pattern.groups) for found in pattern.finditer(word))
                break
    yield from (found.span() for found in _WALLET.finditer(word) if _is_wallet_key(found[0]))


def _is_wallet_key(word: str) -> bool:
    """Say whether a word is a private key as wallets export it: its last four octets are a checksum of the rest."""
    number = 0
    for character in word:
        number = number * 58 + _BASE58.index(character)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]
