"""What is written down of an injection: how likely exploration made each showing, given what was asked."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from hookclaw_py.learning import settling
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.place import FilePlace
from hookclaw_py.model.reason import Reason, Why
from hookclaw_py.model.types import Candidate, Injection, Outcome, Prompt, Query, Step
from hookclaw_py.stages import supersession, utility
from hookclaw_py.stages.diversity import crowded_out
from hookclaw_py.store.database import Store
from hookclaw_py.store.events import EventKind, Showing
from hookclaw_py.text import terms
from tests.conftest import CONSTANTS, chunk

prefer_useful = partial(utility.prefer_useful, constants=CONSTANTS.use)

AT = datetime(2026, 2, 9, 12, tzinfo=UTC)
prefer_newer = partial(
    supersession.prefer_newer, now=AT + timedelta(days=1), period=None, zone=UTC, same_subject=CONSTANTS.same_subject
)
ASKED = "who signs the Hansen invoices?"


@pytest.mark.parametrize(("prompt", "by_chance"), [(ASKED, True), ("when does the ferry dock?", False)])
def test_a_showing_is_by_chance_only_where_past_turns_speak_on_such_a_prompt(prompt, by_chance):
    note, rival = chunk("Merle Okonjo signs them"), chunk("somebody else signs them")
    with Store.open(None) as store:
        store.replace_file("memory/a.md", chunks=[note, rival])
        for n, kind in enumerate(("used", "ignored", "used")):
            store.record_injection(
                at=AT, session_id="s", injection_id=f"i{n}", prompt=ASKED, shown=[Showing(note.id), Showing(rival.id)]
            )
            store.settle(at=AT, session_id="s", injection_id=f"i{n}", kinds={note.id: kind})
        query = Query(prompt, AT, terms(prompt))
        (best,) = prefer_useful([Candidate(note, 0.5, 0.6)], store.uses([note.id]), query.terms, now=AT).candidates
        close = crowded_out(Candidate(rival, best.score * 0.9999), 1)
        injection = Injection("i9", Outcome.INJECTED, Why(Reason.RELEVANT), "block", (best,), (close,), query)
        settling.remember(
            store,
            Prompt(prompt, AT, agent_id="main", session_id="s", audience=Audience.OWNER),
            injection,
            min_score=0.5,
            constants=CONSTANTS.use,
        )
        *_, last = store.events(EventKind.INJECTION)
        (shown,) = last.data["memories"]
        assert 0 < shown["propensity"] < 1 if by_chance else shown["propensity"] == 1


def test_a_note_shown_in_the_place_of_an_older_one_is_there_by_the_older_ones_chance():
    old = replace(chunk("port orion 6543", path="old.md"), created_at=AT - timedelta(days=9))
    new = replace(chunk("port orion 7000", path="new.md"), created_at=AT)
    rival = chunk("another")
    with Store.open(None) as store:
        store.replace_file(
            "memory/a.md", chunks=[replace(c, place=FilePlace("memory/a.md", (1, 1))) for c in (old, new, rival)]
        )
        for n, kind in enumerate(("used", "ignored", "used")):
            store.record_injection(at=AT, session_id="s", injection_id=f"i{n}", prompt=ASKED, shown=[Showing(old.id)])
            store.settle(at=AT, session_id="s", injection_id=f"i{n}", kinds={old.id: kind})
        query = Query(ASKED, AT, tuple(terms(ASKED)))
        ranked = [Candidate(old, 0.5, 0.6), Candidate(new, 0.4, 0.6)]
        ranked = prefer_useful(ranked, store.uses([old.id]), query.terms, now=AT).candidates
        best, gave = (c.noted(Step("mmr", 0.0)) for c in prefer_newer(ranked, ("port",), min_score=0.5))
        close = crowded_out(Candidate(rival, best.score * 0.9999), 1)
        shown = []
        for rejected in ((close, gave), (crowded_out(gave, 1),)):
            injection = Injection("i9", Outcome.INJECTED, Why(Reason.RELEVANT), "block", (best,), rejected, query)
            settling.remember(
                store,
                Prompt(ASKED, AT, agent_id="main", session_id="s", audience=Audience.OWNER),
                injection,
                min_score=0.5,
                constants=CONSTANTS.use,
            )
            *_, last = store.events(EventKind.INJECTION)
            shown += [(c["id"], c["propensity"]) for c in last.data["memories"]]
        assert [i for i, _ in shown] == [new.id, new.id]
        assert 0 < shown[0][1] < 1, "a better rival's draw, and it had stayed out"
        assert shown[1][1] == 1, "only the note it replaces had no room: one of the two comes first on any day"
