from __future__ import annotations

import numpy as np
import pytest

from daglock.constraints import SAHOC, Exp, LogDet


def test_an_absent_reverse_edge_meets_a_force() -> None:
    # At a DAG the derivative from above of an entry that closes a cycle is positive for the
    # hybrid core; the quadratic cores exert none.
    W = np.array([[0.0, 0.9, 0.0], [0.0, 0.0, 0.9], [0.0, 0.0, 0.0]])
    grad = SAHOC(0.5).value_and_grad(W)[1]
    assert (grad[[1, 2, 2], [0, 0, 1]] > 0.0).all()
    assert grad[0, 2] == 0.0  # a shortcut closes no cycle
    for smooth in (Exp(), LogDet()):
        assert not smooth.value_and_grad(W)[1].any()


def test_the_diagonal_has_the_largest_derivative_at_zero() -> None:
    grad = SAHOC(0.5).value_and_grad(np.zeros((3, 3)))[1]
    np.testing.assert_allclose(grad, 0.5 * np.eye(3))


def test_sparse_and_dense_paths_agree() -> None:
    # The same two components, alone (found sparse) and with a weak edge back (one dense block).
    rng = np.random.default_rng(0)
    W = np.zeros((8, 8))
    W[:4, :4], W[4:, 4:], W[0, 5] = rng.random((4, 4)), rng.random((4, 4)), 0.5
    linked = W.copy()
    linked[5, 0] = 1e-13
    value, C = SAHOC().value_and_core_grad(W)
    linked_value, linked_C = SAHOC().value_and_core_grad(linked)
    assert linked_value == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(linked_C, C, atol=1e-11)
