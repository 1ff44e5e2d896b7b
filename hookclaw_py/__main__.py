"""``python -m hookclaw_py``."""

from __future__ import annotations

import sys


def start() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        from hookclaw_py.cli import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("hookclaw: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    start()
