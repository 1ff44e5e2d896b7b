"""The viewer in a real Chromium: what a person sees, and what their clicks do to the memory behind it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hookclaw_py import Config, Engine, build
from hookclaw_py.model.draft import Speaker
from hookclaw_py.model.kind import OBSERVATION
from hookclaw_py.model.level import Level
from hookclaw_py.model.record import Record, RecordAction, RecordChange
from hookclaw_py.model.salience import Salience
from hookclaw_py.store.agents import agent_folder
from tests.e2e.browser import Page, chromium
from tests.e2e.web import Door, door, remembered, run
from tests.waiting import wait_until

pytestmark = pytest.mark.slow
AXE = Path.home() / ".cache" / "hookclaw-e2e" / "axe"
PICTURES = os.environ.get("VIEWER_PICTURES", "")
"""A folder, if somebody wants to look at the screenshots."""
VIEWS = ("live", "search/office", "memories", "timeline", "numbers", "health")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Door, Page]]:
    folder = tmp_path_factory.mktemp("viewer")
    remembered(folder / "home", folder / "notes")
    with door(folder / "home") as served, chromium() as page:
        page.size(1280, 900)
        page.open(f"{served.url}/#token={served.token}")
        page.waits_for("live", "#link")
        yield served, page


def show(page: Page, view: str) -> None:
    """Go to a view, and wait until it is drawn."""
    page.run("location.hash = arguments[0]", f"#/{view}")
    name = view.partition("/")[0]
    wait_until(
        lambda: page.run(
            "return document.querySelector('main').dataset.view === arguments[0] && !!document.querySelector('main h1')",
            name,
        ),
        f"the view {name}",
    )


def axe() -> str:
    """Return the source of axe-core, from npm, kept between runs."""
    file = AXE / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        if shutil.which("npm") is None:
            pytest.skip("needs npm, for axe-core")
        AXE.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "axe-core@4"]
        subprocess.run(command, cwd=AXE, check=True, timeout=120)
    return file.read_text(encoding="utf-8")


def test_a_turn_arrives_live_a_silence_is_explained_and_a_fact_is_corrected_and_forgotten(opened):
    """The walk: every step is what a person sees and clicks."""
    served, page = opened
    assert served.token not in page.run("return location.href"), "the token does not stay in the address"
    page.waits_for("What is the capital of Mongolia?", ".feed")
    page.waits_for("silent", ".feed")

    with served.client() as client:
        client.post("/sessions/web/init", json={"userPrompt": "We decided to ship the Beacon service on Friday."})
    page.waits_for("Beacon", ".feed")

    page.click("silent", ".feed a")
    page.waits_for("top relevance", ".detail")
    page.waits_for("Considered, and left out", ".detail")
    page.waits_for("below 0.5", ".detail")

    show(page, "live")
    page.click("injected", ".feed a")
    page.waits_for("one JSON object a line", ".detail")
    page.waits_for("used", ".detail .candidates")

    show(page, "live")
    run(served.home, "recall", "Who is the team lead these days?")  # another process
    page.waits_for("Who is the team lead these days?", ".feed")

    show(page, "memories")
    page.click("fact", ".rows a")
    page.waits_for("1,100 customers", ".detail h2")
    page.click("Correct", ".detail button")
    page.type("#words", "Mondo Gate has 1,234 customers.")
    page.click("Save", ".detail button")
    page.waits_for("1,234 customers", ".detail h2")
    page.waits_for("1,100 customers", ".detail .history")
    page.click("Undo", ".toast:last-child button")
    page.waits_for("1,100 customers", ".detail h2")
    page.click("Pin", ".detail button")
    page.waits_for("Unpin", ".detail")

    file = served.home / "agents" / "main" / "memory.db"
    assert b"1,234 customers" in contents(file)
    page.click("Forget", ".detail button")
    page.click("Undo", ".toast:last-child button")
    page.click("Forget", ".detail button")
    page.waits_for("Forgotten.", "#toasts")
    assert b"1,234 customers" not in contents(file)
    show(page, "live")
    page.waits_for("forgotten", ".feed")
    assert "1,234 customers" not in page.text(), "nor does the page say it any more"
    assert page.complaints() == []


def test_earlier_prompts_are_shown_once_each_whatever_was_asked_meanwhile(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    with Engine.open(Config(enable_vector=False, reader="off"), folder=agent_folder(home, "main")) as engine:
        for number in range(60):
            engine.recall(f"Which key is the one of cellar {number}?")
        with door(home) as served, chromium() as page:
            page.open(f"{served.url}/#token={served.token}")
            page.waits_for("live", "#link")
            page.waits_for("cellar 59?", ".feed")
            for number in range(60, 63):
                engine.recall(f"Which key is the one of cellar {number}?")
                page.waits_for(f"cellar {number}?", ".feed")
            page.click("Earlier prompts")
            page.waits_for("cellar 0?", ".feed")
            shown = page.run("return [...document.querySelectorAll('.feed .recall .says')].map((one) => one.innerText)")
            assert shown == [f"Which key is the one of cellar {number}?" for number in reversed(range(63))]


def contents(file: Path) -> bytes:
    """Return every byte of a database, and of what stands beside it."""
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return b"".join(path.read_bytes() for path in file.parent.glob("memory.db*"))


def test_the_views_are_fit_for_every_screen_and_for_those_who_do_not_see_them(opened, capsys):
    """axe-core finds nothing serious, and nothing is wider than the screen, from 360 to 2,000 pixels, light and dark."""
    _, page = opened
    checker = axe()
    found = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for width in (360, 900, 1600, 2000):
            page.size(width, 900)
            for view in (*VIEWS, "live/first", "memories/first"):
                show(page, chosen(page, view))
                page.run("return document.querySelector('main').offsetHeight")
                assert page.run("return document.documentElement.scrollWidth") <= width, (view, width)
                if PICTURES:
                    page.picture(Path(PICTURES) / f"{view.replace('/', '-')}-{width}-{scheme}.png")
                if width in (360, 1600):
                    told = page.later(f"const done = arguments[arguments.length - 1]; {checker}; axe.run().then(done)")
                    found += [
                        f"{scheme} {width} {view}: {one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
                        for one in told["violations"]
                        if one["impact"] in ("serious", "critical")
                    ]
    page.size(1280, 900)
    page.scheme("light")
    assert found == []


def chosen(page: Page, view: str) -> str:
    """Return the address of a view; "first" is the first thing of its list."""
    if not view.endswith("/first"):
        return view
    show(page, view.partition("/")[0])
    selector = {"live": ".feed .recall a", "memories": ".rows a"}[view.partition("/")[0]]
    found: list[str] = []  # looked for and read at once: a list that comes in is drawn anew
    script = "return document.querySelector(arguments[0])?.hash.slice(2) ?? ''"
    wait_until(lambda: found.append(page.run(script, selector)) or found[-1], f"a first of {view}")
    return found[-1]


def test_the_page_is_small_and_begins_soon_and_loads_nothing_from_elsewhere(opened, capsys):
    served, page = opened
    page.open(f"{served.url}/")
    page.waits_for("live", "#link")
    told = page.run(
        "const all = performance.getEntriesByType('resource');"
        "return {names: all.map((one) => one.name), bytes: all.filter((one) => one.name.includes('/page/'))"
        ".reduce((sum, one) => sum + one.decodedBodySize, 0),"
        "paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0}"
    )
    with capsys.disabled():
        print(f"\nviewer: {told['bytes']:,} bytes, first contentful paint after {told['paint']:.0f} ms", flush=True)
    assert {name.split("/")[2] for name in told["names"]} == {served.url.split("/")[2]}
    assert 10_000 < told["bytes"] < 150_000


def test_memory_text_is_shown_and_never_run(opened):
    served, page = opened
    attack = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> is our logo"
    with served.client() as client:
        client.post("/sessions/attack/init", json={"userPrompt": f"We decided that {attack}."})
    show(page, "live")
    page.waits_for("<img src=x onerror", ".feed")
    assert "owned" not in page.run("return document.title")
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0


def test_a_hundred_thousand_memories_are_scrolled_without_a_stutter(tmp_path, capsys):
    """Only what is seen is in the page; a jump to the end asks for the end."""
    home = tmp_path / "home"
    run(home, "index", str(tmp_path_with_a_note(tmp_path)))
    many(home, 100_000)
    with door(home) as served, chromium() as page:
        page.size(1280, 900)
        page.open(f"{served.url}/#token={served.token}")
        page.waits_for("live", "#link")
        show(page, "memories")
        page.waits_for("100,000 memories")
        script = (
            "const done = arguments[arguments.length - 1]; const box = document.querySelector('.virtual');"
            "const frames = []; let last = performance.now(); let left = 90;"
            "function step(now) { frames.push(now - last); last = now; box.scrollTop += 700; left -= 1;"
            " if (left) requestAnimationFrame(step); else done([frames, document.querySelectorAll('.rows li').length]); }"
            "requestAnimationFrame(step);"
        )
        frames, there = page.later(script)
        assert there < 60
        page.run("const box = document.querySelector('.virtual'); box.scrollTop = box.scrollHeight")
        page.waits_for("thing number 0 ", ".rows")
        page.run("document.querySelector('.rows a').focus()")
        before = page.run("return document.activeElement.hash")
        page.press("\ue015")  # arrow down
        assert page.run("return document.activeElement.hash") != before
        frames.sort()
        with capsys.disabled():
            print(
                f"\n100,000 memories: half of the frames within {frames[45]:.0f} ms, 95 % within {frames[85]:.0f} ms",
                flush=True,
            )


def tmp_path_with_a_note(folder: Path) -> Path:
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The plumber is called Ottokar.\n", encoding="utf-8")
    return notes


def many(home: Path, number: int) -> None:
    """Put so many records into a store, without passages: what is tested is the list."""
    began = datetime(2025, 1, 1, tzinfo=UTC)
    store = build.store(agent_folder(home, "main"))
    with store, store.together():
        for place in range(number):
            at = began + timedelta(minutes=place)
            record = Record(
                id=f"{place + 1:016x}", kind=OBSERVATION, about=str(place), title="", body=f"thing number {place} was seen",
                said_by=Speaker.TOOL, confidence=0.7, salience=Salience(1.0, at), level=Level.LOW, first_at=at, at=at,
            )  # fmt: skip
            store.write_record(RecordChange(record, RecordAction.BEGUN, "seen"), None, at=at, actor="test")
