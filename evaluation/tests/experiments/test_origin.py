"""Exp 2a and 2b: closed forms near zero, and verdicts that can turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from daglock_evaluation.experiments.experiment import Outcome, Record
from daglock_evaluation.experiments.origin import EXPERIMENT, SCALES, direction, run


def case(label: str, kind: str = "dense", **more: Any) -> dict[str, Any]:
    return {"direction": kind, "d": 6, "seed": 0, "constraint": label, **more}


def norm_at(label: str, t: float, kind: str = "dense", **more: Any) -> float:
    result = run(case(label, kind, **more))
    return float(result["norm"][int(np.argmin(np.abs(np.log(np.array(SCALES) / t))))])


def test_exp_near_zero() -> None:
    # exp(A) = I + A + ...: off the diagonal the gradient is 2W ∘ (W∘W)ᵀ to leading order
    U = direction("dense", 6, 0)
    expected = 2.0 * np.linalg.norm(U * (U * U).T)
    for t in (1e-12, 1e-6, 1e-3):
        assert norm_at("Exp", t) == pytest.approx(expected * t**3, rel=1e-3)


def test_sahoc_near_zero_without_and_with_self_loops() -> None:
    U = direction("dense", 6, 0)
    for t in (1e-12, 1e-6):
        assert norm_at("S-AHOC", t) == pytest.approx(0.25 * np.linalg.norm(U) * t, rel=1e-3)
        assert norm_at("S-AHOC", t, "self-loops") == pytest.approx(0.5 * np.sqrt(6), rel=1e-3)


def test_ahoc_near_zero_by_epsilon() -> None:
    # M/ε is small: h = ½ tr (M/ε)² to leading order
    U = direction("dense", 6, 0)
    for epsilon in (1e-2, 1e-4):
        expected = 0.25 * np.linalg.norm(U) * 1e-8 / epsilon**2
        assert norm_at("AHOC", 1e-8, epsilon=epsilon) == pytest.approx(expected, rel=0.01)


def test_gradient_of_a_quadratic_core_is_zero_at_every_dag() -> None:
    result = run(case("Exp", "dag"))
    assert not any(result["norm"])
    assert result["exponent"] is None


def test_logdet_has_no_gradient_outside_its_domain() -> None:
    assert run(case("LogDet"))["norm"][-1] is None


def record(label: str, kind: str, p: float, limit: float = 1e-16) -> Record:
    result = {"exponent": p, "edges": 30, "limit": limit, "norm": [limit, 1.0]}
    return Record(case(label, kind), result)


@pytest.mark.parametrize(
    ("p", "outcome"),
    [(3.0, Outcome.CORRECTED), (1.0, Outcome.CONFIRMED), (0.0, Outcome.NOT_CONFIRMED)],
)
def test_verdict_on_the_standard_constraints(p: float, outcome: Outcome) -> None:
    (verdict,) = EXPERIMENT.verdicts([record("Exp", "dense", p), record("AAC", "dense", p)])
    assert verdict.outcome is outcome
    assert f"{p:.2f} for Exp" in verdict.measured


@pytest.mark.parametrize(("p", "outcome"), [(0.0, Outcome.CONFIRMED), (1.0, Outcome.NOT_CONFIRMED)])
def test_verdict_on_ahoc(p: float, outcome: Outcome) -> None:
    (verdict, *_) = EXPERIMENT.verdicts([record("AHOC", "dense", 0.0), record("AHOC", "sparse", p)])
    assert verdict.outcome is outcome


@pytest.mark.parametrize(
    ("limit", "outcome"),
    [(0.5 * np.sqrt(30), Outcome.CONFIRMED), (0.5 * np.sqrt(6), Outcome.NOT_CONFIRMED)],
)
def test_verdict_on_the_limit(limit: float, outcome: Outcome) -> None:
    verdict = EXPERIMENT.verdicts([record("S-AHOC", "self-loops", 0.0, limit)])[-1]
    assert "(1−α)√nnz(W)" in verdict.claim
    assert verdict.outcome is outcome


@pytest.mark.parametrize(("p", "outcome"), [(0.0, Outcome.CONFIRMED), (1.0, Outcome.NOT_CONFIRMED)])
def test_verdict_on_the_smoothed_cores(p: float, outcome: Outcome) -> None:
    found = [record("smoothed AHOC", kind, p) for kind in ("dense", "self-loops")]
    (verdict,) = EXPERIMENT.verdicts(found)
    assert verdict.outcome is outcome
