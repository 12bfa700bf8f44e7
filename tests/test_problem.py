"""Problem: objective, starting point, and the KKT residual against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.constraints import AHOC, SAHOC, Exp, Smoothed
from daglock.errors import InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1, MCP
from daglock.problem import Problem
from daglock.typing import Array, Constraint


def make(
    constraint: Constraint | None = None, lam: float = 0.1, allowed: Any = None, d: int = 4
) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, d)) @ rng.normal(size=(d, d))
    return Problem(LeastSquares(Moments.from_data(X)), constraint or Exp(), L1(lam), allowed)


def sparse_point(seed: int = 1, d: int = 4) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(np.triu(rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.7), 1))


def test_objective_is_loss_plus_penalty() -> None:
    problem, W = make(), sparse_point()
    expected = problem.loss.value(W) + 0.1 * np.abs(W).sum()
    assert problem.objective(W) == pytest.approx(float(expected))


def test_diagonal_is_never_allowed() -> None:
    assert not make().mask.diagonal().any()
    allowed = np.ones((4, 4), dtype=bool)
    problem = make(allowed=allowed)
    assert allowed.all()
    assert problem.mask.sum() == 12
    assert problem.d == 4


def test_starting_point() -> None:
    problem = make(allowed=np.triu(np.ones((4, 4), dtype=bool)))
    start = np.ones((4, 4))
    np.testing.assert_array_equal(problem.starting_point(start), np.triu(np.ones((4, 4)), 1))
    assert start.all()
    assert not problem.starting_point().any()
    with pytest.raises(InvalidParameterError, match=r"shape \(4, 4\)"):
        problem.starting_point(np.ones((3, 3)))
    with pytest.raises(InvalidParameterError, match="finite"):
        problem.starting_point(np.full((4, 4), np.nan))


def test_exact_constraint_drops_the_smoothing() -> None:
    core = SAHOC(alpha=0.5)
    assert make(Smoothed(core, delta=1e-3)).exact_constraint is core
    assert make(core).exact_constraint is core


def test_bad_masks_are_named() -> None:
    with pytest.raises(InvalidParameterError, match="square"):
        make(allowed=np.ones((4, 3), dtype=bool))
    with pytest.raises(InvalidParameterError, match="3 variables and the loss for 4"):
        make(allowed=np.ones((3, 3), dtype=bool))


def test_kkt_residual_of_an_unconstrained_lasso_is_zero() -> None:
    # One regression with an L1 penalty, solved by coordinate descent.
    problem = make(allowed=np.arange(16).reshape(4, 4) % 4 == 3)
    assert isinstance(problem.loss, LeastSquares)
    S = problem.loss.moments.cov
    W = np.zeros((4, 4))
    for _ in range(2000):
        for i in range(3):
            z = S[i, 3] - S[i] @ W[:, 3] + S[i, i] * W[i, 3]
            W[i, 3] = np.sign(z) * max(abs(z) - 0.1, 0) / S[i, i]
    assert problem.kkt_residual(W) < 1e-10
    W[0, 3] += 0.1
    assert problem.kkt_residual(W) > 1e-3


@pytest.mark.parametrize("penalty", [L1(0.3), MCP(0.3, 2.0)])
@pytest.mark.parametrize("multiplier", [0.0, 0.7])
@pytest.mark.parametrize("constraint", [Exp(), AHOC(0.5, 1.0), SAHOC(0.3)])
def test_kkt_residual_against_one_sided_derivatives(
    constraint: Constraint, multiplier: float, penalty: L1 | MCP
) -> None:
    """The residual of an entry is how fast the Lagrangian falls, moving it either way."""
    loss, W = make().loss, sparse_point(3)
    for i, j in zip(*np.nonzero(make().mask), strict=True):
        allowed = np.zeros((4, 4), dtype=np.bool_)
        allowed[i, j] = True
        problem = Problem(loss, constraint, penalty, allowed)

        def lagrangian(V: Array, problem: Problem = problem) -> float:
            return problem.objective(V) + multiplier * constraint.value(V)

        step = 1e-7 * allowed
        fall = max(lagrangian(W) - lagrangian(W + step), lagrangian(W) - lagrangian(W - step))
        residual = problem.kkt_residual(W, multiplier)
        assert residual == pytest.approx(max(fall / 1e-7, 0.0), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize(
    ("role", "piece"),
    [("loss", L1(0.1)), ("constraint", "exp"), ("constraint", Exp), ("penalty", 0.1)],
)
def test_pieces_that_are_not_what_they_should_be_are_named(role: str, piece: Any) -> None:
    pieces: dict[str, Any] = {"loss": make().loss, "constraint": Exp(), "penalty": L1(0.1)}
    with pytest.raises(InvalidParameterError, match=f"The {role} must be"):
        Problem(**{**pieces, role: piece})


@pytest.mark.parametrize("constraint", [Exp(), SAHOC(), Smoothed(SAHOC())])
def test_zero_is_stationary_from_the_force_at_zero_on(constraint: Constraint) -> None:
    problem = make(constraint)
    force = problem.force_at_zero()
    zero = np.zeros((4, 4))
    for multiplier in (0.0, 10.0):
        assert make(constraint, lam=force).kkt_residual(zero, multiplier) == 0.0
        assert make(constraint, lam=0.9 * force).kkt_residual(zero, multiplier) > 0.0


def test_force_at_zero_is_the_largest_allowed_covariance() -> None:
    S = np.array([[4.0, 0.5, -0.9], [0.5, 5.0, 0.2], [-0.9, 0.2, 6.0]])
    loss = LeastSquares(Moments.from_covariance(S, n=10))
    assert Problem(loss, Exp(), L1(0.0)).force_at_zero() == 0.9
    allowed = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    assert Problem(loss, Exp(), L1(0.0), allowed).force_at_zero() == 0.5
