"""The assumptions of the paper's theorem against the Hessian of the loss, written out."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from daglock.diagnostics import Assumptions, evaluate_assumptions
from daglock.diagnostics.assumptions import regress_all
from daglock.graph import edge_list, topological_order
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.search.regression import least_squares
from daglock.simulate import erdos_renyi, linear_sem, population_covariance
from daglock.typing import Array


def fitted(W: Array, S: Array) -> Array:
    """Least-squares weights on the edges of W."""
    fit = np.zeros_like(W)
    for j in range(len(W)):
        P = np.flatnonzero(W[:, j])
        fit[P, j] = least_squares(S, P, j)
    return fit


def evaluate(W: Array, moments: Moments, standardise: bool = False) -> Assumptions:
    order = topological_order(W)
    found = evaluate_assumptions(moments, *edge_list(W), order, standardise=standardise)
    assert found is not None
    return found


def index(names: tuple[str, ...], d: int) -> list[int]:
    return [[f"x{j}" for j in range(d)].index(name) for name in names]


@pytest.mark.parametrize("standardise", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_whole_hessian(seed: int, standardise: bool) -> None:
    d = 7
    rng = np.random.default_rng(seed)
    truth = erdos_renyi(d, 11, rng=seed)
    moments = Moments.from_data(linear_sem(truth, 200, rng=rng) * np.exp(rng.normal(size=d)))
    W = fitted(truth, moments.cov)
    found = evaluate(W, moments, standardise)
    deviation = np.sqrt(np.diag(moments.cov)) if standardise else np.ones(d)
    S = moments.cov / np.outer(deviation, deviation)
    W = W * deviation[:, None] / deviation
    # entries of W column by column: the Hessian of L is I ⊗ S
    H = np.kron(np.eye(d), S)
    edges = (W != 0).ravel(order="F")
    free = ~np.eye(d, dtype=bool).ravel(order="F")
    kappa = np.linalg.eigvalsh(H[np.ix_(edges, edges)])[0]
    assert found.kappa == pytest.approx(kappa)
    B = np.abs(H[np.ix_(~edges & free, edges)] @ np.linalg.inv(H[np.ix_(edges, edges)]))
    assert found.gamma == pytest.approx(1.0 - np.linalg.norm(B, np.inf))
    rank = np.argsort(topological_order(W))
    earlier = (rank[:, None] < rank[None, :]).ravel(order="F")
    before = B.sum(axis=1)[earlier[~edges & free]]
    assert found.gamma_before == pytest.approx(1.0 - before.max())
    _, grad = LeastSquares(Moments.from_covariance(S, moments.n)).value_and_grad(W)
    force = np.where((W == 0) & ~np.eye(d, dtype=bool), np.abs(grad), 0.0)
    assert found.force == pytest.approx(force.max())
    i, j = index(found.force_edge, d)
    assert force[i, j] == pytest.approx(force.max())
    i, j = index(found.weakest_edge, d)
    assert found.weakest == pytest.approx(abs(W[i, j]))
    assert found.weakest == pytest.approx(np.abs(W[W != 0]).min())
    (j,) = index((found.kappa_node,), d)
    P = np.flatnonzero(W[:, j])
    assert np.linalg.eigvalsh(S[np.ix_(P, P)])[0] == pytest.approx(kappa)
    i, j = index(found.gamma_pair, d)
    P = np.flatnonzero(W[:, j])
    assert i not in (*P, j)
    row = np.abs(np.linalg.solve(S[np.ix_(P, P)], S[P, i])).sum()
    assert found.gamma == pytest.approx(1.0 - row)


@pytest.mark.parametrize("seed", range(10))
def test_in_the_population_no_graph_meets_them(seed: int) -> None:
    """Proposition 5 of docs/theory.md."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(8, int(rng.integers(1, 20)), rng=seed)
    S = population_covariance(W, rng.uniform(0.1, 3.0, 8))
    found = evaluate(W, Moments.from_covariance(S, n=1000))
    assert found.curved
    assert found.force >= 4.0 * found.largest_lam * (1 - 1e-9)
    assert not found.feasible


def test_a_sample_can_meet_them_by_chance() -> None:
    """A weight that the data do not support pulls on nothing else."""
    moments = Moments.from_covariance(np.eye(3), n=10)
    found = evaluate(np.array([[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), moments)
    assert found.force == 0.0
    assert found.feasible
    assert found.largest_lam == 0.125


def test_parents_that_determine_each_other() -> None:
    x = np.random.default_rng(0).normal(size=(100, 3))
    table = np.column_stack([x[:, 0], 2.0 * x[:, 0], x[:, 0] + x[:, 1], x[:, 2]])
    W = np.zeros((4, 4))
    W[0, 2] = W[1, 2] = 0.5
    found = evaluate(W, Moments.from_data(table))
    assert (found.curved, found.irrepresentable, found.gamma) == (False, False, None)
    assert found.kappa == pytest.approx(0.0, abs=1e-12)
    assert regress_all(Moments.from_data(table).cov, np.array([0, 1])) is None


def test_small_units_are_not_singular() -> None:
    x = np.random.default_rng(0).normal(size=(100, 4)) * [1e-9, 1.0, 1e9, 1.0]
    W = np.zeros((4, 4))
    W[0, 3] = W[1, 3] = W[2, 3] = 1.0
    found = evaluate(W, Moments.from_data(x))
    assert found.curved
    assert found.gamma == 1.0  # nobody is left to be represented
    assert found.gamma_before == 1.0


def test_one_parent_of_two_columns() -> None:
    """0 → 1, 0 → 2: 2 on the parent of 1 has slope w_02, and the order decides who counts."""
    W = np.array([[0.0, 0.5, 2.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    moments = Moments.from_covariance(population_covariance(W), n=100)
    edges = edge_list(W)
    first = evaluate_assumptions(moments, *edges, np.array([0, 1, 2]))
    second = evaluate_assumptions(moments, *edges, np.array([0, 2, 1]))
    assert first is not None
    assert second is not None
    assert first.gamma == second.gamma == pytest.approx(-1.0)
    assert first.gamma_pair == ("x2", "x1")
    assert first.gamma_before == pytest.approx(0.5)
    assert second.gamma_before == pytest.approx(-1.0)
    assert not first.irrepresentable


def test_no_edge_nothing_to_evaluate() -> None:
    none = np.empty(0, dtype=np.intp)
    moments = Moments.from_covariance(np.eye(3), n=10)
    assert evaluate_assumptions(moments, none, none, np.empty(0), np.arange(3)) is None


def test_all_of_it_is_json() -> None:
    W = erdos_renyi(6, 8, rng=0)
    found = evaluate(W, Moments.from_data(linear_sem(W, 100, rng=1)))
    values = json.loads(json.dumps(asdict(found), allow_nan=False))
    assert values.keys() == vars(found).keys()
    assert (values["kappa"], values["gamma_pair"]) == (found.kappa, list(found.gamma_pair))
