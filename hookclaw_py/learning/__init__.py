"""Learning: what the answers to earlier prompts say of the memories that were shown."""
