"""Ids of passages and records: the same of the same words."""

from __future__ import annotations

from hashlib import blake2b


def id_made_of(*parts: str) -> str:
    """Return sixteen hex digits, a positive integer of 64 bits, that follow from these texts."""
    told = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"{int.from_bytes(blake2b(told, digest_size=8).digest(), 'big') >> 1:016x}"


def is_id(name: str) -> bool:
    """Say whether that is a whole id."""
    return len(name) == 16 and set(name) <= set("0123456789abcdef")
