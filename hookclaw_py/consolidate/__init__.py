"""Consolidating: what was distilled becomes memories, confirms, corrects or contradicts those that are there."""
