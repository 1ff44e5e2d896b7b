"""Indexing a real folder of notes: what is found, what changes, what is refused; and watching it."""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py.errors import EmbeddingError, IndexingError
from hookclaw_py.ingest import indexer
from hookclaw_py.ingest.embedding import EMBEDDING_BATCH, embed_pending
from hookclaw_py.ingest.folders import Folder
from hookclaw_py.ingest.indexer import IndexReport, index_workspace
from hookclaw_py.ingest.note_text import read_note
from hookclaw_py.ingest.watcher import watch
from hookclaw_py.ingest.workspace import MAX_BYTES, Layout, Problem, find_notes, layout_of
from hookclaw_py.model.vectors import Vector
from hookclaw_py.search.ports import Encoded
from hookclaw_py.store.database import Store, embedding_text
from hookclaw_py.trace import Deadline
from tests.conftest import write_notes

YEAR_2025 = 1_735_689_600


class HashEmbedder:
    """Hashes words to a unit vector; counts what it was asked for."""

    model_id = "hash-16"
    dimension = 16

    def __init__(self, fails: Callable[[str], bool] = lambda _: False) -> None:
        self.texts: list[str] = []
        self.fails = fails

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        if self.fails(text):
            raise EmbeddingError(f"cannot embed {text[:20]!r}")
        self.texts.append(text)
        vector = np.zeros(16, np.float32)
        for word in text.split():
            vector[blake2b(word.encode(), digest_size=1).digest()[0] % 16] += 1
        return vector / np.linalg.norm(vector)

    def close(self) -> None: ...


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    for path, text in {
        "MEMORY.md": "# Memory\n\nWe use Postgres 16.\n",
        "memory/2026-02-09.md": "# Monday\n\n## Deploy\n\nNETSDK1005 again.\n\n## Logging\n\nJSON lines.\n",
        "memory/projects/zeus.md": "# Zeus\n\nThe MD.\n",
        "README.md": "# Not a note\n\nreadme\n",
        "docs/guide.md": "# Guide\n\nHow to.\n",
    }.items():
        write(root / path, text)
    return root


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "home" / "agents" / "main") as opened:
        yield opened


def write(path: Path, content: str | bytes, *, at: int = YEAR_2025) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(path, (at, at))


def index(store: Store, root: Path, **options: object) -> IndexReport:
    settings = {"globs": (), "exclude": (), "evergreen": ("MEMORY.md",), **options}
    return index_workspace(store, root, **settings)  # type: ignore[arg-type]


def found(root: Path, *, globs: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> list[str]:
    return [note.path for note in find_notes(root, globs=globs, exclude=exclude).notes]


def problems(root: Path) -> dict[str, str]:
    return {problem.path: problem.why for problem in find_notes(root, globs=(), exclude=()).problems}


# Finding notes


def test_memory_notes_are_found_and_other_files_are_not(root: Path):
    assert found(root) == ["MEMORY.md", "memory/2026-02-09.md", "memory/projects/zeus.md"]


def test_globs_add_and_excludes_remove(root: Path):
    assert "docs/guide.md" in found(root, globs=("docs/**/*.md",))
    assert found(root, globs=("docs/",), exclude=("memory/projects/", "MEMORY.md")) == [
        "docs/guide.md",
        "memory/2026-02-09.md",
    ]


@pytest.mark.parametrize(("on_disk", "written"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_pattern_means_a_name_however_its_letters_are_composed(root: Path, store: Store, on_disk: str, written: str):
    folder, pattern = (unicodedata.normalize(form, "Persönlich") for form in (on_disk, written))  # type: ignore[arg-type]
    write(root / f"memory/{folder}/2026-01-02.md", "Mara is expecting.\n")
    assert not [path for path in found(root, exclude=(f"{pattern}/",)) if path.startswith(f"memory/{folder}")]
    write(root / f"{folder}/a.md", "x")
    assert f"{folder}/a.md" in found(root, globs=(f"{pattern}/",))
    index(store, root, evergreen=(f"memory/{pattern}/",))
    [chunk] = [chunk for chunk in store.all_chunks() if chunk.text == "Mara is expecting."]
    assert chunk.created_at is None


def test_obsidians_folder_of_templates_is_none_of_notes_however_its_name_is_composed(tmp_path: Path):
    folder = unicodedata.normalize("NFD", "Entwürfe")
    settings = {".obsidian/templates.json": '{"folder": "Entwürfe"}', f"{folder}/a.md": "x\n", "b.md": "x\n"}
    notes = find_notes(write_notes(tmp_path, settings), Layout.NOTES, globs=(), exclude=()).notes
    assert [note.path for note in notes] == ["b.md"]


def test_letter_case_does_not_hide_notes(root: Path):
    write(root / "memory/LOUD.MD", "x")
    write(root / "memory.md", "x")
    assert {"memory/LOUD.MD", "memory.md", "MEMORY.md"} <= set(found(root))


def test_hidden_folders_and_node_modules_are_never_entered(root: Path):
    for folder in ("memory/.git", "memory/node_modules/x", ".hidden", "memory/.obsidian"):
        write(root / folder / "a.md", "x")
    write(root / "memory/.draft.md", "x")
    assert len(found(root)) == 3
    assert not any(".git" in p or "node_modules" in p or "/." in p for p in found(root, globs=("**/*.md",)))


def test_a_folder_that_is_not_there_is_an_error_that_names_it(tmp_path: Path, root: Path):
    with pytest.raises(IndexingError, match="nowhere"):
        find_notes(tmp_path / "nowhere", globs=(), exclude=())
    with pytest.raises(IndexingError, match=r"README\.md"):
        find_notes(root / "README.md", globs=(), exclude=())


def test_links_are_followed_inside_the_workspace_only(root: Path, tmp_path: Path):
    write(tmp_path / "secret.md", "secret")
    (tmp_path / "outside").mkdir()
    write(tmp_path / "outside/a.md", "secret")
    (root / "memory/out.md").symlink_to(tmp_path / "secret.md")
    (root / "memory/outdir").symlink_to(tmp_path / "outside")
    (root / "memory/guide.md").symlink_to(root / "docs/guide.md")
    (root / "memory/twice.md").symlink_to(root / "memory/projects/zeus.md")
    (root / "memory/gone.md").symlink_to(root / "nothing.md")
    assert found(root) == ["MEMORY.md", "memory/2026-02-09.md", "memory/guide.md", "memory/projects/zeus.md"]
    assert "out of the workspace" in problems(root)["memory/out.md"]
    assert "out of the workspace" in problems(root)["memory/outdir"]
    assert "nowhere" in problems(root)["memory/gone.md"]


def test_links_in_a_circle_end(root: Path):
    (root / "memory/loop").symlink_to(root / "memory")
    (root / "memory/self.md").symlink_to(root / "memory/self.md")
    (root / "memory/projects/up").symlink_to("..")
    assert found(root) == ["MEMORY.md", "memory/2026-02-09.md", "memory/projects/zeus.md"]
    assert "circle" in problems(root)["memory/self.md"]


@pytest.mark.parametrize("name", ["backup", "offer.md", "offer.pdf", "memory"])
@pytest.mark.parametrize("target", ["itself", "x" * 300])
def test_a_link_that_cannot_be_followed_leaves_a_persons_folder_what_it_is(tmp_path: Path, name: str, target: str):
    """The system asks for its end when it says whether it is a folder: round in a circle, too long, on a disk that hangs, locked."""
    mine = write_notes(tmp_path / "mine", {"garden.md": "Waltraud is the gardener.\n"})
    (mine / name).symlink_to(name if target == "itself" else target)
    assert layout_of(mine) is Layout.NOTES
    for layout in Layout:
        notes = find_notes(mine, layout, globs=(), exclude=()).notes
        assert [note.path for note in notes] == (["garden.md"] if layout is Layout.NOTES else [])


def test_a_file_called_memory_beside_an_agents_md_is_no_folder_of_days(tmp_path: Path):
    assert layout_of(write_notes(tmp_path, {"AGENTS.md": "#\n", "memory": "a file\n", "b.md": "b\n"})) is Layout.NOTES


def test_a_linked_folder_of_the_workspace_holds_notes(root: Path):
    (root / "memory/docs").symlink_to(root / "docs")
    assert "memory/docs/guide.md" in found(root)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_skipped_with_a_warning(root: Path):
    os.mkfifo(root / "memory/pipe.md")
    assert "ordinary" in problems(root)["memory/pipe.md"]
    read = read_note(root, "memory/pipe.md")  # it became a pipe after it was listed
    assert isinstance(read, Problem)


def test_a_hundred_megabyte_file_is_skipped_and_named(root: Path, store: Store):
    with (root / "memory/huge.md").open("wb") as file:
        file.truncate(100_000_000)
    report = index(store, root)
    assert [w for w in report.warnings if "memory/huge.md" in w and "100 MB" in w]
    assert report.changed == 3


def test_a_name_that_is_not_utf8_is_skipped_with_a_warning(root: Path, store: Store):
    try:
        (Path(os.fsdecode(os.fsencode(root / "memory") + b"/bad\xff.md"))).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert any("not UTF-8" in warning for warning in index(store, root).warnings)
    assert store.count() == 4


def test_a_name_with_control_characters_is_told_with_escapes(root: Path, store: Store):
    try:
        write(root / "memory/a\nb\x1b[31m.md", b"\0")
        write(root / "memory/c\x1bd.md", b"caf\xe9")
    except OSError:
        pytest.skip("this file system takes no such names")
    binary, broken = index(store, root).warnings
    assert binary.startswith(r"'memory/a\nb\x1b[31m.md': is binary")
    assert broken.startswith(r"'memory/c\x1bd.md': line 1 is not UTF-8")


@pytest.mark.parametrize(
    ("written", "read", "told"),
    [
        ("Zürich: Code für die Tür 4471 – „leise“\n".encode("cp1252"), "Zürich: Code für die Tür 4471 – „leise“", "it was read as Windows-1252"),
        ("Zürich, the door of the hotel: ".encode() + b"caf\xe9 4471\n", "Zürich, the door of the hotel: caf\ufffd 4471", "unreadable characters became \ufffd"),
        ("# Lösung\nder Gärtner heißt Jürgen Möß".encode("cp1252"), "der Gärtner heißt Jürgen Möß", "it was read as Windows-1252"),
        ("# Café\nle café de Renée…".encode("cp1252"), "le café de Renée…", "it was read as Windows-1252"),
        ("密码是四四七一".encode("gb18030"), None, "unreadable characters became \ufffd"),
        ("Замок: Lantern 4471, ключ у соседки".encode("cp1251"), None, "unreadable characters became \ufffd"),
        (b"\xe9\x01t\xe9 \x02\x03 Gar\xe7on \x07\x08 1\xe9\x05", None, "unreadable characters became \ufffd"),
    ],
    ids=["Windows-1252", "damaged UTF-8", "short", "shorter", "another script", "another with names", "no text"],
)  # fmt: skip
def test_a_note_that_is_not_utf8_is_read_as_what_it_most_likely_is(
    root: Path, store: Store, written: bytes, read: str | None, told: str
):
    write(root / "memory/zurich.md", written)
    (warning,) = index(store, root).warnings
    assert warning.endswith(f"line 1 is not UTF-8; {told}; save it as UTF-8")
    texts = [c.text for c in store.all_chunks() if c.place.path.endswith("zurich.md")]
    assert read is None or texts == [read]


# Reading notes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_files_are_read_whatever_their_mark(root: Path, encoding: str):
    write(root / "memory/u.md", "größe 日志\n".encode(encoding))
    read = read_note(root, "memory/u.md")
    assert not isinstance(read, Problem)
    assert (read.text, read.warnings) == ("größe 日志\n", ())


def test_crlf_and_a_mark_give_the_same_chunks(root: Path, store: Store):
    index(store, root)
    plain = store.all_chunks()
    path = root / "memory/2026-02-09.md"
    write(path, b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert index(store, root).kept == 2
    assert store.all_chunks() == plain


def test_broken_utf8_is_read_around_with_a_warning_that_names_the_line(root: Path, store: Store):
    write(root / "memory/latin.md", b"first\n\nthe caf\xe9 fact\n")
    report = index(store, root)
    assert any("memory/latin.md" in w and "line 3" in w for w in report.warnings)
    assert any("fact" in c.text for c in store.all_chunks() if c.place.path == "memory/latin.md")


def test_a_binary_file_is_skipped_and_named(root: Path, store: Store):
    write(root / "memory/photo.md", b"\x89PNG\r\n\0\0\0")
    write(root / "memory/empty.md", b"")
    report = index(store, root)
    assert any("memory/photo.md" in w and "binary" in w for w in report.warnings)
    assert len(report.warnings) == 1
    assert report.changed == 4


def test_a_file_that_vanishes_is_a_problem_not_a_crash(root: Path):
    assert isinstance(read_note(root, "memory/nothing.md"), Problem)


def test_a_file_that_changes_while_it_is_read_is_taken_the_next_time(root: Path, monkeypatch: pytest.MonkeyPatch):
    path = root / "memory/2026-02-09.md"
    real, turns = os.fstat, iter(range(100))

    def fstat(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        with path.open("a") as file:  # an agent that writes all the time
            file.write(f"line {next(turns)}\n")
        return status

    monkeypatch.setattr(os, "fstat", fstat)
    read = read_note(root, "memory/2026-02-09.md")
    assert isinstance(read, Problem)
    assert read.passing
    assert "changed while" in read.why


def test_a_file_that_settles_is_read_at_the_second_try(root: Path, monkeypatch: pytest.MonkeyPatch):
    path = root / "memory/2026-02-09.md"
    real, calls = os.fstat, []

    def fstat(descriptor: int) -> os.stat_result:
        calls.append(descriptor)
        status = real(descriptor)
        if len(calls) == 1:
            path.write_text("# New\n\nsettled\n")
        return status

    monkeypatch.setattr(os, "fstat", fstat)
    read = read_note(root, "memory/2026-02-09.md")
    assert not isinstance(read, Problem)
    assert "settled" in read.text


# Indexing


def test_a_workspace_is_indexed_with_dates_and_evergreens(root: Path, store: Store):
    report = index(store, root)
    assert (report.seen, report.changed, report.added, report.warnings) == (3, 3, 4, ())
    dates = {c.place.path: c.created_at.isoformat()[:10] if c.created_at else None for c in store.all_chunks()}
    assert dates == {"MEMORY.md": None, "memory/2026-02-09.md": "2026-02-09", "memory/projects/zeus.md": None}


def test_an_unchanged_workspace_reads_nothing_and_changes_nothing(
    root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    index(store, root)
    generation = store.generation()
    monkeypatch.setattr(indexer, "read_note", lambda *_: pytest.fail("an unchanged file was read"))
    report = index(store, root)
    assert (report.unchanged, report.changed, report.added) == (3, 0, 0)
    assert store.generation() == generation


def test_a_touched_file_costs_a_hash_and_changes_nothing(root: Path, store: Store):
    index(store, root)
    generation = store.generation()
    os.utime(root / "MEMORY.md", (YEAR_2025 + 9, YEAR_2025 + 9))
    assert index(store, root).unchanged == 3
    assert store.generation() == generation
    assert store.files()["MEMORY.md"].mtime_ns == (YEAR_2025 + 9) * 10**9


def test_an_edit_within_the_clocks_tick_is_noticed(root: Path, store: Store):
    path = root / "MEMORY.md"
    path.write_text("# M\n\nfact 1\n")
    before = path.stat()
    index(store, root)
    path.write_text("# M\n\nfact 2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as if in the same tick, and of the same size
    index(store, root)
    assert "fact 2" in [c.text for c in store.all_chunks()]


def test_an_edit_embeds_only_what_changed_and_keeps_the_other_ids(root: Path, store: Store):
    index(store, root)
    embedder = HashEmbedder()
    assert embed_pending(store, embedder) == 4
    before = {c.heading: c.id for c in store.all_chunks()}
    write(root / "memory/2026-02-09.md", "# Monday\n\n## Deploy\n\nFixed: SDK pinned.\n\n## Logging\n\nJSON lines.\n")
    report = index(store, root)
    assert (report.unchanged, report.changed, report.added, report.kept, report.removed) == (2, 1, 1, 1, 1)
    assert embed_pending(store, embedder) == 1
    assert "SDK pinned" in embedder.texts[-1]
    after = {c.heading: c.id for c in store.all_chunks()}
    assert {h for h in after if after[h] != before[h]} == {"Monday > Deploy"}


def test_a_deleted_file_disappears_and_a_moved_one_keeps_its_vectors(root: Path, store: Store):
    index(store, root)
    embedder = HashEmbedder()
    embed_pending(store, embedder)
    (root / "MEMORY.md").unlink()
    (root / "memory/projects/zeus.md").rename(root / "memory/zeus.md")
    report = index(store, root)
    assert (report.deleted, report.removed, report.added) == (2, 2, 1)
    assert embed_pending(store, embedder) == 0
    assert {c.place.path for c in store.all_chunks()} == {"memory/2026-02-09.md", "memory/zeus.md"}


def test_a_note_that_is_just_being_saved_is_not_taken_for_empty(
    root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    path = root / "memory/2026-02-09.md"
    text = path.read_text()
    index(store, root)
    path.write_text("")  # emptied, and written a moment later
    monkeypatch.setattr(indexer, "sleep", lambda _: path.write_text(f"{text}\n## More\n\nnew fact\n"))
    report = index(store, root)
    assert (report.kept, report.removed, report.added) == (2, 0, 1)
    path.write_text("")
    monkeypatch.setattr(indexer, "sleep", lambda _: None)
    assert index(store, root).removed == 3  # emptied on purpose


def test_what_a_person_marked_stays_marked_when_its_file_is_renamed(root: Path, store: Store):
    index(store, root)
    for chunk in store.all_chunks():
        if chunk.place.path == "memory/2026-02-09.md":
            store.mark(
                chunk.id, {"Monday > Deploy": "block", "Monday > Logging": "pin"}[chunk.heading], at=datetime.now(UTC)
            )
    (root / "memory/2026-02-09.md").rename(root / "memory/2026-02-09-monday.md")
    index(store, root)
    marks = store.marks()
    marked = {chunk.heading: marks[memory] for memory, chunk in store.heads(marks).items()}
    assert marked == {"Monday > Deploy": "block", "Monday > Logging": "pin"}


def test_of_a_renamed_folder_each_note_is_compared_with_the_one_that_it_was(
    root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    for number in range(12):
        write(root / f"memory/work/{number}.md", f"# Project {number}\n\nThe budget of {number} is {number}00 euros.\n")
    index(store, root)
    compared, replace_file = dict[str, list[str]](), store.replace_file

    def noted(path: str, **values: object) -> object:
        compared[path] = list(values["moved_from"])  # type: ignore[call-overload]
        return replace_file(path, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "replace_file", noted)
    (root / "memory/work").rename(root / "memory/office")
    write(root / "memory/office/0.md", "# Project 0\n\nThe budget of 0 is 000 euros, the board said.\n")
    write(root / "memory/2026-02-09.md", "# Monday\n\n## Deploy\n\nanother\n")
    index(store, root)
    assert compared.pop("memory/2026-02-09.md") == []
    assert compared == {f"memory/office/{number}.md": [f"memory/work/{number}.md"] for number in range(12)}
    moved = [chunk for chunk in store.all_chunks() if chunk.place.path.startswith("memory/office/")]
    assert len(moved) == 12
    assert all(chunk.memory != chunk.id for chunk in moved), "the memories are those of before"


def test_a_folder_that_cannot_be_listed_for_now_loses_nothing(
    root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    index(store, root)
    real = os.scandir

    def scandir(path: str | Path):
        if str(path).endswith("projects"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    report = index(store, root)
    assert any("memory/projects" in w and "Permission" in w for w in report.warnings)
    assert report.deleted == 0
    assert store.count() == 4


def test_a_file_that_cannot_be_read_for_now_loses_nothing_but_one_that_turned_binary_goes(root: Path, store: Store):
    index(store, root)
    write(root / "MEMORY.md", b"\0\0")
    report = index(store, root)
    assert report.deleted == 1
    assert "MEMORY.md" not in {c.place.path for c in store.all_chunks()}


def test_changed_evergreens_or_a_new_chunker_index_unchanged_files_again(
    root: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    index(store, root)
    embed_pending(store, HashEmbedder())
    report = index(store, root, evergreen=("memory/",))
    assert (report.changed, report.kept, report.added) == (3, 4, 0)
    assert all(c.created_at is None for c in store.all_chunks())
    assert index(store, root, evergreen=("memory/",)).unchanged == 3
    monkeypatch.setattr(indexer, "CHUNKER_VERSION", "next")
    assert index(store, root, evergreen=("memory/",)).changed == 3
    monkeypatch.setattr(indexer, "TOKENIZER_VERSION", "next")
    assert index(store, root, evergreen=("memory/",)).changed == 3
    assert embed_pending(store, HashEmbedder()) == 0


def test_a_store_belongs_to_one_workspace_until_that_moves(root: Path, store: Store, tmp_path: Path):
    index(store, root)
    write(tmp_path / "other/MEMORY.md", "other")
    with pytest.raises(IndexingError, match="another agent's store, or say that the folder has moved"):
        index(store, tmp_path / "other")
    assert store.count() == 4
    root.rename(tmp_path / "renamed")
    assert index(store, tmp_path / "renamed", move=True).unchanged == 3
    assert index(store, tmp_path / "renamed").unchanged == 3


def test_a_wrong_folder_does_not_claim_the_store(root: Path, store: Store, tmp_path: Path):
    with pytest.raises(IndexingError):
        index(store, tmp_path / "typo")
    assert index(store, root).changed == 3


def test_a_folder_without_notes_does_not_claim_the_store_and_says_which_would(root: Path, store: Store, tmp_path: Path):
    report = index(store, root / "memory")
    assert report.seen == 0
    assert [w for w in report.warnings if "no MEMORY.md" in w and f"did you mean {root}?" in w]
    assert store.get_meta("workspace") is None
    assert index(store, root).changed == 3
    assert store.get_meta("workspace") == str(root)
    with pytest.raises(IndexingError, match="has moved"):
        index(store, root / "memory")
    (tmp_path / "empty").mkdir()
    with Store.open(None) as other:
        (warning,) = index(other, tmp_path / "empty").warnings
    assert "empty;" in warning
    assert "did you mean" not in warning


def test_a_store_that_was_claimed_by_a_folder_without_notes_can_be_had(root: Path, store: Store):
    store.set_meta("workspace", str(root / "memory"))
    assert index(store, root).changed == 3
    assert store.get_meta("workspace") == str(root)


def test_a_workspace_whose_notes_are_all_gone_keeps_its_store(root: Path, store: Store):
    index(store, root)
    for note in ("MEMORY.md", "memory/2026-02-09.md", "memory/projects/zeus.md"):
        (root / note).unlink()
    report = index(store, root)
    assert report.deleted == 3
    assert "no MEMORY.md" in report.warnings[0]
    assert store.get_meta("workspace") == str(root)


def test_a_file_that_cannot_be_taken_is_the_only_warning(tmp_path: Path, store: Store):
    write(tmp_path / "notes/MEMORY.md", b"a" * (MAX_BYTES + 1))
    (warning,) = index(store, tmp_path / "notes").warnings
    assert "MB" in warning


def test_what_is_wrong_with_a_file_is_said_every_time_until_it_is_mended(root: Path, store: Store):
    write(root / "memory/latin.md", b"the caf\xe9 fact\n")
    write(root / "memory/2026-02-30.md", "---\ndate: soon\n---\nfact\n")
    write(root / "memory/yaml.md", "---\ntitle: [unclosed\n---\nfact\n")
    write(root / "memory/diary.md", "---\nprivate: true\n---\nsecret\n")
    first = index(store, root).warnings
    assert len(first) == 5
    second = index(store, root)
    assert (second.unchanged, second.changed) == (7, 0)
    wrong = tuple(warning for warning in first if "diary.md" not in warning)  # that one is meant
    assert second.warnings == wrong
    os.utime(root / "memory/latin.md", (YEAR_2025 + 9, YEAR_2025 + 9))
    assert index(store, root).warnings == wrong
    write(root / "memory/latin.md", "the café fact\n", at=YEAR_2025 + 20)
    write(root / "memory/diary.md", "---\nprivate: false\n---\nsecret\n", at=YEAR_2025 + 20)
    assert len(index(store, root).warnings) == 3
    assert len(index(store, root).warnings) == 3


def test_only_one_indexes_a_store_at_a_time(root: Path, store: Store):
    entered, leave, errors = threading.Event(), threading.Event(), []

    def slow(*_: object) -> None:
        entered.set()
        leave.wait(timeout=10)

    first = threading.Thread(target=lambda: index(store, root, progress=slow))
    first.start()
    assert entered.wait(timeout=10)
    try:
        index(store, root)
    except IndexingError as error:
        errors.append(str(error))
    leave.set()
    first.join()
    assert "another process is indexing" in errors[0]
    assert index(store, root, wait_seconds=5).unchanged == 3


def test_progress_names_each_file_and_ends_at_the_total(root: Path):
    seen: list[tuple[str, int, int]] = []
    with Store.open(None) as store:
        index(store, root, progress=lambda *args: seen.append(args))
        assert seen[0] == ("MEMORY.md", 0, 3)
        assert seen[-1] == ("", 3, 3)
        seen.clear()
        embed_pending(store, HashEmbedder(), progress=lambda *args: seen.append(args))
        assert seen[0] == ("embedding", 0, 4)
        assert seen[-1] == ("embedding", 4, 4)


# Embedding


def many(store: Store, root: Path, count: int) -> None:
    for n in range(count):
        write(root / f"memory/{n}.md", f"# N{n}\n\nfact number {n}\n")
    index(store, root)


def test_embedding_can_be_stopped_and_goes_on_later(root: Path, store: Store):
    many(store, root, 70)
    embedder = HashEmbedder()
    assert embed_pending(store, embedder, should_stop=lambda: len(embedder.texts) == 40) == 40
    assert len(store.vectors_since("hash-16", -1).ids) == 40
    assert embed_pending(store, embedder) == 34
    assert len(set(embedder.texts)) == len(embedder.texts) == 74


def test_an_interrupt_keeps_what_was_embedded(root: Path, store: Store):
    many(store, root, 70)

    def interrupt(_: str) -> bool:
        if len(embedder.texts) == 45:
            raise KeyboardInterrupt
        return False

    embedder = HashEmbedder(interrupt)
    with pytest.raises(KeyboardInterrupt):
        embed_pending(store, embedder)
    assert len(store.vectors_since("hash-16", -1).ids) == 45 > EMBEDDING_BATCH


def test_one_text_that_cannot_be_embedded_does_not_stop_the_others(root: Path, store: Store):
    index(store, root)
    with pytest.raises(EmbeddingError, match=r"1 of 4 .*cannot embed 'Zeus"):
        embed_pending(store, HashEmbedder(lambda text: text.startswith("Zeus")))
    assert len(store.vectors_since("hash-16", -1).ids) == 3


def test_a_dead_embedder_is_not_asked_for_every_text(root: Path, store: Store):
    many(store, root, 20)
    asked: list[str] = []
    with pytest.raises(EmbeddingError):
        embed_pending(store, HashEmbedder(lambda text: asked.append(text) is None))
    assert len(asked) == 3


class Side(HashEmbedder):
    """Embeds only where as many embed at the same time."""

    def __init__(self, count: int, fails: Callable[[str], bool] = lambda _: False) -> None:
        super().__init__(fails)
        self.together = threading.Barrier(count, timeout=60)

    def embed(self, text: str, deadline: Deadline | None = None) -> Vector:
        self.together.wait()
        return super().embed(text, deadline)


def test_several_threads_embed_at_the_same_time_each_text_once_and_to_the_same_vectors(
    root: Path, store: Store, tmp_path: Path
):
    many(store, root, 70)
    embedder = Side(2)
    assert embed_pending(store, embedder, threads=2) == len(set(embedder.texts)) == len(embedder.texts) == 74
    with Store.open(tmp_path / "alone") as other:
        index(other, root)
        embed_pending(other, HashEmbedder())
        alone, together = other.vectors_since("hash-16", -1), store.vectors_since("hash-16", -1)
        assert together.ids == alone.ids
        assert np.array_equal(together.rows[:], alone.rows[:])


def test_what_several_threads_embedded_when_they_were_stopped_is_kept(root: Path, store: Store):
    many(store, root, 70)
    embedder = HashEmbedder()
    made = embed_pending(store, embedder, threads=3, should_stop=lambda: len(embedder.texts) >= 40)
    assert made == len(embedder.texts) == len(store.vectors_since("hash-16", -1).ids) < 60


def test_several_threads_do_not_ask_a_dead_embedder_for_every_text(root: Path, store: Store):
    many(store, root, 20)
    asked: list[str] = []
    with pytest.raises(EmbeddingError):
        embed_pending(store, HashEmbedder(lambda text: asked.append(text) is None), threads=2)
    assert 3 <= len(asked) < 10


class TokenHasher(HashEmbedder):
    """Hashes words to a vector each, too."""

    model_id = "hash-16+tokens"

    def encode(self, text: str, deadline: Deadline | None = None) -> Encoded:
        vector = self.embed(text, deadline)
        axes = [blake2b(word.encode(), digest_size=1).digest()[0] % 64 for word in text.split()]
        return Encoded(vector, (127 * np.eye(64)[axes]).astype(np.int8))


def test_token_vectors_are_stored_with_the_vector_of_the_same_run(root: Path, store: Store):
    many(store, root, 70)
    embedder = TokenHasher()
    assert embed_pending(store, embedder) == len(embedder.texts) == 74
    chunks = store.all_chunks()
    found = store.tokens(embedder.model_id, [chunk.id for chunk in chunks])
    for chunk in chunks:
        assert np.array_equal(found[chunk.id], embedder.encode(embedding_text(chunk)).tokens)


class SpannedHasher(TokenHasher):
    """Says where its tokens stand, as the model does."""

    def encode(self, text: str, deadline: Deadline | None = None) -> Encoded:
        spans = tuple((word.start(), word.end()) for word in re.finditer(r"\S+", text))
        return super().encode(text, deadline)._replace(spans=spans)


def test_no_token_vectors_of_punctuation_are_stored(root: Path, store: Store):
    write(root / "memory/marks.md", "# Marks\n\npaid — 40 € ( cash )\n\n## Rule\n\n* * *\n")
    index(store, root)
    embed_pending(store, SpannedHasher())
    marks = next(chunk for chunk in store.all_chunks() if "paid" in chunk.text)
    (found,) = store.tokens(SpannedHasher.model_id, [marks.id]).values()
    pieces = embedding_text(marks).split()
    assert [piece for piece, row in zip(pieces, found, strict=False) if row.any()] == ["Marks", "paid", "40", "cash"]


def test_a_store_without_token_vectors_is_embedded_anew_when_the_model_tells_them(root: Path, store: Store):
    index(store, root)
    assert embed_pending(store, HashEmbedder()) == 4
    ids = [chunk.id for chunk in store.all_chunks()]
    assert store.tokens("hash-16", ids) == {}
    assert embed_pending(store, TokenHasher()) == 4
    assert set(store.tokens("hash-16+tokens", ids)) == set(ids)


# Watching


class Watched:
    """A watcher in a thread, and the paths it reported."""

    def __init__(self, root: Path, globs: tuple[str, ...] = ()) -> None:
        self.calls: list[frozenset[str]] = []
        self._called = threading.Condition()
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=watch,
            args=([Folder(root, Layout.WORKSPACE)], self._record),
            kwargs={"stop_event": self._stop, "globs": globs, "exclude": ()},
        )

    def _record(self, paths: frozenset[str]) -> None:
        with self._called:
            self.calls.append(paths)
            self._called.notify_all()

    def wait_for(self, path: str) -> None:
        with self._called:
            assert self._called.wait_for(lambda: any(path in paths for paths in self.calls), timeout=10), self.calls

    def __enter__(self) -> Watched:
        self._thread.start()
        with self._called:
            assert self._called.wait_for(lambda: self.calls, timeout=10)
        assert self.calls == [frozenset()]
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()


def test_edits_new_files_deletions_and_moved_folders_are_noticed(root: Path):
    with Watched(root) as watched:
        write(root / "memory/new.md", "new")
        watched.wait_for("memory/new.md")
        write(root / "MEMORY.md", "edited")
        watched.wait_for("MEMORY.md")
        (root / "memory/2026-02-09.md").unlink()
        watched.wait_for("memory/2026-02-09.md")
        (root / "memory/projects").rename(root / "memory/archive")
        watched.wait_for("memory/archive")


def test_an_editors_atomic_save_is_noticed_and_other_files_are_not(root: Path):
    with Watched(root, globs=("docs/*.md",)) as watched:
        (root / "README.md").write_text("not a note")
        (root / "memory/.swap.md").write_text("draft")
        (root / "memory/.swap.md").rename(root / "memory/2026-02-09.md")
        watched.wait_for("memory/2026-02-09.md")
        (root / "docs/guide.md").write_text("new guide")
        watched.wait_for("docs/guide.md")
        assert not {"README.md", "memory/.swap.md"} & set().union(*watched.calls)


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path):
    with pytest.raises(IndexingError, match="nowhere"):
        watch(
            [Folder(tmp_path / "nowhere", Layout.WORKSPACE)],
            lambda _: None,
            stop_event=threading.Event(),
            globs=(),
            exclude=(),
        )


def test_nothing_is_reported_after_the_stop(root: Path):
    stop = threading.Event()
    stop.set()
    watch(
        [Folder(root, Layout.WORKSPACE)],
        lambda _: pytest.fail("called after the stop"),
        stop_event=stop,
        globs=(),
        exclude=(),
    )


def test_the_largest_file_that_is_read_is_the_limit(root: Path):
    write(root / "memory/full.md", b"a" * MAX_BYTES)
    write(root / "memory/over.md", b"a" * (MAX_BYTES + 1))
    assert "memory/full.md" in found(root)
    assert "memory/over.md" in problems(root)
    assert MAX_BYTES + 1 > len(read_note(root, "memory/full.md").text) == MAX_BYTES  # type: ignore[union-attr]


def test_a_folder_called_memory_among_others_makes_no_workspace_of_a_persons_notes(tmp_path: Path):
    mine = write_notes(
        tmp_path, {"memory/agent.md": "# Agent\n", "homelab/servers.md": "# Servers\n", "todo.txt": "milk\n"}
    )
    assert layout_of(mine) is Layout.NOTES
    (mine / ".git").mkdir()
    assert layout_of(mine) is Layout.WORKSPACE, "a project with a memory of its own"


@pytest.mark.parametrize(
    "files", [("SOUL.md",), ("MEMORY.md",), ("AGENTS.md", "USER.md"), ("AGENTS.md", "memory/a.md")]
)
def test_an_agents_own_files_make_a_workspace_whatever_else_lies_there(tmp_path: Path, files: tuple[str, ...]):
    there = dict.fromkeys((*files, "drafts/a.md", "b.md"), "# Agent\n")
    assert layout_of(write_notes(tmp_path, there)) is Layout.WORKSPACE


@pytest.mark.parametrize("file", ["Memory.md", "Soul.md", "memory.md", "AGENTS.md"])
def test_a_note_called_like_an_agents_makes_no_workspace_of_a_persons_notes(tmp_path: Path, file: str):
    alone = write_notes(tmp_path / "alone", {file: "# It\n"})
    assert layout_of(alone) is Layout.WORKSPACE
    assert layout_of(write_notes(tmp_path / "mine", {file: "# It\n", "Plumber.md": "# Plumber\n"})) is Layout.NOTES
    assert layout_of(write_notes(tmp_path / "vault", {file: "# It\n", "Home/Plumber.md": "x\n"})) is Layout.NOTES


def test_notes_beside_an_agents_own_files_are_told_of_and_not_read(root: Path, store: Store):
    for name in ("Plumber.md", "todo.txt", "AGENTS.md", ".hidden.md", "main.py"):
        write(root / name, "x")
    assert index(store, root, exclude=("todo.txt",)).unread == ("Plumber.md",)
    assert index(store, root, globs=("Plumber.md",)).unread == ("todo.txt",)
