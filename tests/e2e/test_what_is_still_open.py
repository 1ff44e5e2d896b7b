"""Who has no notes asks what is still open: it is what they said that must be done, without what is done by now."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hookclaw_py import Engine
from tests.e2e.test_growing_memory import MONDAY, Host, asked


@pytest.fixture(scope="module")
def engine():
    with Engine.in_memory(strict=True) as engine:
        host = Host(engine)
        for day, said in enumerate(
            (
                "rappelle moi de payer l'urssaf avant le 5 mars",
                "pour les tuiles on a choisi la terre cuite, pas le zinc",
                "il me reste a faire : le devis charpente, la notice accessibilité, relancer Ann pour la clé du portail",
                "urssaf payé ce matin, 2 340 euros",
                "qu'est-ce qu'il me reste à faire pour la mairie ?",
                "j'ai fini le devis charpente hier soir, et la notice accessibilité est faite",
                "faut que je commande les échantillons de mélèze chez Sival",
            )
        ):
            host.turn(f"agent:main:{day}", said, "D'accord.", at=MONDAY + timedelta(days=day))
        yield engine


@pytest.mark.parametrize(
    "prompt", ["qu'est-ce qu'il me reste à faire ?", "what is still open", "qué me queda pendiente"]
)
def test_it_is_told_without_what_is_done_and_nothing_else(engine: Engine, prompt: str):
    block = asked(engine, prompt)
    assert "commande les échantillons" in block
    assert "relancer Ann pour la clé du portail" in block
    assert not [gone for gone in ("urssaf", "devis charpente", "notice", "terre cuite", "mairie") if gone in block]


def test_a_session_begins_with_a_step_until_the_day_that_it_names_however_early_it_was_said():
    said = "faut renouveler l'assurance avant le 30 avril"
    with Engine.in_memory(strict=True) as engine:
        host = Host(engine)
        host.turn("agent:main:one", "faut que je commande les échantillons chez Sival", "D'accord.", at=MONDAY)
        host.turn("agent:main:two", said, "D'accord.", at=MONDAY + timedelta(hours=1))
        briefs = [engine.brief(at=MONDAY + timedelta(days=days)).text for days in (5, 50, 70)]
    assert [f'Still to do: "{said}"' in told for told in briefs] == [True, True, False]
    assert ['Still to do: "faut que je commande' in told for told in briefs] == [True, False, False]


def test_as_of_a_day_before_it_was_done_it_was_open(engine: Engine):
    block = engine.recall("qu'est-ce qu'il me reste à faire ?", at=MONDAY + timedelta(days=2, hours=5), as_of=True).text
    assert "payer l'urssaf" in block
    assert "devis charpente" in block
