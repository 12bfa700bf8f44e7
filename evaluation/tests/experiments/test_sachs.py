"""The Sachs data: both protocols, both truths, and verdicts that follow the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.datasets import load_sachs
from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.sachs import EXPERIMENT, LITERATURE, cases, run
from experiments.smallest import SMALLEST, without_times


def case(data: str, method: str, lam: float | None = None, scale: str = "standardised") -> Any:
    return {"data": data, "scale": scale, "method": method, "lam": lam}


def made(data: str, method: str, lam: float | None = None, **numbers: Any) -> Record:
    """A record as if it had been run."""
    result = {
        "status": "finished", "h": 0.0, "n_iter": 0, "nnz": 8, "is_dag": True, "shd": 14,
        "shd_20": 16, "nnz_cut": 4, "shd_cut": 15, "shd_cut_20": 18, "cpdag_shd": 11,
        "cpdag_shd_20": 16,
        "stable_lam": 0.99,
    }  # fmt: skip
    return Record(case(data, method, lam), {**result, **numbers})


def benchmark(**spg: Any) -> list[Record]:
    """Records in which SPG-AHOC returns the empty graph; or what is given."""
    empty = {"nnz": 0, "shd": 17, "shd_20": 20, "shd_cut": 17, "shd_cut_20": 20, "cpdag_shd": 17}
    dense = {"nnz": 110, "is_dag": False, "shd": 93, "shd_20": 90, "shd_cut": 17, "h": 1e-9}
    return [
        made("pooled", "EXP [Adam]", 1.0, **dense),
        made("pooled", "SPG-AHOC", 1.0, **{**empty, **spg}),
        made("pooled", "daglock", nnz=32, cpdag_shd=35),
        made("observational", "EXP [Adam]", 1.0, **dense, cpdag_shd=13),
        made("observational", "SPG-AHOC", 1.0, **{**empty, **spg}),
        made("observational", "daglock"),
    ]


def test_a_full_run_has_both_protocols_on_both_scales() -> None:
    full = cases(False)
    found = {(c["data"], c["scale"]) for c in full}
    assert len(found) == 4
    for data, scale in found:
        methods = {c["method"] for c in full if (c["data"], c["scale"]) == (data, scale)}
        assert {"SPG-AHOC", "EXP [Adam]", "AAC [Prox-LS]", "daglock", "empty graph"} <= methods


def test_the_empty_graph_misses_every_edge() -> None:
    result = run(SMALLEST["sachs"][1])
    assert (result["shd"], result["shd_20"]) == (17, 20)
    assert (result["cpdag_shd"], result["cpdag_shd_20"]) == (17, 20)


@pytest.mark.parametrize("data", ["observational", "pooled"])
def test_lam_one_exceeds_every_correlation(data: str) -> None:
    result = run(case(data, "SPG-AHOC", 1.0))
    table = load_sachs("pooled").data if data == "pooled" else load_sachs("observational").data
    R = np.corrcoef(table, rowvar=False)
    assert result["stable_lam"] == pytest.approx(np.abs(R - np.eye(11)).max())
    assert result["status"] == "stayed_at_start"
    assert result["nnz"] == 0
    assert result["h"] == 0.0


def test_the_engine_reaches_the_published_exact_optimum() -> None:
    result = run(case("observational", "daglock"))
    assert result["cpdag_shd"] == LITERATURE["exact BIC optimum"]
    raw = run(case("observational", "daglock", scale="raw"))
    assert raw["cpdag_shd"] == result["cpdag_shd"]  # the scale of the columns does not matter
    assert without_times(raw) == without_times(run(case("observational", "daglock", scale="raw")))


def test_verdicts_where_spg_returns_the_empty_graph() -> None:
    printed, acyclic, best = EXPERIMENT.verdicts(benchmark())
    assert printed.outcome is Outcome.CORRECTED
    assert "returns the empty graph" in printed.evidence
    assert acyclic.outcome is Outcome.CORRECTED
    assert best.outcome is Outcome.NOT_CONFIRMED
    assert "SPG-AHOC 17, daglock 11" in best.measured
    assert "worse than the empty graph" in best.evidence


def test_verdicts_follow_the_numbers() -> None:
    good = benchmark(nnz=15, shd=8, shd_cut=8, cpdag_shd=9)
    assert [v.outcome for v in EXPERIMENT.verdicts(good)] == [Outcome.CONFIRMED] * 3
    cyclic = benchmark(nnz=15, shd=40, shd_cut=30, is_dag=False, cpdag_shd=None)
    assert [v.outcome for v in EXPERIMENT.verdicts(cyclic)] == [Outcome.NOT_CONFIRMED] * 3


def test_partial_records_can_be_shown() -> None:
    records = benchmark()
    for kept in (1, 3, 6):
        assert EXPERIMENT.tables(records[:kept])[-1].title.startswith("Figures from the literature")
        assert len(EXPERIMENT.figures(records[:kept])) == 2
    assert EXPERIMENT.verdicts(records[:2]) == []
