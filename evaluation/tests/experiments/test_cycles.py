"""Exp 1: closed forms on rings, and verdicts that can turn."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest

from daglock.constraints import LogDet
from daglock_evaluation.experiments.cycles import (
    EXPERIMENT,
    NORMALISED,
    QUANTITIES,
    SEARCHED,
    Counting,
    run,
    skewed_ring,
    unit_radius,
)
from daglock_evaluation.experiments.experiment import Outcome, Record


def case(path: str, label: str, graph: str = "ring", d: int = 3) -> dict[str, object]:
    return {"path": path, "graph": graph, "d": d, "seed": 0, "constraint": label}


@pytest.mark.parametrize("d", [3, 5])
def test_exp_on_a_ring(d: int) -> None:
    # (W∘W)^(d−1+kd) is the part of exp(W∘W) that stands beside an edge of the ring
    result = run(case("towards", "Exp", d=d))
    for gap, norm in zip(result["x"], result["norm"], strict=True):
        r = 1.0 - gap
        price = sum(r ** (d - 1 + k * d) / factorial(d - 1 + k * d) for k in range(6))
        assert norm == pytest.approx(2.0 * np.sqrt(r * d) * price, rel=1e-5)


@pytest.mark.parametrize("d", [3, 5])
def test_logdet_on_a_ring(d: int) -> None:
    result = run(case("towards", "LogDet", d=d))
    for gap, norm in zip(result["x"], result["norm"], strict=True):
        r = 1.0 - gap
        # 1 − r^d without its cancellation
        left = -np.expm1(d * np.log1p(-gap))
        assert norm == pytest.approx(2.0 * np.sqrt(r * d) * r ** (d - 1) / left, rel=1e-3)


def test_graphs_have_the_radius_that_they_say() -> None:
    for W in (unit_radius("ring", 4, 0), unit_radius("dense", 7, 3)):
        assert np.abs(np.linalg.eigvals(W * W)).max() == pytest.approx(1.0)
        assert not np.diag(W).any()
    W = skewed_ring(4, 100.0)
    assert np.prod(W[W != 0] ** 2) == pytest.approx(0.5**4)


def test_gradient_of_exp_grows_with_the_longest_path() -> None:
    for d in (3, 6):
        settings = case("skewed", "Exp", d=d)
        assert QUANTITIES["growth"](Record(settings, run(settings))) == pytest.approx(
            d - 1, abs=0.01
        )


def curve(label: str, order: float) -> Record:
    x = [10.0**-k for k in range(1, 12)]
    return Record(case("towards", label), {"x": x, "norm": [gap**-order for gap in x]})


def test_verdict_on_explosion_follows_the_orders() -> None:
    for exp, logdet, outcome in (
        (1.0, 1.0, Outcome.CONFIRMED),
        (0.0, 1.0, Outcome.CORRECTED),
        (0.0, 0.0, Outcome.NOT_CONFIRMED),
    ):
        (verdict,) = EXPERIMENT.verdicts([curve("Exp", exp), curve("LogDet", logdet)])
        assert verdict.outcome is outcome
        assert f"p = {exp:.2f} for Exp and p = {logdet:.2f} for LogDet" in verdict.measured


def test_verdict_on_boundedness_follows_the_orders() -> None:
    for order, outcome in ((0.0, Outcome.CONFIRMED), (0.5, Outcome.NOT_CONFIRMED)):
        calm = [curve(label, 0.0) for label in NORMALISED[:-1]]
        (verdict,) = EXPERIMENT.verdicts([*calm, curve(NORMALISED[-1], order)])
        assert verdict.outcome is outcome


def test_verdict_on_skew_follows_the_powers() -> None:
    def records(powers: dict[int, float]) -> list[Record]:
        x = [float(a) for a in np.logspace(0, 6, 13)]
        return [
            Record(case("skewed", "Exp", d=d), {"x": x, "norm": [a**p for a in x]})
            for d, p in powers.items()
        ]

    outcomes = [
        EXPERIMENT.verdicts(records(p))[0].outcome
        for p in ({3: 2.0, 10: 9.0}, {3: 2.0, 10: 2.0}, {3: -1.0})
    ]
    assert outcomes == [Outcome.CONFIRMED, Outcome.CORRECTED, Outcome.NOT_CONFIRMED]


def test_what_is_outside_the_domain_is_counted() -> None:
    h = Counting(LogDet())
    ring = np.roll(np.eye(3), 1, axis=1)
    for scale in (0.5, 0.9, 1.1, 2.0):  # ρ(W∘W) is its square, and the domain ends at one
        h.value_and_grad(scale * ring)
    assert [bool(np.isfinite(value)) for value in h.values] == [True, True, False, False]


def test_the_net_is_used_with_the_log_determinant_alone() -> None:
    settings = {"path": "search", "graph": "sparse", "d": 10, "seed": 0, "max_outer": 3}
    logdet, smoothed = (run({**settings, "constraint": label}) for label in SEARCHED)
    assert 0 < logdet["outside"] < logdet["candidates"]
    assert logdet["finite"]
    assert smoothed["outside"] == 0


@pytest.mark.parametrize(
    ("logdet", "smoothed", "outcome"),
    [
        (5, 0, Outcome.CONFIRMED),
        (0, 0, Outcome.CORRECTED),
        (5, 1, Outcome.CORRECTED),
        (0, 1, Outcome.NOT_CONFIRMED),
    ],
)
def test_verdict_on_the_net_can_turn(logdet: int, smoothed: int, outcome: Outcome) -> None:
    end = {"candidates": 100, "finite": True, "shd_cut": 0, "edges": 10}
    made = [
        Record({"path": "search", "constraint": label, "d": 10}, {**end, "outside": count})
        for label, count in zip(SEARCHED, (logdet, smoothed), strict=True)
    ]
    assert [v.outcome for v in EXPERIMENT.verdicts(made)] == [outcome]
    assert EXPERIMENT.verdicts(made[:1]) == []
