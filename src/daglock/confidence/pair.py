"""Pair: two linked columns as an opinion sees them, cleared of what else acts on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg

from daglock.graph import WeightedDAG
from daglock.residuals import polynomials, standardised
from daglock.typing import Array, IntArray

# Degree of the polynomials by which one column is explained by the other.
DEGREE = 7
# Beyond these shares of the values a polynomial goes on with a clipped argument.
TAILS = (0.01, 0.99)
# A residual of less than this share of a column is rounding.
DETERMINED = 1e-9


@dataclass(frozen=True)
class Direction:
    """One column explained by another, effect = f(cause) + residual.

    Attributes
    ----------
    basis : orthonormal polynomials of the ranks of the cause.
    linear : residual of the straight line.
    curved : residual of a polynomial.
    """

    basis: Array
    linear: Array
    curved: Array


class Pair:
    """Two columns, each the residual of its regression on the other parents of the two.

    For an edge that could be turned within the equivalence class, these other parents are those
    that both have, and what is left are two columns with nothing but the edge between them.

    Parameters
    ----------
    first, second : residuals of the two columns.
    """

    def __init__(self, first: Array, second: Array) -> None:
        self.first, self.second = standardised(first), standardised(second)
        self.n = len(first)

    @cached_property
    def forward(self) -> Direction:
        """The second explained by the first."""
        return _explain(self.first, self.second)

    @cached_property
    def backward(self) -> Direction:
        """The first explained by the second."""
        return _explain(self.second, self.first)


def pairs_of(X: Array, dag: WeightedDAG, first: IntArray, second: IntArray) -> Iterator[Pair]:
    """Clear each pair of columns from the linear effects of their other parents."""
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=0)
    parents = [set(P.tolist()) for P in dag.parents]
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        others = sorted((parents[i] | parents[j]) - {i, j})
        both = X[:, [i, j]]
        if others:
            scale = X[:, others].std(axis=0)
            A = X[:, others] / np.where(scale > 0.0, scale, 1.0)
            Q, R, _ = scipy.linalg.qr(A, mode="economic", pivoting=True, check_finite=False)
            own = np.abs(np.diagonal(R)) > DETERMINED * np.abs(R[0, 0])  # not of the others
            Q = Q[:, own]
            both = _cleared(both - Q @ (Q.T @ both), both.std(axis=0))
        yield Pair(both[:, 0], both[:, 1])


def residual(y: Array, B: Array) -> Array:
    """Return what a regression of y on the columns of B leaves; some may determine others."""
    weights = scipy.linalg.lstsq(B, y, cond=DETERMINED, check_finite=False)[0]
    return _cleared(y - B @ weights, y.std())


def _cleared(left: Array, scale: Array | float) -> Array:
    """Return residuals, zeros if they are nothing but rounding."""
    return np.asarray(np.where(left.std(axis=0) > DETERMINED * scale, left, 0.0))


def _explain(cause: Array, effect: Array) -> Direction:
    """Explain the effect by a straight line and by a polynomial."""
    linear = _cleared(effect - np.mean(cause * effect) * cause, effect.std())
    low, high = np.quantile(cause, TAILS)
    if not high > low:
        low, high = float(cause.min()), float(cause.max())
    scaled = np.clip(2 * (cause - low) / (high - low or 1.0) - 1, -1.3, 1.3)
    curved = residual(effect, np.polynomial.legendre.legvander(scaled, DEGREE))
    return Direction(polynomials(cause), linear, curved)
