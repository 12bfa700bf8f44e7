"""The methods that the experiments compare, by name, on one table: what comes out, in plain values.

The methods of the paper (section 4.1) are composed from the pieces of daglock:

    EXP [Adam]      AdamALM on Exp          AAC [Prox-LS]   ProximalLS on AAC
    DAGMA           CentralPath on LogDet   AHOC [Prox-LS]  ProximalLS on AHOC
    SPG-AHOC        SPG on the smoothed core, δ = 1e-7, normalised by ‖M‖_F + 1 (S-AHOC)

The paper prints no ε for AHOC. ε = 1 is S-AHOC, its "ideal", and kinder to the method: with ε much
smaller than δd the smoothed h at W = 0 is e − 1 and not 0. "SPG-AHOC (ε = 1e-8)" is the other.
Beside them: "daglock" as it is by default (noise="auto"), "daglock (equal)", told that all noise
variances are equal, which least squares takes for granted; sortnregress; the empty graph; and two
packages where they are installed.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.diagnostics import sortnregress
from daglock.engine import learn
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.solvers import SPG, AdamALM, CentralPath, ProximalLS
from daglock.solvers.base import StopRun
from daglock.typing import Array, Constraint, Solver
from daglock_evaluation.experiments.style import MARKS

ALPHA = 0.5
DELTA = 1e-7
# FLOP's price of an edge, in units of log n / n; 2 is what its authors recommend.
FLOP_PRICE = 2.0
FLOP_RESTARTS = 20


PAPER = ("EXP [Adam]", "AAC [Prox-LS]", "DAGMA", "AHOC [Prox-LS]", "SPG-AHOC")
SMALL_EPSILON = "SPG-AHOC (ε = 1e-8)"
OTHERS = ("daglock", "daglock (equal)", "sortnregress", "empty graph")
PACKAGES = ("dagma package", "FLOP")
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
    h : the method's own constraint, without smoothing, at W; None for methods without.
    n_iter : steps; None for methods without.
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
    """When a run ends at the latest.

    Attributes
    ----------
    cpu_seconds : of one core, so that a busy machine does not cut a run short.
    steps : of a solver.
    """

    cpu_seconds: float = math.inf
    steps: float = math.inf


def sparse_sem(d: int, seed: int, n: int = 1000) -> tuple[Array, Array]:
    """Draw the paper's sparse benchmark: d nodes, d edges, weights ±[0.5, 1], unit noise.

    Returns the weights, ``W[i, j] != 0`` for i -> j, and the table.
    """
    rng = np.random.default_rng([seed, d, n])
    W = np.asarray(erdos_renyi(d, d, weights=(0.5, 1.0), rng=rng))
    return W, linear_sem(W, n, rng=rng)


def stable_lam(X: Array) -> float:
    """‖∇L(0)‖∞, the λ₁ from which on W = 0 is stationary: the paper's condition of stability."""
    problem = Problem(LeastSquares(Moments.from_data(X)), Exp(), L1(0.0))
    return problem.force_at_zero()


def mark_of(name: str) -> dict[str, Any]:
    """Return colour, marker and label of a method; variants have open markers."""
    variants = {SMALL_EPSILON: "SPG-AHOC", "daglock (equal)": "daglock"}
    if name in variants:
        return {**MARKS[variants[name]], "label": name, "markerfacecolor": "white"}
    return dict(MARKS[name])


def run_method(
    name: str,
    X: Array,
    *,
    lam: float | None = None,
    delta: float = DELTA,
    limits: Limits | None = None,
) -> Estimate:
    """Run a method on a table.

    Parameters
    ----------
    name : one of `METHODS`.
    X : (n, d) table; not modified.
    lam : λ₁, for methods that have one; the dagma package has a default.
    delta : δ of SPG-AHOC.
    limits : Limits, optional

    Examples
    --------
    >>> W, X = sparse_sem(10, seed=0)
    >>> estimate = run_method("SPG-AHOC", X, lam=10.0)
    >>> estimate.status, int(np.count_nonzero(estimate.W))
    ('stayed_at_start', 0)
    """
    limits = Limits() if limits is None else limits
    if name not in METHODS:
        raise InvalidParameterError(f"There is no method {name!r}; there are {', '.join(METHODS)}.")
    if name == "dagma package":
        return _run_dagma(X, lam, limits)
    if name == "FLOP":
        return _run_flop(X)
    begin, begin_cpu = perf_counter(), process_time()
    moments = Moments.from_data(X)
    forming, forming_cpu = perf_counter() - begin, process_time() - begin_cpu
    if name in OTHERS:
        estimate = _run_other(name, moments)
    elif lam is None:
        raise InvalidParameterError(f"{name} needs lam.")
    else:
        estimate = run_solver(name, moments, lam, delta=delta, limits=limits)
    return replace(  # the packages form the covariance themselves, so it counts for all
        estimate,
        seconds=estimate.seconds + forming,
        cpu_seconds=estimate.cpu_seconds + forming_cpu,
    )


def compose(name: str, delta: float = DELTA) -> tuple[Solver, Constraint]:
    """Return the solver and the constraint of a method of the paper."""
    made: dict[str, tuple[Solver, Constraint]] = {
        "EXP [Adam]": (AdamALM(), Exp()),
        "AAC [Prox-LS]": (ProximalLS(), AAC()),
        "DAGMA": (CentralPath(), LogDet()),
        "AHOC [Prox-LS]": (ProximalLS(), AHOC(alpha=ALPHA)),
        "SPG-AHOC": (SPG(), Smoothed(SAHOC(alpha=ALPHA), delta=delta)),
        SMALL_EPSILON: (SPG(), Smoothed(AHOC(alpha=ALPHA, epsilon=1e-8), delta=delta)),
    }
    return made[name]


def run_solver(
    name: str, moments: Moments, lam: float, *, delta: float = DELTA, limits: Limits | None = None
) -> Estimate:
    """Run a method of the paper on moments."""
    limits = Limits() if limits is None else limits
    solver, constraint = compose(name, delta)
    problem = Problem(LeastSquares(moments), constraint, L1(lam))
    begin = process_time()

    def stop(progress: Mapping[str, Any]) -> None:
        """End the run at a limit."""
        if progress["iteration"] >= limits.steps:
            raise StopRun(Status.ITERATION_LIMIT)
        if process_time() - begin > limits.cpu_seconds:
            raise StopRun(Status.TIME_LIMIT)

    solution = solver.solve(problem, callback=stop)
    cpu_seconds = process_time() - begin
    return Estimate(
        solution.W,
        solution.status.value,
        solution.seconds,
        cpu_seconds,
        solution.h,
        solution.n_iter,
    )


def _run_other(name: str, moments: Moments) -> Estimate:
    """Run what has no λ₁ and needs no package."""
    if name == "empty graph":
        return Estimate(np.zeros((moments.d, moments.d)), "finished")
    _warm_up()
    if name == "sortnregress":
        try:
            return _timed(lambda: sortnregress(moments, "variance", noise="equal").dag.to_sparse())
        except InvalidDataError as error:  # standardised columns: there is nothing to sort by
            return Estimate(None, "skipped", note=str(error))
    noise = "equal" if name == "daglock (equal)" else "auto"
    return _timed(lambda: learn(moments, noise=noise, rng=0).to_sparse())


def _timed(function: Callable[[], Any]) -> Estimate:
    """Time a function that returns a sparse W."""
    begin, begin_cpu = perf_counter(), process_time()
    W = function()
    seconds, cpu_seconds = perf_counter() - begin, process_time() - begin_cpu
    return Estimate(W.toarray(), "finished", seconds, cpu_seconds)


@lru_cache(maxsize=1)
def _warm_up() -> None:
    """Load the compiled kernels, so that no time includes it."""
    moments = Moments.from_data(sparse_sem(10, 0)[1])
    learn(moments, noise="auto", rng=0)
    sortnregress(moments, "variance", noise="equal")


class _TimeOverError(Exception):
    """The dagma package has used up its time."""


def _run_dagma(X: Array, lam: float | None, limits: Limits) -> Estimate:
    """Run the dagma package with its defaults but for the threshold, which is ours to apply.

    It changes its input, so it gets a copy; it knows no time limit, so its steps are counted. It
    leaves numbers on the diagonal, which are no edges and are cleared.
    """
    try:
        from dagma.linear import DagmaLinear
    except ImportError:
        return _skipped("dagma")
    begin, begin_cpu, n_iter = perf_counter(), process_time(), 0

    class Limited(DagmaLinear):
        """DAGMA with a limit."""

        def _adam_update(
            self, grad: NDArray[Any], iter: int, beta_1: float, beta_2: float
        ) -> NDArray[Any]:
            nonlocal n_iter
            if n_iter >= limits.steps or process_time() - begin_cpu > limits.cpu_seconds:
                raise _TimeOverError
            n_iter += 1
            return super()._adam_update(grad, iter, beta_1, beta_2)

    model = Limited(loss_type="l2")
    W, status = None, Status.TIME_LIMIT.value
    options: dict[str, Any] = {} if lam is None else {"lambda1": lam}
    options["s"] = [1.0, 0.9, 0.8, 0.7, 0.6]  # its default, which a run may change for the next
    with contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(_TimeOverError):
        W, status = np.asarray(model.fit(X.copy(), w_threshold=0.0, **options)), "finished"
    seconds, cpu_seconds = perf_counter() - begin, process_time() - begin_cpu
    h = None
    if W is not None:
        np.fill_diagonal(W, 0.0)
        h = float(LogDet().value(W))
    return Estimate(W, status, seconds, cpu_seconds, h, n_iter)


def _run_flop(X: Array) -> Estimate:
    """Run FLOP. It cannot be seeded: of all methods only its result may differ between runs."""
    try:
        from flopsearch import flop
    except ImportError:
        return _skipped("flopsearch")
    begin, begin_cpu = perf_counter(), process_time()
    found = flop(X, FLOP_PRICE, restarts=FLOP_RESTARTS)
    seconds, cpu_seconds = perf_counter() - begin, process_time() - begin_cpu
    return Estimate(None, "finished", seconds, cpu_seconds, cpdag=np.asarray(found, dtype=np.int8))


def _skipped(package: str) -> Estimate:
    """Return the row of a package that is not there."""
    note = f"{package} is not installed: pip install {package}"
    return Estimate(None, "skipped", note=note)
