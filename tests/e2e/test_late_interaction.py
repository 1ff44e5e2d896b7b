"""Late interaction in the whole engine, with the real model: what it finds, and stores and embedders that lack tokens."""

from __future__ import annotations

import pytest

from hookclaw_py import Config, Engine, build
from hookclaw_py.search import loading
from hookclaw_py.store.database import Store

NOTES = {
    "garden": "# Garden\n\nPlanted beans along the fence. Rain all week, the beds are soaked and the compost bin leaks. "
    "The joiner came on Tuesday, and in the end the hut got a green door, after much talk about hinges, slugs and the "
    "price of gravel.\n",
    "carpenter": "# Carpenter\n\nThe carpenter is called Piotr. He wants to be paid in cash.\n",
    "colours": "# Colours\n\nFavourite colour of Ines: teal. Favourite colour of Tom: ochre.\n",
    "paint": "# Paint\n\nBought paint for the kitchen walls, two tins, white.\n",
    "shed": "# Shed\n\nThe shed needs a new roof before winter.\n",
}
PROMPT = "What colour is the door of the garden shed?"


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "memory").mkdir()
    for name, note in NOTES.items():
        (tmp_path / f"memory/{name}.md").write_text(note)
    return tmp_path


class Plain:
    """The default model as one that tells no tokens."""

    def __init__(self, config):
        self._whole = loading.embedder(config)
        self.model_id, self.dimension = "plain", self._whole.dimension

    def embed(self, text, deadline=None):
        return self._whole.embed(text, deadline)

    def close(self):
        pass


def opened(embedder=None, store=None, **weights):
    config = Config(convexWeights={"entity": 0.0, **weights}, reader="off")  # it would say that a hut is no shed
    embedder = embedder or loading.embedder(config)
    return Engine(store or Store.open(None), build.lexical_index(config, None), embedder, config=config, strict=True)


def steps(engine, stage):
    """Return the notes that have a vote of this stage, best first."""
    injection = engine.recall(PROMPT)
    values = {
        candidate.chunk.place.path.removeprefix("memory/").removesuffix(".md"): step.value
        for candidate in (*injection.candidates, *injection.rejected)
        for step in candidate.history
        if step.stage == stage
    }
    return sorted(values, key=lambda name: -values[name])


def test_a_note_whose_words_are_scattered_rises(workspace):
    for late, first in ((0.0, "colours"), (1.0, "garden")):
        with opened(vector=0.0, late=late) as engine:
            engine.index(workspace)
            assert steps(engine, "bm25") == ["colours", "shed", "garden"]
            assert steps(engine, "late")[0] == "garden"
            assert steps(engine, "fusion")[0] == first
    assert "green door" in engine_text(workspace)


def engine_text(workspace):
    with opened() as engine:
        engine.index(workspace)
        return engine.recall(PROMPT).text


def test_an_embedder_that_tells_no_tokens_ranks_by_the_other_two(workspace):
    with opened(Plain(Config())) as engine:
        engine.index(workspace)
        assert "green door" in engine.recall(PROMPT).text
        assert steps(engine, "late") == []
        assert len(steps(engine, "vector")) == len(NOTES)


def test_a_chunk_without_tokens_is_still_found(workspace):
    with opened() as engine:
        engine.index(workspace)
        with engine.store._writing() as connection:
            connection.execute(
                "UPDATE embeddings SET tokens = NULL WHERE digest IN (SELECT digest FROM chunks WHERE path LIKE '%garden%')"
            )
        assert set(steps(engine, "late")) == NOTES.keys() - {"garden"}
        assert set(steps(engine, "fusion")) == NOTES.keys()


def test_a_store_from_before_the_tokens_gets_them_at_the_next_indexing(workspace, tmp_path):
    with opened(Plain(Config()), Store.open(tmp_path / "store")) as engine:
        engine.index(workspace)
    with opened(None, Store.open(tmp_path / "store")) as engine:
        assert steps(engine, "late") == []
        engine.index(workspace)
        assert set(steps(engine, "late")) == NOTES.keys()


def test_an_edited_note_is_compared_as_it_is_now(workspace):
    with opened() as engine:
        engine.index(workspace)
        assert steps(engine, "late")[0] == "garden"
        (workspace / "memory/garden.md").write_text("# Letters\n\nThe postman rings twice.\n")
        (workspace / "memory/paint.md").write_text("# Hut\n\nThe colour of the garden shed's door is green.\n")
        engine.index(workspace)
        assert steps(engine, "late")[0] == "paint"
        (workspace / "memory/paint.md").unlink()
        engine.index(workspace)
        assert "paint" not in steps(engine, "late")
