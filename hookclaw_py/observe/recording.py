"""Recorded prompts: with ``recordPrompts`` on, what was asked, what became of it, and later what a person thought of it.

They lie in ``prompts.db`` beside the agent's store, one row a prompt, readable with ``sqlite3``. Secrets are taken out
before anything is written: keys, tokens, passwords and private keys become ``[redacted]``.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hookclaw_py.errors import StoreError
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Injection, Message, Prompt
from hookclaw_py.privacy.marked import without_private
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.speech.unsaying import asks_not_to_keep

HELPED, NO_HELP, SHOULD_BE_SILENT, SHOULD_SPEAK = "helped", "did not help", "should be silent", "should speak"
LABELS = (HELPED, NO_HELP, SHOULD_BE_SILENT, SHOULD_SPEAK)
BUSY_SECONDS = 0.2  # that a prompt waits for another writer

_SCHEMA = """
CREATE TABLE IF NOT EXISTS prompts (
    id TEXT PRIMARY KEY,
    received_at TEXT NOT NULL,
    session TEXT NOT NULL,
    cause TEXT NOT NULL,
    text TEXT NOT NULL,
    recent TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    relevance REAL NOT NULL,
    chunk_ids TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    label TEXT NOT NULL DEFAULT ''
)
"""
_COLUMNS = "id, received_at, session, cause, text, recent, outcome, reason, relevance, chunk_ids, fingerprint, label"


@dataclass(frozen=True, slots=True)
class RecordedPrompt:
    """One prompt and the decision of that moment; ``outcome`` is "" when nobody decided (an imported transcript)."""

    id: str
    prompt: Prompt
    outcome: str
    reason: str
    relevance: float
    chunk_ids: tuple[str, ...]
    fingerprint: str
    label: str = ""


class PromptLog:
    """The recorded prompts of one agent. Every method raises ``StoreError`` when the file cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "prompts.db"

    def record(self, prompt: Prompt, injection: Injection, *, fingerprint: str) -> None:
        """Remember what became of ``prompt``, without its secrets; it waits ``BUSY_SECONDS`` for another writer, no longer.

        One off the record is not, and neither are such turns before it.
        """
        if prompt.off_record:
            return
        prompt = replace(prompt, recent=tuple(one for one in prompt.recent if not asks_not_to_keep(one.text)))
        pool = (*injection.candidates, *injection.rejected)
        self.add(
            RecordedPrompt(
                id=injection.id,
                prompt=prompt,
                outcome=str(injection.outcome),
                reason=injection.reason,
                relevance=max((candidate.relevance for candidate in pool), default=0.0),
                chunk_ids=tuple(candidate.chunk.id for candidate in injection.candidates),
                fingerprint=fingerprint,
            ),
            busy_seconds=BUSY_SECONDS,
        )

    def add(self, recorded: RecordedPrompt, *, busy_seconds: float = 5.0) -> bool:
        """Write one prompt, without its secrets; False when it is there already."""
        prompt = recorded.prompt
        row = (
            recorded.id,
            prompt.received_at.astimezone(UTC).isoformat(),
            prompt.session_id,
            prompt.trigger,
            redact(without_private(prompt.text)),
            json.dumps(
                [[message.role, redact(without_private(message.text))] for message in prompt.recent], ensure_ascii=False
            ),
            recorded.outcome,
            redact(recorded.reason),
            recorded.relevance,
            json.dumps(recorded.chunk_ids),
            recorded.fingerprint,
            recorded.label,
        )
        with self._connected(busy_seconds) as connection:
            done = connection.execute(f"INSERT OR IGNORE INTO prompts ({_COLUMNS}) VALUES ({','.join('?' * 12)})", row)
            return done.rowcount == 1

    def all(self, *, agent: str = "main") -> list[RecordedPrompt]:
        """Return every prompt in the order received, as asked of ``agent``; none when nothing was ever recorded."""
        if not self.file.exists():
            return []
        with self._connected() as connection:
            every = connection.execute(f"SELECT {_COLUMNS} FROM prompts ORDER BY received_at, id").fetchall()
        return [_read(row, agent) for row in every]

    def labels(self) -> dict[str, str]:
        """Return what a person judged, by prompt; "" where nobody did."""
        return {one.id: one.label for one in self.all()}

    def label(self, prompt_id: str, label: str) -> None:
        """Remember a person's judgement, one of ``LABELS`` or "" for none."""
        if label not in (*LABELS, ""):
            raise StoreError(f"{label!r} is no label; use one of {', '.join(LABELS)}")
        with self._connected() as connection:
            if not connection.execute("UPDATE prompts SET label = ? WHERE id = ?", (label, prompt_id)).rowcount:
                raise StoreError(f"{self.file}: has no prompt {prompt_id!r}; `hookclaw prompts export` lists them")

    def forget_chunks(self, chunk_ids: Collection[str]) -> int:
        """Delete the prompts that called one of these chunks up; return how many there were."""
        if not self.file.exists():
            return 0
        with self._connected() as connection:
            every = connection.execute("SELECT id, chunk_ids FROM prompts").fetchall()
            gone = [(name,) for name, ids in every if not frozenset(json.loads(ids)).isdisjoint(chunk_ids)]
            connection.executemany("DELETE FROM prompts WHERE id = ?", gone)
        return len(gone)

    def reword(self, rewrite: Callable[[str], str]) -> int:
        """Let prompts, and the turns before them, be what ``rewrite`` makes of them; return of how many that changed anything.

        One of which no word is left goes.
        """
        if not self.file.exists():
            return 0
        with self._connected() as connection:
            every = connection.execute("SELECT id, text, recent FROM prompts").fetchall()
            changed = [
                (*left, name)
                for name, text, recent in every
                if (left := _reworded(text, recent, rewrite)) != (text, recent)
            ]
            connection.executemany("UPDATE prompts SET text = ?, recent = ? WHERE id = ?", changed)
            gone = [(name,) for text, _, name in changed if not text.strip()]
            connection.executemany("DELETE FROM prompts WHERE id = ?", gone)
        return len(changed)

    def forget(self) -> int:
        """Delete everything recorded; return how many prompts there were."""
        if not self.file.exists():
            return 0
        with self._connected() as connection:
            return connection.execute("DELETE FROM prompts").rowcount

    @contextmanager
    def _connected(self, busy_seconds: float = 5.0) -> Iterator[sqlite3.Connection]:
        try:
            if not self.file.exists():
                os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(self.file, timeout=busy_seconds)
            try:
                with connection:
                    connection.execute("PRAGMA secure_delete = ON")
                    connection.execute(_SCHEMA)
                    yield connection
            finally:
                connection.close()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self.file}: the recorded prompts cannot be read or written: {error}") from error


def _reworded(text: str, recent: str, rewrite: Callable[[str], str]) -> tuple[str, str]:
    before = json.loads(recent)
    after = [[role, rewrite(said)] for role, said in before]
    return rewrite(text), recent if after == before else json.dumps(after, ensure_ascii=False)


def _read(row: Sequence[str], agent: str) -> RecordedPrompt:
    name, received_at, session, cause, text, recent, outcome, reason, relevance, chunk_ids, fingerprint, label = row
    messages = tuple(Message(role, said) for role, said in json.loads(recent))
    prompt = Prompt(text, datetime.fromisoformat(received_at), agent, session, messages, cause, audience=Audience.OWNER)
    return RecordedPrompt(
        name, prompt, outcome, reason, float(relevance), tuple(json.loads(chunk_ids)), fingerprint, label
    )
