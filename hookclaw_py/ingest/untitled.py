"""Notes that nobody gave a name: what an app calls "Neue Notiz 14" is titled by its first line."""

from __future__ import annotations

from pathlib import PurePosixPath

from hookclaw_py.regex import regex
from hookclaw_py.speech.clauses import has_verb
from hookclaw_py.text import words

LONGEST = 60  # characters of a line that can be a title

_UNTITLED = regex(
    r"""(?ix) (?: (?: new | neue[rs]? | nouvelle? | nueva | nuova | nova )[ _-](?: (?:text|quick)[ _-]?)? (?: notiz | note | nota | memo | textnotiz | dokument | document | page | seite )
      | (?: untitled | unbenannt(?:e[rs]?)? | unnamed | ohne[ _-]titel | sans[ _-]titre | sin[ _-]t[íi]tulo | senza[ _-]titolo | sem[ _-]t[íi]tulo )
        (?: [ _-](?: note | notiz | nota | document | dokument | page | seite ))?
      | (?: notiz | note | nota | memo ) (?= [ _-]*\(?\d )
      | 无标题(?:笔记)? | 無題 | 新建笔记 | 新しいメモ ) [ _-]* (?: \(?\d{1,4}\)? )?"""
)
_MARKUP = regex(r"\s*(?:[-*+>|#`=~]|\d+[.)]\s|\[|!\[|\w[\w-]*::?\s)")
_SENTENCE = regex(r"[^\W\d]{3,}[.!;,]$")


def title_in(path: str, body: str) -> str:
    """Return the first line of a note's ``body`` where its file has an app's name and no own one; "" where that is no title.

    No title is a line of markup or of a field ("from: …"), a sentence, and one with nothing below it.
    """
    if not is_untitled(path):
        return ""
    first, _, rest = body.strip().partition("\n")
    first = first.strip()
    if not rest.strip() or len(first) > LONGEST or _MARKUP.match(first) or _SENTENCE.search(first):
        return ""
    return first.rstrip(": ")


def is_untitled(path: str) -> bool:
    """Say whether a file has the name that an app gives to what has none: "Untitled 3.md", "Neue Notiz.txt"."""
    return _UNTITLED.fullmatch(PurePosixPath(path).stem.strip()) is not None


def with_title_as_heading(doc: str, title: str) -> str:
    """Return a note whose first line is its ``title``, or has all its words, with that line as a heading: it is told above each passage of it.

    Apps that know no markup write the title there. A line of which nothing stands below, or right below which the text goes on, stays text, and so
    does one that says something of what the title names ("Wifi password is hunter2").
    """
    lines = doc.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    line = lines[first].strip() if first < len(lines) else ""
    said, named = frozenset(words(line)), frozenset(words(title))
    alone = not "".join(lines[first + 1 : first + 2]).strip()
    if not (named and said and alone and any(map(str.strip, lines[first + 1 :]))) or not (
        said <= named or named <= said
    ):
        return doc
    if len(line) > LONGEST or _MARKUP.match(line) or _SENTENCE.search(line) or (named < said and has_verb(line)):
        return doc
    lines[first] = f"# {line.rstrip(': ')}"
    return "\n".join(lines)
