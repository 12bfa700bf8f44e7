"""Columns that other columns determine: copies, sums, percentages, exactly or up to rounding.

A combination ``Σ a_i x_i`` that varies no more than rounding makes it vary holds no information:

    RSS_j ≤ Σ a_i² (ε + c q_i²/12),  a_j = 1,  all in standard deviations

where q_i is the step of the grid on which column i was recorded, q²/12 the variance of what
rounding to that grid adds, and ε the rounding of the covariance. Columns are visited one after the
other; one that the columns kept so far determine is *set aside*. The order, and with it the choice,
depends on the data, and on names where data tie: never on the order of columns or rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.linalg.blas import dtrsv
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtri

from daglock.moments import Moments
from daglock.typing import Array, BoolArray, IntArray

# Above this many columns only copies are looked for.
MAX_CHECKED = 1000
# ε: variance share that rounding of the covariance, or of values in single precision, leaves open.
EXACT = 1e-12
# Below this share of a variance, what is left of it counts as nothing in what is said of a graph.
DETERMINED = 1e-10
# c: how often the variance of rounding a residual may have; chosen by simulation (docs/data.md).
ROUNDING = 2.0
# A grid counts as rounding where the standard deviation has this many steps; what has fewer values
# (true and false, small counts) is exact.
FEWEST_STEPS = 3.0
# With few rows a residual is small by chance: by this factor, more seldom than so often.
CHANCE, RARE = 4.0, 1e-3
# Scores that agree up to this share are tied.
TIED = 1e-6
# Penalty that makes the scores of singular tables finite.
_RIDGE = 1e-6
# Longer lists of determining columns are not searched for shorter ones.
_MAX_THINNED = 100
_BLOCK = 512


@dataclass(frozen=True)
class Determined:
    """Columns that others determine."""

    aside: IntArray  # set aside, sorted
    kept: IntArray  # the others, sorted
    by: dict[int, IntArray] = field(default_factory=dict)  # the kept ones that determine each
    exact: dict[int, bool] = field(default_factory=dict)  # whether exactly or up to rounding
    groups: tuple[IntArray, ...] = ()  # who determine each other: connected components of `by`

    def __bool__(self) -> bool:
        """Whether there are any."""
        return len(self.aside) > 0

    def together(self) -> BoolArray:
        """Tell of each pair whether both are of one of the `groups`.

        Of two columns of a group there is always a set that holds both, and of which any one is
        determined by the rest, though `by` need not name it (Oxley, Matroid Theory, 2011, section
        4.1): with t = a + b and s = t + c also s, t and c are such a set.

        Examples
        --------
        >>> x = np.random.default_rng(0).normal(size=(50, 3))
        >>> table = np.column_stack([x, x[:, 0] + x[:, 1], 2 * x[:, 2]])
        >>> find_determined(Moments.from_data(table)).together()[0]
        array([False,  True, False,  True, False])
        """
        d = len(self.aside) + len(self.kept)
        pairs = np.zeros((d, d), dtype=np.bool_)
        for group in self.groups:
            pairs[np.ix_(group, group)] = True
        np.fill_diagonal(pairs, False)
        return pairs


def find_determined(moments: Moments, keep: Iterable[int] = ()) -> Determined:
    """Find the columns that others determine linearly, exactly or up to rounding.

    With no more rows than columns every column is a combination of others by chance: only copies
    are looked for then, and with more than 1000 columns. Columns to ``keep``, such as those of
    required edges, are never set aside.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> parts = rng.gamma(2.0, size=(200, 3))
    >>> percentages = (100 * parts / parts.sum(axis=1, keepdims=True)).round()
    >>> found = find_determined(Moments.from_data(percentages), keep=[0])
    >>> found.aside.tolist(), found.kept.tolist(), found.by[2].tolist(), found.exact[2]
    ([2], [0, 1], [0, 1], False)
    """
    table = _Table.of(moments, keep)
    by, exact = _copies(table)
    if table.n > table.d and table.d <= MAX_CHECKED:
        left = np.setdiff1d(np.arange(table.d), list(by))
        _combinations(table, left, by, exact)
    aside = np.array(sorted(by), dtype=np.intp)
    kept = np.setdiff1d(np.arange(table.d), aside)
    return Determined(aside, kept, by, exact, _groups(table.d, by))


@dataclass(frozen=True)
class _Table:
    """What the search needs to know of a table."""

    n: int
    R: Array  # (d, d) correlation
    rounding: Array  # (d,) variance that rounding adds to each column, in units of its variance
    forced: BoolArray  # (d,) whether a column must be kept
    rank: IntArray  # (d,) place of a column among the names, or its index

    @property
    def d(self) -> int:
        return len(self.R)

    @classmethod
    def of(cls, moments: Moments, keep: Iterable[int]) -> _Table:
        d = moments.d
        scaled = moments.standardised()
        step = np.where(scaled.resolution * FEWEST_STEPS <= 1.0, scaled.resolution, 0.0)
        forced = np.zeros(d, dtype=np.bool_)
        forced[list(keep)] = True
        rank = np.arange(d)
        if moments.names is not None:
            rank[np.argsort(np.array(moments.names, dtype=object), kind="stable")] = np.arange(d)
        return cls(moments.n, scaled.cov, step**2 / 12.0, forced, rank)

    def allows(self, rest: Array | float, rounding: Array | float, k: int) -> BoolArray:
        """Whether residual variances after k regressors are rounding; that adds Σ a² q²/12.

        The expected residual is the variance times the degrees of freedom. With few of them it is
        small by chance, which an improbable quantile of χ² guards against.
        """
        freedom = self.n - k - 1
        if freedom < 1:
            return np.zeros(np.shape(rest), dtype=np.bool_)
        most = min(ROUNDING * freedom, CHANCE * float(chdtri(freedom, 1.0 - RARE))) / self.n
        return np.asarray(rest <= most * rounding)

    def is_rounding(self, rest: float, a: Array, precision: Array, j: int, P: IntArray) -> bool:
        """Whether what P leaves of column j is rounding of the values.

        Squared coefficients come out too large, by the variance of a: the residual variance times
        `precision`, the diagonal of the inverse correlation of P.
        """
        noise = rest * precision / max(self.n - len(P) - 1, 1)
        added = max(float((a**2 - noise) @ self.rounding[P]), 0.0)
        return bool(self.allows(rest, self.rounding[j] + added, len(P)))

    def order(self, score: Array, columns: IntArray) -> IntArray:
        """Order to visit columns in: forced ones, then by score, then by name."""
        by_score = columns[np.argsort(score[columns], kind="stable")]
        values = score[by_score]
        level = np.zeros(self.d, dtype=np.intp)
        level[by_score] = np.cumsum(np.diff(values, prepend=values[:1]) > TIED * np.abs(values))
        return columns[np.lexsort((self.rank[columns], level[columns], ~self.forced[columns]))]


def _copies(table: _Table) -> tuple[dict[int, IntArray], dict[int, bool]]:
    """Columns that are multiples of one that is kept, which is the one recorded most finely."""
    by: dict[int, IntArray] = {}
    exact: dict[int, bool] = {}
    if table.n < 3:  # any two columns of two rows are
        return by, exact
    q, d = table.rounding, table.d
    pairs = []
    for start in range(0, d, _BLOCK):
        some = slice(start, start + _BLOCK)
        rest = 1.0 - table.R[some] ** 2
        same = (rest <= 2.0 * EXACT) | table.allows(rest, q[some, None] + q, 1)
        rows, columns = np.nonzero(same)
        pairs.append(np.stack([rows + start, columns]))
    first, second = np.concatenate(pairs, axis=1)
    place = np.argsort(table.order(np.sqrt(q), np.arange(d)))
    earlier = place[first] < place[second]
    first, second = first[earlier], second[earlier]
    for k in np.lexsort((place[first], place[second])):
        i, j = int(first[k]), int(second[k])
        if not (i in by or j in by or table.forced[j]):
            by[j] = np.array([i])
            exact[j] = bool(1.0 - table.R[i, j] ** 2 <= 2.0 * EXACT)
    return by, exact


def _combinations(
    table: _Table, columns: IntArray, by: dict[int, IntArray], exact: dict[int, bool]
) -> None:
    """Add those of the columns that combinations of others determine."""
    R = table.R
    score = _redundancy(table, columns)
    if score is None:
        return
    factor = _GrowingFactor()
    kept, precision = np.empty(0, dtype=np.intp), np.empty(0)
    for j in map(int, table.order(score, columns)):
        row = factor.solve(R[kept, j])
        rest = 1.0 - float(row @ row)
        a = factor.solve(row, transposed=True)
        exactly = rest <= EXACT * (1.0 + float(a @ a))
        if exactly or table.is_rounding(rest, a, precision, j, kept):
            if not table.forced[j]:
                by[j], exact[j] = _thinned(table, j, kept, a, exactly), exactly
            continue
        factor.append(row, np.sqrt(rest))
        kept = np.append(kept, j)
        precision = np.append(precision + a**2 / rest, 1.0 / rest)


class _GrowingFactor:
    """A Cholesky factor that grows by a row at a time; what is not used yet is the identity."""

    def __init__(self) -> None:
        self._L: Array = np.eye(64, order="F")
        self._k = 0

    def append(self, row: Array, pivot: float) -> None:
        """Add a row."""
        k = self._k
        if k == len(self._L):
            grown = np.eye(2 * k, order="F")
            grown[:k, :k] = self._L
            self._L = grown
        self._L[k, :k], self._L[k, k] = row, pivot
        self._k = k + 1

    def solve(self, b: Array, *, transposed: bool = False) -> Array:
        """Solve L x = b, or Lᵀ x = b."""
        x = np.zeros(len(self._L))
        x[: self._k] = b
        dtrsv(self._L, x, lower=1, trans=int(transposed), overwrite_x=1)
        return x[: self._k]


def _redundancy(table: _Table, columns: IntArray) -> Array | None:
    """How far the others determine each column; None where no column comes near to it.

    The diagonal of the precision matrix, with a ridge. Where columns determine each other this is
    their share in the combinations that do not vary: a total has more than its parts.
    """
    R = table.R[np.ix_(columns, columns)]
    q = table.rounding[columns]
    inverse, info = _inverse(R)
    if info == 0:
        variance = 1.0 / np.diag(inverse)
        a = (inverse * variance) ** 2  # column j: squared coefficients of the regression of j
        limit = EXACT * a.sum(axis=0) + ROUNDING * (q @ a)
        if not (variance <= 2.0 * limit).any():
            return None
    ridged, _ = _inverse(R + _RIDGE * np.eye(len(R)))
    score = np.zeros(table.d)
    score[columns] = np.diag(ridged)
    return score


def _inverse(R: Array) -> tuple[Array, int]:
    """Inverse of a positive definite matrix, and 0 where it is one."""
    factor, info = scipy.linalg.lapack.dpotrf(R, lower=1)
    if info:
        return R, int(info)
    inverse, info = scipy.linalg.lapack.dpotri(factor, lower=1)
    return np.tril(inverse) + np.tril(inverse, -1).T, int(info)


def _thinned(table: _Table, j: int, kept: IntArray, a: Array, is_exact: bool) -> IntArray:
    """Few of the kept columns that still determine column j, sorted.

    Those with the largest coefficients, as many as it takes; of these, those that cannot be left
    out.
    """
    sizes = np.abs(a)
    all_of_them = np.sort(kept[sizes > 1e-6])
    if np.count_nonzero(sizes > 0.1 * sizes.max()) > _MAX_THINNED:
        return all_of_them
    strongest = kept[np.argsort(-sizes, kind="stable")]
    size = 4
    holds, cost = _regress(table, j, strongest[:size], is_exact)
    while not holds:
        if size >= min(len(kept), _MAX_THINNED):
            return all_of_them
        size *= 2
        holds, cost = _regress(table, j, strongest[:size], is_exact)
    P = strongest[:size]
    batch = len(P) // 2
    while batch:
        fewer = P[np.sort(np.argsort(cost, kind="stable")[batch:])]
        holds, costs = _regress(table, j, fewer, is_exact)
        if holds:
            P, cost = fewer, costs
            batch = min(batch, len(P) // 2)
        else:
            batch //= 2
    return np.sort(P)


def _regress(table: _Table, j: int, P: IntArray, is_exact: bool) -> tuple[bool, Array]:
    """Whether columns P determine column j, and what the residual gains without each of them."""
    factor, info = scipy.linalg.lapack.dpotrf(table.R[np.ix_(P, P)], lower=1)
    if info:
        return False, np.zeros(len(P))
    row = dtrsv(factor, table.R[P, j], lower=1)
    rest = 1.0 - float(row @ row)  # not by the inverse, which loses digits
    a = dtrsv(factor, row, lower=1, trans=1)
    inverse, _ = scipy.linalg.lapack.dpotri(factor, lower=1)
    precision = np.diag(inverse)
    if is_exact:
        holds = rest <= 10.0 * EXACT * (1.0 + float(a @ a))  # each sum rounds in its own way
    else:
        holds = table.is_rounding(rest, a, precision, j, P)
    return holds, a**2 / precision


def _groups(d: int, by: dict[int, IntArray]) -> tuple[IntArray, ...]:
    """Return the connected components with more than one column, by their first column."""
    if not by:
        return ()
    rows = np.concatenate([np.full(len(P), j) for j, P in by.items()])
    columns = np.concatenate(list(by.values()))
    links = scipy.sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(d, d))
    _, label = connected_components(links, directed=False)
    members = np.unique(np.concatenate([rows, columns]))
    first = {int(label[j]): k for k, j in reversed(list(enumerate(members)))}
    return tuple(members[label[members] == name] for name in sorted(first, key=first.__getitem__))
