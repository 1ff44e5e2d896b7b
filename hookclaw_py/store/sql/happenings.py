"""What happened in sessions, and the queue of what waits to be worked on; both in one transaction.

A session's happenings are worked on in their order: while one waits for another try, those after it wait as well. What
fails, or takes a process with it, is then tried alone, so that it takes no other with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.model.kind import SESSION
from hookclaw_py.regex import regex
from hookclaw_py.store.owners import is_gone
from hookclaw_py.store.sql import batches
from hookclaw_py.store.sql.connections import SQLConnection
from hookclaw_py.store.sql.rows import moment_of
from hookclaw_py.store.values import Lane, Lease, Waiting

_COLUMNS = "id, at, host, session, run, kind, payload"
_LEAST_CHARS = 20  # of a line by which a forgotten text is known again
_SAID_BY = regex(rf"^(?:{'|'.join(SESSION.speakers)}): ")
_TOLD = 5  # errors
_MAX_ERROR = 300


def append(
    connection: SQLConnection, told: Iterable[Happening], *, queued: Collection[str], now: datetime
) -> frozenset[str]:
    """Write those that are not there yet, queue some of them, and return the ids of what is new."""
    new = set()
    for one in told:
        values = (one.id, _moment(one.at), one.host, one.session, one.run, one.kind.value, _written(one.payload))
        row = connection.execute(
            f"INSERT INTO happenings ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING number",
            values,
        ).fetchone()
        if row is None:
            continue
        new.add(one.id)
        if one.id in queued:
            connection.execute(
                "INSERT INTO queue (happening, lane, session, state, attempts, due) VALUES (?, ?, ?, 'pending', 0, ?)",
                (row[0], Lane.RULES.value, one.session, _moment(now)),
            )
    return frozenset(new)


def enqueue(connection: SQLConnection, ids: Iterable[str], *, lane: Lane, now: datetime) -> None:
    """Let what is kept under these ids wait for work in a lane; what waits there already waits once."""
    connection.executemany(
        "INSERT INTO queue (happening, lane, session, state, attempts, due) SELECT number, ?, session, 'pending', 0, ?"
        " FROM happenings WHERE id = ? ON CONFLICT (happening, lane) DO NOTHING",
        [(lane.value, _moment(now), one) for one in ids],
    )


def read(
    connection: SQLConnection,
    *,
    session: str,
    run: str,
    kinds: Collection[HappeningKind],
    newest: int,
) -> list[Happening]:
    """Return the newest that fit, oldest first; "" is any session or run, no kinds are all of them."""
    wanted = {"session = ?": session, "run = ?": run}
    where = [condition for condition, value in wanted.items() if value]
    values: list[Any] = [value for value in wanted.values() if value]
    if kinds:
        where.append(f"kind IN ({','.join('?' * len(kinds))})")
        values += [kind.value for kind in kinds]
    found = connection.execute(
        f"SELECT {_COLUMNS} FROM happenings {'WHERE ' if where else ''}{' AND '.join(where)} ORDER BY number DESC LIMIT ?",
        (*values, newest),
    ).fetchall()
    return [_happening(row) for row in reversed(found)]


def counts(connection: SQLConnection) -> dict[str, int]:
    """Return how much is kept of each session."""
    return dict(connection.execute("SELECT session, count(*) FROM happenings GROUP BY session").fetchall())


def lease(connection: SQLConnection, *, token: str, now: datetime, most: int, lane: Lane) -> Lease | None:
    """Take what is due of the session that has waited longest; None when nothing is.

    What has not failed yet is due, whatever the clock said when it was queued.
    """
    head = connection.execute(
        "SELECT session FROM queue q WHERE lane = ? AND state = 'pending' AND (attempts = 0 OR due <= ?) AND NOT EXISTS (SELECT 1 FROM queue b"
        " WHERE b.session = q.session AND b.lane = q.lane AND b.happening < q.happening"
        " AND b.state IN ('pending', 'processing')) ORDER BY happening LIMIT 1",
        (lane.value, _moment(now)),
    ).fetchone()
    if head is None:
        return None
    rows = connection.execute(
        f"SELECT q.happening, q.attempts, {', '.join(f'h.{name}' for name in _COLUMNS.split(', '))}"
        " FROM queue q JOIN happenings h ON h.number = q.happening"
        " WHERE q.session = ? AND q.lane = ? AND q.state = 'pending' ORDER BY q.happening LIMIT ?",
        (head[0], lane.value, most),
    ).fetchall()
    tried = rows[0][1]
    taken = rows[:1] if tried else _until(rows)
    connection.executemany(
        "UPDATE queue SET state = 'processing', leased = ?, lease = ? WHERE happening = ? AND lane = ?",
        [(_moment(now), token, row[0], lane.value) for row in taken],
    )
    return Lease(token, head[0], tuple(_happening(row[2:]) for row in taken), tried)


def _until(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return those before the first that was tried before."""
    taken = []
    for row in rows:
        if row[1]:
            break
        taken.append(row)
    return taken


def done(connection: SQLConnection, token: str) -> None:
    """End a lease: its work is done."""
    connection.execute("DELETE FROM queue WHERE lease = ? AND state = 'processing'", (token,))


def give_back(
    connection: SQLConnection,
    token: str,
    *,
    now: datetime,
    error: str,
    waits: Sequence[timedelta],
    counted: bool = True,
) -> None:
    """End a lease without its work being done; if that is ``counted``, its first one has failed once more.

    After each failure it waits as long as ``waits`` says, and after the last one it is tried no more.
    """
    rows = connection.execute(
        "SELECT happening, attempts, lane FROM queue WHERE lease = ? AND state = 'processing' ORDER BY happening",
        (token,),
    ).fetchall()
    connection.execute(
        "UPDATE queue SET state = 'pending', leased = NULL, lease = NULL WHERE lease = ? AND state = 'processing'",
        (token,),
    )
    if not (rows and counted):
        return
    happening, attempts = rows[0][0], rows[0][1] + 1
    state = "pending" if attempts <= len(waits) else "failed"
    due = now + (waits[attempts - 1] if state == "pending" else timedelta())
    connection.execute(
        "UPDATE queue SET state = ?, attempts = ?, due = ?, error = ? WHERE happening = ? AND lane = ?",
        (state, attempts, _moment(due), error[:_MAX_ERROR], happening, rows[0][2]),
    )


def recover(
    connection: SQLConnection, *, now: datetime, stuck: timedelta, waits: Sequence[timedelta], lane: Lane
) -> int:
    """Give back what has been at work for longer than ``stuck``, or by a process that has ended. Return how many leases."""
    found = connection.execute(
        "SELECT lease, min(leased) FROM queue WHERE lane = ? AND state = 'processing' GROUP BY lease", (lane.value,)
    ).fetchall()
    hung = [token for token, since in found if since < _moment(now - stuck) or is_gone(token)]
    for token in hung:
        give_back(connection, token, now=now, error="its process ended, or hung, while it was at work", waits=waits)
    return len(hung)


def retry(connection: SQLConnection, *, now: datetime) -> int:
    """Let what has failed be tried again as if for the first time; return how much that is."""
    found = connection.execute("SELECT happening, lane FROM queue WHERE state = 'failed'").fetchall()
    connection.executemany(
        "UPDATE queue SET state = 'pending', attempts = 0, due = ?, error = NULL WHERE happening = ? AND lane = ?",
        [(_moment(now), number, lane) for number, lane in found],
    )
    return len(found)


def waiting(connection: SQLConnection, *, now: datetime, stuck: timedelta, lane: Lane) -> Waiting:
    """Say how much is captured, and how much of it waits in a lane."""
    counts = dict(
        connection.execute("SELECT state, count(*) FROM queue WHERE lane = ? GROUP BY state", (lane.value,)).fetchall()
    )
    hung = connection.execute(
        "SELECT count(*) FROM queue WHERE lane = ? AND state = 'processing' AND leased < ?",
        (lane.value, _moment(now - stuck)),
    ).fetchone()[0]
    every, sessions, last = connection.execute(
        "SELECT count(*), count(DISTINCT session), max(at) FROM happenings"
    ).fetchone()
    (due,) = connection.execute(
        "SELECT min(due) FROM queue WHERE lane = ? AND state = 'pending'", (lane.value,)
    ).fetchone()
    errors = connection.execute(
        "SELECT h.id, q.error FROM queue q JOIN happenings h ON h.number = q.happening WHERE q.lane = ? AND q.error IS NOT NULL"
        " ORDER BY q.happening DESC LIMIT ?",
        (lane.value, _TOLD),
    ).fetchall()
    return Waiting(
        captured=every,
        sessions=sessions,
        pending=counts.get("pending", 0),
        processing=counts.get("processing", 0),
        stuck=hung,
        failed=counts.get("failed", 0),
        due=moment_of(due),
        last=moment_of(last),
        errors=tuple((name, error) for name, error in errors),
    )


def expire(connection: SQLConnection, *, before: datetime, unanswered: datetime) -> int:
    """Delete the payloads of what happened before then, unless they wait for the rules; return how many.

    A turn that has no answer keeps its own until it happened before ``unanswered``: what comes of it is told with what was asked.
    """
    found = connection.execute(
        "SELECT number FROM happenings h WHERE at < ? AND payload IS NOT NULL AND NOT EXISTS (SELECT 1 FROM queue"
        " WHERE happening = number AND lane = ? AND state IN ('pending', 'processing'))"
        " AND (at < ? OR EXISTS (SELECT 1 FROM happenings a WHERE a.session = h.session AND a.run = h.run AND a.kind = 'answer'))",
        (_moment(before), Lane.RULES.value, _moment(unanswered)),
    ).fetchall()
    _empty(connection, [number for (number,) in found])
    return len(found)


def purge(connection: SQLConnection, texts: Iterable[str], runs: Collection[tuple[str, str]]) -> frozenset[str]:
    """Delete the payloads that say what is forgotten, and those of the runs that were shown it; return whose they were."""
    wanted = {line for text in texts for line in lines_of(text)}
    gone = [
        number
        for session, run in sorted(runs)
        for (number,) in connection.execute(
            "SELECT number FROM happenings WHERE session = ? AND run = ? AND payload IS NOT NULL", (session, run)
        )
    ]
    if wanted:
        every = connection.execute("SELECT number, payload FROM happenings WHERE payload IS NOT NULL").fetchall()
        said = ((number, _folded(" \n ".join(_leaves(json.loads(payload))))) for number, payload in every)
        gone += [number for number, words in said if any(is_said(line, words) for line in wanted)]
    names = [name for (name,) in batches.found(connection, "SELECT id FROM happenings WHERE number IN ({})", gone)]
    _empty(connection, gone)
    return frozenset(names)


def reword(connection: SQLConnection, reworded: Callable[[str], str]) -> None:
    """Let every text of what is kept be what ``reworded`` makes of it; a payload of which no word is left goes."""
    every = connection.execute("SELECT number, payload FROM happenings WHERE payload IS NOT NULL").fetchall()
    changed = [(number, after) for number, before in every if (after := _rewritten(before, reworded)) != before]
    connection.executemany(
        "UPDATE happenings SET payload = ? WHERE number = ?", [(after, number) for number, after in changed]
    )
    _empty(connection, [number for number, after in changed if not "".join(_leaves(json.loads(after))).strip()])


def _rewritten(payload: str, reworded: Callable[[str], str]) -> str:
    before = json.loads(payload)
    after = _each(before, reworded)
    return payload if after == before else _written(after)


def _each(value: Any, reworded: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {name: _each(one, reworded) for name, one in value.items()}
    if isinstance(value, list):
        return [_each(one, reworded) for one in value]
    return reworded(value) if isinstance(value, str) else value


def lines_of(text: str) -> list[str]:
    """Return the lines by which a text is known again, folded, without who said them."""
    lines = [_folded(_SAID_BY.sub("", line)) for line in text.splitlines()]
    return [line for line in lines if len(line) >= _LEAST_CHARS] or [folded for folded in [_folded(text)] if folded]


def is_said(line: str, words: str) -> bool:
    """Say whether a folded line stands in folded words, and not as a part of a longer one: "anna" is not said by "savannah"."""
    at = words.find(line)
    while at >= 0:
        end = at + len(line)
        if not (_is_one_word(words[at - 1 : at] + line[0]) or _is_one_word(line[-1] + words[end : end + 1])):
            return True
        at = words.find(line, at + 1)
    return False


def _is_one_word(pair: str) -> bool:
    """Say whether two characters belong to one word; those of scripts without upper case, often written without blanks, need not."""
    return len(pair) == 2 and all(one.isdigit() or one.upper() != one.lower() for one in pair)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one)]
    return [value] if isinstance(value, str) else []


def _empty(connection: SQLConnection, numbers: Collection[int]) -> None:
    keys = [(number,) for number in numbers]
    connection.executemany("UPDATE happenings SET payload = NULL WHERE number = ?", keys)
    connection.executemany("DELETE FROM queue WHERE happening = ?", keys)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _written(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False)


def _happening(row: Sequence[Any]) -> Happening:
    name, at, host, session, run, kind, payload = row
    said = json.loads(payload) if payload else {}
    return Happening(name, datetime.fromisoformat(at), host, session, run, HappeningKind(kind), said)
