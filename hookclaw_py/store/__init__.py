"""The store: what no file can rebuild, and the chunks that the rest is derived from."""
