"""Regret against its exact value."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest

from daglock.checking import _of_cells, _regret
from daglock.counts import Counts
from daglock.engine import learn
from daglock.regret import FILLED, price_of_cells, regret


def exact(n: int, cells: int) -> float:
    """R(m) by the recurrence ``C(n, m + 2) = C(n, m + 1) + (n/m) C(n, m)``.

    Kontkanen and Myllymäki, A linear-time algorithm for computing the multinomial stochastic
    complexity, Information Processing Letters 103 (2007), theorem 1.
    """
    one, two = 1.0, sum(comb(n, k) * (k / n) ** k * (1 - k / n) ** (n - k) for k in range(n + 1))
    if cells == 1:
        return 0.0
    for m in range(1, cells - 1):
        one, two = two, two + n / m * one
    return log(two)


@pytest.mark.parametrize("n", [20, 100, 500])
@pytest.mark.parametrize("cells", [1, 2, 3, 10, 50, 300])
def test_regret(n: int, cells: int) -> None:
    assert regret(n, cells) == pytest.approx(exact(n, cells), abs=0.2)
    assert _regret(n, cells) == pytest.approx(regret(n, cells), rel=1e-9, abs=1e-9)


def test_an_edge_costs_what_the_bic_asks_where_rows_are_many() -> None:
    for r, s in ((2, 2), (3, 2), (3, 4)):
        n = 10**8
        price = 2 * (regret(n, r * s) - regret(n, r) - regret(n, s))
        bic = (r - 1) * (s - 1) * log(n)
        assert price == pytest.approx(bic, rel=0.15)


@pytest.mark.parametrize("n", [20, 500, 10_000])
def test_the_price_of_cells_leaves_regret_without_a_kink(n: int) -> None:
    most = FILLED * n
    assert price_of_cells(n, most / 2) == regret(n, most / 2)
    for cells in (0.5 * most, most, 1.5 * most, 100.0 * n):
        assert _of_cells(n, cells) == pytest.approx(price_of_cells(n, cells), rel=1e-9)
    step = 0.01 * most
    before, after = regret(n, most) - regret(n, most - step), price_of_cells(n, most + step)
    assert after - price_of_cells(n, most) == pytest.approx(before, rel=0.3 if n < 100 else 0.02)
    # the slope is kept where that of regret falls
    assert price_of_cells(n, 10 * n) > 2 * regret(n, 10 * n)


@pytest.mark.parametrize("n", [200, 1000])
@pytest.mark.parametrize("levels", [2, 4, 8])
def test_levels_that_are_equally_frequent_are_no_reason_for_edges(n: int, levels: int) -> None:
    """Parents that single out every row explain everything, and must pay for their cells."""
    for seed in range(3):
        X = np.random.default_rng(seed).integers(0, levels, size=(n, 8))
        assert learn(Counts.from_codes(X), rng=0).dag.n_edges == 0
    cut = np.argsort(np.argsort(np.random.default_rng(9).normal(size=(n, 8)), axis=0), axis=0)
    assert learn(Counts.from_codes(cut * levels // n), rng=0).dag.n_edges == 0
