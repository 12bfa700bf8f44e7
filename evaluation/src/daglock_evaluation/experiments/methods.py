"""The methods that the experiments compare, by name, on one table: what comes out, in plain values.

The methods of the paper are those of `daglock_evaluation.methods.paper`. Beside them: "daglock" as
it is by default (noise="auto"), "daglock (equal)", told that all noise variances are equal, which
least squares takes for granted; sortnregress; the empty graph; and two packages where they are
installed. "ProxLinear", with L1 or MCP, is the proximal step of daglock, which leaves |W| as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock import Moments, Problem
from daglock.constraints import LogDet
from daglock.diagnostics import sortnregress
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.losses import LeastSquares
from daglock.penalties import L1, MCP
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.solvers import ProxLinear
from daglock.solvers.augmented_lagrangian import AugmentedLagrangianSolver
from daglock.solvers.base import StopRun
from daglock.typing import Array, Constraint, Penalty, Solver
from daglock_evaluation.experiments.experiment import Case, Result
from daglock_evaluation.harness.judge import judge_class, judge_weights
from daglock_evaluation.methods import look_up, ours
from daglock_evaluation.methods.classes import run_flop
from daglock_evaluation.methods.continuous import fit_dagma
from daglock_evaluation.methods.paper import ALPHA, DELTA, PAPER, SMALL_EPSILON, compose

FLOP_RESTARTS = 20
OTHERS = ("daglock", "daglock (equal)", "sortnregress", "empty graph")
PACKAGES = {"dagma package": "dagma.linear", "FLOP": "flopsearch"}
METHODS = (*PAPER, SMALL_EPSILON, *OTHERS, *PACKAGES)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a method gave.

    Attributes
    ----------
    W : (d, d) as it comes out, no threshold applied; None where there is no directed graph.
    status : value of a `Status`, "finished" for what has none, or "skipped".
    seconds, cpu_seconds : by the clock, and of one core: the latter do not count other work on
        the machine.
    h, n_iter : the method's own constraint, without smoothing, at W, and its steps; None without.
    cpdag : where the method gives one and no DAG: 1 directed i -> j, 2 undirected.
    note : why it was skipped.
    """

    W: Array | None
    status: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    h: float | None = None
    n_iter: int | None = None
    cpdag: NDArray[np.int8] | None = None
    note: str = ""


@dataclass(frozen=True)
class Limits:
    """When a run ends: seconds of one core, which a busy machine does not cut short, and steps."""

    cpu_seconds: float = math.inf
    steps: float = math.inf


def sparse_sem(d: int, seed: int, n: int = 1000) -> tuple[Array, Array]:
    """Draw the paper's sparse benchmark: d nodes, d edges, weights ±[0.5, 1], unit noise.

    Returns the weights, ``W[i, j] != 0`` for i -> j, and the table.
    """
    rng = np.random.default_rng([seed, d, n])
    W = np.asarray(erdos_renyi(d, d, weights=(0.5, 1.0), rng=rng))
    return W, linear_sem(W, n, rng=rng)


def sparse_moments(case: Case) -> tuple[Array, Moments]:
    """Draw the sparse benchmark of a case on its scale: the weights, and the moments."""
    truth, X = sparse_sem(case["d"], case["seed"], case["n"])
    moments = Moments.from_data(X)
    if case.get("scale") != "standardised":
        return truth, moments
    deviation = np.sqrt(np.diag(moments.cov))
    return truth * deviation[:, None] / deviation, moments.standardised()


def stable_lam(data: Array | Moments) -> float:
    """‖∇L(0)‖∞, the λ₁ from which on W = 0 is stationary: the paper's condition of stability."""
    moments = data if isinstance(data, Moments) else Moments.from_data(data)
    return Problem(LeastSquares(moments), LogDet(), L1(0.0)).force_at_zero()


def lam_of(case: Case, stable: float) -> Any:
    """Return the λ₁ of a case: a number, a multiple of ‖∇L(0)‖∞, or by a name ‖∇L(0)‖∞ itself."""
    if "times" in case:
        return case["times"] * stable
    return stable if isinstance(case["lam"], str) else case["lam"]


def parts_of(name: str, lam: float, delta: float = DELTA) -> tuple[Solver, Constraint, Penalty]:
    """Return the solver, the constraint and the penalty of a method."""
    if name.startswith("ProxLinear"):
        return ProxLinear(), LogDet(alpha=ALPHA), MCP(lam) if name.endswith("MCP") else L1(lam)
    return *compose(name, delta), L1(lam)


def run_case(case: Case, X: Array, truth: Array, cpu_seconds: float) -> Result:
    """Run the method of a case with its λ₁ on a table; the result names ‖∇L(0)‖∞."""
    stable = stable_lam(X)
    limits = Limits(cpu_seconds=cpu_seconds)
    estimate = run_method(case["method"], X, lam=lam_of(case, stable), limits=limits)
    return {**result_of(estimate, truth), "stable_lam": stable}


def result_of(estimate: Estimate, truth: Array) -> dict[str, Any]:
    """Set an estimate beside the true graph: the result of a case, in JSON values.

    What a time limit cut short depends on the machine, so it is kept under "point_after_seconds".
    """
    result: dict[str, Any] = {
        name: getattr(estimate, name) for name in ("status", "seconds", "cpu_seconds")
    }
    if estimate.note:
        result["skipped"] = estimate.note
    point: dict[str, Any] = {"n_iter": estimate.n_iter, "h": estimate.h}
    if estimate.W is not None:
        point |= judge_weights(estimate.W, truth)
    elif estimate.cpdag is not None:
        point |= judge_class(estimate.cpdag, truth)
    if estimate.status == Status.TIME_LIMIT.value:
        return {**result, "point_after_seconds": point}
    return {**result, **point}


def run_method(
    name: str,
    X: Array,
    *,
    lam: float | None = None,
    limits: Limits | None = None,
) -> Estimate:
    """Run one of `METHODS` on a table, with λ₁ for those that have one.

    Examples
    --------
    >>> W, X = sparse_sem(10, seed=0)
    >>> estimate = run_method("SPG-AHOC", X, lam=10.0)
    >>> estimate.status, int(np.count_nonzero(estimate.W))
    ('stayed_at_start', 0)
    """
    limits = Limits() if limits is None else limits
    look_up(dict.fromkeys(METHODS), name, "method")
    if name in (*PAPER, SMALL_EPSILON) and lam is None:
        raise InvalidParameterError(f"{name} needs lam.")
    if name in PACKAGES:
        try:
            import_module(PACKAGES[name])
        except ImportError:
            package = PACKAGES[name].split(".")[0]
            note = f"{package} is not installed: pip install {package}"
            return Estimate(None, "skipped", note=note)
    if name in OTHERS:
        warm_up()
    begin, begin_cpu = perf_counter(), process_time()
    if name == "dagma package":
        estimate = _run_dagma(X, lam, limits)
    elif name == "FLOP":  # it cannot be seeded: only its result may differ between runs
        cpdag = np.asarray(run_flop(X, 0, FLOP_RESTARTS).graph)
        estimate = Estimate(None, "finished", cpdag=cpdag)
    elif name in OTHERS:
        estimate = _run_other(name, X)
    else:
        estimate = run_solver(name, Moments.from_data(X), lam or 0.0, limits=limits)
    seconds, cpu_seconds = perf_counter() - begin, process_time() - begin_cpu
    return replace(estimate, seconds=seconds, cpu_seconds=cpu_seconds)


def run_solver(
    name: str,
    moments: Moments,
    lam: float,
    *,
    delta: float = DELTA,
    limits: Limits | None = None,
    max_inner: int | None = None,
) -> Estimate:
    """Run a method of the paper, or ProxLinear, on moments; with so many inner steps, if told."""
    limits = Limits() if limits is None else limits
    solver, constraint, penalty = parts_of(name, lam, delta)
    if max_inner is not None:
        assert isinstance(solver, AugmentedLagrangianSolver)
        solver = replace(solver, max_inner=max_inner)
    begin = process_time()

    def stop(progress: Mapping[str, Any]) -> None:
        """End the run at a limit."""
        if progress["iteration"] >= limits.steps:
            raise StopRun(Status.ITERATION_LIMIT)
        if process_time() - begin > limits.cpu_seconds:
            raise StopRun(Status.TIME_LIMIT)

    found = solver.solve(Problem(LeastSquares(moments), constraint, penalty), callback=stop)
    times = found.seconds, process_time() - begin
    return Estimate(found.W, found.status.value, *times, found.h, found.n_iter)


def _run_dagma(X: Array, lam: float | None, limits: Limits) -> Estimate:
    """Run the dagma package with its defaults but for the threshold, which is ours to apply.

    It changes its input, so it gets a copy. It leaves numbers on the diagonal, which are no edges
    and are cleared.
    """
    begin = process_time()

    def stop(steps: int) -> bool:
        return steps >= limits.steps or process_time() - begin > limits.cpu_seconds

    options: dict[str, Any] = {} if lam is None else {"lambda1": lam}
    W, n_iter = fit_dagma(X.copy(), stop=stop, **options)
    if W is None:
        return Estimate(None, Status.TIME_LIMIT.value, n_iter=n_iter)
    np.fill_diagonal(W, 0.0)
    return Estimate(W, "finished", h=float(LogDet().value(W)), n_iter=n_iter)


def _run_other(name: str, X: Array) -> Estimate:
    """Run what has no λ₁ and needs no package."""
    if name == "empty graph":
        return Estimate(np.zeros((X.shape[1], X.shape[1])), "finished")
    if name == "sortnregress":
        try:
            W = sortnregress(Moments.from_data(X), "variance", noise="equal").dag.to_sparse()
        except InvalidDataError as error:  # standardised columns: there is nothing to sort by
            return Estimate(None, "skipped", note=str(error))
    else:
        W = ours.fit(X, 0, noise="equal" if name == "daglock (equal)" else "auto").to_sparse()
    return Estimate(W.toarray(), "finished")


@lru_cache(maxsize=1)
def warm_up() -> None:
    """Load the compiled kernels, so that no time includes it."""
    X = sparse_sem(10, 0)[1]
    ours.fit(X, 0, noise="auto")
    sortnregress(Moments.from_data(X), "variance", noise="equal")
