"""The default embedder: a model of ``models/`` on onnxruntime, no torch."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from hookclaw_py import _LOADED_BEFORE
from hookclaw_py.errors import EmbeddingError, IndexClosedError, ModelError
from hookclaw_py.model.vectors import TOKEN_DIMENSION, Matrix, TokenVectors, Vector
from hookclaw_py.search.embedders import encodable, unit
from hookclaw_py.search.ports import Encoded

if TYPE_CHECKING:
    from hookclaw_py.search.embedders.models import Model
    from hookclaw_py.trace import Deadline

log = logging.getLogger("hookclaw")

_FATAL = 4  # onnxruntime's severity above error: what goes wrong reaches us as an exception, not on stderr


class OnnxEmbedder:
    """Embeds one text at a time on one thread; any number of threads may call it.

    One at a time is the fastest way on a CPU (no padding), and the same text gives the same bytes.
    """

    def __init__(self, model: Model) -> None:
        """Load ``model``.

        Raises:
            ModelError: if a file is missing, altered, or cannot be used by the libraries here.
        """
        self.model_id = f"{model.id}+tokens{TOKEN_DIMENSION}"  # a store without its tokens is embedded anew
        self.dimension = model.manifest.dimension
        self._max_tokens = model.manifest.max_tokens
        self._session: Any = _open_session(model)
        self._tokenizer = _open_tokenizer(model)

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the unit vector of the text's first ``max_tokens`` tokens; see ``Embedder``."""
        return self._pooled(self._run(text, deadline)[0])

    def encode(self, text: str, deadline: Deadline | None = None) -> Encoded:
        """Return the same vector, and those of the tokens it was made of; see ``TokenEmbedder``."""
        hidden, encoding = self._run(text, deadline)
        own = [n for n, special in enumerate(encoding.special_tokens_mask) if not special]
        offsets = encoding.offsets
        tokens = _token_vectors(hidden[own, :TOKEN_DIMENSION])
        return Encoded(self._pooled(hidden), tokens, tuple(offsets[n] for n in own))

    def knows(self, word: str) -> bool:
        """Say whether a word, folded, is one token of the model's; see ``Vocabulary``."""
        return self._tokenizer.token_to_id(word) is not None

    def _pooled(self, hidden: Matrix) -> Vector:
        return unit(np.add.reduce(hidden, axis=0), f"embedder {self.model_id}")  # the mean has the same direction

    def _run(self, text: str, deadline: Deadline | None) -> tuple[Matrix, Any]:
        """Return the last hidden state of each token, and the tokenizer's encoding."""
        import onnxruntime

        session = self._session
        if session is None:
            raise IndexClosedError(f"embedder {self.model_id} was used after close()")
        options = onnxruntime.RunOptions()
        if deadline is not None:
            if deadline.remaining() == 0:
                raise EmbeddingError(f"embedder {self.model_id}: no time left before the deadline")
            deadline.on_cancel(lambda: setattr(options, "terminate", True))
        encoding = self._tokenizer.encode(self._beginning(text))
        ids = np.array([encoding.ids], dtype=np.int64)
        try:
            (hidden,) = session.run(None, {"input_ids": ids}, options)
        except _runtime_errors() as error:
            if options.terminate:
                raise EmbeddingError(f"embedder {self.model_id}: stopped at the deadline") from None
            raise EmbeddingError(f"embedder {self.model_id}: onnxruntime failed: {error}") from error
        return hidden[0], encoding

    def _beginning(self, text: str) -> str:
        """Return the part of a long text that its first ``max_tokens`` tokens come from, so that only this is read."""
        text, enough = encodable(text), 32 * self._max_tokens
        if len(text) <= enough:
            return text
        beginning = re.match(rf"(?:\s*+\S){{0,{enough}}}+", text)  # its blanks stay: tokens keep their places
        return beginning[0] if beginning else ""

    def close(self) -> None:
        """Let go of the model; a second time does nothing."""
        self._session = None


def _token_vectors(rows: Matrix) -> TokenVectors:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    vectors: TokenVectors = np.rint(rows * (127 / np.maximum(lengths, 1e-9))[:, None]).astype(np.int8)
    return vectors


def _runtime() -> Any:
    """Return onnxruntime with its telemetry off: what ``hookclaw_py`` told the environment, said once more."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    if _LOADED_BEFORE:  # then it keeps looking up its maker's host, although it has nothing to tell
        log.warning(
            "hookclaw: onnxruntime was loaded before hookclaw_py, with its telemetry on; import hookclaw_py first, "
            "or set ORT_DISABLE_TELEMETRY=1"
        )
    return onnxruntime


def _open_session(model: Model) -> Any:
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # keyword search runs beside it
    options.log_severity_level = _FATAL
    content = model.read(model.manifest.model)
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except _runtime_errors() as error:
        file = model.folder / model.manifest.model
        raise ModelError(f"{file}: onnxruntime {onnxruntime.__version__} cannot load it: {error}") from error
    inputs, outputs = [i.name for i in session.get_inputs()], [o.shape[-1] for o in session.get_outputs()]
    if inputs != ["input_ids"] or outputs != [model.manifest.dimension]:
        raise ModelError(
            f"{model.folder / model.manifest.model}: needs the input input_ids and one output of dimension "
            f"{model.manifest.dimension}, has {inputs} and {outputs}"
        )
    return session


def _open_tokenizer(model: Model) -> Any:
    from tokenizers import Tokenizer

    content = model.read(model.manifest.tokenizer)
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except ValueError as error:
        raise ModelError(f"{model.folder / model.manifest.tokenizer}: not a tokenizer: {error}") from error
    tokenizer.no_padding()  # the file's own settings pad and cut every text to 128 tokens
    tokenizer.enable_truncation(model.manifest.max_tokens)
    return tokenizer


def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return every error of onnxruntime; they have no common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    found = (getattr(state, name) for name in dir(state))
    return tuple(kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception))
