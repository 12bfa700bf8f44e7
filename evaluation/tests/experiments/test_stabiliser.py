from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock_evaluation.experiments.experiment import Case, Outcome, Record
from daglock_evaluation.experiments.methods import sparse_sem
from daglock_evaluation.experiments.stabiliser import EXPERIMENT, FIRST, LAMS, QUANTITIES, TIMES
from experiments.smallest import SMALLEST

stable, stayed = QUANTITIES["stable"], QUANTITIES["stayed"]


def small(**changes: Any) -> Case:
    return {**{k: v for k, v in SMALLEST["stabiliser"][0].items() if k != "lam"}, **changes}


@pytest.fixture(scope="module")
def records() -> list[Record]:
    settings = [{"lam": lam} for lam in LAMS] + [{"times": t} for t in TIMES]
    chosen = [
        small(scale=scale, method=method, **setting)
        for method in (FIRST, "ProxLinear, L1", "ProxLinear, MCP")
        for scale in ("raw", "standardised")
        for setting in settings
    ]
    # a whole run of SPG-AHOC that is over at once
    chosen.append(small(scale="standardised", method="SPG-AHOC", lam=1.0))
    return [Record(case, EXPERIMENT.run(case)) for case in chosen]


def test_shows_something_for_the_smallest_cases_alone() -> None:
    few = [Record(case, EXPERIMENT.run(case)) for case in SMALLEST["stabiliser"]]
    assert len(EXPERIMENT.tables(few)[0].rows) == 3
    assert set(EXPERIMENT.figures(few)) == {"stabiliser"}
    assert [v.outcome for v in EXPERIMENT.verdicts(few)] == [Outcome.CONFIRMED]
    assert EXPERIMENT.verdicts([]) == []
    assert EXPERIMENT.figures([]) == {}


def test_leaves_zero_exactly_below_the_largest_covariance(records: list[Record]) -> None:
    _, X = sparse_sem(6, 0, 200)
    C = np.asarray(np.cov(X, rowvar=False, bias=True))
    largest = np.abs(C - np.diag(np.diag(C))).max()
    for record in records:
        if record.case["scale"] == "raw" and "lam" in record.case:
            assert stayed(record) == (record.case["lam"] >= largest)
            assert stable(record) == (record.case["lam"] >= largest)
    assert any(map(stayed, records))
    assert not all(map(stayed, records))


def test_first_step_is_a_soft_threshold_of_the_covariance(records: list[Record]) -> None:
    """W₁ = soft(η S, η λ) off the diagonal, η a power of one half."""
    _, X = sparse_sem(6, 0, 200)
    C = np.asarray(np.cov(X, rowvar=False, bias=True))
    np.fill_diagonal(C, 0.0)
    for record in records:
        case, result = record.case, record.result
        if (case["method"], case["scale"]) != (FIRST, "raw") or "lam" not in case or stayed(record):
            continue
        step = np.linalg.norm(np.maximum(np.abs(C) - case["lam"], 0.0))
        halvings = np.log2(step / result["norm"][1])
        assert halvings == pytest.approx(round(float(halvings)), abs=1e-3)


def test_norm_falls_as_lam_grows(records: list[Record]) -> None:
    first = [r for r in records if r.case["method"] == FIRST and r.case["scale"] == "raw"]
    ends = [r.result["norm"][-1] for r in sorted(first, key=lambda r: float(r.result["lam"]))]
    assert ends == sorted(ends, reverse=True)


def test_verdicts_follow_the_records(records: list[Record]) -> None:
    threshold, stabiliser, bound, prerequisite = EXPERIMENT.verdicts(records)
    assert bound.outcome is Outcome.CORRECTED
    assert threshold.outcome is Outcome.CONFIRMED
    assert stabiliser.outcome is Outcome.CORRECTED
    assert prerequisite.outcome is Outcome.NOT_CONFIRMED

    def changed(record: Record) -> Record:
        """As the paper says: λ₁ = 1 works, and what is below the threshold does not."""
        result = dict(record.result)
        if record.case["method"] == "SPG-AHOC":
            result.update(nnz=5, status="converged", largest_norm=1.0)
        elif record.case["method"] != FIRST:
            result.update(status="penalty_limit", is_dag=False)
        return Record(record.case, result)

    _, stabiliser, _, prerequisite = EXPERIMENT.verdicts([*map(changed, records)])
    assert stabiliser.outcome is Outcome.CONFIRMED
    assert prerequisite.outcome is Outcome.CONFIRMED

    def moved(record: Record) -> Record:
        return Record(record.case, {**record.result, "largest_norm": 1.0})

    assert EXPERIMENT.verdicts([*map(moved, records)])[0].outcome is Outcome.NOT_CONFIRMED


@pytest.mark.parametrize(
    ("meets", "violates", "outcome"),
    [
        (0.0, 1.0, Outcome.CORRECTED),  # the condition is not needed
        (0.0, 1e6, Outcome.CONFIRMED),
        (1e6, 1e6, Outcome.NOT_CONFIRMED),
    ],
)
def test_verdict_on_the_bound_can_turn(meets: float, violates: float, outcome: Outcome) -> None:
    made = []
    for lam, norm in ((2.0, meets), (0.1, violates)):
        end: dict[str, Any] = {
            "lam": lam,
            "threshold": 1.0,
            "largest_norm": norm,
            "truth_norm": 2.0,
        }
        end |= {"norm": [0.0, norm], "status": "line_search_stalled", "nnz": 3, "h": 1.0}
        end["is_dag"] = False
        case = {"scale": "raw", "seed": 0, "lam": lam}
        made += [Record({**case, "method": method}, end) for method in (FIRST, "SPG-AHOC")]
    found = [v for v in EXPERIMENT.verdicts(made) if "Lemma E.1" in v.claim]
    assert [v.outcome for v in found] == [outcome]
