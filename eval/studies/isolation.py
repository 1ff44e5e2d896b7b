"""Does anybody hear what is not theirs? Agents of two homes, owners and groups, at random, and every word knows whose it is.

    python eval/studies/isolation.py OPERATIONS [--seed N]

Six agents, three of one name in each of two homes, each with notes and sessions of its own. Every memory holds a word that stands nowhere
else. Notes are written, shared, made private, edited, deleted and forgotten, turns are captured of owners and of groups; in between prompts that
name words of anybody are asked by owners, groups and strangers, searched for and briefed. A *leak* is a word in the answer, or among what was so
much as weighed, that its hearer may not hear: another agent's, a private note's in a group, a group's own talk, one that is gone. Exit status 1 with a leak.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hookclaw_py import Config, Engine
from hookclaw_py.capture.reports import Report
from hookclaw_py.forgetting import forget
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.happening import HappeningKind
from hookclaw_py.model.types import Prompt

CONFIG = Config(
    min_score=0.0, enable_vector=False, adaptive_results=False, max_results=10, timeout_ms=10_000, timezone="UTC"
)
NAMES = ("main", "cook", "sailor")
HOMES = ("home", "work")
TOPICS = ("harbour", "kitchen", "garden", "budget", "holiday", "server", "invoice", "roof")
MOST_NOTES, MOST_TURNS = 12, 30
OPERATIONS = {
    "recall": 70, "search": 6, "brief": 2, "write": 6, "share": 4, "edit": 4, "delete": 2, "forget": 1, "turn": 4, "group turn": 1,
}  # fmt: skip
LETTERS = "bcdfghjklmnpqrstvwz"


@dataclass
class Mind:
    """An agent: its engine, its notes by name (the word, whether it is shared), what its owner said, and what is gone."""

    name: str
    folder: Path
    engine: Engine
    notes: dict[str, tuple[str, bool]] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    turns: int = 0

    def hears(self, audience: Audience) -> set[str]:
        """Return the words that may be told to an audience."""
        if audience is Audience.OWNER:
            return {word for word, _ in self.notes.values()} | self.said
        return {word for word, shared in self.notes.values() if shared}


class Trial:
    """The agents, and what was told to whom."""

    def __init__(self, top: Path, seed: int) -> None:
        """Open six agents below ``top``."""
        self.chance, self.words, self.done, self.leaks = random.Random(seed), list[str](), Counter[str](), list[str]()
        self.known: set[str] = set()
        self.heard = Counter[str]()
        self.now = datetime(2026, 3, 2, 9, tzinfo=UTC)
        self.minds = [self._mind(top, home, name) for home in HOMES for name in NAMES]

    def _mind(self, top: Path, home: str, name: str) -> Mind:
        folder = top / home / name
        (folder / "notes").mkdir(parents=True)
        (folder / "notes" / "about.md").write_text(
            "# About\n\nNotes of a house, a boat and a kitchen.\n", encoding="utf-8"
        )
        engine = Engine.open(CONFIG, agent=name, folder=folder / "store")
        engine.index(folder / "notes")
        return Mind(f"{home}/{name}", folder, engine)

    def step(self) -> None:
        """Do one thing, and look at what was told."""
        self.now += timedelta(seconds=7)
        mind = self.chance.choice(self.minds)
        (what,) = self.chance.choices(list(OPERATIONS), list(OPERATIONS.values()))
        getattr(self, f"_{what.replace(' ', '_')}")(mind)
        self.done[what] += 1

    def _word(self) -> str:
        word = "".join(self.chance.choice(LETTERS) + self.chance.choice("aeiou") for _ in range(5))
        if word in self.known:
            return self._word()
        self.known.add(word)
        self.words.append(word)
        return word

    def _sentence(self, word: str) -> str:
        return f"The codeword of the {self.chance.choice(TOPICS)} is {word}."

    def _asked(self) -> str:
        named = self.chance.choice(self.words) if self.words and self.chance.random() < 0.7 else ""
        return f"What do you know of the {self.chance.choice(TOPICS)} and its codeword {named}?"

    def _look(self, mind: Mind, audience: Audience, told: str, how: str) -> None:
        mine = mind.hears(audience)
        found = {word for word in told.replace(".", " ").split() if word in self.known}
        self.heard["owners" if audience is Audience.OWNER else "others"] += len(found & mine)
        if leaked := found - mine:
            self.leaks.append(f"{how} of {mind.name} for {audience}: {', '.join(sorted(leaked))}")

    def _recall(self, mind: Mind) -> None:
        audience = self.chance.choice([Audience.OWNER, Audience.OWNER, *Audience])
        session = f"agent:{mind.engine.agent}:{audience}-{self.chance.randrange(4)}"
        prompt = Prompt(self._asked(), self.now, mind.engine.agent, session, audience=audience)
        found = mind.engine.recall(prompt)
        weighed = [c.chunk.text + " " + c.chunk.heading for c in (*found.candidates, *found.rejected)]
        self._look(mind, audience, " ".join([found.text, *weighed]), "recall")

    def _search(self, mind: Mind) -> None:
        found = mind.engine.search(self._asked())
        self._look(mind, Audience.OWNER, " ".join(c.chunk.text for c in found), "search")

    def _brief(self, mind: Mind) -> None:
        audience = self.chance.choice([Audience.OWNER, Audience.GROUP])
        told = mind.engine.brief(f"agent:{mind.engine.agent}:brief", audience=audience, at=self.now).text
        self._look(mind, audience, told, "brief")

    def _write(self, mind: Mind) -> None:
        if len(mind.notes) >= MOST_NOTES:
            return self._delete(mind)
        return self._put(mind, f"note-{self.chance.randrange(10**9)}", self._word(), shared=self.chance.random() < 0.4)

    def _put(self, mind: Mind, name: str, word: str, *, shared: bool) -> None:
        front = "---\nshared: true\n---\n" if shared else ""
        file = mind.folder / "notes" / f"{name}.md"
        file.write_text(f"{front}# {name}\n\n{self._sentence(word)}\n", encoding="utf-8")
        mind.notes[name] = word, shared
        mind.engine.index()

    def _share(self, mind: Mind) -> None:
        if mind.notes:
            name = self.chance.choice(list(mind.notes))
            word, shared = mind.notes[name]
            self._put(mind, name, word, shared=not shared)

    def _edit(self, mind: Mind) -> None:
        if mind.notes:
            name = self.chance.choice(list(mind.notes))
            self._put(mind, name, self._word(), shared=mind.notes[name][1])

    def _delete(self, mind: Mind) -> None:
        if mind.notes:
            name = self.chance.choice(list(mind.notes))
            (mind.folder / "notes" / f"{name}.md").unlink()
            del mind.notes[name]
            mind.engine.index(prune=True)

    def _forget(self, mind: Mind) -> None:
        if not mind.said:
            return
        word = self.chance.choice(sorted(mind.said))
        doomed = [c for c in mind.engine.store.all_chunks() if word in c.text]
        for chunk in doomed:
            gone = {other for other in mind.said if other in chunk.text}
            forget(mind.engine.store, chunk.memory, beside=mind.folder / "store", at=self.now)
            mind.said -= gone
        mind.engine.catch_up()

    def _turn(self, mind: Mind) -> None:
        if mind.turns < MOST_TURNS:
            mind.turns += 1
            mind.said.add(self._captured(mind, Audience.OWNER, f"agent:{mind.engine.agent}:main-{mind.turns}"))

    def _group_turn(self, mind: Mind) -> None:
        self._captured(mind, Audience.GROUP, f"agent:{mind.engine.agent}:group-{self.chance.randrange(9)}")

    def _captured(self, mind: Mind, audience: Audience, session: str) -> str:
        word = self._word()
        told = {"host": "openclaw", "session": session, "run": word, "audience": audience}
        prompt = Report(HappeningKind.PROMPT, self.now, payload={"text": self._sentence(word)}, **told)
        answer = Report(HappeningKind.ANSWER, self.now + timedelta(seconds=2), payload={"text": "Noted."}, **told)
        mind.engine.capturing.record([prompt, answer], at=self.now)
        mind.engine.capturing.work_off()
        return word

    def close(self) -> None:
        """Close every agent."""
        for mind in self.minds:
            mind.engine.close()


def main() -> int:
    """Run the trial and print what was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as top:
        trial = Trial(Path(top), given.seed)
        try:
            for _ in range(given.operations):
                trial.step()
        finally:
            trial.close()
    for leak in trial.leaks[:20]:
        print(leak)
    done = ", ".join(f"{number} {what}" for what, number in sorted(trial.done.items()))
    heard = f"{trial.heard['owners']} words heard by owners, {trial.heard['others']} by others"
    print(f"{given.operations} operations ({done}): {heard}, {len(trial.leaks)} leaks")
    return 1 if trial.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
