"""What every variable costs with every set of others as its parents, for few variables.

A set is the bits of a number. There are 2^d of them, so what is kept of each is little: the
residual variances, [U, j], and nothing else that has a column for each variable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import kernel
from daglock._pace import Pace
from daglock.search.all_costs import all_set_costs
from daglock.search.all_curves import all_curve_costs
from daglock.search.curves import CurveSpec
from daglock.search.joint import all_extras
from daglock.search.set_costs import JointSpec
from daglock.search.spec import COLLINEAR
from daglock.typing import Array, BoolArray

# exp of this is as much as a number holds
_MOST = 600.0


class Sets(NamedTuple):
    """All that does not depend on the noise model.

    Attributes
    ----------
    rss : [U, j] residual variance of j given the set U, as the bits of a number; j not in U.
    size : [U] number of members.
    most : parents that a node may have.
    may, must : [j] the sets of those that may be parents of j, and of those that have to be.
    after : [j] the set of those that must come after j.
    """

    rss: Array
    size: NDArray[np.int8]
    most: int
    may: NDArray[np.int64]
    must: NDArray[np.int64]
    after: NDArray[np.int64]


def make_sets(
    S: Array,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    *,
    deadline: float = np.inf,
) -> Sets:
    """Regress every variable on every set of others; masks are indexed [i, j] for i -> j.

    Raises
    ------
    OutOfTimeError
    """
    deviation = np.sqrt(np.diag(S))
    rss = residuals(S / np.outer(deviation, deviation), deadline)
    rss *= np.diag(S)
    return _known_of(rss, most, allowed, required, before)


def make_context_sets(
    matrices: list[Array],
    contexts: list[list[tuple[int, float]]],
    extra: float,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    *,
    deadline: float = np.inf,
) -> Sets:
    """Regress every variable on every set of others in each of its contexts.

    ``rss[U, j]`` is the exponential of the sum of weighted logarithms, and of what coefficients in
    further contexts cost; see `daglock.search.contexts`.
    """
    d = len(contexts)
    cost = np.outer(sizes_of_sets(d), extra * np.array([len(own) - 1.0 for own in contexts]))
    for k in sorted({k for own in contexts for k, _ in own}):
        variance = np.diag(matrices[k])
        deviation = np.sqrt(np.where(variance > 0.0, variance, 1.0))
        rss = residuals(matrices[k] / np.outer(deviation, deviation), deadline)
        for j, own in enumerate(contexts):
            for group, weight in own:
                if group == k:
                    cost[:, j] += weight * np.log(rss[:, j] * variance[j])
    return _known_of(_exponential(cost), most, allowed, required, before)


def make_joint_sets(
    spec: JointSpec,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    *,
    deadline: float = np.inf,
) -> Sets:
    """Work out what every variable costs with every set of others, where sets have costs.

    ``rss[U, j]`` is the exponential of c(U ∪ j) − c(U) and of what U costs beyond its edges.
    """
    d = len(spec.size)
    costs, every = all_set_costs(spec, deadline), np.arange(1 << d)
    cost = all_extras(spec)
    for j in range(d):
        cost[:, j] += costs[every | 1 << j] - costs
    return _known_of(_exponential(cost), most, allowed, required, before)


def make_curve_sets(
    spec: CurveSpec,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
    *,
    deadline: float = np.inf,
) -> Sets:
    """Regress every variable on curves of every set of others.

    ``rss[U, j]`` is the exponential of log RSS and of what bends cost beyond the edges.
    """
    cost = all_curve_costs(spec, most, deadline)
    return make_known_sets(cost, most, allowed, required, before)


def make_known_sets(
    cost: Array,
    most: int,
    allowed: BoolArray | None = None,
    required: BoolArray | None = None,
    before: BoolArray | None = None,
) -> Sets:
    """Return the same of costs that are known, [U, j], which are used up."""
    return _known_of(_exponential(cost), most, allowed, required, before)


def _exponential(cost: Array) -> Array:
    """Return exp of costs, in their place."""
    return np.asarray(np.exp(np.minimum(cost, _MOST, out=cost), out=cost))


def _known_of(
    rss: Array,
    most: int,
    allowed: BoolArray | None,
    required: BoolArray | None,
    before: BoolArray | None,
) -> Sets:
    """Return residual variances with what is known, masks as sets."""
    d = rss.shape[1]
    power = 1 << np.arange(d)
    others = power.sum() - power
    may = others if allowed is None else power @ allowed & others
    must = np.zeros(d, dtype=np.int64) if required is None else power @ required
    after = np.zeros(d, dtype=np.int64) if before is None else before @ power
    return Sets(rss, sizes_of_sets(d), most, may, must, after)


def sizes_of_sets(d: int) -> NDArray[np.int8]:
    """Return the number of members of every set of d variables, (2^d,)."""
    size = np.zeros(1 << d, dtype=np.int8)
    for i in range(d):
        size[1 << i : 2 << i] = size[: 1 << i] + 1
    return size


def residuals(R: Array, deadline: float = np.inf) -> Array:
    """Return the residual variance of every variable given every set of variables, [U, j].

    Raises
    ------
    OutOfTimeError
    """
    d, pace = len(R), Pace(deadline)
    found, rows, diagonal = np.empty((1 << d, d)), np.empty((d + 1, d, d)), np.empty((d + 1, d))
    rows[0], diagonal[0] = R, np.diag(R)
    at = np.array([0, 0, -1])
    while _sweep_out(rows, diagonal, at, pace.width, found):
        pace.step()
    return found


@kernel
def _sweep_out(
    rows: Array, diagonal: Array, at: NDArray[np.int64], width: int, found: Array
) -> bool:
    """Fill in so many more `residuals`: what U, swept out of the correlation, leaves of variances.

    A set comes from the one without its highest member by one sweep. ``rows[m]`` and
    ``diagonal[m]`` are what the first m members of U leave; the next set has one member more, or
    else its last but one is the next. Only rows of variables beyond the highest member are swept
    out later, so only these are kept up, O(d) numbers for most sets. ``at`` has U, m and the
    highest member. Returns whether sets are left.
    """
    d = found.shape[1]
    U, m, highest = at[0], at[1], at[2]
    for _ in range(width):
        for j in range(d):
            found[U, j] = max(diagonal[m, j], COLLINEAR)
        if highest == d - 1:
            U ^= 1 << highest
            while highest >= 0 and not U >> highest & 1:
                highest -= 1
            if highest < 0:
                return False
            U ^= 1 << highest
            m -= 2
        highest += 1
        U ^= 1 << highest
        before, now, out = rows[m], rows[m + 1], rows[m, highest]
        pivot = diagonal[m, highest]
        if pivot <= COLLINEAR:
            pivot = np.inf  # the others determine it: it says nothing new
        for i in range(highest + 1, d):
            share = out[i] / pivot
            for j in range(d):
                now[i, j] = before[i, j] - share * out[j]
        for j in range(d):
            diagonal[m + 1, j] = diagonal[m, j] - out[j] / pivot * out[j]
        m += 1
    at[0], at[1], at[2] = U, m, highest
    return True
