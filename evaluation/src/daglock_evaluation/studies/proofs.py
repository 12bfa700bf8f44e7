"""Proofs: how long it takes to compare all graphs, and what a lower bound leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

import numpy as np

from daglock.criteria import UnequalVariances, default_gamma, edge_cost
from daglock.engine import learn
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.search.all_sets import make_sets
from daglock.search.bound import lower_bound
from daglock.search.exact import best_unequal
from daglock.search.parent_sets import parent_sets
from daglock.search.programme import CLOSED
from daglock.search.regression import residual_variances
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, IntArray
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

# Nothing was chosen on these.
FIRST_SEED = 7000
ROWS = 1000
# Largest weights of the edges, from 0.5; whether noise variances differ; seconds for one proof, by
# the clock: fewer where more would not close the gap.
FAMILIES = ((1.0, False, 600.0), (2.0, True, 120.0))
A_SMALL_ONE = 20.0


def exact(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Print how long it takes to compare all graphs, to check it, and in how much memory."""
    rows = [["d", "noise model", "fit, s", "check, s", "confirmed", "peak so far, MB"]]
    for d in sizes or [14, 16, 18, 20]:
        settings = replace(SETTINGS, max_exact=d)
        for noise in ("unequal", "equal"):
            spent, confirmed = [], 0
            first = FIRST_SEED
            for seed in progress(range(first, first + (seeds or 10)), f"{noise}, d = {d}"):
                moments = _moments(d, 2 * d, 1.0, False, seed)
                learn(_moments(8, 8, 1.0, False, seed), noise=noise)  # compiles
                began = process_time()
                learned = learn(moments, noise=noise, settings=settings)
                between = process_time()
                confirmed += learned.certificate.verify(moments)
                spent.append((between - began, process_time() - between))
            fit, check = np.max(spent, axis=0)
            peak = getrusage(RUSAGE_SELF).ru_maxrss / 1024
            said = f"{confirmed} of {len(spent)}"
            rows.append([str(d), noise, f"{fit:.2f}", f"{check:.2f}", said, f"{peak:.0f}"])
    yield Table("All graphs compared: the slowest, seconds of one core, 2d edges", rows)


def bounds(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Print the bound against the optimum of small problems, then what it leaves open in larger."""
    yield _against_the_optimum(1000 if seeds is None else 10 * seeds)
    for d in sizes or [30]:
        yield _left_open(d, seeds or 10)


def _against_the_optimum(n_problems: int) -> Table:
    """Compare the bound with the optimum, which is known beforehand in a third of the problems."""
    over, reached, spent = -np.inf, 0, []
    for seed in progress(range(FIRST_SEED, FIRST_SEED + n_problems), "optimum"):
        rng = np.random.default_rng(seed)
        d, n = int(rng.integers(5, 15)), int(rng.choice([100, 300, 1000]))
        W = erdos_renyi(d, int(rng.integers(1, d + 1)), weights=(0.3, 1.5), rng=rng)
        R = Moments.from_data(linear_sem(W, n, rng=rng)).standardised().cov
        most, cost = int(rng.integers(2, d)), edge_cost(n, d, default_gamma(n, d))
        masks = Masks()
        if seed % 2:
            allowed = rng.random((d, d)) < 0.8
            np.fill_diagonal(allowed, False)
            masks = Masks(allowed)
        best = best_unequal(make_sets(R, most, masks.allowed), cost)
        optimum, began = _score(R, best.parents, cost), process_time()
        sets = parent_sets(R, cost, most, masks)
        assert sets is not None
        found: list[float] = []
        until, known = perf_counter() + A_SMALL_ONE, optimum + 0.1 * (seed % 3)
        bounded = lower_bound(sets, known, deadline=until, progress=found.append)
        over = max(over, bounded.lower - optimum, *(value - optimum for value in found))
        reached += abs(bounded.lower - optimum) <= 10 * CLOSED
        spent.append(process_time() - began)
    rows = [
        ["problems", "largest excess over the optimum", "reached it", "median s", "slowest s"],
        [
            str(n_problems),
            f"{over:.1e}",
            str(reached),
            f"{np.median(spent):.2f}",
            f"{np.max(spent):.1f}",
        ],
    ]
    return Table("The bound, and every one on the way, against the optimum, d = 5 to 14", rows)


def _left_open(d: int, seeds: int) -> Table:
    """Bound graphs of degree 2 from below."""
    rows = [
        [
            "weights",
            "noise",
            "limit, s",
            "sets",
            "closed",
            "median left",
            "most left",
            "median s",
            "most s",
        ]
    ]
    for largest, differ, limit in FAMILIES:
        sets_found, left, spent = [], [], []
        label = f"d = {d}, up to {largest:g}, {'unequal' if differ else 'unit'}"
        for seed in progress(range(FIRST_SEED, FIRST_SEED + seeds), label):
            moments = _moments(d, d, largest, differ, seed)
            found, R = learn(moments, noise="unequal"), UnequalVariances(moments).matrix
            cost, began = found.certificate.edge_cost, process_time()
            sets = parent_sets(R, cost, found.certificate.max_parents, Masks())
            assert sets is not None
            upper = _score(R, found.dag.parents, cost)
            until = perf_counter() + limit
            bounded = lower_bound(sets, upper, deadline=until).lower
            spent.append(process_time() - began)
            sets_found.append(len(sets.node))
            left.append((upper - bounded) / cost)
        closed = int(np.sum(np.array(left) * cost <= 2 * CLOSED))
        rows.append(
            [
                f"±[0.5, {largest:g}]",
                "unequal" if differ else "unit",
                f"{limit:g}",
                f"{np.median(sets_found):,.0f}",
                f"{closed} of {seeds}",
                f"{np.median(left):.1f}",
                f"{np.max(left):.1f}",
                f"{np.median(spent):.0f}",
                f"{np.max(spent):.0f}",
            ]
        )
    title = (
        f"Lower bounds, d = {d}, {d} edges, n = {ROWS}, up to a limit by the clock; gaps in prices "
        "of an edge, seconds of one core"
    )
    return Table(title, rows)


def _score(R: Array, parents: list[IntArray], cost: float) -> float:
    """Return Σ log RSS + k|E|."""
    return float(np.log(residual_variances(R, parents)).sum() + cost * sum(map(len, parents)))


def _moments(d: int, edges: int, largest: float, differ: bool, seed: int) -> Moments:
    """Draw a graph and rows."""
    rng = np.random.default_rng([seed, d])
    W = erdos_renyi(d, edges, weights=(0.5, largest), rng=rng)
    variances = rng.uniform(0.5, 2.0, d) if differ else 1.0
    return Moments.from_data(linear_sem(W, ROWS, noise_variances=variances, rng=rng))
