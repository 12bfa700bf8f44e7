"""Sortability: how far an order by variance, or by R², already is the order of a graph.

On simulated data effects often have larger variances, and larger R², than their causes. A method
can then look good because it sorts. Var-sortability (Reisach, Seiler and Weichwald 2021, section
3.1) and R²-sortability (Reisach et al. 2023, equation 3) measure this for a given graph:

    Σ_k Σ_{i ⇝ j by k edges} [score_i < score_j] + ½ [score_i = score_j],  divided by  Σ_k Σ 1

A pair counts once for every length k for which a directed path of k edges leads from i to j,
however many of these there are. 1: the score grows along every path; 0: it falls; ½: no pattern.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from daglock._parameters import as_numbers
from daglock.dependence.determined import DETERMINED
from daglock.errors import InvalidDataError
from daglock.graph import Graph, as_csr, edge_list, parents_of, topological_order
from daglock.typing import Array

# Scores that agree up to this share (variances) or difference (R²) are tied. With standardised
# columns it is rounding that would decide otherwise.
TIED = 1e-9


def var_sortability(cov: Array, W: Graph) -> float:
    """Share of the directed paths along which the variance grows; NaN for a graph without edges.

    W is a DAG, dense or sparse. Variances that differ by less than the share `TIED` are tied and
    count one half.

    References
    ----------
    Reisach, Seiler and Weichwald (2021), "Beware of the simulated DAG!", section 3.1.

    Examples
    --------
    >>> var_sortability(np.diag([1.0, 2.0, 3.0]), np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]]))
    0.5
    """
    return order_alignment(W, np.log(_variances(cov)), TIED)


def r2_sortability(cov: Array, W: Graph) -> float:
    """Share of the directed paths along which R² grows; NaN for a graph without edges.

    R² is the share of a variable's variance that all the others explain, see
    `explained_shares`. With no more rows than variables it is 1 for all of them, and the result
    is one half: it tells nothing. The arguments are those of `var_sortability`; tied
    are differences of R² below `TIED`.

    References
    ----------
    Reisach, Tami, Seiler, Chambaz and Weichwald (2023), "A scale-invariant sorting criterion to
    find a causal order in additive noise models", equation 3.

    Examples
    --------
    >>> W = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> cov = np.array([[1.0, 0.5, 0.4], [0.5, 1.0, 0.8], [0.4, 0.8, 1.0]])
    >>> round(r2_sortability(cov, W), 4)  # R² is 0.25, 0.67 and 0.64
    0.6667
    """
    return order_alignment(W, explained_shares(cov), TIED)


def explained_shares(cov: Array) -> Array:
    """R² of each variable given all the others, ``1 − 1/(R⁻¹)_jj`` with R the correlation.

    Where R is singular, a variable that the others determine has R² = 1, and the pseudo-inverse
    gives the exact value for every other one: if e_j is orthogonal to the null space,
    ``min aᵀRa`` over a with ``a_j = 1`` is ``1/(R⁺)_jj``.

    Examples
    --------
    >>> explained_shares(np.array([[1.0, 0.6], [0.6, 1.0]])).round(2)
    array([0.36, 0.36])
    """
    deviation = np.sqrt(_variances(cov))
    R = np.asarray(cov, dtype=np.float64) / deviation[:, None] / deviation
    factor, info = scipy.linalg.lapack.dpotrf(R, lower=1)
    if info == 0 and np.diag(factor).min() ** 2 > DETERMINED:
        inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
        return np.clip(1.0 - 1.0 / np.diag(inverse), 0.0, 1.0)
    values, vectors = scipy.linalg.eigh(R, check_finite=False)
    null = values < DETERMINED
    squares = vectors**2
    determined = squares[:, null].sum(axis=1) > 1e-6
    left = 1.0 / (squares[:, ~null] @ (1.0 / values[~null]))
    return np.where(determined, 1.0, np.clip(1.0 - left, 0.0, 1.0))


def order_alignment(W: Graph, scores: Array, tol: float = 0.0) -> float:
    """Share of the directed paths of a DAG along which a score grows; a tie counts one half.

    Sources are numbered by score, and each node j keeps the set of sources that lead to it by k
    edges as the bits of an integer. The next set of j is the union of the sets of its parents;
    those with a smaller score are the first bits. The cost is |E| d / 8 bytes for each length.
    Scores (d,) that differ by no more than ``tol`` are tied.

    Examples
    --------
    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> order_alignment(chain, np.array([1.0, 3.0, 2.0]))  # 0 → 1 and 0 ⇝ 2, not 1 → 2
    0.6666666666666666
    """
    csr = as_csr(W)
    scores = as_numbers("scores", scores)
    d = csr.shape[0]
    if scores.shape != (d,):
        raise InvalidDataError(
            f"There must be one score for each of the {d} nodes; got shape {scores.shape}."
        )
    topological_order(csr)  # refuses a cycle
    if csr.nnz == 0:
        return float("nan")
    source, target, _ = edge_list(csr)
    parents = {j: P.tolist() for j, P in enumerate(parents_of(source, target, d)) if len(P)}
    by_score = np.argsort(scores, kind="stable")
    below = np.searchsorted(scores[by_score], scores - tol, side="left").tolist()
    not_above = np.searchsorted(scores[by_score], scores + tol, side="right").tolist()
    leading_to = {j: 1 << k for k, j in enumerate(by_score.tolist())}  # by no edge: itself
    paths = twice_ordered = 0
    while leading_to:
        by_one_more = {}
        for j, P in parents.items():
            sources = 0
            for i in P:
                sources |= leading_to.get(i, 0)
            if sources:
                by_one_more[j] = sources
                paths += sources.bit_count()
                for limit in (below[j], not_above[j]):
                    twice_ordered += (sources & ((1 << limit) - 1)).bit_count()
        leading_to = by_one_more
    return twice_ordered / (2 * paths)


def _variances(cov: Array) -> Array:
    """Return the diagonal of a covariance, which must be positive."""
    S = as_numbers("cov", cov)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not (np.diag(S) > 0.0).all():
        raise InvalidDataError("cov must be a square matrix with positive variances.")
    return np.diag(S)
