"""What our models run on: onnxruntime on one thread, and the tokenizers of their upstream."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hookclaw_py import _LOADED_BEFORE
from hookclaw_py.errors import IndexClosedError, ModelError, RetrievalError
from hookclaw_py.search.shared import Shared

if TYPE_CHECKING:
    from pathlib import Path

    from hookclaw_py.search.models import Model
    from hookclaw_py.search.words import Words
    from hookclaw_py.trace import Deadline

log = logging.getLogger("hookclaw")

_WORDS = "words"  # the input of a model that is told the rows of a text's words
_FATAL = 4  # onnxruntime's severity above error: what goes wrong reaches us as an exception, not on stderr


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


class Network(NamedTuple):
    """A model as onnxruntime runs it, and the table of its words, where it is told their rows; None where it looks them up itself."""

    session: Any
    words: Words | None


def open_network(model: Model, inputs: Sequence[str]) -> Network:
    """Open a model of ``inputs`` and one output of its manifest's dimension, on one thread.

    Raises:
        ModelError: if a file is missing, altered, or onnxruntime cannot load it.
    """
    onnxruntime = _runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # keyword search runs beside it
    options.enable_cpu_mem_arena = False  # it keeps what the longest text ever took, 13 MB, and saves no time
    options.log_severity_level = _FATAL
    file = model.network()
    try:  # read by its path: what is handed over as bytes stays in memory a second time
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except runtime_errors() as error:
        raise ModelError(f"{file}: onnxruntime {onnxruntime.__version__} cannot load it: {error}") from error
    wanted = [*inputs, *([_WORDS] if model.manifest.words_at is not None else [])]
    found, outputs = [i.name for i in session.get_inputs()], [o.shape[-1] for o in session.get_outputs()]
    if found != wanted or outputs != [model.manifest.dimension]:
        raise ModelError(
            f"{file}: needs the input {' and '.join(wanted)} and one output of dimension "
            f"{model.manifest.dimension}, has {found} and {outputs}"
        )
    return Network(session, _words(model, session.get_inputs()[-1].shape[-1]))


def _words(model: Model, width: int) -> Words | None:
    """Return the table of a model's words, ``width`` values a row; None where the model has it.

    Raises:
        ModelError: if its file cannot be opened.
    """
    if model.manifest.words_at is None:
        return None
    from hookclaw_py.search.words import Words

    file = model.folder / model.manifest.weights
    try:
        return Words(file, model.manifest.words_at, width)
    except OSError as error:
        raise ModelError(f"{file}: the model file cannot be read: {error.strerror}") from error


_tokenizers: Shared[tuple[str, int], Any] = Shared()


def close() -> None:
    """Let go of the tokenizers, which models share that have the same file."""
    _tokenizers.close()


def open_tokenizer(model: Model) -> Any:
    """Open a model's tokenizer, which pads nothing and cuts at ``max_tokens``: one for all models with the same file.

    Raises:
        ModelError: if the file is missing, altered or no tokenizer.
    """
    manifest, file = model.manifest, model.checked(model.manifest.tokenizer)
    return _tokenizers.get((manifest.files[manifest.tokenizer], manifest.max_tokens), lambda: _tokenizer(file, model))


def _tokenizer(file: Path, model: Model) -> Any:
    from hookclaw_py.search.wordpiece import open_tokenizer as tokenizer_of

    try:
        return tokenizer_of(file.read_bytes(), model.manifest.max_tokens)
    except ValueError as error:
        raise ModelError(f"{file}: not a tokenizer: {error}") from error


def run(
    network: Network | None,
    inputs: Mapping[str, Sequence[int]],
    *,
    whose: str,
    deadline: Deadline | None,
    failure: type[RetrievalError],
) -> Any:
    """Return the output of ``whose`` model for one text; it is stopped at the deadline. ``network`` is None once closed.

    Raises:
        IndexClosedError: if it was closed.
        RetrievalError: a ``failure``, if there is no time or onnxruntime fails.
    """
    import numpy as np
    import onnxruntime

    if network is None:
        raise IndexClosedError(f"{whose} was used after close()")
    options = onnxruntime.RunOptions()
    if deadline is not None:
        if deadline.remaining() == 0:
            raise failure(f"{whose}: no time left before the deadline")
        deadline.on_cancel(lambda: setattr(options, "terminate", True))
    fed: dict[str, Any] = {name: np.array([ids], np.int64) for name, ids in inputs.items()}
    try:
        if network.words is not None:
            fed[_WORDS] = network.words.of(inputs["input_ids"])
        (output,) = network.session.run(None, fed, options)
    except RetrievalError as error:
        raise failure(f"{whose}: {error}") from error
    except runtime_errors() as error:
        if options.terminate:
            raise failure(f"{whose}: stopped at the deadline") from None
        raise failure(f"{whose}: onnxruntime failed: {error}") from error
    return output[0]


def runtime_errors() -> tuple[type[Exception], ...]:
    """Return every error of onnxruntime; they have no common base."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    found = (getattr(state, name) for name in dir(state))
    return tuple(kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception))
