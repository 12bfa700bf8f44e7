"""Exp 3: the cases, the numbers behind the table, and verdicts that follow the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Case, Outcome, Record, point_of
from daglock_evaluation.experiments.sparse import BESIDE, EXPERIMENT, GRID, STABLE, best, cases, run
from daglock_evaluation.methods.paper import PAPER
from experiments.smallest import SMALLEST, without_times


def made(method: str, lam: float | str | None, seed: int = 0, **numbers: Any) -> Record:
    """A record as if it had been run, d = 50."""
    case: Case = {
        "d": 50, "seed": seed, "standardised": False, "method": method, "lam": lam,
    }  # fmt: skip
    result = {"status": "converged_cyclic", "is_dag": False, "nnz": 2450, "stable_lam": 5.0}
    shds = ("shd", "shd_transposed", "shd_cut", "shd_cut_transposed")
    return Record(case, {**result, **dict.fromkeys(shds, 50), **numbers})


def benchmark(**changes: dict[str, Any]) -> list[Record]:
    """Records in which SPG-AHOC stays at zero and the baselines are right; with changes."""
    empty = {"status": "stayed_at_start", "nnz": 0, "is_dag": True}
    stalled = {"status": "line_search_stalled", "nnz": 300}
    right = {"shd_cut": 0}
    numbers: dict[tuple[str, float | str | None], dict[str, Any]] = {
        ("EXP [Adam]", 0.1): right,
        ("AAC [Prox-LS]", 0.1): right,
        ("DAGMA", 0.1): right,
        ("AHOC [Prox-LS]", 0.1): stalled,
        ("AHOC [Prox-LS]", STABLE): empty,
        ("SPG-AHOC", 0.1): stalled,
        ("SPG-AHOC", 1.0): stalled,
        ("SPG-AHOC", STABLE): empty,
        ("daglock", None): {"shd": 0},
        ("sortnregress", None): {"shd": 12},
        ("empty graph", None): {"nnz": 0},
    }
    return [
        made(method, lam, **{**given, **changes.get(f"{method} {lam}", {})})
        for (method, lam), given in numbers.items()
    ]


def test_a_full_run_has_every_method_and_size() -> None:
    full, quick = cases(False), cases(True)
    assert {case["d"] for case in full} == {50, 100}
    for method in (*PAPER, *BESIDE):
        assert any(case["method"] == method for case in full)
        assert any(case["method"] == method for case in quick)
    spg = [c["lam"] for c in full if c["method"] == "SPG-AHOC" and c["d"] == 50 and c["seed"] == 0]
    assert {*GRID, STABLE} == set(spg)


def test_the_smallest_cases_say_what_theory_says() -> None:
    learned, spg = (run(case) for case in SMALLEST["sparse"])
    assert learned["shd"] == 0
    assert learned["shd_transposed"] == 8  # all edges reversed
    assert spg["status"] == "stayed_at_start"  # ∇L(0) is held by λ₁ everywhere
    assert spg["shd"] == spg["shd_transposed"] == 8  # the empty graph
    assert without_times(spg) == without_times(run(SMALLEST["sparse"][1]))


def test_lam_one_on_standardised_columns_is_the_empty_graph() -> None:
    case = {"d": 8, "seed": 1, "standardised": True, "method": "SPG-AHOC", "lam": 1.0}
    result = run(case)
    assert result["stable_lam"] < 1.0
    assert point_of(result)["nnz"] == 0


def test_best_is_taken_for_each_graph() -> None:
    records = [
        made("DAGMA", 0.1, seed=0, shd_cut=4),
        made("DAGMA", 0.5, seed=0, shd_cut=2),
        made("DAGMA", 0.1, seed=1, shd_cut=7),
    ]
    assert best(Runs(records), "DAGMA", 50, "shd_cut") == [2, 7]


def test_verdicts_on_records_as_the_theory_expects_them() -> None:
    baselines, best_of_all, stability, barrier = EXPERIMENT.verdicts(benchmark())
    assert baselines.outcome is Outcome.CORRECTED
    assert "50, 50, 50 against Wᵀ" in baselines.measured
    assert best_of_all.outcome is Outcome.NOT_CONFIRMED
    assert stability.outcome is Outcome.CORRECTED
    assert "0 runs with λ₁ < 1 converged, 1 of 2 with λ₁ ≥ 1" in stability.measured
    assert barrier.outcome is Outcome.CORRECTED


def test_verdicts_follow_the_numbers() -> None:
    lost = {f"{m} 0.1": {"shd_cut": 51} for m in ("EXP [Adam]", "AAC [Prox-LS]", "DAGMA")}
    found = {"SPG-AHOC 1.0": {"status": "converged", "shd": 1, "nnz": 50, "is_dag": True}}
    outcomes = [v.outcome for v in EXPERIMENT.verdicts(benchmark(**lost, **found))]
    assert outcomes[:2] == [Outcome.CONFIRMED, Outcome.CONFIRMED]
    assert outcomes[2] is Outcome.CONFIRMED
    early = {"SPG-AHOC 0.1": {"status": "converged", "is_dag": True}}
    assert EXPERIMENT.verdicts(benchmark(**early))[2].outcome is Outcome.NOT_CONFIRMED
    worked = {"AHOC [Prox-LS] 0.1": {"status": "converged", "is_dag": True}}
    assert EXPERIMENT.verdicts(benchmark(**worked))[3].outcome is Outcome.NOT_CONFIRMED
    far = {f"{m} 0.1": {"shd_cut_transposed": 20} for m in ("EXP [Adam]", "DAGMA")}
    assert EXPERIMENT.verdicts(benchmark(**far))[0].outcome is Outcome.NOT_CONFIRMED


def test_no_verdict_without_the_runs_behind_it() -> None:
    assert EXPERIMENT.verdicts([r for r in benchmark() if r.case["method"] != "DAGMA"]) == []


def test_the_table_has_the_printed_values() -> None:
    table = EXPERIMENT.tables(benchmark())[0]
    row = next(row for row in table.rows if row[0] == "EXP [Adam]")
    assert row[1:6] == ("56", "50", "50", "0", "50")
    assert next(row for row in table.rows if row[0] == "AHOC [Prox-LS]")[1] == "Fail"


@pytest.mark.parametrize("kept", [3, 7])
def test_partial_records_can_be_shown(kept: int) -> None:
    records = benchmark()[:kept]
    assert EXPERIMENT.tables(records)
    assert EXPERIMENT.figures(records)
