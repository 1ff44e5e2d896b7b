"""Every route, tool, chat command and gateway method: who calls it, with what good and bad input, and what comes back.

    python eval/studies/doors.py [--gateway]

Runs the tests that call them (a client of httpx, the official MCP client, lines on a pipe from Python and from Node; with ``--gateway`` the real OpenClaw, which takes minutes)
and prints their calls as a table, with whether the test that makes them passed. The tests themselves hold that nothing is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tests.e2e import test_http_routes, test_protocol_methods, test_tools_doors

HERE = Path(__file__).parents[2]
ROUTES, TOOLS, MESSAGES, METHODS = "test_http_routes", "test_tools_doors", "test_messages", "test_protocol_methods"
IN_A_GATEWAY = ("test_gateway_tools", "test_gateway_messages")


class Call(NamedTuple):
    """One row: what is called, by whom, what is given and what comes back, when it is good and when it is bad."""

    what: str
    client: str
    good: str
    bad: str
    test: str


def calls() -> Iterator[Call]:
    """Yield every row."""
    for (verb, path), asked in test_http_routes.TABLE.items():
        good, bad = (f"{one.status}" + (f" {one.says}" if one.says else "") for one in (asked[0], asked[-1]))
        yield Call(f"{verb} {path}", "httpx", good, bad, ROUTES)
    for name, (given, code) in test_tools_doors.BAD.items():
        good = json.dumps(test_tools_doors.GOOD[name], ensure_ascii=False)
        yield Call(name, "MCP SDK, lines", good, f"{json.dumps(given, ensure_ascii=False)}: {code}", TOOLS)
    yield Call(
        "message",
        "MCP SDK, lines",
        "sent, told, read by its receiver alone",
        "priority 11: INVALID_PARAMS; unknown agent: NOT_FOUND",
        MESSAGES,
    )
    for method, called in sorted(test_protocol_methods.TABLE.items()):
        told = called.says.strip('"')
        good, bad = (json.dumps(given, ensure_ascii=False) for given in (called.good, called.bad))
        yield Call(method, "Node, lines", f"{good}: {told}", f"{bad}: {called.refused}", METHODS)
    for line in ("status", "recall WORDS", "pause 2h", "pause off", "forget ID"):
        said = "Say which" if line.startswith("forget") else "says what it takes"
        yield Call(f"/memory{line}", "OpenClaw", "answered without a model", said, "test_gateway_tools")
    yield Call(
        "palace_message, wakes", "OpenClaw", "B woken, answers, A woken", "wakes are bounded", "test_gateway_messages"
    )
    yield Call("hookclaw.sessions", "OpenClaw", "each agent's newest session", "", "test_gateway_messages")


def ran(tests: list[str]) -> dict[str, tuple[int, int]]:
    """Run tests; return by file how many passed, and how many did not."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        files = [str(HERE / "tests" / "e2e" / f"{name}.py") for name in tests]
        command = [sys.executable, "-m", "pytest", "-q", "-m", "slow or not slow", f"--junitxml={report}", *files]
        subprocess.run(command, cwd=HERE, stdout=subprocess.DEVNULL, check=False)
        found: dict[str, tuple[int, int]] = {}
        for case in ElementTree.parse(report).iter("testcase"):
            name = case.get("classname", "").split(".")[2]
            passed, other = found.get(name, (0, 0))
            good = case.find("failure") is None and case.find("error") is None and case.find("skipped") is None
            found[name] = (passed + good, other + (not good))
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", action="store_true")
    tests = [ROUTES, TOOLS, MESSAGES, METHODS, *(IN_A_GATEWAY if parser.parse_args().gateway else ())]
    found = ran(tests)
    print("| called | by | good | bad | |\n|---|---|---|---|---|")
    for one in calls():
        passed, other = found.get(one.test, (0, 0))
        how = "not run" if not passed + other else "✓" if not other else f"{other} failed"
        cells = (text.replace("|", "\\|").replace("`", "'") for text in (one.good, one.bad))
        print(f"| `{one.what}` | {one.client} | {' | '.join(cells)} | {how} |")
    print()
    for name, (passed, other) in found.items():
        print(f"`tests/e2e/{name}.py`: {passed} passed, {other} not.")
    return 1 if any(other for _, other in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
