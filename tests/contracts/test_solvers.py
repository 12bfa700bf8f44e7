"""What every registered solver promises."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from daglock.constraints import SAHOC, Exp, LogDet, Smoothed
from daglock.errors import InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solution import Solution, Status
from daglock.solvers import SOLVERS, SPG, AdamALM, CentralPath, ProximalLS, SolverBase, solve
from daglock.typing import Array, BoolArray, Constraint, Solver

PARAMETERS = pytest.mark.parametrize("name", sorted(SOLVERS))
PROXIMAL = pytest.mark.parametrize("name", sorted(set(SOLVERS) - {"adam_alm", "central_path"}))

# Settings that make a run on a small problem short; the defaults where none are given.
QUICK: dict[str, SolverBase] = {
    "spg": SPG(max_outer=4, max_inner=60),
    "proximal_ls": ProximalLS(max_outer=4, max_inner=60),
    "adam_alm": AdamALM(max_outer=4, max_inner=60),
    "central_path": CentralPath(s=(1.0, 0.9), warm_iter=300, last_iter=300, checkpoint=100),
}
CONSTRAINTS: dict[str, Constraint] = {
    "spg": Smoothed(SAHOC(0.5), delta=1e-4, centered=True),
    "central_path": LogDet(),
}


def quick(name: str) -> SolverBase:
    return QUICK.get(name) or SOLVERS[name]()


def moments(d: int = 5, seed: int = 0) -> Moments:
    rng = np.random.default_rng(seed)
    W = np.triu(rng.uniform(0.5, 1.0, size=(d, d)) * (rng.random((d, d)) < 0.5), 1)
    return Moments.from_data(rng.normal(size=(500, d)) @ np.linalg.inv(np.eye(d) - W))


def make(name: str, lam: float = 0.1, allowed: BoolArray | None = None, d: int = 5) -> Problem:
    constraint = CONSTRAINTS.get(name, Exp())
    return Problem(LeastSquares(moments(d)), constraint, L1(lam), allowed)


def lasso(problem: Problem, lam: float) -> Array:
    """The minimum over the allowed entries, by coordinate descent on each column."""
    assert isinstance(problem.loss, LeastSquares)
    S = problem.loss.moments.cov
    W = np.zeros(S.shape)
    for _ in range(500):
        for i, j in zip(*np.nonzero(problem.mask), strict=True):
            z = S[i, j] - S[i] @ W[:, j] + S[i, i] * W[i, j]
            W[i, j] = np.sign(z) * max(abs(z) - lam, 0.0) / S[i, i]
    return W


@PARAMETERS
@pytest.mark.parametrize("lam", [0.0, 0.1])
def test_fixed_order_reaches_the_convex_minimum(name: str, lam: float) -> None:
    """With a known order h is zero throughout, the problem is convex, and all must agree."""
    upper = np.triu(np.ones((5, 5), dtype=np.bool_), 1)
    problem = make(name, lam, upper)
    accurate: dict[str, Solver] = {
        "adam_alm": AdamALM(max_inner=4000, decay=0.1, max_outer=3, learning_rate=0.003),
        "central_path": CentralPath(
            s=(1.0, 0.9), learning_rate=1e-3, warm_iter=3000, last_iter=3000, mu_factor=0.9
        ),
    }
    solution = solve(problem, accurate.get(name) or SOLVERS[name]())
    best = lasso(problem, lam)
    tolerance = 1e-4 if name in accurate else 1e-8
    assert solution.objective == pytest.approx(problem.objective(best), rel=tolerance)
    assert solution.is_dag
    assert solution.h == 0
    if name not in accurate:
        assert solution.status is Status.CONVERGED
        np.testing.assert_allclose(solution.W, best, atol=1e-5)
        np.testing.assert_array_equal(solution.W != 0, best != 0)
        assert problem.kkt_residual(solution.W) < 1e-5


@PARAMETERS
def test_nothing_of_the_caller_is_changed(name: str) -> None:
    allowed = np.ones((5, 5), dtype=np.bool_)
    allowed[2, :] = False
    start = np.full((5, 5), 0.01)
    problem = make(name, allowed=allowed)
    solution = solve(problem, quick(name), start=start)
    assert allowed.sum() == 20
    assert (start == 0.01).all()
    assert not solution.W[2].any()
    assert not solution.W.diagonal().any()


@PARAMETERS
def test_same_run_twice_gives_the_same_bytes(name: str) -> None:
    first, second = (solve(make(name), quick(name)) for _ in range(2))
    assert first.W.tobytes() == second.W.tobytes()
    assert first.trace.fingerprint.tolist() == second.trace.fingerprint.tolist()


@PARAMETERS
def test_time_limit(name: str) -> None:
    solution = solve(make(name), quick(name), time_limit=0.0)
    assert solution.status is Status.TIME_LIMIT
    assert solution.n_iter == 0
    assert np.isfinite(solution.W).all()
    assert solution.seconds >= 0


LIMITED: dict[str, Any] = {
    "spg": {"max_outer": 1, "max_inner": 2},
    "proximal_ls": {"max_outer": 1, "max_inner": 2},
    "adam_alm": {"max_outer": 1, "max_inner": 2},
    "central_path": {"s": (1.0,), "last_iter": 2},
}


@pytest.mark.parametrize("name", sorted(LIMITED))
def test_iteration_limit(name: str) -> None:
    solution = solve(make(name), SOLVERS[name](**LIMITED[name]))
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.n_iter == 2


@PARAMETERS
def test_callback_and_trace_tell_the_same(name: str) -> None:
    calls: list[dict[str, Any]] = []
    problem = make(name)
    solution = solve(problem, quick(name), callback=calls.append)
    trace = solution.trace
    assert len(calls) == len(trace) == solution.n_iter + 1
    assert [call["iteration"] for call in calls] == list(range(len(calls)))
    for key in ("objective", "h", "step_size", "n_nonzero", "norm", "outer"):
        assert [call[key] for call in calls] == getattr(trace, key).tolist()
    last = calls[-1]
    np.testing.assert_array_equal(last["W"], solution.W)
    assert not last["W"].flags.writeable
    assert solution.objective == pytest.approx(last["objective"], rel=1e-12)
    assert last["n_nonzero"] == np.count_nonzero(solution.W)
    assert last["norm"] == pytest.approx(float(np.linalg.norm(solution.W)))
    assert trace.step_size[0] == 0
    assert (trace.step_size[1:] > 0).all()
    assert (np.diff(trace.outer) >= 0).all()
    middle = calls[len(calls) // 2]
    assert middle["objective"] == pytest.approx(problem.objective(middle["W"]), rel=1e-12)


@PARAMETERS
def test_interrupt_returns_the_last_point(name: str) -> None:
    seen: list[Array] = []

    def interrupt(progress: dict[str, Any]) -> None:
        seen.append(progress["W"].copy())
        if progress["iteration"] == 3:
            raise KeyboardInterrupt

    solution = solve(make(name), quick(name), callback=interrupt)
    assert solution.status is Status.INTERRUPTED
    assert solution.n_iter == 3
    np.testing.assert_array_equal(solution.W, seen[-1])


@PROXIMAL
def test_from_zero_a_large_lam_stays_at_zero(name: str) -> None:
    """W = 0 is stationary exactly when λ ≥ ‖∇L(0)‖_∞, because ∇h(0) = 0."""
    S = moments().cov
    largest = float(np.abs(S - np.diag(np.diagonal(S))).max())
    stayed = solve(make(name, lam=largest), quick(name))
    assert stayed.status is Status.STAYED_AT_START
    assert stayed.n_nonzero == 0
    assert stayed.trace.identification_iteration == 0
    moved = solve(make(name, lam=0.9 * largest), quick(name))
    assert moved.trace.n_nonzero.max() > 0


class Breaking(LeastSquares):
    """A loss whose value is not a number from some call on."""

    calls = 0

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        self.__dict__["calls"] = self.calls + 1
        value, grad = super().value_and_grad(W)
        return (float("nan") if self.calls > 12 else value), grad


@PARAMETERS
def test_a_value_that_is_not_finite_ends_at_the_last_good_point(name: str) -> None:
    problem = replace(make(name), loss=Breaking(moments()))
    solution = solve(problem, quick(name))
    assert solution.status in (Status.NUMERICAL_FAILURE, Status.LINE_SEARCH_STALLED)
    assert np.isfinite(solution.W).all()
    assert np.isfinite(solution.trace.objective).all()


@PARAMETERS
def test_bad_arguments_are_named(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="time_limit"):
        solve(make(name), quick(name), time_limit=-1.0)
    with pytest.raises(InvalidParameterError, match="start must have shape"):
        solve(make(name), quick(name), start=np.zeros((2, 2)))
    with pytest.raises(InvalidParameterError, match="callback must be callable"):
        solve(make(name), quick(name), callback=3)
    with pytest.raises(InvalidParameterError, match="solver must be a solver"):
        solve(make(name), cast(Any, SOLVERS[name]))
    with pytest.raises(InvalidParameterError, match="problem must be a Problem"):
        solve(cast(Any, moments()), quick(name))


@PARAMETERS
def test_answers_to_the_protocol(name: str) -> None:
    solver = quick(name)
    assert isinstance(solver, Solver)
    solution = solver.solve(make(name))
    assert isinstance(solution, Solution)
    assert solution.status.sentence
