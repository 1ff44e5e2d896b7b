"""Doors for other programs: NDJSON on stdio and a private Unix socket, MCP; one service behind them."""
