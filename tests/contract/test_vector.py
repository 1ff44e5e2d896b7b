"""Our vector backends, put through what every one promises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.local.faiss_index import FaissIndex
from hookclaw_py.search.ports import VectorIndex
from hookclaw_py.testing.vectors import DIMENSION, VectorContract, ids, some_vectors


class TestExact(VectorContract):
    """Without any copies."""

    def open_index(self, dimension: int) -> VectorIndex:
        return FaissIndex(dimension)


class TestFaiss(VectorContract):
    """With copies of two bits a value from the first vector on."""

    def open_index(self, dimension: int) -> VectorIndex:
        return FaissIndex(dimension, crossover=1)


CHANGES = st.lists(
    st.tuples(st.booleans(), st.lists(st.integers(0, 12), max_size=6), st.integers(0, 1000)), max_size=20
)


@settings(max_examples=60)
@given(changes=CHANGES, crossover=st.sampled_from([1, 6, 1000]))
def test_whatever_the_changes_a_search_finds_what_a_plain_dict_would(
    changes: list[tuple[bool, list[int], int]], crossover: int
) -> None:
    index, plain = FaissIndex(DIMENSION, crossover=crossover), dict[str, Vector]()
    for adding, numbers, seed in changes:
        chunk_ids = ids(*numbers)
        if adding:
            vectors = some_vectors(len(numbers), seed)
            index.add(chunk_ids, vectors)
            plain |= dict(zip(chunk_ids, vectors, strict=True))
        else:
            index.delete(chunk_ids)
            plain = {i: vector for i, vector in plain.items() if i not in chunk_ids}
        assert len(index) == len(plain)
    query = some_vectors(1, seed=7)[0]
    assert dict(index.search(query, 100)) == pytest.approx({i: float(v @ query) for i, v in plain.items()}, abs=1e-5)
    assert index.similarities(query, sorted(plain)) == pytest.approx(dict(index.search(query, 100)), abs=2e-6)
    index.close()
