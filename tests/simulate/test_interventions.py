"""Regimes of a linear graph against the closed form, a (I - W)⁻¹ and (I - W)⁻ᵀ D (I - W)⁻¹."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from scipy import sparse

from daglock.errors import InvalidParameterError
from daglock.simulate import (
    NOISES,
    batch_sem,
    erdos_renyi,
    interventional_sem,
    linear_sem,
    population_mean,
)
from daglock.simulate.interventions import Intervention, Targets
from daglock.typing import Array

KINDS = pytest.mark.parametrize("kind", get_args(Intervention))
D = 6
W = np.asarray(erdos_renyi(D, 9, rng=1))
VARIANCES = np.linspace(0.5, 2.0, D)
TARGETS: Targets = {"observed": [], "one": ["x2"], "two": [5, "x0"]}
HIT: dict[str, list[int]] = {"observed": [], "one": [2], "two": [0, 5]}


def closed_form(W: Array, intercepts: Array, variances: Array) -> tuple[Array, Array]:
    inverse = np.linalg.inv(np.eye(len(W)) - W)
    return intercepts @ inverse, inverse.T @ np.diag(variances) @ inverse


def assert_drawn_from(X: Array, mean: Array, covariance: Array) -> None:
    """Within five standard errors of the means, and as near in every entry of the covariance."""
    scale = np.sqrt(np.diag(covariance))
    assert (np.abs(X.mean(axis=0) - mean) / scale).max() < 5.0 / np.sqrt(len(X))
    apart = np.abs(np.cov(X.T) - covariance) / np.outer(scale, scale)
    assert apart.max() < 15.0 / np.sqrt(len(X))


@pytest.mark.parametrize("noise", NOISES)
def test_a_perfect_intervention_cuts_the_parents_and_sets_mean_and_variance(noise: Any) -> None:
    sample = interventional_sem(
        W, 100_000, TARGETS, mean=-3.0, variance=0.25, noise=noise, noise_variances=VARIANCES, rng=0
    )
    assert sample.names == tuple(f"x{j}" for j in range(D))
    assert sample.targets == {"observed": (), "one": ("x2",), "two": ("x0", "x5")}
    for label, nodes in HIT.items():
        cut, intercepts, variances = W.copy(), np.zeros(D), VARIANCES.copy()
        cut[:, nodes], intercepts[nodes], variances[nodes] = 0.0, -3.0, 0.25
        mean, covariance = closed_form(cut, intercepts, variances)
        X = sample.data[sample.labels == label]
        assert_drawn_from(X, mean, covariance)
        equations = sample.equations[label]
        np.testing.assert_array_equal(equations.W.toarray(), cut)
        np.testing.assert_allclose(equations.mean, mean, atol=1e-12)
        np.testing.assert_allclose(equations.covariance, covariance, atol=1e-12)
        for j in nodes:  # nothing that does not come after it tells anything of it
            others = np.flatnonzero(np.linalg.inv(np.eye(D) - cut)[j] == 0.0)
            correlations = np.corrcoef(X.T)[j, others]
            assert np.abs(correlations).max() < 0.02


def test_an_imperfect_intervention_keeps_the_parents_and_changes_their_weights() -> None:
    sample = interventional_sem(
        W, 200_000, TARGETS, kind="imperfect", strength=0.8, noise_variances=VARIANCES, rng=0
    )
    for label, nodes in HIT.items():
        equations = sample.equations[label]
        now, others = equations.W.toarray(), np.setdiff1d(np.arange(D), nodes)
        np.testing.assert_array_equal(now[:, others], W[:, others])
        np.testing.assert_array_equal(equations.noise_variances[others], VARIANCES[others])
        np.testing.assert_array_equal(now != 0, W != 0)
        np.testing.assert_array_equal(equations.intercepts, np.zeros(D))
        into = W[:, nodes] != 0
        ratios = [*(now[:, nodes][into] / W[:, nodes][into])]
        ratios += [*(equations.noise_variances[nodes] / VARIANCES[nodes])]
        sizes = np.abs(np.log(ratios))
        assert ((sizes >= 0.4 - 1e-12) & (sizes <= 0.8 + 1e-12)).all()
        mean, covariance = closed_form(now, np.zeros(D), equations.noise_variances)
        assert_drawn_from(sample.data[sample.labels == label], mean, covariance)


def test_a_shift_moves_the_targets_and_what_comes_after_them() -> None:
    sample = interventional_sem(
        W, 200_000, TARGETS, kind="shift", strength=4.0, noise_variances=VARIANCES, rng=0
    )
    for label, nodes in HIT.items():
        equations = sample.equations[label]
        np.testing.assert_array_equal(np.flatnonzero(equations.intercepts), nodes)
        sizes = np.abs(equations.intercepts[nodes]) / np.sqrt(VARIANCES[nodes])
        assert ((sizes >= 2.0) & (sizes <= 4.0)).all()
        np.testing.assert_array_equal(equations.W.toarray(), W)
        mean, covariance = closed_form(W, equations.intercepts, VARIANCES)
        assert_drawn_from(sample.data[sample.labels == label], mean, covariance)


def test_what_changes_has_either_sign() -> None:
    targets = {f"r{k}": [0] for k in range(40)}
    kinds: list[Intervention] = ["imperfect", "shift"]
    for kind in kinds:
        sample = interventional_sem(np.zeros((1, 1)), 1, targets, kind=kind, rng=0)
        changed = [
            e.intercepts[0] + np.log(e.noise_variances[0]) for e in sample.equations.values()
        ]
        assert 8 < np.sum(np.array(changed) > 0) < 32


def test_a_batch_moves_every_column_and_leaves_the_covariance() -> None:
    sample = batch_sem(W, 50_000, 4, strength=2.0, noise_variances=VARIANCES, rng=3)
    still = batch_sem(W, 50_000, 4, strength=0.0, noise_variances=VARIANCES, rng=3)
    covariance = closed_form(W, np.zeros(D), VARIANCES)[1]
    assert sample.targets == {f"batch{k}": () for k in range(1, 5)}
    moved = []
    for label, equations in sample.equations.items():
        rows = sample.labels == label
        assert_drawn_from(sample.data[rows], equations.mean, covariance)
        assert_drawn_from(still.data[rows], np.zeros(D), covariance)
        # the same draws but for what the batch adds
        added = sample.data[rows] - still.data[rows]
        np.testing.assert_allclose(added, np.tile(equations.mean, (len(added), 1)), atol=1e-10)
        moved.append(equations.mean / np.sqrt(np.diag(covariance)))
    assert (np.abs(moved) > 0).all()
    assert 1.0 < np.std(moved) < 3.0


@KINDS
def test_the_same_seed_gives_the_same_bytes_and_other_labels_change_nothing(kind: Any) -> None:
    original = W.copy()
    first = interventional_sem(W, 30, TARGETS, kind=kind, rng=5)
    again = interventional_sem(sparse.csc_matrix(W), 30, TARGETS, kind=kind, rng=5)
    by_rng = interventional_sem(W, 30, TARGETS, kind=kind, rng=np.random.default_rng(5))
    assert first.data.tobytes() == again.data.tobytes() == by_rng.data.tobytes()
    assert (
        first.data.tobytes() != interventional_sem(W, 30, TARGETS, kind=kind, rng=6).data.tobytes()
    )
    np.testing.assert_array_equal(W, original)
    fewer = interventional_sem(W, 30, {"observed": [], "one": ["x2"]}, kind=kind, rng=5)
    np.testing.assert_array_equal(fewer.data, first.data[:60])


def test_rows_by_label_and_names() -> None:
    counts = {"two": 5, "observed": 20, "one": 7}
    names = [f"gene{j}" for j in range(D)]
    targets: Targets = {"observed": [], "one": ["gene2"], "two": [0, 5, 5]}
    sample = interventional_sem(W, counts, targets, names=names, rng=0)
    assert sample.data.shape == (32, D)
    assert sample.labels.tolist() == ["observed"] * 20 + ["one"] * 7 + ["two"] * 5
    assert sample.targets["two"] == ("gene0", "gene5")
    assert sample.names == tuple(names)


def test_intercepts_move_the_means() -> None:
    a = np.linspace(-2.0, 3.0, D)
    X = linear_sem(W, 50, rng=4, intercepts=a)
    np.testing.assert_allclose(
        X - linear_sem(W, 50, rng=4), np.tile(population_mean(W, a), (50, 1))
    )
    np.testing.assert_allclose(population_mean(W, a), closed_form(W, a, VARIANCES)[0], atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"targets": {"a": ["x7"], "b": [9]}},
            r"no variable: 'x7' \('a'\), 9 \('b'\); there are x0",
        ),
        ({"targets": {"a": [True]}}, "no variable: True"),
        ({"targets": {"a": [-1]}}, "no variable: -1"),
        ({"targets": {"a": "x0"}}, "targets of 'a' must be a list of variables; got 'x0'"),
        ({"targets": {}}, "targets must give for each regime"),
        ({"targets": ["x0"]}, "targets must give for each regime"),
        ({"targets": {1: ["x0"]}}, "label of a regime must be a text; got 1"),
        ({"kind": "hard"}, "kind must be one of perfect, imperfect, shift, not 'hard'"),
        ({"variance": 0.0}, "variance must be a number > 0"),
        ({"mean": np.inf}, "mean must be a number"),
        ({"strength": -1.0}, "strength must be a number >= 0"),
        ({"n_samples": 0}, "n_samples must be a whole number >= 1"),
        ({"n_samples": {"a": 3, "c": 1}}, "same labels; b, c"),
        ({"n_samples": {"a": 3, "b": 0}}, "n_samples of 'b' must be a whole number >= 1"),
        ({"names": ["a", "a"]}, "2 different names"),
        ({"names": "ab"}, "2 different names"),
        ({"noise": "cauchy"}, "noise must be one of"),
        ({"noise_variances": [1.0, 0.0]}, "noise_variances must be positive and finite"),
    ],
)
def test_what_is_wrong_is_named(arguments: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"n_samples": 5, "targets": {"a": [], "b": [0]}, **arguments}
    with pytest.raises(InvalidParameterError, match=said) as caught:
        interventional_sem(np.zeros((2, 2)), **given)
    assert str(caught.value).count(". ") == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n_batches": 0}, "n_batches must be a whole number >= 1"),
        ({"strength": np.nan}, "strength must be a number >= 0"),
        ({"n_samples": {"batch1": 2}, "n_batches": 2}, "same labels; batch2"),
    ],
)
def test_what_is_wrong_with_batches_is_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        batch_sem(np.zeros((2, 2)), **{"n_samples": 5, **arguments})
