"""What a person sees of past prompts and says about memories: real store, real model, the commands as they are typed."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from hookclaw_py.cli.commands import main
from hookclaw_py.cli.demonstration import SOURCE
from hookclaw_py.config import Config
from hookclaw_py.engine import Engine
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Prompt

AT = datetime(2026, 2, 20, 9, tzinfo=UTC)
LOGGING = "What did we decide about the logging format?"
RESET = "How do we store the password reset tokens?"
MONGOLIA = "What is the capital of Mongolia?"
POEM = "Write a poem about the sea"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("indexed")
    return knows_the_notes(folder)


def knows_the_notes(home):
    with Engine.open(Config(), folder=home / "agents" / "main") as engine:
        engine.index(SOURCE)
    return home


@pytest.fixture
def home(indexed, database, tmp_path, monkeypatch):
    """A home of its own whose agent "main" knows the demo's notes and was asked nothing yet."""
    folder = tmp_path / "home"
    if database:
        knows_the_notes(folder)  # who copies the folder copies nothing of what a server keeps
    else:
        shutil.copytree(indexed, folder)
    monkeypatch.setenv("HOOKCLAW_HOME", str(folder))
    return folder


@pytest.fixture
def run(home):
    def run(*arguments, columns=100, **options):
        return CliRunner().invoke(main, list(arguments), env={"COLUMNS": str(columns)}, **options)

    return run


@pytest.fixture
def asked(home):
    """The ids of four prompts by name, the first of which the answer made use of."""
    with Engine.open(Config()) as engine:
        ids = {name: engine.recall(text, at=AT, session=name).id for name, text in PROMPTS.items()}
        engine.agent_end("logging", "We decided on JSON: one object a line, to stderr, and no colours.", success=True)
    return ids


PROMPTS = {"logging": LOGGING, "reset": RESET, "mongolia": MONGOLIA, "poem": POEM}


def test_every_prompt_is_kept_with_an_id_of_its_own_cached_and_skipped_ones_too(home):
    with Engine.open(Config()) as engine:
        given = [engine.recall(text, session="s") for text in (LOGGING, LOGGING, MONGOLIA, POEM, "thanks!")]
        engine.recall("only a look: what about the logging format?", session="s", record=False)
        engine.recall(Prompt("whose is this?", AT, agent_id="mallory", audience=Audience.OWNER))
        engine.history.flush()
        kept = engine.store.decisions()
    assert [g.id for g in reversed(kept)] == [i.id for i in given]
    assert len({i.id for i in given}) == 5
    assert [(g.outcome, g.cached) for g in reversed(kept)] == [
        ("injected", ""), ("injected", "exact"), ("silent", ""), ("skipped", ""), ("skipped", ""),
    ]  # fmt: skip


def test_a_recall_that_fails_as_a_whole_is_kept_as_a_failure(home, monkeypatch):
    with Engine.open(Config()) as engine:
        monkeypatch.setattr(engine.pipeline, "enrich", None)
        failed = engine.recall(LOGGING)
        engine.history.flush()
        (kept,) = engine.store.decisions()
    assert (kept.id, kept.outcome, kept.faults) == (failed.id, "failed", ("recall",))


def test_who_wants_no_history_gets_none(home, run):
    with Engine.open(Config(keep_history=False)) as engine:
        assert engine.recall(LOGGING).text
        assert engine.store.decisions() == []
    (home / "config.toml").write_text("keep_history = false\n", encoding="utf-8")
    assert "keepHistory = false" in run("history").stderr
    assert "nothing was asked" in run("stats").stdout


def test_history_lists_what_was_asked_newest_first(run, asked):
    lines = run("history").stdout.splitlines()
    heads = [line for line in lines if line[:1].strip()]
    assert [line.split()[0] for line in heads] == [asked[name][:8] for name in reversed(asked)]
    assert [line.split()[4] for line in heads] == ["skipped", "silent", "injected", "injected"]
    assert "1 used" in heads[-1]
    text = "\n".join(lines)
    for prompt in PROMPTS.values():
        assert prompt in text
    assert "matches skip pattern" in text
    assert "is below 0.5" in text


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_history_fits_the_terminal(run, asked, columns):
    assert max(map(len, run("history", columns=columns).stdout.splitlines())) <= max(columns, 66)


def test_history_can_be_narrowed_and_read_by_a_program(run, asked):
    def listed(*options):
        return [(row["session"], row["outcome"]) for row in json.loads(run("history", "--json", *options).stdout)]

    assert listed("--outcome", "silent") == [("mongolia", "silent")]
    assert listed("--session", "reset") == [("reset", "injected")]
    assert listed("--limit", "1") == [("poem", "skipped")]
    assert listed("--session", "nobody") == []
    assert "no such decision" in run("history", "--session", "nobody").stderr
    (row,) = json.loads(run("history", "--json", "--session", "logging").stdout)
    assert row["turn"]["kinds"][row["shown"][0]] == "used"
    assert run("history", "--outcome", "loud").exit_code == 2


def test_the_story_of_a_past_prompt_is_the_one_that_explain_told_then(run, home):
    at = ["--at", AT.isoformat()]
    then = run("explain", LOGGING, *at).stdout
    run("recall", LOGGING, *at)
    (row,) = json.loads(run("history", "--json").stdout)
    run("feedback", "block", "memory/2026-02-09.md:5")
    past = run("explain", "--id", row["id"][:6]).stdout
    assert past.startswith(row["id"])
    assert LOGGING in past.splitlines()[1]
    story = then[: then.index("\nms ")]
    assert story.count("✓ memory/2026-02-09.md:5-6") == 1
    assert story in past


def test_a_silent_and_a_skipped_prompt_can_be_explained_too(run, asked):
    silent = run("explain", "--id", asked["mongolia"]).stdout
    assert "SILENT" in silent
    assert "below 0.5" in silent
    assert "turn" not in silent
    assert "SKIPPED" in run("explain", "--id", asked["poem"]).stdout
    assert "no end of this turn" in run("explain", "--id", asked["reset"]).stdout
    assert "turn      used  memory/2026-02-09.md:5-6" in run("explain", "--id", asked["logging"]).stdout


def test_a_past_explanation_as_json_is_a_live_one_and_more(run, asked):
    live = json.loads(run("explain", LOGGING, "--at", AT.isoformat(), "--json").stdout)
    past = json.loads(run("explain", "--id", asked["logging"], "--json").stdout)
    assert set(live) <= set(past)
    assert past["text"] == live["text"]
    assert past["candidates"][0]["chunk"]["text"] == live["candidates"][0]["chunk"]["text"]
    assert past["prompt"] == LOGGING


def test_to_explain_is_only_a_look(run, asked):
    run("explain", "How are database backups made?", "--session", "s")
    assert len(json.loads(run("history", "--json").stdout)) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain"], "give a prompt, or --id"),
        (["explain", "what?", "--id", "abc"], "--id names a past prompt"),
        (["explain", "--id", "zzz"], "no decision 'zzz'"),
        (["replay", "zzz"], "no decision 'zzz'"),
        (["feedback", "good", "zzz"], "no decision 'zzz'"),
        (["feedback", "pin", "memory/nothing.md:1"], "there is no memory"),
        (["feedback", "pin", "MEMORY.md"], "names no memory"),
        (["--agent", "nobody", "history"], "no memory of agent 'nobody'"),
        (["--agent", "nobody", "stats"], "no memory of agent 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_with_exit_code_2(run, asked, arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_id_that_could_be_several_is_asked_back(run, home):
    with Engine.open(Config()) as engine:
        for n in range(17):
            engine.recall(f"{MONGOLIA} {n}")
    ids = [row["id"] for row in json.loads(run("history", "--json").stdout)]
    first = next(i[0] for i in ids if sum(j[0] == i[0] for j in ids) > 1)
    assert "give more of the id" in run("explain", "--id", first).stderr


# Replay


def test_replay_says_what_another_setting_would_have_done(run, asked):
    same = json.loads(run("replay", asked["logging"], "--json").stdout)
    assert [v["name"] for v in same["versions"]] == ["then", "now"]
    assert same["summary"] == "today the same memories would be injected"
    strict = json.loads(run("replay", asked["logging"], "--set", "minScore=.999", "--json").stdout)
    assert [v["outcome"] for v in strict["versions"]] == ["injected", "injected", "silent"]
    assert strict["summary"] == "with minScore=.999 the prompt would be silent; now it is injected"
    shown = run("replay", asked["logging"], "--set", "minScore=.999", columns=80).stdout
    for part in ("then", "now", "minScore=.999", "below 0.999", "memory/2026-02-09.md:5-6", "used"):
        assert part in shown


def test_replay_shows_which_memories_come(run, asked):
    told = run("replay", asked["logging"], "--set", "minScore=0", "--set", "adaptiveResults=false").stdout
    assert "with minScore=0 adaptiveResults=false 2 memories come and 0 go, compared with now" in told
    silent = run("replay", asked["mongolia"], "--set", "minScore=0").stdout
    assert "the prompt would be injected; now it is silent" in silent
    assert "nothing would change" in run("replay", asked["mongolia"]).stdout


def test_replay_records_and_teaches_nothing(run, asked, home):
    before = run("history", "--json").stdout, run("feedback", "list", "--json").stdout
    run("replay", asked["logging"], "--set", "maxResults=1")
    assert (run("history", "--json").stdout, run("feedback", "list", "--json").stdout) == before


def test_replay_refuses_a_setting_that_does_not_exist(run, asked):
    for setting, message in (
        ("minScor=1", "did you mean minScore?"),
        ("minScore=7", "0 to 1"),
        ("minScore", "KEY=VALUE"),
    ):
        result = run("replay", asked["logging"], "--set", setting)
        assert result.exit_code == 2
        assert message in result.stderr


def test_replay_says_when_a_note_has_changed_since(run, home, tmp_path):
    workspace = tmp_path / "w"
    (workspace / "memory").mkdir(parents=True)
    note = workspace / "memory" / "2026-02-01.md"
    note.write_text("The cellar key hangs behind the boiler.\n", encoding="utf-8")
    with Engine.open(Config(), agent="other") as engine:
        engine.index(workspace)
        name = engine.recall("Where does the cellar key hang?", at=AT).id
        note.write_text("Aunt Ida collects Bavarian stamps from before the war.\n", encoding="utf-8")
        engine.index()
    told = run("--agent", "other", "replay", name).stdout
    assert "gone" in told
    assert "no longer in the store" in told
    assert "the prompt would be silent; it was injected" in told


def test_notes_written_after_the_prompt_stay_out_of_a_replay(run, home, tmp_path):
    workspace = tmp_path / "w"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "2026-02-01.md").write_text("Aunt Ida collects stamps.\n", encoding="utf-8")
    with Engine.open(Config(), agent="other") as engine:
        engine.index(workspace)
        name = engine.recall("Where does the cellar key hang?", at=AT).id
        later = workspace / "memory" / "2026-03-01.md"
        later.write_text("The cellar key hangs behind the boiler.\n", encoding="utf-8")
        engine.index()
        assert "boiler" in engine.recall("Where does the cellar key hang?").text
    assert "nothing would change" in run("--agent", "other", "replay", name).stdout


# A person's word


def test_a_blocked_memory_is_gone_from_a_running_engine_at_once_and_back_when_unblocked(run, home):
    with Engine.open(Config()) as engine:
        best = engine.recall(LOGGING, at=AT, session="s").candidates[0].chunk
        place = f"{best.place.path}:{best.place.lines[0]}"
        assert run("feedback", "block", place).stdout.startswith(f"blocked: {best.id[:8]}  {place}")
        given = engine.recall(LOGGING, at=AT, session="s")
        assert best.id not in {c.chunk.id for c in given.candidates}
        assert best.text.splitlines()[0] not in given.text
        assert "already" in run("feedback", "block", best.id).stdout
        assert "no longer blocked" in run("feedback", "unblock", best.id[:7]).stdout
        assert engine.recall(LOGGING, at=AT, session="s").candidates[0].chunk.id == best.id
    assert "was not pinned" in run("feedback", "unpin", place).stdout


def test_what_was_pinned_blocked_and_judged_is_listed(run, asked, home):
    assert "nothing is pinned" in run("feedback", "list").stderr
    shown = json.loads(run("explain", "--id", asked["logging"], "--json").stdout)["candidates"][0]["chunk"]["id"]
    assert run("feedback", "good", asked["logging"][:8]).stdout.startswith(f"good: {shown[:8]}")
    assert "as you said before" in run("feedback", "good", asked["logging"]).stdout
    run("feedback", "pin", shown)
    assert "it was pinned" in run("feedback", "block", shown).stdout
    assert run("feedback", "list").stdout.startswith("blocked, 1 good")
    assert json.loads(run("feedback", "list", "--json").stdout) == [{"id": shown, "mark": "block", "good": 1, "bad": 0}]
    assert "used (called good)" in run("explain", "--id", asked["logging"]).stdout
    run("feedback", "bad", asked["logging"], shown[:10])
    assert json.loads(run("feedback", "list", "--json").stdout)[0]["bad"] == 1


def test_the_list_says_when_memories_were_forgotten(run, asked):
    before = datetime.now(UTC)
    assert run("feedback", "forget", "memory/2026-02-10.md:10", "--yes").stdout.startswith("forgotten: ")
    listed = run("feedback", "list")
    assert (listed.stdout.split()[:3], listed.stderr) == (["forgotten", "1", "memory,"], "")
    (row,) = json.loads(run("feedback", "list", "--json").stdout)
    assert row["mark"] == "forgotten"
    assert before <= datetime.fromisoformat(row["at"]) <= datetime.now(UTC)


def test_a_place_that_several_memories_share_means_the_one_that_was_injected(tmp_path, monkeypatch):
    monkeypatch.setenv("HOOKCLAW_HOME", str(tmp_path / "home"))
    note = tmp_path / "w" / "memory" / "a.md"
    note.parent.mkdir(parents=True)
    lines = [
        f"The {word} key hangs behind the boiler. {f'The {word} is painted green. ' * 60}"
        for word in ("cellar", "attic")
    ]
    note.write_text("".join(lines))
    with Engine.open(Config(maxResults=1)) as engine:
        engine.index(tmp_path / "w")
        injection = engine.recall("Where does the attic key hang, behind the boiler?")
        (shown,) = [candidate.chunk.id for candidate in injection.candidates]
        assert engine.store.count() > 2
    told = CliRunner().invoke(main, ["feedback", "bad", injection.id, "a.md:1"])
    assert told.stdout.startswith(f"bad: {shown[:8]}"), told.stderr


def test_a_memory_can_be_judged_by_a_prompt_that_named_no_session(run, home):
    with Engine.open(Config()) as engine:
        name = engine.recall(LOGGING, at=AT).id
    assert run("feedback", "bad", name).stdout.startswith("bad: ")
    assert json.loads(run("feedback", "list", "--json").stdout)[0]["bad"] == 1


def test_only_what_was_injected_can_be_judged(run, asked):
    assert "nothing was injected" in run("feedback", "good", asked["mongolia"]).stderr
    other = json.loads(run("explain", "--id", asked["reset"], "--json").stdout)["candidates"][0]["chunk"]["id"]
    refused = run("feedback", "good", asked["logging"], other)
    assert refused.exit_code == 2
    assert "was not injected for" in refused.stderr


@pytest.mark.sqlite
def test_what_is_forgotten_leaves_no_trace_in_any_file(run, home):
    config = Config(record_prompts=True)
    with Engine.open(config) as engine:
        best = engine.recall(RESET, at=AT, session="s").candidates[0].chunk
        engine.recall(MONGOLIA, at=AT, session="s")
        run("feedback", "pin", best.id)
        place = f"{best.place.path}:{best.place.lines[0]}"
        assert run("feedback", "forget", place, input="n\n").exit_code == 1
        assert engine.recall(RESET, at=AT, session="s").candidates[0].chunk.id == best.id
        engine.history.flush()
        result = run("feedback", "forget", place, input="y\n")
        assert best.text in result.stdout
        assert f"forgotten: {best.id}" in result.stdout
        assert f"the note still has it: {place}" in result.stdout
        given = engine.recall(RESET, at=AT, session="s", record=False)
        assert best.text.splitlines()[0] not in given.text
        engine.index()
        assert engine.store.get(best.id) is None
    telling = max(best.text.split("."), key=len).strip().encode()
    files = [file for file in (home / "agents").rglob("*") if file.is_file() and file.suffix != ".lock"]
    left = {file.name: found for file in files if (found := traces(file, telling, best.id))}
    assert left == {"forgotten": {best.id.encode()}}  # which id must not come back, and nothing of what it said
    assert "there is no memory" in run("feedback", "forget", best.id[:8], "--yes").stderr
    assert run("feedback", "forget", best.id, "--yes").exit_code == 0  # what an interruption left undone
    exported = run("prompts", "export").stdout
    assert "Mongolia" in exported
    assert "reset tokens" not in exported


def traces(file: Path, telling: bytes, chunk_id: str) -> set[bytes]:
    data = file.read_bytes()
    return {one for one in (telling, chunk_id.encode()) if one in data}


# The panel


def test_stats_count_what_happened_and_say_what_is_unknown(run, home):
    with Engine.open(Config()) as engine:
        for name, text in PROMPTS.items():
            engine.recall(text, session=name)
        engine.agent_end("logging", "We decided on JSON: one object a line, to stderr, and no colours.")
    told = run("stats").stdout
    for part in (
        "Memory of agent main",
        "2 injected, 1 skipped, 1 silent",
        "1 used a memory, 1 unknown: no end was heard",
        "2 unknown: nobody labelled them",
        "Most useful notes",
        "used 1 of 1 times",
    ):
        assert part in " ".join(told.split()), part
    found = json.loads(run("stats", "--json").stdout)
    assert found["prompts"] == sum(found["outcomes"].values()) == sum(sum(d.values()) for d in found["by_day"].values())
    assert found["turns"] == {"used": 1, "unused": 0, "unknown": 1, "unseen": 0}
    assert found["silences"] == {"right": 0, "wrong": 0, "unknown": 2}
    assert found["tokens"] > 20
    assert found["useful"][0]["place"].startswith("memory/")


def test_stats_count_verdicts_on_prompts_without_a_session_too_and_the_last_word_alone(run, home):
    """As who asks at the shell gives them."""
    with Engine.open(Config()) as engine:
        ids = [engine.recall(text, session=name).id for text, name in ((LOGGING, ""), (RESET, "s"))]
    for name in ids:
        run("feedback", "bad", name)
        run("feedback", "good", name)
    with Engine.open(Config()) as engine:
        shown = {one.id: len(engine.store.memories_of(one.shown)) for one in engine.store.decisions()}
    found = json.loads(run("stats", "--json").stdout)
    assert (found["good"], found["bad"]) == (sum(shown[name] for name in ids), 0)


def test_who_asks_at_the_command_line_is_not_told_of_turns_that_never_ended(run, home):
    with Engine.open(Config()) as engine:
        for _ in range(12):
            engine.recall(LOGGING)
    assert json.loads(run("stats", "--json").stdout)["suggestions"] == []


def test_turns_whose_end_nobody_told_are_not_taken_for_useless_ones(run, home):
    with Engine.open(Config()) as engine:
        for n in range(12):
            engine.recall(LOGGING, session=f"s{n}")
    assert [s["rule"] for s in json.loads(run("stats", "--json").stdout)["suggestions"]] == ["no turn ends"]
    told = " ".join(run("stats").stdout.split())
    assert "What to change • memories were injected 12 times and no end of a turn was ever heard" in told
    with Engine.open(Config()) as engine:
        for n in range(12):
            engine.agent_end(f"s{n}", "I cannot help with that.")
    assert [s["rule"] for s in json.loads(run("stats", "--json").stdout)["suggestions"]] == [
        "shown in vain",
        "seldom used",
    ]


def test_a_block_that_came_too_late_and_a_turn_that_failed_are_told_apart(run, home, tmp_path):
    with Engine.open(Config()) as engine:
        late, failed = (engine.recall(LOGGING, session=name).id for name in ("late", "failed"))
        engine.unshow(late)
        engine.agent_end("failed", "", success=False, error="no model")
    assert "too late" in run("history").stdout
    assert "the host had given up waiting" in run("explain", "--id", late).stdout
    assert "it failed" in run("explain", "--id", failed).stdout
    assert json.loads(run("stats", "--json").stdout)["turns"] == {"used": 0, "unused": 0, "unknown": 1, "unseen": 1}
    with Engine.open(Config()) as engine:
        for n in range(10):
            engine.recall(LOGGING, session=f"s{n}")
    run("stats", "--html", str(tmp_path / "panel.html"))
    assert "blocks came when the host had given up" in (tmp_path / "panel.html").read_text(encoding="utf-8")


def test_stats_leave_older_prompts_out(run, asked):
    assert json.loads(run("stats", "--json").stdout)["prompts"] == 0
    assert "nothing was asked in this time" in run("stats").stdout


def test_what_a_person_labelled_is_counted_as_right_or_wrong_silence(run, home):
    with Engine.open(Config(record_prompts=True)) as engine:
        engine.recall(MONGOLIA, session="s")
        engine.recall("Which colour do penguins prefer for their umbrellas?", session="s")
        engine.recall(LOGGING, session="s")
    run("prompts", "label", input="s\nm\nh\n")
    found = json.loads(run("stats", "--json").stdout)
    assert found["silences"] == {"right": 1, "wrong": 1, "unknown": 0}
    assert "1 right by your labels, 1 wrong by your labels" in " ".join(run("stats").stdout.split())


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.loaded += [value for name, value in attrs if name in {"src", "href"}]
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_is_whole_loads_nothing_and_escapes_what_notes_say(run, home, tmp_path):
    workspace = tmp_path / "w"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "keys.md").write_text(
        "The <b>cellar</b> key & the boiler <script>x()</script>\n", encoding="utf-8"
    )
    with Engine.open(Config(), agent="other") as engine:
        engine.index(workspace)
        engine.recall("Where does the cellar key hang, near the boiler?", session="s")
        engine.agent_end("s", "script x() hangs there")
    file = tmp_path / "panel.html"
    result = run("--agent", "other", "stats", "--html", str(file))
    assert (result.exit_code, result.stdout) == (0, "")
    written = file.read_text(encoding="utf-8")
    page = _Page()
    page.feed(written)
    assert (page.open, page.loaded) == ([], [])
    assert "<script" not in written
    assert "The <b>cellar</b> key & the boiler" in page.text
    assert "Memory of agent other" in page.text


def test_the_page_of_a_time_without_prompts_says_so(run, home, tmp_path):
    run("stats", "--html", str(tmp_path / "panel.html"))
    assert "nothing was asked" in (tmp_path / "panel.html").read_text(encoding="utf-8")
