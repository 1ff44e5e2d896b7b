"""Who asks which store what: the stores of a set, the prompts at home in each, and strangers from other stores."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hookclaw_py.evaluation.sets import Document, LabelledPrompt, MemorySet


class Scope(NamedTuple):
    """One store: its ``documents``, the prompts ``at_home`` in it, those of others (``strangers``) asked of it too."""

    name: str
    documents: Sequence[Document]
    at_home: Sequence[LabelledPrompt]
    strangers: Sequence[LabelledPrompt] = ()


def scopes(memory_set: MemorySet, *, cross_pair: bool) -> Iterator[Scope]:
    """Yield the set's stores one after another.

    A haystack is a store of its own; else a group is. With ``cross_pair`` each prompt is also asked of the next store,
    in the order of the set, that has nothing to do with it: none of the texts, sessions and families of what answers it,
    and no speaker whom it names.
    A prompt for which there is no such store is not cross-paired.
    """
    stores = _stores(memory_set)
    homes: dict[str, list[LabelledPrompt]] = defaultdict(list)
    strangers: dict[str, list[LabelledPrompt]] = defaultdict(list)
    for prompt in memory_set.prompts:
        homes[_home_of(prompt, memory_set)].append(prompt)
    if cross_pair:
        for prompt, name in _pairs(memory_set, stores).items():
            strangers[name].append(prompt)
    for name, documents in stores.items():
        if homes[name] or strangers[name]:
            yield Scope(name, documents, homes[name], strangers[name])


def _home_of(prompt: LabelledPrompt, memory_set: MemorySet) -> str:
    return prompt.id if prompt.id in memory_set.haystacks else prompt.group


def _stores(memory_set: MemorySet) -> dict[str, list[Document]]:
    """Return each store's documents: the haystacks, or the groups in the order of the corpus."""
    by_id = {d.id: d for d in memory_set.documents}
    stores = {name: [by_id[i] for i in ids if i in by_id] for name, ids in memory_set.haystacks.items()}
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in memory_set.documents:
        groups[document.group].append(document)
    if not memory_set.haystacks:
        stores.update(groups)
    for prompt in memory_set.prompts:
        home = _home_of(prompt, memory_set)
        stores.setdefault(home, groups[home])
    return stores


def _pairs(memory_set: MemorySet, stores: Mapping[str, Sequence[Document]]) -> dict[LabelledPrompt, str]:
    by_id = {d.id: d for d in memory_set.documents}
    names = list(stores)
    speakers = {d.speaker for d in memory_set.documents if d.speaker}
    marks = {name: {mark for d in documents for mark in _marks(d)} for name, documents in stores.items()}
    paired: dict[LabelledPrompt, str] = {}
    for prompt in memory_set.prompts:
        home = _home_of(prompt, memory_set)
        truth = memory_set.qrels.get(prompt.id, {})
        own = {mark for i in (*truth, *prompt.stale) if i in by_id for mark in _marks(by_id[i])}
        own |= {("session", session) for session in memory_set.session_qrels.get(prompt.id, {})}
        own |= {("speaker", name) for name in speakers if re.search(rf"\b{re.escape(name)}\b", prompt.text)}
        start = names.index(home)
        others = (names[(start + step) % len(names)] for step in range(1, len(names)))
        if other := next((name for name in others if not own & marks[name]), None):
            paired[prompt] = other
    return paired


def _marks(document: Document) -> list[tuple[str, str]]:
    named = (("session", document.session), ("family", document.family), ("speaker", document.speaker))
    return [("text", document.text), *((kind, name) for kind, name in named if name)]


def visited(memory_set: MemorySet, prompts: Sequence[LabelledPrompt]) -> Iterator[Scope]:
    """Yield the set's stores with ``prompts`` dealt out over them, one to each in turn, as strangers."""
    stores = {name: documents for name, documents in _stores(memory_set).items() if documents}
    for place, (name, documents) in enumerate(stores.items()):
        if dealt := prompts[place :: len(stores)]:
            yield Scope(name, documents, (), dealt)


def in_order(prompts: Sequence[LabelledPrompt]) -> list[LabelledPrompt]:
    """Sort by what is visible: a store then only grows. Prompts that see everything come last."""
    return sorted(prompts, key=lambda p: float("inf") if p.before_seq is None else p.before_seq)
