"""What becomes of a folder that Notion exported: no id is read, and a page is found by the one that it lies below."""

from __future__ import annotations

import time

import pytest

from hookclaw_py import text as words
from hookclaw_py.ingest.exported import without_ids
from hookclaw_py.ingest.markdown import chunk_note
from hookclaw_py.model.types import Chunk

ONE, TWO = "5d05f2e5692acee7259117afd89b7be7", "65c7afda1853037a1b811e9dc2991e42"


def chunks(text: str, path: str) -> list[Chunk]:
    return chunk_note(text, path=path, evergreen=False).chunks


def test_a_link_to_a_page_of_the_export_is_read_as_its_title():
    (chunk,) = chunks(
        f"# Gala\n\nCaterer: Smaak & Zo (Vendors%20{ONE}/Smaak%20&%20Zo%20{TWO}.md)\n\nSee [Loods (old)](Loods%20(old)%20{TWO}.md).\n",
        "Gala.md",
    )
    assert chunk.text == "Caterer: Smaak & Zo\n\nSee [[Loods (old)]]."


def test_a_picture_of_the_export_is_left_out_and_other_links_stay():
    assert without_ids(f"![Untitled](Gala%20{ONE}/Untitled.png)") == ""
    for line in (
        f"[shared](https://www.notion.so/Gala-{ONE}?pvs=21)",
        "[Boiler](Boiler.md), (see below)",
        f"the hash ({ONE})",
        f"commit {ONE} (main)",
    ):
        assert without_ids(line) == line


def test_a_callout_is_read_without_its_marks_and_lines_still_count():
    text = "# Door\n\n<aside>\n💡 Ring twice.\n\n</aside>\n\nUse `<aside>` for notes.\n"
    assert [(c.place.lines, c.text) for c in chunks(text, "Door.md")] == [
        ((4, 8), "💡 Ring twice.\n\nUse `<aside>` for notes.")
    ]


def test_a_page_is_found_by_the_title_of_the_page_that_it_lies_below():
    (chunk,) = chunks("# Updates\n\nDoors at 18:30.\n", f"Projects {ONE}/Havenlicht gala {ONE}/Updates {TWO}.md")
    assert chunk.heading == "Havenlicht gala > Updates"
    assert set(words.terms("Havenlicht gala")) <= set(chunk.terms)


def test_a_folder_without_an_id_or_with_a_name_that_every_folder_has_is_no_page():
    for folder in ("Havenlicht gala", f"Projects {ONE}", ""):
        (chunk,) = chunks("# Updates on doors\n\nAt 18:30.\n", f"{folder}/Updates on doors {TWO}.md".lstrip("/"))
        assert chunk.heading == "Updates on doors"
    assert chunks("At 18:30.\n", f"Gala {ONE}/doors.md")[0].heading == "doors"


def test_every_passage_of_a_page_is_found_by_the_tags_below_its_title():
    page = "# Kade Twaalf\n\nContact: Wendela\nTags: venue, waterfront\n\n## Ceiling\n\n3.4 m, nothing may hang.\n"
    assert all("waterfront" in chunk.terms for chunk in chunks(page, "Kade Twaalf.md"))
    assert "Tags: venue, waterfront" in chunks(page, "Kade Twaalf.md")[0].text
    later = page.replace("Tags: venue, waterfront", "").replace("3.4 m", "Tags: waterfront\n\n3.4 m")
    assert "waterfront" not in chunks(later, "Kade Twaalf.md")[0].terms


@pytest.mark.parametrize("page", ["#books #reading/2026\n# Book club\n\n{}", "# Book club\n#books #reading/2026\n\n{}"])
def test_every_passage_is_found_by_a_line_of_tags_at_its_beginning_which_is_no_passage_alone(page: str):
    found = chunks(page.format("Jan: The Safekeep\n\n## Members\n\nJo, Carys\n"), "book club.md")
    assert all("reading" in " ".join(chunk.terms) for chunk in found)
    assert not any(chunk.text.strip() == "#books #reading/2026" for chunk in found)
    later = chunks(page.format("x\n").replace("#books #reading/2026", "#1 of 12"), "book club.md")
    assert any("#1 of 12" in chunk.text for chunk in later), "no tags"


@pytest.mark.parametrize(
    "page", ["#call-plumber", "# Ideas\n\n#boat #sauna", "#books\n\nThe Safekeep\n\n## Later\n\n#sauna"]
)
def test_a_line_of_tags_is_left_out_for_none_but_passages_that_have_its_tags(page: str):
    said = "\n".join(f"{chunk.text} {' '.join(chunk.terms)}" for chunk in chunks(page + "\n", "x.md"))
    assert page.rpartition("#")[2] in said


def test_long_odd_text_is_read_at_once():
    for odd in (
        "[" * 40_000,
        "[x](" * 20_000,
        "[x]((a)" * 20_000,
        " (" * 40_000,
        "(a" * 40_000,
        " \n" * 40_000,
        "a:\n" * 40_000,
    ):
        begun = time.perf_counter()
        without_ids(f"{odd} {ONE}")
        chunk_note(odd[:4000], path="odd.md", evergreen=False)
        assert time.perf_counter() - begun < 2
