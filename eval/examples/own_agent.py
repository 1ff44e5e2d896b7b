"""An agent of one's own with a memory: each turn is told what the notes say, and what was said in it is known in later sessions.

python eval/examples/own_agent.py
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hookclaw_py import Audience, Config, Engine, HappeningKind, Report

NOTE = "# Hosting\n\nThe servers are at Hetzner and cost 2,150 euros a month.\n"


def model(prompt: str) -> str:
    """Stand in for a model of yours: say how the first memory in the prompt begins, if there is one."""
    told = [line.strip() for line in prompt.splitlines() if line.startswith("    ") and not line.startswith("    [")]
    return f"I remember: {told[0]}" if told else "I will keep that in mind."


def turn(engine: Engine, session: str, number: int, text: str) -> str:
    """Ask the memory, then the model; then say what was answered, so that the ranking learns and the words are kept."""
    injection = engine.recall(text, session=session)
    answer = model(f"{injection.text}\n{text}")  # the block is "" unless there is something to tell
    used = engine.agent_end(session, answer)
    at, run = datetime.now(UTC), f"{session}-{number}"
    engine.capturing.record(
        [
            Report(
                HappeningKind.PROMPT, at, "own_agent", session, run, audience=Audience.OWNER, payload={"text": text}
            ),
            Report(
                HappeningKind.ANSWER, at, "own_agent", session, run, audience=Audience.OWNER, payload={"text": answer}
            ),
        ]
    )
    print(f"{session} {text}\n  {injection.outcome}: {injection.reason}; used {len(used)}\n  {answer}")
    return answer


def main() -> None:
    """Hold two conversations; the second knows what was said in the first."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        (notes / "Hosting.md").write_text(NOTE, encoding="utf-8")
        with Engine.open(Config(timezone="UTC"), folder=Path(folder) / "main") as engine:
            engine.index(notes)
            turn(engine, "monday", 1, "what do our servers cost a month?")
            turn(engine, "monday", 2, "We decided to move the tenant Brightmoor to NATS.")
            engine.capturing.work_off()  # what was captured is made into memories; a program of yours does that now and then
            turn(engine, "tuesday", 1, "where did we decide to move Brightmoor?")


if __name__ == "__main__":
    main()
