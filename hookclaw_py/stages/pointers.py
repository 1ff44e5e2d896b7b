"""Pointers: a passage that only points elsewhere stands behind those that say something themselves.

An index page ("- [[Boiler]]") or a list of bookmarks has the words that are asked for and nothing of what is asked. Who asks for
links gets them; who asks for anything else gets what they point at first.
"""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py.kept import of_texts
from hookclaw_py.model.types import Candidate, Query, Step, best_first
from hookclaw_py.regex import regex

_LEFT = 1  # words that a line may have beside its links: "see [[Boiler]]"
_OTHERS = 4  # times as many lines are nothing but links as are something else
_FEWEST = 2  # links: one alone may be what was noted
_TO_A_NOTE = r"!?\[\[[^\[\]\n]+\]\] | ^\ {0,3}\[[^\[\]^\n][^\[\]\n]*\]:[ \t]+(?!<?https?:)\S+$"  # or a definition: "[boiler]: boiler.md"
_TO_A_PAGE = r"!?\[[^\[\]\n]*\]\([^()\s]+\) | (?:^\ {0,3}\[[^\[\]^\n][^\[\]\n]*\]:[ \t]+)?<?https?://[^\s<>]+>?"
_LINK = regex(rf"(?x) {_TO_A_NOTE} | {_TO_A_PAGE}")
_PAGE = regex(rf"(?x) {_TO_A_PAGE}")
_WORD = regex(r"[^\W_]+")
_ASKS_FOR_LINKS = regex(
    r"""(?ix) \b(?: links? | urls? | web\ ?(?:sites?|pages?) | bookmarks? | sites? | https? | index | contents | overview | verlinkt | lesezeichen | webseiten? | übersicht
      | inhalt\w* | liens? | favoris | sommaire | enlaces? | marcadores | índice | indice | páginas?\ web )\b | 链接 | 网址 | 网站 | 书签 | 目录 | リンク"""
)


def give_way(candidates: Sequence[Candidate], query: Query, *, left: float) -> list[Candidate]:
    """Let what only points elsewhere stand behind, unless links are what is asked for; return them best first.

    The share ``left`` of its score is left, and of its relevance, too, if it points at notes alone.
    """
    points = {c.chunk.id: kind for c in candidates if (kind := pointing(c.chunk.text)) is not None}
    if not points or _ASKS_FOR_LINKS.search(query.text):
        return list(candidates)
    return best_first(_behind(c, left, at_notes=points[c.chunk.id]) if c.chunk.id in points else c for c in candidates)


def _behind(candidate: Candidate, left: float, *, at_notes: bool) -> Candidate:
    relevance, score = candidate.relevance * (left if at_notes else 1), candidate.score * left
    return candidate.judged(relevance, score, Step("pointers", score, "it only points elsewhere"))


@of_texts
def pointing(body: str) -> bool | None:
    """Say whether a text points at notes alone (True) or at pages of the web as well, None where it says something itself."""
    if not any(mark in body for mark in ("[[", "](", "://", "]: ")):
        return None
    lines = [line for line in body.splitlines() if _WORD.search(line)]
    links = [line for line in lines if _LINK.search(line) and len(_WORD.findall(_LINK.sub(" ", line))) <= _LEFT]
    if len(links) < _FEWEST or len(links) < _OTHERS * (len(lines) - len(links)):
        return None
    return not any(map(_PAGE.search, links))
