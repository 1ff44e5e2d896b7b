"""Regular expressions that are compiled when one needs them."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from hookclaw_py.regex import Compiled, _Late, regex

EXPRESSIONS = (
    (r"(?P<day>\d+)\.", 0),
    (r"(?P<day>\d+)\.", int(re.ASCII)),
    (r"(?ix) \b(?: und | (?P<word>[^\W\d]{3,}) ) (?=\W) # a remark", 0),
    (r"ü\w+|[❄-❌]", int(re.IGNORECASE)),
    (r"^(?:a\w*+|(never)) (?(1).|\w)", int(re.MULTILINE)),
)


def test_it_finds_what_a_compiled_one_finds_the_first_time_and_later():
    late, compiled = regex(r"(?P<day>\d+)\.", re.ASCII), re.compile(r"(?P<day>\d+)\.", re.ASCII)
    for text in ("on the 3. of May", "never", "12. and 13."):
        for ask in ("search", "match", "fullmatch"):
            assert str(getattr(late, ask)(text)) == str(getattr(compiled, ask)(text))
        assert late.findall(text) == compiled.findall(text)
        assert late.sub("#", text) == compiled.sub("#", text)
    assert (late.pattern, late.flags, late.groups, dict(late.groupindex)) == (
        compiled.pattern,
        compiled.flags,
        compiled.groups,
        dict(compiled.groupindex),
    )


def test_it_is_compiled_once_and_not_before_it_is_asked(monkeypatch):
    made = []
    real = re._compiler._code
    monkeypatch.setattr(re._compiler, "_code", lambda parsed, flags: made.append(flags) or real(parsed, flags))
    compiled = Compiled(None)
    late = _Late("a+", re.IGNORECASE, compiled)
    assert not made
    assert late.search("BAA")
    assert late.search("BAA")
    assert late.groups == 0
    assert late.pattern == "a+"
    assert made == [re.IGNORECASE]


def test_threads_that_ask_at_once_have_it_compiled_once(monkeypatch):
    made, entered, released = [], threading.Event(), threading.Event()
    real = re._compiler._code

    def code(parsed, flags):
        made.append(flags)
        entered.set()
        assert released.wait(20)
        return real(parsed, flags)

    monkeypatch.setattr(re._compiler, "_code", code)
    compiled = Compiled(None)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(compiled.get, "a+", 0) for _ in range(4)]
        assert entered.wait(20)
        wait([*asked], timeout=0.3)
        released.set()
        (pattern,) = {one.result() for one in asked}
    assert (made, pattern.findall("baa")) == ([0], ["aa"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks there")
def test_a_fork_beside_a_thread_that_compiles_goes_on():
    program = """
import os, signal, threading
from hookclaw_py.regex import COMPILED
held = threading.Event()
def hold():
    with COMPILED._making:
        held.set()
        threading.Event().wait()
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    os._exit(0 if COMPILED.get("a+", 0).match("aa") else 1)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) and 1)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


def test_the_next_process_finds_it_compiled_and_finds_the_same_with_it(tmp_path, monkeypatch):
    file = str(tmp_path / "kept")
    first = Compiled(file)
    made = [first.get(*one) for one in EXPRESSIONS]
    first.keep()
    monkeypatch.setattr(re._compiler, "_code", None)  # nothing is compiled any more
    monkeypatch.setattr(re, "compile", None)
    found = [Compiled(file).get(*one) for one in EXPRESSIONS]
    monkeypatch.undo()
    assert made == found == [re.compile(*one) for one in EXPRESSIONS]
    for pattern, one in zip(found, EXPRESSIONS, strict=True):
        compiled = re.compile(*one)
        assert (pattern.flags, pattern.groups, pattern.groupindex) == (
            compiled.flags,
            compiled.groups,
            compiled.groupindex,
        )
        for text in ("Über den 3. of May", "am 12.\nand", "never ❄"):
            assert [(m.span(), m.lastgroup) for m in pattern.finditer(text)] == [
                (m.span(), m.lastgroup) for m in compiled.finditer(text)
            ]


def test_what_two_processes_have_compiled_is_kept_of_both(tmp_path):
    file = str(tmp_path / "kept")
    one, other = Compiled(file), Compiled(file)
    one.get("a+", 0)
    other.get("b+", 0)
    one.keep()
    other.keep()
    assert set(Compiled(file)._read()) == {("a+", 0), ("b+", 0)}
    assert [left.name for left in tmp_path.iterdir()] == ["kept"]


def test_too_many_are_those_of_many_versions_and_are_begun_anew(tmp_path):
    for expressions in ("abc", "de"):
        compiled = Compiled(str(tmp_path / "kept"), most=3)
        for expression in expressions:
            compiled.get(expression, 0)
        compiled.keep()
    assert set(compiled._read()) == {("d", 0), ("e", 0)}


def test_a_file_that_is_cut_short_or_altered_or_of_another_python_is_none(tmp_path, monkeypatch):
    file = tmp_path / "kept"
    compiled = Compiled(str(file))
    compiled.get(r"(?P<day>\d+)\.", 0)
    compiled.keep()
    whole = file.read_bytes()
    broken = [whole[:n] for n in range(len(whole))]
    broken += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in range(len(whole))]
    for content in broken:
        file.write_bytes(content)
        again = Compiled(str(file))
        assert again.get(r"(?P<day>\d+)\.", 0).search("on the 3. of May")["day"] == "3"
        assert again._new
    file.write_bytes(whole)
    assert Compiled(str(file))._read()
    monkeypatch.setattr(sys, "version", "3.99")
    assert Compiled(str(file))._read() == {}


def test_what_is_no_code_is_compiled(tmp_path):
    compiled = Compiled(None)
    compiled._known = {("a+", 0): (0, b"12345678", 0, {}, (None,)), ("b+", 0): (1,)}
    assert compiled.get("a+", 0).search("baa")[0] == "aa"
    assert compiled.get("b+", 0).search("abb")[0] == "bb"


def test_nothing_is_kept_where_python_may_keep_no_bytecode_or_nobody_may_write(tmp_path, monkeypatch):
    for file in (tmp_path / "kept", tmp_path / "missing" / "kept"):
        compiled = Compiled(str(file))
        compiled.get("a+", 0)
        monkeypatch.setattr(sys, "dont_write_bytecode", file.parent == tmp_path)
        compiled.keep()
    assert list(tmp_path.iterdir()) == []


def test_a_process_keeps_what_it_compiled(tmp_path):
    script = (
        "from hookclaw_py import regex\n"
        "print(regex._beside(), len(regex.COMPILED._read()), bool(regex.regex('a+').search('a')))"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    ran = [
        subprocess.run(
            [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert [one[1:] for one in ran] == [["0", "True"], ["1", "True"]]
    assert ran[0][0].startswith(str(tmp_path))


def test_one_that_is_wrong_says_so_when_it_is_asked():
    with pytest.raises(re.error, match="unterminated"):
        regex("(a").search("a")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda late: pickle.loads(pickle.dumps(late))])
def test_a_copy_finds_the_same(copied):
    late = regex("b.")
    assert copied(late).search("abc")[0] == late.search("abc")[0] == copied(late).search("abc")[0]
