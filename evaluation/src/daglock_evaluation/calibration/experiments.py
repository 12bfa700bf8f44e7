"""Simulated tables with regimes: what acts on which columns, and what a user says of it.

The columns are those of `simulated`, with all that departs from lines there. A regime acts on some
of them, a batch may shift what is measured, and nobody is sure to be told the truth: a user may
name a wrong column, or call perfect what is not. Each table is seen in three ways (`VIEWS`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.typing import Array, BoolArray, IntArray
from daglock_evaluation.calibration.simulated import (
    JUDGE,
    Family,
    Generator,
    draw_columns,
    draw_graph,
)

# With the targets as the user has them, without any, and with those that daglock finds.
VIEWS = ("told", "not told", "found")
# Rows that every regime has at least.
FEWEST = 25
# Of tables: with batches; with a wrong target; of imperfect interventions: called perfect.
BATCHES, WRONG, MISTAKEN = 0.25, 0.15, 0.3

# What an intervention makes of a column, of what its parents make of it, and its noise.
Intervention = Callable[[Generator, Array, Array], Array]


def _strength(rng: Generator) -> float:
    """Draw how far a column is moved, in its deviations."""
    return float(rng.uniform(0.5, 3.0) * rng.choice([-1.0, 1.0]))


INTERVENTIONS: dict[str, Intervention] = {
    "perfect": lambda rng, mean, noise: _strength(rng) + rng.uniform(0.3, 1.5) * noise,
    "imperfect": lambda rng, mean, noise: (
        rng.uniform(-0.5, 0.7) * mean + rng.choice([0.0, _strength(rng)]) + noise
    ),
    "shift": lambda rng, mean, noise: mean + noise + _strength(rng),
}
# Kept for judging: set to one of three doses, damped by saturation, moved by an uneven dose.
JUDGED_INTERVENTIONS: dict[str, Intervention] = {
    "perfect": lambda rng, mean, noise: (
        _strength(rng) * rng.integers(1, 4, len(mean)) + 0.2 * noise
    ),
    "imperfect": lambda rng, mean, noise: (
        rng.uniform(0.2, 0.8) * np.tanh(mean) + rng.uniform(0.5, 2.0) * noise
    ),
    "shift": lambda rng, mean, noise: (
        mean + noise + _strength(rng) + rng.uniform(0.0, 0.5) * rng.standard_normal(len(mean))
    ),
}


@dataclass(frozen=True, eq=False)
class Experiment:
    """A table with regimes, its truth, and what a user says of it.

    Attributes
    ----------
    X : (n, d)
    labels : (n,) the regime of each row.
    graph : (d, d), whether i acts on j.
    family : of its columns.
    interventions : what they are: "perfect", "imperfect" or "shift".
    acted_on : columns that regimes act on, those that are shown.
    told, told_as : the same of what the user says.
    """

    X: Array
    labels: NDArray[np.str_]
    graph: BoolArray
    family: str
    interventions: str
    acted_on: dict[str, list[int]]
    told: dict[str, list[int]]
    told_as: str
    name: str = field(default="")

    def seen(self, view: str) -> dict[str, Any]:
        """Return what `DAGLock` is told in one of `VIEWS`."""
        if view != "told":
            return {"regimes": self.labels, "targets": "find" if view == "found" else None}
        targets = {label: [f"x{j}" for j in columns] for label, columns in self.told.items()}
        return {"regimes": self.labels, "targets": targets, "interventions": self.told_as}


def experiment(seed: int, families: dict[str, Family]) -> Experiment:
    """Draw a table with regimes; the first one is left alone in most of them."""
    rng = np.random.default_rng([seed, 1])
    judging = families is JUDGE
    name = str(rng.choice(list(families)))
    family = families[name]
    d = int(rng.choice([6, 9, 13, 18] if judging else [5, 8, 12, 16, 20]))
    n = int(rng.choice([350, 800, 2500] if judging else [300, 600, 1200, 3000]))
    total = d + int(np.ceil(family.hidden * d))
    order, graph = draw_graph(rng, total, judging)
    regime = _regimes(rng, n, int(rng.integers(3, 9)))
    G, control = int(regime.max()) + 1, int(rng.random() < 0.8)
    targets = [
        [] if g < control else np.sort(rng.permutation(total)[: rng.integers(1, 4)]).tolist()
        for g in range(G)
    ]
    kind = str(rng.choice(["perfect", "imperfect", "shift"]))
    apply = (JUDGED_INTERVENTIONS if judging else INTERVENTIONS)[kind]

    def act(j: int, mean: Array, noise: Array) -> Array:
        """Return a column, with what regimes do to it."""
        column, scale = mean + noise, float((mean + noise).std()) + 1e-12
        for g in range(G):
            if j in targets[g]:
                own = regime == g
                column[own] = scale * apply(rng, mean[own] / scale, noise[own] / scale)
        return column

    batches = bool(rng.random() < BATCHES)
    offset = rng.normal(size=(G, total))[regime] if batches else 0.0
    X = draw_columns(rng, n, order, graph, family, act, offset)
    shown = np.sort(rng.permutation(total)[:d])
    shown = shown[X[:, shown].std(axis=0) > 1e-9]
    acted_on = {
        f"r{g}": [int(k) for k in np.flatnonzero(np.isin(shown, targets[g]))] for g in range(G)
    }
    told, told_as = _said(rng, acted_on, len(shown), kind, batches)
    return Experiment(
        np.ascontiguousarray(X[:, shown]),
        np.array([f"r{g}" for g in regime]),
        graph[np.ix_(shown, shown)],
        name,
        kind,
        acted_on,
        told,
        told_as,
        f"experiment {seed}",
    )


def _regimes(rng: Generator, n: int, most: int) -> IntArray:
    """Draw the regime of each row: some have many rows, some few."""
    G = min(most, n // (2 * FEWEST))
    more = rng.multinomial(n - G * FEWEST, rng.dirichlet(np.full(G, 3.0)))
    return np.repeat(np.arange(G), FEWEST + more)


def _said(
    rng: Generator, acted_on: dict[str, list[int]], d: int, kind: str, batches: bool
) -> tuple[dict[str, list[int]], str]:
    """Return what the user says of targets and their kind, wrong in a share of the tables."""
    told = {label: list(columns) for label, columns in acted_on.items()}
    some = [label for label, columns in told.items() if columns]
    if some and rng.random() < WRONG:
        label = str(rng.choice(some))
        others = np.setdiff1d(np.arange(d), told[label])
        if len(others):
            told[label][int(rng.integers(len(told[label])))] = int(rng.choice(others))
    # "shift" says that all other means stay, which they do not where batches differ
    told_as = "imperfect" if kind == "shift" and batches else kind
    mistaken = kind == "imperfect" and rng.random() < MISTAKEN
    return told, "perfect" if mistaken else told_as
