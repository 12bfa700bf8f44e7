"""What every registered penalty promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from daglock.penalties import L1, MCP, PENALTIES
from daglock.typing import Array, Penalty
from tests.examples import examples

PARAMETERS = pytest.mark.parametrize("name", sorted(PENALTIES))


def build(name: str, lam: float, gamma: float) -> L1 | MCP:
    return MCP(lam, gamma) if name == "mcp" else PENALTIES[name](lam)


@PARAMETERS
@examples(80)
@given(
    z=st.floats(-4, 4),
    step_size=st.floats(0.01, 5),
    lam=st.floats(0, 2),
    gamma=st.floats(0.3, 5),
    extra_l1=st.one_of(st.just(0.0), st.floats(0, 2)),
    extra_l2=st.one_of(st.just(0.0), st.floats(0, 2)),
)
def test_prox_is_the_global_minimum(
    name: str,
    z: float,
    step_size: float,
    lam: float,
    gamma: float,
    extra_l1: float,
    extra_l2: float,
) -> None:
    penalty = build(name, lam, gamma)

    def objective(w: float) -> float:
        extra = extra_l1 * abs(w) + extra_l2 * w * w
        return 0.5 * (w - z) ** 2 + step_size * (penalty.value(np.array([w])) + extra)

    proposed = float(penalty.prox(np.array([z]), step_size, extra_l1, extra_l2)[0])
    grid = np.append(np.linspace(-5, 5, 401), 0.0)
    start = float(min(grid, key=objective))
    refined = minimize_scalar(objective, bounds=(start - 0.03, start + 0.03), method="bounded")
    assert objective(proposed) <= min(objective(start), float(refined.fun)) + 1e-12
    assert proposed * z >= 0


@PARAMETERS
def test_prox_takes_arrays_for_all_parameters(name: str) -> None:
    penalty = build(name, 0.3, 1.5)
    rng = np.random.default_rng(0)
    Z, eta, e1, e2 = rng.normal(size=(4, 3, 3))
    eta, e1, e2 = abs(eta), abs(e1), abs(e2)
    together = penalty.prox(Z, eta, e1, e2)
    for index in np.ndindex(3, 3):
        single = penalty.prox(Z[index].reshape(1), eta[index], e1[index], e2[index])
        assert together[index] == single[0]


@PARAMETERS
@examples(60)
@given(z=st.floats(-3, 3), step_size=st.floats(0.05, 2), extra_l1=st.floats(0, 1))
def test_a_prox_point_is_stationary(name: str, z: float, step_size: float, extra_l1: float) -> None:
    # w = prox(z)  implies  (z − w)/η ∈ ∂penalty(w) + extra_l1 ∂|w|
    penalty = build(name, 0.4, 3.0)
    w = penalty.prox(np.array([z]), step_size, extra_l1)
    grad = (w - z) / step_size
    assert penalty.subdifferential_distance(w, grad, extra_l1)[0] < 1e-12
    assert penalty.subdifferential_distance(w, grad + 5.0, extra_l1)[0] > 1.0


@PARAMETERS
@pytest.mark.parametrize("w", [0.0, -0.3, 0.6, 2.0])
@pytest.mark.parametrize("grad", [-1.2, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("extra_l1", [0.0, 0.25])
def test_distance_is_the_fastest_descent(name: str, w: float, grad: float, extra_l1: float) -> None:
    # The distance of −grad to the subdifferential is how fast grad·w + penalty(w) can fall.
    penalty = build(name, 0.4, 2.0)

    def value(v: float) -> float:
        return grad * v + penalty.value(np.array([v])) + extra_l1 * abs(v)

    fall = max((value(w) - value(w + step)) / 1e-7 for step in (-1e-7, 1e-7))
    distance = penalty.subdifferential_distance(np.array([w]), np.array([grad]), extra_l1)[0]
    assert distance == pytest.approx(max(fall, 0.0), abs=1e-6)


@PARAMETERS
def test_subgradient_against_finite_differences(name: str) -> None:
    penalty = build(name, 0.4, 2.0)
    W = np.array([-2.0, -0.5, 0.1, 0.3, 1.0])
    numeric = [
        (penalty.value(np.array([w + 1e-6])) - penalty.value(np.array([w - 1e-6]))) / 2e-6
        for w in W
    ]
    np.testing.assert_allclose(penalty.subgradient(W), numeric, atol=1e-8)
    assert penalty.subgradient(np.zeros(1))[0] == 0


@PARAMETERS
def test_answers_to_the_protocol_and_changes_nothing(name: str) -> None:
    penalty: Penalty = build(name, 0.4, 2.0)
    assert isinstance(penalty, Penalty)
    Z: Array = np.random.default_rng(0).normal(size=(4, 4))
    before = Z.copy()
    penalty.prox(Z, 0.5, 0.1, 0.1)
    penalty.value(Z)
    penalty.subdifferential_distance(Z, Z)
    np.testing.assert_array_equal(Z, before)
    assert penalty.value(np.zeros((3, 3))) == 0
