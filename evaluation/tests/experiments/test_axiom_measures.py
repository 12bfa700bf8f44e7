"""The axioms of the paper, as they are; a comment where its Table 1 says something else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from daglock.constraints import AAC, AHOC, CONSTRAINTS, SAHOC, Exp, LogDet, Smoothed
from daglock.typing import Constraint
from daglock_evaluation.experiments.axiom_measures import (
    PAPER_TABLE,
    Boundedness,
    Correctness,
    Synergy,
    axiom_table,
    boundedness,
    correctness,
    measure_axioms,
    synergy,
)

TRUE = {
    "exp": (True, False, False),
    "logdet": (True, False, False),
    "logdet_hybrid": (True, False, False),
    "aac": (True, False, True),
    # The paper: A2 holds. With a zero diagonal exp(M) -> I, whose off-diagonal is zero.
    "ahoc": (True, False, True),
    "sahoc": (True, False, True),
    # The paper: A1 and A2 hold. The smoothed core is positive at zero, so h̃ > 0 on every DAG.
    "smoothed": (False, False, True),
    "smoothed_centered": (True, False, True),
}


@pytest.mark.parametrize("name", [*CONSTRAINTS])
@pytest.mark.parametrize(("d", "rng"), [(3, 1), (6, 0), (15, 2)])
def test_verdicts(name: str, d: int, rng: int) -> None:
    assert measure_axioms(CONSTRAINTS[name](), d=d, rng=rng).verdict == TRUE[name]


def test_where_the_paper_differs() -> None:
    differs = {
        name: [f"A{k + 1}" for k in range(3) if TRUE[name][k] != printed[k]]
        for name, printed in PAPER_TABLE.items()
    }
    assert differs == {
        "exp": [],
        "logdet": [],
        "aac": [],
        "ahoc": ["A2"],
        "sahoc": ["A2"],
        "smoothed": ["A1", "A2"],
    }


@pytest.mark.parametrize(
    ("constraint", "exponent", "with_loops"),
    [
        (Exp(), 3.0, 1.0),
        (LogDet(), 3.0, 1.0),
        (LogDet(alpha=0.5), 1.0, 0.0),
        (AAC(), 3.0, 1.0),
        (AHOC(), 1.0, 0.0),
        (SAHOC(), 1.0, 0.0),
        # Smoothing takes away even what self-loops gave: ∇h̃(0) = 0.
        (Smoothed(SAHOC()), 1.0, 1.0),
        (Smoothed(SAHOC(), centered=True), 3.0, 1.0),
        (Smoothed(AHOC()), 1.0, 1.0),
    ],
)
def test_decay_of_the_gradient_near_zero(
    constraint: Constraint, exponent: float, with_loops: float
) -> None:
    # A2 as the paper proves it takes the sign of every entry of W times 1; what multiplies it is
    # exp(M)_ji, which is 1 on the diagonal alone.
    measured = synergy(constraint)
    assert measured.exponent == pytest.approx(exponent, abs=0.02)
    assert measured.exponent_with_loops == pytest.approx(with_loops, abs=0.02)


def test_gradient_of_sahoc_along_a_ray() -> None:
    # Off the diagonal C_ij = M_ji to first order: norm (1−α)² t ‖U‖, linear in t. With self-loops
    # the norm tends to (1−α) √d.
    U = np.random.default_rng(0).standard_normal((6, 6))
    zero_diagonal = U * (1 - np.eye(6))
    for t in (1e-3, 1e-5, 1e-7):
        grad = SAHOC(0.5).value_and_grad(t * zero_diagonal)[1] * (1 - np.eye(6))
        assert np.linalg.norm(grad) == pytest.approx(
            0.25 * t * float(np.linalg.norm(zero_diagonal)), rel=0.02
        )
        with_loops = SAHOC(0.5).value_and_grad(t * U)[1]
        assert np.linalg.norm(with_loops) == pytest.approx(0.5 * np.sqrt(6), rel=0.02)


@pytest.mark.parametrize("epsilon", [1.0, 1e-3, 1e-6])
def test_bound_of_the_gradient_depends_on_epsilon(epsilon: float) -> None:
    # A3 holds for each ε, as printed, but the bound is of order 1/ε for AHOC and 1/√ε for AAC.
    ahoc = boundedness(AHOC(0.5, epsilon))
    aac = boundedness(AAC(epsilon))
    assert ahoc.holds
    assert aac.holds
    assert 0.05 < ahoc.largest_gradient * epsilon < 0.5
    assert 0.05 < aac.largest_gradient * np.sqrt(epsilon) < 0.5


def test_values_of_the_normalised_constraints_stay_below_e_minus_2() -> None:
    for constraint in (AAC(), AHOC(), SAHOC()):
        assert boundedness(constraint).largest_value < math.e - 2


def test_what_counts_as_holding() -> None:
    assert Correctness(0.0, 1e-300).holds
    assert not Correctness(1e-300, 1.0).holds
    assert not Correctness(0.0, 0.0).holds
    assert Synergy(0.0, 0.0).holds
    assert not Synergy(1.0, 0.0).holds
    assert Boundedness(1.0, 1.0, grows=False).holds
    assert not Boundedness(1.0, 1.0, grows=True).holds
    assert not Boundedness(1.0, np.inf, grows=False).holds


def test_same_seed_same_measurement() -> None:
    assert measure_axioms(SAHOC(), rng=4) == measure_axioms(SAHOC(), rng=4)
    assert correctness(Exp(), rng=4) != correctness(Exp(), rng=5)


def test_table_has_a_row_for_each_constraint_and_marks_differences() -> None:
    lines = axiom_table().splitlines()
    assert [line.split()[0] for line in lines[1:]] == [*CONSTRAINTS]
    assert sum(line.count("(paper: yes)") for line in lines) == 4
