"""Smoothing: the approximation bound, the curvature 1/δ, and the step sizes that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from daglock.constraints import AHOC, SAHOC, Smoothed
from daglock.simulate import erdos_renyi
from daglock.typing import Array, Constraint
from daglock_evaluation.experiments import measured, smoothing_claims, smoothing_rate
from daglock_evaluation.experiments.experiment import Case, Experiment, Record, Result, Verdict
from daglock_evaluation.experiments.measured import ALPHA
from daglock_evaluation.experiments.phrases import share, short, span
from daglock_evaluation.experiments.smoothing_claims import decimals, slope
from daglock_evaluation.experiments.smoothing_steps import LAM, largest_price, run_rate, run_steps
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELTAS = tuple(float(10.0**-k) for k in range(1, 9))
SIZES = (5, 10, 20, 40, 80)
EPSILONS = (1.0, 1e-2, 1e-4, 1e-8)
PLACES = ("empty", "dag", "dense")
MULTIPLIERS = (10.0, 100.0)
RATE_DELTAS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)


def cases(quick: bool) -> list[Case]:
    """List gaps by δ, d and ε; curvatures by place and δ; steps and rates by δ and multiplier."""
    deltas, sizes, seeds = (DELTAS[1::2], SIZES[:3], 1) if quick else (DELTAS, SIZES, 3)
    found: list[Case] = [
        {"part": "gap", "epsilon": epsilon, "centred": centred, "d": d, "delta": delta}
        for epsilon in EPSILONS
        for centred in (False, True)
        for d in sizes
        for delta in deltas
    ]
    found += [
        {"part": "curvature", "at": at, "centred": centred, "d": 6, "seed": seed, "delta": delta}
        for centred in (False, True)
        for seed in range(seeds)
        for at in PLACES
        for delta in deltas
    ]
    found += [
        {"part": "steps", "multiplier": multiplier, "d": 10, "seed": seed, "delta": delta}
        for seed in range(seeds)
        for multiplier in MULTIPLIERS
        for delta in deltas
    ]
    rates, seeds, limit = (RATE_DELTAS[::2], 1, 1000) if quick else (RATE_DELTAS, 2, 10_000)
    found += [
        {
            "limit": limit,
            "part": "rate",
            "multiplier": multiplier,
            "d": 10,
            "seed": seed,
            "delta": delta,
        }
        for seed in range(seeds)
        for multiplier in MULTIPLIERS
        for delta in rates
    ]
    return found


def run(case: Case) -> Result:
    """Measure one of the four."""
    if case["part"] == "gap":
        return _gap(case)
    if case["part"] == "curvature":
        smooth = Smoothed(SAHOC(ALPHA), case["delta"], case["centred"])
        W = _place(case["at"], case["d"], case["seed"])
        return {
            "curvature": largest_curvature(smooth, W, case["delta"]),
            "expected": largest_price(W) / case["delta"] if case["at"] == "dag" else None,
        }
    return run_steps(case) if case["part"] == "steps" else run_rate(case)


def _gap(case: Case) -> Result:
    """Search for the largest ``|h̃ − h|`` over empty, acyclic and dense graphs of all scales."""
    d, delta = case["d"], case["delta"]
    exact = AHOC(ALPHA, case["epsilon"])  # S-AHOC is ε = 1
    smooth = Smoothed(exact, delta, case["centred"])
    empty = np.zeros((d, d))
    at_empty = abs(smooth.value(empty) - exact.value(empty))
    largest, where = at_empty, "empty"
    generator = np.random.default_rng(d)
    for scale in 10.0 ** np.arange(-10.0, 3.0):
        U = scale * generator.standard_normal((d, d)) * (1.0 - np.eye(d))
        for name, W in (("dag", np.triu(U)), ("dense", U), ("positive", np.abs(U))):
            gap = abs(smooth.value(W) - exact.value(W))
            if gap > largest:
                largest, where = gap, name
    return {"largest": largest, "where": where, "at_empty": at_empty}


def _place(at: str, d: int, seed: int) -> Array:
    """Return the graph at which curvature is measured."""
    if at == "empty":
        return np.zeros((d, d))
    if at == "dag":
        return np.asarray(erdos_renyi(d, 2 * d, weights=(0.5, 1.0), rng=seed))
    return np.random.default_rng(seed).standard_normal((d, d)) * (1.0 - np.eye(d))


def largest_curvature(h: Constraint, W: Array, delta: float) -> float:
    """Spectral norm of ∇²h off the diagonal of W, by central differences within δ."""
    places = list(permutations(range(len(W)), 2))
    step = 1e-3 * delta
    H = np.empty((len(places), len(places)))
    for k, place in enumerate(places):
        change = np.zeros_like(W)
        change[place] = step
        up, down = (h.value_and_grad(W + sign * change)[1] for sign in (1.0, -1.0))
        H[k] = [(up[other] - down[other]) / (2.0 * step) for other in places]
    return float(np.abs(np.linalg.eigvalsh(0.5 * (H + H.T))).max())


def tables(records: Sequence[Record]) -> list[Table]:
    """Slopes of the gap, the curvature and the steps."""
    gap = [["ε", "core", "slope in δ", "slope in d", "largest gap / (dδ)", "largest gap"]]
    for epsilon in EPSILONS:
        for centred in (False, True):
            found = measured.where(records, part="gap", epsilon=epsilon, centred=centred)
            if found:
                ratios = [r.result["largest"] / (r.case["d"] * r.case["delta"]) for r in found]
                gap.append(
                    [
                        short(epsilon),
                        "centred" if centred else "as printed",
                        decimals(slope(found, "delta", "largest")),
                        decimals(slope(found, "d", "largest")),
                        span(ratios),
                        span([r.result["largest"] for r in found]),
                    ]
                )
    curvature = [["at", "core", "slope in δ", "at the largest δ", "at the smallest δ"]]
    for at in PLACES:
        for centred in (False, True):
            found = measured.where(records, part="curvature", at=at, centred=centred)
            if found:
                deltas = [r.case["delta"] for r in found]
                ends = [
                    span([r.result["curvature"] for r in found if r.case["delta"] == end])
                    for end in (max(deltas), min(deltas))
                ]
                curvature.append(
                    [
                        f"{at} graph" if at != "dag" else "acyclic graph",
                        "centred" if centred else "as printed",
                        decimals(slope(found, "delta", "curvature")),
                        *ends,
                    ]
                )
    steps = [
        ["μ", "slope of η in δ", "runs that converge", "entries held near 0", "steps above 1/L"]
    ]
    for multiplier in MULTIPLIERS:
        found = measured.where(records, part="steps", multiplier=multiplier)
        if found:
            steps.append(
                [
                    short(multiplier),
                    decimals(slope(found, "delta", "median_step")),
                    share(record.result["stationary"] for record in found),
                    span(measured.values(found, "n_held")),
                    f"{100.0 * float(np.mean(measured.values(found, 'share_above'))):.0f} %",
                ]
            )
    return [
        Table(
            "|h̃ − h|: claimed slopes 1 and 1",
            gap,
            "The largest over empty, acyclic and dense graphs of scales 1e-10 to 100. S-AHOC is "
            "ε = 1.",
        ),
        Table(
            "Largest curvature of h̃ (S-AHOC): claimed slope −1",
            curvature,
            "Six nodes, off the diagonal. At the empty graph only δ ≥ 1e-5, below which rounding "
            "rules.",
        ),
        Table(
            "Accepted step sizes of SPG: claimed slope 1",
            steps,
            "Inner loop from W = 0 at a fixed weight μ of the constraint, d = 10, n = 1000, "
            f"λ₁ = {LAM:g}, at most 500 steps; η is the median of their second half. L is a lower "
            "bound of the Lipschitz constant: the curvature at the true graph. Held near 0: "
            "0 < |w| < 100δ.",
        ),
        *smoothing_rate.tables(records),
    ]


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw gap, curvature and step size against δ."""
    if not records:
        return {}
    figure, axes = panels(3, height=3.0)
    d = max((r.case["d"] for r in measured.where(records, part="gap")), default=0)
    styles = zip(("blue", "sky", "purple", "vermilion"), "osDv", strict=True)
    for epsilon, (colour, marker) in zip(EPSILONS, styles, strict=True):
        found = measured.where(records, part="gap", epsilon=epsilon, centred=False, d=d)
        _line(axes[0], found, "largest", f"ε = {short(epsilon)}", colour, marker)
    for at, colour, marker in zip(PLACES, ("orange", "blue", "green"), "^os", strict=True):
        found = measured.where(records, part="curvature", at=at, centred=False, seed=0)
        found = [r for r in found if at != "empty" or r.case["delta"] >= 1e-5]
        name = "acyclic" if at == "dag" else at
        _line(axes[1], found, "curvature", f"at {name} graphs", colour, marker)
    for multiplier, colour, marker in zip(MULTIPLIERS, ("sky", "blue"), "vo", strict=True):
        found = measured.where(records, part="steps", multiplier=multiplier, seed=0)
        _line(axes[2], found, "median_step", f"μ = {short(multiplier)}", colour, marker)
    titles = (f"gap |h̃ − h|, d = {d}", "largest curvature of h̃", "accepted step size η")
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xscale="log", yscale="log", xlabel="δ")
        ax.set_title(title, fontsize=9)
        ax.tick_params(labelsize=8)
        if ax is axes[1]:
            ax.set_ylim(top=1e9)  # above the curves, for the legend
        if ax.get_legend_handles_labels()[0]:
            ax.legend(frameon=False, fontsize=7.5)
    return {"smoothing": figure, **smoothing_rate.figures(records)}


def _line(
    ax: Any, found: Sequence[Record], name: str, label: str, colour: str, marker: str
) -> None:
    """Draw one quantity against δ."""
    points = sorted((record.case["delta"], record.result[name]) for record in found)
    if points:
        x, y = zip(*points, strict=True)
        ax.plot(x, y, color=COLOURS[colour], marker=marker, label=label, markersize=4)


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the bound, the curvature, the steps and the rate."""
    return [*smoothing_claims.verdicts(records), *smoothing_rate.verdicts(records)]


EXPERIMENT = Experiment(
    name="smoothing",
    title="The cost of smoothing",
    source="Approximation bound, trade-off, theorem and rate of the inner loop, section 2.7; "
    "Remark 3.8",
    cases=cases,
    run=run,
    tables=tables,
    figures=figures,
    verdicts=verdicts,
    smallest=(
        {"part": "gap", "epsilon": 1.0, "centred": False, "d": 5, "delta": 1e-2},
        {"part": "gap", "epsilon": 1.0, "centred": False, "d": 5, "delta": 1e-4},
        {"part": "curvature", "at": "dag", "centred": False, "d": 6, "seed": 0, "delta": 1e-2},
        {"part": "curvature", "at": "dag", "centred": False, "d": 6, "seed": 0, "delta": 1e-4},
        {"part": "steps", "multiplier": 100.0, "d": 10, "seed": 0, "delta": 1e-1},
        {"part": "rate", "multiplier": 10.0, "d": 10, "seed": 0, "delta": 1e-1, "limit": 300},
        {"part": "rate", "multiplier": 10.0, "d": 10, "seed": 0, "delta": 1e-4, "limit": 300},
    ),
)
