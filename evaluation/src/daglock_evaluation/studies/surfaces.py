"""Surfaces: parents that act together, with and without looking for that.

Constants of `daglock.surfaces` were chosen on Gaussian processes of all parents, networks of
hyperbolic tangents and sums of processes of pairs, on other seeds; products and kinks were not
among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from unittest.mock import patch

import numpy as np

from daglock import DAGLock
from daglock.metrics import compare
from daglock.surfaces import are_few
from daglock.typing import Array
from daglock_evaluation.harness.mechanisms import process
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each, fitted
from daglock_evaluation.studies.curves import Cell, claims_table, draw

# Seeds of graphs begin here: others than those that anything was chosen on.
FIRST = 9000
HEAD = (
    *("data, d = 10", "edges", "curves: SHD", "identified", "of these wrong"),
    *("with surfaces: SHD", "identified", "of these wrong", "looked at together"),
)


def products(parents: Array, rng: np.random.Generator) -> Array:
    """Add up the products of neighbours on a circle of parents, each bent by tanh, and these."""
    slopes = rng.uniform(1.0, 2.0, parents.shape[1]) * rng.choice([-1.0, 1.0], parents.shape[1])
    bent = np.tanh(parents * slopes)
    if bent.shape[1] == 1:
        return np.asarray(1.5 * bent[:, 0])
    return np.asarray(1.5 * (bent * np.roll(bent, 1, axis=1)).sum(axis=1) + 0.5 * bent.sum(axis=1))


def network(parents: Array, rng: np.random.Generator) -> Array:
    """Ten kinks, max(0, ·), of sums of all parents."""
    inner = rng.standard_normal((parents.shape[1], 10)) / np.sqrt(parents.shape[1])
    hidden = np.maximum(parents @ inner + 0.5 * rng.standard_normal(10), 0.0)
    return np.asarray(hidden @ rng.standard_normal(10))


CELLS = (
    Cell("GP of all parents", process, 10, 40),
    Cell("GP of all parents, exponential noise", process, 10, 20, skewed=True),
    Cell("products of tanh", products, 10, 20),
    Cell("products of tanh", products, 10, 40),
    Cell("network, ten kinks", network, 10, 20),
    Cell("network, ten kinks", network, 10, 40),
)


def surfaces(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Compare distances, and what is identified, with curves alone."""
    rows: list[tuple[str, ...]] = [HEAD]
    count = seeds or 10
    for cell in CELLS:
        what = f"{cell.name}, {cell.n_edges} edges"
        found = each(partial(_one, cell), FIRST, count, what)
        shd, told, wrong, other, other_told, other_wrong, together = found.sum(axis=0).tolist()
        alone = f"{shd / count:.1f}", str(told), str(wrong)
        both = f"{other / count:.1f}", str(other_told), str(other_wrong)
        rows.append((cell.name, str(cell.n_edges), *alone, *both, f"{together} of {count}"))
    yield Table(f"Parents that act together, {count} graphs a row", rows)
    yield claims_table("Claims where parents act together", CELLS[2:], FIRST + count, count)


def _one(cell: Cell, seed: int) -> tuple[int, ...]:
    """Return distances and what is identified without and with surfaces; whether there are any."""
    W, X = draw(cell, seed)
    result: list[int] = []
    for look in (lambda n, d: False, are_few):
        with patch("daglock.criteria.curved.are_few", look):
            model = fitted(DAGLock(curved=True, random_state=0), X)
        edges = model.edges_
        told = edges["identified_by"] != ""
        right = W[edges["source"], edges["target"]] != 0
        result += [compare(model.weights_, W).shd, int(told.sum()), int((told & ~right).sum())]
    return (*result, int(getattr(model.moments_, "surfaces", None) is not None))
