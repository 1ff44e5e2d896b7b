"""Trains the embedder with torch: what a step shows, and the loss; see ``make_minilm_l6_notes_int8.py``."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from foreign import WORDS
from network import Encoder, padded, start_from
from torch import nn
from torch.nn import functional as F
from train_reader import as_typed

from hookclaw_py.model.vectors import TOKEN_DIMENSION
from hookclaw_py.search.late_interaction import is_mark, token_terms, token_weights

if TYPE_CHECKING:
    from make_minilm_l6_notes_int8 import Example

LAYERS, SEP = 6, 102
PROMPT, PASSAGE = 64, 160  # tokens that are read, with those that frame them
STEP, HARD, AMONG = (
    32,
    2,
    10,
)  # prompts of one collection that are learned from at a time; wrong passages of each, of so many of the best
RATE, DECAY, WARM_UP = 6e-5, 0.01, 40
FALLING = 0.8  # share of the time in which the rate falls, in the end
STATES = 3  # so many, spread over the time, have their mean taken: alone the last knows its own collections best, and others less well
ALIKE = 16  # texts of nearly one length that go through the network at a time
SHARP, SHARP_LATE, SHARP_BOTH = 0.05, 0.03, 0.025
"""What cosines are divided by before the choice among the passages: of texts, of tokens, and of both."""
LATE, BOTH, OF_TEXTS = (
    0.8,
    0.6,
    0.4,
)  # what the second and third loss count, and the share of the texts' cosine in the third


class Read(NamedTuple):
    """A text as the network takes it: its tokens, and what each of them counts in a comparison by tokens."""

    ids: list[int]
    counts: list[float]


def read(tokenizer: Any, text: str, most: int, idf: Mapping[str, float] | None = None) -> Read:
    """Return the first tokens of a text. Of a prompt, which comes with an ``idf``, words count by it, of a passage all but punctuation."""
    encoding = tokenizer.encode(text)
    ids, spans = encoding.ids[:most], encoding.offsets[:most]
    if len(encoding.ids) > most:
        ids[-1] = SEP
    own = [not special for special in encoding.special_tokens_mask[: most - 1]]
    if idf is None:
        counts = [
            float(there and not is_mark(text[start:end])) for there, (start, end) in zip(own, spans, strict=False)
        ]
    else:
        weights = iter(
            token_weights(token_terms(text, [s for s, there in zip(spans, own, strict=False) if there]), idf)
        )
        counts = [next(weights) if there else 0.0 for there in own]
    return Read(ids, counts + [0.0] * (len(ids) - len(counts)))


def encoded(network: Encoder, texts: Sequence[Read]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the unit vectors of texts, shape (texts, 384), of their tokens, (texts, tokens, ``TOKEN_DIMENSION``), and what those count."""
    order = sorted(range(len(texts)), key=lambda n: len(texts[n].ids))
    longest, vectors, tokens = len(texts[order[-1]].ids), list[torch.Tensor](), list[torch.Tensor]()
    for first in range(0, len(order), ALIKE):
        ids, mask = padded([texts[n].ids for n in order[first : first + ALIKE]])
        with torch.autocast("cpu", torch.bfloat16):  # twice as fast where the processor has it
            hidden = network(ids, torch.zeros_like(ids), mask)
        hidden = hidden.float()
        vectors.append(F.normalize((hidden * mask[..., None]).sum(1), dim=-1))
        each = F.normalize(hidden[..., :TOKEN_DIMENSION], dim=-1)
        tokens.append(F.pad(each, (0, 0, 0, longest - each.shape[1])))
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    counts = torch.tensor([text.counts + [0.0] * (longest - len(text.counts)) for text in texts])
    return torch.cat(vectors)[back], torch.cat(tokens)[back], counts


def late(asked: torch.Tensor, weights: torch.Tensor, passages: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return the weighted mean of each prompt token's best match in each passage, shape (prompts, passages)."""
    cosines = torch.einsum("qid,pjd->qpij", asked, passages)
    best = cosines.masked_fill(~counts.bool()[None, :, None, :], -1.0).amax(-1)
    shares = weights / weights.sum(1, keepdim=True).clamp(min=1e-6)
    return torch.einsum("qpi,qi->qp", best, shares)


def loss_of(network: Encoder, examples: Sequence[Example], tokenizer: Any, rng: random.Random) -> torch.Tensor:
    """Return the cross entropy of finding each prompt's passage among those of all: by text, by tokens, and by both.

    What answers another prompt of the step is wrong for this one, unless it answers this one as well or did before.
    """
    right = [rng.choice(example.answers) for example in examples]
    wrong = [rng.sample(example.others[:AMONG], min(HARD, len(example.others))) for example in examples]
    passages = list(dict.fromkeys([*right, *(passage for own in wrong for passage in own)]))
    place = {passage: n for n, passage in enumerate(passages)}
    asked = [read(tokenizer, as_typed(example.prompt, rng), PROMPT, example.idf) for example in examples]
    vectors, tokens, counts = encoded(network, [*asked, *(read(tokenizer, text, PASSAGE) for text in passages)])
    size = len(asked)
    by_text = vectors[:size] @ vectors[size:].T
    by_tokens = late(tokens[:size, :PROMPT], counts[:size, :PROMPT], tokens[size:], counts[size:])
    also = torch.zeros_like(by_text, dtype=torch.bool)
    for n, example in enumerate(examples):
        for passage in example.right_once - {right[n]}:
            if passage in place:
                also[n, place[passage]] = True
    truth = torch.tensor([place[passage] for passage in right])

    def choice(cosines: torch.Tensor, sharp: float) -> torch.Tensor:
        return F.cross_entropy((cosines / sharp).masked_fill(also, -1e4), truth)

    both = OF_TEXTS * by_text + (1 - OF_TEXTS) * by_tokens
    return choice(by_text, SHARP) + LATE * choice(by_tokens, SHARP_LATE) + BOTH * choice(both, SHARP_BOTH)


def train(
    collections: Sequence[Sequence[Example]],
    start: dict[str, np.ndarray],
    tokenizer: Any,
    *,
    minutes: float,
    threads: int,
) -> dict[str, np.ndarray]:
    """Return the mean of what the weights are in the course of so many minutes, under the names they have in ``start``."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    rng, network = random.Random(0), Encoder(LAYERS, len(start[WORDS]))
    start_from(start, network.named())
    learned = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, weight_decay=DECAY)
    began, step, spent = time.monotonic(), 0, 0.0
    left, states = [list[Any]() for _ in collections], list[dict[str, np.ndarray]]()
    while spent < 1:
        (n,) = rng.choices(range(len(collections)), weights=[len(own) for own in collections])
        if len(left[n]) < STEP:
            left[n] = rng.sample(collections[n], len(collections[n]))
        examples, left[n] = left[n][:STEP], left[n][STEP:]
        spent = (time.monotonic() - began) / 60 / minutes
        factor = min(1.0, step / WARM_UP) * min(1.0, max(0.02, (1 - spent) / FALLING))
        for group in optimizer.param_groups:
            group["lr"] = RATE * factor
        loss = loss_of(network, examples, tokenizer, rng)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        step += 1
        if spent * STATES >= len(states) + 1:
            states.append({name: weight.detach().numpy().copy() for name, weight in network.named().items()})
        if step % 50 == 0:
            print(f"{spent:4.0%} of the time, {step} steps, loss {loss.item():.3f}", flush=True)
    return {name: sum(state[name] for state in states) / len(states) for name in states[0]}
