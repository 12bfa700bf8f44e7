"""Changes: in which regimes the mechanism of a node is another one.

A node j with parents P follows ``x_j = a + b·x_P + noise``. Regimes share intercept, coefficients
and variance unless a mechanism of its own pays in a regime: what it lowers −2 log-likelihood by
must exceed the price of its parameters. Regimes leave the shared mechanism one after the other, the
one that gains most first, and come back where that pays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtri

from daglock.regimes.regimes import Group, Regimes
from daglock.typing import Array, BoolArray, IntArray

# Changes that are expected by chance in a table without any.
FALSE_CHANGES = 0.01
# What parents must explain of a target in its regime, in units of 2 log-likelihood, to say so.
CONTRADICTION = 10.0
# What can change, in the order in which it is named.
WHAT = ("intercept", "coefficients", "variance")
# A variance below this share of the column's is rounding.
_SMALLEST = 1e-13
# Steps between common coefficients and the variances by which regimes weigh in them.
_STEPS = 4


class Mechanism(NamedTuple):
    """The mechanism of a node in all regimes.

    Attributes
    ----------
    cost : −2 log-likelihood, up to a constant, plus the price of what changes.
    changed : (regimes,) where it is another one.
    gain : (regimes,) what that lowers the cost by in each of these; 0 elsewhere.
    """

    cost: float
    changed: BoolArray
    gain: Array


class Change(NamedTuple):
    """A mechanism that is another one in a regime: ``gain`` in units of 2 log-likelihood."""

    column: str
    regime: str
    what: tuple[str, ...]
    gain: float


@dataclass(frozen=True, eq=False)
class Changes:
    """Regressions in regimes, for whatever parents.

    Examples
    --------
    The second column follows the first in all regimes, and the first has another mean in one.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400) + np.repeat([0.0, 0.0, 3.0, 0.0], 100)
    >>> X = np.column_stack([x, x + rng.normal(size=400)])
    >>> changes = Changes.of(Regimes.from_labelled(X, np.repeat([0, 1, 2, 3], 100), ["a", "b"]))
    >>> empty = np.empty(0, dtype=np.intp)
    >>> changes.mechanism(0, empty).changed.tolist()
    [False, False, True, False]
    >>> changes.mechanism(1, np.array([0])).changed.any()
    np.False_
    >>> [(one.column, one.regime, one.what) for one in changes.table([empty, np.array([0])])]
    [('a', '2', ('intercept',))]
    """

    kept: Regimes
    sizes: Array  # (G,) rows
    means: Array  # (G, d) around those of all rows, in deviations within regimes
    price: float  # of a parameter

    @classmethod
    def of(cls, kept: Regimes) -> Changes:
        """Prepare the moments of regimes."""
        scaled = kept.standardised()
        means = np.array([part.mean for part in scaled.parts])
        return cls(scaled, kept.sizes.astype(np.float64), means, float(np.log(kept.n_rows)))

    def mechanism(self, j: int, P: IntArray) -> Mechanism:
        """Return the best mechanism of j with parents P."""
        products = self._products(np.append(P, j))
        sums = self.sizes[:, None] * self.means[:, np.append(P, j)]
        G, p = len(self.sizes), len(P)
        price = self.price_of(p + 2)
        free = self.sizes > p + 3  # with fewer rows a mechanism of its own is none
        apart = np.where(free, _costs(products, sums, self.sizes) + price, np.inf)
        changed = np.zeros(G, dtype=np.bool_)
        gain = np.zeros(G)
        here = float(_costs(*_total(products, sums, self.sizes, ~changed))[0])
        while True:
            shared = ~changed
            # a regime that leaves, or comes back, each by itself
            sign = np.where(shared, -1.0, 1.0)
            base = _total(products, sums, self.sizes, shared)
            others = _costs(
                base[0] + sign[:, None, None] * products,
                base[1] + sign[:, None] * sums,
                base[2] + sign * self.sizes,
            )
            change = others - here - sign * apart
            change[shared & (shared.sum() < 2)] = np.inf
            change[changed & ~free] = np.inf
            g = int(np.argmin(change))
            if not change[g] < -1e-9 * max(1.0, abs(here)):
                break
            here = float(others[g])
            changed[g] = not changed[g]
            gain[g] = -change[g] if changed[g] else 0.0
        return Mechanism(here + float(apart[changed].sum()), changed, gain)

    def price_of(self, parameters: int) -> float:
        """Return what so many parameters of a regime cost: as the BIC asks, or as chance does."""
        tests = self.kept.d * len(self.sizes)
        by_chance = float(chdtri(float(parameters), min(FALSE_CHANGES / tests, 1.0)))
        return max(parameters * self.price, by_chance)

    def changed(self, parents: list[IntArray]) -> BoolArray:
        """Return where the mechanism of each node changes, (regimes, d)."""
        own = [self.mechanism(j, P).changed for j, P in enumerate(parents)]
        return np.array(own).T

    def table(self, parents: list[IntArray]) -> list[Change]:
        """List what changes where, the most certain first."""
        found = []
        for j, P in enumerate(parents):
            mechanism = self.mechanism(j, P)
            for g in np.flatnonzero(mechanism.changed).tolist():
                what = self._what(j, P, g, mechanism.changed)
                names = self.kept.labels[j], self.kept.regimes[g]
                found.append(Change(*names, what, float(mechanism.gain[g])))
        return sorted(found, key=lambda one: (-one.gain, one.column, one.regime))

    def direction(self, i: int, j: int, rest: IntArray) -> float:
        """Return what fewer changes say for i -> j rather than j -> i, in nats, given the rest."""
        either = [
            self.mechanism(a, rest).cost + self.mechanism(b, np.append(rest, a)).cost
            for a, b in ((i, j), (j, i))
        ]
        return 0.5 * (either[1] - either[0])

    def still_follows(self, j: int, P: IntArray, g: int) -> bool:
        """Whether the parents of j have a say in it in a regime, as they have in those without it.

        Told of a perfect intervention on j that is a contradiction.
        """
        if not len(P):
            return False
        nodes = np.append(P, j)
        alone = tuple(k for k in self.kept.groups(j)[0].members if k != g)
        shared = self.kept.context(Group(alone)).among(self.kept.cov, nodes)
        own = self.kept.parts[g].factor[:, nodes]
        there = float((own[:, -1] ** 2).sum())
        left = float(((own @ _line(shared)) ** 2).sum())
        explained = np.log(max(there, _SMALLEST) / max(left, _SMALLEST))
        return bool(self.sizes[g] * explained > CONTRADICTION)

    def _what(self, j: int, P: IntArray, g: int, changed: BoolArray) -> tuple[str, ...]:
        """Tell which parts of a mechanism that changes are another, by the BIC."""
        nodes = np.append(P, j)
        products, sums = self._products(nodes), self.sizes[:, None] * self.means[:, nodes]
        one = np.arange(len(self.sizes)) == g
        pair = [
            (scatter[0], mean[0], float(rows[0]))
            for scatter, mean, rows in (
                _around(*_total(products, sums, self.sizes, some)) for some in (~changed, one)
            )
        ]
        best = np.inf
        told: tuple[str, ...] = WHAT
        for has_b in (False, True) if len(P) else (False,):
            for has_a in (
                (True,) if has_b else (False, True)
            ):  # with coefficients of its own it has an intercept, too
                for has_s in (False, True):
                    size = len(P) * has_b + has_a + has_s
                    cost = _cost_of_both(pair, has_a, has_b, has_s) + self.price * size
                    if size and cost < best:
                        flags = (has_a and not has_b, has_b, has_s)
                        best = cost
                        told = tuple(w for w, flag in zip(WHAT, flags, strict=True) if flag)
        return told

    def _products(self, nodes: IntArray) -> Array:
        """Return sums of products around the means of all rows, (G, k, k)."""
        means = self.means[:, nodes]
        own = np.array(
            [part.factor[:, nodes].T @ part.factor[:, nodes] for part in self.kept.parts]
        )
        return np.asarray(own + self.sizes[:, None, None] * means[:, :, None] * means[:, None, :])


def _total(
    products: Array, sums: Array, sizes: Array, some: BoolArray
) -> tuple[Array, Array, Array]:
    """Add up some regimes, with an axis of one."""
    return (
        products[some].sum(axis=0)[None],
        sums[some].sum(axis=0)[None],
        np.array([sizes[some].sum()]),
    )


def _around(products: Array, sums: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Return scatters around their own means, the means, and the rows."""
    means = sums / sizes[:, None]
    return products - sizes[:, None, None] * means[:, :, None] * means[:, None, :], means, sizes


def _costs(products: Array, sums: Array, sizes: Array | float) -> Array:
    """Return ``n log(RSS/n)`` of the last column on the others, with an intercept."""
    rows = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
    safe = np.maximum(rows, 1.0)
    S = _around(products, sums, safe)[0] / safe[:, None, None]
    k = S.shape[1]
    S = S + _SMALLEST * np.eye(k)
    whole = np.linalg.slogdet(S)
    rest = np.linalg.slogdet(S[:, :-1, :-1]) if k > 1 else (np.ones(len(S)), np.zeros(len(S)))
    fit = np.where((whole[0] > 0) & (rest[0] > 0), whole[1] - rest[1], np.log(_SMALLEST))
    return np.asarray(rows * np.maximum(fit, np.log(_SMALLEST)))


def _cost_of_both(
    pair: list[tuple[Array, Array, float]], has_a: bool, has_b: bool, has_s: bool
) -> float:
    """Return −2 log-likelihood of two groups of rows of which the second has some parts of its own.

    Parameters
    ----------
    pair : scatter, mean and rows of each, the node last.
    has_a, has_b, has_s : whether intercept, coefficients, variance are its own.
    """
    weights = np.ones(2)
    rows = np.array([n for *_, n in pair])
    gap = pair[1][1] - pair[0][1]
    for _ in range(_STEPS if has_s else 1):
        shares = rows * weights
        between = 0.0 if has_a else float(shares.prod() / shares.sum())
        pooled = weights[0] * pair[0][0] + weights[1] * pair[1][0] + between * np.outer(gap, gap)
        lines = [_line(scatter if has_b else pooled) for scatter, *_ in pair]
        left = np.array([line @ pair[k][0] @ line for k, line in enumerate(lines)])
        if not has_a:  # around a common intercept
            miss = float(lines[0] @ gap) * shares[::-1] / shares.sum()
            left = left + rows * miss**2
        variances = np.maximum(left / rows, _SMALLEST)
        weights = 1.0 / variances
    if has_s:
        return float(rows @ np.log(variances))
    return float(rows.sum() * np.log(max(left.sum() / rows.sum(), _SMALLEST)))


def _line(scatter: Array) -> Array:
    """Return what the columns are multiplied by to leave the residual of the last one."""
    b = np.linalg.lstsq(scatter[:-1, :-1], scatter[:-1, -1], rcond=None)[0]
    return np.append(-b, 1.0)
