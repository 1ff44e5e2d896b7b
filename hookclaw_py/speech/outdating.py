"""Outdating: the lines that say what has changed, and what such a line says of a page that told it before: whether it speaks of the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from hookclaw_py import text
from hookclaw_py.kept import of_texts
from hookclaw_py.model.types import Chunk, Effect, Entity, Query
from hookclaw_py.regex import regex
from hookclaw_py.speech import phones
from hookclaw_py.speech.former import YEAR
from hookclaw_py.speech.news import (
    LINES,
    is_called_new,
    is_time,
    may_tell,
    points_at,
    says_change,
    telling,
    without_change,
)
from hookclaw_py.speech.since import is_logged_after, without_day
from hookclaw_py.speech.since import since as holds_since
from hookclaw_py.speech.speakers import own_words
from hookclaw_py.speech.tasks import is_task

LONGEST = 400  # characters of a line that says what has changed; a longer one is a paragraph and says more than that
WITHIN = regex(r"(?<=[\w,;)] )[^\W_]+")  # a word that begins no line and no sentence
_UNKNOWN = date.min  # since when what is called new holds
_NUMBER = regex(r"\d+(?:[.,:]\d+)*")
_A_FEW_DAYS = timedelta(days=3)
_NAME_WORDS = 4  # of a note's name, at most


class Page(NamedTuple):
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


def news_in(chunks: Sequence[Chunk], *, today: date) -> list[News]:
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
    if not says_change(body):
        return ()
    lines = [line for line in _claims(body) if len(line) <= LONGEST and says_change(line)]
    return tuple((line, telling(without_change(line))) for line in lines)


def _claims(body: str) -> list[str]:
    """Return the lines of a text that say how things are: a task that is still to do is not outdated, nor does it outdate anything."""
    return [line for line in LINES.split(body) if not is_task(line)]


def page_of(chunk: Chunk) -> Page:
    """Read what a note says."""
    return Page(chunk, telling(chunk.heading), [(line, telling(line)) for line in _claims(chunk.text)])


def may_outdate(news: News, page: Page, query: Query, names: Callable[[], Set[str]] = frozenset) -> bool:
    """Say whether a line of news may speak of what a page says: it is none of it, sends nobody there, is of nothing else, and the page does not know it."""
    if news.chunk.id == page.chunk.id or points_at(news.line, page.chunk):
        return False
    if news.since == _UNKNOWN and not _is_version_of(news.chunk, page):
        return False
    return not (is_of_something_else(news, page, query, names) or knows(page, news, query))


def _is_version_of(new: Chunk, page: Page) -> bool:
    """Say whether a page is no new one itself and has every word of what a new one is called: "Medikamente neu" is news of a page that lists these."""
    called = [forms for _, forms in text.forms(without_change(new.heading)) if forms]
    same = bool(called) and all(not page.said.isdisjoint(forms) for forms in called)  # "What's new" is called nothing
    return same and not is_called_new(page.chunk.heading)


def supersedes(news: News, older: Page, query: Query, *, share: float) -> bool:
    """Say whether a line of news speaks of what an older note says, and of that of it which answers the prompt."""
    topic, heading, lines = topic_of(query), older.heading, older.lines
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


def effect_of(news: News, older: Page, query: Query) -> Effect:
    """Return what a line of news does to an older note: where it has not most of what is asked, or that has more, this may be what answers."""
    sure = topic_of(query) & older.said <= news.terms and _has_most_of_it(news.terms, query)
    return Effect.SUPERSEDED if sure else Effect.OVERTAKEN


def _has_most_of_it(terms: Set[str], query: Query) -> bool:
    """Say whether more than half of a prompt's words are among the terms, names too; where no blanks part them, some of it."""
    topic = frozenset(query.topic) - text.asking()
    each = [forms for word, forms in text.forms(without_change(query.text)) if not is_time(word)]
    words = [found for forms in each if (found := topic.intersection(forms))]
    return 2 * sum(not word.isdisjoint(terms) for word in words) > len(words) if words else bool(topic & terms)


def fullest(rivals: Sequence[News]) -> list[News]:
    """Return the lines of which no other says all, and more: "wifi password is now …", without "changed wifi password" of that day."""
    of_more = [(item, [other for other in rivals if item.terms < other.terms]) for item in rivals]
    return [item for item, others in of_more if not any(_has_it(o.line, o.terms, o.since, item) for o in others)]


def nearest(rivals: Sequence[News], older: Chunk, query: Query) -> list[News]:
    """Return the lines that share most with the prompt, what it names aside, and of those with the older note."""
    asked = topic_of(query)
    most = max(len(item.terms & asked) for item in rivals)
    near = [item for item in rivals if len(item.terms & asked) == most]
    said = older.terms.distinct
    most = max(len(item.terms & said) for item in near)
    return [item for item in near if len(item.terms & said) >= most - 1]


def newest_of(rivals: Sequence[News]) -> News:
    """Return the line that holds since the latest day."""
    return max(rivals, key=lambda item: (item.since, item.chunk.id))


def says_little_else(news: News, older: Page, query: Query) -> bool:
    """Say whether a line of news has a number and all of what is asked, and besides only what a line of the older note has."""
    topic = topic_of(query)
    if not topic or not any(map(str.isdigit, news.line)) or not all_asked(news.terms, query):
        return False
    answering = [(line, terms) for line, terms in older.lines if all_asked(terms, query)]
    known = frozenset(older.heading).union(*(terms for _, terms in answering))
    return news.terms <= topic | known and not any(_is_of_later(line, news) for line, _ in answering)


def says_less(news: News, older: Page, query: Query) -> bool:
    """Say whether an older note has all that a line has of what is asked, and more."""
    topic = topic_of(query)
    return news.terms & topic < older.said & topic


def knows(page: Page, news: News, query: Query) -> bool:
    """Say whether a page says a change itself, and no less of it: "22 Nov: wifi password changed to …", of "changed wifi password".

    So does a log whose line of a later day has what is asked of the news: "7 Nov: only one load came", of "two loads on 7 November".
    """
    today, asked, since, known = query.asked_at.date(), news.terms & topic_of(query), news.since, page.chunk.terms
    if asked and any(is_logged_after(line, since, today, known) for line, terms in page.lines if asked <= terms):
        return True
    changed = [(line, terms) for line, terms in page.lines if news.terms <= terms and says_change(line)]
    return any(_has_it(line, terms, holds_since(line, None, today), news) for line, terms in changed)


def _has_it(line: str, terms: Set[str], since: date | None, news: News) -> bool:
    """Say whether a line that holds ``since`` a day about as late has all that the news says."""
    numbers = frozenset(_NUMBER.findall(news.line))
    late = since is not None and since >= news.since - _A_FEW_DAYS
    return late and news.terms <= terms and numbers.issubset(_NUMBER.findall(line))


def is_of_something_else(news: News, older: Page, query: Query, names: Callable[[], Set[str]] = frozenset) -> bool:
    """Say whether a line names somebody else than prompt and note ("call with Lefèvre: rate 0.11"), or lacks the phone number that is asked for.

    A name is one of the ``names`` of the notes, or a capitalised word within a line that no dictionary has; in German, where all nouns
    have capitals, none is known by that.
    """
    if phones.ask_for_one(query.topic) and phones.holds(older.chunk.text) and not phones.holds(news.line):
        return True
    of_names = {term for entity in query.entities for term in telling(entity.text)}
    named = of_names and of_names & older.said
    if not named or not named.isdisjoint(news.terms):
        return False
    known = older.said | frozenset(query.terms)
    if named.isdisjoint(telling(news.chunk.heading)) and _names_another(
        news, known | older.chunk.terms.distinct, names
    ):
        return True
    words = [word for word in WITHIN.findall(news.line) if word.istitle() and known.isdisjoint(text.terms(word))]
    strange = len(text.in_dictionary([text.fold(word) for word in words])) < len(words)
    return strange and text.guess_language(text.words(news.line)) != "german"


def _names_another(news: News, known: Set[str], names: Callable[[], Set[str]]) -> bool:
    """Say whether a line, or a heading beside other words, has one of these names, and nothing of that is known.

    "Paul now has shoe size 36", where Mia's is asked for; "Budget raised to 135k" of the "Helios sync", where Atlas' is.
    """
    called = ([word for word in text.words(part) if not word[0].isdigit()] for part in news.chunk.heading.split(" > "))
    found = [*_phrases(text.words(news.line))]
    found += [phrase for words in called for phrase in _phrases(words) if phrase != " ".join(words)]
    held = names()
    return any(name in held and known.isdisjoint(text.terms(name)) for name in found)


def _phrases(words: Sequence[str]) -> Iterable[str]:
    """Yield what stands together, as much as a name has at most."""
    for start in range(len(words)):
        yield from (" ".join(words[start:end]) for end in range(start + 1, min(start + _NAME_WORDS, len(words)) + 1))


def covered(news: News, query: Query) -> float:
    """Return which share of what is asked a line has."""
    topic = topic_of(query)
    return len(news.terms & topic) / len(topic)


def covered_with_names(news: News, query: Query) -> float:
    """Return which share of a prompt's words a line has, what the prompt names among them; a word counts once, whatever its forms."""
    words, rest = _asked_words(query.text, frozenset(query.topic) - text.asking())
    held = sum(not word.isdisjoint(news.terms) for word in words) + len(rest & news.terms)
    return held / (len(words) + len(rest) or 1)


def lines_about(chunk: Chunk, page: Chunk, query: Query) -> list[News]:
    """Return the lines of a dated passage that hold and may say otherwise than a page.

    One does by another number or a word of change, and without a number by all that is asked: what only mentions it is no news.
    """
    if chunk.created_at is None or not may_tell(chunk) or chunk.id == page.id:
        return []
    if chunk.created_at > query.asked_at and (chunk.is_said or chunk.created_at.date() > query.asked_at.date()):
        return []  # to come: of a note one knows the day alone, where it is written
    topic, found = topic_of(query), list[News]()
    topic, known = topic and topic | frozenset(query.topic) - text.asking(), frozenset(_NUMBER.findall(page.text))
    for line in map(str.strip, _claims(own_words(chunk.text, chunk.kind.speakers))):
        terms = telling(line)
        if terms.isdisjoint(topic):
            continue
        numbers = _NUMBER.findall(without_day(line))
        new = not known.issuperset(numbers) or says_change(line) or (not numbers and topic_of(query) <= terms)
        since = holds_since(line, chunk.created_at) if new else None
        if since is not None and since <= query.asked_at.date() and not points_at(line, page):
            found.append(News(chunk, line, chunk.created_at.date(), terms))
    return found


def all_asked(terms: Set[str], query: Query) -> bool:
    """Say whether there is everything that is asked among the terms, of a word one form."""
    words, rest = _asked_words(query.text, topic_of(query))
    return all(not word.isdisjoint(terms) for word in words) and rest <= terms


@lru_cache(maxsize=16)
def _asked_words(asked: str, topic: frozenset[str]) -> tuple[list[frozenset[str]], frozenset[str]]:
    """Return the forms of each word that a prompt asks for, and what of the topic is no form of one."""
    words = [found for _, forms in text.forms(asked) if (found := topic.intersection(forms))]
    return words, topic.difference(*words)


def _is_of_later(line: str, news: News) -> bool:
    """Say whether a line speaks of a year after that from which the news holds."""
    return any(int(year) > news.since.year for year in YEAR.findall(line))


def topic_of(query: Query) -> frozenset[str]:
    """Return what a prompt asks of what it names; where a sentence asks for nothing but that, the words of the name.

    That it asks for what holds ("now", "the new one") is said by every news.
    """
    return _topic(query.text, query.topic, query.entities)


@lru_cache(maxsize=16)  # each line of news asks for it
def _topic(asked: str, topic: Iterable[str], entities: Iterable[Entity]) -> frozenset[str]:
    named = frozenset(topic) - text.asking()
    named = named.intersection(text.terms(without_change(asked))) or named
    rest = named.difference(*(telling(entity.text) for entity in entities))
    return rest or (named if any(not text.terms(word) for word in text.words(asked)) else rest)
