"""Parents in contexts: kernels beside enumeration, rows that are looked up beside matrices."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from daglock.criteria import ByRegime, edge_cost
from daglock.engine import learn
from daglock.graph import is_dag
from daglock.knowledge import Masks
from daglock.regimes import Regimes
from daglock.search.contexts import ContextSpec, context_fit, context_row, make_context_work
from daglock.search.memo import PARENT
from daglock.search.node import settle
from daglock.search.parents import CANDIDATE
from daglock.settings import SETTINGS
from daglock.typing import IntArray
from tests.search.exact import all_dags

DAGS = [(masks >> np.arange(4)[:, None] & 1) != 0 for masks in all_dags(4)]  # [i, j]: i -> j
KINDS = pytest.mark.parametrize("kind", ["perfect", "imperfect", "shift", "found"])


def regimes(seed: int, kind: str, d: int = 4, n: int = 150) -> Regimes:
    """Three regimes with targets at random, on columns that depend on each other."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.7), 1)
    labels, changed = rng.integers(3, size=n), np.zeros((3, d), dtype=np.bool_)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2.0, size=(3, d))[labels]
    for g in (1, 2):
        changed[g, rng.choice(d, 2, replace=False)] = True
    for j in range(d):
        own = np.where(changed[labels, j], 0.0, 1.0)
        X[:, j] += own * (X @ W[:, j]) + 3.0 * rng.normal(size=3)[labels]
    kept = Regimes.from_labelled(X[:, rng.permutation(d)], labels)
    if kind == "found":
        return replace(kept, changed=changed, interventions="imperfect", common=True)
    return replace(kept, changed=changed, interventions=kind)


def spec_of(kept: Regimes, cost: float, masks: Masks | None = None) -> ContextSpec:
    return ByRegime(kept).context_spec(cost, kept.d - 1, masks or Masks())


def by_hand(kept: Regimes, u: int, P: IntArray) -> float:
    """Weighted logarithms of residual variances, and the price of further coefficients."""
    total = 0.0
    deviation = np.sqrt(np.diag(kept.cov))
    for c, group in enumerate(kept.groups(u)):
        S = kept.covariance(group) / np.outer(deviation, deviation)
        rss = S[u, u]
        if len(P):
            rss = rss - S[u, P] @ np.linalg.solve(S[np.ix_(P, P)], S[P, u])
        total += kept.rows_of(group) / kept.n * np.log(rss)
        total += np.log(kept.n) / kept.n * len(P) if c else 0.0
    return float(total)


@KINDS
@pytest.mark.parametrize("seed", range(10))
def test_grow_and_shrink_end_where_no_single_change_improves(seed: int, kind: str) -> None:
    kept = regimes(seed, kind, d=6)
    cost = 0.05
    spec = spec_of(kept, cost)
    work, out = make_context_work(spec), np.empty(6, dtype=np.uint8)
    for u in range(6):
        work.role[:] = CANDIDATE
        work.role[u] = 0
        score = settle(spec, work, u, out)
        P = np.flatnonzero(out == PARENT)
        assert score == pytest.approx(by_hand(kept, u, P) + cost * len(P), abs=1e-9)
        assert score == pytest.approx(
            context_fit(spec, u, P) + (cost + spec.extra[u]) * len(P), abs=1e-9
        )
        for i in set(range(6)) - {u}:
            other = np.setxor1d(P, [i])
            assert score <= by_hand(kept, u, other) + cost * len(other) + 1e-8
        assert spec.least[u] <= by_hand(kept, u, P) - spec.extra[u] * len(P) + 1e-9


def test_exchanges_can_be_left_out_where_a_node_has_one_context() -> None:
    better = 0
    for seed in range(10):
        spec = spec_of(regimes(seed, "perfect", d=8, n=60), 0.1)
        for u in range(8):
            scores = []
            for own in (spec, spec._replace(exchanges=False)):
                work = make_context_work(own)
                work.role[:] = CANDIDATE
                work.role[u] = 0
                scores.append(settle(own, work, u, np.empty(8, dtype=np.uint8)))
            assert scores[0] <= scores[1] + 1e-9
            better += scores[0] < scores[1] - 1e-9
    assert better > 0


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_are_looked_up_are_those_of_the_matrices(seed: int, kind: str) -> None:
    kept = regimes(seed, kind, d=5)
    model = ByRegime(kept)
    spec = model.context_spec(0.1, 4, Masks())
    work = make_context_work(spec)._replace(rows=np.empty((3, 5)))  # room for three of them
    for _ in range(2):
        for k, context in enumerate(model.contexts):
            matrix = context.covariance(model.matrix)
            for p in range(5):
                row = context_row(spec, work, k, p)
                np.testing.assert_allclose(row, matrix[p], rtol=1e-9, atol=1e-12)


@KINDS
@pytest.mark.parametrize("seed", range(8))
def test_no_dag_is_better_than_the_best_of_all_nor_than_the_search(seed: int, kind: str) -> None:
    kept = regimes(seed, kind)
    learned = learn(kept)
    cost = learned.certificate.edge_cost
    scale = np.log(np.diag(kept.cov))
    shares = [sum(kept.rows_of(g) for g in kept.groups(j)) / kept.n for j in range(kept.d)] @ scale
    least = min(
        sum(by_hand(kept, j, np.flatnonzero(A[:, j])) for j in range(4)) + cost * A.sum()
        for A in DAGS
    )
    assert learned.certificate.score == pytest.approx(least + shares, abs=1e-9)
    assert learned.certificate.optimal
    assert learned.certificate.verify(kept)
    assert not replace(learned.certificate, score=learned.certificate.score - 1e-4).verify(kept)
    assert not replace(learned.certificate, score=learned.certificate.score + 1e-4).verify(kept)
    searched = learn(
        kept, ebic_gamma=learned.ebic_gamma, settings=replace(SETTINGS, max_exact=0), start="order"
    )
    assert searched.certificate.score <= learned.certificate.score + 1e-9
    assert searched.certificate.verify(kept)


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_knowledge_is_obeyed_and_the_best_that_it_allows_is_found(seed: int, kind: str) -> None:
    kept = regimes(seed, kind)
    allowed = ~np.eye(4, dtype=np.bool_)
    allowed[0, 1] = allowed[2, 3] = False
    required = np.zeros((4, 4), dtype=np.bool_)
    required[3, 0] = True
    allowed[0, 3] = False
    masks = Masks(allowed, required, None)
    learned = learn(kept, masks=masks, ebic_gamma=0.0)
    cost = edge_cost(kept.n, 4, 0.0)
    dags = [A for A in DAGS if A[3, 0] and not (A & ~allowed).any()]
    scores = [
        sum(by_hand(kept, j, np.flatnonzero(A[:, j])) for j in range(4)) + cost * A.sum()
        for A in dags
    ]
    best = dags[int(np.argmin(scores))]
    found = learned.dag.adjacency().toarray() != 0
    own = sum(by_hand(kept, j, np.flatnonzero(found[:, j])) for j in range(4))
    assert own + cost * found.sum() == pytest.approx(min(scores), abs=1e-9)
    assert found[3, 0]
    assert not (found & ~allowed).any()
    assert is_dag(best.astype(float))


@pytest.mark.parametrize("kind", ["perfect", "imperfect", "shift"])
@pytest.mark.parametrize("seed", range(6))
def test_graphs_that_targets_do_not_tell_apart_have_one_score(seed: int, kind: str) -> None:
    """Same skeleton, same colliders, same edges between the targets of a regime and the rest."""
    kept = regimes(seed, kind)
    model = replace(kept, interventions=kind)
    assert model.changed is not None
    criterion = ByRegime(model).loosened()
    seen: dict[object, float] = {}
    for A in DAGS:
        parents = [np.flatnonzero(A[:, j]) for j in range(4)]
        score = criterion.fit(criterion.residuals(parents))
        skeleton = tuple(map(tuple, np.argwhere(np.triu(A | A.T))))
        colliders = frozenset(
            (a, j, b)
            for j, P in enumerate(parents)
            for a, b in combinations(P.tolist(), 2)
            if not (A[a, b] or A[b, a])
        )
        source, target = np.nonzero(A)
        cut = criterion.told_apart(source, target)
        told = frozenset(zip(source[cut].tolist(), target[cut].tolist(), strict=True))
        key = (skeleton, colliders, told)
        assert score == pytest.approx(seen.setdefault(key, score), abs=1e-9)
    assert len(set(np.round(list(seen.values()), 9))) > 0.9 * len(seen)
