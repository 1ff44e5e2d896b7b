"""Entities: what a prompt names: paths, error codes, versions, flags, identifiers, quotations, tags, people, places, headings.

An entity is something that a chunk either mentions or does not: it is matched whole, by the terms of the one
tokenizer, so that "form" is not in "format" and "NETSDK1005" is not in "NETSDK1006".
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from hookclaw_py.model.scripts import UNSPACED
from hookclaw_py.model.types import Chunk, Entity
from hookclaw_py.regex import regex
from hookclaw_py.text import STOP_WORDS, ends, fold, guess_language, raw_tokens, terms, words

_LOOKED_AT = 4000  # characters
_MOST = 24  # entities
_HEADING_WORDS = 4

_EXTENSIONS = """
    bat c cc cfg cmd conf cpp cs css csv db docx env go gradle h hpp html ini ipynb java jpg js json jsonl jsx key kt lock log lua
    md mjs pdf pem php plist png ps1 py pyi rb rs scss service sh sql sqlite svelte svg swift tar tex tf toml ts tsv tsx txt vue
    xlsx xml yaml yml zip zig
"""
_FILE_END = rf"\.(?:{'|'.join(_EXTENSIONS.split())})"
_PACKAGE_PARTS = "api|bin|cli|client|core|cpu|dev|gpu|js|lib|plugin|py|rs|sdk|server|ts|utils"
_SYMBOLS = "|".join(sorted(errno.errorcode.values()))
_ENTITY = regex(
    rf"""
      (?P<url>         \bhttps?://[^\s<>"'`)\]]+ | \bwww\.[^\s<>"'`)\]]+ )
    | (?P<email>       (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,5}}\.[^\W\d_]{{2,24}}(?![\w:]) )
    | (?P<package>     (?<![\w/])@[a-z0-9][\w.-]*/[\w.-]+
                     | (?<![\w/.@-])[a-z][\w.-]*(?=@[v^~]?\d)
                     | (?<![\w.-])[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:{_PACKAGE_PARTS})(?![\w-])
                     | (?<![\w.-])(?:py|lib|node|react|django)-[a-z0-9]+(?:-[a-z0-9]+)*(?![\w-]) )
    | (?P<path>        (?<!\w)[A-Za-z]:\\[^\s"'`<>|*?]+
                     | (?<![\w/.:])(?:~|\.\.?)?/\.?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*/?
                     | (?<![^\s`'"(])\.(?:env|[a-z][a-z_-]{{4,}})(?:\.[a-z]+)*(?![\w(])
                     | (?<![\w/.:@+-])\.?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*{_FILE_END}(?![\w/])
                     | (?<![\w/.:@+-])[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*/(?![\w/]) )
    | (?P<address>     (?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?(?![\w.]) )
    | (?P<day>         (?<![\w.])\d{{1,2}}\.\d{{1,2}}\.\d{{4}}(?!\w) )
    | (?P<version>     (?<![\w.])(?:[vV]\d+(?:\.\d+)* | \d+\.\d+\.\d+(?:\.\d+)*)(?:-?(?:alpha|beta|rc|dev|post|[ab](?=\d))[.\d]*)?(?![\w]|\.\d)
                     | (?<=[a-zA-Z]\ )\d+\.\d+(?![\w%]|\.\d) )
    | (?P<issue>       (?<![\w&])\#\d+\b | (?i:(?<=\bissue\ )|(?<=\bticket\ )|(?<=\bbug\ )|(?<=\bPR\ )|(?<=\bMR\ ))\#?\d+\b )
    | (?P<status>      (?<=HTTP\ )\d{{3}}\b )
    | (?P<code>        \b0x[0-9a-fA-F]{{4,}}\b | \b[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\b
                     | \b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{{7,40}}\b
                     | \b(?:{_SYMBOLS})\b | \bSIG[A-Z]{{3,5}}\b | \bCVE-\d{{4}}-\d+\b | \b[A-Z]{{1,10}}-?\d{{2,}}[A-Z]?\b
                     | \b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b )
    | (?P<flag>        (?<![\w-])--[a-zA-Z][\w-]* | (?<=\w\ )-(?:[a-zA-Z]{{1,3}}|[DWX][a-z][\w.]*)(?=[\s,.;:)=]|$) )
    | (?P<identifier>  \b\w+(?:::\w+)+ | \b[a-z]\w*(?:\.[a-z]\w*){{2,}}\b | \b[a-z_]\w*\.[a-z_]\w*(?=\()
                     | \b[A-Za-z]\w*_\w+\b
                     | \b[a-z]+\d*[A-Z]\w*\b | \b[A-Z][a-z0-9]+[A-Z]\w*\b | \b[A-Z]{{2,}}[a-z]{{2,}}\w*\b
                     | \b[cC](?:\#|\+\+)(?!\w) | (?<!\w)\.NET\b )
    | (?P<tag>         (?<![\w&])\#[^\W\d_][\w-]*\w )
    | (?P<mention>     (?<![\w.])@[^\W\d_][\w.-]*\w )
    """,
    re.VERBOSE,
)
_CHUNK = regex(r"\S+")
_PLAIN = regex(r"[^\W\d_]+")
_QUOTED = regex(
    r"""(?<!`)`([^`\n]{1,80})`(?!`) | "([^"\n]{2,80})" | “([^”\n]{2,80})” | „([^“”\n]{2,80})[“”] | «\s?([^»\n]{2,80}?)\s?»
      | 「([^」\n]{1,40})」 | 『([^』\n]{1,40})』 | (?<![\w'])'([^'\n]{2,60})'(?![\w']) | ‘([^’\n]{2,60})’(?!\w)""",
    re.VERBOSE,
)
_INSTALLED = regex(
    r"\b(?:pip3?|npm|pnpm|yarn|brew|apt|apt-get|cargo|gem|uv|go)\ (?:install|add|i|get)\ (?:-\S+\ )*([a-z@][\w@/.-]*\w)"
)
_VERSIONED = regex(r"(?:\b[A-Z][\w.+#-]*|[vV]ersion|release|python|node|java|php|ruby|go|rust)\ $")
_MEASURE = regex(
    r"\ ?(?:%|percent|seconds?|minutes?|hours?|days?|weeks?|months?|years?|million|billion|times?|stars?|k?m\b|kg\b)"
)
_LETTER = rf"[^\W\d_{UNSPACED}]"  # of a script with blanks: the name in "跟Mara谈" ends where that ends
_CAPITALISED = rf"[A-ZÀ-ÖØ-ÞĀ-ɏΑ-ΩЀ-Я]{_LETTER}*(?:['’-]{_LETTER}+)*"
_NAME = regex(
    rf"(?<![^\W{UNSPACED}])(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.\ )?{_CAPITALISED}(?:(?:\ (?:of|de|van|von|der|la|&))?\ {_CAPITALISED})*(?![^\W{UNSPACED}])"
)
_COUNTED = regex(
    r"(?i)\b(?:(?:how many|wie ?vielen?|cuánt[oa]s|quant[ei]|hoeveel|combien de)\s+|combien d['’])[^\W\d_]+"
)
_TRAILING = ".,;:!?'’\"*_)"

# Capitalised at the beginning of a sentence, these are no names; neither are the words below, anywhere.
_OPENERS = """
    ask tell give show let make find write create please remind help meet call email text invite hi hello hey dear thanks thank yes
    no ok okay sure great right well now also maybe look check update add remove use run fix open start stop remember recall compare
    explain describe summarize list draft plan based according regarding since still just like lets got need want think hope
    recently yesterday today tomorrow last next first finally actually honestly sorry good morning alright
"""
_NEVER = """
    i i'm i'll i'd i've ok monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december feb apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri
    ai asap fyi btw imo imho lol am pm pr mr id todo tl dr ps etc eg ie
"""
_NOT_FIRST = frozenset(_OPENERS.split()) | STOP_WORDS["english"]
_NOT_NAMES = frozenset(_NEVER.split()) | STOP_WORDS["english"]
_SPEAKING = regex(r"['’]s\b|\ (?:said|says|told|asked|asks|wants|wanted|thinks|likes|loves|mentioned)\b|\ and\ [A-Z]")
_POSSESSIVE = regex(r"['’]s\b")
_TITLES = ("dr.", "mr.", "mrs.", "ms.", "prof.", "st.")

_Found = tuple[int, int, Entity]  # start, end, what


def find_entities(text: str, *, names: Set[str]) -> tuple[Entity, ...]:
    """Return what ``text`` names, in order, each once, at most 24; headings of the store come last.

    ``names`` are those headings: folded words joined by one space, one to four of them. Of a long text only the two
    ends are read, 4,000 characters in all, and of many entities the first and the last are taken.
    """
    text = ends(text, _LOOKED_AT)
    formal = [*_marked(text), *_quoted(text)]
    taken = [
        (start, end)
        for start, end, entity in formal
        if entity.kind != "quoted" or len(entity.text.split()) <= _HEADING_WORDS
    ]
    proper = [f for f in _proper_names(text) if not any(start <= f[0] < end for start, end in taken)]
    entities = [entity for _, _, entity in sorted(formal + proper)]
    entities += [Entity("heading", phrase) for phrase in _headings(text, names)]
    first = {fold(entity.text): entity for entity in reversed(entities)}
    each = tuple(first[key] for key in dict.fromkeys(fold(entity.text) for entity in entities))
    return each if len(each) <= _MOST else each[: _MOST // 2] + each[-_MOST // 2 :]


def mentions(entities: tuple[Entity, ...], chunks: Iterable[Chunk]) -> dict[str, float]:
    """Return by chunk id the share of ``entities`` that a chunk mentions; chunks that mention none are left out."""
    if not (sought := all_terms(entities)):
        return {}
    near = (chunk for chunk in chunks if not sought.isdisjoint(chunk.terms))
    return {chunk.id: share for chunk in near if (share := entity_share(entities, chunk))}


def entity_share(entities: tuple[Entity, ...], chunk: Chunk) -> float:
    """Return the share of ``entities`` that ``chunk`` mentions, in [0, 1]; 0 without entities."""
    wanted = entity_terms(entities)
    if not wanted:
        return 0.0
    held = chunk.terms.distinct
    return sum(any(variant <= held for variant in variants) for variants in wanted) / len(wanted)


def unknown_share(entities: tuple[Entity, ...], known: Set[str]) -> float:
    """Return the share of ``entities`` that no chunk can mention, since some term of each is not ``known``; in [0, 1].

    Of a name of several words the unknown ones count: "Yann Le Goarant" may well be the Yann of the notes.
    """
    shares = []
    for entity in entities:
        for variants in entity_terms((entity,)) if entity.kind != "day" else ():
            missing = min(len(variant - known) / len(variant) for variant in variants)
            shares.append(missing if entity.kind == "name" else float(missing > 0))
    return sum(shares) / len(shares) if shares else 0.0


@lru_cache(maxsize=64)
def all_terms(entities: tuple[Entity, ...]) -> frozenset[str]:
    """Return the terms of every way to write any of ``entities``."""
    return frozenset(term for variants in entity_terms(entities) for variant in variants for term in variant)


@lru_cache(maxsize=64)
def entity_terms(entities: tuple[Entity, ...]) -> tuple[tuple[frozenset[str], ...], ...]:
    """Return for each entity that has any the terms of each way to write it; a chunk that holds all of one mentions it."""
    found = (tuple(dict.fromkeys(_terms(variant) for variant in _variants(entity))) for entity in entities)
    return tuple(kept for variants in found if (kept := tuple(v for v in variants if v)))


def _variants(entity: Entity) -> Iterator[str]:
    yield entity.text
    if entity.kind in ("issue", "tag", "mention"):
        yield entity.text[1:] if entity.text[0] in "#@" else "#" + entity.text
    elif entity.kind == "version":
        yield entity.text[1:] if entity.text[0] in "vV" else "v" + entity.text
    elif entity.kind == "path":
        name = re.split(r"[/\\]", entity.text.rstrip("/\\"))[-1]
        yield name
        yield re.sub(r"\.(?:md|markdown|txt|org)$", "", name)  # a note is known by its title


def _terms(written: str) -> frozenset[str]:
    tokens = list(raw_tokens(written))
    if len(tokens) == 1 and tokens[0][0] == "identifier":  # whole, as it is indexed: its parts alone are not it
        return frozenset(terms(written)[:1])
    return terms(written).distinct


def _marked(text: str) -> Iterator[_Found]:
    """Yield what is recognised by its form alone; a plain word has none."""
    for chunk in _CHUNK.finditer(text):
        written = chunk.group()
        if written.isalpha() and (written.islower() or written.istitle()):
            continue
        for match in _ENTITY.finditer(text, chunk.start(), chunk.end()):
            kind, start, end = match.lastgroup or "", match.start(), match.end()
            if kind == "status":
                kind, start = "code", start - len("HTTP ")
            written = text[start:end]
            if kind == "version" and not _is_version(written, text, start, end):
                continue
            if kind in ("url", "path", "mention"):
                written = written.rstrip(_TRAILING)
            if kind != "day" and (kind != "path" or (len(written) > 2 and any(c.isalpha() for c in written))):
                yield start, end, Entity(kind, written)
    if "install" in text or " add " in text:
        for match in _INSTALLED.finditer(text):
            yield match.start(1), match.end(1), Entity("package", match[1])


def _is_version(written: str, text: str, start: int, end: int) -> bool:
    """Tell "Python 3.12" from "took 3.5 hours": two numbers alone need a product before them and no unit after."""
    if not re.fullmatch(r"\d+\.\d+", written):
        return True
    return _VERSIONED.search(text[max(0, start - 24) : start]) is not None and not _MEASURE.match(text, end)


def _quoted(text: str) -> Iterator[_Found]:
    """Yield what stands in quotation marks, unless its form says better what it is."""
    for match in _QUOTED.finditer(text):
        written = match[match.lastindex or 0].strip(" .,!?")
        if written and not _ENTITY.fullmatch(written) and len(written.split()) <= 8:
            yield match.start(), match.end(), Entity("quoted", written)


def _headings(text: str, names: Set[str]) -> Iterator[str]:
    """Yield the headings that ``text`` mentions, also as "Helios's", the longest at each place.

    What is counted is not named: "how many people" asks for a number, and not for the page "People".
    """
    if not names:
        return
    text = _COUNTED.sub(" ", text)
    readings = [words(written) for written in dict.fromkeys((text, _POSSESSIVE.sub("", text)))]
    at = 0
    while at < len(readings[0]):
        for size in range(min(_HEADING_WORDS, len(readings[0]) - at), 0, -1):
            known = next((p for folded in readings if (p := " ".join(folded[at : at + size])) in names), "")
            if known:
                yield known
                at += size - 1
                break
        at += 1


def _proper_names(text: str) -> Iterator[_Found]:
    """Yield runs of capitalised words and acronyms, but not what is only the beginning of a sentence."""
    runs = list(_NAME.finditer(text))
    if not runs:
        return
    count = text.count(" ") + 1
    capitals = [word for run in runs for word in run.group().split()]
    shouted = sum(len(word) > 2 and word.isupper() for word in capitals)
    if count > 5 and (shouted * 3 > count or len(capitals) * 5 > count * 4):
        return
    if guess_language([fold(w) for w in _PLAIN.findall(text[:400])]) == "german":
        return  # where every noun has a capital, a capital says nothing
    for run in runs:
        start = run.start()
        for part in _split_after_possessive(run.group()):
            if entity := _name(part, start, run.end(), text):
                yield start, start + len(part), entity
            start += len(part) + 1


def _split_after_possessive(run: str) -> list[str]:
    """Part a run of names: "Caroline's New York" speaks of Caroline and of New York."""
    return re.split(r"(?<=['’]s)\ ", run)


def _name(part: str, start: int, end: int, text: str) -> Entity | None:
    """Return the name in a run of capitalised words, if there is one."""
    parts = part.split(" ")
    initial = _begins_sentence(text, start)
    if initial and fold(_POSSESSIVE.sub("", parts[0])) in _NOT_FIRST:
        parts, initial = parts[1:], False
    while parts and fold(_POSSESSIVE.sub("", parts[0])).replace("’", "'") in _NOT_NAMES:
        parts, initial = parts[1:], False
    while parts and (fold(parts[-1]) in _NOT_NAMES or not parts[-1][0].isupper()):
        parts = parts[:-1]
    if initial and len(parts) == 1 and not parts[0].isupper() and not _SPEAKING.search(text, start, end + 12):
        return None
    written = _POSSESSIVE.sub("", " ".join(parts))
    return Entity("name", written) if len(written) > 1 else None


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 40) : start].rstrip(" \t\"“”‘'«(*_>-#•")
    return not before or (before[-1] in ".!?:;\n…。" and not before.lower().endswith(_TITLES))
