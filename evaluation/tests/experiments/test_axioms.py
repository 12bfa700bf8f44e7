"""Table 1: counted graphs, another formula for the gradient, and verdicts that can turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

from daglock.graph import is_dag
from daglock.typing import Array
from daglock_evaluation.experiments.axioms import EXPERIMENT, PRINTED, SECTION, graphs, holds, run
from daglock_evaluation.experiments.evidence import NoRunsError, Runs
from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.measured import CENTRED, LABELS, SMOOTHED


def test_graphs_on_four_nodes_are_counted_as_in_the_literature() -> None:
    # 543 labelled DAGs (Robinson 1973)
    acyclic = [is_dag(A) for A in graphs(4)]
    assert (sum(acyclic), len(acyclic)) == (543, 4096)


@pytest.mark.parametrize("label", LABELS)
def test_zeros_on_all_graphs_with_three_nodes(label: str) -> None:
    result = run({"part": "graphs", "constraint": label, "nodes": 3})
    assert result["dags"] == 25
    assert result["zeros"] == (0 if label in SMOOTHED else 25)
    assert result["mistaken"] == (25 if label in SMOOTHED else 0)


def s_ahoc(W: Array) -> float:
    """The printed formula."""
    M = 0.5 * W * W + 0.5 * np.abs(W)
    return float(np.trace(expm(M / (np.linalg.norm(M) + 1.0)))) - len(W)


def test_gradient_on_the_section_by_finite_differences() -> None:
    result = run({"part": "section", "constraint": "S-AHOC"})
    for k in np.flatnonzero((np.array(result["weight"]) > 0.05) & (np.array(result["weight"]) < 5)):
        W = result["weight"][k] * SECTION
        total = 0.0
        for i, j in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]:
            step = np.zeros_like(W)
            step[i, j] = 1e-6
            # where W is zero the derivative is the one from above
            change = s_ahoc(W + step) - s_ahoc(W if W[i, j] == 0 else W - step)
            total += (change / (1e-6 if W[i, j] == 0 else 2e-6)) ** 2
        assert result["norm"][k] == pytest.approx(np.sqrt(total), rel=1e-4)


def test_logdet_is_given_on_its_domain_only() -> None:
    result = run({"part": "section", "constraint": "LogDet"})
    defined = [w for w, norm in zip(result["weight"], result["norm"], strict=True) if norm]
    assert max(defined) < 1.0 < max(result["weight"])
    assert max(defined) > 1.0 - 1e-7


def measurement(label: str, flags: tuple[bool, bool, bool], **result: Any) -> Record:
    usual = {
        "largest_on_dags": 0.0,
        "exponent": 1.0,
        "exponent_with_loops": 0.0,
        "largest_gradient": 2.0,
    }
    case = {"part": "axioms", "constraint": label, "d": 3, "seed": 0}
    return Record(case, {"holds": list(flags), **usual, **result})


def test_a_row_is_confirmed_exactly_where_it_agrees() -> None:
    for label, printed in PRINTED.items():
        (verdict,) = EXPERIMENT.verdicts([measurement(label, printed)])
        assert verdict.outcome is Outcome.CONFIRMED
        for k in range(3):
            other = tuple(flag != (k == axiom) for axiom, flag in enumerate(printed))
            (verdict,) = EXPERIMENT.verdicts([measurement(label, (other[0], other[1], other[2]))])
            assert verdict.outcome is Outcome.NOT_CONFIRMED
            assert verdict.evidence.startswith(f"Differs in A{k + 1}. ")


def test_risk_and_the_comparison_with_dagma_follow_the_axioms() -> None:
    section = Record(
        {"part": "section", "constraint": "LogDet"},
        {"weight": [0.5, 0.9, 1.0], "norm": [1.0, 7.0, None]},
    )

    def outcomes(**changed: tuple[bool, bool, bool]) -> dict[int, Outcome]:
        rows = {**PRINTED, **{name.replace("_", " "): flags for name, flags in changed.items()}}
        found = [measurement(label, flags) for label, flags in rows.items()]
        return {v.number: v.outcome for v in EXPERIMENT.verdicts([*found, section])}

    fine, vanishing = (True, True, True), (True, False, True)
    assert outcomes()[10] is Outcome.CONFIRMED
    assert outcomes(AAC=(True, True, True))[10] is Outcome.CORRECTED
    assert outcomes(smoothed_AHOC=vanishing)[10] is Outcome.NOT_CONFIRMED
    assert outcomes()[11] is Outcome.CORRECTED  # A3 of LogDet is printed × as well
    assert outcomes(LogDet=fine)[11] is Outcome.CONFIRMED
    assert outcomes(smoothed_AHOC=vanishing)[11] is Outcome.NOT_CONFIRMED


def test_one_measurement_against_an_axiom_is_enough() -> None:
    good = measurement("Exp", (True, False, False))
    case = {**good.case, "seed": 1}
    assert holds(Runs([good, replace(good, case=case)]), "Exp") == (True, False, False)
    bad = Record(case, {**good.result, "holds": [False, False, False]})
    assert holds(Runs([good, bad]), "Exp") == (False, False, False)
    wrong = Record({"part": "graphs", "constraint": "Exp", "nodes": 3}, {"mistaken": 1})
    assert holds(Runs([good, wrong]), "Exp") == (False, False, False)
    with pytest.raises(NoRunsError):
        holds(Runs([good]), "AAC")


def test_table_sets_the_paper_beside_the_measurement() -> None:
    records = [
        Record(case, run(case))
        for label in ("S-AHOC", CENTRED[1])
        for case in [{"part": "axioms", "constraint": label, "d": 3, "seed": 0}]
    ]
    table = EXPERIMENT.tables(records)[0]
    assert table.rows[1] == ("S-AHOC", "✓", "✓", "✓", "×", "✓", "✓")
    assert table.rows[2] == (CENTRED[1], "–", "✓", "–", "×", "–", "✓")


def test_bounds_that_depend_on_epsilon_are_a_correction() -> None:
    def records(power: float) -> list[Record]:
        return [
            Record(
                {"part": "bound", "constraint": label, "epsilon": epsilon},
                {"largest_gradient": epsilon**power, "grows": False},
            )
            for label in ("AAC", "AHOC")
            for epsilon in (1.0, 1e-4, 1e-8)
        ]

    (verdict,) = EXPERIMENT.verdicts(records(-1.0))
    assert verdict.outcome is Outcome.CORRECTED
    assert "ε^-1 for AHOC (1e8 at ε = 1e-8)" in verdict.measured
    (verdict,) = EXPERIMENT.verdicts(records(0.0))
    assert verdict.outcome is Outcome.CONFIRMED
    growing = [Record(r.case, {**r.result, "grows": True}) for r in records(0.0)]
    assert EXPERIMENT.verdicts(growing)[0].outcome is Outcome.NOT_CONFIRMED
