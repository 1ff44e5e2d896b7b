"""Tools: what an agent may do with its memory by itself; one definition each, for every door."""
