"""Constants: what decides what is recalled, beside the weights of the evidence; ``eval/fit_constants.py`` looks for better ones.

Each stage is handed those that are its own. What only bounds the work (how much is read, how many are compared) stands as a
named constant where the work is done; what a person chooses is in ``Config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_type_hints


class LatestRules(NamedTuple):
    """When a dated passage is told before the page that was found before it: see ``stages.changes.latest_first``.

    That a line has all that is asked of what the prompt names counts 1, that it has all words of the prompt ``named``. It counts ``shared`` times
    ln(1 + the terms that one line of the page has as well), less ``behind`` times ln(its place behind the page), or ``above`` where it
    stands before that; a word of change counts ``change``, that the prompt says that it asks for what holds now counts ``now``, and ``least``
    in all is enough. A relevance below ``faint`` is none.
    """

    named: float
    shared: float
    behind: float
    above: float
    change: float
    now: float
    least: float
    faint: float


class RestatedRules(NamedTuple):
    """When a later turn is told before the one that was found before it: see ``stages.restated.latest_first``.

    That a sentence has all that is asked counts 1. It counts ``differs`` that it has another value of the same sort, less ``behind`` times
    ln(its turn's place behind the other), and ``least`` in all is enough. Each rare word counts ``akin`` that it shares with the other beside what is
    asked, where it says that something has changed; its place counts half then.
    """

    differs: float
    behind: float
    akin: float
    least: float


class ChangeRules(NamedTuple):
    """When a line that says what has changed takes the place of a note: see ``stages.changes``.

    It is looked for beside the best ``among`` candidates, in the ``beside`` chunks that share most terms with the first of them. More
    than a ``share`` of its terms must be the prompt's or the older note's. Where that does not make it sure, the line's passage must be one
    of the best ``near``: what was found far behind the page, or not at all, hardly has news of it.
    """

    among: int
    beside: int
    share: float
    near: int
    latest: LatestRules
    restated: RestatedRules


class LineRules(NamedTuple):
    """Which single lines are told behind the passages: see ``stages.lines``.

    That a line, with its heading, has all that is asked counts 1, less ``behind`` times ln(1 + its passage's place). A dated one counts
    ``shared`` times ln(1 + the terms that one line of the best passage has as well), ``late`` times its day's place among their days, and
    ``change`` for a word of change. ``least`` in all is enough, but not for a line with less than the share ``faint`` of what is asked.
    """

    behind: float
    shared: float
    late: float
    change: float
    least: float
    faint: float


class FollowUps(NamedTuple):
    """When a prompt leaves out what the turns before said: see ``stages.followup``.

    It is at most ``longest`` characters long, for who writes more says what it is about. A pronoun may stand for one of ``bound`` telling
    words in front of it; with more than ``telling`` such words a prompt leaves nothing open. Of the user's turns the last ``turns``
    count, back to one that is complete. One of at most ``perhaps`` telling words that names nothing is searched for in both ways.
    """

    turns: int
    longest: int
    bound: int
    telling: int
    perhaps: int


class Demands(NamedTuple):
    """How many letters a word must have before it is read as one that differs from it in this way; 25 is never."""

    swapped: int
    doubled: int
    missing: int
    added: int
    alike: int


class Spelling(NamedTuple):
    """When a word is read as another: see ``stages.spelling``.

    With more than a share of ``foreign`` words that neither the notes nor a dictionary know, a prompt is in a language that nobody here
    can spell. From ``long`` letters on a word of the notes is meant although the model does not know it.
    """

    foreign: float
    long: int
    a_word: Demands
    a_name: Demands
    another_language: Demands


class Showings(NamedTuple):
    """What a turn counts (for showing the memory, against it), by what the answer did with it.

    ``relevant`` is on the topic and was not needed: for such a prompt its place was wasted all the same. ``ignored`` is weak: good notes
    often say what the answer need not repeat.
    """

    used: tuple[float, float]
    relevant: tuple[float, float]
    contradicted: tuple[float, float]
    ignored: tuple[float, float]


class Use(NamedTuple):
    """What use changes: see ``stages.utility``.

    The posterior is Beta(``prior`` + hits, ``prior`` + misses). A score moves by ``reach`` at most: use breaks ties, it cannot lift the
    irrelevant. A draw lies ``leash`` standard deviations off at most, so that it stays on the side of .5 to which even one fresh turn moved
    the mean. Two prompts whose terms have a Jaccard below ``least_likeness`` are not alike. A memory with
    ``retired_misses`` and less than ``retired_hits``, or shown ``in_vain`` times in a row, is retired: it keeps the share
    ``retirement`` of relevance and score, but on a share of ``pardon`` of the days.
    """

    prior: float
    reach: float
    leash: float
    least_likeness: float
    showings: Showings
    retired_misses: float
    retired_hits: float
    in_vain: int
    retirement: float
    pardon: float


class Constants(NamedTuple):
    """What decides beside the weights.

    A null sample's mean gains ``growth`` deviations with each doubling of a store, up to ``grown`` chunks; stores below ``fewest``
    were not measured, and are taken for this size. Words are as rare as if ``prior_chunks`` chunks more were there: three notes say
    little about that. Two tokens of a cosine of ``alike`` may well mean the same. ``least_deviation``: the null sample of a few
    chunks can be narrower than the noise of a cosine. The relevance makes up ``absolute`` of the score that orders, the rest has
    fallen by a factor of e at ``spread`` logits behind the best. What lies below ``company`` of the best score is right too
    rarely to be worth its tokens.

    A chunk's BM25 over its context weighs ``context_boost`` times that over its own terms. A word of the turn before counts
    ``carried`` of one of the prompt. Who asks what something is gets up to ``pages`` more candidates about it. Two tokens of a cosine of
    ``unrelated`` have nothing to do with each other. Of two notes that share ``same_subject`` of their terms (Jaccard) the newer one
    supersedes the older: "Misery was written by King" and "Misery was written by Dawkins" share a third or more. Of a passage that only
    points elsewhere the share ``pointing`` of its score is left: see ``stages.pointers``.
    """

    growth: float
    grown: int
    fewest: int
    prior_chunks: int
    alike: float
    least_deviation: float
    absolute: float
    spread: float
    company: float
    context_boost: float
    carried: float
    pages: int
    unrelated: float
    same_subject: float
    pointing: float
    changes: ChangeRules
    lines: LineRules
    follow_ups: FollowUps
    spelling: Spelling
    use: Use


def names_of(shape: type[Any] = Constants, inside: str = "") -> list[str]:
    """Return the names of all constants, those of a stage as "changes.share"."""
    named: list[str] = []
    for name, own in get_type_hints(shape).items():
        named += names_of(own, f"{inside}{name}.") if hasattr(own, "_fields") else [f"{inside}{name}"]
    return named


def flat(written: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Return what is written, or what constants hold (``_asdict``), by the names of ``names_of``."""
    found: dict[str, Any] = {}
    for name, value in written.items():
        nested = value._asdict() if hasattr(value, "_asdict") else value
        found |= flat(nested, f"{inside}{name}.") if isinstance(nested, Mapping) else {f"{inside}{name}": nested}
    return found


def constants_of(values: Mapping[str, Any], shape: type[Any] = Constants, inside: str = "") -> Any:
    """Return the constants that have these values, by the names of ``names_of``."""
    parts = {
        name: constants_of(values, own, f"{inside}{name}.")
        if hasattr(own, "_fields")
        else _frozen(values[inside + name])
        for name, own in get_type_hints(shape).items()
    }
    return shape(**parts)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
