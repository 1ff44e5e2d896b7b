"""One prompt, recalled under one set of constants after another: what they leave as it is, is done once.

The stages are values: those that cost most remember what they were asked until the next prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from hookclaw_py.build import STAGES
from hookclaw_py.calibration.constants import Constants
from hookclaw_py.model.types import Injection, Prompt
from hookclaw_py.pipeline import Pipeline
from hookclaw_py.trace import Trace

LATER = Constants._fields.index("same_subject")
"""From here on the constants are of stages behind the calibration."""
KEYS: dict[str, Callable[..., Hashable]] = {
    "spelling": lambda asked, _, *, is_word, constants: (asked, constants),  # noqa: ARG005
    "entities": lambda asked, *, names: asked,  # noqa: ARG005
    "period": lambda asked, *, now: (asked, now),
    "bm25": lambda _, query, size, *, context_boost: (query.terms, query.carried, size, context_boost),
    "vector": lambda _, __, query, size, deadline: (query.sought, size),  # noqa: ARG005
    "late": lambda tokens, weights, chunks, *, chosen: (
        tokens.tobytes(),
        tuple(weights),
        tuple(chunks),
        tuple(sorted(chosen)),
    ),
    "mentions": lambda entities, chunks: (entities, tuple(chunk.id for chunk in chunks)),
    "evidence": lambda candidates, query, found, *, zone, calibration: (  # noqa: ARG005
        query,
        tuple(c.chunk.id for c in candidates),
        calibration.constants[:LATER],
    ),
    "calibrate": lambda candidates, evidence, found, calibration: (id(evidence), calibration.constants[:LATER]),  # noqa: ARG005
}
"""What an answer of these stages depends on, within one store."""


class Trying:
    """Answers a store's prompts with other constants than its own, and writes nothing down."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._known: dict[Hashable, Any] = {}
        stages = replace(STAGES, **{name: self._once(name, getattr(STAGES, name), key) for name, key in KEYS.items()})
        self._pipeline = replace(pipeline, stages=stages, cache=Forgetful())
        self._reader = pipeline.reader
        self._now: Prompt | None = None
        if pipeline.reader is not None:
            self._pipeline = replace(self._pipeline, reader=self)

    def recall(self, prompt: Prompt, constants: Constants) -> Injection:
        """Answer a prompt as an engine would that has these constants."""
        if prompt is not self._now:
            self._known.clear()
            self._now = prompt
        calibration = replace(self._pipeline.calibration, constants=constants)
        pipeline, trace = replace(self._pipeline, calibration=calibration), Trace(timeout_ms=600_000, strict=True)
        names = pipeline.names(trace)
        context = pipeline.context(prompt.text, prompt, names)
        query = pipeline.enrich(prompt.text, prompt.received_at, trace, context=context, names=names)
        behind = constants._replace(spelling=None, follow_ups=None)  # type: ignore[arg-type]  # they have made the query
        key = "recalled", query, behind
        if key not in self._known:
            self._known[key] = pipeline.recall(prompt, trace)
        injection: Injection = self._known[key]
        return injection

    def read(self, prompt: str, passages: Any, deadline: Any = None) -> list[float]:
        """Read each passage once."""
        told = []
        for passage in passages:
            key = "read", prompt, passage.text, bytes(memoryview(passage.matches)) if len(passage.matches) else b""
            if key not in self._known:
                (self._known[key],) = self._reader.read(prompt, [passage], deadline)  # type: ignore[union-attr]
            told.append(self._known[key])
        return told

    def close(self) -> None:
        """Do nothing: the reader is the engine's."""

    def _once(self, name: str, stage: Callable[..., Any], key: Callable[..., Hashable]) -> Callable[..., Any]:
        def remembered(*given: Any, **named: Any) -> Any:
            asked = name, key(*given, **named)
            if asked not in self._known:
                self._known[asked] = stage(*given, **named)
            return self._known[asked]

        return remembered


class Forgetful:
    """A cache that remembers no answer."""

    def get(self, scope: Hashable, text: str) -> None:
        """Know nothing."""

    def put(self, scope: Hashable, text: str, value: Injection) -> None:
        """Forget it."""
