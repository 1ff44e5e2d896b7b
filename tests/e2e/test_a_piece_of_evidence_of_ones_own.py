"""A piece of evidence that hookclaw_py has never heard of: a line of the table and its extractor, and weights that know it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, Injection, Outcome, build
from hookclaw_py.calibration import weights
from hookclaw_py.calibration.features import FEATURES, Column, Feature, Table
from hookclaw_py.calibration.gathered import Gathered
from hookclaw_py.calibration.weights import Calibration
from hookclaw_py.insight.explaining import print_explanation
from hookclaw_py.search import loading
from tests.conftest import FILLERS, write_notes

ASKED = "When does the boat go?"
FERRY = "# Travel\n\nImportant: the ferry to Karlskrona leaves at nine, from pier four.\n"


def important(at: Gathered) -> Column:
    """Return whether whoever wrote it says that it is important."""
    return [float(chunk.text.startswith("Important:")) for chunk in at.chunks]


TABLE = Table((*FEATURES, Feature("important", important, "said to be important")))


def fitted(**relevance: float) -> Calibration:
    """Return the weights that came with the package, and what a refit may have found that ``important`` counts."""
    written = copy.deepcopy(weights.written_for(weights.DEFAULT))
    for columns in (columns for sort in written["weights"].values() for columns in sort.values()):
        columns["relevance"] |= relevance
    return weights.read(written, TABLE)


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[Calibration | None], Injection]:
    write_notes(tmp_path, {f"{word}.md": f"All about {word} and nothing else.\n" for word in FILLERS})
    write_notes(tmp_path, {"ferry.md": FERRY})

    def asked(calibration: Calibration | None) -> Injection:
        config = Config(reader="off")
        lexical, embedder = build.lexical_index(config, None), loading.embedder(config)
        with Engine(build.store(None), lexical, embedder, config=config, calibration=calibration) as engine:
            engine.index(tmp_path)
            return engine.recall(ASKED)

    return asked


def relevances(found: Injection) -> dict[str, float]:
    return {c.chunk.place.path: c.relevance for c in (*found.candidates, *found.rejected)}


def test_a_piece_of_evidence_of_ones_own_changes_a_relevance_and_explain_tells_it(ask, capsys):
    without, with_it = ask(None), ask(fitted(important=3.0))
    assert (without.outcome, with_it.outcome) == (Outcome.SILENT, Outcome.INJECTED)
    assert "leaves at nine, from pier four" in with_it.text
    before, after = relevances(without), relevances(with_it)
    assert {path for path in before if after[path] != before[path]} == {"ferry.md"}
    print_explanation(with_it, limit=1)
    assert "said to be important +3.0" in " ".join(capsys.readouterr().out.split())


def test_a_piece_that_no_weights_know_counts_nothing_and_is_not_told(ask, capsys):
    found = ask(fitted())
    assert relevances(found) == relevances(ask(None))
    print_explanation(found, limit=None)
    assert "important" not in capsys.readouterr().out
