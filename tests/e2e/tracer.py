"""What a process and its children do to the world outside, as strace sees it: connections, and files that they write."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

CALLS = "%network,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat"
_SENDS = re.compile(r"^(?:connect|sendto|sendmsg|sendmmsg|bind)\(.*?sa_family=(\w+)(?:, sun_path=@?\"([^\"]*)\")?")
_IPV6_PROBE = "bind"  # urllib3 sees whether there is IPv6 by binding a socket to its own machine
_OPENS = re.compile(r"^(?:open|openat|creat)\(.*= \d+<(.*)>$")
_WRITES = re.compile(r"O_CREAT|O_WRONLY|O_RDWR|^creat")
_MAKES = re.compile(r"^(?:mkdir|rename|link|symlink|mknod)(?:at|at2)?\(.*\"([^\"]*)\"[^\"]*\) += 0$")
_NOT_FILES = ("/dev/null", "/dev/tty", "/dev/shm/sem.", "/proc/self/", "/memfd:", "pipe:", "socket:")
# AF_NETLINK is this machine's kernel, asked by node which interfaces there are.
_USERS = "/var/run/nscd/socket"  # where libc asks for a user's name, on this machine


def tracing(folder: Path) -> list[str]:
    """Return what goes before a command so that its system calls are written to ``folder``, a file for each thread."""
    folder.mkdir(parents=True, exist_ok=True)
    return ["strace", "-ff", "-qq", "-y", "-s", "512", "--seccomp-bpf", "-e", "signal=none", "-e", f"trace={CALLS}",
            "-o", str(folder / "calls")]  # fmt: skip


def why_not() -> str:
    """Say why nothing can be traced here; "" when it can."""
    if shutil.which("strace") is None:
        return "needs strace"
    ran = subprocess.run(["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return f"strace does not work here: {ran.stderr.strip()}" if ran.returncode else ""


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask what is traced to end, then wait; strace itself would let go of it and leave it running."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for name in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError):
            for pid in children.read_text().split():
                os.kill(int(pid), name)
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
            return
    process.kill()


def trespasses(folder: Path, ours: Sequence[Path]) -> list[str]:
    """Return every call in the traces of ``folder`` that reaches out of the machine or writes outside ``ours``."""
    roots = tuple(f"{path.resolve()}/" for path in ours)
    return sorted({line for line in _calls(folder) if _trespasses(line, roots)})


def _calls(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("calls.*")):
        yield from file.read_text(encoding="utf-8", errors="replace").splitlines()


def _trespasses(line: str, roots: tuple[str, ...]) -> bool:
    if sent := _SENDS.search(line):
        family, path = sent[1], sent[2]
        if family == "AF_UNIX":
            return bool(path) and path != _USERS and not path.startswith(roots)
        return family != "AF_NETLINK" and not (line.startswith(_IPV6_PROBE) and '"::1"' in line)
    wrote = _OPENS.match(line) if _WRITES.search(line) else _MAKES.match(line)
    return wrote is not None and not f"{wrote[1]}/".startswith(roots) and not wrote[1].startswith(_NOT_FILES)
