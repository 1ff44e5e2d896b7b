"""Notes in one language, asked in it or in another: words that mean the same are near each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hookclaw_py import Config, Engine
from hookclaw_py.config import EmbedderConfig
from hookclaw_py.search.embedders import open_embedder
from hookclaw_py.search.ports import Embedder

NOTES = {
    "Haus.md": "# Haus\n\nDer Schornsteinfeger kommt am 3. Dezember um 9 Uhr.\n\n## Heizung\n\nDie Wartung der Heizung macht Firma Bölke, 320 € im Jahr.\n",
    "家里.md": "# 家里\n\n物业费每季度 860 元，找小周交。\n\n## 孩子\n\n儿子的牙医是王医生，下次复查 12 月 8 日。\n\n## 车\n\n车险换到了平安，保单在蓝色文件夹里。\n",
}
SAME = [
    ("when does the chimney sweep come", "der Schornsteinfeger kommt am Dienstag"),
    ("the rent was raised", "die Miete wurde erhöht"),
    ("appointment with the dentist", "rendez-vous chez le dentiste"),
    ("the key is under the flowerpot", "la clé est sous le pot de fleurs"),
    ("my daughter's school", "la escuela de mi hija"),
    ("the invoice of the electrician", "la factura del electricista"),
    ("the cat eats twice a day", "il gatto mangia due volte al giorno"),
    ("the kitchen needs new chairs", "la cucina ha bisogno di sedie nuove"),
    ("telephone number of the doctor", "医生的电话号码"),
    ("where is the car parked", "车停在哪里"),
    ("the bread is in the oven", "das Brot ist im Ofen"),
    ("water the garden in the evening", "arroser le jardin le soir"),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("notes")
    for name, content in NOTES.items():
        (folder / name).write_text(content, encoding="utf-8")
    with Engine.in_memory(Config()) as one:
        one.index(folder)
        yield one


@pytest.fixture(scope="module")
def embedder() -> Iterator[Embedder]:
    one = open_embedder(EmbedderConfig())
    yield one
    one.close()


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("when does the chimney sweep come?", "3. Dezember um 9 Uhr"),
        ("who services the heating", "Firma Bölke"),
        ("物业费多少", "860 元"),
        ("牙医什么时候复查", "12 月 8 日"),
    ],
)
def test_what_answers_is_told_whichever_language_it_is_in(engine: Engine, prompt: str, answer: str):
    assert answer in engine.recall(prompt).text


@pytest.mark.parametrize("prompt", ["猫吃什么", "Wie alt ist Oma", "what did the cat eat"])
def test_what_nobody_wrote_meets_silence_in_each_language(engine: Engine, prompt: str):
    assert not engine.recall(prompt).text


def test_a_sentence_lies_nearest_to_what_says_the_same_in_another_language(embedder: Embedder):
    asked, said = (np.stack([embedder.embed(pair[n]) for pair in SAME]) for n in (0, 1))
    nearest = (asked @ said.T).argmax(axis=1)
    assert (nearest == np.arange(len(SAME))).sum() >= len(SAME) - 2


def test_no_two_common_chinese_characters_are_read_as_one(embedder: Embedder):
    characters = "妈爸哥姐弟妹周月年天号楼路店钱药饭茶鱼肉猫狗车票信"
    vectors = [embedder.encode(one).tokens[0].astype(float) / 127 for one in characters]
    near = [vectors[i] @ vectors[j] for i in range(len(vectors)) for j in range(i)]
    assert max(near) < 0.98
