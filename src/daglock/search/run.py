"""The order search as a whole: start, improve, restart, polish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from itertools import repeat
from time import perf_counter
from typing import NamedTuple

import numpy as np

from daglock._pace import OutOfTimeError, Pace
from daglock.search.memo import IMPROVES, NOTHING, PARENT, Memo, forget, make_memo
from daglock.search.order import blanket_scores, improve, perturb, reselect
from daglock.search.parents import MAX_INVERSE, Spec, Work, make_work
from daglock.search.regression import residual_variances
from daglock.search.start import full_regression_gains
from daglock.search.state import (
    SMALL,
    State,
    make_state,
    recall,
    remember,
    total,
)
from daglock.search.state import (
    initialise as choose_for,
)
from daglock.typing import Array, IntArray

# Two chains whatever the number of threads, so that the result does not depend on it.
N_CHAINS = 2
# Restarts between two looks at the clock and at the other chain.
BATCH = 2
# Share of the kicks that stay in a neighbourhood.
LOCAL = 0.25


@dataclass(frozen=True)
class Found:
    """The outcome of an order search."""

    order: IntArray
    parents: list[IntArray]
    rss: Array
    # No single-node move improves: in a last round, with an empty memo, all were tried. A walk was
    # cut short only where nothing ahead could pay: up to MAX_INVERSE variables by a bound that no
    # choice of parents can beat, beyond that by what grow and shrink reach with all candidates.
    # See Spec.thorough for what a move looks at.
    locally_optimal: bool
    n_restarts: int  # those done, not those asked for
    scores: list[float]  # after the first descent, after every batch of restarts, at the end
    stopped: str  # "" when finished, else "time" or "interrupt"
    optimal: bool = False  # no graph at all is better

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.parents))


class Chain(NamedTuple):
    """What one thread works on: the arguments of the kernels."""

    spec: Spec
    work: Work
    state: State
    memo: Memo


def search_order(
    spec: Spec,
    order: IntArray,
    *,
    n_restarts: int,
    rng: np.random.Generator,
    full_regressions: bool = True,
    n_jobs: int = 1,
    deadline: float = np.inf,
    progress: Callable[[int, float], None] | None = None,
) -> Found:
    """Search from an order: single-node moves, then restarts, then a last full round of moves.

    Parameters
    ----------
    spec : the criterion, the covariance and the hard knowledge.
    order : a start that respects ``spec.before``.
    n_restarts : how often the best order is kicked and searched again.
    rng : source of all randomness; the result depends on it and not on ``n_jobs``.
    full_regressions : try the regression on all predecessors as a start for every node's parents;
        worth it with many more rows than variables.
    n_jobs : threads.
    deadline : value of ``time.perf_counter`` after which no new work is begun.
    progress : called with the restarts done and the best score.
    """
    d = len(order)
    first = begin(spec, order, n_restarts > 0, rng, make_memo(d))
    state = first.state
    scores: list[float] = []
    done, optimal, stopped = 0, False, ""
    try:
        first = with_blanket_bounds(first, deadline)
        initialise(first, deadline)
        _reselect(first, full_regressions, deadline)
        if n_restarts > 0:
            descend(first, deadline)
            scores.append(total(state))
            for done, best in _restart(first, n_restarts, rng, n_jobs, deadline):
                scores.append(best)
                if progress is not None:
                    progress(done, best)
        if d <= MAX_INVERSE:
            first = first._replace(spec=spec)  # nothing is skipped now but what provably cannot pay
        while True:  # until a whole round changes nothing
            forget(first.memo)  # what was worked out from other starts may be worse
            before = total(state)
            state.look[:] = True
            descend(first, deadline)
            improved = _reselect(first, full_regressions, deadline)
            if not improved and total(state) >= before:
                break
        scores.append(total(state))
        optimal = True
    except OutOfTimeError:
        stopped = "time"
    except KeyboardInterrupt:
        stopped = "interrupt"
    return Found(state.order, _parents(state), state.rss, optimal, done, scores, stopped)


def choose_parents(spec: Spec, order: IntArray, deadline: float = np.inf) -> Found:
    """Choose parents along an order and leave it at that: a graph, in the least time.

    Where the deadline cuts it short the nodes that are left have their required parents.
    """
    chain = begin(spec, order, False, np.random.default_rng(0), make_memo(len(order), 1))
    stopped = ""
    try:
        initialise(chain, deadline)
    except OutOfTimeError:
        stopped = "time"
    return Found(chain.state.order, _parents(chain.state), chain.state.rss, False, 0, [], stopped)


def begin(
    spec: Spec, order: IntArray, restarts: bool, rng: np.random.Generator, memo: Memo
) -> Chain:
    """Make a chain in which every node has its required parents: a graph at any time."""
    d = len(order)
    state = make_state(order, restarts, rng)
    state.rss[:] = spec.variance
    if spec.required.size:
        state.relation[spec.required] = PARENT
        state.relation_of[spec.required.T] = PARENT
        state.rss[:] = residual_variances(spec.S, [np.flatnonzero(row) for row in spec.required])
    return Chain(spec, make_work(d, spec.max_parents), state, memo)


def _parents(state: State) -> list[IntArray]:
    """Return the parents of every node."""
    return [np.flatnonzero(row == PARENT) for row in state.relation]


def _slices(d: int, deadline: float) -> Iterator[tuple[int, int]]:
    """Cut 0..d into pieces; raises OutOfTimeError between two of them."""
    pace, first = Pace(deadline), 0
    while first < d:
        last = min(d, first + pace.width)
        yield first, last
        first = last
        pace.step()


def initialise(chain: Chain, deadline: float) -> None:
    """Choose parents along the order."""
    for first, last in _slices(len(chain.state.order), deadline):
        choose_for(*chain, first, last)


def with_blanket_bounds(chain: Chain, deadline: float) -> Chain:
    """Tell the walks what each node can hope for, so that they end early."""
    least = chain.spec.least.copy()
    for first, last in _slices(len(least), deadline):
        blanket_scores(chain.spec, chain.work, first, last, least)
    return chain._replace(spec=chain.spec._replace(least=least))


def descend(chain: Chain, deadline: float) -> None:
    """Improve until no single move does."""
    pace, at = Pace(deadline), 0
    while at >= 0:
        at = improve(*chain, at, pace.width)
        pace.step()


def _reselect(chain: Chain, full_regressions: bool, deadline: float) -> bool:
    """Start every node's parents once more from other sets; tell whether any improves."""
    d = len(chain.state.order)
    gain = full_regression_gains(chain.spec.S, chain.state.order) if full_regressions else None
    if gain is None:
        gain = np.empty((0, 0))
    better = 0
    for first, last in _slices(d, deadline):
        better += reselect(*chain, gain, first, last)
    return better > 0


def _restart(
    first: Chain, n_restarts: int, rng: np.random.Generator, n_jobs: int, deadline: float
) -> Iterator[tuple[int, float]]:
    """Kick and improve in every chain, exchange the best after a batch; leave it in ``first``."""
    d = len(first.state.order)
    remember(first.state)
    chains = [first]
    for _ in range(min(N_CHAINS, n_restarts) - 1):
        state = deepcopy(first.state)
        work = make_work(d, first.spec.max_parents)
        chains.append(Chain(first.spec, work, state, make_memo(d)))
    rngs = rng.spawn(len(chains))
    best = total(first.state)
    done = 0
    try:
        with ThreadPoolExecutor(len(chains)) as pool:
            run = pool.map if n_jobs > 1 else map
            while done < n_restarts:
                # the c-th chain takes every len(chains)-th of those that are left
                left = range(done, n_restarts)
                shares = [min(BATCH, len(left[c :: len(chains)])) for c in range(len(chains))]
                jobs = zip(chains, shares, repeat(best), rngs, repeat(deadline))
                scores = list(run(_batch, jobs))
                done += sum(shares)
                best = min(scores)
                # up to rounding the first is the best
                worse = [score > best + IMPROVES for score in scores]
                winner = worse.index(False)
                for c, chain in enumerate(chains):
                    if worse[c]:
                        _copy_best(chains[winner].state, chain.state)
                yield done, best
                if perf_counter() > deadline:
                    raise OutOfTimeError
    finally:
        recall(first.state)


def _batch(job: tuple[Chain, int, float, np.random.Generator, float]) -> float:
    """Kick the best order, improve it again, keep the better; ``count`` times."""
    chain, count, best, rng, deadline = job
    for _ in range(count):
        perturb(*chain, _kicks(chain.state, rng))
        try:
            descend(chain, deadline)
        except OutOfTimeError:
            recall(chain.state)
            break
        score = total(chain.state)
        if score < best - IMPROVES:
            best = score
            remember(chain.state)
        else:
            recall(chain.state)
    return best


def _copy_best(source: State, target: State) -> None:
    """Give one chain the best state of another."""
    target.best_order[:] = source.best_order
    target.best_score[:] = source.best_score
    target.best_rss[:] = source.best_rss
    target.best_relation[:] = source.best_relation
    target.changed[:] = True
    recall(target)


def _kicks(state: State, rng: np.random.Generator) -> IntArray:
    """Random moves, (size, 2): nodes and where they go, half of them to an end.

    Half of the kicks stay in one neighbourhood of the graph: the rest of it is then not searched
    again, and what is gained here is not lost there. One in four is a shuffle where there are few
    nodes.
    """
    d = len(state.order)
    nodes = np.arange(d)
    size = round(rng.uniform(np.log(d), 2.0 * np.sqrt(d))) + 1
    if d <= SMALL and rng.random() < 0.25:
        size = 2 * d
    elif rng.random() < LOCAL:
        centre = nodes[rng.integers(d)]
        near = (state.relation[centre] | state.relation_of[centre]) != NOTHING
        near[centre] = True
        nodes = nodes[near]
        size = min(size, len(nodes))
    moves = np.empty((size, 2), dtype=np.intp)
    moves[:, 0] = nodes[rng.integers(len(nodes), size=size)]
    moves[:, 1] = rng.integers(d, size=size)
    to_end = rng.random(size) < 0.5
    moves[to_end, 1] = rng.integers(2, size=int(to_end.sum())) * (d - 1)
    return moves
