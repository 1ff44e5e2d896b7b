"""What becomes of a note: which chunks, with which lines, headings and dates."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from hookclaw_py import text as words
from hookclaw_py.ingest.blocks import MAX_CHARS, MAX_TOKENS, MAX_WORDS
from hookclaw_py.ingest.length import length_of
from hookclaw_py.ingest.markdown import chunk_markdown, chunk_note
from hookclaw_py.ingest.readable import is_template
from hookclaw_py.model.types import Chunk
from hookclaw_py.privacy.redaction import redact

DAY_NOTE = """\
# 2026-02-09

Short introduction.

## Deployment

- The deploy script failed with NETSDK1005.
- We pinned the SDK to 8.0.204
  because the runner image moved on.

## Logging

We log one JSON object a line.
"""


def chunks(text: str, path: str = "memory/notes.md") -> list[Chunk]:
    return chunk_markdown(text, path=path, created_at=None)


def dated(path: str, text: str = "Some fact.\n", *, evergreen: bool = False) -> datetime | None:
    return chunk_note(text, path=path, evergreen=evergreen).chunks[0].created_at


def day(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


# Structure


def test_each_section_is_a_chunk_with_its_heading_path_and_exact_lines():
    assert [(c.heading, c.place.lines, c.text) for c in chunks(DAY_NOTE)] == [
        ("2026-02-09", (3, 3), "Short introduction."),
        (
            "2026-02-09 > Deployment",
            (7, 9),
            "- The deploy script failed with NETSDK1005.\n- We pinned the SDK to 8.0.204\n"
            "  because the runner image moved on.",
        ),
        ("2026-02-09 > Logging", (13, 13), "We log one JSON object a line."),
    ]


def test_terms_are_those_of_heading_and_text():
    for chunk in chunks(DAY_NOTE):
        assert chunk.terms == words.terms(f"{chunk.heading}\n{chunk.text}")
    assert "netsdk1005" in chunks(DAY_NOTE)[1].terms
    assert words.terms("deployment")[0] in chunks(DAY_NOTE)[1].terms


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(ending: str, mark: str):
    assert chunks(mark + DAY_NOTE.replace("\n", ending)) == chunks(DAY_NOTE)


def test_a_deeper_heading_belongs_to_the_one_above_and_a_higher_one_ends_it():
    text = "# A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree\n\n# D\n\nfour\n"
    assert [c.heading for c in chunks(text)] == ["A", "A > B", "A > C", "D"]


def test_an_underlined_heading_is_a_heading_but_a_paragraph_above_a_rule_is_text():
    assert [c.heading for c in chunks("Title\n=====\n\nbody\n")] == ["Title"]
    several = "We met twice.\nNothing was decided.\n---\n\nLater we did.\n"
    found = chunks(several)
    assert all(c.heading == "" for c in found)
    assert "Nothing was decided." in "\n".join(c.text for c in found)


def test_a_heading_as_long_as_a_paragraph_is_indexed_as_text():
    sentence = "we decided " * 40
    (chunk,) = chunks(f"# {sentence}\n\nbody\n")
    assert chunk.heading == ""
    assert "body" in chunk.text
    assert "we decided" in chunk.text


def test_a_heading_path_too_long_for_the_embedder_keeps_its_innermost_headings():
    text = "".join(f"{'#' * n} {f'level{n} ' * 5}\n\n" for n in range(1, 7)) + "the fact\n"
    (chunk,) = chunks(text)
    assert "level6" in chunk.heading
    assert "level1" not in chunk.heading
    assert length_of(chunk.heading).tokens <= 60


def test_small_bullets_share_a_chunk_and_no_bullet_is_torn():
    bullets = [f"- Fact number {n} about the project, in about a dozen plain words." for n in range(40)]
    found = chunks("# Facts\n\n" + "\n".join(bullets) + "\n")
    assert 3 < len(found) < 20
    assert [line for c in found for line in c.text.split("\n")] == bullets


def example(lines: int) -> str:
    return (
        "```js\n"
        + "\n\n".join(f"app.get('/p{n}', (request, reply) => reply.send({n}))" for n in range(lines))
        + "\n```"
    )


def test_an_example_stays_whole_with_the_sentence_that_introduces_it():
    code = example(14)
    (text,) = [c.text for c in chunks(f"# Routes\n\nRegister the pages like so:\n\n{code}\n") if "```" in c.text]
    assert text == f"Register the pages like so:\n\n{code}"
    in_a_list = chunks(f"# Routes\n\n- {'first ' * 90}\n- then\n\n{indented(code)}\n")
    assert any("/p0'" in c.text and "/p13'" in c.text for c in in_a_list)


def test_what_stands_beside_an_example_does_not_join_what_is_longer_than_others():
    code, prose = example(14), "Nothing is closed by itself. " * 6
    parts = [c.text for c in chunks(f"# Routes\n\nSo:\n\n{code}\n\n{prose}\n")]
    assert [code in text for text in parts] == [True, False]


def test_a_file_of_code_is_still_torn():
    found = chunks(f"# Routes\n\n{example(60)}\n")
    assert len(found) > 1
    assert all(len(c.text) <= 2000 for c in found)


def indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else line for line in text.split("\n"))


def test_a_bullet_keeps_its_continuation_nested_items_and_code():
    bullet = "- Release steps\n\n  ```sh\n  make release\n\n  make publish\n  ```\n  - tag first\n  - then push\n"
    found = chunks(f"# R\n\n{'- filler word ' * 40}\n{bullet}")
    assert any(bullet.strip() in c.text for c in found)


PROSE = "This sentence says a thing about the deploy of the service."
INNER = {
    "code": "```yaml\njobs:\n\n- build\n\n- test\n\n- deploy\n\n- verify\n```",
    "table": "| name | port |\n|------|------|\n" + "\n".join(f"| svc{n} | 80{n} |" for n in range(8)),
    "list": "- release steps\n\n  1. tag\n\n  2. push\n\n     then wait for the build\n\n  3. announce",
    "paragraph": "\n".join(f"Line {n} of one paragraph. It says little." for n in range(9)),
}


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("around", [("- ", "  "), ("> ", "> "), ("1. > ", "   > ")])
def test_what_is_within_a_block_too_long_for_a_chunk_stays_whole_too(around: tuple[str, str], inner: str):
    for before in range(2, 14):
        lines = [*([PROSE] * before), "", *INNER[inner].split("\n"), "", *([PROSE] * 20)]
        text = "\n".join((around[1] if n else around[0]) + line for n, line in enumerate(lines))
        first, last = before + 2, before + 1 + len(INNER[inner].split("\n"))
        found = chunks(text)
        assert len(found) > 1, before
        assert any(c.place.lines[0] <= first and last <= c.place.lines[1] for c in found), before


def test_a_table_and_a_code_block_stay_whole_when_they_fit():
    table = "| name | port |\n|------|------|\n" + "\n".join(f"| svc{n} | 80{n} |" for n in range(10))
    code = "```python\n" + "\n\n".join(f"def f{n}(): return {n}" for n in range(9)) + "\n```"
    texts = [c.text for c in chunks(f"# T\n\n{'prose ' * 100}\n\n{table}\n\n{'prose ' * 100}\n\n{code}\n")]
    assert table in "\n".join(texts)
    assert any(table in text for text in texts)
    assert any(code in text for text in texts)


def test_an_introduction_stays_with_what_it_introduces():
    intro = "**Decisions of the architecture meeting, all of them final:**"
    found = chunks(f"# M\n\n{'word ' * 110}\n\n{intro}\n\n- {'fact ' * 100}\n")
    assert any(intro in c.text and "fact" in c.text for c in found)


def test_nothing_is_merged_across_a_rule():
    assert [c.text for c in chunks("# A\n\none fact\n\n---\n\nanother\n")] == ["one fact", "another"]


LOGINS = "| service | user | password |\n|---|---|---|\n"


def test_each_part_of_a_long_table_has_the_names_of_its_columns_and_its_own_lines():
    rows = [f"| office of Lindau {n} | user{n}@lindau.example | blue{n}harvest |" for n in range(40)]
    parts = chunks(LOGINS + "\n".join(rows) + "\n\nAsk Tamara.")
    assert len(parts) > 2
    assert all(part.text.startswith(LOGINS + "| office") for part in parts)
    assert all(length_of(part.text).tokens <= MAX_TOKENS for part in parts)
    told = "\n".join(part.text.removeprefix(LOGINS) for part in parts)
    assert told == "\n".join(rows) + "\n\nAsk Tamara."
    spans = [part.place.lines for part in parts]
    assert spans[0][0] == 1
    assert all(after[0] == before[1] + 1 for before, after in pairwise(spans))


def test_a_table_of_org_has_the_names_of_its_columns_in_each_part_too():
    rows = "\n".join(f"| office of Lindau {n} | user{n}@lindau.example | blue{n}harvest |" for n in range(40))
    note = f"* Logins\n| service | user | password |\n|---------+------+----------|\n{rows}\n"
    parts = chunk_note(note, path="logins.org", evergreen=False).chunks
    assert len(parts) > 2
    assert all(part.text.startswith("| service | user | password |\n|---") for part in parts)
    assert all("harvest" not in redact(part.text) for part in parts)


def test_what_only_makes_a_table_wide_is_not_said_again_and_hides_no_names_of_columns():
    wide = f"| {'service':30} | {'user':30} | {'password':30} |\n|{'-' * 32}|{'-' * 32}|{'-' * 32}|\n"
    parts = chunks(
        wide + "".join(f"| {f'office {n}':30} | {'anna':30} | {f'blue{n}harvest':30} |\n" for n in range(60))
    )
    assert len(parts) > 2
    assert all(part.text.startswith("| service | user | password |\n|---|---|---|\n| office") for part in parts[1:])
    assert all("harvest" not in redact(part.text) for part in parts)


@pytest.mark.parametrize("begins", [("", ""), ("- ", "  "), ("- logins\n  - ", "    "), ("> ", "> ")])
def test_each_part_of_a_long_table_in_a_list_or_a_quotation_has_the_names_of_its_columns(begins: tuple[str, str]):
    lines = [*LOGINS.splitlines(), *(f"| office {n} | anna{n} | blue{n}harvest |" for n in range(60))]
    parts = chunks("\n".join(begins[n > 0] + line for n, line in enumerate(lines)) + "\n\n- and what else\n")
    assert len(parts) > 2
    assert all("| service | user | password |" in part.text for part in parts if "harvest" in part.text)
    assert all("harvest" not in redact(part.text) for part in parts)
    assert all(length_of(part.text).tokens <= MAX_TOKENS for part in parts)


def test_names_of_columns_leave_the_rows_room_in_each_part_in_any_script():
    title, names = "很长的标题" * 9, f"| {'部门名称' * 40} | b |\n| --- | --- |\n"
    parts = chunks(f"# {title}\n{names}" + "| 一二三四五六 | 一二三 |\n" * 60)
    assert all(length_of(f"{part.heading}\n{part.text}").tokens <= MAX_TOKENS for part in parts)
    assert len(parts) < 10


def test_names_of_columns_that_are_long_themselves_are_not_said_again():
    wide = "| " + " | ".join(f"what was paid in quarter {n}" for n in range(9)) + " |\n|" + "---|" * 9 + "\n"
    parts = chunks(wide + ("| 12,50" * 9 + " |\n") * 30)
    assert len(parts) > 2
    assert ["quarter" in part.text for part in parts] == [True] + [False] * (len(parts) - 1)


def test_what_is_too_long_is_torn_between_sentences():
    sentences = [f"Sentence number {n} says something of note about the system." for n in range(60)]
    found = chunks(" ".join(sentences))
    assert len(found) > 2
    assert all(c.text.startswith("Sentence") and c.text.endswith("system.") for c in found)
    sizes = [length_of(c.text).tokens for c in found]
    assert min(sizes) > max(sizes) / 2  # no scrap at the end


def test_who_ends_lines_where_they_end_what_they_say_has_them_kept_whole():
    """A log without blank lines, with abbreviations and full stops within its lines."""
    said = "rang M. Ferrand (boiler), comes thursday. Key with the neighbour", "check ok. valid until 10/9/2028", "soup"
    lines = [f"{n} {said[n % 3]}" for n in range(90)]
    found = chunks("\n".join(lines))
    assert len(found) > 2
    assert [line for chunk in found for line in chunk.text.split("\n")] == lines


def test_of_wrapped_lines_sentences_are_kept_whole():
    words = " ".join(f"Sentence number {n} says something of note about the system and who runs it." for n in range(60))
    found = chunks(textwrap.fill(words, 72))
    assert len(found) > 2
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith(".") for chunk in found)


def test_a_long_list_item_is_torn_between_its_nested_items():
    nested = [f"  - nested item {n} with a few words to say about its subject" for n in range(40)]
    found = chunks("- top\n" + "\n".join(nested))
    assert [line.strip() for c in found for line in c.text.split("\n")] == ["- top", *(n.strip() for n in nested)]


def test_a_long_code_block_is_torn_between_lines():
    lines = [f"value_{n} = compute(alpha, beta, {n}); check(value_{n})" for n in range(80)]
    found = chunks("```\n" + "\n".join(lines) + "\n```\n")
    assert len(found) > 2
    assert [line for c in found for line in c.text.split("\n") if "`" not in line] == lines


@pytest.mark.parametrize("text", ["x" * 5000, "我们决定使用结构化日志" * 200, "구조화된로깅" * 300, "a,b;" * 2000])
def test_even_text_without_spaces_is_torn_to_size(text: str):
    found = chunks(text)
    assert all(length_of(c.text).tokens <= MAX_TOKENS for c in found)
    assert "".join(c.text for c in found) == text


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_deep_nesting_does_not_fill_a_chunk_with_indentation(indent: str):
    found = chunks("# L\n\n" + "\n".join(f"{indent * n}- item {n}" for n in range(300)))
    assert max(len(c.text) for c in found) <= MAX_CHARS
    assert len(found) < 10
    for chunk in found:
        items = [int(line.removeprefix(line[: line.index("item")] + "item ")) for line in chunk.text.split("\n")]
        assert items == list(range(chunk.place.lines[0] - 3, chunk.place.lines[1] - 2))
    assert found[-1].place.lines[1] == 302


def test_the_indentation_of_a_few_levels_is_kept():
    text = "\n".join(f"{'  ' * n}- item {n}" for n in range(12))
    assert [c.text for c in chunks(text)] == [text]


@pytest.mark.parametrize("blanks", [" " * 3000, "\t" * 5000, "\u3000" * 4000])
@pytest.mark.parametrize(
    "text", ["one{}two", "```\none{}two\n```", "|one{}|two|\n|---|---|\n|c|d|", "a\n\n    {}one two"]
)
def test_long_blanks_do_not_make_a_long_chunk(text: str, blanks: str):
    found = chunks(text.format(blanks))
    assert max(len(c.text) for c in found) <= MAX_CHARS
    whole = "\n".join(c.text for c in found)
    assert "one" in whole
    assert "two" in whole


def test_headings_without_a_body_go_with_what_follows():
    found = chunks("# A\n\n## We use Postgres\n\n## Details\n\nVersion 16.\n")
    assert [(c.heading, c.place.lines) for c in found] == [("A > Details", (3, 7))]
    assert "We use Postgres" in found[0].text


def test_headings_without_a_body_at_the_end_go_with_what_precedes():
    (chunk,) = chunks("# A\n\nbody\n\n# We use Redis\n")
    assert chunk.heading == "A"
    assert chunk.text.startswith("body")
    assert chunk.text.endswith("# We use Redis")


@pytest.mark.parametrize(
    ("path", "note", "told"),
    [
        ("Inbox.md", "# Wifi password is on the router\n", ["# Wifi password is on the router"]),
        ("Contacts.md", "# Plumber\n## Ottokar 0171 555 4711\n", ["## Ottokar 0171 555 4711"]),
        ("Ottokar.md", "# 0171 555 4711\n", ["# 0171 555 4711"]),
        ("todo.org", "* TODO Renew the passport of Kuba\n", ["# TODO Renew the passport of Kuba"]),
        ("Plumber.md", "Plumber\n=======\n", []),
        ("Plumber.md", "# Plumber\n## Notes\n", []),
        ("2026-03-14.md", "# Sat 14 March\n", []),
    ],
)
def test_a_heading_with_nothing_around_it_is_told_where_it_says_more_than_the_title(path, note, told):
    assert [chunk.text for chunk in chunk_note(note, path=path, evergreen=False).chunks] == told


def test_a_note_of_headings_is_one_chunk_and_a_lone_heading_none():
    (chunk,) = chunks("# Decisions\n## We use Postgres\n## We use Redis\n")
    assert chunk.heading == "Decisions"
    assert chunk.text == "## We use Postgres\n## We use Redis"
    assert chunks("# 2026-02-09\n") == []


@pytest.mark.parametrize("text", ["", "\n\n", "---\n", "#\n", "<!-- only a comment -->", "\ufeff", "   \n\t\n"])
def test_a_note_without_content_has_no_chunks(text: str):
    assert chunks(text) == []


def test_comments_are_left_out_and_lines_still_count():
    text = "# A\n\n<!-- a comment\n\n# not a heading\n-->\n\nbody <!-- aside --> text\n\n```\n<!-- code -->\n```\n`<!-- span -->`\n"
    (chunk,) = chunks(text)
    assert chunk.place.lines == (8, 13)
    assert "body  text" in chunk.text
    assert "<!-- code -->" in chunk.text
    assert "`<!-- span -->`" in chunk.text
    assert "aside" not in chunk.text
    assert chunk.heading == "A"


def test_a_comment_that_never_ends_hides_nothing():
    found = chunks("# A\n\n<!-- oops\n\nthe fact\n\n## B\n\nanother\n")
    assert "the fact" in found[0].text
    assert found[-1].heading == "A > B"


def test_our_own_block_in_a_note_is_not_indexed_again():
    block = '<relevant_memories>\n  <memory source="memory" path="a.md" lines="1-1" score="0.9">\n    old\n  </memory>\n</relevant_memories>\n'
    found = chunks(f"# A\n\nfirst\n\n{block}\nlast\n\n{block}\n## B\n\nend\n")
    assert [(c.text, c.place.lines) for c in found] == [("first\n\nlast", (3, 11)), ("end", (21, 21))]


def test_our_own_markdown_block_is_not_indexed_either_and_a_quoted_rule_is():
    block = "---\n**Relevant Memories:**\n\n> *memory* | `a.md` | lines 1-1 | (score: 0.900)\nold\n\n---\n"
    found = chunks(f"first\n\n{block}\n\n---\n\nlast\n{block}")
    assert [(c.text, c.place.lines) for c in found] == [("first", (1, 1)), ("last", (14, 14))]


def test_a_note_full_of_our_own_blocks_takes_no_long_time():
    block = '<relevant_memories>\n  <memory path="a.md">\n    old\n  </memory>\n</relevant_memories>\n'
    found = chunks(f"fact\n\n{block}" * 5000)
    assert found[0].text.startswith("fact")
    assert not any("old" in c.text for c in found)


def test_link_definitions_and_html_are_text():
    text = "[runbook]: https://wiki.example/runbook\n\n<details>\n\n- a fact\n\n</details>\n"
    (chunk,) = chunks(text)
    assert chunk.text == text.strip()


# Ids


def test_ids_are_sixteen_hex_digits_that_fit_a_signed_integer():
    for chunk in chunks(DAY_NOTE):
        assert len(chunk.id) == 16
        assert 0 <= int(chunk.id, 16) < 2**63


def test_ids_do_not_change_with_edits_of_other_sections():
    before = {c.heading: c.id for c in chunks(DAY_NOTE)}
    edited = DAY_NOTE.replace("Short introduction.", "A\nlonger\nintroduction.\n\nWith more.")
    after = {c.heading: c.id for c in chunks(edited)}
    assert after["2026-02-09"] != before["2026-02-09"]
    assert after["2026-02-09 > Deployment"] == before["2026-02-09 > Deployment"]
    assert after["2026-02-09 > Logging"] == before["2026-02-09 > Logging"]


def test_equal_sections_have_distinct_ids_and_so_have_equal_files():
    same = "## Notes\n\nnothing today\n\n"
    found = chunks(same * 3)
    assert len({c.id for c in found}) == 3
    assert {c.id for c in found}.isdisjoint(c.id for c in chunks(same * 3, "memory/other.md"))


# Dates and front matter ("keep: decay": the date of a note)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/2026-02-09.md", day(2026, 2, 9)),
        ("memory/2026-02-09-standup.md", day(2026, 2, 9)),
        ("memory/2026-02-09/2026-02-10.md", day(2026, 2, 9)),
        ("memory/2026-02-30/2026-03-01.md", day(2026, 3, 1)),
        ("memory/12026-02-09.md", None),
        ("MEMORY.md", None),
    ],
)
def test_the_first_valid_date_of_the_path_is_the_notes_date(path: str, expected: datetime | None):
    assert dated(path) == expected


def test_a_date_that_does_not_exist_leaves_the_note_undated_and_says_so():
    note = chunk_note("fact\n", path="memory/2026-02-30.md", evergreen=False)
    assert note.chunks[0].created_at is None
    assert "2026-02-30" in note.warnings[0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-09", day(2026, 2, 9)),
        ('"2026-02-09"', day(2026, 2, 9)),
        ("2026-02-09T10:30:00+02:00", day(2026, 2, 9)),
        ("2026-02-09T20:00:00-05:00", day(2026, 2, 9)),
        ("2026-02-09T00:30:00+02:00", day(2026, 2, 9)),
        ("2026-02-09 20:00:00", day(2026, 2, 9)),
        ("Monday 2026-02-09", day(2026, 2, 9)),
    ],
)
def test_front_matter_dates_a_note_whose_path_does_not(value: str, expected: datetime):
    text = f"---\ndate: {value}\n---\nfact\n"
    assert dated("memory/notes.md", text) == expected
    assert dated("memory/2025-01-01.md", text) == day(2025, 1, 1)


def test_a_front_matter_date_that_is_none_is_a_warning():
    note = chunk_note("---\ndate: 2026-02-30\n---\nfact\n", path="a.md", evergreen=False)
    assert "2026-02-30" in note.warnings[0]
    assert note.chunks[0].created_at is None


def test_a_heading_dates_its_section_when_nothing_else_does():
    text = "# Log\n\nevergreen\n\n## 2026-02-09 standup\n\none\n\n### Details\n\ntwo\n\n## Plans\n\nthree\n"
    found = {c.text: c.created_at for c in chunk_note(text, path="MEMORY.md", evergreen=False).chunks}
    assert found == {"evergreen": None, "one": day(2026, 2, 9), "two": day(2026, 2, 9), "three": None}
    assert {c.created_at for c in chunk_note(text, path="MEMORY.md", evergreen=True).chunks} == {None}


def test_evergreen_notes_never_decay_whatever_their_name():
    assert dated("memory/2026-02-09.md", evergreen=True) is None
    assert dated("memory/2026-02-09.md", "---\nevergreen: true\n---\nfact\n") is None
    assert dated("memory/2026-02-09.md", "---\nevergreen: false\n---\nfact\n") == day(2026, 2, 9)


def test_front_matter_is_not_text_but_its_lines_count():
    text = "---\ntitle: Release guide\ntags: [deploy, '#ci']\n---\n\n# Steps\n\nPush the tag.\n"
    (chunk,) = chunk_note(text, path="docs/guide.md", evergreen=False).chunks
    assert (chunk.heading, chunk.place.lines, chunk.text) == ("Release guide > Steps", (8, 8), "Push the tag.")
    assert {"#deploy", "#ci"} <= set(chunk.terms)


def test_a_field_of_the_front_matter_stands_with_the_first_passage_of_its_note():
    text = "---\nstatus: open\ntags: [site]\n---\n# Yard 14\n\nOrder of 23,400.\n\n## Log\n- 8.9. begun\n"
    first, log = chunk_note(text, path="Yard 14.md", evergreen=False).chunks
    assert (first.heading, first.text) == ("Yard 14", "status: open\n\nOrder of 23,400.")
    assert first.place.lines == (2, 7)
    assert (log.heading, log.text) == ("Yard 14 > Log", "- 8.9. begun")


def test_front_matter_without_a_passage_or_too_long_for_one_stands_alone():
    (alone,) = chunk_note("---\nphone: 5550123\n---\n# Mara\n", path="Mara.md", evergreen=False).chunks
    assert "phone: 5550123" in alone.text
    fields = "".join(f"field {n}: something that is said of it at length\n" for n in range(30))
    text = f"---\n{fields}---\n# Mara\n\nMet at the harbour.\n"
    assert chunk_note(text, path="Mara.md", evergreen=False).chunks[-1].text == "Met at the harbour."


@pytest.mark.parametrize(
    ("said", "indexed", "shared"),
    [
        ("sensitivity: public\nshared: true", True, True),
        ("sensitivity: low", True, None),
        ("Sensitivity: Medium\nshared: true", True, False),
        ("sensitivity: high", True, False),
        ("sensitivity: critical", False, False),
        ("sensitivity: hyper", False, False),
        ("sensitivity: ISO 400", True, None),
    ],
)
def test_a_note_says_how_sensitive_it_is(said, indexed, shared):
    """M27: low unless it names a level; above low nobody else hears of it, and what is critical is told in no session."""
    note = chunk_note(f"---\n{said}\n---\nThe safe stands in the cellar.\n", path="a.md", evergreen=False)
    assert (bool(note.chunks), note.shared) == (indexed, shared)
    assert indexed or "sensitivity: critical" in note.warnings[0]


@pytest.mark.parametrize(
    "said", ["#+PRIVATE: t", "#+title: Diary\n#+private: yes", ":PROPERTIES:\n:private: true\n:END:"]
)
def test_an_org_file_says_so_among_its_settings(said: str):
    assert chunk_note(f"{said}\n* Monday\nmy diary\n", path="a.org", evergreen=False).chunks == []


@pytest.mark.parametrize(
    ("org", "told"),
    [
        ("Serial 4711\n# remember to check\n  # and\n#\nServiced in March", "Serial 4711\n\nServiced in March"),
        ("Run it:\n#+BEGIN_SRC sh -n\n# restart\n* all\n#+END_SRC", "Run it:\n```sh\n# restart\n* all\n```"),
        ("- a\n  #+begin_example\n  x\n  #+end_example", "- a\n  ```\n  x\n  ```"),
        ("  :PROPERTIES:\n  :ID:  8f1c\n  :END:\n  Serial 4711", "  Serial 4711"),
        (":LOGBOOK:\n- Mara called\n:END:\ntext", "- Mara called\n\ntext"),
        (":smile: is what we say\n:NOTES:\nfoo", ":smile: is what we say\n:NOTES:\nfoo"),
        ("#+begin_quote\nSo be it\n#+end_quote\n#+begin_comment\nor not\n#+end_comment", "So be it"),
        ("#+BEGIN_SRC sh\nnever closed", "never closed"),
        ("#+filetags: :home:\n  #+attr_html[a]: x\n#hashtag", "#hashtag"),
    ],
)
def test_of_org_what_is_no_text_is_left_out_and_code_is_code(org: str, told: str):
    (chunk,) = chunk_note(f"* Boiler\n{org}\n", path="home.org", evergreen=False).chunks
    assert (chunk.heading, chunk.text) == ("home > Boiler", told)


def test_lines_of_org_still_count():
    text = "* Boiler\n:PROPERTIES:\n:ID: x\n:END:\n# later\nSerial 4711\n"
    (chunk,) = chunk_note(text, path="home.org", evergreen=False).chunks
    assert (chunk.heading, chunk.place.lines) == ("home > Boiler", (6, 6))


def test_a_private_note_is_not_indexed():
    note = chunk_note("---\nprivate: true\n---\nmy diary\n", path="a.md", evergreen=False)
    assert note.chunks == []
    assert "private" in note.warnings[0]


@pytest.mark.parametrize(
    "front",
    [
        "---\nprivate: yes please\n---\n",
        "---\nPrivate: true\n---\n",
        "---\nPRIVATE: 'On'\n---\n",
        "---\nprivate: [family]\n---\n",
        "---\nprivate: no\nPrivate: yes\n---\n",
        "---\nprivate:\n  true\n---\n",
        "---\nprivate:true\n---\n",
        "---\nprivate = true\n---\n",
        "\n---\nprivate: true\n---\n",
        "\ufeff\r\n \r\n---\r\nprivate: true\r\n---\r\n",
        "\n\ufeff---\nprivate: true\n...\n",
        "---\ntitle: [unclosed\nPrivate: perhaps # ask me\n---\n",
        "---\ndate: 2026-02-30\nprivate: 1\n---\n",
        "---\nprivate: true\n\n",
        "---\nprivate: true\n" + "padding: 1\n" * 7000 + "---\n",
    ],
)
def test_private_is_anything_but_a_clear_no_and_is_said_once(front: str):
    note = chunk_note(f"{front}my diary\n", path="memory/2026-02-09.md", evergreen=False)
    assert note.chunks == []
    assert len(note.warnings) == 1
    assert "private" in note.warnings[0]
    assert "as text" not in note.warnings[0]


@pytest.mark.parametrize("no", ["false", "No", "off", "0", "'no'", "", "~", "false # for now"])
@pytest.mark.parametrize("rest", ["title: T", "title: [unclosed"])
def test_a_clear_no_is_not_private(no: str, rest: str):
    note = chunk_note(f"---\nprivate: {no}\n{rest}\n---\nfact\n", path="a.md", evergreen=False)
    assert "fact" in note.chunks[-1].text


def test_private_further_down_is_a_word_like_any_other():
    for text in ("---\n\nfact\n\nprivate: mine\n", "fact\n\nprivate: mine\n", "private: true stories\n\nfact\n"):
        assert chunk_note(text, path="a.md", evergreen=False).chunks


def test_front_matter_below_blank_lines_counts_its_lines_and_takes_keys_in_any_case():
    (chunk,) = chunk_note("\n\n---\nTitle: Guide\n---\nPush.\n", path="a.md", evergreen=False).chunks
    assert (chunk.heading, chunk.place.lines, chunk.text) == ("Guide", (6, 6), "Push.")


def test_broken_front_matter_is_a_warning_and_its_text_is_kept():
    note = chunk_note("---\ndate: 2026-02-09\ntitle: ]closed\n---\nfact\n", path="a.md", evergreen=False)
    (warning,) = note.warnings
    assert "not YAML" in warning
    assert "line 3: " in warning
    assert "<unicode string>" not in warning
    assert "fact" in note.chunks[-1].text


@pytest.mark.parametrize("nested", ["[" * 60_000, "{a: " * 400, "- " * 5000])
def test_deeply_nested_front_matter_costs_neither_time_nor_a_crash(nested: str):
    note = chunk_note(f"---\n{nested}\n---\nfact\n", path="a.md", evergreen=False)
    assert "fact" in note.chunks[-1].text


def test_a_note_that_says_private_in_broken_front_matter_stays_private():
    text = "---\ntitle: [unclosed\nprivate: true\n---\nmy diary\n"
    assert chunk_note(text, path="a.md", evergreen=False).chunks == []


@pytest.mark.parametrize(
    "text", ["---\njust a line\n---\nfact\n", "---\nfact\n", "--- \n" + "[" * 400 + "\n---\nfact\n"]
)
def test_what_only_looks_like_front_matter_is_text(text: str):
    assert "fact" in chunk_note(text, path="a.md", evergreen=False).chunks[-1].text


# Length


def test_the_length_of_two_texts_is_the_sum_of_their_lengths():
    whole = (length_of("Hello world, ") + length_of("this is it")).tokens
    assert whole == length_of("Hello world, this is it").tokens


SAMPLES = {
    "English": "We decided to use structured logging for all services, because grep over plain text had become too slow. ",
    "German": "Die Geschwindigkeitsbegrenzung wurde gestern vom Ministerium beschlossen, sie gilt ab nächster Woche. ",
    "French": "Nous avons décidé d'utiliser la journalisation structurée pour tous les services à partir de lundi. ",
    "Dutch": "We hebben in het team afgesproken dat de database is verplaatst naar de nieuwe server, over een week. ",
    "Polish": "Wczoraj spotkaliśmy się z zespołem: baza danych zostanie przeniesiona w przyszłym tygodniu. ",
    "Turkish": "Dün ekiple toplandık ve veritabanının gelecek hafta yeni sunucuya taşınmasına karar verdik. ",
    "Latin": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore. ",
    "Russian": "Мы решили использовать структурированное логирование для всех сервисов со следующей недели. ",
    "Chinese": "我们决定使用结构化日志记录，部署脚本失败了。",
    "Japanese": "来週からすべてのサービスで構造化ログを使うことにしました。",
    "Korean": "우리는 다음 주부터 모든 서비스에 구조화된 로깅을 사용하기로 했습니다. ",
    "code": "def replace_file(self, path: str, *, digest: str) -> None: self._conn.execute('INSERT', (path, digest))\n",
    "hashes": "sha256 53aa51179f8d9db1c0ffee9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d QWxhZGRpbjpvcGVuIHNlc2FtZQ ",
    "table": "| **Router** | GLM-4.7 | Manager | ~$0.50-1.00/month | 2026-02-09 | 10.0.12.255:8080 |\n",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_every_chunk_fits_the_embedders_window(language: str):
    folder = Path(__file__).parents[2] / "models" / "minilm-l6-notes-int8"
    if not (folder / "tokenizer.json").exists():
        pytest.skip("the default model is not in models/")
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    found = chunks(f"# {SAMPLES[language][:80]}\n\n" + SAMPLES[language] * 60)
    assert len(found) > 1
    sizes = [len(tokenizer.encode(f"{c.heading}\n{c.text}").ids) for c in found]
    assert max(sizes) <= 256
    if language in ("English", "German", "Chinese", "Russian", "code"):
        least = 140 if language == "German" else 150  # of its words the model knows more than lengths were fitted to
        assert max(sizes) >= least  # and the window is put to use


def test_no_chunk_has_more_than_two_hundred_words():
    found = chunks("a b " * 3000)
    assert max(len(c.text.split()) for c in found) <= MAX_WORDS


def test_chunks_of_one_text_follow_each_other():
    for before, after in pairwise(chunks(DAY_NOTE * 3)):
        assert before.place.lines[1] < after.place.lines[0]


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        ("# Meeting\n\nDate:\nWho:\nAgenda:\n- \nDecisions:\n- [ ]\n", True),
        ("## Ziel：\n- 日期：\n- 人员：\n", True),
        ("# Meeting\n\nDate: 3 March\nWho:\nAgenda:\n- \n", False),
        ("Shopping:\n- \n", False),
        ("# {{title}}\n{{date}} attendees:\n", True),
        (
            "```yaml\nimage: {{ .Values.image }}\ntag: {{ .Values.tag }}\n```\n\nRender it with `helm template .`\n",
            False,
        ),
        ("The mail begins with `Dear {{name}}` and ends with `{{sender}}`; Mara changes it.\n", False),
        ("In the view write `<%= user.name %>` and `<%= user.mail %>`.\n", False),
        ("# {{title}}\n{{date}}\n\n```\n{{code}}\n```\n", True),
        (f"邮件开头写{{{{name}}}}，结尾写{{{{sender}}}}。{'管道工每年十月来检查暖气，费用由房东付。' * 5}\n", False),
        ("# Only a heading\n", False),
        ("Milk\nBread\n", False),
    ],
)
def test_a_form_that_nobody_filled_in_is_a_template(body: str, is_one: bool) -> None:
    assert is_template(body) is is_one


@pytest.mark.parametrize("begins", ["", "- ", "- [ ]", "a:"])
def test_a_line_of_a_million_blanks_is_read_to_an_end(begins: str):
    assert not is_template(f"{begins}{' ' * 1_000_000}x")


def test_a_page_with_macros_of_an_outliner_is_no_template_and_what_only_they_show_is_not_told():
    page = "- {{query (task TODO)}}\n- Herr Senn, {{cloze rent}} 770\n\t- {{embed ((6710bb02))}}\n- {{[[TODO]]}} call him\n"
    (chunk,) = chunk_note(page, path="pages/flat.md", evergreen=False).chunks
    assert chunk.text == "- Herr Senn, {{cloze rent}} 770\n- {{[[TODO]]}} call him"
    board = chunk_note("- {{query (task TODO)}}\n- {{query (task DOING)}}\n", path="pages/board.md", evergreen=False)
    assert (board.chunks, board.warnings) == ([], [])


DIARY = """\
DIARY 2026

Thu 1 Jan 26
first foot Calum at ten past 12
Sun 4 Jan 26
gathered. 42

```
Mon 5 Jan 26
```
"""


def test_days_that_stand_alone_in_a_line_part_a_diary_that_has_no_headings():
    first, second, third = chunk_note(DIARY, path="diary.txt", evergreen=False).chunks
    assert (first.text, first.created_at) == ("DIARY 2026", None)
    assert (second.text, second.place.lines, second.created_at) == (
        "first foot Calum at ten past 12",
        (4, 4),
        day(2026, 1, 1),
    )
    assert third.heading.endswith("Sun 4 Jan 26")
    assert "Mon 5 Jan 26" in third.text, "code stays as it is"


def test_a_heading_that_is_a_day_stays_as_it_is():
    text = "# Journal\n\n## Fri 2025-11-07\n- kuchen\n\n## Sat 2025-11-08\n- rain\n- 2025-11-09\n> 2025-11-10\n"
    headings = [c.heading for c in chunk_note(text, path="journal.md", evergreen=False).chunks]
    assert headings == ["Journal > Fri 2025-11-07", "Journal > Sat 2025-11-08"]


def test_a_single_day_in_a_line_is_text():
    text = "The boiler was serviced on\n3 March 2026\nby Sandro"
    assert [c.text for c in chunk_note(text, path="boiler.md", evergreen=False).chunks] == [text]


LIST = "\n".join(f"Meister {n} aus Freiburg, pünktlich und sauber, 0761 48 90 {n}" for n in range(10, 24))


@pytest.mark.parametrize("first", ["Handwerker", "Handwerker:", "handwerker 2026"])
def test_a_first_line_that_is_the_title_is_no_passage_of_its_own(first: str):
    note = chunk_note(f"\n{first}\n\n{LIST}", path="Handwerker.txt", evergreen=False)
    assert len(note.chunks) > 1
    for chunk in note.chunks:
        assert chunk.heading == first.rstrip(":")
        assert first not in chunk.text
    assert note.chunks[0].place.lines[0] == 4


@pytest.mark.parametrize(
    "text",
    [
        "Handwerker",
        "Handwerker\nElektro Schill",
        "Elektro Schill\n\n0761 40 77",
        "- Handwerker\n\nSchill",
        "Der beste Handwerker ist Schill\n\n0761 40 77",
    ],
)
def test_a_first_line_that_says_something_itself_stays_text(text: str):
    (only,) = chunk_note(text, path="Handwerker.txt", evergreen=False).chunks
    assert (only.heading, only.text) == ("Handwerker", text)


def test_the_id_that_notion_puts_behind_a_name_is_no_part_of_the_title():
    note = chunk_note(
        "Engineer Paul Orr.\n", path="Home/Boiler room 8f3a9c0b1d2e4f5a6b7c8d9e0f1a2b3c.md", evergreen=False
    )
    assert note.chunks[0].heading == "Boiler room"
    assert note.names == ("boiler room",)


@pytest.mark.parametrize(
    ("written", "heading"),
    [
        ("---\naliases: [Kantorei, choir]\n---\n# Kantorei\nThursdays at eight\n", "Kantorei (choir)"),
        ("---\naliases: [Möwe, the Möwe]\n---\nMooring 37\n", "Kantorei (Möwe)"),
        ("---\naliases: [a very long name that nobody would ever say twice]\n---\nMooring 37\n", "Kantorei"),
        ("alias:: choir\n\n- Thursdays at eight\n", "Kantorei (choir)"),
        ("Thursdays at eight\nalias:: choir\n", "Kantorei"),
    ],
)
def test_behind_the_title_stands_what_aliases_say_besides(written: str, heading: str):
    (chunk,) = chunk_note(written, path="Kantorei.md", evergreen=False).chunks
    assert chunk.heading == heading


@pytest.mark.parametrize(
    ("path", "body", "heading"),
    [
        ("New Note.md", "Paint for the hall:\nRAL 9010\n", "Paint for the hall"),
        ("Notiz (3).txt", "Reifen 12.11.\nvorn 2,4 bar\n", "Reifen 12.11."),
        ("Sans titre 2.md", "Codes du garage\n\n4471\n", "Codes du garage"),
        ("无标题 2.md", "车库密码\n\n4471\n", "车库密码"),
        ("Untitled.md", "# Garage\ncode 4471\n", "Untitled > Garage"),
        ("Untitled 4.md", "- milk\n- bread\n", "Untitled 4"),
        ("Untitled 4.md", "from: Ada\nsee you at nine\n", "Untitled 4"),
        ("Untitled 5.md", "I met Ada at the harbour today.\nShe sails on Friday.\n", "Untitled 5"),
        ("Untitled 6.md", "buy stamps\n", "Untitled 6"),
        ("Notizen.md", "Paint for the hall\nRAL 9010\n", "Notizen"),
        ("Note for Ada.md", "Paint for the hall\nRAL 9010\n", "Note for Ada"),
    ],
)
def test_the_first_line_is_the_title_of_a_note_that_only_an_app_named(path: str, body: str, heading: str):
    assert chunk_note(body, path=path, evergreen=False).chunks[0].heading == heading


@pytest.mark.parametrize(
    "line", ["0664 201 44 10", "01 523 88 40", "+31 6 2290 1187", "(0151) 2233-44", "Tel. 0800/555077.", "347 118 2290", "(503) 555-0142", "612 34 56 78"]
)  # fmt: skip
def test_a_passage_with_a_phone_number_is_found_by_what_one_calls_it(line: str):
    terms = chunk_note(f"Ada, {line}\n", path="people.md", evergreen=False).chunks[0].terms.distinct
    assert {"phone", "telefon", "nummer"} <= terms


@pytest.mark.parametrize(
    "line",
    [
        "on 01-02-2026",
        "1 200 000 in all",
        "05:30-06:00",
        "0,90 a km",
        "RG 2026-0614",
        "2026-02-18 09",
        "347 118 229 in all",
        "612 34 56",
    ],
)
def test_a_day_an_amount_and_an_invoice_are_no_phone_number(line: str):
    assert "phone" not in chunk_note(f"Ada, {line}\n", path="people.md", evergreen=False).chunks[0].terms.distinct
