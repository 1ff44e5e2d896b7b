"""The README's walk on folders that are not ours: a vault as Obsidian leaves it, and the documentation of installed packages."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from hookclaw_py.cli.commands import main
from tests.conftest import write_notes

VAULT = {
    ".obsidian/app.json": json.dumps({"attachmentFolderPath": "Files"}),
    ".obsidian/templates.json": json.dumps({"folder": "Extras/Forms"}),
    ".obsidian/workspace.json": "{}",
    ".trash/Old flat.md": "The old flat cost 900 a month.\n",
    "Extras/Forms/Person.md": "# {{title}}\nBirthday:\nPhone:\n",
    "Files/receipt.txt": "receipt of the boiler, 4,210 crowns\n",
    "Files/photo.png": "\x89PNG",
    "Board.canvas": '{"nodes": []}',
    "Index.md": "- [[Flat]]\n- [[People/Vendela Roos]]\n- [[Daily/2026-02-17]]\n",
    "Flat.md": (
        "---\naliases: [Wohnung, apartment]\ntags: [home, money]\n---\n"
        "Rent is 1,240 a month, cold. Landlord: [[People/Vendela Roos|Vendela]].\n\n"
        "## Heating\n\nBoiler pressure must stay at 1.6 bar; refill under the sink. #home\n\n"
        "> [!warning] Fuse\n> The kitchen shares its fuse with the bathroom.\n"
    ),
    "People/Vendela Roos.md": "---\nphone: 0171 5550142\n---\nLandlady. Speaks Swedish. Away every July.\n",
    "People/Ossian Falk.md": "Plumber, came for the [[Flat#Heating|boiler]]. Takes cash only.\n",
    "Recipes/Semlor.md": "- 7 g cardamom\n- 250 g almond paste\n- [ ] buy cream\n",
    "Daily/2026-02-16.md": "- dentist moved to March\n- bought a bicycle pump\n",
    "Daily/2026-02-17.md": "- [[Ossian Falk]] fixed the boiler, 380 paid\n- rain all day\n",
    "Daily/2026-02-18.md": "",
    "日本/旅館.md": "京都の旅館は梅小路にあり、門限は二十三時。\n",
}
ASKED = [
    ("how much is the rent of the flat?", "1,240"),
    ("what pressure does the boiler need?", "1.6 bar"),
    ("what is Vendela Roos's phone number?", "5550142"),
    ("how much cardamom goes into the Semlor?", "7 g"),
    ("what is the rent of the Wohnung?", "1,240"),  # by an alias
    ("what did I note on 2026-02-16?", "bicycle pump"),
    ("京都の旅館の門限は?", "二十三時"),
]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A vault that was indexed as the README says, and its environment."""
    folder = tmp_path_factory.mktemp("vault")
    root = write_notes(folder / "My Vault", VAULT)
    environment = {"HOOKCLAW_HOME": str(folder / "home"), "COLUMNS": "200"}
    indexed = hookclaw(environment, "index", str(root))
    assert (indexed.exit_code, indexed.stderr) == (0, ""), indexed.output
    return root, environment


def hookclaw(environment: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), env=environment)


def test_every_note_of_the_vault_is_listed_and_nothing_else(walk):
    _, environment = walk
    listed = {line.rsplit("  ", 1)[0] for line in hookclaw(environment, "list").stdout.splitlines()}
    assert listed == {path for path in VAULT if path.endswith(".md") and not path.startswith((".trash", "Extras"))}


@pytest.mark.parametrize(("prompt", "answer"), ASKED)
def test_the_vault_answers(walk, prompt, answer):
    _, environment = walk
    told = hookclaw(environment, "recall", prompt, "--at", "2026-02-20")
    assert (told.exit_code, answer in told.stdout) == (0, True), told.output


@pytest.mark.parametrize(
    "prompt", ["write a haiku about autumn", "thanks, that's all", "what is the capital of Mongolia?"]
)
def test_the_vault_is_silent_where_it_knows_nothing(walk, prompt):
    _, environment = walk
    told = hookclaw(environment, "recall", prompt, "--at", "2026-02-20")
    assert (told.exit_code, told.stdout) == (0, "")
    assert told.stderr.startswith("(s")


def test_the_rest_of_the_walk(walk):
    root, environment = walk
    status = hookclaw(environment, "status")
    assert (status.exit_code, str(root) in status.stdout) == (0, True), status.output
    assert "Flat.md" in hookclaw(environment, "explain", ASKED[0][0]).stdout
    assert "Flat.md" in hookclaw(environment, "search", "rent").stdout
    assert hookclaw(environment, "index").stdout.startswith("9 files: 0 read, 9 unchanged")


def documentation() -> list[Path]:
    """Return the folders in which packages that we need anyway carry their documentation."""
    found = []
    for package, inner in (("onnxruntime", "Privacy.md"), ("numpy", "ma/API_CHANGES.txt")):
        spec = importlib.util.find_spec(package)
        file = Path(spec.origin).parent / inner if spec and spec.origin else Path(inner)
        if not file.exists():
            pytest.skip(f"this {package} comes without {inner}")
        found.append(file.parent)
    return found


def test_the_documentation_of_installed_packages_is_indexed_as_it_is_and_answers(tmp_path):
    runtime, arrays = documentation()
    environment = {
        "HOOKCLAW_HOME": str(tmp_path),
        "COLUMNS": "200",
        "HOOKCLAW_EXCLUDE": '["ThirdPartyNotices.txt"]',  # three hundred kilobytes of licences
    }
    indexed = hookclaw(environment, "index", str(runtime), str(arrays))
    assert indexed.exit_code == 0, indexed.output
    listed = hookclaw(environment, "list").stdout
    assert "Privacy.md  " in listed
    assert f"{arrays.name}/API_CHANGES.txt  " in listed
    assert ".py" not in listed
    for prompt, path in (
        ("how can the telemetry of ONNX Runtime be disabled?", "Privacy.md"),
        ("are masked arrays subclasses of ndarray?", f"{arrays.name}/API_CHANGES.txt"),
    ):
        told = hookclaw(environment, "recall", prompt)
        assert f'path="{path}"' in told.stdout, told.output
    assert hookclaw(environment, "recall", "when is my dentist's appointment?").stdout == ""
