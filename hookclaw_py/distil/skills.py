"""Episodes, plans and skills: what a run did, how it may be done again, and how well it goes.

Of arguments only their names are kept: what stood in them stands in the events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hookclaw_py.distil.calls import ToolCall
from hookclaw_py.distil.failures import failure_mode
from hookclaw_py.distil.noise import is_aside
from hookclaw_py.distil.runs import Episode
from hookclaw_py.distil.telling import NO_DIFF, asked, change_of, first_error, title_of
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import EPISODE, PLAN, SKILL
from hookclaw_py.model.record import Record

_OF_EPISODE, _OF_PLAN, _OF_SKILL, _OF_TRIGGER = 0.8, 0.7, 0.8, 0.7
_LEAST_STEPS = 3  # tool calls of a plan
_LEAST_TOOLS = 2  # of a skill
_LEAST_TIMES = 3  # that it went well, of a skill
_LEAST_CALLS = 3  # of a tool, until it is known how well it works
_TITLES = 8  # of what an episode did
Done = Draft | Record
"""An episode, as it was drafted or as it is kept: what was done, when, and what came of it."""
SUCCESS = "success"
"""What a call came to that went well; else it is the way in which it failed."""


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
            "result": _result(call),
            "ms": call.ms,
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
            "wins": int(not failed),
            "failure_rate": failed / len(calls),
            "ms": sum(call.ms for call in calls),
        },
    )


def carried_out(plan: Draft, episodes: Sequence[Done]) -> Draft:
    """Return a plan with how often its steps were taken in these episodes, and how that went."""
    ops = [node["op"] for node in plan.fields["nodes"]]
    same = [one for one in episodes if [node["tool"] for node in one.fields["graph"]] == ops]
    if not same:
        return plan
    failed = [sum(node["result"] != SUCCESS for node in one.fields["graph"]) for one in same]
    counts = {
        "executions": len(same),
        "wins": failed.count(0),
        "failure_rate": sum(failed) / (len(same) * len(ops)),
        "ms": sum(one.fields["ms"] for one in same) / len(same),
    }
    return plan._replace(fields={**plan.fields, **counts})


def skills(episodes: Sequence[Done], *, of: Draft) -> list[Draft]:
    """Return what episodes, in order of time, show to be known: the tools of the run ``of``, each by itself and all together."""
    tools = of.fields["tools"]
    together = [one for one in episodes if one.fields["tools"] == tools]
    drafts = [known.draft(of) for known in competences(episodes).values() if known.tool in tools]
    return [draft for draft in (*drafts, _together(tools, together, of)) if draft]


def _together(tools: Sequence[str], every: Sequence[Done], of: Draft) -> Draft | None:
    wins = sum(one.fields["outcome"] == SUCCESS for one in every)
    if len(tools) < _LEAST_TOOLS or wins < _LEAST_TIMES:
        return None
    fields = {
        "recipe": [{"step": step, "tool": tool} for step, tool in zip(_steps(tools), tools, strict=True)],
        "triggers": [],
        "wins": wins,
        "calls": len(every),
        "ms": sum(one.fields["ms"] for one in every) / len(every),
    }
    return _skill("+".join(tools), [*_steps(tools), _rate(wins, len(every))], fields, of)


def _skill(name: str, told: Sequence[str], fields: Mapping[str, Any], of: Draft) -> Draft:
    name = f"skill:{name}"
    body = "\n".join(filter(None, told))
    return Draft(SKILL, name, name, body, Speaker.TOOL, _OF_SKILL, of.at, of.session, of.run, of.evidence, fields)


def _rate(wins: int, calls: int) -> str:
    return f"{wins}/{calls} success"


@dataclass(frozen=True)
class Competence:
    """How well a tool has worked: calls, how many went well, how the others failed, how long they took."""

    tool: str
    calls: int = 0
    wins: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    ms: float = 0.0

    def after(self, result: str, ms: float) -> Competence:
        """Return it with one more call, which went well or failed in some way."""
        failures = Counter(self.failures)
        if result != SUCCESS:
            failures[result] += 1
        mean = (self.ms * self.calls + ms) / (self.calls + 1)
        wins = self.wins + (result == SUCCESS)
        return replace(self, calls=self.calls + 1, wins=wins, failures=dict(failures), ms=mean)

    def draft(self, of: Draft) -> Draft | None:
        """Return it as a skill, of which the run ``of`` is the last to tell; None as long as there were too few calls to say."""
        if self.calls < _LEAST_CALLS:
            return None
        worst = max(self.failures.items(), key=lambda pair: (pair[1], pair[0]))[0] if self.failures else ""
        needed = f"{self.tool} tool needed"
        fields: dict[str, Any] = {
            "recipe": [{"step": f"Step 1: invoke {self.tool}", "tool": self.tool}],
            "triggers": [{"signal": needed, "confidence": _OF_TRIGGER}],
            "wins": self.wins,
            "calls": self.calls,
            "failures": dict(self.failures),
            "ms": self.ms,
        }
        return _skill(self.tool, [needed, _rate(self.wins, self.calls), worst], fields, of)


def competences(episodes: Iterable[Done]) -> dict[str, Competence]:
    """Return how well each tool has worked in these episodes."""
    known: dict[str, Competence] = {}
    for node in (node for one in episodes for node in one.fields["graph"]):
        tool = node["tool"]
        known[tool] = known.get(tool, Competence(tool)).after(node["result"], node.get("ms", 0))
    return known


def _calls(run: Episode) -> list[ToolCall]:
    return [call for call in run.calls if not is_aside(call)]


def _tools(calls: Sequence[ToolCall]) -> list[str]:
    return sorted({call.tool for call in calls})


def _steps(tools: Sequence[str]) -> list[str]:
    return [f"Step {number}: invoke {tool}" for number, tool in enumerate(tools, 1)]


def _result(call: ToolCall) -> str:
    return SUCCESS if call.ok else failure_mode(first_error(call))


def _outcome(calls: Sequence[ToolCall]) -> str:
    if all(call.ok for call in calls):
        return SUCCESS
    return "partial" if any(call.ok for call in calls) else "failure"
