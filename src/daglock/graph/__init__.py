"""Directed graphs: acyclicity, orders, equivalence classes, orientation, and `WeightedDAG`.

``W[i, j] != 0`` means i -> j.
"""

from daglock.graph.classes import Marks, canonical_member, dag_to_cpdag, marked, members_turned
from daglock.graph.directed import (
    Graph,
    SparseArray,
    as_csr,
    edge_list,
    edges_into,
    find_cycle,
    is_dag,
    order_of_cyclic,
    parents_of,
    strong_components,
    threshold,
    topological_order,
)
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
    "edges_into",
    "find_cycle",
    "is_dag",
    "marked",
    "members_turned",
    "order_of_cyclic",
    "parents_of",
    "strong_components",
    "threshold",
    "topological_order",
]
