"""What a text itself says is not to be kept: what stands between tags, and what of it comes back later.

``<private>`` is a person's word; the other tags are those in which hosts and other memories put what nobody said.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from hookclaw_py.model.scripts import UNSPACED
from hookclaw_py.regex import regex

PRIVATE = "[private]"
"""What stands where something private came back."""

_NAMES = "private|c-mem-context|claude-mem-context|system-reminder|system[_-]instruction|persisted-output"
_TAG = regex(rf"<(?P<end>/?)(?P<name>{_NAMES})(?:\s[^<>]{{0,400}})?(?P<lone>/?)>", re.IGNORECASE)
_INLINE_CODE = regex(r"(?<!`)(`{1,2})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)")
_AROUND_A_WORD = "\"'`.,;:!?()[]{}<>"
_SHORTEST_LINE, _SHORTEST_WORD = 3, 8
_SHORTEST_UNSPACED = 2  # of a line of Han, say, in which two letters are a word
_RUN = regex(f"[{UNSPACED}]+")
_SPACED = rf"[^\W{UNSPACED}]"
_MOST = 500  # lines and words of one prompt that are looked for


class Unmarked(NamedTuple):
    """A text without its marked parts, and what a person had marked private in it."""

    text: str
    private: tuple[str, ...]

    @property
    def is_wholly_private(self) -> bool:
        """Whether nothing is left of it."""
        return bool(self.private) and not self.text.strip()


class _Part(NamedTuple):
    """A stretch of a text that goes; ``inner`` is what a person had marked private in it, None where it is not a person's."""

    start: int
    end: int
    inner: str | None = None


def without_marked(text: str) -> Unmarked:
    """Take out of one text what stands between tags, from the outermost opening to its own closing.

    Without a closing the rest goes; a lone closing goes alone; a lone opening in inline code is text. Blanks at a seam
    become one.
    """
    parts = list(_parts(text, list(_TAG.finditer(text))))
    return Unmarked(
        _joined(_around(text, parts)), tuple(_TAG.sub(" ", one.inner) for one in parts if one.inner is not None)
    )


def without_private(text: str) -> str:
    """Take out of one text what a person marked private in it, and nothing else."""
    return _joined(_around(text, list(_parts(text, _private_tags(text))))) if _may_be_private(text) else text


def private_blanked(text: str) -> str:
    """Return a note without what is marked private in it, every line where it was."""
    if not _may_be_private(text):
        return text
    parts = list(_parts(text, _private_tags(text)))
    pieces = _around(text, parts)
    lines = ("\n" * text.count("\n", one.start, one.end) for one in parts)
    return "".join(piece for pair in zip_longest(pieces, lines, fillvalue="") for piece in pair)


def _may_be_private(text: str) -> bool:
    return "private" in text.lower() and "<" in text


def _private_tags(text: str) -> list[re.Match[str]]:
    return [tag for tag in _TAG.finditer(text) if _name(tag) == "private"]


def _parts(text: str, tags: list[re.Match[str]]) -> Iterator[_Part]:
    """Yield what goes with these tags."""
    code = _in_code(text, tags)
    last_closing = {_name(tag): tag.start() for tag in tags if tag["end"]}
    opened: re.Match[str] | None = None
    depth = 0
    for tag in tags:
        if opened is not None:
            if _name(tag) == _name(opened) and not tag["lone"]:
                depth += -1 if tag["end"] else 1
            if not depth:
                yield _Part(opened.start(), tag.end(), _inner(text, opened, tag.start()))
                opened = None
            continue
        closes = last_closing.get(_name(tag), -1) > tag.start()
        if tag.start() in code and (tag["end"] or not closes):
            continue
        if tag["end"] or tag["lone"]:
            yield _Part(*tag.span())
        else:
            opened, depth = tag, 1
    if opened is not None:
        yield _Part(opened.start(), len(text), _inner(text, opened, len(text)))


def _in_code(text: str, tags: list[re.Match[str]]) -> set[int]:
    """Return where those of the tags begin that stand in inline code."""
    found, waiting = set[int](), deque(tag.start() for tag in tags)
    for code in _INLINE_CODE.finditer(text) if tags else ():
        while waiting and waiting[0] < code.end():
            if (at := waiting.popleft()) >= code.start():
                found.add(at)
    return found


def _inner(text: str, opened: re.Match[str], end: int) -> str | None:
    return text[opened.end() : end] if _name(opened) == "private" else None


def _around(text: str, parts: Sequence[_Part]) -> list[str]:
    ends = [0, *(part.end for part in parts)]
    starts = [*(part.start for part in parts), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _name(tag: re.Match[str]) -> str:
    return tag["name"].lower().replace("_", "-")


def _joined(pieces: list[str]) -> str:
    """Return what is left as one text; blanks on both sides of a seam become one."""
    first, *rest = pieces
    if not rest:
        return first
    body, before = _body_and_end(first)
    told = [body] if body else []
    for piece in rest:
        right = piece.lstrip()
        after = piece[: len(piece) - len(right)]
        seam = before + after
        if before and after:
            seam = "\n" if "\n" in seam else " "
        body, end = _body_and_end(right)
        if body:
            told += [seam, body] if told else [body]
        before = end if body else seam
    return "".join(told) + (before if rest[-1].strip() else "")


def _body_and_end(text: str) -> tuple[str, str]:
    body = text.rstrip()
    return body, text[len(body) :]


def recognisable(private: Iterable[str]) -> frozenset[str]:
    """Return by what private parts would be known if they came back: their lines, and words that nobody uses by chance."""
    found: dict[str, None] = {}
    for part in private:
        lines = [line.strip() for line in part.splitlines()]
        words = [word.strip(_AROUND_A_WORD) for word in (*part.split(), *_RUN.sub(" ", part).split())]
        found |= dict.fromkeys(line for line in lines if len(line) >= _shortest(line))
        found |= dict.fromkeys(word for word in words if len(word) >= _SHORTEST_WORD and not word.isalpha())
    return frozenset(list(found)[:_MOST])


def _shortest(line: str) -> int:
    return _SHORTEST_UNSPACED if _RUN.fullmatch(line) else _SHORTEST_LINE


def covered(text: str, private: Iterable[str]) -> str:
    """Return ``text`` with ``[private]`` where something ``recognisable`` came back."""
    there = sorted((one for one in private if one in text), key=lambda one: (-len(one), one))
    return re.sub("|".join(map(_by_itself, there)), PRIVATE, text) if there else text


def _by_itself(secret: str) -> str:
    """Return what finds a secret where it is no part of a longer word: of one in Han nobody can say where it ends."""
    before = "" if _RUN.match(secret[0]) else f"(?<!{_SPACED})"
    after = "" if _RUN.match(secret[-1]) else f"(?!{_SPACED})"
    return before + re.escape(secret) + after
