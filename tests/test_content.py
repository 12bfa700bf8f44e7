"""Whatever is decided from rows does not depend on how they are sorted."""

import numpy as np

from daglock.content import content_orders
from daglock.gaps import fit_gaussian
from daglock.table.scores import find_misleading, normal_scores
from daglock.table.table import Table
from daglock.typing import Array, IntArray


def shuffled(X: Array, seed: int) -> tuple[Array, IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    return X[np.ix_(rows, columns)], rows, columns


def test_orders_hang_on_what_is_there_alone() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(1, 6, size=(300, 8)).astype(np.float64)  # rows that are others, turned around
    X[rng.random(X.shape) < 0.05] = np.nan
    first = X[np.ix_(*content_orders(X))]
    for seed in range(5):
        Y = 3.0 - 0.1 * shuffled(-X, seed)[0]
        np.testing.assert_allclose(Y[np.ix_(*content_orders(Y))], 3.0 + 0.1 * first)


def test_halves_are_as_good_as_random() -> None:
    X = np.sort(np.random.default_rng(0).normal(size=(2000, 3)), axis=0)  # sorted by all columns
    order = content_orders(X)[0]
    assert abs(X[order[::2]].mean() - X[order[1::2]].mean()) < 0.1
    assert abs(np.corrcoef(order[1:], order[:-1])[0, 1]) < 0.1


def test_which_columns_mislead_does_not_hang_on_the_order_of_rows() -> None:
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(200, 4))
        x[:, 1:] += 0.7 * x[:, :1]
        X = np.column_stack([x[:, 0], np.exp(0.5 * x[:, 1]), np.sinh(0.8 * x[:, 2]), x[:, 3] ** 3])
        own = set(find_misleading(Table(X, tuple("abcd"))))
        for k in range(4):
            Y, _, columns = shuffled(X, k)
            other = find_misleading(Table(Y, tuple("abcd"[j] for j in columns)))
            assert {int(columns[j]) for j in other} == own
        found.append(len(own))
    assert len(set(found)) > 1  # not all tables are clear


def test_values_that_are_missing_are_filled_in_the_same_way() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 50)) @ rng.normal(size=(50, 50))  # hardly more rows than columns
    X[rng.random(X.shape) < 0.05] = np.nan
    one = fit_gaussian(X).cov
    for seed in range(3):
        Y, _, columns = shuffled(X, seed)
        np.testing.assert_allclose(fit_gaussian(Y).cov, one[np.ix_(columns, columns)], rtol=1e-11)


def test_scores_are_the_same_to_the_last_bit() -> None:
    x = np.random.default_rng(0).normal(size=1001)
    order = np.random.default_rng(1).permutation(1001)
    assert (normal_scores(x)[order] == normal_scores(x[order])).all()
