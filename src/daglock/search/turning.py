"""What it costs to turn an edge: the best graph that a search finds with the edge the other way.

For an edge i -> j the search starts again from the order that was found, with j put before i and
kept there, and goes on until no move improves. What the graph is then worse by is the cost. The
search may miss a cheaper graph, so it begins from two orders, the better one first, and whatever
else is turned in a graph that it ends at has that graph's cost as well.
"""

from __future__ import annotations

import numpy as np

from daglock._pace import OutOfTimeError
from daglock.search.memo import IMPROVES, make_memo
from daglock.search.node import AnySpec, strengths_of
from daglock.search.run import Chain, begin, descend, initialise, kick, total
from daglock.search.spec import BEFORE
from daglock.search.state import copy_of, restore
from daglock.settings import SETTINGS, Settings
from daglock.ties import ranks
from daglock.typing import Array, BoolArray, IntArray


def turning_costs(
    spec: AnySpec,
    order: IntArray,
    source: IntArray,
    target: IntArray,
    asked: BoolArray,
    *,
    enough: float,
    deadline: float = np.inf,
    settings: Settings = SETTINGS,
) -> tuple[Array, bool]:
    """Return for each edge by how much the best graph with its ends the other way round is worse.

    Edges are turned from the weakest to the strongest. After some in a row that cost ``enough``
    the others are believed to do so too, and have the cost ∞. Those that are left when time is
    over, when very many were turned, or because the strongest, which are turned first of all, cost
    too little, have the cost 0: nothing is claimed of them. `Settings` has the numbers.

    Parameters
    ----------
    spec : the criterion, the covariance and the hard knowledge.
    order : a topological order of the graph, as the search left it.
    source, target : its edges i -> j.
    asked : for each edge, whether to turn it; ∞ is the cost of the others, unless one was turned on
        the way.
    enough : cost at which an edge counts as confirmed, per row.
    deadline : value of ``time.perf_counter`` after which no edge is turned.

    Returns
    -------
    array of float, one for each edge, per row; times n it is in units of 2 log-likelihood
    bool, whether there was time enough

    Examples
    --------
    x0 and x1 = x0 + noise, all of variance 1. Turned, x1 has 2 to account for and leaves 1/2 of x0.

    >>> from daglock.search.spec import make_spec
    >>> S = np.array([[1.0, 1.0], [1.0, 2.0]])
    >>> edge = np.array([0]), np.array([1]), np.array([True])
    >>> spec = make_spec(S, 0.01, max_parents=1, logarithmic=False)
    >>> costs, _ = turning_costs(spec, np.array([0, 1]), *edge, enough=1.0)
    >>> costs.round(6).tolist()
    [0.5]
    """
    try:
        chain = _chain(spec, order, deadline, settings.reach)
    except OutOfTimeError:
        return np.where(asked, 0.0, np.inf), False
    state, knowledge = chain.state, chain.spec.knowledge
    found, best = copy_of(state), total(state)
    parents = [source[target == j] for j in range(len(order))]
    # the search for a start may itself have turned some
    costs = np.where(state.position[source] > state.position[target], 0.0, np.inf)
    strength = strengths_of(spec, parents, source, target)
    strongest_first = [int(e) for e in np.argsort(ranks(-strength), kind="stable") if asked[e]]
    done: set[int] = set()

    def costs_enough(e: int) -> bool:
        """Turn an edge, unless it was turned."""
        i, j = int(source[e]), int(target[e])
        ways = []
        if e not in done and costs[e] >= enough and not knowledge[i, j] & BEFORE:
            for way in range(2):
                _turn(chain, parents, i, j, way)
                if state.position[j] < state.position[i]:
                    ways.append(copy_of(state))
                restore(state, found)
        if len(ways) == 2 and total(ways[1]) < total(ways[0]) - IMPROVES:
            ways.reverse()
        for start in ways:
            if costs[e] < enough or settings.plenty * enough < costs[e] < np.inf:
                break
            restore(state, start)
            knowledge[j, i] ^= BEFORE
            descend(chain, deadline)
            knowledge[j, i] ^= BEFORE
            turned = state.position[source] > state.position[target]
            costs[turned] = np.minimum(costs[turned], max(total(state) - best, 0.0))
            restore(state, found)
        done.add(e)
        return bool(costs[e] >= enough)

    confirmed, in_time = 0, True
    try:
        hopeless = len(strongest_first) > settings.hopeless
        hopeless = hopeless and not any(map(costs_enough, strongest_first[: settings.hopeless]))
        for e in [] if hopeless else reversed(strongest_first):
            if confirmed == settings.confirmed or len(done) >= settings.most_turned:
                break
            confirmed = confirmed + 1 if costs_enough(e) else 0
    except OutOfTimeError:
        in_time = False
    if confirmed < settings.confirmed:
        costs[[e for e in strongest_first if e not in done]] = 0.0
    return costs, in_time


def _chain(spec: AnySpec, order: IntArray, deadline: float, reach: float) -> Chain:
    """Return a search at its optimum, to which it can go back."""
    d = len(order)
    rng = np.random.default_rng(0)  # of the keys of the memo: the result does not depend on them
    spec = spec._replace(knowledge=spec.knowledge.copy(order="F"))
    chain = initialise(begin(spec, order, rng, make_memo(d)), deadline, reach)
    descend(chain, deadline)
    return chain


def _turn(chain: Chain, parents: list[IntArray], i: int, j: int, way: int) -> None:
    """Put j before i: first all goes out of the way that is on no path from i to j.

    What is on one stays behind both, or before both, depending on ``way``.
    """
    order, position = chain.state.order, chain.state.position
    first, last = int(position[i]), int(position[j])
    between = order[first + 1 : last]
    below = _below(parents, i, between)
    above = _above(parents, j, between[below])
    aside = between[~below]
    moves = [(v, first + k) for k, v in enumerate(aside)]
    moves += [(v, last - k) for k, v in enumerate(between[below][~above][::-1])]
    first, last = first + len(aside), last - int((~above).sum())
    moves.append((j, first) if way == 0 else (i, last))
    kick(chain, np.array(moves, dtype=np.intp))


def _below(parents: list[IntArray], i: int, nodes: IntArray) -> BoolArray:
    """Tell which of the nodes, given in topological order, descend from i."""
    reached = {i}
    for v in nodes.tolist():
        if not reached.isdisjoint(parents[v].tolist()):
            reached.add(v)
    return np.array([v in reached for v in nodes.tolist()], dtype=np.bool_)


def _above(parents: list[IntArray], j: int, nodes: IntArray) -> BoolArray:
    """Tell which of the nodes, given in topological order, lead to j."""
    reached = set(parents[j].tolist())
    for v in nodes[::-1].tolist():
        if v in reached:
            reached.update(parents[v].tolist())
    return np.array([v in reached for v in nodes.tolist()], dtype=np.bool_)
