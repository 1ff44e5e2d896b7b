"""What HTTP routes change on a person's word: marks, verdicts, words of records, and what is forgotten. As the commands do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hookclaw_py import build
from hookclaw_py.consolidate import revising
from hookclaw_py.forgetting import forget as purge
from hookclaw_py.insight.records import revise, rivals_of
from hookclaw_py.insight.review import confirm, doubt, trust_source
from hookclaw_py.insight.turns import turns
from hookclaw_py.model.record import Record, RecordChange
from hookclaw_py.privacy.redaction import redact
from hookclaw_py.store.decisions import find
from hookclaw_py.store.naming import find_memory, find_record
from hookclaw_py.web import asked
from hookclaw_py.web.desk import Desk, NotThere, Unfit, there

MARKS = ("", "block", "pin")
SETTINGS = "viewer"
"""The fact that holds what the page remembers."""
_THEMES = ("system", "light", "dark")


def mark(desk: Desk, wanted: asked.MarkMemory) -> dict[str, Any]:
    """Pin or block a memory, or neither; ``before`` is what undoes it."""
    if wanted.mark not in MARKS:
        raise Unfit(f"mark must be pin, block or empty, not {wanted.mark[:40]!r}")
    memory = there(lambda: find_memory(desk.store, wanted.id))
    if desk.store.memory(memory) is None:
        raise NotThere(f"there is no memory {wanted.id!r}; GET /api/search finds some")
    before = desk.store.marks().get(memory, "")
    changed = desk.store.mark(memory, wanted.mark, at=desk.now)
    return {"success": True, "changed": changed, "id": memory, "mark": wanted.mark, "before": before}


def judge(desk: Desk, wanted: asked.JudgePrompt) -> dict[str, Any]:
    """Say whether what was injected helped."""
    glance = there(lambda: find(desk.store, wanted.id)).glance
    if not glance.shown:
        raise Unfit(f"nothing was injected for {glance.id} ({glance.outcome}: {glance.reason})")
    shown = desk.store.memories_of(glance.shown)
    meant = wanted.memory and there(lambda: find_memory(desk.store, wanted.memory, among=shown))
    if meant and meant not in shown.values():
        raise Unfit(f"{wanted.memory} was not injected for {glance.id}; GET /api/prompt/{glance.id} shows what was")
    present = desk.store.heads([meant] if meant else list(shown.values()))
    known = glance.id in turns(desk.store, {glance.id})
    news = desk.store.add_verdict(wanted.good, at=desk.now, injection_id=glance.id if known else "", ids=list(present))
    return {"success": True, "changed": news, "good": wanted.good}


def correct(desk: Desk, wanted: asked.CorrectRecord) -> dict[str, Any]:
    """Let a record say something else; ``before`` are the words that undo it."""
    record = there(lambda: find_record(desk.store, wanted.id))
    rivals = rivals_of(desk.store, record)
    return _revise(desk, record, lambda: revising.supersede(record, wanted.words, rivals, why=wanted.why, now=desk.now))


def retract(desk: Desk, wanted: asked.RetractRecord) -> dict[str, Any]:
    """Take a record back."""
    record = there(lambda: find_record(desk.store, wanted.id))
    rivals = rivals_of(desk.store, record)
    return _revise(desk, record, lambda: revising.retract(record, rivals, why=wanted.why, now=desk.now))


def _revise(desk: Desk, record: Record, change: Callable[[], Sequence[RecordChange]]) -> dict[str, Any]:
    changes, _ = revise(desk.store, change, zone=build.user_zone(desk.config), at=desk.now)
    desk.engine.catch_up()
    changed = [{"id": one.record.id, "action": one.action, "body": one.record.body} for one in changes]
    return {"success": True, "changed": changed, "before": record.body}


def forget(desk: Desk, wanted: asked.ForgetMemory) -> dict[str, Any]:
    """Purge a memory for good, as ``hookclaw feedback forget`` does."""
    memory = there(lambda: find_memory(desk.store, wanted.id))
    if desk.store.memory(memory) is None:
        raise NotThere(f"there is no memory {wanted.id!r}; it may be forgotten already")
    chunk = desk.store.heads([memory]).get(memory)
    gone = purge(desk.store, memory, beside=desk.folder, at=desk.now)
    still = f"{chunk.place.path}:{chunk.place.lines[0]}" if chunk and chunk.kind.trusted else ""
    alike = [{"id": one.id, "text": redact(one.text)} for one in gone.alike]
    told = {"stillInNote": still, "saidToo": gone.said, "alike": alike, "problem": gone.problem}
    return {"success": True, "forgotten": gone.ids, **told}


def trust(desk: Desk, wanted: asked.TrustSource) -> dict[str, Any]:
    """Confirm a memory or a source, or take that back."""
    if bool(wanted.memory) == bool(wanted.source):
        raise Unfit("give either memory or source")
    if wanted.memory:
        memory = there(lambda: find_memory(desk.store, wanted.memory))
        changed = confirm(desk.store, memory) if wanted.trusted else doubt(desk.store, memory)
    elif wanted.trusted:
        changed = there(lambda: trust_source(desk.store, wanted.source)) > 0
    else:
        changed = doubt(desk.store, wanted.source)
    return {"success": True, "changed": changed, "trusted": wanted.trusted}


def settings(desk: Desk, _: asked.ShowSettings) -> dict[str, Any]:
    """Return what the page remembers of how one likes it."""
    return {"theme": "system", "sidebarOpen": True, "selectedProject": "", **desk.store.get_meta(SETTINGS, {})}


def change_settings(desk: Desk, wanted: asked.ChangeSettings) -> dict[str, Any]:
    """Change what the page remembers."""
    if wanted.theme is not None and wanted.theme not in _THEMES:
        raise Unfit(f"theme must be one of {', '.join(_THEMES)}, not {wanted.theme[:40]!r}")
    told = {"theme": wanted.theme, "sidebarOpen": wanted.sidebar_open, "selectedProject": wanted.selected_project}
    given = {name: value for name, value in told.items() if value is not None}
    with desk.store.together():
        desk.store.set_meta(SETTINGS, desk.store.get_meta(SETTINGS, {}) | given)
    return {"success": True}


def process(desk: Desk, wanted: asked.ProcessQueue) -> dict[str, Any]:
    """Work off what waits, ``session_limit`` sessions at most."""
    recovered = desk.engine.capturing.retry()
    left = iter(range(wanted.session_limit))
    done = desk.engine.capturing.work_off(lambda: next(left, None) is None)
    return {"success": True, "recovered": recovered, "sessionsStarted": done.done, "failed": done.failed}
