"""What each part buys: start, core, form of C, penalty, restarts.

All variants search with the same criterion; the gap is to the best score that any variant found
on the same data, so it shows the search and not the statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter

import numpy as np

from daglock.constraints import SAHOC, Exp
from daglock.constraints.base import Composition
from daglock.constraints.core import HybridCore
from daglock.criteria import default_gamma, edge_cost
from daglock.engine import learn
from daglock.losses import Gaussian, LeastSquares
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock.penalties import MCP
from daglock.problem import Problem
from daglock.search.lock import lock
from daglock.search.start import conditional_variance_order, precision_order
from daglock.solvers.prox_linear import ProxLinear
from daglock.solvers.prox_linear_path import prox_linear_path
from daglock.typing import Array, IntArray
from daglock_evaluation.bench.cases import Case
from daglock_evaluation.bench.studies.table import Table, progress

Start = Callable[[Moments, str, int], IntArray]


@dataclass(frozen=True)
class HybridExp(Composition):
    """The un-normalised exponential on the hybrid core: for the comparison only."""

    alpha: float = 0.5
    scaling = Exp.scaling
    spectral = Exp.spectral

    @property
    def entrywise(self) -> HybridCore:
        """M(W) = α W∘W + (1−α)|W|."""
        return HybridCore(self.alpha)


def random_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """Any order."""
    return np.random.default_rng(seed).permutation(moments.d)


def variance_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """By marginal variance: what sortnregress does."""
    return np.argsort(np.diag(moments.cov))


def conditional_order(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance: pivoted Cholesky."""
    cost = edge_cost(moments.n, moments.d, default_gamma(moments.n, moments.d))
    return conditional_variance_order(moments.cov, moments.n, cost)[0]


def precision(moments: Moments, noise: str, seed: int) -> IntArray:
    """By conditional variance from the end: the precision matrix."""
    order = precision_order(moments.standardised().cov)
    return random_order(moments, noise, seed) if order is None else order


def log_det(moments: Moments, noise: str, seed: int, *, alpha: float, l1: bool = False) -> IntArray:
    """Run the continuous stage with the log-determinant form of C."""
    path = prox_linear_path(
        moments.cov,
        profile=noise == "unequal",
        n=moments.n,
        alpha=alpha,
        gamma=np.inf if l1 else 3.0,
    )
    return lock(path.W)


def other_form(
    moments: Moments, noise: str, seed: int, *, constraint: Composition, lam: float = 0.25
) -> IntArray:
    """Run the continuous stage with C from another constraint."""
    loss = Gaussian(moments) if noise == "unequal" else LeastSquares(moments)
    return lock(ProxLinear().solve(Problem(loss, constraint, MCP(lam, 3.0))).W)


STARTS: dict[str, Start] = {
    "random order": random_order,
    "order of variances": variance_order,
    "conditional variances": conditional_order,
    "precision, from the end": precision,
    "continuous, log-det, α=0": partial(log_det, alpha=0.0),
    "continuous, log-det, α=0.5": partial(log_det, alpha=0.5),
    "continuous, log-det, α=1": partial(log_det, alpha=1.0),
    "continuous, log-det, α=0.5, L1": partial(log_det, alpha=0.5, l1=True),
    "continuous, exp, α=0.5": partial(other_form, constraint=HybridExp(0.5)),
    "continuous, S-AHOC, α=0.5": partial(other_form, constraint=SAHOC(0.5)),
}


def starts_and_restarts(case: Case, seeds: int, restarts: tuple[int, ...] = (0, 5, 20)) -> Table:
    """Score gap to the best known, distance to the truth, and seconds, for each start."""
    noise = "unequal" if case.target == "class" else "equal"
    measure = compare_classes if noise == "unequal" else compare
    figures: dict[tuple[str, int], list[tuple[float, int, float, float]]] = {}
    for seed in progress([0, *range(seeds)], case.label):  # the first turn warms up
        draw = case.draw(seed)
        moments = Moments.from_data(draw.X)
        for name, start in STARTS.items():
            begin = perf_counter()
            order = start(moments, noise, seed)
            starting = perf_counter() - begin
            for count in restarts:
                begin = perf_counter()
                learned = learn(moments, noise=noise, start=order, n_restarts=count, rng=seed)
                searching = perf_counter() - begin
                distance = measure(learned.to_sparse(), draw.truth).shd
                entry = (learned.certificate.score, distance, starting, searching)
                figures.setdefault((name, count), []).append(entry)
    figures = {variant: entries[1:] for variant, entries in figures.items()}
    best = np.min([[entry[0] for entry in entries] for entries in figures.values()], axis=0)
    return _table(case, seeds, figures, best)


def _table(
    case: Case,
    seeds: int,
    figures: dict[tuple[str, int], list[tuple[float, int, float, float]]],
    best: Array,
) -> Table:
    """One row for each variant."""
    table = Table(
        f"{case.label}, {seeds} seeds",
        ["start", "restarts", "best score", "mean gap", "SHD", "start s", "search s"],
    )
    for (name, count), entries in figures.items():
        score, distance, starting, searching = np.array(entries).T
        table.add(
            name,
            str(count),
            f"{int((score <= best + 1e-7).sum())} of {seeds}",
            f"{(score - best).mean():.4f}",
            f"{distance.mean():.1f}",
            f"{starting.mean():.3f}",
            f"{searching.mean():.3f}",
        )
    return table
