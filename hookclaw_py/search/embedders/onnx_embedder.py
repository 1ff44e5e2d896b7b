"""The default embedder: a model of ``models/`` on onnxruntime, no torch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from hookclaw_py.errors import EmbeddingError
from hookclaw_py.model.vectors import TOKEN_DIMENSION, Matrix, TokenVectors, Vector
from hookclaw_py.search.embedders import encodable, unit
from hookclaw_py.search.onnx_runtime import Network, open_network, open_tokenizer, run
from hookclaw_py.search.ports import Encoded

if TYPE_CHECKING:
    from hookclaw_py.search.models import Model
    from hookclaw_py.trace import Deadline


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
        self._network: Network | None = open_network(model, ["input_ids"])
        self._tokenizer = open_tokenizer(model)

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
        encoding = self._tokenizer.encode(self._beginning(text))
        fed, whose = {"input_ids": encoding.ids}, f"embedder {self.model_id}"
        return run(self._network, fed, whose=whose, deadline=deadline, failure=EmbeddingError), encoding

    def _beginning(self, text: str) -> str:
        """Return the part of a long text that its first ``max_tokens`` tokens come from, so that only this is read."""
        text, enough = encodable(text), 32 * self._max_tokens
        if len(text) <= enough:
            return text
        beginning = re.match(rf"(?:\s*+\S){{0,{enough}}}+", text)  # its blanks stay: tokens keep their places
        return beginning[0] if beginning else ""

    def close(self) -> None:
        """Let go of the model; a second time does nothing."""
        self._network = None


def _token_vectors(rows: Matrix) -> TokenVectors:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    vectors: TokenVectors = np.rint(rows * (127 / np.maximum(lengths, 1e-9))[:, None]).astype(np.int8)
    return vectors
