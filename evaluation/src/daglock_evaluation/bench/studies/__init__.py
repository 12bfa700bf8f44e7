"""Measurements behind docs/theory.md: what the parts and the price of an edge buy."""
