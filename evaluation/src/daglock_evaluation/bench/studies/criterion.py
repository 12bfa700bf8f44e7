"""The price of an edge: false and missed edges over n and d, for several γ."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock_evaluation.bench.cases import Case, Draw
from daglock_evaluation.bench.peers.ours import fit
from daglock_evaluation.bench.studies.table import Table, progress
from daglock_evaluation.bench.suites.suite import UNEQUAL

GAMMAS: list[float | None] = [0.0, 0.25, 0.5, 0.75, 1.0, None]
# Edges for each node and weights, strong and weak.
KINDS = [(1, (0.5, 1.0)), (2, (0.5, 1.0)), (1, (0.1, 0.5)), (2, (0.1, 0.5))]
# Seeds that nothing was chosen on.
UNSEEN = 100


def false_and_missed(seeds: int, sizes: list[int], rows: list[int]) -> Table:
    """Mean number of false (extra or reversed) and of missed edges, weights ±[0.1, 1].

    Weights from 0.1 on, so that weak edges are there to be missed. The last column is the default,
    with the mean of the γ that it took.
    """
    table = Table(
        f"False + missed edges, equal variances, ER1 ±[0.1,1], {seeds} seeds",
        ["d", "n", *(f"γ={gamma:g}" for gamma in GAMMAS if gamma is not None), "default (γ)"],
    )
    for d in sizes:
        for n in rows:
            case = Case(d, 1, n=n, weights=(0.1, 1.0))
            cells = []
            for gamma in progress(GAMMAS, f"{case.label}"):
                false, missed, used = np.mean(
                    [errors(case.draw(seed), gamma) for seed in range(seeds)], axis=0
                )
                note = f" ({used:.2f})" if gamma is None else ""
                cells.append(f"{false:.1f} + {missed:.1f}{note}")
            table.add(str(d), str(n), *cells)
    return table


def errors(draw: Draw, gamma: float | None) -> tuple[int, int, float]:
    """Count the false and the missed edges of one fit; its γ."""
    learned = fit(draw.X, 0, noise="equal", ebic_gamma=gamma)
    comparison = compare(learned.to_sparse(), draw.truth)
    return comparison.extra + comparison.reversed, comparison.missing, learned.ebic_gamma


def lowered(seeds: int, sizes: list[int], rows: list[int]) -> Table:
    """Distance to the truth at the first price, at the lowered one, and at the best of all γ.

    To the graph under equal variances, else to its class; the best γ is chosen knowing the truth.
    """
    table = Table(
        f"Distance to the truth, mean of {seeds} seeds (first price / lowered / best γ)",
        ["noise", "d", "n", *(f"ER{e} ±[{w[0]:g},{w[1]:g}]" for e, w in KINDS)],
    )
    for noise, d, n in product(("equal", "unequal"), sizes, rows):
        cells = []
        for edges, weights in KINDS:
            case = Case(d, edges, n=n, weights=weights)
            if noise == "unequal":
                case = replace(case, variances=UNEQUAL, standardised=True)
            seen = progress(range(UNSEEN, UNSEEN + seeds), case.label)
            means = np.mean([_distances(case, noise, seed) for seed in seen], axis=0)
            cells.append(" / ".join(f"{mean:.1f}" for mean in means))
        table.add(noise, str(d), str(n), *cells)
    return table


def _distances(case: Case, noise: str, seed: int) -> tuple[int, int, int]:
    """Return the distances of one data set."""
    draw = case.draw(seed)
    moments = Moments.from_data(draw.X)
    distance = compare if noise == "equal" else compare_classes

    def at(gamma: float | None) -> int:
        learned = learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
        return distance(learned.to_sparse(), draw.truth).shd

    first, low = at(default_gamma(case.n, case.d)), at(None)
    return first, low, min(first, low, *(at(gamma) for gamma in (0.2, 0.4, 0.6, 0.8)))


def null_edges(seeds: int, sizes: list[int], rows: list[int]) -> Table:
    """Mean number of edges found in independent columns: every one of them is false."""
    table = Table(
        f"Edges found in independent noise, mean of {seeds} seeds",
        ["d", "n", *(f"γ={gamma:g}" for gamma in GAMMAS if gamma is not None), "default"],
    )
    for d in sizes:
        for n in rows:
            cells = []
            for gamma in progress(GAMMAS, f"null d={d} n={n}"):
                counts = [
                    learn(
                        noise_only(d, n, seed), noise="equal", ebic_gamma=gamma
                    ).certificate.dag.source.size
                    for seed in range(seeds)
                ]
                cells.append(f"{np.mean(counts):.2f}")
            table.add(str(d), str(n), *cells)
    return table


def noise_only(d: int, n: int, seed: int) -> Moments:
    """Return the moments of independent columns."""
    return Moments.from_data(np.random.default_rng(seed).standard_normal((n, d)))
