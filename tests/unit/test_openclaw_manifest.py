"""The plugin's manifest: made from our configuration, and in step with it."""

from __future__ import annotations

import json

from hookclaw_py import __version__
from hookclaw_py.config import Config
from hookclaw_py.doors.tools import plugin
from hookclaw_py.hosts.openclaw import manifest as m


def test_the_file_is_the_one_that_the_generator_writes():
    assert (m.PLUGIN_FOLDER / m.FILE).read_text(encoding="utf-8") == m.text(), (
        "run python -m hookclaw_py.hosts.openclaw.manifest"
    )


def test_the_plugins_tools_are_those_of_the_table():
    file = m.PLUGIN_FOLDER / m.TOOLS_FILE
    assert file.read_text(encoding="utf-8") == plugin.text(), "run python -m hookclaw_py.doors.tools.plugin"
    assert {"memory_set", "memory_get", "palace_get"} <= set(m.manifest()["contracts"]["tools"])


def test_the_plugin_has_the_packages_version_and_the_id_as_its_npm_name():
    package = json.loads((m.PLUGIN_FOLDER / "package.json").read_text(encoding="utf-8"))
    assert (package["version"], package["name"]) == (__version__, m.PLUGIN_ID)
    assert "dependencies" not in package


def test_every_key_of_the_configuration_is_there_and_every_section_written_out():
    properties = m.manifest()["configSchema"]["properties"]
    assert set(properties) == {*m.PLUGIN_KEYS, *Config().model_dump(by_alias=True)}
    assert set(properties["rrfWeights"]["properties"]) == {"vector", "bm25", "late", "recency", "entity"}
    assert "$ref" not in json.dumps(properties)


def test_no_default_of_the_engine_is_a_default_of_the_gateway():
    """Mend 17: a gateway fills in defaults, and they would win over the user's config.toml."""
    properties = m.manifest()["configSchema"]["properties"]
    for key, schema in properties.items():
        if key not in m.PLUGIN_KEYS:
            assert '"default"' not in json.dumps(schema), key
    assert properties["maxResults"]["description"].endswith("Default: 3")


def test_ranges_and_help_reach_the_user_interface():
    made = m.manifest()
    assert (
        made["configSchema"]["properties"]["maxResults"]["minimum"],
        made["configSchema"]["properties"]["maxResults"]["maximum"],
    ) == (1, 20)
    assert made["uiHints"]["maxResults"]["label"] == "Max results"
    assert made["uiHints"]["embedder.apiKey"]["sensitive"] is True
    assert made["activation"] == {"onStartup": True}


def test_the_plugins_own_keys_are_the_ones_that_its_code_keeps_from_the_engine():
    code = (m.PLUGIN_FOLDER / "index.js").read_text(encoding="utf-8")
    own = code.partition("OWN_KEYS = new Set(")[2].partition(")")[0]
    assert set(json.loads(own)) == set(m.PLUGIN_KEYS)
