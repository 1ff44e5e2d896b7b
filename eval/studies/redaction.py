"""Which kinds of secrets are found, in prompts and in the blocks of shared sessions, how often by mistake, at what cost?

    python eval/studies/redaction.py [--show] [--gitleaks gitleaks.toml]

The kinds are those of ``secret_kinds.py``. Mistakes are counted by line over the people's folders in ``eval/data``: some of
these lines do hold a secret, so the share is an upper bound; ``--show`` prints them to be read. With gitleaks' rules (MIT, part of every copy
of the program) both are compared: which of our kinds its rules find, and of which of its rules a sample, drawn from the
rule's own expression, is left raw by ours. None of it is shipped: run this with a newer file to see what is missing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import string
import tempfile
import tomllib
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from secret_kinds import Sample, samples, told

from hookclaw_py import Config, Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.privacy.redaction import redact

DATA = Path(__file__).parents[1] / "data"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def raw_in_blocks(kinds: Sequence[Sample], *, secrets: str, audience: Audience) -> list[str]:
    """Return the kinds that a block tells somebody who asks for the note, one note a kind."""
    raw = []
    with tempfile.TemporaryDirectory() as folder, Engine.in_memory(Config(secrets=secrets, shared=("**",))) as engine:
        for number, sample in enumerate(kinds):
            text = f"# Project Alder {number}\n\nThe deployment notes of project Alder {number}: {sample.text}\n"
            (Path(folder) / f"note{number}.md").write_text(text, encoding="utf-8")
        engine.index(folder)
        for number, sample in enumerate(kinds):
            asked = f"what do the deployment notes of project Alder {number} say"
            injection = engine.recall(Prompt(asked, NOW, session_id="s", agent_id="main", audience=audience))
            shown = any(c.chunk.place.path == f"note{number}.md" for c in injection.candidates)
            if not shown:
                print(f"  {sample.kind}: its note was not shown ({injection.reason})")
            elif told(sample, injection.text):
                raw.append(sample.kind)
    return raw


def lines() -> Iterator[str]:
    """Yield the lines of people's notes, prompts and sessions."""
    for folder in ("vaults", "answers", "diaries"):
        for file in sorted((DATA / folder).rglob("*")):
            if file.suffix in {".md", ".txt", ".org", ".markdown"} and file.name != "README.md":
                yield from filter(str.strip, file.read_text(encoding="utf-8", errors="replace").splitlines())


def mistakes(*, show: bool) -> None:
    """Print how many ordinary lines lose something."""
    whole = list(lines())
    hit = [line for line in whole if redact(line) != line]
    print(f"lines: {len(whole):,}; with something redacted {len(hit)} ({len(hit) / len(whole):.3%})")
    for line in hit if show else ():
        print(f"  {redact(line)[:150]}")


def cost() -> None:
    """Print what redaction costs beside ``json.loads`` of the same text."""
    text = "\n".join(lines())
    for name, size in (("a prompt of 4 KB", 4_000), ("a note of 10 KB", 10_000)):
        parts = [text[at : at + size] for at in range(0, 400_000, size)]
        written = [json.dumps(part) for part in parts]
        ours = best(lambda parts=parts: [redact(part) for part in parts]) / len(parts)
        page = best(lambda written=written: [json.loads(one) for one in written]) / len(parts)
        print(f"{name}: {ours * 1000:.2f} ms, {ours / page:.0f} times json.loads of it")


def best(work: Callable[[], object]) -> float:
    """Return the seconds of the fastest of five rounds."""
    rounds = []
    for _ in range(5):
        began = perf_counter()
        work()
        rounds.append(perf_counter() - began)
    return min(rounds)


# Beside gitleaks


def beside_gitleaks(file: Path, kinds: Sequence[Sample]) -> None:
    """Print what its rules find of our kinds, and ours of theirs."""
    rules = [rule for rule in tomllib.loads(file.read_text(encoding="utf-8"))["rules"] if "regex" in rule]
    compiled = [(rule.get("keywords", ()), re.compile(*_python_of(rule["regex"]))) for rule in rules]
    left = [s.kind for s in kinds if not any(_finds(pattern, words, s) for words, pattern in compiled)]
    print(f"gitleaks' {len(rules)} rules leave {len(left)} of {len(kinds)} kinds raw: {', '.join(left)}")
    draw = random.Random(20)
    unseen = [rule["id"] for rule in rules if not all(_found(rule, draw) for _ in range(3))]
    print(f"ours leave {len(unseen)} of its {len(rules)} rules' samples raw: {', '.join(unseen)}")


def _python_of(pattern: str) -> tuple[str, int]:
    """Return Go's expression as Python's: flags in its middle become flags of the whole."""
    flags = re.IGNORECASE if "(?i" in pattern else 0
    return re.sub(r"\(\?(?:i|s|-i)\)", "", re.sub(r"\(\?(?:i|-i|s):", "(?:", pattern)).replace(r"\z", r"\Z"), flags


def _finds(pattern: re.Pattern[str], words: Sequence[str], sample: Sample) -> bool:
    text = sample.text.lower()
    if words and not any(word in text for word in words):
        return False
    return any(sample.secret[:8] in match[0] or match[0] in sample.secret for match in pattern.finditer(sample.text))


def _found(rule: dict[str, Any], draw: random.Random) -> bool:
    """Say whether ours finds a sample of a rule, named as its makers do where the value says nothing."""
    groups: list[str] = []
    whole = _drawn(re._parser.parse(_python_of(rule["regex"])[0]), groups, draw)  # noqa: SLF001
    secret = max((group for group in groups if group), key=len, default=whole)
    if r"[\w.-]{0,50}" in rule["regex"]:
        kind = "client_secret" if "secret" in rule["id"] else draw.choice(("api_key", "token", "access_token"))
        whole = f'{rule["keywords"][0]}_{kind} = "{secret}"'
    return secret not in redact(f"use {whole} please")


def _drawn(tree: Any, groups: list[str], draw: random.Random) -> str:
    """Return a text that an expression matches."""
    pieces = []
    for what, value in tree:
        name = str(what)
        if name == "LITERAL":
            pieces.append(chr(value))
        elif name == "IN":
            pieces.append(_of_class(value, draw))
        elif name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            pieces += [_drawn(value[2], groups, draw) for _ in range(value[0])]
        elif name == "SUBPATTERN":
            pieces.append(_drawn(value[3], groups, draw))
            groups += [pieces[-1]] if value[0] else []
        elif name == "BRANCH":
            pieces.append(_drawn(draw.choice(value[1]), groups, draw))
        elif name in {"ANY", "NOT_LITERAL"}:
            pieces.append(draw.choice("ab1"))
    return "".join(pieces)


def _of_class(parts: Any, draw: random.Random) -> str:
    characters = ""
    for what, value in parts:
        name = str(what)
        if name == "NEGATE":
            return draw.choice("abc123")
        if name == "LITERAL":
            characters += chr(value)
        elif name == "RANGE":
            characters += "".join(map(chr, range(value[0], value[1] + 1)))
        elif name == "CATEGORY":
            characters += string.ascii_letters + string.digits if "WORD" in str(value) else string.digits
    ends = '"' if '"' in characters and "`" in characters else ""  # of a value, in most of its rules
    return ends or draw.choice([c for c in characters if c.isalnum()] or characters)


def main() -> None:
    """Print all of it."""
    warnings.simplefilter("ignore", FutureWarning)  # a class of theirs that Python may read otherwise one day
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--show", action="store_true")
    options.add_argument("--gitleaks", type=Path)
    given, kinds = options.parse_args(), samples()
    raw = [sample.kind for sample in kinds if told(sample, redact(sample.text))]
    print(f"prompts: {len(raw)} of {len(kinds)} kinds left raw {raw}")
    for secrets, audience in (("redact", Audience.GROUP), ("owner", Audience.GROUP), ("redact", Audience.OWNER)):
        raw = raw_in_blocks(kinds, secrets=secrets, audience=audience)
        print(f"notes' blocks, {audience}, secrets = {secrets!r}: {len(raw)} of {len(kinds)} kinds left raw {raw}")
    mistakes(show=given.show)
    cost()
    if given.gitleaks:
        beside_gitleaks(given.gitleaks, kinds)


if __name__ == "__main__":
    main()
