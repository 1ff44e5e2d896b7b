"""The rules that keep the design: layers (import-linter's contracts), one broad except, cheap imports, no clock in a stage."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import hookclaw_py
from hookclaw_py.cli.commands import HOMES

OURS = "hookclaw_py"
PACKAGE = Path(hookclaw_py.__file__).parent
MODULES = {
    path.relative_to(PACKAGE).with_suffix("").as_posix(): path
    for path in PACKAGE.rglob("*.py")
    if "_models" not in path.parts
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


def test_layers_stages_hosts_and_databases_keep_apart():
    """The contracts stand in pyproject.toml, under ``tool.importlinter``."""
    pytest.importorskip("importlinter", reason="part of the extra `test`")
    code = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
    root = PACKAGE.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def classes() -> set[str]:
    return {node.name for path in MODULES.values() for node in nodes_of(path) if isinstance(node, ast.ClassDef)}


def test_every_file_module_and_class_that_the_architecture_page_names_exists():
    page = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    prose, (picture,) = re.sub(r"```.*?```", "", page, flags=re.DOTALL), re.findall(r"```\n(.*?)```", page, re.DOTALL)
    layers = [re.split(r" {2,}", line)[0] for line in picture.splitlines()]
    drawn = [name for line in layers for name in re.split(r" [│·] ", line)]
    told = set(re.findall(r"`([^`\s]+)`", prose))
    files = {name for name in told if "/" in name or re.search(r"\.(py|md|json|toml)$", name)}
    modules = {name for name in told if name.startswith("hookclaw_py.")}
    nouns = {name for name in told - files - modules if name[0].isupper()}
    for name in drawn:
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file(), name
    for name in files:
        assert (PACKAGE / name).exists() or (PACKAGE.parent / name).exists(), name
    for name in modules:
        assert find_spec(name), name
    assert {name.partition(".")[0] for name in nouns} <= classes()
    assert len(files) > 20
    assert len(nouns) > 12


AT_MOST = {
    "a stage": 4,
    "a piece of evidence": 2,
    "a kind of memory": 3,
    "a vector backend": 2,
    "a store": 1,
    "a host": 1,
}
"""How many files, or folders, one touches to add one."""


def test_what_one_touches_is_there_and_no_more_and_an_example_does_it():
    page = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (an? .+) \|$", page.partition("## What one touches")[2], re.MULTILINE)
    rows = [row.split(" | ") for row in table]
    assert {what for what, *_ in rows} == AT_MOST.keys()
    for what, files, _, example in rows:
        touched, (proof, *_) = (re.findall(r"`([\w/.-]+(?:/|\.\w+))`", cell) for cell in (files, example))
        assert len(touched) == int(files[0]) <= AT_MOST[what], what
        for name in touched:
            assert (PACKAGE / name).exists() or (PACKAGE.parent / name).is_dir(), name
        tests = (PACKAGE.parent / proof).read_text(encoding="utf-8")
        assert f"\ndef test_{what.replace(' ', '_')}_of_ones_own_" in tests, f"{what}: {proof}"


OTHER_DATABASES = {
    "observe/recording",
    "evaluation/vectors",
    "ingest/gateway_files",
    "ingest/openclaw_index",
    "ingest/transcripts",
}
"""Modules that read the gateway's databases, or keep one that is no store."""


def test_nothing_outside_of_the_store_knows_what_database_it_is():
    for module, path in MODULES.items():
        if module.startswith("store/dialects/") or module in OTHER_DATABASES:
            continue
        code = path.read_text(encoding="utf-8")
        for forbidden in ("import sqlite3", "PRAGMA", "memory.db", "store.folder", "2**63", "json_each"):
            assert forbidden not in code, f"{module}: {forbidden}"
        if not module.startswith("store/"):
            assert not re.search(r"store\._(reading|writing|snapshot)\(", code), module


FLAVOURS = {
    r"INSERT OR": "ON CONFLICT (the key) DO UPDATE, or DO NOTHING",
    r"ON CONFLICT DO": "the key that conflicts",
    r"\?\d|[ (=]:[a-z]+\b": "a ? for each value, in their order",
    r"\b_?rowid\b": "the key",
    r"CROSS JOIN \w+ \w+ ON\b": "WHERE",
    r"\b(instr|printf|ifnull|group_concat|json_\w+|strftime|total|glob|iif|unixepoch|julianday|datetime) ?\(": "Python",
    r"\bGLOB\b|\bLIKE\b|COLLATE|WITHOUT ROWID|AUTOINCREMENT|sqlite_": "what every database knows",
    r"LIMIT -1": "no limit",
}
"""What SQLite alone has in a statement, or means as nobody else does, and what to write instead."""
ABILITIES = r"\.(lastrowid|rowcount|total_changes|in_transaction|create_function|executescript|row_factory|backup)\b"
"""What SQLite's connection alone has."""


def statements_of(path: Path) -> str:
    """Return the strings of a module that are statements, or parts of one."""
    texts = [node.value for node in nodes_of(path) if isinstance(node, ast.Constant)]
    return "\n".join(text for text in texts if isinstance(text, str) and re.search(r"\b[A-Z]{2,} |[A-Z]{5,}", text))


def test_the_text_of_the_store_knows_no_dialect():
    seen = 0
    for module, path in MODULES.items():
        if module.startswith("store/") and not module.startswith("store/dialects/"):
            assert not re.search(ABILITIES, path.read_text(encoding="utf-8")), module
            text = statements_of(path)
            seen += text.count("SELECT")
            for flavour, instead in FLAVOURS.items():
                found = re.search(flavour, text)
                assert not found, f"{module}: {found and found[0]!r}; write {instead}"
    assert seen > 40


STARTS = {"__init__", "__main__", "hosts/claude_code/hook", "hosts/openclaw/manifest", "doors/tools/plugin"}
"""What is begun from outside; and so is ``testing/``, for third parties."""


def imported(path: Path) -> set[str]:
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hookclaw_py"):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = {name.removeprefix("hookclaw_py").lstrip(".").replace(".", "/") for name in found}
    return {home for path in paths for home in (path, f"{path}/__init__".lstrip("/")) if home in MODULES}


def test_nothing_is_in_the_wheel_that_only_tests_and_studies_use():
    public = {home.replace(".", "/") for home in hookclaw_py._HOMES.values()} | {
        f"cli/{home}" for home in HOMES.values()
    }
    reached, waiting = (
        set(),
        {name for name in MODULES if name in STARTS or name.startswith("testing/")} | public,
    )
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= (imported(MODULES[name]) if name in MODULES else {f"{name}/__init__"}) - reached
    packages = {name for name in MODULES if name.endswith("__init__")}
    assert set(MODULES) - reached - packages == set()


NO_CONSTANTS_OF_A_FIT = {
    "stages/calibrate": {"_TOO_LITTLE", "_LATER"},  # what explain tells; between equals
    "stages/reading": {"LEAST", "SURE", "HOPELESS"},  # against a logarithm of 0; when it is worth the time to read
    "stages/selection": {"SURE"},  # what is told of a choice, which it does not change
    "stages/tasks": {"_LATER"},  # between equals
    "stages/trust": {"_BEHIND", "_JUST_BEHIND"},  # an order is made of them, by whatever number below 1
    "stages/utility": {"PERSON", "AGENT"},  # what is written down, and not what is recalled
    "search/ports": {"UNIT"},  # a tolerance of rounding
    "search/null_sampling": {"COPIED"},  # what counts as a copy of a prompt
    "search/derived": {"_CLOSING", "NEWS"},  # seconds; when a sample is worth taking anew
    "search/cross_encoder": {"EARLIER"},  # between equals
    "search/local/faiss_index": {"_BACK"},  # when other copies are made
    "search/local/rough": {"_SURE", "_LEAST_SPREAD"},  # how much is looked at exactly: cost
    "search/local/tantivy_index": {"_BUSY_STEP_S"},  # seconds
}
"""Numbers with a fraction that may stand where a recall is computed: they bound time, cost or rounding."""


def fractions_of(path: Path) -> set[str]:
    """Return the module's own names that stand for a number with a fraction."""
    found = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            parts = list(ast.walk(node.value))
            numbers = [type(part.value) for part in parts if isinstance(part, ast.Constant)]
            divided = any(isinstance(part, ast.Div) for part in parts)
            if {*map(type, parts)} <= ARITHMETIC and {*numbers} <= {int, float} and (float in numbers or divided):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return found


ARITHMETIC = {ast.Constant, ast.Tuple, ast.Load, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.UnaryOp, ast.USub}


def test_what_decides_what_is_recalled_stands_in_the_configuration_or_with_the_weights():
    """A threshold or a weight belongs into ``calibration/constants.py``, so that ``eval/fit_constants.py`` can refit it."""
    deciding = ("stages/", "search/", "pipeline", "judging", "searching", "enriching")
    fractions = {m: fractions_of(path) for m, path in MODULES.items() if m.startswith(deciding)}
    assert {module: names for module, names in fractions.items() if names} == NO_CONSTANTS_OF_A_FIT


def test_there_is_one_broad_except_and_it_is_in_trace():
    broad = []
    for module, path in MODULES.items():
        for node in nodes_of(path):
            if isinstance(node, ast.ExceptHandler):
                names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"Exception"}
                goes_on = not any(isinstance(n, ast.Raise) and n.exc is None for n in node.body)
                if names & {"Exception", "BaseException"} and goes_on:
                    broad.append(module)
    # A worker hands its error to the thread that waits, which raises it; of one that none waits for it tells.
    assert sorted(broad) == ["trace", "workers", "workers"]


def test_threads_are_begun_in_one_place():
    """What runs on them has, in ``workers``, a name, a bounded queue, a word when it fails and an end in bounded time."""
    for module, path in MODULES.items():
        if module != "threads":
            code = path.read_text(encoding="utf-8")
            assert not re.search(r"\bThread\(|\bTimer\(", code), module


def test_no_name_stands_for_two_classes():
    homes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_a_module_is_read_in_one_go():
    """What is longer than 400 lines has two subjects."""
    lines = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: count for module, count in lines.items() if count > 400} == {}


EXCHANGED = {
    "e2e/conftest.py",  # on which database every memory is, also of an engine whose configuration says nothing of it
    "e2e/test_cli.py",  # a terminal that there is none of
    "e2e/test_folders.py",
    "e2e/test_manners.py",
    "unit/test_claude_code_hook.py",
    "unit/test_doors_ndjson.py",
    "unit/test_evaluation_commands.py",
    "unit/test_indexer.py",
    "unit/test_late_interaction.py",
    "unit/test_openclaw_install.py",
}
"""Tests that still exchange a name in a module of ours; this list only gets shorter."""


def test_what_a_test_wants_otherwise_it_hands_over():
    """A bound, a model or a store that fails is a parameter: who exchanges a name tests what nobody else can have."""
    tests, found = Path(__file__).parents[1], set()
    for path in tests.rglob("*.py"):
        if ".setattr(" not in path.read_text(encoding="utf-8"):
            continue
        nodes = nodes_of(path)
        imports = [n for n in nodes if isinstance(n, ast.ImportFrom) and (n.module or "").startswith(OURS)]
        modules = {name.asname or name.name for n in imports for name in n.names if name.name.islower()}
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setattr":
                target = ast.unparse(node.args[0])
                if target.strip("'\"").partition(".")[0] in modules | {OURS}:
                    found.add(path.relative_to(tests).as_posix())
    assert found == EXCHANGED


def test_there_is_one_way_to_the_terminal():
    for module, path in MODULES.items():
        if module != "insight/terminal":
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
    "jinja2",
}


def compiled_at_import(tree: ast.Module) -> list[int]:
    """Return the lines that call ``re.compile`` outside of any function."""
    waiting, found = list[ast.AST](tree.body), []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
            found.append(node.lineno)
        waiting += ast.iter_child_nodes(node)
    return found


def test_no_module_compiles_expressions_that_a_start_may_not_need():
    found = {name: compiled_at_import(tree_of(path)) for name, path in MODULES.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}, (
        "regex of hookclaw_py.regex waits until it is used"
    )


def made_of_what_is_said(tree: ast.Module) -> list[int]:
    """Return the lines of functions that call ``regex``: what they are given may be a text of somebody's."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    calls = (node for function in functions for node in ast.walk(function) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "regex"]


def test_no_expression_that_is_kept_beside_the_bytecode_has_a_word_of_a_note_or_a_prompt():
    found = {name: made_of_what_is_said(tree_of(path)) for name, path in MODULES.items()}
    assert {name for name, lines in found.items() if lines} == {"stages/periods", "privacy/shapes"}  # of their tables


def test_help_loads_nothing_heavy():
    loaded = loaded_by(
        "from hookclaw_py.cli.commands import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    )
    assert "click" in loaded
    assert not loaded & HEAVY


def test_a_command_loads_no_other_ones():
    script = "import sys\nfrom hookclaw_py.cli.commands import main\nmain(['serve', '--help'], standalone_mode=False)\n"
    script += "print([name for name in sys.modules if name.endswith('_commands')], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "['hookclaw_py.cli.door_commands']"


def test_importing_the_package_does_no_work():
    assert not loaded_by("import hookclaw_py") & (HEAVY | {"click", "sqlite3", "logging"})


def test_an_engine_loads_no_client_of_servers_that_few_have():
    assert not loaded_by("import hookclaw_py.engine") & {"httpx", "rich", "dateparser", "rank_bm25"}


def test_the_public_names_are_there_and_others_are_not():
    for name in hookclaw_py.__all__:
        assert getattr(hookclaw_py, name)
    script = "import hookclaw_py; print(*dir(hookclaw_py))"  # before one of them is used
    seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert {*hookclaw_py.__all__, "__version__"} <= {*seen.split()}
    with pytest.raises(AttributeError, match="nonsense"):
        _ = hookclaw_py.nonsense
