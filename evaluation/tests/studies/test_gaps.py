"""The study of gaps: they are of the kind and the number that it says."""

from __future__ import annotations

import numpy as np
import pytest

from daglock.gaps import effective_rows
from daglock_evaluation.studies.gaps import FORMULAS, gains_by_chance, with_gaps


@pytest.mark.parametrize("kind", ["mcar", "mar", "half", "uneven", "drop"])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_gaps_have_their_share(kind: str, share: float) -> None:
    X = np.random.default_rng(0).normal(size=(4000, 20))
    before = X.copy()
    missing = np.isnan(with_gaps(X, kind, share, seed=1))
    np.testing.assert_array_equal(X, before)
    assert missing.mean() == pytest.approx(share, abs=0.02)
    complete = (~missing).all(axis=0).sum()
    assert complete == {"mar": 4, "half": 10, "drop": 1}.get(kind, complete)


def test_gaps_at_random_depend_on_complete_columns() -> None:
    X = np.random.default_rng(0).normal(size=(4000, 10))
    Y = with_gaps(X, "mar", 0.2, seed=1)
    missing = np.isnan(Y)
    complete = np.flatnonzero(~missing.any(axis=0))
    j = int(np.flatnonzero(missing.any(axis=0))[0])
    differences = [X[missing[:, j], k].mean() - X[~missing[:, j], k].mean() for k in complete]
    assert max(differences) > 0.4
    assert abs(X[missing[:, j], j].mean()) < 0.1


def test_gains_of_absent_edges_vanish_where_they_are_known_to() -> None:
    W = np.zeros((4, 4))
    W[0, 1], W[1, 2], W[0, 3], W[2, 3] = 1.0, -0.5, 0.7, 1.5
    T = np.linalg.inv(np.eye(4) - W)
    assert gains_by_chance(T.T @ T, W) == pytest.approx(0.0, abs=1e-12)
    assert gains_by_chance(T.T @ T, np.triu(np.ones((4, 4)), 1) * 0) > 1.0


def test_the_formula_in_use_is_among_those_that_were_tried() -> None:
    assert effective_rows in FORMULAS.values()
    there = np.random.default_rng(0).random((500, 6)) > 0.3
    rows = {name: formula(there) for name, formula in FORMULAS.items()}
    assert rows["all rows"] == 500
    assert rows["quadratic, s"] < rows["quadratic, √s"] < rows["harmonic"] < rows["mean of pairs"]
