"""What the person set right in the next turn is no memory: the guess goes, the correction stands."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py.ingest.spoken import Turn
from hookclaw_py.speech.withdrawn import withdrawn, without


def without_withdrawn(found: Sequence[Turn]) -> list[Turn]:
    """Leave out of each answer what the turn after it sets right; a turn of which nothing is left goes."""
    kept = []
    for turn, following in zip(found, [*found[1:], None], strict=True):
        told, after = dict(turn.said), dict(following.said if following else ())
        answer = told.get("assistant", "")
        gone = withdrawn(answer, after.get("user", ""), after.get("assistant", "")) if answer else []
        if gone:
            told["assistant"] = without(answer, gone)
        said = tuple((role, words) for role, words in told.items() if words)
        if said:
            kept.append(turn._replace(said=said, withdrawn=" ".join(gone)))
    return kept
