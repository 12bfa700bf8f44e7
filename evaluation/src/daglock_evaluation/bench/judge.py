"""How good an answer is: the figures of a record."""

from __future__ import annotations

from typing import Any, Literal

from daglock.graph import Graph, as_csr, dag_to_cpdag, is_dag
from daglock.metrics import compare, compare_cpdag
from daglock_evaluation.bench.peer import Answer


def judge(
    answer: Answer, truth: Graph, returns: Literal["dag", "class"], target: Literal["dag", "class"]
) -> dict[str, Any]:
    """Compare an answer with the true DAG and with its equivalence class.

    Returns
    -------
    dict with ``shd`` and ``f1`` (edges with their directions; None for a method that returns a
    class, whose F1 is that of the marks of the class), ``cpdag_shd`` (None for a graph with a
    cycle), ``exact`` (nothing wrong in what the data identify), ``is_dag`` (None for a class),
    ``n_edges`` (undirected ones counted once), ``n_raw`` and ``raw_is_dag`` (before the method's
    threshold; where it has none, the result itself).
    """
    graph = as_csr(answer.graph)
    true_class = dag_to_cpdag(as_csr(truth))
    shd: int | None
    cpdag_shd: int | None
    if returns == "class":
        by_class = compare_cpdag(graph, true_class)
        acyclic = None
        n_edges = by_class.n_estimated
        shd, f1, cpdag_shd = None, by_class.f1, by_class.shd
        exact = cpdag_shd == 0
    else:
        acyclic = is_dag(graph)
        by_edge = compare(graph, truth)
        n_edges = by_edge.n_estimated
        shd, f1 = by_edge.shd, by_edge.f1
        cpdag_shd = compare_cpdag(dag_to_cpdag(graph), true_class).shd if acyclic else None
        exact = (shd if target == "dag" else cpdag_shd) == 0
    return {
        "shd": shd,
        "f1": round(f1, 6),
        "cpdag_shd": cpdag_shd,
        "exact": exact,
        "is_dag": acyclic,
        "n_edges": n_edges,
        "n_raw": n_edges if answer.n_raw is None else answer.n_raw,
        "raw_is_dag": acyclic if answer.raw_is_dag is None else answer.raw_is_dag,
        "note": answer.note,
    }
