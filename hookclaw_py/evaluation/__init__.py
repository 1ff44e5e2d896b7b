"""Evaluation: labelled prompts replayed through the engine, and what comes of it in the field's measures."""
