"""Installer: the plugin in a gateway's configuration, put in, taken out, looked at. What a gateway has is never lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.config import Config, home
from hookclaw_py.errors import ConfigError
from hookclaw_py.hosts.openclaw import copies, document
from hookclaw_py.hosts.openclaw.gateway import KEEPS_INSTALL_RECORDS, KNOWS_CONVERSATION_ACCESS, Gateway, GatewayError
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_FOLDER, PLUGIN_ID, PLUGIN_KEYS
from hookclaw_py.privacy.files import replace_text

PATHS = ("plugins", "load", "paths")
ALLOW = ("plugins", "allow")
ENTRY = ("plugins", "entries", PLUGIN_ID)
_KINDS: Mapping[tuple[str, ...], type] = {
    ("plugins",): dict,
    PATHS[:-1]: dict,
    PATHS: list,
    ALLOW: list,
    ("plugins", "deny"): list,
    ENTRY[:-1]: dict,
    ENTRY: dict,
    (*ENTRY, "hooks"): dict,
    (*ENTRY, "config"): dict,
}
"""What each place that we read must be, where it is there."""
FILES = tuple(sorted(path.name for path in PLUGIN_FOLDER.iterdir() if path.suffix in (".js", ".json")))
Values = dict[str, Any]


class Change(NamedTuple):
    """One place of a configuration, its value before and after; None = nothing there."""

    path: tuple[str, ...]
    before: Any
    after: Any

    def __str__(self) -> str:
        def said(value: Any) -> str:
            return "(nothing)" if value is None else json.dumps(value, ensure_ascii=False)

        return f"{'.'.join(self.path)}\n    - {said(self.before)}\n    + {said(self.after)}"


def read(gateway: Gateway) -> tuple[str, Values]:
    """Return the text and the values of a gateway's configuration.

    Raises:
        GatewayError: if there is none, it cannot be read, or something else stands where plugins are told of.
    """
    try:
        text = gateway.config.read_bytes().decode()  # with its own line ends
    except FileNotFoundError:
        raise GatewayError(f"{gateway.config}: no such file; set OpenClaw up first with `openclaw onboard`") from None
    except (OSError, UnicodeDecodeError) as error:
        raise GatewayError(f"{gateway.config} cannot be read: {error}") from None
    try:
        values = document.parse(text)
    except document.DocumentError as error:
        raise GatewayError(f"{gateway.config}: {error}") from None
    for path, kind in _KINDS.items():
        around = document.value_at(values, path[:-1]) if path[1:] else values
        if isinstance(around, dict) and path[-1] in around and not isinstance(around[path[-1]], kind):
            must = "a list" if kind is list else "an object"
            found = json.dumps(around[path[-1]])[:60]
            raise GatewayError(
                f"{gateway.config}: {'.'.join(path)} must be {must}, not {found}; mend it, or take it out"
            )
    return text, values


def wanted(values: Values, gateway: Gateway, python: str) -> Values:
    """Return the configuration with the plugin in it; what the user set for it stays.

    Raises:
        GatewayError: if plugins are switched off, or the entry has keys that this plugin does not know: one of them
            would keep the gateway from starting.
    """
    new = deepcopy(values)
    plugins = new.setdefault("plugins", {})
    if plugins.get("enabled") is False or PLUGIN_ID in plugins.get("deny", []):
        raise GatewayError(
            f"{gateway.config} switches plugins off (plugins.enabled or plugins.deny); allow {PLUGIN_ID} first"
        )
    paths = plugins.setdefault("load", {}).setdefault("paths", [])
    if str(gateway.plugin) not in paths:
        paths.append(str(gateway.plugin))
    if isinstance(plugins.get("allow"), list) and PLUGIN_ID not in plugins["allow"]:
        plugins["allow"].append(PLUGIN_ID)
    entry = plugins.setdefault("entries", {}).setdefault(PLUGIN_ID, {})
    entry["enabled"] = True
    if gateway.version >= KNOWS_CONVERSATION_ACCESS or not any(gateway.version):
        entry.setdefault("hooks", {})["allowConversationAccess"] = True
    given = entry.setdefault("config", {})
    try:
        Config(**{key: value for key, value in given.items() if key not in PLUGIN_KEYS})
    except ConfigError as error:
        raise GatewayError(
            f"{gateway.config}: {'.'.join(ENTRY)}.config cannot stay as it is:\n  " + "\n  ".join(error.problems)
        ) from None
    given["python"], given["home"] = python, str(home().absolute())
    return new


def without(values: Values, gateway: Gateway, prior: Mapping[str, Any]) -> Values:
    """Return the configuration without the plugin; ``prior`` says what of ours was there before us."""
    new = deepcopy(values)
    plugins = new.get("plugins", {})
    paths = plugins.get("load", {}).get("paths", [])
    if str(gateway.plugin) in paths:
        paths.remove(str(gateway.plugin))
    if PLUGIN_ID in plugins.get("allow", []) and not prior.get("allowed"):
        plugins["allow"].remove(PLUGIN_ID)
    entries = plugins.get("entries", {})
    entries.pop(PLUGIN_ID, None)
    if prior.get("entry") is not None:
        entries[PLUGIN_ID] = prior["entry"]
    for parent, key in ((plugins.get("load", {}), "paths"), (plugins, "load"), (plugins, "entries"), (new, "plugins")):
        if key in parent and not parent[key] and key not in prior.get("empty", []):
            del parent[key]
    return new


def changes(before: Values, after: Values) -> list[Change]:
    """Say what differs in the places that are ours to change."""
    both = [(path, document.value_at(before, path), document.value_at(after, path)) for path in (PATHS, ALLOW, ENTRY)]
    return [Change(*each) for each in both if each[1] != each[2]]


def install(gateway: Gateway, python: str, *, by_hand: bool = False) -> list[Change]:
    """Put the plugin in; doing it again changes nothing. ``by_hand`` edits the file even where there is a command.

    Raises:
        GatewayError: if the gateway refuses, or its configuration does not end up as wanted.
    """
    text, values = read(gateway)
    after = wanted(values, gateway, python)
    made = changes(values, after)
    _copy_plugin(gateway)
    if made:
        _remember(gateway, text, values)
        if gateway.command and not by_hand:
            _install_by_command(gateway, made)
        else:
            _write(gateway.config, _edited(text, after))
        _verify(gateway, after)
        _write(gateway.folder / "installed.json5", read(gateway)[0])
    return made


def planned_removal(gateway: Gateway) -> list[Change]:
    """Say what ``uninstall`` would change.

    Raises:
        GatewayError: if the configuration cannot be read.
    """
    values = read(gateway)[1]
    return changes(values, without(values, gateway, _prior(gateway)))


def uninstall(gateway: Gateway, *, by_hand: bool = False) -> list[Change]:
    """Take the plugin out and put back what was there before, to the byte when nothing else has changed since.

    Raises:
        GatewayError: if the gateway refuses, or its configuration does not end up as wanted.
    """
    text, values = read(gateway)
    prior, backup = _prior(gateway), gateway.folder / "before.json5"
    after = without(values, gateway, prior)
    made = changes(values, after)
    untouched = _same(text, gateway.folder / "installed.json5") and backup.exists()
    if made:
        if prior.get("linked") and gateway.command and not by_hand:
            gateway.run("plugins", "uninstall", PLUGIN_ID, "--force")
        now = read(gateway)[0]
        restored = backup.read_bytes().decode() if untouched else _edited(now, after)
        copies.settle(gateway.config, text, restored, lambda copy: _cleaned(copy, gateway, prior), _write)
        _write(gateway.config, restored)
        _verify(gateway, after)
    shutil.rmtree(gateway.folder, ignore_errors=True)
    return made


def plugin_is_current(gateway: Gateway) -> bool:
    """Say whether the gateway's copy of the plugin is this package's."""
    try:
        return all((gateway.plugin / name).read_bytes() == (PLUGIN_FOLDER / name).read_bytes() for name in FILES)
    except OSError:
        return False


def _copy_plugin(gateway: Gateway) -> None:
    """Copy the plugin to a folder of ours.

    A gateway refuses files with several links (uv makes them), of another owner, or writable by everyone (containers);
    and the package's own path changes with every new Python.
    """
    if plugin_is_current(gateway):
        return
    part = gateway.folder / "plugin.part"
    shutil.rmtree(part, ignore_errors=True)
    for folder in (home(), gateway.folder.parent, gateway.folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part.mkdir(mode=0o755)
    for name in FILES:
        _write(part / name, (PLUGIN_FOLDER / name).read_text(encoding="utf-8"), mode=0o644)
    shutil.rmtree(gateway.plugin, ignore_errors=True)
    part.rename(gateway.plugin)


def _install_by_command(gateway: Gateway, made: list[Change]) -> None:
    if gateway.version >= KEEPS_INSTALL_RECORDS and any(change.path == PATHS for change in made):
        gateway.run("plugins", "install", "--link", str(gateway.plugin), "--force", "--accept-capabilities")
        _write(gateway.folder / "prior.json", json.dumps({**_prior(gateway), "linked": True}))
    now = read(gateway)[1]
    for path, _, after in made:
        if document.value_at(now, path) != after:
            gateway.run("config", "set", ".".join(path), json.dumps(after), "--json")


def _edited(text: str, after: Values) -> str:
    """Return the text so that it says ``after`` where it is ours to change, objects left empty going too."""
    for path, _, value in changes(document.parse(text), after):
        text = document.drop(text, path) if value is None else document.put(text, path, value)
    for path in (PATHS[:2], ENTRY[:2], PATHS[:1]):
        if document.value_at(after, path) is None:
            text = document.drop(text, path)
    return text


def _cleaned(text: str, gateway: Gateway, prior: Mapping[str, Any]) -> str:
    """Return a configuration's text without the plugin; as it is when the plugin is not in it."""
    values = document.parse(text)
    after = without(values, gateway, prior)
    return _edited(text, after) if changes(values, after) else text


def _verify(gateway: Gateway, after: Values) -> None:
    left = changes(read(gateway)[1], after)
    if left:
        raise GatewayError(
            f"{gateway.config} is not as it should be; set this by hand:\n" + "\n".join(map(str, left))
            + f"\nthe configuration as it was is in {gateway.folder / 'before.json5'}"
        )  # fmt: skip


def _remember(gateway: Gateway, text: str, values: Values) -> None:
    """Keep the configuration as it is before we touch it, unless what we kept is still what it was."""
    backup = gateway.folder / "before.json5"
    if not (gateway.folder / "prior.json").exists():
        plugins = values.get("plugins", {})
        spots = ((values, "plugins"), (plugins, "load"), (plugins.get("load", {}), "paths"), (plugins, "entries"))
        prior = {
            "entry": document.value_at(values, ENTRY),
            "allowed": PLUGIN_ID in plugins.get("allow", []),
            "empty": [key for parent, key in spots if key in parent and not parent[key]],
        }
        _write(gateway.folder / "prior.json", json.dumps(prior))
        _write(backup, text)
    elif not _same(text, gateway.folder / "installed.json5"):
        backup.rename(gateway.folder / "first-before.json5") if backup.exists() else None


def _prior(gateway: Gateway) -> dict[str, Any]:
    try:
        prior: dict[str, Any] = json.loads((gateway.folder / "prior.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return prior


def _same(text: str, file: Path) -> bool:
    """Say whether a configuration is the one in ``file``, but for what gateways note down about themselves."""
    try:
        other = document.parse(file.read_bytes().decode())
    except (OSError, UnicodeDecodeError, document.DocumentError):
        return False
    now = document.parse(text)
    return {**now, "meta": None} == {**other, "meta": None}


def _write(file: Path, text: str, *, mode: int | None = None) -> None:
    """Replace a file at once, whole; it keeps its mode."""
    target = Path(os.path.realpath(file))
    try:
        replace_text(target, text, mode=mode or (target.stat().st_mode & 0o777 if target.exists() else 0o600))
    except OSError as error:
        raise GatewayError(f"{file} cannot be written: {error.strerror}") from error
