"""The text of a note as it is read: plain line ends, without comments and our own block, line by line."""

from __future__ import annotations

import re

from hookclaw_py.ingest.dating import is_a_day
from hookclaw_py.regex import regex
from hookclaw_py.text import count_words

_FENCE_CODE_OR_COMMENT = regex(
    r"(?P<fence>^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]*+)?(?P<mark>`{3,}|~{3,})[^\n]*(?:\n.*?^[ \t>]*(?P=mark)[`~]*[ \t]*$|.*))"
    r"|(?P<code>``[^\n]*?``|`[^`\n]*`)"
    r"|<!--",
    re.DOTALL | re.MULTILINE,
)


def normalised(text: str) -> str:
    """Return a text whose lines end in the one way, without a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


_PLACEHOLDER = regex(
    r"\{\{(?!\[\[|(?:query|embed|video|youtube|vimeo|bilibili|tweet|twitter|renderer|cloze|namespace|function|zotero|pdf|img|iframe|TODO|DONE)\b)"
    r"[^{}\n]{0,80}\}\}|<%[^\n]{0,200}?%>"
)
"""What a template has in braces; an outliner's macro ("{{query …}}", "{{[[TODO]]}}") is none to fill in."""
_TO_FILL_IN = regex(
    r"[ \t]*+(?:(?:[-*+]|\d{1,3}[.)])(?:[ \t]++|$))?(?:\[[ x]\][ \t]*+)?(?P<label>[^:：\n]{0,40}[:：])?[ \t]*"
)
_OUTLINES = regex(r"^- ([^\n]*)", re.MULTILINE)
_HEADING = regex(r"#{1,6}(?:[ \t]|$)|[=-]{3,}[ \t]*$")
_LABELS = 2  # "Date:", "Who:" with nothing behind them, at least: one alone may be a note that was just begun


def is_template(text: str) -> bool:
    """Say whether a note has more places to fill in ("{{date}}") than words of its own in a line beside them, or nothing but labels.

    Those in code are told of, not to be filled in. In Logseq it is one where each of its outlines is called one ("- template:: meeting").
    """
    outlines = _OUTLINES.findall(text) if "template::" in text else []
    if outlines and all(line.startswith("template::") for line in outlines):
        return True
    places = len(_PLACEHOLDER.findall(text)) if "{{" in text or "<%" in text else 0
    if places > 1 and ("`" in text or "~~~" in text):
        places = len(_PLACEHOLDER.findall(_FENCE_CODE_OR_COMMENT.sub("", text)))
    if places > 1:
        return count_words(_PLACEHOLDER.sub("", text)) < 20 * places
    labels = 0
    for line in text.splitlines():
        if line.strip() and not _HEADING.match(line):
            form = _TO_FILL_IN.fullmatch(line)
            if form is None:
                return False
            labels += form["label"] is not None
    return labels >= _LABELS


_OF_AN_OUTLINER = regex(
    r"""(?mx) ^[ \t]*+ (?:-[ \t]++)?
      (?: :LOGBOOK: | :END: | CLOCK:[ \t]\[[^\n]* | id::[ \t]*+[0-9a-f-]{36} | collapsed::[ \t]*+(?:true|false) | (?:hl|ls|logseq)[-.][\w.-]+::[^\n]* | heading::[ \t]*+(?:true|\d) | \{\{(?:\[\[)?(?:query|renderer|embed|namespace)\b[^\n]*\}\} )
      [ \t]*+ (?:\n|\Z)"""
)
"""What Logseq writes below a block for itself: its id, whether it is folded, its clock; and a line that only has a query, which says nothing itself."""


def without_upkeep(body: str) -> str:
    """Return a passage without the lines that an outliner keeps for itself; code stays as it is."""
    if "```" in body or not any(mark in body for mark in ("::", "CLOCK:", "{{")):
        return body
    return _OF_AN_OUTLINER.sub("", body).rstrip()


_FEWEST = 2  # days that stand alone in a line, in a diary
_TEXT = regex(r"[^\W_]|[*_]{1,2}[^\W_]")  # no heading, item, quotation or row of a table
_DAY_HEADING = "###### "  # below whatever heading there is


def with_days_as_headings(doc: str) -> str:
    """Return a diary in which days stand alone in a line ("Tue 3 Mar 26") with those lines as headings; code stays as it is."""
    lines = doc.split("\n")
    fenced, days = False, list[int]()
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and _TEXT.match(line) and is_a_day(line.strip()):
            days.append(number)
    if len(days) < _FEWEST:
        return doc
    for number in days:
        lines[number] = _DAY_HEADING + lines[number].strip(" \t*_:")
    return "\n".join(lines)


def readable(doc: str) -> str:
    """Blank comments, our own block and what is marked private, keeping every line where it is."""
    from hookclaw_py.privacy.marked import private_blanked
    from hookclaw_py.privacy.own_blocks import strip_own_blocks

    doc = private_blanked(doc)
    if "<!--" in doc:
        doc = _without_comments(doc)
    if strip_own_blocks(doc) == doc:
        return doc
    # Each line carries its number in trailing blanks, so that those that are left find their places.
    lines = doc.split("\n")
    tagged = "\n".join(line + f"{number:024b}".translate(_TO_BLANKS) for number, line in enumerate(lines))
    left = {int(line[-24:].translate(_FROM_BLANKS), 2) for line in strip_own_blocks(tagged).split("\n") if line}
    return "\n".join(line if number in left else "" for number, line in enumerate(lines))


_TO_BLANKS = str.maketrans("01", " \t")
_FROM_BLANKS = str.maketrans(" \t", "01")


def _without_comments(doc: str) -> str:
    """Replace each HTML comment outside of code by its line ends; one that is never closed is text."""
    kept, at = [], 0
    while match := _FENCE_CODE_OR_COMMENT.search(doc, at):
        end = match.end()
        if match[0] == "<!--":
            end = doc.find("-->", end) + len("-->")
            if end < match.end():
                break
            kept += [doc[at : match.start()], "\n" * doc.count("\n", match.start(), end)]
        else:
            kept.append(doc[at:end])
        at = end
    return "".join(kept) + doc[at:]
