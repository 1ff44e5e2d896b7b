"""What holds for periods whatever the time, the zone and the words around them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.stages.periods import find_period

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "America/Havana",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "Pacific/Apia",
    )
]
zones = st.sampled_from(ZONES)
moments = st.builds(
    lambda moment, zone: moment.astimezone(zone),
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC)),
    zones,
)
PHRASES = [
    "yesterday", "today", "last night", "this morning", "last week", "this month", "next year", "the last 3 days", "past 2 weeks",
    "the last 90 minutes", "5 hours ago", "three weeks ago", "a month ago", "two years ago", "last Tuesday", "on Friday", "in March",
    "last summer", "Feb 9", "Feb 29", "9 February 2024", "2024-02-29", "Q1 2026", "in 2025", "the week of Feb 9", "between Monday and Wednesday",
    "from March 3 to March 10", "since Monday", "before March", "after Feb 9", "the first Monday of April", "late March", "over the weekend",
    "the day before yesterday", "gestern", "vor drei wochen", "la semaine dernière", "上周", "三天前", "вчера", "on the 9th", "friday the 13th",
]  # fmt: skip
phrases = st.sampled_from(PHRASES)
FILLER = "which did we decide about the logging format please tell me more of it zeus"
around = st.lists(st.sampled_from(FILLER.split()), max_size=6).map(" ".join)


def day_of(period):
    return period.start.replace(tzinfo=None), period.end.replace(tzinfo=None)


@given(moments, st.integers(1, 3000))
def test_n_days_ago_is_that_local_day(now, days):
    day = now.date() - timedelta(days=days)
    start = datetime.combine(day, time(0))
    period = find_period(f"what happened {days} days ago", now=now)
    assert period is not None
    assert day_of(period) == (start, start + timedelta(days=1))
    assert period.start.tzinfo is now.tzinfo


@given(moments, phrases)
def test_every_phrase_gives_a_period_that_starts_before_it_ends(now, phrase):
    period = find_period(phrase, now=now)
    assert period is not None
    assert period.start < period.end
    assert period.start.astimezone(UTC) < period.end.astimezone(UTC)


@given(moments, phrases)
def test_the_letter_case_does_not_matter(now, phrase):
    for written in (phrase.upper(), phrase.title(), phrase.lower()):
        assert _when(find_period(written, now=now)) == _when(find_period(phrase, now=now))


@given(moments, phrases, around, around)
def test_ordinary_words_around_a_phrase_do_not_change_it(now, phrase, before, after):
    written = f"{before} {phrase}, {after}".strip()
    assert _when(find_period(written, now=now)) == _when(find_period(phrase, now=now))


def _when(period):
    return period and (period.start, period.end)


@given(
    moments,
    st.sampled_from(
        [
            "yesterday",
            "last Tuesday",
            "last week",
            "last month",
            "3 weeks ago",
            "Feb 9",
            "in March",
            "last night",
            "on the 9th",
        ]
    ),
)
def test_what_is_looked_back_at_has_begun(now, phrase):
    period = find_period(phrase, now=now)
    assert period is not None
    assert period.start <= now


@given(moments, st.integers(1, 400), st.sampled_from(["hours", "minutes"]))
def test_the_last_n_hours_are_that_long_and_end_now(now, number, unit):
    period = find_period(f"the last {number} {unit}", now=now)
    assert period is not None
    assert period.end.astimezone(UTC) - period.start.astimezone(UTC) == timedelta(**{unit: number})
    assert period.end.astimezone(UTC) == now.astimezone(UTC)


@given(moments, st.text())
def test_no_text_raises(now, text):
    period = find_period(text, now=now)
    assert period is None or period.start < period.end


WORDS = """
    last this next past the of in on at from to between and since before after until ago a few 1 2 12 31 99 1st 9th 31st 2026 9999 2026-02-30
    second monday sat sun may march february feb day days week weeks month year years quarter q1 h1 weekend morning night spring summer christmas
    eve new 1990s 3/4 3-10 12.02 12.02.2026 , - . two twenty thousand nineteen half early end every yesterday morgen vor il y hier 上周 三天前 now 5d 9pm
"""


@settings(max_examples=400)
@given(moments, st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join))
def test_no_jumble_of_time_words_raises(now, text):
    period = find_period(text, now=now)
    assert period is None or period.start < period.end


@given(
    st.sampled_from([datetime(1, 1, 1, 5, tzinfo=UTC), datetime(9999, 12, 31, 5, tzinfo=UTC)]),
    phrases,
    st.lists(st.sampled_from(WORDS.split()), max_size=5).map(" ".join),
)
def test_the_ends_of_the_calendar_raise_nothing(now, phrase, text):
    find_period(phrase, now=now)
    find_period(text, now=now)
