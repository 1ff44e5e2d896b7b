"""``python -m hookclaw_py``."""

from __future__ import annotations

import io
import sys


def start() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without our letters gets them as escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        from hookclaw_py.cli.commands import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("hookclaw: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    start()
