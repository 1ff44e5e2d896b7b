"""Fuzz the properties guided by coverage: what reaches code that nothing reached before is kept, and varied further.

    pip install atheris
    python -m tests.property.fuzzing TARGET SECONDS [CORPUS]

It stops at the first input for which a property does not hold, prints it as Hypothesis does, and leaves it in ``.hypothesis``, so that
``pytest`` tries it first. Such a case becomes an ``@example`` of its property. What was reached is kept in the folder CORPUS, if one is named.
"""

from __future__ import annotations

import importlib
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

TARGETS = {
    "chunker": "test_markdown.test_every_line_is_in_a_chunk_and_every_chunk_in_its_lines",
    "texts": "test_markdown.test_no_text_is_too_strange",
    "limits": "test_markdown.test_no_chunk_is_over_the_limit_and_ids_are_distinct",
    "protocol": "test_hostile_input.test_every_line_is_a_request_or_is_refused_in_one_line",
    "reports": "test_hostile_input.test_every_report_is_read_or_refused",
    "claude-code": "test_hostile_input.test_every_event_of_claude_code_is_told_or_left",
    "envelope": "test_hostile_input.test_every_text_is_unwrapped_and_twice_is_once",
    "front-matter": "test_hostile_input.test_every_front_matter_is_read_or_told_of",
    "private": "test_hostile_input.test_what_is_private_stays_away_however_often_it_is_cleaned",
    "config": "test_hostile_input.test_every_configuration_is_taken_or_every_problem_told",
    "dates": "test_periods.test_no_jumble_of_time_words_raises",
    "distiller": "test_distil_properties.test_every_word_of_a_draft_is_of_the_events",
}


def main(target: str, seconds: str, corpus: str = "") -> None:
    """Fuzz one property for that long."""
    import atheris

    module, _, name = TARGETS[target].partition(".")
    with atheris.instrument_imports(include=["hookclaw_py"]):
        tests = importlib.import_module(f"tests.property.{module}")
    one: Callable[[bytes], object] = getattr(tests, name).hypothesis.fuzz_one_input
    folder = Path(corpus or tempfile.mkdtemp())
    begin(folder)
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=8192", "-len_control=0", str(folder)], one)
    atheris.Fuzz()


def begin(folder: Path) -> None:
    """Put random bytes into an empty folder: of a few bytes no strategy makes an example."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for size in (64, 256, 1024, 4096):
            for number in range(8):
                (folder / f"{size}-{number}").write_bytes(random.randbytes(size))


if __name__ == "__main__":
    main(*sys.argv[1:])
