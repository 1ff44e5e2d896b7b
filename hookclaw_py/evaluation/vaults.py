"""Vaults: a person's folder of notes as it lies there, and what that person types; right, wrong or missing by kind.

A vault has ``notes/`` and ``prompts.jsonl``. The folder is indexed by the engine itself, as ``hookclaw index`` does, and a
prompt is asked with the conversation before it. What counts is what the agent reads: the block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.sets import SetError, digest_of, find, moment, require_unique, rows
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Candidate, Injection, Message, Outcome, Prompt
from hookclaw_py.stages import render
from hookclaw_py.store.database import passing

Progress = Callable[[str, int, int], None]
FIRM = 0.9  # a relevance from which on a wrong block misleads


class VaultVerdict(StrEnum):
    """What a reply is worth to the person who asked."""

    RIGHT = "right"  # the block has the answer; without an answer: silence
    WRONG = "wrong"  # there is a block, and the answer is not in it
    MISSING = "missing"  # there is an answer, and no block


class Place(NamedTuple):
    """A passage: the note's path below ``notes/`` and words that all stand in it."""

    path: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VaultPrompt:
    """What a person types: ``answers`` are places of which any will do (none: silence is right), ``stale`` what is outdated."""

    id: str
    kind: str
    lang: str
    text: str
    asked_at: datetime
    turns: tuple[Message, ...] = ()
    answers: tuple[Place, ...] = ()
    stale: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class VaultAnswer:
    """What became of one prompt; ``relevance`` is that of the first memory in the block, 0 without one."""

    prompt: VaultPrompt
    verdict: VaultVerdict
    outcome: Outcome
    reason: str
    relevance: float
    block: str


def is_vault(folder: Path) -> bool:
    """Say whether a folder has notes and prompts in the way of a vault."""
    return (folder / "notes").is_dir() and find(folder, "prompts", required=False) is not None


def load_vault(folder: Path) -> tuple[list[VaultPrompt], str]:
    """Read ``prompts.jsonl``; return the prompts and a digest of the file and the notes.

    Raises:
        SetError: naming the line, if a field is missing, or words are not in the note that they are said to be in.
    """
    file = find(folder, "prompts")
    prompts = []
    for number, row in rows(file):
        where = f"{file}:{number}"
        try:
            prompt = VaultPrompt(
                id=str(row["id"]),
                kind=row["kind"],
                lang=row.get("lang", ""),
                text=row["text"],
                asked_at=_moment(row["at"], where),
                turns=tuple(Message(turn["role"], turn["content"]) for turn in row.get("turns") or ()),
                answers=_places(row.get("answers")),
                stale=_places(row.get("stale")),
            )
        except KeyError as missing:
            raise SetError(f"{where}: needs {missing}") from None
        for place in (*prompt.answers, *prompt.stale):
            _check(folder / "notes", place, where)
        prompts.append(prompt)
    require_unique([prompt.id for prompt in prompts], file)
    notes = sorted(path for path in (folder / "notes").rglob("*") if path.is_file())
    return prompts, digest_of([*([file] if file else []), *notes])


def _moment(written: str, where: str) -> datetime:
    found = moment(written, where)
    if found is None:
        raise SetError(f"{where}: `at` must be a moment, not {written!r}")
    return found


def _places(listed: Sequence[Mapping[str, Any]] | None) -> tuple[Place, ...]:
    return tuple(Place(place["path"], tuple(place["words"])) for place in listed or ())


def _check(notes: Path, place: Place, where: str) -> None:
    note = notes / place.path
    if not note.is_file():
        raise SetError(f"{where}: there is no note {place.path}")
    text = _plain(f"{note.stem}\n{note.read_text(encoding='utf-8')}")
    for words in place.words:
        if _plain(words) not in text:
            raise SetError(f"{where}: {words!r} is not in {place.path}")


def ask_vault(
    folder: Path, prompts: Sequence[VaultPrompt], config: Config, progress: Progress
) -> tuple[list[VaultAnswer], int]:
    """Index the notes, ask every prompt in a conversation of its own; return the answers and how many chunks there are."""
    answers = []
    with Engine.in_memory(run_config(config), store=passing(config.store.url)) as engine:
        engine.index(folder / "notes", progress=progress)
        for done, prompt in enumerate(prompts, start=1):
            conversation = tuple(turn.text for turn in prompt.turns)
            asked = Prompt(
                prompt.text,
                prompt.asked_at,
                agent_id=engine.agent,
                session_id=prompt.id,
                audience=Audience.OWNER,
                recent=prompt.turns,
                conversation=conversation,
            )
            answers.append(judged(prompt, engine.recall(asked)))
            progress("asking", done, len(prompts))
        return answers, engine.store.count()


def judged(prompt: VaultPrompt, injection: Injection) -> VaultAnswer:
    """Judge a reply by what the agent reads.

    Where a fact has changed the newer note must stand before the older one, which then says that it is superseded, or may be.
    """
    fired = injection.outcome is Outcome.INJECTED
    if not prompt.answers:
        verdict = VaultVerdict.WRONG if fired else VaultVerdict.RIGHT
    elif not fired:
        verdict = VaultVerdict.MISSING
    else:
        verdict = VaultVerdict.RIGHT if _answers(prompt, injection) else VaultVerdict.WRONG
    top = injection.candidates[0].relevance if fired else 0.0
    return VaultAnswer(prompt, verdict, injection.outcome, injection.reason, top, injection.text)


def _answers(prompt: VaultPrompt, injection: Injection) -> bool:
    shown, block = (*injection.candidates, *injection.lines), _plain(unescape(injection.text))
    right = [n for n, candidate in enumerate(shown) if any(holds(candidate, place, block) for place in prompt.answers)]
    stale = [n for n, candidate in enumerate(shown) if any(holds(candidate, place, block) for place in prompt.stale)]
    warned = [n for n, candidate in enumerate(shown) if candidate.superseded or candidate.overtaken]
    misleading = [n for n in stale if n not in right and not (right and n > right[0] and n in warned)]
    return bool(right) and not misleading


def holds(candidate: Candidate, place: Place, block: str | None = None) -> bool:
    """Say whether a memory is from that place and has its words; of a long one only what is told in the ``block``, where there is one."""
    chunk = candidate.chunk
    name = _plain(render.clean(f"{chunk.place.path}\n{chunk.heading}"))
    text = f"{name} {_plain(render.clean(chunk.text))}"
    told = f"{name}\n{text if block is None else block}"
    return chunk.place.path == place.path and all(_plain(one) in text and _plain(one) in told for one in place.words)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


class Rates(NamedTuple):
    """Shares of the prompts of one kind; ``firm`` is the share that got a wrong block with a relevance of .9 or more."""

    prompts: int
    right: float
    wrong: float
    missing: float
    firm: float


def rates(answers: Sequence[VaultAnswer]) -> Rates:
    """Return the shares; all 0 without answers."""
    count = len(answers) or 1
    share = {verdict: sum(a.verdict is verdict for a in answers) / count for verdict in VaultVerdict}
    firm = sum(a.verdict is VaultVerdict.WRONG and a.relevance >= FIRM for a in answers) / count
    return Rates(len(answers), share[VaultVerdict.RIGHT], share[VaultVerdict.WRONG], share[VaultVerdict.MISSING], firm)


def by_kind(answers: Sequence[VaultAnswer]) -> dict[str, Rates]:
    """Return the rates of all prompts with an answer, of each kind, and of all without one, in this order."""
    kinds = list(dict.fromkeys(a.prompt.kind for a in answers))
    found = {"all with an answer": rates([a for a in answers if a.prompt.answers])}
    found |= {kind: rates([a for a in answers if a.prompt.kind == kind]) for kind in kinds}
    found["all without an answer"] = rates([a for a in answers if not a.prompt.answers])
    return found


def reliability(answers: Sequence[VaultAnswer], *, bins: int = 10) -> list[tuple[float, float, int]]:
    """Return (mean relevance of the first memory, share of right blocks, blocks) for each tenth of the relevance in use."""
    found = []
    for low in range(bins):
        some = [
            a
            for a in answers
            if a.outcome is Outcome.INJECTED and low <= min(a.relevance * bins, bins - 1e-9) < low + 1
        ]
        if some:
            right = sum(a.verdict is VaultVerdict.RIGHT for a in some) / len(some)
            found.append((sum(a.relevance for a in some) / len(some), right, len(some)))
    return found
