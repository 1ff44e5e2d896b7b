"""Changes: the line that says what is different now stands before the note that says what was.

People write what has changed where they are just writing ("standup moves to 08:45 from today"), and the page that said it
before stays as it is, mostly without a date. A line supersedes another when it has a word of change, is dated later, and
speaks of the same: it shares terms with the older note, and some of them with what of it answers the prompt. A line that has
nothing of what is asked itself must answer it all the same, as a reader says, if there is one.

What will change ("the rent goes up from January") takes no place yet, and a line of few words ("rent now 975") may be of another
thing: both stand beside the older note. Of the dated passages that were found right behind a page without a date, the one whose line
has most of what is asked and of what the page says, and a word of change or a number that the page has not ("rolls 10.60 each"),
is told before that page, which says that it may be outdated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence, Set
from datetime import date, timedelta
from functools import lru_cache
from math import log, log1p
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.calibration.constants import ChangeRules
from hookclaw_py.calibration.defining import asks_who_or_what_alone
from hookclaw_py.kept import of_texts
from hookclaw_py.model.types import Candidate, Chunk, Effect, Query
from hookclaw_py.regex import regex
from hookclaw_py.speech import phones
from hookclaw_py.speech.former import YEAR, asks_for_what_was
from hookclaw_py.speech.news import (
    LINES,
    is_called_new,
    is_time,
    may_say_change,
    may_tell,
    points_at,
    says_change,
    telling,
    without_change,
)
from hookclaw_py.speech.since import since as holds_since
from hookclaw_py.speech.speakers import own_words
from hookclaw_py.speech.tasks import is_task

HARDLY = 3  # what has less of what is asked than a page, and is so many times less sure, is no news of it
LONGEST = 400  # characters of a line that says what has changed; a longer one is a paragraph and says more than that

_WORD = regex(r"[^\W_]+")
_WITHIN = regex(r"(?<=[\w,;)] )[^\W_]+")  # a word that begins no line and no sentence
_ASKS_WHO = regex(r"(?i)\b(?:who|wer|qui|quién|quien|chi)\b|谁")
_UNKNOWN = date.min  # since when what is called new holds
_NUMBER = regex(r"\d+(?:[.,:]\d+)*")
_A_FEW_DAYS = timedelta(days=3)


class _Page(NamedTuple):
    """What an older note says: the terms of its heading, and its lines with theirs; what is to do says nothing yet."""

    chunk: Chunk
    heading: Set[str]
    lines: Sequence[tuple[str, Set[str]]]

    @property
    def said(self) -> Set[str]:
        """All of its terms."""
        return frozenset(self.heading).union(*(terms for _, terms in self.lines))


class News(NamedTuple):
    """A line that says what has changed, since when as far as one can tell, and its terms."""

    chunk: Chunk
    line: str
    since: date
    terms: Set[str]


def follow(
    candidates: Sequence[Candidate],
    query: Query,
    *,
    beside: Callable[[list[str], Collection[str]], Iterable[Chunk]],
    answers: Callable[[News], bool],
    worth: Callable[[Candidate], bool],
    constants: ChangeRules,
) -> list[Candidate]:
    """Let lines that say what has changed of what the best candidates say take their place; see ``prefer_news``.

    They are looked for among the candidates, and in what is found ``beside`` them: by terms, without the ids known already.
    Who somebody is does not change with what is new of him; who has an office ("who is treasurer") does.
    """
    best, who = pages(candidates, worth=worth, among=constants.among), asks_who_or_what_alone(query)
    if not best or asks_for_what_was(query) or (who and not _ASKS_WHO.search(query.text)):
        return list(candidates)
    held = {c.chunk.id: c.chunk for c in candidates}
    found = beside(sought(query, best[0]), held.keys())
    news = told_by([*held.values(), *found], today=query.asked_at.date())
    if who:
        offices = [item for item in news if _is_no_name(query.topic, item.line, *(page.chunk.text for page in best))]
        return prefer_news(candidates, offices, query, answers=answers, worth=worth, constants=constants)
    ordered = prefer_news(candidates, news, query, answers=answers, worth=worth, constants=constants)
    return latest_first(ordered, query, worth=worth, constants=constants)


def _is_no_name(terms: Collection[str], line: str, *pages: str) -> bool:
    """Say whether a line has all of these terms in small letters, and no page one in capitals within its lines: "treasurer"."""
    small = {term for word in _WORD.findall(line) if word.islower() for term in text.terms(word)}
    named = {term for page in pages for word in _WITHIN.findall(page) if word.istitle() for term in text.terms(word)}
    return bool(terms) and small.issuperset(terms) and named.isdisjoint(terms)


def pages(candidates: Sequence[Candidate], *, worth: Callable[[Candidate], bool], among: int) -> list[Candidate]:
    """Return those ``among`` the best, and ``worth`` telling, that claim to hold still: what is dated only tells what happened then."""
    return [c for c in candidates[:among] if worth(c) and c.chunk.created_at is None]


def sought(query: Query, older: Candidate) -> list[str]:
    """Return the terms with which to search for what has become of what a note says."""
    return sorted({*query.topic, *older.chunk.terms.distinct})


def told_by(chunks: Sequence[Chunk], *, today: date) -> list[News]:
    """Return the lines with a word of change that are written by today, and of which one knows from when on they hold.

    What is called new ("Preise neu") and has no date is news in each line, with the words of what it is called.
    """
    found = []
    for chunk in filter(may_tell, chunks):
        body = own_words(chunk.text, chunk.kind.speakers)
        is_new = chunk.created_at is None and is_called_new(chunk.heading)
        called = telling(without_change(chunk.heading)) if is_new else frozenset[str]()
        lines = [(line, telling(line)) for line in _claims(body)] if is_new else _changed(body)
        for line, terms in lines:
            since = holds_since(line, chunk.created_at, today) or (_UNKNOWN if is_new and terms else None)
            if since is not None and (chunk.created_at.date() if chunk.created_at else since) <= today:
                found.append(News(chunk, line, since, terms | called))
    return found


@of_texts
def _changed(body: str) -> tuple[tuple[str, Set[str]], ...]:
    """Return the lines with a word of change, and their terms without it."""
    if not may_say_change(body):
        return ()
    lines = [line for line in _claims(body) if len(line) <= LONGEST and says_change(line)]
    return tuple((line, telling(without_change(line))) for line in lines)


def prefer_news(
    candidates: Sequence[Candidate],
    news: Sequence[News],
    query: Query,
    *,
    answers: Callable[[News], bool],
    worth: Callable[[Candidate], bool],
    constants: ChangeRules,
) -> list[Candidate]:
    """Let what has changed take the place of the best undated notes that say what was; those stand behind, superseded, or perhaps.

    A line is as relevant as the note that it supersedes. A chunk that was not among the ``candidates`` becomes one, where it is sure: what only
    perhaps overtakes a page was found near it.
    """
    ordered, today = list(candidates), query.asked_at.date()
    near = {c.chunk.id for c in candidates[: constants.near]}
    for older in pages(candidates, worth=worth, among=constants.among):
        page = _page(older.chunk)
        if not page.lines:
            continue
        others = [item for item in news if item.chunk.id != older.chunk.id and not points_at(item.line, older.chunk)]
        others = [item for item in others if item.since != _UNKNOWN or _is_version_of(item.chunk, page)]
        others = [item for item in others if not _is_of_something_else(item, page, query)]
        others = [item for item in others if not _knows(page, item, today)]
        same = [item for item in others if _supersedes(item, page, query, share=constants.share)]
        told = [item for item in same if item.since <= today]
        if rivals := [
            item for item in told if item.chunk.id in near or _effect(item, page, query) is Effect.SUPERSEDED
        ]:
            newest = max(_nearest(_fullest(rivals), older.chunk, query), key=lambda item: (item.since, item.chunk.id))
            if not newest.terms.isdisjoint(_topic(query)) or answers(newest):
                ordered = _put(ordered, newest, older, _effect(newest, page, query))
        elif not told and (
            announced := [item for item in others if item in same or _says_little_else(item, page, query)]
        ):
            newest = max(announced, key=lambda item: (item.since, item.chunk.id))
            if _all_asked(newest.terms, query):
                ordered = _put(ordered, newest, older)
    return ordered


def _is_version_of(new: Chunk, page: _Page) -> bool:
    """Say whether a page is no new one itself and has every word of what a new one is called: "Medikamente neu" is news of a page that lists these."""
    called = [forms for _, forms in text.forms(without_change(new.heading)) if forms]
    same = bool(called) and all(not page.said.isdisjoint(forms) for forms in called)  # "What's new" is called nothing
    return same and not is_called_new(page.chunk.heading)


def _page(chunk: Chunk) -> _Page:
    return _Page(chunk, telling(chunk.heading), [(line, telling(line)) for line in _claims(chunk.text)])


def _claims(body: str) -> list[str]:
    """Return the lines of a text that say how things are: a task that is still to do is not outdated, nor does it outdate anything."""
    return [line for line in LINES.split(body) if not is_task(line)]


def _effect(news: News, older: _Page, query: Query) -> Effect:
    """Return what a line of news does to an older note: where it has not most of what is asked, or that has more, this may be what answers."""
    sure = _topic(query) & older.said <= news.terms and _has_most_of_it(news.terms, query)
    return Effect.SUPERSEDED if sure else Effect.OVERTAKEN


def _has_most_of_it(terms: Set[str], query: Query) -> bool:
    """Say whether more than half of a prompt's words are among the terms, names too; where no blanks part them, some of it."""
    topic = frozenset(query.topic) - text.asking()
    each = [forms for word, forms in text.forms(without_change(query.text)) if not is_time(word)]
    words = [found for forms in each if (found := topic.intersection(forms))]
    return 2 * sum(not word.isdisjoint(terms) for word in words) > len(words) if words else bool(topic & terms)


def _fullest(rivals: Sequence[News]) -> list[News]:
    """Return the lines of which no other says all, and more: "wifi password is now …", without "changed wifi password" of that day."""
    of_more = [(item, [other for other in rivals if item.terms < other.terms]) for item in rivals]
    return [item for item, others in of_more if not any(_has_it(o.line, o.terms, o.since, item) for o in others)]


def _nearest(rivals: Sequence[News], older: Chunk, query: Query) -> list[News]:
    """Return the lines that share most with the prompt, what it names aside, and of those with the older note."""
    asked = _topic(query)
    most = max(len(item.terms & asked) for item in rivals)
    near = [item for item in rivals if len(item.terms & asked) == most]
    said = older.terms.distinct
    most = max(len(item.terms & said) for item in near)
    return [item for item in near if len(item.terms & said) >= most - 1]


def latest_first(
    candidates: Sequence[Candidate], query: Query, *, worth: Callable[[Candidate], bool], constants: ChangeRules
) -> list[Candidate]:
    """Let the dated passage that most likely has news of the best page stand before it; the page says that it may be outdated.

    It speaks for a passage that its line has what is asked, and shares terms with a line of the page; see ``LatestRules``. One that has
    less of it than the page, and is ``HARDLY`` times less sure, is no news of it: "up at four with Goran" of "Goran's shoe size". Nor is one that
    names somebody else.
    """
    ordered, rules = list(candidates), constants.latest
    best = ordered[: constants.among]
    for page in [c for c in pages(best, worth=worth, among=constants.among)[:1] if not (c.superseded or c.overtaken)]:
        says, told = _page(page.chunk), list[tuple[float, News]]()
        for place, late in enumerate(best, -best.index(page)):
            item = _line_about(late.chunk, page.chunk, query) if late.relevance >= rules.faint else None
            hardly = HARDLY * late.relevance < page.relevance
            of_less = item and (_is_of_something_else(item, says, query) or (hardly and _says_less(item, says, query)))
            if item and says.lines and not of_less and not _knows(says, item, query.asked_at.date()):
                shared = max(len(terms & item.terms) for _, terms in says.lines)
                behind = rules.behind * log(max(1, place))
                told.append((_covered(item, query) + rules.shared * log1p(shared) - behind, item))
        if told and (most := max(told, key=lambda one: one[0]))[0] >= rules.least:
            ordered = _put(ordered, most[1], page, Effect.OVERTAKEN)
    return ordered


def _says_less(news: News, older: _Page, query: Query) -> bool:
    """Say whether an older note has all that a line has of what is asked, and more."""
    topic = _topic(query)
    return news.terms & topic < older.said & topic


def _knows(page: _Page, news: News, today: date) -> bool:
    """Say whether a page says a change itself, and no less of it: "22 Nov: wifi password changed to …", of "changed wifi password"."""
    changed = [(line, terms) for line, terms in page.lines if news.terms <= terms and says_change(line)]
    return any(_has_it(line, terms, holds_since(line, None, today), news) for line, terms in changed)


def _has_it(line: str, terms: Set[str], since: date | None, news: News) -> bool:
    """Say whether a line that holds ``since`` a day about as late has all that the news says."""
    numbers = frozenset(_NUMBER.findall(news.line))
    late = since is not None and since >= news.since - _A_FEW_DAYS
    return late and news.terms <= terms and numbers.issubset(_NUMBER.findall(line))


def _is_of_something_else(news: News, older: _Page, query: Query) -> bool:
    """Say whether a line names somebody else than prompt and note ("call with Lefèvre: rate 0.11"), or lacks the phone number that is asked for.

    A name is a capitalised word within a line that no dictionary has; in German, where all nouns have capitals, none is known by that.
    """
    if phones.ask_for_one(query.topic) and phones.holds(older.chunk.text) and not phones.holds(news.line):
        return True
    named = older.said & {term for entity in query.entities for term in telling(entity.text)}
    if not named or not named.isdisjoint(news.terms):
        return False
    known = older.said | frozenset(query.terms)
    names = [word for word in _WITHIN.findall(news.line) if word.istitle() and known.isdisjoint(text.terms(word))]
    strange = len(text.in_dictionary([text.fold(word) for word in names])) < len(names)
    return strange and text.guess_language(text.words(news.line)) != "german"


def _covered(news: News, query: Query) -> float:
    """Return which share of what is asked a line has."""
    topic = _topic(query)
    return len(news.terms & topic) / len(topic)


def _line_about(chunk: Chunk, page: Chunk, query: Query) -> News | None:
    """Return the line of a dated passage that has most of what is asked, if it has a word of change, or a number that a page has not."""
    if chunk.created_at is None or chunk.created_at > query.asked_at or not may_tell(chunk):
        return None
    topic = _topic(query)
    lines = [(line.strip(), telling(line)) for line in _claims(own_words(chunk.text, chunk.kind.speakers))]
    line, terms = max(lines, key=lambda item: len(item[1] & topic), default=("", frozenset[str]()))
    new = {*_NUMBER.findall(line)}.difference(_NUMBER.findall(page.text)) or says_change(line)
    since = holds_since(line, chunk.created_at)
    holds = since is not None and since <= query.asked_at.date() and not points_at(line, page)
    return News(chunk, line, chunk.created_at.date(), terms) if new and holds and not terms.isdisjoint(topic) else None


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
        note = f"{'' if effect is Effect.SUPERSEDED else 'perhaps '}superseded by {news.chunk.place}"
        older = older.rescored("change", older.score, note, effect, news.chunk.id)
    if any(c.chunk.id == news.chunk.id and (c.relevance >= older.relevance or not before) for c in ordered[:at]):
        return [*ordered[:at], older, *ordered[at + 1 :]]
    above, below = ([c for c in part if c.chunk.id != news.chunk.id] for part in (ordered[:at], ordered[at + 1 :]))
    return [*above, *((newer, older) if before else (older, newer)), *below]


def _says_little_else(news: News, older: _Page, query: Query) -> bool:
    """Say whether a line of news has a number and all of what is asked, and besides only what a line of the older note has."""
    topic = _topic(query)
    if not topic or not any(map(str.isdigit, news.line)) or not _all_asked(news.terms, query):
        return False
    answering = [(line, terms) for line, terms in older.lines if _all_asked(terms, query)]
    known = frozenset(older.heading).union(*(terms for _, terms in answering))
    return news.terms <= topic | known and not any(_is_of_later(line, news) for line, _ in answering)


def _all_asked(terms: Set[str], query: Query) -> bool:
    """Say whether there is everything that is asked among the terms, of a word one form."""
    words, rest = _asked_words(query.text, _topic(query))
    return all(not word.isdisjoint(terms) for word in words) and rest <= terms


@lru_cache(maxsize=16)
def _asked_words(asked: str, topic: frozenset[str]) -> tuple[list[frozenset[str]], frozenset[str]]:
    """Return the forms of each word that a prompt asks for, and what of the topic is no form of one."""
    words = [found for _, forms in text.forms(asked) if (found := topic.intersection(forms))]
    return words, topic.difference(*words)


def _is_of_later(line: str, news: News) -> bool:
    """Say whether a line speaks of a year after that from which the news holds."""
    return any(int(year) > news.since.year for year in YEAR.findall(line))


def _supersedes(news: News, older: _Page, query: Query, *, share: float) -> bool:
    """Say whether a line of news speaks of what an older note says, and of that of it which answers the prompt."""
    topic, heading, lines = _topic(query), older.heading, older.lines
    asked = topic - heading
    line, best = max(lines, key=lambda item: len((item[1] - heading) & news.terms))
    if not topic or _is_of_later(line, news):
        return False
    words = {term for term in news.terms if not term.isdigit()}
    if len(words & (topic | best | heading)) <= share * len(words):
        return False
    if len(topic & news.terms) >= 2:
        return True
    in_line, in_prompt = (best - heading) & news.terms, asked & news.terms
    most = max(len(terms & asked) for _, terms in lines)
    answering = [terms for _, terms in lines if most and len(terms & asked) == most]
    if len(in_prompt) >= most > 0 or best in answering:
        return bool(in_line | in_prompt) and len(in_line | (news.terms & (topic | heading))) >= 2
    return bool(asked) and not answering and (len(in_line) >= 2 or any(term.isdigit() for term in in_line))


def _topic(query: Query) -> frozenset[str]:
    """Return what a prompt asks of what it names; where a sentence asks for nothing but that, the words of the name.

    That it asks for what holds ("now", "the new one") is said by every news.
    """
    topic = frozenset(query.topic) - text.asking()
    topic = topic.intersection(text.terms(without_change(query.text))) or topic
    rest = topic.difference(*(telling(entity.text) for entity in query.entities))
    return rest or (topic if any(not text.terms(word) for word in text.words(query.text)) else rest)
