"""The steps of the proof: what they are measured by, and verdicts that follow the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from daglock.simulate import population_covariance
from daglock_evaluation.experiments import proof_runs
from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.proof import EXPERIMENT, rows_needed
from experiments.smallest import SMALLEST

CHAIN = np.array([[0.0, 0.8, 0.5], [0.0, 0.0, -0.6], [0.0, 0.0, 0.0]])


def test_witness_by_a_general_optimiser() -> None:
    S, lam = population_covariance(CHAIN), 0.1
    edges = CHAIN != 0

    def objective(split: Any) -> float:  # w = positive part − negative part
        W = np.zeros((3, 3))
        W[edges] = split[:3] - split[3:]
        R = np.eye(3) - W
        return float(0.5 * np.trace(R.T @ S @ R) + lam * split.sum())

    best = minimize(objective, np.full(6, 0.3), bounds=[(0.0, None)] * 6, tol=1e-14).x
    W = proof_runs.witness(S, CHAIN, lam)
    np.testing.assert_allclose(W[edges], best[:3] - best[3:], atol=1e-5)
    assert not W[~edges].any()


def test_entries_that_close_a_cycle() -> None:
    closing = proof_runs.closes_cycle(CHAIN)
    assert np.argwhere(closing).tolist() == [[1, 0], [2, 0], [2, 1]]
    pairs = proof_runs.truth_of("pairs", 6, 0)
    np.testing.assert_array_equal(proof_runs.closes_cycle(pairs), (pairs != 0).T)


def test_drawn_covariances_have_the_mean_and_spread_of_samples() -> None:
    Sigma, n = population_covariance(CHAIN), 50
    rng = np.random.default_rng(0)
    drawn = np.array([proof_runs.drawn_covariance(Sigma, n, rng) for _ in range(4000)])
    np.testing.assert_allclose(drawn.mean(axis=0), Sigma * (n - 1) / n, atol=0.03)
    variance = (Sigma**2 + np.outer(np.diag(Sigma), np.diag(Sigma))) * (n - 1) / n**2
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.15)


def test_assumptions_hold_on_pairs_and_the_conclusion_does_not() -> None:
    result = proof_runs.run({"kind": "tables", "graph": "pairs", "d": 6, "n": 10**8, "tables": 3})
    found = result["by_lam"]["beta-min"]
    assert min(result["gamma"]) > 0.99
    assert all(found["kept"])
    assert all(found["signs"])
    for force, lam in zip(found["force"], found["lam"], strict=True):
        assert force > 3.9 * lam  # docs/theory.md, Proposition 5


def test_bias_is_what_the_theory_gives() -> None:
    for delta in (1e-3, 1e-6):
        result = proof_runs.run({"kind": "bias", "d": 6, "seed": 1, "delta": delta})
        assert result["near"] == pytest.approx(result["expected"], rel=100 * delta)
        assert result["nearer"] == pytest.approx(0.99 * result["supremum"], rel=1e-2)
        assert result["away"] < 10 * delta
        assert result["at_zero"] == 0.0


def records() -> list[Record]:
    return [Record(case, EXPERIMENT.run(case)) for case in SMALLEST["proof"]]


def test_verdicts_on_what_is_measured() -> None:
    outcomes = [verdict.outcome for verdict in EXPERIMENT.verdicts(records())]
    assert outcomes[1:3] == [Outcome.NOT_CONFIRMED] * 2
    assert outcomes[4] is Outcome.NOT_CONFIRMED


def test_verdicts_follow_the_numbers() -> None:
    def as_claimed(record: Record) -> Record:
        result: dict[str, Any] = {**record.result}
        if record.case["kind"] == "bias":
            result |= dict.fromkeys(("near", "nearer", "away"), record.case["delta"])
            return Record(record.case, result)
        noise = [record.case["n"] ** -0.5] * 2
        by_lam = {
            lam: {
                **values, "force": [0.0] * 2, "error": [0.0] * 2, "bound": [0.1] * 2,
                "noise": [0.0] * 2, "kept": [True] * 2,
            }
            for lam, values in result["by_lam"].items()
        }  # fmt: skip
        return Record(record.case, {**result, "all": noise, "others": noise, "by_lam": by_lam})

    claimed = [as_claimed(record) for record in records()]
    outcomes = [verdict.outcome for verdict in EXPERIMENT.verdicts(claimed)]
    assert outcomes == [Outcome.CONFIRMED] * 5

    def spoiled(**numbers: list[Any]) -> list[Outcome]:
        changed = [
            Record(r.case, {**r.result, "by_lam": {k: {**v, **numbers} for k, v in found.items()}})
            if (found := r.result.get("by_lam"))
            else r
            for r in claimed
        ]
        return [verdict.outcome for verdict in EXPERIMENT.verdicts(changed)]

    assert spoiled(error=[1.0, 0.0])[0] is Outcome.NOT_CONFIRMED
    assert spoiled(error=[1.0, 0.0], noise=[9.0, 0.0])[0] is Outcome.CORRECTED
    assert spoiled(force=[9.0, 9.0])[1] is Outcome.NOT_CONFIRMED
    assert spoiled(bound=[9.0, 9.0])[3] is Outcome.CORRECTED
    assert spoiled(kept=[False, True])[3] is Outcome.NOT_CONFIRMED


def test_rows_needed_must_stay_enough() -> None:
    def runs(*good: bool) -> Runs:
        return Runs(
            Record(
                {"kind": "tables", "n": 10**k},
                {"by_lam": {"1.0": {"lam": [1.0], "force": [0.5 if fine else 2.0]}}},
            )
            for k, fine in enumerate(good, 2)
        )

    assert rows_needed(runs(True, False, True, True), "1.0") == 10**4
    assert rows_needed(runs(True, True, False), "1.0") is None
    assert rows_needed(runs(True, True), "1.0") == 100
