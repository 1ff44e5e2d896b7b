"""What every vector index promises, as tests: derive ``VectorContract``, say how one is opened, and run it with pytest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hookclaw_py.errors import IndexClosedError, RetrievalError
from hookclaw_py.model.vectors import Matrix, Vector
from hookclaw_py.search.ports import VectorIndex

DIMENSION = 8


def some_vectors(count: int, seed: int = 0, dimension: int = DIMENSION) -> Matrix:
    """Return unit vectors, the same ones every time."""
    matrix = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    unit: Matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit


def ids(*numbers: int) -> list[str]:
    """Return chunk ids."""
    return [f"{n:016x}" for n in numbers]


def brute_force(plain: dict[str, Vector], query: Vector) -> list[str]:
    """Return the ids in the order that a search is to find them in."""
    return sorted(plain, key=lambda i: (-round(float(plain[i].astype(np.float64) @ query.astype(np.float64)), 5), i))


class VectorContract(ABC):
    """The tests of a vector index."""

    @abstractmethod
    def open_index(self, dimension: int) -> VectorIndex:
        """Open an empty index."""

    @pytest.fixture
    def index(self) -> Iterator[VectorIndex]:
        """An empty index of vectors of eight values."""
        opened = self.open_index(DIMENSION)
        yield opened
        opened.close()

    def test_the_nearest_come_first_each_once_and_at_most_top_k(self, index: VectorIndex) -> None:
        vectors, query = some_vectors(200), some_vectors(1, seed=1)[0]
        index.add(ids(*range(200)), vectors)
        whole = index.search(query, 10_000)
        assert [hit.chunk_id for hit in whole] == brute_force(dict(zip(ids(*range(200)), vectors, strict=True)), query)
        assert [hit.score for hit in whole] == pytest.approx(sorted(vectors @ query, reverse=True), abs=1e-5)
        for top_k in (-1, 0, 1, 2, 199, 200, 201):
            assert index.search(query, top_k) == whole[: max(top_k, 0)]

    def test_a_vector_finds_itself_with_cosine_one_and_its_opposite_with_minus_one(self, index: VectorIndex) -> None:
        vector = some_vectors(1)
        index.add(ids(1, 2), np.concatenate([vector, -vector]))
        assert index.search(vector[0], 2) == [(ids(1)[0], 1.0), (ids(2)[0], -1.0)]

    def test_equal_scores_are_ordered_by_id_also_across_the_cut(self, index: VectorIndex) -> None:
        vector = some_vectors(1)[0]
        numbers = list(range(300))
        np.random.default_rng(3).shuffle(numbers)
        index.add(ids(*numbers), np.tile(vector, (300, 1)))
        assert [hit.chunk_id for hit in index.search(vector, 5)] == ids(0, 1, 2, 3, 4)
        assert [hit.chunk_id for hit in index.search(vector, 300)] == ids(*range(300))

    def test_cosines_that_differ_by_millionths_are_told_apart_also_across_the_cut(self, index: VectorIndex) -> None:
        cosines = 0.5 + np.random.default_rng(4).permutation(300) * 4e-6
        vectors = np.zeros((300, DIMENSION), np.float32)
        vectors[:, 0], vectors[:, 1] = cosines, np.sqrt(1 - cosines**2)
        index.add(ids(*range(300)), vectors)
        best = np.argsort(-cosines)[:5].tolist()
        assert [hit.chunk_id for hit in index.search(np.eye(DIMENSION, dtype=np.float32)[0], 5)] == ids(*best)

    def test_among_many_a_replaced_and_a_moved_chunk_are_found_by_what_they_are_now(self, index: VectorIndex) -> None:
        query, vectors = some_vectors(1, seed=8)[0], some_vectors(300)
        vectors[[3, 7]] = -query
        index.add(ids(*range(300)), vectors)
        index.add(ids(7), query[None])
        assert index.search(query, 1) == [(ids(7)[0], 1.0)]
        index.delete(ids(7))
        assert index.search(query, 1)[0].score < 1
        index.add(ids(300), query[None])
        index.delete(ids(3))  # what came last takes its place
        assert index.search(query, 1) == [(ids(300)[0], 1.0)]

    def test_an_empty_index_finds_nothing(self, index: VectorIndex) -> None:
        query = some_vectors(1)[0]
        index.add([], np.zeros((0, DIMENSION), np.float32))
        index.delete(ids(1))
        assert index.search(query, 5) == []
        assert index.similarities(query, ids(1)) == {}
        assert len(index) == 0

    def test_a_deleted_chunk_is_never_returned(self, index: VectorIndex) -> None:
        vectors = some_vectors(10)
        index.add(ids(*range(10)), vectors)
        index.delete(ids(3, 9, 3, 99))
        assert len(index) == 8
        assert {hit.chunk_id for hit in index.search(vectors[3], 100)} == set(ids(0, 1, 2, 4, 5, 6, 7, 8))
        assert index.similarities(vectors[3], ids(3, 9)) == {}
        index.delete(ids(*range(10)))
        assert (len(index), index.search(vectors[0], 5)) == (0, [])
        index.add(ids(3), vectors[:1])
        assert index.search(vectors[0], 5) == [(ids(3)[0], 1.0)]

    def test_a_replaced_chunk_is_returned_once_with_its_new_vector(self, index: VectorIndex) -> None:
        old, new = some_vectors(3), some_vectors(3, seed=5)
        index.add(ids(1, 2, 3), old)
        index.add(ids(4, 2, 2), new)
        assert len(index) == 4
        assert index.similarities(new[2], ids(2)) == {ids(2)[0]: 1.0}  # the last of equal ids
        assert [hit.chunk_id for hit in index.search(new[2], 10)].count(ids(2)[0]) == 1
        assert index.search(new[0], 1)[0].chunk_id == ids(4)[0]

    def test_similarities_are_the_search_scores_and_leave_out_what_has_no_vector(self, index: VectorIndex) -> None:
        vectors, query = some_vectors(50), some_vectors(1, seed=2)[0]
        index.add(ids(*range(50)), vectors)
        scores = index.similarities(query, ids(*range(45, 55)))
        assert set(scores) == set(ids(*range(45, 50)))
        assert scores == pytest.approx({i: dict(index.search(query, 50))[i] for i in scores}, abs=2e-6)

    @pytest.mark.parametrize("wrong", [4, 9, 384])
    def test_a_wrong_dimension_is_an_error_that_names_both(self, index: VectorIndex, wrong: int) -> None:
        index.add(ids(1), some_vectors(1))
        for call in (
            lambda: index.add(ids(2), some_vectors(1, dimension=wrong)),
            lambda: index.search(some_vectors(1, dimension=wrong)[0], 1),
            lambda: index.similarities(some_vectors(1, dimension=wrong)[0], ids(1)),
        ):
            with pytest.raises(RetrievalError, match=rf"{DIMENSION} dimensions.*\b{wrong}\b"):
                call()
        assert len(index) == 1

    def test_more_ids_than_vectors_is_an_error(self, index: VectorIndex) -> None:
        with pytest.raises(RetrievalError, match="2 vector"):
            index.add(ids(1, 2), some_vectors(1))

    @pytest.mark.parametrize("value", [np.nan, np.inf, 0.0, 7.0])
    def test_a_vector_that_is_not_finite_or_not_of_length_one_is_refused(
        self, index: VectorIndex, value: float
    ) -> None:
        bad = some_vectors(2)
        bad[1] = value
        with pytest.raises(RetrievalError, match="length 1"):
            index.add(ids(1, 2), bad)
        with pytest.raises(RetrievalError, match="length 1"):
            index.search(bad[1], 1)
        assert len(index) == 0

    def test_a_closed_index_says_so(self, index: VectorIndex) -> None:
        vectors = some_vectors(1)
        index.add(ids(1), vectors)
        index.close()
        index.close()
        for call in (
            lambda: index.add(ids(1), vectors),
            lambda: index.delete(ids(1)),
            lambda: index.search(vectors[0], 1),
            lambda: index.similarities(vectors[0], ids(1)),
        ):
            with pytest.raises(IndexClosedError, match="closed"):
                call()

    def test_searches_go_on_while_another_thread_writes(self, index: VectorIndex) -> None:
        vectors, more = some_vectors(20), some_vectors(2000, seed=4)
        index.add(ids(*range(20)), vectors)

        def search(n: int) -> bool:
            number = n % 20
            return (
                index.similarities(vectors[number], ids(number)) == {ids(number)[0]: 1.0}
                and len(index.search(vectors[number], 5)) == 5
            )

        with ThreadPoolExecutor(3) as pool:
            answers = pool.map(search, range(400))
            for start in range(0, 2000, 100):
                index.add(ids(*range(1000 + start, 1100 + start)), more[start : start + 100])
                index.delete(ids(*range(1000 + start, 1050 + start)))
            assert all(answers)
        assert len(index) == 20 + 1000
