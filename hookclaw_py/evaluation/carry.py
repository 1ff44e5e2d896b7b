"""Carry: what of the answer got into the block; and staleness: whether the newest of two rival notes did."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hookclaw_py import text
from hookclaw_py.evaluation.replay import Reply
from hookclaw_py.ingest.length import length_of


def carried(reply: Reply, relevant: Collection[str], answers: Sequence[str]) -> dict[str, float]:
    """Say what the block carries of a prompt that has an answer; 1 or 0 each, "precision" only where something fired.

    "whole": a relevant document in full; "all": every relevant one in full; "part": one in full or cut; "answer": the
    words of one of the answers (absent without answers).
    """
    injected, whole = set(reply.injected), set(reply.whole)
    found = {
        "whole": float(bool(whole & set(relevant))),
        "all": float(set(relevant) <= whole),
        "part": float(bool(injected & set(relevant))),
    }
    if answers:
        found["answer"] = float(any(holds_words(reply.block, answer) for answer in answers))
    if reply.fired:
        found["precision"] = len(injected & set(relevant)) / len(injected) if injected else 0.0
    return found


def holds_words(block: str, answer: str) -> bool:
    """Say whether every content word of ``answer`` is in ``block``; an answer without such words must occur literally."""
    wanted = set(text.terms(answer))
    if not wanted:
        return bool(answer.strip()) and text.fold(answer.strip()) in text.fold(block)
    return wanted <= set(text.terms(block))


def size_of(reply: Reply) -> dict[str, int]:
    """Return a block's characters and its estimated word pieces."""
    return {"characters": len(reply.block), "tokens": length_of(reply.block).tokens}


def freshness(reply: Reply, relevant: Collection[str], stale: Collection[str]) -> dict[str, float]:
    """Say how the newest document fared against those it replaced; 1 or 0 each.

    "newest_above": ranked above every stale one; "newest_in_block" and "newest_alone" (without a stale one);
    "stale_only": the block holds a stale one and not the newest.
    """
    place = {name: rank for rank, (name, _) in enumerate(reply.ranking)}
    nowhere = len(reply.ranking)
    newest = min((place.get(name, nowhere) for name in relevant), default=nowhere)
    rival = min((place.get(name, nowhere) for name in stale), default=nowhere)
    injected = set(reply.injected)
    held, outdated = bool(injected & set(relevant)), bool(injected & set(stale))
    return {
        "newest_above": float(newest < rival),
        "newest_in_block": float(held),
        "newest_alone": float(held and not outdated),
        "stale_only": float(outdated and not held),
    }


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return the mean of each key over the rows that have it, and how many those are under "prompts"."""
    names = dict.fromkeys(name for row in rows for name in row)
    found: dict[str, Any] = {"prompts": len(rows)}
    for name in names:
        values = [row[name] for row in rows if name in row]
        found[name] = sum(values) / len(values)
    return found
