"""Secrets of notes: told to nobody else, to the owner where the owner wants it, and never written down a second time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from eval.studies.secret_kinds import samples, told
from hookclaw_py import Config, Engine, Outcome
from hookclaw_py.cli.commands import main
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.types import Injection, Prompt
from hookclaw_py.store.agents import agent_folder
from tests.conftest import FILLERS
from tests.e2e.web import door

NOW = datetime(2026, 3, 1, tzinfo=UTC)
STAGING, WIFI, BANK = "Zr4!kowalski-17", "tulip-anchor-93", "DE54 2246 8661 4759 0408 03"
NOTES = {
    "servers.md": f"# Staging database\n\nThe staging database runs on port 6432, user app, password {STAGING}\n",
    "house.md": f"# House\n\nThe house wifi is called Lindwurm, its password is {WIFI}.\n\n## Router\n\nIt hangs in the attic.\n",
    "bank.md": f"# Landlord\n\nThe rent goes to the landlord's account {BANK} on the first of the month.\n",
}
QUESTION = "On which port does the staging database run?"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for word in FILLERS:
        (folder / f"{word}.md").write_text(
            f"# {word.title()}\n\nA note on {word} and nothing else.\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def opened(tmp_path: Path, notes: Path) -> Iterator[Any]:
    engines: list[Engine] = []

    def opened(**settings: Any) -> Engine:
        engines.append(Engine.open(Config(shared=("**",), **settings), folder=tmp_path / "store", strict=True))
        engines[-1].index(notes)
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


def asked(engine: Engine, text: str = QUESTION, audience: Audience = Audience.OWNER) -> Injection:
    return engine.recall(Prompt(text, NOW, agent_id="main", session_id=f"of {audience}", audience=audience))


def test_no_kind_of_secret_reaches_a_shared_session_whatever_is_allowed(tmp_path: Path):
    kinds = samples()
    for number, sample in enumerate(kinds):
        text = f"# Project Alder {number}\n\nThe deployment notes of project Alder {number}: {sample.text}\n"
        (tmp_path / f"note{number}.md").write_text(text, encoding="utf-8")
    config = Config(secrets="owner", shared=("**",), enable_vector=False, max_results=1, reader="off")
    with Engine.in_memory(config, strict=True) as engine:
        engine.index(tmp_path)
        raw = []
        for number, sample in enumerate(kinds):
            injection = asked(engine, f"what do the deployment notes of project Alder {number} say", Audience.GROUP)
            assert injection.candidates[0].chunk.place.path == f"note{number}.md"
            raw += [sample.kind] if told(sample, injection.text) else []
    assert raw == []


@pytest.mark.parametrize("audience", list(Audience))
def test_who_is_told_a_secret(opened: Any, audience: Audience):
    kept = asked(opened(), audience=audience)
    assert "6432" in kept.text
    assert STAGING not in kept.text
    assert "password [redacted]" in kept.text
    allowed = asked(opened(secrets="owner"), audience=audience)
    assert (STAGING in allowed.text) == (audience is Audience.OWNER)


def test_the_password_of_the_wifi_is_told_to_its_owner_who_asks_for_it(opened: Any):
    engine = opened()
    assert WIFI in asked(engine, "what is the password of the house wifi?").text
    assert WIFI not in asked(engine, "what is the password of the house wifi?", Audience.GROUP).text
    unasked = asked(engine, "where in the house does Lindwurm and its password hang, the attic?")
    assert WIFI not in unasked.text
    assert BANK not in asked(engine, "which account does the rent of the landlord with the wifi go to?").text


def test_what_was_hidden_before_is_told_when_it_is_asked_for_and_nothing_is_told_twice(opened: Any):
    """A passage that was shown without its password is no longer news but for who asks for that."""
    engine = opened()
    before = asked(engine, "what is the house wifi called?")
    assert WIFI in before.text  # the wifi is asked for
    hidden = before.text.replace(WIFI, "[redacted]")
    for known in ({"shown": frozenset(c.chunk.id for c in before.candidates)}, {"conversation": (hidden,)}):
        again = Prompt(
            "what is the wifi password of the house?", NOW, agent_id="main", audience=Audience.OWNER, **known
        )
        assert WIFI in engine.recall(again).text
    told = Prompt(
        "what is the wifi password?", NOW, agent_id="main", audience=Audience.OWNER, conversation=(before.text,)
    )
    assert engine.recall(told).outcome is Outcome.SILENT


def test_what_the_conversation_holds_without_its_secret_is_not_sent_again(opened: Any):
    engine = opened()
    before = asked(engine)
    assert "[redacted]" in before.text
    prompt = Prompt("which port has the staging database?", NOW, agent_id="main", audience=Audience.OWNER)
    assert engine.recall(replace(prompt, conversation=(before.text,))).outcome is Outcome.SILENT


def test_explain_the_metrics_and_the_doctor_say_how_many_were_redacted(opened: Any):
    engine = opened()
    injection = asked(engine)
    steps = [step for step in injection.candidates[0].history if step.stage == "secrets"]
    assert [step.note for step in steps] == ["1 secret is [redacted]"]
    assert engine.metrics.totals()["redacted_secrets_total", ()] == 1


def test_what_is_not_redacted_in_time_is_not_told_at_all(tmp_path: Path, notes: Path):
    from dataclasses import replace

    from hookclaw_py.build import STAGES

    def broken(*_: object, **__: object) -> None:
        raise ValueError("no")

    with Engine.in_memory(Config(), strict=False, stages=replace(STAGES, conceal=broken)) as engine:
        engine.index(notes)
        injection = asked(engine)
    assert injection.text == ""
    assert injection.outcome is Outcome.FAILED
    assert "secrets: no" in injection.reason


def run(*words: str) -> str:
    ran = CliRunner().invoke(main, words)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    return ran.output


def test_nothing_that_is_written_down_or_printed_of_a_prompt_tells_a_secret_even_where_the_block_does(
    tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOOKCLAW_HOME", str(home))
    (home / "config.toml").write_text('secrets = "owner"\nrecordPrompts = true\ndebugLogging = true\n')
    run("index", str(notes))
    with caplog.at_level("INFO", logger="hookclaw"), Engine.open() as engine:
        injection = engine.recall(f"{QUESTION} its password is {STAGING} isn't it", session="s")
        again = engine.recall(QUESTION, session="t")
        assert STAGING in again.text
        engine.agent_end("t", f"On 6432, and the password is {STAGING}.")
    page = tmp_path / "page.html"
    printed = [
        *(run("explain", "--id", one.id, *how) for one in (injection, again) for how in ([], ["--json"])),
        *(
            run(*words)
            for words in (["history"], ["history", "--json"], ["prompts", "export"], ["stats"], ["stats", "--json"])
        ),
        *(run(*words, QUESTION) for words in (["explain"], ["explain", "--all"])),
        run("stats", "--html", str(page)) + page.read_text(encoding="utf-8"),
        caplog.text,
    ]
    assert again.outcome is Outcome.INJECTED
    assert [out for out in printed if STAGING in out] == []
    assert any("[redacted]" in out for out in printed)
    assert "port 6432" in page.read_text(encoding="utf-8")
    doctor = next(check for check in json.loads(run("doctor", "--json"))["checks"] if check["name"] == "secrets")
    assert "told in the owner's direct sessions, and nowhere else" in doctor["finding"]


@pytest.mark.slow
def test_the_viewer_tells_no_secret_either(tmp_path: Path, notes: Path):
    home = tmp_path / "home"
    with Engine.open(folder=agent_folder(home, "main")) as engine:
        engine.index(notes)
        engine.recall(QUESTION, session="s")
    with door(home) as opened, opened.client() as client:
        answers = [
            client.get("/api/search", params={"query": "staging database"}).text,
            client.post("/api/explain", json={"prompt": QUESTION}).text,
            client.get("/api/prompts").text,
            *(client.get(f"/api/prompt/{one['id']}").text for one in client.get("/api/prompts").json()["prompts"]),
        ]
    assert all("servers.md" in answer for answer in (*answers[:2], *answers[3:]))
    assert [answer for answer in answers if STAGING in answer] == []


CABINET = (
    "# cabinet\n\nkiné: Mme Roux, 12 rue des Lilas\nwifi: cabinet-kine / mot de passe Tulipe2024\nouvert de 8h à 19h\n"
)
DAYS = "# agenda\n\n8 décembre: fête des lumières à Lyon, on dort chez Solène\n12 décembre: réunion école\n15 décembre: vaccin chat\n"


@pytest.mark.parametrize(
    "prompt",
    ["il se passe quoi le 8 décembre", "qu'est-ce qui s'est passé le 8 décembre", "la passe du 8 décembre"],
)
def test_no_line_is_told_for_the_name_of_a_hidden_secret_and_what_happens_is_no_password(tmp_path: Path, prompt: str):
    (tmp_path / "cabinet.md").write_text(CABINET, encoding="utf-8")
    (tmp_path / "agenda.md").write_text(DAYS, encoding="utf-8")
    with Engine.in_memory(Config(), strict=True) as engine:
        engine.index(tmp_path)
        injection = asked(engine, prompt)
    assert "fête des lumières" in injection.text
    assert "[redacted]" not in injection.text
    assert ("pass" in injection.query.terms) == prompt.startswith("la passe")
