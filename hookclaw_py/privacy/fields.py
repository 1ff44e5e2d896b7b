"""Fields: what of structured data is a secret by what it is called: in JSON, in the arguments of a command.

A name alone makes no secret of everything: ``tokens: 512`` and ``pass: 12`` are counts, ``password: true`` is a switch, ``pwd: /srv`` a folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from hookclaw_py.privacy.redaction import secrets_in, without
from hookclaw_py.regex import regex

_OPENS = (
    r"pass_?word|passwd|passwort|pass_?phrase|pass_?code|kennwort|contrase[nñ]a|mot_de_passe|wachtwoord|senha|zugangscode|geheimzahl"
    r"|密码|密碼|口令|パスワード|비밀번호"
)
_KEY_OF = (
    r"access|account|admin|api|app|auth|deploy|encryption|hmac|licen[cs]e|master|pre_?shared|private|root|secret|secret_access|service|shared"
    r"|shared_access|signing|ssh|storage|subscription|webhook|wi_?fi"
)
_ANOTHER = r"(?:_?\d{1,2}|_(?:confirm|confirmation|again|repeat|repeated|verify|new|old|current|plain|plaintext|text|value|hash))?"
_NO_ASKING = r"(?!(?:is|has|show|hide|use|uses|need|needs|require|requires|forgot)_)"
_CHOSEN = regex(rf"{_NO_ASKING}.*(?:{_OPENS}){_ANOTHER}|(?:.*_)?(?:pwd|pw|mdp)\d?")
_NAME = regex(
    rf"{_NO_ASKING}(?:.*(?:{_OPENS}|secret|(?:{_KEY_OF})_?key)s?{_ANOTHER}|.*_pass"
    r"|(?:.*_)?(?:pwd|pw|psk|mdp|clave|token|jwt|bearer|authori[sz]ation|basic_auth|credentials?|cookies?)"
    r"|.*(?:auth|access|api|bearer|refresh)_tokens|密钥|密鑰|令牌)"
)
_CODE = regex(r"(?:.*_)?(?:pin|pin_?code|puk|otp|totp|cvv2?|cvc2?|(?:security|verification|one_time|mfa|2fa)_code)")
_FOLDERS = frozenset({"pwd", "oldpwd", "old_pwd"})
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = regex(r"[\W_]+")
_LONGEST_NAME = 100
_LONGEST_LINE = 8000

ABOUT = frozenset(
    [
        "type",
        "format",
        "description",
        "title",
        "name",
        "kind",
        "label",
        "required",
        "minlength",
        "maxlength",
        "pattern",
        "placeholder",
        "autocomplete",
        "in",
        "scheme",
        "$ref",
    ]
)
"""What says something about a secret, in small letters, where a form or a schema describes one."""
_NAMING = frozenset(
    [
        "name",
        "key",
        "header",
        "variable",
        "var",
        "env",
        "param",
        "parameter",
        "option",
        "property",
        "attribute",
        "field",
        "id",
        "k",
    ]
)
_ON_A_PAGE = frozenset(["element", "selector", "locator", "xpath", "field", "label", "placeholder", "target"])
_VALUES = frozenset(["value", "val", "v", "values", "default", "data", "string_value", "stringvalue"])
_TYPED = frozenset(["value", "text", "input", "keys"])
_MOST_TYPED = 200
_COMMANDS, _ARGUMENTS = ("command", "cmd", "program", "executable"), frozenset({"args", "argv", "arguments"})


def is_secret(name: str, value: Any) -> bool:
    """Say whether a value is a secret because it is called so: ``DB_PASSWORD``, ``clientSecret``, ``password1``, a PIN."""
    if value is None or value == "" or isinstance(value, bool) or len(name) > _LONGEST_NAME:
        return False
    plain = _BETWEEN.sub("_", _HUMP.sub("_", name)).strip("_").lower()
    if isinstance(value, int | float):
        return bool((_CHOSEN.fullmatch(plain) and abs(value) >= 1000) or (_CODE.fullmatch(plain) and abs(value) >= 100))
    if isinstance(value, str):
        if plain in _FOLDERS and value[0] in "/~":
            return False
        if _CODE.fullmatch(plain):
            return value.isdigit() and len(value) > 2
    return bool(_NAME.fullmatch(plain))


def is_chosen(name: str) -> bool:
    """Say whether it is what people call a password, which may be a number."""
    return is_secret(name, 1_000_000)


def secret_fields(told: Mapping[str, Any]) -> frozenset[str]:
    """Return which fields of an object are secrets, by their own names or by what a field beside them names."""
    found = {name for name, value in told.items() if is_secret(name, value)}
    for name, said in told.items():
        small = name.casefold()
        if not isinstance(said, str) or len(said) > _MOST_TYPED:
            continue
        if small in _NAMING:
            found |= {one for one, value in told.items() if one.casefold() in _VALUES and is_secret(said, value)}
        if small in _ON_A_PAGE and (asked := [word for word in _BETWEEN.split(said) if is_chosen(word)]):
            typed = {one: value for one, value in told.items() if one.casefold() in _TYPED and _may_be_typed(value)}
            found |= {one for one, value in typed.items() if any(is_secret(word, value) for word in asked)}
    return frozenset(found)


def _may_be_typed(value: Any) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, str) and len(value) <= _MOST_TYPED and "\n" not in value
    )


def command_of(told: Mapping[str, Any], name: str) -> str:
    """Return the command whose arguments stand in this field of an object; "" if none do."""
    if name.casefold() not in _ARGUMENTS:
        return ""
    return next((said for one in _COMMANDS if isinstance(said := told.get(one), str)), "")


def are_pairs(values: Sequence[Any]) -> bool:
    """Say whether these are names with their values: ``[["Authorization", "Basic …"], ["Accept", "*/*"]]``."""
    return len(values) > 0 and all(isinstance(one, list | tuple) and len(one) == 2 for one in values)


def secret_places(values: Sequence[Any], *, is_pair: bool) -> frozenset[int]:
    """Return which values of a list are secrets: the second of a pair, what follows ``--password``."""
    found = {
        place + 1
        for place, (flag, value) in enumerate(pairwise(values))
        if isinstance(flag, str) and flag.startswith("-") and not str(value).startswith("-") and is_secret(flag, value)
    }
    if len(values) == 2 and isinstance(values[0], str) and is_secret(*values):
        told = values[1]
        if is_pair or not isinstance(told, str) or not told.replace("_", "").isalpha() or not told.islower():
            found.add(1)
    return frozenset(found)


def without_secrets(arguments: Sequence[str], command: str = "") -> list[str]:
    """Return the arguments of a command without what is a secret where they stand in one line."""
    starts, line = list[int](), f"{command} " if command else ""
    if sum(map(len, arguments)) > _LONGEST_LINE or any("\n" in one for one in arguments):
        return list(arguments)
    for one in arguments:
        starts.append(len(line))
        line += f"{one} "
    is_command = command or any(one.startswith("-") for one in arguments)
    secrets = [one for one in secrets_in(line) if is_command or not one.in_words]
    told = []
    for one, start in zip(arguments, starts, strict=True):
        inside = [(max(s.start - start, 0), min(s.end - start, len(one)), s) for s in secrets]
        told.append(without(one, [s._replace(start=at, end=end) for at, end, s in inside if at < end]))
    return told
