from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock_evaluation.experiments import delta
from daglock_evaluation.experiments.delta import EXPERIMENT, THRESHOLD
from daglock_evaluation.experiments.experiment import Case, Outcome, Record
from daglock_evaluation.experiments.methods import sparse_sem
from daglock_evaluation.harness import store
from experiments.smallest import SMALLEST


def small(**changes: Any) -> Case:
    return {**SMALLEST["delta"][0], **changes}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    chosen = [
        small(delta=width, scale=scale, lam=lam)
        for scale, lam, *_ in delta.SERIES
        for width in (1e-4, 1e-2)
    ]
    chosen += [
        {k: v for k, v in small(method="ProxLinear", lam=0.1, scale=scale).items() if k != "delta"}
        for scale in ("raw", "standardised")
    ]
    return [Record(case, EXPERIMENT.run(case)) for case in chosen]


def test_shows_something_for_the_smallest_cases_alone() -> None:
    few = [Record(case, EXPERIMENT.run(case)) for case in SMALLEST["delta"]]
    assert len(EXPERIMENT.tables(few)[0].rows) == 3
    assert set(EXPERIMENT.figures(few)) == {"delta"}
    assert [verdict.number for verdict in EXPERIMENT.verdicts(few)] == [2, 3, 4]
    assert EXPERIMENT.verdicts([]) == []
    assert EXPERIMENT.figures([]) == {}


def test_cases_cover_the_range_of_the_paper() -> None:
    full = [case for case in EXPERIMENT.cases(False) if "part" not in case]
    widths = {case["delta"] for case in full if case["method"] == "SPG-AHOC"}
    assert widths == {10.0**k for k in range(-10, -1)}
    assert {case["lam"] for case in full} == {1.0, 0.1, THRESHOLD}
    assert {case["d"] for case in full} == {50}


def test_threshold_is_the_largest_covariance(records: list[Record]) -> None:
    _, X = sparse_sem(5, 0, 200)
    for record in records:
        raw = record.case["scale"] == "raw"
        S = np.asarray(np.cov(X, rowvar=False) if raw else np.corrcoef(X, rowvar=False))
        largest = np.abs(S - np.diag(np.diag(S))).max()
        assert record.result["threshold"] == pytest.approx(largest, rel=1e-2)


def test_at_the_threshold_the_graph_is_empty_for_every_delta(records: list[Record]) -> None:
    for record in records:
        held = record.case["lam"] == THRESHOLD or record.case["scale"] == "standardised"
        if held and record.case["lam"] != 0.1:
            assert record.result["nnz"] == 0
            assert record.result["status"] == "stayed_at_start"
            assert record.result["shd"] == record.result["shd_empty"] == 5
            # loss of the empty graph: half the sum of the variances
            half = 2.5 if record.case["scale"] == "standardised" else None
            assert half is None or record.result["objective"] == pytest.approx(half)


def test_counts_entries_of_the_size_of_delta() -> None:
    W = np.array([[0.0, 1e-6, 0.5], [1e-9, 0.0, 0.0], [-9e-6, 1.1e-5, 0.0]])
    assert delta.near(W, 1e-6) == 3


def test_verdicts_follow_the_records(records: list[Record]) -> None:
    at_one, at_a_tenth = EXPERIMENT.verdicts(records)
    assert at_one.outcome is Outcome.CORRECTED
    assert at_a_tenth.outcome in (Outcome.CORRECTED, Outcome.NOT_CONFIRMED)

    def outcomes(**result: Any) -> list[Outcome]:
        changed = [
            Record(r.case, {**r.result, **result})
            if r.case["method"] == "SPG-AHOC" and r.case["lam"] != THRESHOLD
            else r
            for r in records
        ]
        return [verdict.outcome for verdict in EXPERIMENT.verdicts(changed)]

    fine = outcomes(status="converged", shd=7, nnz=5)
    assert fine == [Outcome.CONFIRMED, Outcome.NOT_CONFIRMED]
    failed = outcomes(status="line_search_stalled", nnz=9)
    assert failed == [Outcome.NOT_CONFIRMED, Outcome.CORRECTED]


def test_one_figure_and_inner_steps() -> None:
    def outcomes(part: str, changes: list[dict[str, Any]]) -> list[Outcome]:
        usual = {
            "status": "line_search_stalled", "shd": 50, "nnz": 30, "is_dag": False, "h": 1e-3,
            "shd_cut": 45, "shd_empty": 50, "n_iter": 9, "cpu_seconds": 1.0, "threshold": 3.0,
        }  # fmt: skip
        records = [
            Record(
                small(part=part, seed=k // 2, d=50, lam=1.0, inner=(300, 30)[k % 2]),
                {**usual, **change},
            )
            for k, change in enumerate(changes)
        ]
        tables = EXPERIMENT.tables(records)
        assert len(tables) == 1
        return [verdict.outcome for verdict in EXPERIMENT.verdicts(records)]

    fine = {"status": "converged", "is_dag": True}
    assert outcomes("graphs", [fine, fine]) == [Outcome.CONFIRMED]
    assert outcomes("graphs", [fine, fine, {"shd": 173}]) == [Outcome.CORRECTED]
    assert outcomes("graphs", [{}, {"shd": 173}, {}]) == [Outcome.NOT_CONFIRMED]
    assert outcomes("inner", [{}, {}]) == [Outcome.CONFIRMED]
    assert outcomes("inner", [{}, {"shd": 20}]) == [Outcome.CORRECTED]
    assert outcomes("inner", [{}, fine]) == [Outcome.NOT_CONFIRMED]


def test_the_limit_of_inner_steps_is_that_of_the_solver() -> None:
    few, usual = (
        EXPERIMENT.run({**SMALLEST["delta"][-1], "inner": limit, "lam": 0.1, "max_steps": 60})
        for limit in (3, delta.MAX_INNER)
    )
    plain = EXPERIMENT.run({**SMALLEST["delta"][-2], "lam": 0.1, "max_steps": 60})
    assert few["objective"] != usual["objective"]
    assert usual["objective"] == plain["objective"]


def test_every_record_of_lam_one_lies_within_the_one_figure() -> None:
    def shds(name: str, d: int, **case: Any) -> list[int]:
        lines = store.read(kept / f"{name}.jsonl")
        wanted = {**case, "d": d}.items()
        return [line["result"]["shd"] for line in lines if line["case"].items() >= wanted]

    kept = Path(__file__).parents[3] / "reproduction" / "records"
    same = {"method": "SPG-AHOC", "lam": 1.0}
    for d in (50, 100):
        figure = shds("delta", d, part="graphs")
        assert len(figure) == delta.GRAPHS[d]
        others = [*shds("sparse", d, **same, standardised=False), *shds("scalability", d, **same)]
        assert len(others) > 3
        assert min(figure) <= min(others)
        assert max(others) <= max(figure)
