"""The one tokenizer: Unicode words, identifiers kept whole *and* in parts, stop words, stemming, Jaccard.

Everything that compares texts (the lexical index, the cache, near-duplicates, coverage) sees the words made here.
Change anything that alters ``terms`` and raise ``TOKENIZER_VERSION``: derived indexes are then rebuilt.

Known limits: a script without spaces is cut into pairs, so a query of one Han character finds it only where it stands
alone; compounds ("Datenbankmigration") are one word; emoji and symbols are not words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from functools import cache, lru_cache
from itertools import pairwise

from hookclaw_py.model.terms import Terms

TOKENIZER_VERSION = "1"

_LONGEST_TOKEN = 256  # characters; the rest of a longer one (an encoded file, a wall of dashes) is not indexed
_LONGEST_CACHED = 64  # longer strings are computed each time: the caches hold words, never documents
_MOST_PARTS = 8  # a piece that falls into more is a hash, not a name

# Scripts written without spaces (and Hangul, whose particles stick to the word) are indexed as overlapping pairs:
# Thai, Lao, Burmese, Khmer, kana, Han, Hangul, each without its punctuation.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17dc-\u17ff\u3005"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"  # not in ``\\w``
_LETTERS = rf"[^\W{_UNSPACED}]++(?:[{_MARKS}]++[^\W{_UNSPACED}]*+)*+"
# Each alternative starts with a literal or a class and looks behind afterwards: the engine rejects it in one step.
_TOKEN = re.compile(
    rf"""
      https?://[^\s<>"')\]]*[^\s<>"')\].,;:!?]
    | [cCfF]\#(?<!\w.\#)(?!\w) | [cC]\+\+(?<!\w.\+\+)(?!\w) | \.NET\b(?<!\w.NET)
    | (?: -(?<![\w-]-)-?(?=[^\W\d]) | [\#@](?<!\w.) | ~/(?<![\w.]~/) | \.(?<![\w.]\.)\.?/ | /(?<![\w.]/) )?
      {_LETTERS} (?: (?:['’._:/\\@+-]|::|:///?|:\\|/\.\./) {_LETTERS} )*+
    | [{_UNSPACED}]++
    """,
    re.VERBOSE,
)
_RUN = re.compile(f"[{_UNSPACED}]")
_LANGUAGE_NAMES = frozenset({"c#", "f#", "c++", ".net"})
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
# Latin, Greek, Hebrew and Arabic marks; й, ў and ї stay, they are letters of their own.
_ACCENT = re.compile(
    "[\u0300-\u0305\u0307\u0309-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640"
    "\u064b-\u0655\u0670]|(?<![\u0438\u0443])\u0306|(?<!\u0456)\u0308"
)
_SEPARATOR = re.compile(r"[._:/\\@+\-#~?&=%,;!$*()\[\]{}|]+")
_APOSTROPHE = re.compile("['’\u02bc]")
_POSSESSIVE = re.compile(r"['’][sS]$")
_ELISION = re.compile(
    r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull|quell)['’](?=\w\w)", re.IGNORECASE
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm)", re.IGNORECASE)
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_SCHEME = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)
_EMPHASIS = re.compile(r"_([^\W_]+)_")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_VERSION = re.compile(r"v(\d+(?:\.\d+)+)")


def fold(text: str) -> str:
    """Return ``text`` in one form for comparison: NFKC, case folded, accents and vowel points removed."""
    return _fold_word(text) if len(text) <= _LONGEST_CACHED else _fold(text)


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENT.sub("", decomposed))


_fold_word = lru_cache(maxsize=65_536)(_fold)


def ends(text: str, length: int) -> str:
    """Return ``text``; of a longer one its two ends, ``length`` characters in all: there a prompt says what it wants."""
    half = length // 2
    return text if len(text) <= length else f"{text[:half]}\n{text[-half:]}"


def encodable(text: str) -> str:
    """Return ``text`` with each half of a surrogate pair, which no file, database or model takes, replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_identifier(token: str) -> bool:
    """Say whether a raw token is a name rather than a word: a path, code, flag, version, URL, CamelCase, snake_case."""
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
    found: list[str] = _TOKEN.findall(text)
    if "_" in text:
        found = [token for token in found if token.strip("_")]
    if len(text) > _LONGEST_TOKEN:
        return [t if len(t) <= _LONGEST_TOKEN or _RUN.match(t) else t[:_LONGEST_TOKEN] for t in found]
    return found


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


_kinded_word = lru_cache(maxsize=65_536)(_kinded)


def raw_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, token) as written, NFKC: kind is "word", "identifier" or "run" (a script without spaces).

    Without are a possessive after an identifier, the dots of "U.S.A." and the marks of "_emphasis_".
    """
    for token in _tokens(text):
        yield _kinded_word(token) if len(token) <= _LONGEST_CACHED else _kinded(token)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def words(text: str) -> list[str]:
    """Return the folded words of ``text`` in order: identifiers whole, unspaced scripts in pairs, nothing dropped."""
    found: list[str] = []
    for kind, token in raw_tokens(text):
        folded = fold(token)
        if kind == "run":
            found += _pairs(folded)
        elif kind == "identifier":
            found.append(folded)
        else:
            found += [part for part in _SEPARATOR.split(_APOSTROPHE.sub("", folded)) if part]
    return found


def identifiers(text: str) -> list[str]:
    """Return the identifiers of ``text`` as written, in order, each once."""
    return list(dict.fromkeys(token for kind, token in raw_tokens(text) if kind == "identifier"))


def terms(text: str) -> Terms:
    """Return the index terms of ``text`` in order, repetitions kept.

    Stop words are left out and words stemmed; an identifier gives itself whole and its parts, so that "NETSDK1005" is
    found by itself, by "netsdk" and by "1005". In a text that is not English a word gives the stem of that language
    and the English one where they differ: a short prompt does not tell its language, and so the same word still
    matches when prompt and note were taken for different ones.
    """
    tokens = _tokens(text)
    language = guess_language(tokens)
    found: list[str] = []
    for token in tokens:
        found += _terms_of_word(token, language) if len(token) <= _LONGEST_CACHED else _terms_of(token, language)
    return Terms(found)


def _terms_of(token: str, language: str) -> tuple[str, ...]:
    kind, token = _kinded(token)
    if kind == "run":
        return tuple(pair for pair in _pairs(fold(token)) if pair not in _STOP_PAIRS)
    if kind == "identifier":
        return _terms_of_identifier(token)
    if _APOSTROPHE.sub("", fold(token)) in _STOP[language]:
        return ()
    bare = _POSSESSIVE.sub("", _ELISION.sub("", token))
    parts = [_APOSTROPHE.sub("", part) for part in _SEPARATOR.split(fold(bare))]
    return tuple(stem for part in parts if part and part not in _STOP[language] for stem in _stems(part, language))


_terms_of_word = lru_cache(maxsize=65_536)(_terms_of)


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
    found = [*(_stems(whole, "english") if whole.isalpha() else (whole,)), *(version.groups() if version else ())]
    for piece in pieces:
        parts = _parts(piece)
        for part in {piece: None} | dict.fromkeys(parts if len(parts) <= _MOST_PARTS else ()):
            if len(part) > 1 and (folded := fold(part)) and folded not in STOP_WORDS["english"]:
                found += _stems(folded, "english")
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


def guess_language(tokens: Iterable[str]) -> str:
    """Return the language that most words speak for; English when none leads.

    Function words, letters and endings of a language count alike. Only languages in Latin letters are told apart:
    a word in another alphabet is stemmed by its alphabet.
    """
    short = [token for token in tokens if len(token) <= _LONGEST_CACHED]
    spoken = [language for token in short for language in _languages_of_word(token)]
    if not spoken:
        return "english"
    counts = Counter(spoken)
    best, count = max(counts.items(), key=lambda item: item[1])
    return best if count > counts["english"] else "english"


@lru_cache(maxsize=65_536)
def _languages_of_word(token: str) -> tuple[str, ...]:
    word = _APOSTROPHE.sub("", fold(_ELISION.sub("", token)))
    if len(word) < 2:
        return ()  # a letter is more often a name than a word
    if spoken := _LANGUAGES_OF.get(word):
        return tuple(spoken)
    written = unicodedata.normalize("NFC", token.lower())
    if not _ANY_SIGN.search(written):
        return ()
    return tuple(language for language, sign in _SIGNS.items() if sign.search(written))


def _stems(word: str, language: str) -> tuple[str, ...]:
    if word.isascii() and word.isdigit():
        return (word,)
    alphabet = _stemmer_by_alphabet(word[0])
    if alphabet:
        return (_stemmer(alphabet)(word),)
    english = _stemmer("english")(word)
    if language == "english":
        return (english,)
    return tuple(dict.fromkeys((_stemmer(language)(word), english)))


def _stemmer_by_alphabet(letter: str) -> str:
    if letter.isascii():
        return ""
    return next((name for first, last, name in _ALPHABETS if first <= letter <= last), "")


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    import Stemmer

    stemmer, lock = Stemmer.Stemmer(language), threading.Lock()  # a Stemmer is not thread-safe

    def stem(word: str) -> str:
        with lock:
            stemmed: str = stemmer.stemWord(word)
        # Russian to its fixed point: one pass leaves "журнал" → "журна" apart from "журнале" → "журнал".
        return stem(stemmed) if language == "russian" and stemmed != word else stemmed

    return stem


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(word).replace("'", "") for word in text.split())


_ALPHABETS = (
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)

# What tells a language when no function word does: its own letters, and endings that English does not have.
_SIGNS = {
    "german": re.compile(r"[äöüß]|\w{4}(?:ung|heit|keit|schaft)(?:en|s)?$"),
    "french": re.compile(r"[àâæèêëîïœùûç]|^(?:[cdjlmnst]|qu)['’]\w\w|\w{3}(?:euse|eux|tés?)$"),
    "spanish": re.compile(r"[ñ¿¡]|\w{3}(?:ción|ciones|dad|dades)$"),
    "italian": re.compile(r"\w{3}(?:zione|zioni|ità)$"),
    "portuguese": re.compile(r"[ãõ]|\w{3}(?:ções|dades?)$"),
}
_ANY_SIGN = re.compile("|".join(sign.pattern for sign in _SIGNS.values()))

# Function words by language: short closed lists, used both to leave words out and to tell languages apart.
STOP_WORDS: dict[str, frozenset[str]] = {
    "english": _folded(
        """a about above after again against all also am an and any are aren't as at be because been before being below
        between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each eg etc few for
        from further get got had hadn't has hasn't have haven't having he her here hers herself him himself his how i i'd i'll
        i'm i've ie if in into is isn't it it's its itself just let's like me more most my myself no nor not of off on once only
        or other ought our ours ourselves out over own please same shall she should shouldn't so some such than that that's
        the their theirs them themselves then there there's these they they're this those through to too under until up us
        very vs was wasn't we we're we've were weren't what what's when where which while who whom whose why will with won't
        would wouldn't you you'd you'll you're you've your yours yourself yourselves"""
    ),
    "german": _folded(
        """aber als am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des die dies diese
        diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch euer für habe haben hat
        hatte hatten hier ich ihm ihn ihnen ihr ihre im in ist ja jede jeder kann kein keine können mein meine mich mir mit
        muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und uns unser unsere unter vom von
        vor wann war waren warum was weil welche welcher wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur"""
    ),
    "french": _folded(
        """a ai alors au aux avec avons avez ce ces cette comme dans de des du elle elles en est et être eu il ils je la le
        les leur leurs lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas pour pourquoi qu quand que quel
        quelle qui quoi sa sans se ses si son sont sur ta tes ton tu un une vos votre vous y été était"""
    ),
    "spanish": _folded(
        """a al como con cuando cuál cuándo de del desde donde dónde e el ella ellos en era es esa ese esta está este esto
        fue ha han hasta hay la las le les lo los me mi mis muy más ni no nos nosotros o para pero por porque que qué quien
        se ser si sin sobre son su sus también te tiene tu un una uno y ya yo"""
    ),
    "italian": _folded(
        """a abbiamo al alla anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era gli ha hanno ho
        i il in io la le lei lo loro lui ma mi nel nella noi non o per perché più quale quando quello questa questo se sei si
        sono su sul sulla tra tu un una uno vi voi è"""
    ),
    "portuguese": _folded(
        """a ao aos as com como da das de do dos e ela ele eles em entre era essa esse esta está este eu foi há isso já lhe
        mais mas me meu minha muito na nas no nos nós não o onde os ou para pela pelo por porque qual quando que quem se sem
        ser seu sua são também te tem um uma você"""
    ),
    "dutch": _folded(
        """aan als bij dan dat de der deze die dit door een en er haar had heb hebben heeft het hij hoe hun ik in is je kan
        maar me met mijn naar niet nog nu of om ons onze ook op over te toen tot uit van voor waar waarom wanneer was wat we
        wel werd wie wij wordt ze zijn zo"""
    ),
    "russian": _folded(
        """а без бы был была были было в вам вас во вот все вы где да для до его ее если есть еще же за и из или им их к как
        какая какие какой когда кто ли мне мы на над нам нас не него нет ни но о об он она они оно от по под при про с сам со
        так также там то тогда того только тот ты у уже чего чем что чтобы эта эти это этот я"""
    ),
}

_STOP = {language: words | STOP_WORDS["english"] for language, words in STOP_WORDS.items()}
_STOP["english"] = STOP_WORDS["english"] | STOP_WORDS["russian"]

_STOP_PAIRS = _folded(
    """我们 你们 他们 她们 这个 那个 什么 怎么 如何 为什 哪里 哪个 是否 可以 一个 的是 了吗 です ます でし まし した して
    する いる ある こと これ それ から まで など 입니 니다 합니 습니 그리 하는 있는"""
)

_LANGUAGES_OF: dict[str, list[str]] = defaultdict(list)
for _language, _stop in STOP_WORDS.items():
    for _word in _stop:
        _LANGUAGES_OF[_word].append(_language)

_ASKING = """anything ask decide decided decision did discuss discussed do does doing done everything find going happen
    happened happening highlight highlights know last list look made make mention mentioned new note noted notes open plan
    planned recall record recorded remember remind said say show since something still summarise summarize summary talk
    talked tell thing things told update updates work worked write wrote written besprochen erledigt gemacht gesagt notiert
    notizen passiert fait noté hecho notas"""
