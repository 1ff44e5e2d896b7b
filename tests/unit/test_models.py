"""A model folder is used only when every file is what its manifest says."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hookclaw_py.errors import ModelError
from hookclaw_py.search.models import find_model

SHIPPED = "minilm-l6-notes-int8"
FILES = {"model.onnx": b"weights" * 100, "tokenizer.json": b"{}", "check.jsonl": b""}


def manifest(**changes: Any) -> dict[str, Any]:
    return {
        "name": "tiny",
        "upstream": "someone/tiny",
        "licence": "MIT",
        "dimension": 8,
        "max_tokens": 16,
        "pooling": "mean",
        "precision": "fp32",
        "model": "model.onnx",
        "tokenizer": "tokenizer.json",
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()},
    } | changes


def write(folder: Path, **changes: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "manifest.json").write_text(json.dumps(manifest(**changes)))
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny")


def test_the_shipped_model_is_sound_and_says_where_it_comes_from():
    model = find_model(SHIPPED)
    model.verify()
    says = json.loads((model.folder / "manifest.json").read_text())
    assert (says["upstream"], says["licence"]) == ("sentence-transformers/all-MiniLM-L6-v2", "Apache-2.0")
    assert says["source_sha256"].startswith("53aa51172d142c89")
    assert says["source_sha256"].endswith("8d9db")
    assert (model.folder.parent / says["made_by"]).is_file()
    assert says["cosine_to_fp32"]["min"] >= 0.99
    assert (model.manifest.dimension, model.manifest.max_tokens) == (384, 256)


def test_the_shipped_model_comes_with_its_licence_and_a_notice_of_the_changes():
    folder = find_model(SHIPPED).folder
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert "quantised" in (folder / "NOTICE").read_text()


def test_the_shipped_model_is_small():
    assert sum(file.stat().st_size for file in find_model(SHIPPED).folder.iterdir()) < 40_000_000


def test_a_folder_can_be_named_instead_of_a_shipped_model(tiny: Path):
    model = find_model(str(tiny))
    assert model.checked("model.onnx").read_bytes() == FILES["model.onnx"]
    assert model.id.startswith("tiny@")


def test_an_installed_wheel_carries_the_models_inside_the_package(tmp_path: Path):
    package = tmp_path / "site-packages" / "hookclaw_py"
    folder = write(package / "_models" / "tiny")
    model = find_model("tiny", package=package)
    assert model.folder == folder
    (folder / "model.onnx").unlink()
    with pytest.raises(ModelError, match=r"model\.onnx.*missing.*pip install --force-reinstall [^`]+"):
        model.verify()
    shutil.rmtree(package)
    with pytest.raises(ModelError, match=r"none is here.*pip install --force-reinstall [^`]+"):
        find_model("tiny", package=package)


def test_a_damaged_model_of_a_checkout_says_how_to_restore_it(tmp_path: Path):
    folder = write(tmp_path / "models" / "tiny")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json.*git checkout models"):
        find_model("tiny", package=tmp_path / "hookclaw_py").verify()


def test_an_unknown_name_is_an_error_that_lists_what_there_is():
    with pytest.raises(ModelError, match=r"'all-minilm' is neither.*minilm-l6-notes-int8.*embedder\.model"):
        find_model("all-minilm")


@pytest.mark.parametrize("file", sorted(FILES))
def test_a_missing_file_is_named(tiny: Path, file: str):
    (tiny / file).unlink()
    with pytest.raises(ModelError, match=f"{file}.*missing.*restore"):
        find_model(str(tiny)).verify()


@pytest.mark.parametrize("kept", [0, 1, 350, 699])
def test_a_truncated_file_is_named(tiny: Path, kept: int):
    (tiny / "model.onnx").write_bytes(FILES["model.onnx"][:kept])
    with pytest.raises(ModelError, match=rf"model\.onnx.*truncated or altered: {kept} bytes.*restore"):
        find_model(str(tiny)).verify()


def test_one_altered_bit_is_noticed(tiny: Path):
    altered = bytearray(FILES["model.onnx"])
    altered[350] ^= 1
    (tiny / "model.onnx").write_bytes(altered)
    with pytest.raises(ModelError, match="truncated or altered"):
        find_model(str(tiny)).checked("model.onnx")


def test_a_file_that_is_a_folder_is_an_error_that_says_so(tiny: Path):
    (tiny / "model.onnx").unlink()
    (tiny / "model.onnx").mkdir()
    with pytest.raises(ModelError, match=r"model\.onnx.*cannot be read: Is a directory"):
        find_model(str(tiny)).verify()


def test_a_folder_without_manifest_is_an_error_that_names_the_other_backend(tiny: Path):
    (tiny / "manifest.json").unlink()
    with pytest.raises(ModelError, match=r"manifest\.json: no such file.*sentence-transformers"):
        find_model(str(tiny))


def test_a_manifest_that_is_a_folder_is_an_error_that_says_so(tiny: Path):
    (tiny / "manifest.json").unlink()
    (tiny / "manifest.json").mkdir()
    with pytest.raises(ModelError, match=r"manifest\.json: the manifest cannot be read: Is a directory"):
        find_model(str(tiny))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"dimension": 0}, "dimension"),
        ({"dimension": "8"}, "dimension"),
        ({"pooling": "cls"}, "pooling"),
        ({"max_tokens": None}, "max_tokens"),
        ({"files": {"model.onnx": "abc"}}, r"files\.model\.onnx"),
        ({"files": {"../model.onnx": "0" * 64}}, "not the name of a file"),
        ({"files": {"..\\model.onnx": "0" * 64}}, "not the name of a file"),
        ({"files": {}}, r"files: model\.onnx is missing"),
        ({"tokenizer": "vocab.txt"}, r"files: vocab\.txt is missing"),
        ({"weights": "model.weights", "one_file": "0" * 64}, r"files: model\.weights is missing"),
        ({"weights": "check.jsonl"}, "weights needs one_file"),
        ({"one_file": "0" * 64}, "one_file weights"),
        ({"words_at": 0}, "words_at needs weights"),
        ({"words_at": -1}, "words_at"),
    ],
)
def test_a_broken_manifest_names_the_field(tmp_path: Path, changes: dict[str, Any], problem: str):
    with pytest.raises(ModelError, match=f"manifest is broken: .*{problem}"):
        find_model(str(write(tmp_path / "tiny", **changes)))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_a_manifest_that_is_not_an_object_is_an_error(tiny: Path, content: bytes):
    (tiny / "manifest.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"manifest\.json: the manifest is broken"):
        find_model(str(tiny))


def test_weights_beside_a_model_are_checked_and_its_id_is_that_of_the_model_in_one_file(tmp_path: Path):
    whole = find_model(str(write(tmp_path / "tiny")))
    one_file = whole.manifest.files["model.onnx"]
    files = {**whole.manifest.files, "model.onnx": hashlib.sha256(b"graph").hexdigest()}
    apart = write(tmp_path / "apart" / "tiny", weights="check.jsonl", one_file=one_file, files=files)
    (apart / "model.onnx").write_bytes(b"graph")
    assert find_model(str(apart)).network() == apart / "model.onnx"
    assert find_model(str(apart)).id == whole.id
    (apart / "check.jsonl").write_bytes(b"of another model")
    with pytest.raises(ModelError, match=r"check\.jsonl.*truncated or altered.*restore"):
        find_model(str(apart)).network()


def test_the_id_changes_with_whatever_changes_a_vector_and_with_nothing_else(tmp_path: Path):
    def id_of(**changes: Any) -> str:
        return find_model(str(write(tmp_path / "tiny", **changes))).id

    files = manifest()["files"]
    same = id_of()
    assert id_of(licence="Apache-2.0") == id_of(files=files | {"check.jsonl": "0" * 64}) == same
    others = {
        id_of(name="other"),
        id_of(max_tokens=17),
        id_of(files=files | {"model.onnx": "0" * 64}),
        id_of(files=files | {"tokenizer.json": "0" * 64}),
    }
    assert len(others) == 4
    assert same not in others
