"""How good an answer is: the figures of a record, in the benchmark and in the reproduction."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from daglock.graph import Graph, SparseArray, as_csr, dag_to_cpdag, is_dag, threshold
from daglock.metrics import compare, compare_classes, compare_cpdag
from daglock.typing import Array
from daglock_evaluation.methods import Answer

# Weights below this are dropped "by hand" where a method has no exact zeros, as NOTEARS does.
CUTOFF = 0.3
Target = Literal["dag", "class"]
Kind = Literal["dag", "class", "ancestors"]


def judge(answer: Answer, truth: Graph, returns: Kind, target: Target) -> dict[str, Any]:
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
    acyclic, by_edge, by_class = None, None, None
    if returns == "ancestors":
        return _no_distance(graph)
    if returns == "class":
        by_class = compare_cpdag(graph, dag_to_cpdag(as_csr(truth)))
    else:
        acyclic, by_edge = is_dag(graph), compare(graph, truth)
        by_class = compare_classes(graph, as_csr(truth)) if acyclic else None
    main = by_class if by_edge is None or target == "class" else by_edge
    shown = by_edge or by_class
    assert shown is not None
    return {
        "shd": None if by_edge is None else by_edge.shd,
        "f1": round(shown.f1, 6),
        "cpdag_shd": None if by_class is None else by_class.shd,
        "exact": main is not None and main.shd == 0,
        "is_dag": acyclic,
        "n_edges": shown.n_estimated,
        "n_raw": shown.n_estimated if answer.n_raw is None else answer.n_raw,
        "raw_is_dag": acyclic if answer.raw_is_dag is None else answer.raw_is_dag,
        "note": answer.note,
    }


def _no_distance(graph: SparseArray) -> dict[str, Any]:
    """Return the figures of an answer that is neither a DAG nor a class."""
    n_edges = int((graph + graph.T).count_nonzero()) // 2
    none = ("shd", "f1", "cpdag_shd", "exact", "is_dag", "raw_is_dag")
    return {**dict.fromkeys(none), "n_edges": n_edges, "n_raw": n_edges, "note": ""}


def judge_weights(W: Array, truth: Array) -> dict[str, Any]:
    """Compare weights with the true graph as they come out, after a cut, and with its transpose.

    nnz, sparsity : non-zeros, and the share of zeros among the d(d − 1) entries.
    is_dag, shd, tpr : of the graph as it comes out.
    nnz_cut, is_dag_cut, shd_cut, tpr_cut : after weights below 0.3 are dropped.
    shd_transposed, shd_cut_transposed : against the transpose of the truth, which is what a
        method scores when the data come from ``X = X Wᵀ + Z`` and W is taken for the truth.
    cpdag_shd : between equivalence classes, of the graph as it comes out or else after the cut;
        None where neither is a DAG.
    """
    d, cut = len(W), threshold(W, CUTOFF)
    raw, strong = compare(W, truth), compare(cut, truth)
    acyclic, acyclic_cut = is_dag(W), is_dag(cut)
    graph = W if acyclic else cut if acyclic_cut else None
    return {
        "nnz": raw.n_estimated,
        "sparsity": 1.0 - raw.n_estimated / (d * (d - 1)),
        "is_dag": acyclic,
        "shd": raw.shd,
        "shd_transposed": compare(W, truth.T).shd,
        "tpr": raw.tpr,
        "nnz_cut": strong.n_estimated,
        "is_dag_cut": acyclic_cut,
        "shd_cut": strong.shd,
        "shd_cut_transposed": compare(cut, truth.T).shd,
        "tpr_cut": strong.tpr,
        "cpdag_shd": None if graph is None else compare_classes(graph, truth).shd,
    }


def judge_class(cpdag: Graph, truth: Array) -> dict[str, Any]:
    """Compare a class with that of the true graph: its edges, and the distance."""
    found = compare_cpdag(cpdag, np.asarray(dag_to_cpdag(truth)))
    return {"nnz": found.n_estimated, "cpdag_shd": found.shd}
