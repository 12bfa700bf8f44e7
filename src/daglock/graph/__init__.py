"""Directed graphs: acyclicity, orders, equivalence classes, orientation, and `WeightedDAG`.

``W[i, j] != 0`` means i -> j.
"""

from daglock.graph.acyclicity import (
    find_cycle,
    is_dag,
    order_of_cyclic,
    strong_components,
    topological_order,
)
from daglock.graph.cpdag import Marks, dag_to_cpdag
from daglock.graph.matrix import Graph, SparseArray, as_csr, edge_list, parents_of, threshold
from daglock.graph.orientation import canonical_member, oriented_edges
from daglock.graph.weighted_dag import WeightedDAG

__all__ = [
    "Graph",
    "Marks",
    "SparseArray",
    "WeightedDAG",
    "as_csr",
    "canonical_member",
    "dag_to_cpdag",
    "edge_list",
    "find_cycle",
    "is_dag",
    "order_of_cyclic",
    "oriented_edges",
    "parents_of",
    "strong_components",
    "threshold",
    "topological_order",
]
