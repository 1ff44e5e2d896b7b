"""Front matter: what a note says about itself: dates, whether it decays, whether it may be indexed at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from types import MappingProxyType
from typing import Any, NamedTuple

from hookclaw_py.ingest.dating import date_in
from hookclaw_py.ingest.secluded import nested_private, says_private
from hookclaw_py.model.level import LEVELS, Level, Reach
from hookclaw_py.regex import regex
from hookclaw_py.stages.visibility import HIGHEST_SHARED, OWNER

_OPENING = regex(r"(?:[\s\ufeff]*\n)?\ufeff?---[ \t]*\n")
_CLOSING = regex(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_TRUE = frozenset({"true", "yes", "on", "1"})
_PROPERTIES = regex(r"(?:[ \t]*(?:-[ \t])?[\w-]+::[^\n]*(?:\n|\Z))+")
_ALIASES = regex(r"^[ \t]*(?:-[ \t])?alias(?:es)?::[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_CARD = regex(r"\s*(?:#{1,6}[ \t][^\n]*\n\s*)?(?P<fields>(?:[^\W\d_][^:\n]{0,30}:(?!:)[^\n]*(?:\n|\Z))+)")
_TAG_LINE = regex(r"\s*(?:# [^\n]*\n\s*)?(?P<tags>#[^\W\d][\w/-]*(?:[ \t]+#[^\W\d][\w/-]*)*)[ \t]*(?:\n|\Z)")
_CARD_TAGS = regex(r"^tags?:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_FIELD = regex(r"([^\s#:\-][^:\n]*):(?=\s|\Z)")
# Said elsewhere, or to other programs.
_OURS = frozenset(
    {
        "title",
        "aliases",
        "alias",
        "tags",
        "tag",
        "date",
        "evergreen",
        "private",
        "sensitivity",
        "shared",
        "cssclass",
        "cssclasses",
        "publish",
    }
)
_MAX_CHARS = 65_536
_MAX_BRACKETS = 500  # the parser's time grows with the square of what is open


class FrontMatter(NamedTuple):
    """What was read from a note's first lines, and ``text``: the note with what was read blank, so that lines still count.

    Fields that mean nothing to us ("phone: …") stay in the text: a person asks for them like for anything else. ``shared``
    is None when the note does not say whether others than its owner may hear of it; a ``sensitivity`` above what these may
    hear of is a no, and one above what its owner is told in a session makes it private; ``values`` are all fields as they stand, and
    ``lines`` how many the front matter takes, its rules included.
    """

    text: str
    created_at: datetime | None = None
    evergreen: bool = False
    private: bool = False
    shared: bool | None = None
    title: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    values: Mapping[str, Any] = MappingProxyType({})
    lines: int = 0


def read_front_matter(text: str) -> FrontMatter:
    r"""Read the YAML front matter of a note whose line ends are all ``\n``; what cannot be read stays text.

    Of the properties of Logseq ("alias:: dentist"), which stay text, only the aliases are read, and of the fields that stand below a note's
    title ("Tags: venue, q4", as Notion exports them, or a line "#venue #q4", as Bear does) only the tags.

    Keys may be in any letter case, blank lines may come first. A note is private unless it clearly says no, also when
    its front matter is broken; nothing else is then said of it.
    """
    if says_private(text):
        return FrontMatter(text, private=True)
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter(text, aliases=_page_aliases(text), tags=_card_tags(text))
    closing = _CLOSING.search(text, opening.end())
    if closing is None or closing.end() > _MAX_CHARS:  # a rule above some text, more likely
        return FrontMatter(text)
    written = text[opening.end() : closing.start()]
    import yaml

    try:
        loaded = _loaded(written)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = _problem(error, lines_above=text.count("\n", 0, opening.end()))
        told = f"its front matter is not YAML and is indexed as text; {problem}; mend it"
        return FrontMatter(text, shared=False, warnings=(told,))
    if not isinstance(loaded, dict):
        return FrontMatter(text)
    if nested_private(loaded):
        return FrontMatter(text, private=True)
    values = {key.strip().lower(): value for key, value in loaded.items()}
    level = _level(values.get("sensitivity"))
    if not OWNER.sees(Reach(level)):
        return FrontMatter(text, private=True)
    shared = _is_true(values["shared"]) if "shared" in values else None
    created_at, warnings = _created_at(values.get("date", ""))
    return FrontMatter(
        text=_unread(text[: closing.end()], values) + text[closing.end() :],
        created_at=created_at,
        evergreen=_is_true(values.get("evergreen")),
        shared=shared if level <= HIGHEST_SHARED else False,
        title=_scalar(values.get("title")),
        aliases=tuple(_listed(values.get("aliases", values.get("alias")))),
        tags=tuple(_tags(values.get("tags", values.get("tag")))),
        warnings=warnings,
        values=values,
        lines=text.count("\n", 0, closing.end()),
    )


def _unread(front: str, values: Mapping[str, Any]) -> str:
    """Return the lines of the front matter with those blank that are not a field's, or one of ours or without a value."""
    kept, keeps = [], False
    for line in front.split("\n"):
        if field := _FIELD.match(line):
            key = field[1].strip(" \"'").lower()
            keeps = key not in _OURS and bool(values.get(key))
        elif not line.startswith((" ", "\t", "-")) or _CLOSING.match(line):
            keeps = False
        kept.append(line if keeps else "")
    return "\n".join(kept)


def _loaded(written: str) -> Any:
    """Return what the YAML says, in strings only: no object and no date is ever constructed.

    Raises:
        ValueError: for more brackets than anybody writes, which take long to read.
        yaml.YAMLError: if it is none.
    """
    import yaml

    if written.count("[") + written.count("{") > _MAX_BRACKETS:
        raise ValueError(f"more than {_MAX_BRACKETS} brackets")
    return yaml.load(written, Loader=yaml.BaseLoader)


def _problem(error: Exception, *, lines_above: int) -> str:
    """Say what the parser stumbled over, and on which line of the note."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return " ".join(str(error).split()) or type(error).__name__
    return f"line {lines_above + mark.line + 1}: {getattr(error, 'problem', None) or 'it cannot be read'}"


def _created_at(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    """Return the day that is written, as midnight UTC, and what to warn of: whose clock a time with it is of, only the writer knows."""
    written = _scalar(value)
    if not written:
        return None, ()
    try:
        return datetime.combine(datetime.fromisoformat(written), time(0), UTC), ()
    except ValueError:
        found, _ = date_in(written)
        return found, () if found else (f"front matter has date: {written}, which is no date; write YYYY-MM-DD",)


def _scalar(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _is_true(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in _TRUE


def _level(value: Any) -> Level:
    """Return how private a note says it is: low, as notes are, unless it names a level."""
    word = _scalar(value).lower()
    return Level.stored(word) if word in LEVELS else Level.LOW


def _listed(value: Any) -> Iterator[str]:
    """Yield the names of a list, or of a text with commas."""
    for name in value if isinstance(value, list) else _scalar(value).split(","):
        if plain := _scalar(name):
            yield plain


def _page_aliases(text: str) -> tuple[str, ...]:
    """Return the aliases among the properties that a page of Logseq begins with."""
    properties = _PROPERTIES.match(text)
    found = _ALIASES.search(properties[0]) if properties else None
    return tuple(_listed(found[1].replace("[[", "").replace("]]", ""))) if found else ()


def _card_tags(text: str) -> tuple[str, ...]:
    """Return the tags among the fields that a note begins with, below its title, or of the line of nothing but tags there, or above it."""
    if line := _TAG_LINE.match(text):
        return tuple(tag.lstrip("#") for tag in line["tags"].split())
    card = _CARD.match(text)
    found = _CARD_TAGS.search(card["fields"]) if card else None
    return tuple(tag.lstrip("#") for tag in _listed(found[1])) if found else ()


def says_only_tags(text: str) -> bool:
    """Say whether a text is the line of tags that a note begins with, and nothing else: "#holidays/2026 #camping"."""
    found = _TAG_LINE.match(text)
    return found is not None and found.start("tags") == 0 and found.end() == len(text)


def _tags(value: Any) -> Iterator[str]:
    for tag in value if isinstance(value, list) else _scalar(value).replace(",", " ").split():
        if name := _scalar(tag).lstrip("#"):
            yield name
