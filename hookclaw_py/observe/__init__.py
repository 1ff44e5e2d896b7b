"""Observe: what the engine did, as counters, log lines, spans and recorded prompts."""
