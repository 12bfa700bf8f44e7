"""The study of curves draws what it says, and prints what the documents quote."""

from __future__ import annotations

import numpy as np
import pytest

from daglock_evaluation.harness.mechanisms import process, processes
from daglock_evaluation.studies.curves import (
    CELLS,
    HEAD,
    Cell,
    _claimed,
    curves,
    draw,
)


@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell.d == 10], ids=lambda c: c.name)
def test_tables_are_of_their_graphs(cell: Cell) -> None:
    W, X = draw(cell, 3, n=200)
    assert X.shape == (200, 10)
    assert int((W != 0).sum()) == cell.n_edges
    again, same = draw(cell, 3, n=200)
    np.testing.assert_array_equal(W, again)
    np.testing.assert_array_equal(X, same)


def test_a_sum_of_processes_is_additive_and_one_of_all_parents_is_not() -> None:
    """Over a grid of two parents an additive function has no interaction."""
    a, b = np.meshgrid(np.linspace(-2, 2, 8), np.linspace(-2, 2, 8), indexing="ij")
    grid = np.column_stack([a.ravel(), b.ravel()])

    def interaction(f: np.ndarray) -> float:
        F = f.reshape(8, 8)
        rest = F - F.mean(axis=0) - F.mean(axis=1)[:, None] + F.mean()
        return float(rest.std() / F.std())

    joint = interaction(process(grid, np.random.default_rng(0)))
    added = interaction(processes(grid, np.random.default_rng(0)))
    assert added < 0.02 < 0.2 < joint


@pytest.mark.slow
def test_the_table_has_a_row_for_each_cell_of_a_size() -> None:
    (table,) = curves(1, [10])
    assert table.rows[0] == HEAD
    assert len(table.rows) == 1 + sum(cell.d == 10 for cell in CELLS)
    assert all(float(row[3]) >= float(row[6]) for row in table.rows[1:])


def test_claims_are_counted_once() -> None:
    cell = next(cell for cell in CELLS if cell.name == "sum of GPs" and cell.d == 10)
    links, directed, wrong, leaning, leaning_wrong = _claimed(cell, 4)
    assert 8 <= links <= 10
    assert wrong <= directed <= links - leaning
    assert leaning_wrong <= leaning
    assert directed - wrong >= 5
