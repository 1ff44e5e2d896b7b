"""What one does with recorded prompts: read them from transcripts, write them out as a set, ask them again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.sets import SetError
from hookclaw_py.evaluation.tables import Sheet
from hookclaw_py.hosts.openclaw.envelope import unwrap
from hookclaw_py.ingest.messages import recent, text_of
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Chunk, Outcome, Prompt
from hookclaw_py.observe.recording import HELPED, NO_HELP, SHOULD_BE_SILENT, SHOULD_SPEAK, RecordedPrompt

CONTEXT = 4  # messages before a prompt that are kept
LONGEST = 2000  # characters of each


class Replayed(NamedTuple):
    """A recorded decision, and what the engine would do today."""

    recorded: RecordedPrompt
    outcome: str
    chunk_ids: tuple[str, ...]

    @property
    def change(self) -> str:
        """Say what is different: "same", "now silent", "now injected", "other memories" or "new" (none was recorded)."""
        if not self.recorded.outcome:
            return "new"
        before, now = self.recorded.outcome == Outcome.INJECTED, self.outcome == Outcome.INJECTED
        if before != now:
            return "now injected" if now else "now silent"
        return "same" if set(self.recorded.chunk_ids) == set(self.chunk_ids) else "other memories"


def transcripts(place: Path) -> list[Path]:
    """Return the session files at ``place``, a ``.jsonl`` file or a folder that holds some.

    Raises:
        SetError: if there are none.
    """
    files = [place] if place.is_file() else sorted(place.rglob("*.jsonl"))
    if not files:
        raise SetError(f"{place}: no session transcripts (*.jsonl) here")
    return files


def from_transcript(file: Path, *, agent: str) -> Iterator[RecordedPrompt]:
    """Yield the user's prompts of one OpenClaw session, without envelopes and injected memories, with their context."""
    session, before = file.stem, list[Mapping[str, Any]]()
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SetError(f"{file}: cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        try:
            event = json.loads(line)
        except ValueError:
            raise SetError(f"{file}:{number}: is not JSON; a session transcript has one event a line") from None
        if not isinstance(event, dict):
            continue
        if {"prompt", "outcome", "chunk_ids"} <= event.keys():
            raise SetError(
                f"{file}:{number}: was written by `hookclaw prompts export`, for `hookclaw eval run`; only session transcripts"
                " can be imported"
            )
        if event.get("type") == "session":
            session = str(event.get("id") or session)
        message = event.get("message")
        if event.get("type") != "message" or not isinstance(message, dict):
            continue
        text = unwrap(text_of(message)).strip() if message.get("role") == "user" else ""
        if text:
            name = blake2b(f"{session}/{event.get('id') or number}".encode(), digest_size=8).hexdigest()
            context = recent(before, unwrap=unwrap, count=CONTEXT, max_chars=LONGEST)
            sent = Prompt(text, _time_of(event, message), agent, session, context, audience=Audience.OWNER)
            yield RecordedPrompt(name, sent, "", "imported", 0.0, (), "")
        before.append(message)


def _time_of(event: Mapping[str, Any], message: Mapping[str, Any]) -> datetime:
    written = message.get("timestamp") or event.get("timestamp")
    if isinstance(written, int | float):
        return datetime.fromtimestamp(written / 1000, UTC)
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def exported(recorded: Sequence[RecordedPrompt], chunks: Mapping[str, Chunk]) -> Iterator[dict[str, Any]]:
    """Yield each prompt as a line of a workspace's ``prompts.jsonl``, which ``hookclaw eval run`` reads.

    What helped is ``relevant``; where the engine should have been silent the prompt is not ``answerable``.
    """
    for one in recorded:
        texts = [chunks[i].text for i in one.chunk_ids if i in chunks]
        line: dict[str, Any] = {
            "id": one.id,
            "prompt": one.prompt.text,
            "at": one.prompt.received_at.isoformat(),
            "session": one.prompt.session_id,
            "trigger": one.prompt.trigger,
            "outcome": one.outcome,
            "reason": one.reason,
            "relevance": round(one.relevance, 6),
            "chunk_ids": list(one.chunk_ids),
            "label": one.label,
            "relevant": texts if one.label == HELPED else [],
        }
        if one.label == SHOULD_BE_SILENT:
            line["answerable"] = False
        yield line


def replayed(recorded: Sequence[RecordedPrompt], engine: Engine) -> list[Replayed]:
    """Ask every recorded prompt again, at its own time: later notes are invisible."""
    found = []
    for one in recorded:
        injection = engine.recall(one.prompt, as_of=True)
        found.append(Replayed(one, str(injection.outcome), tuple(c.chunk.id for c in injection.candidates)))
    return found


def sheets(found: Sequence[Replayed]) -> Iterator[Sheet]:
    """Yield the summary of a replay: what changed, and how it agrees with what people thought."""
    changes: dict[str, int] = {}
    for one in found:
        changes[one.change] = changes.get(one.change, 0) + 1
    counted = [[change, str(count)] for change, count in sorted(changes.items(), key=lambda c: -c[1])]
    yield Sheet("Recorded decisions against today's configuration", ["decision", "prompts"], counted)
    rows = []
    for label in (HELPED, NO_HELP, SHOULD_BE_SILENT, SHOULD_SPEAK):
        some = [one for one in found if one.recorded.label == label]
        speaks = sum(one.outcome == Outcome.INJECTED for one in some)
        kept = sum(bool(set(one.recorded.chunk_ids) & set(one.chunk_ids)) for one in some)
        if some:
            rows.append([label, str(len(some)), str(speaks), str(kept)])
    yield Sheet("By label", ["label", "prompts", "injected today", "with a memory of then"], rows)
    differing = [one for one in found if one.change not in ("same", "new")][:20]
    listed = [
        [one.change, one.recorded.label or "–", one.recorded.prompt.text[:80].replace("\n", " ")] for one in differing
    ]
    yield Sheet("What changed", ["change", "label", "prompt"], listed)
