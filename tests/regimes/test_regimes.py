"""What is kept of regimes: parts, moments within them, covariances of groups of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from daglock.errors import InvalidDataError
from daglock.moments import Moments
from daglock.regimes import Group, Part, Regimes
from daglock.typing import Array, IntArray


def rows(seed: int, n: int = 60, d: int = 4) -> tuple[Array, IntArray]:
    """Rows of three regimes with means and scales of their own."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n).astype(np.intp)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 3.0, size=(3, d))[labels]
    return X @ rng.normal(size=(d, d)) + rng.normal(size=(3, d))[labels] * 20.0, labels


def scatter(X: Array) -> Array:
    """Sum of squares and products around the mean."""
    Z = X - X.mean(axis=0)
    return np.asarray(Z.T @ Z)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 9, 40])
def test_a_part_has_the_scatter_of_its_rows_and_no_more_rows_than_columns(n: int) -> None:
    X = rows(n)[0][:n]
    part = Part.of(X)
    np.testing.assert_allclose(part.scatter, scatter(X), atol=1e-9)
    np.testing.assert_allclose(part.mean, X.mean(axis=0))
    assert len(part.factor) <= max(n if n <= 4 else 4, 1)


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_parts_merge_to_the_part_of_all_rows(cut: int) -> None:
    X = rows(0)[0]
    both = Part.of(X[:cut]).merge(Part.of(X[cut:]))
    np.testing.assert_allclose(both.scatter, scatter(X), rtol=1e-10)
    np.testing.assert_allclose(both.mean, X.mean(axis=0))
    assert both.n == len(X)


def test_a_value_that_was_held_has_no_scatter_whatever_its_size() -> None:
    X = rows(0)[0]
    X[:, 1] = 0.1 + 1e6
    for n in (3, 60):
        part = Part.of(X[:n])
        assert not part.factor[:, 1].any()
        assert part.mean[1] == X[0, 1]


def test_means_of_regimes_do_not_enter() -> None:
    X, labels = rows(1)
    kept = Regimes.from_labelled(X, labels)
    expected = sum(scatter(X[labels == g]) for g in range(3)) / (len(X) - 2)
    np.testing.assert_allclose(kept.cov, expected)
    assert (kept.n, kept.n_rows) == (len(X) - 2, len(X))
    shifted = X + 1e3 * np.random.default_rng(0).normal(size=(3, 4))[labels]
    np.testing.assert_allclose(Regimes.from_labelled(shifted, labels).cov, kept.cov, rtol=1e-9)


def test_one_regime_is_the_moments_of_the_table() -> None:
    X, _ = rows(2)
    kept, plain = Regimes.from_labelled(X, np.zeros(len(X))), Moments.from_data(X)
    np.testing.assert_allclose(kept.cov, plain.cov)
    np.testing.assert_allclose(kept.means, plain.means)
    assert (kept.n, kept.n_rows) == (plain.n, plain.n_rows)


def test_pieces_in_any_order_give_the_same() -> None:
    X, labels = rows(3)
    whole = Regimes.from_labelled(X, labels)
    pieces = [(X[40:], labels[40:]), (X[:3], labels[:3]), (X[3:40], labels[3:40])]
    streamed = Regimes.from_labelled_chunks(pieces)
    half = Regimes.from_labelled(X[:30], labels[:30])
    merged = half.merge(Regimes.from_labelled(X[30:], labels[30:]))
    for other in (streamed, merged):
        np.testing.assert_allclose(other.cov, whole.cov, rtol=1e-12)
        np.testing.assert_allclose(other.means, whole.means, rtol=1e-12)
        assert isinstance(other, Regimes)
        assert (other.regimes, other.n) == (whole.regimes, whole.n)


def test_labels_are_sorted_as_numbers() -> None:
    X, _ = rows(4)
    assert Regimes.from_labelled(X, np.repeat([10, 9, 2], 20)).regimes == ("2", "9", "10")


GROUPS = [
    Group((0, 1, 2)),
    Group((1,)),
    Group((0, 2)),
    Group((0, 2), (0, 2)),
    Group((0, 1, 2), (0, 2)),
]


def test_what_does_not_vary_has_no_part_in_a_factor() -> None:
    """Nor is it what rounding leaves where the scatter has no Cholesky factor."""
    X = np.random.default_rng(0).standard_normal((50, 6))
    X[:, 2], X[:, 5] = 1.5, X[:, 0] + X[:, 1]
    scatter = 50 * np.cov(X.T, bias=True)
    scatter[2] = scatter[:, 2] = 0.0
    part = Part.from_scatter(50, X.mean(axis=0), scatter)
    assert not part.factor[:, 2].any()
    np.testing.assert_allclose(part.scatter, scatter, atol=1e-9)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("seed", range(3))
def test_the_covariance_of_a_group_is_that_of_its_rows(group: Group, seed: int) -> None:
    """Around the mean of each regime, or a common one of those that share an intercept."""
    X, labels = rows(seed)
    kept = Regimes.from_labelled(X, labels)
    total = sum((scatter(X[labels == g]) for g in group.members if g not in group.shared), 0.0)
    if group.shared:
        total = total + scatter(X[np.isin(labels, group.shared)])
    n = np.isin(labels, group.members).sum() - group.n_intercepts + 1
    assert kept.rows_of(group) == n
    np.testing.assert_allclose(kept.covariance(group), total / n, rtol=1e-9, atol=1e-12)
    context, some = kept.context(group), np.array([2, 0])
    np.testing.assert_allclose(
        context.among(kept.cov, some), kept.covariance(group)[np.ix_(some, some)], rtol=1e-12
    )
    np.testing.assert_allclose(context.variances(kept.cov), np.diag(kept.covariance(group)))


def test_little_that_is_left_is_added_up_and_not_what_is_left_of_much() -> None:
    """In one regime values are 10⁸ times as large: nothing must be left of them in the others."""
    X, labels = rows(5)
    X[labels == 1] *= 1e8
    kept = Regimes.from_labelled(X, labels)
    expected = scatter(X[labels == 0]) + scatter(X[labels == 2])
    group = Group((0, 2))
    assert kept.context(group).base == 0.0
    np.testing.assert_allclose(kept.covariance(group) * kept.rows_of(group), expected, rtol=1e-9)


def test_selecting_and_scaling_columns_go_with_the_regimes() -> None:
    X, labels = rows(6)
    changed = np.zeros((3, 4), dtype=np.bool_)
    changed[1, 2] = True
    kept = replace(Regimes.from_labelled(X, labels, ["a", "b", "c", "d"]), changed=changed)
    some = kept.select([2, 0])
    assert some.changed is not None
    assert some.changed.tolist() == [[False, False], [True, False], [False, False]]
    group = some.groups(0)[0]
    assert group == kept.groups(2)[0]
    np.testing.assert_allclose(
        some.covariance(group), kept.covariance(group)[np.ix_([2, 0], [2, 0])]
    )
    scaled, deviation = kept.standardised(), np.sqrt(np.diag(kept.cov))
    np.testing.assert_allclose(
        scaled.covariance(group), kept.covariance(group) / np.outer(deviation, deviation)
    )
    only = kept.only(np.array([0, 2]))
    assert only.regimes == ("0", "2")
    np.testing.assert_allclose(only.cov, kept.covariance(Group((0, 2))))


def test_rows_drawn_from_what_is_kept_have_its_means_and_covariances() -> None:
    X, _ = rows(7, n=60)
    kept = Regimes.from_labelled(np.tile(X, (400, 1)), np.repeat([0, 1], 12_000))
    drawn = kept.redraw(np.random.default_rng(0))
    near = 0.05 * np.sqrt(np.outer(np.diag(kept.cov), np.diag(kept.cov)))
    assert (np.abs(drawn.cov - kept.cov) < near).all()
    for part, again in zip(kept.parts, drawn.parts, strict=True):
        assert (np.abs(part.mean - again.mean) < 0.05 * np.sqrt(np.diag(kept.cov))).all()


def test_what_does_not_vary_within_a_regime_is_refused() -> None:
    X, labels = rows(8)
    X[:, 1] = labels
    with pytest.raises(InvalidDataError, match="do not vary; remove them: column 1"):
        Regimes.from_labelled(X, labels)
    with pytest.raises(InvalidDataError, match="At least one regime must have two rows"):
        Regimes.from_labelled(X[:2], [0, 1])
