"""``python -m hookclaw_py``."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_RARELY = (150_000, 20, 50)  # what libraries make while they load is no garbage
_MOMENT = 0.01  # seconds


def _press_again(ignored: UnraisableHookArgs) -> None:
    """Let Ctrl-C that came where Python can only ignore it, while it locks a module, come a moment later."""
    if ignored.exc_type is KeyboardInterrupt:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    else:
        sys.__unraisablehook__(ignored)


def start() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    gc.set_threshold(*_RARELY)
    sys.unraisablehook = _press_again
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to find some it reads all distributions
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's: more wait for work, busily, after each small product
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
