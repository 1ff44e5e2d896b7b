"""Weights: what each piece of evidence counts with one embedding model, and the constants that were fitted with them.

One file per model, ``NAME.json`` in this folder, as ``eval/fit_calibration.py`` writes it: with the digests of the data, the date, and
the command. A model without a file has no weights for what it finds: keywords' evidence and fusion decide.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from hookclaw_py.calibration.constants import Constants, constants_of, flat, names_of
from hookclaw_py.calibration.features import TABLE, Table
from hookclaw_py.errors import ConfigError

log = logging.getLogger("hookclaw")

DEFAULT = "minilm-l6-notes-int8"
Row = tuple[float, ...]


class Weighing(NamedTuple):
    """What each piece of evidence counts for the order of the chunks, and for their relevance, in logits."""

    order: Row
    order_intercept: float
    relevance: Row
    intercept: float


class Weighings(NamedTuple):
    """The weighing of a chunk that vectors and late interaction saw, one that only vectors saw, and of keywords alone."""

    full: Weighing
    vectors: Weighing
    keywords: Weighing


class Weights(NamedTuple):
    """How a passage of a file is judged; and a record, which stands alone, as what was said in a turn does."""

    files: Weighings
    records: Weighings


class ReaderWeights(NamedTuple):
    """What the engine's own logit and the reader's count, for the order of the chunks and for their relevance."""

    order_engine: float
    order_reader: float
    engine: float
    reader: float
    intercept: float


class Readings(NamedTuple):
    """What is read counts so much where the best chunk is a passage of a file, and where it is what was said in a turn."""

    files: ReaderWeights
    turns: ReaderWeights


@dataclass(frozen=True)
class Calibration:
    """The weights for a model's evidence. Without weights of its ``own`` every chunk is weighed as if only keywords had found it."""

    model: str
    own: bool
    table: Table
    weights: Weights
    constants: Constants
    reader: Readings | None = None
    """None: what a reader says counts nothing here, and nothing is read."""

    @property
    def remark(self) -> str:
        """What to tell a person; "" when all is as it should be."""
        if self.own:
            return ""
        return (
            f"no weights were fitted for the embedding model {self.model}: it helps to find memories, and keywords' evidence "
            "and fusion decide which to show; eval/fit_calibration.py fits weights"
        )


def read(written: Mapping[str, Any], table: Table = TABLE) -> Calibration:
    """Read what ``eval/fit_calibration.py`` wrote, for the features of a table; what it does not know counts nothing.

    Raises:
        ConfigError: if it weighs a feature that there is not, or a constant is missing.
    """
    names = table.names
    columns = [c[of] for sort in written["weights"].values() for c in sort.values() for of in ("order", "relevance")]
    strange = sorted({name for column in columns for name in column} - {*names})
    constants = flat(written["constants"])
    lacking = sorted({*names_of()} ^ constants.keys())
    if strange or lacking:
        which = [f"no feature is called {name}" for name in strange] + [f"constants: {name}" for name in lacking]
        raise ConfigError([f"the weights for {written['model']} do not fit this version: {'; '.join(which)}"])

    def row(column: Mapping[str, float]) -> Row:
        return tuple(column.get(name, 0.0) for name in names)

    def weighing(columns: Mapping[str, Any]) -> Weighing:
        return Weighing(
            row(columns["order"]), columns["order_intercept"], row(columns["relevance"]), columns["intercept"]
        )

    weights = Weights(
        *(
            Weighings(*(weighing(sort[name]) for name in Weighings._fields))
            for sort in map(written["weights"].get, Weights._fields)
        )
    )
    said = written.get("reader")
    reader = Readings(*(ReaderWeights(**said["weights"][of]) for of in Readings._fields)) if said else None
    every = constants_of(constants)
    return Calibration(written["model"], own=True, table=table, weights=weights, constants=every, reader=reader)


@cache
def written_for(model: str) -> Mapping[str, Any] | None:
    """Return what the weights file of a model says, by the name of the model or one that its vectors are as good as equal to."""
    for file in sorted((files("hookclaw_py") / "calibration").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".json"):
            written: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            if model in (written["model"], *written.get("also", ())):
                return written
    return None


@cache
def load(model_id: str) -> Calibration:
    """Return the weights for the model of this id ("" for none: keywords alone), and log once if it has none of its own."""
    model = model_id.partition("@")[0].partition("+")[0].removeprefix("sentence-transformers:")
    written = written_for(model or DEFAULT)
    if written is not None:
        return read(written)
    default = read(written_for(DEFAULT) or {})
    keywords = Weights(*(Weighings(*[sort.keywords] * len(Weighings._fields)) for sort in default.weights))
    found = Calibration(model, own=False, table=default.table, weights=keywords, constants=default.constants)
    log.warning("hookclaw: %s", found.remark)
    return found
