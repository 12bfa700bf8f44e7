"""Regret: what a table of counts costs for having cells, by normalised maximum likelihood."""

from __future__ import annotations

import numpy as np

from daglock._compiling import part

# Cells for each row up to which a table costs its regret.
FILLED = 0.1


@part
def regret(n: float, m: float) -> float:
    """Return R(m), the logarithm of the sum of all maximum likelihoods of n rows in m cells.

    By the approximation that holds for few and for many cells, up to a fifth of a nat,
    ``n (log a + (a + 2) log C − 1/C) − ½ log(C + 2/a)``, a = m/n, C = ½ + ½ √(1 + 4/a).

    References
    ----------
    Szpankowski and Weinberger, Minimax pointwise redundancy for memoryless models over large
    alphabets, IEEE Transactions on Information Theory 58 (2012), theorem 2 and equation 9.

    Examples
    --------
    Two cells: the sum over k of C(n, k) (k/n)^k (1 − k/n)^(n − k).

    >>> from math import comb, log
    >>> n = 50
    >>> exact = log(sum(comb(n, k) * (k / n) ** k * (1 - k / n) ** (n - k) for k in range(n + 1)))
    >>> round(exact, 2), round(regret(n, 2), 2)
    (2.26, 2.34)
    """
    a = m / n
    C = 0.5 + 0.5 * np.sqrt(1.0 + 4.0 / a)
    return float(n * (np.log(a) + (a + 2.0) * np.log(C) - 1.0 / C) - 0.5 * np.log(C + 2.0 / a))


@part
def price_of_cells(n: float, m: float) -> float:
    """Return what a table of m cells costs: R(m) up to a cell for ten rows, then straight on.

    Beyond, R bends: from a cell for each row on it charges so little for more that parents which
    single out every row cost less than nothing to a variable whose levels are equally frequent.
    The slope is that of R where it is left, ``log C``.

    Examples
    --------
    >>> price_of_cells(1000, 50) == regret(1000, 50)
    True
    >>> round(regret(1000, 4000)), round(price_of_cells(1000, 4000))
    (1687, 5278)
    """
    most = FILLED * n
    if m <= most:
        return regret(n, m)
    C = 0.5 + 0.5 * np.sqrt(1.0 + 4.0 / FILLED)
    return float(regret(n, most) + (m - most) * np.log(C))
