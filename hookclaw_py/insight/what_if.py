"""What would another setting do? A past prompt asked again, with the present configuration and with a changed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from hookclaw_py.config import Config
from hookclaw_py.config.sources import typed
from hookclaw_py.engine import Engine
from hookclaw_py.errors import ConfigError, StoreError
from hookclaw_py.insight import terminal
from hookclaw_py.insight.explaining import STYLES
from hookclaw_py.insight.history import asked, said_of
from hookclaw_py.insight.turns import TurnStory
from hookclaw_py.model.types import Candidate, Effect, Injection, Prompt
from hookclaw_py.privacy.redaction import REDACTED
from hookclaw_py.store.decisions import MAX_PROMPT_CHARS, Decision

SAID = (Effect.IN_CONVERSATION, Effect.IN_SYSTEM_PROMPT)
SAME = 3  # memories that are shown at least, so that one sees how near a silent decision was


class Version(NamedTuple):
    """The answer to the prompt under one configuration; ``problems`` say why it may not be what it would be."""

    name: str
    injection: Injection
    problems: tuple[str, ...] = ()


class Comparison(NamedTuple):
    """A decision as it was, as it would be now, and (with changed settings) as it would be then.

    ``gone`` are chunks of that time that are no longer in the store, ``caveats`` what cannot be repeated.
    """

    decision: Decision
    versions: tuple[Version, ...]
    gone: frozenset[str]
    caveats: tuple[str, ...]


def changed_values(settings: Sequence[str]) -> dict[str, Any]:
    """Read KEY=VALUE settings; a value is JSON, or else text.

    Raises:
        ConfigError: listing those that are no KEY=VALUE.
    """
    problems = [f"--set {setting!r} is not KEY=VALUE" for setting in settings if "=" not in setting]
    if problems:
        raise ConfigError(problems)
    return {key: typed(written) for key, _, written in (setting.partition("=") for setting in settings)}


def compare(
    decision: Decision, *, agent: str, folder: Path, config_file: Path | None, settings: Sequence[str]
) -> Comparison:
    """Ask the decision's prompt again, as of its own time; nothing is recorded or learned by that.

    Raises:
        ConfigError: if a setting is unknown or out of range.
        StoreError: if the prompt was forgotten, with what it called up.
    """
    if not decision.glance.prompt and not all(c.chunk.id for c in decision.injection.candidates):
        raise StoreError(f"the prompt of {decision.glance.id} was forgotten, with a memory that it called up")
    present = Config.load(config_file)
    configs = {"now": present}
    if settings:
        configs[" ".join(settings)] = Config.load(config_file, **changed_values(settings))
    prompt = _prompt(decision, agent)
    versions, gone = [Version("then", decision.injection)], frozenset[str]()
    for name, config in configs.items():
        with Engine.open(config, agent=agent, folder=folder) as engine:
            engine.catch_up()
            versions.append(Version(name, engine.recall(prompt, as_of=True, record=False), engine.status().problems))
            past = [c.chunk.id for c in decision.injection.candidates]
            gone = frozenset(past) - engine.store.chunks(past).keys()
    return Comparison(decision, tuple(versions), gone, tuple(_caveats(decision, present, gone)))


def _prompt(decision: Decision, agent: str) -> Prompt:
    """Return the prompt as far as it is kept; what the conversation held already counts as shown again."""
    glance, injection = decision.glance, decision.injection
    cut = len(glance.prompt) >= MAX_PROMPT_CHARS and injection.query is not None
    said = (c.chunk.id for c in injection.rejected if c.fate in SAID)
    return Prompt(
        injection.query.text if cut and injection.query else glance.prompt,
        glance.at,
        agent_id=agent,
        session_id=glance.session,
        trigger=decision.trigger,
        audience=decision.audience,
        shown=frozenset(said),
    )


def _caveats(decision: Decision, present: Config, gone: frozenset[str]) -> list[str]:
    prompt, found = decision.glance.prompt, []
    if decision.fingerprint != present.fingerprint:
        found.append("the configuration was another one then")
    if gone:
        found.append(f"{len(gone)} of the memories shown then are no longer in the store: their notes have changed")
    if REDACTED in prompt or len(prompt) >= MAX_PROMPT_CHARS:
        found.append("the prompt is kept without its secrets, and only its beginning")
    found.append(
        "notes dated after that day stay out of sight; edits since then, and what has been learned, do count now"
    )
    return found


class Row(NamedTuple):
    """One memory under every version, None where it was not among those considered."""

    place: str
    heading: str
    candidates: tuple[Candidate | None, ...]
    injected: tuple[bool, ...]
    gone: bool


def rows(comparison: Comparison) -> list[Row]:
    """Return every memory that is injected in some version, or else the nearest; best first."""
    pools = [{c.chunk.id: c for c in (*v.injection.rejected, *v.injection.candidates)} for v in comparison.versions]
    shown = [frozenset(c.chunk.id for c in v.injection.candidates) for v in comparison.versions]
    best: dict[str, Candidate] = {}
    for pool in pools:
        for name, candidate in pool.items():
            if name and (name not in best or candidate.relevance > best[name].relevance):
                best[name] = candidate
    order = sorted(best, key=lambda i: (not any(i in ids for ids in shown), -best[i].relevance, i))
    count = max(SAME, sum(any(i in ids for ids in shown) for i in order))
    return [
        Row(
            str(best[i].chunk.place),
            best[i].chunk.heading,
            tuple(pool.get(i) for pool in pools),
            tuple(i in ids for ids in shown),
            i in comparison.gone,
        )
        for i in order[:count]
    ]


def why(candidate: Candidate | None, *, injected: bool, gone: bool = False) -> str:
    """Say in a few words what became of a memory; ``gone`` is one that is no longer in the store."""
    if candidate is None:
        return "gone" if gone else "not found"
    if injected:
        return f"✓ {candidate.relevance:.3f}"
    last = candidate.history[-1].note if candidate.history else ""
    return f"· {candidate.relevance:.3f} {last}"


def print_comparison(comparison: Comparison, turn: TurnStory) -> None:
    """Print the versions side by side, and what the change comes to."""
    console = terminal.console()
    console.print(Text.assemble((comparison.decision.glance.id, "bold"), f"  {asked(comparison.decision.glance, 300)}"))
    table = Table("", *(version.name for version in comparison.versions), box=None, padding=(0, 2, 1, 0))
    for column in table.columns:
        column.overflow = "fold"
    compared = rows(comparison)
    table.columns[0].min_width = min(max((len(row.place) for row in compared), default=0), console.width // 3)
    outcomes = [
        Text.assemble((v.injection.outcome, STYLES[v.injection.outcome]), f"\n{v.injection.reason}")
        for v in comparison.versions
    ]
    table.add_row(Text("outcome"), *outcomes)
    for row in compared:
        columns = list(zip(row.candidates, row.injected, strict=True))
        cells = [why(c, injected=i, gone=row.gone and bool(n)) for n, (c, i) in enumerate(columns)]
        if row.candidates[0] is not None and row.injected[0]:
            cells[0] += f"\n{said_of(turn, row.candidates[0].chunk.memory)}"
        styles = ["green" if c is not None and injected else "dim" for c, injected in columns]
        where = Text(row.place)
        where.append(f"\n{row.heading}" if row.heading else "", "dim")
        table.add_row(where, *(Text(cell, style=style) for cell, style in zip(cells, styles, strict=True)))
    console.print(table)
    console.print(Text(summary(comparison), style="bold"))
    for version in comparison.versions:
        for problem in version.problems:
            console.print(Text(f"{version.name}: {problem}", style="yellow"))
        for fault in version.injection.faults:
            console.print(Text(f"{version.name}: {fault.stage} failed: {fault.error}", style="red"))
    for caveat in comparison.caveats:
        console.print(Text(f"note: {caveat}", style="dim"))


def summary(comparison: Comparison) -> str:
    """Say in one sentence what differs between the last two versions."""
    *_, before, after = comparison.versions
    old, new = _ids(before.injection), _ids(after.injection)
    subject = "today" if after.name == "now" else f"with {after.name}"
    past = "it was" if before.name == "then" else "now it is"
    if before.injection.outcome is not after.injection.outcome:
        return f"{subject} the prompt would be {after.injection.outcome}; {past} {before.injection.outcome}"
    came, went = len(new - old), len(old - new)
    if not came and not went:
        return f"{subject} the same memories would be injected" if new else f"{subject} nothing would change"
    coming = f"{came} {'memory comes' if came == 1 else 'memories come'}"
    return f"{subject} {coming} and {went} {'goes' if went == 1 else 'go'}, compared with {before.name}"


def _ids(injection: Injection) -> frozenset[str]:
    return frozenset(c.chunk.id for c in injection.candidates)


def as_object(comparison: Comparison) -> Mapping[str, Any]:
    """Return the comparison, ready for JSON."""
    return {
        "id": comparison.decision.glance.id,
        "prompt": comparison.decision.glance.prompt,
        "summary": summary(comparison),
        "versions": [
            {
                "name": v.name,
                "outcome": v.injection.outcome,
                "reason": v.injection.reason,
                "shown": [c.chunk.id for c in v.injection.candidates],
                "problems": v.problems,
                "faults": v.injection.faults,
            }
            for v in comparison.versions
        ],
        "memories": [
            {
                "place": row.place,
                "heading": row.heading,
                **{
                    version.name: why(candidate, injected=injected)
                    for version, candidate, injected in zip(
                        comparison.versions, row.candidates, row.injected, strict=True
                    )
                },
            }
            for row in rows(comparison)
        ],
        "gone": sorted(comparison.gone),
        "caveats": comparison.caveats,
    }
