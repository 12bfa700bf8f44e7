"""What an edge costs, and when it should cost less.

With n rows and d variables the price is that of the extended BIC, k = (log n + 4γ log d) / n
(Foygel and Drton, 2010). Adding an edge that is not there lowers n·log RSS by about a χ² variable
with one degree of freedom, and a graph has d(d−1)/2 pairs to be wrong about: `default_gamma` makes
an edge so dear that a false one is an exception.

Where effects are strong that costs nothing; with few rows or weak effects true edges are missed.
But missed edges leave a trace: for too many nodes there is a predecessor that would explain more
than chance alone lets any. At a lower price k, as many nodes as have such a predecessor gain an
edge at the least, and chance accounts for at most d(d−1)/2 · P(gain > k) of them. The price goes
to where the first number exceeds a multiple of the second by most, and stays where it was if that
is not much.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri

from daglock._parameters import require_number
from daglock.criteria.criterion import Criterion
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array


def default_gamma(
    n: int,
    d: int,
    false_edges: float = SETTINGS.false_edges,
    freedoms: Array | None = None,
) -> float:
    """Return the smallest γ that keeps the expected number of false edges small.

    Solves ``Σ_pairs P(χ²_q > q log n + 4γ log d) = false_edges``, with q degrees of freedom of an
    edge between the two, one by default, and is zero, the plain BIC, where that already holds.

    Examples
    --------
    >>> round(default_gamma(n=1000, d=50), 2)
    0.83
    >>> default_gamma(n=10**9, d=3)
    0.0
    """
    pairs = d * (d - 1) / 2
    if false_edges >= pairs:
        return 0.0
    quantile = float(chdtri(1.0, false_edges / pairs))
    gamma = float(max(0.0, (quantile - np.log(n)) / (4.0 * np.log(d))))
    if freedoms is None:
        return gamma

    def expected(gamma: float) -> float:
        return float(pairs * by_chance(n, np.array([edge_cost(n, d, gamma)]), freedoms)[0])

    if expected(0.0) <= false_edges:
        return 0.0
    return float(brentq(lambda gamma: expected(gamma) - false_edges, 0.0, gamma + 1.0))


def by_chance(n: int, prices: Array, freedoms: Array) -> Array:
    """Return the mean probability over pairs that an edge gains more than each price by chance.

    An edge with q degrees of freedom costs ``price + (q − 1) log(n) / n``.
    """
    q, count = np.unique(freedoms, return_counts=True)
    above = chdtrc(q, n * prices[:, None] + (q - 1.0) * np.log(n))
    return np.asarray(above @ count / count.sum())


def edge_cost(n: int, d: int, gamma: float) -> float:
    """Price k of one edge per row, (log n + 4γ log d) / n."""
    require_number("ebic_gamma", gamma, at_least=0)
    return float((np.log(n) + 4.0 * gamma * np.log(d)) / n)


def lowered_gamma(
    criterion: Criterion, gains: Array, n_edges: int, gamma: float, settings: Settings = SETTINGS
) -> float:
    """Return the γ that the gains speak for: the given one, or a lower one.

    Parameters
    ----------
    criterion : Criterion
    gains : (d,) what one more parent would lower each node's score by at most, without its price.
    n_edges : edges of the graph.
    gamma : γ of the price at which the graph was found.
    settings : Settings
    """
    n, d = criterion.moments.n, len(gains)
    gammas = np.append(np.arange(gamma, 0.0, -settings.gamma_step), 0.0)
    prices = np.array([edge_cost(n, d, g) for g in gammas])
    gaining = np.count_nonzero(gains[:, None] > prices, axis=0)
    by_chance = d * (d - 1) / 2 * criterion.gains_by_chance(prices, n_edges)
    excess = gaining - by_chance / settings.gained_by_chance
    best = int(excess.argmax())
    return float(gammas[best]) if excess[best] >= settings.least_gained else gamma
