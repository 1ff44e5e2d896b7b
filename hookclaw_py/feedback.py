"""Attribution: which of the injected chunks did the answer use?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hookclaw_py.types import Chunk

SHARE = 0.3  # of what the chunk says beyond the prompt, by idf
LEAST_TERMS = 3  # or so many of its words, if they are telling ones


def cited(
    chunk_terms: Iterable[str], answer_terms: Iterable[str], prompt_terms: Iterable[str], *, idf: Mapping[str, float]
) -> bool:
    """Say whether an answer shows something that the chunk has *and the prompt has not*.

    Only whole index terms count: stop words are not among them, and "form" is not in "format". A short fact ("the key
    is abc") is cited by its one telling word; a long chunk by a third of what it adds, or by several telling words.
    """
    added = frozenset(chunk_terms) - frozenset(prompt_terms)
    shown = added & frozenset(answer_terms)
    total = sum(idf.get(term, 1.0) for term in added)
    if not shown or not total:
        return False
    mean = total / len(added)
    telling = [term for term in shown if idf.get(term, 1.0) >= mean]
    return sum(idf.get(term, 1.0) for term in shown) / total >= SHARE or len(telling) >= LEAST_TERMS


def attribute(
    chunks: Sequence[Chunk],
    answer: str,
    prompt: str,
    *,
    terms: Callable[[str], Sequence[str]],
    idf: Callable[[Sequence[str]], Mapping[str, float]],
) -> dict[str, bool]:
    """Say for each injected chunk, by id, whether the answer used it."""
    answer_terms, prompt_terms = terms(answer), terms(prompt)
    return {c.id: cited(c.terms, answer_terms, prompt_terms, idf=idf(sorted(c.terms))) for c in chunks}
