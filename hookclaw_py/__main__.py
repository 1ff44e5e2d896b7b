"""``python -m hookclaw_py``."""

from hookclaw_py.cli import main

main()
