"""Doors for other programs: the gateway's sidecar on stdio, a private Unix socket, Claude Code's hooks, MCP."""
