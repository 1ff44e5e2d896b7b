"""What says that it is private is not read, however oddly it says so; and where it stands, nothing of it is seen."""

from __future__ import annotations

import pytest

from hookclaw_py.ingest.markdown import PRIVATE, chunk_note
from hookclaw_py.privacy.marked import private_blanked, without_marked, without_private

SAID = "Walnut fourteen"
YAML, TOML = "---\ntitle: x\n{}\n---\n", "+++\ntitle = 'x'\n{}\n+++\n"
FIELDS = [
    "private: true", "Private: True", "PRIVATE: TRUE", "private: yes", "private: on", "private: 1", 'private: "true"', "private: 'yes'",
    '"private": true', "'private': true", " private: true", "\tprivate: true", "private:\ttrue", "private : true", "private: true # because",
    "private: maybe", "private: [1]", "private: |\n  true", "private:\n  true", "private:\n  - yes", "private:\n- yes", "? private\n: true",
    "access:\n  private: true", "access: {private: yes}", "a:\n- b:\n    private: on", "{private: true}", "private: true\nprivate: false",
    "private: false\nprivate: true", '"\\x70rivate": true', "pri\u200bvate: true", "private：true", "private: !!bool true", "private: &p true", "\tbroken: [\nprivate: true",
]  # fmt: skip
WHOLE = [
    *(YAML.format(field) for field in FIELDS),
    *(TOML.format(field) for field in ("private = true", "Private = 1", '"private" = "yes"', "params.private = true", "[params]\nprivate = true",
                                       "params = { private = true }", '"\\u0070rivate" = true', "private=true # x")),
    *(json + "\n" for json in ('{"private": true}', '{"title": "x", "private": 1}', '{\n  "title": "x",\n  "Private" : "yes"\n}', '{"a": {"private": true}}',
                              '{"\\u0070rivate": true}', '{"private": true', "{private: true}", '{"tags": [{"private": true}]}')),
    "\ufeff---\nprivate: true\n---\n", "\ufeff\ufeff---\nprivate: true\n---\n", "\n\n---\nprivate: true\n---\n", "---\r\nprivate: true\r\n---\r\n",
    "---\rprivate: true\r---\r", "---  \nprivate: true\n---  \n", "---\nprivate: true\n...\n", "----\nprivate: true\n----\n", "--- # x\nprivate: true\n---\n",
    "---\nprivate: true\n", "---\ntitle: x\n\nprivate: true\n\n", "+++\nprivate = true\n", "# Title\n\n---\nprivate: true\n---\n", "private: true\n\n",
    "Title: x\nPrivate: yes\n\n", "private:: true\n", "- private:: true\n", "#+private: true\n", ":PROPERTIES:\n:PRIVATE: t\n:END:\n", "<!-- private: true -->\n",
    "```yaml\nprivate: true\n```\n", ";;;\n{\"private\": true}\n;;;\n", " ---\n private: true\n ---\n", "---\u2028\nprivate: true\n---\n", "**private**: yes\n",
    "privat\u00ade: true\n", "---\ntitle: x\nprivate: ja\n---\n", "private: oui\n", "private: 是\n",
]  # fmt: skip


@pytest.mark.parametrize("head", WHOLE, ids=ascii)
def test_a_note_that_says_private_is_not_read(head: str):
    note = chunk_note(f"{head}\n{SAID} opens the safe.\n", path="a.md", evergreen=False)
    assert note.chunks == []
    assert note.warnings == [PRIVATE]


OPEN = [
    *(YAML.format(field) for field in ("private: false", "private: No", "private: 0", 'private: "off"', "private:", "private: ~", "privateer: yes", "tags: [a]",
                                       "description: it is private", "is-private: x", "access:\n  private: false")),
    TOML.format("private = false"), TOML.format("private = "), '{"private": false}\n', "# Private matters\n\nPrivate: call Bob at 14:00\n", "A private note: yes, really.\n",
    "The private key: see the vault.\n", "---\n\nA rule, and then text that is not private: no.\n",
]  # fmt: skip


@pytest.mark.parametrize("head", OPEN, ids=ascii)
def test_other_notes_are(head: str):
    note = chunk_note(f"{head}\n{SAID} opens the safe.\n", path="a.md", evergreen=False)
    assert SAID in note.chunks[-1].text


def test_a_line_far_down_says_nothing_of_the_note():
    note = chunk_note("Some words.\n\n" * 40 + "private: true\n", path="a.md", evergreen=False)
    assert note.chunks


MARKED = [
    f"<private>{SAID}</private>", f"a <private>{SAID}</private> b", f"<PRIVATE>\n{SAID}\n</Private>", f'<private why="hr">{SAID}</private>',
    f"<private>a<private>b</private>{SAID}</private>", f"<private>{SAID}", f"- item\n  <private>{SAID}</private>", f"```\n<private>{SAID}</private>\n```",
    f"> <private>{SAID}</private>", f"<private>\n\n# {SAID}\n\n{SAID}\n</private>", f"| a | <private>{SAID}</private> |",
]  # fmt: skip


@pytest.mark.parametrize("marked", MARKED, ids=ascii)
def test_what_is_marked_private_in_a_note_is_in_no_chunk(marked: str):
    text = f"# House\n\nThe attic is dry, and warm in summer.\n\n{marked}\n"
    note = chunk_note(text, path="a.md", evergreen=False)
    whole = "\n".join(f"{c.heading}\n{c.text}\n{c.terms}" for c in note.chunks)
    assert "The attic is dry" in whole
    assert SAID not in whole
    assert "walnut" not in whole.lower()


def test_the_lines_of_what_is_left_are_those_of_the_file():
    text = f"# House\n\n<private>\n{SAID}\n\nmore\n</private>\n\nThe attic is dry.\n"
    assert private_blanked(text).split("\n").index("The attic is dry.") == text.split("\n").index("The attic is dry.")
    (chunk,) = chunk_note(text, path="a.md", evergreen=False).chunks
    assert chunk.place.lines == (9, 9)


def test_of_a_prompt_only_what_is_private_goes():
    text = f"a <private>{SAID}</private> b <system-reminder>c</system-reminder>"
    assert without_private(text) == "a b <system-reminder>c</system-reminder>"
    assert without_marked(text).text == "a b"
