"""What every variable costs with curves of every set of others, for few variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel
from daglock._pace import Pace
from daglock.search.curves import CurveSpec
from daglock.search.spec import COLLINEAR
from daglock.typing import Array, IntArray


@kernel
def _all_costs(
    spec: CurveSpec,
    L: Array,
    column: IntArray,
    y: Array,
    plain: Array,
    rss: Array,
    logs: Array,
    at: NDArray[np.int64],
    most: int,
    width: int,
    found: Array,
) -> bool:
    """Fill in so many more of `all_curve_costs`, sets as the bits of a number; whether some remain.

    A set comes from the one without its highest member, of which all is still there: the factor L
    of its functions, with an inverted diagonal, and ``y = L⁻¹ A_·j`` of every node; ``plain``, the
    factor of its columns alone; ``rss[m]`` and ``logs[m]`` of its first m members. Beyond ``most``
    members no set is looked at: no node may have so many parents. ``at`` has U, m and the highest.
    """
    A, K, d = spec.A, spec.width, found.shape[1]
    U, m, highest = at[0], at[1], at[2]
    for _ in range(width):
        for j in range(d):
            found[U, j] = np.log(max(rss[m, j], COLLINEAR)) + logs[m] / spec.n
        if highest == d - 1 or m == most:
            if highest == d - 1:
                U ^= 1 << highest
                highest -= 1
                m -= 1
            while highest >= 0 and not U >> highest & 1:
                highest -= 1
            if highest < 0:
                return False
            U ^= 1 << highest
            m -= 1
        highest += 1
        U ^= 1 << highest
        logs[m + 1] = logs[m] + spec.bend
        for j in range(d):
            rss[m + 1, j] = rss[m, j]
        for k in range(K):
            t, c = m * K + k, highest * K + k
            column[t] = c
            pivot, own = A[c, c], L[t]
            for s in range(t):
                x, other = A[c, column[s]], L[s]
                for q in range(s):
                    x -= own[q] * other[q]
                x *= other[s]
                own[s] = x
                pivot -= x * x
            if pivot > COLLINEAR:
                logs[m + 1] += np.log(pivot)
                own[t] = 1.0 / np.sqrt(pivot)
            else:
                logs[m + 1] += np.log(COLLINEAR)
                own[t] = 0.0
            for j in range(d):
                x = A[c, j * K]
                for s in range(t):
                    x -= own[s] * y[j, s]
                y[j, t] = x * own[t]
                rss[m + 1, j] -= y[j, t] * y[j, t]
        pivot = 1.0
        for s in range(m):
            x = A[highest * K, column[s * K]]
            for q in range(s):
                x -= plain[m, q] * plain[s, q]
            plain[m, s] = x * plain[s, s]
            pivot -= plain[m, s] * plain[m, s]
        logs[m + 1] -= np.log(max(pivot, COLLINEAR))
        plain[m, m] = 1.0 / np.sqrt(pivot) if pivot > COLLINEAR else 0.0
        m += 1
    at[0], at[1], at[2] = U, m, highest
    return True


def all_curve_costs(spec: CurveSpec, most: int, deadline: float = np.inf) -> Array:
    """Return f_j without the price of edges in cell (U, j), U read as bits; (2^d, d).

    What sets of more than ``most`` members have there means nothing.

    Raises
    ------
    OutOfTimeError
    """
    D, K = len(spec.A), spec.width
    d, pace = D // K, Pace(deadline)
    found, at = np.zeros((1 << d, d)), np.array([0, 0, -1])
    rss, logs = np.ones((d + 1, d)), np.zeros(d + 1)
    room = np.empty((D, D)), np.empty(D, dtype=np.intp), np.empty((d, D)), np.empty((d, d))
    while _all_costs(spec, *room, rss, logs, at, most, pace.width, found):
        pace.step()
    return found
