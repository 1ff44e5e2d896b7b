"""Would the tests notice? Small changes of the code, one at a time, and whether any test fails by them.

    python eval/studies/mutants.py [PATH ...] [--each 12] [--seed 1] [--seconds 20] [--reach FOLDER]

Of each module below PATH (stages, calibration and privacy, if none is named) so many mutants are drawn: a comparison, ``and``, ``or``, ``not``, a sum, a
number, a truth, a condition, what is returned, ``min``, ``any``, ``continue`` are turned into their opposites. Words and patterns are left alone: the sets
of attacks, secrets and forged lines measure those. Against each run the fast tests that reach its line, by the coverage of one run of all of them that is
kept in FOLDER, those of the module's own test file first, then the quickest, up to ``--seconds`` of them.

No file is changed: the mutant is compiled in a process that is forked before anything of the package is loaded (so none of its threads is), which is why
mutmut, that forks where tests have run, and cosmic-ray, that starts an interpreter for each, are not used. Tests that start processes notice nothing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep
from types import CodeType
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
PARTS = ("hookclaw_py/stages", "hookclaw_py/calibration", "hookclaw_py/privacy")
TESTS = ("tests/unit", "tests/property", "tests/attacks")
FIRST = 6.0  # seconds of tests that a mutant meets before the rest is collected as well
OTHERS = "numpy pytest hypothesis pydantic orjson click rich httpx cachetools dateparser Stemmer tantivy faiss yaml jinja2 prometheus_client markdown_it"
ENDED = ("killed", "hangs")
COMPARED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COUNTED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A module with one thing turned into its opposite: where, what it was, what it is."""

    module: str
    file: Path
    lines: range
    was: str
    now: str
    tree: ast.Module


@dataclass(frozen=True)
class Test:
    """A test function, and how long it took, with all its parameters."""

    name: str
    seconds: float


def opposites(node: ast.AST) -> Iterator[ast.AST]:
    """Give what a node could be instead."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            for n, op in enumerate(ops):
                yield ast.Compare(left, [*ops[:n], COMPARED[type(op)](), *ops[n + 1 :]], others)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in COUNTED:
            yield ast.BinOp(left, COUNTED[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in COUNTED:
            yield ast.AugAssign(target, COUNTED[type(op)](), value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool() | int() | float() as value):
            yield ast.Constant(
                not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2 or 1.0
            )
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in CALLED:
            yield ast.Call(ast.Name(CALLED[name], ast.Load()), args, keywords)
        case _:
            yield from turned(node)


def turned(node: ast.AST) -> Iterator[ast.AST]:
    """Give what a condition, a return or a ``continue`` could be instead."""
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=one, orelse=other):
            yield ast.IfExp(test, other, one)
        case ast.comprehension(target=target, iter=iterated, ifs=[first, *rest], is_async=is_async):
            yield ast.comprehension(target, iterated, [ast.UnaryOp(ast.Not(), first), *rest], is_async)
        case ast.Return(value=ast.AST() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Give every node below this one that does something, as its parent, field and position: no annotation, no pattern of a match."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "pattern"):
            continue
        for position, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield node, name, position
                yield from places(child)


def spots(tree: ast.Module) -> list[tuple[int, int]]:
    """Return every mutant of a module by the number of its place, and of what it could be instead."""
    return [
        (number, choice)
        for number, (parent, name, position) in enumerate(places(tree))
        for choice, _ in enumerate(opposites(held_at(parent, name, position)))
    ]


def held_at(parent: ast.AST, name: str, position: int | None) -> ast.AST:
    """Return the node at a place."""
    held = getattr(parent, name)
    found: ast.AST = held if position is None else held[position]
    return found


def made(file: Path, number: int, choice: int) -> Mutant:
    """Make a mutant."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    parent, name, position = list(places(tree))[number]
    old = held_at(parent, name, position)
    new = list(opposites(copy.deepcopy(old)))[choice]
    was, now = shown(old), shown(new)
    ast.copy_location(new, old)
    if position is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[position] = new
    spot = old if hasattr(old, "lineno") else getattr(old, "target", parent)
    lines = range(spot.lineno, (spot.end_lineno or spot.lineno) + 1)
    module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    return Mutant(module, file, lines, was, now, ast.fix_missing_locations(tree))


def shown(node: ast.AST) -> str:
    """Return the first line of what a node says."""
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).strip().split("\n")[0]


def learn(folder: Path) -> None:
    """Run all the fast tests once, and keep which line each of them reaches and how long it took."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "coveragerc"
    settings.write_text(
        f"[run]\nsource = {','.join(PARTS)}\ndata_file = {folder / 'coverage'}\nrelative_files = true\n"
    )
    asked = [
        "--cov",
        f"--cov-config={settings}",
        "--cov-context=test",
        "--cov-report=",
        f"--junitxml={folder / 'durations.xml'}",
    ]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked, *TESTS], cwd=ROOT, check=True
    )


class Reach:
    """Which tests reach a line."""

    def __init__(self, folder: Path) -> None:
        """Read what ``learn`` kept."""
        from coverage import CoverageData

        self.seconds = defaultdict[str, float](float)
        for case in ElementTree.parse(folder / "durations.xml").iter("testcase"):
            if not len(case):  # neither failed nor skipped
                where = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name'].partition('[')[0]}"
                self.seconds[where] += float(case.attrib["time"])
        self.data = CoverageData(str(folder / "coverage"))
        self.data.read()

    def tests(self, mutant: Mutant) -> list[Test]:
        """Return the tests that reach a mutant's line, or its module where only the import does; its own first, then the quickest."""
        by_line = self.data.contexts_by_lineno(str(mutant.file.relative_to(ROOT)))
        reaching = {name for line in mutant.lines for name in named(by_line.get(line, []))} or {
            name for contexts in by_line.values() for name in named(contexts)
        }
        stem = mutant.file.stem
        known = [Test(name, self.seconds[name]) for name in reaching if name in self.seconds]
        return sorted(known, key=lambda test: (f"test_{stem}" not in test.name, test.seconds, test.name))


def named(contexts: Sequence[str]) -> set[str]:
    """Return the tests of coverage contexts."""
    return {context.partition("|")[0].partition("[")[0] for context in contexts if context}


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a mutant for its module."""

    def __init__(self, mutant: Mutant) -> None:
        """Take the mutant."""
        super().__init__(mutant.module, str(mutant.file))
        self.mutant = mutant

    def get_code(self, _: str) -> CodeType:
        """Compile the mutant instead of the file."""
        return compile(self.mutant.tree, str(self.mutant.file), "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the mutant where its module is asked for."""

    def __init__(self, mutant: Mutant) -> None:
        """Take the mutant."""
        self.mutant = mutant

    def find_spec(self, fullname: str, *_: Any) -> importlib.machinery.ModuleSpec | None:
        """Return the mutant's spec for its own name, None for any other."""
        if fullname != self.mutant.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.mutant.file, loader=Loader(self.mutant))


def outcome(mutant: Mutant | None, tests: Sequence[Test]) -> str:
    """Run tests against a mutant in a process of its own: "survived", "killed" or "hangs"."""
    child = os.fork()
    if not child:
        os.setsid()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        if mutant:
            sys.meta_path.insert(0, Finder(mutant))
        import pytest

        flags = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:cov", "--timeout=60", "--assert=plain"]
        os._exit(int(pytest.main([*flags, *(test.name for test in tests)])))
    until = monotonic() + 20 + 4 * sum(test.seconds for test in tests)
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hangs"
        sleep(0.01)
    return "survived" if os.WIFEXITED(ended[1]) and os.WEXITSTATUS(ended[1]) == 0 else "killed"


def judged(mutant: Mutant, reach: Reach, seconds: float) -> str:
    """Return how a mutant ended: its own and the quickest tests are asked first, and then the rest that there is time for."""
    first, then, spent = list[Test](), list[Test](), 0.0
    for test in reach.tests(mutant):
        spent += test.seconds + 0.005
        if spent > seconds:
            break
        (first if spent <= FIRST or not first else then).append(test)
    if not first:
        return "not reached"
    ended = outcome(mutant, first)
    return outcome(mutant, then) if ended == "survived" and then else ended


def wilson(share: float, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share. Source: Wilson, "Probable inference", JASA 1927."""
    z = 1.96
    middle, spread = share + z * z / (2 * number), z * (share * (1 - share) / number + z * z / (4 * number**2)) ** 0.5
    return (middle - spread) / (1 + z * z / number), (middle + spread) / (1 + z * z / number)


def summary(name: str, ended: Sequence[str], all_of_them: int) -> str:
    """Say how many of a sample were killed."""
    killed = sum(how in ENDED for how in ended)
    low, high = wilson(killed / len(ended), len(ended))
    return f"{name}: {killed} of {len(ended)} killed, {killed / len(ended):.3f} ({low:.3f} to {high:.3f}), of {all_of_them} mutants"


def tried(file: Path, each: int, seed: int, reach: Reach, seconds: float) -> tuple[list[str], int]:
    """Draw mutants of a module and return how they ended, and how many there are in all.

    Raises:
        RuntimeError: if its tests fail without any change.
    """
    every = spots(ast.parse(file.read_text(encoding="utf-8")))
    chance = random.Random(f"{seed} {file.name}")
    drawn = [made(file, *spot) for spot in chance.sample(every, min(each, len(every)))]
    name = file.relative_to(ROOT)
    if drawn and (sane := judged(replace(drawn[0], module=""), reach, seconds)) in ENDED:
        raise RuntimeError(f"{name}: unchanged it is {sane}, too")
    ended = []
    for mutant in sorted(drawn, key=lambda m: m.lines.start):
        ended.append(judged(mutant, reach, seconds))
        if ended[-1] not in ENDED:
            print(f"  {name}:{mutant.lines.start}: {ended[-1]}: {mutant.was}  ->  {mutant.now}", flush=True)
    return ended, len(every)


def main() -> None:
    """Draw, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / part for part in PARTS])
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--reach", type=Path, default=ROOT / ".pytest_cache/reach")
    given = parser.parse_args()
    paths = [path.resolve() for path in given.paths]
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    if not (given.reach / "coverage").exists():
        learn(given.reach)
    reach = Reach(given.reach)
    for name in OTHERS.split():
        importlib.import_module(name)
    ended_by_part, total = defaultdict[str, list[str]](list), defaultdict[str, int](int)
    for file in sorted(f for path in paths for f in ([path] if path.is_file() else path.rglob("*.py"))):
        ended, number = tried(file, given.each, given.seed, reach, given.seconds)
        if ended:
            print(summary(f"{file.parent.name}/{file.name}", ended, number), flush=True)
            ended_by_part[file.parent.name] += ended
            total[file.parent.name] += number
    for part, ended in ended_by_part.items():
        print(summary(part, ended, total[part]))
    print(summary("all", [how for ended in ended_by_part.values() for how in ended], sum(total.values())))


if __name__ == "__main__":
    main()
