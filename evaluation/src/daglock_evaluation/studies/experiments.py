"""Experiments: directions that regimes are said to identify, and the Sachs cells."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from daglock import DAGLock
from daglock.datasets import load_sachs
from daglock.errors import DataWarning
from daglock.metrics import compare, compare_classes
from daglock.simulate import erdos_renyi, interventional_sem
from daglock.simulate.interventions import Intervention, RegimeData
from daglock.table import Table as Rows
from daglock.table.scores import normal_scores
from daglock.typing import Array
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each, fitted, mean_and_error

# Nothing was chosen on these.
FIRST_SEED = 700
# What is done to targets; where nothing happens it is a shift by nothing.
KINDS: dict[str, Intervention] = {
    "perfect": "perfect",
    "imperfect": "imperfect",
    "shift": "shift",
    "none": "shift",
}
D, EDGES, REGIMES, TARGETS, ROWS = 15, 20, 6, 2, 200


def claims(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Tell of directions that regimes identify how many are wrong, by who knows the targets."""
    count = 20 if seeds is None else seeds
    rows = []
    for kind in KINDS:
        for told in ("right", "as perfect", "wrong", "found"):
            if told == "as perfect" and kind == "perfect":
                continue
            found = each(partial(_claims, kind, told), FIRST_SEED, count, f"{kind}, {told}")
            said, wrong, questioned, distance = found.T
            rows.append(
                [
                    "nothing happens" if kind == "none" else kind,
                    told,
                    f"{int(said.sum())}",
                    f"{int(wrong.sum())}",
                    f"{int(questioned.sum())} of {count}" if told != "found" else "–",
                    mean_and_error(distance),
                ]
            )
    yield Table(
        f"{count} graphs of {D} variables and {EDGES} edges; {REGIMES} regimes of {ROWS} rows, all "
        f"but one with {TARGETS} targets",
        [
            ["what regimes do", "targets", "directions by regimes", "wrong", "questioned", "SHD"],
            *rows,
        ],
    )


def _claims(kind: str, told: str, seed: int) -> tuple[int, int, bool, int]:
    """Return directions by regimes, how many are wrong, whether targets are questioned, and SHD."""
    W, sample = _sample(kind, seed)
    targets: Any = dict(sample.targets)
    if told == "wrong":  # each regime is said to do what the next one does
        labels = [label for label, own in targets.items() if own]
        targets |= dict(zip(labels, (targets[label] for label in np.roll(labels, 1)), strict=True))
    how = "imperfect" if kind == "none" else kind
    model = DAGLock(
        scores="raw", interventions="perfect" if told in ("as perfect", "wrong") else how
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        model.fit(
            sample.data, regimes=sample.labels, targets="find" if told == "found" else targets
        )
    asked = any("Are the targets right" in str(one.message) for one in caught)
    own = [edge for edge in model.named_edges() if edge.identified_by == "regimes"]
    wrong = sum(W[int(edge.source[1:]), int(edge.target[1:])] == 0 for edge in own)
    return len(own), int(wrong), asked, compare(model.weights_, W).shd


def _sample(kind: str, seed: int) -> tuple[Array, RegimeData]:
    """Draw a graph, and rows of it."""
    rng = np.random.default_rng(seed)
    W = np.asarray(erdos_renyi(D, EDGES, weights=(0.5, 1.0), rng=rng))
    targets: dict[str, list[int]] = {"usual": []}
    for g in range(1, REGIMES):
        targets[f"on {g}"] = rng.choice(D, TARGETS, replace=False).tolist()
    sample = interventional_sem(
        W,
        ROWS,
        targets,
        kind=KINDS[kind],
        strength=0.0 if kind == "none" else 1.5,
        noise_variances=rng.uniform(0.5, 2.0, D),
        rng=rng,
    )
    return W, sample


def sachs(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Tell how far graphs of the Sachs cells are from the published network."""
    ways: dict[str, Callable[[Array], Array]] = {
        "raw": lambda X: X,
        "logarithms": np.log,
        "normal scores": lambda X: np.column_stack([normal_scores(x) for x in X.T]),
    }
    rows = []
    cells = load_sachs("pooled")
    for name, prepare in ways.items():
        X = prepare(cells.data)
        ways_told: dict[str, dict[str, Any]] = {
            "pooled": {},
            "regimes told": {"regimes": cells.conditions},
            "targets told": {"regimes": cells.conditions, "targets": cells.targets},
        }
        for told, options in ways_told.items():
            model = DAGLock("unequal", scores="raw", shape="ignore")
            fitted(model, Rows(X, cells.names), **options)
            W = model.to_sparse().toarray()
            truth = cells.truth_17
            distances = compare_classes(W, truth).shd, compare(W, truth).shd
            rows.append([name, told, str(model.learned_.dag.n_edges), *map(str, distances)])
    yield Table(
        "Sachs, 7466 cells of nine experiments: distance to the 17 edges (empty graph: 17)",
        [["columns", "", "edges", "class distance", "SHD"], *rows],
    )
