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

from daglock.regimes.regimes import Regimes
from daglock.typing import Array, BoolArray, IntArray

# Changes that are expected by chance in a table without any.
FALSE_CHANGES = 0.01
# What can change, in the order in which it is named.
WHAT = ("intercept", "coefficients", "variance")
# A variance below this share of the column's is rounding.
_SMALLEST = 1e-13


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

    def _what(self, j: int, P: IntArray, g: int, changed: BoolArray) -> tuple[str, ...]:
        """Tell which parts of a mechanism that changes are another, by the BIC."""
        nodes, n = np.append(P, j), self.sizes[g]
        products, sums = self._products(nodes), self.sizes[:, None] * self.means[:, nodes]
        scatter, mean, rows = _around(*_total(products, sums, self.sizes, ~changed))
        b = np.linalg.lstsq(scatter[0, :-1, :-1], scatter[0, :-1, -1], rcond=None)[0]
        line = np.append(-b, 1.0)
        variance = max(float(line @ scatter[0] @ line / rows[0]), _SMALLEST)
        own, own_mean, _ = _around(products[g : g + 1], sums[g : g + 1], self.sizes[g : g + 1])
        shift = float(line @ (own_mean[0] - mean[0]))
        along = float(line @ own[0] @ line / n)
        refitted = float(np.exp(_costs(products[g : g + 1], sums[g : g + 1], n)[0] / n))
        best = np.inf
        told: tuple[str, ...] = WHAT
        for has_b in (False, True) if len(P) else (False,):
            for has_a in (has_b, True):
                for has_s in (False, True):
                    q = max(refitted if has_b else along + (0.0 if has_a else shift**2), _SMALLEST)
                    fit = np.log(q) + 1.0 if has_s else np.log(variance) + q / variance
                    size = len(P) * has_b + has_a + has_s
                    cost = float(n * fit + self.price * size)
                    if size and cost < best:
                        # with coefficients of its own an intercept says nothing by itself
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
