"""What the studies share: their sets, one store asked in several ways, a bar's worth of progress, tables and results."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import fields, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import orjson

from hookclaw_py.config import Config
from hookclaw_py.evaluation.replay import Asked, run_config
from hookclaw_py.evaluation.sets import MemorySet, load_memory_set
from hookclaw_py.evaluation.tables import Sheet, markdown
from hookclaw_py.pipeline import Pipeline, Stages

SETS = ("locomo", "longmemeval_ev", "realmem_notes", "proactivemem", "beam_100k")
OWN = Path(__file__).resolve().parent.parent / "data" / "notebooks"


class Variant(NamedTuple):
    """One way to run the engine: other configuration values, other ``stages``, or a pipeline of other parts.

    ``timed`` are the names under which a recall's timings say what the part in question costs.
    """

    name: str
    timed: tuple[str, ...] = ()
    values: Mapping[str, Any] = {}
    pipeline: Callable[[Pipeline], Pipeline] = lambda pipeline: pipeline
    stages: Mapping[str, Callable[..., Any]] = {}

    def missing(self) -> str:
        """Say what of this variant today's engine does not have; "" when it can run."""
        unknown = [key for key in self.values if key not in Config.model_fields]
        unknown += sorted(self.stages.keys() - {stage.name for stage in fields(Stages)})
        return ", ".join(unknown)


class Without:
    """Stands for a whole with some parts taken out or exchanged; everything else is the whole's, as it is now."""

    def __init__(self, whole: Any, **parts: Any) -> None:
        self.__dict__.update(parts)
        self._whole = whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)


class NoCache:
    """A cache that remembers nothing: the same prompt is asked in many ways."""

    def get(self, *_: Any) -> None:
        """Return nothing."""
        return

    def put(self, *_: Any) -> None:
        """Forget it."""


@contextmanager
def running_as(asked: Asked, variant: Variant) -> Iterator[None]:
    """Let the engine of one store run as ``variant`` says, and put everything back."""
    engine = asked.engine
    config, pipeline = engine.config, engine.pipeline
    changed = config.model_copy(update=dict(variant.values))
    engine.config = changed
    stages = replace(pipeline.stages, **variant.stages)
    engine.pipeline = variant.pipeline(replace(pipeline, config=changed, cache=NoCache(), stages=stages))
    try:
        yield
    finally:
        engine.config, engine.pipeline = config, pipeline


def without_vectors(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline that searches by keywords only, as with ``enableVector = false``."""
    return replace(pipeline, embedder=None, indexes=Without(pipeline.indexes, vectors=None, null=None))


def without_keywords(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline that searches by meaning only, as with ``enableBm25 = false``."""
    return replace(pipeline, indexes=Without(pipeline.indexes, lexical=None))


def study_config() -> Config:
    """Return the default configuration as a replay runs it."""
    return run_config(Config())


def folders(root: Path, names: Sequence[str]) -> list[Path]:
    """Return the folders of the named sets below ``root`` that are there, and this repository's own set."""
    found = [root / name for name in names if (root / name).is_dir()]
    for name in names:
        if not (root / name).is_dir():
            print(f"{root / name}: not there, left out", file=sys.stderr)
    return [*found, OWN]


def opened(folder: Path, limit: int | None) -> MemorySet:
    """Open a set with at most ``limit`` of its prompts that tuning may see, spread evenly."""
    memory_set = load_memory_set(folder)
    return (memory_set if folder == OWN else memory_set.tunable()).limited(limit)


def side_by_side(work: Callable[..., Any], jobs: int, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return ``work(*call)`` for every call, in their order, in ``jobs`` processes."""
    if jobs == 1:
        return [work(*call) for call in calls]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return [running.result() for running in [pool.submit(work, *call) for call in calls]]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return the command line that every study has."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("folder", type=Path, help="the folder that holds the sets")
    made.add_argument("--json", type=Path, help="also write the numbers here")
    made.add_argument("--jobs", type=int, default=2, help="processes side by side")
    return made


def write(file: Path | None, numbers: Mapping[str, Any]) -> None:
    """Write numbers as JSON, where asked to."""
    if file is not None:
        file.write_bytes(orjson.dumps(numbers, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print one table as Markdown."""
    print(markdown(Sheet(title, heads, rows)), flush=True)
