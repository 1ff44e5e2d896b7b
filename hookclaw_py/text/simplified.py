"""Chinese in simplified characters, so that who types "醫生" finds what they noted of a "医生".

``simplified.txt`` has the traditional characters in its first line and the simplified ones in its second; ``models/make_simplified.py``
makes it of OpenCC's dictionary (Apache-2.0).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

CHARACTERS = Path(__file__).with_name("simplified.txt")


def simplified(text: str) -> str:
    """Return ``text`` with each traditional character replaced by the simplified one, of as many characters."""
    return text if text.isascii() else text.translate(_characters())


@cache
def _characters() -> dict[int, int]:
    traditional, others = CHARACTERS.read_text(encoding="utf-8").splitlines()
    return str.maketrans(traditional, others)
