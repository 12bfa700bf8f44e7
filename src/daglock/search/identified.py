"""Which edges are identified: those that cost a margin to turn.

The best graph is one of several that the data do not tell apart, and the model says nothing about
that: a collider rests on an edge that is not there, a direction under equal variances on a variance
that is larger. So an edge is called identified where the best graph with the edge turned is worse
by a `margin`, in units of 2 log-likelihood. See docs/theory.md, section 6.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from daglock.search.parents import Spec
from daglock.search.score import default_gamma, edge_cost
from daglock.search.turning import turning_costs
from daglock.typing import BoolArray, IntArray

# What turning an edge must cost at the price of an edge that the graph was found with ...
MARGIN = 12.0
# ... but no more than this share of the price by default: a collider costs one edge to turn.
SHARE = 0.75
# With few rows both are larger, by this factor at the most: then a collider can just be told.
CHANCE = 1.2
# The same at a lower price, which lets in weak effects that the graph leaves out,
LOOSE_MARGIN = 3.0
# namely so many false edges for each variable.
LOOSE_FALSE_EDGES = 0.2


def margin(n: int, d: int) -> float:
    """Return what turning an edge must cost, in units of 2 log-likelihood.

    A regression on up to d variables leaves n − d degrees of freedom, and differences of fit are
    larger by chance in proportion: by n/(n − d), which is cut off at `CHANCE`.

    Examples
    --------
    >>> [round(margin(500, d), 1) for d in (3, 5, 10, 20, 1000)]
    [6.5, 8.2, 10.4, 12.5, 14.4]
    """
    at_least = min(MARGIN, SHARE * n * edge_cost(n, d, default_gamma(n, d)))
    return at_least * min(n / max(n - d, 1), CHANCE)


def loose_cost(n: int, d: int, cost: float) -> float:
    """Return the lower price of an edge: that of the BIC, or of a false edge for five variables.

    Examples
    --------
    >>> round(1000 * loose_cost(1000, 20, cost=0.02), 2), round(100 * loose_cost(100, 500, 0.5), 2)
    (6.91, 11.24)
    """
    return min(cost, edge_cost(n, d, default_gamma(n, d, LOOSE_FALSE_EDGES * d)))


def identified(
    make: Callable[[float], Spec],
    order: IntArray,
    source: IntArray,
    target: IntArray,
    asked: BoolArray,
    *,
    n: int,
    dispersion: float,
    deadline: float = np.inf,
) -> tuple[BoolArray, bool]:
    """Tell for each edge that is asked about whether turning it costs the margin, and if in time.

    Parameters
    ----------
    make : gives the criterion at a price of an edge; at the price of the search for ``nan``.
    order : a topological order of the graph, as the search left it.
    source, target : its edges i -> j.
    asked : edges that the model can identify.
    n : rows.
    dispersion : under equal variances `overdispersion`, by which costs are divided; 0 under unequal
        ones, where they are compared at two prices instead.
    deadline : value of ``time.perf_counter`` after which no other edge is identified.
    """
    enough = margin(n, len(order)) * max(dispersion, 1.0) / n
    spec = make(np.nan)
    graph = (order, source, target)
    costs, in_time = turning_costs(spec, *graph, asked, enough=enough, deadline=deadline)
    asked = asked & (costs >= enough)
    loose = loose_cost(n, len(order), spec.cost)
    if dispersion > 0.0 or loose == spec.cost or not asked.any():
        return asked, in_time
    enough = LOOSE_MARGIN / n
    costs, also = turning_costs(make(loose), *graph, asked, enough=enough, deadline=deadline)
    return asked & (costs >= enough), in_time and also
