"""Make ``minilm-l3-reader-int8/``: a cross-encoder that reads a prompt and a passage together.

    pip install torch==2.13.0 onnx onnxruntime tokenizers numpy
    python models/make_minilm_l3_reader_int8.py COLLECTION … [--minutes 62] [--threads 2] [--start FILE] [--weights FILE]

A COLLECTION is a folder of ``eval/data/answers``. Each of its prompts is asked of an engine over its notes; of what the engine
finds, the network learns to tell the passage that answers from those that are only about the same thing, and to see
that none does. It begins as the first three layers of all-MiniLM-L6-v2 (Apache-2.0) and keeps their words as they are.

One logit comes out: above 0 the passage answers, below 0 it doesn't. The loss is the cross entropy of the choice among the
passages of a prompt and "none of them", whose logit is 0: so it ranks, and knows when the answer is not there.

Every choice is seeded, but the run ends by the clock, and two machines don't add up alike: what was learned is kept in
``--weights``, fp32, and when that file is there the model is made from it again, the same bytes each time. ``--start`` is a
model of an earlier run to go on from, ``model.onnx``: what its int8 weights stand for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import minilm
import numpy as np
import onnx
from onnx import TensorProto, helper

from hookclaw_py import Engine
from hookclaw_py.config import Config
from hookclaw_py.evaluation.replay import run_config
from hookclaw_py.evaluation.vaults import VaultPrompt, holds, load_vault
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt
from hookclaw_py.search.cross_encoder import CLS, SEP, cut_passage, cut_prompt, token_ids
from hookclaw_py.search.ports import Excerpt
from hookclaw_py.trace import Trace

FOLDER = Path(__file__).parent / "minilm-l3-reader-int8"
LAYERS = 3
ELSEWHERE = "elsewhere.jsonl"


class Example(NamedTuple):
    """A prompt and the passages that were found for it, best first, each with whether it answers."""

    prompt: str
    passages: Sequence[Excerpt]
    answers: Sequence[bool]


def gather(collection: Path) -> Iterator[Example]:
    """Ask every training prompt of a collection of an engine over its notes, and those that are about nobody's notes."""
    prompts, _ = load_vault(collection)
    rows = map(json.loads, (collection / "prompts.jsonl").read_text(encoding="utf-8").splitlines())
    kept_for_testing = {row["id"] for row in rows if row["split"] == "test"}
    elsewhere = map(json.loads, (collection.parent / ELSEWHERE).read_text(encoding="utf-8").splitlines())
    prompts += [
        VaultPrompt(row["id"], row["kind"], row["lang"], row["text"], prompts[0].asked_at)
        for row in elsewhere
        if row["split"] == "train"
    ]
    with Engine.in_memory(run_config(Config(reader="off"))) as engine:
        engine.index(collection / "notes")
        pipeline = engine.pipeline
        for prompt in prompts:
            if prompt.id in kept_for_testing:
                continue
            sent = Prompt(prompt.text, prompt.asked_at, agent_id=engine.agent, audience=Audience.OWNER)
            trace = Trace(timeout_ms=600_000, strict=True)
            query = pipeline.enrich(sent.text, sent.received_at, trace)
            pool = pipeline.gather(query, trace)
            found = pipeline.calibrate(query, pipeline.fuse(pool), pool)
            answers = [any(holds(c, place) for place in prompt.answers) for c in found]
            if found and (any(answers) or not prompt.answers):
                yield Example(query.sought, [pool.passage(c.chunk) for c in found], answers)


def build(weights: dict[str, np.ndarray], loudness: dict[str, np.ndarray] | None) -> tuple[bytes, dict[str, str]]:
    """Return the model, ``input_ids`` and ``token_type_ids`` (1, tokens) to ``logit`` (1,), and where its products read."""
    g = minilm.Graph(weights, loudness)
    length = g.op("Shape", "input_ids", start=1, end=2)
    places = g.constant("positions", weights["embeddings.position_embeddings.weight"][:128])
    here = g.op("Slice", places, g.constant("start", np.array([0])), length)
    types = g.op("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    words = g.words("embeddings.word_embeddings.weight", "input_ids")
    x = g.norm(g.op("Add", g.op("Add", words, types), here), "embeddings.LayerNorm")
    # The prompt's tokens stand first and have type 0: their mean, beside the first token, is what is judged.
    asked = g.op("Sub", g.constant("one.float", np.float32(1)), g.op("Cast", "token_type_ids", to=TensorProto.FLOAT))
    count = g.op("ReduceSum", asked, g.constant("last", np.array([1])), keepdims=1)
    first = g.op("Cast", g.op("Squeeze", count, g.constant("axis.1", np.array([1]))), to=TensorProto.INT64)
    for n in range(LAYERS):
        x = minilm.layer(g, x, f"encoder.layer.{n}", first=first if n == LAYERS - 1 else "")
    asked = g.first(asked, first)
    total = g.op("MatMul", g.op("Unsqueeze", asked, g.constant("axis", np.array([1]))), x)
    mean = g.op("Div", g.op("Squeeze", total, "axis.1"), count)
    beginning = g.op("Gather", x, g.constant("first", np.array(0)), axis=1)
    pooled = g.op("Concat", beginning, mean, axis=1)
    inner = g.op("Gemm", pooled, g.weight("pooler.weight"), g.weight("pooler.bias"), transB=1)
    inner = g.op("Gelu", inner, domain=minilm.RUNTIME)
    logit = g.op("Gemm", inner, g.weight("head.weight"), g.weight("head.bias"), transB=1)
    g.op("Squeeze", logit, g.constant("axis.out", np.array([1])))
    g.nodes[-1].output[0] = "logit"
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1])
    graph = helper.make_graph(g.nodes, FOLDER.name, inputs, [output], list(g.constants.values()))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(minilm.RUNTIME, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name=Path(__file__).name)
    return model.SerializeToString(deterministic=True), g.inputs


Pair = tuple[list[int], list[int]]
"""Token ids and token types, as the model takes them."""


def pairs_of(examples: Sequence[Example], count: int, tokenizer: Any) -> list[tuple[str, str, Pair]]:
    """Return so many prompts, spread over the examples, each with a passage and as the model takes them."""
    found = []
    for example in examples[:: max(1, len(examples) // count)][:count]:
        passage = example.passages[0]
        asked, read = cut_prompt(token_ids(tokenizer, example.prompt)), cut_passage(tokenizer, passage)
        ids, types = [CLS, *asked, SEP, *read, SEP], [0] * (len(asked) + 2) + [1] * (len(read) + 1)
        found.append((example.prompt, tokenizer.decode(read), (ids, types)))
    return found


def run(model: bytes, pairs: Sequence[Pair], outputs: list[str]) -> list[list[np.ndarray]]:
    """Return for each pair the named outputs."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    fed = [{"input_ids": np.array([ids]), "token_type_ids": np.array([types])} for ids, types in pairs]
    return [session.run(outputs, own) for own in fed]


def fp32_and_int8(weights: dict[str, np.ndarray], pairs: Sequence[Pair]) -> tuple[bytes, bytes]:
    """Return the model in both precisions; what the first one hears decides how the second is smoothed."""
    fp32, inputs = build(weights, None)
    after_norm = {name: x for name, x in inputs.items() if x.startswith("LayerNormalization")}
    model = onnx.load_from_string(fp32)
    model.graph.output.extend(onnx.ValueInfoProto(name=x) for x in dict.fromkeys(after_norm.values()))
    heard = run(model.SerializeToString(), pairs, list(after_norm.values()))
    loudness = {
        name: np.max([np.abs(own[n][0]).max(axis=0) for own in heard], axis=0) for n, name in enumerate(after_norm)
    }
    int8, _ = build(weights, loudness)
    return fp32, int8


def main() -> None:
    """Gather, train, and write the folder."""
    given = minilm.asked(
        str(__doc__), minutes=62.0, weights="minilm-l3-reader.npz", start="A model to go on from, model.onnx."
    )
    published, told = minilm.upstream(given.wheel)
    tokenizer = minilm.tokenizer_of(told)
    digests, examples = {}, list[Example]()
    for collection in given.collections:
        digests[collection.name] = load_vault(collection)[1]
        examples += gather(collection)
    print(f"{len(examples)} prompts of {len(digests)} collections")
    if not given.weights.is_file():
        from train_reader import train

        start = minilm.weights_of(given.start, published, LAYERS) if given.start else published
        np.savez_compressed(
            given.weights, **train(examples, start, tokenizer, minutes=given.minutes, threads=given.threads)
        )
    weights = dict(np.load(given.weights)) | {minilm.foreign.WORDS: published[minilm.foreign.WORDS]}

    heard = pairs_of(examples, 60, tokenizer)
    fp32, int8 = fp32_and_int8(weights, [pair for _, _, pair in heard])
    tried = pairs_of(examples[1:], 40, tokenizer)
    truth = [float(own[0][0]) for own in run(fp32, [pair for *_, pair in tried], ["logit"])]
    found = [float(own[0][0]) for own in run(int8, [pair for *_, pair in tried], ["logit"])]
    apart = np.abs(np.array(truth) - np.array(found))
    print(
        f"logits of {len(tried)} pairs, int8 beside fp32: apart {apart.mean():.3f} on average, {apart.max():.3f} at most"
    )
    said = zip(tried, truth, strict=True)
    minilm.write(
        FOLDER,
        int8,
        told,
        [{"prompt": prompt, "passage": passage, "fp32": round(logit, 3)} for (prompt, passage, _), logit in said],
        upstream="sentence-transformers/all-MiniLM-L6-v2, its first three layers",
        made_by=Path(__file__).name,
        data=digests,
        dimension=1,
        pooling="none",
        apart_from_fp32={"mean": round(float(apart.mean()), 3), "max": round(float(apart.max()), 3)},
    )


if __name__ == "__main__":
    main()
