"""What the criterion decides: the price of an edge over n and d, and the noise model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.metrics import compare, compare_classes
from daglock.moments import Moments
from daglock_evaluation.benchmark.suites import SCALED, WEAK
from daglock_evaluation.harness.case import UNEQUAL, Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.ours import fit
from daglock_evaluation.studies import each, progress

NOISES = ("equal", "unequal")
GAMMAS: list[float | None] = [0.0, 0.25, 0.5, 0.75, 1.0, None]
# Edges for each node and weights, strong and weak.
KINDS = [(1, (0.5, 1.0)), (2, (0.5, 1.0)), (1, WEAK), (2, WEAK)]
# Seeds that nothing was chosen on.
UNSEEN = 100
VARIANCES: dict[str, dict[str, Any]] = {
    "equal": {},
    "0.8 to 1.25": {"variances": (0.8, 1.25)},
    "0.5 to 2": {"variances": UNEQUAL},
    "0.5 to 2, standardised": SCALED,
}


def prices(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Vary the price of an edge."""
    yield null_edges(seeds or 20, sizes or [20, 100, 500])
    yield false_and_missed(seeds or 5, sizes or [20, 100, 500])
    yield lowered(seeds or 5, sizes or [20, 50, 100])


def null_edges(seeds: int, sizes: list[int]) -> Table:
    """Mean number of edges found in independent columns: every one of them is false."""

    def cell(d: int, n: int, gamma: float | None) -> str:
        tables = [independent(d, n, seed) for seed in range(seeds)]
        found = [learn(moments, noise="equal", ebic_gamma=gamma) for moments in tables]
        return f"{np.mean([learned.dag.n_edges for learned in found]):.2f}"

    title = f"Edges found in independent noise, mean of {seeds} seeds"
    return Table(title, _over_prices("null", sizes, cell, "default"))


def false_and_missed(seeds: int, sizes: list[int]) -> Table:
    """Mean number of false (extra or reversed) and of missed edges, weights ±[0.1, 1].

    Weights from 0.1 on, so that weak edges are there to be missed. The last column is the default,
    with the mean of the γ that it took.
    """

    def errors(case: Case, seed: int, gamma: float | None) -> tuple[int, int, float]:
        draw = case.draw(seed)
        learned = fit(draw.X, 0, noise="equal", ebic_gamma=gamma)
        found = compare(learned.to_sparse(), draw.truth)
        return found.extra + found.reversed, found.missing, learned.ebic_gamma

    def cell(d: int, n: int, gamma: float | None) -> str:
        case = Case(d, 1, n=n, weights=(0.1, 1.0))
        found = [errors(case, seed, gamma) for seed in range(seeds)]
        false, missed, used = np.mean(found, axis=0)
        return f"{false:.1f} + {missed:.1f}" + (f" ({used:.2f})" if gamma is None else "")

    title = f"False + missed edges, equal variances, ER1 ±[0.1,1], {seeds} seeds"
    return Table(title, _over_prices("ER1 ±[0.1,1]", sizes, cell, "default (γ)"))


def _over_prices(
    kind: str, sizes: list[int], cell: Callable[[int, int, float | None], str], last: str
) -> list[list[str]]:
    """Return the rows of a table over d and n, with a column for each γ and the default."""
    rows = [["d", "n", *(f"γ={gamma:g}" for gamma in GAMMAS if gamma is not None), last]]
    for d, n in product(sizes, (200, 1000, 5000)):
        cells = [cell(d, n, gamma) for gamma in progress(GAMMAS, f"{kind} d={d} n={n}")]
        rows.append([str(d), str(n), *cells])
    return rows


def lowered(seeds: int, sizes: list[int]) -> Table:
    """Distance to the truth at the first price, at the lowered one, and at the best of all γ.

    To the graph under equal variances, else to its class; the best γ is chosen knowing the truth.
    """
    rows = [["noise", "d", "n", *(f"ER{e} ±[{w[0]:g},{w[1]:g}]" for e, w in KINDS)]]
    for noise, d, n in product(NOISES, sizes, (50, 200, 1000)):
        cells = []
        for edges, weights in KINDS:
            case = Case(d, edges, n=n, weights=weights, **(SCALED if noise == "unequal" else {}))
            means = each(partial(_distances, case, noise), UNSEEN, seeds, case.label).mean(axis=0)
            cells.append(" / ".join(f"{mean:.1f}" for mean in means))
        rows.append([noise, str(d), str(n), *cells])
    title = f"Distance to the truth, mean of {seeds} seeds (first price / lowered / best γ)"
    return Table(title, rows)


def _distances(case: Case, noise: str, seed: int) -> tuple[int, int, int]:
    """Return the distances of one data set."""
    draw = case.draw(seed)
    distance = compare if noise == "equal" else compare_classes

    def at(gamma: float | None) -> int:
        learned = fit(draw.X, 0, noise=noise, ebic_gamma=gamma)
        return distance(learned.to_sparse(), draw.truth).shd

    first, low = at(default_gamma(case.n, case.d)), at(None)
    return first, low, min(first, low, *(at(gamma) for gamma in (0.2, 0.4, 0.6, 0.8)))


def false_alarms(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Share of tables of independent normal columns whose graph has an edge.

    At the first price alone, which should allow one in a hundred, and as it is by default, where
    the price can be lowered once; and how many edges there are then in a hundred tables.
    """
    count = seeds or 1000
    rows = [["noise", "d", "n", "first price", "as it is", "± 2 standard errors", "edges"]]
    cells = list(product(NOISES, sizes or [10, 30], (50, 200, 1000)))
    for noise, d, n in progress(cells, "independent columns"):
        found, edges = np.zeros(2), 0
        for seed in range(count):
            moments = independent(d, n, [d, n, seed])
            for k, gamma in enumerate((default_gamma(n, d), None)):
                learned = learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
                found[k] += learned.dag.n_edges > 0
            edges += learned.dag.n_edges
        share = found / count
        error = 2.0 * float(np.sqrt(share.max() * (1.0 - share.max()) / count))
        shown = 100.0 * np.array([*share, error, edges / count])
        rows.append([noise, f"{d}", f"{n}", *(f"{value:.1f}" for value in shown)])
    title = f"Graphs with a false edge, per hundred, of {count} tables of independent columns"
    yield Table(title, rows)


def independent(d: int, n: int, seed: int | list[int]) -> Moments:
    """Return the moments of independent columns."""
    return Moments.from_data(np.random.default_rng(seed).standard_normal((n, d)))


def noise_models(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Set the model of the better BIC beside the one that ``noise="auto"`` takes."""
    seeds, sizes, ns = seeds or 6, sizes or [15, 30, 60], [50, 100, 200, 500]
    title = (
        f"Equal variances taken, and distance to the class of the true graph; {seeds} seeds for "
        f"each of d = {sizes}, n = {ns}; ER8: d = 20, n = 1000"
    )
    rows = [["graph", "noise variances", "data sets", "BIC", "auto", "distance: BIC", "auto"]]
    grid = list(product(sizes, ns))
    graphs = {
        "ER1 ±[0.5,1]": [Case(d, 1, n=n) for d, n in grid],
        "ER1 ±[0.1,0.5]": [Case(d, 1, n=n, weights=WEAK) for d, n in grid],
        "ER8 ±[0.5,1]": [Case(20, 8)],
    }
    for (graph, cases), (variances, settings) in product(graphs.items(), VARIANCES.items()):
        draws = [(replace(case, **settings), seed) for case in cases for seed in range(seeds)]
        found = np.array([choose(*draw) for draw in progress(draws, f"{graph}, {variances}")])
        taken, distance = found[:, :2].sum(axis=0), found[:, 2:].mean(axis=0)
        cells = [f"{count}" for count in (len(found), *taken)] + [f"{x:.2f}" for x in distance]
        rows.append([graph, variances, *cells])
    yield Table(title, rows)


def choose(case: Case, seed: int) -> tuple[bool, bool, int, int]:
    """Fit both models and what the data speak for, all at one price of an edge.

    Returns whether the better BIC, and "auto", take equal variances, and how far from the class of
    the true graph each comes out.
    """
    draw, gamma = case.draw(seed), default_gamma(case.n, case.d)
    fits = {noise: fit(draw.X, 0, noise=noise, ebic_gamma=gamma) for noise in (*NOISES, "auto")}
    far = {noise: compare_classes(fit.to_sparse(), draw.truth).shd for noise, fit in fits.items()}
    bic = min(NOISES, key=lambda noise: fits[noise].scores[noise])
    return bic == "equal", fits["auto"].noise == "equal", far[bic], far["auto"]
