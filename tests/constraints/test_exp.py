from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import Exp


def test_closed_form_on_a_two_cycle() -> None:
    a, b = 0.7, -1.2
    W = np.array([[0.0, a], [b, 0.0]])
    r = abs(a * b)  # eigenvalues of W∘W are ±|ab|
    value, grad = Exp().value_and_grad(W)
    assert value == pytest.approx(2 * math.cosh(r) - 2)
    assert grad[0, 1] == pytest.approx(2 * math.sinh(r) * abs(b))
    assert grad[1, 0] == pytest.approx(-2 * math.sinh(r) * abs(a))


def test_edges_between_components_do_not_count() -> None:
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = 0.5
    alone = Exp().value(W)
    W[1, 2], W[3, 0] = 100.0, 100.0
    value, grad = Exp().value_and_grad(W)
    assert value == pytest.approx(alone, rel=1e-14)
    assert grad[1, 2] == grad[3, 0] == 0.0


def test_overflow_is_infinite() -> None:
    W = np.array([[0.0, 50.0], [50.0, 0.0]])
    value, grad = Exp().value_and_grad(W)
    assert value == math.inf
    assert np.isfinite(grad).all()
