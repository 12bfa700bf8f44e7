"""What changes in which regime, given the parents."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from daglock.regimes import Changes, Regimes
from daglock.typing import Array, BoolArray, IntArray

NONE = np.empty(0, dtype=np.intp)
FIRST = np.array([0])


def two_columns(
    seed: int, shift: float = 0.0, slope: float = 1.0, scale: float = 1.0
) -> tuple[Array, IntArray]:
    """x1 = x0 + noise in four regimes, of which the third has another mechanism of x1."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2, 3], 150)
    third = labels == 2
    x = rng.normal(size=600)
    e = rng.normal(size=600) * np.where(third, scale, 1.0)
    return np.column_stack([x, np.where(third, shift + slope * x, x) + e]), labels


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ({"shift": 2.0}, ("intercept",)),
        ({"scale": 3.0}, ("variance",)),
        ({"slope": -1.0}, ("coefficients",)),
        ({"shift": 3.0, "scale": 0.3}, ("intercept", "variance")),
        ({"slope": 0.0, "scale": 0.2}, ("coefficients", "variance")),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_what_was_changed_is_named(how: dict[str, float], what: tuple[str, ...], seed: int) -> None:
    changes = Changes.of(Regimes.from_labelled(*two_columns(seed, **how)))
    assert [(one.column, one.regime, one.what) for one in changes.table([NONE, FIRST])] == [
        ("x1", "2", what)
    ]


def cost_by_hand(X: Array, labels: IntArray, j: int, P: IntArray, changed: BoolArray) -> float:
    """−2 log-likelihood of regressions by least squares on the rows, up to a constant."""
    X = (X - X.mean(axis=0)) / np.sqrt(np.diag(Regimes.from_labelled(X, labels).cov))
    groups = [~np.isin(labels, np.flatnonzero(changed))]
    groups += [labels == g for g in np.flatnonzero(changed)]
    total = 0.0
    for own in groups:
        A = np.column_stack([np.ones(own.sum()), X[own][:, P]])
        left = X[own, j] - A @ np.linalg.lstsq(A, X[own, j], rcond=None)[0]
        total += own.sum() * np.log(np.mean(left**2))
    return float(total)


@pytest.mark.parametrize("seed", range(6))
def test_the_cost_is_that_of_regressions_and_no_other_choice_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, labels = two_columns(seed, shift=rng.normal(), slope=rng.normal())
    changes = Changes.of(Regimes.from_labelled(X, labels))
    found = changes.mechanism(1, FIRST)
    price = changes.price_of(3)
    assert found.cost == pytest.approx(
        cost_by_hand(X, labels, 1, FIRST, found.changed) + price * found.changed.sum(), rel=1e-9
    )
    for flags in product([False, True], repeat=4):
        changed = np.array(flags)
        if not changed.all():
            other = cost_by_hand(X, labels, 1, FIRST, changed) + price * changed.sum()
            assert found.cost <= other + 1e-6


def test_where_nothing_changes_nothing_is_found() -> None:
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(100):
        X, labels = rng.normal(size=(500, 5)), np.repeat(np.arange(5), 100)
        parents = [NONE, NONE, FIRST, np.array([0, 1]), np.array([0, 1, 2])]
        false += int(Changes.of(Regimes.from_labelled(X, labels)).changed(parents).any())
    assert false <= 4  # one is expected


def test_a_regime_of_few_rows_has_no_mechanism_of_its_own() -> None:
    X, labels = two_columns(0, shift=50.0)
    some = (labels != 2) | (np.arange(600) % 50 == 0)
    changes = Changes.of(Regimes.from_labelled(X[some], labels[some]))
    assert not changes.mechanism(1, FIRST).changed[2]
