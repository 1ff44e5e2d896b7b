"""What a sentence says of something, and what it does not."""

from __future__ import annotations

import pytest

from hookclaw_py.distil.facts import facts
from hookclaw_py.distil.terms import fact_key, folded

SAYS = [
    ("Redis is a database.", [("Redis", "is", "database")]),
    ("redis is a database.", []),
    ("Mondo Gate has 1,100 customers.", [("Mondo Gate", "has", "1,100 customers")]),
    ("The gateway runs on port 9090.", [("The gateway", "runs on", "port 9090")]),
    ("Das Projekt verwendet PostgreSQL.", [("Das Projekt", "verwendet", "PostgreSQL")]),
    ("Anna benutzt Emacs.", [("Anna", "verwendet", "Emacs")]),
    ("Berlin ist die Hauptstadt von Deutschland.", [("Berlin", "ist", "Hauptstadt von Deutschland")]),
    ("Der Server hat 32 GB RAM, und läuft gut.", [("Der Server", "hat", "32 GB RAM")]),
    ("Our API supports JSON, XML and CSV.", [("Our API", "supports", "JSON, XML and CSV")]),
    ("Redis is fast and Kafka is slow.", [("Redis", "is", "fast"), ("Kafka", "is", "slow")]),
    ("Okay so now The Team uses Kafka.", [("The Team", "uses", "Kafka")]),
    ("Alice\nBob is a tester.", [("Bob", "is", "tester")]),
    ("Grafana uses Loki v2.9 as a backend.", [("Grafana", "uses", "Loki v2.9 as a backend")]),
    ("PostgreSQL 15 is installed.", [("PostgreSQL 15", "is", "installed")]),
    ("Ärzte nutzt Signal.", [("Ärzte", "verwendet", "Signal")]),
    ("It is a good idea.", []),
    ("What is the port?", []),
    ("Let's use Postgres for the archive. Let’s use Redis.", []),
    ("Lets use pnpm. Let us use yarn.", []),
    ("If Redis is down, call Mara.", []),
    ("I think Redis is a cache.", []),
    ("Node has been removed.", []),
    ("Die ist kaputt. Das ist gut. The is odd.", []),
    ("```\nRedis is a cache.\n```\n> Kafka is a queue.", []),
    ("- **Redis** is a `cache`", [("Redis", "is", "cache")]),
    ("Frau Dr. Meier ist am 24. März da.", [("Frau Dr. Meier", "ist", "am 24. März da")]),
]


@pytest.mark.parametrize(("said", "expected"), SAYS)
def test_a_fact_is_read_from_a_sentence_that_begins_with_its_subject(said: str, expected: list[tuple[str, str, str]]):
    """M11, vectors 1 to 11; D12: the article is no part of the predicate."""
    found = facts(said)
    assert [(fact.subject, fact.predicate, fact.object) for fact in found] == expected
    assert not any(fact.correction or fact.denied for fact in found)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Redis is not a database.", ("Redis", "is", "database")),
        ("Der Dienst hat keine Tests.", ("Der Dienst", "hat", "Tests")),
        ("Redis is no longer a database", ("Redis", "is", "database")),
        ("The gateway doesn't use Redis.", ("The gateway", "uses", "Redis")),
        ("Das Projekt verwendet Redis nicht mehr.", ("Das Projekt", "verwendet", "Redis")),
    ],
)
def test_a_denial_denies_what_the_sentence_without_it_says(said: str, expected: tuple[str, str, str]):
    """M11, vector 12."""
    (fact,) = facts(said)
    assert (fact.subject, fact.predicate, fact.object) == expected
    assert fact.denied


@pytest.mark.parametrize(
    "said",
    [
        "Mondo Gate now has 2,000 customers.",
        "Mondo Gate has 2,000 customers now.",
        "Actually Mondo Gate has 2,000 customers.",
    ],
)
def test_what_is_so_now_sets_right_what_was_so_before(said: str):
    """M11, vector 13."""
    (fact,) = facts(said)
    assert (fact.subject, fact.predicate, fact.object) == ("Mondo Gate", "has", "2,000 customers")
    assert fact.correction


def test_terms_are_compared_without_case_determiner_and_language_of_the_verb():
    """M31, D12."""
    assert folded("  Das  Projekt") == folded("projekt") == "projekt"
    assert folded(" LA oficina".lower()) == folded("LA OFICINA") == folded("La oficina") == "oficina"
    assert [folded(name) for name in ("LA office", "MI team", "UN mission")] == ["la office", "mi team", "un mission"]
    assert fact_key("The gateway", "is") == fact_key("gateway", "ist")
    assert fact_key("Das Projekt", "verwendet") == fact_key("projekt", "uses")


def test_an_object_with_a_definite_article_is_the_only_one():
    """M31, conflicts."""
    assert [fact.definite for fact in facts("Berlin is the capital. Redis is a cache.")] == [True, False]
