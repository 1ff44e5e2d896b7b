"""Configuration: every default, range and unit. Where values come from is in ``config.sources``.

Keys are camelCase in JSON (the gateway plugin) and snake_case in Python and TOML; both spellings are accepted
everywhere. Sections are tables in TOML and objects in JSON; in the environment ``HOOKCLAW_EMBEDDER__BACKEND``.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    BaseModel,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from hookclaw_py.config.sections import (
    CaptureConfig,
    ConfigSection,
    ConvexWeights,
    EmbedderConfig,
    HttpConfig,
    LinksConfig,
    LlmConfig,
    MessagesConfig,
    RrfWeights,
    SessionStartConfig,
    StoreConfig,
)
from hookclaw_py.config.sources import camel, gather, located, snake
from hookclaw_py.errors import ConfigError
from hookclaw_py.model.kind import KINDS, NOTE
from hookclaw_py.patterns import Patterns

__all__ = [
    "PRESETS",
    "CaptureConfig",
    "Config",
    "ConvexWeights",
    "EmbedderConfig",
    "HttpConfig",
    "LlmConfig",
    "MessagesConfig",
    "RrfWeights",
    "SessionStartConfig",
    "StoreConfig",
    "home",
    "json_schema",
    "make_private",
]

PRESETS: dict[str, dict[str, Any]] = {
    "surgical": {"max_results": 2, "min_score": 0.55, "max_context_chars": 1500, "skip_short_prompts": 20},
    "balanced": {"max_results": 3, "min_score": 0.50, "max_context_chars": 2000, "skip_short_prompts": 20},
    "broad": {"max_results": 5, "min_score": 0.45, "max_context_chars": 4000, "skip_short_prompts": 15},
}

LONGEST_PATTERN = 500  # characters; a list of words fits, a generated monster does not


_SOURCES = {kind.name: kind.told for kind in KINDS.values() if kind.told}
if TYPE_CHECKING:
    Source = str
else:
    Source = Literal[tuple(_SOURCES)]


class Config(ConfigSection):
    """Everything that can be tuned. Immutable; ``Config.load`` reads it, ``Config(...)`` builds it in code."""

    preset: Literal["surgical", "balanced", "broad"] | None = Field(
        None, description="Sets maxResults, minScore, maxContextChars and skipShortPrompts together"
    )
    max_results: StrictInt = Field(3, ge=1, le=20, description="Chunks injected at most")
    max_lines: StrictInt = Field(3, ge=0, le=20, description="Single lines of other chunks told behind them at most")
    min_score: StrictFloat = Field(0.5, ge=0, le=1, description="Floor on the calibrated relevance")
    max_context_chars: StrictInt = Field(
        2000, ge=500, le=20_000, description="Budget of the whole block, in characters"
    )
    timeout_ms: StrictInt = Field(2000, ge=50, le=10_000, description="Hard deadline of one recall, in milliseconds")
    log_injections: StrictBool = Field(True, description="One log line per decision")
    debug_logging: StrictBool = Field(False, description="One more log line per injected chunk")
    format_template: Literal["xml", "markdown"] = Field("xml", description="How the block is written")
    skip_short_prompts: StrictInt = Field(
        20, ge=0, le=100, description="Shorter prompts are skipped; a wide character counts 3"
    )
    cache_size: StrictInt = Field(20, ge=1, le=10_000, description="Prompts remembered by the cache")
    cache_ttl_ms: StrictInt = Field(300_000, ge=1000, le=3_600_000, description="How long they are, in milliseconds")
    fuzzy_cache_threshold: StrictFloat = Field(
        0.85, ge=0, le=1, description="Jaccard of two prompts' words; 1 = exact only"
    )
    adaptive_results: StrictBool = Field(True, description="Inject fewer chunks when the best one is strong")
    half_life_hours: StrictFloat = Field(
        168, ge=0, le=87_600, description="Age at which a note counts half; 0 = no decay"
    )
    decay_floor: StrictFloat = Field(0.9, ge=0, le=1, description="What age leaves of a score at least; 0 = all of it")
    enable_skip_patterns: StrictBool = Field(
        True, description="Skip greetings, thanks and other prompts that need no memory"
    )
    skip_patterns: tuple[str, ...] | None = Field(
        None,
        description="Regular expressions of up to 500 characters; null = the built-in list, [] = none. They see a "
        "prompt's first 4,000 characters; a repetition inside a repetition, as in (a+)+, can still take for ever",
    )
    enable_bm25: StrictBool = Field(True, description="Search by keywords")
    enable_vector: StrictBool = Field(True, description="Search by meaning")
    enable_rrf: StrictBool = Field(
        False, description="Fuse by reciprocal rank; otherwise by a convex combination, which measured better"
    )
    rrf_k: StrictInt = Field(60, ge=1, le=1000, description="Constant of reciprocal rank fusion")
    rrf_weights: RrfWeights = RrfWeights()
    convex_weights: ConvexWeights = ConvexWeights()
    enable_temporal_parsing: StrictBool = Field(True, description='Understand "yesterday", "in March", "last week"')
    reader: Literal["auto", "deep", "off"] = Field(
        "auto",
        description="Read the best chunks beside the prompt: auto = where it is in doubt, deep = more of them, always",
    )
    enable_mmr: StrictBool = Field(True, description="Prefer chunks that differ from those already chosen")
    mmr_lambda: StrictFloat = Field(0.7, ge=0, le=1, description="1 = relevance only, 0 = diversity only")
    duplicate_threshold: StrictFloat = Field(0.8, ge=0, le=1, description="Jaccard from which two chunks say the same")
    enable_feedback_loop: StrictBool = Field(True, description="Learn from which memories were used")

    sources: tuple[Source, ...] = Field(
        (NOTE.name,),
        description=f"What to remember: {', '.join(f'{name} = {told}' for name, told in _SOURCES.items())}",
    )
    openclaw_state: StrictStr = Field(
        "", description="OpenClaw's state folder; empty = $OPENCLAW_STATE_DIR, or ~/.openclaw"
    )
    record_prompts: StrictBool = Field(
        False,
        description="Keep every prompt with its context, the decision and the injected ids in the agent's folder, secrets"
        " redacted, for `hookclaw prompts`",
    )
    keep_history: StrictBool = Field(
        True,
        description="Keep the newest 2,000 decisions with their story in the agent's store, secrets redacted, for"
        " `hookclaw history`, `explain --id`, `replay` and `stats`",
    )
    secrets: Literal["redact", "owner"] = Field(
        "redact",
        description="Passwords, keys, numbers of cards in notes: redact = [redacted] in what agents are told, but for the"
        " password of a Wi-Fi that its owner asks for; owner = told in the owner's direct sessions",
    )
    shadow: StrictBool = Field(
        False, description="Decide, keep the history, and tell agents nothing: to look before you trust it"
    )
    open_telemetry: StrictBool = Field(
        False,
        description="Show each recall and its stages as OpenTelemetry spans, without content (needs hookclaw_py[otel];"
        " the OTEL_… variables say where they go)",
    )
    open_telemetry_content: StrictBool = Field(
        False, description="Put the prompt, the block and error texts into the spans as well"
    )
    globs: tuple[str, ...] = Field((), description="More files of a workspace to index, as .gitignore patterns")
    exclude: tuple[str, ...] = Field((), description="Files of a workspace never to index, as .gitignore patterns")
    evergreen: tuple[str, ...] = Field(
        ("MEMORY.md",), description="Files whose notes never decay, as .gitignore patterns"
    )
    shared: tuple[str, ...] = Field(
        (),
        description="Files whose notes groups, channels and other people may hear of as well, as .gitignore patterns; a"
        " note's front matter (shared: true, shared: false) counts more",
    )
    timezone: StrictStr = Field("", description="The user's time zone (Europe/Berlin); empty = the machine's")
    pool_size: StrictInt = Field(20, ge=1, le=1000, description="Chunks that each retriever hands over before fusion")
    tools: Literal["usual", "all"] = Field(
        "usual",
        description="Tools that agents have: usual = memory_set, memory_recall, memory_get, message; all = thirteen, which cost"
        " more tokens in every turn (`hookclaw mcp --tools`)",
    )
    links: LinksConfig = LinksConfig()
    capture: CaptureConfig = CaptureConfig()
    session_start: SessionStartConfig = SessionStartConfig()
    http: HttpConfig = HttpConfig()
    llm: LlmConfig = LlmConfig()
    messages: MessagesConfig = MessagesConfig()
    store: StoreConfig = StoreConfig()
    lexical_backend: Literal["tantivy", "rank-bm25"] = "tantivy"
    embedder: EmbedderConfig = EmbedderConfig()

    def __init__(self, /, **values: Any) -> None:
        """Build a configuration.

        Raises:
            ConfigError: listing every unknown key, wrong type and value out of range.
        """
        preset = PRESETS.get(str(values.get("preset")), {})
        given = {snake(key) for key in values}
        try:
            super().__init__(**{k: v for k, v in preset.items() if k not in given}, **values)
        except ValidationError as error:
            raise ConfigError([_problem(details) for details in error.errors()]) from None

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        if name and not _is_zone(name):
            near = difflib.get_close_matches(name, available_timezones(), n=1)
            raise ValueError(f"no such time zone{f'; did you mean {near[0]}?' if near else ''}")
        return name

    @field_validator("sources")
    @classmethod
    def _with_notes(cls, sources: tuple[str, ...]) -> tuple[str, ...]:
        if NOTE.name not in sources:
            raise ValueError(f"the notes are always read; begin with {NOTE.name}")
        return sources

    @field_validator("skip_patterns")
    @classmethod
    def _valid_patterns(cls, patterns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for pattern in patterns or ():
            if len(pattern) > LONGEST_PATTERN:
                raise ValueError(
                    f"{_shown(pattern)} has {len(pattern)} characters, {LONGEST_PATTERN} are allowed; split it"
                )
            try:
                re.compile(pattern)
            except (re.error, OverflowError) as error:
                raise ValueError(f"{_shown(pattern)} is not a regular expression: {error}") from None
        return patterns

    @field_validator("globs", "exclude", "evergreen", "shared")
    @classmethod
    def _valid_globs(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        for line in lines:
            try:
                Patterns((line,))
            except (re.error, ValueError):
                raise ValueError(f"{_shown(line)} is not a pattern as in .gitignore") from None
        return lines

    @property
    def zone(self) -> ZoneInfo | None:
        """The user's time zone; None means the machine's."""
        return ZoneInfo(self.timezone) if self.timezone else None

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits that change whenever a value does."""
        return hashlib.blake2b(self.model_dump_json().encode(), digest_size=8).hexdigest()

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with these other values, and a fingerprint of its own."""
        copied = super().model_copy(update=update, deep=deep)
        vars(copied).pop("fingerprint", None)
        return copied

    @classmethod
    def load(cls, path: Path | None = None, **flags: Any) -> Config:
        """Read ``path`` (default ``$HOOKCLAW_HOME/config.toml``), the environment and ``flags``, later ones winning."""
        return cls.load_with_origins(path, **flags)[0]

    @classmethod
    def load_with_origins(cls, path: Path | None = None, **flags: Any) -> tuple[Config, dict[str, str]]:
        """Like ``load``, and say for each key that is not a default where its value came from.

        Raises:
            ConfigError: if the file cannot be read, or anything in the three sources is wrong.
        """
        file = path or home() / "config.toml"
        values, origins, problems = gather(
            file if path or _is_there(file) else None,
            flags,
            holds_text=lambda key: getattr(_field(key.split(".")), "annotation", None) is str,
        )
        try:
            config = cls(**values)
        except ConfigError as error:
            problems += [located(problem, origins) for problem in error.problems]
        if problems:
            raise ConfigError(problems)
        preset = str(config.preset)
        return config, {**dict.fromkeys(PRESETS.get(preset, {}), f"preset {preset}"), **origins}


def home() -> Path:
    """Return the folder of all our files: ``$HOOKCLAW_HOME``, by default ``~/.hookclaw``."""
    return Path(os.environ.get("HOOKCLAW_HOME") or "~/.hookclaw").expanduser()


def make_private(folder: Path) -> Path:
    """Make ``folder`` and what is missing above it, for its owner only (0700); a folder that is there stays as it is."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    return folder


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the configuration, keys in camelCase: the plugin's ``configSchema``."""
    return Config.model_json_schema(by_alias=True, mode="serialization")


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError as error:
        raise ConfigError(
            [f"{file.parent}: cannot be read: {error.strerror}; set HOOKCLAW_HOME to a folder of your own"]
        ) from None


def _is_zone(name: str) -> bool:
    """Say whether there is a time zone of that name; to list all of them would take longer than all else here."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return not name.startswith(("posix", "right/"))  # copies of the others, the latter with leap seconds


def _problem(error: ErrorDetails) -> str:
    """Say one validation error as a sentence: the key, the value, what is allowed, the nearest known key."""
    location = [str(part) for part in error["loc"]]
    key = camel(".".join(location))
    if error["type"] == "extra_forbidden":
        known = _keys(_section(location[:-1]))
        if camel(location[-1]) in known:
            return f"{key}: is given twice, as {key} and as {snake(key)}; leave one of them out"
        near = difflib.get_close_matches(camel(location[-1]), known, n=1)
        return f"{key}: unknown key; " + (f"did you mean {near[0]}?" if near else f"known keys are {', '.join(known)}")
    if section := _section(location):
        return f"{key}: must be a section with the keys {', '.join(_keys(section))}"
    value = "its value" if {"api_key", "url"} & set(map(snake, location)) else _shown(error["input"])
    return f"{key}: {value} is not allowed{_wanted(error)}{_range(location)}"


def _wanted(error: ErrorDetails) -> str:
    kind = error["type"]
    if kind in {"greater_than_equal", "less_than_equal"}:
        return ""  # the range says it
    if kind == "literal_error":
        return f": it must be {error['ctx']['expected']}"
    if kind in _KINDS:
        return f": it must be {_KINDS[kind]}"
    return f": {error['msg'].removeprefix('Value error, ')}"


_KINDS = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "tuple_type": 'a list, as ["one", "two"]',
}


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def _section(path: Sequence[str]) -> type[BaseModel] | None:
    """Return the section at a path of keys, in either spelling; None when there is none."""
    section: type[BaseModel] = Config
    for key in path:
        field = section.model_fields.get(snake(key))
        annotation = field.annotation if field else None
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return None
        section = annotation
    return section


def _field(path: Sequence[str]) -> FieldInfo | None:
    """Return what is known of the key at a path, in either spelling; None when there is none."""
    section = _section(path[:-1])
    return section.model_fields.get(snake(path[-1])) if section else None


def _keys(section: type[BaseModel] | None) -> list[str]:
    return [to_camel(name) for name in (section or Config).model_fields]


def _range(location: list[str]) -> str:
    field = _field(location)
    bounds = {type(m).__name__: m for m in field.metadata} if field else {}
    if "Ge" in bounds and "Le" in bounds:
        return f" (allowed: {bounds['Ge'].ge} to {bounds['Le'].le})"
    return ""
