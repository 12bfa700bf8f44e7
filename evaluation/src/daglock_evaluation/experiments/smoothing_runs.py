"""How smoothing is measured: gaps, curvatures, and the inner loop of SPG at a fixed weight μ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from daglock import Moments, Problem
from daglock.constraints import AHOC, SAHOC, Smoothed
from daglock.losses import LeastSquares
from daglock.penalties import L1
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solvers.augmented_lagrangian import AugmentedLagrangian
from daglock.solvers.line_search import BacktrackingSearch, Point
from daglock.typing import Array, Constraint
from daglock_evaluation.experiments.experiment import Case, Result
from daglock_evaluation.experiments.measured import curvatures, rounded
from daglock_evaluation.methods.paper import ALPHA

LAM = 0.1
SEARCH = BacktrackingSearch()


def run(case: Case) -> Result:
    """Measure one of the four."""
    if case["part"] == "gap":
        return _gap_of(case)
    if case["part"] == "curvature":
        smooth = Smoothed(SAHOC(ALPHA), case["delta"], case["centred"])
        W = _place(case["at"], case["d"], case["seed"])
        return {
            "curvature": largest_curvature(smooth, W, case["delta"]),
            "expected": largest_price(W) / case["delta"] if case["at"] == "dag" else None,
        }
    return run_steps(case) if case["part"] == "steps" else run_rate(case)


def _gap_of(case: Case) -> Result:
    """Search for the largest ``|h̃ − h|`` over empty, acyclic and dense graphs of all scales."""
    d, delta = case["d"], case["delta"]
    exact = AHOC(ALPHA, case["epsilon"])  # S-AHOC is ε = 1
    smooth = Smoothed(exact, delta, case["centred"])
    empty = np.zeros((d, d))
    at_empty = abs(smooth.value(empty) - exact.value(empty))
    largest, where = at_empty, "empty"
    generator = np.random.default_rng(d)
    for scale in 10.0 ** np.arange(-10.0, 3.0):
        U = scale * generator.standard_normal((d, d)) * (1.0 - np.eye(d))
        for name, W in (("dag", np.triu(U)), ("dense", U), ("positive", np.abs(U))):
            gap = abs(smooth.value(W) - exact.value(W))
            if gap > largest:
                largest, where = gap, name
    return {"largest": largest, "where": where, "at_empty": at_empty}


def _place(at: str, d: int, seed: int) -> Array:
    """Return the graph at which curvature is measured."""
    if at == "empty":
        return np.zeros((d, d))
    if at == "dag":
        return np.asarray(erdos_renyi(d, 2 * d, weights=(0.5, 1.0), rng=seed))
    return np.random.default_rng(seed).standard_normal((d, d)) * (1.0 - np.eye(d))


def largest_curvature(h: Constraint, W: Array, delta: float) -> float:
    """Spectral norm of ∇²h off the diagonal of W, by central differences within δ."""
    places = list(permutations(range(len(W)), 2))
    return float(curvatures(h, W, places, [1e-3 * delta] * len(places)).max())


def largest_price(W: Array) -> float:
    """Return ``(1−α) max C_ij``, which over δ is the curvature at a DAG, from the exact prices."""
    _, C = SAHOC(ALPHA).value_and_core_grad(W)
    return float((1.0 - ALPHA) * C[(W == 0.0) & ~np.eye(len(W), dtype=np.bool_)].max())


def truth_of(case: Case) -> Array:
    """Return the true graph of a case."""
    return np.asarray(erdos_renyi(case["d"], case["d"], weights=(0.5, 1.0), rng=case["seed"]))


@dataclass(frozen=True, eq=False)
class Step:
    """One accepted step: from where, to where, how long, and whether it found no way to go."""

    before: Point
    after: Point
    eta: float
    stationary: bool


def inner_loop(case: Case, limit: int) -> Iterator[Step]:
    """Follow SPG from W = 0 until it is stationary, stalls, or has made `limit` steps."""
    W = truth_of(case)
    moments = Moments.from_data(linear_sem(W, 1000, rng=100 + case["seed"]))
    smooth = Smoothed(SAHOC(ALPHA), case["delta"])
    problem = Problem(LeastSquares(moments), smooth, L1(LAM))
    part = AugmentedLagrangian(problem, smooth, case["multiplier"], 0.0)
    zero = np.zeros_like(W)
    point, step_size = Point(zero, part(zero), 0.0), 1.0
    for _ in range(limit):
        found = SEARCH.step(problem, part, point, step_size)
        if found is None:
            return
        after, eta = found
        moved = float(np.abs(after.W - point.W).max())
        stationary = moved <= 1e-6 * problem.force_at_zero() * eta
        yield Step(point, after, eta, stationary)
        if stationary:
            return
        point, step_size = after, 2.0 * eta


def run_steps(case: Case) -> Result:
    """Measure the accepted step sizes of at most 500 steps."""
    delta = case["delta"]
    steps = list(inner_loop(case, 500))
    accepted = [step.eta for step in steps]
    # The Lipschitz constant is at least the curvature at the true graph.
    lipschitz = case["multiplier"] * largest_price(truth_of(case)) / delta
    last = steps[-1].after.W
    sizes = np.abs(last[last != 0.0])
    return {
        "median_step": float(np.median(accepted[len(accepted) // 2 :])),
        "smallest_step": min(accepted),
        "n_steps": len(accepted),
        "stationary": steps[-1].stationary,
        # The search allows for the rounding of the objective.
        "descended": all(
            step.after.total <= step.before.total + 1e-12 * abs(step.before.total) for step in steps
        ),
        "lipschitz_at_least": lipschitz,
        "n_held": int(np.sum(sizes < 100.0 * delta)),  # alive, but next to zero
        "share_above": float(np.mean(np.array(accepted) > 1.0 / lipschitz)),
    }


def run_rate(case: Case) -> Result:
    """Measure the least squared gradient mapping of the first k steps, and the last new support.

    The condition of sufficient decrease, summed over the steps, bounds the least of the first k by
    ``C/k`` with ``C = 2 (F(W₀) − F(W_k)) / (σ η)``, η the smallest step.
    """
    squares, etas, n_changed, drop, stationary = [], [], 0, 0.0, False
    support = np.zeros((case["d"], case["d"]), dtype=np.bool_)
    for step in inner_loop(case, case["limit"]):
        squares.append(float(np.sum((step.after.W - step.before.W) ** 2)) / step.eta**2)
        etas.append(step.eta)
        drop += step.before.total - step.after.total
        if not np.array_equal(support, step.after.W != 0.0):
            support, n_changed = step.after.W != 0.0, len(squares)
        stationary = step.stationary
    least, n = np.minimum.accumulate(squares), len(squares)
    shown = sorted({min(n, round(10.0 ** (j / 4.0))) for j in range(4 * len(str(n)) + 1)})
    return {
        "k": shown,
        "least": rounded([float(least[k - 1]) for k in shown], 6),
        "order": math.log10(least[-1] / least[max(n // 10, 1) - 1]) if n >= 10 else None,
        "largest_product": float(np.max(np.arange(1, n + 1) * least)),
        "constant": 2.0 * drop / (SEARCH.sufficient_decrease * min(etas)),
        "n_steps": n,
        "stationary": stationary,
        "last_change": n_changed,
        "true_support": bool(np.array_equal(support, truth_of(case) != 0.0)),
        "nnz": int(np.count_nonzero(support)),
    }
