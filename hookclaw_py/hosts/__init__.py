"""One folder for each host: what it wraps around a prompt, how we get into it, what may be wrong with it."""
