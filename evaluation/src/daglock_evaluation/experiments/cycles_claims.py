"""What Exp 1 claims, beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.measured import interval
from daglock_evaluation.experiments.phrases import listing, short, span

LABELS = (*measured.STANDARD, *measured.HYBRID, *measured.SMOOTHED)
NORMALISED = LABELS[2:]


def order_at_one(record: Record) -> float | None:
    """Fit p of ‖∇h‖ ~ (1 − ρ)^(−p) over 1 − ρ from 1e-3 down to 1e-9."""
    x, y = record.result["x"], record.result["norm"]
    near = [k for k in range(len(x)) if 1e-9 <= x[k] <= 1e-3]
    p = measured.exponent([x[k] for k in near], [y[k] for k in near])
    return None if p is None else -p


def orders_at_one(records: Sequence[Record], label: str) -> list[float]:
    """Return the orders of divergence of a constraint over all graphs."""
    found = measured.where(records, path="towards", constraint=label)
    return [p for p in map(order_at_one, found) if p is not None]


def largest_gradients(records: Sequence[Record], label: str) -> list[float]:
    """Return the largest gradient on each path over all radii."""
    found = measured.where(records, path="radius", constraint=label)
    return [max(y for y in record.result["norm"] if y is not None) for record in found]


def skewed_order(record: Record) -> float | None:
    """Fit p of ‖∇h‖ ~ a^p over the last two decades of the largest weight a."""
    x, y = record.result["x"], record.result["norm"]
    last = [k for k in range(len(x)) if x[k] >= 1e-2 * x[-1]]
    return measured.exponent([x[k] for k in last], [y[k] for k in last])


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Explosion of the standard constraints, boundedness of the others, skew."""
    return [*_explosion(records), *_bounded(records), *_skewed(records)]


def _explosion(records: Sequence[Record]) -> list[Verdict]:
    """Decide whether the standard constraints explode as ρ tends to one."""
    orders = {label: orders_at_one(records, label) for label in ("Exp", "LogDet")}
    if not all(orders.values()):
        return []
    explodes = [label for label, p in orders.items() if min(p) > 0.1]
    at_one = [
        r.result["norm"][-1] for r in measured.where(records, path="towards", constraint="Exp")
    ]
    outcome = {2: Outcome.CONFIRMED, 1: Outcome.CORRECTED, 0: Outcome.NOT_CONFIRMED}[len(explodes)]
    text = listing([f"p = {interval(p)} for {label}" for label, p in orders.items()])
    beyond = measured.where(records, path="radius", constraint="Exp")
    overflow = [
        min(x for x, y in zip(r.result["x"], r.result["norm"], strict=True) if y is None)
        for r in beyond
        if r.result["norm"][-1] is None
    ]
    return [
        Verdict(
            claim="The gradients of the standard constraints explode as ρ(W∘W) tends to one "
            "(Exp 1, appendix; Type II instability, section 2.2).",
            printed="standard constraints explode",
            measured=f"‖∇h‖ ~ (1−ρ)^−p with {text}",
            outcome=outcome,
            evidence=f"On {len(at_one)} graphs, rings and dense ones, ‖∇h‖ follows (1−ρ)^−p from "
            f"1−ρ = 1e-3 to 1e-9 with {text}. At 1−ρ = 1e-12 the gradient of Exp is "
            f"{span(at_one)}."
            + (
                f" Nothing happens to Exp at ρ = 1; it overflows from ρ = {short(min(overflow))} "
                f"on ({len(overflow)} of {len(beyond)} graphs)."
                if overflow and "Exp" not in explodes
                else ""
            ),
        )
    ]


def _bounded(records: Sequence[Record]) -> list[Verdict]:
    """Decide whether the normalised constraints stay bounded."""
    orders = {label: p for label in NORMALISED if (p := orders_at_one(records, label))}
    if not orders:
        return []
    grow = [label for label, p in orders.items() if max(p) > 0.1]
    tops = {label: top for label in orders if (top := largest_gradients(records, label))}
    return [
        Verdict(
            claim="The gradients of AHOC and AAC remain bounded as ρ(W∘W) tends to one "
            "(Exp 1, appendix).",
            printed="bounded",
            measured="‖∇h‖ ~ (1−ρ)^−p with p = "
            + interval([p for group in orders.values() for p in group]),
            outcome=Outcome.NOT_CONFIRMED if grow else Outcome.CONFIRMED,
            evidence=(
                f"The gradient of {listing(grow)} grows as ρ tends to one."
                if grow
                else f"For {listing(list(orders))} the gradient does not grow as ρ tends to one, "
                "on any graph that was tried."
            )
            + (
                " The largest gradients for ρ from 1e-4 to 1e4 are "
                + "; ".join(f"{short(max(top))} for {label}" for label, top in tops.items())
                + " (large ones come from small weights, see A3 under the axioms)."
                if tops
                else ""
            ),
        )
    ]


def _skewed(records: Sequence[Record]) -> list[Verdict]:
    """Decide whether the gradient of Exp grows at a small radius, and how."""
    found = measured.where(records, path="skewed", constraint="Exp")
    fitted = [(r.case["d"], p) for r in found if (p := skewed_order(r)) is not None]
    if not fitted:
        return []
    grows = all(p > 0.1 for _, p in fitted)
    # A degree that rises with d makes the growth exponential in the number of nodes.
    rises = len(fitted) > 1 and max(fitted)[1] > 1.5 * min(fitted)[1]
    others = [
        p
        for label in NORMALISED
        for r in measured.where(records, path="skewed", constraint=label)
        if (p := skewed_order(r)) is not None
    ]
    power = listing([f"a^{short(p)} at d = {d}" for d, p in fitted])
    outcome = Outcome.CONFIRMED if rises else Outcome.CORRECTED
    return [
        Verdict(
            claim="For non-normal matrices exp(W∘W), and with it the gradient of Exp, can become "
            "exponentially large even where ρ(W∘W) is small (proof of the Type II instability, "
            "appendix A).",
            printed="exponential growth at small ρ",
            measured=f"growth like {power}, a the largest weight, ρ = 0.5",
            outcome=outcome if grows else Outcome.NOT_CONFIRMED,
            evidence="On rings whose weights are a, but for one that keeps ρ(W∘W) = 0.5, the "
            f"gradient of Exp grows like {power}"
            + (
                ": a power of the weights, because paths have at most d − 1 edges, with a degree "
                "that rises with d, so exponential in the number of nodes."
                if grows and rises
                else "."
            )
            + (
                f" Those of the normalised constraints go like a^p with p = {interval(others)}."
                if others
                else ""
            ),
        )
    ]
