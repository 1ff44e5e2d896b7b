"""Sources of settings: a file, the environment and flags, later ones winning; each key remembers its origin.

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
) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return the settings in their sections, by flattened key the file, variable or ``FLAG`` they came from, and problems.

    ``holds_text`` says of a flattened key that it holds text: its variable is taken as it is, not read as JSON. What is a
    problem (a file that cannot be read, a ``${VAR}`` that is not set, a key that is given twice) is left out, or once in.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    in_file, problems = _read(file) if file else ({}, [])
    places: list[tuple[str, Mapping[str, Any]]] = [(str(file), in_file)]
    places += ((variable, {key: value}) for variable, key, value in _from_environment(os.environ, holds_text))
    places.append((FLAG, {key: value for key, value in flags.items() if value is not None}))
    for origin, given in places:
        seen = set()
        for name, value in flat(given):
            if name in seen:
                problems.append(f"{origin}: {camel(name)}: given twice, in two spellings; keep one")
            seen.add(name)
            try:
                values[name] = _expanded(value)
            except KeyError as missing:
                problems.append(f"{origin}: {camel(name)}: the environment has no variable {missing.args[0]}")
            origins[name] = origin
    for name, inner in _both(values):
        problems.append(f"{camel(name)}: given as one value and as a section ({camel(inner)}); keep one of the two")
        del values[name]
    return nested(values), origins, problems


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
    values, problems = _read(file)
    if problems:
        raise ConfigError(problems)
    return values


def _read(file: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a file says and what is wrong with it; of a key that is there twice the first value counts."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        values, twice = _parsed_json(text) if file.suffix == ".json" else _parsed_toml(text)
    except FileNotFoundError:
        return {}, [f"{file}: no such file; run `hookclaw config show` to see the defaults"]
    except (OSError, UnicodeDecodeError) as error:
        return {}, [f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}"]
    except ValueError as error:  # both parsers' errors, with line and column
        return {}, [f"{file}: {error}"]
    problems = [f"{file}: {where} is given twice; keep one" for where in twice]
    if not isinstance(values, dict):
        return {}, [f"{file}: must be an object of keys and values, not {type(values).__name__}"]
    return values, problems


def _parsed_json(text: str) -> tuple[Any, list[str]]:
    twice: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                twice.append(key)
            found.setdefault(key, value)
        return found

    return json.loads(text, object_pairs_hook=table), twice


def _parsed_toml(text: str) -> tuple[dict[str, Any], list[str]]:
    """Parse TOML; the parser stops at a key that is there twice, so that line is taken out and the rest read again."""
    lines, twice = text.splitlines(), list[str]()
    while True:
        try:
            return tomllib.loads("\n".join(lines)), twice
        except tomllib.TOMLDecodeError as error:
            where = re.fullmatch(
                r"Cannot overwrite a value \(at (?:line (\d+), column \d+|end of document)\)", str(error)
            )
            number = int((where and where[1]) or len(lines)) - 1
            if where is None or "=" not in lines[number]:
                raise
            twice.append(f"line {number + 1}: {lines[number].partition('=')[0].strip()}")
            lines[number] = ""


def snake(key: str) -> str:
    """Return a key's Python and TOML spelling."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1].lower(), key)


def camel(name: str) -> str:
    """Return a flattened key in the spelling of JSON."""
    return ".".join(to_camel(part) for part in name.split("."))


def typed(written: str) -> Any:
    """Read a value as it is typed: JSON, a fraction without its zero as well, or else text."""
    try:
        return json.loads(f"0{written}" if written.startswith(".") else written)
    except ValueError:
        return written


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


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield nested values by their flattened keys, in Python's spelling."""
    for key, value in values.items():
        name = prefix + ".".join(snake(part) for part in key.split("."))
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{name}.")
        else:
            yield name, value


def _both(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the keys that are given a value of their own and are a section elsewhere, each with a key of that section."""
    sections = {name: [other for other in given if other.startswith(f"{name}.")] for name in given}
    return [
        (name, sections[name][0]) for name, value in given.items() if sections[name] and not isinstance(value, Mapping)
    ]


def nested(given: Mapping[str, Any]) -> dict[str, Any]:
    """Undo ``flat``; an empty section stays, so that an unknown one is noticed."""
    whole: dict[str, Any] = {}
    for name, value in given.items():
        *sections, key = name.split(".")
        table = whole
        for section in sections:
            table = table.setdefault(section, {})
        if isinstance(value, Mapping):
            table.setdefault(key, {})
        else:
            table[key] = value
    return whole


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
