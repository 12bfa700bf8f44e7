"""The noise model: how often each rule takes which, and how far from the truth that leads."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from daglock.criteria import default_gamma
from daglock.engine import learn
from daglock.metrics import compare_classes
from daglock.moments import Moments
from daglock_evaluation.harness.case import Case
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress

VARIANCES: dict[str, dict[str, Any]] = {
    "equal": {},
    "0.8 to 1.25": {"variances": (0.8, 1.25)},
    "0.5 to 2": {"variances": (0.5, 2.0)},
    "0.5 to 2, standardised": {"variances": (0.5, 2.0), "standardised": True},
}


def choices(seeds: int, sizes: list[int], ns: list[int]) -> Table:
    """Set the model of the better BIC beside the one that ``noise="auto"`` takes."""
    title = (
        f"Equal variances taken, and distance to the class of the true graph; {seeds} seeds for "
        f"each of d = {sizes}, n = {ns}; ER8: d = 20, n = 1000"
    )
    rows = [["graph", "noise variances", "data sets", "BIC", "auto", "distance: BIC", "auto"]]
    grid = list(product(sizes, ns))
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
        rows.append([graph, variances, *cells])
    return Table(title, rows)


def choose(case: Case, seed: int) -> tuple[bool, bool, int, int]:
    """Fit both models and what the data speak for, all at one price of an edge.

    Returns whether the better BIC, and "auto", take equal variances, and how far from the class of
    the true graph each comes out.
    """
    draw = case.draw(seed)
    moments, gamma = Moments.from_data(draw.X), default_gamma(case.n, case.d)
    fits = {
        noise: learn(moments, noise=noise, ebic_gamma=gamma, rng=0)
        for noise in ("equal", "unequal", "auto")
    }
    far = {noise: compare_classes(fit.to_sparse(), draw.truth).shd for noise, fit in fits.items()}
    bic = min(("equal", "unequal"), key=lambda noise: fits[noise].scores[noise])
    return bic == "equal", fits["auto"].noise == "equal", far[bic], far["auto"]
