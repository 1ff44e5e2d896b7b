"""``python -m hookclaw_py``."""

from __future__ import annotations

import gc
import io
import os
import sys

_RARELY = (50_000, 20, 50)  # what libraries make while they load is no garbage


def start() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    gc.set_threshold(*_RARELY)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to find some it reads all distributions
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without our letters gets them as escapes
            stream.reconfigure(errors="backslashreplace")
    try:
        from hookclaw_py.cli.commands import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("hookclaw: interrupted\n")
        sys.exit(130)
    finally:
        gc.freeze()  # the system takes all of it back: to look through it first took a seventh of a `recall`


if __name__ == "__main__":
    start()
