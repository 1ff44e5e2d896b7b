"""Changes: the line that says what is different now stands before the note that says what was.

People write what has changed where they are just writing ("standup moves to 08:45 from today"), and the page that said it
before stays as it is, mostly without a date. A line supersedes another when it has a word of change, is dated later, and
speaks of the same: it shares terms with the older note, and some of them with what of it answers the prompt. A line that has
nothing of what is asked itself must answer it all the same, as a reader says, if there is one.

What will change ("the rent goes up from January") takes no place yet, and a line of few words ("rent now 975") may be of another
thing: both stand beside the older note. Of the dated passages that were found near a page without a date, the one whose line
has most of what is asked and of what the page says, and another number than the page, a word of change or, without a number, all
that is asked ("rolls 10.60 each", "food to Barkwell duck"), is told before that page, which says that it may be outdated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from datetime import datetime
from math import log, log1p

from hookclaw_py import text
from hookclaw_py.calibration.constants import ChangeRules, LatestRules
from hookclaw_py.calibration.defining import asks_who_or_what_alone
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query
from hookclaw_py.regex import regex
from hookclaw_py.speech.former import asks_for_what_holds, asks_for_what_was
from hookclaw_py.speech.news import says_change
from hookclaw_py.speech.outdating import (
    WITHIN,
    News,
    Page,
    all_asked,
    covered,
    covered_with_names,
    effect_of,
    fullest,
    is_of_something_else,
    knows,
    lines_about,
    may_outdate,
    nearest,
    newest_of,
    news_in,
    page_of,
    says_less,
    says_little_else,
    supersedes,
    topic_of,
)

DEEP = 12  # candidates of which a line may be news
HARDLY = 3  # what has less of what is asked than a page, and is so many times less sure, is no news of it

_WORD = regex(r"[^\W_]+")
_ASKS_WHO = regex(r"(?i)\b(?:who|wer|qui|quién|quien|chi)\b|谁")


def follow(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    beside: Callable[[list[str], Collection[str]], Iterable[Chunk]],
    answers: Callable[[News], bool],
    worth: Callable[[Candidate], bool],
    constants: ChangeRules,
    names: Callable[[], Set[str]] = frozenset,
) -> list[Candidate]:
    """Let lines that say what has changed of what the best candidates say take their place; see ``prefer_news``.

    They are looked for among the candidates, and in what is found ``beside`` them: by terms, without the ids known already.
    Who somebody is does not change with what is new of him; who has an office ("who is treasurer") does.
    """
    best, who = pages(candidates, query, worth=worth, among=constants.among), asks_who_or_what_alone(query)
    if asks_for_what_was(query) or (who and (not best or not _ASKS_WHO.search(query.text))):
        return list(candidates)
    if not best:
        return latest_first(candidates, query, worth=worth, constants=constants, names=names)
    held = {c.chunk.id: c.chunk for c in candidates}
    found = beside(sought(query, best[0]), held.keys())
    news = news_in([*held.values(), *found], today=query.asked_at.date())
    if who:
        offices = [item for item in news if _is_no_name(query.topic, item.line, *(page.chunk.text for page in best))]
        return prefer_news(candidates, offices, query, answers=answers, worth=worth, constants=constants)
    ordered = prefer_news(candidates, news, query, answers=answers, worth=worth, constants=constants, names=names)
    return latest_first(ordered, query, worth=worth, constants=constants, names=names)


def _is_no_name(terms: Collection[str], line: str, *pages: str) -> bool:
    """Say whether a line has all of these terms in small letters, and no page one in capitals within its lines: "treasurer"."""
    small = {term for word in _WORD.findall(line) if word.islower() for term in text.terms(word)}
    named = {term for page in pages for word in WITHIN.findall(page) if word.istitle() for term in text.terms(word)}
    return bool(terms) and small.issuperset(terms) and named.isdisjoint(terms)


def pages(
    candidates: Sequence[Candidate], query: Query, *, worth: Callable[[Candidate], bool], among: int
) -> list[Candidate]:
    """Return those ``among`` the best, and ``worth`` telling, that claim to hold still: what is dated only tells what happened then.

    "Congress, 4–9 April 2027" claims so until that is over.
    """
    return [c for c in candidates[:among] if worth(c) and c.chunk.written(query.asked_at) is None]


def sought(query: Query, older: Candidate) -> list[str]:
    """Return the terms with which to search for what has become of what a note says."""
    return sorted({*query.topic, *older.chunk.terms.distinct})


def prefer_news(
    candidates: Sequence[Candidate],
    news: Sequence[News],
    query: Query,
    *,
    answers: Callable[[News], bool],
    worth: Callable[[Candidate], bool],
    constants: ChangeRules,
    names: Callable[[], Set[str]] = frozenset,
) -> list[Candidate]:
    """Let what has changed take the place of the best undated notes that say what was; those stand behind, superseded, or perhaps.

    A line is as relevant as the note that it supersedes. A chunk that was not among the ``candidates`` becomes one, where it is sure: what only
    perhaps overtakes a page was found near it.
    """
    ordered, today = list(candidates), query.asked_at.date()
    near = {c.chunk.id for c in candidates[: constants.near]}
    for older in pages(candidates, query, worth=worth, among=constants.among):
        page = page_of(older.chunk)
        if not page.lines:
            continue
        others = [item for item in news if may_outdate(item, page, query, names)]
        same = [item for item in others if supersedes(item, page, query, share=constants.share)]
        told = [item for item in same if item.since <= today]
        if rivals := [
            item for item in told if item.chunk.id in near or effect_of(item, page, query) is Effect.SUPERSEDED
        ]:
            newest = newest_of(nearest(fullest(rivals), older.chunk, query))
            if not newest.terms.isdisjoint(topic_of(query)) or answers(newest):
                ordered = _put(ordered, newest, older, effect_of(newest, page, query))
        elif not told and (
            announced := [item for item in others if item in same or says_little_else(item, page, query)]
        ):
            newest = newest_of(announced)
            if all_asked(newest.terms, query):
                ordered = _put(ordered, newest, older)
    return ordered


def latest_first(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    worth: Callable[[Candidate], bool],
    constants: ChangeRules,
    names: Callable[[], Set[str]] = frozenset,
) -> list[Candidate]:
    """Let the dated passage that most likely has news of the best page stand before it; the page says that it may be outdated.

    It speaks for a passage that its line has what is asked, shares terms with a line of the page, says that something has changed, or stands
    above the page already, and that the prompt says that it asks for what holds now; see ``LatestRules``. Pages behind the best one are outdated by
    what stands above them alone, dated notes by a later line with a word of change that shares terms with one of theirs; turns are ``restated``'s.
    """
    ordered, found = list(candidates), pages(candidates, query, worth=worth, among=constants.among)
    told = [c for c in candidates[: constants.among] if worth(c) and not (c.superseded or c.overtaken)]
    for older in (c for c in told if c.chunk.written(query.asked_at) is None or not c.chunk.kind.speakers):
        at = next(n for n, c in enumerate(ordered) if c.chunk.id == older.chunk.id)
        is_best = bool(found) and older is found[0]
        deep = is_best or older.chunk.created_at is not None
        newest = _latest(ordered[: DEEP if deep else at], older, at, query, constants.latest, names)
        if newest and (is_best or all(c.chunk.id != newest.chunk.id for c in ordered[:at])):
            ordered = _put(ordered, newest, older, Effect.OVERTAKEN)
        elif newest:
            ordered[at] = _overtaken(ordered[at], newest, Effect.OVERTAKEN)
    return ordered


def _latest(
    among: Sequence[Candidate],
    older: Candidate,
    at: int,
    query: Query,
    rules: LatestRules,
    names: Callable[[], Set[str]],
) -> News | None:
    """Return the line that most likely has news of what stands ``at`` a place, and of equals the later; None where none is likely enough to.

    A passage that has less of what is asked, and is ``HARDLY`` times less sure, has no news of it: "up at four with Goran" of "Goran's shoe size".
    Nor has one that names somebody else.
    """
    says, told, written = page_of(older.chunk), list[tuple[float, News]](), older.chunk.written(query.asked_at)
    for place, late in enumerate(among if says.lines else [], -at):
        hardly = HARDLY * late.relevance < older.relevance
        if late.relevance < rules.faint or (written and not _is_of_later(late.chunk, written)):
            continue
        for item in lines_about(late.chunk, older.chunk, query):
            if written and not _changes_a_line(item, says):
                continue
            likely = _likely(item, says, query, place, rules)
            if likely >= rules.least and not (
                is_of_something_else(item, says, query, names)
                or (hardly and says_less(item, says, query))
                or knows(says, item, query)
            ):
                told.append((likely, item))
    return max(told, key=lambda one: (one[0], one[1].since))[1] if told else None


def _is_of_later(chunk: Chunk, written: datetime) -> bool:
    """Say whether a passage is of a later day."""
    return chunk.created_at is not None and chunk.created_at.date() > written.date()


def _changes_a_line(news: News, older: Page) -> bool:
    """Say whether a line has a word of change and terms of a line of what may be outdated."""
    return says_change(news.line) and any(not terms.isdisjoint(news.terms) for _, terms in older.lines)


def _likely(news: News, page: Page, query: Query, place: int, rules: LatestRules) -> float:
    """Return how likely it is that a line has news of a page, that many places behind it, or above."""
    shared = max(len(terms & news.terms) for _, terms in page.lines)
    evidence = covered(news, query) + rules.named * covered_with_names(news, query) + rules.shared * log1p(shared)
    where = rules.above if place < 0 else -rules.behind * log(max(1, place))
    claims_to_hold = page.chunk.written(query.asked_at) is None
    now = rules.now if claims_to_hold and asks_for_what_holds(query) else 0.0
    return evidence + where + rules.change * says_change(news.line) + now


def _put(ordered: Sequence[Candidate], news: News, older: Candidate, effect: Effect = Effect.SCORED) -> list[Candidate]:
    """Return the candidates with the news next to the older note: before it if it has an ``effect`` on that, else behind it.

    Where the news stands above it already, it stays there. A chunk that was none of the candidates becomes one.
    """
    at = next(n for n, c in enumerate(ordered) if c.chunk.id == older.chunk.id)
    place, older, before = older.chunk.place, ordered[at], effect is not Effect.SCORED
    own = next((c for c in ordered if c.chunk.id == news.chunk.id), Candidate(news.chunk))
    newer = own._replace(relevance=max(own.relevance, older.relevance))
    note = f"what is new {'since' if effect is Effect.SUPERSEDED else 'of'} {place}: {news.line.strip()[:80]}"
    newer = newer.rescored("change", older.score, note, Effect.RAISED, older.chunk.id)
    if before:
        older = _overtaken(older, news, effect)
    if any(c.chunk.id == news.chunk.id and (c.relevance >= older.relevance or not before) for c in ordered[:at]):
        return [*ordered[:at], older, *ordered[at + 1 :]]
    above, below = ([c for c in part if c.chunk.id != news.chunk.id] for part in (ordered[:at], ordered[at + 1 :]))
    return [*above, *((newer, older) if before else (older, newer)), *below]


def _overtaken(older: Candidate, news: News, effect: Effect) -> Candidate:
    """Return an older note that says that it is superseded, or perhaps."""
    note = f"{'' if effect is Effect.SUPERSEDED else 'perhaps '}superseded by {news.chunk.place}"
    return older.rescored("change", older.score, note, effect, news.chunk.id)
