"""The theorem: gradients against differences and the package, orders in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock.constraints import AAC, SAHOC, Exp, LogDet
from daglock.typing import Array, Constraint
from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.incompatibility import (
    EXPERIMENT,
    OUTERS,
    core,
    gradient,
    make_outer,
    run,
)


def weights(seed: int = 0) -> Array:
    return 0.3 * np.random.default_rng(seed).standard_normal((4, 4))


@pytest.mark.parametrize("gamma", [1.0, 0.5, 0.3])
@pytest.mark.parametrize("name", OUTERS)
def test_gradient_by_differences(name: str, gamma: float) -> None:
    outer, W = make_outer(name, np.random.default_rng(1)), weights() * (0.3 if gamma < 1 else 1.0)
    grad = gradient(outer, W, gamma)
    for place in [(0, 0), (0, 1), (2, 3)]:
        step = np.zeros_like(W)
        step[place] = 1e-6
        up, down = (outer(core(W + sign * step, gamma)[0])[0] for sign in (1, -1))
        assert grad[place] == pytest.approx((up - down) / 2e-6, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "gamma", "constraint"),
    [
        ("exp", 1.0, Exp()),
        ("logdet", 1.0, LogDet()),
        ("normalised exp", 1.0, AAC(1.0)),
        ("normalised exp", 0.5, SAHOC(0.0)),
    ],
)
def test_gradient_is_that_of_the_package(name: str, gamma: float, constraint: Constraint) -> None:
    W = weights(2)
    ours = gradient(make_outer(name, np.random.default_rng(0)), W, gamma)
    np.testing.assert_allclose(ours, constraint.value_and_grad(W)[1], rtol=1e-9)


def case(outer: str, gamma: float) -> dict[str, Any]:
    return {"outer": outer, "gamma": gamma, "d": 4, "seed": 0}


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.75, 1.0])
def test_orders_are_those_of_the_leading_terms(gamma: float) -> None:
    # off the diagonal M_ji m'(w) ~ t^(2γ + 2γ − 1), on it m'(w) ~ t^(2γ−1)
    result = run(case("normalised exp", gamma))
    assert result["exponent"] == pytest.approx(4 * gamma - 1, abs=0.02)
    assert result["exponent_with_loops"] == pytest.approx(2 * gamma - 1, abs=0.02)
    assert result["exponent_of_an_entry"] == pytest.approx(2 * gamma - 1, abs=0.02)
    assert result["bounded"] is (gamma >= 0.5)


def test_a_value_below_one_does_not_bound_the_gradient() -> None:
    assert run(case("saturated random", 1.0))["bounded"] is False
    assert run(case("normalised exp", 1.0))["bounded"] is True


def record(outer: str, gamma: float, p: float, bounded: bool, entry: float = 0.0) -> Record:
    names = ("exponent", "exponent_with_loops")
    result = {
        **dict.fromkeys(names, p),
        "bounded": bounded,
        "bounded_with_loops": bounded,
        "exponent_of_an_entry": entry,
    }
    return Record(case(outer, gamma), result)


def test_verdict_on_squares() -> None:
    vanishing = [record("exp", 1.0, 3.0, False), record("normalised exp", 1.0, 3.0, True)]
    assert EXPERIMENT.verdicts(vanishing)[0].outcome is Outcome.CORRECTED
    assert EXPERIMENT.verdicts(vanishing[1:])[0].outcome is Outcome.CONFIRMED
    assert EXPERIMENT.verdicts([record("exp", 1.0, 0.0, False)])[0].outcome is Outcome.CONFIRMED
    both = [*vanishing, record("random", 1.0, 0.0, True)]
    assert EXPERIMENT.verdicts(both)[0].outcome is Outcome.NOT_CONFIRMED


def test_verdict_on_absolute_values() -> None:
    assert EXPERIMENT.verdicts([record("exp", 0.5, 0.0, False)])[0].outcome is Outcome.CONFIRMED
    (verdict,) = EXPERIMENT.verdicts([record("normalised exp", 0.5, 0.0, True)])
    assert verdict.outcome is Outcome.NOT_CONFIRMED
    assert "both hold for normalised exp" in verdict.measured


@pytest.mark.parametrize(
    ("entries", "outcome"),
    [
        ((-0.5, -0.4, -0.3), Outcome.CONFIRMED),
        ((-0.5, 0.0, 0.5), Outcome.CORRECTED),
        ((0.0, 0.2, 0.5), Outcome.NOT_CONFIRMED),
    ],
)
def test_verdict_on_powers(entries: tuple[float, ...], outcome: Outcome) -> None:
    gammas = (0.25, 0.4, 0.75)
    found = [
        record("normalised exp", gamma, 1.0, True, entry)
        for gamma, entry in zip(gammas, entries, strict=True)
    ]
    (verdict,) = EXPERIMENT.verdicts(found)
    assert verdict.outcome is outcome
