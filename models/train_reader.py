"""Trains the reader with torch: the network, what a step shows of a prompt, and the loss; see ``make_minilm_l3_reader_int8.py``."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from foreign import WORDS
from network import Encoder, padded, start_from
from torch import nn
from torch.nn import functional as F

from hookclaw_py.search.cross_encoder import CLS, SEP, cut_passage, cut_prompt, token_ids
from hookclaw_py.search.ports import Excerpt

if TYPE_CHECKING:
    from make_minilm_l3_reader_int8 import Example

LAYERS = 3
STEP, PASSAGES = 16, 4  # prompts that are learned from at a time, and passages of each
HARD, BEHIND = 4, 12  # most wrong passages come from the best ones; one from those behind
RATE, HEAD_RATE, DECAY, WARM_UP = 6e-5, 4e-4, 0.01, 60
FALLING = 0.7  # share of the time in which the rate falls, in the end
STRANGE = 0.3  # share of the prompts of which one passage is another's
LOWER, MISSPELT = 0.25, 0.15  # shares of the prompts that are typed in lower case, and with errors
ALIKE = 16  # texts of nearly one length that go through the network at a time


class Network(nn.Module):
    """The first layers of MiniLM, and a head over the first token and the mean of the prompt's."""

    def __init__(self, words: int) -> None:
        super().__init__()
        self.encoder = Encoder(LAYERS, words)
        self.pooler, self.head = nn.Linear(768, 384), nn.Linear(384, 1)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return a logit for each text."""
        x = self.encoder(ids, types, mask)
        asked = (mask & (types == 0)).float()[..., None]
        mean = (x * asked).sum(1) / asked.sum(1)
        return self.head(F.gelu(self.pooler(torch.cat([x[:, 0], mean], -1)))).squeeze(-1)

    def named(self) -> dict[str, torch.Tensor]:
        """Return the weights under the names that those of all-MiniLM-L6-v2 have, and the head's."""
        heads = {"pooler": self.pooler, "head": self.head}
        own = {f"{name}.{kind}": getattr(part, kind) for name, part in heads.items() for kind in ("weight", "bias")}
        return self.encoder.named() | own


def choice(example: Example, strange: Excerpt | None, rng: random.Random) -> tuple[list[Excerpt], bool]:
    """Return the passages that one step shows for a prompt, the answer first if there is one, and whether there is.

    A ``strange`` one is found for another prompt: it has nothing to do with this one.
    """
    right = [p for p, answers in zip(example.passages, example.answers, strict=True) if answers]
    wrong = [p for p, answers in zip(example.passages, example.answers, strict=True) if not answers]
    count = PASSAGES - bool(right) - bool(strange)
    hard, behind = wrong[:HARD], wrong[HARD:BEHIND]
    shown = rng.sample(hard, min(len(hard), count - 1))
    shown += rng.sample(behind, min(len(behind), count - len(shown)))
    shown += [strange] if strange else []
    return ([rng.choice(right[:3])] if right else []) + shown, bool(right)


def as_typed(prompt: str, rng: random.Random) -> str:
    """Return a prompt as people type it: some in lower case, some with a letter lost, doubled or out of place."""
    if rng.random() < LOWER:
        prompt = prompt.lower()
    if rng.random() < MISSPELT and len(prompt) > 8:
        for _ in range(1 + len(prompt) // 40):
            at, kind = rng.randrange(1, len(prompt) - 1), rng.random()
            middle = "" if kind < 0.35 else prompt[at + 1] + prompt[at] if kind < 0.7 else prompt[at] * 2
            prompt = prompt[:at] + middle + prompt[at + (2 if 0.35 <= kind < 0.7 else 1) :]
    return prompt


def logits_of(network: Network, rows: Sequence[tuple[list[int], int]]) -> torch.Tensor:
    """Return a logit for each text, given as its tokens and how many of them are the prompt's."""
    ids, mask = padded([row for row, _ in rows])
    types = torch.tensor([[int(own <= n < len(row)) for n in range(ids.shape[1])] for row, own in rows])
    with torch.autocast("cpu", torch.bfloat16):  # twice as fast where the processor has it
        scores: torch.Tensor = network(ids, types, mask)
    return scores.float()


def loss_of(network: Network, examples: Sequence[Example], tokenizer: Any, rng: random.Random) -> torch.Tensor:
    """Return the cross entropy of the choices among each prompt's passages and none of them, whose logit is 0."""
    rows, sizes, truths = [], [], []
    for example, other in zip(examples, [*examples[1:], examples[0]], strict=True):
        passages, answered = choice(example, rng.choice(other.passages) if rng.random() < STRANGE else None, rng)
        asked = cut_prompt(token_ids(tokenizer, as_typed(example.prompt, rng)))
        rows += [([CLS, *asked, SEP, *cut_passage(tokenizer, own), SEP], len(asked) + 2) for own in passages]
        sizes.append(len(passages))
        truths.append(int(answered))
    order = sorted(range(len(rows)), key=lambda n: len(rows[n][0]))
    parts = [
        logits_of(network, [rows[n] for n in order[first : first + ALIKE]]) for first in range(0, len(order), ALIKE)
    ]
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    scores = torch.cat(parts)[back].split(sizes)
    choices = [torch.cat([own.new_zeros(1), own])[None] for own in scores]
    losses = [F.cross_entropy(own, torch.tensor([truth])) for own, truth in zip(choices, truths, strict=True)]
    return torch.stack(losses).mean()


def train(
    examples: Sequence[Example], start: dict[str, np.ndarray], tokenizer: Any, *, minutes: float, threads: int
) -> dict[str, np.ndarray]:
    """Return the weights after so many minutes, under the names they have in ``start``, and those of the head."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    rng, network = random.Random(0), Network(len(start[WORDS]))
    named = network.named()
    start_from(start, named)
    head = [*network.pooler.parameters(), *network.head.parameters()]
    body = [p for p in network.parameters() if p.requires_grad and not any(p is h for h in head)]
    optimizer = torch.optim.AdamW([{"params": body}, {"params": head}], weight_decay=DECAY)
    began, step, order, spent = time.monotonic(), 0, list(examples), 0.0
    while spent < 1:
        rng.shuffle(order)
        for first in range(0, len(order) - STEP + 1, STEP):
            spent = (time.monotonic() - began) / 60 / minutes
            if spent > 1:
                break
            factor = min(1.0, step / WARM_UP) * min(1.0, max(0.02, (1 - spent) / FALLING))
            for group, rate in zip(optimizer.param_groups, (RATE, HEAD_RATE), strict=True):
                group["lr"] = rate * factor
            loss = loss_of(network, order[first : first + STEP], tokenizer, rng)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 50 == 0:
                print(f"{spent:4.0%} of the time, {step} steps, loss {loss.item():.3f}", flush=True)
    return {name: parameter.detach().numpy() for name, parameter in named.items()}
