"""The rules that keep the design: layers, one broad except, cheap imports, no clock in a stage."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hookclaw_py

PACKAGE = Path(hookclaw_py.__file__).parent
MODULES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix(): path
    for path in PACKAGE.rglob("*.py")
    if "_models" not in path.parts
}

# From the ground up; a module may import its own layer and those below it.
LAYERS = [
    {"model", "errors", "workers", "plain", "installed"},
    {"text", "cli/terminal", "temporal", "config", "private", "redaction", "trace"},
    {"stages", "retrieval", "store", "cache", "models"},
    {"observe"},
    {"pipeline", "parts", "learning", "circuit"},
    {"build"},
    {"indexes", "status"},
    {"engine"},
    {"evaluation", "bridge", "openclaw", "cli/printing", "cli/demonstration", "insight", "testing"},
    {"cli"},
]


def layer(module: str) -> int:
    homes = (module, module.split("/")[0])
    return next(n for home in homes for n, names in enumerate(LAYERS) if home in names)


def imports(path: Path) -> set[str]:
    """Return the modules of the package that a file imports, at the top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hookclaw_py"):
            base = node.module.removeprefix("hookclaw_py").lstrip(".").replace(".", "/")
            found |= {
                f"{base}/{name.name}".strip("/") if f"{base}/{name.name}".strip("/") in MODULES else base
                for name in node.names
            }
    return {name for name in found if name and name != "__init__"}


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"__init__", "__main__"}))
def test_a_module_imports_only_from_its_own_layer_and_below(module):
    for other in imports(MODULES[module]) - {"__version__"}:
        assert layer(other) <= layer(module), f"{module} imports {other}"


def test_stages_never_import_each_other_and_only_build_names_backends():
    for module, path in MODULES.items():
        seen = imports(path)
        if module.startswith("stages/"):
            assert not {name for name in seen if name.startswith("stages/")}, module
        if module in {"pipeline", "engine"}:
            backends = {name for name in seen if name.startswith("retrieval/")}
            assert not backends - {"retrieval/base", "retrieval/late_interaction"}, module
            assert "store/database" not in seen, module


OTHER_DATABASES = {
    "observe/recording",
    "evaluation/vectors",
    "store/gateway_files",
    "store/openclaw_index",
    "store/transcripts",
}
"""Modules that read the gateway's databases, or keep one that is no store."""


def test_nothing_outside_of_the_store_knows_what_database_it_is():
    for module, path in MODULES.items():
        inside = module.startswith(("store/sql/", "store/dialects/")) or module in {"store/database", "store/upkeep"}
        if inside or module in OTHER_DATABASES:
            continue
        code = path.read_text(encoding="utf-8")
        for forbidden in (
            "import sqlite3",
            "PRAGMA",
            '"memory.db',
            "store._reading(",
            "store._writing(",
            "2**63",
            "json_each",
        ):
            assert forbidden not in code, f"{module}: {forbidden}"
        assert not {name for name in imports(path) if name.startswith(("store/sql/", "store/dialects/"))}, module


def test_the_text_of_the_store_knows_no_dialect():
    for module, path in MODULES.items():
        if module.startswith("store/sql/"):
            assert "PRAGMA" not in path.read_text(encoding="utf-8"), module
            assert not {name for name in imports(path) if name.startswith("store/dialects/")}, module


def test_there_is_one_broad_except_and_it_is_in_trace():
    broad = []
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"Exception"}
                goes_on = not any(isinstance(n, ast.Raise) and n.exc is None for n in node.body)
                if names & {"Exception", "BaseException"} and goes_on:
                    broad.append(module)
    assert sorted(broad) == ["trace", "workers"]  # a worker hands its error to the thread that waits, which raises it


def test_no_name_stands_for_two_classes():
    homes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_there_is_one_way_to_the_terminal():
    for module, path in MODULES.items():
        if module != "cli/terminal":
            code = path.read_text(encoding="utf-8")
            for forbidden in ("click.echo(", "click.secho(", " Console(", "=Console("):
                assert forbidden not in code, f"{module}: {forbidden}"


def test_a_stage_touches_no_clock_file_environment_log_or_config():
    for module, path in MODULES.items():
        if module.startswith("stages/"):
            text = path.read_text(encoding="utf-8")
            for forbidden in (
                "datetime.now",
                "time.time",
                "open(",
                "os.environ",
                "import logging",
                "import random",
                "hookclaw_py.config",
            ):
                assert forbidden not in text, f"{module}: {forbidden}"


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(m for m in sys.modules if '.' not in m))"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}  # it would import things
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=plain).stdout
    return set(out.split())


HEAVY = {
    "numpy",
    "faiss",
    "onnxruntime",
    "tokenizers",
    "tantivy",
    "dateparser",
    "rank_bm25",
    "httpx",
    "rich",
    "pydantic",
    "watchfiles",
}


def test_help_loads_nothing_heavy():
    loaded = loaded_by(
        "from hookclaw_py.cli.commands import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    )
    assert "click" in loaded
    assert not loaded & HEAVY


def test_importing_the_package_does_no_work():
    assert not loaded_by("import hookclaw_py") & (HEAVY | {"click", "sqlite3", "logging"})


def test_the_public_names_are_there_and_others_are_not():
    for name in hookclaw_py.__all__:
        assert getattr(hookclaw_py, name)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = hookclaw_py.nonsense
