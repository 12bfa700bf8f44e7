"""The constraints that the experiments on the theory measure, and how they measure them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.errors import InvalidParameterError
from daglock.typing import Array, Constraint
from daglock_evaluation.experiments.style import MARKS

# The paper names no ε for AAC and AHOC, and δ = 1e-7.
ALPHA, EPSILON, DELTA = 0.5, 1e-8, 1e-7
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
    if label == "Exp":
        return Exp()
    if label == "LogDet":
        return LogDet()
    if label == "AAC":
        return AAC(epsilon)
    hybrid = AHOC(ALPHA, epsilon) if "S-AHOC" not in label else SAHOC(ALPHA)
    if label in HYBRID:
        return hybrid
    if label in (*SMOOTHED, *CENTRED):
        return Smoothed(hybrid, delta, centered=label in CENTRED)
    raise InvalidParameterError(f"There is no constraint {label!r}; there are {', '.join(LABELS)}.")


def mark(label: str, points: int = 0) -> dict[str, Any]:
    """Return how a constraint is drawn; some wide, so that they show under what follows them.

    ``points`` is how many a curve has: markers stand at ten of them.
    """
    wide = label in ("Exp", *HYBRID)
    width = {"linewidth": 3.6 if wide else 1.5, "markersize": 7 if wide else 4}
    every = {"markevery": max(1, points // 10)}
    if label in CENTRED:
        base = MARKS[label.removesuffix(", centred")]
        dashed = {"label": label, "linestyle": "--", "markerfacecolor": "white"}
        return {**base, **width, **every, **dashed}
    return {**MARKS[label], **width, **every}


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


def exponent(x: Sequence[float] | Array, y: Sequence[float | None] | Array) -> float | None:
    """Fit p of y ~ x^p by least squares on logarithms; None where y is zero or not there.

    Examples
    --------
    >>> x = np.array([1e-3, 1e-2, 1e-1])
    >>> round(exponent(x, 7 * x**2), 6)
    2.0
    >>> exponent(x, [0.0, 0.0, 0.0]) is None
    True
    """
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if b is not None and b > 0.0]
    if len(pairs) < 2 or len(pairs) < len(y):
        return None
    logs = np.log(np.array(pairs))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def exponent_within(
    x: Sequence[float], y: Sequence[float | None], low: float, high: float
) -> float | None:
    """Fit the exponent between two ends of x."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if low <= a <= high]
    return exponent([a for a, _ in pairs], [b for _, b in pairs])


def finite(value: float) -> float | None:
    """Return a number that JSON knows, or None."""
    return float(value) if np.isfinite(value) else None


def rounded(curve: Sequence[float | None]) -> list[float | None]:
    """Return the points of a curve with six digits, which is enough to draw and to fit.

    Examples
    --------
    >>> rounded([2.0 / 3.0, None])
    [0.666667, None]
    """
    return [None if value is None else float(f"{value:.6g}") for value in curve]


def settings_of(case: Mapping[str, Any]) -> dict[str, float]:
    """Return the ε and δ of a case, where it has them."""
    return {name: case[name] for name in ("epsilon", "delta") if name in case}
