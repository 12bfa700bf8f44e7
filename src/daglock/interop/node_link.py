"""JSON, in the node-link form of networkx and D3."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daglock.interop._model import edges_of

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_node_link(model: DAGLock) -> str:
    """Write the graph as JSON that ``networkx.node_link_graph(..., edges="edges")`` reads."""
    edges = edges_of(model)
    content = {
        "directed": True,
        "multigraph": False,
        "graph": {"noise": model.learned_.noise},
        "nodes": [{"id": name} for name in model.names_],
        "edges": [edge._asdict() for edge in edges],
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"
