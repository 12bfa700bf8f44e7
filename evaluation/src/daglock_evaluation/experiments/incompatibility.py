"""The incompatibility theorem: L1-synergy and boundedness for functions of W∘W or |W|."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import expm

from daglock.constraints.core import Frobenius
from daglock.typing import Array
from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.cycles import skewed_ring
from daglock_evaluation.experiments.drawing import Figure, look
from daglock_evaluation.experiments.evidence import (
    Column,
    Runs,
    experiment,
    grid,
    need,
    prose,
    table,
)
from daglock_evaluation.experiments.experiment import Case, Outcome, Quantities, Result, Verdict
from daglock_evaluation.experiments.measured import finite
from daglock_evaluation.harness.figures import COLOURS, panels
from daglock_evaluation.harness.numbers import interval, listed, short
from daglock_evaluation.harness.tables import Table

# F(A) and dF/dA, for A >= 0.
Outer: TypeAlias = Callable[[Array], tuple[float, Array]]
SMALL = tuple(float(t) for t in np.logspace(-8, -5, 7))
WIDE = tuple(float(t) for t in np.logspace(-8, 6, 57))
# Smooth at zero. "random" ones draw a power series x; saturated, x/(1+x).
OUTERS = ("exp", "logdet", "polynomial", "normalised exp", "random", "saturated random")
GAMMAS = (0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 0.9)
FLAT = 0.1  # exponents below this count as zero


def cases(quick: bool) -> list[Case]:
    """All outer functions with the cores W∘W and |W|; powers of W∘W in the normalised one."""
    sizes, seeds = ((4,), 2) if quick else ((4, 8), 10)
    powers = tuple(gamma for gamma in GAMMAS if gamma != 0.5)
    return [
        *grid(d=sizes, seed=range(seeds), outer=OUTERS, gamma=(1.0, 0.5)),
        *grid(outer="normalised exp", d=sizes, gamma=powers, seed=0),
    ]


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


QUANTITIES: Quantities = {
    # a gradient that neither vanishes at zero nor is unbounded
    "both": lambda r: _flat(r["exponent"]) and r["bounded"],
    "both_with_loops": lambda r: _flat(r["exponent_with_loops"]) and r["bounded_with_loops"],
    "against": lambda r: r["both"] or r["both_with_loops"],
    "vanishes": lambda r: not any(map(_flat, (r["exponent"], r["exponent_with_loops"]))),
}


def _flat(order: float | None) -> bool:
    """Whether an order is zero or less: nothing that vanishes."""
    return order is not None and order < FLAT


def tables(runs: Runs) -> list[Table]:
    """Orders and bounds by outer function and core."""

    def bounded(name: str, found: Runs) -> str:
        return "yes" if all(found.all(name)) else "no"

    common: list[Column] = [
        ("p", lambda g: g.interval("exponent")),
        ("p with self-loops", lambda g: g.interval("exponent_with_loops")),
        ("gradient bounded", partial(bounded, "bounded")),
        ("with self-loops", partial(bounded, "bounded_with_loops")),
    ]
    return [
        table(
            "Order of the gradient at zero, ‖∇h(tU)‖ ~ t^p, and boundedness",
            (runs.where(outer=outer, gamma=gamma) for gamma in (1.0, 0.5) for outer in OUTERS),
            ("F", "outer"),
            ("core", lambda g: "W∘W" if g[0]["gamma"] == 1.0 else "|W|"),
            *common,
            note="A2 asks for p = 0 (or less), A3 for a bound. Bounded: finite and not growing at "
            "the ends of rays (t from 1e-8 to 1e6), on rings of large and one small weight, and as "
            "one entry tends to zero. Ranges are over sizes and seeds.",
        ),
        table(
            "Powers of W∘W in the normalised exponential",
            (runs.where(outer="normalised exp", gamma=gamma) for gamma in (*GAMMAS, 1.0)),
            ("γ", lambda g: f"{g[0]['gamma']:g}"),
            ("core |w|^(2γ)", lambda g: f"|w|^{2 * g[0]['gamma']:g}"),
            *common,
            ("p of one entry", lambda g: g.interval("exponent_of_an_entry")),
            note="Last column: ∂h/∂w ~ w^p as one entry on a cycle tends to zero; below 0 it "
            "explodes.",
        ),
    ]


def draw(runs: Runs) -> Figure:
    """Draw the orders against γ, with the lines 4γ − 1 and 2γ − 1."""
    found = need(runs.where(outer="normalised exp").but(lambda r: r["exponent"] is None))
    figure, (ax,) = panels(1, height=3.4)
    ends = np.array([0.05, 1.05])
    shown = (
        ("exponent", "no self-loops", "blue", "o", 4.0 * ends - 1.0),
        ("exponent_with_loops", "self-loops", "vermilion", "s", 2.0 * ends - 1.0),
        ("exponent_of_an_entry", "one entry, others fixed", "green", "^", None),
    )
    for name, label, colour, marker, line in shown:
        mark = look(colour, marker, label=label, markersize=5, alpha=0.8, linestyle="None")
        ax.plot(found.all("gamma"), [np.nan if p is None else p for p in found.all(name)], **mark)
        if line is not None:
            ax.plot(ends, line, color=COLOURS[colour], linewidth=0.8)
    ax.axhline(0.0, color=COLOURS["black"], linewidth=0.8)
    ax.text(1.06, -0.3, "A2 asks for p ≤ 0", ha="right", fontsize=8)
    ax.set_xlabel(r"$\gamma$ in the core $|w|^{2\gamma}$")
    ax.set_ylabel(r"order p of the gradient, $\sim t^p$")
    ax.legend(fontsize=8)
    return figure


def _square(runs: Runs) -> Verdict:
    found = need(runs.where(gamma=1.0))
    against, vanish = found.that("against"), found.that("vanishes")
    unbounded = vanish.but("bounded").settings("outer")
    bounded = vanish.that("bounded").settings("outer")
    outcome = Outcome.judge(not against and not (unbounded and bounded), partly=not against)
    return Verdict(
        claim="No constraint F(W∘W) with F smooth at zero has both L1-synergy (A2) and boundedness "
        "(A3) (incompatibility theorem, section 2.2).",
        printed="never both; a trade-off",
        measured=f"both hold in {len(against)} of {len(found)} constraints; the gradient vanishes "
        f"in {len(vanish)}",
        outcome=outcome,
        evidence=prose(
            f"{len(found)} constraints (Exp, LogDet, polynomial, normalised, and random power "
            "series, saturated or not): the gradient at zero has order p = "
            f"{found.interval('exponent')} without and {found.interval('exponent_with_loops')} "
            "with self-loops.",
            outcome is Outcome.CORRECTED
            and f" A2 fails for bounded ones ({listed(bounded)}) and unbounded ones "
            f"({listed(unbounded)}) alike: smoothness at zero alone excludes A2. There is no "
            "trade-off with A3, which plays no part.",
        ),
    )


def _absolute(runs: Runs) -> Verdict:
    found = need(runs.where(gamma=0.5))
    without, with_loops = (
        listed(found.that(both).settings("outer")) for both in ("both", "both_with_loops")
    )
    plain, loops = found.interval("exponent"), found.interval("exponent_with_loops")
    return Verdict(
        claim="The same for F(|W|), F smooth on the non-negative matrices (definition of the class "
        "and incompatibility theorem, section 2.2).",
        printed="never both A2 and A3",
        measured=f"without self-loops p = {plain}; with self-loops p = {loops}, and both hold for "
        f"{with_loops or 'none'}",
        outcome=Outcome.judge(not (without or with_loops)),
        evidence=prose(
            "The definition allows |W| in the place of W∘W, the proof treats W∘W only. For "
            f"{len(found)} constraints F(|W|) the gradient at zero has order p = {plain} without "
            f"self-loops and {loops} with them.",
            with_loops
            and f" With self-loops the gradient neither vanishes nor explodes for {with_loops}: a "
            "counterexample.",
            f" Without self-loops the same is true of {without}."
            if without
            else " Without self-loops A2 fails for every one of them, bounded or not: the "
            "derivative of a spectral F at zero is a multiple of the identity.",
            " S-AHOC is itself a C¹ function of |W|, so that the theorem, as it stands, and the "
            "theorem that S-AHOC has all three axioms exclude each other.",
        ),
    )


def _powers(runs: Runs) -> Verdict:
    found = runs.where(outer="normalised exp").that(lambda r: r["gamma"] < 1.0)
    gammas = found.settings("gamma")
    need(len(gammas) > 2)
    entry = {g: found.where(gamma=g).values("exponent_of_an_entry") for g in gammas}
    loops = {g: found.where(gamma=g).values("exponent_with_loops") for g in gammas}
    explode = [g for g in gammas if entry[g] and max(entry[g]) < -FLAT]
    calm = [g for g in gammas if g not in explode]
    flat = [g for g in calm if loops[g] and max(map(abs, loops[g])) < FLAT]
    outcome = Outcome.judge(not calm, partly=explode)
    powers = "; ".join(f"p = {interval(entry[g])} at γ = {short(g)}" for g in gammas)
    return Verdict(
        claim="Taking f(x) = x^γ with 0 < γ < 1 of the entries of W∘W instead makes the gradient "
        "explode at zero (appendix A, defence against non-smooth cores).",
        printed="explodes for every γ in (0, 1)",
        measured=f"explodes for γ = {listed(list(map(short, explode))) or '–'}; not for γ = "
        f"{listed(list(map(short, calm))) or '–'}",
        outcome=outcome,
        evidence=prose(
            "In the normalised exponential, as one entry w on a cycle tends to zero, its "
            f"derivative goes like w^p with {powers}.",
            outcome is Outcome.CORRECTED
            and " The derivative of w^(2γ) is 2γ w^(2γ−1): it explodes below γ = 1/2, vanishes "
            "above, and is constant at γ = 1/2, the core |w| that AHOC uses.",
            flat
            and f" At γ = {listed(list(map(short, flat)))} the gradient with self-loops neither "
            "vanishes nor explodes.",
        ),
    )


EXPERIMENT = experiment(
    "incompatibility",
    "The incompatibility theorem",
    "Theorem on incompatibility, section 2.2; its proof in appendix A",
    *(cases, run, tables),
    figures={"incompatibility": draw},
    quantities=QUANTITIES,
    claims=[_square, _absolute, _powers],
)
