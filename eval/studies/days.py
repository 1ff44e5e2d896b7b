"""Questions for a day, made of the days that a folder's notes name: "what is on 14 January?", for ``hookclaw eval run``.

    python eval/studies/days.py FOLDER OUT [--most 40] [--seed 5] [--ahead]

FOLDER is a vault or a collection of answers (eval/README.md). Of the days that a line of its notes begins with or speaks of, and no more than
two passages, as many as ``--most`` are drawn, and each is asked for in the language that most of its prompts are in, with the year where it is not the last or next such
day. OUT becomes a vault: the same notes, and these prompts, answered by that line; a quarter as many again ask for days that no note is from or
names, where silence is right. With ``--ahead`` they are asked before: some days ahead by the day of the week ("am I free on Sunday"), in the month before by the
month ("anything planned for December"), and any line that names a day of it answers. The same OUT may be asked of another checkout.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from hookclaw_py import Config, Engine
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.vaults import VaultPrompt, load_vault
from hookclaw_py.ingest.dating import Around, first_day
from hookclaw_py.model.types import Chunk
from hookclaw_py.temporal.mentions import days_named

ASKED = {
    "en": ("what is on {d} {m}{y}", "anything on {m} {d}{y}?", "what did we do on {d} {m}{y}", "{d} {m}{y} - what was that"),
    "de": ("was ist am {d}. {m}{y}", "was war am {d}. {m}{y}", "steht am {d}. {m}{y} etwas an?", "was haben wir am {d}. {m}{y} gemacht"),
    "fr": ("qu'est-ce qu'il y a le {d} {m}{y}", "on a fait quoi le {d} {m}{y}", "il y a quelque chose le {d} {m}{y} ?"),
    "es": ("qué hay el {d} de {m}{y}", "qué hicimos el {d} de {m}{y}", "¿tengo algo el {d} de {m}{y}?"),
    "zh": ("{yz}{n}月{d}日有什么安排", "{yz}{n}月{d}号做了什么"),
}  # fmt: skip
ON_SUNDAY = {
    "en": ("what's on {w}", "am i free on {w}", "anything planned for {w}?", "what do i have on {w}"),
    "de": ("was ist am {w}", "hab ich am {w} zeit", "steht am {w} etwas an", "was machen wir am {w}"),
    "fr": ("qu'est-ce qui est prévu {w}", "j'ai quoi {w}", "je suis libre {w} ?"),
    "es": ("qué tengo el {w}", "estoy libre el {w}", "¿hay algo el {w}?"),
    "zh": ("{w}有什么安排", "{w}有空吗"),
}
IN_DECEMBER = {
    "en": ("anything planned for {m}", "what's on in {m}", "what do we have in {m}", "appointments in {m}"),
    "de": ("was steht im {m} an", "haben wir im {m} etwas vor", "termine im {m}", "was ist im {m} geplant"),
    "fr": ("qu'est-ce qui est prévu en {m}", "on a quoi en {m}", "rendez-vous en {m} ?"),
    "es": ("qué hay en {m}", "qué tengo en {m}", "citas en {m}"),
    "zh": ("{m}月有什么安排", "{m}月有什么计划"),
}
WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "zh": "周一 周二 周三 周四 周五 周六 周日",
}
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "zh": "1 2 3 4 5 6 7 8 9 10 11 12",
}
FAR = 550  # days from the last prompt, beyond which nobody asks what was on a day
MOST_HOLDERS = 2  # passages that name a day which may be asked for
MOST_OF_A_MONTH = 8  # of a month


class Named(NamedTuple):
    """A day, and the line that names it."""

    day: date
    path: str
    line: str


def holders(chunks: list[Chunk]) -> dict[str, list[Chunk]]:
    """Return the passages of each day that one is from or names; "--12-14" is that day of any year."""
    found = defaultdict[str, list[Chunk]](list)
    for chunk in chunks:
        own = f"{chunk.created_at:%Y-%m-%d}" if chunk.created_at else ""
        for term in {own, *(t for t in chunk.terms.distinct if _is_a_day(t) or t.startswith("--"))} - {""}:
            found[term].append(chunk)
    return found


def free(chunks: list[Chunk], at: date) -> list[Named]:
    """Return the days of half a year around that no passage is from or names, in any year."""
    taken = {term[-6:] for term in holders(chunks)}
    around = (at + timedelta(days=n) for n in range(-180, 180))
    return [Named(day, "", "") for day in around if f"{day:-%m-%d}" not in taken]


def named(chunks: list[Chunk]) -> Iterator[Named]:
    """Yield the days that few passages name."""
    for term, held in sorted(holders(chunks).items()):
        for chunk in held if len(held) <= MOST_HOLDERS and _is_a_day(term) else ():
            lines = (line.strip() for line in chunk.text.splitlines())
            day = date.fromisoformat(term)
            if found := next((line for line in lines if _names(line, day)), None):
                yield Named(day, chunk.place.path, found)
                break


def ahead(chunks: list[Chunk], at: date, language: str, rng: random.Random, most: int) -> Iterator[dict[str, object]]:
    """Yield prompts for days and months ahead of when they are asked, and a quarter as many of which nothing is named."""
    held = {term: found for term, found in holders(chunks).items() if _is_a_day(term)}
    taken = {term[-5:] for term in held} | {term[2:] for term in holders(chunks) if term.startswith("--")}
    every = [at + timedelta(days=n) for n in range(-300, 120)]
    first_ones = [day for day in every if day.day == 1]
    for forms, days, length in ((ON_SUNDAY, every, 1), (IN_DECEMBER, first_ones, 0)):
        asked, free_ones = list[dict[str, object]](), list[dict[str, object]]()
        for day in days:
            span = [
                day + timedelta(days=n)
                for n in range(length or 31)
                if length or (day + timedelta(days=n)).month == day.month
            ]
            found = {chunk.id: (chunk, one) for one in span for chunk in held.get(one.isoformat(), ())}
            before = day - timedelta(days=rng.randint(2, 6) if length else rng.randint(3, 25))
            names = {"w": WEEKDAYS[language].split()[day.weekday()], "m": MONTHS[language].split()[day.month - 1]}
            made = {"lang": language, "text": rng.choice(forms[language]).format(**names), "at": f"{before}T09:00:00"}
            lines = [
                (c.place.path, line)
                for c, _ in found.values()
                for line in map(str.strip, c.text.splitlines())
                if any(_names(line, one) for one in span)
            ]
            if found and lines and len(found) <= (MOST_HOLDERS if length else MOST_OF_A_MONTH):
                answers = [
                    {"path": path, "words": [line[:60].rsplit(" ", 1)[0] if len(line) > 60 else line]}
                    for path, line in lines
                ]
                asked.append({**made, "kind": "weekday" if length else "month", "answers": answers})
            elif not found and not any(f"{one:%m-%d}" in taken for one in span):
                free_ones.append({**made, "kind": "free weekday" if length else "free month", "answers": []})
        for drawn, count in ((asked, most), (free_ones, most // 4)):
            yield from rng.sample(drawn, min(count, len(drawn)))


def _names(line: str, day: date) -> bool:
    begins = first_day(line, Around(day.year))
    return day.isoformat() in days_named(line, year=day.year) or (begins is not None and begins.date() == day)


def _is_a_day(term: str) -> bool:
    try:
        return len(term) == len("2026-12-14") and bool(date.fromisoformat(term))
    except ValueError:
        return False


def language_of(prompts: list[VaultPrompt]) -> str:
    """Return the language that most of the prompts are in, if questions can be made in it."""
    language = Counter(prompt.lang for prompt in prompts).most_common(1)[0][0]
    return language if language in ASKED else "en"


def question(one: Named, prompts: list[VaultPrompt], number: int, rng: random.Random) -> dict[str, object]:
    """Return a prompt for a day as a line of ``prompts.jsonl``."""
    language = language_of(prompts)
    at: datetime = max(prompt.asked_at for prompt in prompts)
    near = abs((one.day - at.date()).days) < 330  # otherwise it is not clear which year is meant
    form, month = rng.choice(ASKED[language]), MONTHS[language].split()[one.day.month - 1]
    year = "" if near else f" {one.day.year}" if language != "es" else f" de {one.day.year}"
    text = form.format(d=one.day.day, m=month, n=one.day.month, y=year, yz="" if near else f"{one.day.year}年")
    words = one.line[:60].rsplit(" ", 1)[0] if len(one.line) > 60 else one.line
    answers = [{"path": one.path, "words": [words]}] if words else []
    return {
        "id": f"day-{number:03}",
        "kind": "day" if words else "free day",
        "lang": language,
        "text": text,
        "at": f"{at:%Y-%m-%dT%H:%M:%S}",
        "answers": answers,
    }


def main() -> None:
    """Write the vault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=40)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--ahead", action="store_true")
    given = parser.parse_args()
    prompts, _ = load_vault(given.folder)
    rng = random.Random(given.seed)
    with Engine.in_memory(run_config(Config(enableVector=False))) as engine:
        engine.index(given.folder / "notes")
        at = max(prompt.asked_at for prompt in prompts).date()
        chunks = engine.store.all_chunks()
    if given.ahead:
        made = list(ahead(chunks, at, language_of(prompts), rng, given.most))
        made = [{"id": f"ahead-{n:03}", **prompt} for n, prompt in enumerate(made, 1)]
    else:
        every = [one for one in named(chunks) if abs((one.day - at).days) < FAR]
        drawn = sorted(rng.sample(every, min(given.most, len(every))))
        empty = free(chunks, at)
        drawn += sorted(rng.sample(empty, min(given.most // 4, len(empty))))
        made = [question(one, prompts, n, rng) for n, one in enumerate(drawn, 1)]
    given.out.mkdir(parents=True, exist_ok=True)
    if not (given.out / "notes").exists():
        (given.out / "notes").symlink_to((given.folder / "notes").resolve())
    lines = [json.dumps(prompt, ensure_ascii=False) for prompt in made]
    (given.out / "prompts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{given.folder.name}: {len(made)} prompts, {sum(bool(prompt['answers']) for prompt in made)} with an answer")


if __name__ == "__main__":
    main()
