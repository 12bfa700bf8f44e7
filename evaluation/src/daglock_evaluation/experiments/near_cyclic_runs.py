"""How Experiment 4 runs: the cycles, the methods, their trajectories, and curvatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from daglock import Moments, Problem
from daglock.constraints import SAHOC, Smoothed
from daglock.engine import learn
from daglock.losses import LeastSquares
from daglock.metrics import compare
from daglock.penalties import L1
from daglock.simulate import linear_sem, near_cyclic
from daglock.solution import Solution
from daglock.solvers import SPG, CentralPath
from daglock.solvers.augmented_lagrangian import AugmentedLagrangianSolver
from daglock.typing import Array, Constraint, Solver
from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.evidence import grid
from daglock_evaluation.experiments.experiment import Case, Result
from daglock_evaluation.experiments.methods import parts_of
from daglock_evaluation.experiments.trajectories import Snapshot, penalty_weights, summary, watch
from daglock_evaluation.harness.process import timed
from daglock_evaluation.methods.paper import ALPHA, DELTA, PAPER, SMALL_EPSILON

RADIUS = 0.999996
LAM = 0.1
N = 1000
FAMILY = ("AHOC [Prox-LS]", "SPG-AHOC", SMALL_EPSILON)
BASELINES = ("EXP [Adam]", "AAC [Prox-LS]", "DAGMA")
PATHS = ("SPG, δ path", "SPG, α path")
METHODS = (*PAPER, SMALL_EPSILON, *PATHS, "ProxLinear", "daglock")
DELTAS = tuple(np.geomspace(0.3, 1e-6, 12).tolist())
ALPHAS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6)
RADII = (0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 0.99999, RADIUS)
CONSTRAINTS = (*measured.STANDARD, *measured.HYBRID, "smoothed S-AHOC")
SIGNS = {1: "w₁w₂w₃ > 0", -1: "w₁w₂w₃ < 0", 0: "one edge removed"}


@dataclass(frozen=True, kw_only=True)
class AlphaPath(SPG):
    """SPG whose core goes from nearly quadratic to the hybrid one, an α each outer iteration."""

    alphas: Sequence[float] = ALPHAS

    def _constraints(self, problem: Problem) -> Sequence[Constraint]:
        last = problem.constraint
        assert isinstance(last, Smoothed)
        return [*(replace(last, exact=SAHOC(alpha=a)) for a in self.alphas), last]


def cases(quick: bool) -> list[Case]:
    """Return the curvatures, and every method on every kind of data."""
    scales, seeds = (("raw",), (0,)) if quick else (("raw", "standardised"), (0, 1, 2))
    signs = (1, -1) if quick else tuple(SIGNS)
    data = {"seed": seeds, "scale": scales, "sign": signs, "method": METHODS}
    return [
        *grid(kind="curvature", constraint=CONSTRAINTS),
        *grid(kind="solve", max_inner=300, lam=LAM, n=N, **data),
    ]


def cycle(sign: int, seed: int) -> Array:
    """Draw a cycle through three nodes whose weights have a product of this sign.

    With sign 0 one edge of it is not there.
    """
    W = near_cyclic(3, RADIUS, signs="positive", rng=seed)
    first = tuple(np.argwhere(W)[0])
    if sign < 1:
        W[first] *= sign
    return W


def method_of(name: str, max_inner: int) -> tuple[Solver, Constraint]:
    """Return solver and constraint, with inner iterations as the case says."""
    smoothed = Smoothed(SAHOC(alpha=ALPHA), delta=DELTA)
    if name == "SPG, δ path":
        return SPG(delta_path=DELTAS, max_inner=max_inner), smoothed
    if name == "SPG, α path":
        return AlphaPath(max_inner=max_inner), smoothed
    solver, constraint, _ = parts_of(name, LAM)
    if isinstance(solver, CentralPath):
        steps = 20 * max_inner
        return replace(solver, warm_iter=steps, last_iter=2 * steps, checkpoint=500), constraint
    if isinstance(solver, AugmentedLagrangianSolver):
        return replace(solver, max_inner=max_inner), constraint
    return solver, constraint


def run(case: Case) -> Result:
    """Solve, or measure the curvature of a constraint."""
    if case["kind"] == "curvature":
        return _curvature(measured.constraint_of(case))
    truth = cycle(case["sign"], case["seed"])
    moments = Moments.from_data(linear_sem(truth, case["n"], rng=1000 + case["seed"]))
    about = {
        "largest_variance": float(np.diag(moments.cov).max()),
        "condition": float(np.linalg.cond(moments.cov)),
    }
    if case["scale"] == "standardised":
        moments = moments.standardised()
    if case["method"] == "daglock":
        return {**about, **_engine(moments, truth)}
    solver, constraint = method_of(case["method"], case["max_inner"])
    problem = Problem(LeastSquares(moments), constraint, L1(case["lam"]))
    solution, points = watch(problem, solver)
    return {
        **about,
        **summary(solution),
        "h": measured.few(solution.h),
        "h_largest": measured.few(solution.trace.h.max()),
        "radius": measured.few(measured.spectral_radius(solution.W)),
        "norm": measured.few(float(np.linalg.norm(solution.W))),
        "shd": compare(solution.W, truth).shd,
        "trajectory": _trajectory(solution, points, solver),
    }


def _engine(moments: Moments, truth: Array) -> dict[str, Any]:
    """Learn by the engine, any noise model."""
    learned, seconds, _ = timed(lambda: learn(moments, rng=0))
    W = learned.to_sparse().toarray()
    return {
        "status": learned.status.value,
        "is_dag": learned.certificate.verify(moments),
        "h": 0.0,
        "radius": 0.0,
        "norm": measured.few(float(np.linalg.norm(W))),
        "nnz": learned.dag.n_edges,
        "shd": compare(W, truth).shd,
        "warned": bool(learned.cautions),
        "seconds": seconds,
    }


def _trajectory(
    solution: Solution, points: Sequence[Snapshot], solver: Solver
) -> dict[str, list[float | None]]:
    """Return h, ρ(W∘W), ‖W‖_F, the penalty and the augmented Lagrangian along the way."""
    series = {
        "iteration": [float(p.iteration) for p in points],
        "h": [p.h for p in points],
        "radius": [measured.spectral_radius(p.W) for p in points],
        "norm": [float(np.linalg.norm(p.W)) for p in points],
    }
    if isinstance(solver, AugmentedLagrangianSolver):
        stages = len(DELTAS) + 1 if isinstance(solver, SPG) and solver.delta_path else 1
        stages = len(solver.alphas) + 1 if isinstance(solver, AlphaPath) else stages
        weights = penalty_weights(solution.trace, solver, stages)
        at = [weights[p.outer] for p in points]
        series["penalty"] = [rho for _, rho in at]
        series["lagrangian"] = [
            p.objective + mu * p.h + 0.5 * rho * p.h**2
            for p, (mu, rho) in zip(points, at, strict=True)
        ]
    return {name: measured.rounded(values, 4) for name, values in series.items()}


def _curvature(constraint: Constraint) -> dict[str, Any]:
    """Hessian of h on the three edges of a cycle as ρ(W∘W) goes to one."""
    W = cycle(1, 0)
    edges = [(int(i), int(j)) for i, j in np.argwhere(W)]
    norms, conditions = [], []
    for radius in RADII:
        V = W * np.sqrt(radius / RADIUS)
        steps = [1e-3 * (1.0 - radius) * V[edge] for edge in edges]  # LogDet ends at ρ = 1
        sizes = measured.curvatures(constraint, V, edges, steps)
        norms.append(float(sizes.max()))
        conditions.append(float(sizes.max() / sizes.min()))
    return {
        "radii": list(RADII),
        "norm": measured.rounded(norms),
        "condition": measured.rounded(conditions),
    }
