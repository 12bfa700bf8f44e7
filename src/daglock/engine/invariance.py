"""Regimes whose targets nobody knows: directions from the mechanisms that do not change.

If i causes j and a regime acts on i, what j does given i is the same as ever; the other way round,
what i does given j is not. So of the graphs of a class the one with the fewest changes is taken:
each node costs what `daglock.regimes.changes` says, and edges are turned where that costs less
(`walking`). The graph is then learned once more, with the mechanisms that change told, and so on
by turns until neither changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from daglock.engine.learned import Learned
from daglock.engine.pipeline import learn
from daglock.engine.walking import Walk, oriented_by
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.regimes import Changes, Regimes
from daglock.settings import SETTINGS
from daglock.ties import canonical_order
from daglock.typing import IntArray

# From moments, and an order to start from, to a graph.
Learn = Callable[[Regimes, IntArray | None], Learned]
# Turns after which the last graph is taken.
MOST_TURNS = 5


class _Walk(Walk):
    """A walk to the fewest changes."""

    def __init__(self, dag: WeightedDAG, changes: Changes, masks: Masks) -> None:
        self.changes, kept = changes, changes.kept
        super().__init__(dag, masks, canonical_order(kept.cov, kept.names))

    def fit(self, j: int, P: frozenset[int]) -> float:
        """Return the log-likelihood of node j with parents P, less the price of its changes."""
        parents = np.array(sorted(P), dtype=np.intp)
        return -0.5 * self.changes.mechanism(j, parents).cost


def find_targets(kept: Regimes, learn_graph: Learn) -> tuple[Regimes, Learned]:
    """Return the moments with what changes in them, and the graph.

    Edges are oriented by regimes only where turning them, with the changes chosen anew, loses
    ``SETTINGS.shape_gain`` nats, or where that follows from such edges.

    Parameters
    ----------
    kept : without targets.
    learn_graph : from moments, and an order to start from, under unequal variances.
    """
    learned, changes = learn_graph(kept, None), Changes.of(kept)
    masks = learned.certificate.knowledge
    told, best = kept, (np.inf, kept, learned)
    for _ in range(MOST_TURNS):
        walk = _Walk(learned.dag, changes, masks)
        walk.climb(0.0)
        _, _, order = oriented_by(learned.dag, walk.sets(), set(), masks)
        changed = changes.changed(walk.sets())
        if told.changed is not None and np.array_equal(changed, told.changed):
            break
        told = replace(kept, changed=changed, interventions="imperfect", common=True)
        learned = learn_graph(told, order)
        total = _total(changes, learned)
        if total < best[0] - 1e-9 * abs(total):
            best = (total, told, learned)
        else:
            break
    _, told, learned = best
    return told, _only_what_is_sure(told, learned, changes, masks)


def _total(changes: Changes, learned: Learned) -> float:
    """Return −2 log-likelihood with all prices."""
    costs = (changes.mechanism(j, P).cost for j, P in enumerate(learned.dag.parents))
    price = learned.certificate.edge_cost * changes.kept.n
    return float(sum(costs)) + price * learned.dag.n_edges


def _only_what_is_sure(told: Regimes, learned: Learned, changes: Changes, masks: Masks) -> Learned:
    """Return the graph with directions by regimes only where other changes would not do as well."""
    if told.changed is None or learned.by_regimes is None:
        return learned
    dag = learned.dag
    walk = _Walk(dag, changes, masks)
    sure = {edge for edge, loss in walk.losses().items() if loss > SETTINGS.shape_gain}
    by_class = dag.oriented & ~learned.by_regimes
    plain = replace(dag, oriented=by_class)
    oriented, by_regimes, _ = oriented_by(plain, walk.sets(), sure, masks)
    final = replace(dag, oriented=oriented)
    certificate = replace(learned.certificate, dag=final)
    return replace(learned, dag=final, certificate=certificate, by_regimes=by_regimes)


def learn_finding(moments: Regimes, *, start: IntArray, **settings: Any) -> Learned:
    """Learn from rows drawn again, of which nobody knows what changes: as `find_targets` does."""
    kept = replace(moments, changed=None, interventions="perfect", common=False)

    def again(told: Regimes, order: IntArray | None) -> Learned:
        return learn(told, noise="unequal", start=start if order is None else order, **settings)

    return find_targets(kept, again)[1]
