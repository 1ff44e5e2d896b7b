"""Named secrets: what is one because of what stands before it: a name for it, a command, a header, an address.

People tell passwords in sentences, programs keep them in settings. A name alone does not make one: "the token is
expired", ``token = next(tokens)`` and ``password: str`` have no secret in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hookclaw_py.regex import regex


class Named(NamedTuple):
    """Where a secret stands, and whether it was told ``in words``: a password that a person chose, in a person's sentence."""

    start: int
    end: int
    in_words: bool = False


# What secrets are called, in small letters: to ignore case takes three times as long. Of the short names nothing may stand
# before or after that makes another word of them: compass, Pinsel.
_NAME = regex(
    r"""
      (?P<chosen> password|passwd|passwort|passphrase|passcode|kennwort|contrase[ñn]a|mot[ ]de[ ]passe|密码|密碼|口令 )
    | (?P<long> pass[ ]phrase|zugangscode|geheimzahl|schlüssel(?!dienst|bund|safe|kasten|wort)|code[ ]secret|clé[ ](?:wi-?fi|secrète|privée|api)
        |密钥|密鑰|令牌|secret|token|credential|api[ _.-]?key
        |(?:access|account|admin|app|auth|encryption|host|licen[cs]e|master|network|pre-?shared|private|root|security|service|session|shared
           |shared[ ]?access|signing|ssh|storage|subscription|webhook|wi-?fi)[ _.-]?key(?!board|word|stone|note) )
    | (?P<short> pass|pwd|pw|psk|mdp|clave )
    | (?P<keyed> (?<=[_-])(?:key|auth|psk|sig)\b | \b(?:sig|auth)(?=["']?\s{0,3}[:=]) )
    | (?P<near> \b(?:wi-?fi|wlan|hotspot|key[ ](?:for|to|is)|login|log[ ]in|anmeldung|usuario|identifiant)\b | 账号 )
    """,
    re.VERBOSE,
)
_SETTING = regex(
    r"""(?P<tail>s?(?![a-zà-ÿ])[\w.-]{0,40})["'`*\])]{0,3}[ \t]{0,8}
        (?P<sign>:=|=>|->|→|[=:：＝])(?:[*_]{1,3}(?=[ \t`])|</\w{1,6}>)?[ \t]{0,8}(?P<quote>["'`«„“]{0,2})(?P<value>[^\s"'`<>|,;，。；«»„“”]{4,300})""",
    re.VERBOSE,
)
_KEYED = regex(r"""["'`]{0,2}[ \t]{0,4}(?::=|=>|[=:])[ \t]{0,4}["'`]{0,2}(?P<value>[\w+/=.%~-]{16,300})""")
"""Of services that call it only a key, an id or by their own name: what follows must look drawn by lot."""
_TOLD = regex(
    r"""(?![a-zà-ÿ])[^\n.!?。！？"{}]{0,60}?
        (?:\b(?:is|are|was|ist|war|lautet|heißt|est|était|es|era|son|called|to|=)\s{1,3}|[是为為：:]\s{0,3}|\bc'est\s{1,3})
        ["'`«„“(*]{0,2}(?P<value>[^\s"'`<>|,;，。；«»„“”]{5,200})""",
    re.VERBOSE,
)
_UNPRONOUNCEABLE = regex(
    r"""(?![a-zà-ÿ])[^\n.!?。！？]{0,60}?[\s:='"(/：是为为]
        (?P<value>(?=\S{0,200}?\d)(?:(?=\S{0,200}?[a-z])(?=\S{0,200}?[A-Z])|(?=\S{0,200}?[!@\#$%^&*])(?=\S{0,200}?[A-Za-z])|(?=[A-Z\d.-]{20}))
        [A-Za-z0-9][\w!@\#$%^&*+=~.-]{6,200}[\w!@\#$%^&*+=~-])(?![\w/(])""",
    re.VERBOSE,
)
"""On the same line as a word for a secret something that nobody could pronounce."""
_BESIDE = regex(
    r"""(?![a-zà-ÿ])(?:[ \t]{1,3}|[*_]{0,3}[ \t]{0,40}\|[ \t]{0,40})[*_`„“«]{0,2}(?P<value>[^\s"'`<>|,;，。；«»„“”()（]{5,200})"""
)
_QUOTED = regex(r"""(?![a-zà-ÿ])[ \t]{0,3}[:=]?[ \t]{0,3}["'`„“«](?P<value>[^"'`„“”«»\n]{5,60})["'`”“»]""")
_NETWORK = regex(r"""[^\n/]{0,60}[ "'`]/[ ]?["'`]?(?P<value>[^\s"'`<>|,;()]{6,100})""")
"""What people put right behind the word: ``pw klippfisk-42``, ``mdp "caillou26"``; or behind the name of a network."""

_PIN = regex(
    r"(?:\bPIN\b|(?i:\bpuk\b|\bpin\b(?=[^\n]{0,40}\b(?:card|bank|sim|phone)\b)|\b(?:karten|bank|handy)-?pin\b|geheimzahl|code (?:secret|pin)\b|银行卡密码|取款密码))"
    r"(?:[- ]?(?:code|nummer|number))?[^\n\d]{0,40}?(?<![\w.-])(?P<value>\d{4,8})(?![\w:-]|[.,]\d)"
)
_PIN_MARKS = ("pin", "puk", "geheimzahl", "code secret", "密码")
_PHRASE = regex(
    r"(?i:seed[ -]?(?:phrase|words)|recovery phrase|mnemonic|wiederherstellungs(?:phrase|wörter)|phrase de récupération|frase (?:semilla|de recuperación)|助记词)"
    r"[^\n:：]{0,40}[:：=]?\s{0,3}(?P<value>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})"
)
_PHRASE_MARKS = ("seed", "phrase", "mnemonic", "wiederherstellungsw", "frase", "助记词")
_PLACES = tuple(
    (tuple(marks.split()), regex(pattern))
    for marks, pattern in (
        ("://", r"://[^/\s:@\"'<>]{0,200}:(?P<value>[^/\s@\"'<>]{2,200})@"),  # an address with a password
        ("curl wget http ldap smb", r"(?i)\b(?:curl|wget|https?|ldapsearch|smbclient)\b[^\n]{0,300}?\s(?:-u|--user|-U)[ =]?[\"']?[^\s:\"']{1,80}[:%](?P<value>[^\s\"']{4,200})"),
        ("-u", r"(?:\s-u\s{1,3}|--user[ =])[\"']?[^\s:\"'/]{1,60}:(?P<value>[^\s\"'/]{6,200})"),
        ("--", r"(?i)--(?:password|passwd|pass|passphrase|token|secret|api-key|apikey|access-token|client-secret)[ =][\"']?(?P<value>[^\s\"'<$-][^\s\"']{3,200})"),
        ("mysql maria sshpass login 7z zip redis", r"(?i)\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|docker login|podman login|7z|zip|unzip|az login|redis-cli)\b[^\n]{0,200}?\s(?:-p|-P|-a)[ ]?[\"']?(?P<value>[^\s\"'$-][^\s\"']{4,200})"),
        ("authorization", r"(?i)\bauthorization\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[A-Za-z][\w-]{1,20}\s{1,3})?[\"']?(?P<value>[^\s\"'<>$]{8,2000})"),
        ("bearer basic", r"(?i)\b(?:bearer|basic)\s{1,3}(?P<value>(?=[^\s]{0,200}?[\d=])[A-Za-z0-9._~+/=-]{12,4000})"),
        ("x-", r"(?i)\bx-[a-z-]{0,40}(?:key|token|secret|auth)\b[\"']?\s{0,3}:\s{0,3}[\"']?(?P<value>[^\s\"'<>$]{8,2000})"),
        ("-h --header", r"(?i)\s(?:-H|--header)[ =]?[\"'](?:[\w-]{0,40}(?:key|token|secret|auth)):\s{0,3}(?P<value>[^\s\"']{8,2000})"),
        ("_session=", r"(?i)\b_?[a-z]{2,30}_session=(?P<value>[\w%.-]{24,})"),
        ("cookie:", r"(?i)\b(?:set-)?cookie:\s{0,3}[^\s=]{1,80}=(?P<value>[^\r\n]{8,4000})"),
        ("identified password", r"(?i)\b(?:identified by|(?:with|encrypted) password|password)\s{1,3}'(?P<value>[^'\n]{4,200})'"),
        ("securestring", r"(?i)\bconvertto-securestring\s{1,3}(?:-string\s{1,3})?[\"'](?P<value>[^\"'\n]{4,200})[\"']"),
        ("pass:", r"(?i)\b-?pass(?:in|out)\s{1,3}pass:(?P<value>[^\s\"']{4,200})"),
        ("/user", r"(?i)\bnet use\b[^\n]{0,80}?\\\\\S{1,100}\s{1,3}(?P<value>[^\s/]{4,100})\s{1,3}/user"),
        ("machine", r"(?i)\bmachine\s{1,3}\S{1,200}\s{1,3}login\s{1,3}\S{1,100}\s{1,3}password\s{1,3}(?P<value>\S{3,200})"),
        (":", r"(?<!\S)[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<value>\S{4,100})$"),  # .pgpass
        ("</", r"(?i)<(?:password|passwd|secret|token|apikey|api_key|pwd)>(?P<value>[^<\s]{4,500})</"),
        ("? & ;", r"(?i)[?&;](?:sig|signature|token|key|code|auth|access_token|api_key|apikey|secret|password|pwd)=(?P<value>[\w%.~+/-]{8,500})"),
        ("auth", r"(?i)[\"']auth[\"']\s{0,3}:\s{0,3}[\"'](?P<value>[A-Za-z0-9+/]{8,500}={0,2})[\"']"),
        ("value=", r"(?i)\bkey=[\"'](?:[\w.]{0,60}(?:password|secret|token|apikey))[\"']\s{0,5}value=[\"'](?P<value>[^\"'\n]{4,500})[\"']"),
        ("| %", r"(?i)\b\d{15,16}[|%](?P<value>[\w-]{27,40})\b"),  # an app of Facebook's
    )
)  # fmt: skip
"""Commands, headers and addresses: what their line contains at least, and where in it the secret stands."""
_MARKED = tuple((mark, place) for place in _PLACES for mark in place[0])

_STEMS = (
    "pass", "pwd", "pw", "psk", "mdp", "clave", "kennwort", "contrase", "mot de", "zugangscode", "geheimzahl",
    "schlüssel", "code secret", "clé ", "密", "口令", "令牌", "secret", "token", "credential", "key", "sig", "auth",
    "fi", "wlan", "hotspot", "login", "log in", "anmeldung", "usuario", "identifiant", "账号", "pin", "puk", "phrase",
    "mnemonic", "words", "semilla", "助记词", "recuperación", "code pin",
)  # fmt: skip
"""A line without one of these names no secret."""

_NOT_ONES = regex(
    r"(?i)null|none|nil|true|false|yes|no|on|off|str|string|text|int|bool|bytes|any|optional|required|expired|invalid|missing|wrong|unknown|empty|changed|hidden"
    r"|never|always|please|here|there|above|below|same|default|generated|encrypted|unset|undefined|todo|tbd|tba|example|changeme|secret|password|token|hidden"
    r"|redacted|private|public|keine|keiner|siehe|unbekannt|geändert|vergessen|abgelaufen|oublié|inconnu|voir|ninguna|olvidada|caducada|ver|function|object|number"
)
_MADE_UP = regex(
    r"(?i)[x*•.…_#-]+|\[?(?:redacted|private|hidden)\]?|(?:your|my|the|dein|ihr|votre|tu)[-_ ].*|.*(?:placeholder|example$)"
)
_CODE = regex(
    r"[\w.\]\[]{0,200}[(\[]|(?:process\.|os\.|env\.|self\.|this\.|config\.|settings\.|secrets\.|vars\.|args\.)|[$%@]?[{<(]|%[sd(]|%\w{1,40}%$|\$[A-Za-z_]|\\[nrt]|--|//|~?/[\w.-]+/"
)
_OF_SOMETHING = regex(
    r"(?i)[_.-](?:file|path|dir|env|name|names|user|length|len|size|min|max|count|limit|expiry|expires|expiration|ttl|type|field|hint|policy|reset|manager|store|url|uri"
    r"|id|ids|rotation|protected|age|days|hash_?algo\w*|class|label|prompt|input|column|index|ref|arn|version)$|ize|ized|izer"
)
_PRICE = regex(r"[€£$¥]\d[\d.,]*|\d[\d.,]*[€£$¥]")
_IDENTIFIER = regex(r"[A-Za-z]+(?:_[A-Za-z]+)*")
_MOST_IN_PROSE = 100  # names on one line: what has more is no sentence, and would take long
_REST = regex(r"[^\s\"'`<>|,;]*")
_TRAILING = ".,;:)]}"


def named(text: str) -> Iterator[Named]:
    """Yield where a secret stands that is one by what stands before it on its line."""
    lowered = text.lower()
    stems = [stem for stem in _STEMS if stem in lowered]
    places = list(dict.fromkeys([place for mark, place in _MARKED if mark in lowered]))
    at = 0
    for line in text.split("\n") if stems or places else ():
        lowered = line.lower()
        for stem in stems:
            if stem in lowered:
                for found in _on_line(line):
                    yield Named(at + found.start, at + found.end, found.in_words)
                break
        for marks, pattern in places:
            for mark in marks:
                if mark in lowered:
                    for place in pattern.finditer(line):
                        if not is_none(place["value"]):
                            yield Named(at + place.start("value"), at + place.end("value"))
                    break
        at += len(line) + 1


_ALIKE = str.maketrans({"\u0130": "i", "\u0131": "i", "\u017f": "s"})  # for expressions that ignore case


def _small(line: str) -> str:
    """Return a line in small letters, each in its place."""
    return line.translate(_ALIKE).lower()


def _on_line(line: str) -> Iterator[Named]:
    start = end = 0
    small = _small(line)
    for number, name in enumerate(_NAME.finditer(small)):
        if start <= name.start() < end or (name["short"] and not _stands_alone(line, name)):
            continue
        for found in _behind(line, name, in_prose=number < _MOST_IN_PROSE):
            start, end = found.start, max(end, _end_of(line, found))
            yield found._replace(end=_end_of(line, found))
    if any(mark in small for mark in _PIN_MARKS):
        yield from (Named(*found.span("value"), in_words=True) for found in _PIN.finditer(line))
    if any(mark in small for mark in _PHRASE_MARKS):
        yield from (Named(*found.span("value")) for found in _PHRASE.finditer(line))


def _end_of(line: str, found: Named) -> int:
    """Return where a long secret ends, of which a pattern sees the beginning."""
    rest = _REST.match(line, found.end) if found.end - found.start > 200 else None
    return rest.end() if rest else found.end


def _behind(line: str, name: re.Match[str], *, in_prose: bool) -> Iterator[Named]:
    """Yield what is a secret behind a name for one."""
    at = name.end()
    if name["keyed"]:
        if (found := _KEYED.match(line, at)) and is_drawn(found["value"]) and not is_none(found["value"]):
            yield Named(*found.span("value"))
        return
    if not name["near"]:
        if (found := _SETTING.match(line, at)) and not _OF_SOMETHING.search(found["tail"]):
            yield from _setting(line, name, found)
        if in_prose and (found := _TOLD.match(line, at)):
            yield from _told(name, found)
    if in_prose and (found := _UNPRONOUNCEABLE.match(line, at)):
        yield from _told(name, found)
    yield from _beside(line, name)


def _setting(line: str, name: re.Match[str], found: re.Match[str]) -> Iterator[Named]:
    value = _bare(found["value"])
    if _set(line, name, found, value):
        in_words = found["sign"] in (":", "：") and not found["quote"] and not found["tail"] and " " in line
        yield Named(found.start("value"), found.start("value") + len(value), in_words)


def _told(name: re.Match[str], found: re.Match[str]) -> Iterator[Named]:
    value = _bare(found["value"])
    counts = value.isdigit() and not (name["chosen"] or name["short"])  # "the token limit is 128000"
    if not counts and not _is_price(name, value) and is_password(value) and not is_none(value):
        yield Named(found.start("value"), found.start("value") + len(value), in_words=True)


def _beside(line: str, name: re.Match[str]) -> Iterator[Named]:
    patterns = (_BESIDE, _QUOTED) if name["chosen"] or name["short"] else (_NETWORK,) if name["near"] else ()
    for pattern in patterns:
        if found := pattern.match(line, name.end()):
            value = _bare(found["value"])
            both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and is_password(value)
            quoted = pattern is _QUOTED and name[0] != "pass"
            if (both or quoted) and not is_none(value):
                yield Named(found.start("value"), found.start("value") + len(value), in_words=True)


def _stands_alone(line: str, name: re.Match[str]) -> bool:
    """Say whether a short name is one of its own, or begins a word inside of a name: ``DB_PASS``, ``dbPass``, not "compass"."""
    if (at := name.start()) == 0:
        return True
    before, first = line[at - 1], line[at]
    return not before.isalpha() or (before.islower() and first.isupper())


def _set(line: str, name: re.Match[str], found: re.Match[str], value: str) -> bool:
    """Say whether a name is set to a secret."""
    if (
        len(value) < 4
        or is_none(value)
        or _is_price(name, value)
        or (value.isdigit() and name[0] in ("token", "secret", "credential"))
    ):
        return False
    if found["quote"] or is_password(value):
        return len(value) > 4 or not value.isdigit()
    rest = line[found.start("value") + len(value) :][:200].strip(" \t*_`\"'")
    if found["sign"] in (":", "：", "→", "->"):
        return len(value) > 4 and (not rest or rest[0] in ".,;)(!?，。；")
    loud = (
        line[name.start() : name.end()].isupper()
        or line[: name.start()].endswith(("_", ".", "-"))
        or bool(found["tail"])
    )
    return len(value) > 4 and (loud or not _IDENTIFIER.fullmatch(value))


def _is_price(name: re.Match[str], value: str) -> bool:
    """Say whether it is what a pass costs: "bus pass: £62.40"."""
    return name[0] == "pass" and bool(_PRICE.fullmatch(value))


def _bare(value: str) -> str:
    return value.rstrip(_TRAILING) if not value.endswith("==") else value


def is_none(value: str) -> bool:
    """Say whether it stands for a secret and is none: a placeholder, a piece of code."""
    return bool(_NOT_ONES.fullmatch(value) or _CODE.match(value) or _MADE_UP.fullmatch(value))


def is_password(value: str) -> bool:
    """Say whether it looks like something chosen to open something: letters with digits or signs among them."""
    inner = value[1:]
    mixed = any(c.isdigit() or c in "!@#$%^&*+=~_-" for c in value) or (
        any(c.isupper() for c in inner) and not value.isupper()
    )
    return len(value) > 4 and mixed and not _EVERYDAY.fullmatch(value)


_EVERYDAY = regex(
    r"(?i)\d+(?:[.,:/-]\d+){1,5}(?:t\d\d[\d:.]*)?\w{0,3}|\d{1,4}[a-zäöü%€$]{1,12}|(?:[a-zà-ÿ]+-)*[a-zà-ÿ]+'?[a-zà-ÿ]*|[\w.+-]+@[\w-]+\.[\w.]+|(?:https?|ftp|file)://.*"
    r"|\d+-[a-zà-ÿ]+(?:-[a-zà-ÿ]+)?|[\w-]+\.(?:md|txt|org|py|js|ts|json|ya?ml|toml|env|kdbx|gpg|html?|sh|cfg|ini|pdf)|v?\d+(?:\.\w+)+"
)
"""What looks so and is a date, a time, an amount, a word with a hyphen, an address, a file."""


def is_drawn(value: str) -> bool:
    """Say whether it looks drawn by lot, as machines make keys: digits and letters, many different ones."""
    digits = sum(c.isdigit() for c in value)
    cases = any(c.islower() for c in value) and any(c.isupper() for c in value)
    return digits > (0 if cases else 2) and len(set(value)) > 7 and any(c.isalpha() for c in value)
