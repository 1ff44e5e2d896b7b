"""Languages: their function words, what tells one from another, and the stems of their words."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain

from hookclaw_py.regex import regex
from hookclaw_py.text.folding import LONGEST_CACHED, MOST_CACHED, fold

APOSTROPHE = regex("['’\u02bc]")
ELISION = regex(r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|all|dall|dell|nell|sull|quell)['’](?=\w\w)", re.IGNORECASE)


def guess_language(tokens: Iterable[str]) -> str:
    """Return the language that most words speak for; English when none leads.

    Function words, letters and endings of a language count alike. Only languages in Latin letters are told apart:
    a word in another alphabet is stemmed by its alphabet.
    """
    counts: dict[str, int] = {}
    short = [token for token in tokens if len(token) <= LONGEST_CACHED]
    for language in chain.from_iterable(map(_languages_of_word, short)):
        counts[language] = counts.get(language, 0) + 1
    if not counts:
        return "english"
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > counts.get("english", 0) else "english"


@lru_cache(maxsize=MOST_CACHED)
def _languages_of_word(token: str) -> tuple[str, ...]:
    word = APOSTROPHE.sub("", fold(ELISION.sub("", token)))
    if len(word) < 2:
        return ()  # a letter is more often a name than a word
    if spoken := _LANGUAGES_OF.get(word):
        return tuple(spoken)
    written = unicodedata.normalize("NFC", token.lower())
    if not _ANY_SIGN.search(written):
        return ()
    return tuple(language for language, sign in _SIGNS.items() if sign.search(written))


def stems(word: str, language: str) -> tuple[str, ...]:
    """Return the stem of a folded word, and the English one where it differs; of another alphabet, by its alphabet."""
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
    "german": regex(r"[äöüß]|\w{4}(?:ung|heit|keit|schaft)(?:en|s)?$"),
    "french": regex(r"[àâæèêëîïœùûç]|^(?:[cdjlmnst]|qu)['’]\w\w|\w{3}(?:euse|eux|tés?)$"),
    "spanish": regex(r"[ñ¿¡]|\w{3}(?:ción|ciones|dad|dades)$"),
    "italian": regex(r"\w{3}(?:zione|zioni|ità)$"),
    "portuguese": regex(r"[ãõ]|\w{3}(?:ções|dades?)$"),
}
_ANY_SIGN = regex("|".join(sign.pattern for sign in _SIGNS.values()))

# Function words by language: short closed lists, used both to leave words out and to tell languages apart.
STOP_WORDS: dict[str, frozenset[str]] = {
    "english": _folded(
        """a about above after again against all also am an and any are aren't as at be because been before being below
        between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each eg etc few for
        from further get got had hadn't has hasn't have haven't having he her here hers herself him himself his how how's i i'd i'll
        i'm i've ie if in into is isn't it it's its itself just let's like many me more most much my myself no nor not of off on once only
        or other ought our ours ourselves out over own please same shall she should shouldn't so some such than that that's
        the their theirs them themselves then there there's these they they're this those through to too under until up us
        very vs was wasn't we we're we've were weren't what what's when when's where where's which while who who's whom whose why why's will with won't
        would wouldn't you you'd you'll you're you've your yours yourself yourselves"""
    ),
    "german": _folded(
        """aber als am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des die dies diese
        diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch euer für habe haben hat
        hatte hatten hier ich ihm ihn ihnen ihr ihre im in ist ja jede jeder kann kein keine können mein meine mich mir mit
        muss nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und uns unser unsere unter viel viele
        vom von vor wann war waren warum was weil welche welchen welcher welches wenn wer werden wie wieder wieviel wieviele wir wird
        wo wohin wurde wurden zu zum zur"""
    ),
    "french": _folded(
        """a ai alors au aux avec avons avez ce ces cette combien comme dans de des du elle elles en est et être eu il ils je la le
        les leur leurs lui ma mais me mes moi mon ne nos notre nous on ont ou où par pas pour pourquoi qu quand que quel
        quelle quelles quels qui quoi sa sans se ses si son sont sur ta tes ton tu un une vos votre vous y été était"""
    ),
    "spanish": _folded(
        """a al como con cuando cuál cuándo cuánta cuántas cuánto cuántos de del desde donde dónde e el ella ellos en era es esa ese esta está este esto
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
        """aan als bij dan dat de der deze die dit door een en er haar had heb hebben heeft het hij hoe hoeveel hun ik in is je kan
        maar me met mijn naar niet nog nu of om ons onze ook op over te toen tot uit van voor waar waarom wanneer was wat we
        wel werd wie wij wordt ze zijn zo"""
    ),
    "russian": _folded(
        """а без бы был была были было в вам вас во вот все вы где да для до его ее если есть еще же за и из или им их к как
        какая какие какой когда кто ли мне мы на над нам нас не него нет ни но о об он она они оно от по под при про с сам сколько со
        так также там то тогда того только тот ты у уже чего чем что чтобы эта эти это этот я"""
    ),
}

LEFT_OUT = {language: words | STOP_WORDS["english"] for language, words in STOP_WORDS.items()}
LEFT_OUT["english"] = STOP_WORDS["english"] | STOP_WORDS["russian"]
"""What is left out of a text in each language."""

STOP_PAIRS = _folded(
    """我们 你们 他们 她们 这个 那个 什么 怎么 如何 为什 哪里 哪个 是否 可以 一个 的是 了吗 です ます でし まし した して
    する いる ある こと これ それ から まで など 입니 니다 합니 습니 그리 하는 있는"""
)
"""The same of scripts without spaces."""

_LANGUAGES_OF: dict[str, list[str]] = defaultdict(list)
for _language, _stop in STOP_WORDS.items():
    for _word in _stop:
        _LANGUAGES_OF[_word].append(_language)
_LANGUAGES_OF["bin"].append("english")  # "bin day": by itself it is no German
