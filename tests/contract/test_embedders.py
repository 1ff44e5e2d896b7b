"""What every embedder promises, and what is special about the default one and the one that asks a server."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.config import EmbedderConfig
from hookclaw_py.errors import EmbeddingError, IndexClosedError, ModelError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.embedders import open_embedder
from hookclaw_py.search.embedders.onnx_embedder import OnnxEmbedder
from hookclaw_py.search.embedders.openai_embedder import OpenAIEmbedder
from hookclaw_py.search.models import Model, find_model
from hookclaw_py.search.onnx_runtime import open_network
from hookclaw_py.search.ports import Embedder, encode
from hookclaw_py.trace import Deadline
from tests.served import WebServer

HOSTILE = {
    "empty": "",
    "blank": " \t\r\n ",
    "lone surrogates": "before \ud800 after \udfff",
    "NUL": "a\0b\0",
    "control and bidi": "\x1b[31mred\x07\u202eabc\u2066",
    "emoji": "👩‍👩‍👧‍👦" * 50,
    "combining": "e" + "\u0301" * 1000,
    "special tokens": "[CLS] [SEP] [PAD] [MASK] <|endoftext|>",
    "one word of 1 MB": "x" * 1_000_000,
    "1 MB": "memory of the deploy " * 50_000,
    "1 MB of CJK": "记忆" * 500_000,
}


def unit(vector: Vector, dimension: int) -> bool:
    return (
        vector.dtype == np.float32
        and vector.shape == (dimension,)
        and abs(float(np.linalg.norm(vector.astype(np.float64))) - 1) < 1e-5
    )


class CutShort(Deadline):
    """A deadline that is cancelled the moment that work has begun."""

    def on_cancel(self, callback: Callable[[], None]) -> None:
        super().on_cancel(callback)
        self.cancel()


class EmbedderContract:
    """The tests that every embedder passes; a subclass gives ``embedder`` (shared) and ``fresh`` (to be closed)."""

    def test_a_vector_is_float32_and_has_length_one(self, embedder: Embedder):
        assert unit(embedder.embed("We log one JSON object a line."), embedder.dimension)

    def test_the_same_text_gives_the_same_bytes(self, embedder: Embedder):
        first = embedder.embed("Where does Anna live?").tobytes()
        embedder.embed("something else, and much longer than the other one was")
        assert embedder.embed("Where does Anna live?").tobytes() == first

    def test_meaning_is_nearer_than_words(self, embedder: Embedder):
        asked = embedder.embed("Which city is Anna's home?")
        assert asked @ embedder.embed("She lives in Lisbon.") > asked @ embedder.embed("The home page fails to load.")

    @pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
    def test_hostile_text_gets_a_vector(self, embedder: Embedder, text: str):
        assert unit(embedder.embed(text), embedder.dimension)

    def test_threads_get_the_vectors_they_asked_for(self, embedder: Embedder):
        texts = [f"note {i} about {word}" for i, word in enumerate(["ports", "tea", "keys", "rain"] * 4)]
        alone = [embedder.embed(text).tobytes() for text in texts]
        with ThreadPoolExecutor(4) as pool:
            together = [vector.tobytes() for vector in pool.map(embedder.embed, texts)]
        assert together == alone

    def test_a_deadline_that_has_passed_is_an_error_not_a_wait(self, embedder: Embedder):
        with pytest.raises(EmbeddingError, match="deadline"):
            embedder.embed("too late", Deadline(0))

    def test_a_deadline_that_is_far_changes_nothing(self, embedder: Embedder):
        assert np.array_equal(embedder.embed("in time", Deadline(60_000)), embedder.embed("in time"))

    def test_the_id_names_the_model_and_survives_a_restart(self, embedder: Embedder, fresh: Embedder):
        assert embedder.model_id == fresh.model_id
        assert "minilm" in embedder.model_id.lower()

    def test_a_closed_embedder_says_so(self, fresh: Embedder):
        fresh.close()
        fresh.close()
        with pytest.raises(IndexClosedError, match="after close"):
            fresh.embed("anyone there?")


SHIPPED = "minilm-l6-notes-int8"


@pytest.fixture(scope="module")
def default() -> Iterator[OnnxEmbedder]:
    embedder = OnnxEmbedder(find_model(SHIPPED))
    yield embedder
    embedder.close()


class TestOnnx(EmbedderContract):
    @pytest.fixture
    def embedder(self, default: OnnxEmbedder) -> Embedder:
        return default

    @pytest.fixture
    def fresh(self) -> Embedder:
        return open_embedder(EmbedderConfig())

    def test_vectors_are_those_of_the_weights_before_they_were_rounded(self, embedder: Embedder):
        lines = (find_model(SHIPPED).folder / "check.jsonl").read_text(encoding="utf-8").splitlines()
        checks = [json.loads(line) for line in lines]
        cosines = [float(embedder.embed(check["text"]) @ np.array(check["fp32"])) for check in checks]
        assert len(cosines) >= 15
        assert min(cosines) >= 0.99

    def test_a_text_is_read_to_256_tokens_and_no_further(self, embedder: Embedder):
        words = [f"word{i % 7}" for i in range(400)]  # two tokens each

        def vector(count: int) -> Vector:
            return embedder.embed(" ".join(words[:count]))

        assert not np.allclose(vector(70), vector(120), atol=1e-4)  # the tokenizer's own file stops at 128 tokens
        assert np.array_equal(vector(127), vector(400))
        assert not np.array_equal(vector(126), vector(127))

    def test_a_long_text_reads_like_its_beginning(self, embedder: Embedder):
        beginning = "the deploy failed\n\n   because the key had expired " * 40
        assert np.array_equal(
            embedder.embed(beginning + "\n" * 9_000 + "unrelated " * 9_000), embedder.embed(beginning)
        )

    @pytest.mark.parametrize("text", [*HOSTILE.values(), "Where does Anna live? v2.1.0"])
    def test_tokens_come_from_the_same_run_and_say_where_they_stand(self, embedder: Embedder, text: str):
        vector, tokens, spans = encode(embedder, text)
        assert np.array_equal(vector, embedder.embed(text))
        assert (tokens.dtype, tokens.shape) == (np.int8, (len(spans), 64))
        assert np.allclose(np.linalg.norm(tokens / 127.0, axis=1), 1, atol=0.02)
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        assert list(spans) == sorted(spans)

    def test_a_token_stands_where_its_text_is_also_behind_many_blanks(self, embedder: Embedder):
        for blanks in (3, 30_000):
            text = " \n" * blanks + "Anna größe 日志\t" + "again " * 3
            tokens = [text[start:end] for start, end in encode(embedder, text).spans]
            assert "".join(tokens) == "Annagröße日志againagainagain"

    def test_special_tokens_are_left_out_and_a_long_text_has_no_more_than_the_model_reads(self, embedder: Embedder):
        assert len(encode(embedder, "").tokens) == 0
        assert len(encode(embedder, "hello").tokens) == 1
        assert len(encode(embedder, "hello " * 400).tokens) == 254

    def test_a_token_vector_is_the_beginning_of_its_last_hidden_state(self, embedder: Embedder):
        network = open_network(find_model(SHIPPED), ["input_ids"])
        ids = [101, 7592, 2088, 102]
        assert network.words is not None
        hidden = network.session.run(None, {"input_ids": [ids], "words": network.words.of(ids)})[0][0]
        first = hidden[1:3, :64] / np.linalg.norm(hidden[1:3, :64], axis=1, keepdims=True)
        assert np.abs(encode(embedder, "hello world").tokens / 127.0 - first).max() <= 0.5 / 127 + 1e-6

    def test_the_same_word_in_another_place_is_nearer_than_another_word(self, embedder: Embedder):
        asked = encode(embedder, "the retention of logs").tokens.astype(float)
        found = encode(embedder, "logs are purple").tokens.astype(float)
        assert asked[3] @ found[0] > asked[3] @ found[2]

    def test_encoding_stops_at_the_deadline_too(self, embedder: Embedder, fresh: Embedder):
        with pytest.raises(EmbeddingError, match="deadline"):
            encode(embedder, "too late", Deadline(0))
        fresh.close()
        with pytest.raises(IndexClosedError, match="after close"):
            encode(fresh, "anyone there?")

    def test_the_id_tells_that_the_tokens_are_there(self, embedder: Embedder):
        assert embedder.model_id == f"{find_model(SHIPPED).id}+tokens64"

    def test_the_model_takes_no_batch_for_a_vector_would_depend_on_its_mates(self):
        network = open_network(find_model(SHIPPED), ["input_ids"])
        words = np.zeros((1, 3, 384), np.int8)
        with pytest.raises(Exception, match="input_ids"):
            network.session.run(None, {"input_ids": [[101, 2073, 102], [101, 2515, 102]], "words": words})

    @pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux says there what a process maps")
    def test_the_table_of_words_is_not_mapped(self):
        program = (
            "from pathlib import Path\n"
            "from tests.contract.test_embedders import *\n"
            "OnnxEmbedder(find_model(SHIPPED)).embed('a few words, and the system maps a megabyte around each')\n"
            "print('model.weights' in Path('/proc/self/maps').read_text())\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"

    def test_cancelling_the_deadline_stops_the_work(self, embedder: Embedder):
        deadline = CutShort(60_000)
        with pytest.raises(EmbeddingError, match="stopped at the deadline"):
            embedder.embed("a long text " * 100, deadline)
        assert unit(embedder.embed("and the next one is fine"), embedder.dimension)

    def test_nothing_is_printed_on_stderr(self):
        program = (
            "from tests.contract.test_embedders import *\n"
            "embedder = OnnxEmbedder(find_model(SHIPPED))\n"
            "try: embedder.embed('x', CutShort(60_000))\n"
            "except EmbeddingError: print(len(embedder.embed('fine')))\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("384\n", "")

    @settings(max_examples=40)
    @given(st.text(st.characters(exclude_categories=()), max_size=300))
    def test_any_text_gets_a_unit_vector(self, default: OnnxEmbedder, text: str):
        assert unit(default.embed(text), 384)

    @pytest.mark.parametrize("damage", ["model.onnx", "model.weights", "tokenizer.json"])
    def test_an_altered_model_is_not_loaded(self, tmp_path: Path, damage: str):
        folder = copy_of_the_model(tmp_path)
        (folder / damage).write_bytes((folder / damage).read_bytes()[:-1])
        with pytest.raises(ModelError, match=f"{damage}.*truncated or altered"):
            open_embedder(EmbedderConfig(model=str(folder)))

    @pytest.mark.parametrize("damage", ["model.onnx", "tokenizer.json"])
    def test_a_file_that_its_manifest_vouches_for_but_no_library_reads_is_named(self, tmp_path: Path, damage: str):
        with pytest.raises(ModelError, match=damage):
            OnnxEmbedder(forged(tmp_path, damage, b"neither a model nor a tokenizer"))

    def test_a_manifest_with_the_wrong_dimension_is_an_error(self, tmp_path: Path):
        model = forged(tmp_path, "check.jsonl", b"", dimension=768)
        with pytest.raises(ModelError, match=r"dimension 768, has .*384"):
            OnnxEmbedder(model)

    def test_a_failure_of_the_runtime_is_an_error_and_not_output(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ):
        embedder = OnnxEmbedder(forged(tmp_path, "check.jsonl", b"", max_tokens=512))
        with pytest.raises(EmbeddingError, match="onnxruntime failed"):
            embedder.embed("more than the 256 positions of the model " * 100)
        assert capfd.readouterr() == ("", "")


def copy_of_the_model(tmp_path: Path) -> Path:
    original, folder = find_model(SHIPPED), tmp_path / "model"
    folder.mkdir()
    for file in ("manifest.json", *original.manifest.files):
        (folder / file).write_bytes((original.folder / file).read_bytes())
    return folder


def forged(tmp_path: Path, file: str, content: bytes, **changes: Any) -> Model:
    """Return the shipped model with one file replaced and a manifest that agrees."""
    folder = copy_of_the_model(tmp_path)
    (folder / file).write_bytes(content)
    manifest = json.loads((folder / "manifest.json").read_text()) | changes
    manifest["files"][file] = hashlib.sha256(content).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return find_model(str(folder))


Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Server:
    """An embeddings server on this machine: answers with the default model's vectors, or with ``misbehave``."""

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self.misbehave: Answer | None = None
        self.requests: list[dict[str, Any]] = []
        self.released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(request | {"path": self.path, "auth": self.headers["Authorization"]})
                (server.misbehave or server.answer)(self, request)

            def log_message(self, *_: object) -> None:
                pass

        self._http = WebServer(Handler)
        self.url = self._http.url
        self._http.start()

    def answer(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        if not request["input"]:  # as OpenAI and Ollama do
            reply("input must not be empty", 400)(handler, request)
            return
        vector = [3 * float(x) for x in self.embedder.embed(request["input"])]  # servers need not normalise
        reply(json.dumps({"object": "list", "data": [{"index": 0, "embedding": vector}]}))(handler, request)

    def stop(self) -> None:
        self.released.set()
        self._http.stop()


def reply(body: str, status: int = 200) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _request: dict[str, Any]) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    return answer


def vector_of(*values: Any) -> Answer:
    return reply(json.dumps({"data": [{"embedding": list(values)}]}))


@pytest.fixture
def server(default: OnnxEmbedder) -> Iterator[Server]:
    server = Server(default)
    yield server
    server.stop()


def ask(url: str, *, reset_after_s: float = 3600, api_key: str = "") -> OpenAIEmbedder:
    return OpenAIEmbedder(url, "all-minilm", api_key=api_key, failures_allowed=3, reset_after_s=reset_after_s)


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    def embedder(self, server: Server) -> Iterator[OpenAIEmbedder]:
        embedder = ask(server.url)
        yield embedder
        embedder.close()

    @pytest.fixture
    def fresh(self, server: Server) -> Iterator[Embedder]:
        embedder = open_embedder(EmbedderConfig(backend="openai", model="all-minilm", url=server.url + "/"))
        yield embedder
        embedder.close()

    def test_vectors_are_the_servers_made_unit(self, embedder: OpenAIEmbedder, default: OnnxEmbedder):
        assert embedder.embed("a note") @ default.embed("a note") == pytest.approx(1)

    def test_the_request_is_what_openai_documents(self, server: Server):
        embedder = ask(server.url + "/", api_key="secret")
        embedder.embed("a note")
        embedder.close()
        assert server.requests == [
            {"model": "all-minilm", "input": "a note", "path": "/v1/embeddings", "auth": "Bearer secret"}
        ]

    def test_an_address_may_end_in_a_query(self, server: Server):
        embedder = ask(server.url + "/?api-version=2024-02-01")
        assert unit(embedder.embed("a note"), 384)
        assert server.requests[0]["path"] == "/v1/embeddings?api-version=2024-02-01"
        embedder.close()

    def test_what_a_server_says_of_the_first_text_is_taken_wherever_it_stands(
        self, embedder: OpenAIEmbedder, server: Server
    ):
        server.misbehave = reply('{"data": [{"index": 1, "embedding": [1, 0]}, {"index": 0, "embedding": [0, 2]}]}')
        assert embedder.embed("a note").tolist() == [0, 1]

    def test_a_key_that_ends_in_a_newline_is_sent_without_it(self, server: Server):
        embedder = ask(server.url, api_key="secret\n")
        embedder.embed("a note")
        embedder.close()
        assert server.requests[0]["auth"] == "Bearer secret"

    @pytest.mark.parametrize("key", ["schlüssel", "two\nlines", "NUL\0"])
    def test_a_key_that_no_header_can_carry_is_an_error_that_does_not_tell_it(self, key: str):
        with pytest.raises(ModelError, match=r"embedder\.apiKey") as error:
            ask("http://127.0.0.1:1/v1", api_key=key)
        assert key not in str(error.value)

    @pytest.mark.parametrize("misbehaviour", [401, 200])
    def test_no_message_tells_the_key_or_the_password(self, server: Server, misbehaviour: int):
        server.misbehave = reply(f"{'x' * 70} we do not know Bearer sk-hunter2-{'0' * 200}", misbehaviour)
        address = server.url.replace("//", "//me:hunter2@")
        for embedder in (
            ask(address + "?key=hunter2", api_key="sk-hunter2-" + "0" * 200),
            ask("http://me:hunter2@127.0.0.1:1/v1"),
        ):
            with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:\d+/v1/embeddings: ") as error:
                embedder.embed("a note")
            assert "hunter2" not in str(error.value) + embedder.model_id
            embedder.close()

    def test_without_a_key_none_is_sent(self, embedder: OpenAIEmbedder, server: Server):
        embedder.embed("a note")
        assert server.requests[0]["auth"] is None

    def test_the_dimension_is_asked_for_once(self, embedder: OpenAIEmbedder, server: Server):
        assert (embedder.dimension, embedder.dimension, len(server.requests)) == (384, 384, 1)

    def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        embedder = ask(server.url)
        assert embedder.dimension == 384
        embedder.close()

    @pytest.mark.parametrize(
        ("misbehaviour", "problem"),
        [
            (reply("out of memory", 500), "HTTP 500 .*all-minilm.*out of memory"),
            (reply('{"error": "no such model"}', 404), "HTTP 404 .*no such model"),
            (reply("", 301), "HTTP 301"),
            (reply("input too long", 400), "HTTP 400 .*too long"),
            (reply("<html>hello</html>"), "not JSON with .*<html>"),
            (reply(""), "not JSON"),
            (reply("[1, 2]"), "not JSON with data"),
            (reply('{"data": []}'), "not JSON with data"),
            (reply('{"data": [{"embedding": "AACAPw=="}]}'), "a list of numbers"),
            (vector_of(), "a list of numbers"),
            (vector_of(1, "2"), "a list of numbers"),
            (vector_of(1, None), "a list of numbers"),
            (vector_of(float("nan"), 1), "a list of numbers"),
            (vector_of(1e300, 1e300), "not finite"),
            (vector_of(0, 0.0), "all zeros"),
            (reply("1" * 5_000_000), "the reply is longer than"),
        ],
    )
    def test_a_bad_reply_is_an_error_that_names_the_server(
        self, embedder: OpenAIEmbedder, server: Server, misbehaviour: Answer, problem: str
    ):
        server.misbehave = misbehaviour
        with pytest.raises(EmbeddingError, match=rf"{server.url}/embeddings: .*{problem}"):
            embedder.embed("a note")
        server.misbehave = None
        assert unit(embedder.embed("and then it is well again"), 384)

    def test_another_dimension_than_before_is_an_error(self, embedder: OpenAIEmbedder, server: Server):
        embedder.embed("a note")
        server.misbehave = vector_of(3, 4)
        with pytest.raises(EmbeddingError, match="dimension 2 after vectors of 384"):
            embedder.embed("a note")

    def test_a_refused_connection_is_an_error_that_asks_whether_the_server_runs(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            embedder = ask(f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
            with pytest.raises(EmbeddingError, match="is the server running"):
                embedder.embed("a note")
            embedder.close()

    def test_a_connection_that_breaks_off_is_an_error(self, embedder: OpenAIEmbedder, server: Server):
        def break_off(handler: BaseHTTPRequestHandler, _request: dict[str, Any]) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"data"')

        server.misbehave = break_off
        with pytest.raises(EmbeddingError, match="is the server running"):
            embedder.embed("a note")

    def test_a_server_that_does_not_answer_is_given_until_the_deadline(self, embedder: OpenAIEmbedder, server: Server):
        server.misbehave = lambda _handler, _request: server.released.wait() and None
        with pytest.raises(EmbeddingError, match=r"no answer within 0\.1 s"):
            embedder.embed("a note", Deadline(100))

    def test_a_server_that_trickles_is_given_until_the_deadline(self, embedder: OpenAIEmbedder, server: Server):
        deadline = Deadline(60_000)

        def trickle(handler: BaseHTTPRequestHandler, _request: dict[str, Any]) -> None:
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            deadline.cancel()
            handler.wfile.write(b"{")
            handler.wfile.flush()
            server.released.wait()

        server.misbehave = trickle
        with pytest.raises(EmbeddingError, match="not complete at the deadline"):
            embedder.embed("a note", deadline)

    def test_after_three_failures_the_server_is_left_alone(self, embedder: OpenAIEmbedder, server: Server):
        """Mend 15: one failed search does not disable memory; several open a circuit that recovers."""
        server.misbehave = reply("overloaded", 503)
        for _ in range(3):
            with pytest.raises(EmbeddingError, match=r"^http\S+/embeddings: HTTP 503"):
                embedder.embed("a note")
        with pytest.raises(
            EmbeddingError, match=r"embeddings: circuit open after 3 failures.*3600 s; last failure: .*overloaded"
        ):
            embedder.embed("a note")
        assert len(server.requests) == 3

    def test_who_hardly_waits_opens_no_circuit(self, embedder: OpenAIEmbedder, server: Server):
        server.misbehave = lambda _handler, _request: server.released.wait() and None
        for _ in range(4):
            with pytest.raises(EmbeddingError, match=r"no answer within 0\.1 s"):
                embedder.embed("a note", Deadline(100))
        server.misbehave = None
        assert unit(embedder.embed("a note"), 384)

    def test_an_open_circuit_is_tried_again_and_recovers(self, server: Server):
        """Mend 15: a circuit breaker that recovers."""
        embedder = ask(server.url, reset_after_s=0)
        server.misbehave = reply("overloaded", 503)
        for _ in range(5):  # each after the third is a trial
            with pytest.raises(EmbeddingError, match=r"^http\S+/embeddings: HTTP 503"):
                embedder.embed("a note")
        server.misbehave = None
        assert unit(embedder.embed("a note"), 384)
        server.misbehave = reply("overloaded", 503)
        with pytest.raises(EmbeddingError, match="HTTP 503"):
            embedder.embed("one failure does not open it again")
        embedder.close()

    def test_a_success_between_failures_keeps_the_circuit_closed(self, embedder: OpenAIEmbedder, server: Server):
        for misbehaviour in [reply("", 500), reply("", 500), None] * 3:
            server.misbehave = misbehaviour
            if misbehaviour is None:
                assert unit(embedder.embed("a note"), 384)
            else:
                with pytest.raises(EmbeddingError, match="HTTP 500"):
                    embedder.embed("a note")

    def test_a_refused_text_does_not_open_the_circuit(self, embedder: OpenAIEmbedder, server: Server):
        server.misbehave = reply("too long", 413)
        for _ in range(5):
            with pytest.raises(EmbeddingError, match="HTTP 413"):
                embedder.embed("a note")
        assert len(server.requests) == 5

    def test_a_slow_text_does_not_hold_up_another(self, embedder: OpenAIEmbedder, server: Server):
        started = threading.Event()

        def first_waits(handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
            if request["input"] == "slow":
                started.set()
                server.released.wait()
            server.answer(handler, request)

        server.misbehave = first_waits
        with ThreadPoolExecutor(1) as pool:
            slow = pool.submit(embedder.embed, "slow")
            started.wait()
            assert unit(embedder.embed("quick"), 384)
            assert not slow.done()
            server.released.set()
            assert unit(slow.result(), 384)

    @pytest.mark.parametrize(
        "url", ["", "127.0.0.1:11434/v1", "ftp://host/v1", "http://", "http://[::1", "http://me:hunter2@/v1"]
    )
    def test_an_address_that_is_none_is_an_error(self, url: str):
        with pytest.raises(ModelError, match=r"embedder\.url") as error:
            ask(url)
        assert "hunter2" not in str(error.value)


def test_without_the_library_the_extra_to_install_is_named():
    program = (
        "import sys; sys.modules['sentence_transformers'] = None\n"
        "from hookclaw_py.search.embedders import open_embedder\n"
        "from hookclaw_py.config import EmbedderConfig\n"
        "from hookclaw_py.errors import ModelError\n"
        "try: open_embedder(EmbedderConfig(backend='sentence-transformers', model='all-MiniLM-L6-v2'))\n"
        "except ModelError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "-m pip install 'sentence-transformers>=" in done.stdout
