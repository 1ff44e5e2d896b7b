"""The documentation of installed packages as a vault: its prompts are as their card says, and what cannot be fetched says why."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections import Counter
from pathlib import Path

import pytest

from eval.studies import documentation
from eval.studies.documentation import DATA, PACKAGES, FetchError, Package

CARD = (DATA / "README.md").read_text(encoding="utf-8")


def prompts(package: Package) -> list[dict]:
    lines = (DATA / package.name / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def archive(folder: Path, *names: str) -> Path:
    file = folder / "some-1.0.0.tgz"
    with tarfile.open(file, "w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = 2
            tar.addfile(entry, io.BytesIO(b"hi"))
    return file


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_the_card_counts_the_prompts_of_each_kind(package):
    column = PACKAGES.index(package)
    told = {
        row[0]: int(row[1 + column]) for row in re.findall(r"^\| ([a-z-]+) \| (\d+) \| (\d+) \|", CARD, re.MULTILINE)
    }
    rows = prompts(package)
    assert told == {**Counter(row["kind"] for row in rows), "all": len(rows)}
    assert f"| {package.version} |" in CARD
    assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.parametrize("package", PACKAGES, ids=str)
def test_a_prompt_has_an_answer_unless_its_kind_says_that_there_is_none(package):
    for row in prompts(package):
        assert bool(row["answers"]) != (row["kind"] in {"none", "smalltalk"}), row["id"]
        assert bool(row.get("turns")) == (row["kind"] == "follow-up"), row["id"]


def test_only_the_documentation_of_an_archive_is_unpacked(tmp_path):
    file = archive(tmp_path, "package/docs/Guide/One.md", "package/lib/code.js", "package/docs.md")
    documentation.unpacked(file, tmp_path / "docs")
    assert [path.name for path in (tmp_path / "docs").rglob("*") if path.is_file()] == ["One.md"]


def test_an_archive_without_documentation_says_so(tmp_path):
    with pytest.raises(FetchError, match=r"has no package/docs/"):
        documentation.unpacked(archive(tmp_path, "package/lib/code.js"), tmp_path / "docs")


def test_without_npm_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(documentation.shutil, "which", lambda _: None)
    with pytest.raises(FetchError, match="npm is not there"):
        documentation.documentation(PACKAGES[0], tmp_path)


def test_what_is_kept_is_not_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr(documentation.shutil, "which", lambda _: None)
    docs = tmp_path / "fastify-5.12.8" / "docs"
    docs.mkdir(parents=True)
    assert documentation.documentation(PACKAGES[0], tmp_path) == docs
