"""Facts about the smoothed constraint that the paper states, and where they end."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.constraints.base import Composition
from daglock.errors import InvalidParameterError
from daglock.typing import Array
from tests.constraints.reference import random_dag, random_sparse


def curvature(constraint: Composition, W: Array, i: int, j: int, step: float) -> float:
    """Second difference of h along W_ij; exact enough because the gradient is."""
    up, down = W.copy(), W.copy()
    up[i, j] += step
    down[i, j] -= step
    slopes = [constraint.value_and_grad(V)[1][i, j] for V in (up, down)]
    return float(slopes[0] - slopes[1]) / (2 * step)


@pytest.mark.parametrize("centered", [False, True])
def test_gradient_at_zero_is_exactly_zero(centered: bool) -> None:
    for exact in (SAHOC(), AHOC()):
        assert not Smoothed(exact, 1e-7, centered).value_and_grad(np.zeros((5, 5)))[1].any()


@pytest.mark.parametrize("centered", [False, True])
def test_no_force_on_absent_edges_at_a_dag(centered: bool) -> None:
    W = random_dag(np.random.default_rng(0), 8)
    smoothed = Smoothed(SAHOC(), 1e-7, centered)
    assert not smoothed.value_and_grad(W)[1][W == 0.0].any()
    assert smoothed.exact.value_and_grad(W)[1][W == 0.0].any()


@pytest.mark.parametrize("d", [3, 10, 40])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-7])
def test_distance_to_the_exact_constraint_is_of_order_d_delta(d: int, delta: float) -> None:
    # |h̃ − h| ≤ (1−α)(1 + 2(e−1)) d δ to first order, for a zero diagonal: the diagonal of M
    # gives 1, the rest of exp(A) at most e−1, the norm in the denominator at most e−1 more.
    rng = np.random.default_rng(0)
    bound = 0.5 * (1 + 2 * (math.e - 1)) * d * delta * (1 + 10 * d * delta)
    for W in [np.zeros((d, d)), random_dag(rng, d), *(random_sparse(rng, d) for _ in range(5))]:
        for scale in (1e-6, 1e-3, 1.0, 1e3):
            exact = SAHOC(0.5)
            gap = Smoothed(exact, delta).value(scale * W) - exact.value(scale * W)
            assert abs(gap) <= bound


def test_distance_bound_fails_for_ahoc_when_epsilon_is_small() -> None:
    # For ε ≪ δd the normalised smoothed core at W = 0 is J/d, whatever δ: h̃(0) = e − 1, h(0) = 0.
    W = np.zeros((10, 10))
    for delta in (1e-3, 1e-7):
        assert Smoothed(AHOC(0.5, 1e-14), delta).value(W) == pytest.approx(math.e - 1, rel=1e-6)
        assert Smoothed(AHOC(0.5, 1e-14), delta, centered=True).value(W) == 0.0
    assert AHOC(0.5, 1e-14).value(W) == 0.0


def test_uncentred_value_is_positive_at_every_dag() -> None:
    # To first order h̃ = (1−α) δ Σ C_ij over absent edges: correctness (A1) fails by this much.
    rng = np.random.default_rng(1)
    for W in [np.zeros((6, 6)), *(random_dag(rng, 6) for _ in range(10))]:
        exact = SAHOC(0.5)
        C = exact.value_and_core_grad(W)[1]
        value = Smoothed(exact, 1e-7).value(W)
        assert value > 0.0
        assert value == pytest.approx(0.5 * 1e-7 * C[W == 0.0].sum(), rel=1e-4)
        assert Smoothed(exact, 1e-7, centered=True).value(W) == 0.0


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
def test_curvature_of_an_entry_that_closes_a_cycle_is_of_order_one_over_delta(
    delta: float,
) -> None:
    # ∂²h̃/∂W_ij² = C_ij (2α + (1−α)/δ) at W_ij = 0: the largest stable step is of order δ.
    W = np.array([[0.0, 1.0], [0.0, 0.0]])
    C = SAHOC(0.5).value_and_core_grad(W)[1]
    for centered in (False, True):
        smoothed = Smoothed(SAHOC(0.5), delta, centered)
        for i, j in ((1, 0), (0, 0)):
            measured = curvature(smoothed, W, i, j, 1e-3 * delta)
            assert measured * delta == pytest.approx(0.5 * C[i, j], rel=0.05)


@pytest.mark.parametrize("delta", [1e-2, 1e-4, 1e-6])
def test_curvature_at_the_empty_graph(delta: float) -> None:
    # At W = 0 the diagonal has curvature (1−α)/δ. Off the diagonal C_ij itself vanishes: the
    # weight δ of the return edge is cancelled by the norm in the denominator, and what is left is
    # −d(1−α)³δ/2. The 1/δ of s does not reach h̃ there, and h̃ does not resist a first edge.
    d = 4
    smoothed = Smoothed(SAHOC(0.5), delta)
    W = np.zeros((d, d))
    assert curvature(smoothed, W, 0, 0, 1e-3 * delta) * delta == pytest.approx(0.5, rel=0.1)
    expected = -d * 0.5**3 * delta / 2
    assert curvature(smoothed, W, 0, 1, 1e-5 * delta) == pytest.approx(expected, rel=0.05)


def test_exact_is_kept_and_only_hybrid_cores_can_be_smoothed() -> None:
    assert Smoothed(SAHOC(0.3)).exact == SAHOC(0.3)
    assert Smoothed(SAHOC(0.3)).delta == 1e-7
    for exact in (Exp(), LogDet(), AAC(), Smoothed(SAHOC()), cast(Any, "sahoc")):
        with pytest.raises(InvalidParameterError, match="to smooth"):
            Smoothed(exact)
    with pytest.raises(InvalidParameterError, match="delta must be a number > 0"):
        Smoothed(SAHOC(), delta=0.0)
