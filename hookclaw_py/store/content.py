"""What makes a chunk the chunk it is: what is embedded for it, what it is found by, and what is forgotten with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from hookclaw_py import text as words
from hookclaw_py.regex import regex

_BARE_DATE = regex(r"[\d\W]+")


def content_digest(heading: str, text: str) -> bytes:
    """Return the digest of what is embedded for a chunk."""
    return blake2b(embedded(heading, text).encode(), digest_size=16).digest()


def embedded(heading: str, text: str) -> str:
    """Return what is embedded for a chunk: its heading path without bare dates, then its text."""
    telling = " > ".join(part for part in heading.split(" > ") if not _BARE_DATE.fullmatch(part))
    return f"{telling}\n{text}" if telling else text


def wording_digest(heading: str, text: str) -> bytes:
    """Return what stays of a wording that is gone, or that a person wants gone: by it, it is known when it comes back."""
    return blake2b(f"{heading}\0{text}".encode(errors="surrogatepass"), digest_size=16).digest()


def context_of(
    before: Sequence[str], own: Sequence[str], after: Sequence[str], *, day: str | None, path: str
) -> list[str]:
    """Return the terms that a chunk is found by from around it: its own, those of its neighbours, its date and folders.

    ``day`` is an ISO 8601 date.
    """
    return [*before, *own, *after, *_terms_of_date(day), *_terms_of_folders(path)]


@lru_cache(maxsize=4096)
def _terms_of_date(day: str | None) -> tuple[str, ...]:
    return tuple(words.terms(f"{datetime.fromisoformat(day):%d %B %Y %A}")) if day else ()


@lru_cache(maxsize=4096)
def _terms_of_folders(path: str) -> tuple[str, ...]:
    folders = [folder for folder in path.split("/")[:-1] if folder.lower() != "memory"]
    return tuple(words.terms(" ".join(folders)))
