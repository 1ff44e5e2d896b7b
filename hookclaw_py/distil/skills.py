"""Episodes, plans and skills: what a run did, how it may be done again, and how well it goes.

Of arguments only their names are kept: what stood in them stands in the events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from hookclaw_py.distil.calls import ToolCall
from hookclaw_py.distil.failures import failure_mode
from hookclaw_py.distil.noise import is_aside
from hookclaw_py.distil.runs import Episode
from hookclaw_py.distil.telling import NO_DIFF, asked, change_of, first_error, title_of
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import EPISODE, PLAN, SKILL

_OF_EPISODE, _OF_PLAN, _OF_SKILL, _OF_TRIGGER = 0.8, 0.7, 0.8, 0.7
_LEAST_STEPS = 3  # tool calls of a plan
_LEAST_TOOLS = 2  # of a skill
_LEAST_CALLS = 3  # of a tool, until it is known how well it works
_TITLES = 8  # of what an episode did


def episode(run: Episode) -> Draft | None:
    """Return what a run did, call by call; None if it called nothing."""
    calls = _calls(run)
    if not calls:
        return None
    titles = list(
        dict.fromkeys(title_of(call, change_of(call) if call.added or call.removed else NO_DIFF) for call in calls)
    )
    graph = [
        {
            "id": number,
            "tool": call.tool,
            "args": list(call.arguments),
            "result": "success" if call.ok else failure_mode(first_error(call)),
            "depends_on": [number - 1] if number else [],
        }
        for number, call in enumerate(calls)
    ]
    return Draft(
        kind=EPISODE,
        key=f"episode {run.session} {run.name}",
        title="",
        body="\n".join(filter(None, [asked(run.prompt), *titles[:_TITLES]])),
        said_by=Speaker.TOOL,
        confidence=_OF_EPISODE,
        at=run.at,
        session=run.session,
        run=run.name,
        evidence=run.evidence,
        fields={
            "outcome": _outcome(calls),
            "tools": _tools(calls),
            "graph": graph,
            "ms": sum(call.ms for call in calls),
        },
    )


def plan(run: Episode) -> Draft | None:
    """Return the steps of a run as they may be taken again; None if there are fewer than three."""
    calls = _calls(run)
    if len(calls) < _LEAST_STEPS:
        return None
    ops = [call.tool for call in calls]
    failed = sum(not call.ok for call in calls)
    nodes = [{"id": number, "op": call.tool, "params": list(call.arguments)} for number, call in enumerate(calls)]
    edges = [{"from": number, "to": number + 1, "kind": "control"} for number in range(len(calls) - 1)]
    return Draft(
        kind=PLAN,
        key=f"plan {'+'.join(ops)}",
        title="",
        body="\n".join(filter(None, [asked(run.prompt), *_steps(ops)])),
        said_by=Speaker.TOOL,
        confidence=_OF_PLAN,
        at=run.at,
        session=run.session,
        run=run.name,
        evidence=run.evidence,
        fields={
            "intent": asked(run.prompt).removeprefix("Asked: "),
            "version": 1,
            "nodes": nodes,
            "edges": edges,
            "executions": 1,
            "failure_rate": failed / len(calls),
            "ms": sum(call.ms for call in calls),
        },
    )


def skills(episodes: Sequence[Draft], *, min_occurrences: int) -> list[Draft]:
    """Return what was done with the same tools, and well, at least so often; ``episodes`` in order of time."""
    by_tools: dict[tuple[str, ...], list[Draft]] = {}
    for one in episodes:
        by_tools.setdefault(tuple(one.fields["tools"]), []).append(one)
    found = []
    for tools, every in by_tools.items():
        if len(tools) < _LEAST_TOOLS:  # how well one tool works says its competence
            continue
        good = [one for one in every if one.fields["outcome"] == "success"]
        if len(good) >= min_occurrences:
            found.append(_skill(tools, every, good))
    return found


def _skill(tools: Sequence[str], every: Sequence[Draft], good: Sequence[Draft]) -> Draft:
    last = good[-1]
    name = f"skill:{'+'.join(tools)}"
    return Draft(
        kind=SKILL,
        key=name,
        title=name,
        body="\n".join(_steps(tools)),
        said_by=Speaker.TOOL,
        confidence=_OF_SKILL,
        at=last.at,
        session=last.session,
        run=last.run,
        evidence=tuple(dict.fromkeys(name for one in good for name in one.evidence)),
        fields={
            "recipe": [{"step": step, "tool": tool} for step, tool in zip(_steps(tools), tools, strict=True)],
            "triggers": [],
            "wins": len(good),
            "calls": len(every),
            "ms": sum(one.fields["ms"] for one in every) / len(every),
        },
    )


@dataclass(frozen=True)
class Competence:
    """How well a tool has worked: calls, how many went well, how the others failed, how long they took."""

    tool: str
    calls: int = 0
    wins: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    ms: float = 0.0

    def after(self, call: ToolCall) -> Competence:
        """Return it with one more call."""
        failures = Counter(self.failures)
        if not call.ok:
            failures[failure_mode(first_error(call))] += 1
        mean = (self.ms * self.calls + call.ms) / (self.calls + 1)
        return replace(self, calls=self.calls + 1, wins=self.wins + call.ok, failures=dict(failures), ms=mean)

    def draft(self, *, at: datetime, session: str, run: str, evidence: Sequence[str]) -> Draft | None:
        """Return it as a skill; None as long as there were too few calls to say."""
        if self.calls < _LEAST_CALLS:
            return None
        name = f"skill:{self.tool}"
        worst = max(self.failures.items(), key=lambda pair: (pair[1], pair[0]))[0] if self.failures else ""
        fields: dict[str, Any] = {
            "recipe": [{"step": f"Step 1: invoke {self.tool}", "tool": self.tool}],
            "triggers": [{"signal": f"{self.tool} tool needed", "confidence": _OF_TRIGGER}],
            "wins": self.wins,
            "calls": self.calls,
            "failures": dict(self.failures),
            "ms": self.ms,
        }
        body = "\n".join(filter(None, [f"{self.tool} tool needed", f"{self.wins}/{self.calls} success", worst]))
        return Draft(SKILL, name, name, body, Speaker.TOOL, _OF_SKILL, at, session, run, tuple(evidence), fields)


def competences(calls: Iterable[ToolCall]) -> dict[str, Competence]:
    """Return how well each tool has worked in these calls."""
    known: dict[str, Competence] = {}
    for call in calls:
        if not is_aside(call):
            known[call.tool] = known.get(call.tool, Competence(call.tool)).after(call)
    return known


def _calls(run: Episode) -> list[ToolCall]:
    return [call for call in run.calls if not is_aside(call)]


def _tools(calls: Sequence[ToolCall]) -> list[str]:
    return sorted({call.tool for call in calls})


def _steps(tools: Sequence[str]) -> list[str]:
    return [f"Step {number}: invoke {tool}" for number, tool in enumerate(tools, 1)]


def _outcome(calls: Sequence[ToolCall]) -> str:
    if all(call.ok for call in calls):
        return "success"
    return "partial" if any(call.ok for call in calls) else "failure"
