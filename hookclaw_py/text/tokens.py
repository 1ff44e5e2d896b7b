"""The one tokenizer: Unicode words, identifiers kept whole *and* in parts, stop words, stemming, Jaccard.

Everything that compares texts (the lexical index, the cache, near-duplicates, coverage) sees the words made here.
Change anything that alters ``terms`` and raise ``TOKENIZER_VERSION``: derived indexes are then rebuilt.

Known limits: a script without spaces is cut into pairs, so a query of one Han character finds it only where it stands
alone (of a Chinese prompt the pairs are left out that two words make where they meet, and words that ask part it); compounds ("Datenbankmigration") are one word; emoji and symbols are not words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from functools import cache, lru_cache
from itertools import chain, pairwise, repeat

from hookclaw_py.model.scripts import UNSPACED
from hookclaw_py.model.terms import Terms
from hookclaw_py.regex import regex
from hookclaw_py.text.dictionary import LONGEST_UNSPACED, in_dictionary
from hookclaw_py.text.folding import LONGEST_CACHED, MOST_CACHED, ends, fold
from hookclaw_py.text.languages import APOSTROPHE, ELISION, LEFT_OUT, STOP_PAIRS, STOP_WORDS, guess_language, stems
from hookclaw_py.text.simplified import simplified

TOKENIZER_VERSION = "2"

_LONGEST_TOKEN = 256  # characters; the rest of a longer one (an encoded file, a wall of dashes) is not indexed
_LOOKED_AT = 1000  # characters of a prompt in which words are told apart that are written without spaces
_MOST_PARTS = 8  # a piece that falls into more is a hash, not a name

# Scripts written without spaces are indexed as overlapping pairs.
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"  # not in ``\\w``
_LETTERS = rf"[^\W{UNSPACED}]++(?:[{_MARKS}]++[^\W{UNSPACED}]*+)*+"
# Each alternative starts with a literal or a class and looks behind afterwards: the engine rejects it in one step.
_TOKEN = regex(
    rf"""
      https?://[^\s<>"')\]]*[^\s<>"')\].,;:!?]
    | [cCfF]\#(?<!\w.\#)(?!\w) | [cC]\+\+(?<!\w.\+\+)(?!\w) | \.NET\b(?<!\w.NET)
    | (?: -(?<![\w-]-)-?(?=[^\W\d]) | [\#@](?<!\w.) | ~/(?<![\w.]~/) | \.(?<![\w.]\.)\.?/ | /(?<![\w.]/) )?
      {_LETTERS} (?: (?:['’._:/\\@+-]|::|:///?|:\\|/\.\./) {_LETTERS} )*+
    | [{UNSPACED}]++
    """,
    re.VERBOSE,
)
_RUN = regex(f"[{UNSPACED}]")
_RUNS = regex(f"[{UNSPACED}]+")
_WORD = regex(r"\w+")
_LANGUAGE_NAMES = frozenset({"c#", "f#", "c++", ".net"})
_INVISIBLE = regex("[\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_SEPARATOR = regex(r"[._:/\\@+\-#~?&=%,;!$*()\[\]{}|]+")
_POSSESSIVE = regex(r"['’][sS]$")
_ORDINAL = regex(r"\d+(?:st|nd|rd|th|s|am|pm)", re.IGNORECASE)
_PLURAL_ACRONYM = regex(r"[A-Z]{2,}s")
_SCHEME = regex(r"^https?://(?:www\.)?", re.IGNORECASE)
_EMPHASIS = regex(r"_([^\W_]+)_")
_ACRONYM = regex(r"(?:[^\W\d_]\.)+[^\W\d_]")
_VERSION = regex(r"v(\d+(?:\.\d+)+)")


def is_identifier(token: str) -> bool:
    """Say whether a raw token is a name rather than a word: a path, code, flag, version, URL, CamelCase, snake_case."""
    if token.isalpha() and (token.islower() or (token[1:].islower() and token[1].islower())):
        return False  # as most are
    if token.startswith(("--", "#", "@", "/", "~/", "./", "../", "http://", "https://")):
        return True
    if any(c in token for c in "_/\\") or "::" in token or _has_hump(token):
        return True
    has_digit = any(c.isdigit() for c in token)
    has_letter = any(c.isalpha() for c in token)
    if has_digit:
        return (has_letter or any(c in token for c in ".:-")) and not _ORDINAL.fullmatch(token)
    return "." in token and has_letter and len(token) > 4 and not token.endswith(".")


def _has_hump(token: str) -> bool:
    if _PLURAL_ACRONYM.fullmatch(token):
        return False
    if any(a.islower() and b.isupper() for a, b in pairwise(token)):
        return True
    return len(token) > 4 and token.isalpha() and token[:2].isupper() and not token[2:].isupper()


def _parts(piece: str) -> list[str]:
    """Split one piece of an identifier at case humps and between letters and digits."""
    if piece.isdigit() or (piece.isalpha() and (piece.islower() or piece.isupper())):
        return [piece]  # as most are
    parts, start = [], 0
    for i in range(1, len(piece)):
        before, here, after = piece[i - 1], piece[i], piece[i + 1 : i + 2]
        if before.isdigit() != here.isdigit() or (
            here.isupper() and (before.islower() or (before.isupper() and after.islower()))
        ):
            parts.append(piece[start:i])
            start = i
    return [*parts, piece[start:]]


def _tokens(text: str) -> list[str]:
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    pieces = text.split()
    short = len(text) <= LONGEST_CACHED or max(map(len, pieces), default=0) <= LONGEST_CACHED
    return [*chain.from_iterable(map(_tokens_of_piece if short else _tokens_of_any, pieces))]


def _tokens_of_any(piece: str) -> tuple[str, ...]:
    return _tokens_of_piece(piece) if len(piece) <= LONGEST_CACHED else _tokens_of(piece)


def _tokens_of(piece: str) -> tuple[str, ...]:
    """Return the tokens of what stands between blanks: no token has one, and none is another for one beside it."""
    found: list[str] = _TOKEN.findall(piece)
    if "_" in piece:
        found = [token for token in found if token.strip("_")]
    return tuple(t if len(t) <= _LONGEST_TOKEN or _RUN.match(t) else t[:_LONGEST_TOKEN] for t in found)


_tokens_of_piece = lru_cache(maxsize=MOST_CACHED)(_tokens_of)


def _kinded(token: str) -> tuple[str, str]:
    if _RUN.match(token):
        return "run", token
    if _ACRONYM.fullmatch(token):
        return "word", token.replace(".", "")
    if emphasis := _EMPHASIS.fullmatch(token):
        return "word", emphasis[1]
    bare = _POSSESSIVE.sub("", token)
    if is_identifier(bare) or token.lower() in _LANGUAGE_NAMES:
        return "identifier", bare
    return "word", token


_kinded_word = lru_cache(maxsize=MOST_CACHED)(_kinded)


def raw_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, token) as written, NFKC: kind is "word", "identifier" or "run" (a script without spaces).

    Without are a possessive after an identifier, the dots of "U.S.A." and the marks of "_emphasis_".
    """
    for token in _tokens(text):
        yield _kinded_word(token) if len(token) <= LONGEST_CACHED else _kinded(token)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def words(text: str) -> list[str]:
    """Return the folded words of ``text`` in order: identifiers whole, unspaced scripts in pairs, nothing dropped."""
    found: list[str] = []
    for token in _tokens(text):
        found += _words_of_token(token) if len(token) <= LONGEST_CACHED else _words_of(token)
    return found


def count_words(text: str) -> int:
    """Return how many words ``text`` has, about: what blanks part, and every two letters of a script without spaces."""
    if text.isascii():
        return len(text.split())
    unspaced = sum(max(1, len(run) // 2) for run in _RUNS.findall(text))
    return unspaced + sum(piece.isascii() or any(map(str.isalnum, piece)) for piece in _RUNS.sub(" ", text).split())


def _words_of(token: str) -> tuple[str, ...]:
    kind, token = _kinded(token)
    folded = fold(token)
    if kind == "run":
        return tuple(_pairs(folded))
    if kind == "identifier":
        return (folded,)
    return tuple(part for part in _SEPARATOR.split(APOSTROPHE.sub("", folded)) if part)


_words_of_token = lru_cache(maxsize=MOST_CACHED)(_words_of)


def terms(text: str) -> Terms:
    """Return the index terms of ``text`` in order, repetitions kept.

    Stop words are left out and words stemmed; an identifier gives itself whole and its parts, so that "NETSDK1005" is
    found by itself, by "netsdk" and by "1005". In a text that is not English a word gives the stem of that language
    and the English one where they differ: a short prompt does not tell its language, and so the same word still
    matches when prompt and note were taken for different ones.
    """
    tokens = _tokens(text)
    language = guess_language(tokens)
    look_up = _terms_of_word if max(map(len, tokens), default=0) <= LONGEST_CACHED else _terms_of_any
    return Terms(chain.from_iterable(map(look_up, tokens, repeat(language))))


def _terms_of_any(token: str, language: str) -> tuple[str, ...]:
    return _terms_of_word(token, language) if len(token) <= LONGEST_CACHED else _terms_of(token, language)


def _terms_of(token: str, language: str) -> tuple[str, ...]:
    kind, token = _kinded(token)
    if kind == "run":
        return tuple(pair for pair in _pairs(fold(token)) if pair not in STOP_PAIRS)
    if kind == "identifier":
        return _terms_of_identifier(token)
    if APOSTROPHE.sub("", fold(token)) in LEFT_OUT[language]:
        return ()
    bare = _POSSESSIVE.sub("", ELISION.sub("", token))
    parts = [APOSTROPHE.sub("", part) for part in _SEPARATOR.split(fold(bare))]
    return tuple(stem for part in parts if part and part not in LEFT_OUT[language] for stem in stems(part, language))


_terms_of_word = lru_cache(maxsize=MOST_CACHED)(_terms_of)


def terms_asked(prompt: str) -> Terms:
    """Return the terms of a prompt: as ``terms``, but not of the words that only ask ("hast du …", "wem"), unless there is nothing else.

    "Se passe" asks what happens, and is no "mot de passe"; how somebody "s'appelle" asks for the name. Of a script without
    spaces the pairs that two words make where they meet are left out, and words that ask part it as blanks do.
    """
    said = _ASKING_UNSPACED.sub(" ", prompt)
    found = terms(_IS_CALLED.sub(lambda called: called["who"] or " ", _HAPPENS.sub(" ", said)))
    tokens = _tokens(prompt)
    if guess_language(tokens) == "german":
        only = {term for token in tokens if fold(token) in _GERMAN_ASKING for term in _terms_of_word(token, "german")}
        found = Terms(term for term in found if term not in only)
    if _RUN.search(prompt):
        left_out = _joints(runs(ends(simplified(said), _LOOKED_AT))) | _CHINESE_ASKING | _PARTICLES | STOP_PAIRS
        found = Terms(term for term in found if simplified(term) not in left_out)
    return found or terms(prompt)


def _joints(runs: Iterable[str]) -> Set[str]:
    """Return the pairs of ``runs`` that lie in no word, though both of their letters do, or are words by themselves."""
    inside, joints = set[str](), set[str]()
    for run in runs:
        lengths = range(2, LONGEST_UNSPACED + 1)
        pieces = {run[start : start + size] for size in lengths for start in range(len(run) - size + 1)}
        words = set(in_dictionary(pieces))
        places = [(start, size) for size in lengths for start in range(len(run)) if run[start : start + size] in words]
        covered = {place for start, size in places for place in range(start, start + size)}
        covered |= {place for place, letter in enumerate(run) if letter in _PARTICLES}
        within = {place for start, size in places for place in range(start, start + size - 1)}
        for place, pair in enumerate(_pairs(run)):
            (joints if {place, place + 1} <= covered and place not in within else inside).add(pair)
    return joints - inside


def stop_words(text: str) -> list[tuple[int, int]]:
    """Return where in ``text`` the words stand that are in no index: those of its language and of English."""
    left_out = LEFT_OUT[guess_language(_tokens(text))]
    return [match.span() for match in _WORD.finditer(text) if fold(match[0]) in left_out]


def forms(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return each plain word of ``text``, folded, with its terms: its stem in the language of ``text``, and the English one."""
    tokens = _tokens(text)
    language = guess_language(tokens)
    words = [token for kind, token in map(_kinded_word, tokens) if kind == "word" and not _SEPARATOR.search(token)]
    return [(fold(ELISION.sub("", word)), _terms_of_word(word, language)) for word in words]


def runs(text: str) -> list[str]:
    """Return what of ``text`` is in a script without spaces, folded: what ``terms`` cuts into pairs."""
    return [fold(token) for kind, token in raw_tokens(text) if kind == "run"]


def _terms_of_identifier(token: str) -> tuple[str, ...]:
    """Return the whole, and of each piece between separators its stem and the stems of its parts, each once.

    Parts are stemmed as English whatever the text's language, as are names that only their capitals give away:
    "YouTube" must meet "youtube", which is an ordinary word.
    """
    whole = fold(token)
    pieces = [piece for piece in _SEPARATOR.split(_SCHEME.sub("", token)) if piece]
    if whole[0].isalpha() and all(fold(piece) in STOP_WORDS["english"] for piece in pieces):
        return ()  # "and/or"
    version = _VERSION.fullmatch(whole)
    found = [*(stems(whole, "english") if whole.isalpha() else (whole,)), *(version.groups() if version else ())]
    for piece in pieces:
        parts = _parts(piece)
        for part in {piece: None} | dict.fromkeys(parts if len(parts) <= _MOST_PARTS else ()):
            if len(part) > 1 and (folded := fold(part)) and folded not in STOP_WORDS["english"]:
                found += stems(folded, "english")
    return tuple(dict.fromkeys(found))


@cache
def asking() -> frozenset[str]:
    """Return the terms with which one asks for memories, whatever they say ("what did we discuss, anything new?")."""
    return frozenset(terms(_ASKING))


def jaccard(a: Set[str], b: Set[str]) -> float:
    """Return |a ∩ b| / |a ∪ b|; two empty sets are not alike: 0."""
    if not a or not b:
        return 0.0
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)


_ASKING = """anything ask decide decided decision did discuss discussed do does doing done everything find going happen
    happened happening highlight highlights know last list look made make mention mentioned new note noted notes open plan
    planned recall record recorded remember remind said say show since something still summarise summarize summary talk
    talked tell thing things told update updates work worked write wrote written besprochen erledigt gemacht gesagt notiert
    notizen passiert fait noté hecho notas"""
_GERMAN_ASKING_WORDS = """hast habt hab kannst könntest könnt weißt weisst gibt gibts wem wen wessen woher wieso weshalb
    beim ins ans aufs fürs übers vorm bitte denn eigentlich nochmal nochmals mal schon wegen heißt heisst hieß hiess heißen heissen"""
_PARTICLES = frozenset(  # words of one letter that say nothing of what is sought
    "的了吗呢吧啊嘛和跟与在是有把被给对从到我你他她它们这那哪谁几就都也还很不没会能要该"
)
_ASKING_UNSPACED = regex(
    "[为為](?:什[么麼]|啥)|(?:叫|是)?什[么麼](?:时候|時候|名字)?|啥(?:时候|時候)|(?:叫|是)?啥|怎[么麼]样?|怎[样樣]|咋样?|多少(?:[钱錢])?|哪[里裡裏儿兒些个個]|[谁誰]"
)
_CHINESE_ASKING_WORDS = """时候 多少 几点 几号 几月 几天 几个 几次 几岁 几年 多久 多大 哪天 哪家 哪位 哪些 哪年 哪月 谁的 那个 那家 那边 这边 一下
    还是 有没 没有 是不 能不 要不 请问 知道 记得 告诉 帮我 给我 应该 需要 想要 上次 现在 目前"""
_CHINESE_ASKING = frozenset(_CHINESE_ASKING_WORDS.split())
_GERMAN_ASKING = frozenset(map(fold, _GERMAN_ASKING_WORDS.split()))
_IS_CALLED = regex(
    r"(?i)\b(?:(?:comment\s+)?(?:[mts]|vous\s)['’]?appel(?:le|les|lent|ait|aient|ez)|se\s+llama(?:n|ba|ban)?|si\s+chiama(?:no|va|vano)?)\b"
    r"|\A\W{0,8}what(?:['’]?s|\s+(?:is|are|was|were))\s(?P<who>[^\n]{1,200})\scalled\W{0,8}\Z"
)
_HAPPENS = regex(
    r"(?i)\b(?:se\s+(?:sont\s+|seraient\s+)?|s['’](?:est|était|étaient)\s+)pass(?:e|ent|ait|aient|era|é|ée|és|ées)\b"
)
