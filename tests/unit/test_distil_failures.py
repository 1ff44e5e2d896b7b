"""Failure modes: two cases of one failure are the same, and nothing secret stays in them."""

from __future__ import annotations

import pytest

from hookclaw_py.distil.failures import failure_mode


@pytest.mark.parametrize(
    ("error", "mode"),
    [
        ("ENOENT: no such file /home/a/b.txt", "ENOENT: no such file <path>"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "connect ECONNREFUSED 127.0.0.1:<port>"),
        ("timeout after 30000 ms", "timeout after 30000 ms"),
        ("job 3f2a9c1b7d failed at 2026-02-17T10:22:31Z", "job <id> failed at <timestamp>"),
        ("GET https://api.example.com/v1/users/42 -> 500", "GET <url> -> 500"),
        ("read/write error on '/var/lib/x.db'", "read/write error on '<path>'"),
        ("run 0b9f3c1e-7d12-4abc-9def-001122334455 aborted", "run <id> aborted"),
        (r"open C:\Users\a\b.txt failed", "open <path> failed"),
        ("two\n  lines", "two lines"),
        (" \n", "unknown"),
        ("x" * 101, "x" * 100),
        ("token=abcdef1234 refused", "token=[redacted] refused"),
    ],
)
def test_a_failure_is_told_without_what_is_another_each_time(error: str, mode: str):
    """M36, vectors 20 to 24, D10."""
    assert failure_mode(error) == mode
