"""Sections of the configuration: tables of their own in TOML, objects in JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
)
from pydantic.alias_generators import to_camel

from hookclaw_py.privacy.addresses import problem_of


def _of_postgres(url: str) -> str:
    if url.strip() and ("://" in url or "=" not in url) and not url.startswith(("postgresql://", "postgres://")):
        raise ValueError("it must be postgresql://USER@HOST/DATABASE")
    if problem := problem_of(url):
        raise ValueError(problem)
    return url


PostgresURL = Annotated[StrictStr, AfterValidator(_of_postgres)]
"""A server, as libpq takes it: its URL or words as `host=…`; "" is none."""


class ConfigSection(BaseModel):
    """A table of keys, in either spelling; what is not known is refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=AliasGenerator(
            validation_alias=lambda name: AliasChoices(to_camel(name), name), serialization_alias=to_camel
        ),
    )


class RrfWeights(ConfigSection):
    """Weight of each ranking in reciprocal rank fusion."""

    vector: StrictFloat = Field(0.4, ge=0, le=10)
    bm25: StrictFloat = Field(0.3, ge=0, le=10)
    late: StrictFloat = Field(0.4, ge=0, le=10)
    recency: StrictFloat = Field(0.2, ge=0, le=10)
    entity: StrictFloat = Field(0.1, ge=0, le=10)


class ConvexWeights(ConfigSection):
    """Weight of each ranking in the convex combination."""

    vector: StrictFloat = Field(0.7, ge=0, le=10)
    bm25: StrictFloat = Field(1.0, ge=0, le=10)
    late: StrictFloat = Field(1.0, ge=0, le=10)
    recency: StrictFloat = Field(0.0, ge=0, le=10)
    entity: StrictFloat = Field(0.1, ge=0, le=10)


class EmbedderConfig(ConfigSection):
    """Which embedding model turns texts into vectors."""

    backend: Literal["onnx", "sentence-transformers", "openai"] = Field(
        "onnx", description="onnx: the model that comes with the package; openai: any /v1/embeddings endpoint"
    )
    model: StrictStr = Field("minilm-l6-notes-int8", description="A model id, or a folder")
    url: StrictStr = Field("http://127.0.0.1:11434/v1", description="Base address of the openai backend")
    api_key: StrictStr = Field(
        "", repr=False, description="Sent as a bearer token by the openai backend; ${VAR} reads the environment"
    )


class CaptureConfig(ConfigSection):
    """What is captured of this agent's own direct sessions."""

    enabled: StrictBool = Field(
        True, description="Keep what is said and done in the owner's sessions, secrets redacted"
    )
    skip_tools: tuple[str, ...] = Field(
        (
            *("TodoWrite", "AskUserQuestion", "SlashCommand", "ListMcpResourcesTool", "Skill", "tts", "canvas", "cron"),
            *("memory_*", "palace_*", "mcp__*__memory_*", "mcp__hookclaw__message", "subagents", "agents_list"),
            *("sessions_*", "session_status", "tool_call", "tool_search", "tool_search_*"),
        ),
        description="Tools whose calls are never captured; * stands for anything",
    )
    refuse: tuple[str, ...] = Field(
        (),
        description="Calls that name these files are never captured; * stands for anything. Beside .env, .ssh, .aws,"
        " .npmrc, keys and keychains, which never are",
    )
    exclude: tuple[str, ...] = Field(
        (), description="Folders: nothing is captured of work in them, nor of calls that name what is in one"
    )
    keep_raw_days: StrictInt = Field(
        7, ge=0, le=3650, description="Days that what was said and done is kept word for word; what it taught stays"
    )
    stuck_ms: StrictInt = Field(
        300_000, ge=1000, le=86_400_000, description="Work on it that takes longer is taken for hung, and begun again"
    )


class SessionStartConfig(ConfigSection):
    """What a session is told when it begins: what is unfinished, what the last one did, what is pinned or confirmed, or nothing."""

    enabled: StrictBool = Field(
        True, description="Tell a session when it begins what is unfinished, done last, pinned or confirmed"
    )
    max_records: StrictInt = Field(8, ge=1, le=100, description="How much of it at most")
    max_chars: StrictInt = Field(1200, ge=500, le=20_000, description="Characters of it at most")
    min_salience: StrictFloat = Field(
        0.3,
        ge=0,
        le=1,
        description="What has faded below this is not told, unless it is pinned, a preference or still to do",
    )
    min_confidence: StrictFloat = Field(
        0.6, ge=0, le=1, description="What is less sure waits until it is said in another session, too"
    )


class LlmConfig(ConfigSection):
    """A model that says in the background, in other words, what was captured: off until it is configured."""

    enabled: StrictBool = Field(
        False,
        description="Send what is captured, secrets redacted, to a model that puts it in other words, in the background",
    )
    url: StrictStr = Field(
        "http://127.0.0.1:11434/v1",
        pattern=r"^https?://\S+$",
        description="Base address of any /v1/chat/completions endpoint: Ollama, llama.cpp, vLLM, a provider's",
    )
    model: StrictStr = Field("mistral:7b", min_length=1, description="The model, as the endpoint names it")
    api_key: StrictStr = Field(
        "", repr=False, pattern=r"^[ -~]*\s*$", description="Sent as a bearer token; ${VAR} reads the environment"
    )
    timeout_ms: StrictInt = Field(
        30_000, ge=1000, le=300_000, description="How long an answer may take, in milliseconds"
    )
    max_input_chars: StrictInt = Field(8000, ge=500, le=100_000, description="Characters of a session in one question")
    daily_tokens: StrictInt = Field(
        200_000, ge=0, le=100_000_000, description="Tokens a day, of questions and answers together; 0 = none"
    )


class LinksConfig(ConfigSection):
    """Links between what agents save, by how alike it is; the limits belong to the model that comes with the package."""

    auto: StrictBool = Field(True, description="Link what means nearly the same when it is saved")
    link_at: StrictFloat = Field(0.68, ge=0, le=1, description="Cosine from which two are linked")
    suggest_at: StrictFloat = Field(0.6, ge=0, le=1, description="Cosine from which an agent is told of the other")


class StoreConfig(ConfigSection):
    """Where agents' memories are kept: in files on this machine, or on a PostgreSQL server."""

    url: PostgresURL = Field(
        "", repr=False, description="postgresql://USER@HOST/DATABASE; empty = files below $HOOKCLAW_HOME"
    )
    space: StrictStr = Field(
        "",
        description="Whose agents these are on the server: agents of one name in one space are the same; empty = the user",
    )


class HttpConfig(ConfigSection):
    """Whether the viewer's door is open beside a host's, and where; `hookclaw viewer` opens it without."""

    enabled: StrictBool = Field(False, description="Listen in the process that serves a host, too")
    host: Literal["127.0.0.1", "::1"] = Field("127.0.0.1", description="Where to listen: on this machine alone")
    port: StrictInt = Field(37888, ge=0, le=65_535, description="At which port; 0 = any that is free")
    socket: StrictStr = Field("", description="A Unix socket to listen at instead")


class MessagesConfig(ConfigSection):
    """How soon agents hear of each other's messages, and how often they are woken for them."""

    url: PostgresURL = Field(
        "",
        repr=False,
        description="A PostgreSQL in which agents of several machines share their messages (needs hookclaw_py[postgres]);"
        " ${VAR} reads the environment; empty = messages.db in $HOOKCLAW_HOME",
    )
    poll_ms: StrictInt = Field(
        250, ge=20, le=60_000, description="How often it is looked whether another process sent something"
    )
    coalesce_ms: StrictInt = Field(250, ge=0, le=60_000, description="What comes within that wakes an agent once")
    wakes_per_hour: StrictInt = Field(20, ge=0, le=1000, description="How often an agent is woken at most; 0 = never")
