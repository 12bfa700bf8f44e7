"""GML, which networkx, igraph and DoWhy read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daglock.interop.networkx import to_networkx

if TYPE_CHECKING:
    from daglock.estimator import DAGLock


def to_gml(model: DAGLock) -> str:
    """Write the graph as GML, edges with weight, standardised_weight and oriented (1 or 0)."""
    from networkx import generate_gml

    return "\n".join([*generate_gml(to_networkx(model)), ""])
