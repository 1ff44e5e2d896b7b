"""Recorder: what a host reports is judged, cleaned and kept, in one transaction with the queue of what waits for work.

Nothing is written before it is cleaned. What was private in a prompt is known only here, in memory: if the process ends
in the middle of such a turn, the rest of that turn is not captured.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from cachetools import LRUCache

from hookclaw_py.capture import cleaning, policy
from hookclaw_py.capture.policy import Skip
from hookclaw_py.capture.reports import Report
from hookclaw_py.config import CaptureConfig
from hookclaw_py.distil.calls import Action, call_of
from hookclaw_py.distil.noise import is_noise
from hookclaw_py.ingest.spoken import answered_in, asked_in
from hookclaw_py.ingest.transcripts import why_unwanted
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.envelope import Envelope
from hookclaw_py.model.happening import Happening, HappeningKind
from hookclaw_py.privacy.marked import recognisable
from hookclaw_py.speech.unsaying import kept_of
from hookclaw_py.store.pause import Pause, pause_at
from hookclaw_py.store.sessions import Happenings
from hookclaw_py.store.switches import Switches
from hookclaw_py.trace import Trace

_MOST_RUNS = 1000
_MOST_INPUT = 64_000  # characters of JSON; of a longer input each text is cut short
_SHORTER = 1000
_MOST_KNOWN = 500
_FETCHED = frozenset({*range(200, 209), 226, *range(300, 309)})
"""What a server says where all went well: as ``code`` beside a result no exit code."""


class Receipt(NamedTuple):
    """What became of a report: the id under which it is kept, whether it waits for work, and why not."""

    id: str = ""
    queued: bool = False
    duplicate: bool = False
    skipped: Skip | None = None


class _Run(NamedTuple):
    """A prompt and what it led to: why nothing of it is captured, or by what its private parts would be known."""

    name: str
    closed: Skip | None = None
    private: frozenset[str] = frozenset()


class _Verdict(NamedTuple):
    """A report as it is kept, if it is, and whether it waits for work."""

    happening: Happening | None = None
    queued: bool = False
    skipped: Skip | None = None


class Recorder:
    """Keeps what happens in one agent's sessions. Safe to use from threads.

    ``count`` hears, of each report, its kind and what became of it.
    """

    def __init__(
        self,
        store: Happenings,
        switches: Switches,
        *,
        settings: CaptureConfig,
        envelope: Envelope,
        count: Callable[[str, str], None],
    ) -> None:
        self._store, self._switches, self._settings, self._count = store, switches, settings, count
        self._envelope = envelope
        self._runs: LRUCache[tuple[str, str], _Run] = LRUCache(_MOST_RUNS)
        self._last: LRUCache[str, _Run] = LRUCache(_MOST_RUNS)
        self._private: LRUCache[str, frozenset[str]] = LRUCache(_MOST_RUNS)
        self._lock = threading.Lock()

    def record(self, reports: Sequence[Report], *, now: datetime) -> list[Receipt]:
        """Keep what is to be kept of these reports, in their order; when it returns they are written.

        Raises:
            StoreError: if they cannot be; told again they are kept under the same ids.
        """
        with self._lock:
            off, paused = self._switches.not_captured() != "", self._switches.pauses()
            without = self._switches.without()
            judged = [self._judge(report, paused, off=off or report.session in without) for report in reports]
            kept = [one.happening for one in judged if one.happening is not None]
            queued = {one.happening.id for one in judged if one.happening is not None and one.queued}
            new = self._store.append(kept, queued=queued, now=now) if kept else frozenset[str]()
        receipts = [_receipt(one, new) for one in judged]
        for report, receipt in zip(reports, receipts, strict=True):
            outcome = "duplicate" if receipt.duplicate else receipt.skipped or "queued"
            self._count(report.kind.value, str(outcome).replace(" ", "_"))
        return receipts

    def _judge(self, report: Report, paused: Sequence[Pause], *, off: bool) -> _Verdict:
        closed = Skip.PAUSED if pause_at(paused, report.at) else self._why_not(report, off=off)
        run = None
        if report.kind is not HappeningKind.PROMPT:
            if closed is not None:
                return _Verdict(skipped=closed)
            run = self._run_of(report)
        trace = Trace(timeout_ms=0, strict=False)  # one that cannot be judged holds up none of the others
        return trace.attempt("capture", _Verdict(skipped=Skip.UNREADABLE), self._cleaned, report, closed, run)

    def _cleaned(self, report: Report, closed: Skip | None, run: _Run | None) -> _Verdict:
        if report.kind is HappeningKind.PROMPT:
            return self._prompt(report, closed)
        if report.kind is HappeningKind.TOOL_CALL:
            return self._tool_call(report, run)
        if report.kind is HappeningKind.ANSWER:
            return self._answer(report, run)
        reason = report.payload.get("reason")
        payload = {"reason": cleaning.clean_text(reason)} if isinstance(reason, str) and reason else {}
        return _Verdict(_happening(report, run.name if run else report.run, payload), queued=True)

    def _why_not(self, report: Report, *, off: bool) -> Skip | None:
        """Say why nothing of this session is captured, by what is configured, switched ``off``, and who takes part."""
        if not self._settings.enabled or off:
            return Skip.OFF
        if report.audience is not Audience.OWNER:
            return Skip.AUDIENCE
        if report.host == "openclaw" and why_unwanted(report.session, {}, self._switches.agent.partition("@")[0]):
            return Skip.AUDIENCE
        return Skip.EXCLUDED if policy.is_within(report.folder, self._settings.exclude) else None

    # Prompts

    def _prompt(self, report: Report, closed: Skip | None) -> _Verdict:
        name = report.run or f"~{report.id}"
        written = _text(report.payload)
        said = asked_in({"content": written}, self._envelope)
        if closed is None and (said is None or self._envelope.automatic_kind(written, report.trigger)):
            closed = Skip.AUTOMATIC
        said = said or ""
        bare = kept_of(said)
        text = cleaning.clean_text(bare.text).strip()
        hidden = report.payload.get("private") in ("all", "some") and not bare.private  # taken out, and not known here
        if closed is None and not text:
            closed = Skip.PRIVATE if bare.private or hidden else Skip.EMPTY
        private = recognisable(bare.private)
        known = self._private.get(report.session, frozenset())
        if private:
            known = frozenset([*private, *known][:_MOST_KNOWN])
            self._private[report.session] = known
        self._remember(report.session, _Run(name, closed or (Skip.PRIVATE if hidden else None), known))
        if closed is not None and closed is not Skip.PRIVATE:
            return _Verdict(skipped=closed)
        payload: dict[str, Any] = {"text": text, **_named(report.payload, "sender", "channel")}
        if bare.private or hidden:
            payload["private"] = "all" if closed else "some"
        return _Verdict(_happening(report, name, payload), queued=closed is None, skipped=closed)

    def _remember(self, session: str, run: _Run) -> _Run:
        self._runs[session, run.name] = self._last[session] = run
        return run

    def _run_of(self, report: Report) -> _Run | None:
        """Return the run that a report belongs to: by its name, or the session's last; None where no prompt is known."""
        last = self._last.get(report.session)
        if report.run and (run := self._runs.get((report.session, report.run))):
            return run
        if report.run and (run := self._read(report.session, report.run)):
            return run
        last = last or self._read(report.session, "")
        if last is None or (report.run and not last.name.startswith("~")):
            return None
        return last

    def _read(self, session: str, run: str) -> _Run | None:
        """Read back a run of which this process did not see the prompt."""
        found = self._store.happenings(session, run=run, kinds=[HappeningKind.PROMPT], newest=1)
        if not found:
            return None
        closed = Skip.PRIVATE if found[0].payload.get("private") else None
        return self._remember(session, _Run(found[0].run, closed))

    # What a prompt led to

    def _tool_call(self, report: Report, run: _Run | None) -> _Verdict:
        payload = report.payload
        tool = str(payload.get("tool") or "")[:200]
        if not tool or policy.skips_tool(tool, self._settings.skip_tools):
            return _Verdict(skipped=Skip.TOOL)
        if run is None or run.closed is not None:
            return _Verdict(skipped=run.closed if run else Skip.NO_PROMPT)
        result = payload.get("result", payload.get("output"))
        cwd = str(payload.get("cwd") or report.folder)
        asked = policy.Request(tool, payload.get("input"), cwd)
        if policy.reads_secrets(asked, self._settings.refuse):
            return _Verdict(skipped=Skip.REFUSED)
        if policy.lies_within(asked, self._settings.exclude):
            return _Verdict(skipped=Skip.EXCLUDED)
        kept: dict[str, Any] = {
            "tool": tool,
            "input": _shorter(cleaning.cleaned(payload.get("input"), run.private)),
            "ok": _succeeded(payload, result),
            "output": cleaning.clean_text(cleaning.text_of_result(result), run.private),
        }
        if isinstance(error := payload.get("error"), str) and error:
            kept["error"] = cleaning.clean_text(error, run.private)
        if isinstance(ms := payload.get("ms"), int | float) and not isinstance(ms, bool):
            kept["ms"] = ms
        if cwd:
            kept["cwd"] = cleaning.clean_text(cwd, run.private)
        call = call_of(_happening(report, run.name, kept))
        if not is_noise(call):
            return _Verdict(_happening(report, run.name, kept), queued=True)
        del kept["output"]
        why = Skip.READ if call.action is Action.READ else Skip.NOISE
        return _Verdict(_happening(report, run.name, kept), skipped=why)

    def _answer(self, report: Report, run: _Run | None) -> _Verdict:
        if run is None or run.closed is not None:
            return _Verdict(skipped=run.closed if run else Skip.NO_PROMPT)
        text = cleaning.clean_text(answered_in({"content": _text(report.payload)}), run.private).strip()
        kept: dict[str, Any] = {"text": text}
        if report.payload.get("ok") is False:
            error = report.payload.get("error")
            kept |= {"ok": False, "error": cleaning.clean_text(str(error or ""), run.private)}
        elif not text:
            return _Verdict(skipped=Skip.EMPTY)
        return _Verdict(_happening(report, run.name, kept), queued=True)


def _receipt(judged: _Verdict, new: frozenset[str]) -> Receipt:
    if judged.happening is None:
        return Receipt(skipped=judged.skipped)
    name = judged.happening.id
    return Receipt(name, queued=judged.queued, duplicate=name not in new, skipped=judged.skipped)


def _happening(report: Report, run: str, payload: Mapping[str, Any]) -> Happening:
    return Happening(report.id, report.at, report.host, report.session, run, report.kind, payload)


def _text(payload: Mapping[str, Any]) -> str:
    text = payload.get("text")
    return text if isinstance(text, str) else ""


def _named(payload: Mapping[str, Any], *names: str) -> dict[str, str]:
    return {name: cleaning.clean_text(value) for name in names if isinstance(value := payload.get(name), str) and value}


def _succeeded(payload: Mapping[str, Any], result: Any) -> bool:
    """Say whether a call succeeded: by the host's word, the result's own, or the exit code of what was run."""
    if isinstance(payload.get("ok"), bool):
        return bool(payload["ok"])
    if payload.get("error"):
        return False
    if not isinstance(result, dict):
        return True
    details = result.get("details")
    told: Mapping[str, Any] = details if isinstance(details, dict) else {}
    named = [(name, one.get(name)) for one in (result, told) for name in ("exitCode", "exit_code", "code")]
    codes = [(name, code) for name, code in named if isinstance(code, int) and not isinstance(code, bool)]
    failed = any(code and (name != "code" or code not in _FETCHED) for name, code in codes)
    says = {str(one.get("status")) for one in (result, told)} & {"failed", "error", "timeout", "killed"}
    errors = any(one.get("isError") is True or one.get("is_error") is True for one in (result, told))
    return not (failed or says or errors or result.get("interrupted") is True)


def _shorter(value: Any) -> Any:
    if len(json.dumps(value, ensure_ascii=False)) <= _MOST_INPUT:
        return value
    return _each_cut(value)


def _each_cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:_SHORTER]
    if isinstance(value, dict):
        return {name[:_SHORTER]: _each_cut(one) for name, one in list(value.items())[:20]}
    return [_each_cut(one) for one in value[:20]] if isinstance(value, list) else value
