"""Stages: pure functions between frozen values; none knows another."""
