"""Gateway: an OpenClaw on this machine: its command, its version, where its configuration and state are."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hookclaw_py.config import home
from hookclaw_py.errors import HookclawError

OLDEST = (2026, 2, 9)
KNOWS_CONVERSATION_ACCESS = (2026, 4, 24)  # before that the key is unknown, and one unknown key stops a gateway
KEEPS_INSTALL_RECORDS = (2026, 8, 1)  # from then on it distrusts a plugin that its own command did not install
SECONDS = 300
_USUAL = (".openclaw", ".clawdbot")  # the second is what the first was called


class GatewayError(HookclawError):
    """A gateway cannot be found, asked or changed."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """One OpenClaw. ``command`` is empty when only its files are here; ``version`` (0, 0, 0) when nothing tells it."""

    command: tuple[str, ...]
    version: tuple[int, int, int]
    state: Path
    config: Path

    @property
    def folder(self) -> Path:
        """Where we keep what belongs to this gateway: plugin, record, backups."""
        return home() / "gateways" / gateway_key(self.state)

    @property
    def plugin(self) -> Path:
        """The folder that the gateway loads the plugin from."""
        return self.folder / "plugin"

    def run(self, *arguments: str) -> str:
        """Run the gateway's own command and return what it printed.

        Raises:
            GatewayError: if it fails, with what it said.
        """
        done = self.ask(*arguments)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip())[-2000:]
            raise GatewayError(f"`openclaw {' '.join(arguments[:3])} …` failed (exit code {done.returncode}): {said}")
        return done.stdout

    def ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the gateway's own command, whatever comes of it.

        Raises:
            GatewayError: if it cannot be run at all, or does not end.
        """
        environment = {**os.environ, "OPENCLAW_STATE_DIR": str(self.state), "OPENCLAW_CONFIG_PATH": str(self.config)}
        return _run((*self.command, *arguments), environment)


def gateway_key(state: Path) -> str:
    """Return twelve hex digits for a gateway's state folder; ``gatewayKey`` in the plugin makes the same."""
    return hashlib.sha256(os.path.abspath(state).encode()).hexdigest()[:12]


def profile_of(state: Path) -> str:
    """Return what sets a gateway's stores apart: "" for the usual state folder, the profile's name, else the folder's own.

    ``profileOf`` in the plugin says the same.
    """
    state = Path(os.path.abspath(state))
    if state.parent == Path.home().absolute():
        if state.name in _USUAL:
            return ""
        if profile := re.fullmatch(r"\.openclaw-([a-z0-9_][a-z0-9_-]{0,39})", state.name):
            return profile[1]
    name = re.sub(r"[^a-z0-9_]+", "-", state.name.lower()).strip("-")[:24].rstrip("-") or "state"
    return f"{name}-{gateway_key(state)[:6]}"


def find_gateway(given: Path | None = None) -> Gateway:
    """Return the gateway at ``given`` (its command, its package, a folder it is installed in), else on PATH, else npm's.

    Raises:
        GatewayError: if there is neither a command nor a configuration, or the command does not work.
    """
    user_home = Path(os.environ.get("OPENCLAW_HOME") or Path.home())
    profile = os.environ.get("OPENCLAW_PROFILE", "default")
    usual = user_home / (".openclaw" if profile == "default" else f".openclaw-{profile}")
    state = Path(os.environ.get("OPENCLAW_STATE_DIR") or usual).expanduser().absolute()
    config = Path(os.environ.get("OPENCLAW_CONFIG_PATH") or state / "openclaw.json").expanduser().absolute()
    command = _command(given) if given else _command_on_path() or _command_of_npm()
    if not command:
        if not config.exists():
            raise GatewayError(
                f"no OpenClaw here: no `openclaw` on PATH or among npm's global packages, and no {config}; "
                "name it with --gateway, or set OPENCLAW_CONFIG_PATH"
            )
        return Gateway((), _version_in(config), state, config)
    said = _run((*command, "--version"), os.environ).stdout
    version = parse_version(said)
    if version == (0, 0, 0):
        raise GatewayError(f"{' '.join(command)} --version says {said.strip()[:200]!r}, which is no OpenClaw's version")
    if version < OLDEST:
        raise GatewayError(f"this OpenClaw is {dotted(version)}; hookclaw needs {dotted(OLDEST)} or newer: update it")
    return Gateway(command, version, state, config)


def parse_version(text: str) -> tuple[int, int, int]:
    """Read the first calendar version in ``text``; (0, 0, 0) when there is none."""
    found = re.search(r"\b(20\d\d)\.(\d{1,2})\.(\d{1,2})\b", text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def dotted(version: tuple[int, int, int]) -> str:
    """Write a version as people do; "unknown" for (0, 0, 0)."""
    return ".".join(map(str, version)) if any(version) else "unknown"


def _command(given: Path) -> tuple[str, ...]:
    given = given.expanduser().absolute()
    places: tuple[Path, ...] = (given,)
    if given.is_dir():
        inside = (
            ".bin/openclaw",
            "node_modules/.bin/openclaw",
            "openclaw.mjs",
            "openclaw/openclaw.mjs",
            "openclaw",
            "bin/openclaw",
        )
        places = tuple(given / name for name in inside)
    for place in places:
        if place.is_file():
            return ("node", str(place)) if place.suffix in {".mjs", ".js"} else (str(place),)
    raise GatewayError(f"{given}: no OpenClaw there; give its command, its openclaw.mjs, or the folder npm put it in")


def _command_on_path() -> tuple[str, ...]:
    found = shutil.which("openclaw")
    return (found,) if found else ()


def _command_of_npm() -> tuple[str, ...]:
    npm = shutil.which("npm")
    if not npm:
        return ()
    with tempfile.TemporaryDirectory(prefix="hookclaw-npm-") as cache:  # it would make its folders in the user's home
        quiet = {"npm_config_cache": cache, "npm_config_update_notifier": "false"}
        found = _run((npm, "root", "-g"), {**os.environ, **quiet})
    script = Path(found.stdout.strip()) / "openclaw" / "openclaw.mjs"
    return ("node", str(script)) if script.is_file() else ()


def _version_in(config: Path) -> tuple[int, int, int]:
    """Read which version wrote a configuration last."""
    try:
        found = re.search(r"""["']?lastTouchedVersion["']?\s*:\s*["']([\d.]+)""", config.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise GatewayError(f"{config} cannot be read: {error}") from None
    return parse_version(found[1]) if found else (0, 0, 0)


def _run(command: tuple[str, ...], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            env={**environment, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except OSError as error:
        raise GatewayError(f"{command[0]} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise GatewayError(f"`{' '.join(command[:4])} …` did not end within {SECONDS} s") from error
