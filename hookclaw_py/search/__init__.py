"""Searching: the ports of keywords, vectors and embedders, and what is behind them."""
