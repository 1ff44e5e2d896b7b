"""The layers of MiniLM in torch, for what is trained of them: the embedder and the reader."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

HEADS, EPSILON = 12, 1e-12
UNSEEN = -1e4  # added to what a token attends to where there is none


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.attended = (nn.Linear(384, 384) for _ in range(4))
        self.inner, self.outer = nn.Linear(384, 1536), nn.Linear(1536, 384)
        self.norm, self.last_norm = (nn.LayerNorm(384, eps=EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return what the layer makes of ``x``, shape (texts, tokens, 384); ``mask`` is added to what each token attends to.

        Two products by hand: on a processor the gradient of torch's own attention took a third of a step.
        """
        texts, tokens, _ = x.shape
        query, key, value = (self._heads(part(x)) for part in (self.query, self.key, self.value))
        attention = torch.bmm(query * (384 / HEADS) ** -0.5, key.transpose(1, 2)).view(texts, HEADS, tokens, tokens)
        shares = (attention + mask).softmax(-1, dtype=torch.float32).to(value.dtype)
        mixed = torch.bmm(shares.view(-1, tokens, tokens), value).view(texts, HEADS, tokens, -1)
        x = self.norm(x + self.dropout(self.attended(mixed.transpose(1, 2).reshape(x.shape))))
        return self.last_norm(x + self.dropout(self.outer(F.gelu(self.inner(x)))))

    @staticmethod
    def _heads(x: torch.Tensor) -> torch.Tensor:
        """Return ``x`` of each head by itself, shape (texts · heads, tokens, 32)."""
        return x.view(*x.shape[:2], HEADS, -1).transpose(1, 2).reshape(-1, x.shape[1], 384 // HEADS)


class Encoder(nn.Module):
    """The first layers of MiniLM over its embeddings of words, which stay as they are."""

    def __init__(self, layers: int, words: int) -> None:
        super().__init__()
        self.words, self.places, self.types = nn.Embedding(words, 384), nn.Embedding(512, 384), nn.Embedding(2, 384)
        self.norm, self.dropout = nn.LayerNorm(384, eps=EPSILON), nn.Dropout(0.1)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.words.weight.requires_grad_(False)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the last hidden state, shape (texts, tokens, 384); ``mask`` says where there are tokens."""
        x = self.words(ids) + self.types(types) + self.places.weight[: ids.shape[1]]
        x = self.dropout(self.norm(x))
        hidden = torch.zeros(mask.shape, dtype=torch.bfloat16).masked_fill(~mask, UNSEEN)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, hidden)
        return x

    def named(self) -> dict[str, torch.Tensor]:
        """Return the weights under the names that those of all-MiniLM-L6-v2 have."""
        found = {
            "embeddings.word_embeddings.weight": self.words.weight,
            "embeddings.position_embeddings.weight": self.places.weight,
            "embeddings.token_type_embeddings.weight": self.types.weight,
            "embeddings.LayerNorm.weight": self.norm.weight,
            "embeddings.LayerNorm.bias": self.norm.bias,
        }
        for n, layer in enumerate(self.layers):
            parts = {
                "attention.self.query": layer.query,
                "attention.self.key": layer.key,
                "attention.self.value": layer.value,
                "attention.output.dense": layer.attended,
                "attention.output.LayerNorm": layer.norm,
                "intermediate.dense": layer.inner,
                "output.dense": layer.outer,
                "output.LayerNorm": layer.last_norm,
            }
            for part, module in parts.items():
                found |= {f"encoder.layer.{n}.{part}.{kind}": getattr(module, kind) for kind in ("weight", "bias")}
        return found


def padded(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids by row and where there are some."""
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    return ids, torch.tensor([[n < len(row) for n in range(longest)] for row in rows])


def start_from(weights: Mapping[str, np.ndarray], named: Mapping[str, torch.Tensor]) -> None:
    """Copy the weights that there are."""
    with torch.no_grad():
        for name in named.keys() & weights.keys():
            named[name].copy_(torch.from_numpy(weights[name].copy()))
