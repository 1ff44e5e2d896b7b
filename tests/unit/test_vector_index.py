"""The vector index of many passages: what it finds beside an exact search, whatever comes and goes, and what it keeps of a row."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import Config
from hookclaw_py.model.vectors import Matrix
from hookclaw_py.search.loading import embedder
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.search.local.rows import ExactRows
from hookclaw_py.store import packing
from hookclaw_py.testing.vectors import some_vectors

DATA = Path(__file__).parents[2] / "eval/data/vaults"
EMBEDDED, QUERIES, MANY = 500, 60, 24_000


def ids(count: int) -> list[str]:
    return [f"{n:016x}" for n in range(count)]


def as_kept(vectors: Matrix) -> Matrix:
    """Return vectors as a store gives them back."""
    return packing.vectors_of(packing.packed_vectors(vectors), vectors.shape[1])


@pytest.fixture(scope="module")
def real() -> Matrix:
    """Vectors of lines that people wrote, by the shipped model."""
    lines = {line.strip() for file in sorted(DATA.rglob("*.md")) for line in file.read_text("utf-8").splitlines()}
    texts = sorted(line for line in lines if len(re.findall(r"\w+", line)) >= 5)
    chosen = [texts[n] for n in np.random.default_rng(1).choice(len(texts), EMBEDDED, replace=False)]
    model = embedder(Config())
    return np.stack([model.embed(text) for text in chosen])


@pytest.fixture(scope="module")
def passages(real: Matrix) -> Matrix:
    """Many vectors that lie among those as passages of one person's notes do."""
    rng = np.random.default_rng(2)
    base = real[QUERIES:]
    first, second = base[rng.integers(len(base), size=(2, MANY))]
    noise = rng.standard_normal(first.shape, dtype=np.float32)
    mixed = first + 0.6 * second + 0.35 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return as_kept(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))


def found_of_the_nearest(index: FaissIndex, passages: dict[str, np.ndarray], queries: Matrix) -> float:
    """Return the share of the exact ten nearest, over all queries, among the first ten of an answer of ten, or of twenty: the lesser one."""
    names, matrix = np.array(list(passages)), np.stack(list(passages.values()))
    exact = [set(names[nearest[:10]]) for nearest in np.argpartition(-(queries @ matrix.T), 10)]
    shares = []
    for top_k in (10, 20):
        answers = [{hit.chunk_id for hit in index.search(query, top_k)[:10]} for query in queries]
        shares.append(np.mean([len(nearest & answer) / 10 for nearest, answer in zip(exact, answers, strict=True)]))
    return float(min(shares))


def test_of_many_passages_a_search_finds_the_nearest_as_an_exact_one_does_whatever_came_and_went(
    real: Matrix, passages: Matrix
):
    index, there = FaissIndex(384, crossover=10_000), dict(zip(ids(MANY), passages, strict=True))
    half = MANY // 3
    index.add(ids(MANY)[:half], passages[:half])
    index.search(real[0], 1)
    index.add(ids(MANY)[half:], passages[half:])  # the crossover is behind a search: notes came while one asked
    assert found_of_the_nearest(index, there, real[:QUERIES]) >= 0.99
    gone, changed = ids(MANY)[5 : MANY // 2 : 3], ids(MANY)[6 : MANY // 2 : 3]
    index.delete(gone)
    index.add(changed, passages[: len(changed)][::-1])
    there |= dict(zip(changed, passages[: len(changed)][::-1], strict=True))
    there = {name: vector for name, vector in there.items() if name not in set(gone)}
    assert len(index) == len(there)
    assert found_of_the_nearest(index, there, real[:QUERIES]) >= 0.99


def test_fewer_passages_are_searched_to_the_last_digit_also_when_they_were_many_once(real: Matrix, passages: Matrix):
    index = FaissIndex(384, crossover=10_000)
    index.add(ids(12_000), passages[:12_000])
    index.search(real[0], 1)
    index.delete(ids(12_000)[6_000:])
    plain = FaissIndex(384)
    plain.add(ids(6_000), passages[:6_000])
    assert [index.search(query, 20) for query in real[:QUERIES]] == [plain.search(q, 20) for q in real[:QUERIES]]
    assert found_of_the_nearest(index, dict(zip(ids(6_000), passages, strict=False)), real[:QUERIES]) == 1


def test_everything_can_be_asked_for_in_its_order(real: Matrix, passages: Matrix):
    index = FaissIndex(384, crossover=100)
    index.add(ids(1000), passages[:1000])
    hits = index.search(real[0], 1000)
    cosines = (passages[:1000] @ real[0]).astype(float)
    assert [hit.score for hit in hits] == pytest.approx(sorted(cosines, reverse=True), abs=2e-6)
    assert len({hit.chunk_id for hit in hits}) == 1000


def test_a_row_comes_back_to_the_last_bit_wherever_it_came_from_and_a_stored_one_takes_a_quarter():
    stored, others = as_kept(some_vectors(3000, dimension=64)), some_vectors(40, seed=1, dimension=64)
    rows = ExactRows(64)
    rows.add(stored[:1000])
    assert sum(part.nbytes for part in rows.arrays()) < 1000 * 64 * 4 * 0.28
    rows.add(others)
    rows.add(stored[1000:])
    every = np.concatenate([stored[:1000], others, stored[1000:]])
    assert np.array_equal(np.concatenate(list(rows.pieces())), every)
    rows.put([0, 1, 1020], np.stack([others[0], stored[5], stored[6]]))
    rows.move([1010, 1011], [3038, 3039])
    rows.cut(3038)
    every[[0, 1, 1020]], every[[1010, 1011]] = [others[0], stored[5], stored[6]], every[[3038, 3039]]
    assert np.array_equal(rows.take([0, 1, 1010, 1011, 1012, 1020, 3037]), every[[0, 1, 1010, 1011, 1012, 1020, 3037]])
    assert len(rows) == 3038


@pytest.fixture
def given(passages: Matrix) -> tuple[FaissIndex, dict[str, np.ndarray]]:
    """An index that was searched, and changed since, and what it gives to be kept."""
    index = FaissIndex(384, crossover=100)
    index.add(ids(2000), passages[:2000])
    index.search(passages[0], 5)
    index.delete(ids(2000)[::9])
    with index.unchanged() as arrays:
        return index, {name: array.copy() for name, array in arrays.items()}


def test_one_made_of_what_another_gave_finds_the_same_and_goes_on_as_that(given, real: Matrix, passages: Matrix):
    first, arrays = given
    second = FaissIndex.of(arrays, crossover=100)
    assert second._rough is not None, "the codes are not made anew"
    for _ in range(2):
        assert [second.search(query, 20) for query in real[:20]] == [first.search(query, 20) for query in real[:20]]
        for index in (first, second):
            index.delete(ids(300)[5:])
            index.add(ids(2200)[1990:], passages[1990:2200])


def test_codes_of_another_version_are_made_anew(given, real: Matrix, passages: Matrix):
    _, arrays = given
    second = FaissIndex.of({**arrays, "faiss": np.frombuffer(b"0.0.1", np.uint8)}, crossover=100)
    there = {name: vector for n, (name, vector) in enumerate(zip(ids(2000), passages, strict=False)) if n % 9}
    assert found_of_the_nearest(second, there, real[:QUERIES]) >= 0.99


@pytest.mark.parametrize("name", ["keys", "worth", "steps", "codes", "held", "places"])
def test_of_what_does_not_fit_together_none_is_made(given, name: str):
    _, arrays = given
    wrong = {"held": np.array(7), "places": np.array([7])}
    with pytest.raises(ValueError, match="fit"):
        FaissIndex.of({**arrays, name: wrong[name] if name in wrong else arrays[name][:-1]})


@pytest.mark.parametrize(("crossover", "loaded"), [(300, "True"), (301, "False")])
def test_faiss_is_loaded_where_there_are_many(crossover: int, loaded: str):
    script = (
        "import sys\n"
        "from hookclaw_py.search.local.faiss_index import FaissIndex\n"
        "from hookclaw_py.testing.vectors import some_vectors\n"
        f"index, vectors = FaissIndex(8, crossover={crossover}), some_vectors(300, dimension=8)\n"
        "index.add([f'{n:016x}' for n in range(300)], vectors)\n"
        "found = [index.search(vectors[0], 9) for _ in range(9)]\n"
        "assert all(hits == found[0] for hits in found)\n"
        "print('faiss' in sys.modules, len(found[0]))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [loaded, "9"]
