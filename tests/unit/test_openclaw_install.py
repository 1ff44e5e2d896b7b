"""Finding a gateway, putting the plugin in and taking it out; the real gateways are in tests/e2e."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hookclaw_py import __version__
from hookclaw_py.cli.openclaw_commands import openclaw
from hookclaw_py.errors import HookclawError
from hookclaw_py.hosts.openclaw import interpreter as interpreters
from hookclaw_py.hosts.openclaw.gateway import Gateway, GatewayError, dotted, find_gateway, gateway_key, parse_version
from hookclaw_py.hosts.openclaw.install import (
    FILES,
    changes,
    install,
    plugin_is_current,
    read,
    uninstall,
    wanted,
    without,
)
from hookclaw_py.hosts.openclaw.interpreter import check, interpreter
from hookclaw_py.hosts.openclaw.manifest import PLUGIN_FOLDER
from hookclaw_py.hosts.openclaw.status import lines, status

# What the commands of a real gateway do to its configuration: keep what was there, rewrite it as plain JSON, note their
# version in it.
OPENCLAW = """#!{python}
import json, sys
from pathlib import Path
import os
config = Path(os.environ["OPENCLAW_CONFIG_PATH"])
asked = sys.argv[1:]
with open({log!r}, "a") as log: log.write(json.dumps(asked) + "\\n")
if asked == ["--version"]: print("OpenClaw {version} (abc)"); sys.exit()
import json5
values = json5.loads(config.read_text())
for n in range(4, 0, -1):
    older = Path(f"{{config}}.bak" + (f".{{n - 1}}" if n > 1 else ""))
    if older.exists(): older.replace(f"{{config}}.bak.{{n}}")
Path(f"{{config}}.bak").write_text(config.read_text())
plugins = values.setdefault("plugins", {{}})
if asked[:2] == ["config", "set"]:
    *path, last = asked[2].split(".")
    node = values
    for key in path: node = node.setdefault(key, {{}})
    node[last] = json.loads(asked[3])
elif asked[:2] == ["plugins", "install"]:
    plugins.setdefault("load", {{}}).setdefault("paths", []).append(asked[3])
    plugins.setdefault("entries", {{}}).setdefault("hookclaw", {{}})["enabled"] = True
elif asked[:2] == ["plugins", "uninstall"]:
    plugins["entries"]["hookclaw"] = {{"enabled": False}}
else: print("unknown command", file=sys.stderr); sys.exit(1)
values["meta"] = {{"lastTouchedVersion": "{version}"}}
config.write_text(json.dumps(values, indent=4))
"""


pytestmark = pytest.mark.usefixtures("no_gateway")


def command(tmp_path: Path, version: str) -> Path:
    """Put an ``openclaw`` of that version on PATH."""
    file = tmp_path / "bin/openclaw"
    file.parent.mkdir(exist_ok=True)
    file.write_text(OPENCLAW.format(python=sys.executable, version=version, log=str(tmp_path / "asked")))
    file.chmod(0o755)
    return file


def configure(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "state/openclaw.json"
    file.write_text(text)
    return file


def entry(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())["plugins"]["entries"]["hookclaw"]
    return found


def asked(tmp_path: Path) -> list[list[str]]:
    return [json.loads(line) for line in (tmp_path / "asked").read_text().splitlines()]


PLAIN = '{"gateway": {"mode": "local"}, "plugins": {"allow": ["memory-core"]}}'


@pytest.mark.parametrize("version", ["2026.9.6", "2026.4.24", "2026.3.13", "2026.2.9"])
def test_a_gateways_own_command_puts_it_in_and_takes_it_out_to_the_byte(tmp_path, version):
    command(tmp_path, version)
    file = configure(tmp_path, PLAIN)
    gateway = find_gateway()
    made = install(gateway, "/py")
    assert [".".join(change.path) for change in made] == [
        "plugins.load.paths",
        "plugins.allow",
        "plugins.entries.hookclaw",
    ]
    assert ("hooks" in entry(file)) is (version in {"2026.9.6", "2026.4.24"}), "an unknown key stops an old gateway"
    assert entry(file)["config"]["python"] == "/py"
    assert (
        ["plugins", "install", "--link", str(gateway.plugin), "--force", "--accept-capabilities"] in asked(tmp_path)
    ) is (version == "2026.9.6")
    assert install(gateway, "/py") == []
    values = json.loads(file.read_text())
    file.write_text(json.dumps({**values, "meta": {"lastTouchedAt": "now"}}))  # as a gateway does by itself
    assert uninstall(gateway)
    assert file.read_text() == PLAIN
    assert not gateway.folder.exists()


WRITTEN_BY_HAND = """{
  // the household's gateway
  gateway: { mode: "local" }, // nobody else's
}
"""


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("kept", ["", '{"gateway": {"mode": "local", "port": 1}, "meta": {}}'])
def test_no_copy_that_a_gateway_keeps_brings_the_plugin_back(tmp_path, by_hand, kept):
    """A gateway whose configuration lost its meta, or half its size, takes ``openclaw.json.bak`` instead."""
    command(tmp_path, "2026.9.6")
    file = configure(tmp_path, WRITTEN_BY_HAND)
    latest = file.with_name("openclaw.json.bak")
    if kept:
        latest.write_text(kept)
    gateway = find_gateway()
    install(gateway, "/py", by_hand=by_hand)
    uninstall(gateway, by_hand=by_hand)
    assert file.read_text() == WRITTEN_BY_HAND
    copies = {copy.name: copy.read_text() for copy in file.parent.glob("openclaw.json.bak*")}
    assert not [name for name, text in copies.items() if "hookclaw" in text]
    assert copies.get(latest.name, WRITTEN_BY_HAND) == WRITTEN_BY_HAND, "taking this one instead changes nothing"
    assert not kept or kept in copies.values(), "what was kept before us is kept"


def test_what_a_user_changed_after_the_installation_stays_in_the_copies_too(tmp_path):
    command(tmp_path, "2026.9.6")
    file = configure(tmp_path, PLAIN)
    gateway = find_gateway()
    install(gateway, "/py")
    gateway.run("config", "set", "gateway.port", "7")
    gateway.run("config", "set", "gateway.port", "8")
    uninstall(gateway)
    left = json.loads(file.read_text())
    assert (left["gateway"]["port"], "hookclaw" in file.read_text()) == (8, False)
    copies = [copy.read_text() for copy in file.parent.glob("openclaw.json.bak*")]
    assert not [text for text in copies if "hookclaw" in text]
    assert any('"port": 7' in text for text in copies)


def test_what_a_user_changed_meanwhile_survives_the_uninstaller(tmp_path):
    command(tmp_path, "2026.9.6")
    file = configure(tmp_path, PLAIN)
    gateway = find_gateway()
    install(gateway, "/py")
    values = json.loads(file.read_text())
    values["gateway"]["port"] = 1234
    values["plugins"]["load"]["paths"].append("/theirs")
    file.write_text(json.dumps(values))
    uninstall(gateway)
    left = json.loads(file.read_text())
    assert left.pop("meta")
    assert (
        left
        == {
            "gateway": {"mode": "local", "port": 1234},
            "plugins": {"allow": ["memory-core"], "load": {"paths": ["/theirs"]}, "entries": {}},
        }
        or left["plugins"].get("entries", {}) == {}
    )
    assert left["plugins"]["load"] == {"paths": ["/theirs"]}
    assert left["gateway"]["port"] == 1234


def test_settings_of_the_original_plugin_stay_and_come_back(tmp_path):
    """keep: a HookClaw user moves over with their configuration."""
    command(tmp_path, "2026.3.13")
    theirs = {"enabled": False, "config": {"maxResults": 5, "minScore": 0.4}}
    file = configure(tmp_path, json.dumps({"plugins": {"allow": ["hookclaw"], "entries": {"hookclaw": theirs}}}))
    gateway = find_gateway()
    install(gateway, "/py")
    assert entry(file)["config"] == {
        "maxResults": 5,
        "minScore": 0.4,
        "python": "/py",
        "home": os.environ["HOOKCLAW_HOME"],
    }
    values = json.loads(file.read_text())
    file.write_text(json.dumps({**values, "theme": "dark"}))
    uninstall(gateway)
    assert entry(file) == theirs
    assert json.loads(file.read_text())["plugins"]["allow"] == ["hookclaw"]


def test_a_setting_that_would_keep_the_gateway_from_starting_is_refused_before_anything_changes(tmp_path):
    command(tmp_path, "2026.9.6")
    before = json.dumps({"plugins": {"entries": {"hookclaw": {"config": {"maxResult": 5, "minScore": 7}}}}})
    file = configure(tmp_path, before)
    with pytest.raises(GatewayError) as error:
        install(find_gateway(), "/py")
    assert "maxResult: unknown key; did you mean maxResults?" in str(error.value)
    assert "minScore: 7" in str(error.value)
    assert file.read_text() == before


@pytest.mark.parametrize("plugins", [{"enabled": False}, {"deny": ["hookclaw"]}])
def test_a_gateway_that_denies_plugins_is_not_overruled(tmp_path, plugins):
    command(tmp_path, "2026.9.6")
    configure(tmp_path, json.dumps({"plugins": plugins}))
    with pytest.raises(GatewayError, match="switches plugins off"):
        install(find_gateway(), "/py")


@pytest.mark.parametrize(
    ("plugins", "said"),
    [
        ([], "plugins must be an object, not []"),
        (None, "plugins must be an object, not null"),
        ({"load": {"paths": None}}, "plugins.load.paths must be a list, not null"),
        ({"allow": "all"}, 'plugins.allow must be a list, not "all"'),
        ({"entries": {"hookclaw": True}}, "plugins.entries.hookclaw must be an object, not true"),
        ({"entries": {"hookclaw": {"config": None}}}, "plugins.entries.hookclaw.config must be an object, not null"),
    ],
)
def test_what_stands_where_plugins_are_told_of_and_is_no_such_thing_is_named(tmp_path, plugins, said):
    """By whoever reads it: a doctor that ends in a traceback finds nothing."""
    file = configure(tmp_path, json.dumps({"plugins": plugins}))
    before = file.read_text()
    for command in (("install",), ("uninstall",), ("status",), ("install", "--dry-run")):
        done = CliRunner().invoke(openclaw, command)
        assert isinstance(done.exception, GatewayError), command
        assert f"{file}: {said}; mend it" in str(done.exception)
    assert file.read_text() == before


COMMENTED = "// mine\n{\n  gateway: { mode: 'local' }, // keep\n}\n"


@pytest.mark.parametrize("present", [True, False])
def test_without_a_command_or_by_wish_the_file_is_edited_and_its_comments_stay(tmp_path, present):
    if present:
        command(tmp_path, "2026.9.6")
    file = configure(tmp_path, COMMENTED)
    file.chmod(0o640)
    gateway = find_gateway()
    install(gateway, "/py", by_hand=present)
    assert "// mine" in file.read_text()
    assert "// keep" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert read(gateway)[1]["plugins"]["entries"]["hookclaw"]["hooks"] == {"allowConversationAccess": True}
    file.write_text(file.read_text().replace("local", "remote"))
    uninstall(gateway, by_hand=present)
    assert file.read_text() == COMMENTED.replace("local", "remote")


def test_the_plugins_copy_is_ours_alone_has_one_link_each_and_is_renewed(tmp_path):
    """A gateway refuses plugin files of others, writable by all, or with several links (as uv installs them)."""
    configure(tmp_path, "{}")
    gateway = find_gateway()
    install(gateway, "/py")
    for name in FILES:
        found = (gateway.plugin / name).stat()
        assert (found.st_nlink, found.st_uid, stat.S_IMODE(found.st_mode)) == (1, os.getuid(), 0o644)
    assert stat.S_IMODE(gateway.folder.stat().st_mode) == 0o700
    (gateway.plugin / "index.js").write_text("old")
    assert not plugin_is_current(gateway)
    assert install(gateway, "/py") == []
    assert plugin_is_current(gateway)


def test_a_new_python_is_written_by_installing_again(tmp_path):
    command(tmp_path, "2026.9.6")
    file = configure(tmp_path, PLAIN)
    gateway = find_gateway()
    install(gateway, "/old")
    assert [change.path[-1] for change in install(gateway, "/new")] == ["hookclaw"]
    assert entry(file)["config"]["python"] == "/new"
    uninstall(gateway)
    assert file.read_text() == PLAIN


def test_a_failing_command_is_quoted_and_the_backup_named(tmp_path):
    file = command(tmp_path, "2026.9.6")
    file.write_text(file.read_text().replace('elif asked[:2] == ["plugins", "install"]', 'elif asked[0] == "x"'))
    configure(tmp_path, PLAIN)
    with pytest.raises(
        GatewayError, match=r"`openclaw plugins install --link …` failed \(exit code 1\): unknown command"
    ):
        install(find_gateway(), "/py")
    file.write_text(
        file.read_text().replace("node[last] = json.loads(asked[3])", "pass").replace("2026.9.6", "2026.3.1")
    )
    with pytest.raises(GatewayError, match=r"(?s)not as it should be.*before\.json5"):
        install(find_gateway(), "/py")


def test_a_gateway_is_found_by_its_command_its_package_and_its_folder(tmp_path):
    package = tmp_path / "lib/node_modules/openclaw"
    package.mkdir(parents=True)
    real = command(tmp_path, "2026.9.6")
    (package.parent / ".bin").mkdir()
    (package.parent / ".bin/openclaw").symlink_to(real)
    assert find_gateway().command == (str(real),)
    for given in (real, package.parent, package.parent.parent):
        assert find_gateway(given).version == (2026, 9, 6)
    with pytest.raises(GatewayError, match="no OpenClaw there"):
        find_gateway(tmp_path / "nowhere")


def test_npms_global_openclaw_is_found_when_it_is_not_on_path(tmp_path):
    root = tmp_path / "global"
    (root / "openclaw").mkdir(parents=True)
    (root / "openclaw/openclaw.mjs").write_text("")
    for name, text in {"npm": f"echo {root}", "node": "echo 2026.7.1"}.items():
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    found = find_gateway()
    assert found.command == ("node", str(root / "openclaw/openclaw.mjs"))
    assert found.version == (2026, 7, 1)


def test_no_gateway_a_broken_one_and_one_that_is_too_old_are_told_apart(tmp_path):
    with pytest.raises(GatewayError, match="no OpenClaw here"):
        find_gateway()
    file = command(tmp_path, "2025.12.1")
    with pytest.raises(GatewayError, match=r"no OpenClaw's version|needs 2026\.2\.9"):
        find_gateway()
    command(tmp_path, "2026.1.30")
    with pytest.raises(GatewayError, match=r"is 2026\.1\.30; hookclaw needs 2026\.2\.9 or newer"):
        find_gateway()
    file.write_text("#!/bin/sh\necho hello\n")
    with pytest.raises(GatewayError, match="no OpenClaw's version"):
        find_gateway()
    file.write_text("#!/nowhere/sh\n")
    with pytest.raises(GatewayError, match="cannot be run"):
        find_gateway()
    command(tmp_path, "2026.9.6")
    with pytest.raises(GatewayError, match="no such file; set OpenClaw up first"):
        read(find_gateway())
    configure(tmp_path, "{")
    with pytest.raises(GatewayError, match="not JSON5"):
        read(find_gateway())


def test_the_state_folder_decides_which_gateway_it_is(tmp_path, monkeypatch):
    configure(tmp_path, "{meta: {lastTouchedVersion: '2026.3.13'}}")
    gateway = find_gateway()
    assert dotted(gateway.version) == "2026.3.13", "read from the configuration when there is no command"
    assert gateway.folder.name == gateway_key(tmp_path / "state")
    assert gateway_key(tmp_path / "state") != gateway_key(tmp_path / "other")
    monkeypatch.delenv("OPENCLAW_STATE_DIR")
    monkeypatch.delenv("OPENCLAW_CONFIG_PATH")
    monkeypatch.setenv("OPENCLAW_HOME", str(tmp_path / "own"))
    (tmp_path / "own/.openclaw").mkdir(parents=True)
    (tmp_path / "own/.openclaw/openclaw.json").write_text("{}")
    found = find_gateway()
    assert found.config == tmp_path / "own/.openclaw/openclaw.json"
    assert dotted(found.version) == "unknown"
    (tmp_path / "own/.openclaw-work").mkdir()
    (tmp_path / "own/.openclaw-work/openclaw.json").write_text("{}")
    monkeypatch.setenv("OPENCLAW_PROFILE", "work")
    assert find_gateway().state == tmp_path / "own/.openclaw-work"


def test_versions_are_read_from_what_gateways_print():
    assert parse_version("OpenClaw 2026.9.6 (eb377ac)") == (2026, 9, 6)
    assert parse_version("2026.2.9\n") == (2026, 2, 9)
    assert parse_version("v22.1.0") == (0, 0, 0)


def test_wanted_and_without_are_each_others_inverse(tmp_path):
    gateway = Gateway((), (2026, 9, 6), tmp_path, tmp_path / "c")
    for values in (
        {},
        {"plugins": {}},
        {"plugins": {"allow": ["x"]}},
        {"plugins": {"load": {"paths": ["/a"]}, "entries": {"x": {}}}},
    ):
        prior = {"empty": ["plugins"] if values.get("plugins") == {} else []}
        after = wanted(values, gateway, "/py")
        assert changes(after, wanted(after, gateway, "/py")) == []
        assert without(after, gateway, prior) == values


# The interpreter


def test_the_running_python_is_named_with_its_links_kept():
    python = interpreter()
    assert python == os.path.abspath(sys.executable)
    assert check(python) == ""


def test_an_interpreter_that_a_gateway_could_not_use_is_refused(tmp_path, monkeypatch):
    assert "cannot be run" in check(str(tmp_path / "python"))
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec {sys._base_executable} -S "$@"\n')
    bare.chmod(0o755)
    assert "does not find hookclaw_py by itself" in check(str(bare))
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho 9.9.9\n")
    other.chmod(0o755)
    assert check(str(other)) == f"{other} has hookclaw_py 9.9.9, this is {__version__}"
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(GatewayError, match="install hookclaw_py with pipx, uv tool"):
        interpreter()
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(GatewayError, match="does not know its own path"):
        interpreter()


@pytest.mark.parametrize(
    "python", ["/home/me/.cache/uv/archive-v0/Xy/bin/python", "/home/me/.local/pipx/.cache/ab/bin/python"]
)
def test_an_environment_that_will_be_swept_away_is_refused(monkeypatch, python):
    monkeypatch.setattr(interpreters.sys, "executable", python)
    with pytest.raises(GatewayError, match="emptied now and then"):
        interpreter()


# The commands


def call(*arguments: str) -> Any:
    return CliRunner().invoke(openclaw, list(arguments))


def test_a_dry_run_shows_everything_and_touches_nothing(tmp_path):
    command(tmp_path, "2026.9.6")
    file = configure(tmp_path, PLAIN)
    shown = call("install", "--dry-run")
    assert 'plugins.entries.hookclaw\n    - (nothing)\n    + {"enabled": true' in shown.output
    assert "nothing was changed" in shown.output
    assert file.read_text() == PLAIN
    assert not (Path(os.environ["HOOKCLAW_HOME"]) / "gateways").exists()
    assert "restart it: `openclaw gateway restart`" in call("install").output
    assert "nothing to change" in call("install", "--dry-run").output
    assert "installed already" in call("install").output
    assert "nothing was changed" in call("uninstall", "--dry-run").output
    assert "hookclaw: installed" in call("status").output
    assert call("uninstall").output.endswith("done\n")
    assert file.read_text() == PLAIN
    assert "it was not installed" in call("uninstall").output
    assert "not installed" in call("status").output


def test_a_configuration_with_comments_gets_a_word_about_them(tmp_path):
    command(tmp_path, "2026.9.6")
    configure(tmp_path, COMMENTED)
    result = call("install", "--edit")
    assert result.exit_code == 0, result.exception
    call("uninstall", "--edit")
    file = tmp_path / "bin/openclaw"
    file.write_text(file.read_text().replace("json.loads(config.read_text())", "{}"))
    assert "--edit keeps them" in call("install").output


def test_the_status_tells_of_the_turns_that_reached_it(tmp_path):
    command(tmp_path, "2026.9.6")
    configure(tmp_path, PLAIN)
    call("install")
    gateway = find_gateway()
    assert "no turn has reached it yet" in lines(status(gateway))
    record = {"last": {"at": "2026-02-20T10:00:00Z", "outcome": "injected", "reason": "top relevance 0.9"}, "outcomes": {"injected": 3, "silent": 1}, "p50Ms": 7, "p95Ms": 12, "lastFailure": {"at": "x", "reason": "late"}}  # fmt: skip
    (gateway.folder / "record.json").write_text(json.dumps(record))
    told = "\n".join(lines(status(gateway)))
    assert "last turn 2026-02-20T10:00:00Z (injected: top relevance 0.9)" in told
    assert "3 injected, 1 silent; p50 7 ms, p95 12 ms" in told
    assert "last failure x: late" in told
    assert json.loads(call("status", "--json").output)["record"] == record
    (gateway.folder / "record.json").write_text("{")
    assert status(gateway).record == {}


def test_the_status_names_what_keeps_it_from_working(tmp_path):
    file = configure(tmp_path, PLAIN)
    gateway = find_gateway()
    install(gateway, "/py")
    values = json.loads(file.read_text())
    values["plugins"]["allow"].remove("hookclaw")
    values["plugins"]["entries"]["hookclaw"] |= {"enabled": False, "hooks": {"allowPromptInjection": False}}
    file.write_text(json.dumps(values))
    (gateway.plugin / "index.js").unlink()
    told = "\n".join(lines(status(gateway)))
    for problem in ("another version", "disabled", "plugins.allow leaves it out", "hooks are not allowed"):
        assert problem in told
    assert issubclass(GatewayError, HookclawError)


def test_what_the_plugin_imports_is_installed_with_it():
    for file in FILES:
        text = (PLUGIN_FOLDER / file).read_text(encoding="utf-8")
        imported = re.findall(r'from "\./([\w.]+)"', text) if file.endswith(".js") else []
        assert set(imported) <= set(FILES), file
    assert {path.name for path in PLUGIN_FOLDER.iterdir() if path.is_file()} == set(FILES)
