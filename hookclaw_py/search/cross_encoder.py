"""A cross-encoder: reads a prompt and a passage together, and says whether the passage answers.

Source: Nogueira & Cho, "Excerpt Re-ranking with BERT", 2019; ours is three layers of MiniLM, trained by
``models/make_minilm_l3_reader_int8.py``. It sees at most ``PROMPT`` tokens of a prompt, from both its ends, and ``PASSAGE`` of
a passage: its line that matches the prompt best, a row of a table with the names of its columns, behind the beginning of its first line, which says where it stands. Who notes in
lists writes of other things in the next line: beside the whole of a passage one line was read the better on each of eleven folders. Only
a card of fields is read as a whole, too, and of a conversation what was said together with its answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hookclaw_py.errors import RetrievalError
from hookclaw_py.model.vectors import Vector
from hookclaw_py.regex import regex
from hookclaw_py.search.embedders import encodable
from hookclaw_py.search.onnx_runtime import Network, open_network, open_tokenizer, run
from hookclaw_py.search.ports import Excerpt
from hookclaw_py.speech.columns import TableRow, rows
from hookclaw_py.speech.news import LINES

if TYPE_CHECKING:
    from hookclaw_py.search.models import Model
    from hookclaw_py.trace import Deadline

PROMPT, PASSAGE, FIRST_LINE, WHOLE = 28, 72, 14, 254  # tokens
CLS, SEP = 101, 102  # what a text begins with, and what stands behind each part
_ONE_FIELD = r"[ \t]*[*_]{0,2}[^\W\d_][^:：,;.\n]{0,30}[:：][*_]{0,2}[ \t]*\S(?:[^\n]{0,58}[^\s.!?。！？])?[ \t]*$"
_FIELD = regex(_ONE_FIELD, re.MULTILINE)
_CARD = regex(rf"^{_ONE_FIELD}\n+{_ONE_FIELD}", re.MULTILINE)
"""Fields that stand together: "Phone: 010 555 0142" says whose it is in another one, "Contact: Femke de Wit". What ends as a sentence is none."""
Together = Callable[[str, int, int], bool]
"""Says of a text whether the line that begins at one place and the next, at another, stand together."""
_PERSON = regex(r"(?:User|Quoted): ")
"""What a turn begins with."""
_TURNS = regex(r"^Assistant: ", re.MULTILINE)
EARLIER = 1e-4  # of two equally good places the earlier


class UnavailableReader:
    """Stands for a reader that could not be loaded: every recall then says why, and goes on without."""

    def __init__(self, problem: str) -> None:
        self.problem = problem

    def read(self, prompt: str, passages: Sequence[Excerpt], deadline: Deadline | None = None) -> list[float]:  # noqa: ARG002
        """Say what is wrong."""
        raise RetrievalError(self.problem)

    def close(self) -> None:
        """Do nothing."""


class CrossEncoder:
    """Reads one passage at a time on one thread; any number of threads may call it."""

    def __init__(self, model: Model) -> None:
        """Load ``model``.

        Raises:
            ModelError: if a file is missing, altered, or cannot be used by the libraries here.
        """
        self.model_id = model.id
        self._network: Network | None = open_network(model, ["input_ids", "token_type_ids"])
        self._tokenizer = open_tokenizer(model)

    def read(self, prompt: str, passages: Sequence[Excerpt], deadline: Deadline | None = None) -> list[float]:
        """Return for each passage the logit of the chance that it answers; see ``Reader``."""
        asked = cut_prompt(token_ids(self._tokenizer, prompt))
        return [
            max(self._logit(asked, cut, deadline) for cut in cuts_of(self._tokenizer, passage)) for passage in passages
        ]

    def _logit(self, asked: list[int], passage: list[int], deadline: Deadline | None) -> float:
        fed = {
            "input_ids": [CLS, *asked, SEP, *passage, SEP],
            "token_type_ids": [0] * (len(asked) + 2) + [1] * (len(passage) + 1),
        }
        whose = f"reader {self.model_id}"
        return float(run(self._network, fed, whose=whose, deadline=deadline, failure=RetrievalError))

    def close(self) -> None:
        """Let go of the model; a second time does nothing."""
        self._network = None


def open_reader(name_or_folder: str) -> CrossEncoder:
    """Load the reader of that name or in that folder.

    Raises:
        ModelError: if there is none, or it cannot be used.
    """
    from hookclaw_py.search.models import find_model

    return CrossEncoder(find_model(name_or_folder))


def token_ids(tokenizer: Any, text: str) -> list[int]:
    """Return a text's tokens without those that frame it."""
    ids: list[int] = tokenizer.encode(encodable(text), add_special_tokens=False).ids
    return ids


def cut_prompt(ids: list[int]) -> list[int]:
    """Return the two ends of a long prompt."""
    return ids if len(ids) <= PROMPT else ids[: PROMPT // 2] + ids[-PROMPT // 2 :]


def cuts_of(tokenizer: Any, passage: Excerpt) -> list[list[int]]:
    """Return what is read of a passage, of which the better counts: its best line, and with its fields or its turn as one line, if they stand together."""
    whole = [together for mark, together in _TOGETHER if mark.search(passage.text)]
    cuts = (cut_passage(tokenizer, passage, together=together) for together in (None, *whole))
    return [list(cut) for cut in dict.fromkeys(map(tuple, cuts))]


def _are_fields(text: str, before: int, at: int) -> bool:
    return _FIELD.match(text, before) is not None and _FIELD.match(text, at) is not None


def _is_one_turn(text: str, before: int, at: int) -> bool:  # noqa: ARG001
    return _PERSON.match(text, at) is None


_TOGETHER: Sequence[tuple[re.Pattern[str], Together]] = ((_CARD, _are_fields), (_TURNS, _is_one_turn))
"""What says that a passage has lines that stand together, and which do."""


def cut_passage(tokenizer: Any, passage: Excerpt, *, together: Together | None = None) -> list[int]:
    """Return the tokens of a passage that are read: its first line's and those of the line that matches best; without matches, its beginning.

    Lines that are ``together`` are one.
    """
    found = tokenizer.encode(encodable(passage.text), add_special_tokens=False)
    ids: list[int] = found.ids[:WHOLE]
    matches = passage.matches[: len(ids)]
    if not np.any(matches):
        return ids[:PASSAGE]
    line, _, more = passage.text.partition("\n")
    head = token_ids(tokenizer, line)[:FIRST_LINE] if more else []
    after = len(line) + 1 if more else 0
    table = [] if together else list(rows(passage.text))
    own = best_line(passage.text, found.offsets[: len(matches)], matches, after=after, together=together, table=table)
    begin = found.offsets[own.start][0] if own else -1
    told = next((token_ids(tokenizer, row.told) for row in table if row.start <= begin < row.end), [])
    if 0 < len(told) <= PASSAGE - len(head):
        return head + told
    start = own.start + best_window(matches[own.start : own.stop], PASSAGE - len(head))
    return head + ids[start : min(own.stop, start + PASSAGE - len(head))]


def best_line(
    text: str,
    spans: Sequence[tuple[int, int]],
    matches: Sequence[float] | Vector,
    *,
    after: int,
    together: Together | None,
    table: Sequence[TableRow] = (),
) -> range:
    """Return the tokens of the line of ``text`` behind the character ``after`` that match best together, the first of equals.

    ``spans`` are the characters of each token. A long line is parted where a sentence ends; lines that are ``together`` are one.
    A row of a ``table`` is a line; where the names of its columns match best it is the best of its rows.
    """
    lines = [after, *(match.end() for match in LINES.finditer(text, after))]
    if together:
        lines = [after, *(at for before, at in pairwise(lines) if not together(text, before, at))]
    begins = [begin for begin in lines if not any(row.start < begin < row.end for row in table)] + [len(text) + 1]
    first = np.searchsorted([start for start, _ in spans], begins)
    sums = np.concatenate([[0.0], np.cumsum(matches)])
    scores = sums[first[1:]] - sums[first[:-1]]
    best = int(np.argmax(scores))
    if below := _rows_below(begins[best], table):  # the names of columns match: one of these rows is asked for
        best = max((n for n, begin in enumerate(begins[:-1]) if begin in below), key=lambda n: (scores[n], -n))
    return range(int(first[best]), int(first[best + 1]))


def _rows_below(begin: int, table: Sequence[TableRow]) -> set[int]:
    """Return where the rows begin that stand below the names of columns which begin there; nothing of another line."""
    is_names = any(row.start == begin and not row.told for row in table)
    return {row.start for row in table if is_names and row.told and row.start > begin}


def best_window(matches: Sequence[float] | Vector, size: int) -> int:
    """Return where the ``size`` neighbours begin that match best together, the first of equals."""
    if len(matches) <= size:
        return 0
    sums = np.concatenate([[0.0], np.cumsum(matches)])
    scores = sums[size:] - sums[:-size]
    return int(np.argmax(scores - EARLIER * np.arange(len(scores))))
