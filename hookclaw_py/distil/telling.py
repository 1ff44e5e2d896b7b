"""How a tool call is told: its title, what it changed, and which lines of its output say what was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple
from urllib.parse import urlsplit

from hookclaw_py.distil.calls import Action, ToolCall
from hookclaw_py.regex import regex
from hookclaw_py.speech.sentences import clipped, sentences, tells_secret
from hookclaw_py.text import count_words

MAX_FACTS = 5
MAX_FACT = 200  # characters
_TITLE = 80
_QUOTE = 160
_SURE = regex(
    r"""(?x) \b\w*(?:Error|Exception|Warning|Fehler)\b(?:\s*:|\(|$) | \b(?:ERROR|FATAL|FAILED|FAIL|CRITICAL)\b | \b(?:error|fatal|panic|Traceback)\b[^\w]*[:\[(]
      | (?i: ^ \W*(?:error|fatal|fehler|störung)\b ) | (?i:\bno\ space\ left\b | \bpermission\ denied\b | \bconnection\ refused\b | \bsegmentation\ fault\b)"""
)
_MAYBE = regex(
    r"""(?xi) \b(?: errors? | failed | failure | fails | denied | refused | not\ found | no\ such | cannot | can['’]?t | could\ not | unable
      | timed?\ ?out | timeout | invalid | rejected | missing | unexpected | aborted | expired | killed | fehler | fehlgeschlagen | abgebrochen )\b"""
)
_NO_ERROR = regex(
    r"(?i)\b(?:0|no|without|keine) (?:\w+ )?(?:errors?|fail(?:ed|ures?)|rejected|missing|fehler)\b|\bif not found\b"
)
_TRACEBACK = regex(r"Traceback \(most recent call last\)")
_FRAME = regex(r"  File \"")
_EXCEPTION = regex(r"[^\W\d]\w*(?:\.\w+)*(?:$|:)")
_CD = regex(r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*|\w+=\S+\s+)+")
_CONFIG = regex(
    r"""(?xi) \.(?:ya?ml | toml | ini | cfg | conf | config | env | properties | plist | tf | tfvars | hcl | service | timer | socket) $
      | (?:^|/)(?: Dockerfile | Makefile | docker-compose[^/]* | \.[a-z]+rc | \.?eslintrc[^/]* | tsconfig[^/]*\.json | package\.json
        | pyproject\.toml | settings\.json | config\.json | openclaw\.json | crontab ) $"""
)
_PROSE = regex(r"(?i)\.(?:md|txt|rst|org|adoc)$")


class Diff(NamedTuple):
    """What an edit did: lines that went, lines that came."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


NO_DIFF = Diff((), ())


def change_of(call: ToolCall) -> Diff:
    """Return the lines that an edit took away and put there, without those that only stand around them."""
    old, new = call.removed.splitlines(), call.added.splitlines()
    removed: list[str] = []
    added: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += old[a:b]
            added += new[c:d]
    return Diff(tuple(removed), tuple(added))


def changed(change: Diff) -> str:
    """Tell what an edit changed, in the words of the edit."""
    old, new = _quoted(change.removed), _quoted(change.added)
    if old == new and new:  # but for its blanks
        return f'Changed "{new}".'
    if old and new:
        return f'Changed "{old}" to "{new}".'
    if new:
        return f'Added "{new}".'
    return f'Removed "{old}".' if old else ""


def _quoted(lines: Sequence[str]) -> str:
    return clipped(" ".join(lines), _QUOTE)


def command(call: ToolCall) -> str:
    """Return a command as titles tell it: without where it ran and with what environment."""
    return clipped(_CD.sub("", call.subject) or call.subject, _TITLE - 20)


def title_of(call: ToolCall, change: Diff) -> str:
    """Return the title of what a call did."""
    if call.action is Action.LOOK_UP:
        return _looked_up(call)
    if call.action is Action.RUN or not call.ok:
        return f"Ran {command(call) or call.tool}: {outcome(call)}"
    if call.action is Action.READ and call.subject:
        return f"Read {call.subject}"
    if call.action is Action.EDIT:
        return f"Edited {call.subject} (+{len(change.added)} -{len(change.removed)})"
    if call.action is Action.WRITE:
        lines = len(call.added.splitlines())
        return f"Wrote {call.subject} ({lines} {'line' if lines == 1 else 'lines'})"
    return f"Ran {call.tool}: {outcome(call)}"


def outcome(call: ToolCall) -> str:
    """Tell how a call ended."""
    if call.ok:
        return "passed"
    return f"failed, exit {call.code}" if call.code else "failed"


def _looked_up(call: ToolCall) -> str:
    what = _host(call.subject) or call.subject or call.tool
    if not call.ok:
        return clipped(f"Looked up {what}: {outcome(call)}", _TITLE)
    first = next((line.strip(" #") for line in call.output.splitlines() if line.strip(" #")), "")
    return clipped(f"Looked up {what}: {first.removeprefix('Title:').strip()}".rstrip(": "), _TITLE)


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or "" if "://" in address else ""
    except ValueError:
        return ""


def error_lines(text: str) -> list[str]:
    """Return the lines that say what was wrong, the surest first, each once."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if not _NO_ERROR.search(line) and not _TRACEBACK.search(line)]
    sure = [line for line in told if _SURE.search(line)]
    maybe = [line for line in told if _MAYBE.search(line)]
    return list(dict.fromkeys(sure + maybe))


def surely_wrong(text: str) -> list[str]:
    """Return the lines of a text of any kind that are an error message."""
    lines, raised = text.splitlines(), set(_raised(text))
    return [line.strip() for line in lines if line in raised or (_SURE.search(line) and not _NO_ERROR.search(line))]


def _raised(text: str) -> Iterator[str]:
    """Yield the lines that name what Python's traces end with, whatever stands before each line of a log."""
    indent = None
    for line in text.splitlines():
        if (begun := _TRACEBACK.search(line)) or (indent is not None and (begun := _FRAME.search(line))):
            indent = begun.start()
        elif indent is not None and (said := line[indent:]).strip() and not said[0].isspace():
            indent = None
            if _EXCEPTION.match(said):
                yield line


def pasted_error(prompt: str) -> list[str]:
    """Return the lines of a prompt that are an error message: what a person pastes stands on lines of its own."""
    rest = prompt.splitlines()[1:]
    pasted = [line.strip() for line in rest if ":" in line and _MAYBE.search(line) and not _NO_ERROR.search(line)]
    told = [*(surely_wrong(prompt) if rest else []), *pasted]
    return list(dict.fromkeys(line for line in told if not _TRACEBACK.search(line)))


def what_went_wrong(call: ToolCall) -> str:
    """Return the line that says what went wrong in a call, also in one that went on nevertheless; "" where nothing did."""
    if not call.ok:
        return first_error(call)
    return next((line for line in surely_wrong(call.output) if not _TRACEBACK.search(line)), "")


def first_error(call: ToolCall) -> str:
    """Return the line that says why a call failed, "" where none does."""
    lines = error_lines(call.output) or [line.strip() for line in call.output.splitlines() if line.strip()][-1:]
    return clipped(lines[0], MAX_FACT) if lines else ""


def facts_of(call: ToolCall) -> list[str]:
    """Return what a call brought to light: lines of its output, or of the prose that was written; a command that its title cuts."""
    if call.action is Action.WRITE:
        lines = call.added.splitlines() if _PROSE.search(call.subject) else []
    elif call.action is Action.EDIT:
        lines = []
    else:
        whole = call.subject if call.action is Action.RUN and command(call) != call.subject else ""
        lines = [whole, *error_lines(call.output), *call.output.splitlines()]
    told = (clipped(line, MAX_FACT) for line in lines if any(c.isalnum() for c in line))
    return list(dict.fromkeys(told))[:MAX_FACTS]


def is_configuration(path: str) -> bool:
    """Say whether a file sets how something runs."""
    return bool(_CONFIG.search(path))


def asked(prompt: str) -> str:
    """Tell what was asked: the first sentence of a prompt that says more than a greeting."""
    said = [sentence.said for sentence in sentences(prompt) if not tells_secret(sentence.said)]
    first = next((one for one in said if count_words(one) > 2), said[0] if said else "")
    if not first:
        return ""
    line = clipped(first.rstrip(" :,;–—-") or first, MAX_FACT)
    return f"Asked: {line}" if line.endswith((".", "!", "?", "…", "。", "！", "？")) else f"Asked: {line}."
