"""Where a search over orders can begin: an order of the columns, from nothing or from the data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from daglock.constraints import SAHOC, Exp
from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.criteria import Criterion, default_gamma, edge_cost
from daglock.losses import Gaussian, LeastSquares
from daglock.moments import Moments
from daglock.penalties import MCP
from daglock.problem import Problem
from daglock.search.lock import lock
from daglock.search.start import conditional_variance_order, precision_order
from daglock.solvers import ProxLinear
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, IntArray

Start = Callable[[Criterion, int], IntArray]
RANDOM, CONDITIONAL, PRECISION = "random order", "conditional variances", "precision, from the end"
CONTINUOUS, AT_ZERO = "continuous, α=0.5", "continuous, α=0"


class HybridExp(Composition):
    """The un-normalised exponential of α W∘W + (1−α)|W|, α = 0.5: for the comparison only."""

    entrywise, scaling, spectral = HybridCore(0.5), Exp.scaling, Exp.spectral


def price(moments: Moments) -> float:
    """Return the one price of an edge for all: it is the search that is compared."""
    return edge_cost(moments.n, moments.d, default_gamma(moments.n, moments.d))


def random_order(criterion: Criterion, seed: int) -> IntArray:
    """Any order."""
    return np.random.default_rng(seed).permutation(criterion.moments.d)


def by_variance(criterion: Criterion, seed: int) -> IntArray:
    """By the variance of the columns."""
    return np.argsort(np.diag(criterion.moments.cov), kind="stable")


def conditional(criterion: Criterion, seed: int) -> IntArray:
    """By conditional variance: pivoted Cholesky."""
    moments = criterion.moments
    return conditional_variance_order(criterion.matrix, moments.n, price(moments))[0]


def precision(criterion: Criterion, seed: int) -> IntArray:
    """By conditional variance from the end: the precision matrix."""
    order = precision_order(criterion.moments.standardised().cov)
    return random_order(criterion, seed) if order is None else order


def log_det(criterion: Criterion, seed: int, *, alpha: float, gamma: float = 3.0) -> IntArray:
    """Run the continuous stage with the log-determinant form of C."""
    path = prox_linear_path(
        _scaled(criterion),
        profile=criterion.name == "unequal",
        n=criterion.moments.n,
        alpha=alpha,
        gamma=gamma,
    )
    return lock(path.W)


def other_form(criterion: Criterion, seed: int, *, constraint: Composition) -> IntArray:
    """Run the continuous stage with C from another constraint."""
    moments = criterion.moments
    unequal = criterion.name == "unequal"
    loss = Gaussian(moments) if unequal else LeastSquares(moments)
    return lock(ProxLinear().solve(Problem(loss, constraint, MCP(0.25, 3.0))).W)


def _scaled(criterion: Criterion) -> Array:
    """Return the matrix that the continuous stage is given, as the criterion itself gives it."""
    if criterion.name == "unequal":
        return criterion.matrix
    moments = criterion.moments
    sigma2 = conditional_variance_order(criterion.matrix, moments.n, price(moments))[1]
    return np.asarray(criterion.matrix / sigma2)


STARTS: dict[str, Start] = {
    RANDOM: random_order,
    "order of variances": by_variance,
    CONDITIONAL: conditional,
    PRECISION: precision,
    AT_ZERO: partial(log_det, alpha=0.0),
    CONTINUOUS: partial(log_det, alpha=0.5),
    "continuous, α=1": partial(log_det, alpha=1.0),
    "continuous, α=0.5, L1": partial(log_det, alpha=0.5, gamma=np.inf),
}
# Other forms of C, which take long.
SLOW: dict[str, Start] = {
    "continuous, exp, α=0.5": partial(other_form, constraint=HybridExp()),
    "continuous, S-AHOC, α=0.5": partial(other_form, constraint=SAHOC(0.5)),
}
