"""code_remember_tool: a file of code, remembered by what it says of itself: headings, docstrings, names. No model reads it."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from hookclaw_py import build
from hookclaw_py.capture.cleaning import clean_whole, cut
from hookclaw_py.consolidate.passages import passage_of
from hookclaw_py.doors.codes import Code, WireError
from hookclaw_py.doors.tools import asked
from hookclaw_py.doors.tools.desk import ACTOR, ToolDesk
from hookclaw_py.doors.tools.saving import record_of
from hookclaw_py.model.kind import SAVED
from hookclaw_py.model.record import Link, Record, RecordAction, RecordChange, RecordStatus, Relation
from hookclaw_py.privacy.marked import private_blanked
from hookclaw_py.privacy.redaction import REDACTED, redact
from hookclaw_py.regex import regex

_ENDINGS = {
    "python": ".py", "javascript": ".js .mjs", "typescript": ".ts .tsx", "go": ".go", "rust": ".rs",
    "java": ".java", "kotlin": ".kt", "c": ".c .h", "c++": ".cpp", "c#": ".cs", "ruby": ".rb", "php": ".php",
    "shell": ".sh", "sql": ".sql", "lua": ".lua", "swift": ".swift", "scala": ".scala", "markdown": ".md",
}  # fmt: skip
LANGUAGES = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
MOST_BYTES = 1_000_000
_NAMED = regex(
    r"^[ \t]*(?:export\s+|pub(?:lic)?\s+|static\s+|async\s+|default\s+|abstract\s+|final\s+)*"
    r"(class|def|fn|func|function|interface|struct|enum|trait|type|const|module)\s+(\w+)",
    re.MULTILINE,
)
_REMARK = regex(r"^[ \t]*(?:#(?!!)|//+|--|\*)\s*(.{8,})$", re.MULTILINE)
_WORD = regex(r"[A-Za-z_]\w{2,}")
_MOST_NAMES, _MOST_REMARKS, _MOST_WORDS = 60, 20, 400


def remember(desk: ToolDesk, wanted: asked.CodeRemember) -> dict[str, Any]:
    """Keep a file as two memories, in one transaction: its prose, which is searched, and its text, which the prose leads to."""
    desk.of_caller(wanted.instance_id)
    desk.for_owner("code_remember_tool")
    file, name, source = _read(desk, wanted.code_path)
    language = LANGUAGES.get(file.suffix.lower(), "text")
    digest = blake2b(source.encode(errors="replace"), digest_size=8).hexdigest()
    older = next(
        (one for one in desk.store.records(kinds=[SAVED], standing=True) if one.fields.get("code") == name), None
    )
    if older is not None and older.fields.get("digest") == digest and not wanted.force:
        return {"already_indexed": True, "prose_id": older.id, "subject": older.title, "language": language}
    prose, patterns = told_by(private_blanked(source), language)
    clean = clean_whole(source)
    project = [wanted.project] if wanted.project else []
    keywords = list(dict.fromkeys(_WORD.findall(clean.replace(REDACTED, " "))))[:_MOST_WORDS]
    of = {"code": name, "digest": digest, "language": language}
    said = asked.MemorySave(
        content=f"{name} ({language}): {prose}", subject=name, memory_type="code_prose", project=project
    )
    text = asked.MemorySave(content=cut(clean), subject=f"{name} (text)", memory_type="code_source", project=project)
    (new, _), (raw, _) = record_of(desk, said), record_of(desk, text)
    new = replace(new, fields={**new.fields, **of, "keywords": keywords})
    _write(desk, new, raw, older)
    desk.engine.consulting.bring_up()
    told = {"prose_id": new.id, "code_id": raw.id, "subject": name, "language": language, "patterns": patterns}
    return told | ({"superseded_prose_id": older.id} if older is not None else {})


def _write(desk: ToolDesk, prose: Record, text: Record, older: Record | None) -> None:
    zone = build.user_zone(desk.engine.config)
    with desk.store.together():
        wrote = desk.store.write_record(RecordChange(text, RecordAction.BEGUN, "code"), None, at=desk.now, actor=ACTOR)
        links = [Link(text.id, Relation.SOURCE_OF, prose.id)]
        links += [Link(prose.id, Relation.SUPERSEDES, older.id)] if older is not None else []
        change = RecordChange(prose, RecordAction.BEGUN, "what code says of itself", links=links)
        wrote = desk.store.write_record(change, passage_of(prose, zone=zone), at=desk.now, actor=ACTOR) and wrote
        if not wrote:
            raise WireError(Code.CONFLICT, "the person had this forgotten, and it stays so; nothing was saved")
        if older is not None:
            gone = replace(older, status=RecordStatus.SUPERSEDED)
            desk.store.write_record(
                RecordChange(gone, RecordAction.SUPERSEDED, "read anew"), None, at=desk.now, actor=ACTOR
            )


def _read(desk: ToolDesk, given: str) -> tuple[Path, str, str]:
    """Return a file of the caller's own workspace, its name there, and its text."""
    file = desk.own_file(given, "code_path")
    root = Path(desk.workspace or desk.engine.workspace or "").resolve()
    try:
        if file.stat().st_size > MOST_BYTES:
            raise WireError(Code.INVALID_PARAMS, f"code_path: {given[:200]!r} has more than {MOST_BYTES:,} bytes")
        return file, file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WireError(Code.NOT_FOUND, f"code_path: {given[:200]!r} cannot be read as text: {error}") from None


def told_by(source: str, language: str) -> tuple[str, list[str]]:
    """Return what code says of itself, in sentences and names, and what kinds of things it defines."""
    found = _python(source) if language == "python" else None
    names, said = found if found is not None else _by_lines(source)
    patterns = sorted({kind for kind, _ in names})
    listed = ", ".join(f"{kind} {name}" for kind, name in names[:_MOST_NAMES])
    return redact(
        "\n".join(filter(None, [*said, f"Defines {listed}." if listed else ""])) or "no words of its own"
    ), patterns


def _python(source: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two of an expression as long as the file
        return None
    names, said = list[tuple[str, str]](), [(ast.get_docstring(tree) or "").partition("\n\n")[0]]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(("class" if isinstance(node, ast.ClassDef) else "def", node.name))
            line = (ast.get_docstring(node) or "").partition("\n")[0]
            said += [f"{node.name}: {line}"] if line else []
    return names, said[: _MOST_NAMES + 1]


def _by_lines(source: str) -> tuple[list[tuple[str, str]], list[str]]:
    headings = re.findall(r"^#{1,6} (.+)$", source, re.MULTILINE)
    remarks = [line.strip() for line in _REMARK.findall(source)]
    return [(kind, name) for kind, name in _NAMED.findall(source)], list(dict.fromkeys([*headings, *remarks]))[
        :_MOST_REMARKS
    ]
