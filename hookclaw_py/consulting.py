"""Consulting: what an agent that asks on purpose is answered with, and what is known beside what it saves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace

from hookclaw_py.answering import Answering, Manner
from hookclaw_py.build import Parts
from hookclaw_py.config import Config
from hookclaw_py.model.types import Candidate, Hit, Injection, Prompt
from hookclaw_py.pipeline import Pipeline

MOST_ASKED_FOR = 20
"""Memories that one question is answered with, at most."""
MOST_WANTED = 200
"""Of what is found, how many are looked through for those that are wanted."""


class Consulting:
    """The verbs of an agent that asks by itself."""

    def __init__(self, parts: Parts, answering: Answering, *, bring_up: Callable[[], list[str]]) -> None:
        """Work with these parts; ``bring_up`` embeds what is new in the store, and says what of that failed."""
        self._parts, self._answering = parts, answering
        self.bring_up = bring_up

    def recall(
        self,
        prompt: Prompt,
        *,
        kinds: Collection[str] = (),
        limit: int = MOST_ASKED_FOR,
        wanted: Callable[[Candidate], bool] | None = None,
    ) -> Injection:
        """Answer as ``Engine.recall`` does, whatever is asked, and with up to ``limit`` of what answers; only what is ``wanted`` is judged."""

        def on_purpose(pipeline: Pipeline) -> Pipeline:
            config = searching(pipeline.config)
            if wanted is None:
                return replace(pipeline, config=config)
            config = config.model_copy(update={"pool_size": MOST_WANTED})
            only = ("wanted", lambda candidates, _: [one for one in candidates if wanted(one)])
            stages = replace(pipeline.stages, further=(*pipeline.stages.further, only))
            return replace(pipeline, config=config, stages=stages, cache=NoCache())

        found = self._answering.recall(prompt, Manner(kinds=kinds, by=on_purpose))
        return replace(found, candidates=found.candidates[:limit])

    def without_vector(self, chunk_ids: Sequence[str]) -> list[str]:
        """Return those of these passages that are not found by their meaning; without a model all."""
        embedder, store = self._parts.embedder, self._parts.store
        if embedder is None:
            return list(chunk_ids)
        there = set(store.vectors_since(embedder.model_id, -1).ids)
        return [one for one in chunk_ids if one not in there]

    def drop_vectors(self, chunk_ids: Sequence[str]) -> None:
        """Delete the vectors of these passages: ``bring_up`` makes them anew."""
        if self._parts.embedder is not None:
            self._parts.store.drop_vectors(self._parts.embedder.model_id, chunk_ids)

    def alike(self, words: str, *, kinds: Collection[str], limit: int) -> list[Hit]:
        """Return the chunks of these kinds that mean what ``words`` mean, each with its cosine; without a model none.

        Raises:
            RetrievalError: if the model fails.
        """
        indexes, embedder = self._answering.view_of(kinds).indexes, self._parts.embedder
        if embedder is None or indexes.lacking:
            return []
        indexes.catch_up()
        return indexes.vectors.search(embedder.embed(words), limit) if indexes.vectors else []


def searching(config: Config) -> Config:
    """Return ``config`` for somebody who asks on purpose: no gate, and as many answers as there are good ones."""
    wider = {
        "max_results": MOST_ASKED_FOR,
        "shadow": False,  # who asks on purpose is answered
        "skip_short_prompts": 0,
        "enable_skip_patterns": False,
        "adaptive_results": False,
    }
    return config.model_copy(update=wider)


class NoCache:
    """Remembers nothing."""

    def get(self, scope: Hashable, text: str) -> tuple[str, Injection] | None:  # noqa: ARG002
        """Return None."""
        return None

    def put(self, scope: Hashable, text: str, value: Injection) -> None:
        """Do nothing."""
