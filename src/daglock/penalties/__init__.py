"""Penalties: what an edge costs."""

from daglock.penalties.l1 import L1
from daglock.penalties.mcp import MCP

PENALTIES: dict[str, type[L1] | type[MCP]] = {"l1": L1, "mcp": MCP}

__all__ = ["L1", "MCP", "PENALTIES"]
