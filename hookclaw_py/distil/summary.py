"""A session's summary: what was asked, looked at, learned, done, and what is left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookclaw_py.distil.calls import Action, repeats
from hookclaw_py.distil.noise import is_news
from hookclaw_py.distil.observations import Observed
from hookclaw_py.distil.runs import SessionRuns
from hookclaw_py.distil.telling import NO_DIFF, asked, title_of
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import DECISION, OBSERVATION, SUMMARY, WORKING
from hookclaw_py.speech.sentences import clipped

_MOST = 5  # of each
_LONGEST = 200  # characters of each
_CONFIDENCE = 0.7
_LEARNED = (Observed.ERROR, Observed.BUGFIX)


def summary(session: SessionRuns, drafts: Sequence[Draft]) -> Draft | None:
    """Return the summary of a session of which ``drafts`` were made; None if there is nothing to say.

    The newest takes the place of the one before: its key is the session's.
    """
    told = [draft for draft in drafts if draft.kind is OBSERVATION]
    learned = [
        _short(draft) for draft in drafts if not draft.ends and (draft.kind is DECISION or _type(draft) in _LEARNED)
    ]
    completed = [draft.title for draft in told if _type(draft) not in _LEARNED]
    open_ones = [_short(draft) for draft in drafts if draft.kind is WORKING and draft.fields.get("state") == "waiting"]
    read = [call.subject for run in session.runs for call in run.calls if call.action is Action.READ and call.ok]
    request = next((said for run in session.runs if (said := asked(run.prompt))), "").removeprefix("Asked: ")
    fields: dict[str, str | list[str]] = {
        "request": request,
        "investigated": _few(read),
        "learned": _few(learned),
        "completed": _few(completed),
        "next_steps": _few([*open_ones, *_never_passed(session)]),
    }
    if not any(fields[name] for name in ("investigated", "learned", "completed", "next_steps")):
        return None
    last = session.runs[-1]
    return Draft(
        kind=SUMMARY,
        key=f"summary {session.name}",
        title="",
        body="\n".join(_lines(fields)),
        said_by=Speaker.TOOL,
        confidence=_CONFIDENCE,
        at=last.at,
        session=session.name,
        run=last.name,
        evidence=tuple(name for run in session.runs for name in run.evidence),
        fields=fields,
    )


def _lines(fields: dict[str, str | list[str]]) -> Iterable[str]:
    names = {
        "request": "Request",
        "investigated": "Investigated",
        "learned": "Learned",
        "completed": "Completed",
        "next_steps": "Next steps",
    }
    for name, label in names.items():
        told = fields[name]
        if told:
            yield f"{label}: {told if isinstance(told, str) else '; '.join(told)}"


def _never_passed(session: SessionRuns) -> list[str]:
    """Return the titles of what failed and did not pass later."""
    failed: dict[str, str] = {}
    for call in (call for run in session.runs for call in run.calls if call.action is Action.RUN):
        if not call.ok and is_news(call):
            failed[call.subject] = title_of(call, NO_DIFF)
        elif call.ok:
            failed = {name: title for name, title in failed.items() if not _same_work(call.subject, name)}
    return list(failed.values())


def _same_work(command: str, before: str) -> bool:
    """Say whether a command is one ``before`` it once more, if with other options."""
    return repeats(command, before) or command.split()[:2] == before.split()[:2]


def _type(draft: Draft) -> Observed | None:
    return Observed(draft.fields["type"]) if draft.kind is OBSERVATION else None


def _short(draft: Draft) -> str:
    return clipped(draft.title or draft.body, _LONGEST)


def _few(told: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, told)))[:_MOST]
