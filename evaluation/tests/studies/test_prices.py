"""The study of prices: its scores are those of the books."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
import pytest

from daglock.counts import Counts
from daglock_evaluation.studies.prices import local_costs, of_blocks


def test_scores_are_those_of_the_books() -> None:
    """b given a, by tables of two and three levels."""
    rng = np.random.default_rng(0)
    a, c = rng.integers(0, 2, size=60), rng.integers(0, 2, size=60)
    b = np.where(rng.random(60) < 0.7, a, 2)
    counts = Counts.from_codes(np.column_stack([a, b, c]))
    local = local_costs(counts)
    table = np.array([[np.sum((a == i) & (b == j)) for j in range(3)] for i in range(2)], float)
    there = table[table > 0]
    rows = table.sum(axis=1)
    fit = float((there * np.log(there)).sum() - (rows * np.log(rows)).sum())
    # {a} is the set 0b001, and b the variable 1
    assert local.bic[1, 1] == pytest.approx(-2 / 60 * (fit - 0.5 * log(60) * 2 * 2))
    for ess, found in ((1.0, local.bdeu_1), (10.0, local.bdeu_10)):
        cell, case = ess / 6, ess / 2
        bayes = sum(lgamma(x + cell) - lgamma(cell) for x in table.ravel())
        bayes += sum(lgamma(case) - lgamma(x + case) for x in rows)
        assert found[1, 1] == pytest.approx(-2 / 60 * bayes)
    # of one more parent that tells nothing, all want something
    for cost in local:
        assert cost[5, 1] > cost[1, 1]
    # equivalent graphs cost the same: a -> b and b -> a
    for cost in (local.nml, local.bdeu_1):
        assert cost[0, 0] + cost[1, 1] == pytest.approx(cost[0, 1] + cost[2, 0])


def test_tables_have_a_row_for_each_setting() -> None:
    table = of_blocks(1, 5)
    assert len({len(row) for row in table.rows}) == 1
    assert len(table.rows) == 1 + 2 * 4 * 3
