"""Ties: the canonical order follows the variables, whatever the columns, rows and last bits."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.ties import TIE, canonical_order, is_better, ranks
from daglock.typing import Array


def tied_tables() -> dict[str, Array]:
    """Tables whose columns are hard to tell apart."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 5))
    ring = np.eye(6) + 0.3 * (np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1))
    return {
        "copies": np.column_stack([x, x[:, 0], -2.0 * x[:, 1], x[:, 0]]),
        "zeros and ones": (rng.random((12, 8)) < 0.5).astype(float),
        "a ring": rng.normal(size=(50, 6)) @ np.linalg.cholesky(ring).T,
        "ordinary": x,
    }


@pytest.mark.parametrize("case", tied_tables())
@pytest.mark.parametrize("seed", range(5))
def test_names_come_in_one_order_whatever_the_columns_and_rows(case: str, seed: int) -> None:
    X = tied_tables()[case]
    rng = np.random.default_rng(seed)
    names = [f"c{j}" for j in range(X.shape[1])]
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    mixed = [names[j] for j in columns]
    first = [names[j] for j in canonical_order(np.cov(X.T), names)]
    S = np.cov(X[rows][:, columns].T).astype(np.float64)
    S *= 1.0 + 1e-14 * rng.normal(size=S.shape)
    S = (np.triu(S) + np.triu(S, 1).T).astype(np.float64)
    assert [mixed[j] for j in canonical_order(S, mixed)] == first


def test_every_variable_once_even_where_all_are_alike() -> None:
    alike: list[Array] = [np.eye(300), np.full((7, 7), 0.5) + 0.5 * np.eye(7), np.ones((4, 4))]
    for matrix in alike:
        assert canonical_order(matrix).tolist() == list(range(len(matrix)))
    blocks = np.kron(np.eye(5), np.full((3, 3), 0.4) + 0.6 * np.eye(3)).astype(np.float64)
    assert sorted(canonical_order(blocks).tolist()) == list(range(15))


def test_the_scale_decides_only_where_nothing_else_does() -> None:
    S = np.diag([3.0, 1.0, 2.0])
    assert canonical_order(S).tolist() == [1, 2, 0]
    R = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.3], [0.0, 0.3, 1.0]])
    scale = np.array([1e-6, 1.0, 1e6])
    assert canonical_order(R * np.outer(scale, scale)).tolist() == canonical_order(R).tolist()


def test_covariances_that_cannot_be_squared_are_ordered_as_correlations() -> None:
    R = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.3], [0.0, 0.3, 1.0]])
    for scale in (np.array([1e100, 1e110, 1e12]), np.array([1e-100, 1e-12, 1e-110])):
        assert canonical_order(R * np.outer(scale, scale)).tolist() == canonical_order(R).tolist()


def test_ranks_join_what_has_no_gap() -> None:
    values = np.array([1.0, 1.0 + 0.5 * TIE, 1.0 + 0.9 * TIE, 2.0, 1e6, 1e6 * (1.0 + 0.5 * TIE)])
    assert ranks(values).tolist() == [0, 0, 0, 1, 2, 2]


def test_of_equal_scores_the_one_with_fewer_edges() -> None:
    assert is_better(-100.0, 9, -99.0, 3)
    assert not is_better(-99.0, 3, -100.0, 9)
    assert is_better(-100.0, 3, -100.0 - 1e-8, 4)
    assert not is_better(-100.0 - 1e-8, 4, -100.0, 4)
