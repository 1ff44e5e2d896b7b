"""Where settings come from: a file, the environment and flags, later ones winning; each key remembers its origin.

Keys are flattened to ``embedder.api_key``: snake_case whatever they were written in, sections joined by dots.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel

from hookclaw_py.errors import ConfigError

FLAG = "flag"
VARIABLE = "HOOKCLAW_"  # what the names of our variables begin with


def gather(
    file: Path | None, flags: Mapping[str, Any], *, holds_text: Callable[[str], bool]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the settings in their sections, and by flattened key the file, the variable or ``FLAG`` they came from.

    ``holds_text`` says of a flattened key that it holds text: its variable is taken as it is, not read as JSON.

    Raises:
        ConfigError: if the file cannot be read, a ``${VAR}`` is not set, or a key is given twice in one place.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    places = [(str(file), read_file(file))] if file else []
    places += ((variable, {key: value}) for variable, key, value in _from_environment(os.environ, holds_text))
    places.append((FLAG, {key: value for key, value in flags.items() if value is not None}))
    for origin, given in places:
        flat = list(_flat(given))
        if twice := [name for n, (name, _) in enumerate(flat) if name in dict(flat[:n])]:
            raise ConfigError([f"{origin}: {camel(name)}: given twice, in two spellings; keep one" for name in twice])
        for name, value in flat:
            try:
                values[name] = _expanded(value)
            except KeyError as missing:
                raise ConfigError(
                    [f"{origin}: {camel(name)}: the environment has no variable {missing.args[0]}"]
                ) from None
            origins[name] = origin
    return _nested(values), origins


def located(problem: str, origins: Mapping[str, str]) -> str:
    """Put the place where a setting was made before a problem with it, which begins with its key."""
    key = snake(problem.partition(":")[0])
    kin = (name for name in origins if name == key or key.startswith(f"{name}.") or name.startswith(f"{key}."))
    origin = origins.get(next(kin, ""), FLAG)
    if origin.startswith(VARIABLE):
        known, sections = r"unknown key; did you mean (\w+)", key.split(".")[:-1]
        problem = re.sub(known, lambda m: f"unknown key; did you mean {_variable(*sections, m[1])}", problem)
    return problem if origin == FLAG else f"{origin}: {problem}"


def _variable(*path: str) -> str:
    return VARIABLE + "__".join(map(snake, path)).upper()


def read_file(file: Path) -> dict[str, Any]:
    """Read a configuration file, TOML or JSON by its name.

    Raises:
        ConfigError: if it cannot be read or parsed.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        values: dict[str, Any] = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        raise ConfigError([f"{file}: no such file; run `hookclaw config show` to see the defaults"]) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}"]) from None
    except ValueError as error:  # both parsers' errors, with line and column
        raise ConfigError([f"{file}: {error}"]) from None
    if not isinstance(values, dict):
        raise ConfigError([f"{file}: must be an object of keys and values, not {type(values).__name__}"])
    return values


def snake(key: str) -> str:
    """Return a key's Python and TOML spelling."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), key)


def camel(name: str) -> str:
    """Return a flattened key in the spelling of JSON."""
    return ".".join(to_camel(part) for part in name.split("."))


def _from_environment(environ: Mapping[str, str], holds_text: Callable[[str], bool]) -> Iterator[tuple[str, str, Any]]:
    """Yield variables, keys and values: the text itself for a key that holds text, JSON for the others."""
    for variable, text in environ.items():
        if not variable.startswith(VARIABLE) or variable == "HOOKCLAW_HOME":
            continue
        key = variable.removeprefix(VARIABLE).lower().replace("__", ".")
        try:
            yield variable, key, text if holds_text(key) else json.loads(text)
        except ValueError:
            yield variable, key, text


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        name = prefix + ".".join(snake(part) for part in key.split("."))
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Undo ``_flat``; an empty section stays, so that an unknown one is noticed.

    Raises:
        ConfigError: if a key is given a value of its own and is a section elsewhere.
    """
    both = [
        f"{camel(name)}: given as one value and as a section ({camel(inner)}); keep one of the two"
        for name, value in flat.items()
        if not isinstance(value, Mapping)
        for inner in [next((other for other in flat if other.startswith(f"{name}.")), "")]
        if inner
    ]
    if both:
        raise ConfigError(both)
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        *sections, key = name.split(".")
        table = nested
        for section in sections:
            table = table.setdefault(section, {})
        if isinstance(value, Mapping):
            table.setdefault(key, {})
        else:
            table[key] = value
    return nested


def _expanded(value: Any) -> Any:
    """Replace ``${VAR}`` and a leading ``~/`` in strings.

    Raises:
        KeyError: if there is no such variable.
    """
    if isinstance(value, list | tuple):
        return [_expanded(item) for item in value]
    if not isinstance(value, str):
        return value
    value = re.sub(r"\$\{(\w+)\}", lambda m: os.environ[m[1]], value)
    return os.path.expanduser(value) if value.startswith("~/") else value
