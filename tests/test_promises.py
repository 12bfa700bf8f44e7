"""What a certificate says, and what knowledge forbids, against the list of all graphs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from daglock.engine import learn
from daglock.knowledge import Knowledge, Masks, knowledge_masks
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, BoolArray, IntArray
from tests.search.exact import all_dags, members

NOISES = ("equal", "unequal")
BLOCKS = [*range(3), *(pytest.param(block, marks=pytest.mark.slow) for block in range(3, 12))]
PROBLEMS = 100  # in a block


class Listed(NamedTuple):
    """All DAGs on d nodes."""

    parents: IntArray  # (number, d), as bits
    edges: BoolArray  # (number, d, d)
    leads: BoolArray  # (number, d, d): a directed path leads from i to j


@cache
def listed(d: int) -> Listed:
    parents = all_dags(d)
    edges = np.asarray((parents[:, None, :] >> np.arange(d)[:, None]) & 1 == 1)
    leads = edges.copy()
    for _ in range(d):
        leads |= leads @ edges
    return Listed(parents, edges, leads)


class Problem(NamedTuple):
    moments: Moments
    masks: Masks
    tiers: list[list[int]]


def draw(seed: int, largest: int = 5) -> Problem:
    """Random rows, few or many, some with columns that determine each other; some knowledge."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, largest + 1))
    n = int(rng.choice([3, 4, 5, 7, 10, 16, 30, 100, 1000]))
    W = erdos_renyi(d, int(rng.integers(1, d * (d - 1) // 2 + 1)), weights=(0.2, 1.5), rng=rng)
    X = linear_sem(W, n, noise_variances=rng.uniform(0.3, 3.0, d) if seed % 2 else 1.0, rng=rng)
    kind = rng.integers(6)
    if kind == 0:
        X[:, -1] = X[:, 0]
    elif kind == 1:
        X[:, -1] = X[:, :-1].sum(axis=1)
    elif kind == 2 and n > 20:
        X = np.round(X)
    label = rng.permutation(d).tolist()
    pairs = [(label[a], label[b]) for a in range(d) for b in range(a + 1, d)]
    chosen = [pairs[k] for k in rng.permutation(len(pairs))]
    n_required, n_forbidden = rng.integers(0, 2), rng.integers(0, 3)
    cut = np.sort(rng.integers(0, d + 1, size=2))
    tiers = [label[: cut[0]], label[cut[1] :]] if seed % 3 else []
    forbidden = chosen[n_required : n_required + n_forbidden]
    masks = knowledge_masks(
        d,
        required=chosen[:n_required],
        forbidden=[pair if rng.random() < 0.5 else pair[::-1] for pair in forbidden],
        tiers=[tier for tier in tiers if tier],
    )
    return Problem(Moments.from_data(X), masks, tiers)


def residuals(S: Array) -> Array:
    """Variance of j given each set, from one least-squares problem each, on correlations."""
    d = len(S)
    deviation = np.sqrt(np.diag(S))
    R = S / np.outer(deviation, deviation)
    rss = np.ones((1 << d, d))
    for mask, inside in enumerate(members(d)):
        P = np.flatnonzero(inside)
        b = np.linalg.lstsq(R[np.ix_(P, P)], R[P], rcond=1e-13)[0]
        rss[mask] = 1.0 - 2.0 * np.sum(b * R[P], axis=0) + np.sum(b * (R[np.ix_(P, P)] @ b), axis=0)
    return np.maximum(rss, 1e-13) * np.diag(S)


def permitted(problem: Problem) -> BoolArray:
    """Which of all graphs have what is required, nothing forbidden, and no path against a tier."""
    graphs, masks = listed(problem.moments.d), problem.masks
    fits = np.ones(len(graphs.parents), dtype=np.bool_)
    if masks.allowed is not None:
        fits &= ~(graphs.edges & ~masks.allowed).any(axis=(1, 2))
    if masks.required is not None:
        fits &= ~(masks.required & ~graphs.edges).any(axis=(1, 2))
    for a, earlier in enumerate(problem.tiers):
        for later in problem.tiers[a + 1 :]:
            for i, j in product(later, earlier):
                fits &= ~graphs.leads[:, i, j]
    return fits


@pytest.mark.parametrize("block", BLOCKS)
def test_no_certificate_is_wrong(block: int) -> None:
    for seed in range(PROBLEMS * block, PROBLEMS * (block + 1)):
        problem = draw(seed)
        moments, d = problem.moments, problem.moments.d
        graphs, rss = listed(d), residuals(moments.cov)
        fits = permitted(problem)
        n_parents = graphs.edges.sum(axis=1)
        for noise in NOISES:
            learned = learn(moments, noise=noise, masks=problem.masks, rng=0, determined="keep")
            certificate = learned.certificate
            assert certificate.optimal
            assert certificate.verify(moments), (seed, noise)
            most = certificate.max_parents
            assert most >= SETTINGS.most_parents(moments.n, d)
            assert ("at most" in certificate.statement) == (most < d - 1)
            own = np.zeros((d, d), dtype=np.bool_)
            own[learned.dag.source, learned.dag.target] = True
            assert (graphs.edges[fits] == own).all(axis=(1, 2)).any(), (seed, noise)
            rivals = fits & (n_parents <= most).all(axis=1)
            of_graphs = rss[graphs.parents[rivals], np.arange(d)]
            fit = d * np.log(of_graphs.mean(axis=1))
            if noise == "unequal":
                fit = np.log(of_graphs).sum(axis=1)
            scores = fit + certificate.edge_cost * n_parents[rivals].sum(axis=1)
            # where a variance is nothing but rounding, so is the third digit of its logarithm
            tolerance = 1e-6 if rss.min() > 1e-9 * np.diag(moments.cov).max() else 1e-2
            assert certificate.score <= scores.min() + tolerance, (seed, noise)
            if problem.masks.before is not None:
                position = np.argsort(learned.dag.order)
                i, j = np.nonzero(problem.masks.before)
                assert (position[i] < position[j]).all()


@pytest.mark.parametrize("block", BLOCKS)
def test_tiers_forbid_paths_in_the_order_search_too(block: int) -> None:
    for seed in range(PROBLEMS * block, PROBLEMS * (block + 1)):
        problem = draw(seed)
        d = problem.moments.d
        for noise in NOISES:
            settings: dict[str, Any] = {"rng": 0, "determined": "keep"}
            settings |= {"n_restarts": 2, "settings": replace(SETTINGS, max_exact=0)}
            learned = learn(problem.moments, noise=noise, masks=problem.masks, **settings)
            own = np.zeros((d, d), dtype=np.bool_)
            own[learned.dag.source, learned.dag.target] = True
            fits = listed(d).edges[permitted(problem)]
            assert (fits == own).all(axis=(1, 2)).any(), (seed, noise)
            assert not learned.certificate.optimal


def test_a_free_variable_is_no_way_round_a_tier() -> None:
    """Tiers [[a], [b]] and a free c: b -> c -> a is against them, for few and for many columns."""
    rng = np.random.default_rng(0)
    b = rng.normal(size=1000)
    c = b + 0.5 * rng.normal(size=1000)
    a = c + 0.5 * rng.normal(size=1000)
    X = np.column_stack([a, b, c])
    for extra in (0, 15):
        Y = np.column_stack([X, rng.normal(size=(1000, extra))])
        names = ["a", "b", "c", *(f"e{k}" for k in range(extra))]
        by_name = Knowledge(tiers=[["a"], ["b"]]).masks(names)
        by_index = knowledge_masks(3 + extra, tiers=[[0], [1]])
        for masks in (by_name, by_index):
            learned = learn(Moments.from_data(Y), noise="unequal", masks=masks, rng=0)
            edges = set(zip(learned.dag.source.tolist(), learned.dag.target.tolist(), strict=True))
            assert not {(1, 2), (2, 0)} <= edges
            order = learned.dag.order.tolist()
            assert order.index(0) < order.index(1)


def test_few_rows_limit_what_was_compared_and_that_is_said() -> None:
    W = erdos_renyi(6, 14, rng=3)
    moments = Moments.from_data(linear_sem(W, 16, rng=4))
    learned = learn(moments, noise="unequal", rng=0)
    assert learned.certificate.max_parents == 4
    said = "no other DAG with at most 4 parents a node has a better score"
    assert said in learned.message
    assert said in str(learned.certificate)
