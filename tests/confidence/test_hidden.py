"""Hidden causes: fits against other arithmetic, what is found, what is not, what follows."""

from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import daglock
from daglock import DAGLock, Knowledge
from daglock.confidence import Confidence
from daglock.confidence.hidden import (
    HiddenCause,
    correlated_errors,
    hidden_causes,
    one_factor,
)
from daglock.confidence.words import about_fit
from daglock.criteria.price import default_gamma, edge_cost
from daglock.graph import WeightedDAG
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array, Seed

ENOUGH = 1e-12


def covariance(d: int, seed: int, n: int = 400) -> Array:
    rng = np.random.default_rng(seed)
    return np.cov((rng.standard_normal((n, d)) @ rng.standard_normal((d, d))).T, bias=True)


def found(X: Array, W: Array) -> list[HiddenCause]:
    n, d = X.shape
    price = n * edge_cost(n, d, default_gamma(n, d)) / 2
    return hidden_causes(np.cov(X.T, bias=True), n, price, WeightedDAG.from_matrix(W))


def with_hidden_cause(n: int = 2000, rng: Seed = 0) -> Array:
    """p → a ← hidden → b ← q, in the order p, q, a, b, and two columns more that a and b act on."""
    rng = np.random.default_rng(rng)
    p, q, hidden, *noise = rng.standard_normal((7, n))
    a, b = p + hidden + noise[0], q + hidden + noise[1]
    return np.column_stack([p, q, a, b, a + noise[2], b + noise[3]])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("P", [[[2, 3], [3, 4]], [[2], []], [[2, 3, 4], [2, 3, 4]], [[], []]])
def test_two_columns_with_correlated_errors_by_maximum_likelihood(
    seed: int, P: list[list[int]]
) -> None:
    S = covariance(5, seed)
    sizes = [len(Q) for Q in P]

    def fit(w: Array) -> float:
        B = np.eye(5)[:2]
        B[0, P[0]], B[1, P[1]] = -w[: sizes[0]], -w[sizes[0] :]
        return float(np.linalg.slogdet(B @ S @ B.T)[1])

    best = min(
        float(minimize(fit, start, options={"gtol": 1e-10}).fun) if sum(sizes) else fit(start)
        for start in np.random.default_rng(0).standard_normal((5, sum(sizes)))
    )
    omega, _ = correlated_errors(S, [0, 1], P, ENOUGH)
    assert np.linalg.slogdet(omega)[1] == pytest.approx(best, abs=1e-6)


def test_what_a_parent_explains_is_what_leaving_it_out_costs() -> None:
    S = covariance(4, 1)
    omega, explained = correlated_errors(S, [0], [[1, 2, 3]], ENOUGH)
    for c, left in enumerate(([2, 3], [1, 3], [1, 2])):
        fewer, _ = correlated_errors(S, [0], [left], ENOUGH)
        assert fewer[0, 0] - omega[0, 0] == pytest.approx(explained[0][c])


@pytest.mark.parametrize("m", [4, 6])
def test_one_factor_by_maximum_likelihood(m: int) -> None:
    rng = np.random.default_rng(m)
    X = np.outer(rng.standard_normal(300), np.linspace(0.5, 2.0, m)) + rng.standard_normal((300, m))
    S = np.cov(X.T, bias=True)

    def misfit(w: Array) -> float:
        C = np.outer(w[:m], w[:m]) + np.diag(np.exp(w[m:]))
        return float(np.linalg.slogdet(C)[1] + np.trace(np.linalg.solve(C, S)) - m)

    start = np.concatenate([np.ones(m), np.zeros(m)])
    assert one_factor(S, ENOUGH) == pytest.approx(minimize(misfit, start).fun, abs=1e-5)
    exact = np.outer(np.ones(m), np.ones(m)) + np.eye(m)
    assert one_factor(exact, ENOUGH) == pytest.approx(np.linalg.slogdet(exact)[1], abs=1e-8)


def test_a_hidden_cause_of_two_and_the_link_that_cancels() -> None:
    X = with_hidden_cause()[:, :4]
    W = np.zeros((4, 4))
    W[[0, 0, 1, 2], [2, 3, 3, 3]] = 1.0
    (one,) = found(X, W)
    assert one.columns == (2, 3)
    assert one.unneeded == ((0, 3),)
    assert sorted(one.pairs()) == [(0, 3), (2, 3)]
    n, price = len(X), len(X) * edge_cost(len(X), 4, default_gamma(len(X), 4)) / 2
    assert price - 3.0 < one.gain <= price + 1.0  # what the unneeded link costs, but for the fit
    # the gain, by regressions: errors given the parents that are left
    S = np.cov(X.T, bias=True)
    omega, _ = correlated_errors(S, [2, 3], [[0], [1]], ENOUGH)
    b, _ = correlated_errors(S, [3], [[0, 1, 2]], ENOUGH)
    a, _ = correlated_errors(S, [2], [[0]], ENOUGH)
    fit = n / 2 * (np.log(a[0, 0]) + np.log(b[0, 0]) - np.linalg.slogdet(omega)[1])
    assert one.gain == pytest.approx(fit + price, abs=1e-2)


def test_a_hidden_cause_of_many() -> None:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1000, 1)) + rng.standard_normal((1000, 5))
    (one,) = found(X, np.triu(np.ones((5, 5)), 1))
    assert one.columns == (0, 1, 2, 3, 4)
    assert one.gain > 10


def test_arrows_that_are_right_are_left_alone() -> None:
    alarms = links = 0
    for seed in range(40):
        W = np.asarray(erdos_renyi(20, 30, weights=(0.5, 1.0), rng=seed))
        X = linear_sem(W, 1000, noise_variances=np.linspace(0.5, 2, 20), rng=seed)
        alarms += len({pair for one in found(X, W) for pair in one.pairs()})
        links += 30
    assert alarms < 0.03 * links


@pytest.mark.parametrize("seed", range(4))
def test_the_order_and_the_scale_of_columns_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = with_hidden_cause(rng=seed)
    W = np.zeros((6, 6))
    W[[0, 0, 1, 2, 2, 3], [2, 3, 3, 3, 4, 5]] = 1.0
    order = rng.permutation(6)
    plain = found(X, W)
    other = found((X * rng.uniform(0.1, 10, 6))[:, order], W[np.ix_(order, order)])
    assert plain
    renumbered = [tuple(sorted(order[k] for k in one.columns)) for one in other]
    assert renumbered == [one.columns for one in plain]
    np.testing.assert_allclose([a.gain for a in other], [a.gain for a in plain], atol=1e-2)


def test_where_a_pair_is_the_same_model_as_an_arrow_larger_sets_are_tried() -> None:
    """Four columns with one hidden cause, in all orders: the gain of two of them is nothing."""
    X = np.random.default_rng(4).standard_normal((1000, 4))
    X += np.random.default_rng(5).standard_normal((1000, 1))
    for order in permutations(range(4)):
        (one,) = found(X[:, order], np.triu(np.ones((4, 4)), 1))
        assert one.columns == (0, 1, 2, 3)
        assert one.gain > 5


def test_sets_that_share_columns_are_alternatives() -> None:
    """Three hubs act on all others, which follow each other: no cause is hidden."""
    rng, d = np.random.default_rng(0), 20
    W = np.zeros((d, d))
    W[:3, 3:] = rng.uniform(0.3, 0.7, (3, d - 3))
    W[[0, 0, 1], [1, 2, 2]] = 0.5
    W[np.arange(3, d - 1), np.arange(4, d)] = 0.3
    X = linear_sem(W, 1000, noise_variances=rng.uniform(0.5, 2.0, d), rng=1)
    taken = found(X, W)
    for one, other in combinations(taken, 2):
        assert len({*one.columns} & {*other.columns}) < 2
    assert len({pair for one in taken for pair in one.pairs()}) < 0.25 * np.count_nonzero(W)


def test_errors_of_three_that_no_single_cause_has() -> None:
    """Three columns that all correlate negatively: no one factor does that."""
    R = np.full((3, 3), -0.4) + 1.4 * np.eye(3)
    assert one_factor(R, ENOUGH) > np.linalg.slogdet(R)[1] + 0.1


def test_many_parents_and_many_columns_take_no_time() -> None:
    X = np.random.default_rng(0).standard_normal((400, 60))
    W = np.zeros((60, 60))
    W[:59, 59] = 1.0
    W[np.arange(0, 58, 2), np.arange(1, 59, 2)] = 1.0
    assert found(X, W) == []  # nobody looks at a column with so many parents


def test_pairs_are_found_also_where_no_larger_set_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = with_hidden_cause()[:, :4]
    W = np.zeros((4, 4))
    W[[0, 0, 1, 2], [2, 3, 3, 3]] = 1.0
    monkeypatch.setattr("daglock.confidence.hidden.MOST_SETS", 0)
    assert [one.columns for one in found(X, W)] == [(2, 3)]


NAMES = ("p", "q", "a", "b", "c", "e")


def model(knowledge: Knowledge | None = None) -> DAGLock:
    frame = pd.DataFrame(with_hidden_cause(), columns=list(NAMES))
    return DAGLock(random_state=0, knowledge=knowledge).fit(frame)


def place(sure: Confidence, *ends: str) -> int:
    """Where a pair is."""
    pairs = [{sure.names[i], sure.names[j]} for i, j in zip(sure.source, sure.target, strict=True)]
    return pairs.index(set(ends))


def test_no_direction_is_claimed_and_the_link_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = model()
    drawn = fitted.bootstrap(30, rng=0, progress=False)
    sure = fitted.assess(bootstrap=drawn)
    k = place(sure, "a", "b")
    assert sure.in_graph[k]
    assert sure.hidden[k] > 1
    assert sure.claims.claims[k] == "open"
    assert sure.direction[k] == 0.5
    assert ("hidden cause", 0.5) in [said[:2] for said in sure.said(k)]
    assert "Common causes that are not in the table would explain" in about_fit(sure)
    assert "hidden cause" in set(fitted.opinions_["evidence"])
    others = sure.hidden == 0
    assert others[place(sure, "a", "c")]
    monkeypatch.setattr(DAGLock, "_hidden_causes", lambda self: [])
    plain = fitted.assess(bootstrap=drawn)
    assert plain.link[place(plain, "a", "b")] > sure.link[k]
    assert plain.link[place(plain, "a", "c")] == sure.link[place(sure, "a", "c")]
    assert "not in the table" not in about_fit(plain)


def test_knowledge_is_believed_all_the_same() -> None:
    sure = model(Knowledge(tiers=[["p", "q", "a"], ["b"]])).assess(20)
    k = place(sure, "a", "b")
    assert sure.direction[k] == 1.0
    assert sure.claims.claims[k] == "directed"
    assert sure.hidden[k] == 0


def test_an_effect_along_such_a_link_says_so() -> None:
    fitted = model()
    fitted.assess(20)
    dag, names = fitted.learned_.dag, fitted.names_
    ways = [(names[i], names[j]) for i, j in zip(dag.source, dag.target, strict=True)]
    along = next(way for way in ways if {*way} == {"a", "b"})
    assert "Causes that are not in the table would explain" in str(fitted.effect(*along, n=5))
    other = next(way for way in ways if {*way} == {"a", "c"})
    assert "not in the table" not in str(fitted.effect(*other, n=5))


def test_it_is_kept_with_the_model(tmp_path: Path) -> None:
    fitted = model()
    sure = fitted.assess(20)
    fitted.save(tmp_path / "model.npz")
    again = daglock.load(tmp_path / "model.npz").confidence_
    assert [*again["claim"]] == [*sure.table()["claim"]]
    kept = daglock.load(tmp_path / "model.npz").assess(20, X=with_hidden_cause())
    np.testing.assert_allclose(kept.hidden, sure.hidden, atol=1e-6)


def test_nobody_looks_where_nearly_all_are_linked() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 1)) + rng.standard_normal((500, 9))
    assert not DAGLock(random_state=0).fit(X).assess(10).hidden.any()
