"""Editing a gateway's configuration text without losing a comment."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hookclaw_py.hosts.openclaw.document import DocumentError, drop, is_plain_json, parse, put, value_at

COMMENTED = """// my gateway
/* two
   lines */
{
  gateway: { port: 18789, /* keep
     this */ mode: 'local', },
  "plugins": {
    // paths
    load: { paths: ["/a/b"] },   // trailing
    entries: {
      other: { enabled: true },
    },
  },
}
"""


def test_a_value_is_put_in_and_every_comment_stays():
    text = put(COMMENTED, ("plugins", "entries", "hookclaw"), {"enabled": True})
    text = put(text, ("plugins", "load", "paths"), ["/a/b", "/ours"])
    text = put(text, ("plugins", "allow"), ["hookclaw"])
    values = parse(text)
    assert value_at(values, ("plugins", "entries")) == {"hookclaw": {"enabled": True}, "other": {"enabled": True}}
    assert value_at(values, ("plugins", "load", "paths")) == ["/a/b", "/ours"]
    assert values["gateway"] == {"port": 18789, "mode": "local"}
    for comment in ("// my gateway", "/* two\n   lines */", "/* keep\n     this */", "// paths", "// trailing"):
        assert comment in text


def test_what_was_put_in_is_dropped_without_a_trace():
    for path in (("plugins", "allow"), ("plugins", "entries", "hookclaw"), ("brand", "new")):
        assert drop(put(COMMENTED, path, {"a": [1]}), path[:1] if path == ("brand", "new") else path) == COMMENTED


def test_dropping_takes_the_right_comma_along():
    assert json.loads(drop('{"a": 1, "b": 2}', ("a",))) == {"b": 2}
    assert json.loads(drop('{"a": 1, "b": 2}', ("b",))) == {"a": 1}
    assert json.loads(drop('{"a": 1}', ("a",))) == {}
    assert drop('{"a": 1}', ("b",)) == '{"a": 1}'
    assert drop('{"a": 1}', ("b", "c")) == '{"a": 1}'


@pytest.mark.timeout(60)  # with two ways to read each slash it ended after hours
def test_a_banner_behind_a_member_is_stepped_over():
    banner = "/" * 200
    text = f"{{a: 1 {banner}\n, b: 2 {banner}\n}}"
    assert parse(drop(text, ("a",))) == {"b": 2}
    assert parse(drop(text, ("b",))) == {"a": 1}


def test_what_is_no_configuration_is_refused_with_a_reason():
    for text in ("{a: ", "[1]", "", "{a: 1} b"):
        with pytest.raises(DocumentError):
            parse(text)
    with pytest.raises(DocumentError, match="object"):
        put('{"plugins": []}', ("plugins", "allow"), [])
    with pytest.raises(DocumentError):
        put("{a: ", ("plugins",), {})


def test_plain_json_is_told_from_json5():
    assert is_plain_json('{"a": 1}')
    assert not is_plain_json("{a: 1}")


keys = st.sampled_from(["plugins", "load", "paths", "entries", "a", "b-c"])
objects = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.dictionaries(keys, inner, max_size=3) | st.lists(inner, max_size=2), max_leaves=8)  # fmt: skip


@settings(max_examples=60)
@given(
    st.dictionaries(keys, objects, max_size=3),
    st.lists(keys, min_size=1, max_size=3),
    objects,
    st.sampled_from([None, 2]),
)
def test_the_edited_text_says_what_editing_the_values_says(values, path, value, indent):
    node = values
    for key in path[:-1]:
        if key in node and not isinstance(node[key], dict):
            return  # refused, as another test shows
        node = node.get(key, {})
    text = put(json.dumps(values, indent=indent), tuple(path), value)
    expected = json.loads(json.dumps(values))
    node = expected
    for key in path[:-1]:
        node = node.setdefault(key, {})
    node[path[-1]] = value
    assert json.loads(text) == expected
    del node[path[-1]]
    assert json.loads(drop(text, tuple(path))) == expected
