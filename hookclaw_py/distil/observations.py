"""Observations: what was done and found in a run, one for each thing that it was done to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from hookclaw_py.distil.calls import Action, ToolCall, repeats
from hookclaw_py.distil.failures import failure_mode
from hookclaw_py.distil.noise import is_noise
from hookclaw_py.distil.runs import Episode, SessionRuns
from hookclaw_py.distil.telling import (
    MAX_FACT,
    MAX_FACTS,
    NO_DIFF,
    Diff,
    asked,
    change_of,
    changed,
    command,
    error_lines,
    facts_of,
    is_configuration,
    pasted_error,
    title_of,
    what_went_wrong,
)
from hookclaw_py.model.draft import Draft, Speaker
from hookclaw_py.model.kind import OBSERVATION
from hookclaw_py.regex import regex
from hookclaw_py.speech.hedges import refutes, reported
from hookclaw_py.speech.sentences import clipped, sentences


class Observed(StrEnum):
    """What sort of thing an observation tells."""

    DECISION = "decision"
    BUGFIX = "bugfix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    DISCOVERY = "discovery"
    CHANGE = "change"
    CONFIG = "config"
    RESEARCH = "research"
    ERROR = "error"
    OTHER = "other"


_CONFIDENCE = 0.7
_REPORT = 300  # characters of what an answer reports
_FEWEST_WORDS = 4  # of a message that tells how something was mended
_AFTER = 2  # runs in which an edit may be the answer to an error
_BY_WORDS = (
    (
        Observed.BUGFIX,
        regex(r"(?i)\b(?:fix(?:e[sd]|ing)?|bugs?|broken?|repair\w*|fehler\w*|kaputt\w*|reparier\w*)\b"),
    ),
    (Observed.FEATURE, regex(r"(?i)\b(?:add|implement|create|new|baue?|ergänze?|füge?|erstelle?)\b")),
    (Observed.REFACTOR, regex(r"(?i)\b(?:refactor\w*|renam\w*|umbenenn\w*|extract|clean ?up)\b")),
)
_WORKS = regex(
    r"""(?xi) \b(?: works?\ (?:again|now) | working\ (?:again|now) | (?:is\ |it['’]?s\ )?running\ again | that\ (?:fixed|did|solved|was)\ it
      | (?:it['’]?s|is)\ gone\ now | did\ the\ trick | found\ it\b | (?:cause|reason|culprit)\ was | turned\ out | fixed\ (?:it\ )?(?:by|with)
      | (?:läuft|brennt|klappt)(?=[!,.;]|$) | (?:läuft|geht|ging\ \w+(?:\ dann)?)\ wieder | funktioniert\ (?:wieder|jetzt) | behoben | (?:ursache|schuld|grund)\ war | lag\ an(?:\ der|\ dem)? )\b"""
)
_PROBLEM = regex(
    r"""(?xi) \b(?: error | errors | fail\w* | broken? | died | dead | down | crash\w* | stuck | leak\w* | stain | alert | red | off\ by | wrong | missing | silent
      | (?:does|do|is|won|can|did)n['’]?t | fehler\w* | störung | kaputt | defekt | geht\ nicht | kommt\ nicht | läuft\ nicht | keinen\ mucks | (?:no|kein)\ \w+ | leckt | tropft )\b"""
)


@dataclass
class _Failure:
    """A command that failed, and whether something was edited since."""

    call: ToolCall
    error: str
    edits: list[tuple[str, Diff]] = field(default_factory=list)


@dataclass
class _Trail:
    """What a session has seen so far: commands that failed and did not pass since, and the last error that was told."""

    failed: dict[str, _Failure] = field(default_factory=dict)
    problem: str = ""
    error: str = ""
    error_run: int = -_AFTER


@dataclass
class _Told:
    """One observation on its way."""

    observed: Observed
    title: str
    narrative: list[str]
    facts: list[str]
    calls: list[ToolCall]
    change: Diff = NO_DIFF


def observations(session: SessionRuns) -> list[Draft]:
    """Return what was done and found in a session: one draft for each (run, class, subject)."""
    trail = _Trail()
    found: list[Draft] = []
    for number, run in enumerate(session.runs):
        told = _of_calls(run, number, trail)
        following = session.runs[number + 1].prompt if number + 1 < len(session.runs) else ""
        if told and not refutes(following):
            _with_report(told, run)
        found += [_draft(session, run, key, one) for key, one in told.items()]
        found += _of_person(session, run, number, trail)
    return found


def _of_calls(run: Episode, number: int, trail: _Trail) -> dict[str, _Told]:
    told: dict[str, _Told] = {}
    for call in run.calls:
        again = call.ok and any(repeats(call.subject, failed) for failed in trail.failed)
        if is_noise(call) and not again:
            continue
        if call.ok and call.action in (Action.EDIT, Action.WRITE):
            _add_edit(told, run, number, call, trail)
        else:
            _add_other(told, run, number, call, trail)
    return told


def _add_edit(told: dict[str, _Told], run: Episode, number: int, call: ToolCall, trail: _Trail) -> None:
    change = change_of(call)
    for failure in trail.failed.values():
        failure.edits.append((call.subject, change))
    key = f"{call.action} {call.subject}"
    before = told.get(key)
    after = trail.error if number - trail.error_run < _AFTER else ""
    if not before:
        narrative = [asked(run.prompt), f"After: {after}" if after else ""]
        told[key] = before = _Told(_of_edit(call.subject, run.prompt), "", narrative, [], [])
    before.calls.append(call)
    whole = Diff((*before.change.removed, *change.removed), (*before.change.added, *change.added))
    before.change = whole
    before.title = title_of(call, whole if call.action is Action.EDIT else change)
    if call.action is Action.EDIT and len(before.narrative) < 2 + MAX_FACTS:
        before.narrative.append(changed(change))
    before.facts = facts_of(call)


def _of_edit(path: str, prompt: str) -> Observed:
    if is_configuration(path):
        return Observed.CONFIG
    return next((observed for observed, words in _BY_WORDS if words.search(prompt)), Observed.CHANGE)


def _add_other(told: dict[str, _Told], run: Episode, number: int, call: ToolCall, trail: _Trail) -> None:
    narrative = [asked(run.prompt)]
    observed, title, facts = Observed.DISCOVERY, title_of(call, NO_DIFF), facts_of(call)
    wrong = what_went_wrong(call)
    if not call.ok:
        observed = Observed.ERROR
        narrative.append(f"{_point(wrong)}" if wrong else "")
        facts = [fact for fact in facts if fact != wrong]
        trail.failed.setdefault(call.subject, _Failure(call, wrong)).edits.clear()
    elif call.action is Action.LOOK_UP:
        observed = Observed.RESEARCH
    elif call.action is Action.RUN:
        fixed = [trail.failed.pop(name) for name in [*trail.failed] if repeats(call.subject, name)]
        mended = next((failure for failure in fixed if failure.edits), None)
        if mended:
            observed, title = Observed.BUGFIX, f"Fixed: {command(mended.call)} passes"
            narrative += [_point(mended.error), *(f"{changed(what)} {path}" for path, what in mended.edits[:MAX_FACTS])]
    if wrong:
        trail.error, trail.error_run = clipped(wrong, MAX_FACT), number
    told[f"{observed} {call.subject or call.tool}"] = _Told(observed, title, narrative, facts, [call])


def _with_report(told: dict[str, _Told], run: Episode) -> None:
    """Add what the answer reports to the observation that it is most about: a fix, else the last edit, else the last of all."""
    report: list[str] = []
    for sentence in (one for said in run.answered for one in reported(said.text)):
        if sum(map(len, report)) + len(sentence) <= _REPORT:
            report.append(sentence)
    if report:
        mended = [one for one in told.values() if one.observed is Observed.BUGFIX]
        edited = [one for one in told.values() if one.change is not NO_DIFF]
        (mended or edited or list(told.values()))[-1].narrative.append(" ".join(report))


def _of_person(session: SessionRuns, run: Episode, number: int, trail: _Trail) -> Iterable[Draft]:
    """Yield the errors that the person pasted, and what the person says has mended one."""
    for said in run.asked:
        lines = pasted_error(said.text)
        if lines:
            trail.error, trail.error_run = clipped(lines[0], MAX_FACT), number
            told = _Told(Observed.ERROR, clipped(lines[0], 80), [asked(said.text)], lines[:MAX_FACTS], [])
            yield _draft(session, run, f"error {failure_mode(lines[0])}", told)._replace(
                said_by=Speaker.PERSON, evidence=(said.id,)
            )
        every = [sentence for sentence in sentences(said.text) if not sentence.asks]
        works = [number for number, sentence in enumerate(every) if _WORKS.search(sentence.bare)]
        if works and sum(len(one.bare.split()) for one in every) > _FEWEST_WORDS:
            words = clipped(" ".join(one.said for one in every), _REPORT)
            told = _Told(Observed.BUGFIX, f"Fixed: {clipped(every[works[0]].said, 60)}", [trail.problem, words], [], [])
            yield _draft(session, run, f"bugfix {words}", told)._replace(said_by=Speaker.PERSON, evidence=(said.id,))
        if not trail.problem or _PROBLEM.search(said.text):
            trail.problem = asked(said.text)


def _draft(session: SessionRuns, run: Episode, key: str, told: _Told) -> Draft:
    facts = [clipped(fact, MAX_FACT) for fact in told.facts]
    narrative = " ".join(filter(None, told.narrative))
    modified = [call.subject for call in told.calls if call.ok and call.action in (Action.EDIT, Action.WRITE)]
    return Draft(
        kind=OBSERVATION,
        key=key,
        title=told.title,
        body="\n".join([narrative, *(fact for fact in facts if fact not in narrative)]).strip(),
        said_by=Speaker.TOOL,
        confidence=_CONFIDENCE,
        at=run.at,
        session=session.name,
        run=run.name,
        evidence=tuple(dict.fromkeys([*(said.id for said in run.asked), *(call.id for call in told.calls)])),
        fields={
            "type": str(told.observed),
            "narrative": narrative,
            "facts": facts,
            "files_read": _read(run),
            "files_modified": list(dict.fromkeys(modified)),
            "failure": failure_mode(error_lines(narrative)[0])
            if told.observed is Observed.ERROR and error_lines(narrative)
            else "",
        },
    )


def _read(run: Episode) -> list[str]:
    return list(
        dict.fromkeys(call.subject for call in run.calls if call.action is Action.READ and call.ok and call.subject)
    )


def _point(sentence: str) -> str:
    return sentence if not sentence or sentence.endswith((".", "!", "?", "…")) else f"{sentence}."
