"""Recorded: what a session's transcript tells and nobody captured when it happened, as a host would have reported it."""

from __future__ import annotations

from collections.abc import Sequence

from hookclaw_py.capture.reports import Report
from hookclaw_py.ingest import overlap
from hookclaw_py.ingest.happenings import found_in
from hookclaw_py.ingest.spoken import TranscriptEvent, is_subagent
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.happening import Happening, HappeningKind


def reports(
    session: str, events: Sequence[TranscriptEvent], there: Sequence[Happening], *, envelope: Envelope, host: str
) -> list[Report]:
    """Return what to report of a host's session between two; ``there`` is what was captured of it.

    A turn of which the prompt was captured is left out, but for an answer that was not. So is one that goes on.
    """
    if is_subagent(events):
        return []
    found = found_in(events, envelope, host=host, session=session)
    prompts = [one.happening for one in found if one.happening.kind is HappeningKind.PROMPT]
    asked = [overlap.Question(str(one.payload["text"]), one.at) for one in prompts]
    known = overlap.captured(asked, [one for one in there if one.kind is HappeningKind.PROMPT])
    same = {prompts[number].run: prompt for number, prompt in known.items()}
    answered = {one.run for one in there if one.kind is HappeningKind.ANSWER}
    over = {one.happening.run for one in found if one.happening.kind is HappeningKind.ANSWER}
    over |= {one.run for one in prompts[:-1]}
    folder = next((str(event.data.get("cwd") or "") for event in events if _is_head(event)), "")
    told = []
    for one, call in found:
        run = one.run
        if run in same:
            lost = (
                one.kind is HappeningKind.ANSWER
                and overlap.may_be_answered(same[run])
                and same[run].run not in answered
            )
            if not lost:
                continue
            run = same[run].run
        elif run and run not in over:
            continue
        told.append(
            Report(one.kind, one.at, host, session, run, call, Audience.OWNER, folder=folder, payload=one.payload)
        )
    return told


def _is_head(event: TranscriptEvent) -> bool:
    return isinstance(event.data, dict) and event.data.get("type") == "session"
