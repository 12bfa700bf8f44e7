"""Where a search starts: orders from conditional variances, parents from full regressions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from daglock._compiling import kernel
from daglock._pace import Pace
from daglock.search.spec import COLLINEAR, cholesky, read_only
from daglock.ties import TIE
from daglock.typing import Array, BoolArray, IntArray

# A node keeps at most this many parents while the sparse order is built.
SPARSE_PARENTS = 24


def conditional_variance_order(
    S: Array,
    n: int,
    cost: float,
    before: BoolArray | None = None,
    deadline: float = np.inf,
) -> tuple[IntArray, float]:
    """Order that always takes next the node with the smallest variance given those taken.

    With equal noise variances a node whose parents are all taken has conditional variance σ²,
    every other one has more, so the population order is exact (Chen, Drton and Wang, 2019). With
    enough rows the conditioning set is everything taken so far: a Cholesky factorisation with
    that pivot rule. With fewer than ``4 d`` rows it is only what pays for itself.

    Parameters
    ----------
    S : (d, d) covariance.
    n : number of rows behind it.
    cost : price of one edge per row.
    before : (d, d) bool, ``before[i, j]``: i must precede j.
    deadline : value of ``time.perf_counter`` after which OutOfTimeError is raised.

    Returns
    -------
    order : (d,)
    sigma2 : the mean conditional variance at the moment of choice, an estimate of σ².
    """
    if n >= 4 * len(S):
        order, variance = _dense_order(S, before, Pace(deadline))
        variance /= 1.0 - np.arange(len(S)) / n  # k regressors take k degrees of freedom
    else:
        order, variance = _sparse_order(S, cost, before, Pace(deadline))
    return order, float(np.mean(variance))


def _dense_order(S: Array, before: BoolArray | None, pace: Pace) -> tuple[IntArray, Array]:
    """Given every node taken so far: pivoted Cholesky. The order, and the variances then."""
    d, D, floor = len(S), np.diag(S), COLLINEAR * np.diag(S)
    order, at_choice = np.empty(d, dtype=np.intp), np.empty(d)
    queue, V = Queue(before, d), np.zeros((d, d))
    for k in range(d):
        v = queue.take_least(D)
        order[k], at_choice[k] = v, D[v]
        if D[v] > floor[v]:
            V[k] = (S[v] - V[:k, v] @ V[:k]) / np.sqrt(D[v])
            # what the others determine is rounding, of either sign
            D = np.maximum(D - V[k] * V[k], floor)
        if k % 16 == 15:
            pace.step()
    return order, at_choice


class Queue:
    """Nodes that are taken one after the other, each after those that must come before it.

    Parameters
    ----------
    before : (d, d) bool, ``before[i, j]``: i is taken before j; None where nobody waits.
    d : number of nodes.
    """

    def __init__(self, before: BoolArray | None, d: int) -> None:
        self.before = before
        self.waiting = np.zeros(d, np.intp) if before is None else before.sum(axis=0, dtype=np.intp)

    def take_least(self, values: Array) -> int:
        """Take the one of least value among those that wait for nobody; of equals the first."""
        free = np.where(self.waiting, np.inf, values)
        v = int((free <= (1.0 + TIE) * free.min()).argmax())
        self.waiting[v] = -1  # taken
        if self.before is not None:
            self.waiting[self.before[v]] -= 1
        return v


def precision_order(S: Array, before: BoolArray | None = None) -> IntArray | None:
    """Order that always puts last the node with the smallest variance given all others left.

    Without a common noise variance no order is exact. But effects have small residual variance
    given everything else, on the scale of the correlation, and causes that they explain do not.
    The variance given the others is 1/Θ_vv, Θ the precision matrix, and leaving v out turns Θ into
    ``Θ − Θ_·v Θ_v· / Θ_vv``. None where the covariance is singular.
    """
    d = S.shape[0]
    if cholesky(S) is None:
        return None
    precision = np.linalg.inv(S)
    # v may be last once nobody is left who must come after it
    queue = Queue(None if before is None else before.T, d)
    order = np.empty(d, dtype=np.intp)
    for q in range(d - 1, -1, -1):
        v = order[q] = queue.take_least(1.0 / np.diag(precision))
        precision -= np.outer(precision[:, v], precision[v] / precision[v, v])
        precision[v, v] = 1.0
    return order


def full_regression_gains(S: Array, order: IntArray) -> Array | None:
    """Gain of each predecessor in the regression of a node on *all* its predecessors.

    With ``A`` the inverse of the Cholesky factor of the covariance in this order, the coefficients
    of node q are ``−A[q, a] / A[q, q]``, and ``(S_PP⁻¹)_aa`` is the sum of ``A[k, a]²`` over k < q.
    Returns the (d, d) matrix of gains ``b_a² / (S_PP⁻¹)_aa`` by position, [a, q] (0 below the
    diagonal), or None where the covariance is singular.
    """
    L = cholesky(S[np.ix_(order, order)])
    if L is None:
        return None
    A, info = scipy.linalg.lapack.dtrtri(L, lower=1)
    if info != 0:
        return None
    gain: Array = np.tril(A / np.diag(A)[:, None], -1) ** 2
    precision = np.cumsum(A * A, axis=0)
    gain[1:] /= np.where(precision[:-1] > 0.0, precision[:-1], 1.0)
    return np.ascontiguousarray(gain.T)


class Taken(NamedTuple):
    """An order that is being built."""

    order: IntArray  # (d,)
    variance: Array  # (d,) conditional variance at the moment of choice
    left: BoolArray  # (d,) not taken yet
    waiting: IntArray  # (d,) how many must come before and are not taken yet
    D: Array  # (d,) variance given those taken


class Chosen(NamedTuple):
    """Those taken that paid for themselves, for each node, with their Cholesky factors."""

    n_parents: IntArray
    P: IntArray
    L: Array
    y: Array
    b: Array
    w: Array


def _sparse_order(
    S: Array, cost: float, before: BoolArray | None, pace: Pace
) -> tuple[IntArray, Array]:
    """Given those taken so far that pay for themselves. The order, and the variances then."""
    S, d, m = read_only(S), len(S), SPARSE_PARENTS
    if before is None:
        before = np.zeros((d, d), dtype=np.bool_)
    taken = Taken(
        np.empty(d, dtype=np.intp),
        np.empty(d),
        np.ones(d, dtype=np.bool_),
        before.sum(axis=0, dtype=np.intp),
        np.diag(S).copy(),
    )
    chosen = Chosen(
        np.zeros(d, dtype=np.intp),
        np.empty((d, m), dtype=np.intp),
        np.zeros((d, m, m)),
        np.zeros((d, m)),
        np.zeros((d, m)),
        np.empty(m),
    )
    first = 0
    while first < d:
        last = min(d, first + pace.width)
        _take_sparse(S, cost, before, taken, chosen, first, last)
        first = last
        pace.step()
    return taken.order, taken.variance


@kernel
def _take_sparse(
    S: Array, cost: float, before: BoolArray, taken: Taken, chosen: Chosen, first: int, end: int
) -> None:
    """Take nodes given those taken so far that paid for themselves: d·|P| work for each."""
    d = S.shape[0]
    left, waiting, D = taken.left, taken.waiting, taken.D
    count, P, L, y, b, w = chosen.n_parents, chosen.P, chosen.L, chosen.y, chosen.b, chosen.w
    for k in range(first, end):
        v = -1
        for i in range(d):  # the smallest D among those that wait for nobody; of equals the first
            if left[i] and waiting[i] == 0 and (v < 0 or D[i] * (1.0 + TIE) < D[v]):
                v = i
        taken.order[k] = v
        taken.variance[k] = D[v]
        left[v] = False
        for i in range(before.shape[0]):
            waiting[i] -= before[v, i]
        row, own = S[v], S[v, v]
        for j in range(d):
            if not left[j]:
                continue
            m = count[j]
            r = row[j]
            for t in range(m):
                r -= b[j, t] * row[P[j, t]]
            # v pays when r² / q > cost·D_j, and q, its variance given P_j, hardly falls below
            # what it was given its own parents
            if r * r <= 0.5 * cost * D[j] * D[v] or m == SPARSE_PARENTS:
                continue
            q = own
            for t in range(m):
                x = row[P[j, t]]
                for s in range(t):
                    x -= L[j, t, s] * w[s]
                x /= L[j, t, t]
                w[t] = x
                q -= x * x
            if q > COLLINEAR * own and r * r > cost * D[j] * q:
                for t in range(m):
                    L[j, m, t] = w[t]
                pivot = np.sqrt(q)
                L[j, m, m] = pivot
                y[j, m] = r / pivot
                P[j, m] = v
                count[j] = m + 1
                D[j] = max(D[j] - r * r / q, COLLINEAR * S[j, j])
                for t in range(m, -1, -1):
                    x = y[j, t]
                    for s in range(t + 1, m + 1):
                        x -= L[j, s, t] * b[j, s]
                    b[j, t] = x / L[j, t, t]
