"""Claude Code: its hooks, and what it has in its context of itself."""
