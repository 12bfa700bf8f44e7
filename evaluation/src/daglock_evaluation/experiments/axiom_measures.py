"""The three stability axioms of the SPG-AHOC paper, measured.

A1, correctness: ``h(W) = 0`` exactly when W is a DAG.
A2, L1-synergy: ``liminf ‖∇h(tU)‖_F > 0`` as t tends to 0 from above.
A3, boundedness: h and ``‖∇h‖_F`` are bounded over all W.

A measurement can refute an axiom and can support it; it proves nothing. The diagonal of an
adjacency matrix is zero and is not a variable, so gradients are taken off the diagonal; A2 is
also measured with self-loops, where its outcome is different.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from daglock.constraints import CONSTRAINTS
from daglock.typing import Array, Constraint, Seed
from daglock_evaluation.experiments.measured import off_diagonal_norm

PAPER_TABLE: Mapping[str, tuple[bool, bool, bool]] = {
    "exp": (True, False, False),
    "logdet": (True, False, False),
    "aac": (True, False, True),
    "ahoc": (True, True, True),
    "sahoc": (True, True, True),
    "smoothed": (True, True, True),
}
"""A1, A2, A3 as printed: Table 1, and for S-AHOC its theorem on AHOC and S-AHOC."""

# Well below every scale in use (ε = 1e-8, δ = 1e-7), so that the decay is the asymptotic one.
_SMALL = np.array([1e-14, 1e-15, 1e-16])
_SCALES = np.logspace(-16, 8, 97)


@dataclass(frozen=True)
class Correctness:
    """A1: values on DAGs and on graphs with a cycle."""

    largest_on_dags: float
    smallest_on_cycles: float

    @property
    def holds(self) -> bool:
        """Zero on every DAG tried, positive on every cyclic graph tried."""
        return self.largest_on_dags == 0.0 and self.smallest_on_cycles > 0.0


@dataclass(frozen=True)
class Synergy:
    """A2: the p of ``‖∇h(tU)‖_F ~ t^p`` as t -> 0. It holds when p = 0."""

    exponent: float
    """With a zero diagonal of U, gradient off the diagonal."""
    exponent_with_loops: float
    """With self-loops in U, whole gradient."""

    @property
    def holds(self) -> bool:
        """No decay with a zero diagonal: what an adjacency matrix has."""
        return self.exponent < 0.1


@dataclass(frozen=True)
class Boundedness:
    """A3: largest value and gradient norm along rays and towards ``ρ(W∘W) = 1``."""

    largest_value: float
    largest_gradient: float
    grows: bool
    """Whether either still grows at the end of a path."""

    @property
    def holds(self) -> bool:
        """Finite, and no longer growing."""
        return bool(np.isfinite([self.largest_value, self.largest_gradient]).all()) and (
            not self.grows
        )


@dataclass(frozen=True)
class Axioms:
    """The three measurements of one constraint."""

    correctness: Correctness
    synergy: Synergy
    boundedness: Boundedness

    @property
    def verdict(self) -> tuple[bool, bool, bool]:
        """Whether A1, A2, A3 hold, as far as measured."""
        return self.correctness.holds, self.synergy.holds, self.boundedness.holds


def correctness(constraint: Constraint, *, d: int = 6, rng: Seed = 0) -> Correctness:
    """Evaluate h on 50 random DAGs, and on the same DAGs with one edge that closes a cycle.

    Examples
    --------
    >>> from daglock.constraints import SAHOC, Smoothed
    >>> correctness(SAHOC()).holds, correctness(Smoothed(SAHOC())).holds
    (True, False)
    """
    generator = np.random.default_rng(rng)
    on_dags, on_cycles = [], []
    for _ in range(50):
        W = np.triu(generator.standard_normal((d, d)), 1)
        W *= generator.random((d, d)) < 0.5
        W[0, d - 1] = 1.0
        order = generator.permutation(d)
        dag = W[np.ix_(order, order)] * 10.0 ** generator.uniform(-6.0, 1.0)
        on_dags.append(constraint.value(dag))
        W[d - 1, 0] = 10.0 ** generator.uniform(-6.0, 0.0)
        on_cycles.append(constraint.value(W[np.ix_(order, order)]))
    return Correctness(max(on_dags), min(on_cycles))


def synergy(constraint: Constraint, *, d: int = 6, rng: Seed = 0) -> Synergy:
    """Fit the exponent of ``‖∇h(tU)‖_F`` as t -> 0, for a random dense U.

    Examples
    --------
    >>> from daglock.constraints import SAHOC, Exp
    >>> [round(synergy(h).exponent, 3) for h in (Exp(), SAHOC())]
    [3.0, 1.0]
    >>> [round(abs(synergy(h).exponent_with_loops), 3) for h in (Exp(), SAHOC())]
    [1.0, 0.0]
    """
    U = np.random.default_rng(rng).standard_normal((d, d))
    without = U * ~np.eye(d, dtype=np.bool_)
    return Synergy(
        _exponent([off_diagonal_norm(constraint.value_and_grad(t * without)[1]) for t in _SMALL]),
        _exponent([float(np.linalg.norm(constraint.value_and_grad(t * U)[1])) for t in _SMALL]),
    )


def boundedness(constraint: Constraint, *, d: int = 6, rng: Seed = 0) -> Boundedness:
    """Follow h and its gradient along two rays ``tU`` and along a ring with ``ρ(W∘W) -> 1``.

    The rays (a random dense U, and one whose weights differ by factors of up to 1e4) run from
    t = 1e-16 to 1e8. Growth is judged over the last quarter of each path.

    Notes
    -----
    For AHOC and AAC the bound holds for each ε but not uniformly: the largest gradient is of the
    order of ``1/ε`` for AHOC (at ``‖W‖ ≈ ε``) and of ``1/√ε`` for AAC (at ``‖W‖ ≈ √ε``).

    Examples
    --------
    >>> from daglock.constraints import AHOC, LogDet
    >>> boundedness(LogDet()).holds, boundedness(AHOC(epsilon=1.0)).holds
    (False, True)
    >>> ratio = boundedness(AHOC(epsilon=1e-6)).largest_gradient / 1e6
    >>> 0.01 < ratio < 1.0
    True
    """
    generator = np.random.default_rng(rng)
    U = generator.standard_normal((d, d)) * ~np.eye(d, dtype=np.bool_)
    uneven = U * 10.0 ** generator.uniform(-2.0, 2.0, (d, d))
    ring = np.roll(np.eye(d), 1, axis=1)
    paths = [
        [t * U for t in _SCALES],
        [t * uneven for t in _SCALES],
        [np.sqrt(1.0 - 10.0**-k) * ring for k in np.linspace(0.5, 12.0, 24)],
    ]
    results = [[_value_and_norm(constraint, W) for W in path] for path in paths]
    return Boundedness(
        max(value for path in results for value, _ in path),
        max(norm for path in results for _, norm in path),
        any(_grows([pair[k] for pair in path]) for path in results for k in (0, 1)),
    )


def measure_axioms(constraint: Constraint, *, d: int = 6, rng: Seed = 0) -> Axioms:
    """Measure the three axioms of one constraint.

    Examples
    --------
    >>> from daglock.constraints import AAC
    >>> measure_axioms(AAC()).verdict
    (True, False, True)
    """
    return Axioms(
        correctness(constraint, d=d, rng=rng),
        synergy(constraint, d=d, rng=rng),
        boundedness(constraint, d=d, rng=rng),
    )


def axiom_table(
    constraints: Mapping[str, Constraint] | None = None, *, d: int = 6, rng: Seed = 0
) -> str:
    """Write the measured axioms beside the paper's Table 1.

    A row for each constraint, by default for every registered one: ``yes (paper: no)`` where the
    two differ; the largest value on a DAG; the exponents of A2 without and with self-loops; the
    largest gradient norm.

    Examples
    --------
    >>> from daglock.constraints import SAHOC
    >>> print(axiom_table({"sahoc": SAHOC()}))
    constraint   A1    A2               A3    h on DAGs  p     p loops  max grad
    sahoc        yes   no (paper: yes)  yes   0.0e+00    1.00  0.00     1.8e-01
    """
    chosen = constraints or {name: make() for name, make in CONSTRAINTS.items()}
    rows: list[tuple[str, ...]] = [
        ("constraint", "A1", "A2", "A3", "h on DAGs", "p", "p loops", "max grad")
    ]
    for name, constraint in chosen.items():
        axioms = measure_axioms(constraint, d=d, rng=rng)
        printed = PAPER_TABLE.get(name, axioms.verdict)
        rows.append(
            (
                name,
                *map(_compare, axioms.verdict, printed),
                f"{axioms.correctness.largest_on_dags:.1e}",
                f"{axioms.synergy.exponent:.2f}",
                f"{abs(axioms.synergy.exponent_with_loops):.2f}",
                f"{axioms.boundedness.largest_gradient:.1e}",
            )
        )
    widths = (18, 16, 16, 16, 10, 6, 8, 8)
    return "\n".join(
        " ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _exponent(norms: list[float]) -> float:
    """Slope of log norm over log t; infinite when the gradient is exactly zero."""
    if min(norms) == 0.0:
        return float("inf")
    return float(np.polyfit(np.log(_SMALL), np.log(norms), 1)[0])


def _value_and_norm(constraint: Constraint, W: Array) -> tuple[float, float]:
    """h(W) and the norm of its gradient; outside the domain both are infinite."""
    value, grad = constraint.value_and_grad(W)
    if np.isinf(value):
        return value, value
    return value, off_diagonal_norm(grad)


def _grows(path: list[float]) -> bool:
    """Whether the last quarter of a path rises by more than a tenth over what came before."""
    split = 3 * len(path) // 4
    return max(path[split:]) > 1.1 * max(path[:split])


def _compare(ours: bool, paper: bool) -> str:
    """``yes`` or ``no``, with the paper's word if it is another."""
    word = {True: "yes", False: "no"}
    return word[ours] if ours == paper else f"{word[ours]} (paper: {word[paper]})"
