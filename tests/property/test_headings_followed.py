"""The names of a store's headings, followed change by change, are those that one who reads all of them finds."""

from __future__ import annotations

from hashlib import blake2b

from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.model.kind import INDEXED, NOTE
from hookclaw_py.model.types import Chunk
from hookclaw_py.store.database import Store
from hookclaw_py.store.recalled import Part
from hookclaw_py.testing.fakes import a_chunk

KINDS = {"memory/a.md": NOTE, "memory/b.md": NOTE, "c.md": INDEXED}
HEADING = st.sampled_from(["Ferry", "Ferry > Tolls", "Boats > Gregor Tallis", "2026-02-03 > Ferry", "", "Gregor's hut"])
CHUNKS = st.lists(st.tuples(st.sampled_from(["one", "two", "three"]), HEADING), max_size=4, unique=True)
CHANGES = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), CHUNKS, st.sampled_from(["", "quillwort"]), st.booleans()), max_size=10
)


def a_passage(path: str, text: str, heading: str) -> Chunk:
    digest = blake2b(f"{path}\n{text}\n{heading}".encode(), digest_size=8).hexdigest()
    return a_chunk(text, path, heading=heading, kind=KINDS[path], id=digest)


@settings(max_examples=100, deadline=None)
@given(CHANGES)
def test_names_followed_are_names_read(changes):
    part = Part(without=frozenset([INDEXED.name]))
    with Store.open(None) as store:
        for path, chunks, name, asked in changes:
            if chunks:
                own = [a_passage(path, text, heading) for text, heading in chunks]
                store.replace_file(path, chunks=own, names=[name] if name else [])
            else:
                store.forget_file(path)
            if asked:
                followed, known = (set(store.names()), set(store.names(part))), store._names
                store._names = {}
                assert followed == (set(store.names()), set(store.names(part)))
                store._names = known
