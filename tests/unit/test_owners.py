"""Whose a lease is: only of a process of this machine it can be said that it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hookclaw_py.store import owners

TOKEN = "from hookclaw_py.store import owners; print(owners.token())"


def ended() -> str:
    """Return a lease of a process that has ended."""
    return subprocess.run([sys.executable, "-c", TOKEN], capture_output=True, text=True, check=True).stdout.strip()


def test_a_process_of_this_machine_is_gone_when_it_has_ended():
    assert not owners.is_gone(owners.token())
    assert owners.is_gone(ended())


@pytest.mark.skipif(
    not Path("/proc/sys/kernel/random/boot_id").exists(), reason="what tells machines apart is in /proc"
)
def test_of_a_process_of_another_machine_of_the_same_name_nothing_is_known():
    """Two laptops that are called alike, or two containers: the one took the other's work for dead, and did it as well."""
    process, _, rest = ended().partition("@")
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    another = f"{process}@{rest.replace(boot, '0' * len(boot))}"
    assert another.count("0" * len(boot)) == 1
    assert not owners.is_gone(another)
    assert not owners.is_gone(f"{process}@{os.uname().nodename}/0123456789abcdef"), "by an earlier version"
