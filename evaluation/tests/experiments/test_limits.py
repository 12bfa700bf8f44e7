"""Limits in high dimensions: the cases, the memory, and verdicts that follow the numbers."""

from __future__ import annotations

from typing import Any

from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.limits import EXP, EXPERIMENT, GRID, SPG, cases, run
from experiments.smallest import SMALLEST, without_times


def made(lam: float | None, method: str = SPG, scale: str = "as drawn", **numbers: Any) -> Record:
    """A record as if it had been run at d = 500."""
    result = {
        "status": "line_search_stalled", "n_iter": 900, "cpu_seconds": 9.0, "h": 1e-3, "nnz": 700,
        "is_dag": False, "tpr": 0.9, "shd": 600, "tpr_cut": 0.1, "shd_cut": 480, "nnz_cut": 60,
        "stable_lam": 6.0,
    }  # fmt: skip
    case = {"d": 500, "seed": 0, "scale": scale, "limit": 9, "method": method, "lam": lam}
    return Record(case, {**result, **numbers})


EMPTY: dict[str, Any] = {"status": "stayed_at_start", "nnz": 0, "is_dag": True, "tpr": 0.0}


def benchmark(
    weak: Any = None, middle: Any = None, strong: Any = None, mb: int = 60, seconds: float = 0.2
) -> list[Record]:
    """Records of the appendix, with changes for each λ₁."""
    return [
        made(0.1, EXP, n_iter=20, memory_at_most_mb=mb),
        made(0.1, **(weak or {})),
        made(0.5, **(middle or {})),
        made(1.0, **(strong or {})),
        made(1.0, scale="standardised", **{**EMPTY, "cpu_seconds": seconds}),
    ]


def test_a_full_run_has_the_settings_of_the_appendix() -> None:
    at_500 = [c for c in cases(False) if c["d"] == 500 and c["method"] == SPG]
    assert set(GRID) <= {c["lam"] for c in at_500 if c["scale"] == "as drawn"}


def test_the_smallest_cases() -> None:
    memory, spg = (run(case) for case in SMALLEST["limits"])
    assert memory["memory_at_most_mb"] == 10  # a few matrices of 8 × 8
    assert memory["n_iter"] == 20
    assert spg["status"] == "stayed_at_start"
    assert without_times(memory) == without_times(run(SMALLEST["limits"][0]))


def test_memory_grows_with_the_matrices() -> None:
    case = {**SMALLEST["limits"][0], "d": 300}
    matrix_mb = 8 * 300**2 / 1e6
    assert 20 * matrix_mb < run(case)["memory_at_most_mb"] < 100 * matrix_mb


def test_verdicts_on_stalled_runs() -> None:
    memory, weak, middle, strong = EXPERIMENT.verdicts(benchmark())
    assert memory.outcome is Outcome.NOT_CONFIRMED
    assert "60 MB" in memory.measured
    assert weak.outcome is Outcome.CORRECTED
    assert middle.outcome is Outcome.NOT_CONFIRMED
    assert strong.outcome is Outcome.CORRECTED
    assert "empty in 0 of 1 runs on the data as drawn, in 1 of 1" in strong.measured
    assert EXPERIMENT.verdicts(benchmark(seconds=9.0))[3].outcome is Outcome.NOT_CONFIRMED


def test_verdicts_follow_the_numbers() -> None:
    as_printed = benchmark(
        weak={"status": "numerical_failure"},
        middle={"status": "converged", "is_dag": True, "tpr": 0.44},
        strong={"status": "stayed_at_start", "nnz": 0, "is_dag": True},
        mb=64_000,
    )
    assert [v.outcome for v in EXPERIMENT.verdicts(as_printed)] == [Outcome.CONFIRMED] * 4
    cyclic = benchmark(weak={"status": "converged"}, middle={"tpr_cut": 0.5})
    assert EXPERIMENT.verdicts(cyclic)[1].outcome is Outcome.NOT_CONFIRMED
    # a share of the edges near the printed one is no valid DAG
    assert EXPERIMENT.verdicts(cyclic)[2].outcome is Outcome.NOT_CONFIRMED
    other = benchmark(middle={"is_dag": True, "tpr": 0.8, "tpr_cut": 0.8})
    assert EXPERIMENT.verdicts(other)[2].outcome is Outcome.CORRECTED


def test_runs_that_a_limit_ended_are_undecided() -> None:
    cut = {"status": "time_limit"}
    _, weak, middle, _ = EXPERIMENT.verdicts(benchmark(weak=cut, middle=cut))
    assert weak.outcome is middle.outcome is Outcome.UNDECIDED
    # the same at another size decides nothing about this one
    small = [Record({**r.case, "d": 100}, r.result) for r in benchmark()]
    found = EXPERIMENT.verdicts([*small, *benchmark(weak=cut, middle=cut)])
    assert found[1].outcome is found[2].outcome is Outcome.UNDECIDED


def test_partial_records_can_be_shown() -> None:
    records = benchmark()
    for kept in (2, 5):
        assert EXPERIMENT.tables(records[:kept])[0].rows
        assert EXPERIMENT.figures(records[:kept])
    assert EXPERIMENT.verdicts(records[:3]) == []
