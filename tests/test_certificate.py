"""A certificate is true for what the engine returns, and false for everything else."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from daglock.criteria.criterion import gradient_residual
from daglock.engine import learn
from daglock.engine.certificate import Certificate
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.settings import SETTINGS
from daglock.simulate import erdos_renyi, linear_sem

# Search over orders, however few the variables.
SEARCH = replace(SETTINGS, max_exact=0)


def moments_of(seed: int, n: int = 300, d: int = 7, edges: int = 10) -> Moments:
    W = erdos_renyi(d, edges, rng=seed)
    return Moments.from_data(linear_sem(W, n, rng=seed + 1))


@cache
def learned(noise: str) -> tuple[Certificate, Moments]:
    moments = moments_of(3)
    return learn(moments, noise=noise, settings=SEARCH, n_restarts=2).certificate, moments


NOISES = pytest.mark.parametrize("noise", ["equal", "unequal"])


@NOISES
def test_what_the_engine_returns_is_verified(noise: str) -> None:
    certificate, moments = learned(noise)
    assert certificate.dag.n_edges >= 8
    assert certificate.is_dag
    assert certificate.verify(moments)
    assert certificate.locally_optimal
    assert certificate.kkt_residual < 1e-12


@NOISES
def test_score_and_weights_by_lstsq_on_the_rows(noise: str) -> None:
    W = erdos_renyi(6, 8, rng=5)
    X = linear_sem(W, 200, rng=6)
    certificate = learn(
        Moments.from_data(X), noise=noise, settings=SEARCH, n_restarts=2
    ).certificate
    Y = X - X.mean(axis=0)
    parents, weights = certificate.dag.parents, certificate.dag.by_target(certificate.dag.weight)
    rss = np.empty(6)
    for j, P in enumerate(parents):
        b = np.linalg.lstsq(Y[:, P], Y[:, j])[0]
        rss[j] = np.mean((Y[:, j] - Y[:, P] @ b) ** 2)
        np.testing.assert_allclose(weights[j], b, rtol=1e-8)
    fit = 6 * np.log(rss.mean()) if noise == "equal" else np.log(rss).sum()
    expected = fit + certificate.edge_cost * certificate.dag.n_edges
    assert certificate.score == pytest.approx(expected, rel=1e-10)


def changes(certificate: Certificate) -> dict[str, dict[str, Any]]:
    """Ways to be wrong, by the fields of the certificate or of its graph."""
    c, dag = certificate, certificate.dag
    d, m = dag.d, dag.n_edges
    present = set(zip(dag.source.tolist(), dag.target.tolist(), strict=True))
    position = dag.position
    i, j = next(
        (i, j)
        for i in range(d)
        for j in range(d)
        if position[i] < position[j] and (i, j) not in present
    )

    def with_edge(weight: float) -> dict[str, Any]:
        place = int(np.searchsorted(dag.target * d + dag.source, j * d + i))
        new = {"source": i, "target": j, "weight": weight, "oriented": True}
        return {name: np.insert(getattr(dag, name), place, value) for name, value in new.items()}

    cases: dict[str, dict[str, Any]] = {
        "an edge more": with_edge(0.1),
        "an edge more, of weight zero": with_edge(0.0),
        "score too good": {"score": c.score - 1e-4},
        "score too bad": {"score": c.score + 1e-4},
        "score is NaN": {"score": np.nan},
        "score is infinite": {"score": -np.inf},
        "price": {"edge_cost": c.edge_cost * 1.01},
        "noise": {"noise": "equal" if c.noise == "unequal" else "unequal"},
        "KKT residual": {"kkt_residual": 0.1},
        "KKT residual is NaN": {"kkt_residual": np.nan},
    }
    reverse = np.lexsort((dag.target, dag.source))
    cases["all edges reversed"] = {
        "source": dag.target[reverse],
        "target": dag.source[reverse],
        "weight": dag.weight[reverse],
        "order": dag.order[::-1],
    }
    for e in range(m):
        kept = np.arange(m) != e
        parts = ("source", "target", "weight", "oriented")
        cases[f"without edge {e}"] = {name: getattr(dag, name)[kept] for name in parts}
        for name, value in {"off": 1.001 * dag.weight[e], "zero": 0.0, "NaN": np.nan}.items():
            cases[f"weight {e} is {name}"] = {"weight": np.where(kept, dag.weight, value)}
    return cases


def changed(certificate: Certificate, change: dict[str, Any]) -> Certificate:
    """Put values into a certificate, or into a graph of its own."""
    of_graph = {f.name for f in fields(WeightedDAG)} & change.keys()
    if not of_graph:
        return replace(certificate, **change)
    return replace(certificate, dag=replace(certificate.dag, **change))


@NOISES
def test_nothing_that_was_changed_is_verified(noise: str) -> None:
    certificate, moments = learned(noise)
    cases = changes(certificate)
    wrong = [name for name, change in cases.items() if changed(certificate, change).verify(moments)]
    assert wrong == []


@NOISES
def test_other_moments_are_refused(noise: str) -> None:
    certificate, moments = learned(noise)
    cov, zero = moments.cov, np.zeros(moments.d)
    assert certificate.verify(Moments.from_covariance(cov, moments.n))
    assert not certificate.verify(moments_of(4))
    assert not certificate.verify(moments_of(3, d=8))
    assert not certificate.verify(Moments(1.01 * cov, moments.n, zero))
    swap = np.r_[1, 0, 2 : moments.d]
    assert not certificate.verify(Moments(cov[np.ix_(swap, swap)], moments.n, zero))


def test_another_topological_order_proves_the_same() -> None:
    moments = Moments.from_covariance(np.diag([1.0, 2.0, 3.0]), 100)
    certificate = learn(moments, noise="unequal").certificate
    assert not certificate.dag.n_edges
    for order in ([0, 1, 2], [2, 1, 0], [1, 2, 0]):
        dag = replace(certificate.dag, order=np.array(order))
        assert replace(certificate, dag=dag).verify(moments)
    assert not replace(certificate, score=certificate.score + 1e-4).verify(moments)


def test_the_residual_is_the_gradient_in_units_of_deviations() -> None:
    moments = moments_of(1)
    S, d = moments.cov, moments.d
    W = np.triu(np.random.default_rng(0).normal(size=(d, d)), 1)
    gradient = S @ (W - np.eye(d))
    deviation = np.sqrt(np.diag(S))
    scaled = np.abs(gradient) / np.outer(deviation, deviation)
    expected = scaled[np.nonzero(W)].max()
    assert gradient_residual(S, WeightedDAG.from_matrix(W)) == pytest.approx(expected)
    assert gradient_residual(S, WeightedDAG.from_matrix(np.zeros((d, d)))) == 0.0


def test_a_line_for_a_person() -> None:
    certificate, _ = learned("equal")
    text = str(certificate)
    assert f"{certificate.dag.n_edges} edges on 7 nodes" in text
    assert "a DAG, by its order" in text
    assert "no move of a single node that was tried improves the score" in text
    assert "moves were left to try" in str(replace(certificate, locally_optimal=False))


def test_a_graph_that_was_turned_behind_its_back_is_called_so() -> None:
    certificate, moments = learned("equal")
    dag = pickle.loads(pickle.dumps(certificate.dag))  # nothing is checked on this way
    dag.order[:] = dag.order[::-1]
    cyclic = replace(certificate, dag=dag)
    assert not cyclic.is_dag
    assert not cyclic.verify(moments)
    assert "NOT a DAG" in str(cyclic)


@NOISES
def test_a_graph_that_is_not_the_best_is_not_verified_as_such(noise: str) -> None:
    """Another graph with weights, score and residual of its own: all true but that it is best."""
    moments = moments_of(3, d=6, edges=8)
    best = learn(moments, noise=noise, rng=0)
    assert best.certificate.optimal
    assert best.certificate.verify(moments)
    for e in range(best.dag.n_edges):
        allowed = ~np.eye(6, dtype=np.bool_)
        allowed[best.dag.source[e], best.dag.target[e]] = allowed[
            best.dag.target[e], best.dag.source[e]
        ] = False
        other = learn(moments, noise=noise, masks=Masks(allowed), rng=0).certificate
        assert other.optimal
        assert other.verify(moments)
        assert not replace(other, knowledge=Masks()).verify(moments)


def test_the_best_with_few_parents_is_not_the_best_of_all() -> None:
    W = np.zeros((6, 6))
    W[:5, 5] = 1.0
    variances = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1e-3])
    moments = Moments.from_data(linear_sem(W, 16, noise_variances=variances, rng=1))
    certificate = learn(moments, noise="unequal", ebic_gamma=0.0, rng=0).certificate
    assert certificate.max_parents == 4
    assert certificate.verify(moments)
    assert not replace(certificate, max_parents=5).verify(moments)


@NOISES
def test_what_is_known_is_looked_up(noise: str) -> None:
    certificate, moments = learned(noise)
    i, j = int(certificate.dag.source[0]), int(certificate.dag.target[0])
    d = moments.d
    only = np.zeros((d, d), dtype=np.bool_)
    only[i, j] = True
    assert replace(certificate, knowledge=Masks(required=only)).verify(moments)
    assert not replace(certificate, knowledge=Masks(allowed=~only)).verify(moments)
    assert not replace(certificate, knowledge=Masks(before=only.T)).verify(moments)
    joined = set(zip(certificate.dag.source.tolist(), certificate.dag.target.tolist(), strict=True))
    a, b = next((a, b) for a in range(d) for b in range(d) if a != b and (a, b) not in joined)
    missing = np.zeros((d, d), dtype=np.bool_)
    missing[a, b] = True
    assert not replace(certificate, knowledge=Masks(required=missing)).verify(moments)


def test_columns_that_determine_each_other() -> None:
    """Fifteen normal columns and five combinations of them: kept or dropped, it is verified."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(200, 15))
        X = np.column_stack([x, x @ rng.normal(size=(15, 5))])
        moments = Moments.from_data(X)
        for determined in ("drop", "keep"):
            found = learn(moments, determined=determined, settings=SEARCH, n_restarts=2)
            assert found.certificate.verify(moments), (seed, determined)
            assert len(found.aside) == (5 if determined == "drop" else 0)
