"""Make ``hookclaw_py/text/simplified.txt``: traditional Chinese characters and, in the line below, the simplified ones.

    pip install opencc-purepy==1.5.0
    python models/make_simplified.py

They are those of OpenCC's dictionary (Apache-2.0), of several simplified characters the first; such as need more than two bytes in UTF-16
are left out.
"""

from __future__ import annotations

from importlib.resources import files

from hookclaw_py.text.simplified import CHARACTERS


def main() -> None:
    """Write the file."""
    lines = files("opencc_purepy").joinpath("dicts/TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = [(one, others[0]) for one, *others in (line.split() for line in lines if line[:1] not in "#")]
    pairs = [(one, other) for one, other in pairs if one != other and len((one + other).encode("utf-16-le")) == 4]
    CHARACTERS.write_text("\n".join(map("".join, zip(*pairs, strict=True))) + "\n", encoding="utf-8")
    print(f"{len(pairs)} characters")


if __name__ == "__main__":
    main()
