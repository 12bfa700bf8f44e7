"""Parents that act together: what a surface of them costs, and what is learned from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from daglock import DAGLock, load
from daglock.criteria.curved import Curved, fit_curves
from daglock.curves import Curves, curve_residuals
from daglock.engine import learn
from daglock.errors import DataWarning
from daglock.estimator.curving import left_of
from daglock.knowledge import Masks
from daglock.surfaces import (
    BLOCK,
    SIGNAL,
    Surfaces,
    all_surface_costs,
    surface_costs,
    surface_residuals,
)
from daglock.typing import Array, IntArray
from tests.search.exact import all_dags

NAMES = ("heat", "dose", "diet", "level", "pain")
DIET, LEVEL, PAIN = 2, 3, 4
EDGES = {("heat", "level"), ("dose", "level"), ("diet", "level"), ("level", "pain")}


def table(seed: int = 0, n: int = 400) -> pd.DataFrame:
    """Causes that act together, one of them in no other way, and a curve behind that."""
    rng = np.random.default_rng(seed)
    heat, dose, diet, *noise = rng.standard_normal((5, n))
    level = np.cos(1.5 * heat) + np.cos(1.5 * dose) + 0.5 * noise[0]
    level += 1.5 * np.tanh(2.0 * heat) * (np.tanh(2.0 * dose) + np.tanh(2.0 * diet))
    pain = 2.0 * np.cos(level) + 0.5 * noise[1]
    return pd.DataFrame(dict(zip(NAMES, (heat, dose, diet, level, pain), strict=True)))


def standardised(X: Array) -> Array:
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))


def covariance(Z: Array, P: IntArray, width: float) -> Array:
    """Of the rows of one block, row by row, in units of the noise."""
    n = len(Z)
    found = np.eye(n)
    for a in range(n):
        for b in range(n):
            found[a, b] += SIGNAL * np.exp(-((Z[a, P] - Z[b, P]) ** 2).sum() / (2 * width**2))
    return found


def by_density(X: Array, P: IntArray, j: int, width: float) -> float:
    """Cost of a node by the density of a Gaussian, less that of the noise alone."""
    Z, n = standardised(X), len(X)
    count = -(-n // BLOCK)
    dealt = Z[np.argsort(Z.sum(axis=1))]
    blocks = [(dealt[b::count, j], covariance(dealt[b::count], P, width)) for b in range(count)]
    variance = sum(y @ np.linalg.solve(A, y) for y, A in blocks) / n
    log = sum(multivariate_normal.logpdf(y, cov=variance * A) for y, A in blocks)
    alone = multivariate_normal.logpdf(Z[:, j], cov=1.0).sum()
    return float(-2.0 * (log - alone) / n - len(P) * np.log(n) / n)


@pytest.fixture(scope="module")
def model() -> DAGLock:
    return DAGLock(curved=True).fit(table())


def edges_of(model: DAGLock) -> set[tuple[str, str]]:
    return {edge[:2] for edge in model.named_edges()}


def kept_of(model: DAGLock) -> tuple[Curves, Surfaces]:
    kept = model.moments_
    assert isinstance(kept, Curves)
    assert kept.surfaces is not None
    return kept, kept.surfaces


@pytest.mark.parametrize("n", [60, 110])
def test_a_node_costs_what_the_density_says(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one block of rows, and in two, which have one noise variance."""
    monkeypatch.setattr("daglock.surfaces.BLOCK", 60)
    monkeypatch.setattr("tests.test_surfaces.BLOCK", 60)
    X = table(n=n).to_numpy()
    every = all_surface_costs(X, 1.4)
    parents = [np.array(P, dtype=np.intp) for P in ([1, 2], [3], [0, 4], [0, 1, 2], [3, 1])]
    some = surface_costs(X, parents, np.arange(5), 1.4)
    for j, P in enumerate(parents):
        own = by_density(X, P, j, 1.4)
        assert some[j] == pytest.approx(own, abs=1e-9)
        assert every[(1 << P).sum(), j] == pytest.approx(own, abs=1e-9)
    np.testing.assert_allclose(every[0], 0.0, atol=1e-12)


def test_residuals_are_those_of_each_row_given_the_others() -> None:
    X, P, j = table(n=40).to_numpy(), np.array([0, 1]), LEVEL
    Z = standardised(X)
    A, left = covariance(Z, P, 1.0), surface_residuals(X, P, j, 1.0)
    for a in range(40):
        rest = np.arange(40) != a
        b = np.linalg.solve(A[np.ix_(rest, rest)], A[rest, a])
        error = Z[a, j] - b @ Z[rest, j]
        assert left[a] == pytest.approx(error / np.sqrt(A[a, a] - b @ A[rest, a]))


def test_causes_that_act_together_are_found(model: DAGLock) -> None:
    """One of them has no curve of its own, and is missed without surfaces."""
    kept, _ = kept_of(model)
    assert edges_of(model) == EDGES
    alone = learn(replace(kept, surfaces=None)).dag
    found = {(NAMES[i], NAMES[j]) for i, j in zip(alone.source, alone.target, strict=True)}
    assert found == EDGES - {("diet", "level")}
    assert "The causes of level act together, in no sum." in model.about_curves()
    assert model.certificate_.optimal
    assert model.explained()[LEVEL] > 0.5
    curves = model.curves_.set_index(["source", "target"])
    assert (curves.gain > 0).all()
    assert curves.bend["diet", "level"] == pytest.approx(
        curves.explained["diet", "level"], abs=0.01
    )
    assert model.edges_.weight.between(0, 1).all()


def test_sums_of_curves_have_no_surfaces() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    X[:, 4] += np.sin(2.0 * X[:, 0]) * 2.0 + X[:, 1] ** 2 + np.cos(2.0 * X[:, 2]) * 2.0
    kept = fit_curves(X)
    assert isinstance(kept, Curves)
    assert kept.surfaces is None


def test_a_node_costs_what_is_less(model: DAGLock) -> None:
    kept, surfaces = kept_of(model)
    curves = np.log(Curved(replace(kept, surfaces=None)).sets(4, Masks()).rss)
    alone = all_surface_costs(table().to_numpy(), surfaces.width)
    Curved(kept).sets(4, Masks())  # uses nothing up
    for U in range(32):
        for j in np.flatnonzero(U >> np.arange(5) & 1 == 0).tolist():
            assert surfaces.cost[U, j] == pytest.approx(min(curves[U, j], alone[U, j]))
    np.testing.assert_allclose(np.log(Curved(kept).sets(4, Masks()).rss), surfaces.cost)
    together = Curved(kept).together(model.learned_.dag.parents)
    assert np.flatnonzero(together).tolist() == [LEVEL]
    P = model.learned_.dag.parents[LEVEL]
    U = (1 << P).sum()
    assert together[LEVEL] == pytest.approx(curves[U, LEVEL] - alone[U, LEVEL])


def test_no_dag_of_four_is_better_than_the_one_found(model: DAGLock) -> None:
    """By going through all 543 of them."""
    kept = kept_of(model)[0].select([4, 3, 2, 0])
    learned = learn(kept)
    criterion, cost = Curved(kept), learned.certificate.edge_cost
    scores = []
    for sets in all_dags(4).tolist():
        parents = [np.flatnonzero(U >> np.arange(4) & 1) for U in sets]
        rss = criterion.residuals(parents)
        scores.append(criterion.score(rss, sum(map(len, parents)), cost))
    assert learned.certificate.score == pytest.approx(min(scores), abs=1e-9)
    assert learned.certificate.verify(kept)


def test_gains_are_differences_of_costs(model: DAGLock) -> None:
    _, surfaces = kept_of(model)
    parents = [np.empty(0, dtype=np.intp)] * 5
    parents[LEVEL] = np.array([0, 1])
    gains = surfaces.gains_of_edges(parents, np.array([0, 1]), np.array([LEVEL, LEVEL]))
    cost, own = surfaces.cost[:, LEVEL], surfaces.cost[:, PAIN]
    np.testing.assert_allclose(gains, [cost[0b10] - cost[0b11], cost[0b01] - cost[0b11]])
    assert surfaces.of(parents)[LEVEL] == cost[0b11]
    allowed = np.zeros((5, 5), dtype=np.bool_)
    allowed[:3, LEVEL] = allowed[[1, 3], PAIN] = True
    largest = surfaces.largest_gains(parents, allowed, 3)
    expected = [0.0, 0.0, 0.0, cost[0b11] - cost[0b111], own[0] - min(own[0b10], own[0b1000])]
    np.testing.assert_allclose(largest, expected)
    assert surfaces.largest_gains(parents, allowed, 2)[LEVEL] == 0.0


def test_some_columns_cost_what_they_did(model: DAGLock) -> None:
    kept, surfaces = kept_of(model)
    some = kept.select([2, 0, 1]).surfaces
    assert some is not None
    assert some.cost[0b110, 0] == surfaces.cost[0b0011, DIET]
    assert some.cost[0b001, 2] == surfaces.cost[0b0100, 1]


def test_the_order_of_columns_and_their_units_do_not_matter(model: DAGLock) -> None:
    X = (table() * [1000.0, 1.0, 0.01, 5.0, -3.0] + 7.0)[list(reversed(NAMES))]
    again = DAGLock(curved=True).fit(X)
    assert edges_of(again) == EDGES
    assert again.certificate_.score == pytest.approx(model.certificate_.score, abs=1e-9)


@pytest.mark.parametrize("file", ["model.npz", "model.json"])
def test_a_saved_model_is_the_same(model: DAGLock, tmp_path: Path, file: str) -> None:
    model.save(tmp_path / file)
    again = load(tmp_path / file)
    pd.testing.assert_frame_equal(again.edges_, model.edges_)
    pd.testing.assert_frame_equal(again.curves_, model.curves_)
    np.testing.assert_array_equal(kept_of(again)[1].cost, kept_of(model)[1].cost)
    assert kept_of(again)[1].width == kept_of(model)[1].width


def test_surfaces_of_other_columns_are_refused(model: DAGLock) -> None:
    from daglock.estimator.keeping import from_parts, to_parts

    record, arrays = to_parts(model.moments_)
    with pytest.raises(ValueError, match="surfaces"):
        from_parts(record, {**arrays, "surfaces": arrays["surfaces"][:8]})


def test_a_certificate_does_not_verify_other_surfaces(model: DAGLock) -> None:
    proof, (kept, surfaces) = model.certificate_, kept_of(model)
    assert proof.verify(kept)
    assert not proof.verify(replace(kept, surfaces=None))
    dearer = surfaces.cost.copy()
    dearer[0b00111, LEVEL] += 1e-3  # more than was paid for the graph
    assert not proof.verify(replace(kept, surfaces=replace(surfaces, cost=dearer)))
    better = surfaces.cost.copy()
    better[0b10000, 0] -= 9.0  # a better graph than this one
    assert not proof.verify(replace(kept, surfaces=replace(surfaces, cost=better)))
    above = replace(kept, surfaces=replace(surfaces, cost=surfaces.cost + 0.1))
    assert not replace(proof, score=proof.score + 0.5).verify(above)  # more than curves cost
    assert not replace(proof, score=proof.score - 1e-3).verify(kept)
    weaker = replace(proof.dag, weight=proof.dag.weight * 0.9)
    assert not replace(proof, dag=weaker).verify(kept)


def test_knowledge_holds(model: DAGLock) -> None:
    kept, _ = kept_of(model)
    allowed = np.ones((5, 5), dtype=np.bool_)
    allowed[DIET, LEVEL] = False
    known = learn(kept, masks=Masks(allowed=allowed))
    assert (DIET, LEVEL) not in zip(known.dag.source, known.dag.target, strict=True)
    assert known.certificate.score > model.certificate_.score
    assert known.certificate.verify(kept)


def test_replicates_are_of_curves(model: DAGLock) -> None:
    """A row that is drawn twice would be its own nearest neighbour."""
    again = model._keep_rows()(table().to_numpy(), None).moments
    assert isinstance(again, Curves)
    assert again.surfaces is None


def test_what_is_left_is_what_surfaces_leave(model: DAGLock) -> None:
    X, (kept, surfaces) = table().to_numpy(), kept_of(model)
    parents = model.learned_.dag.parents
    left, curves = left_of(X, kept, parents), curve_residuals(X, kept, parents)
    others = np.arange(5) != LEVEL
    np.testing.assert_array_equal(left[:, others], curves[:, others])
    own = surface_residuals(X, parents[LEVEL], LEVEL, surfaces.width)
    np.testing.assert_array_equal(left[:, LEVEL], own)


def test_no_direction_is_claimed_where_noise_is_not_gaussian() -> None:
    X = table(n=600)
    X["level"] += np.random.default_rng(1).standard_exponential(600)
    with pytest.warns(DataWarning, match="What curves leave of level is not Gaussian"):
        noisy = DAGLock(curved=True, scores="raw").fit(X[["heat", "dose", "diet", "level"]])
    assert Curved(kept_of(noisy)[0]).together(noisy.learned_.dag.parents)[LEVEL] > 0
    assert not any(edge.identified_by for edge in noisy.named_edges())


def test_large_tables_have_no_surfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sets times blocks of rows would be too many."""
    X = table().to_numpy()
    monkeypatch.setattr("daglock.surfaces.MOST", 32)
    assert getattr(fit_curves(X), "surfaces", None) is not None
    monkeypatch.setattr("daglock.surfaces.BLOCK", 399)
    beyond = fit_curves(X)
    assert isinstance(beyond, Curves)
    assert beyond.surfaces is None


def test_the_order_of_rows_and_columns_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daglock.surfaces.BLOCK", 50)
    X = table(3, 120).to_numpy()
    rows, columns = np.random.default_rng(0).permutation(120), np.array([2, 0, 4, 1, 3])
    plain = Surfaces(1.0, all_surface_costs(X, 1.0)).select(columns).cost
    other = all_surface_costs(X[rows][:, columns], 1.0)
    inside = np.arange(32)[:, None] >> np.arange(5) & 1 == 1
    np.testing.assert_allclose(other[~inside], plain[~inside], atol=1e-10)
    P = np.array([0, 1, 2])
    left = surface_residuals(X, P, LEVEL, 1.0)
    np.testing.assert_allclose(surface_residuals(X[rows], P, LEVEL, 1.0), left[rows], atol=1e-9)


def test_with_a_time_limit_nobody_looks() -> None:
    hurried = DAGLock(curved=True, time_limit=60.0).fit(table())
    assert isinstance(hurried.moments_, Curves)
    assert hurried.moments_.surfaces is None
