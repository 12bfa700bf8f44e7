"""The shape of the noise inside the class: the likeliest member, silent on Gaussian noise."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from daglock import DAGLock, Knowledge, Moments
from daglock.engine import learn
from daglock.engine.learned import Learned
from daglock.engine.shaping import orient_by_shape
from daglock.errors import InvalidParameterError
from daglock.graph import dag_to_cpdag
from daglock.knowledge import Masks
from daglock.residuals import negentropy
from daglock.simulate import erdos_renyi, linear_sem
from daglock.simulate.sem import Noise
from daglock.typing import Array, BoolArray


def sample(noise: Noise, seed: int, d: int = 6, n: int = 600) -> tuple[Array, Array]:
    """A graph without colliders, so that its class is large, and rows of it."""
    rng = np.random.default_rng(seed)
    W = np.zeros((d, d))
    for j in range(1, d):
        W[rng.integers(j), j] = rng.choice([-1, 1]) * rng.uniform(0.6, 1.0)
    order = rng.permutation(d)
    W = W[np.ix_(order, order)]
    variances = rng.uniform(0.5, 2.0, d)
    return W, linear_sem(W, n, noise, variances, rng=seed)


def shaped(X: Array, masks: Masks | None = None) -> tuple[Learned, Learned]:
    """The graph before and after."""
    moments = Moments.from_data(X)
    learned = learn(moments, noise="unequal", masks=masks)
    return learned, orient_by_shape(learned, X, moments.cov, masks or Masks())


def likelihood(W: Array | BoolArray, X: Array) -> float:
    """Log-likelihood by the entropies of residuals, straight from the definition."""
    total = 0.0
    for j in range(W.shape[1]):
        P = np.flatnonzero(W[:, j])
        y = X[:, j] - X[:, j].mean()
        Z = X[:, P] - X[:, P].mean(axis=0)
        r = y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
        total += len(X) * (negentropy(r) - 0.5 * np.log(r.var()))
    return total


@pytest.mark.parametrize("noise", ["gumbel", "uniform", "laplace", "exponential"])
def test_finds_the_graph_that_variances_leave_open(noise: Noise) -> None:
    wrong = 0
    for seed in range(10):
        W, X = sample(noise, seed, n=1000)
        before, after = shaped(X)
        one, other = (dag_to_cpdag(dag.dag.to_sparse().toarray()) for dag in (before, after))
        np.testing.assert_array_equal(one, other)
        wrong += int(((after.dag.to_sparse().toarray() != 0) != (W != 0)).any())
        assert after.certificate.verify(Moments.from_data(X))
    assert wrong <= 1


def test_silent_on_gaussian_noise() -> None:
    edges = 0
    for seed in range(40):
        _, X = sample("gaussian", seed)
        before, after = shaped(X)
        edges += 0 if after.shaped is None else int(after.shaped.sum())
        if after.shaped is None:
            assert after is before
    assert edges <= 0.01 * 40 * 5


@pytest.mark.parametrize("seed", range(5))
def test_no_member_of_the_class_is_likelier(seed: int) -> None:
    """By going through all graphs that have the same skeleton and the same class."""
    _, X = sample("exponential", seed, d=5)
    _, after = shaped(X)
    found = after.dag.to_sparse().toarray() != 0
    links, cpdag = found | found.T, dag_to_cpdag(found.astype(float))
    best = max(
        likelihood(member, X)
        for order in permutations(range(5))
        if (dag_to_cpdag((member := _along(links, order)).astype(float)) == cpdag).all()
    )
    assert likelihood(found, X) == pytest.approx(best, abs=1e-6)


def _along(links: BoolArray, order: tuple[int, ...]) -> BoolArray:
    """The links as edges along an order."""
    place = np.argsort(order)
    return np.asarray(links & (place[:, None] < place[None, :]))


def test_knowledge_is_obeyed() -> None:
    W, X = sample("exponential", 0)
    i, j = (int(end[0]) for end in np.nonzero(W))
    known = Knowledge(forbidden=[(f"x{i}", f"x{j}")])
    model = DAGLock("unequal", knowledge=known).fit(X)
    assert model.weights_[i, j] == 0.0
    assert model.certificate_.is_dag


def test_tiers_are_obeyed_along_paths() -> None:
    """The truth is 0 -> 1 -> 2; that 2 comes before 0 leaves no way to have it."""
    rng = np.random.default_rng(0)
    x = rng.exponential(size=500)
    y = x + rng.exponential(size=500)
    z = y + rng.exponential(size=500)
    X = np.column_stack([x, y, z])
    model = DAGLock("unequal", knowledge=Knowledge(tiers=[["x2"], ["x0"]])).fit(X)
    effects = model.total_effects()
    assert effects[0, 2] == 0.0


def test_permuted_columns_give_the_permuted_graph() -> None:
    W = erdos_renyi(20, 20, rng=3)
    X = linear_sem(W, 400, "gumbel", np.linspace(0.5, 2.0, 20), rng=4)
    order = np.random.default_rng(0).permutation(20)
    first = DAGLock("unequal").fit(X)
    second = DAGLock("unequal").fit(X[:, order])
    np.testing.assert_allclose(second.weights_, first.weights_[np.ix_(order, order)], atol=1e-9)


def test_shape_must_be_one_of_two_words() -> None:
    with pytest.raises(InvalidParameterError, match="auto or ignore"):
        DAGLock(shape="yes").fit(np.zeros((10, 2)))
