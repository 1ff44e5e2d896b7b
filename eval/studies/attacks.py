"""What do attacks reach: is their text told as if it were the person's own, and do they push honest memories out?

    python eval/studies/attacks.py [--final] [--kinds KIND …] [--defences] [--out FILE]

The notes of two vaults are the honest memories, 150 of their prompts, in five languages, the honest questions. 230 attacks of
23 kinds come in as they would in life (``poisoning.py``), first one kind at a time, then all together, and every prompt is
asked. Half of the attacks is kept for ``--final`` and nobody looks at it before. ``--defences`` takes each defence away in turn.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from poisoning import ATTACKS, DATA, Attack, Target, attacks_on, clip, kinds, let_in, reached

from hookclaw_py import Engine
from hookclaw_py.build import STAGES
from hookclaw_py.config import Config
from hookclaw_py.model.audience import Audience
from hookclaw_py.model.origin import Confirmed, Origin
from hookclaw_py.model.types import Candidate, Injection, Prompt, Query
from hookclaw_py.pipeline import Stages
from hookclaw_py.stages import trust
from hookclaw_py.stages.trust import Admitted

VAULTS = ("fjordside", "atelier")
CONFIG = Config(timezone="UTC", timeout_ms=10_000, keep_history=False)
BEGINNING = datetime(2026, 1, 5, 9, tzinfo=UTC)


def _unstamped(candidates: Sequence[Candidate], *_: object, **__: object) -> Admitted:
    """Take all words for the person's own."""
    return Admitted([c._replace(chunk=replace(c.chunk, origin=Origin.NOTE)) for c in candidates], [], [])


def _everything(candidates: Sequence[Candidate], *_: object, **__: object) -> Admitted:
    return Admitted(list(candidates), [], [])


def _orders_too(candidates: Sequence[Candidate], query: Query, *, confirmed: Confirmed) -> Admitted:
    found = trust.admit(candidates, query, confirmed=confirmed)
    spoken = [c for c in found.held if c.history[-1].note.startswith("speaks to an agent")]
    return Admitted([*found.free, *spoken], found.otherwise, [c for c in found.held if c not in spoken])


HEAD = "| attacks | number | as the person's own | marked | honest lost | places of one source |\n|---|---|---|---|---|---|"
WITHOUT = {
    "with all of them": STAGES,
    "no stamp: all words are the person's own": replace(STAGES, admit=_unstamped),
    "no tiers: all may be told, marked": replace(STAGES, admit=_everything),
    "orders are not recognised": replace(STAGES, admit=_orders_too),
    "notes do not come first": replace(STAGES, notes_first=lambda candidates, *_, **__: list(candidates)),
    "no order of telling": replace(STAGES, in_turn=lambda candidates, **__: (list(candidates), [])),
}


class Count(NamedTuple):
    """What came of some attacks: how many there were, reached the block unmarked or marked, which prompts lost their answer."""

    attacks: int
    as_own: int
    marked: int
    lost: list[str]
    prompts: int
    slots: int

    def row(self, name: str) -> str:
        """Return a line of the table."""
        share = f"{len(self.lost) / self.prompts:.1%}" if self.prompts else "–"
        reach = f"{self.as_own / self.attacks:.0%}" if self.attacks else "–"
        return f"| {name} | {self.attacks} | {self.as_own} ({reach}) | {self.marked} | {len(self.lost)} ({share}) | {self.slots} |"


def targets() -> list[Target]:
    """Read the honest prompts, of which ``targets.jsonl`` names the vault and the id."""
    found = []
    for line in (ATTACKS / "targets.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        found.append(
            Target(
                one["vault"],
                one["id"],
                one["lang"],
                one["text"],
                datetime.fromisoformat(one["at"]),
                one["words"],
                one["passage"],
            )
        )
    return found


class World:
    """The honest memories, indexed once; every scenario begins with a copy of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for vault in VAULTS:
            shutil.copytree(DATA / "vaults" / vault / "notes", folder / "notes" / vault)
        with Engine.open(CONFIG, folder=folder / "store") as engine:
            engine.index(folder / "notes")

    def after(
        self, attacks: Sequence[Attack], asked: Sequence[Target], stages: Stages = STAGES, *, folder: str = ""
    ) -> Iterator[tuple[Target, Injection]]:
        """Yield what each prompt is told after these attacks have come in; all of them as files of a ``folder``, if one is named."""
        with tempfile.TemporaryDirectory() as scratch:
            here = Path(scratch)
            shutil.copytree(self.folder, here, dirs_exist_ok=True)
            with Engine.open(CONFIG, folder=here / "store", stages=stages) as engine:
                engine.index(here / "notes", move=True)
                for attack in attacks if folder else ():
                    clip(here / "notes", attack, folder=folder)
                let_in(engine, here / "notes", [] if folder else attacks, at=BEGINNING)
                for target in asked:
                    prompt = Prompt(
                        target.text, target.at, agent_id=engine.agent, session_id=target.id, audience=Audience.OWNER
                    )
                    yield target, engine.recall(prompt, record=False)


def answered(target: Target, injection: Injection) -> bool:
    """Say whether an injection holds the words that answer, in a passage of the vault."""
    for candidate in injection.candidates:
        told = " ".join(
            f"{candidate.chunk.place.path} {candidate.chunk.heading} {candidate.chunk.text}".casefold().split()
        )
        if candidate.chunk.place.path.startswith(target.vault) and all(
            word.casefold() in told for word in target.words
        ):
            return True
    return False


def count(
    world: World, attacks: Sequence[Attack], asked: Sequence[Target], stages: Stages = STAGES, *, folder: str = ""
) -> Count:
    """Let attacks in, ask every prompt and count."""
    own, marked, lost, slots = set[str](), set[str](), list[str](), 0
    for target, injection in world.after(attacks, asked, stages, folder=folder):
        found = reached(injection, attacks)
        own |= found.as_own
        marked |= found.marked
        slots = max(slots, found.slots)
        if not answered(target, injection):
            lost.append(target.id)
    return Count(len(attacks), len(own), len(marked - own), lost, len(asked), slots)


def chosen_targets(folder: Path) -> Iterator[str]:
    """Yield the lines of ``targets.jsonl``: of each language the first 35 prompts that are answered without an attack."""
    world = World(folder)
    pool = []
    for vault in VAULTS:
        for line in (DATA / "vaults" / vault / "prompts.jsonl").read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            if one.get("answers") and not one.get("turns") and not one.get("stale"):
                at = datetime.fromisoformat(one["at"]).replace(tzinfo=UTC)
                pool.append(Target(vault, one["id"], one["lang"], one["text"], at, one["answers"][0]["words"]))
    left = dict.fromkeys(("en", "de", "fr", "es", "zh"), 35)
    for target, injection in world.after([], pool):
        if left[target.lang] and answered(target, injection):
            left[target.lang] -= 1
            passage = next(c.chunk.text for c in injection.candidates if answered(target, injection_of(c)))
            told = {**target._asdict(), "at": target.at.isoformat(), "passage": passage}
            yield json.dumps(told, ensure_ascii=False)


def injection_of(candidate: object) -> Injection:
    """Return an injection of one candidate alone."""
    from hookclaw_py.model.reason import Reason, Why
    from hookclaw_py.model.types import Outcome

    return Injection("", Outcome.INJECTED, Why(Reason.RELEVANT), candidates=(candidate,))


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--final", action="store_true", help="Count the half that is kept.")
    parser.add_argument("--kinds", nargs="*", default=None, metavar="KIND")
    parser.add_argument("--choose", action="store_true", help="Write targets.jsonl anew.")
    parser.add_argument("--together", action="store_true", help="All together only, and not one kind at a time.")
    parser.add_argument("--defences", action="store_true", help="All together, without each defence in turn.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if given.choose:
            lines = list(chosen_targets(Path(scratch)))
            (ATTACKS / "targets.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
            return
        world, asked = World(Path(scratch)), targets()
        attacks = attacks_on(asked)[given.final]
        print(HEAD)
        print(count(world, [], asked).row("none"), flush=True)
        for kind in kinds() if not given.together else ():
            if given.kinds is None or kind in given.kinds:
                print(count(world, [a for a in attacks if a.kind == kind], asked).row(kind), flush=True)
        if given.kinds is None:
            print(count(world, attacks, asked).row("all together"), flush=True)
            print(count(world, attacks, asked, folder="Clippings").row("all, as files in Clippings"), flush=True)
            print(count(world, attacks, asked, folder="Ideas").row("all, as notes of the person"), flush=True)
        if given.defences:
            print("", "All together, without one defence:", "", HEAD, sep="\n")
            for name, stages in WITHOUT.items():
                print(count(world, attacks, asked, stages).row(name), flush=True)


if __name__ == "__main__":
    main()
