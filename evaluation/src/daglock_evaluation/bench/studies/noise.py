"""The noise model: how often each rule takes which, and how far from the truth that leads."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.metrics import compare_classes
from daglock.moments import Moments
from daglock_evaluation.bench.cases import Case
from daglock_evaluation.bench.studies.table import Table, progress

VARIANCES: dict[str, dict[str, Any]] = {
    "equal": {},
    "0.8 to 1.25": {"variances": (0.8, 1.25)},
    "0.5 to 2": {"variances": (0.5, 2.0)},
    "0.5 to 2, standardised": {"variances": (0.5, 2.0), "standardised": True},
}


class Choice(NamedTuple):
    """What came of one data set: which model, and the distance to the class of the true graph."""

    bic_equal: bool
    auto_equal: bool
    bic_distance: int
    auto_distance: int


def choices(seeds: int, sizes: list[int], rows: list[int]) -> Table:
    """Set the model of the better BIC beside the one that ``noise="auto"`` takes."""
    table = Table(
        f"Equal variances taken, and distance to the class of the true graph; {seeds} seeds for "
        f"each of d = {sizes}, n = {rows}; ER8: d = 20, n = 1000",
        ["graph", "noise variances", "data sets", "BIC", "auto", "distance: BIC", "auto"],
    )
    grid = list(product(sizes, rows))
    graphs = {
        "ER1 ±[0.5,1]": [Case(d, 1, n=n) for d, n in grid],
        "ER1 ±[0.1,0.5]": [Case(d, 1, n=n, weights=(0.1, 0.5)) for d, n in grid],
        "ER8 ±[0.5,1]": [Case(20, 8)],
    }
    for (graph, cases), (variances, settings) in product(graphs.items(), VARIANCES.items()):
        draws = [(replace(case, **settings), seed) for case in cases for seed in range(seeds)]
        found = np.array([choose(*draw) for draw in progress(draws, f"{graph}, {variances}")])
        taken, distance = found[:, :2].sum(axis=0), found[:, 2:].mean(axis=0)
        cells = [f"{count}" for count in (len(found), *taken)] + [f"{x:.2f}" for x in distance]
        table.add(graph, variances, *cells)
    return table


def choose(case: Case, seed: int) -> Choice:
    """Fit both models and what the data speak for, all at one price of an edge."""
    draw = case.draw(seed)
    moments, gamma = Moments.from_data(draw.X), default_gamma(case.n, case.d)
    fits = {
        noise: learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
        for noise in ("equal", "unequal", "auto")
    }
    far = {noise: compare_classes(fit.to_sparse(), draw.truth).shd for noise, fit in fits.items()}
    bic = min(("equal", "unequal"), key=lambda noise: fits[noise].scores[noise])
    return Choice(bic == "equal", fits["auto"].noise == "equal", far[bic], far["auto"])
