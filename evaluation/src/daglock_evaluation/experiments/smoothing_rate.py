"""The rate of convergence of SPG and the iterations that it needs, beside what the paper claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.measured import DELTA
from daglock_evaluation.experiments.phrases import share, short, span
from daglock_evaluation.experiments.smoothing_claims import decimals, slope
from daglock_evaluation.publish.figures import COLOURS, panels
from daglock_evaluation.publish.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Where the order of the fall is -1, up to this.
_NEAR = 0.1
_WIDE = 1e-3  # δ from which on the loop comes to an end in some thousand steps
_LOOKS = {1e-1: ("vermilion", "s"), 1e-2: ("orange", "D"), 1e-3: ("green", "P")} | {
    1e-5: ("sky", "v"),
    1e-7: ("blue", "o"),
}


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the rate O(1/k), and the number O(1/δ) of iterations until the support is found."""
    found = measured.where(records, part="rate")
    return [_rate(found), *_iterations(found)] if found else []


def _falls(record: Record) -> bool:
    """Whether the gradient mapping fell at least like 1/k over the last nine tenths of a run."""
    order = record.result["order"]
    return order is not None and order <= -1.0 + _NEAR


def _rate(found: Sequence[Record]) -> Verdict:
    """Judge Remark 2.13."""
    within = [r.result["largest_product"] <= r.result["constant"] for r in found]
    wide = [r for r in found if r.case["delta"] >= _WIDE]
    fine = [r for r in found if r.case["delta"] < _WIDE]
    constants = measured.values(found, "constant")
    left = [r.result["least"][-1] / r.result["least"][0] for r in fine]
    order = slope(found, "delta", "constant")
    return Verdict(
        claim="SPG converges at the rate O(1/k): the least squared norm of the gradient mapping in "
        "the first k steps is at most C/k (Remark 2.13, section 2.7).",
        printed="C/k, for some constant C",
        measured=f"at most C/k in {share(within)} runs, with C ∝ δ^{decimals(order)}; a fall like "
        f"1/k or faster in {share(map(_falls, wide))} runs with δ ≥ {short(_WIDE)} and in "
        f"{share(map(_falls, fine))} below",
        outcome=Outcome.judge(all(within) and all(map(_falls, found)), partly=all(within)),
        evidence=f"The inner loop from W = 0 at a fixed weight μ of the constraint, {len(found)} "
        f"runs of at most {span(r.case['limit'] for r in found)} steps. C = 2(F(W₀) − F(W_k))/(ση) "
        "follows from summing the sufficient decrease of the line search (σ) over steps of "
        f"length η or more; here it is {span(constants)}, and k times the least squared norm is "
        f"at most {short(max(measured.values(found, 'largest_product')))}. The order of the fall "
        "over the last nine tenths of a run is "
        f"{span(measured.values(wide, 'order'))} for δ ≥ {short(_WIDE)}"
        + (f" and {span(measured.values(fine, 'order'))} below" if fine else "")
        + "."
        + (
            " As the steps shrink with δ the constant grows, and for small δ the bound says "
            f"nothing about runs of this length: for δ < {short(_WIDE)} the squared norm ends at "
            f"{span(left)} times its first value."
            if fine and not all(map(_falls, fine))
            else ""
        ),
    )


def _iterations(found: Sequence[Record]) -> list[Verdict]:
    """Judge Remark 3.8 on the runs that come to an end."""
    settled = [r for r in found if r.result["stationary"]]
    order = slope(settled, "delta", "last_change")
    if order is None:
        return []
    right = [r.result["true_support"] for r in settled]
    bounded = order >= -1.25
    last = min(settled, key=lambda r: float(r.case["delta"]))
    needed = last.result["last_change"] * (DELTA / last.case["delta"]) ** order
    return [
        Verdict(
            claim="The number K of iterations until the support stops changing grows like 1/δ "
            "(Remark 3.8).",
            printed="K = O(1/δ)",
            measured=f"K ∝ δ^{decimals(order)} where the loop comes to rest ({len(settled)} of "
            f"{len(found)} runs, δ ≥ {short(last.case['delta'])})",
            outcome=Outcome.judge(bounded and len(settled) == len(found), partly=bounded),
            evidence="The same runs; K is the last step that changes the support. It is "
            f"{span((r.result['last_change'] for r in settled), 4)} of "
            f"{span((r.result['n_steps'] for r in settled), 4)} steps in the runs that reach a "
            f"stationary point. The other {len(found) - len(settled)} do not come to rest within "
            f"their steps. With this order K would be about {short(needed, 1)} at "
            f"δ = {short(DELTA)}, the paper's. What is found after K steps has "
            f"{span(r.result['nnz'] for r in settled)} non-zeros, where the true graph has "
            f"{settled[0].case['d']} edges, and is its support in {share(right)} runs; whether the "
            "whole algorithm finds it is judged under finite-time identification.",
        )
    ]


def tables(records: Sequence[Record]) -> list[Table]:
    """Show every run."""
    rows = [
        [
            "μ",
            "δ",
            "steps",
            "stationary",
            "K",
            "non-zeros",
            "first ‖G‖²",
            "least ‖G‖²",
            "order",
            "C",
        ]
    ]
    keys = sorted({(r.case["multiplier"], -r.case["delta"]) for r in _of(records)})
    for multiplier, minus in keys:
        found = measured.where(_of(records), multiplier=multiplier, delta=-minus)
        rows.append(
            [
                short(multiplier),
                short(-minus),
                span((r.result["n_steps"] for r in found), 5),
                share(r.result["stationary"] for r in found),
                span((r.result["last_change"] for r in found), 5),
                span(r.result["nnz"] for r in found),
                span(r.result["least"][0] for r in found),
                span(r.result["least"][-1] for r in found),
                span(r.result["order"] for r in found),
                span(r.result["constant"] for r in found),
            ]
        )
    note = (
        "G = (W_k − W_{k+1})/η is the gradient mapping; order: of its least squared norm in k, "
        "over the last nine tenths of a run (claimed: −1 or less). C bounds k times that norm. "
        "K: the last step that changes the support."
    )
    return [Table("The rate of the inner loop", rows, note)]


def _of(records: Sequence[Record]) -> list[Record]:
    """Return the records of this part."""
    return measured.where(records, part="rate")


def figures(records: Sequence[Record]) -> Mapping[str, Figure]:
    """Draw the least squared gradient mapping against k, a panel for each μ."""
    multipliers = sorted({r.case["multiplier"] for r in _of(records)})
    if not multipliers:
        return {}
    figure, axes = panels(len(multipliers), height=3.3)
    for ax, multiplier in zip(axes, multipliers, strict=True):
        for delta, (colour, marker) in _LOOKS.items():
            for record in measured.where(_of(records), multiplier=multiplier, delta=delta)[:1]:
                look = {"color": COLOURS[colour], "marker": marker, "markersize": 4}
                label = f"δ = {short(delta)}"
                ax.plot(record.result["k"], record.result["least"], **look, label=label)
        ends = [1.0, max(r.result["n_steps"] for r in _of(records))]
        guide = [30.0 / k for k in ends]
        ax.plot(ends, guide, color="black", linestyle=":", linewidth=1.0, label="slope −1")
        ax.set(xscale="log", yscale="log", xlabel="step k", ylim=(1e-12, 1e3))
        ax.set_title(f"μ = {short(multiplier)}")
    axes[0].set_ylabel("least squared gradient mapping")
    handles = axes[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=6)
    return {"smoothing_rate": figure}
