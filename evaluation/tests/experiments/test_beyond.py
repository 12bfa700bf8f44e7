from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from daglock.graph import is_dag
from daglock_evaluation.experiments import beyond_runs as runs
from daglock_evaluation.experiments.beyond import EXPERIMENT, exponent, times
from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Case, Outcome, Record
from experiments.smallest import SMALLEST, without_times

METHODS = (runs.DENSE, runs.PARTS, runs.SERIES, runs.COLUMNS, *runs.PROBES)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    chosen: list[Case] = [
        {"kind": "h", "input": name, "method": method, "d": d, "seed": 0}
        for name in runs.INPUTS
        for method in METHODS
        for d in (20, 40)
    ]
    chosen += [
        {"kind": "h", "input": runs.SMOOTHED, "method": runs.DENSE, "d": 20, "seed": 0},
        {"kind": "step", "d": 10, "n": 200, "seed": 0, "lam": 0.2, "steps": 2},
        {"kind": "engine", "noise": "equal", "d": 30, "n": 1000, "seed": 0},
        {"kind": "engine", "noise": "unequal", "d": 30, "n": 1000, "seed": 0},
    ]
    return [Record(case, EXPERIMENT.run(case)) for case in chosen]


def test_second_run_gives_the_same(records: list[Record]) -> None:
    for record in records[:8] + records[-4:]:
        assert without_times(EXPERIMENT.run(record.case)) == without_times(record.result)


def test_shows_something_for_the_smallest_cases_alone() -> None:
    few = [Record(case, EXPERIMENT.run(case)) for case in SMALLEST["beyond"]]
    assert len(EXPERIMENT.tables(few)) == 2
    assert set(EXPERIMENT.figures(few)) == {"beyond"}
    assert EXPERIMENT.figures([]) == {}
    assert EXPERIMENT.tables([]) == []
    assert EXPERIMENT.verdicts([]) == []


def test_all_ways_give_the_closed_form_of_a_cycle() -> None:
    """For A = [[0, a], [b, 0]] tr exp(A) = 2 cosh √(ab), exp(A)_01 = a sinh(√(ab))/√(ab)."""
    a, b = 0.6, 0.2
    A = np.array([[0.0, a], [b, 0.0]])
    edges = np.array([0, 1]), np.array([1, 0])
    root = np.sqrt(a * b)
    expected = np.array([b, a]) * np.sinh(root) / root  # slope of (i, j) is exp(A)_ji
    for method in (runs.DENSE, runs.SERIES, runs.COLUMNS):
        value, slopes = runs.evaluate(method, A, edges, 0)
        assert value == pytest.approx(2.0 * np.cosh(root) - 2.0, rel=1e-12)
        np.testing.assert_allclose(slopes, expected, rtol=1e-12)


def test_probes_estimate_with_the_error_that_they_should_have() -> None:
    """The variance of zᵀAz with entries ±1 is at most 2‖A‖_F²."""
    W = runs.matrix("few cycles", 50, 0)
    A, edges = runs.scaled(W), runs._edges(W)
    exact, slopes = runs.evaluate(runs.DENSE, A, edges, 0)
    csr = scipy.sparse.csr_array(A)
    few = [runs.by_action(csr, edges, 10, seed)[0] - exact for seed in range(50)]
    bound = np.sqrt(2.0 / 10.0) * np.linalg.norm(A)
    assert 0.2 * bound < np.std(few) < 1.5 * bound
    many, estimated = runs.by_action(csr, edges, 20_000, 0)
    assert abs(many - exact) < 0.05
    np.testing.assert_allclose(estimated, slopes, atol=0.05)


def test_inputs_are_what_they_are_called() -> None:
    assert is_dag(runs.matrix("DAG", 60, 1))
    few = runs.matrix("few cycles", 60, 1)
    assert np.count_nonzero((few != 0) & (few != 0).T) == 2 * 3
    many = runs.matrix("two edges a node", 60, 1)
    _, label = connected_components(scipy.sparse.csr_array(many), connection="strong")
    assert np.bincount(label).max() > 30


def test_exact_ways_are_exact_and_probes_are_not(records: list[Record]) -> None:
    for record in records:
        if record.case["kind"] != "h" or record.case["input"] == runs.SMOOTHED:
            continue
        error = record.result["relative_error"]
        if record.case["input"] == "DAG":
            assert error is None
            assert record.result["exact"] == 0.0
        elif record.case["method"] in runs.PROBES:
            assert error > 0.1
        else:
            assert error < 1e-9


def test_engine_finds_the_graph(records: list[Record]) -> None:
    equal, unequal = records[-2].result, records[-1].result
    assert equal["shd"] == 0
    assert equal["shd_empty"] == 30
    assert equal["verified"]
    assert unequal["class_shd"] <= unequal["shd"]


def test_exponents() -> None:
    assert exponent({100: 5.0, 500: 1.0, 1000: 8.0, 2000: 64.0}) == pytest.approx(3.0)
    assert exponent({100: 5.0, 500: 1.0}) is None
    case = {"kind": "step", "seed": 0}
    two = [Record({**case, "d": 9, "seed": k}, {"cpu_seconds": 1.0 + k}) for k in range(2)]
    assert times(Runs(two)) == {9: 1.5}


def test_verdicts_follow_the_records(records: list[Record]) -> None:
    def outcomes(**changes: dict[str, Any]) -> list[Outcome]:
        changed = [
            Record(r.case, {**r.result, **changes.get(r.case.get("method", r.case["kind"]), {})})
            for r in records
        ]
        return [v.outcome for v in EXPERIMENT.verdicts(changed)]

    slow, quick = {"cpu_seconds": 10.0}, {"cpu_seconds": 0.1}
    with_times = {runs.DENSE: slow, runs.PARTS: quick, runs.SERIES: quick}
    assert outcomes(**with_times) == [Outcome.CORRECTED] * 3
    assert outcomes(**{**with_times, runs.PARTS: slow, runs.SERIES: slow})[0] is Outcome.CONFIRMED
    good = {name: {"relative_error": 0.01} for name in runs.PROBES}
    assert outcomes(**good)[1] is Outcome.CONFIRMED
    assert outcomes(**{runs.SERIES: {"relative_error": 0.5}})[1] is Outcome.NOT_CONFIRMED
    assert outcomes(engine={"shd": 7})[2] is Outcome.CONFIRMED
