"""What sets of variables cost, and the search on it, against plain twins and all graphs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from daglock.checking import extra_of_blocks, extra_of_counts
from daglock.knowledge import Masks, knowledge_masks
from daglock.search.all_costs import all_set_costs
from daglock.search.all_sets import make_joint_sets
from daglock.search.exact import solve
from daglock.search.joint import joint_extras, joint_fits, joint_gains, settle_joint
from daglock.search.memo import PARENT, PAYS
from daglock.search.node import scores_of, settle
from daglock.search.parents import CANDIDATE, OUT
from daglock.search.run import search_order
from daglock.search.set_costs import (
    JointSpec,
    make_joint_spec,
    make_joint_work,
    set_cost,
)
from daglock.search.spec import make_spec
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, IntArray
from tests.search.exact import all_dags

BOTH = pytest.mark.parametrize("counted", [False, True], ids=["blocks", "counts"])


def columns(seed: int, d: int, n: int) -> Array:
    """Rows of a random linear model, standardised."""
    W = erdos_renyi(d, min(2 * (d - 1), d * (d - 1) // 2), rng=seed, weights=(0.4, 1.2))
    X = linear_sem(W, n, rng=seed + 1)
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def codes(seed: int, d: int, n: int) -> tuple[Array, IntArray]:
    """The same, cut into two to four levels, and how many each has."""
    X, rng = columns(seed, d, n), np.random.default_rng(seed)
    levels = rng.integers(2, 5, size=d)
    cut = [
        np.searchsorted(np.quantile(x, np.arange(1, r) / r), x)
        for x, r in zip(X.T, levels, strict=True)
    ]
    return np.array(cut).T.astype(np.float64), levels


def random_spec(
    counted: bool, seed: int, d: int = 5, n: int = 300, masks: Masks | None = None
) -> JointSpec:
    """A search problem of blocks of one to three columns, or of counts."""
    masks = masks or Masks()
    known: dict[str, Any] = {
        "allowed": masks.allowed,
        "required": masks.required,
        "before": masks.before,
    }
    cost = 1.5 * np.log(n) / n
    if counted:
        X, levels = codes(seed, d, n)
        counts = X.T.astype(np.int16), np.ones(n), levels
        return make_joint_spec(cost, n=n, max_parents=d - 1, counts=counts, **known)
    widths = np.random.default_rng(seed).integers(1, 4, size=d)
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.intp)
    R = np.asarray(np.cov(columns(seed, int(first[-1]), n).T, bias=True))
    return make_joint_spec(cost, n=n, max_parents=d - 1, blocks=(R, first), **known)


def plain_cost(spec: JointSpec, U: tuple[int, ...]) -> float:
    """c(U), by a determinant or by counting tuples."""
    if not U:
        return 0.0
    if not spec.counted:
        own = np.concatenate([np.arange(spec.first[j], spec.first[j + 1]) for j in U])
        return float(np.linalg.slogdet(spec.S[np.ix_(own, own)])[1])
    times = Counter(zip(*(spec.codes[j].tolist() for j in U), strict=True))
    share = np.array(list(times.values())) / spec.codes.shape[1]
    return float(-2.0 * (share * np.log(share)).sum())


def plain_score(spec: JointSpec, u: int, P: tuple[int, ...]) -> float:
    """f_u(P), as the module's formula has it."""
    sizes = spec.size[list(P)].astype(np.intp)
    extra = extra_of_counts if spec.counted else extra_of_blocks
    fit = plain_cost(spec, (*P, u)) - plain_cost(spec, P)
    return float(fit + extra(int(spec.n), int(spec.size[u]), sizes) + spec.cost * len(P))


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_what_sets_cost(counted: bool, seed: int) -> None:
    spec = random_spec(counted, seed)
    work, found = make_joint_work(spec), all_set_costs(spec)
    for m in range(6):
        for U in combinations(range(5), m):
            here = plain_cost(spec, U)
            assert set_cost(spec, work, np.array(U, dtype=np.intp)) == pytest.approx(here, abs=1e-9)
            assert found[sum(1 << j for j in U)] == pytest.approx(here, abs=1e-9)


def test_more_cells_than_rows_are_numbered_anew() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, size=(9, 300)).astype(np.int16)  # 20^9 cells
    counts = X, np.ones(300), np.full(9, 20)
    spec = make_joint_spec(0.1, n=300, max_parents=8, counts=counts)
    here = plain_cost(spec, tuple(range(9)))
    assert set_cost(spec, make_joint_work(spec), np.arange(9)) == pytest.approx(here)


def test_rows_that_occur_more_than_once() -> None:
    spec = random_spec(True, 1)
    rows, times = np.unique(spec.codes, axis=1, return_counts=True)
    counts = np.ascontiguousarray(rows), times.astype(np.float64), spec.size.astype(np.intp)
    again = make_joint_spec(spec.cost, n=300, max_parents=4, counts=counts)
    assert len(again.weight) < 300
    np.testing.assert_allclose(all_set_costs(again), all_set_costs(spec), atol=1e-12)


@BOTH
@pytest.mark.parametrize("seed", range(6))
def test_settled_parents_are_a_local_optimum(counted: bool, seed: int) -> None:
    spec = random_spec(counted, seed)
    work, out = make_joint_work(spec), np.empty(5, dtype=np.uint8)
    for u in range(5):
        work.role[:] = CANDIDATE
        work.role[(u + 1) % 5] = OUT
        score = settle(spec, work, u, out)
        P = tuple(np.flatnonzero(out == PARENT).tolist())
        assert (u + 1) % 5 not in P
        assert u not in P
        assert score == pytest.approx(plain_score(spec, u, P), abs=1e-9)
        for i in range(5):
            if i == u:
                continue
            other = tuple(sorted(set(P) ^ {i}))
            change = plain_score(spec, u, other) - score
            if i in P or work.role[i] != OUT:
                assert change > -1e-8
            elif i not in P:
                assert (out[i] >= PAYS) == (change < -1e-9)


@BOTH
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("known", [False, True])
def test_the_best_of_all_graphs(counted: bool, seed: int, known: bool) -> None:
    masks = Masks()
    if known:
        masks = knowledge_masks(4, forbidden=[(0, 1)], required=[(2, 3)], tiers=[[2], [0]])
    spec = random_spec(counted, seed, d=4, masks=masks)
    sets = make_joint_sets(spec, 3, masks.allowed, masks.required, masks.before)
    best = solve(sets, np.log(sets.rss), spec.cost)
    least = np.inf
    for masks_of in all_dags(4):
        graph = np.array([[P >> i & 1 for P in masks_of.tolist()] for i in range(4)])
        if known and (graph[0, 1] or not graph[2, 3] or _path(graph, 0, 2)):
            continue
        parents = [tuple(np.flatnonzero(graph[:, u]).tolist()) for u in range(4)]
        least = min(least, sum(plain_score(spec, u, P) for u, P in enumerate(parents)))
    assert scores_of(spec, best.parents).sum() == pytest.approx(least, abs=1e-9)
    found = search_order(
        spec,
        np.array([2, 0, 1, 3]),
        n_restarts=10,
        rng=np.random.default_rng(0),
    )
    assert scores_of(spec, found.parents).sum() >= least - 1e-9
    fit = joint_fits(spec, found.parents) + joint_extras(spec, found.parents)
    np.testing.assert_allclose(found.rss, np.exp(fit), rtol=1e-8)
    if known:
        assert 2 in found.parents[3]
        assert 0 not in found.parents[1]


def _path(graph: IntArray, i: int, j: int) -> bool:
    """Whether j follows from i."""
    reach = np.linalg.matrix_power(np.eye(4) + (graph != 0), 4)
    return bool(reach[i, j] > 0)


@BOTH
def test_equivalent_graphs_have_one_score(counted: bool) -> None:
    spec = random_spec(counted, 3, d=3)
    none: IntArray = np.empty(0, dtype=np.intp)
    chain = [none, np.array([0]), np.array([1])]
    fork = [np.array([1]), none, np.array([1])]
    collider = [none, np.array([0, 2]), none]
    first, second, third = (scores_of(spec, graph).sum() for graph in (chain, fork, collider))
    assert first == pytest.approx(second, abs=1e-10)
    assert abs(first - third) > 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_one_column_are_columns(seed: int) -> None:
    d, n = 12, 400
    R = np.asarray(np.cov(columns(seed, d, n).T, bias=True))
    cost = 2.0 * np.log(n) / n
    joint = make_joint_spec(cost, n=n, max_parents=8, blocks=(R, np.arange(d + 1)))
    plain = make_spec(R, cost, max_parents=8)
    order = np.random.default_rng(seed).permutation(d)
    ours, theirs = (
        search_order(spec, order, n_restarts=20, rng=np.random.default_rng(1), n_jobs=1)
        for spec in (joint, plain)
    )
    here, there = (np.log(found.rss).sum() + cost * found.n_edges for found in (ours, theirs))
    assert here == pytest.approx(there, abs=1e-8)


@BOTH
def test_gains_of_one_more_parent(counted: bool) -> None:
    spec = random_spec(counted, 2)
    order = np.array([3, 1, 0, 4, 2])
    parents = [np.array([3]), np.array([3]), np.array([0, 4]), np.empty(0, dtype=np.intp)]
    parents.append(np.empty(0, dtype=np.intp))
    gains = joint_gains(spec, order, parents)
    for u in range(5):
        now = tuple(parents[u].tolist())
        before = order[: order.tolist().index(u)].tolist()
        best = [
            plain_score(spec, u, now) - plain_score(spec, u, (*now, i)) + spec.cost
            for i in before
            if i not in now
        ]
        assert gains[u] == pytest.approx(max([0.0, *best]), abs=1e-9)


def test_the_table_of_costs_is_emptied_when_it_is_full() -> None:
    spec = random_spec(True, 0)
    work, out = make_joint_work(spec), np.empty(5, dtype=np.uint8)
    small = make_joint_work(spec)._replace(
        keys=np.zeros(8, dtype=np.int64), costs=np.full(8, np.nan)
    )
    work.role[:] = small.role[:] = CANDIDATE
    for u in range(5):
        score = settle_joint(spec, small, u, out)
        assert score == pytest.approx(settle_joint(spec, work, u, out), abs=1e-12)
        assert small.used[0] <= 7
