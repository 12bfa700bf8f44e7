"""Smoothing: the gap at zero and the curvature at a DAG in closed form, verdicts that can turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.constraints import SAHOC, Smoothed
from daglock.moments import Moments
from daglock.simulate import linear_sem
from daglock_evaluation.experiments.evidence import Runs
from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.smoothing import EXPERIMENT, slope
from daglock_evaluation.experiments.smoothing_runs import (
    LAM,
    inner_loop,
    largest_curvature,
    run,
    truth_of,
)


@pytest.mark.parametrize("epsilon", [1.0, 1e-4])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_gap_at_the_empty_graph(epsilon: float, delta: float) -> None:
    # all entries of the core are c: A = x J/d, whose exponential has trace d − 1 + e^x
    result = run({"part": "gap", "epsilon": epsilon, "centred": False, "d": 5, "delta": delta})
    c = 0.5 * delta
    assert result["at_empty"] == pytest.approx(np.expm1(5 * c / (5 * c + epsilon)), rel=1e-6)
    assert result["largest"] >= result["at_empty"]


def test_centred_gap_is_zero_at_the_empty_graph_and_not_elsewhere() -> None:
    result = run({"part": "gap", "epsilon": 1.0, "centred": True, "d": 5, "delta": 1e-3})
    assert result["at_empty"] == 0.0
    assert result["largest"] > 0.0


def test_curvature_at_two_nodes() -> None:
    # at 0 → 1 with weight w the entry 1 → 0 has price m(w)/D², D = m(w) + 1
    w, delta = 0.8, 1e-5
    m = 0.5 * w * w + 0.5 * w
    W = np.array([[0.0, w], [0.0, 0.0]])
    curvature = largest_curvature(Smoothed(SAHOC(0.5), delta, True), W, delta)
    assert curvature == pytest.approx(0.5 * m / (m + 1.0) ** 2 / delta, rel=1e-3)


def test_curvature_at_a_dag_is_the_price_over_delta() -> None:
    case = {"part": "curvature", "at": "dag", "centred": False, "d": 6, "seed": 1, "delta": 1e-5}
    result = run(case)
    assert result["curvature"] == pytest.approx(result["expected"], rel=1e-2)


def test_steps_shrink_with_delta() -> None:
    medians = []
    for delta in (1e-3, 1e-5):
        case = {"part": "steps", "multiplier": 100.0, "d": 10, "seed": 0, "delta": delta}
        result = run(case)
        assert result["descended"]
        assert result["n_steps"] <= 500
        medians.append(result["median_step"])
    assert 10.0 < medians[0] / medians[1] < 1000.0


RATE = {"part": "rate", "multiplier": 10.0, "d": 10, "seed": 0, "delta": 1e-2, "limit": 60}


def test_the_first_gradient_mapping_is_the_soft_covariance() -> None:
    # at W = 0 the gradient is minus the covariance, and the step size cancels
    S = Moments.from_data(linear_sem(truth_of(RATE), 1000, rng=100)).cov
    soft = np.maximum(np.abs(S) - LAM, 0.0) * (1.0 - np.eye(10))
    result = run(RATE)
    assert result["k"][0] == 1
    assert result["least"][0] == pytest.approx(np.sum(soft**2), rel=1e-5)


def test_rate_and_support_of_an_inner_loop() -> None:
    result = run(RATE)
    assert result["n_steps"] == result["k"][-1] == 60
    assert result["least"] == sorted(result["least"], reverse=True)
    assert result["order"] == pytest.approx(np.log10(result["least"][-1] / _least(6)), abs=1e-4)
    assert result["largest_product"] <= result["constant"]
    steps = list(inner_loop(RATE, 60))
    supports = [step.after.W != 0.0 for step in steps]
    last = result["last_change"]
    assert all(np.array_equal(supports[-1], support) for support in supports[last - 1 :])
    assert not np.array_equal(supports[last - 1], supports[last - 2])


def _least(k: int) -> float:
    steps = list(inner_loop(RATE, k))
    return min(float(np.sum((s.after.W - s.before.W) ** 2)) / s.eta**2 for s in steps)


def rates(**changes: Any) -> list[Record]:
    """Runs whose K is 1/δ, that fall like 1/k and come to rest, but for changes."""
    made = []
    for delta in (1e-1, 1e-2, 1e-4):
        result = {"k": [1, 100], "least": [1.0, 0.01], "order": -1.0, "largest_product": 1.0}
        result |= {"constant": 10.0 / delta, "n_steps": 100, "stationary": True, "nnz": 10}
        result |= {"last_change": round(1.0 / delta), "true_support": True}
        made.append(Record({**RATE, "delta": delta}, {**result, **changes}))
    return made


@pytest.mark.parametrize(
    ("changes", "outcomes"),
    [
        ({}, [Outcome.CONFIRMED, Outcome.CONFIRMED]),
        ({"order": -0.5}, [Outcome.CORRECTED, Outcome.CONFIRMED]),
        ({"largest_product": 1e9}, [Outcome.NOT_CONFIRMED, Outcome.CONFIRMED]),
    ],
)
def test_verdicts_on_the_rate_can_turn(changes: dict[str, float], outcomes: list[Outcome]) -> None:
    assert [v.outcome for v in EXPERIMENT.verdicts(rates(**changes))] == outcomes


def test_verdict_on_the_iterations_can_turn() -> None:
    slow = [Record(r.case, {**r.result, "last_change": r.case["delta"] ** -2}) for r in rates()]
    assert EXPERIMENT.verdicts(slow)[1].outcome is Outcome.NOT_CONFIRMED
    assert "δ^-2.00" in EXPERIMENT.verdicts(slow)[1].measured
    part = [*rates()[:2], Record(rates()[2].case, {**rates()[2].result, "stationary": False})]
    assert EXPERIMENT.verdicts(part)[1].outcome is Outcome.CORRECTED
    assert EXPERIMENT.verdicts([]) == []


def test_slope_is_fitted_within_groups() -> None:
    records = [
        Record({"seed": seed, "delta": delta}, {"y": 10.0**seed * delta**2})
        for seed in range(3)
        for delta in (1e-3, 1e-2, 1e-1)
    ]
    assert slope(Runs(records), "delta", "y") == pytest.approx(2.0)
    assert slope(Runs(records[:1]), "delta", "y") is None


def gaps(constant: Any, power: float = 1.0) -> list[Record]:
    return [
        Record(
            {"part": "gap", "epsilon": epsilon, "centred": False, "d": d, "delta": delta},
            {"largest": constant(epsilon) * d * delta**power, "at_empty": 0.0},
        )
        for epsilon in (1.0, 1e-4)
        for d in (5, 10)
        for delta in (1e-4, 1e-2)
    ]


def test_verdict_on_the_bound() -> None:
    assert EXPERIMENT.verdicts(gaps(lambda epsilon: 0.5))[0].outcome is Outcome.CONFIRMED
    assert EXPERIMENT.verdicts(gaps(lambda epsilon: 0.5 / epsilon))[0].outcome is Outcome.CORRECTED
    assert EXPERIMENT.verdicts(gaps(lambda epsilon: 0.5, 0.5))[0].outcome is Outcome.NOT_CONFIRMED


@pytest.mark.parametrize(
    ("power", "outcome"), [(-1, Outcome.CONFIRMED), (-0.5, Outcome.NOT_CONFIRMED)]
)
def test_verdict_on_curvature(power: float, outcome: Outcome) -> None:
    records = [
        Record(
            {"part": "curvature", "at": "dag", "centred": False, "delta": delta},
            {"curvature": delta**power, "expected": 1.0 / delta},
        )
        for delta in (1e-4, 1e-3)
    ]
    (verdict,) = EXPERIMENT.verdicts(records)
    assert verdict.outcome is outcome


@pytest.mark.parametrize(
    ("power", "above", "descended", "outcomes"),
    [
        (1.0, 0.0, True, (Outcome.CONFIRMED, Outcome.CONFIRMED)),
        (0.7, 0.5, True, (Outcome.CORRECTED, Outcome.CORRECTED)),
        (0.0, 0.5, False, (Outcome.NOT_CONFIRMED, Outcome.NOT_CONFIRMED)),
    ],
)
def test_verdicts_on_steps(
    power: float, above: float, descended: bool, outcomes: tuple[Outcome, Outcome]
) -> None:
    records = [
        Record(
            {"part": "steps", "multiplier": 100.0, "delta": delta},
            {
                "median_step": delta**power,
                "stationary": False,
                "n_held": 3,
                "share_above": above,
                "descended": descended,
            },
        )
        for delta in (1e-4, 1e-3)
    ]
    assert tuple(verdict.outcome for verdict in EXPERIMENT.verdicts(records)) == outcomes
