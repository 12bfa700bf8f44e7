"""How far an estimated graph is from the truth: edge by edge, and between equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.errors import InvalidDataError
from daglock.graph import Graph, as_csr, dag_to_cpdag, edge_list
from daglock.typing import IntArray


@dataclass(frozen=True)
class Comparison:
    """Counts of agreement between an estimated graph and the true one."""

    true_positives: int  # edges that are right, direction included
    reversed: int  # that are there but point the wrong way (in a CPDAG: carry another mark)
    n_estimated: int
    n_true: int

    @property
    def missing(self) -> int:
        """True edges that the estimate lacks, the reversed ones apart."""
        return self.n_true - self.true_positives - self.reversed

    @property
    def extra(self) -> int:
        """Estimated edges that the truth lacks, the reversed ones apart."""
        return self.n_estimated - self.true_positives - self.reversed

    @property
    def shd(self) -> int:
        """Structural Hamming distance: reversed + missing + extra, a reversal counted once."""
        return self.reversed + self.missing + self.extra

    @property
    def tpr(self) -> float:
        """True positive rate (recall), tp / n_true; 1 when there is nothing to find."""
        return self.true_positives / self.n_true if self.n_true else 1.0

    @property
    def fdr(self) -> float:
        """False discovery rate, (reversed + extra) / n_estimated; 0 when nothing is claimed."""
        return 1.0 - self.true_positives / self.n_estimated if self.n_estimated else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 2 tp / (n_estimated + n_true); 1 if both empty."""
        total = self.n_estimated + self.n_true
        return 2.0 * self.true_positives / total if total else 1.0


def compare(W_est: Graph, W_true: Graph) -> Comparison:
    """Compare the edges of two directed graphs.

    The SHD is the least number of single edges to add, remove or reverse that turns one graph
    into the other. Only where entries are zero matters, not their values. An estimate with
    cycles is scored by the same rule: where it has both i -> j and j -> i and the truth has one
    of them, that is one true positive and one extra edge; where the truth has neither, two extra
    edges. A self-loop is an extra edge. Both graphs are (d, d), dense or sparse.

    References
    ----------
    Tsamardinos, Brown and Aliferis (2006), "The max-min hill-climbing Bayesian network structure
    learning algorithm", Algorithm 4 (there for equivalence classes).

    Examples
    --------
    >>> truth = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> estimate = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0]])
    >>> result = compare(estimate, truth)
    >>> result.shd, result.true_positives, result.reversed, result.missing, result.extra
    (2, 1, 1, 1, 0)
    """
    d = _common_size(W_est, W_true)
    estimated, estimated_back = _edge_numbers(W_est, d)
    true, _ = _edge_numbers(W_true, d)
    right = np.isin(estimated, true)
    turned = ~right & np.isin(estimated_back, true) & ~np.isin(estimated_back, estimated)
    return Comparison(int(right.sum()), int(turned.sum()), estimated.size, true.size)


def compare_cpdag(cpdag_est: Graph, cpdag_true: Graph) -> Comparison:
    """Compare two CPDAGs pair by pair: every pair of nodes that differs counts one.

    The three marks of a pair (i -> j, i <- j, i - j) are different from each other and from no
    edge. ``true_positives`` counts pairs with the same mark in both graphs, ``reversed`` pairs
    joined in both with different marks, and edges are counted once, undirected ones too. Both are
    (d, d): 0 no edge, 1 directed i -> j, 2 undirected (in both cells), as `dag_to_cpdag` returns.

    References
    ----------
    Tsamardinos, Brown and Aliferis (2006), Algorithm 4.

    Examples
    --------
    >>> chain = np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    >>> collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    >>> result = compare_cpdag(chain, collider)
    >>> result.shd, result.reversed
    (2, 2)
    """
    d = _common_size(cpdag_est, cpdag_true)
    estimated, estimated_marks = _pair_marks(cpdag_est, d)
    true, true_marks = _pair_marks(cpdag_true, d)
    _, at_estimated, at_true = np.intersect1d(
        estimated, true, assume_unique=True, return_indices=True
    )
    same = int((estimated_marks[at_estimated] == true_marks[at_true]).sum())
    return Comparison(same, at_true.size - same, estimated.size, true.size)


def compare_classes(W_est: Graph, W_true: Graph) -> Comparison:
    """Compare the Markov equivalence classes of two DAGs: `compare_cpdag` of their CPDAGs.

    Examples
    --------
    >>> forward = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> compare(forward, forward.T).shd, compare_classes(forward, forward.T).shd
    (2, 0)
    """
    return compare_cpdag(dag_to_cpdag(as_csr(W_est)), dag_to_cpdag(as_csr(W_true)))


def _common_size(first: Graph, second: Graph) -> int:
    """Return the number of nodes, the same in both graphs."""
    d, d_second = as_csr(first).shape[0], as_csr(second).shape[0]
    if d != d_second:
        raise InvalidDataError(
            f"The graphs have {d} and {d_second} nodes; they must have the same."
        )
    return d


def _edge_numbers(W: Graph, d: int) -> tuple[IntArray, IntArray]:
    """Return i d + j for each edge i -> j, and j d + i for its reverse."""
    sources, targets, _ = edge_list(W)
    return sources * d + targets, targets * d + sources


def _pair_marks(cpdag: Graph, d: int) -> tuple[IntArray, IntArray]:
    """Return i d + j of the joined pairs i < j, and marks: 1 i -> j, -1 i <- j, 2 undirected."""
    sources, targets, values = edge_list(cpdag)
    forward, backward = sources * d + targets, targets * d + sources
    undirected = values == 2
    valid = (
        np.isin(values, (1, 2)).all()
        and (sources != targets).all()
        # An undirected edge fills both cells of its pair, a directed one only the first.
        and np.isin(backward[undirected], forward[undirected]).all()
        and not np.isin(backward[~undirected], forward).any()
    )
    if not valid:
        raise InvalidDataError(
            "A CPDAG holds 0 (no edge), 1 (i -> j, 0 in the opposite cell) or 2 (undirected, 2 in "
            "both cells) and a zero diagonal; use dag_to_cpdag to build one from a DAG."
        )
    marks = np.where(undirected, 2, np.where(sources < targets, 1, -1)).astype(np.intp)
    once = ~undirected | (sources < targets)
    return np.minimum(forward, backward)[once], marks[once]
