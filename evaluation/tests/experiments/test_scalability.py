"""Scalability: the cases, time limits, and verdicts that follow the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.scalability import EXPERIMENT, PRINTED
from daglock_evaluation.experiments.scalability_runs import cases, run
from experiments.smallest import SMALLEST, without_times


def made(d: int, method: str, lam: float | None, **numbers: Any) -> Record:
    """A record as if it had been run."""
    result = {
        "status": "converged_cyclic", "cpu_seconds": 5.0, "seconds": 5.0, "h": 1e-9,
        "nnz": d * (d - 1), "sparsity": 0.0, "is_dag": False, "shd": d * (d - 2), "shd_cut": 0,
        "nnz_cut": d,
        "shd_cut_transposed": d, "cpdag_shd": 0, "stable_lam": 5.0,
    }  # fmt: skip
    case = {"d": d, "seed": 0, "method": method, "lam": lam, "limit": 10}
    return Record(case, {**result, **numbers})


def benchmark(**spg: Any) -> list[Record]:
    """Records of one size, with SPG-AHOC as it is given."""
    stalled = {"status": "line_search_stalled", "h": 1e-3, "nnz": 120, "sparsity": 0.97}
    exact = {"nnz": 50, "is_dag": True, "shd": 0, "h": None, "sparsity": 0.98}
    return [
        made(50, "EXP [Adam]", 0.1, cpu_seconds=4.0),
        made(50, "DAGMA", 0.05, cpu_seconds=80.0),
        made(50, "dagma package", None, cpu_seconds=8.0),
        made(50, "SPG-AHOC", 1.0, **{**stalled, "shd": 70, "shd_cut": 45, **spg}),
        made(50, "daglock", None, **{**exact, "status": "finished", "cpu_seconds": 0.04}),
        made(50, "sortnregress", None, **{**exact, "status": "finished", "shd": 12}),
    ]


def test_a_full_run_has_the_sizes_and_methods_of_the_paper() -> None:
    full = cases(False)
    for d in (50, 100, 200, 500):
        methods = {case["method"] for case in full if case["d"] == d}
        assert {*PRINTED, "daglock", "FLOP", "dagma package", "AAC [Prox-LS]"} <= methods
        assert all(case["limit"] <= 130 for case in full if case["d"] < 500)
    long = {(case["method"], case["lam"]) for case in full if case["limit"] > 130}
    assert long == {("SPG-AHOC", 0.5)}
    assert len({str(case) for case in full}) == len(full)


def test_the_smallest_cases() -> None:
    learned, spg = (run(case) for case in SMALLEST["scalability"])
    assert learned["shd"] == 0
    assert spg["status"] == "stayed_at_start"
    assert without_times(learned) == without_times(run(SMALLEST["scalability"][0]))


def test_a_limit_is_recorded() -> None:
    result = run({"d": 10, "seed": 0, "method": "EXP [Adam]", "lam": 0.1, "limit": 0.01})
    assert result["status"] == "time_limit"
    assert result["cpu_seconds"] < 5.0
    assert without_times(result).keys() == {"status", "stable_lam"}
    record = Record({"d": 10, "seed": 0, "method": "EXP [Adam]", "lam": 0.1, "limit": 0.01}, result)
    assert EXPERIMENT.tables([record])[0].rows[1][3].startswith("> ")


def test_verdicts_on_stalled_runs() -> None:
    found = EXPERIMENT.verdicts(benchmark())
    speed, density, sparsity, support, acyclic, accuracy, baselines = found
    assert speed.outcome is Outcome.NOT_CONFIRMED
    assert "DAGMA takes 1.6 to 1.6 times" in speed.measured
    assert "EXP 0.8 to 0.8 times" in speed.measured
    assert density.outcome is Outcome.CONFIRMED
    assert sparsity.outcome is Outcome.CORRECTED
    assert support.outcome is Outcome.NOT_CONFIRMED
    assert acyclic.outcome is Outcome.NOT_CONFIRMED
    assert accuracy.outcome is Outcome.NOT_CONFIRMED
    assert baselines.outcome is Outcome.CORRECTED  # 51 is near 50, the SHD against the transpose


def test_no_time_of_dagma_without_its_package() -> None:
    ours = [record for record in benchmark() if record.case["method"] != "dagma package"]
    assert [verdict.number for verdict in EXPERIMENT.verdicts(ours)] == [2, 3, 4, 5, 6, 7]


def test_a_transpose_explains_no_more_than_the_number_of_edges() -> None:
    at_200 = [
        made(200, method, lam, shd_cut=0, shd_cut_transposed=turned)
        for method, lam in (("EXP [Adam]", 0.1), ("DAGMA", 0.05))
        for turned in [200]
    ]
    rest = [
        Record({**r.case, "d": 200}, r.result)
        for r in benchmark()
        if r.case["method"] not in ("EXP [Adam]", "DAGMA")
    ]
    verdict = EXPERIMENT.verdicts([*at_200, *rest])[-1]
    assert verdict.outcome is Outcome.NOT_CONFIRMED
    assert "does not explain this table" in verdict.evidence


def ended_by_limit(record: Record) -> Record:
    return Record(record.case, {**record.result, "status": "time_limit"})


@pytest.mark.parametrize(
    ("cut", "rivals", "outcome"),
    [
        ({"SPG-AHOC"}, 0, Outcome.UNDECIDED),
        ({"DAGMA"}, 0, Outcome.NOT_CONFIRMED),  # EXP is better already
        ({"DAGMA"}, 49, Outcome.UNDECIDED),  # DAGMA might have been
        (set(), 49, Outcome.CONFIRMED),
    ],
)
def test_what_a_limit_ended_decides_nothing(cut: set[str], rivals: int, outcome: Outcome) -> None:
    records = [
        Record(r.case, {**r.result, "shd_cut": rivals})
        if r.case["method"] in ("EXP [Adam]", "DAGMA", "dagma package")
        else r
        for r in benchmark()
    ]
    records = [ended_by_limit(r) if r.case["method"] in cut else r for r in records]
    (verdict,) = (v for v in EXPERIMENT.verdicts(records) if v.number == 6)
    assert verdict.outcome is outcome


def test_verdicts_follow_the_numbers() -> None:
    solved = {"status": "converged", "cpu_seconds": 2.0, "is_dag": True, "h": 0.0, "nnz": 50}
    records = benchmark(**solved, shd=0, shd_cut=0)
    records = [
        Record(r.case, {**r.result, "shd_cut": 3})
        if r.case["method"] in ("EXP [Adam]", "DAGMA", "dagma package")
        else r
        for r in records
    ]
    outcomes = [verdict.outcome for verdict in EXPERIMENT.verdicts(records)]
    assert outcomes == [*[Outcome.CONFIRMED] * 6, Outcome.CORRECTED]
    as_printed = [Record(r.case, {**r.result, "shd_cut": 51}) for r in records]
    assert EXPERIMENT.verdicts(as_printed)[-1].outcome is Outcome.CONFIRMED
    exp, *rest = benchmark(sparsity=0.2)
    dense = [Record(exp.case, {**exp.result, "nnz": 100}), *rest]
    assert EXPERIMENT.verdicts(dense)[1].outcome is Outcome.NOT_CONFIRMED
    assert EXPERIMENT.verdicts(dense)[2].outcome is Outcome.NOT_CONFIRMED


def test_a_slow_solution_is_no_speed_up() -> None:
    slow = {"status": "converged", "cpu_seconds": 6.0, "is_dag": True, "h": 0.0, "nnz": 50}
    assert EXPERIMENT.verdicts(benchmark(**slow, shd=0))[0].outcome is Outcome.NOT_CONFIRMED


def test_partial_records_can_be_shown() -> None:
    records = benchmark()
    for kept in (1, 3, 6):
        assert len(EXPERIMENT.tables(records[:kept])) == 2
        assert EXPERIMENT.figures(records[:kept])
    assert EXPERIMENT.verdicts(records[:3]) == []


def test_a_missing_package_is_a_row() -> None:
    skipped = Record(
        {"d": 50, "seed": 0, "method": "FLOP", "lam": None, "limit": 10},
        {"status": "skipped", "skipped": "flopsearch is not installed", "seconds": 0.0},
    )
    rows = EXPERIMENT.tables([*benchmark(), skipped])[0].rows
    assert any("not installed" in cell for row in rows for cell in row)
    assert len({len(row) for row in rows}) == 1
