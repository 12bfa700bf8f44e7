"""The DAG that represents an equivalence class: the same whichever member the search ended in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from daglock.criteria import Criterion
from daglock.engine.request import Request
from daglock.graph import canonical_member, edges_into, parents_of, topological_order
from daglock.search.run import Found
from daglock.ties import is_better
from daglock.typing import BoolArray, IntArray


class Canonical(NamedTuple):
    """The edges source -> target of a canonical DAG, its order, and which edges are oriented.

    ``by_regimes`` marks the edges that are oriented only because regimes separate equivalent
    graphs.
    """

    source: IntArray
    target: IntArray
    order: IntArray
    oriented: BoolArray
    by_regimes: BoolArray


def canonical_graph(request: Request, criterion: Criterion, found: Found) -> Canonical:
    """Return the DAG that represents the equivalence class of the graph that was found.

    It depends on the class alone. A criterion that separates all equivalent graphs identifies the
    graph itself. Among nodes that can be next the weakest comes first: an effect is explained by
    more than a cause is.
    """
    d = request.moments.d
    masks = request.masks.select(np.arange(d)[::-1])
    source, target = (d - 1 - ends for ends in edges_into(found.parents))
    oriented = np.ones(len(source), dtype=np.bool_)
    by_regimes = np.zeros(len(source), dtype=np.bool_)
    if criterion.score_equivalent:
        known = np.zeros(len(source), dtype=np.bool_)
        if masks.allowed is not None:
            known = ~masks.allowed[target, source]
        apart = criterion.told_apart(d - 1 - source, d - 1 - target)
        if apart.any():
            without = canonical_member(source, target, d, known, masks.before)[2]
            by_regimes = ~without
        first, second, oriented = canonical_member(source, target, d, known | apart, masks.before)
        rss = criterion.residuals(parents_of(d - 1 - first, d - 1 - second, d))
        # Equivalent graphs have one score, but not where a variance is nothing but rounding.
        if not is_better(criterion.fit(found.rss), 0, criterion.fit(rss), 0):
            source, target = first, second
    edges = csr_array((np.ones(len(source)), (source, target)), shape=(d, d))
    order = topological_order(edges if masks.before is None else edges + csr_array(masks.before))
    return Canonical(d - 1 - source, d - 1 - target, d - 1 - order, oriented, by_regimes)
