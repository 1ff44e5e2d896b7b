"""What is ours is for its owner alone, and a file that is replaced is the old one or the new one."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

import pytest

from hookclaw_py.privacy.files import mend, replace_text

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


def mode(path: Path) -> int:
    return path.lstat().st_mode & 0o777


def test_what_others_may_do_with_our_files_and_folders_is_taken_away_and_told(tmp_path: Path):
    modes = {"open.json": 0o644, "script": 0o755, "for-the-group": 0o610, ".hidden": 0o604, "closed": 0o600}
    for name, given in modes.items():
        (tmp_path / name).touch()
        (tmp_path / name).chmod(given)
    (tmp_path / "folder").mkdir(mode=0o777)
    (tmp_path / "folder").chmod(0o775)
    mended = mend(tmp_path)
    assert {path.name for path in mended} == {"open.json", "script", "for-the-group", ".hidden", "folder"}
    assert {path.name: mode(path) for path in tmp_path.iterdir()} == {
        "open.json": 0o600, "script": 0o700, "for-the-group": 0o600, ".hidden": 0o600, "closed": 0o600, "folder": 0o700,
    }  # fmt: skip
    assert mend(tmp_path) == []


def test_only_what_is_named_is_mended(tmp_path: Path):
    for name in ("mine.lock", "yours.txt"):
        (tmp_path / name).touch(mode=0o644)
    assert [path.name for path in mend(tmp_path, ["*.lock", "missing/*"])] == ["mine.lock"]
    assert mode(tmp_path / "yours.txt") == 0o644


def test_neither_where_a_link_leads_nor_a_socket_is_touched(tmp_path: Path):
    (tmp_path / "ours").mkdir()
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.touch()
    elsewhere.chmod(0o644)
    (tmp_path / "ours/link").symlink_to(elsewhere)
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as short, socket.socket(socket.AF_UNIX) as door:
        path = Path(short) / "door"
        door.bind(str(path))
        path.chmod(0o666)
        assert mend(tmp_path / "ours") == mend(Path(short)) == []
        assert mode(path) == 0o666
    assert mode(elsewhere) == 0o644


def test_a_file_is_replaced_for_its_owner_alone_whatever_it_was(tmp_path: Path):
    file = tmp_path / "config.toml"
    file.write_text("old")
    file.chmod(0o644)
    replace_text(file, "new\r\n")
    assert (file.read_bytes(), mode(file)) == (b"new\r\n", 0o600)
    replace_text(file, "page", mode=0o644)
    assert mode(file) == 0o644
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_cannot_be_replaced_stays_and_leaves_nothing_beside_it(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(OSError, match=r"missing/config\.toml"):
        replace_text(tmp_path / "missing/config.toml", "text")
