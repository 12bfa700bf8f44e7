"""The order search as a whole: start, improve, restart, polish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log, sqrt
from time import perf_counter
from typing import NamedTuple

import numpy as np

from daglock._pace import OutOfTimeError, Pace
from daglock.search.crossing import paid_before, take_better_parts
from daglock.search.laying import lay_along, lay_around
from daglock.search.memo import IMPROVES, NOTHING, PARENT, Memo, forget, make_memo
from daglock.search.node import (
    AnySpec,
    AnyWork,
    Nodes,
    gains_in_full,
    needed_to_start,
    nodes_of,
    residuals_of,
    scores_of,
    work_for,
)
from daglock.search.order import NO_HOPES, NO_START, choose, choose_again, improve
from daglock.search.spec import MAX_INVERSE, REQUIRED, required_parents
from daglock.search.state import State, copy_of, make_state, restore
from daglock.search.windows import Room, make_room
from daglock.settings import SETTINGS, Settings
from daglock.typing import Array, IntArray

NO_KICKS = np.empty((0, 2), dtype=np.intp)


@dataclass(frozen=True)
class Found:
    """The outcome of an order search."""

    order: IntArray
    parents: list[IntArray]
    rss: Array
    # No single-node move improves: in a last round, with an empty memo, all were tried. A walk was
    # cut short only where nothing ahead could pay: up to MAX_INVERSE variables by a bound that no
    # choice of parents can beat, beyond that by `Settings.reach` and by what grow and shrink reach
    # with all candidates.
    locally_optimal: bool
    # No order of so many consecutive nodes is better than theirs, parents being chosen as above; 0
    # where that was not established.
    window: int
    n_restarts: int  # those done, not those asked for
    scores: list[float]  # after the first descent, after every batch of restarts, at the end
    stopped: str  # "" when finished, else "time" or "interrupt"
    optimal: bool = False  # no graph at all is better

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return sum(map(len, self.parents))


class Chain(NamedTuple):
    """What one thread works on."""

    spec: AnySpec
    work: AnyWork
    nodes: Nodes  # what kernels see of these two
    state: State
    memo: Memo

    @property
    def given(self) -> tuple[Nodes, State, Memo]:
        """What kernels are given."""
        return self.nodes, self.state, self.memo

    def hoping(self, least: Array, reach: float) -> Chain:
        """Return the same with other bounds of what a node can gain."""
        return self._replace(nodes=self.nodes._replace(least=least, reach=reach))


def search_order(
    spec: AnySpec,
    order: IntArray,
    *,
    n_restarts: int,
    rng: np.random.Generator,
    patient: bool = False,
    full_regressions: bool = True,
    n_jobs: int = 1,
    deadline: float = np.inf,
    progress: Callable[[int, float], None] | None = None,
    settings: Settings = SETTINGS,
) -> Found:
    """Search from an order: moves of single nodes, windows, restarts, a last full round of all.

    Parameters
    ----------
    spec : the criterion, the covariance and the hard knowledge.
    order : a start that respects ``spec.before``.
    n_restarts : how often the best order is kicked and searched again; with none no windows are
        laid either.
    rng : source of all randomness; the result depends on it and not on ``n_jobs``.
    patient : go on until so many restarts have come back to the best score, or by a share of that
        more than have not, within a limit; longer where restarts are quick.
    full_regressions : try the regression on all predecessors as a start for every node's parents;
        worth it with many more rows than variables.
    n_jobs : threads.
    deadline : value of ``time.perf_counter`` after which no new work is begun.
    progress : called with the restarts done and the best score.
    settings : how many chains, how often they meet, and how they are kicked.
    """
    chain = begin(spec, order, rng, make_memo(len(order)))
    state = chain.state
    scores: list[float] = []
    done, optimal, window, stopped = 0, False, 0, ""
    windows = n_restarts > 0 and settings.window > 1
    room = make_room(len(order), settings.window) if windows else None
    try:
        chain = initialise(chain, deadline, settings.reach)
        _reselect(chain, full_regressions, deadline)
        if n_restarts > 0:
            descend(chain, deadline)
            while room is not None and lay_around(chain, room, rng, deadline):
                descend(chain, deadline)
            scores.append(total(state))
            for done, best in _restart(chain, n_restarts, patient, rng, n_jobs, deadline, settings):
                scores.append(best)
                if progress is not None:
                    progress(done, best)
        if len(order) <= MAX_INVERSE:
            # nothing is skipped now but what provably cannot pay
            chain = chain.hoping(spec.least, spec.reach)
        while True:  # until a whole round changes nothing
            forget(chain.memo)  # what was worked out from other starts may be worse
            before = total(state)
            state.look[:] = True
            descend(chain, deadline)
            improved = _reselect(chain, full_regressions, deadline)
            if improved or total(state) < before:
                continue
            if room is None or not (
                lay_around(chain, room, rng, deadline) or lay_along(chain, room, deadline)
            ):
                break
        window = 0 if room is None else min(len(room.node), len(order))
        scores.append(total(state))
        optimal = True
    except OutOfTimeError:
        stopped = "time"
    except KeyboardInterrupt:
        stopped = "interrupt"
    return _found(chain, optimal, window, done, scores, stopped)


def choose_parents(
    spec: AnySpec,
    order: IntArray,
    deadline: float = np.inf,
    *,
    full_regressions: bool | None = None,
) -> Found:
    """Choose parents along an order and leave it at that: a graph, in the least time.

    Where the deadline cuts it short the nodes that are left have their required parents. With
    ``full_regressions`` parents are chosen once more from another start, see `search_order`.
    """
    chain = begin(spec, order, np.random.default_rng(0), make_memo(len(order), 1))
    stopped = ""
    try:
        initialise(chain, deadline)
        if full_regressions is not None:
            _reselect(chain, full_regressions, deadline)
    except OutOfTimeError:
        stopped = "time"
    return _found(chain, False, 0, 0, [], stopped)


def begin(spec: AnySpec, order: IntArray, rng: np.random.Generator, memo: Memo) -> Chain:
    """Make a chain in which every node has its required parents: a graph at any time."""
    state = make_state(order, rng)
    state.relation[(spec.knowledge & REQUIRED) > 0] = PARENT
    state.incoming[:] = state.relation.T
    state.score[:] = scores_of(spec, required_parents(spec.knowledge))
    return chain_of(spec, state, memo)


def chain_of(spec: AnySpec, state: State, memo: Memo) -> Chain:
    """Make a chain with scratch arrays of its own."""
    work = work_for(spec)
    return Chain(spec, work, nodes_of(spec, work), state, memo)


def _found(
    chain: Chain, optimal: bool, window: int, n_restarts: int, scores: list[float], stopped: str
) -> Found:
    """Read the graph off the state."""
    spec, state = chain.spec, chain.state
    parents = [np.flatnonzero(row == PARENT) for row in state.incoming]
    rss = residuals_of(spec, state.score, parents)
    return Found(state.order, parents, rss, optimal, window, n_restarts, scores, stopped)


def total(state: State) -> float:
    """Score of the present state."""
    return float(state.score.sum())


def _slices(d: int, deadline: float) -> Iterator[tuple[int, int]]:
    """Cut 0..d into pieces; raises OutOfTimeError between two of them."""
    pace, first = Pace(deadline), 0
    while first < d:
        last = min(d, first + pace.width)
        yield first, last
        first = last
        pace.step()


def initialise(chain: Chain, deadline: float, reach: float | None = None) -> Chain:
    """Choose parents along the order; with a reach walks are told what to hope for, and end early.

    ``reach``: how many times what a new candidate gains alone a node may gain by it.
    """
    d = len(chain.state.order)
    hopes = np.empty(0 if reach is None else d)
    for first, last in _slices(d, deadline):
        choose(*chain.given, NO_START, hopes, first, last)
    if reach is None:
        return chain
    return chain.hoping(hopes, reach)


def kick(chain: Chain, kicks: IntArray) -> None:
    """Move nodes, (node, position) each, as far as knowledge allows."""
    improve(*chain.given, kicks, 0, 0)


def descend(chain: Chain, deadline: float, kicks: IntArray = NO_KICKS) -> None:
    """Improve until no single move does, after a kick, if there is one (see `kick`)."""
    pace, at = Pace(deadline), 0
    while at >= 0:
        at = improve(*chain.given, kicks, at, pace.width)
        kicks = NO_KICKS
        pace.step()


def _reselect(chain: Chain, full_regressions: bool, deadline: float) -> bool:
    """Start every node's parents once more from other sets; tell whether any improves."""
    d = len(chain.state.order)
    gain = gains_in_full(chain.spec, chain.state.order) if full_regressions else None
    if gain is None:
        gain = np.zeros((d, d))
    sizes = (chain.state.incoming == PARENT).sum(axis=1)
    needed = needed_to_start(chain.spec, chain.state.score, sizes)
    better = 0
    for first, last in _slices(d, deadline):
        better += choose_again(*chain.given, gain, needed, first, last)
    return better > 0


def _restart(
    first: Chain,
    count: int,
    patient: bool,
    rng: np.random.Generator,
    n_jobs: int,
    deadline: float,
    settings: Settings,
) -> Iterator[tuple[int, float]]:
    """Kick and improve in every chain, exchange the best after a batch; leave it in ``first``.

    So many restarts, unless ``patient``: then as `_are_enough` says.
    """
    best, chains, d = total(first.state), [first], len(first.state.order)
    limit = settings.quick * settings.patience * count if patient else count
    for _ in range(min(settings.n_chains, limit) - 1):
        other = chain_of(first.spec, copy_of(first.state), make_memo(d))
        chains.append(other.hoping(first.nodes.least, first.nodes.reach))
    bests = [copy_of(first.state)] * len(chains)
    rngs = rng.spawn(len(chains))
    rooms = [make_room(d, settings.window) if settings.window > 1 else None for _ in chains]
    done, tried, returned = 0, 0, 0  # the last two since the best score was found
    before, chosen = int(first.memo.used[2]), 0
    try:
        with ThreadPoolExecutor(len(chains)) as pool:
            run = pool.map if n_jobs > 1 else map
            while done < limit:
                if patient and _are_enough(count, done, tried, returned, chosen, d, settings):
                    break
                # the c-th chain takes every len(chains)-th of those that are left
                left = range(done, limit)
                shares = [
                    min(settings.batch, len(left[c :: len(chains)])) for c in range(len(chains))
                ]
                always = best, deadline, settings
                each = zip(chains, rooms, shares, bests, rngs, strict=True)
                jobs = ((*own, *always) for own in each)
                scores, bests, came_back = map(list, zip(*run(_batch, jobs), strict=True))
                if min(scores) < best - IMPROVES:
                    tried, returned = 0, 0
                done, tried = done + sum(shares), tried + sum(shares)
                best = min(scores)
                # up to rounding the first is the best
                worse = [score > best + IMPROVES for score in scores]
                for c, chain in enumerate(chains):
                    if worse[c]:
                        bests[c] = bests[worse.index(False)]
                        restore(chain.state, bests[c])
                    else:
                        returned += came_back[c]
                chosen = sum(int(chain.memo.used[2]) for chain in chains) - before
                yield done, best
                if perf_counter() > deadline:
                    raise OutOfTimeError
    finally:
        restore(first.state, bests[0])


def _are_enough(
    count: int, done: int, tried: int, returned: int, chosen: int, d: int, settings: Settings
) -> bool:
    """Whether restarts end: enough have come back to the best score, or there were too many.

    Where all come back nothing better is likely to be near; where few do, there are many other
    graphs to end in, and it takes longer to see them. Where restarts are quick, because parents
    were seldom chosen, more of them cost little: more are to come back.
    """
    enough = settings.came_back(count, tried, returned) or done >= settings.patience * count
    if chosen >= settings.chosen_in_restarts(d):
        return enough
    return enough and settings.came_back(settings.quick * count, tried, returned)


def _batch(
    job: tuple[Chain, Room | None, int, State, np.random.Generator, float, float, Settings],
) -> tuple[float, State, int]:
    """Kick the best order, improve it again, keep the better; how often it was as good.

    Windows are laid where the graph is no longer the same, unless its score is: then it is mostly
    another graph of the class. Of a graph that is worse the parts that are better are kept. One
    that is as good is taken too: the next kick begins from another graph, or another order of it.
    """
    chain, room, count, best_state, rng, best, deadline, settings = job
    came_back = 0
    for _ in range(count):
        try:
            descend(chain, deadline, _kicks(chain.state, rng, settings.local_kicks))
            if room is not None and abs(total(chain.state) - best) > IMPROVES:
                changed = (chain.state.incoming != best_state.incoming).any(axis=1)
                if lay_around(chain, room, rng, deadline, changed):
                    descend(chain, deadline)
            worse = settings.crossing and total(chain.state) > best + IMPROVES
            if worse and take_better_parts(chain, best_state):
                for q in paid_before(chain.state):
                    choose(*chain.given, NO_START, NO_HOPES, q, q + 1)
                descend(chain, deadline)
        except OutOfTimeError:
            restore(chain.state, best_state)
            break
        score = total(chain.state)
        if score < best + IMPROVES:
            came_back = 0 if score < best - IMPROVES else came_back + 1
            best, best_state = min(score, best), copy_of(chain.state)
        else:
            restore(chain.state, best_state)
    return best, best_state, came_back


def _kicks(state: State, rng: np.random.Generator, local: float) -> IntArray:
    """Random moves, (size, 2): nodes and where they go, half of them to an end.

    A share ``local`` of the kicks stays in one neighbourhood of the graph: the rest of it is then
    not searched again, and what is gained here is not lost there.
    """
    d = len(state.order)
    nodes, low, high = list(range(d)), log(d), 2.0 * sqrt(d)
    (share, apart, luck), *lucks = rng.random((int(high) + 3, 3)).tolist()
    size = round(low + (high - low) * share) + 1
    if apart < local:
        centre = int(luck * d)
        near = (state.relation[centre] | state.incoming[centre]) != NOTHING
        near[centre] = True
        nodes = np.flatnonzero(near).tolist()
        size = min(size, len(nodes))
    kicks = [
        (nodes[int(which * len(nodes))], int(where * d) if how >= 0.5 else (how >= 0.25) * (d - 1))
        for which, where, how in lucks[:size]
    ]
    return np.array(kicks, dtype=np.intp)
