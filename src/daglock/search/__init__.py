"""Exact parents along an order, and the search over orders."""
