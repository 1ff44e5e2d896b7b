"""The pages of ``eval/results``: what a command printed, under when, of what commit and of what engine it is.

    python eval/page.py NAME "TITLE" COMMAND …     run the command and write eval/results/NAME.md
    python eval/page.py                            say anew which pages are of the present engine, and write the index

``PAGE.md`` in a command stands for a file that it writes; the page is then that file, else what the command prints. An engine
is what decides: the weights, the null prompts, the tokenizer, the embedding model and the defaults of the configuration
that rank or render. What a page says below "Reading it" is written by hand and stays when the page is made again.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from hookclaw_py.config import Config
from hookclaw_py.text import TOKENIZER_VERSION

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "eval" / "results"
READING = "\n## Reading it\n"
WRITTEN = "PAGE.md"
PROVENANCE = {"made", "data", "limit", "only", "searched"}
BESIDE = {"capture", "http", "links", "llm", "messages", "openclaw_state", "store", "tools"}
"""Parts of the configuration from which no ranking follows: a new key there makes no new engine."""
PRESENT, EARLIER = "the present engine", "an earlier engine"
HEAD = re.compile(
    r"`(?P<command>.+)`\n(?P<date>[\d-]+), commit (?P<commit>\w+), engine `(?P<engine>\w+)`: (?P<whose>.+)\."
)


class Page(NamedTuple):
    """A page: what it is called, what made it and when, what was printed and how to read that."""

    title: str
    command: str
    date: str
    commit: str
    engine: str
    body: str

    def text(self, present: str) -> str:
        """Return the page as it is written, told whose numbers these are."""
        whose = PRESENT if self.engine == present else EARLIER
        head = f"`{self.command}`\n{self.date}, commit {self.commit}, engine `{self.engine}`: {whose}."
        return f"# {self.title}\n\n{head}\n\n{self.body.strip()}\n"


def engine_of(package: Path) -> str:
    """Return a digest of all that decides what is said: twelve hexadecimal digits."""
    deciding = Config().model_dump_json(exclude=BESIDE) + TOKENIZER_VERSION
    digest = blake2b(deciding.encode(), digest_size=6)
    for file in sorted(package.glob("calibration/*.json")):
        digest.update(repr(_deciding(json.loads(file.read_text(encoding="utf-8")))).encode())
    for file in sorted(package.rglob("null_prompts.txt")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _deciding(written: Any) -> Any:
    """Return what a weights file says but for where it came from."""
    if not isinstance(written, dict):
        return written
    return {name: _deciding(value) for name, value in written.items() if name not in PROVENANCE}


def read(file: Path) -> Page:
    """Return a page as it was written.

    Raises:
        ValueError: if its first lines do not say what made it.
    """
    title, _, rest = file.read_text(encoding="utf-8").removeprefix("# ").partition("\n\n")
    head, _, body = rest.partition("\n\n")
    if not (found := HEAD.fullmatch(head)):
        raise ValueError(f"{file}: its second paragraph does not say command, date, commit and engine")
    return Page(title, found["command"], found["date"], found["commit"], found["engine"], body)


def make(name: str, title: str, command: list[str], *, present: str, results: Path = RESULTS) -> Page:
    """Run a command and return the page of what it printed; a reading that is there already, in ``results``, is kept."""
    file = results / f"{name}.md"
    reading = read(file).body.partition(READING)[2] if file.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / WRITTEN
        meant = {WRITTEN: str(out), "python": sys.executable}
        words = [meant.get(word, word) for word in command]
        printed = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
        printed = out.read_text(encoding="utf-8").strip() if WRITTEN in command else printed
    body = printed if "\n|" in printed or printed.startswith("|") else f"```text\n{printed}\n```"
    commit = subprocess.run(
        ["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    told = shlex.join("python" if part == sys.executable else part for part in command)
    whole = f"{body}\n{READING}{reading}" if reading else body
    return Page(title, told, datetime.now(UTC).date().isoformat(), commit, present, whole)


def index(pages: dict[str, Page], present: str) -> str:
    """Return the table of all pages."""
    lines = [
        f"| [{page.title}]({name}.md) | {page.date} | {page.commit} | {'present' if page.engine == present else 'earlier'} |"
        for name, page in sorted(pages.items())
    ]
    return "\n".join(
        [
            "# Results",
            "",
            f"Written by `python eval/page.py`; the present engine is `{present}`. How it is measured:",
            "[the method](../README.md).",
            "",
            "| page | date | commit | engine |",
            "| --- | --- | --- | --- |",
            *lines,
            "",
        ]
    )


def main(arguments: list[str]) -> None:
    """Write a page if one is asked for, then all heads and the index."""
    present = engine_of(ROOT / "hookclaw_py")
    if arguments:
        name, title, *command = arguments
        page = make(name, title, command, present=present)
        (RESULTS / f"{name}.md").write_text(page.text(present), encoding="utf-8")
    pages = {file.stem: read(file) for file in RESULTS.glob("*.md") if file.stem != "README"}
    for name, page in pages.items():
        (RESULTS / f"{name}.md").write_text(page.text(present), encoding="utf-8")
    (RESULTS / "README.md").write_text(index(pages, present), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
