"""Cosmetic variants of a prompt: what a person would not call another question must not be answered otherwise."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

_LONG_WORD = re.compile(r"[^\W\d_]{5,}")


def typo(prompt: str, dice: random.Random) -> str:
    """Swap two neighbouring letters inside one word of five letters or more; without such a word nothing changes."""
    places = [
        (match.start(), at)
        for match in _LONG_WORD.finditer(prompt)
        for at in range(1, len(match[0]) - 2)
        if match[0][at] != match[0][at + 1]
    ]
    if not places:
        return prompt
    start, at = dice.choice(places)
    here = start + at
    return f"{prompt[:here]}{prompt[here + 1]}{prompt[here]}{prompt[here + 2 :]}"


def lower_case(prompt: str, _: random.Random) -> str:
    """Write everything small."""
    return prompt.lower()


def upper_case(prompt: str, _: random.Random) -> str:
    """Write everything in capitals."""
    return prompt.upper()


def greeting(prompt: str, dice: random.Random) -> str:
    """Greet first."""
    return dice.choice(("Hi! ", "Hello, ", "Hey there, ", "Good morning! ", "Hi Claude, ")) + prompt


def politeness(prompt: str, dice: random.Random) -> str:
    """Say thanks or please at the end."""
    return prompt + dice.choice((" Thanks!", " Thank you!", " Please.", " Thanks in advance!", " Cheers"))


def envelope(prompt: str, dice: random.Random) -> str:
    """Wrap it as OpenClaw does with what comes in over a channel."""
    return dice.choice(
        (
            f"[Telegram Alice id:4711 +2m 2026-11-21 20:56 UTC] {prompt}",
            f"[Sat 2026-11-21 20:56 UTC] {prompt}",
            f"[WhatsApp +49 170 1234567 2026-11-21 20:56 UTC] {prompt}\n[message_id: 3EB0A1B2C3]",
        )
    )


def whitespace(prompt: str, dice: random.Random) -> str:
    """Double some spaces, and leave space around it all."""
    spaced = "".join("  " if c == " " and dice.random() < 0.3 else c for c in prompt)
    return f" {spaced} \n\n"


def punctuation(prompt: str, _: random.Random) -> str:
    """Leave out the mark at the end, or put a full stop where there is none."""
    bare = prompt.rstrip()
    return bare.rstrip("?.!") if bare.endswith(("?", ".", "!")) else f"{bare}."


KINDS: Mapping[str, Callable[[str, random.Random], str]] = {
    "typo": typo,
    "lower case": lower_case,
    "upper case": upper_case,
    "greeting": greeting,
    "politeness": politeness,
    "envelope": envelope,
    "whitespace": whitespace,
    "punctuation": punctuation,
}


def variants(prompt: str, *, seed: int) -> dict[str, str]:
    """Return the prompt changed in each way, by kind; kinds that change nothing are left out. Same seed, same variants."""
    found = {kind: change(prompt, random.Random(f"{seed} {kind} {prompt}")) for kind, change in KINDS.items()}
    return {kind: text for kind, text in found.items() if text != prompt}
