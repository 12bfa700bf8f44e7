from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from daglock.constraints import SAHOC
from daglock.losses import LeastSquares
from daglock.metrics import compare
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solution import Status, identification
from daglock.solvers import ProxLinear
from daglock_evaluation.experiments import identification_runs as runs
from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Case, Outcome, Record
from daglock_evaluation.experiments.identification import EXPERIMENT, QUANTITIES
from daglock_evaluation.experiments.identification_claims import (
    CONVERGENCE,
    _convergence,
    critical_radius,
)
from daglock_evaluation.experiments.methods import sparse_sem
from daglock_evaluation.experiments.trajectories import watch
from experiments.smallest import SMALLEST


@pytest.fixture(scope="module")
def records() -> list[Record]:
    chosen: list[Case] = [
        *SMALLEST["identification"],
        {"kind": "portrait", "method": "SPG-AHOC", "start": [0.0, 0.0], "lam": 0.1},
        {"kind": "assumptions", "n": 1000, "graph": "near-cyclic", "d": 3, "seed": 0},
        {"kind": "trajectory", "d": 5, "n": 500, "seed": 0, "method": "daglock", "lam": 0.2},
    ]
    return [Record(case, EXPERIMENT.run(case)) for case in chosen]


def test_shows_something_for_few_records(records: list[Record]) -> None:
    few = records[: len(SMALLEST["identification"])]
    assert len(EXPERIMENT.tables(few)) == 5
    assert set(EXPERIMENT.figures(few)) == {
        "identification",
        "identification_portrait",
        "identification_assumptions",
    }
    assert EXPERIMENT.verdicts(few)
    assert EXPERIMENT.tables([]) == []
    assert EXPERIMENT.figures([]) == {}
    assert EXPERIMENT.verdicts([]) == []


def test_shd_is_that_of_the_metrics() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        B, T = rng.random((2, 5, 5)) < 0.3
        T &= np.triu(np.ones((5, 5), dtype=bool), 1)
        np.fill_diagonal(B, False)
        expected = compare(B.astype(float), T.astype(float)).shd
        assert runs.shd(B, T) == expected


def test_watch_agrees_with_the_trace() -> None:
    truth, X = sparse_sem(5, 0, 500)
    eye = runs.SupportWatch(truth != 0)
    problem = Problem(LeastSquares(Moments.from_data(X)), SAHOC(), L1(0.2))
    solution = ProxLinear().solve(problem, callback=eye)
    K = identification(np.array(eye.supports, dtype=np.uint64))
    assert solution.trace.identification_iteration == K
    assert 0 < K <= solution.n_iter
    assert eye.best_shd == 0
    # the support that stays is the true one here, so it was true from K on at the latest
    assert eye.first_true is not None
    assert eye.first_true <= K


def test_entries_enter_where_the_loss_pulls_harder_than_lam(records: list[Record]) -> None:
    """At W* the gradient of the smoothed h is zero off the edges: |∂L/∂W| > λ decides."""
    record = records[1]
    truth, X = sparse_sem(20, 0, 1000)
    X = X - X.mean(axis=0)
    grad = X.T @ (X @ truth - X) / len(X)
    off = (truth == 0) & ~np.eye(20, dtype=bool)
    for lam in ("0.1", "1"):
        pulled = int(np.count_nonzero(np.abs(grad[off]) > float(lam)))
        assert record.result["entered"][lam] == pulled
        assert (critical_radius(record, lam, "W*") is None) == (pulled > 0)
    assert record.result["raw"]["force"] == pytest.approx(np.abs(grad[off]).max(), rel=1e-2)
    assert record.result["entered"]["force"] == 0


def test_critical_radius_goes_down_to_the_smallest_delta() -> None:
    def radius(*kept: float) -> float | None:
        return critical_radius(Record({}, {"kept": {"1": {"W*": list(kept)}}}), "1", "W*")

    assert radius(*runs.DELTA_GRID) == 1.0
    assert radius(*runs.DELTA_GRID[:3], 1.0) == runs.DELTA_GRID[2]
    assert radius(*runs.DELTA_GRID[1:]) is None


def test_around_the_truth_a_short_step_cannot_clear_what_is_there(records: list[Record]) -> None:
    """A step of η < δ moves an entry by no more than η(λ + |G|), with G of order one here."""
    kept = records[1].result["kept"]["2 × force"]
    assert kept["W*"] == list(runs.DELTA_GRID)
    assert kept["edges, 0.0001"] == list(runs.DELTA_GRID)
    for radius in runs.RADII:
        assert all(delta > 0.05 * radius for delta in kept[f"all entries, {radius:g}"])
    points = runs.places(np.array([[0.0, 0.7], [0.0, 0.0]]))
    assert list(points) == list(runs.PLACES)
    moved = sorted(float(np.abs(W).sum()) for W in points["edges, 0.01"])
    assert moved == pytest.approx([0.69, 0.71])
    assert all(W[1, 0] != 0 and W[0, 0] == 0 for W in points["all entries, 0.01"])


def test_the_column_of_convergence_is_a_rule() -> None:
    def records_of(**by_method: dict[str, Any]) -> list[Record]:
        usual = {"status": "converged_cyclic", "shd": 30, "shd_cut": 1, "nnz": 60, "signs": False}
        return [
            Record(
                {"kind": "trajectory", "d": 20, "seed": 0, "method": method, "lam": 0.2},
                {**usual, **by_method.get(kind, {})},
            )
            for method, kind in CONVERGENCE.items()
        ]

    def outcome(**by_kind: dict[str, Any]) -> Outcome:
        return _convergence(
            Runs(replace(r, quantities=QUANTITIES) for r in records_of(**by_kind))
        ).outcome

    stalled, right = {"status": "line_search_stalled"}, {"shd": 0, "signs": True}
    assert outcome(none=stalled, exact=right) is Outcome.CONFIRMED
    assert outcome(exact=right) is Outcome.CORRECTED
    assert outcome(none=stalled, exact=stalled) is Outcome.NOT_CONFIRMED
    assert outcome(none=stalled, exact=right, asymptotic={"shd_cut": 9}) is Outcome.CORRECTED


def test_assumptions_by_the_whole_hessian(records: list[Record]) -> None:
    """κ and γ from the d² × d² Hessian, which is S for every column."""
    truth, X = sparse_sem(20, 0, 1000)
    H = np.kron(np.eye(20), np.cov(X, rowvar=False, bias=True))  # columns of W one below the other
    edge = (truth != 0).T.ravel()
    absent = ~edge & ~np.eye(20, dtype=bool).ravel()
    inner = H[np.ix_(edge, edge)]
    raw = records[1].result["raw"]
    assert raw["kappa"] == pytest.approx(np.linalg.eigvalsh(inner)[0], rel=1e-2)
    rows = np.abs(H[np.ix_(absent, edge)] @ np.linalg.inv(inner)).sum(axis=1)
    assert raw["gamma"] == pytest.approx(1.0 - rows.max(), rel=1e-2)


def test_true_support_is_left_by_the_smoothed_step_and_kept_by_the_other(
    records: list[Record],
) -> None:
    """docs/theory.md, Proposition 5 and Corollary 11."""
    population = records[1].result["population"]
    assert population["spg"]["reversed"] > 0
    assert population["spg"]["lost"] == 0
    assert population["repaired"] == {"entered": 0, "reversed": 0, "lost": 0}
    assert population["repaired_always_kept"]


def test_reverse_weight_has_the_size_that_the_theory_gives(records: list[Record]) -> None:
    """docs/theory.md, Proposition 3: δ q/√(1 − q²), q = (|f| − λ)/p, p = μ(1 − α)C."""
    result = next(r.result for r in records if r.case.get("start") == [0.0, 0.0])
    forward, backward = result["end"]
    W = np.array([[0.0, forward], [0.0, 0.0]])
    f = (runs.TWO @ (W - np.eye(2)))[1, 0]
    C = SAHOC(alpha=0.5).value_and_core_grad(W)[1][1, 0]
    q = (abs(f) - 0.1) / (result["multiplier"] * 0.5 * C)
    assert 0.0 < q < 1.0
    assert abs(backward) == pytest.approx(result["delta"] * q / np.sqrt(1.0 - q * q), rel=0.1)
    assert not result["is_dag"]


def test_non_smooth_step_locks_in_two_variables(records: list[Record]) -> None:
    result = records[0].result
    # L1 on one edge: w = (S_01 − λ)/S_00
    assert result["end"][0] == pytest.approx(0.8 - 0.1, abs=1e-8)
    assert result["end"][1] == 0.0
    assert result["is_dag"]


def test_engine_finds_the_truth(records: list[Record]) -> None:
    result = records[-1].result
    assert result["shd"] == 0
    assert result["signs"]
    assert result["verified"]


def test_signs_ask_for_zeros_too() -> None:
    truth = np.array([[0.0, -0.5], [0.0, 0.0]])
    assert runs.signs_agree(np.array([[0.0, -2.0], [0.0, 0.0]]), truth)
    assert not runs.signs_agree(-truth, truth)
    assert not runs.signs_agree(np.array([[0.0, -2.0], [1e-9, 0.0]]), truth)


def test_verdicts_follow_the_records(records: list[Record]) -> None:
    def outcomes(found: list[Record]) -> dict[str, Outcome]:
        return {v.claim.split()[0] + v.claim.split()[-1]: v.outcome for v in verdicts(found)}

    def verdicts(found: list[Record]) -> Any:
        return EXPERIMENT.verdicts(found)

    measured = outcomes(records)
    assert measured["SPG-AHOCabstract)."] is Outcome.NOT_CONFIRMED
    assert set(measured.values()) == {Outcome.NOT_CONFIRMED, Outcome.CORRECTED}

    def changed(record: Record) -> Record:
        """As the paper says."""
        result: dict[str, Any] = {**record.result}
        if record.case["kind"] == "trajectory":
            result.update(shd=0, nnz=5, signs=True, is_dag=True)
        elif record.case["kind"] == "portrait":
            result["end"] = [0.7, 0.0]
        else:
            for scale in ("raw", "standardised"):
                result[scale] = {**result[scale], "gamma": 0.5, "feasible": True}
            result["kept"] = {
                lam: {place: list(runs.DELTA_GRID) for place in places}
                for lam, places in result["kept"].items()
            }
            if "population" in result:
                kept = {"entered": 0, "reversed": 0, "lost": 0}
                result["population"] = {**result["population"], "spg": kept}
        return Record(record.case, result)

    assert set(outcomes([*map(changed, records)]).values()) == {Outcome.CONFIRMED}


def test_dense_methods_never_reach_zero() -> None:
    _, X = sparse_sem(4, 0, 200)
    solver, constraint, penalty = runs.method_of("DAGMA", 0.2)
    problem = Problem(LeastSquares(Moments.from_data(X)), constraint, penalty)
    solution, points = watch(problem, solver, max_steps=200)
    assert solution.n_iter == points[-1].iteration == 200
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.n_nonzero == 12
    assert solution.trace.identification_iteration == 1
