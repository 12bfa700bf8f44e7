"""The price of an edge: false and missed edges over n and d, for several γ, and in no graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock_evaluation.benchmark.suites import SCALED
from daglock_evaluation.harness.case import Case, Draw
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.ours import fit
from daglock_evaluation.studies import progress

GAMMAS: list[float | None] = [0.0, 0.25, 0.5, 0.75, 1.0, None]
HEAD = ["d", "n", *(f"γ={gamma:g}" for gamma in GAMMAS if gamma is not None)]
# Edges for each node and weights, strong and weak.
KINDS = [(1, (0.5, 1.0)), (2, (0.5, 1.0)), (1, (0.1, 0.5)), (2, (0.1, 0.5))]
# Seeds that nothing was chosen on.
UNSEEN = 100


def false_and_missed(seeds: int, sizes: list[int], ns: list[int]) -> Table:
    """Mean number of false (extra or reversed) and of missed edges, weights ±[0.1, 1].

    Weights from 0.1 on, so that weak edges are there to be missed. The last column is the default,
    with the mean of the γ that it took.
    """
    rows = [[*HEAD, "default (γ)"]]
    for d, n in product(sizes, ns):
        case = Case(d, 1, n=n, weights=(0.1, 1.0))
        cells = []
        for gamma in progress(GAMMAS, case.label):
            found = [errors(case.draw(seed), gamma) for seed in range(seeds)]
            false, missed, used = np.mean(found, axis=0)
            note = f" ({used:.2f})" if gamma is None else ""
            cells.append(f"{false:.1f} + {missed:.1f}{note}")
        rows.append([str(d), str(n), *cells])
    return Table(f"False + missed edges, equal variances, ER1 ±[0.1,1], {seeds} seeds", rows)


def errors(draw: Draw, gamma: float | None) -> tuple[int, int, float]:
    """Count the false and the missed edges of one fit; its γ."""
    learned = fit(draw.X, 0, noise="equal", ebic_gamma=gamma)
    comparison = compare(learned.to_sparse(), draw.truth)
    return comparison.extra + comparison.reversed, comparison.missing, learned.ebic_gamma


def lowered(seeds: int, sizes: list[int], ns: list[int]) -> Table:
    """Distance to the truth at the first price, at the lowered one, and at the best of all γ.

    To the graph under equal variances, else to its class; the best γ is chosen knowing the truth.
    """
    rows = [["noise", "d", "n", *(f"ER{e} ±[{w[0]:g},{w[1]:g}]" for e, w in KINDS)]]
    for noise, d, n in product(("equal", "unequal"), sizes, ns):
        cells = []
        for edges, weights in KINDS:
            case = Case(d, edges, n=n, weights=weights)
            case = replace(case, **SCALED) if noise == "unequal" else case
            seen = progress(range(UNSEEN, UNSEEN + seeds), case.label)
            means = np.mean([_distances(case, noise, seed) for seed in seen], axis=0)
            cells.append(" / ".join(f"{mean:.1f}" for mean in means))
        rows.append([noise, str(d), str(n), *cells])
    title = f"Distance to the truth, mean of {seeds} seeds (first price / lowered / best γ)"
    return Table(title, rows)


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


def null_edges(seeds: int, sizes: list[int], ns: list[int]) -> Table:
    """Mean number of edges found in independent columns: every one of them is false."""
    rows = [[*HEAD, "default"]]
    for d, n in product(sizes, ns):
        cells = []
        for gamma in progress(GAMMAS, f"null d={d} n={n}"):
            found = [
                learn(independent(d, n, seed), noise="equal", ebic_gamma=gamma)
                for seed in range(seeds)
            ]
            cells.append(f"{np.mean([learned.dag.n_edges for learned in found]):.2f}")
        rows.append([str(d), str(n), *cells])
    return Table(f"Edges found in independent noise, mean of {seeds} seeds", rows)


def false_alarms(count: int, sizes: list[int], ns: list[int]) -> Table:
    """Share of tables of independent normal columns whose graph has an edge.

    At the first price alone, which should allow one in a hundred, and as it is by default, where
    the price can be lowered once.
    """
    rows = [["noise", "d", "n", "first price", "as it is", "± 2 standard errors"]]
    cells = list(product(("equal", "unequal"), sizes, ns))
    for noise, d, n in progress(cells, "independent columns"):
        found = np.zeros(2)
        for seed in range(count):
            moments = independent(d, n, [d, n, seed])
            for k, gamma in enumerate((default_gamma(n, d), None)):
                learned = learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
                found[k] += learned.dag.n_edges > 0
        share = found / count
        error = 2.0 * float(np.sqrt(share.max() * (1.0 - share.max()) / count))
        rows.append([noise, f"{d}", f"{n}", *(f"{100 * value:.1f}" for value in (*share, error))])
    title = f"Graphs with a false edge, per hundred, of {count} tables of independent columns"
    return Table(title, rows)


def independent(d: int, n: int, seed: int | list[int]) -> Moments:
    """Return the moments of independent columns."""
    return Moments.from_data(np.random.default_rng(seed).standard_normal((n, d)))
