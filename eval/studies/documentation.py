"""What does the engine answer from folders that nobody wrote for it: the documentation that two npm packages carry?

    python eval/studies/documentation.py [--kept FOLDER]

The packages are fetched with ``npm pack`` in the versions that the prompts were written for, unless FOLDER has them already, as
``FOLDER/fastify-5.12.8/docs`` (what is fetched is put there and stays). Their documentation is indexed as it lies there, as
``notes/`` of a vault whose prompts are in ``eval/data/documentation``; rates and reliability are those of ``hookclaw eval run`` on a
vault. Nothing is fitted on these folders.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from hookclaw_py.config import Config
from hookclaw_py.evaluation.sets import SetError
from hookclaw_py.evaluation.tables import Sheet, markdown, number
from hookclaw_py.evaluation.vaults import VaultAnswer, ask_vault, by_kind, load_vault, reliability

DATA = Path(__file__).resolve().parent.parent / "data" / "documentation"
INNER = "package/docs/"  # where a package of npm has its documentation
TAKES = 120.0  # seconds until a registry that says nothing counts as away


class Package(NamedTuple):
    """A package in the version that its prompts were written for."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


PACKAGES = (Package("fastify", "5.12.8"), Package("undici", "8.13.1"))


class FetchError(RuntimeError):
    """A package's documentation could not be had; the message says why and what to do."""


def packed(package: Package, folder: Path) -> Path:
    """Return the archive of a package, fetched from the registry into a folder.

    Raises:
        FetchError: without npm, or where the registry gave nothing.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError("npm is not there: install Node.js, or give --kept with the documentation")
    wanted = f"{package.name}@{package.version}"
    words = [npm, "pack", wanted, "--json", "--ignore-scripts", "--fetch-retries=1", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=TAKES, cwd=folder)
    except subprocess.TimeoutExpired:
        raise FetchError(f"{wanted}: the registry said nothing for {TAKES:.0f} s; is the network away?") from None
    if done.returncode:
        told = "\n".join(done.stderr.strip().splitlines()[:3])
        raise FetchError(f"{wanted}: not fetched; is the network away?\n{told}")
    return folder / str(json.loads(done.stdout)[0]["filename"])


def unpacked(archive: Path, to: Path) -> None:
    """Write the documentation in an archive to a folder; nothing else of it is read.

    Raises:
        FetchError: if there is none.
    """
    with tarfile.open(archive) as tar:
        members = [member for member in tar if member.isfile() and member.name.startswith(INNER)]
        for member in members:
            member.name = member.name.removeprefix(INNER)
        tar.extractall(to, members, filter="data")
    if not members:
        raise FetchError(f"{archive.name} has no {INNER}")


def documentation(package: Package, kept: Path) -> Path:
    """Return the folder of a package's documentation, fetched if it is not kept yet."""
    docs = kept / str(package) / "docs"
    if not docs.is_dir():
        with tempfile.TemporaryDirectory() as temporary:
            unpacked(packed(package, Path(temporary)), docs)
    return docs


def asked(package: Package, docs: Path) -> tuple[list[VaultAnswer], int]:
    """Ask a package's prompts of its documentation; return the answers and how many chunks there are."""
    with tempfile.TemporaryDirectory() as temporary:
        vault = Path(temporary)
        shutil.copytree(docs, vault / "notes")
        shutil.copy(DATA / package.name / "prompts.jsonl", vault)
        prompts, _ = load_vault(vault)
        return ask_vault(vault, prompts, Config(), lambda *_: None)


def sheets(package: Package, answers: list[VaultAnswer], chunks: int) -> list[Sheet]:
    """Return the tables of one package: rates by kind, and what the relevance is worth."""
    shown = ("right", "wrong", "missing", "firm")
    rates = [
        [kind, str(rate.prompts), *(number(getattr(rate, name)) for name in shown)]
        for kind, rate in by_kind(answers).items()
    ]
    heads = ["kind", "prompts", *shown[:3], "wrong with .9"]
    bars = [[number(mean), number(right), str(count)] for mean, right, count in reliability(answers)]
    return [
        Sheet(f"{package.name} {package.version}, {chunks:,} chunks: what the developer gets", heads, rates),
        Sheet(f"{package.name}: reliability of the relevance", ["relevance", "right", "blocks"], bars),
    ]


def main() -> int:
    """Ask both packages' documentation and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kept", type=Path, help="where the documentation is, or is put, for the next run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        kept = (options.kept or Path(temporary)).resolve()
        try:
            for package in PACKAGES:
                for sheet in sheets(package, *asked(package, documentation(package, kept))):
                    print(markdown(sheet), flush=True)
        except (FetchError, SetError) as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
