"""The second embedder: any sentence-transformers model, by id or folder; needs the extra of that name."""

from __future__ import annotations

import hashlib
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hookclaw_py.errors import EmbeddingError, IndexClosedError, ModelError
from hookclaw_py.errors.remedies import install_extra
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.embedders import encodable, unit

if TYPE_CHECKING:
    from hookclaw_py.trace import Deadline


class SentenceTransformersEmbedder:
    """Embeds one text at a time; callers in several threads take turns, since the library's tokenizers are not safe."""

    def __init__(self, model: str) -> None:
        """Load ``model``: a folder, or an id; only one that is not on this machine yet is asked of the network.

        Raises:
            ModelError: if the library is not installed or cannot load the model.
        """
        self._model: Any = _load(model)
        name = Path(model).expanduser().resolve().name if _is_folder(model) else model
        self.model_id = f"sentence-transformers:{name}@{_weights_hash(self._model)}"
        self._lock = threading.Lock()
        self._deadline: Deadline | None = None
        for module in self._model.modules():
            module.register_forward_pre_hook(self._stop_when_cancelled)
        self.dimension = len(self.embed("dimension"))

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        """Return the text's unit vector; see ``Embedder``."""
        source = f"embedder {self.model_id}"
        if not self._lock.acquire(timeout=-1 if deadline is None else deadline.remaining()):
            raise EmbeddingError(f"{source}: busy with another text until the deadline")
        try:
            model, self._deadline = self._model, deadline
            if model is None:
                raise IndexClosedError(f"{source} was used after close()")
            self._stop_when_cancelled()
            vector = model.encode([encodable(text)], show_progress_bar=False, convert_to_numpy=True)[0]
        except (RuntimeError, ValueError, IndexError) as error:  # what torch and the tokenizers raise
            raise EmbeddingError(f"{source}: {error}") from error
        finally:
            self._lock.release()
        return unit(vector, source)

    def close(self) -> None:
        """Let go of the model; a second time does nothing."""
        self._model = None

    def _stop_when_cancelled(self, *_: object) -> None:
        """Run before every layer: torch cannot be interrupted from outside."""
        if self._deadline is not None and self._deadline.remaining() == 0:
            raise EmbeddingError(f"embedder {self.model_id}: stopped at the deadline")


def _is_folder(model: str) -> bool:
    return Path(model).expanduser().is_dir()


def _load(model: str) -> Any:
    try:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise ModelError(
            f"the sentence-transformers embedder cannot be imported ({error}); "
            f"run `{install_extra('sentence-transformers')}`"
        ) from error
    # What a folder with damaged, missing or foreign files makes the library raise.
    broken = (OSError, ValueError, RuntimeError, LookupError, TypeError, AttributeError, ImportError, SafetensorError)
    try:
        if _is_folder(model):
            return SentenceTransformer(str(Path(model).expanduser()), local_files_only=True)
        with suppress(*broken):  # else it asks the hub about each file at each start, and offline that takes minutes
            return SentenceTransformer(model, local_files_only=True)
        return SentenceTransformer(model)
    except broken as error:
        raise ModelError(
            f"sentence-transformers cannot load {model!r}: {' '.join(str(error).split())}; embedder.model must be a "
            "folder of that library or a model id that it has downloaded or can download"
        ) from error


def _weights_hash(model: Any) -> str:
    """Return twelve hex digits of the weights as loaded, whatever file or revision they came from."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().float().cpu().contiguous().numpy())
    return digest.hexdigest()[:12]
