"""The incompatibility theorem: L1-synergy and boundedness for functions of W∘W or |W|."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.linalg import expm

from daglock.constraints.scaling import Frobenius
from daglock.typing import Array
from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.cycles import skewed_ring
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result
from daglock_evaluation.experiments.incompatibility_claims import FLAT, verdicts
from daglock_evaluation.experiments.measured import finite, interval
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# F(A) and dF/dA, for A >= 0.
Outer: TypeAlias = Callable[[Array], tuple[float, Array]]
SMALL = tuple(float(t) for t in np.logspace(-8, -5, 7))
WIDE = tuple(float(t) for t in np.logspace(-8, 6, 57))
# Smooth at zero. "random" ones draw a power series x; saturated, x/(1+x).
OUTERS = ("exp", "logdet", "polynomial", "normalised exp", "random", "saturated random")
GAMMAS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9)


def cases(quick: bool) -> list[Case]:
    """All outer functions with the cores W∘W and |W|; powers of W∘W in the normalised one."""
    sizes, seeds = ((4,), 2) if quick else ((4, 8), 10)
    found: list[Case] = [
        {"outer": outer, "gamma": gamma, "d": d, "seed": seed}
        for d in sizes
        for seed in range(seeds)
        for outer in OUTERS
        for gamma in (1.0, 0.5)
    ]
    found += [
        {"outer": "normalised exp", "gamma": gamma, "d": d, "seed": 0}
        for d in sizes
        for gamma in GAMMAS
        if gamma != 0.5
    ]
    return found


def run(case: Case) -> Result:
    """Measure the order of the gradient at zero, and whether it is bounded.

    The core is ``m(w) = |w|^(2γ)``: W∘W for γ = 1, |W| for γ = 1/2, the paper's f(x) = x^γ on
    W∘W in between.
    """
    generator = np.random.default_rng(case["seed"])
    U = generator.standard_normal((case["d"], case["d"]))
    outer = make_outer(case["outer"], generator)
    gamma = case["gamma"]
    without = U * (1.0 - np.eye(len(U)))
    # One entry of a fixed graph goes to zero: where an exploding core shows.
    entry = measured.exponent(SMALL, [_entry(outer, without, t, gamma) for t in SMALL])
    skewed = [
        _norm(outer, skewed_ring(case["d"], a), gamma, False) for a in np.logspace(0.0, 4.0, 33)
    ]
    result: dict[str, Any] = {"exponent_of_an_entry": entry}
    for name, direction in (("", without), ("_with_loops", U)):
        loops = bool(name)
        order = measured.exponent(SMALL, [_norm(outer, t * direction, gamma, loops) for t in SMALL])
        along = [_norm(outer, t * direction, gamma, loops) for t in WIDE]
        falls = [p is not None and p > -FLAT for p in (order, entry)]
        result[f"exponent{name}"] = order
        result[f"largest{name}"] = finite(max(*along, *skewed))
        result[f"bounded{name}"] = all(falls) and not (_rises(along) or _rises(skewed))
    return result


def make_outer(name: str, generator: np.random.Generator) -> Outer:
    """Return F by its name.

    Examples
    --------
    >>> value, grad = make_outer("exp", np.random.default_rng(0))(np.zeros((2, 2)))
    >>> value, grad.tolist()
    (0.0, [[1.0, 0.0], [0.0, 1.0]])
    """
    coefficients = generator.uniform(0.1, 1.0, size=8)  # up to d: cycles of all lengths count
    return {
        "exp": _exp,
        "logdet": _logdet,
        "polynomial": _polynomial,
        "normalised exp": _normalised,
        "random": lambda A: _series(A, coefficients),
        "saturated random": lambda A: _saturated(A, coefficients),
    }[name]


def core(W: Array, gamma: float) -> tuple[Array, Array]:
    """Return ``|w|^(2γ)`` and its derivative.

    Examples
    --------
    >>> [part.tolist() for part in core(np.array([[-3.0]]), 1.0)]
    [[[9.0]], [[-6.0]]]
    """
    size = np.abs(W)
    filled = np.where(size > 0.0, size, 1.0)
    slope = 2.0 * gamma * filled ** (2.0 * gamma - 1.0) * np.sign(W)
    return np.where(size > 0.0, filled ** (2.0 * gamma), 0.0), slope


def gradient(outer: Outer, W: Array, gamma: float) -> Array:
    """∇h for h = F(m(W)); not a number where F is not defined."""
    A, slope = core(W, gamma)
    with np.errstate(all="ignore"):
        if not np.isfinite(A).all():
            return np.full_like(W, np.nan)
        value, G = outer(A)
        return np.where(np.isfinite(value), G * slope, np.nan)


def _norm(outer: Outer, W: Array, gamma: float, loops: bool) -> float:
    """Norm of the gradient, infinite where there is none."""
    with np.errstate(all="ignore"):
        grad = gradient(outer, W, gamma)
        norm = float(np.linalg.norm(grad)) if loops else measured.off_diagonal_norm(grad)
    return norm if np.isfinite(norm) else float("inf")


def _entry(outer: Outer, U: Array, t: float, gamma: float) -> float:
    """|∂h/∂W_01| where W_01 = t, every other weight being moderate."""
    W = 0.2 * U
    W[0, 1] = t
    return float(np.abs(gradient(outer, W, gamma)[0, 1]))


def _rises(path: Sequence[float]) -> bool:
    """Whether a path is infinite somewhere, or its end is its top by more than a tenth."""
    split = 3 * len(path) // 4
    return not np.isfinite(path).all() or max(path[split:]) > 1.1 * max(path[:split])


def _exp(A: Array) -> tuple[float, Array]:
    """``tr exp(A) − d``; infinite where it would overflow."""
    if A.max() > 700.0:
        return float("inf"), np.zeros_like(A)
    E = np.asarray(expm(A))
    return float(np.trace(E)) - len(A), E.T


def _logdet(A: Array) -> tuple[float, Array]:
    """``−log det(I − A)`` where ρ(A) < 1."""
    if np.abs(np.linalg.eigvals(A)).max() >= 1.0:
        return float("inf"), np.zeros_like(A)
    B = np.eye(len(A)) - A
    return -float(np.linalg.slogdet(B)[1]), np.asarray(np.linalg.inv(B).T, dtype=np.float64)


def _polynomial(A: Array) -> tuple[float, Array]:
    """``tr (I + A/d)^d − d``."""
    d = len(A)
    power = np.linalg.matrix_power(np.eye(d) + A / d, d - 1)
    return float(np.trace(power @ (np.eye(d) + A / d))) - d, power.T


def _normalised(A: Array) -> tuple[float, Array]:
    """``tr exp(A/(‖A‖_F+1)) − d``: AAC on W∘W, S-AHOC with α = 0 on |W|."""
    scaled = Frobenius(1.0).apply(A)
    value, G = _exp(scaled.A)
    return value, scaled.gradient(G)


def _series(A: Array, coefficients: Array) -> tuple[float, Array]:
    """``Σ c_k tr A^k``, c_k > 0."""
    value, G, power = 0.0, np.zeros_like(A), np.eye(len(A))
    for k, c in enumerate(coefficients, 1):
        G += k * c * power.T
        power = power @ A
        value += c * float(np.trace(power))
    return value, G


def _saturated(A: Array, coefficients: Array) -> tuple[float, Array]:
    """``x/(1+x)`` of a power series x: smooth, with values below one."""
    value, G = _series(A, coefficients)
    return value / (1.0 + value), G / (1.0 + value) ** 2


def tables(records: Sequence[Record]) -> list[Table]:
    """Orders and bounds by outer function and core."""
    rows = [["F", "core", "p", "p with self-loops", "gradient bounded", "with self-loops"]]
    for gamma, name in ((1.0, "W∘W"), (0.5, "|W|")):
        for outer in OUTERS:
            found = measured.where(records, outer=outer, gamma=gamma)
            if found:
                rows.append([outer, name, *_cells(found)])
    powers = [["γ", "core |w|^(2γ)", *rows[0][2:], "p of one entry"]]
    for gamma in (*GAMMAS, 1.0):
        found = measured.where(records, outer="normalised exp", gamma=gamma)
        if found:
            entry = interval(measured.values(found, "exponent_of_an_entry"))
            powers.append([f"{gamma:g}", f"|w|^{2 * gamma:g}", *_cells(found), entry])
    return [
        Table(
            "Order of the gradient at zero, ‖∇h(tU)‖ ~ t^p, and boundedness",
            rows,
            "A2 asks for p = 0 (or less), A3 for a bound. Bounded: finite and not growing at the "
            "ends of rays (t from 1e-8 to 1e6), on rings of large and one small weight, and as "
            "one entry tends to zero. Ranges are over sizes and seeds.",
        ),
        Table(
            "Powers of W∘W in the normalised exponential",
            powers,
            "Last column: ∂h/∂w ~ w^p as one entry on a cycle tends to zero; below 0 it explodes.",
        ),
    ]


def _cells(found: Sequence[Record]) -> list[str]:
    """Write the measurements of a group."""
    words = {True: "yes", False: "no"}
    bounds = [
        words[all(record.result[name] for record in found)]
        for name in ("bounded", "bounded_with_loops")
    ]
    orders = [
        interval(measured.values(found, name)) for name in ("exponent", "exponent_with_loops")
    ]
    return [*orders, *bounds]


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the orders against γ, with the lines 4γ − 1 and 2γ − 1."""
    found = [
        (record.case["gamma"], record.result)
        for record in measured.where(records, outer="normalised exp")
        if record.result["exponent"] is not None
    ]
    if not found:
        return {}
    figure, (ax,) = panels(1, height=3.4)
    grid = np.array([0.05, 1.05])
    shown = (
        ("exponent", "no self-loops", "blue", "o", 4.0 * grid - 1.0),
        ("exponent_with_loops", "self-loops", "vermilion", "s", 2.0 * grid - 1.0),
        ("exponent_of_an_entry", "one entry, others fixed", "green", "^", None),
    )
    for name, label, colour, marker, line in shown:
        points = [(gamma, result[name]) for gamma, result in found if result[name] is not None]
        x, y = zip(*points, strict=True)
        ax.plot(x, y, marker, color=COLOURS[colour], label=label, markersize=5, alpha=0.8)
        if line is not None:
            ax.plot(grid, line, color=COLOURS[colour], linewidth=0.8)
    ax.axhline(0.0, color=COLOURS["black"], linewidth=0.8)
    ax.text(1.06, -0.3, "A2 asks for p ≤ 0", ha="right", fontsize=8)
    ax.set(
        xlabel=r"$\gamma$ in the core $|w|^{2\gamma}$",
        ylabel=r"order p of the gradient, $\sim t^p$",
    )
    ax.legend(frameon=False, fontsize=8)
    return {"incompatibility": figure}


EXPERIMENT = Experiment(
    name="incompatibility",
    title="The incompatibility theorem",
    source="Theorem on incompatibility, section 2.2; its proof in appendix A",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"outer": "exp", "gamma": 1.0, "d": 4, "seed": 0},
        {"outer": "normalised exp", "gamma": 1.0, "d": 4, "seed": 0},
        {"outer": "normalised exp", "gamma": 0.5, "d": 4, "seed": 0},
    ),
)
