"""Indexes of our own on this machine: keywords and vectors."""
