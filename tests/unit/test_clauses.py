"""What goes of a sentence where only one of the things it says is to go."""

from __future__ import annotations

import pytest

from hookclaw_py.speech.clauses import parted
from hookclaw_py.speech.listing import is_list
from hookclaw_py.speech.values import former_values

GUESTS = "we're having guests on saturday, 4 adults 4 kids, Tom doesn't eat pork and Lina is vegetarian."


@pytest.mark.parametrize(
    ("said", "words", "left"),
    [
        (GUESTS, "Lina is vegetarian", "we're having guests on saturday, 4 adults 4 kids, Tom doesn't eat pork."),
        ("Lina is vegetarian and Tom doesn't eat pork.", "Lina is vegetarian", "Tom doesn't eat pork."),
        ("Tom hates pork, Lina is vegetarian, and we meet at seven", "Lina is vegetarian", "Tom hates pork, and we meet at seven"),
        ("Tom isst kein Fleisch und Lina ist schwanger", "Lina schwanger ist", "Tom isst kein Fleisch"),
        ("Tom ne mange pas de porc et Lina est enceinte", "Lina est enceinte", "Tom ne mange pas de porc"),
        ("Martine è vegetariana e Luc non beve vino", "Martine è vegetariana", "Luc non beve vino"),
        ("Lina es vegetariana y Tom no bebe vino", "Lina es vegetariana", "Tom no bebe vino"),
        ("Martine est végétarienne et Luc ne boit pas d'alcool", "Martine est végétarienne", "Luc ne boit pas d'alcool"),
        ("Tom hates pork, Lina comes too, she is vegetarian", "Lina is vegetarian", "Tom hates pork"),
        ("Emil hates eggs, Lina comes at six, Tom is vegetarian", "Lina is vegetarian", "Emil hates eggs"),
    ],
)  # fmt: skip
def test_what_says_something_else_stays(said: str, words: str, left: str):
    part = parted(said, words)
    assert part
    assert part.left == left


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Tom and Lina are vegetarian", "Lina is vegetarian"),
        ("Martine è vegetariana e ama il formaggio", "Martine è vegetariana"),
        ("Lina is vegetarian, and Tom told her so", "Lina is vegetarian"),
        ("Noor's present is a red kayak, the secret one", "Noor's present"),
        ("Noor's present is a red kayak and it cost 200", "Noor's present"),
        ("Noor's present is a red kayak and I paid 300 in Galway", "Noor's present"),
        ("Noor's present is a surprise, the kayak Tom bought in Galway", "Noor's present"),
        ("Noor's present: two red paddles from Galway and a vest", "Noor's present"),
        ("the kayak is hidden in the garage, that's Noor's present", "Noor's present"),
        ("Tom bought the kayak and Noor's present is the kayak", "Noor's present"),
        ("it's a red kayak, Noor's present", "Noor's present"),
    ],
)
def test_what_may_speak_of_the_same_goes_as_well(said: str, words: str):
    part = parted(said, words)
    assert part
    assert not part.left


def test_where_no_clause_says_it_alone_the_shortest_stretch_that_does_goes():
    part = parted("Emil has pork, Ann is away, Tom has a garden, Lina eats pork, Uli is at sea", "has Tom pork")
    assert part
    assert part.gone == "Tom has a garden, Lina eats pork"


@pytest.mark.parametrize(
    "said",
    [
        ", ".join(f"Tom{number} is here" for number in range(3000)),
        f"Tom is here{' ' * 60_000}Lina is at sea",
        "not a " * 10_000,
        "1:" * 3000,
        "1,1" * 10_000,
    ],
)
@pytest.mark.timeout(60)  # a quadratic step takes minutes
def test_a_long_line_that_was_pasted_is_parted_at_once(said: str):
    parted(said, "Tom1 Tom2999")
    former_values(said)
    is_list(said)


def test_a_sentence_that_does_not_say_it_is_not_parted():
    assert parted("Tom hates pork and Lina comes at six", "Lina is vegetarian") is None
