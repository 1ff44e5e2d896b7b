"""Addresses: what people may see of a PostgreSQL server's, and what is wrong with one whose password cannot be told apart."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from hookclaw_py.regex import regex

_ENCODE = (
    "its password (or another part) has a character that must be percent-encoded:"
    " @ as %40, / as %2F, ? as %3F, # as %23, % as %25, [ as %5B, ] as %5D, a space as %20"
)
_WELL_FORMED = regex(r"[a-z]+://(?:[^\s@/?#\[\]]*@)?[^\s@]*")
_STRAY_PERCENT = regex(r"%(?![0-9A-Fa-f]{2})|%00")
_PASSWORD = regex(r"(?<!\w)(?:ssl)?password\s*=\s*(?:'(?:\\.|[^'\\])*'?|(?:\\.|[^\s\\])*)\s*")


def problem_of(address: str) -> str:
    """Say why libpq would take a part of a URL's password for something else, and repeat it in its errors; "" if it would not."""
    address = address.strip()
    if "://" not in address or (_WELL_FORMED.fullmatch(address) and not _STRAY_PERCENT.search(address)):
        return ""
    return _ENCODE


def shown(address: str) -> str:
    """Return an address without a password: nothing of who asks where, if it cannot be seen where a password ends."""
    scheme, is_url, _ = address.partition("://")
    if not is_url:
        return _PASSWORD.sub("", address).strip()
    if problem_of(address):
        return f"{scheme}://…"
    try:
        parts = urlsplit(address)
    except ValueError:  # half of an IPv6 address
        return f"{scheme}://…"
    user, at, host = parts.netloc.rpartition("@")
    query = "&".join(part for part in parts.query.split("&") if not part.startswith(("password=", "sslpassword=")))
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=query))
