"""Regret against its exact value."""

from __future__ import annotations

from math import comb, log

import pytest

from daglock.checking import _regret
from daglock.regret import regret


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
