"""The suites for third parties: from a wheel, in an environment of their own, against a backend outside of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOY = ROOT / "tests" / "assets" / "toy_backend"


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        env={name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTHONPATH"))},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_a_backend_of_somebody_else_passes_the_suite_of_the_installed_package(tmp_path: Path):
    """The wheel is installed without what it depends on: that is shared with this environment."""
    pytest.importorskip("hatchling", reason="needs hatchling to build the wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=ROOT)
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    inside = (
        "py.typed",
        "evaluation/templates/page.css",
        "insight/templates/panel.html",
        "hosts/openclaw/plugin/index.js",
    )
    assert {f"hookclaw_py/{name}" for name in inside} <= names
    assert not [name for name in names if name.startswith(("eval/", "tests/"))]
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    theirs = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    ours = [folder for folder in sys.path if folder and not (Path(folder) / "hookclaw_py" / "__init__.py").exists()]
    (theirs / "shared.pth").write_text("\n".join(ours))
    shutil.copytree(TOY, tmp_path / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    told = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "suite.py", cwd=tmp_path / "toy")
    passed = int(told.rpartition(" passed")[0].split()[-1])
    assert passed > 45, told
