"""One configuration: its defaults, its ranges, where a value came from, and errors that list every problem."""

from __future__ import annotations

import json
import re
from urllib.parse import quote
from zoneinfo import available_timezones

import pytest

from hookclaw_py.config import Config, home, json_schema
from hookclaw_py.endpoint import Endpoint
from hookclaw_py.errors import ConfigError, ModelError

ORIGINAL = {
    "maxResults": (3, 1, 20),
    "minScore": (0.5, 0, 1),
    "maxContextChars": (2000, 500, 20_000),
    "timeoutMs": (2000, 50, 10_000),
    "skipShortPrompts": (20, 0, 100),
    "cacheSize": (20, 1, 10_000),
    "cacheTtlMs": (300_000, 1000, 3_600_000),
    "fuzzyCacheThreshold": (0.85, 0, 1),
    "halfLifeHours": (168, 0, 87_600),
    "mmrLambda": (0.7, 0, 1),
}
SWITCHES = {
    "logInjections": True,
    "debugLogging": False,
    "formatTemplate": "xml",
    "adaptiveResults": True,
    "enableSkipPatterns": True,
    "skipPatterns": None,
    "enableBm25": True,
    "enableVector": True,
    "rrfK": 60,
    "rrfWeights": {"vector": 0.4, "bm25": 0.3, "late": 0.4, "recency": 0.2, "entity": 0.1},
    "enableTemporalParsing": True,
    "enableMmr": True,
    "enableFeedbackLoop": True,
}


def test_the_original_keys_have_the_original_defaults():
    """keep: configuration keys; enableRrf differs, because a convex combination measured better, and a third ranking has a weight."""
    values = Config().model_dump(by_alias=True, mode="json")
    assert {key: values[key] for key in ORIGINAL} == {key: default for key, (default, _, _) in ORIGINAL.items()}
    assert {key: values[key] for key in SWITCHES} == SWITCHES
    assert Config(enableRrf=True).enable_rrf is True


@pytest.mark.parametrize("key", ORIGINAL)
def test_ranges_are_kept_at_their_very_edges(key):
    """keep: configuration ranges."""
    _, low, high = ORIGINAL[key]
    assert Config(**{key: low}) != Config(**{key: high})
    for wrong in (low - 0.001 if isinstance(low, float) else low - 1, high + 1):
        with pytest.raises(ConfigError, match=rf"{key}: .* \(allowed: {low} to {high}\)"):
            Config(**{key: wrong})


@pytest.mark.parametrize(
    ("preset", "values"),
    [("surgical", (2, 0.55, 1500, 20)), ("balanced", (3, 0.50, 2000, 20)), ("broad", (5, 0.45, 4000, 15))],
)
def test_presets_are_the_originals(preset, values):
    """keep: presets; a key given beside a preset wins."""
    config = Config(preset=preset)
    assert (config.max_results, config.min_score, config.max_context_chars, config.skip_short_prompts) == values
    assert Config(preset=preset, maxResults=9).max_results == 9


def test_every_problem_is_reported_at_once_with_key_value_range_and_nearest_key():
    with pytest.raises(ConfigError) as caught:
        Config(
            maxResult=3, minScore=7, timeoutMs="fast", embedder={"modle": "x"}, timezone="Europe/Berln", cacheSize=True
        )
    text = str(caught.value)
    assert len(caught.value.problems) == 6
    for part in (
        "maxResult: unknown key; did you mean maxResults?",
        "minScore: 7 is not allowed",
        "(allowed: 0 to 1)",
        "timeoutMs: 'fast' is not allowed",
        "embedder.modle: unknown key; did you mean model?",
        "did you mean Europe/Berlin?",
        "cacheSize: True is not allowed",
    ):
        assert part in text


@pytest.mark.parametrize(
    "name", ["Europe", "europe paris", "right/UTC", "posix/UTC", "posixrules", "tzdata.zi", "../UTC", "/etc/passwd", "a" * 300, "\ud800"]
)  # fmt: skip
def test_what_is_no_time_zone_is_refused(name):
    with pytest.raises(ConfigError, match="no such time zone"):
        Config(timezone=name)


def test_every_time_zone_can_be_set():
    assert not [name for name in available_timezones() if Config(timezone=name).timezone != name]


def test_what_is_no_address_of_postgresql_is_refused_and_its_password_not_shown(monkeypatch):
    for url in ("mysql://una:heron@db/memory?a=b", "una:heron@db/memory"):
        with pytest.raises(ConfigError) as caught:
            Config(store={"url": url}, messages={"url": url})
        assert caught.value.problems == [
            f"{section}.url: its value is not allowed: it must be postgresql://USER@HOST/DATABASE"
            for section in ("messages", "store")
        ]
    monkeypatch.setenv("DB", "postgres://una@db/memory")
    for url in ("", "postgresql://una:heron@db/memory", "host=db user=una", "service=memory"):
        assert Config(store={"url": url}).store.url == url
    monkeypatch.setenv("HOOKCLAW_MESSAGES__URL", "${DB}")
    assert Config.load(None).messages.url == "postgres://una@db/memory"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"maxResults": 3, "max_results": 4}, "maxResults: is given twice, as maxResults and as max_results"),
        ({"embedder": {"apiKey": "a", "api_key": "b"}}, "embedder.apiKey: is given twice"),
    ],
)
def test_a_key_in_both_spellings_is_given_twice_and_not_unknown(given, said):
    with pytest.raises(ConfigError, match=f"^{said}"):
        Config(**given)


def test_a_problem_says_what_is_wanted_and_in_which_place_the_key_was_given(tmp_path, monkeypatch):
    file = tmp_path / "c.toml"
    file.write_text(
        'maxResults = "3"\nglobs = "notes/*.md"\nsources = ["memory", "letters"]\n[embeder]\nmodel = "m"\n'
        '[rrfWeights]\nbm25 = "heavy"\n'
    )
    monkeypatch.setenv("HOOKCLAW_ENABLE_MMR", "yes")
    with pytest.raises(ConfigError) as caught:
        Config.load(file, pool_size=0)
    assert sorted(caught.value.problems) == sorted(
        [
            f"{file}: maxResults: '3' is not allowed: it must be a whole number (allowed: 1 to 20)",
            f'{file}: globs: \'notes/*.md\' is not allowed: it must be a list, as ["one", "two"]',
            f"{file}: sources.1: 'letters' is not allowed: it must be 'memory', 'sessions' or 'openclaw'",
            f"{file}: embeder: unknown key; did you mean embedder?",
            f"{file}: rrfWeights.bm25: 'heavy' is not allowed: it must be a number (allowed: 0 to 10)",
            "HOOKCLAW_ENABLE_MMR: enableMmr: 'yes' is not allowed: it must be true or false",
            "poolSize: 0 is not allowed (allowed: 1 to 1000)",
        ]
    )


@pytest.mark.parametrize(
    ("variable", "meant"),
    [("MAXRESULTS", "HOOKCLAW_MAX_RESULTS"), ("EMBEDDER__APIKEY", "HOOKCLAW_EMBEDDER__API_KEY")],
)
def test_a_misspelt_variable_is_answered_with_the_right_one(monkeypatch, variable, meant):
    monkeypatch.setenv(f"HOOKCLAW_{variable}", "5")
    with pytest.raises(ConfigError, match=rf"^HOOKCLAW_{variable}: .*unknown key; did you mean {meant}\?$"):
        Config.load()


def test_a_key_given_in_two_spellings_in_one_file_is_named(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("maxResults = 3\nmax_results = 4\n")
    with pytest.raises(ConfigError, match=r"c.toml: maxResults: given twice, in two spellings; keep one"):
        Config.load(file)


def test_a_key_unlike_any_other_is_answered_with_the_list_of_keys():
    with pytest.raises(ConfigError, match=r"zzzz: unknown key; known keys are .*maxResults"):
        Config(zzzz=1)


def test_a_skip_pattern_that_is_no_regular_expression_is_named():
    with pytest.raises(ConfigError, match=r"skipPatterns: .*'\(' is not a regular expression"):
        Config(skipPatterns=["("])


@pytest.mark.parametrize("line", ["!", "drafts\\", "[z-a]"])
@pytest.mark.parametrize("key", ["globs", "exclude", "evergreen", "shared"])
def test_what_is_no_pattern_of_paths_is_named_before_it_meets_a_note(key: str, line: str):
    with pytest.raises(ConfigError, match=re.escape(f"{key}: ")) as caught:
        Config(**{key: ["*.md", line]})
    assert f"{line!r} is not a pattern as in .gitignore" in str(caught.value)


def test_a_skip_pattern_that_python_cannot_compile_is_named():
    with pytest.raises(ConfigError, match=r"skipPatterns: .* is not a regular expression"):
        Config(skipPatterns=["a{99999999999999}"])


def test_a_skip_pattern_has_500_characters_at_most():
    """A pattern is run over every prompt: its length is bounded, and the message does not repeat all of it."""
    assert Config(skipPatterns=["x" * 500]).skip_patterns
    with pytest.raises(ConfigError, match=r"has 501 characters, 500 are allowed") as caught:
        Config(skipPatterns=["x" * 501])
    assert len(str(caught.value)) < 300


def test_file_is_beaten_by_environment_and_environment_by_flags(monkeypatch):
    """Mend 17: four sets of defaults disagreed; there is one, and each value knows its origin."""
    home().joinpath("config.toml").write_text(
        'maxResults = 5\nmin_score = 0.4\nmmr_lambda = 0.2\n[embedder]\nmodel = "m"\n'
    )
    monkeypatch.setenv("HOOKCLAW_MIN_SCORE", "0.6")
    monkeypatch.setenv("HOOKCLAW_EMBEDDER__BACKEND", "openai")
    config, origins = Config.load_with_origins(mmr_lambda=0.9, max_results=None)
    assert (config.max_results, config.min_score, config.mmr_lambda) == (5, 0.6, 0.9)
    assert (config.embedder.model, config.embedder.backend) == ("m", "openai")
    assert origins["min_score"] == "HOOKCLAW_MIN_SCORE"
    assert origins["mmr_lambda"] == "flag"
    assert origins["max_results"].endswith("config.toml")
    assert "cache_size" not in origins


def test_a_preset_is_an_origin_too():
    home().joinpath("config.toml").write_text('preset = "broad"\nmaxResults = 7\n')
    config, origins = Config.load_with_origins()
    assert (config.max_results, config.min_score) == (7, 0.45)
    assert origins["min_score"] == "preset broad"
    assert origins["max_results"].endswith("config.toml")


def test_the_plugins_json_can_be_read_as_it_is(tmp_path):
    """keep: a HookClaw user can move over with their configuration."""
    file = tmp_path / "hookclaw.json"
    file.write_text(json.dumps({"enableRrf": True, "rrfK": 20, "rrfWeights": {"vector": 0.5}, "skipPatterns": []}))
    config = Config.load(file)
    assert (config.enable_rrf, config.rrf_k, config.rrf_weights.vector, config.skip_patterns) == (True, 20, 0.5, ())
    assert config.rrf_weights.bm25 == 0.3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.toml", b"maxResults = ", "c.toml: "),
        ("c.toml", b"\xff\xfe\x00", "c.toml: cannot be read"),
        ("c.json", b"[1]", "must be an object"),
        ("missing.toml", None, "no such file"),
        (
            "c.toml",
            b'timezone = "${NO_SUCH_VARIABLE_HERE}"',
            "c.toml: timezone: the environment has no variable NO_SUCH_VARIABLE_HERE",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        Config.load(tmp_path / name)


def test_variables_and_the_home_folder_are_expanded(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("TOKEN", "s3cret")
    file = tmp_path / "c.toml"
    file.write_text('globs = ["~/notes/*.md"]\n[embedder]\napi_key = "${TOKEN}"\n')
    config = Config.load(file)
    assert config.globs == ("/home/ada/notes/*.md",)
    assert config.embedder.api_key == "s3cret"


def loaded(tmp_path, content):
    file = tmp_path / "c.json"
    file.write_text(json.dumps(content))
    return Config.load(file)


@pytest.mark.parametrize(
    ("content", "variable", "value", "message"),
    [
        ({"embedder": "onnx"}, "EMBEDDER__BACKEND", "openai", r"embedder: given as one value and as a section \(embedder.backend\)"),
        ({"embedder": {"model": "m"}}, "EMBEDDER", "onnx", r"embedder: given as one value and as a section \(embedder.model\)"),
        ({"maxResults": 3}, "MAX_RESULTS__DEEP", "4", r"maxResults: given as one value and as a section \(maxResults.deep\)"),
        ({}, "EMBEDDER", "onnx", "embedder: must be a section with the keys backend, model, url, apiKey"),
    ],
)  # fmt: skip
def test_a_value_where_a_section_belongs_is_named(tmp_path, monkeypatch, content, variable, value, message):
    monkeypatch.setenv(f"HOOKCLAW_{variable}", value)
    with pytest.raises(ConfigError, match=message):
        loaded(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"plugins": {}}, "plugins: unknown key"),
        ({"embedder": {"modle": {}}}, "embedder.modle: unknown key; did you mean model?"),
        ({"maxResults": {}}, "maxResults: {} is not allowed"),
        ({"": {}}, ": unknown key"),
        ({"self": 1}, "self: unknown key"),
    ],
)
def test_an_unknown_key_is_noticed_however_little_it_holds(tmp_path, content, message):
    with pytest.raises(ConfigError, match=message):
        loaded(tmp_path, content)


def test_an_empty_section_changes_nothing(tmp_path, monkeypatch):
    assert loaded(tmp_path, {"embedder": {}, "rrfWeights": {}}) == Config()
    monkeypatch.setenv("HOOKCLAW_EMBEDDER", "{}")
    assert loaded(tmp_path, {"embedder": {"model": "m"}}).embedder.model == "m"


def test_a_key_that_holds_text_takes_the_environments_text_as_it_is(monkeypatch):
    monkeypatch.setenv("HOOKCLAW_EMBEDDER__API_KEY", "12345")
    monkeypatch.setenv("HOOKCLAW_EMBEDDER__MODEL", "true")
    monkeypatch.setenv("HOOKCLAW_MAX_RESULTS", "7")
    monkeypatch.setenv("HOOKCLAW_SKIP_PATTERNS", '["^ping"]')
    config = Config.load()
    assert (config.embedder.api_key, config.embedder.model) == ("12345", "true")
    assert (config.max_results, config.skip_patterns) == (7, ("^ping",))


@pytest.mark.parametrize(
    "embedder",
    [{"apiKey": 12345}, {"api_key": ["12345"]}, {"apiKey": {"of": "12345"}}, {"apiKey": "12345${NO_SUCH}"}, "12345"],
)
def test_no_message_repeats_the_api_key(tmp_path, embedder):
    with pytest.raises(ConfigError, match="embedder") as caught:
        loaded(tmp_path, {"embedder": embedder})
    assert "12345" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"embedder\.apiKey: its value is not allowed"):
        Config(embedder={"apiKey": 12345})
    assert "12345" not in repr(Config(embedder={"apiKey": "12345"}, store={"url": "postgresql://una:12345@db/memory"}))


def test_a_home_that_cannot_be_looked_into_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / ("x" * 300)))
    with pytest.raises(ConfigError, match=r"x{300}: cannot be read: .*HOOKCLAW_HOME"):
        Config.load()


def test_the_fingerprint_changes_with_any_value_and_only_then():
    assert Config().fingerprint == Config(max_results=3).fingerprint
    assert (
        len({Config().fingerprint, Config(max_results=4).fingerprint, Config(rrfWeights={"vector": 0.5}).fingerprint})
        == 3
    )


def test_a_copy_with_other_values_has_a_fingerprint_of_its_own():
    config = Config()
    assert config.fingerprint  # known before it is copied
    assert config.model_copy(update={"max_results": 4}).fingerprint == Config(max_results=4).fingerprint


def test_the_schema_describes_every_key_in_camel_case():
    schema = json_schema()
    assert set(ORIGINAL) | set(SWITCHES) <= set(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["maxResults"]["maximum"] == 20
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("between", ["@", "/", "?", "#", "[", "]", "%", " ", "@x/", "/x@", "?x=@"])
def test_a_password_that_is_not_percent_encoded_is_refused_with_what_to_do_and_no_part_of_it_shown(between):
    for url in (f"postgresql://una:heron{between}otter@db/memory", f"postgres://una:{between}heron-otter@db/memory"):
        with pytest.raises(ConfigError, match="percent-encoded: @ as %40") as caught:
            Config(store={"url": url}, messages={"url": url})
        assert len(caught.value.problems) == 2
        assert not {"heron", "otter"} & set(re.split(r"\W+", str(caught.value)))
    encoded = f"postgresql://una:heron{quote(between, safe='')}otter@db/memory"
    assert Config(store={"url": encoded}).store.url == encoded


@pytest.mark.parametrize("key", ["STORE__URL", "MESSAGES__URL"])
@pytest.mark.parametrize(
    "url",
    ["postgresql://una:heron@db/memory", "postgresql://db/memory?password=heron&a=b", "host=db/memory password=heron"],
)
def test_the_password_of_a_server_is_not_shown(key, url, monkeypatch):
    from hookclaw_py.insight.printing import config_values

    monkeypatch.setenv(f"HOOKCLAW_{key}", url)
    shown = json.dumps(config_values(Config.load(), by_alias=True))
    assert "db" in shown
    assert "heron" not in shown


@pytest.mark.parametrize("key", ["LLM__URL", "EMBEDDER__URL", "STORE__URL", "MESSAGES__URL"])
@pytest.mark.parametrize("by_alias", [True, False])
def test_no_password_of_any_address_is_shown(key, by_alias, monkeypatch):
    from hookclaw_py.insight.printing import config_values

    model = key.startswith(("LLM", "EMBEDDER"))
    for url in (
        *(
            ("https://una:heron@models/v1", "https://models/v1?api_key=heron-4711-Otter", "https://una:he/ron@models")
            if model
            else ()
        ),
        *(() if model else ("host=db user=una password='heron otter'", "postgresql://una@db/m?sslpassword=heron")),
    ):
        monkeypatch.setenv(f"HOOKCLAW_{key}", url)
        shown = json.dumps(config_values(Config.load(), by_alias=by_alias))
        for word in ("heron", "he/ron", "otter", "Otter"):
            assert word not in shown


def test_the_default_addresses_are_shown_as_they_are():
    from hookclaw_py.insight.printing import config_values

    assert config_values(Config(), by_alias=True)["embedder"]["url"] == "http://127.0.0.1:11434/v1"


@pytest.mark.parametrize(
    "url", ["una:heron@models/v1", "ftp://una:heron@models/v1", "//una:heron@models", "ftp://models/v1?key=heron"]
)
def test_of_an_address_that_is_none_no_password_is_said(url):
    with pytest.raises(ModelError) as caught:
        Endpoint(url, "embeddings", api_key="", section="embedder")
    assert "models" in str(caught.value)
    assert "heron" not in str(caught.value)
