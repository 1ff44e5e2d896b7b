"""Patterns of paths, as .gitignore has them: "Persönlich/" means the folder, however a system composes the letters of its name."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


class Patterns:
    """Says which paths are meant by ``lines``; no path is by none."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._spec = None
        if lines:
            from pathspec import GitIgnoreSpec

            self._spec = GitIgnoreSpec.from_lines(map(composed, lines))

    def __bool__(self) -> bool:
        return self._spec is not None

    def match(self, path: str) -> bool:
        """Say whether a path with forward slashes is meant; a folder's ends with one."""
        return self._spec is not None and self._spec.match_file(composed(path))


def composed(path: str) -> str:
    """Return a path with each letter as one character where there is one: macOS and Unix write "ö" in different ways."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)
