"""How finite-time identification is measured: supports on the way, assumptions, two variables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from daglock import Moments, Problem
from daglock.constraints import SAHOC, LogDet, Smoothed
from daglock.diagnostics.assumptions import evaluate_assumptions
from daglock.engine import learn
from daglock.graph import edge_list, is_dag, parents_of, topological_order
from daglock.losses import LeastSquares
from daglock.penalties import L1, MCP
from daglock.search.regression import least_squares
from daglock.settings import SETTINGS
from daglock.simulate import linear_sem, population_covariance
from daglock.solution import fingerprint, identification
from daglock.solvers import SPG, AdamALM, CentralPath, ProxLinear
from daglock.typing import Array, BoolArray, Constraint, Penalty, Solver
from daglock_evaluation.experiments import methods
from daglock_evaluation.experiments.evidence import grid
from daglock_evaluation.experiments.experiment import Case, Result
from daglock_evaluation.experiments.measured import few, rounded
from daglock_evaluation.experiments.near_cyclic_runs import cycle
from daglock_evaluation.experiments.trajectories import summary, watch
from daglock_evaluation.harness.judge import CUTOFF
from daglock_evaluation.harness.process import timed
from daglock_evaluation.methods.paper import ALPHA, DELTA, PAPER, SMALL_EPSILON, compose

LAM = 0.2  # of all methods, so that they see one problem; SPG-AHOC is run at others as well
REPAIRED = ("ProxLinear, L1", "ProxLinear, MCP")
SPG_LAMS: tuple[dict[str, float], ...] = ({"lam": 0.1}, {"lam": 1.0}, {"times": 1.0})
ER_SIZES = (20, 50, 100, 200, 500)
DELTA_GRID = tuple(float(f"1e{k}") for k in range(-12, 1, 2))
# λ₁ at which δ* is looked for; "beta-min" is the largest that beta-min allows, "force" the smallest
# for which the loss alone leaves every absent edge at zero
STAR_LAMS = ("beta-min", "0.1", "1", "force", "2 × force")
# Where: at W*, and at distances from it, in the weights of the edges alone or in all entries.
RADII = (1e-6, 1e-4, 1e-2)
PLACES = ("W*", *(f"{kind}, {r:g}" for kind in ("edges", "all entries") for r in RADII))
PORTRAIT = ("SPG-AHOC", "EXP [Adam]", "DAGMA", "ProxLinear")
STARTS = ((0.0, 0.0), (0.6, 0.6), (-0.4, 0.5), (0.2, 0.9), (0.9, 0.4), (-0.3, -0.5))
TWO = np.array([[1.0, 0.8], [0.8, 1.64]])  # 0 → 1 with weight 0.8, unit noise


def cases(quick: bool) -> list[Case]:
    """Return the two-variable runs, the assumptions on every data set, then the trajectories."""
    starts, seeds = (STARTS[1:2], range(2)) if quick else (STARTS, range(5))
    found: list[Case] = [
        {"kind": "portrait", "method": method, "start": list(start), "lam": 0.1}
        for method in PORTRAIT
        for start in starts
    ]
    sizes = ER_SIZES[:2] if quick else ER_SIZES
    found += grid(kind="assumptions", n=1000, graph="ER1", d=sizes, seed=seeds)
    found += grid(kind="assumptions", n=1000, graph="near-cyclic", d=3, seed=seeds)
    names = (*PAPER, SMALL_EPSILON, *REPAIRED, "daglock")
    for d, seed in [(10, 0)] if quick else [(20, 0), (20, 1), (20, 2), (50, 0)]:
        table = {"kind": "trajectory", "d": d, "n": 1000, "seed": seed}
        found += grid(**table, method=names, lam=LAM)
        found += [{**table, "method": "SPG-AHOC", **lam} for lam in SPG_LAMS]
    return found


def run(case: Case) -> Result:
    """Run a case of one of the three kinds."""
    if case["kind"] == "portrait":
        return _portrait(case)
    return _assumptions(case) if case["kind"] == "assumptions" else _trajectory(case)


def method_of(name: str, lam: float) -> tuple[Solver, Constraint, Penalty]:
    """Return solver, constraint and penalty."""
    solver, constraint, penalty = methods.parts_of(name, lam)
    if isinstance(solver, CentralPath):  # small graphs: the learning rate of large ones is slow
        solver = replace(solver, warm_iter=5000, last_iter=10_000, learning_rate=1e-3)
    return solver, constraint, penalty


@dataclass
class SupportWatch:
    """A callback that follows the support, as it is and after a threshold."""

    truth: BoolArray
    supports: list[int] = field(default_factory=list)
    strong: list[int] = field(default_factory=list)
    best_shd: int | None = None
    first_true: int | None = None  # iteration at which the support is that of the truth

    def __call__(self, progress: dict[str, Any]) -> None:
        """Look at one step."""
        W = progress["W"]
        self.supports.append(fingerprint(W))
        self.strong.append(fingerprint(np.where(np.abs(W) > CUTOFF, W, 0.0)))
        distance = shd(W != 0, self.truth)
        if self.best_shd is None or distance < self.best_shd:
            self.best_shd = distance
        if distance == 0 and self.first_true is None:
            self.first_true = progress["iteration"]


def shd(B: BoolArray, T: BoolArray) -> int:
    """Structural Hamming distance of two supports; the same as `metrics.compare`, and quicker."""
    right = int(np.count_nonzero(B & T))
    turned = int(np.count_nonzero(B & ~T & T.T & ~B.T))
    return int(B.sum()) + int(T.sum()) - 2 * right - turned


def signs_agree(W: Array, truth: Array) -> bool:
    """Whether every weight has the sign of the true one, zeros included."""
    return bool((np.sign(W) == np.sign(truth)).all())


def _trajectory(case: Case) -> dict[str, Any]:
    """Follow the support of a method on a table."""
    truth, moments = methods.sparse_moments(case)
    if case["method"] == "daglock":
        return _engine(moments, truth)
    threshold = methods.stable_lam(moments)
    lam = methods.lam_of(case, threshold)
    solver, constraint, penalty = method_of(case["method"], lam)
    eye = SupportWatch(truth != 0)
    solution = solver.solve(Problem(LeastSquares(moments), constraint, penalty), callback=eye)
    strong = np.where(np.abs(solution.W) > CUTOFF, solution.W, 0.0)
    return {
        **summary(solution),
        "lam": few(lam),
        "threshold": few(threshold),
        "K": identification(np.array(eye.supports, dtype=np.uint64)),
        "K_cut": identification(np.array(eye.strong, dtype=np.uint64)),
        "nnz_largest": int(solution.trace.n_nonzero.max()),
        "shd": shd(solution.W != 0, truth != 0),
        "shd_best": eye.best_shd,
        "shd_cut": shd(strong != 0, truth != 0),
        "shd_empty": int(np.count_nonzero(truth)),
        "first_true": eye.first_true,
        "signs": signs_agree(solution.W, truth),
        "signs_cut": signs_agree(strong, truth),
    }


def _engine(moments: Moments, truth: Array) -> dict[str, Any]:
    """Run the engine from its continuous stage; K counts the stages of the path in μ."""
    always = replace(SETTINGS, max_exact=0)  # without a search there is no continuous stage
    asked: Any = {"noise": "equal", "start": "continuous", "rng": 0, "settings": always}
    learned, seconds, _ = timed(lambda: learn(moments, **asked))
    W, trace = learned.to_sparse().toarray(), learned.trace
    return {
        "lam": None,
        "status": learned.status.value,
        "is_dag": is_dag(W),
        "n_iter": len(trace.mu) - 1,
        "K": trace.identification_iteration,
        "nnz": int(np.count_nonzero(W)),
        "nnz_path": int(trace.n_nonzero[-1]),
        "shd": shd(W != 0, truth != 0),
        "shd_empty": int(np.count_nonzero(truth)),
        "signs": signs_agree(W, truth),
        "verified": learned.certificate.verify(moments),
        "seconds": seconds,
    }


def _assumptions(case: Case) -> dict[str, Any]:
    """Evaluate κ, γ, beta-min and δ* at the truth, and take steps from the true support."""
    if case["graph"] == "ER1":
        truth, X = methods.sparse_sem(case["d"], case["seed"], case["n"])
        order = topological_order(truth)
    else:
        truth = cycle(1, case["seed"])
        X = linear_sem(truth, case["n"], rng=1000 + case["seed"])
        order = np.arange(3)  # only `gamma_before` looks at it, which is left out
    moments = Moments.from_data(X)
    source, target, weight = edge_list(truth)
    names = ("kappa", "gamma", "gamma_before", "weakest", "largest_lam", "force", "feasible")
    found: dict[str, Any] = {}
    for scale in ("raw", "standardised"):
        at = evaluate_assumptions(
            moments, source, target, weight, order, standardise=scale == "standardised"
        )
        found[scale] = {name: getattr(at, name) for name in names}
        if not is_dag(truth):
            found[scale]["gamma_before"] = None
    raw = found["raw"]
    force = float(np.nextafter(raw["force"], 9e9))
    lams = dict(zip(STAR_LAMS, (raw["largest_lam"], 0.1, 1.0, force, 2.0 * force), strict=True))
    found |= _critical_radius(moments, truth, lams)
    if is_dag(truth):
        found["sample"] = _from_truth(moments, truth)
        population = Moments.from_covariance(population_covariance(truth), n=case["n"])
        found["population"] = _from_truth(population, truth)
    return found


def places(truth: Array) -> dict[str, list[Array]]:
    """Return W*, and points around it: each distance both ways along one draw of signs."""
    d = len(truth)
    signs = np.random.default_rng(d).choice([-1.0, 1.0], (d, d)) * (1.0 - np.eye(d))
    found = {"W*": [truth]}
    for kind, along in (("edges", signs * (truth != 0)), ("all entries", signs)):
        found |= {f"{kind}, {r:g}": [truth + r * along, truth - r * along] for r in RADII}
    return found


def _critical_radius(moments: Moments, truth: Array, lams: dict[str, float]) -> dict[str, Any]:
    """Return the δ of a grid for which one step of SPG ends at the support of W*, by place.

    δ* of the paper is the supremum of those δ for which this holds everywhere in a neighbourhood of
    W*. The step is as long as the theorem allows, η < 1/L with L = O(1/δ).
    """
    loss, support = LeastSquares(moments), truth != 0
    curvature = float(np.linalg.eigvalsh(moments.cov)[-1])
    off = ~np.eye(len(truth), dtype=np.bool_)
    kept: dict[str, dict[str, list[float]]] = {name: {p: [] for p in PLACES} for name in lams}
    entered: dict[str, int] = {}
    for place, points in places(truth).items():
        grads = [loss.value_and_grad(W)[1] for W in points]
        for delta in DELTA_GRID:
            smooth = Smoothed(SAHOC(alpha=ALPHA), delta=delta)
            ends: dict[str, list[Array]] = {name: [] for name in lams}
            for W, grad in zip(points, grads, strict=True):
                h, grad_h = smooth.value_and_grad(W)
                G = grad + (1.0 + h) * grad_h  # multiplier and ρ of one
                eta = 1.0 / (curvature + (1.0 + h) / delta)
                for name, lam in lams.items():
                    ends[name].append(np.where(off, L1(lam).prox(W - eta * G, eta), 0.0))
            for name, found in ends.items():
                if all(((W != 0) == support).all() for W in found):
                    kept[name][place].append(delta)
                if place == "W*":
                    entered[name] = int(np.count_nonzero((found[0] != 0) & ~support))
    return {"kept": kept, "entered": entered}


def _from_truth(moments: Moments, truth: Array) -> dict[str, Any]:
    """Start at the true support and see who leaves it, SPG-AHOC or the non-smooth step.

    The start is the least-squares fit on the true parents. λ of SPG-AHOC is the largest that
    beta-min allows. ProxLinear has an MCP as in docs/theory.md, Corollary 11, with γλ below the
    weakest edge, and one large μ.
    """
    S, support = moments.cov, truth != 0
    start, kappa = np.zeros_like(truth), np.inf
    for j, P in enumerate(parents_of(*edge_list(truth)[:2], len(truth))):
        start[P, j] = least_squares(S, P, j)
        if len(P):
            kappa = min(kappa, float(np.linalg.eigvalsh(S[np.ix_(P, P)])[0]))
    weakest = float(np.abs(start[support]).min())
    problem = Problem(LeastSquares(moments), compose("SPG-AHOC")[1], L1(kappa * weakest / 4.0))
    smoothed = SPG(max_outer=1, max_inner=1).solve(problem, start=start).W
    penalty = MCP(0.3 * weakest, 3.0)
    repaired = Problem(LeastSquares(moments), LogDet(alpha=ALPHA), penalty)
    end = ProxLinear(mus=(1000.0,)).solve(repaired, start=start)
    prints = np.array([fingerprint(start), *end.trace.fingerprint], dtype=np.uint64)
    return {
        "edges": int(support.sum()),
        "spg": _changes(smoothed, support),
        "repaired": _changes(end.W, support),
        "repaired_always_kept": bool((prints == prints[0]).all()),
        "repaired_is_dag": end.is_dag,
    }


def _changes(W: Array, support: BoolArray) -> dict[str, int]:
    """Count what entered, how much of it is the reverse of a true edge, and what was lost."""
    entered = (W != 0) & ~support
    return {
        "entered": int(entered.sum()),
        "reversed": int((entered & support.T).sum()),
        "lost": int(((W == 0) & support).sum()),
    }


def _portrait(case: Case) -> dict[str, Any]:
    """Follow the two weights of two variables."""
    moments = Moments.from_covariance(TWO, n=1000)
    solver, constraint, penalty = method_of(case["method"], case["lam"])
    if isinstance(solver, AdamALM):
        solver = replace(solver, max_inner=300)
    start = np.array([[0.0, case["start"][0]], [case["start"][1], 0.0]])
    solution, points = watch(
        Problem(LeastSquares(moments), constraint, penalty), solver, start=start
    )
    return {
        "status": solution.status.value,
        "n_iter": solution.n_iter,
        "K": solution.trace.identification_iteration,
        "is_dag": solution.is_dag,
        "delta": DELTA if isinstance(constraint, Smoothed) else None,
        "multiplier": few(solution.multiplier),
        "end": [float(solution.W[0, 1]), float(solution.W[1, 0])],
        "iteration": [p.iteration for p in points],
        "forward": rounded([float(p.W[0, 1]) for p in points]),
        "backward": rounded([float(p.W[1, 0]) for p in points]),
        "seconds": solution.seconds,
    }
