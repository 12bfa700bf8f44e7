"""Groups of rows that nobody recorded: found where they are, and not where shapes are odd."""

from typing import Literal

import numpy as np
import pytest

from daglock import DAGLock
from daglock.confidence.groups import _two_groups, hidden_groups
from daglock.graph import WeightedDAG
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def graph(X: Array) -> WeightedDAG:
    return DAGLock("unequal", scores="raw", random_state=0).fit(X).learned_.dag


@pytest.mark.parametrize("noise", ["gaussian", "uniform", "laplace", "exponential", "gumbel"])
def test_none_where_noise_has_any_shape(
    noise: Literal["gaussian", "uniform", "laplace", "exponential", "gumbel"],
) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = linear_sem(erdos_renyi(6, 8, rng=rng), 500, noise=noise, rng=rng)
        assert hidden_groups(X, graph(X)) == 0.0


@pytest.mark.parametrize("share", [0.15, 0.4])
def test_groups_are_found_with_their_share(share: float) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = linear_sem(erdos_renyi(6, 6, weights=(0.5, 1.0), rng=rng), 600, rng=rng)
        X[: int(600 * share)] += rng.choice([-2.5, 2.5], 6)
        assert hidden_groups(X, graph(X)) == pytest.approx(share, abs=0.05)


def test_codes_few_rows_and_copies_are_none() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    dag = graph(X)
    assert hidden_groups(np.sign(X), dag) == 0.0
    assert hidden_groups(X[:20], dag) == 0.0
    assert hidden_groups(np.column_stack([X[:, 0]] * 3), dag) == 0.0


def test_the_gain_is_that_of_the_likelihood() -> None:
    """Against the densities themselves, at the mixture that the last step ends with."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    X[:120] += [2.0, 1.5, -1.0]
    X -= X.mean(axis=0)
    values, vectors = np.linalg.eigh(X.T @ X / 400)
    Z = X @ (vectors / np.sqrt(values))
    gain, p = _two_groups(Z, np.linalg.lstsq(Z, np.arange(400) < 120)[0])
    own = (np.arange(400) < 120).astype(float)
    for _ in range(300):  # the textbook's way
        share = own.mean()
        means = [(w @ Z) / w.sum() for w in (1 - own, own)]
        parts = [
            (Z - m).T @ ((Z - m) * w[:, None]) for m, w in zip(means, (1 - own, own), strict=True)
        ]
        within = sum(parts) / 400
        inverse, log_det = np.linalg.inv(within), np.linalg.slogdet(within)[1]
        logs = [
            np.log(q) - 0.5 * (np.einsum("ij,jk,ik->i", Z - m, inverse, Z - m) + log_det)
            for q, m in zip((1 - share, share), means, strict=True)
        ]
        own = 1 / (1 + np.exp(logs[0] - logs[1]))
    best = np.logaddexp(*logs).sum() + 0.5 * (Z**2).sum()
    assert gain == pytest.approx(best, abs=0.05)
    assert p == pytest.approx(own.mean(), abs=0.01)
