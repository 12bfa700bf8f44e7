"""daglock: learn an exactly sparse, exactly acyclic causal graph from a table of data."""

__version__ = "0.1.0"
