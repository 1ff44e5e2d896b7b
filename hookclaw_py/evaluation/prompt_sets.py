"""Sets of prompts without documents: which need memory at all (gating), and which time they speak of (temporal)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hookclaw_py.evaluation.sets import UNDATED, LabelledPrompt, SetError, digest_of, find, moment, require_unique, rows
from hookclaw_py.model.types import Period

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class GatingPrompt:
    """A prompt, whether it needs memory (``label``: no_memory, needs_memory, implicit, weak_no, …), and its source."""

    id: str
    text: str
    label: str
    source: str
    split: str = ""

    def labelled(self) -> LabelledPrompt:
        """Return it as a prompt that nobody's notes answer."""
        return LabelledPrompt(self.id, self.text, UNDATED, category=self.source, answerable=False, split=self.split)


@dataclass(frozen=True, slots=True)
class DatedPrompt:
    """A prompt with a phrase of time. ``periods`` are the readings that count as right, empty: it speaks of no time."""

    id: str
    text: str
    asked_at: datetime
    source: str
    periods: tuple[Period, ...]


def load_gating(folder: Path) -> tuple[list[GatingPrompt], str]:
    """Read ``prompts.jsonl[.gz]`` (id, text, label, source); return the prompts and the file's digest."""
    file = find(folder, "prompts")
    found = []
    for number, row in rows(file):
        try:
            found.append(GatingPrompt(row["id"], row["text"], row["label"], row["source"], str(row.get("split") or "")))
        except KeyError as missing:
            raise SetError(f"{file}:{number}: needs {missing}") from None
    require_unique([prompt.id for prompt in found], file)
    return found, digest_of([file] if file else [])


def load_temporal(folder: Path) -> tuple[list[DatedPrompt], str]:
    """Read ``vectors.jsonl[.gz]``; return the prompts with a date, period or none, and the file's digest.

    Rows that expect only a time of day, a duration or a recurrence are left out: a memory is looked up by day.
    """
    file = find(folder, "vectors")
    found = []
    for number, row in rows(file):
        where = f"{file}:{number}"
        periods = tuple(_periods(row, where))
        if periods or row.get("negative"):
            asked_at = moment(row.get("reference_time"), where) or UNDATED
            found.append(DatedPrompt(str(row["id"]), str(row["text"]), asked_at, str(row["source"]), periods))
    require_unique([prompt.id for prompt in found], file)
    return found, digest_of([file] if file else [])


_DAYS = frozenset({"date", "daterange", "datetime", "datetimerange"})
_BEGINNING = datetime(1, 1, 2, tzinfo=UTC)


def _periods(row: Mapping[str, Any], where: str) -> Iterator[Period]:
    """Yield every reading of a row, in whole days; an open end is the beginning or end of time."""
    for entity in row.get("expected") or ():
        readings: Sequence[Mapping[str, Any]] = entity.get("expected") or [entity]
        if "type" in entity and entity["type"] not in _DAYS:
            continue
        for reading in readings:
            value = reading.get("value")
            start, end = _day(value or reading.get("start"), where), _day(reading.get("end"), where)
            if value == "not resolved" or (start is None and end is None):
                continue
            if end is None or (start is not None and end <= start):
                end = (start or _BEGINNING) + DAY
            yield Period(start or _BEGINNING, end)


def _day(written: Any, where: str) -> datetime | None:
    if not written or str(written) == "not resolved" or str(written).startswith("0001"):
        return None
    found = moment(str(written).replace(" ", "T"), where)
    return found.replace(hour=0, minute=0, second=0, microsecond=0) if found else None
