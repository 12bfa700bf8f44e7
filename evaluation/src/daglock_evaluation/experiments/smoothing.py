"""Smoothing: the approximation bound, the curvature 1/δ, the step sizes and the rate."""

from __future__ import annotations

import numpy as np

from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.drawing import Figure, line, look
from daglock_evaluation.experiments.evidence import Runs, experiment, grid, need, prose, table
from daglock_evaluation.experiments.experiment import Case, Outcome, Quantities, Verdict
from daglock_evaluation.experiments.measured import decimals
from daglock_evaluation.experiments.smoothing_runs import LAM, run
from daglock_evaluation.harness.figures import legend, panels
from daglock_evaluation.harness.numbers import listed, short
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods.paper import ALPHA, DELTA

DELTAS = tuple(float(10.0**-k) for k in range(1, 9))
SIZES = (5, 10, 20, 40, 80)
EPSILONS = {1.0: ("blue", "o"), 1e-2: ("sky", "s"), 1e-4: ("purple", "D"), 1e-8: ("vermilion", "v")}
PLACES = {"empty": ("orange", "^"), "dag": ("blue", "o"), "dense": ("green", "s")}
MULTIPLIERS = {10.0: ("sky", "v"), 100.0: ("blue", "o")}
RATE_DELTAS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
RATE_SHOWN = {
    1e-1: ("vermilion", "s"),
    1e-2: ("orange", "D"),
    1e-3: ("green", "P"),
    1e-5: ("sky", "v"),
    1e-7: ("blue", "o"),
}
NEAR = 0.1  # how far a slope may be from the claimed one
WIDE = 1e-3  # δ from which on the loop comes to an end in some thousand steps


def cases(quick: bool) -> list[Case]:
    """List gaps by δ, d and ε; curvatures by place and δ; steps and rates by δ and multiplier."""
    deltas, sizes, seeds = (DELTAS[1::2], SIZES[:3], 1) if quick else (DELTAS, SIZES, 3)
    rates, n_rates, limit = (RATE_DELTAS[::2], 1, 1000) if quick else (RATE_DELTAS, 2, 10_000)
    either, weights = (False, True), tuple(MULTIPLIERS)
    at = {"seed": range(seeds), "at": tuple(PLACES), "delta": deltas}
    return [
        *grid(part="gap", epsilon=tuple(EPSILONS), centred=either, d=sizes, delta=deltas),
        *grid(part="curvature", d=6, centred=either, **at),
        *grid(part="steps", d=10, seed=range(seeds), multiplier=weights, delta=deltas),
        *grid(part="rate", d=10, limit=limit, seed=range(n_rates), multiplier=weights, delta=rates),
    ]


QUANTITIES: Quantities = {
    # a curvature of order δ, where rounding is not
    "below_rounding": lambda r: r["at"] == "empty" and r["delta"] < 1e-5,
    "C1": lambda r: r["largest"] / (r["d"] * r["delta"]),
    "first": lambda r: r["least"][0],
    "last": lambda r: r["least"][-1],
    "percent": lambda r: 100.0 * r["share_above"],  # of the steps, above 1/L
    "within": lambda r: r["largest_product"] <= r["constant"],
    # at least like 1/k over the last nine tenths of a run
    "falls": lambda r: r["order"] is not None and r["order"] <= -1.0 + NEAR,
}


def slope(runs: Runs, setting: str, name: str) -> float | None:
    """Fit the exponent of a result in a setting, averaged over all other settings."""
    groups = runs.but("below_rounding").grouped(
        lambda r: repr(sorted((key, value) for key, value in r.case.items() if key != setting))
    )
    fitted = [measured.exponent(g.all(setting), g.all(name)) for g in groups if len(g) > 1]
    known = [p for p in fitted if p is not None]
    return float(np.mean(known)) if known else None


def _near(value: float | None, claimed: float) -> bool:
    """Whether a slope is the claimed one."""
    return value is not None and abs(value - claimed) < NEAR


def _core(found: Runs) -> str:
    """Name the core of some runs."""
    return "centred" if found[0]["centred"] else "as printed"


def tables(runs: Runs) -> list[Table]:
    """Slopes of the gap, the curvature and the steps, and every run of the rate."""
    gap, curvature, steps, rate = (
        runs.where(part=part) for part in ("gap", "curvature", "steps", "rate")
    )

    def at_end(found: Runs, end: float) -> str:
        return found.where(delta=end).span("curvature")

    return [
        table(
            "|h̃ − h|: claimed slopes 1 and 1",
            (gap.where(epsilon=e, centred=c) for e in EPSILONS for c in (False, True)),
            ("ε", lambda g: short(g[0]["epsilon"])),
            ("core", _core),
            ("slope in δ", lambda g: decimals(slope(g, "delta", "largest"))),
            ("slope in d", lambda g: decimals(slope(g, "d", "largest"))),
            ("largest gap / (dδ)", lambda g: g.span("C1")),
            ("largest gap", lambda g: g.span("largest")),
            note="The largest over empty, acyclic and dense graphs of scales 1e-10 to 100. S-AHOC "
            "is ε = 1.",
        ),
        table(
            "Largest curvature of h̃ (S-AHOC): claimed slope −1",
            (curvature.where(at=at, centred=c) for at in PLACES for c in (False, True)),
            ("at", lambda g: f"{g[0]['at']} graph".replace("dag", "acyclic")),
            ("core", _core),
            ("slope in δ", lambda g: decimals(slope(g, "delta", "curvature"))),
            ("at the largest δ", lambda g: at_end(g, max(g.all("delta")))),
            ("at the smallest δ", lambda g: at_end(g, min(g.all("delta")))),
            note="Six nodes, off the diagonal. At the empty graph only δ ≥ 1e-5, below which "
            "rounding rules.",
        ),
        table(
            "Accepted step sizes of SPG: claimed slope 1",
            (steps.where(multiplier=mu) for mu in MULTIPLIERS),
            ("μ", lambda g: short(g[0]["multiplier"])),
            ("slope of η in δ", lambda g: decimals(slope(g, "delta", "median_step"))),
            ("runs that converge", lambda g: g.share("stationary")),
            ("entries held near 0", lambda g: g.span("n_held")),
            ("steps above 1/L", lambda g: f"{g.mean('percent'):.0f} %"),
            note="Inner loop from W = 0 at a fixed weight μ of the constraint, d = 10, n = 1000, "
            f"λ₁ = {LAM:g}, at most 500 steps; η is the median of their second half. L is a lower "
            "bound of the Lipschitz constant: the curvature at the true graph. Held near 0: 0 < "
            "|w| < 100δ.",
        ),
        table(
            "The rate of the inner loop",
            (group for mu in rate.by("multiplier") for group in reversed(mu.by("delta"))),
            ("μ", lambda g: short(g[0]["multiplier"])),
            ("δ", lambda g: short(g[0]["delta"])),
            ("steps", lambda g: g.span("n_steps", 5)),
            ("stationary", lambda g: g.share("stationary")),
            ("K", lambda g: g.span("last_change", 5)),
            ("non-zeros", lambda g: g.span("nnz")),
            ("first ‖G‖²", lambda g: g.span("first")),
            ("least ‖G‖²", lambda g: g.span("last")),
            ("order", lambda g: g.span("order")),
            ("C", lambda g: g.span("constant")),
            note="G = (W_k − W_{k+1})/η is the gradient mapping; order: of its least squared norm "
            "in k, over the last nine tenths of a run (claimed: −1 or less). C bounds k times that "
            "norm. K: the last step that changes the support.",
        ),
    ]


def _draw_costs(runs: Runs) -> Figure:
    """Draw gap, curvature and step size against δ."""
    figure, axes = panels(3, height=3.0)
    gap = runs.where(part="gap", centred=False)
    d = max(runs.where(part="gap").settings("d"), default=0)
    curvature = runs.where(part="curvature", centred=False, seed=0).but("below_rounding")
    steps = runs.where(part="steps", seed=0)
    lines = (
        *((0, f"ε = {short(e)}", m, gap.where(d=d, epsilon=e)) for e, m in EPSILONS.items()),
        *((1, f"at {at} graphs", m, curvature.where(at=at)) for at, m in PLACES.items()),
        *((2, f"μ = {short(mu)}", m, steps.where(multiplier=mu)) for mu, m in MULTIPLIERS.items()),
    )
    names = ("largest", "curvature", "median_step")
    for k, label, mark, found in lines:
        points = sorted((r["delta"], r[names[k]]) for r in found)
        named = label.replace("at dag", "at acyclic")
        line(axes[k], points, **look(*mark, label=named, markersize=4))
    titles = (f"gap |h̃ − h|, d = {d}", "largest curvature of h̃", "accepted step size η")
    for ax, title in zip(axes, titles, strict=True):
        ax.set(xscale="log", yscale="log", xlabel="δ", title=title)
        ax.tick_params(labelsize=8)
        if ax is axes[1]:
            ax.set_ylim(top=1e9)  # above the curves, for the legend
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=7.5)
    return figure


def _draw_rate(runs: Runs) -> Figure:
    """Draw the least squared gradient mapping against k, a panel for each μ."""
    rate = need(runs.where(part="rate"))
    groups = rate.by("multiplier")
    figure, axes = panels(len(groups), height=3.3)
    for ax, found in zip(axes, groups, strict=True):
        for delta, mark in RATE_SHOWN.items():
            for record in found.where(delta=delta)[:1]:
                shown = look(*mark, markersize=4, label=f"δ = {short(delta)}")
                ax.plot(record["k"], record["least"], **shown)
        ends = [1.0, max(rate.all("n_steps"))]
        guide = [30.0 / k for k in ends]
        ax.plot(ends, guide, color="black", linestyle=":", linewidth=1.0, label="slope −1")
        ax.set(xscale="log", yscale="log", xlabel="step k", ylim=(1e-12, 1e3))
        ax.set_title(f"μ = {short(found[0]['multiplier'])}")
    axes[0].set_ylabel("least squared gradient mapping")
    legend(figure, axes[:1], "lower", 6)
    return figure


def _gap(runs: Runs) -> Verdict:
    gap = runs.where(part="gap", centred=False)
    ideal = gap.where(epsilon=1.0)
    first, in_d = slope(ideal, "delta", "largest"), slope(ideal, "d", "largest")
    need(first is not None)
    by_epsilon = {group[0]["epsilon"]: group for group in reversed(gap.by("epsilon"))}
    constants = {e: max(group.all("C1")) for e, group in by_epsilon.items()}
    depends = max(constants.values()) > 2.0 * min(constants.values())
    holds = _near(first, 1.0) and (in_d is None or _near(in_d, 1.0))
    smallest = min(by_epsilon)
    worst = by_epsilon[smallest]
    text = listed([f"{short(c)} at ε = {short(e)}" for e, c in constants.items()])
    at_empty = ideal.share(lambda r: r["at_empty"] > 0.99 * r["largest"])
    return Verdict(
        claim="|h̃ − h| ≤ C₁dδ for all W, with C₁ a function of α alone (proposition on the "
        "approximation bound, section 2.7).",
        printed="slopes 1 in δ and 1 in d; C₁ depends on α",
        measured=f"S-AHOC: slopes {decimals(first)} in δ and {decimals(in_d)} in d; C₁ = {text}",
        outcome=Outcome.judge(holds and not depends, partly=holds),
        evidence=prose(
            f"The largest gap over {len(ideal)} pairs (d, δ), each over empty, acyclic and dense "
            f"graphs of scales 1e-10 to 100, has for S-AHOC (ε = 1) slope {decimals(first)} in δ "
            f"and {decimals(in_d)} in d, and C₁ = {short(constants[1.0], 3)}, where 1 − α = "
            f"{1 - ALPHA:g}; the gap at the empty graph is within 1 % of it in {at_empty} pairs.",
            depends
            and f" For AHOC the constant depends on ε: C₁ = {text}. At ε = {short(smallest)} the "
            f"gap is {worst.span('largest')}, with slope "
            f"{decimals(slope(worst, 'delta', 'largest'))} in δ: where ε is far below dδ the "
            "smoothed constraint does not approximate the exact one at all.",
        ),
    )


def _curvature(runs: Runs) -> Verdict:
    found = {at: runs.where(part="curvature", centred=False, at=at) for at in PLACES}
    slopes = {at: slope(group, "delta", "curvature") for at, group in found.items()}
    need(slopes["dag"] is not None)
    small = found["dag"].that(lambda r: r["delta"] < 1e-2)
    ratio = small.interval(lambda r: r["curvature"] / r["expected"], 3)
    names = {"empty": "at the empty graph", "dense": "at dense graphs"}
    others = [
        f"{decimals(slopes[at])} {name}" for at, name in names.items() if slopes[at] is not None
    ]
    return Verdict(
        claim="The Lipschitz constant of ∇h̃ scales as 1/δ (trade-off of smoothing, section 2.7, "
        "and proof in the appendix).",
        printed="slope −1",
        measured=", ".join([f"slope {decimals(slopes['dag'])} at acyclic graphs", *others]),
        outcome=Outcome.judge(_near(slopes["dag"], -1.0)),
        evidence=prose(
            "The largest curvature of h̃ (Hessians by central differences, S-AHOC, "
            f"{len(found['dag'])} measurements at acyclic graphs) has slope "
            f"{decimals(slopes['dag'])} in δ.",
            small
            and " For δ < 0.01 its ratio to (1−α)C/δ, C the largest price of an entry that would "
            f"close a cycle, is {ratio}.",
            others
            and f" Elsewhere the slopes are {listed(others)}: the curvature 1/δ belongs to "
            "entries at zero that would close a cycle.",
        ),
    )


def _steps(runs: Runs) -> Verdict:
    found = runs.where(part="steps")
    by_weight = {group[0]["multiplier"]: group for group in found.by("multiplier")}
    fitted = {mu: slope(group, "delta", "median_step") for mu, group in by_weight.items()}
    slopes = need({mu: p for mu, p in fitted.items() if p is not None})
    text = listed([f"{decimals(p)} at μ = {short(mu)}" for mu, p in slopes.items()])
    near = all(_near(p, 1.0) for p in slopes.values())
    fine = found.that(lambda r: r["delta"] <= 1e-4)
    held = [
        f" At μ = {short(mu)}, {by_weight[mu].span('n_held')} entries are alive within 100δ of "
        "zero at the end."
        for mu in slopes
    ]
    return Verdict(
        claim="The step size of SPG must be proportional to δ, and progress takes O(1/δ) steps, so "
        "that small δ may stall (section 2.7).",
        printed="slope 1",
        measured=f"slope {text}",
        outcome=Outcome.judge(near, partly=all(p > 0.5 for p in slopes.values())),
        evidence=prose(
            "In the inner loop of SPG from W = 0, at a fixed weight μ of the constraint, the "
            f"median accepted step has slope {text} in δ ({len(found)} runs). A stationary point "
            f"is reached within 500 steps in {found.share('stationary')} runs",
            fine and f", for δ ≤ 1e-4 in {fine.share('stationary')}",
            ".",
            *held,
            not near
            and slopes[min(slopes)] < slopes[max(slopes)]
            and " Why such entries shorten the steps is in docs/theory.md, section 2.",
        ),
    )


def _search(runs: Runs) -> Verdict:
    found = need(runs.where(part="steps"))
    return Verdict(
        claim="The backtracking line search ensures step sizes of at most 1/L_δ, and with them "
        "convergence (theorem on the inner loop, section 2.7).",
        printed="η ≤ 1/L_δ for every step",
        measured=f"η > 1/L_δ in {found.span('percent', 3)} % of the steps of a run",
        outcome=Outcome.judge(max(found.all("percent")) == 0.0, partly=all(found.all("descended"))),
        evidence="L_δ is at least the curvature at the true graph, and accepted steps are longer "
        f"than one over it in {short(found.mean('percent'), 3)} % of all steps on average. "
        "Backtracking from a long step ensures a bound from below, η ≥ ½/L_δ; from above nothing "
        f"is ensured, nor needed: the objective fell at every step in {found.share('descended')} "
        "runs, by the condition of sufficient decrease.",
    )


def _rate(runs: Runs) -> Verdict:
    found = need(runs.where(part="rate"))
    wide = found.that(lambda r: r["delta"] >= WIDE)
    fine = found.that(lambda r: r["delta"] < WIDE)
    bounded, falling = all(found.all("within")), all(found.all("falls"))
    left = fine.span(lambda r: r["least"][-1] / r["least"][0])
    return Verdict(
        claim="SPG converges at the rate O(1/k): the least squared norm of the gradient mapping in "
        "the first k steps is at most C/k (Remark 2.13, section 2.7).",
        printed="C/k, for some constant C",
        measured=f"at most C/k in {found.share('within')} runs, with C ∝ "
        f"δ^{decimals(slope(found, 'delta', 'constant'))}; a fall like 1/k or faster in "
        f"{wide.share('falls')} runs with δ ≥ {short(WIDE)} and in {fine.share('falls')} below",
        outcome=Outcome.judge(bounded and falling, partly=bounded),
        evidence=prose(
            f"The inner loop from W = 0 at a fixed weight μ of the constraint, {len(found)} runs "
            f"of at most {found.span('limit')} steps. C = 2(F(W₀) − F(W_k))/(ση) follows from "
            "summing the sufficient decrease of the line search (σ) over steps of length η or "
            f"more; here it is {found.span('constant')}, and k times the least squared norm is at "
            f"most {short(max(found.all('largest_product')))}. The order of the fall over the last "
            f"nine tenths of a run is {wide.span('order')} for δ ≥ {short(WIDE)}",
            fine and f" and {fine.span('order')} below",
            ".",
            not all(fine.all("falls"))
            and " As the steps shrink with δ the constant grows, and for small δ the bound says "
            f"nothing about runs of this length: for δ < {short(WIDE)} the squared norm ends at "
            f"{left} times its first value.",
        ),
    )


def _iterations(runs: Runs) -> Verdict:
    found = runs.where(part="rate")
    settled = found.that("stationary")
    order = slope(settled, "delta", "last_change")
    need(order is not None)
    assert order is not None
    bounded = order >= -1.25
    last = min(settled, key=lambda r: float(r["delta"]))
    needed = last["last_change"] * (DELTA / last["delta"]) ** order
    return Verdict(
        claim="The number K of iterations until the support stops changing grows like 1/δ (Remark "
        "3.8).",
        printed="K = O(1/δ)",
        measured=f"K ∝ δ^{decimals(order)} where the loop comes to rest ({len(settled)} of "
        f"{len(found)} runs, δ ≥ {short(last['delta'])})",
        outcome=Outcome.judge(bounded and len(settled) == len(found), partly=bounded),
        evidence="The same runs; K is the last step that changes the support. It is "
        f"{settled.span('last_change', 4)} of {settled.span('n_steps', 4)} steps in the runs that "
        f"reach a stationary point. The other {len(found) - len(settled)} do not come to rest "
        f"within their steps. With this order K would be about {short(needed, 1)} at δ = "
        f"{short(DELTA)}, the paper's. What is found after K steps has {settled.span('nnz')} "
        f"non-zeros, where the true graph has {settled[0]['d']} edges, and is its support in "
        f"{settled.share('true_support')} runs; whether the whole algorithm finds it is judged "
        "under finite-time identification.",
    )


EXPERIMENT = experiment(
    "smoothing",
    "The cost of smoothing",
    "Approximation bound, trade-off, theorem and rate of the inner loop, section 2.7; Remark 3.8",
    *(cases, run, tables),
    figures={"smoothing": _draw_costs, "smoothing_rate": _draw_rate},
    quantities=QUANTITIES,
    claims=[_gap, _curvature, _steps, _search, _rate, _iterations],
)
