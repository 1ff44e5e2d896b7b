"""Results of the sets that are not ranked: how the gate sorts prompts, which periods are read, what a vault's owner gets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hookclaw_py import __version__
from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.evaluation.prompt_sets import DatedPrompt, GatingPrompt
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.results import FORMAT, Result
from hookclaw_py.evaluation.sets import spread
from hookclaw_py.evaluation.vaults import ask_vault, by_kind, load_vault, reliability
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Outcome, Prompt

Progress = Callable[[str, int, int], None]


def gating_result(
    name: str, digest: str, prompts: Sequence[GatingPrompt], config: Config, progress: Progress
) -> Result:
    """Ask every prompt of an empty store: what the gate lets through is silent, the rest is skipped."""
    skipped: dict[str, bool] = {}
    reasons: dict[str, int] = {}
    bare = run_config(config).model_copy(update={"enable_vector": False})
    with Engine.in_memory(bare) as engine:
        for done, prompt in enumerate(prompts, start=1):
            sent = Prompt(
                prompt.text,
                prompt.labelled().asked_at,
                agent_id=engine.agent,
                session_id=prompt.id,
                audience=Audience.OWNER,
            )
            injection = engine.recall(sent)
            skipped[prompt.id] = injection.outcome is Outcome.SKIPPED
            if skipped[prompt.id]:
                reason = injection.why.kind.words or injection.reason
                reasons[reason] = reasons.get(reason, 0) + 1
            progress("asking", done, len(prompts))
    rows = _grouped(prompts, lambda p: (p.label, p.source))
    table = [
        {"label": label, "source": source, "prompts": len(some), "skipped": _share(skipped[p.id] for p in some)}
        for (label, source), some in rows
    ]
    totals = [
        {"label": label, "source": "all", "prompts": len(some), "skipped": _share(skipped[p.id] for p in some)}
        for label, some in _grouped(prompts, lambda p: p.label)
    ]
    lines = {
        p.id: {"category": f"{p.label}/{p.source}", "outcome": "skipped" if skipped[p.id] else "silent"}
        for p in prompts
    }
    measured = {"by_source": table, "by_label": totals, "reasons": reasons}
    return {**_about(name, digest, len(prompts), config), "gating": measured, "prompts": lines}


def temporal_result(name: str, digest: str, prompts: Sequence[DatedPrompt], config: Config) -> Result:
    """Read the period out of every prompt: "found", "overlap" with a right reading, "start" on the same day as one."""
    from hookclaw_py.stages.periods import find_period

    lines: dict[str, dict[str, Any]] = {}
    for prompt in prompts:
        period = find_period(prompt.text, now=prompt.asked_at)
        lines[prompt.id] = {
            "category": prompt.source,
            "negative": not prompt.periods,
            "found": period is not None,
            "overlap": period is not None and any(period.overlaps(right) for right in prompt.periods),
            "start": period is not None and any(period.start.date() == right.start.date() for right in prompt.periods),
        }
    table = []
    for source, some in _grouped(prompts, lambda p: p.source):
        positive = [lines[p.id] for p in some if p.periods]
        row: dict[str, Any] = {"source": source, "prompts": len(positive), "negatives": len(some) - len(positive)}
        row |= {key: _share(line[key] for line in positive) for key in ("found", "overlap", "start")}
        row["false"] = _share(lines[p.id]["found"] for p in some if not p.periods)
        table.append(row)
    return {**_about(name, digest, len(prompts), config), "temporal": {"by_source": table}, "prompts": lines}


def vault_result(folder: Path, config: Config, progress: Progress, *, limit: int | None = None) -> Result:
    """Ask what a vault's owner asks, or ``limit`` of it: rates by kind, how far a relevance can be believed, every prompt's verdict."""
    every, digest = load_vault(folder)
    prompts = spread(every, limit)
    answers, chunks = ask_vault(folder, prompts, config, progress)
    lines = {
        a.prompt.id: {
            "category": a.prompt.kind,
            "outcome": str(a.outcome),
            "reason": a.reason,
            "answerable": bool(a.prompt.answers),
            "verdict": str(a.verdict),
            "relevance": round(a.relevance, 6),
            "prompt": a.prompt.text,
            "block": a.block,
        }
        for a in answers
    }
    measured = {
        "chunks": chunks,
        "rates": {kind: rate._asdict() for kind, rate in by_kind(answers).items()},
        "reliability": [list(row) for row in reliability(answers)],
    }
    return {**_about(folder.resolve().name, digest, len(prompts), config), "vault": measured, "prompts": lines}


def _about(name: str, digest: str, prompts: int, config: Config) -> Result:
    return {
        "format": FORMAT,
        "set": {"name": name, "digest": digest, "split": "", "documents": 0, "prompts": prompts, "licence": ""},
        "run": {},
        "config": config.model_dump(
            by_alias=True,
            mode="json",
            exclude_defaults=True,
            exclude={"embedder": {"api_key"}, "llm": True, "messages": True},
        ),
        "fingerprint": config.fingerprint,
        "version": __version__,
        "model": "",
    }


def _grouped(prompts: Sequence[Any], key: Callable[[Any], Any]) -> list[tuple[Any, list[Any]]]:
    return [(name, list(some)) for name, some in groupby(sorted(prompts, key=key), key=key)]


def _share(flags: Iterable[bool]) -> float | None:
    every = list(flags)
    return sum(every) / len(every) if every else None
