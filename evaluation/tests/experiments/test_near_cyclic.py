from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daglock.constraints import SAHOC, Smoothed
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.simulate import linear_sem
from daglock.solvers.augmented_lagrangian import AugmentedLagrangianSolver
from daglock_evaluation.experiments import near_cyclic_runs as runs
from daglock_evaluation.experiments.experiment import Case, Outcome, Record
from daglock_evaluation.experiments.measured import spectral_radius
from daglock_evaluation.experiments.near_cyclic import EXPERIMENT
from daglock_evaluation.experiments.trajectories import penalty_weights
from experiments.smallest import SMALLEST


def solve_case(**changes: Any) -> Case:
    return {**SMALLEST["near_cyclic"][1], **changes}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    chosen: list[Case] = [
        *SMALLEST["near_cyclic"],
        {"kind": "curvature", "constraint": "LogDet"},
        solve_case(sign=-1),
        *(
            solve_case(method=method, sign=sign)
            for method in ("AAC [Prox-LS]", "SPG, δ path", "SPG, α path", "daglock")
            for sign in (1, -1)
        ),
    ]
    return [Record(case, EXPERIMENT.run(case)) for case in chosen]


def test_shows_something_for_the_smallest_cases_alone() -> None:
    few = [Record(case, EXPERIMENT.run(case)) for case in SMALLEST["near_cyclic"]]
    assert len(EXPERIMENT.tables(few)) == 2
    assert set(EXPERIMENT.figures(few)) == {
        "near_cyclic",
        "near_cyclic_lagrangian",
        "near_cyclic_ends",
    }
    assert EXPERIMENT.verdicts(few) == []
    assert EXPERIMENT.verdicts([]) == []
    assert EXPERIMENT.figures([]) == {}


def test_quick_cases_are_among_the_full_ones() -> None:
    full = EXPERIMENT.cases(False)
    assert all(case in full for case in EXPERIMENT.cases(True))


@pytest.mark.parametrize("sign", [1, -1])
def test_cycle_has_the_radius_and_the_determinant(sign: int) -> None:
    W = runs.cycle(sign, seed=3)
    assert spectral_radius(W) == pytest.approx(runs.RADIUS, rel=1e-12)
    product = sign * runs.RADIUS**1.5
    assert np.linalg.det(np.eye(3) - W) == pytest.approx(1.0 - product, rel=1e-6)


def test_opened_cycle_is_a_dag() -> None:
    assert spectral_radius(runs.cycle(0, seed=3)) == 0.0


def test_variances_are_those_of_the_equilibrium(records: list[Record]) -> None:
    for record in records:
        if record.case["kind"] != "solve":
            continue
        inverse = np.linalg.inv(np.eye(3) - runs.cycle(record.case["sign"], 0))
        expected = (inverse**2).sum(axis=0).max()
        assert record.result["largest_variance"] == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize(
    ("name", "slopes"),
    [
        # h as a function f of p = (w₁w₂w₃)²: f′ and f″
        ("LogDet", lambda p: (1.0 / (1.0 - p), 1.0 / (1.0 - p) ** 2)),
        ("Exp", lambda p: _exp_slopes(p)),
    ],
)
def test_curvature_is_the_closed_form(
    name: str, slopes: Callable[[float], tuple[float, float]]
) -> None:
    result = EXPERIMENT.run({"kind": "curvature", "constraint": name})
    for radius, norm, condition in zip(
        result["radii"], result["norm"], result["condition"], strict=True
    ):
        W = runs.cycle(1, 0)
        w = W[W != 0] * np.sqrt(radius / runs.RADIUS)
        p = float(np.prod(w) ** 2)
        first, second = slopes(p)
        H = (4 * p * first + 4 * p * p * second) / np.outer(w, w)
        H[np.diag_indices(3)] -= 2 * p * first / w**2
        sizes = np.abs(np.linalg.eigvalsh(H))
        assert norm == pytest.approx(sizes.max(), rel=1e-3)
        assert condition == pytest.approx(sizes.max() / sizes.min(), rel=1e-2)


def _exp_slopes(p: float) -> tuple[float, float]:
    """h = 3 Σ p^k/(3k)!: the closed walks of a cycle of three have 3, 6, ... steps."""
    factorials = [np.prod(np.arange(1.0, 3 * k + 1)) for k in range(1, 7)]
    first = sum(3 * k * p ** (k - 1) / f for k, f in enumerate(factorials, 1))
    second = sum(3 * k * (k - 1) * p ** (k - 2) / f for k, f in enumerate(factorials, 1) if k > 1)
    return float(first), float(second)


@pytest.mark.parametrize("method", ["SPG-AHOC", "EXP [Adam]", "SPG, δ path", "SPG, α path"])
def test_penalties_are_those_of_the_solver(method: str) -> None:
    """The multiplier that the rule gives at the end is the one that the solver reports."""
    moments = Moments.from_data(linear_sem(runs.cycle(-1, 0), 200, rng=0))
    solver, constraint = runs.method_of(method, max_inner=20)
    assert isinstance(solver, AugmentedLagrangianSolver)
    stages = {"SPG, δ path": len(runs.DELTAS) + 1, "SPG, α path": len(runs.ALPHAS) + 1}
    solver = replace(solver, max_outer=stages.get(method, 1) + 4)
    solution = solver.solve(Problem(LeastSquares(moments), constraint, L1(0.1)))
    weights = penalty_weights(solution.trace, solver, stages.get(method, 1))
    assert solution.trace.outer[-1] == solver.max_outer - 1
    assert weights[-1][0] == pytest.approx(solution.multiplier, rel=1e-9)


def test_alpha_path_ends_at_the_problem() -> None:
    last = Smoothed(SAHOC(alpha=0.5), delta=1e-7)
    moments = Moments.from_covariance(np.eye(2), n=10)
    path = runs.AlphaPath()._constraints(Problem(LeastSquares(moments), last, L1(0.1)))
    assert path[-1] == last
    alphas = [c.exact.alpha for c in path if isinstance(c, Smoothed) and isinstance(c.exact, SAHOC)]
    assert alphas == sorted(alphas, reverse=True)
    assert len(set(alphas)) == len(path) > 3


def test_verdicts_follow_the_records(records: list[Record]) -> None:
    by_claim = {v.claim.split()[0]: v for v in EXPERIMENT.verdicts(records)}
    assert by_claim["The"].outcome is Outcome.NOT_CONFIRMED
    assert "of 1" in by_claim["On"].measured

    def changed(record: Record) -> Record:
        """As the paper says: baselines and continuations converge, AHOC's curvature diverges."""
        result = dict(record.result)
        if record.case["kind"] == "curvature":
            result["condition"] = [1.0, 1.0, *[1e9] * 7]
        elif record.case["method"] != "SPG-AHOC" or record.case["sign"] == -1:
            result.update(h=0.0, is_dag=True)
        return Record(record.case, result)

    by_claim = {v.claim.split()[0]: v for v in EXPERIMENT.verdicts([*map(changed, records)])}
    assert by_claim["The"].outcome is Outcome.CONFIRMED
    assert by_claim["On"].outcome is Outcome.CONFIRMED
    assert by_claim["Adjusting"].outcome is Outcome.CONFIRMED
    assert by_claim["Results"].outcome is Outcome.NOT_CONFIRMED

    def reversed_roles(record: Record) -> Record:
        """As section 5 says: the family of AHOC does better than the baselines."""
        if record.case["kind"] == "curvature":
            return record
        ours = "AHOC" in record.case["method"]
        return Record(record.case, {**record.result, "h": 0.0 if ours else 1.0, "is_dag": ours})

    by_claim = {v.claim.split()[0]: v for v in EXPERIMENT.verdicts([*map(reversed_roles, records)])}
    assert by_claim["Results"].outcome is Outcome.CONFIRMED


def test_engine_returns_a_dag_and_warns_of_the_near_cycle(records: list[Record]) -> None:
    engine = {r.case["sign"]: r.result for r in records if r.case.get("method") == "daglock"}
    assert all(result["is_dag"] for result in engine.values())
    assert engine[1]["warned"]
    assert not engine[-1]["warned"]
