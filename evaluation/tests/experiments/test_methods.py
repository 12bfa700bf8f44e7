"""The methods by name: what they are made of, when they end, and how they are scored."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from daglock.constraints import SAHOC, Smoothed
from daglock.errors import InvalidParameterError
from daglock.losses import LeastSquares
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.solvers import SPG
from daglock.typing import Array
from daglock_evaluation.experiments.drawing import mark_of
from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Record, point_of
from daglock_evaluation.experiments.methods import (
    METHODS,
    Estimate,
    Limits,
    result_of,
    run_method,
    run_solver,
    sparse_sem,
    stable_lam,
)
from daglock_evaluation.methods.paper import PAPER


@pytest.fixture(scope="module")
def sem() -> tuple[Array, Array]:
    return sparse_sem(8, seed=0)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_and_leaves_the_table_alone(name: str, sem: tuple[Array, Array]) -> None:
    W, X = sem
    before = X.copy()
    result = result_of(run_method(name, X, lam=0.1, limits=Limits(steps=50)), W)
    np.testing.assert_array_equal(X, before)
    assert result["cpu_seconds"] >= 0.0
    point = point_of(result)
    if "nnz" in point:
        assert 0 <= point["nnz"] <= 56
    assert mark_of(name)["label"] == name


def test_names_are_checked(sem: tuple[Array, Array]) -> None:
    with pytest.raises(InvalidParameterError, match="no method 'NOTEARS'"):
        run_method("NOTEARS", sem[1])
    with pytest.raises(InvalidParameterError, match="needs lam"):
        run_method("SPG-AHOC", sem[1])


def test_spg_is_the_solver_on_the_smoothed_core(sem: tuple[Array, Array]) -> None:
    moments = Moments.from_data(sem[1])
    problem = Problem(LeastSquares(moments), Smoothed(SAHOC(alpha=0.5), delta=1e-7), L1(0.3))
    solution = SPG().solve(problem)
    estimate = run_solver("SPG-AHOC", moments, 0.3)
    assert estimate.W is not None
    np.testing.assert_array_equal(estimate.W, solution.W)
    assert estimate.status == solution.status.value
    assert estimate.h == solution.h


@pytest.mark.parametrize("name", PAPER)
def test_limits_end_a_run(name: str, sem: tuple[Array, Array]) -> None:
    steps = run_method(name, sem[1], lam=0.1, limits=Limits(steps=7))
    assert (steps.status, steps.n_iter) == ("iteration_limit", 7)
    clock = run_method(name, sem[1], lam=0.1, limits=Limits(cpu_seconds=0.0))
    assert clock.status == "time_limit"


def test_stable_lam_is_the_largest_covariance(sem: tuple[Array, Array]) -> None:
    S = np.cov(sem[1], rowvar=False, bias=True)
    largest = np.abs(S - np.diag(np.diag(S))).max()
    assert stable_lam(sem[1]) == pytest.approx(largest)
    assert run_method("SPG-AHOC", sem[1], lam=largest * 1.0001).status == "stayed_at_start"
    below = run_method("SPG-AHOC", sem[1], lam=largest * 0.99, limits=Limits(steps=1))
    assert below.n_iter == 1


def test_what_is_right_scores_its_number_of_edges_against_the_transpose(
    sem: tuple[Array, Array],
) -> None:
    W, X = sem
    result = result_of(run_method("daglock (equal)", X), W)
    assert result["shd"] == 0
    assert result["shd_transposed"] == 8
    assert result["cpdag_shd"] == 0
    assert result["is_dag"]
    assert result["tpr"] == 1.0
    assert result["sparsity"] == pytest.approx(1 - 8 / 56)


def test_scores_by_hand() -> None:
    truth = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    # 0 -> 1 right, 2 -> 1 the wrong way, 0 <-> 2 a weak cycle that nobody asked for
    W = np.array([[0.0, 0.8, 0.1], [0.0, 0.0, 0.0], [0.2, 0.7, 0.0]])
    result = result_of(Estimate(W, "converged_cyclic", h=0.5, n_iter=3), truth)
    assert (result["nnz"], result["shd"], result["is_dag"]) == (4, 3, False)
    assert result["shd_transposed"] == 3  # 1 -> 0 reversed, 2 -> 1 right, two extra
    assert (result["nnz_cut"], result["shd_cut"], result["is_dag_cut"]) == (2, 1, True)
    assert result["tpr"] == 0.5
    # the cut graph is a collider at 1, the truth a chain: both pairs carry another mark
    assert result["cpdag_shd"] == 2
    assert Record({}, result)["converged"]


def test_a_point_that_a_time_limit_left_is_kept_apart() -> None:
    truth = np.array([[0.0, 1.0], [0.0, 0.0]])
    result = result_of(Estimate(np.zeros((2, 2)), "time_limit", n_iter=9), truth)
    assert "shd" not in result
    assert point_of(result)["shd"] == 1
    assert not Record({}, result)["converged"]


def test_a_cpdag_is_scored_as_a_class() -> None:
    truth = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    cpdag = np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]], dtype=np.int8)
    result = result_of(Estimate(None, "finished", cpdag=cpdag), truth)
    assert (result["cpdag_shd"], result["nnz"]) == (0, 2)
    assert "shd" not in result


@pytest.mark.parametrize(("name", "module"), [("dagma package", "dagma"), ("FLOP", "flopsearch")])
def test_a_package_that_is_missing_is_said(
    name: str, module: str, sem: tuple[Array, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    for known in [loaded for loaded in sys.modules if loaded.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, module, None)
    result = result_of(run_method(name, sem[1]), sem[0])
    assert result["status"] == "skipped"
    assert result["skipped"].endswith(f"pip install {module}")


def test_the_dagma_package_agrees_with_the_central_path(sem: tuple[Array, Array]) -> None:
    pytest.importorskip("dagma")
    W, X = sem
    theirs = result_of(run_method("dagma package", X, lam=0.05), W)
    ours = result_of(run_method("DAGMA", X, lam=0.05), W)
    assert theirs["nnz"] == ours["nnz"] == 56
    assert theirs["nnz_cut"] == ours["nnz_cut"]
    assert theirs["shd_cut"] == ours["shd_cut"]


def test_the_dagma_package_gives_nothing_when_its_time_is_over(sem: tuple[Array, Array]) -> None:
    pytest.importorskip("dagma")
    estimate = run_method("dagma package", sem[1], limits=Limits(cpu_seconds=0.0))
    assert (estimate.W, estimate.status) == (None, "time_limit")


def test_sorting_needs_variances_that_differ(sem: tuple[Array, Array]) -> None:
    X = sem[1] / sem[1].std(axis=0)
    assert "same variance" in run_method("sortnregress", X).note


def test_records_are_found_by_their_settings() -> None:
    def record(seed: int, result: dict[str, Any]) -> Record:
        return Record({"d": 5, "seed": seed}, {"status": "finished", **result})

    found = Runs([record(0, {"shd": 3}), record(1, {"skipped": "no"}), record(2, {"shd": None})])
    assert found.where(d=5).all("seed") == [0, 2]
    assert found.values("shd") == [3]
    assert not found.where(d=6)
