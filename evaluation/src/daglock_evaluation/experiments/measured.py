"""The constraints that the experiments on the theory measure, and how they measure them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.typing import Array, Constraint
from daglock_evaluation.experiments.drawing import line, mark_of
from daglock_evaluation.experiments.experiment import Record
from daglock_evaluation.harness.numbers import interval
from daglock_evaluation.methods import look_up
from daglock_evaluation.methods.paper import ALPHA, DELTA

EPSILON = 1e-8  # the paper names none for AAC and AHOC
STANDARD = ("Exp", "LogDet", "AAC")
HYBRID = ("AHOC", "S-AHOC")
SMOOTHED = ("smoothed AHOC", "smoothed S-AHOC")
CENTRED = ("smoothed AHOC, centred", "smoothed S-AHOC, centred")
LABELS = (*STANDARD, *HYBRID, *SMOOTHED, *CENTRED)


def constraint(label: str, *, epsilon: float = EPSILON, delta: float = DELTA) -> Constraint:
    """Build a constraint by the label that it has in tables and figures.

    Examples
    --------
    >>> constraint("smoothed S-AHOC, centred")
    Smoothed(exact=SAHOC(alpha=0.5), delta=1e-07, centered=True)
    """
    look_up(dict.fromkeys(LABELS), label, "constraint")
    if label in STANDARD:
        return {"Exp": Exp(), "LogDet": LogDet(), "AAC": AAC(epsilon)}[label]
    hybrid = AHOC(ALPHA, epsilon) if "S-AHOC" not in label else SAHOC(ALPHA)
    return hybrid if label in HYBRID else Smoothed(hybrid, delta, centered=label in CENTRED)


def constraint_of(case: Mapping[str, Any]) -> Constraint:
    """Build the constraint of a case, with its ε and δ where it has them."""
    settings = {name: case[name] for name in ("epsilon", "delta") if name in case}
    return constraint(case["constraint"], **settings)


def curve(axis: Any, record: Record, x: Sequence[float]) -> None:
    """Draw the gradient norms of a record, with markers at ten of them.

    Some curves are wide, so that they show under what follows them.
    """
    label = record["constraint"]
    wide = label in ("Exp", *HYBRID)
    width = {"linewidth": 3.6 if wide else 1.5, "markersize": 7 if wide else 4}
    dashed = {"linestyle": "--", "markerfacecolor": "white"} if label in CENTRED else {}
    mark = {**mark_of(label.removesuffix(", centred"), label=label), **width, **dashed}
    line(axis, zip(x, record["norm"], strict=True), **mark, markevery=max(1, len(x) // 10))


def off_diagonal_norm(matrix: Array) -> float:
    """Frobenius norm without the diagonal, which is no variable of a graph.

    Examples
    --------
    >>> off_diagonal_norm(np.array([[9.0, 3.0], [4.0, 9.0]]))
    5.0
    """
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(matrix[~np.eye(len(matrix), dtype=np.bool_)]))


def gradient_norm(h: Constraint, W: Array, *, loops: bool = False) -> float | None:
    """Norm of ∇h, the diagonal only with self-loops; None outside the domain or the doubles."""
    value, grad = h.value_and_grad(W)
    norm = float(np.linalg.norm(grad)) if loops else off_diagonal_norm(grad)
    return norm if np.isfinite(value) and norm < 1e300 else None


def curvatures(
    h: Constraint, W: Array, places: Sequence[tuple[int, int]], steps: Sequence[float]
) -> Array:
    """Sizes of the eigenvalues of ∇²h on some entries, by central differences of these steps."""
    H = np.empty((len(places), len(places)))
    for k, (place, step) in enumerate(zip(places, steps, strict=True)):
        change = np.zeros_like(W)
        change[place] = step
        up, down = (h.value_and_grad(W + sign * change)[1] for sign in (1.0, -1.0))
        H[k] = [(up[other] - down[other]) / (2.0 * step) for other in places]
    return np.asarray(np.abs(np.linalg.eigvalsh(0.5 * (H + H.T))))


def exponent(
    x: Sequence[float] | Array,
    y: Sequence[float | None] | Array,
    low: float = 0.0,
    high: float = np.inf,
) -> float | None:
    """Fit p of y ~ x^p on logarithms, x within two ends; None where y is zero or not there.

    Examples
    --------
    >>> x = np.array([1e-3, 1e-2, 1e-1])
    >>> round(exponent(x, 7 * x**2), 6), exponent(x, [0.0, 0.0, 0.0])
    (2.0, None)
    """
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if low <= a <= high]
    if len(pairs) < 2 or not all(b is not None and b > 0.0 for _, b in pairs):
        return None
    logs = np.log(np.array(pairs))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def decimals(p: float | None) -> str:
    """Write an exponent with two decimals.

    Examples
    --------
    >>> decimals(-0.9999), decimals(None)
    ('-1.00', '–')
    """
    return interval([] if p is None else [p])


def few(value: float | None, digits: int = 5) -> float | None:
    """Return a number with few digits for a record; None for what is not finite."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.{digits}g}")


def rounded(values: Iterable[float | None], digits: int = 5) -> list[float | None]:
    """Return numbers with few digits for a record.

    Examples
    --------
    >>> rounded([2.0 / 3.0, None, float("inf")])
    [0.66667, None, None]
    """
    return [few(value, digits) for value in values]


def finite(value: float) -> float | None:
    """Return a number that JSON knows, or None."""
    return float(value) if np.isfinite(value) else None


def spectral_radius(W: Array) -> float:
    """Spectral radius of W∘W: 0 on a DAG."""
    return float(np.abs(np.linalg.eigvals(W * W)).max(initial=0.0))
