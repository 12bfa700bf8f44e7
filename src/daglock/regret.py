"""Regret: what a table of counts costs for having cells, by normalised maximum likelihood."""

from __future__ import annotations

import numpy as np

from daglock._compiling import part


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
