"""SQLite: an agent is a file."""
