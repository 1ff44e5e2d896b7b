"""What a note says: its bytes as text, whatever encoding they are in; nothing that is not text."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from time import time_ns
from typing import NamedTuple

from hookclaw_py.ingest.workspace import MAX_BYTES, Problem, unfit
from hookclaw_py.regex import regex

_ATTEMPTS = 3
_SETTLED_NS = 2_000_000_000  # a file changed this recently may change again within one tick of its clock


class NoteText(NamedTuple):
    """The text of a note; ``digest`` is that of its bytes, ``mtime_ns`` 0 if it changed too recently to trust."""

    text: str
    digest: str
    size: int
    mtime_ns: int
    warnings: tuple[str, ...] = ()


def read_note(root: Path, path: str) -> NoteText | Problem:
    """Read one note whole. A file that keeps changing meanwhile is left for the next time."""
    try:
        for _ in range(_ATTEMPTS):
            # O_NONBLOCK: what was a file when it was listed may be a pipe by now
            descriptor = os.open(root / path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
            with open(descriptor, "rb") as file:
                before = os.fstat(descriptor)
                if problem := unfit(path, before):
                    return problem
                data = file.read(MAX_BYTES + 1)
                after = os.fstat(descriptor)
            if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(
                data
            ) == after.st_size:
                return _note_text(path, data, after.st_mtime_ns)
    except FileNotFoundError:
        return Problem(path, "vanished while the workspace was read")
    except OSError as error:
        return Problem(path, f"cannot be read: {error.strerror}; check its mode", passing=True)
    return Problem(path, "changed while it was read; it is taken up the next time", passing=True)


def _note_text(path: str, data: bytes, mtime_ns: int) -> NoteText | Problem:
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "")
    warnings = []
    if not encoding and b"\0" in data:
        return Problem(path, "is binary, not text; exclude it, or save it as UTF-8")
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        line, western = data.count(b"\n", 0, error.start) + 1, not encoding and _is_western(data)
        text = data.decode(_WESTERN if western else encoding or "utf-8", errors="replace")
        outcome = "it was read as Windows-1252" if western else "unreadable characters became \ufffd"
        warnings.append(f"line {line} is not {encoding or 'UTF-8'}; {outcome}; save it as UTF-8")
    settled = mtime_ns < time_ns() - _SETTLED_NS
    digest = blake2b(data, digest_size=16).hexdigest()
    return NoteText(text, digest, len(data), mtime_ns if settled else 0, tuple(warnings))


_WESTERN = "cp1252"
_MOST_BEYOND = 2 / 3  # of a word's letters ("Möß") are beyond ASCII; in other scripts' encodings nearly all are
_IN_UTF8 = regex("[\x80-\ud7ff\ue000-\uffff]")
_WORD = regex(r"[^\W\d_]{2,}")
_NO_TEXT = regex("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]")


def _is_western(data: bytes) -> bool:
    """Say whether a text that is not UTF-8 is likely in Windows-1252: UTF-8 explains nothing of it, and its words have letters of ASCII, too.

    Words of other scripts have none, and a binary file has more that is no text.
    """
    if _IN_UTF8.search(data.decode(errors="surrogateescape")):
        return False
    text = data.decode(_WESTERN, errors="replace")
    words: list[str] = _WORD.findall(text)
    shares = [sum(c > "\x7f" for c in word) / len(word) for word in words if not word.isascii()]
    strange = sum(share > _MOST_BEYOND for share in shares) + len(_NO_TEXT.findall(text))
    if not shares and not strange:  # signs alone: "5 €"
        return 2 * sum(byte > 0x7F for byte in data) <= len(data)
    return sum(share <= _MOST_BEYOND for share in shares) > strange


# Longest first: UTF-32's mark begins like UTF-16's.
_MARKS = [
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
]
