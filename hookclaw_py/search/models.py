"""Models on disk: a folder with a manifest that says what each file must be.

The wheel carries the project's ``models/`` as ``hookclaw_py/_models``; an editable install finds it beside the package.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from hookclaw_py.errors import ModelError
from hookclaw_py.errors.remedies import reinstall

_PACKAGE = Path(__file__).parents[1]

_Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What a model folder's ``manifest.json`` says. Unknown keys are kept for people to read."""

    model_config = ConfigDict(frozen=True, extra="allow", strict=True)

    name: str = Field(min_length=1)
    upstream: str
    licence: str
    dimension: int = Field(ge=1)
    max_tokens: int = Field(ge=3)
    pooling: Literal["mean", "none"]
    precision: str
    model: str
    weights: str = ""
    """The file beside the model that holds its weights; "" where it has them itself."""
    words_at: int | None = Field(None, ge=0)
    """The byte of ``weights`` where the rows of its words begin, int8, for a model that is told those of a text; None where it looks them up."""
    one_file: _Sha256 | None = None
    """What the model is in one file with its weights, which makes the same vectors; None where it is one."""
    tokenizer: str
    files: Mapping[str, _Sha256]

    @field_validator("files")
    @classmethod
    def _plain_names(cls, files: Mapping[str, str]) -> Mapping[str, str]:
        for name in files:
            if Path(name).name != name or "\\" in name:
                raise ValueError(f"{name!r} is not the name of a file in this folder")
        return files


@dataclass(frozen=True, slots=True)
class Model:
    """A model folder whose manifest is sound; ``checked`` and ``verify`` check the files."""

    folder: Path
    manifest: Manifest
    remedy: Callable[[], str]
    """Says what to do when a file of it is missing or altered."""

    @property
    def id(self) -> str:
        """The name and twelve hex digits that change with everything that changes a vector."""
        m = self.manifest
        parts = (m.one_file or m.files[m.model], m.files[m.tokenizer], str(m.max_tokens), m.pooling)
        return f"{m.name}@{hashlib.sha256(' '.join(parts).encode()).hexdigest()[:12]}"

    def checked(self, name: str) -> Path:
        """Return where a file of the manifest lies, once its content was found to be what the manifest describes.

        Raises:
            ModelError: if it is missing, unreadable or not that file.
        """
        file = self.folder / name
        try:
            with file.open("rb") as content:
                found, size = hashlib.file_digest(content, "sha256").hexdigest(), content.tell()
        except FileNotFoundError:
            raise ModelError(f"{file}: the model file is missing; {self.remedy()}") from None
        except OSError as error:
            raise ModelError(f"{file}: the model file cannot be read: {error.strerror}") from error
        expected = self.manifest.files[name]
        if found != expected:
            raise ModelError(
                f"{file}: the model file is truncated or altered: {size:,} bytes with sha256 {found[:12]}…, "
                f"the manifest says {expected[:12]}…; {self.remedy()}"
            )
        return file

    def network(self) -> Path:
        """Return where the model lies, once it and the weights beside it were found to be what the manifest describes.

        Raises:
            ModelError: as ``checked``.
        """
        if self.manifest.weights:
            self.checked(self.manifest.weights)
        return self.checked(self.manifest.model)

    def verify(self) -> None:
        """Check every file of the manifest.

        Raises:
            ModelError: naming the first file that is missing or altered.
        """
        for name in self.manifest.files:
            self.checked(name)


def find_model(name_or_folder: str, *, package: Path = _PACKAGE) -> Model:
    """Return the model of that name that comes with the ``package``, or the one in that folder.

    Raises:
        ModelError: if there is none, or its manifest is missing or broken.
    """
    shelves: dict[Path, Callable[[], str]] = {
        package / "_models": lambda: f"run `{reinstall()}`",
        package.parent / "models": lambda: f"restore it with `git checkout models`, or run `{reinstall()}`",
    }
    for folder in (*(shelf / name_or_folder for shelf in shelves), Path(name_or_folder).expanduser()):
        if folder.is_dir():
            remedy = shelves.get(folder.parent, lambda: "restore the folder from where it came")
            return Model(folder, _read_manifest(folder / "manifest.json", remedy), remedy)
    here = ", ".join(sorted({p.parent.name for shelf in shelves for p in shelf.glob("*/manifest.json")}))
    raise ModelError(
        f"{name_or_folder!r} is neither a folder nor a model that comes with the package "
        f"({here or f'none is here: run `{reinstall()}`'}); set embedder.model, or embedder.backend if it is a "
        "sentence-transformers or server model"
    )


def _read_manifest(file: Path, remedy: Callable[[], str]) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise ModelError(
            f"{file}: no such file; an onnx model folder needs a manifest (dimension, files, sha256, …); "
            f"{remedy()}, or use embedder.backend sentence-transformers for a folder of that library"
        ) from None
    except OSError as error:
        raise ModelError(f"{file}: the manifest cannot be read: {error.strerror}") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors())
        raise ModelError(f"{file}: the manifest is broken: {problems}; {remedy()}") from None
    for role in (manifest.model, manifest.tokenizer, manifest.weights or manifest.model):
        if role not in manifest.files:
            raise ModelError(f"{file}: the manifest is broken: files: {role} is missing; {remedy()}")
    if bool(manifest.weights) != bool(manifest.one_file):
        raise ModelError(f"{file}: the manifest is broken: weights needs one_file, and one_file weights; {remedy()}")
    if manifest.words_at is not None and not manifest.weights:
        raise ModelError(f"{file}: the manifest is broken: words_at needs weights; {remedy()}")
    return manifest
